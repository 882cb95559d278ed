//! Collects the constraints on the modes of pointers in a function: which pointers share a mode, and which flow
//! to other functions.
//!
//! A callee is processed before its callers. The constraints on its parameters, its result and the memory they
//! point to are instantiated at each call with fresh classes, so that two calls may pass pointers with
//! different modes.

use super::nodes::{Clash, Node, Nodes};
use super::types::Types;
use rspirv::spirv::Op as S;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_analysis::{Addresses, Cfg, Root};
use vitrine_ir::base::SideTable;
use vitrine_ir::layout::parts;
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, PtrOp, SpirvOp, ValueType};
use vitrine_ir::{
    Anchor, Diag, Func, FuncBody, GlobalValue, Inst, InstData, Mode, Module, Operand, Terminator, Type,
    TypeData, Var,
};

/// The constraints of a function.
pub(super) struct Known {
    /// The class of every address.
    pub(super) of: SideTable<Inst, Option<Node>>,
    /// The class of the result.
    pub(super) result: Option<Node>,
    /// Classes whose mode the callers determine, in order.
    pub(super) open: Vec<Node>,
    pub(super) calls: Vec<Call>,
}

/// A call, and the classes that correspond to the open classes of its callee, in their order.
pub(super) struct Call {
    pub(super) at: Inst,
    pub(super) callee: Func,
    pub(super) gives: Vec<Node>,
}

/// The constraints of a module while its functions are processed.
pub(super) struct Gathered<'m> {
    pub(super) module: &'m Module,
    pub(super) nodes: Nodes,
    pub(super) types: Types,
    pub(super) vars: FxHashMap<Var, Node>,
    pub(super) funcs: FxHashMap<Func, Known>,
}

