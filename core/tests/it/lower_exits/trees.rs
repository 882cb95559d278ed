//! Random trees that no structurizer would make: exits from anywhere to any node around, out of `if`s and
//! continuing regions too, with arguments, and code that nothing leads to.

use crate::testing::graphs::Random;
use vitrine_core::ir::{
    Args, Arm, Assembler, Attrs, Block, BlockData, CowVec, FuncBody, Inst, InstData, Node, NodeData,
    NodeKind, Region, RegionData, Stop, Terminator,
};
use vitrine_core::ops::{BasicOp, IntOp, ValueType};

/// A function whose tree has up to about `most` nodes.
pub(crate) fn random_tree(random: &mut Random, most: u64) -> FuncBody {
    let mut asm = Assembler::new();
    let param = |asm: &mut Assembler| asm.add_inst(InstData::new(BasicOp::Param, ValueType::B32, &[]));
    let given = vec![param(&mut asm), param(&mut asm)];
    asm.params(given.clone());
    asm.result(ValueType::B32);
    let left = random.below(most) + 1;
    let mut maker = Maker { asm, random, left, labels: Vec::new() };
    let (root, _) = maker.region(&given, 0, None, 0);
    maker.asm.tree(root);
    maker.asm.finish()
}

/// A node that exits may name.
#[derive(Clone, Copy)]
struct Label {
    node: Node,
    /// Parameters of the block after it.
    after: u64,
    /// Parameters of what `continue` leads to, where that may be said.
    round: Option<u64>,
}

struct Maker<'r> {
    asm: Assembler,
    random: &'r mut Random,
    /// Nodes that may still be made.
    left: u64,
    labels: Vec<Label>,
}

