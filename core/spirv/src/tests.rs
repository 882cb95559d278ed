//! Properties of the tables and of literals; small texts with their words and errors.

use super::*;
use vitrine_ir::Diags;

fn asm(text: &str) -> Assembled {
    assemble(text, &AsmOptions { preserve_ids: true, ..AsmOptions::default() })
}

/// The words of the instructions of a text that has no errors.
fn words(text: &str) -> Vec<u32> {
    let assembled = asm(text);
    assert!(assembled.diags.is_empty(), "{text}: {:?}", messages(&assembled.diags));
    assembled.words[HEADER_WORDS..].to_vec()
}

fn messages(diags: &Diags) -> Vec<String> {
    diags.iter().map(ToString::to_string).collect()
}

/// A module of these words after a header, as text without header.
fn dis(words: &[u32]) -> String {
    let all = [&[MAGIC, 0x0001_0600, 0, 100, 0], words].concat();
    let (binary, _) = Binary::from_words(all);
    disassembly(&binary, &DisOptions { header: false, ..DisOptions::default() })
}

#[test]
fn every_name_of_an_instruction_reads_back() {
    let mut count = 0;
    for info in (0..=u16::MAX).filter_map(op) {
        assert_eq!(op_named(&info.name[2..]).map(|found| found.opcode), Some(info.opcode), "{}", info.name);
        count += 1;
    }
    assert!(count > 800, "{count}");
    for number in 0..=u16::MAX {
        let known = spec::Op::from_u32(number.into()).map(|known| format!("Op{known:?}"));
        assert_eq!(known, op(number).map(|info| info.name.clone()));
    }
    assert_eq!(op_named("DecorateStringGOOGLE").map(|info| &*info.name), Some("OpDecorateString"));
}

#[test]
fn every_name_of_an_enumerant_reads_back() {
    let mut kinds = std::collections::HashSet::new();
    let lists = (0..=u16::MAX).filter_map(op).flat_map(|info| info.operands);
    let mut count = 0;
    for kind in lists.map(|operand| operand.kind) {
        let Some(table) = enumerants(kind).filter(|_| kinds.insert(kind)) else { continue };
        for name in table.names() {
            let value = table.value(name).unwrap_or_else(|| panic!("{kind:?} {name}"));
            assert_eq!(table.name(value), Some(name), "{kind:?}");
            count += 1;
        }
    }
    assert!(count > 700, "{count}");
}

#[test]
fn enumerants_have_their_parameters_in_order_of_bits() {
    // Bias and MinLod take an id each, Grad takes two.
    let text = "%3 = OpImageSampleImplicitLod %1 %4 %5 Bias|Grad|MinLod %6 %7 %8 %9";
    assert_eq!(dis(&words(text)), format!("{text}\n"));
    let text = "OpDecorate %1 LinkageAttributes \"f\" Import\nOpDecorate %1 BuiltIn Position";
    assert_eq!(dis(&words(text)), format!("{text}\n"));
}

#[test]
fn names_that_share_a_number_read_alike() {
    let one = "OpMemoryModel PhysicalStorageBuffer64EXT VulkanKHR\nOpTerminateInvocation";
    let other = "OpMemoryModel PhysicalStorageBuffer64 Vulkan\nOpTerminateInvocation";
    assert_eq!(words(one), words(other));
    assert_eq!(words("OpMemoryBarrier %1 %2"), words("OpMemoryBarrier\n  %1 ; comment\n  %2"));
    let one = "OpStore %1 %2 MakePointerAvailableKHR|NonPrivatePointerKHR %3";
    assert_eq!(words(one), words("OpStore %1 %2 MakePointerAvailable|NonPrivatePointer %3"));
    assert_eq!(words("%1 = OpTypeImage %2 2D 0 0 0 1 Unknown")[3], 1);
}

