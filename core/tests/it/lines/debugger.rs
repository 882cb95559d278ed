//! Tests of stepping by lines of the source, on a loop of GLSL.

use StepCommand::{Continue, Into, LineBack, LineInto, LineOut, LineOver, ToSource};
use vitrine_core::pipeline::{Pipeline, Settings};
use vitrine_core::view_model::debugger::Debugger;
use vitrine_protocol::{Question, Report, StepCommand, StepReport, Task, Watches};

const SUM: &str = include_str!("../../lines/sum.spvasm");

fn to_end(debugger: &mut Debugger, task: &Task) -> Report {
    debugger.begin(task);
    while debugger.slice(&mut || true) {}
    debugger.report().unwrap()
}

/// Runs the last version, and begins to step through its first invocation.
fn stepping(input: &[u8], pipeline: &str) -> Debugger {
    let mut debugger = Debugger::new();
    debugger.give(input.to_vec());
    debugger.open(pipeline, &mut |_, _| {});
    let module = vitrine_core::front::read(input).1.module;
    let steps = Pipeline::parse(pipeline).unwrap().trace(&module, Settings::default()).steps.len();
    let run = Task::Run {
        entry: Some(0),
        seed: 1,
        version: steps as u32,
        compare: false,
        assignments: String::new(),
        pictures: Vec::new(),
    };
    let Report::Run(ran) = to_end(&mut debugger, &run) else { panic!("not a run") };
    assert!(ran.refused.is_empty(), "{ran:?}");
    to_end(&mut debugger, &Task::Debug { target: [0, 0] });
    debugger
}

fn state(debugger: &Debugger) -> StepReport {
    let Some(Report::Step(report)) = debugger.report() else { panic!("not a step") };
    *report
}

fn step(debugger: &mut Debugger, command: StepCommand, line: u32) -> StepReport {
    to_end(debugger, &Task::Step { command, line });
    state(debugger)
}

fn stop_at(debugger: &mut Debugger, stops: &[&str]) {
    let stops = stops.iter().map(|&stop| stop.to_owned()).collect();
    debugger.ask(&Question::Watch(Watches { stops, watches: vec!["i".to_owned()] }));
}

/// The line of the source.
fn line(report: &StepReport) -> u32 {
    report.source.as_ref().and_then(|source| source.position.as_ref()).map_or(0, |position| position.line)
}

/// The value of a variable, or of a part of it.
fn value<'a>(report: &'a StepReport, name: &str, path: &str) -> Option<&'a str> {
    let variables = report.source.iter().flat_map(|source| &source.variables);
    variables.into_iter().find(|of| of.name == name && of.path == path).map(|of| of.value.as_str())
}

#[test]
fn a_loop_is_stepped_through_by_its_lines() {
    let mut debugger = stepping(SUM.as_bytes(), "");
    let first = state(&debugger).source.unwrap().lines;
    assert!(first.iter().any(|line| line.starts_with("    for (int i = 0")), "{first:?}");
    let to = step(&mut debugger, ToSource, 20);
    assert_eq!((line(&to), value(&to, "i", "")), (20, Some("0")), "{to:?}");
    assert_eq!((value(&to, "pair", ".low"), value(&to, "pair", ".high")), (Some("3"), Some("0.5")));
    assert_eq!(line(&step(&mut debugger, LineInto, 0)), 9, "into the function");
    let inside = step(&mut debugger, LineInto, 0);
    assert_eq!((line(&inside), value(&inside, "y", "")), (10, Some("0")), "{inside:?}");
    assert_eq!(value(&inside, "x", ""), Some("0"), "passed by address: {inside:?}");
    let out = step(&mut debugger, LineOut, 0);
    assert_eq!(line(&out), 20, "{out:?}");
    assert_eq!(line(&step(&mut debugger, LineOver, 0)), 18);
    let next = step(&mut debugger, LineOver, 0);
    assert_eq!((line(&next), value(&next, "i", ""), value(&next, "sum", "")), (19, Some("1"), Some("3")));
    assert_eq!(line(&step(&mut debugger, LineOver, 0)), 20);
    assert_eq!(line(&step(&mut debugger, LineOver, 0)), 18, "over the function");
}

#[test]
fn a_step_back_goes_to_the_line_before() {
    let mut debugger = stepping(SUM.as_bytes(), "");
    step(&mut debugger, ToSource, 19);
    let there = step(&mut debugger, ToSource, 20);
    let back = step(&mut debugger, LineBack, 0);
    assert_eq!((line(&back), line(&there)), (19, 20));
    let again = step(&mut debugger, LineInto, 0);
    assert_eq!((line(&again), again.steps), (20, there.steps));
    // In the middle of a line, to its start.
    step(&mut debugger, Into, 0);
    assert_eq!(step(&mut debugger, LineBack, 0).steps, there.steps);
}

#[test]
fn breakpoints_stop_at_lines_and_their_conditions_hold() {
    let mut debugger = stepping(SUM.as_bytes(), "");
    stop_at(&mut debugger, &["line 20 if i == 2", "line 12", "line x"]);
    let stopped = step(&mut debugger, Continue, 0);
    assert_eq!((line(&stopped), value(&stopped, "i", "")), (20, Some("2")), "{stopped:?}");
    assert_eq!(stopped.stopped, "Stopped at the breakpoint line 20 if i == 2");
    let [one, two] = &stopped.wrong_stops[..] else { panic!("{stopped:?}") };
    assert!(one.stop == 1 && one.reason.starts_with("no instruction of this version is on line 12; line "));
    assert_eq!((two.stop, two.reason.as_str()), (2, "write a line of the source: line 12"));
    let end = step(&mut debugger, Continue, 0);
    assert!(end.finished, "{end:?}");
    to_end(&mut debugger, &Task::Debug { target: [0, 0] });
    stop_at(&mut debugger, &["line 19"]);
    let turns = (0..4).map(|_| step(&mut debugger, Continue, 0)).filter(|at| line(at) == 19).count();
    assert_eq!(turns, 4, "once in each iteration");
}

#[test]
fn a_variable_is_followed_into_optimized_code() {
    let mut debugger = stepping(SUM.as_bytes(), "ingest, O1");
    let there = step(&mut debugger, ToSource, 20);
    assert_eq!((line(&there), value(&there, "sum", "")), (20, Some("0")), "{there:?}");
    let gone = |report: &StepReport, name: &str| {
        report.source.iter().flat_map(|source| &source.removed).find(|of| of.name == name).cloned()
    };
    let unused = gone(&there, "unused").unwrap_or_else(|| panic!("{there:?}"));
    assert!(unused.step > 0 && !unused.pass.is_empty(), "{unused:?}");
    let mut unrolled = stepping(SUM.as_bytes(), "ingest, O2");
    let end = step(&mut unrolled, ToSource, 22);
    assert_eq!(line(&end), 22, "{end:?}");
    assert!(gone(&end, "i").is_some(), "{end:?}");
}

#[test]
fn a_program_without_lines_runs_to_its_end() {
    let mut debugger = stepping(include_bytes!("../../../../www/examples/loop.ir"), "");
    assert_eq!(state(&debugger).source.unwrap().position, None);
    assert!(step(&mut debugger, LineInto, 0).finished, "to the end");
}
