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

use super::open::insts_in_order;
use super::opening::opening;
use super::pass::PassInfo;
use crate::ir::{Editor, Inst, Refusal, Use};
use crate::rules::{Set, apply_of};

/// Most rules applied, for each instruction of the function.
const STEPS_PER_INST: usize = 32;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Applies the rules of algebra, each one cheaper than what it replaces.",
    ..PassInfo::edits("algebraic", opening!("algebraic.rs"), |ed, _| by_rules(ed, Set::Algebraic))
};

/// Applies the rules of a set. Near-linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn by_rules(ed: &mut Editor<'_>, set: Set) -> Result<(), Refusal> {
    // Operands before what reads them: the last of the list is looked at first.
    let mut work = insts_in_order(ed.func());
    work.reverse();
    let mut left = work.len().saturating_mul(STEPS_PER_INST);
    while let Some(inst) = work.pop() {
        if !ed.is_placed(inst) || left == 0 {
            continue;
        }
        let Some(applied) = apply_of(ed, set, inst)? else { continue };
        left -= 1;
        if let Some(value) = applied.value {
            again(ed, value, &mut work);
        }
        work.extend(applied.made.into_iter().rev());
    }
    Ok(())
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
            Use::Exit(..) | Use::Node(_) => None,
        }));
    }
    work.push(value);
}
