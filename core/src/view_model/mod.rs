//! What the page shows, as plain data: no borrowed program, no DOM, no JavaScript.
//!
//! A [`Session`] holds one input and what a pipeline made of it; everything the page draws is asked of it,
//! version by version. Things keep their number from one version to the next, so that a value that was
//! chosen in one text is still chosen in another.
//!
//! Refuses to decide what is in sight or what is chosen: that is the page's state.

mod session; // start here
mod read; // the input, with a text to edit
mod linked; // texts with styles and links
mod numbers; // one for each thing, in all texts
mod changes; // two versions in one text
mod columns; // any number of versions side by side
mod origins; // where things stand in the input
mod inspect; // all about one thing
mod memory; // which bytes, as what, by whom
mod graph; // a control-flow graph with its words
mod fold; // what of it folds into one box
mod find; // where in it words stand
mod view_options; // how a person wants it drawn
mod overlay; // what analyses know of blocks
mod export; // files to take home
mod digest; // a session in a line
pub mod debugger; // programs run, compared and stepped through
mod words; // what an editor colours and offers

pub use columns::{Ask, Window};
pub use digest::digest;
pub use export::Export;
pub use graph::{Graph, View};
pub use inspect::Inspection;
pub use linked::{Mark, StyledText};
pub use memory::MemoryMap;
pub use session::{DEFAULT_PIPELINE, Function, ReasonView, Session, Shown, StepView, Watch};
pub use view_options::Toggle;
pub use words::{Word, words};

use crate::ir::Diag;
use crate::text::Class;

/// A diagnostic in words, with the place in the input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiagView {
    /// `error`, `warning` or `note`.
    pub level: String,
    /// Stable code such as `E031`.
    pub code: String,
    /// The sentence, with what would help.
    pub message: String,
    /// Line of the input, from 1; zero where there is no place.
    pub line: u32,
    /// Column of the input in characters, from 1; zero where there is no place.
    pub column: u32,
}

impl DiagView {
    /// The message of the first diagnostic; empty if there is none.
    pub(crate) fn first_message(diags: &[Diag]) -> String {
        diags.first().map_or_else(String::new, |diag| DiagView::of(diag).message)
    }

    /// The same in words.
    pub fn of(diag: &Diag) -> DiagView {
        let help = diag.help.as_ref().map_or(String::new(), |help| format!("; {help}"));
        DiagView {
            level: diag.level.name().to_owned(),
            code: diag.code.to_owned(),
            message: diag.message() + &help,
            line: diag.place.map_or(0, |place| place.line),
            column: diag.place.map_or(0, |place| place.column),
        }
    }
}

/// Names of the token classes, by the number used in [`StyledText::runs`].
pub fn class_names() -> Vec<&'static str> {
    Class::ALL.iter().map(|class| class.name()).collect()
}
