//! Textures and samplers of MSL: methods of textures, by the roles of their operands.

use crate::expr::{Expr, Prec, Token, space};
use crate::func::{FuncWriter, Slot};
use crate::images::{Resource, dimension};
use crate::number::{Kind, NumberType};
use crate::operands::{PathRoot, root};
use crate::stmt::Stmt;
use vitrine_ir::ops::attr::Role;
use vitrine_ir::ops::{Bits, Dim, Key, TexOp, Width};
use vitrine_ir::{Help, ImageType, Inst, Usage};
use vitrine_text::{Class, Link};

impl FuncWriter<'_, '_> {
    /// Writes an operation on images.
    pub(super) fn msl_image(&mut self, inst: Inst, op: TexOp) {
        match op {
            TexOp::Combine | TexOp::ImageOf => {}
            TexOp::Sample | TexOp::SampleLod => self.msl_sample(inst),
            TexOp::Gather => self.msl_gather(inst),
            TexOp::Fetch | TexOp::Read => self.msl_load(inst, op),
            TexOp::Write => self.msl_store(inst),
            TexOp::QuerySize | TexOp::QueryLevels | TexOp::QuerySamples => self.msl_query(inst, op),
            TexOp::QueryLod => self.query_lod(inst),
            TexOp::Resident => self.msl_resident(inst),
        }
    }

    fn texture_expr(&self, found: &Resource) -> Expr {
        Expr::new(found.tokens.clone(), Prec::Postfix, NumberType::scalar(Kind::Uint))
    }

    /// The texture of a lookup and its sampler.
    fn texture_and_sampler(&mut self, inst: Inst) -> Option<(Resource, Expr)> {
        let data = self.body.inst(inst);
        let handle = *data.args.first()?;
        let (image, sampler) = match (self.combined_pair(handle), self.role(inst, Role::Sampler)) {
            (Some([image, sampler]), _) => (image, sampler),
            (None, Some(sampler)) => (handle, sampler),
            (None, None) => {
                self.refuse(
                    inst,
                    "textures have no samplers of their own",
                    Help::by_pass("lower-samplers{split}", "separates them"),
                );
                return None;
            }
        };
        let resource = self.resource(image)?;
        let sampler = self.sampler_tokens(sampler)?;
        Some((resource, Expr::new(sampler, Prec::Postfix, NumberType::scalar(Kind::Uint))))
    }

    /// True if lookups compare texels of an image: its type says so.
    fn is_depth(&self, handle: Inst) -> bool {
        match root(self.body, handle) {
            Some(PathRoot::Var(var)) => self.w.own.msl.compared.contains(var),
            Some(PathRoot::Param(_)) | None => false,
        }
    }

    fn refuses_lookup(&mut self, inst: Inst) -> bool {
        let (says, help) = if self.role(inst, Role::Projector).is_some() {
            ("it has no lookups with projection", Help::lowered_by("lower-tex{projector}"))
        } else if self.role(inst, Role::Offsets).is_some() {
            ("it has no gather with four offsets", Help::lowered_by("lower-tex{gather-offsets}"))
        } else {
            return false;
        };
        self.refuse(inst, says, help);
        true
    }

    /// The components of a coordinate that address a plane, and the layer.
    fn split_place(&mut self, inst: Inst, image: ImageType, coord: Expr) -> Option<(Expr, Option<Expr>)> {
        let (_, plane, _) = dimension(image.dim);
        let part = |this: &mut Self, list: &[u8]| {
            let ty = coord.ty.with_components(list.len() as u8);
            this.components(inst, coord.clone(), list, ty)
        };
        let list: Vec<u8> = (0..plane.min(coord.ty.components)).collect();
        let place = part(self, &list);
        let layer = (image.arrayed && coord.ty.components > plane).then(|| part(self, &[plane]));
        Some((place, layer))
    }

    /// The arguments for the place of a lookup that samples.
    fn sampled_place(&mut self, inst: Inst, image: ImageType) -> Option<Vec<Expr>> {
        let coord = self.wide_coordinate(inst)?;
        let (place, layer) = self.split_place(inst, image, coord)?;
        let mut out = vec![place];
        if let Some(layer) = layer {
            // The layer is rounded to nearest even.
            let rounded = self.call(inst, "rint", vec![layer], NumberType::scalar(Kind::Float));
            out.push(self.construct(inst, NumberType::scalar(Kind::Uint), vec![rounded]));
        }
        Some(out)
    }

