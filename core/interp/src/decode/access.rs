//! Addresses, memory and registers: offsets and strides are resolved, so that the machine only adds.

use super::func::{FuncDecoder, Spot};
use super::too_much;
use crate::consts::{entity, pieces};
use crate::micro_op::{Arg, CopyPlan, LocalCode, NONE, Opcode, Slot};
use vitrine_ir::layout::{HANDLE_BYTES, Lengths, scalar_bytes};
use vitrine_ir::ops::{AtomicOp, DerefOp, Key, MemoryOp, Op, PtrOp, RegOp, ValueType, Width};
use vitrine_ir::{Anchor, Diag, Inst, Mode, Reg, Type, TypeData, Var};

/// Maximum number of ranges of a copy between different layouts.
const MOST_RUNS: usize = 1 << 20;

/// A place in a copy: type, byte offset, step of a row-major column.
type Spread = (Type, u64, u64);

impl FuncDecoder<'_, '_> {
    pub(super) fn deref(&mut self, op: DerefOp, inst: Inst) -> Result<(), Diag> {
        self.step(inst);
        let data = self.body.inst(inst);
        match op {
            DerefOp::Var => {
                let var: Option<Var> = data.entity(Key::Var);
                return self.variable(inst, var);
            }
            DerefOp::Field => {
                let offset = self.field(inst)?;
                let args = self.args(inst);
                self.emit(Opcode::Offset(offset), inst, &args);
            }
            DerefOp::Elem => return self.element(inst),
            DerefOp::All => {
                // Only copies use it, and they resolve wildcards themselves.
                if let Some(spot) = data.args.first().and_then(|&base| self.spots[base]) {
                    self.set_step(inst, self.column_step(spot.ty));
                }
                let vregs = self.vregs_of(data.args[0]);
                self.moves(inst, &vregs);
            }
            DerefOp::Step => {
                let spot = self.spot(inst, data.args[0])?;
                let stated = data.attrs.get(Key::Stride).filter(|&stride| stride > 0);
                let stride = stated.unwrap_or_else(|| self.array_stride(spot.ty));
                let args = self.args(inst);
                let stride = self.small(inst, stride)?;
                self.emit(Opcode::Elem { stride, count: NONE }, inst, &args);
            }
            DerefOp::Cast => {
                let vregs = self.vregs_of(data.args[0]);
                self.moves(inst, &vregs);
            }
            DerefOp::FromBits => {
                let args = self.args(inst);
                self.emit(Opcode::FromBits, inst, &args);
            }
        }
        Ok(())
    }

    /// The stride of an array of the type that has no explicit stride.
    fn array_stride(&mut self, ty: Type) -> u64 {
        let extent = self.cx.program.sizes.of(self.cx.module, &self.cx.program.values, ty);
        extent.bytes.next_multiple_of(extent.align.max(1))
    }

    fn small(&self, inst: Inst, number: u64) -> Result<u32, Diag> {
        let small = u32::try_from(number).ok().filter(|&number| number != NONE);
        small.ok_or_else(|| self.cannot(inst, "an offset does not fit 32 bits"))
    }

    fn spot(&self, inst: Inst, path: Inst) -> Result<Spot, Diag> {
        self.spots[path].ok_or_else(|| self.cannot(inst, "the target of the path is not known"))
    }

    fn set_step(&mut self, inst: Inst, step: u32) {
        if let Some(spot) = self.spots[inst].as_mut() {
            spot.step = step;
        }
    }

    /// Bytes between the components of a column, if columns of the type are not contiguous.
    fn column_step(&self, ty: Type) -> u32 {
        match *self.cx.module.type_of(ty) {
            TypeData::Matrix { row_major: true, stride, .. } => stride,
            _ => 0,
        }
    }

    fn variable(&mut self, inst: Inst, var: Option<Var>) -> Result<(), Diag> {
        let module = self.cx.module;
        let Some((var, data)) = var.and_then(|var| Some((var, module.var(var)?))) else {
            return Err(self.cannot(inst, "the variable does not exist"));
        };
        if data.owner.is_some() || data.mode == Mode::Local {
            let number = self.local(var, data.ty, data.init)?;
            self.emit(Opcode::Local(number), inst, &[]);
            return Ok(());
        }
        let address = self.cx.address(var)?;
        let slot = self.cx.constant(&[address])?;
        let vreg = Arg { slot, width: Width::W64, parts: 1 };
        self.moves(inst, &[vreg]);
        Ok(())
    }

