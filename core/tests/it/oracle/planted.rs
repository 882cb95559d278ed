//! Are wrong rewrites found? Each defect is planted in many places of many programs, and the programs are run.

use super::defects::{DEFECTS, Defect};
use super::pool::{Program, programs};
use vitrine_core::ir::{Level, Module};
use vitrine_core::pipeline::check::{Checker, Expected, Tolerance, same};
use vitrine_core::pipeline::{Pipeline, Settings};
use vitrine_core::validate::validate;

/// Places of a defect that are tried, in all and in one program.
const PLACES: [usize; 2] = [24, 3];

/// Defects of which no place is found wrong. It only gets shorter.
const MISSED: &[&str] = &[];

/// Places in a hundred that must be found wrong: what was reached. Of the others most make no difference where they
/// are (a bound that is never met, an operand that is positive anyhow, a value that a constant hides): with eight times
/// as many inputs only two in a hundred more are found.
const LEAST: usize = 69;

/// What became of a defect.
#[derive(Default)]
struct Told {
    planted: usize,
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
        assert_eq!(wrong, None, "{} is right before anything is planted", program.name);
    }
    let (mut planted, mut found) = (0, 0);
    let mut missed = Vec::new();
    for defect in DEFECTS {
        let told = tried(defect, &programs, &expected);
        println!("{:48} {:3} of {:3}", defect.name, told.found, told.planted);
        planted += told.planted;
        found += told.found;
        match &told.shown {
            Some((program, wrong)) => named_by_the_checker(defect, &programs[*program], wrong),
            None => missed.push(defect.name),
        }
    }
    let rate = 100 * found / planted.max(1);
    println!(
        "{} of {} defects found, {found} of {planted} places ({rate} %) in {} programs",
        DEFECTS.len() - missed.len(),
        DEFECTS.len(),
        programs.len()
    );
    assert_eq!(missed, MISSED, "defects that are not found");
    assert!(rate >= LEAST, "{rate} % of the places");
}

/// Plants a defect here and there.
fn tried(defect: &Defect, programs: &[Program], expected: &[Vec<Expected<'_>>]) -> Told {
    let [in_all, in_one] = PLACES;
    let mut told = Told::default();
    for (number, (program, expected)) in programs.iter().zip(expected).enumerate() {
        let mut here = 0;
        for (func, _) in program.after.funcs() {
            let mut from = 0;
            while let Some((wrong, at)) = defect.plant(&program.after, func, from) {
                from = at + 1;
                if told.planted >= in_all || here >= in_one {
                    break;
                }
                if validate(&wrong).iter().any(|diag| diag.level == Level::Error) {
                    continue;
                }
                (told.planted, here) = (told.planted + 1, here + 1);
                if expected.iter().any(|expected| expected.differs(&wrong, Tolerance::default()).is_some()) {
                    told.found += 1;
                    told.shown = told.shown.or(Some((number, wrong)));
                }
            }
        }
    }
    told
}

/// The checker names the step at which the defect was planted, and so does what the filetests ask.
fn named_by_the_checker(defect: &Defect, program: &Program, wrong: &Module) {
    let mut trace =
        Pipeline::parse("flatten, structurize, flatten").unwrap().trace(&program.before, Settings::default());
    let Some(last) = trace.steps.last_mut() else { return };
    last.version = wrong.clone();
    last.outcome = vitrine_core::pipeline::Outcome::Changed;
    let at = trace.steps.len() - 1;
    let mut checker = Checker::new(&trace, &program.trials, Tolerance::default());
    while checker.step() {}
    assert_eq!(checker.first_wrong(), Some(at), "{} in {}", defect.name, program.name);
    let is_wrong = |trial| same(&program.before, wrong, trial, Tolerance::default()) == Some(false);
    assert!(program.trials.iter().any(is_wrong), "{} in {}", defect.name, program.name);
}
