//! Images of GLSL: lookups by the roles of their operands, and queries.

use crate::expr::{Expr, Prec, Token, call, joined};
use crate::func::FuncWriter;
use crate::images::{Resource, dimension};
use crate::number::{Kind, NumberType};
use vitrine_ir::ops::attr::Role;
use vitrine_ir::ops::{Bits, Dim, Key, Op, TexOp, Width};
use vitrine_ir::{Help, ImageType, Inst, Usage};
use vitrine_text::Class;

impl FuncWriter<'_, '_> {
    /// Writes an operation on images.
    pub(super) fn glsl_image(&mut self, inst: Inst, op: TexOp) {
        match op {
            TexOp::Combine | TexOp::ImageOf => {}
            TexOp::Sample | TexOp::SampleLod => self.sample(inst, op),
            TexOp::Gather => self.gather(inst),
            TexOp::Fetch | TexOp::Read => self.fetch(inst, op),
            TexOp::Write => self.write_texel(inst),
            TexOp::QuerySize | TexOp::QueryLod | TexOp::QueryLevels | TexOp::QuerySamples => {
                self.query(inst, op);
            }
            TexOp::Resident => self.glsl_resident(inst),
        }
    }

    /// An image with a separate sampler: `sampler2D(image, sampler)`; in GLSL ES, which has no such constructor, one
    /// declaration of both.
    pub(super) fn glsl_with_sampler(
        &mut self,
        inst: Inst,
        of: Resource,
        sampler: Inst,
        compares: bool,
    ) -> Option<Resource> {
        match self.w.es().is_some() {
            true => self.es_combined(inst, of, Some(sampler), compares),
            false => self.constructed_pair(inst, of, sampler, compares),
        }
    }

    /// An image with a separate sampler, by the constructor of the type of both: `sampler2D(image, sampler)`.
    fn constructed_pair(
        &mut self,
        inst: Inst,
        of: Resource,
        sampler: Inst,
        compares: bool,
    ) -> Option<Resource> {
        let sampler = self.sampler_tokens(sampler)?;
        let ty = NumberType::scalar(Kind::Int);
        let name = self.w.sampler_name(of.image, compares)?;
        let args = [of.tokens, sampler].map(|tokens| Expr::new(tokens, Prec::Postfix, ty));
        let expr = call(Token::linked(Class::Type, name, self.anchor(inst)), args, ty);
        Some(Resource { tokens: expr.tokens, is_combined: true, ..of })
    }

    /// An image that no sampler is given for: GLSL ES has it combined with one in any case.
    fn unsampled(&mut self, inst: Inst, image: Inst) -> Option<Resource> {
        let found = self.resource(image)?;
        let is_separate =
            !found.is_combined && found.image.usage != Usage::Storage && found.image.dim != Dim::Subpass;
        match is_separate && self.w.es().is_some() {
            true => self.es_combined(inst, found, None, false),
            false => Some(found),
        }
    }

    /// The image that a lookup samples, with its sampler.
    fn sampled(&mut self, inst: Inst) -> Option<Resource> {
        let data = self.body.inst(inst);
        let handle = *data.args.first()?;
        let compares = data.attrs.has(Key::Shadow);
        let combined = self.combined_at(handle);
        match (combined.pair, self.role(inst, Role::Sampler)) {
            (Some([image, sampler]), _) => {
                let of = self.resource(image)?;
                self.glsl_with_sampler(inst, of, sampler, compares)
            }
            (None, Some(sampler)) => {
                let of = self.resource(handle)?;
                self.glsl_with_sampler(inst, of, sampler, compares)
            }
            (None, None) => {
                let mut found = self.resource(handle)?;
                let second = combined
                    .root_of_image
                    .filter(|&var| compares && self.w.own.glsl.uses.of_var(var).are_mixed());
                if let (Some(var), Some(name)) = (second, found.tokens.first_mut()) {
                    name.text = self.w.glsl_shadow_name(var).into();
                }
                Some(found)
            }
        }
    }

