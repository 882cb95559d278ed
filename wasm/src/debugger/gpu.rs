//! Programs for the GPU of the machine, and verdicts, as messages.

use vitrine_protocol::{Bytes, GpuBuffer, GpuJob, GpuOutput, GpuSampler, GpuTexture, GpuVerdict};

use crate::model::debugger as model;

/// A program with its inputs.
pub(super) fn job(of: model::GpuJob) -> GpuJob {
    GpuJob {
        refused: of.refused,
        version: of.version,
        code: of.code,
        vertex: of.vertex,
        stage: if of.is_fragment { "fragment" } else { "compute" }.to_owned(),
        entry: of.entry,
        size: of.size,
        groups: of.groups,
        per_pixel: of.per_pixel,
        depth: of.depth,
        features: of.features,
        outputs: of.outputs.into_iter().map(output).collect(),
        buffers: of.buffers.into_iter().map(buffer).collect(),
        textures: of.textures.into_iter().map(texture).collect(),
        samplers: of.samplers.into_iter().map(sampler).collect(),
        remarks: of.remarks,
    }
}

fn output((location, kind): (u32, char)) -> GpuOutput {
    GpuOutput { location, kind: kind.to_string() }
}

fn buffer(of: model::GpuBuffer) -> GpuBuffer {
    let [group, binding] = of.at;
    GpuBuffer { group, binding, kind: of.kind.to_owned(), bytes: Bytes(of.bytes) }
}

fn texture(of: model::GpuTexture) -> GpuTexture {
    let [group, binding] = of.at;
    GpuTexture {
        group,
        binding,
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
