//! Writes a module as a program of shader model 3, as users do, and judges the result.

use super::judge::{Effort, PlacedConstant, Verdict, WrittenProgram, compare};
use vitrine_core::back::sm3::{Model, Placement, translate};
use vitrine_core::front;
use vitrine_core::interp::Slot;
use vitrine_core::ir::{Diag, Level, Mode, Module, Stage, Var};
use vitrine_core::ops::Key;
use vitrine_core::pipeline::Pipeline;

/// The instructions that a module may take in one run.
const STEPS: u64 = 1 << 18;

/// Judges the program for a module in any input language, on inputs from this many seeds.
pub(crate) fn judge(bytes: &[u8], model: Model, seeds: u64) -> Verdict {
    let (_, read) = front::read(bytes);
    if let Some(diag) = read.diags.iter().find(|diag| diag.level == Level::Error) {
        return Verdict::NotRun(format!("the module cannot be read: {diag}"));
    }
    match written(&read.module, model) {
        Ok(program) => compare(&read.module, &program, Effort { seeds, steps: STEPS }),
        Err(verdict) => verdict,
    }
}

/// The program for a module, or the reason why there is none.
pub(super) fn written(module: &Module, model: Model) -> Result<WrittenProgram, Verdict> {
    if !has_program(module) {
        return Err(Verdict::NotRun("the module does not have one vertex or fragment shader".to_owned()));
    }
    let preset = if model == Model::Two { "sm2-out" } else { "sm3-out" };
    let refused = |diags: &[Diag]| {
        Verdict::NotWritten(diags.iter().map(Diag::to_string).collect::<Vec<_>>().join("; "))
    };
    let pipeline = Pipeline::parse(preset).expect("the preset exists");
    let prepared = pipeline.run(module, None).map_err(|diag| refused(&[diag]))?;
    let translated = translate(&prepared, model).map_err(|diags| refused(&diags))?;
    let bytes = translated.program.bytes();
    let handle = |var| slot(&prepared, var).unwrap_or_default();
    let samplers =
        translated.samplers.iter().map(|it| (handle(it.image), handle(it.sampler), it.register)).collect();
    let constants = translated.layout.iter().map(|placement| placed(&prepared, placement)).collect();
    Ok(WrittenProgram { bytes, constants, samplers })
}

/// Returns true if the only entry point of a module is a vertex or fragment shader.
pub(super) fn has_program(module: &Module) -> bool {
    let is_drawn = |stage| matches!(stage, Stage::Vertex | Stage::Fragment);
    matches!(module.entries.as_slice(), [entry] if is_drawn(entry.stage))
}

fn placed(module: &Module, placement: &Placement) -> PlacedConstant {
    let &Placement { var, offset, file, register, component, integer } = placement;
    PlacedConstant { slot: slot(module, var), offset, file, register, component, integer }
}

/// Set and binding of a variable; none for push constants.
fn slot(module: &Module, var: Var) -> Option<Slot> {
    let data = module.var(var).filter(|data| data.mode != Mode::Push)?;
    let number = |key| data.attrs.get(key).unwrap_or(0) as u32;
    Some((number(Key::Set), number(Key::Binding)))
}
