//! Vitrine's compiler: readers and writers of shaders, an IR with analyses, passes and an interpreter, pipelines that keep every
//! step, and plain data for a page that shows them.
//!
//! Reading order is the order of the floors below; each imports from lower floors only
//! (`tests/it/floors.rs`). The lower ones are crates of their own, which this crate re-exports. It does no IO, and uses no browser
//! and no clock.
//!
//! # The API on one screen
//!
//! | to | use |
//! |---|---|
//! | read a shader | [`front::read`] |
//! | run passes, and look at every version | [`pipeline::Pipeline::trace`], [`text::print_module`] |
//! | write it in another form | [`pipeline::write`], [`back::named`] |
//! | execute it | [`interp::run`], [`interp::seeded`] |
//! | compare versions by running them | [`lab::compare::Comparer`] |
//! | store a module as bytes | [`ir::codec`] |
//!
//! ```
//! use vitrine_core::back::{self, Source, all_funcs};
//! use vitrine_core::front;
//! use vitrine_core::interp;
//! use vitrine_core::lab::compare::{Comparer, Settings as Compared};
//! use vitrine_core::pipeline::{Pipeline, Settings, write};
//!
//! # fn main() -> Result<(), vitrine_core::ir::Diag> {
//! let shader = b"OpCapability Shader
//!     OpMemoryModel Logical GLSL450
//!     OpEntryPoint Fragment %main \"main\" %x %color
//!     OpExecutionMode %main OriginUpperLeft
//!     OpDecorate %x Location 0
//!     OpDecorate %color Location 0
//!     %void = OpTypeVoid
//!     %type = OpTypeFunction %void
//!     %float = OpTypeFloat 32
//!     %in = OpTypePointer Input %float
//!     %out = OpTypePointer Output %float
//!     %x = OpVariable %in Input
//!     %color = OpVariable %out Output
//!     %main = OpFunction %void None %type
//!     %block = OpLabel
//!     %value = OpLoad %float %x
//!     %twice = OpFAdd %float %value %value
//!     OpStore %color %twice
//!     OpReturn
//!     OpFunctionEnd";
//! let (kind, read) = front::read(shader);
//! assert_eq!(kind.words(), "SPIR-V text");
//! assert!(read.is_sound(), "{:?}", read.diags);
//!
//! // Every step keeps the version that it made, with a reason for each change.
//! let trace = Pipeline::parse("ingest, O1")?.trace(&read.module, Settings::default());
//! for step in trace.steps.iter().filter(|step| !step.journals.is_empty()) {
//!     println!("{}: {} instructions", step.text(), step.stats.insts);
//! }
//!
//! // The preset of the language prepares the program.
//! let module = trace.last();
//! let funcs = all_funcs(module);
//! let source = Source::new(module, &funcs);
//! let written = write(&source, back::named("glsl")?, false).map_err(|mut refused| refused.remove(0))?;
//! let text = String::from_utf8_lossy(&written.bytes);
//! assert!(text.contains("out_1 = in_0 + in_0;"), "{text}");
//!
//! let inputs = interp::seeded(module, 0, 1);
//! let outcome = interp::run(module, 0, &inputs)?;
//! assert!(!outcome.invocations.is_empty() && outcome.reports.is_empty());
//!
//! let versions = [("before", &read.module), ("after", module)];
//! let versions = versions.map(|(name, module)| (name.to_owned(), Ok(module.clone()))).into();
//! let mut comparer = Comparer::of_modules(versions, kind, Compared::default());
//! while comparer.step() {}
//! assert!(comparer.finding().is_none(), "the results are the same");
//! # Ok(())
//! # }
//! ```

#![forbid(unsafe_code)]

// Floors 0 to 2: programs.
pub use vitrine_ir as ir;
pub use vitrine_ir::{base, ops};

// Floor 3: print and parse.
pub use vitrine_text as text;

// Floor 3: facts; floor 4: algebra as data, and the list of everything that must hold.
pub use vitrine_analysis as analysis;
pub use vitrine_analysis::{rules, validate};

// Floor 4: what a program computes, and where its blocks go on screen.
pub use vitrine_interp as interp;
pub use vitrine_layout as layout;

// Floor 4: formats, with their readers and writers on floor 5.
pub use vitrine_d3d as d3d;
pub use vitrine_spirv as spirv;

// Floor 5: transform.
pub use vitrine_passes as passes;

// Floor 6: read in, run passes.
pub use vitrine_front as front;
pub use vitrine_pipeline as pipeline;

// Floor 7: check, compare, reduce; links and reproductions.
pub use vitrine_lab as lab;
pub use vitrine_share as share;

pub mod back; // floor 7: write out
pub mod report; // floor 8: a finding as Markdown
pub mod catalog; // floor 9: the reference of passes, presets, rules, operations, front ends and back ends
pub mod view_model; // floor 9: plain data for the page
pub mod judge; // floor 9: decides whether an answer solves a task
#[cfg(feature = "lessons")]
pub mod lessons; // floor 10: the programs of lessons
