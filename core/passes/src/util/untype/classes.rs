//! Classes of addresses that become untyped together: a pointer that may be one of two others becomes untyped
//! only if both do.
//!
//! Every variable, and every address that is not a step from another one, is a member of a class; data flow
//! from one to the other joins their classes. A class remains typed if one of its members has a use that
//! requires a typed path, or has no layout that is known before specialization.
//!
//! Does not rewrite anything.

use crate::util::open::in_order;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_analysis::Cfg;
use vitrine_ir::base::SideTable;
use vitrine_ir::layout::{Sizes, has_fixed_offsets};
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, PtrOp, ValueType};
use vitrine_ir::{Block, Func, FuncBody, GlobalValue, Inst, InstData, Module, Shape, Terminator, Var};

/// A member of a class.
type Member = u32;

/// The member that always remains typed; all members that are joined with it remain typed.
const TYPED: Member = 0;

/// The addresses of a module, by class.
pub(crate) struct Classes {
    /// Union-find over members.
    parent: Vec<Member>,
    vars: SideTable<Var, Member>,
    /// The last member that is a variable.
    last_var: Member,
    of: FxHashMap<Func, SideTable<Inst, Member>>,
    /// The blocks of functions, each after its dominators.
    orders: FxHashMap<Func, Vec<Block>>,
    /// True for members that become untyped; set by [`Classes::take`].
    taken: Vec<bool>,
}

/// The addresses of one function that become untyped.
#[derive(Clone, Copy)]
pub(super) struct Taken<'a> {
    of: Option<&'a SideTable<Inst, Member>>,
    taken: &'a [bool],
}

impl Taken<'_> {
    /// Returns true if an address becomes an untyped pointer; false for any other value.
    pub(super) fn has(&self, address: Inst) -> bool {
        let member = self.of.map_or(TYPED, |table| table[address]);
        self.taken.get(member as usize).copied().unwrap_or(false)
    }
}

impl Classes {
    /// Computes the classes of a module. Near-linear.
    pub(crate) fn of(module: &Module, sizes: &mut Sizes) -> Classes {
        let mut classes = Classes {
            parent: vec![TYPED],
            vars: SideTable::sized(TYPED, module.sizes()[1]),
            last_var: TYPED,
            of: FxHashMap::default(),
            orders: FxHashMap::default(),
            taken: Vec::new(),
        };
        let mut known = SideTable::with_default(None);
        for (var, data) in module.vars() {
            let member = classes.fresh();
            classes.vars[var] = member;
            classes.last_var = member;
            let bytes = sizes.of(module, module, data.ty).bytes;
            let fits = bytes <= i32::MAX as u64 && has_fixed_offsets(module, data.ty, &mut known);
            if !fits || data.is_untyped() {
                classes.join(member, TYPED);
            }
        }
        for (_, data) in module.globals() {
            if let GlobalValue::Address(var) = data.value {
                let member = classes.var(var);
                classes.join(member, TYPED);
            }
        }
        for (func, body) in module.funcs() {
            let mut table = SideTable::sized(TYPED, body.tables().insts.len());
            for &param in body.params().iter().filter(|&&param| body.ty(param) == ValueType::Path) {
                table[param] = classes.fresh();
            }
            classes.of.insert(func, table);
        }
        for (func, body) in module.funcs() {
            let Some(table) = classes.of.remove(&func) else { continue };
            let order = in_order(body);
            let table = Reader { module, body, classes: &mut classes, table, own: func }.read(&order);
            classes.of.insert(func, table);
            classes.orders.insert(func, order);
        }
        classes
    }

    /// Consumes a unit of `fuel` for each class that can become untyped, in order; classes without fuel remain
    /// typed.
    pub(crate) fn take(&mut self, fuel: impl FnMut() -> bool) {
        self.take_some(|_| true, fuel);
    }

    /// The same for the classes of some variables only.
    pub(crate) fn take_of(&mut self, vars: &[Var], fuel: impl FnMut() -> bool) {
        let members: Vec<Member> = vars.iter().map(|&var| self.var(var)).collect();
        let roots: Vec<Member> = members.into_iter().map(|member| self.root(member)).collect();
        self.take_some(|root| roots.contains(&root), fuel);
    }

