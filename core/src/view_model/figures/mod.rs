//! Parts of figures as HTML: the steps of a run, and the bytes of a variable.
//!
//! The build of the course writes them into its pages, and `www/learn.js` requests the same ones from the compiler after an
//! edit. So both look alike, and the pages need no script to draw them.
//!
//! Refuses styles and scripts: the policy of the pages forbids both. The classes are those of `www/figures.css`.

mod steps; // a recorded run
mod memory; // a map of bytes

pub use memory::memory_map;
pub use steps::steps;

use super::class_names;
use crate::base::html::escape_into;
use std::fmt::Write;
use vitrine_protocol::StyledText;

/// The lines of a text, with an element for each styled range.
pub(crate) fn styled_lines(of: &StyledText) -> Vec<String> {
    let classes = class_names();
    let mut out = Vec::new();
    let mut spans = of.spans.entries().iter().peekable();
    let mut start = 0;
    for line in of.text.lines() {
        let end = start + line.len();
        let mut html = String::new();
        let mut at = start;
        while let Some(span) = spans.next_if(|span| (span.start as usize) < end) {
            let range = span.range();
            escape_into(&mut html, of.text.get(at..range.start).unwrap_or_default());
            at = range.end;
            let word = of.text.get(range).unwrap_or_default();
            let class = classes.get(span.class as usize);
            if let Some(class) = class {
                let _ = write!(html, "<span class=t-{class}>");
            }
            escape_into(&mut html, word);
            html.push_str(if class.is_some() { "</span>" } else { "" });
        }
        escape_into(&mut html, of.text.get(at..end).unwrap_or_default());
        out.push(html);
        start = end + 1;
    }
    out
}
