//! Attributes: the constant part of an instruction (which variable, what alignment, which scope).
//!
//! One table says which keys exist and what their values are; a row of an op table says which keys an
//! op takes. Printer, parser and validator are written against the table and know no single key.

use std::fmt;

/// What the value of a key is, and so how it is spelled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ValueKind {
    /// Present or not; no value.
    Flag,
    /// An unsigned number of at most 32 bits.
    Number,
    /// A signed number of at most 32 bits.
    Signed,
    /// One word of a list.
    Word(&'static [&'static str]),
    /// Any number of words of a list, joined by `+`; bit `i` is word `i`.
    Words(&'static [&'static str]),
    /// A list of operand roles, one per operand.
    Roles,
    /// Lane numbers, four bits each, as many as the result has lanes.
    Lanes,
    /// A member number, written as `.2` behind the first operand.
    Member,
    /// An entity of the module or the function.
    Entity(EntityKind),
}

/// Which table an entity value points into.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntityKind {
    /// Interned constant bits, spelled as a literal.
    Const,
    /// Module constant.
    Global,
    /// Variable.
    Var,
    /// Function.
    Func,
    /// Register of the function.
    Reg,
    /// Full type.
    Type,
    /// Interned words carried along.
    Blob,
    /// Interned text.
    Text,
}

/// One attribute: a key and its value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Attr {
    /// Which.
    pub key: Key,
    /// The value, read as `key.kind()` says.
    pub value: u64,
}

impl Attr {
    /// An attribute.
    pub const fn new(key: Key, value: u64) -> Attr {
        Attr { key, value }
    }
}

impl fmt::Debug for Attr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={:#x}", self.key.name(), self.value)
    }
}

macro_rules! keys {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal $kind:expr;)*) => {
        /// Every attribute there is.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum Key { $($(#[doc = $doc])+ $variant,)* }

        const KEYS: &[(&str, &str, ValueKind)] = &[$(($name, concat!($($doc, "\n"),+), $kind),)*];

        impl Key {
            /// Every key, in table order, which is also the order of printing.
            pub const ALL: &'static [Key] = &[$(Key::$variant),*];
        }
    };
}

impl Key {
    /// The spelling.
    pub fn name(self) -> &'static str {
        KEYS[self as usize].0
    }

    /// The sentence of the table.
    pub fn doc(self) -> &'static str {
        KEYS[self as usize].1.trim()
    }

    /// What the value is.
    pub fn kind(self) -> ValueKind {
        KEYS[self as usize].2
    }

    /// The key of this spelling.
    pub fn from_name(name: &str) -> Option<Key> {
        Key::ALL.iter().copied().find(|key| key.name() == name)
    }
}

use EntityKind as E;
use ValueKind::{Entity, Flag, Lanes, Member, Number, Roles, Signed, Word, Words};

