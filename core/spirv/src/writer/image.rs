//! Images: lookups by the roles of their operands, queries, images with their samplers.

use super::diagnostics::{NO_INSTRUCTION, NO_TYPE};
use super::function::FunctionWriter;
use super::shared::{Scalar, Slot};
use super::uses::{is_divisor, plane, roles};
use crate::IMAGE_OPERANDS;
use crate::spec::Op as S;
use vitrine_analysis::folded;
use vitrine_ir::ops::attr::Role;
use vitrine_ir::ops::{Access, Extend, Key, Op, TexOp, ValueType, VectorOp};
use vitrine_ir::{Diag, ImageType, Inst, TypeData};

impl FunctionWriter<'_, '_> {
    /// Writes an operation on images.
    pub(super) fn image(&mut self, inst: Inst, op: TexOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        match op {
            TexOp::Sample | TexOp::SampleLod | TexOp::Fetch | TexOp::Gather | TexOp::Read => {
                self.lookup(inst, op)
            }
            TexOp::Write => self.write_texel(inst),
            TexOp::Combine => {
                let (_, image) = self.handle(data.args[0])?;
                self.pair_type(inst, image);
                self.set(inst, Slot::Combined);
                if !self.uses.any(inst) {
                    self.combined(inst)?;
                }
                Ok(())
            }
            TexOp::ImageOf => {
                let (both, image) = self.handle(data.args[0])?;
                let ty = self.image_type(image)?;
                self.define_whole(inst, S::Image, ty, &[both]);
                self.image_handles.insert(inst, image);
                Ok(())
            }
            TexOp::QuerySize => {
                let (image, _) = self.image_alone(data.args[0])?;
                let scalar = self.int_hint(inst);
                match self.role(inst, Role::Lod) {
                    Some(lod) => {
                        let lod = self.int_id(lod)?;
                        self.define_bits(inst, S::ImageQuerySizeLod, scalar, &[image, lod])?
                    }
                    None => self.define_bits(inst, S::ImageQuerySize, scalar, &[image])?,
                };
                Ok(())
            }
            TexOp::QueryLod => {
                let (image, _) = self.sampled_image(inst)?;
                let Some(coord) = self.role(inst, Role::Coord) else { return Err(self.no_coord(inst)) };
                let coord = self.id_as(coord, Scalar::Float)?;
                self.define_bits(inst, S::ImageQueryLod, Scalar::Float, &[image, coord]).map(|_| ())
            }
            TexOp::QueryLevels | TexOp::QuerySamples => {
                let (image, _) = self.image_alone(data.args[0])?;
                let code = if op == TexOp::QueryLevels { S::ImageQueryLevels } else { S::ImageQuerySamples };
                let scalar = self.int_hint(inst);
                self.define_bits(inst, code, scalar, &[image]).map(|_| ())
            }
            TexOp::Resident => {
                let code = self.int_id(data.args[0])?;
                self.define_bits(inst, S::ImageSparseTexelsResident, Scalar::Bool, &[code]).map(|_| ())
            }
        }
    }

    fn no_coord(&self, inst: Inst) -> Diag {
        self.refuse(NO_INSTRUCTION, inst, "has no coordinate", "give an operand the role `coord`")
    }

    /// The operand with a role.
    fn role(&self, inst: Inst, wanted: Role) -> Option<Inst> {
        let data = self.body.inst(inst);
        let at = roles(data).position(|role| role == wanted)?;
        data.args.get(at).copied()
    }

    /// The id of a handle and the type of its image. A handle that is a path is loaded.
    fn handle(&mut self, of: Inst) -> Result<(u32, ImageType), Diag> {
        let unknown = |this: &Self| {
            this.refuse(NO_TYPE, of, "is a resource whose full type is not known", "declare it: `{type …}`")
        };
        let full = match self.body.ty(of) {
            ValueType::Path => Some(self.place(of)?.ty),
            _ => self.handles.get(&of).copied(),
        };
        let stated = match full.map(|full| self.writer.module.type_of(full)) {
            Some(&(TypeData::Image(image) | TypeData::SampledImage(image))) => Some(image),
            _ => None,
        };
        let Some(image) = self.image_handles.get(&of).copied().or(stated) else { return Err(unknown(self)) };
        let (id, _) = self.whole(of)?;
        let (ValueType::Path, Some(full)) = (self.body.ty(of), full) else { return Ok((id, image)) };
        let ty = self.writer.ty(full)?;
        Ok((self.emit(S::Load, ty, &[id]), image))
    }

