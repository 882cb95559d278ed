//! Raw SPIR-V instructions that the interpreter executes by their opcode: tasks, rays, calls of shaders, ray queries.
//!
//! A trace becomes a sequence of instructions, with a conditional call of every any-hit, closest-hit and miss entry
//! point of the module:
//!
//! ```text
//! trace; 5 × (proceed; for each any-hit shader: enter, call, leave; settle);
//! for each closest-hit and miss shader: enter, call, leave; end
//! ```
//!
//! The hit group of a triangle is that of its instance plus the offset plus the geometry times the stride, modulo the
//! number of shaders of the role in the module, in the order of its entry points; miss and callable shaders are
//! selected by their number in the same way.
//!
//! Refuses every instruction that is not in its table, by its number.

use super::func::FuncDecoder;
use super::refusal;
use crate::interface::payload_leaves;
use crate::io::IoCode;
use crate::micro_op::{Arg, Opcode};
use crate::ray_code::{QueryOp as Q, RayCode, Role};
use crate::rays::TRIANGLES;
use crate::stages::PayloadClass;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{Key, Op, SpirvOp, Width};
use vitrine_ir::{Blob, Diag, EntryPoint, Inst, Mode, Stage, Var};

/// Maximum number of shaders of a role that rays can invoke; further ones are ignored.
const MOST_SHADERS: usize = 16;

/// The kind of an instruction, which determines how it is executed.
#[derive(Clone, Copy)]
enum RawKind {
    Tasks,
    Trace,
    Call,
    Report,
    /// Makes a handle from bits: every acceleration structure is the same.
    Handle,
    /// A part of a composite that an instruction of a ray query gave.
    Extract,
    Query(Q),
    /// Instructions of ray queries whose result is a composite: each part is computed by its extraction.
    Composite(Q),
}

/// Opcodes and names, from the grammar of SPIR-V.
const TABLE: &[(u64, &str, RawKind)] = &[
    (5294, "OpEmitMeshTasksEXT", RawKind::Tasks),
    (4445, "OpTraceRayKHR", RawKind::Trace),
    (4446, "OpExecuteCallableKHR", RawKind::Call),
    // These name the payload by its location.
    (5337, "OpTraceNV", RawKind::Trace),
    (5344, "OpExecuteCallableNV", RawKind::Call),
    (5334, "OpReportIntersectionKHR", RawKind::Report),
    (4447, "OpConvertUToAccelerationStructureKHR", RawKind::Handle),
    (81, "OpCompositeExtract", RawKind::Extract),
    (4473, "OpRayQueryInitializeKHR", RawKind::Query(Q::Initialize)),
    (4474, "OpRayQueryTerminateKHR", RawKind::Query(Q::Terminate)),
    (4475, "OpRayQueryGenerateIntersectionKHR", RawKind::Query(Q::Generate)),
    (4476, "OpRayQueryConfirmIntersectionKHR", RawKind::Query(Q::Confirm)),
    (4477, "OpRayQueryProceedKHR", RawKind::Query(Q::Proceed)),
    (4479, "OpRayQueryGetIntersectionTypeKHR", RawKind::Query(Q::Type)),
    (6016, "OpRayQueryGetRayTMinKHR", RawKind::Query(Q::TMin)),
    (6017, "OpRayQueryGetRayFlagsKHR", RawKind::Query(Q::Flags)),
    (6018, "OpRayQueryGetIntersectionTKHR", RawKind::Query(Q::T)),
    (6019, "OpRayQueryGetIntersectionInstanceCustomIndexKHR", RawKind::Query(Q::CustomIndex)),
    (6020, "OpRayQueryGetIntersectionInstanceIdKHR", RawKind::Query(Q::InstanceId)),
    (6021, "OpRayQueryGetIntersectionInstanceShaderBindingTableRecordOffsetKHR", RawKind::Query(Q::Group)),
    (6022, "OpRayQueryGetIntersectionGeometryIndexKHR", RawKind::Query(Q::Geometry)),
    (6023, "OpRayQueryGetIntersectionPrimitiveIndexKHR", RawKind::Query(Q::Primitive)),
    (6024, "OpRayQueryGetIntersectionBarycentricsKHR", RawKind::Query(Q::Barycentrics)),
    (6025, "OpRayQueryGetIntersectionFrontFaceKHR", RawKind::Query(Q::FrontFace)),
    (6026, "OpRayQueryGetIntersectionCandidateAABBOpaqueKHR", RawKind::Query(Q::BoxOpaque)),
    (6027, "OpRayQueryGetIntersectionObjectRayDirectionKHR", RawKind::Query(Q::ObjectDirection)),
    (6028, "OpRayQueryGetIntersectionObjectRayOriginKHR", RawKind::Query(Q::ObjectOrigin)),
    (6029, "OpRayQueryGetWorldRayDirectionKHR", RawKind::Query(Q::WorldDirection)),
    (6030, "OpRayQueryGetWorldRayOriginKHR", RawKind::Query(Q::WorldOrigin)),
    (6031, "OpRayQueryGetIntersectionObjectToWorldKHR", RawKind::Composite(Q::ObjectToWorld)),
    (6032, "OpRayQueryGetIntersectionWorldToObjectKHR", RawKind::Composite(Q::WorldToObject)),
    (5340, "OpRayQueryGetIntersectionTriangleVertexPositionsKHR", RawKind::Composite(Q::Corners)),
];

