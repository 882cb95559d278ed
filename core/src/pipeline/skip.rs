//! Passes that do not run, because they could not do anything: what they require is looked at before, and said.
//!
//! ```text
//! if-unnest       is for trees, and no function is one; `structurize` makes them
//! discard-to-demote  is for fragment shaders, and this is a compute shader
//! cse             nothing has changed since it last found nothing to do
//! ```
//!
//! A pass that is for one shape of a function looks at the functions of that shape; one that is left out would have
//! looked at none. Knows what rows of passes say, never what a pass does.

use crate::ir::{Module, Shape, Stage};
use crate::passes::{PassInfo, PassShape};
use std::fmt;

/// Why a pass did not run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Skip {
    /// It is for functions of this shape, and there are none.
    Shape(PassShape),
    /// It is for shaders of these stages; the module has only shaders of others.
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
                write!(out, "is for {}s, and no function is one; `{makes}` makes them", shape.name())
            }
            Skip::Stage(wanted, there) => {
                write!(out, "is for {} shaders, and this is for {}", joined(wanted), joined(there))
            }
            Skip::Settled => out.write_str("nothing has changed since it last found nothing to do"),
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

/// Why a pass can do nothing in a module, by what its row requires. Linear in functions.
pub(super) fn cannot(pass: &PassInfo, module: &Module) -> Option<Skip> {
    let mut stages: Vec<Stage> = module.entries.iter().map(|entry| entry.stage).collect();
    // What has no entry point may belong to a shader of any stage.
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
    // Where there are no functions, nothing is missing.
    let any = bodies.peek().is_some();
    (any && !bodies.any(fits)).then_some(Skip::Shape(shape))
}
