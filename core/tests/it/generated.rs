//! Generated modules: what SPIR-V can say, written in every language, judged by its compiler, and run.
//!
//! Modules are as small as they can be. Each is written in each language alone: it is written or refused. Those that are
//! written are judged many at a time, and a batch that is rejected or that computes something else is divided until
//! the samples that are wrong stand alone. Every test run judges a share of all samples; `VITRINE_SHARE=1` judges all of
//! them, `VITRINE_SHARE=8` an eighth, `VITRINE_CASES=500` judges more random programs, and `VITRINE_SEED` chooses another one. `VITRINE_ONLY` chooses
//! samples whose names have it, and `VITRINE_LANGUAGES=glsl,wgsl` languages. `VITRINE_SHOW=1` prints the texts that are
//! wrong.
#![cfg(feature = "sources")]
#![allow(clippy::print_stdout)] // the tables are output

mod lines; // start here: operands and results
mod atomics;
mod images; // accesses to images
mod memory; // variables
mod ops; // operations on values
mod programs; // random programs
mod stages; // inputs and outputs

use crate::testing::glslang::Glslang;
use crate::testing::judges::{Judges, LANGUAGES, first_message};
use crate::testing::settings::setting;
use crate::testing::written;
use lines::Form;
use std::collections::BTreeMap;
use std::fmt::Write;
use vitrine_core::base::random::Random;
use vitrine_core::front::spirv::read;
use vitrine_core::ir::Module;
use vitrine_core::pipeline::Pipeline;
use vitrine_core::text::{parse, print_module};
use vitrine_filetests::parallel::each;

/// Samples that are not right yet, by language and name. The list only gets shorter.
const OPEN: &str = include_str!("generated/open.txt");

/// The languages that have nothing of a kind: GLSL ES 3.00 has no buffers to write to.
const WITHOUT: [(&str, &str); 1] = [("atomics", "essl")];

/// Samples of one module.
const BATCH: usize = 24;

/// The counts of a language.
#[derive(Clone, Default)]
struct Row {
    written: usize,
    refused: usize,
    /// By the first words of the reason.
    reasons: BTreeMap<String, usize>,
    same: usize,
    /// Accepted and not run, or without a conclusive run.
    accepted: usize,
    wrong: Vec<String>,
}

/// A seeded share of all samples.
fn shared<T>(all: Vec<T>, usual: u64) -> Vec<T> {
    let share: u64 = setting("VITRINE_SHARE", usual);
    let mut random = Random(setting("VITRINE_SEED", 1));
    all.into_iter().filter(|_| random.one_in(share)).collect()
}

/// A reason without names and numbers.
fn reason(message: &str) -> String {
    let message = message.strip_prefix("error").unwrap_or(message);
    let is_number = |word: &str| word.chars().all(|c| c.is_ascii_digit());
    let words =
        message.split_whitespace().filter(|word| !word.contains(['%', '$', '#', '@']) && !is_number(word));
    words.take(14).collect::<Vec<_>>().join(" ")
}

