//! Control flow: dominators and frontier of the chosen block, and divergence.

use super::{MarkStyle, Painter, counted};
use crate::analysis::{Divergence, Dom, Frontiers};
use crate::ir::Block;

/// The length of a bar that is full, or empty.
const WHOLE: [u64; 2] = [1, 1];
const NONE: [u64; 2] = [0, 1];

/// Marks the blocks that dominate the chosen one, those that it dominates, and its frontier. Without a choice every block
/// has the name of its immediate dominator.
pub(super) fn dominators(painter: &mut Painter<'_>) {
    let (module, func) = (painter.ask.module, painter.ask.func);
    let dom = painter.cx.get::<Dom>(module, func);
    let chosen = painter.chosen_block();
    let Some(chosen) = chosen.filter(|&block| dom.cfg().is_reachable(block)) else {
        for block in painter.blocks() {
            let words = match dom.idom(block) {
                Some(idom) => format!("idom {idom}"),
                None if dom.cfg().is_reachable(block) => "entry".to_owned(),
                None => "unreachable".to_owned(),
            };
            painter.block(block, MarkStyle::Plain, NONE, &words);
        }
        painter.sentence(match chosen {
            Some(_) => "The chosen block is unreachable: it has no dominators. Every other block has its immediate dominator (idom).",
            None => "Every block has its immediate dominator (idom). Choose a block, or a value in it, for its dominators and its frontier.",
        });
        return;
    };
    let frontiers = painter.cx.get::<Frontiers>(module, func);
    let frontier: Vec<Block> = frontiers.of_block(chosen).collect();
    for block in painter.blocks() {
        let is_frontier = frontier.contains(&block);
        let (style, words) = match (dom.dominates(block, chosen), dom.dominates(chosen, block), is_frontier) {
            (true, true, false) => (MarkStyle::Solid, "chosen"),
            (true, true, true) => (MarkStyle::Solid, "chosen, frontier"),
            (true, false, true) => (MarkStyle::Cross, "dominator, frontier"),
            (true, false, false) if dom.idom(chosen) == Some(block) => (MarkStyle::Hatch, "idom"),
            (true, false, false) => (MarkStyle::Hatch, "dominator"),
            (false, true, _) => (MarkStyle::Dots, "dominated"),
            (false, false, true) => (MarkStyle::Lines, "frontier"),
            (false, false, false) => continue,
        };
        painter.block(block, style, WHOLE, words);
    }
    let above = dom.depth(chosen) as usize;
    let below = dom.subtree_size(chosen).saturating_sub(1);
    painter.sentence(&format!(
        "{chosen} is dominated by {}, dominates {}, and has {} in its frontier.",
        counted(above, "block"),
        counted(below, "block"),
        counted(frontier.len(), "block"),
    ));
    painter.entry(MarkStyle::Solid, "chosen");
    painter.entry(MarkStyle::Hatch, "dominator: on every path from the entry; idom: the nearest");
    painter.entry(MarkStyle::Dots, "dominated");
    painter.entry(MarkStyle::Lines, "frontier: not dominated, but a predecessor is");
    painter.entry(MarkStyle::Cross, "dominator and frontier: header of a loop around it");
}

/// Marks divergent blocks and values.
pub(super) fn divergence(painter: &mut Painter<'_>) {
    let found = painter.cx.get::<Divergence>(painter.ask.module, painter.ask.func);
    for block in painter.blocks() {
        match found.is_partial(block) {
            true => painter.block(block, MarkStyle::Hatch, WHOLE, "divergent"),
            false => painter.block(block, MarkStyle::Plain, NONE, "uniform"),
        }
    }
    let mut values = painter.body.params().to_vec();
    values.extend(painter.insts());
    values.retain(|&inst| painter.body.inst(inst).has_result());
    let all = values.len();
    values.retain(|&inst| !found.is_uniform(inst));
    for &inst in &values {
        painter.value(inst, MarkStyle::Lines, "");
    }
    painter.sentence(&format!("{} of {} are divergent.", values.len(), counted(all, "value")));
    painter.entry(MarkStyle::Hatch, "divergent block: some invocations of a subgroup may be elsewhere");
    painter.entry(MarkStyle::Lines, "divergent value: may differ within a subgroup");
}
