//! A program: the form in which every worker and every feature takes an input, made in one place of the page.
//!
//! A source is compiled once, by the worker of its language; its SPIR-V has the lines of the source (`OpLine`) and the entry
//! points, so that no feature translates again or sees a text that only a front end reads.

use serde::{Deserialize, Serialize};

use crate::Bytes;

/// An input that has been compiled, if it is a source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Program {
    /// The name of its file, or empty.
    pub name: String,
    /// The input as the user gave it, for links: the text of a source, or the program itself.
    pub input: Bytes,
    /// The options of a source, one `KEY=VALUE` on each line.
    pub options: String,
    /// The SPIR-V of a source with its lines; empty if the input is the program itself.
    pub words: Bytes,
}

impl Program {
    /// The bytes to read and run: the SPIR-V of a source, or the input.
    pub fn code(&self) -> &[u8] {
        if self.is_source() { &self.words.0 } else { &self.input.0 }
    }

    /// Returns true if the input is a source.
    pub fn is_source(&self) -> bool {
        !self.words.0.is_empty()
    }
}
