//! Extended instructions: GLSL.std.450 as a table, and dispatch to the other sets.

use super::collect::Set;
use super::values::{Lower, Val};
use super::words::{Instruction, Words};
use crate::spec::GlslStd450Op as G;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{BasicOp, FloatOp, IntOp, IoOp, Key, MemoryOp, Op, ValueType, VectorOp};
use vitrine_ir::{Inst, InstData, Type};

/// The operation that has the operands of the instruction in the same order.
#[rustfmt::skip] // A table.
fn plain(op: G) -> Option<Op> {
    use {FloatOp as F, IntOp as I, VectorOp as V};
    Some(match op {
        G::Round => F::FRound.into(), G::RoundEven => F::FRoundEven.into(), G::Trunc => F::FTrunc.into(),
        G::FAbs => F::FAbs.into(), G::SAbs => I::IAbs.into(), G::FSign => F::FSign.into(), G::SSign => I::ISign.into(),
        G::Floor => F::FFloor.into(), G::Ceil => F::FCeil.into(), G::Fract => F::FFract.into(),
        G::Radians => F::FRadians.into(), G::Degrees => F::FDegrees.into(),
        G::Sin => F::FSin.into(), G::Cos => F::FCos.into(), G::Tan => F::FTan.into(),
        G::Asin => F::FAsin.into(), G::Acos => F::FAcos.into(), G::Atan => F::FAtan.into(),
        G::Sinh => F::FSinh.into(), G::Cosh => F::FCosh.into(), G::Tanh => F::FTanh.into(),
        G::Asinh => F::FAsinh.into(), G::Acosh => F::FAcosh.into(), G::Atanh => F::FAtanh.into(),
        G::Atan2 => F::FAtan2.into(), G::Pow => F::FPow.into(), G::Exp => F::FExp.into(), G::Log => F::FLog.into(),
        G::Exp2 => F::FExp2.into(), G::Log2 => F::FLog2.into(), G::Sqrt => F::FSqrt.into(),
        G::InverseSqrt => F::FRsq.into(),
        G::FMin => F::FMin.into(), G::UMin => I::UMin.into(), G::SMin => I::IMin.into(),
        G::FMax => F::FMax.into(), G::UMax => I::UMax.into(), G::SMax => I::IMax.into(),
        G::FClamp => F::FClamp.into(), G::UClamp => I::UClamp.into(), G::SClamp => I::IClamp.into(),
        G::NMin => F::FNMin.into(), G::NMax => F::FNMax.into(), G::NClamp => F::FNClamp.into(),
        G::FMix => F::FMix.into(), G::Step => F::FStep.into(), G::SmoothStep => F::FSmoothStep.into(),
        G::Fma => F::FFma.into(), G::Ldexp => F::FLdexp.into(),
        G::PackSnorm4x8 => V::PackSnorm4x8.into(), G::PackUnorm4x8 => V::PackUnorm4x8.into(),
        G::PackSnorm2x16 => V::PackSnorm2x16.into(), G::PackUnorm2x16 => V::PackUnorm2x16.into(),
        G::PackHalf2x16 => V::PackHalf2x16.into(), G::PackDouble2x32 => V::Pack64From32.into(),
        G::UnpackSnorm2x16 => V::UnpackSnorm2x16.into(), G::UnpackUnorm2x16 => V::UnpackUnorm2x16.into(),
        G::UnpackHalf2x16 => V::UnpackHalf2x16.into(), G::UnpackSnorm4x8 => V::UnpackSnorm4x8.into(),
        G::UnpackUnorm4x8 => V::UnpackUnorm4x8.into(), G::UnpackDouble2x32 => V::Unpack64To32.into(),
        G::Length => V::FLength.into(), G::Distance => V::FDistance.into(), G::Cross => V::FCross.into(),
        G::Normalize => V::FNormalize.into(), G::FaceForward => V::FFaceForward.into(),
        G::Reflect => V::FReflect.into(), G::Refract => V::FRefract.into(),
        G::FindILsb => I::FindLsb.into(), G::FindSMsb => I::IFindMsb.into(), G::FindUMsb => I::UFindMsb.into(),
        _ => return None,
    })
}

