//! Versions of a program side by side, as files that need no script: a column for each version, a row for each line.
//!
//! ```text
//!   input                 structurize            dce
//!   %3 = iadd %1, %2      %3 = iadd %1, %2
//!   return %1             return %1              return %1
//! ```
//!
//! Rows are aligned by the definition of a line ([`super::rows`]). A line whose words differ from those in
//! the column to its left is marked. Runs of equal rows away from differences are folded, and the indentation that all lines of a
//! column have between two folds is left out, as on the page. Without versions there is one column, the program.
//!
//! Refuses to choose versions: each given version has a column.

mod table; // start here: the rows of all versions
mod html; // a page
mod svg; // a picture

pub use html::Columns;
pub use svg::ColumnsSvg;
