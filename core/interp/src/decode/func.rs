//! Decodes a function: assigns virtual registers to values, then emits block after block in the order of
//! `order`.

use super::order::{Item, Order, order};
use super::{Decoder, cannot, refusal};
use crate::micro_op::{Arg, CONST, Code, MicroOp, NONE, Opcode, Slot};
use std::rc::Rc;
use vitrine_analysis::Cfg;
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::{BasicOp, Key, Op, SignatureError, SpirvOp, ValueType, Width};
use vitrine_ir::{Anchor, Block, Diag, Func, FuncBody, Inst, Mode, Reg, Type, Var};

/// Maximum number of virtual registers of one frame: more than any shader needs.
const MOST_VREGS: u64 = 1 << 20;

/// The target of a path, for decoding: its type, its storage mode, and the distance of its components.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spot {
    pub(super) ty: Type,
    pub(super) mode: Mode,
    /// Bytes between components that are not contiguous (a column of a row-major matrix); otherwise 0.
    pub(super) step: u32,
}

/// The decoder of a function.
pub(super) struct FuncDecoder<'d, 'm> {
    pub(super) cx: &'d mut Decoder<'m>,
    pub(super) func: Func,
    pub(super) body: &'m FuncBody,
    pub(super) cfg: Rc<Cfg>,
    pub(super) order: Order,
    pub(super) code: Code,
    pub(super) spots: SideTable<Inst, Option<Spot>>,
    pub(super) regs: SideTable<Reg, Option<Slot>>,
    pub(super) locals: SideTable<Var, Option<u32>>,
    /// The start of the code of each block, once it is laid out.
    pub(super) starts: SideTable<Block, Option<u32>>,
    /// The position of each latch, and the register that it reads.
    pub(super) latches: Vec<(u32, Slot)>,
    /// Edges with their targets and latches, to be resolved when all code is laid out.
    pub(super) targets: Vec<(Block, Option<u32>)>,
}

/// Decodes one function.
pub(super) fn decode(cx: &mut Decoder<'_>, func: Func) -> Result<Code, Diag> {
    let module = cx.module;
    let Some(body) = module.func(func) else {
        return Err(cannot(Anchor::Func(func), "the function does not exist"));
    };
    if body.entry().is_none() {
        return Err(cannot(Anchor::Func(func), "the function has no body"));
    }
    let cfg = Rc::new(Cfg::of(body));
    if let Some(&block) = cfg.broken().iter().find(|&&block| cfg.is_reachable(block)) {
        return Err(cannot(Anchor::Block(func, block), "the target of the block does not exist"));
    }
    let order = order(body, &cfg);
    let mut decoder = FuncDecoder {
        cx,
        func,
        body,
        order,
        cfg,
        code: Code::default(),
        spots: SideTable::new(),
        regs: SideTable::new(),
        locals: SideTable::new(),
        starts: SideTable::new(),
        latches: Vec::new(),
        targets: Vec::new(),
    };
    decoder.vregs()?;
    decoder.blocks()?;
    decoder.settle();
    Ok(decoder.code)
}

impl FuncDecoder<'_, '_> {
    /// Assigns virtual registers to parameters, registers, latches and values.
    fn vregs(&mut self) -> Result<(), Diag> {
        for &param in self.body.params() {
            self.param(param);
            let parts = self.body.ty(param).components();
            let slot = self.take(param, parts)?;
            self.code.params.push((slot, parts));
        }
        let regs: Vec<(Reg, u64)> = self
            .body
            .regs()
            .map(|(reg, data)| (reg, u64::from(data.components) * u64::from(data.len.max(1))))
            .collect();
        let first = self.code.vregs;
        for (reg, vregs) in regs {
            let slot = self.grow(vregs).ok_or_else(|| self.too_many_vregs())?;
            self.regs[reg] = Some(slot);
        }
        self.code.registers = (self.code.vregs > first).then_some((first, self.code.vregs));
        for _ in 0..self.order.rings() {
            let hidden = self.grow(1).ok_or_else(|| self.too_many_vregs())?;
            self.latches.push((NONE, hidden));
        }
        let items = std::mem::take(&mut self.order.items);
        for item in &items {
            let Item::Block(block) = *item else { continue };
            let data = self.body.block(block);
            for &param in data.params.iter() {
                self.param(param);
            }
            for &inst in data.params.iter().chain(data.insts.iter()) {
                let inst_data = self.body.inst(inst);
                let is_const =
                    matches!(inst_data.op, Op::Basic(BasicOp::Const | BasicOp::Global | BasicOp::Undef));
                let parts = inst_data.ty.components();
                if parts > 0 && !is_const {
                    self.take(inst, parts)?;
                }
            }
        }
        self.order.items = items;
        Ok(())
    }

