//! Queries on conditional nodes: which of their arms reach the code after the node, and what the arms contain.
//!
//! Changes nothing.

use vitrine_ir::{Block, Editor, Node, NodeKind, Region, RegionData, Terminator};

/// A reachable `if`: its position and its parts.
#[derive(Clone, Copy)]
pub(crate) struct Choice {
    pub(crate) node: Node,
    pub(crate) cond: vitrine_ir::Inst,
    pub(crate) then: Region,
    pub(crate) els: Region,
    pub(crate) before: Block,
    pub(crate) after: Block,
}

/// Returns the `if` of a node if the node is one and is reachable.
pub(crate) fn choice(ed: &Editor<'_>, node: Node) -> Option<Choice> {
    if !ed.has_node(node) {
        return None;
    }
    let NodeKind::If { cond, then, els } = ed.func().node(node).kind else { return None };
    let (before, after) = (ed.block_before(node)?, ed.block_after(node)?);
    let entered = matches!(ed.func().terminator(before), Terminator::Next(_));
    entered.then_some(Choice { node, cond, then, els, before, after })
}

/// The arms of a node from which some path reaches the code after the node, without duplicates.
pub(crate) fn arms_behind(ed: &Editor<'_>, node: Node) -> Vec<Region> {
    let Some(after) = ed.block_after(node) else { return Vec::new() };
    let mut found = Vec::new();
    for edge in ed.incoming(after) {
        let arm = ed.arm_of(node, edge.from);
        found.extend(arm.filter(|arm| !found.contains(arm)));
    }
    found
}

/// The single block of a region without nodes.
pub(crate) fn only_block(ed: &Editor<'_>, region: Region) -> Option<Block> {
    let data: &RegionData = ed.func().region(region);
    data.rest.is_empty().then_some(data.head)
}

/// Returns true if a region has no instructions and falls through.
pub(crate) fn is_empty(ed: &Editor<'_>, region: Region) -> bool {
    only_block(ed, region).is_some_and(|block| {
        ed.func().block(block).insts.is_empty() && matches!(ed.func().terminator(block), Terminator::Next(_))
    })
}
