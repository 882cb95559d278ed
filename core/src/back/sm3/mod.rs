//! Shader model 3 of Direct3D 9: vertex and pixel shaders, from the IR.
//!
//! ```text
//! function ── select, flow ──▶ code with temporaries ── coalesce, allocate ──▶ registers ── finish ──▶ Program
//! ```
//!
//! Integers live in floats, which represent those of at most 24 bits; a conversion is a copy, and rounding is written only
//! where no fact of `range` makes it needless. Booleans are 1.0 and 0.0. NaN and the sign of a zero are as on devices:
//! comparisons subtract.
//!
//! Refuses to change the program: the preset `sm3-out` prepares it. Refuses, with a diagnostic at the instruction, every
//! construct that shader model 3 does not have, and every limit that is exceeded; nothing is spilled or left out.

mod code; // start here: instructions before registers are assigned
mod paths; // places of memory
mod interface; // registers of variables
mod select; // values and operands
mod arith; // instructions of operations on floats
mod integers; // and on integers
mod vectors;
mod formulas; // functions without an instruction
mod memory; // loads, stores, textures
mod counted; // loops that count
mod flow; // the tree
mod live; // liveness, dead code
mod forward; // constants at computed addresses
mod coalesce; // copies
mod allocate; // registers of temporaries
mod limits;
mod finish; // the program

pub use finish::Translated;
pub use interface::Placement;

use crate::ir::{Anchor, Diag, Module, Shape, Stage};
use select::Selector;

/// Translates the only entry point of a module that the preset `sm3-out` prepared.
///
/// Errors: `D151` there is no such entry point; `D152` a construct has no form; `D153` a number cannot be a float;
/// `D154` a limit of the profile is exceeded; `D155` a variable has no register. Near linear in the size of the program;
/// the fixpoint of liveness adds the depth of loops.
pub fn translate(module: &Module) -> Result<Translated, Vec<Diag>> {
    let (func, is_vertex) = entry(module).map_err(|diag| vec![diag])?;
    let Some(body) = module.func(func) else { return Err(vec![no_entry("its function is missing")]) };
    if !matches!(body.shape(), Shape::Tree(_)) {
        let diag = Diag::error("D151", Anchor::Func(func))
            .says("the function is a graph of blocks")
            .help("pass `structurize` makes it a tree");
        return Err(vec![diag]);
    }
    let mut select = Selector::new(module, func, body, is_vertex);
    select.measure();
    flow::Writer::new(&mut select).write();
    let Selector { mut codes, mut temps, mut interface, integers, diags, cut_loops, .. } = select;
    if !diags.is_empty() {
        return Err(diags);
    }
    live::remove_dead(&mut codes, &temps);
    forward::forward(&mut codes);
    coalesce::coalesce(&mut codes, &mut temps);
    coalesce::simplify_flow(&mut codes);
    live::remove_dead(&mut codes, &temps);
    allocate::allocate(&mut codes, &temps).map_err(|diag| vec![diag])?;
    interface.keep_read(&codes);
    finish::finish(finish::Parts { module, interface, integers, codes, cut_loops, is_vertex })
}

/// The function of the only vertex or fragment entry point, and its stage.
fn entry(module: &Module) -> Result<(crate::ir::Func, bool), Diag> {
    let [entry] = module.entries.as_slice() else {
        let count = module.entries.len();
        return Err(no_entry(&format!("the module has {count} entry points")));
    };
    match entry.stage {
        Stage::Vertex => Ok((entry.func, true)),
        Stage::Fragment => Ok((entry.func, false)),
        stage => Err(no_entry(&format!("the entry point is of the stage `{}`", stage.name()))),
    }
}

fn no_entry(says: &str) -> Diag {
    Diag::error("D151", Anchor::Module)
        .says(says)
        .help("a program of Direct3D 9 has one entry point, a vertex or a fragment shader")
}