impl<'m> Gathered<'m> {
    /// Processes the variables of a module.
    pub(super) fn of(module: &'m Module) -> Result<Gathered<'m>, Diag> {
        let types = Types::of(module);
        let (nodes, vars, funcs) = (Nodes::default(), FxHashMap::default(), FxHashMap::default());
        let mut all = Gathered { module, nodes, types, vars, funcs };
        for (var, data) in module.vars() {
            let node = all.nodes.fresh(Some(data.mode), data.owner.is_none());
            all.types.deepen(module, &mut all.nodes, node, data.ty);
            all.vars.insert(var, node);
        }
        for (var, data) in module.vars().filter(|(_, data)| all.types.is_generic(data.ty)) {
            let inside = all.nodes.inside(all.vars[&var]);
            for target in addresses_in(module, data.init) {
                let clash = all.vars.get(&target).map(|&target| all.nodes.join(inside, target));
                clash.transpose().map_err(|clash| clashes(Anchor::Var(var), var.to_string(), clash))?;
            }
        }
        Ok(all)
    }

    /// Processes a function, after those it calls.
    pub(super) fn read(&mut self, func: Func, body: &FuncBody) -> Result<(), Diag> {
        let mut of = SideTable::with_default(None);
        let cfg = Cfg::of(body);
        let blocks = body.blocks_in_order();
        let of_blocks = blocks.iter().flat_map(|&block| {
            let data = body.block(block);
            data.params.iter().chain(data.insts.iter()).copied()
        });
        let all: Vec<Inst> = body.params().iter().copied().chain(of_blocks).collect();
        for &inst in &all {
            if matches!(body.ty(inst), ValueType::Ptr | ValueType::Path) {
                of[inst] = Some(self.result_class(body.inst(inst)));
            }
        }
        let result = matches!(body.result(), ValueType::Ptr | ValueType::Path).then(|| {
            let (ty, mode) = declared_pointer(body.attrs());
            self.class(ty, mode)
        });
        let addresses = Addresses::in_order(self.module, body, &cfg);
        let mut reader = Reader { all: self, func, body, addresses, of, calls: Vec::new() };
        for &inst in &all {
            reader.inst(inst)?;
        }
        for &block in &blocks {
            if let (Terminator::Return(Some(value)), Some(result)) = (body.terminator(block), result)
                && let Some(node) = reader.of[*value]
            {
                reader.join(*value, node, result)?;
            }
            for edge in cfg.in_edges(block) {
                for (&param, &arg) in body.block(block).params.iter().zip(cfg.args(body, edge)) {
                    reader.join_values(param, param, arg)?;
                }
            }
        }
        let (of, calls) = (reader.of, reader.calls);
        let starts = body.params().iter().filter_map(|&param| of[param]).chain(result);
        let open = self.open(starts.collect());
        self.funcs.insert(func, Known { of, result, open, calls });
        Ok(())
    }

    /// A class for the result of an instruction, with its declared type and mode.
    fn result_class(&mut self, data: &InstData) -> Node {
        let var: Option<Var> = match data.op {
            Op::Ptr(PtrOp::Var) | Op::Deref(DerefOp::Var) => data.entity(Key::Var),
            Op::Basic(BasicOp::Global) => address(self.module, data.entity(Key::Global)),
            _ => None,
        };
        match var.and_then(|var| self.vars.get(&var).copied()) {
            Some(node) => node,
            None => {
                let (ty, mode) = declared_pointer(&data.attrs);
                self.class(ty, mode)
            }
        }
    }

    /// A new class for a pointer with a declared type and mode.
    fn class(&mut self, ty: Option<Type>, mode: Option<Mode>) -> Node {
        let node = self.nodes.fresh(mode, false);
        if let Some(ty) = ty {
            self.types.deepen(self.module, &mut self.nodes, node, ty);
        }
        node
    }

    /// Classes without a mode that are reachable from some, without duplicates.
    fn open(&mut self, starts: Vec<Node>) -> Vec<Node> {
        let (mut out, mut seen) = (Vec::new(), FxHashSet::default());
        for start in starts {
            let mut at = Some(start);
            while let Some(node) = at.map(|node| self.nodes.root(node)) {
                if self.nodes.is_shared(node) || !seen.insert(node) {
                    break;
                }
                if self.nodes.mode(node).is_none() {
                    out.push(node);
                }
                at = self.nodes.known_inside(node);
            }
        }
        out
    }
}

/// Copies of the classes of a callee, for one call.
#[derive(Default)]
struct Copies {
    of: FxHashMap<Node, Node>,
}

impl Copies {
    /// The copy of a class, and of the classes inside it. Shared classes are not copied.
    fn copy(&mut self, nodes: &mut Nodes, node: Node) -> Node {
        let first = nodes.root(node);
        let (mut node, mut before) = (first, None);
        loop {
            let known = if nodes.is_shared(node) { Some(node) } else { self.of.get(&node).copied() };
            let copy = known.unwrap_or_else(|| {
                let mode = nodes.mode(node);
                nodes.fresh(mode, false)
            });
            self.of.insert(node, copy);
            if let Some(before) = before {
                let inside = nodes.inside(before);
                // A new class has no mode that could conflict.
                let _ = nodes.join(inside, copy);
            }
            match nodes.known_inside(node) {
                Some(inside) if known.is_none() => (node, before) = (inside, Some(copy)),
                _ => return self.of.get(&first).copied().unwrap_or(first),
            }
        }
    }
}

/// Processes one function.
struct Reader<'a, 'm> {
    all: &'a mut Gathered<'m>,
    func: Func,
    body: &'a FuncBody,
    addresses: Addresses,
    of: SideTable<Inst, Option<Node>>,
    calls: Vec<Call>,
}

impl Reader<'_, '_> {
    fn inst(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        match data.op {
            Op::Ptr(PtrOp::Offset | PtrOp::DynOffset | PtrOp::BufferData | PtrOp::HandleIndex)
            | Op::Deref(_)
            | Op::Basic(BasicOp::Copy) => match data.args.first() {
                Some(&base) => self.join_values(inst, inst, base),
                None => Ok(()),
            },
            Op::Basic(BasicOp::Choose) => {
                data.args.iter().skip(1).try_for_each(|&side| self.join_values(inst, inst, side))
            }
            Op::Ptr(PtrOp::Eq | PtrOp::Ne | PtrOp::Diff) => match data.args[..] {
                [a, b] => self.join_values(inst, a, b),
                _ => Ok(()),
            },
            Op::Memory(MemoryOp::Load) => match (data.args.first(), self.of[inst]) {
                (Some(&from), Some(value)) => {
                    self.stored_pointer(inst, from, value, declared_pointer(&data.attrs).1)
                }
                _ => Ok(()),
            },
            Op::Memory(MemoryOp::Store) => match data.args[..] {
                [to, value] => match self.of[value] {
                    Some(node) => self.stored_pointer(inst, to, node, None),
                    None => Ok(()),
                },
                _ => Ok(()),
            },
            Op::Memory(MemoryOp::CopyVar | MemoryOp::CopyBytes) => match data.args[..] {
                [to, from, ..] => self.copied(inst, to, from),
                _ => Ok(()),
            },
            Op::Basic(BasicOp::Call) => self.call(inst, data),
            Op::Spirv(SpirvOp::Raw) if asks_for_class(data) => match data.args.first() {
                Some(&pointer) => Err(Diag::error("P113", Anchor::Inst(self.func, inst))
                    .names(inst, Anchor::Inst(self.func, inst))
                    .says(format!("asks for the storage class of {pointer} when the program runs"))),
                None => Ok(()),
            },
            _ => Ok(()),
        }
    }

