//! Reading programs and telling what is wrong with them. The only place that touches files and streams.

use super::{Common, Stop};
use std::io::{Read, Write};
use std::path::Path;
use vitrine_core::ir::{Diags, Func, Level, Module};
use vitrine_core::pipeline::Pipeline;
use vitrine_core::text::{SourceMap, caret, parse};
use vitrine_core::validate::validate;

/// A program with what was found wrong with it.
pub(crate) struct Program {
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

/// Reads, validates and transforms. Diagnostics go to standard error; a program that has some is shown as it
/// was read, without running anything on it.
pub(crate) fn read(common: &Common) -> Result<Program, Stop> {
    read_steps(common, None)
}

/// The same with the number of steps to run.
pub(crate) fn read_steps(common: &Common, steps: Option<usize>) -> Result<Program, Stop> {
    let pipeline = Pipeline::parse(&common.pipeline).map_err(|diag| Stop::Misused(diag.to_string()))?;
    if let Some(step) = steps.filter(|&step| step > pipeline.len()) {
        return Err(Stop::Misused(format!("--step {step}: the pipeline has {} steps", pipeline.len())));
    }
    let title = common.file.display().to_string();
    let text = read_text(&common.file)?;
    let parsed = parse(&text);
    let mut diags = parsed.diags;
    if diags.is_empty() {
        diags = validate(&parsed.module);
        parsed.map.place_all(&mut diags);
    }
    let mut module = parsed.module;
    if diags.is_empty() {
        match pipeline.run(&module, steps) {
            Ok(result) => module = result,
            Err(diag) => diags.push(diag),
        }
    }
    report(&title, &diags, &parsed.map);
    Ok(Program { title, module, diags })
}

fn read_text(file: &Path) -> Result<String, Stop> {
    let mut bytes = Vec::new();
    let read = match file.to_str() {
        Some("-") => std::io::stdin().read_to_end(&mut bytes).map(|_| ()),
        _ => std::fs::read(file).map(|read| bytes = read),
    };
    read.map_err(|error| Stop::Misused(format!("{}: {error}", file.display())))?;
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        complain(&format!("error: {}: byte {at} is not UTF-8, so this is no IR text\n", file.display()));
        Stop::Diagnosed
    })
}

fn report(title: &str, diags: &Diags, map: &SourceMap) {
    let mut out = String::new();
    for diag in diags {
        out.push_str(&format!("{title}: {diag}\n"));
        if let Some(place) = diag.place {
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
pub(crate) fn write(file: &Path, text: &str) -> Result<(), Stop> {
    std::fs::write(file, text).map_err(|error| Stop::Misused(format!("{}: {error}", file.display())))
}
