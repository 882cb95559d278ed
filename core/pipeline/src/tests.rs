//! Parsing pipelines, running them, and the contents of a trace.

use super::*;
use std::collections::{BTreeMap, BTreeSet};
use vitrine_ir::Reason;
use vitrine_passes::RunFn;
use vitrine_text::{parse, print_module};

const GRAPH: &str = "func @0(%0: b1) graph {\n^0:\n  branch %0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n}\n";

fn after(pipeline: &str, steps: Option<usize>) -> String {
    let module = Pipeline::parse(pipeline).unwrap().run(&parse(GRAPH).module, steps).unwrap();
    print_module(&module)
}

#[test]
fn steps_run_in_order_up_to_the_given_number() {
    assert!(after("structurize", None).contains("tree {"));
    assert!(after("structurize{switch-loop}, flatten", Some(1)).contains("loop !"));
    assert!(after("structurize, flatten", None).contains("graph {"));
    assert!(after("repeat(2: structurize, flatten)", None).contains("graph {"));
    assert!(after("fix(3: structurize)", None).contains("tree {"));
    assert_eq!(after("", None), GRAPH);
    assert_eq!(Pipeline::parse("ingest, fix(dce, cse), dce").unwrap().len(), 3);
}

#[test]
fn what_does_not_exist_is_named_with_its_place() {
    for (text, column, message) in [
        ("structurize, moon", 14, "there is no pass `moon`"),
        ("structurize{fast}", 13, "`structurize` has no option `fast`"),
        ("flatten{x}", 9, "`flatten` takes no options"),
        ("dce, flatten{", 6, "the braces of `flatten{` are not closed"),
        ("vars-to-values{max-leaves=x}", 16, "`x` is not a number for `max-leaves`"),
        ("fix(dce", 1, "this group is not closed"),
        ("dce)", 4, "there is no group to close here"),
        ("fix dce", 1, "`fix` must be followed by passes in parentheses"),
        ("repeat(dce)", 1, "`repeat` has no number of iterations"),
        ("fix(0: dce)", 5, "`0` is not a number from 1 to 1000"),
        ("dce cse", 5, "a comma is missing before `c`"),
        ("dce, -moon", 7, "there is no pass `moon`"),
        ("O1{x}", 4, "`O1` takes no options"),
        ("vars-to-values{max-leaves=2000000}", 16, "`max-leaves` must be from 0 to 1000000, not 2000000"),
        ("fix(fix(fix(fix(fix(fix(fix(fix(fix(dce)))))))))", 33, "groups nest more than 8 deep"),
    ] {
        let diag = Pipeline::parse(text).err().unwrap();
        assert_eq!(diag.message(), message);
        assert_eq!(diag.place.map(|place| place.column), Some(column), "{text}");
    }
}

#[test]
fn a_close_name_is_suggested() {
    for (text, help) in [
        ("ingst, dce", "did you mean `ingest`?"),
        ("algebraic{plian}", "did you mean `plain`? it takes facts, plain"),
        ("dce{x}", ""),
        ("moon", "the catalog lists all passes and presets"),
    ] {
        let diag = Pipeline::parse(text).err().unwrap();
        assert_eq!(diag.help.unwrap_or_default().to_string(), help, "{text}");
    }
}

#[test]
fn what_is_switched_off_stays_and_does_not_run() {
    assert!(after("structurize, -flatten", None).contains("tree {"));
    assert_eq!(after("-repeat(2: structurize, flatten), -ingest", None), GRAPH);
    assert!(after("fix(-flatten, structurize)", None).contains("tree {"));
    assert_eq!(Pipeline::parse("-dce, cse, -O1").unwrap().len(), 1);
}

#[test]
fn a_step_knows_its_row_and_somebody_may_watch() {
    let module = parse(GRAPH).module;
    let pipeline = Pipeline::parse("-cse, repeat(2: structurize, flatten), ingest").unwrap();
    let mut seen = Vec::new();
    let mut watch = |done, pass| seen.push((done, pass));
    let trace = pipeline.trace(&module, Settings { watch: Some(&mut watch), ..Settings::default() });
    let rows: Vec<usize> = trace.steps.iter().map(|step| step.row).collect();
    assert_eq!(rows[..6], [2, 3, 2, 3, 4, 4]);
    assert_eq!(seen[..3], [(0, "structurize"), (1, "flatten"), (2, "structurize")]);
    assert_eq!(seen.len(), trace.steps.len());
}

