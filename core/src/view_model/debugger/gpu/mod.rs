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
pub use resources::{GpuBuffer, GpuSampler, GpuTexture};

/// Words of outputs that no fragment wrote, as a float (-2^100) and as an integer; the same as in `www/device.js`.
const UNWRITTEN: [u32; 2] = [0xf180_0000, 0x89ab_cdef];

/// An API of browsers that runs programs on a GPU.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum GpuApi {
    /// WebGPU, with WGSL.
    #[default]
    WebGpu,
    /// WebGL2, with GLSL ES 3.00.
    WebGl2,
}

impl GpuApi {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            GpuApi::WebGpu => "WebGPU",
            GpuApi::WebGl2 => "WebGL2",
        }
    }

    /// The back end that writes its language.
    fn language(self) -> &'static str {
        match self {
            GpuApi::WebGpu => "wgsl",
            GpuApi::WebGl2 => "essl",
        }
    }
}

/// A program for a GPU, with its inputs; the results come back in the order of outputs, depth, buffers, textures. Those of
/// a vertex shader are its captured outputs, vertex by vertex.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct GpuJob {
    /// The reason that it cannot run on a GPU; empty if it can.
    pub refused: String,
    /// The version whose text it is.
    pub version: u32,
    /// The API that runs it.
    pub api: GpuApi,
    /// The text of the program, in the language of the API.
    pub code: String,
    /// The vertex shader for a fragment shader, in the same language; otherwise empty.
    pub vertex: String,
    /// The stage: `vertex`, `fragment` or `compute`.
    pub stage: &'static str,
    /// The name of the entry point in the text.
    pub entry: String,
    /// Width and height of the picture in pixels.
    pub size: [u32; 2],
    /// Workgroups.
    pub groups: [u32; 3],
    /// True if each pixel is drawn by itself.
    pub per_pixel: bool,
    /// Vertices and instances of a vertex shader.
    pub vertices: [u32; 2],
    /// The attributes of a vertex shader; the flat inputs of a fragment shader, if each pixel is drawn by itself.
    pub flats: Vec<GpuInput>,
    /// The outputs of a vertex shader that come back: their names in the text.
    pub captures: Vec<String>,
    /// Bytes that a vertex returns.
    pub vertex_bytes: u32,
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

/// An input with a value for each pixel, or for each vertex of each instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GpuInput {
    /// Its location.
    pub location: u32,
    /// `f`, `i` or `u`.
    pub kind: char,
    /// Its components.
    pub components: u32,
    /// Its values, 4 bytes for each component.
    pub bytes: Vec<u8>,
}

/// An output of a fragment shader.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct GpuOutput {
    /// Its location.
    pub location: u32,
    /// `f`, `i` or `u`.
    pub kind: char,
    /// Its components, of 4 bytes each in the results. WebGPU does not return three.
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