    /// The same for the classes of variables with an address that is a parameter of a block, or computed in one of these ways.
    pub(crate) fn take_computed(
        &mut self,
        module: &Module,
        is_computed: impl Fn(&InstData) -> bool,
        fuel: impl FnMut() -> bool,
    ) {
        let mut members = Vec::new();
        for (func, body) in module.funcs() {
            let (Some(table), Some(order)) = (self.of.get(&func), self.orders.get(&func)) else { continue };
            for &block in order {
                let data = body.block(block);
                let computed = data.insts.iter().filter(|&&inst| is_computed(body.inst(inst)));
                members.extend(data.params.iter().chain(computed).map(|&inst| table[inst]));
            }
        }
        let roots: FxHashSet<Member> = members.into_iter().map(|member| self.root(member)).collect();
        let last_var = self.last_var;
        self.take_some(|root| root <= last_var && roots.contains(&root), fuel);
    }

    fn take_some(&mut self, wanted: impl Fn(Member) -> bool, mut fuel: impl FnMut() -> bool) {
        self.taken = vec![false; self.parent.len()];
        // The root of a class is its first member, so it is visited before the others.
        for member in 1..self.parent.len() as Member {
            let root = self.root(member);
            let takes = match root == member {
                true => wanted(root) && root != TYPED && fuel(),
                false => self.taken.get(root as usize).copied().unwrap_or(false),
            };
            if let Some(slot) = self.taken.get_mut(member as usize) {
                *slot = takes;
            }
        }
    }

    /// Returns true if a variable becomes untyped, or is accessed through untyped pointers.
    pub(crate) fn takes_var(&self, var: Var) -> bool {
        self.taken.get(self.var(var) as usize).copied().unwrap_or(false)
    }

    /// Returns true if all addresses of a variable are steps from it: no parameter, select or load yields one, and no use
    /// requires a type.
    pub(crate) fn is_stepped(&mut self, var: Var) -> bool {
        let root = self.root(self.var(var));
        let others = self.last_var.saturating_add(1)..self.parent.len() as Member;
        root != TYPED && others.into_iter().all(|member| self.root(member) != root)
    }

    /// The addresses of a function that become untyped.
    pub(super) fn of_func(&self, func: Func) -> Taken<'_> {
        Taken { of: self.of.get(&func), taken: &self.taken }
    }

    /// The blocks of a function, each after its dominators.
    pub(super) fn order(&self, func: Func) -> &[Block] {
        self.orders.get(&func).map_or(&[], |order| order)
    }

    fn var(&self, var: Var) -> Member {
        self.vars[var]
    }

    fn fresh(&mut self) -> Member {
        self.parent.push(self.parent.len() as Member);
        self.parent.len() as Member - 1
    }

    fn up(&self, member: Member) -> Member {
        self.parent.get(member as usize).copied().unwrap_or(TYPED)
    }

    fn root(&mut self, mut member: Member) -> Member {
        loop {
            let up = self.up(member);
            if up == member {
                return member;
            }
            let higher = self.up(up);
            if let Some(at) = self.parent.get_mut(member as usize) {
                *at = higher;
            }
            member = higher;
        }
    }

    fn join(&mut self, a: Member, b: Member) {
        if a == b {
            return;
        }
        let (a, b) = (self.root(a), self.root(b));
        if let Some(at) = self.parent.get_mut(a.max(b) as usize) {
            *at = a.min(b);
        }
    }
}

/// Processes one function.
struct Reader<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    classes: &'a mut Classes,
    table: SideTable<Inst, Member>,
    own: Func,
}

