//! Tests of stepping by lines of the source, on a loop of GLSL.

use vitrine_core::pipeline::{Pipeline, Settings};
use vitrine_core::view_model::debugger::{Answer, Debugger};

const SUM: &str = include_str!("../../lines/sum.spvasm");

/// The numbers of `StepCommand`: lines into, over, out, to, back; to a breakpoint.
const INTO: u32 = 7;
const OVER: u32 = 8;
const OUT: u32 = 9;
const TO: u32 = 10;
const BACK: u32 = 11;
const ON: u32 = 6;

fn stepping(pipeline: &str) -> Debugger {
    let mut debugger = Debugger::new();
    debugger.give(SUM.as_bytes().to_vec());
    debugger.open(pipeline, &mut |_, _| {});
    let module = vitrine_core::front::read(SUM.as_bytes()).1.module;
    let steps = Pipeline::parse(pipeline).unwrap().trace(&module, Settings::default()).steps.len();
    let version = steps as u32;
    debugger.begin("run", &[0, 1, version, 0]);
    while debugger.slice(&mut || true) {}
    assert!(!debugger.answer().text.starts_with('!'), "{}", debugger.answer().text);
    debugger.begin("debug", &[0, 0]);
    while debugger.slice(&mut || true) {}
    debugger
}

fn step(debugger: &mut Debugger, how: u32, line: u32) -> Answer {
    debugger.begin("step", &[how, line]);
    while debugger.slice(&mut || true) {}
    debugger.answer()
}

/// The line of the source.
fn line(answer: &Answer) -> u32 {
    let found = answer.text.lines().find_map(|line| line.strip_prefix('l'));
    found.and_then(|cells| cells.split('\t').next()).map_or(0, |line| line.parse().unwrap())
}

/// The value of a variable, or of a part of it.
fn value<'a>(answer: &'a Answer, name: &str, path: &str) -> Option<&'a str> {
    let head = format!("u{name}\t{path}\t");
    answer.text.lines().find_map(|line| line.strip_prefix(&head)?.split('\t').next())
}

#[test]
fn a_loop_is_stepped_through_by_its_lines() {
    let mut debugger = stepping("");
    let first = debugger.answer();
    assert!(first.text.lines().any(|line| line.starts_with("t    for (int i = 0")), "{}", first.text);
    let to = step(&mut debugger, TO, 20);
    assert_eq!((line(&to), value(&to, "i", "")), (20, Some("0")), "{}", to.text);
    assert_eq!((value(&to, "pair", ".low"), value(&to, "pair", ".high")), (Some("3"), Some("0.5")));
    assert_eq!(line(&step(&mut debugger, INTO, 0)), 9, "into the function");
    let inside = step(&mut debugger, INTO, 0);
    assert_eq!((line(&inside), value(&inside, "y", "")), (10, Some("0")), "{}", inside.text);
    let out = step(&mut debugger, OUT, 0);
    assert_eq!(line(&out), 20, "{}", out.text);
    assert_eq!(line(&step(&mut debugger, OVER, 0)), 18);
    let next = step(&mut debugger, OVER, 0);
    assert_eq!((line(&next), value(&next, "i", ""), value(&next, "sum", "")), (19, Some("1"), Some("3")));
    assert_eq!(line(&step(&mut debugger, OVER, 0)), 20);
    assert_eq!(line(&step(&mut debugger, OVER, 0)), 18, "over the function");
}

#[test]
fn a_step_back_goes_to_the_line_before() {
    let mut debugger = stepping("");
    step(&mut debugger, TO, 19);
    let there = step(&mut debugger, TO, 20);
    let back = step(&mut debugger, BACK, 0);
    assert_eq!((line(&back), line(&there)), (19, 20));
    let again = step(&mut debugger, INTO, 0);
    assert_eq!((line(&again), again.numbers[1]), (20, there.numbers[1]));
    // In the middle of a line, to its start.
    step(&mut debugger, 0, 0);
    assert_eq!(step(&mut debugger, BACK, 0).numbers[1], there.numbers[1]);
}

#[test]
fn breakpoints_stop_at_lines_and_their_conditions_hold() {
    let mut debugger = stepping("");
    debugger.watch("line 20 if i == 2\nline 12\nline x", "i");
    let stopped = step(&mut debugger, ON, 0);
    assert_eq!((line(&stopped), value(&stopped, "i", "")), (20, Some("2")), "{}", stopped.text);
    assert!(stopped.text.contains("hStopped at the breakpoint line 20 if i == 2\n"), "{}", stopped.text);
    assert!(stopped.text.contains("b1\tno instruction of this version is on line 12; line "));
    assert!(stopped.text.contains("b2\twrite a line of the source: line 12\n"));
    let end = step(&mut debugger, ON, 0);
    assert_eq!(end.numbers[0], 1, "{}", end.text);
    debugger.begin("debug", &[0, 0]);
    while debugger.slice(&mut || true) {}
    debugger.watch("line 19", "");
    let turns = (0..4).map(|_| step(&mut debugger, ON, 0)).filter(|at| line(at) == 19).count();
    assert_eq!(turns, 4, "once in each iteration");
}

#[test]
fn a_variable_is_followed_into_optimized_code() {
    let mut debugger = stepping("ingest, O1");
    let there = step(&mut debugger, TO, 20);
    assert_eq!((line(&there), value(&there, "sum", "")), (20, Some("0")), "{}", there.text);
    let gone = there.text.lines().find_map(|line| line.strip_prefix("ounused\t"));
    let cells: Vec<&str> = gone.unwrap_or_else(|| panic!("{}", there.text)).split('\t').collect();
    assert!(cells[0].parse::<u32>().unwrap() > 0 && !cells[1].is_empty(), "{cells:?}");
    let mut unrolled = stepping("ingest, O2");
    let end = step(&mut unrolled, TO, 22);
    assert_eq!(line(&end), 22, "{}", end.text);
    assert!(end.text.lines().any(|line| line.starts_with("oi\t")), "{}", end.text);
}

#[test]
fn a_program_without_lines_runs_to_its_end() {
    let mut debugger = Debugger::new();
    debugger.give(include_bytes!("../../../../www/examples/loop.ir").to_vec());
    debugger.open("", &mut |_, _| {});
    debugger.begin("run", &[0, 1, 0, 0]);
    while debugger.slice(&mut || true) {}
    debugger.begin("debug", &[0, 0]);
    while debugger.slice(&mut || true) {}
    assert!(debugger.answer().text.lines().any(|line| line == "n"));
    assert_eq!(step(&mut debugger, INTO, 0).numbers[0], 1, "to the end");
}
