//! Reading programs and printing diagnostics. The only file that touches files and streams.

use super::sources::{self, SourceOptions};
use super::{Common, Stop, stats};
use std::io::{Read, Write};
use std::path::Path;
use std::time::Instant;
use vitrine_core::front::{self, Choices, InputKind};
use vitrine_core::ir::{Diag, Diags, Func, Level, Module};
use vitrine_core::pipeline::{Outcome, Pipeline, Settings};
use vitrine_core::share::{Repro, SharedState, digests};
use vitrine_core::text::{SourceMap, caret, print_module};

/// A program with its diagnostics.
pub(crate) struct Program {
    /// The program as it was read, before any pass.
    pub(crate) input: Vec<u8>,
    /// The pipeline.
    pub(crate) pipeline: String,
    /// The number of steps to run; none for all of them.
    pub(crate) steps: Option<usize>,
    pub(crate) title: String,
    /// The module before any pass.
    pub(crate) as_read: Module,
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

/// The same, with a table of the steps on standard error: the outcome, sizes and times of each.
pub(crate) fn read_with_stats(common: &Common) -> Result<Program, Stop> {
    read_as(common, None, true)
}

/// Reads, validates and transforms a program. Diagnostics go to standard error. No pass runs on a program
/// with errors.
pub(crate) fn read(common: &Common) -> Result<Program, Stop> {
    read_steps(common, None)
}

/// The same with a number of steps to run.
pub(crate) fn read_steps(common: &Common, steps: Option<usize>) -> Result<Program, Stop> {
    read_as(common, steps, false)
}

fn read_as(common: &Common, steps: Option<usize>, stats: bool) -> Result<Program, Stop> {
    let title = common.file.display().to_string();
    let given = read_bytes(&common.file)?;
    let repro = Repro::is_one(&given).then(|| opened(&title, &given)).transpose()?;
    let link = linked(&title, &given)?;
    let shared = repro.as_ref().map(|repro| &repro.state).or(link.as_ref());
    let spelled = match (&common.pipeline, shared) {
        (Some(pipeline), _) => pipeline.clone(),
        (None, Some(shared)) => shared.pipeline.clone(),
        (None, None) => String::new(),
    };
    let pipeline = allowed(&spelled, common.teaching)?;
    if let Some(step) = steps.filter(|&step| step > pipeline.len()) {
        return Err(Stop::Misused(format!("--step {step}: the pipeline has {} steps", pipeline.len())));
    }
    let input = shared.map(|shared| shared.input.clone()).unwrap_or(given);
    let options = shared.map_or_else(|| common.sources.clone(), |shared| common.sources.or(shared));
    let input = translated(&common.file, input, &options)?;
    let choices = Choices { zero_products: common.zero_products };
    let (kind, read) = front::read_with(&input, choices);
    if kind == InputKind::Empty {
        complain(&format!("{title}: the file is empty\n"));
        return Err(Stop::Diagnosed);
    }
    let is_sound = read.is_sound();
    let front::Read { module: as_read, mut diags, map, .. } = read;
    // Reproductions and links have no choices: they carry the IR, where a product has its own operation.
    let input =
        if choices == Choices::default() || !is_sound { input } else { print_module(&as_read).into_bytes() };
    let mut module = as_read.clone();
    if is_sound {
        if let Some(repro) = repro.filter(|repro| repro.state.pipeline == spelled) {
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
    Ok(Program { input, pipeline: spelled, steps, title, as_read, module, diags })
}

/// Parses a pipeline. A pass that is wrong on purpose needs the option `--teaching`.
pub(crate) fn allowed(pipeline: &str, teaching: bool) -> Result<Pipeline, Stop> {
    let parsed = Pipeline::parse(pipeline).map_err(|diag| Stop::Misused(diag.to_string()))?;
    match parsed.wrong_on_purpose().filter(|_| !teaching) {
        Some(name) => Err(Stop::Misused(format!("`{name}` is wrong on purpose: allow it by --teaching"))),
        None => Ok(parsed),
    }
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

/// A reproduction. Damage is reported, and the readable part is used.
fn opened(title: &str, bytes: &[u8]) -> Result<Repro, Stop> {
    let (repro, problem) = Repro::read(bytes);
    if let Some(problem) = problem {
        complain(&format!("{title}: {problem}\n"));
    }
    match problem.is_some() && repro.state.input.is_empty() {
        true => Err(Stop::Diagnosed),
        false => Ok(repro),
    }
}

/// The content of a link of the page, if the file holds nothing else. Damage is reported, and the readable part is used.
pub(crate) fn linked(title: &str, bytes: &[u8]) -> Result<Option<SharedState>, Stop> {
    let text = std::str::from_utf8(bytes).unwrap_or("").trim();
    let is_address =
        (text.starts_with("http") || text.starts_with("#1")) && !text.contains(char::is_whitespace);
    let Some((_, link)) = text.split_once('#').filter(|_| is_address) else { return Ok(None) };
    let (state, problem) = SharedState::read(link);
    if let Some(problem) = problem {
        complain(&format!("{title}: {problem}\n"));
    }
    match problem.is_some() && state.input.is_empty() {
        true => Err(Stop::Diagnosed),
        false => Ok(Some(state)),
    }
}

/// The input of a file: that of a link or a reproduction, or the file itself.
pub(crate) fn read_input(file: &Path) -> Result<Vec<u8>, Stop> {
    let given = read_bytes(file)?;
    let options = SourceOptions::default();
    match shared(file, &given)? {
        Some(state) => translated(file, state.input.clone(), &options.or(&state)),
        None => translated(file, given, &options),
    }
}

/// An input as SPIR-V if it is a source. Its problems are reported.
fn translated(file: &Path, input: Vec<u8>, options: &SourceOptions) -> Result<Vec<u8>, Stop> {
    let note = |note: &str| complain(&format!("{}: note: {note}\n", file.display()));
    sources::translated(file, input, options, &note).map_err(|(input, diags)| {
        let text = String::from_utf8_lossy(&input);
        report(&file.display().to_string(), &diags, &SourceMap::of(&text));
        Stop::Diagnosed
    })
}

/// The content of a file that is a link or a reproduction.
pub(crate) fn shared(file: &Path, given: &[u8]) -> Result<Option<SharedState>, Stop> {
    let title = file.display().to_string();
    match Repro::is_one(given) {
        true => opened(&title, given).map(|repro| Some(repro.state)),
        false => linked(&title, given),
    }
}

/// The bytes of a file. A link in place of a name is its own content.
pub(crate) fn read_bytes(file: &Path) -> Result<Vec<u8>, Stop> {
    let mut bytes = Vec::new();
    let is_link = |name: &&str| (name.starts_with("http") && name.contains("#1")) || name.starts_with("#1");
    if let Some(link) = file.to_str().filter(is_link).filter(|_| !file.exists()) {
        return Ok(link.as_bytes().to_vec());
    }
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

/// Writes to standard error. A closed stream is not an error.
pub(crate) fn complain(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}

/// Writes to standard output. A closed pipe, as by `head`, is not an error.
pub(crate) fn print(text: &str) {
    print_bytes(text.as_bytes());
}

/// Writes bytes to standard output.
pub(crate) fn print_bytes(bytes: &[u8]) {
    let _ = std::io::stdout().write_all(bytes);
}

/// Writes a file.
pub(crate) fn write(file: &Path, bytes: &[u8]) -> Result<(), Stop> {
    std::fs::write(file, bytes).map_err(|error| Stop::Misused(format!("{}: {error}", file.display())))
}
