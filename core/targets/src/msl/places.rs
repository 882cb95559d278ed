//! Places of resources in MSL: a number in each list.

use rustc_hash::FxHashMap;
use vitrine_analysis::{LayoutTarget, Numbering, declared_place, resource_count};
use vitrine_ir::ops::Key;
use vitrine_ir::{Mode, Module, Var};

/// Elements of an array of Metal that get a number.
const MOST_ELEMENTS: u64 = 1 << 10;

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

/// The places of resources as text, as the writer numbers resources of a module with one entry point.
pub(super) fn places(module: &Module, used: &[Var]) -> FxHashMap<Var, String> {
    let numbers = msl_numbers(module, used, &mut Numbering::default());
    let text = |var: Var, numbers: Vec<(&str, u64)>| match (module.var(var), numbers.is_empty()) {
        (Some(data), true) => format!("color {}", data.attrs.get(Key::Attachment).unwrap_or(0)),
        _ => numbers.iter().map(|(list, at)| format!("{list} {at}")).collect::<Vec<_>>().join(", "),
    };
    numbers.into_iter().map(|(var, numbers)| (var, text(var, numbers))).collect()
}
