//! Ballots as four words of 32 bits: which bits are set, how many, the lowest, the highest.
//!
//! Only the bits of the invocations that a subgroup has count; bit `i` of word `w` is invocation `32 w + i`.

use super::{builtin, how, narrow, own};
use crate::ir::{Builder, Inst, InstData};
use crate::ops::{Bits, GroupOp, IntBuild, IntOp, ValueType, VectorOp, Width};
use crate::passes::util::arith::Arith;

const WORDS: u8 = 4;

/// Whether a bit is set.
pub(super) fn any(b: &mut Builder<'_, '_>, invocations: Inst) -> Inst {
    let none = b.number(invocations, 0);
    b.checked(VectorOp::AnyNe, ValueType::BOOL, &[invocations, none])
}

/// The word with the bit of an invocation.
pub(super) fn word(b: &mut Builder<'_, '_>, invocations: Inst, invocation: Inst) -> Inst {
    let at = b.right(invocation, 5);
    b.checked(VectorOp::Extract, ValueType::B32, &[invocations, at])
}

/// A number in each word.
fn all_words(b: &mut Builder<'_, '_>, value: Inst) -> Inst {
    b.splat(value, WORDS)
}

/// The bits of all invocations below a number of up to 128.
fn below(b: &mut Builder<'_, '_>, invocation: Inst) -> Inst {
    // For word `w`: none where the number is at most 32 w, all where it is 32 more, else some.
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

/// The bits of the invocations that a subgroup has.
fn everyone(b: &mut Builder<'_, '_>) -> Inst {
    let size = builtin(b, "subgroup_size");
    below(b, size)
}

/// The bits up to an invocation's own, without it or with it.
fn up_to(b: &mut Builder<'_, '_>, and_own: bool) -> Inst {
    let own = own(b);
    if !and_own {
        return below(b, own);
    }
    let one = b.number(own, 1);
    let next = b.iadd(own, one);
    below(b, next)
}

/// A mask of components, by the name of the system value.
pub(super) fn mask(b: &mut Builder<'_, '_>, name: &str) -> Option<Inst> {
    Some(match name {
        "subgroup_lt_mask" => up_to(b, false),
        "subgroup_le_mask" => up_to(b, true),
        "subgroup_eq_mask" => {
            let (less, with) = (up_to(b, false), up_to(b, true));
            b.ixor(less, with)
        }
        "subgroup_ge_mask" | "subgroup_gt_mask" => {
            let less = up_to(b, name == "subgroup_gt_mask");
            let all = everyone(b);
            let not = b.inot(less);
            b.iand(all, not)
        }
        _ => return None,
    })
}

/// What is asked of a ballot.
pub(super) fn asked(b: &mut Builder<'_, '_>, data: &InstData, op: GroupOp) -> Option<Inst> {
    let &invocations = data.args.first()?;
    match op {
        GroupOp::BallotInverse | GroupOp::BallotBit => {
            let invocation = match data.args.get(1) {
                Some(&invocation) => narrow(b, invocation),
                None => own(b),
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
                "inclusive" => up_to(b, true),
                "exclusive" => up_to(b, false),
                _ => everyone(b),
            };
            let counted = b.iand(invocations, counted);
            let counts = b.bitcount(counted);
            let counts = b.split(counts);
            counts.into_iter().reduce(|sum, count| b.iadd(sum, count))
        }
        GroupOp::BallotLsb => Some(lowest(b, invocations)),
        GroupOp::BallotMsb => {
            let everyone = everyone(b);
            let there = b.iand(invocations, everyone);
            let places = b.ufind_msb(there);
            Some(found(b, there, places, false))
        }
        _ => None,
    }
}

/// The number of the lowest invocation set; all ones where there is none.
fn lowest(b: &mut Builder<'_, '_>, invocations: Inst) -> Inst {
    let everyone = everyone(b);
    let there = b.iand(invocations, everyone);
    let places = b.find_lsb(there);
    found(b, there, places, true)
}

/// The place in the first word, or the last, that has one.
fn found(b: &mut Builder<'_, '_>, words: Inst, places: Inst, from_first: bool) -> Inst {
    let starts = b.bits(Bits::from_components(Width::W32, &[0, 32, 64, 96]));
    let numbers = b.iadd(places, starts);
    let none = b.number(words, 0);
    let some = b.checked(IntOp::INe, ValueType::bits(Width::W1, WORDS), &[words, none]);
    let mut pairs: Vec<(Inst, Inst)> = b.split(some).into_iter().zip(b.split(numbers)).collect();
    if from_first {
        pairs.reverse();
    }
    let nothing = b.bits(Bits::from_components(Width::W32, &[u64::from(u32::MAX)]));
    pairs.into_iter().fold(nothing, |last, (some, number)| select(b, some, number, last))
}

/// A ballot without its lowest invocation.
pub(super) fn without_lowest(b: &mut Builder<'_, '_>, invocations: Inst) -> Inst {
    let words = b.split(invocations);
    let mut parts = Vec::new();
    // Whether the lowest invocation may be in this word: no word before had one.
    let mut open = b.bool(true);
    for word in words {
        let (none, one) = (b.number(word, 0), b.number(word, 1));
        let some = b.ine(word, none);
        let takes = b.iand(open, some);
        let by = select(b, takes, one, none);
        let less = b.isub(word, by);
        parts.push(b.iand(word, less));
        let empty = b.inot(some);
        open = b.iand(open, empty);
    }
    b.join(&parts)
}
