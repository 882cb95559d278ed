//! Speed of reading and writing programs of shader models 1 to 3: words and text.
//!
//! Throughput counts bytes of words in every case. The goal is 25 MB/s for words.

use divan::Bencher;
use divan::counter::BytesCount;
use vitrine_core::d3d::sm1::{PrintOptions, Program, assemble, disassembly};

fn main() {
    divan::main();
}

/// A pixel shader with about twenty instructions for each copy, including a loop, a branch and texture lookups.
fn shader(copies: usize) -> String {
    let mut text = String::from("ps_3_0\ndef c0, 0.5, 1, -2.25, 0.333333343\ndefi i0, 8, 0, 1, 0\n");
    text.push_str("dcl_texcoord v0.xy\ndcl_color v1\ndcl_2d s0\n");
    for copy in 0..copies {
        let [a, b, c] = [copy % 13, 13 + copy % 7, 1 + copy % 200];
        text.push_str(&format!(
            "mov r{a}, c{c}\nmad_sat r{b}.xyz, -v1.zyxw, c{c}_abs.x, r{a}_abs\ntexld r{a}, v0, s0\ntexldl r20, r{b}, s0\n\
             dp4 r21.x, r{a}, c{c}\ndp3 r21.y, r{b}, c{c}\nrsq r21.z, r21.x\nmul r{b}, r21.z, r{b}\nrep i0\n  \
             add r{a}, r{a}, -r{b}.yzxw\n  if_lt r{a}.x, c0.y\n    max r22, r{a}, c0.w\n  else\n    min_pp r22.xw, r{a}, c0.z\n  endif\n  \
             break_ge r22.x, c0.x\nendrep\nsetp_gt p0.xy, r22, c0\n(p0.x) lrp r23, r22, r{a}, r{b}\n"
        ));
    }
    text.push_str("mov oC0, r23\n");
    text
}

/// The bytes of the program.
fn program(copies: usize) -> Vec<u8> {
    let made = assemble(&shader(copies));
    assert!(made.diags.is_empty(), "the shader of this benchmark is sound: {:?}", made.diags);
    made.words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

const COPIES: [usize; 3] = [5, 100, 2_000];

#[divan::bench(args = COPIES)]
fn read_words(bencher: Bencher<'_, '_>, copies: usize) {
    let bytes = program(copies);
    bencher.counter(BytesCount::of_slice(&bytes)).bench_local(|| Program::read(&bytes));
}

#[divan::bench(args = COPIES)]
fn write_words(bencher: Bencher<'_, '_>, copies: usize) {
    let bytes = program(copies);
    let (program, _) = Program::read(&bytes);
    bencher.counter(BytesCount::of_slice(&bytes)).bench_local(|| program.bytes());
}

#[divan::bench(args = COPIES)]
fn print(bencher: Bencher<'_, '_>, copies: usize) {
    let bytes = program(copies);
    let (program, _) = Program::read(&bytes);
    bencher
        .counter(BytesCount::of_slice(&bytes))
        .bench_local(|| disassembly(&program, &PrintOptions::default()));
}

#[divan::bench(args = COPIES)]
fn read_text(bencher: Bencher<'_, '_>, copies: usize) {
    let text = shader(copies);
    bencher.counter(BytesCount::of_slice(&program(copies))).bench_local(|| assemble(&text));
}
