//! Arithmetic: a table from opcode to operation, and instructions that need more than one operation.

use super::values::{Lower, Val};
use super::words::{Instruction, Words};
use crate::spec::{Decoration as D, Op as S};
use vitrine_ir::ops::{
    ConvertOp, Derivative, FloatOp, GroupOp, IntOp, Op, PtrOp, ValueType, VectorOp, Width,
};
use vitrine_ir::{Inst, Type, TypeData};

/// The operation that has the operands of the instruction in the same order.
#[rustfmt::skip] // A table.
pub(super) fn plain(op: S) -> Option<Op> {
    use {ConvertOp as C, FloatOp as F, IntOp as I, VectorOp as V};
    Some(match op {
        S::FNegate => F::FNeg.into(), S::FAdd => F::FAdd.into(), S::FSub => F::FSub.into(),
        S::FMul => F::FMul.into(), S::FDiv => F::FDiv.into(), S::FRem => F::FRem.into(), S::FMod => F::FMod.into(),
        S::SNegate => I::INeg.into(), S::IAdd => I::IAdd.into(), S::ISub => I::ISub.into(),
        S::IMul => I::IMul.into(), S::UDiv => I::UDiv.into(), S::SDiv => I::IDiv.into(),
        S::UMod => I::UMod.into(), S::SRem => I::IRem.into(), S::SMod => I::IMod.into(),
        S::ShiftLeftLogical => I::IShl.into(), S::ShiftRightLogical => I::UShr.into(),
        S::ShiftRightArithmetic => I::IShr.into(),
        S::BitwiseAnd | S::LogicalAnd => I::IAnd.into(), S::BitwiseOr | S::LogicalOr => I::IOr.into(),
        S::BitwiseXor | S::LogicalNotEqual => I::IXor.into(), S::Not | S::LogicalNot => I::INot.into(),
        S::LogicalEqual | S::IEqual => I::IEq.into(), S::INotEqual => I::INe.into(),
        S::BitFieldInsert => I::Bfi.into(), S::BitFieldSExtract => I::IBfe.into(), S::BitFieldUExtract => I::UBfe.into(),
        S::BitReverse => I::BitRev.into(), S::BitCount => I::BitCount.into(),
        S::UGreaterThan => I::UGt.into(), S::SGreaterThan => I::IGt.into(),
        S::UGreaterThanEqual => I::UGe.into(), S::SGreaterThanEqual => I::IGe.into(),
        S::ULessThan => I::ULt.into(), S::SLessThan => I::ILt.into(),
        S::ULessThanEqual => I::ULe.into(), S::SLessThanEqual => I::ILe.into(),
        S::FOrdEqual => F::FEq.into(), S::FUnordEqual => F::FEqu.into(),
        S::FOrdNotEqual | S::LessOrGreater => F::FNeo.into(), S::FUnordNotEqual => F::FNeu.into(),
        S::FOrdLessThan => F::FLt.into(), S::FUnordLessThan => F::FLtu.into(),
        S::FOrdGreaterThan => F::FGt.into(), S::FUnordGreaterThan => F::FGtu.into(),
        S::FOrdLessThanEqual => F::FLe.into(), S::FUnordLessThanEqual => F::FLeu.into(),
        S::FOrdGreaterThanEqual => F::FGe.into(), S::FUnordGreaterThanEqual => F::FGeu.into(),
        S::Ordered => F::FOrd.into(), S::Unordered => F::FUnord.into(),
        S::IsNan => F::FIsNan.into(), S::IsInf => F::FIsInf.into(), S::IsFinite => F::FIsFinite.into(),
        S::IsNormal => F::FIsNormal.into(), S::SignBitSet => F::FSignBit.into(),
        S::Any => V::Any.into(), S::All => V::All.into(), S::Dot => V::FDot.into(),
        S::Select => I::Select.into(),
        S::ConvertFToU => C::F2U.into(), S::ConvertFToS => C::F2I.into(),
        S::ConvertSToF => C::I2F.into(), S::ConvertUToF => C::U2F.into(),
        S::UConvert => C::U2U.into(), S::SConvert => C::I2I.into(), S::FConvert => C::F2F.into(),
        S::SatConvertSToU => C::I2USat.into(), S::SatConvertUToS => C::U2ISat.into(),
        S::QuantizeToF16 => F::FQuantize16.into(),
        S::UCountLeadingZerosINTEL => I::Clz.into(), S::UCountTrailingZerosINTEL => I::Ctz.into(),
        S::AbsISubINTEL => I::IAbsDiff.into(), S::AbsUSubINTEL => I::UAbsDiff.into(),
        S::IAddSatINTEL => I::IAddSat.into(), S::UAddSatINTEL => I::UAddSat.into(),
        S::IAverageINTEL => I::IHadd.into(), S::UAverageINTEL => I::UHadd.into(),
        S::IAverageRoundedINTEL => I::IRhadd.into(), S::UAverageRoundedINTEL => I::URhadd.into(),
        S::ISubSatINTEL => I::ISubSat.into(), S::USubSatINTEL => I::USubSat.into(),
        _ => return None,
    })
}

