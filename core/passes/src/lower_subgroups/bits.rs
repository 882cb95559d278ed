//! Ballots as four 32-bit words: tests, counts, lowest and highest set bit.
//!
//! Only the bits of invocations in the subgroup count; bit `i` of word `w` is invocation `32 w + i`.

use super::{builtin, how, narrow, own_index};
use crate::util::arith::Arith;
use vitrine_ir::ops::{Bits, Builtin, GroupOp, How, IntBuild, IntOp, ValueType, VectorOp, Width};
use vitrine_ir::{Builder, Inst, InstData};

const WORDS: u8 = 4;

/// Returns true if a bit is set.
pub(super) fn any(b: &mut Builder<'_, '_>, invocations: Inst) -> Inst {
    let none = b.number(invocations, 0);
    b.checked(VectorOp::AnyNe, ValueType::BOOL, &[invocations, none])
}

/// Returns the word with the bit of an invocation.
pub(super) fn word(b: &mut Builder<'_, '_>, invocations: Inst, invocation: Inst) -> Inst {
    let at = b.right(invocation, 5);
    b.checked(VectorOp::Extract, ValueType::B32, &[invocations, at])
}

/// Repeats a number in each word.
fn all_words(b: &mut Builder<'_, '_>, value: Inst) -> Inst {
    b.splat(value, WORDS)
}

/// Returns the bits of all invocations with an index less than `invocation`, which is at most 128.
fn below(b: &mut Builder<'_, '_>, invocation: Inst) -> Inst {
    // For word `w`: no bits if the number is at most 32 w, all bits if it is 32 more, otherwise some.
    let invocations = all_words(b, invocation);
    let starts = b.bits(Bits::from_components(Width::W32, &[0, 32, 64, 96]));
    let past = b.isub(invocations, starts);
    let inside = b.masked(past, 31);
    let one = b.number(past, 1);
    let some = b.ishl(one, inside);
    let some = b.isub(some, one);
    let (all, none) = (b.number(past, -1), b.number(past, 0));
    let word = b.number(past, 32);
    let full = b.checked(IntOp::IGe, ValueType::bits(Width::W1, WORDS), &[past, word]);
    let empty = b.checked(IntOp::ILt, ValueType::bits(Width::W1, WORDS), &[past, none]);
    let some = select(b, full, all, some);
    select(b, empty, none, some)
}

fn select(b: &mut Builder<'_, '_>, cond: Inst, then: Inst, els: Inst) -> Inst {
    let ty = b.type_of(then);
    b.checked(IntOp::Select, ty, &[cond, then, els])
}

/// Returns the bits of the invocations in the subgroup.
fn subgroup_bits(b: &mut Builder<'_, '_>) -> Inst {
    let size = builtin(b, Builtin::SubgroupSize);
    below(b, size)
}

/// Returns the bits of all invocations up to this one, exclusive or inclusive.
fn up_to(b: &mut Builder<'_, '_>, and_own: bool) -> Inst {
    let own_index = own_index(b);
    if !and_own {
        return below(b, own_index);
    }
    let one = b.number(own_index, 1);
    let next = b.iadd(own_index, one);
    below(b, next)
}

/// Returns the mask of invocations that a system value is; none if it is no mask.
pub(super) fn mask(b: &mut Builder<'_, '_>, builtin: Builtin) -> Option<Inst> {
    Some(match builtin {
        Builtin::SubgroupLtMask => up_to(b, false),
        Builtin::SubgroupLeMask => up_to(b, true),
        Builtin::SubgroupEqMask => {
            let (less, with) = (up_to(b, false), up_to(b, true));
            b.ixor(less, with)
        }
        Builtin::SubgroupGeMask | Builtin::SubgroupGtMask => {
            let less = up_to(b, builtin == Builtin::SubgroupGtMask);
            let all = subgroup_bits(b);
            let not = b.inot(less);
            b.iand(all, not)
        }
        _ => return None,
    })
}

/// Lowers an operation on a ballot.
pub(super) fn operation(b: &mut Builder<'_, '_>, data: &InstData, op: GroupOp) -> Option<Inst> {
    let &invocations = data.args.first()?;
    match op {
        GroupOp::BallotInverse | GroupOp::BallotBit => {
            let invocation = match data.args.get(1) {
                Some(&invocation) => narrow(b, invocation),
                None => own_index(b),
            };
            let word = word(b, invocations, invocation);
            let at = b.masked(invocation, 31);
            let here = b.ushr(word, at);
            let bit = b.masked(here, 1);
            let none = b.number(bit, 0);
            Some(b.ine(bit, none))
        }
        GroupOp::BallotCount => {
            let counted = match how(data) {
                How::Inclusive => up_to(b, true),
                How::Exclusive => up_to(b, false),
                How::All | How::Clustered => subgroup_bits(b),
            };
            let counted = b.iand(invocations, counted);
            let counts = b.bitcount(counted);
            let counts = b.split(counts);
            counts.into_iter().reduce(|sum, count| b.iadd(sum, count))
        }
        GroupOp::BallotLsb => Some(lowest(b, invocations)),
        GroupOp::BallotMsb => {
            let subgroup_bits = subgroup_bits(b);
            let active = b.iand(invocations, subgroup_bits);
            let positions = b.ufind_msb(active);
            Some(position_in_words(b, active, positions, false))
        }
        _ => None,
    }
}

/// Returns the index of the lowest set invocation; all ones if there is none.
fn lowest(b: &mut Builder<'_, '_>, invocations: Inst) -> Inst {
    let subgroup_bits = subgroup_bits(b);
    let active = b.iand(invocations, subgroup_bits);
    let positions = b.find_lsb(active);
    position_in_words(b, active, positions, true)
}

/// Returns the bit position in the first word, or the last, that has a bit set.
fn position_in_words(b: &mut Builder<'_, '_>, words: Inst, positions: Inst, from_first: bool) -> Inst {
    let starts = b.bits(Bits::from_components(Width::W32, &[0, 32, 64, 96]));
    let numbers = b.iadd(positions, starts);
    let none = b.number(words, 0);
    let some = b.checked(IntOp::INe, ValueType::bits(Width::W1, WORDS), &[words, none]);
    let mut pairs: Vec<(Inst, Inst)> = b.split(some).into_iter().zip(b.split(numbers)).collect();
    if from_first {
        pairs.reverse();
    }
    let all_ones = b.bits(Bits::from_components(Width::W32, &[u64::from(u32::MAX)]));
    pairs.into_iter().fold(all_ones, |last, (some, number)| select(b, some, number, last))
}

/// Returns a ballot without its lowest invocation.
pub(super) fn without_lowest(b: &mut Builder<'_, '_>, invocations: Inst) -> Inst {
    let words = b.split(invocations);
    let mut parts = Vec::new();
    // True while the lowest invocation may be in this word: no earlier word has a bit.
    let mut may_be_here = b.bool(true);
    for word in words {
        let (none, one) = (b.number(word, 0), b.number(word, 1));
        let some = b.ine(word, none);
        let has_lowest = b.iand(may_be_here, some);
        let subtracted = select(b, has_lowest, one, none);
        let less = b.isub(word, subtracted);
        parts.push(b.iand(word, less));
        let empty = b.inot(some);
        may_be_here = b.iand(may_be_here, empty);
    }
    b.join(&parts)
}
