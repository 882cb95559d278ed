//! The results of a GPU, compared with the interpreter's run: number by number, with a tolerance for floats.
//!
//! A device may round every operation its own way, and its trigonometric functions are a few bits short of exact. Floats are
//! the same here if they are within a part in 512 or within 1/2048 of each other; integers must be equal. A number that the
//! interpreter calls undefined may be anything. Refuses to decide who is wrong: it reports both values.

use super::super::super::digits::grouped;
use super::super::output_names::OutputNames;
use super::super::picture::{Picture, SIZE};
use super::UNWRITTEN;
use super::surface::Capture;
use crate::base::fnv::fnv;
use crate::interp::image::{At, Image};
use crate::interp::{
    Bytes, InputBytes, Inputs, InvocationEnd, Named, NumberKind, OutKey, Outcome, Port, Slot, number_text,
};
use crate::ops::{Builtin, Scalar, Width};
use vitrine_protocol::{GpuOutput, GpuVerdict};

/// The largest relative and absolute distance of floats that are the same.
const TOLERANCE: [f64; 2] = [1.0 / 512.0, 1.0 / 2048.0];
/// The number of differences that are reported.
const MOST_REPORTED: usize = 8;

/// The relation of two numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Relation {
    Same,
    Rounded,
    Differs,
}

/// Compares the bits of two numbers.
fn relation(kind: NumberKind, width: Width, ours: u64, theirs: u64) -> Relation {
    if ours == theirs {
        return Relation::Same;
    }
    if kind != NumberKind::Float {
        return Relation::Differs;
    }
    let [a, b] = [ours, theirs].map(|bits| Scalar::new(width, bits).to_f64());
    if a == b || a.is_nan() && b.is_nan() {
        return Relation::Rounded;
    }
    let distance = (a - b).abs();
    let is_close = distance <= TOLERANCE[0] * a.abs().max(b.abs()) || distance <= TOLERANCE[1];
    if a.is_finite() && b.is_finite() && is_close { Relation::Rounded } else { Relation::Differs }
}

/// The counts of a comparison as it proceeds.
#[derive(Default)]
pub(super) struct Count {
    compared: u32,
    rounded: u32,
    differing: u32,
    reported: Vec<[String; 3]>,
}

impl Count {
    /// Counts a number; `ours` is `None` if the interpreter calls it undefined. Returns true if it differs.
    fn take(
        &mut self,
        (kind, width): (NumberKind, Width),
        ours: Option<u64>,
        theirs: u64,
        place: impl FnOnce() -> String,
    ) -> bool {
        let Some(ours) = ours else { return false };
        self.compared += 1;
        match relation(kind, width, ours, theirs) {
            Relation::Same => false,
            Relation::Rounded => {
                self.rounded += 1;
                false
            }
            Relation::Differs => {
                let text = |bits| number_text(bits, width, kind);
                self.differ(place, || [text(ours), text(theirs)]);
                true
            }
        }
    }

    fn differ(&mut self, place: impl FnOnce() -> String, values: impl FnOnce() -> [String; 2]) {
        self.differing += 1;
        if self.reported.len() < MOST_REPORTED {
            let [ours, theirs] = values();
            self.reported.push([place(), ours, theirs]);
        }
    }

    /// The verdict so far, on results with these bytes.
    pub(super) fn verdict(self, version: u32, data: &[u8], of: &str) -> GpuVerdict {
        let Count { compared, rounded, differing, reported } = self;
        let [all, some, other] = [compared, rounded, differing].map(|count| grouped(u64::from(count)));
        let summary = match (compared, rounded, differing) {
            (0, ..) => format!("There is nothing to compare: {of} has no defined results."),
            (_, 0, 0) => format!("The same as the interpreter's, bit for bit: {all} numbers."),
            (_, _, 0) => {
                format!("The same as the interpreter's, {some} of {all} numbers by rounding.")
            }
            _ => format!("{other} of {all} numbers differ from the interpreter's."),
        };
        GpuVerdict {
            version,
            compared,
            rounded,
            differing,
            hash: format!("{:016x}", fnv(data)),
            summary,
            differences: reported,
            ..GpuVerdict::default()
        }
    }
}

/// The outputs of a fragment shader in the results: pixels, row by row.
pub(super) struct Pixels<'d> {
    /// Each output with its bytes.
    pub(super) outputs: Vec<(GpuOutput, &'d [u8])>,
    /// The depth of each pixel.
    pub(super) depth: Option<&'d [u8]>,
}