impl<'a> Lower<'_, 'a> {
    /// Lowers arithmetic. None if the instruction is not arithmetic.
    pub(super) fn arithmetic(&mut self, op: S, inst: Instruction<'a>) -> Option<Option<()>> {
        if let Some(plain) = plain(op) {
            return Some(self.plain(plain, inst));
        }
        Some(match op {
            S::Bitcast => self.bitcast(inst),
            S::IAddCarry => self.pair(inst, IntOp::IAdd, IntOp::UAddCarry),
            S::ISubBorrow => self.pair(inst, IntOp::ISub, IntOp::USubBorrow),
            S::UMulExtended => self.pair(inst, IntOp::IMul, IntOp::UMulHigh),
            S::SMulExtended => self.pair(inst, IntOp::IMul, IntOp::IMulHigh),
            S::DPdx => self.derivative(inst, GroupOp::Ddx, None),
            S::DPdy => self.derivative(inst, GroupOp::Ddy, None),
            S::Fwidth => self.derivative(inst, GroupOp::Fwidth, None),
            S::DPdxFine => self.derivative(inst, GroupOp::Ddx, Some(Derivative::Fine)),
            S::DPdyFine => self.derivative(inst, GroupOp::Ddy, Some(Derivative::Fine)),
            S::FwidthFine => self.derivative(inst, GroupOp::Fwidth, Some(Derivative::Fine)),
            S::DPdxCoarse => self.derivative(inst, GroupOp::Ddx, Some(Derivative::Coarse)),
            S::DPdyCoarse => self.derivative(inst, GroupOp::Ddy, Some(Derivative::Coarse)),
            S::FwidthCoarse => self.derivative(inst, GroupOp::Fwidth, Some(Derivative::Coarse)),
            S::SDot | S::UDot | S::SUDot | S::SDotAccSat | S::UDotAccSat | S::SUDotAccSat => {
                self.int_dot(op, inst)
            }
            _ => return self.matrix(op, inst),
        })
    }

    /// An operation on the operands in their order.
    fn plain(&mut self, op: Op, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let Some(value) = self.r.module.value_type(ty) else {
            return self.leafwise(op, ty, inst);
        };
        if inst.rest(3).len() > 4 {
            return self.mismatch(inst, "has too many operands");
        }
        let mut args = Vec::with_capacity(4);
        for &id in inst.rest(3) {
            args.push(self.bits(id, inst)?);
        }
        // One offset and count for all components of a bit field.
        if let Op::Int(IntOp::Bfi | IntOp::IBfe | IntOp::UBfe) = op {
            let bases = if op == Op::Int(IntOp::Bfi) { 2 } else { 1 };
            for arg in args.iter_mut().skip(bases).filter(|_| value.components() > 1) {
                if self.ty(*arg).components() == 1 {
                    *arg = self.splat(*arg, value.components());
                }
            }
        }
        let op = self.rounded(op, inst.word(2));
        self.checked(op, value, &args, ty, inst)
    }

    /// Arithmetic that some tools write for whole matrices: column by column.
    fn leafwise(&mut self, op: Op, ty: Type, inst: Instruction<'a>) -> Option<()> {
        let list = self.leaves_of(ty, inst)?;
        let mut operands = Vec::new();
        for &id in inst.rest(3) {
            let value = self.value(id, inst)?;
            let leaves = self.leaves(&value.val).to_vec();
            if leaves.len() != list.len() {
                return self.mismatch(inst, "has operands of the wrong types");
            }
            operands.push(leaves);
        }
        let mut results = Vec::new();
        for (at, leaf) in list.iter().enumerate() {
            let args: Vec<Inst> = operands.iter().map(|operand| operand[at]).collect();
            let types: Vec<ValueType> = args.iter().map(|&arg| self.ty(arg)).collect();
            if op.info().check(leaf.value, &types).is_err() {
                return self.mismatch(inst, "has operands of the wrong types");
            }
            results.push(self.op(op, leaf.value, &args));
        }
        let val = self.pack(&results);
        self.set(inst.word(2), ty, val);
        Some(())
    }

    /// Rounding and saturation of a conversion, as its decorations request.
    fn rounded(&self, op: Op, id: u32) -> Op {
        use ConvertOp as C;
        let Op::Convert(convert) = op else { return op };
        let saturated = self.r.decoration(id, D::SaturatedConversion as u32).is_some();
        match (convert, self.r.decoration(id, D::FPRoundingMode as u32)) {
            (C::F2F, Some(1)) => C::F2FRtz.into(),
            (C::F2F, Some(2)) => C::F2FRtp.into(),
            (C::F2F, Some(3)) => C::F2FRtn.into(),
            (C::F2I, _) if saturated => C::F2ISat.into(),
            (C::F2U, _) if saturated => C::F2USat.into(),
            (C::I2I, _) if saturated => C::I2ISat.into(),
            (C::U2U, _) if saturated => C::U2USat.into(),
            _ => op,
        }
    }

    /// Emits an operation if its operands have the right types, and defines the result. A result whose width
    /// differs from that of the operation is resized, as for `OpBitCount`.
    pub(super) fn checked(
        &mut self,
        op: impl Into<Op>,
        value: ValueType,
        args: &[Inst],
        ty: Type,
        inst: Instruction<'a>,
    ) -> Option<()> {
        let op = op.into();
        let mut types = [ValueType::Void; 8];
        let types = types.get_mut(..args.len())?;
        types.iter_mut().zip(args).for_each(|(ty, &arg)| *ty = self.asm.body().ty(arg));
        let result = if op.info().check(value, types).is_ok() {
            self.op(op, value, args)
        } else {
            let inferred = op.info().infer(types);
            let resized = inferred.filter(|_| matches!(op, Op::Int(_))).and_then(|natural| {
                let result = self.op(op, natural, args);
                self.resize(result, value)
            });
            match resized {
                Some(result) => result,
                None => {
                    return self
                        .mismatch(inst, format!("has operands of the wrong types for `{}`", op.name()));
                }
            }
        };
        self.set(inst.word(2), ty, Val::One(result));
        Some(())
    }

    fn bitcast(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let from = self.leaf(inst.word(3), inst)?;
        let Some(value) = self.r.module.value_type(ty) else {
            return self.mismatch(inst, "has a result of more than one value");
        };
        let result = match (self.ty(from), value) {
            (_, ValueType::Path) => return self.pointer_cast(inst),
            (ValueType::Path, ValueType::Bits { .. }) => self.op(PtrOp::ToBits, value, &[from]),
            (given, wanted) if given == wanted => from,
            (
                ValueType::Bits { width, components },
                ValueType::Bits { width: to, components: to_components },
            ) if width.bits() * u32::from(components) == to.bits() * u32::from(to_components) => {
                self.op(VectorOp::Repack, value, &[from])
            }
            _ => return self.mismatch(inst, "changes the number of bits of its operand"),
        };
        self.set(inst.word(2), ty, Val::One(result));
        Some(())
    }

    /// Two results in a structure.
    fn pair(&mut self, inst: Instruction<'a>, low: IntOp, high: IntOp) -> Option<()> {
        let ty = self.result_type(inst)?;
        let list = self.leaves_of(ty, inst)?;
        let (a, b) = (self.bits(inst.word(3), inst)?, self.bits(inst.word(4), inst)?);
        let fits =
            list.len() == 2 && list.iter().all(|leaf| leaf.value == self.ty(a)) && self.ty(a) == self.ty(b);
        if !fits || self.ty(a).width() == Some(Width::W1) {
            return self
                .mismatch(inst, "must have a structure of two numbers of its operands' type as its result");
        }
        let value = self.ty(a);
        let (first, second) = (self.op(low, value, &[a, b]), self.op(high, value, &[a, b]));
        // Multiplications that yield both halves have the low one first, in the order of SPIR-V.
        let val = self.pack(&[first, second]);
        self.set(inst.word(2), ty, val);
        Some(())
    }

    fn derivative(
        &mut self,
        inst: Instruction<'a>,
        op: GroupOp,
        precision: Option<Derivative>,
    ) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let arg = self.bits(inst.word(3), inst)?;
        self.checked(op, value, &[arg], ty, inst)?;
        if let (Some(precision), Val::One(result)) =
            (precision, self.values.get(inst.word(2)).unwrap_or_default().val)
        {
            let data = self.asm.inst_mut(result);
            data.attrs = data.attrs.with_word(precision);
        }
        Some(())
    }

    fn int_dot(&mut self, op: S, inst: Instruction<'a>) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let (mut a, mut b) = (self.bits(inst.word(3), inst)?, self.bits(inst.word(4), inst)?);
        let accumulates = matches!(op, S::SDotAccSat | S::UDotAccSat | S::SUDotAccSat);
        let added = if accumulates { Some(self.bits(inst.word(5), inst)?) } else { None };
        let signs = match op {
            S::SDot | S::SDotAccSat => [true, true],
            S::UDot | S::UDotAccSat => [false, false],
            _ => [true, false],
        };
        if self.ty(a) == ValueType::B32 && self.ty(b) == ValueType::B32 && value == ValueType::B32 {
            let packed = match (signs, accumulates) {
                ([true, true], false) => IntOp::SDot4x8,
                ([false, _], false) => IntOp::UDot4x8,
                ([true, false], false) => IntOp::SUDot4x8,
                ([true, true], true) => IntOp::SDot4x8Sat,
                ([false, _], true) => IntOp::UDot4x8Sat,
                ([true, false], true) => IntOp::SUDot4x8Sat,
            };
            let args: Vec<Inst> = [Some(a), Some(b), added].into_iter().flatten().collect();
            return self.checked(packed, value, &args, ty, inst);
        }
        let wide = value.with_components(self.ty(a).components());
        for (side, signed) in [&mut a, &mut b].into_iter().zip(signs) {
            let given = self.ty(*side);
            if given == wide {
                continue;
            }
            let convert = if signed { ConvertOp::I2I } else { ConvertOp::U2U };
            if Op::from(convert).info().check(wide, &[given]).is_err() {
                return self.mismatch(inst, "has operands of the wrong types");
            }
            *side = self.op(convert, wide, &[*side]);
        }
        let Some(dot) = self.infer(VectorOp::IDot, &[a, b]) else {
            return self.mismatch(inst, "has operands of the wrong types");
        };
        match added {
            None => {
                self.set(inst.word(2), ty, Val::One(dot));
                Some(())
            }
            Some(added) => {
                let add = if signs[0] { IntOp::IAddSat } else { IntOp::UAddSat };
                self.checked(add, value, &[dot, added], ty, inst)
            }
        }
    }

    /// If a full type is a matrix: its columns, and the components of a column.
    pub(super) fn matrix_shape(&self, ty: Type) -> Option<(u8, u8)> {
        match *self.r.module.type_of(ty) {
            TypeData::Matrix { column, columns, .. } => {
                Some((columns, self.r.module.value_type(column)?.components()))
            }
            _ => None,
        }
    }
}
