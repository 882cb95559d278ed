//! The page's side of the workers: started, sent requests, ended and started again.
//!
//! The only module that talks to workers. It decides nothing: commands say what is due, messages report what happened. The
//! messages themselves are declared in `vitrine-protocol`.

mod compiler; // the compiler, and a spare one while it is slow
mod debugger; // the debugger, from its first task on
mod requests; // what is sent, read from the state
mod thread; // a web worker and the functions it calls

use compiler::CompilerWorker;
use debugger::DebuggerWorker;

/// All workers.
pub(crate) struct Workers {
    pub(crate) compiler: CompilerWorker,
    pub(crate) debugger: DebuggerWorker,
}

impl Workers {
    /// Starts the compiler.
    pub(crate) fn start() -> Workers {
        Workers { compiler: CompilerWorker::start(), debugger: DebuggerWorker::default() }
    }
}
