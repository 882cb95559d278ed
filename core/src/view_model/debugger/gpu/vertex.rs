//! The vertex shader that gives a fragment shader the inputs of a run, in WGSL.
//!
//! Inputs are linear functions of the pixel, so one triangle over the whole picture interpolates them. Inputs without
//! interpolation that differ between pixels need a square for each pixel, and come from a buffer with the very values that
//! the interpreter computes. The depth is 0 and the front faces the viewer,
//! as in the interpreter. Refuses inputs of single pixels, which the caller reports.

use crate::interp::Varying;
use crate::ops::{Scalar, Width};
use std::collections::BTreeMap;
use std::fmt::Write;

/// An input of a fragment shader, as its text declares it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct StageInput {
    pub(super) location: u32,
    /// Its type, such as `vec2<f32>`.
    pub(super) ty: String,
    /// Its scalar: `f32`, `i32`, `u32` or `f16`.
    pub(super) scalar: &'static str,
    /// The attribute of its interpolation in the text, such as `@interpolate(flat)`; may be empty.
    pub(super) interpolation: String,
    pub(super) width: Width,
    /// The function of each component.
    pub(super) components: Vec<Varying>,
    /// The bits of single pixels that differ from it, for each component.
    pub(super) singles: Vec<BTreeMap<[u32; 2], u64>>,
}

impl StageInput {
    pub(super) fn is_flat(&self) -> bool {
        self.interpolation.contains("flat")
    }

    /// `f`, `i` or `u`.
    pub(super) fn kind(&self) -> char {
        match self.scalar {
            "i32" => 'i',
            "u32" => 'u',
            _ => 'f',
        }
    }

    /// The values of a flat input, pixel by pixel, as the interpreter computes them: 4 bytes for each component.
    pub(super) fn values(&self, [width, height]: [u32; 2]) -> Vec<u8> {
        let places = (0..width * height).map(|pixel| [pixel % width, pixel / width]);
        places.flat_map(|place| self.value(place, 0.5)).collect()
    }

    /// The values of an attribute: those of the vertices of the first instance, then those of the next.
    pub(super) fn vertex_values(&self, [vertices, instances]: [u32; 2]) -> Vec<u8> {
        let places = (0..instances).flat_map(|instance| (0..vertices).map(move |vertex| [vertex, instance]));
        places.flat_map(|place| self.value(place, 0.0)).collect()
    }

    /// The value of an invocation, whose place is at this distance from its number.
    fn value(&self, place: [u32; 2], center: f64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let [x, y] = place.map(|place| f64::from(place) + center);
        for (at, varying) in self.components.iter().enumerate() {
            if let Some(&bits) = self.singles.get(at).and_then(|singles| singles.get(&place)) {
                bytes.extend((bits as u32).to_le_bytes());
                continue;
            }
            let change = x * f64::from(varying.dx) + y * f64::from(varying.dy);
            let is_float = varying.float || matches!(self.scalar, "f32" | "f16");
            let bits = match is_float {
                true => {
                    let base = Scalar::new(self.width, varying.base).to_f64();
                    Scalar::float(Width::W32, base + change).bits()
                }
                false => varying.base.wrapping_add((change as i64).cast_unsigned()),
            };
            bytes.extend((bits as u32).to_le_bytes());
        }
        bytes
    }

    /// True if single pixels have values of their own.
    pub(super) fn has_singles(&self) -> bool {
        self.singles.iter().any(|singles| !singles.is_empty())
    }

    /// True if a triangle over the whole picture cannot give it.
    pub(super) fn differs_between_pixels(&self) -> bool {
        let has_slope = self.components.iter().any(|varying| varying.dx != 0.0 || varying.dy != 0.0);
        self.is_flat() && (has_slope || self.has_singles())
    }
}

