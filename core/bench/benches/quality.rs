//! Sizes of optimized programs in instructions and blocks, compared with `spirv-opt -O` on the same files.
//!
//! The valid shaders of the corpus run through the presets and are written as SPIR-V; if `spirv-opt` is installed, it
//! optimizes the same bytes. Only functions are counted: labels are blocks, everything else except source-line
//! instructions is an instruction. Prints sums and the ten files with the largest lead of `spirv-opt`. Times are of the whole
//! path from bytes to bytes: ours in this process, those of `spirv-opt` as a process (its startup time is printed too), both without
//! validation. If available, processor times are used, which depend little on other work on the machine.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::process::Command;
use std::time::Duration;
use vitrine_bench::{Corpus, Process, processor_time};
use vitrine_core::back::{SpirvOptions, write_spirv};
use vitrine_core::front::spirv::read;
use vitrine_core::pipeline::{PRESETS, Pipeline, Settings};

/// Instructions and blocks in functions.
#[derive(Clone, Copy, Default)]
struct Size {
    insts: u64,
    blocks: u64,
}

/// Sizes of a file before optimization, after ours, and after `spirv-opt`, if it ran.
struct Row {
    file: String,
    before: Size,
    ours: Size,
    peer: Option<Size>,
}

fn main() {
    let corpus = Corpus::find();
    let items = corpus.items().into_iter().filter(|item| item.valid);
    let files: Vec<String> = items.map(|item| item.file).collect();
    let start = peer_startup();
    match start {
        Some(start) => println!("spirv-opt starts in {:.1} ms", start.as_secs_f64() * 1e3),
        None => println!("spirv-opt is not installed: no comparison"),
    }
    for preset in PRESETS.iter().filter(|preset| preset.name.starts_with('O')) {
        let text = format!("ingest, {}, spirv-out", preset.name);
        let pipeline = Pipeline::parse(&text).expect("a preset parses");
        one(&corpus.folder, &files, preset.name, &pipeline, start);
    }
}

/// Measures a preset on all files.
fn one(corpus: &Path, files: &[String], name: &str, pipeline: &Pipeline, start: Option<Duration>) {
    let (mut rows, mut failed) = (Vec::new(), Vec::new());
    let [mut our_time, mut peer_time] = [Duration::ZERO; 2];
    let mut bytes_seen = 0;
    let mut times = Vec::new();
    for file in files {
        let path = corpus.join(file);
        let Ok(bytes) = std::fs::read(&path) else { continue };
        let began = processor_time(Process::This);
        let module = read(&bytes).module;
        let settings = Settings { validate: false, ..Settings::default() };
        let done = pipeline.run_with(&module, settings);
        let written = done.and_then(|module| write_spirv(&module, SpirvOptions::default()));
        let took = processor_time(Process::This).saturating_sub(began);
        our_time += took;
        times.push((bytes.len(), took));
        let words = match written {
            Ok(words) => words,
            Err(diag) => {
                failed.push(format!("{file}: {diag}"));
                continue;
            }
        };
        bytes_seen += bytes.len();
        let began = processor_time(Process::Children);
        let peer = start.and_then(|_| optimized_by_peer(&path));
        let took = processor_time(Process::Children).saturating_sub(began);
        peer_time += took.saturating_sub(start.unwrap_or_default());
        let before = bytes.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect::<Vec<_>>();
        rows.push(Row {
            file: file.clone(),
            before: size(&before),
            ours: size(&words),
            peer: peer.map(|it| size(&it)),
        });
    }
    report(name, &rows, &failed);
    if let Some(slope) = slope(&times) {
        println!("  time grows with size to the power {slope:.2}, by files of {LEAST_SIZE} bytes and more");
    }
    let speed = |time: Duration| bytes_seen as f64 / time.as_secs_f64() / 1e6;
    println!(
        "  {:.2} MB/s here{}",
        speed(our_time),
        match start {
            Some(_) => format!(", {:.2} MB/s there without its start", speed(peer_time)),
            None => String::new(),
        }
    );
}

/// Minimum size in bytes for timing: smaller files are dominated by fixed costs and coarse clocks.
const LEAST_SIZE: usize = 8192;

