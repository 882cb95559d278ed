//! Literals: words to spellings and back, exactly, at every supported width.
//!
//! A finite float is the shortest decimal number that reads back to the same bits; an infinity, a NaN or a
//! denormal is a hexadecimal one (`0x1p+128`, `0x1.8p+128`), as spirv-dis writes them.

use half::f16;
use std::fmt::Write as _;

/// The interpretation of the bits of a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NumberForm {
    /// An unsigned integer.
    Unsigned,
    /// A signed integer in two's complement.
    Signed,
    /// An IEEE 754 number.
    Float,
    /// A bfloat16.
    BFloat,
    /// An encoding without a spelling.
    Opaque,
}

/// A numeric type, as far as literals need it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Number {
    /// Width in bits, as declared.
    pub width: u32,
    /// The interpretation of its bits.
    pub form: NumberForm,
}

impl Default for Number {
    fn default() -> Number {
        Number::WORD
    }
}

/// The layout of a float.
struct Layout {
    /// Bits of the fraction.
    fraction: u32,
    /// Bits of the exponent.
    exponent: u32,
}

impl Layout {
    fn bias(&self) -> i64 {
        (1 << (self.exponent - 1)) - 1
    }
}

impl Number {
    /// A word as an unsigned integer: the default.
    pub const WORD: Number = Number { width: 32, form: NumberForm::Unsigned };

    /// The number of words of a literal.
    pub fn words(self) -> usize {
        (self.width.div_ceil(32) as usize).max(1)
    }

    fn layout(self) -> Option<Layout> {
        match (self.form, self.width) {
            (NumberForm::Float, 16) => Some(Layout { fraction: 10, exponent: 5 }),
            (NumberForm::Float, 32) => Some(Layout { fraction: 23, exponent: 8 }),
            (NumberForm::Float, 64) => Some(Layout { fraction: 52, exponent: 11 }),
            (NumberForm::BFloat, 16) => Some(Layout { fraction: 7, exponent: 8 }),
            _ => None,
        }
    }

    /// Writes the literal. Returns false, and writes nothing, if these words have no spelling.
    pub fn spell(self, words: &[u32], out: &mut String) -> bool {
        let bits = match *words {
            [low] if self.width <= 32 => u64::from(low),
            [low, high] if self.width <= 64 => u64::from(high) << 32 | u64::from(low),
            _ => return false,
        };
        match self.form {
            NumberForm::Unsigned => {
                let fits = self.width > 0 && (self.width == 64 || bits >> self.width == 0);
                fits && write!(out, "{bits}").is_ok()
            }
            NumberForm::Signed => {
                let value = if words.len() == 1 { i64::from(bits as u32 as i32) } else { bits as i64 };
                let fits = self.width > 0 && in_range(value, self.width);
                fits && write!(out, "{value}").is_ok()
            }
            NumberForm::Float | NumberForm::BFloat => match self.layout() {
                Some(layout) if self.width == 64 || bits >> self.width == 0 => {
                    self.spell_float(bits, &layout, out);
                    true
                }
                _ => false,
            },
            NumberForm::Opaque => false,
        }
    }

    fn spell_float(self, bits: u64, layout: &Layout, out: &mut String) {
        let exponent = bits >> layout.fraction & ((1 << layout.exponent) - 1);
        let fraction = bits & ((1 << layout.fraction) - 1);
        if exponent == (1 << layout.exponent) - 1 || exponent == 0 && fraction != 0 {
            spell_hex(bits, layout, out);
            return;
        }
        match (self.form, self.width) {
            (NumberForm::Float, 64) => decimal(f64::from_bits(bits), f64::from_bits(bits), out),
            (NumberForm::Float, 16) => {
                let value = f16::from_bits(bits as u16).to_f32();
                decimal(value, f64::from(value), out);
            }
            (NumberForm::BFloat, _) => {
                let value = f32::from_bits((bits as u32) << 16);
                decimal(value, f64::from(value), out);
            }
            _ => decimal(f32::from_bits(bits as u32), f64::from(f32::from_bits(bits as u32)), out),
        }
    }

    /// Parses a literal into words. The error describes the problem and is printed after the literal.
    pub fn read(self, text: &str) -> Result<Words, String> {
        match self.form {
            NumberForm::Unsigned | NumberForm::Signed => self.read_int(text),
            NumberForm::Float | NumberForm::BFloat => match self.layout() {
                Some(layout) => self.read_float(text, &layout),
                None => Err(format!("cannot be a float of {} bits", self.width)),
            },
            NumberForm::Opaque => Err("cannot be of this type, which has no spelling for numbers".to_owned()),
        }
    }

    fn words_of(self, bits: u64) -> Words {
        Words { words: [bits as u32, (bits >> 32) as u32], len: self.words() }
    }

    fn read_int(self, text: &str) -> Result<Words, String> {
        let signed = self.form == NumberForm::Signed;
        let width = self.width;
        if !(1..=64).contains(&width) {
            return Err(format!("cannot be of {width} bits"));
        }
        let range = || {
            let kind = if signed { "signed" } else { "unsigned" };
            format!("does not fit in {width} bits, {kind}")
        };
        let (negative, digits) = match text.strip_prefix('-') {
            Some(digits) => (true, digits),
            None => (false, text),
        };
        let hex = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X"));
        let radix = if hex.is_some() { 16 } else { 10 };
        let digits = hex.unwrap_or(digits);
        if digits.is_empty() || !digits.bytes().all(|byte| (byte as char).is_digit(radix)) {
            return Err("is not an integer".to_owned());
        }
        let size = u64::from_str_radix(digits, radix).map_err(|_| range())?;
        if negative && !signed && size != 0 {
            return Err(range());
        }
        let value = if negative { -i128::from(size) } else { i128::from(size) };
        let (least, most) = match signed {
            true => (-(1_i128 << (width - 1)), (1_i128 << (width - 1)) - 1),
            false => (0, (1_i128 << width) - 1),
        };
        // A hexadecimal number of a signed type may be the bit pattern.
        let pattern = hex.is_some() && !negative && value < 1_i128 << width;
        match (least..=most).contains(&value) || pattern {
            true if signed => {
                let up = 128 - width;
                Ok(self.words_of((value << up >> up) as u64))
            }
            true => Ok(self.words_of(value as u64)),
            false => Err(range()),
        }
    }

