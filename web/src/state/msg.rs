//! What can happen to the page.

use crate::state::{Document, Pane, Problem, Theme};

/// An event, in the page's own words.
#[derive(Debug)]
pub enum Msg {
    /// The person typed.
    Edited(String),
    /// Another text took the place of the input: an example, a file, something pasted.
    Replaced {
        /// What it is called.
        name: String,
        /// The text.
        text: String,
    },
    /// A file or an example could not be taken; the sentence says why.
    Refused(String),
    /// The replaced text is wanted back.
    Undo,

    /// The worker is loaded; names of the token classes.
    Ready(Vec<String>),
    /// The worker answered.
    Opened(Box<Opened>),
    /// The worker panicked, trapped or could not be loaded.
    Fault(String),
    /// A second went by since this revision was sent.
    StillBusy(u32),
    /// The time for this revision is over.
    TookTooLong(u32),
    /// The person stops the compiler.
    Stop,
    /// The person wants the compiler loaded again.
    Retry,

    /// The pointer is over a value, by id, or over none.
    Hover(Option<u32>),
    /// A span of the document was clicked, or what is beside one.
    Choose(Option<usize>),
    /// The choice moves by a key.
    Move(Step),
    /// A problem was chosen, by its number in the list.
    Problem(usize),

    /// Another theme.
    Theme(Theme),
    /// Another pane on a small screen.
    Pane(Pane),
    /// A file is held over the page, or no longer.
    Dragging(bool),
    /// Something was copied; the sentence says what.
    Copied(String),
}

/// Where a key moves the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// To the next linked token.
    Next,
    /// To the one before.
    Previous,
    /// To the nearest one on a line below.
    Down,
    /// To the nearest one on a line above.
    Up,
    /// To the definition of the chosen value.
    Definition,
    /// To its next use, round and round.
    Use,
}

/// An answer of the compiler.
#[derive(Debug, Default)]
pub struct Opened {
    /// The revision it answers.
    pub revision: u32,
    /// The printed IR.
    pub document: Document,
    /// What is wrong.
    pub problems: Vec<Problem>,
    /// Functions, blocks, instructions.
    pub counts: [u32; 3],
    /// The compiler's time, in tenths of a millisecond.
    pub tenths_ms: u32,
}
