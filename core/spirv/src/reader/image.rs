//! Images: lookups with the role of each operand, queries, and images with their samplers.

use super::diagnostics;
use super::values::Lower;
use super::words::{Instruction, Words};
use crate::IMAGE_OPERANDS;
use crate::spec::Op as S;
use vitrine_ir::ops::{Access, Attr, Extend, Flags, Key, Role, TexOp, ValueType, VectorOp, WordSet};
use vitrine_ir::{Attrs, ImageType, Inst, InstData, TypeData, Usage};

/// The kind of lookup of an opcode.
#[derive(Clone, Copy)]
struct Lookup {
    op: TexOp,
    compares: bool,
    projects: bool,
    sparse: bool,
}

#[rustfmt::skip] // A table.
fn lookup(op: S) -> Option<Lookup> {
    use TexOp::*;
    let (op, compares, projects, sparse) = match op {
        S::ImageSampleImplicitLod => (Sample, false, false, false), S::ImageSampleExplicitLod => (SampleLod, false, false, false),
        S::ImageSampleDrefImplicitLod => (Sample, true, false, false), S::ImageSampleDrefExplicitLod => (SampleLod, true, false, false),
        S::ImageSampleProjImplicitLod => (Sample, false, true, false), S::ImageSampleProjExplicitLod => (SampleLod, false, true, false),
        S::ImageSampleProjDrefImplicitLod => (Sample, true, true, false), S::ImageSampleProjDrefExplicitLod => (SampleLod, true, true, false),
        S::ImageFetch => (Fetch, false, false, false), S::ImageGather => (Gather, false, false, false),
        S::ImageDrefGather => (Gather, true, false, false), S::ImageRead => (Read, false, false, false),
        S::ImageSparseSampleImplicitLod => (Sample, false, false, true), S::ImageSparseSampleExplicitLod => (SampleLod, false, false, true),
        S::ImageSparseSampleDrefImplicitLod => (Sample, true, false, true), S::ImageSparseSampleDrefExplicitLod => (SampleLod, true, false, true),
        S::ImageSparseFetch => (Fetch, false, false, true), S::ImageSparseGather => (Gather, false, false, true),
        S::ImageSparseDrefGather => (Gather, true, false, true), S::ImageSparseRead => (Read, false, false, true),
        _ => return None,
    };
    Some(Lookup { op, compares, projects, sparse })
}

/// Operands and attributes of an image operation under construction.
struct LookupParts {
    roles: Vec<Role>,
    args: Vec<Inst>,
    attrs: Vec<Attr>,
    access: Access,
}

impl LookupParts {
    fn new(image: Inst, ty: &ImageType) -> LookupParts {
        let mut attrs = vec![Attr::word(ty.dim)];
        if ty.arrayed {
            attrs.push(Attr::new(Key::Arrayed, 1));
        }
        if ty.multisampled {
            attrs.push(Attr::new(Key::Multisampled, 1));
        }
        LookupParts { roles: vec![Role::Image], args: vec![image], attrs, access: Access::NONE }
    }

    fn add(&mut self, role: Role, arg: Inst) {
        self.roles.push(role);
        self.args.push(arg);
    }

    fn data(mut self, op: TexOp, value: ValueType) -> InstData {
        self.attrs.push(Attr::new(Key::Roles, Role::pack(&self.roles)));
        if !self.access.is_none() {
            self.attrs.push(Attr::new(Key::Access, self.access.number()));
        }
        let mut data = InstData::new(op, value, &self.args);
        let info = data.op.info();
        self.attrs.retain(|attr| info.need.contains(&attr.key) || info.may.contains(&attr.key));
        data.attrs = Attrs::from_list(self.attrs);
        data
    }
}

