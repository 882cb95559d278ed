//! The stages that can be run: the groups in which their invocations run, the vertices of their primitives, and the
//! fixed functions around them.
//!
//! | stage | group | position of an invocation | outcome |
//! |---|---|---|---|
//! | vertex | 64 vertices | vertex, instance | its outputs |
//! | tessellation control | a patch | patch, `invocation_id` | vertices and patch, in the first invocation |
//! | tessellation evaluation | 64 points | patch, point of [`points`] | its outputs |
//! | geometry | 64 invocations | primitive, `invocation_id` | the vertices it emits |
//! | fragment | 16 quads | pixel | its outputs |
//! | compute, kernel | a workgroup | global invocation | memory |
//! | task | a workgroup | global invocation | workgroups and payload, in the first invocation |
//! | mesh | a workgroup | global invocation | vertices and primitives, in the first invocation |
//! | ray stages | 64 invocations | launch id | memory, and the scalars of the payload that it changed |
//!
//! Vertex `v` of primitive or patch `p` is vertex `p * n + v` of a draw, where `n` is the number of vertices of each:
//! no two primitives share a vertex. Tessellation does not depend on the tessellation levels: every patch has the same
//! points.
//!
//! Refuses the NV task and mesh stages, whose interfaces are arrays of another form.

use super::consts::Consts;
use super::inputs::Inputs;
use vitrine_ir::ops::{Builtin, Interp, Key};
use vitrine_ir::{
    Anchor, Attrs, Diag, EntryPoint, ExecutionMode as E, Mode, Module, Stage, TypeData, VarData,
};

/// The elements of an interface variable that is an array with one for each vertex or primitive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arrayed {
    Vertices,
    Primitives,
}

/// Maximum number of vertices or primitives that an invocation of a geometry shader, a patch or a mesh may have.
pub(super) const MOST_ELEMENTS: u32 = 1024;

/// The elements of an interface variable of a stage, if it is such an array.
pub(super) fn arrayed(module: &Module, stage: Option<Stage>, data: &VarData) -> Option<Arrayed> {
    let TypeData::Array { of, .. } = *module.type_of(data.ty) else { return None };
    match (stage?, data.mode) {
        (Stage::TessControl | Stage::TessEval | Stage::Geometry, Mode::In)
        | (Stage::TessControl, Mode::Out) => (!is_of_patch(&data.attrs)).then_some(Arrayed::Vertices),
        (Stage::Fragment, Mode::In) => data.is_per_vertex().then_some(Arrayed::Vertices),
        (Stage::Mesh, Mode::Out) => {
            let members = match *module.type_of(of) {
                TypeData::Struct(structure) => module.structure(structure).map(|data| data.members.clone()),
                _ => None,
            };
            let member = members.iter().flat_map(|members| members.iter());
            let is_primitive = is_of_primitive(&data.attrs)
                || member.into_iter().any(|member| is_of_primitive(&member.attrs));
            Some(if is_primitive { Arrayed::Primitives } else { Arrayed::Vertices })
        }
        _ => None,
    }
}

/// Returns true for the attributes of a variable that belongs to a patch, not to its vertices.
fn is_of_patch(attrs: &Attrs) -> bool {
    attrs.words::<Interp>().has(Interp::PATCH) || attrs.word().is_some_and(Builtin::is_of_patch)
}

/// Returns true for the attributes of an output of a mesh that belongs to a primitive.
fn is_of_primitive(attrs: &Attrs) -> bool {
    attrs.words::<Interp>().has(Interp::PER_PRIMITIVE) || attrs.word().is_some_and(Builtin::is_of_primitive)
}

/// Classes of payload variables that a stage gets from outside or leaves to it; others are private to their stage.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum PayloadClass {
    /// The payload of the ray that invoked the shader, or the data of its call.
    Incoming,
    /// Attributes of a hit.
    HitAttribute,
    /// The payload of a task.
    Task,
    /// The shader record, which is read-only.
    Record,
}

impl PayloadClass {
    /// The class of a variable, by the SPIR-V number of its storage class.
    pub(super) fn of(data: &VarData) -> Option<PayloadClass> {
        if !matches!(data.mode, Mode::Payload | Mode::Callable) {
            return None;
        }
        match data.attrs.get(Key::Class)? {
            5329 | 5342 => Some(PayloadClass::Incoming),
            5339 => Some(PayloadClass::HitAttribute),
            5402 => Some(PayloadClass::Task),
            5343 => Some(PayloadClass::Record),
            _ => None,
        }
    }

    /// Returns true if its changes are a result of the stage.
    pub(super) fn is_result_of(self, stage: Stage) -> bool {
        match self {
            PayloadClass::Incoming => has_payload(stage),
            PayloadClass::HitAttribute => stage == Stage::Intersection,
            PayloadClass::Task => stage == Stage::Task,
            PayloadClass::Record => false,
        }
    }
}

