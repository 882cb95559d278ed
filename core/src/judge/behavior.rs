//! Predicates about runs: results like those of another program, undefined behavior, the first wrong step of a pipeline.
//!
//! Inputs are the cases of the task, or generated ones if it has none. Functions of a program without entry points are called with
//! their parameters as inputs. A run that proves nothing, because the reference does not terminate or its behavior is
//! undefined, is skipped; if that is so for all runs, the predicate fails and says why.

use super::subject::Subject;
use super::task::Case;
use crate::interp::{Named, callables, ports, run, with_callers};
use crate::ir::{Func, Mode, Module};
use crate::lab::check::{Checker, Compared, Expected, Tolerance, Trial, inconclusive_of, trials};
use crate::ops::Scalar;
use crate::pipeline::{Pipeline, Settings};

/// Generated inputs, if there are no cases.
const RUNS: u32 = 16;

/// Compares the results of a program with those of a reference. `Ok` holds true for equal results, and a sentence.
pub(super) fn compare(
    subject: &Subject,
    reference: &Subject,
    name: &str,
    cases: &[&Case],
) -> Result<(bool, String), String> {
    fits(reference, subject)?;
    let before = callable(&reference.module, &reference.module);
    let after = callable(&subject.module, &reference.module);
    let trials = inputs(reference, &before, cases)?;
    let mut compared = 0;
    let mut inconclusive = String::new();
    for trial in &trials {
        match Expected::of(&before, trial) {
            Err(why) => inconclusive = format!("{}: {why}", trial.name),
            Ok(expected) => match expected.compare(&after, Tolerance::default()) {
                Compared::Same => compared += 1,
                Compared::Undefined(why) => inconclusive = format!("{}: {why}", trial.name),
                Compared::Differs(difference) => {
                    return Ok((
                        false,
                        format!("the results differ from those of `{name}` for {}: {difference}", trial.name),
                    ));
                }
            },
        }
    }
    match compared {
        0 => Err(format!("the results cannot be compared with those of `{name}`: {inconclusive}")),
        1 => Ok((true, format!("the results are those of `{name}` for the only input that was run"))),
        _ => Ok((true, format!("the results are those of `{name}` for all {compared} inputs"))),
    }
}

/// Runs a program. `Ok` holds true if no run has undefined behavior and all terminate, and a sentence.
pub(super) fn runs_clean(subject: &Subject, cases: &[&Case]) -> Result<(bool, String), String> {
    let module = callable(&subject.module, &subject.module);
    let trials = inputs(subject, &module, cases)?;
    for trial in &trials {
        let outcome =
            run(&module, trial.entry, &trial.inputs).map_err(|diag| format!("it cannot be run: {diag}"))?;
        if let Some(report) = outcome.reports.list().first() {
            return Ok((false, format!("{}: {}", trial.name, report.diag())));
        }
        if let Some(why) = inconclusive_of(&outcome) {
            return Ok((false, format!("{}: {why}", trial.name)));
        }
    }
    Ok((true, format!("{} runs end without undefined behavior", trials.len())))
}

/// Runs a program on chosen inputs, `n = 3; x = 0.5`; returns the outputs of the first invocation, or the reason why there are none.
/// Errors: a sentence if it cannot be run.
pub(super) fn outputs(subject: &Subject, assignments: &str) -> Result<String, String> {
    let module = callable(&subject.module, &subject.module);
    let lines = assignments.split(';').map(str::trim).collect::<Vec<_>>().join("\n");
    let case = Case { name: "inputs".to_owned(), inputs: lines };
    let trials = inputs(subject, &module, &[&case])?;
    let trial = trials.first().ok_or("the function cannot be run")?;
    let outcome =
        run(&module, trial.entry, &trial.inputs).map_err(|diag| format!("it cannot be run: {diag}"))?;
    let mut words: Vec<String> = Vec::new();
    let first = outcome.invocations.values().next().map(|one| &one.outputs);
    for port in ports(&module, trial.entry, Mode::Out) {
        let value = match first.and_then(|outputs| outputs.get(&port.key).copied()).flatten() {
            Some(bits) if port.float => Scalar::new(port.width, bits).to_f64().to_string(),
            Some(bits) => bits.to_string(),
            None => "not written".to_owned(),
        };
        // The caller of a function has one output, its result.
        let name = match subject.module.entries.is_empty() {
            true => "result".to_owned(),
            false => module.name_of(port.var),
        };
        words.push(format!("{name} = {value}"));
    }
    words.extend(outcome.reports.list().first().map(|report| report.diag().to_string()));
    words.extend(inconclusive_of(&outcome).map(|why| why.to_string()));
    Ok(if words.is_empty() { "The run ends, and has no outputs.".to_owned() } else { words.join("; ") })
}