    fn local(&mut self, var: Var, ty: Type, init: Option<vitrine_ir::Operand>) -> Result<u32, Diag> {
        if let Some(number) = self.locals[var] {
            return Ok(number);
        }
        let (module, program) = (self.cx.module, &mut self.cx.program);
        let bytes = program.sizes.of(module, &program.values, ty).bytes;
        let init = match init {
            Some(_) if bytes > self.cx.inputs.limits.memory_bytes => Vec::new(),
            Some(init) => pieces(module, &program.values, &mut program.sizes, ty, init)
                .ok_or_else(|| too_much(Anchor::Var(var), "the initializer has more parts than bytes"))?,
            None => Vec::new(),
        };
        for piece in &init {
            if let crate::consts::Piece::Address { var, .. } = *piece {
                self.cx.address(var)?;
            }
        }
        let number = self.code.locals.len() as u32;
        self.locals[var] = Some(number);
        self.code.locals.push(LocalCode { var, bytes, init });
        Ok(number)
    }

    fn field(&mut self, inst: Inst) -> Result<i64, Diag> {
        let data = self.body.inst(inst);
        let spot = self.spot(inst, data.args[0])?;
        let TypeData::Struct(structure) = *self.cx.module.type_of(spot.ty) else {
            return Err(self.cannot(inst, "the path does not refer to a structure"));
        };
        let program = &mut self.cx.program;
        let offsets = program.sizes.offsets(self.cx.module, &program.values, structure);
        let at = data.attrs.get(Key::Field).and_then(|at| usize::try_from(at).ok());
        let offset = at.and_then(|at| offsets.get(at)).copied();
        let offset = offset.and_then(|offset| i64::try_from(offset).ok());
        offset.ok_or_else(|| self.cannot(inst, "the member does not exist"))
    }

    fn element(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let spot = self.spot(inst, data.args[0])?;
        let module = self.cx.module;
        let args = self.args(inst);
        let count = match *module.type_of(spot.ty) {
            TypeData::Array { len, .. } => u32::try_from(self.cx.program.values.of(len)).unwrap_or(NONE),
            TypeData::RuntimeArray { .. } => NONE,
            TypeData::Vector { components, .. } => u32::from(components),
            TypeData::Matrix { columns, .. } => u32::from(columns),
            _ => return Err(self.cannot(inst, "the path does not refer to a type with elements")),
        };
        if self.cx.is_buffer_array(spot.mode, spot.ty) {
            let mut inner = module.element_type(spot.ty);
            let mut stride = 1u64;
            while let Some(ty) = inner {
                let TypeData::Array { of, len, .. } = *module.type_of(ty) else { break };
                stride = stride.saturating_mul(self.cx.program.values.of(len));
                inner = Some(of);
            }
            let stride = self.small(inst, stride)?;
            self.emit(Opcode::Buffer { stride, count }, inst, &args);
            return Ok(());
        }
        let program = &mut self.cx.program;
        let stride = match (module.type_of(spot.ty), spot.step) {
            (TypeData::Vector { .. }, step) if step > 0 => u64::from(step),
            _ => program.sizes.stride(module, &program.values, spot.ty),
        };
        let stride = self.small(inst, stride)?;
        let step = self.column_step(spot.ty);
        self.set_step(inst, step);
        self.emit(Opcode::Elem { stride, count }, inst, &args);
        Ok(())
    }

