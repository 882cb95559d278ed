//! What an input is, by its content, and reading it: bytes become a module, its problems, and a text to edit.
//!
//! The name of a file says nothing here. Order of the tests: magic numbers, binaries written as text, SPIR-V
//! text, languages that other tools read, and the IR text for everything that is left.

use super::DiagView;
use crate::front::encoded::{self, Encoding};
use super::linked::{Linked, Numbers, StyledText};
use super::origins::Origins;
use crate::front;
use crate::ir::{Anchor, Diag, Diags, Level, Module, SourceSpan};
use crate::spirv::{AsmOptions, Binary, DisOptions, Line, assemble, disassemble, is_spirv_text};
use crate::text::{SourceMap, parse};
use crate::validate::validate;

/// What an input turned out to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum InputKind {
    /// Nothing but white space.
    #[default]
    Empty,
    /// The text of this project's IR.
    Ir,
    /// SPIR-V assembly.
    SpirvText,
    /// A SPIR-V binary.
    Spirv,
    /// One as a hex dump.
    SpirvHex,
    /// One as a C array.
    SpirvArray,
    /// One in base 64, or in a data URL.
    SpirvBase64,
    /// Something known that is not read.
    Foreign,
    /// Bytes nobody here knows.
    Unknown,
}

impl InputKind {
    /// A few words for it.
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

/// More than anybody reads.
const MOST_DIAGS: usize = 500;

/// What was read.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) kind: InputKind,
    pub(super) module: Module,
    pub(super) diags: Vec<DiagView>,
    /// Whether passes may run.
    pub(super) sound: bool,
    /// The text to edit in place of a binary.
    pub(super) source: Option<StyledText>,
    /// Where the things of the module stand in the text.
    pub(super) origins: Origins,
}

/// Reads an input of any kind. Total; linear in its size.
pub(super) fn read(input: &[u8]) -> Read {
    read_by(input, binary)
}

/// The same without a text to edit in place of a binary, and places in it: for those who show none.
pub(super) fn read_program(input: &[u8]) -> Read {
    read_by(input, |kind, bytes| {
        let front::spirv::Read { module, diags, .. } = checked(bytes);
        Read { kind, module, sound: is_sound(&diags), diags: views(&diags), ..Read::default() }
    })
}

fn read_by(input: &[u8], binary: fn(InputKind, &[u8]) -> Read) -> Read {
    if encoded::is_binary(input) {
        return binary(InputKind::Spirv, input);
    }
    let Ok(text) = std::str::from_utf8(input) else { return unknown(input) };
    if text.trim().is_empty() {
        return Read { sound: true, ..Read::default() };
    }
    if let Some((encoding, bytes)) = encoded::decode(text) {
        let kind = match encoding {
            Encoding::Hex => InputKind::SpirvHex,
            Encoding::Array => InputKind::SpirvArray,
            Encoding::Base64 | Encoding::DataUrl => InputKind::SpirvBase64,
        };
        return binary(kind, &bytes);
    }
    if is_spirv_text(text) {
        return spirv_text(text);
    }
    match foreign(text) {
        Some(language) => refused(
            InputKind::Foreign,
            Diag::error("I001", Anchor::Module)
                .says(format!("this looks like {language}, which is not read yet"))
                .help("compile it to SPIR-V and drop the binary or its text here"),
        ),
        None => ir(text),
    }
}

fn refused(kind: InputKind, diag: Diag) -> Read {
    Read { kind, diags: vec![DiagView::of(&diag)], ..Read::default() }
}

/// Bytes without a magic number that are no text either.
fn unknown(input: &[u8]) -> Read {
    let what = match input.get(..4) {
        Some(b"DXBC") => Some("a Direct3D container (DXBC or DXIL)"),
        Some(b"BC\xc0\xde") => Some("LLVM bitcode"),
        Some(b"\0asm") => Some("a WebAssembly module"),
        Some(b"\x7fELF") => Some("an ELF file"),
        Some([0x89, b'P', b'N', b'G'] | [0xff, 0xd8, 0xff, _]) => Some("a picture"),
        Some([b'P', b'K', 3, 4] | [0x1f, 0x8b, ..]) => Some("an archive"),
        _ => None,
    };
    if let Some(what) = what {
        let diag = Diag::error("I002", Anchor::Module).says(format!("this is {what}, which is not read yet"));
        return refused(InputKind::Foreign, diag.help("give it as SPIR-V, binary or text"));
    }
    let first: Vec<String> = input.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
    let diag = Diag::error("I003", Anchor::Module)
        .says(format!("neither text nor SPIR-V: the first bytes are {}", first.join(" ")))
        .help("a SPIR-V binary begins with 03 02 23 07, or 07 23 02 03");
    refused(InputKind::Unknown, diag)
}

