//! Versions of a program aligned line by line: by what a line is about, never by its words.
//!
//! The writer of columns and the page's columns share this. Refuses to compare what lines say.

mod lines; // start here: a part of a version as lines that know what they are
mod merge; // their rows

pub use lines::{Key, Line, Part, Run, Slot};
pub use merge::{NONE, Rows, merge};
