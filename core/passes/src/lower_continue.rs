//! `lower-continue`: moves the continuing region of a loop into its body.
//!
//! ```text
//!   loop !0(%0) {                             loop !0(%0) {
//!   ^1(%1: b32):                              ^1(%1: b32):
//!     … continue !0 …                           block !2 { … break !2 … }
//!     next                              =>    ^4:
//!   } continuing {                              %2: b32 = iadd %1, %1
//!   ^4:                                         next(%2)
//!     %2: b32 = iadd %1, %1                   }
//!     next(%2)
//!   }
//! ```
//!
//! The continuing region moves to the end of the body. If the body branches there with `continue`, the old body is
//! wrapped in a labeled block, and each `continue` becomes a `break` out of it; values of the body used in the
//! continuing region become parameters, and paths are rebuilt. Order and number of effects are unchanged. Loops
//! without a continuing region keep their `continue`, which targets support.
//!
//! The option `keep` leaves regions that other blocks continue to and that have no exit of their own. The option `keep-steps` leaves those of one block
//! with few instructions, which can be the step of a `for`.
//!
//! Left alone: a loop with a `continue` whose continuing region uses a resource (a handle) or a selected path of
//! the body, since these cannot be passed as parameters.

use super::options::{PassOptions, options};
use super::pass::{PassInfo, PassShape};
use crate::util::loop_edit::{blocks_of, in_one_region};
use crate::util::open::nodes_in_order;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, Op};
use vitrine_ir::{Editor, Inst, Node, NodeKind, Refusal, Region, Terminator};

options! {
    /// The continuing regions that are moved.
    struct Moved {
        choice kept: Keep {
            /// Moves every region.
            None "all",
            /// Leaves regions that other blocks continue to, and that have no exit of their own.
            All "keep",
            /// Of these, leaves those of one block with few instructions.
            Steps "keep-steps",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Moves the continuing region of a loop into its body.",
    shape: Some(PassShape::Tree),
    options: Moved::INFO,
    may_apply: |body, _| body.tables().nodes.iter().any(|(_, node)| has_continuing(&node.kind)),
    ..PassInfo::edits("lower-continue", opening!("lower_continue.rs"), |ed, cx| {
        lower_continue(ed, Moved::of(cx.options).kept)
    })
};

fn has_continuing(kind: &NodeKind) -> bool {
    matches!(kind, NodeKind::Loop { continuing: Some(_), .. })
}

/// The most instructions of a step, without constants.
const STEP: usize = 12;

impl Keep {
    /// Returns true if a region is kept, which other blocks must continue to.
    fn keeps(self, ed: &Editor<'_>, node: Node, region: Region) -> bool {
        let is_step = || {
            let (body, data) = (ed.func(), ed.func().region(region));
            let is_constant = |&&inst: &&Inst| body.inst(inst).op == Op::Basic(BasicOp::Const);
            let insts = &body.block(data.head).insts;
            data.rest.is_empty() && insts.iter().filter(|inst| !is_constant(inst)).count() <= STEP
        };
        let is_kept = match self {
            Keep::None => false,
            Keep::Steps => is_step(),
            Keep::All => blocks_of(ed, region)
                .into_iter()
                .all(|block| matches!(ed.func().terminator(block), Terminator::Next(_))),
        };
        is_kept && !ed.continues_of(node).is_empty()
    }
}

/// Moves continuing regions into bodies. Linear in the total size of loops; idempotent; trees.
fn lower_continue(ed: &mut Editor<'_>, keep: Keep) -> Result<(), Refusal> {
    for node in nodes_in_order(ed.func()).into_iter().rev() {
        if !ed.has_node(node) {
            continue;
        }
        let NodeKind::Loop { continuing: Some(region), .. } = ed.func().node(node).kind else { continue };
        if !keep.keeps(ed, node, region) {
            if !ed.consume_fuel() {
                break;
            }
            in_one_region(ed, node)?;
        }
    }
    Ok(())
}
