//! Versions of a program aligned line by line: by the definition of a line, never by its words.
//!
//! The writer of columns and the page's columns share this. Refuses to compare the words of lines.

mod lines; // start here: a part of a version as lines with keys
mod merge; // rows of aligned lines

pub use lines::{Key, Line, Part, Slot, StyledRange};
pub use merge::{NONE, Rows, merge};
