//! Damaged programs of shader models 1 to 3, as words and as text: no panic, an end, bounded memory.
//!
//! `VITRINE_MUTATIONS` sets the number of damaged inputs. Words of a damaged program survive decoding, and its text
//! assembles to the same words. Some of them become modules of the IR, too.
#![allow(clippy::print_stdout)]

use crate::d3d9::{folder, modules};
use crate::testing::corpus::damage;
use crate::testing::mutate::mutate;
use crate::testing::random::rng::Rng;
use crate::testing::settings::setting;
use std::time::{Duration, Instant};
use vitrine_core::base::random::Random;
use vitrine_core::d3d::container;
use vitrine_core::d3d::sm1::{ConstantTable, PrintOptions, Program, assemble, disassembly, listing};
use vitrine_core::front;
use vitrine_core::ir::Level;
use vitrine_core::validate::validate;

/// Bytes of a result for each byte of the input.
const MOST_EXPANSION: usize = 50;

/// Programs of every shader model, with flow, predicates, relative addresses, comments and every kind of definition.
const OWN: &[&str] = &[
    "vs_1_1\ndcl_position v0\ndcl_normal v3\nmov a0.x, v0.x\nadd r0, v0, c[a0.x + 12]\nm4x4 oPos, r0, c0\nlit oD0, v3\nmov oFog, c4.x\nmov oT0.xy, v0\n",
    "ps_1_1\ndef c0, 0.5, 1, 0, -1\ntex t0\ntexbem t1, t0_bx2\nmul_x2_sat r0.xyz, t0, v0\n+ mov r0.w, c0\ncnd r0, r0.w, c0, t1\n",
    "ps_1_4\ntexcrd r0.xyz, t0_dz\ntexld r1, t1\nphase\ntexld r2, r0\nmul_x8_sat r0.xyz, r1_bx2, 1-r2\n+ add_d2 r0.w, r1_bias, -r2_x2\n",
    "vs_2_0\ndefi i0, 4, 0, 1, 0\ndefb b0, true\ndcl_position v0\nmova a0.xy, v0\nmov r0, c3[a0.y]\nloop aL, i0\n  add r0, r0, c8[aL]\nendloop\nif b0\n  call l0\nendif\nmov oPos, r0\nret\nlabel l0\nmul r0, r0, c1\nret\n",
    "ps_2_x\ndcl_2d s0\ndcl t0.xy\ndcl v0\nsetp_gt p0.xy, v0, c0\n(p0.x) mov r0, c1\n(!p0) texld r0, t0, s0\ntexldd r1, t0, s0, v0, c2\ndp2add r0.x, r0, r1, c0.x\ntexkill r1\nmov_pp oC0, r0\nmov oDepth, r0.x\n",
    "ps_3_0\n.comment 0x42415443 0x0000001c 0x00000000 0xffff0300 0x00000001 0x0000001c 0x00000000 0x00000000 \\\n    0x00000040 0x00000002 0x00000001 0x00000030 0x00000000 0x00030001 0x00040001 0x00000001 \\\n    0x00000000 0x006d0075\n\
     def c2, 1, -0.5, 1e-10, 3.4028235e38\ndcl_texcoord5_centroid v0.xy\ndcl_cube s1\ndcl vPos.xy\ndcl vFace\nloop aL, i0\n  mad_sat_pp r0.xz, -v0[aL].x, c5_abs.wzyx, -r1_abs\n  break_ne c0.x, -c0.x\nendloop\n\
     rep i1\n  if_lt r0.x, c0.y\n    texldp r1, r0, s1\n  else\n    texldl oC0, r0, s1\n  endif\nendrep\nbreakp p0.x\ncallnz l1, !p0.x\nsincos r1.xy, vFace\nret\nlabel l1\nmov oC1, vPos\nret\n",
    "vs_3_0\ndcl_position v0\ndcl_texcoord15 v15\ndcl_position o0\ndcl_texcoord o1.xy\ndcl_2d s0\nrep i0\n  texldl r0, v15, s0\n  break\nendrep\nmov o0, v0[a0.x]\nmov o1[aL], r0\nnrm r1.xyz, r0\npow r1.w, r0.x, -r1.y\n",
];

