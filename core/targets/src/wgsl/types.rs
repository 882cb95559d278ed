//! Types and literals of WGSL.

use super::super::number::{Kind, NumberType};
use std::fmt::Write;
use vitrine_ir::ops::Width;

/// The extension that a width needs: the name after `enable`.
pub(super) fn extension(ty: NumberType) -> Option<&'static str> {
    (ty.width == Width::W16).then_some("f16")
}

/// The letter of vectors of a kind, and the name of the scalar. `None` if WGSL has no such number.
fn scalar(ty: NumberType) -> Option<(&'static str, &'static str)> {
    Some(match (ty.kind, ty.width) {
        (Kind::Bool, _) => ("bool", "<bool>"),
        (Kind::Int, Width::W32) => ("i32", "i"),
        (Kind::Uint, Width::W32) => ("u32", "u"),
        (Kind::Float, Width::W32) => ("f32", "f"),
        (Kind::Float, Width::W16) => ("f16", "h"),
        _ => return None,
    })
}

/// The name of a number type. `None` if WGSL has no such type.
pub(super) fn number(ty: NumberType) -> Option<String> {
    let (name, suffix) = scalar(ty)?;
    match ty.components {
        1 => Some(name.to_owned()),
        components @ 2..=4 => Some(format!("vec{components}{suffix}")),
        _ => None,
    }
}

/// A component as a literal. Numbers that no constant may be are written by `values`; here they are their bits.
pub(super) fn literal(kind: Kind, width: Width, bits: u64) -> String {
    let mut out = String::new();
    // Writing into a string cannot fail.
    let _ = match (kind, width) {
        (Kind::Bool, _) => write!(out, "{}", bits != 0),
        (Kind::Float, Width::W16) => {
            let value = vitrine_ir::ops::Scalar::new(width, bits).to_f64() as f32;
            write!(out, "{value:?}h")
        }
        (Kind::Float, _) => {
            let value = f32::from_bits(bits as u32);
            match value.is_finite() {
                true if reads_back(value) => float(&mut out, value),
                true => hexadecimal(&mut out, value),
                false => write!(out, "bitcast<f32>({bits:#x}u)"),
            }
        }
        (Kind::Int, _) if bits as u32 == 0x8000_0000 => write!(out, "i32(-2147483648)"),
        (Kind::Int, _) => write!(out, "{}", (bits as u32).cast_signed()),
        (Kind::Uint, _) if bits > 0xffff => write!(out, "{bits:#x}u"),
        (Kind::Uint, _) => write!(out, "{bits}u"),
    };
    out
}

/// A finite number: as short as it can be. With the exponent of a large one it has a suffix, so that it is no integer.
fn float(out: &mut String, value: f32) -> std::fmt::Result {
    let text = format!("{value:?}");
    match text.contains('.') || text.contains('e') && value.abs() < 1.0 {
        true if text.contains('e') => write!(out, "{text}f"),
        true => write!(out, "{text}"),
        false => write!(out, "{text}f"),
    }
}

/// Returns true if the shortest decimal text of a number is that number for a compiler that reads it in 64 bits: it must not
/// be above the largest number, and is rounded twice.
fn reads_back(value: f32) -> bool {
    let read = format!("{value:?}").parse::<f64>().unwrap_or(f64::INFINITY);
    read.abs() <= f64::from(f32::MAX) && (read as f32).to_bits() == value.to_bits()
}

/// A finite number that is not 0 with its bits: `0x1.fffffep+127f`.
fn hexadecimal(out: &mut String, value: f32) -> std::fmt::Result {
    const FRACTION: u32 = 23;
    const BIAS: i32 = 127;
    let bits = value.to_bits();
    let (mut fraction, biased) = (bits & ((1 << FRACTION) - 1), (bits >> FRACTION & 0xff) as i32);
    let mut exponent = biased - BIAS;
    if biased == 0 {
        // Without the leading 1: it is moved there.
        let shift = fraction.leading_zeros() - (31 - FRACTION);
        fraction = fraction << shift & ((1 << FRACTION) - 1);
        exponent = 1 - BIAS - shift.cast_signed();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    let digits = format!("{:06x}", fraction << 1);
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    write!(out, "{sign}0x1{point}{digits}p{exponent:+}f")
}

/// The function that reads bits of one kind as another.
pub(super) fn bit_cast(from: NumberType, to: Kind) -> Option<String> {
    let name = number(from.with_kind(to))?;
    match from.kind == Kind::Float || to == Kind::Float {
        true => Some(format!("bitcast<{name}>")),
        // The constructor keeps the bits of integers.
        false => Some(name),
    }
}

/// True if a constant of these bits may not be written: infinities and NaN.
pub(super) fn is_forbidden(kind: Kind, width: Width, bits: u64) -> bool {
    kind == Kind::Float && !vitrine_ir::ops::Scalar::new(width, bits).to_f64().is_finite()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_have_the_bits() {
        let float = |value: f32| literal(Kind::Float, Width::W32, u64::from(value.to_bits()));
        assert_eq!([float(1.0), float(0.001), float(-0.0), float(1e20)], ["1.0", "0.001", "-0.0", "1e20f"]);
        assert_eq!(float(1e-20), "1e-20f");
        assert_eq!([float(f32::MAX), float(-f32::MAX)], ["0x1.fffffep+127f", "-0x1.fffffep+127f"]);
        let text = |value: f32| {
            let mut out = String::new();
            hexadecimal(&mut out, value).expect("strings grow");
            out
        };
        assert_eq!([text(1.0), text(-2.5), text(f32::MIN_POSITIVE)], ["0x1p+0f", "-0x1.4p+1f", "0x1p-126f"]);
        assert_eq!(
            [text(f32::from_bits(1)), text(f32::from_bits(0x7f_ffff))],
            ["0x1p-149f", "0x1.fffffcp-127f"]
        );
        assert_eq!(literal(Kind::Int, Width::W32, 0xffff_ffff), "-1");
        assert_eq!(literal(Kind::Int, Width::W32, 0x8000_0000), "i32(-2147483648)");
        assert_eq!(literal(Kind::Uint, Width::W32, 7), "7u");
        assert_eq!(number(NumberType::new(Kind::Bool, Width::W1, 3)).as_deref(), Some("vec3<bool>"));
        assert!(is_forbidden(Kind::Float, Width::W32, 0x7f80_0000));
    }
}
