//! The programs of lessons: their texts and graphs for pages, and their mistakes.
//!
//! ```text
//! vitrine_lessons: Lesson ──► jobs ──► compute ──► the parts of a page
//!                         └─► check ─► mistakes, with lines
//! ```
//!
//! Only with the feature `lessons`: `vitrine lesson`, `vitrine judge` and the build of the course need it, the page does not.

mod compute; // start here: the parts of a page
mod draw; // texts and graphs as HTML
mod check; // mistakes of a lesson
mod predicates; // the table of the judge's predicates

pub use check::check;
pub use compute::compute;
pub use draw::text as styled_html;
pub use predicates::predicate_table;
