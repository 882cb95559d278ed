//! What the page knows, what can happen to it, and what must then be redrawn. No DOM.

mod camera; // which part of the graph is in sight
pub mod columns; // versions side by side
mod dirty;
mod document; // the printed IR: lines, runs, links
mod graph; // the control-flow graph
pub mod inspect; // all about the chosen thing
pub mod lab; // the laboratory: programs run and compared
pub mod layout; // where the panes are
pub mod memory; // which bytes, as what, by whom
mod change; // changes of the input
mod input; // what the person gave
mod msg;
pub mod passes; // the pipeline as a list, and the catalogue
mod outline; // the graph as a tree
mod place; // places in the input
mod scene; // what the person made of the graph
mod timeline; // the steps of the pipeline
pub(in crate::state) mod update;

pub use camera::{Camera, LIFE, Rect, inside, overlap};
pub use change::{Change, Edit, units};
pub use dirty::Dirty;
pub use document::{Document, LINE_BYTES, Link, Mark, Piece, Span};
pub use graph::{Band, Block, Fold, Graph, Line, Way, When, block_of_line};
pub use input::{EDITABLE_BYTES, Input, MOST_BYTES, plain_lines};
pub use msg::{Linked, Look, Msg, Opened, Step};
pub use outline::{Item, Outline, Row, TreeStep, rows, told};
pub use place::{Selection, selection_at};
pub use scene::{Find, GraphEvent, Scene};
pub use timeline::{Go, Outcome, Timeline, TimelineStep};
pub use update::{too_large, update};

/// Everything the page shows is a function of this.
#[derive(Debug, Default)]
pub struct State {
    /// What the person gave.
    pub input: Input,
    /// Whether the compiler waits until the person rests.
    pub resting: bool,
    /// The revision of the input that the compiler was asked about last.
    pub asked_input: u32,
    /// Counts questions to the compiler, so that an answer can be matched to its question.
    pub revision: u32,
    /// The passes to run, as text. Empty until the compiler says what it begins with.
    pub pipeline: String,
    /// Whether the person wrote the pipeline.
    pub own_pipeline: bool,
    /// The pipeline the compiler begins with.
    pub default_pipeline: String,
    /// The version wanted; none for the last one.
    pub at: Option<usize>,
    /// The function wanted; none for the compiler's choice.
    pub func: Option<u32>,
    /// What the text pane shows.
    pub tab: Tab,
    /// How the graph is looked at.
    pub camera: Camera,
    /// What the person made of the graph: folds, pins, the search.
    pub scene: Scene,
    /// Whether the next graph is to be fitted.
    pub fresh: bool,
    /// A link that is to be opened.
    pub link: Option<String>,
    /// A reproduction that is to be opened.
    pub repro: Option<Vec<u8>>,
    /// The pipeline as a list.
    pub passes: passes::Passes,
    /// Where the panes are.
    pub layout: layout::Layout,
    /// What the compiler is doing: passes that ran, and the one that is running.
    pub progress: Option<(u32, String)>,
    /// Whether the page shows what it came with, until the compiler answers.
    pub still: bool,
    /// A form in which the person wants to save.
    pub format: Option<&'static str>,
    /// How the compiler is.
    pub engine: Engine,
    /// The last good answer; it stays while the next is computed.
    pub shown: Shown,
    /// Names of the token classes, by number.
    pub classes: Vec<String>,
    /// The value under the pointer, by id.
    pub hover: Option<u32>,
    /// The thing chosen by click or key, by id.
    pub chosen: Option<u32>,
    /// Where in the document it was chosen, as a span.
    pub cursor: Option<usize>,
    /// A place in the input that was asked for.
    pub selection: Option<Selection>,
    /// Where the caret is in the input: line and column in characters, from 1.
    pub caret: Option<(u32, u32)>,
    /// A sentence for the person, with what can be done about it.
    pub notice: Option<Notice>,
    /// Light, dark or as the system has it.
    pub theme: Theme,
    /// The pane that a small screen shows.
    pub pane: Pane,
    /// Whether a file is held over the page.
    pub dragging: bool,
    /// Versions side by side.
    pub columns: columns::Columns,
    /// All about the chosen thing.
    pub inspect: inspect::Inspect,
    /// The map of some memory, and where pointers lead.
    pub memory: memory::Memory,
    /// The laboratory.
    pub lab: lab::Lab,
}

/// What the compiler in its worker is doing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Being loaded for the first time.
    #[default]
    Starting,
    /// Restarting after this revision brought it down.
    Recovering(u32),
    /// Waiting.
    Idle,
    /// At work on a revision, perhaps for longer than a person likes.
    Busy {
        /// The revision it was given.
        revision: u32,
        /// Whether to offer a stop.
        slow: bool,
    },
    /// Could not be loaded; waits for the person to try again.
    Down,
}

