//! Emits typed paths for untyped addresses, in one function.
//!
//! A path is emitted before its user, step by step from the start of its address; steps that the block already
//! contains are reused. Pointers without other uses are erased at the end.

use crate::util::route::{Hop, Index, Linear, Route, Want, natural_stride, route, stepped};
use rustc_hash::FxHashMap;
use vitrine_analysis::{Addresses, Cfg, gcd};
use vitrine_ir::base::EntityId;
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{
    BasicOp, Bits, ConvertOp, DerefOp, IntOp, Key, MemoryOp, Op, PtrOp, Scalar, ValueType, Width,
};
use vitrine_ir::{
    Block, BlockRewriter, Func, InsertPoint, Inst, InstData, Mode, Module, PathType, Reason, Refusal, Type,
    TypeData, Var,
};

pub(super) const WHY: Reason = Reason::Note("the layout of the type gives the offset");

/// A typed path, and its pointee.
pub(super) type Typed = (Inst, PathType);

/// An address that does not match any type.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Mismatch {
    /// An address in a variable.
    Var(Var),
    /// An address based on a value with only a declared type; the instruction that uses it.
    Value(Func, Inst),
}

/// The state of one function while its addresses are typed.
pub(super) struct Lifter<'e, 'm, 's> {
    pub(super) ed: &'e mut BlockRewriter<'m>,
    pub(super) sizes: &'s mut Sizes,
    pub(super) addresses: Addresses,
    /// The typed path of the start of an address, by its number.
    starts: Vec<Option<Typed>>,
    /// The control-flow graph of the function, computed on demand.
    cfg: Option<Cfg>,
    /// Steps that the block already contains.
    written: FxHashMap<(Inst, Hop), Inst>,
    consts: FxHashMap<(Width, i64), Inst>,
    /// Numeric constants, which all blocks share.
    bits: FxHashMap<(Width, i64), InstData>,
    /// Pointers to be erased when they are unused, in order.
    unused: Vec<Inst>,
    pub(super) mismatches: Vec<Mismatch>,
}