impl<'a> Lower<'_, 'a> {
    /// Lowers an instruction about images. None if it is another one.
    pub(super) fn image(&mut self, op: S, inst: Instruction<'a>) -> Option<Option<()>> {
        if let Some(lookup) = lookup(op) {
            return Some(self.look_up(lookup, inst));
        }
        Some(match op {
            S::ImageWrite => self.image_write(inst),
            S::SampledImage => self.combine_image(inst),
            S::Image => self.image_of(inst),
            S::ImageQuerySize => self.query(TexOp::QuerySize, None, inst),
            S::ImageQuerySizeLod => self.query(TexOp::QuerySize, Some(Role::Lod), inst),
            S::ImageQueryLod => self.query(TexOp::QueryLod, Some(Role::Coord), inst),
            S::ImageQueryLevels => self.count(TexOp::QueryLevels, inst),
            S::ImageQuerySamples => self.count(TexOp::QuerySamples, inst),
            S::ImageSparseTexelsResident => self.resident(inst),
            _ => return None,
        })
    }

    /// The handle of an image, and its type.
    fn image_operand(&mut self, id: u32, inst: Instruction<'a>) -> Option<(Inst, ImageType)> {
        let value = self.value(id, inst)?;
        let leaf = self.leaf(id, inst)?;
        match value.ty.map(|ty| self.r.module.type_of(ty)) {
            Some(TypeData::Image(image) | TypeData::SampledImage(image)) => Some((leaf, *image)),
            _ => self.mismatch(inst, format!("has the image %{id}, which is not an image")),
        }
    }

    fn look_up(&mut self, lookup: Lookup, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let (image, image_type) = self.image_operand(inst.word(3), inst)?;
        let mut parts = LookupParts::new(image, &image_type);
        let coord = self.bits(inst.word(4), inst)?;
        parts.add(Role::Coord, coord);
        if lookup.projects {
            let dim = image_type.dim;
            let component = dim.axes() as u8;
            if self.ty(coord).components() <= component {
                return self.mismatch(inst, "has a coordinate without the component to divide by");
            }
            let projector = self.component(coord, component);
            parts.add(Role::Projector, projector);
        }
        let mut next = 5;
        if lookup.compares || lookup.op == TexOp::Gather {
            let operand = self.bits(inst.word(next), inst)?;
            parts.add(if lookup.compares { Role::Compare } else { Role::Component }, operand);
            next += 1;
        }
        if lookup.compares {
            parts.attrs.push(Attr::new(Key::Shadow, 1));
        }
        self.operands(&mut parts, inst.rest(next), inst)?;
        if lookup.sparse {
            return self.sparse(lookup.op, parts, ty, inst);
        }
        let Some(value @ ValueType::Bits { .. }) = self.r.module.value_type(ty) else {
            return self.mismatch(inst, "has a result that is not a texel");
        };
        let result = self.put_lookup(lookup.op, parts, value);
        self.define_one(result, ty, inst)
    }

    fn put_lookup(&mut self, op: TexOp, parts: LookupParts, value: ValueType) -> Inst {
        let flags = [Flags::RELAXED, Flags::NONUNIFORM].into_iter().filter(|&flag| self.flags.has(flag));
        let flags = flags.fold(Flags::NONE, Flags::and);
        self.put(parts.data(op, value).flagged(flags))
    }

    /// A residency code and a texel, as one value with one more component.
    fn sparse(
        &mut self,
        op: TexOp,
        mut parts: LookupParts,
        ty: vitrine_ir::Type,
        inst: Instruction<'a>,
    ) -> Option<()> {
        let list = self.leaves_of(ty, inst)?;
        let (ValueType::B32, Some(texel)) =
            (list.first().map_or(ValueType::Void, |leaf| leaf.value), list.get(1))
        else {
            return self
                .mismatch(inst, "must have a structure of a residency code and a texel as its result");
        };
        let components = texel.value.components();
        if texel.value.width() != Some(vitrine_ir::ops::Width::W32) || components > 4 || list.len() != 2 {
            self.error(
                diagnostics::BEYOND,
                inst,
                "has a sparse texel whose components do not have 32 bits",
                "use 32-bit texels",
            );
            return None;
        }
        parts.attrs.push(Attr::new(Key::Sparse, 1));
        let both = self.put_lookup(op, parts, texel.value.with_components(components + 1));
        let code = self.swizzle(both, &[components]);
        let texel = self.swizzle(both, &(0..components).collect::<Vec<u8>>());
        let val = self.pack(&[code, texel]);
        self.set(inst.word(2), ty, val);
        Some(())
    }

    /// Image operands: a mask and the operands that it announces.
    fn operands(&mut self, parts: &mut LookupParts, words: &[u32], inst: Instruction<'a>) -> Option<()> {
        let Some((&mask, mut rest)) = words.split_first() else { return Some(()) };
        let mut next = || match rest.split_first() {
            Some((&first, more)) => {
                rest = more;
                first
            }
            None => 0,
        };
        for (_, roles) in IMAGE_OPERANDS.into_iter().filter(|(bit, _)| mask & bit != 0) {
            for &role in roles {
                let id = next();
                let arg = match role {
                    Role::Offsets => self.offsets(id, inst)?,
                    _ => self.bits(id, inst)?,
                };
                parts.add(role, arg);
            }
        }
        for (bit, access) in [(1 << 8, Access::AVAILABLE), (1 << 9, Access::VISIBLE)] {
            if mask & bit != 0 {
                parts.access = parts.access.and(access);
                let scope = self.scope(next(), inst)?;
                parts.attrs.push(Attr::word(scope));
            }
        }
        let plain =
            [(1 << 10, Access::NONPRIVATE), (1 << 11, Access::VOLATILE), (1 << 14, Access::NONTEMPORAL)];
        for (_, access) in plain.into_iter().filter(|(bit, _)| mask & bit != 0) {
            parts.access = parts.access.and(access);
        }
        for (bit, extend) in [(1 << 12, Extend::Sign), (1 << 13, Extend::Zero)] {
            if mask & bit != 0 {
                parts.attrs.push(Attr::word(extend));
            }
        }
        if mask & 1 << 16 != 0 {
            let offset = self.bits(next(), inst)?;
            parts.add(Role::Offset, offset);
        }
        Some(())
    }

    /// Four offsets as one value.
    fn offsets(&mut self, id: u32, inst: Instruction<'a>) -> Option<Inst> {
        let value = self.value(id, inst)?;
        let leaves = self.leaves(&value.val).to_vec();
        let ok = leaves.len() == 4
            && leaves
                .iter()
                .all(|&leaf| self.ty(leaf) == self.ty(leaves[0]) && self.ty(leaf).components() == 2);
        if !ok {
            return self.mismatch(
                inst,
                format!("has the offsets %{id}, which is not an array of four vectors of two components"),
            );
        }
        let ty = self.ty(leaves[0]).with_components(8);
        Some(self.op(VectorOp::Vec, ty, &leaves))
    }

    fn image_write(&mut self, inst: Instruction<'a>) -> Option<()> {
        let (image, image_type) = self.image_operand(inst.word(1), inst)?;
        let mut parts = LookupParts::new(image, &image_type);
        let (coord, texel) = (self.bits(inst.word(2), inst)?, self.bits(inst.word(3), inst)?);
        parts.add(Role::Coord, coord);
        parts.add(Role::Texel, texel);
        self.operands(&mut parts, inst.rest(4), inst)?;
        self.put_lookup(TexOp::Write, parts, ValueType::Void);
        Some(())
    }

    fn combine_image(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let (image, _) = self.image_operand(inst.word(3), inst)?;
        let sampler = self.leaf(inst.word(4), inst)?;
        if !self.ty(sampler).is_opaque() {
            return self.mismatch(inst, format!("samples with %{}, which is not a sampler", inst.word(4)));
        }
        let both = self.op(TexOp::Combine, ValueType::Handle, &[image, sampler]);
        self.define_one(both, ty, inst)
    }

    fn image_of(&mut self, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let (both, _) = self.image_operand(inst.word(3), inst)?;
        let image = self.op(TexOp::ImageOf, ValueType::Handle, &[both]);
        self.define_one(image, ty, inst)
    }

    fn query(&mut self, op: TexOp, role: Option<Role>, inst: Instruction<'a>) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let (image, image_type) = self.image_operand(inst.word(3), inst)?;
        let mut parts = LookupParts::new(image, &image_type);
        // A storage image and one with samples have one level: naga asks for the size of the first all the same.
        let has_levels = image_type.usage != Usage::Storage && !image_type.multisampled;
        if let Some(role) = role.filter(|&role| has_levels || role != Role::Lod) {
            let arg = self.bits(inst.word(4), inst)?;
            parts.add(role, arg);
        }
        let result = self.put_lookup(op, parts, value);
        self.define_one(result, ty, inst)
    }

    fn count(&mut self, op: TexOp, inst: Instruction<'a>) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let (image, _) = self.image_operand(inst.word(3), inst)?;
        let count = self.op(op, ValueType::B32, &[image]);
        match self.resize(count, value) {
            Some(count) => self.define_one(count, ty, inst),
            None => self.mismatch(inst, "has a result that is not a number"),
        }
    }

    fn resident(&mut self, inst: Instruction<'a>) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let code = self.bits(inst.word(3), inst)?;
        self.checked(TexOp::Resident, value, &[code], ty, inst)?;
        Some(())
    }
}
