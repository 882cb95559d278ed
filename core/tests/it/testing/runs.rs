//! Runs of filetests: input and result are executed on generated inputs, in both shapes, and compared.
//!
//! A file may say `; differs: reason` where its run may change what is computed; then it must.

use super::files::run_pipeline;
use super::sections::{Case, split};
use super::wrap::{Invocations, attach, marked, wrapper};
use vitrine_core::ir::{Module, Shape};
use vitrine_core::pipeline::check::{Expected, Inconclusive, Tolerance, trials};
use vitrine_core::text::parse;
use vitrine_core::validate::validate;

/// Made-up inputs a file.
const RUNS: u32 = 32;

/// Steps of a run: filetests are small, and what does not end soon does not end.
const STEPS: u64 = 1 << 13;

/// Why a file is not well compared.
pub(crate) enum RunError {
    /// No input says anything.
    Inconclusive(String),
    /// Something else comes out.
    Wrong(String),
}

/// The number of compared runs of the file with this text; none if it has no valid input to run.
pub(crate) fn of_text(text: &str) -> Option<Result<usize, RunError>> {
    let case = split(text).ok()?;
    let spec = case.run?;
    let parsed = parse(case.input);
    let is_valid = parsed.diags.is_empty() && validate(&parsed.module).is_empty();
    is_valid.then(|| of_module(&case, &parsed.module, spec))
}

fn of_module(case: &Case<'_>, module: &Module, spec: &str) -> Result<usize, RunError> {
    let mut told = both(module, spec);
    if let (Err(RunError::Inconclusive(_)), Some(marked)) = (&told, marked(module)) {
        told = both(&marked, spec);
    }
    match (case.differs, told) {
        (None, told) => told,
        (Some(_), Err(RunError::Wrong(_))) => Ok(0),
        (Some(_), Ok(_)) => Err(RunError::Wrong("it says that it differs, and does not".to_owned())),
        (Some(_), inconclusive @ Err(RunError::Inconclusive(_))) => inconclusive,
    }
}

/// By many invocations, else by one: one that ends is not held up by others that do not.
fn both(module: &Module, spec: &str) -> Result<usize, RunError> {
    match compared(module, spec, Invocations::Many) {
        Err(RunError::Inconclusive(many)) => match compared(module, spec, Invocations::One) {
            Err(RunError::Inconclusive(_)) => Err(RunError::Inconclusive(many)),
            told => told,
        },
        told => told,
    }
}

fn compared(module: &Module, spec: &str, invocations: Invocations) -> Result<usize, RunError> {
    let extra = wrapper(module, invocations).map_err(RunError::Inconclusive)?;
    let before = attach(module, &extra).map_err(RunError::Inconclusive)?;
    let mut versions = Vec::new();
    for (what, version) in variants(module, spec).map_err(RunError::Wrong)? {
        let version = attach(&version, &extra);
        versions.push((what, version.map_err(|why| RunError::Wrong(format!("after the run, {why}")))?));
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
        for (what, version) in &versions {
            if let Some(difference) = expected.differs(version, Tolerance::default()) {
                return Err(RunError::Wrong(format!("{what}: {}: {difference}", trial.name)));
            }
            count += 1;
        }
    }
    match (count, inconclusive) {
        (0, inconclusive) => Err(RunError::Inconclusive(
            inconclusive.as_ref().map_or("there is nothing to run".to_owned(), Inconclusive::to_string),
        )),
        (count, _) => Ok(count),
    }
}

/// Versions that should do what the module does: after the run, and with its shape changed before or after it, where
/// the run takes it so.
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
