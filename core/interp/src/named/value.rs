//! Numbers as text, by their kind: `0.5`, `-3`, `true`, `0x3f800000`.
//!
//! Hexadecimal digits are bits, of a float too. Floats print as the shortest spelling that reads back as the same bits; a NaN
//! with other bits than usual prints as bits.

use super::leaves::NumberKind;
use vitrine_ir::ops::{Scalar, Width};

/// Bits as text.
pub(super) fn write(out: &mut String, bits: u64, width: Width, kind: NumberKind) {
    let spare = 64 - width.bits().max(1);
    match kind {
        NumberKind::Bool => out.push_str(if bits & 1 == 0 { "false" } else { "true" }),
        NumberKind::Unsigned => out.push_str(&bits.to_string()),
        NumberKind::Signed => out.push_str(&((bits << spare).cast_signed() >> spare).to_string()),
        NumberKind::Float => {
            let scalar = Scalar::new(width, bits);
            let number = scalar.to_f64();
            if number.is_nan() && scalar != Scalar::nan(width) {
                let digits = width.bits() as usize / 4;
                out.push_str(&format!("0x{bits:0digits$x}"));
            } else if width == Width::W64 {
                out.push_str(&format!("{number:?}"));
            } else {
                out.push_str(&format!("{:?}", number as f32));
            }
        }
    }
}

/// The bits of a number, or the words that were expected.
pub(super) fn read(word: &str, width: Width, kind: NumberKind) -> Result<u64, String> {
    let is_negative = word.starts_with('-');
    let digits = word.trim_start_matches(['-', '+']);
    let hex = digits.strip_prefix("0x").or(digits.strip_prefix("0X"));
    let most = u64::MAX >> (64 - width.bits().max(1));
    let too_large = || format!("`{word}` does not fit into {} bits", width.bits());
    if let Some(hex) = hex {
        let bits = u64::from_str_radix(hex, 16).ok().filter(|_| !is_negative);
        let bits = bits.ok_or_else(|| format!("`{word}` is not a number"))?;
        return if bits <= most { Ok(bits) } else { Err(too_large()) };
    }
    match kind {
        NumberKind::Bool => match word {
            "true" | "1" => Ok(1),
            "false" | "0" => Ok(0),
            _ => Err(format!("`{word}` is not a boolean: write true or false")),
        },
        NumberKind::Float => {
            let word = word.strip_suffix(['f', 'F']).filter(|word| !word.ends_with("in")).unwrap_or(word);
            let number: f64 = word.parse().map_err(|_| {
                format!(
                    "`{word}` is not a float: write a number such as 0.5, inf, nan, or its bits, 0x3f000000"
                )
            })?;
            Ok(Scalar::float(width, number).bits())
        }
        NumberKind::Signed | NumberKind::Unsigned => {
            let number: i128 = word.parse().map_err(|_| {
                format!("`{word}` is not an integer: write a number such as 3, or its bits, 0x3")
            })?;
            let low = if kind == NumberKind::Signed { -i128::from(most / 2 + 1) } else { 0 };
            // A signed number may be written as its bits in decimal, too.
            if number < low || number > i128::from(most) {
                Err(too_large())
            } else {
                Ok(number as u64 & most)
            }
        }
    }
}

/// The bits of a number without a type: a point, an exponent, `inf` or `nan` make it a float.
pub(super) fn read_untyped(word: &str, width: Width) -> Result<u64, String> {
    let is_hex = word.contains("0x") || word.contains("0X");
    let is_float = !is_hex && word.contains(['.', 'e', 'E', 'n']);
    match width {
        Width::W1 => read(word, width, NumberKind::Bool),
        Width::W16 | Width::W32 | Width::W64 if is_float => read(word, width, NumberKind::Float),
        _ => read(word, width, NumberKind::Unsigned).or_else(|_| read(word, width, NumberKind::Signed)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_back_as_the_same_bits() {
        let kinds = [NumberKind::Float, NumberKind::Signed, NumberKind::Unsigned];
        for width in [Width::W16, Width::W32, Width::W64] {
            for kind in kinds {
                for seed in 0..200u64 {
                    let bits = Scalar::new(width, seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)).bits();
                    let mut text = String::new();
                    write(&mut text, bits, width, kind);
                    assert_eq!(read(&text, width, kind), Ok(bits), "{text} {width:?} {kind:?}");
                }
            }
        }
    }

    #[test]
    fn a_wrong_number_is_explained() {
        let wrong = |word, kind| read(word, Width::W32, kind).unwrap_err();
        assert!(wrong("moon", NumberKind::Float).contains("such as 0.5"));
        assert!(wrong("0.5", NumberKind::Signed).contains("not an integer"));
        assert!(wrong("4294967296", NumberKind::Unsigned).contains("does not fit into 32 bits"));
        assert!(wrong("-1", NumberKind::Unsigned).contains("does not fit"));
        assert!(wrong("2", NumberKind::Bool).contains("true or false"));
        assert_eq!(read("1.5f", Width::W32, NumberKind::Float), Ok(0x3fc0_0000));
        assert_eq!(read("-inf", Width::W32, NumberKind::Float), Ok(0xff80_0000));
        assert_eq!(read("-1", Width::W32, NumberKind::Signed), Ok(0xffff_ffff));
    }
}
