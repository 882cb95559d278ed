//! Fingerprints of programs, independent of ids: detects that a `fix` group repeats a program.
//!
//! Values, blocks and nodes are identified by their positions, so a program that recurs with new ids has the
//! same fingerprint. A collision is possible (one in 2^64) and only causes a wrong note.

use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use vitrine_ir::base::{EntityId, SideTable};
use vitrine_ir::{Block, FuncBody, Inst, Module, Node, NodeKind, Terminator, TreeStep, TreeWalk};

/// The fingerprint of all function bodies. Linear.
pub(super) fn fingerprint(module: &Module) -> u64 {
    let mut hasher = FxHasher::default();
    for (func, body) in module.funcs() {
        func.index().hash(&mut hasher);
        Numbered::of(body).hash_into(body, &mut hasher);
    }
    hasher.finish()
}

/// Positions in the text by id, from 1; 0 for ids without one.
struct Numbered {
    order: Vec<Block>,
    insts: SideTable<Inst, u32>,
    blocks: SideTable<Block, u32>,
    nodes: SideTable<Node, u32>,
}

impl Numbered {
    fn of(body: &FuncBody) -> Numbered {
        let order = body.blocks_in_order();
        let mut insts = SideTable::sized(0, body.tables().insts.len());
        let (mut blocks, mut nodes) = (SideTable::new(), SideTable::new());
        let mut next = 0;
        for &param in body.params() {
            next += 1;
            insts[param] = next;
        }
        for (at, &block) in order.iter().enumerate() {
            blocks[block] = at as u32 + 1;
            let data = body.block(block);
            for &inst in data.params.iter().chain(data.insts.iter()) {
                next += 1;
                insts[inst] = next;
            }
        }
        let entered = TreeWalk::new(body).filter_map(|step| match step {
            TreeStep::Enter(node) => Some(node),
            TreeStep::Open(..) | TreeStep::Block(_) | TreeStep::Leave(_) => None,
        });
        for (at, node) in entered.enumerate() {
            nodes[node] = at as u32 + 1;
        }
        Numbered { order, insts, blocks, nodes }
    }

    fn hash_into(&self, body: &FuncBody, hasher: &mut FxHasher) {
        for &block in &self.order {
            let data = body.block(block);
            (data.params.len(), data.insts.len()).hash(hasher);
            for &inst in data.params.iter().chain(data.insts.iter()) {
                let data = body.inst(inst);
                (data.op, data.flags, data.ty, &data.attrs).hash(hasher);
                data.args.iter().for_each(|&arg| self.insts[arg].hash(hasher));
            }
            self.terminator(&data.terminator, hasher);
        }
        for step in TreeWalk::new(body) {
            match step {
                TreeStep::Enter(node) => self.node(&body.node(node).kind, hasher),
                TreeStep::Block(block) => self.blocks[block].hash(hasher),
                TreeStep::Open(_, at, _) => at.hash(hasher),
                TreeStep::Leave(_) => u8::MAX.hash(hasher),
            }
        }
    }

    fn node(&self, kind: &NodeKind, hasher: &mut FxHasher) {
        std::mem::discriminant(kind).hash(hasher);
        kind.operand().map(|on| self.insts[on]).hash(hasher);
        if let NodeKind::Switch { arms, .. } = kind {
            arms.iter().for_each(|arm| (&arm.values, arm.default).hash(hasher));
        }
    }

    fn terminator(&self, terminator: &Terminator, hasher: &mut FxHasher) {
        std::mem::discriminant(terminator).hash(hasher);
        match terminator {
            Terminator::Break(node, _) | Terminator::Continue(node, _) => self.nodes[*node].hash(hasher),
            Terminator::Stop(stop) => stop.hash(hasher),
            Terminator::Switch { cases, .. } => cases.iter().for_each(|case| case.values.hash(hasher)),
            Terminator::Next(_) | Terminator::Return(_) | Terminator::Goto(_) | Terminator::Branch { .. } => {
            }
        }
        terminator.edges().into_iter().for_each(|edge| self.blocks[edge.to].hash(hasher));
        terminator.for_each_use(|value| self.insts[value].hash(hasher));
    }
}
