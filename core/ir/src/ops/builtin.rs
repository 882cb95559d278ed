//! System values: the words of `builtin`, with what is known of each wherever it is used.
//!
//! An entry gives the number of the IR by its place, the spelling (the SPIR-V name in snake case), the kind of number and the
//! components of the value, or of its elements if it is an array, and `SHARED` if all invocations of a subgroup have
//! the same. How languages spell them is in `targets`; how the interpreter computes them is in `interp`.
//! (SPIR-V 3.21, BuiltIn; Vulkan 15.9, Built-In Variables.)

use super::kind::Kind;
use super::words::words;

macro_rules! builtins {
    ($($(#[doc = $doc:literal])+ $variant:ident $text:literal $kind:ident $components:literal $($shared:ident)?;)*) => {
        words! {
            /// A system value.
            Builtin;
            $($(#[doc = $doc])+ $variant $text;)*
        }

        /// Kind, components, and whether a subgroup shares the value.
        const FACTS: &[(Kind, u8, bool)] = &[$((Kind::$kind, $components, builtins!(@is_shared $($shared)?)),)*];
    };
    (@is_shared) => { false };
    (@is_shared SHARED) => { true };
}

impl Builtin {
    /// The kind of its numbers, as Vulkan and the extensions declare it; where they leave the sign open, unsigned.
    pub const fn kind(self) -> Kind {
        FACTS[self as usize].0
    }

    /// Number of components of the value; of an element, if it is an array or a matrix.
    pub const fn components(self) -> u8 {
        FACTS[self as usize].1
    }

    /// Returns true if all invocations of a subgroup have the same value.
    pub const fn is_shared(self) -> bool {
        FACTS[self as usize].2
    }

    /// Returns true for a mask of invocations of the subgroup.
    pub const fn is_subgroup_mask(self) -> bool {
        matches!(
            self,
            Builtin::SubgroupEqMask
                | Builtin::SubgroupGeMask
                | Builtin::SubgroupGtMask
                | Builtin::SubgroupLeMask
                | Builtin::SubgroupLtMask
        )
    }

    /// Returns true for a value of a patch, not of its vertices.
    pub const fn is_of_patch(self) -> bool {
        matches!(self, Builtin::TessLevelOuter | Builtin::TessLevelInner)
    }

    /// Returns true for an output of a mesh that belongs to a primitive, not to its vertices.
    pub const fn is_of_primitive(self) -> bool {
        matches!(
            self,
            Builtin::PrimitiveId
                | Builtin::Layer
                | Builtin::ViewportIndex
                | Builtin::PrimitiveShadingRate
                | Builtin::CullPrimitive
                | Builtin::PrimitivePointIndices
                | Builtin::PrimitiveLineIndices
                | Builtin::PrimitiveTriangleIndices
        )
    }
}

builtins! {
    /// Position of a vertex in clip space.
    Position "position" Float 4;
    /// Width of a point in pixels.
    PointSize "point_size" Float 1;
    /// Distances to planes that cut the primitive; an array.
    ClipDistance "clip_distance" Float 1;
    /// Distances to planes that drop the primitive; an array.
    CullDistance "cull_distance" Float 1;
    /// Number of the vertex, as in OpenGL.
    VertexId "vertex_id" Int 1;
    /// Number of the instance, as in OpenGL; in ray tracing, of the instance that is hit.
    InstanceId "instance_id" Int 1;
    /// Number of the primitive.
    PrimitiveId "primitive_id" Int 1;
    /// Number of the invocation of a patch or of a geometry shader.
    InvocationId "invocation_id" Int 1;
    /// Layer of the framebuffer.
    Layer "layer" Int 1;
    /// Number of the viewport.
    ViewportIndex "viewport_index" Int 1;
    /// Divisions of the edges of a patch; an array of four.
    TessLevelOuter "tess_level_outer" Float 1;
    /// Divisions of the inside of a patch; an array of two.
    TessLevelInner "tess_level_inner" Float 1;
    /// Place of the vertex in the patch.
    TessCoord "tess_coord" Float 3;
    /// Number of vertices of the incoming patch.
    PatchVertices "patch_vertices" Int 1;
    /// Place of the fragment on the screen, its depth, and one by w.
    FragCoord "frag_coord" Float 4;
    /// Place of the fragment in its point.
    PointCoord "point_coord" Float 2;
    /// True if the primitive faces the viewer.
    FrontFacing "front_facing" Bool 1;
    /// Number of the sample.
    SampleId "sample_id" Int 1;
    /// Place of the sample in the pixel.
    SamplePosition "sample_position" Float 2;
    /// Samples that are covered, as bits; an array.
    SampleMask "sample_mask" Int 1;
    /// Depth of the fragment.
    FragDepth "frag_depth" Float 1;
    /// True if the invocation exists for derivatives only.
    HelperInvocation "helper_invocation" Bool 1;
    /// Number of workgroups of the dispatch.
    NumWorkgroups "num_workgroups" Uint 3 SHARED;
    /// Number of invocations of a workgroup.
    WorkgroupSize "workgroup_size" Uint 3 SHARED;
    /// Number of the workgroup.
    WorkgroupId "workgroup_id" Uint 3 SHARED;
    /// Number of the invocation in its workgroup.
    LocalInvocationId "local_invocation_id" Uint 3;
    /// Number of the invocation in the dispatch.
    GlobalInvocationId "global_invocation_id" Uint 3;
    /// The local number as one integer.
    LocalInvocationIndex "local_invocation_index" Uint 1;
    /// Number of dimensions of the dispatch (OpenCL).
    WorkDim "work_dim" Uint 1 SHARED;
    /// Number of invocations of the dispatch (OpenCL).
    GlobalSize "global_size" Uint 3 SHARED;
    /// Number of invocations of a workgroup that is not at the border (OpenCL).
    EnqueuedWorkgroupSize "enqueued_workgroup_size" Uint 3 SHARED;
    /// First number of an invocation (OpenCL).
    GlobalOffset "global_offset" Uint 3 SHARED;
    /// The global number as one integer (OpenCL).
    GlobalLinearId "global_linear_id" Uint 1;
    /// Number of invocations of the subgroup.
    SubgroupSize "subgroup_size" Uint 1 SHARED;
    /// Maximum number of invocations of a subgroup (OpenCL).
    SubgroupMaxSize "subgroup_max_size" Uint 1 SHARED;
    /// Number of subgroups of the workgroup.
    NumSubgroups "num_subgroups" Uint 1 SHARED;
    /// Number of subgroups of a workgroup that is not at the border (OpenCL).
    NumEnqueuedSubgroups "num_enqueued_subgroups" Uint 1 SHARED;
    /// Number of the subgroup in its workgroup.
    SubgroupId "subgroup_id" Uint 1 SHARED;
    /// Number of the invocation in its subgroup.
    SubgroupLocalInvocationId "subgroup_local_invocation_id" Uint 1;
    /// Number of the vertex, with the first vertex of the draw added.
    VertexIndex "vertex_index" Int 1;
    /// Number of the instance, with the first instance of the draw added.
    InstanceIndex "instance_index" Int 1;
    /// The bit of the invocation.
    SubgroupEqMask "subgroup_eq_mask" Uint 4;
    /// The bits of the invocation and of those after it.
    SubgroupGeMask "subgroup_ge_mask" Uint 4;
    /// The bits of the invocations after it.
    SubgroupGtMask "subgroup_gt_mask" Uint 4;
    /// The bits of the invocation and of those before it.
    SubgroupLeMask "subgroup_le_mask" Uint 4;
    /// The bits of the invocations before it.
    SubgroupLtMask "subgroup_lt_mask" Uint 4;
    /// First vertex of the draw.
    BaseVertex "base_vertex" Int 1 SHARED;
    /// First instance of the draw.
    BaseInstance "base_instance" Int 1 SHARED;
    /// Number of the draw in a command of several.
    DrawIndex "draw_index" Int 1 SHARED;
    /// Shading rate that the primitive asks for.
    PrimitiveShadingRate "primitive_shading_rate" Uint 1;
    /// Number of the device.
    DeviceIndex "device_index" Int 1 SHARED;
    /// Number of the view.
    ViewIndex "view_index" Int 1;
    /// Shading rate of the fragment.
    ShadingRate "shading_rate" Uint 1;
    /// Barycentric coordinates at the center, linear on the screen (AMD).
    BaryCoordNoPersp "bary_coord_no_persp" Float 2;
    /// Barycentric coordinates at the centroid, linear on the screen (AMD).
    BaryCoordNoPerspCentroid "bary_coord_no_persp_centroid" Float 2;
    /// Barycentric coordinates at the sample, linear on the screen (AMD).
    BaryCoordNoPerspSample "bary_coord_no_persp_sample" Float 2;
    /// Barycentric coordinates at the center (AMD).
    BaryCoordSmooth "bary_coord_smooth" Float 2;
    /// Barycentric coordinates at the centroid (AMD).
    BaryCoordSmoothCentroid "bary_coord_smooth_centroid" Float 2;
    /// Barycentric coordinates at the sample (AMD).
    BaryCoordSmoothSample "bary_coord_smooth_sample" Float 2;
    /// Barycentric coordinates by w, and one by w (AMD).
    BaryCoordPullModel "bary_coord_pull_model" Float 3;
    /// Reference of the stencil test.
    FragStencilRef "frag_stencil_ref" Int 1;
    /// True if the primitive covers the whole pixel.
    FullyCovered "fully_covered" Bool 1;
    /// Barycentric coordinates.
    BaryCoord "bary_coord" Float 3;
    /// Barycentric coordinates, linear on the screen.
    BaryCoordNoPerspective "bary_coord_no_perspective" Float 3;
    /// Pixels that the fragment covers.
    FragSize "frag_size" Uint 2;
    /// Maximum number of invocations for the fragment.
    FragInvocationCount "frag_invocation_count" Uint 1;
    /// Vertices of the points of a mesh.
    PrimitivePointIndices "primitive_point_indices" Uint 1;
    /// Vertices of the lines of a mesh.
    PrimitiveLineIndices "primitive_line_indices" Uint 2;
    /// Vertices of the triangles of a mesh.
    PrimitiveTriangleIndices "primitive_triangle_indices" Uint 3;
    /// True if the primitive of a mesh is dropped.
    CullPrimitive "cull_primitive" Bool 1;
    /// Number of primitives of a mesh (NV).
    PrimitiveCount "primitive_count" Uint 1;
    /// Vertices of the primitives of a mesh (NV).
    PrimitiveIndices "primitive_indices" Uint 1;
    /// Number of mesh workgroups of a task (NV).
    TaskCount "task_count" Uint 1;
    /// Number of views of a mesh (NV).
    MeshViewCount "mesh_view_count" Uint 1;
    /// Numbers of the views of a mesh (NV).
    MeshViewIndices "mesh_view_indices" Uint 1;
    /// Number of the invocation in the grid of rays.
    LaunchId "launch_id" Uint 3;
    /// Size of the grid of rays.
    LaunchSize "launch_size" Uint 3;
    /// Start of the ray in the world.
    WorldRayOrigin "world_ray_origin" Float 3;
    /// Direction of the ray in the world.
    WorldRayDirection "world_ray_direction" Float 3;
    /// Start of the ray in the space of the instance.
    ObjectRayOrigin "object_ray_origin" Float 3;
    /// Direction of the ray in the space of the instance.
    ObjectRayDirection "object_ray_direction" Float 3;
    /// Where the ray begins.
    RayTmin "ray_tmin" Float 1;
    /// Where the ray ends: at the closest hit so far.
    RayTmax "ray_tmax" Float 1;
    /// Number that the application gave to the instance.
    InstanceCustomIndex "instance_custom_index" Uint 1;
    /// Transformation of the instance; a matrix of four columns.
    ObjectToWorld "object_to_world" Float 3;
    /// Inverse transformation of the instance; a matrix of four columns.
    WorldToObject "world_to_object" Float 3;
    /// Kind of the hit.
    HitKind "hit_kind" Uint 1;
    /// Where the ray hits (NV).
    HitT "hit_t" Float 1;
    /// Flags of the ray.
    IncomingRayFlags "incoming_ray_flags" Uint 1;
    /// Number of the geometry that is hit.
    RayGeometryIndex "ray_geometry_index" Uint 1;
    /// Time of the ray (NV).
    CurrentRayTime "current_ray_time" Float 1;
    /// Corners of the triangle that is hit; an array of three.
    HitTriangleVertexPositions "hit_triangle_vertex_positions" Float 3;
    /// Mask of the ray.
    CullMask "cull_mask" Uint 1;
    /// Viewports that get the primitive, as bits; an array (NV).
    ViewportMask "viewport_mask" Uint 1;
    /// Position in the second view (NV).
    SecondaryPosition "secondary_position" Float 4;
    /// Position in each view; an array (NV).
    PositionPerView "position_per_view" Float 4;
    /// Maximum number of warps of a multiprocessor (NV).
    WarpsPerSm "warps_per_sm" Uint 1;
    /// Number of multiprocessors (NV).
    SmCount "sm_count" Uint 1;
    /// Number of the warp (NV).
    WarpId "warp_id" Uint 1;
    /// Number of the multiprocessor (NV).
    SmId "sm_id" Uint 1;
}
