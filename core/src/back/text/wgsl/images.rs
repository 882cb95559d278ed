//! Textures and samplers of WGSL: lookups by the roles of their operands, and queries.

use crate::back::text::expr::{Expr, Prec, Token};
use crate::back::text::func::FuncWriter;
use crate::back::text::images::{Resource, dimension};
use crate::back::text::number::{Kind, NumberType};
use crate::back::text::operands::{PathRoot, root};
use crate::ir::{ImageType, Inst, Usage};
use crate::ops::attr::Role;
use crate::ops::{Bits, Key, Op, TexOp, Width};
use crate::text::Class;

/// The reason for a refusal.
const COMPARED: &str = "other lookups compare with the same image or sampler, which has the type for that";

impl FuncWriter<'_, '_> {
    /// Writes an operation on images.
    pub(in crate::back::text) fn wgsl_image(&mut self, inst: Inst, op: TexOp) {
        match op {
            TexOp::Combine | TexOp::ImageOf => {}
            TexOp::Sample | TexOp::SampleLod => self.wgsl_sample(inst, op),
            TexOp::Gather => self.wgsl_gather(inst),
            TexOp::Fetch | TexOp::Read => self.wgsl_load(inst, op),
            TexOp::Write => self.wgsl_store(inst),
            TexOp::QuerySize | TexOp::QueryLevels | TexOp::QuerySamples => self.wgsl_query(inst, op),
            TexOp::QueryLod => self.refuse(inst, "it has no query for the level of detail of a lookup", ""),
            TexOp::Resident => self.refuse(inst, "it has no sparse residency", ""),
        }
    }

    /// The texture and the sampler of a lookup as arguments.
    fn halves(&mut self, inst: Inst) -> Option<(Resource, Vec<Expr>)> {
        let data = self.body.inst(inst);
        let handle = *data.args.first()?;
        let (image, sampler) = match (self.combined_pair(handle), self.role(inst, Role::Sampler)) {
            (Some([image, sampler]), _) => (image, sampler),
            (None, Some(sampler)) => (handle, sampler),
            (None, None) => {
                self.refuse(
                    inst,
                    "images have no samplers of their own",
                    "pass `lower-samplers{split}` separates them",
                );
                return None;
            }
        };
        let is_plain = !data.attrs.has(Key::Shadow);
        if is_plain && (self.is_compared(image) || self.is_compared(sampler)) {
            self.refuse(inst, COMPARED, "use one image and one sampler for each");
            return None;
        }
        let resource = self.resource(image)?;
        let texel = self.w.number_type(resource.image.sampled);
        if texel.is_some_and(|texel| texel.kind != Kind::Float) && data.op != Op::Tex(TexOp::Gather) {
            self.refuse(inst, "textures of integers are not sampled", "load the texel");
            return None;
        }
        let sampler = self.sampler_tokens(sampler)?;
        let ty = NumberType::scalar(Kind::Int);
        let args = [resource.tokens.clone(), sampler].map(|tokens| Expr::new(tokens, Prec::Postfix, ty));
        Some((resource, args.into()))
    }

    /// True if lookups compare texels of an image, or by a sampler: its type says so.
    fn is_compared(&self, handle: Inst) -> bool {
        match root(self.body, handle) {
            Some(PathRoot::Var(var)) => self.w.wgsl.compared.contains(var),
            Some(PathRoot::Param(_)) | None => false,
        }
    }

    /// The coordinate, and the layer if the texture has layers.
    fn place(&mut self, inst: Inst, image: ImageType, kind: Kind) -> Option<Vec<Expr>> {
        let coord = self.role(inst, Role::Coord)?;
        let coord = self.value_as(coord, kind);
        let (_, plane, _) = dimension(image.dim)?;
        let part = |this: &mut Self, list: &[u8]| {
            let ty = coord.ty.with_components(list.len() as u8);
            this.components(inst, coord.clone(), list, ty)
        };
        let list: Vec<u8> = (0..plane.min(coord.ty.components)).collect();
        let mut out = vec![part(self, &list)];
        if image.arrayed {
            let layer = part(self, &[plane]);
            out.push(match kind {
                // The layer is rounded to nearest even.
                Kind::Float => {
                    let rounded = self.call(inst, "round", vec![layer], NumberType::scalar(Kind::Float));
                    self.construct(inst, NumberType::scalar(Kind::Int), vec![rounded])
                }
                _ => layer,
            });
        }
        Some(out)
    }