/// Judges samples of which `module` makes a module, in a language. A batch that is wrong is divided.
fn judge_language<T: Sync>(
    samples: &[T],
    language: &'static str,
    judges: &Judges,
    batch: usize,
    module: impl Fn(&[&T]) -> String + Sync,
    name: impl Fn(&T) -> String + Sync,
    is_compared: impl Fn(&T) -> bool + Sync,
) -> Row {
    let mut row = Row::default();
    let mut fitting: Vec<&T> = Vec::new();
    for sample in samples {
        match written::text_of(&parse(&module(&[sample])).module, language) {
            Ok(_) => fitting.push(sample),
            Err(diags) => {
                row.refused += 1;
                let why = diags.first().map(ToString::to_string).unwrap_or_default();
                *row.reasons.entry(reason(&why)).or_default() += 1;
            }
        }
    }
    row.written = fitting.len();
    let mut work: Vec<Vec<&T>> = fitting.chunks(batch).map(<[&T]>::to_vec).collect();
    while !work.is_empty() {
        let modules: Vec<Module> = work.iter().map(|batch| parse(&module(batch)).module).collect();
        let names: Vec<String> = work.iter().map(|batch| name(batch[0])).collect();
        let named: Vec<(&str, &Module)> = names.iter().map(String::as_str).zip(&modules).collect();
        let judged = judges.judged(&named, language);
        for ((batch, module), (outcome, why)) in std::mem::take(&mut work).iter().zip(&modules).zip(judged) {
            match outcome.as_str() {
                "Same" => row.same += batch.len(),
                // Another sample of the batch may be undefined on these inputs.
                "Accepted" if batch.len() == 1 => row.accepted += 1,
                "Differs" if batch.len() == 1 && !is_compared(batch[0]) => row.accepted += 1,
                "Accepted" if batch.len() <= 3 => work.extend(batch.iter().map(|sample| vec![*sample])),
                _ if batch.len() > 1 => {
                    let (left, right) = batch.split_at(batch.len() / 2);
                    work.extend([left.to_vec(), right.to_vec()]);
                }
                _ => {
                    let text = written::text_of(module, language);
                    if let (true, Ok(text)) = (setting("VITRINE_SHOW", 0) == 1, text) {
                        println!("{language}: {}: {outcome}\n{text}", name(batch[0]));
                    }
                    let why = first_message(&why);
                    row.wrong.push(format!("{language}: {}: {outcome} {why}", name(batch[0])));
                }
            }
        }
    }
    row
}

/// Judges samples in all languages, two at a time, and prints the table.
fn judge_all<T: Sync>(
    title: &str,
    samples: &[T],
    batch: usize,
    form: impl Fn(&str) -> Form + Sync,
    module: impl Fn(&[&T], Form) -> String + Sync,
    name: impl Fn(&T) -> String + Sync,
    is_compared: impl Fn(&T) -> bool + Sync,
) {
    assert!(!samples.is_empty(), "{title}: there are no samples");
    let judges = Judges::new(&format!("generated-{}", title.replace(' ', "-")));
    let chosen = std::env::var("VITRINE_LANGUAGES").unwrap_or_default();
    let is_chosen = |language: &str| chosen.is_empty() || chosen.split(',').any(|name| name == language);
    let languages: Vec<&'static str> = LANGUAGES.into_iter().filter(|language| is_chosen(language)).collect();
    let rows = each(&languages, |language| {
        let form = form(language);
        let batch = form.most_samples(batch);
        let module = |samples: &[&T]| module(samples, form);
        (*language, judge_language(samples, language, &judges, batch, module, &name, &is_compared))
    });
    let rows: BTreeMap<&str, _> = rows.into_iter().collect();
    let mut table =
        format!("{title}: {} samples\nlanguage written refused same accepted wrong\n", samples.len());
    let mut wrong = Vec::new();
    for (language, row) in &rows {
        let counts = [row.written, row.refused, row.same, row.accepted, row.wrong.len()];
        let _ = writeln!(table, "{language} {}", counts.map(|count| count.to_string()).join(" "));
        for (reason, count) in &row.reasons {
            let _ = writeln!(table, "  {count} {reason}");
        }
        wrong.extend(row.wrong.iter().cloned());
    }
    println!("{table}");
    // A few samples may all be of types that a language does not have.
    for (language, row) in &rows {
        let is_without = WITHOUT.contains(&(title, language));
        assert!(
            samples.len() < 100 || (row.written == 0) == is_without,
            "{title}: {language} has {} texts\n{table}",
            row.written
        );
    }
    let open: Vec<&str> = OPEN.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
    let known = wrong.len();
    wrong.retain(|line| !open.iter().any(|known| line.starts_with(&format!("{known}: "))));
    println!("{} of them are known", known - wrong.len());
    assert!(wrong.is_empty(), "{} wrong\n{}\n{table}", wrong.len(), wrong.join("\n"));
}

#[test]
fn operations_are_accepted_and_compute_the_same_or_are_refused() {
    let only = std::env::var("VITRINE_ONLY").unwrap_or_default();
    let mut all = ops::samples();
    all.retain(|sample| sample.name().contains(&only));
    let samples = if only.is_empty() { shared(all, 10) } else { all };
    judge_all(
        "operations",
        &samples,
        BATCH,
        Form::of,
        ops::module,
        ops::Sample::name,
        ops::Sample::is_compared,
    );
}

