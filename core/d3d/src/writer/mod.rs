//! Shader models 2 and 3 of Direct3D 9: vertex and pixel shaders, from the IR.
//!
//! ```text
//! function ── select, flow ──▶ code with temporaries ── coalesce, allocate ──▶ registers ── finish ──▶ Program
//! ```
//!
//! Integers live in floats, which represent those of at most 24 bits; a conversion is a copy, and rounding is written only
//! where no fact of `range` makes it needless. Booleans are 1.0 and 0.0. NaN and the sign of a zero are as on devices:
//! comparisons subtract.
//!
//! Refuses to change the program: the presets `sm3-out` and `sm2-out` prepare it. Refuses, with a diagnostic at the
//! instruction, every construct that the shader model does not have, and every limit that is exceeded; nothing is spilled
//! or left out.

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
mod flags; // branches on uniforms
mod flow; // the tree
mod live; // liveness, dead code
mod forward; // constants at computed addresses
mod coalesce; // copies
mod allocate; // registers of temporaries
mod limits;
mod restrict; // rules of operands
mod finish; // the program
pub mod forms; // entries of the back ends: assembly and bytecode of each model

pub use code::Model;
pub use finish::Translated;
pub use interface::{Placement, SamplerPlacement};

use select::Selector;
use vitrine_ir::{Anchor, Diag, Help, Module, Shape, Stage};

/// Translates the only entry point of a module that the preset `sm3-out` or `sm2-out` prepared.
///
/// Errors: `D151` there is no such entry point; `D152` a construct has no form; `D153` a number cannot be a float;
/// `D154` a limit of the profile is exceeded; `D155` a variable has no register. Near linear in the size of the program;
/// the fixpoint of liveness adds the depth of loops.
pub fn translate(module: &Module, model: Model) -> Result<Translated, Vec<Diag>> {
    let (func, is_vertex) = entry(module).map_err(|diag| vec![diag])?;
    let Some(body) = module.func(func) else { return Err(vec![no_entry("its function is missing")]) };
    if !matches!(body.shape(), Shape::Tree(_)) {
        let diag = Diag::error("D151", Anchor::Func(func))
            .says("the function is a graph of blocks")
            .help(Help::by_pass("structurize", "makes it a tree"));
        return Err(vec![diag]);
    }
    let profile = code::Profile { model, is_vertex };
    let mut select = Selector::new(module, func, body, profile);
    select.measure();
    flow::Writer::new(&mut select).write();
    let Selector { mut codes, mut temps, mut interface, integers, diags, cut_loops, .. } = select;
    if !diags.is_empty() {
        return Err(diags);
    }
    if model == Model::Two {
        restrict::modifiers(&mut codes, &mut temps, is_vertex);
    }
    live::remove_dead(&mut codes, &temps);
    // Copies may go; everything else takes a slot at least. Sets of live components of larger programs would be large, too.
    limits::check_size(&codes).map_err(|diag| vec![diag])?;
    forward::forward(&mut codes);
    coalesce::coalesce(&mut codes, &mut temps, profile);
    coalesce::simplify_flow(&mut codes);
    live::remove_dead(&mut codes, &temps);
    let registers = allocate::allocate(&mut codes, &temps, profile).map_err(|diag| vec![diag])?;
    let registers = restrict::exponents(&mut codes, registers);
    interface.keep_read(&codes);
    finish::finish(finish::Parts { module, interface, integers, codes, cut_loops, profile, registers })
}

/// The function of the only vertex or fragment entry point, and its stage.
fn entry(module: &Module) -> Result<(vitrine_ir::Func, bool), Diag> {
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

#[cfg(test)]
mod tests {
    use super::{Model, translate};
    use vitrine_text::parse;

    #[test]
    fn vectors_of_more_components_than_a_register_are_refused() {
        let text = "in $0: f32x4 {location 0}\nin $1: f32x4 {location 1}\n\n\
            entry fragment \"main\" @f_0 ($0, $1) {origin_upper_left}\n\n\
            func @f_0() tree {\n^0:\n  %0: path = deref.var $0\n  %1: b32x4 = load %0\n  %2: path = deref.var $1\n  \
            %3: b32x4 = load %2\n  %4: b32x8 = vec %1, %3\n  %5: b32x8 = fadd %4, %4\n  return\n}\n";
        let parsed = parse(text);
        assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
        let diags = translate(&parsed.module, Model::Three).err().unwrap_or_default();
        assert!(diags.iter().any(|diag| diag.to_string().contains("8 components")), "{diags:?}");
    }
}
