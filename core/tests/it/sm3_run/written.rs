//! Writes a module as a program of shader model 3, as users do, and judges the result.

use super::judge::{Effort, PlacedConstant, Verdict, WrittenProgram, compare};
use vitrine_core::back::sm3::{Placement, translate};
use vitrine_core::front;
use vitrine_core::interp::Slot;
use vitrine_core::ir::{Diag, Level, Mode, Module, Stage, TypeData, Var};
use vitrine_core::ops::Key;
use vitrine_core::pipeline::Pipeline;

/// The instructions that a module may take in one run.
const STEPS: u64 = 1 << 18;

/// Judges the program for a module in any input language, on inputs from this many seeds.
pub(crate) fn judge(bytes: &[u8], seeds: u64) -> Verdict {
    let (_, read) = front::read(bytes);
    if let Some(diag) = read.diags.iter().find(|diag| diag.level == Level::Error) {
        return Verdict::NotRun(format!("the module cannot be read: {diag}"));
    }
    match written(&read.module) {
        Ok(program) => compare(&read.module, &program, Effort { seeds, steps: STEPS }),
        Err(verdict) => verdict,
    }
}

/// The program for a module, or the reason why there is none.
pub(super) fn written(module: &Module) -> Result<WrittenProgram, Verdict> {
    if !has_program(module) {
        return Err(Verdict::NotRun("the module does not have one vertex or fragment shader".to_owned()));
    }
    let refused = |diags: &[Diag]| {
        Verdict::NotWritten(diags.iter().map(Diag::to_string).collect::<Vec<_>>().join("; "))
    };
    let pipeline = Pipeline::parse("sm3-out").expect("the preset exists");
    let prepared = pipeline.run(module, None).map_err(|diag| refused(&[diag]))?;
    let translated = translate(&prepared).map_err(|diags| refused(&diags))?;
    let bytes = translated.program.bytes();
    let samplers = samplers(&prepared, &bytes)?;
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

/// The images and samplers of a program. A sampler has the number of its image's binding.
fn samplers(module: &Module, bytes: &[u8]) -> Result<Vec<(Slot, Slot, u16)>, Verdict> {
    let handles = |is: fn(&TypeData) -> bool| -> Vec<Slot> {
        let vars = module.vars().filter(|(_, data)| data.mode == Mode::Handle && is(module.type_of(data.ty)));
        vars.filter_map(|(var, _)| slot(module, var)).collect()
    };
    let (combined, images) = (
        handles(|ty| matches!(ty, TypeData::SampledImage(_))),
        handles(|ty| matches!(ty, TypeData::Image(_))),
    );
    let separate = handles(|ty| matches!(ty, TypeData::Sampler));
    let (_, read) = front::read(bytes);
    let mut out = Vec::new();
    for (var, _) in read.module.vars().filter(|(_, data)| data.mode == Mode::Handle) {
        let Some((_, number)) = slot(&read.module, var) else { continue };
        let all = combined.iter().chain(&images).filter(|(_, binding)| *binding == number);
        let &[&image] = all.collect::<Vec<_>>().as_slice() else {
            return Err(Verdict::NotRun(format!("the image of s{number} is not known by its binding")));
        };
        let sampler = match (combined.contains(&image), separate.as_slice()) {
            (true, _) => image,
            (false, &[only]) => only,
            (false, _) => {
                return Err(Verdict::NotRun(format!("the sampler of s{number} is not known by its binding")));
            }
        };
        out.push((image, sampler, number as u16));
    }
    Ok(out)
}
