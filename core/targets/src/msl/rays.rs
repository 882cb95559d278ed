//! Ray queries of MSL: instructions of SPIR-V that the IR passes through, as methods of `intersection_query` (Metal Shading
//! Language Specification, 6.19).
//!
//! The types of intersections have other numbers: those of candidates are one larger. Refuses the flags of a query and the
//! offset in the table of shaders, which a query does not have; pipelines of rays; and acceleration structures by their
//! address.

use crate::expr::{Expr, Prec, Token, words};
use crate::func::FuncWriter;
use crate::gives::{BOOL, FLOAT, Gives, NOTHING, UINT, VEC2, VEC3};
use crate::module::ModuleWriter;
use crate::number::{Kind, NumberType};
use crate::operands::EXTRACT;
use crate::paths::bracketed;
use crate::print::Line;
use crate::rays::FROM_BITS;
use vitrine_ir::ops::{Bits, Key, Op, Scalar, SpirvOp, Width};
use vitrine_ir::{Blob, Inst};
use vitrine_text::Class;

/// The type of a query.
const QUERY: &str = "raytracing::intersection_query<raytracing::instancing, raytracing::triangle_data, \
                     raytracing::world_space_data>";

/// The type of an acceleration structure.
pub(super) const SCENE: &str = "raytracing::instance_acceleration_structure";

/// The start of the threadgroups of a mesh, which `objects` writes.
const MESH_TASKS: u64 = 5294;
/// The start of a query.
const INITIALIZE: u64 = 4473;
/// The type of an intersection.
const TYPE: u64 = 4479;
/// True for a box that is opaque; the language asks for the contrary.
const OPAQUE: u64 = 6026;

/// The opcode, the method, the method for the committed intersection if the operands choose, the result. A method with one
/// operand takes a distance.
type Row = (u64, &'static str, &'static str, Gives);

#[rustfmt::skip] // A table.
const ROWS: &[Row] = &[
    (4474, "abort", "", NOTHING),
    (4475, "commit_bounding_box_intersection", "", NOTHING),
    (4476, "commit_triangle_intersection", "", NOTHING),
    (4477, "next", "", BOOL),
    (TYPE, "get_candidate_intersection_type", "get_committed_intersection_type", UINT),
    (6016, "get_ray_min_distance", "", FLOAT),
    (6018, "get_candidate_triangle_distance", "get_committed_distance", FLOAT),
    (6019, "get_candidate_user_instance_id", "get_committed_user_instance_id", UINT),
    (6020, "get_candidate_instance_id", "get_committed_instance_id", UINT),
    (6022, "get_candidate_geometry_id", "get_committed_geometry_id", UINT),
    (6023, "get_candidate_primitive_id", "get_committed_primitive_id", UINT),
    (6024, "get_candidate_triangle_barycentric_coord", "get_committed_triangle_barycentric_coord", VEC2),
    (6025, "is_candidate_triangle_front_facing", "is_committed_triangle_front_facing", BOOL),
    (OPAQUE, "is_candidate_non_opaque_bounding_box", "", BOOL),
    (6027, "get_candidate_ray_direction", "get_committed_ray_direction", VEC3),
    (6028, "get_candidate_ray_origin", "get_committed_ray_origin", VEC3),
    (6029, "get_world_space_ray_direction", "", VEC3),
    (6030, "get_world_space_ray_origin", "", VEC3),
    (6031, "get_candidate_object_to_world_transform", "get_committed_object_to_world_transform", Gives::Matrix),
    (6032, "get_candidate_world_to_object_transform", "get_committed_world_to_object_transform", Gives::Matrix),
];

/// The bit of a flag of a ray, and the option that it sets. The flag that skips shaders of the closest hit changes nothing in
/// a query.
#[rustfmt::skip] // A table.
const FLAGS: &[(u32, &str)] = &[
    (1, "force_opacity(raytracing::forced_opacity::opaque)"),
    (2, "force_opacity(raytracing::forced_opacity::non_opaque)"),
    (4, "accept_any_intersection(true)"),
    (16, "set_triangle_cull_mode(raytracing::triangle_cull_mode::back)"),
    (32, "set_triangle_cull_mode(raytracing::triangle_cull_mode::front)"),
    (64, "set_opacity_cull_mode(raytracing::opacity_cull_mode::opaque)"),
    (128, "set_opacity_cull_mode(raytracing::opacity_cull_mode::non_opaque)"),
    (256, "set_geometry_cull_mode(raytracing::geometry_cull_mode::triangle)"),
    (512, "set_geometry_cull_mode(raytracing::geometry_cull_mode::bounding_box)"),
];

impl ModuleWriter<'_> {
    /// Names the type of queries and the function that makes options of flags, if a query is started.
    pub(super) fn prepare_queries(&mut self) {
        let mut starts = false;
        for (_, body) in self.module.funcs() {
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                let is_raw = data.op == Op::Spirv(SpirvOp::Raw);
                starts |= is_raw && data.attrs.get(Key::Opcode) == Some(INITIALIZE);
            });
        }
        if starts {
            self.own.msl.ray_options = self.names.fresh("ray_options", "ray_options");
            self.own.msl.query_type = self.names.fresh("RayQuery", "RayQuery");
        }
    }

    /// The type of queries, and the function that makes options of flags.
    pub(super) fn query_lines(&mut self) -> Vec<Line> {
        let name = self.own.msl.ray_options.clone();
        if name.is_empty() {
            return Vec::new();
        }
        let line = |depth: usize, text: String| Line::new(depth, words(Class::Plain, &text));
        let query = format!("using {} = {QUERY};", self.own.msl.query_type);
        let mut lines = vec![Line::new(0, words(Class::Plain, &query)), Line::empty()];
        lines.push(Line::text(format!("raytracing::intersection_params {name}(uint flags) {{")));
        lines.push(line(1, "raytracing::intersection_params options;".to_owned()));
        for (bit, option) in FLAGS {
            lines.push(line(1, format!("if ((flags & {bit}u) != 0u) {{")));
            lines.push(line(2, format!("options.{option};")));
            lines.push(line(1, "}".to_owned()));
        }
        lines.push(line(1, "return options;".to_owned()));
        lines.push(Line::text("}"));
        lines
    }
}

