//! Errors of compilers, with places in the source; those of glslang and of Slang from their logs.

use std::ops::Range;
use vitrine_ir::{Anchor, Diag};
use vitrine_text::SourceMap;

/// The largest number of problems of a source that are reported.
pub(super) const MOST: usize = 50;

/// A problem that a compiler reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// The problem, in the words of the compiler.
    pub says: String,
    /// A suggestion of the compiler, or empty.
    pub help: String,
    /// The bytes of the source that it is about.
    pub range: Option<Range<usize>>,
    /// The line, from 1, if the bytes are unknown; 0 if it is unknown, too.
    pub line: usize,
    /// The column, from 1; 0 if it is unknown.
    pub column: usize,
}

impl Problem {
    /// A problem without a place.
    pub fn new(says: String) -> Problem {
        Problem { says, ..Problem::default() }
    }

    /// The diagnostic.
    pub fn diag(self, text: &str, map: &SourceMap) -> Diag {
        let range = self.place_in(text);
        let diag = Diag::error("I008", Anchor::Module).says(self.says);
        let diag = if self.help.is_empty() { diag } else { diag.help(self.help) };
        match range {
            Some(range) => diag.placed(map.span(range.start as u32, range.len() as u32)),
            None => diag,
        }
    }

    /// Its bytes in a text: the word at the column; without a column, the token that the message quotes, or else the line. Without a
    /// line, the declaration of the function that the message quotes.
    pub fn place_in(&self, text: &str) -> Option<Range<usize>> {
        if let Some(range) = &self.range {
            return Some(range.clone());
        }
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        if self.line == 0 {
            let name = self.says.split('\'').nth(1).filter(|name| !name.is_empty())?;
            let is_function = |at: &usize| {
                !text[..*at].ends_with(is_name) && text[at + name.len()..].trim_start().starts_with('(')
            };
            let at = text.match_indices(name).map(|(at, _)| at).find(is_function)?;
            return Some(at..at + name.len());
        }
        let line = text.split('\n').nth(self.line - 1)?;
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        let (at, len) = match self.column.checked_sub(1).filter(|&at| line.is_char_boundary(at)) {
            Some(at) => {
                let rest = &line[at..];
                let len = rest.find(|c: char| !is_name(c)).unwrap_or(rest.len());
                (at, if len == 0 { rest.chars().next().map_or(0, char::len_utf8) } else { len })
            }
            None => {
                let token = self.says.split('\'').nth(1).filter(|token| !token.is_empty());
                match token.and_then(|token| Some((line.find(token)?, token.len()))) {
                    Some(found) => found,
                    None => (line.len() - line.trim_start().len(), line.trim().len()),
                }
            }
        };
        Some(start + at..start + at + len)
    }
}

/// The errors in a log of glslang, with lines of the text that it read. Never empty.
pub fn glslang_problems(log: &str) -> Vec<Problem> {
    let problems = log.lines().filter_map(|line| glslang_problem(line, ""));
    let mut found: Vec<Problem> =
        problems.filter(|problem| !problem.says.ends_with("compilation terminated")).collect();
    found.dedup();
    found.truncate(MOST);
    or_first_lines(found, log)
}

/// The problems; the first lines of the log if there are none.
fn or_first_lines(mut found: Vec<Problem>, log: &str) -> Vec<Problem> {
    if found.is_empty() {
        let first: Vec<&str> = log.lines().map(str::trim).filter(|line| !line.is_empty()).take(3).collect();
        let says = match first.is_empty() {
            true => "the front end failed without a message".to_owned(),
            false => first.join("; "),
        };
        found.push(Problem::new(says));
    }
    found
}

/// The errors in a log of Slang about a text, with lines and columns of it. Never empty.
///
/// An error is `user.slang(6): error 30015: undefined identifier 'q'.`, then the line, then a caret below the column. Notes
/// after it, such as candidates of a call, explain it; those about Slang's own library are left out.
pub(super) fn slang_problems(log: &str, text: &str) -> Vec<Problem> {
    let mut found: Vec<Problem> = Vec::new();
    let mut lines = log.lines().peekable();
    while let Some(line) = lines.next() {
        let Some(SlangLine { file, line, is_note, says }) = slang_line(line) else { continue };
        if is_note {
            let help = found.last_mut().filter(|of| of.help.is_empty() && file == SLANG_FILE);
            if let Some(problem) = help {
                problem.help = says;
            }
        } else if file == SLANG_FILE
            || (file.is_empty() && !SLANG_REPEATS.iter().any(|end| says.ends_with(end)))
        {
            let shown = lines.next_if(|next| slang_line(next).is_none());
            let arrow = shown.and_then(|_| lines.next_if(|next| slang_line(next).is_none()));
            let column = shown.zip(arrow).and_then(|(shown, arrow)| column(shown, arrow, text, line));
            found.push(Problem { line, column: column.unwrap_or(0), ..Problem::new(says) });
        }
    }
    found.dedup();
    if found.iter().any(|problem| problem.line > 0) {
        // A failure of the link follows from an error in a line.
        found.retain(|problem| problem.line > 0);
    }
    found.truncate(MOST);
    or_first_lines(found, log)
}

/// The name of a source in messages of Slang, see `www/slang.js`.
const SLANG_FILE: &str = "user.slang";
/// The end of a message that repeats that there are errors.
const SLANG_REPEATS: [&str; 2] = ["failed because of a compilation error", "compilation ceased"];

