//! Which function and which piece of data goes into which part.
//!
//! A function that ran until the first result belongs to the first module; one that runs with the page's own pipeline
//! on some input to the second; what only the laboratory calls to the last; the other passes and analyses, and what
//! is asked about untyped memory, to the third and all others to the fourth. Data goes where its readers are: to the
//! first module with any reader there, to the second with readers in several parts. Nothing here changes a module.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use super::links::{DatumAt, FunctionAt, Links};

/// A part, by its place in [`PARTS`].
pub type Part = usize;

/// Parts by what the names of their files end with, and the part that must be loaded before each.
///
/// The first is the program itself. What two parts share is in one that both need.
pub const PARTS: [(&str, Option<Part>); 5] = [
    ("bg", None),
    ("usual", Some(FIRST)),
    ("passes", Some(USUAL)),
    ("other", Some(USUAL)),
    ("lab", Some(USUAL)),
];
/// What the first result needs.
pub const FIRST: Part = 0;
/// What the page's pipeline needs for one input or another.
pub const USUAL: Part = 1;
/// Other passes.
pub const PASSES: Part = 2;
/// What else the page may ask.
pub const OTHER: Part = 3;
/// What only the laboratory calls.
pub const LAB: Part = 4;

/// How the laboratory's entries are called, as `wasm-bindgen` names them.
const LAB_ENTRIES: [&str; 2] = ["lab_", "__wbg_lab_"];
/// How library code begins that follows passes where only they call it; the rest of it would be more than there is room for.
const LIBRARY_NAMES: [&str; 2] = ["_ZN4core", "_ZN9hashbrown"];
/// How a function of a pass is called by the linker, and one that is a pass's for another's trait; an analysis, which
/// mostly passes ask; and what is asked about untyped memory, for which there is room beside them.
const PASS_NAMES: [&str; 4] = [
    "12vitrine_core6passes",
    "vitrine_core..passes..",
    "12vitrine_core8analysis",
    "12vitrine_core10view_model6memory",
];

/// Functions by name and data by address, each with its part.
#[derive(Debug, Default)]
pub struct Plan {
    functions: BTreeMap<String, Part>,
    /// Data that is not in the first module, by address.
    pub data: Vec<(Range<u32>, Part)>,
}

impl Plan {
    /// Decides, from the names of the functions that the page calls, by the part that [`entered`] says, and of those
    /// that ran until the first result and later.
    pub fn of(
        links: &Links,
        roots: &BTreeMap<Part, BTreeSet<String>>,
        first: &BTreeSet<String>,
        usual: &BTreeSet<String>,
    ) -> Plan {
        let by_name: BTreeMap<&str, FunctionAt> =
            links.functions.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
        let mut reached_from = vec![0_u32; links.functions.len()];
        for (part, names) in roots {
            let roots = names.iter().filter_map(|name| by_name.get(name.as_str()));
            for (bits, _) in reached_from.iter_mut().zip(reached(links, roots.copied())).filter(|(_, is)| *is)
            {
                *bits |= 1 << part;
            }
        }
        let part = |(name, reached_from): (&String, &u32)| match () {
            () if first.contains(name) => FIRST,
            () if usual.contains(name) => USUAL,
            () if *reached_from == 1 << LAB => LAB,
            () if PASS_NAMES.iter().any(|pass| name.contains(pass)) => PASSES,
            () => OTHER,
        };
        let mut parts: Vec<Part> = links.functions.iter().zip(&reached_from).map(part).collect();
        let called = roots.values().flatten().filter_map(|name| by_name.get(name.as_str()).copied());
        let elsewhere = called_elsewhere(links, &parts, called);
        for (at, _) in elsewhere.into_iter().enumerate().filter(|(_, is_called)| !is_called) {
            if LIBRARY_NAMES.iter().any(|name| links.functions[at].starts_with(name)) {
                parts[at] = PASSES;
            }
        }
        let readers = readers(links, &parts);
        let data = links.data.iter().cloned().zip(readers.into_iter().map(home));
        Plan {
            data: data.filter(|(_, part)| *part != FIRST).collect(),
            functions: links.functions.iter().cloned().zip(parts).collect(),
        }
    }

    /// The part of a function; what the linker did not know is in the first module.
    pub fn function(&self, name: Option<&str>) -> Part {
        name.and_then(|name| self.functions.get(name)).copied().unwrap_or(FIRST)
    }
}

/// The part of what only this export calls.
pub fn entered(export: &str) -> Part {
    match LAB_ENTRIES.iter().any(|entry| export.starts_with(entry)) {
        true => LAB,
        false => OTHER,
    }
}

/// Whether each function can be called, directly or by its address, once the roots are.
fn reached(links: &Links, roots: impl Iterator<Item = FunctionAt>) -> Vec<bool> {
    let mut reached = vec![false; links.functions.len()];
    let mut seen = vec![false; links.data.len()];
    let mut waiting: Vec<FunctionAt> = roots.collect();
    let mut data: Vec<DatumAt> = Vec::new();
    while let Some(at) = waiting.pop() {
        if std::mem::replace(&mut reached[at], true) {
            continue;
        }
        waiting.extend(&links.function_uses[at].functions);
        data.extend(&links.function_uses[at].data);
        while let Some(at) = data.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            waiting.extend(&links.data_uses[at].functions);
            data.extend(&links.data_uses[at].data);
        }
    }
    reached
}

