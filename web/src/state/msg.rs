//! What can happen to the page.

use vitrine_protocol::{Answer, DebuggerAnswer};

use crate::state::layout::Layout;
use crate::state::{Arrow, Change, Go, GraphEvent, Pane, PaneMsg, Tab, Theme};

/// An event, in the page's own words.
#[derive(Debug)]
pub enum Msg {
    /// The person typed: this is the text now.
    Edited(String),
    /// The person typed: changes that follow each other.
    Typed {
        /// The changes.
        changes: Vec<Change>,
        /// Whether they take back an earlier one.
        undone: bool,
    },
    /// Nothing was typed for a while after this revision.
    Rested(u32),
    /// The caret is at this line and column of the input, both from 1, the column in characters.
    Caret {
        /// The line.
        line: u32,
        /// The column.
        column: u32,
    },
    /// Another text took the place of the input: an example, a file, something pasted.
    Replaced {
        /// What it is called.
        name: String,
        /// The text.
        text: String,
    },
    /// Bytes that are no text took its place.
    Given {
        /// What they are called.
        name: String,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A file or an example could not be taken; the sentence says why.
    Refused(String),
    /// The replaced text is wanted back.
    Undo,

    /// The compiler sent a message.
    Answer(Answer),
    /// The debugger sent a message.
    DebuggerAnswer(DebuggerAnswer),
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
    Move(CursorMove),
    /// A link to what is shown is wanted.
    Share,
    /// The page was opened with a link.
    Link(String),
    /// A reproduction took the place of the input.
    Repro(Vec<u8>),
    /// A problem was chosen, by its number in the list.
    Problem(usize),
    /// A thing of the graph was clicked, by id; nothing where there is none.
    ChooseId(Option<u32>),
    /// The choice moves along the graph by a key.
    Walk(Arrow),
    /// The graph is looked at otherwise.
    Look(Look),
    /// Something else in the graph's pane.
    Graph(GraphEvent),

    /// The pipeline was written; empty for the one to begin with.
    Pipeline(String),
    /// Another step of the pipeline.
    Go(Go),
    /// Another text.
    Tab(Tab),
    /// Another function, by number.
    Func(u32),
    /// The shown version is wanted as a file, by the name of the format.
    Save(&'static str),

    /// Something happened in a pane.
    Pane(PaneMsg),
    /// The panes as they were at the last visit.
    Kept(Layout),
    /// A newer version of the page is there.
    Newer,
    /// The page came with a picture of this extent.
    Prerendered([i32; 4]),

    /// Another theme.
    Theme(Theme),
    /// Another pane on a small screen.
    ShowPane(Pane),
    /// A file is held over the page, or no longer.
    Dragging(bool),
    /// Something was copied; the sentence says what.
    Copied(String),
}

/// Where a key moves the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorMove {
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

/// Another way to look at the graph. Places in px of its pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// The pane has this size.
    Pane([i32; 2]),
    /// Moved by so much.
    Pan([i32; 2]),
    /// Larger or smaller, to so many per mille, round a place or round the middle.
    Zoom(i32, Option<[i32; 2]>),
    /// As large as life.
    Full,
    /// All of it.
    Fit,
    /// The chosen block in the middle.
    Centre,
}
