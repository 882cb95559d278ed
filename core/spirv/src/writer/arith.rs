//! Arithmetic: by the table if an operation is one instruction, spelled out if it is several.

use super::function::FunctionWriter;
use super::ops::{InstCode, OpEntry, OperandKind, ResultKind, entry};
use super::shared::{NumberShape, Scalar, Slot};
use crate::spec::{Decoration as D, GlslStd450Op as G, Op as S};
use vitrine_ir::ops::{Bits, ConvertOp, FloatOp, IntOp, Op, Scalar as Number, ValueType, VectorOp, Width};
use vitrine_ir::{Diag, Inst};

/// The version from which one condition selects between whole vectors.
const SCALAR_CHOICES: u32 = 1 << 16 | 4 << 8;

/// Operations that are one half of an instruction with two results in a structure.
struct PairedOp {
    low: Op,
    high: Op,
    code: InstCode,
    meant: Scalar,
}

#[rustfmt::skip] // A table.
fn pairs() -> [PairedOp; 6] {
    let pair = |low: Op, high: Op, code, meant| PairedOp { low, high, code, meant };
    [
        pair(IntOp::IAdd.into(), IntOp::UAddCarry.into(), InstCode::Core(S::IAddCarry), Scalar::Uint),
        pair(IntOp::ISub.into(), IntOp::USubBorrow.into(), InstCode::Core(S::ISubBorrow), Scalar::Uint),
        pair(IntOp::IMul.into(), IntOp::UMulHigh.into(), InstCode::Core(S::UMulExtended), Scalar::Uint),
        pair(IntOp::IMul.into(), IntOp::IMulHigh.into(), InstCode::Core(S::SMulExtended), Scalar::Int),
        pair(FloatOp::FModfFract.into(), FloatOp::FModfWhole.into(), InstCode::Glsl(G::ModfStruct), Scalar::Float),
        pair(FloatOp::FFrexpSig.into(), FloatOp::FFrexpExp.into(), InstCode::Glsl(G::FrexpStruct), Scalar::Float),
    ]
}

impl FunctionWriter<'_, '_> {
    /// Writes arithmetic. Returns the number of following instructions that were written with it.
    pub(super) fn arithmetic(&mut self, inst: Inst, op: Op, next: Option<Inst>) -> Result<usize, Diag> {
        self.within_limits(inst, op)?;
        if let Some(taken) = self.pair(inst, op, next)? {
            return Ok(taken);
        }
        let data = self.body.inst(inst);
        let is_bool = data.args.first().is_some_and(|&arg| self.body.ty(arg).width() == Some(Width::W1));
        match entry(op, is_bool) {
            Some(_) if self.same_width(op, inst) => {
                let scalar = self.scalar_hint(inst);
                let from = self.id_as(data.args[0], scalar)?;
                self.define_bits(inst, S::CopyObject, scalar, &[from])?;
            }
            Some(entry) => self.single_instruction(inst, op, entry)?,
            None => self.expanded(inst, op)?,
        }
        Ok(0)
    }

    /// A conversion to the width that its operand already has.
    fn same_width(&self, op: Op, inst: Inst) -> bool {
        let data = self.body.inst(inst);
        matches!(op, Op::Convert(ConvertOp::F2F | ConvertOp::I2I | ConvertOp::U2U))
            && data.args.first().is_some_and(|&arg| self.body.ty(arg) == data.ty)
    }

