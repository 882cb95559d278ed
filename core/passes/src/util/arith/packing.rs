//! Packing several components into one and back, by shifts: bits, half floats, normalized fractions.

use super::{Arith, expansions};
use vitrine_ir::ops::{Bits, ConvertOp, FloatBuild, IntBuild, ValueType, VectorOp, Width};

expansions! {
    /// All of the following.
    All "all";
    /// Half floats in a 32-bit word.
    Halves "halves" {
        Vector(VectorOp::PackHalf2x16) |e, a| {
            let halves = e.to(ConvertOp::F2F, Width::W16, a);
            together(e, halves, Width::W32)
        };
        Vector(VectorOp::UnpackHalf2x16) |e, a| {
            let halves = apart(e, a, Width::W16);
            e.to(ConvertOp::F2F, Width::W32, halves)
        };
    }
    /// Normalized fractions, from 0 or -1 up to 1, in a 32-bit word.
    Fractions "fractions" {
        Vector(VectorOp::PackUnorm2x16) |e, a| pack_fractions(e, a, 16, false);
        Vector(VectorOp::PackSnorm2x16) |e, a| pack_fractions(e, a, 16, true);
        Vector(VectorOp::PackUnorm4x8) |e, a| pack_fractions(e, a, 8, false);
        Vector(VectorOp::PackSnorm4x8) |e, a| pack_fractions(e, a, 8, true);
        Vector(VectorOp::UnpackUnorm2x16) |e, a| unpack_fractions(e, a, 16, false);
        Vector(VectorOp::UnpackSnorm2x16) |e, a| unpack_fractions(e, a, 16, true);
        Vector(VectorOp::UnpackUnorm4x8) |e, a| unpack_fractions(e, a, 8, false);
        Vector(VectorOp::UnpackSnorm4x8) |e, a| unpack_fractions(e, a, 8, true);
    }
    /// Bits of any type.
    Bits "bits" {
        Vector(VectorOp::Pack64From32) |e, a| together(e, a, Width::W64);
        Vector(VectorOp::Pack64From16) |e, a| together(e, a, Width::W64);
        Vector(VectorOp::Pack32From16) |e, a| together(e, a, Width::W32);
        Vector(VectorOp::Pack32From8) |e, a| together(e, a, Width::W32);
        Vector(VectorOp::Unpack64To32) |e, a| apart(e, a, Width::W32);
        Vector(VectorOp::Unpack64To16) |e, a| apart(e, a, Width::W16);
        Vector(VectorOp::Unpack32To16) |e, a| apart(e, a, Width::W16);
        Vector(VectorOp::Unpack32To8) |e, a| apart(e, a, Width::W8);
    }
}

/// Components packed into wider components, the first in the low bits.
fn together<E: Arith>(e: &mut E, a: E::Value, width: Width) -> E::Value {
    let narrow = e.width(a).bits();
    let count = (width.bits() / narrow.max(1)).max(1) as usize;
    let components = e.split(a);
    let mut words = Vec::new();
    for group in components.chunks(count) {
        let mut word = None;
        for (&component, at) in group.iter().zip(0..) {
            let wide = e.to(ConvertOp::U2U, width, component);
            let moved = e.left(wide, at * narrow);
            word = Some(match word {
                Some(word) => e.ior(word, moved),
                None => moved,
            });
        }
        words.extend(word);
    }
    e.join(&words)
}

/// Components split into narrower components, the low bits first.
fn apart<E: Arith>(e: &mut E, a: E::Value, width: Width) -> E::Value {
    let count = e.width(a).bits() / width.bits().max(1);
    let mut parts = Vec::new();
    for component in e.split(a) {
        for at in 0..count {
            let low = e.right(component, at * width.bits());
            parts.push(e.to(ConvertOp::U2U, width, low));
        }
    }
    e.join(&parts)
}

/// The same bits in components of another width; none for booleans.
pub(crate) fn repack<E: Arith>(e: &mut E, a: E::Value, ty: ValueType) -> Option<E::Value> {
    let (from, to) = (e.width(a), ty.width()?);
    if from == Width::W1 || to == Width::W1 || from == to {
        return (from == to).then_some(a);
    }
    Some(if from < to { together(e, a, to) } else { apart(e, a, to) })
}

fn pack_fractions<E: Arith>(e: &mut E, a: E::Value, bits: u32, signed: bool) -> E::Value {
    let mask = (1u64 << bits) - 1;
    let (least, most) = (if signed { -1.0 } else { 0.0 }, if signed { mask >> 1 } else { mask });
    let mut word = None;
    for (component, at) in e.split(a).into_iter().zip(0..) {
        let (low, high, scale) =
            (e.real(component, least), e.real(component, 1.0), e.real(component, most as f64));
        let bounded = e.fmax(component, low);
        let bounded = e.fmin(bounded, high);
        let scaled = e.fmul(bounded, scale);
        let whole = e.fround_even(scaled);
        let number = e.to(if signed { ConvertOp::F2I } else { ConvertOp::F2U }, Width::W32, whole);
        let cut = e.masked(number, mask);
        let moved = e.left(cut, at * bits);
        word = Some(match word {
            Some(word) => e.ior(word, moved),
            None => moved,
        });
    }
    word.unwrap_or_else(|| e.constant(Bits::default()))
}

fn unpack_fractions<E: Arith>(e: &mut E, a: E::Value, bits: u32, signed: bool) -> E::Value {
    let mask = (1u64 << bits) - 1;
    let most = if signed { mask >> 1 } else { mask } as f64;
    let mut components = Vec::new();
    for at in 0..32 / bits {
        let component = if signed {
            let top = e.left(a, 32 - bits - at * bits);
            let number = e.right_signed(top, 32 - bits);
            let float = e.to(ConvertOp::I2F, Width::W32, number);
            let (scale, low, high) = (e.real(float, most), e.real(float, -1.0), e.real(float, 1.0));
            let fraction = e.fdiv(float, scale);
            let bounded = e.fmax(fraction, low);
            e.fmin(bounded, high)
        } else {
            let low = e.right(a, at * bits);
            let number = e.masked(low, mask);
            let float = e.to(ConvertOp::U2F, Width::W32, number);
            let scale = e.real(float, most);
            e.fdiv(float, scale)
        };
        components.push(component);
    }
    e.join(&components)
}
