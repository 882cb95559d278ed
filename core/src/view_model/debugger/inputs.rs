//! The inputs of a run of the page: generated from a seed, with a frame suitable for display.

use super::picture::SIZE;
use super::words::{View, number};
use crate::interp::{Inputs, Named, OutKey, Picture, Varying, ports, seeded};
use crate::ir::{Mode, Module, Stage, TypeData, Var};
use crate::ops::ValueType;
use crate::ops::scalar::Scalar;
use std::fmt::Write;

/// The largest number of instructions of a group.
const MOST_STEPS: u64 = 1 << 20;
/// The frame that seeds are designed for.
const SEEDED_FRAME: f32 = 8.0;

/// The choice of inputs for a run.
#[derive(Clone, Copy)]
pub(super) struct RunInputs<'a> {
    /// The seed of generated inputs.
    pub(super) seed: u32,
    /// Changes to them, one on each line.
    pub(super) assignments: &'a str,
    /// Pictures that they may name.
    pub(super) pictures: &'a [Picture],
    /// True if a function is called once with arguments.
    pub(super) is_call: bool,
}

/// The inputs of a run, and an explanation for each assignment that cannot be followed, after its line from 1.
pub(super) fn chosen(module: &Module, entry: usize, of: RunInputs<'_>) -> (Inputs, Vec<(usize, String)>) {
    let mut inputs = made(module, entry, of.seed);
    if of.is_call {
        inputs.vertices = [1, 1];
        inputs.varyings.values_mut().for_each(|varying| (varying.dx, varying.dy) = (0.0, 0.0));
    }
    let mut named = Named::new(module, entry, &inputs).with_pictures(of.pictures);
    let wrong = named.assign_all(&mut inputs, of.assignments);
    (inputs, wrong)
}

/// Inputs from a seed, generated for the input program, so that every version has the same.
///
/// In a fragment shader, varyings change over the whole picture as much as they do over the small frame of a
/// check. With seed 0 the first two components of each go from 0 to 1, like texture coordinates.
fn made(module: &Module, entry: usize, seed: u32) -> Inputs {
    let mut inputs = seeded(module, entry, u64::from(seed));
    inputs.limits.steps = MOST_STEPS;
    if module.entries.get(entry).is_none_or(|entry| entry.stage != Stage::Fragment) {
        return inputs;
    }
    (inputs.frame, inputs.rect) = ([SIZE; 2], [0, 0, SIZE, SIZE]);
    let floats = ports(module, entry, Mode::In).into_iter().filter(|port| port.float);
    let widths: Vec<_> = floats.map(|port| (port.key, port.width)).collect();
    for (&(location, component), varying) in &mut inputs.varyings {
        let step = 1.0 / SIZE as f32;
        let key = OutKey::Location(location, component, 0);
        let width = widths.iter().find(|(of, _)| *of == key).map(|(_, width)| *width);
        let zero = width.map(|width| Scalar::float(width, 0.0).bits());
        match (seed, component, zero) {
            (0, 0, Some(base)) => *varying = Varying { base, dx: step, dy: 0.0, float: true },
            (0, 1, Some(base)) => *varying = Varying { base, dx: 0.0, dy: step, float: true },
            _ => {
                varying.dx *= SEEDED_FRAME * step;
                varying.dy *= SEEDED_FRAME * step;
            }
        }
    }
    inputs
}

/// An input of the stage for display.
pub(super) struct StageInput {
    /// The name of its variable.
    pub(super) name: String,
    /// The location of its first component.
    pub(super) place: String,
    /// Its values, by the position of the invocation.
    pub(super) value: String,
    /// An assignment of its values at the origin.
    pub(super) assignment: String,
    /// Its type: `f32x2`; empty for types that are not numbers.
    pub(super) ty: String,
}

/// Inputs of the stage, one for each variable that has locations.
pub(super) fn varyings(module: &Module, entry: usize, inputs: &Inputs) -> Vec<StageInput> {
    let mut out: Vec<StageInput> = Vec::new();
    let ports = ports(module, entry, Mode::In);
    for of in ports.chunk_by(|one, two| one.var == two.var) {
        let mut place = String::new();
        let mut values = Vec::new();
        let mut bases = Vec::new();
        for port in of {
            let OutKey::Location(location, component, _) = port.key else { continue };
            let Some(varying) = inputs.varyings.get(&(location, component)) else { continue };
            if place.is_empty() {
                place = format!("location {location}.{component}");
            }
            let mut base = String::new();
            let view = match scalar(module, port.var) {
                Some(TypeData::Int { signed: true, .. }) => View::Int,
                _ if port.float => View::Float,
                _ => View::Uint,
            };
            number(&mut base, varying.base, port.width, view);
            values.push(base.clone() + &slopes(varying));
            bases.push(base);
        }
        if let Some(first) = of.first().filter(|_| !values.is_empty()) {
            let name = module.name_of(first.var);
            let assignment = format!("{name} = {}", tuple(&bases));
            let ty = spelled(module, first.var);
            out.push(StageInput { name, place, value: tuple(&values), assignment, ty });
        }
    }
    out
}

/// The type of a variable's numbers.
fn scalar(module: &Module, var: Var) -> Option<TypeData> {
    let ty = module.var(var)?.ty;
    let of = match *module.type_of(ty) {
        TypeData::Vector { of, .. } => of,
        _ => ty,
    };
    Some(module.type_of(of).clone())
}

/// The type of a variable in its usual spelling.
fn spelled(module: &Module, var: Var) -> String {
    let Some(ValueType::Bits { width, components }) =
        module.var(var).and_then(|data| module.value_type(data.ty))
    else {
        return String::new();
    };
    let letter = match scalar(module, var) {
        Some(TypeData::Float { .. }) => "f",
        Some(TypeData::Int { signed: true, .. }) => "i",
        Some(TypeData::Bool) => {
            return if components > 1 { format!("boolx{components}") } else { "bool".to_owned() };
        }
        _ => "u",
    };
    let bits = width.bits();
    if components > 1 { format!("{letter}{bits}x{components}") } else { format!("{letter}{bits}") }
}

/// The change of an input by the position of the invocation.
fn slopes(varying: &Varying) -> String {
    let mut text = String::new();
    for (axis, by) in [("x", varying.dx), ("y", varying.dy)] {
        let _ = match by {
            0.0 => Ok(()),
            by if by < 0.0 => write!(text, " − {:?} {axis}", -by),
            by => write!(text, " + {by:?} {axis}"),
        };
    }
    text
}

/// `1`, or `(1, 2)`.
fn tuple(values: &[String]) -> String {
    match values {
        [one] => one.clone(),
        _ => format!("({})", values.join(", ")),
    }
}
