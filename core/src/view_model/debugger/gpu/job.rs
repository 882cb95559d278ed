//! A version of a run as a program for a GPU, and its results compared.

use super::super::output_names::OutputNames;
use super::super::picture::SIZE;
use super::super::run::VersionRun;
use super::resources::{GpuBuffer, sampler, texture};
use super::surface::{Bound, Surface};
use super::verdict::{self, Count, Pixels};
use super::vertex::{StageInput, vertex_shader};
use super::{GpuJob, GpuVerdict};
use crate::back::{Source, all_funcs, named};
use crate::interp::{InputBytes, Named, OutKey, Outcome};
use crate::ir::{Module, Stage};
use crate::pipeline::{Settings, Trace, prepare};
use std::rc::Rc;

/// Bytes of a component of an output, and of the depth.
const WORD: usize = 4;

/// Sizes of structures are multiples of at most this, in bytes.
const WHOLE: usize = 16;

/// The language of the text.
const LANGUAGE: &str = "wgsl";

/// The inputs that a device does not get.
const MISSING: [&str; 3] = [
    "the inputs of single pixels are not given to the device",
    "the given system values are not given to the device",
    "the run has undefined behavior, so the device may compute anything there",
];

impl VersionRun {
    /// The text of a version with the inputs of the run.
    pub(in super::super) fn gpu_job(&self, trace: &Trace, version: u32) -> GpuJob {
        let refused = |refused: String| GpuJob { refused, version, ..GpuJob::default() };
        match self.made(trace, version) {
            Ok((job, _)) => job,
            Err(why) => refused(why),
        }
    }

