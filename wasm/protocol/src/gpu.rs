//! A program for the GPU of the machine, with its inputs, and the verdict on what it computed.
//!
//! `www/gpu.js` gets a job as an object and passes it to its own worker, `www/device.js` for WebGPU and `www/webgl.js` for
//! WebGL2; the page's program only forwards it. Fields have the names and values of WebGPU where it has them.

use serde::{Deserialize, Serialize};

use crate::Bytes;

/// An API of browsers that runs programs on a GPU.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum GpuApi {
    /// WebGPU, with WGSL.
    #[default]
    #[serde(rename = "WebGPU")]
    WebGpu,
    /// WebGL2, with GLSL ES 3.00.
    #[serde(rename = "WebGL2")]
    WebGl2,
}

impl GpuApi {
    /// Both, in the order of preference.
    pub const ALL: [GpuApi; 2] = [GpuApi::WebGpu, GpuApi::WebGl2];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            GpuApi::WebGpu => "WebGPU",
            GpuApi::WebGl2 => "WebGL2",
        }
    }

    /// The API with this name.
    pub fn named(name: &str) -> Option<GpuApi> {
        GpuApi::ALL.into_iter().find(|api| api.name() == name)
    }
}

/// The kind of a component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum GpuNumber {
    /// A float.
    #[default]
    #[serde(rename = "f")]
    Float,
    /// A signed integer.
    #[serde(rename = "i")]
    Int,
    /// An unsigned integer.
    #[serde(rename = "u")]
    Uint,
}

/// A program and its inputs.
///
/// The results are, in this order: the outputs (4 bytes for each component of a pixel, row by row from the top), the depth (4 bytes for
/// each pixel), the buffers that may be written, the storage textures that may be written (their levels). Those of a vertex
/// shader are its captured outputs (4 bytes for each component), vertex by vertex, instance by instance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct GpuJob {
    /// The reason that it cannot run on a GPU; empty if it can.
    pub refused: String,
    /// The version whose text it is.
    pub version: u32,
    /// The API that runs it.
    pub api: GpuApi,
    /// The text of the program, in WGSL or GLSL ES 3.00.
    pub code: String,
    /// The vertex shader that gives a fragment shader its inputs, in the same language; empty for other stages.
    pub vertex: String,
    /// `vertex`, `fragment` or `compute`.
    pub stage: String,
    /// The name of the entry point.
    pub entry: String,
    /// Width and height of the picture.
    pub size: [u32; 2],
    /// Workgroups.
    pub groups: [u32; 3],
    /// True if each pixel is drawn by itself, because inputs without interpolation differ between pixels.
    pub per_pixel: bool,
    /// Vertices and instances of a vertex shader.
    pub vertices: [u32; 2],
    /// The attributes of a vertex shader; the flat inputs of a fragment shader, if each pixel is drawn by itself.
    pub flats: Vec<GpuFlat>,
    /// The names of the outputs of a vertex shader that come back.
    pub captures: Vec<String>,
    /// Bytes that a vertex returns.
    pub vertex_bytes: u32,
    /// True if the program writes the depth.
    pub depth: bool,
    /// Features of the device that it needs.
    pub features: Vec<String>,
    /// Outputs of a fragment shader.
    pub outputs: Vec<GpuOutput>,
    /// Uniform and storage buffers.
    pub buffers: Vec<GpuBuffer>,
    /// Sampled and storage textures.
    pub textures: Vec<GpuTexture>,
    /// Samplers.
    pub samplers: Vec<GpuSampler>,
    /// What the device does not get or may compute differently, in words.
    pub remarks: Vec<String>,
}

/// An input with a value for each pixel, or for each vertex of each instance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuFlat {
    /// Its location.
    pub location: u32,
    /// The kind of its components.
    pub kind: GpuNumber,
    /// Its components.
    pub components: u32,
    /// Its values: 4 bytes for each component of each pixel, row by row, or of each vertex, instance by instance.
    pub bytes: Bytes,
}

/// An output of a fragment shader.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct GpuOutput {
    /// Its location.
    pub location: u32,
    /// The kind of its components.
    pub kind: GpuNumber,
    /// Its components, of 4 bytes each in the results; WebGPU does not return three.
    pub components: u32,
}

/// The access of a program to a buffer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum GpuBufferKind {
    /// It is a uniform buffer.
    #[default]
    Uniform,
    /// It is a storage buffer that is only read.
    Read,
    /// It is a storage buffer that is written.
    Write,
}

/// A buffer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuBuffer {
    /// Its group.
    pub group: u32,
    /// Its binding.
    pub binding: u32,
    /// Its name for WebGL2.
    pub name: String,
    /// The access of the program to it.
    pub kind: GpuBufferKind,
    /// Its content at the start.
    pub bytes: Bytes,
}

/// A texture.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuTexture {
    /// Its group.
    pub group: u32,
    /// Its binding.
    pub binding: u32,
    /// Its name for WebGL2.
    pub name: String,
    /// The sampler that WebGL2 reads it with, by its number in the list of samplers.
    pub sampler: Option<u32>,
    /// `1d`, `2d` or `3d`.
    pub dimension: String,
    /// The same of its view, or `2d-array`, `cube`, `cube-array`.
    pub view: String,
    /// The format of its texels.
    pub format: String,
    /// Bytes of a texel.
    pub texel: u32,
    /// Width, height, and depth or layers.
    pub size: [u32; 3],
    /// Levels of detail.
    pub levels: u32,
    /// For a sampled texture `float`, `sint`, `uint` or `depth`; else empty.
    pub sample: String,
    /// True if it is read through a sampler.
    pub filters: bool,
    /// For a storage texture `read-only`, `write-only` or `read-write`; else empty.
    pub access: String,
    /// Its texels, level by level.
    pub bytes: Bytes,
}

/// A sampler.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GpuSampler {
    /// Its group.
    pub group: u32,
    /// Its binding.
    pub binding: u32,
    /// The comparison, or empty.
    pub comparison: String,
    /// True if it interpolates between texels or levels.
    pub filters: bool,
    /// `nearest` or `linear`.
    pub mag_filter: String,
    /// The same for minification.
    pub min_filter: String,
    /// The same between levels.
    pub mipmap_filter: String,
    /// `repeat`, `mirror-repeat` or `clamp-to-edge`.
    pub address_mode_u: String,
    /// The same along the second axis.
    pub address_mode_v: String,
    /// The same along the third axis.
    pub address_mode_w: String,
    /// Smallest level of detail.
    pub lod_min_clamp: f32,
    /// Largest level of detail.
    pub lod_max_clamp: f32,
}

/// What a GPU computed, compared with the interpreter.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GpuVerdict {
    /// The version whose text ran.
    pub version: u32,
    /// Compared numbers.
    pub compared: u32,
    /// Numbers with other bits, within the tolerance of floats.
    pub rounded: u32,
    /// Numbers that differ.
    pub differing: u32,
    /// A hash of the results: equal ones have the same.
    pub hash: String,
    /// The verdict in words.
    pub summary: String,
    /// The first numbers that differ: place, the interpreter's value, the device's.
    pub differences: Vec<[String; 3]>,
    /// Pixels along an edge of the pictures.
    pub size: u32,
    /// The picture of a fragment shader, then that of the differences: RGBA, a byte each, row by row from the top; empty
    /// if there is none.
    pub pixels: Bytes,
}
