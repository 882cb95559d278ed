//! MSL: clang accepts the text of all modules with a stand-in for the library of Metal, and the entry points that it compiles
//! compute the same as the interpreter.
//!
//! A module is written, compiled, and run on the same inputs as the original: those of its case, and generated ones. Specialization constants have their
//! defaults. Texts with textures or ray queries are compiled and not run: the stand-in has no texels and no scenes.
#![allow(clippy::print_stdout)] // the counts are output

mod trials; // a run of the interpreter as a job of the driver

use crate::testing;
use crate::testing::corpus::{Item, modules};
use crate::testing::metal::{BATCH, Entry, Metal};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use trials::{Trial, difference, is_excused, trial};
use vitrine_core::back::{Source, all_funcs, named};
use vitrine_core::front::spirv::read;
use vitrine_core::interp::cases::json::Case;
use vitrine_core::interp::{Inputs, can_run, seeded_ordinary};
use vitrine_core::ir::{Diag, Module, Stage};
use vitrine_core::pipeline::write;
use vitrine_filetests::parallel::each;

/// Modules with more words are judged, but not run.
const MOST_WORDS: usize = 6_000;

/// Generated inputs for each module.
const TRIALS: u64 = 4;

pub(crate) fn text_of(module: &Module) -> Result<String, Vec<Diag>> {
    testing::written::text_of(module, "msl")
}

/// The result of a module.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Outcomes {
    /// Not one vertex, fragment, compute or task shader or kernel.
    OtherStage,
    Refused,
    Rejected,
    /// Accepted, and not run or not conclusive.
    Accepted,
    Same,
    Differs,
}

/// A module with its text.
struct Text {
    file: String,
    path: PathBuf,
    bytes: Vec<u8>,
    text: String,
    words: usize,
}

/// Judges a module in the form of SPIR-V: true if clang accepts its text, and if all results are the same.
pub(crate) fn judge_module(metal: &Metal, file: &str, bytes: &[u8]) -> Result<bool, String> {
    let written =
        written_as(file, Path::new(""), bytes.to_vec(), &|module| module, text_of).map_err(|(_, why)| why)?;
    match judged(metal, 0, &[written]).into_iter().next() {
        Some((_, Outcomes::Same, _)) => Ok(true),
        Some((_, Outcomes::Accepted, _)) => Ok(false),
        other => Err(format!("{other:?}")),
    }
}

/// A module that was changed after it was read; its resources have the same sets and bindings.
pub(crate) struct Changed {
    pub(crate) file: String,
    /// The module as it was, which is run.
    pub(crate) bytes: Vec<u8>,
    /// The text of the changed one.
    pub(crate) text: testing::written::Text,
}

/// The outcomes of the texts of changed modules, with their reasons, in any order.
pub(crate) fn judge_changed(
    metal: &Metal,
    changed: impl IntoIterator<Item = Changed>,
) -> Vec<(String, String, String)> {
    let (mut found, mut ready) = (Vec::new(), Vec::new());
    for Changed { file, bytes, text } in changed {
        match written_as(&file, Path::new(""), bytes, &|module| module, |_| text) {
            Ok(written) => ready.push(written),
            Err((outcome, why)) => found.push((file, outcome, why)),
        }
    }
    found.extend(judged_in_batches(metal, &ready));
    found.into_iter().map(|(file, outcome, why)| (file, format!("{outcome:?}"), why)).collect()
}

/// The outcomes of the texts of modules with these names, with their reasons, in their order.
pub(crate) fn outcomes_of(metal: &Metal, modules: &[(&str, &Module)]) -> Vec<(String, String)> {
    let mut out = vec![(String::new(), String::new()); modules.len()];
    let (mut places, mut ready) = (Vec::new(), Vec::new());
    for (at, (file, module)) in modules.iter().enumerate() {
        // Modules that SPIR-V cannot express are small.
        let funcs = all_funcs(module);
        let source = Source::new(module, &funcs);
        let binary = write(&source, named("spirv").expect("the back end exists"), false);
        let bytes = binary.map_or_else(|_| Vec::new(), |binary| binary.bytes);
        match written_from(file, Path::new(""), bytes, module, text_of) {
            Ok(written) => {
                places.push(at);
                ready.push(written);
            }
            Err((outcome, why)) => out[at] = (format!("{outcome:?}"), why),
        }
    }
    static NEXT: AtomicUsize = AtomicUsize::new(1 << 20);
    for (places, batch) in places.chunks(BATCH).zip(ready.chunks(BATCH)) {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let judged = judged_as(metal, number, batch, &|at| modules[places[at]].1.clone());
        for (at, (_, outcome, why)) in places.iter().zip(judged) {
            out[*at] = (format!("{outcome:?}"), why);
        }
    }
    out
}

