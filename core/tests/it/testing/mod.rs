//! Code shared by the tests: corpora, random programs, filetests, spirv-val, reports of skipped cases.
//!
//! Contains no tests of the compiler, only tests of itself.

pub(crate) mod corners;
pub(crate) mod corpus;
pub(crate) mod dxc;
pub(crate) mod glslang;
pub(crate) mod glslang_library;
pub(crate) mod graphs;
pub(crate) mod spirv_val;
pub(crate) mod judges;
pub(crate) mod known;
pub(crate) mod metal;
pub(crate) mod mutate;
pub(crate) mod random;
pub(crate) mod same;
pub(crate) mod settings;
pub(crate) mod skipped;
pub(crate) mod texts;
pub(crate) mod tint;
pub(crate) mod used;
pub(crate) mod written;