impl<'e, 'm, 's> Lifter<'e, 'm, 's> {
    pub(super) fn new(
        ed: &'e mut BlockRewriter<'m>,
        sizes: &'s mut Sizes,
        order: &[Block],
    ) -> Lifter<'e, 'm, 's> {
        let addresses = Addresses::along(ed.module(), ed.func(), order);
        let starts = vec![None; addresses.len()];
        Lifter {
            ed,
            sizes,
            addresses,
            starts,
            cfg: None,
            written: FxHashMap::default(),
            consts: FxHashMap::default(),
            bits: FxHashMap::default(),
            unused: Vec::new(),
            mismatches: Vec::new(),
        }
    }

    pub(super) fn module(&self) -> &Module {
        self.ed.module()
    }

    /// Starts a new block: the steps of another block may not be visible here.
    pub(super) fn enter(&mut self, block: Block) {
        self.ed.enter(block);
        self.written.clear();
        self.consts.clear();
    }

    /// Returns true if a value is or was an untyped pointer. The texels of images have only their own type.
    pub(super) fn is_ptr(&self, value: Inst) -> bool {
        // Most values are not pointers.
        self.addresses.number(value).is_some()
            && (self.start_of(value).is_some() || self.ed.func().inst(value).op != Op::Ptr(PtrOp::Texel))
    }

    /// The typed path of the start of an address.
    fn start_of(&self, address: Inst) -> Option<Typed> {
        self.starts.get(self.addresses.number(address)?).copied().flatten()
    }

    fn set_start(&mut self, address: Inst, at: Option<Typed>) {
        if let Some(slot) = self.addresses.number(address).and_then(|number| self.starts.get_mut(number)) {
            *slot = at;
        }
    }

    /// The pointee of an address according to its attributes.
    fn declared_pointee(data: &InstData) -> Option<PathType> {
        let ty = data.entity::<Type>(Key::Type)?;
        Some(PathType { ty, mode: data.attrs.word()? })
    }

    /// A parameter becomes a path to its declared type.
    pub(super) fn param(&mut self, param: Inst) -> Result<(), Refusal> {
        if !self.is_ptr(param) {
            return Ok(());
        }
        let mut data = self.ed.func().inst(param).clone();
        data.attrs = data.attrs.without(Key::Usage);
        self.start(param, InstData { ty: ValueType::Path, ..data })
    }

    /// A start of addresses, in its form as a path.
    fn start(&mut self, inst: Inst, data: InstData) -> Result<(), Refusal> {
        let Some(at) = Self::declared_pointee(&data) else {
            self.mismatches.push(Mismatch::Value(self.ed.id(), inst));
            return Ok(());
        };
        self.ed.readdress(inst, data, WHY)?;
        self.set_start(inst, Some((inst, at)));
        Ok(())
    }

    /// Rewrites an instruction that creates an untyped pointer.
    pub(super) fn pointer(&mut self, inst: Inst) -> Result<(), Refusal> {
        let data = self.ed.func().inst(inst).clone();
        match data.op {
            Op::Ptr(PtrOp::Var) => {
                let Some(var) = data.entity::<Var>(Key::Var) else { return Ok(()) };
                let Some(at) = self.module().var(var).map(|var| PathType { ty: var.ty, mode: var.mode })
                else {
                    return Ok(());
                };
                let new =
                    InstData::new(DerefOp::Var, ValueType::Path, &[]).with(Key::Var, var.index() as u64);
                self.ed.readdress(inst, new, WHY)?;
                self.set_start(inst, Some((inst, at)));
                Ok(())
            }
            Op::Ptr(PtrOp::Path) => {
                self.mark_unused(inst);
                let path = data.args.first().copied();
                let at = path.and_then(|path| self.module().path_type(self.ed.func(), path));
                self.set_start(inst, path.zip(at));
                Ok(())
            }
            Op::Ptr(PtrOp::BufferData) => {
                self.mark_unused(inst);
                let typed = match data.args.first() {
                    Some(&buffer) => self.path(inst, InsertPoint::Before(inst), buffer, 0, Want::Any)?,
                    None => None,
                };
                self.set_start(inst, typed.map(|(path, ty, _)| (path, ty)));
                Ok(())
            }
            Op::Ptr(PtrOp::HandleIndex) => {
                let [array, index] = data.args[..] else { return Ok(()) };
                let Some((path, at, _)) = self.path(inst, InsertPoint::Before(inst), array, 0, Want::Any)?
                else {
                    return Ok(());
                };
                let Some(ty) = self.module().element_type(at.ty) else { return self.mismatch(inst, array) };
                let new = InstData::new(DerefOp::Elem, ValueType::Path, &[path, index]);
                self.ed.readdress(inst, new, WHY)?;
                self.set_start(inst, Some((inst, PathType { ty, ..at })));
                Ok(())
            }
            Op::Ptr(PtrOp::Offset | PtrOp::DynOffset) | Op::Basic(BasicOp::Copy) => {
                self.mark_unused(inst);
                Ok(())
            }
            Op::Ptr(PtrOp::FromBits) => {
                let attrs = data.attrs.without(Key::Usage);
                let new = InstData { op: DerefOp::FromBits.into(), ty: ValueType::Path, attrs, ..data };
                self.start(inst, new)
            }
            Op::Memory(MemoryOp::Load) => self.loaded(inst, data),
            Op::Basic(BasicOp::Choose) => self.choose(inst, data),
            _ => self.start(inst, InstData { ty: ValueType::Path, ..data }),
        }
    }

    /// Marks a pointer without other uses to be erased.
    fn mark_unused(&mut self, inst: Inst) {
        self.unused.push(inst);
        self.ed.watch(inst);
    }

    fn loaded(&mut self, inst: Inst, data: InstData) -> Result<(), Refusal> {
        let Some(&from) = data.args.first() else { return Ok(()) };
        let bytes = vitrine_analysis::offset_of(&data);
        let before = InsertPoint::Before(inst);
        let mut found = self.try_path(before, from, bytes, Want::Value(ValueType::Path))?;
        if let (None, Some(declared_pointee)) = (found, Self::declared_pointee(&data)) {
            let pointer =
                self.ed.full_type(TypeData::Pointer { mode: declared_pointee.mode, to: declared_pointee.ty });
            found = self.try_path(before, from, bytes, Want::Type(pointer))?;
        }
        let Some((path, at, _)) = found else { return self.mismatch(inst, from) };
        let TypeData::Pointer { mode, to } = *self.module().type_of(at.ty) else {
            return self.mismatch(inst, from);
        };
        let attrs = data.attrs.without(Key::Offset).without(Key::Type).without(Key::Mode).without(Key::Usage);
        let new = InstData { ty: ValueType::Path, args: vitrine_ir::Args::new(&[path]), attrs, ..data };
        self.ed.readdress(inst, new, WHY)?;
        self.set_start(inst, Some((inst, PathType { ty: to, mode })));
        Ok(())
    }

    fn choose(&mut self, inst: Inst, data: InstData) -> Result<(), Refusal> {
        let (Some(at), &[cond, a, b]) = (Self::declared_pointee(&data), &data.args[..]) else {
            return self.mismatch(inst, inst);
        };
        let mut args = vec![cond];
        let before = InsertPoint::Before(inst);
        for side in [a, b] {
            let Some((path, found, _)) = self.path(inst, before, side, 0, Want::Type(at.ty))? else {
                return Ok(());
            };
            args.push(self.in_mode(before, (path, found), at.mode)?);
        }
        self.start(inst, InstData { ty: ValueType::Path, args: vitrine_ir::Args::new(&args), ..data })
    }

    /// A path as one of another mode, for a use that declares the mode of its pointer.
    pub(super) fn in_mode(
        &mut self,
        at: InsertPoint,
        (path, from): Typed,
        mode: Mode,
    ) -> Result<Inst, Refusal> {
        if from.mode == mode { Ok(path) } else { self.cast_to(at, path, PathType { mode, ..from }) }
    }

    pub(super) fn mismatch(&mut self, reader: Inst, pointer: Inst) -> Result<(), Refusal> {
        self.mismatches.push(match self.addresses.root(pointer) {
            Some(vitrine_analysis::Root::Var(var)) => Mismatch::Var(var),
            _ => Mismatch::Value(self.ed.id(), reader),
        });
        Ok(())
    }

    /// A path to the place at a byte offset from a pointer, and the vector component at which it starts. None,
    /// and a recorded mismatch, if no type matches.
    pub(super) fn path(
        &mut self,
        reader: Inst,
        at: InsertPoint,
        pointer: Inst,
        bytes: i64,
        want: Want,
    ) -> Result<Option<(Inst, PathType, u8)>, Refusal> {
        let found = self.try_path(at, pointer, bytes, want)?;
        if found.is_none() {
            self.mismatch(reader, pointer)?;
        }
        Ok(found)
    }

    /// The same, without recording a mismatch.
    pub(super) fn try_path(
        &mut self,
        at: InsertPoint,
        pointer: Inst,
        bytes: i64,
        want: Want,
    ) -> Result<Option<(Inst, PathType, u8)>, Refusal> {
        let Some((start, from, mut route)) = self.route_of(pointer, bytes, want) else {
            return self.view(at, pointer, bytes, want);
        };
        // A step over the pointee: its stride is part of the type of the pointer.
        if let Some(Hop::Step(_, stride @ 0)) = route.hops.first_mut()
            && self.has_strides(from.mode)
        {
            let natural = natural_stride(self.ed.module(), self.sizes, from.ty);
            *stride = u32::try_from(natural).unwrap_or(0);
        }
        let path = self.write(at, start, route.hops)?;
        Ok(Some((path, PathType { ty: route.ty, ..from }, route.component)))
    }

    /// A place in memory that may be accessed with any type: steps with a stride that divides the offset.
    fn view(
        &mut self,
        at: InsertPoint,
        pointer: Inst,
        bytes: i64,
        want: Want,
    ) -> Result<Option<(Inst, PathType, u8)>, Refusal> {
        let Some(address) = self.addresses.get(pointer) else { return Ok(None) };
        let Some((start, from)) = self.start_of(address.base) else { return Ok(None) };
        let ty = match want {
            Want::Value(ValueType::Bits { width, components }) if width != Width::W1 => {
                numbers(self.ed, width, components)
            }
            Want::Type(ty) => ty,
            Want::Value(_) | Want::Rows(_) | Want::Element(_) | Want::Any => return Ok(None),
        };
        let Some(bytes) = address.offset.checked_add(bytes).filter(|_| self.has_no_types(from.mode)) else {
            return Ok(None);
        };
        let mut terms = Vec::new();
        let unit = address.terms.iter().map(|term| u64::from(term.stride)).fold(bytes.unsigned_abs(), gcd);
        // Numbers of at most 8 bytes count the offset.
        let unit: u64 = if unit == 0 { 8 } else { 1 << unit.trailing_zeros().min(3) };
        for term in address.terms {
            terms.push((term.index, term.stride / unit as u32));
        }
        let sum = Linear { terms, plus: bytes / unit.cast_signed() };
        let (mut path, mut there) = (start, from.ty);
        if bytes != 0 || !sum.terms.is_empty() {
            let width = [Width::W8, Width::W16, Width::W32, Width::W64][unit.trailing_zeros() as usize & 3];
            let number = numbers(self.ed, width, 1);
            path = self.cast_to(at, path, PathType { ty: number, ..from })?;
            there = number;
            let index = self.sum(at, &sum)?;
            let mut step = InstData::new(DerefOp::Step, ValueType::Path, &[path, index]);
            if self.has_strides(from.mode) {
                step = step.with(Key::Stride, unit);
            }
            path = self.ed.insert(at, step, WHY)?;
        }
        let seen = PathType { ty, ..from };
        if ty != there {
            path = self.cast_to(at, path, seen)?;
        }
        Ok(Some((path, seen, 0)))
    }

    pub(super) fn cast_to(&mut self, at: InsertPoint, path: Inst, to: PathType) -> Result<Inst, Refusal> {
        let data = InstData::new(DerefOp::Cast, ValueType::Path, &[path])
            .with(Key::Type, to.ty.index() as u64)
            .with_word(to.mode);
        self.ed.insert(at, data, WHY)
    }

    /// The route from the start of a pointer's address, not emitted yet.
    pub(super) fn route_of(
        &mut self,
        pointer: Inst,
        bytes: i64,
        want: Want,
    ) -> Option<(Inst, PathType, Route)> {
        let address = self.addresses.get(pointer)?;
        let (start, from) = self.start_of(address.base)?;
        let bytes = address.offset.checked_add(bytes)?;
        let (module, sizes, terms) = (self.ed.module(), &mut *self.sizes, address.terms);
        let found = route(module, sizes, from.ty, bytes, terms, want).or_else(|| {
            // A variable is one object; a pointer value may point to one of many.
            let is_one = matches!(self.ed.func().inst(start).op, Op::Deref(DerefOp::Var | DerefOp::Elem));
            if is_one { None } else { stepped(module, sizes, from.ty, bytes, terms, want) }
        })?;
        Some((start, from, found))
    }

    /// Emits the steps of a path.
    pub(super) fn write(&mut self, at: InsertPoint, start: Inst, hops: Vec<Hop>) -> Result<Inst, Refusal> {
        let mut path = start;
        for hop in hops {
            let step = (path, hop);
            if let Some(&known) = self.written.get(&step) {
                path = known;
                continue;
            }
            let new = match &step.1 {
                Hop::Field(member) => InstData::new(DerefOp::Field, ValueType::Path, &[path])
                    .with(Key::Field, u64::from(*member)),
                Hop::Elem(index) => {
                    let index = self.index(at, index)?;
                    InstData::new(DerefOp::Elem, ValueType::Path, &[path, index])
                }
                Hop::Step(index, stride) => {
                    let index = self.index(at, index)?;
                    let step = InstData::new(DerefOp::Step, ValueType::Path, &[path, index]);
                    if *stride > 0 { step.with(Key::Stride, u64::from(*stride)) } else { step }
                }
            };
            let next = self.ed.insert(at, new, WHY)?;
            self.written.insert(step, next);
            path = next;
        }
        Ok(path)
    }

    fn index(&mut self, at: InsertPoint, index: &Index) -> Result<Inst, Refusal> {
        let (sum, steps): (&Linear, Vec<(IntOp, u32)>) = match index {
            Index::Is(sum) => (sum, Vec::new()),
            Index::Over(sum, by) => (sum, vec![(IntOp::UDiv, *by)]),
            Index::Rest(sum, within, by) => (sum, vec![(IntOp::UMod, *within), (IntOp::UDiv, *by)]),
        };
        let mut value = self.sum(at, sum)?;
        for (op, by) in steps.into_iter().filter(|&(op, by)| by > 1 || op == IntOp::UMod) {
            let by = self.number(at, self.width(value), i64::from(by))?;
            value = self.binary(at, op, value, by)?;
        }
        Ok(value)
    }

    fn width(&self, value: Inst) -> Width {
        self.ed.func().ty(value).width().unwrap_or(Width::W32)
    }

    fn sum(&mut self, at: InsertPoint, sum: &Linear) -> Result<Inst, Refusal> {
        let width = sum.terms.iter().map(|&(value, _)| self.width(value)).max().unwrap_or(Width::W32);
        let mut total = None;
        for &(value, times) in &sum.terms {
            let mut part = value;
            if self.width(value) != width {
                let wide = InstData::new(ConvertOp::I2I, ValueType::bits(width, 1), &[value]);
                part = self.ed.insert(at, wide, WHY)?;
            }
            if times != 1 {
                let times = self.number(at, width, i64::from(times))?;
                part = self.binary(at, IntOp::IMul, part, times)?;
            }
            total = Some(match total {
                None => part,
                Some(so_far) => self.binary(at, IntOp::IAdd, so_far, part)?,
            });
        }
        match (total, sum.plus) {
            (Some(total), 0) => Ok(total),
            (Some(total), plus) => {
                let plus = self.number(at, width, plus)?;
                self.binary(at, IntOp::IAdd, total, plus)
            }
            (None, plus) => self.number(at, width, plus),
        }
    }

    fn binary(&mut self, at: InsertPoint, op: IntOp, a: Inst, b: Inst) -> Result<Inst, Refusal> {
        let ty = self.ed.func().ty(a);
        self.ed.insert(at, InstData::new(op, ty, &[a, b]), WHY)
    }

    fn number(&mut self, at: InsertPoint, width: Width, value: i64) -> Result<Inst, Refusal> {
        if let Some(&known) = self.consts.get(&(width, value)) {
            return Ok(known);
        }
        let Lifter { ed, bits, .. } = self;
        let data = bits
            .entry((width, value))
            .or_insert_with(|| ed.const_bits(Bits::scalar(Scalar::i(width, value))))
            .clone();
        let made = self.ed.insert(at, data, WHY)?;
        self.consts.insert((width, value), made);
        Ok(made)
    }

    /// Rewrites the arguments that a block's terminator passes to parameters that are paths.
    pub(super) fn terminator(&mut self, block: Block) -> Result<(), Refusal> {
        let mut reads = false;
        self.ed.func().terminator(block).for_each_use(|value| reads |= self.is_ptr(value));
        if !reads {
            return Ok(());
        }
        let cfg = self.cfg.take().unwrap_or_else(|| Cfg::of(self.ed.func()));
        let mut done = Vec::new();
        for edge in cfg.out_edges(block) {
            let args = cfg.args(self.ed.func(), edge).to_vec();
            if !args.iter().any(|&arg| self.is_ptr(arg)) {
                continue;
            }
            let data = cfg.edge(edge);
            let slot = if self.ed.func().terminator(block).is_tree_only() { 0 } else { data.slot };
            if done.contains(&slot) {
                continue;
            }
            let params = self.ed.func().block(data.to).params.clone();
            let mut new = args.clone();
            for (at, (&arg, &param)) in args.iter().zip(params.iter()).enumerate() {
                if !self.is_ptr(arg) {
                    continue;
                }
                let declared = self.start_of(param).map(|(_, at)| at);
                let want = declared.map_or(Want::Any, |at| Want::Type(at.ty));
                let end = InsertPoint::End(block);
                if let Some((path, found, _)) = self.path(arg, end, arg, 0, want)?
                    && let Some(at) = new.get_mut(at)
                {
                    *at = self.in_mode(end, (path, found), declared.map_or(found.mode, |at| at.mode))?;
                }
            }
            self.ed.set_edge_args(vitrine_ir::Incoming { from: block, edge: slot }, &new, WHY)?;
            done.push(slot);
        }
        self.cfg = Some(cfg);
        Ok(())
    }

    /// Erases unused pointers. Returns true if none is left.
    pub(super) fn settle(&mut self) -> Result<bool, Refusal> {
        let mut clean = true;
        while let Some(inst) = self.unused.pop() {
            match self.ed.is_read(inst) {
                false => self.ed.erase(inst, WHY)?,
                true => clean = false,
            }
        }
        Ok(clean)
    }
}

