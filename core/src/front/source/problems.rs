//! Errors of compilers, with places in the source; those of glslang from its log.

use crate::ir::{Anchor, Diag};
use crate::text::SourceMap;
use std::ops::Range;

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

    /// Its bytes in a text: the word at the column; without a column, the token that the message quotes, or else the line.
    pub fn place_in(&self, text: &str) -> Option<Range<usize>> {
        if let Some(range) = &self.range {
            return Some(range.clone());
        }
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

/// The errors in a log of glslang, with lines of the text that it read. Never empty.
pub fn glslang_problems(log: &str) -> Vec<Problem> {
    let problems = log.lines().filter_map(|line| glslang_problem(line, ""));
    let mut found: Vec<Problem> =
        problems.filter(|problem| !problem.says.ends_with("compilation terminated")).collect();
    found.dedup();
    found.truncate(MOST);
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

/// A line of a log of glslang: `ERROR: a.frag:6: 'foo' : undeclared identifier`; also with a number in place of the name.
pub fn glslang_problem(line: &str, name: &str) -> Option<Problem> {
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
    }
}