/// The kind of the instruction with an opcode; `None` if the interpreter does not execute it.
fn kind_of(opcode: u64) -> Option<RawKind> {
    TABLE.iter().find(|(known, ..)| *known == opcode).map(|&(.., kind)| kind)
}

impl FuncDecoder<'_, '_> {
    pub(super) fn raw(&mut self, inst: Inst) -> Result<(), Diag> {
        let opcode = self.body.inst(inst).attrs.get(Key::Opcode).unwrap_or(0);
        let Some(kind) = kind_of(opcode) else { return Err(self.unknown(inst)) };
        let args = self.args(inst);
        let of_value = |this: &Self, first: usize, parts: &[u8]| {
            let given = args.get(first..).unwrap_or(&[]).iter().map(|arg| arg.parts);
            match given.eq(parts.iter().copied()) {
                true => Ok(()),
                false => Err(this.cannot(inst, "its operands do not fit")),
            }
        };
        match kind {
            RawKind::Tasks => {
                of_value(self, 0, &[1, 1, 1]).or_else(|_| of_value(self, 0, &[1; 4]))?;
                self.code.ios.push(IoCode::SetTasks);
                let number = (self.code.ios.len() - 1) as u32;
                self.emit(Opcode::Io(number), inst, &args);
            }
            RawKind::Trace => {
                of_value(self, 0, &[1, 1, 1, 1, 1, 1, 3, 1, 3, 1, 1])?;
                self.trace(inst, &args)?;
            }
            RawKind::Call => {
                of_value(self, 0, &[1, 1])?;
                self.call_shader(inst, &args)?;
            }
            RawKind::Report => {
                of_value(self, 0, &[1, 1])?;
                self.ray(RayCode::Report, inst, &args);
            }
            RawKind::Handle => {
                let vregs = self.vregs_of(self.body.inst(inst).args.first().copied().unwrap_or(inst));
                self.moves(inst, vregs.get(..1).unwrap_or(&[]));
            }
            RawKind::Query(op) => {
                let wanted: &[u8] = match op {
                    Q::Initialize => &[1, 1, 1, 1, 3, 1, 3, 1],
                    Q::Terminate
                    | Q::Confirm
                    | Q::Proceed
                    | Q::TMin
                    | Q::Flags
                    | Q::WorldDirection
                    | Q::WorldOrigin
                    | Q::BoxOpaque => &[1],
                    Q::Generate
                    | Q::Type
                    | Q::T
                    | Q::CustomIndex
                    | Q::InstanceId
                    | Q::Group
                    | Q::Geometry
                    | Q::Primitive
                    | Q::Barycentrics
                    | Q::FrontFace
                    | Q::ObjectDirection
                    | Q::ObjectOrigin
                    | Q::ObjectToWorld
                    | Q::WorldToObject
                    | Q::Corners => &[1, 1],
                };
                of_value(self, 0, wanted)?;
                self.ray(RayCode::Query { op, first: 0 }, inst, &args);
            }
            RawKind::Composite(_) => {
                of_value(self, 0, &[1, 1])?;
                let zero = self.cx.constant(&[0])?;
                self.moves(inst, &[Arg { slot: zero, width: Width::W64, parts: 1 }]);
            }
            RawKind::Extract => self.extract_of_query(inst)?,
        }
        Ok(())
    }

