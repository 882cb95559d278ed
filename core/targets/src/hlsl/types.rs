//! Types and literals of HLSL.

use crate::number::{Kind, NumberType};
use vitrine_ir::ops::Width;

/// The name of a number type. `None` if HLSL has no such vector.
pub(super) fn number(ty: NumberType) -> Option<String> {
    let scalar = match (ty.kind, ty.width) {
        (Kind::Bool, _) => "bool",
        (Kind::Int, Width::W32) => "int",
        (Kind::Uint, Width::W32) => "uint",
        (Kind::Float, Width::W32) => "float",
        (Kind::Float, Width::W64) => "double",
        (Kind::Float, Width::W16) => "float16_t",
        (Kind::Int, Width::W16) => "int16_t",
        (Kind::Int, Width::W64) => "int64_t",
        (Kind::Uint, Width::W16) => "uint16_t",
        (Kind::Uint, Width::W64) => "uint64_t",
        (Kind::Int | Kind::Uint | Kind::Float, Width::W8)
        | (Kind::Int | Kind::Uint | Kind::Float, Width::W1) => return None,
    };
    match ty.components {
        1 => Some(scalar.to_owned()),
        components @ 2..=4 => Some(format!("{scalar}{components}")),
        _ => None,
    }
}

/// A component as a literal, or as a conversion of one. Without a suffix a literal would be computed with 64 bits.
pub(super) fn literal(kind: Kind, width: Width, bits: u64) -> String {
    let negative = bits & width.sign_bit() != 0;
    let signed = if negative { (bits | !width.mask()) as i64 } else { bits as i64 };
    match (kind, width) {
        (Kind::Bool, _) => (bits != 0).to_string(),
        (Kind::Float, Width::W32) => float32(bits as u32),
        (Kind::Float, Width::W64) => float64(bits),
        (Kind::Float, _) => float16(bits as u16),
        (Kind::Int, Width::W32) if signed == i64::from(i32::MIN) => "int(0x80000000u)".to_owned(),
        (Kind::Int, Width::W64) if signed == i64::MIN => "int64_t(0x8000000000000000ull)".to_owned(),
        (Kind::Int, Width::W64) => format!("{signed}ll"),
        (Kind::Int, Width::W16 | Width::W8) => format!("int16_t({signed})"),
        (Kind::Int, _) => format!("{signed}"),
        (Kind::Uint, Width::W16 | Width::W8) => format!("uint16_t({bits})"),
        (Kind::Uint, _) => {
            let suffix = if width == Width::W64 { "ull" } else { "u" };
            if bits > 0xffff { format!("{bits:#x}{suffix}") } else { format!("{bits}{suffix}") }
        }
    }
}

fn float32(bits: u32) -> String {
    let value = f32::from_bits(bits);
    if value.is_finite() && !value.is_subnormal() {
        format!("{value:?}f")
    } else {
        format!("asfloat({bits:#x}u)")
    }
}

fn float16(bits: u16) -> String {
    let value = half::f16::from_bits(bits);
    match value.is_finite() {
        true => format!("{:?}h", value.to_f32()),
        false => format!("float16_t({})", float32(value.to_f32().to_bits())),
    }
}

fn float64(bits: u64) -> String {
    let value = f64::from_bits(bits);
    match value.is_finite() {
        true => format!("{value:?}L"),
        false => format!("asdouble({:#x}u, {:#x}u)", bits & 0xffff_ffff, bits >> 32),
    }
}

/// The function that reads bits of one kind as another. `None` if there is none.
pub(super) fn bit_cast(from: NumberType, to: Kind) -> Option<String> {
    let name = match (from.kind, to, from.width) {
        (Kind::Int | Kind::Uint, Kind::Int | Kind::Uint, _) => return number(from.with_kind(to)),
        (_, Kind::Float, Width::W32) => "asfloat",
        (Kind::Float, Kind::Int, Width::W32) => "asint",
        (Kind::Float, _, Width::W32) => "asuint",
        _ => return None,
    };
    Some(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_the_bits() {
        let float = |value: f32| literal(Kind::Float, Width::W32, u64::from(value.to_bits()));
        assert_eq!([float(1.0), float(-0.0), float(1e20)], ["1.0f", "-0.0f", "1e20f"]);
        assert_eq!(float(f32::NAN), "asfloat(0x7fc00000u)");
        assert_eq!(literal(Kind::Int, Width::W32, 0xffff_ffff), "-1");
        assert_eq!(literal(Kind::Int, Width::W32, 0x8000_0000), "int(0x80000000u)");
        assert_eq!(literal(Kind::Uint, Width::W64, 7), "7ull");
    }
}
