//! Instructions of SPIR-V that the IR passes through, as functions of GLSL: rays, ray queries, hit objects, task shaders
//! (GLSL_EXT_ray_tracing, GLSL_EXT_ray_query, GLSL_NV_shader_invocation_reorder, GLSL_EXT_mesh_shader).
//!
//! Refuses other instructions.

use crate::expr::{Expr, Prec, Token, call};
use crate::func::FuncWriter;
use crate::gives::{BOOL, FLOAT, Gives, INT, NOTHING, UINT, VEC2, VEC3};
use crate::language::{Language, Version};
use crate::number::{Kind, NumberType};
use crate::operands::EXTRACT;
use crate::operands::{PathRoot, root};
use crate::paths::bracketed;
use crate::rays::FROM_BITS;
use vitrine_ir::ops::{Key, Op, SpirvOp, Width};
use vitrine_ir::{Blob, Help, Inst};
use vitrine_text::Class;

/// The opcode, the function, its operands, its result. Operands: `a` an acceleration structure, `q` a ray query or a hit
/// object, `u` and `f` numbers, `c` which of both intersections, `p` a payload, `n` the location of one.
type Row = (u64, &'static str, &'static str, Gives);

#[rustfmt::skip] // A table.
const ROWS: &[Row] = &[
    (4445, "traceRayEXT", "auuuuuffffp", NOTHING),
    (4446, "executeCallableEXT", "up", NOTHING),
    // These name the payload by its location.
    (5337, "traceRayEXT", "auuuuuffffn", NOTHING),
    (5344, "executeCallableEXT", "un", NOTHING),
    (5294, "EmitMeshTasksEXT", "uuu", NOTHING),
    (5334, "reportIntersectionEXT", "fu", BOOL),
    (4473, "rayQueryInitializeEXT", "qauuffff", NOTHING),
    (4474, "rayQueryTerminateEXT", "q", NOTHING),
    (4475, "rayQueryGenerateIntersectionEXT", "qf", NOTHING),
    (4476, "rayQueryConfirmIntersectionEXT", "q", NOTHING),
    (4477, "rayQueryProceedEXT", "q", BOOL),
    (4479, "rayQueryGetIntersectionTypeEXT", "qc", UINT),
    (6016, "rayQueryGetRayTMinEXT", "q", FLOAT),
    (6017, "rayQueryGetRayFlagsEXT", "q", UINT),
    (6018, "rayQueryGetIntersectionTEXT", "qc", FLOAT),
    (6019, "rayQueryGetIntersectionInstanceCustomIndexEXT", "qc", INT),
    (6020, "rayQueryGetIntersectionInstanceIdEXT", "qc", INT),
    (6021, "rayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetEXT", "qc", UINT),
    (6022, "rayQueryGetIntersectionGeometryIndexEXT", "qc", INT),
    (6023, "rayQueryGetIntersectionPrimitiveIndexEXT", "qc", INT),
    (6024, "rayQueryGetIntersectionBarycentricsEXT", "qc", VEC2),
    (6025, "rayQueryGetIntersectionFrontFaceEXT", "qc", BOOL),
    (6026, "rayQueryGetIntersectionCandidateAABBOpaqueEXT", "q", BOOL),
    (6027, "rayQueryGetIntersectionObjectRayDirectionEXT", "qc", VEC3),
    (6028, "rayQueryGetIntersectionObjectRayOriginEXT", "qc", VEC3),
    (6029, "rayQueryGetWorldRayDirectionEXT", "q", VEC3),
    (6030, "rayQueryGetWorldRayOriginEXT", "q", VEC3),
    (6031, "rayQueryGetIntersectionObjectToWorldEXT", "qc", Gives::Matrix),
    (6032, "rayQueryGetIntersectionWorldToObjectEXT", "qc", Gives::Matrix),
    (5252, "hitObjectGetWorldToObjectNV", "q", Gives::Matrix),
    (5253, "hitObjectGetObjectToWorldNV", "q", Gives::Matrix),
    (5254, "hitObjectGetObjectRayDirectionNV", "q", VEC3),
    (5255, "hitObjectGetObjectRayOriginNV", "q", VEC3),
    (5258, "hitObjectGetShaderBindingTableRecordIndexNV", "q", UINT),
    (5259, "hitObjectRecordEmptyNV", "q", NOTHING),
    (5260, "hitObjectTraceRayNV", "qauuuuuffffp", NOTHING),
    (5264, "hitObjectExecuteShaderNV", "qp", NOTHING),
    (5267, "hitObjectGetHitKindNV", "q", UINT),
    (5268, "hitObjectGetPrimitiveIndexNV", "q", INT),
    (5269, "hitObjectGetGeometryIndexNV", "q", INT),
    (5270, "hitObjectGetInstanceIdNV", "q", INT),
    (5271, "hitObjectGetInstanceCustomIndexNV", "q", INT),
    (5272, "hitObjectGetWorldRayDirectionNV", "q", VEC3),
    (5273, "hitObjectGetWorldRayOriginNV", "q", VEC3),
    (5274, "hitObjectGetRayTMaxNV", "q", FLOAT),
    (5275, "hitObjectGetRayTMinNV", "q", FLOAT),
    (5276, "hitObjectIsEmptyNV", "q", BOOL),
    (5277, "hitObjectIsHitNV", "q", BOOL),
    (5278, "hitObjectIsMissNV", "q", BOOL),
    (5279, "reorderThreadNV", "q", NOTHING),
    (5280, "reorderThreadNV", "uu", NOTHING),
];

