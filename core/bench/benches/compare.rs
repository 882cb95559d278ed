//! Verdicts on optimizers and translators of other projects: every valid shader of the corpus, each version that the tool
//! writes, executed on the same inputs as the original.
//!
//! ```sh
//! cargo xtask bench compare                    # all of them
//! cargo xtask bench compare licm spirv-cross   # some
//! VITRINE_TRIALS=8 cargo xtask bench compare licm
//! ```
//!
//! `spirv-opt` writes a module before every pass (`--print-all`); translators write one text, which another compiler makes
//! SPIR-V of. Tools that are not installed are named. Prints a line for each configuration, then every shader that
//! differs with the version that differs first. Times include the tool.
#![allow(clippy::print_stdout)]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use vitrine_bench::{Corpus, Item};
use vitrine_core::lab::compare::{Comparer, Dump, Settings, Verdict, header_version, split_log};

/// The tool of a configuration.
enum Tool {
    /// `spirv-opt` with these options.
    Optimizer(&'static [&'static str]),
    /// Commands one after the other. `IN` is the shader, `OUT` the result, `TEXT` a file in between, `STAGE` the stage.
    Commands(&'static [&'static [&'static str]]),
}

/// Every configuration by name.
const CONFIGURATIONS: &[(&str, Tool)] = &[
    ("opt-O", Tool::Optimizer(&["-O"])),
    ("opt-Os", Tool::Optimizer(&["-Os"])),
    ("licm", Tool::Optimizer(&["--ssa-rewrite", "--loop-invariant-code-motion"])),
    ("unswitch", Tool::Optimizer(&["--ssa-rewrite", "--loop-unswitch"])),
    ("peeling", Tool::Optimizer(&["--ssa-rewrite", "--loop-peeling"])),
    ("unroll-partial", Tool::Optimizer(&["--ssa-rewrite", "--loop-unroll-partial=3"])),
    (
        "spirv-cross",
        Tool::Commands(&[
            &["spirv-cross", "--version", "450", "--vulkan-semantics", "IN", "--output", "TEXT"],
            &["glslangValidator", "-V", "-S", "STAGE", "TEXT", "-o", "OUT"],
        ]),
    ),
    ("naga", Tool::Commands(&[&["naga", "IN", "TEXT.wgsl"], &["naga", "TEXT.wgsl", "OUT"]])),
];

/// Results of a configuration.
#[derive(Default)]
struct Tally {
    refused: usize,
    verdicts: BTreeMap<&'static str, usize>,
    versions: usize,
    distinct: usize,
    times: Vec<Duration>,
    blamed: BTreeMap<String, usize>,
    lines: Vec<String>,
}

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let trials = std::env::var("VITRINE_TRIALS").ok().and_then(|text| text.parse().ok()).unwrap_or(3);
    let corpus = Corpus::find();
    let items: Vec<Item> = corpus.items().into_iter().filter(|item| item.valid).collect();
    let folder = std::env::temp_dir().join(format!("vitrine-compare-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    println!("{} shaders, {trials} trials each", items.len());
    for (name, tool) in CONFIGURATIONS {
        if !wanted.is_empty() && !wanted.iter().any(|word| word == name) {
            continue;
        }
        if let Some(missing) = missing(tool) {
            println!("{name}: {missing} is not installed");
            continue;
        }
        let mut tally = Tally::default();
        for item in &items {
            one(tool, item, &folder, trials, &mut tally);
        }
        tally.print(name);
    }
    // The folder is removed at the end of the last measurement only; a left-over does no harm.
    let _ = std::fs::remove_dir_all(&folder);
}

/// The first program of a tool that does not start.
fn missing(tool: &Tool) -> Option<&'static str> {
    let starts = |program: &str| {
        Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok()
    };
    match tool {
        Tool::Optimizer(_) => (!starts("spirv-opt")).then_some("spirv-opt"),
        Tool::Commands(commands) => {
            commands.iter().filter_map(|words| words.first().copied()).find(|program| !starts(program))
        }
    }
}

/// Compares the versions of a shader.
fn one(tool: &Tool, item: &Item, folder: &Path, trials: u32, tally: &mut Tally) {
    let Ok(bytes) = std::fs::read(&item.path) else { return };
    let began = Instant::now();
    let versions = match tool {
        Tool::Optimizer(options) => optimized(options, &item.path, &bytes, folder),
        Tool::Commands(commands) => translated(commands, item, folder),
    };
    let Some(mut versions) = versions else {
        tally.refused += 1;
        return;
    };
    versions.insert(0, Dump { name: item.file.clone(), bytes });
    let settings = Settings { ulp: 0, trials, seed: 0, entry: None };
    let mut comparer = Comparer::of_dumps(&versions, settings);
    while comparer.step() {}
    tally.times.push(began.elapsed());
    tally.versions += versions.len() - 1;
    let stages = comparer.stages();
    tally.distinct += stages.iter().skip(1).filter(|stage| stage.verdict != Verdict::Unchanged).count();
    let verdict = worst(stages.iter().skip(1).map(|stage| &stage.verdict));
    *tally.verdicts.entry(if comparer.trials().is_empty() { "not run" } else { verdict }).or_default() += 1;
    if let Some(stage) = stages.iter().skip(1).find(|stage| stage.verdict.is_wrong()) {
        *tally.blamed.entry(stage.name.clone()).or_default() += 1;
        tally.lines.push(format!("  {}: {}: {}", item.file, stage.name, stage.verdict));
    }
}

/// The verdict on a shader: that of its worst version.
fn worst<'v>(verdicts: impl Iterator<Item = &'v Verdict>) -> &'static str {
    const ORDER: [&str; 6] = ["differs", "invalid", "rounding", "undefined", "inconclusive", "same"];
    let names: Vec<&str> = verdicts.map(Verdict::name).collect();
    ORDER.into_iter().find(|name| names.contains(name)).unwrap_or("same")
}