    fn refuses_operands(&mut self, inst: Inst) -> bool {
        let data = self.body.inst(inst);
        if data.attrs.has(Key::Sparse) {
            self.refuse(inst, "it has no sparse residency", "");
            return true;
        }
        for (role, says, help) in [
            (Role::MinLod, "it has no minimum level of detail", "pass `lower-tex` may remove it"),
            (Role::Projector, "it has no lookups with projection", "pass `lower-tex{projector}` lowers it"),
            (Role::Offsets, "it has no gather with four offsets", ""),
        ] {
            if self.role(inst, role).is_some() {
                self.refuse(inst, says, help);
                return true;
            }
        }
        false
    }

    /// The offset as the last argument: it must be a constant.
    fn offset(&mut self, inst: Inst, args: &mut Vec<Expr>) -> bool {
        let Some(offset) = self.role(inst, Role::Offset) else { return true };
        if self.body.const_of(offset).is_none() {
            self.refuse(
                inst,
                "its offset is no constant",
                "pass `constant-fold` or `lower-tex{offset}` may help",
            );
            return false;
        }
        args.push(self.value_as(offset, Kind::Int));
        true
    }

    fn wgsl_sample(&mut self, inst: Inst, op: TexOp) {
        if self.refuses_operands(inst) {
            return;
        }
        let Some((found, mut args)) = self.halves(inst) else { return };
        let Some(place) = self.place(inst, found.image, Kind::Float) else { return };
        args.extend(place);
        let compares = self.body.inst(inst).attrs.has(Key::Shadow);
        let has = |this: &Self, role| this.role(inst, role).is_some();
        let (lod, grad, bias) = (has(self, Role::Lod), has(self, Role::Ddx), has(self, Role::Bias));
        let ty = self.texel_type(inst, found.image);
        let name = match (compares, lod, grad, bias) {
            (true, false, false, false) => "textureSampleCompare",
            (true, true, ..) if self.is_level_zero(inst) => "textureSampleCompareLevel",
            (true, ..) => {
                return self.refuse(inst, "it compares at level 0 and at the computed level only", "");
            }
            (false, true, ..) => "textureSampleLevel",
            (false, _, true, _) => "textureSampleGrad",
            (false, _, _, true) => "textureSampleBias",
            (false, false, false, false) => "textureSample",
        };
        if compares {
            let Some(reference) = self.role(inst, Role::Compare) else { return };
            args.push(self.value_as(reference, Kind::Float));
        } else {
            for role in [Role::Lod, Role::Bias, Role::Ddx, Role::Ddy] {
                if let Some(value) = self.role(inst, role) {
                    args.push(self.value_as(value, Kind::Float));
                }
            }
        }
        if !self.offset(inst, &mut args) {
            return;
        }
        if op == TexOp::Sample && !lod && !grad {
            self.note_derivative();
        }
        let expr = self.call(inst, name, args, ty);
        let expr = self.texel(inst, expr);
        self.define(inst, expr);
    }

    /// True if the level of detail is the constant 0.
    pub(in crate::back::text) fn is_level_zero(&self, inst: Inst) -> bool {
        let level = self.role(inst, Role::Lod).and_then(|lod| self.body.const_of(lod));
        level.is_some_and(|bits| self.w.module.bits_of(bits).components().iter().all(|&it| it == 0))
    }

    fn wgsl_gather(&mut self, inst: Inst) {
        if self.refuses_operands(inst) {
            return;
        }
        let Some((found, halves)) = self.halves(inst) else { return };
        let Some(place) = self.place(inst, found.image, Kind::Float) else { return };
        let ty = self.texel_type(inst, found.image);
        let compares = self.body.inst(inst).attrs.has(Key::Shadow);
        let mut args = Vec::new();
        if !compares {
            args.push(match self.role(inst, Role::Component) {
                Some(component) => self.value_as(component, Kind::Int),
                None => self.constant(&Bits::zero(Width::W32, 1), Kind::Int, inst),
            });
        }
        args.extend(halves);
        args.extend(place);
        if compares {
            let Some(reference) = self.role(inst, Role::Compare) else { return };
            args.push(self.value_as(reference, Kind::Float));
        }
        if !self.offset(inst, &mut args) {
            return;
        }
        let name = if compares { "textureGatherCompare" } else { "textureGather" };
        let expr = self.call(inst, name, args, ty);
        self.define(inst, expr);
    }

