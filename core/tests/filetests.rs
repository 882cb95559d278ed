//! Every file under `filetests`, checked: what all files promise, and what each one's sections expect.
//!
//! `BLESS=1 cargo test --test filetests` rewrites everything below the input and nothing else.
//! `VITRINE_FILES=text/` looks only at files with that in their path.
//! `filetests/readme/format.ir` explains the format, and is itself a test.

// By path, because rustfmt looks for modules of this file in the folder `filetests`.
#[path = "harness/bless.rs"]
mod bless;
#[path = "harness/files.rs"]
mod files;
#[path = "harness/sections.rs"]
mod sections;

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
