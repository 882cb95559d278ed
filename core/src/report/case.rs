//! The inputs of a finding in a form that any runner of shaders can set, with the results of the original.
//!
//! ```text
//! Inputs of the interpreter ──► buffers, push constants, specialization constants, workgroups or pixels
//! run of the original       ──► expected bytes of storage buffers, expected pixels
//! ```
//!
//! Compute shaders with buffers, and fragment shaders that write a color from buffers and the position of the pixel. Refuses
//! by name what depends on the device or on other stages: images, inputs of earlier stages, subgroups, several targets.

use crate::interp::{Bytes, Inputs};
use crate::interp::{InvocationEnd, OutKey, Outcome, Slot, run};
use crate::ir::{FactKey, GlobalValue, Mode, Module, Stage, TypeData};
use crate::ops::{Key, Width};
use std::fmt::Write;

/// Pixels of a frame, along each axis.
const FRAME: u32 = 8;

/// A buffer of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainBuffer {
    /// Descriptor set and binding.
    pub slot: Slot,
    /// True for a storage buffer.
    pub is_storage: bool,
    /// The bytes before the run.
    pub bytes: Vec<u8>,
    /// The bytes after the run, for a storage buffer.
    pub expected: Option<Bytes>,
}

/// A specialization constant of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PlainSpec {
    /// Its identity.
    pub id: u32,
    /// The bits of its value.
    pub bits: u64,
    /// Their number.
    pub width: Width,
}

/// The inputs of a finding, and the results of the original.
#[derive(Clone, Debug, PartialEq)]
pub struct PlainCase {
    /// The entry point.
    pub entry: String,
    /// Its stage: compute or fragment.
    pub stage: Stage,
    /// Uniform and storage buffers.
    pub buffers: Vec<PlainBuffer>,
    /// Bytes of the push constants.
    pub push: Vec<u8>,
    /// Specialization constants that differ from their defaults.
    pub specs: Vec<PlainSpec>,
    /// Workgroups of a dispatch.
    pub groups: [u32; 3],
    /// Width and height of the frame, in pixels.
    pub frame: [u32; 2],
    /// The color of each pixel of a fragment shader: position; red, green, blue, alpha. Pixels that are not drawn have zeros,
    /// the color to which the frame is cleared; undefined pixels are left out.
    pub pixels: Vec<([u32; 2], [f32; 4])>,
}

impl PlainCase {
    /// The case of an entry point and its inputs. Runs the program once.
    ///
    /// Errors: the construct that other runners cannot set or compare, in words.
    pub fn of(module: &Module, entry: usize, inputs: &Inputs) -> Result<PlainCase, String> {
        let point = module.entries.get(entry).ok_or("the entry point does not exist")?;
        check_stage(module, point.stage)?;
        check_inputs(inputs)?;
        let is_fragment = point.stage == Stage::Fragment;
        if is_fragment {
            check_outputs(module, entry)?;
        }
        let inputs = match is_fragment {
            true => Inputs { frame: [FRAME; 2], rect: [0, 0, FRAME, FRAME], ..inputs.clone() },
            false => inputs.clone(),
        };
        let outcome = run(module, entry, &inputs).map_err(|diag| diag.message())?;
        if !outcome.is_complete() {
            return Err("a run that does not end".to_owned());
        }
        let mut case = PlainCase {
            entry: module.text_of(point.name).to_owned(),
            stage: point.stage,
            buffers: Vec::new(),
            push: inputs.push.clone(),
            specs: specs(module, &inputs),
            groups: inputs.groups,
            frame: inputs.frame,
            pixels: if is_fragment { pixels(&outcome) } else { Vec::new() },
        };
        for (&slot, bound) in &inputs.buffers {
            let [bytes] = &bound[..] else {
                return Err(format!("the array of buffers at set {}, binding {}", slot.0, slot.1));
            };
            let is_storage = is_storage(module, slot);
            let untouched = || Bytes { bytes: bytes.clone(), undefined: Vec::new() };
            let after = outcome.buffers.get(&(slot, 0)).cloned();
            let expected = is_storage.then(|| after.unwrap_or_else(untouched));
            case.buffers.push(PlainBuffer { slot, is_storage, bytes: bytes.clone(), expected });
        }
        Ok(case)
    }

