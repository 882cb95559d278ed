//! A version of a run as a program for a GPU, and its results compared.

use super::super::output_names::OutputNames;
use super::super::picture::SIZE;
use super::super::run::VersionRun;
use super::language;
use super::resources::{sampler, texture, unit};
use super::surface::{Bound, Surface};
use super::verdict::{self, Count, Pixels};
use super::vertex::{StageInput, vertex_program};
use crate::back::{DeclaredAccess, Interface, Source, Written, all_funcs, named};
use crate::interp::{InputBytes, Inputs, Named, OutKey, Outcome};
use crate::ir::{GlobalValue, Module, Stage};
use crate::ops::{Bits, Key, Scalar};
use crate::pipeline::{Trace, prepared};
use std::rc::Rc;
use vitrine_protocol::{Bytes, GpuApi, GpuBuffer, GpuBufferKind, GpuFlat, GpuJob, GpuNumber, GpuVerdict};

/// Bytes of a component of an output, and of the depth.
const WORD: usize = 4;

/// Sizes of structures are multiples of at most this, in bytes.
const WHOLE: usize = 16;

/// The inputs that a device does not get.
const MISSING: [&str; 3] = [
    "the inputs of single pixels are not given to the device",
    "the given system values are not given to the device",
    "the run has undefined behavior, so the device may compute anything there",
];

impl VersionRun {
    /// The text of a version with the inputs of the run.
    pub(in super::super) fn gpu_job(&self, trace: &Trace, version: u32, api: GpuApi) -> GpuJob {
        let refused = |refused: String| GpuJob { refused, version, api, ..GpuJob::default() };
        match self.made(trace, version, api) {
            Ok((job, _)) => job,
            Err(why) => refused(why),
        }
    }

    fn made(&self, trace: &Trace, version: u32, api: GpuApi) -> Result<(GpuJob, Surface), String> {
        if self.is_call {
            return Err("A function without an entry point does not run on a GPU.".to_owned());
        }
        match (api, self.stage) {
            (GpuApi::WebGpu, Stage::Fragment | Stage::Compute)
            | (GpuApi::WebGl2, Stage::Fragment | Stage::Vertex) => {}
            (GpuApi::WebGl2, Stage::Compute) => return Err("WebGL2 has no compute shaders.".to_owned()),
            (_, stage) => {
                let (api, stage) = (api.name(), stage.name());
                return Err(format!("{api} cannot return the outputs of a {stage} shader."));
            }
        }
        let module = trace.version(version as usize).ok_or("There is no such version.")?;
        let module = specialized(only(module, self.entry), &self.inputs);
        let (ready, mut text) = written(&module, api)?;
        let declared = std::mem::take(&mut text.interface);
        let surface = Surface::of(&ready, &declared, &self.inputs, api)?;
        let is_fragment = self.stage == Stage::Fragment;
        let mut job = GpuJob {
            version,
            api,
            stage: self.stage.name().to_owned(),
            entry: surface.entry.clone(),
            size: [SIZE; 2],
            groups: self.inputs.groups,
            vertices: self.inputs.vertices,
            features: features(&declared),
            per_pixel: is_fragment && surface.inputs.iter().any(StageInput::differs_between_pixels),
            depth: surface.depth,
            outputs: surface.outputs.clone(),
            captures: surface.captures.iter().map(|capture| capture.name.clone()).collect(),
            vertex_bytes: surface.captures.iter().map(|capture| 4 * capture.words()).sum(),
            code: text.into_text(),
            ..GpuJob::default()
        };
        let input = |of: &StageInput, kind, bytes| GpuFlat {
            location: of.location,
            kind,
            components: of.components.len() as u32,
            bytes: Bytes(bytes),
        };
        if is_fragment {
            let flats = surface.inputs.iter().filter(|of| job.per_pixel && of.is_flat());
            // The vertex shader reads the bits.
            job.flats = flats.map(|of| input(of, GpuNumber::Uint, of.values(job.size))).collect();
            let vertex = vertex_program(&surface.inputs, job.size, job.per_pixel, api);
            let vertex = vertex.map_err(|why| format!("There is no vertex shader: {why}."))?;
            job.vertex = written(&vertex, api)?.1.into_text();
        }
        if self.stage == Stage::Vertex {
            let all = surface.inputs.iter();
            job.flats = all.map(|of| input(of, of.number(), of.vertex_values(job.vertices))).collect();
        }
        self.bind(&surface, &mut job)?;
        self.remark(&surface, &mut job);
        Ok((job, surface))
    }

