//! For tests: random functions of both shapes, a small interpreter that observes their behavior, and the
//! checks that an open function must pass after every edit.

use super::{Editor, body};
use crate::base::EntityId;
pub(crate) use crate::base::random::Random;
use crate::ops::{BasicOp, Bits, IntOp, Key, Op, ValueType, Width};
use crate::*;
use std::collections::BTreeMap;

struct Label {
    node: Node,
    /// Number of parameters of the block after the node.
    results: usize,
    /// Number of parameters of the target of `continue`, while that is allowed.
    continue_params: Option<usize>,
}

/// Generates functions.
pub(crate) struct Maker<'a> {
    pub(crate) asm: Assembler,
    module: &'a mut Module,
    random: &'a mut Random,
    values: Vec<Inst>,
    labels: Vec<Label>,
    nodes: usize,
}

impl<'a> Maker<'a> {
    pub(crate) fn new(module: &'a mut Module, random: &'a mut Random) -> Maker<'a> {
        let mut asm = Assembler::new();
        let params: Vec<Inst> =
            (0..2).map(|_| asm.add_inst(InstData::new(BasicOp::Param, ValueType::B32, &[]))).collect();
        asm.params(params.clone());
        asm.result(ValueType::B32);
        Maker { asm, module, random, values: params, labels: Vec::new(), nodes: 0 }
    }

    fn value(&mut self) -> Inst {
        self.random.pick(&self.values)
    }

    fn args(&mut self, count: usize) -> Args {
        (0..count).map(|_| self.value()).collect()
    }

    fn put(&mut self, block: Block, data: InstData) -> Inst {
        let inst = self.asm.add_inst(data);
        CowVec::make_mut(&mut self.asm.block_mut(block).insts).push(inst);
        inst
    }

    fn constant(&mut self, block: Block, value: u64) -> Inst {
        let id = self.module.bits(Bits::from_components(Width::W32, &[value]));
        self.put(
            block,
            InstData::new(BasicOp::Const, ValueType::B32, &[]).with(Key::Const, id.index() as u64),
        )
    }

    fn condition(&mut self, block: Block) -> Inst {
        if self.random.below(4) == 0 {
            let value = self.random.below(2) as u64;
            let id = self.module.bits(Bits::from_components(Width::W1, &[value]));
            let data = InstData::new(BasicOp::Const, ValueType::BOOL, &[]);
            return self.put(block, data.with(Key::Const, id.index() as u64));
        }
        let args = [self.value(), self.value()];
        self.put(block, InstData::new(IntOp::ULt, ValueType::BOOL, &args))
    }

    fn block(&mut self, params: usize) -> Block {
        let block = self.asm.add_block(BlockData::default());
        for _ in 0..params {
            let param = self.asm.add_inst(InstData::new(BasicOp::Param, ValueType::B32, &[]));
            CowVec::make_mut(&mut self.asm.block_mut(block).params).push(param);
            self.values.push(param);
        }
        for _ in 0..self.random.below(4) {
            let inst = match self.random.below(5) {
                0 => {
                    let value = self.random.below(4) as u64;
                    self.constant(block, value)
                }
                1 => {
                    let args = [self.value(), self.value()];
                    self.put(block, InstData::new(BasicOp::Print, ValueType::Void, &args));
                    continue;
                }
                _ => {
                    let args = [self.value(), self.value()];
                    let op = [IntOp::IAdd, IntOp::ISub, IntOp::IMul][self.random.below(3)];
                    self.put(block, InstData::new(op, ValueType::B32, &args))
                }
            };
            self.values.push(inst);
        }
        block
    }

    /// A tree function.
    pub(crate) fn tree(mut self, depth: usize) -> FuncBody {
        let root = self.region(depth, 0, None);
        self.asm.tree(root);
        self.asm.finish()
    }

    /// A region; `next` is the number of values that its `next` passes, or `None` if nothing follows. Its
    /// values go out of scope at its end.
    fn region(&mut self, depth: usize, params: usize, next: Option<usize>) -> Region {
        let seen = self.values.len();
        let head = self.block(params);
        let mut rest = Vec::new();
        let mut at = head;
        for _ in 0..self.random.below(if depth == 0 { 1 } else { 3 }) {
            let results = self.random.below(3);
            let node = self.node(at, depth - 1, results);
            at = self.block(results);
            rest.push((node, at));
        }
        let terminator = self.terminator(next);
        self.asm.block_mut(at).terminator = terminator;
        self.values.truncate(seen);
        self.asm.add_region(RegionData { head, rest: CowVec::new(rest) })
    }

    fn terminator(&mut self, next: Option<usize>) -> Terminator {
        let Some(next) = next else { return Terminator::Return(Some(self.value())) };
        match self.random.below(12) {
            0 => Terminator::Return(Some(self.value())),
            1 => Terminator::Stop(Stop::Discard),
            2..=4 if !self.labels.is_empty() => {
                let at = self.random.below(self.labels.len());
                let Label { node, results, continue_params } = self.labels[at];
                match continue_params {
                    Some(continue_params) if self.random.below(2) == 0 => {
                        Terminator::Continue(node, self.args(continue_params))
                    }
                    _ => Terminator::Break(node, self.args(results)),
                }
            }
            _ => Terminator::Next(self.args(next)),
        }
    }

    fn node(&mut self, before: Block, depth: usize, results: usize) -> Node {
        let node = Node::from_index(self.nodes);
        self.nodes += 1;
        self.labels.push(Label { node, results, continue_params: None });
        self.asm.block_mut(before).terminator = Terminator::next();
        let kind = match self.random.below(5) {
            0 | 1 => {
                let cond = self.condition(before);
                let then = self.region(depth, 0, Some(results));
                let els = self.region(depth, 0, Some(results));
                NodeKind::If { cond, then, els }
            }
            2 => self.switch(before, depth, results),
            3 => NodeKind::Block { body: self.region(depth, 0, Some(results)) },
            _ => self.looped(before, depth),
        };
        self.labels.pop();
        self.asm.put_node(node, NodeData { kind, attrs: Attrs::None });
        node
    }

    fn switch(&mut self, before: Block, depth: usize, results: usize) -> NodeKind {
        let on = if self.random.below(2) == 0 { self.constant(before, 1) } else { self.value() };
        let arms = (0..2).map(|at| Arm {
            values: vec![at as u64],
            default: at == 1,
            body: self.region(depth, 0, Some(results)),
        });
        NodeKind::Switch { on, arms: arms.collect() }
    }

    fn looped(&mut self, before: Block, depth: usize) -> NodeKind {
        let (params, continue_count) = (self.random.below(3), self.random.below(3));
        let split = self.random.below(2) == 0;
        let args = self.args(params);
        self.asm.block_mut(before).terminator = Terminator::Next(args);
        let label = self.labels.len() - 1;
        let continue_params = if split { continue_count } else { params };
        self.labels[label].continue_params = Some(continue_params);
        let body = self.region(depth, params, Some(continue_params));
        if self.random.below(3) > 0 {
            let last = self.asm.body().region(body).last();
            let terminator =
                Terminator::Break(self.labels[label].node, self.args(self.labels[label].results));
            self.asm.block_mut(last).terminator = terminator;
        }
        self.labels[label].continue_params = None;
        let continuing = split.then(|| {
            let seen = self.values.len();
            let head = self.asm.body().region(body).head;
            self.values.extend(self.asm.body().block(head).params.iter());
            let region = self.region(depth, continue_count, Some(params));
            self.values.truncate(seen);
            region
        });
        NodeKind::Loop { body, continuing }
    }

    /// A graph function: every block uses only values of the entry and its own.
    pub(crate) fn graph(mut self, count: usize) -> FuncBody {
        let arity: Vec<usize> = (0..count).map(|at| if at == 0 { 0 } else { self.random.below(3) }).collect();
        let entry = self.block(0);
        let seen = self.values.len();
        let mut order = vec![entry];
        for at in 0..count {
            let block = if at == 0 { entry } else { self.block(arity[at]) };
            if at > 0 {
                order.push(block);
            }
            let terminator = self.graph_terminator(block, &arity);
            self.asm.block_mut(block).terminator = terminator;
            self.values.truncate(seen);
        }
        self.asm.graph(order);
        self.asm.finish()
    }

    fn edge(&mut self, arity: &[usize]) -> Edge {
        let to = 1 + self.random.below(arity.len() - 1);
        Edge { to: Block::from_index(to), args: self.args(arity[to]) }
    }

    fn graph_terminator(&mut self, block: Block, arity: &[usize]) -> Terminator {
        match self.random.below(8) {
            0 => Terminator::Return(Some(self.value())),
            1 | 2 => Terminator::Goto(self.edge(arity)),
            3 => {
                let on = self.value();
                let cases = (0..3).map(|at| Case { values: vec![at], edge: self.edge(arity) }).collect();
                Terminator::Switch { on, cases, default: self.edge(arity) }
            }
            _ => {
                let cond = self.condition(block);
                Terminator::Branch { cond, then: self.edge(arity), els: self.edge(arity) }
            }
        }
    }
}

