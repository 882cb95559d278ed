//! Front ends: programs in other languages become IR. There is one [`Frontend`] for each language, and one
//! table of them, [`FRONTENDS`].
//!
//! ```text
//! input ── recognize ──▶ front end, bytes ── Frontend::read ──▶ module, diagnostics, positions
//! ```
//!
//! A front end never fails as a whole: it returns the part of the program that it could read, with
//! diagnostics. The page and the command line recognize inputs by [`recognize`]; nothing looks at file names.
//! Links and reproductions are containers of inputs, which `share` opens.
//!
//! Readers of binaries are in the crates of their formats, `vitrine-spirv` and `vitrine-d3d`, beside the writers.
//!
//! Refuses to run passes.

mod recognize; // start here: the language of an input
mod encoded; // binaries written as text
mod bundle; // several programs as one input
mod foreign; // languages that are not read
mod spirv_forms; // rows of SPIR-V: binary and text
mod sm1_forms; // rows of Direct3D 9: bytecode, assembly, container
mod ir_text; // the row of the IR
pub mod source; // sources, prepared for the front ends of other projects

pub use bundle::{Dump, bundle, unbundle};
pub use encoded::base64;
pub use foreign::SourceLanguage;
pub use recognize::{InputKind, Recognized, recognize};
pub use vitrine_d3d::reader as sm1;
pub use vitrine_spirv::reader as spirv;

use crate::ir::{Anchor, Diags, Level, Module};
use crate::spirv::Line;
use crate::text::SourceMap;

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

/// Every front end, in the order in which they are tried. The last one accepts every text.
pub const FRONTENDS: &[&dyn Frontend] = &[
    &spirv_forms::SpirvBinary,
    &sm1_forms::Bytecode,
    &sm1_forms::Container,
    &spirv_forms::SpirvText,
    &sm1_forms::Assembly,
    &ir_text::IrText,
];

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
    pub lines: Vec<Line>,
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

/// Recognizes an input and reads it; the module is empty if it is in no language that can be read.
pub fn read(input: &[u8]) -> (InputKind, Read) {
    read_with(input, Choices::default())
}

/// The same, with choices about its meaning.
pub fn read_with(input: &[u8], choices: Choices) -> (InputKind, Read) {
    recognize(input).read(choices)
}

/// See [`Recognized::source_language`].
pub fn source_language(input: &[u8]) -> Option<SourceLanguage> {
    recognize(input).source_language()
}

/// See [`Recognized::source_language_of`].
pub fn source_language_of(input: &[u8], name: &str) -> Option<SourceLanguage> {
    recognize(input).source_language_of(name)
}

fn is_sound(diags: &Diags) -> bool {
    diags.iter().all(|diag| diag.level != Level::Error)
}
