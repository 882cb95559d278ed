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
const MUTE: [&str; 1] =
    ["dead-cf/behind-an-endless-loop.ir says nothing: the input does not come to its end\n"];

/// What goes into a run and what comes out of it compute the same, in either shape.
#[test]
#[allow(clippy::print_stdout)] // what says nothing is read
fn what_a_run_leaves_does_the_same() {
    let (mut compared, mut mute, mut wrong) = (0, Vec::new(), Vec::new());
    let mut files = 0;
    for path in files::all() {
        let name = files::short(&path);
        let text = std::fs::read_to_string(&path).expect("a file");
        let Some(told) = runs::of_text(&text) else { continue };
        files += 1;
        match told {
            Ok(count) => compared += count,
            Err(runs::Trouble::Mute(why)) => mute.push(format!("{name} says nothing: {why}\n")),
            Err(runs::Trouble::Wrong(what)) => wrong.push(format!("{name}: {what}\n")),
        }
    }
    println!("{files} files with a run, {compared} runs compared\n{}", mute.concat());
    assert!(wrong.is_empty(), "{}\n{} of {files} files are wrong", wrong.concat(), wrong.len());
    assert_eq!(mute, MUTE, "files that say nothing");
}