/// Writes a module.
fn written(item: &Item) -> Result<Text, (Outcomes, String)> {
    let text = |_: &Module| testing::written::text(item, "msl");
    written_as(&item.file, &item.path, item.bytes(), &|module| module, text)
}

fn written_as(
    file: &str,
    path: &Path,
    bytes: Vec<u8>,
    change: &dyn Fn(Module) -> Module,
    text: impl FnOnce(&Module) -> testing::written::Text,
) -> Result<Text, (Outcomes, String)> {
    let module = change(read(&bytes).module);
    written_from(file, path, bytes, &module, text)
}

/// Writes a module that is made from one in the form of SPIR-V.
fn written_from(
    file: &str,
    path: &Path,
    bytes: Vec<u8>,
    module: &Module,
    text: impl FnOnce(&Module) -> testing::written::Text,
) -> Result<Text, (Outcomes, String)> {
    match module.entries.as_slice() {
        [entry]
            if matches!(
                entry.stage,
                Stage::Vertex | Stage::Fragment | Stage::Compute | Stage::Kernel | Stage::Task
            ) => {}
        _ => return Err((Outcomes::OtherStage, String::new())),
    }
    let text = match text(module) {
        Ok(text) => text,
        Err(diags) => {
            return Err((Outcomes::Refused, diags.first().map(ToString::to_string).unwrap_or_default()));
        }
    };
    if let Some(long) = text.lines().find(|line| line.len() > 100 && !line.starts_with("//")) {
        return Err((Outcomes::Rejected, format!("a line is too long: {long}")));
    }
    let words = bytes.len() / 4;
    Ok(Text { file: file.to_owned(), path: path.to_owned(), bytes, text, words })
}

/// The outcomes of texts. Clang takes longer to begin than for a text: a process compiles many.
fn judged_in_batches(metal: &Metal, texts: &[Text]) -> Vec<(String, Outcomes, String)> {
    let batches: Vec<(usize, &[Text])> = texts.chunks(BATCH).enumerate().collect();
    let found = each(&batches, |&(number, batch)| judged(metal, number, batch));
    found.into_iter().flatten().collect()
}

/// The inputs of the case next to a module, if there is one.
fn case_inputs(path: &Path, module: &Module) -> Vec<Inputs> {
    let text = std::fs::read_to_string(path.with_extension("json"));
    let case = text.ok().and_then(|text| Case::parse(&text).ok());
    let mut inputs = case.and_then(|case| case.runs(module, false).ok()).unwrap_or_default();
    inputs.truncate(TRIALS as usize);
    inputs
}

/// Compiles and runs a batch of texts; without a compiler, all are accepted.
fn judged(metal: &Metal, number: usize, batch: &[Text]) -> Vec<(String, Outcomes, String)> {
    judged_as(metal, number, batch, &|at| read(&batch[at].bytes).module)
}

