//! Reading programs and telling what is wrong with them. The only place that touches files and streams.

use super::{Common, Stop, stats};
use std::io::{Read, Write};
use std::path::Path;
use std::time::Instant;
use vitrine_core::front;
use vitrine_core::ir::{Diag, Diags, Func, Level, Module};
use vitrine_core::pipeline::{Outcome, Pipeline, Settings};
use vitrine_core::share::{Repro, digests};
use vitrine_core::spirv::{AsmOptions, MAGIC, assemble};
use vitrine_core::text::{SourceMap, caret, parse};
use vitrine_core::validate::validate;

/// A program with what was found wrong with it.
pub(crate) struct Program {
    /// What was read, before anything ran on it.
    pub(crate) input: Vec<u8>,
    /// What ran.
    pub(crate) pipeline: String,
    pub(crate) title: String,
    pub(crate) module: Module,
    pub(crate) diags: Diags,
}

impl Program {
    pub(crate) fn all_funcs(&self) -> Vec<Func> {
        self.module.funcs().map(|(func, _)| func).collect()
    }

    /// Fails if there is an error among the diagnostics.
    pub(crate) fn verdict(&self) -> Result<(), Stop> {
        match self.diags.iter().any(|diag| diag.level == Level::Error) {
            true => Err(Stop::Diagnosed),
            false => Ok(()),
        }
    }
}

/// The same, with a table of the steps to standard error: what came of each, sizes and times.
pub(crate) fn read_with_stats(common: &Common) -> Result<Program, Stop> {
    read_as(common, None, true)
}

/// Reads, validates and transforms. Diagnostics go to standard error; a program that has some is shown as it
/// was read, without running anything on it.
pub(crate) fn read(common: &Common) -> Result<Program, Stop> {
    read_steps(common, None)
}

/// The same with the number of steps to run.
pub(crate) fn read_steps(common: &Common, steps: Option<usize>) -> Result<Program, Stop> {
    read_as(common, steps, false)
}

fn read_as(common: &Common, steps: Option<usize>, stats: bool) -> Result<Program, Stop> {
    let title = common.file.display().to_string();
    let given = read_bytes(&common.file)?;
    let repro = Repro::is_one(&given).then(|| opened(&title, &given)).transpose()?;
    let spelled = match (&common.pipeline, &repro) {
        (Some(pipeline), _) => pipeline.clone(),
        (None, Some(repro)) => repro.moment.pipeline.clone(),
        (None, None) => String::new(),
    };
    let pipeline = Pipeline::parse(&spelled).map_err(|diag| Stop::Misused(diag.to_string()))?;
    if let Some(step) = steps.filter(|&step| step > pipeline.len()) {
        return Err(Stop::Misused(format!("--step {step}: the pipeline has {} steps", pipeline.len())));
    }
    let input = repro.as_ref().map_or(given, |repro| repro.moment.input.clone());
    let Source { mut module, mut diags, map } = decode(&title, &input)?;
    if diags.iter().all(|diag| diag.level != Level::Error) {
        let mut found = validate(&module);
        map.place_all(&mut found);
        diags.extend(found);
    }
    if diags.iter().all(|diag| diag.level != Level::Error) {
        if let Some(repro) = repro.filter(|repro| repro.moment.pipeline == spelled) {
            let trace = pipeline.trace(&module, Settings::default());
            let verdict = repro.verdict(&digests(&trace.input, trace.changes()));
            complain(&format!("{title}: note: {}\n", verdict.words(&repro.version)));
        }
        let result = if stats { with_stats(&pipeline, &module) } else { pipeline.run(&module, steps) };
        match result {
            Ok(result) => module = result,
            Err(diag) => diags.push(diag),
        }
    }
    report(&title, &diags, &map);
    Ok(Program { input, pipeline: spelled, title, module, diags })
}

