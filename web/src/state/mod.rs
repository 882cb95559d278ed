//! The state of the page, the messages that change it, and the parts that are drawn again. No DOM.

mod camera; // which part of the graph is in view
mod change; // changes of the input
pub mod columns; // versions side by side
mod command; // what is to be done beside drawing
pub mod debugger; // programs run, compared and stepped through
mod document; // a text: lines, runs, links
mod graph; // the control-flow graph
mod input; // what the person opened
pub mod inspect; // details of the chosen thing
pub mod layout; // the sizes of the panes
pub mod memory; // maps of memory
mod msg; // what can happen
mod outline; // the graph as a tree
mod panes; // the list of panes becomes messages and flags
pub mod passes; // the pipeline as a list, and the catalog
mod place; // places in the input
mod scene; // how the graph is drawn
mod timeline; // the steps of the pipeline
pub(in crate::state) mod update; // start here: what a message changes

pub use camera::{Camera, LIFE, Rect, inside, overlap};
pub use change::{Change, Edit, units};
pub use command::{Command, CompilerCommand, DebuggerCommand};
pub use document::{Document, LINE_BYTES, Link, Mark, Piece, Span};
pub use graph::{Arrow, Band, Block, EdgeKind, Fold, Graph, Line, block_of_line};
pub use input::{EDITABLE_BYTES, Input, MOST_BYTES, plain_lines};
pub use msg::{CameraMove, CursorMove, Msg};
pub use outline::{Item, Outline, Row, TreeStep, rows, told};
pub use place::{Selection, selection_at};
pub use scene::{Find, GraphEvent, Scene};
pub use timeline::{Go, StepLabel, Timeline};
pub use update::{too_large, update};
pub use vitrine_protocol::{
    Answer, Diagnostic, FunctionInfo, Level, Opened, Outcome, PassStep, SharedState, Tab,
};

panes::panes! {
    /// Versions side by side.
    columns: Columns, COLUMNS;
    /// Details of the chosen thing.
    inspect: Inspect, INSPECT;
    /// A map of memory.
    memory: Memory, MEMORY;
    /// The list of passes, or the reasons of a step.
    passes: Passes, PASSES;
    /// The debugger.
    debugger: Debugger, DEBUGGER;
    /// The sizes of the panes.
    layout: Layout, LAYOUT;
}

impl Dirty {
    /// Everything that is drawn when the page opens. Panes of the compiler's results are as they came with the page.
    pub fn whole_page() -> Dirty {
        Dirty::STATUS | Dirty::THEME | Dirty::FRAME | Dirty::LAYOUT | Dirty::COLUMNS | Dirty::INSPECT
    }
}

/// Everything the page shows is a function of this.
#[derive(Debug, Default)]
pub struct State {
    /// The input of the person.
    pub input: Input,
    /// True if the compiler waits until the person rests.
    pub resting: bool,
    /// The revision of the input that the compiler was asked about last.
    pub asked_input: u32,
    /// Counts requests to the compiler, so that an answer can be matched to its question.
    pub revision: u32,
    /// The passes to run, as text. Empty until the compiler has sent the default.
    pub pipeline: String,
    /// True if the person wrote the pipeline.
    pub own_pipeline: bool,
    /// The pipeline the compiler begins with.
    pub default_pipeline: String,
    /// The version wanted; none for the last one.
    pub at: Option<usize>,
    /// The function wanted; none for the compiler's choice.
    pub func: Option<u32>,
    /// The text pane's tab.
    pub tab: Tab,
    /// How the graph is looked at.
    pub camera: Camera,
    /// The settings of the graph: folds, pins, the search.
    pub scene: Scene,
    /// True if the next graph is to be fitted.
    pub fresh: bool,
    /// A link that is to be opened.
    pub link: Option<String>,
    /// A reproduction that is to be opened.
    pub repro: Option<Vec<u8>>,
    /// The pipeline as a list.
    pub passes: passes::Passes,
    /// The layout of the panes.
    pub layout: layout::Layout,
    /// Progress of the compiler: passes that ran, and the one that is running.
    pub progress: Option<(u32, String)>,
    /// True if the page shows what it came with, until the compiler answers.
    pub prerendered: bool,
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
    /// The span at which it was chosen.
    pub cursor: Option<usize>,
    /// A place in the input that was asked for.
    pub selection: Option<Selection>,
    /// The caret in the input: line and column in characters, from 1.
    pub caret: Option<(u32, u32)>,
    /// A sentence for the person, with what can be done about it.
    pub notice: Option<Notice>,
    /// Light, dark or as the system has it.
    pub theme: Theme,
    /// The pane that a small screen shows.
    pub pane: Pane,
    /// True if a file is held over the page.
    pub dragging: bool,
    /// Versions side by side.
    pub columns: columns::Columns,
    /// Details of the chosen thing.
    pub inspect: inspect::Inspect,
    /// The map of some memory, and where pointers lead.
    pub memory: memory::Memory,
    /// The debugger.
    pub debugger: debugger::Debugger,
    /// Commands, until `update` returns them.
    pub commands: Vec<Command>,
}

/// State of the compiler's worker.
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
        /// True if to offer a stop.
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
    /// Diagnostics of the input.
    pub problems: Vec<Diagnostic>,
    /// Functions, blocks, instructions.
    pub counts: [u32; 3],
    /// The compiler's time for it, in tenths of a millisecond.
    pub tenths_ms: u32,
    /// True if there was an answer at all.
    pub any: bool,
    /// The kind of the input, in words.
    pub kind: String,
    /// Diagnostics of the pipeline.
    pub pipeline_problems: Vec<Diagnostic>,
    /// The steps that ran.
    pub timeline: Timeline,
    /// Functions of the input.
    pub functions: Vec<FunctionInfo>,
    /// The function drawn.
    pub func: Option<u32>,
    /// Its graph.
    pub graph: Graph,
    /// Why there is no text, if there is none.
    pub refused: String,
    /// The tab of the text.
    pub tab: Tab,
    /// Why the shown step changed something.
    pub reasons: Vec<vitrine_protocol::Reason>,
    /// The revision of the input that it is about.
    pub input: u32,
}

/// A sentence for the person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The sentence.
    pub text: String,
    /// The action of its button.
    pub action: Option<Action>,
    /// True if something went wrong.
    pub bad: bool,
}

/// The action of a notice's button.
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

/// The color theme.
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
    /// The problems.
    Problems,
}

impl Theme {
    /// All themes, in the order of the button.
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
    /// Adds something to do beside drawing.
    fn queue(&mut self, command: impl Into<Command>) {
        self.commands.push(command.into());
    }

    /// Returns true if a command was queued; forgets all that were. For tests of a part of `update`.
    #[cfg(test)]
    fn took(&mut self, command: impl Into<Command>) -> bool {
        std::mem::take(&mut self.commands).contains(&command.into())
    }

    /// Returns true if what is shown is not yet the answer to what was asked last.
    pub fn is_behind(&self) -> bool {
        self.resting || matches!(self.engine, Engine::Starting | Engine::Recovering(_) | Engine::Busy { .. })
    }

    /// The version that is shown.
    pub fn shown_at(&self) -> usize {
        self.shown.timeline.at
    }

    /// The id whose definition and uses are highlighted.
    pub fn lit(&self) -> Option<u32> {
        self.hover.or(self.chosen)
    }
}