    /// The arguments for the place of a texel: unsigned numbers.
    pub(super) fn texel_place(
        &mut self,
        inst: Inst,
        image: ImageType,
        coord: Inst,
        kind: Kind,
    ) -> Option<Vec<Expr>> {
        let coord = self.value_as(coord, kind);
        let layered_cube = image.dim == Dim::Cube;
        let coord = self.cast(coord, Kind::Uint, inst);
        if layered_cube {
            // Faces are layers of a storage image.
            let place = self.components(inst, coord.clone(), &[0, 1], coord.ty.with_components(2));
            let face = self.components(inst, coord.clone(), &[2], coord.ty.with_components(1));
            if !image.arrayed {
                return Some(vec![place, face]);
            }
            let six =
                self.constant(&Bits::scalar(vitrine_ir::ops::Scalar::new(Width::W32, 6)), Kind::Uint, inst);
            let uint = NumberType::scalar(Kind::Uint);
            let layer = self.infix(inst, "/", Prec::Product, vec![face.clone(), six.clone()], uint);
            let face = self.infix(inst, "%", Prec::Product, vec![face, six], uint);
            return Some(vec![place, face, layer]);
        }
        let (place, layer) = self.split_place(inst, image, coord)?;
        Some([Some(place), layer].into_iter().flatten().collect())
    }

    /// The option for the level of detail of a lookup. `Err` if it was refused.
    fn level_options(&mut self, inst: Inst, image: ImageType) -> Result<Vec<Expr>, ()> {
        let float = NumberType::scalar(Kind::Float);
        let mut out = Vec::new();
        let one = |this: &mut Self, role: Role| {
            this.role(inst, role).map(|value| this.value_as(value, Kind::Float))
        };
        if let (Some(ddx), Some(ddy)) = (one(self, Role::Ddx), one(self, Role::Ddy)) {
            let name = match image.dim {
                Dim::Cube => "gradientcube",
                Dim::D3 => "gradient3d",
                _ => "gradient2d",
            };
            out.push(self.call(inst, name, vec![ddx, ddy], float));
        } else if let Some(level) = one(self, Role::Lod) {
            out.push(self.call(inst, "level", vec![level], float));
        } else if let Some(bias) = one(self, Role::Bias) {
            out.push(self.call(inst, "bias", vec![bias], float));
        }
        if let Some(least) = one(self, Role::MinLod) {
            if out.len() == 1 && self.role(inst, Role::Lod).is_some() {
                self.refuse(inst, "it has no minimum for a level that is given", "");
                return Err(());
            }
            out.push(self.call(inst, "min_lod_clamp", vec![least], float));
        }
        // Textures of one dimension have one level.
        if image.dim == Dim::D1 {
            out.clear();
        }
        Ok(out)
    }

    /// The offset of a lookup as its last argument.
    fn offset_option(&mut self, inst: Inst) -> Option<Expr> {
        let offset = self.role(inst, Role::Offset)?;
        Some(self.value_as(offset, Kind::Int))
    }

    fn msl_sample(&mut self, inst: Inst) {
        if self.refuses_lookup(inst) {
            return;
        }
        let Some((found, sampler)) = self.texture_and_sampler(inst) else { return };
        let Some(place) = self.sampled_place(inst, found.image) else { return };
        let compares = self.body.inst(inst).attrs.has(Key::Shadow);
        let ty = self.texel_type(inst, found.image);
        let mut args = vec![sampler];
        args.extend(place);
        if compares {
            let Some(reference) = self.role(inst, Role::Compare) else { return };
            args.push(self.value_as(reference, Kind::Float));
        }
        let Ok(options) = self.level_options(inst, found.image) else { return };
        args.extend(options);
        if let Some(offset) = self.offset_option(inst) {
            if matches!(found.image.dim, Dim::D1 | Dim::Cube) {
                return self.refuse(inst, "it has no offsets in these textures", "");
            }
            args.push(offset);
        }
        let name = if compares { "sample_compare" } else { "sample" };
        let texture = self.texture_expr(&found);
        let is_depth = self.body.inst(inst).args.first().is_some_and(|&image| self.is_depth_of(image));
        let ty = if is_depth { ty.with_components(1) } else { ty };
        self.looked_up(inst, texture, name, args, ty);
    }

