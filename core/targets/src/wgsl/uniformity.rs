//! Control flow that WGSL does not prove uniform in a workgroup, for barriers (WGSL, 15.2).
//!
//! ```text
//! %id = load $local_invocation_id     differs between invocations
//! if (ult %id, 7)                     a divergent condition: a barrier in its arms is an error
//! loop … if %id break …               so is one in a loop that invocations leave in different iterations
//! ```
//!
//! A value differs if it depends on an input that does, on memory that invocations write, or on a variable that is
//! stored with such a value or under such a condition, anywhere in the function. Variables have one state for the whole
//! function, and parameters count as uniform: a condition that is found divergent here may be uniform, but not the other way
//! within a function. Refuses nothing: the writer does.

use crate::operands::{PathRoot, root};
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::EntitySet;
use vitrine_ir::ops::{BasicOp, Builtin, Key, MemoryOp, Op, RegOp, TexOp};
use vitrine_ir::{
    Block, FuncBody, Inst, InstData, Mode, Module, Nesting, Node, NodeKind, Reg, Terminator, Var,
};

/// System values that are equal in a workgroup.
const SHARED: &[Builtin] =
    &[Builtin::NumWorkgroups, Builtin::WorkgroupId, Builtin::SubgroupSize, Builtin::NumSubgroups];

/// The values that may differ between the invocations of a workgroup, and where these may be apart.
#[derive(Debug)]
pub(super) struct Uniformity {
    nesting: Nesting,
    /// The conditions of branches that differ.
    conds: FxHashMap<Node, Inst>,
    /// Loops and labeled blocks that some invocations leave, or begin again, before others: the condition, and the number of
    /// the block after which invocations are apart. `None` stands for the whole node.
    ragged: FxHashMap<Node, (Inst, Option<usize>)>,
    /// Ends of some invocations: the block and the condition.
    ends: Vec<(Block, Inst)>,
    order: FxHashMap<Block, usize>,
}

/// The state while values are found.
struct Finder<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    fixed: &'a EntitySet<Var>,
    values: EntitySet<Inst>,
    vars: EntitySet<Var>,
    regs: FxHashSet<Reg>,
    found: Uniformity,
    changed: bool,
}

impl Uniformity {
    /// Finds them. Linear in the size of the function for each round; a round adds a variable or a value, and few are needed.
    ///
    /// `fixed` are the storage buffers that the text declares as read only.
    pub(super) fn of(module: &Module, body: &FuncBody, fixed: &EntitySet<Var>) -> Uniformity {
        let order = body.blocks_in_order().into_iter().enumerate().map(|(at, block)| (block, at)).collect();
        let found = Uniformity {
            nesting: Nesting::of(body),
            conds: FxHashMap::default(),
            ragged: FxHashMap::default(),
            ends: Vec::new(),
            order,
        };
        let mut finder = Finder {
            module,
            body,
            fixed,
            values: EntitySet::new(),
            vars: EntitySet::new(),
            regs: FxHashSet::default(),
            found,
            changed: true,
        };
        while std::mem::take(&mut finder.changed) {
            finder.round();
        }
        finder.found
    }

    /// The condition by which the invocations of a workgroup may be apart in a block. `None` if they are together.
    pub(super) fn condition(&self, block: Block) -> Option<Inst> {
        let place = self.nesting.block(block)?;
        let around: Vec<Node> = self.nesting.enclosing(place.region).collect();
        let at = self.order.get(&block).copied();
        let of_node = |node: &Node| {
            let ragged = self.ragged.get(node).filter(|(_, after)| after.is_none() || *after < at);
            self.conds.get(node).copied().or(ragged.map(|&(cond, _)| cond))
        };
        if let Some(found) = around.iter().find_map(of_node) {
            return Some(found);
        }
        let is_before = |&&(end, _): &&(Block, Inst)| {
            let shares_node = self
                .nesting
                .block(end)
                .is_some_and(|place| self.nesting.enclosing(place.region).any(|node| around.contains(&node)));
            shares_node || self.order.get(&end).copied() < at
        };
        self.ends.iter().find(is_before).map(|&(_, cond)| cond)
    }
}

