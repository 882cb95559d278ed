//! Transfer functions of integer operations: intervals and known bits.
//!
//! Each follows the semantics in the op table: divisions by zero yield zero, and shift counts use their low
//! bits only. For an operation without a transfer function the result may be anything.

use super::fact::Fact;
use vitrine_ir::ops::{IntOp, Scalar, Width};

/// The fact for one component of the result of an operation; `None` if nothing is known.
pub(super) fn of(op: IntOp, args: &[Fact], to: Width) -> Option<Fact> {
    use IntOp as O;
    Some(match (op, args) {
        (O::IAdd, [a, b]) => add(a, b),
        (O::ISub, [a, b]) => sub(a, b),
        (O::IMul, [a, b]) => mul(a, b),
        (O::INeg, [a]) => sub(&Fact::exactly(Scalar::zero(to)), a),
        (O::IAbs, [a]) => abs(a),
        (O::ISign, [a]) => Fact::signed(to, i128::from(a.signed.0.signum()), i128::from(a.signed.1.signum())),
        (O::UDiv, [a, b]) => udiv(a, b),
        (O::UMod, [a, b]) => umod(a, b),
        (O::IDiv, [a, b]) => idiv(a, b),
        (O::IRem, [a, b]) => irem(a, b),
        (O::IMod, [_, b]) => imod(b),
        (O::UMulHigh, [a, b]) => umul_high(a, b),
        (O::UAddCarry | O::USubBorrow, [_, _]) => Fact::unsigned(to, 0, 1),
        (O::IMin, [a, b]) => signed_by(a, b, i64::min),
        (O::IMax, [a, b]) => signed_by(a, b, i64::max),
        (O::UMin, [a, b]) => unsigned_by(a, b, u64::min),
        (O::UMax, [a, b]) => unsigned_by(a, b, u64::max),
        (O::IClamp, [x, low, high]) => signed_by(&signed_by(x, low, i64::max), high, i64::min),
        (O::UClamp, [x, low, high]) => unsigned_by(&unsigned_by(x, low, u64::max), high, u64::min),
        (O::IAnd, [a, b]) => Fact::known(to, a.zeros | b.zeros, a.ones & b.ones).meet(&Fact::unsigned(
            to,
            0,
            i128::from(a.unsigned.1.min(b.unsigned.1)),
        ))?,
        (O::IOr, [a, b]) => Fact::known(to, a.zeros & b.zeros, a.ones | b.ones).meet(&Fact::unsigned(
            to,
            i128::from(a.unsigned.0.max(b.unsigned.0)),
            i128::from(to.mask()),
        ))?,
        (O::IXor, [a, b]) => {
            Fact::known(to, (a.zeros & b.zeros) | (a.ones & b.ones), (a.zeros & b.ones) | (a.ones & b.zeros))
        }
        (O::INot, [a]) => {
            Fact::known(to, a.ones, a.zeros).meet(&sub(&Fact::exactly(Scalar::new(to, to.mask())), a))?
        }
        (O::IShl, [a, n]) => shl(a, n),
        (O::UShr, [a, n]) => ushr(a, n),
        (O::IShr, [a, n]) => ishr(a, n),
        (O::UBfe, [a, offset, n]) => ubfe(a, offset, n)?,
        (O::IBfe, [_, _, n]) => ibfe(to, n)?,
        (O::BitCount, [a]) => {
            let most = (!a.zeros & to.mask()).count_ones();
            Fact::unsigned(to, a.ones.count_ones().into(), most.into())
        }
        (O::UFindMsb, [a]) => {
            let at = |bits: u64| bits.checked_ilog2().map_or(-1, i128::from);
            Fact::signed(to, at(a.unsigned.0), at(a.unsigned.1))
        }
        (O::FindLsb, [a]) => {
            let most = a.ones.checked_ilog2().map_or(to.bits() - 1, |_| a.ones.trailing_zeros());
            let least = if a.unsigned.0 == 0 { -1 } else { i128::from((!a.zeros).trailing_zeros()) };
            Fact::signed(to, least, most.into())
        }
        (O::IFindMsb, [_]) => Fact::signed(to, -1, i128::from(to.bits()) - 2),
        (O::Clz, [a]) => Fact::unsigned(to, leading(to, a.unsigned.1), leading(to, a.unsigned.0)),
        (O::Ctz, [a]) => {
            let most = if a.ones == 0 { to.bits() } else { a.ones.trailing_zeros() };
            Fact::unsigned(to, i128::from((!a.zeros).trailing_zeros().min(to.bits())), most.into())
        }
        _ => return None,
    })
}

