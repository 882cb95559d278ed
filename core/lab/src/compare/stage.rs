//! The results of a comparison: a verdict for each stage, and the finding about the first wrong one.

use super::allowed::Rounding;
use super::judge::Difference;
use super::parting::Parting;
use std::fmt;
use vitrine_ir::Module;

/// The verdict on a stage, compared with the first one.
#[derive(Clone, PartialEq, Debug)]
pub enum Verdict {
    /// Not compared yet.
    Open,
    /// The first stage.
    Input,
    /// Identical to its predecessor.
    Unchanged,
    /// The same results in all conclusive trials.
    Same,
    /// The results differ as much as the program, or the tolerance, allows.
    Rounding(Rounding),
    /// The results differ.
    Differs {
        /// The number of the trial.
        trial: usize,
        /// The first difference.
        difference: Box<Difference>,
    },
    /// The results differ only where the first stage does not determine them: the reason.
    Undefined(String),
    /// Nothing could be compared: the reason.
    Inconclusive(String),
    /// It cannot be read, or is invalid: the diagnostic.
    Invalid(String),
}

impl Verdict {
    /// A word for the verdict.
    pub fn name(&self) -> &'static str {
        match self {
            Verdict::Open => "open",
            Verdict::Input => "input",
            Verdict::Unchanged => "unchanged",
            Verdict::Same => "same",
            Verdict::Rounding(_) => "rounding",
            Verdict::Differs { .. } => "differs",
            Verdict::Undefined(_) => "undefined",
            Verdict::Inconclusive(_) => "inconclusive",
            Verdict::Invalid(_) => "invalid",
        }
    }

    /// Returns true if the stage differs or is invalid.
    pub fn is_wrong(&self) -> bool {
        matches!(self, Verdict::Differs { .. } | Verdict::Invalid(_))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Verdict::Open | Verdict::Input | Verdict::Unchanged | Verdict::Same => Ok(()),
            Verdict::Rounding(rounding) => write!(f, ": {rounding}"),
            Verdict::Differs { difference, .. } => write!(f, ": {difference}"),
            Verdict::Undefined(why) => write!(f, " in the input: {why}"),
            Verdict::Inconclusive(why) | Verdict::Invalid(why) => write!(f, ": {why}"),
        }
    }
}

/// A program of a comparison.
#[derive(Clone, Debug)]
pub struct Stage {
    /// The pass that made it, or the file.
    pub name: String,
    /// The module; `None` if it cannot be read.
    pub module: Option<Module>,
    /// The verdict.
    pub verdict: Verdict,
    /// Differences of its interface from that of the first stage, as sentences.
    pub interface: Vec<String>,
    /// Number of trials in which it was compared.
    pub compared: u32,
}

/// The first stage that differs, in detail.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The stage.
    pub stage: usize,
    /// The stage that it was compared with: its predecessor if `confirmed`, else the first.
    pub against: usize,
    /// If set, it differs from its predecessor; otherwise the difference is the sum of several stages.
    pub confirmed: bool,
    /// Number of seeds that were needed beyond the trials.
    pub seeds: u32,
    /// The entry point.
    pub entry: String,
    /// The name of the trial.
    pub trial: String,
    /// The first difference of the two stages.
    pub difference: Difference,
    /// The store or the branch that parts them; otherwise the reason why it is not known.
    pub parting: Result<Parting, String>,
}
