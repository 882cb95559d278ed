//! Sources in WGSL, GLSL, HLSL and Slang: translated to SPIR-V with their lines, and read as such.
//!
//! WGSL is translated by naga, a library; the other languages by an installed compiler, of which the first one found is
//! used. Without one, GLSL is translated by naga, too. The SPIR-V words are the only contract: they hold the lines of the source.
//!
//! Refuses to guess: a stage or an entry point that neither an option, nor the name of the file, nor the text determines is an
//! error that names the option.

mod job; // start here: a source to translate, and the reasons to fail
#[cfg(feature = "sources")]
mod wgsl; // WGSL, and GLSL without a compiler for it
mod problems; // errors of compilers as diagnostics
mod tools; // installed compilers

pub(crate) use job::SourceOptions;
use job::{Failure, Job};
use std::path::Path;
use vitrine_core::front::source::{self, Prepared};
use vitrine_core::front::{SourceLanguage, source_language_of};
use vitrine_core::ir::{Anchor, Diag, Diags};
use vitrine_core::text::SourceMap;

/// The SPIR-V binary of an input that is a source; any other input as it is. `note` takes what was added to a source. Errors: diagnostics with places in the input.
pub(crate) fn translated(
    file: &Path,
    input: Vec<u8>,
    options: &SourceOptions,
    note: &dyn Fn(&str),
) -> Result<Vec<u8>, (Vec<u8>, Diags)> {
    // A text without a signature would be read as IR.
    let language = source_language_of(&input, file.to_str().unwrap_or(""));
    let Some((language, text)) = language.zip(std::str::from_utf8(&input).ok()) else {
        return Ok(input);
    };
    let job = Job { text, file, options };
    let done = match language {
        SourceLanguage::Wgsl => wgsl(&job, note),
        SourceLanguage::Glsl | SourceLanguage::Shadertoy => glsl(&job, language, note),
        SourceLanguage::Hlsl => tools::hlsl(&job, note),
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

/// GLSL of any dialect: prepared, translated, and with the lines of the source.
fn glsl(job: &Job<'_>, language: SourceLanguage, note: &dyn Fn(&str)) -> Result<Vec<u8>, Failure> {
    let options = job.options.prepared();
    // Included files are beside the source.
    let folder = job.file.parent().filter(|_| job.file.exists());
    let included = |name: &str| std::fs::read_to_string(folder?.join(name)).ok();
    let source = source::prepare(job.text, job.name(""), language, &options, &included)
        .map_err(|problem| Failure::Problems(vec![problem]))?;
    let done = match tools::has_glsl() {
        true => tools::glsl(job, &source),
        false => glsl_by_naga(job, &source, note),
    };
    source.notes.iter().for_each(|of| note(of));
    match done {
        Ok(words) => Ok(source.finish(&words)),
        Err(Failure::Problems(mut problems)) => {
            problems.iter_mut().for_each(|problem| source.locate(problem));
            Err(Failure::Problems(problems))
        }
        Err(failure) => Err(failure),
    }
}

#[cfg(feature = "sources")]
fn glsl_by_naga(_job: &Job<'_>, source: &Prepared, note: &dyn Fn(&str)) -> Result<Vec<u8>, Failure> {
    note("glslangValidator is not installed: naga reads this source");
    wgsl::translate_glsl(&source.text, source.stage).map_err(Failure::Problems)
}

#[cfg(not(feature = "sources"))]
fn glsl_by_naga(job: &Job<'_>, source: &Prepared, _note: &dyn Fn(&str)) -> Result<Vec<u8>, Failure> {
    tools::glsl(job, source)
}

#[cfg(feature = "sources")]
fn wgsl(job: &Job<'_>, note: &dyn Fn(&str)) -> Result<Vec<u8>, Failure> {
    wgsl::translate(job.text, job.name("source.wgsl"), &job.options.prepared().text(), note)
        .map_err(Failure::Problems)
}

#[cfg(not(feature = "sources"))]
fn wgsl(_job: &Job<'_>, _note: &dyn Fn(&str)) -> Result<Vec<u8>, Failure> {
    let says = "this `vitrine` was built without its front end for WGSL".to_owned();
    Err(Failure::NotRun(
        says,
        "build it with the feature `sources`, or convert the source to SPIR-V".to_owned(),
    ))
}