    /// The same for an image without its sampler, which fetches and queries need.
    fn image_alone(&mut self, of: Inst) -> Result<(u32, ImageType), Diag> {
        let data = self.body.inst(of);
        if let (Op::Tex(TexOp::Combine), Some(&image)) = (data.op, data.args.first()) {
            return self.handle(image);
        }
        let (id, image) = self.handle(of)?;
        let full = match self.body.ty(of) {
            ValueType::Path => Some(self.place(of)?.ty),
            _ => self.handles.get(&of).copied(),
        };
        let has_sampler =
            full.is_some_and(|full| matches!(self.writer.module.type_of(full), TypeData::SampledImage(_)));
        if !has_sampler {
            return Ok((id, image));
        }
        let ty = self.image_type(image)?;
        Ok((self.emit(S::Image, ty, &[id]), image))
    }

    /// The type of an image without its sampler.
    fn image_type(&mut self, image: ImageType) -> Result<u32, Diag> {
        self.writer.image(image)
    }

    fn pair_type(&mut self, inst: Inst, image: ImageType) {
        self.image_handles.insert(inst, image);
    }

    /// An image with its sampler, combined in the block that uses it, as SPIR-V requires.
    pub(super) fn combined(&mut self, inst: Inst) -> Result<(u32, u32), Diag> {
        if let Some(&known) = self.combined.get(&inst) {
            return Ok(known);
        }
        let data = self.body.inst(inst);
        let (image, image_type) = self.handle(data.args[0])?;
        let sampler = self.sampler(data.args[1])?;
        let of = self.image_type(image_type)?;
        let ty = self.writer.intern(S::TypeSampledImage, &[of]);
        let id = self.define(inst, S::SampledImage, ty, &[image, sampler]);
        self.combined.insert(inst, (id, ty));
        Ok((id, ty))
    }

    /// The id of a sampler. A path is loaded.
    fn sampler(&mut self, of: Inst) -> Result<u32, Diag> {
        let (id, _) = self.whole(of)?;
        if self.body.ty(of) != ValueType::Path {
            return Ok(id);
        }
        let place = self.place(of)?;
        let ty = self.writer.ty(place.ty)?;
        Ok(self.emit(S::Load, ty, &[id]))
    }

    /// The image a lookup samples and its type; combined here if the sampler is separate.
    fn sampled_image(&mut self, inst: Inst) -> Result<(u32, ImageType), Diag> {
        let (image, image_type) = self.handle(self.body.inst(inst).args[0])?;
        let Some(sampler) = self.role(inst, Role::Sampler) else { return Ok((image, image_type)) };
        let sampler = self.sampler(sampler)?;
        let of = self.image_type(image_type)?;
        let ty = self.writer.intern(S::TypeSampledImage, &[of]);
        Ok((self.emit(S::SampledImage, ty, &[image, sampler]), image_type))
    }

    /// The kind of number of the texels of an image.
    fn texel_hint(&self, image: ImageType, inst: Inst) -> Scalar {
        self.writer.scalar_of(image.sampled).unwrap_or_else(|| self.scalar_hint(inst))
    }

