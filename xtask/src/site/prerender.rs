//! The markup that the page shows before any script runs: its example, compiled and drawn by the page's own code, and the
//! programs of the course with their results.
//!
//! Examples of `vitrine-web` compute it on the host; this file puts their output into the pages. A development build
//! has none of it.

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::workspace::Workspace;

/// The shader that the page opens with; `www/index.html` names it, too.
const EXAMPLE: &str = "www/examples/variables.spvasm";

/// The names of the placeholders in the pages, with their markup. `jobs` are the programs of the course.
pub fn markup(workspace: &Workspace, jobs: &str) -> Result<Vec<(String, String)>> {
    let mut markup = run(workspace, "prerendering the page", "prerender", EXAMPLE, "prerender")?;
    let (step, list) = ("running the programs of the course", workspace.target.join("course.jobs"));
    std::fs::write(&list, jobs)
        .map_err(|error| Error::new(step).reason(error).fix("check the target folder"))?;
    markup.extend(run(workspace, step, "course", &list.display().to_string(), "course")?);
    Ok(markup)
}

/// The output of an example of `vitrine-web` for a file, as placeholders whose names begin with `prefix`.
fn run(
    workspace: &Workspace,
    step: &str,
    example: &str,
    file: &str,
    prefix: &str,
) -> Result<Vec<(String, String)>> {
    report::step(step);
    let text = Command::new(step, &workspace.cargo, &workspace.root)
        .args(["run", "--quiet", "--package", "vitrine-web", "--example", example, "--", file])
        .fix(format!("read the message above; `cargo run -p vitrine-web --example {example}` failed"))
        .capture()?;
    read(&text, prefix).ok_or_else(|| {
        Error::new(step)
            .reason("the output of the example has an unknown format")
            .fix("compare it with xtask/src/site/prerender.rs")
    })
}

/// Parses entries: a line with name and length in bytes, followed by that number of bytes.
fn read(mut text: &str, prefix: &str) -> Option<Vec<(String, String)>> {
    let mut entries = Vec::new();
    while !text.is_empty() {
        let (head, rest) = text.split_once('\n')?;
        let (name, length) = head.split_once(' ')?;
        let (markup, rest) = rest.split_at_checked(length.parse().ok()?)?;
        entries.push((format!("{prefix}:{name}"), markup.to_owned()));
        text = rest;
    }
    Some(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_read_by_their_lengths() {
        let entries = read("a 4\n<\n\n>b 0\n", "prerender").unwrap();
        assert_eq!(
            entries,
            [("prerender:a".to_owned(), "<\n\n>".to_owned()), ("prerender:b".to_owned(), String::new())]
        );
        assert!(read("a 9\nx", "prerender").is_none() && read("a", "prerender").is_none());
    }
}
