//! Checks every file under `filetests`: the invariants of all files, and the expected sections of each.
//!
//! `cargo xtask bless` rewrites the sections after the input, and nothing else.
//! `VITRINE_FILES=text/` checks only files whose path contains that text.
//! `filetests/readme/format.ir` explains the format, and is itself a test.

use std::path::PathBuf;
use vitrine_filetests::parallel::each;
use vitrine_filetests::{files, runs};

/// The files whose path contains the text of `VITRINE_FILES`.
fn chosen() -> Vec<PathBuf> {
    let filter = std::env::var("VITRINE_FILES").unwrap_or_default();
    let mut all = files::all();
    all.retain(|path| files::short(path).contains(&filter));
    assert!(!all.is_empty(), "there are no filetests under {}", files::root().display());
    all
}

#[test]
fn every_file_has_the_expected_output() {
    let all = chosen();
    let failed = each(&all, |path| Some((files::short(path), files::check(path).err()?)));
    let failed: Vec<(String, String)> = failed.into_iter().flatten().collect();
    let long: String = failed.iter().map(|(name, why)| format!("==== {name}\n{why}\n")).collect();
    let short: String =
        failed.iter().map(|(name, why)| format!("{name}: {}\n", why.lines().next().unwrap_or(""))).collect();
    assert!(failed.is_empty(), "{long}\n{} of {} files fail\n{short}", failed.len(), all.len());
}

/// Files whose run is inconclusive on all generated inputs, with the reason. The list only gets shorter.
const INCONCLUSIVE: [&str; 1] =
    ["dead-cf/after-an-infinite-loop.ir is inconclusive: the input does not terminate\n"];

/// The input and the output of a run compute the same results, as tree and as graph.
#[test]
#[allow(clippy::print_stdout)] // inconclusive files are output
fn a_run_preserves_the_results_of_its_input() {
    let (mut compared, mut inconclusive, mut failures) = (0, Vec::new(), Vec::new());
    let mut files = 0;
    let all = chosen();
    let results = each(&all, |path| {
        let text = std::fs::read_to_string(path).expect("a file");
        Some((files::short(path), runs::of_text(&text)?))
    });
    for (name, result) in results.into_iter().flatten() {
        files += 1;
        match result {
            Ok(count) => compared += count,
            Err(runs::RunError::Inconclusive(why)) => {
                inconclusive.push(format!("{name} is inconclusive: {why}\n"));
            }
            Err(runs::RunError::Wrong(error)) => failures.push(format!("{name}: {error}\n")),
        }
    }
    println!("{files} files with a run, {compared} runs compared\n{}", inconclusive.concat());
    assert!(failures.is_empty(), "{}\n{} of {files} files fail", failures.concat(), failures.len());
    let is_whole = all.len() == files::all().len();
    assert!(!is_whole || inconclusive == INCONCLUSIVE, "files that are inconclusive: {inconclusive:?}");
}
