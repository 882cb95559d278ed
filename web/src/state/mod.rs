//! The state of the page, the messages that change it, and the parts that are redrawn. No DOM.

mod camera; // the part of the graph in view
mod change; // changes of the input
pub mod columns; // versions side by side
mod command; // effects other than drawing
pub mod debugger; // programs executed, compared and stepped through
mod document; // a text: lines, runs, links
mod graph; // the control-flow graph
mod input; // the input
pub mod keep; // the open inputs, and what is stored of them
mod labels; // labels of blocks at small zooms
pub mod inspect; // details of the chosen thing
pub mod layout; // the sizes of the panes
pub mod memory; // maps of memory
mod msg; // events
mod outline; // the graph as a tree
mod overlay; // the chosen overlay
mod panes; // the list of panes as messages and flags
pub mod passes; // the pipeline as a list, and the catalog
mod past; // the history of the view
mod place; // places in the input
mod scene; // how the graph is drawn
pub mod session; // the stored form of inputs
mod slang; // the front end that is loaded on request
mod timeline; // the steps of the pipeline
pub(in crate::state) mod update; // start here: the effects of a message

pub use camera::{Camera, LIFE, Rect, inside, overlap};
pub use change::{Change, Edit, units};
pub use command::{Command, CompilerCommand, DebuggerCommand, KeepCommand, SourceCommand};
pub use document::{Document, LINE_BYTES, Link, Piece, Span};
pub use graph::{Arrow, Band, Block, Graph, Line, block_of_line, thing_of_line};
pub use input::{EDITABLE_BYTES, Input, MOST_BYTES, plain_lines};
pub use labels::{LABEL_LEADING, Label, labels};
pub use msg::{CameraMove, CursorMove, Msg};
pub use outline::{Item, Outline, Row, TreeStep, row_label, rows};
pub use overlay::Subject;
pub use place::{Selection, selection_at};
pub use scene::{Find, GraphEvent, Scene};
pub use slang::{OFFER, Slang, SlangEvent, SlangLoader};
pub use timeline::{Go, StepLabel, Timeline};
pub use update::{JOINED, too_large, update};
pub use vitrine_protocol::layout::{EdgeKind, Fold};
pub use vitrine_protocol::{
    Answer, Diagnostic, Format, FunctionInfo, Level, NamedFile, Opened, Outcome, Overlay, OverlayKind,
    PassStep, PreparedSource, SharedState, SourceOption, Tab, Translation,
};
use vitrine_protocol::{Bytes, Program, SourceProblem};

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
    /// The open inputs.
    keep: Keep, KEEP;
}

impl Dirty {
    /// The parts that are drawn when the page opens. Panes of the compiler's results keep their prerendered content.
    pub fn whole_page() -> Dirty {
        Dirty::STATUS | Dirty::THEME | Dirty::FRAME | Dirty::LAYOUT | Dirty::COLUMNS | Dirty::INSPECT
    }
}

