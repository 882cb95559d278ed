//! System values of GLSL 4.60 for Vulkan (GLSL 4.60, 7.1; GL_KHR_vulkan_glsl), and of GLSL ES.

use crate::language::Version;
use crate::number::{Kind, NumberType};
use crate::spelling::builtins::spelled;
use vitrine_ir::ops::Builtin;
use vitrine_ir::{Mode, Stage};

/// A system value.
#[derive(Clone, Copy, Debug)]
pub(super) struct BuiltIn {
    /// Its name in GLSL.
    pub(super) name: &'static str,
    /// Its type, or that of its elements.
    pub(super) ty: NumberType,
    /// The extension that declares it.
    pub(super) extension: Option<&'static str>,
}

impl BuiltIn {
    /// The same, declared by an extension.
    fn needs(self, extension: &'static str) -> BuiltIn {
        BuiltIn { extension: Some(extension), ..self }
    }

    /// The same as a signed integer, where the language has no unsigned one.
    fn signed(self) -> BuiltIn {
        BuiltIn { ty: self.ty.with_kind(Kind::Int), ..self }
    }
}

/// The extension of GLSL ES 3.10 for distances to planes that clip or cull.
pub(super) const DISTANCES: &str = "GL_EXT_clip_cull_distance";

/// The extension of GLSL ES 3.10 for system values of samples.
pub(super) const SAMPLES: &str = "GL_OES_sample_variables";

/// The system value of an input or output. `None` if the language has none there.
pub(super) fn find(value: Builtin, mode: Mode, stage: Stage) -> Option<BuiltIn> {
    let (name, extension) = spelled(value).glsl?;
    let found = BuiltIn { name, ty: NumberType::of_builtin(value), extension };
    Some(match value {
        Builtin::PrimitiveId if (mode, stage) == (Mode::In, Stage::Geometry) => {
            BuiltIn { name: "gl_PrimitiveIDIn", ..found }
        }
        Builtin::SampleMask if mode == Mode::In => BuiltIn { name: "gl_SampleMaskIn", ..found },
        // Other stages have layers and viewports by an extension.
        Builtin::Layer | Builtin::ViewportIndex => match stage {
            Stage::Fragment | Stage::Geometry | Stage::Mesh => found,
            _ => found.needs("GL_ARB_shader_viewport_layer_array"),
        },
        // Vertices have an index instead.
        Builtin::InstanceId if stage == Stage::Vertex => return None,
        Builtin::ShadingRate | Builtin::PrimitiveShadingRate => found.signed(),
        Builtin::InstanceCustomIndex | Builtin::RayGeometryIndex => found.signed(),
        _ => found,
    })
}

/// The system value of an input or output in GLSL ES.
pub(super) fn find_es(version: Version, value: Builtin, mode: Mode, stage: Stage) -> Option<BuiltIn> {
    let found = find(value, mode, stage).filter(|_| spelled(value).essl.is_some_and(|it| it <= version))?;
    Some(match value {
        Builtin::VertexIndex => BuiltIn { name: "gl_VertexID", ..found },
        Builtin::InstanceIndex => BuiltIn { name: "gl_InstanceID", ..found },
        // Draws begin with the instance 0 (OpenGL ES 3.1, 10.5).
        Builtin::BaseInstance => BuiltIn { name: "0", ..found },
        Builtin::SampleId | Builtin::SamplePosition | Builtin::SampleMask => found.needs(SAMPLES),
        Builtin::ClipDistance | Builtin::CullDistance => found.needs(DISTANCES),
        _ => found,
    })
}
