//! The messages of the page: everything that can happen to it.

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
        /// True if they take back an earlier one.
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
    /// Another text replaced the input: an example, a file, something pasted.
    Replaced {
        /// Its name.
        name: String,
        /// The text.
        text: String,
    },
    /// Bytes that are no text took its place.
    Given {
        /// Their name.
        name: String,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A file or an example could not be opened, for this reason.
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
    /// A reproduction replaced the input.
    Repro(Vec<u8>),
    /// A problem was chosen, by its number in the list.
    Problem(usize),
    /// A thing of the graph was clicked, by id; nothing if there is none.
    ChooseId(Option<u32>),
    /// The choice moves along the graph by a key.
    Walk(Arrow),
    /// The camera of the graph moves.
    Camera(CameraMove),
    /// Something else in the graph's pane.
    Graph(GraphEvent),

    /// The pipeline was written; empty for the default.
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
    /// Something was copied; the sentence names it.
    Copied(String),
}

/// A move of the choice.
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
    /// To its next use, cyclically.
    Use,
}

/// A move of the camera. Places in px of its pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CameraMove {
    /// The pane has this size.
    Pane([i32; 2]),
    /// Moved by so much.
    Pan([i32; 2]),
    /// Larger or smaller, to so many per mille, round a place or round the middle.
    Zoom(i32, Option<[i32; 2]>),
    /// To actual size.
    Full,
    /// All of it.
    Fit,
    /// The chosen block in the middle.
    Centre,
}
