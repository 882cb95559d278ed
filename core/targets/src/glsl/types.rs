//! Types and literals of GLSL 4.60, and the extensions that they need.

use crate::number::{Kind, NumberType};
use std::fmt::Write;
use vitrine_ir::ops::{Scalar, Width};

/// The extension that a width needs.
pub(super) fn extension(ty: NumberType) -> Option<&'static str> {
    match (ty.width, ty.kind) {
        (Width::W1 | Width::W32, _) | (Width::W64, Kind::Float) => None,
        (Width::W8, _) => Some("GL_EXT_shader_explicit_arithmetic_types_int8"),
        (Width::W16, Kind::Float) => Some("GL_EXT_shader_explicit_arithmetic_types_float16"),
        (Width::W16, _) => Some("GL_EXT_shader_explicit_arithmetic_types_int16"),
        (Width::W64, _) => Some("GL_EXT_shader_explicit_arithmetic_types_int64"),
    }
}

/// The name of a number type. `None` if GLSL has no such vector.
pub(super) fn number(ty: NumberType) -> Option<String> {
    let scalar = match (ty.kind, ty.width) {
        (Kind::Bool, _) => ("bool", "b"),
        (Kind::Int, Width::W32) => ("int", "i"),
        (Kind::Uint, Width::W32) => ("uint", "u"),
        (Kind::Float, Width::W32) => ("float", ""),
        (Kind::Float, Width::W64) => ("double", "d"),
        (Kind::Float, Width::W16) => ("float16_t", "f16"),
        (Kind::Int, Width::W8) => ("int8_t", "i8"),
        (Kind::Int, Width::W16) => ("int16_t", "i16"),
        (Kind::Int, Width::W64) => ("int64_t", "i64"),
        (Kind::Uint, Width::W8) => ("uint8_t", "u8"),
        (Kind::Uint, Width::W16) => ("uint16_t", "u16"),
        (Kind::Uint, Width::W64) => ("uint64_t", "u64"),
        (Kind::Int | Kind::Uint, Width::W1) | (Kind::Float, Width::W1 | Width::W8) => return None,
    };
    match ty.components {
        1 => Some(scalar.0.to_owned()),
        components @ 2..=4 => Some(format!("{}vec{components}", scalar.1)),
        _ => None,
    }
}

/// A component as a literal, or as a conversion of one.
pub(super) fn literal(kind: Kind, width: Width, bits: u64) -> String {
    let mut out = String::new();
    let negative = bits & width.sign_bit() != 0;
    let signed = if negative { (bits | !width.mask()) as i64 } else { bits as i64 };
    let _ = match (kind, width) {
        (Kind::Bool, _) => write!(out, "{}", bits != 0),
        (Kind::Float, Width::W32) => float32(&mut out, bits as u32),
        (Kind::Float, Width::W64) => float64(&mut out, bits),
        (Kind::Float, _) => float16(&mut out, bits),
        (Kind::Int, Width::W32) if signed == i64::from(i32::MIN) => write!(out, "int(0x80000000u)"),
        (Kind::Int, Width::W64) if signed == i64::MIN => write!(out, "int64_t(0x8000000000000000ul)"),
        (Kind::Int, Width::W64) => write!(out, "{signed}l"),
        (Kind::Int, Width::W16) => write!(out, "int16_t({signed})"),
        (Kind::Int, Width::W8) => write!(out, "int8_t({signed})"),
        (Kind::Int, _) => write!(out, "{signed}"),
        (Kind::Uint, Width::W8) => write!(out, "uint8_t({bits}u)"),
        (Kind::Uint, Width::W16) => write!(out, "uint16_t({bits}u)"),
        (Kind::Uint, _) => {
            let suffix = if width == Width::W64 { "ul" } else { "u" };
            if bits > 0xffff { write!(out, "{bits:#x}{suffix}") } else { write!(out, "{bits}{suffix}") }
        }
    };
    out
}

