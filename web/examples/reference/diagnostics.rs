//! The pages of diagnostics: the shortest program with each, its message, and the program repaired.
//!
//! Programs of the validator are filetests. `www/reference/diagnostics.txt` has the repairs, and programs of other parts of
//! the compiler:
//!
//! ```text
//! # E061                      a code
//! file: validate/a.ir         a filetest; without it, the shortest one with the diagnostic
//! pipeline: dce               runs on the program
//! target: spirv               is written, strictly
//! | func @f_0() tree {        lines of a program, instead of a filetest
//! -   return %1               the repair replaces this line
//! +   return %0               by this one; several are possible
//! ```
//!
//! A program that does not have its diagnostic, and a repaired one that has any, are errors.

use crate::Page;
use crate::figures::{Figures, escape};
use crate::filetests::{Filetest, sentence};
use std::collections::BTreeMap;
use std::path::Path;
use vitrine_core::back::{BACKENDS, Source};
use vitrine_core::front;
use vitrine_core::interp::{Report, run, seeded};
use vitrine_core::ir::{Diag, Module};
use vitrine_core::pipeline::wrap::{Invocations, runnable};
use vitrine_core::pipeline::{Outcome, Pipeline, Settings, write};

/// The entries of `diagnostics.txt` by code.
pub(crate) type Sources = BTreeMap<String, Written>;

/// A program and its repair.
#[derive(Default)]
pub(crate) struct Written {
    file: String,
    pipeline: String,
    target: String,
    program: String,
    /// Replaced lines, and the new ones.
    edits: Vec<(String, Vec<String>)>,
}

/// Reads the file of programs and repairs.
pub(crate) fn read(path: &Path) -> Result<Sources, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut out = Sources::new();
    let mut code = String::new();
    for (number, line) in text.lines().enumerate() {
        let wrong = || format!("{}:{}: `{line}` has another form", path.display(), number + 1);
        if let Some(next) = line.strip_prefix("# ") {
            code = next.to_owned();
            if out.insert(code.clone(), Written::default()).is_some() {
                return Err(format!("{}: {code} is there twice", path.display()));
            }
            continue;
        }
        if line.is_empty() || line.starts_with("//") {
            continue;
        }
        let entry = out.get_mut(&code).ok_or_else(wrong)?;
        match line.split_at_checked(1) {
            Some(("|", rest)) => {
                entry.program.push_str(&format!("{}\n", rest.strip_prefix(' ').unwrap_or(rest)));
            }
            Some(("-", rest)) => entry.edits.push((rest.trim().to_owned(), Vec::new())),
            Some(("+", rest)) => entry
                .edits
                .last_mut()
                .ok_or_else(wrong)?
                .1
                .push(rest.strip_prefix(' ').unwrap_or(rest).to_owned()),
            _ => {
                let (key, value) = line.split_once(": ").ok_or_else(wrong)?;
                let field = match key {
                    "file" => &mut entry.file,
                    "pipeline" => &mut entry.pipeline,
                    "target" => &mut entry.target,
                    _ => return Err(wrong()),
                };
                *field = value.to_owned();
            }
        }
    }
    Ok(out)
}