    /// Defines the result of a lookup: a texel, or one with its residency.
    fn looked_up(&mut self, inst: Inst, texture: Expr, name: &'static str, args: Vec<Expr>, ty: NumberType) {
        if !self.body.inst(inst).attrs.has(Key::Sparse) {
            let expr = self.method(inst, texture, name, args, ty);
            let expr = self.texel(inst, expr);
            return self.define(inst, expr);
        }
        if self.declaration_sites.is_hoisted(inst) {
            return self.refuse(inst, "its residency is used outside of its block", "");
        }
        let call = self.method(inst, texture, &format!("sparse_{name}"), args, ty);
        let found = self.names.fresh("texel", "texel");
        let type_name = format!("sparse_color<{}>", self.type_name(ty, inst));
        let link = Link::Def(self.anchor(inst));
        let mut tokens = vec![Token::new(Class::Type, type_name), space()];
        tokens.push(Token { text: found.clone().into(), class: Class::Value, link });
        tokens.extend([space(), Token::new(Class::Op, "="), space()]);
        tokens.extend(call.tokens);
        self.push(Stmt::Simple { tokens, declares: Some(found.clone()), assigns: None });
        let found = Expr::atom(Token::linked(Class::Value, found, self.anchor(inst)), ty);
        let texel = self.method(inst, found.clone(), "value", Vec::new(), ty);
        self.slots[inst] = Slot::Each(texel);
        // The code of the program is 0 if all texels are resident.
        let resident = self.method(inst, found, "resident", Vec::new(), NumberType::BOOL);
        let code = self.construct(inst, NumberType::scalar(Kind::Uint), vec![resident.negated()]);
        self.residencies.insert(inst, code);
    }

    fn msl_resident(&mut self, inst: Inst) {
        let Some(&code) = self.body.inst(inst).args.first() else { return };
        let code = self.value_as(code, Kind::Uint);
        let zero = self.constant(&Bits::zero(Width::W32, 1), Kind::Uint, inst);
        let expr = self.infix(inst, "==", Prec::Equality, vec![code, zero], NumberType::BOOL);
        self.define(inst, expr);
    }

    fn is_depth_of(&self, handle: Inst) -> bool {
        match self.combined_pair(handle) {
            Some([image, _]) => self.is_depth(image),
            None => self.is_depth(handle),
        }
    }

    fn msl_gather(&mut self, inst: Inst) {
        if self.refuses_lookup(inst) {
            return;
        }
        let Some((found, sampler)) = self.texture_and_sampler(inst) else { return };
        let Some(place) = self.sampled_place(inst, found.image) else { return };
        let compares = self.body.inst(inst).attrs.has(Key::Shadow);
        let ty = self.texel_type(inst, found.image);
        let mut args = vec![sampler];
        args.extend(place);
        if compares {
            let Some(reference) = self.role(inst, Role::Compare) else { return };
            args.push(self.value_as(reference, Kind::Float));
        }
        let offset = self.offset_option(inst);
        let component = self.role(inst, Role::Component).and_then(|it| self.body.const_of(it));
        let component = component.map_or(0, |bits| self.w.module.bits_of(bits).component(0).bits());
        let needs_component = !compares && component > 0;
        if found.image.dim != Dim::Cube {
            match offset {
                Some(offset) => args.push(offset),
                None if needs_component => {
                    let zero = self.constant(&Bits::zero(Width::W32, 2), Kind::Int, inst);
                    args.push(zero);
                }
                None => {}
            }
        }
        if needs_component {
            let name = ["x", "y", "z", "w"].get(component as usize).copied().unwrap_or("x");
            let token = Token::new(Class::Name, format!("component::{name}"));
            args.push(Expr::atom(token, NumberType::scalar(Kind::Int)));
        }
        let name = if compares { "gather_compare" } else { "gather" };
        let texture = self.texture_expr(&found);
        self.looked_up(inst, texture, name, args, ty);
    }

    fn msl_load(&mut self, inst: Inst, op: TexOp) {
        if self.refuses_lookup(inst) {
            return;
        }
        let data = self.body.inst(inst);
        let Some(&handle) = data.args.first() else { return };
        let Some(found) = self.resource(handle) else { return };
        let image = found.image;
        if image.dim == Dim::Subpass {
            let ty = self.texel_type(inst, image);
            let color = Expr::new(found.tokens, Prec::Postfix, ty);
            let expr = self.texel(inst, color);
            return self.define(inst, expr);
        }
        let Some(coord) = self.role(inst, Role::Coord) else { return };
        let ty = self.texel_type(inst, image);
        let coord_kind = self.written_kind(coord).filter(|&kind| kind == Kind::Uint).unwrap_or(Kind::Int);
        let Some(mut args) = self.texel_place(inst, image, coord, coord_kind) else { return };
        if let (Some(offset), Some(place)) = (self.role(inst, Role::Offset), args.first().cloned()) {
            let offset = self.value_as(offset, Kind::Uint);
            let ty = place.ty;
            args[0] = self.infix(inst, "+", Prec::Sum, vec![place, offset], ty);
        }
        if let Some(sample) = self.role(inst, Role::Sample) {
            args.push(self.value_as(sample, Kind::Uint));
        } else if op == TexOp::Fetch
            && image.usage != Usage::Storage
            && !matches!(image.dim, Dim::D1 | Dim::Buffer)
        {
            let level = self.role(inst, Role::Lod);
            let is_zero = level.is_none_or(|level| {
                self.body
                    .const_of(level)
                    .is_some_and(|bits| self.w.module.bits_of(bits).component(0).bits() == 0)
            });
            if let (false, Some(level)) = (is_zero, level) {
                args.push(self.value_as(level, Kind::Uint));
            }
        }
        let texture = self.texture_expr(&found);
        let ty = if self.is_depth(handle) { ty.with_components(1) } else { ty };
        self.looked_up(inst, texture, "read", args, ty);
    }

