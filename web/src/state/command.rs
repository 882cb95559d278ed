//! Commands: requests to the workers, timers, files, settings; all effects other than drawing.
//!
//! A command only names the effect; a request is built from the state when the command is carried out
//! (`crate::worker`), after the whole message was handled. A question to the debugger is complete. `update` returns commands in the order in which they arise.

use vitrine_protocol::{File, Inspected, Overlay, QuestionRequest, Words};

use crate::state::Theme;
use crate::state::keep::Save;

/// An effect other than drawing.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Sends a request to the compiler, or restarts it.
    Compiler(CompilerCommand),
    /// Sends a source to its front end, or terminates that.
    Sources(SourceCommand),
    /// Sends a request to the debugger, or terminates it.
    Debugger(DebuggerCommand),
    /// Sends [`Msg::Rested`](crate::state::Msg::Rested) with this revision after a pause of some ms.
    Rest(u32, i32),
    /// Saves a file.
    SaveFile(File),
    /// Copies a link, and sets the page's address to it.
    CopyLink(String),
    /// Offers to open a link in the release that made it; both are empty if there is no such link any more.
    OfferRelease {
        /// The release.
        made_by: String,
        /// The link.
        link: String,
    },
    /// Gives the search the text of all cells of the columns.
    SearchColumns(String),
    /// Gives the text editor the words of the languages.
    LearnWords(Words),
    /// Gives the card the details of its thing.
    ShowCard(Inspected),
    /// Shows the marks of the overlay; hides them if there is no legend.
    ShowOverlay(Overlay),
    /// Stores the theme for the next visit.
    StoreTheme(Theme),
    /// Stores the layout for the next visit.
    StoreLayout,
    /// Stores the request for Slang for the next visit.
    StoreSlang,
    /// Stores inputs, or reads them.
    Keep(KeepCommand),
}

/// An effect on the stored inputs.
#[derive(Clone, Debug, PartialEq)]
pub enum KeepCommand {
    /// Sends [`Event::Pause`](crate::state::keep::Event::Pause) after a pause.
    Pause,
    /// Stores what changed.
    Save(Save),
    /// Reads the content of an input, by number.
    Load(u64),
    /// Keeps what is stored, which this version cannot read, and begins another session.
    StartOver,
}

/// An effect on the compiler's worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompilerCommand {
    /// Opens the input and draws a version.
    Open,
    /// The same for a source that has been translated meanwhile.
    Reopen,
    /// Terminates the worker and starts another.
    Restart,
    /// Requests rows of columns.
    Columns,
    /// Requests the text of all cells of the columns.
    ColumnsText,
    /// Requests the details of a thing.
    Inspect,
    /// Requests the details of the thing of a card.
    Card,
    /// Requests the places of things in the input.
    Origins,
    /// Requests a map of memory.
    Memory,
    /// Requests the paths of pointers.
    Paths,
    /// Searches the graph.
    Find,
    /// Requests the marks of the overlay.
    Overlay,
    /// Requests the anchors of things.
    Anchors,
    /// Requests the numbers of anchors.
    Numbers,
    /// Requests the catalog.
    Catalog,
    /// Requests a file.
    Export,
    /// Requests a link.
    WriteLink,
    /// Reads a link or a reproduction.
    ReadShared,
    /// Sends the translation of a source of a comparison.
    JoinTranslated,
}

/// An effect on the worker of source languages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceCommand {
    /// Translates the input.
    Translate,
    /// Translates a source of a comparison.
    TranslateJoined,
    /// Starts the worker of Slang.
    LoadSlang,
    /// Terminates the worker.
    End,
}

/// An effect on the debugger's worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DebuggerCommand {
    /// Starts the current task.
    Begin,
    /// Stops the task.
    Stop,
    /// Terminates the worker.
    End,
    /// Asks a question about the last task.
    Ask(QuestionRequest),
}

impl From<CompilerCommand> for Command {
    fn from(command: CompilerCommand) -> Command {
        Command::Compiler(command)
    }
}

impl From<SourceCommand> for Command {
    fn from(command: SourceCommand) -> Command {
        Command::Sources(command)
    }
}

impl From<DebuggerCommand> for Command {
    fn from(command: DebuggerCommand) -> Command {
        Command::Debugger(command)
    }
}