/// The program with a diagnostic, its message, and its repair.
pub(crate) fn page(
    page: &mut Page,
    code: &str,
    tests: &[Filetest],
    sources: &Sources,
    figures: &mut Figures,
) -> Result<(), String> {
    let none = Written::default();
    let source = sources.get(code).unwrap_or(&none);
    let mark = format!("[{code}]");
    let test = match source.file.as_str() {
        "" => tests
            .iter()
            .filter(|test| test.errors.contains(&mark))
            .min_by_key(|test| (test.errors.lines().count(), test.input.len())),
        name => Some(
            tests
                .iter()
                .find(|test| test.name == name)
                .ok_or_else(|| format!("there is no filetest {name}"))?,
        ),
    };
    let (program, why) = match (source.program.as_str(), test) {
        ("", Some(test)) => (test.input.clone(), sentence(&test.why)),
        ("", None) => return Ok(()),
        (program, _) => (program.to_owned(), String::new()),
    };
    let found = diagnostics(code, &program, source);
    let diag = found.iter().find(|diag| diag.code == code);
    let diag = diag.ok_or_else(|| format!("the program has {found:?} instead"))?;
    page.markdown("## Program");
    let words = format!("<p class=\"diagnostic\">{}</p>", escape(&diag.to_string()));
    page.html(&format!(
        "{}\n{words}",
        figures.written(&program, "", &source.pipeline, "Program with the diagnostic", &why)
    ));
    if !source.pipeline.is_empty() {
        page.markdown(&format!("The pipeline is `{}`.", source.pipeline));
    }
    if !source.target.is_empty() {
        page.markdown(&format!("The target is `{}`, without the passes that prepare for it.", source.target));
    }
    if source.edits.is_empty() {
        return Ok(());
    }
    let repaired = repaired(&program, &source.edits)?;
    let left = diagnostics(code, &repaired, source);
    if !left.is_empty() {
        return Err(format!("the repaired program has {left:?}"));
    }
    page.markdown("## Repaired");
    page.html(&figures.written(&repaired, &program, &source.pipeline, "Repaired program", ""));
    Ok(())
}

/// The program with its lines replaced. Errors: a line that is not there.
fn repaired(program: &str, edits: &[(String, Vec<String>)]) -> Result<String, String> {
    let mut lines: Vec<String> = program.lines().map(str::to_owned).collect();
    for (old, new) in edits {
        let at = lines.iter().position(|line| line.trim() == old);
        let at = at.ok_or_else(|| format!("the program has no line `{old}`"))?;
        lines.splice(at..=at, new.iter().cloned());
    }
    Ok(lines.join("\n") + "\n")
}

/// Every diagnostic of reading, of the pipeline and of writing, and of a run if the code is one of runs.
fn diagnostics(code: &str, program: &str, source: &Written) -> Vec<Diag> {
    let (_, read) = front::read(program.as_bytes());
    if !read.is_sound() {
        return read.diags;
    }
    let mut out = read.diags;
    let mut module = read.module;
    if !source.pipeline.is_empty() {
        match Pipeline::parse(&source.pipeline) {
            Ok(pipeline) => {
                let trace = pipeline.trace(&module, Settings::default());
                out.extend(trace.notes.iter().cloned());
                for step in &trace.steps {
                    match &step.outcome {
                        Outcome::Failed(diag) => out.push(diag.clone()),
                        Outcome::Invalid(diags) => out.extend(diags.iter().cloned()),
                        Outcome::Changed | Outcome::Unchanged => {}
                    }
                }
                module = trace.last().clone();
            }
            Err(diag) => out.push(diag),
        }
    }
    match source.target.as_str() {
        "" if code.starts_with(['U', 'X']) => out.extend(executed(&module)),
        "" => {}
        name => out.extend(refused(&module, name)),
    }
    out
}

fn refused(module: &Module, target: &str) -> Vec<Diag> {
    let Some(backend) = BACKENDS.iter().find(|backend| backend.name() == target) else { return Vec::new() };
    let funcs: Vec<_> = module.funcs().map(|(func, _)| func).collect();
    write(&Source::new(module, &funcs), *backend, true).err().unwrap_or_default()
}

/// The reports of a run on generated inputs. A module that cannot be run for want of a function has none.
fn executed(module: &Module) -> Vec<Diag> {
    let Ok(module) = runnable(module, Invocations::Many) else { return Vec::new() };
    match run(&module, 0, &seeded(&module, 0, 1)) {
        Ok(outcome) => outcome.reports.list().iter().map(Report::diag).collect(),
        Err(diag) => vec![diag],
    }
}