    /// The case as JSON, as `vitrine exec --case` reads it. Pixels are bytes of the frame.
    pub fn json(&self) -> String {
        let mut inputs: Vec<String> = self
            .buffers
            .iter()
            .map(|buffer| {
                let kind = if buffer.is_storage { "storage" } else { "uniform" };
                let (set, binding) = buffer.slot;
                format!(
                    "{{\"kind\": \"{kind}\", \"set\": {set}, \"binding\": {binding}, \"bytes\": \"{}\"}}",
                    hex(&buffer.bytes)
                )
            })
            .collect();
        if !self.push.is_empty() {
            inputs.push(format!("{{\"kind\": \"push_constant\", \"bytes\": \"{}\"}}", hex(&self.push)));
        }
        let specs: Vec<String> =
            self.specs.iter().map(|spec| format!("\"{}\": {}", spec.id, spec.bits)).collect();
        let mut expect: Vec<String> = Vec::new();
        for buffer in &self.buffers {
            for (offset, bytes) in buffer.expected.iter().flat_map(defined) {
                let (set, binding) = buffer.slot;
                expect.push(format!(
                    "{{\"kind\": \"buffer\", \"set\": {set}, \"binding\": {binding}, \"offset\": {offset}, \"bytes\": \"{}\"}}",
                    hex(bytes)
                ));
            }
        }
        let points: Vec<String> = self
            .pixels
            .iter()
            .map(|([x, y], color)| format!("[{x}, {y}, {:?}]", color.map(byte_of)))
            .collect();
        if !points.is_empty() {
            expect.push(format!(
                "{{\"kind\": \"pixels\", \"tolerance\": 1, \"points\": [{}]}}",
                points.join(", ")
            ));
        }
        let (stage, place) = match self.stage {
            Stage::Fragment => {
                let [width, height] = self.frame;
                ("frag", format!("\"framebuffer\": {{\"width\": {width}, \"height\": {height}}}"))
            }
            _ => ("comp", format!("\"groups\": {:?}", self.groups)),
        };
        format!(
            "{{\n  \"stage\": \"{stage}\",\n  \"entry\": \"{}\",\n  {place},\n  \"spec_constants\": {{{}}},\n  \
             \"inputs\": [\n    {}\n  ],\n  \"expect\": [\n    {}\n  ]\n}}\n",
            escaped(&self.entry),
            specs.join(", "),
            inputs.join(",\n    "),
            expect.join(",\n    ")
        )
    }
}

/// The value of a component of a frame of 8 bits.
pub(super) fn byte_of(component: f32) -> u8 {
    // NaN becomes 0.
    (component.clamp(0.0, 1.0) * 255.0).round_ties_even() as u8
}

/// Runs of defined bytes, with their offsets.
pub(super) fn defined(bytes: &Bytes) -> Vec<(usize, &[u8])> {
    let mut out = Vec::new();
    let mut start = 0;
    let ends = bytes.undefined.iter().map(|&at| at as usize).chain([bytes.bytes.len()]);
    for end in ends {
        if let Some(run) = bytes.bytes.get(start..end).filter(|run| !run.is_empty()) {
            out.push((start, run));
        }
        start = end + 1;
    }
    out
}

fn check_stage(module: &Module, stage: Stage) -> Result<(), String> {
    if ![Stage::Compute, Stage::Fragment].contains(&stage) {
        return Err(format!("the stage {}", stage.name()));
    }
    let of_subgroups =
        |name: &str| name.starts_with("GroupNonUniform") || name.starts_with("Subgroup") || name == "Groups";
    let capability = module
        .facts
        .iter()
        .filter(|fact| fact.key == FactKey::Capability)
        .map(|fact| module.text_of(fact.value))
        .find(|name| of_subgroups(name));
    match capability {
        Some(name) => Err(format!("the capability {name}: the size of a subgroup depends on the device")),
        None => Ok(()),
    }
}

fn check_inputs(inputs: &Inputs) -> Result<(), String> {
    let slot = |&(set, binding): &Slot| format!("set {set}, binding {binding}");
    if let Some(at) = inputs.images.keys().chain(inputs.samplers.keys()).next() {
        return Err(format!("the image or sampler at {}", slot(at)));
    }
    if let Some((location, _)) = inputs.varyings.keys().chain(inputs.singles.keys()).next() {
        return Err(format!("the input at location {location}, which an earlier stage computes"));
    }
    if let Some(builtin) = inputs.builtins.keys().next() {
        return Err(format!("the system value {}, which the device chooses", builtin.name()));
    }
    match inputs.args.is_empty() {
        true => Ok(()),
        false => Err("arguments of a kernel".to_owned()),
    }
}

/// Accepts an entry point that writes one color of 32-bit floats at location 0.
fn check_outputs(module: &Module, entry: usize) -> Result<(), String> {
    let interface = module.entries.get(entry).map_or(&[][..], |point| &point.interface);
    let outputs = interface.iter().filter_map(|&var| module.var(var)).filter(|data| data.mode == Mode::Out);
    for data in outputs {
        if data.attrs.get(Key::Location) != Some(0) {
            return Err("an output other than the color at location 0".to_owned());
        }
        let scalar = match module.type_of(data.ty) {
            TypeData::Vector { of, .. } => module.type_of(*of),
            other => other,
        };
        if !matches!(scalar, TypeData::Float { width: Width::W32 }) {
            return Err("a color that is not of 32-bit floats".to_owned());
        }
    }
    Ok(())
}

