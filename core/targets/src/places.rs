//! The resources of a module, and the place that each has in each target.
//!
//! ```text
//! set 1, binding 2, read-only storage buffer    glsl set 1, binding 2 · essl-310 buffer 2 · wgsl group 1, binding 2 ·
//!                                               hlsl t2, space1 · msl buffer 0
//! ```
//!
//! Resources are the buffers, images and samplers that functions of the module use. An image that is combined with its sampler
//! counts as both where a target has only halves. The places are those that the writers state for a module with one entry
//! point.

use super::registry::dialect_of;
use vitrine_analysis::{LayoutTarget, ResourceKind, declared_place, used_resources};
use vitrine_ir::ops::Access;
use vitrine_ir::{Module, Var, VarData};

/// A resource and its places.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The variable.
    pub var: Var,
    /// Its kind.
    pub kind: ResourceKind,
    /// Its declared access: `read`, `write` or `read, write`.
    pub access: &'static str,
    /// Its set and binding; none for push constants.
    pub place: Option<[u64; 2]>,
    /// Its place in each target, in the order of [`LayoutTarget::ALL`]; a dash where the target has no such resource.
    pub in_targets: [String; LayoutTarget::COUNT],
}

/// The resources that functions of a module use, by set and binding; push constants last. Linear in the size of the module.
pub fn resources(module: &Module) -> Vec<Resource> {
    let module = &*super::complete::completed(module);
    let used = used_resources(module);
    let places = LayoutTarget::ALL.map(|target| dialect_of(target).places(module, &used));
    let mut out = Vec::new();
    for &var in &used {
        let Some((data, kind)) = module.var(var).zip(ResourceKind::of(module, var)) else { continue };
        let in_targets = places.each_ref().map(|of| of.get(&var).cloned().unwrap_or_else(|| "–".to_owned()));
        let place = (kind != ResourceKind::PushConstants).then(|| declared_place(data));
        out.push(Resource { var, kind, access: access_of(data, kind), place, in_targets });
    }
    out.sort_by_key(|resource| (resource.place.is_none(), resource.place, resource.var));
    out
}

fn access_of(data: &VarData, kind: ResourceKind) -> &'static str {
    let access = data.attrs.words::<Access>();
    match kind {
        ResourceKind::StorageBuffer | ResourceKind::StorageImage => {
            match (access.has(Access::READONLY), access.has(Access::WRITEONLY)) {
                (true, _) => "read",
                (false, true) => "write",
                (false, false) => "read, write",
            }
        }
        _ => "read",
    }
}