    fn made(&self, trace: &Trace, version: u32) -> Result<(GpuJob, Surface), String> {
        if self.is_call {
            return Err("A function without an entry point does not run on a GPU.".to_owned());
        }
        let is_fragment = match self.stage {
            Stage::Fragment => true,
            Stage::Compute => false,
            stage => {
                return Err(format!("WebGPU cannot return the outputs of a {} shader.", stage.name()));
            }
        };
        let module = trace.version(version as usize).ok_or("There is no such version.")?;
        let module = only(module, self.entry);
        let (ready, code) = written(&module)?;
        let surface = Surface::of(&ready, &code, &self.inputs)?;
        let mut job = GpuJob {
            version,
            is_fragment,
            entry: surface.entry.clone(),
            size: [SIZE; 2],
            groups: self.inputs.groups,
            features: features(&code),
            per_pixel: surface.inputs.iter().any(StageInput::differs_between_pixels),
            depth: surface.depth,
            outputs: surface.outputs.clone(),
            code,
            ..GpuJob::default()
        };
        if is_fragment {
            let flats = surface.inputs.iter().filter(|input| job.per_pixel && input.is_flat());
            job.flats = flats
                .map(|input| (input.location, input.components.len() as u32, input.values(job.size)))
                .collect();
            job.vertex = vertex_shader(&surface.inputs, job.size, job.per_pixel);
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
                Bound::Buffer { at, of, kind } => {
                    let mut bytes = of.of(inputs).to_vec();
                    // A whole structure must be bound; the length of a runtime array must not change.
                    if !surface.ends_open(at) {
                        bytes.resize(bytes.len().next_multiple_of(WHOLE), 0);
                    }
                    job.buffers.push(GpuBuffer { at: *at, kind, bytes });
                }
                Bound::Texture { at, slot, name, ty, access } => {
                    let image = inputs.images.get(slot).and_then(|list| list.first());
                    let image =
                        image.ok_or_else(|| format!("The image `{name}` has no texels in this run."))?;
                    let filters = inputs.samplers.values().flatten().any(|of| of.mag_linear || of.min_linear);
                    let made = texture(*at, image, ty, filters, access)
                        .map_err(|why| format!("The image `{name}` cannot be bound: {why}."))?;
                    job.textures.push(made);
                }
                Bound::Sampler { at, slot, name, compares } => {
                    let of = inputs.samplers.get(slot).and_then(|list| list.first());
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
        let lacks_singles = surface.inputs.iter().any(|input| input.has_singles() && !input.is_flat());
        let is_missing = [lacks_singles, !self.inputs.builtins.is_empty(), self.has_undefined()];
        let missing = MISSING.iter().zip(is_missing).filter(|(_, is_missing)| *is_missing);
        job.remarks.extend(missing.map(|(words, _)| (*words).to_owned()));
        job.remarks.extend(surface.remarks.iter().cloned());
        if job.features.iter().any(|feature| feature == "subgroups") {
            job.remarks.push("the size of subgroups is the device's".to_owned());
        }
    }

    /// Compares the results of the job of a version with this run.
    pub(in super::super) fn gpu_verdict(&self, trace: &Trace, version: u32, data: &[u8]) -> GpuVerdict {
        let reported = |summary: String| GpuVerdict { version, summary, ..GpuVerdict::default() };
        let (job, surface) = match self.made(trace, version) {
            Ok(made) => made,
            Err(why) => return reported(why),
        };
        let Some((outcome, picture)) = self.result() else {
            return reported("The interpreter's run is not done: nothing can be compared.".to_owned());
        };
        let mut parts = Parts { rest: data, is_short: false };
        let mut count = Count::default();
        let mut pictures = Vec::new();
        if let (true, Some(ours)) = (job.is_fragment, picture) {
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
        self.memory(&surface, outcome, &mut count, &mut parts);
        if !parts.rest.is_empty() || parts.is_short {
            return reported("The device returned results of another size.".to_owned());
        }
        let size = if pictures.is_empty() { 0 } else { SIZE };
        GpuVerdict { size, pixels: pictures, ..count.verdict(version, data, "the program") }
    }

    /// Compares buffers and images.
    fn memory(&self, surface: &Surface, outcome: &Outcome, count: &mut Count, parts: &mut Parts<'_>) {
        let mut names = Named::new(&self.input, self.entry, &self.inputs);
        for bound in &surface.bound {
            let &Bound::Buffer { at, of: of @ InputBytes::Buffer(slot, element), kind: "write" } = bound
            else {
                continue;
            };
            let size = of.of(&self.inputs).len();
            let bound = if surface.ends_open(&at) { size } else { size.next_multiple_of(WHOLE) };
            let theirs = parts.take(bound).get(..size).unwrap_or_default();
            if let Some(ours) = outcome.buffers.get(&(slot, element)) {
                verdict::buffer(count, &mut names, (slot, element), &self.inputs, ours, theirs);
            }
        }
        for bound in &surface.bound {
            let Bound::Texture { slot, name, access: "write-only" | "read-write", .. } = bound else {
                continue;
            };
            let Some(image) = self.inputs.images.get(slot).and_then(|list| list.first()) else { continue };
            let theirs = parts.take(image.bytes.len());
            if let Some(ours) = outcome.images.get(&(*slot, 0)) {
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
        OutKey::BuiltIn(number, _) => {
            depth && crate::ops::attr::BUILTINS.get(number as usize) == Some(&"frag_depth")
        }
        OutKey::Payload(_) => false,
    }
}

/// A module with one of its entry points.
fn only(module: &Module, entry: usize) -> Module {
    let mut module = module.clone();
    module.entries = Rc::new(module.entries.get(entry).cloned().into_iter().collect());
    module
}

/// The prepared program and its text.
fn written(module: &Module) -> Result<(Module, String), String> {
    let says = |diag: crate::ir::Diag| format!("It cannot be written as WGSL: {diag}");
    let backend = named(LANGUAGE).map_err(says)?;
    let ready = prepare(module, backend, Settings::default(), None).map_err(says)?;
    let funcs = all_funcs(&ready);
    let mut out = crate::back::Output::new();
    match backend.write(&Source::new(&ready, &funcs), &mut out) {
        Ok(()) => Ok((ready, out.finish().into_text())),
        Err(diags) => Err(diags.into_iter().next().map_or_else(|| "It cannot be written.".to_owned(), says)),
    }
}

/// The features of WebGPU that a text enables.
fn features(code: &str) -> Vec<String> {
    let enabled = code.lines().filter_map(|line| line.strip_prefix("enable ")?.strip_suffix(';'));
    enabled.map(|name| if name == "f16" { "shader-f16" } else { name }.to_owned()).collect()
}