/// The slope of sizes and times on logarithmic scales, by least squares.
fn slope(times: &[(usize, Duration)]) -> Option<f64> {
    let large = times.iter().filter(|(size, took)| *size >= LEAST_SIZE && !took.is_zero());
    let points: Vec<[f64; 2]> =
        large.map(|(size, took)| [(*size as f64).ln(), took.as_secs_f64().ln()]).collect();
    let count = points.len() as f64;
    let mean = |at: usize| points.iter().map(|point| point[at]).sum::<f64>() / count;
    let (x, y) = (mean(0), mean(1));
    let spread: f64 = points.iter().map(|point| (point[0] - x).powi(2)).sum();
    let both: f64 = points.iter().map(|point| (point[0] - x) * (point[1] - y)).sum();
    (points.len() > 2 && spread > 0.0).then(|| both / spread)
}

fn report(name: &str, rows: &[Row], failed: &[String]) {
    let sum = |of: &dyn Fn(&Row) -> Size| {
        rows.iter().map(of).fold(Size::default(), |all, it| Size {
            insts: all.insts + it.insts,
            blocks: all.blocks + it.blocks,
        })
    };
    let (before, ours) = (sum(&|row| row.before), sum(&|row| row.ours));
    println!("{name}: {} files", rows.len());
    println!("  before     {:8} instructions {:7} blocks", before.insts, before.blocks);
    println!("  here       {:8} instructions {:7} blocks", ours.insts, ours.blocks);
    failed.iter().for_each(|line| println!("  not written: {line}"));
    let both: Vec<(&Row, Size)> = rows.iter().filter_map(|row| Some((row, row.peer?))).collect();
    if both.is_empty() {
        return;
    }
    let add = |all: (u64, u64, u64), (row, peer): &(&Row, Size)| {
        (all.0 + row.ours.insts, all.1 + peer.insts, all.2 + peer.blocks)
    };
    let (here, there, blocks) = both.iter().fold((0, 0, 0), add);
    println!("  spirv-opt  {there:8} instructions {blocks:7} blocks, on {} files (here {here})", both.len());
    let mut worst: Vec<(i64, &Row, Size)> =
        both.iter().map(|&(row, peer)| (row.ours.insts as i64 - peer.insts as i64, row, peer)).collect();
    worst.sort_by_key(|&(ahead, ..)| std::cmp::Reverse(ahead));
    for (_, row, peer) in worst.iter().take(10) {
        println!(
            "  {:6} here, {:6} there, {:6} before: {}",
            row.ours.insts, peer.insts, row.before.insts, row.file
        );
    }
}

/// The startup time of `spirv-opt`; `None` if it is not installed.
fn peer_startup() -> Option<Duration> {
    const STARTS: u32 = 20;
    let began = processor_time(Process::Children);
    for _ in 0..STARTS {
        Command::new("spirv-opt").arg("--version").output().ok()?;
    }
    Some(processor_time(Process::Children).saturating_sub(began) / STARTS)
}

fn optimized_by_peer(file: &Path) -> Option<Vec<u32>> {
    let output = std::env::temp_dir().join(format!("vitrine-quality-{}.spv", std::process::id()));
    let done =
        Command::new("spirv-opt").args(["-O", "--skip-validation"]).arg(file).arg("-o").arg(&output).output();
    let bytes = done.ok().filter(|done| done.status.success()).and_then(|_| std::fs::read(&output).ok());
    // The file is small, and overwritten by the next one.
    drop(std::fs::remove_file(&output));
    Some(bytes?.as_chunks().0.iter().map(|&word| u32::from_le_bytes(word)).collect())
}

/// Counts the instructions and blocks of a binary, up to the first malformed instruction.
fn size(words: &[u32]) -> Size {
    const FUNCTION: [u32; 3] = [54, 55, 56];
    const LABEL: u32 = 248;
    const LINES: [u32; 2] = [8, 317];
    let mut size = Size::default();
    let mut at = 5;
    let mut inside = false;
    while let Some(&word) = words.get(at) {
        let (op, len) = (word & 0xffff, (word >> 16) as usize);
        if len == 0 {
            break;
        }
        inside |= op == FUNCTION[0];
        match op {
            LABEL => size.blocks += 1,
            _ if !inside || FUNCTION.contains(&op) || LINES.contains(&op) => {}
            _ => size.insts += 1,
        }
        at += len;
    }
    size
}
