//! Rebuilds a caller with the bodies of its callees in place of calls.
//!
//! Does not decide which calls to inline: inlines the given ones, all at once.

use crate::util::rebuild::{self, replace_all, resolved};
use crate::util::rebuilt::{Change, Rebuilt, became, made, replaced};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use vitrine_ir::base::{EntityId, sort_by_number};
use vitrine_ir::ops::{BasicOp, Bits, DerefOp, Key, MemoryOp, PtrOp, ValueType, Width};
use vitrine_ir::{
    Args, Arm, Assembler, Binding, Block, BlockData, Case, CowVec, Debug, Decor, DecorTarget, Edge, Editor,
    Event, Func, FuncBody, Held, Inst, InstData, Journal, MergeInfo, Module, Node, NodeData, NodeKind,
    Operand, Origin, Reg, Region, RegionData, Shape, Terminator, TreeStep, TreeWalk, Var, VarData,
};

/// Replaces these calls by the callees' bodies. The calls are in text order, and the callees have the caller's
/// shape; returns the journal. Linear in the size of the result.
pub(super) fn inline(module: &mut Module, caller: Func, chosen: &[(Inst, Func)]) -> Journal {
    let Some(body) = module.func(caller).cloned() else { return Journal::new() };
    let inliner = Inliner {
        module,
        caller,
        asm: rebuild::copy(&body),
        journal: Journal::new(),
        chosen: chosen.iter().copied().collect(),
        results: FxHashMap::default(),
        order: Vec::new(),
        after: FxHashMap::default(),
        line: Origin::default(),
        scopes: FxHashMap::default(),
    };
    let (inlined, journal) = inliner.run(&body);
    Editor::replace_body(module, caller, inlined, journal)
}

/// The reason for a difference that the inliner did not record.
pub(super) fn reason(rebuilt: &Rebuilt<'_>, event: Event) -> Option<&'static str> {
    Some(match rebuilt.change(event)? {
        Change::NewInst(_) | Change::NewBlock | Change::NewNode(_) => "it is copied from the called function",
        Change::GoneInst(_) => "the body of the called function replaces the call",
        Change::ChangedInst(old, new) if became(old, new, BasicOp::Param) => {
            "each return of the called function passes its value here"
        }
        Change::ChangedInst(..) | Change::ChangedNode => "it uses the value that the called function returns",
        Change::MovedInst => "it follows the inlined body of a call",
        Change::ChangedBlock(..) => "the inlined body of a call follows it, or its value is used",
        Change::GoneBlock | Change::MovedBlock | Change::GoneNode(_) | Change::MovedNode => return None,
    })
}

struct Inliner<'m> {
    module: &'m mut Module,
    caller: Func,
    asm: Assembler,
    journal: Journal,
    chosen: FxHashMap<Inst, Func>,
    /// Calls, each with the value that its only return returns.
    results: FxHashMap<Inst, Inst>,
    /// Blocks of a graph.
    order: Vec<Block>,
    /// New nodes to insert after a block of a tree.
    after: FxHashMap<Block, Vec<(Node, Block)>>,
    /// The source line of the current call.
    line: Origin,
    /// Scopes of the callee, each with that of its copy: inlined by the current call.
    scopes: FxHashMap<Debug, Option<Debug>>,
}

/// The block being written.
struct OpenBlock {
    block: Block,
    insts: Vec<Inst>,
    /// The original block that it is a part of.
    original: Block,
}