    fn unsupported(&mut self, inst: Inst) -> bool {
        let data = self.body.inst(inst);
        let is_sparse = data.attrs.has(Key::Sparse);
        if is_sparse && self.w.es().is_some() {
            self.refuse(inst, "it has no sparse residency", "");
            return true;
        }
        let has_least = self.role(inst, Role::MinLod).is_some();
        if has_least && self.w.es().is_some() {
            self.refuse(
                inst,
                "it has no minimum level of detail",
                Help::by_pass("lower-tex", "may remove it"),
            );
            return true;
        }
        if (is_sparse || has_least) && self.role(inst, Role::Projector).is_some() {
            self.refuse(
                inst,
                "it has no such lookup with projection",
                Help::lowered_by("lower-tex{projector}"),
            );
            return true;
        }
        false
    }

    /// The coordinate of a lookup or of a texel, with its layer. SPIR-V allows further components.
    fn plain_coordinate(&mut self, inst: Inst, image: ImageType, kind: Kind) -> Option<Expr> {
        let (_, plane, _) = dimension(image.dim);
        let coord = self.role(inst, Role::Coord)?;
        let coord = self.value_as(coord, kind);
        let wanted = plane + u8::from(image.arrayed);
        let own = coord.ty.with_components(wanted.min(coord.ty.components));
        let list: Vec<u8> = (0..own.components).collect();
        Some(self.components(inst, coord, &list, own))
    }

    /// The coordinate of a lookup: with layer, reference and divisor in one vector where the functions take it so.
    fn coordinate(&mut self, inst: Inst, image: ImageType, projects: bool) -> Option<(Expr, Option<Expr>)> {
        let data = self.body.inst(inst);
        let (_, plane, _) = dimension(image.dim);
        let wanted = plane + u8::from(image.arrayed);
        let coord = self.plain_coordinate(inst, image, Kind::Float)?;
        let reference = match data.attrs.has(Key::Shadow) {
            true => Some(self.role(inst, Role::Compare).map(|value| self.value_as(value, Kind::Float))?),
            false => None,
        };
        let is_gather = data.op == Op::Tex(TexOp::Gather);
        let divisor = match projects {
            true => Some(self.role(inst, Role::Projector).map(|value| self.value_as(value, Kind::Float))?),
            false => None,
        };
        let mut parts = vec![coord];
        let mut apart = None;
        match reference {
            Some(reference) if is_gather || wanted == 4 => apart = Some(reference),
            Some(reference) => {
                // `sampler1DShadow` takes three components, of which the second is not used.
                if image.dim == Dim::D1 && !image.arrayed {
                    let zero = Bits::zero(Width::W32, 1);
                    parts.push(self.constant(&zero, Kind::Float, inst));
                }
                parts.push(reference);
            }
            None => {}
        }
        if divisor.is_some() && data.attrs.has(Key::Shadow) {
            // The reference is the component before the divisor; it is divided, too.
            let count: u8 = parts.iter().map(|part| part.ty.components).sum();
            if count != 3 {
                self.refuse(
                    inst,
                    "it has no such lookup with projection",
                    Help::lowered_by("lower-tex{projector}"),
                );
                return None;
            }
        }
        parts.extend(divisor);
        let count = parts.iter().map(|part| part.ty.components).sum();
        let ty = NumberType::new(Kind::Float, parts.first()?.ty.width, count);
        let mut parts = joined(parts);
        let whole = if parts.len() == 1 { parts.pop()? } else { self.construct(inst, ty, parts) };
        Some((whole, apart))
    }