/// The same for texts that compute the same as the modules that `original` gives for their places in the batch.
fn judged_as(
    metal: &Metal,
    number: usize,
    batch: &[Text],
    original: &dyn Fn(usize) -> Module,
) -> Vec<(String, Outcomes, String)> {
    if !metal.installed {
        return batch.iter().map(|it| (it.file.clone(), Outcomes::Accepted, String::new())).collect();
    }
    let texts: Vec<&str> = batch.iter().map(|it| it.text.as_str()).collect();
    let errors = metal.judge(number, &texts);
    let mut runnable: Vec<(usize, Entry, Vec<Trial>)> = Vec::new();
    let mut out: Vec<(String, Outcomes, String)> = Vec::new();
    for (at, (written, error)) in batch.iter().zip(errors).enumerate() {
        let (outcome, why) = match error {
            Some(error) => (Outcomes::Rejected, error),
            None => (Outcomes::Accepted, "it is not run".to_owned()),
        };
        out.push((written.file.clone(), outcome, why));
        let module = &original(at);
        let can_run = module.entries.first().is_some_and(|entry| can_run(module, entry.func).is_ok());
        if outcome != Outcomes::Accepted || written.words > MOST_WORDS || !can_run {
            continue;
        }
        let Some(entry) = Entry::of(&written.text) else { continue };
        let cases = case_inputs(&written.path, module).into_iter().map(|inputs| (inputs, true));
        let generated = (0..TRIALS).map(|seed| (seeded_ordinary(module, 0, seed), false));
        let trials: Vec<Trial> = cases
            .chain(generated)
            .filter_map(|(inputs, is_case)| trial(&written.text, module, &entry, inputs, is_case))
            .collect();
        match trials.is_empty() {
            true => out[at].2 = "no run is conclusive".to_owned(),
            false => runnable.push((at, entry, trials)),
        }
    }
    if runnable.is_empty() {
        return out;
    }
    let texts: Vec<(&str, &Entry)> =
        runnable.iter().map(|(at, entry, _)| (batch[*at].text.as_str(), entry)).collect();
    let mut jobs = Vec::new();
    for (text, (_, _, trials)) in runnable.iter().enumerate() {
        jobs.extend(trials.iter().map(|trial| (text, trial.job.clone())));
    }
    let mut results = metal.run(number, &texts, &jobs).into_iter();
    for (at, entry, trials) in &runnable {
        let found: Vec<Option<(String, &Trial)>> = trials
            .iter()
            .map(|trial| {
                let difference =
                    results.next().and_then(|ran| difference(&batch[*at].text, entry, trial, &ran));
                difference.map(|difference| (difference, trial))
            })
            .collect();
        let module = original(*at);
        let mut wrong = found.into_iter().flatten().peekable();
        let any = wrong.peek().is_some();
        (out[*at].1, out[*at].2) = match wrong.find(|(_, trial)| !is_excused(&module, trial)) {
            Some((wrong, _)) => (Outcomes::Differs, wrong),
            None if any => (Outcomes::Accepted, "invocations race, or variables share a buffer".to_owned()),
            None => (Outcomes::Same, String::new()),
        };
    }
    out
}

/// Modules whose results differ for a known reason.
const KNOWN: &[(&str, &str)] = &[
    (
        "groups/subgroup-divergent.spv",
        "invocations that are in different iterations of a loop meet at a place in the driver, and not in the program",
    ),
    ("naga/atomic-i-add-sub.spv", "its results depend on the order of the invocations' atomics"),
    ("naga/atomic-exchange.spv", "its results depend on the order of the invocations' atomics"),
    ("naga/atomic-load-and-store.spv", "invocations load and store the same number in any order"),
    (
        "cross/pixel-interlock-callstack-asm-frag.spv",
        "fragments with the same abscissa increment a number outside of the critical section",
    ),
    (
        "cross/pixel-interlock-split-functions-asm-frag.spv",
        "fragments with the same abscissa increment a number outside of the critical section",
    ),
    (
        "structure/graphicsfuzz-065.spv",
        "subtracts two cosines of blended numbers that are nearly equal: blending is rounded as Metal's formula states",
    ),
];

#[test]
fn clang_accepts_every_text_and_its_results_are_the_same() {
    let items = modules();
    let metal = Metal::new();
    let (mut found, mut ready) = (Vec::new(), Vec::new());
    for (item, written) in items.iter().zip(each(&items, written)) {
        match written {
            Ok(written) => ready.push(written),
            Err((outcome, why)) => found.push((item.file.clone(), outcome, why)),
        }
    }
    found.extend(judged_in_batches(&metal, &ready));
    found.sort_unstable_by(|a, b| a.0.cmp(&b.0));
    let count = |wanted: Outcomes| found.iter().filter(|(_, outcome, _)| *outcome == wanted).count();
    let all = [Outcomes::OtherStage, Outcomes::Refused, Outcomes::Accepted, Outcomes::Same];
    println!("{} modules: {all:?} {:?}", found.len(), all.map(count));
    for (file, outcome, why) in &found {
        if matches!(outcome, Outcomes::Refused | Outcomes::Accepted) {
            println!("{outcome:?} {file}: {why}");
        }
    }
    let wrong: Vec<String> = found
        .iter()
        .filter(|(file, outcome, _)| {
            matches!(outcome, Outcomes::Rejected | Outcomes::Differs)
                && !KNOWN.iter().any(|(known, _)| known == file)
        })
        .map(|(file, outcome, why)| format!("{file}: {outcome:?}: {why}"))
        .collect();
    assert!(wrong.is_empty(), "{} wrong\n{}", wrong.len(), wrong.join("\n"));
    if metal.installed {
        crate::outcomes::check("msl", &found);
    }
}