    fn unknown(&self, inst: Inst) -> Diag {
        let opcode = self.body.inst(inst).attrs.get(Key::Opcode).unwrap_or(0);
        let reason = refusal(Op::Spirv(SpirvOp::Raw)).unwrap_or_default();
        self.cannot(inst, format!("{reason} (SPIR-V instruction {opcode})"))
    }

    fn ray(&mut self, ray: RayCode, inst: Inst, args: &[Arg]) {
        self.code.rays.push(ray);
        let number = (self.code.rays.len() - 1) as u32;
        self.emit(Opcode::Ray(number), inst, args);
    }

    /// An instruction about rays with a temporary result, or none.
    fn ray_step(&mut self, ray: RayCode, inst: Inst, to: Option<u32>, args: &[Arg]) {
        self.code.rays.push(ray);
        let number = (self.code.rays.len() - 1) as u32;
        let parts = u8::from(to.is_some());
        self.push(Opcode::Ray(number), Some(inst), to.unwrap_or(0), parts, Width::W1, args);
    }

    /// A part of a composite: its producer is an instruction of a ray query, executed here for one column.
    fn extract_of_query(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let Some(&whole) = data.args.first() else { return Err(self.unknown(inst)) };
        let producer = self.body.inst(whole);
        let opcode = producer.attrs.get(Key::Opcode).unwrap_or(0);
        let is_raw = producer.op == Op::Spirv(SpirvOp::Raw);
        let Some(RawKind::Composite(op)) = kind_of(opcode).filter(|_| is_raw) else {
            return Err(self.unknown(inst));
        };
        let blob: Option<Blob> = data.attrs.get(Key::Words).map(|at| Blob::from_index(at as usize));
        let words = blob.map_or(&[][..], |blob| self.cx.module.blob_of(blob));
        // Pairs of a place and an index: the first is that of the column or the corner.
        let &[_, column] = words else { return Err(self.unknown(inst)) };
        let args = self.args(whole);
        self.ray(RayCode::Query { op, first: column.saturating_mul(3) }, inst, &args);
        Ok(())
    }

    /// The number of the type of a payload, and its address: the last operand, which is a path or the location of a
    /// variable of this mode and storage class.
    fn payload(&mut self, inst: Inst, mode: Mode, class: u64) -> Result<(u32, Arg), Diag> {
        let module = self.cx.module;
        let Some(&last) = self.body.inst(inst).args.last() else { return Err(self.unknown(inst)) };
        let location = self.body.const_of(last).map(|bits| module.bits_of(bits).component(0).bits());
        let named = location.and_then(|location| {
            module.vars().find(|(_, data)| {
                let is_class = data.mode == mode && data.attrs.get(Key::Class) == Some(class);
                is_class && data.attrs.get(Key::Location) == Some(location)
            })
        });
        let (ty, address) = match (self.spots[last], named) {
            (Some(spot), _) => (spot.ty, self.arg(last)),
            (None, Some((var, data))) => {
                let address = self.cx.address(var)?;
                let slot = self.cx.constant(&[address])?;
                (data.ty, Arg { slot, width: Width::W64, parts: 1 })
            }
            (None, None) => {
                return Err(self.cannot(inst, "its payload is neither a path nor the location of a variable"));
            }
        };
        let program = &mut self.cx.program;
        let leaves = payload_leaves(module, &program.values, &mut program.sizes, ty);
        self.code.payloads.push(leaves);
        Ok(((self.code.payloads.len() - 1) as u32, address))
    }

