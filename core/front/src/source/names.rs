//! Names in the SPIR-V of a GLSL text that Slang wrote from a source: those of the source.
//!
//! Slang appends a number to every name of a text, as in `wave_0`, and the entry point of GLSL is `main`. The number is
//! removed, and the entry point gets the name that it has in the source. SPIR-V that Slang wrote itself has these names already.
//!
//! Refuses to read more than the instructions with names; a binary that cannot be split into instructions stays as it is.

use super::lines::{bytes_of, instructions, opcode, push, string, words_of};
use vitrine_spirv::HEADER_WORDS;

const OP_SOURCE: u16 = 3;
const OP_NAME: u16 = 5;
const OP_MEMBER_NAME: u16 = 6;
const OP_ENTRY_POINT: u16 = 15;
/// Numbers of source languages in `OpSource`.
const GLSL: u32 = 2;
const HLSL: u32 = 5;

/// The binary with the names of the source; `entry` is that of its entry point, or empty if it has several. Linear.
pub(super) fn of_source(bytes: Vec<u8>, entry: &str) -> Vec<u8> {
    let words = words_of(&bytes);
    renamed(&words, entry).map_or(bytes, |words| bytes_of(&words))
}

/// The words with other names; none for a binary that was not translated from GLSL.
fn renamed(words: &[u32], entry: &str) -> Option<Vec<u32>> {
    let all = instructions(words)?;
    let is_glsl = |of: &&[u32]| opcode(of) == OP_SOURCE && of.get(1) == Some(&GLSL);
    all.iter().find(|of| is_glsl(of))?;
    let mut out = words.get(..HEADER_WORDS)?.to_vec();
    for instruction in all {
        let name_at = match opcode(instruction) {
            OP_ENTRY_POINT => 3,
            OP_NAME => 2,
            OP_MEMBER_NAME => 3,
            OP_SOURCE => {
                // HLSL has no version.
                let mut operands = instruction.get(1..)?.to_vec();
                operands.get_mut(..2)?.copy_from_slice(&[HLSL, 0]);
                push(&mut out, OP_SOURCE, &operands);
                continue;
            }
            _ => {
                out.extend_from_slice(instruction);
                continue;
            }
        };
        let (name, after) = text(instruction.get(name_at..)?)?;
        let is_entry = !entry.is_empty() && name == "main";
        let name = if is_entry { entry } else { without_number(&name) };
        let mut operands = instruction.get(1..name_at)?.to_vec();
        operands.extend(string(name));
        operands.extend_from_slice(after);
        push(&mut out, opcode(instruction), &operands);
    }
    Some(out)
}

/// The string at the beginning of these words, and the words after it.
fn text(words: &[u32]) -> Option<(String, &[u32])> {
    let len = words.iter().position(|word| word.to_le_bytes().contains(&0))? + 1;
    let bytes: Vec<u8> =
        words[..len].iter().flat_map(|word| word.to_le_bytes()).take_while(|&byte| byte != 0).collect();
    Some((String::from_utf8_lossy(&bytes).into_owned(), &words[len..]))
}

/// `wave_0` and `wave_0(vf2;` are `wave`: the number of Slang, and the types of parameters by glslang.
fn without_number(name: &str) -> &str {
    let plain = name.split('(').next().unwrap_or(name);
    match plain.rsplit_once('_') {
        Some((stem, number)) if !stem.is_empty() && number.parse::<u32>().is_ok() => stem,
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_spirv::{AsmOptions, Binary, DisOptions, assemble, disassembly};

    const TEXT: &str = "OpCapability Shader\nOpMemoryModel Logical GLSL450\nOpEntryPoint Fragment %4 \"main\" %9\nOpExecutionMode %4 OriginUpperLeft\nOpSource GLSL 450\nOpName %4 \"main\"\nOpName %9 \"uv_0\"\nOpName %7 \"wave_1_12(vf2;\"\nOpMemberName %6 0 \"time_0\"\nOpName %8 \"plain_\"\n";

    fn done(text: &str, entry: &str) -> String {
        let words = assemble(text, &AsmOptions::default()).words;
        let (binary, diags) = Binary::read(&of_source(bytes_of(&words), entry));
        assert!(diags.is_empty(), "{diags:?}");
        disassembly(&binary, &DisOptions::default())
    }

    #[test]
    fn names_are_those_of_the_source() {
        let shown = done(TEXT, "PSMain");
        for wanted in [
            "Fragment %1 \"PSMain\" %2",
            "OpSource HLSL 0",
            "OpName %2 \"uv\"",
            "\"wave_1\"",
            "\"time\"",
            "\"plain_\"",
        ] {
            assert!(shown.contains(wanted), "{wanted}: {shown}");
        }
        assert!(!shown.contains("\"main\""), "{shown}");
    }

    #[test]
    fn words_of_slang_itself_and_odd_bytes_stay() {
        let slang = TEXT.replace("OpSource GLSL 450", "OpSource Slang 1");
        assert!(done(&slang, "PSMain").contains("\"uv_0\""));
        assert_eq!(of_source(b"abc".to_vec(), "f"), b"abc");
    }
}