/// A module with one random function.
pub(crate) fn random_module(random: &mut Random, tree: bool) -> (Module, Func) {
    let mut module = Module::new();
    let maker = Maker::new(&mut module, random);
    let body = if tree { maker.tree(3) } else { maker.graph(8) };
    let func = module.add_func(body);
    (module, func)
}

/// The prints and the result of a function, and whether it terminated within this number of blocks.
pub(crate) fn trace(module: &Module, body: &FuncBody, args: [u64; 2], fuel: usize) -> (Vec<Vec<u64>>, bool) {
    let nesting = Nesting::of(body);
    let mut values: BTreeMap<Inst, Bits> = BTreeMap::new();
    for (&param, arg) in body.params().iter().zip(args) {
        values.insert(param, Bits::from_components(Width::W32, &[arg]));
    }
    let mut out = Vec::new();
    let mut at = body.entry().unwrap();
    for _ in 0..fuel {
        for &inst in body.block(at).insts.iter() {
            step(module, body, inst, &mut values, &mut out);
        }
        let component = |value: Inst| values[&value].components()[0];
        let edge = match body.terminator(at) {
            Terminator::Return(value) => {
                out.push(value.iter().map(|&value| component(value)).collect());
                return (out, true);
            }
            Terminator::Stop(_) => return (out, true),
            terminator => taken(body, &nesting, at, terminator, component),
        };
        let (to, args) = edge;
        let passed: Vec<Bits> = args.iter().map(|arg| values[arg]).collect();
        assert_eq!(passed.len(), body.block(to).params.len(), "arguments from {at} to {to}");
        values.extend(body.block(to).params.iter().copied().zip(passed));
        at = to;
    }
    (out, false)
}

