//! Passes over untyped pointers, on random programs that access memory: stored values do not change.
//!
//! `VITRINE_CASES=6000` runs more.
#![allow(clippy::print_stdout)] // the counts of changes are output

use crate::testing::settings::setting;
use crate::testing::texts::module;
use std::fmt::Write;
use vitrine_core::base::random::Random;
use vitrine_core::ir::Module;
use vitrine_core::lab::check::{Expected, Tolerance, trials};
use vitrine_core::pipeline::{Outcome, PASSES, Pipeline, Settings};
use vitrine_core::text::{parse, print_module};

/// Pipelines with the tested passes and the passes they depend on.
const PIPELINES: &[&str] = &[
    "qptr-analyze",
    "qptr-fold-offsets",
    "qptr-fold-offsets, cse, qptr-fold-offsets, dce",
    "qptr-forward",
    "qptr-fold-offsets, qptr-forward, cse, qptr-forward, dce",
    "structurize, qptr-fold-offsets, qptr-forward, qptr-analyze",
    "qptr-dead-stores",
    "qptr-fold-offsets, qptr-forward, qptr-dead-stores, dce, qptr-dead-stores",
    "load-store-vectorize{scalar}",
    "qptr-legalize",
    "qptr-legalize, qptr-lift",
    "qptr-fold-offsets, qptr-legalize, qptr-lift",
    "qptr-fold-offsets, cse, load-store-vectorize{aligned}, qptr-forward, qptr-dead-stores",
];

/// Sizes of the buffer and of the other variables, in bytes.
const BYTES: [i64; 3] = [256, 64, 64];

/// A program under construction. The byte range of each pointer is tracked, so that accesses are in bounds.
struct Program {
    random: Random,
    text: String,
    next: usize,
    /// Pointers: number, variable, smallest and largest byte offset.
    pointers: Vec<(usize, usize, i64, i64)>,
    /// Indices: number, smallest and largest value.
    indices: Vec<(usize, i64, i64)>,
    values: Vec<usize>,
}

impl Program {
    fn line(&mut self, ty: &str, definition: &str) -> usize {
        let id = self.next;
        self.next += 1;
        let _ = writeln!(self.text, "  %{id}: {ty} = {definition}");
        id
    }

    fn constant(&mut self, number: i64) -> usize {
        self.line("b32", &format!("const {number}"))
    }

    /// A pointer at an offset from another one, if it is in bounds.
    fn step(&mut self) {
        let (from, memory, least, most) = self.random_pointer();
        let inside = |least: i64, most: i64| least >= 0 && most <= BYTES[memory] - 4;
        match self.random.below(8) {
            0..3 => {
                let bytes = (self.random.below(13) - 6) * 4;
                if inside(least + bytes, most + bytes) {
                    let id = self.line("ptr", &format!("ptr.offset %{from} {{offset {bytes}}}"));
                    self.pointers.push((id, memory, least + bytes, most + bytes));
                }
            }
            3..7 => {
                let index = self.random.below(self.indices.len() as i64) as usize;
                let (index, low, high) = self.indices[index];
                let stride = self.random.pick(&[4, 8, 16]);
                if !inside(least + low * stride, most + high * stride) {
                    return;
                }
                let range = if low >= 0 && self.random.below(2) == 0 {
                    format!(", range {}", (high + 1 + self.random.below(2)) * stride)
                } else {
                    String::new()
                };
                let id =
                    self.line("ptr", &format!("ptr.dyn_offset %{from}, %{index} {{stride {stride}{range}}}"));
                self.pointers.push((id, memory, least + low * stride, most + high * stride));
            }
            _ => {
                let (other, of, low, high) = self.random_pointer();
                let index = self.random.pick(&self.indices.clone()).0;
                let zero = self.constant(1);
                let cond = self.line("b1", &format!("ilt %{index}, %{zero}"));
                if of == memory {
                    let id = self.line("ptr", &format!("choose %{cond}, %{from}, %{other}"));
                    self.pointers.push((id, memory, least.min(low), most.max(high)));
                }
            }
        }
    }

    fn random_pointer(&mut self) -> (usize, usize, i64, i64) {
        // Prefers late pointers, which makes chains.
        let count = self.pointers.len() as i64;
        let back = self.random.below(count).min(self.random.below(count));
        self.pointers[(count - 1 - back) as usize]
    }

    fn index(&mut self) {
        let (from, low, high) = self.random.pick(&self.indices.clone());
        let more = self.random.below(9) - 4;
        let constant = self.constant(more);
        let id = self.line("b32", &format!("iadd %{from}, %{constant}"));
        self.indices.push((id, low + more, high + more));
    }