/// The state of the page: everything it shows is a function of this.
#[derive(Debug, Default)]
pub struct State {
    /// The input.
    pub input: Input,
    /// True if the compiler waits until the user pauses.
    pub resting: bool,
    /// The revision of the input in the last request.
    pub requested_input: u32,
    /// The last source that the compiler prepared for a front end.
    pub prepared: PreparedSource,
    /// The translation of the input, if that is a source, with the revision of the input.
    pub translation: Option<(u32, Translation)>,
    /// The front end of HLSL and Slang.
    pub slang: SlangLoader,
    /// Counts requests to the compiler; an answer has the number of its request.
    pub revision: u32,
    /// The pipeline, as text. Empty until the compiler has sent the default.
    pub pipeline: String,
    /// True if the user wrote the pipeline.
    pub own_pipeline: bool,
    /// The compiler's default pipeline.
    pub default_pipeline: String,
    /// The requested version; by default the last one.
    pub at: Option<usize>,
    /// True while the page shows its example as on every first visit: at the last step that changed something.
    pub first_sight: bool,
    /// True if the page offers to open the link of the input in the release that made it.
    pub offered: bool,
    /// The requested function; by default the compiler's choice.
    pub func: Option<u32>,
    /// The tab of the text pane.
    pub tab: Tab,
    /// The part of the graph in view.
    pub camera: Camera,
    /// The settings of the graph: folds, pins, the search.
    pub scene: Scene,
    /// True if the next graph is fitted to the pane.
    pub fresh: bool,
    /// The first view of the shown graph; until the camera moves, a change of the pane's size computes it again.
    pub first_view: Option<Camera>,
    /// A link to open.
    pub link: Option<String>,
    /// A reproduction to open.
    pub repro: Option<Vec<u8>>,
    /// Files to open as a comparison.
    pub joined: Option<Vec<NamedFile>>,
    /// The source of a comparison that is being translated.
    pub join_source: Option<PreparedSource>,
    /// Its translation.
    pub join_translation: Translation,
    /// The pipeline as a list.
    pub passes: passes::Passes,
    /// The layout of the panes.
    pub layout: layout::Layout,
    /// Progress of the compiler: number of finished passes, and the running pass.
    pub progress: Option<(u32, String)>,
    /// True if the page shows its prerendered content, until the compiler answers.
    pub prerendered: bool,
    /// The formats of the compiler.
    pub formats: Vec<Format>,
    /// The format to save in.
    pub save: Option<SaveFormat>,
    /// The format of the target tab, by name; empty for the first one that is a language.
    pub target: String,
    /// State of the compiler.
    pub engine: Engine,
    /// The times of the last answer.
    pub took: Took,
    /// The last good answer; it is kept while the next one is computed.
    pub shown: Shown,
    /// Names of the token classes, by number.
    pub classes: Vec<String>,
    /// The value under the pointer, by id.
    pub hover: Option<u32>,
    /// The thing chosen by click or key, by id.
    pub chosen: Option<u32>,
    /// The span that was clicked.
    pub cursor: Option<usize>,
    /// A place in the input to select.
    pub selection: Option<Selection>,
    /// The caret in the input: line and column in characters, from 1.
    pub caret: Option<(u32, u32)>,
    /// A message for the user with a possible action.
    pub notice: Option<Notice>,
    /// Light, dark or as the system has it.
    pub theme: Theme,
    /// The pane that a small screen shows.
    pub pane: Pane,
    /// True if a file is being dragged over the page.
    pub dragging: bool,
    /// Versions side by side.
    pub columns: columns::Columns,
    /// Details of the chosen thing.
    pub inspect: inspect::Inspect,
    /// The map of a variable's memory, and the paths of pointers.
    pub memory: memory::Memory,
    /// The debugger.
    pub debugger: debugger::Debugger,
    /// The open inputs.
    pub keep: keep::Keep,
    /// Queued commands, which `update` returns.
    pub commands: Vec<Command>,
}

/// State of the compiler's worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Engine {
    /// Loading for the first time.
    #[default]
    Starting,
    /// Restarting after it crashed on this revision.
    Recovering(u32),
    /// Idle.
    Idle,
    /// Compiling a revision.
    Busy {
        /// The revision.
        revision: u32,
        /// True if it takes long: a stop is offered.
        slow: bool,
    },
    /// Could not be loaded; the user can retry.
    Down,
}

/// The times of an answer, in tenths of a millisecond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Took {
    /// That of the front end of a source, with its loading; none if it was not asked.
    pub front_tenths: Option<u32>,
    /// From the request to the answer.
    pub whole_tenths: u32,
}

/// An answer of the compiler, ready to draw.
#[derive(Debug, Default)]
pub struct Shown {
    /// The printed IR.
    pub document: Document,
    /// Diagnostics of the input.
    pub problems: Vec<Diagnostic>,
    /// The options that the front end of a source has; empty for other inputs.
    pub source_options: Vec<SourceOption>,
    /// The times of the answer.
    pub took: Took,
    /// Functions, blocks, instructions.
    pub counts: [u32; 3],
    /// The compiler's time, in tenths of a millisecond.
    pub tenths_ms: u32,
    /// True if there was an answer.
    pub any: bool,
    /// The kind of the input, in words.
    pub kind: String,
    /// Number of programs of a comparison; 0 if the input is a single program.
    pub programs: u32,
    /// Diagnostics of the pipeline.
    pub pipeline_problems: Vec<Diagnostic>,
    /// The steps that ran.
    pub timeline: Timeline,
    /// Functions of the input.
    pub functions: Vec<FunctionInfo>,
    /// The number of the drawn function.
    pub func: Option<u32>,
    /// Its graph.
    pub graph: Graph,
    /// The reasons why there is no text; empty if there is one.
    pub refused: Vec<vitrine_protocol::Refusal>,
    /// The tab of the text.
    pub tab: Tab,
    /// The reasons for the changes of the shown step.
    pub reasons: Vec<vitrine_protocol::Reason>,
    /// The revision of the input.
    pub input: u32,
}

/// A message for the user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// The message.
    pub text: String,
    /// The action of its button.
    pub action: Option<Action>,
    /// True if it reports an error.
    pub bad: bool,
}