impl Lifter<'_, '_, '_> {
    /// Returns true if pointers of a mode have a stride in SPIR-V: in shaders, where memory has an explicit layout.
    fn has_strides(&self, mode: Mode) -> bool {
        let has_layout = matches!(mode, Mode::Storage | Mode::Uniform | Mode::Push | Mode::Physical);
        has_layout && !self.module().declares("Kernel")
    }

    /// Returns true if memory of a mode may be accessed with any type: at physical addresses, and with a layout of bytes
    /// in a module of untyped pointers.
    fn has_no_types(&self, mode: Mode) -> bool {
        match mode {
            Mode::Physical | Mode::Generic => true,
            Mode::Storage | Mode::Uniform | Mode::Push => self.module().declares("UntypedPointersKHR"),
            Mode::Shared => {
                self.module().declares("UntypedPointersKHR")
                    && self.module().declares("WorkgroupMemoryExplicitLayoutKHR")
            }
            Mode::In
            | Mode::Out
            | Mode::Private
            | Mode::Local
            | Mode::Handle
            | Mode::Payload
            | Mode::Callable => false,
        }
    }
}

/// Unsigned numbers, consecutive in memory.
fn numbers(ed: &mut BlockRewriter<'_>, width: Width, components: u8) -> Type {
    let of = ed.full_type(TypeData::Int { width, signed: false });
    if components == 1 { of } else { ed.full_type(TypeData::Vector { of, components }) }
}
