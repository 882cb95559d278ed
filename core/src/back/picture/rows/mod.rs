//! Versions of a program aligned line by line: by the definition of a line, never by its words.
//!
//! The writers of columns and the page's columns share this. Rows are never aligned by the words of their lines.

mod folds; // runs of equal rows, common indentation
mod lines; // start here: a part of a version as lines with keys
mod merge; // rows of aligned lines

pub use folds::{RowFacts, common_indent, folded, near};
pub use lines::{Key, Line, Part, Slot, StyledRange};
pub use merge::{NONE, Rows, merge};
