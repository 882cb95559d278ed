//! Lines in the SPIR-V of a prepared source: each `OpLine` gets the file and line that a person wrote, and `OpSource` the text.
//!
//! Instructions of lines that were added have no line. Files are new strings, so that ids of the binary stay.

use super::places::{Lines, Place};
use vitrine_spirv::{HEADER_WORDS, MAGIC};

const OP_SOURCE_CONTINUED: u16 = 2;
const OP_SOURCE: u16 = 3;
const OP_STRING: u16 = 7;
const OP_LINE: u16 = 8;
const OP_NO_LINE: u16 = 317;
/// Opcodes of the instructions before the strings: capabilities, extensions, imports, memory model, entry points, modes.
const BEFORE_STRINGS: [u16; 7] = [10, 11, 14, 15, 16, 17, 331];
/// The most bytes of text in one instruction, whose length is a number of 16 bits in words.
const MOST_TEXT: usize = 200_000;

/// The binary with lines and text; none if it is no whole sequence of instructions.
pub(super) fn with_lines(bytes: &[u8], lines: &Lines) -> Option<Vec<u8>> {
    let words = words_of(bytes);
    if words.len() < HEADER_WORDS || words[0] != MAGIC {
        return None;
    }
    let first_string = words[3];
    let mut out = words[..HEADER_WORDS].to_vec();
    out[3] = first_string.checked_add(u32::try_from(lines.files.len()).ok()?)?;
    // The language and its version, as the front end states them.
    let source = instructions(&words)?.into_iter().find(|of| opcode(of) == OP_SOURCE);
    let stated = source.and_then(|of| Some([*of.get(1)?, *of.get(2)?])).unwrap_or([2, 450]);
    let mut has_strings = false;
    for instruction in instructions(&words)? {
        let opcode = opcode(instruction);
        if !has_strings && !BEFORE_STRINGS.contains(&opcode) {
            has_strings = true;
            push_files(&mut out, lines, first_string, stated);
        }
        match opcode {
            OP_SOURCE | OP_SOURCE_CONTINUED => {}
            OP_LINE => match place(instruction, lines) {
                Some(Place { file, line }) => {
                    let column = instruction.get(3).copied().unwrap_or(0);
                    push(&mut out, OP_LINE, &[first_string + file as u32, line, column]);
                }
                None => push(&mut out, OP_NO_LINE, &[]),
            },
            _ => out.extend_from_slice(instruction),
        }
    }
    Some(bytes_of(&out))
}

/// The words of a binary.
pub(super) fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])).collect()
}

/// The bytes of words.
pub(super) fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

pub(super) fn opcode(instruction: &[u32]) -> u16 {
    instruction.first().map_or(0, |word| *word as u16)
}

pub(super) fn instructions(words: &[u32]) -> Option<Vec<&[u32]>> {
    let mut all = Vec::new();
    let mut rest = words.get(HEADER_WORDS..)?;
    while let Some(&first) = rest.first() {
        let (instruction, after) = rest.split_at_checked((first >> 16) as usize)?;
        if instruction.is_empty() {
            return None;
        }
        all.push(instruction);
        rest = after;
    }
    Some(all)
}

/// The place of an `OpLine` of the prepared text.
fn place(instruction: &[u32], lines: &Lines) -> Option<Place> {
    let line = (*instruction.get(2)? as usize).checked_sub(1)?;
    lines.places.get(line).copied().filter(|place| place.line > 0)
}

pub(super) fn push(out: &mut Vec<u32>, opcode: u16, operands: &[u32]) {
    out.push((operands.len() as u32 + 1) << 16 | u32::from(opcode));
    out.extend_from_slice(operands);
}

fn push_files(out: &mut Vec<u32>, lines: &Lines, first_string: u32, stated: [u32; 2]) {
    for (at, (name, _)) in lines.files.iter().enumerate() {
        let mut operands = vec![first_string + at as u32];
        operands.extend(string(name));
        push(out, OP_STRING, &operands);
    }
    for (at, (_, text)) in lines.files.iter().enumerate() {
        let mut rest = text.as_str();
        let mut is_first = true;
        while is_first || !rest.is_empty() {
            let (part, after) = rest.split_at(rest.floor_char_boundary(MOST_TEXT));
            let mut operands = match is_first {
                true => vec![stated[0], stated[1], first_string + at as u32],
                false => Vec::new(),
            };
            operands.extend(string(part));
            push(out, if is_first { OP_SOURCE } else { OP_SOURCE_CONTINUED }, &operands);
            (rest, is_first) = (after, false);
        }
    }
}

/// The words of a string; a zero byte would end it and is left out.
pub(super) fn string(text: &str) -> Vec<u32> {
    let mut bytes: Vec<u8> = text.bytes().filter(|byte| *byte != 0).collect();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    words_of(&bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_spirv::{AsmOptions, Binary, DisOptions, assemble, disassembly};

    #[test]
    fn lines_and_texts_are_those_of_the_files() {
        let text = "OpCapability Shader\nOpMemoryModel Logical GLSL450\n%1 = OpString \"\"\nOpSource GLSL 450 %1\nOpName %4 \"main\"\n%2 = OpTypeVoid\n%3 = OpTypeFunction %2\n%4 = OpFunction %2 None %3\n%5 = OpLabel\nOpLine %1 2 0\nOpNop\nOpLine %1 1 0\nOpReturn\nOpFunctionEnd\n";
        let words = assemble(text, &AsmOptions::default()).words;
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        let long = "x\n".repeat(MOST_TEXT);
        let lines = Lines {
            text: String::new(),
            places: vec![Place::default(), Place { file: 1, line: 7 }],
            files: vec![("a.frag".to_owned(), "é".to_owned()), ("b".to_owned(), long)],
        };
        let done = with_lines(&bytes, &lines).expect("a binary");
        let (binary, diags) = Binary::read(&done);
        assert!(diags.is_empty(), "{diags:?}");
        let shown = disassembly(&binary, &DisOptions::default());
        for wanted in ["OpString \"a.frag\"", "OpSource GLSL 450 %6 \"é\"", "OpLine %7 7 0", "OpNoLine"] {
            assert!(shown.contains(wanted), "{wanted}");
        }
        assert!(shown.contains("OpSourceContinued") && !shown.contains("OpLine %1"));
        assert!(with_lines(b"abcd", &lines).is_none());
    }
}
