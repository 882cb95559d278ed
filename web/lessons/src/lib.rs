//! Lessons in Markdown as static pages that read without scripts.
//!
//! ```text
//! lesson.md ──► source ──► page, with placeholders ──► fill ──► HTML
//! programs  ──► jobs ──► vitrine_core::lessons, which computes their texts and graphs
//! ```
//!
//! `cargo xtask dist` makes the pages of the course, and `vitrine lesson` makes one page from one file. On the page `learn/open/`
//! the crate `vitrine-lessons-script` runs as WebAssembly, and makes the page of a lesson that the reader opens. The guide for teachers,
//! `www/learn/teachers/guide.md`, describes the format.
//!
//! No IO, and no compiler: files are given by name, and computed parts replace placeholders.

#![forbid(unsafe_code)]

mod error; // a mistake in a lesson
mod source; // start here: the text of a lesson
mod read; // reads the blocks of a lesson
pub mod markdown; // Markdown as HTML
mod blocks; // figures, questions, tasks
mod job; // programs to run
mod page; // whole pages
mod alone; // a page without other files
mod opened; // a lesson that the reader opens
mod reserved; // ids of the page's own elements
mod hashes; // of answers, styles and scripts
#[cfg(test)]
mod prose; // sections, links, sentences
#[cfg(test)]
mod tests; // rules for lessons

pub use alone::{Alone, alone};
pub use error::LessonError;
pub use hashes::{answer_hash, salt};
pub use job::{Job, fill, jobs};
pub use opened::{Opened, opened};
pub use page::{contents, guide, lesson, open_page};
pub use source::{Choice, Figure, Lesson, Note, Part, Predict, Task};
