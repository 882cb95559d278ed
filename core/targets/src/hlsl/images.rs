//! Textures and samplers of HLSL: methods of resources, by the roles of their operands, and queries.
//!
//! A texture takes its layer in the coordinate. A query stores its results in variables.

use crate::expr::{Expr, Prec, Token, punct, space};
use crate::func::{FuncWriter, Slot};
use crate::images::{Resource, dimension};
use crate::number::{Kind, NumberType};
use crate::operands::{PathRoot, root};
use crate::stmt::Stmt;
use vitrine_ir::ops::attr::Role;
use vitrine_ir::ops::{Dim, Key, Op, TexOp};
use vitrine_ir::{Help, Inst, Stage, Usage};
use vitrine_text::{Class, Link};

impl FuncWriter<'_, '_> {
    /// Writes an operation on images.
    pub(super) fn hlsl_image(&mut self, inst: Inst, op: TexOp) {
        match op {
            TexOp::Combine | TexOp::ImageOf => {}
            TexOp::Sample | TexOp::SampleLod => self.hlsl_sample(inst),
            TexOp::Gather => self.hlsl_gather(inst),
            TexOp::Fetch | TexOp::Read => self.hlsl_load(inst, op),
            TexOp::Write => self.hlsl_store(inst),
            TexOp::QueryLod => self.hlsl_lod(inst),
            TexOp::QuerySize | TexOp::QueryLevels | TexOp::QuerySamples => self.hlsl_query(inst, op),
            TexOp::Resident => {
                let Some(&code) = self.body.inst(inst).args.first() else { return };
                let code = self.value_as(code, Kind::Uint);
                let expr = self.call(inst, "CheckAccessFullyMapped", vec![code], NumberType::BOOL);
                self.define(inst, expr);
            }
        }
    }

    /// A call of a method of a resource.
    pub(super) fn hlsl_method(
        &mut self,
        inst: Inst,
        of: &[Token],
        name: &'static str,
        args: Vec<Expr>,
        ty: NumberType,
    ) -> Expr {
        let mut tokens = of.to_vec();
        tokens.push(punct("."));
        let call = self.call(inst, name, args, ty);
        tokens.extend(call.tokens);
        Expr::new(tokens, Prec::Postfix, ty)
    }

    /// The texture of a lookup, and its sampler as an argument.
    fn sampled_pair(&mut self, inst: Inst) -> Option<(Resource, Expr)> {
        let data = self.body.inst(inst);
        let handle = *data.args.first()?;
        let (image, sampler) = match (self.combined_pair(handle), self.role(inst, Role::Sampler)) {
            (Some([image, sampler]), _) => (image, sampler),
            (None, Some(sampler)) => (handle, sampler),
            (None, None) => {
                let says = "textures have no samplers of their own";
                self.refuse(
                    inst,
                    says,
                    Help::by_pass("lower-samplers{split}", "separates them;")
                        .pass("inline-functions")
                        .then("may help"),
                );
                return None;
            }
        };
        let compares = data.attrs.has(Key::Shadow);
        if compares != self.compares(sampler) {
            let says = "a sampler that compares has another type, and here it is used for both";
            self.refuse(
                inst,
                says,
                Help::text("use one sampler for each; pass")
                    .pass("inline-functions")
                    .then("removes parameters"),
            );
            return None;
        }
        let resource = self.resource(image)?;
        let sampler = self.sampler_tokens(sampler)?;
        Some((resource, Expr::new(sampler, Prec::Postfix, NumberType::scalar(Kind::Int))))
    }

    /// Returns true if a sampler is declared as one that compares.
    fn compares(&self, sampler: Inst) -> bool {
        match root(self.body, sampler) {
            Some(PathRoot::Var(var)) => self.w.memory_uses.compared.contains(var),
            Some(PathRoot::Param(_)) | None => false,
        }
    }

    fn hlsl_refuses_lookup(&mut self, inst: Inst) -> bool {
        if self.role(inst, Role::Projector).is_some() {
            self.refuse(inst, "it has no lookups with projection", Help::lowered_by("lower-tex{projector}"));
            return true;
        }
        false
    }