    fn lookup(&mut self, inst: Inst, op: TexOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let is_sampled = matches!(op, TexOp::Sample | TexOp::SampleLod | TexOp::Gather);
        let (image, image_type) =
            if is_sampled { self.sampled_image(inst)? } else { self.image_alone(data.args[0])? };
        let Some(coord) = self.role(inst, Role::Coord) else { return Err(self.no_coord(inst)) };
        let compares = data.attrs.has(Key::Shadow);
        let projector = self.role(inst, Role::Projector);
        let sparse = data.attrs.has(Key::Sparse);
        let coord_id = match projector {
            Some(divisor) if !is_divisor(self.body, divisor, coord, plane(data)) => {
                self.with_divisor(inst, coord, divisor)?
            }
            _ if is_sampled => self.coordinate(coord)?,
            _ => self.int_id(coord)?,
        };
        let mut words = vec![image, coord_id];
        if compares {
            let Some(compare) = self.role(inst, Role::Compare) else { return Err(self.no_coord(inst)) };
            words.push(self.id_as(compare, Scalar::Float)?);
        } else if op == TexOp::Gather {
            words.push(match self.role(inst, Role::Component) {
                Some(component) => self.int_id(component)?,
                None => self.writer.uint(0),
            });
        }
        let operands = self.image_operands(inst, is_sampled)?;
        words.extend(operands);
        let Some(code) = lookup_code(op, compares, projector.is_some(), sparse) else {
            return Err(self.no_instruction(inst, "SPIR-V has no such lookup with residency"));
        };
        let scalar = self.texel_hint(image_type, inst);
        if !sparse {
            return self.define_bits(inst, code, scalar, &words).map(|_| ());
        }
        let components = data.ty.components().saturating_sub(1).max(1);
        let code_type = self.number(Scalar::Int, ValueType::B32, inst)?;
        let texel_type = self.number(scalar, data.ty.with_components(components), inst)?;
        let both = self.writer.intern(S::TypeStruct, &[code_type, texel_type]);
        let id = self.define(inst, code, both, &words);
        let code = self.emit(S::CompositeExtract, code_type, &[id, 0]);
        let texel = self.emit(S::CompositeExtract, texel_type, &[id, 1]);
        self.set(inst, Slot::Sparse { code, texel, scalar });
        Ok(())
    }

    /// A coordinate to sample at: floats, except for kernels that sample at integers.
    fn coordinate(&mut self, coord: Inst) -> Result<u32, Diag> {
        match self.slot(coord) {
            Slot::Bits { id, scalar: Scalar::Int } if self.writer.declares("Kernel") => Ok(id),
            _ => self.id_as(coord, Scalar::Float),
        }
    }

    /// A coordinate with its divisor appended as the last component.
    fn with_divisor(&mut self, inst: Inst, coord: Inst, divisor: Inst) -> Result<u32, Diag> {
        let data = self.body.inst(inst);
        let components = plane(data);
        let ty = self.body.ty(coord);
        let (id, last) = (self.id_as(coord, Scalar::Float)?, self.id_as(divisor, Scalar::Float)?);
        let one = self.number(Scalar::Float, ty.with_components(1), inst)?;
        let mut parts = Vec::new();
        for component in 0..u32::from(components) {
            parts.push(if ty.components() == 1 {
                id
            } else {
                self.emit(S::CompositeExtract, one, &[id, component])
            });
        }
        parts.push(last);
        let whole = self.number(Scalar::Float, ty.with_components(components + 1), inst)?;
        Ok(self.emit(S::CompositeConstruct, whole, &parts))
    }

    /// The mask of image operands, and the operands that it announces.
    fn image_operands(&mut self, inst: Inst, is_sampled: bool) -> Result<Vec<u32>, Diag> {
        let data = self.body.inst(inst);
        let (mut mask, mut ids) = (0, Vec::new());
        for (bit, wanted) in IMAGE_OPERANDS {
            let Some(args) = wanted.iter().map(|&role| self.role(inst, role)).collect::<Option<Vec<_>>>()
            else {
                continue;
            };
            if wanted == [Role::Offset] && self.is_constant(args[0]) != (bit == 1 << 3) {
                continue;
            }
            mask |= bit;
            for (&role, arg) in wanted.iter().zip(args) {
                ids.push(match role {
                    Role::Bias | Role::Ddx | Role::Ddy | Role::MinLod => self.id_as(arg, Scalar::Float)?,
                    Role::Lod if is_sampled => self.id_as(arg, Scalar::Float)?,
                    Role::Offsets => self.offsets(arg)?,
                    _ => self.int_id(arg)?,
                });
            }
        }
        let access = data.attrs.words::<Access>();
        for (word, bit) in [(Access::AVAILABLE, 1 << 8), (Access::VISIBLE, 1 << 9)] {
            if access.has(word) {
                mask |= bit;
                ids.push(self.scope(&data.attrs, Key::Scope));
            }
        }
        let plain =
            [(Access::NONPRIVATE, 1 << 10), (Access::VOLATILE, 1 << 11), (Access::NONTEMPORAL, 1 << 14)];
        for (word, bit) in plain {
            mask |= if access.has(word) { bit } else { 0 };
        }
        match data.attrs.word() {
            Some(Extend::Sign) => mask |= 1 << 12,
            Some(Extend::Zero) => mask |= 1 << 13,
            None => {}
        }
        Ok(match mask {
            0 => Vec::new(),
            mask => [mask].into_iter().chain(ids).collect(),
        })
    }

