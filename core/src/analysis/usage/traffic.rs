//! What one function does with memory through untyped pointers: its accesses, and where its pointers come from.
//!
//! Places are not joined here: a pointer out of a parameter, a choice or a call is a place of its own, and a [`Link`]
//! says which others it may be. `gather` follows links, across functions.

use super::{Cell, How, Steps};
use crate::analysis::Cfg;
use crate::analysis::address::{Addresses, Root, offset_of};
use crate::base::SideTable;
use crate::ir::{Func, FuncBody, Inst, InstData, Module, Shape, Terminator, Type, Var};
use crate::ops::ty::COMPONENT_COUNTS;
use crate::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, PtrOp, ValueType};

/// Where bytes are counted from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Place {
    /// The first byte of a variable, or of each resource in it.
    Var(Var),
    /// Where a value of the function leads: a parameter, a load, a choice.
    Value(Inst),
    /// Where a parameter of another function leads.
    Param(Func, u32),
    /// Where the pointer leads that a function returns.
    Result(Func),
}

/// A number of bytes from a place, some of them known at run time only.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Spot {
    pub(super) place: Place,
    pub(super) offset: i64,
    /// A list of [`Traffic::steps`].
    pub(super) steps: u32,
}

/// Something done with bytes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Access {
    pub(super) inst: Inst,
    pub(super) at: Spot,
    pub(super) cell: Cell,
    pub(super) how: How,
}

/// What is done where `to` leads is done at `from`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) from: Spot,
    pub(super) to: Place,
}

/// What a function does with memory through untyped pointers, before anybody asks where parameters lead.
#[derive(Clone, Default, Debug)]
pub struct Traffic {
    pub(super) accesses: Vec<Access>,
    pub(super) links: Vec<Link>,
    pub(super) steps: Steps,
}

impl Traffic {
    /// Reads a function, valid or not. Linear.
    pub(super) fn read(module: &Module, func: Func, body: &FuncBody) -> Traffic {
        // In a tree the text has each block behind what dominates it.
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
        // What edges bring may be defined further down.
        let cfg = cfg.or_else(|| with_params.then(|| Cfg::of(body)));
        for &block in &order {
            let data = body.block(block);
            if let Some(cfg) = cfg.as_ref().filter(|_| data.params.iter().any(is_address)) {
                for edge in cfg.in_edges(block) {
                    for (&param, &arg) in data.params.iter().zip(cfg.args(body, edge)) {
                        reader.hands_on(arg, Place::Value(param));
                    }
                }
            }
            if let Terminator::Return(Some(value)) = data.terminator {
                reader.hands_on(value, Place::Result(func));
            }
        }
        reader.out
    }
}

struct Reader<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    addresses: Addresses,
    /// The place that a base stands for, by its number.
    places: Vec<Option<Place>>,
    /// The list of steps of a pointer, by its number.
    lists: Vec<u32>,
    /// The access that a path begins with.
    paths: SideTable<Inst, Option<u32>>,
    out: Traffic,
}

impl Reader<'_> {
    /// Finds the steps of a pointer, and what a base stands for.
    fn place(&mut self, inst: Inst) {
        let Some(address) = self.addresses.get(inst) else { return };
        let data = self.body.inst(inst);
        if address.base != inst {
            // One term more than the pointer it comes from, or none.
            let Some(&from) = data.args.first() else { return };
            let before = self.addresses.get(from).map_or(0, |from| from.terms.len());
            let more = address.terms.iter().skip(before).map(|term| (term.stride, term.range));
            let list = self.out.steps.with_terms(self.list(from), more);
            if let Some(slot) = self.addresses.number(inst).and_then(|number| self.lists.get_mut(number)) {
                *slot = list;
            }
            return;
        }
        let own = Place::Value(inst);
        let from = data.args.first().and_then(|&from| self.spot(from));
        let found = match (data.op, from) {
            (Op::Ptr(PtrOp::Var) | Op::Basic(BasicOp::Global), _) => match self.addresses.root(inst) {
                Some(Root::Var(var)) => Place::Var(var),
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

    /// Where a pointer leads; none for what is no pointer.
    fn spot(&self, pointer: Inst) -> Option<Spot> {
        // All pointers that are part of the function have an address.
        let address = self.addresses.get(pointer)?;
        let steps = self.list(pointer);
        let number = self.addresses.number(address.base);
        let place = number.and_then(|number| self.places.get(number).copied().flatten());
        let place = place.unwrap_or(Place::Value(address.base));
        Some(Spot { place, offset: address.offset, steps })
    }

    /// Notes what is done through a pointer, `more` bytes further on; nothing for what is none.
    fn access(&mut self, inst: Inst, pointer: Inst, more: i64, cell: Cell, how: How) {
        if let Some(spot) = self.spot(pointer) {
            let at = Spot { offset: spot.offset.saturating_add(more), ..spot };
            self.out.accesses.push(Access { inst, at, cell, how });
        }
    }

    /// Notes that a pointer goes where nobody follows; and what a path from a pointer is for.
    fn lost(&mut self, inst: Inst, value: Inst) {
        self.access(inst, value, 0, Cell::Anywhere, How::BOTH);
        self.through(value, How::BOTH);
    }

    /// Notes what is done through a path, if it comes from an untyped pointer.
    fn through(&mut self, path: Inst, how: How) {
        if let Some(access) = self.paths[path].and_then(|at| self.out.accesses.get_mut(at as usize)) {
            access.how = access.how.and(how);
        }
    }

    /// Notes that a value goes on under another name.
    fn hands_on(&mut self, value: Inst, to: Place) {
        match self.spot(value) {
            Some(from) => self.out.links.push(Link { from, to }),
            None => self.through(value, How::BOTH),
        }
    }

    fn inst(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        match (data.op, &data.args[..]) {
            // No address goes into arithmetic.
            (Op::Float(_) | Op::Int(_) | Op::Convert(_) | Op::Vector(_), _) => {}
            (Op::Memory(op), args) => self.memory(inst, data, op, args),
            (Op::Ptr(PtrOp::Handle), &[at]) => self.access(inst, at, 0, Cell::Value(data.ty), How::READ),
            // What is computed of the address alone.
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
                self.hands_on(a, Place::Value(inst));
                self.hands_on(b, Place::Value(inst));
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
                for (lane, ty) in written(self.body.ty(value), data.attrs.get(Key::Mask)) {
                    self.access(inst, at, more.saturating_add(lane), Cell::Value(ty), How::WRITE);
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
                // How much is copied, only a path would say.
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
            self.hands_on(arg, Place::Param(callee, number));
        }
        if data.ty == ValueType::Ptr {
            let from = Spot { place: Place::Result(callee), offset: 0, steps: 0 };
            self.out.links.push(Link { from, to: Place::Value(inst) });
        }
    }
}

/// The runs of lanes that a store writes: bytes from the first lane, and what lies there.
fn written(ty: ValueType, mask: Option<u64>) -> Vec<(i64, ValueType)> {
    let (Some(width), Some(mask)) = (ty.width(), mask) else { return vec![(0, ty)] };
    let bytes = crate::ir::layout::scalar_bytes(width) as i64;
    let mut runs = Vec::new();
    let mut lane = 0;
    while lane < ty.components() {
        let len = (lane..ty.components()).take_while(|lane| mask >> lane & 1 == 1).count() as u8;
        // The largest number of lanes that is a type.
        match COMPONENT_COUNTS.iter().rev().find(|&&count| count <= len) {
            Some(&count) => {
                runs.push((i64::from(lane) * bytes, ty.with_components(count)));
                lane += count;
            }
            None => lane += 1,
        }
    }
    runs
}
