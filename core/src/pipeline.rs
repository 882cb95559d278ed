//! Pipelines as text: pass names with commas between them, run in order.
//!
//! This build has no passes yet, so the empty pipeline is the only one that runs; a name is answered with a
//! diagnostic, never ignored.

use crate::ir::{Anchor, Diag, Module};

/// A pipeline that was read.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pipeline {
    passes: Vec<String>,
}

impl Pipeline {
    /// Reads a pipeline. Errors name the pass that does not exist.
    pub fn parse(text: &str) -> Result<Pipeline, Diag> {
        let passes: Vec<String> =
            text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect();
        match passes.first() {
            None => Ok(Pipeline { passes }),
            Some(name) => Err(Diag::error("L001", Anchor::Module)
                .says(format!("there is no pass `{name}`"))
                .help("this build has no passes; leave the pipeline empty")),
        }
    }

    /// Number of steps.
    pub fn len(&self) -> usize {
        self.passes.len()
    }

    /// Whether there is no step.
    pub fn is_empty(&self) -> bool {
        self.passes.is_empty()
    }

    /// Runs the first `steps` passes, or all of them.
    pub fn run(&self, module: &Module, steps: Option<usize>) -> Result<Module, Diag> {
        let _ = steps;
        Ok(module.clone())
    }
}
