//! The messages of the page: all events.

use vitrine_protocol::{Answer, DebuggerAnswer, NamedFile, SourceAnswer};

use crate::state::layout::Layout;
use crate::state::{Arrow, Change, Go, GraphEvent, Pane, PaneMsg, SaveFormat, SlangEvent, Tab, Theme, Took};

/// An event.
#[derive(Debug)]
pub enum Msg {
    /// The user typed in the text area: its whole text.
    #[cfg(test)]
    Edited(String),
    /// The user typed in the editor: a sequence of changes.
    Typed {
        /// The changes.
        changes: Vec<Change>,
        /// True if they undo an earlier one.
        undone: bool,
    },
    /// The user paused after this revision.
    Rested(u32),
    /// The caret moved to this line and column of the input, both from 1, the column in characters.
    Caret {
        /// The line.
        line: u32,
        /// The column.
        column: u32,
    },
    /// The page begins with its example.
    Begin {
        /// Its name.
        name: String,
        /// The text.
        text: String,
    },
    /// Another text replaced the input: an example, a file, a pasted text.
    Replaced {
        /// Its name.
        name: String,
        /// The text.
        text: String,
    },
    /// The text of an example replaced the input, with its name.
    Example(String, String),
    /// Bytes that are not text replaced the input.
    Given {
        /// Their name.
        name: String,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A file or an example could not be opened, for this reason.
    Refused(String),
    /// Restores the replaced text.
    Undo,

    /// The compiler sent a message.
    Answer(Answer),
    /// An option of the source was chosen: its key, and its values, one on each line.
    SourceOption(String, String),
    /// The times of the answer that follows.
    Took(Took),
    /// The worker of source languages sent a message.
    SourceAnswer(SourceAnswer),
    /// An event of Slang.
    Slang(SlangEvent),
    /// The debugger sent a message.
    DebuggerAnswer(DebuggerAnswer),
    /// A second passed since this revision was sent.
    StillBusy(u32),
    /// The deadline of this revision has passed.
    TookTooLong(u32),
    /// Stops the compiler.
    Stop,
    /// Loads the compiler again.
    Retry,

    /// The pointer is over a value, by id, or over none.
    Hover(Option<u32>),
    /// A span of the document was clicked, or a place without one.
    Choose(Option<usize>),
    /// Moves the choice by a key.
    Move(CursorMove),
    /// Requests a link to the shown state.
    Share,
    /// The page was opened with a link.
    Link(String),
    /// A reproduction replaced the input.
    Repro(Vec<u8>),
    /// Files became the input, as a comparison.
    Compare(Vec<NamedFile>),
    /// The deadline of the source with this name in a comparison has passed.
    JoinTookTooLong(String),
    /// A diagnostic was chosen, by its index in the list.
    Problem(usize),
    /// A thing of the graph was clicked, by id; none for the background.
    ChooseId(Option<u32>),
    /// Moves the choice along the graph by a key.
    Walk(Arrow),
    /// Moves the camera of the graph.
    Camera(CameraMove),
    /// Another event of the graph's pane.
    Graph(GraphEvent),

    /// The pipeline was edited; empty for the default.
    Pipeline(String),
    /// Shows another step of the pipeline.
    Go(Go),
    /// Shows another tab.
    Tab(Tab),
    /// Shows another function, by number.
    Func(u32),
    /// Shows another format in the target tab, by name.
    Target(String),
    /// Saves the shown version as a file.
    Save(SaveFormat),

    /// An event of a pane.
    Pane(PaneMsg),
    /// The layout of the last visit.
    RestoreLayout(Layout),
    /// The storage is being read: nothing is compiled before its answer.
    AwaitSession,
    /// A newer version of the page is available.
    Newer,
    /// The page has a prerendered graph of this extent, with the entry block here.
    Prerendered([[i32; 4]; 2]),

    /// Sets the theme.
    Theme(Theme),
    /// Shows another pane on a small screen.
    ShowPane(Pane),
    /// A file is dragged over the page, or no longer.
    Dragging(bool),
    /// Something was copied; the sentence names it.
    Copied(String),
}

impl From<SlangEvent> for Msg {
    fn from(event: SlangEvent) -> Msg {
        Msg::Slang(event)
    }
}

/// A move of the choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CursorMove {
    /// To the next linked token.
    Next,
    /// To the previous linked token.
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

/// A move of the camera. Positions are in px of its pane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CameraMove {
    /// The pane has this size.
    Pane([i32; 2]),
    /// By a distance.
    Pan([i32; 2]),
    /// Zooms by a factor in thousandths, around a position or around the middle.
    Zoom(i32, Option<[i32; 2]>),
    /// To actual size.
    Full,
    /// To the whole graph.
    Fit,
    /// To the chosen block, which is centered.
    Center,
}
