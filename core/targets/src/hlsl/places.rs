//! Places of resources in HLSL: registers.

use rustc_hash::FxHashMap;
use vitrine_analysis::{LayoutTarget, ResourceKind, declared_place};
use vitrine_ir::ops::Key;
use vitrine_ir::{Module, Var, VarData};

/// The places of resources, as text.
pub(super) fn places(module: &Module, used: &[Var]) -> FxHashMap<Var, String> {
    let mut out = FxHashMap::default();
    for &var in used {
        let Some((data, kind)) = module.var(var).zip(ResourceKind::of(module, var)) else { continue };
        out.insert(var, hlsl_place(module, var, data, kind));
    }
    out
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