    fn too_many_vregs(&self) -> Diag {
        super::too_much(
            Anchor::Func(self.func),
            format!("the function needs more than {MOST_VREGS} registers"),
        )
    }

    fn grow(&mut self, vregs: u64) -> Option<Slot> {
        let at = self.code.vregs;
        let end = u64::from(at).saturating_add(vregs);
        (end <= MOST_VREGS).then(|| {
            self.code.vregs = end as u32;
            at
        })
    }

    /// A temporary virtual register.
    pub(super) fn temporary(&mut self) -> Result<Slot, Diag> {
        self.grow(1).ok_or_else(|| self.too_many_vregs())
    }

    fn take(&mut self, inst: Inst, parts: u8) -> Result<Slot, Diag> {
        let slot = self.grow(u64::from(parts)).ok_or_else(|| self.too_many_vregs())?;
        self.code.values[inst] = (slot, parts);
        Ok(slot)
    }

    /// The target of a path parameter, given by its attributes.
    fn param(&mut self, param: Inst) {
        let data = self.body.inst(param);
        if data.ty == ValueType::Path {
            let found = self.cx.module.path_step(self.body, param, |_| None);
            self.spots[param] = found.map(|path| Spot { ty: path.ty, mode: path.mode, step: 0 });
        }
    }

    fn blocks(&mut self) -> Result<(), Diag> {
        let items = std::mem::take(&mut self.order.items);
        for item in &items {
            match *item {
                Item::Block(block) => {
                    let start = self.code.micros.len() as u32;
                    self.starts[block] = Some(start);
                    self.code.blocks.push((start, block));
                    for &inst in self.body.block(block).insts.iter() {
                        self.inst(inst)?;
                    }
                    self.terminator(block)?;
                }
                Item::Latch(ring) => {
                    let at = self.code.micros.len() as u32;
                    let Some(latch) = self.latches.get_mut(ring as usize) else { continue };
                    latch.0 = at;
                    let hidden = latch.1;
                    self.push(Opcode::Latch { hidden }, None, 0, 0, Width::W32, &[]);
                }
            }
        }
        Ok(())
    }

    fn inst(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let types: Vec<ValueType> = data.args.iter().map(|&arg| self.body.ty(arg)).collect();
        if let Op::Spirv(SpirvOp::Raw) = data.op {
            return self.raw(inst);
        }
        if let Some(reason) = refusal(data.op) {
            return Err(self.cannot(inst, reason));
        }
        data.op.info().check(data.ty, &types).map_err(|mismatch| self.mismatch(inst, &mismatch))?;
        match data.op {
            Op::Basic(op) => self.basic(op, inst),
            Op::Float(_) | Op::Int(_) | Op::Convert(_) | Op::Vector(_) => self.arithmetic(inst),
            Op::Memory(op) => self.memory(op, inst),
            Op::Deref(op) => self.deref(op, inst),
            Op::Ptr(op) => self.pointer(op, inst),
            Op::Reg(op) => self.register(op, inst),
            Op::Group(op) => self.group(op, inst),
            Op::Tex(op) => self.tex(op, inst),
            Op::Io(op) => self.io(op, inst),
            Op::Spirv(_) => Ok(()),
        }
    }

    fn mismatch(&self, inst: Inst, mismatch: &SignatureError) -> Diag {
        let what = match mismatch {
            SignatureError::Count { given, wanted, .. } => {
                format!("expected {wanted} operands, found {given}")
            }
            SignatureError::Operand { at, wanted } => format!("operand {at} is not {wanted}"),
            SignatureError::Result { wanted } => format!("the result is not {wanted}"),
        };
        self.cannot(inst, what)
    }

    /// An error at an instruction.
    pub(super) fn cannot(&self, inst: Inst, what: impl Into<String>) -> Diag {
        let name = self.body.inst(inst).op.name();
        cannot(Anchor::Inst(self.func, inst), format!("`{name}` cannot be run: {}", what.into()))
    }