keys! {
    // What the instruction is about.
    /// The bits of a constant.
    Const "const" Entity(E::Const);
    /// The module constant to read.
    Global "global" Entity(E::Global);
    /// The variable meant.
    Var "var" Entity(E::Var);
    /// The function called.
    Func "func" Entity(E::Func);
    /// The register read or written.
    Reg "reg" Entity(E::Reg);
    /// The full type a path points at.
    Type "type" Entity(E::Type);
    /// Where a path points: the storage of its variable.
    Mode "mode" Word(MODES);
    /// Lane of the operand for each lane of the result.
    Lanes "lanes" Lanes;
    /// Member of the structure, from 0.
    Field "field" Member;

    // Memory.
    /// Largest power of two that divides the address, in bytes.
    Align "align" Number;
    /// Promises and demands of one access.
    Access "access" Words(ACCESS);
    /// Who must see the effect.
    Scope "scope" Word(SCOPES);
    /// Memory ordering of an atomic or a barrier.
    Order "order" Words(MEMORY_ORDERS);
    /// Ordering of a compare-and-exchange that does not exchange.
    OrderElse "order_else" Words(MEMORY_ORDERS);
    /// What an atomic does to memory.
    Atomic "atomic" Word(ATOMICS);
    /// Lanes written: bit `i` is lane `i`.
    Mask "mask" Number;
    /// Constant distance in bytes.
    Offset "offset" Signed;
    /// Bytes from one element to the next.
    Stride "stride" Number;
    /// Bytes that may be touched from the start, where that is known.
    Range "range" Number;
    /// The variable is untyped memory of so many bytes; its type is only how it was declared.
    Bytes "bytes" Number;
    /// What is done with the bytes, as `qptr-analyze` found.
    Usage "usage" Entity(E::Text);

    // Interfaces.
    /// Interface location.
    Location "location" Number;
    /// First component within the location.
    Component "component" Number;
    /// Dual-source blending index.
    Index "index" Number;
    /// System value by its SPIR-V name in snake case.
    BuiltIn "builtin" Word(BUILTINS);
    /// How an input is interpolated.
    Interp "interp" Words(INTERP);
    /// Vertex stream.
    Stream "stream" Number;
    /// Descriptor set.
    Set "set" Number;
    /// Binding within the set.
    Binding "binding" Number;
    /// Input attachment.
    Attachment "attachment" Number;
    /// Identity of a specialisation constant.
    SpecId "spec_id" Number;
    /// Transform feedback buffer.
    XfbBuffer "xfb_buffer" Number;
    /// Transform feedback stride in bytes.
    XfbStride "xfb_stride" Number;
    /// Computed the same way wherever it is computed.
    Invariant "invariant" Flag;
    /// Medium precision is enough.
    Relaxed "relaxed" Flag;
    /// Other variables may share the memory.
    Aliased "aliased" Flag;
    /// No other variable shares the memory.
    Restrict "restrict" Flag;
    /// The structure is the block of a buffer or an interface.
    Block "block" Flag;
    /// The structure is the block of a storage buffer, in the way of SPIR-V before 1.3.
    BufferBlock "buffer_block" Flag;

    /// SPIR-V's number of the storage class, where the mode stands for several.
    Class "class" Number;

    // Groups.
    /// The group a barrier waits for.
    Exec "exec" Word(SCOPES);
    /// The operation of a reduction.
    Reduce "reduce" Word(REDUCTIONS);
    /// Which lanes a reduction takes together.
    How "how" Word(HOWS);
    /// Lanes per cluster.
    Cluster "cluster" Number;
    /// Precision of a derivative.
    Derivative "derivative" Word(DERIVATIVES);
    /// Direction of a quad swap.
    Axis "axis" Word(AXES);

    // Images.
    /// Dimension of the image.
    Dim "dim" Word(DIMS);
    /// The image has layers.
    Arrayed "arrayed" Flag;
    /// The image has samples.
    Multisampled "multisampled" Flag;
    /// The lookup compares with a reference.
    Shadow "shadow" Flag;
    /// The result carries a residency code in one more lane, the last.
    Sparse "sparse" Flag;
    /// How texels are extended to the result.
    Extend "extend" Word(EXTENDS);
    /// What each operand is.
    Roles "roles" Roles;

    // Control hints of the importer.
    /// What the author asked of a branch or loop.
    Hint "hint" Words(HINTS);
    /// Parameters of the hints that take one, in order: dependency length, iteration counts, peel and unroll counts.
    HintArgs "hint_args" Entity(E::Blob);
    /// What the author asked of a function.
    FuncHint "func_hint" Words(FUNC_HINTS);

    // Carried along.
    /// SPIR-V opcode of an instruction the IR has no op for.
    Opcode "opcode" Number;
    /// Its literal operands; value operands are the instruction's own.
    Words "words" Entity(E::Blob);
    /// Text the instruction carries, such as a printf format.
    Text "text" Entity(E::Text);
}

/// Where a variable lives or a path points, in the order of `ir::Mode`.
pub const MODES: &[&str] = &[
    "in", "out", "private", "local", "handle", "uniform", "storage", "push", "shared", "payload", "physical",
    "callable", "generic",
];

const ACCESS: &[&str] = &[
    "volatile",
    "coherent",
    "nontemporal",
    "nonprivate",
    "readonly",
    "writeonly",
    "nonuniform",
    "reorder",
    "available",
    "visible",
];

const SCOPES: &[&str] =
    &["cross_device", "device", "workgroup", "subgroup", "invocation", "queue_family", "shader_call"];

const MEMORY_ORDERS: &[&str] = &[
    "acquire",
    "release",
    "acq_rel",
    "seq_cst",
    "uniform_memory",
    "subgroup_memory",
    "workgroup_memory",
    "cross_workgroup_memory",
    "atomic_counter_memory",
    "image_memory",
    "output_memory",
    "available",
    "visible",
    "volatile",
];

