//! Detection of mutants: each fault is injected at many positions of many programs, which are then run.

use super::mutants::{Mutant, mutants};
use super::pool::{Program, programs};
use std::collections::BTreeMap;
use vitrine_core::ir::{Level, Module};
use vitrine_core::lab::check::{Checker, Expected, Tolerance, same};
use vitrine_core::pipeline::{Pipeline, Settings};
use vitrine_core::validate::validate;

/// Maximum number of injections of a mutant, in total and per program.
const MOST_INJECTIONS: [usize; 2] = [24, 3];

/// Mutants that no injection detects. The list only gets shorter.
const MISSED: &[&str] = &[];

/// Percentage of injections that must be detected; it only grows. Most others make no difference at their
/// position (a bound that is never reached, an operand that is always positive, an unused value): with eight
/// times as many inputs, only two percent more are detected.
const LEAST: usize = 72;

/// The results of a mutant.
#[derive(Default)]
struct Detection {
    injected: usize,
    found: usize,
    /// A program that shows the fault, with the faulty version.
    shown: Option<(usize, Module)>,
}

/// The results of the mutants of a kind.
#[derive(Default)]
struct Kind {
    mutants: usize,
    detected: usize,
    injected: usize,
    found: usize,
}

#[test]
fn incorrect_rewrites_are_detected() {
    let programs = programs();
    let expected: Vec<Vec<Expected<'_>>> = programs
        .iter()
        .map(|program| {
            program.trials.iter().filter_map(|trial| Expected::of(&program.before, trial).ok()).collect()
        })
        .collect();
    for (program, expected) in programs.iter().zip(&expected) {
        let faulty =
            expected.iter().find_map(|expected| expected.differs(&program.after, Tolerance::default()));
        assert_eq!(faulty, None, "{} is correct before a fault is injected", program.name);
    }
    let (mut injected, mut found) = (0, 0);
    let mut missed = Vec::new();
    let mut kinds: BTreeMap<&str, Kind> = BTreeMap::new();
    for mutant in mutants() {
        let detection = inject_and_run(mutant, &programs, &expected);
        println!("{:48} {:3} of {:3}", mutant.name, detection.found, detection.injected);
        let kind = kinds.entry(mutant.kind).or_default();
        kind.mutants += 1;
        kind.detected += usize::from(detection.shown.is_some());
        kind.injected += detection.injected;
        kind.found += detection.found;
        injected += detection.injected;
        found += detection.found;
        match &detection.shown {
            Some((program, faulty)) => named_by_the_checker(mutant, &programs[*program], faulty),
            None => missed.push(mutant.name),
        }
    }
    for (name, kind) in &kinds {
        let Kind { mutants, detected, injected, found } = kind;
        println!("{name:20} {detected:3} of {mutants:3} mutants, {found:4} of {injected:4} places");
    }
    let all: usize = kinds.values().map(|kind| kind.mutants).sum();
    assert!(all >= 60 && kinds["float corners"].mutants >= 20, "{all} mutants");
    let rate = 100 * found / injected.max(1);
    println!(
        "{} of {} mutants found, {found} of {injected} places ({rate} %) in {} programs",
        all - missed.len(),
        all,
        programs.len()
    );
    assert_eq!(missed, MISSED, "undetected mutants");
    assert!(rate >= LEAST, "{rate} % of the injections");
}

/// Injects a mutant at several positions.
fn inject_and_run(mutant: &Mutant, programs: &[Program], expected: &[Vec<Expected<'_>>]) -> Detection {
    let [in_all, in_one] = MOST_INJECTIONS;
    let mut detection = Detection::default();
    for (number, (program, expected)) in programs.iter().zip(expected).enumerate() {
        let mut here = 0;
        for (func, _) in program.after.funcs() {
            let mut from = 0;
            while let Some((faulty, at)) = mutant.inject(&program.after, func, from) {
                from = at + 1;
                if detection.injected >= in_all || here >= in_one {
                    break;
                }
                if validate(&faulty).iter().any(|diag| diag.level == Level::Error) {
                    continue;
                }
                (detection.injected, here) = (detection.injected + 1, here + 1);
                if expected.iter().any(|expected| expected.differs(&faulty, Tolerance::default()).is_some()) {
                    detection.found += 1;
                    detection.shown = detection.shown.or(Some((number, faulty)));
                }
            }
        }
    }
    detection
}

/// The checker blames the step at which the mutant was injected, and the comparison of the filetests agrees.
fn named_by_the_checker(mutant: &Mutant, program: &Program, faulty: &Module) {
    let mut trace =
        Pipeline::parse("flatten, structurize, flatten").unwrap().trace(&program.before, Settings::default());
    let Some(last) = trace.steps.last_mut() else { return };
    last.version = faulty.clone();
    last.outcome = vitrine_core::pipeline::Outcome::Changed;
    let at = trace.steps.len() - 1;
    let mut checker = Checker::new(&trace, &program.trials, Tolerance::default());
    while checker.step() {}
    assert_eq!(checker.first_wrong(), Some(at), "{} in {}", mutant.name, program.name);
    let is_wrong = |trial| same(&program.before, faulty, trial, Tolerance::default()) == Some(false);
    assert!(program.trials.iter().any(is_wrong), "{} in {}", mutant.name, program.name);
}
