//! `if-select-of-params`: moves a select after an `if` into its arms.
//!
//! ```text
//!   if !0 %0 { … next(%1) } else { … next(%2) }       if !0 %0 { … next(%1) } else { … next(%3) }
//! ^3(%4: b32):                                   =>  ^3(%5: b32):
//!   %5: b32 = select %0, %4, %3                         …
//! ```
//!
//! If the condition was true, the select yields its second operand, otherwise its third. On each edge this is the
//! value passed for a parameter, or a value from before the `if`. So a parameter with these values replaces the
//! select. Applied only if a parameter of the `if` has no other use and is removed, so that the program does not
//! grow.
//!
//! Left alone: componentwise selects of vectors, selects in later blocks, switches, and graphs.
//!
//! NIR: `opt_simplify_bcsel_of_phi` of `nir_opt_if`, there for loops.

use super::pass::{PassInfo, PassShape};
use crate::util::arms::{Choice, choice};
use crate::util::open::nodes_in_order;
use rustc_hash::FxHashMap;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{IntOp, Op, ValueType};
use vitrine_ir::{Block, Editor, Incoming, InsertPoint, Inst, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Moves a select after an `if` into its arms.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("if-select-of-params", opening!("if_select_of_params.rs"), |ed, _| {
        if_select_of_params(ed)
    })
};

const WHY: Reason = Reason::Note("each arm passes the value that the select would pick");

/// Replaces selects. Linear in blocks after `if`s and the edges to them; idempotent; trees.
pub(super) fn if_select_of_params(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for node in nodes_in_order(ed.func()) {
        let Some(choice) = choice(ed, node) else { continue };
        for &select in ed.func().block(choice.after).insts.clone().iter() {
            let Some((picks, unused)) = picks(ed, &choice, select) else { continue };
            if !ed.consume_fuel() {
                return Ok(());
            }
            let ty = ed.func().ty(select);
            let incoming_value = |edge: Incoming| picks.get(&edge.from).copied().unwrap_or(select);
            let param = ed.add_param_with(choice.after, ty, incoming_value, WHY)?;
            ed.replace(select, param, WHY)?;
            for param in unused {
                let at = ed.func().block(choice.after).params.iter().position(|&other| other == param);
                if let Some(at) = at.filter(|_| ed.use_count(param) == 0) {
                    ed.remove_param(choice.after, at, WHY)?;
                }
            }
        }
    }
    Ok(())
}

/// Returns the value of a select for each edge out of an `if`, and the parameters without other uses.
fn picks(ed: &mut Editor<'_>, choice: &Choice, select: Inst) -> Option<(FxHashMap<Block, Inst>, Vec<Inst>)> {
    let data = ed.func().inst(select);
    let &[cond, yes, no] = &data.args[..] else { return None };
    let whole =
        matches!(data.op, Op::Int(IntOp::Select | IntOp::Select1)) && ed.func().ty(cond) == ValueType::BOOL;
    if !whole || cond != choice.cond || !matches!(data.ty, ValueType::Bits { .. }) || yes == no {
        return None;
    }
    let params = ed.func().block(choice.after).params.clone();
    let unused: Vec<Inst> =
        [yes, no].into_iter().filter(|value| params.contains(value) && ed.use_count(*value) == 1).collect();
    if unused.is_empty() {
        return None;
    }
    let end = InsertPoint::End(choice.before);
    let mut picks = FxHashMap::default();
    for edge in ed.incoming(choice.after) {
        let arm = ed.arm_of(choice.node, edge.from)?;
        let value = if arm == choice.then { yes } else { no };
        let passed = match params.iter().position(|&param| param == value) {
            Some(at) => ed.edge_args(edge).and_then(|args| args.get(at).copied()),
            None => Some(value).filter(|&value| ed.is_visible(value, end)),
        };
        picks.insert(edge.from, passed?);
    }
    Some((picks, unused))
}