/// The first step of a pipeline that changes the results, from 1; 0 if none does.
pub(super) fn first_wrong(subject: &Subject, args: &[String]) -> Result<u64, String> {
    let text = args.first().map_or("", String::as_str);
    let pipeline = Pipeline::parse(text).map_err(|diag| diag.to_string())?;
    let module = callable(&subject.module, &subject.module);
    let trace = pipeline.trace(&module, Settings::default());
    let trials = inputs(subject, &module, &[])?;
    let mut checker = Checker::new(&trace, &trials, Tolerance::default());
    while checker.step() {}
    if checker.inconclusive().count() == trials.len() {
        return Err("the results of the program cannot be compared".to_owned());
    }
    Ok(checker.first_wrong().map_or(0, |step| step as u64 + 1))
}

/// The program, with callers of its functions if it has no entry points.
fn callable(module: &Module, like: &Module) -> Module {
    match like.entries.is_empty() {
        true => with_callers(module, like),
        false => module.clone(),
    }
}

/// Refuses a program that cannot stand in for the reference.
fn fits(reference: &Subject, subject: &Subject) -> Result<(), String> {
    let (before, after) = (&reference.module, &subject.module);
    for (at, entry) in before.entries.iter().enumerate() {
        let name = before.text_of(entry.name);
        let same = after
            .entries
            .get(at)
            .is_some_and(|other| after.text_of(other.name) == name && other.stage == entry.stage);
        if !same {
            return Err(format!(
                "the entry point `{name}` is missing: it must be number {} and have the same stage",
                at + 1
            ));
        }
    }
    if !before.entries.is_empty() {
        return Ok(());
    }
    let signature = |module: &Module, func: Func| {
        let body = module.func(func)?;
        Some((body.params().iter().map(|&param| body.ty(param)).collect::<Vec<_>>(), body.result()))
    };
    match signature(before, reference.func) == signature(after, reference.func) {
        true => Ok(()),
        false => Err(format!("the parameters and the result of {} must stay the same", reference.func)),
    }
}

/// The runs of the function under judgment: the cases, or generated inputs.
fn inputs(subject: &Subject, module: &Module, cases: &[&Case]) -> Result<Vec<Trial>, String> {
    let entry = match subject.module.entries.is_empty() {
        false => subject.module.entries.iter().position(|entry| entry.func == subject.func),
        true => {
            let found =
                callables(&subject.module).into_iter().enumerate().find(|(_, of)| of.func == subject.func);
            if let Some((_, of)) = found.as_ref().filter(|(_, of)| !of.refused.is_empty()) {
                return Err(format!("`{}` cannot be run: {}", of.name, of.refused));
            }
            found.map(|(at, _)| at)
        }
    };
    let entry = entry.ok_or("the function is not an entry point, so it cannot be run")?;
    let generated = |seed: u64, runs: u32| {
        let mut all = trials(module, seed, runs);
        all.retain(|trial| trial.entry == entry);
        all
    };
    let mut found = match cases {
        [] => generated(0, RUNS),
        _ => Vec::new(),
    };
    for case in cases {
        for mut trial in generated(1, 1) {
            let mut named = Named::new(module, entry, &trial.inputs);
            if let Some((_, why)) = named.assign_all(&mut trial.inputs, &case.inputs).into_iter().next() {
                return Err(format!("case `{}`: {why}", case.name));
            }
            trial.name = format!("case `{}`", case.name);
            found.push(trial);
        }
    }
    match found.is_empty() {
        true => Err("the function cannot be run".to_owned()),
        false => Ok(found),
    }
}