    fn sample(&mut self, inst: Inst, op: TexOp) {
        if self.unsupported(inst) {
            return;
        }
        let Some(found) = self.sampled(inst) else { return };
        let image = found.image;
        if self.es_refuses_lookup(inst, op, image) {
            return;
        }
        let ty = self.texel_type(inst, image);
        let has = |this: &Self, role| this.role(inst, role).is_some();
        let (projects, offset) = (has(self, Role::Projector), has(self, Role::Offset));
        let (lod, grad) = (has(self, Role::Lod), has(self, Role::Ddx));
        let biases_layers = has(self, Role::Bias) && image.arrayed && image.dim != Dim::D1;
        let compares = self.body.inst(inst).attrs.has(Key::Shadow);
        let (is_layered, is_apart) =
            (image.arrayed || image.dim == Dim::Cube, image.arrayed && image.dim == Dim::Cube);
        if compares && (is_apart && (lod || grad) || lod && is_layered || biases_layers) {
            return self.compared_layers(inst, found, !offset && !projects);
        }
        let Some((coord, apart)) = self.coordinate(inst, image, projects) else { return };
        let mut name = "texture".to_owned();
        name.push_str(if projects { "Proj" } else { "" });
        name.push_str(if op == TexOp::SampleLod && lod { "Lod" } else { "" });
        name.push_str(if grad { "Grad" } else { "" });
        name.push_str(if offset { "Offset" } else { "" });
        let mut args = vec![Expr::new(found.tokens, Prec::Postfix, ty), coord];
        args.extend(apart);
        for role in [Role::Lod, Role::Ddx, Role::Ddy] {
            if let Some(value) = self.role(inst, role) {
                args.push(self.value_as(value, Kind::Float));
            }
        }
        if let Some(value) = self.role(inst, Role::Offset) {
            args.push(self.value_as(value, Kind::Int));
        }
        if let Some(value) = self.role(inst, Role::MinLod) {
            self.glsl_takes_least();
            name.push_str("ClampARB");
            args.push(self.value_as(value, Kind::Float));
        }
        let bias = self.role(inst, Role::Bias).map(|value| self.value_as(value, Kind::Float));
        self.glsl_lookup(inst, name, args, bias.into_iter().collect(), ty);
    }

    /// A comparison in layers or cubes with a bias, a level of detail or gradients, which have no functions.
    fn compared_layers(&mut self, inst: Inst, found: Resource, is_plain: bool) {
        let others = self.body.inst(inst).attrs.has(Key::Sparse) || self.role(inst, Role::MinLod).is_some();
        let reference = self.role(inst, Role::Compare);
        let (Some(reference), true) = (reference, is_plain && !others && self.w.es().is_none()) else {
            return self.refuse(inst, "it has no such comparison in layers or cubes", "");
        };
        let Some(coord) = self.plain_coordinate(inst, found.image, Kind::Float) else { return };
        let reference = self.value_as(reference, Kind::Float);
        let levels = [Role::Bias, Role::Lod, Role::Ddx, Role::Ddy].map(|role| self.role(inst, role));
        let levels = levels.into_iter().flatten().map(|value| self.value_as(value, Kind::Float)).collect();
        let Some(expr) = self.glsl_compared(inst, found, [coord, reference], levels) else { return };
        let expr = self.texel(inst, expr);
        self.define(inst, expr);
    }

    fn gather(&mut self, inst: Inst) {
        if self.unsupported(inst) {
            return;
        }
        let Some(found) = self.sampled(inst) else { return };
        if self.es_refuses_lookup(inst, TexOp::Gather, found.image) {
            return;
        }
        let ty = self.texel_type(inst, found.image);
        let Some((coord, apart)) = self.coordinate(inst, found.image, false) else { return };
        let mut args = vec![Expr::new(found.tokens, Prec::Postfix, ty), coord];
        args.extend(apart);
        let mut name = "textureGather";
        if let Some(value) = self.role(inst, Role::Offset) {
            name = "textureGatherOffset";
            args.push(self.value_as(value, Kind::Int));
        }
        if let Some(offsets) = self.role(inst, Role::Offsets) {
            let pairs = self.four_offsets(inst, offsets);
            if pairs.len() != 4 || self.w.es().is_some() {
                return self.refuse(
                    inst,
                    "it has no gather with four offsets",
                    Help::lowered_by("lower-tex{gather-offsets}"),
                );
            }
            name = "textureGatherOffsets";
            let ty = NumberType::scalar(Kind::Int).with_components(2);
            let array = format!("{}[4]", self.type_name(ty, inst));
            args.push(call(Token::linked(Class::Type, array, self.anchor(inst)), pairs, ty));
        }
        let component = self.role(inst, Role::Component).map(|value| self.value_as(value, Kind::Int));
        self.glsl_lookup(inst, name.to_owned(), args, component.into_iter().collect(), ty);
    }

