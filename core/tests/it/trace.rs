//! The contents of a trace: versions, differences by id, histories, failures.
//!
//! Small modules of the corpora are traced too.
#![allow(clippy::print_stdout)]

use crate::testing::corpus::of_sets;
use crate::testing::texts::module;
use std::path::PathBuf;
use vitrine_core::analysis::Cfg;
use vitrine_core::base::EntityId;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Editor, Event, Func, InsertPoint, Inst, Origin, Reason, Site};
use vitrine_core::pipeline::diff::{self, Change};
use vitrine_core::pipeline::{Outcome, Pipeline, Settings, Skip, Trace, TraceStep, history};
use vitrine_core::text::{parse, print_module};
use vitrine_core::validate::validate;

const FUNC: &str = "func @0(%0: b32) -> b32 graph {
^0:
  %1: b32 = const 8
  %2: b32 = imul %0, %1
  %3: b32 = mov %2
  %4: b32 = iadd %3, %3
  goto ^1
^1:
  %5: b32 = isub %4, %4
  %6: b32 = iadd %4, %5
  return %6
}
";

fn trace(text: &str, pipeline: &str) -> Trace {
    Pipeline::parse(pipeline).unwrap().trace(&module(text), Settings::default())
}

fn func() -> Func {
    Func::from_index(0)
}

fn inst(at: usize) -> Inst {
    Inst::from_index(at)
}

#[test]
fn a_step_records_its_outcome() {
    let mut ticks = 0;
    let mut clock = || {
        ticks += 5;
        ticks
    };
    let settings = Settings { clock: Some(&mut clock), ..Settings::default() };
    let pipeline = Pipeline::parse("copy-prop, structurize{imported}, fix(algebraic, dce)").unwrap();
    let trace = pipeline.trace(&module(FUNC), settings);
    let outcomes: Vec<String> = trace
        .steps
        .iter()
        .map(|step| {
            let outcome = if step.skipped.is_some() { "skipped" } else { step.outcome.name() };
            format!("{}{:?} {outcome} {}", step.pass, step.iterations, step.stats.insts)
        })
        .collect();
    let expected = [
        "copy-prop[] changed 4",
        "structurize[] changed 4",
        "algebraic[0] changed 2",
        "dce[0] changed 2",
        "algebraic[1] unchanged 2",
        "dce[1] skipped 2",
    ];
    assert_eq!(outcomes, expected);
    assert!(trace.is_sound() && trace.notes.is_empty());
    let time = |step: &TraceStep| if step.skipped.is_some() { 0 } else { 5 };
    assert!(trace.steps.iter().all(|step| step.nanos == time(step)));
    assert_eq!(trace.steps[1].options, "imported");
    assert_eq!((trace.len(), trace.stats_of(0).unwrap().insts), (7, 5));
    // Unchanged parts are shared: an unchanged step costs only pointers.
    let [before, after] = [5, 6].map(|at| trace.version(at).unwrap().func(func()).unwrap());
    assert!(before.same_version(after));
}

#[test]
fn differences_are_by_id() {
    let before = module(FUNC);
    let mut after = before.clone();
    let mut ed = Editor::new(&mut after, func()).unwrap();
    let zero = ed.int(vitrine_core::ops::Width::W32, 0);
    let added =
        ed.insert(InsertPoint::Start(ed.func().entry().unwrap()), zero.clone(), Reason::Pass).unwrap();
    ed.move_to(inst(1), InsertPoint::After(inst(3)), Reason::Pass).unwrap_or(());
    ed.rewrite(inst(5), zero, Reason::Pass).unwrap();
    ed.replace(inst(3), inst(2), Reason::Pass).unwrap();
    ed.finish();
    let found = diff::function(&before, &after, func());
    assert_eq!(found.of_inst(added), Some(Change::Added));
    assert_eq!(found.of_inst(inst(5)), Some(Change::Changed));
    assert_eq!(found.of_inst(inst(3)), Some(Change::Gone));
    assert_eq!(found.of_inst(inst(4)), Some(Change::Changed));
    // If two instructions are swapped, one of them has moved.
    let moved = [1, 2].map(|at| found.of_inst(inst(at)));
    assert_eq!(moved.iter().flatten().collect::<Vec<_>>(), [&Change::Moved]);
    assert_eq!(found.of_inst(inst(6)), None);
    assert!(found.blocks.is_empty());
    let back = diff::function(&after, &before, func());
    assert_eq!(back.of_inst(added), Some(Change::Gone));
    assert_eq!(back.insts.len(), found.insts.len());
    assert!(diff::modules(&after, &after.clone()).is_empty());
}

#[test]
fn a_difference_of_shapes_consists_of_terminators_and_nodes() {
    let trace = trace(
        "func @0(%0: b1) graph {\n^0:\n  branch %0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n}\n",
        "structurize",
    );
    let found = trace.diff(0, 1);
    let inside = &found.inside[0];
    assert!(inside.itself && inside.insts.is_empty());
    assert!(inside.nodes.iter().all(|&(_, change)| change == Change::Added));
    assert!(inside.blocks.iter().all(|&(_, change)| change != Change::Gone));
}

