//! The interface of a prepared program on a device: resources, inputs and outputs, as the writer of its text recorded them.

use super::vertex::StageInput;
use crate::back::{Declared, DeclaredAccess, DeclaredKind, DeclaredPort, Interface, Pair};
use crate::interp::{InputBytes, Inputs, NumberKind, Slot};
use crate::ir::{ImageType, Len, Mode, Module, Stage, Type, TypeData, Var};
use crate::ops::{Builtin, Key, Width};
use vitrine_protocol::{GpuApi, GpuBufferKind, GpuNumber, GpuOutput};

/// A resource and its place in the text.
pub(super) enum Bound {
    /// A uniform or storage buffer, or the push constants. WebGL2 finds it by name.
    Buffer { at: [u32; 2], name: String, of: InputBytes, kind: GpuBufferKind },
    /// An image, by slot and element; the access is that of a storage image.
    Texture { at: [u32; 2], slot: (Slot, u32), name: String, ty: ImageType, access: Option<DeclaredAccess> },
    /// An image with its sampler, each by slot and element, of this type and name in a text of WebGL2.
    Unit { image: (Slot, u32), sampler: Option<(Slot, u32)>, ty: String, compares: bool, name: String },
    /// A sampler, by slot and element.
    Sampler { at: [u32; 2], slot: (Slot, u32), name: String, compares: bool },
}

/// An output of a vertex shader that WebGL2 returns: a name in the text, its locations, and the components of each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Capture {
    /// Its name.
    pub(super) name: String,
    /// Its location; none for a system value.
    pub(super) location: Option<u32>,
    /// Locations that it takes: columns of a matrix, elements of an array.
    pub(super) columns: u32,
    /// Components of each.
    pub(super) components: u32,
}

impl Capture {
    /// The number of its words, of 4 bytes.
    pub(super) fn words(&self) -> u32 {
        self.columns * self.components
    }
}

