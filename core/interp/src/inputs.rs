//! The inputs of a run: buffers, images, constants, invocations, and limits.
//!
//! Plain data; `seeded` generates inputs that fit a module, `vitrine exec` reads them from a file. Missing
//! inputs are not replaced: reading them is reported.

use super::image::{Image, Sampler};
use super::triangle::Triangle;
use std::collections::BTreeMap;
use vitrine_ir::ops::{Builtin, Key};
use vitrine_ir::{Module, TypeData, Var};

/// A resource by descriptor set and binding.
pub type Slot = (u32, u32);

/// An input of a stage by location and component: a linear function over the invocations.
///
/// At `x` and `y` a float is `base + x * dx + y * dy`; to an integer, the integral parts of `x * dx + y * dy`
/// are added. For fragments, `x` and `y` are those of the pixel's center (halves); for vertices, the vertex
/// and instance numbers; for vertices of primitives and patches, the number of the vertex in the draw and 0; for
/// patches, their number and 0.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Varying {
    /// Bits at (0, 0).
    pub base: u64,
    /// Change for one step in x.
    pub dx: f32,
    /// Change for one step in y.
    pub dy: f32,
    /// If set, the bits are a float of the input's width.
    pub float: bool,
}

/// An argument of a kernel.
#[derive(Clone, PartialEq, Debug)]
pub enum KernelArg {
    /// The address of these bytes.
    Buffer(Vec<u8>),
    /// The address of this many bytes of workgroup memory.
    Shared(u32),
    /// A value by component.
    Value(Vec<u64>),
}

/// Resource limits of a run. Exceeding one ends the run with a report or an error, never silently.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// Instructions of one group of invocations; by default 16 million.
    pub steps: u64,
    /// Bytes of all memory together; by default 256 MB.
    pub memory_bytes: u64,
    /// Depth of nested calls; by default 256.
    pub calls: u32,
    /// Different reports kept; by default 64.
    pub reports: u32,
    /// Invocations of a whole run; by default 4 million.
    pub invocations: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { steps: 1 << 24, memory_bytes: 1 << 28, calls: 256, reports: 64, invocations: 1 << 22 }
    }
}

/// The inputs of a run.
#[derive(Clone, PartialEq, Debug)]
pub struct Inputs {
    /// Bytes of uniform and storage buffers; several for an array of buffers.
    pub buffers: BTreeMap<Slot, Vec<Vec<u8>>>,
    /// Bytes of the push constants.
    pub push: Vec<u8>,
    /// Values of specialization constants, by their identity.
    pub specs: BTreeMap<u32, u64>,
    /// Images, sampled and storage; several for an array.
    pub images: BTreeMap<Slot, Vec<Image>>,
    /// Samplers, separate or combined with the images of the same slot.
    pub samplers: BTreeMap<Slot, Vec<Sampler>>,
    /// Arguments of a kernel, in order.
    pub args: Vec<KernelArg>,
    /// Inputs of the stage by location and component.
    pub varyings: BTreeMap<(u32, u32), Varying>,
    /// Inputs of single invocations that differ from `varyings`: bits by pixel, or by vertex and instance.
    pub singles: BTreeMap<(u32, u32), BTreeMap<[u32; 2], u64>>,
    /// System values of the vertices of a primitive, and tessellation levels: by component.
    pub builtin_varyings: BTreeMap<(Builtin, u32), Varying>,
    /// Bytes of payloads, callable data, hit attributes and shader records that a stage gets, by SPIR-V storage class.
    /// Invocation `n` gets element `n` of them, modulo their number.
    pub payloads: BTreeMap<u32, Vec<Vec<u8>>>,
    /// System values that the run does not determine: by component.
    pub builtins: BTreeMap<Builtin, Vec<u64>>,
    /// Workgroups of a dispatch.
    pub groups: [u32; 3],
    /// Pixels of the frame.
    pub frame: [u32; 2],
    /// Pixels to run: x, y, width, height; their quads are completed with helper invocations.
    pub rect: [u32; 4],
    /// Single pixels to run instead of the rectangle.
    pub pixels: Vec<[u32; 2]>,
    /// Vertices and instances of a draw.
    pub vertices: [u32; 2],
    /// Primitives or patches of a draw, for the stages that have these.
    pub primitives: u32,
    /// Vertices of a patch.
    pub patch_vertices: u32,
    /// Width, height and depth of a launch of rays.
    pub launch: [u32; 3],
    /// Number of the ray that the first invocation of a hit, miss or intersection shader gets; invocation `n` gets the
    /// ray after `n` others.
    pub ray: u32,
    /// Invocations of a subgroup: 4, 8, 16, 32, or 64.
    pub subgroup: u32,
    /// The triangle that the fragments belong to, which then determines their inputs instead of `varyings`.
    pub triangle: Option<Triangle>,
    /// If set, detects data races on shared memory and storage buffers.
    pub races: bool,
    /// If set, undefined bytes are 1 instead of 0: a program that depends on them has other results then.
    pub undefined_ones: bool,
    /// Resource limits.
    pub limits: Limits,
}