#[test]
fn variables_are_accepted_and_hold_the_same_or_are_refused() {
    let only = std::env::var("VITRINE_ONLY").unwrap_or_default();
    let mut all = memory::samples();
    all.retain(|sample| sample.name().contains(&only));
    let samples = if only.is_empty() { shared(all, 16) } else { all };
    let module = |samples: &[&memory::Sample], form| samples[0].module(form);
    judge_all("variables", &samples, 1, Form::of, module, memory::Sample::name, |_| true);
}

#[test]
fn atomics_are_accepted_and_compute_the_same_or_are_refused() {
    let only = std::env::var("VITRINE_ONLY").unwrap_or_default();
    let mut all = atomics::samples();
    all.retain(|sample| sample.name().contains(&only));
    let samples = if only.is_empty() { shared(all, 4) } else { all };
    judge_all("atomics", &samples, 8, Form::of, atomics::module, atomics::Sample::name, |_| true);
}

#[test]
fn images_are_accepted_and_yield_the_same_or_are_refused() {
    let only = std::env::var("VITRINE_ONLY").unwrap_or_default();
    let mut all = images::samples();
    all.retain(|sample| sample.name().contains(&only));
    let samples = if only.is_empty() { shared(all, 4) } else { all };
    let (fragments, others): (Vec<_>, Vec<_>) = samples.into_iter().partition(images::Sample::is_implicit);
    let name = images::Sample::name;
    if !others.is_empty() {
        judge_all("images", &others, 8, Form::of, images::module, name, |_| true);
    }
    if !fragments.is_empty() {
        judge_all("images in fragments", &fragments, 1, |_| Form::Fragment, images::module, name, |_| true);
    }
    assert!(!others.is_empty() || !fragments.is_empty(), "there are no samples");
}

/// Judges shaders of several stages, each by itself.
fn judge_stages(title: &str, mut all: Vec<stages::Sample>, usual: u64) {
    let only = std::env::var("VITRINE_ONLY").unwrap_or_default();
    all.retain(|sample| sample.name().contains(&only));
    let samples = if only.is_empty() { shared(all, usual) } else { all };
    let module = |samples: &[&stages::Sample], _| samples[0].module();
    judge_all(title, &samples, 1, |_| Form::Fragment, module, stages::Sample::name, |_| true);
}

#[test]
fn builtins_are_accepted_and_hold_the_same_or_are_refused() {
    judge_stages("builtins", stages::builtins(), 2);
}

#[test]
fn locations_are_accepted_and_hold_the_same_or_are_refused() {
    judge_stages("locations", stages::locations(), 8);
}

/// A random program, as the text of its module.
struct Program {
    name: String,
    module: String,
}

#[test]
fn random_programs_are_accepted_and_compute_the_same_or_are_refused() {
    let glslang = Glslang::new("programs");
    if !glslang.installed {
        return;
    }
    let first: u64 = setting("VITRINE_SEED", 1);
    let (mut samples, mut invalid) = (Vec::new(), Vec::new());
    for seed in first..first + setting("VITRINE_CASES", 24_u64) {
        let (stage, text) = programs::program(seed);
        let binary = match glslang.compile(&text, stage) {
            Ok(binary) => binary,
            Err(why) => {
                invalid.push(format!("program {seed}: {}\n{text}", first_message(&why)));
                continue;
            }
        };
        let pipeline = if seed / 4 % 2 == 0 { "ingest" } else { "ingest, O2" };
        let pipeline = Pipeline::parse(pipeline).expect("it is a pipeline");
        let module = pipeline.run(&read(&binary).module, None).expect("the passes take any program");
        samples.push(Program { name: format!("program {seed}"), module: print_module(&module) });
    }
    assert!(invalid.is_empty(), "{} programs are no GLSL\n{}", invalid.len(), invalid.join("\n"));
    let module = |samples: &[&Program], _| samples[0].module.clone();
    let name = |sample: &Program| sample.name.clone();
    judge_all("programs", &samples, 1, |_| Form::Fragment, module, name, |_| true);
}
