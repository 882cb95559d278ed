//! Requests to the workers of source languages and their answers.
//!
//! The workers of GLSL and of Slang read and write these messages by hand, in `www/frontend.js`: a change of their fields
//! changes it, too, and the bytes that `tests/round_trip.rs` expects.

use serde::{Deserialize, Serialize};

use crate::{Bytes, Fault};

/// A source to translate. Answer: [`SourceAnswer::Done`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceRequest {
    /// Returned with the answer: the revision of the input.
    pub revision: u32,
    /// The source.
    pub text: String,
    /// The name of its file, for the debug information of the result.
    pub name: String,
    /// The stage of a source in GLSL or HLSL, as glslang names it. Empty for other languages, and for a source that states the
    /// stages of its entry points.
    pub stage: String,
    /// The entry point of a source in HLSL or Slang; empty for several that the source marks as such, and for other languages.
    pub entry: String,
    /// The options of the source, one `KEY=VALUE` on each line. Those that `PreparedSource::text` already has are ignored.
    pub options: String,
}

/// A message of the worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum SourceAnswer {
    /// A source was translated.
    Done {
        /// The revision of the request.
        revision: u32,
        /// The result.
        translation: Translation,
    },
    /// The worker failed.
    Fault(Fault),
}

/// The result of a translation.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Translation {
    /// The SPIR-V binary; empty if the source has errors.
    pub words: Bytes,
    /// The errors.
    pub problems: Vec<SourceProblem>,
    /// The messages of a front end whose errors are not split yet; with words, notes about them, a line each.
    pub log: String,
    /// True if the words have the lines of the source: the compiler finishes those of a prepared source.
    pub is_finished: bool,
}

/// A source that the compiler has prepared for a front end.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PreparedSource {
    /// The revision of the request to open it.
    pub revision: u32,
    /// The front end that translates it.
    pub front_end: FrontEnd,
    /// See [`SourceRequest::stage`].
    pub stage: String,
    /// See [`SourceRequest::entry`].
    pub entry: String,
    /// The text to translate; empty for the text of the input.
    pub text: String,
    /// See [`SourceRequest::name`].
    pub name: String,
    /// See [`SourceRequest::options`].
    pub options: String,
}

/// A front end, in a worker of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum FrontEnd {
    /// Naga, for WGSL.
    #[default]
    Naga,
    /// Glslang, for GLSL.
    Glslang,
    /// Slang, for HLSL and Slang, which is loaded on request.
    Slang,
}

/// An option that the front end of a source has.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceOption {
    /// Its key: `stage`.
    pub key: String,
    /// Its name for people.
    pub label: String,
    /// Its effect.
    pub help: String,
    /// Its values with their names; empty for an option with a free text: lines, of which each is a value.
    pub choices: Vec<[String; 2]>,
    /// The value without a choice; empty if it is not known.
    pub preset: String,
    /// The chosen value, or else the preset.
    pub value: String,
}

/// An error in a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SourceProblem {
    /// The error, in the words of the front end.
    pub message: String,
    /// A suggestion, or empty.
    pub help: String,
    /// The first byte of its place in the source, and the byte after the last one.
    pub range: Option<[u32; 2]>,
    /// True if the front end did not run, so that this is no error of the source.
    pub not_run: bool,
}