/// The possible results of a comparison; `None` if the operation is not a comparison or both results are
/// possible.
pub(super) fn compare(op: IntOp, a: &Fact, b: &Fact) -> Option<Fact> {
    use IntOp as O;
    let (may_be_false, may_be_true) = match op {
        O::IEq => (a.constant().is_none() || a.constant() != b.constant(), overlap(a, b)),
        O::INe => (overlap(a, b), a.constant().is_none() || a.constant() != b.constant()),
        O::ILt => (a.signed.1 >= b.signed.0, a.signed.0 < b.signed.1),
        O::IGt => (a.signed.0 <= b.signed.1, a.signed.1 > b.signed.0),
        O::ILe => (a.signed.1 > b.signed.0, a.signed.0 <= b.signed.1),
        O::IGe => (a.signed.0 < b.signed.1, a.signed.1 >= b.signed.0),
        O::ULt => (a.unsigned.1 >= b.unsigned.0, a.unsigned.0 < b.unsigned.1),
        O::UGt => (a.unsigned.0 <= b.unsigned.1, a.unsigned.1 > b.unsigned.0),
        O::ULe => (a.unsigned.1 > b.unsigned.0, a.unsigned.0 <= b.unsigned.1),
        O::UGe => (a.unsigned.0 < b.unsigned.1, a.unsigned.1 >= b.unsigned.0),
        _ => return None,
    };
    Some(Fact::truth(may_be_false, may_be_true))
}

fn overlap(a: &Fact, b: &Fact) -> bool {
    a.unsigned.0 <= b.unsigned.1
        && b.unsigned.0 <= a.unsigned.1
        && a.signed.0 <= b.signed.1
        && b.signed.0 <= a.signed.1
        && a.zeros & b.ones == 0
        && a.ones & b.zeros == 0
}

fn ends(of: (u64, u64)) -> (i128, i128) {
    (of.0.into(), of.1.into())
}

fn signed_ends(of: &Fact) -> (i128, i128) {
    (of.signed.0.into(), of.signed.1.into())
}

/// The intersection of all three.
fn all(bits: Fact, unsigned: Fact, signed: Fact) -> Fact {
    let both = unsigned.meet(&signed).unwrap_or(unsigned);
    both.meet(&bits).unwrap_or(both)
}

fn add(a: &Fact, b: &Fact) -> Fact {
    let width = a.width();
    let (u, v) = (ends(a.unsigned), ends(b.unsigned));
    let (s, t) = (signed_ends(a), signed_ends(b));
    all(
        sum_of_bits(width, (a.zeros, a.ones), (b.zeros, b.ones), 0),
        Fact::unsigned(width, u.0 + v.0, u.1 + v.1),
        Fact::signed(width, s.0 + t.0, s.1 + t.1),
    )
}

fn sub(a: &Fact, b: &Fact) -> Fact {
    let width = a.width();
    let (u, v) = (ends(a.unsigned), ends(b.unsigned));
    let (s, t) = (signed_ends(a), signed_ends(b));
    all(
        sum_of_bits(width, (a.zeros, a.ones), (b.ones, b.zeros), 1),
        Fact::unsigned(width, u.0 - v.1, u.1 - v.0),
        Fact::signed(width, s.0 - t.1, s.1 - t.0),
    )
}