#[test]
fn numbers_read_back_to_the_same_bits() {
    let mut state = 1_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let corners =
        [0, 1, 0x7f, 0x80, 0x8000, 0x7c00, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7f80_0001, 1 << 63];
    for (form, widths) in [
        (NumberForm::Unsigned, &[1, 7, 8, 16, 31, 32, 33, 64][..]),
        (NumberForm::Signed, &[1, 7, 8, 16, 31, 32, 33, 64]),
        (NumberForm::Float, &[16, 32, 64]),
        (NumberForm::BFloat, &[16]),
    ] {
        for &width in widths {
            let number = Number { width, form };
            for at in 0..20_000 {
                let bits = corners.get(at).copied().unwrap_or_else(|| next() >> (next() % 64));
                let shift = 64 - width;
                let bits = match form {
                    NumberForm::Signed => ((bits << shift) as i64 >> shift) as u64,
                    _ => bits << shift >> shift,
                };
                let all = [bits as u32, (bits >> 32) as u32];
                let words = &all[..number.words()];
                let mut text = String::new();
                assert!(number.spell(words, &mut text), "{number:?} {bits:x}");
                let read = number.read(&text).unwrap_or_else(|what| panic!("{number:?} {text} {what}"));
                assert_eq!(read.as_slice(), words, "{number:?} {text}");
            }
        }
    }
}

#[test]
fn floats_are_spelled_as_people_do() {
    let spelled = |bits: u32| {
        let mut out = String::new();
        assert!(Number { width: 32, form: NumberForm::Float }.spell(&[bits], &mut out));
        out
    };
    for (value, text) in [(0.1_f32, "0.1"), (1.0, "1"), (-0.0, "-0"), (1e30, "1e30"), (1.5e-7, "1.5e-7")] {
        assert_eq!(spelled(value.to_bits()), text);
    }
    for (bits, text) in [(0x7f80_0000, "0x1p+128"), (0xffc0_0000, "-0x1.8p+128"), (1, "0x1p-149")] {
        assert_eq!(spelled(bits), text);
    }
}

#[test]
fn literals_are_as_wide_as_their_type() {
    let types = "%1 = OpTypeInt 64 1\n%2 = OpTypeInt 16 1\n%3 = OpTypeFloat 64\n%4 = OpTypeFloat 16\n";
    let body = "%5 = OpConstant %1 -2\n%6 = OpConstant %2 -3\n%7 = OpConstant %3 0.5\n%8 = OpConstant %4 -1.5\n\
                OpSwitch %5 %9 -1 %10 5000000000 %11\nOpSwitch %6 %9 -1 %10\n";
    let text = format!("{types}{body}");
    let words = words(&text);
    assert_eq!(dis(&words), text);
    assert!(words.ends_with(&[6, 9, u32::MAX, 10]));
    assert_eq!(words.iter().filter(|&&word| word == 5_000_000_000_u64 as u32).count(), 1);
}

#[test]
fn what_has_no_spelling_stands_as_words() {
    for (words, text) in [
        (&[0x0002_0011, 0x1234][..], "OpCapability !0x00001234\n"),
        (&[0x0003_fff0, 1, 2], "!0x0003fff0 !0x00000001 !0x00000002\n"),
        (&[0x0002_0000, 9], "!0x00020000 !0x00000009\n"),
        (&[0x0004_0005, 1, 0x6161_6161, 0], "OpName %1 \"aaaa\"\n"),
        (&[0x0003_0005, 1, 0x6161_6161], "OpName %1 !0x61616161\n"),
        (&[0x0003_0005, 1, 0x6100_6161], "OpName %1 !0x61006161\n"),
        (&[0x0003_0005, 1, 0x001b_6161], "OpName %1 !0x001b6161\n"),
        (&[0x0003_0005, 1, 0x0000_ff61], "OpName %1 !0x0000ff61\n"),
        (&[0x0002_0013, 1, 0x0002_0014, 2], "%1 = OpTypeVoid\n%2 = OpTypeBool\n"),
        (&[0x0003_0013, 1, 7], "!0x00030013 !0x00000001 !0x00000007\n"),
        (&[0x0004_0016, 1, 32, 9], "%1 = OpTypeFloat 32 !0x00000009\n"),
        (&[0x0004_0007, 1, 0x6261, 3], "%1 = OpString !0x00006261 !0x00000003\n"),
        (&[0x0005_0034, 1, 2, 3, 4], "%2 = OpSpecConstantOp %1 !0x00000003 !0x00000004\n"),
        (&[0x0006_000c, 1, 2, 3, 9999, 4], "%2 = OpExtInst %1 %3 !0x0000270f %4\n"),
        (&[0x0002_003d, 1], "!0x0002003d !0x00000001\n"),
        (
            &[0x0006_00f7, 1, 0x8000_0001, 5, 6, 7],
            "OpSelectionMerge %1 !0x80000001 !0x00000005 !0x00000006 !0x00000007\n",
        ),
    ] {
        assert_eq!(dis(words), text);
        assert_eq!(self::words(text), words, "{text}");
    }
}

