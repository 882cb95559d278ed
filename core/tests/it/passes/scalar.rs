//! Passes that may make a program longer: what is written out is longer than its name, and a copy is an instruction.
//!
//! The same properties as for all others, but for the count of instructions: random programs do what they did,
//! modules with everything stay valid, and each rewrite stands by itself (`fuel`).

use super::{SHAPES, cases, checked, meaning, programs, shown};
use crate::testing::corpus::modules;
use crate::testing::graphs::{Random, random_spec};
use crate::testing::random;
use vitrine_core::ops::{Bits, Scalar, Width};
use vitrine_core::pipeline::Pipeline;

/// The passes, each with the words that matter.
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

/// `true` if a step of this pass may leave more instructions.
pub(super) fn may_grow(pass: &str) -> bool {
    let name = pass.split('{').next().unwrap_or(pass);
    MAY_GROW.iter().any(|known| known.split('{').next() == Some(name))
}

#[test]
fn random_programs_do_the_same_written_out() {
    for seed in 0..cases(100) {
        let mut random = Random(seed);
        let spec = random_spec(&mut random, 10);
        let (graph, func) = programs::program(&spec, &mut random);
        for shape in SHAPES {
            let module = Pipeline::parse(shape).unwrap().run(&graph, None).unwrap();
            for text in MAY_GROW {
                let what = format!("seed {seed} {shape}");
                let after = checked(&module, text, &what);
                for input in 0..3 {
                    let given: Vec<Bits> = [seed as i64, input, -3]
                        .map(|value| Bits::scalar(Scalar::i(Width::W32, value)))
                        .to_vec();
                    let [a, b] = [&module, &after].map(|module| meaning::run(module, func, &given, 60));
                    assert!(
                        a.agrees(&b),
                        "{what}: {text} changes what is seen: {a:?} to {b:?}\n{}",
                        shown(&module, &after)
                    );
                }
            }
        }
    }
}

#[test]
fn random_modules_stay_valid_written_out() {
    for seed in 0..cases(100) {
        let module = random::module(seed, random::size_of(seed));
        for text in MAY_GROW {
            checked(&module, text, &format!("module {seed}"));
        }
    }
}

#[test]
fn the_corpus_stays_valid_written_out() {
    // Every fourth file: what is written out is long.
    for item in modules().into_iter().step_by(4) {
        let (file, bytes) = (&item.file, item.bytes());
        let module = vitrine_core::front::spirv::read(&bytes).module;
        for text in MAY_GROW {
            checked(&module, text, file);
        }
    }
}