fn bytes_of(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

/// The bytes of the own programs, and of small ones of the corpus, if present.
#[track_caller]
fn inputs() -> Vec<Vec<u8>> {
    let own = OWN.iter().map(|text| {
        let made = assemble(text);
        assert!(made.diags.is_empty(), "{:?}\n{text}", made.diags);
        bytes_of(&made.words)
    });
    let mut all: Vec<Vec<u8>> = own.collect();
    if let Some(folder) = folder() {
        let small = modules(&folder).into_iter().map(|(_, bytes)| bytes);
        all.extend(small.filter(|bytes| bytes.len() < 1500));
    }
    all
}

/// Damages words: bits, changed and removed words, truncation; swapped words; changed lengths of instructions and
/// comments.
fn damage_words(bytes: &mut Vec<u8>, random: &mut Random) {
    let words = bytes.len() / 4;
    match random.below(4) {
        0 | 1 => damage(bytes, random),
        2 => {
            let [one, two] = [0; 2].map(|_| 4 * random.below(words));
            for at in 0..if one.max(two) + 4 <= bytes.len() { 4 } else { 0 } {
                bytes.swap(one + at, two + at);
            }
        }
        _ => {
            // The length of an instruction is in bits 27:24, that of a comment in bits 30:16.
            let high = 4 * random.below(words) + 3;
            if let Some(byte) = bytes.get_mut(high) {
                *byte = *byte & 0xf0 | random.below(16_u8);
            }
            if let Some(byte) = bytes.get_mut(high - 1).filter(|_| random.one_in(4)) {
                *byte = random.next() as u8;
            }
        }
    }
}

/// Runs a check on an input, and reports a panic with the file that has the input. Returns the time, which is printed and
/// never judged: the machine may be busy.
fn survive(number: usize, input: &[u8], check: impl Fn() + std::panic::RefUnwindSafe) -> Duration {
    let start = Instant::now();
    let outcome = std::panic::catch_unwind(&check);
    let time = start.elapsed();
    if outcome.is_err() {
        let file = std::env::temp_dir().join("vitrine-d3d9-damage");
        std::fs::write(&file, input).expect("the input can be kept");
        panic!("mutation {number} fails; it is in {}", file.display());
    }
    time
}

/// Decodes words, and checks that nothing is lost in either form.
fn check_words(bytes: &[u8]) {
    let (program, diags) = Program::read(bytes);
    assert!(diags.len() <= 101);
    assert_eq!(program.bytes(), bytes, "encoding gives the words back");
    if program.version.is_none() {
        return;
    }
    let text = disassembly(&program, &PrintOptions::default());
    assert!(text.len() <= MOST_EXPANSION * bytes.len() + 200, "{} bytes of text", text.len());
    let made = assemble(&text);
    assert!(made.diags.is_empty(), "{:?}\n{text}", made.diags);
    assert_eq!(made.words, program.words(), "{text}");
    program.slots();
    if let Some((table, diags)) = program.constants() {
        check_table(&table, diags.is_empty());
    }
}

/// Reads an input as a module, and validates a module that was read without errors.
fn check_module(input: &[u8]) {
    let (_, read) = front::read(input);
    if read.is_sound() {
        let wrong = validate(&read.module).into_iter().find(|diag| diag.level == Level::Error);
        assert!(wrong.is_none(), "{wrong:?}");
    }
}

/// Writes a table, and reads it as the same one if it is sound.
fn check_table(table: &ConstantTable, is_sound: bool) {
    assert!(listing(table).lines().all(|line| line.is_empty() || line.starts_with("//")));
    let Ok(words) = table.comment() else { return };
    let (again, diags) = ConstantTable::read(&words[1..], 3);
    if is_sound {
        assert!(diags.is_empty(), "{diags:?}");
        assert_eq!(&again, table);
    }
}

#[test]
fn damaged_words_are_decoded_and_printed() {
    let inputs = inputs();
    let count = setting("VITRINE_MUTATIONS", 20_000_usize);
    let mut random = Random(2109);
    let mut slowest = Duration::ZERO;
    for number in 0..count {
        let mut bytes = inputs[random.below(inputs.len())].clone();
        (0..1 + random.below(3)).for_each(|_| damage_words(&mut bytes, &mut random));
        slowest = slowest.max(survive(number, &bytes, || {
            check_words(&bytes);
            if number % 8 == 0 {
                check_module(&bytes);
            }
        }));
    }
    println!("{count} mutations of {} programs, the slowest took {slowest:?}", inputs.len());
}

#[test]
fn damaged_text_is_assembled() {
    let texts: Vec<String> = inputs()
        .iter()
        .map(|bytes| disassembly(&Program::read(bytes).0, &PrintOptions::default()))
        .chain(OWN.iter().map(|&text| text.to_owned()))
        .collect();
    let count = setting("VITRINE_MUTATIONS", 20_000_usize);
    let mut rng = Rng::new(2110);
    let mut slowest = Duration::ZERO;
    let mut sound = 0;
    for number in 0..count {
        let mut text = rng.pick(&texts).clone();
        if rng.one_in(3) {
            text = change_letter(&mut rng, &text);
        } else {
            text = mutate(&mut rng, &text);
        }
        sound += usize::from(assemble(&text).diags.is_empty());
        slowest = slowest.max(survive(number, text.as_bytes(), || {
            let made = assemble(&text);
            assert!(made.diags.len() <= 101);
            assert!(4 * made.words.len() <= MOST_EXPANSION * text.len() + 200);
            if !made.words.is_empty() {
                check_words(&bytes_of(&made.words));
            }
            if number % 8 == 0 {
                check_module(text.as_bytes());
            }
        }));
    }
    assert!(sound > count / 100 && sound < count, "{sound} of {count} texts assemble");
    println!("{count} mutations of {} texts, the slowest took {slowest:?}", texts.len());
}

/// Replaces a character by one that spellings have.
fn change_letter(rng: &mut Rng, text: &str) -> String {
    let letters = b"acdeilnoprstvxyzw0123456789_.,-+[]()! \n\\";
    let mut bytes = text.as_bytes().to_vec();
    let at = rng.below(bytes.len());
    if let Some(byte) = bytes.get_mut(at) {
        *byte = *rng.pick(letters);
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_tables_of_constants_are_read() {
    let tables: Vec<Vec<u8>> = inputs()
        .iter()
        .filter_map(|bytes| Program::read(bytes).0.comment(b"CTAB").map(|(_, words)| bytes_of(words)))
        .collect();
    assert!(!tables.is_empty());
    let count = setting("VITRINE_MUTATIONS", 20_000_usize);
    let mut random = Random(2111);
    let mut slowest = Duration::ZERO;
    for number in 0..count {
        let mut bytes = tables[random.below(tables.len())].clone();
        (0..1 + random.below(4)).for_each(|_| damage(&mut bytes, &mut random));
        slowest = slowest.max(survive(number, &bytes, || {
            let words: Vec<u32> = bytes
                .chunks_exact(4)
                .map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
                .collect();
            let (table, diags) = ConstantTable::read(&words, 0);
            check_table(&table, diags.is_empty());
        }));
    }
    println!("{count} mutations of {} tables, the slowest took {slowest:?}", tables.len());
}

#[test]
fn damaged_containers_are_opened() {
    let program = inputs().swap_remove(4);
    let mut whole = b"DXBC".to_vec();
    whole.extend([0; 16]);
    let size = 36 + 8 + 8 + program.len();
    let words = [1, size as u32, 1, 36, u32::from_le_bytes(*b"Aon9"), 8 + program.len() as u32, 7, 7];
    whole.extend(bytes_of(&words));
    whole.extend(&program);
    assert_eq!(container::level_9(&whole).map(|(_, inside)| inside), Some(&program[..]));
    let count = setting("VITRINE_MUTATIONS", 20_000_usize);
    let mut random = Random(2112);
    for number in 0..count {
        let mut bytes = whole.clone();
        damage_words(&mut bytes, &mut random);
        survive(number, &bytes, || {
            container::parts(&bytes);
            if let Some((at, inside)) = container::level_9(&bytes) {
                assert_eq!(&bytes[at..at + inside.len()], inside);
            }
        });
    }
}