impl FuncWriter<'_, '_> {
    /// Writes an instruction of SPIR-V.
    pub(super) fn msl_spirv(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let opcode = data.attrs.get(Key::Opcode).unwrap_or(0);
        match opcode {
            EXTRACT => return self.msl_query_part(inst),
            MESH_TASKS => return self.set_grid(inst),
            FROM_BITS => return self.refuse(inst, "acceleration structures have no addresses", ""),
            INITIALIZE => return self.msl_query_start(inst),
            6017 => return self.refuse(inst, "a query does not return its flags", ""),
            6021 => return self.refuse(inst, "a query has no table of shaders", ""),
            _ => {}
        }
        let Some(row) = ROWS.iter().find(|row| row.0 == opcode) else { return self.no_spirv(inst) };
        // Matrices are written where their columns are extracted.
        let Gives::Value(kind, components) = row.3 else {
            if row.3 == NOTHING
                && let Some((call, _)) = self.msl_query_call(inst, row, NumberType::BOOL)
            {
                self.statement(call.tokens);
            }
            return;
        };
        let width = if kind == Kind::Bool { Width::W1 } else { Width::W32 };
        let ty = NumberType::new(kind, width, components);
        let Some((call, is_committed)) = self.msl_query_call(inst, row, ty) else { return };
        let expr = match opcode {
            OPAQUE => call.negated(),
            TYPE => {
                let number = self.construct(inst, ty, vec![call]);
                let one = self.constant(&Bits::scalar(Scalar::new(Width::W32, 1)), Kind::Uint, inst);
                match is_committed {
                    true => number,
                    false => self.infix(inst, "-", Prec::Sum, vec![number, one], ty),
                }
            }
            _ => call,
        };
        self.define(inst, expr);
    }

    /// A call of a method of a query, and true if it asks for the committed intersection.
    fn msl_query_call(&mut self, inst: Inst, row: &Row, ty: NumberType) -> Option<(Expr, bool)> {
        let &(_, candidate, committed, _) = row;
        let data = self.body.inst(inst);
        let &query = data.args.first()?;
        let query = self.query_at(query)?;
        let (mut name, mut args) = (candidate, Vec::new());
        if let (false, Some(&which)) = (committed.is_empty(), data.args.get(1)) {
            let Some(bits) = self.body.const_of(which) else {
                self.refuse(inst, "the choice of an intersection is no constant", "");
                return None;
            };
            if self.w.module.bits_of(bits).component(0).bits() != 0 {
                name = committed;
            }
        } else if let Some(&distance) = data.args.get(1) {
            args.push(self.value_as(distance, Kind::Float));
        }
        let call = self.method(inst, query, name, args, ty);
        Some((call, !committed.is_empty() && name == committed))
    }

    fn query_at(&mut self, path: Inst) -> Option<Expr> {
        let text = self.path(path)?;
        Some(Expr::new(text.tokens, Prec::Postfix, NumberType::scalar(Kind::Uint)))
    }

    /// The start of a query: its ray, the scene, the mask, the options.
    fn msl_query_start(&mut self, inst: Inst) {
        let &[query, scene, flags, mask, origin, least, direction, most] = &self.body.inst(inst).args[..]
        else {
            return self.no_spirv(inst);
        };
        let Some(query) = self.query_at(query) else { return };
        let Some(scene) = self.accel_struct(scene) else { return };
        let uint = NumberType::scalar(Kind::Uint);
        let floats = [origin, direction, least, most].map(|part| self.value_as(part, Kind::Float));
        let ray = self.call(inst, "raytracing::ray", floats.into(), uint);
        let flags = self.value_as(flags, Kind::Uint);
        let options = self.call(inst, self.w.own.msl.ray_options.clone(), vec![flags], uint);
        let mask = self.value_as(mask, Kind::Uint);
        let args = vec![ray, Expr::new(scene, Prec::Postfix, uint), mask, options];
        let call = self.method(inst, query, "reset", args, uint);
        self.statement(call.tokens);
    }

    /// A column of a matrix that a query gives.
    fn msl_query_part(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let Some(&whole) = data.args.first() else { return self.no_spirv(inst) };
        let from = self.body.inst(whole);
        let opcode = from.attrs.get(Key::Opcode).unwrap_or(0);
        let row = ROWS.iter().find(|row| row.0 == opcode && row.3 == Gives::Matrix);
        let (Op::Spirv(SpirvOp::Raw), Some(row)) = (from.op, row) else { return self.no_spirv(inst) };
        if !self.follows_at_once(whole, inst) {
            return self.refuse(inst, "the query may have changed since its matrix was read", "");
        }
        let words = data.entity::<Blob>(Key::Words).map_or(&[][..], |blob| self.w.module.blob_of(blob));
        let &[_, column] = words else { return self.no_spirv(inst) };
        let ty = NumberType::new(Kind::Float, Width::W32, 3);
        let Some((matrix, _)) = self.msl_query_call(whole, row, ty) else { return };
        let mut tokens = matrix.tokens;
        tokens.extend(bracketed(vec![Token::new(Class::Number, column.to_string())]));
        self.define(inst, Expr::new(tokens, Prec::Postfix, ty));
    }
}
