//! An input for the page: the module, its formatted diagnostics, a text to edit, and positions in it.
//!
//! Front ends recognize and read ([`crate::front`]); of a binary the page edits the disassembly, which is
//! made here. An input that holds several programs ([`dumps_of`]) is read as the first one; the others are its
//! later versions.

use super::diagnostic;
use super::linked::{Linked, Numbers, StyledText, styled};
use super::origins::Origins;
use crate::d3d::container::level_9;
use crate::d3d::sm1::{Disassembly, PrintOptions, Program, disassemble as disassemble_sm1};
use crate::front::{self, Choices, InputKind, Recognized, recognize};
use crate::ir::{Anchor, Diag, Diags, Module};
use crate::lab::compare::{Versions, dumps_of};
use crate::spirv::{Binary, DisOptions, disassemble};
use crate::text::SourceMap;
use std::ops::Range;
use vitrine_protocol::Diagnostic;

/// The largest number of listed diagnostics.
const MOST_DIAGS: usize = 500;

/// The result of reading.
#[derive(Debug, Default)]
pub(super) struct Read {
    pub(super) kind: InputKind,
    pub(super) module: Module,
    pub(super) diags: Vec<Diagnostic>,
    /// True if passes may run.
    pub(super) sound: bool,
    /// The text to edit in place of a binary.
    pub(super) source: Option<StyledText>,
    /// Positions in the text of the parts of the module.
    pub(super) origins: Origins,
    /// The programs of a comparison; the rest of this is about the first one.
    pub(super) versions: Option<Versions>,
}

/// Reads an input of any kind. Never fails; linear in its size.
pub(super) fn read(input: &[u8]) -> Read {
    several(input, read_one).unwrap_or_else(|| read_one(input))
}

/// The first program of a comparison, with all of them; `None` for an input that is a single program.
fn several(input: &[u8], read_first: fn(&[u8]) -> Read) -> Option<Read> {
    let dumps = match dumps_of(input)? {
        Ok(dumps) => dumps,
        Err(why) => return Some(refused(why)),
    };
    let Some(first) = dumps.first() else { return Some(refused("there are no programs in it".to_owned())) };
    let versions = Versions::read(&dumps);
    let mut read = read_first(&first.bytes);
    // The text to edit is that of the first program, whatever holds it.
    let text = || styled(String::from_utf8_lossy(&first.bytes).into_owned(), Vec::new());
    read.source.get_or_insert_with(text);
    read.versions = Some(versions);
    Some(read)
}

fn refused(why: String) -> Read {
    let diag = Diag::error("I007", Anchor::Module).says(why).help("open the programs themselves");
    Read { kind: InputKind::Unknown, diags: views(&vec![diag]), ..Read::default() }
}

fn read_one(input: &[u8]) -> Read {
    match recognize(input) {
        Recognized::Program { kind, frontend, bytes } if frontend.is_binary() => {
            let read = frontend.read(&bytes, Choices::default());
            match frontend.kind() {
                InputKind::D3d9 | InputKind::Dxbc => direct3d(kind, read, &bytes),
                _ => binary(kind, read, &bytes),
            }
        }
        Recognized::Program { kind, frontend, bytes } => {
            text(kind, frontend.read(&bytes, Choices::default()))
        }
        other @ (Recognized::Empty | Recognized::Refused { .. }) => bare(other),
    }
}

/// The same, without a text to edit and positions in it.
pub(super) fn read_program(input: &[u8]) -> Read {
    several(input, read_bare).unwrap_or_else(|| read_bare(input))
}

fn read_bare(input: &[u8]) -> Read {
    bare(recognize(input))
}

fn bare(recognized: Recognized<'_>) -> Read {
    let (kind, read) = recognized.read(Choices::default());
    Read { kind, sound: read.is_sound(), diags: views(&read.diags), module: read.module, ..Read::default() }
}

fn text(kind: InputKind, read: front::Read) -> Read {
    let (sound, diags) = (read.is_sound(), views(&read.diags));
    let lines = read.lines.iter().map(|line| (line.word, line.start, line.len)).collect();
    let origins = match kind == InputKind::Ir {
        true => Origins::of_ir(read.map),
        false => Origins::of_words(lines, read.homes),
    };
    Read { kind, sound, module: read.module, diags, origins, ..Read::default() }
}