    /// The coordinate, with the layer.
    fn hlsl_coordinate(&mut self, inst: Inst, found: &Resource, kind: Kind) -> Option<Expr> {
        let (_, plane, _) = dimension(found.image.dim);
        let coord = self.role(inst, Role::Coord)?;
        let coord = self.value_as(coord, kind);
        let wanted = (plane + u8::from(found.image.arrayed)).min(coord.ty.components);
        let list: Vec<u8> = (0..wanted).collect();
        let ty = coord.ty.with_components(wanted);
        Some(self.components(inst, coord, &list, ty))
    }

    fn hlsl_sample(&mut self, inst: Inst) {
        if self.hlsl_refuses_lookup(inst) {
            return;
        }
        let Some((found, sampler)) = self.sampled_pair(inst) else { return };
        let Some(coord) = self.hlsl_coordinate(inst, &found, Kind::Float) else { return };
        let ty = self.texel_type(inst, found.image);
        if ty.kind != Kind::Float {
            return self.refuse(inst, "textures of integers are not sampled", "load the texel");
        }
        let compares = self.body.inst(inst).attrs.has(Key::Shadow);
        let has = |this: &Self, role| this.role(inst, role).is_some();
        let is_computed = !has(self, Role::Lod) && !has(self, Role::Ddx);
        if is_computed && self.hlsl_refuses_derivatives(inst) {
            return;
        }
        let (lod, grad, bias) = (has(self, Role::Lod), has(self, Role::Ddx), has(self, Role::Bias));
        let name = match (compares, lod, grad, bias) {
            (true, false, false, false) => "SampleCmp",
            (true, true, ..) if self.is_level_zero(inst) => "SampleCmpLevelZero",
            (true, ..) => {
                return self.refuse(inst, "it compares at level 0 and at the computed level only", "");
            }
            (false, true, ..) => "SampleLevel",
            (false, _, true, _) => "SampleGrad",
            (false, _, _, true) => "SampleBias",
            (false, false, false, false) => "Sample",
        };
        let mut args = vec![sampler, coord];
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
        if let Some(offset) = self.role(inst, Role::Offset) {
            args.push(self.value_as(offset, Kind::Int));
        }
        let is_sparse = self.body.inst(inst).attrs.has(Key::Sparse);
        let least = self.role(inst, Role::MinLod);
        if is_sparse || least.is_some() {
            self.no_offset(inst, &found, &mut args);
        }
        let takes_least = !lod;
        match least {
            Some(least) => args.push(self.value_as(least, Kind::Float)),
            None if is_sparse && takes_least => {
                let zero = vitrine_ir::ops::Bits::zero(vitrine_ir::ops::Width::W32, 1);
                args.push(self.constant(&zero, Kind::Float, inst));
            }
            None => {}
        }
        if is_sparse {
            return self.with_status(inst, &found, name, args, ty);
        }
        let expr = self.hlsl_method(inst, &found.tokens, name, args, ty);
        let expr = self.texel(inst, expr);
        self.define(inst, expr);
    }

