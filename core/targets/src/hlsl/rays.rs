//! Instructions of SPIR-V that the IR passes through, as functions of HLSL: rays that call shaders, and ray queries.
//!
//! Refuses other instructions, acceleration structures by their address, and the matrix of a query that may have changed.

use crate::expr::{Expr, Prec, Token, call};
use crate::func::FuncWriter;
use crate::gives::{BOOL, FLOAT, Gives, NOTHING, UINT, VEC2, VEC3};
use crate::number::{Kind, NumberType};
use crate::operands::EXTRACT;
use crate::operands::{PathRoot, root};
use crate::paths::bracketed;
use crate::rays::FROM_BITS;
use vitrine_ir::ops::{Key, Op, SpirvOp, Width};
use vitrine_ir::{Blob, Help, Inst, Var};
use vitrine_text::Class;

/// The opcode, the function of candidates and of all others, the function of the committed intersection, the operands, the
/// result. A function that begins with a dot is a method of the first operand.
///
/// Operands: `a` an acceleration structure, `q` a ray query, `u` and `f` numbers, `r` the four numbers of a ray, `c` which of
/// both intersections, `p` a payload, `n` the location of one, `d` the data of a callable shader, `m` its location, `h` the
/// attributes of a hit, which the operation does not name.
type Row = (u64, &'static str, &'static str, &'static str, Gives);

#[rustfmt::skip] // A table.
const ROWS: &[Row] = &[
    (4445, "TraceRay", "", "auuuuurp", NOTHING),
    (4446, "CallShader", "", "ud", NOTHING),
    // These name the payload by its location.
    (5337, "TraceRay", "", "auuuuurn", NOTHING),
    (5344, "CallShader", "", "um", NOTHING),
    (5334, "ReportHit", "", "fuh", BOOL),
    (4473, ".TraceRayInline", "", "qauur", NOTHING),
    (4474, ".Abort", "", "q", NOTHING),
    (4475, ".CommitProceduralPrimitiveHit", "", "qf", NOTHING),
    (4476, ".CommitNonOpaqueTriangleHit", "", "q", NOTHING),
    (4477, ".Proceed", "", "q", BOOL),
    (4479, ".CandidateType", ".CommittedStatus", "qc", UINT),
    (6016, ".RayTMin", "", "q", FLOAT),
    (6017, ".RayFlags", "", "q", UINT),
    (6018, ".CandidateTriangleRayT", ".CommittedRayT", "qc", FLOAT),
    (6019, ".CandidateInstanceID", ".CommittedInstanceID", "qc", UINT),
    (6020, ".CandidateInstanceIndex", ".CommittedInstanceIndex", "qc", UINT),
    (6021, ".CandidateInstanceContributionToHitGroupIndex", ".CommittedInstanceContributionToHitGroupIndex", "qc", UINT),
    (6022, ".CandidateGeometryIndex", ".CommittedGeometryIndex", "qc", UINT),
    (6023, ".CandidatePrimitiveIndex", ".CommittedPrimitiveIndex", "qc", UINT),
    (6024, ".CandidateTriangleBarycentrics", ".CommittedTriangleBarycentrics", "qc", VEC2),
    (6025, ".CandidateTriangleFrontFace", ".CommittedTriangleFrontFace", "qc", BOOL),
    (OPAQUE, ".CandidateProceduralPrimitiveNonOpaque", "", "q", BOOL),
    (6027, ".CandidateObjectRayDirection", ".CommittedObjectRayDirection", "qc", VEC3),
    (6028, ".CandidateObjectRayOrigin", ".CommittedObjectRayOrigin", "qc", VEC3),
    (6029, ".WorldRayDirection", "", "q", VEC3),
    (6030, ".WorldRayOrigin", "", "q", VEC3),
    (6031, ".CandidateObjectToWorld4x3", ".CommittedObjectToWorld4x3", "qc", Gives::Matrix),
    (6032, ".CandidateWorldToObject4x3", ".CommittedWorldToObject4x3", "qc", Gives::Matrix),
];

/// True for a box that is opaque; the language asks for the contrary.
const OPAQUE: u64 = 6026;

/// Returns true for an instruction that takes the four numbers of a ray.
pub(super) fn takes_ray(opcode: u64) -> bool {
    ROWS.iter().any(|row| row.0 == opcode && row.3.contains('r'))
}

impl FuncWriter<'_, '_> {
    /// Writes an instruction of SPIR-V.
    pub(super) fn hlsl_spirv(&mut self, inst: Inst) {
        let opcode = self.body.inst(inst).attrs.get(Key::Opcode).unwrap_or(0);
        if opcode == EXTRACT {
            return self.hlsl_ray_part(inst);
        }
        if opcode == FROM_BITS {
            return self.refuse(inst, "acceleration structures have no addresses", "");
        }
        let Some(row) = ROWS.iter().find(|row| row.0 == opcode) else {
            return self.no_spirv(inst);
        };
        // Matrices are written where their columns are extracted.
        let Gives::Value(kind, components) = row.4 else {
            if row.4 == NOTHING
                && let Some(expr) = self.hlsl_ray_call(inst, row, NumberType::BOOL)
            {
                self.statement(expr.tokens);
            }
            return;
        };
        let width = if kind == Kind::Bool { Width::W1 } else { Width::W32 };
        let ty = NumberType::new(kind, width, components);
        let Some(expr) = self.hlsl_ray_call(inst, row, ty) else { return };
        let expr = match opcode {
            OPAQUE => crate::expr::prefix(Token::new(Class::Op, "!"), expr, ty),
            _ => expr,
        };
        self.define(inst, expr);
    }

    /// A call of the function of a row.
    fn hlsl_ray_call(&mut self, inst: Inst, row: &Row, ty: NumberType) -> Option<Expr> {
        let &(_, candidate, committed, operands, _) = row;
        let data = self.body.inst(inst);
        let count: usize =
            operands.chars().map(|it| if it == 'r' { 4 } else { usize::from(it != 'h') }).sum();
        if data.args.len() != count {
            self.refuse(inst, format!("`{candidate}` takes {count} operands"), "");
            return None;
        }
        let mut given = data.args.iter().copied();
        let (mut name, mut of, mut args) = (candidate, Vec::new(), Vec::new());
        let int = NumberType::scalar(Kind::Int);
        for operand in operands.chars() {
            if operand == 'h' {
                let name = self.w.hlsl_hit_value();
                args.push(Expr::atom(Token::new(Class::Name, name), int));
                continue;
            }
            let arg = given.next()?;
            args.push(match operand {
                'u' => self.value_as(arg, Kind::Uint),
                'f' => self.value_as(arg, Kind::Float),
                'a' => Expr::new(self.accel_struct(arg)?, Prec::Postfix, int),
                'r' => {
                    let mut parts = vec![self.value_as(arg, Kind::Float)];
                    for arg in given.by_ref().take(3) {
                        parts.push(self.value_as(arg, Kind::Float));
                    }
                    let name = self.w.own.hlsl.rays.ray.clone();
                    call(Token::new(Class::Name, name), parts, int)
                }
                'q' => {
                    of = self.path(arg)?.tokens;
                    continue;
                }
                'c' => {
                    if self.hlsl_bits_of(inst, arg, "the choice of an intersection")? != 0 {
                        name = committed;
                    }
                    continue;
                }
                'p' | 'd' => self.payload_argument(inst, arg)?,
                _ => {
                    let location = self.hlsl_bits_of(inst, arg, "the location of its payload")?;
                    let Some(var) = self.w.hlsl_payload_at(location, operand == 'm') else {
                        self.refuse(inst, "no payload has its location", "");
                        return None;
                    };
                    Expr::atom(Token::new(Class::Name, self.w.var_name(var)), int)
                }
            });
        }
        Some(match name.strip_prefix('.') {
            Some(method) => self.hlsl_method(inst, &of, method, args, ty),
            None => self.call(inst, name, args, ty),
        })
    }

    /// The bits of an operand that the language takes as part of a name.
    fn hlsl_bits_of(&mut self, inst: Inst, arg: Inst, what: &str) -> Option<u64> {
        let Some(bits) = self.body.const_of(arg) else {
            self.refuse(inst, format!("{what} is no constant"), "");
            return None;
        };
        Some(self.w.module.bits_of(bits).component(0).bits())
    }

    /// The variable of a payload as an argument.
    fn payload_argument(&mut self, inst: Inst, arg: Inst) -> Option<Expr> {
        let is_whole = self.body.inst(arg).op == Op::Deref(vitrine_ir::ops::DerefOp::Var);
        let Some(PathRoot::Var(var)) = root(self.body, arg).filter(|_| is_whole) else {
            self.refuse(inst, "its payload is no variable", Help::by_pass("inline-functions", "may show it"));
            return None;
        };
        let name = self.w.var_name(var);
        Some(Expr::atom(Token::new(Class::Name, name), NumberType::scalar(Kind::Int)))
    }

    /// A column of a matrix that a ray query gives.
    fn hlsl_ray_part(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let Some(&whole) = data.args.first() else { return self.no_spirv(inst) };
        let from = self.body.inst(whole);
        let opcode = from.attrs.get(Key::Opcode).unwrap_or(0);
        let row = ROWS.iter().find(|row| row.0 == opcode && row.4 == Gives::Matrix);
        let (Op::Spirv(SpirvOp::Raw), Some(row)) = (from.op, row) else { return self.no_spirv(inst) };
        if !self.follows_at_once(whole, inst) {
            return self.refuse(inst, "the ray query may have changed since its matrix was read", "");
        }
        let words = data.entity::<Blob>(Key::Words).map_or(&[][..], |blob| self.w.module.blob_of(blob));
        let &[_, column] = words else { return self.no_spirv(inst) };
        let ty = NumberType::new(Kind::Float, Width::W32, 3);
        let Some(matrix) = self.hlsl_ray_call(whole, row, ty) else { return };
        let mut tokens = matrix.tokens;
        tokens.extend(bracketed(vec![Token::new(Class::Number, column.to_string())]));
        self.define(inst, Expr::new(tokens, Prec::Postfix, ty));
    }
}

/// Storage classes of SPIR-V.
pub(super) mod class {
    pub(in crate::hlsl) const CALLABLE: u64 = 5328;
    pub(in crate::hlsl) const INCOMING_CALLABLE: u64 = 5329;
    pub(in crate::hlsl) const PAYLOAD: u64 = 5338;
    pub(in crate::hlsl) const HIT: u64 = 5339;
    pub(in crate::hlsl) const INCOMING_PAYLOAD: u64 = 5342;
    pub(in crate::hlsl) const RECORD: u64 = 5343;
}

impl crate::module::ModuleWriter<'_> {
    /// The payload, or the data of a callable shader, with a location.
    fn hlsl_payload_at(&self, location: u64, is_callable: bool) -> Option<Var> {
        let wanted = if is_callable { class::CALLABLE } else { class::PAYLOAD };
        self.module
            .vars()
            .filter(|(_, data)| data.attrs.get(Key::Class) == Some(wanted))
            .map(|(var, _)| var)
            .find(|&var| self.payload_location(var) == location)
    }
}
