//! The vertex shader that gives a fragment shader the inputs of a run, in GLSL ES 3.00.
//!
//! The same triangle as in [`super::vertex`], with one difference, which is here and nowhere else: the first row of a
//! framebuffer of WebGL2 is the lowest one, and the first row of a picture here is the highest. So row `y` of the picture is
//! drawn into row `y` of the framebuffer, upside down to a viewer. Then `gl_FragCoord`, derivatives along `y` and the rows
//! that are read back are those of the interpreter, and nothing else is flipped. The corners have the opposite order, so
//! that the front still faces the viewer.

use super::units::as_output;
use super::vertex::{StageInput, number};
use crate::interp::Varying;
use crate::ops::Scalar;
use std::fmt::Write;

/// The text, for a picture of this size in pixels.
///
/// # Errors
///
/// The input that the text of the fragment shader does not declare, as a sentence.
pub(super) fn vertex_shader_es(
    code: &str,
    inputs: &[StageInput],
    [width, height]: [u32; 2],
    per_pixel: bool,
) -> Result<String, String> {
    let mut text = String::from(
        "#version 300 es\nprecision highp float;\nprecision highp int;\n\n\
         // Values that no constant may have, such as a NaN, are the bits of a variable.\nuint zero = 0u;\n",
    );
    for input in inputs {
        let name = format!("location_{}", input.location);
        let declared = as_output(code, &name)
            .ok_or_else(|| format!("The text has no input for location {}.", input.location))?;
        text.push_str(&declared);
        text.push('\n');
        if per_pixel && input.is_flat() {
            // Writing into a string cannot fail.
            let _ = writeln!(
                text,
                "layout(location = {0}) in {1} value{0};",
                input.location,
                vector("uint", input.components.len())
            );
        }
    }
    text.push_str("\nvoid main() {\n");
    let _ = match per_pixel {
        true => writeln!(
            text,
            "  vec2 pixel = vec2(float(gl_InstanceID % {width}), float(gl_InstanceID / {width}));\n  \
             vec2 corners[6] = vec2[6](vec2(0.0, 0.0), vec2(1.0, 0.0), vec2(0.0, 1.0), vec2(1.0, 0.0), vec2(1.0, 1.0), vec2(0.0, 1.0));\n  \
             vec2 corner = pixel + corners[gl_VertexID];"
        ),
        false => writeln!(
            text,
            "  vec2 corners[3] = vec2[3](vec2(0.0, 0.0), vec2({1}.0, 0.0), vec2(0.0, {0}.0));\n  \
             vec2 corner = corners[gl_VertexID];",
            2 * height,
            2 * width
        ),
    };
    // The depth 0 is -1 before the viewport is applied.
    let _ = writeln!(
        text,
        "  gl_Position = vec4(corner.x * {:?} - 1.0, corner.y * {:?} - 1.0, -1.0, 1.0);",
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
        let ty = vector(scalar_name(input.scalar), parts.len());
        let _ = writeln!(text, "  location_{} = {ty}({});", input.location, parts.join(", "));
    }
    text.push_str("}\n");
    Ok(text)
}

fn scalar_name(scalar: &str) -> &'static str {
    match scalar {
        "i32" => "int",
        "u32" => "uint",
        _ => "float",
    }
}

/// The name of a vector.
fn vector(scalar: &str, components: usize) -> String {
    let prefix = match scalar {
        "int" => "i",
        "uint" => "u",
        _ => "",
    };
    if components == 1 { scalar.to_owned() } else { format!("{prefix}vec{components}") }
}

/// The number with these bits.
fn number_of(scalar: &str, bits: &str) -> String {
    match scalar {
        "i32" => format!("int({bits})"),
        "u32" => bits.to_owned(),
        _ => format!("uintBitsToFloat({bits})"),
    }
}

/// A component of the buffer of a flat input.
fn given(input: &StageInput, at: usize) -> String {
    let value = match input.components.len() {
        1 => format!("value{}", input.location),
        _ => format!("value{}[{at}]", input.location),
    };
    number_of(input.scalar, &value)
}

/// A component at a corner of the picture.
fn component(input: &StageInput, varying: &Varying) -> String {
    let Varying { base, dx, dy, .. } = *varying;
    if matches!(input.scalar, "i32" | "u32") {
        // Without a slope: otherwise each pixel has its own value.
        return number_of(input.scalar, &format!("{:#x}u", base as u32));
    }
    let start = Scalar::new(input.width, base).to_f64() as f32;
    let start = number_of(input.scalar, &format!("{:#x}u | zero", start.to_bits()));
    match dx == 0.0 && dy == 0.0 {
        true => start,
        false => format!("{start} + corner.x * {} + corner.y * {}", number(dx), number(dy)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::Width;

    fn input(location: u32, scalar: &'static str, components: Vec<Varying>) -> StageInput {
        StageInput {
            location,
            ty: String::new(),
            scalar,
            interpolation: if scalar == "f32" { "" } else { "@interpolate(flat)" }.to_owned(),
            width: Width::W32,
            components,
            singles: Vec::new(),
        }
    }

    #[test]
    fn rows_are_drawn_from_the_first_to_the_last() {
        let one = Varying { base: u64::from(0.5f32.to_bits()), dx: 0.25, dy: -1.0, float: true };
        let inputs = [
            input(3, "f32", vec![one, Varying { dx: 0.0, dy: 0.0, ..one }]),
            input(4, "i32", vec![Varying { base: 7, ..Varying::default() }]),
        ];
        let code = "in vec2 location_3;\nflat in int location_4;\n";
        let text = vertex_shader_es(code, &inputs, [256, 128], false).expect("a text");
        assert!(text.contains("corner.x * 0.0078125 - 1.0, corner.y * 0.015625 - 1.0, -1.0"), "{text}");
        let value = "location_3 = vec2(uintBitsToFloat(0x3f000000u | zero) + corner.x * 0.25 + corner.y * (-1.0), uintBitsToFloat(0x3f000000u | zero));";
        assert!(text.contains(value), "{text}");
        assert!(text.contains("flat out int location_4;"), "{text}");
        assert!(text.contains("location_4 = int(int(0x7u));"), "{text}");
        assert!(vertex_shader_es("", &inputs, [4, 4], false).is_err());
    }

    #[test]
    fn flat_inputs_that_differ_come_from_a_buffer() {
        let flat = input(2, "u32", vec![Varying { base: 7, dx: 0.5, ..Varying::default() }; 2]);
        let text = vertex_shader_es("flat in uvec2 location_2;\n", &[flat], [4, 4], true).expect("a text");
        assert!(text.contains("layout(location = 2) in uvec2 value2;"), "{text}");
        assert!(text.contains("location_2 = uvec2(value2[0], value2[1]);"), "{text}");
    }
}
