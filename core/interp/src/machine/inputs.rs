//! Inputs of a stage: varyings, system values, payloads.
//!
//! An input that neither the run determines nor the inputs give is undefined.

use super::super::decode::VarCode;
use super::super::inputs::Varying;
use super::super::interface::{Leaf, LeafOf, leaves};
use super::super::out_key::OutKey;
use super::super::stages::PayloadClass;
use super::Machine;
use vitrine_ir::ops::{Builtin, Key, Scalar, Width};
use vitrine_ir::{Stage, Var};

impl Machine {
    pub(super) fn leaves(&mut self, var: Var) -> Vec<Leaf> {
        leaves(&self.module, &self.program.values, &mut self.sizes, Some(self.stage), var)
    }

    pub(super) fn fill_input(&mut self, var: Var, root: u32) {
        self.fill_input_of(var, root, [0, self.info.len()]);
    }

    /// Writes an input of the invocations from one number up to another.
    pub(super) fn fill_input_of(&mut self, var: Var, root: u32, [from, to]: [usize; 2]) {
        for leaf in self.leaves(var) {
            let vertex = match leaf.of {
                LeafOf::Whole => None,
                LeafOf::Vertex(number) | LeafOf::Primitive(number) => Some(number),
            };
            for invocation in from..to {
                for part in 0..u32::from(leaf.components) {
                    let value = match (leaf.key(part), vertex) {
                        (OutKey::Location(location, component, _), _) => {
                            self.varying_of((location, component), &leaf, invocation, vertex)
                        }
                        (OutKey::BuiltIn(builtin, at), None) => self.builtin(builtin, at, invocation),
                        (OutKey::BuiltIn(builtin, at), Some(_)) => {
                            self.given_builtin((builtin, at), invocation, vertex)
                        }
                        (OutKey::Payload(_), _) => None,
                    };
                    let bytes = vitrine_ir::layout::scalar_bytes(leaf.width) as u32;
                    if let (Some(value), Some(root)) = (value, self.memory.root_mut(root)) {
                        // A leaf is inside its variable.
                        let _ = root.put(
                            invocation,
                            leaf.offset.saturating_add(part * leaf.step),
                            bytes,
                            value,
                            false,
                        );
                    }
                }
            }
        }
    }

    fn varying_of(
        &self,
        key: (u32, u32),
        leaf: &Leaf,
        invocation: usize,
        vertex: Option<u32>,
    ) -> Option<u64> {
        if let (Some(triangle), Some(vertex)) = (&self.inputs.triangle, vertex) {
            return triangle.corner(OutKey::Location(key.0, key.1, 0), vertex);
        }
        let place = self.input_place(invocation, vertex)?;
        self.varying_at(key, leaf.width, leaf.float, place, [0.0; 2])
    }

    /// Returns true if invocations belong to primitives or patches.
    fn has_primitives(&self) -> bool {
        matches!(self.stage, Stage::TessControl | Stage::TessEval | Stage::Geometry)
    }

    /// The place at which inputs are evaluated: that of the invocation, or of a vertex of its primitive. `None` if
    /// there is no such vertex.
    fn input_place(&self, invocation: usize, vertex: Option<u32>) -> Option<[u32; 2]> {
        let at = self.info.get(invocation)?.at;
        match vertex {
            Some(vertex) if self.has_primitives() => {
                let count = self.stage_info.vertices_in;
                (vertex < count).then(|| [at[0].wrapping_mul(count).wrapping_add(vertex), 0])
            }
            Some(vertex) => Some([vertex, 0]),
            None if self.has_primitives() => Some([at[0], 0]),
            None => Some([at[0], at[1]]),
        }
    }

    /// An input of the stage; `None` if it is not given.
    pub(super) fn varying(
        &self,
        location: u32,
        component: u32,
        width: Width,
        float: bool,
        invocation: usize,
        shift: [f64; 2],
    ) -> Option<u64> {
        let place = self.input_place(invocation, None)?;
        self.varying_at((location, component), width, float, place, shift)
    }

    /// An input of a vertex of the primitive; `None` if it is not given.
    pub(super) fn varying_of_vertex(
        &self,
        key: (u32, u32),
        width: Width,
        invocation: usize,
        vertex: u32,
    ) -> Option<u64> {
        self.varying_at(key, width, false, self.input_place(invocation, Some(vertex))?, [0.0; 2])
    }

