//! Pipelines: passes as text, run in order, with a record of each one.
//!
//! ```text
//! structurize{imported}, fix(copy-prop, algebraic, -cse, dce), repeat(2: vars-to-values{max-leaves=16})
//! ```
//!
//! A minus switches an entry off: it is kept in the text but does not run.
//! A pass runs on every function, and its output is validated before the next pass runs. A pass does not
//! report that it changed something: the versions before and after are compared ([`diff`]). An unknown name
//! or option is reported by a diagnostic with its position, never ignored.

#![forbid(unsafe_code)]

mod preset;
mod presets; // start here: passes in order, with reasons
mod presets_d3d9; // those of Direct3D 9
pub mod outline; // the text form, entry by entry
mod parse; // names and options

mod run; // the pass manager
mod skip; // passes that need not run
mod cycle;
mod trace; // the record of a run
mod stats;
pub mod diff; // two versions, by id
pub mod history; // one value in all versions

pub mod wrap; // entry points for functions that have none
mod write; // a back end, with the preset that prepares for it

pub use outline::{MOST_DEPTH, Outline};
pub use parse::ITERATIONS;
pub use preset::Preset;
pub use presets::PRESETS;
pub use run::{Alone, Settings, alone, run_pass};
pub use skip::Skip;
pub use stats::Stats;
pub use trace::{Outcome, Trace, TraceStep};
pub use write::{preparation, prepare, prepared, write, write_to, write_with_lines};

use parse::Entry;
use vitrine_ir::{Diag, Module};
pub use vitrine_passes::{GivenPlace, OptionInfo, Options, PASSES, PassInfo, PassShape, TEACHING};

/// A parsed pipeline.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    entries: Vec<Entry>,
}

impl Pipeline {
    /// Parses a pipeline. Errors have a position in the text: `L001` a pass that does not exist, `L002` an
    /// option that does not exist, `L004` a syntax error.
    pub fn parse(text: &str) -> Result<Pipeline, Diag> {
        Ok(Pipeline { entries: parse::parse(text)? })
    }

    /// The name of the first pass that is wrong on purpose; none for most pipelines.
    pub fn wrong_on_purpose(&self) -> Option<&'static str> {
        let mut found = self.entries.iter().collect::<Vec<_>>();
        while let Some(entry) = found.pop() {
            match entry {
                Entry::Pass(of) if TEACHING.iter().any(|pass| pass.name == of.pass.name) => {
                    return Some(of.pass.name);
                }
                Entry::Pass(_) => {}
                Entry::Fix(_, entries) | Entry::Repeat(_, entries) | Entry::Preset(entries) => {
                    found.extend(entries);
                }
            }
        }
        None
    }

    /// Number of entries that run. A group or a preset counts as one.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Returns true if it has no entries.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Runs the first `entries` entries, or all of them, on a valid module, and only keeps the result.
    ///
    /// Errors: the diagnostic of the pass that failed, or `L003` if one left an invalid program.
    pub fn run(&self, module: &Module, entries: Option<usize>) -> Result<Module, Diag> {
        run::run(self, module, Settings { entries, ..Settings::default() }, None)
    }

    /// The same with settings.
    pub fn run_with(&self, module: &Module, settings: Settings<'_>) -> Result<Module, Diag> {
        run::run(self, module, settings, None)
    }

    /// Runs the pipeline and records every step. A pass that fails, or leaves an invalid program, is the last
    /// step, with its diagnostic; the versions before it are valid.
    pub fn trace(&self, module: &Module, settings: Settings<'_>) -> Trace {
        let mut trace = Trace::new(module.clone());
        // The error is in the last step.
        let _ = run::run(self, module, settings, Some(&mut trace));
        trace
    }
}

#[cfg(test)]
mod tests;
