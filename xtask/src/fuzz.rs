//! `cargo xtask fuzz TARGET`: coverage-guided fuzzing of a reader with libFuzzer, on the toolchain of the project.
//!
//! The flags that cargo-fuzz passes to the compiler are stable ones; only its sanitizers need another toolchain, and safe code
//! has nothing for them to find. New inputs are collected in the target folder, merged into the smallest set with the same
//! coverage, and those of at most 4 KB are added to `core/fuzz/corpus/TARGET`, which a test replays. Without a target, lists them.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::workspace::Workspace;

/// Options of `fuzz`.
#[derive(Debug, clap::Args)]
pub struct Options {
    /// The reader; without it, all of them are listed
    target: Option<String>,
    /// Time of the search
    #[arg(long, default_value_t = 60)]
    seconds: u32,
}

/// Instrumentation of all code: counters of edges, and operands of comparisons.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Cdebug-assertions=on";

/// The longest input of the corpus in the repository, in bytes.
const MOST_BYTES: u64 = 4096;

/// Most inputs of a target in the repository.
const MOST_FILES: usize = 120;

/// Runs the fuzzer.
pub fn command(workspace: &Workspace, options: &Options) -> Result {
    let folder = workspace.root.join("core/fuzz");
    let corpora = folder.join("corpus");
    let Some(target) = &options.target else {
        report::line("targets: see TARGETS in core/fuzz/src/lib.rs; their corpora are");
        names(&corpora).iter().for_each(|name| report::line(format_args!("  {name}")));
        return Ok(());
    };
    let program = build(workspace)?;
    let search = workspace.target.join("fuzz/search").join(target);
    let merged = workspace.target.join("fuzz/merged").join(target);
    let kept = corpora.join(target);
    let found = workspace.target.join("fuzz/found").join(target);
    for folder in [&search, &kept, &found] {
        make(folder)?;
    }
    let _ = fs::remove_dir_all(&merged);
    make(&merged)?;
    let run = |step: String, arguments: Vec<String>| {
        Command::new(step, &program, &workspace.root)
            .args(arguments)
            .env("VITRINE_FUZZ", target)
            .fix(format!("read its messages; an input that was found is in {}", found.display()))
            .run()
    };
    let shown = |path: &Path| path.display().to_string();
    let mut arguments = vec![
        format!("-max_total_time={}", options.seconds),
        format!("-artifact_prefix={}/", found.display()),
        "-timeout=10".to_owned(),
        "-rss_limit_mb=4096".to_owned(),
        "-max_len=65536".to_owned(),
        "-print_final_stats=1".to_owned(),
        shown(&search),
        shown(&kept),
    ];
    arguments.extend(seeds(workspace, target).iter().map(|path| shown(path)));
    run(format!("fuzzing {target}"), arguments)?;
    let merge = vec!["-merge=1".to_owned(), shown(&merged), shown(&kept), shown(&search)];
    run(format!("merging the inputs of {target}"), merge)?;
    keep(&merged, &kept)
}

/// The folders with further inputs that the table of targets names.
fn seeds(workspace: &Workspace, target: &str) -> Vec<PathBuf> {
    let table = fs::read_to_string(workspace.root.join("core/fuzz/src/lib.rs")).unwrap_or_default();
    let entry = table.split_once(&format!("name: \"{target}\"")).map_or("", |(_, rest)| rest);
    let list =
        entry.split_once("seeds: &[").and_then(|(_, rest)| rest.split_once(']')).map_or("", |(list, _)| list);
    let folders = list.split('"').skip(1).step_by(2);
    folders.map(|folder| workspace.root.join(folder)).filter(|folder| folder.is_dir()).collect()
}

/// Builds the fuzzer, with optimization, in a target folder of its own.
fn build(workspace: &Workspace) -> Result<PathBuf> {
    let folder = workspace.target.join("fuzz/build");
    let version =
        Command::new("reading the version of rustc", "rustc", &workspace.root).args(["-vV"]).capture()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap_or_default();
    Command::new("building the fuzzer", &workspace.cargo, &workspace.root)
        .args(["build", "--quiet", "--package", "vitrine-fuzz", "--bin", "fuzz", "--features", "libfuzzer"])
        // With a target, the flags are not those of build scripts, which have no fuzzer.
        .args(["--profile", "fuzz", "--target", host, "--target-dir"])
        .args([&folder])
        .env("RUSTFLAGS", FLAGS)
        .env("CARGO_INCREMENTAL", "0")
        .fix("install a C++ compiler, and read the compiler's message above")
        .run()?;
    Ok(folder.join(host).join("fuzz/fuzz"))
}

/// Copies the inputs of a merged corpus that are small to the repository, the smallest first.
fn keep(merged: &Path, kept: &Path) -> Result {
    let size = |path: &PathBuf| fs::metadata(path).map_or(u64::MAX, |data| data.len());
    let mut files = list(merged);
    files.retain(|path| size(path) <= MOST_BYTES);
    files.sort_by_key(|path| (size(path), path.clone()));
    let room = MOST_FILES.saturating_sub(list(kept).len());
    let io = |error: std::io::Error| Error::new("keeping inputs").reason(error).fix("check core/fuzz/corpus");
    for file in files.iter().take(room) {
        let Some(name) = file.file_name() else { continue };
        fs::copy(file, kept.join(name)).map_err(io)?;
    }
    report::line(format_args!("{} inputs in {}", list(kept).len(), kept.display()));
    Ok(())
}

fn make(folder: &Path) -> Result {
    fs::create_dir_all(folder).map_err(|error| {
        Error::new("making a folder").reason(error).fix(format!("check {}", folder.display()))
    })
}

fn list(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect()
}

fn names(folder: &Path) -> Vec<String> {
    let mut all: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    all.sort();
    all
}