    /// Adds the resources.
    fn bind(&self, surface: &Surface, job: &mut GpuJob) -> Result<(), String> {
        let inputs = &self.inputs;
        for bound in &surface.bound {
            match bound {
                Bound::Buffer { at, name, of, kind } => {
                    let mut bytes = of.of(inputs).to_vec();
                    // A whole structure must be bound; the length of a runtime array must not change.
                    if !surface.ends_open(at) {
                        bytes.resize(bytes.len().next_multiple_of(WHOLE), 0);
                    }
                    let (name, [group, binding]) = (name.clone(), *at);
                    job.buffers.push(GpuBuffer { group, binding, name, kind: *kind, bytes: Bytes(bytes) });
                }
                Bound::Texture { at, slot: (slot, element), name, ty, access } => {
                    let image = inputs.images.get(slot).and_then(|list| list.get(*element as usize));
                    let image =
                        image.ok_or_else(|| format!("The image `{name}` has no texels in this run."))?;
                    let filters = inputs.samplers.values().flatten().any(|of| of.mag_linear || of.min_linear);
                    let made = texture(*at, image, ty, filters, *access)
                        .map_err(|why| format!("The image `{name}` cannot be bound: {why}."))?;
                    job.textures.push(made);
                }
                Bound::Unit { image: (slot, element), sampler: of, ty, compares, name } => {
                    let texels = inputs.images.get(slot).and_then(|list| list.get(*element as usize));
                    let texels =
                        texels.ok_or_else(|| format!("The image `{name}` has no texels in this run."))?;
                    let of = of.and_then(|(slot, at)| inputs.samplers.get(&slot)?.get(at as usize));
                    let filters = of.is_some_and(|of| of.mag_linear || of.min_linear || of.mip_linear);
                    let mut made = unit(name, texels, ty, filters)
                        .map_err(|why| format!("The image `{name}` cannot be bound: {why}."))?;
                    if let Some(of) = of {
                        let (state, lost) = sampler([0; 2], of, *compares);
                        job.remarks.extend(lost.map(|lost| format!("the sampler of `{name}` {lost}")));
                        made.sampler = Some(job.samplers.len() as u32);
                        job.samplers.push(state);
                    }
                    job.textures.push(made);
                }
                Bound::Sampler { at, slot: (slot, element), name, compares } => {
                    let of = inputs.samplers.get(slot).and_then(|list| list.get(*element as usize));
                    let of = of.ok_or_else(|| format!("The sampler `{name}` has no state in this run."))?;
                    let (made, lost) = sampler(*at, of, *compares);
                    job.remarks.extend(lost.map(|lost| format!("the sampler `{name}` {lost}")));
                    job.samplers.push(made);
                }
            }
        }
        Ok(())
    }

    fn remark(&self, surface: &Surface, job: &mut GpuJob) {
        let lacks_singles = self.stage == Stage::Fragment
            && surface.inputs.iter().any(|input| input.has_singles() && !input.is_flat());
        let is_missing = [lacks_singles, !self.inputs.builtins.is_empty(), self.has_undefined()];
        let missing = MISSING.iter().zip(is_missing).filter(|(_, is_missing)| *is_missing);
        job.remarks.extend(missing.map(|(words, _)| (*words).to_owned()));
        job.remarks.extend(surface.remarks.iter().cloned());
        if job.features.iter().any(|feature| feature == "subgroups") {
            job.remarks.push("the size of subgroups is the device's".to_owned());
        }
    }

    /// Compares the results of the job of a version with this run.
    pub(in super::super) fn gpu_verdict(
        &self,
        trace: &Trace,
        version: u32,
        api: GpuApi,
        data: &[u8],
    ) -> GpuVerdict {
        let reported = |summary: String| GpuVerdict { version, summary, ..GpuVerdict::default() };
        let (job, surface) = match self.made(trace, version, api) {
            Ok(made) => made,
            Err(why) => return reported(why),
        };
        let Some((outcome, picture)) = self.result() else {
            return reported("The interpreter's run is not done: nothing can be compared.".to_owned());
        };
        let mut parts = Parts { rest: data, is_short: false };
        let mut count = Count::default();
        let mut pictures = Vec::new();
        if let (true, Some(ours)) = (self.stage == Stage::Fragment, picture) {
            let pixels = (job.size[0] * job.size[1]) as usize;
            let outputs = job.outputs.iter();
            let outputs =
                outputs.map(|of| (*of, parts.take(pixels * WORD * of.components as usize))).collect();
            let depth = job.depth.then(|| parts.take(pixels * WORD));
            let ports: Vec<_> =
                self.ports.iter().filter(|port| is_drawn(port.key, job.depth)).copied().collect();
            let theirs = Pixels { outputs, depth }.picture(&ports, &OutputNames::of(&self.input, &ports));
            let difference = verdict::pixels(&mut count, ours, &theirs, &ports);
            pictures = [theirs.rgba, difference].concat();
        }
        if self.stage == Stage::Vertex {
            let [vertices, instances] = job.vertices;
            let names = OutputNames::of(&self.input, &self.ports);
            let theirs = parts.take((vertices * instances * job.vertex_bytes) as usize);
            let theirs = verdict::Vertices { captures: &surface.captures, vertices, bytes: theirs };
            theirs.compare(&mut count, outcome, &self.ports, &names);
        }
        self.memory(&surface, outcome, &mut count, &mut parts);
        if !parts.rest.is_empty() || parts.is_short {
            return reported("The device returned results of another size.".to_owned());
        }
        let size = if pictures.is_empty() { 0 } else { SIZE };
        GpuVerdict { size, pixels: Bytes(pictures), ..count.verdict(version, data, "the program") }
    }

