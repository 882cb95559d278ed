//! Writing SPIR-V: every module of the corpus, twice, with and without its merge blocks; extreme control flow;
//! the whole round trip of damaged modules.
//!
//! If `spirv-val` is installed, it validates the written modules. `VITRINE_MUTATIONS` sets the number of damaged
//! modules, `VITRINE_SEED` selects others, and `VITRINE_KEEP` names a file that holds the current one.
#![allow(clippy::print_stdout)]

use crate::testing::corpus::{damage, modules, small_modules};
use crate::testing::known;
use crate::testing::settings::setting;
use crate::testing::spirv_val::SpirvVal;
use vitrine_core::back::{SpirvOptions, write_spirv};
use vitrine_core::base::random::Random;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Level, Module};
use vitrine_core::passes::lower_exits::{Target, lower_exits};
use vitrine_core::passes::structurize::{Mode, structurize};
use vitrine_core::spirv::{AsmOptions, Binary, DisOptions, assemble, disassembly};
use vitrine_core::validate::validate;

/// The structurizer of a round trip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Variant {
    /// As `vitrine opt` writes it: with the merge blocks that the module declares.
    Declared,
    /// From the graph without merge blocks.
    Bare,
    /// As one switch in one loop.
    SwitchLoop,
}

/// The errors of a list, as text.
fn errors(diags: &[vitrine_core::ir::Diag]) -> Option<String> {
    diags.iter().find(|diag| diag.level == Level::Error).map(|diag| format!("{:?} {diag}", diag.at))
}

