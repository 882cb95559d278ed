//! Detection of mutants: each fault is injected at many places of many programs, and the programs are run.

use super::mutants::{MUTANTS, Mutant};
use super::pool::{Program, programs};
use vitrine_core::ir::{Level, Module};
use vitrine_core::pipeline::check::{Checker, Expected, Tolerance, same};
use vitrine_core::pipeline::{Pipeline, Settings};
use vitrine_core::validate::validate;

/// Places of a mutant that are tried, in all and in one program.
const PLACES: [usize; 2] = [24, 3];

/// Defects of which no place is found wrong. It only gets shorter.
const MISSED: &[&str] = &[];

/// Places in a hundred that must be found wrong: what was reached. Of the others most make no difference where they
/// are (a bound that is never met, an operand that is positive anyhow, a value that a constant hides): with eight times
/// as many inputs only two in a hundred more are found.
const LEAST: usize = 69;

/// The fate of a mutant.
#[derive(Default)]
struct Told {
    injected: usize,
    found: usize,
    /// A program that shows it, with the wrong version.
    shown: Option<(usize, Module)>,
}

#[test]
fn wrong_rewrites_are_found() {
    let programs = programs();
    let expected: Vec<Vec<Expected<'_>>> = programs
        .iter()
        .map(|program| {
            program.trials.iter().filter_map(|trial| Expected::of(&program.before, trial).ok()).collect()
        })
        .collect();
    for (program, expected) in programs.iter().zip(&expected) {
        let wrong =
            expected.iter().find_map(|expected| expected.differs(&program.after, Tolerance::default()));
        assert_eq!(wrong, None, "{} is right before anything is injected", program.name);
    }
    let (mut injected, mut found) = (0, 0);
    let mut missed = Vec::new();
    for mutant in MUTANTS {
        let told = tried(mutant, &programs, &expected);
        println!("{:48} {:3} of {:3}", mutant.name, told.found, told.injected);
        injected += told.injected;
        found += told.found;
        match &told.shown {
            Some((program, wrong)) => named_by_the_checker(mutant, &programs[*program], wrong),
            None => missed.push(mutant.name),
        }
    }
    let rate = 100 * found / injected.max(1);
    println!(
        "{} of {} mutants found, {found} of {injected} places ({rate} %) in {} programs",
        MUTANTS.len() - missed.len(),
        MUTANTS.len(),
        programs.len()
    );
    assert_eq!(missed, MISSED, "mutants that are not found");
    assert!(rate >= LEAST, "{rate} % of the places");
}

/// Plants a mutant here and there.
fn tried(mutant: &Mutant, programs: &[Program], expected: &[Vec<Expected<'_>>]) -> Told {
    let [in_all, in_one] = PLACES;
    let mut told = Told::default();
    for (number, (program, expected)) in programs.iter().zip(expected).enumerate() {
        let mut here = 0;
        for (func, _) in program.after.funcs() {
            let mut from = 0;
            while let Some((wrong, at)) = mutant.inject(&program.after, func, from) {
                from = at + 1;
                if told.injected >= in_all || here >= in_one {
                    break;
                }
                if validate(&wrong).iter().any(|diag| diag.level == Level::Error) {
                    continue;
                }
                (told.injected, here) = (told.injected + 1, here + 1);
                if expected.iter().any(|expected| expected.differs(&wrong, Tolerance::default()).is_some()) {
                    told.found += 1;
                    told.shown = told.shown.or(Some((number, wrong)));
                }
            }
        }
    }
    told
}

/// The checker names the step at which the mutant was injected, and so does what the filetests ask.
fn named_by_the_checker(mutant: &Mutant, program: &Program, wrong: &Module) {
    let mut trace =
        Pipeline::parse("flatten, structurize, flatten").unwrap().trace(&program.before, Settings::default());
    let Some(last) = trace.steps.last_mut() else { return };
    last.version = wrong.clone();
    last.outcome = vitrine_core::pipeline::Outcome::Changed;
    let at = trace.steps.len() - 1;
    let mut checker = Checker::new(&trace, &program.trials, Tolerance::default());
    while checker.step() {}
    assert_eq!(checker.first_wrong(), Some(at), "{} in {}", mutant.name, program.name);
    let is_wrong = |trial| same(&program.before, wrong, trial, Tolerance::default()) == Some(false);
    assert!(program.trials.iter().any(is_wrong), "{} in {}", mutant.name, program.name);
}