fn with_stats(pipeline: &Pipeline, module: &Module) -> Result<Module, Diag> {
    let start = Instant::now();
    let mut clock = || u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX);
    let trace = pipeline.trace(module, Settings { clock: Some(&mut clock), ..Settings::default() });
    complain(&stats::table(&trace));
    trace.notes.iter().for_each(|note| complain(&format!("{note}\n")));
    let wrong = match trace.steps.last().map(|step| &step.outcome) {
        Some(Outcome::Failed(diag)) => Some(diag),
        Some(Outcome::Invalid(diags)) => diags.first(),
        Some(Outcome::Changed | Outcome::Unchanged) | None => None,
    };
    wrong.map_or_else(|| Ok(trace.last().clone()), |diag| Err(diag.clone()))
}

/// A reproduction. One that is damaged is told, and used as far as it goes.
fn opened(title: &str, bytes: &[u8]) -> Result<Repro, Stop> {
    let (repro, problem) = Repro::read(bytes);
    if let Some(problem) = problem {
        complain(&format!("{title}: {problem}\n"));
    }
    match problem.is_some() && repro.moment.input.is_empty() {
        true => Err(Stop::Diagnosed),
        false => Ok(repro),
    }
}

/// What a file says, whatever language it says it in.
struct Source {
    module: Module,
    diags: Diags,
    map: SourceMap,
}

/// Reads by content: a SPIR-V binary by its magic number in either byte order, SPIR-V text by its first
/// instruction, everything else as IR text.
fn decode(title: &str, bytes: &[u8]) -> Result<Source, Stop> {
    let magic = MAGIC.to_le_bytes();
    let binary = bytes.get(..4).is_some_and(|first| first == magic || first.iter().rev().eq(&magic));
    if binary {
        return Ok(lower(bytes));
    }
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let at = error.valid_up_to();
        complain(&format!(
            "error: {title}: byte {at} is not UTF-8 and there is no SPIR-V magic number in front\n"
        ));
        Stop::Diagnosed
    })?;
    if is_spirv_text(text) {
        let assembled = assemble(text, &AsmOptions::default());
        if !assembled.diags.is_empty() {
            return Ok(Source { module: Module::new(), diags: assembled.diags, map: SourceMap::of(text) });
        }
        let bytes: Vec<u8> = assembled.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        return Ok(lower(&bytes));
    }
    let parsed = parse(text);
    Ok(Source { module: parsed.module, diags: parsed.diags, map: parsed.map })
}

fn lower(bytes: &[u8]) -> Source {
    let read = front::spirv::read(bytes);
    Source { module: read.module, diags: read.diags, map: SourceMap::default() }
}

/// Whether the first line that is no comment is an instruction of SPIR-V: `OpCapability …` or `%1 = Op…`.
fn is_spirv_text(text: &str) -> bool {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with(';'));
    let first = lines.next().unwrap_or("");
    let instruction = first.split_once('=').map_or(first, |(_, right)| right.trim_start());
    let word = instruction.split_whitespace().next().unwrap_or("");
    word.strip_prefix("Op").is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()))
}

pub(crate) fn read_bytes(file: &Path) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    let read = match file.to_str() {
        Some("-") => std::io::stdin().read_to_end(&mut bytes).map(|_| ()),
        _ => std::fs::read(file).map(|read| bytes = read),
    };
    read.map_err(|error| Stop::Misused(format!("{}: {error}", file.display())))?;
    Ok(bytes)
}

fn report(title: &str, diags: &Diags, map: &SourceMap) {
    let mut out = String::new();
    for diag in diags {
        out.push_str(&format!("{title}: {diag}\n"));
        if let Some(place) = diag.place.filter(|_| !map.text().is_empty()) {
            for line in caret(map.text(), place).lines() {
                out.push_str(&format!("  | {line}\n"));
            }
        }
    }
    complain(&out);
}

/// Writes to standard error. A closed stream is nobody's error here.
pub(crate) fn complain(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Writes to standard output. A reader that stops reading, as `head` does, is no error.
pub(crate) fn print(text: &str) {
    let _ = std::io::stdout().write_all(text.as_bytes());
}

/// Writes a file.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> Result<(), Stop> {
    std::fs::write(file, bytes).map_err(|error| Stop::Misused(format!("{}: {error}", file.display())))
}