/// The interface of a program on a device.
#[derive(Default)]
pub(super) struct Surface {
    /// The name of the entry point in the text.
    pub(super) entry: String,
    /// Resources in the order of the text.
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
    /// The surface of a prepared module with one entry point, and of what its text declares.
    ///
    /// # Errors
    ///
    /// The reason why a device cannot get a resource, as a sentence.
    pub(super) fn of(
        module: &Module,
        declared: &Interface,
        inputs: &Inputs,
        api: GpuApi,
    ) -> Result<Surface, String> {
        let Some(entry) = module.entries.first() else { return Err("There is no entry point.".to_owned()) };
        let name = declared.entries.first().cloned().unwrap_or_default();
        let mut surface = Surface { entry: name, api, ..Surface::default() };
        for resource in &declared.resources {
            match api {
                GpuApi::WebGpu => surface.resource(module, resource)?,
                GpuApi::WebGl2 => surface.by_name(module, resource)?,
            }
        }
        if (api, entry.stage) == (GpuApi::WebGl2, Stage::Vertex) {
            surface.captures = captures(module, declared)?;
        }
        for (var, data) in module.vars().filter(|(_, data)| data.owner.is_none()) {
            match data.mode {
                Mode::In if entry.stage != Stage::Compute && entry.interface.contains(&var) => {
                    surface.input(module, var, inputs)?;
                }
                Mode::Out if entry.stage == Stage::Fragment && entry.interface.contains(&var) => {
                    surface.output(module, var)?;
                }
                Mode::Uniform
                | Mode::Storage
                | Mode::Push
                | Mode::Handle
                | Mode::In
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

    /// Adds a resource that WebGL2 finds by its name.
    fn by_name(&mut self, module: &Module, of: &Declared) -> Result<(), String> {
        match &of.kind {
            DeclaredKind::Uniform => {
                let is_push = module.var(of.var).is_some_and(|data| data.mode == Mode::Push);
                let (slot, first) = slot(module, of.var);
                for at in 0..of.elements.unwrap_or(1) {
                    let name = match of.elements {
                        Some(_) => format!("{}[{at}]", of.name),
                        None => of.name.clone(),
                    };
                    let bytes = if is_push { InputBytes::Push } else { InputBytes::Buffer(slot, first + at) };
                    let kind = GpuBufferKind::Uniform;
                    self.bound.push(Bound::Buffer { at: [0; 2], name, of: bytes, kind });
                }
                Ok(())
            }
            DeclaredKind::Pair(_) if of.elements.is_some() => {
                Err(format!("`{}` is an array of images, which WebGL2 does not get here.", of.name))
            }
            DeclaredKind::Pair(Pair { ty, sampler, elements, compares, .. }) => {
                let place = |var, element: u32| {
                    let (slot, first) = slot(module, var);
                    (slot, first + element)
                };
                let image = place(of.var, elements[0]);
                let sampler = sampler.map(|var| place(var, elements[1]));
                let (ty, compares, name) = (ty.clone(), *compares, of.name.clone());
                self.bound.push(Bound::Unit { image, sampler, ty, compares, name });
                Ok(())
            }
            DeclaredKind::Storage(_)
            | DeclaredKind::Texture { .. }
            | DeclaredKind::StorageTexture(_)
            | DeclaredKind::Sampler { .. } => {
                Err(format!("`{}` is a resource that WebGL2 does not have.", of.name))
            }
        }
    }

    /// Adds a resource that WebGPU finds by group and binding.
    fn resource(&mut self, module: &Module, of: &Declared) -> Result<(), String> {
        let Some(data) = module.var(of.var) else { return Ok(()) };
        let (at, name, slot) = (of.place, module.name_of(of.var), slot(module, of.var));
        let mut buffer = |kind| {
            if ends_open(module, data.ty) {
                self.open.push(at);
            }
            let is_push = data.mode == Mode::Push;
            let of = if is_push { InputBytes::Push } else { InputBytes::Buffer(slot.0, slot.1) };
            Bound::Buffer { at, name: name.clone(), of, kind }
        };
        let bound = match (&of.kind, module.type_of(data.ty)) {
            (DeclaredKind::Uniform, _) => buffer(GpuBufferKind::Uniform),
            (DeclaredKind::Storage(DeclaredAccess::Read), _) => buffer(GpuBufferKind::Read),
            (DeclaredKind::Storage(DeclaredAccess::Write | DeclaredAccess::ReadWrite), _) => {
                buffer(GpuBufferKind::Write)
            }
            (DeclaredKind::Texture { is_depth: true }, _) => {
                return Err(format!("`{name}` is a depth image, which a page cannot fill with texels."));
            }
            (DeclaredKind::Texture { is_depth: false }, &TypeData::Image(ty)) => {
                Bound::Texture { at, slot, name, ty, access: None }
            }
            (&DeclaredKind::StorageTexture(access), &TypeData::Image(ty)) => {
                Bound::Texture { at, slot, name, ty, access: Some(access) }
            }
            (&DeclaredKind::Sampler { compares }, _) => Bound::Sampler { at, slot, name, compares },
            (DeclaredKind::Texture { .. } | DeclaredKind::StorageTexture(_) | DeclaredKind::Pair(_), _) => {
                return Err(format!("`{name}` is a resource that WebGPU does not have."));
            }
        };
        self.bound.push(bound);
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
        let (kind, width, components) = number(module, ty).ok_or_else(refused)?;
        if columns > 1 && self.captures.is_empty() {
            return Err(refused());
        }
        let interp = data.attrs.words();
        for location in (0..columns).map(|column| location as u32 + column) {
            let all = (0..components).map(|at| (location, at));
            self.inputs.push(StageInput {
                location,
                kind,
                width,
                interp,
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
            Some((NumberKind::Signed, _, components)) => (GpuNumber::Int, components),
            Some((NumberKind::Unsigned, _, components)) => (GpuNumber::Uint, components),
            Some((.., components)) => (GpuNumber::Float, components),
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

/// The outputs of a vertex shader that WebGL2 returns.
///
/// # Errors
///
/// The reason why WebGL2 cannot return one of them, as a sentence.
fn captures(module: &Module, declared: &Interface) -> Result<Vec<Capture>, String> {
    let values = [("gl_Position", 4), ("gl_PointSize", 1)].into_iter();
    let values = values.filter(|(name, _)| declared.values.contains(name));
    let own = |(name, components): (&str, u32)| Capture {
        name: name.to_owned(),
        location: None,
        columns: 1,
        components,
    };
    let mut out: Vec<Capture> = values.map(own).collect();
    for DeclaredPort { var, name, ty, location } in &declared.ports {
        if module.var(*var).is_none_or(|data| data.mode != Mode::Out) {
            continue;
        }
        let Some((columns, components)) = shape(module, *ty) else {
            return Err(format!("The output `{name}` has a type that WebGL2 does not return."));
        };
        out.push(Capture { name: name.clone(), location: Some(*location), columns, components });
    }
    Ok(out)
}

/// The locations that a type takes, and the components of each.
fn shape(module: &Module, ty: Type) -> Option<(u32, u32)> {
    match *module.type_of(ty) {
        TypeData::Array { of, len: Len::Count(count), .. } => {
            let (columns, components) = shape_of_column(module, of)?;
            Some((columns * count, components))
        }
        _ => shape_of_column(module, ty),
    }
}

/// The same of a type that is no array.
fn shape_of_column(module: &Module, ty: Type) -> Option<(u32, u32)> {
    let (ty, columns) = match *module.type_of(ty) {
        TypeData::Matrix { column, columns, .. } => (column, u32::from(columns)),
        _ => (ty, 1),
    };
    let (.., components) = number(module, ty)?;
    Some((columns, components))
}

/// Set and binding of a resource in the program, and its number in an array there.
fn slot(module: &Module, var: Var) -> (Slot, u32) {
    let attrs = module.var(var).map(|data| &data.attrs);
    let number = |key| attrs.and_then(|attrs| attrs.get(key)).unwrap_or(0) as u32;
    ((number(Key::Set), number(Key::Binding)), number(Key::Element))
}

/// The kind, the width and the components of a number type that a device takes and returns.
fn number(module: &Module, ty: Type) -> Option<(NumberKind, Width, u32)> {
    let (of, components) = match *module.type_of(ty) {
        TypeData::Vector { of, components } => (of, u32::from(components)),
        _ => (ty, 1),
    };
    let (kind, width) = match *module.type_of(of) {
        TypeData::Float { width: width @ (Width::W32 | Width::W16) } => (NumberKind::Float, width),
        TypeData::Int { width: Width::W32, signed: true } => (NumberKind::Signed, Width::W32),
        TypeData::Int { width: Width::W32, signed: false } => (NumberKind::Unsigned, Width::W32),
        _ => return None,
    };
    Some((kind, width, components))
}
