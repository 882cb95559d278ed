//! Places of resources in GLSL: set and binding; in GLSL ES 3.10 a binding in each list of numbers, in 3.00 a name.
//!
//! GLSL ES numbers an image with the sampler of a lookup, so that a pair has no place before it is written.

use crate::language::Version;
use rustc_hash::FxHashMap;
use vitrine_analysis::{LayoutTarget, Numbering, ResourceKind, declared_place, used_resources};
use vitrine_ir::{Module, Var, VarData};

/// The places of resources in a version, as text.
pub(super) fn places(version: Version, module: &Module, used: &[Var]) -> FxHashMap<Var, String> {
    let numbered = match version {
        Version::Es310 => es_places(module).0,
        Version::Es300 | Version::Vulkan => FxHashMap::default(),
    };
    let mut out = FxHashMap::default();
    for &var in used {
        let Some((data, kind)) = module.var(var).zip(ResourceKind::of(module, var)) else { continue };
        let place = match version {
            Version::Vulkan => Some(vulkan_place(data, kind)),
            Version::Es300 => essl_place(kind).map(str::to_owned),
            Version::Es310 => match numbered.get(&var) {
                Some((list, at)) => Some(format!("{list} {at}")),
                None => pair_place(data, kind),
            },
        };
        out.extend(place.map(|place| (var, place)));
    }
    out
}

fn vulkan_place(data: &VarData, kind: ResourceKind) -> String {
    let [set, binding] = declared_place(data);
    match kind {
        ResourceKind::PushConstants => "push_constant".to_owned(),
        _ => format!("set {set}, binding {binding}"),
    }
}

/// GLSL ES 3.00 states no bindings: the host finds resources by their names. `None` if it has no such
/// resource.
fn essl_place(kind: ResourceKind) -> Option<&'static str> {
    Some(match kind {
        ResourceKind::UniformBuffer | ResourceKind::PushConstants => "uniform block, by name",
        ResourceKind::CombinedTexture => "sampler, by name",
        ResourceKind::Texture | ResourceKind::Sampler => "with its pair",
        ResourceKind::StorageBuffer
        | ResourceKind::StorageImage
        | ResourceKind::InputAttachment
        | ResourceKind::AccelStruct => return None,
    })
}

/// The place of half of a pair in GLSL ES 3.10. `None` for other resources.
fn pair_place(data: &VarData, kind: ResourceKind) -> Option<String> {
    match kind {
        ResourceKind::Texture => Some(match LayoutTarget::Essl310.chosen_place(data) {
            Some([_, at]) => format!("texture {at}, with its pair"),
            None => "with its pair".to_owned(),
        }),
        ResourceKind::Sampler => Some("with its pair".to_owned()),
        _ => None,
    }
}

/// The bindings of GLSL ES 3.10, each with its list, which all sets share: the chosen one; else the declared one, or the next
/// that is free, from the start if no program may use the declared one. Images without a sampler and samplers have none: they are numbered in pairs, with the numbers that are left.
pub(super) fn es_places(module: &Module) -> (FxHashMap<Var, (&'static str, u64)>, Numbering) {
    let target = LayoutTarget::Essl310;
    let mut numbering = Numbering::default();
    let mut out = FxHashMap::default();
    let mut later = Vec::new();
    for var in used_resources(module) {
        let list = target.lists(module, var).first().copied();
        let Some((data, list)) = module.var(var).zip(list) else { continue };
        let is_paired = ResourceKind::of(module, var) == Some(ResourceKind::Texture);
        match target.chosen_place(data) {
            Some([_, at]) => {
                numbering.take((list, 0), at, target.numbers_of(module, data));
                if !is_paired {
                    out.insert(var, (list, at));
                }
            }
            None if !is_paired => later.push((var, list, declared_place(data)[1])),
            None => {}
        }
    }
    for (var, list, wanted) in later {
        let count = module.var(var).map_or(1, |data| target.numbers_of(module, data));
        // A number that no program may use is replaced.
        let is_beyond = |limit: u64| wanted.saturating_add(count) > limit;
        let from = if target.limit(list).is_some_and(is_beyond) { 0 } else { wanted };
        let at = numbering.next((list, 0), from, count);
        numbering.take((list, 0), at, count);
        out.insert(var, (list, at));
    }
    (out, numbering)
}
