//! *Run on this GPU*: the text of a version with the inputs of a run, for WebGPU, and the verdict on what came back.
//!
//! ```text
//! version ── wgsl-out, WGSL ──▶ GpuJob ── the page's worker ──▶ results ── compared ──▶ GpuVerdict
//! run     ── its inputs ─────▲                                  the run ──▲
//! ```
//!
//! A fragment shader gets its inputs from a vertex shader written here ([`vertex`]). Every version gets the inputs of the
//! same run, so a driver's mistake shows at the first step whose text makes the device agree or disagree.
//!
//! Refuses stages whose results WebGPU cannot return (all but fragment and compute), and reports in remarks what the device
//! does not get.

mod job; // start here: a program and its inputs
mod surface; // what its text declares
mod resources; // buffers, textures, samplers
mod verdict; // the comparison
mod vertex; // the vertex shader of a picture

use super::Debugger;
pub use resources::{GpuBuffer, GpuSampler, GpuTexture};

/// Words of outputs that no fragment wrote, as a float (-2^100) and as an integer; the same as in `www/device.js`.
const UNWRITTEN: [u32; 2] = [0xf180_0000, 0x89ab_cdef];

/// A program for a GPU, with its inputs; the results come back in the order of outputs, depth, buffers, textures.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GpuJob {
    /// The reason that it cannot run on a GPU; empty if it can.
    pub refused: String,
    /// The version whose text it is.
    pub version: u32,
    /// The text of the program, in WGSL.
    pub code: String,
    /// The vertex shader for a fragment shader, in WGSL; otherwise empty.
    pub vertex: String,
    /// True if it is a fragment shader, otherwise it is a compute shader.
    pub is_fragment: bool,
    /// The name of the entry point in the text.
    pub entry: String,
    /// Width and height of the picture in pixels.
    pub size: [u32; 2],
    /// Workgroups.
    pub groups: [u32; 3],
    /// True if each pixel is drawn by itself.
    pub per_pixel: bool,
    /// Flat inputs, if each pixel is drawn by itself: location, components, and 4 bytes for each component of each pixel.
    pub flats: Vec<(u32, u32, Vec<u8>)>,
    /// True if it writes the depth.
    pub depth: bool,
    /// Features of WebGPU that it needs.
    pub features: Vec<String>,
    /// Outputs of a fragment shader.
    pub outputs: Vec<GpuOutput>,
    /// Uniform and storage buffers.
    pub buffers: Vec<GpuBuffer>,
    /// Sampled and storage textures.
    pub textures: Vec<GpuTexture>,
    /// Samplers.
    pub samplers: Vec<GpuSampler>,
    /// Inputs that the device does not get, and results that it may compute otherwise, in words.
    pub remarks: Vec<String>,
}

/// An output of a fragment shader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GpuOutput {
    /// Its location.
    pub location: u32,
    /// `f`, `i` or `u`.
    pub kind: char,
    /// Its components: 1, 2 or 4, of 4 bytes each in the results.
    pub components: u32,
}

/// The results of a GPU, compared with the interpreter's.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct GpuVerdict {
    /// The version whose text ran.
    pub version: u32,
    /// Compared numbers.
    pub compared: u32,
    /// Numbers with other bits, within the tolerance of floats.
    pub rounded: u32,
    /// Numbers that differ.
    pub differing: u32,
    /// A hash of the results.
    pub hash: String,
    /// The verdict in words.
    pub summary: String,
    /// The first numbers that differ: place, the interpreter's value, the device's.
    pub differences: Vec<[String; 3]>,
    /// Pixels along an edge of the pictures.
    pub size: u32,
    /// The picture of a fragment shader, then that of the differences: RGBA, a byte each, row by row; empty without one.
    pub pixels: Vec<u8>,
}

impl Debugger {
    /// The text of a version with the inputs of the last run. `None` before the first run.
    pub fn gpu_job(&self, version: u32) -> Option<GpuJob> {
        let (opened, run) = (self.opened.as_ref()?, self.run.as_ref()?);
        Some(run.gpu_job(&opened.trace, version))
    }

    /// Compares the results of the job of a version with the last run. `None` before the first run; a run that is not done
    /// or that has other results than the job is reported in the summary.
    pub fn gpu_verdict(&self, version: u32, data: &[u8]) -> Option<GpuVerdict> {
        let (opened, run) = (self.opened.as_ref()?, self.run.as_ref()?);
        Some(run.gpu_verdict(&opened.trace, version, data))
    }
}