    fn access(&mut self) {
        let (at, memory, least, most) = self.random_pointer();
        let bytes = (self.random.below(9) - 4) * 4;
        let components = self.random.pick(&[1, 1, 2, 4]);
        if least + bytes < 0 || most + bytes + 4 * components > BYTES[memory] {
            return;
        }
        let offset = if bytes == 0 { String::new() } else { format!(" {{offset {bytes}}}") };
        let ty = if components == 1 { "b32".to_owned() } else { format!("b32x{components}") };
        if self.random.below(2) == 0 {
            let id = self.line(&ty, &format!("load %{at}{offset}"));
            let component = if components == 1 { id } else { self.line("b32", &format!("swizzle %{id}.y")) };
            self.values.push(component);
            return;
        }
        let value = self.random.pick(&self.values.clone());
        let value = if components == 1 { value } else { self.line(&ty, &format!("splat %{value}")) };
        let offset = match (components, self.random.below(3)) {
            (4, 0) => format!(" {{offset {bytes}, mask {}}}", 1 + self.random.below(15)),
            _ => offset,
        };
        let _ = writeln!(self.text, "  store %{at}, %{value}{offset}");
    }
}

const HEAD: &str = "
struct #0 {block} {
  words: [u32 * 64 step 4] {offset 0}
}
storage $0: bytes(256) was #0 {set 0, binding 0}
private $1: bytes(64) was [u32 * 16 step 4]
entry compute \"main\" @0 ($0, $1) {local_size 1 1 1}
func @0() graph {
  local $2: bytes(64) was [u32 * 16 step 4]
^0:
";

fn program(seed: u64) -> Module {
    let mut program = Program {
        random: Random(seed),
        text: HEAD.to_owned(),
        next: 0,
        pointers: Vec::new(),
        indices: Vec::new(),
        values: Vec::new(),
    };
    let p = &mut program;
    let buffer = p.line("ptr", "ptr.var $0");
    let roots = [
        p.line("ptr", &format!("ptr.buffer_data %{buffer}")),
        p.line("ptr", "ptr.var $1"),
        p.line("ptr", "ptr.var $2"),
    ];
    for (memory, root) in roots.into_iter().enumerate() {
        p.pointers.push((root, memory, 0, 0));
    }
    for at in 0..4 {
        let value = p.line("b32", &format!("load %{} {{offset {}}}", roots[0], at * 4));
        p.values.push(value);
        let mask = p.constant([1, 3, 7, 3][at]);
        let index = p.line("b32", &format!("iand %{value}, %{mask}"));
        p.indices.push((index, 0, [1, 3, 7, 3][at]));
    }
    let constant = p.constant(2);
    p.indices.push((constant, 2, 2));
    // No undefined memory is read.
    for root in &roots[1..] {
        for at in 0..16 {
            let value = p.values[at % 4];
            let _ = writeln!(p.text, "  store %{root}, %{value} {{offset {}}}", at * 4);
        }
    }
    for _ in 0..10 + p.random.below(60) {
        match p.random.below(10) {
            0..4 => p.step(),
            4 => p.index(),
            _ => p.access(),
        }
    }
    // The final contents of memory are visible.
    for memory in 1..3 {
        for at in 0..16 {
            let value = p.line("b32", &format!("load %{} {{offset {}}}", roots[memory], at * 4));
            let _ = writeln!(p.text, "  store %{}, %{value} {{offset {}}}", roots[0], 64 * memory + at * 4);
        }
    }
    p.text += "  return\n}\n";
    module(&program.text)
}

fn cases(usual: u64) -> u64 {
    setting("VITRINE_CASES", usual)
}

#[test]
fn passes_preserve_stored_values() {
    let (mut compared, mut inconclusive) = (0, 0);
    let mut changed = vec![0; PIPELINES.len()];
    for seed in 0..cases(300) {
        let module = program(seed);
        let trials = trials(&module, seed, 3);
        let expected: Vec<Expected<'_>> =
            trials.iter().filter_map(|trial| Expected::of(&module, trial).ok()).collect();
        inconclusive += trials.len() - expected.len();
        for (text, changed) in PIPELINES.iter().zip(&mut changed) {
            let trace = Pipeline::parse(text).unwrap().trace(&module, Settings::default());
            for step in &trace.steps {
                match &step.outcome {
                    Outcome::Failed(diag) => panic!("seed {seed}: {text}: {diag}\n{}", print_module(&module)),
                    Outcome::Invalid(diags) => panic!("seed {seed}: {text}: {}", diags[0]),
                    Outcome::Unchanged => {}
                    Outcome::Changed => *changed += 1,
                }
            }
            let after = trace.last();
            let printed = print_module(after);
            assert_eq!(print_module(&parse(&printed).module), printed, "seed {seed}: {text}");
            let name = text.split('{').next().unwrap_or(text);
            let idempotent = PASSES.iter().any(|pass| pass.name == name && pass.idempotent);
            if idempotent {
                let again = Pipeline::parse(text).unwrap().trace(after, Settings::default());
                let same = matches!(again.steps[0].outcome, Outcome::Unchanged);
                assert!(same, "seed {seed}: {text} is not idempotent\n{printed}");
            }
            for expected in &expected {
                compared += 1;
                let difference = expected.differs(after, Tolerance::default());
                assert!(
                    difference.is_none(),
                    "seed {seed}: {text}: {difference:?}\n{}\n=>\n{printed}",
                    print_module(&module)
                );
            }
        }
    }
    println!("{compared} runs compared, {inconclusive} are inconclusive; changed {changed:?}");
    assert!(compared > 1000 && inconclusive < compared / 10, "{compared} {inconclusive}");
    assert!(changed.iter().all(|&count| count > 0), "{changed:?}");
}
