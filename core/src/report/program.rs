//! A program as text for a report, and as a file.
//!
//! SPIR-V if it can express the program, so that every tool reads it, else IR text. Refuses nothing.

use super::Program;
use crate::back::{Source, all_funcs, named};
use crate::back::{SpirvOptions, write_spirv};
use crate::ir::Module;
use crate::pipeline::write;

/// A program as SPIR-V text, or as IR text if SPIR-V cannot express it.
pub fn program_of(module: &Module) -> Program {
    let funcs = all_funcs(module);
    let written = |name: &str| {
        let done = write(&Source::new(module, &funcs), named(name).ok()?, false).ok()?;
        String::from_utf8(done.bytes).ok()
    };
    let program = |text, language: &str, tool: &str, extension: &str| Program {
        text,
        language: language.to_owned(),
        tool: tool.to_owned(),
        extension: extension.to_owned(),
    };
    match written("spvasm") {
        Some(text) => program(text, "SPIR-V text", "spirv-as", "spvasm"),
        None => program(written("ir").unwrap_or_default(), "IR text", "vitrine", "ir"),
    }
}

/// A program as a SPIR-V binary; `None` if SPIR-V cannot express it.
pub fn binary_of(module: &Module) -> Option<Vec<u8>> {
    let words = write_spirv(module, SpirvOptions::default()).ok()?;
    Some(words.iter().flat_map(|word| word.to_le_bytes()).collect())
}
