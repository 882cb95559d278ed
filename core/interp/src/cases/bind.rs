//! Inputs of a module for a run of a case: variables by name to locations, slots and bytes.

use super::contents::Contents;
use super::model::{CaseRun, NamedCase};
use crate::image::{Dim, Format, Image, Sampler};
use crate::inputs::{Inputs, Limits, Slot, Varying, slot_of};
use crate::out_key::OutKey;
use crate::ports::ports;
use crate::seeded;
use vitrine_ir::ops::Builtin;
use vitrine_ir::{Mode, Module, Stage, Var};

/// Pixels of the frame of a pixel shader.
const FRAME: [u32; 2] = [4, 2];

/// Vertices and instances of a draw.
const VERTICES: [u32; 2] = [4, 2];

/// Bytes of a row of constants.
const ROW_BYTES: usize = 16;

impl NamedCase {
    /// The inputs of each run.
    ///
    /// # Errors
    ///
    /// A sentence if the module has no entry point of the stage.
    pub fn inputs(&self, module: &Module) -> Result<Vec<Inputs>, String> {
        let entry = self.entry(module)?;
        Ok(self.runs.iter().map(|run| run.inputs(module, entry, self.stage)).collect())
    }
}

impl CaseRun {
    fn inputs(&self, module: &Module, entry: usize, stage: Stage) -> Inputs {
        let mut inputs = zeros(module, entry);
        match stage {
            Stage::Fragment => (inputs.frame, inputs.rect) = (FRAME, [0, 0, FRAME[0], FRAME[1]]),
            Stage::Vertex => inputs.vertices = VERTICES,
            _ => inputs.groups = self.groups,
        }
        for (var, data) in module.vars().filter(|(_, data)| data.owner.is_none()) {
            let Some(slot) = slot_of(module, var) else { continue };
            let name = module.name_of(var);
            match data.mode {
                Mode::Uniform => self.bind_rows(&name, slot, &mut inputs),
                Mode::Storage | Mode::Handle => self.bind_resource(&name, slot, &mut inputs),
                Mode::In
                | Mode::Out
                | Mode::Push
                | Mode::Private
                | Mode::Local
                | Mode::Shared
                | Mode::Payload
                | Mode::Physical
                | Mode::Callable
                | Mode::Generic => {}
            }
        }
        self.bind_stage(module, entry, &mut inputs);
        inputs
    }

    /// Fills the rows of a uniform buffer. Rows beyond the declared ones are appended.
    fn bind_rows(&self, name: &str, slot: Slot, inputs: &mut Inputs) {
        let list = inputs.buffers.entry(slot).or_default();
        if list.is_empty() {
            list.push(Vec::new());
        }
        let Some(bytes) = list.first_mut() else { return };
        let rows = self.constants.range((name.to_owned(), 0)..=(name.to_owned(), u32::MAX));
        for ((_, row), words) in rows {
            let start = *row as usize * ROW_BYTES;
            // No register set has as many rows.
            if *row > 1 << 16 {
                continue;
            }
            if bytes.len() < start + ROW_BYTES {
                bytes.resize(start + ROW_BYTES, 0);
            }
            for (at, word) in words.iter().enumerate() {
                bytes[start + 4 * at..start + 4 * at + 4].copy_from_slice(&word.to_le_bytes());
            }
        }
    }

    fn bind_resource(&self, name: &str, slot: Slot, inputs: &mut Inputs) {
        let Some(contents) = self.resources.get(name) else { return };
        if let Some(buffers) = inputs.buffers.get_mut(&slot).and_then(|list| list.first_mut()) {
            *buffers = contents.bytes().to_vec();
        }
        if let Some(bound) = inputs.images.get_mut(&slot).and_then(|list| list.first_mut()) {
            match contents {
                Contents::Image(image) => *bound = image.clone(),
                // A raw buffer that the module declares as an image of words.
                Contents::Raw(bytes) => {
                    let format =
                        if bound.format.bytes() == 4 { bound.format } else { word_format(bound.format) };
                    let size = [(bytes.len() / 4) as u32, 1, 1];
                    let made = Image::new(format, Dim::Buffer, size, [1; 3], bytes.len().max(4) as u64);
                    if let Some(mut made) = made.filter(|made| made.bytes.len() == bytes.len()) {
                        made.bytes.clone_from(bytes);
                        *bound = made;
                    }
                }
            }
        }
    }

    /// Sets the inputs of the stage by name and component.
    fn bind_stage(&self, module: &Module, entry: usize, inputs: &mut Inputs) {
        for port in ports(module, entry, Mode::In) {
            let OutKey::Location(location, component, _) = port.key else { continue };
            let name = module.name_of(port.var);
            let input = self.inputs.iter().find(|input| input.name == name);
            let plane = input.and_then(|input| {
                let plane = input.planes.iter().find(|plane| plane.component == component)?;
                let [dx, dy] = plane.slope;
                Some(Varying { base: u64::from(plane.base), dx, dy, float: input.is_float })
            });
            if let Some(plane) = plane {
                inputs.varyings.insert((location, component), plane);
            }
        }
    }
}

/// The format with one channel of 32 bits and the kind of another one.
fn word_format(like: Format) -> Format {
    let name = match like.kind() {
        kind if kind.is_float() => "r32f",
        crate::image::ChannelKind::Sint => "r32i",
        _ => "r32ui",
    };
    Format::from_name(name).unwrap_or(like)
}

/// Inputs that fit the declarations of a module, with the value 0.
fn zeros(module: &Module, entry: usize) -> Inputs {
    let mut inputs = seeded(module, entry, 0);
    inputs.limits = Limits::default();
    inputs.subgroup = Inputs::default().subgroup;
    for bytes in inputs.buffers.values_mut().flatten().chain([&mut inputs.push]) {
        bytes.fill(0);
    }
    inputs.images.values_mut().flatten().for_each(|image| image.bytes.fill(0));
    inputs.samplers.values_mut().flatten().for_each(|sampler| *sampler = Sampler::default());
    for varying in inputs.varyings.values_mut() {
        *varying = Varying { base: 0, dx: 0.0, dy: 0.0, ..*varying };
    }
    inputs.singles.clear();
    inputs
}

/// The variable of an output, by name; registers that are system values are found by those, too.
pub(super) fn output_key(module: &Module, entry: usize, name: &str, component: u32) -> Option<OutKey> {
    let wanted = OUTPUT_VALUES.iter().find(|(known, _)| *known == name).map(|&(_, builtin)| builtin);
    let has_name = |var: Var| module.name_of(var) == name;
    ports(module, entry, Mode::Out).iter().map(|port| (port.var, port.key)).find_map(|(var, key)| {
        let fits = match key {
            OutKey::Location(_, at, _) => at == component && has_name(var),
            OutKey::BuiltIn(builtin, at) => at == component && (wanted == Some(builtin) || has_name(var)),
            OutKey::Payload(_) => false,
        };
        fits.then_some(key)
    })
}

/// Outputs that are system values in every version.
const OUTPUT_VALUES: &[(&str, Builtin)] =
    &[("oPos", Builtin::Position), ("oPts", Builtin::PointSize), ("oDepth", Builtin::FragDepth)];
