//! Places of resources in WGSL: groups and bindings.

use super::state::bindings;
use rustc_hash::FxHashMap;
use vitrine_analysis::ResourceKind;
use vitrine_ir::{Module, Var};

/// The places of resources, as text; the sampler of a combined image gets the next free binding of its group.
pub(super) fn places(module: &Module, used: &[Var]) -> FxHashMap<Var, String> {
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
