//! Errors of compilers as diagnostics with places in the source.
//!
//! Understands the forms of glslang, of clang and dxc, and of Slang. A line in no known form is left out, unless nothing
//! else explains a failure.

use std::ops::Range;
use vitrine_core::ir::{Anchor, Diag};
use vitrine_core::text::SourceMap;

/// The largest number of problems of a source that are reported.
const MOST: usize = 50;

/// A problem that a compiler reports.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Problem {
    /// The problem, in the words of the compiler.
    pub(super) says: String,
    /// A suggestion of the compiler, or empty.
    pub(super) help: String,
    /// The bytes of the source that it is about.
    pub(super) range: Option<Range<usize>>,
    /// The line, from 1, if the bytes are unknown; 0 if it is unknown, too.
    pub(super) line: usize,
    /// The column, from 1; 0 if it is unknown.
    pub(super) column: usize,
}

impl Problem {
    /// A problem without a place.
    pub(super) fn new(says: String) -> Problem {
        Problem { says, ..Problem::default() }
    }

    /// The diagnostic.
    pub(super) fn diag(self, text: &str, map: &SourceMap) -> Diag {
        let range = self.range.clone().or_else(|| self.place_in(text));
        let diag = Diag::error("I008", Anchor::Module).says(self.says);
        let diag = if self.help.is_empty() { diag } else { diag.help(self.help) };
        match range {
            Some(range) => diag.placed(map.span(range.start as u32, range.len() as u32)),
            None => diag,
        }
    }

    /// The word at the column; without a column, the token that the message quotes, or else the line.
    fn place_in(&self, text: &str) -> Option<Range<usize>> {
        let line = text.split('\n').nth(self.line.checked_sub(1)?)?;
        let start = line.as_ptr() as usize - text.as_ptr() as usize;
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
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

/// The errors in the output of a compiler about the file `name`. Never empty.
pub(super) fn problems(output: &str, name: &str) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut lines = output.lines().peekable();
    while let Some(line) = lines.next() {
        let arrow = lines.peek().copied().unwrap_or("");
        let problem = glslang(line, name).or_else(|| clang(line, name)).or_else(|| slang(line, arrow));
        found.extend(problem.filter(|problem| !problem.says.ends_with("compilation terminated")));
    }
    found.dedup();
    found.truncate(MOST);
    if found.is_empty() {
        let first: Vec<&str> =
            output.lines().map(str::trim).filter(|line| !line.is_empty()).take(3).collect();
        let says = if first.is_empty() {
            "the compiler failed without a message".to_owned()
        } else {
            first.join("; ")
        };
        found.push(Problem::new(says));
    }
    found
}

/// `ERROR: a.frag:6: 'foo' : undeclared identifier`
fn glslang(line: &str, name: &str) -> Option<Problem> {
    let rest = line.strip_prefix("ERROR: ")?;
    let (number, says) = rest
        .strip_prefix(name)
        .unwrap_or_else(|| rest.trim_start_matches('0'))
        .strip_prefix(':')?
        .split_once(": ")?;
    let says = says.trim().replacen(" : ", ": ", 1);
    Some(Problem { line: number.parse().ok()?, ..Problem::new(says.trim_start_matches("'': ").to_owned()) })
}

/// `a.hlsl:2:63: error: use of undeclared identifier 'x'`
fn clang(line: &str, name: &str) -> Option<Problem> {
    let rest = line.strip_prefix(name)?.strip_prefix(':')?;
    let (place, says) = rest.split_once(": error: ").or_else(|| rest.split_once(": fatal error: "))?;
    let (line, column) = place.split_once(':')?;
    Some(Problem { line: line.parse().ok()?, column: column.parse().ok()?, ..Problem::new(says.to_owned()) })
}

/// `error[E30015]: undefined identifier`, and in the next line ` --> a.slang:2:63`
fn slang(line: &str, arrow: &str) -> Option<Problem> {
    let (_, says) = line.strip_prefix("error[")?.split_once("]: ")?;
    let mut place = arrow.trim().strip_prefix("--> ")?.rsplitn(3, ':');
    let (column, line) = (place.next()?.parse().ok()?, place.next()?.parse().ok()?);
    Some(Problem { line, column, ..Problem::new(says.to_owned()) })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "void main() {\n  c = vec4(x, foo, 0, 1);\n}\n";

    fn shown(output: &str) -> Vec<(String, &'static str)> {
        let problems = problems(output, "a.frag");
        problems
            .into_iter()
            .map(|problem| {
                let range = problem.place_in(TEXT).unwrap_or_default();
                (problem.says, &TEXT[range])
            })
            .collect()
    }

    #[test]
    fn each_compiler_has_a_place_for_its_errors() {
        for (output, says, place) in [
            (
                "ERROR: a.frag:2: 'foo' : undeclared identifier \nERROR: a.frag:2: '' : compilation terminated \n",
                "'foo': undeclared identifier",
                "foo",
            ),
            ("ERROR: 0:2: '' : syntax error\n", "syntax error", "c = vec4(x, foo, 0, 1);"),
            (
                "a.frag:2:15: error: use of undeclared identifier 'foo'\n",
                "use of undeclared identifier 'foo'",
                "foo",
            ),
            ("error[E30015]: undefined identifier\n --> a.frag:2:15\n  |\n", "undefined identifier", "foo"),
            ("a.frag:2:5: error: no operator\n", "no operator", "="),
        ] {
            assert_eq!(shown(output), [(says.to_owned(), place)], "{output}");
        }
    }

    #[test]
    fn a_failure_always_has_a_message() {
        assert_eq!(shown(""), [("the compiler failed without a message".to_owned(), "")]);
        assert_eq!(shown("cannot open\n"), [("cannot open".to_owned(), "")]);
        assert_eq!(shown("ERROR: a.frag:99: 'foo' : undeclared identifier\n")[0].1, "");
    }
}
