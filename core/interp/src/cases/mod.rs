//! Cases by name: inputs and expected results of a shader by the names of its interface.
//!
//! ```text
//! NamedCase ──► Inputs of a module ──► run ──► differences, in words
//!               (bind)                         (compare)
//! ```
//!
//! Names are those of variables, so one case fits every translation of a shader that keeps them. Constants are rows of 16
//! bytes of uniform buffers: `c5` and `cb0[3]`. Inputs of the stage are planes over pixels, or over vertices and
//! instances. Textures and buffers have contents computed from a seed. A pixel shader draws a frame of 4 by 2 pixels, a
//! vertex shader runs for 4 vertices of 2 instances.
//!
//! Inputs that a case has and a module lacks are ignored, because a compiler may have removed them; an expected result that a
//! module lacks is a difference. Inputs that a case lacks are 0. Outputs of Direct3D 9 that a vertex shader of model 1 or 2
//! does not write have the values that the rasterizer takes then: `oD0` 1, `oD1` black, `oFog` 1, `oT#` 0.

mod model; // start here: a case as data
mod contents; // textures and buffers
mod bind;
mod compare;
#[cfg(feature = "json")]
pub mod json; // cases as files
#[cfg(feature = "json")]
mod json_by_name; // files of the format of this module

pub use contents::{Contents, MOST_BYTES, Rule};
pub use model::{
    CaseRun, ExpectedMemory, ExpectedOutput, ExpectedWord, NamedCase, NamedCaseResult, Plane, StageInput,
};
