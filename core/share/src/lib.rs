//! Sharing: links that hold an input, its pipeline and the view, and reproduction files that also record the results.
//!
//! ```text
//! SharedState ── link ──▶ "1m…"                      in the fragment of an address
//!             ── Repro ─▶ "Vitrine reproduction 1…"  in a file, with a digest of each version
//! ```
//!
//! Every format ever released stays readable: `tests/it/links.rs` and `tests/it/repro.rs` open one of each.
//! Reports will live here too.
//!
//! Refuses to run anything and to know pipelines: a pipeline is text here, and versions of a program are passed in.

#![forbid(unsafe_code)]

mod link; // start here: one address
mod expected; // the first difference that its maker saw
mod delta; // modules that share bytes
mod repro; // a file, with digests to compare
mod context_mixing; // compression
mod numbers; // as bytes, and a hash

pub use expected::Expected;
pub use link::SharedState;
pub use repro::{Repro, StepDigest, Verdict, digests};