    fn varying_at(
        &self,
        key: (u32, u32),
        width: Width,
        float: bool,
        place: [u32; 2],
        shift: [f64; 2],
    ) -> Option<u64> {
        if let Some(triangle) = &self.inputs.triangle {
            let center = [0, 1].map(|axis: usize| f64::from(place[axis]) + 0.5 + shift[axis]);
            return triangle.value(OutKey::Location(key.0, key.1, 0), center);
        }
        let varying = *self.inputs.varyings.get(&key)?;
        let single = self.inputs.singles.get(&key);
        if let Some(&bits) = single.and_then(|single| single.get(&place)) {
            return Some(bits);
        }
        Some(self.linear(varying, width, float, place, shift))
    }

    /// A linear function at a place.
    fn linear(&self, varying: Varying, width: Width, float: bool, at: [u32; 2], shift: [f64; 2]) -> u64 {
        let half = if self.stage == Stage::Fragment { 0.5 } else { 0.0 };
        let place = |axis: usize| f64::from(at[axis]) + half + shift[axis];
        let change = place(0) * f64::from(varying.dx) + place(1) * f64::from(varying.dy);
        if varying.float || float {
            let base = Scalar::new(width, varying.base).to_f64();
            return Scalar::float(width, base + change).bits();
        }
        Scalar::new(width, varying.base.wrapping_add((change as i64).cast_unsigned())).bits()
    }

    /// Returns true for a system value that each vertex of the primitive or patch has.
    pub(super) fn is_of_vertices(&self, builtin: Builtin) -> bool {
        self.has_primitives() && !builtin.is_of_patch()
    }

    /// A component of a system value that earlier stages determine, as 32 bits: of the patch, or of a vertex.
    /// `None` if it is not given.
    pub(super) fn given_builtin(
        &self,
        key: (Builtin, u32),
        invocation: usize,
        vertex: Option<u32>,
    ) -> Option<u64> {
        let varying = *self.inputs.builtin_varyings.get(&key)?;
        Some(self.linear(varying, Width::W32, varying.float, self.input_place(invocation, vertex)?, [0.0; 2]))
    }

    /// The bytes that a payload variable has at the start of an invocation; `None` if it is undefined.
    pub(super) fn payload_at_start(&self, of: &VarCode, invocation: usize) -> Option<&[u8]> {
        let data = self.module.var(of.var)?;
        let class = PayloadClass::of(data)?;
        let is_given = match self.stage {
            Stage::Intersection | Stage::Miss | Stage::Callable => class == PayloadClass::Incoming,
            Stage::AnyHit | Stage::ClosestHit => {
                matches!(class, PayloadClass::Incoming | PayloadClass::HitAttribute)
            }
            Stage::Mesh => class == PayloadClass::Task,
            _ => false,
        };
        let number = data.attrs.get(Key::Class).filter(|_| is_given)?;
        let list = self.inputs.payloads.get(&(number as u32)).filter(|list| !list.is_empty())?;
        let of_invocation = match of.kind.is_per_invocation() {
            true => self.info.get(invocation)?.invocation as usize % list.len(),
            false => 0,
        };
        list.get(of_invocation).map(|bytes| &bytes[..])
    }

    /// Writes what a stage gets into a payload variable.
    pub(super) fn fill_payload(&mut self, of: &VarCode) {
        let copies = if of.kind.is_per_invocation() { self.info.len() } else { 1 };
        for invocation in 0..copies {
            let Some(bytes) = self.payload_at_start(of, invocation).map(<[u8]>::to_vec) else { continue };
            let Some(root) = self.memory.root_mut(of.root) else { continue };
            for (offset, byte) in (0..root.size).zip(bytes) {
                // The offset is inside.
                let _ = root.put(invocation, offset, 1, u64::from(byte), false);
            }
        }
    }