impl Inliner<'_> {
    fn run(mut self, body: &FuncBody) -> (FuncBody, Journal) {
        for block in body.blocks_in_order() {
            self.order.push(block);
            if body.block(block).insts.iter().any(|inst| self.chosen.contains_key(inst)) {
                self.block(body, block);
            }
        }
        match body.shape() {
            Shape::Declaration => {}
            Shape::Graph(_) => self.asm.graph(std::mem::take(&mut self.order)),
            Shape::Tree(root) => self.tree(body, *root),
        }
        replace_all(&mut self.asm, &self.results);
        let mut results: Vec<Inst> = self.results.keys().copied().collect();
        sort_by_number(&mut results, |call| call.index() as u64);
        for call in results {
            let value = resolved(&self.results, call);
            replaced(&mut self.journal, call, value, "the called function returns this value");
        }
        (self.asm.finish(), self.journal)
    }

    /// Adds the inlined nodes to the lists of the regions.
    fn tree(&mut self, body: &FuncBody, root: Region) {
        let opened = TreeWalk::new(body).filter_map(|step| match step {
            TreeStep::Open(_, _, region) => Some(region),
            TreeStep::Enter(_) | TreeStep::Block(_) | TreeStep::Leave(_) => None,
        });
        for region in opened.chain([root]) {
            let data = body.region(region);
            let mut rest = self.after.remove(&data.head).unwrap_or_default();
            for &(node, block) in data.rest.iter() {
                rest.push((node, block));
                rest.extend(self.after.remove(&block).unwrap_or_default());
            }
            if rest.len() != data.rest.len() {
                self.asm.region_mut(region).rest = CowVec::new(rest);
            }
        }
        self.asm.tree(root);
    }

    /// Writes one block that contains calls.
    fn block(&mut self, body: &FuncBody, block: Block) {
        let data = body.block(block);
        let mut open = OpenBlock { block, insts: Vec::new(), original: block };
        for &inst in data.insts.iter() {
            match self.chosen.get(&inst).copied() {
                Some(callee) => self.call(&mut open, inst, callee),
                None => open.insts.push(inst),
            }
        }
        // The hint of a loop belongs to its first block; any other hint belongs to the branching block.
        let hint = data.merge.clone().filter(|hint| hint.cont.is_none() && open.block != block);
        if hint.is_some() {
            self.asm.block_mut(block).merge = None;
            self.asm.block_mut(open.block).merge = hint;
        }
        // The code after a call ends where the block did.
        let end = self.asm.body().end_origin(block);
        self.asm.end_origin(open.block, end);
        self.close(open, data.terminator.clone());
    }

    /// Finishes the block being written.
    fn close(&mut self, open: OpenBlock, terminator: Terminator) {
        let data = self.asm.block_mut(open.block);
        data.insts = CowVec::new(open.insts);
        data.terminator = terminator;
    }

    fn call(&mut self, open: &mut OpenBlock, call: Inst, callee: Func) {
        let Some(body) = self.module.func(callee).cloned() else { return open.insts.push(call) };
        let args = self.asm.body().inst(call).args.clone();
        self.line = self.asm.body().origin(call).line_only();
        self.scopes.clear();
        let copies = self.allocate(callee, &body, &args, &mut open.insts);
        let returns: Vec<Option<Inst>> = body
            .blocks_in_order()
            .into_iter()
            .filter_map(|block| match *body.terminator(block) {
                Terminator::Return(value) => Some(value),
                Terminator::Next(_)
                | Terminator::Break(..)
                | Terminator::Continue(..)
                | Terminator::Stop(_)
                | Terminator::Goto(_)
                | Terminator::Branch { .. }
                | Terminator::Switch { .. } => None,
            })
            .collect();
        let single = match returns[..] {
            [value] => value.map(|value| copies.inst(value)),
            _ => None,
        };
        match body.shape() {
            Shape::Declaration => {}
            Shape::Graph(order) => self.as_blocks(open, call, &body, order, &copies, single),
            Shape::Tree(root) => {
                let ends = matches!(body.terminator(body.region(*root).last()), Terminator::Return(_));
                if ends && returns.len() == 1 {
                    self.as_items(open, call, &body, *root, &copies, single);
                } else {
                    self.as_labeled_block(open, call, &body, *root, &copies);
                }
            }
        }
    }

    /// Inlines a graph: an edge to the callee's entry, and edges from its returns to a block after the call.
    fn as_blocks(
        &mut self,
        open: &mut OpenBlock,
        call: Inst,
        body: &FuncBody,
        order: &[Block],
        copies: &Copies,
        single: Option<Inst>,
    ) {
        let Some(&entry) = order.first() else { return };
        let after = self.block_after_call();
        let direct = single.is_some() || body.result() == ValueType::Void;
        match single {
            Some(value) => drop(self.results.insert(call, value)),
            None => self.result_param(call, after),
        }
        for &block in order {
            let lower_return = |value: Option<Inst>| {
                let args: Args = value.filter(|_| !direct).into_iter().collect();
                Terminator::Goto(Edge { to: after, args })
            };
            self.fill_block(body, block, copies, lower_return);
            self.order.push(copies.block(block));
        }
        self.order.push(after);
        let to = Terminator::goto(copies.block(entry));
        self.continue_in(open, after, to);
    }

    /// Inlines a tree that returns only at its end: its items become items of the region.
    fn as_items(
        &mut self,
        open: &mut OpenBlock,
        call: Inst,
        body: &FuncBody,
        root: Region,
        copies: &Copies,
        single: Option<Inst>,
    ) {
        self.fill_tree(body, root, copies, |_| Terminator::next());
        if let Some(value) = single {
            self.results.insert(call, value);
        }
        let data = body.region(root);
        let head = self.asm.body().block(copies.block(data.head)).clone();
        open.insts.extend(head.insts.iter());
        if data.rest.is_empty() {
            return;
        }
        let rest = data.rest.iter().map(|&(node, block)| (copies.node(node), copies.block(block)));
        self.after.entry(open.original).or_default().extend(rest);
        self.continue_in(open, copies.block(data.last()), head.terminator);
        open.insts = self.asm.body().block(open.block).insts.to_vec();
    }

    /// Inlines any other tree: as a labeled block, with breaks in place of returns.
    fn as_labeled_block(
        &mut self,
        open: &mut OpenBlock,
        call: Inst,
        body: &FuncBody,
        root: Region,
        copies: &Copies,
    ) {
        let after = self.block_after_call();
        let region = copies.region(root);
        let node =
            self.asm.add_node(NodeData { kind: NodeKind::Block { body: region }, ..NodeData::default() });
        made(
            &mut self.journal,
            node,
            "a return before the end of the called function leaves this labeled block",
        );
        self.result_param(call, after);
        self.fill_tree(body, root, copies, |value| Terminator::Break(node, value.into_iter().collect()));
        self.after.entry(open.original).or_default().push((node, after));
        self.continue_in(open, after, Terminator::next());
    }

    /// Finishes the block being written, and continues in another one.
    fn continue_in(&mut self, open: &mut OpenBlock, next: Block, terminator: Terminator) {
        let original = open.original;
        let done = std::mem::replace(open, OpenBlock { block: next, insts: Vec::new(), original });
        self.close(done, terminator);
    }

    /// A block for the code after a call.
    fn block_after_call(&mut self) -> Block {
        let after = rebuild::empty_block(&mut self.asm, Terminator::default());
        made(&mut self.journal, after, "the returns of the called function lead to the code after the call");
        after
    }

    /// Turns the result of a call into a block parameter with the same id.
    fn result_param(&mut self, call: Inst, after: Block) {
        let data = self.asm.inst_mut(call);
        if !data.has_result() {
            return;
        }
        let callee: Option<Func> = data.entity(Key::Func);
        let mut param = InstData::new(BasicOp::Param, data.ty, &[]);
        // The pointee type of a path is declared by the callee.
        let attrs_of_callee = callee.and_then(|callee| self.module.func(callee)).map(FuncBody::attrs);
        for key in [Key::Type, Key::Mode] {
            if let Some(value) = attrs_of_callee.and_then(|attrs| attrs.get(key)) {
                param = param.with(key, value);
            }
        }
        *self.asm.inst_mut(call) = param;
        CowVec::make_mut(&mut self.asm.block_mut(after).params).push(call);
    }
}

