//! Writing SPIR-V: every module of the corpus, twice, with its merges and without; extreme control flow;
//! damaged modules through the whole round trip.
//!
//! `spirv-val` judges what is written where it is installed. `VITRINE_MUTATIONS` raises the number of damaged
//! modules, `VITRINE_SEED` makes others, `VITRINE_KEEP` names a file for the one under way.
#![allow(clippy::print_stdout)]

use crate::testing::corpus::{damage, modules, small_modules};
use crate::testing::judge::Judge;
use crate::testing::known;
use crate::testing::numbers::Random;
use crate::testing::settings::setting;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Level, Module};
use vitrine_core::passes::lower_exits::{Target, lower_exits};
use vitrine_core::passes::structurize::{Mode, structurize};
use vitrine_core::pipeline::{SpirvOptions, write_spirv};
use vitrine_core::spirv::{AsmOptions, Binary, DisOptions, assemble, disassembly};
use vitrine_core::validate::validate;

/// The structurizer of a round trip.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Variant {
    /// As `vitrine opt` writes it: with the merges the module declares.
    Declared,
    /// From the bare graph.
    Bare,
    /// One switch in one loop.
    SwitchLoop,
}

/// The errors of a list, in words.
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

/// Reads bytes and writes what was read.
fn round(bytes: &[u8], variant: Variant) -> Result<Vec<u8>, String> {
    let read = read(bytes);
    if let Some(error) = errors(&read.diags).or_else(|| errors(&validate(&read.module))) {
        return Err(format!("read: {error}"));
    }
    written(&read.module, variant)
}

fn whole_corpus(variant: Variant, name: &str, twice: bool) {
    let judge = Judge::new(name);
    let modules = modules();
    let (mut failed, mut judged, mut written) = (Vec::new(), 0, 0);
    let mut known = known::in_runs_of(name);
    // A failure of a module that is not there is inconclusive.
    known.retain(|(file, _)| modules.iter().any(|item| item.file == *file));
    let expected = known.len();
    for item in &modules {
        let file = &item.file;
        let bytes = item.bytes();
        let mut fail =
            |what: &str, says: String| match known.iter().position(|&row| row == (file.as_str(), what)) {
                Some(at) => drop(known.swap_remove(at)),
                None => failed.push(format!("{file}: {what}: {says}")),
            };
        let once = match round(&bytes, variant) {
            Ok(once) => once,
            Err(says) => {
                fail(&format!("{name}-write"), says);
                continue;
            }
        };
        written += 1;
        match judge.strictly(&item.path, &once) {
            Ok(was) => judged += usize::from(was),
            Err(says) => fail(&format!("{name}-val"), says),
        }
        match round(&once, variant) {
            Ok(again) if twice && again != once => {
                fail(&format!("{name}-twice"), format!("{} bytes, then {}", once.len(), again.len()));
            }
            Ok(_) => {}
            Err(says) => fail(&format!("{name}-again"), says),
        }
    }
    failed
        .extend(known.iter().map(|(file, what)| format!("{file}: {what}: works now, take it off the list")));
    println!("{name}: {written} written, {judged} judged, {expected} known to fail, {} failed", failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
fn the_corpus_is_written_with_its_merges_and_twice_is_once() {
    whole_corpus(Variant::Declared, "declared", true);
}

#[test]
fn the_corpus_is_written_from_bare_graphs() {
    whole_corpus(Variant::Bare, "bare", false);
}

#[test]
fn the_corpus_is_written_as_switches_in_loops() {
    whole_corpus(Variant::SwitchLoop, "switch-loop", false);
}

#[test]
fn as_in_keeps_what_the_header_said() {
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

/// Extreme graphs, by name.
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
        ("a 2,000-way switch", switch),
        ("an irreducible K_12", complete),
        ("a chain of 100,000 blocks", chain),
    ]
}

#[test]
fn extreme_control_flow_takes_a_small_stack() {
    // The stack of a wasm module is 1 MB; half of it must do, in a build without optimisation.
    let work = || {
        let judge = Judge::new("extremes");
        for (name, body) in extremes() {
            let bytes = shader(&body);
            let result = round(&bytes, Variant::Declared).unwrap_or_else(|says| panic!("{name}: {says}"));
            println!("{name}: {} bytes in, {} out", bytes.len(), result.len());
            let again =
                round(&result, Variant::Declared).unwrap_or_else(|says| panic!("{name}, again: {says}"));
            assert!(name.contains("K_12") || again == result, "{name} changes when it is written again");
            let file = judge.folder.join("extreme.spv");
            std::fs::write(&file, &result).unwrap();
            // The real validator recurses over the depth of loops.
            if judge.installed && !name.contains("nested") {
                judge.accepts(&file, "spv1.6").unwrap_or_else(|says| panic!("{name}: {says}"));
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
    // The file that keeps each input before it is tried: the last one is there after a hang or a kill.
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
            // Text and back, whatever the words are.
            if number % 4 == 0 {
                let (binary, _) = Binary::read(&bytes);
                let text = disassembly(&binary, &DisOptions::default());
                assemble(&text, &AsmOptions::default());
            }
            let read = read(&bytes);
            let sound = errors(&read.diags).is_none() && errors(&validate(&read.module)).is_none();
            if sound && let Ok(result) = written(&read.module, Variant::Declared) {
                let again = vitrine_core::front::spirv::read(&result);
                assert!(errors(&again.diags).is_none(), "{:?}", errors(&again.diags));
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
    println!("{count} damaged modules, {whole} of them whole enough to be written");
    assert!(
        count < 1000 || whole * 50 > count,
        "hardly any module was written: the damage is too great to test much"
    );
}
