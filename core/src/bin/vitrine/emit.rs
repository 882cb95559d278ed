//! The forms of `--emit` and of file extensions: the table of back ends, and JSON.
//!
//! Back ends write; this file only selects one and prints its diagnostics.

use super::input::{self, Program};
use super::{Stop, json};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use vitrine_core::back::{self, BACKENDS, Backend, Output, Source, WriteOptions};
use vitrine_core::ir::{Func, Module};
use vitrine_core::pipeline::{Pipeline, Settings, Trace, write_to, write_with_lines};
use vitrine_core::text::Ansi;

/// A form to write in.
#[derive(Clone, Copy)]
pub(crate) enum Emit {
    /// A back end of the compiler.
    Backend(&'static dyn Backend),
    /// Functions, blocks and edges as JSON.
    Json,
}

const JSON: (&str, &str) = ("json", "Functions, blocks and edges as JSON.");

/// Options of the output.
#[derive(Clone, Default)]
pub(crate) struct How {
    pub(crate) phis: bool,
    pub(crate) color: bool,
    /// The versions of `columns` and `columns-svg`; empty for the input and each version that differs from the one before.
    pub(crate) steps: Vec<usize>,
    pub(crate) target: TargetArgs,
}

/// Options of target languages.
#[derive(clap::Args, Clone, Copy, Default)]
pub(crate) struct TargetArgs {
    /// Refuse to write a target that needs further passes, instead of running them
    #[arg(long)]
    strict: bool,
    /// Keep the version, capabilities and extensions that the input declares, needed or not
    #[arg(long)]
    as_in: bool,
    /// Write the entry point with this number alone, in languages like C; several are parts of one text otherwise
    #[arg(long)]
    entry: Option<u32>,
}

impl Emit {
    /// Parses the name of a form; clap lists the names that exist.
    pub(crate) fn parser() -> impl TypedValueParser<Value = Emit> {
        let rows = BACKENDS.iter().map(|backend| (backend.name(), backend.doc())).chain([JSON]);
        let values = rows.map(|(name, doc)| PossibleValue::new(name).help(doc.trim_end_matches('.')));
        PossibleValuesParser::new(values).map(|name| back::named(&name).map_or(Emit::Json, Emit::Backend))
    }

    /// The form of a file extension.
    pub(crate) fn of_extension(extension: &str) -> Option<Emit> {
        match extension {
            "json" => Some(Emit::Json),
            _ => back::of_extension(extension).map(Emit::Backend),
        }
    }

    /// Every extension with a dot, in the order of the table.
    pub(crate) fn extensions() -> Vec<String> {
        let usual = BACKENDS.iter().filter_map(|backend| backend.extensions().first().copied());
        let mut out: Vec<String> = Vec::new();
        for extension in usual.chain([JSON.0]).map(|extension| format!(".{extension}")) {
            if !out.contains(&extension) {
                out.push(extension);
            }
        }
        out
    }

    /// The program in this form. A target language is only written for a program without errors.
    pub(crate) fn write(self, program: &Program, funcs: &[Func], how: How) -> Result<Vec<u8>, Stop> {
        let backend = match self {
            Emit::Backend(backend) => backend,
            Emit::Json => return Ok(json::module(program, funcs).into_bytes()),
        };
        if backend.is_target() {
            program.verdict()?;
        }
        let trace = backend.compares().then(|| trace(program));
        let versions = match &trace {
            None => Vec::new(),
            Some(trace) if how.steps.is_empty() => trace.changed_versions(trace.steps.len()),
            Some(trace) => how.steps.iter().map(|&at| version(trace, at)).collect::<Result<_, _>>()?,
        };
        let source = Source {
            module: &program.module,
            funcs,
            title: Some(&program.title),
            diags: &program.diags,
            versions: &versions,
            options: WriteOptions {
                phis: how.phis,
                as_in: how.target.as_in,
                align: false,
                entry: how.target.entry,
            },
        };
        let mut colored = Ansi::new();
        let mut out = if how.color { Output::forwarding(&mut colored) } else { Output::new() };
        write_to(&source, backend, how.target.strict, &mut out).map_err(|diags| {
            diags.iter().for_each(|diag| input::complain(&format!("{}: {diag}\n", program.title)));
            Stop::Diagnosed
        })?;
        let bytes = out.finish().bytes;
        // Binaries and markup have no tokens to color.
        let colored = colored.finish();
        Ok(if colored.is_empty() { bytes } else { colored.into_bytes() })
    }

    /// The source line of each line of the text, as JSON.
    pub(crate) fn lines(self, program: &Program, funcs: &[Func], target: TargetArgs) -> Result<String, Stop> {
        let Emit::Backend(backend) = self else {
            return Err(Stop::Misused("--lines needs a text target, such as --emit glsl".to_owned()));
        };
        if backend.language().is_none() {
            return Err(Stop::Misused(format!("--lines needs a text target; {} is none", backend.name())));
        }
        program.verdict()?;
        let source = Source::new(&program.module, funcs);
        let (_, lines) = write_with_lines(&source, backend, target.strict).map_err(|diags| {
            diags.iter().for_each(|diag| input::complain(&format!("{}: {diag}\n", program.title)));
            Stop::Diagnosed
        })?;
        Ok(json::lines(&program.module, &lines))
    }
}

/// A version of a program with the text of its step.
fn version(trace: &Trace, at: usize) -> Result<(String, &Module), Stop> {
    trace
        .named_version(at)
        .ok_or_else(|| Stop::Misused(format!("--steps {at}: the pipeline ran {} steps", trace.steps.len())))
}

/// The steps that ran on a program, run again with a trace; none ran on a program with errors.
fn trace(program: &Program) -> Trace {
    let pipeline = match program.verdict() {
        Ok(()) => Pipeline::parse(&program.pipeline).unwrap_or_default(),
        Err(_) => Pipeline::default(),
    };
    pipeline.trace(&program.as_read, Settings { entries: program.steps, ..Settings::default() })
}
