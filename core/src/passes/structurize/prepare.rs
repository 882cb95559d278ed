//! Step 0: a graph without what the placement would trip over.
//!
//! Blocks that cannot be reached are dropped, the entry gets no predecessors, and a block joins the only
//! block before it when that one leads nowhere else: `^1: … goto ^2` and `^2: …` become one block `^1`, in
//! which the parameters of `^2` are copies (`mov`) under their own ids. A tree has no way to put two blocks
//! in a row, and nothing would be gained by one.

use crate::analysis::Cfg;
use crate::base::{EntitySet, SideTable};
use crate::ir::{Assembler, Block, BlockData, CowVec, FuncBody, Inst, MergeInfo, Terminator};
use crate::passes::util::rebuild;
use std::rc::Rc;

/// A graph that is ready to be placed.
pub(super) struct Prepared {
    /// The function; shape graph.
    pub(super) asm: Assembler,
    /// What the importer declared, for blocks that are reached: the block that stands for the header now.
    pub(super) hints: Vec<(Block, Rc<MergeInfo>)>,
    /// The block that a block has joined; itself if none.
    pub(super) leader: SideTable<Block, Option<Block>>,
}

/// Prepares. With `declared`, blocks that a hint names keep to themselves.
pub(super) fn prepare(body: &FuncBody, declared: bool) -> Prepared {
    let cfg = Cfg::of(body);
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
        join(body, &cfg, block, &pinned, &mut leader, &mut asm);
    }
    asm.graph(order);
    let hints = hinted.into_iter().filter_map(|(block, hint)| Some((leader[block]?, hint))).collect();
    Prepared { asm, hints, leader }
}

/// Lets what follows `first` in a straight line join it.
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
