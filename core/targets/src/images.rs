//! Images with their samplers, and the operands and texels of lookups, of which the dialect writes the calls.

use super::expr::{Expr, Token};
use super::func::FuncWriter;
use super::number::{Kind, NumberType};
use super::operands::STEPS;
use vitrine_ir::ops::attr::Role;
use vitrine_ir::ops::{BasicOp, Bits, Dim, Key, MemoryOp, Op, Scalar, TexOp, ValueType, VectorOp, Width};
use vitrine_ir::{ImageType, Inst, TypeData, Var};

/// An image, a sampler, or both, as text.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    pub(super) tokens: Vec<Token>,
    pub(super) image: ImageType,
    /// Combined with a sampler.
    pub(super) is_combined: bool,
    /// The variable.
    pub(super) root: Option<Var>,
}

/// The dimension of an image: the name in types, the components of a coordinate, and those of a size.
pub(super) fn dimension(dim: Dim) -> (&'static str, u8, u8) {
    match dim {
        Dim::D1 => ("1D", 1, 1),
        Dim::D2 => ("2D", 2, 2),
        Dim::D3 => ("3D", 3, 3),
        Dim::Cube => ("Cube", 3, 2),
        Dim::Rect => ("2DRect", 2, 2),
        Dim::Buffer => ("Buffer", 1, 1),
        Dim::Subpass => ("", 2, 2),
    }
}

impl FuncWriter<'_, '_> {
    /// An image as text; images combined with a sampler are written as a constructor.
    pub(super) fn resource(&mut self, handle: Inst) -> Option<Resource> {
        let mut at = handle;
        let mut sampler = None;
        for _ in 0..STEPS {
            let data = self.body.inst(at);
            match data.op {
                Op::Tex(TexOp::Combine) => {
                    sampler = data.args.get(1).copied();
                    at = *data.args.first()?;
                }
                Op::Tex(TexOp::ImageOf) => {
                    let of = *data.args.first()?;
                    if self.body.inst(of).op == Op::Tex(TexOp::Combine) {
                        at = *self.body.inst(of).args.first()?;
                    } else {
                        at = of;
                    }
                }
                Op::Basic(BasicOp::Copy) | Op::Memory(MemoryOp::Load) if data.ty == ValueType::Handle => {
                    at = *data.args.first()?;
                }
                _ => break,
            }
        }
        let path = self.handle_text(at)?;
        let (image, is_combined) = match *self.w.module.type_of(path.ty) {
            TypeData::Image(image) => (image, false),
            TypeData::SampledImage(image) => (image, true),
            _ => {
                self.refuse(handle, "it is no image", "validate the module");
                return None;
            }
        };
        let resource = Resource { tokens: path.tokens, image, is_combined, root: path.root };
        match sampler {
            Some(sampler) => self.w.dialect.with_sampler(self, handle, resource, sampler, false),
            None => Some(resource),
        }
    }

    fn handle_text(&mut self, at: Inst) -> Option<super::paths::PathText> {
        let data = self.body.inst(at);
        if data.ty == ValueType::Handle && !matches!(data.op, Op::Basic(BasicOp::Param)) {
            self.refuse(at, "it is a resource that is computed", "");
            return None;
        }
        self.path(at)
    }

    /// True if the level of detail is the constant 0.
    pub(super) fn is_level_zero(&self, inst: Inst) -> bool {
        let level = self.role(inst, Role::Lod).and_then(|lod| self.body.const_of(lod));
        level.is_some_and(|bits| self.w.module.bits_of(bits).components().iter().all(|&it| it == 0))
    }

    /// The components that a swizzle selects of a texel with its residency. `None` if `from` is no such texel.
    pub(super) fn texel_or_residency(
        &mut self,
        inst: Inst,
        from: Inst,
        list: &[u8],
        ty: NumberType,
    ) -> Option<Expr> {
        let status = self.residencies.get(&from).cloned()?;
        // It is the last component.
        let last = self.body.ty(from).components().saturating_sub(1);
        if list == [last] {
            return Some(self.cast(status, ty.kind, inst));
        }
        if list.contains(&last) {
            self.refuse(inst, "it mixes a texel with its residency", "");
        }
        let texel = self.value_as(from, ty.kind);
        Some(self.components(inst, texel, list, ty))
    }

    /// A sampler as text.
    pub(super) fn sampler_tokens(&mut self, sampler: Inst) -> Option<Vec<Token>> {
        Some(self.sampler_path(sampler)?.tokens)
    }

    /// The path of a sampler.
    pub(super) fn sampler_path(&mut self, sampler: Inst) -> Option<super::paths::PathText> {
        let mut at = sampler;
        while let Op::Basic(BasicOp::Copy) | Op::Memory(MemoryOp::Load) = self.body.inst(at).op {
            at = *self.body.inst(at).args.first()?;
        }
        self.handle_text(at)
    }

    /// The image and the sampler of a combined pair that the program makes.
    pub(super) fn combined_pair(&self, handle: Inst) -> Option<[Inst; 2]> {
        self.combined_at(handle).pair
    }

