//! Floats as text.

use std::fmt::Write;

/// Appends a float: the shortest spelling that reads back as the same bits, or the bits of an infinity or NaN.
pub(super) fn float(out: &mut String, bits: u32) {
    let value = f32::from_bits(bits);
    let size = value.abs();
    let _ = match () {
        () if !value.is_finite() => write!(out, "{bits:#010x}"),
        () if size != 0.0 && !(1e-5..1e10).contains(&size) => write!(out, "{value:e}"),
        () => write!(out, "{value}"),
    };
}
