//! Commands: requests to the workers, timers, files, settings; everything that is not drawing.
//!
//! A command only names the task; the request itself is read from the state when the command is carried out
//! (`crate::worker`), after the whole message was handled. `update` collects commands in the order in which they arise.

use vitrine_protocol::File;

use crate::state::Theme;

/// Something to do beside drawing.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Sends a request to the compiler, or restarts it.
    Compiler(CompilerCommand),
    /// Starts, stops or asks the debugger.
    Debugger(DebuggerCommand),
    /// Sends [`Msg::Rested`](crate::state::Msg::Rested) with this revision after a while.
    Rest(u32),
    /// Saves a file.
    SaveFile(File),
    /// Copies a link, and puts it into the address.
    CopyLink(String),
    /// Gives the text editor the words of the languages.
    LearnWords(String),
    /// Stores the theme for the next visit.
    StoreTheme(Theme),
    /// Stores the layout for the next visit.
    StoreLayout,
}

/// Something to do for the compiler's worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompilerCommand {
    /// Opens the input and draws a version.
    Open,
    /// Ends the worker and starts another.
    Restart,
    /// Requests rows of columns.
    Columns,
    /// Requests the details of a thing.
    Inspect,
    /// Requests the places of things in the input.
    Origins,
    /// Requests a map of memory.
    Memory,
    /// Requests the paths of pointers.
    Paths,
    /// Searches the graph.
    Find,
    /// Requests the catalog.
    Catalog,
    /// Requests a file.
    Export,
    /// Requests a link.
    WriteLink,
    /// Reads a link or a reproduction.
    ReadShared,
}

/// Something to do for the debugger's worker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DebuggerCommand {
    /// Begins the task at hand.
    Begin,
    /// Ends the task.
    Stop,
    /// Ends the worker.
    End,
    /// Asks for the smallest program of a reduction.
    Smallest,
    /// Asks about the pixel under the pointer.
    Pixel,
    /// Chooses an invocation.
    Invocation,
    /// Asks for the rows of the table.
    Table,
}

impl From<CompilerCommand> for Command {
    fn from(command: CompilerCommand) -> Command {
        Command::Compiler(command)
    }
}

impl From<DebuggerCommand> for Command {
    fn from(command: DebuggerCommand) -> Command {
        Command::Debugger(command)
    }
}