impl Reader<'_> {
    fn read(mut self, order: &[Block]) -> SideTable<Inst, Member> {
        let mut with_params = Vec::new();
        for &block in order {
            let params = &self.body.block(block).params;
            let paths = params.iter().filter(|&&param| self.body.ty(param) == ValueType::Path);
            for &param in paths {
                self.table[param] = self.classes.fresh();
                with_params.push(block);
            }
        }
        for &block in order {
            for &inst in self.body.block(block).insts.iter() {
                self.inst(inst);
            }
            if let Terminator::Return(Some(value)) = *self.body.terminator(block) {
                self.join(value, TYPED);
            }
        }
        if with_params.is_empty() {
            return self.table;
        }
        with_params.dedup();
        let cfg = Cfg::of(self.body);
        for block in with_params {
            let params = &self.body.block(block).params;
            for edge in cfg.in_edges(block) {
                for (&param, &arg) in params.iter().zip(cfg.args(self.body, edge)) {
                    self.join_both(param, arg);
                }
            }
        }
        self.table
    }

    fn is_path(&self, value: Inst) -> bool {
        self.body.ty(value) == ValueType::Path
    }

    /// Joins the class of a value, if it is an address: other values have none, and typed ones have the first.
    fn join(&mut self, value: Inst, with: Member) {
        let member = self.table[value];
        if member != with && self.is_path(value) {
            self.classes.join(member, with);
        }
    }

    fn join_both(&mut self, a: Inst, b: Inst) {
        if self.is_path(a) && self.is_path(b) {
            self.classes.join(self.table[a], self.table[b]);
        }
    }

    fn inst(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        match data.op {
            // Arithmetic has no address operands and no address results.
            Op::Float(_) | Op::Int(_) | Op::Convert(_) | Op::Vector(_) => return,
            _ if data.ty == ValueType::Path => self.table[inst] = self.made(data),
            _ => {}
        }
        self.used(data);
    }

    /// The class of a new address.
    fn made(&mut self, data: &InstData) -> Member {
        let base = || data.args.first().filter(|&&base| self.is_path(base)).map(|&base| self.table[base]);
        match data.op {
            Op::Deref(DerefOp::Var) => data.entity(Key::Var).map_or(TYPED, |var| self.classes.var(var)),
            Op::Basic(BasicOp::Global) => TYPED,
            Op::Deref(_) | Op::Basic(BasicOp::Copy) | Op::Memory(MemoryOp::Load) => {
                base().unwrap_or_else(|| self.classes.fresh())
            }
            Op::Basic(BasicOp::Undef) => self.classes.fresh(),
            Op::Basic(BasicOp::Choose) => {
                let member = self.classes.fresh();
                data.args.iter().skip(1).for_each(|&arg| self.join(arg, member));
                member
            }
            _ => TYPED,
        }
    }

    /// The constraints of a use on its address operands.
    fn used(&mut self, data: &InstData) {
        match data.op {
            Op::Deref(_)
            | Op::Basic(BasicOp::Copy | BasicOp::Choose)
            | Op::Memory(
                MemoryOp::Load
                | MemoryOp::ArrayLen
                | MemoryOp::CopyBytes
                | MemoryOp::AtomicLoad
                | MemoryOp::AtomicStore
                | MemoryOp::Atomic
                | MemoryOp::AtomicCas,
            )
            | Op::Ptr(PtrOp::Texel | PtrOp::ToBits | PtrOp::Eq | PtrOp::Ne) => {}
            // Image operations use the handle at an address, in any form.
            Op::Tex(_) => {}
            Op::Memory(MemoryOp::Store | MemoryOp::CopyVar) | Op::Ptr(PtrOp::Diff) => {
                if let [a, b] = data.args[..] {
                    self.join_both(a, b);
                }
            }
            Op::Basic(BasicOp::Call) => self.call(data),
            _ => data.args.iter().for_each(|&arg| self.join(arg, TYPED)),
        }
    }

    fn call(&mut self, data: &InstData) {
        let callee: Option<Func> = data.entity(Key::Func);
        let body = callee.and_then(|callee| self.module.func(callee));
        let params = body.filter(|body| *body.shape() != Shape::Declaration).map(FuncBody::params);
        for (at, &arg) in data.args.iter().enumerate() {
            if !self.is_path(arg) {
                continue;
            }
            let param = params.and_then(|params| params.get(at).copied());
            let member = match (param, callee) {
                (Some(param), Some(callee)) if callee == self.own => self.table[param],
                (Some(param), Some(callee)) => {
                    self.classes.of.get(&callee).map_or(TYPED, |table| table[param])
                }
                _ => TYPED,
            };
            self.join(arg, member);
        }
    }
}
