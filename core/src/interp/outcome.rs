//! The results of a run, and the first difference of two runs.
//!
//! Outcomes are compared exactly. A value that is undefined in the first run may be anything in the second:
//! optimizations are allowed to choose it.

use super::inputs::Slot;
use super::report::{Reports, UbKind};
use crate::ops::attr::BUILTINS;
use std::collections::BTreeMap;
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
    /// It could not continue, or a limit was reached.
    Stuck,
}

impl InvocationEnd {
    /// Returns true if its outputs are not visible: then it makes no difference how it ended.
    pub fn is_unseen(self) -> bool {
        matches!(self, InvocationEnd::Discarded | InvocationEnd::Terminated | InvocationEnd::Demoted)
    }
}

/// A component of an output of the stage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum OutKey {
    /// By location, component and dual-source index.
    Location(u32, u32, u32),
    /// By system value and component.
    BuiltIn(u32, u32),
}

impl fmt::Display for OutKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            OutKey::Location(location, component, 0) => {
                write!(f, "location {location} component {component}")
            }
            OutKey::Location(location, component, index) => {
                write!(f, "location {location} component {component} index {index}")
            }
            OutKey::BuiltIn(number, at) => {
                write!(f, "{}[{at}]", BUILTINS.get(number as usize).copied().unwrap_or("unknown"))
            }
        }
    }
}

/// The result of one invocation. Undefined outputs are `None`.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct InvocationOutcome {
    /// Its position: global invocation, pixel, or vertex and instance.
    pub at: [u32; 3],
    /// Its end state.
    pub end: InvocationEnd,
    /// Outputs by key.
    pub outputs: BTreeMap<OutKey, Option<u64>>,
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
        /// The output.
        key: OutKey,
        /// Bits in the first and the second run; `None` if undefined or missing.
        values: [Option<u64>; 2],
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
            Difference::Output { invocation, at, key, values: [a, b] } => {
                write!(f, "invocation {invocation} at {at:?}, {key}: {}, then {}", show(*a), show(*b))
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

impl Outcome {
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
        let numbers: std::collections::BTreeSet<u64> =
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
            for (&key, &value) in &a.outputs {
                let other = b.outputs.get(&key).copied().flatten();
                if value.is_some() && value != other {
                    return Some(Difference::Output { invocation, at, key, values: [value, other] });
                }
            }
        }
        None
    }
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
            invocations: [(3, InvocationOutcome { at: [3, 0, 0], end, outputs })].into(),
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