    fn wgsl_load(&mut self, inst: Inst, op: TexOp) {
        if self.refuses_operands(inst) {
            return;
        }
        let data = self.body.inst(inst);
        if data.args.first().is_some_and(|&image| self.is_compared(image)) {
            return self.refuse(inst, COMPARED, "use one image for each");
        }
        let Some(found) = data.args.first().and_then(|&image| self.resource(image)) else { return };
        let image = found.image;
        let ty = self.texel_type(inst, image);
        let mut args = vec![Expr::new(found.tokens, Prec::Postfix, ty)];
        let Some(mut place) = self.place(inst, image, Kind::Int) else { return };
        if let (Some(offset), Some(coord)) = (self.role(inst, Role::Offset), place.first().cloned()) {
            let offset = self.value_as(offset, Kind::Int);
            let ty = coord.ty;
            place[0] = self.infix(inst, "+", Prec::Sum, vec![coord, offset], ty);
        }
        args.extend(place);
        if let Some(sample) = self.role(inst, Role::Sample) {
            args.push(self.value_as(sample, Kind::Int));
        } else if op == TexOp::Fetch && image.usage != Usage::Storage {
            args.push(match self.role(inst, Role::Lod) {
                Some(lod) => self.value_as(lod, Kind::Int),
                None => self.constant(&Bits::zero(Width::W32, 1), Kind::Int, inst),
            });
        }
        let expr = self.call(inst, "textureLoad", args, ty);
        let expr = self.texel(inst, expr);
        self.define(inst, expr);
    }

    fn wgsl_store(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let Some(found) = data.args.first().and_then(|&image| self.resource(image)) else { return };
        let scalar = self.w.number_type(found.image.sampled).unwrap_or(NumberType::scalar(Kind::Float));
        let Some(place) = self.place(inst, found.image, Kind::Int) else { return };
        let Some(texel) = self.stored_texel(inst, scalar) else { return };
        let mut args = vec![Expr::new(found.tokens, Prec::Postfix, scalar)];
        args.extend(place);
        args.push(texel);
        let expr = self.call(inst, "textureStore", args, scalar);
        self.statement(expr.tokens);
    }

    fn wgsl_query(&mut self, inst: Inst, op: TexOp) {
        let data = self.body.inst(inst);
        let Some(found) = data.args.first().and_then(|&image| self.resource(image)) else { return };
        let image = found.image;
        let uint = NumberType::scalar(Kind::Uint);
        let texture = Expr::new(found.tokens, Prec::Postfix, uint);
        let expr = match op {
            TexOp::QueryLevels => self.call(inst, "textureNumLevels", vec![texture], uint),
            TexOp::QuerySamples => self.call(inst, "textureNumSamples", vec![texture], uint),
            _ => {
                let Some((_, _, axes)) = dimension(image.dim) else { return };
                let mut args = vec![texture.clone()];
                if let Some(lod) = self.role(inst, Role::Lod) {
                    args.push(self.value_as(lod, Kind::Int));
                }
                let size = self.call(inst, "textureDimensions", args, uint.with_components(axes));
                match image.arrayed {
                    true => {
                        let layers = self.call(inst, "textureNumLayers", vec![texture], uint);
                        self.construct(inst, uint.with_components(axes + 1), vec![size, layers])
                    }
                    false => size,
                }
            }
        };
        self.define(inst, expr);
    }

    /// Notes a derivative that invocations may not all compute.
    pub(in crate::back::text) fn note_derivative(&mut self) {
        self.w.wgsl.has_divergent_derivatives |= !self.is_straight();
    }

    /// True in the first block of the entry point, which all invocations execute. Later ones may come after a branch that
    /// returns, and the language proves less than the analysis of divergence; what a function is called from is not known.
    pub(super) fn is_straight(&self) -> bool {
        self.is_entry() && self.block.is_some() && self.block == self.body.entry()
    }

    /// A keyword-like token, linked to an instruction.
    pub(in crate::back::text) fn keyword(&self, inst: Inst, word: &'static str) -> Token {
        Token::linked(Class::Keyword, word, self.anchor(inst))
    }

    fn is_entry(&self) -> bool {
        self.w.wgsl_result(self.func).is_some()
    }
}
