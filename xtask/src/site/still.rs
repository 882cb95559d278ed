//! What the page shows before any script: its example, read by the compiler and drawn by the page's own code; and the
//! programs of lessons with what becomes of them.
//!
//! All of it runs here as programs of this machine, in examples of `vitrine-web`; their output is put into the pages.

use crate::place::Place;
use crate::run::Run;
use crate::say::{self, Outcome, Trouble};

/// The shader that the page opens with; `www/index.html` names it, too.
const EXAMPLE: &str = "www/examples/variables.spvasm";

const PAGES: &str = "www/lessons";

/// Names and markup of the holes in the pages.
pub fn holes(place: &Place) -> Outcome<Vec<(String, String)>> {
    let mut holes = drawn(place, "drawing the page's first picture", "still", EXAMPLE, "still")?;
    let step = "reading the lessons";
    let trouble =
        |error: std::io::Error| Trouble::new(step).why(format!("{PAGES}: {error}")).fix("see www/lessons");
    let entries = std::fs::read_dir(place.root.join(PAGES)).map_err(trouble)?;
    let paths = entries.collect::<std::io::Result<Vec<_>>>().map_err(trouble)?;
    let mut names: Vec<String> =
        paths.iter().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.ends_with(".html"));
    names.sort();
    for name in names {
        let step = format!("running the programs of {name}");
        holes.extend(drawn(place, &step, "lessons", &format!("{PAGES}/{name}"), "lesson")?);
    }
    Ok(holes)
}

/// What an example of `vitrine-web` prints about a file, as holes whose names begin so.
fn drawn(
    place: &Place,
    step: &str,
    example: &str,
    file: &str,
    begin: &str,
) -> Outcome<Vec<(String, String)>> {
    say::step(step);
    let text = Run::new(step, &place.cargo, &place.root)
        .args(["run", "--quiet", "--package", "vitrine-web", "--example", example, "--", file])
        .fix(format!("read the message above; `cargo run -p vitrine-web --example {example}` is what failed"))
        .captured()?;
    read(&text, begin).ok_or_else(|| {
        Trouble::new(step).why("its output has another form").fix("compare it with xtask/src/site/still.rs")
    })
}

/// A line with name and length in bytes, then so many bytes.
fn read(mut text: &str, begin: &str) -> Option<Vec<(String, String)>> {
    let mut holes = Vec::new();
    while !text.is_empty() {
        let (head, rest) = text.split_once('\n')?;
        let (name, length) = head.split_once(' ')?;
        let (markup, rest) = rest.split_at_checked(length.parse().ok()?)?;
        holes.push((format!("{begin}:{name}"), markup.to_owned()));
        text = rest;
    }
    Some(holes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_read_by_their_lengths() {
        let holes = read("a 4\n<\n\n>b 0\n", "still").unwrap();
        assert_eq!(
            holes,
            [("still:a".to_owned(), "<\n\n>".to_owned()), ("still:b".to_owned(), String::new())]
        );
        assert!(read("a 9\nx", "still").is_none() && read("a", "still").is_none());
    }
}
