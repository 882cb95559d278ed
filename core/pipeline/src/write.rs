//! Writing a program with a back end: the back end's preset runs first, through the pass manager, on a copy.
//!
//! ```text
//! module ── preset of the back end, by the pass manager ──▶ legal module ── Backend::write ──▶ Written
//! ```
//!
//! Preparation is a pipeline like any other: it is validated, takes fuel and is recorded in a trace ([`prepare`]).
//! Its passes leave a module alone that the back end can already write.
//!
//! Refuses to prepare if the writing is strict: the diagnostic then names the pass that is missing.

use super::run::run;
use super::{Pipeline, Settings, Trace};
use std::cell::RefCell;
use std::rc::Rc;
use vitrine_analysis::validate::validate;
use vitrine_forms::{Backend, LineSource, Output, Source, Written, source_lines};
use vitrine_ir::{Diag, Module};

/// The passes that make a module one that the back end can write, in order. Empty if it can write every module.
///
/// Error: `L001` if the back end names a preset that does not exist; a test checks that none does.
pub fn preparation(backend: &dyn Backend) -> Result<Pipeline, Diag> {
    backend.preset().map_or_else(|| Ok(Pipeline::default()), Pipeline::parse)
}

/// Runs the preset of the back end on a copy of a valid module. `trace` records the steps; make it with
/// [`Trace::of`].
///
/// Errors: the diagnostic of the pass that failed, or `L003` if one left an invalid program.
pub fn prepare(
    module: &Module,
    backend: &dyn Backend,
    settings: Settings<'_>,
    trace: Option<&mut Trace>,
) -> Result<Module, Diag> {
    run(&*parsed(backend)?, module, settings, trace)
}

thread_local! {
    /// The presets of back ends that were parsed: for small programs, that would take longer than writing.
    static PARSED: RefCell<Vec<(&'static str, Rc<Pipeline>)>> = const { RefCell::new(Vec::new()) };
}

/// The same as [`preparation`], parsed once.
fn parsed(backend: &dyn Backend) -> Result<Rc<Pipeline>, Diag> {
    let name = backend.preset().unwrap_or("");
    let known =
        PARSED.with_borrow(|all| all.iter().find(|(known, _)| *known == name).map(|(_, it)| it.clone()));
    if let Some(pipeline) = known {
        return Ok(pipeline);
    }
    let pipeline = Rc::new(preparation(backend)?);
    PARSED.with_borrow_mut(|all| all.push((name, pipeline.clone())));
    Ok(pipeline)
}

/// The result of [`prepare`], validated once instead of after each pass.
///
/// If the result is not valid, or a pass failed, the passes run again with all checks: the diagnostic is that of the pass
/// that caused it. Errors: those of [`prepare`].
pub fn prepared(module: &Module, backend: &dyn Backend) -> Result<Module, Diag> {
    let unchecked = Settings { validate: false, ..Settings::default() };
    if let Ok(ready) = prepare(module, backend, unchecked, None)
        && (is_same(module, &ready) || validate(&ready).is_empty())
    {
        return Ok(ready);
    }
    prepare(module, backend, Settings::default(), None)
}

/// Returns true if no pass changed anything.
fn is_same(before: &Module, after: &Module) -> bool {
    let bodies = || before.funcs().zip(after.funcs()).all(|((_, a), (_, b))| a.same_version(b));
    before.same_declarations(after) && bodies()
}

/// Prepares and writes a program.
///
/// Errors: those of [`prepare`], and constructs that the form cannot express. `is_strict` refuses to prepare.
pub fn write(source: &Source<'_>, backend: &dyn Backend, is_strict: bool) -> Result<Written, Vec<Diag>> {
    let mut out = Output::new();
    write_to(source, backend, is_strict, &mut out)?;
    Ok(out.finish())
}

/// The same to an output that exists, which may forward tokens to a sink.
pub fn write_to(
    source: &Source<'_>,
    backend: &dyn Backend,
    is_strict: bool,
    out: &mut Output<'_>,
) -> Result<(), Vec<Diag>> {
    if is_strict || backend.preset().is_none() {
        return backend.write(source, out);
    }
    let ready = prepared(source.module, backend).map_err(|diag| vec![diag])?;
    backend.write(&Source { module: &ready, ..*source }, out)
}

/// Prepares and writes a program, and finds the source line of each line of the text.
///
/// Errors: those of [`write()`].
pub fn write_with_lines(
    source: &Source<'_>,
    backend: &dyn Backend,
    is_strict: bool,
) -> Result<(Written, Vec<LineSource>), Vec<Diag>> {
    let ready = match is_strict || backend.preset().is_none() {
        true => source.module.clone(),
        false => prepared(source.module, backend).map_err(|diag| vec![diag])?,
    };
    let mut out = Output::new();
    backend.write(&Source { module: &ready, ..*source }, &mut out)?;
    let written = out.finish();
    let lines = source_lines(&ready, &written);
    Ok((written, lines))
}