/// The action of a notice's button.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Restores the replaced text.
    Undo,
    /// Opens the closed input again.
    Reopen,
    /// Loads Slang, for a comparison that needs it.
    LoadSlang,
    /// Stops the compiler.
    Stop,
    /// Loads the compiler again.
    Retry,
    /// Copies the message, the version and the input for a bug report; a reproduction is offered, too.
    CopyReport,
    /// Loads the newer version of the page.
    Reload,
}

/// An entry of the export menu.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveFormat {
    /// A format of the compiler, by its place in the list.
    Format(usize),
    /// The SVG picture of this place in the list, as a PNG picture.
    Png(usize),
    /// A reproduction.
    Repro,
}

/// The color theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// The system's theme.
    #[default]
    System,
    /// Dark text on a light background.
    Light,
    /// Light text on a dark background.
    Dark,
}

/// A pane of the page; a small screen shows one at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The editable text.
    #[default]
    Input,
    /// The control-flow graph.
    Graph,
    /// The printed IR.
    Output,
    /// The diagnostics.
    Problems,
}

impl Theme {
    /// All themes, in the order of the button.
    pub const ALL: [Theme; 3] = [Theme::System, Theme::Light, Theme::Dark];

    /// The name on the page, in the document and in storage.
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

    /// The next theme, cyclically.
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

    /// The name in the page's markup.
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
    /// Queues an effect other than drawing.
    fn queue(&mut self, command: impl Into<Command>) {
        self.commands.push(command.into());
    }

    /// Returns true if a command was queued; clears the queue. For tests of a part of `update`.
    #[cfg(test)]
    fn took(&mut self, command: impl Into<Command>) -> bool {
        std::mem::take(&mut self.commands).contains(&command.into())
    }

    /// The translation of the input of the last request, if that is a source that has been translated.
    pub fn current_translation(&self) -> Option<&Translation> {
        let (revision, translation) = self.translation.as_ref()?;
        (*revision == self.requested_input).then_some(translation)
    }

    /// The name of the front end that a request of this revision waits for, if there is one.
    pub fn awaited_front_end(&self, revision: u32) -> Option<&'static str> {
        let waits = self.prepared.revision == revision && self.current_translation().is_none();
        waits.then(|| self.front_end())
    }

    /// The name of the front end of the last source.
    pub fn front_end(&self) -> &'static str {
        match self.prepared.front_end {
            vitrine_protocol::FrontEnd::Naga => "naga",
            vitrine_protocol::FrontEnd::Glslang => "glslang",
            vitrine_protocol::FrontEnd::Slang => "Slang",
        }
    }

    /// The program of the input, for every worker and feature: a source with the SPIR-V that its front end made. Errors: the
    /// reason that a source has none.
    pub fn program(&self) -> Result<Program, String> {
        let is_current = |revision| [self.input.revision, self.shown.input].contains(&revision);
        let translated = self.translation.as_ref().filter(|(revision, _)| is_current(*revision));
        let words = match translated.map(|(_, translation)| translation) {
            Some(Translation { words, problems, .. }) if words.0.is_empty() => {
                return Err(match problems.first() {
                    // The front end did not run.
                    Some(SourceProblem { message, help, not_run: true, .. }) => format!("{message}; {help}"),
                    Some(_) | None => "the source has errors".to_owned(),
                });
            }
            Some(translation) => translation.words.clone(),
            // The compiler found the error when it prepared the source.
            None if !self.shown.source_options.is_empty() && self.shown.input == self.input.revision => {
                return Err("the source has errors".to_owned());
            }
            // A source whose front end was stopped.
            None => match self.awaited_front_end(self.revision).filter(|_| !self.prepared.name.is_empty()) {
                Some(front_end) => return Err(format!("{front_end} has not compiled the source")),
                None => Bytes::default(),
            },
        };
        Ok(Program {
            name: self.input.name.clone(),
            input: Bytes(self.input.bytes().to_vec()),
            options: self.input.options.clone(),
            words,
        })
    }

    /// Returns true if the last request is not answered yet.
    pub fn is_pending(&self) -> bool {
        self.resting
            || self.keep.waits
            || self.keep.numbering
            || matches!(self.engine, Engine::Starting | Engine::Recovering(_) | Engine::Busy { .. })
    }

    /// The format of the target tab: the chosen one, or else the first one that is a language.
    pub fn language(&self) -> Option<&Format> {
        let languages = self.formats.iter().filter(|format| !format.language.is_empty());
        languages.min_by_key(|format| format.name != self.target)
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
