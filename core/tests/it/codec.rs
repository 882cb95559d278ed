//! Modules as bytes: every version of every trace comes back equal, and damaged bytes give an error or a module that every
//! walk survives.
//!
//! `VITRINE_CODEC_CASES` is the number of damaged inputs, `VITRINE_CODEC_STEP` takes every n-th module of the large
//! corpora.
#![allow(clippy::print_stdout)]

use crate::d3d9;
use crate::testing::corpus::{Item, modules, of_sets, own};
use crate::testing::random;
use crate::testing::settings::setting;
use vitrine_core::base::random::Random as Numbers;
use vitrine_core::front;
use vitrine_core::ir::Module;
use vitrine_core::ir::codec::{CodecError, MAGIC, VERSION, decode, encode};
use vitrine_core::pipeline::{Pipeline, Settings};
use vitrine_core::text::print_module;
use vitrine_core::validate::validate;

/// Pipelines of all kinds of versions: graphs, trees, optimized ones, untyped and lifted memory, registers, other layouts.
const PIPELINES: [&str; 4] = [
    "ingest, O2, lower-exits{spirv}",
    "structurize, qptr-lower, qptr-legalize, O1, qptr-lift",
    "ingest, values-to-regs, hlsl-out",
    "ingest, wgsl-out",
];

/// Asserts that a module comes back from its bytes: the same bytes again, and the same text.
fn comes_back(module: &Module, what: &str) -> usize {
    let bytes = encode(module);
    let again = decode(&bytes).unwrap_or_else(|error| panic!("{what}: {error}"));
    assert!(encode(&again) == bytes, "{what}: another module comes back");
    assert_eq!(print_module(&again), print_module(module), "{what}");
    bytes.len()
}

/// The modules of the own corpus, and of the large one and that of Direct3D every n-th, with their names.
fn inputs() -> Vec<(String, Vec<u8>)> {
    let step = setting("VITRINE_CODEC_STEP", 8usize).max(1);
    let folder = own();
    let (of_own, of_large): (Vec<Item>, Vec<Item>) =
        modules().into_iter().partition(|item| item.path.starts_with(&folder));
    let named = |item: &Item| (item.file.clone(), item.bytes());
    let direct3d = d3d9::folder().map(|folder| d3d9::modules(&folder)).unwrap_or_default();
    let direct3d = direct3d.into_iter().map(|(path, bytes)| (d3d9::name(&path), bytes));
    let large = of_large.iter().map(named).chain(direct3d);
    of_own.iter().map(named).chain(large.step_by(step)).collect()
}

#[test]
fn every_version_of_every_trace_comes_back() {
    let (mut count, mut bytes) = (0, 0);
    for (name, input) in inputs() {
        let (_, read) = front::read(&input);
        for pipeline in PIPELINES {
            let pipeline = Pipeline::parse(pipeline).expect("a pipeline");
            let trace = pipeline.trace(&read.module, Settings { validate: false, ..Settings::default() });
            for (pass, version) in trace.changed_versions(usize::MAX) {
                bytes += comes_back(version, &format!("{name} after {pass}"));
                count += 1;
            }
        }
    }
    println!("{count} versions, {bytes} bytes");
    assert!(count > inputs().len(), "the pipelines change modules: {count}");
}

#[test]
fn random_modules_come_back() {
    for seed in 0..setting("VITRINE_CODEC_RANDOM", 400) {
        let module = random::module(seed, 40);
        comes_back(&module, &format!("seed {seed}"));
    }
}

/// A decoded module is validated, and printed, parsed and run through passes if it is valid.
fn survives(bytes: &[u8], pipeline: &Pipeline) -> Result<bool, CodecError> {
    let module = decode(bytes)?;
    let text = print_module(&module);
    if !validate(&module).is_empty() {
        return Ok(false);
    }
    assert!(!text.is_empty());
    let trace = pipeline.trace(&module, Settings::default());
    comes_back(trace.last(), "a damaged module that is valid");
    Ok(true)
}

#[test]
fn damaged_bytes_give_an_error_or_a_module_that_walks_survive() {
    let pipeline = Pipeline::parse("structurize, O1").expect("a pipeline");
    let whole: Vec<Vec<u8>> = of_sets(&["teaching"])
        .iter()
        .map(|item| encode(&front::read(&item.bytes()).1.module))
        .filter(|bytes| bytes.len() < 8_000)
        .collect();
    let mut numbers = Numbers(setting("VITRINE_CODEC_SEED", 1));
    let (mut refused, mut invalid, mut valid) = (0, 0, 0);
    for case in 0..setting("VITRINE_CODEC_CASES", 20_000usize) {
        let mut bytes = whole[case % whole.len()].clone();
        for _ in 0..1 + numbers.below(3) {
            let at = 4 + numbers.below(bytes.len() as u64 - 4) as usize;
            match numbers.below(5) {
                0 => bytes[at] = numbers.below(256) as u8,
                1 => bytes[at] ^= 1 << numbers.below(8),
                2 => bytes.truncate(at.max(6)),
                3 => bytes.insert(at, numbers.below(256) as u8),
                _ => drop(bytes.remove(at)),
            }
            if bytes.len() < 8 {
                break;
            }
        }
        match survives(&bytes, &pipeline) {
            Err(_) => refused += 1,
            Ok(false) => invalid += 1,
            Ok(true) => valid += 1,
        }
    }
    println!("{refused} refused, {invalid} invalid, {valid} valid");
    assert!(refused > 0 && invalid > 0 && valid > 0);
}

#[test]
fn other_bytes_and_other_versions_are_refused_by_name() {
    let bytes = encode(&Module::new());
    assert!(bytes.starts_with(MAGIC) && bytes[3] == VERSION);
    assert!(decode(&bytes).is_ok());
    assert_eq!(decode(b"").err(), Some(CodecError::NotAModule));
    assert_eq!(decode(b"VIR").err(), Some(CodecError::NotAModule));
    assert_eq!(decode(&[3, 2, 35, 7]).err(), Some(CodecError::NotAModule));
    let mut later = bytes.clone();
    later[3] = VERSION + 1;
    assert_eq!(decode(&later).err(), Some(CodecError::Version(VERSION + 1)));
    let longer: Vec<u8> = bytes.iter().copied().chain([0]).collect();
    assert!(matches!(decode(&longer), Err(CodecError::Damaged(reason)) if reason.contains("follow")));
    assert!(matches!(decode(&bytes[..bytes.len() - 1]), Err(CodecError::Damaged(_))));
}
