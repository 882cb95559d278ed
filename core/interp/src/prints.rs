//! Formatted output of a run: the lines that `print` writes, each with its invocation.
//!
//! The format is that of NonSemantic.DebugPrintf, which glslang and DXC emit for `debugPrintfEXT` and `printf`:
//! `%[flags][width][.precision][v components]letter`, with `l` or `u` before the letter of a 64-bit number. The letters
//! are `d i u o x X a e f g`, and their capitals. A component that is undefined is written as `?`, and a conversion that
//! is unknown or has no operand stays as it is.
//!
//! Source: "Debug Printf" in the documentation of the Vulkan validation layers; C, "7.21.6.1 The fprintf function".

use std::fmt::Write;
use vitrine_ir::ops::{Scalar, Width};
use vitrine_ir::{Func, Inst};

/// The lines of a run that are kept; further ones are counted.
const MOST_LINES: usize = 4096;
/// The largest width and precision of a conversion: a format is untrusted.
const MOST_LETTERS: usize = 256;

/// One output of an invocation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Print {
    /// The function, and the instruction in it.
    pub at: (Func, Inst),
    /// The number of the invocation.
    pub invocation: u64,
    /// Its position, see [`super::InvocationInfo`].
    pub position: [u32; 3],
    /// The text.
    pub text: String,
}

/// The formatted output of a run, in the order of execution.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Prints {
    list: Vec<Print>,
    /// The number of lines that are not kept.
    pub dropped: u64,
}

impl Prints {
    pub(super) fn add(&mut self, print: impl FnOnce() -> Print) {
        match self.list.len() < MOST_LINES {
            true => self.list.push(print()),
            false => self.dropped += 1,
        }
    }

    /// Adds the lines of a run that follows.
    pub(super) fn extend(&mut self, next: &Prints) {
        next.list.iter().for_each(|print| self.add(|| print.clone()));
        self.dropped += next.dropped;
    }

    /// The lines in the order of execution.
    pub fn list(&self) -> &[Print] {
        &self.list
    }
}

/// An operand: the width of its components, and each component, `None` if it is undefined.
pub(super) struct Printed {
    pub(super) width: Width,
    pub(super) components: Vec<Option<u64>>,
}

/// A conversion: the part of a format that an operand replaces.
#[derive(Default)]
struct Conversion {
    left: bool,
    zeros: bool,
    plus: bool,
    blank: bool,
    alternate: bool,
    width: usize,
    precision: Option<usize>,
    letter: char,
}

/// The text of a format with its operands.
pub(super) fn formatted(format: &str, operands: &[Printed]) -> String {
    let mut out = String::new();
    let mut rest = format;
    let mut operands = operands.iter();
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = rest.strip_prefix("%%") {
            out.push('%');
            rest = after;
            continue;
        }
        match conversion(rest).and_then(|(conversion, after)| Some((conversion, operands.next()?, after))) {
            Some((conversion, operand, after)) => {
                for (at, &component) in operand.components.iter().enumerate() {
                    out.push_str(if at > 0 { ", " } else { "" });
                    let component = component.map(|bits| Scalar::new(operand.width, bits));
                    conversion.put(&mut out, component);
                }
                rest = after;
            }
            None => {
                out.push('%');
                rest = &rest[1..];
            }
        }
    }
    out + rest
}

/// The conversion that a text begins with, and what follows it.
fn conversion(text: &str) -> Option<(Conversion, &str)> {
    let mut found = Conversion::default();
    let mut rest = text.strip_prefix('%')?;
    loop {
        match rest.chars().next()? {
            '-' => found.left = true,
            '0' => found.zeros = true,
            '+' => found.plus = true,
            ' ' => found.blank = true,
            '#' => found.alternate = true,
            _ => break,
        }
        rest = &rest[1..];
    }
    let number = |rest: &mut &str| {
        let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        let (digits, after) = rest.split_at(end);
        *rest = after;
        digits.parse().ok().unwrap_or(0usize).min(MOST_LETTERS)
    };
    found.width = number(&mut rest);
    if let Some(after) = rest.strip_prefix('.') {
        rest = after;
        found.precision = Some(number(&mut rest));
    }
    if let Some(after) = rest.strip_prefix('v') {
        rest = after.strip_prefix(['2', '3', '4'])?;
    }
    // `ul` is an unsigned number of 64 bits, `l` is the width of the next letter.
    if let Some(after) = rest.strip_prefix("ul") {
        found.letter = 'u';
        return Some((found, after));
    }
    rest = rest.strip_prefix('l').unwrap_or(rest);
    found.letter = rest.chars().next().filter(|letter| "diuoxXaAeEfFgG".contains(*letter))?;
    Some((found, &rest[1..]))
}

impl Conversion {
    /// Writes a component, padded to the width.
    fn put(&self, out: &mut String, component: Option<Scalar>) {
        let Some(component) = component else { return self.pad(out, "", "?", false) };
        let value = component.to_f64();
        let number = component.as_i64();
        let (is_negative, digits, is_number) = match self.letter {
            'd' | 'i' => (number < 0, number.unsigned_abs().to_string(), true),
            'u' => (false, component.bits().to_string(), true),
            'o' => (false, format!("{:o}", component.bits()), true),
            'x' => (false, format!("{:x}", component.bits()), true),
            'X' => (false, format!("{:X}", component.bits()), true),
            _ => (value.is_sign_negative() && !value.is_nan(), self.float(value.abs()), value.is_finite()),
        };
        let digits = match self.precision {
            Some(least) if "diuoxX".contains(self.letter) => format!("{digits:0>least$}"),
            _ => digits,
        };
        let base = match self.letter {
            'x' if self.alternate && component.bits() != 0 => "0x",
            'X' if self.alternate && component.bits() != 0 => "0X",
            _ => "",
        };
        let sign = match (is_negative, self.plus, self.blank) {
            _ if "uoxX".contains(self.letter) => "",
            (true, ..) => "-",
            (false, true, _) => "+",
            (false, false, true) => " ",
            (false, false, false) => "",
        };
        self.pad(out, &format!("{sign}{base}"), &digits, is_number);
    }