    fn msl_store(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let Some(found) = data.args.first().and_then(|&image| self.resource(image)) else { return };
        let scalar = self.w.number_type(found.image.sampled).unwrap_or(NumberType::scalar(Kind::Float));
        let Some(coord) = self.role(inst, Role::Coord) else { return };
        let coord_kind = self.written_kind(coord).filter(|&kind| kind == Kind::Uint).unwrap_or(Kind::Int);
        let Some(place) = self.texel_place(inst, found.image, coord, coord_kind) else { return };
        let Some(texel) = self.stored_texel(inst, scalar) else { return };
        if self.role(inst, Role::Sample).is_some() {
            return self.refuse(inst, "it writes no samples", "");
        }
        let mut args = vec![texel];
        args.extend(place);
        let texture = self.texture_expr(&found);
        let expr = self.method(inst, texture, "write", args, scalar);
        self.statement(expr.tokens);
    }

    fn msl_query(&mut self, inst: Inst, op: TexOp) {
        let data = self.body.inst(inst);
        let Some(found) = data.args.first().and_then(|&image| self.resource(image)) else { return };
        let image = found.image;
        let uint = NumberType::scalar(Kind::Uint);
        let texture = self.texture_expr(&found);
        let expr = match op {
            // Images of one dimension have one level there.
            TexOp::QueryLevels if image.dim == Dim::D1 => {
                let one = vitrine_ir::ops::Scalar::new(Width::W32, 1);
                self.constant(&Bits::scalar(one), Kind::Uint, inst)
            }
            TexOp::QueryLevels => self.method(inst, texture, "get_num_mip_levels", Vec::new(), uint),
            TexOp::QuerySamples => self.method(inst, texture, "get_num_samples", Vec::new(), uint),
            _ => {
                let (_, _, axes) = dimension(image.dim);
                let has_levels = !image.multisampled && !matches!(image.dim, Dim::D1 | Dim::Buffer);
                let level = self.role(inst, Role::Lod).filter(|_| has_levels);
                let level: Vec<Expr> =
                    level.map(|level| self.value_as(level, Kind::Uint)).into_iter().collect();
                let names = ["get_width", "get_height", "get_depth"];
                let mut parts = Vec::new();
                for name in names.iter().take(usize::from(axes)) {
                    parts.push(self.method(inst, texture.clone(), name, level.clone(), uint));
                }
                if image.arrayed {
                    parts.push(self.method(inst, texture, "get_array_size", Vec::new(), uint));
                }
                match parts.len() {
                    1 => parts.remove(0),
                    count => self.construct(inst, uint.with_components(count as u8), parts),
                }
            }
        };
        self.define(inst, expr);
    }

    /// The level that a lookup would use, clamped and not.
    fn query_lod(&mut self, inst: Inst) {
        let Some((found, sampler)) = self.texture_and_sampler(inst) else { return };
        let Some(coord) = self.wide_coordinate(inst) else { return };
        let Some((place, _)) = self.split_place(inst, found.image, coord) else { return };
        if found.image.dim == Dim::D1 {
            return self.refuse(inst, "it has no levels in textures of one dimension", "");
        }
        let float = NumberType::scalar(Kind::Float);
        let texture = self.texture_expr(&found);
        let args = vec![sampler, place];
        let clamped = self.method(inst, texture.clone(), "calculate_clamped_lod", args.clone(), float);
        let unclamped = self.method(inst, texture, "calculate_unclamped_lod", args, float);
        let expr = self.construct(inst, float.with_components(2), vec![clamped, unclamped]);
        self.define(inst, expr);
    }
}
