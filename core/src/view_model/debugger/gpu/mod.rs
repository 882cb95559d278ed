//! *Run on this GPU*: the text of a version with the inputs of a run, for WebGPU or WebGL2, and the verdict on what came back.
//!
//! ```text
//! version ── WGSL or GLSL ES ──▶ GpuJob ── the page's worker ──▶ results ── compared ──▶ GpuVerdict
//! run     ── its inputs ──────▲                                  the run ──▲
//! ```
//!
//! A fragment shader gets its inputs from a vertex shader that is a program of the IR here ([`vertex`]); the outputs of a vertex
//! shader come back from WebGL2 vertex by vertex. Every version gets the inputs of the same run, so a driver's mistake shows
//! at the first step whose text makes the device agree or disagree.
//!
//! Refuses stages whose results an API cannot return (WebGPU: all but fragment and compute; WebGL2: all but vertex and
//! fragment), and reports in remarks what the device does not get.

mod job; // start here: a program and its inputs
mod surface; // what its text declares
mod resources; // buffers, textures, samplers
mod verdict; // the comparison
mod vertex; // the vertex shader of a picture

use super::Debugger;
use vitrine_protocol::{GpuApi, GpuJob, GpuVerdict};

/// Words of outputs that no fragment wrote, as a float (-2^100) and as an integer; the same as in `www/device.js`.
const UNWRITTEN: [u32; 2] = [0xf180_0000, 0x89ab_cdef];

/// The back end that writes the language of an API.
fn language(api: GpuApi) -> &'static str {
    match api {
        GpuApi::WebGpu => "wgsl",
        GpuApi::WebGl2 => "essl",
    }
}

impl Debugger {
    /// The text of a version with the inputs of the last run. `None` before the first run.
    pub fn gpu_job(&self, version: u32, api: GpuApi) -> Option<GpuJob> {
        let (opened, run) = (self.opened.as_ref()?, self.run.as_ref()?);
        Some(run.gpu_job(&opened.trace, version, api))
    }

    /// Compares the results of the job of a version with the last run. `None` before the first run; a run that is not done
    /// or that has other results than the job is reported in the summary.
    pub fn gpu_verdict(&self, version: u32, api: GpuApi, data: &[u8]) -> Option<GpuVerdict> {
        let (opened, run) = (self.opened.as_ref()?, self.run.as_ref()?);
        Some(run.gpu_verdict(&opened.trace, version, api, data))
    }
}
