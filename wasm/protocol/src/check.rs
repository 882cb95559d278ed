//! The result of a check: a mark for each step, and the first difference.

use serde::{Deserialize, Serialize};

/// The result of a check.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CheckReport {
    /// Completed runs.
    pub done: u32,
    /// All runs.
    pub total: u32,
    /// The first version that differs.
    pub wrong_version: Option<u32>,
    /// A mark for each step.
    pub marks: Vec<CheckMark>,
    /// The result in words; empty if it is not available yet.
    pub summary: String,
    /// Of a comparison: the verdict on each step, in words.
    pub verdicts: Vec<String>,
    /// Of a comparison: the first program that differs.
    pub found: Option<Box<FoundDifference>>,
    /// The first difference, in words and as hexadecimal digest, for links; empty without one.
    pub expected: [String; 2],
}

/// The first program of a comparison that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundDifference {
    /// Its version, and the one that it was compared with.
    pub versions: [u32; 2],
    /// Names and words: program, input, invocation, place, values, the store or branch that parts the two.
    pub facts: Vec<[String; 2]>,
    /// The anchor of that store, or of the block that ends with that branch, as in `Request::Numbers`: in the earlier and in
    /// the later version; none if it is not known.
    pub anchors: [Option<[u32; 4]>; 2],
}

/// The result of a check for one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CheckMark {
    /// Not checked yet.
    #[default]
    Open,
    /// Same results as the input.
    Same,
    /// The step changed nothing.
    Unchanged,
    /// Different results.
    Differs,
    /// Cannot be run, or is invalid.
    Broken,
    /// Inconclusive.
    Unknown,
    /// Being checked.
    Running,
    /// Floats differ, as much as the program allows.
    Rounding,
    /// Different results, which the input does not determine.
    Undefined,
}

impl CheckMark {
    /// All marks, by the compiler's numbers.
    pub const ALL: [CheckMark; 9] = [
        CheckMark::Open,
        CheckMark::Same,
        CheckMark::Unchanged,
        CheckMark::Differs,
        CheckMark::Broken,
        CheckMark::Unknown,
        CheckMark::Running,
        CheckMark::Rounding,
        CheckMark::Undefined,
    ];

    /// The name in the page's markup.
    pub fn name(self) -> &'static str {
        match self {
            CheckMark::Open => "open",
            CheckMark::Same => "same",
            CheckMark::Unchanged => "unchanged",
            CheckMark::Differs => "differs",
            CheckMark::Broken => "broken",
            CheckMark::Unknown => "unknown",
            CheckMark::Running => "running",
            CheckMark::Rounding => "rounding",
            CheckMark::Undefined => "undefined",
        }
    }
}
