//! Sources in WGSL, GLSL, HLSL and Slang: translated to SPIR-V with their lines, and read as such.
//!
//! WGSL is translated by naga, a library; the other languages by an installed compiler, of which the first one found is
//! used. The SPIR-V words are the only contract: they hold the lines of the source.
//!
//! Refuses to guess: a stage or an entry point that neither an option, nor the name of the file, nor the text determines is an
//! error that names the option.

mod facts; // the stage and the entry point of a text
mod job; // start here: a source to translate, and the reasons to fail
#[cfg(feature = "sources")]
mod naga; // WGSL
mod problems; // errors of compilers as diagnostics
mod tools; // installed compilers

pub(crate) use job::SourceOptions;
use job::{Failure, Job};
use std::path::Path;
use vitrine_core::front::{SourceLanguage, source_language};
use vitrine_core::ir::{Anchor, Diag, Diags};
use vitrine_core::text::SourceMap;

/// The SPIR-V binary of an input that is a source; any other input as it is. Errors: diagnostics with places in the input.
pub(crate) fn translated(
    file: &Path,
    input: Vec<u8>,
    options: &SourceOptions,
) -> Result<Vec<u8>, (Vec<u8>, Diags)> {
    let language = source_language(&input).map(|found| of_extension(file).unwrap_or(found));
    let Some((language, text)) = language.zip(std::str::from_utf8(&input).ok()) else {
        return Ok(input);
    };
    let job = Job { text, file, options };
    let done = match language {
        SourceLanguage::Wgsl => wgsl(&job),
        SourceLanguage::Glsl => tools::glsl(&job, text),
        SourceLanguage::Shadertoy => tools::glsl(&job, &facts::shadertoy(text)),
        SourceLanguage::Hlsl => tools::hlsl(&job),
    };
    let diags: Diags = match done {
        Ok(bytes) => return Ok(bytes),
        Err(Failure::Problems(problems)) => {
            let map = SourceMap::of(text);
            problems.into_iter().map(|problem| problem.diag(text, &map)).collect()
        }
        Err(Failure::NotRun(says, help)) => vec![Diag::error("I009", Anchor::Module).says(says).help(help)],
    };
    Err((input, diags))
}

/// The language that the name of a file states: a text of few words can be one of several.
fn of_extension(file: &Path) -> Option<SourceLanguage> {
    match file.extension()?.to_str()? {
        "wgsl" => Some(SourceLanguage::Wgsl),
        "hlsl" | "slang" => Some(SourceLanguage::Hlsl),
        _ => None,
    }
}

#[cfg(feature = "sources")]
fn wgsl(job: &Job<'_>) -> Result<Vec<u8>, Failure> {
    naga::translate(job.text, job.name("source.wgsl")).map_err(Failure::Problems)
}

#[cfg(not(feature = "sources"))]
fn wgsl(_job: &Job<'_>) -> Result<Vec<u8>, Failure> {
    let says = "this `vitrine` was built without its front end for WGSL".to_owned();
    Err(Failure::NotRun(
        says,
        "build it with the feature `sources`, or convert the source to SPIR-V".to_owned(),
    ))
}