    /// Writes a sign and digits, with blanks or zeros up to the width.
    fn pad(&self, out: &mut String, sign: &str, digits: &str, is_number: bool) {
        let missing = self.width.saturating_sub(sign.len() + digits.len());
        let blanks = " ".repeat(missing);
        let _ = match (self.left, self.zeros && is_number) {
            (true, _) => write!(out, "{sign}{digits}{blanks}"),
            (false, true) => write!(out, "{sign}{}{digits}", "0".repeat(missing)),
            (false, false) => write!(out, "{blanks}{sign}{digits}"),
        };
    }

    /// A float without its sign.
    fn float(&self, value: f64) -> String {
        let precision = self.precision.unwrap_or(6);
        let text = match self.letter.to_ascii_lowercase() {
            _ if value.is_nan() => "nan".to_owned(),
            _ if value.is_infinite() => "inf".to_owned(),
            'f' => format!("{value:.precision$}"),
            'e' => scientific(value, precision),
            'a' => hexadecimal(value),
            _ => general(value, precision.max(1)),
        };
        if self.letter.is_ascii_uppercase() { text.to_ascii_uppercase() } else { text }
    }
}

/// `1.5e+03`.
fn scientific(value: f64, precision: usize) -> String {
    let text = format!("{value:.precision$e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// The shorter of both forms, with a number of significant digits and without zeros at the end.
fn general(value: f64, digits: usize) -> String {
    let scientific = scientific(value, digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let power: i32 = exponent.parse().unwrap_or(0);
    let short = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if power < -4 || power >= digits as i32 {
        return format!("{}e{exponent}", short(mantissa));
    }
    let after = (digits as i32 - 1 - power).unsigned_abs() as usize;
    short(&format!("{value:.after$}"))
}

/// `0x1.8p+1`.
fn hexadecimal(value: f64) -> String {
    let bits = value.to_bits();
    let (exponent, fraction) = ((bits >> 52) as i64 & 0x7ff, bits & ((1 << 52) - 1));
    let (first, power) = match (exponent, fraction) {
        (0, 0) => (0, 0),
        (0, _) => (0, -1022),
        _ => (1, exponent - 1023),
    };
    let digits = format!("{fraction:013x}");
    let digits = digits.trim_end_matches('0');
    let point = if digits.is_empty() { "" } else { "." };
    format!("0x{first}{point}{digits}p{power:+}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(format: &str, width: Width, components: &[u64]) -> String {
        let components = components.iter().map(|&bits| Some(bits)).collect();
        formatted(format, &[Printed { width, components }])
    }

    #[test]
    fn numbers_are_written_as_c_writes_them() {
        let float = |value: f32| u64::from(value.to_bits());
        for (format, width, bits, wanted) in [
            ("n = %d;", Width::W32, 0xffff_fffe, "n = -2;"),
            ("%u", Width::W32, 0xffff_fffe, "4294967294"),
            ("%05d|", Width::W32, 0xffff_fffe, "-0002|"),
            ("%-5d|", Width::W32, 7, "7    |"),
            ("%5d|", Width::W32, 7, "    7|"),
            ("%+.3d", Width::W32, 7, "+007"),
            ("%#x %%", Width::W32, 255, "0xff %"),
            ("%X", Width::W16, 0xffff, "FFFF"),
            ("%lx", Width::W64, 0x1_0000_0000, "100000000"),
            ("%lu", Width::W64, u64::MAX, "18446744073709551615"),
            ("%ul", Width::W64, u64::MAX, "18446744073709551615"),
            ("%f", Width::W32, float(1.5), "1.500000"),
            ("%8.2f|", Width::W32, float(-1.5), "   -1.50|"),
            ("%08.2f|", Width::W32, float(-1.5), "-0001.50|"),
            ("%e", Width::W32, float(1500.0), "1.500000e+03"),
            ("%g", Width::W32, float(0.0001), "0.0001"),
            ("%g", Width::W32, float(1e10), "1e+10"),
            ("%G", Width::W32, float(1e-7), "1E-07"),
            ("%a", Width::W32, float(3.0), "0x1.8p+1"),
            ("%05f|", Width::W32, float(f32::INFINITY), "  inf|"),
            ("%f", Width::W16, 0x3e00, "1.500000"),
            ("%s %", Width::W32, 1, "%s %"),
        ] {
            assert_eq!(of(format, width, &[bits]), wanted, "{format}");
        }
    }

    #[test]
    fn vectors_have_commas_and_undefined_components_a_question_mark() {
        let half = u64::from(0.5f32.to_bits());
        assert_eq!(of("(%1.2v2f)", Width::W32, &[half, 0]), "(0.50, 0.00)");
        let operand = Printed { width: Width::W32, components: vec![Some(1), None] };
        assert_eq!(formatted("%v2d %d", &[operand]), "1, ? %d");
    }

    #[test]
    fn huge_widths_are_limited() {
        assert_eq!(of("%99999999999999999999d", Width::W32, &[1]).len(), 1);
        assert_eq!(of("%9999d", Width::W32, &[1]).len(), MOST_LETTERS);
        assert!(of("%.9999f", Width::W32, &[0]).len() <= MOST_LETTERS + 2);
    }
}
