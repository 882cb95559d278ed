//! The language of an input, by its content.
//!
//! Order: front ends that recognize a binary by its magic number, binaries written as text, front ends for
//! texts, and languages that no front end reads, which are refused by name. IR text is everything that is
//! left.
//!
//! Does not look at file names.

use super::encoded::{self, Encoding};
use super::{Choices, FRONTENDS, Frontend, InputKind, Read, SourceLanguage, foreign};
use std::borrow::Cow;
use vitrine_ir::{Anchor, Diag};

/// An input whose language is known, or the reason that it is not read.
pub enum Recognized<'i> {
    /// White space only.
    Empty,
    /// A program.
    Program {
        /// The kind of input.
        kind: InputKind,
        /// The front end that reads it.
        frontend: &'static dyn Frontend,
        /// The bytes for the front end: the input, or the binary that it encodes.
        bytes: Cow<'i, [u8]>,
    },
    /// No front end reads it.
    Refused {
        /// [`InputKind::Foreign`] or [`InputKind::Unknown`].
        kind: InputKind,
        /// The reason, with a suggestion.
        diag: Diag,
        /// The language, if the input is a source that another program translates to SPIR-V.
        source: Option<SourceLanguage>,
    },
}

impl Recognized<'_> {
    /// The language of an input that is a source: no front end reads it, but another program translates it to SPIR-V.
    pub fn source_language(&self) -> Option<SourceLanguage> {
        match self {
            Recognized::Refused { source, .. } => *source,
            Recognized::Program { .. } | Recognized::Empty => None,
        }
    }

    /// The same for an input with the name of its file, which states the language of a text of few words: one that could be
    /// several languages, or that has no word of its own.
    pub fn source_language_of(&self, name: &str) -> Option<SourceLanguage> {
        let found = self.source_language();
        let is_open = match self {
            Recognized::Program { kind: InputKind::Ir, bytes, .. } => {
                !std::str::from_utf8(bytes).is_ok_and(|text| text.contains("func @"))
            }
            Recognized::Program { .. } | Recognized::Refused { .. } | Recognized::Empty => found.is_some(),
        };
        let stated = match name.rsplit_once('.').map(|(_, extension)| extension) {
            Some("wgsl") => Some(SourceLanguage::Wgsl),
            Some("hlsl" | "slang") => Some(SourceLanguage::Hlsl),
            Some(_) | None => None,
        };
        stated.filter(|_| is_open).or(found)
    }

    /// Reads the program; the module is empty if the input is in no language that can be read.
    pub fn read(self, choices: Choices) -> (InputKind, Read) {
        match self {
            Recognized::Empty => (InputKind::Empty, Read::default()),
            Recognized::Program { kind, frontend, bytes } => (kind, frontend.read(&bytes, choices)),
            Recognized::Refused { kind, diag, .. } => (kind, Read { diags: vec![diag], ..Read::default() }),
        }
    }
}

/// Recognizes an input of any content. Linear in its size.
pub fn recognize(input: &[u8]) -> Recognized<'_> {
    let program =
        |frontend: &'static dyn Frontend, kind, bytes| Recognized::Program { kind, frontend, bytes };
    let find = |bytes: &[u8]| FRONTENDS.iter().copied().find(|frontend| frontend.recognizes(bytes));
    // The magic number of a binary may be valid UTF-8.
    if let Some(frontend) = find(input).filter(|frontend| frontend.is_binary()) {
        return program(frontend, frontend.kind(), Cow::Borrowed(input));
    }
    let Ok(text) = std::str::from_utf8(input) else { return unknown(input) };
    if text.trim().is_empty() {
        return Recognized::Empty;
    }
    let binary = |bytes: &[u8]| find(bytes).filter(|frontend| frontend.is_binary());
    if let Some((encoding, bytes)) = encoded::decode(text, |bytes| binary(bytes).is_some())
        && let Some(frontend) = binary(&bytes)
    {
        let kind = match (frontend.kind(), encoding) {
            (InputKind::Spirv, Encoding::Hex) => InputKind::SpirvHex,
            (InputKind::Spirv, Encoding::Array) => InputKind::SpirvArray,
            (InputKind::Spirv, Encoding::Base64 | Encoding::DataUrl) => InputKind::SpirvBase64,
            (kind, _) => kind,
        };
        return program(frontend, kind, Cow::Owned(bytes));
    }
    match find(input) {
        // IR text has no signature, so unsupported languages are looked for first.
        Some(frontend) if frontend.kind() != InputKind::Ir => {
            program(frontend, frontend.kind(), Cow::Borrowed(input))
        }
        found => match (foreign::text(text), found) {
            (None, Some(frontend)) => program(frontend, frontend.kind(), Cow::Borrowed(input)),
            (None, None) => unknown(input),
            (Some((diag, source)), _) => Recognized::Refused { kind: InputKind::Foreign, diag, source },
        },
    }
}

/// The error for a binary that no front end reads.
fn unknown(input: &[u8]) -> Recognized<'_> {
    if let Some(diag) = foreign::binary(input) {
        return Recognized::Refused { kind: InputKind::Foreign, diag, source: None };
    }
    let first: Vec<String> = input.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let diag = Diag::error("I003", Anchor::Module)
        .says(format!("neither text nor a known program: the first bytes are {}", first.join(" ")))
        .help("SPIR-V begins with 03 02 23 07 or 07 23 02 03, Direct3D 9 bytecode with its version and fe ff or ff ff");
    Recognized::Refused { kind: InputKind::Unknown, diag, source: None }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_are_recognized_in_every_encoding() {
        let base64 = "AwIjBwAGAQAAAAAACQAAAAAAAAA=";
        for (text, wanted) in [
            (base64.to_owned(), InputKind::SpirvBase64),
            (format!("data:application/octet-stream;base64,{base64}"), InputKind::SpirvBase64),
            ("03022307 00060100 00000000 09000000 00000000".to_owned(), InputKind::SpirvHex),
            ("{0x07230203, 0x00010600, 0, 9, 0}".to_owned(), InputKind::SpirvArray),
            ("// { }\nconst DWORD g_ps[] = {0xffff0200, 0x0000ffff};".to_owned(), InputKind::D3d9),
            ("FFFF0300 0000FFFF".to_owned(), InputKind::D3d9),
            ("; a remark\nps_2_0\n".to_owned(), InputKind::D3d9Text),
        ] {
            let found = recognize(text.as_bytes());
            assert!(matches!(found, Recognized::Program { kind, .. } if kind == wanted), "{text}");
        }
        assert!(matches!(
            recognize(&[0x00, 0x03, 0xff, 0xff]),
            Recognized::Program { kind: InputKind::D3d9, .. }
        ));
    }
}
