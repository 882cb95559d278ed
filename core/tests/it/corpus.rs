//! The project's own corpus: every module has a source, a row of the table and a purpose, and is valid. Together the
//! modules use nearly all of SPIR-V.
//!
//! `BLESS=1 cargo test -p vitrine-core --all-features --test it corpus::` rewrites the table and the expected results.
//! The tests of front ends, passes and back ends run on the same modules: see `testing/corpus.rs`.
#![allow(clippy::print_stdout)] // the coverage is output

use crate::testing::corpus::{OWN_MODULES, own, table};
use crate::testing::spirv_val::SpirvVal;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use vitrine_core::analysis::{Cfg, Dom};
use vitrine_core::front::spirv::read;
use vitrine_core::interp::cases::json::Case;
use vitrine_core::interp::run;
use vitrine_core::spirv::{AsmOptions, Binary, Context, Decoded, assemble, check};
use vitrine_filetests::bless;

/// Limit on the total size of all modules.
const MOST_BYTES: u64 = 600_000;

/// Minimum number of distinct instructions that the modules use. It only grows.
const LEAST_OPCODES: usize = 320;

/// Storage classes by number, without those of single-vendor extensions.
const STORAGE_CLASSES: &[(u32, &str)] = &[
    (0, "UniformConstant"),
    (1, "Input"),
    (2, "Uniform"),
    (3, "Output"),
    (4, "Workgroup"),
    (5, "CrossWorkgroup"),
    (6, "Private"),
    (7, "Function"),
    (8, "Generic"),
    (9, "PushConstant"),
    (11, "Image"),
    (12, "StorageBuffer"),
    (5328, "CallableDataKHR"),
    (5338, "RayPayloadKHR"),
    (5339, "HitAttributeKHR"),
    (5342, "IncomingRayPayloadKHR"),
    (5343, "ShaderRecordBufferKHR"),
    (5349, "PhysicalStorageBuffer"),
    (5402, "TaskPayloadWorkgroupEXT"),
];

/// Control-flow instructions. Each must occur in some module.
const CONTROL: &[(u16, &str)] = &[
    (245, "Phi"),
    (246, "LoopMerge"),
    (247, "SelectionMerge"),
    (249, "Branch"),
    (250, "BranchConditional"),
    (251, "Switch"),
    (252, "Kill"),
    (253, "Return"),
    (254, "ReturnValue"),
    (255, "Unreachable"),
    (57, "FunctionCall"),
    (224, "ControlBarrier"),
    (4416, "TerminateInvocation"),
    (4448, "IgnoreIntersectionKHR"),
    (4449, "TerminateRayKHR"),
    (5294, "EmitMeshTasksEXT"),
    (5380, "DemoteToHelperInvocation"),
];

/// Execution models by number, with their names in the table.
const STAGES: &[(u32, &str)] = &[
    (0, "vert"),
    (1, "tesc"),
    (2, "tese"),
    (3, "geom"),
    (4, "frag"),
    (5, "comp"),
    (6, "kernel"),
    (5313, "rgen"),
    (5314, "rint"),
    (5315, "rahit"),
    (5364, "task"),
    (5365, "mesh"),
];

/// The paths of the modules, relative to the folder.
fn files() -> Vec<String> {
    let mut files = Vec::new();
    for set in std::fs::read_dir(own()).expect("the folder of the corpus").flatten() {
        let name = set.file_name().to_string_lossy().into_owned();
        // The malformed inputs are in a separate table.
        for file in std::fs::read_dir(set.path()).into_iter().flatten().flatten().filter(|_| name != "bad") {
            let file = file.file_name().to_string_lossy().into_owned();
            files.extend(file.ends_with(".spv").then(|| format!("{name}/{file}")));
        }
    }
    files.sort();
    files
}

/// The source of a module, and its purpose, which is the first comment.
fn source(file: &str) -> (String, String) {
    let stem = file.strip_suffix("spv").expect("a module");
    let (set, stem) = stem.split_once('/').expect("a folder and a file");
    let entries = std::fs::read_dir(own().join(set)).expect("a folder").flatten();
    let names = entries.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let mut sources: Vec<String> = names
        .filter(|name| name.starts_with(stem) && !name.ends_with(".spv") && !name.ends_with(".json"))
        .collect();
    assert_eq!(sources.len(), 1, "{file} needs exactly one source: {sources:?}");
    let name = format!("{set}/{}", sources.remove(0));
    let text = std::fs::read_to_string(own().join(&name)).expect("a source");
    let comment = text.lines().find_map(|line| line.strip_prefix("// ").or_else(|| line.strip_prefix("; ")));
    (name, comment.unwrap_or_else(|| panic!("{file}: the source opens with its purpose")).to_owned())
}