#[test]
fn texts_keep_quotes_and_line_breaks() {
    let text = "%1 = OpString \"a \\\"b\\\" \\\\ ; %2\r\n  = Opé\"\n";
    assert_eq!(dis(&words(text)), text);
    assert_eq!(words("%1 = OpString \"\\n\""), words("%1 = OpString \"n\""));
}

#[test]
fn ids_get_numbers_in_the_order_of_words() {
    let text = "%a = OpConstant %int 7\n%9 = OpTypeBool\n%b = OpTypeVoid";
    let plain = assemble(text, &AsmOptions::default());
    assert_eq!(plain.words[HEADER_WORDS..], [0x0004_002b, 1, 2, 7, 0x0002_0014, 3, 0x0002_0013, 4]);
    assert_eq!(plain.words[3], 5);
    let kept = asm("%3 = OpTypeBool\n%a = OpTypeVoid\n%1 = OpTypeFloat 32\n%b = OpTypeVoid\n%c = OpTypeVoid");
    let ids: Vec<u32> = Binary::from_words(kept.words).0.instructions().map(|inst| inst.words[1]).collect();
    assert_eq!(ids, [3, 2, 1, 4, 5]);
}

#[test]
fn every_error_has_its_place_and_the_rest_is_assembled() {
    let text = "OpCapability Shadr\nOpMemoryModel Logical\n  %1 = OpTypeFlot 32\nOpTypeVoid\n%2 = OpNop\n\
                %3 = OpTypeInt 32 0 9\n%4 = OpTypeInt 32 0\n%5 = OpConstant %4 -1\nfoo bar\n%6 = OpTypeBool\n\
                OpName %6 \"open\n%7 = OpTypeVoid";
    let assembled = asm(text);
    assert_eq!(
        messages(&assembled.diags),
        [
            "error[S128] 1:14: `Shadr` is not a known Capability; did you mean `Shader`?",
            "error[S124] 2:1: OpMemoryModel ends before its MemoryModel",
            "error[S121] 3:8: `OpTypeFlot` is not a known instruction; did you mean `OpTypeFloat`?",
            "error[S122] 4:1: OpTypeVoid has a result that needs an id; write `%name = OpTypeVoid`",
            "error[S122] 5:1: OpNop has no result to be named %2; write `OpNop` alone",
            "error[S124] 6:21: OpTypeInt has no further operands, but `9` follows; an instruction begins with `Op` or `%name =`",
            "error[S125] 8:20: `-1` does not fit in 32 bits, unsigned; write the words as `!0x…`",
            "error[S121] 9:1: `foo` does not begin an instruction; an instruction begins with `Op` or `%name =`",
            "error[S127] 11:11: the string is not terminated; end it with `\"`",
        ]
    );
    let left: Vec<u16> =
        Binary::from_words(assembled.words).0.instructions().map(|inst| inst.opcode).collect();
    assert_eq!(left, [21, 20, 19]);
    let [int, ..] = assembled.lines[..] else { panic!() };
    assert_eq!(&text[int.start as usize..(int.start + int.len) as usize], "%4 = OpTypeInt 32 0");
}