    /// Component `at` of a system value, as 32 bits; `None` if the stage does not define it and the inputs do
    /// not give it.
    pub(super) fn builtin(&self, builtin: Builtin, at: u32, invocation: usize) -> Option<u64> {
        if let Some(given) = self.inputs.builtins.get(&builtin) {
            return given.get(at as usize).copied();
        }
        if let Some(value) = self.given_builtin((builtin, at), invocation, None) {
            return Some(value);
        }
        if let (Some(triangle), Some(info)) = (&self.inputs.triangle, self.info.get(invocation)) {
            let center = [0, 1].map(|axis: usize| f64::from(info.at[axis]) + 0.5);
            if let Some(value) = triangle.builtin(builtin, at, center) {
                return Some(value);
            }
        }
        let info = self.info.get(invocation)?;
        let axis = at as usize;
        let pick = |of: [u32; 3]| of.get(axis).map(|&value| u64::from(value));
        let groups = self.inputs.groups;
        let size = self.local_size;
        let one = |value: u64| (axis == 0).then_some(value);
        let float = |value: f64| Scalar::float(Width::W32, value).bits();
        let subgroup = self.inputs.subgroup.clamp(1, 64) as usize;
        let own = invocation % subgroup;
        let below = (1u128 << own) - 1;
        let everyone = (1u128 << subgroup) - 1;
        // A component out of range is `None`.
        let mask =
            |bits: u128| Some((bits & everyone).checked_shr(at.checked_mul(32)?)? as u64 & 0xffff_ffff);
        if let Some(value) = self.ray_builtin(builtin, at, invocation) {
            return Some(value);
        }
        match builtin {
            Builtin::NumWorkgroups => pick(groups),
            Builtin::WorkgroupSize | Builtin::EnqueuedWorkgroupSize => pick(size),
            Builtin::WorkgroupId => pick(self.workgroup),
            Builtin::LocalInvocationId => pick(info.local),
            Builtin::GlobalInvocationId => pick(info.at),
            Builtin::LocalInvocationIndex => {
                let [x, y, z] = info.local.map(u64::from);
                // Sizes that no device has wrap, as the 32 bits of the value would.
                let row = y.wrapping_add(u64::from(size[1]).wrapping_mul(z));
                one(x.wrapping_add(u64::from(size[0]).wrapping_mul(row)) & 0xffff_ffff)
            }
            Builtin::WorkDim => one(3),
            Builtin::GlobalSize => groups.get(axis).map(|&groups| u64::from(groups) * u64::from(size[axis])),
            Builtin::GlobalLinearId => one(info.invocation),
            Builtin::SubgroupSize | Builtin::SubgroupMaxSize => one(subgroup as u64),
            Builtin::NumSubgroups | Builtin::NumEnqueuedSubgroups => {
                one(self.width.div_ceil(subgroup) as u64)
            }
            Builtin::SubgroupId => one((invocation / subgroup) as u64),
            Builtin::SubgroupLocalInvocationId => one(own as u64),
            Builtin::SubgroupEqMask => mask(1 << own),
            Builtin::SubgroupGeMask => mask(!below),
            Builtin::SubgroupGtMask => mask(!(below << 1 | 1)),
            Builtin::SubgroupLeMask => mask(below << 1 | 1),
            Builtin::SubgroupLtMask => mask(below),
            Builtin::FragCoord => match at {
                0 | 1 => Some(float(f64::from(info.at[axis]) + 0.5)),
                2 => Some(float(0.0)),
                3 => Some(float(1.0)),
                _ => None,
            },
            Builtin::PointCoord | Builtin::SamplePosition => Some(float(0.5)),
            Builtin::FrontFacing
            | Builtin::FullyCovered
            | Builtin::SampleMask
            | Builtin::FragInvocationCount => one(1),
            Builtin::FragSize => Some(1),
            Builtin::HelperInvocation => one(u64::from(self.helpers.has(invocation))),
            Builtin::VertexIndex | Builtin::VertexId => one(u64::from(info.at[0])),
            Builtin::InstanceIndex | Builtin::InstanceId => one(u64::from(info.at[1])),
            Builtin::InvocationId => one(u64::from(info.at[1])),
            Builtin::PrimitiveId if self.has_primitives() => one(u64::from(info.at[0])),
            Builtin::PatchVertices => one(u64::from(self.stage_info.vertices_in)),
            Builtin::TessCoord => {
                let point = self.stage_info.points.get(info.at[1] as usize)?;
                point.get(axis).map(|&value| float(f64::from(value)))
            }
            Builtin::LaunchId => pick(info.at),
            Builtin::LaunchSize => pick(self.inputs.launch),
            Builtin::MeshViewCount => one(1),
            Builtin::MeshViewIndices => Some(0),
            Builtin::SampleId
            | Builtin::PrimitiveId
            | Builtin::Layer
            | Builtin::ViewportIndex
            | Builtin::ViewIndex
            | Builtin::DeviceIndex
            | Builtin::BaseVertex
            | Builtin::BaseInstance
            | Builtin::DrawIndex
            | Builtin::GlobalOffset
            | Builtin::ShadingRate => Some(0),
            _ => None,
        }
    }
}
