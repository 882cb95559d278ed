//! Stages of entry points and their execution modes, as tables.

use super::Operand;
use serde::{Deserialize, Serialize};

macro_rules! stages {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal;)*) => {
        /// The pipeline stage an entry point is for.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum Stage { $($(#[doc = $doc])+ $variant,)* }

        impl Stage {
            /// Every stage.
            pub const ALL: &'static [Stage] = &[$(Stage::$variant),*];

            /// The spelling in the text form.
            pub fn name(self) -> &'static str {
                [$($name),*][self as usize]
            }
        }
    };
}

stages! {
    /// Vertex shader.
    Vertex "vertex";
    /// Tessellation control shader.
    TessControl "tess_control";
    /// Tessellation evaluation shader.
    TessEval "tess_eval";
    /// Geometry shader.
    Geometry "geometry";
    /// Fragment shader.
    Fragment "fragment";
    /// Compute shader.
    Compute "compute";
    /// OpenCL kernel.
    Kernel "kernel";
    /// Task shader (EXT).
    Task "task";
    /// Mesh shader (EXT).
    Mesh "mesh";
    /// Task shader (NV).
    TaskNv "task_nv";
    /// Mesh shader (NV).
    MeshNv "mesh_nv";
    /// Ray generation shader.
    RayGen "raygen";
    /// Intersection shader.
    Intersection "intersection";
    /// Any-hit shader.
    AnyHit "anyhit";
    /// Closest-hit shader.
    ClosestHit "closesthit";
    /// Miss shader.
    Miss "miss";
    /// Callable shader.
    Callable "callable";
}

impl Stage {
    /// Returns the stage with this spelling.
    pub fn from_name(name: &str) -> Option<Stage> {
        Stage::ALL.iter().copied().find(|stage| stage.name() == name)
    }
}

macro_rules! modes {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $number:literal $operands:literal;)*) => {
        /// A kind of execution mode of entry points, in order of the SPIR-V numbers.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        pub enum ExecutionMode { $($(#[doc = $doc])+ $variant,)* }

        impl ExecutionMode {
            /// Every execution mode.
            pub const ALL: &'static [ExecutionMode] = &[$(ExecutionMode::$variant),*];

            /// The spelling in the text form.
            pub const fn name(self) -> &'static str {
                match self { $(ExecutionMode::$variant => $name,)* }
            }

            /// The number in SPIR-V.
            pub const fn number(self) -> u32 {
                match self { $(ExecutionMode::$variant => $number,)* }
            }

            /// The number of operands.
            pub const fn operands(self) -> u8 {
                match self { $(ExecutionMode::$variant => $operands,)* }
            }

            /// The execution mode with this number in SPIR-V.
            pub const fn from_spirv(number: u32) -> Option<ExecutionMode> {
                match number {
                    $($number => Some(ExecutionMode::$variant),)*
                    _ => None,
                }
            }
        }
    };
}

