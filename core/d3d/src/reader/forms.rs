//! Direct3D 9 programs as a front end, three times: bytecode, assembly, and the program in a DXBC container of a
//! level 9 profile.

use crate::container::{is_container, level_9, parts};
use crate::sm1::{Program, Version, assemble, is_assembly};
use vitrine_analysis::validate::validate;
use vitrine_forms::{Choices, Frontend, InputKind, Read, is_sound};
use vitrine_ir::{Anchor, Diag, Diags};
use vitrine_text::{AsmLine, SourceMap};

/// Bytecode.
pub struct Bytecode;

/// Assembly.
pub struct Assembly;

/// The program in a DXBC container.
pub struct Container;

impl Frontend for Bytecode {
    fn name(&self) -> &'static str {
        "d3d9"
    }

    fn doc(&self) -> &'static str {
        "Direct3D 9 bytecode, shader models 1 to 3; also as a hex dump, a C array, base64 or a data URL."
    }

    fn kind(&self) -> InputKind {
        InputKind::D3d9
    }

    fn recognizes(&self, input: &[u8]) -> bool {
        let first = input.get(..4).and_then(|four| four.try_into().ok()).map(u32::from_le_bytes);
        first.and_then(Version::from_token).is_some()
    }

    fn is_binary(&self) -> bool {
        true
    }

    fn read(&self, input: &[u8], choices: Choices) -> Read {
        let (program, diags) = Program::read(input);
        module(&program, diags, choices)
    }
}

impl Frontend for Container {
    fn name(&self) -> &'static str {
        "dxbc"
    }

    fn doc(&self) -> &'static str {
        "The Direct3D 9 program in a DXBC container of a level 9 profile."
    }

    fn kind(&self) -> InputKind {
        InputKind::Dxbc
    }

    fn recognizes(&self, input: &[u8]) -> bool {
        is_container(input) && level_9(input).is_some()
    }

    fn is_binary(&self) -> bool {
        true
    }

    fn read(&self, input: &[u8], choices: Choices) -> Read {
        let (_, mut diags) = parts(input);
        let Some((at, bytes)) = level_9(input) else { return Read { diags, ..Read::default() } };
        let mut read = Bytecode.read(bytes, choices);
        for diag in &mut read.diags {
            if let Anchor::Word(word) = &mut diag.at {
                *word += at as u32 / 4;
            }
        }
        diags.append(&mut read.diags);
        Read { diags, ..read }
    }
}

impl Frontend for Assembly {
    fn name(&self) -> &'static str {
        "d3d9-asm"
    }

    fn doc(&self) -> &'static str {
        "Direct3D 9 assembly."
    }

    fn kind(&self) -> InputKind {
        InputKind::D3d9Text
    }

    fn recognizes(&self, input: &[u8]) -> bool {
        std::str::from_utf8(input).is_ok_and(is_assembly)
    }

    fn read(&self, input: &[u8], choices: Choices) -> Read {
        let Ok(text) = std::str::from_utf8(input) else {
            let diag = Diag::error("I005", Anchor::Module).says("Direct3D assembly is not valid UTF-8");
            return Read { diags: vec![diag], ..Read::default() };
        };
        let assembled = assemble(text);
        let map = SourceMap::of(text);
        let lines = lines(text, &assembled.lines);
        let (program, found) = Program::from_words(&assembled.words);
        // Lines with errors are missing from the program: errors that follow from that are not reported.
        let diags = if is_sound(&assembled.diags) { found } else { Diags::new() };
        let mut read = module(&program, diags, choices);
        if !is_sound(&assembled.diags) {
            return Read { module: read.module, diags: assembled.diags, map, lines, ..Read::default() };
        }
        for diag in &mut read.diags {
            let Anchor::Word(word) = diag.at else { continue };
            let next = lines.partition_point(|line| line.word <= word);
            let line = next.checked_sub(1).and_then(|at| lines.get(at));
            diag.place = diag.place.or_else(|| line.map(|line| map.span(line.start, line.len)));
        }
        Read { map, lines, ..read }
    }
}

/// Reads a program, and validates the module if all of it could be read.
fn module(program: &Program, mut diags: Diags, choices: Choices) -> Read {
    let read = super::read(program, choices.zero_products);
    diags.extend(read.diags);
    if is_sound(&diags) {
        diags.extend(validate(&read.module));
    }
    Read { module: read.module, diags, ..Read::default() }
}

/// The place of each line with an instruction: from its first character to its last one.
fn lines(text: &str, numbered: &[(u32, u32)]) -> Vec<AsmLine> {
    let mut starts = vec![0];
    starts.extend(text.match_indices('\n').map(|(at, _)| at + 1));
    let place = |&(word, number): &(u32, u32)| {
        let start = *starts.get((number as usize).checked_sub(1)?)?;
        let end = starts.get(number as usize).map_or(text.len(), |next| next - 1);
        let line = text.get(start..end)?;
        let indent = line.len() - line.trim_start().len();
        Some(AsmLine { word, start: (start + indent) as u32, len: line.trim().len() as u32 })
    };
    numbered.iter().filter_map(place).collect()
}
