//! The inputs of a run of the page: generated from a seed, with a frame suitable for display.

use super::picture::SIZE;
use super::resources::name;
use crate::interp::{Inputs, OutKey, Varying, ports, seeded};
use crate::ir::{Mode, Module, Stage};
use crate::ops::scalar::Scalar;
use std::fmt::Write;

/// The largest number of instructions of a group.
const MOST_STEPS: u64 = 1 << 20;
/// The frame that seeds are designed for.
const SEEDED_FRAME: f32 = 8.0;

/// Inputs from a seed, generated for the input program, so that every version has the same.
///
/// In a fragment shader, varyings change over the whole picture as much as they do over the small frame of a
/// check. With seed 0 the first two components of each go from 0 to 1, like texture coordinates.
pub(super) fn made(module: &Module, entry: usize, seed: u32) -> Inputs {
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

/// Inputs of the stage for display: name, location, values.
pub(super) fn varyings(module: &Module, entry: usize, inputs: &Inputs) -> Vec<(String, String, String)> {
    let mut out = Vec::new();
    for port in ports(module, entry, Mode::In) {
        let OutKey::Location(location, component, _) = port.key else { continue };
        let Some(varying) = inputs.varyings.get(&(location, component)) else { continue };
        let mut value_text = String::new();
        if port.float {
            let _ = write!(value_text, "{:?}", Scalar::new(port.width, varying.base).to_f64() as f32);
        } else {
            let _ = write!(value_text, "{}", varying.base);
        }
        for (axis, by) in [("x", varying.dx), ("y", varying.dy)] {
            let _ = match by {
                0.0 => Ok(()),
                by if by < 0.0 => write!(value_text, " − {:?} {axis}", -by),
                by => write!(value_text, " + {by:?} {axis}"),
            };
        }
        out.push((name(module, port.var), format!("location {location}.{component}"), value_text));
    }
    out
}