fn step(
    module: &Module,
    body: &FuncBody,
    inst: Inst,
    values: &mut BTreeMap<Inst, Bits>,
    out: &mut Vec<Vec<u64>>,
) {
    let data = body.inst(inst);
    let args: Vec<Bits> = data
        .args
        .iter()
        .map(|arg| *values.get(arg).unwrap_or_else(|| panic!("{inst} reads {arg}")))
        .collect();
    let value = match data.op {
        Op::Basic(BasicOp::Const) => module.bits_of(body.const_of(inst).unwrap()),
        Op::Basic(BasicOp::Print) => {
            out.push(args.iter().map(|arg| arg.components()[0]).collect());
            return;
        }
        op => op.info().eval(data.ty, &args).unwrap(),
    };
    values.insert(inst, value);
}

fn taken(
    body: &FuncBody,
    nesting: &Nesting,
    at: Block,
    terminator: &Terminator,
    component: impl Fn(Inst) -> u64,
) -> (Block, Args) {
    let head = |region: Region| body.region(region).head;
    match terminator {
        Terminator::Goto(edge) => (edge.to, edge.args.clone()),
        Terminator::Branch { cond, then, els } => {
            let edge = if component(*cond) != 0 { then } else { els };
            (edge.to, edge.args.clone())
        }
        Terminator::Switch { on, cases, default } => {
            let hit = cases.iter().find(|case| case.values.contains(&component(*on)));
            let edge = hit.map_or(default, |case| &case.edge);
            (edge.to, edge.args.clone())
        }
        Terminator::Break(node, args) => (nesting.after(body, *node).unwrap(), args.clone()),
        Terminator::Continue(node, args) => match body.node(*node).kind {
            NodeKind::Loop { body: first, continuing } => (head(continuing.unwrap_or(first)), args.clone()),
            _ => panic!("{node} is not a loop"),
        },
        Terminator::Next(args) => {
            let place = nesting.block(at).unwrap();
            let to = match body.region(place.region).rest.get(place.at) {
                Some(&(node, _)) => match &body.node(node).kind {
                    NodeKind::If { cond, then, els } => {
                        head(if component(*cond) != 0 { *then } else { *els })
                    }
                    NodeKind::Switch { on, arms } => {
                        let hit = arms.iter().find(|arm| arm.values.contains(&component(*on)));
                        head(hit.or_else(|| arms.iter().find(|arm| arm.default)).unwrap().body)
                    }
                    NodeKind::Loop { body, .. } | NodeKind::Block { body } => head(*body),
                },
                None => {
                    let owner = nesting.owner(place.region).unwrap();
                    match body.node(owner).kind {
                        NodeKind::Loop { body: first, continuing: Some(second) } if first == place.region => {
                            head(second)
                        }
                        NodeKind::Loop { body: first, .. } => head(first),
                        _ => nesting.after(body, owner).unwrap(),
                    }
                }
            };
            (to, args.clone())
        }
        Terminator::Return(_) | Terminator::Stop(_) => unreachable!(),
    }
}

