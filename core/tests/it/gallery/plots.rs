//! Pixels and the contents of buffers as pictures of the gallery.
//!
//! Colors have enough contrast on light and on dark ground: a picture of a buffer has no ground of its own.

use vitrine_core::interp::{
    InputBytes, Inputs, InvocationEnd, Named, NamedValue, NumberKind, OutKey, Outcome,
};
use vitrine_core::ir::Module;

/// Red, green, blue, alpha of a picture's pixels, row by row.
pub(super) type Pixels = Vec<[u8; 4]>;

type Slot = (u32, u32);

const NOTHING: [u8; 4] = [0; 4];
/// The contents before a run.
const BEFORE: [u8; 4] = [0x8a, 0x8f, 0x98, 0xff];
/// The contents after it.
const AFTER: [u8; 4] = [0x3d, 0x8f, 0xd6, 0xff];
/// Values below zero.
const NEGATIVE: [u8; 4] = [0xd9, 0x8a, 0x2b, 0xff];

/// The picture of a fragment shader's first output. Pixels without a result are transparent.
pub(super) fn pixels(outcome: &Outcome, size: u32) -> Pixels {
    let pixel = |number: u64| {
        let Some(one) = outcome.invocations.get(&number).filter(|one| one.end == InvocationEnd::Returned)
        else {
            return NOTHING;
        };
        let component = |at: u32| {
            let bits = one.outputs.get(&OutKey::Location(0, at, 0)).copied().flatten();
            let value = bits.map_or(f32::from(u8::from(at == 3)), |bits| f32::from_bits(bits as u32));
            (value.clamp(0.0, 1.0) * 255.0).round() as u8
        };
        // Alpha is an output like others, and not transparency.
        [component(0), component(1), component(2), 255]
    };
    (0..u64::from(size) * u64::from(size)).map(pixel).collect()
}

/// The named values of a buffer.
fn named(module: &Module, inputs: &Inputs, slot: Slot) -> Vec<NamedValue> {
    Named::new(module, 0, inputs).values(InputBytes::Buffer(slot, 0), inputs, 0, 1 << 12).0
}

fn bytes<'a>(inputs: &'a Inputs, after: Option<&'a Outcome>, slot: Slot) -> &'a [u8] {
    match after {
        Some(outcome) => outcome.buffers.get(&(slot, 0)).map_or(&[], |of| &of.bytes),
        None => InputBytes::Buffer(slot, 0).of(inputs),
    }
}

fn number(bytes: &[u8], offset: u64, kind: NumberKind) -> f64 {
    let at = offset as usize;
    let word = bytes.get(at..at + 4).map_or([0; 4], |word| [word[0], word[1], word[2], word[3]]);
    match kind {
        NumberKind::Float => f64::from(f32::from_le_bytes(word)),
        NumberKind::Signed => f64::from(i32::from_le_bytes(word)),
        NumberKind::Unsigned | NumberKind::Bool => f64::from(u32::from_le_bytes(word)),
    }
}

/// Sets the numbers of a buffer of 32-bit numbers, in order.
pub(super) fn fill(module: &Module, inputs: &mut Inputs, slot: Slot, value: fn(u32) -> f64) {
    let values = named(module, inputs, slot);
    let bytes = inputs.buffers.get_mut(&slot).and_then(|list| list.first_mut()).expect("a buffer");
    let places = values.iter().flat_map(|of| of.offsets.iter().map(|&offset| (offset as usize, of.kind)));
    for (at, (offset, kind)) in (0..).zip(places) {
        let word = match kind {
            NumberKind::Float => (value(at) as f32).to_le_bytes(),
            NumberKind::Signed => (value(at) as i32).to_le_bytes(),
            NumberKind::Unsigned | NumberKind::Bool => (value(at) as u32).to_le_bytes(),
        };
        bytes[offset..offset + 4].copy_from_slice(&word);
    }
}

/// The numbers of a buffer of 32-bit numbers, in order: before the run, or after it.
pub(super) fn numbers(module: &Module, inputs: &Inputs, after: Option<&Outcome>, slot: Slot) -> Vec<f64> {
    let bytes = bytes(inputs, after, slot);
    let values = named(module, inputs, slot);
    let numbers: Vec<f64> = values
        .iter()
        .flat_map(|value| value.offsets.iter().map(|&offset| number(bytes, offset, value.kind)))
        .collect();
    assert!(!numbers.is_empty(), "there is no buffer {slot:?}");
    numbers
}

/// The first two components of the vectors whose names have this end.
pub(super) fn positions(
    module: &Module,
    inputs: &Inputs,
    after: Option<&Outcome>,
    slot: Slot,
    end: &str,
) -> Vec<[f64; 2]> {
    let bytes = bytes(inputs, after, slot);
    let values = named(module, inputs, slot);
    let found = values.iter().filter(|value| value.name.ends_with(end) && value.offsets.len() > 1);
    let found: Vec<[f64; 2]> =
        found.map(|value| [0, 1].map(|at| number(bytes, value.offsets[at], value.kind))).collect();
    assert!(!found.is_empty(), "there is no {end} in buffer {slot:?}");
    found
}

/// A picture that is filled by rectangles.
struct Canvas {
    pixels: Pixels,
    size: u32,
}