    pub(super) fn memory(&mut self, op: MemoryOp, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let mut args = self.args(inst);
        let address = data.args.first().copied();
        // Accesses through untyped pointers have a constant distance.
        let extra = data.attrs.get(Key::Offset).map_or(0, |offset| i64::from(offset as u32 as i32));
        if extra != 0
            && let Some(base) = args.first_mut()
        {
            let there = self.temporary()?;
            self.push(Opcode::Offset(extra), Some(inst), there, 1, Width::W64, &[*base]);
            base.slot = there;
        }
        let value = match op {
            MemoryOp::Load | MemoryOp::AtomicLoad | MemoryOp::Atomic | MemoryOp::AtomicCas => data.ty,
            MemoryOp::Store | MemoryOp::AtomicStore => {
                data.args.get(1).map_or(ValueType::Void, |&v| self.body.ty(v))
            }
            MemoryOp::CopyVar | MemoryOp::CopyBytes | MemoryOp::ArrayLen => ValueType::Void,
        };
        let bytes = scalar_bytes(value.width().unwrap_or(Width::W64)) as u8;
        let step = match address.and_then(|address| self.spots[address]).map_or(0, |spot| spot.step) {
            0 => u32::from(bytes),
            step => step,
        };
        let what = match op {
            MemoryOp::Load | MemoryOp::AtomicLoad => {
                self.step(inst);
                Opcode::Load { bytes, step }
            }
            MemoryOp::Store | MemoryOp::AtomicStore => {
                let mask = data.attrs.get(Key::Mask).unwrap_or(0xffff) as u16;
                Opcode::Store { bytes, step, mask }
            }
            MemoryOp::CopyVar => {
                let plan = self.copy_plan(inst)?;
                self.code.copies.push(plan);
                Opcode::Copy((self.code.copies.len() - 1) as u32)
            }
            MemoryOp::CopyBytes => Opcode::CopyBytes,
            MemoryOp::ArrayLen => {
                let spot = self.spot(inst, data.args[0])?;
                let program = &mut self.cx.program;
                let stride = program.sizes.stride(self.cx.module, &program.values, spot.ty);
                Opcode::Count { stride: self.small(inst, stride)?, offset: 0 }
            }
            MemoryOp::Atomic => Opcode::Atomic { bytes, op: data.attrs.word().unwrap_or(AtomicOp::IAdd) },
            MemoryOp::AtomicCas => Opcode::Swap { bytes },
        };
        self.emit(what, inst, &args);
        Ok(())
    }

    /// The ranges of bytes that a copy between two paths moves. Wildcards copy every element, up to the known
    /// length.
    fn copy_plan(&mut self, inst: Inst) -> Result<CopyPlan, Diag> {
        let data = self.body.inst(inst);
        let (to, from) = (data.args[0], data.args[1]);
        let (to_spot, from_spot) = (self.spot(inst, to)?, self.spot(inst, from)?);
        let mut starts: Vec<(u64, u64)> = vec![(0, 0)];
        let (to_wild, from_wild) = (self.wildcards(to), self.wildcards(from));
        if to_wild.len() != from_wild.len() {
            return Err(self.cannot(inst, "source and destination have different numbers of wildcards"));
        }
        for (&(count, to_stride), &(_, from_stride)) in to_wild.iter().zip(&from_wild) {
            if starts.len() as u64 * count > MOST_RUNS as u64 {
                return Err(self.cannot(inst, "the copy has too many parts"));
            }
            let each = |&(to, from): &(u64, u64)| {
                (0..count).map(move |at| (to + at * to_stride, from + at * from_stride))
            };
            starts = starts.iter().flat_map(each).collect();
        }
        let leaves = self.leaves(
            inst,
            (to_spot.ty, 0, u64::from(to_spot.step)),
            (from_spot.ty, 0, u64::from(from_spot.step)),
        )?;
        if leaves.len().saturating_mul(starts.len()) > MOST_RUNS {
            return Err(self.cannot(inst, "the copy has too many parts"));
        }
        let mut plan: CopyPlan = Vec::new();
        for (to_start, from_start) in starts {
            for &(to, from, bytes) in &leaves {
                let (to, from) = (self.small(inst, to_start + to)?, self.small(inst, from_start + from)?);
                match plan.last_mut() {
                    Some(last) if last.0 + last.2 == to && last.1 + last.2 == from => last.2 += bytes,
                    _ => plan.push((to, from, bytes)),
                }
            }
        }
        Ok(plan)
    }

