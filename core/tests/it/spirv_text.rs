//! SPIR-V text on real and damaged modules: disassembled text assembles to the same words, and no input makes
//! the reader, the disassembler or the assembler panic.
//!
//! `VITRINE_CASES` raises the number of damaged inputs.

// The counts are output.
#![allow(clippy::print_stdout)]

use crate::testing::corpus::{bad_inputs, modules, small_modules};
use crate::testing::settings::setting;
use std::collections::HashMap;
use vitrine_core::base::random::Random;
use vitrine_core::spirv::{
    AsmOptions, Binary, Context, Decoded, DisOptions, HEADER_WORDS, assemble, check, disassembly,
};

const KEEP: AsmOptions = AsmOptions { preserve_ids: true, read_header: true, version: (1, 6), generator: 0 };
const FRIENDLY: DisOptions = DisOptions { friendly: true, align: true, header: true };

/// A module with most features of the text form.
const FIXTURE: &str = r#"; SPIR-V
; Version: 1.5
; Generator: Khronos SPIR-V Tools Assembler; 0
; Bound: 40
; Schema: 0
OpCapability Shader
OpCapability Int64
OpExtension "SPV_KHR_non_semantic_info"
%1 = OpExtInstImport "GLSL.std.450"
%2 = OpExtInstImport "NonSemantic.Nobody.Knows"
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %3 "main" %4
OpExecutionMode %3 LocalSize 8 8 1
%5 = OpString "a \"quoted\" text
on two lines"
OpSourceExtension "GL_EXT_é"
OpName %3 "main"
OpMemberName %6 0 "first"
OpDecorate %4 BuiltIn GlobalInvocationId
OpMemberDecorate %6 0 Offset 16
%7 = OpTypeVoid
%8 = OpTypeFunction %7
%9 = OpTypeInt 32 0
%10 = OpTypeInt 64 1
%11 = OpTypeFloat 32
%12 = OpTypeVector %9 3
%13 = OpTypePointer Input %12
%4 = OpVariable %13 Input
%6 = OpTypeStruct %11
%14 = OpConstant %11 0.1
%15 = OpConstant %11 0x1.8p+128
%16 = OpConstant %10 -5000000000
%17 = OpSpecConstant %9 7
%18 = OpSpecConstantOp %9 IAdd %17 %17
%19 = OpConstantComposite %12 %17 %18 %17
%20 = OpSpecConstantOp %9 CompositeExtract %19 1
%21 = OpTypeImage %11 2D 0 0 0 1 Unknown
%22 = OpTypeSampledImage %21
%3 = OpFunction %7 None %8
%23 = OpLabel
%24 = OpExtInst %11 %1 FMax %14 %15
%25 = OpExtInst %7 %2 3 %5
OpSelectionMerge %26 Flatten
OpSwitch %16 %26 -1 %26 5000000000 %26
%26 = OpLabel
OpReturn
OpFunctionEnd
"#;

/// The words of the instructions, with ids renumbered in order of occurrence.
fn renumbered(binary: &Binary) -> Vec<u32> {
    let mut numbers = HashMap::new();
    let mut context = Context::for_words(binary.words().len());
    let mut decoded = Decoded::default();
    let mut out = Vec::new();
    for inst in binary.instructions() {
        context.decode(&inst, &mut decoded);
        let begin = out.len();
        out.extend_from_slice(inst.words);
        for operand in decoded.operands.iter().filter(|operand| operand.is_id()) {
            let fresh = numbers.len() as u32 + 1;
            out[begin + operand.at as usize] = *numbers.entry(operand.word(&inst)).or_insert(fresh);
        }
        context.note(&inst);
    }
    out
}

/// Checks the round trip of a module through text.
fn round_trip(binary: &Binary) -> Result<(), String> {
    let text = disassembly(binary, &DisOptions::default());
    let again = assemble(&text, &KEEP);
    if let Some(diag) = again.diags.first() {
        return Err(diag.to_string());
    }
    if again.words != binary.words() {
        let at = again.words.iter().zip(binary.words()).position(|(one, other)| one != other);
        return Err(format!("words differ at {at:?}"));
    }
    let friendly = assemble(&disassembly(binary, &FRIENDLY), &AsmOptions::default());
    if let Some(diag) = friendly.diags.first() {
        return Err(format!("friendly: {diag}"));
    }
    let (friendly, _) = Binary::from_words(friendly.words);
    let (one, other) = (renumbered(&friendly), renumbered(binary));
    match one == other {
        true => Ok(()),
        false => Err(format!("friendly: differs at {:?}", one.iter().zip(&other).position(|(a, b)| a != b))),
    }
}

#[test]
fn the_fixture_survives_a_round_trip_through_text() {
    let made = assemble(FIXTURE, &KEEP);
    assert_eq!(made.diags, []);
    let (binary, diags) = Binary::from_words(made.words);
    assert_eq!((diags, check(&binary)), (vec![], vec![]));
    assert_eq!(disassembly(&binary, &DisOptions::default()), FIXTURE);
    assert_eq!(round_trip(&binary), Ok(()));
    let friendly = disassembly(&binary, &DisOptions { friendly: true, ..DisOptions::default() });
    for part in [
        "%main = OpFunction %void None %8\n",
        "%float_0_1 = OpConstant %float 0.1\n",
        "%gl_GlobalInvocationID",
    ] {
        assert!(friendly.contains(part), "{part}\n{friendly}");
    }
}

