//! Number formats: floats, integers, bits.

use crate::ops::Width;
use crate::ops::scalar::Scalar;
use std::fmt::Write;
use vitrine_protocol::NumberView;

/// A number format.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum View {
    /// As floats.
    #[default]
    Float,
    /// As signed integers.
    Int,
    /// As unsigned integers.
    Uint,
    /// As bits.
    Hex,
}

impl View {
    /// The format that the page chose; none if the type of each value decides.
    pub(super) fn of(view: NumberView) -> Option<View> {
        match view {
            NumberView::Float => Some(View::Float),
            NumberView::Int => Some(View::Int),
            NumberView::Uint => Some(View::Uint),
            NumberView::Hex => Some(View::Hex),
            NumberView::Typed => None,
        }
    }
}

/// The bits of a number in a format. Floats use the shortest unique spelling.
pub(super) fn number(out: &mut String, bits: u64, width: Width, view: View) {
    let digits = (width.bits() as usize).div_ceil(4);
    // Writing into a string cannot fail.
    let _ = match (view, width) {
        (_, Width::W1) => write!(out, "{}", if bits == 0 { "false" } else { "true" }),
        (View::Float, Width::W16) => {
            write!(out, "{:?}", Scalar::new(width, bits).to_f64() as f32)
        }
        (View::Float, Width::W32) => write!(out, "{:?}", f32::from_bits(bits as u32)),
        (View::Float, Width::W64) => write!(out, "{:?}", f64::from_bits(bits)),
        (View::Int, _) => write!(out, "{}", signed(bits, width)),
        (View::Uint, _) => write!(out, "{bits}"),
        (View::Hex, _) | (View::Float, Width::W8) => write!(out, "0x{bits:0digits$x}"),
    };
}

/// The same as a text.
pub(super) fn number_text(bits: u64, width: Width, view: View) -> String {
    let mut out = String::new();
    number(&mut out, bits, width, view);
    out
}

fn signed(bits: u64, width: Width) -> i64 {
    let spare = 64 - width.bits();
    (bits << spare).cast_signed() >> spare
}

/// A word as a float and as bits: `0.5 (0x3f000000)`; `undefined` if it is not defined.
pub(super) fn both(bits: Option<u64>) -> String {
    let Some(bits) = bits else { return "undefined".to_owned() };
    let width = if bits >> 32 == 0 { Width::W32 } else { Width::W64 };
    let mut out = String::new();
    number(&mut out, bits, width, View::Float);
    out.push_str(" (");
    number(&mut out, bits, width, View::Hex);
    out.push(')');
    out
}

/// Text from a program, safe for a cell: no tabs, no line breaks.
pub(super) fn plain(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { '\u{fffd}' } else { char }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_formatted_by_the_view() {
        assert_eq!(number_text(0x3f00_0000, Width::W32, View::Float), "0.5");
        assert_eq!(number_text(0xffff_ffff, Width::W32, View::Int), "-1");
        assert_eq!(number_text(0xffff_ffff, Width::W32, View::Uint), "4294967295");
        assert_eq!(number_text(0x1f, Width::W32, View::Hex), "0x0000001f");
        assert_eq!(number_text(0x80, Width::W8, View::Int), "-128");
        assert_eq!(number_text(0x3c00, Width::W16, View::Float), "1.0");
        assert_eq!(number_text(1, Width::W1, View::Hex), "true");
        assert_eq!(number_text(f64::to_bits(0.1), Width::W64, View::Float), "0.1");
        assert_eq!(number_text(0x7fc0_0000, Width::W32, View::Float), "NaN");
    }

    #[test]
    fn a_word_is_a_float_and_bits() {
        assert_eq!((both(Some(0x3f00_0000)), both(None)), ("0.5 (0x3f000000)".into(), "undefined".into()));
        assert_eq!(plain("a\tb\n"), "a\u{fffd}b\u{fffd}");
    }
}