/// The modules that `spirv-opt` has before each pass, and after the last one.
fn optimized(options: &[&str], path: &Path, bytes: &[u8], folder: &Path) -> Option<Vec<Dump>> {
    let out = folder.join("optimized.spv");
    let mut command = Command::new("spirv-opt");
    command.args(options).arg("--print-all").arg(path).arg("-o").arg(out);
    let output = command.output().ok().filter(|output| output.status.success())?;
    Some(split_log(&String::from_utf8_lossy(&output.stderr), header_version(bytes)))
}

/// The module after a detour over a text.
fn translated(commands: &[&[&str]], item: &Item, folder: &Path) -> Option<Vec<Dump>> {
    let [text, out]: [PathBuf; 2] = ["text", "translated.spv"].map(|name| folder.join(name));
    let _ = std::fs::remove_file(&out);
    for words in commands {
        let filled = words.iter().map(|word| match *word {
            "IN" => item.path.display().to_string(),
            "OUT" => out.display().to_string(),
            "STAGE" => item.stage.clone(),
            word => word.replace("TEXT", &text.display().to_string()),
        });
        let filled: Vec<String> = filled.collect();
        let (program, args) = filled.split_first()?;
        let output = Command::new(program).args(args).output().ok()?;
        if !output.status.success() {
            return None;
        }
    }
    Some(vec![Dump { name: "translated".to_owned(), bytes: std::fs::read(out).ok()? }])
}

impl Tally {
    fn print(mut self, name: &str) {
        self.times.sort();
        let at = |part: usize| {
            self.times.get((self.times.len() * part / 100).min(self.times.len().saturating_sub(1)))
        };
        let seconds = |time: Option<&Duration>| time.map_or(0.0, Duration::as_secs_f64);
        println!(
            "{name}: {} refused by the tool, {} compared, {} versions, {} distinct; median {:.2} s, most {:.1} s",
            self.refused,
            self.times.len(),
            self.versions,
            self.distinct,
            seconds(at(50)),
            seconds(at(100)),
        );
        let list = |of: Vec<(String, usize)>| {
            of.iter().map(|(name, count)| format!("{count} {name}")).collect::<Vec<_>>().join(", ")
        };
        println!(
            "  {}",
            list(self.verdicts.iter().map(|(name, &count)| ((*name).to_owned(), count)).collect())
        );
        if !self.blamed.is_empty() {
            println!("  first wrong: {}", list(self.blamed.into_iter().collect()));
        }
        for line in &self.lines {
            println!("{line}");
        }
    }
}
