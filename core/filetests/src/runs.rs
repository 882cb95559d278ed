//! Execution of filetests: input and result are run on generated inputs, as tree and as graph, and compared.
//!
//! A file with `; differs: reason` must change results.

use super::files::run_pipeline;
use super::sections::{Case, split};
use vitrine_analysis::validate::validate;
use vitrine_ir::{Module, Shape};
use vitrine_lab::check::{Expected, Inconclusive, Tolerance, trials};
use vitrine_pipeline::wrap::{Invocations, attach, marked, wrapper};
use vitrine_text::parse;

/// Generated inputs per file.
const RUNS: u32 = 32;

/// Step limit of a run: filetests are small, so a run that exceeds it does not terminate.
const STEPS: u64 = 1 << 13;

/// The reason for a failed comparison.
pub enum RunError {
    /// All inputs are inconclusive.
    Inconclusive(String),
    /// The results differ.
    Wrong(String),
}

/// The number of compared runs of a file; `None` if it has no pipeline or no valid input.
pub fn of_text(text: &str) -> Option<Result<usize, RunError>> {
    let case = split(text).ok()?;
    let spec = case.run?;
    let parsed = parse(case.input);
    let is_valid = parsed.diags.is_empty() && validate(&parsed.module).is_empty();
    is_valid.then(|| of_module(&case, &parsed.module, spec))
}

fn of_module(case: &Case<'_>, module: &Module, spec: &str) -> Result<usize, RunError> {
    let mut result = compare_either(module, spec);
    if let (Err(RunError::Inconclusive(_)), Some(marked)) = (&result, marked(module)) {
        result = compare_either(&marked, spec);
    }
    match (case.differs, result) {
        (None, result) => result,
        (Some(_), Err(RunError::Wrong(_))) => Ok(0),
        (Some(_), Ok(_)) => {
            Err(RunError::Wrong("the file has a `differs` line, but the results are equal".to_owned()))
        }
        (Some(_), inconclusive @ Err(RunError::Inconclusive(_))) => inconclusive,
    }
}

/// Runs several invocations or, if that is inconclusive, a single one, which may terminate if others do not.
fn compare_either(module: &Module, spec: &str) -> Result<usize, RunError> {
    match compared(module, spec, Invocations::Many) {
        Err(RunError::Inconclusive(many)) => match compared(module, spec, Invocations::One) {
            Err(RunError::Inconclusive(_)) => Err(RunError::Inconclusive(many)),
            result => result,
        },
        result => result,
    }
}

fn compared(module: &Module, spec: &str, invocations: Invocations) -> Result<usize, RunError> {
    let extra = wrapper(module, invocations).map_err(RunError::Inconclusive)?;
    let before = attach(module, &extra).map_err(RunError::Inconclusive)?;
    let mut versions = Vec::new();
    for (variant, version) in variants(module, spec).map_err(RunError::Wrong)? {
        let version = attach(&version, &extra);
        versions.push((variant, version.map_err(|why| RunError::Wrong(format!("after the run, {why}")))?));
    }
    let mut all = trials(&before, 0, RUNS);
    for trial in &mut all {
        trial.inputs.limits.steps = STEPS;
        if invocations == Invocations::One {
            trial.inputs.groups = [1; 3];
        }
    }
    let (mut count, mut inconclusive) = (0, None);
    for trial in &all {
        let expected = match Expected::of(&before, trial) {
            Ok(expected) => expected,
            Err(why) => {
                inconclusive = inconclusive.or(Some(why));
                continue;
            }
        };
        for (variant, version) in &versions {
            if let Some(difference) = expected.differs(version, Tolerance::default()) {
                return Err(RunError::Wrong(format!("{variant}: {}: {difference}", trial.name)));
            }
            count += 1;
        }
    }
    match (count, inconclusive) {
        (0, inconclusive) => Err(RunError::Inconclusive(
            inconclusive.as_ref().map_or("there is no function to run".to_owned(), Inconclusive::to_string),
        )),
        (count, _) => Ok(count),
    }
}

/// Versions that should have the same results as the module: after the run, and with the other shape before or after
/// it, if the passes accept that shape.
fn variants(module: &Module, spec: &str) -> Result<Vec<(String, Module)>, String> {
    let is_graph = module.funcs().any(|(_, body)| matches!(body.shape(), Shape::Graph(_)));
    let other = if is_graph { "structurize" } else { "flatten" };
    let mut out = vec![(spec.to_owned(), run_pipeline(module.clone(), spec)?)];
    for text in [format!("{other}, {spec}"), format!("{spec}, {other}"), format!("{spec}, structurize")] {
        if let Ok(version) = run_pipeline(module.clone(), &text) {
            out.push((text, version));
        }
    }
    Ok(out)
}
