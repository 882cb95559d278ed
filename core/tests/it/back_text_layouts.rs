//! Buffers of every kind of layout in every language: the judge of each accepts the text, and the results are the same.
//!
//! The programs are the inputs of `filetests/lower-layout`. A language that lacks the types of a program refuses it, for a
//! reason that is listed here; no program is refused for its layout.
#![allow(clippy::print_stdout)] // the counts are output

use crate::testing::dxc::Dxc;
use crate::testing::glslang::Glslang;
use crate::testing::metal::Metal;
use crate::testing::tint::Tint;
use crate::{back_text, back_text_essl, back_text_hlsl, back_text_msl, back_text_wgsl};
use vitrine_core::analysis::{LayoutTarget, LayoutVerdict, buffer_layouts};
use vitrine_core::back::text::resources;
use vitrine_core::back::{Source, Written, all_funcs, named};
use vitrine_core::back::{SpirvOptions, write_spirv};
use vitrine_core::ir::Module;
use vitrine_core::pipeline::{Pipeline, Settings, write};
use vitrine_core::text::parse;
use vitrine_filetests::files;

/// Programs that a language refuses for other reasons than their layout.
const REFUSED: &[(&str, &str, &str)] = &[
    ("essl-310", "sixteen-bits", "numbers of 16 bits"),
    ("wgsl", "sixteen-bits", "numbers of 16 bits"),
    ("hlsl", "sixteen-bits", "loads numbers of 16 bits from bytes, which the text does for 32 and 64 bits"),
];

/// The programs of the filetests, with their names.
fn programs() -> Vec<(String, Module)> {
    let mut out = Vec::new();
    for path in files::all() {
        let name = files::short(&path);
        let Some(name) = name.strip_prefix("lower-layout/").and_then(|name| name.strip_suffix(".ir")) else {
            continue;
        };
        let text = std::fs::read_to_string(&path).expect("a file");
        let input = text.split("\n---- ").next().unwrap_or_default();
        let parsed = parse(input);
        assert!(parsed.diags.is_empty(), "{name}: {:?}", parsed.diags);
        out.push((name.to_owned(), parsed.module));
    }
    assert!(out.len() >= 18, "only {} programs", out.len());
    out
}

fn is_refused(target: &str, name: &str) -> bool {
    REFUSED.iter().any(|&(known, of, _)| known == target && of == name)
}

/// Checks the outcome of each program in one language; returns the number of those with the same results.
fn check(target: &str, judge: impl Fn(&str, Module) -> (String, String)) -> usize {
    let (mut same, mut wrong) = (0, Vec::new());
    for (name, module) in programs() {
        let (outcome, why) = judge(&name, module);
        same += usize::from(outcome == "Same");
        let is_right = match is_refused(target, &name) {
            true => outcome == "Refused",
            false => outcome == "Same" || outcome == "Accepted",
        };
        if !is_right {
            wrong.push(format!("{target} {name}: {outcome}: {why}"));
        }
    }
    println!("{target}: {same} the same");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    same
}

#[test]
fn glsl_has_every_layout() {
    let glslang = Glslang::new("layouts-glsl");
    let same = check("glsl", |_, module| {
        let (outcome, why) = back_text::judge_module(&module, &glslang, true);
        (format!("{outcome:?}"), why)
    });
    assert!(same >= 18 || !glslang.installed, "only {same} are the same");
}

#[test]
fn glsl_es_has_every_layout() {
    let glslang = Glslang::new("layouts-essl");
    let same = check("essl-310", |_, module| {
        let (outcome, why) = back_text_essl::judge_module(&module, "essl-310", &glslang, true);
        (format!("{outcome:?}"), why)
    });
    assert!(same >= 17 || !glslang.installed, "only {same} are the same");
}

#[test]
fn wgsl_has_every_layout() {
    let tint = Tint::new();
    let same = check("wgsl", |_, module| {
        let (outcome, why) = back_text_wgsl::judge_module(&module, Some(&tint), true);
        (format!("{outcome:?}"), why)
    });
    assert!(same >= 16, "only {same} are the same");
}

