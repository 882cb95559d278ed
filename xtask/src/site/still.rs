//! What the page shows before any script: its example, read by the compiler and drawn by the page's own code.
//!
//! Both run here as programs of this machine, in an example of `vitrine-web`; its output is put into the page.

use crate::place::Place;
use crate::run::Run;
use crate::say::{self, Outcome, Trouble};

/// The shader that the page opens with; `www/index.html` names it, too.
const EXAMPLE: &str = "www/examples/variables.spvasm";

/// Names and markup of the holes in the page.
pub fn holes(place: &Place) -> Outcome<Vec<(String, String)>> {
    let step = "drawing the page's first picture";
    say::step(step);
    let text = Run::new(step, &place.cargo, &place.root)
        .args(["run", "--quiet", "--package", "vitrine-web", "--example", "still", "--", EXAMPLE])
        .fix("read the message above; `cargo run -p vitrine-web --example still` is what failed")
        .captured()?;
    read(&text).ok_or_else(|| {
        Trouble::new(step).why("its output has another form").fix("compare it with xtask/src/site/still.rs")
    })
}

/// A line with name and length in bytes, then so many bytes.
fn read(mut text: &str) -> Option<Vec<(String, String)>> {
    let mut holes = Vec::new();
    while !text.is_empty() {
        let (head, rest) = text.split_once('\n')?;
        let (name, length) = head.split_once(' ')?;
        let (markup, rest) = rest.split_at_checked(length.parse().ok()?)?;
        holes.push((format!("still:{name}"), markup.to_owned()));
        text = rest;
    }
    Some(holes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_are_read_by_their_lengths() {
        let holes = read("a 4\n<\n\n>b 0\n").unwrap();
        assert_eq!(
            holes,
            [("still:a".to_owned(), "<\n\n>".to_owned()), ("still:b".to_owned(), String::new())]
        );
        assert!(read("a 9\nx").is_none() && read("a").is_none());
    }
}
