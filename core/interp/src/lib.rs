//! The interpreter of shaders: computes exactly what a program computes, for each invocation, in either
//! shape.
//!
//! ```text
//! Inputs ──► decode ──► Machine ──► Outcome      compared bit for bit, with the first difference
//!            (once)     (lockstep)  Reports     undefined behavior, as data
//! ```
//!
//! [`run`](run()) performs a whole run; a [`Machine`] runs step by step. The semantics of arithmetic are
//! those of `ops`.
//!
//! **Supported**: every stage but the task and mesh stages of NV (`stages.rs` lists their groups and outcomes), and
//! kernels as far as the IR can express them; both addressing models; buffers byte by byte; images and samplers;
//! derivatives, quads, subgroups, barriers, atomics; helper invocations; rays and ray queries against a fixed scene
//! (`rays.rs`).
//!
//! **Choices** where Vulkan allows a range: arithmetic rounds once to nearest even, transcendental functions
//! are those of `libm`, subnormals are kept unless the entry point requests flushing, NaN is the canonical
//! one. A discarded fragment terminates at once and no longer takes part in derivatives; derivatives are fine
//! by default; filtering has exact weights in `f64`; invocations perform atomics in the order of their
//! numbers.
//!
//! **Not supported**: raw SPIR-V instructions, except for those about tasks, rays and ray queries. An entry point that
//! needs one is rejected before it starts, with the location. The execution mode that rounds toward zero applies to
//! correctly rounded single operations and to float conversions; dot products and other composed functions round to
//! nearest.

#![forbid(unsafe_code)]

mod run; // start here: a whole run
mod raster; // a vertex and a fragment shader as a pair
mod triangle;
mod stages; // groups, primitives and patches of each stage
mod inputs; // the inputs of a run
mod outcome; // its results
mod out_key; // names of outputs
mod report; // undefined behavior
mod prints; // formatted output
mod seeded; // inputs from a seed
mod ports; // inputs and outputs of a stage
mod named; // inputs by their names
pub mod cases; // inputs and expected results by their names
mod callable; // functions without an entry point

mod decode; // functions become flat code
mod micro_op;
mod io;
mod rays; // the acceleration structure
mod ray_code;
mod interface;
mod consts;

mod machine; // invocations in lockstep
mod mask;
pub mod memory; // bytes and pointers
pub mod image; // texels and samplers

pub use callable::{Callable, callables, with_callers};
pub use consts::{ConstValue, Consts};
pub use decode::{can_run, refusal};
pub use inputs::{Inputs, KernelArg, Limits, Slot, Varying, elements_of};
pub use machine::{
    Event, EventKind, FrameView, Group, InvocationInfo, Machine, Status, Visible, Watched, watch,
};
pub use named::{
    InputBytes, Named, NamedValue, NumberKind, Pattern, Picture, TypeLeaf, leaves_of, number_text,
};
pub use out_key::{Element, OutKey, Outputs};
pub use outcome::{Bytes, Difference, InvocationEnd, InvocationOutcome, Outcome};
pub use ports::{InputSlot, Port, ports, slots};
pub use prints::{Print, Prints};
pub use raster::{Drawn, draw};
pub use report::{Report, Reports, UbKind};
pub use run::run;
pub use seeded::{seeded, seeded_ordinary};
pub use triangle::Triangle;
