//! Reading SPIR-V: every module of the corpus, the bad inputs, and damage done at random.
//!
//! The corpus lies beside the repository; where it is absent, the tests that need it say so and pass.
#![allow(clippy::print_stdout)]

use crate::testing::corpus::{Random, corpus, damage, rows, small_modules};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Level, Module};
use vitrine_core::ops::{Key, Op};
use vitrine_core::text::{parse, print_module};
use vitrine_core::validate::validate;

/// Modules that are not lowered, or not to something valid, and why.
const KNOWN_FAILURES: &[(&str, &str)] = &[];

/// The first thing wrong with what was read, in words.
fn wrong(bytes: &[u8]) -> (Module, Option<String>) {
    let read = read(bytes);
    let errors = |diags: &[vitrine_core::ir::Diag]| {
        let mut all = diags.iter().filter(|diag| diag.level == Level::Error);
        let first = all.next().map(|diag| format!("{:?} {diag}", diag.at))?;
        Some(format!("{first} (and {} more)", all.count()))
    };
    let found = errors(&read.diags)
        .or_else(|| errors(&validate(&read.module)).map(|what| format!("validator: {what}")));
    (read.module, found)
}

/// Opcodes of raw instructions, with how often they stand in a module.
fn count_raw(module: &Module, counts: &mut BTreeMap<u64, (usize, String)>, file: &str) {
    for (_, body) in module.funcs() {
        for block in body.blocks_in_order() {
            for &inst in body.block(block).insts.iter() {
                let data = body.inst(inst);
                if let (Op::Spirv(_), Some(opcode)) = (data.op, data.attrs.get(Key::Opcode)) {
                    counts.entry(opcode).or_insert((0, file.to_owned())).0 += 1;
                }
            }
        }
    }
}

#[test]
fn every_module_of_the_corpus_is_lowered_to_valid_ir_that_reads_back() {
    let Some(path) = corpus() else { return };
    let (mut raw, mut failed, mut bytes_read) = (BTreeMap::new(), Vec::new(), 0);
    let mut spent = Duration::ZERO;
    let rows = rows("corpus.tsv");
    for row in &rows {
        let file = &row["file"];
        let bytes = std::fs::read(path.join(file)).unwrap();
        let start = Instant::now();
        let timed = read(&bytes);
        spent += start.elapsed();
        drop(timed);
        bytes_read += bytes.len();
        let (module, mut found) = wrong(&bytes);
        count_raw(&module, &mut raw, file);
        let text = print_module(&module);
        let parsed = parse(&text);
        if found.is_none() && print_module(&parsed.module) != text {
            let first = parsed.diags.first().map_or("prints differently".to_owned(), ToString::to_string);
            found = Some(format!("text: {first}"));
        }
        let known = KNOWN_FAILURES.iter().any(|(known, _)| known == file);
        match found {
            Some(what) if !known => failed.push(format!("{file}: {what}")),
            None if known => failed.push(format!("{file} works now: take it off the list")),
            _ => {}
        }
    }
    println!("{} modules, {} failed, {} known to fail", rows.len(), failed.len(), KNOWN_FAILURES.len());
    println!("{:.1} MB/s", bytes_read as f64 / 1e6 / spent.as_secs_f64());
    for (opcode, (count, file)) in raw {
        println!("raw opcode {opcode}: {count}, first in {file}");
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn bad_inputs_give_diagnostics_and_nothing_worse() {
    let Some(path) = corpus() else { return };
    let mut failed = Vec::new();
    for row in rows("bad.tsv") {
        let file = &row["file"];
        if !file.ends_with(".spv") {
            continue;
        }
        let bytes = std::fs::read(path.join(file)).unwrap();
        let start = Instant::now();
        let (_, found) = wrong(&bytes);
        let spent = start.elapsed();
        let text = found.clone().unwrap_or_default();
        match &*row["expected"] {
            "reject" if found.is_none() => failed.push(format!("{file} was taken: {}", row["what"])),
            "accept" if found.is_some() => failed.push(format!("{file} was refused: {text}")),
            _ => {}
        }
        if spent > Duration::from_secs(5) {
            failed.push(format!("{file} took {spent:?}"));
        }
        println!("{file} ({}): {:?}", row["expected"], text);
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn damaged_modules_never_panic() {
    let small = small_modules(1200);
    if small.is_empty() {
        return;
    }
    let count =
        std::env::var("VITRINE_MUTATIONS").ok().and_then(|count| count.parse().ok()).unwrap_or(20_000);
    let mut random = Random(2024);
    let mut slowest = Duration::ZERO;
    for number in 0..count {
        let mut bytes = small[random.below(small.len())].clone();
        damage(&mut bytes, &mut random);
        let start = Instant::now();
        let outcome = std::panic::catch_unwind(|| {
            let module = read(&bytes).module;
            if number % 8 == 0 {
                validate(&module);
                print_module(&module);
            }
        });
        slowest = slowest.max(start.elapsed());
        if outcome.is_err() {
            let file = std::env::temp_dir().join("vitrine-front-panic.spv");
            std::fs::write(&file, &bytes).unwrap();
            panic!("mutation {number} panics; it is in {}", file.display());
        }
    }
    println!("{count} mutations of {} modules, the slowest took {slowest:?}", small.len());
    assert!(slowest < Duration::from_secs(5));
}