/// Known bits of `a + b + carry`: a bit is known if the bits of both operands and the carry into it are. The
/// carries of the largest and of the smallest sum determine which carries are known.
fn sum_of_bits(width: Width, a: (u64, u64), b: (u64, u64), carry: u64) -> Fact {
    let most = (!a.0).wrapping_add(!b.0).wrapping_add(carry);
    let least = a.1.wrapping_add(b.1).wrapping_add(carry);
    let no_carry = !(most ^ a.0 ^ b.0);
    let carried = least ^ a.1 ^ b.1;
    let known = (a.0 | a.1) & (b.0 | b.1) & (no_carry | carried);
    Fact::known(width, !most & known, least & known)
}

fn mul(a: &Fact, b: &Fact) -> Fact {
    let width = a.width();
    let low = (!a.zeros).trailing_zeros() + (!b.zeros).trailing_zeros();
    let bits = Fact::known(width, 1_u64.checked_shl(low).map_or(u64::MAX, |bit| bit - 1), 0);
    let (s, t) = (signed_ends(a), signed_ends(b));
    // Products of 64-bit bounds fit: at most 2^127 - 2^64 in magnitude, as signed numbers.
    let corners = [s.0 * t.0, s.0 * t.1, s.1 * t.0, s.1 * t.1];
    let least = corners.iter().copied().min().unwrap_or(i128::MIN);
    let most = corners.iter().copied().max().unwrap_or(i128::MAX);
    let product = |x: u64, y: u64| x.checked_mul(y).map_or(-1, i128::from);
    all(
        bits,
        Fact::unsigned(width, product(a.unsigned.0, b.unsigned.0), product(a.unsigned.1, b.unsigned.1)),
        Fact::signed(width, least, most),
    )
}

fn abs(a: &Fact) -> Fact {
    let (low, high) = (a.signed.0.unsigned_abs(), a.signed.1.unsigned_abs());
    let least = if a.signed.0 <= 0 && a.signed.1 >= 0 { 0 } else { low.min(high) };
    Fact::unsigned(a.width(), least.into(), low.max(high).into())
}

fn udiv(a: &Fact, b: &Fact) -> Fact {
    let least = if b.unsigned.0 == 0 { 0 } else { a.unsigned.0.checked_div(b.unsigned.1).unwrap_or(0) };
    let most = a.unsigned.1 / b.unsigned.0.max(1);
    Fact::unsigned(a.width(), least.into(), most.into())
}

fn umod(a: &Fact, b: &Fact) -> Fact {
    if a.unsigned.1 < b.unsigned.0 {
        return *a;
    }
    let most = a.unsigned.1.min(b.unsigned.1.saturating_sub(1));
    Fact::unsigned(a.width(), 0, most.into())
}

fn idiv(a: &Fact, b: &Fact) -> Fact {
    if a.signed.0 >= 0 && b.signed.0 >= 0 {
        return udiv(a, b);
    }
    let most = i128::from(a.signed.0.unsigned_abs().max(a.signed.1.unsigned_abs()));
    Fact::signed(a.width(), -most, most)
}

fn irem(a: &Fact, b: &Fact) -> Fact {
    let by = b.signed.0.unsigned_abs().max(b.signed.1.unsigned_abs()).saturating_sub(1);
    let most = |end: i64| i128::from(end.unsigned_abs().min(by));
    let least = if a.signed.0 < 0 { -most(a.signed.0) } else { 0 };
    let high = if a.signed.1 > 0 { most(a.signed.1) } else { 0 };
    Fact::signed(a.width(), least, high)
}

fn imod(b: &Fact) -> Fact {
    let low = if b.signed.0 < 0 { i128::from(b.signed.0) + 1 } else { 0 };
    let high = if b.signed.1 > 0 { i128::from(b.signed.1) - 1 } else { 0 };
    Fact::signed(b.width(), low, high)
}