/// Every difference between two versions is named by the journals of the steps between them.
#[test]
fn journals_contain_every_difference() {
    let trace = trace(FUNC, "structurize, O1");
    for (at, step) in trace.steps.iter().enumerate() {
        let found = trace.diff(at, at + 1);
        assert_eq!(found.is_empty(), step.outcome == Outcome::Unchanged, "{}", step.pass);
        for inside in &found.inside {
            let (_, journal) = step.journals.iter().find(|(func, _)| Some(*func) == inside.func).unwrap();
            let names = journal.names();
            assert!(inside.insts.iter().all(|&(inst, _)| names.has(inst)), "{}", step.pass);
            assert!(inside.blocks.iter().all(|&(block, _)| names.has(block)), "{}", step.pass);
            assert!(inside.nodes.iter().all(|&(node, _)| names.has(node)), "{}", step.pass);
        }
    }
}

#[test]
fn a_history_links_to_the_source_and_to_the_final_version() {
    let mut input = module(FUNC);
    let mut ed = Editor::new(&mut input, func()).unwrap();
    for at in 1..7 {
        let origin = Origin { word_offset: Some(at as u32 * 10), line: at as u32, ..Origin::default() };
        ed.set_origin(inst(at), origin).unwrap();
    }
    ed.finish();
    let trace = Pipeline::parse("O1").unwrap().trace(&input, Settings::default());
    let last = trace.len() - 1;
    // The copy is replaced by its operand, which is now a shift with its original id.
    let future = history::future(&trace, 0, func(), inst(3));
    assert_eq!(future.values, [inst(2)]);
    let replaced = Event::Replace { old: inst(3), new: inst(2) };
    assert!(future.entries.iter().any(|state| state.event == replaced));
    assert!(future.entries.iter().any(|state| matches!(state.why, Reason::Rule(_))));
    let past = history::past(&trace, last, func(), inst(2));
    assert_eq!(past.origins.iter().map(|origin| origin.line).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(past.values, [inst(2), inst(3)]);
    // The result of a rule has the origin of the root instruction.
    let body = trace.last().func(func()).unwrap();
    let made: Vec<Inst> = body.blocks_in_order().iter().flat_map(|&b| body.block(b).insts.to_vec()).collect();
    for &value in made.iter().filter(|value| value.index() > 6) {
        assert!(!history::past(&trace, last, func(), value).origins.is_empty(), "{value} has no origin");
    }
    // Unused values have no successors.
    assert!(history::future(&trace, 0, func(), inst(5)).values.is_empty());
    let gone = history::future(&trace, 0, func(), inst(5)).entries;
    assert!(gone.iter().any(|state| state.event == Event::Erase(Site::Inst(inst(5)))));
}

#[test]
fn a_pass_that_fails_is_reported_as_the_last_step() {
    // An edge without a target block, which no front end creates; this test does not validate.
    let broken = "func @0(%0: b1) graph {\n^0:\n  branch %0, ^7, ^0\n}\n";
    let input = parse(broken).module;
    let trace = Pipeline::parse("copy-prop, structurize, dce").unwrap().trace(&input, Settings::default());
    let last = trace.steps.last().unwrap();
    assert_eq!((last.pass, last.outcome.name()), ("structurize", "failed"));
    assert!(!trace.is_sound());
    assert_eq!(print_module(&last.version), print_module(&input));
}

/// Paths of the modules with fewer than `most` bytes.
fn corpus(most: usize) -> Vec<PathBuf> {
    let mut modules = of_sets(&["cases", "structure", "samples"]);
    modules.retain(|item| 4 * item.words() < most);
    assert!(modules.len() > 50, "{} modules", modules.len());
    modules.into_iter().map(|item| item.path).collect()
}

/// Passes that rebuild functions keep ids, so that differences show only their changes.
#[test]
fn rebuilding_passes_keep_ids() {
    for path in corpus(8_000) {
        let input = read(&std::fs::read(&path).unwrap()).module;
        let trace =
            Pipeline::parse("structurize{imported}, flatten").unwrap().trace(&input, Settings::default());
        assert!(trace.is_sound(), "{}", path.display());
        for inside in &trace.diff(0, 1).inside {
            let body = inside.func.and_then(|func| input.func(func)).unwrap();
            let reached: Vec<Inst> =
                Cfg::of(body).rpo().iter().flat_map(|&block| body.block(block).insts.to_vec()).collect();
            let gone = |(inst, change): &&(Inst, Change)| *change == Change::Gone && reached.contains(inst);
            let odd: Vec<_> = inside.insts.iter().filter(gone).collect();
            assert!(odd.is_empty(), "{}: structurize drops {odd:?}", path.display());
        }
        for inside in &trace.diff(1, 2).inside {
            assert!(inside.insts.is_empty(), "{}: flatten touches {:?}", path.display(), inside.insts);
        }
    }
}

/// Every instruction that remains after optimization has an origin in the binary.
#[test]
fn remaining_instructions_of_a_binary_have_a_history() {
    let (mut with, mut without) = (0, 0);
    let mut odd = std::collections::BTreeMap::new();
    for path in corpus(6_000) {
        let input = read(&std::fs::read(&path).unwrap()).module;
        assert!(validate(&input).is_empty());
        let trace = Pipeline::parse("ingest, O1").unwrap().trace(&input, Settings::default());
        assert!(trace.is_sound(), "{}", path.display());
        for (func, body) in trace.last().funcs() {
            for inst in body.blocks_in_order().iter().flat_map(|&block| body.block(block).insts.to_vec()) {
                // Instructions that the front end creates without an origin are excluded.
                let read = input.func(func).unwrap();
                let unsaid = read.tables().insts.contains(inst) && read.origin(inst) == Origin::default();
                if body.const_of(inst).is_some() || unsaid {
                    continue;
                }
                let past = history::past(&trace, trace.len() - 1, func, inst);
                match past.origins.iter().any(|origin| origin.word_offset.is_some() || origin.line > 0) {
                    true => with += 1,
                    false => {
                        without += 1;
                        *odd.entry(body.inst(inst).op.name()).or_insert(0) += 1;
                    }
                }
            }
        }
    }
    println!("{with} instructions with an origin in the binary, {without} without: {odd:?}");
    assert!(with == 0 || without * 20 < with, "{without} of {} have no origin", with + without);
}

/// The requirements of a pass are checked before it runs, and reported as text.
#[test]
fn a_pass_with_nothing_to_do_is_skipped_with_a_reason() {
    let outcomes = |text: &str, pipeline: &str| -> Vec<String> {
        let trace = Pipeline::parse(pipeline).unwrap().trace(&module(text), Settings::default());
        assert!(trace.is_sound());
        let outcome =
            |step: &TraceStep| step.skipped.as_ref().map_or_else(|| "ran".to_owned(), ToString::to_string);
        trace.steps.iter().map(outcome).collect()
    };
    let tree = "func @0() tree {\n^0:\n  return\n}\n";
    let graph = "func @0() graph {\n^0:\n  return\n}\n";
    assert_eq!(
        outcomes(tree, "structurize, flatten, if-unnest"),
        [
            "requires graphs, but no function is one; `flatten` creates them",
            "ran",
            "requires trees, but no function is one; `structurize` creates them"
        ]
    );
    // A single function of the shape suffices; a module without functions satisfies every requirement.
    assert_eq!(
        outcomes(&format!("{tree}\n{}", graph.replace("@0", "@1")), "structurize, if-unnest"),
        ["ran", "ran"]
    );
    assert_eq!(outcomes("", "structurize"), ["ran"]);
    let compute = format!("entry compute \"main\" @0 () {{local_size 1 1 1}}\n\n{tree}");
    assert_eq!(
        outcomes(&compute, "discard-to-demote, lower-io, dce"),
        [
            "requires fragment shaders, but this is for compute",
            "requires vertex and fragment shaders, but this is for compute",
            "ran"
        ]
    );
    // A module without entry points may be part of any shader.
    assert_eq!(outcomes(tree, "discard-to-demote"), ["ran"]);
}

/// A pass that changes nothing is skipped until the program changes. This holds for function and module passes,
/// at any position of the pipeline, with the same options.
#[test]
fn a_pass_does_not_run_twice_on_the_same_program() {
    let pipeline =
        Pipeline::parse("repeat(2: remove-dead-variables, dce), constant-fold, repeat(2: cse, dce)").unwrap();
    let trace = pipeline.trace(&module(FUNC), Settings::default());
    let outcomes: Vec<(&str, bool)> =
        trace.steps.iter().map(|step| (step.pass, step.skipped == Some(Skip::Settled))).collect();
    let settled: Vec<&str> = outcomes.iter().filter(|(_, settled)| *settled).map(|(pass, _)| *pass).collect();
    assert_eq!(settled, ["remove-dead-variables", "dce", "dce", "cse", "dce"], "{outcomes:?}");
    let text = "structurize, cse, remove-dead-variables, algebraic{plain}, algebraic, cse, remove-dead-variables, flatten, cse";
    let plain = "func @0(%0: b32, %1: b32) -> b32 graph {\n^0:\n  %2: b32 = iadd %0, %1\n  goto ^1\n^1:\n  return %2\n}\n";
    let again = self::trace(plain, text);
    let outcomes: Vec<(&str, bool, bool)> = again
        .steps
        .iter()
        .map(|step| (step.pass, step.skipped == Some(Skip::Settled), step.outcome == Outcome::Changed))
        .collect();
    assert_eq!(
        outcomes,
        [
            ("structurize", false, true),
            ("cse", false, false),
            ("remove-dead-variables", false, false),
            ("algebraic", false, false),
            ("algebraic", false, false),
            ("cse", true, false),
            ("remove-dead-variables", true, false),
            ("flatten", false, true),
            ("cse", false, false),
        ]
    );
}