    /// A pointer that is stored at an address.
    fn stored_pointer(
        &mut self,
        inst: Inst,
        address: Inst,
        value: Node,
        declared_mode: Option<Mode>,
    ) -> Result<(), Diag> {
        let declared = self.declared(address);
        let common = declared.and_then(|ty| only_mode(self.all.module, ty));
        let mode = declared_mode.filter(|&mode| mode != Mode::Generic).or(common);
        let done = self.all.nodes.set_mode(value, mode);
        self.fits(inst, done)?;
        // Memory without a declared type may hold anything.
        let open = declared.is_none_or(|ty| self.all.types.is_generic(ty));
        match self.of[address].filter(|_| open) {
            Some(address) => {
                let inside = self.all.nodes.inside(address);
                self.join(inst, value, inside)
            }
            None => Ok(()),
        }
    }

    fn copied(&mut self, inst: Inst, to: Inst, from: Inst) -> Result<(), Diag> {
        let holds = |ty: Option<Type>| ty.is_some_and(|ty| self.all.types.is_generic(ty));
        if !holds(self.declared(to)) && !holds(self.declared(from)) {
            return Ok(());
        }
        let (Some(to), Some(from)) = (self.of[to], self.of[from]) else { return Ok(()) };
        let (to, from) = (self.all.nodes.inside(to), self.all.nodes.inside(from));
        self.join(inst, to, from)
    }

    /// The declared type of an address: of the place itself, or, for a byte address, of the whole object.
    fn declared(&self, address: Inst) -> Option<Type> {
        if self.body.ty(address) == ValueType::Path {
            return self.all.module.path_type(self.body, address).map(|at| at.ty);
        }
        match self.addresses.root(address)? {
            Root::Var(var) => self.all.module.var(var).map(|data| data.ty),
            Root::Value(value) => declared_pointer(&self.body.inst(value).attrs).0,
        }
    }

