//! Accesses of one function through untyped pointers, and the origins of its pointers.
//!
//! Places are not merged here: a pointer from a parameter, a select or a call is a separate place, and a
//! [`Link`] lists the places it may be. `gather` follows links across functions.

use super::{Cell, How, Steps};
use crate::Cfg;
use crate::address::{Addresses, Root, offset_of};
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::ty::COMPONENT_COUNTS;
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, PtrOp, ValueType};
use vitrine_ir::{Func, FuncBody, Inst, InstData, Module, Shape, Terminator, Type, Var};

/// The origin from which bytes are counted.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum PointerOrigin {
    /// The first byte of a variable, or of each resource in it.
    Var(Var),
    /// The target of a value of the function: a parameter, a load, a select.
    Value(Inst),
    /// The target of a parameter of another function.
    Param(Func, u32),
    /// The target of the pointer that a function returns.
    Result(Func),
}

/// A distance in bytes from a place, partly known only at run time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spot {
    pub(super) place: PointerOrigin,
    pub(super) offset: i64,
    /// A list of [`Traffic::steps`].
    pub(super) steps: u32,
}

/// An access to bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) inst: Inst,
    pub(super) at: Spot,
    pub(super) cell: Cell,
    pub(super) how: How,
}

/// Accesses at `to` are accesses at `from`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) from: Spot,
    pub(super) to: PointerOrigin,
}

/// The accesses of a function through untyped pointers, before parameters are resolved.
#[derive(Clone, Default, Debug)]
pub struct Traffic {
    pub(super) accesses: Vec<Access>,
    pub(super) links: Vec<Link>,
    pub(super) steps: Steps,
}

impl Traffic {
    /// Analyzes a function, valid or not. Linear.
    pub(super) fn read(module: &Module, func: Func, body: &FuncBody) -> Traffic {
        // The text order of a tree is a dominance order.
        let cfg = matches!(body.shape(), Shape::Graph(_)).then(|| Cfg::of(body));
        let order = cfg.as_ref().map_or_else(|| body.blocks_in_order(), |cfg| cfg.blocks().to_vec());
        let addresses = Addresses::along(module, body, &order);
        let (places, lists) = (vec![None; addresses.len()], vec![0; addresses.len()]);
        let mut reader = Reader {
            module,
            body,
            addresses,
            places,
            lists,
            paths: SideTable::with_default(None),
            out: Traffic::default(),
        };
        body.params().iter().for_each(|&param| reader.place(param));
        let is_address = |&param: &Inst| matches!(body.ty(param), ValueType::Ptr | ValueType::Path);
        let mut with_params = false;
        for &block in &order {
            let data = body.block(block);
            for &param in data.params.iter() {
                with_params |= is_address(&param);
                reader.place(param);
                reader.inst(param);
            }
            for &inst in data.insts.iter() {
                reader.place(inst);
                reader.inst(inst);
            }
        }
        // Values passed on edges may be defined later.
        let cfg = cfg.or_else(|| with_params.then(|| Cfg::of(body)));
        for &block in &order {
            let data = body.block(block);
            if let Some(cfg) = cfg.as_ref().filter(|_| data.params.iter().any(is_address)) {
                for edge in cfg.in_edges(block) {
                    for (&param, &arg) in data.params.iter().zip(cfg.args(body, edge)) {
                        reader.forward_to(arg, PointerOrigin::Value(param));
                    }
                }
            }
            if let Terminator::Return(Some(value)) = data.terminator {
                reader.forward_to(value, PointerOrigin::Result(func));
            }
        }
        reader.out
    }
}

struct Reader<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    addresses: Addresses,
    /// The place of a base, by its number.
    places: Vec<Option<PointerOrigin>>,
    /// The list of steps of a pointer, by its number.
    lists: Vec<u32>,
    /// The access at the start of a path.
    paths: SideTable<Inst, Option<u32>>,
    out: Traffic,
}