    /// The operand with a role.
    pub(super) fn role(&self, inst: Inst, wanted: Role) -> Option<Inst> {
        let data = self.body.inst(inst);
        let at = Role::unpack(data.attrs.get(Key::Roles).unwrap_or(0)).position(|role| role == wanted)?;
        data.args.get(at).copied()
    }

    /// Writes an operation on images.
    pub(super) fn image(&mut self, inst: Inst, op: TexOp) {
        self.w.dialect.image_operation(self, inst, op);
    }

    /// What a handle combines, or the variable that it is.
    pub(super) fn combined_at(&self, handle: Inst) -> Combined {
        let mut at = handle;
        for _ in 0..STEPS {
            let data = self.body.inst(at);
            match (data.op, &data.args[..]) {
                (Op::Tex(TexOp::Combine), &[image, sampler]) => {
                    return Combined { pair: Some([image, sampler]), root_of_image: None };
                }
                (Op::Basic(BasicOp::Copy) | Op::Memory(MemoryOp::Load), &[from, ..]) => at = from,
                _ => break,
            }
        }
        let root = match super::operands::root(self.body, at) {
            Some(super::operands::PathRoot::Var(var)) => Some(var),
            Some(super::operands::PathRoot::Param(_)) | None => None,
        };
        Combined { pair: None, root_of_image: root }
    }

    /// The type of the texels that a function returns.
    pub(super) fn texel_type(&mut self, inst: Inst, image: ImageType) -> NumberType {
        let data = self.body.inst(inst);
        let scalar = self.w.number_type(image.sampled).unwrap_or(NumberType::scalar(Kind::Float));
        let is_single = data.attrs.has(Key::Shadow) && data.op != Op::Tex(TexOp::Gather);
        scalar.with_components(if is_single { 1 } else { 4 })
    }

    /// The components that the instruction yields of a texel.
    pub(super) fn texel(&mut self, inst: Inst, expr: Expr) -> Expr {
        let wanted = self.body.ty(inst).components();
        if expr.ty.components == wanted {
            return expr;
        }
        if expr.ty.components == 1 {
            let ty = expr.ty.with_components(wanted);
            return self.construct(inst, ty, vec![expr]);
        }
        let list: Vec<u8> = (0..wanted.min(4)).collect();
        let ty = expr.ty.with_components(wanted);
        self.components(inst, expr, &list, ty)
    }

    /// Four offsets, which are one vector of eight numbers in the program. Fewer if they have another form.
    pub(super) fn four_offsets(&mut self, inst: Inst, offsets: Inst) -> Vec<Expr> {
        let pair = NumberType::scalar(Kind::Int).with_components(2);
        if let Some(bits) = self.body.const_of(offsets) {
            let bits = self.w.module.bits_of(bits);
            let scalars = bits.components().iter().map(|&part| Scalar::new(bits.width(), part));
            let scalars: Vec<Scalar> = scalars.collect();
            let pairs = scalars.chunks(2).map(Bits::from_scalars);
            return pairs.map(|pair| self.constant(&pair, Kind::Int, inst)).collect();
        }
        let data = self.body.inst(offsets);
        if data.op != Op::Vector(VectorOp::Vec) {
            return Vec::new();
        }
        let parts: Vec<Expr> = data.args.iter().map(|&part| self.value_as(part, Kind::Int)).collect();
        parts.into_iter().filter(|part| part.ty.components == pair.components).collect()
    }

    /// The coordinate of a lookup in a language that has coordinates of 32 bits only.
    pub(super) fn wide_coordinate(&mut self, inst: Inst) -> Option<Expr> {
        let coord = self.role(inst, Role::Coord)?;
        let coord = self.value_as(coord, Kind::Float);
        let wide = NumberType::new(Kind::Float, Width::W32, coord.ty.components);
        Some(if coord.ty.width == Width::W32 { coord } else { self.construct(inst, wide, vec![coord]) })
    }

    /// The texel that an instruction writes, with four components.
    pub(super) fn stored_texel(&mut self, inst: Inst, scalar: NumberType) -> Option<Expr> {
        let texel = self.role(inst, Role::Texel)?;
        Some(self.four_components(inst, texel, scalar))
    }

    fn four_components(&mut self, inst: Inst, texel: Inst, scalar: NumberType) -> Expr {
        let texel = self.value_as(texel, scalar.kind);
        let four = scalar.with_components(4);
        match texel.ty.components {
            4 => texel,
            1 => self.construct(inst, four, vec![texel]),
            components => {
                let missing = Bits::zero(scalar.width, 1);
                let mut parts = vec![texel];
                for _ in components..4 {
                    parts.push(self.constant(&missing, scalar.kind, inst));
                }
                self.construct(inst, four, parts)
            }
        }
    }
}

/// The parts of a combined image and sampler, or the variable of an image.
pub(super) struct Combined {
    /// The image and the sampler.
    pub(super) pair: Option<[Inst; 2]>,
    /// The variable.
    pub(super) root_of_image: Option<Var>,
}
