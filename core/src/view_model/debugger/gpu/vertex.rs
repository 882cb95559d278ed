//! The vertex shader that gives a fragment shader the inputs of a run, in WGSL.
//!
//! Inputs are linear functions of the pixel, so one triangle over the whole picture interpolates them. Inputs without
//! interpolation that differ between pixels need a square for each pixel. The depth is 0 and the front faces the viewer,
//! as in the interpreter. Refuses inputs of single pixels, which the caller tells.

use crate::interp::Varying;
use crate::ops::{Scalar, Width};
use std::fmt::Write;

/// An input of a fragment shader, as its text declares it.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct StageInput {
    pub(super) location: u32,
    /// Its type, such as `vec2<f32>`.
    pub(super) ty: String,
    /// Its scalar: `f32`, `i32`, `u32` or `f16`.
    pub(super) scalar: &'static str,
    /// What the text says of its interpolation, such as `@interpolate(flat)`; may be empty.
    pub(super) interpolation: String,
    pub(super) width: Width,
    /// The function of each component.
    pub(super) components: Vec<Varying>,
}

impl StageInput {
    fn is_flat(&self) -> bool {
        self.interpolation.contains("flat")
    }

    /// True if a triangle over the whole picture cannot give it.
    pub(super) fn differs_between_pixels(&self) -> bool {
        self.is_flat() && self.components.iter().any(|varying| varying.dx != 0.0 || varying.dy != 0.0)
    }
}

/// The text, for a picture of this size in pixels.
pub(super) fn vertex_shader(inputs: &[StageInput], [width, height]: [u32; 2], per_pixel: bool) -> String {
    let mut text = String::new();
    if inputs.iter().any(|input| input.scalar == "f16") {
        text.push_str("enable f16;\n\n");
    }
    // Values that no constant may have, such as a NaN, are the bits of a variable.
    text.push_str("var<private> zero: u32 = 0u;\n\nstruct Varyings {\n  @builtin(position) position: vec4<f32>,\n");
    for StageInput { location, ty, interpolation, .. } in inputs {
        let space = if interpolation.is_empty() { "" } else { " " };
        // Writing into a string cannot fail.
        let _ = writeln!(text, "  @location({location}){space}{interpolation} input{location}: {ty},");
    }
    text.push_str("}\n\n@vertex\nfn main(@builtin(vertex_index) vertex: u32, @builtin(instance_index) instance: u32) -> Varyings {\n");
    let _ = match per_pixel {
        true => writeln!(
            text,
            "  let pixel = vec2<f32>(f32(instance % {width}u), f32(instance / {width}u));\n  \
             var corners = array<vec2<f32>, 6>(vec2(0.0, 0.0), vec2(0.0, 1.0), vec2(1.0, 0.0), vec2(1.0, 0.0), vec2(0.0, 1.0), vec2(1.0, 1.0));\n  \
             let corner = pixel + corners[vertex];\n  let center = pixel + vec2(0.5, 0.5);"
        ),
        false => writeln!(
            text,
            "  var corners = array<vec2<f32>, 3>(vec2(0.0, 0.0), vec2(0.0, {0}.0), vec2({1}.0, 0.0));\n  \
             let corner = corners[vertex];\n  let center = corner;",
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
        let point = if input.is_flat() { "center" } else { "corner" };
        let parts: Vec<String> =
            input.components.iter().map(|varying| component(input, varying, point)).collect();
        let _ = writeln!(text, "  out.input{} = {}({});", input.location, input.ty, parts.join(", "));
    }
    text.push_str("  return out;\n}\n");
    text
}

/// A component at a point of the picture.
fn component(input: &StageInput, varying: &Varying, point: &str) -> String {
    let Varying { base, dx, dy, float } = *varying;
    let change = format!("{point}.x * {} + {point}.y * {}", number(dx), number(dy));
    let is_constant = dx == 0.0 && dy == 0.0;
    match input.scalar {
        "f32" | "f16" => {
            let start = Scalar::new(input.width, base).to_f64() as f32;
            let start = format!("bitcast<f32>({:#x}u | zero)", start.to_bits());
            let whole = if is_constant { start } else { format!("{start} + {change}") };
            format!("{}({whole})", input.scalar)
        }
        // Bits of a float that the shader reads as an integer are not interpolated.
        scalar if is_constant || float => format!("bitcast<{scalar}>({:#x}u)", base as u32),
        scalar => format!("bitcast<{scalar}>({:#x}u) + {scalar}({change})", base as u32),
    }
}

/// A finite factor as a literal, which is never negative without parentheses.
fn number(factor: f32) -> String {
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
        }
    }

    #[test]
    fn inputs_are_linear_over_one_triangle() {
        let one = Varying { base: u64::from(0.5f32.to_bits()), dx: 0.25, dy: -1.0, float: true };
        let text = vertex_shader(&[input("f32", "", vec![one, Varying { dx: 0.0, dy: 0.0, ..one }])], [256, 128], false);
        assert!(text.contains("@location(3) input3: vec2<f32>,"), "{text}");
        assert!(text.contains("corner.x * 0.0078125 - 1.0, 1.0 - corner.y * 0.015625"), "{text}");
        let value = "vec2<f32>(f32(bitcast<f32>(0x3f000000u | zero) + corner.x * 0.25 + corner.y * (-1.0)), f32(bitcast<f32>(0x3f000000u | zero)))";
        assert!(text.contains(value), "{text}");
    }

    #[test]
    fn flat_inputs_that_differ_need_a_square_for_each_pixel() {
        let flat = input("u32", "@interpolate(flat)", vec![Varying { base: 7, dx: 0.5, ..Varying::default() }; 2]);
        assert!(flat.differs_between_pixels());
        let text = vertex_shader(&[flat], [4, 4], true);
        assert!(text.contains("instance % 4u") && text.contains("bitcast<u32>(0x7u) + u32(center.x * 0.5"), "{text}");
        let same = input("i32", "@interpolate(flat)", vec![Varying::default(); 2]);
        assert!(!same.differs_between_pixels());
    }
}
