//! OpenCL.std: instructions with an operation in the IR; the others stay raw.

use super::values::Lower;
use super::words::{Instruction, Words};
use crate::spec::OpenclStd100Op as C;
use vitrine_ir::ops::{FloatOp, IntOp, Op, VectorOp};

/// The operation that has the operands of the instruction in the same order.
#[rustfmt::skip] // A table.
fn plain(op: C) -> Option<Op> {
    use {FloatOp as F, IntOp as I, VectorOp as V};
    Some(match op {
        C::acos => F::FAcos.into(),
        C::acosh => F::FAcosh.into(), C::asin => F::FAsin.into(), C::asinh => F::FAsinh.into(),
        C::atan => F::FAtan.into(), C::atan2 => F::FAtan2.into(), C::atanh => F::FAtanh.into(),
        C::ceil => F::FCeil.into(), C::cos | C::native_cos | C::half_cos => F::FCos.into(), C::cosh => F::FCosh.into(),
        C::exp | C::native_exp | C::half_exp => F::FExp.into(), C::exp2 | C::native_exp2 | C::half_exp2 => F::FExp2.into(),
        C::fabs => F::FAbs.into(), C::floor => F::FFloor.into(), C::fma => F::FFma.into(), C::mad => F::FMad.into(),
        C::fmax => F::FNMax.into(), C::fmin => F::FNMin.into(), C::fmod => F::FRem.into(), C::ldexp => F::FLdexp.into(),
        C::log | C::native_log | C::half_log => F::FLog.into(), C::log2 | C::native_log2 | C::half_log2 => F::FLog2.into(),
        C::pow | C::powr | C::native_powr | C::half_powr => F::FPow.into(),
        C::rint => F::FRoundEven.into(), C::round => F::FRoundAway.into(), C::trunc => F::FTrunc.into(),
        C::rsqrt | C::native_rsqrt | C::half_rsqrt => F::FRsq.into(),
        C::sqrt | C::native_sqrt | C::half_sqrt => F::FSqrt.into(),
        C::sin | C::native_sin | C::half_sin => F::FSin.into(), C::sinh => F::FSinh.into(),
        C::tan | C::native_tan | C::half_tan => F::FTan.into(), C::tanh => F::FTanh.into(),
        C::native_recip | C::half_recip => F::FRcp.into(), C::native_divide | C::half_divide => F::FDiv.into(),
        C::fclamp => F::FClamp.into(), C::degrees => F::FDegrees.into(), C::radians => F::FRadians.into(),
        C::fmax_common => F::FMax.into(), C::fmin_common => F::FMin.into(),
        C::mix => F::FMix.into(), C::step => F::FStep.into(), C::smoothstep => F::FSmoothStep.into(), C::sign => F::FSign.into(),
        C::cross => V::FCross.into(), C::distance | C::fast_distance => V::FDistance.into(),
        C::length | C::fast_length => V::FLength.into(), C::normalize | C::fast_normalize => V::FNormalize.into(),
        C::s_abs => I::IAbs.into(), C::s_abs_diff => I::IAbsDiff.into(), C::u_abs_diff => I::UAbsDiff.into(),
        C::s_add_sat => I::IAddSat.into(), C::u_add_sat => I::UAddSat.into(),
        C::s_sub_sat => I::ISubSat.into(), C::u_sub_sat => I::USubSat.into(),
        C::s_hadd => I::IHadd.into(), C::u_hadd => I::UHadd.into(), C::s_rhadd => I::IRhadd.into(), C::u_rhadd => I::URhadd.into(),
        C::s_clamp => I::IClamp.into(), C::u_clamp => I::UClamp.into(), C::clz => I::Clz.into(), C::ctz => I::Ctz.into(),
        C::s_max => I::IMax.into(), C::u_max => I::UMax.into(), C::s_min => I::IMin.into(), C::u_min => I::UMin.into(),
        C::s_mul_hi => I::IMulHigh.into(), C::u_mul_hi => I::UMulHigh.into(), C::popcount => I::BitCount.into(),
        C::rotate => I::Rotl.into(),
        _ => return None,
    })
}

impl<'a> Lower<'_, 'a> {
    /// Lowers an instruction of OpenCL.std.
    pub(super) fn opencl(&mut self, inst: Instruction<'a>) -> Option<()> {
        let Some(op) = C::from_u32(inst.word(4)) else {
            let message = format!("is number {} of OpenCL.std, which is unknown", inst.word(4));
            return self.mismatch(inst, message);
        };
        match plain(op) {
            Some(op) => self.ext_plain(op, inst),
            None => self.raw_ext(inst),
        }
    }
}
