//! A front end: the kind of its inputs, and what it makes of one.

use vitrine_ir::{Anchor, Diags, Level, Module};
use vitrine_text::{AsmLine, SourceMap};

/// A language that can be read.
pub trait Frontend: Sync {
    /// Its name in the catalog.
    fn name(&self) -> &'static str;

    /// One sentence.
    fn doc(&self) -> &'static str;

    /// The kind of such inputs.
    fn kind(&self) -> InputKind;

    /// Returns true if an input is in this language, judging by its beginning. Only called if no earlier
    /// entry of the table recognizes the input.
    fn recognizes(&self, input: &[u8]) -> bool;

    /// Returns true if its inputs are binaries, which are recognized before any text.
    fn is_binary(&self) -> bool {
        false
    }

    /// Reads an input of any content, and validates the module if all of it could be read. Linear in its size.
    fn read(&self, input: &[u8], choices: Choices) -> Read;
}

/// Choices about the meaning of an input where its language leaves it to the hardware.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Choices {
    /// Products of Direct3D 9 programs are 0 if a factor is 0, also with infinity and NaN, as on hardware of their
    /// time; by default they are those of IEEE 754. No other language reads it.
    pub zero_products: bool,
}

/// The kind of an input.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InputKind {
    /// White space only.
    #[default]
    Empty,
    /// IR text.
    Ir,
    /// SPIR-V assembly.
    SpirvText,
    /// A SPIR-V binary.
    Spirv,
    /// A SPIR-V binary as a hex dump.
    SpirvHex,
    /// A SPIR-V binary as a C array.
    SpirvArray,
    /// A SPIR-V binary in base64, or in a data URL.
    SpirvBase64,
    /// Direct3D 9 bytecode, also written as text.
    D3d9,
    /// A DXBC container with a Direct3D 9 program.
    Dxbc,
    /// Direct3D 9 assembly.
    D3d9Text,
    /// A known format that no front end reads.
    Foreign,
    /// Unknown bytes.
    Unknown,
}

impl InputKind {
    /// A name for display.
    pub fn words(self) -> &'static str {
        match self {
            InputKind::Empty => "empty",
            InputKind::Ir => "IR text",
            InputKind::SpirvText => "SPIR-V text",
            InputKind::Spirv => "SPIR-V binary",
            InputKind::SpirvHex => "SPIR-V as hex",
            InputKind::SpirvArray => "SPIR-V as a C array",
            InputKind::SpirvBase64 => "SPIR-V as base64",
            InputKind::D3d9 => "Direct3D 9 bytecode",
            InputKind::Dxbc => "Direct3D 9 program in DXBC",
            InputKind::D3d9Text => "Direct3D 9 assembly",
            InputKind::Foreign => "not read yet",
            InputKind::Unknown => "unknown bytes",
        }
    }
}

/// The result of a front end.
#[derive(Debug, Default)]
pub struct Read {
    /// The module, or the part of it that could be read.
    pub module: Module,
    /// Diagnostics of reading and of validation, with positions if the input is a text.
    pub diags: Diags,
    /// Positions in a text: those of lines, and of definitions in IR text.
    pub map: SourceMap,
    /// The instructions of SPIR-V text by their first word.
    pub lines: Vec<AsmLine>,
    /// First words of the SPIR-V instructions that declare variables, functions and blocks, with what they
    /// became.
    pub homes: Vec<(u32, Anchor)>,
}

impl Read {
    /// Returns true if there is no error, so that passes may run.
    pub fn is_sound(&self) -> bool {
        is_sound(&self.diags)
    }
}

/// Returns true if there is no error.
pub fn is_sound(diags: &Diags) -> bool {
    diags.iter().all(|diag| diag.level != Level::Error)
}