/// Returns true for an infinity or a NaN of 16 or 64 bits, which is written by its bits as an integer that needs an extension.
pub(super) fn is_written_by_bits(kind: Kind, width: Width, bits: u64) -> bool {
    let exponent = match (kind, width) {
        (Kind::Float, Width::W16) => 0x7c00,
        (Kind::Float, Width::W64) => 0x7ff0_0000_0000_0000,
        (Kind::Float, Width::W1 | Width::W8 | Width::W32) | (Kind::Bool | Kind::Int | Kind::Uint, _) => {
            return false;
        }
    };
    bits & exponent == exponent
}

/// GLSL ES has no literals of 16 bits: a number that 16 bits can hold is converted exactly.
fn float16(out: &mut String, bits: u64) -> std::fmt::Result {
    match is_written_by_bits(Kind::Float, Width::W16, bits) {
        true => write!(out, "uint16BitsToFloat16(uint16_t({bits}u))"),
        false => {
            let value = Scalar::new(Width::W16, bits).f2f(Width::W32).bits() as u32;
            out.push_str("float16_t(");
            float32(out, value)?;
            out.push(')');
            Ok(())
        }
    }
}

fn float32(out: &mut String, bits: u32) -> std::fmt::Result {
    let value = f32::from_bits(bits);
    if value.is_finite() { write!(out, "{value:?}") } else { write!(out, "uintBitsToFloat({bits:#x}u)") }
}

fn float64(out: &mut String, bits: u64) -> std::fmt::Result {
    let value = f64::from_bits(bits);
    if value.is_finite() {
        write!(out, "{value:?}lf")
    } else {
        write!(out, "uint64BitsToDouble({bits:#x}ul)")
    }
}

/// The function that reads bits of one kind as another; `None` if a constructor does.
pub(super) fn bit_cast(from: NumberType, to: Kind) -> Option<&'static str> {
    let at = match (from.kind, to) {
        (Kind::Float, Kind::Int) => 0,
        (Kind::Float, Kind::Uint) => 1,
        (Kind::Int, Kind::Float) => 2,
        (Kind::Uint, Kind::Float) => 3,
        _ => return None,
    };
    let row = match from.width {
        Width::W16 => {
            ["float16BitsToInt16", "float16BitsToUint16", "int16BitsToFloat16", "uint16BitsToFloat16"]
        }
        Width::W64 => ["doubleBitsToInt64", "doubleBitsToUint64", "int64BitsToDouble", "uint64BitsToDouble"],
        Width::W1 | Width::W8 | Width::W32 => {
            ["floatBitsToInt", "floatBitsToUint", "intBitsToFloat", "uintBitsToFloat"]
        }
    };
    row.get(at).copied()
}

/// The functions that take no numbers of 64 bits (GLSL 4.60, 8.1 and 8.2).
const WITHOUT_DOUBLES: [&str; 19] = [
    "radians", "degrees", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh",
    "acosh", "atanh", "pow", "exp", "log", "exp2", "log2",
];

/// Returns true if a function takes no numbers of 64 bits.
pub(super) fn lacks_doubles(name: &str) -> bool {
    WITHOUT_DOUBLES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_the_bits() {
        let float = |value: f32| literal(Kind::Float, Width::W32, u64::from(value.to_bits()));
        assert_eq!([float(1.0), float(0.001), float(-0.0), float(1e20)], ["1.0", "0.001", "-0.0", "1e20"]);
        assert_eq!(float(f32::NAN), "uintBitsToFloat(0x7fc00000u)");
        assert_eq!(literal(Kind::Int, Width::W32, 0xffff_ffff), "-1");
        assert_eq!(literal(Kind::Int, Width::W32, 0x8000_0000), "int(0x80000000u)");
        assert_eq!(literal(Kind::Uint, Width::W32, 7), "7u");
        assert_eq!(literal(Kind::Bool, Width::W1, 1), "true");
    }
}
