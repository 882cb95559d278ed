//! Labels of the lines of a switch: the values that lead along them.
//!
//! The same for every picture; labels of branches (T and F) belong to the picture.

use super::Line;
use vitrine_analysis::{Cfg, EdgeId, EdgeKind};
use vitrine_ir::base::EntityId;
use vitrine_ir::{Block, FuncBody, NodeKind, Terminator};

/// The values for which a switch takes a line, and `default`; only the first few of them.
pub fn case_label(body: &FuncBody, cfg: &Cfg, line: &Line) -> String {
    const SHOWN: usize = 4;
    let mut words: Vec<String> = Vec::new();
    for &at in line.edges.iter().filter(|&&at| (at as usize) < cfg.edge_count()) {
        let edge = cfg.edge(EdgeId::from_index(at as usize));
        match edge.kind {
            EdgeKind::Default => words.push("default".to_owned()),
            EdgeKind::Case => words.extend(case(body, cfg, edge.from, edge.slot as usize)),
            EdgeKind::Goto
            | EdgeKind::Then
            | EdgeKind::Else
            | EdgeKind::Enter
            | EdgeKind::Leave
            | EdgeKind::Break
            | EdgeKind::Continue
            | EdgeKind::Rest
            | EdgeKind::Repeat => {}
        }
    }
    if words.len() > SHOWN {
        let more = words.len() - SHOWN + 1;
        words.truncate(SHOWN - 1);
        words.push(format!("+{more}"));
    }
    words.join(", ")
}

fn case(body: &FuncBody, cfg: &Cfg, block: Block, slot: usize) -> Vec<String> {
    let spell = |values: &[u64]| values.iter().map(ToString::to_string).collect();
    if let Terminator::Switch { cases, .. } = body.terminator(block) {
        return cases.get(slot).map_or(Vec::new(), |case| spell(&case.values));
    }
    match cfg.enters(block).map(|node| &body.node(node).kind) {
        Some(NodeKind::Switch { arms, .. }) => arms.get(slot).map_or(Vec::new(), |arm| spell(&arm.values)),
        Some(NodeKind::If { .. } | NodeKind::Loop { .. } | NodeKind::Block { .. }) | None => Vec::new(),
    }
}
