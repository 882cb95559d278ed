//! The results of a run, and the first difference of two runs.
//!
//! Outcomes are compared exactly. A value that is undefined in the first run may be anything in the second:
//! optimizations are allowed to choose it.

use super::inputs::Slot;
use super::out_key::{Element, OutKey, Outputs};
use super::prints::Prints;
use super::report::{Reports, UbKind};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The end state of an invocation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub enum InvocationEnd {
    /// It has not ended.
    #[default]
    Running,
    /// It returned from the entry point.
    Returned,
    /// It was discarded: only its earlier writes to buffers are visible.
    Discarded,
    /// It was terminated, with the same effect as a discard.
    Terminated,
    /// It became a helper invocation and returned, with the same effect as a discard.
    Demoted,
    /// An any-hit shader ended it and ignored the intersection.
    Ignored,
    /// An any-hit shader accepted the intersection and ended the ray.
    Accepted,
    /// It could not continue, or a limit was reached.
    Stuck,
}

impl InvocationEnd {
    /// Returns true if its outputs are not visible: then it makes no difference how it ended.
    pub fn is_unseen(self) -> bool {
        matches!(self, InvocationEnd::Discarded | InvocationEnd::Terminated | InvocationEnd::Demoted)
    }

    /// Returns true if its outputs are results.
    pub fn has_outputs(self) -> bool {
        matches!(self, InvocationEnd::Returned | InvocationEnd::Ignored | InvocationEnd::Accepted)
    }
}

/// The result of one invocation. Undefined outputs are `None`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InvocationOutcome {
    /// Its position: global invocation, pixel, vertex and instance, primitive or patch and number in it, or launch id.
    pub at: [u32; 3],
    /// Its end state.
    pub end: InvocationEnd,
    /// Outputs by key. Of a payload there are only the scalars that it changed.
    pub outputs: Outputs,
    /// The vertices and primitives that it created; those of a patch or a mesh belong to its first invocation.
    pub elements: BTreeMap<Element, Outputs>,
}

/// Visible bytes, with a list of those to which the shader wrote undefined values.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bytes {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Undefined bytes in order.
    pub undefined: Vec<u32>,
}

/// The results of a whole run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    /// Invocations by number, without helper invocations.
    pub invocations: BTreeMap<u64, InvocationOutcome>,
    /// Storage buffers, by set, binding and element.
    pub buffers: BTreeMap<(Slot, u32), Bytes>,
    /// Texels of storage images, by set, binding and element.
    pub images: BTreeMap<(Slot, u32), Bytes>,
    /// Buffers a kernel was given, by argument.
    pub args: BTreeMap<u32, Bytes>,
    /// Undefined behavior.
    pub reports: Reports,
    /// Formatted output, which is no result: a comparison ignores it.
    pub prints: Prints,
    /// Number of executed instructions, and their sum over all invocations.
    pub work: (u64, u64),
}

/// The first difference of two outcomes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Difference {
    /// The end states differ.
    End {
        /// Number of the invocation.
        invocation: u64,
        /// Its position.
        at: [u32; 3],
        /// The end states in the first and the second run; `None` if it was not run.
        ends: [Option<InvocationEnd>; 2],
    },
    /// An output differs.
    Output {
        /// Number of the invocation.
        invocation: u64,
        /// Its position.
        at: [u32; 3],
        /// The vertex or primitive, if it is not an output of the invocation itself.
        element: Option<Element>,
        /// The output.
        key: OutKey,
        /// Bits in the first and the second run; `None` if undefined or missing.
        values: [Option<u64>; 2],
    },
    /// Only one of the runs created a vertex or a primitive.
    Element {
        /// Number of the invocation.
        invocation: u64,
        /// Its position.
        at: [u32; 3],
        /// The vertex or primitive.
        element: Element,
        /// If set, the first run created it, not the second.
        is_gone: bool,
    },
    /// A byte of a buffer, an image or an argument differs.
    Byte {
        /// The memory, as text.
        what: String,
        /// Offset from the start.
        offset: u64,
        /// The byte in the first and the second run; `None` if undefined or missing.
        values: [Option<u8>; 2],
    },
    /// Only the second run has nondeterministic behavior.
    UbKind {
        /// The kind.
        ub: UbKind,
        /// The first invocation affected.
        invocation: u64,
    },
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fn show<T: fmt::LowerHex>(value: Option<T>) -> String {
            value.map_or("undefined".to_owned(), |value| format!("{value:#x}"))
        }
        match self {
            Difference::End { invocation, at, ends: [a, b] } => {
                let name = |end: &Option<InvocationEnd>| match end {
                    Some(end) => format!("{end:?}").to_lowercase(),
                    None => "not run".to_owned(),
                };
                write!(f, "invocation {invocation} at {at:?}: {}, then {}", name(a), name(b))
            }
            Difference::Output { invocation, at, element, key, values: [a, b] } => {
                write!(f, "invocation {invocation} at {at:?}, ")?;
                if let Some(element) = element {
                    write!(f, "{element}, ")?;
                }
                write!(f, "{key}: {}, then {}", show(*a), show(*b))
            }
            Difference::Element { invocation, at, element, is_gone } => {
                let which = if *is_gone { "is not created any more" } else { "is new" };
                write!(f, "invocation {invocation} at {at:?}, {element}: it {which}")
            }
            Difference::Byte { what, offset, values: [a, b] } => {
                write!(f, "{what}, byte {offset}: {}, then {}", show(*a), show(*b))
            }
            Difference::UbKind { ub, invocation } => {
                write!(f, "invocation {invocation}, only now: {}: {}", ub.code(), ub.says())
            }
        }
    }
}