fn umul_high(a: &Fact, b: &Fact) -> Fact {
    let high = |x: u64, y: u64| ((u128::from(x) * u128::from(y)) >> a.width().bits()) as u64;
    let (least, most) = (high(a.unsigned.0, b.unsigned.0), high(a.unsigned.1, b.unsigned.1));
    Fact::unsigned(a.width(), least.into(), most.into())
}

fn signed_by(a: &Fact, b: &Fact, pick: fn(i64, i64) -> i64) -> Fact {
    let (low, high) = (pick(a.signed.0, b.signed.0), pick(a.signed.1, b.signed.1));
    picked(a, b, Fact::signed(a.width(), low.into(), high.into()))
}

fn unsigned_by(a: &Fact, b: &Fact, pick: fn(u64, u64) -> u64) -> Fact {
    let (low, high) = (pick(a.unsigned.0, b.unsigned.0), pick(a.unsigned.1, b.unsigned.1));
    picked(a, b, Fact::unsigned(a.width(), low.into(), high.into()))
}

/// The result is one of the operands.
fn picked(a: &Fact, b: &Fact, interval: Fact) -> Fact {
    interval.meet(&a.join(b)).unwrap_or(interval)
}

/// The smallest and the largest effective count of a shift.
fn counts(width: Width, n: &Fact) -> (u32, u32) {
    let last = u64::from(width.bits()) - 1;
    if n.unsigned.1 <= last {
        (n.unsigned.0 as u32, n.unsigned.1 as u32)
    } else {
        let cut = n.constant().map(|component| (component.bits() & last) as u32);
        cut.map_or((0, last as u32), |count| (count, count))
    }
}

fn shl(a: &Fact, n: &Fact) -> Fact {
    let width = a.width();
    let (least, most) = counts(width, n);
    let (low, high) = ends(a.unsigned);
    let interval = Fact::unsigned(width, low << least, high << most);
    let emptied = (1_u64 << least) - 1;
    let bits = if least == most {
        Fact::known(width, a.zeros << least | emptied, a.ones << least)
    } else {
        Fact::known(width, emptied, 0)
    };
    interval.meet(&bits).unwrap_or(bits)
}

fn ushr(a: &Fact, n: &Fact) -> Fact {
    let width = a.width();
    let (least, most) = counts(width, n);
    let interval = Fact::unsigned(width, (a.unsigned.0 >> most).into(), (a.unsigned.1 >> least).into());
    if least != most {
        return interval;
    }
    let bits = Fact::known(width, a.zeros >> least | !(width.mask() >> least), a.ones >> least);
    interval.meet(&bits).unwrap_or(interval)
}

fn ishr(a: &Fact, n: &Fact) -> Fact {
    let (least, most) = counts(a.width(), n);
    let (low, high) = a.signed;
    let low = if low < 0 { low >> least } else { low >> most };
    let high = if high < 0 { high >> most } else { high >> least };
    Fact::signed(a.width(), low.into(), high.into())
}

fn ubfe(a: &Fact, offset: &Fact, n: &Fact) -> Option<Fact> {
    let width = a.width();
    let (offset, count) = (offset.constant().map(Scalar::as_u64), n.unsigned.1);
    let most = if count >= u64::from(width.bits()) { width.mask() } else { (1 << count) - 1 };
    let shifted = match offset {
        Some(by) if by < u64::from(width.bits()) => a.unsigned.1 >> by,
        Some(_) => 0,
        None => a.unsigned.1,
    };
    Some(Fact::unsigned(width, 0, most.min(shifted).into()))
}

fn ibfe(width: Width, n: &Fact) -> Option<Fact> {
    let count = n.unsigned.1;
    if count == 0 || count >= u64::from(width.bits()) {
        return None;
    }
    let half = 1_i128 << (count - 1);
    Some(Fact::signed(width, -half, half - 1))
}

fn leading(width: Width, bits: u64) -> i128 {
    i128::from(bits.checked_ilog2().map_or(width.bits(), |top| width.bits() - 1 - top))
}
