//! Applies a set of rewrite rules to a function until none matches.
//!
//! Contains no rules: those are in `rules`.

use super::open::insts_in_order;
use vitrine_analysis::rules::{Applied, Facts, Rules, Set, apply_of, apply_with};
use vitrine_ir::{Editor, Inst, Refusal, Use};

/// The maximum number of rule applications per instruction of the function.
const STEPS_PER_INST: usize = 32;

/// The minimum number of instructions that this budget is computed from.
const MIN_WORK: usize = 64;

/// The maximum number of iterations that alternate rules without and with value conditions. Two are typical.
const MAX_ITERATIONS: usize = 8;

/// Applies the rules of a set. Near-linear; idempotent; both shapes.
pub(crate) fn by_rules(ed: &mut Editor<'_>, set: Set) -> Result<(), Refusal> {
    for _ in 0..MAX_ITERATIONS {
        until_none_asks(ed, set)?;
        if !set.asks() || !by_facts(ed, set, Facts::default())? {
            break;
        }
    }
    Ok(())
}

/// Applies the rules of a set that have no conditions on values.
pub(crate) fn until_none_asks(ed: &mut Editor<'_>, set: Set) -> Result<(), Refusal> {
    let work = insts_in_order(ed.func());
    until_no_match(ed, work, |ed, inst| apply_of(ed, set, inst)).map(|_| ())
}

/// Applies the rules of a set that use facts about values, and those that hold bit by bit. Returns true if any
/// rule matched.
pub(crate) fn by_facts(ed: &mut Editor<'_>, set: Set, mut facts: Facts) -> Result<bool, Refusal> {
    let applicable = |&inst: &Inst| Rules::get().ask_at(set, ed.func().inst(inst).op);
    let work = insts_in_order(ed.func()).into_iter().filter(applicable).collect();
    until_no_match(ed, work, |ed, inst| apply_with(ed, set, inst, &mut facts))
}

/// Applies rules to the instructions of the work list and to those that change as a result. Returns true if any
/// rule applied.
fn until_no_match(
    ed: &mut Editor<'_>,
    mut work: Vec<Inst>,
    mut apply: impl FnMut(&mut Editor<'_>, Inst) -> Result<Option<Applied>, Refusal>,
) -> Result<bool, Refusal> {
    let mut any = false;
    let mut left = work.len().max(MIN_WORK).saturating_mul(STEPS_PER_INST);
    // Operands before their users: the last element of the list is processed first.
    work.reverse();
    while let Some(inst) = work.pop() {
        if !ed.is_placed(inst) || left == 0 {
            continue;
        }
        let Some(applied) = apply(ed, inst)? else { continue };
        any = true;
        left -= 1;
        for value in applied.once.into_iter().chain(applied.value) {
            requeue(ed, value, &mut work);
        }
        work.extend(applied.made.into_iter().rev());
    }
    Ok(any)
}

/// A value changed: it and its users may match rules that they did not match before, and so may users of users,
/// because rules look through operands.
fn requeue(ed: &Editor<'_>, value: Inst, work: &mut Vec<Inst>) {
    for place in ed.uses(value) {
        let Use::Arg(reader, _) = place else { continue };
        work.push(reader);
        // Rules are three levels deep. A value with very many uses is queued only once.
        let readers = ed.uses(reader).take(8);
        work.extend(readers.filter_map(|place| match place {
            Use::Arg(further, _) => Some(further),
            Use::Terminator(..) | Use::Node(_) => None,
        }));
    }
    work.push(value);
}