#[test]
fn the_header_goes_through_comments() {
    let words = [MAGIC, 0x0001_0300, 0x0008_000b, 77, 3, 0x0001_0000];
    let (binary, _) = Binary::from_words(words.to_vec());
    let text = disassembly(&binary, &DisOptions::default());
    assert!(text.starts_with(
        "; SPIR-V\n; Version: 1.3\n; Generator: Khronos Glslang Reference Front End; 11\n; Bound: 77\n; Schema: 3\n"
    ));
    assert_eq!(asm(&text).words, words);
    for number in [0, 7, 45, 46, 999, u16::MAX] {
        assert_eq!(tool_number(&tool_name(number)), Some(number));
    }
}

#[test]
fn damage_is_reported_where_it_is_and_the_rest_stays() {
    let big: Vec<u8> =
        [MAGIC, 0x0001_0000, 0, 9, 0, 0x0001_0000].iter().flat_map(|word| word.to_be_bytes()).collect();
    let (binary, diags) = Binary::read(&big);
    assert!(diags.is_empty() && binary.instructions().count() == 1);
    for (cut, at, left) in [(23, 5, 0), (20, 0, 0), (3, 0, 0), (0, 0, 0)] {
        let (binary, diags) = Binary::read(&big[..cut]);
        assert_eq!(binary.instructions().count(), left);
        assert!(diags.first().is_none_or(|diag| diag.at == vitrine_ir::Anchor::Word(at)), "{diags:?}");
        assert_eq!(diags.is_empty(), cut == 20);
    }
    let (binary, diags) = Binary::from_words(vec![MAGIC, 0x0001_0000, 0, 9, 0, 0x0001_0000, 0x0000_0001, 7]);
    assert_eq!(
        messages(&diags),
        ["error[S104]: the instruction 0x00000001 has a length of 0 words; \
         the length is the upper half of its first word; nothing after it can be read"]
    );
    assert_eq!((binary.instructions().count(), binary.unread()), (1, &[1, 7][..]));
    let (binary, _) = Binary::from_words(vec![
        MAGIC,
        0x0001_0000,
        0,
        9,
        0,
        0x0002_003d,
        7,
        0x0002_0013,
        12,
        0x0002_0011,
        99,
    ]);
    assert_eq!(messages(&check(&binary)).len(), 3, "{:?}", messages(&check(&binary)));
}

#[test]
fn friendly_names_are_unique_and_short() {
    let text = "OpName %1 \"a b\"\nOpName %2 \"a_b\"\nOpName %9 \"4\"\n%3 = OpTypeFloat 32\n%4 = OpTypeVector %3 4\n\
                %5 = OpTypePointer Function %4\n%6 = OpConstant %3 -0.5\n%1 = OpTypeStruct %3\n%2 = OpTypeStruct %6";
    let (binary, _) = Binary::from_words(asm(text).words);
    let names = Names::of(&binary);
    let all: Vec<&str> = (1..=9).filter_map(|id| names.get(id)).collect();
    assert_eq!(all, ["a_b", "a_b_0", "float", "v4float", "_ptr_Function_v4float", "float_n0_5", "4"]);
    let mut text = "%1 = OpTypeVoid\n".to_owned();
    (2..4_000).for_each(|id| text += &format!("%{id} = OpTypeRuntimeArray %{}\n", id - 1));
    let (binary, _) = Binary::from_words(asm(&text).words);
    let friendly = disassembly(&binary, &DisOptions { friendly: true, ..DisOptions::default() });
    assert!(friendly.len() < 400 * 4_000);
    assert_eq!(
        assemble(&friendly, &AsmOptions::default()).words[HEADER_WORDS..],
        binary.words()[HEADER_WORDS..]
    );
}
