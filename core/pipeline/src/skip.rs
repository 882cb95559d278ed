//! Skips passes that could not do anything: checks their requirements before they run, and reports the
//! reason.
//!
//! ```text
//! if-unnest       requires trees, but no function is one; `structurize` creates them
//! discard-to-demote  requires fragment shaders, but this is a compute shader
//! cse             nothing has changed since it last had nothing to do
//! ```
//!
//! A pass for one shape of functions only runs on functions of that shape; if it is skipped, there are none.
//! Uses only the entries of passes in the table, never their implementation.

use std::fmt;
use vitrine_ir::{Module, Shape, Stage};
use vitrine_passes::{PassInfo, PassShape};

/// The reason why a pass did not run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Skip {
    /// It requires functions of this shape, and there are none.
    Shape(PassShape),
    /// It requires shaders of these stages; the module has only shaders of others.
    Stage(&'static [Stage], Vec<Stage>),
    /// It had nothing to do when it last ran, and nothing has changed since.
    Settled,
}

impl fmt::Display for Skip {
    /// A sentence whose subject is the pass.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Skip::Shape(shape) => {
                let makes = match shape {
                    PassShape::Tree => "structurize",
                    PassShape::Graph => "flatten",
                };
                write!(out, "requires {}s, but no function is one; `{makes}` creates them", shape.name())
            }
            Skip::Stage(wanted, there) => {
                write!(out, "requires {} shaders, but this is for {}", joined(wanted), joined(there))
            }
            Skip::Settled => out.write_str("nothing has changed since it last had nothing to do"),
        }
    }
}

fn joined(stages: &[Stage]) -> String {
    let names: Vec<&str> = stages.iter().map(|stage| stage.name()).collect();
    match &names[..] {
        [] => String::new(),
        [one] => (*one).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// The reason why a pass cannot do anything in a module, by the requirements of its entry. Linear in the
/// number of functions.
pub(super) fn cannot(pass: &PassInfo, module: &Module) -> Option<Skip> {
    let mut stages: Vec<Stage> = module.entries.iter().map(|entry| entry.stage).collect();
    // A module without entry points may belong to a shader of any stage.
    if !stages.is_empty()
        && !pass.stages.is_empty()
        && !stages.iter().any(|stage| pass.stages.contains(stage))
    {
        stages.dedup();
        return Some(Skip::Stage(pass.stages, stages));
    }
    let shape = pass.shape.filter(|_| !pass.strict)?;
    let fits = |of: &Shape| match (of, shape) {
        (Shape::Graph(_), PassShape::Graph) | (Shape::Tree(_), PassShape::Tree) => true,
        (Shape::Graph(_), PassShape::Tree) | (Shape::Tree(_), PassShape::Graph) | (Shape::Declaration, _) => {
            false
        }
    };
    let mut bodies = module.funcs().map(|(_, body)| body.shape()).peekable();
    // Without functions no requirement is violated.
    let any = bodies.peek().is_some();
    (any && !bodies.any(fits)).then_some(Skip::Shape(shape))
}