    fn single_instruction(&mut self, inst: Inst, op: Op, entry: OpEntry) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let scalar = match entry.result() {
            ResultKind::Bool => Scalar::Bool,
            ResultKind::Float => Scalar::Float,
            ResultKind::Uint => Scalar::Uint,
            ResultKind::Int => self.sign_of(inst),
            ResultKind::TypeHint => self.scalar_hint(inst),
        };
        let is_select = matches!(op, Op::Int(IntOp::Select | IntOp::Select1));
        let operands = data.args.iter().enumerate();
        let integers = operands.filter(|&(at, _)| entry.operand(at) == OperandKind::Int);
        let otherwise = if scalar == Scalar::Uint { Scalar::Uint } else { Scalar::Int };
        let shared_scalar = self.int_scalar_of(integers.map(|(_, &arg)| arg), otherwise);
        let mut words = Vec::with_capacity(data.args.len() + 2);
        if let InstCode::Glsl(code) = entry.code {
            words.extend([self.writer.import("GLSL.std.450"), code as u32]);
        }
        for (at, &arg) in data.args.iter().enumerate() {
            words.push(match entry.operand(at) {
                OperandKind::Bool if is_select => self.choice(arg, data.ty.components())?,
                OperandKind::Bool => self.id_as(arg, Scalar::Bool)?,
                OperandKind::Float => self.id_as(arg, Scalar::Float)?,
                OperandKind::Uint => self.id_as(arg, Scalar::Uint)?,
                OperandKind::Int => self.int_like(arg, shared_scalar)?,
                OperandKind::Same => self.id_as(arg, scalar)?,
                OperandKind::Any => self.natural(arg)?.0,
            });
        }
        let code = match entry.code {
            InstCode::Core(code) => code,
            InstCode::Glsl(_) => S::ExtInst,
        };
        // The result of a count may be wider than that of the instruction.
        let id = self.define_bits(inst, code, scalar, &words)?;
        let rounding = match op {
            Op::Convert(ConvertOp::F2FRtz) => Some((D::FPRoundingMode, Some(1))),
            Op::Convert(ConvertOp::F2FRtp) => Some((D::FPRoundingMode, Some(2))),
            Op::Convert(ConvertOp::F2FRtn) => Some((D::FPRoundingMode, Some(3))),
            Op::Convert(ConvertOp::F2ISat | ConvertOp::F2USat | ConvertOp::I2ISat | ConvertOp::U2USat) => {
                Some((D::SaturatedConversion, None))
            }
            _ => None,
        };
        if let Some((decoration, mode)) = rounding {
            self.writer.decorate(id, decoration as u32, mode.as_slice());
        }
        Ok(())
    }

    /// The condition of a select between values with this many components. Before 1.4 it must have the same
    /// number.
    fn choice(&mut self, cond: Inst, components: u8) -> Result<u32, Diag> {
        let id = self.id_as(cond, Scalar::Bool)?;
        if self.body.ty(cond).components() == components || self.writer.declared_version() >= SCALAR_CHOICES {
            return Ok(id);
        }
        let whole =
            self.writer.number_type(NumberShape { scalar: Scalar::Bool, width: Width::W1, components });
        Ok(self.emit(S::CompositeConstruct, whole, &vec![id; usize::from(components)]))
    }

    /// The signedness of an integer. If it is unknown, that of the operands, which avoids casts.
    fn sign_of(&self, inst: Inst) -> Scalar {
        let meant = self.int_hint(inst);
        if meant != Scalar::Int {
            return meant;
        }
        let args = self.body.inst(inst).args.iter();
        let (mut unsigned, mut signed) = (false, false);
        for &arg in args {
            match self.slot(arg) {
                Slot::Bits { scalar: Scalar::Uint | Scalar::Float, .. } => unsigned = true,
                Slot::Bits { scalar: Scalar::Int, .. } => signed = true,
                _ => {}
            }
        }
        if unsigned && !signed { Scalar::Uint } else { Scalar::Int }
    }

    /// Two results of one instruction: written together if they are adjacent.
    fn pair(&mut self, inst: Inst, op: Op, next: Option<Inst>) -> Result<Option<usize>, Diag> {
        let data = self.body.inst(inst);
        let both = next.filter(|&next| self.body.inst(next).args == data.args).and_then(|next| {
            let high = self.body.inst(next);
            let pair = pairs().into_iter().find(|pair| pair.low == op && pair.high == high.op)?;
            (high.ty.components() == data.ty.components()).then_some((pair, next))
        });
        if let Some((pair, next)) = both {
            self.write_pair(&pair, Some(inst), Some(next))?;
            return Ok(Some(1));
        }
        // One half alone, if it is not an instruction itself.
        let half = pairs()
            .into_iter()
            .find(|pair| pair.high == op || pair.low == op && matches!(pair.code, InstCode::Glsl(_)));
        match half {
            Some(pair) if pair.high == op => self.write_pair(&pair, None, Some(inst))?,
            Some(pair) => self.write_pair(&pair, Some(inst), None)?,
            None => return Ok(None),
        }
        Ok(Some(0))
    }

    fn write_pair(&mut self, pair: &PairedOp, low: Option<Inst>, high: Option<Inst>) -> Result<(), Diag> {
        let Some(one) = low.or(high) else { return Ok(()) };
        let data = self.body.inst(one);
        let value = self.body.ty(data.args[0]);
        let is_frexp = pair.low == Op::Float(FloatOp::FFrexpSig);
        let (second, second_value) = match is_frexp {
            true => (Scalar::Int, ValueType::bits(Width::W32, value.components())),
            false => (pair.meant, value),
        };
        let first_type = self.number(pair.meant, value, one)?;
        let second_type = self.number(second, second_value, one)?;
        let both = self.writer.intern(S::TypeStruct, &[first_type, second_type]);
        let mut words = Vec::new();
        let code = match pair.code {
            InstCode::Core(code) => code,
            InstCode::Glsl(code) => {
                words.extend([self.writer.import("GLSL.std.450"), code as u32]);
                S::ExtInst
            }
        };
        for &arg in data.args.iter() {
            words.push(self.id_as(arg, pair.meant)?);
        }
        let id = self.emit(code, both, &words);
        for (half, at, scalar, ty) in [(low, 0, pair.meant, first_type), (high, 1, second, second_type)] {
            let Some(half) = half else { continue };
            if self.uses.any(half) {
                let id = self.define(half, S::CompositeExtract, ty, &[id, at]);
                self.set(half, Slot::Bits { id, scalar });
            }
        }
        Ok(())
    }

    /// A constant with the same number in every component.
    fn splat_constant(
        &mut self,
        number: Number,
        scalar: Scalar,
        ty: ValueType,
        inst: Inst,
    ) -> Result<u32, Diag> {
        let bits = Bits::from_scalars(&vec![number; usize::from(ty.components())]);
        let components: Vec<u32> = bits
            .components()
            .iter()
            .map(|&component| self.writer.component_constant(component, bits.width(), scalar))
            .collect();
        match components[..] {
            [one] => Ok(one),
            _ => {
                let ty = self.number(scalar, ty, inst)?;
                Ok(self.writer.typed(S::ConstantComposite, ty, &components))
            }
        }
    }

    fn glsl(&mut self, inst: Inst, code: G, operands: &[u32]) -> Result<(), Diag> {
        let mut words = vec![self.writer.import("GLSL.std.450"), code as u32];
        words.extend(operands);
        self.define_bits(inst, S::ExtInst, Scalar::Float, &words).map(|_| ())
    }

    /// Operations that are several instructions, or one with different operands.
    fn expanded(&mut self, inst: Inst, op: Op) -> Result<(), Diag> {
        match op {
            Op::Float(op) => self.float(inst, op),
            Op::Int(op) => self.int(inst, op),
            Op::Convert(op) => self.truth(inst, op),
            _ => Err(self.no_instruction(inst, "run the pass that lowers it first")),
        }
    }

    fn float(&mut self, inst: Inst, op: FloatOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let (ty, width) = (data.ty, data.ty.width().unwrap_or_default());
        let mut args = Vec::new();
        for &arg in data.args.iter() {
            args.push(self.id_as(arg, Scalar::Float)?);
        }
        if op == FloatOp::FMad {
            let float = self.number(Scalar::Float, ty, inst)?;
            let product = self.emit(S::FMul, float, &[args[0], args[1]]);
            return self.define_bits(inst, S::FAdd, Scalar::Float, &[product, args[2]]).map(|_| ());
        }
        if let FloatOp::FMulZ | FloatOp::FFmaZ = op {
            return self.zero_product(inst, &args);
        }
        let one = self.splat_constant(Number::float(width, 1.0), Scalar::Float, ty, inst)?;
        match op {
            FloatOp::FRcp => self.define_bits(inst, S::FDiv, Scalar::Float, &[one, args[0]]).map(|_| ()),
            FloatOp::FCanonicalize => {
                self.define_bits(inst, S::FMul, Scalar::Float, &[args[0], one]).map(|_| ())
            }
            FloatOp::FSat => {
                // NaN clamps to the lower bound.
                let zero = self.splat_constant(Number::float(width, 0.0), Scalar::Float, ty, inst)?;
                self.glsl(inst, G::NClamp, &[args[0], zero, one])
            }
            _ => Err(self.no_instruction(inst, "run the pass that lowers it first")),
        }
    }

    /// A product, and a sum with it: the first factor is replaced by 0.0 where the other one is zero, and the other
    /// way around.
    fn zero_product(&mut self, inst: Inst, args: &[u32]) -> Result<(), Diag> {
        let ty = self.body.ty(inst);
        let width = ty.width().unwrap_or_default();
        let float = self.number(Scalar::Float, ty, inst)?;
        let bool = self.number(Scalar::Bool, ValueType::bits(Width::W1, ty.components()), inst)?;
        let zero = self.splat_constant(Number::float(width, 0.0), Scalar::Float, ty, inst)?;
        let is_zero = |emit: &mut Self, arg| emit.emit(S::FOrdEqual, bool, &[arg, zero]);
        let tests = [is_zero(self, args[0]), is_zero(self, args[1])];
        let either = self.emit(S::LogicalOr, bool, &tests);
        match args.get(2) {
            None => {
                let product = self.emit(S::FMul, float, &args[..2]);
                self.define_bits(inst, S::Select, Scalar::Float, &[either, zero, product]).map(|_| ())
            }
            Some(&added) => {
                let factors = [0, 1].map(|at| self.emit(S::Select, float, &[either, zero, args[at]]));
                self.glsl(inst, G::Fma, &[factors[0], factors[1], added])
            }
        }
    }

    fn int(&mut self, inst: Inst, op: IntOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let scalar = self.int_hint(inst);
        match op {
            IntOp::UBfe | IntOp::IBfe | IntOp::Bfi => {
                let code = match op {
                    IntOp::UBfe => S::BitFieldUExtract,
                    IntOp::IBfe => S::BitFieldSExtract,
                    _ => S::BitFieldInsert,
                };
                let bases = if op == IntOp::Bfi { 2 } else { 1 };
                let mut words = Vec::new();
                for (at, &arg) in data.args.iter().enumerate() {
                    words.push(if at < bases { self.id_as(arg, scalar)? } else { self.single_count(arg)? });
                }
                self.define_bits(inst, code, scalar, &words).map(|_| ())
            }
            IntOp::Rotl | IntOp::Rotr => self.rotate(inst, op, scalar),
            IntOp::BitSelect => {
                let ty = self.number(scalar, data.ty, inst)?;
                let mut args = Vec::new();
                for &arg in data.args.iter() {
                    args.push(self.id_as(arg, scalar)?);
                }
                let taken = self.emit(S::BitwiseAnd, ty, &[args[0], args[1]]);
                let mask = self.emit(S::Not, ty, &[args[0]]);
                let left = self.emit(S::BitwiseAnd, ty, &[mask, args[2]]);
                self.define_bits(inst, S::BitwiseOr, scalar, &[taken, left]).map(|_| ())
            }
            IntOp::SDot4x8
            | IntOp::UDot4x8
            | IntOp::SUDot4x8
            | IntOp::SDot4x8Sat
            | IntOp::UDot4x8Sat
            | IntOp::SUDot4x8Sat => self.packed_dot(inst, op),
            _ => Err(self.no_instruction(inst, "run the pass that lowers it first")),
        }
    }

    /// Offset or count of a bit field: SPIR-V takes one for all components.
    fn single_count(&mut self, count: Inst) -> Result<u32, Diag> {
        if self.body.ty(count).components() == 1 {
            return self.int_id(count);
        }
        let data = self.body.inst(count);
        if data.op == Op::Vector(VectorOp::Splat) {
            return self.int_id(data.args[0]);
        }
        if let Slot::Const(bits) = self.slot(count) {
            let bits = self.writer.module.bits_of(bits);
            if bits.components().iter().all(|component| *component == bits.components()[0]) {
                return Ok(self.writer.component_constant(bits.components()[0], bits.width(), Scalar::Uint));
            }
        }
        Err(self.no_instruction(count, "SPIR-V takes one offset and count for all components of a bit field"))
    }

    fn rotate(&mut self, inst: Inst, op: IntOp, scalar: Scalar) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let ty = data.ty;
        let width = ty.width().unwrap_or_default();
        let count_type = self.body.ty(data.args[1]);
        let (value, count) = (self.id_as(data.args[0], scalar)?, self.id_as(data.args[1], Scalar::Uint)?);
        let number = self.number(scalar, ty, inst)?;
        let counts = self.number(Scalar::Uint, count_type, inst)?;
        let count_width = count_type.width().unwrap_or_default();
        let last = Number::new(count_width, u64::from(width.bits()) - 1);
        let mask = self.splat_constant(last, Scalar::Uint, count_type, inst)?;
        let there = self.emit(S::BitwiseAnd, counts, &[count, mask]);
        let negated = self.emit(S::SNegate, counts, &[count]);
        let back = self.emit(S::BitwiseAnd, counts, &[negated, mask]);
        let (left, right) = if op == IntOp::Rotl { (there, back) } else { (back, there) };
        let high = self.emit(S::ShiftLeftLogical, number, &[value, left]);
        let low = self.emit(S::ShiftRightLogical, number, &[value, right]);
        self.define_bits(inst, S::BitwiseOr, scalar, &[high, low]).map(|_| ())
    }

    fn packed_dot(&mut self, inst: Inst, op: IntOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let (code, scalar) = match op {
            IntOp::UDot4x8 => (S::UDot, Scalar::Uint),
            IntOp::UDot4x8Sat => (S::UDotAccSat, Scalar::Uint),
            IntOp::SUDot4x8 => (S::SUDot, Scalar::Int),
            IntOp::SUDot4x8Sat => (S::SUDotAccSat, Scalar::Int),
            IntOp::SDot4x8Sat => (S::SDotAccSat, Scalar::Int),
            _ => (S::SDot, Scalar::Int),
        };
        let mut words = vec![self.int_id(data.args[0])?, self.int_id(data.args[1])?];
        if let Some(&added) = data.args.get(2) {
            words.push(self.id_as(added, scalar)?);
        }
        // PackedVectorFormat4x8Bit
        words.push(0);
        self.define_bits(inst, code, scalar, &words).map(|_| ())
    }

    /// Booleans as numbers, and numbers as booleans.
    fn truth(&mut self, inst: Inst, op: ConvertOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let (arg, ty) = (data.args[0], data.ty);
        let from = self.body.ty(arg);
        let (width, from_width) = (ty.width().unwrap_or_default(), from.width().unwrap_or_default());
        match op {
            ConvertOp::B2I | ConvertOp::B2F => {
                let (scalar, one, zero) = match op {
                    ConvertOp::B2F => (Scalar::Float, Number::float(width, 1.0), Number::float(width, 0.0)),
                    _ => (self.int_hint(inst), Number::new(width, 1), Number::zero(width)),
                };
                let cond = self.id_as(arg, Scalar::Bool)?;
                let one = self.splat_constant(one, scalar, ty, inst)?;
                let zero = self.splat_constant(zero, scalar, ty, inst)?;
                self.define_bits(inst, S::Select, scalar, &[cond, one, zero]).map(|_| ())
            }
            ConvertOp::F2B => {
                let value = self.id_as(arg, Scalar::Float)?;
                let zero = self.splat_constant(Number::float(from_width, 0.0), Scalar::Float, from, inst)?;
                self.define_bits(inst, S::FUnordNotEqual, Scalar::Bool, &[value, zero]).map(|_| ())
            }
            ConvertOp::I2B => {
                let value = self.id_as(arg, Scalar::Uint)?;
                let zero = self.splat_constant(Number::zero(from_width), Scalar::Uint, from, inst)?;
                self.define_bits(inst, S::INotEqual, Scalar::Bool, &[value, zero]).map(|_| ())
            }
            _ => Err(self.no_instruction(inst, "run the pass that lowers it first")),
        }
    }
}