#[test]
fn steps_of_two_groups_are_told_apart() {
    let module = parse(GRAPH).module;
    let pipeline = Pipeline::parse("cse, repeat(2: dce, repeat(1: cse)), repeat(1: dce)").unwrap();
    let trace = pipeline.trace(&module, Settings::default());
    let groups: Vec<u32> = trace.steps.iter().map(|step| step.group).collect();
    assert_eq!(groups, [0, 1, 2, 1, 3, 4]);
}

#[test]
fn every_pass_and_preset_is_documented_and_reads() {
    assert!(PASSES.iter().all(|pass| pass.doc.ends_with('.')));
    assert!(
        PASSES
            .iter()
            .all(|pass| (pass.about)().starts_with(&format!("`{}", pass.name)) && (pass.about)().len() > 200)
    );
    for preset in PRESETS {
        assert!(preset.doc.ends_with('.'));
        assert!(preset.entries.iter().all(|(_, reason)| reason.ends_with('.')));
        assert!(Pipeline::parse(preset.name).is_ok(), "{}", preset.name);
    }
}

#[test]
fn passes_that_undo_each_other_are_named() {
    let module = parse(GRAPH).module;
    let pipeline = Pipeline::parse("fix(50: structurize, flatten)").unwrap();
    let trace = pipeline.trace(&module, Settings::default());
    assert!(trace.is_sound());
    assert!(trace.steps.len() < 20, "{}", trace.steps.len());
    assert_eq!(trace.notes[0].message(), "these passes undo each other: `flatten`, `structurize`");
}

/// Pipelines of passes that rebuild functions, run on the programs of all filetests.
const REBUILDING: &[&str] = &[
    "flatten, structurize, lower-exits{sm3}",
    "structurize{imported}, lower-exits{spirv}",
    "structurize{switch-loop}, regs-to-values",
    "flatten, structurize{switch-loop}, values-to-regs, coalesce-regs, regs-to-values",
    "flatten, values-to-regs, coalesce-regs, regs-to-values, structurize",
    "lower-exits{wgsl}",
    "lower-exits{glsl}",
    "lower-exits{tpf}",
    "lower-fall-through",
    "inline-functions",
    "promote-params",
    "qptr-infer-storage",
    "vars-to-values",
    "regs-to-values",
];

#[test]
fn passes_that_rebuild_functions_give_a_reason_for_every_change() {
    let mut explained: BTreeMap<&str, usize> = BTreeMap::new();
    let mut missing: BTreeSet<String> = BTreeSet::new();
    let folders = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/filetests")).unwrap();
    let files = folders.flatten().filter_map(|folder| std::fs::read_dir(folder.path()).ok()).flatten();
    let texts = files.flatten().filter_map(|file| std::fs::read_to_string(file.path()).ok());
    let programs: Vec<Module> = texts
        .map(|text| parse(text.split("\n----").next().unwrap_or("")))
        .filter(|parsed| parsed.diags.is_empty())
        .map(|parsed| parsed.module)
        .collect();
    for pipeline in REBUILDING {
        let pipeline = Pipeline::parse(pipeline).unwrap();
        for module in &programs {
            for step in pipeline.trace(module, Settings { validate: false, ..Settings::default() }).steps {
                for (event, reason) in step.journals.iter().flat_map(|(_, journal)| journal.events()) {
                    match reason {
                        Reason::Pass => _ = missing.insert(format!("{}: {event:?}", step.text())),
                        Reason::Note(_) | Reason::Rule(_) => *explained.entry(step.pass).or_default() += 1,
                    }
                }
            }
        }
    }
    assert!(missing.is_empty(), "{missing:#?}");
    for pass in PASSES.iter().filter(|pass| matches!(pass.run, RunFn::Rebuilds(_))) {
        assert!(explained.contains_key(pass.name), "no program for `{}`", pass.name);
    }
}
