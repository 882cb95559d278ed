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
//! In a tree: an `if` or a `switch` on a constant becomes the arm that is taken; one whose arms are empty and
//! pass on the same goes; a loop that never goes round and a labelled block that nobody breaks out of become
//! what is in them; what stands behind a node that is never left becomes `stop unreachable`. In a graph:
//! branches and switches with one way to go become `goto`, and blocks that nothing reaches go.
//!
//! Kept: loops, whatever is in them, since whether they end is not asked here; nodes that are left from
//! further inside, which would need a label that an `if` on a constant has no more.

use super::pass::PassInfo;
use crate::analysis::Cfg;
use crate::base::opening::opening;
use crate::ir::{
    Args, Block, Edge, Editor, InsertPoint, Inst, InstRange, Nesting, Node, NodeKind, Reason, Refusal,
    Region, Shape, Stop, Terminator,
};
use crate::passes::util::open::nodes_in_order;

/// Rounds over a tree; one can make another one possible only from the inside out.
const MOST_ROUNDS: usize = 32;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Removes control flow that is never taken or has no effect.",
    ..PassInfo::edits("dead-cf", opening!("dead_cf.rs"), |ed, _| dead_cf(ed))
};

/// Removes dead control flow. Near-linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn dead_cf(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    match ed.func().shape() {
        Shape::Declaration => Ok(()),
        Shape::Graph(_) => graph(ed),
        Shape::Tree(_) => tree(ed),
    }
}

fn graph(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for block in ed.func().blocks_in_order() {
        if let Some((edge, why)) = only_way(ed, block)
            && ed.consume_fuel()
        {
            ed.set_terminator(block, Terminator::Goto(edge), Reason::Note(why))?;
        }
    }
    if !Cfg::of(ed.func()).unreachable().is_empty() && ed.consume_fuel() {
        ed.remove_unreachable(Reason::Note("no path leads here"))?;
    }
    Ok(())
}

/// Where the exit of a block leads, if it leads to one place whatever happens.
fn only_way(ed: &Editor<'_>, block: Block) -> Option<(Edge, &'static str)> {
    let exit = ed.func().terminator(block);
    let known = match exit {
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
        return Some((edge.clone(), "what it decides by is constant"));
    }
    let edges = exit.edges();
    let first = *edges.first()?;
    edges.iter().all(|&edge| edge == first).then(|| (first.clone(), "all its ways are one"))
}

fn tree(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for _ in 0..MOST_ROUNDS {
        let before = ed.journal().len();
        drop_unreachable(ed)?;
        // Inside out and from the end, so that what is moved is small.
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

/// What can be done about a node. Where it is refused, the node stays as it is.
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

/// What is to become of a node.
enum Plan {
    /// What is in it takes its place.
    Unwrap(&'static str),
    /// It goes; these are what it would have passed on.
    Erase(Vec<Inst>),
}

fn plan(ed: &Editor<'_>, node: Node) -> Option<Plan> {
    match &ed.func().node(node).kind {
        NodeKind::If { cond: on, .. } | NodeKind::Switch { on, .. } if ed.bits_of(*on).is_some() => {
            Some(Plan::Unwrap("what it decides by is constant"))
        }
        NodeKind::If { .. } | NodeKind::Switch { .. } => same_results(ed, node).map(Plan::Erase),
        NodeKind::Loop { body, .. } if leaves_at_once(ed, node, *body) => {
            Some(Plan::Unwrap("it never goes round"))
        }
        NodeKind::Block { body } if !broken_out_of(ed, node, *body) => {
            Some(Plan::Unwrap("nobody breaks out of it"))
        }
        NodeKind::Loop { .. } | NodeKind::Block { .. } => None,
    }
}

/// What all arms of a node pass on, if that is all they do and they pass on the same.
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

/// Whether a loop is left, or the invocation ends, at the end of its first round, however it gets there.
fn leaves_at_once(ed: &Editor<'_>, node: Node, first: Region) -> bool {
    let last = ed.func().region(first).last();
    let round = match ed.func().terminator(last) {
        Terminator::Next(_) => true,
        Terminator::Continue(named, _) => *named == node,
        _ => false,
    };
    !round && !broken_out_of(ed, node, first)
}

/// Whether an exit names a node other than the last one of its region, which falls out anyway.
fn broken_out_of(ed: &Editor<'_>, node: Node, first: Region) -> bool {
    let last = ed.func().region(first).last();
    let after = ed.block_after(node);
    let leaving = after.map(|after| ed.incoming(after)).unwrap_or_default();
    leaving
        .iter()
        .any(|edge| edge.from != last && matches!(ed.func().terminator(edge.from), Terminator::Break(..)))
}

/// Lets every piece of a region that nothing reaches be one empty block that says so.
fn drop_unreachable(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let cfg = Cfg::of(ed.func());
    let nesting = Nesting::of(ed.func());
    const WHY: Reason = Reason::Note("no path leads here");
    for &block in cfg.unreachable() {
        // Pieces taken with an earlier one are gone.
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
            // Refused where what is unreachable too, and comes later, still reads a value: a later round sees it.
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