    /// Compares buffers and images.
    fn memory(&self, surface: &Surface, outcome: &Outcome, count: &mut Count, parts: &mut Parts<'_>) {
        let mut names = Named::new(&self.input, self.entry, &self.inputs);
        for bound in &surface.bound {
            let &Bound::Buffer { at, of: of @ InputBytes::Buffer(slot, element), kind, .. } = bound else {
                continue;
            };
            if kind != GpuBufferKind::Write {
                continue;
            }
            let size = of.of(&self.inputs).len();
            let bound = if surface.ends_open(&at) { size } else { size.next_multiple_of(WHOLE) };
            let theirs = parts.take(bound).get(..size).unwrap_or_default();
            if let Some(ours) = outcome.buffers.get(&(slot, element)) {
                verdict::buffer(count, &mut names, (slot, element), &self.inputs, ours, theirs);
            }
        }
        for bound in &surface.bound {
            let Bound::Texture { slot: at, name, access: Some(access), .. } = bound else { continue };
            if *access == DeclaredAccess::Read {
                continue;
            }
            let (slot, element) = at;
            let image = self.inputs.images.get(slot).and_then(|list| list.get(*element as usize));
            let Some(image) = image else { continue };
            let theirs = parts.take(image.bytes.len());
            if let Some(ours) = outcome.images.get(at) {
                verdict::image(count, image, name, ours, theirs);
            }
        }
    }
}

/// Bytes that are taken from their front.
struct Parts<'d> {
    rest: &'d [u8],
    /// True if fewer were there than were taken.
    is_short: bool,
}

impl<'d> Parts<'d> {
    /// The next bytes; fewer if there are fewer.
    fn take(&mut self, count: usize) -> &'d [u8] {
        self.is_short |= count > self.rest.len();
        let (part, rest) = self.rest.split_at(count.min(self.rest.len()));
        self.rest = rest;
        part
    }
}

/// True for outputs that a device returns.
fn is_drawn(key: OutKey, depth: bool) -> bool {
    match key {
        OutKey::Location(_, _, index) => index == 0,
        OutKey::BuiltIn(builtin, _) => depth && builtin == crate::ops::Builtin::FragDepth,
        OutKey::Payload(_) => false,
    }
}

/// A module with one of its entry points.
fn only(module: &Module, entry: usize) -> Module {
    let mut module = module.clone();
    module.entries = Rc::new(module.entries.get(entry).cloned().into_iter().collect());
    module
}

/// A module whose specialization constants have the values of a run.
fn specialized(mut module: Module, inputs: &Inputs) -> Module {
    let given: Vec<_> = module
        .globals()
        .filter_map(|(global, data)| {
            let GlobalValue::Spec(default) = data.value else { return None };
            let &bits = inputs.specs.get(&(data.attrs.get(Key::SpecId)? as u32))?;
            Some((global, data.clone(), Scalar::new(module.bits_of(default).width(), bits)))
        })
        .collect();
    for (global, data, value) in given {
        let value = GlobalValue::Spec(module.bits(Bits::scalar(value)));
        module.set_global(global, crate::ir::GlobalData { value, ..data });
    }
    module
}

/// The prepared program and its text.
fn written(module: &Module, api: GpuApi) -> Result<(Module, Written), String> {
    let backend = named(language(api)).map_err(|diag| diag.to_string())?;
    let refused = |diag: crate::ir::Diag| format!("It cannot be written as {}: {diag}", backend.label());
    let ready = prepared(module, backend).map_err(refused)?;
    let funcs = all_funcs(&ready);
    let mut out = crate::back::Output::new();
    match backend.write(&Source::new(&ready, &funcs), &mut out) {
        Ok(()) => Ok((ready, out.finish())),
        Err(diags) => {
            Err(diags.into_iter().next().map_or_else(|| "It cannot be written.".to_owned(), refused))
        }
    }
}

/// The features of WebGPU that a text enables.
fn features(declared: &Interface) -> Vec<String> {
    let feature = |&name: &&str| if name == "f16" { "shader-f16" } else { name }.to_owned();
    declared.extensions.iter().map(feature).collect()
}
