//! The page's side of the workers: starts, requests, restarts.
//!
//! The only module that talks to workers. It decides nothing: commands name the requests, messages report the events. The
//! messages themselves are declared in `vitrine-protocol`.

mod clock; // the times of an answer
mod compiler; // the compiler, and a spare one while it is slow
mod debugger; // the debugger, from its first task on
pub(crate) mod sources; // source languages, from the first source on
mod requests; // requests, built from the state
mod thread; // a web worker and the functions it calls

use compiler::CompilerWorker;
use debugger::DebuggerWorker;
use sources::SourceWorker;

/// All workers.
pub(crate) struct Workers {
    pub(crate) compiler: CompilerWorker,
    pub(crate) debugger: DebuggerWorker,
    pub(crate) sources: SourceWorker,
}

impl Workers {
    /// Starts the compiler.
    pub(crate) fn start() -> Workers {
        Workers {
            compiler: CompilerWorker::start(),
            debugger: DebuggerWorker::default(),
            sources: SourceWorker::default(),
        }
    }
}