    /// The wildcards of a path: elements and stride, outermost first.
    fn wildcards(&mut self, path: Inst) -> Vec<(u64, u64)> {
        let mut found = Vec::new();
        let mut at = path;
        // Paths are chains in one function; each step refers to an earlier instruction of a valid program.
        for _ in 0..self.body.tables().insts.len() {
            let data = self.body.inst(at);
            let Op::Deref(op) = data.op else { break };
            let Some(&base) = data.args.first() else { break };
            if op == DerefOp::All
                && let Some(spot) = self.spots[base]
            {
                let program = &mut self.cx.program;
                let stride = match spot.step {
                    0 => program.sizes.stride(self.cx.module, &program.values, spot.ty),
                    step => u64::from(step),
                };
                let count = match *self.cx.module.type_of(spot.ty) {
                    TypeData::Array { len, .. } => program.values.of(len),
                    _ => u64::from(self.cx.module.element_count(spot.ty).unwrap_or(0)),
                };
                found.push((count, stride));
            }
            at = base;
        }
        found.reverse();
        found
    }

    /// The leaves common to two types of the same structure, in order: offsets on both sides, and bytes.
    fn leaves(&mut self, inst: Inst, to: Spread, from: Spread) -> Result<Vec<(u64, u64, u32)>, Diag> {
        let module = self.cx.module;
        let mut out: Vec<(u64, u64, u32)> = Vec::new();
        let mut work = vec![(to, from)];
        let mut budget = MOST_RUNS;
        while let Some((to, from)) = work.pop() {
            budget = budget.checked_sub(1).ok_or_else(|| self.cannot(inst, "the copy has too many parts"))?;
            // A type has the same layout on both sides: one range, if it has no padding.
            let program = &mut self.cx.program;
            let extent = program.sizes.of(module, &program.values, to.0);
            if to.0 == from.0 && to.2 == from.2 && to.2 == 0 && extent.is_dense() {
                out.push((to.1, from.1, self.small(inst, extent.bytes)?));
                continue;
            }
            let count = match module.type_of(to.0) {
                TypeData::Struct(structure) => {
                    module.structure(*structure).map_or(0, |data| data.members.len() as u64)
                }
                TypeData::Array { len, .. } => self.cx.program.values.of(*len),
                _ => u64::from(module.element_count(to.0).unwrap_or(0)),
            };
            if count == 0 {
                let program = &mut self.cx.program;
                let bytes = program.sizes.of(module, &program.values, to.0).bytes;
                out.push((to.1, from.1, self.small(inst, bytes)?));
                continue;
            }
            if count > budget as u64 {
                return Err(self.cannot(inst, "the copy has too many parts"));
            }
            for at in (0..count).rev() {
                let (Some(a), Some(b)) = (self.part(to, at), self.part(from, at)) else {
                    return Err(self.cannot(inst, "source and destination have different structures"));
                };
                work.push((a, b));
            }
        }
        Ok(out)
    }

    fn part(&mut self, of: Spread, at: u64) -> Option<Spread> {
        let module = self.cx.module;
        let (ty, offset, step) = of;
        let program = &mut self.cx.program;
        if let TypeData::Struct(structure) = *module.type_of(ty) {
            let index = usize::try_from(at).ok()?;
            let offsets = program.sizes.offsets(module, &program.values, structure);
            let member = module.structure(structure)?.members.get(index)?;
            return Some((member.ty, offset + offsets.get(index)?, 0));
        }
        let inner = module.element_type(ty)?;
        let stride = match step {
            0 => program.sizes.stride(module, &program.values, ty),
            step => step,
        };
        Some((inner, offset.checked_add(stride.checked_mul(at)?)?, u64::from(self.column_step(ty))))
    }

