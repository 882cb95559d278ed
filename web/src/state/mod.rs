//! What the page knows, what can happen to it, and what must then be redrawn. No DOM.

mod dirty;
mod document; // the printed IR: lines, runs, links
mod msg;
mod place; // places in the input
mod update;

pub use dirty::Dirty;
pub use document::{Document, LINE_BYTES, Link, Piece, Span};
pub use msg::{Msg, Opened, Step};
pub use place::{Selection, selection_at};
pub use update::update;

/// Everything the page shows is a function of this.
#[derive(Debug, Default)]
pub struct State {
    /// What the person gave.
    pub input: Input,
    /// How the compiler is.
    pub engine: Engine,
    /// The last good answer; it stays while the next is computed.
    pub shown: Shown,
    /// Names of the token classes, by number.
    pub classes: Vec<String>,
    /// The value under the pointer, by id.
    pub hover: Option<u32>,
    /// The value chosen by click or key, as a span of the document.
    pub cursor: Option<usize>,
    /// A place in the input that was asked for.
    pub selection: Option<Selection>,
    /// A sentence for the person, with what can be done about it.
    pub notice: Option<Notice>,
    /// Light, dark or as the system has it.
    pub theme: Theme,
    /// The pane that a small screen shows.
    pub pane: Pane,
    /// Whether a file is held over the page.
    pub dragging: bool,
}

/// The text on the left.
#[derive(Debug, Default)]
pub struct Input {
    /// The text itself.
    pub text: String,
    /// What it is called: a file's name, or empty.
    pub name: String,
    /// Counts changes, so that an answer can be matched to its question.
    pub revision: u32,
    /// The text and name that another text replaced as a whole.
    pub before: Option<(String, String)>,
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
    /// Copies the notice, the version and the input, for a bug report.
    CopyReport,
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

/// The parts of the page that a small screen shows one at a time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// The editable text.
    #[default]
    Input,
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
    pub const ALL: [Pane; 3] = [Pane::Input, Pane::Output, Pane::Problems];

    /// The word for it in the page's markup.
    pub fn name(self) -> &'static str {
        match self {
            Pane::Input => "input",
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
    /// The id whose definition and uses are lit.
    pub fn lit(&self) -> Option<u32> {
        self.hover.or_else(|| self.cursor.and_then(|span| self.shown.document.span(span).link.id()))
    }
}
