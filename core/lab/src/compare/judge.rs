//! Two outcomes of a trial: the same, different, or different in a way that does not count.
//!
//! The first program decides the types of outputs and memory: floats are compared as floats, everything else bit for
//! bit. A difference after undefined behavior of the first program says nothing about the second.

use super::allowed::{Allowance, Allowed, Rounding};
use crate::undefined::excuse_of_program;
use std::collections::BTreeMap;
use std::fmt;
use vitrine_interp::{
    Bytes, Difference as OutcomeDifference, InputBytes, Inputs, Named, NamedValue, NumberKind, OutKey,
    Outcome, Port, UbKind, image, number_text, ports,
};
use vitrine_ir::layout::scalar_bytes;
use vitrine_ir::ops::Width;
use vitrine_ir::{Mode, Module};

/// Descriptor set and binding.
type Slot = (u32, u32);

/// Distances above this number are not printed: the values are not near.
pub const MOST_ULP: u64 = 1 << 20;

/// The place of a difference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Spot {
    /// The way in which an invocation ends.
    End,
    /// A component of an output.
    Output(OutKey),
    /// A vertex or a primitive that only one program creates.
    Element,
    /// A byte of a buffer: set and binding, element, offset.
    Buffer(Slot, u32, u64),
    /// A byte of a storage image.
    Image(Slot, u32, u64),
    /// A byte of a kernel's argument.
    Arg(u32, u64),
    /// Undefined behavior that only the second program has.
    Behavior(UbKind),
}

/// A number that differs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Number {
    /// Its width.
    pub width: Width,
    /// Its kind.
    pub kind: NumberKind,
    /// The bits in the first and in the second program; `None` if undefined or missing.
    pub bits: [Option<u64>; 2],
}

impl Number {
    /// One of the two values, as hex and as a number: `0x3f800000 (1.0)`.
    pub fn text(&self, which: usize) -> String {
        let Some(bits) = self.bits.get(which).copied().flatten() else { return "undefined".to_owned() };
        let digits = (self.width.bits() as usize).div_ceil(4);
        let number = number_text(bits, self.width, self.kind);
        format!("0x{bits:0digits$x} ({number})")
    }

    /// The distance of two defined floats in units in the last place.
    pub fn ulp(&self) -> Option<u64> {
        let [Some(a), Some(b)] = self.bits else { return None };
        (self.kind == NumberKind::Float).then(|| super::allowed::distance(self.width, a, b))
    }
}

/// A difference that counts.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// The invocation, if the difference belongs to one.
    pub invocation: Option<u64>,
    /// Its position.
    pub at: [u32; 3],
    /// The place.
    pub spot: Spot,
    /// The place in words, with names of the first program: `color.z (location 0 component 2)`.
    pub name: String,
    /// The number at this place, if it has one.
    pub number: Option<Number>,
    /// Both values in words.
    pub values: [String; 2],
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(invocation) = self.invocation {
            let [x, y, z] = self.at;
            write!(f, "invocation {invocation} at ({x}, {y}, {z}), ")?;
        }
        let [before, after] = &self.values;
        write!(f, "{}: {before}, then {after}", self.name)?;
        match self.number.and_then(|number| number.ulp()) {
            Some(ulp) if ulp <= MOST_ULP => write!(f, ", {ulp} ULP apart"),
            Some(_) | None => Ok(()),
        }
    }
}

/// The judgment of a trial.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Judged {
    Same,
    Rounded(Rounding),
    /// The first program does not determine the result: the reason.
    Undefined(String),
    Differs(Difference),
}

/// The first program of a comparison, with a trial.
pub(crate) struct Judge<'m> {
    pub(crate) module: &'m Module,
    pub(crate) entry: usize,
    pub(crate) inputs: &'m Inputs,
    pub(crate) allowance: Allowance,
}

/// Differences that were removed from an outcome.
#[derive(Default)]
struct Removed {
    rounding: Rounding,
    anything: bool,
}

