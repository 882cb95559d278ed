//! Reduction of programs that show a bug: large programs, with passes that inject a fault everywhere.

use super::mutants::mutants;
use super::{cases, pool};
use vitrine_core::ir::Module;
use vitrine_core::lab::check::Tolerance;
use vitrine_core::lab::reduce::{Reducer, Witnesses};
use vitrine_core::pipeline::{Pipeline, Stats};
use vitrine_core::text::print_module;
use vitrine_core::validate::validate;

/// The bugs, by their mutants.
const BUGS: [&str; 10] = [
    "operands of a subtraction swapped",
    "unsigned for signed comparison",
    "logical for arithmetic shift",
    "maximum for minimum",
    "wrong component of a swizzle",
    "equal for not equal",
    "visible store dropped",
    "arms of a branch swapped",
    "arms of a select swapped",
    "case for default",
];

/// The result of a buggy pass. The fault is injected everywhere or, if that would be invalid, at the first
/// possible position.
fn buggy(name: &str, module: &Module) -> Option<Module> {
    let flat = Pipeline::parse("flatten, dce").unwrap().run(module, None).ok()?;
    let mutant = mutants().find(|mutant| mutant.name == name).expect("a mutant");
    let everywhere = mutant.inject_everywhere(&flat)?;
    if validate(&everywhere).is_empty() {
        return Some(everywhere);
    }
    for (func, _) in flat.funcs() {
        let mut from = 0;
        while let Some((after, at)) = mutant.inject(&flat, func, from) {
            if validate(&after).is_empty() {
                return Some(after);
            }
            from = at + 1;
        }
    }
    None
}

#[test]
fn programs_that_show_a_bug_are_reduced() {
    let mut lines = String::new();
    for name in BUGS.into_iter().take(cases(10) as usize) {
        let (seed, before, mut witnesses) = failing(name);
        let from = Stats::of(&before).insts;
        let (small, tried) = {
            let holds = |module: &Module| {
                buggy(name, module).is_some_and(|after| witnesses.tell_apart(module, &after).is_some())
            };
            let mut reducer = Reducer::new(before, holds);
            reducer.run();
            (reducer.module().clone(), reducer.progress().tried)
        };
        let to = Stats::of(&small).insts;
        lines.push_str(&format!("{name:40} seed {seed:4}: {from} to {to}, {tried} tried\n"));
        let after = buggy(name, &small).expect("the bug is still injected");
        assert!(witnesses.tell_apart(&small, &after).is_some(), "{name} still shows");
        assert!(to * 10 <= from, "{name}: {from} to {to}\n{}", print_module(&small));
    }
    println!("{lines}");
}

/// A program of more than 300 instructions that shows a bug.
fn failing(name: &str) -> (u64, Module, Witnesses) {
    for seed in 0..2_000 {
        let Some((module, trials)) = pool::large(seed, 120) else { continue };
        if Stats::of(&module).insts <= 300 {
            continue;
        }
        let Some(after) = buggy(name, &module) else { continue };
        let mut witnesses = Witnesses::given(&module, trials, Tolerance::default());
        if witnesses.tell_apart(&module, &after).is_some() {
            return (seed, module, witnesses);
        }
    }
    panic!("no program shows `{name}`");
}