/// The instructions of a module, as opcode and operands.
fn instructions(bytes: &[u8]) -> Vec<(u16, Vec<u32>)> {
    let (binary, diags) = Binary::read(bytes);
    assert_eq!(diags, []);
    binary.instructions().map(|inst| ((inst.words[0] & 0xffff) as u16, inst.words[1..].to_vec())).collect()
}

/// The table row of a module. The validity columns come from spirv-val; without it, the old ones are kept.
fn row(file: &str, validator: &SpirvVal, old: Option<(&str, &str)>) -> String {
    let path = own().join(file);
    let bytes = std::fs::read(&path).expect("a module");
    let models: BTreeSet<u32> =
        instructions(&bytes).iter().filter(|(opcode, _)| *opcode == 15).map(|(_, words)| words[0]).collect();
    let name = |model: &u32| STAGES.iter().find(|(number, _)| number == model).map(|(_, name)| *name);
    let stages: Vec<&str> = models.iter().map(|model| name(model).expect("a stage of the list")).collect();
    let stage = if stages.is_empty() { "none".to_owned() } else { stages.join("+") };
    let version = Binary::read(&bytes).0.header.version;
    let verdict = |environment: &str| if validator.accepts(&path, environment).is_ok() { "1" } else { "0" };
    let (valid, vulkan) = match (validator.installed, old) {
        (true, _) => (verdict("spv1.6"), verdict("vulkan1.3")),
        (false, old) => old.unwrap_or(("0", "0")),
    };
    let (source, purpose) = source(file);
    let version = format!("{}.{}", version >> 16 & 0xff, version >> 8 & 0xff);
    format!("{file}\t{stage}\t{version}\t{}\t{valid}\t{vulkan}\t{source}\t{purpose}\n", bytes.len() / 4)
}

#[test]
fn every_module_has_a_source_a_row_and_a_purpose() {
    let files = files();
    assert_eq!(files.len(), OWN_MODULES, "modules in the folder, and in testing/corpus.rs");
    let validator = SpirvVal::new("own-table");
    let listed = table(&own(), "corpus.tsv");
    let old = |file: &str| {
        let item = listed.iter().find(|item| item.file == file)?;
        Some((item.column("valid"), item.column("valid_vulkan")))
    };
    let mut text = String::from("file\tstage\tversion\twords\tvalid\tvalid_vulkan\ttext\tpurpose\n");
    for file in &files {
        text.push_str(&row(file, &validator, old(file)));
    }
    let path = own().join("corpus.tsv");
    if bless::enabled() {
        std::fs::write(&path, &text).expect("the table can be written");
    }
    let found = std::fs::read_to_string(&path).expect("the table");
    let difference = found.lines().zip(text.lines()).find(|(found, expected)| found != expected);
    assert_eq!(difference, None, "the table is out of date; run with BLESS=1");
    assert_eq!(found, text);
    let bytes: u64 =
        files.iter().map(|file| std::fs::metadata(own().join(file)).expect("a module").len()).sum();
    println!("{} modules of {bytes} bytes", files.len());
    assert!(bytes < MOST_BYTES, "{bytes} bytes");
}

/// The words with ids renumbered in order of occurrence.
fn renumbered(words: Vec<u32>) -> Vec<u32> {
    let (binary, diags) = Binary::from_words(words);
    assert_eq!(diags, []);
    let mut numbers = BTreeMap::new();
    let (mut context, mut decoded) = (Context::for_words(binary.words().len()), Decoded::default());
    let mut out = Vec::new();
    for inst in binary.instructions() {
        context.decode(&inst, &mut decoded);
        let begin = out.len();
        out.extend_from_slice(inst.words);
        for operand in decoded.operands.iter().filter(|operand| operand.is_id()) {
            let fresh = numbers.len() as u32 + 1;
            out[begin + operand.at as usize] = *numbers.entry(operand.word(&inst)).or_insert(fresh);
        }
        context.note(&inst);
    }
    out
}

/// The modules were assembled by spirv-as; this project's assembler must give the same instructions.
#[test]
fn every_text_assembles_to_its_module() {
    let mut count = 0;
    for item in table(&own(), "corpus.tsv").iter().filter(|item| item.column("text").ends_with(".spvasm")) {
        let text = std::fs::read_to_string(own().join(item.column("text"))).expect("a source");
        let made = assemble(&text, &AsmOptions::default());
        assert!(made.diags.is_empty(), "{}: {:?}", item.file, made.diags.first());
        let (binary, _) = Binary::read(&item.bytes());
        assert!(check(&binary).is_empty(), "{}", item.file);
        assert_eq!(renumbered(made.words), renumbered(binary.words().to_vec()), "{}", item.file);
        count += 1;
    }
    assert!(count > 20, "{count} texts");
}

