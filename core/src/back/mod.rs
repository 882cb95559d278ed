//! Writing a program in other forms. Each form is a file of its own; none changes the program.
//!
//! All words of the program come from `text`'s printer, so every form shows the same spelling.

mod dot; // graphs for Graphviz
mod html; // a page that needs no script
pub mod spirv; // binaries
mod svg; // graphs as pictures

pub use dot::write_dot;
pub use html::write_html;
pub use svg::write_svg;