impl Judge<'_> {
    /// Compares the outcome of the second program with that of the first. Linear in both, if they differ.
    pub(super) fn judge(&self, before: &Outcome, after: &Outcome) -> Judged {
        if before.first_difference(after).is_none() && new_race(before, after).is_none() {
            return Judged::Same;
        }
        let (near, removed) = self.without_allowed(before, after);
        let excuse = excuse_of_program(before);
        match (before.first_difference(&near).or_else(|| new_race(before, after)), excuse) {
            (Some(_), Some(why)) => Judged::Undefined(why.to_string()),
            (Some(found), None) => Judged::Differs(self.describe(before, &near, &found)),
            (None, _) if removed.anything => {
                Judged::Undefined("a result is an infinity or a NaN, which need not be preserved".to_owned())
            }
            (None, _) => Judged::Rounded(removed.rounding),
        }
    }

    /// The first difference that is not allowed, also after undefined behavior. Linear in both, if they differ.
    pub(crate) fn first_difference(&self, before: &Outcome, after: &Outcome) -> Option<OutcomeDifference> {
        let first = before.first_difference(after).or_else(|| new_race(before, after))?;
        if self.allowance == Allowance::default() {
            return Some(first);
        }
        let (near, _) = self.without_allowed(before, after);
        before.first_difference(&near).or_else(|| new_race(before, after))
    }

    /// The second outcome with the values of the first one where the difference is allowed.
    fn without_allowed(&self, before: &Outcome, after: &Outcome) -> (Outcome, Removed) {
        let (mut near, mut removed) = (after.clone(), Removed::default());
        self.remove_from_outputs(before, &mut near, &mut removed);
        self.remove_from_memory(before, &mut near, &mut removed);
        (near, removed)
    }

    /// Judges two floats; returns true if the difference is allowed.
    fn allows(&self, width: Width, before: u64, after: u64, removed: &mut Removed) -> bool {
        match self.allowance.judge(width, before, after) {
            Allowed::No => return false,
            Allowed::Anything => removed.anything = true,
            Allowed::Rounded(rounding) => removed.rounding.join(&rounding),
        }
        true
    }

    fn remove_from_outputs(&self, before: &Outcome, near: &mut Outcome, removed: &mut Removed) {
        let modes = [Mode::Out, Mode::Payload, Mode::Callable];
        let floats: BTreeMap<OutKey, Width> = modes
            .into_iter()
            .flat_map(|mode| ports(self.module, self.entry, mode))
            .filter(|port| port.float)
            .map(|port| (port.key, port.width))
            .collect();
        for (number, invocation) in &mut near.invocations {
            let Some(old) = before.invocations.get(number) else { continue };
            let elements = invocation.elements.iter_mut();
            let elements = elements.filter_map(|(at, new)| Some((old.elements.get(at)?, new)));
            for (old, new) in elements.chain([(&old.outputs, &mut invocation.outputs)]) {
                for (key, value) in new {
                    let both = (old.get(key).copied().flatten(), *value, floats.get(key));
                    let (Some(old), Some(new), Some(&width)) = both else { continue };
                    if old != new && self.allows(width, old, new, removed) {
                        *value = Some(old);
                    }
                }
            }
        }
    }

    fn remove_from_memory(&self, before: &Outcome, near: &mut Outcome, removed: &mut Removed) {
        let buffers = near.buffers.iter_mut().map(|(&(slot, element), new)| {
            (InputBytes::Buffer(slot, element), before.buffers.get(&(slot, element)), new)
        });
        let args = near.args.iter_mut().map(|(&at, new)| (InputBytes::Arg(at), before.args.get(&at), new));
        for (memory, old, new) in buffers.chain(args) {
            let Some(old) = old.filter(|old| old.bytes != new.bytes) else { continue };
            for value in self.numbers(memory).iter().filter(|value| value.kind == NumberKind::Float) {
                for &offset in &value.offsets {
                    let bytes = scalar_bytes(value.width);
                    let [Some(a), Some(b)] = [old, &*new].map(|memory| read(&memory.bytes, offset, bytes))
                    else {
                        continue;
                    };
                    if a != b && self.allows(value.width, a, b, removed) {
                        copy(&old.bytes, &mut new.bytes, offset, bytes);
                    }
                }
            }
        }
        for (&(slot, element), new) in &mut near.images {
            let bound = self.inputs.images.get(&slot).and_then(|list| list.get(element as usize));
            let (Some(old), Some(bound)) = (before.images.get(&(slot, element)), bound) else { continue };
            if old.bytes != new.bytes {
                self.remove_from_image(bound.format, old, new, removed);
            }
        }
    }

    /// Texels whose channels are all near. The channels of a texel are compared as 32-bit floats.
    fn remove_from_image(&self, format: image::Format, old: &Bytes, new: &mut Bytes, removed: &mut Removed) {
        if !format.kind().is_float() {
            return;
        }
        let size = format.bytes().max(1);
        for (old, new) in old.bytes.chunks_exact(size).zip(new.bytes.chunks_exact_mut(size)) {
            if old == new {
                continue;
            }
            let [a, b] = [old, &*new]
                .map(|bytes| format.decode(bytes).map(|bits| (f64::from_bits(bits) as f32).to_bits()));
            let is_near = a
                .iter()
                .zip(&b)
                .all(|(&a, &b)| a == b || self.allows(Width::W32, u64::from(a), u64::from(b), removed));
            if is_near {
                new.copy_from_slice(old);
            }
        }
    }

    /// The numbers of a memory of the inputs.
    fn numbers(&self, memory: InputBytes) -> Vec<NamedValue> {
        Named::new(self.module, self.entry, self.inputs).values(memory, self.inputs, 0, u32::MAX).0
    }

    /// A difference in words.
    fn describe(&self, before: &Outcome, near: &Outcome, found: &OutcomeDifference) -> Difference {
        match found {
            OutcomeDifference::End { invocation, at, ends } => {
                let word = |end: &Option<vitrine_interp::InvocationEnd>| match end {
                    Some(end) => format!("{end:?}").to_lowercase(),
                    None => "not run".to_owned(),
                };
                let stuck = near.reports.list().iter().find(|report| report.ub == UbKind::Endless);
                let [first, second] = [word(&ends[0]), word(&ends[1])];
                let second = stuck.map_or(second, |report| format!("not ended: {}", report.ub.says()));
                Difference {
                    invocation: Some(*invocation),
                    at: *at,
                    spot: Spot::End,
                    name: "the end".to_owned(),
                    number: None,
                    values: [first, second],
                }
            }
            OutcomeDifference::Output { invocation, at, element, key, values } => {
                let mut all = ports(self.module, self.entry, Mode::Out);
                if matches!(key, OutKey::Payload(_)) {
                    all = ports(self.module, self.entry, Mode::Payload);
                }
                let port = all.iter().find(|port| port.key == *key);
                let kind = if port.is_some_and(|port| port.float) {
                    NumberKind::Float
                } else {
                    NumberKind::Unsigned
                };
                let number =
                    Number { width: port.map_or(Width::W32, |port| port.width), kind, bits: *values };
                Difference {
                    invocation: Some(*invocation),
                    at: *at,
                    spot: Spot::Output(*key),
                    name: format!(
                        "{}{}",
                        element.map_or(String::new(), |element| format!("{element}, ")),
                        port.map_or_else(|| key.to_string(), |port| self.port_name(port, &all))
                    ),
                    number: Some(number),
                    values: [number.text(0), number.text(1)],
                }
            }
            OutcomeDifference::Element { invocation, at, element, is_gone } => Difference {
                invocation: Some(*invocation),
                at: *at,
                spot: Spot::Element,
                name: element.to_string(),
                number: None,
                values: if *is_gone { ["created", "missing"] } else { ["missing", "created"] }
                    .map(str::to_owned),
            },
            OutcomeDifference::Byte { what, offset, values } => {
                self.describe_byte(before, near, what, *offset, *values)
            }
            OutcomeDifference::UbKind { ub, invocation } => Difference {
                invocation: Some(*invocation),
                at: near.invocations.get(invocation).map_or([0; 3], |invocation| invocation.at),
                spot: Spot::Behavior(*ub),
                name: "the behavior".to_owned(),
                number: None,
                values: ["defined".to_owned(), format!("{}: {}", ub.code(), ub.says())],
            },
        }
    }

    fn port_name(&self, port: &Port, all: &[Port]) -> String {
        let parts: Vec<OutKey> =
            all.iter().filter(|other| other.var == port.var).map(|other| other.key).collect();
        let name = self.module.name_of(port.var);
        let at = parts.iter().position(|&key| key == port.key).unwrap_or(0);
        let part = match (parts.len(), "xyzw".get(at..=at)) {
            (1, _) => String::new(),
            (2..=4, Some(letter)) => format!(".{letter}"),
            _ => format!("[{at}]"),
        };
        format!("{name}{part} ({})", port.key)
    }

    /// The number that contains a byte, or the byte.
    fn describe_byte(
        &self,
        before: &Outcome,
        near: &Outcome,
        what: &str,
        offset: u64,
        values: [Option<u8>; 2],
    ) -> Difference {
        let differs = |a: Option<&Bytes>, b: Option<&Bytes>| {
            a.and_then(|a| a.at(offset)) != b.and_then(|b| b.at(offset))
        };
        let kind = what.split(' ').next().unwrap_or_default();
        let named = |slot: Slot, element: u32| what.ends_with(&format!(" {}.{}[{element}]", slot.0, slot.1));
        let buffer = before.buffers.keys().find(|&&(slot, element)| kind == "buffer" && named(slot, element));
        let image = before.images.keys().find(|&&(slot, element)| kind == "image" && named(slot, element));
        let arg = before.args.keys().find(|&at| differs(before.args.get(at), near.args.get(at)));
        let (spot, memory) = match (buffer, image, arg) {
            (Some(&(slot, element)), ..) => {
                let both = [before, near].map(|outcome| outcome.buffers.get(&(slot, element)));
                (Spot::Buffer(slot, element, offset), Some((InputBytes::Buffer(slot, element), both)))
            }
            (None, Some(&(slot, element)), _) => (Spot::Image(slot, element, offset), None),
            (None, None, at) => {
                let at = at.copied().unwrap_or_default();
                let both = [before, near].map(|outcome| outcome.args.get(&at));
                (Spot::Arg(at, offset), Some((InputBytes::Arg(at), both)))
            }
        };
        let byte = |value: Option<u8>| value.map_or("undefined".to_owned(), |value| format!("{value:#04x}"));
        let mut out = Difference {
            invocation: None,
            at: [0; 3],
            spot,
            name: format!("{what}, byte {offset}"),
            number: None,
            values: values.map(byte),
        };
        let Some((memory, both)) = memory else { return out };
        for value in self.numbers(memory) {
            let bytes = scalar_bytes(value.width);
            let start = value.offsets.iter().position(|&start| start <= offset && offset - start < bytes);
            let Some(component) = start else { continue };
            let start = value.offsets[component];
            let bits = both.map(|memory| {
                let memory =
                    memory.filter(|memory| (start..start + bytes).all(|at| memory.at(at).is_some()))?;
                read(&memory.bytes, start, bytes)
            });
            let number = Number { width: value.width, kind: value.kind, bits };
            let letter = "xyzw".get(component..=component).filter(|_| value.offsets.len() > 1);
            let letter = letter.map_or(String::new(), |letter| format!(".{letter}"));
            out.name = format!("{what}, {}{letter} (byte {start})", value.name);
            out.number = Some(number);
            out.values = [number.text(0), number.text(1)];
            break;
        }
        out
    }
}

/// A little-endian number of at most eight bytes.
fn read(bytes: &[u8], offset: u64, count: u64) -> Option<u64> {
    let start = usize::try_from(offset).ok()?;
    let raw = bytes.get(start..start.checked_add(count as usize)?)?;
    Some(raw.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)))
}

fn copy(from: &[u8], to: &mut [u8], offset: u64, count: u64) {
    let range = offset as usize..(offset + count) as usize;
    if let (Some(from), Some(to)) = (from.get(range.clone()), to.get_mut(range)) {
        to.copy_from_slice(from);
    }
}
/// Undefined behavior of the second run only that matters if invocations do not run in lockstep.
pub(crate) fn new_race(before: &Outcome, after: &Outcome) -> Option<OutcomeDifference> {
    let grave = [UbKind::Race, UbKind::PartialBarrier];
    let mut reports = after.reports.list().iter();
    let new = |ub: UbKind| grave.contains(&ub) && before.reports.find(ub).is_none();
    let report = reports.find(|report| new(report.ub))?;
    Some(OutcomeDifference::UbKind { ub: report.ub, invocation: report.invocation })
}
