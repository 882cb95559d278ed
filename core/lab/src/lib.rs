//! Experiments with programs: what a pipeline changed in what they compute, and where.
//!
//! Each runs versions of a program with the interpreter, on the same inputs, and one judge decides what undefined behavior of the
//! input excuses.

#![forbid(unsafe_code)]

pub mod undefined; // what undefined behavior of the input excuses
pub mod check; // tests that passes preserve the results
pub mod bisect; // finds the wrong pass and its wrong rewrite
pub mod reduce; // reduces a program while a condition holds
pub mod compare; // modules of any compiler, run on the same inputs