impl Pixels<'_> {
    /// The word of an output; `None` if no fragment wrote it.
    fn word(&self, port: &Port, at: usize) -> Option<u64> {
        let read = |bytes: &[u8], offset: usize| {
            let word = bytes.get(offset..offset + 4)?.first_chunk::<4>()?;
            Some(u64::from(u32::from_le_bytes(*word)))
        };
        let is_written = |(of, bytes): &(GpuOutput, &[u8])| {
            let count = of.components as usize;
            let mut all = (0..count).filter_map(|part| read(bytes, 4 * (at * count + part)));
            !all.all(|word| UNWRITTEN.iter().any(|of| u64::from(*of) == word))
        };
        match port.key {
            OutKey::Location(location, component, 0) => {
                let output = self.outputs.iter().find(|(of, _)| of.location == location)?;
                let (of, bytes) = output;
                let word = read(bytes, 4 * (at * of.components as usize + component as usize))?;
                is_written(output).then_some(word)
            }
            OutKey::Location(..) | OutKey::Payload(_) => None,
            // Every number is a depth, but a discarded fragment writes no color, either.
            OutKey::BuiltIn(..) if !self.outputs.is_empty() && !self.outputs.iter().any(is_written) => None,
            OutKey::BuiltIn(..) => read(self.depth?, at * 4),
        }
    }

    /// The pixels as a picture, so that both are drawn alike.
    pub(super) fn picture(&self, ports: &[Port], names: &OutputNames) -> Picture {
        Picture::filled(ports, names, |port, at| {
            let word = self.word(port, at)?;
            // Outputs of 16 bits come back as 32.
            Some(match (port.float, port.width) {
                (true, Width::W16) => {
                    Scalar::float(Width::W16, Scalar::new(Width::W32, word).to_f64()).bits()
                }
                _ => word,
            })
        })
    }
}

/// Compares the picture of a device with the interpreter's. Returns the picture of the differences: red where one differs,
/// dim elsewhere.
pub(super) fn pixels(count: &mut Count, ours: &Picture, theirs: &Picture, ports: &[Port]) -> Vec<u8> {
    let mut picture = Vec::with_capacity(theirs.rgba.len());
    for (at, color) in theirs.rgba.as_chunks::<4>().0.iter().enumerate() {
        let differs = pixel(count, at, ours, theirs, ports);
        picture.extend(match differs {
            true => [255, 64, 64, 255],
            false => [color[0] / 3, color[1] / 3, color[2] / 3, color[3]],
        });
    }
    picture
}

/// Compares a pixel. Returns true if it differs.
fn pixel(count: &mut Count, at: usize, ours: &Picture, theirs: &Picture, ports: &[Port]) -> bool {
    let place = || format!("pixel ({}, {})", at as u32 % SIZE, at as u32 / SIZE);
    let is_drawn = |end: Option<InvocationEnd>| end == Some(InvocationEnd::Returned);
    let [here, there] = [ours, theirs].map(|picture| is_drawn(picture.end(at)));
    // A fragment without outputs leaves no trace in a picture.
    if ports.is_empty() || ours.end(at).is_none_or(|end| end == InvocationEnd::Stuck) || !here && !there {
        return false;
    }
    if here != there {
        let word = |drawn: bool| (if drawn { "drawn" } else { "discarded" }).to_owned();
        // Outputs that nothing writes are undefined.
        let is_defined = ports.iter().any(|port| ours.bits(port.key, at).is_some());
        if there || is_defined {
            count.compared += 1;
            count.differ(place, || [word(here), word(there)]);
            return true;
        }
        return false;
    }
    let mut differs = false;
    for port in ports {
        let kind = if port.float { NumberKind::Float } else { NumberKind::Unsigned };
        let Some(theirs) = theirs.bits(port.key, at) else { continue };
        let named = || format!("{}: {}", place(), port.key);
        differs |= count.take((kind, port.width), ours.bits(port.key, at), theirs, named);
    }
    differs
}

/// The outputs of a vertex shader in the results: vertex by vertex, instance by instance.
pub(super) struct Vertices<'d> {
    /// The outputs of a vertex, in their order.
    pub(super) captures: &'d [Capture],
    /// The vertices of an instance.
    pub(super) vertices: u32,
    /// The words of all.
    pub(super) bytes: &'d [u8],
}