/// Returns true if two functions behave equally on a few inputs.
pub(crate) fn same_meaning(module: &Module, a: &FuncBody, b: &FuncBody) -> bool {
    [[0, 1], [3, 2], [7, 7], [u64::from(u32::MAX), 1]].into_iter().all(|args| {
        let (one, ended) = trace(module, a, args, 300);
        let (two, too) = trace(module, b, args, 1_500);
        if ended { too && one == two } else { two.starts_with(&one) }
    })
}

/// Checks that an open function's tables equal those computed from scratch, and that its edges fit.
pub(crate) fn audit(editor: &mut Editor) {
    let body = editor.func().clone();
    assert!(editor.places.agrees(&body));
    let mut expected: BTreeMap<Inst, Vec<Use>> = BTreeMap::new();
    let mut read = |value: Inst, place: Use| expected.entry(value).or_default().push(place);
    let mut indices = Vec::new();
    for block in body.blocks_in_order() {
        for (index, &inst) in body.block(block).insts.iter().enumerate() {
            let args = body.inst(inst).args.iter().enumerate();
            args.for_each(|(at, &arg)| read(arg, Use::Arg(inst, at as u32)));
            indices.push((inst, block, index));
        }
        let mut at = 0;
        body.terminator(block).for_each_use(|value| {
            read(value, Use::Terminator(block, at));
            at += 1;
        });
    }
    for step in TreeWalk::new(&body) {
        if let TreeStep::Enter(node) = step {
            body.node(node).kind.operand().into_iter().for_each(|value| read(value, Use::Node(node)));
        }
    }
    for value in body.tables().insts.keys() {
        let mut uses: Vec<Use> = editor.uses(value).collect();
        uses.sort_unstable();
        let mut wanted = expected.remove(&value).unwrap_or_default();
        wanted.sort_unstable();
        assert_eq!(uses, wanted, "uses of {value}");
        assert_eq!(editor.use_count(value), wanted.len());
    }
    for (inst, block, index) in indices {
        assert_eq!((editor.block_of(inst), editor.index_of(inst)), (Some(block), Some(index)));
    }
    audit_edges(editor, &body);
}

