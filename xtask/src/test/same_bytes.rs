//! Equal inputs give equal bytes on the host and in wasm: `vitrine digest` and the compiler of the page read the
//! same files and must print the same lines. `cargo xtask bench wasm` prints the time of each.

use std::fs;
use std::path::{Path, PathBuf};

use crate::command::Command;
use crate::report::{self, Error, Result};
use crate::setup::node;
use crate::site::{self, Effort};
use crate::test::{Counted, Tally};
use crate::workspace::Workspace;

const STEP: &str = "comparing the host with wasm";

/// Compares digests of the examples and of the corpus; without the corpus, of the examples only.
pub fn run(workspace: &Workspace) -> Result<Counted> {
    let files = files(workspace, &["."]);
    report::step(format!("{STEP}: {} files", files.len()));
    let no_corpus = !workspace.corpus().is_dir();
    let host = host(workspace, &files, "dev", 0)?;
    let wasm = wasm(workspace, &files, 0)?;
    let differ: Vec<_> = host.lines().zip(wasm.lines()).filter(|(host, wasm)| host != wasm).collect();
    for (host, wasm) in differ.iter().take(10) {
        report::line(format_args!("  host {host}\n  wasm {wasm}"));
    }
    let lines = [host.lines().count(), wasm.lines().count()];
    if lines != [files.len(); 2] || files.is_empty() {
        let reason = format!(
            "of {} files, {} have a digest on the host and {} in wasm",
            files.len(),
            lines[0],
            lines[1]
        );
        return Err(Error::new(STEP).reason(reason).fix("run `vitrine digest` on the files by hand"));
    }
    let note = if no_corpus { "no corpus" } else { "" };
    let skipped = usize::from(no_corpus);
    Ok((Tally { passed: files.len() - differ.len(), failed: differ.len(), skipped }, note.to_owned()))
}

/// Prints the times of both on the larger files, and the ratios.
pub fn bench(workspace: &Workspace) -> Result {
    site::modules(workspace, Effort::Release)?;
    let files = files(workspace, &["large", "samples"]);
    let (host, wasm) = (host(workspace, &files, "release", 5)?, wasm(workspace, &files, 5)?);
    let times = |text: &str| -> Vec<f64> {
        text.lines().filter_map(|line| line.rsplit(' ').next()?.parse().ok()).collect()
    };
    let (host_ms, wasm_ms) = (times(&host), times(&wasm));
    let mut ratios: Vec<f64> = host_ms.iter().zip(&wasm_ms).map(|(host, wasm)| wasm / host).collect();
    for ((line, ms), ratio) in host.lines().zip(&wasm_ms).zip(&ratios) {
        println!("  {line} ms, wasm {ms:.2} ms, ratio {ratio:.2}");
    }
    ratios.sort_by(f64::total_cmp);
    let sums: [f64; 2] = [host_ms.iter().sum(), wasm_ms.iter().sum()];
    let median = ratios.get(ratios.len() / 2).copied().unwrap_or_default();
    println!(
        "  all: host {:.0} ms, wasm {:.0} ms, ratio {:.2}, median {median:.2}",
        sums[0],
        sums[1],
        sums[1] / sums[0]
    );
    Ok(())
}

/// The digest of each file by the host program, one line per file; its times if `runs` is not 0.
fn host(workspace: &Workspace, files: &[PathBuf], profile: &str, runs: u32) -> Result<String> {
    let runs = runs.to_string();
    let times: &[&str] = if runs == "0" { &[] } else { &["--times", runs.as_str()] };
    Command::new(STEP, super::vitrine(workspace, profile)?, &workspace.root)
        .args(["digest"])
        .args(times)
        .args(files)
        .capture()
}

fn wasm(workspace: &Workspace, files: &[PathBuf], runs: u32) -> Result<String> {
    let node = node::node(workspace)?;
    let script = workspace.root.join("wasm/digest.mjs");
    Command::new(STEP, node, &workspace.root)
        .args([script, site::folder(workspace)])
        .args([runs.to_string()])
        .args(files)
        .capture()
}

/// The examples, and the modules in these folders of the corpus, including damaged ones, sorted by name.
fn files(workspace: &Workspace, sets: &[&str]) -> Vec<PathBuf> {
    let corpus = workspace.corpus();
    let folders = sets.iter().map(|set| corpus.join(set)).chain([workspace.root.join("www/examples")]);
    let mut out = Vec::new();
    let mut waiting: Vec<PathBuf> = folders.collect();
    while let Some(folder) = waiting.pop() {
        for path in fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            match path.is_dir() {
                true => waiting.push(path),
                false if is_input(&path) => out.push(path),
                false => {}
            }
        }
    }
    out.sort();
    out
}

fn is_input(path: &Path) -> bool {
    path.extension().is_some_and(|kind| ["spv", "spvasm", "ir"].iter().any(|known| kind == *known))
}
