//! Fuel: a pass with `n` units performs the first `n` rewrites of a pass without a limit, and each prefix of
//! rewrites leaves a valid program with the same results.

use super::{ALONE, SHAPES, cases, evaluator, programs, scalar, shown};
use crate::testing::graphs::{Random, random_spec};
use vitrine_core::ir::Fuel;
use vitrine_core::ops::{Bits, Scalar, Width};
use vitrine_core::pipeline::{Outcome, Pipeline, Settings};
use vitrine_core::text::print_module;

/// Limit on the number of prefixes that are tried; longer runs are sampled evenly.
const MOST_STOPS: u64 = 12;

#[test]
fn every_prefix_of_rewrites_is_correct() {
    let mut stops = 0;
    for seed in 0..cases(60) {
        let mut random = Random(seed);
        let spec = random_spec(&mut random, 8);
        let (graph, func) = programs::program(&spec, &mut random);
        for shape in SHAPES {
            let module = Pipeline::parse(shape).unwrap().run(&graph, None).unwrap();
            for name in ALONE.into_iter().chain(scalar::MAY_GROW.iter().copied()) {
                let pipeline = Pipeline::parse(name).unwrap();
                let whole = pipeline.trace(&module, Settings::default());
                let step = &whole.steps[0];
                if !matches!(step.outcome, Outcome::Changed) {
                    continue;
                }
                let context = format!("seed {seed} {shape} {name}");
                assert!(step.rewrites > 0, "{context}: changed the program without a rewrite");
                let by = step.rewrites.div_ceil(MOST_STOPS).max(1) as usize;
                for units in (0..=step.rewrites).step_by(by).chain([step.rewrites]) {
                    let settings = Settings { fuel: Fuel::of(units), ..Settings::default() };
                    let part = pipeline.run_with(&module, settings);
                    let part = part.unwrap_or_else(|diag| panic!("{context}: {units} units: {diag}"));
                    stops += 1;
                    match units {
                        0 => assert_eq!(print_module(&part), print_module(&module), "{context}"),
                        all if all == step.rewrites => {
                            assert_eq!(print_module(&part), print_module(whole.last()), "{context}");
                        }
                        _ => {}
                    }
                    let given: Vec<Bits> =
                        [seed as i64, 1, -3].map(|value| Bits::scalar(Scalar::i(Width::W32, value))).to_vec();
                    let [a, b] = [&module, &part].map(|module| evaluator::run(module, func, &given, 60));
                    assert!(
                        a.agrees(&b),
                        "{context}: {units} units: {a:?} to {b:?}\n{}",
                        shown(&module, &part)
                    );
                }
            }
        }
    }
    assert!(stops > 1000, "{stops}");
}
