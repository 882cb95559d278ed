//! Copies of regions.

use super::Detached;
use crate::editor::{Editor, Refusal, body, refuse};
use crate::{
    Arm, Block, BlockData, CowVec, Event, Inst, InstData, Node, NodeData, NodeKind, Reason, Region,
    RegionData, Shape, Site, Terminator, TreeStep, TreeWalk,
};
use rustc_hash::FxHashMap;

/// Maps the entities of a region to their copies.
#[derive(Default)]
struct Copies {
    insts: FxHashMap<Inst, Inst>,
    blocks: FxHashMap<Block, Block>,
    nodes: FxHashMap<Node, Node>,
    regions: FxHashMap<Region, Region>,
}

impl Copies {
    fn inst(&self, inst: Inst) -> Inst {
        self.insts.get(&inst).copied().unwrap_or(inst)
    }

    fn block(&self, block: Block) -> Block {
        self.blocks.get(&block).copied().unwrap_or(block)
    }

    fn node(&self, node: Node) -> Node {
        self.nodes.get(&node).copied().unwrap_or(node)
    }

    fn region(&self, region: Region) -> Region {
        self.regions.get(&region).copied().unwrap_or(region)
    }

    fn list(&self, insts: &[Inst]) -> CowVec<Inst> {
        CowVec::new(insts.iter().map(|&inst| self.inst(inst)).collect())
    }

    fn terminator(&self, terminator: &Terminator) -> Terminator {
        match terminator.map_uses(|value| self.inst(value)) {
            Terminator::Break(node, args) => Terminator::Break(self.node(node), args),
            Terminator::Continue(node, args) => Terminator::Continue(self.node(node), args),
            other => other,
        }
    }

    fn kind(&self, kind: &NodeKind) -> NodeKind {
        match kind {
            NodeKind::If { cond, then, els } => {
                NodeKind::If { cond: self.inst(*cond), then: self.region(*then), els: self.region(*els) }
            }
            NodeKind::Switch { on, arms } => {
                let arms = arms.iter().map(|arm| Arm { body: self.region(arm.body), ..arm.clone() });
                NodeKind::Switch { on: self.inst(*on), arms: arms.collect() }
            }
            NodeKind::Loop { body, continuing } => NodeKind::Loop {
                body: self.region(*body),
                continuing: continuing.map(|continuing| self.region(continuing)),
            },
            NodeKind::Block { body } => NodeKind::Block { body: self.region(*body) },
        }
    }
}

impl Editor<'_> {
    /// Copies a region of the program with its contents, under new ids; values from outside stay the same.
    /// The copy is a piece to splice: terminators that named a node around the region still do.
    pub fn copy_region(&mut self, region: Region, why: Reason) -> Result<Detached, Refusal> {
        let is_root = *self.func().shape() == Shape::Tree(region);
        if !is_root && self.places.owner(region).is_none() {
            refuse!("the region is not part of the program");
        }
        let steps: Vec<TreeStep> = TreeWalk::of_region(body!(self), region).collect();
        let copies = self.make_room(region, &steps, why);
        self.fill(&copies, region, &steps);
        Ok(Detached { region: copies.region(region), serial: self.serial })
    }

    /// Issues the new ids, instruction by instruction in text order.
    fn make_room(&mut self, region: Region, steps: &[TreeStep], why: Reason) -> Copies {
        let mut copies = Copies::default();
        let copy = self.control_mut().regions.push(RegionData::default());
        copies.regions.insert(region, copy);
        for &step in steps {
            match step {
                TreeStep::Enter(node) => {
                    let copy = self.control_mut().nodes.push(NodeData::default());
                    copies.nodes.insert(node, copy);
                    self.say_copied(node, copy, why);
                }
                TreeStep::Open(_, _, inner) => {
                    let copy = self.control_mut().regions.push(RegionData::default());
                    copies.regions.insert(inner, copy);
                }
                TreeStep::Block(block) => self.copy_block(block, &mut copies, why),
                TreeStep::Leave(_) => {}
            }
        }
        copies
    }

    fn copy_block(&mut self, block: Block, copies: &mut Copies, why: Reason) {
        let copy = self.control_mut().blocks.push(BlockData::default());
        copies.blocks.insert(block, copy);
        self.say_copied(block, copy, why);
        let end = self.func().end_origin(block);
        self.control_mut().set_end_origin(copy, end);
        let data = self.func().block(block).clone();
        for &inst in data.params.iter().chain(data.insts.iter()) {
            let (name, origin) = (self.func().inst_name(inst), self.func().origin(inst));
            let body = self.control_mut();
            body.unbind_value(inst);
            let bindings = body.bindings.get(inst).cloned().flatten();
            let copy = body.insts.push(body.inst(inst).clone());
            body.set_name(copy, name);
            body.set_origin(copy, origin);
            body.set_bindings(copy, bindings);
            copies.insts.insert(inst, copy);
            self.say_copied(inst, copy, why);
        }
    }

    fn say_copied(&mut self, of: impl Into<Site>, new: impl Into<Site>, why: Reason) {
        self.record(Event::Copy { of: of.into(), new: new.into() }, why);
    }

    /// Makes everything in the copy refer to copies.
    fn fill(&mut self, copies: &Copies, region: Region, steps: &[TreeStep]) {
        self.fill_region(copies, region);
        for &step in steps {
            match step {
                TreeStep::Enter(node) => {
                    let data = self.func().node(node);
                    let data = NodeData { kind: copies.kind(&data.kind), attrs: data.attrs.clone() };
                    self.control_mut().nodes[copies.node(node)] = data;
                }
                TreeStep::Open(_, _, inner) => self.fill_region(copies, inner),
                TreeStep::Block(block) => self.fill_block(copies, block),
                TreeStep::Leave(_) => {}
            }
        }
    }

    fn fill_region(&mut self, copies: &Copies, region: Region) {
        let data = self.func().region(region);
        let rest = data.rest.iter().map(|&(node, block)| (copies.node(node), copies.block(block)));
        let data = RegionData { head: copies.block(data.head), rest: CowVec::new(rest.collect()) };
        self.control_mut().regions[copies.region(region)] = data;
    }

    fn fill_block(&mut self, copies: &Copies, block: Block) {
        let data = self.func().block(block).clone();
        let body = self.control_mut();
        body.blocks[copies.block(block)] = BlockData {
            params: copies.list(&data.params),
            insts: copies.list(&data.insts),
            terminator: copies.terminator(&data.terminator),
            merge: None,
        };
        for &inst in data.insts.iter() {
            let InstData { args, .. } = &mut body.insts[copies.inst(inst)];
            *args = args.map(|arg| copies.inst(arg));
        }
    }
}