fn binary(kind: InputKind, read: front::Read, bytes: &[u8]) -> Read {
    let sound = read.is_sound();
    let front::Read { module, mut diags, homes, .. } = read;
    let (words, _) = Binary::read(bytes);
    let mut numbers = Numbers::default();
    let mut out = Linked::new(&mut numbers);
    disassemble(&words, &DisOptions { friendly: true, align: true, header: true }, &mut out);
    let source = out.finish();
    let map = SourceMap::of(&source.text);
    let mut places: Vec<(u32, u32, u32)> = Vec::new();
    for span in source.spans.entries().iter().filter(|span| span.is_definition()) {
        if let Some(Anchor::Word(word)) = numbers.anchor(span.id) {
            places.push((word, span.start, span.len));
        }
    }
    for diag in &mut diags {
        let Anchor::Word(word) = diag.at else { continue };
        let next = places.partition_point(|&(first, ..)| first <= word);
        let found = next.checked_sub(1).and_then(|at| places.get(at));
        diag.place = diag.place.or_else(|| found.map(|&(_, start, len)| map.span(start, len)));
    }
    let ends = source.text.match_indices('\n').map(|(at, _)| at as u32).collect::<Vec<_>>();
    // The whole instruction, from its result to the end of its line.
    let whole = |(word, start, _): (u32, u32, u32)| {
        let end = ends.get(ends.partition_point(|&end| end < start)).copied().unwrap_or(start);
        (word, start, end - start)
    };
    let origins = Origins::of_words(places.into_iter().map(whole).collect(), homes);
    Read { kind, module, diags: views(&diags), sound, source: Some(source), origins, versions: None }
}

/// A Direct3D 9 program, alone or in a container, as assembly.
fn direct3d(kind: InputKind, read: front::Read, bytes: &[u8]) -> Read {
    let sound = read.is_sound();
    let front::Read { module, mut diags, homes, .. } = read;
    let (offset, program) =
        if kind == InputKind::Dxbc { level_9(bytes).unwrap_or((0, bytes)) } else { (0, bytes) };
    let (program, _) = Program::read(program);
    let Disassembly { text, items } = disassemble_sm1(&program, &PrintOptions::default());
    let map = SourceMap::of(&text);
    let place = |(range, item): (Range<u32>, u32)| {
        let line = text.get(range.start as usize..range.end as usize)?;
        let indent = line.len() - line.trim_start().len();
        let word = program.items.get(item as usize)?.at;
        Some((word, range.start + indent as u32, line.trim().len() as u32))
    };
    let places: Vec<(u32, u32, u32)> = items.into_iter().filter_map(place).collect();
    for diag in &mut diags {
        let Anchor::Word(word) = diag.at else { continue };
        let word = word.saturating_sub(offset as u32 / 4);
        let next = places.partition_point(|&(first, ..)| first <= word);
        let found = next.checked_sub(1).and_then(|at| places.get(at));
        diag.place = diag.place.or_else(|| found.map(|&(_, start, len)| map.span(start, len)));
    }
    let origins = Origins::of_words(places, homes);
    let source = Some(styled(text, Vec::new()));
    Read { kind, module, diags: views(&diags), sound, source, origins, versions: None }
}

/// Formats diagnostics. If there are too many, lists the first ones and the number of the others: formatting
/// all of them would block the page's main thread.
pub(super) fn views(diags: &Diags) -> Vec<Diagnostic> {
    let mut views: Vec<Diagnostic> = diags.iter().take(MOST_DIAGS).map(diagnostic).collect();
    if let Some(more) = diags.len().checked_sub(MOST_DIAGS).filter(|&more| more > 0) {
        let diag = Diag::warning("I004", Anchor::Module).says(format!("{more} more are not listed"));
        views.push(diagnostic(&diag.help("fix the first ones: others may follow from them")));
    }
    views
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spirv::{AsmOptions, assemble};

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
    fn of_too_many_diagnostics_the_first_ones_are_listed() {
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
