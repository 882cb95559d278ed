//! Small programs that shaders of strangers came down to: every text is accepted and computes the same, or is refused by name.
//!
//! The programs are those of `tests/strangers`, and the cases of `../shared/cases`, if that folder is present. Each one is
//! read, written in every language as it is and after `O2`, judged by the compiler of the language and run. A refusal is an
//! entry of `tests/strangers/refused.txt` with its reason; `open.txt` lists by name what is not right yet. `VITRINE_STRANGERS=text-01,report-5`
//! chooses files by the beginning of their names and prints every outcome.
#![cfg(all(feature = "cli", feature = "sources"))]
#![allow(clippy::print_stdout)] // the outcomes are output

use crate::testing::glslang::Glslang;
use crate::testing::judges::{Judges, LANGUAGES, first_message};
use crate::testing::skipped::skipped;
use crate::testing::spirv_val::SpirvVal;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use vitrine_core::back::{SpirvOptions, write_spirv};
use vitrine_core::front::InputKind;
use vitrine_core::ir::{Level, Module};
use vitrine_core::lab::compare::{Comparer, Settings, Verdict};
use vitrine_core::pipeline::Pipeline;
use vitrine_core::text::parse;
use vitrine_filetests::parallel::each;

/// What the module is after which the texts are written.
const PIPELINES: [&str; 2] = ["ingest", "ingest, O2"];

/// The outcome of a program: of its reading, of a pipeline, or of a text.
struct Found {
    file: String,
    /// `read`, `run`, or a language.
    step: String,
    pipeline: &'static str,
    outcome: String,
    why: String,
}

/// The programs in a folder, by name.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_program = |path: &PathBuf| {
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        !matches!(extension, "md" | "txt" | "tsv" | "json" | "")
    };
    let mut files: Vec<PathBuf> = entries.filter(is_program).collect();
    files.sort();
    files
}