/// Whether each function is called by others than those of passes, or by nobody; all outside of the fourth part count as
/// that. What only passes call is what they have in common, and library code made for them, of which no name tells.
fn called_elsewhere(links: &Links, parts: &[Part], roots: impl Iterator<Item = FunctionAt>) -> Vec<bool> {
    let mut called: Vec<bool> = parts.iter().map(|part| *part != OTHER).collect();
    let mut used = vec![false; links.functions.len()];
    for uses in links.function_uses.iter().chain(&links.data_uses) {
        uses.functions.iter().for_each(|&at| used[at] = true);
    }
    let outside = (0..parts.len()).filter(|&at| parts[at] != PASSES && (parts[at] != OTHER || !used[at]));
    let roots = roots.filter(|&at| parts[at] != PASSES);
    let mut waiting: Vec<FunctionAt> = outside.chain(roots).collect();
    waiting.iter().for_each(|&at| called[at] = true);
    let mut seen = vec![false; links.data.len()];
    let mut data: Vec<DatumAt> = Vec::new();
    while let Some(at) = waiting.pop() {
        let mut next = links.function_uses[at].functions.clone();
        data.extend(&links.function_uses[at].data);
        while let Some(at) = data.pop() {
            if !std::mem::replace(&mut seen[at], true) {
                next.extend(&links.data_uses[at].functions);
                data.extend(&links.data_uses[at].data);
            }
        }
        waiting.extend(next.into_iter().filter(|&at| !std::mem::replace(&mut called[at], true)));
    }
    called
}

/// The parts whose functions can read each piece of data, a bit each: what data points to is read with it.
fn readers(links: &Links, parts: &[Part]) -> Vec<u32> {
    let mut readers = vec![0_u32; links.data.len()];
    let users = links.function_uses.iter().zip(parts);
    let mut waiting: Vec<(DatumAt, u32)> =
        users.flat_map(|(uses, part)| uses.data.iter().map(move |at| (*at, 1 << part))).collect();
    while let Some((at, bits)) = waiting.pop() {
        if readers[at] | bits != readers[at] {
            readers[at] |= bits;
            waiting.extend(links.data_uses[at].data.iter().map(|inner| (*inner, readers[at])));
        }
    }
    readers
}

/// Where data with these readers is at hand for all of them; without any that is known, at the start.
fn home(readers: u32) -> Part {
    match readers {
        0 => FIRST,
        bits if bits & (1 << FIRST) != 0 => FIRST,
        bits if bits.is_power_of_two() => bits.trailing_zeros() as Part,
        _ => USUAL,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn links(functions: &[(&str, &[FunctionAt], &[DatumAt])], data: &[(&[FunctionAt], &[DatumAt])]) -> Links {
        let uses = |functions: &[_], data: &[_]| super::super::links::Uses {
            functions: functions.to_vec(),
            data: data.to_vec(),
        };
        Links {
            functions: functions.iter().map(|(name, _, _)| (*name).to_owned()).collect(),
            function_uses: functions.iter().map(|(_, functions, data)| uses(functions, data)).collect(),
            data: (0..data.len() as u32).map(|at| at * 8..at * 8 + 8).collect(),
            data_uses: data.iter().map(|(functions, data)| uses(functions, data)).collect(),
        }
    }

    fn names(names: &[&str]) -> BTreeSet<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn roots(entries: &[&str]) -> BTreeMap<Part, BTreeSet<String>> {
        let mut roots: BTreeMap<Part, BTreeSet<String>> = BTreeMap::new();
        for entry in entries {
            roots.entry(entered(entry)).or_default().insert((*entry).to_owned());
        }
        roots
    }

    #[test]
    fn functions_go_where_they_ran_and_the_rest_by_who_reaches_them() {
        // The table at 0 holds the address of `held`; only the laboratory reaches `deep`.
        let pass = "_ZN12vitrine_core6passes3gcm3gcm17hE";
        let links = links(
            &[
                ("open", &[1, 5], &[0]),
                ("seldom", &[], &[]),
                ("held", &[], &[]),
                ("lab_begin", &[1, 4], &[]),
                ("deep", &[], &[]),
                // Calls library code, which calls more; some is in data of its own.
                (pass, &[1, 7, 10], &[1]),
                ("nobody", &[], &[]),
                (LIBRARY_NAMES[0], &[8], &[]),
                (LIBRARY_NAMES[1], &[7], &[]),
                ("_ZN4core_by_address", &[], &[]),
                ("own", &[], &[]),
            ],
            &[(&[2], &[]), (&[9], &[])],
        );
        let plan =
            Plan::of(&links, &roots(&["open", "lab_begin"]), &names(&["open"]), &names(&["open", "held"]));
        let parts = links.functions.iter().map(|name| plan.function(Some(name)));
        assert_eq!(
            parts.collect::<Vec<_>>(),
            [FIRST, OTHER, USUAL, LAB, LAB, PASSES, OTHER, PASSES, PASSES, PASSES, OTHER]
        );
        assert_eq!([plan.function(Some("new")), plan.function(None)], [FIRST, FIRST]);
    }

    #[test]
    fn data_is_at_hand_for_all_its_readers() {
        let links = links(
            &[("first", &[], &[0]), ("other", &[], &[1, 2, 4]), ("lab_x", &[], &[2])],
            // 0 points to 3; 1 and 4 to each other.
            &[(&[], &[3]), (&[], &[4]), (&[], &[]), (&[], &[]), (&[], &[1]), (&[], &[])],
        );
        let roots = roots(&["first", "other", "lab_x"]);
        let plan = Plan::of(&links, &roots, &names(&["first"]), &names(&["first"]));
        assert_eq!(plan.data, [(8..16, OTHER), (16..24, USUAL), (32..40, OTHER)]);
    }
}