fn ir(text: &str) -> Read {
    let parsed = parse(text);
    let mut diags = parsed.diags;
    // What is missing because it could not be read is no second error.
    if diags.is_empty() {
        diags = validate(&parsed.module);
        parsed.map.place_all(&mut diags);
    }
    Read {
        kind: InputKind::Ir,
        sound: is_sound(&diags),
        module: parsed.module,
        diags: views(&diags),
        source: None,
        origins: Origins::of_ir(parsed.map),
    }
}

fn spirv_text(text: &str) -> Read {
    let assembled = assemble(text, &AsmOptions::default());
    let mut diags = assembled.diags;
    let bytes: Vec<u8> = assembled.words.iter().flat_map(|word| word.to_le_bytes()).collect();
    // Of a text with errors the instructions without are read; what follows from the others is no error.
    let read;
    if !is_sound(&diags) {
        read = front::spirv::read(&bytes);
    } else {
        read = checked(&bytes);
        diags.clone_from(&read.diags);
        let map = SourceMap::of(text);
        for diag in &mut diags {
            diag.place = diag.place.or_else(|| place_of_word(&map, &assembled.lines, diag.at));
        }
    }
    let lines = assembled.lines.iter().map(|line| (line.word, line.start, line.len)).collect();
    Read {
        kind: InputKind::SpirvText,
        sound: is_sound(&diags),
        module: read.module,
        diags: views(&diags),
        source: None,
        origins: Origins::of_words(lines, read.homes),
    }
}

/// Where the instruction that holds a word stands in the text.
fn place_of_word(map: &SourceMap, lines: &[Line], at: Anchor) -> Option<SourceSpan> {
    let Anchor::Word(word) = at else { return None };
    let next = lines.partition_point(|line| line.word <= word);
    let line = lines.get(next.checked_sub(1)?)?;
    Some(map.span(line.start, line.len))
}

fn binary(kind: InputKind, bytes: &[u8]) -> Read {
    let front::spirv::Read { module, mut diags, homes } = checked(bytes);
    let sound = is_sound(&diags);
    let (words, _) = Binary::read(bytes);
    let mut numbers = Numbers::default();
    let mut out = Linked::new(&mut numbers);
    disassemble(&words, &DisOptions { friendly: true, align: true, header: true }, &mut out);
    let source = out.finish();
    let map = SourceMap::of(&source.text);
    let mut places: Vec<(u32, u32, u32)> = Vec::new();
    for run in source.runs.chunks_exact(5).filter(|run| run[3] == 1) {
        if let Some(Anchor::Word(word)) = numbers.anchor(run[4]) {
            places.push((word, run[0], run[1]));
        }
    }
    for diag in &mut diags {
        let Anchor::Word(word) = diag.at else { continue };
        let next = places.partition_point(|&(first, ..)| first <= word);
        let found = next.checked_sub(1).and_then(|at| places.get(at));
        diag.place = diag.place.or_else(|| found.map(|&(_, start, len)| map.span(start, len)));
    }
    let ends = source.text.match_indices('\n').map(|(at, _)| at as u32).collect::<Vec<_>>();
    // The whole instruction, from what it defines to the end of its line.
    let whole = |(word, start, _): (u32, u32, u32)| {
        let end = ends.get(ends.partition_point(|&end| end < start)).copied().unwrap_or(start);
        (word, start, end - start)
    };
    let origins = Origins::of_words(places.into_iter().map(whole).collect(), homes);
    Read { kind, module, diags: views(&diags), sound, source: Some(source), origins }
}

/// Reads a binary, and validates what it became if all of it could be read.
fn checked(bytes: &[u8]) -> front::spirv::Read {
    let mut read = front::spirv::read(bytes);
    if is_sound(&read.diags) {
        read.diags.extend(validate(&read.module));
    }
    read
}

fn is_sound(diags: &Diags) -> bool {
    diags.iter().all(|diag| diag.level != Level::Error)
}