/// A line of a log of Slang that begins a message.
struct SlangLine<'l> {
    file: &'l str,
    line: usize,
    is_note: bool,
    says: String,
}

/// The parts of `user.slang(6): error 30015: undefined identifier 'q'.`; none for warnings and other lines.
fn slang_line(line: &str) -> Option<SlangLine<'_>> {
    let (place, rest) = line.split_once("): ")?;
    let (file, number) = place.rsplit_once('(')?;
    let (kind, says) = rest.split_once(": ")?;
    let (kind, code) = kind.rsplit_once(' ')?;
    code.parse::<u32>().ok()?;
    let is_note = kind == "note";
    if !is_note && kind != "error" && kind != "fatal error" {
        return None;
    }
    let says = says.trim().trim_end_matches('.').to_owned();
    Some(SlangLine { file: file.trim_start_matches('/'), line: number.parse().ok()?, is_note, says })
}

/// The column in bytes, from 1, of a caret below a line, if that is the line of the text. Slang shows a tab as spaces up to the
/// next multiple of four, and counts bytes.
fn column(shown: &str, arrow: &str, text: &str, line: usize) -> Option<usize> {
    let of_text = text.split('\n').nth(line.checked_sub(1)?)?.trim_end();
    let caret = arrow.find('^').filter(|&at| arrow[..at].trim().is_empty())?;
    let (mut expanded, mut column) = (String::new(), None);
    for (at, char) in of_text.char_indices() {
        if expanded.len() == caret {
            column = Some(at + 1);
        }
        match char {
            '\t' => expanded.extend(std::iter::repeat_n(' ', 4 - expanded.len() % 4)),
            char => expanded.push(char),
        }
    }
    column.filter(|_| expanded == shown.trim_end())
}

/// A line of a log of glslang: `ERROR: a.frag:6: 'foo' : undeclared identifier`; also with a number in place of the name. The linker names
/// functions, without lines: `    count(i1; calling count(i1;`.
pub fn glslang_problem(line: &str, name: &str) -> Option<Problem> {
    if let Some((from, to)) = line.split_once(" calling ")
        && line.starts_with("    ")
    {
        let name = |function: &str| function.split('(').next().unwrap_or("").trim().to_owned();
        return Some(Problem::new(format!("'{}': recursion, it calls '{}'", name(from), name(to))));
    }
    let rest = line.strip_prefix("ERROR: ")?;
    let named = rest.strip_prefix(name).filter(|_| !name.is_empty());
    let (number, says) =
        named.unwrap_or_else(|| rest.trim_start_matches('0')).strip_prefix(':')?.split_once(": ")?;
    let says = says.trim().replacen(" : ", ": ", 1);
    Some(Problem { line: number.parse().ok()?, ..Problem::new(says.trim_start_matches("'': ").to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_is_at_the_token_that_it_quotes() {
        let text = "void main() {\n  c = vec4(x, foo);\n}\n";
        let log = "Parse failed\nERROR: 0:2: 'foo' : undeclared identifier \nERROR: 0:2: '' : compilation terminated \n";
        let problems = glslang_problems(log);
        assert_eq!(problems.len(), 1);
        assert_eq!(problems[0].place_in(text).map(|range| &text[range]), Some("foo"));
        assert_eq!(glslang_problems("")[0].says, "the front end failed without a message");
        assert_eq!(glslang_problems("ERROR: 0:99: '' : syntax error")[0].place_in(text), None);
        let log = "ERROR: Linking fragment stage: Recursion detected:\n    main( calling main(\n\n";
        let problems = glslang_problems(log);
        assert_eq!(problems[0].says, "'main': recursion, it calls 'main'");
        assert_eq!(problems[0].place_in(text), Some(5..9));
    }
    /// A log of Slang 2025.15.
    const SLANG_LOG: &str = "/user.slang(3): error 30015: undefined identifier 'sun'.\n        é = sun + sin(p.y);\n             ^~~\n/user.slang(3): note 30062: argument was implicitly cast\ncore.meta.slang(2431): note 39999: candidate: float4.init(float)\n(0): error 39999: import of module 'user' failed because of a compilation error\n(0): fatal error 39999: compilation ceased\nabort compilation: (0): fatal error 39999: compilation ceased\n";

    #[test]
    fn an_error_of_slang_has_its_line_and_column() {
        let text = "float f() {\n\n\t\té = sun + sin(p.y);\n}\n";
        let problems = slang_problems(SLANG_LOG, text);
        assert_eq!(problems.len(), 1, "{problems:?}");
        let first = &problems[0];
        assert_eq!((first.says.as_str(), first.line), ("undefined identifier 'sun'", 3));
        assert_eq!(first.help, "argument was implicitly cast");
        assert_eq!(first.place_in(text).map(|range| &text[range]), Some("sun"));
        // Without the line of the text there is no column.
        assert_eq!(slang_problems(SLANG_LOG, "")[0].column, 0);
        let end = "/user.slang(2): error 20001: unexpected end of file, expected ','\n(0): fatal error 39999: compilation ceased\n";
        assert_eq!(slang_problems(end, "a\nb").iter().map(|of| of.line).collect::<Vec<_>>(), [2]);
        let link = "(0): error 38025: entry point 'g' not found\n";
        assert_eq!(slang_problems(link, "")[0].says, "entry point 'g' not found");
        assert_eq!(slang_problems("odd", "")[0].says, "odd");
        assert_eq!(slang_problems("", "")[0].says, "the front end failed without a message");
    }
}