modes! {
    /// How often a geometry shader runs for each primitive.
    Invocations "invocations" 0 1;
    /// Edges of a patch are divided into segments of equal length.
    SpacingEqual "spacing_equal" 1 0;
    /// Edges of a patch are divided into an even number of segments, two of which may be shorter.
    SpacingFractionalEven "spacing_fractional_even" 2 0;
    /// Edges of a patch are divided into an odd number of segments, two of which may be shorter.
    SpacingFractionalOdd "spacing_fractional_odd" 3 0;
    /// The tessellator gives the vertices of triangles in clockwise order.
    VertexOrderCw "vertex_order_cw" 4 0;
    /// The tessellator gives the vertices of triangles in counterclockwise order.
    VertexOrderCcw "vertex_order_ccw" 5 0;
    /// The coordinates of the center of a pixel are integers.
    PixelCenterInteger "pixel_center_integer" 6 0;
    /// The coordinates of fragments start in the upper left corner.
    OriginUpperLeft "origin_upper_left" 7 0;
    /// The coordinates of fragments start in the lower left corner.
    OriginLowerLeft "origin_lower_left" 8 0;
    /// Tests of depth and stencil happen before the fragment shader runs.
    EarlyFragmentTests "early_fragment_tests" 9 0;
    /// The tessellator gives a point for each vertex instead of lines or triangles.
    PointMode "point_mode" 10 0;
    /// Outputs are captured into buffers (transform feedback).
    Xfb "xfb" 11 0;
    /// The fragment shader writes the depth.
    DepthReplacing "depth_replacing" 12 0;
    /// The depth that the fragment shader writes is at least that of the primitive.
    DepthGreater "depth_greater" 14 0;
    /// The depth that the fragment shader writes is at most that of the primitive.
    DepthLess "depth_less" 15 0;
    /// The depth that the fragment shader writes is that of the primitive.
    DepthUnchanged "depth_unchanged" 16 0;
    /// The size of a workgroup along each axis.
    LocalSize "local_size" 17 3;
    /// The size along each axis that workgroups are likely to have.
    LocalSizeHint "local_size_hint" 18 3;
    /// The geometry shader reads points.
    InputPoints "input_points" 19 0;
    /// The geometry shader reads lines.
    InputLines "input_lines" 20 0;
    /// The geometry shader reads lines with the vertices next to them.
    InputLinesAdjacency "input_lines_adjacency" 21 0;
    /// The geometry shader reads triangles, or the tessellator divides triangles.
    Triangles "triangles" 22 0;
    /// The geometry shader reads triangles with the vertices next to them.
    InputTrianglesAdjacency "input_triangles_adjacency" 23 0;
    /// The tessellator divides quadrilaterals.
    Quads "quads" 24 0;
    /// The tessellator divides quadrilaterals into lines.
    Isolines "isolines" 25 0;
    /// The number of vertices of a patch, or the largest number of vertices that a geometry or mesh shader gives.
    OutputVertices "output_vertices" 26 1;
    /// The geometry or mesh shader gives points.
    OutputPoints "output_points" 27 0;
    /// The geometry shader gives strips of lines.
    OutputLineStrip "output_line_strip" 28 0;
    /// The geometry shader gives strips of triangles.
    OutputTriangleStrip "output_triangle_strip" 29 0;
    /// The type of vectors that the kernel mostly computes with.
    VecTypeHint "vec_type_hint" 30 1;
    /// Multiplications and additions are not fused.
    ContractionOff "contraction_off" 31 0;
    /// The kernel runs before the others, to initialize the module.
    Initializer "initializer" 33 0;
    /// The kernel runs after the others, to release what the module holds.
    Finalizer "finalizer" 34 0;
    /// The number of invocations in a subgroup.
    SubgroupSize "subgroup_size" 35 1;
    /// The number of subgroups in a workgroup.
    SubgroupsPerWorkgroup "subgroups_per_workgroup" 36 1;
    /// The number of subgroups in a workgroup, as a constant.
    SubgroupsPerWorkgroupId "subgroups_per_workgroup_id" 37 1;
    /// The size of a workgroup along each axis, as constants.
    LocalSizeId "local_size_id" 38 3;
    /// The size along each axis that workgroups are likely to have, as constants.
    LocalSizeHintId "local_size_hint_id" 39 3;
    /// Reads of color attachments may miss writes of earlier fragments.
    NonCoherentColorAttachmentRead "non_coherent_color_attachment_read" 4169 0;
    /// Reads of the depth attachment may miss writes of earlier fragments.
    NonCoherentDepthAttachmentRead "non_coherent_depth_attachment_read" 4170 0;
    /// Reads of the stencil attachment may miss writes of earlier fragments.
    NonCoherentStencilAttachmentRead "non_coherent_stencil_attachment_read" 4171 0;
    /// Subgroups that start together are together again where their control flow is uniform.
    SubgroupUniformControlFlow "subgroup_uniform_control_flow" 4421 0;
    /// The mask of samples that a fragment reads has only those that passed the early tests.
    PostDepthCoverage "post_depth_coverage" 4446 0;
    /// Subnormal floats of a width are kept.
    DenormPreserve "denorm_preserve" 4459 1;
    /// Subnormal floats of a width are flushed to zero.
    DenormFlushToZero "denorm_flush_to_zero" 4460 1;
    /// Signs of zeros, infinities and NaNs of a width are kept.
    SignedZeroInfNanPreserve "signed_zero_inf_nan_preserve" 4461 1;
    /// Results of a width are rounded to the nearest float, and ties to even.
    RoundingModeRte "rounding_mode_rte" 4462 1;
    /// Results of a width are rounded toward zero.
    RoundingModeRtz "rounding_mode_rtz" 4463 1;
    /// Tests may happen before the fragment shader runs, and happen again with what it writes.
    EarlyAndLateFragmentTests "early_and_late_fragment_tests" 5017 0;
    /// The fragment shader writes the stencil reference.
    StencilRefReplacing "stencil_ref_replacing" 5027 0;
    /// A shader that is a node of a graph processes several records at once.
    Coalescing "coalescing" 5069 0;
    /// On front faces, the stencil reference that is written is that of the state.
    StencilRefUnchangedFront "stencil_ref_unchanged_front" 5079 0;
    /// On front faces, the stencil reference that is written is at least that of the state.
    StencilRefGreaterFront "stencil_ref_greater_front" 5080 0;
    /// On front faces, the stencil reference that is written is at most that of the state.
    StencilRefLessFront "stencil_ref_less_front" 5081 0;
    /// On back faces, the stencil reference that is written is that of the state.
    StencilRefUnchangedBack "stencil_ref_unchanged_back" 5082 0;
    /// On back faces, the stencil reference that is written is at least that of the state.
    StencilRefGreaterBack "stencil_ref_greater_back" 5083 0;
    /// On back faces, the stencil reference that is written is at most that of the state.
    StencilRefLessBack "stencil_ref_less_back" 5084 0;
    /// Derivatives are defined where control flow is uniform in the quad.
    QuadDerivatives "quad_derivatives" 5088 0;
    /// Quads start with all four invocations.
    RequireFullQuads "require_full_quads" 5089 0;
    /// The mesh shader gives lines.
    OutputLines "output_lines" 5269 0;
    /// The largest number of primitives that a mesh shader gives.
    OutputPrimitives "output_primitives" 5270 1;
    /// Derivatives of a workgroup are those of squares of two by two invocations.
    DerivativeGroupQuads "derivative_group_quads" 5289 0;
    /// Derivatives of a workgroup are those of four consecutive invocations.
    DerivativeGroupLinear "derivative_group_linear" 5290 0;
    /// The mesh shader gives triangles.
    OutputTriangles "output_triangles" 5298 0;
    /// Critical sections exclude fragments of the same pixel, and run in order of the primitives.
    PixelInterlockOrdered "pixel_interlock_ordered" 5366 0;
    /// Critical sections exclude fragments of the same pixel, and run in any order.
    PixelInterlockUnordered "pixel_interlock_unordered" 5367 0;
    /// Critical sections exclude fragments of the same samples, and run in order of the primitives.
    SampleInterlockOrdered "sample_interlock_ordered" 5368 0;
    /// Critical sections exclude fragments of the same samples, and run in any order.
    SampleInterlockUnordered "sample_interlock_unordered" 5369 0;
    /// Critical sections exclude fragments of the same shading area, and run in order of the primitives.
    ShadingRateInterlockOrdered "shading_rate_interlock_ordered" 5370 0;
    /// Critical sections exclude fragments of the same shading area, and run in any order.
    ShadingRateInterlockUnordered "shading_rate_interlock_unordered" 5371 0;
    /// The largest size of a workgroup along each axis.
    MaxWorkgroupSize "max_workgroup_size" 5893 3;
    /// The largest number of dimensions of a dispatch.
    MaxWorkDim "max_work_dim" 5894 1;
    /// The number of invocations that a device runs in parallel.
    NumSimdWorkitems "num_simd_workitems" 5896 1;
    /// Invocations that diverge are together again as early as the structure of control flow permits.
    MaximallyReconverges "maximally_reconverges" 6023 0;
    /// The liberties that float operations of a type have unless they state others.
    FpFastMathDefault "fp_fast_math_default" 6028 2;
}

impl ExecutionMode {
    /// Returns the execution mode with this spelling.
    pub fn parse(name: &str) -> Option<ExecutionMode> {
        ExecutionMode::ALL.iter().copied().find(|mode| mode.name() == name)
    }

    /// Returns true if it states the size of a workgroup.
    pub const fn is_local_size(self) -> bool {
        matches!(self, ExecutionMode::LocalSize | ExecutionMode::LocalSizeId)
    }
}

/// An execution mode of an entry point.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ModeUse {
    /// The mode.
    pub mode: ExecutionMode,
    /// Its operands.
    pub args: Vec<Operand>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_order_and_read_back() {
        assert!(ExecutionMode::ALL.is_sorted_by_key(|mode| mode.number()));
        for &mode in ExecutionMode::ALL {
            assert_eq!(ExecutionMode::parse(mode.name()), Some(mode));
            assert_eq!(ExecutionMode::from_spirv(mode.number()), Some(mode));
        }
        for &stage in Stage::ALL {
            assert_eq!(Stage::from_name(stage.name()), Some(stage));
        }
    }
}