#[test]
fn every_module_is_valid_for_its_environment() {
    let validator = SpirvVal::new("own");
    for item in table(&own(), "corpus.tsv") {
        let vulkan = !["kernel", "none"].contains(&item.column("stage"));
        assert_eq!(item.column("valid"), "1", "{}", item.file);
        assert_eq!(item.column("valid_vulkan") == "1", vulkan, "{}", item.file);
        if validator.installed {
            let environment = if vulkan { "vulkan1.3" } else { "spv1.6" };
            validator
                .accepts(&item.path, environment)
                .unwrap_or_else(|message| panic!("{}: {message}", item.file));
        }
    }
}

#[test]
fn the_modules_cover_nearly_all_of_spirv() {
    let (mut opcodes, mut classes, mut stages) = (BTreeMap::new(), BTreeSet::new(), BTreeSet::new());
    let mut irreducible = 0;
    for file in files() {
        let bytes = std::fs::read(own().join(&file)).expect("a module");
        for (opcode, words) in instructions(&bytes) {
            *opcodes.entry(opcode).or_insert(0) += 1;
            match opcode {
                15 => drop(stages.insert(words[0])),
                32 => drop(classes.insert(words[1])),
                _ => {}
            }
        }
        let module = read(&bytes).module;
        irreducible += module
            .funcs()
            .filter(|(_, body)| {
                let cfg = Rc::new(Cfg::of(body));
                let dom = Dom::of(&cfg);
                // A retreating edge whose target does not dominate its source.
                let retreats =
                    |from, to| cfg.rpo_index(to) <= cfg.rpo_index(from) && !dom.dominates(to, from);
                cfg.rpo().iter().any(|&from| cfg.succs(from).any(|to| retreats(from, to)))
            })
            .count();
    }
    let mut text = String::new();
    for (opcode, count) in &opcodes {
        let _ = write!(text, " {opcode}:{count}");
    }
    println!("{} opcodes (number:uses):{text}", opcodes.len());
    println!(
        "{} storage classes, {} stages, {irreducible} irreducible functions",
        classes.len(),
        stages.len()
    );
    let missing: Vec<&str> =
        CONTROL.iter().filter(|(number, _)| !opcodes.contains_key(number)).map(|(_, name)| *name).collect();
    assert!(missing.is_empty(), "no module uses {missing:?}");
    let missing: Vec<&str> = STORAGE_CLASSES
        .iter()
        .filter(|(number, _)| !classes.contains(number))
        .map(|(_, name)| *name)
        .collect();
    assert!(missing.is_empty(), "no module has a pointer to {missing:?}");
    let missing: Vec<&str> =
        STAGES.iter().filter(|(number, _)| !stages.contains(number)).map(|(_, name)| *name).collect();
    assert!(missing.is_empty(), "no module is for {missing:?}");
    assert!(opcodes.len() >= LEAST_OPCODES, "{} opcodes", opcodes.len());
    assert!(irreducible >= 6, "{irreducible} irreducible functions");
}

/// The files with expected results.
fn expectations() -> Vec<PathBuf> {
    let files = files();
    let paths = files.iter().map(|file| own().join(file).with_extension("json"));
    paths.filter(|path| path.exists()).collect()
}

/// Updates the expected results of a case.
fn write_results(path: &Path) {
    let text = std::fs::read_to_string(path).expect("a case");
    let mut json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let module = read(&std::fs::read(path.with_extension("spv")).expect("a module")).module;
    let case = Case::parse(&text).expect("a case");
    let entry = case.entry(&module).expect("an entry point");
    let outcome = run(&module, entry, &case.inputs().expect("inputs")).expect("it can be run");
    assert!(outcome.is_complete() && outcome.is_defined(), "{}", path.display());
    for expect in json["expect"].as_array_mut().into_iter().flatten() {
        let number = |value: &serde_json::Value| value.as_u64().unwrap_or(0) as u32;
        let buffer = &outcome.buffers[&((number(&expect["set"]), number(&expect["binding"])), 0)];
        let hex: String = buffer.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        expect["bytes"] = hex.into();
    }
    std::fs::write(path, format!("{json}\n")).expect("the case can be written");
}

/// There are enough cases, and none has empty expectations. `interp::` runs the cases.
#[test]
fn expectations_are_complete() {
    let paths = expectations();
    assert!(paths.len() >= 60, "{} modules have expected results", paths.len());
    for path in &paths {
        let is_graph = |text: &str| text.contains("\"runs\"");
        if bless::enabled() && !is_graph(&std::fs::read_to_string(path).expect("a case")) {
            write_results(path);
        }
        let text = std::fs::read_to_string(path).expect("a case");
        assert!(!text.contains("\"bytes\":\"\""), "{}: expects nothing; run with BLESS=1", path.display());
    }
    println!("{} modules have expected results", paths.len());
}