    fn hlsl_gather(&mut self, inst: Inst) {
        if self.hlsl_refuses_lookup(inst) {
            return;
        }
        let Some((found, sampler)) = self.sampled_pair(inst) else { return };
        let Some(coord) = self.hlsl_coordinate(inst, &found, Kind::Float) else { return };
        let ty = self.texel_type(inst, found.image);
        let mut args = vec![sampler, coord];
        let compares = self.body.inst(inst).attrs.has(Key::Shadow);
        let component = match self.role(inst, Role::Component).map(|at| self.body.const_of(at)) {
            None => 0,
            Some(Some(bits)) => self.w.module.bits_of(bits).component(0).bits(),
            Some(None) => return self.refuse(inst, "its component is no constant", ""),
        };
        let name = match (compares, component) {
            (true, _) => "GatherCmp",
            (false, 0) => "GatherRed",
            (false, 1) => "GatherGreen",
            (false, 2) => "GatherBlue",
            (false, _) => "GatherAlpha",
        };
        if compares {
            let Some(reference) = self.role(inst, Role::Compare) else { return };
            args.push(self.value_as(reference, Kind::Float));
        }
        if let Some(offset) = self.role(inst, Role::Offset) {
            args.push(self.value_as(offset, Kind::Int));
        }
        let data = self.body.inst(inst);
        let roles: Vec<Role> = Role::unpack(data.attrs.get(Key::Roles).unwrap_or(0)).collect();
        let offsets: Vec<Inst> = roles
            .iter()
            .zip(data.args.iter())
            .filter(|(role, _)| **role == Role::Offsets)
            .map(|(_, &arg)| arg)
            .collect();
        if let &[offsets, ..] = &offsets[..] {
            if compares {
                return self.refuse(inst, "it compares without four offsets only", "");
            }
            let pairs = self.four_offsets(inst, offsets);
            if pairs.len() != 4 {
                return self.refuse(inst, "its offsets are no list of four", "");
            }
            args.extend(pairs);
        }
        if data.attrs.has(Key::Sparse) {
            self.no_offset(inst, &found, &mut args);
            return self.with_status(inst, &found, name, args, ty);
        }
        let expr = self.hlsl_method(inst, &found.tokens, name, args, ty);
        self.define(inst, expr);
    }

    /// An offset of zero where an argument after it needs one.
    fn no_offset(&mut self, inst: Inst, found: &Resource, args: &mut Vec<Expr>) {
        let has = |role| self.role(inst, role).is_some();
        if found.image.dim == Dim::Cube || has(Role::Offset) || has(Role::Offsets) {
            return;
        }
        let (_, plane, _) = dimension(found.image.dim);
        let zero = vitrine_ir::ops::Bits::zero(vitrine_ir::ops::Width::W32, plane);
        args.push(self.constant(&zero, Kind::Int, inst));
    }