/// Maps the entities of a callee to their copies.
#[derive(Default)]
struct Copies {
    insts: FxHashMap<Inst, Inst>,
    blocks: FxHashMap<Block, Block>,
    nodes: FxHashMap<Node, Node>,
    regions: FxHashMap<Region, Region>,
    vars: FxHashMap<Var, Var>,
    regs: FxHashMap<Reg, Reg>,
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

    fn edge(&self, edge: &Edge) -> Edge {
        Edge { to: self.block(edge.to), args: edge.args.clone() }
    }

    fn data(&self, data: &InstData) -> InstData {
        let mut new = InstData { args: data.args.map(|arg| self.inst(arg)), ..data.clone() };
        if let Some(&var) = data.entity(Key::Var).and_then(|var: Var| self.vars.get(&var)) {
            new = new.with(Key::Var, var.index() as u64);
        }
        if let Some(&reg) = data.entity(Key::Reg).and_then(|reg: Reg| self.regs.get(&reg)) {
            new = new.with(Key::Reg, reg.index() as u64);
        }
        new
    }

    fn terminator(
        &self,
        terminator: &Terminator,
        lower_return: impl Fn(Option<Inst>) -> Terminator,
    ) -> Terminator {
        match terminator.map_uses(|value| self.inst(value)) {
            Terminator::Return(value) => lower_return(value),
            Terminator::Break(node, args) => Terminator::Break(self.node(node), args),
            Terminator::Continue(node, args) => Terminator::Continue(self.node(node), args),
            Terminator::Goto(edge) => Terminator::Goto(self.edge(&edge)),
            Terminator::Branch { cond, then, els } => {
                Terminator::Branch { cond, then: self.edge(&then), els: self.edge(&els) }
            }
            Terminator::Switch { on, cases, default } => {
                let case = |case: &Case| Case { values: case.values.clone(), edge: self.edge(&case.edge) };
                Terminator::Switch {
                    on,
                    cases: cases.iter().map(case).collect(),
                    default: self.edge(&default),
                }
            }
            other @ (Terminator::Next(_) | Terminator::Stop(_)) => other,
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

impl Inliner<'_> {
    /// Allocates new ids. Instructions that initialize locals are appended to `before`.
    fn allocate(&mut self, callee: Func, body: &FuncBody, args: &[Inst], before: &mut Vec<Inst>) -> Copies {
        let mut copies = Copies::default();
        copies.insts.extend(body.params().iter().copied().zip(args.iter().copied()));
        body.for_each_inst(|_, inst| {
            let copy = self.asm.add_inst(InstData::default());
            self.asm.name_inst(copy, body.inst_name(inst));
            let origin = self.inlined(body.origin(inst));
            if origin != Origin::default() {
                self.asm.origin(copy, origin);
            }
            for &binding in body.bindings(inst) {
                let scope = binding.scope.and_then(|scope| self.scope(scope));
                self.asm.bind(copy, Binding { scope, ..binding });
            }
            copies.insts.insert(inst, copy);
        });
        for block in body.blocks_in_order() {
            let copy = self.asm.add_block(BlockData::default());
            let end = self.inlined(body.end_origin(block));
            self.asm.end_origin(copy, end);
            copies.blocks.insert(block, copy);
        }
        if let Shape::Tree(root) = *body.shape() {
            copies.regions.insert(root, self.asm.add_region(RegionData::default()));
        }
        for step in TreeWalk::new(body) {
            match step {
                TreeStep::Enter(node) => {
                    copies.nodes.insert(node, self.asm.add_node(NodeData::default()));
                }
                TreeStep::Open(_, _, region) => {
                    copies.regions.insert(region, self.asm.add_region(RegionData::default()));
                }
                TreeStep::Block(_) | TreeStep::Leave(_) => {}
            }
        }
        for (reg, data) in body.regs() {
            let copy = Reg::from_index(self.asm.body().tables().regs.len());
            self.asm.put_reg(copy, *data);
            copies.regs.insert(reg, copy);
        }
        self.locals(callee, &mut copies, before);
        self.bind_arguments(body, args);
        copies
    }

    /// An origin of the callee at the current call: its scope is inlined.
    fn inlined(&mut self, origin: Origin) -> Origin {
        Origin { scope: origin.scope.and_then(|scope| self.scope(scope)), ..origin }
    }

    /// A scope of the callee, inlined by the current call.
    fn scope(&mut self, scope: Debug) -> Option<Debug> {
        if let Some(&known) = self.scopes.get(&scope) {
            return known;
        }
        let made = self.module.debug_mut().inlined(scope, self.line.line, self.line.scope);
        self.scopes.insert(scope, made);
        made
    }

    /// Binds variables that are passed by their addresses to the parameters of the source.
    fn bind_arguments(&mut self, body: &FuncBody, args: &[Inst]) {
        for (&param, &arg) in body.params().iter().zip(args) {
            let data = self.asm.body().inst(arg);
            let Some(var) = data.entity(Key::Var).filter(|_| data.op == DerefOp::Var.into()) else {
                continue;
            };
            for &binding in body.bindings(param).iter().filter(|binding| binding.held == Held::Address) {
                let scope = binding.scope.and_then(|scope| self.scope(scope));
                self.module.debug_mut().bind_var(var, Binding { scope, ..binding });
            }
        }
    }

    /// Copies the locals of the callee to the caller.
    fn locals(&mut self, callee: Func, copies: &mut Copies, before: &mut Vec<Inst>) {
        let of_callee = self.module.vars().filter(|(_, data)| data.owner == Some(callee));
        let locals: Vec<(Var, VarData)> = of_callee.map(|(var, data)| (var, data.clone())).collect();
        for (var, data) in locals {
            let init = data.init;
            let copy = self.module.add_var(VarData { owner: Some(self.caller), init: None, ..data.clone() });
            copies.vars.insert(var, copy);
            for binding in self.module.debug().var(var).to_vec() {
                let scope = binding.scope.and_then(|scope| self.scope(scope));
                self.module.debug_mut().bind_var(copy, Binding { scope, ..binding });
            }
            let decors = self.module.decors.iter().filter(|decor| decor.on == DecorTarget::Var(var));
            let decors: Vec<Decor> =
                decors.map(|decor| Decor { on: DecorTarget::Var(copy), ..*decor }).collect();
            if !decors.is_empty() {
                Rc::make_mut(&mut self.module.decors).extend(decors);
            }
            if let Some(init) = init {
                self.initialize_local(copy, &data, init, before);
            }
        }
    }

    /// Initializes a local: by a store, or by a copy of a variable that is never written.
    fn initialize_local(&mut self, var: Var, data: &VarData, init: Operand, before: &mut Vec<Inst>) {
        // Untyped memory has untyped pointers only.
        let address = |var: Var| {
            let whole = match data.is_untyped() {
                true => InstData::new(PtrOp::Var, ValueType::Ptr, &[]),
                false => InstData::new(DerefOp::Var, ValueType::Path, &[]),
            };
            whole.with(Key::Var, var.index() as u64)
        };
        let mut args = vec![self.asm.add_inst(address(var))];
        let op = match self.module.value_type(data.ty) {
            Some(ty) => {
                args.push(self.asm.add_inst(first_value(ty, init)));
                MemoryOp::Store
            }
            None => {
                let model = VarData { owner: Some(self.caller), init: Some(init), ..data.clone() };
                args.push(self.asm.add_inst(address(self.module.add_var(model))));
                MemoryOp::CopyVar
            }
        };
        let op = match data.attrs.get(Key::Bytes).filter(|_| op == MemoryOp::CopyVar) {
            Some(bytes) => {
                let bytes = self.module.bits(Bits::from_components(Width::W32, &[bytes]));
                let size = InstData::new(BasicOp::Const, ValueType::B32, &[]);
                args.push(self.asm.add_inst(size.with(Key::Const, bytes.index() as u64)));
                MemoryOp::CopyBytes
            }
            None => op,
        };
        let set = self.asm.add_inst(InstData::new(op, ValueType::Void, &args));
        args.push(set);
        // The declaration of a local has no line of its own; that of the call is the closest.
        for &inst in &args {
            self.asm.origin(inst, self.line);
            made(&mut self.journal, inst, "a local of the called function is initialized at each call");
        }
        before.extend(args);
    }

    fn fill_block(
        &mut self,
        body: &FuncBody,
        block: Block,
        copies: &Copies,
        lower_return: impl Fn(Option<Inst>) -> Terminator,
    ) {
        let data = body.block(block);
        let list = |insts: &[Inst]| CowVec::new(insts.iter().map(|&inst| copies.inst(inst)).collect());
        for &inst in data.params.iter().chain(data.insts.iter()) {
            *self.asm.inst_mut(copies.inst(inst)) = copies.data(body.inst(inst));
        }
        let hint = data.merge.as_ref().map(|hint| {
            let cont = hint.cont.map(|cont| copies.block(cont));
            Rc::new(MergeInfo { merge: copies.block(hint.merge), cont, attrs: hint.attrs.clone() })
        });
        *self.asm.block_mut(copies.block(block)) = BlockData {
            params: list(&data.params),
            insts: list(&data.insts),
            terminator: copies.terminator(&data.terminator, lower_return),
            merge: hint,
        };
    }

    fn fill_tree(
        &mut self,
        body: &FuncBody,
        root: Region,
        copies: &Copies,
        lower_return: impl Fn(Option<Inst>) -> Terminator,
    ) {
        self.fill_region(body, root, copies);
        for step in TreeWalk::new(body) {
            match step {
                TreeStep::Enter(node) => {
                    let data = body.node(node);
                    let new = NodeData { kind: copies.kind(&data.kind), attrs: data.attrs.clone() };
                    self.asm.put_node(copies.node(node), new);
                }
                TreeStep::Open(_, _, region) => self.fill_region(body, region, copies),
                TreeStep::Block(block) => self.fill_block(body, block, copies, &lower_return),
                TreeStep::Leave(_) => {}
            }
        }
    }

    fn fill_region(&mut self, body: &FuncBody, region: Region, copies: &Copies) {
        let data = body.region(region);
        let rest = data.rest.iter().map(|&(node, block)| (copies.node(node), copies.block(block)));
        let new = RegionData { head: copies.block(data.head), rest: CowVec::new(rest.collect()) };
        *self.asm.region_mut(copies.region(region)) = new;
    }
}

/// Returns the value of an initializer as an instruction.
fn first_value(ty: ValueType, init: Operand) -> InstData {
    match init {
        Operand::Bits(bits) => InstData::new(BasicOp::Const, ty, &[]).with(Key::Const, bits.index() as u64),
        Operand::Global(global) => {
            InstData::new(BasicOp::Global, ty, &[]).with(Key::Global, global.index() as u64)
        }
    }
}