const ATOMICS: &[&str] = &[
    "iadd", "isub", "imin", "umin", "imax", "umax", "iand", "ior", "ixor", "exchange", "fadd", "fmin",
    "fmax", "inc", "dec",
];

const REDUCTIONS: &[&str] =
    &["iadd", "fadd", "imul", "fmul", "imin", "umin", "fmin", "imax", "umax", "fmax", "iand", "ior", "ixor"];

const HOWS: &[&str] = &["all", "inclusive", "exclusive", "clustered"];
const DERIVATIVES: &[&str] = &["fine", "coarse"];
const AXES: &[&str] = &["horizontal", "vertical", "diagonal"];
/// Dimensions of images, as [`Key::Dim`] counts them.
pub(crate) const DIMS: &[&str] = &["1d", "2d", "3d", "cube", "rect", "buffer", "subpass"];
const EXTENDS: &[&str] = &["sign", "zero"];
const INTERP: &[&str] = &[
    "flat",
    "noperspective",
    "centroid",
    "sample",
    "patch",
    "explicit",
    "per_vertex",
    "per_primitive",
    "per_view",
];
const HINTS: &[&str] = &[
    "unroll",
    "dont_unroll",
    "flatten",
    "dont_flatten",
    "dependency_infinite",
    "dependency_length",
    "min_iterations",
    "max_iterations",
    "iteration_multiple",
    "peel_count",
    "partial_count",
];

const FUNC_HINTS: &[&str] = &["inline", "dont_inline", "pure", "const", "opt_none"];

/// System values, in snake case of their SPIR-V names.
pub const BUILTINS: &[&str] = &[
    "position",
    "point_size",
    "clip_distance",
    "cull_distance",
    "vertex_id",
    "instance_id",
    "primitive_id",
    "invocation_id",
    "layer",
    "viewport_index",
    "tess_level_outer",
    "tess_level_inner",
    "tess_coord",
    "patch_vertices",
    "frag_coord",
    "point_coord",
    "front_facing",
    "sample_id",
    "sample_position",
    "sample_mask",
    "frag_depth",
    "helper_invocation",
    "num_workgroups",
    "workgroup_size",
    "workgroup_id",
    "local_invocation_id",
    "global_invocation_id",
    "local_invocation_index",
    "work_dim",
    "global_size",
    "enqueued_workgroup_size",
    "global_offset",
    "global_linear_id",
    "subgroup_size",
    "subgroup_max_size",
    "num_subgroups",
    "num_enqueued_subgroups",
    "subgroup_id",
    "subgroup_local_invocation_id",
    "vertex_index",
    "instance_index",
    "subgroup_eq_mask",
    "subgroup_ge_mask",
    "subgroup_gt_mask",
    "subgroup_le_mask",
    "subgroup_lt_mask",
    "base_vertex",
    "base_instance",
    "draw_index",
    "primitive_shading_rate",
    "device_index",
    "view_index",
    "shading_rate",
    "bary_coord_no_persp",
    "bary_coord_no_persp_centroid",
    "bary_coord_no_persp_sample",
    "bary_coord_smooth",
    "bary_coord_smooth_centroid",
    "bary_coord_smooth_sample",
    "bary_coord_pull_model",
    "frag_stencil_ref",
    "fully_covered",
    "bary_coord",
    "bary_coord_no_perspective",
    "frag_size",
    "frag_invocation_count",
    "primitive_point_indices",
    "primitive_line_indices",
    "primitive_triangle_indices",
    "cull_primitive",
    "primitive_count",
    "primitive_indices",
    "task_count",
    "mesh_view_count",
    "mesh_view_indices",
    "launch_id",
    "launch_size",
    "world_ray_origin",
    "world_ray_direction",
    "object_ray_origin",
    "object_ray_direction",
    "ray_tmin",
    "ray_tmax",
    "instance_custom_index",
    "object_to_world",
    "world_to_object",
    "hit_kind",
    "hit_t",
    "incoming_ray_flags",
    "ray_geometry_index",
    "current_ray_time",
    "hit_triangle_vertex_positions",
    "cull_mask",
    "viewport_mask",
    "secondary_position",
    "position_per_view",
    "warps_per_sm",
    "sm_count",
    "warp_id",
    "sm_id",
];