fn chosen() -> Vec<String> {
    let names = std::env::var("VITRINE_STRANGERS").unwrap_or_default();
    names.split(',').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn name_of(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The module that the command line reads.
fn module_of(path: &Path) -> Result<Module, String> {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("strangers-{}.ir", name_of(path)));
    let mut command = Command::new(env!("CARGO_BIN_EXE_vitrine"));
    let output = command.arg("opt").arg(path).args(["--pipeline", "", "-o"]).arg(&out).output();
    let output = output.expect("the command line starts");
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let parsed = parse(&std::fs::read_to_string(&out).expect("the command line writes the file"));
    match parsed.diags.first() {
        Some(diag) => Err(diag.to_string()),
        None => Ok(parsed.module),
    }
}

/// The module with one of its entry points.
fn of_entry(module: &Module, at: usize) -> Module {
    let mut out = module.clone();
    out.entries = vec![module.entries[at].clone()].into();
    out
}

/// Compares the results of a module before and after a pipeline.
fn compared(before: &Module, after: &Module) -> (String, String) {
    let pair = [("input", before), ("output", after)];
    let pair = pair.into_iter().map(|(name, module)| (name.to_owned(), Ok(module.clone()))).collect();
    let mut comparer =
        Comparer::of_modules(pair, InputKind::Spirv, Settings { trials: 4, ..Settings::default() });
    while comparer.step() {}
    match comparer.stages().last().map(|stage| &stage.verdict) {
        Some(verdict @ (Verdict::Differs { .. } | Verdict::Invalid(_))) => {
            ("Differs".to_owned(), verdict.to_string())
        }
        verdict => ("Same".to_owned(), verdict.map(ToString::to_string).unwrap_or_default()),
    }
}

/// Programs that the validator rejects as they are: arrays of arrays of resources, resources without places, what they leave
/// out.
const INVALID: &[&str] = &[
    "arrays-of-arrays-of-images.frag",
    "blocks-in-arrays-of-arrays.frag",
    "glsl-resources-without-places.spvasm",
    "memory-element-call.spvasm",
    "memory-element-step.spvasm",
    "pointer-step-in-loop.spvasm",
    "text-04-uniform-block-without-binding.spvasm",
    "text-04b-storage-block-without-binding-and-set.spvasm",
    "text-04c-sampled-image-without-binding.spvasm",
    "text-07c-memory-barrier-without-storage.spvasm",
    "text-08c-geometry-without-output-kind.spvasm",
    "text-08d-geometry-without-input-kind.spvasm",
    "varying-members-nested.frag",
];

/// What an older validator says of a language that it does not know.
const NO_LANGUAGE: &str = "Invalid source language operand";

/// Writes a module as SPIR-V for Vulkan, and validates it.
fn validated(module: &Module, file: &str, validator: &SpirvVal) -> (String, String) {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let words = match write_spirv(module, SpirvOptions::default()) {
        Ok(words) => words,
        Err(diag) => return ("Refused".to_owned(), diag.to_string()),
    };
    if !validator.installed || INVALID.contains(&file) {
        return ("Accepted".to_owned(), String::new());
    }
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let out = validator.folder.join(format!("{file}-{number}.spv"));
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let again = vitrine_core::front::spirv::read(&bytes);
    if let Some(error) = again.diags.iter().find(|diag| diag.level == Level::Error) {
        return ("Rejected".to_owned(), format!("our reader: {error}"));
    }
    std::fs::write(&out, bytes).expect("the folder exists");
    match validator.accepts(&out, "vulkan1.3") {
        Ok(()) => ("Accepted".to_owned(), String::new()),
        Err(why) if why.contains(NO_LANGUAGE) => ("Accepted".to_owned(), why),
        Err(why) => ("Rejected".to_owned(), why),
    }
}

/// A module of a program to write in a language.
struct Task {
    file: String,
    language: &'static str,
    pipeline: &'static str,
    module: Module,
}

/// The outcomes of a program before its texts are judged, and what is to write.
fn outcomes(path: &Path, validator: &SpirvVal, tasks: &mut Vec<Task>) -> Vec<Found> {
    let file = name_of(path);
    let mut out = Vec::new();
    let mut add = |step: &str, pipeline, (outcome, why): (String, String)| {
        out.push(Found { file: file.clone(), step: step.to_owned(), pipeline, outcome, why });
    };
    let module = match module_of(path) {
        Ok(module) => module,
        Err(why) => {
            add("read", "", ("Refused".to_owned(), why));
            return out;
        }
    };
    for text in PIPELINES {
        let pipeline = Pipeline::parse(text).expect("it is a pipeline");
        let after = match pipeline.run(&module, None) {
            Ok(after) => after,
            Err(diag) => {
                add("run", text, ("Refused".to_owned(), diag.to_string()));
                continue;
            }
        };
        add("run", text, compared(&module, &after));
        add("spirv", text, validated(&after, &file, validator));
        for language in LANGUAGES {
            let mut add = |module| {
                tasks.push(Task { file: file.clone(), language, pipeline: text, module });
            };
            if language == "wgsl" || after.entries.len() < 2 {
                add(after.clone());
                continue;
            }
            for at in 0..after.entries.len() {
                add(of_entry(&after, at));
            }
        }
    }
    out
}

/// The outcomes of texts.
fn judged(tasks: &[Task], judges: &Judges) -> Vec<Found> {
    let mut out = Vec::new();
    for language in LANGUAGES {
        let tasks: Vec<&Task> = tasks.iter().filter(|task| task.language == language).collect();
        let modules: Vec<(&str, &Module)> = tasks.iter().map(|it| (it.file.as_str(), &it.module)).collect();
        let found = judges.judged(&modules, language);
        out.extend(tasks.iter().zip(found).map(|(task, (outcome, why))| Found {
            file: task.file.clone(),
            step: language.to_owned(),
            pipeline: task.pipeline,
            outcome,
            why,
        }));
    }
    out
}

/// Refusals that are right, with their reasons: `file language reason`.
const REFUSED: &str = include_str!("../strangers/refused.txt");

/// Texts that are not right yet: `file language fault`. The list only gets shorter.
const OPEN: &str = include_str!("../strangers/open.txt");

fn lines(list: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let lines = list.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.map(|line| {
        let mut words = line.split_whitespace();
        let pair = words.next().zip(words.next()).expect("a line has a file and a language");
        assert!(words.next().is_some(), "a line has a reason: {line}");
        pair
    })
}

fn is_listed(list: &'static str, found: &Found) -> bool {
    lines(list).any(|(file, step)| file == found.file && step == found.step)
}

/// Returns true for an outcome that no text should have, listed or not.
fn is_bad(found: &Found) -> bool {
    match found.outcome.as_str() {
        "Rejected" | "Differs" | "Crashed" => true,
        "Refused" => !is_listed(REFUSED, found),
        _ => false,
    }
}

fn is_wrong(found: &Found) -> bool {
    is_bad(found) && !is_listed(OPEN, found)
}

#[test]
fn texts_of_small_programs_are_accepted_and_compute_the_same() {
    let own = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/strangers");
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/cases");
    let chosen = chosen();
    let mut files = programs(&own);
    assert!(!files.is_empty(), "there are programs of our own");
    match programs(&shared) {
        cases if cases.is_empty() => skipped(1, "the cases of strangers are missing"),
        cases => files.extend(cases),
    }
    // Without glslang, naga reads GLSL, which takes less than half of these.
    let is_glsl = |path: &PathBuf| {
        let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
        ["comp", "frag", "vert", "mesh", "hlsl"].contains(&extension)
    };
    if !Glslang::new("strangers-read").installed {
        let before = files.len();
        files.retain(|path| !is_glsl(path));
        skipped(before - files.len(), "glslang is not installed, which reads these");
    }
    files.retain(|path| chosen.is_empty() || chosen.iter().any(|name| name_of(path).starts_with(name)));
    let (judges, validator) = (Judges::new("strangers"), SpirvVal::new("strangers-spirv"));
    // A module stays on the thread that read it.
    let halves = [0, 1].map(|first| files.iter().skip(first).step_by(2).collect::<Vec<_>>());
    let found = each(&halves, |files| {
        let (mut tasks, mut found) = (Vec::new(), Vec::new());
        files.iter().for_each(|path| found.extend(outcomes(path, &validator, &mut tasks)));
        found.extend(judged(&tasks, &judges));
        found
    });
    let mut found: Vec<Found> = found.into_iter().flatten().collect();
    found.sort_by(|a, b| (&a.file, a.pipeline).cmp(&(&b.file, b.pipeline)));
    let line = |it: &Found| {
        let why = first_message(&it.why);
        format!("{} [{}] {}: {} {why}", it.file, it.pipeline, it.step, it.outcome)
    };
    if !chosen.is_empty() {
        found.iter().for_each(|it| println!("{}", line(it)));
    }
    let wrong: Vec<String> = found.iter().filter(|it| is_wrong(it)).map(line).collect();
    assert!(wrong.is_empty(), "{} of {} are wrong\n{}", wrong.len(), found.len(), wrong.join("\n"));
    if !chosen.is_empty() || !judges.are_installed() {
        return;
    }
    let is_there = |(file, _): &(&str, &str)| found.iter().any(|it| it.file == *file);
    let has = |(file, step): &(&str, &str), test: &dyn Fn(&Found) -> bool| {
        found.iter().any(|it| it.file == *file && it.step == *step && test(it))
    };
    let written = lines(REFUSED).filter(is_there).filter(|at| !has(at, &|it| it.outcome == "Refused"));
    let right = lines(OPEN).filter(is_there).filter(|at| !has(at, &is_bad));
    let stale: Vec<String> = written.chain(right).map(|(file, step)| format!("{file} {step}")).collect();
    assert!(stale.is_empty(), "these are right now, so that their lines must go:\n{}", stale.join("\n"));
}