    fn is_constant(&self, value: Inst) -> bool {
        matches!(self.slot(value), Slot::Const(_) | Slot::Global(_))
    }

    /// Four offsets as a constant array of pairs.
    fn offsets(&mut self, of: Inst) -> Result<u32, Diag> {
        let data = self.body.inst(of);
        let pair = ValueType::bits(data.ty.width().unwrap_or_default(), 2);
        let ty = self.number(Scalar::Int, pair, of)?;
        let mut words = Vec::new();
        match folded(self.writer.module, self.body, of) {
            Some(bits) => {
                for components in bits.components().chunks(2) {
                    let components: Vec<u32> = components
                        .iter()
                        .map(|&component| {
                            self.writer.component_constant(component, bits.width(), Scalar::Int)
                        })
                        .collect();
                    words.push(self.writer.typed(S::ConstantComposite, ty, &components));
                }
            }
            None if data.op == Op::Vector(VectorOp::Vec)
                && data.args.iter().all(|&part| self.is_constant(part)) =>
            {
                for &part in data.args.iter() {
                    words.push(self.id_as(part, Scalar::Int)?);
                }
            }
            None => {
                let help = "gather four times, once for each offset";
                return Err(self.refuse(NO_INSTRUCTION, of, "has four offsets that are not constant", help));
            }
        }
        let four = self.writer.uint(4);
        let array = self.writer.intern(S::TypeArray, &[ty, four]);
        Ok(self.writer.typed(S::ConstantComposite, array, &words))
    }

    fn write_texel(&mut self, inst: Inst) -> Result<(), Diag> {
        let (image, image_type) = self.handle(self.body.inst(inst).args[0])?;
        let (Some(coord), Some(texel)) = (self.role(inst, Role::Coord), self.role(inst, Role::Texel)) else {
            return Err(self.no_coord(inst));
        };
        let coord = self.int_id(coord)?;
        let scalar = self.writer.scalar_of(image_type.sampled).unwrap_or_else(|| self.scalar_hint(texel));
        let texel = self.id_as(texel, scalar)?;
        let operands = self.image_operands(inst, false)?;
        self.code.parts(S::ImageWrite, &[&[image, coord, texel], &operands]);
        Ok(())
    }
}

/// The instruction of a lookup, by comparison, projection and residency.
#[rustfmt::skip] // A table.
fn lookup_code(op: TexOp, compares: bool, projects: bool, sparse: bool) -> Option<S> {
    Some(match (op, compares, projects, sparse) {
        (TexOp::Sample, false, false, false) => S::ImageSampleImplicitLod,
        (TexOp::Sample, true, false, false) => S::ImageSampleDrefImplicitLod,
        (TexOp::Sample, false, true, false) => S::ImageSampleProjImplicitLod,
        (TexOp::Sample, true, true, false) => S::ImageSampleProjDrefImplicitLod,
        (TexOp::Sample, false, false, true) => S::ImageSparseSampleImplicitLod,
        (TexOp::Sample, true, false, true) => S::ImageSparseSampleDrefImplicitLod,
        (TexOp::SampleLod, false, false, false) => S::ImageSampleExplicitLod,
        (TexOp::SampleLod, true, false, false) => S::ImageSampleDrefExplicitLod,
        (TexOp::SampleLod, false, true, false) => S::ImageSampleProjExplicitLod,
        (TexOp::SampleLod, true, true, false) => S::ImageSampleProjDrefExplicitLod,
        (TexOp::SampleLod, false, false, true) => S::ImageSparseSampleExplicitLod,
        (TexOp::SampleLod, true, false, true) => S::ImageSparseSampleDrefExplicitLod,
        (TexOp::Fetch, _, _, false) => S::ImageFetch,
        (TexOp::Fetch, _, _, true) => S::ImageSparseFetch,
        (TexOp::Gather, false, _, false) => S::ImageGather,
        (TexOp::Gather, true, _, false) => S::ImageDrefGather,
        (TexOp::Gather, false, _, true) => S::ImageSparseGather,
        (TexOp::Gather, true, _, true) => S::ImageSparseDrefGather,
        (TexOp::Read, _, _, false) => S::ImageRead,
        (TexOp::Read, _, _, true) => S::ImageSparseRead,
        _ => return None,
    })
}
