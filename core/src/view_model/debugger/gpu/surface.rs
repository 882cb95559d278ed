//! The interface of a prepared program on a device: resources, inputs and outputs, as its text declares them.

use super::units::{Capture, Unit, Units, captures};
use super::vertex::StageInput;
use super::{GpuApi, GpuOutput};
use crate::back::text::wgsl_bindings;
use crate::interp::{InputBytes, Inputs, Slot};
use crate::ir::{ImageType, Mode, Module, Stage, Type, TypeData, Var};
use crate::ops::words::InterpPlace;
use crate::ops::{Builtin, Interp, Key, Width};

/// A resource and its place in the text.
pub(super) enum Bound {
    /// A uniform or storage buffer, or the push constants. The kind is `uniform`, `read` or `write`; WebGL2 finds it by name.
    Buffer { at: [u32; 2], name: String, of: InputBytes, kind: &'static str },
    /// An image, by slot and element; the access is empty for a sampled one.
    Texture { at: [u32; 2], slot: (Slot, u32), name: String, ty: ImageType, access: &'static str },
    /// An image with its sampler, of this type and name in a text of WebGL2.
    Unit { image: Slot, sampler: Option<Slot>, ty: String, name: String },
    /// A sampler, by slot and element.
    Sampler { at: [u32; 2], slot: (Slot, u32), name: String, compares: bool },
}

/// The interface of a program on a device.
#[derive(Default)]
pub(super) struct Surface {
    /// The name of the entry point in the text.
    pub(super) entry: String,
    /// Resources in the order of their variables.
    pub(super) bound: Vec<Bound>,
    /// Inputs of a fragment or a vertex shader.
    pub(super) inputs: Vec<StageInput>,
    /// Outputs of a fragment shader.
    pub(super) outputs: Vec<GpuOutput>,
    /// Outputs of a vertex shader.
    pub(super) captures: Vec<Capture>,
    /// True if it writes the depth.
    pub(super) depth: bool,
    /// Inputs that the device does not get, in words.
    pub(super) remarks: Vec<String>,
    /// The API whose text it is.
    api: GpuApi,
    /// The buffers that end in an array without a length.
    open: Vec<[u32; 2]>,
}

impl Surface {
    /// The surface of a prepared module with one entry point, and of its text.
    ///
    /// # Errors
    ///
    /// The reason why a device cannot get a resource, as a sentence.
    pub(super) fn of(module: &Module, code: &str, inputs: &Inputs, api: GpuApi) -> Result<Surface, String> {
        let Some(entry) = module.entries.first() else { return Err("There is no entry point.".to_owned()) };
        let places = wgsl_bindings(module);
        let mut surface = Surface { entry: "main".to_owned(), api, ..Surface::default() };
        if api == GpuApi::WebGl2 {
            surface.units(Units::of(code)?);
            if entry.stage == Stage::Vertex {
                surface.captures = captures(code)?;
            }
        }
        for (var, data) in module.vars().filter(|(_, data)| data.owner.is_none()) {
            match data.mode {
                // The text of WebGL2 declares its resources by name.
                Mode::Uniform | Mode::Storage | Mode::Push | Mode::Handle if api == GpuApi::WebGl2 => {}
                Mode::Uniform | Mode::Storage | Mode::Push | Mode::Handle => {
                    let at = places.get(&var).copied().unwrap_or_default();
                    // A resource that the text does not declare is unused.
                    if let Some(declared) = declaration(code, at) {
                        surface.resource(module, var, at, declared)?;
                    }
                }
                Mode::In if entry.stage != Stage::Compute && entry.interface.contains(&var) => {
                    surface.input(module, var, inputs)?;
                }
                Mode::Out if entry.stage == Stage::Fragment && entry.interface.contains(&var) => {
                    surface.output(module, var)?;
                }
                Mode::In
                | Mode::Out
                | Mode::Private
                | Mode::Local
                | Mode::Shared
                | Mode::Payload
                | Mode::Physical
                | Mode::Callable
                | Mode::Generic => {}
            }
        }
        surface.inputs.sort_by_key(|input| input.location);
        surface.outputs.sort_unstable();
        Ok(surface)
    }
}

impl Surface {
    /// True if the buffer at this group and binding ends in an array without a length.
    pub(super) fn ends_open(&self, at: &[u32; 2]) -> bool {
        self.open.contains(at)
    }

    /// Adds the resources of a text of WebGL2.
    fn units(&mut self, of: Units) {
        for block in of.blocks {
            let bytes = block.slot.map_or(InputBytes::Push, |slot| InputBytes::Buffer(slot, block.element));
            self.bound.push(Bound::Buffer { at: [0; 2], name: block.name, of: bytes, kind: "uniform" });
        }
        for Unit { image, sampler, ty, name } in of.units {
            self.bound.push(Bound::Unit { image, sampler, ty, name });
        }
    }

    /// Adds a buffer, an image or a sampler.
    fn resource(&mut self, module: &Module, var: Var, at: [u32; 2], declared: &str) -> Result<(), String> {
        let Some(data) = module.var(var) else { return Ok(()) };
        let name = module.name_of(var);
        let slot = slot(module, var);
        match (data.mode, module.type_of(data.ty)) {
            (Mode::Push | Mode::Uniform | Mode::Storage, _) => {
                let kind = match declared {
                    _ if declared.contains("var<uniform>") => "uniform",
                    _ if declared.contains("read_write") => "write",
                    _ => "read",
                };
                if ends_open(module, data.ty) {
                    self.open.push(at);
                }
                let is_push = data.mode == Mode::Push;
                let of = if is_push { InputBytes::Push } else { InputBytes::Buffer(slot.0, slot.1) };
                self.bound.push(Bound::Buffer { at, name, of, kind });
            }
            (_, &TypeData::Image(ty)) => {
                let access = match (declared.contains("texture_storage_"), declared) {
                    (false, _) => "",
                    (true, _) if declared.contains(", read_write>") => "read-write",
                    (true, _) if declared.contains(", read>") => "read-only",
                    (true, _) => "write-only",
                };
                if declared.contains("texture_depth_") {
                    return Err(format!("`{name}` is a depth image, which a page cannot fill with texels."));
                }
                self.bound.push(Bound::Texture { at, slot, name, ty, access });
            }
            (_, TypeData::Sampler) => {
                let compares = declared.contains("sampler_comparison");
                self.bound.push(Bound::Sampler { at, slot, name, compares });
            }
            _ => return Err(format!("`{name}` is a resource that WebGPU does not have.")),
        }
        Ok(())
    }

    /// Adds an input of the stage; system values need nothing.
    fn input(&mut self, module: &Module, var: Var, inputs: &Inputs) -> Result<(), String> {
        let Some(data) = module.var(var) else { return Ok(()) };
        let Some(location) = data.attrs.get(Key::Location) else { return Ok(()) };
        let name = module.name_of(var);
        let refused = || format!("The input `{name}` has a type that {} does not take.", self.api.name());
        // A column of a matrix has a location of its own; WebGPU's text has no matrices here.
        let (ty, columns) = match *module.type_of(data.ty) {
            TypeData::Matrix { column, columns, .. } if self.api == GpuApi::WebGl2 => {
                (column, u32::from(columns))
            }
            _ => (data.ty, 1),
        };
        let (scalar, width, components) = number(module, ty).ok_or_else(refused)?;
        if columns > 1 && self.captures.is_empty() {
            return Err(refused());
        }
        let interp = data.attrs.words();
        let ty = if components == 1 { scalar.to_owned() } else { format!("vec{components}<{scalar}>") };
        for location in (0..columns).map(|column| location as u32 + column) {
            let all = (0..components).map(|at| (location, at));
            self.inputs.push(StageInput {
                location,
                ty: ty.clone(),
                scalar,
                interpolation: interpolation(interp, scalar).to_owned(),
                width,
                components: all
                    .clone()
                    .map(|at| inputs.varyings.get(&at).copied().unwrap_or_default())
                    .collect(),
                singles: all.map(|at| inputs.singles.get(&at).cloned().unwrap_or_default()).collect(),
            });
        }
        Ok(())
    }

    /// Adds an output of a fragment shader.
    fn output(&mut self, module: &Module, var: Var) -> Result<(), String> {
        let Some(data) = module.var(var) else { return Ok(()) };
        let Some(location) = data.attrs.get(Key::Location) else {
            self.depth |= data.attrs.word() == Some(Builtin::FragDepth);
            return Ok(());
        };
        let name = module.name_of(var);
        let (kind, components) = match number(module, data.ty) {
            Some((.., 3)) if self.api == GpuApi::WebGpu => {
                return Err(format!(
                    "The output `{name}` has three components: no format of WebGPU has them."
                ));
            }
            Some(("i32", _, components)) => ('i', components),
            Some(("u32", _, components)) => ('u', components),
            Some((.., components)) => ('f', components),
            None => {
                let api = self.api.name();
                return Err(format!("The output `{name}` has a type that {api} does not draw."));
            }
        };
        self.outputs.push(GpuOutput { location: location as u32, kind, components });
        Ok(())
    }
}

/// True if the last member of a structure is an array without a length.
fn ends_open(module: &Module, ty: Type) -> bool {
    let TypeData::Struct(structure) = *module.type_of(ty) else { return false };
    let last = module.structure(structure).and_then(|data| data.members.last().map(|member| member.ty));
    last.is_some_and(|ty| matches!(module.type_of(ty), TypeData::RuntimeArray { .. }))
}

/// The line that declares the resource at a group and a binding.
fn declaration(code: &str, [group, binding]: [u32; 2]) -> Option<&str> {
    let start = format!("@group({group}) @binding({binding}) ");
    code.lines().find(|line| line.starts_with(&start))
}

/// Set and binding of a resource in the program, and its number in an array there.
fn slot(module: &Module, var: Var) -> (Slot, u32) {
    let attrs = module.var(var).map(|data| &data.attrs);
    let number = |key| attrs.and_then(|attrs| attrs.get(key)).unwrap_or(0) as u32;
    ((number(Key::Set), number(Key::Binding)), number(Key::Element))
}

/// The scalar, the width of its bits, and the components of a number type.
fn number(module: &Module, ty: Type) -> Option<(&'static str, Width, u32)> {
    let (of, components) = match *module.type_of(ty) {
        TypeData::Vector { of, components } => (of, u32::from(components)),
        _ => (ty, 1),
    };
    let (scalar, width) = match *module.type_of(of) {
        TypeData::Float { width: Width::W32 } => ("f32", Width::W32),
        TypeData::Float { width: Width::W16 } => ("f16", Width::W16),
        TypeData::Int { width: Width::W32, signed: true } => ("i32", Width::W32),
        TypeData::Int { width: Width::W32, signed: false } => ("u32", Width::W32),
        _ => return None,
    };
    Some((scalar, width, components))
}

/// The attribute of an input with this interpolation.
fn interpolation(interp: Interp, scalar: &str) -> &'static str {
    if interp.has(Interp::FLAT) || matches!(scalar, "i32" | "u32") {
        return "@interpolate(flat)";
    }
    match (interp.place(), interp.has(Interp::NOPERSPECTIVE)) {
        (InterpPlace::Center, false) => "",
        (InterpPlace::Center, true) => "@interpolate(linear)",
        (InterpPlace::Centroid, false) => "@interpolate(perspective, centroid)",
        (InterpPlace::Centroid, true) => "@interpolate(linear, centroid)",
        (InterpPlace::Sample, false) => "@interpolate(perspective, sample)",
        (InterpPlace::Sample, true) => "@interpolate(linear, sample)",
    }
}