impl Maker<'_> {
    fn args(&mut self, count: u64, seen: &[Inst]) -> Args {
        (0..count).map(|_| seen[self.random.below(seen.len() as u64) as usize]).collect()
    }

    /// A block with parameters and a sum or two; what can be seen at its end.
    fn block(&mut self, params: u64, seen: &[Inst]) -> (Block, Vec<Inst>) {
        let mut seen = seen.to_vec();
        let param = InstData::new(BasicOp::Param, ValueType::B32, &[]);
        let params: Vec<Inst> = (0..params).map(|_| self.asm.add_inst(param.clone())).collect();
        seen.extend(&params);
        let mut insts = Vec::new();
        for _ in 0..self.random.below(3) {
            let args = self.args(2, &seen);
            insts.push(self.asm.add_inst(InstData::new(IntOp::IAdd, ValueType::B32, &args)));
        }
        seen.extend(&insts);
        let data =
            BlockData { params: CowVec::new(params), insts: CowVec::new(insts), ..BlockData::default() };
        (self.asm.add_block(data), seen)
    }

    fn condition(&mut self, block: Block, seen: &[Inst]) -> Inst {
        let args = self.args(2, seen);
        let cond = self.asm.add_inst(InstData::new(IntOp::ILt, ValueType::BOOL, &args));
        let data = self.asm.block_mut(block);
        let mut insts = data.insts.to_vec();
        insts.push(cond);
        data.insts = CowVec::new(insts);
        cond
    }

    /// A region that `next` leaves with `passes` values; not at all for the root. Also what its head sees.
    fn region(&mut self, seen: &[Inst], params: u64, passes: Option<u64>, depth: u32) -> (Region, Vec<Inst>) {
        let (head, at_head) = self.block(params, seen);
        let (mut tail, mut seen, mut rest) = (head, at_head.clone(), Vec::new());
        while self.left > 0 && depth < 8 && self.random.below(3) > 0 {
            self.left -= 1;
            let (node, after) = (self.asm.add_node(NodeData::default()), self.random.below(3));
            self.node(node, tail, &seen, after, depth);
            let behind = self.block(after, &seen);
            (tail, seen) = behind;
            rest.push((node, tail));
        }
        let terminator = self.terminator(&seen, passes);
        self.asm.block_mut(tail).terminator = terminator;
        (self.asm.add_region(RegionData { head, rest: CowVec::new(rest) }), at_head)
    }

    fn terminator(&mut self, seen: &[Inst], passes: Option<u64>) -> Terminator {
        let label = self.random.below(self.labels.len() as u64) as usize;
        match (self.random.below(12), passes, self.labels.get(label).copied()) {
            (0..=4, Some(count), _) => Terminator::Next(self.args(count, seen)),
            (5, ..) => Terminator::Stop(Stop::Discard),
            (6 | 7, _, Some(Label { node, round: Some(round), .. })) => {
                Terminator::Continue(node, self.args(round, seen))
            }
            (6..=10, _, Some(label)) => Terminator::Break(label.node, self.args(label.after, seen)),
            _ => Terminator::Return(self.args(1, seen).first().copied()),
        }
    }

    /// Fills a node that stands after `before`.
    fn node(&mut self, node: Node, before: Block, seen: &[Inst], after: u64, depth: u32) {
        let choice = self.random.below(8);
        let (params, continuing) = (self.random.below(3), self.random.below(3));
        let enters = if choice < 3 { self.args(params, seen) } else { Args::default() };
        self.asm.block_mut(before).terminator = Terminator::Next(enters);
        let label = Label { node, after, round: None };
        let arm = |maker: &mut Self| {
            maker.labels.push(label);
            let (region, _) = maker.region(seen, 0, Some(after), depth + 1);
            maker.labels.pop();
            region
        };
        let kind = match choice {
            0..=2 => self.the_loop(label, seen, params, (choice > 0).then_some(continuing), depth),
            3 | 4 => {
                let cond = self.condition(before, seen);
                NodeKind::If { cond, then: arm(self), els: arm(self) }
            }
            5 => {
                let on = self.args(1, seen)[0];
                let values = |at: u64| if at == 0 { Vec::new() } else { vec![at, at + 8] };
                let count = 1 + self.random.below(3);
                let arms = (0..count).map(|at| Arm { values: values(at), default: at == 0, body: arm(self) });
                NodeKind::Switch { on, arms: arms.collect() }
            }
            _ => NodeKind::Block { body: arm(self) },
        };
        self.asm.put_node(node, NodeData { kind, attrs: Attrs::None });
    }

    fn the_loop(
        &mut self,
        label: Label,
        seen: &[Inst],
        params: u64,
        continuing: Option<u64>,
        depth: u32,
    ) -> NodeKind {
        self.labels.push(Label { round: Some(continuing.unwrap_or(params)), ..label });
        let (body, at_head) = self.region(seen, params, Some(continuing.unwrap_or(params)), depth + 1);
        self.labels.pop();
        let Some(count) = continuing else { return NodeKind::Loop { body, continuing: None } };
        self.labels.push(label);
        let (rest, _) = match self.random.below(2) {
            0 => self.region(&at_head, count, Some(params), depth + 1),
            _ => (self.plain_end(label, &at_head, count, params), Vec::new()),
        };
        self.labels.pop();
        NodeKind::Loop { body, continuing: Some(rest) }
    }

    /// A continuing region that ends as every target with one can say.
    fn plain_end(&mut self, label: Label, seen: &[Inst], params: u64, passes: u64) -> Region {
        let (head, seen) = self.block(params, seen);
        let cond = self.condition(head, &seen);
        self.asm.block_mut(head).terminator = Terminator::next();
        let handed = self.random.below(2);
        let (out, on) = (
            Terminator::Break(label.node, self.args(label.after, &seen)),
            Terminator::Next(self.args(handed, &seen)),
        );
        let arm = |maker: &mut Self, terminator: Terminator| {
            let block = maker.asm.add_block(BlockData { terminator: terminator, ..BlockData::default() });
            maker.asm.add_region(RegionData::new(block))
        };
        let (out, on) = (arm(self, out), arm(self, on));
        let (then, els) = if self.random.below(2) == 0 { (out, on) } else { (on, out) };
        let kind = NodeKind::If { cond, then, els };
        let node = self.asm.add_node(NodeData { kind, attrs: Attrs::None });
        let param = InstData::new(BasicOp::Param, ValueType::B32, &[]);
        let handed: Vec<Inst> = (0..handed).map(|_| self.asm.add_inst(param.clone())).collect();
        let all: Vec<Inst> = seen.iter().chain(&handed).copied().collect();
        let terminator = Terminator::Next(self.args(passes, &all));
        let behind = self.asm.add_block(BlockData {
            params: CowVec::new(handed),
            terminator: terminator,
            ..BlockData::default()
        });
        self.asm.add_region(RegionData { head, rest: CowVec::new(vec![(node, behind)]) })
    }
}