/// Specialization constants with their widths.
fn specs(module: &Module, inputs: &Inputs) -> Vec<PlainSpec> {
    let mut out: Vec<PlainSpec> = module
        .globals()
        .filter_map(|(_, data)| {
            let GlobalValue::Spec(default) = &data.value else { return None };
            let id = data.attrs.get(Key::SpecId)? as u32;
            let bits = *inputs.specs.get(&id)?;
            Some(PlainSpec { id, bits, width: module.bits_of(*default).width() })
        })
        .collect();
    out.sort_by_key(|spec| spec.id);
    out.dedup_by_key(|spec| spec.id);
    out
}

/// Returns true if a storage buffer is bound there.
fn is_storage(module: &Module, (set, binding): Slot) -> bool {
    module.vars().any(|(_, data)| {
        let of = |key| data.attrs.get(key).unwrap_or(0);
        data.mode == Mode::Storage && of(Key::Set) == u64::from(set) && of(Key::Binding) == u64::from(binding)
    })
}

/// The colors of all pixels whose color is defined.
fn pixels(outcome: &Outcome) -> Vec<([u32; 2], [f32; 4])> {
    let color = |invocation: &crate::interp::InvocationOutcome| {
        let mut color = [0.0; 4];
        if invocation.end != InvocationEnd::Returned {
            return Some(color);
        }
        for (component, slot) in color.iter_mut().enumerate() {
            *slot = match invocation.outputs.get(&OutKey::Location(0, component as u32, 0)) {
                Some(bits) => f32::from_bits((*bits)? as u32),
                // A component that the output lacks: the alpha of such a color is undefined.
                None => return None,
            };
        }
        Some(color)
    };
    let place = |invocation: &crate::interp::InvocationOutcome| [invocation.at[0], invocation.at[1]];
    outcome
        .invocations
        .values()
        .filter_map(|invocation| Some((place(invocation), color(invocation)?)))
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}

/// The text in a string of JSON.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for char in text.chars() {
        match char {
            '"' | '\\' => out.extend(['\\', char]),
            _ if char.is_control() => {
                let _ = write!(out, "\\u{:04x}", u32::from(char));
            }
            _ => out.push(char),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interp::seeded;
    use crate::text::parse;

    #[test]
    fn runs_of_defined_bytes_have_their_offsets() {
        let bytes = Bytes { bytes: vec![1, 2, 3, 4, 5], undefined: vec![0, 2, 3] };
        assert_eq!(defined(&bytes), [(1, &[2][..]), (4, &[5])]);
        assert_eq!(defined(&Bytes { bytes: vec![1], undefined: vec![0] }), []);
    }

    #[test]
    fn what_other_runners_cannot_set_is_refused_by_name() {
        let why = |example: &[u8]| {
            let module = crate::front::read(example).1.module;
            PlainCase::of(&module, 0, &seeded(&module, 0, 0)).err().unwrap_or_default()
        };
        let texture = include_bytes!("../../../www/examples/texture.spvasm");
        let lit = include_bytes!("../../../www/examples/variables.spvasm");
        let subgroup = include_bytes!("../../../www/examples/subgroup.spvasm");
        let skinning = include_bytes!("../../../www/examples/skinning.asm");
        for (example, wanted) in [
            (&texture[..], "the image or sampler at set "),
            (lit, "the input at location "),
            (subgroup, "the capability "),
            (skinning, "the stage vertex"),
        ] {
            assert!(why(example).starts_with(wanted), "{wanted}: {}", why(example));
        }
    }

    #[test]
    fn names_are_escaped() {
        assert_eq!(escaped("a\"b\\c\n"), "a\\\"b\\\\c\\u000a");
        let text = "out $0: f32x4 {location 0}\n\nentry fragment \"main\" @0 ($0) {origin_upper_left}\n\n\
            func @0() graph {\n^0:\n  %0: b32 = const 0.5\n  %1: b32x4 = vec %0, %0, %0, %0\n  %2: path = deref.var $0\n\
            \x20 %3 = store %2, %1\n  return\n}\n";
        let module = parse(text).module;
        let case = PlainCase::of(&module, 0, &seeded(&module, 0, 0)).expect("a plain case");
        assert_eq!((case.pixels.len(), case.pixels[0]), (64, ([0, 0], [0.5; 4])));
        assert!(case.json().contains("[7, 7, [128, 128, 128, 128]]"), "{}", case.json());
    }
}
