//! Components of vectors: construction, swizzles, shuffles, comparisons.

use super::function::FunctionWriter;
use super::ops::{InstCode, entry};
use super::shared::{Scalar, Slot};
use crate::spec::Op as S;
use vitrine_ir::ops::attr::unpack_component;
use vitrine_ir::ops::{IntOp, Key, Op, ValueType, VectorOp};
use vitrine_ir::{Diag, Inst};

impl FunctionWriter<'_, '_> {
    /// Writes an operation on the components of vectors.
    pub(super) fn vector_op(&mut self, inst: Inst, op: VectorOp) -> Result<(), Diag> {
        self.within_limits(inst, op.into())?;
        // Four offsets whose gather was lowered have no type, and no use.
        let is_wide = self.body.ty(inst).components() > 4 && !self.writer.kernel;
        if is_wide && !self.uses.any(inst) {
            return Ok(());
        }
        match op {
            VectorOp::Vec => self.construct(inst),
            VectorOp::Splat => self.splat(inst),
            VectorOp::Swizzle => self.swizzle(inst),
            VectorOp::Shuffle => self.shuffle(inst),
            VectorOp::Extract => {
                let data = self.body.inst(inst);
                let scalar = self.scalar_hint(inst);
                let (from, index) = (self.id_as(data.args[0], scalar)?, self.int_id(data.args[1])?);
                self.define_bits(inst, S::VectorExtractDynamic, scalar, &[from, index]).map(|_| ())
            }
            VectorOp::Insert => {
                let data = self.body.inst(inst);
                let scalar = self.scalar_hint(inst);
                let (into, component) =
                    (self.id_as(data.args[0], scalar)?, self.id_as(data.args[1], scalar)?);
                let index = self.int_id(data.args[2])?;
                self.define_bits(inst, S::VectorInsertDynamic, scalar, &[into, component, index]).map(|_| ())
            }
            VectorOp::AllEq => self.all(inst, IntOp::IEq, S::All),
            VectorOp::AnyNe => self.all(inst, IntOp::INe, S::Any),
            VectorOp::IDot => self.int_dot(inst),
            VectorOp::Repack
            | VectorOp::Pack64From32
            | VectorOp::Unpack64To32
            | VectorOp::Pack64From16
            | VectorOp::Unpack64To16
            | VectorOp::Pack32From16
            | VectorOp::Unpack32To16
            | VectorOp::Pack32From8
            | VectorOp::Unpack32To8 => {
                let data = self.body.inst(inst);
                let scalar = self.scalar_hint(inst);
                if data.ty == self.body.ty(data.args[0]) {
                    let from = self.id_as(data.args[0], scalar)?;
                    return self.define_bits(inst, S::CopyObject, scalar, &[from]).map(|_| ());
                }
                let from = self.natural(data.args[0])?.0;
                self.define_bits(inst, S::Bitcast, scalar, &[from]).map(|_| ())
            }
            VectorOp::All
            | VectorOp::Any
            | VectorOp::FDot
            | VectorOp::FCross
            | VectorOp::FLength
            | VectorOp::FDistance
            | VectorOp::FNormalize
            | VectorOp::FFaceForward
            | VectorOp::FReflect
            | VectorOp::FRefract
            | VectorOp::PackHalf2x16
            | VectorOp::UnpackHalf2x16
            | VectorOp::PackUnorm2x16
            | VectorOp::UnpackUnorm2x16
            | VectorOp::PackSnorm2x16
            | VectorOp::UnpackSnorm2x16
            | VectorOp::PackUnorm4x8
            | VectorOp::UnpackUnorm4x8
            | VectorOp::PackSnorm4x8
            | VectorOp::UnpackSnorm4x8 => self.arithmetic(inst, op.into(), None).map(|_| ()),
        }
    }

    fn construct(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        if self.uses.only_absorbed(inst) {
            return Ok(());
        }
        let scalar = self.scalar_hint(inst);
        let mut words = Vec::with_capacity(data.args.len());
        for &arg in data.args.iter() {
            words.push(self.id_as(arg, scalar)?);
        }
        match words[..] {
            [one] => self.define_bits(inst, S::CopyObject, scalar, &[one])?,
            _ => self.define_bits(inst, S::CompositeConstruct, scalar, &words)?,
        };
        Ok(())
    }

    fn splat(&mut self, inst: Inst) -> Result<(), Diag> {
        if self.uses.only_absorbed(inst) {
            return Ok(());
        }
        let data = self.body.inst(inst);
        let scalar = self.scalar_hint(inst);
        let from = self.id_as(data.args[0], scalar)?;
        match data.ty.components() {
            1 => self.define_bits(inst, S::CopyObject, scalar, &[from])?,
            components => {
                self.define_bits(inst, S::CompositeConstruct, scalar, &vec![from; usize::from(components)])?
            }
        };
        Ok(())
    }

    fn picked(&self, inst: Inst) -> Vec<u32> {
        let data = self.body.inst(inst);
        let packed = data.attrs.get(Key::Components).unwrap_or(0);
        (0..usize::from(data.ty.components())).map(|at| u32::from(unpack_component(packed, at))).collect()
    }

