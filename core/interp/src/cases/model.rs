//! A case as data, and the result of its runs.

use super::contents::Contents;
use crate::outcome::Outcome;
use std::collections::{BTreeMap, BTreeSet};
use vitrine_ir::{Module, Stage};

/// A case with inputs and expectations by name.
#[derive(Clone, PartialEq, Debug)]
pub struct NamedCase {
    /// The file name of the module.
    pub module: String,
    /// The format of the module, such as `d3dbc`.
    pub kind: String,
    /// The stage.
    pub stage: Stage,
    /// The programs that agree on the results.
    pub agreed_by: Vec<String>,
    /// The runs, each with inputs of its own.
    pub runs: Vec<CaseRun>,
}

/// A run of a case.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CaseRun {
    /// The programs that agree on the results of this run, if they differ from those of the case.
    pub agreed_by: Vec<String>,
    /// Workgroups of a compute shader.
    pub groups: [u32; 3],
    /// Inputs of the stage.
    pub inputs: Vec<StageInput>,
    /// Rows of uniform buffers, by name and row.
    pub constants: BTreeMap<(String, u32), [u32; 4]>,
    /// Textures and buffers by name.
    pub resources: BTreeMap<String, Contents>,
    /// Expected outputs.
    pub outputs: Vec<ExpectedOutput>,
    /// Invocations that are discarded; the others are not.
    pub discarded: BTreeSet<u64>,
    /// Expected contents of buffers and images.
    pub memory: Vec<ExpectedMemory>,
}

/// An input of the stage.
#[derive(Clone, PartialEq, Debug)]
pub struct StageInput {
    /// The name of the variable.
    pub name: String,
    /// Set for floats, otherwise integers.
    pub is_float: bool,
    /// The given components.
    pub planes: Vec<Plane>,
}

/// A component of an input: a linear function over pixels, or over vertices and instances, as in
/// [`Varying`](crate::Varying).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Plane {
    /// The component, 0 to 3.
    pub component: u32,
    /// Bits at (0, 0).
    pub base: u32,
    /// Changes for a step in x and in y.
    pub slope: [f32; 2],
}

/// An expected output of the stage.
#[derive(Clone, PartialEq, Debug)]
pub struct ExpectedOutput {
    /// The name of the variable.
    pub name: String,
    /// Set for floats, otherwise integers.
    pub is_float: bool,
    /// Components, 0 to 3.
    pub components: Vec<u32>,
    /// Set if values are clamped to the range from 0 to 1 before the comparison.
    pub is_saturated: bool,
    /// The accepted difference of values near 0.
    pub absolute: f32,
    /// For each invocation, the values of the components; none for an invocation without a result.
    pub values: Vec<Option<Vec<ExpectedWord>>>,
}

/// An expected value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExpectedWord {
    /// Any value, also an undefined one.
    Any,
    /// Any NaN.
    Nan,
    /// These bits, up to the tolerance.
    Bits(u32),
}

/// The expected contents of a buffer or an image.
#[derive(Clone, PartialEq, Debug)]
pub struct ExpectedMemory {
    /// The name of the variable.
    pub name: String,
    /// All bytes.
    pub bytes: Vec<u8>,
}

/// The result of a case.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct NamedCaseResult {
    /// The expectations that do not hold, in words; empty if all hold.
    pub wrong: Vec<String>,
    /// The number of expectations.
    pub checked: usize,
    /// The outcome of each run.
    pub outcomes: Vec<Outcome>,
}

impl NamedCase {
    /// The entry point to run: the first one of the stage.
    ///
    /// # Errors
    ///
    /// A sentence if the module has none.
    pub fn entry(&self, module: &Module) -> Result<usize, String> {
        let found = module.entries.iter().position(|entry| entry.stage == self.stage);
        found.ok_or_else(|| format!("there is no entry point of the stage {}", self.stage.name()))
    }
}