/// An answer of the compiler, ready to draw.
#[derive(Debug, Default)]
pub struct Shown {
    /// The printed IR.
    pub document: Document,
    /// What is wrong with the input.
    pub problems: Vec<Problem>,
    /// Functions, blocks, instructions.
    pub counts: [u32; 3],
    /// The compiler's time for it, in tenths of a millisecond.
    pub tenths_ms: u32,
    /// Whether there was an answer at all.
    pub any: bool,
    /// What the input turned out to be, in words.
    pub kind: String,
    /// What is wrong with the pipeline.
    pub pipeline_problems: Vec<Problem>,
    /// What ran.
    pub timeline: Timeline,
    /// Functions of the input: number, name, blocks.
    pub functions: Vec<(u32, String, u32)>,
    /// The function drawn.
    pub func: Option<u32>,
    /// Its graph.
    pub graph: Graph,
    /// Why there is no text, if there is none.
    pub refused: String,
    /// What the text is.
    pub tab: Tab,
    /// Why the shown step changed something.
    pub reasons: Vec<passes::Reason>,
    /// The revision of the input that it is about.
    pub input: u32,
}

/// One sentence of the compiler about the input.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Problem {
    /// `error`, `warning` or `note`.
    pub level: String,
    /// Stable code such as `E031`.
    pub code: String,
    /// The sentence.
    pub message: String,
    /// Line and column of the input from 1, in characters; zero where there is no place.
    pub line: u32,
    /// See `line`.
    pub column: u32,
}

/// A sentence for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The sentence.
    pub text: String,
    /// What a button beside it does.
    pub action: Option<Action>,
    /// Whether something went wrong.
    pub bad: bool,
}

/// What the button of a notice does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Brings the replaced text back.
    Undo,
    /// Ends the compiler's work on this input.
    Stop,
    /// Loads the compiler again.
    Retry,
    /// Copies the notice, the version and the input, for a bug report; and offers a reproduction.
    CopyReport,
    /// Loads the newer version of the page.
    Reload,
}

/// Which colours to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system has it.
    #[default]
    System,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
}

/// What the text pane shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Tab {
    /// The IR.
    #[default]
    Ir,
    /// The IR with what the step changed.
    Changes,
    /// SPIR-V.
    Spirv,
    /// The IR of several versions, side by side.
    Columns,
    /// The bytes of some memory, and who reads and writes them.
    Memory,
}

impl Tab {
    /// All tabs; their places are the numbers the compiler knows them by.
    pub const ALL: [Tab; 5] = [Tab::Ir, Tab::Changes, Tab::Spirv, Tab::Columns, Tab::Memory];

    /// Its place among them.
    pub fn number(self) -> u32 {
        Tab::ALL.iter().position(|tab| *tab == self).unwrap_or(0) as u32
    }

    /// The word for it in the page's markup.
    pub fn name(self) -> &'static str {
        match self {
            Tab::Ir => "ir",
            Tab::Changes => "changes",
            Tab::Spirv => "spirv",
            Tab::Columns => "columns",
            Tab::Memory => "memory",
        }
    }

    /// The tab of that name.
    pub fn named(name: &str) -> Option<Tab> {
        Tab::ALL.into_iter().find(|tab| tab.name() == name)
    }
}

/// The parts of the page that a small screen shows one at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The editable text.
    #[default]
    Input,
    /// The control-flow graph.
    Graph,
    /// The printed IR.
    Output,
    /// What is wrong.
    Problems,
}

impl Theme {
    /// All themes, in the order in which the button goes round.
    pub const ALL: [Theme; 3] = [Theme::System, Theme::Light, Theme::Dark];

    /// The word for it on the page, in the document and in storage.
    pub fn name(self) -> &'static str {
        match self {
            Theme::System => "system",
            Theme::Light => "light",
            Theme::Dark => "dark",
        }
    }

    /// The theme of that name.
    pub fn named(name: &str) -> Option<Theme> {
        Theme::ALL.into_iter().find(|theme| theme.name() == name)
    }

    /// The next one round.
    pub fn next(self) -> Theme {
        match self {
            Theme::System => Theme::Light,
            Theme::Light => Theme::Dark,
            Theme::Dark => Theme::System,
        }
    }
}

impl Pane {
    /// All panes, from left to right.
    pub const ALL: [Pane; 4] = [Pane::Input, Pane::Graph, Pane::Output, Pane::Problems];

    /// The word for it in the page's markup.
    pub fn name(self) -> &'static str {
        match self {
            Pane::Input => "input",
            Pane::Graph => "graph",
            Pane::Output => "output",
            Pane::Problems => "problems",
        }
    }

    /// The pane of that name.
    pub fn named(name: &str) -> Option<Pane> {
        Pane::ALL.into_iter().find(|pane| pane.name() == name)
    }
}

impl State {
    /// Whether what is shown is not yet the answer to what was asked last.
    pub fn is_behind(&self) -> bool {
        self.resting || matches!(self.engine, Engine::Starting | Engine::Recovering(_) | Engine::Busy { .. })
    }

    /// The version that is shown.
    pub fn shown_at(&self) -> usize {
        self.shown.timeline.at
    }

    /// The id whose definition and uses are lit.
    pub fn lit(&self) -> Option<u32> {
        self.hover.or(self.chosen)
    }
}
