//! The language of an input, by its content.
//!
//! Order: front ends that recognize a binary by its magic number, binaries written as text, front ends for
//! texts, and languages that no front end reads, which are refused by name. IR text is everything that is
//! left.
//!
//! Refuses to look at file names.

use super::encoded::{self, Encoding};
use super::{FRONTENDS, Frontend};
use crate::ir::{Anchor, Diag};
use std::borrow::Cow;

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
            InputKind::Foreign => "not read yet",
            InputKind::Unknown => "unknown bytes",
        }
    }
}

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
    },
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
    if let Some((encoding, bytes)) = encoded::decode(text) {
        let kind = match encoding {
            Encoding::Hex => InputKind::SpirvHex,
            Encoding::Array => InputKind::SpirvArray,
            Encoding::Base64 | Encoding::DataUrl => InputKind::SpirvBase64,
        };
        if let Some(frontend) = find(&bytes) {
            return program(frontend, kind, Cow::Owned(bytes));
        }
    }
    match find(input) {
        // IR text has no signature, so unsupported languages are looked for first.
        Some(frontend) if frontend.kind() != InputKind::Ir => {
            program(frontend, frontend.kind(), Cow::Borrowed(input))
        }
        found => match (foreign(text), found) {
            (None, Some(frontend)) => program(frontend, frontend.kind(), Cow::Borrowed(input)),
            (None, None) => unknown(input),
            (Some(language), _) => Recognized::Refused {
                kind: InputKind::Foreign,
                diag: Diag::error("I001", Anchor::Module)
                    .says(format!("this looks like {language}, which is not read yet"))
                    .help("compile it to SPIR-V and open the binary or its text"),
            },
        },
    }
}

/// Binary formats that no front end reads.
fn unknown(input: &[u8]) -> Recognized<'_> {
    let known = match input.get(..4) {
        Some(b"DXBC") => Some("a Direct3D container (DXBC or DXIL)"),
        Some(b"BC\xc0\xde") => Some("LLVM bitcode"),
        Some(b"\0asm") => Some("a WebAssembly module"),
        Some(b"\x7fELF") => Some("an ELF file"),
        Some([0x89, b'P', b'N', b'G'] | [0xff, 0xd8, 0xff, _]) => Some("a picture"),
        Some([b'P', b'K', 3, 4] | [0x1f, 0x8b, ..]) => Some("an archive"),
        // The version token of Direct3D 9 bytecode: 0xfffe for vertex shaders, 0xffff for pixel shaders.
        Some([_, 1..=3, 0xfe | 0xff, 0xff]) => Some("Direct3D 9 bytecode"),
        _ => None,
    };
    if let Some(known) = known {
        let diag = Diag::error("I002", Anchor::Module)
            .says(format!("this is {known}, which is not read yet"))
            .help("convert it to SPIR-V, binary or text");
        return Recognized::Refused { kind: InputKind::Foreign, diag };
    }
    let first: Vec<String> = input.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let diag = Diag::error("I003", Anchor::Module)
        .says(format!("neither text nor SPIR-V: the first bytes are {}", first.join(" ")))
        .help("a SPIR-V binary begins with 03 02 23 07, or 07 23 02 03");
    Recognized::Refused { kind: InputKind::Unknown, diag }
}

/// Signatures of languages that are not read.
const SIGNS: &[(&str, &str)] = &[
    ("#version ", "GLSL"),
    ("void main(", "GLSL"),
    ("gl_Position", "GLSL"),
    ("gl_FragCoord", "GLSL"),
    ("@fragment", "WGSL"),
    ("@vertex", "WGSL"),
    ("@compute", "WGSL"),
    ("[shader(", "HLSL or Slang"),
    ("SV_Target", "HLSL"),
    ("SV_Position", "HLSL"),
    ("SV_DispatchThreadID", "HLSL"),
    ("[numthreads(", "HLSL"),
    ("metal_stdlib", "the Metal Shading Language"),
    ("__kernel ", "OpenCL C"),
    ("target datalayout", "LLVM IR"),
];

/// The language of a text that no front end reads, found by words outside of quotation marks.
fn foreign(text: &str) -> Option<&'static str> {
    let code = |line: &str| line.split('"').step_by(2).collect::<Vec<_>>().join("\"");
    let lines: Vec<String> = text.lines().map(code).collect();
    let has = |sign: &str| lines.iter().any(|line| has_word(line, sign));
    SIGNS.iter().find(|(sign, _)| has(sign)).map(|&(_, language)| language)
}

/// Returns true if a signature is in a line, but not as part of a longer name such as `@fragment_0`. A number
/// may follow, as in
/// `SV_Target0`.
fn has_word(line: &str, sign: &str) -> bool {
    let in_name = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(sign).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + sign.len()..].chars().next();
        let begins = !sign.starts_with(in_name)
            || !before.is_some_and(|c| in_name(c) || matches!(c, '$' | '%' | '@' | '&'));
        let ends = !sign.ends_with(in_name) || !after.is_some_and(|c| c == '_' || c.is_alphabetic());
        begins && ends
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn language(text: &str) -> String {
        match recognize(text.as_bytes()) {
            Recognized::Refused { diag, .. } => diag.message(),
            Recognized::Program { frontend, .. } => frontend.name().to_owned(),
            Recognized::Empty => "empty".to_owned(),
        }
    }

    #[test]
    fn languages_that_are_not_read_are_named() {
        for (text, name) in [
            ("#version 450\nvoid main() {}", "GLSL"),
            ("@fragment fn f() {}", "WGSL"),
            ("float4 f() : SV_Target0 { return 0; }", "HLSL"),
            ("#include <metal_stdlib>", "Metal"),
            ("target datalayout = \"e\"", "LLVM IR"),
        ] {
            assert!(language(text).contains(name), "{text}: {}", language(text));
        }
    }

    #[test]
    fn names_and_strings_of_a_program_are_no_signs() {
        for text in [
            "func @fragment_0() graph {\n^0:\n  return\n}\n",
            "private $gl_Position_0: f32\n",
            "private $0 \"void main()\": f32\n",
        ] {
            assert_eq!(language(text), "ir", "{text}");
        }
    }

    #[test]
    fn binaries_are_recognized_in_every_encoding() {
        let base64 = "AwIjBwAGAQAAAAAACQAAAAAAAAA=";
        for (text, wanted) in [
            (base64.to_owned(), InputKind::SpirvBase64),
            (format!("data:application/octet-stream;base64,{base64}"), InputKind::SpirvBase64),
            ("03022307 00060100 00000000 09000000 00000000".to_owned(), InputKind::SpirvHex),
            ("{0x07230203, 0x00010600, 0, 9, 0}".to_owned(), InputKind::SpirvArray),
        ] {
            let found = recognize(text.as_bytes());
            assert!(matches!(found, Recognized::Program { kind, .. } if kind == wanted), "{text}");
        }
        assert!(matches!(
            recognize(&[0x00, 0x03, 0xff, 0xff]),
            Recognized::Refused { kind: InputKind::Foreign, .. }
        ));
    }
}