impl Vertices<'_> {
    /// The word of an output in those of a vertex; `None` if it does not come back.
    fn word_at(&self, key: OutKey) -> Option<usize> {
        let mut first = 0;
        for capture in self.captures {
            let at = match (key, capture.location) {
                (OutKey::Location(location, component, 0), Some(start)) => location
                    .checked_sub(start)
                    .filter(|&column| column < capture.columns && component < capture.components)
                    .map(|column| column * capture.components + component),
                (OutKey::BuiltIn(builtin, component), None) => {
                    let captured = match capture.name.as_str() {
                        "gl_Position" => Builtin::Position,
                        _ => Builtin::PointSize,
                    };
                    (builtin == captured).then_some(component)
                }
                _ => None,
            };
            if let Some(at) = at {
                return Some((first + at) as usize);
            }
            first += capture.words();
        }
        None
    }

    /// Compares the outputs of every vertex with the interpreter's.
    pub(super) fn compare(&self, count: &mut Count, outcome: &Outcome, ports: &[Port], names: &OutputNames) {
        let words: u32 = self.captures.iter().map(Capture::words).sum();
        for ours in outcome.invocations.values().filter(|ours| ours.end.has_outputs()) {
            let [vertex, instance, _] = ours.at;
            let start = ((instance * self.vertices + vertex) * words) as usize;
            for port in ports {
                let Some(at) = self.word_at(port.key) else { continue };
                let Some(theirs) = self.bytes.get(4 * (start + at)..4 * (start + at + 1)) else { continue };
                let place = || format!("vertex {vertex} of instance {instance}: {}", names.name(port.key));
                let kind = if port.float { NumberKind::Float } else { NumberKind::Unsigned };
                let bits = ours.outputs.get(&port.key).copied().flatten();
                count.take((kind, port.width), bits, word(theirs), place);
            }
        }
    }
}

/// Compares a buffer, number by number as the program declares them.
pub(super) fn buffer(
    count: &mut Count,
    named: &mut Named<'_>,
    (slot, element): (Slot, u32),
    inputs: &Inputs,
    ours: &Bytes,
    theirs: &[u8],
) {
    let (values, _) = named.values(InputBytes::Buffer(slot, element), inputs, 0, u32::MAX);
    for value in values {
        for (at, &offset) in value.offsets.iter().enumerate() {
            let size = (value.width.bits() as usize).div_ceil(8);
            let range = offset as usize..offset as usize + size;
            let is_undefined = ours.undefined.iter().any(|byte| range.contains(&(*byte as usize)));
            let [a, b] = [&ours.bytes[..], theirs].map(|bytes| bytes.get(range.clone()).map(word));
            let Some(b) = b else { continue };
            let place = || format!("{} component {at}", value.name);
            count.take((value.kind, value.width), a.filter(|_| !is_undefined), b, place);
        }
    }
}

/// Compares the texels of a storage image.
pub(super) fn image(count: &mut Count, image: &Image, name: &str, ours: &Bytes, theirs: &[u8]) {
    let kind = image.format.kind();
    let (number_kind, width) = match kind.is_float() {
        true => (NumberKind::Float, Width::W64),
        false => (NumberKind::Unsigned, Width::W64),
    };
    let texel = image.format.bytes().max(1);
    let texels = ours.bytes.chunks_exact(texel).zip(theirs.chunks_exact(texel));
    for (at, (ours_bytes, theirs_bytes)) in texels.enumerate() {
        let range = at * texel..(at + 1) * texel;
        if ours.undefined.iter().any(|byte| range.contains(&(*byte as usize))) {
            continue;
        }
        let [a, b] = [ours_bytes, theirs_bytes].map(|bytes| image.format.decode(bytes));
        for (component, (a, b)) in a.into_iter().zip(b).enumerate() {
            let place = || format!("{name}, texel {at}, component {component}");
            count.take((number_kind, width), Some(a), b, place);
        }
    }
}

/// The texels of an image as 32-bit numbers, four for each, level by level.
pub(super) fn wide(image: &Image) -> Vec<u8> {
    let mut out = Vec::new();
    let is_float = image.format.kind().is_float();
    for level in 0..image.levels {
        let size = image.level_size(level);
        for layer in 0..image.layers {
            for z in 0..size[2] {
                for y in 0..size[1] {
                    for x in 0..size[0] {
                        let texel = [x, y, z].map(i64::from);
                        let at = At { texel, layer, level, sample: 0 };
                        let bytes = image.offset(at).and_then(|offset| image.bytes.get(offset..));
                        let bytes = bytes.and_then(|bytes| bytes.get(..image.format.bytes())).unwrap_or(&[]);
                        for channel in image.format.decode(bytes) {
                            let word = match is_float {
                                true => Scalar::float(Width::W32, f64::from_bits(channel)).bits() as u32,
                                false => channel as u32,
                            };
                            out.extend(word.to_le_bytes());
                        }
                    }
                }
            }
        }
    }
    out
}

fn word(bytes: &[u8]) -> u64 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte))
}