    fn trace(&mut self, inst: Inst, args: &[Arg]) -> Result<(), Diag> {
        // Storage class RayPayloadKHR.
        let (payload, address) = self.payload(inst, Mode::Payload, 5338)?;
        self.ray_step(RayCode::Trace, inst, None, args);
        if self.shaders(Stage::AnyHit).is_empty() {
            self.ray_step(RayCode::ProceedToEnd, inst, None, &[]);
        } else {
            for _ in 0..TRIANGLES {
                self.ray_step(RayCode::Proceed, inst, None, &[]);
                self.invoke(Role::AnyHit, inst, address)?;
                self.ray_step(RayCode::Settle, inst, None, &[]);
            }
        }
        self.invoke(Role::ClosestHit, inst, address)?;
        self.invoke(Role::Miss, inst, address)?;
        self.ray_step(RayCode::End { payload }, inst, None, &[address]);
        Ok(())
    }

    fn call_shader(&mut self, inst: Inst, args: &[Arg]) -> Result<(), Diag> {
        // Storage class CallableDataKHR.
        let (payload, address) = self.payload(inst, Mode::Callable, 5328)?;
        self.ray_step(RayCode::Call, inst, None, args);
        self.invoke(Role::Callable, inst, address)?;
        self.ray_step(RayCode::End { payload }, inst, None, &[address]);
        Ok(())
    }

    /// The entry points of a stage.
    fn shaders(&self, stage: Stage) -> Vec<EntryPoint> {
        let of_stage = self.cx.module.entries.iter().filter(|entry| entry.stage == stage);
        of_stage.take(MOST_SHADERS).cloned().collect()
    }

    /// Invokes the shader of a role, for each of them.
    fn invoke(&mut self, role: Role, inst: Inst, address: Arg) -> Result<(), Diag> {
        let stage = match role {
            Role::AnyHit => Stage::AnyHit,
            Role::ClosestHit => Stage::ClosestHit,
            Role::Miss => Stage::Miss,
            Role::Callable => Stage::Callable,
        };
        let shaders = self.shaders(stage);
        let count = shaders.len() as u32;
        for (number, entry) in (0..).zip(&shaders) {
            let incoming = self.incoming(entry, role)?;
            let flag = self.temporary()?;
            let runs = Arg { slot: flag, width: Width::W1, parts: 1 };
            self.ray_step(RayCode::Enter { role, number, count, incoming }, inst, Some(flag), &[address]);
            let callee = self.cx.function(entry.func);
            self.push(Opcode::CallWhere(callee), Some(inst), 0, 0, Width::W1, &[runs]);
            self.ray_step(RayCode::Leave { role, incoming }, inst, None, &[runs, address]);
        }
        Ok(())
    }

    /// The variable of the program in which a shader gets its payload: the one in its interface, or else in its
    /// function. `u32::MAX` if it uses none.
    fn incoming(&mut self, entry: &EntryPoint, role: Role) -> Result<u32, Diag> {
        let module = self.cx.module;
        let mode = if role == Role::Callable { Mode::Callable } else { Mode::Payload };
        let is_incoming = |var: &Var| {
            let data = module.var(*var).filter(|data| data.mode == mode);
            data.and_then(PayloadClass::of) == Some(PayloadClass::Incoming)
        };
        let listed = entry.interface.iter().copied().find(is_incoming);
        let mut used: Option<Var> = None;
        if let Some(body) = module.func(entry.func) {
            body.for_each_inst(|_, inst| {
                used = used.or(body.inst(inst).entity::<Var>(Key::Var).filter(is_incoming));
            });
        }
        let Some(var) = listed.or(used) else { return Ok(u32::MAX) };
        self.cx.address(var)?;
        Ok(self.cx.variable(var)?.unwrap_or(u32::MAX))
    }
}