/// The text, for a picture of this size in pixels.
pub(super) fn vertex_shader(inputs: &[StageInput], [width, height]: [u32; 2], per_pixel: bool) -> String {
    let mut text = String::new();
    if inputs.iter().any(|input| input.scalar == "f16") {
        text.push_str("enable f16;\n\n");
    }
    // Values that no constant may have, such as a NaN, are the bits of a variable.
    text.push_str(
        "var<private> zero: u32 = 0u;\n\nstruct Varyings {\n  @builtin(position) position: vec4<f32>,\n",
    );
    for StageInput { location, ty, interpolation, .. } in inputs {
        let space = if interpolation.is_empty() { "" } else { " " };
        // Writing into a string cannot fail.
        let _ = writeln!(text, "  @location({location}){space}{interpolation} input{location}: {ty},");
    }
    text.push_str(
        "}\n\n@vertex\nfn main(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32",
    );
    for input in inputs.iter().filter(|input| per_pixel && input.is_flat()) {
        let ty = match input.components.len() {
            1 => "u32".to_owned(),
            components => format!("vec{components}<u32>"),
        };
        let _ = write!(text, ", @location({0}) value{0}: {ty}", input.location);
    }
    text.push_str(") -> Varyings {\n");
    let _ = match per_pixel {
        true => writeln!(
            text,
            "  let pixel = vec2<f32>(f32(instance % {width}u), f32(instance / {width}u));\n  \
             var corners = array<vec2<f32>, 6>(vec2(0.0, 0.0), vec2(0.0, 1.0), vec2(1.0, 0.0), vec2(1.0, 0.0), vec2(0.0, 1.0), vec2(1.0, 1.0));\n  \
             let corner = pixel + corners[vertex];"
        ),
        false => writeln!(
            text,
            "  var corners = array<vec2<f32>, 3>(vec2(0.0, 0.0), vec2(0.0, {0}.0), vec2({1}.0, 0.0));\n  \
             let corner = corners[vertex];",
            2 * height,
            2 * width
        ),
    };
    let _ = writeln!(
        text,
        "  var out: Varyings;\n  \
         out.position = vec4(corner.x * {:?} - 1.0, 1.0 - corner.y * {:?}, 0.0, 1.0);",
        2.0 / width.max(1) as f32,
        2.0 / height.max(1) as f32
    );
    for input in inputs {
        let parts: Vec<String> = (0..)
            .zip(&input.components)
            .map(|(at, varying)| match per_pixel && input.is_flat() {
                true => given(input, at),
                false => component(input, varying),
            })
            .collect();
        let _ = writeln!(text, "  out.input{} = {}({});", input.location, input.ty, parts.join(", "));
    }
    text.push_str("  return out;\n}\n");
    text
}

/// A component of the buffer of a flat input.
fn given(input: &StageInput, at: usize) -> String {
    let value = match input.components.len() {
        1 => format!("value{}", input.location),
        _ => format!("value{}[{at}]", input.location),
    };
    match input.scalar {
        "f16" => format!("f16(bitcast<f32>({value}))"),
        scalar => format!("bitcast<{scalar}>({value})"),
    }
}

/// A component at a corner of the picture.
fn component(input: &StageInput, varying: &Varying) -> String {
    let Varying { base, dx, dy, .. } = *varying;
    match input.scalar {
        "f32" | "f16" => {
            let start = Scalar::new(input.width, base).to_f64() as f32;
            let start = format!("bitcast<f32>({:#x}u | zero)", start.to_bits());
            let change = format!("corner.x * {} + corner.y * {}", number(dx), number(dy));
            let whole = if dx == 0.0 && dy == 0.0 { start } else { format!("{start} + {change}") };
            format!("{}({whole})", input.scalar)
        }
        // Without a slope: otherwise each pixel has its own value.
        scalar => format!("bitcast<{scalar}>({:#x}u)", base as u32),
    }
}

/// A finite factor as a literal, which is never negative without parentheses.
pub(super) fn number(factor: f32) -> String {
    let text = format!("{factor:?}");
    // The language has a suffix, but no exponent without digits.
    if factor < 0.0 { format!("({text})") } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn input(scalar: &'static str, interpolation: &str, components: Vec<Varying>) -> StageInput {
        let ty = format!("vec{}<{scalar}>", components.len());
        StageInput {
            location: 3,
            ty,
            scalar,
            interpolation: interpolation.to_owned(),
            width: Width::W32,
            components,
            singles: Vec::new(),
        }
    }

    #[test]
    fn inputs_are_linear_over_one_triangle() {
        let one = Varying { base: u64::from(0.5f32.to_bits()), dx: 0.25, dy: -1.0, float: true };
        let text = vertex_shader(
            &[input("f32", "", vec![one, Varying { dx: 0.0, dy: 0.0, ..one }])],
            [256, 128],
            false,
        );
        assert!(text.contains("@location(3) input3: vec2<f32>,"), "{text}");
        assert!(text.contains("corner.x * 0.0078125 - 1.0, 1.0 - corner.y * 0.015625"), "{text}");
        let value = "vec2<f32>(f32(bitcast<f32>(0x3f000000u | zero) + corner.x * 0.25 + corner.y * (-1.0)), f32(bitcast<f32>(0x3f000000u | zero)))";
        assert!(text.contains(value), "{text}");
    }

    #[test]
    fn flat_inputs_that_differ_need_a_square_for_each_pixel() {
        let flat =
            input("u32", "@interpolate(flat)", vec![Varying { base: 7, dx: 0.5, ..Varying::default() }; 2]);
        assert!(flat.differs_between_pixels());
        let values = flat.values([4, 4]);
        let text = vertex_shader(&[flat], [4, 4], true);
        assert!(text.contains("instance % 4u") && text.contains("@location(3) value3: vec2<u32>"), "{text}");
        assert!(text.contains("vec2<u32>(bitcast<u32>(value3[0]), bitcast<u32>(value3[1]))"), "{text}");
        let words = values.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word));
        assert_eq!(words.take(8).collect::<Vec<_>>(), [7, 7, 7, 7, 8, 8, 8, 8], "at 0.25, 0.75, 1.25, 1.75");
        let same = input("i32", "@interpolate(flat)", vec![Varying::default(); 2]);
        assert!(!same.differs_between_pixels());
    }
}
