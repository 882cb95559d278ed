//! Stages of entry points and their execution modes, as a table.

use super::Operand;

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

/// A kind of execution mode.
#[derive(Debug, PartialEq, Eq)]
pub struct ModeInfo {
    /// The spelling in the text form.
    pub name: &'static str,
    /// SPIR-V number of the mode.
    pub number: u32,
    /// Number of operands.
    pub operands: u8,
}

/// An execution mode of an entry point.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ModeUse {
    /// The mode, as an index into [`ModeInfo::TABLE`].
    pub mode: u16,
    /// Its operands.
    pub args: Vec<Operand>,
}

macro_rules! modes {
    ($($name:ident $number:literal $operands:literal;)*) => {
        impl ModeInfo {
            /// Every execution mode of the text form, by number.
            pub const TABLE: &'static [ModeInfo] =
                &[$(ModeInfo { name: stringify!($name), number: $number, operands: $operands }),*];
        }
    };
}

impl ModeInfo {
    /// Index of the mode with this spelling.
    pub fn find(name: &str) -> Option<u16> {
        ModeInfo::TABLE.iter().position(|info| info.name == name).map(|at| at as u16)
    }
}

impl ModeUse {
    /// The entry of the mode; `None` for an index out of range.
    pub fn info(&self) -> Option<&'static ModeInfo> {
        ModeInfo::TABLE.get(self.mode as usize)
    }
}

modes! {
    invocations 0 1;
    spacing_equal 1 0;
    spacing_fractional_even 2 0;
    spacing_fractional_odd 3 0;
    vertex_order_cw 4 0;
    vertex_order_ccw 5 0;
    pixel_center_integer 6 0;
    origin_upper_left 7 0;
    origin_lower_left 8 0;
    early_fragment_tests 9 0;
    point_mode 10 0;
    xfb 11 0;
    depth_replacing 12 0;
    depth_greater 14 0;
    depth_less 15 0;
    depth_unchanged 16 0;
    local_size 17 3;
    local_size_hint 18 3;
    input_points 19 0;
    input_lines 20 0;
    input_lines_adjacency 21 0;
    triangles 22 0;
    input_triangles_adjacency 23 0;
    quads 24 0;
    isolines 25 0;
    output_vertices 26 1;
    output_points 27 0;
    output_line_strip 28 0;
    output_triangle_strip 29 0;
    vec_type_hint 30 1;
    contraction_off 31 0;
    initializer 33 0;
    finalizer 34 0;
    subgroup_size 35 1;
    subgroups_per_workgroup 36 1;
    subgroups_per_workgroup_id 37 1;
    local_size_id 38 3;
    local_size_hint_id 39 3;
    non_coherent_color_attachment_read 4169 0;
    non_coherent_depth_attachment_read 4170 0;
    non_coherent_stencil_attachment_read 4171 0;
    subgroup_uniform_control_flow 4421 0;
    post_depth_coverage 4446 0;
    denorm_preserve 4459 1;
    denorm_flush_to_zero 4460 1;
    signed_zero_inf_nan_preserve 4461 1;
    rounding_mode_rte 4462 1;
    rounding_mode_rtz 4463 1;
    early_and_late_fragment_tests 5017 0;
    stencil_ref_replacing 5027 0;
    coalescing 5069 0;
    stencil_ref_unchanged_front 5079 0;
    stencil_ref_greater_front 5080 0;
    stencil_ref_less_front 5081 0;
    stencil_ref_unchanged_back 5082 0;
    stencil_ref_greater_back 5083 0;
    stencil_ref_less_back 5084 0;
    quad_derivatives 5088 0;
    require_full_quads 5089 0;
    output_lines 5269 0;
    output_primitives 5270 1;
    derivative_group_quads 5289 0;
    derivative_group_linear 5290 0;
    output_triangles 5298 0;
    pixel_interlock_ordered 5366 0;
    pixel_interlock_unordered 5367 0;
    sample_interlock_ordered 5368 0;
    sample_interlock_unordered 5369 0;
    shading_rate_interlock_ordered 5370 0;
    shading_rate_interlock_unordered 5371 0;
    max_workgroup_size 5893 3;
    max_work_dim 5894 1;
    num_simd_workitems 5896 1;
    maximally_reconverges 6023 0;
    fp_fast_math_default 6028 2;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_in_order_and_read_back() {
        assert!(ModeInfo::TABLE.is_sorted_by_key(|info| info.number));
        for (at, info) in ModeInfo::TABLE.iter().enumerate() {
            assert_eq!(ModeInfo::find(info.name), Some(at as u16));
        }
        for &stage in Stage::ALL {
            assert_eq!(Stage::from_name(stage.name()), Some(stage));
        }
    }
}
