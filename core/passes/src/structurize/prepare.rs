//! Step 0: normalizes a graph for the placement.
//!
//! Unreachable blocks are removed, the entry gets no predecessors, and a block is merged into its only
//! predecessor if that one has no other successor: `^1: … goto ^2` and `^2: …` become one block `^1`, in which
//! the parameters of `^2` are copies (`mov`) with their own ids. A tree cannot contain two consecutive blocks,
//! and there would be no benefit.

use crate::util::rebuild;
use std::rc::Rc;
use vitrine_analysis::Cfg;
use vitrine_ir::base::{EntitySet, SideTable};
use vitrine_ir::{Assembler, Block, BlockData, CowVec, FuncBody, Inst, MergeInfo, Terminator};

/// A normalized graph.
pub(super) struct Prepared {
    /// The function; shape graph.
    pub(super) asm: Assembler,
    /// The importer's hints for reachable blocks, by the block that contains the header now.
    pub(super) hints: Vec<(Block, Rc<MergeInfo>)>,
    /// The block into which a block was merged; itself if none.
    pub(super) leader: SideTable<Block, Option<Block>>,
}

/// Normalizes a graph, of which `cfg` is the analysis. With `declared`, blocks that a hint refers to are not merged.
pub(super) fn prepare(body: &FuncBody, cfg: &Cfg, declared: bool) -> Prepared {
    let mut asm = rebuild::copy(body);
    let mut pinned = EntitySet::new();
    let hinted = cfg.rpo().iter().filter_map(|&block| Some((block, body.block(block).merge.clone()?)));
    let hinted: Vec<(Block, Rc<MergeInfo>)> = hinted.collect();
    if declared {
        for (_, hint) in &hinted {
            for block in [Some(hint.merge), hint.cont].into_iter().flatten() {
                pinned.insert(block);
            }
        }
    }
    let mut leader: SideTable<Block, Option<Block>> = SideTable::new();
    let mut order = Vec::with_capacity(cfg.rpo().len() + 1);
    if let Some(entry) = cfg.entry() {
        if cfg.in_edges(entry).next().is_some() {
            order.push(rebuild::empty_block(&mut asm, Terminator::goto(entry)));
        }
        pinned.insert(entry);
    }
    for &block in cfg.rpo() {
        if leader[block].is_some() {
            continue;
        }
        leader[block] = Some(block);
        order.push(block);
        join(body, cfg, block, &pinned, &mut leader, &mut asm);
    }
    asm.graph(order);
    let hints = hinted.into_iter().filter_map(|(block, hint)| Some((leader[block]?, hint))).collect();
    Prepared { asm, hints, leader }
}

/// Merges the straight-line successors of `first` into it.
fn join(
    body: &FuncBody,
    cfg: &Cfg,
    first: Block,
    pinned: &EntitySet<Block>,
    leader: &mut SideTable<Block, Option<Block>>,
    asm: &mut Assembler,
) {
    let mut at = first;
    let mut insts: Vec<Inst> = Vec::new();
    while let Terminator::Goto(edge) = body.terminator(at) {
        let alone = cfg.preds(edge.to).filter(|&from| cfg.is_reachable(from)).count() == 1;
        if !alone || pinned.contains(edge.to) {
            break;
        }
        if at == first {
            insts.extend_from_slice(&body.block(first).insts);
        }
        at = edge.to;
        leader[at] = Some(first);
        let data = body.block(at);
        for (&param, &value) in data.params.iter().zip(edge.args.iter()) {
            rebuild::param_to_copy(asm, param, value);
            insts.push(param);
        }
        insts.extend_from_slice(&data.insts);
        *asm.block_mut(at) = BlockData::default();
    }
    if at != first {
        let joined = asm.block_mut(first);
        joined.terminator = body.terminator(at).clone();
        joined.insts = CowVec::new(insts);
    }
}