impl Canvas {
    fn new(size: u32) -> Canvas {
        Canvas { pixels: vec![NOTHING; (size * size) as usize], size }
    }

    fn fill(&mut self, [left, top, width, height]: [u32; 4], color: [u8; 4]) {
        for y in top..(top + height).min(self.size) {
            for x in left..(left + width).min(self.size) {
                self.pixels[(y * self.size + x) as usize] = color;
            }
        }
    }

    /// Bars between two rows: values up from zero, negative ones down.
    fn bars(&mut self, values: &[f64], top: u32, height: u32, color: [u8; 4]) {
        let most = values.iter().copied().fold(0.0, f64::max);
        let least = values.iter().copied().fold(0.0, f64::min);
        let scale = f64::from(height - 2) / (most - least).max(1e-9);
        let zero = top + 1 + (most * scale).round() as u32;
        let count = values.len() as u32;
        for (at, &value) in (0..).zip(values) {
            let (left, right) = (at * self.size / count, (at + 1) * self.size / count);
            let gap = u32::from(right - left > 2);
            let length = (value.abs() * scale).round() as u32;
            // Zero has a bar, too.
            let (from, color) = if value < 0.0 { (zero, NEGATIVE) } else { (zero - length, color) };
            self.fill([left, from, right - left - gap, length.max(1)], color);
        }
    }
}

/// Values before a run above the values after it.
pub(super) fn bars(before: &[f64], after: &[f64], size: u32) -> Pixels {
    let mut canvas = Canvas::new(size);
    canvas.bars(before, 2, size / 2 - 6, BEFORE);
    canvas.bars(after, size / 2 + 2, size / 2 - 4, AFTER);
    canvas.pixels
}

/// Cells of a square that are not zero: those that stay, those that are new, and those that are gone.
pub(super) fn cells(before: &[f64], after: &[f64], size: u32) -> Pixels {
    let side = (1..).find(|side| side * side >= before.len() as u32).unwrap_or(1);
    let cell = size / side;
    let mut canvas = Canvas::new(size);
    for (at, (was, is)) in (0..).zip(before.iter().zip(after)) {
        let place = |inset: u32| {
            let [x, y] = [at % side * cell, at / side * cell];
            [x + inset, y + inset, cell - 2 * inset, cell - 2 * inset]
        };
        if *was != 0.0 {
            canvas.fill(place(4), BEFORE);
        }
        if *is != 0.0 {
            canvas.fill(place(1), AFTER);
        }
    }
    canvas.pixels
}

/// Points before and after a run, upward, with the line that each of them took.
pub(super) fn dots(before: &[[f64; 2]], after: &[[f64; 2]], size: u32) -> Pixels {
    let all = || before.iter().chain(after);
    let range = |axis: usize| {
        let values = || all().map(|point| point[axis]);
        let (least, most) = (values().fold(f64::MAX, f64::min), values().fold(f64::MIN, f64::max));
        (least, (most - least).max(1e-9))
    };
    let ranges = [range(0), range(1)];
    let room = f64::from(size - 10);
    let place = |point: &[f64; 2]| {
        let [x, y] = [0, 1].map(|axis| (point[axis] - ranges[axis].0) / ranges[axis].1 * room);
        [x + 5.0, f64::from(size) - 5.0 - y]
    };
    let mut canvas = Canvas::new(size);
    let mut dot = |[x, y]: [f64; 2], radius: f64, color| {
        let side = (2.0 * radius).round() as u32;
        let corner = |at: f64| (at - radius).max(0.0).round() as u32;
        canvas.fill([corner(x), corner(y), side, side], color);
    };
    for (from, to) in before.iter().zip(after) {
        let ([x, y], [to_x, to_y]) = (place(from), place(to));
        for step in 0..24 {
            let part = f64::from(step) / 24.0;
            dot([x + (to_x - x) * part, y + (to_y - y) * part], 0.5, BEFORE);
        }
    }
    before.iter().for_each(|point| dot(place(point), 1.5, BEFORE));
    after.iter().for_each(|point| dot(place(point), 2.5, AFTER));
    canvas.pixels
}

/// The file of a square picture.
pub(super) fn png(pixels: &Pixels, size: u32) -> Vec<u8> {
    let mut colors: Vec<[u8; 4]> = Vec::new();
    let mut indices = Vec::new();
    for pixel in pixels {
        let known = colors.iter().position(|color| color == pixel);
        indices.push(known.unwrap_or_else(|| {
            colors.push(*pixel);
            colors.len() - 1
        }));
    }
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, size, size);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_compression(png::Compression::High);
    // A picture of few colors is smaller with a palette.
    let data = if colors.len() <= 256 {
        encoder.set_color(png::ColorType::Indexed);
        encoder.set_palette(colors.iter().flat_map(|color| color[..3].to_vec()).collect::<Vec<u8>>());
        encoder.set_trns(colors.iter().map(|color| color[3]).collect::<Vec<u8>>());
        indices.iter().map(|&index| index as u8).collect()
    } else {
        encoder.set_color(png::ColorType::Rgba);
        pixels.concat()
    };
    let mut writer = encoder.write_header().expect("a header");
    writer.write_image_data(&data).expect("the pixels");
    writer.finish().expect("the end of the file");
    bytes
}
