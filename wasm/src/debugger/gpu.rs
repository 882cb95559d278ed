//! Programs for the GPU of the machine, and verdicts, as objects for `www/gpu.js`.
//!
//! They are no messages of the protocol: the page's program never sees them.

use serde::Serialize;
use vitrine_protocol::{
    Bytes, GpuBuffer, GpuFlat, GpuJob, GpuOutput, GpuSampler, GpuTexture, GpuVerdict, js,
};
use wasm_bindgen::JsValue;

use crate::model::debugger as model;

/// An object for a script; `undefined` if it has none, which no type of this file is.
pub(super) fn object(of: &impl Serialize) -> JsValue {
    js::encode_object(of).map_or(JsValue::UNDEFINED, |message| message.value)
}

/// The API with a name.
pub(super) fn api(name: &str) -> model::GpuApi {
    let all = [model::GpuApi::WebGpu, model::GpuApi::WebGl2];
    all.into_iter().find(|api| api.name() == name).unwrap_or_default()
}

/// A program with its inputs.
pub(super) fn job(of: model::GpuJob) -> GpuJob {
    GpuJob {
        refused: of.refused,
        version: of.version,
        api: of.api.name().to_owned(),
        code: of.code,
        vertex: of.vertex,
        stage: of.stage.to_owned(),
        entry: of.entry,
        size: of.size,
        groups: of.groups,
        per_pixel: of.per_pixel,
        vertices: of.vertices,
        flats: of.flats.into_iter().map(flat).collect(),
        captures: of.captures,
        vertex_bytes: of.vertex_bytes,
        depth: of.depth,
        features: of.features,
        outputs: of.outputs.into_iter().map(output).collect(),
        buffers: of.buffers.into_iter().map(buffer).collect(),
        textures: of.textures.into_iter().map(texture).collect(),
        samplers: of.samplers.into_iter().map(sampler).collect(),
        remarks: of.remarks,
    }
}

fn flat(of: model::GpuInput) -> GpuFlat {
    let model::GpuInput { location, kind, components, bytes } = of;
    GpuFlat { location, kind: kind.to_string(), components, bytes: Bytes(bytes) }
}

fn output(of: model::GpuOutput) -> GpuOutput {
    GpuOutput { location: of.location, kind: of.kind.to_string(), components: of.components }
}

fn buffer(of: model::GpuBuffer) -> GpuBuffer {
    let [group, binding] = of.at;
    GpuBuffer { group, binding, name: of.name, kind: of.kind.to_owned(), bytes: Bytes(of.bytes) }
}

fn texture(of: model::GpuTexture) -> GpuTexture {
    let [group, binding] = of.at;
    GpuTexture {
        group,
        binding,
        name: of.name,
        sampler: of.sampler.map_or(-1, |at| at as i32),
        dimension: of.dimension.to_owned(),
        view: of.view.to_owned(),
        format: of.format.to_owned(),
        texel: of.texel,
        size: of.size,
        levels: of.levels,
        sample: of.sample.to_owned(),
        filters: of.filters,
        access: of.access.to_owned(),
        bytes: Bytes(of.bytes),
    }
}

fn sampler(of: model::GpuSampler) -> GpuSampler {
    let [group, binding] = of.at;
    let [mag_filter, min_filter, mipmap_filter] = of.filter.map(str::to_owned);
    let [address_mode_u, address_mode_v, address_mode_w] = of.wrap.map(str::to_owned);
    let [lod_min_clamp, lod_max_clamp] = of.lod;
    GpuSampler {
        group,
        binding,
        comparison: of.comparison.to_owned(),
        filters: of.filters,
        mag_filter,
        min_filter,
        mipmap_filter,
        address_mode_u,
        address_mode_v,
        address_mode_w,
        lod_min_clamp,
        lod_max_clamp,
    }
}

/// What a device computed, compared.
pub(super) fn verdict(of: model::GpuVerdict) -> GpuVerdict {
    GpuVerdict {
        version: of.version,
        compared: of.compared,
        rounded: of.rounded,
        differing: of.differing,
        hash: of.hash,
        summary: of.summary,
        differences: of.differences,
        size: of.size,
        pixels: Bytes(of.pixels),
    }
}