impl Bytes {
    /// Adds the changes by another variable at the same place, which has a memory of its own. A byte that both changed differently
    /// is undefined, because their order is.
    pub(super) fn merge(&mut self, other: &Bytes, given: &[u8]) {
        let changed: Vec<usize> = (0..other.bytes.len().min(self.bytes.len()))
            .filter(|&at| given.get(at) != other.bytes.get(at))
            .collect();
        let mut undefined: BTreeSet<_> = self.undefined.iter().chain(&other.undefined).copied().collect();
        for at in changed {
            if given.get(at) != self.bytes.get(at) && self.bytes[at] != other.bytes[at] {
                undefined.extend(u32::try_from(at).ok());
            }
            self.bytes[at] = other.bytes[at];
        }
        self.undefined = undefined.into_iter().collect();
    }
}

impl Outcome {
    /// Adds the results of a run that continued from this one: its memory replaces that of this one.
    pub(super) fn add(&mut self, next: Outcome) {
        self.invocations.extend(next.invocations);
        self.buffers.extend(next.buffers);
        self.images.extend(next.images);
        self.args.extend(next.args);
        self.reports.extend(&next.reports);
        self.prints.extend(&next.prints);
        self.work = (self.work.0 + next.work.0, self.work.1 + next.work.1);
    }

    /// Returns true if the run completed: no invocation is stuck.
    pub fn is_complete(&self) -> bool {
        self.invocations
            .values()
            .all(|invocation| !matches!(invocation.end, InvocationEnd::Stuck | InvocationEnd::Running))
    }

    /// Returns true if the behavior is defined: every report only affects outputs. After any other report,
    /// such as an access out of bounds, another run may differ and be correct.
    pub fn is_defined(&self) -> bool {
        self.reports.list().iter().all(|report| report.ub == UbKind::UndefOutput)
    }

    /// The first difference to `after`; a value that is undefined here may be anything there.
    pub fn first_difference(&self, after: &Outcome) -> Option<Difference> {
        self.invocation_difference(after).or_else(|| {
            let memories = [
                bytes_difference("buffer", &self.buffers, &after.buffers, slot_name),
                bytes_difference("image", &self.images, &after.images, slot_name),
                bytes_difference("argument", &self.args, &after.args, u32::to_string),
            ];
            memories.into_iter().flatten().next()
        })
    }

    fn invocation_difference(&self, after: &Outcome) -> Option<Difference> {
        let numbers: BTreeSet<u64> =
            self.invocations.keys().chain(after.invocations.keys()).copied().collect();
        for invocation in numbers {
            let (a, b) = (self.invocations.get(&invocation), after.invocations.get(&invocation));
            let at = a.or(b).map_or([0; 3], |invocation| invocation.at);
            let ends = [a.map(|invocation| invocation.end), b.map(|invocation| invocation.end)];
            let unseen = ends.map(|end| end.is_some_and(InvocationEnd::is_unseen));
            if ends[0] != ends[1] && unseen != [true, true] {
                return Some(Difference::End { invocation, at, ends });
            }
            let (Some(a), Some(b)) = (a, b) else { continue };
            if unseen[0] {
                continue;
            }
            let differs =
                |element, (key, values)| Difference::Output { invocation, at, element, key, values };
            if let Some(found) = output_difference(&a.outputs, &b.outputs) {
                return Some(differs(None, found));
            }
            let elements: BTreeSet<Element> = a.elements.keys().chain(b.elements.keys()).copied().collect();
            for element in elements {
                let (Some(a), Some(b)) = (a.elements.get(&element), b.elements.get(&element)) else {
                    let is_gone = a.elements.contains_key(&element);
                    return Some(Difference::Element { invocation, at, element, is_gone });
                };
                if let Some(found) = output_difference(a, b) {
                    return Some(differs(Some(element), found));
                }
            }
        }
        None
    }
}

