//! Running shaders: the oracle. What a program computes, exactly, lane by lane, in either shape.
//!
//! ```text
//! Inputs ──► decode ──► Machine ──► Outcome      compared bit for bit, with the first difference
//!            (once)     (lock step)  Reports     undefined behaviour, as data
//! ```
//!
//! `run` does it all; a [`Machine`] does it step by step. Arithmetic means what `ops` says, and nothing else.
//!
//! **Run**: fragment, vertex and compute entry points, and kernels as far as the IR can say them; both addressing
//! models; buffers byte by byte; images and samplers; derivatives, quads, subgroups, barriers, atomics; helper lanes.
//!
//! **Choices** where Vulkan leaves a range: arithmetic rounds once to nearest even, transcendental functions are
//! `libm`'s, subnormals are kept unless the entry point asks to flush them, NaN is the canonical one; a discarded
//! fragment ends at once and no longer takes part in derivatives; derivatives without a word are fine; filtering has
//! exact weights in `f64`; lanes perform atomics in the order of their numbers.
//!
//! **Not run**: geometry, tessellation, mesh and ray stages, and what SPIR-V carries raw (`refusal` lists the
//! operations). An entry point that needs one is refused before it starts, with the place. Rounding towards zero by
//! execution mode reaches what is correctly rounded, one operation at a time, and float conversions; dot products and
//! other composed functions round to nearest all the same.

mod run; // start here: a whole run
mod inputs; // what a run is given
mod outcome; // what it leaves behind
mod report; // what was undefined
mod seeded; // inputs from a seed
mod ports; // what a stage takes and hands on

mod decode; // functions become flat code
mod micro_op;
mod io;
mod tex;
mod interface;
mod consts;

mod machine; // lanes in lock step
mod mask;
pub mod memory; // bytes and pointers
pub mod image; // texels and samplers

pub use decode::{can_run, refusal};
pub use inputs::{Inputs, KernelArg, Limits, Slot, Varying};
pub use machine::{FrameView, Group, InvocationInfo, Machine, Status};
pub use outcome::{Bytes, Difference, InvocationEnd, InvocationOutcome, OutKey, Outcome};
pub use ports::{Port, ports};
pub use report::{Report, Reports, UbKind};
pub use run::run;
pub use seeded::seeded;