fn audit_edges(editor: &Editor, body: &FuncBody) {
    let mut expected: BTreeMap<Block, Vec<Incoming>> = BTreeMap::new();
    for from in body.blocks_in_order() {
        let reached = editor.reached(from, body.terminator(from)).unwrap();
        let tree = matches!(body.shape(), Shape::Tree(_));
        for (edge, (to, args)) in reached.into_iter().enumerate() {
            editor.expect_args(to, args).unwrap();
            if !tree
                || editor
                    .places
                    .block(to)
                    .is_some_and(|place| place.at > 0 || is_continue_target(editor, place.region))
            {
                let edge = if tree { 0 } else { edge as u32 };
                expected.entry(to).or_default().push(Incoming { from, edge });
            }
        }
    }
    for block in body.blocks_in_order() {
        let mut incoming = editor.incoming(block);
        incoming.sort_unstable();
        let mut wanted = expected.remove(&block).unwrap_or_default();
        wanted.sort_unstable();
        assert_eq!(incoming, wanted, "edges into {block}");
    }
}

fn is_continue_target(editor: &Editor, region: Region) -> bool {
    let owner = editor.places.owner(region);
    owner.is_some_and(|owner| matches!(body!(editor).node(owner).kind, NodeKind::Loop { .. }))
}

/// Checks that every value of a tree is used only where it is visible.
pub(crate) fn audit_visibility(editor: &mut Editor) {
    let body = editor.func().clone();
    let mut reads = Vec::new();
    for block in body.blocks_in_order() {
        let data = body.block(block);
        for (index, &inst) in data.insts.iter().enumerate() {
            reads.extend(body.inst(inst).args.iter().map(|&arg| (arg, block, index)));
        }
        body.terminator(block).for_each_use(|value| reads.push((value, block, data.insts.len())));
    }
    for (value, block, index) in reads {
        assert!(editor.visible(value, block, index), "{value} in {block}");
    }
}

/// Checks that the journal names everything that differs between two versions.
pub(crate) fn audit_journal(old: &FuncBody, new: &FuncBody, journal: &Journal) {
    let names = journal.names();
    let [was, is] = [old, new].map(homes);
    let (a, b) = (old.tables(), new.tables());
    for inst in a.insts.unshared(b.insts) {
        assert!(a.insts.get(inst) == b.insts.get(inst) || names.has(inst), "{inst} differs");
    }
    for inst in b.insts.keys() {
        assert!(was.get(&inst) == is.get(&inst) || names.has(inst), "{inst} moved");
    }
    for block in a.blocks.unshared(b.blocks) {
        let [one, two] = [a.blocks.get(block), b.blocks.get(block)];
        let same = one.zip(two).is_some_and(|(one, two)| {
            let kept = |data: &BlockData| -> Vec<Inst> {
                data.insts.iter().copied().filter(|&inst| !names.has(inst)).collect()
            };
            let lists = kept(one) == kept(two);
            lists && one.params == two.params && one.terminator == two.terminator && one.merge == two.merge
        });
        assert!(same || names.has(block), "{block} differs");
    }
    for node in a.nodes.unshared(b.nodes) {
        assert!(a.nodes.get(node) == b.nodes.get(node) || names.has(node), "{node} differs");
    }
    let [was, is] = [old, new].map(Nesting::of);
    for block in b.blocks.keys() {
        let same = was.block(block).map(|place| place.region) == is.block(block).map(|place| place.region);
        assert!(same || names.has(block), "{block} moved");
    }
    for node in b.nodes.keys() {
        let same = was.node(node).map(|place| place.region) == is.node(node).map(|place| place.region);
        assert!(same || names.has(node), "{node} moved");
    }
}

fn homes(body: &FuncBody) -> BTreeMap<Inst, Block> {
    let mut homes = BTreeMap::new();
    body.for_each_inst(|block, inst| {
        homes.insert(inst, block);
    });
    homes
}

/// Returns true if two versions share all allocations.
pub(crate) fn untouched(old: &FuncBody, new: &FuncBody) -> bool {
    let (a, b) = (old.tables(), new.tables());
    old.same_version(new)
        && a.insts.same_chunks(b.insts)
        && a.blocks.same_chunks(b.blocks)
        && a.nodes.same_chunks(b.nodes)
        && a.regions.same_chunks(b.regions)
        && a.regs.same_chunks(b.regs)
        && old.shape() == new.shape()
        && old.params() == new.params()
}