/// Properties of an entry point that its execution modes determine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct StageInfo {
    /// Vertices of an input primitive or patch.
    pub(super) vertices_in: u32,
    /// Maximum number of emitted vertices, or vertices of a patch or a mesh.
    pub(super) vertices_out: u32,
    /// Maximum number of primitives of a mesh.
    pub(super) primitives_out: u32,
    /// Invocations for each input primitive.
    pub(super) invocations: u32,
    /// The coordinates of the points of a patch.
    pub(super) points: &'static [[f32; 3]],
}

impl StageInfo {
    /// The properties of an entry point.
    ///
    /// Errors: `X001` an unsupported stage, or an execution mode without which it cannot be run; `X002` too many
    /// vertices or primitives.
    pub(super) fn of(
        module: &Module,
        consts: &Consts,
        point: &EntryPoint,
        inputs: &Inputs,
        at: Anchor,
    ) -> Result<StageInfo, Diag> {
        let number = |mode: E| {
            let arg = point.mode(mode)?.args.first().copied()?;
            Some(consts.bits(module, arg)?.component(0).bits() as u32)
        };
        const SIZES: &[(E, u32)] = &[
            (E::InputPoints, 1),
            (E::InputLines, 2),
            (E::InputLinesAdjacency, 4),
            (E::Triangles, 3),
            (E::InputTrianglesAdjacency, 6),
        ];
        let listed = SIZES.iter().find(|&&(mode, _)| point.has_mode(mode)).map(|&(_, size)| size);
        let info = StageInfo {
            vertices_in: match point.stage {
                Stage::Geometry => listed.unwrap_or(1),
                _ => inputs.patch_vertices.clamp(1, 32),
            },
            vertices_out: number(E::OutputVertices).unwrap_or(0),
            primitives_out: number(E::OutputPrimitives).unwrap_or(0),
            invocations: number(E::Invocations).unwrap_or(1).max(1),
            points: points(point),
        };
        let needs: &[(E, u32)] = match point.stage {
            Stage::TaskNv | Stage::MeshNv => {
                let says = format!("entry points of the {} stage are not supported", point.stage.name());
                return Err(Diag::error("X001", at).says(says).help("use the task and mesh stages of EXT"));
            }
            Stage::TessControl | Stage::Geometry => &[(E::OutputVertices, info.vertices_out)],
            Stage::Mesh => {
                &[(E::OutputVertices, info.vertices_out), (E::OutputPrimitives, info.primitives_out)]
            }
            _ => &[],
        };
        for &(mode, count) in needs {
            let name = mode.name();
            if !point.has_mode(mode) || count == 0 && point.stage == Stage::TessControl {
                let says = format!("the {} stage cannot be run without `{name}`", point.stage.name());
                return Err(Diag::error("X001", at).says(says).help(format!("declare `{name}`")));
            }
            if count > MOST_ELEMENTS {
                let says = format!("`{name} {count}` is more than {MOST_ELEMENTS}, the most that can be run");
                return Err(Diag::error("X002", at).says(says));
            }
        }
        Ok(info)
    }
}

/// The points of a patch of triangles: its corners, the centers of two edges, and a point inside.
const TRIANGLE_POINTS: &[[f32; 3]] = &[
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [0.5, 0.5, 0.0],
    [0.0, 0.25, 0.75],
    [0.5, 0.25, 0.25],
];
/// The points of a patch of quads: its corners, the centers of two edges, and a point inside.
const QUAD_POINTS: &[[f32; 3]] = &[
    [0.0, 0.0, 0.0],
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [1.0, 1.0, 0.0],
    [0.5, 0.0, 0.0],
    [1.0, 0.25, 0.0],
    [0.25, 0.75, 0.0],
];
/// The points of a patch of isolines: two lines of three points.
const LINE_POINTS: &[[f32; 3]] =
    &[[0.0, 0.0, 0.0], [0.5, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.5, 0.0], [0.5, 0.5, 0.0], [1.0, 0.5, 0.0]];

fn points(point: &EntryPoint) -> &'static [[f32; 3]] {
    match (point.has_mode(E::Quads), point.has_mode(E::Isolines)) {
        (true, _) => QUAD_POINTS,
        (false, true) => LINE_POINTS,
        (false, false) => TRIANGLE_POINTS,
    }
}

/// Returns true if the invocations of a stage form workgroups.
pub(super) fn has_workgroups(stage: Stage) -> bool {
    matches!(stage, Stage::Compute | Stage::Kernel | Stage::Task | Stage::Mesh)
}

/// Returns true if a stage leaves a payload.
pub(super) fn has_payload(stage: Stage) -> bool {
    match stage {
        Stage::Task
        | Stage::Intersection
        | Stage::AnyHit
        | Stage::ClosestHit
        | Stage::Miss
        | Stage::Callable => true,
        Stage::Vertex
        | Stage::TessControl
        | Stage::TessEval
        | Stage::Geometry
        | Stage::Fragment
        | Stage::Compute
        | Stage::Kernel
        | Stage::Mesh
        | Stage::TaskNv
        | Stage::MeshNv
        | Stage::RayGen => false,
    }
}

/// Returns true if the outputs of a stage belong to the group: invocations read and write those of each other.
pub(super) fn shares_outputs(stage: Stage) -> bool {
    matches!(stage, Stage::TessControl | Stage::Mesh)
}