macro_rules! roles {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal;)*) => {
        /// What an operand of an image operation is.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum Role { $($(#[doc = $doc])+ $variant,)* }

        impl Role {
            /// Every role.
            pub const ALL: &'static [Role] = &[$(Role::$variant),*];

            /// The spelling.
            pub fn name(self) -> &'static str {
                [$($name),*][self as usize]
            }

            /// The sentence of the table.
            pub fn doc(self) -> &'static str {
                [$(concat!($($doc, "\n"),+)),*][self as usize].trim()
            }
        }
    };
}

roles! {
    /// The image, or image and sampler in one.
    Image "image";
    /// The sampler, where it is apart.
    Sampler "sampler";
    /// Where to look: floats for sampling, integers for fetching.
    Coord "coord";
    /// Divides the coordinate before the lookup.
    Projector "projector";
    /// Level of detail.
    Lod "lod";
    /// Added to the implicit level of detail.
    Bias "bias";
    /// Change of the coordinate towards the next pixel on the right.
    Ddx "ddx";
    /// Change of the coordinate towards the next pixel below.
    Ddy "ddy";
    /// Texels added to the coordinate.
    Offset "offset";
    /// Four offsets, x of the first, y of the first, x of the second, and so on.
    Offsets "offsets";
    /// Reference to compare with.
    Compare "compare";
    /// Number of the sample.
    Sample "sample";
    /// Component to gather.
    Component "component";
    /// Least level of detail.
    MinLod "min_lod";
    /// The texel to write.
    Texel "texel";
}

/// Most operands that can carry a role.
pub const MAX_ROLES: usize = 12;
const ROLE_BITS: u32 = 5;

impl Role {
    /// The role of this spelling.
    pub fn from_name(name: &str) -> Option<Role> {
        Role::ALL.iter().copied().find(|role| role.name() == name)
    }

    /// Packs roles into an attribute value; at most `MAX_ROLES`, the rest is dropped.
    pub fn pack(roles: &[Role]) -> u64 {
        roles
            .iter()
            .take(MAX_ROLES)
            .enumerate()
            .fold(0, |packed, (at, &role)| packed | (role as u64 + 1) << (at as u32 * ROLE_BITS))
    }

    /// The roles of a packed value.
    pub fn unpack(packed: u64) -> impl Iterator<Item = Role> {
        (0..MAX_ROLES as u32).map_while(move |at| {
            let code = packed >> (at * ROLE_BITS) & ((1 << ROLE_BITS) - 1);
            let index = code.checked_sub(1)?;
            Role::ALL.get(index as usize).copied()
        })
    }
}

/// The letters of lanes 0 to 15, as in `%4.xyz`.
pub const COMPONENT_LETTERS: &str = "xyzwabcdefghijkl";

/// Packs lane numbers (0 to 15, at most 16 of them) into an attribute value.
pub fn pack_components(lanes: &[u8]) -> u64 {
    lanes.iter().take(16).enumerate().fold(0, |packed, (at, &lane)| packed | u64::from(lane & 15) << (4 * at))
}

/// Lane `at` of a packed swizzle.
pub fn unpack_component(packed: u64, at: usize) -> u8 {
    if at < 16 { (packed >> (4 * at) & 15) as u8 } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_documented() {
        for &key in Key::ALL {
            assert_eq!(Key::from_name(key.name()), Some(key));
            assert!(key.doc().ends_with('.'), "{} wants a sentence", key.name());
        }
        for &role in Role::ALL {
            assert_eq!(Role::from_name(role.name()), Some(role));
            assert!(role.doc().ends_with('.'));
        }
    }

    #[test]
    fn roles_and_lanes_unpack_to_what_was_packed() {
        let roles = [Role::Image, Role::Sampler, Role::Coord, Role::Texel];
        assert_eq!(Role::unpack(Role::pack(&roles)).collect::<Vec<_>>(), roles);
        let all: Vec<Role> = Role::ALL.iter().copied().take(MAX_ROLES).collect();
        assert_eq!(Role::unpack(Role::pack(&all)).collect::<Vec<_>>(), all);
        let packed = pack_components(&[3, 0, 15, 1]);
        assert_eq!([0, 1, 2, 3].map(|at| unpack_component(packed, at)), [3, 0, 15, 1]);
    }

    #[test]
    fn words_fit_their_value() {
        for &key in Key::ALL {
            if let Words(list) = key.kind() {
                assert!(list.len() <= 32, "{}", key.name());
            }
        }
    }
}
