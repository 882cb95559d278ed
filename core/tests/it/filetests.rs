//! Every file under `filetests`, checked: what all files promise, and what each one's sections expect.
//!
//! `cargo xtask bless` rewrites everything below the input and nothing else.
//! `VITRINE_FILES=text/` looks only at files with that in their path.
//! `filetests/readme/format.ir` explains the format, and is itself a test.

use crate::testing::{files, runs};

#[test]
fn every_file_holds_what_it_says() {
    let wanted = std::env::var("VITRINE_FILES").unwrap_or_default();
    let mut all = files::all();
    all.retain(|path| files::short(path).contains(&wanted));
    assert!(!all.is_empty(), "there are no filetests under {}", files::root().display());
    let failed: Vec<(String, String)> =
        all.iter().filter_map(|path| Some((files::short(path), files::check(path).err()?))).collect();
    let long: String = failed.iter().map(|(name, why)| format!("==== {name}\n{why}\n")).collect();
    let short: String =
        failed.iter().map(|(name, why)| format!("{name}: {}\n", why.lines().next().unwrap_or(""))).collect();
    assert!(failed.is_empty(), "{long}\n{} of {} files fail\n{short}", failed.len(), all.len());
}

/// Files with a run that no made-up input says anything about, and why. It only gets shorter.
const INCONCLUSIVE: [&str; 1] =
    ["dead-cf/after-an-infinite-loop.ir is inconclusive: the input does not terminate\n"];

/// The input and the result of a run compute the same, in either shape.
#[test]
#[allow(clippy::print_stdout)] // what is inconclusive is read
fn a_run_keeps_what_its_input_computes() {
    let (mut compared, mut inconclusive, mut wrong) = (0, Vec::new(), Vec::new());
    let mut files = 0;
    for path in files::all() {
        let name = files::short(&path);
        let text = std::fs::read_to_string(&path).expect("a file");
        let Some(told) = runs::of_text(&text) else { continue };
        files += 1;
        match told {
            Ok(count) => compared += count,
            Err(runs::RunError::Inconclusive(why)) => {
                inconclusive.push(format!("{name} is inconclusive: {why}\n"));
            }
            Err(runs::RunError::Wrong(what)) => wrong.push(format!("{name}: {what}\n")),
        }
    }
    println!("{files} files with a run, {compared} runs compared\n{}", inconclusive.concat());
    assert!(wrong.is_empty(), "{}\n{} of {files} files are wrong", wrong.concat(), wrong.len());
    assert_eq!(inconclusive, INCONCLUSIVE, "files that are inconclusive");
}