/// The first output that differs, and its bits.
fn output_difference(before: &Outputs, after: &Outputs) -> Option<(OutKey, [Option<u64>; 2])> {
    let value = |outputs: &Outputs, key: &OutKey| outputs.get(key).copied().flatten();
    let changed = before.iter().find(|(key, a)| a.is_some() && **a != value(after, key));
    // A scalar of the payload that is missing has its value from before.
    let is_new = |key: &&OutKey| matches!(key, OutKey::Payload(_)) && !before.contains_key(*key);
    let key = changed.map(|(key, _)| key).or_else(|| after.keys().find(is_new))?;
    Some((*key, [value(before, key), value(after, key)]))
}

fn slot_name(&((set, binding), element): &(Slot, u32)) -> String {
    format!("{set}.{binding}[{element}]")
}

fn bytes_difference<K: Ord>(
    what: &str,
    before: &BTreeMap<K, Bytes>,
    after: &BTreeMap<K, Bytes>,
    name: impl Fn(&K) -> String,
) -> Option<Difference> {
    for (key, a) in before {
        let what = || format!("{what} {}", name(key));
        let Some(b) = after.get(key) else {
            let values = [a.at(0), None];
            return Some(Difference::Byte { what: what(), offset: 0, values });
        };
        if a.bytes == b.bytes && b.undefined.is_empty() {
            continue;
        }
        for offset in 0..a.bytes.len().max(b.bytes.len()) as u64 {
            let values = [a.at(offset), b.at(offset)];
            let open = a.undefined.binary_search(&(offset as u32)).is_ok();
            if !open && values[0] != values[1] {
                return Some(Difference::Byte { what: what(), offset, values });
            }
        }
    }
    None
}

impl Bytes {
    /// A byte; `None` if it is undefined or missing.
    pub fn at(&self, offset: u64) -> Option<u8> {
        let known = self.undefined.binary_search(&u32::try_from(offset).ok()?).is_err();
        self.bytes.get(usize::try_from(offset).ok()?).copied().filter(|_| known)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(end: InvocationEnd, value: Option<u64>) -> Outcome {
        let outputs = [(OutKey::Location(0, 1, 0), value)].into();
        Outcome {
            invocations: [(3, InvocationOutcome { at: [3, 0, 0], end, outputs, ..Default::default() })]
                .into(),
            ..Outcome::default()
        }
    }

    #[test]
    fn the_first_difference_names_invocation_output_and_values() {
        let returned = InvocationEnd::Returned;
        let (a, b) = (one(returned, Some(16)), one(returned, Some(17)));
        assert_eq!(a.first_difference(&a), None);
        let difference = a.first_difference(&b).unwrap();
        let text = "invocation 3 at [3, 0, 0], location 0 component 1: 0x10, then 0x11";
        assert_eq!(difference.to_string(), text);
        // An undefined value may become anything, but not conversely.
        let open = one(returned, None);
        assert_eq!(open.first_difference(&a), None);
        assert!(a.first_difference(&open).is_some());
        let gone = one(InvocationEnd::Discarded, Some(16));
        assert_eq!(
            a.first_difference(&gone).unwrap().to_string(),
            "invocation 3 at [3, 0, 0]: returned, then discarded"
        );
        assert!(a.first_difference(&Outcome::default()).is_some());
    }

    #[test]
    fn bytes_differ_where_they_are_defined() {
        let of = |bytes: &[u8], undefined: &[u32]| Outcome {
            buffers: [(((1, 2), 0), Bytes { bytes: bytes.to_vec(), undefined: undefined.to_vec() })].into(),
            ..Outcome::default()
        };
        let (a, b) = (of(&[1, 2, 3], &[]), of(&[1, 9, 4], &[]));
        assert_eq!(a.first_difference(&b).unwrap().to_string(), "buffer 1.2[0], byte 1: 0x2, then 0x9");
        assert_eq!(of(&[1, 0, 4], &[1]).first_difference(&b), None);
        assert!(b.first_difference(&of(&[1, 9, 4], &[1])).is_some());
        assert!(a.first_difference(&of(&[1, 2], &[])).is_some());
    }
}