impl Reader<'_> {
    /// Finds the steps of a pointer, and the place of a base.
    fn place(&mut self, inst: Inst) {
        let Some(address) = self.addresses.get(inst) else { return };
        let data = self.body.inst(inst);
        if address.base != inst {
            // A pointer has at most one term more than the one it is derived from.
            let Some(&from) = data.args.first() else { return };
            let before = self.addresses.get(from).map_or(0, |from| from.terms.len());
            let more = address.terms.iter().skip(before).map(|term| (term.stride, term.range));
            let list = self.out.steps.with_terms(self.list(from), more);
            if let Some(slot) = self.addresses.number(inst).and_then(|number| self.lists.get_mut(number)) {
                *slot = list;
            }
            return;
        }
        let own = PointerOrigin::Value(inst);
        let from = data.args.first().and_then(|&from| self.spot(from));
        let found = match (data.op, from) {
            (Op::Ptr(PtrOp::Var) | Op::Basic(BasicOp::Global), _) => match self.addresses.root(inst) {
                Some(Root::Var(var)) => PointerOrigin::Var(var),
                Some(Root::Value(_)) | None => own,
            },
            // All resources of an array are one place.
            (Op::Ptr(PtrOp::BufferData | PtrOp::HandleIndex), Some(from)) => {
                if (from.offset, from.steps) == (0, 0) {
                    from.place
                } else {
                    self.out.links.push(Link { from, to: own });
                    own
                }
            }
            (Op::Ptr(PtrOp::Offset), Some(from)) => {
                let offset = from.offset.saturating_add(offset_of(data));
                self.out.links.push(Link { from: Spot { offset, ..from }, to: own });
                own
            }
            (Op::Ptr(PtrOp::DynOffset), Some(from)) => {
                let term = |key| data.attrs.get(key).and_then(|number| u32::try_from(number).ok());
                let more = [(term(Key::Stride).unwrap_or(0), term(Key::Range))];
                let steps = self.out.steps.with_terms(from.steps, more.into_iter());
                self.out.links.push(Link { from: Spot { steps, ..from }, to: own });
                own
            }
            _ => own,
        };
        if let Some(slot) = self.addresses.number(inst).and_then(|number| self.places.get_mut(number)) {
            *slot = Some(found);
        }
    }

    fn list(&self, pointer: Inst) -> u32 {
        self.addresses.number(pointer).and_then(|number| self.lists.get(number)).copied().unwrap_or(0)
    }

    /// The target of a pointer; `None` for a value that is not a pointer.
    fn spot(&self, pointer: Inst) -> Option<Spot> {
        // All pointers that are part of the function have an address.
        let address = self.addresses.get(pointer)?;
        let steps = self.list(pointer);
        let number = self.addresses.number(address.base);
        let place = number.and_then(|number| self.places.get(number).copied().flatten());
        let place = place.unwrap_or(PointerOrigin::Value(address.base));
        Some(Spot { place, offset: address.offset, steps })
    }

    /// Records an access through a pointer at a distance of `more` bytes; ignores a value that is not a
    /// pointer.
    fn access(&mut self, inst: Inst, pointer: Inst, more: i64, cell: Cell, how: How) {
        if let Some(spot) = self.spot(pointer) {
            let at = Spot { offset: spot.offset.saturating_add(more), ..spot };
            self.out.accesses.push(Access { inst, at, cell, how });
        }
    }

    /// Records that a pointer escapes; and the kind of access of a path.
    fn lost(&mut self, inst: Inst, value: Inst) {
        self.access(inst, value, 0, Cell::Anywhere, How::BOTH);
        self.through(value, How::BOTH);
    }

    /// Records an access through a path, if it starts at an untyped pointer.
    fn through(&mut self, path: Inst, how: How) {
        if let Some(access) = self.paths[path].and_then(|at| self.out.accesses.get_mut(at as usize)) {
            access.how = access.how.and(how);
        }
    }

    /// Records that a value is passed to another place.
    fn forward_to(&mut self, value: Inst, to: PointerOrigin) {
        match self.spot(value) {
            Some(from) => self.out.links.push(Link { from, to }),
            None => self.through(value, How::BOTH),
        }
    }

    fn inst(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        match (data.op, &data.args[..]) {
            // Addresses do not enter arithmetic.
            (Op::Float(_) | Op::Int(_) | Op::Convert(_) | Op::Vector(_), _) => {}
            (Op::Memory(op), args) => self.memory(inst, data, op, args),
            (Op::Ptr(PtrOp::Handle), &[at]) => self.access(inst, at, 0, Cell::Value(data.ty), How::READ),
            // Operations on the address alone.
            (Op::Ptr(op), args) => {
                if op == PtrOp::ToBits {
                    args.iter().for_each(|&arg| self.lost(inst, arg));
                }
            }
            (Op::Deref(DerefOp::Cast), &[at]) if self.body.ty(at) == ValueType::Ptr => {
                let cell = data.entity::<Type>(Key::Type).map_or(Cell::Anywhere, Cell::Typed);
                self.access(inst, at, 0, cell, How::NONE);
                self.paths[inst] =
                    u32::try_from(self.out.accesses.len()).ok().and_then(|len| len.checked_sub(1));
            }
            (Op::Deref(_) | Op::Basic(BasicOp::Copy), &[base, ..]) => self.paths[inst] = self.paths[base],
            (Op::Basic(BasicOp::Choose), &[_, a, b]) => {
                self.forward_to(a, PointerOrigin::Value(inst));
                self.forward_to(b, PointerOrigin::Value(inst));
            }
            (Op::Basic(BasicOp::Call), args) => self.call(inst, data, args),
            (_, args) => args.iter().for_each(|&arg| self.lost(inst, arg)),
        }
    }

    fn memory(&mut self, inst: Inst, data: &InstData, op: MemoryOp, args: &[Inst]) {
        let more = offset_of(data);
        let reads = Cell::Value(data.ty);
        match (op, args) {
            (MemoryOp::Load, &[at]) => {
                self.access(inst, at, more, reads, How::READ);
                self.through(at, How::READ);
            }
            (MemoryOp::AtomicLoad, &[at]) => {
                self.access(inst, at, more, reads, How::READ.and(How::ATOMIC));
                self.through(at, How::READ);
            }
            (MemoryOp::Store, &[at, value]) => {
                for (component, ty) in written(self.body.ty(value), data.attrs.get(Key::Mask)) {
                    self.access(inst, at, more.saturating_add(component), Cell::Value(ty), How::WRITE);
                }
                self.through(at, How::WRITE);
                self.lost(inst, value);
            }
            (MemoryOp::AtomicStore, &[at, value]) => {
                let cell = Cell::Value(self.body.ty(value));
                self.access(inst, at, more, cell, How::WRITE.and(How::ATOMIC));
                self.through(at, How::WRITE);
            }
            (MemoryOp::Atomic | MemoryOp::AtomicCas, &[at, ..]) => {
                self.access(inst, at, more, reads, How::BOTH.and(How::ATOMIC));
                self.through(at, How::BOTH);
            }
            (MemoryOp::CopyVar, &[to, from]) => {
                // The number of copied bytes is known only for a path.
                for (at, how) in [(to, How::WRITE), (from, How::READ)] {
                    self.access(inst, at, more, Cell::Bytes(None), how);
                    self.through(at, how);
                }
            }
            (MemoryOp::CopyBytes, &[to, from, size]) => {
                let size = self.body.const_of(size).map(|bits| self.module.bits_of(bits).component(0).bits());
                let size = size.and_then(|size| u32::try_from(size).ok());
                for (at, how) in [(to, How::WRITE), (from, How::READ)] {
                    self.access(inst, at, more, Cell::Bytes(size), how);
                    self.through(at, how);
                }
            }
            (MemoryOp::ArrayLen, _) => {}
            (_, args) => args.iter().for_each(|&arg| self.lost(inst, arg)),
        }
    }

    fn call(&mut self, inst: Inst, data: &InstData, args: &[Inst]) {
        let callee = data.entity::<Func>(Key::Func);
        let callee = callee.filter(|&func| {
            self.module
                .func(func)
                .is_some_and(|body| body.entry().is_some() && body.params().len() == args.len())
        });
        let Some(callee) = callee else {
            args.iter().for_each(|&arg| self.lost(inst, arg));
            return;
        };
        for (number, &arg) in (0u32..).zip(args) {
            self.forward_to(arg, PointerOrigin::Param(callee, number));
        }
        if data.ty == ValueType::Ptr {
            let from = Spot { place: PointerOrigin::Result(callee), offset: 0, steps: 0 };
            self.out.links.push(Link { from, to: PointerOrigin::Value(inst) });
        }
    }
}

/// The contiguous components that a store writes: the distance of each group from the first component, and
/// its type.
fn written(ty: ValueType, mask: Option<u64>) -> Vec<(i64, ValueType)> {
    let (Some(width), Some(mask)) = (ty.width(), mask) else { return vec![(0, ty)] };
    let bytes = vitrine_ir::layout::scalar_bytes(width) as i64;
    let mut runs = Vec::new();
    let mut component = 0;
    while component < ty.components() {
        let len =
            (component..ty.components()).take_while(|component| mask >> component & 1 == 1).count() as u8;
        // The largest type that fits.
        match COMPONENT_COUNTS.iter().rev().find(|&&count| count <= len) {
            Some(&count) => {
                runs.push((i64::from(component) * bytes, ty.with_components(count)));
                component += count;
            }
            None => component += 1,
        }
    }
    runs
}
