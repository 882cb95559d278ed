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
use crate::back::{
    Backend, LineSource, Output, SPIRV, Source, WriteOptions, Written, all_funcs, source_lines,
};
use crate::ir::{Anchor, Diag, Module};
use crate::validate::validate;
use std::cell::RefCell;
use std::rc::Rc;

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

/// Options of [`write_spirv`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct SpirvOptions {
    /// Refuse instead of running the preset that prepares.
    pub strict: bool,
    /// Keep version, capabilities and extensions that the module declares, needed or not.
    pub as_in: bool,
}

/// A program as SPIR-V words, for tools that take words.
///
/// Errors: the first of [`write()`].
pub fn write_spirv(module: &Module, options: SpirvOptions) -> Result<Vec<u32>, Diag> {
    let funcs = all_funcs(module);
    let how = WriteOptions { as_in: options.as_in, ..WriteOptions::default() };
    let source = Source { options: how, ..Source::new(module, &funcs) };
    match write(&source, SPIRV, options.strict) {
        Ok(written) => Ok(words(&written.bytes)),
        Err(diags) => Err(diags
            .into_iter()
            .next()
            .unwrap_or_else(|| Diag::error("W100", Anchor::Module).says("SPIR-V could not be written"))),
    }
}

fn words(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|&word| u32::from_le_bytes(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::back::BACKENDS;
    use crate::pipeline::{Outcome, PRESETS};
    use crate::text::{parse, print_module};

    const GRAPH: &str = "module capability \"Shader\"\n\nfunc @0(%0: b1) graph {\n^0:\n  branch %0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n}\n";

    #[test]
    fn every_preset_that_a_back_end_names_exists() {
        for backend in BACKENDS {
            assert!(preparation(*backend).is_ok());
            let name = backend.preset();
            assert!(name.is_none_or(|name| PRESETS.iter().any(|preset| preset.name == name)), "{name:?}");
        }
    }

    #[test]
    fn missing_passes_run_or_are_named() {
        let module = parse(GRAPH).module;
        assert!(write_spirv(&module, SpirvOptions::default()).is_ok());
        let refused = write_spirv(&module, SpirvOptions { strict: true, as_in: false });
        assert!(refused.is_err_and(|diag| diag.help.is_some_and(|help| help.passes().eq(["structurize"]))));
    }

    #[test]
    fn preparation_is_recorded() {
        let module = parse(GRAPH).module;
        let mut trace = Trace::of(&module);
        let ready = prepare(&module, SPIRV, Settings::default(), Some(&mut trace)).unwrap();
        assert_eq!(trace.steps.first().map(|step| step.pass), Some("structurize"));
        assert_eq!(print_module(trace.last()), print_module(&ready));
    }

    #[test]
    fn a_module_that_is_ready_is_left_alone() {
        let module = parse(GRAPH).module;
        let ready = prepare(&module, SPIRV, Settings::default(), None).unwrap();
        let mut trace = Trace::of(&ready);
        prepare(&ready, SPIRV, Settings::default(), Some(&mut trace)).unwrap();
        assert!(trace.steps.iter().all(|step| step.outcome == Outcome::Unchanged));
    }
}
