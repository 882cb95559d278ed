//! Errors of compilers as diagnostics with places in the source.
//!
//! Understands the forms of glslang, of clang and dxc, and of Slang. A line in no known form is left out, unless nothing
//! else explains a failure.

use vitrine_core::front::source::{Problem, glslang_problem};

/// The largest number of problems of a source that are reported.
const MOST: usize = 50;

/// The errors in the output of a compiler about the file `name`. Never empty.
pub(super) fn problems(output: &str, name: &str) -> Vec<Problem> {
    let mut found = Vec::new();
    let mut lines = output.lines().peekable();
    while let Some(line) = lines.next() {
        let arrow = lines.peek().copied().unwrap_or("");
        let problem =
            glslang_problem(line, name).or_else(|| clang(line, name)).or_else(|| slang(line, arrow));
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