impl FuncWriter<'_, '_> {
    /// Writes an instruction of SPIR-V.
    pub(super) fn spirv(&mut self, inst: Inst) {
        if self.w.dialect.language() != Language::Glsl(Version::Vulkan) {
            return self.no_spirv(inst);
        }
        let opcode = self.body.inst(inst).attrs.get(Key::Opcode).unwrap_or(0);
        if opcode == EXTRACT {
            return self.ray_part(inst);
        }
        if opcode == FROM_BITS {
            // Written at its use.
            return;
        }
        let Some(&(_, name, operands, gives)) = ROWS.iter().find(|row| row.0 == opcode) else {
            return self.no_spirv(inst);
        };
        // Matrices are written where their columns are extracted.
        let Gives::Value(kind, components) = gives else {
            if gives == NOTHING
                && let Some(expr) = self.ray_call(inst, name, operands, NumberType::BOOL)
            {
                self.statement(expr.tokens);
            }
            return;
        };
        let width = if kind == Kind::Bool { Width::W1 } else { Width::W32 };
        let ty = NumberType::new(kind, width, components);
        if let Some(expr) = self.ray_call(inst, name, operands, ty) {
            self.define(inst, expr);
        }
    }

    fn ray_call(&mut self, inst: Inst, name: &'static str, operands: &str, ty: NumberType) -> Option<Expr> {
        let data = self.body.inst(inst);
        if name.starts_with("rayQuery") {
            self.w.extensions.insert("GL_EXT_ray_query");
        }
        if name.starts_with("hitObject") || name == "reorderThreadNV" {
            self.w.extensions.insert(super::decls::HIT_OBJECTS);
        }
        let operands = match (operands, data.args.len()) {
            // A task shader may name its payload, which its declaration states.
            ("uuu", 4) => "uuut",
            // A hint may follow the hit object.
            ("q", 3) if name == "reorderThreadNV" => "quu",
            (operands, _) => operands,
        };
        if data.args.len() != operands.len() {
            self.refuse(inst, format!("`{name}` takes {} operands", operands.len()), "");
            return None;
        }
        let mut args = Vec::new();
        for (&arg, operand) in data.args.iter().zip(operands.chars()) {
            let int = NumberType::scalar(Kind::Int);
            if operand == 't' {
                continue;
            }
            args.push(match operand {
                'u' => self.value_as(arg, Kind::Uint),
                'f' => self.value_as(arg, Kind::Float),
                'a' => Expr::new(self.accel_struct(arg)?, Prec::Postfix, int),
                'q' => Expr::new(self.path(arg)?.tokens, Prec::Postfix, int),
                'c' => {
                    let Some(bits) = self.body.const_of(arg) else {
                        self.refuse(inst, "the choice of an intersection is no constant", "");
                        return None;
                    };
                    let is_committed = self.w.module.bits_of(bits).component(0).bits() != 0;
                    let word = if is_committed { "true" } else { "false" };
                    Expr::atom(Token::new(Class::Number, word), NumberType::BOOL)
                }
                'n' => {
                    let Some(bits) = self.body.const_of(arg) else {
                        self.refuse(inst, "the location of its payload is no constant", "");
                        return None;
                    };
                    let location = self.w.module.bits_of(bits).component(0).bits();
                    self.w.glsl_declare_payload(location, name == "executeCallableEXT");
                    Expr::atom(Token::new(Class::Number, location.to_string()), int)
                }
                _ => {
                    let Some(PathRoot::Var(var)) = root(self.body, arg) else {
                        self.refuse(
                            inst,
                            "its payload is no variable",
                            Help::by_pass("inline-functions", "may show it"),
                        );
                        return None;
                    };
                    self.w.declare_var(var);
                    let location = self.w.payload_location(var);
                    Expr::atom(Token::new(Class::Number, location.to_string()), int)
                }
            });
        }
        Some(call(Token::linked(Class::Op, name, self.anchor(inst)), args, ty))
    }

    /// A column of a matrix that a ray query gives.
    fn ray_part(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let Some(&whole) = data.args.first() else { return self.no_spirv(inst) };
        let from = self.body.inst(whole);
        let opcode = from.attrs.get(Key::Opcode).unwrap_or(0);
        let row = ROWS.iter().find(|row| row.0 == opcode && row.3 == Gives::Matrix);
        let (Op::Spirv(SpirvOp::Raw), Some(&(_, name, operands, _))) = (from.op, row) else {
            return self.no_spirv(inst);
        };
        if !self.follows_at_once(whole, inst) {
            return self.refuse(inst, "the ray query may have changed since its matrix was read", "");
        }
        let words = data.entity::<Blob>(Key::Words).map_or(&[][..], |blob| self.w.module.blob_of(blob));
        let &[_, column] = words else { return self.no_spirv(inst) };
        let ty = NumberType::new(Kind::Float, Width::W32, 3);
        let Some(matrix) = self.ray_call(whole, name, operands, ty) else { return };
        let mut tokens = matrix.tokens;
        tokens.extend(bracketed(vec![Token::new(Class::Number, column.to_string())]));
        self.define(inst, Expr::new(tokens, Prec::Postfix, ty));
    }
}
