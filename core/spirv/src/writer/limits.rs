//! Operations that SPIR-V of shaders lacks at the width or the number of components of their operands.
//!
//! `alu-to-spirv` expands most of them before the writer; the others have no exact expansion. The writer refuses
//! both by name, with a fix: the words would need the capability `Kernel`, an extension that the module does not
//! declare, or be invalid. Of these limits, kernels have those of vectors and of the extension.

use super::diagnostics::NO_INSTRUCTION;
use super::function::FunctionWriter;
use vitrine_ir::ops::{ConvertOp as C, FloatOp as F, GroupOp as G, IntOp as I, Op, VectorOp as V, Width};
use vitrine_ir::{Diag, Help, Inst};

/// The fix for an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fix {
    /// A pass expands it.
    Expand,
    /// Computing it with 32 bits.
    Narrow,
}

impl Fix {
    fn help(self) -> Help {
        match self {
            Fix::Expand => Help::text("run").pass("alu-to-spirv").then("first"),
            Fix::Narrow => Help::text("compute it with 32 bits: convert the operands with `f2f`"),
        }
    }
}

/// A limit: the condition, and the fix.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Limit {
    /// For kernels only.
    Kernel(Fix),
    /// In SPV_INTEL_shader_integer_functions2.
    IntegerFunctions,
    /// At 32 bits only.
    Only32(Fix),
    /// At 16 and 32 bits only.
    UpTo32(Fix),
    /// On vectors only.
    Vectors,
    /// For kernels, or as the value of a store.
    Stored,
}

#[rustfmt::skip] // A table.
fn limit(op: Op) -> Option<Limit> {
    use Fix::{Expand, Narrow};
    Some(match op {
        Op::Float(F::FOrd | F::FUnord | F::FIsFinite | F::FIsNormal | F::FSignBit) => Limit::Kernel(Expand),
        Op::Float(
            F::FRadians | F::FDegrees | F::FSin | F::FCos | F::FTan | F::FAsin | F::FAcos | F::FAtan | F::FAtan2
            | F::FSinh | F::FCosh | F::FTanh | F::FAsinh | F::FAcosh | F::FAtanh
            | F::FPow | F::FExp | F::FExp2 | F::FLog | F::FLog2,
        ) => Limit::UpTo32(Narrow),
        Op::Float(F::FQuantize16) => Limit::Only32(Narrow),
        Op::Int(
            I::BitCount | I::BitRev | I::UBfe | I::IBfe | I::Bfi | I::FindLsb | I::UFindMsb | I::IFindMsb,
        ) => Limit::Only32(Expand),
        Op::Int(
            I::Clz | I::Ctz | I::IAbsDiff | I::UAbsDiff | I::IAddSat | I::UAddSat | I::ISubSat | I::USubSat
            | I::IHadd | I::UHadd | I::IRhadd | I::URhadd,
        ) => Limit::IntegerFunctions,
        Op::Convert(C::F2ISat | C::F2USat | C::I2ISat | C::U2USat | C::I2USat | C::U2ISat) => Limit::Kernel(Expand),
        Op::Convert(C::F2FRtp | C::F2FRtn) => Limit::Kernel(Expand),
        Op::Convert(C::F2FRtz) => Limit::Stored,
        Op::Vector(V::All | V::Any | V::FDot | V::Extract | V::Insert) => Limit::Vectors,
        Op::Group(G::Ddx | G::Ddy | G::Fwidth) => Limit::Only32(Expand),
        _ => return None,
    })
}

impl FunctionWriter<'_, '_> {
    /// Refuses an operation that SPIR-V of shaders lacks.
    ///
    /// Error: `W102`, with the pass or the conversion that helps.
    pub(super) fn within_limits(&self, inst: Inst, op: Op) -> Result<(), Diag> {
        let Some(limit) = limit(op) else { return Ok(()) };
        let Some(&first) = self.body.inst(inst).args.first() else { return Ok(()) };
        let ty = self.body.ty(first);
        let width = ty.width().unwrap_or_default();
        let (is_lacking, fix) = match limit {
            Limit::Vectors => (ty.components() == 1, Fix::Expand),
            Limit::IntegerFunctions => (!self.writer.declares("IntegerFunctions2INTEL"), Fix::Expand),
            _ if self.writer.kernel => (false, Fix::Expand),
            Limit::Kernel(fix) => (true, fix),
            Limit::Only32(fix) => (width != Width::W32, fix),
            Limit::UpTo32(fix) => (width > Width::W32, fix),
            Limit::Stored => (!self.uses.only_stored(inst), Fix::Expand),
        };
        if !is_lacking {
            return Ok(());
        }
        let name = op.name();
        let message = match limit {
            Limit::Vectors => format!("is `{name}` of a scalar, which SPIR-V has for vectors only"),
            Limit::Only32(_) | Limit::UpTo32(_) => {
                format!("is `{name}` of {} bits, which SPIR-V for shaders lacks", width.bits())
            }
            Limit::Kernel(_) | Limit::IntegerFunctions | Limit::Stored => {
                format!("is `{name}`, which SPIR-V for shaders lacks")
            }
        };
        Err(self.refuse(NO_INSTRUCTION, inst, message, fix.help()))
    }
}
