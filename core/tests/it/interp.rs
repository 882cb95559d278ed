//! The interpreter against the corpus: every case with an expectation, as it is read, structured in each way, and
//! after a journey through SPIR-V.
//!
//! Known failures are listed in `known-failures.txt` with their reasons. One that does not happen fails the test.
#![allow(clippy::print_stdout)] // counts are read, not judged

use crate::testing::corpus::{self, Item};
use crate::testing::known;
mod images; // texels and samplers
mod programs; // small programs: what they compute, what is reported
mod converge; // reconvergence, in either shape
mod total; // nothing makes it panic or hang
mod seeds; // generated inputs, before and after passes

use crate::testing::case::Case;
use std::path::Path;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Func, Module, Shape};
use vitrine_core::passes::structurize::{Mode, structurize};
use vitrine_core::pipeline::{SpirvOptions, write_spirv};

/// Sets of the large corpus with expectations.
const SETS: [&str; 4] = ["graphs", "large", "teaching", "cases"];

/// The module of a file, as a variant leaves it.
fn module_of(bytes: &[u8], variant: &str) -> Result<Module, String> {
    let mut module = read(bytes).module;
    let mode = match variant {
        "exec-unchanged" => return Ok(module),
        "exec-spirv" => {
            let words = write_spirv(&module, SpirvOptions::default()).map_err(|diag| diag.to_string())?;
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            return Ok(read(&bytes).module);
        }
        variant => Mode::from_name(variant.trim_start_matches("exec-")).expect("a mode"),
    };
    let graphs = module.funcs().filter(|(_, body)| matches!(body.shape(), Shape::Graph(_)));
    let graphs: Vec<Func> = graphs.map(|(func, _)| func).collect();
    for func in graphs {
        structurize(&mut module, func, mode).map_err(|diag| diag.to_string())?;
    }
    Ok(module)
}

/// Every case of these sets of the large corpus, and of the own one in all sets.
fn cases(sets: &[&str]) -> Vec<Item> {
    let mut cases = corpus::of_sets(sets);
    cases.retain(|item| item.path.with_extension("json").exists());
    cases
}

/// The number of expectations that hold for a case in a variant, or what is wrong.
fn judged(file: &Path, variant: &str) -> Result<usize, String> {
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    let text = std::fs::read_to_string(file.with_extension("json")).map_err(|error| error.to_string())?;
    let case = Case::parse(&text)?;
    let module = module_of(&bytes, variant)?;
    let parent = file.parent().expect("a folder").to_owned();
    let other = |name: &str| {
        let file = parent.join(name);
        let bytes = std::fs::read(&file).map_err(|error| error.to_string())?;
        let text = std::fs::read_to_string(file.with_extension("json")).map_err(|error| error.to_string())?;
        Ok((module_of(&bytes, variant)?, Case::parse(&text)?))
    };
    let judged = case.judge(&module, false, other)?;
    match judged.wrong.is_empty() {
        true => Ok(judged.checked),
        false => Err(judged.wrong.join("; ")),
    }
}

fn check(sets: &[&str], variant: &str) {
    let cases = cases(sets);
    let known: Vec<&str> =
        known::in_run(variant).filter(|known| cases.iter().any(|item| item.file == *known)).collect();
    let (mut cases_held, mut expectations) = (0, 0);
    let mut wrong = Vec::new();
    for Item { file: name, path, .. } in &cases {
        let named = known.contains(&name.as_str());
        match judged(path, variant) {
            Ok(checked) if !named => {
                cases_held += 1;
                expectations += checked;
            }
            Ok(_) => wrong.push(format!("{name} {variant}: it holds, so it is no known failure")),
            Err(_) if named => {}
            Err(what) => wrong.push(format!("{name} {variant}: {what}")),
        }
    }
    println!(
        "{variant}: {cases_held} cases hold, {expectations} expectations, {} known failures",
        known.len()
    );
    assert!(cases_held >= 60, "{cases_held} cases, and more than 60 are the project's own");
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn cases_hold_as_read_and_after_spirv() {
    check(&SETS, "exec-unchanged");
    check(&SETS, "exec-spirv");
}

#[test]
fn cases_hold_as_trees() {
    check(&SETS, "exec-faithful");
    check(&SETS, "exec-imported");
}

#[test]
fn cases_hold_as_switches_in_loops() {
    check(&SETS, "exec-switch-loop");
}
