//! Properties of optimization passes: on random programs, which are run before and after, and on the corpus.
//!
//! `VITRINE_CASES=6000` runs more random programs.
#![allow(clippy::print_stdout)]

use crate::testing::corpus::modules;
use crate::testing::settings::setting;
use crate::testing::{graphs, random};
mod fuel;
mod evaluator;
mod scalar; // passes that may increase the code size
pub(crate) mod programs;

use crate::testing::graphs::{Random, random_spec};
use vitrine_core::front::spirv::read;
use vitrine_core::ir::{Func, Module};
use vitrine_core::ops::{Bits, MemoryOp, Op, Scalar, Width};
use vitrine_core::pipeline::{Outcome, PASSES, Pipeline, Settings, Stats};
use vitrine_core::text::{print_func, print_module};
use vitrine_core::validate::validate;

/// The passes tested one by one. Every store is visible to these programs, so `dead-write-vars` is tested in
/// `oracle` instead, which compares the final memory.
const ALONE: [&str; 30] = [
    "copy-prop",
    "algebraic",
    "constant-fold",
    "cse",
    "dce",
    "dead-cf",
    "vars-to-values",
    "remove-dead-variables",
    "split-var-copies",
    "lower-var-copies",
    "find-array-copies",
    "copy-prop-vars",
    "split-struct-vars",
    "split-array-vars",
    "shrink-vec-array-vars",
    "lower-variable-initializers",
    "lower-array-deref-of-vec",
    "lower-indirect-derefs",
    "combine-stores",
    "large-constants",
    "one-value-vars",
    "licm",
    "peephole-select",
    "opt-undef",
    "shrink-vectors",
    "gcm",
    "opt-sink",
    "opt-move",
    "algebraic-late",
    "propagate-invariant",
];
/// Passes that `control` tests on suitable trees; here they run on large programs.
const CONTROL: [&str; 17] = [
    "loop-peel-initial-if",
    "loop-unroll",
    "lower-continue",
    "if-constant-arm",
    "if-unnest",
    "trivial-continues",
    "opt-loop",
    "if-merge-adjacent",
    "if-hoist-common",
    "if-invert-empty",
    "if-select-of-params",
    "conditional-discard",
    "discard-to-demote",
    "lower-switch",
    "lower-returns",
    "to-lcssa",
    "remove-trivial-params",
];
const TOGETHER: &str = "fix(copy-prop, algebraic, constant-fold, cse, dce, dead-cf, vars-to-values)";

/// Pipelines that give the input its shape.
const SHAPES: [&str; 2] = ["", "structurize{imported}"];

/// Runs a pipeline on a valid module and checks the invariants of every pass.
fn checked(module: &Module, text: &str, context: &str) -> Module {
    let pipeline = Pipeline::parse(text).unwrap();
    let trace = pipeline.trace(module, Settings::default());
    let last = trace.steps.last().unwrap();
    match &last.outcome {
        Outcome::Failed(diag) => panic!("{context}: {text} fails: {diag}"),
        Outcome::Invalid(diags) => {
            panic!("{context}: `{}` leaves {:?}\n{}", last.pass, diags[0], diags[0].message())
        }
        Outcome::Unchanged | Outcome::Changed => {}
    }
    assert!(trace.notes.is_empty(), "{context}: {}", trace.notes[0]);
    let mut before = &trace.input;
    let mut size = trace.stats;
    // A copy of an aggregate may become many loads and stores, as `vars-to-values` documents. Redirecting a load
    // to the source of a copy needs a path to it. A select is an instruction, but the block parameter that it
    // replaces is not.
    const COPY_PASSES: [&str; 4] =
        ["vars-to-values", "split-var-copies", "lower-var-copies", "copy-prop-vars"];
    const GROWING: [&str; 8] = [
        "peephole-select",
        "split-struct-vars",
        "split-array-vars",
        "shrink-vec-array-vars",
        "lower-variable-initializers",
        "lower-array-deref-of-vec",
        "lower-indirect-derefs",
        "combine-stores",
    ];
    let copies = copies(module);
    for step in &trace.steps {
        assert!(
            step.stats.insts <= size.insts
                || (copies && COPY_PASSES.contains(&step.pass))
                || GROWING.contains(&step.pass)
                || scalar::may_grow(step.pass),
            "{context}: `{}` grows from {size:?} to {:?}",
            step.pass,
            step.stats
        );
        let changed = matches!(step.outcome, Outcome::Changed);
        if trace.steps.len() == 1 {
            let differs = print_module(before) != print_module(&step.version);
            assert_eq!(changed, differs, "{context}: `{}` misreports its changes", step.pass);
        }
        size = step.stats;
        before = &step.version;
    }
    let after = trace.last().clone();
    if !text.starts_with("fix") {
        let again = pipeline.trace(&after, Settings::default());
        let same = matches!(again.steps[0].outcome, Outcome::Unchanged);
        assert!(same, "{context}: {text} is not idempotent\n{}", shown(&after, again.last()));
    }
    after
}

fn copies(module: &Module) -> bool {
    let mut found = false;
    for (_, body) in module.funcs() {
        let copy = Op::Memory(MemoryOp::CopyVar);
        body.for_each_inst(|_, inst| found |= body.inst(inst).op == copy);
    }
    found
}