    fn read_float(self, text: &str, layout: &Layout) -> Result<Words, String> {
        let unsigned = text.strip_prefix('-').unwrap_or(text);
        if unsigned.starts_with("0x") || unsigned.starts_with("0X") {
            let bits = read_hex(&unsigned[2..], layout)?;
            let sign = u64::from(unsigned.len() != text.len()) << (self.width - 1);
            return Ok(self.words_of(bits | sign));
        }
        if !text.bytes().all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(&byte)) {
            return Err("is not a number".to_owned());
        }
        let bad = |_| "is not a number".to_owned();
        let (bits, finite) = match (self.form, self.width) {
            (NumberForm::Float, 64) => {
                let value: f64 = text.parse().map_err(bad)?;
                (value.to_bits(), value.is_finite())
            }
            (NumberForm::Float, 16) => {
                let value = f16::from_f64(text.parse().map_err(bad)?);
                (u64::from(value.to_bits()), value.is_finite())
            }
            (NumberForm::BFloat, _) => {
                let value = half::bf16::from_f64(text.parse().map_err(bad)?);
                (u64::from(value.to_bits()), value.is_finite())
            }
            _ => {
                let value: f32 = text.parse().map_err(bad)?;
                (u64::from(value.to_bits()), value.is_finite())
            }
        };
        match finite {
            true => Ok(self.words_of(bits)),
            false => Err(format!("is too large for a float of {} bits", self.width)),
        }
    }
}

/// The words of a literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Words {
    words: [u32; 2],
    len: usize,
}

impl Words {
    /// The words.
    pub fn as_slice(&self) -> &[u32] {
        &self.words[..self.len.min(2)]
    }
}

fn in_range(value: i64, width: u32) -> bool {
    width >= 64 || (-(1_i64 << (width - 1))..1_i64 << (width - 1)).contains(&value)
}

/// The shortest spelling of a finite number, with an exponent for very large and very small ones.
fn decimal<F: std::fmt::Display + std::fmt::LowerExp>(value: F, size: f64, out: &mut String) {
    let size = size.abs();
    let _ = match size == 0.0 || (1e-5..1e16).contains(&size) {
        true => write!(out, "{value}"),
        false => write!(out, "{value:e}"),
    };
}

/// `0x1.8p+1`; a denormal is normalized, as in spirv-dis.
fn spell_hex(bits: u64, layout: &Layout, out: &mut String) {
    let sign = bits >> (layout.fraction + layout.exponent) & 1;
    let mut exponent = (bits >> layout.fraction & ((1 << layout.exponent) - 1)) as i64 - layout.bias();
    let mut fraction = bits & ((1 << layout.fraction) - 1);
    if exponent == -layout.bias() {
        exponent += 1;
        while fraction != 0 && fraction >> layout.fraction == 0 {
            fraction <<= 1;
            exponent -= 1;
        }
        fraction &= (1 << layout.fraction) - 1;
    }
    out.push_str(if sign == 1 { "-0x1" } else { "0x1" });
    let digits = layout.fraction.div_ceil(4) as usize;
    let digits = format!("{:0digits$x}", fraction << (digits as u32 * 4 - layout.fraction));
    let digits = digits.trim_end_matches('0');
    let dot = if digits.is_empty() { "" } else { "." };
    let _ = write!(out, "{dot}{digits}p{exponent:+}");
}

/// Parses the rest of a float after `0x`; excess bits are truncated.
fn read_hex(text: &str, layout: &Layout) -> Result<u64, String> {
    let bad = || "is not a hexadecimal number".to_owned();
    let (digits, power) = match text.split_once(['p', 'P']) {
        Some((digits, power)) => (digits, power.parse::<i32>().map_err(|_| bad())?),
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() + fraction.len() == 0 {
        return Err(bad());
    }
    // The first 60 bits count. Each digit after the point, and each truncated digit before it, changes the
    // exponent.
    let (mut size, mut exponent) = (0_u64, i64::from(power));
    for (digit, is_whole) in whole.chars().map(|c| (c, true)).chain(fraction.chars().map(|c| (c, false))) {
        let digit = u64::from(digit.to_digit(16).ok_or_else(bad)?);
        let fits = size >> 56 == 0;
        if fits {
            size = size << 4 | digit;
        }
        exponent += match (fits, is_whole) {
            (true, false) => -4,
            (false, true) => 4,
            _ => 0,
        };
    }
    if size == 0 {
        return Ok(0);
    }
    let top = 63 - i64::from(size.leading_zeros());
    exponent += top;
    // With the leading one at bit 63 the fraction is below it.
    let size = size << (63 - top);
    let bias = layout.bias();
    if exponent > bias + 1 {
        return Err("is too large for its type".to_owned());
    }
    if exponent >= 1 - bias {
        let fraction = size << 1 >> (64 - layout.fraction);
        return Ok(((exponent + bias) as u64) << layout.fraction | fraction);
    }
    let down = 63 - i64::from(layout.fraction) + (1 - bias - exponent);
    Ok(if down < 64 { size >> down } else { 0 })
}
