//! Arithmetic and vector operations: translates the semantics of the op tables to machine instructions.
//!
//! The semantics are those of the tables. `fast` names operations with a specialized loop, for speed only.

use super::func::FuncDecoder;
use crate::micro_op::{Arg, Fast, Number, Opcode, Precondition};
use vitrine_ir::ops::attr::unpack_component;
use vitrine_ir::ops::float::toward_zero;
use vitrine_ir::ops::{ConvertOp, FloatOp, IntOp, Key, Meaning, Op, VectorOp, Width};
use vitrine_ir::{Diag, Inst};

/// The precondition of an operation that yields numbers of the width `to`; SPIR-V leaves the result undefined otherwise.
fn precondition(op: Op, to: Width) -> Option<Precondition> {
    use FloatOp as F;
    let bounds = |kind| Precondition::Bounds { first: 1, kind, strict: false };
    Some(match op {
        Op::Int(IntOp::IDiv | IntOp::UDiv | IntOp::IRem | IntOp::IMod | IntOp::UMod) => Precondition::Divisor,
        Op::Int(IntOp::IShl | IntOp::IShr | IntOp::UShr) => Precondition::Shift,
        Op::Int(IntOp::UBfe | IntOp::IBfe) => Precondition::Field { first: 1 },
        Op::Int(IntOp::Bfi) => Precondition::Field { first: 2 },
        Op::Int(IntOp::IClamp) => bounds(Number::Signed),
        Op::Int(IntOp::UClamp) => bounds(Number::Unsigned),
        Op::Float(F::FClamp | F::FNClamp) => bounds(Number::Float),
        Op::Float(F::FSmoothStep) => Precondition::Bounds { first: 0, kind: Number::Float, strict: true },
        Op::Convert(ConvertOp::F2I) => Precondition::Conversion { signed: true, to },
        Op::Convert(ConvertOp::F2U) => Precondition::Conversion { signed: false, to },
        Op::Vector(VectorOp::Extract) => Precondition::Component { index: 1 },
        Op::Vector(VectorOp::Insert) => Precondition::Component { index: 2 },
        _ => return None,
    })
}

/// The specialized loop of the operation for operands of this width, if any.
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
                let vregs: Vec<Arg> = data.args.iter().flat_map(|&arg| self.vregs_of(arg)).collect();
                self.moves(inst, &vregs);
                return Ok(());
            }
            Op::Vector(VectorOp::Splat) => {
                let vreg = Arg { parts: 1, ..self.arg(data.args[0]) };
                self.moves(inst, &vec![vreg; usize::from(data.ty.components())]);
                return Ok(());
            }
            Op::Int(IntOp::Select | IntOp::Select1) => {
                self.emit(Opcode::Select, inst, &args);
                return Ok(());
            }
            _ => {}
        }
        let to = data.ty.width().unwrap_or_default();
        if let Some(precondition) = precondition(data.op, to) {
            self.push(Opcode::Check(precondition), Some(inst), 0, 0, Width::W32, &args);
        }
        let width = args.first().map_or(Width::W32, |arg| arg.width);
        let what = match self.meaning(data.op, data.ty.width().unwrap_or_default()) {
            // Other components may be undefined if they are not extracted.
            Some(_) if data.op == Op::Vector(VectorOp::Extract) => Opcode::Extract,
            Some(_) if data.op == Op::Vector(VectorOp::Insert) => Opcode::Insert,
            Some(Meaning::Componentwise(f)) if self.is_flushed(inst) => Opcode::Flushed(f),
            Some(Meaning::Componentwise(f)) => match fast(data.op, width) {
                Some(fast) if !self.cx.modes.rounds_toward_zero(width) => Opcode::Fast(fast),
                Some(_) | None => Opcode::ByComponent(f),
            },
            Some(Meaning::Whole(f)) => Opcode::Whole(f),
            None => return Err(self.cannot(inst, "the op table defines no semantics for it")),
        };
        self.emit(what, inst, &args);
        Ok(())
    }

    /// The semantics of an operation; conversions use the rounding mode of the entry point.
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

    /// Returns true if subnormal operands and results are flushed: float arithmetic of a width that the entry
    /// point names.
    fn is_flushed(&self, inst: Inst) -> bool {
        let data = self.body.inst(inst);
        // Operations on the sign bit are not arithmetic.
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
        let all: Vec<Arg> = data.args.iter().flat_map(|&arg| self.vregs_of(arg)).collect();
        let components = data.attrs.get(Key::Components).unwrap_or(0);
        let pick = |at: usize| all.get(usize::from(unpack_component(components, at))).copied();
        let vregs: Option<Vec<Arg>> = (0..usize::from(data.ty.components())).map(pick).collect();
        let vregs = vregs.ok_or_else(|| self.cannot(inst, "it selects a component that does not exist"))?;
        self.moves(inst, &vregs);
        Ok(())
    }
}