    fn swizzle(&mut self, inst: Inst) -> Result<(), Diag> {
        if self.uses.only_absorbed(inst) {
            return Ok(());
        }
        let data = self.body.inst(inst);
        let components = self.picked(inst);
        let from = data.args[0];
        if let Slot::Sparse { code, texel, scalar } = self.slot(from) {
            return self.sparse_part(
                inst,
                &components,
                code,
                texel,
                scalar,
                self.body.ty(from).components() - 1,
            );
        }
        // The source determines the type: a component of a float vector is a float.
        let (id, scalar) = match self.slot(from) {
            Slot::Const(_) | Slot::Undef => {
                let scalar = self.scalar_hint(inst);
                (self.id_as(from, scalar)?, scalar)
            }
            _ => self.natural(from)?,
        };
        match (self.body.ty(from).components(), &components[..]) {
            (1, [_]) => self.define_bits(inst, S::CopyObject, scalar, &[id])?,
            (1, _) => self.define_bits(inst, S::CompositeConstruct, scalar, &vec![id; components.len()])?,
            (_, &[component]) => self.define_bits(inst, S::CompositeExtract, scalar, &[id, component])?,
            _ => {
                let words: Vec<u32> = [id, id].into_iter().chain(components).collect();
                self.define_bits(inst, S::VectorShuffle, scalar, &words)?
            }
        };
        Ok(())
    }

    /// Part of a residency code and a texel.
    fn sparse_part(
        &mut self,
        inst: Inst,
        components: &[u32],
        code: u32,
        texel: u32,
        scalar: Scalar,
        size: u8,
    ) -> Result<(), Diag> {
        let size = u32::from(size);
        if components == [size] {
            self.set(inst, Slot::Bits { id: code, scalar: Scalar::Int });
            return Ok(());
        }
        if components.iter().copied().eq(0..size) {
            self.set(inst, Slot::Bits { id: texel, scalar });
            return Ok(());
        }
        if components.contains(&size) {
            return Err(self.no_instruction(inst, "separate the residency code from the texel"));
        }
        match (components, size) {
            (&[component], 2..) => {
                self.define_bits(inst, S::CompositeExtract, scalar, &[texel, component])?
            }
            _ => {
                let words: Vec<u32> = [texel, texel].iter().chain(components).copied().collect();
                self.define_bits(inst, S::VectorShuffle, scalar, &words)?
            }
        };
        Ok(())
    }

    fn shuffle(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let (a, b) = (data.args[0], data.args[1]);
        let (of_a, of_b) = (u32::from(self.body.ty(a).components()), u32::from(self.body.ty(b).components()));
        let scalar = self.scalar_hint(inst);
        let components = self.picked(inst);
        let (first, second) = (self.id_as(a, scalar)?, self.id_as(b, scalar)?);
        // One component inserted into a vector.
        let replaced: Vec<usize> = (0..components.len()).filter(|&at| components[at] != at as u32).collect();
        if let ([at], 1, true) = (&replaced[..], of_b, components.len() as u32 == of_a)
            && components[*at] == of_a
        {
            return self
                .define_bits(inst, S::CompositeInsert, scalar, &[second, first, *at as u32])
                .map(|_| ());
        }
        if of_a > 1 && of_b > 1 && components.len() > 1 {
            let words: Vec<u32> = [first, second].into_iter().chain(components).collect();
            return self.define_bits(inst, S::VectorShuffle, scalar, &words).map(|_| ());
        }
        let one = self.number(scalar, data.ty.with_components(1), inst)?;
        let mut parts = Vec::with_capacity(components.len());
        for component in components {
            let (from, of, component) =
                if component < of_a { (first, of_a, component) } else { (second, of_b, component - of_a) };
            parts.push(if of == 1 { from } else { self.emit(S::CompositeExtract, one, &[from, component]) });
        }
        match parts[..] {
            [only] => self.define_bits(inst, S::CopyObject, scalar, &[only])?,
            _ => self.define_bits(inst, S::CompositeConstruct, scalar, &parts)?,
        };
        Ok(())
    }

    /// Compares all components.
    fn all(&mut self, inst: Inst, compare: IntOp, join: S) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let ty = self.body.ty(data.args[0]);
        let is_bool = ty.width() == Some(vitrine_ir::ops::Width::W1);
        let Some(entry) = entry(Op::Int(compare), is_bool) else {
            return Err(self.no_instruction(inst, "compare component by component"));
        };
        let InstCode::Core(code) = entry.code else {
            return Err(self.no_instruction(inst, "compare component by component"));
        };
        let (a, b) = (self.int_id(data.args[0])?, self.int_id(data.args[1])?);
        if ty.components() == 1 {
            return self.define_bits(inst, code, Scalar::Bool, &[a, b]).map(|_| ());
        }
        let bools = self.number(Scalar::Bool, ValueType::BOOL.with_components(ty.components()), inst)?;
        let equal = self.emit(code, bools, &[a, b]);
        self.define_bits(inst, join, Scalar::Bool, &[equal]).map(|_| ())
    }

    /// Adds the products of components, starting with the first.
    fn int_dot(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let scalar = self.int_hint(inst);
        let (a, b) = (self.id_as(data.args[0], scalar)?, self.id_as(data.args[1], scalar)?);
        let code = if scalar == Scalar::Int { S::SDot } else { S::UDot };
        if self.body.ty(data.args[0]).components() == 1 {
            return self.define_bits(inst, S::IMul, scalar, &[a, b]).map(|_| ());
        }
        self.define_bits(inst, code, scalar, &[a, b]).map(|_| ())
    }
}
