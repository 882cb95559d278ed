//! Forms for readers: graphs and pages that open without Vitrine.
//!
//! One file for each form, with its entry of the table of back ends. They show any module, valid or not.
//!
//! Refuses to be read back: `ir_text` and `spirv_forms` are for that.

pub mod rows; // versions aligned line by line
mod palette; // the colors of all
mod columns; // versions side by side: a page, a picture
mod dot; // graphs for Graphviz
mod html; // a page that needs no script
mod svg; // graphs as pictures

pub use columns::{Columns, ColumnsSvg};
pub use dot::Dot;
pub use html::Html;
pub use svg::Svg;
