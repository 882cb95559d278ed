//! Types and literals of MSL (Metal Shading Language Specification, chapter 2).

use super::super::number::{Kind, NumberType};
use std::fmt::Write;
use vitrine_ir::ops::{Scalar, Width};

/// The name of a scalar. `None` if MSL has no such number.
fn scalar(kind: Kind, width: Width) -> Option<&'static str> {
    Some(match (kind, width) {
        (Kind::Bool, _) => "bool",
        (Kind::Int, Width::W8) => "char",
        (Kind::Int, Width::W16) => "short",
        (Kind::Int, Width::W32) => "int",
        (Kind::Int, Width::W64) => "long",
        (Kind::Uint, Width::W8) => "uchar",
        (Kind::Uint, Width::W16) => "ushort",
        (Kind::Uint, Width::W32) => "uint",
        (Kind::Uint, Width::W64) => "ulong",
        (Kind::Float, Width::W16) => "half",
        (Kind::Float, Width::W32) => "float",
        (Kind::Int | Kind::Uint, Width::W1) | (Kind::Float, Width::W1 | Width::W8 | Width::W64) => {
            return None;
        }
    })
}

/// The name of a number type. `None` if MSL has no such type.
pub(super) fn number(ty: NumberType) -> Option<String> {
    let name = scalar(ty.kind, ty.width)?;
    match ty.components {
        1 => Some(name.to_owned()),
        components @ 2..=4 => Some(format!("{name}{components}")),
        _ => None,
    }
}

/// The bits of a number as another kind.
pub(super) fn bit_cast(from: NumberType, to: Kind) -> Option<String> {
    let name = number(from.with_kind(to))?;
    match from.kind == Kind::Float || to == Kind::Float {
        true => Some(format!("as_type<{name}>")),
        // The constructor keeps the bits of integers.
        false => Some(name),
    }
}

/// A component as a literal, or as a conversion of one.
pub(super) fn literal(kind: Kind, width: Width, bits: u64) -> String {
    let mut out = String::new();
    let is_negative = bits & width.sign_bit() != 0;
    let signed = if is_negative { (bits | !width.mask()) as i64 } else { bits as i64 };
    // Writing into a string cannot fail.
    let _ = match (kind, width) {
        (Kind::Bool, _) => write!(out, "{}", bits != 0),
        (Kind::Float, Width::W16) => {
            let value = Scalar::new(width, bits).to_f64() as f32;
            match value.is_finite() {
                true => write!(out, "half({value:?})"),
                false => write!(out, "as_type<half>(ushort({bits:#x}u))"),
            }
        }
        (Kind::Float, _) => {
            let value = f32::from_bits(bits as u32);
            if value.is_finite() {
                write!(out, "{value:?}")
            } else {
                write!(out, "as_type<float>({bits:#x}u)")
            }
        }
        (Kind::Int, Width::W8) => write!(out, "char({signed})"),
        (Kind::Int, Width::W16) => write!(out, "short({signed})"),
        (Kind::Int, Width::W64) if signed == i64::MIN => write!(out, "long(0x8000000000000000ul)"),
        (Kind::Int, Width::W64) => write!(out, "{signed}l"),
        (Kind::Int, _) if signed == i64::from(i32::MIN) => write!(out, "int(0x80000000u)"),
        (Kind::Int, _) => write!(out, "{signed}"),
        (Kind::Uint, Width::W8) => write!(out, "uchar({bits}u)"),
        (Kind::Uint, Width::W16) => write!(out, "ushort({bits}u)"),
        (Kind::Uint, _) => {
            let suffix = if width == Width::W64 { "ul" } else { "u" };
            if bits > 0xffff { write!(out, "{bits:#x}{suffix}") } else { write!(out, "{bits}{suffix}") }
        }
    };
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_the_bits() {
        let float = |value: f32| literal(Kind::Float, Width::W32, u64::from(value.to_bits()));
        assert_eq!([float(1.0), float(0.001), float(-0.0), float(1e20)], ["1.0", "0.001", "-0.0", "1e20"]);
        assert_eq!(float(f32::NAN), "as_type<float>(0x7fc00000u)");
        assert_eq!(literal(Kind::Float, Width::W16, 0x3c00), "half(1.0)");
        assert_eq!(literal(Kind::Int, Width::W32, 0xffff_ffff), "-1");
        assert_eq!(literal(Kind::Int, Width::W32, 0x8000_0000), "int(0x80000000u)");
        assert_eq!(literal(Kind::Int, Width::W16, 0xffff), "short(-1)");
        assert_eq!(literal(Kind::Uint, Width::W32, 7), "7u");
        assert_eq!(number(NumberType::new(Kind::Bool, Width::W1, 3)).as_deref(), Some("bool3"));
    }
}