    /// A lookup that also stores whether its texels are resident.
    fn with_status(
        &mut self,
        inst: Inst,
        found: &Resource,
        name: &'static str,
        mut args: Vec<Expr>,
        ty: NumberType,
    ) {
        if self.declaration_sites.is_hoisted(inst) {
            return self.refuse(inst, "its residency is used outside of its block", "");
        }
        let uint = NumberType::scalar(Kind::Uint);
        let status = self.output("status", uint, inst);
        let status = Expr::atom(Token::linked(Class::Value, status, self.anchor(inst)), uint);
        args.push(status.clone());
        let texel = self.hlsl_method(inst, &found.tokens, name, args, ty);
        let name = self.names.fresh("texel", "texel");
        let tokens =
            self.declaration((&name, Link::None), crate::func::Role::Value, ty, inst, false, Some(texel));
        self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None });
        self.slots[inst] = Slot::Each(Expr::atom(Token::linked(Class::Value, name, self.anchor(inst)), ty));
        self.residencies.insert(inst, status);
    }

    fn hlsl_load(&mut self, inst: Inst, op: TexOp) {
        if self.hlsl_refuses_lookup(inst) {
            return;
        }
        let data = self.body.inst(inst);
        let Some(found) = data.args.first().and_then(|&image| self.resource(image)) else { return };
        let image = found.image;
        if found.is_combined {
            return self.refuse(
                inst,
                "textures have no samplers of their own",
                Help::by_pass("inline-functions", "may help"),
            );
        }
        let ty = self.texel_type(inst, image);
        if image.dim == Dim::Subpass {
            let sample = self.role(inst, Role::Sample).map(|sample| self.value_as(sample, Kind::Int));
            let args = sample.filter(|_| image.multisampled).into_iter().collect();
            let expr = self.hlsl_method(inst, &found.tokens, "SubpassLoad", args, ty);
            let expr = self.texel(inst, expr);
            return self.define(inst, expr);
        }
        let Some(mut coord) = self.hlsl_coordinate(inst, &found, Kind::Int) else { return };
        if image.usage == Usage::Storage && image.dim != Dim::Subpass {
            let ty = ty.with_components(self.w.texel_components(image));
            if data.attrs.has(Key::Sparse) {
                let ty = ty.with_components(4);
                return self.with_status(inst, &found, "Load", vec![coord], ty);
            }
            let expr = self.indexed_texel(&found, coord, ty);
            let expr = self.widened(inst, expr);
            return self.define(inst, expr);
        }
        let mut args = Vec::new();
        if let Some(sample) = self.role(inst, Role::Sample) {
            args.push(coord);
            args.push(self.value_as(sample, Kind::Int));
        } else if op == TexOp::Fetch && image.dim != Dim::Buffer {
            let zero = vitrine_ir::ops::Bits::zero(vitrine_ir::ops::Width::W32, 1);
            let lod = match self.role(inst, Role::Lod) {
                Some(lod) => self.value_as(lod, Kind::Int),
                None => self.constant(&zero, Kind::Int, inst),
            };
            let ty = coord.ty.with_components(coord.ty.components + 1);
            coord = self.construct(inst, ty, vec![coord, lod]);
            args.push(coord);
        } else {
            args.push(coord);
        }
        if let Some(offset) = self.role(inst, Role::Offset) {
            args.push(self.value_as(offset, Kind::Int));
        }
        if data.attrs.has(Key::Sparse) {
            self.no_offset(inst, &found, &mut args);
            return self.with_status(inst, &found, "Load", args, ty);
        }
        let expr = self.hlsl_method(inst, &found.tokens, "Load", args, ty);
        let expr = self.texel(inst, expr);
        self.define(inst, expr);
    }

    /// A texel of a storage image.
    pub(super) fn indexed_texel(&self, found: &Resource, coord: Expr, ty: NumberType) -> Expr {
        let mut tokens = found.tokens.clone();
        tokens.push(punct("["));
        tokens.extend(coord.tokens);
        tokens.push(punct("]"));
        Expr::new(tokens, Prec::Postfix, ty)
    }

    /// The texel of a format with fewer components as the instruction yields it: with zeros, and 1 as alpha.
    fn widened(&mut self, inst: Inst, texel: Expr) -> Expr {
        let wanted = self.body.ty(inst).components();
        if texel.ty.components >= wanted {
            return self.texel(inst, texel);
        }
        let scalar = texel.ty.with_components(1);
        let mut parts = vec![texel.clone()];
        for at in texel.ty.components..wanted {
            let one = match (at, scalar.kind) {
                (3, Kind::Float) => vitrine_ir::ops::Scalar::float(scalar.width, 1.0),
                (3, _) => vitrine_ir::ops::Scalar::new(scalar.width, 1),
                _ => vitrine_ir::ops::Scalar::new(scalar.width, 0),
            };
            let bits = vitrine_ir::ops::Bits::from_scalars(&[one]);
            parts.push(self.constant(&bits, scalar.kind, inst));
        }
        self.construct(inst, scalar.with_components(wanted), parts)
    }

    fn hlsl_store(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let Some(found) = data.args.first().and_then(|&image| self.resource(image)) else { return };
        let scalar = self.w.number_type(found.image.sampled).unwrap_or(NumberType::scalar(Kind::Float));
        let Some(coord) = self.hlsl_coordinate(inst, &found, Kind::Int) else { return };
        let Some(texel) = self.stored_texel(inst, scalar) else { return };
        let ty = scalar.with_components(self.w.texel_components(found.image));
        let list: Vec<u8> = (0..ty.components).collect();
        let texel = self.components(inst, texel, &list, ty);
        let place = self.indexed_texel(&found, coord, ty);
        let mut tokens = place.tokens;
        tokens.extend([space(), Token::linked(Class::Op, "=", self.anchor(inst)), space()]);
        tokens.extend(texel.tokens);
        self.push(Stmt::Simple { tokens, declares: None, assigns: None });
    }

    /// Refuses derivatives, and levels that follow from them, in stages whose invocations are no pixels.
    pub(super) fn hlsl_refuses_derivatives(&mut self, inst: Inst) -> bool {
        let is_refused = self.w.stage == Stage::Compute;
        if is_refused {
            let says =
                "it needs derivatives in a compute shader, which its compiler does not write as SPIR-V";
            let is_lookup = matches!(self.body.inst(inst).op, Op::Tex(TexOp::Sample));
            self.refuse(inst, says, if is_lookup { "state the level, or the gradients" } else { "" });
        }
        is_refused
    }

    /// The level of a lookup: the accessed one and the computed one.
    fn hlsl_lod(&mut self, inst: Inst) {
        if self.hlsl_refuses_derivatives(inst) {
            return;
        }
        let Some((found, sampler)) = self.sampled_pair(inst) else { return };
        let (_, plane, _) = dimension(found.image.dim);
        let Some(coord) = self.role(inst, Role::Coord) else { return };
        let coord = self.value_as(coord, Kind::Float);
        let list: Vec<u8> = (0..plane.min(coord.ty.components)).collect();
        let ty = coord.ty.with_components(list.len() as u8);
        let coord = self.components(inst, coord, &list, ty);
        let float = NumberType::scalar(Kind::Float);
        let parts = ["CalculateLevelOfDetail", "CalculateLevelOfDetailUnclamped"].map(|name| {
            self.hlsl_method(inst, &found.tokens, name, vec![sampler.clone(), coord.clone()], float)
        });
        let expr = self.construct(inst, float.with_components(2), parts.into());
        self.define(inst, expr);
    }

    /// Queries are one method that stores all sizes.
    fn hlsl_query(&mut self, inst: Inst, op: TexOp) {
        let data = self.body.inst(inst);
        let Some(found) = data.args.first().and_then(|&image| self.resource(image)) else { return };
        let image = found.image;
        let (_, _, axes) = dimension(image.dim);
        let uint = NumberType::scalar(Kind::Uint);
        let sizes = usize::from(axes) + usize::from(image.arrayed);
        let names = match (axes, image.arrayed) {
            (1, true) => ["width", "layers", "", ""],
            (2, true) => ["width", "height", "layers", ""],
            _ => ["width", "height", "depth", ""],
        };
        let has_levels = image.usage != Usage::Storage && image.dim != Dim::Buffer && !image.multisampled;
        let mut args = Vec::new();
        let wants_levels = has_levels && (op == TexOp::QueryLevels || self.role(inst, Role::Lod).is_some());
        if wants_levels {
            let zero = vitrine_ir::ops::Bits::zero(vitrine_ir::ops::Width::W32, 1);
            args.push(match self.role(inst, Role::Lod) {
                Some(lod) => self.value_as(lod, Kind::Uint),
                None => self.constant(&zero, Kind::Uint, inst),
            });
        }
        let mut outputs = Vec::new();
        let last = if image.multisampled { "samples" } else { "levels" };
        let wanted = names.iter().take(sizes).chain((wants_levels || image.multisampled).then_some(&last));
        for name in wanted {
            let name = self.output(name, uint, inst);
            let expr = Expr::atom(Token::linked(Class::Value, name, self.anchor(inst)), uint);
            outputs.push(expr.clone());
            args.push(expr);
        }
        let call = self.hlsl_method(inst, &found.tokens, "GetDimensions", args, uint);
        self.statement(call.tokens);
        let expr = match op {
            TexOp::QuerySize if sizes > 1 => {
                outputs.truncate(sizes);
                self.construct(inst, uint.with_components(sizes as u8), outputs)
            }
            TexOp::QuerySize => outputs.swap_remove(0),
            _ => match outputs.pop() {
                Some(last) => last,
                None => return,
            },
        };
        self.declare(inst, expr);
    }

    /// The place of a texel that an atomic changes, with the type of its number.
    pub(super) fn hlsl_texel_place(&mut self, pointer: Inst) -> Option<Expr> {
        let texel = self.body.inst(pointer);
        if texel.op != Op::Ptr(vitrine_ir::ops::PtrOp::Texel) {
            self.lowered(pointer, "qptr-lift");
            return None;
        }
        let &[image, coord, ..] = &texel.args[..] else { return None };
        let found = self.resource(image)?;
        let ty = self.w.number_type(found.image.sampled)?;
        let coord = self.value_as(coord, Kind::Int);
        Some(self.indexed_texel(&found, coord, ty))
    }
}
