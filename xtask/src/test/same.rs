//! The same input gives the same bytes, on the host and in wasm: `vitrine digest` and the compiler of the page
//! read the same files and must print the same lines. And how long each takes, for `cargo xtask bench wasm`.

use std::fs;
use std::path::{Path, PathBuf};

use crate::place::Place;
use crate::run::Run;
use crate::say::{self, Outcome, Trouble};
use crate::setup::node;
use crate::site::{self, Effort};
use crate::test::Tally;

const STEP: &str = "comparing the host with wasm";

/// Compares digests of the examples and of the corpus, where that lies beside the repository.
pub fn run(place: &Place) -> Outcome<Tally> {
    let files = files(place, &["."]);
    say::step(format!("{STEP}: {} files", files.len()));
    let host = host(place, &files, "dev", 0)?;
    let wasm = wasm(place, &files, 0)?;
    let differ: Vec<_> = host.lines().zip(wasm.lines()).filter(|(host, wasm)| host != wasm).collect();
    for (host, wasm) in differ.iter().take(10) {
        println!("  host {host}\n  wasm {wasm}");
    }
    let lines = [host.lines().count(), wasm.lines().count()];
    if lines != [files.len(); 2] || files.is_empty() {
        let why = format!(
            "of {} files, {} were answered on the host and {} in wasm",
            files.len(),
            lines[0],
            lines[1]
        );
        return Err(Trouble::new(STEP).why(why).fix("run `vitrine digest` on the files by hand"));
    }
    Ok(Tally { passed: files.len() - differ.len(), failed: differ.len(), ..Tally::default() })
}

/// Prints the times of both on the larger files, and the ratios.
pub fn bench(place: &Place) -> Outcome {
    site::modules(place, Effort::Full)?;
    let files = files(place, &["large", "samples"]);
    let (host, wasm) = (host(place, &files, "release", 5)?, wasm(place, &files, 5)?);
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

/// Everything a session shows of each file, one line a file; times where `runs` is not 0.
fn host(place: &Place, files: &[PathBuf], profile: &str, runs: u32) -> Outcome<String> {
    let runs = runs.to_string();
    let times: &[&str] = if runs == "0" { &[] } else { &["--times", runs.as_str()] };
    let command = [
        "run",
        "--quiet",
        "--profile",
        profile,
        "--package",
        "vitrine-core",
        "--all-features",
        "--bin",
        "vitrine",
    ];
    Run::new(STEP, &place.cargo, &place.root)
        .args(command)
        .args(["--", "digest"])
        .args(times)
        .args(files)
        .captured()
}

fn wasm(place: &Place, files: &[PathBuf], runs: u32) -> Outcome<String> {
    let node = node::node(place)?;
    let script = place.root.join("wasm/digest.mjs");
    Run::new(STEP, node, &place.root)
        .args([script, site::folder(place)])
        .args([runs.to_string()])
        .args(files)
        .captured()
}

/// The examples, and the modules of the corpus in these folders of it, damaged ones too; in order of their names.
fn files(place: &Place, sets: &[&str]) -> Vec<PathBuf> {
    let corpus = place.root.join("../shared/corpus");
    let folders = sets.iter().map(|set| corpus.join(set)).chain([place.root.join("www/examples")]);
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
