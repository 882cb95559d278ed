//! Attributes by their textual values, and subgroup operations.

use crate::ir::{Inst, InstData};
use crate::ops::attr::ValueKind;
use crate::ops::{GroupOp, Key, ValueType};

/// The value of an attribute whose spelling is `word`; none if the attribute does not define that word.
pub(in crate::passes) fn number(key: Key, word: &str) -> Option<u64> {
    match key.kind() {
        ValueKind::Word(words) => words.iter().position(|&known| known == word).map(|at| at as u64),
        _ => None,
    }
}

/// The word of an attribute; the attribute's first word if it is absent.
pub(in crate::passes) fn word(data: &InstData, key: Key) -> &'static str {
    let at = data.attrs.get(key).and_then(|value| usize::try_from(value).ok()).unwrap_or(0);
    match key.kind() {
        ValueKind::Word(words) => words.get(at).copied().unwrap_or(""),
        _ => "",
    }
}

/// A subgroup operation as in Vulkan 1.1. Without a scope it would be one of the extensions that precede 1.1.
pub(in crate::passes) fn of_subgroup(op: GroupOp, ty: ValueType, args: &[Inst]) -> InstData {
    InstData::new(op, ty, args).with(Key::Scope, number(Key::Scope, "subgroup").unwrap_or(0))
}