fn written(module: &Module, variant: Variant) -> Result<Vec<u8>, String> {
    let mut module = module.clone();
    let mode = match variant {
        Variant::Declared => None,
        Variant::Bare => Some(Mode::Faithful),
        Variant::SwitchLoop => Some(Mode::SwitchLoop),
    };
    let funcs: Vec<_> = module.funcs().map(|(func, _)| func).collect();
    for func in funcs {
        let Some(mode) = mode else { continue };
        structurize(&mut module, func, mode).map_err(|diag| format!("structurize: {diag}"))?;
        lower_exits(&mut module, func, Target::Spirv).map_err(|diag| format!("lower-exits: {diag}"))?;
    }
    let words = write_spirv(&module, SpirvOptions::default()).map_err(|diag| format!("write: {diag}"))?;
    Ok(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}

/// Reads SPIR-V and writes it again.
fn round_trip(bytes: &[u8], variant: Variant) -> Result<Vec<u8>, String> {
    let read = read(bytes);
    if let Some(error) = errors(&read.diags).or_else(|| errors(&validate(&read.module))) {
        return Err(format!("read: {error}"));
    }
    written(&read.module, variant)
}

fn whole_corpus(variant: Variant, name: &str, twice: bool) {
    let validator = SpirvVal::new(name);
    let modules = modules();
    let (mut failed, mut validated, mut written) = (Vec::new(), 0, 0);
    let mut known = known::in_runs_of(name);
    // Failures of missing modules cannot be checked.
    known.retain(|(file, _)| modules.iter().any(|item| item.file == *file));
    let expected = known.len();
    for item in &modules {
        let file = &item.file;
        let bytes = item.bytes();
        let mut fail = |failure: &str, message: String| match known
            .iter()
            .position(|&entry| entry == (file.as_str(), failure))
        {
            Some(at) => drop(known.swap_remove(at)),
            None => failed.push(format!("{file}: {failure}: {message}")),
        };
        let first = match round_trip(&bytes, variant) {
            Ok(first) => first,
            Err(message) => {
                fail(&format!("{name}-write"), message);
                continue;
            }
        };
        written += 1;
        match validator.validate_strictly(&item.path, &first) {
            Ok(was) => validated += usize::from(was),
            Err(message) => fail(&format!("{name}-val"), message),
        }
        match round_trip(&first, variant) {
            Ok(second) if twice && second != first => {
                fail(&format!("{name}-twice"), format!("{} bytes, then {}", first.len(), second.len()));
            }
            Ok(_) => {}
            Err(message) => fail(&format!("{name}-again"), message),
        }
    }
    failed.extend(
        known.iter().map(|(file, failure)| format!("{file}: {failure}: works now; remove it from the list")),
    );
    println!(
        "{name}: {written} written, {validated} validated, {expected} known to fail, {} failed",
        failed.len()
    );
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn writing_the_corpus_with_its_merge_blocks_is_idempotent() {
    whole_corpus(Variant::Declared, "declared", true);
}

#[test]
fn the_corpus_is_written_from_graphs_without_merge_blocks() {
    whole_corpus(Variant::Bare, "bare", false);
}

#[test]
fn the_corpus_is_written_as_switches_in_loops() {
    whole_corpus(Variant::SwitchLoop, "switch-loop", false);
}

#[test]
fn as_in_keeps_the_header() {
    for item in modules() {
        let bytes = item.bytes();
        let module = read(&bytes).module;
        let version = |as_in| {
            let words = write_spirv(&module, SpirvOptions { as_in, strict: false }).unwrap();
            let (binary, _) = Binary::from_words(words);
            binary.header.version
        };
        let declared = Binary::read(&bytes).0.header.version;
        let (kept, least) = (version(true), version(false));
        assert_eq!(kept, declared, "{}", item.file);
        assert!(least <= declared, "{}: {least:x} of {declared:x}", item.file);
    }
}

/// A fragment shader around a body, as SPIR-V text.
fn shader(body: &str) -> Vec<u8> {
    let text = format!(
        "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint GLCompute %main \"main\"\n\
         OpExecutionMode %main LocalSize 1 1 1\n%void = OpTypeVoid\n%fn = OpTypeFunction %void\n\
         %bool = OpTypeBool\n%true = OpConstantTrue %bool\n%u = OpTypeInt 32 0\n%zero = OpConstant %u 0\n\
         %main = OpFunction %void None %fn\n{body}OpFunctionEnd\n"
    );
    let assembled = assemble(&text, &AsmOptions::default());
    assert!(assembled.diags.is_empty(), "{:?}", assembled.diags.first());
    assembled.words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// Graphs of extreme size or shape, with their names.
fn extremes() -> Vec<(&'static str, String)> {
    let mut returns = String::from("%l0 = OpLabel\n");
    for at in 0..10_000 {
        let next = at + 1;
        returns += &format!(
            "OpSelectionMerge %l{next} None\nOpBranchConditional %true %r{at} %l{next}\n\
             %r{at} = OpLabel\nOpReturn\n%l{next} = OpLabel\n"
        );
    }
    returns += "OpReturn\n";
    let mut loops = String::from("%e = OpLabel\nOpBranch %h0\n");
    for at in 0..1_000 {
        let inner = if at == 999 { "%core".to_owned() } else { format!("%h{}", at + 1) };
        loops += &format!(
            "%h{at} = OpLabel\nOpLoopMerge %m{at} %c{at} None\nOpBranchConditional %true %b{at} %m{at}\n\
             %b{at} = OpLabel\nOpBranch {inner}\n"
        );
    }
    loops += "%core = OpLabel\nOpBranch %c999\n";
    for at in (0..1_000).rev() {
        let after = if at == 0 { "OpReturn".to_owned() } else { format!("OpBranch %c{}", at - 1) };
        loops += &format!("%c{at} = OpLabel\nOpBranch %h{at}\n%m{at} = OpLabel\n{after}\n");
    }
    let mut switch = String::from("%e = OpLabel\nOpSelectionMerge %m None\nOpSwitch %zero %m");
    (0..2_000).for_each(|at| switch += &format!(" {at} %c{at}"));
    switch += "\n";
    (0..2_000).for_each(|at| switch += &format!("%c{at} = OpLabel\nOpBranch %m\n"));
    switch += "%m = OpLabel\nOpReturn\n";
    let mut complete = String::from("%e = OpLabel\nOpSwitch %zero %n0");
    (1..12).for_each(|at| complete += &format!(" {at} %n{at}"));
    complete += "\n";
    for at in 0..12 {
        complete += &format!("%n{at} = OpLabel\nOpSwitch %zero %x");
        (0..12).filter(|&to| to != at).for_each(|to| complete += &format!(" {to} %n{to}"));
        complete += "\n";
    }
    complete += "%x = OpLabel\nOpReturn\n";
    let mut chain = String::from("%b0 = OpLabel\n");
    (1..100_000).for_each(|at| chain += &format!("OpBranch %b{at}\n%b{at} = OpLabel\n"));
    chain += "OpReturn\n";
    vec![
        ("10,000 early returns", returns),
        ("1,000 nested loops", loops),
        ("a switch with 2,000 arms", switch),
        ("an irreducible K_12", complete),
        ("a chain of 100,000 blocks", chain),
    ]
}

#[test]
fn extreme_control_flow_needs_only_a_small_stack() {
    // The stack of a wasm module is 1 MB; half of it must suffice in a build without optimization.
    let work = || {
        let validator = SpirvVal::new("extremes");
        for (name, body) in extremes() {
            let bytes = shader(&body);
            let result =
                round_trip(&bytes, Variant::Declared).unwrap_or_else(|message| panic!("{name}: {message}"));
            println!("{name}: {} bytes in, {} out", bytes.len(), result.len());
            let second = round_trip(&result, Variant::Declared)
                .unwrap_or_else(|message| panic!("{name}, again: {message}"));
            assert!(name.contains("K_12") || second == result, "{name} changes when it is written again");
            let file = validator.folder.join("extreme.spv");
            std::fs::write(&file, &result).unwrap();
            // spirv-val recurses over the depth of loops.
            if validator.installed && !name.contains("nested") {
                validator.accepts(&file, "spv1.6").unwrap_or_else(|message| panic!("{name}: {message}"));
            }
        }
    };
    std::thread::Builder::new().stack_size(512 << 10).spawn(work).unwrap().join().unwrap();
}

#[test]
fn damaged_modules_are_read_and_written_without_a_panic() {
    let small = small_modules(600);
    let count = setting("VITRINE_MUTATIONS", 20_000_usize);
    let seed = setting("VITRINE_SEED", 11);
    // Each input is saved before it is tried, so that it remains after a hang or a kill.
    let keep = std::env::var_os("VITRINE_KEEP");
    let mut random = Random(seed);
    let mut whole = 0;
    for number in 0..count {
        let mut bytes = small[random.below(small.len())].clone();
        damage(&mut bytes, &mut random);
        if let Some(file) = &keep {
            std::fs::write(file, &bytes).unwrap();
        }
        let outcome = std::panic::catch_unwind(|| {
            // Through text and back, for any words.
            if number % 4 == 0 {
                let (binary, _) = Binary::read(&bytes);
                let text = disassembly(&binary, &DisOptions::default());
                assemble(&text, &AsmOptions::default());
            }
            let read = read(&bytes);
            let sound = errors(&read.diags).is_none() && errors(&validate(&read.module)).is_none();
            if sound && let Ok(result) = written(&read.module, Variant::Declared) {
                let second = vitrine_core::front::spirv::read(&result);
                assert!(errors(&second.diags).is_none(), "{:?}", errors(&second.diags));
                return true;
            }
            false
        });
        match outcome {
            Ok(sound) => whole += usize::from(sound),
            Err(_) => {
                let file = std::env::temp_dir().join("vitrine-round-panic.spv");
                std::fs::write(&file, &bytes).unwrap();
                panic!("mutation {number} of seed {seed} panics; it is in {}", file.display());
            }
        }
    }
    println!("{count} damaged modules, {whole} of them still valid enough to be written");
    assert!(count < 1000 || whole * 50 > count, "too few modules were written: the damage is too severe");
}
