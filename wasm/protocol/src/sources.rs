//! Requests to the worker of source languages and its answers.

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
}