    pub(super) fn pointer(&mut self, op: PtrOp, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let args = self.args(inst);
        let number = |key| data.attrs.get(key).unwrap_or(0) as u32;
        let what = match op {
            PtrOp::Var => return self.variable(inst, entity(data.attrs.get(Key::Var))),
            PtrOp::Path => {
                let vregs = self.vregs_of(data.args[0]);
                self.moves(inst, &vregs);
                return Ok(());
            }
            PtrOp::Offset => Opcode::Offset(i64::from(number(Key::Offset) as i32)),
            PtrOp::DynOffset => {
                let stride = number(Key::Stride);
                let count = data.attrs.get(Key::Range).map(|range| range as u32);
                let count = count.and_then(|range| range.checked_div(stride));
                Opcode::Elem { stride, count: count.unwrap_or(NONE) }
            }
            PtrOp::HandleIndex => {
                let stride = number(Key::Stride).max(1);
                let count = data.attrs.get(Key::Range).map_or(NONE, |count| count as u32);
                match self.is_handle(inst) {
                    true => Opcode::Elem { stride: stride.saturating_mul(HANDLE_BYTES as u32), count },
                    false => Opcode::Buffer { stride, count },
                }
            }
            PtrOp::BufferData => Opcode::Offset(0),
            PtrOp::Handle => Opcode::Load { bytes: 8, step: 8 },
            PtrOp::BufferLen => Opcode::Count { stride: number(Key::Stride), offset: number(Key::Offset) },
            PtrOp::Texel => return self.texel(inst),
            PtrOp::ToBits => Opcode::ToBits,
            PtrOp::FromBits => Opcode::FromBits,
            PtrOp::Eq => Opcode::Same { equal: true },
            PtrOp::Ne => Opcode::Same { equal: false },
            PtrOp::Diff => {
                let spot = self.spots[data.args[0]];
                let stride = match (data.attrs.get(Key::Stride), spot) {
                    (Some(stride), _) => stride,
                    (None, Some(spot)) => self.array_stride(spot.ty),
                    (None, None) => 1,
                };
                Opcode::Distance { stride: self.small(inst, stride)?.max(1) }
            }
        };
        self.emit(what, inst, &args);
        Ok(())
    }

    /// Returns true if an untyped pointer refers to images, samplers and similar resources, not to buffers.
    fn is_handle(&self, pointer: Inst) -> bool {
        let mut at = pointer;
        // Steps refer to earlier instructions in a valid program.
        for _ in 0..self.body.tables().insts.len() {
            let data = self.body.inst(at);
            let var = data.entity::<Var>(Key::Var).and_then(|var| self.cx.module.var(var));
            if let Some(var) = var {
                return var.mode == Mode::Handle;
            }
            match (data.op, data.args.first()) {
                (Op::Ptr(_), Some(&base)) => at = base,
                _ => return data.attrs.word() == Some(Mode::Handle),
            }
        }
        false
    }

    pub(super) fn register(&mut self, op: RegOp, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let args = self.args(inst);
        let reg: Option<Reg> = data.entity(Key::Reg);
        let found = reg.and_then(|reg| Some((self.regs[reg]?, *self.body.reg(reg)?)));
        let Some((slot, reg)) = found else { return Err(self.cannot(inst, "the register does not exist")) };
        let mask = data.attrs.get(Key::Mask).unwrap_or(0xffff) as u16;
        let value = match op {
            RegOp::Load | RegOp::LoadAt => data.ty,
            RegOp::Store => self.body.ty(data.args[0]),
            RegOp::StoreAt => self.body.ty(data.args[1]),
        };
        if value != ValueType::bits(reg.width, reg.components) {
            return Err(self.cannot(inst, "the value has a type other than that of the register"));
        }
        match op {
            RegOp::Load => {
                let vregs: Vec<Arg> = (0..u32::from(reg.components))
                    .map(|part| Arg { slot: slot + part, width: reg.width, parts: 1 })
                    .collect();
                self.moves(inst, &vregs);
            }
            RegOp::Store => self.write_register(Opcode::Keep { mask }, inst, slot, reg.components, &args),
            RegOp::LoadAt => self.emit(Opcode::Pick { from: slot, len: reg.len }, inst, &args),
            RegOp::StoreAt => {
                self.write_register(Opcode::Put { len: reg.len, mask }, inst, slot, reg.components, &args);
            }
        }
        Ok(())
    }

    fn write_register(&mut self, what: Opcode, inst: Inst, slot: Slot, parts: u8, args: &[Arg]) {
        let to = args.last().map_or(Width::W32, |arg| arg.width);
        self.push(what, Some(inst), slot, parts, to, args);
    }
}
