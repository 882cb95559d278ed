//! Reading SPIR-V: every module of the corpus, malformed inputs, and randomly damaged modules.
//!
//! No time limit is asserted; the caller of the tests sets one.
#![allow(clippy::print_stdout)]

use crate::testing::corpus::{bad_inputs, damage, modules, small_modules};
use crate::testing::settings::setting;
use std::collections::BTreeMap;
use vitrine_core::base::random::Random;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Level, Module};
use vitrine_core::ops::{Key, Op};
use vitrine_core::text::{parse, print_module};
use vitrine_core::validate::validate;

/// Modules that cannot be read, or whose IR is invalid, with the reason.
const KNOWN_FAILURES: &[(&str, &str)] = &[];

/// The module, and its first error.
fn first_error(bytes: &[u8]) -> (Module, Option<String>) {
    let read = read(bytes);
    let errors = |diags: &[vitrine_core::ir::Diag]| {
        let mut all = diags.iter().filter(|diag| diag.level == Level::Error);
        let first = all.next().map(|diag| format!("{:?} {diag}", diag.at))?;
        Some(format!("{first} (and {} more)", all.count()))
    };
    let found = errors(&read.diags)
        .or_else(|| errors(&validate(&read.module)).map(|error| format!("validator: {error}")));
    (read.module, found)
}

/// Opcodes of raw instructions, with the number of their occurrences in a module.
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
    let (mut raw, mut failed) = (BTreeMap::new(), Vec::new());
    let modules = modules();
    for item in &modules {
        let file = &item.file;
        let bytes = item.bytes();
        let (module, mut found) = first_error(&bytes);
        count_raw(&module, &mut raw, file);
        let text = print_module(&module);
        let parsed = parse(&text);
        if found.is_none() && print_module(&parsed.module) != text {
            let first = parsed.diags.first().map_or("prints differently".to_owned(), ToString::to_string);
            found = Some(format!("text: {first}"));
        }
        let known = KNOWN_FAILURES.iter().any(|(known, _)| known == file);
        match found {
            Some(error) if !known => failed.push(format!("{file}: {error}")),
            None if known => failed.push(format!("{file} works now; remove it from the list")),
            _ => {}
        }
    }
    println!("{} modules, {} failed, {} known to fail", modules.len(), failed.len(), KNOWN_FAILURES.len());
    for (opcode, (count, file)) in raw {
        println!("raw opcode {opcode}: {count}, first in {file}");
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn malformed_inputs_are_reported() {
    let mut failed = Vec::new();
    for item in bad_inputs() {
        let file = &item.file;
        if !file.ends_with(".spv") {
            continue;
        }
        let (_, found) = first_error(&item.bytes());
        let text = found.clone().unwrap_or_default();
        match item.column("expected") {
            "reject" if found.is_none() => {
                failed.push(format!("{file} was accepted: {}", item.column("what")));
            }
            "accept" if found.is_some() => failed.push(format!("{file} was refused: {text}")),
            _ => {}
        }
        println!("{file} ({}): {text:?}", item.column("expected"));
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn damaged_modules_never_panic() {
    let small = small_modules(1200);
    let count = setting("VITRINE_MUTATIONS", 20_000);
    let mut random = Random(2024);
    for number in 0..count {
        let mut bytes = small[random.below(small.len())].clone();
        damage(&mut bytes, &mut random);
        let outcome = std::panic::catch_unwind(|| {
            let module = read(&bytes).module;
            if number % 8 == 0 {
                validate(&module);
                print_module(&module);
            }
        });
        if outcome.is_err() {
            let file = std::env::temp_dir().join("vitrine-front-panic.spv");
            std::fs::write(&file, &bytes).unwrap();
            panic!("mutation {number} panics; it is in {}", file.display());
        }
    }
    println!("{count} mutations of {} modules", small.len());
}

/// spirv-val accepts a repeated value of a switch: the first one is used, and a warning names it.
#[test]
fn the_first_of_repeated_switch_values_is_used() {
    let text = "OpCapability Shader\nOpCapability Linkage\nOpMemoryModel Logical GLSL450\n%void = OpTypeVoid\n\
                %u = OpTypeInt 32 0\n%1 = OpTypeFunction %u %u\n%2 = OpConstant %u 10\n%3 = OpConstant %u 20\n\
                %4 = OpConstant %u 30\n%f = OpFunction %u None %1\n%x = OpFunctionParameter %u\n%5 = OpLabel\n\
                OpSelectionMerge %9 None\nOpSwitch %x %8 1 %6 1 %7 2 %7\n%6 = OpLabel\nOpReturnValue %2\n%7 = OpLabel\n\
                OpReturnValue %3\n%8 = OpLabel\nOpReturnValue %4\n%9 = OpLabel\nOpUnreachable\nOpFunctionEnd\n";
    let assembled = vitrine_core::spirv::assemble(text, &Default::default());
    assert!(assembled.diags.is_empty(), "{:?}", assembled.diags);
    let bytes: Vec<u8> = assembled.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let read = read(&bytes);
    let levels: Vec<Level> = read.diags.iter().map(|diag| diag.level).collect();
    assert_eq!(levels, [Level::Warning], "{:?}", read.diags);
    assert!(read.diags[0].to_string().contains("has the case 1 twice"), "{}", read.diags[0]);
    let printed = print_module(&read.module);
    assert!(printed.contains("{1: ^") && printed.contains(", 2: ^"), "{printed}");
    assert_eq!(validate(&read.module).iter().find(|diag| diag.level == Level::Error), None);
}