#[test]
fn the_corpus_survives_a_round_trip_through_text() {
    let modules = modules();
    let mut bad = Vec::new();
    for item in &modules {
        let (binary, diags) = Binary::read(&item.bytes());
        let diagnostic = diags.iter().chain(&check(&binary)).map(ToString::to_string).next();
        if let Some(error) = diagnostic.or_else(|| round_trip(&binary).err()) {
            bad.push(format!("{}: {error}", item.file));
        }
    }
    println!("{} of {} modules are exact", modules.len() - bad.len(), modules.len());
    assert!(bad.is_empty(), "{}", bad.join("\n"));
}

#[test]
fn malformed_inputs_are_rejected() {
    for item in bad_inputs() {
        let (file, expected, bytes) = (&item.file, item.column("expected"), item.bytes());
        if file.ends_with(".spv") {
            let (binary, mut diags) = Binary::read(&bytes);
            diags.extend(check(&binary));
            let text = disassembly(&binary, &DisOptions::default());
            assert!(disassembly(&binary, &FRIENDLY).len() < 400 * bytes.len() + 4_000, "{file}");
            if binary.unread().is_empty() && binary.words().len() >= HEADER_WORDS && bytes.len() % 4 == 0 {
                let again = assemble(&text, &KEEP);
                assert_eq!(again.words[HEADER_WORDS..], binary.words()[HEADER_WORDS..], "{file}");
            }
            assert!(expected != "accept" || diags.is_empty(), "{file}: {diags:?}");
        } else if file.ends_with(".spvasm") {
            let text = String::from_utf8_lossy(&bytes);
            let made = assemble(&text, &AsmOptions::default());
            assert!(expected != "reject" || !made.diags.is_empty(), "{file}");
        } else {
            assert!(!assemble(&String::from_utf8_lossy(&bytes), &KEEP).diags.is_empty(), "{file}");
        }
    }
}

fn cases() -> usize {
    setting("VITRINE_CASES", 100_000)
}

/// Modules to damage: the fixture, and the small ones of the corpus.
fn seeds() -> Vec<Vec<u32>> {
    let mut seeds = vec![assemble(FIXTURE, &KEEP).words];
    seeds.extend(small_modules(300).iter().map(|bytes| Binary::read(bytes).0.words().to_vec()));
    seeds
}

#[test]
fn damaged_binaries_survive_a_round_trip_through_text() {
    let seeds = seeds();
    let mut dice = Random(0x9e37_79b9_7f4a_7c15);
    let odd = [0, 1, 0xffff_ffff, 0x0001_0000, 0xffff_0000, 0x8000_0000, 0x7fff_ffff, 0x0723_0203];
    for case in 0..cases() {
        let mut words = seeds[dice.below(seeds.len())].clone();
        for _ in 0..=dice.below(4) {
            let at = dice.below(words.len());
            match dice.below(6) {
                0 => words[at] = dice.pick(&odd),
                1 => words[at] ^= 1 << dice.below(32),
                2 => words[at] = words[dice.below(words.len())],
                3 => words.truncate(at.max(1)),
                4 => words.insert(at, dice.below(1_u32 << 31)),
                _ => drop(words.remove(at)),
            }
            if words.is_empty() {
                words.push(0);
            }
        }
        let mut bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
        bytes.truncate(bytes.len() - dice.below(4) / 3);
        let (binary, _) = Binary::read(&bytes);
        check(&binary);
        let text = disassembly(&binary, &DisOptions::default());
        disassembly(&binary, &FRIENDLY);
        let again = assemble(&text, &KEEP);
        if binary.unread().is_empty() && binary.words().len() >= HEADER_WORDS {
            assert_eq!(again.words[HEADER_WORDS..], binary.words()[HEADER_WORDS..], "case {case}\n{text}");
            assert_eq!(again.diags, [], "case {case}");
        }
    }
}

#[test]
fn damaged_texts_cause_no_panic() {
    let seeds: Vec<String> = seeds()
        .into_iter()
        .enumerate()
        .map(|(at, words)| {
            let options = if at % 2 == 0 { DisOptions::default() } else { FRIENDLY };
            disassembly(&Binary::from_words(words).0, &options)
        })
        .collect();
    let mut dice = Random(0x1234_5678_9abc_def1);
    let pieces = [
        "\"",
        "!",
        "%",
        "=",
        ";",
        "\n",
        "\\",
        "|",
        "-",
        "0x",
        "!0xffffffff",
        "1e999",
        "é",
        "\0",
        "Op",
        "OpSwitch ",
        "%1 = OpTypeInt 4294967295 1\n",
        "99999999999",
        " ",
        "OpExtInst %1 %2 ",
        "OpSpecConstantOp",
        "%4294967295",
    ];
    for _ in 0..cases() {
        let mut text = dice.pick(&seeds.iter().collect::<Vec<_>>()).clone();
        for _ in 0..=dice.below(4) {
            let mut at = dice.below(text.len() + 1);
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            match dice.below(4) {
                0 => text.insert_str(at, dice.pick(&pieces)),
                1 => text.truncate(at),
                2 if at < text.len() => drop(text.remove(at)),
                _ => {
                    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
                    let copy = text[line..at].to_owned();
                    text.insert_str(at, &copy);
                }
            }
        }
        let made = assemble(&text, if dice.below(2) == 0 { &KEEP } else { &FREE });
        for diag in &made.diags {
            let position = diag.place.expect("every error in a text has a position");
            assert!(
                (position.start + position.len) as usize <= text.len()
                    && position.line > 0
                    && position.column > 0
            );
        }
        let (binary, _) = Binary::from_words(made.words);
        disassembly(&binary, &DisOptions::default());
    }
}

const FREE: AsmOptions =
    AsmOptions { preserve_ids: false, read_header: false, version: (1, 0), generator: 0 };
