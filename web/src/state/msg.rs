//! What can happen to the page.

use crate::state::{Change, Document, Go, Graph, GraphEvent, Pane, Problem, Tab, Theme, Timeline, Way};
use crate::state::{columns, inspect, lab, layout, memory, passes};

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

    /// The worker is loaded.
    Ready {
        /// Names of the token classes.
        classes: Vec<String>,
        /// The pipeline to begin with.
        pipeline: String,
    },
    /// The worker answered.
    Opened(Box<Opened>),
    /// The worker panicked, trapped or could not be loaded.
    Fault(String),
    /// Passes ran; the next one is running.
    Progress(u32, String),
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
    /// A link to what is shown is wanted.
    Share,
    /// The page was opened with a link.
    Link(String),
    /// What a link says.
    Linked(Box<Linked>),
    /// A reproduction took the place of the input.
    Repro(Vec<u8>),
    /// A problem was chosen, by its number in the list.
    Problem(usize),
    /// A thing of the graph was clicked, by id; nothing where there is none.
    ChooseId(Option<u32>),
    /// The choice moves along the graph by a key.
    Walk(Way),
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

    /// Something about versions side by side.
    Columns(columns::Event),
    /// Something about the map of memory.
    Memory(memory::Event),
    /// Something about the inspector.
    Inspect(inspect::Event),
    /// Something happened to the list of passes.
    Passes(passes::Event),
    /// Something about the laboratory.
    Lab(lab::Event),
    /// Something happened to the panes.
    Layout(layout::Event),
    /// The panes as they were at the last visit.
    Kept(layout::Layout),
    /// A newer version of the page is there.
    Newer,
    /// The page came with a picture of this extent.
    Still([i32; 4]),

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

/// What a link says.
#[derive(Debug, Default)]
pub struct Linked {
    /// The input.
    pub bytes: Vec<u8>,
    /// What it is called.
    pub name: String,
    /// The passes to run; empty for those to begin with.
    pub pipeline: String,
    /// The version; none for the last.
    pub at: Option<usize>,
    /// The function; none for the compiler's choice.
    pub func: Option<u32>,
    /// The text.
    pub tab: Tab,
    /// What is wrong with the link, in words; empty where nothing is.
    pub problem: String,
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
    /// What the input is, in words.
    pub kind: String,
    /// A text to edit in place of a binary; empty where there is none.
    pub source: String,
    /// What is wrong with the pipeline.
    pub pipeline_problems: Vec<Problem>,
    /// What ran, and which version this is about.
    pub timeline: Timeline,
    /// Functions: number, name, blocks.
    pub functions: Vec<(u32, String, u32)>,
    /// The function drawn.
    pub func: Option<u32>,
    /// Its graph.
    pub graph: Graph,
    /// Whether the answer is about the graph alone.
    pub graph_only: bool,
    /// Folds, opened blocks and pins, as [`crate::state::Scene`] has them.
    pub drawn: (Vec<u32>, Vec<u32>, Vec<i32>),
    /// Why there is no text.
    pub refused: String,
    /// Why the shown step changed something.
    pub reasons: Vec<passes::Reason>,
    /// What came of comparing with a reproduction; empty where nothing was compared.
    pub verdict: String,
}