impl Default for Inputs {
    fn default() -> Self {
        Inputs {
            buffers: BTreeMap::new(),
            push: Vec::new(),
            specs: BTreeMap::new(),
            images: BTreeMap::new(),
            samplers: BTreeMap::new(),
            args: Vec::new(),
            varyings: BTreeMap::new(),
            singles: BTreeMap::new(),
            builtin_varyings: BTreeMap::new(),
            payloads: BTreeMap::new(),
            builtins: BTreeMap::new(),
            groups: [1, 1, 1],
            frame: [16, 16],
            rect: [0, 0, 2, 2],
            pixels: Vec::new(),
            vertices: [3, 1],
            primitives: 2,
            patch_vertices: 3,
            launch: [4, 2, 1],
            ray: 0,
            subgroup: 32,
            triangle: None,
            races: false,
            undefined_ones: false,
            limits: Limits::default(),
        }
    }
}

impl Inputs {
    /// Sets an input of the stage, by location and component, to these bits: in one invocation, or in all.
    pub(super) fn assign_varying(
        &mut self,
        key: (u32, u32),
        bits: u64,
        float: bool,
        place: Option<[u32; 2]>,
    ) {
        match place {
            Some(place) => drop(self.singles.entry(key).or_default().insert(place, bits)),
            None => {
                self.singles.remove(&key);
                self.varyings.insert(key, Varying { base: bits, dx: 0.0, dy: 0.0, float });
            }
        }
    }

    /// The buffers bound to a variable; empty if none are.
    pub fn buffers_of(&self, module: &Module, var: Var) -> &[Vec<u8>] {
        slot_of(module, var).and_then(|slot| self.buffers.get(&slot)).map_or(&[], |list| list)
    }
}

/// Set and binding of a variable; 0 for one that is not given if the other is.
pub(super) fn slot_of(module: &Module, var: Var) -> Option<Slot> {
    let attrs = &module.var(var)?.attrs;
    let (set, binding) = (attrs.get(Key::Set), attrs.get(Key::Binding));
    let is_bound = set.is_some() || binding.is_some();
    is_bound.then(|| (set.unwrap_or(0) as u32, binding.unwrap_or(0) as u32))
}

/// The resources of a variable, by number among the `bound` ones at its set and binding: all of them for an array whose length
/// is not known.
pub fn elements_of(module: &Module, var: Var, bound: usize) -> std::ops::Range<u32> {
    let (first, bound) = (first_element(module, var), bound as u32);
    let (mut ty, mut count) = (module.var(var).map(|data| data.ty), 1u32);
    while let Some(TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. }) =
        ty.map(|ty| module.type_of(ty))
    {
        count = count.saturating_mul(ty.and_then(|ty| module.element_count(ty)).unwrap_or(u32::MAX));
        ty = Some(*of);
    }
    first.min(bound)..first.saturating_add(count).min(bound)
}

/// The first of the resources at its set and binding that a variable has: not 0 for elements of arrays that were split.
pub(super) fn first_element(module: &Module, var: Var) -> u32 {
    module.var(var).and_then(|data| data.attrs.get(Key::Element)).unwrap_or(0) as u32
}
