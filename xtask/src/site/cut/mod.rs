//! The compiler's program is cut: what the first result needs, and parts that are loaded after it or when they are
//! called.
//!
//! The linker says who refers to what, a run in node says what the first result needs, and so each function and each
//! piece of data finds its part. The cut program does what the whole one does: a function that is not there yet loads
//! its part first. `www/program.js` loads them. No part is needed to be named or kept in step by hand.

mod links; // start here: what the linker knew
mod plan; // which function goes where
mod split; // one module becomes several
mod train; // what runs until the first result

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::place::Place;
use crate::run::Run;
use crate::say::{self, Outcome, Trouble};
use crate::setup::node;

use links::{Fault, Links};
use plan::{PARTS, Part, Plan};

/// The function of `wasm/src/part.rs` that loads a part.
const MISSING: &str = "part_missing";
/// The page's first example; the other inputs of the training.
const EXAMPLE: &str = "www/examples/variables.spvasm";
const INPUTS: [&str; 2] = ["www/examples", "core/tests/filetests"];
const STEP: &str = "cutting the compiler in parts";

/// Cuts `compiler_bg.wasm` in this folder, which still holds names, where what cargo `linked` is given; and tells
/// `compiler.js` which parts there are.
pub fn parts(place: &Place, folder: &Path, linked: Option<&PathBuf>) -> Outcome {
    let names = match linked {
        Some(linked) => cut(place, folder, linked)?,
        None => Vec::new(),
    };
    list(folder, &names).map_err(|error| trouble(error.into()))
}

fn trouble(fault: Fault) -> Trouble {
    Trouble::new(STEP).why(fault.to_string()).fix("see xtask/src/site/cut/mod.rs")
}

/// Writes the parts; their names.
fn cut(place: &Place, folder: &Path, linked: &Path) -> Outcome<Vec<String>> {
    say::step(STEP);
    let name = |part: &str| format!("compiler_{part}.wasm");
    let program = fs::read(folder.join(name("bg"))).map_err(|error| trouble(error.into()))?;
    let marked = train::mark(&program).map_err(trouble)?;
    let words = run(place, folder, &marked)?;
    let modules = modules(&program, linked, &words).map_err(trouble)?;
    for ((part, _), module) in PARTS.iter().zip(modules) {
        fs::write(folder.join(name(part)), module).map_err(|error| trouble(error.into()))?;
    }
    Ok(PARTS.iter().skip(1).map(|(part, _)| name(part)).collect())
}

/// Adds to `compiler.js` the parts after the first: file, and the part that must be there before, by its number.
fn list(folder: &Path, names: &[String]) -> std::io::Result<()> {
    let file = folder.join("compiler.js");
    let before = PARTS.iter().skip(1).map(|(_, before)| before.unwrap_or_default());
    let rows: Vec<String> =
        names.iter().zip(before).map(|(name, before)| format!("[\"{name}\", {before}]")).collect();
    let mut script = fs::read_to_string(&file)?;
    script.push_str(&format!("\nexport const PARTS = [{}];\n", rows.join(", ")));
    fs::write(file, script)
}

/// The modules of all parts, from two lines about what ran.
fn modules(program: &[u8], linked: &Path, words: &str) -> Result<Vec<Vec<u8>>, Fault> {
    let links = Links::read(&fs::read(linked)?)?;
    let mut lines = words.lines();
    let mut ran = || train::ran(program, lines.next().unwrap_or_default());
    let (first, usual) = (ran()?, ran()?);
    let plan = Plan::of(&links, &roots(program, &links)?, &first, &usual);
    split::split(&split::Cut {
        program,
        before: &PARTS.map(|(_, before)| before),
        part: &|name| plan.function(name),
        data: &plan.data,
        missing: MISSING,
    })
}

/// Names of the functions that JavaScript calls, by the part of what only they call. Around some `wasm-bindgen` puts
/// others, one around the other, which the linker does not know: what they call is meant.
fn roots(program: &[u8], links: &Links) -> Result<BTreeMap<Part, BTreeSet<String>>, Fault> {
    let module = walrus::Module::from_buffer(program)?;
    let known: BTreeSet<&str> = links.functions.iter().map(String::as_str).collect();
    let mut roots: BTreeMap<Part, BTreeSet<String>> = BTreeMap::new();
    for export in module.exports.iter() {
        let walrus::ExportItem::Function(id) = export.item else { continue };
        let names = roots.entry(plan::entered(&export.name)).or_default();
        let (mut waiting, mut seen) = (vec![id], BTreeSet::new());
        while let Some(id) = waiting.pop() {
            if !seen.insert(id) {
                continue;
            }
            let func = module.funcs.get(id);
            match (&func.name, &func.kind) {
                (Some(name), _) if known.contains(name.as_str()) => drop(names.insert(name.clone())),
                (_, walrus::FunctionKind::Local(body)) => waiting.extend(split::calls(body)),
                _ => {}
            }
        }
    }
    Ok(roots)
}

/// Runs the marked program over the project's inputs.
fn run(place: &Place, folder: &Path, marked: &[u8]) -> Outcome<String> {
    let scratch = folder.with_file_name("site-train");
    let trouble =
        |error: std::io::Error| Trouble::new(STEP).why(error.to_string()).fix("run the command again");
    fs::create_dir_all(&scratch).map_err(trouble)?;
    fs::write(scratch.join("marked.wasm"), marked).map_err(trouble)?;
    fs::copy(folder.join("compiler.js"), scratch.join("compiler.js")).map_err(trouble)?;
    Run::new(STEP, node::node(place)?, &place.root)
        .args([place.root.join("wasm/train.mjs"), scratch, place.root.join(EXAMPLE)])
        .args(inputs(place))
        .fix("read the message above; `wasm/train.mjs` is what failed")
        .captured()
}

/// The examples and the fixtures, in the order of their names.
fn inputs(place: &Place) -> Vec<PathBuf> {
    let mut waiting: Vec<PathBuf> = INPUTS.iter().map(|folder| place.root.join(folder)).collect();
    let mut inputs = Vec::new();
    while let Some(folder) = waiting.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            match path.is_dir() {
                true => waiting.push(path),
                false => inputs.push(path),
            }
        }
    }
    inputs.sort();
    inputs
}
