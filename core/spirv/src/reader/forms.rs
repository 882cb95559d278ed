//! SPIR-V as a front end, twice: the binary, and its assembly.
//!
//! Assembly is assembled and read as a binary ([`super::read`]); positions of diagnostics are those in the
//! text.

use crate::{AsmOptions, MAGIC, assemble, is_spirv_text};
use vitrine_analysis::validate::validate;
use vitrine_forms::{Choices, Frontend, InputKind, Read, is_sound};
use vitrine_ir::{Anchor, Diag, SourceSpan};
use vitrine_text::{AsmLine, SourceMap};

/// A SPIR-V binary.
pub struct SpirvBinary;

/// SPIR-V text.
pub struct SpirvText;

impl Frontend for SpirvBinary {
    fn name(&self) -> &'static str {
        "spirv"
    }

    fn doc(&self) -> &'static str {
        "SPIR-V binary, in either byte order; also as a hex dump, a C array, base64 or a data URL."
    }

    fn kind(&self) -> InputKind {
        InputKind::Spirv
    }

    fn recognizes(&self, input: &[u8]) -> bool {
        input.get(..4).is_some_and(|first| first == MAGIC.to_le_bytes() || first == MAGIC.to_be_bytes())
    }

    fn is_binary(&self) -> bool {
        true
    }

    fn read(&self, input: &[u8], _: Choices) -> Read {
        let mut read = super::read(input);
        if is_sound(&read.diags) {
            read.diags.extend(validate(&read.module));
        }
        let super::Read { module, diags, homes } = read;
        Read { module, diags, homes, ..Read::default() }
    }
}

impl Frontend for SpirvText {
    fn name(&self) -> &'static str {
        "spvasm"
    }

    fn doc(&self) -> &'static str {
        "SPIR-V text."
    }

    fn kind(&self) -> InputKind {
        InputKind::SpirvText
    }

    fn recognizes(&self, input: &[u8]) -> bool {
        std::str::from_utf8(input).is_ok_and(is_spirv_text)
    }

    fn read(&self, input: &[u8], _: Choices) -> Read {
        let Ok(text) = std::str::from_utf8(input) else {
            let diag = Diag::error("I005", Anchor::Module).says("SPIR-V text is not valid UTF-8");
            return Read { diags: vec![diag], ..Read::default() };
        };
        let assembled = assemble(text, &AsmOptions::default());
        let bytes: Vec<u8> = assembled.words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let map = SourceMap::of(text);
        let lines = assembled.lines;
        if !is_sound(&assembled.diags) {
            // Instructions without errors are read. Errors that follow from the others are not reported.
            let super::Read { module, homes, .. } = super::read(&bytes);
            return Read { module, diags: assembled.diags, map, lines, homes };
        }
        let mut read = SpirvBinary.read(&bytes, Choices::default());
        for diag in &mut read.diags {
            diag.place = diag.place.or_else(|| position(&map, &lines, diag.at));
        }
        Read { map, lines, ..read }
    }
}

/// The position of the instruction that contains a word.
fn position(map: &SourceMap, lines: &[AsmLine], at: Anchor) -> Option<SourceSpan> {
    let Anchor::Word(word) = at else { return None };
    let next = lines.partition_point(|line| line.word <= word);
    let line = lines.get(next.checked_sub(1)?)?;
    Some(map.span(line.start, line.len))
}
