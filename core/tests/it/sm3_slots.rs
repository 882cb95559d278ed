//! Instruction slots of programs that are read and written again, against those that another compiler made.
//!
//! The programs are Direct3D 9 programs beside the large corpus; without it the test is counted as skipped.
#![allow(clippy::print_stdout)]

use crate::d3d9::{files, folder, name};
use vitrine_core::back::sm3::{Model, translate};
use vitrine_core::d3d::sm1::Program;
use vitrine_core::front;
use vitrine_core::pipeline::Pipeline;

/// The ratio of slots that half of the programs, and that every program may reach.
const MEDIAN: f64 = 1.2;
const MOST: f64 = 2.0;

#[test]
fn programs_take_about_the_slots_of_another_compiler() {
    let Some(folder) = folder() else { return };
    let mut ratios: Vec<(f64, String)> = Vec::new();
    for file in files(&folder.join("ours/native"), "d3dbc") {
        let name = name(&file);
        // Programs without optimization say nothing about selection.
        if name.contains(".Od.") {
            continue;
        }
        let bytes = std::fs::read(&file).expect("the file");
        let (before, _) = Program::read(&bytes).0.slots();
        let (_, read) = front::read(&bytes);
        let pipeline = Pipeline::parse("ingest, sm3-out").expect("the preset exists");
        let module = pipeline.run(&read.module, None).unwrap_or_else(|diag| panic!("{name}: {diag}"));
        let written = translate(&module, Model::Three).unwrap_or_else(|diags| panic!("{name}: {diags:?}"));
        let (after, _) = written.program.slots();
        ratios.push((f64::from(after) / f64::from(before.max(1)), format!("{name}: {before}, then {after}")));
    }
    ratios.sort_by(|a, b| a.0.total_cmp(&b.0));
    assert!(ratios.len() > 30, "{}", ratios.len());
    let list: Vec<&str> = ratios.iter().map(|(_, text)| text.as_str()).collect();
    let median = ratios[ratios.len() / 2].0;
    println!("median {median:.2}, most {:.2}", ratios[ratios.len() - 1].0);
    assert!(median <= MEDIAN && ratios[ratios.len() - 1].0 <= MOST, "{median}\n{}", list.join("\n"));
}
