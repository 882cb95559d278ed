//! Expected results of programs of shader models 1 to 3: every case by name of the large corpus, read, run and compared.
//!
//! The cases are beside the large corpus, in `../corpus-d3d/cases`; without them the test counts as skipped. `VITRINE_REPORT`
//! names a file for a line for each failing case.
#![allow(clippy::print_stdout)]

use crate::d3d9::{files, folder, name};
use std::fs;
use std::path::{Path, PathBuf};
use vitrine_core::front;
use vitrine_core::interp::cases::json::Case;
use vitrine_core::ir::Level;

/// Folders of cases, each with the folder of its modules.
const FOLDERS: &[(&str, &[&str])] = &[
    ("golden", &["ours/bin", "ours/native"]),
    ("ours-bin", &["ours/bin"]),
    ("ours-native", &["ours/native"]),
    ("modules", &["d3dbc"]),
];

/// Cases that do not hold, with the reason. For each of them, only one program computed the expected results.
const KNOWN_FAILURES: &[(&str, &str)] = &[
    ("modules/d3dbc-0279.d3dbc", CLAMPED),
    ("modules/d3dbc-0280.d3dbc", CLAMPED),
    ("modules/d3dbc-0338.d3dbc", "a sum that nearly cancels is rounded in another order"),
    (
        "ours-bin/ps13-tex.d3dbc",
        "the eye vector of `texm3x3vspec` is normalized there, which the reference does not do",
    ),
    ("ours-bin/ps30-mods.d3dbc", "the program reads r8.z, which it never writes, and which is 0 there"),
    ("ours-bin/vs11-rel.d3dbc", "x of `logp` is the logarithm there, and by the reference its integral part"),
];

const CLAMPED: &str = "a negative relative address reads c0 there; out of bounds, a constant is 0";

/// The cases of a folder for modules of shader models 1 to 3, with the file of the module.
fn cases(corpus: &Path, folder: &str, modules: &[&str]) -> Vec<(PathBuf, PathBuf)> {
    let files = files(&corpus.join("cases").join(folder), "json");
    let of_module = |case: PathBuf| {
        let module = name(&case).strip_suffix(".json")?.to_owned();
        if !module.ends_with(".d3dbc") {
            return None;
        }
        let found = modules.iter().map(|of| corpus.join(of).join(&module)).find(|file| file.is_file());
        Some((found.unwrap_or_else(|| panic!("there is no module {module}")), case))
    };
    files.into_iter().filter_map(of_module).collect()
}

/// The number of outcomes of a case, and the reason that it does not hold.
fn judge(module: &Path, case: &Path) -> Result<usize, String> {
    let text = fs::read_to_string(case).expect("a case");
    let case = Case::parse(&text).map_err(|sentence| format!("case: {sentence}"))?;
    let (_, input) = front::read(&fs::read(module).expect("a module"));
    if let Some(diag) = input.diags.iter().find(|diag| diag.level == Level::Error) {
        return Err(format!("read: {diag}"));
    }
    let other = |name: &str| Err(format!("{name}: no case refers to another one"));
    let result = case.judge(&input.module, true, other).map_err(|sentence| format!("run: {sentence}"))?;
    match result.wrong.first() {
        None => Ok(result.outcomes.len()),
        Some(first) => Err(format!("result: {first} ({} differences)", result.wrong.len())),
    }
}

#[test]
fn cases_of_the_corpus_hold() {
    let Some(corpus) = folder() else { return };
    let (mut count, mut runs, mut failed) = (0, 0, Vec::new());
    for (folder, modules) in FOLDERS {
        for (module, case) in cases(&corpus, folder, modules) {
            count += 1;
            let id = format!("{folder}/{}", name(&module));
            let is_known = KNOWN_FAILURES.iter().any(|(known, _)| *known == id);
            match judge(&module, &case) {
                Ok(more) if !is_known => runs += more,
                Ok(_) => failed.push(format!("{id}: holds now; remove it from the list")),
                Err(reason) if is_known => println!("{id}: known to fail: {reason}"),
                Err(reason) => failed.push(format!("{id}: {reason}")),
            }
        }
    }
    let known = KNOWN_FAILURES.len();
    println!("{count} cases, {runs} runs hold, {} cases fail, {known} are known to fail", failed.len());
    if let Some(file) = std::env::var_os("VITRINE_REPORT") {
        fs::write(file, failed.join("\n") + "\n").expect("the report can be written");
    }
    assert!(count >= 370, "{count} cases");
    assert!(known * 100 <= count * 3, "{known} of {count} cases are known to fail");
    assert!(failed.is_empty(), "{} of {count} cases fail\n{}", failed.len(), failed.join("\n"));
}
