//! `dead-cf`: removes control flow that is never taken or has no effect.
//!
//! ```text
//!   %1: b1 = const true                     ^0:
//!   if !0 %1 {                                %1: b1 = const true
//!   ^1:                              =>       %2: b32 = fadd %0, %0
//!     %2: b32 = fadd %0, %0                   return %2
//!     next(%2)
//!   } else {
//!   ^2:
//!     next(%0)
//!   }
//! ^3(%3: b32):
//!   return %3
//! ```
//!
//! In a tree: an `if` or a `switch` on a constant is replaced by the taken arm; one whose arms are empty and pass
//! on the same values is removed; a loop that never iterates and a labeled block without breaks are replaced by
//! their contents; code after a node that is never left becomes `stop unreachable`. In a graph: branches and
//! switches with a single possible target become `goto`, and unreachable blocks are removed.
//!
//! Kept: loops, whatever they contain, since the pass does not prove termination; nodes that are left from a
//! nested construct, which would need a label that an `if` on a constant no longer has.

use super::pass::PassInfo;
use crate::util::open::nodes_in_order;
use vitrine_analysis::{Analyses, Cfg};
use vitrine_ir::base::opening::opening;
use vitrine_ir::{
    Args, Block, Edge, Editor, InsertPoint, Inst, InstRange, Nesting, Node, NodeKind, Reason, Refusal,
    Region, Shape, Stop, Terminator,
};

/// Maximum number of iterations over a tree; simplifying a node can only enable simplifications of enclosing ones.
const MAX_ITERATIONS: usize = 32;

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Removes control flow that is never taken or has no effect.",
    ..PassInfo::edits("dead-cf", opening!("dead_cf.rs"), |ed, cx| dead_cf(ed, cx.analyses))
};

/// Removes dead control flow. Near-linear; idempotent; both shapes.
pub(super) fn dead_cf(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    match ed.func().shape() {
        Shape::Declaration => Ok(()),
        Shape::Graph(_) => graph(ed, analyses),
        Shape::Tree(_) => tree(ed, analyses),
    }
}

fn graph(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    for block in ed.func().blocks_in_order() {
        if let Some((edge, why)) = single_target(ed, block)
            && ed.consume_fuel()
        {
            ed.set_terminator(block, Terminator::Goto(edge), Reason::Note(why))?;
        }
    }
    if !analyses.get::<Cfg>(ed.module(), ed.id()).unreachable().is_empty() && ed.consume_fuel() {
        ed.remove_unreachable(Reason::Note("it is unreachable"))?;
    }
    Ok(())
}

/// Returns the only possible target of the terminator of a block, if there is one, and the reason.
fn single_target(ed: &Editor<'_>, block: Block) -> Option<(Edge, &'static str)> {
    let terminator = ed.func().terminator(block);
    let known = match terminator {
        Terminator::Branch { cond, then, els } => {
            ed.bits_of(*cond).map(|bits| if bits.component(0).as_bool() { then } else { els })
        }
        Terminator::Switch { on, cases, default } => ed.bits_of(*on).map(|bits| {
            let value = bits.component(0).as_u64();
            let hit = cases.iter().find(|case| case.values.contains(&value));
            hit.map_or(default, |case| &case.edge)
        }),
        Terminator::Next(_)
        | Terminator::Break(..)
        | Terminator::Continue(..)
        | Terminator::Return(_)
        | Terminator::Stop(_)
        | Terminator::Goto(_) => return None,
    };
    if let Some(edge) = known {
        return Some((edge.clone(), "its condition is constant"));
    }
    let edges = terminator.edges();
    let first = *edges.first()?;
    edges.iter().all(|&edge| edge == first).then(|| (first.clone(), "all its edges are the same"))
}

