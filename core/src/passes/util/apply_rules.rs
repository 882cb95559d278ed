//! Applies a set of rewrite rules to a function until none matches.
//!
//! Contains no rules: those are in `rules`.

use super::open::insts_in_order;
use crate::ir::{Editor, Inst, Refusal, Use};
use crate::rules::{Applied, Facts, Rules, Set, apply_of, apply_with};

/// Most rules applied, for each instruction of the function.
const STEPS_PER_INST: usize = 32;

/// Instructions that the steps are counted for at least.
const LEAST_WORK: usize = 64;

/// Rounds of rules without and with questions about values. Two are the rule.
const MOST_ROUNDS: usize = 8;

/// Applies the rules of a set. Near-linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(in crate::passes) fn by_rules(ed: &mut Editor<'_>, set: Set) -> Result<(), Refusal> {
    for _ in 0..MOST_ROUNDS {
        until_none_asks(ed, set)?;
        if !set.asks() || !by_facts(ed, set, Facts::default())? {
            break;
        }
    }
    Ok(())
}

/// Applies the rules of a set that ask nothing of values.
pub(in crate::passes) fn until_none_asks(ed: &mut Editor<'_>, set: Set) -> Result<(), Refusal> {
    let work = insts_in_order(ed.func());
    until_none_fits(ed, work, |ed, inst| apply_of(ed, set, inst)).map(|_| ())
}

/// Applies the rules of a set that ask what is known, and those that hold bit for bit; whether any fitted.
pub(in crate::passes) fn by_facts(ed: &mut Editor<'_>, set: Set, mut facts: Facts) -> Result<bool, Refusal> {
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
