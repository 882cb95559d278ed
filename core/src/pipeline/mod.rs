//! Pipelines: passes as text, run in order, with a record of what each one did.
//!
//! ```text
//! structurize{imported}, fix(copy-prop, algebraic, -cse, dce), repeat(2: vars-to-values{max-leaves=16})
//! ```
//!
//! A minus switches an entry off: it stays in the text and does not run.
//! A pass runs on every function; what it leaves behind is validated before the next one sees it. Whether it
//! changed anything is not for the pass to say: the versions before and after are compared ([`diff`]). A name
//! or an option nobody knows is answered with a diagnostic and its place, never ignored.

mod presets; // start here: passes in an order that has reasons
pub mod outline; // the text form, row by row
mod parse; // what it means

mod run; // the one loop
mod skip; // what need not run
mod cycle;
mod trace; // what is recorded
mod stats;
pub mod diff; // two versions, by id
pub mod history; // one value, through all versions

pub mod check; // does every pass keep what the shader computes?
pub mod bisect; // which pass, and which rewrite of it, does not?
pub mod reduce; // a program made small while something stays true
mod write; // a back end, with the preset that prepares for it

pub use outline::{MOST_DEPTH, Outline};
pub use parse::ROUNDS;
pub use presets::{PRESETS, Preset};
pub use run::{Settings, run_pass};
pub use skip::Skip;
pub use stats::Stats;
pub use trace::{Outcome, Trace, TraceStep};
pub use write::{SpirvOptions, preparation, prepare, write, write_spirv, write_to};

use crate::ir::{Diag, Module};
pub use crate::passes::{OptionInfo, Options, PASSES, PassInfo, PassShape};
use parse::Entry;

/// A pipeline that was read.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    entries: Vec<Entry>,
}

impl Pipeline {
    /// Reads a pipeline. Errors have a place in the text: `L001` a pass that does not exist, `L002` an option
    /// that does not exist, `L004` anything else that cannot be read.
    pub fn parse(text: &str) -> Result<Pipeline, Diag> {
        Ok(Pipeline { entries: parse::parse(text)? })
    }

    /// Number of entries that run; a group or a preset is one.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Runs the first `entries` entries, or all of them, on a valid module, and keeps nothing but the result.
    ///
    /// Errors: the diagnostic of the pass that could not do its work, or `L003` if one left an invalid program.
    pub fn run(&self, module: &Module, entries: Option<usize>) -> Result<Module, Diag> {
        run::run(self, module, Settings { entries, ..Settings::default() }, None)
    }

    /// The same with settings.
    pub fn run_with(&self, module: &Module, settings: Settings<'_>) -> Result<Module, Diag> {
        run::run(self, module, settings, None)
    }

    /// Runs the pipeline and records every step. A pass that fails, or leaves an invalid program, is the last
    /// step, and says so; the versions before it stand.
    pub fn trace(&self, module: &Module, settings: Settings<'_>) -> Trace {
        let mut trace = Trace::new(module.clone());
        // What went wrong is in the last step.
        let _ = run::run(self, module, settings, Some(&mut trace));
        trace
    }
}

#[cfg(test)]
mod tests;