    fn fetch(&mut self, inst: Inst, op: TexOp) {
        if self.unsupported(inst) {
            return;
        }
        let data = self.body.inst(inst);
        let Some(found) = data.args.first().and_then(|&image| self.unsampled(inst, image)) else { return };
        let image = found.image;
        if self.es_refuses_lookup(inst, op, image) {
            return;
        }
        let ty = self.texel_type(inst, image);
        let mut args = vec![Expr::new(found.tokens, Prec::Postfix, ty)];
        let is_subpass = image.dim == Dim::Subpass;
        let is_storage = image.usage == Usage::Storage;
        if !is_subpass {
            let Some(coord) = self.plain_coordinate(inst, image, Kind::Int) else { return };
            args.push(coord);
        }
        let mut name = match (is_subpass, is_storage) {
            (true, _) => "subpassLoad",
            (false, true) => "imageLoad",
            (false, false) => "texelFetch",
        };
        if let Some(sample) = self.role(inst, Role::Sample) {
            args.push(self.value_as(sample, Kind::Int));
        } else if op == TexOp::Fetch && image.dim != Dim::Buffer && image.dim != Dim::Rect {
            let zero = Bits::zero(Width::W32, 1);
            args.push(match self.role(inst, Role::Lod) {
                Some(lod) => self.value_as(lod, Kind::Int),
                None => self.constant(&zero, Kind::Int, inst),
            });
        }
        match self.role(inst, Role::Offset).map(|offset| self.value_as(offset, Kind::Int)) {
            // There are no such functions for images with samples.
            Some(offset) if image.multisampled && args.len() > 1 => {
                let (coord, ty) = (args[1].clone(), args[1].ty);
                args[1] = self.infix(inst, "+", Prec::Sum, vec![coord, offset], ty);
            }
            Some(offset) => {
                name = "texelFetchOffset";
                args.push(offset);
            }
            None => {}
        }
        if op == TexOp::Fetch && !found.is_combined {
            self.w.extensions.insert("GL_EXT_samplerless_texture_functions");
        }
        self.glsl_lookup(inst, name.to_owned(), args, Vec::new(), ty);
    }

    fn write_texel(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let Some(found) = data.args.first().and_then(|&image| self.resource(image)) else { return };
        let scalar = self.w.number_type(found.image.sampled).unwrap_or(NumberType::scalar(Kind::Float));
        let Some(coord) = self.plain_coordinate(inst, found.image, Kind::Int) else { return };
        let Some(texel) = self.stored_texel(inst, scalar) else { return };
        let mut args = vec![Expr::new(found.tokens, Prec::Postfix, scalar), coord];
        if let Some(sample) = self.role(inst, Role::Sample) {
            args.push(self.value_as(sample, Kind::Int));
        }
        args.push(texel);
        let expr = self.call(inst, "imageStore", args, scalar);
        self.statement(expr.tokens);
    }

    fn query(&mut self, inst: Inst, op: TexOp) {
        let data = self.body.inst(inst);
        let found = match op {
            TexOp::QueryLod => self.sampled(inst),
            _ => data.args.first().and_then(|&image| self.unsampled(inst, image)),
        };
        let Some(found) = found else { return };
        let image = found.image;
        let (int, float) = (NumberType::scalar(Kind::Int), NumberType::scalar(Kind::Float));
        let mut args = vec![Expr::new(found.tokens, Prec::Postfix, int)];
        let is_storage = image.usage == Usage::Storage;
        let (name, ty) = match op {
            TexOp::QueryLod => {
                let Some(coord) = self.role(inst, Role::Coord) else { return };
                let coord = self.value_as(coord, Kind::Float);
                let (_, plane, _) = dimension(image.dim);
                let list: Vec<u8> = (0..plane.min(coord.ty.components)).collect();
                let ty = coord.ty.with_components(list.len() as u8);
                let coord = self.components(inst, coord, &list, ty);
                args.push(coord);
                ("textureQueryLod", float.with_components(2))
            }
            TexOp::QueryLevels => ("textureQueryLevels", int),
            TexOp::QuerySamples => (if is_storage { "imageSamples" } else { "textureSamples" }, int),
            _ => {
                if let Some(lod) = self.role(inst, Role::Lod) {
                    args.push(self.value_as(lod, Kind::Int));
                }
                let components = data.ty.components();
                (if is_storage { "imageSize" } else { "textureSize" }, int.with_components(components))
            }
        };
        if !found.is_combined && !is_storage {
            self.w.extensions.insert("GL_EXT_samplerless_texture_functions");
        }
        let expr = self.call(inst, name, args, ty);
        self.define(inst, expr);
    }
}
