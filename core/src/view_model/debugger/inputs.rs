//! What a run of the page is given: inputs from a seed, with a frame that a person wants to look at.

use super::picture::SIZE;
use super::resources::name;
use crate::interp::{Inputs, OutKey, Varying, ports, seeded};
use crate::ir::{Mode, Module, Stage};
use crate::ops::scalar::Scalar;
use std::fmt::Write;

/// Instructions of a group, at most.
const MOST_STEPS: u64 = 1 << 20;
/// The frame that seeds are made for.
const SEEDED_FRAME: f32 = 8.0;

/// Inputs from a seed, made for the program as it was read, so that every version has the same.
///
/// Of a fragment shader, varyings change over the whole picture as much as they do over the small frame that a check
/// looks at; with seed 0 the first two components of each run from 0 to 1, as coordinates do.
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

/// Inputs of the stage for people: name, place, how it changes.
pub(super) fn varyings(module: &Module, entry: usize, inputs: &Inputs) -> Vec<(String, String, String)> {
    let mut out = Vec::new();
    for port in ports(module, entry, Mode::In) {
        let OutKey::Location(location, component, _) = port.key else { continue };
        let Some(varying) = inputs.varyings.get(&(location, component)) else { continue };
        let mut told = String::new();
        if port.float {
            let _ = write!(told, "{:?}", Scalar::new(port.width, varying.base).to_f64() as f32);
        } else {
            let _ = write!(told, "{}", varying.base);
        }
        for (axis, by) in [("x", varying.dx), ("y", varying.dy)] {
            let _ = match by {
                0.0 => Ok(()),
                by if by < 0.0 => write!(told, " − {:?} {axis}", -by),
                by => write!(told, " + {by:?} {axis}"),
            };
        }
        out.push((name(module, port.var), format!("location {location}.{component}"), told));
    }
    out
}