    fn basic(&mut self, op: BasicOp, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        match op {
            BasicOp::Param => {}
            BasicOp::Const => {
                let bits =
                    data.entity(Key::Const).map(|bits| self.cx.module.bits_of(bits)).unwrap_or_default();
                let slot = self.cx.constant(bits.components())?;
                self.code.values[inst] = (slot, data.ty.components());
            }
            BasicOp::Undef => {
                let slot = self.cx.undefined(data.ty.components())?;
                self.code.values[inst] = (slot, data.ty.components());
                self.step(inst);
            }
            BasicOp::Global => {
                let vregs = match data.entity(Key::Global) {
                    Some(global) => self.cx.global(global)?,
                    None => None,
                };
                let vregs = vregs.filter(|&(_, parts)| parts == data.ty.components());
                self.code.values[inst] =
                    vregs.ok_or_else(|| self.cannot(inst, "the constant has no value"))?;
                self.step(inst);
            }
            BasicOp::Copy => {
                self.step(inst);
                let vregs = self.vregs_of(data.args[0]);
                self.moves(inst, &vregs);
            }
            BasicOp::Choose => {
                self.step(inst);
                let args = self.args(inst);
                self.emit(Opcode::Select, inst, &args);
            }
            BasicOp::Call => {
                self.step(inst);
                let Some(callee) = data.entity(Key::Func) else {
                    return Err(self.cannot(inst, "the call has no callee"));
                };
                let takes = self.cx.module.func(callee).map_or(0, |body| body.params().len());
                if data.args.len() > usize::from(u8::MAX) {
                    return Err(self.cannot(inst, "it has more than 255 operands"));
                }
                if takes != data.args.len() {
                    return Err(self.cannot(inst, "the call does not match the signature of its function"));
                }
                let number = self.cx.function(callee);
                let args = self.args(inst);
                self.emit(Opcode::Call(number), inst, &args);
            }
            BasicOp::Assume => {
                let args = self.args(inst);
                self.emit(Opcode::Assume, inst, &args);
            }
            BasicOp::Print => {
                if data.args.len() > usize::from(u8::MAX) {
                    return Err(self.cannot(inst, "it has more than 255 operands"));
                }
                let args = self.args(inst);
                self.emit(Opcode::Print, inst, &args);
            }
        }
        Ok(())
    }

    /// Records the target of a path that is created here.
    pub(super) fn step(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        if data.ty != ValueType::Path {
            return;
        }
        let spots = &self.spots;
        let of = |arg: Inst| spots[arg].map(|spot| vitrine_ir::PathType { ty: spot.ty, mode: spot.mode });
        if let Some(path) = self.cx.module.path_step(self.body, inst, of) {
            let step = match data.op {
                Op::Basic(BasicOp::Copy) => {
                    data.args.first().and_then(|&arg| spots[arg]).map_or(0, |spot| spot.step)
                }
                _ => 0,
            };
            self.spots[inst] = Some(Spot { ty: path.ty, mode: path.mode, step });
        }
    }

    /// An operand.
    pub(super) fn arg(&self, inst: Inst) -> Arg {
        let (slot, parts) = self.code.values[inst];
        Arg { slot, width: self.body.ty(inst).width().unwrap_or(Width::W64), parts: parts.max(1) }
    }

    /// The operands of an instruction.
    pub(super) fn args(&self, inst: Inst) -> Vec<Arg> {
        self.body.inst(inst).args.iter().map(|&arg| self.arg(arg)).collect()
    }

    /// The virtual registers of a value, each as an operand.
    pub(super) fn vregs_of(&self, inst: Inst) -> Vec<Arg> {
        let arg = self.arg(inst);
        (0..u32::from(arg.parts)).map(|part| Arg { slot: arg.slot + part, parts: 1, ..arg }).collect()
    }

    /// Emits a move of these registers to the result.
    pub(super) fn moves(&mut self, inst: Inst, vregs: &[Arg]) {
        self.emit(Opcode::Move, inst, vregs);
    }

    /// Appends an instruction.
    pub(super) fn emit(&mut self, what: Opcode, inst: Inst, args: &[Arg]) {
        let (slot, parts) = self.code.values[inst];
        let to = self.body.ty(inst).width().unwrap_or(Width::W64);
        self.push(what, Some(inst), slot, parts, to, args);
    }

    pub(super) fn push(
        &mut self,
        what: Opcode,
        inst: Option<Inst>,
        dst: Slot,
        parts: u8,
        to: Width,
        args: &[Arg],
    ) {
        debug_assert!(dst & CONST == 0);
        let at = self.code.args.len() as u32;
        self.code.args.extend_from_slice(args);
        // Calls with more operands are rejected before.
        let count = u8::try_from(args.len()).unwrap_or(u8::MAX);
        self.code.micros.push(MicroOp { what, dst, parts, count, to, args: at, inst });
    }
}