#[test]
fn hlsl_has_every_layout() {
    let dxc = Dxc::new();
    let same = check("hlsl", |_, module| {
        let (outcome, why) = back_text_hlsl::judge_module(module, &dxc, true);
        (format!("{outcome:?}"), why)
    });
    assert!(same >= 17 || !dxc.installed, "only {same} are the same");
}

#[test]
fn metal_has_every_layout() {
    let metal = Metal::new();
    let same = check("msl", |name, module| {
        let words = match write_spirv(&module, SpirvOptions::default()) {
            Ok(words) => words,
            Err(diag) => return ("Refused".to_owned(), diag.to_string()),
        };
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        match back_text_msl::judge_module(&metal, name, &bytes) {
            Ok(true) => ("Same".to_owned(), String::new()),
            Ok(false) => ("Accepted".to_owned(), String::new()),
            Err(why) => ("Rejected".to_owned(), why),
        }
    });
    assert!(same >= 15 || !metal.installed, "only {same} are the same");
}

/// The text of a module in a language.
fn text_of(module: &Module, name: &str) -> String {
    let backend = named(name).expect("the back end exists");
    let funcs = all_funcs(module);
    let written = write(&Source::new(module, &funcs), backend, false).map(Written::into_text);
    written.unwrap_or_else(|diags| panic!("{name}: {diags:?}"))
}

#[test]
fn the_pass_changes_nothing_that_is_plain_and_its_result_is_plain() {
    for (name, module) in programs() {
        for target in LayoutTarget::ALL {
            let run = format!("lower-layout{{{}}}, qptr-lift, lower-layout{{{0}}}", target.name());
            let trace = Pipeline::parse(&run).expect("a pipeline").trace(&module, Settings::default());
            let before = buffer_layouts(&module, target);
            let [first, _, again] = &trace.steps[..] else { panic!("{name}: three steps") };
            // Its layouts are of variables outside of buffers, which two targets drop.
            let is_of_buffers = name != "variables-without-a-layout";
            let is_plain = is_of_buffers && before.iter().all(|it| it.verdict == LayoutVerdict::Plain);
            assert!(
                !is_plain || first.outcome == vitrine_core::pipeline::Outcome::Unchanged,
                "{name} {target:?}"
            );
            assert_eq!(again.outcome, vitrine_core::pipeline::Outcome::Unchanged, "{name} {target:?}");
            // GLSL ES has no numbers of 16 bits.
            let is_text = match target {
                LayoutTarget::Glsl => true,
                LayoutTarget::Essl | LayoutTarget::Essl310 => name != "sixteen-bits",
                LayoutTarget::Wgsl | LayoutTarget::Hlsl | LayoutTarget::Msl => false,
            };
            for layout in buffer_layouts(&again.version, target).iter().filter(|_| is_text) {
                assert_eq!(layout.verdict, LayoutVerdict::Plain, "{name} {target:?}: {layout:?}");
            }
        }
    }
}

#[test]
fn the_table_has_the_verdicts_and_the_places_that_the_texts_state() {
    let (_, module) = programs().into_iter().find(|(name, _)| name == "scalar-layout").expect("the file");
    let table = text_of(&module, "bindings");
    for wanted in
        ["0    0        storage buffer  read, write  #Data_0", "group 0, binding 1", "t1, space0", "buffer 2"]
    {
        assert!(table.contains(wanted), "{wanted} is missing:\n{table}");
    }
    assert!(table.contains("scalar plain") && table.contains("storage bytes"), "{table}");
    // The places of Metal are computed twice: for the table, and with the parameters of functions.
    for (name, module) in programs() {
        let text = text_of(&module, "msl");
        for resource in resources(&module) {
            let place = &resource.in_targets[5];
            assert!(
                text.lines().any(|line| line.starts_with(&format!("// {place}: "))),
                "{name}: {place}\n{text}"
            );
        }
    }
}
