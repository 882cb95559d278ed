//! Textures and samplers of WGSL: lookups by the roles of their operands, and queries.

use crate::expr::{Expr, Prec, Token};
use crate::func::FuncWriter;
use crate::images::{Resource, dimension};
use crate::number::{Kind, NumberType};
use crate::operands::{PathRoot, root};
use vitrine_ir::ops::attr::Role;
use vitrine_ir::ops::{Bits, ConvertOp, Dim, Key, Op, Scalar, TexOp, Width};
use vitrine_ir::{Help, ImageType, Inst, Usage};
use vitrine_text::Class;

/// The reason for a refusal.
const COMPARED: &str = "other lookups compare by the same sampler, which has the type for that";

/// The offsets that lookups take.
const OFFSETS: std::ops::RangeInclusive<i64> = -8..=7;

impl FuncWriter<'_, '_> {
    /// Writes an operation on images.
    pub(super) fn wgsl_image(&mut self, inst: Inst, op: TexOp) {
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
                    Help::by_pass("lower-samplers{split}", "separates them"),
                );
                return None;
            }
        };
        if !data.attrs.has(Key::Shadow) && self.is_compared(sampler) {
            self.refuse(inst, COMPARED, "use a sampler for each");
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

    /// The texel of an image of depths, of which the language has the first component only: the others are 0, 0 and 1.
    fn depth_texel(&mut self, inst: Inst, depth: Expr) -> Expr {
        let ty = depth.ty.with_components(self.body.ty(inst).components());
        if ty.components == 1 {
            return depth;
        }
        let mut parts = vec![depth];
        for at in 1..ty.components {
            let value = Scalar::float(Width::W32, if at == 3 { 1.0 } else { 0.0 });
            parts.push(self.constant(&Bits::from_scalars(&[value]), Kind::Float, inst));
        }
        self.construct(inst, ty, parts)
    }

    /// The level of an image of depths, which is a whole number. `None` for another one.
    fn whole_level(&mut self, inst: Inst, level: Inst) -> Option<Expr> {
        if let Some(bits) = self.body.const_of(level) {
            let value = self.w.module.bits_of(bits).component(0).to_f64();
            if value.fract() != 0.0 || value.abs() > 64.0 {
                return None;
            }
            let bits = Bits::from_scalars(&[Scalar::new(Width::W32, value as i64 as u64)]);
            return Some(self.constant(&bits, Kind::Int, inst));
        }
        match self.body.inst(level).op {
            Op::Convert(ConvertOp::I2F | ConvertOp::U2F) => {
                let level = self.value_as(level, Kind::Float);
                Some(self.construct(inst, NumberType::scalar(Kind::Int), vec![level]))
            }
            _ => None,
        }
    }

    /// True if lookups compare texels of an image, or by a sampler: its type says so.
    fn is_compared(&self, handle: Inst) -> bool {
        match root(self.body, handle) {
            Some(PathRoot::Var(var)) => self.w.memory_uses.compared.contains(var),
            Some(PathRoot::Param(_)) | None => false,
        }
    }

    /// True for an image, or one with a sampler, that lookups compare somewhere.
    fn has_depths(&self, handle: Inst) -> bool {
        let image = self.combined_pair(handle).map_or(handle, |[image, _]| image);
        self.is_compared(image)
    }

    /// The coordinate, and the layer if the texture has layers.
    fn place(&mut self, inst: Inst, image: ImageType, kind: Kind) -> Option<Vec<Expr>> {
        let coord = match kind {
            Kind::Float => self.wide_coordinate(inst)?,
            _ => self.role(inst, Role::Coord).map(|coord| self.value_as(coord, kind))?,
        };
        let (_, plane, _) = dimension(image.dim);
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
                    let layer = self.not_constant(inst, layer);
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
        let (says, help) = if self.role(inst, Role::MinLod).is_some() {
            ("it has no minimum level of detail", Help::by_pass("lower-tex", "may remove it"))
        } else if self.role(inst, Role::Projector).is_some() {
            ("it has no lookups with projection", Help::lowered_by("lower-tex{projector}"))
        } else if self.role(inst, Role::Offsets).is_some() {
            ("it has no gather with four offsets", Help::default())
        } else {
            return false;
        };
        self.refuse(inst, says, help);
        true
    }

    /// The offset as the last argument: it must be a constant.
    fn offset(&mut self, inst: Inst, args: &mut Vec<Expr>) -> bool {
        let Some(offset) = self.role(inst, Role::Offset) else { return true };
        let Some(bits) = self.body.const_of(offset) else {
            self.refuse(
                inst,
                "its offset is no constant",
                Help::text("pass")
                    .pass("constant-fold")
                    .then("or")
                    .pass("lower-tex{offset}")
                    .then("may help"),
            );
            return false;
        };
        let bits = self.w.module.bits_of(bits);
        if !bits.components().iter().all(|&it| OFFSETS.contains(&i64::from((it as u32).cast_signed()))) {
            self.refuse(inst, "its offset is not from -8 to 7", "");
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
        if found.image.dim == Dim::D1 && !found.image.arrayed && self.line_sample(inst, &found, &args) {
            return;
        }
        let Some(place) = self.place(inst, found.image, Kind::Float) else { return };
        args.extend(place);
        let compares = self.body.inst(inst).attrs.has(Key::Shadow);
        let is_depth = !compares && self.body.inst(inst).args.first().is_some_and(|&it| self.has_depths(it));
        let has = |this: &Self, role| this.role(inst, role).is_some();
        let (lod, grad, bias) = (has(self, Role::Lod), has(self, Role::Ddx), has(self, Role::Bias));
        if is_depth && (grad || bias) {
            return self.refuse(
                inst,
                "its image is compared, too, and has neither gradients nor biases then",
                "",
            );
        }
        let mut ty = self.texel_type(inst, found.image);
        if is_depth {
            ty = ty.with_components(1);
        }
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
                let Some(value) = self.role(inst, role) else { continue };
                let value = if is_depth {
                    self.whole_level(inst, value)
                } else {
                    Some(self.value_as(value, Kind::Float))
                };
                let Some(value) = value else {
                    return self.refuse(
                        inst,
                        "its image is compared, too, and is read at whole levels then",
                        "",
                    );
                };
                args.push(value);
            }
        }
        if !self.offset(inst, &mut args) {
            return;
        }
        if op == TexOp::Sample && !lod && !grad {
            self.note_derivative();
        }
        let expr = self.call(inst, name, args, ty);
        let expr = if is_depth { self.depth_texel(inst, expr) } else { self.texel(inst, expr) };
        self.define(inst, expr);
    }

    /// A lookup in a texture of one dimension, which has none with biases, gradients and offsets: the level is computed from
    /// them. Returns false for another one.
    fn line_sample(&mut self, inst: Inst, found: &Resource, halves: &[Expr]) -> bool {
        let (bias, offset) = (self.role(inst, Role::Bias), self.role(inst, Role::Offset));
        let gradients = self.role(inst, Role::Ddx).zip(self.role(inst, Role::Ddy));
        if bias.is_none() && gradients.is_none() && offset.is_none() {
            return false;
        }
        if self.body.inst(inst).attrs.has(Key::Shadow) {
            return false;
        }
        let Some(coord) = self.wide_coordinate(inst) else { return false };
        let one = NumberType::scalar(Kind::Float);
        let coord = self.components(inst, coord, &[0], one);
        let mut coord = self.fixed(coord, crate::func::Role::Variable, inst);
        let texture = Expr::new(found.tokens.clone(), Prec::Postfix, one);
        let level = match (gradients, self.role(inst, Role::Lod)) {
            (Some((x, y)), _) => {
                let slopes = [self.value_as(x, Kind::Float), self.value_as(y, Kind::Float)];
                self.line_level(inst, texture.clone(), slopes)
            }
            (None, Some(lod)) => self.value_as(lod, Kind::Float),
            (None, None) => {
                self.note_derivative();
                let slopes = ["dpdx", "dpdy"].map(|name| self.call(inst, name, vec![coord.clone()], one));
                let level = self.line_level(inst, texture.clone(), slopes);
                match bias {
                    Some(bias) => {
                        let bias = self.value_as(bias, Kind::Float);
                        self.infix(inst, "+", Prec::Sum, vec![level, bias], one)
                    }
                    None => level,
                }
            }
        };
        if let Some(offset) = offset {
            let is_first = self.role(inst, Role::Lod).is_some() && self.is_level_zero(inst);
            if !is_first {
                self.refuse(
                    inst,
                    "textures of one dimension have no offsets, and the size of a texel depends on the level",
                    "use the level 0",
                );
                return true;
            }
            let offset = self.value_as(offset, Kind::Int);
            let offset = self.construct(inst, one, vec![offset]);
            let size = self.line_size(inst, texture);
            let moved = self.infix(inst, "/", Prec::Product, vec![offset, size], one);
            coord = self.infix(inst, "+", Prec::Sum, vec![coord, moved], one);
        }
        let mut args = halves.to_vec();
        args.extend([coord, level]);
        let ty = self.texel_type(inst, found.image);
        let expr = self.call(inst, "textureSampleLevel", args, ty);
        let expr = self.texel(inst, expr);
        self.define(inst, expr);
        true
    }

    /// The size of a texture of one dimension as a float.
    fn line_size(&mut self, inst: Inst, texture: Expr) -> Expr {
        let size = self.call(inst, "textureDimensions", vec![texture], NumberType::scalar(Kind::Uint));
        self.construct(inst, NumberType::scalar(Kind::Float), vec![size])
    }

    /// The level of a texture of one dimension for slopes of the coordinate.
    fn line_level(&mut self, inst: Inst, texture: Expr, slopes: [Expr; 2]) -> Expr {
        let one = NumberType::scalar(Kind::Float);
        let lengths = slopes.map(|slope| {
            let slope = self.not_constant(inst, slope);
            self.call(inst, "abs", vec![slope], one)
        });
        let longest = self.call(inst, "max", lengths.into(), one);
        let size = self.line_size(inst, texture);
        let texels = self.infix(inst, "*", Prec::Product, vec![longest, size], one);
        self.call(inst, "log2", vec![texels], one)
    }

    fn wgsl_gather(&mut self, inst: Inst) {
        if self.refuses_operands(inst) {
            return;
        }
        let Some((found, halves)) = self.halves(inst) else { return };
        let Some(place) = self.place(inst, found.image, Kind::Float) else { return };
        let ty = self.texel_type(inst, found.image);
        let compares = self.body.inst(inst).attrs.has(Key::Shadow);
        let is_depth = !compares && self.body.inst(inst).args.first().is_some_and(|&it| self.has_depths(it));
        let component = self.role(inst, Role::Component).and_then(|it| self.body.const_of(it));
        let component = component.map_or(0, |bits| self.w.module.bits_of(bits).component(0).bits());
        if is_depth && component > 0 {
            let value = Scalar::float(Width::W32, if component == 3 { 1.0 } else { 0.0 });
            let all = vec![value; usize::from(ty.components)];
            let expr = self.constant(&Bits::from_scalars(&all), Kind::Float, inst);
            return self.define(inst, expr);
        }
        let mut args = Vec::new();
        if !compares && !is_depth {
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
        let is_depth = data.args.first().is_some_and(|&image| self.has_depths(image));
        let Some(found) = data.args.first().and_then(|&image| self.resource(image)) else { return };
        let image = found.image;
        let ty = self.texel_type(inst, image);
        let ty = if is_depth { ty.with_components(1) } else { ty };
        let mut args = vec![Expr::new(found.tokens, Prec::Postfix, ty)];
        let Some(mut place) = self.place(inst, image, Kind::Int) else { return };
        if let (Some(offset), Some(coord)) = (self.role(inst, Role::Offset), place.first().cloned()) {
            let offset = self.value_as(offset, Kind::Int);
            let ty = coord.ty;
            let coord = self.not_constant(inst, coord);
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
        let expr = if is_depth { self.depth_texel(inst, expr) } else { self.texel(inst, expr) };
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
                let (_, _, axes) = dimension(image.dim);
                let mut args = vec![texture.clone()];
                // Others have one level.
                let has_levels = image.usage != Usage::Storage && !image.multisampled;
                if let Some(lod) = self.role(inst, Role::Lod).filter(|_| has_levels) {
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
    pub(super) fn note_derivative(&mut self) {
        self.w.own.wgsl.has_divergent_derivatives |= !self.is_straight();
    }

    /// True in the first block of the entry point, which all invocations execute. Later ones may come after a branch that
    /// returns, and the language proves less than the analysis of divergence; what a function is called from is not known.
    pub(super) fn is_straight(&self) -> bool {
        self.is_entry() && self.block.is_some() && self.block == self.body.entry()
    }

    /// A keyword-like token, linked to an instruction.
    pub(super) fn keyword(&self, inst: Inst, word: &'static str) -> Token {
        Token::linked(Class::Keyword, word, self.anchor(inst))
    }

    fn is_entry(&self) -> bool {
        self.w.wgsl_result(self.func).is_some()
    }
}
