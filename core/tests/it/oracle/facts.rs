//! Analyses against execution: value ranges and uniformity, compared with the values in the interpreter.
//!
//! After each instruction, its result is checked in every invocation that executed it, as are its operands with the
//! facts from dominating branches. `VITRINE_CASES=100000` sets the number of random programs.

use super::{cases, pool, runnable};
use crate::passes::programs;
use crate::resources::lookups;
use crate::testing::corpus::of_sets;
use crate::testing::{graphs, random};
use std::collections::BTreeMap;
use std::rc::Rc;
use vitrine_core::analysis::{Analyses, Divergence, Range};
use vitrine_core::front::spirv::read;
use vitrine_core::interp::{Machine, Status};
use vitrine_core::ir::{Block, Func, Inst, Module};
use vitrine_core::lab::check::{Trial, trials};
use vitrine_core::ops::{Scalar, ValueType};
use vitrine_core::pipeline::Pipeline;
use vitrine_core::pipeline::wrap::Invocations;
use vitrine_core::text::parse;

/// Limit on the instructions of a run that are checked.
const STEPS: usize = 3_000;

/// Counts of the runs.
#[derive(Default, Debug)]
struct Tally {
    runs: u64,
    /// Checked values with a nontrivial fact, and values that must be uniform in a subgroup.
    ranges: u64,
    uniform: u64,
}

struct Watch<'m> {
    module: &'m Module,
    analyses: Analyses,
    known: BTreeMap<Func, (Rc<Range>, Rc<Divergence>)>,
    machine: Machine,
    subgroup: usize,
}

impl Watch<'_> {
    /// Runs one trial; fails if a value contradicts a fact.
    fn run(module: &Module, trial: &Trial, tally: &mut Tally) -> Result<(), String> {
        let Ok(machine) = Machine::new(module, trial.entry, &trial.inputs) else { return Ok(()) };
        let subgroup = trial.inputs.subgroup.clamp(1, 64) as usize;
        let mut watch =
            Watch { module, analyses: Analyses::new(), known: BTreeMap::new(), machine, subgroup };
        tally.runs += 1;
        for number in 0..watch.machine.group_count().min(3) {
            watch.machine.begin(&watch.machine.group_at(number));
            watch.group(tally)?;
        }
        Ok(())
    }

    fn group(&mut self, tally: &mut Tally) -> Result<(), String> {
        for _ in 0..STEPS {
            let position = self.machine.place();
            let invocations: Vec<usize> =
                self.machine.active().iter().map(|&invocation| invocation as usize).collect();
            let depth = self.machine.depth();
            if let Some((func, block, Some(inst))) = position {
                let args = self.module.func(func).unwrap().inst(inst).args.to_vec();
                for arg in args {
                    self.check_value(func, block, arg, &invocations, tally)?;
                }
            }
            if self.machine.step() == Status::Done {
                return Ok(());
            }
            if let Some((func, block, Some(inst))) = position
                && self.machine.depth() == depth
                && self.machine.stack().last().is_some_and(|frame| frame.func == func)
            {
                self.check_value(func, block, inst, &invocations, tally)?;
            }
        }
        Ok(())
    }

    /// Checks a value of all active invocations against both analyses.
    fn check_value(
        &mut self,
        func: Func,
        block: Block,
        value: Inst,
        invocations: &[usize],
        tally: &mut Tally,
    ) -> Result<(), String> {
        let body = self.module.func(func).unwrap();
        let ValueType::Bits { width, .. } = body.ty(value) else { return Ok(()) };
        let (module, analyses) = (self.module, &mut self.analyses);
        let (range, divergence) = self.known.entry(func).or_insert_with(|| {
            (analyses.get::<Range>(module, func), analyses.get::<Divergence>(module, func))
        });
        let mut facts = range.facts(value).to_vec();
        if let Some(refined) = range.at(value, block) {
            facts = vec![refined];
        }
        let uniform = divergence.is_uniform_in(value, block);
        let mut first: BTreeMap<usize, Vec<Option<u64>>> = BTreeMap::new();
        for &invocation in invocations {
            let parts = self.machine.value(self.machine.depth() - 1, value, invocation);
            for (fact, part) in facts.iter().zip(&parts) {
                let Some(bits) = *part else { continue };
                tally.ranges += u64::from(!fact.is_any());
                let bits = Scalar::new(width, bits);
                if !fact.allows(bits) {
                    return Err(format!(
                        "{value} in {block} of {func} is {bits:?} in invocation {invocation}, not {fact:?}"
                    ));
                }
            }
            if uniform && parts.iter().all(Option::is_some) {
                tally.uniform += 1;
                let known = first.entry(invocation / self.subgroup).or_insert_with(|| parts.clone());
                if *known != parts {
                    return Err(format!(
                        "{value} in {block} of {func} is {known:?} and {parts:?}, not uniform"
                    ));
                }
            }
        }
        Ok(())
    }
}