fn tree(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    for _ in 0..MAX_ITERATIONS {
        let before = ed.journal().len();
        drop_unreachable(ed, analyses)?;
        // Innermost and last nodes first, so that little code is moved.
        for node in nodes_in_order(ed.func()).into_iter().rev() {
            if ed.has_node(node) {
                simplify(ed, node);
            }
        }
        if ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

/// Simplifies a node if possible. If the editor refuses, the node is unchanged.
fn simplify(ed: &mut Editor<'_>, node: Node) {
    if ed.block_before(node).is_none_or(|block| !matches!(ed.func().terminator(block), Terminator::Next(_))) {
        return;
    }
    let Some(plan) = plan(ed, node).filter(|_| ed.consume_fuel()) else { return };
    let _ = match plan {
        Plan::Unwrap(why) => ed.unwrap(node, Reason::Note(why)),
        Plan::Erase(results) => ed.erase_node(node, &results, Reason::Note("no arm has an effect")),
    };
}

/// Simplification of a node.
enum Plan {
    /// Its contents replace it.
    Unwrap(&'static str),
    /// It is removed; these are the values that it would have passed on.
    Erase(Vec<Inst>),
}

fn plan(ed: &Editor<'_>, node: Node) -> Option<Plan> {
    match &ed.func().node(node).kind {
        NodeKind::If { cond: on, .. } | NodeKind::Switch { on, .. } if ed.bits_of(*on).is_some() => {
            Some(Plan::Unwrap("its condition is constant"))
        }
        NodeKind::If { .. } | NodeKind::Switch { .. } => same_results(ed, node).map(Plan::Erase),
        NodeKind::Loop { body, .. } if never_iterates(ed, node, *body) => {
            Some(Plan::Unwrap("it never iterates"))
        }
        NodeKind::Block { body } if !has_break(ed, node, *body) => Some(Plan::Unwrap("no break targets it")),
        NodeKind::Loop { .. } | NodeKind::Block { .. } => None,
    }
}

/// Returns the values that all arms of a node pass on, if they are the same and the arms do nothing else.
fn same_results(ed: &Editor<'_>, node: Node) -> Option<Vec<Inst>> {
    let body = ed.func();
    let mut results: Option<&Args> = None;
    for region in body.node(node).kind.regions() {
        let data = body.region(region);
        let head = body.block(data.head);
        if !data.rest.is_empty() || !head.insts.is_empty() {
            return None;
        }
        let args = match &head.terminator {
            Terminator::Next(args) => args,
            Terminator::Break(named, args) if *named == node => args,
            _ => return None,
        };
        if results.is_some_and(|known| known != args) {
            return None;
        }
        results = Some(args);
    }
    results.map(|args| args.to_vec())
}

/// Returns true if the first iteration of a loop always leaves the loop or ends the invocation.
fn never_iterates(ed: &Editor<'_>, node: Node, first: Region) -> bool {
    let last = ed.func().region(first).last();
    let iterates = match ed.func().terminator(last) {
        Terminator::Next(_) => true,
        Terminator::Continue(named, _) => *named == node,
        _ => false,
    };
    !iterates && !has_break(ed, node, first)
}

/// Returns true if a terminator breaks to a node, except the last one of its region, which leaves the region
/// anyway.
fn has_break(ed: &Editor<'_>, node: Node, first: Region) -> bool {
    let last = ed.func().region(first).last();
    let after = ed.block_after(node);
    let leaving = after.map(|after| ed.incoming(after)).unwrap_or_default();
    leaving
        .iter()
        .any(|edge| edge.from != last && matches!(ed.func().terminator(edge.from), Terminator::Break(..)))
}

/// Replaces each unreachable part of a region by one empty block that ends in `stop unreachable`.
fn drop_unreachable(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let cfg = analyses.get::<Cfg>(ed.module(), ed.id());
    let nesting = Nesting::of(ed.func());
    const WHY: Reason = Reason::Note("it is unreachable");
    for &block in cfg.unreachable() {
        // Already removed together with an earlier part.
        if !ed.has_block(block) {
            continue;
        }
        let Some(place) = nesting.block(block) else { continue };
        let last = ed.func().region(place.region).last();
        let end = Terminator::Stop(Stop::Unreachable);
        let empty = last == block && ed.func().block(block).insts.is_empty();
        let done = empty && *ed.func().terminator(last) == end && ed.func().block(block).params.is_empty();
        if done || !ed.consume_fuel() {
            continue;
        }
        if *ed.func().terminator(last) != end {
            ed.set_terminator(last, end, WHY)?;
        }
        if !empty {
            // Refused if later unreachable code still uses a value: a later iteration removes it.
            if let Ok(piece) =
                ed.take(InstRange { from: InsertPoint::Start(block), to: InsertPoint::End(last) }, WHY)
            {
                drop(piece);
            }
        }
        for at in (0..ed.func().block(block).params.len()).rev() {
            let _ = ed.remove_param(block, at, WHY);
        }
    }
    Ok(())
}
