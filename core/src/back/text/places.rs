//! The resources of a module, and the place that each has in each language.
//!
//! ```text
//! set 1, binding 2, read-only storage buffer    glsl set 1, binding 2 · essl-310 buffer 2 · wgsl group 1, binding 2 ·
//!                                               hlsl t2, space1 · msl buffer 0
//! ```
//!
//! Resources are the buffers, images and samplers that functions of the module use. An image that is combined with its sampler
//! counts as both where a language has only halves. The places are those that the writers state for a module with one entry
//! point; GLSL ES numbers an image with the sampler of a lookup, so that a pair has no place before it is written.

use super::wgsl::bindings;
use crate::analysis::{
    LayoutTarget, Numbering, ResourceKind, declared_place, resource_count, used_resources,
};
use crate::ir::{Mode, Module, Var, VarData};
use crate::ops::{Access, Key};
use rustc_hash::FxHashMap;

/// Elements of an array of Metal that get a number.
const MOST_ELEMENTS: u64 = 1 << 10;

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
    /// Its place in each language, in the order of [`LayoutTarget::ALL`]; a dash where the language has no such resource.
    pub in_targets: [String; 6],
}

/// The resources that functions of a module use, by set and binding; push constants last. Linear in the size of the module.
pub fn resources(module: &Module) -> Vec<Resource> {
    let module = &*super::complete::completed(module);
    let used = used_resources(module);
    let wgsl = wgsl_places(module, &used);
    let (es, _) = es_places(module);
    let msl = msl_places(module, &used);
    let mut out = Vec::new();
    for &var in &used {
        let Some((data, kind)) = module.var(var).zip(ResourceKind::of(module, var)) else { continue };
        let in_targets = LayoutTarget::ALL.map(|target| match target {
            LayoutTarget::Glsl => glsl_place(data, kind),
            LayoutTarget::Essl => essl_place(kind).to_owned(),
            LayoutTarget::Essl310 => match (es.get(&var), kind) {
                (Some((list, at)), _) => format!("{list} {at}"),
                (None, ResourceKind::Texture) => match LayoutTarget::Essl310.chosen_place(data) {
                    Some([_, at]) => format!("texture {at}, with its pair"),
                    None => "with its pair".to_owned(),
                },
                (None, ResourceKind::Sampler) => "with its pair".to_owned(),
                (None, _) => "–".to_owned(),
            },
            LayoutTarget::Wgsl => wgsl.get(&var).cloned().unwrap_or_else(|| "–".to_owned()),
            LayoutTarget::Hlsl => hlsl_place(module, var, data, kind),
            LayoutTarget::Msl => msl.get(&var).cloned().unwrap_or_else(|| "–".to_owned()),
        });
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

fn glsl_place(data: &VarData, kind: ResourceKind) -> String {
    let [set, binding] = declared_place(data);
    match kind {
        ResourceKind::PushConstants => "push_constant".to_owned(),
        _ => format!("set {set}, binding {binding}"),
    }
}

/// GLSL ES 3.00 states no bindings: the host finds resources by their names.
fn essl_place(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::UniformBuffer | ResourceKind::PushConstants => "uniform block, by name",
        ResourceKind::CombinedTexture => "sampler, by name",
        ResourceKind::Texture | ResourceKind::Sampler => "with its pair",
        ResourceKind::StorageBuffer
        | ResourceKind::StorageImage
        | ResourceKind::InputAttachment
        | ResourceKind::AccelStruct => "–",
    }
}

/// The registers, one in each list of numbers; push constants have one only if it was chosen.
fn hlsl_place(module: &Module, var: Var, data: &VarData, kind: ResourceKind) -> String {
    let place = match (hlsl_register(data), kind) {
        (_, ResourceKind::InputAttachment) => {
            return format!("attachment {}", data.attrs.get(Key::Attachment).unwrap_or(0));
        }
        (place, _) if LayoutTarget::Hlsl.chosen_place(data).is_some() => place,
        (_, ResourceKind::PushConstants) => return "push_constant".to_owned(),
        (place, _) => place,
    };
    let [space, register] = place;
    let lists = LayoutTarget::Hlsl.lists(module, var).iter();
    let mut words: Vec<String> = lists.map(|list| format!("{list}{register}")).collect();
    words.push(format!("space{space}"));
    words.join(", ")
}

/// The space and the register of a resource in HLSL: the chosen ones, or set and binding.
pub(super) fn hlsl_register(data: &VarData) -> [u64; 2] {
    LayoutTarget::Hlsl.chosen_place(data).unwrap_or_else(|| declared_place(data))
}

/// Groups and bindings; the sampler of a combined image gets the next free binding of its group.
fn wgsl_places(module: &Module, used: &[Var]) -> FxHashMap<Var, String> {
    let places = bindings(module);
    let mut next: FxHashMap<u32, u32> = FxHashMap::default();
    for &[group, binding] in places.values() {
        let free = next.entry(group).or_default();
        *free = (*free).max(binding + 1);
    }
    let mut out = FxHashMap::default();
    for &var in used {
        let Some(&[group, binding]) = places.get(&var) else { continue };
        let mut text = format!("group {group}, binding {binding}");
        if ResourceKind::of(module, var) == Some(ResourceKind::CombinedTexture) {
            let free = next.entry(group).or_default();
            text.push_str(&format!("; sampler {free}"));
            *free += 1;
        }
        out.insert(var, text);
    }
    out
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

/// Numbers of resources of Metal: the chosen ones; the others in the order of set and binding, then push constants, each the
/// first that is free.
pub(super) fn msl_numbers(
    module: &Module,
    resources: &[Var],
    numbering: &mut Numbering,
) -> FxHashMap<Var, Vec<(&'static str, u64)>> {
    let target = LayoutTarget::Msl;
    let mut order: Vec<(bool, bool, [u64; 2], Var)> = Vec::new();
    for &var in resources {
        let Some(data) = module.var(var) else { continue };
        let is_chosen = target.chosen_place(data).is_some();
        order.push((!is_chosen, data.mode == Mode::Push, declared_place(data), var));
    }
    order.sort_unstable();
    let mut out = FxHashMap::default();
    for (_, _, _, var) in order {
        let Some(data) = module.var(var) else { continue };
        let count = resource_count(module, data).unwrap_or(1).min(MOST_ELEMENTS);
        let mut numbers = Vec::new();
        for &list in target.lists(module, var) {
            let at = match target.chosen_place(data) {
                Some([_, at]) => at,
                None => numbering.next((list, 0), 0, count),
            };
            numbering.take((list, 0), at, count);
            numbers.push((list, at));
        }
        out.insert(var, numbers);
    }
    out
}

/// The places of Metal, as the writer numbers resources of a module with one entry point.
fn msl_places(module: &Module, used: &[Var]) -> FxHashMap<Var, String> {
    let numbers = msl_numbers(module, used, &mut Numbering::default());
    let text = |var: Var, numbers: Vec<(&str, u64)>| match (module.var(var), numbers.is_empty()) {
        (Some(data), true) => format!("color {}", data.attrs.get(Key::Attachment).unwrap_or(0)),
        _ => numbers.iter().map(|(list, at)| format!("{list} {at}")).collect::<Vec<_>>().join(", "),
    };
    numbers.into_iter().map(|(var, numbers)| (var, text(var, numbers))).collect()
}
