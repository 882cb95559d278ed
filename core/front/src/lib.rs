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

#![forbid(unsafe_code)]

mod recognize; // start here: the language of an input
mod encoded; // binaries written as text
mod bundle; // several programs as one input
mod foreign; // languages that are not read
mod ir_text; // the entry of the IR
pub mod source; // sources, prepared for the front ends of other projects

pub use bundle::{Dump, bundle, unbundle};
pub use encoded::base64;
pub use foreign::SourceLanguage;
pub use recognize::{Recognized, recognize};
pub use vitrine_d3d::reader as sm1;
pub use vitrine_forms::{Choices, Frontend, InputKind, Read};
pub use vitrine_spirv::reader as spirv;

/// Every front end, in the order in which they are tried. The last one accepts every text.
pub const FRONTENDS: &[&dyn Frontend] = &[
    &spirv::forms::SpirvBinary,
    &sm1::forms::Bytecode,
    &sm1::forms::Container,
    &spirv::forms::SpirvText,
    &sm1::forms::Assembly,
    &ir_text::IrText,
];

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