fn shown(before: &Module, after: &Module) -> String {
    let differs = |func: &Func| print_func(before, *func) != print_func(after, *func);
    let func = before.funcs().map(|(func, _)| func).find(differs);
    func.map_or(String::new(), |func| {
        format!("{}\n=>\n{}", print_func(before, func), print_func(after, func))
    })
}

fn cases(usual: u64) -> u64 {
    setting("VITRINE_CASES", usual)
}

/// Every pass alone and all together preserve results, as tree and as graph.
#[test]
fn passes_preserve_the_results_of_random_programs() {
    let mut removed = 0;
    for seed in 0..cases(600) {
        let mut random = Random(seed);
        let spec = random_spec(&mut random, 12);
        let (graph, func) = programs::program(&spec, &mut random);
        let diags = validate(&graph);
        assert!(diags.is_empty(), "invalid generated program: {}\n{}", diags[0], print_module(&graph));
        for shape in SHAPES {
            let module = Pipeline::parse(shape).unwrap().run(&graph, None).unwrap();
            for text in ALONE.into_iter().chain([TOGETHER]) {
                let context = format!("seed {seed} {shape}");
                let after = checked(&module, text, &context);
                for input in 0..3 {
                    let given: Vec<Bits> = [seed as i64, input, -3]
                        .map(|value| Bits::scalar(Scalar::i(Width::W32, value)))
                        .to_vec();
                    let [a, b] = [&module, &after].map(|module| evaluator::run(module, func, &given, 60));
                    assert!(
                        a.agrees(&b),
                        "{context}: {text} changes visible results: {a:?} to {b:?}\n{}",
                        shown(&module, &after)
                    );
                }
                removed += Stats::of(&module).insts.saturating_sub(Stats::of(&after).insts);
            }
        }
    }
    assert!(removed > 1000, "too few instructions were removed: {removed}");
    println!("{removed} instructions removed");
}

/// Modules with every operation of the tables remain valid, as tree and as graph.
#[test]
fn passes_keep_random_modules_valid() {
    for seed in 0..cases(400) {
        let module = random::module(seed, random::size_of(seed));
        for text in ALONE.into_iter().chain([TOGETHER]) {
            checked(&module, text, &format!("module {seed}"));
        }
    }
}

/// Long and deep programs, on a stack too small for recursion over them.
#[test]
fn large_graphs_need_only_a_small_stack() {
    let count = 20_000u32;
    let chain: Vec<Vec<u32>> = (1..=count).map(|at| if at < count { vec![at] } else { vec![] }).collect();
    let mut returns: Vec<Vec<u32>> = (0..count).map(|at| vec![count + at, at + 1]).collect();
    returns[count as usize - 1] = vec![2 * count - 1];
    returns.extend((0..count).map(|_| vec![]));
    let deep = 1_000u32;
    let mut nest: Vec<Vec<u32>> = (0..deep).map(|at| vec![at + 1]).collect();
    nest.extend((0..deep).map(|at| vec![deep - at.min(deep - 1), deep + at + 1]));
    nest.push(vec![]);
    for (name, successors) in [("chain", chain), ("early returns", returns), ("nested loops", nest)] {
        let test = move || {
            for shape in ["", "structurize"] {
                let mut module = Module::new();
                module.add_func(graphs::plain_body(&successors));
                let module = Pipeline::parse(shape).unwrap().run(&module, None).unwrap();
                for text in ALONE.into_iter().chain(CONTROL).chain([TOGETHER]) {
                    let trace = Pipeline::parse(text).unwrap().trace(&module, Settings::default());
                    assert!(trace.is_sound(), "{name} {text}");
                    println!("{name:14} {shape:12} {text:.14}");
                }
            }
        };
        let thread = std::thread::Builder::new().stack_size(256 << 10).spawn(test).unwrap();
        thread.join().unwrap();
    }
}

#[test]
fn passes_of_this_file_are_declared_idempotent() {
    for name in ALONE {
        let pass = PASSES.iter().find(|pass| pass.name == name).unwrap();
        assert!(pass.idempotent, "{name}");
    }
}

#[test]
fn passes_keep_the_corpus_valid_and_never_grow_it() {
    let (mut before, mut after) = (Stats::default(), Stats::default());
    let modules = modules();
    for item in &modules {
        let (file, fresh) = (&item.file, read(&item.bytes()).module);
        for shape in SHAPES {
            let module = Pipeline::parse(shape).unwrap().run(&fresh, None).unwrap();
            let context = format!("{file} {shape}");
            for pass in ALONE {
                checked(&module, pass, &context);
            }
            let done = checked(&module, TOGETHER, &context);
            let again = Pipeline::parse(TOGETHER).unwrap().run(&module, None).unwrap();
            assert_eq!(print_module(&done), print_module(&again), "{context}: not deterministic");
            before.insts += Stats::of(&module).insts;
            after.insts += Stats::of(&done).insts;
        }
    }
    println!("{} modules, {} instructions, {} after", modules.len(), before.insts, after.insts);
}
