//! `algebraic`: applies the rules of `rules` until none fits.
//!
//! ```text
//!   %1: b32 = const 8                       %1: b32 = const 8
//!   %2: b32 = imul %0, %1            =>     %4: b32 = const 3
//!   %3: b1 = igt %2, %0                     %2: b32 = ishl %0, %4
//!                                           %3: b1 = ilt %0, %2
//! ```
//!
//! A value keeps its id while it is computed otherwise; each event names its rule. What a rule leaves unread
//! goes at once, so the number of instructions never grows, constants aside. Readers of what changed are looked
//! at again. It ends because every rule is cheaper than what it replaces; the limit on steps is for a rule that
//! breaks that promise.
//!
//! When no rule fits any more, those that ask what is known of values have their turn (`not_negative(x)`, see the
//! analysis `range`), together with those that hold bit for bit: behind any other, what is known might not be true any
//! more. The analysis runs when the first rule asks that fits otherwise; where such a rule was applied, everything goes
//! round again, eight times at most. `plain` leaves these rules to `range-fold`, which has the analysis anyway.

use super::open::insts_in_order;
use super::opening::opening;
use super::pass::{OptionInfo, PassInfo};
use crate::ir::{Editor, Inst, Refusal, Use};
use crate::rules::{Applied, Facts, Rules, Set, apply_of, apply_with};

/// Most rules applied, for each instruction of the function.
const STEPS_PER_INST: usize = 32;

/// Instructions that the steps are counted for at least.
const LEAST_WORK: usize = 64;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Applies the rules of algebra, each one cheaper than what it replaces.",
    options: &[
        OptionInfo::Word("facts", "Rules that ask what is known of values, too."),
        OptionInfo::Word("plain", "Only rules that ask nothing: `range-fold` applies the others."),
    ],
    ..PassInfo::edits("algebraic", opening!("algebraic.rs"), |ed, options| match options.word {
        "plain" => until_none_asks(ed, Set::Algebraic),
        _ => by_rules(ed, Set::Algebraic),
    })
};

/// Rounds of rules without and with questions about values. Two are the rule.
const MOST_ROUNDS: usize = 8;

/// Applies the rules of a set. Near-linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn by_rules(ed: &mut Editor<'_>, set: Set) -> Result<(), Refusal> {
    for _ in 0..MOST_ROUNDS {
        until_none_asks(ed, set)?;
        if !set.asks() || !by_facts(ed, set, Facts::default())? {
            break;
        }
    }
    Ok(())
}

/// Applies the rules of a set that ask nothing of values.
fn until_none_asks(ed: &mut Editor<'_>, set: Set) -> Result<(), Refusal> {
    let work = insts_in_order(ed.func());
    until_none_fits(ed, work, |ed, inst| apply_of(ed, set, inst)).map(|_| ())
}

/// Applies the rules of a set that ask what is known, and those that hold bit for bit; whether any fitted.
pub(super) fn by_facts(ed: &mut Editor<'_>, set: Set, mut facts: Facts) -> Result<bool, Refusal> {
    let asked = |&inst: &Inst| Rules::get().ask_at(set, ed.func().inst(inst).op);
    let work = insts_in_order(ed.func()).into_iter().filter(asked).collect();
    until_none_fits(ed, work, |ed, inst| apply_with(ed, set, inst, &mut facts))
}

/// Applies rules to instructions, and to what that changed; whether any was applied.
fn until_none_fits(
    ed: &mut Editor<'_>,
    mut work: Vec<Inst>,
    mut apply: impl FnMut(&mut Editor<'_>, Inst) -> Result<Option<Applied>, Refusal>,
) -> Result<bool, Refusal> {
    let mut any = false;
    let mut left = work.len().max(LEAST_WORK).saturating_mul(STEPS_PER_INST);
    // Operands before what reads them: the last of the list is looked at first.
    work.reverse();
    while let Some(inst) = work.pop() {
        if !ed.is_placed(inst) || left == 0 {
            continue;
        }
        let Some(applied) = apply(ed, inst)? else { continue };
        any = true;
        left -= 1;
        for value in applied.once.into_iter().chain(applied.value) {
            again(ed, value, &mut work);
        }
        work.extend(applied.made.into_iter().rev());
    }
    Ok(any)
}

/// A value changed: it and its readers may fit rules that they did not fit before. So may readers of readers,
/// which rules look through.
fn again(ed: &Editor<'_>, value: Inst, work: &mut Vec<Inst>) {
    for place in ed.uses(value) {
        let Use::Arg(reader, _) = place else { continue };
        work.push(reader);
        // Rules are three levels deep; what is read very often is looked at once only.
        let readers = ed.uses(reader).take(8);
        work.extend(readers.filter_map(|place| match place {
            Use::Arg(further, _) => Some(further),
            Use::Terminator(..) | Use::Node(_) => None,
        }));
    }
    work.push(value);
}
