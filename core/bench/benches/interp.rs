//! Speed of the interpreter in invocation instructions per second. Budget: 20 million.
//!
//! Runs the loop below, and two shaders of the available corpus (`vitrine_bench::Corpus`).
#![allow(clippy::print_stdout)]

use std::time::Instant;
use vitrine_bench::Corpus;
use vitrine_core::front::spirv::read;
use vitrine_core::interp::{Inputs, run, seeded};
use vitrine_core::ir::Module;
use vitrine_core::pipeline::Pipeline;
use vitrine_core::text::parse;

fn main() {
    println!("{:<34} {:>14} {:>12} {:>10}", "", "component-inst", "ms", "M/s");
    let inputs = Inputs { groups: [64, 1, 1], ..Inputs::default() };
    measure("arithmetic in a loop", &parse(LOOP).module, &inputs);
    let items = Corpus::find().items();
    // The first two are in the large corpus, the others in the own corpus.
    let candidates =
        ["teaching/mandelbrot", "teaching/sphere-march", "control/while-loop", "control/for-nested"];
    let find = |name: &&str| items.iter().find(|item| item.file.strip_suffix(".spv") == Some(*name));
    for (name, item) in candidates.into_iter().filter_map(|name| Some((name, find(&name)?))) {
        let module = read(&std::fs::read(&item.path).expect("a module of the corpus")).module;
        let frame = Inputs { frame: [128, 128], rect: [0, 0, 128, 128], ..Inputs::default() };
        let inputs = if item.stage == "comp" { seeded(&module, 0, 1) } else { frame };
        measure(&format!("{name}, graph"), &module, &inputs);
        let optimized = Pipeline::parse("ingest, O1").and_then(|pipeline| pipeline.run(&module, None));
        if let Ok(module) = optimized {
            measure(&format!("{name}, ingest, O1"), &module, &inputs);
        }
    }
}

fn measure(name: &str, module: &Module, inputs: &Inputs) {
    let mut times = Vec::new();
    let mut work = 0;
    for _ in 0..5 {
        let start = Instant::now();
        match run(module, 0, inputs) {
            Ok(outcome) => work = outcome.work.1,
            Err(diag) => return println!("{name}: {diag}"),
        }
        times.push(start.elapsed());
    }
    times.sort();
    let median = times[times.len() / 2].as_secs_f64();
    println!("{name:<34} {work:>14} {:>12.2} {:>10.1}", median * 1e3, work as f64 / median / 1e6);
}

const LOOP: &str = r#"
in $0: u32 {builtin local_invocation_index}

entry compute "main" @0 ($0) {local_size 64 1 1}

func @0() tree {
^0:
  %0: path = deref.var $0
  %1: b32 = load %0
  %2: b32 = const 0
  %3: b32 = const 1
  %4: b32 = const 1000
  %5: b32 = u2f %1
  %6: b32 = const 0.5
  loop !0(%2, %5) {
  ^1(%7: b32, %8: b32):
    %9: b1 = ult %7, %4
    if !1 %9 {
    ^2:
      next
    } else {
    ^3:
      break !0
    }
  ^4:
    %10: b32 = fmul %8, %6
    %11: b32 = fadd %10, %5
    %12: b32 = fsub %11, %6
    %13: b32 = fmul %12, %12
    %14: b32 = fabs %13
    %15: b32 = fsqrt %14
    %16: b32 = iadd %7, %3
    next(%16, %15)
  }
^5:
  return
}
"#;
