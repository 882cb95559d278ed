//! Entry points and interfaces of two modules that should do the same.
//!
//! Inputs are keyed by interface already (`interp::Inputs`), so that only entry points have to be found, and additions
//! and removals reported. Refuses to guess between several entry points of a stage.

use std::collections::BTreeSet;
use vitrine_interp::{InputSlot, OutKey, Port, ports, slots};
use vitrine_ir::{Mode, Module};

/// The entry point of `version` that corresponds to entry point `entry` of `first`: the one with its stage and name, or
/// the only one of its stage. Errors: the reason why there is none.
pub(super) fn corresponding(first: &Module, entry: usize, version: &Module) -> Result<usize, String> {
    let Some(wanted) = first.entries.get(entry) else {
        return Err(format!("entry point {entry} does not exist"));
    };
    let name = first.text_of(wanted.name);
    let of_stage: Vec<usize> = (0..version.entries.len())
        .filter(|&at| version.entries.get(at).is_some_and(|entry| entry.stage == wanted.stage))
        .collect();
    let named =
        |&&at: &&usize| version.entries.get(at).is_some_and(|entry| version.text_of(entry.name) == name);
    let only = || of_stage.first().filter(|_| of_stage.len() == 1);
    of_stage
        .iter()
        .find(named)
        .or_else(only)
        .copied()
        .ok_or_else(|| format!("there is no {} entry point `{name}`", wanted.stage.name()))
}

/// Additions to the interface of an entry point, and removals from it, as sentences.
pub(super) fn changes(first: (&Module, usize), version: (&Module, usize)) -> Vec<String> {
    let mut out = Vec::new();
    for (mode, word) in [(Mode::In, "input"), (Mode::Out, "output")] {
        let [before, after] = [first, version].map(|(module, entry)| locations(&ports(module, entry, mode)));
        out.extend(before.difference(&after).map(|what| format!("{word} {what} is gone")));
        out.extend(after.difference(&before).map(|what| format!("{word} {what} is new")));
    }
    let [before, after] =
        [first, version].map(|(module, _)| slots(module).into_iter().collect::<BTreeSet<InputSlot>>());
    let gone = |slot: &InputSlot| match slot {
        InputSlot::Bound(..) => format!("{slot} is gone: its memory counts as unchanged"),
        InputSlot::Push | InputSlot::Constant(_) => format!("{slot} is gone"),
    };
    out.extend(before.difference(&after).map(gone));
    out.extend(after.difference(&before).map(|slot| format!("{slot} is new: it has no contents")));
    out
}

/// Locations and system values, as text.
fn locations(ports: &[Port]) -> BTreeSet<String> {
    let text = |port: &Port| match port.key {
        OutKey::Location(location, ..) => format!("location {location}"),
        OutKey::Payload(..) => port.key.to_string(),
        OutKey::BuiltIn(..) => port.key.to_string().split('[').next().unwrap_or_default().to_owned(),
    };
    ports.iter().map(text).collect()
}
