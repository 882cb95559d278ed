//! Speed of printing, parsing, storing as bytes, validation and snapshots.
//!
//! Figures are medians over samples; throughput counts bytes of IR text, of the stored module, or instructions.

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use vitrine_core::ir::{Module, codec};
use vitrine_core::text::{Options, Plain, Printer, parse, print_module};
use vitrine_core::validate::validate;

fn main() {
    divan::main();
}

/// A compute shader of `copies` times about twenty instructions, including a loop and a branch.
fn shader(copies: usize) -> String {
    let mut text = String::from(
        "struct #Data_0 {block} {\n  items: [f32x4 step 16] {offset 0}\n}\n\n\
         storage $data_0: #Data_0 {set 0, binding 0}\n\n\
         entry compute \"main\" @main_0 ($data_0) {local_size 64 1 1}\n\n\
         func @main_0() tree {\n^0:\n  %0: b32 = const 0\n  %1: b32 = const 1\n  %2: path = deref.var $data_0\n  \
         %3: path = deref.field %2.0\n",
    );
    for copy in 0..copies {
        let [v, b, n] = [4 + 16 * copy, 1 + 7 * copy, 2 * copy];
        let value = |at: usize| v + at;
        text.push_str(&format!(
            "  %{}: path = deref.elem %3, %1\n  %{}: b32x4 = load %{} {{align 16}}\n",
            value(0),
            value(1),
            value(0)
        ));
        text.push_str(&format!("  %{}: b32x4 = fmul nsz %{}, %{}\n", value(2), value(1), value(1)));
        text.push_str(&format!("  %{}: b32x3 = swizzle %{}.xyz\n", value(3), value(2)));
        text.push_str(&format!("  %{}: b32 = const {}\n", value(4), copy % 97));
        text.push_str(&format!("  %{}: b32 = const {}.5\n", value(5), copy % 31));
        text.push_str(&format!("  %{}: b32 = fdot %{}, %{}\n", value(6), value(3), value(3)));
        text.push_str(&format!("  %{}: b1 = flt %{}, %{}\n", value(7), value(6), value(5)));
        text.push_str(&format!(
            "  loop !{n}(%{}, %0) {{\n  ^{b}(%{}: b32, %i_{}: b32):\n",
            value(6),
            value(8),
            value(9)
        ));
        text.push_str(&format!("    %{}: b1 = ult %{}, %{}\n", value(10), value(9), value(4)));
        text.push_str(&format!("    if !{} %{} {{\n    ^{}:\n", n + 1, value(10), b + 1));
        text.push_str(&format!(
            "      %{}: b32 = fadd %{}, %{}\n      next(%{})\n",
            value(11),
            value(8),
            value(5),
            value(11)
        ));
        text.push_str(&format!("    }} else {{\n    ^{}:\n      break !{n}(%{})\n    }}\n", b + 2, value(8)));
        text.push_str(&format!(
            "  ^{}(%{}: b32):\n    %{}: b32 = iadd %{}, %1\n",
            b + 3,
            value(12),
            value(13),
            value(9)
        ));
        text.push_str(&format!(
            "    next(%{}, %{})\n  }}\n^{}(%{}: b32):\n",
            value(12),
            value(13),
            b + 4,
            value(14)
        ));
        text.push_str(&format!("  %{} = store %{}, %{} {{align 16}}\n", value(15), value(0), value(2)));
    }
    text.push_str("  return\n}\n");
    text
}

fn module(copies: usize) -> Module {
    let parsed = parse(&shader(copies));
    assert_eq!(parsed.diags, [], "the shader of this benchmark parses");
    assert_eq!(validate(&parsed.module), [], "and is valid");
    parsed.module
}

const COPIES: [usize; 3] = [50, 600, 6_000];

#[divan::bench(args = COPIES)]
fn read(bencher: Bencher<'_, '_>, copies: usize) {
    let text = shader(copies);
    bencher.counter(BytesCount::of_str(&text)).bench_local(|| parse(&text));
}

#[divan::bench(args = COPIES)]
fn print(bencher: Bencher<'_, '_>, copies: usize) {
    let module = module(copies);
    bencher.counter(BytesCount::of_str(&print_module(&module))).bench_local(|| {
        let mut out = Plain::new();
        Printer::new(&module, Options::default(), &mut out).module();
        out.finish()
    });
}

#[divan::bench(args = COPIES)]
fn encode(bencher: Bencher<'_, '_>, copies: usize) {
    let module = module(copies);
    bencher.counter(BytesCount::new(codec::encode(&module).len())).bench_local(|| codec::encode(&module));
}

#[divan::bench(args = COPIES)]
fn decode(bencher: Bencher<'_, '_>, copies: usize) {
    let bytes = codec::encode(&module(copies));
    bencher.counter(BytesCount::new(bytes.len())).bench_local(|| codec::decode(&bytes));
}

#[divan::bench(args = COPIES)]
fn check(bencher: Bencher<'_, '_>, copies: usize) {
    let module = module(copies);
    let insts: usize = module.funcs().map(|(_, body)| body.inst_count()).sum();
    bencher.counter(ItemsCount::new(insts)).bench_local(|| validate(&module));
}

/// A snapshot of a module with a function of about 8,000 instructions.
#[divan::bench]
fn snapshot(bencher: Bencher<'_, '_>) {
    let module = module(600);
    let (_, body) = module.funcs().next().expect("the shader has a function");
    bencher.bench_local(|| (module.clone(), body.clone()));
}
