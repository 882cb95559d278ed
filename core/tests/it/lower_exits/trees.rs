//! Random trees that no structurizer produces: exits to any enclosing node, also out of `if`s and continuing
//! regions, with arguments, and unreachable code.

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
    let remaining = random.below(most) + 1;
    let mut generator = Generator { asm, random, remaining, labels: Vec::new() };
    let (root, _) = generator.region(&given, 0, None, 0);
    generator.asm.tree(root);
    generator.asm.finish()
}

/// A node that exits may name.
#[derive(Clone, Copy)]
struct Label {
    node: Node,
    /// Parameters of the block after it.
    after: u64,
    /// Number of parameters of the target of `continue`, if it may name this node.
    continue_args: Option<u64>,
}

struct Generator<'r> {
    asm: Assembler,
    random: &'r mut Random,
    /// Remaining nodes to generate.
    remaining: u64,
    labels: Vec<Label>,
}

impl Generator<'_> {
    fn args(&mut self, count: u64, available: &[Inst]) -> Args {
        (0..count).map(|_| available[self.random.below(available.len() as u64) as usize]).collect()
    }

    /// A block with parameters and a few sums; returns the values available at its end.
    fn block(&mut self, params: u64, available: &[Inst]) -> (Block, Vec<Inst>) {
        let mut available = available.to_vec();
        let param = InstData::new(BasicOp::Param, ValueType::B32, &[]);
        let params: Vec<Inst> = (0..params).map(|_| self.asm.add_inst(param.clone())).collect();
        available.extend(&params);
        let mut insts = Vec::new();
        for _ in 0..self.random.below(3) {
            let args = self.args(2, &available);
            insts.push(self.asm.add_inst(InstData::new(IntOp::IAdd, ValueType::B32, &args)));
        }
        available.extend(&insts);
        let data =
            BlockData { params: CowVec::new(params), insts: CowVec::new(insts), ..BlockData::default() };
        (self.asm.add_block(data), available)
    }

    fn condition(&mut self, block: Block, available: &[Inst]) -> Inst {
        let args = self.args(2, available);
        let cond = self.asm.add_inst(InstData::new(IntOp::ILt, ValueType::BOOL, &args));
        let data = self.asm.block_mut(block);
        let mut insts = data.insts.to_vec();
        insts.push(cond);
        data.insts = CowVec::new(insts);
        cond
    }

    /// A region that ends with `next` and `passes` values; the root has none. Also returns the values of its head.
    fn region(
        &mut self,
        available: &[Inst],
        params: u64,
        passes: Option<u64>,
        depth: u32,
    ) -> (Region, Vec<Inst>) {
        let (head, at_head) = self.block(params, available);
        let (mut tail, mut available, mut rest) = (head, at_head.clone(), Vec::new());
        while self.remaining > 0 && depth < 8 && self.random.below(3) > 0 {
            self.remaining -= 1;
            let (node, after) = (self.asm.add_node(NodeData::default()), self.random.below(3));
            self.node(node, tail, &available, after, depth);
            let merge_block = self.block(after, &available);
            (tail, available) = merge_block;
            rest.push((node, tail));
        }
        let terminator = self.terminator(&available, passes);
        self.asm.block_mut(tail).terminator = terminator;
        (self.asm.add_region(RegionData { head, rest: CowVec::new(rest) }), at_head)
    }

    fn terminator(&mut self, available: &[Inst], passes: Option<u64>) -> Terminator {
        let label = self.random.below(self.labels.len() as u64) as usize;
        match (self.random.below(12), passes, self.labels.get(label).copied()) {
            (0..=4, Some(count), _) => Terminator::Next(self.args(count, available)),
            (5, ..) => Terminator::Stop(Stop::Discard),
            (6 | 7, _, Some(Label { node, continue_args: Some(continue_args), .. })) => {
                Terminator::Continue(node, self.args(continue_args, available))
            }
            (6..=10, _, Some(label)) => Terminator::Break(label.node, self.args(label.after, available)),
            _ => Terminator::Return(self.args(1, available).first().copied()),
        }
    }

    /// Fills the node after `before`.
    fn node(&mut self, node: Node, before: Block, available: &[Inst], after: u64, depth: u32) {
        let choice = self.random.below(8);
        let (params, continuing) = (self.random.below(3), self.random.below(3));
        let enters = if choice < 3 { self.args(params, available) } else { Args::default() };
        self.asm.block_mut(before).terminator = Terminator::Next(enters);
        let label = Label { node, after, continue_args: None };
        let arm = |generator: &mut Self| {
            generator.labels.push(label);
            let (region, _) = generator.region(available, 0, Some(after), depth + 1);
            generator.labels.pop();
            region
        };
        let kind = match choice {
            0..=2 => self.make_loop(label, available, params, (choice > 0).then_some(continuing), depth),
            3 | 4 => {
                let cond = self.condition(before, available);
                NodeKind::If { cond, then: arm(self), els: arm(self) }
            }
            5 => {
                let on = self.args(1, available)[0];
                let values = |at: u64| if at == 0 { Vec::new() } else { vec![at, at + 8] };
                let count = 1 + self.random.below(3);
                let arms = (0..count).map(|at| Arm { values: values(at), default: at == 0, body: arm(self) });
                NodeKind::Switch { on, arms: arms.collect() }
            }
            _ => NodeKind::Block { body: arm(self) },
        };
        self.asm.put_node(node, NodeData { kind, attrs: Attrs::None });
    }

    fn make_loop(
        &mut self,
        label: Label,
        available: &[Inst],
        params: u64,
        continuing: Option<u64>,
        depth: u32,
    ) -> NodeKind {
        self.labels.push(Label { continue_args: Some(continuing.unwrap_or(params)), ..label });
        let (body, at_head) = self.region(available, params, Some(continuing.unwrap_or(params)), depth + 1);
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

    /// A continuing region whose end every target with continuing regions can express.
    fn plain_end(&mut self, label: Label, available: &[Inst], params: u64, passes: u64) -> Region {
        let (head, available) = self.block(params, available);
        let cond = self.condition(head, &available);
        self.asm.block_mut(head).terminator = Terminator::next();
        let passed = self.random.below(2);
        let (out, on) = (
            Terminator::Break(label.node, self.args(label.after, &available)),
            Terminator::Next(self.args(passed, &available)),
        );
        let arm = |generator: &mut Self, terminator: Terminator| {
            let block = generator.asm.add_block(BlockData { terminator, ..BlockData::default() });
            generator.asm.add_region(RegionData::new(block))
        };
        let (out, on) = (arm(self, out), arm(self, on));
        let (then, els) = if self.random.below(2) == 0 { (out, on) } else { (on, out) };
        let kind = NodeKind::If { cond, then, els };
        let node = self.asm.add_node(NodeData { kind, attrs: Attrs::None });
        let param = InstData::new(BasicOp::Param, ValueType::B32, &[]);
        let passed: Vec<Inst> = (0..passed).map(|_| self.asm.add_inst(param.clone())).collect();
        let all: Vec<Inst> = available.iter().chain(&passed).copied().collect();
        let terminator = Terminator::Next(self.args(passes, &all));
        let merge_block =
            self.asm.add_block(BlockData { params: CowVec::new(passed), terminator, ..BlockData::default() });
        self.asm.add_region(RegionData { head, rest: CowVec::new(vec![(node, merge_block)]) })
    }
}