    fn call(&mut self, inst: Inst, data: &InstData) -> Result<(), Diag> {
        let Some(callee) = data.entity::<Func>(Key::Func) else { return Ok(()) };
        let Some(known) = self.all.funcs.get(&callee) else { return Ok(()) };
        let params = self.all.module.func(callee).map_or(&[][..], FuncBody::params);
        let mut copies = Copies::default();
        let nodes = &mut self.all.nodes;
        let mut pairs: Vec<(Node, Node)> = Vec::new();
        for (&arg, &param) in data.args.iter().zip(params) {
            if let (Some(arg), Some(param)) = (self.of[arg], known.of[param]) {
                pairs.push((arg, copies.copy(nodes, param)));
            }
        }
        if let (Some(here), Some(result)) = (self.of[inst], known.result) {
            pairs.push((here, copies.copy(nodes, result)));
        }
        let gives = known.open.iter().map(|&node| copies.copy(nodes, node)).collect();
        self.calls.push(Call { at: inst, callee, gives });
        pairs.into_iter().try_for_each(|(here, there)| self.join(inst, here, there))
    }

    fn join_values(&mut self, at: Inst, a: Inst, b: Inst) -> Result<(), Diag> {
        match (self.of[a], self.of[b]) {
            (Some(a), Some(b)) => self.join(at, a, b),
            _ => Ok(()),
        }
    }

    fn join(&mut self, at: Inst, a: Node, b: Node) -> Result<(), Diag> {
        let joined = self.all.nodes.join(a, b);
        self.fits(at, joined)
    }

    fn fits(&self, at: Inst, done: Result<(), Clash>) -> Result<(), Diag> {
        let is_call = self.body.inst(at).op == Op::Basic(BasicOp::Call);
        let name =
            if self.body.inst(at).has_result() && !is_call { at.to_string() } else { "this".to_owned() };
        done.map_err(|clash| clashes(Anchor::Inst(self.func, at), name, clash))
    }
}

/// The declared pointee type and mode of a pointer.
pub(super) fn declared_pointer(attrs: &vitrine_ir::Attrs) -> (Option<Type>, Option<Mode>) {
    let ty = attrs.get(Key::Type).and_then(|ty| usize::try_from(ty).ok());
    (ty.map(vitrine_ir::base::EntityId::from_index), attrs.word())
}

/// A diagnostic for a pointer that would have two modes.
fn clashes(at: Anchor, name: String, Clash(a, b): Clash) -> Diag {
    Diag::error("P113", at)
        .names(name, at)
        .says(format!("requires one pointer to refer to both `{}` and `{}` memory", a.name(), b.name()))
        .help("a pointer refers to one storage class: select between the loaded values, or use a separate variable for each pointer")
}

/// The mode of the pointers in a type, if they all have the same one.
fn only_mode(module: &Module, ty: Type) -> Option<Mode> {
    let (mut found, mut work, mut seen) = (None, vec![ty], FxHashSet::default());
    while let Some(ty) = work.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match *module.type_of(ty) {
            TypeData::Pointer { mode, .. } if found.is_none_or(|found| found == mode) => found = Some(mode),
            TypeData::Pointer { .. } => return None,
            _ => work.extend(parts(module, ty)),
        }
    }
    found.filter(|&mode| mode != Mode::Generic)
}

fn address(module: &Module, global: Option<vitrine_ir::Global>) -> Option<Var> {
    match module.global(global?)?.value {
        GlobalValue::Address(var) => Some(var),
        _ => None,
    }
}

/// Variables whose address a constant contains.
fn addresses_in(module: &Module, constant: Option<Operand>) -> Vec<Var> {
    let (mut out, mut seen) = (Vec::new(), FxHashSet::default());
    let mut work: Vec<Operand> = constant.into_iter().collect();
    while let Some(operand) = work.pop() {
        let Operand::Global(global) = operand else { continue };
        if seen.insert(global) {
            out.extend(address(module, Some(global)));
            work.extend(module.global(global).into_iter().flat_map(|data| data.value.operands().to_vec()));
        }
    }
    out
}

/// Returns true for an instruction of SPIR-V whose operand has to be a generic pointer.
fn asks_for_class(data: &InstData) -> bool {
    const OPCODES: [S; 2] = [S::GenericCastToPtrExplicit, S::GenericPtrMemSemantics];
    let opcode = data.attrs.get(Key::Opcode);
    OPCODES.iter().any(|&known| opcode == Some(known as u64))
}
