//! The data that the page displays: no borrowed program, no DOM, no JavaScript.
//!
//! A [`Session`] holds one input and the results of a pipeline on it; all data of the page is requested from
//! it, version by version. Anchors keep their number from one version to the next, so a value selected in one
//! text is also selected in others.
//!
//! Refuses to decide visibility or selection: that is the page's state.

mod session; // start here
mod steps; // the passes that ran, and reasons for changes
mod opened; // the main answer: a version with its text and graph
mod read; // the input, with a text to edit
mod prepared; // an input that is a source, for its front end
mod translated; // the same, with its translation
mod joining; // several programs, which become a comparison
mod linked; // texts with styles and links
mod numbers; // of anchors, the same in all texts
mod changes; // two versions in one text
mod columns; // any number of versions side by side
mod origins; // positions in the input
mod inspect; // a description of one anchor
mod memory; // memory maps: bytes, members, accesses
mod graph; // a control-flow graph with its words
mod fold; // parts of it that fold into one box
mod find; // text search in it
mod view_options; // folds, pins and other options of drawing
mod summary; // one line about a block or a loop
mod overlay; // analysis results and execution counts, marked on blocks and values
mod export; // files to save
mod shared; // links and reproductions
mod target; // a version in a target language
mod digest; // a checksum of a session
pub mod debugger; // programs run, compared and stepped through
pub mod figures; // parts of figures as HTML
pub mod report; // a finding with everything that goes with it
mod digits; // large numbers for display
mod words; // words that an editor highlights and completes

pub use digest::digest;
pub use joining::Joining;
pub use opened::edit;
pub use prepared::InputSource;
pub use session::{DEFAULT_PIPELINE, Session, Shown, Watch};
pub use shared::{link, read_link, read_repro};
pub use words::words;

use crate::ir::{self, Diag};
use crate::text::Class;
use vitrine_protocol::{Diagnostic, Level};

/// Formats a diagnostic; its suggestion becomes a part of the sentence.
fn diagnostic(diag: &Diag) -> Diagnostic {
    let help = diag.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
    let level = match diag.level {
        ir::Level::Error => Level::Error,
        ir::Level::Warning => Level::Warning,
        ir::Level::Note => Level::Note,
    };
    Diagnostic {
        level,
        code: diag.code.to_owned(),
        message: diag.message() + &help,
        line: diag.place.map_or(0, |place| place.line),
        column: diag.place.map_or(0, |place| place.column),
    }
}

/// The message of the first diagnostic; empty if there is none.
fn first_message(diags: &[Diag]) -> String {
    diags.first().map_or_else(String::new, |diag| diagnostic(diag).message)
}

/// Names of the token classes, by the number of [`SpanEntry::class`](vitrine_protocol::layout::SpanEntry::class).
pub fn class_names() -> Vec<&'static str> {
    Class::ALL.iter().map(|class| class.name()).collect()
}