/// In words; of very many the first ones, and how many there are: nobody reads them all, and the page's main thread
/// would be busy with them.
fn views(diags: &Diags) -> Vec<DiagView> {
    let mut views: Vec<DiagView> = diags.iter().take(MOST_DIAGS).map(DiagView::of).collect();
    if let Some(more) = diags.len().checked_sub(MOST_DIAGS).filter(|&more| more > 0) {
        let diag = Diag::warning("I004", Anchor::Module).says(format!("{more} more are not listed"));
        views.push(DiagView::of(&diag.help("mend the first ones: others may follow from them")));
    }
    views
}

/// A language that is written like this, for those that are not read.
fn foreign(text: &str) -> Option<&'static str> {
    const SIGNS: [(&str, &str); 9] = [
        ("#version ", "GLSL"),
        ("void main(", "GLSL"),
        ("gl_Position", "GLSL"),
        ("@fragment", "WGSL"),
        ("@vertex", "WGSL"),
        ("@compute", "WGSL"),
        ("SV_Target", "HLSL"),
        ("[numthreads(", "HLSL"),
        ("target datalayout", "LLVM IR"),
    ];
    SIGNS.iter().find(|(sign, _)| text.contains(sign)).map(|&(_, language)| language)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ASSEMBLY: &str = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%1 = OpTypeVoid\n%2 = OpTypeFunction %1\n%3 = OpFunction %1 None %2\n%4 = OpLabel\nOpReturn\nOpFunctionEnd\n";

    fn bytes() -> Vec<u8> {
        assemble(ASSEMBLY, &AsmOptions::default()).words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    #[test]
    fn inputs_are_known_by_their_content() {
        let hex: String = bytes().iter().map(|byte| format!("{byte:02x} ")).collect();
        let swapped: Vec<u8> = bytes().chunks(4).flat_map(|word| word.iter().rev().copied()).collect();
        for (kind, input) in [
            (InputKind::Empty, b" \n".to_vec()),
            (InputKind::Ir, b"func @0() graph {\n^0:\n  return\n}\n".to_vec()),
            (InputKind::SpirvText, ASSEMBLY.as_bytes().to_vec()),
            (InputKind::Spirv, bytes()),
            (InputKind::Spirv, swapped),
            (InputKind::SpirvHex, hex.into_bytes()),
            (InputKind::Foreign, b"#version 450\nvoid main() {}".to_vec()),
            (InputKind::Foreign, b"DXBC\xff\xff".to_vec()),
            (InputKind::Unknown, vec![0xff, 0xfe, 0]),
        ] {
            let read = read(&input);
            assert_eq!(read.kind, kind, "{input:?}");
            let bare = read_program(&input);
            assert_eq!((bare.kind, bare.sound), (kind, read.sound));
            assert_eq!(crate::text::print_module(&bare.module), crate::text::print_module(&read.module));
            assert_eq!(
                read.sound,
                !matches!(kind, InputKind::Foreign | InputKind::Unknown),
                "{:?}",
                read.diags
            );
        }
    }

    #[test]
    fn a_binary_comes_with_a_text_that_reads_back() {
        let from_binary = read(&bytes());
        let source = from_binary.source.unwrap_or_default();
        let again = read(source.text.as_bytes());
        assert_eq!((again.kind, again.diags.len()), (InputKind::SpirvText, 0));
        assert_eq!(crate::text::print_module(&again.module), crate::text::print_module(&from_binary.module));
    }

    #[test]
    fn what_is_wrong_with_a_binary_has_a_place_in_its_text() {
        let mut damaged = bytes();
        let last = damaged.len() - 4;
        // `OpFunctionEnd` with a length of no word.
        damaged[last + 2] = 0;
        let read = read(&damaged);
        assert!(!read.sound);
        assert!(read.diags.iter().any(|diag| diag.line > 0), "{:?}", read.diags);
    }

    #[test]
    fn of_very_many_problems_the_first_ones_are_told() {
        let read = read("fad\n".repeat(2000).as_bytes());
        assert_eq!(read.diags.len(), MOST_DIAGS + 1);
        assert!(read.diags.last().is_some_and(|last| last.message.contains("more are not listed")));
    }

    #[test]
    fn what_is_wrong_with_assembly_has_a_place() {
        let read = read(ASSEMBLY.replace("OpReturn\n", "OpReturnValue %9\n").as_bytes());
        assert!(!read.sound && read.diags.iter().all(|diag| diag.line == 7), "{:?}", read.diags);
    }
}
