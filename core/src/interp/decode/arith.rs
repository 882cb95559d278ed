//! Numbers and lanes: what a row of the op tables means, as an instruction of the machine.
//!
//! The meaning is the row's own. `fast` names operations that get a loop of their own, for speed alone.

use super::func::FuncDecoder;
use crate::interp::micro_op::{Arg, Fast, Guard, Opcode};
use crate::ir::{Diag, Inst};
use crate::ops::attr::unpack_component;
use crate::ops::float::toward_zero;
use crate::ops::{ConvertOp, FloatOp, IntOp, Key, Meaning, Op, VectorOp, Width};

/// What an operation must not be given; SPIR-V leaves the result open there.
fn guard(op: Op) -> Option<Guard> {
    match op {
        Op::Int(IntOp::IDiv | IntOp::UDiv | IntOp::IRem | IntOp::IMod | IntOp::UMod) => Some(Guard::Divisor),
        Op::Int(IntOp::IShl | IntOp::IShr | IntOp::UShr) => Some(Guard::Shift),
        Op::Int(IntOp::UBfe | IntOp::IBfe) => Some(Guard::Field { first: 1 }),
        Op::Int(IntOp::Bfi) => Some(Guard::Field { first: 2 }),
        Op::Vector(VectorOp::Extract) => Some(Guard::Lane { index: 1 }),
        Op::Vector(VectorOp::Insert) => Some(Guard::Lane { index: 2 }),
        _ => None,
    }
}

/// The operation with a loop of its own, for operands of this width.
fn fast(op: Op, width: Width) -> Option<Fast> {
    use {FloatOp as F, IntOp as I};
    let single = width == Width::W32;
    match op {
        Op::Float(op) if single => Some(match op {
            F::FAdd => Fast::FAdd32,
            F::FSub => Fast::FSub32,
            F::FMul => Fast::FMul32,
            F::FNeg => Fast::FNeg32,
            F::FAbs => Fast::FAbs32,
            F::FLt => Fast::FLt32,
            F::FGt => Fast::FGt32,
            F::FLe => Fast::FLe32,
            F::FGe => Fast::FGe32,
            _ => return None,
        }),
        Op::Int(op) => Some(match op {
            I::IAdd => Fast::IAdd,
            I::ISub => Fast::ISub,
            I::IMul => Fast::IMul,
            I::IAnd => Fast::IAnd,
            I::IOr => Fast::IOr,
            I::IXor => Fast::IXor,
            I::IEq => Fast::IEq,
            I::INe => Fast::INe,
            I::ILt if single => Fast::ILt32,
            I::IGt if single => Fast::IGt32,
            I::ILe if single => Fast::ILe32,
            I::IGe if single => Fast::IGe32,
            I::ULt => Fast::ULt,
            I::UGe => Fast::UGe,
            _ => return None,
        }),
        _ => None,
    }
}

impl FuncDecoder<'_, '_> {
    pub(super) fn arithmetic(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let args = self.args(inst);
        match data.op {
            Op::Vector(VectorOp::Swizzle | VectorOp::Shuffle) => return self.swizzle(inst),
            Op::Vector(VectorOp::Vec) => {
                let rows: Vec<Arg> = data.args.iter().flat_map(|&arg| self.rows_of(arg)).collect();
                self.moves(inst, &rows);
                return Ok(());
            }
            Op::Vector(VectorOp::Splat) => {
                let row = Arg { parts: 1, ..self.arg(data.args[0]) };
                self.moves(inst, &vec![row; usize::from(data.ty.components())]);
                return Ok(());
            }
            Op::Int(IntOp::Select | IntOp::Select1) => {
                self.emit(Opcode::Select, inst, &args);
                return Ok(());
            }
            _ => {}
        }
        if let Some(guard) = guard(data.op) {
            self.push(Opcode::Check(guard), Some(inst), 0, 0, Width::W32, &args);
        }
        let width = args.first().map_or(Width::W32, |arg| arg.width);
        let what = match self.meaning(data.op, data.ty.width().unwrap_or_default()) {
            // A lane that is undefined is nobody's business where another one is picked.
            Some(_) if data.op == Op::Vector(VectorOp::Extract) => Opcode::Extract,
            Some(_) if data.op == Op::Vector(VectorOp::Insert) => Opcode::Insert,
            Some(Meaning::Componentwise(f)) if self.is_flushed(inst) => Opcode::Flushed(f),
            Some(Meaning::Componentwise(f)) => match fast(data.op, width) {
                Some(fast) if !self.cx.modes.rounds_toward_zero(width) => Opcode::Fast(fast),
                Some(_) | None => Opcode::Lanes(f),
            },
            Some(Meaning::Whole(f)) => Opcode::Whole(f),
            None => return Err(self.cannot(inst, "its row says no meaning")),
        };
        self.emit(what, inst, &args);
        Ok(())
    }

    /// The meaning of an operation; conversions follow the rounding the entry point asks for.
    fn meaning(&self, op: Op, to: Width) -> Option<Meaning> {
        match op {
            Op::Convert(ConvertOp::F2F) if self.cx.modes.rounds_toward_zero(to) => {
                Op::Convert(ConvertOp::F2FRtz).info().meaning
            }
            Op::Float(float) if self.cx.modes.rounds_toward_zero(to) => {
                toward_zero(float).or(op.info().meaning)
            }
            _ => op.info().meaning,
        }
    }

    /// Whether subnormal operands and results are flushed: float arithmetic of a width the entry point names.
    fn is_flushed(&self, inst: Inst) -> bool {
        let data = self.body.inst(inst);
        // Moves of the sign bit are no arithmetic.
        let is_float = match data.op {
            Op::Float(op) => !matches!(op, FloatOp::FNeg | FloatOp::FAbs),
            Op::Convert(op) => {
                matches!(op, ConvertOp::F2F | ConvertOp::F2FRtz | ConvertOp::F2FRtp | ConvertOp::F2FRtn)
            }
            _ => false,
        };
        let widths = data.args.iter().map(|&arg| self.body.ty(arg).width()).chain([data.ty.width()]);
        is_float && widths.flatten().any(|width| self.cx.modes.flushes(width))
    }

    fn swizzle(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let all: Vec<Arg> = data.args.iter().flat_map(|&arg| self.rows_of(arg)).collect();
        let lanes = data.attrs.get(Key::Lanes).unwrap_or(0);
        let pick = |at: usize| all.get(usize::from(unpack_component(lanes, at))).copied();
        let rows: Option<Vec<Arg>> = (0..usize::from(data.ty.components())).map(pick).collect();
        let rows = rows.ok_or_else(|| self.cannot(inst, "it picks a lane that is not there"))?;
        self.moves(inst, &rows);
        Ok(())
    }
}