impl Finder<'_> {
    fn round(&mut self) {
        let body = self.body;
        for block in body.blocks_in_order() {
            for &inst in body.block(block).insts.iter() {
                self.inst(block, inst);
            }
            if let Some(node) = self.found.nesting.node_after(body, block) {
                self.node(node);
            } else {
                self.exit(block);
            }
        }
    }

    fn node(&mut self, node: Node) {
        let kind = &self.body.node(node).kind;
        if let (NodeKind::If { .. } | NodeKind::Switch { .. }, Some(cond)) = (kind, kind.operand())
            && self.values.contains(cond)
        {
            self.changed |= self.found.conds.insert(node, cond).is_none();
        }
    }

    /// Notes what the invocations leave that take this exit, if only some take it.
    fn exit(&mut self, block: Block) {
        let target = match *self.body.terminator(block) {
            Terminator::Break(node, _) | Terminator::Continue(node, _) => Some(node),
            Terminator::Return(_) | Terminator::Stop(_) => None,
            Terminator::Next(_)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => {
                return;
            }
        };
        let Some(place) = self.found.nesting.block(block) else { return };
        let inside = self.found.nesting.enclosing(place.region).take_while(|&node| Some(node) != target);
        let of_node = |node| {
            let ragged = self.found.ragged.get(&node).map(|&(cond, _)| cond);
            self.found.conds.get(&node).copied().or(ragged)
        };
        let cond = { inside }.find_map(of_node);
        let Some(cond) = cond else { return };
        match target {
            Some(node) => {
                let is_loop = matches!(self.body.node(node).kind, NodeKind::Loop { .. });
                let leaves = matches!(self.body.terminator(block), Terminator::Break(..));
                // All iterations of a loop that some leave; else what comes after the exit.
                let after = if is_loop && leaves { None } else { self.found.order.get(&block).copied() };
                self.apart(node, cond, after);
            }
            None if self.found.ends.iter().all(|&(known, _)| known != block) => {
                self.found.ends.push((block, cond));
                self.changed = true;
            }
            None => {}
        }
    }

    fn apart(&mut self, node: Node, cond: Inst, after: Option<usize>) {
        match self.found.ragged.get(&node) {
            Some(&(_, known)) if known <= after => {}
            _ => {
                self.found.ragged.insert(node, (cond, after));
                self.changed = true;
            }
        }
    }

    fn inst(&mut self, block: Block, inst: Inst) {
        let data = self.body.inst(inst);
        let differs = data.args.iter().any(|&arg| self.values.contains(arg)) || self.is_source(data);
        if differs {
            self.changed |= self.values.insert(inst);
        }
        let stored = match data.op {
            Op::Memory(MemoryOp::Store) => data.args.first().copied(),
            Op::Basic(BasicOp::Call) => {
                // The callee may store to the variables that it is passed.
                for &arg in data.args.iter().filter(|&&arg| self.body.ty(arg).is_opaque()) {
                    self.store(block, arg, differs);
                }
                None
            }
            Op::Reg(RegOp::Store | RegOp::StoreAt) => {
                if (differs || self.found.condition(block).is_some())
                    && let Some(reg) = data.entity::<Reg>(Key::Reg)
                {
                    self.changed |= self.regs.insert(reg);
                }
                None
            }
            _ => None,
        };
        if let Some(path) = stored {
            self.store(block, path, differs);
        }
    }

    fn store(&mut self, block: Block, path: Inst, differs: bool) {
        if let Some(var) = self.root(path)
            && (differs || self.found.condition(block).is_some())
        {
            self.changed |= self.vars.insert(var);
        }
    }

    fn root(&self, path: Inst) -> Option<Var> {
        match root(self.body, path)? {
            PathRoot::Var(var) => Some(var),
            PathRoot::Param(_) => None,
        }
    }

    /// Returns true if an instruction reads what differs between invocations, or what they write.
    fn is_source(&self, data: &InstData) -> bool {
        match data.op {
            Op::Memory(MemoryOp::Load) => data.args.first().is_some_and(|&path| self.reads_source(path)),
            Op::Memory(MemoryOp::Atomic | MemoryOp::AtomicLoad | MemoryOp::AtomicCas) | Op::Group(_) => true,
            Op::Reg(RegOp::Load | RegOp::LoadAt) => {
                data.entity::<Reg>(Key::Reg).is_some_and(|reg| self.regs.contains(&reg))
            }
            Op::Tex(TexOp::Read) => true,
            _ => false,
        }
    }

    fn reads_source(&self, path: Inst) -> bool {
        let Some(var) = self.root(path) else { return false };
        let Some(data) = self.module.var(var) else { return false };
        match data.mode {
            Mode::In => data.attrs.word().is_none_or(|value| !SHARED.contains(&value)),
            Mode::Storage => !self.fixed.contains(var),
            // The language does not follow what is stored to variables of the module.
            Mode::Shared | Mode::Private => true,
            Mode::Local => self.vars.contains(var),
            _ => false,
        }
    }
}