impl<'a> Lower<'_, 'a> {
    /// Lowers an extended instruction.
    pub(super) fn ext_inst(&mut self, inst: Instruction<'a>) -> Option<()> {
        match self.r.sets.get(&inst.word(3)).copied() {
            Some(Set::Glsl) => self.glsl(inst),
            Some(Set::OpenCl) => self.opencl(inst),
            Some(Set::Printf) => self.printf(inst),
            Some(Set::ShaderDebug | Set::OldDebug | Set::NonSemantic) => {
                self.r.leave_out("an instruction of a non-semantic set", inst.offset);
                let ty = self.result_type(inst)?;
                self.set(inst.word(2), ty, Val::Many { at: 0, len: 0 });
                Some(())
            }
            Some(Set::Other) => self.raw_ext(inst),
            None => self.mismatch(inst, format!("is from the set %{}, which is not imported", inst.word(3))),
        }
    }

    /// An operation on the operands of an extended instruction in their order.
    pub(super) fn ext_plain(&mut self, op: Op, inst: Instruction<'a>) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let mut args = Vec::new();
        for &id in inst.rest(5) {
            args.push(self.bits(id, inst)?);
        }
        if args.len() > 4 {
            return self.mismatch(inst, "has too many operands");
        }
        if op == Op::from(VectorOp::FRefract) && args.len() == 3 && self.ty(args[2]).width() != value.width()
        {
            // The ratio may have a different width.
            args[2] = self.op(vitrine_ir::ops::ConvertOp::F2F, value.with_components(1), &[args[2]]);
        }
        self.checked(op, value, &args, ty, inst)
    }

    fn glsl(&mut self, inst: Instruction<'a>) -> Option<()> {
        let Some(op) = G::from_u32(inst.word(4)) else {
            let message = format!("is number {} of GLSL.std.450, which is unknown", inst.word(4));
            return self.mismatch(inst, message);
        };
        if let Some(op) = plain(op) {
            return self.ext_plain(op, inst);
        }
        match op {
            G::Determinant => self.determinant(false, inst),
            G::MatrixInverse => self.determinant(true, inst),
            G::ModfStruct => self.split(inst, FloatOp::FModfFract, FloatOp::FModfWhole, false),
            G::FrexpStruct => self.split(inst, FloatOp::FFrexpSig, FloatOp::FFrexpExp, false),
            G::Modf => self.split(inst, FloatOp::FModfFract, FloatOp::FModfWhole, true),
            G::Frexp => self.split(inst, FloatOp::FFrexpSig, FloatOp::FFrexpExp, true),
            G::InterpolateAtCentroid => self.interpolate(IoOp::InterpCentroid, inst),
            G::InterpolateAtSample => self.interpolate(IoOp::InterpSample, inst),
            G::InterpolateAtOffset => self.interpolate(IoOp::InterpOffset, inst),
            G::IMix => self.int_mix(inst),
            _ => self.raw_ext(inst),
        }
    }

    /// Splits a number into two: the second result is the second member of a structure, or is stored through
    /// a pointer.
    fn split(&mut self, inst: Instruction<'a>, first: FloatOp, second: FloatOp, pointer: bool) -> Option<()> {
        let ty = self.result_type(inst)?;
        let from = self.bits(inst.word(5), inst)?;
        let value = self.ty(from);
        let Some(low) = self.infer(first, &[from]) else {
            return self.mismatch(inst, "has an operand that is not a float");
        };
        let wanted = if pointer {
            let (_, at) = self.path(inst.word(6), inst)?;
            self.r.module.value_type(at.ty)
        } else {
            let list = self.leaves_of(ty, inst)?;
            if list.len() != 2 || list[0].value != value {
                return self.mismatch(
                    inst,
                    "must have a structure of two numbers of its operand's type as its result",
                );
            }
            Some(list[1].value)
        };
        let Some(high) = self.infer(second, &[from]) else {
            return self.mismatch(inst, "has an operand that is not a float");
        };
        let Some(high) = wanted.and_then(|wanted| self.resize(high, wanted)) else {
            return self.mismatch(inst, "stores its second result through a pointer of the wrong type");
        };
        if pointer {
            let (path, _) = self.path(inst.word(6), inst)?;
            self.put(InstData::new(MemoryOp::Store, ValueType::Void, &[path, high]));
            return self.define_one(low, ty, inst);
        }
        let val = self.pack(&[low, high]);
        self.set(inst.word(2), ty, val);
        Some(())
    }

    fn interpolate(&mut self, op: IoOp, inst: Instruction<'a>) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let (path, _) = self.path(inst.word(5), inst)?;
        let mut args = vec![path];
        for &id in inst.rest(6) {
            args.push(self.bits(id, inst)?);
        }
        self.checked(op, value, &args, ty, inst)
    }

    fn int_mix(&mut self, inst: Instruction<'a>) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let (x, y) = (self.bits(inst.word(5), inst)?, self.bits(inst.word(6), inst)?);
        let cond = self.bits(inst.word(7), inst)?;
        self.checked(IntOp::Select, value, &[cond, y, x], ty, inst)
    }

    fn printf(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty: Type = self.result_type(inst)?;
        let Some(format) = self.r.string(inst.word(5)) else {
            return self.mismatch(inst, format!("has the format %{}, which is not a string", inst.word(5)));
        };
        let mut args: Vec<Inst> = Vec::new();
        for &id in inst.rest(6) {
            let value = self.value(id, inst)?;
            args.extend_from_slice(self.leaves(&value.val));
        }
        let data = InstData::new(BasicOp::Print, ValueType::Void, &args);
        self.put(data.with(Key::Text, format.index() as u64));
        self.set(inst.word(2), ty, Val::Many { at: 0, len: 0 });
        Some(())
    }
}