fn watch(name: &str, module: &Module, trials: &[Trial], tally: &mut Tally) {
    for (number, trial) in trials.iter().enumerate() {
        if let Err(error) = Watch::run(module, trial, tally) {
            let text = vitrine_core::text::print_module(module);
            panic!("{name}, trial {number}: {error}\n{text}");
        }
    }
}

/// The module itself, and after passes: a tree with few variables.
fn versions(module: &Module) -> Vec<Module> {
    let pipeline = Pipeline::parse("ingest, O1").unwrap();
    let trace = pipeline.trace(module, Default::default());
    let optimized = trace.steps.last().map(|step| step.version.clone());
    std::iter::once(module.clone()).chain(optimized).collect()
}

#[test]
fn analyses_hold_on_random_programs() {
    let mut tally = Tally::default();
    for seed in 0..cases(150) {
        let mut random = graphs::Random(seed);
        let spec = graphs::random_spec(&mut random, 4 + seed % 16);
        let (module, _) = programs::program(&spec, &mut random);
        let (module, trials) = runnable(&module, Invocations::Many, 2);
        for version in versions(&module) {
            watch(&format!("seed {seed}"), &version, &trials, &mut tally);
        }
    }
    println!("random programs: {tally:?}");
    assert!(tally.ranges > 10_000 && tally.uniform > 10_000, "{tally:?}");
}

#[test]
fn analyses_hold_on_random_modules() {
    let mut tally = Tally::default();
    for seed in 0..cases(200) {
        let module = random::module(seed, random::size_of(seed));
        let (module, trials) = runnable(&module, Invocations::Many, 2);
        watch(&format!("seed {seed}"), &module, &trials, &mut tally);
    }
    println!("random modules: {tally:?}");
    assert!(tally.ranges > 1_000, "{tally:?}");
}

/// Uniformity of image lookups, with and without quads: implicit levels depend on neighboring invocations.
#[test]
fn analyses_hold_on_random_lookups() {
    let mut tally = Tally::default();
    for seed in 0..cases(150) {
        for (stage, shader) in
            [("compute", lookups::compute as fn(&mut _) -> _), ("fragment", lookups::fragment)]
        {
            let module = parse(&shader(&mut graphs::Random(seed))).module;
            for version in versions(&module) {
                watch(&format!("{stage}, seed {seed}"), &version, &trials(&version, seed, 2), &mut tally);
            }
        }
    }
    println!("random lookups: {tally:?}");
    assert!(tally.uniform > 10_000, "{tally:?}");
}

#[test]
fn analyses_hold_on_filetests_and_examples() {
    let mut tally = Tally::default();
    for program in pool::programs() {
        let few: Vec<Trial> = program.trials.iter().take(2).cloned().collect();
        watch(&program.name, &program.before, &few, &mut tally);
        watch(&program.name, &program.after, &few, &mut tally);
    }
    println!("filetests and examples: {tally:?}");
    assert!(tally.runs > 100, "{tally:?}");
}

#[test]
fn analyses_hold_on_the_corpus() {
    let mut tally = Tally::default();
    for item in of_sets(&["teaching", "cases", "structure", "graphs", "cross"]) {
        let module = read(&item.bytes()).module;
        for version in versions(&module) {
            watch(&item.file, &version, &trials(&version, 0, 1), &mut tally);
        }
    }
    println!("corpus: {tally:?}");
    assert!(tally.ranges > 20_000 && tally.uniform > 20_000, "{tally:?}");
}
