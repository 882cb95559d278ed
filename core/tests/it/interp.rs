//! The interpreter on the corpus: every case with expected results, as read, structurized in each mode, and
//! after a round trip through SPIR-V.
//!
//! Known failures are listed in `known-failures.txt` with their reasons. A listed case that succeeds fails the test.
#![allow(clippy::print_stdout)] // the counts are output

use crate::testing::corpus::{self, Item};
use crate::testing::known;
mod images; // texels and samplers
mod programs; // small programs: results and reports
mod converge; // reconvergence, as tree and as graph
mod total; // no input causes a panic or a hang
mod stages; // stages with several vertices, meshes, rays
mod seeds; // generated inputs, before and after passes

use std::path::Path;
use vitrine_core::back::{SpirvOptions, write_spirv};
use vitrine_core::front::spirv::read;
use vitrine_core::interp::cases::json::Case;
use vitrine_core::ir::{Func, Module, Shape};
use vitrine_core::ops::Word;
use vitrine_core::passes::structurize::{Mode, structurize};

/// Sets of the large corpus with expected results.
const SETS: [&str; 4] = ["graphs", "large", "teaching", "cases"];

/// The module of a file after a variant of processing.
fn module_of(bytes: &[u8], variant: &str) -> Result<Module, String> {
    let mut module = read(bytes).module;
    let mode = match variant {
        "exec-unchanged" => return Ok(module),
        "exec-spirv" => {
            let words = write_spirv(&module, SpirvOptions::default()).map_err(|diag| diag.to_string())?;
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            return Ok(read(&bytes).module);
        }
        variant => Mode::parse(variant.trim_start_matches("exec-")).expect("a mode"),
    };
    let graphs = module.funcs().filter(|(_, body)| matches!(body.shape(), Shape::Graph(_)));
    let graphs: Vec<Func> = graphs.map(|(func, _)| func).collect();
    for func in graphs {
        structurize(&mut module, func, mode).map_err(|diag| diag.to_string())?;
    }
    Ok(module)
}

/// Every case of these sets of the large corpus, and of all sets of the own corpus.
fn cases(sets: &[&str]) -> Vec<Item> {
    let mut cases = corpus::of_sets(sets);
    cases.retain(|item| item.path.with_extension("json").exists());
    cases
}

/// The number of expectations that hold for a case in a variant, or the failures.
fn evaluated(file: &Path, variant: &str) -> Result<usize, String> {
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
    let checked = case.judge(&module, false, other)?;
    match checked.wrong.is_empty() {
        true => Ok(checked.checked),
        false => Err(checked.wrong.join("; ")),
    }
}

fn check(sets: &[&str], variant: &str) {
    let cases = cases(sets);
    let known: Vec<&str> =
        known::in_run(variant).filter(|known| cases.iter().any(|item| item.file == *known)).collect();
    let (mut cases_held, mut expectations) = (0, 0);
    let mut failures = Vec::new();
    for Item { file: name, path, .. } in &cases {
        let named = known.contains(&name.as_str());
        match evaluated(path, variant) {
            Ok(checked) if !named => {
                cases_held += 1;
                expectations += checked;
            }
            Ok(_) => {
                failures.push(format!("{name} {variant}: it holds now; remove it from the known failures"));
            }
            Err(_) if named => {}
            Err(error) => failures.push(format!("{name} {variant}: {error}")),
        }
    }
    println!(
        "{variant}: {cases_held} cases hold, {expectations} expectations, {} known failures",
        known.len()
    );
    assert!(cases_held >= 60, "only {cases_held} cases, but the own corpus has more than 60");
    assert!(failures.is_empty(), "{} failures\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn cases_hold_as_read_and_after_a_spirv_round_trip() {
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
