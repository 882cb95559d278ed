//! `opt-barriers`: merges barriers with no memory access between them.
//!
//! ```text
//! barrier {scope workgroup, order acq_rel+workgroup_memory}
//! %2: b32 = iadd %0, %1                              %2: b32 = iadd %0, %1
//! barrier {scope workgroup,                    =>    barrier {scope workgroup,
//!   order acq_rel+uniform_memory,                      order acq_rel+uniform_memory+workgroup_memory,
//!   exec workgroup}                                    exec workgroup}
//! ```
//!
//! Two barriers of one block are merged if there is no memory access and no communication between invocations
//! between them, and if their scope and order (acquire, release, both, all) are equal: everything that one
//! orders is ordered by the merged barrier. Memory kinds are combined. If one of them is an execution barrier,
//! so is the merged one; if both are, their execution scopes must be equal.
//!
//! The first one is removed and the second one is kept. Unchanged: barriers in different blocks, or with
//! different scopes or orders. NIR: `nir_opt_barriers`, which leaves the merge condition to each driver.

use super::pass::PassInfo;
use crate::util::memory::{Does, does};
use crate::util::open::in_order;
use vitrine_analysis::{Alias, Analyses};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{GroupOp, Key, Op, Props, Scope, Semantics, Word, WordSet};
use vitrine_ir::{Editor, Inst, InstData, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Merges barriers with no memory access between them.",
    ..PassInfo::edits("opt-barriers", opening!("opt_barriers.rs"), |ed, cx| opt_barriers(ed, cx.analyses))
};

const WHY: Reason = Reason::Note("no memory access between the two barriers");

/// Merges barriers. Linear; idempotent; both shapes.
fn opt_barriers(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let is_barrier = |ed: &Editor<'_>, inst: Inst| ed.func().inst(inst).op == Op::Group(GroupOp::Barrier);
    let blocks = in_order(ed.func());
    let any = |&block: &_| ed.func().block(block).insts.iter().any(|&inst| is_barrier(ed, inst));
    if !blocks.iter().any(any) {
        return Ok(());
    }
    let alias = analyses.get::<Alias>(ed.module(), ed.id());
    for block in blocks {
        let mut before: Option<Inst> = None;
        for &inst in ed.func().block(block).insts.clone().iter() {
            if !is_barrier(ed, inst) {
                if is_observable(&alias, ed.func().inst(inst)) {
                    before = None;
                }
                continue;
            }
            let merged = before.and_then(|first| merged(ed.func().inst(first), ed.func().inst(inst)));
            if let (Some(first), Some(data)) = (before, merged) {
                if !ed.consume_fuel() {
                    return Ok(());
                }
                ed.rewrite(inst, data, WHY)?;
                ed.erase(first, WHY)?;
            }
            before = Some(inst);
        }
    }
    Ok(())
}

/// Returns true if an instruction accesses anything that a barrier orders, or depends on the active
/// invocations.
fn is_observable(alias: &Alias, data: &InstData) -> bool {
    does(alias, data) != Does::Nothing || data.op.props().has(Props::CONVERGENT)
}

/// The combination of two barriers; none if they cannot be merged.
fn merged(first: &InstData, second: &InstData) -> Option<InstData> {
    let [a, b] = [first, second].map(|data| data.attrs.words::<Semantics>());
    let [scope, other_scope] = [first, second].map(|data| data.attrs.word::<Scope>());
    let same = scope == other_scope && a.only(Semantics::ORDERS) == b.only(Semantics::ORDERS);
    let [exec, other_exec] = [first, second].map(|data| data.attrs.word_of::<Scope>(Key::Exec));
    let exec = match (exec, other_exec) {
        (Some(a), Some(b)) if a != b => return None,
        (a, b) => a.or(b),
    };
    let mut out = second.clone();
    let both = a.and(b);
    if !both.is_none() {
        out = out.with(Key::Order, both.number());
    }
    if let Some(exec) = exec {
        out = out.with(Key::Exec, exec.number());
    }
    same.then_some(out)
}
