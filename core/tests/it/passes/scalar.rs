//! Passes that may increase the code size: expansions have more instructions, and a copy is an instruction.
//!
//! The same properties as for other passes, except for the code size: random programs keep their results,
//! random modules remain valid, and every prefix of rewrites is correct (`fuel`).

use super::{SHAPES, cases, checked, evaluator, programs, shown};
use crate::testing::corpus::modules;
use crate::testing::graphs::{Random, random_spec};
use crate::testing::random;
use vitrine_core::ops::{Bits, Scalar, Width};
use vitrine_core::pipeline::Pipeline;

/// The passes with their relevant options.
pub(super) const MAY_GROW: &[&str] = &[
    "vectorize",
    "alu-to-scalar",
    "alu-to-scalar{truth}",
    "params-to-scalar",
    "params-to-scalar{all}",
    "load-const-to-scalar",
    "lower-alu",
    "lower-flrp",
    "idiv-const",
    "lower-idiv",
    "lower-frexp",
    "lower-packing",
    "lower-bit-size",
    "lower-bit-size{all}",
    "lower-int64",
    "lower-double-ops",
    "bool-to-int32",
    "bool-to-float",
    "int-to-float",
    "comparison-pre",
    "rematerialize-compares",
    "lower-wrmasks",
    "lower-wrmasks{components}",
    "uniform-atomics",
    "load-store-vectorize",
    "non-uniform-access",
    "uniform-derivatives",
    "lower-atomics",
    "lower-subgroups",
    "lower-subgroups{scalar}",
    "lower-subgroups{loops}",
    "lower-samplers",
    "lower-tex",
    "lower-tex{gradients}",
    "lower-tex{bias}",
    "lower-tex{min-lod}",
    "lower-tex{shadow}",
    "memcpy",
    "io-arrays-to-elements",
    "io-to-temporaries{inputs}",
    "io-to-temporaries{both}",
    "uniforms-to-ubo",
];

/// `true` if this pass may increase the number of instructions.
pub(super) fn may_grow(pass: &str) -> bool {
    let name = pass.split('{').next().unwrap_or(pass);
    MAY_GROW.iter().any(|known| known.split('{').next() == Some(name))
}

#[test]
fn expansions_preserve_the_results_of_random_programs() {
    for seed in 0..cases(100) {
        let mut random = Random(seed);
        let spec = random_spec(&mut random, 10);
        let (graph, func) = programs::program(&spec, &mut random);
        for shape in SHAPES {
            let module = Pipeline::parse(shape).unwrap().run(&graph, None).unwrap();
            for text in MAY_GROW {
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
            }
        }
    }
}

#[test]
fn expansions_keep_random_modules_valid() {
    for seed in 0..cases(100) {
        let module = random::module(seed, random::size_of(seed));
        for text in MAY_GROW {
            checked(&module, text, &format!("module {seed}"));
        }
    }
}

#[test]
fn expansions_keep_the_corpus_valid() {
    // Every fourth file, since expansions are long.
    for item in modules().into_iter().step_by(4) {
        let (file, bytes) = (&item.file, item.bytes());
        let module = vitrine_core::front::spirv::read(&bytes).module;
        for text in MAY_GROW {
            checked(&module, text, file);
        }
    }
}
