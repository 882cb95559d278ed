//! Spelling of constant bits: bits have no type, so the printer chooses the most readable spelling.
//!
//! The choice is a fixed function of the bits, and every spelling parses to the same bits, so it may look
//! unusual but is never wrong. By width: 1 is `true` or `false`; 8 is a signed number; wider ones are small
//! integers in decimal, floats of ordinary magnitude as floats, and everything else in hexadecimal.

use std::fmt::Write;
use vitrine_ir::ops::{Bits, Scalar, Width};

/// Magnitudes that are written as floats: from a trillionth up to a quadrillion.
const FLOATS: std::ops::Range<f64> = 1e-12..1e15;

/// Largest magnitude of an integer that is written in decimal: below the bits of the smallest normal float.
fn decimal_limit(width: Width) -> u64 {
    match width {
        Width::W1 => 1,
        Width::W8 => 128,
        Width::W16 => 1_023,
        Width::W32 => 8_388_607,
        Width::W64 => 1 << 48,
    }
}

/// Writes one component.
pub fn spell_component(out: &mut String, width: Width, bits: u64) {
    let component = Scalar::new(width, bits);
    if width == Width::W1 {
        out.push_str(if component.as_bool() { "true" } else { "false" });
        return;
    }
    let number = component.as_i64();
    if number.unsigned_abs() <= decimal_limit(width) {
        spell_integer(out, number);
    } else if !spell_float(out, component) {
        let _ = write!(out, "{:#x}", component.bits());
    }
}

fn spell_integer(out: &mut String, number: i64) {
    if number < 0 {
        out.push('-');
    }
    push_decimal(out, number.unsigned_abs());
}

/// Writes a number in decimal; `fmt` would dominate the cost of a line.
pub(super) fn push_decimal(out: &mut String, mut number: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    // Digits are UTF-8; a single copy is several times faster than a push per digit.
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}

/// Writes a float of ordinary magnitude; returns false for other bits.
fn spell_float(out: &mut String, component: Scalar) -> bool {
    let value = component.to_f64();
    let negative_zero = component.bits() == component.width().sign_bit();
    if !FLOATS.contains(&value.abs()) && !negative_zero {
        return false;
    }
    let _ = match component.width() {
        Width::W32 => write!(out, "{:?}", f32::from_bits(component.bits() as u32)),
        Width::W64 => write!(out, "{value:?}"),
        _ => write!(out, "{:?}", shortest_half(component, value)),
    };
    true
}

/// The decimal number with the fewest digits that rounds to the half.
fn shortest_half(component: Scalar, value: f64) -> f64 {
    let rounds_back = |digits: &usize| {
        let short: f64 = format!("{value:.*e}", *digits).parse().unwrap_or(value);
        (Scalar::float(component.width(), short) == component).then_some(short)
    };
    (0..6).find_map(|digits| rounds_back(&digits)).unwrap_or(value)
}

/// Writes a whole value: one component bare, several in parentheses.
pub fn spell(out: &mut String, bits: &Bits) {
    if let [component] = bits.components() {
        return spell_component(out, bits.width(), *component);
    }
    out.push('(');
    for (at, &component) in bits.components().iter().enumerate() {
        if at > 0 {
            out.push_str(", ");
        }
        spell_component(out, bits.width(), component);
    }
    out.push(')');
}

/// Parses one component: `true`, `-1`, `0xff`, `1.5`, `1e-3`. `None` if the text is not a number or does not
/// fit.
pub fn read_component(width: Width, text: &str) -> Option<u64> {
    match text {
        "true" => return Some(1).filter(|_| width == Width::W1),
        "false" => return Some(0).filter(|_| width == Width::W1),
        _ => {}
    }
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if let Some(hex) = digits.strip_prefix("0x") {
        let value = u64::from_str_radix(hex, 16).ok().filter(|_| !hex.starts_with('+'))?;
        return (!negative && value <= width.mask()).then_some(value);
    }
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        return read_decimal(width, negative, digits.parse().ok()?);
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let component = match width {
        Width::W32 => Scalar::new(width, u64::from(text.parse::<f32>().ok()?.to_bits())),
        Width::W64 => Scalar::new(width, text.parse::<f64>().ok()?.to_bits()),
        Width::W16 => Scalar::float(width, text.parse().ok()?),
        Width::W1 | Width::W8 => return None,
    };
    component.to_f64().is_finite().then_some(component.bits())
}

/// Accepts both the signed and the unsigned range.
fn read_decimal(width: Width, negative: bool, magnitude: u64) -> Option<u64> {
    if !negative {
        return (magnitude <= width.mask()).then_some(magnitude);
    }
    (magnitude <= width.sign_bit()).then(|| magnitude.wrapping_neg() & width.mask())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spelled(width: Width, bits: u64) -> String {
        let mut out = String::new();
        spell_component(&mut out, width, bits);
        out
    }

    #[test]
    fn people_recognise_their_numbers() {
        for (width, bits, text) in [
            (Width::W1, 1, "true"),
            (Width::W8, 0xff, "-1"),
            (Width::W16, 0x3c00, "1.0"),
            (Width::W16, 0x2e66, "0.1"),
            (Width::W16, 7, "7"),
            (Width::W32, 0x3f80_0000, "1.0"),
            (Width::W32, 0x3dcc_cccd, "0.1"),
            (Width::W32, 0x8000_0000, "-0.0"),
            (Width::W32, 0xffff_ffff, "-1"),
            (Width::W32, 0x7f80_0000, "0x7f800000"),
            (Width::W32, 0xdead_beef, "0xdeadbeef"),
            (Width::W64, 0x3ff0_0000_0000_0000, "1.0"),
            (Width::W64, 1 << 40, "1099511627776"),
        ] {
            assert_eq!(spelled(width, bits), text);
        }
    }

    #[test]
    fn every_half_and_byte_reads_back() {
        for (width, count) in [(Width::W1, 2), (Width::W8, 256), (Width::W16, 65_536)] {
            for bits in 0..count {
                assert_eq!(read_component(width, &spelled(width, bits)), Some(bits), "{width:?} {bits:#x}");
            }
        }
    }

    #[test]
    fn samples_of_wide_components_read_back() {
        let mut state = 1u64;
        for _ in 0..200_000 {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let bits = state ^ (state >> 29);
            assert_eq!(read_component(Width::W64, &spelled(Width::W64, bits)), Some(bits));
            let low = bits & u64::from(u32::MAX);
            assert_eq!(read_component(Width::W32, &spelled(Width::W32, low)), Some(low));
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_refused() {
        for (width, text) in [
            (Width::W8, "256"),
            (Width::W8, "-129"),
            (Width::W8, "1.0"),
            (Width::W1, "2"),
            (Width::W32, "0x100000000"),
            (Width::W32, "1e99"),
            (Width::W32, "nan"),
            (Width::W32, "--1"),
            (Width::W32, "0x+1"),
            (Width::W32, ""),
            (Width::W32, "1.0.0"),
        ] {
            assert_eq!(read_component(width, text), None, "{text}");
        }
        assert_eq!(read_component(Width::W8, "-128"), Some(0x80));
    }
}
