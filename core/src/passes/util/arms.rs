//! What passes over choices ask of a node: which of its arms lead behind it, and what they do.
//!
//! Changes nothing.

use crate::ir::{Block, Editor, Node, NodeKind, Region, RegionData, Terminator};

/// An `if` that is entered: its place and its parts.
#[derive(Clone, Copy)]
pub(in crate::passes) struct Choice {
    pub(in crate::passes) node: Node,
    pub(in crate::passes) cond: crate::ir::Inst,
    pub(in crate::passes) then: Region,
    pub(in crate::passes) els: Region,
    pub(in crate::passes) before: Block,
    pub(in crate::passes) after: Block,
}

/// The `if` that a node is, if something enters it.
pub(in crate::passes) fn choice(ed: &Editor<'_>, node: Node) -> Option<Choice> {
    if !ed.has_node(node) {
        return None;
    }
    let NodeKind::If { cond, then, els } = ed.func().node(node).kind else { return None };
    let (before, after) = (ed.block_before(node)?, ed.block_after(node)?);
    let entered = matches!(ed.func().terminator(before), Terminator::Next(_));
    entered.then_some(Choice { node, cond, then, els, before, after })
}

/// The arms of a node from which some way leads behind it, each once.
pub(in crate::passes) fn arms_behind(ed: &Editor<'_>, node: Node) -> Vec<Region> {
    let Some(after) = ed.block_after(node) else { return Vec::new() };
    let mut found = Vec::new();
    for edge in ed.incoming(after) {
        let arm = ed.arm_of(node, edge.from);
        found.extend(arm.filter(|arm| !found.contains(arm)));
    }
    found
}

/// The block that a region is, if it has no nodes.
pub(in crate::passes) fn only_block(ed: &Editor<'_>, region: Region) -> Option<Block> {
    let data: &RegionData = ed.func().region(region);
    data.rest.is_empty().then_some(data.head)
}

/// Whether a region does nothing and falls out.
pub(in crate::passes) fn is_empty(ed: &Editor<'_>, region: Region) -> bool {
    only_block(ed, region).is_some_and(|block| {
        ed.func().block(block).insts.is_empty() && matches!(ed.func().terminator(block), Terminator::Next(_))
    })
}
