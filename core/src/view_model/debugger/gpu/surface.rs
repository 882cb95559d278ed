//! What a prepared program shows to a device: resources, inputs and outputs, as its WGSL text declares them.

use super::vertex::StageInput;
use crate::interp::{InputBytes, Inputs, Slot, name_of};
use crate::ir::{Depth, ImageType, Mode, Module, Stage, Type, TypeData, Usage, Var};
use crate::ops::attr::BUILTINS;
use crate::ops::{Key, Width};

/// A resource and its place in the text.
pub(super) enum Bound {
    /// A uniform or storage buffer, or the push constants. The kind is `uniform`, `read` or `write`.
    Buffer { at: [u32; 2], of: InputBytes, kind: &'static str },
    /// An image; the access is empty for a sampled one.
    Texture { at: [u32; 2], slot: Slot, name: String, ty: ImageType, access: &'static str },
    /// A sampler.
    Sampler { at: [u32; 2], slot: Slot, name: String, compares: bool },
}

/// What a program shows to a device.
#[derive(Default)]
pub(super) struct Surface {
    /// The name of the entry point in the text.
    pub(super) entry: String,
    /// Resources in the order of their variables.
    pub(super) bound: Vec<Bound>,
    /// Inputs of a fragment shader.
    pub(super) inputs: Vec<StageInput>,
    /// Location and kind of each output of a fragment shader.
    pub(super) outputs: Vec<(u32, char)>,
    /// True if it writes the depth.
    pub(super) depth: bool,
    /// What the device does not get, in words.
    pub(super) remarks: Vec<String>,
}

impl Surface {
    /// The surface of a prepared module with one entry point.
    ///
    /// # Errors
    ///
    /// The reason why a device cannot get a resource, as a sentence.
    pub(super) fn of(module: &Module, inputs: &Inputs) -> Result<Surface, String> {
        let Some(entry) = module.entries.first() else { return Err("There is no entry point.".to_owned()) };
        let mut surface = Surface { entry: "main".to_owned(), ..Surface::default() };
        for (var, data) in module.vars().filter(|(_, data)| data.owner.is_none()) {
            match data.mode {
                Mode::Uniform | Mode::Storage | Mode::Push | Mode::Handle => {
                    surface.resource(module, var)?;
                }
                Mode::In if entry.stage == Stage::Fragment && entry.interface.contains(&var) => {
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
    /// Adds a buffer, an image or a sampler.
    fn resource(&mut self, module: &Module, var: Var) -> Result<(), String> {
        let Some(data) = module.var(var) else { return Ok(()) };
        let name = name_of(module, var);
        let at = place(module, var);
        let slot = (at[0], at[1]);
        match (data.mode, module.type_of(data.ty)) {
            (_, TypeData::Array { .. } | TypeData::RuntimeArray { .. }) => {
                return Err(format!("`{name}` is an array of resources, which WebGPU does not have."));
            }
            (Mode::Push, _) => {
                self.bound.push(Bound::Buffer { at, of: InputBytes::Push, kind: "uniform" });
            }
            (Mode::Uniform | Mode::Storage, _) => {
                let kind = match (data.mode, is_read_only(module, var)) {
                    (Mode::Uniform, _) => "uniform",
                    (_, true) => "read",
                    (_, false) => "write",
                };
                self.bound.push(Bound::Buffer { at, of: InputBytes::Buffer(slot, 0), kind });
            }
            (_, &TypeData::Image(ty)) => {
                let access = match (ty.usage, data.attrs.get(Key::Access).unwrap_or(0)) {
                    (Usage::Sampled | Usage::Unknown, _) => "",
                    (_, access) if access & READ_ONLY != 0 => "read-only",
                    (_, access) if access & WRITE_ONLY != 0 => "write-only",
                    _ => "read-write",
                };
                if ty.depth == Depth::Yes {
                    return Err(format!("`{name}` is a depth image, which a page cannot fill with texels."));
                }
                self.bound.push(Bound::Texture { at, slot, name, ty, access });
            }
            (_, TypeData::Sampler) => {
                self.bound.push(Bound::Sampler { at, slot, name, compares: false });
            }
            _ => return Err(format!("`{name}` is a resource that WebGPU does not have.")),
        }
        Ok(())
    }

    /// Adds an input of a fragment shader; system values need nothing.
    fn input(&mut self, module: &Module, var: Var, inputs: &Inputs) -> Result<(), String> {
        let Some(data) = module.var(var) else { return Ok(()) };
        let Some(location) = data.attrs.get(Key::Location) else { return Ok(()) };
        let name = name_of(module, var);
        let refused = || format!("The input `{name}` has a type that WebGPU does not interpolate.");
        let (scalar, width, components) = number(module, data.ty).ok_or_else(refused)?;
        let interp = data.attrs.get(Key::Interp).unwrap_or(0);
        let ty = if components == 1 { scalar.to_owned() } else { format!("vec{components}<{scalar}>") };
        let location = location as u32;
        let of = (0..components).map(|at| inputs.varyings.get(&(location, at)).copied().unwrap_or_default());
        self.inputs.push(StageInput {
            location,
            ty,
            scalar,
            interpolation: interpolation(interp, scalar).to_owned(),
            width,
            components: of.collect(),
        });
        Ok(())
    }

    /// Adds an output of a fragment shader.
    fn output(&mut self, module: &Module, var: Var) -> Result<(), String> {
        let Some(data) = module.var(var) else { return Ok(()) };
        let Some(location) = data.attrs.get(Key::Location) else {
            let built_in = data.attrs.get(Key::BuiltIn).and_then(|number| BUILTINS.get(number as usize));
            self.depth |= built_in == Some(&"frag_depth");
            return Ok(());
        };
        let name = name_of(module, var);
        let kind = match number(module, data.ty) {
            Some(("i32", ..)) => 'i',
            Some(("u32", ..)) => 'u',
            Some(_) => 'f',
            None => return Err(format!("The output `{name}` has a type that WebGPU does not draw.")),
        };
        self.outputs.push((location as u32, kind));
        Ok(())
    }
}

/// Bits of `Key::Access`.
const READ_ONLY: u64 = 1 << 4;
const WRITE_ONLY: u64 = 1 << 5;

/// Group and binding of a resource in the text.
fn place(module: &Module, var: Var) -> [u32; 2] {
    let attrs = module.var(var).map(|data| &data.attrs);
    let number = |key| attrs.and_then(|attrs| attrs.get(key)).unwrap_or(0) as u32;
    [number(Key::Set), number(Key::Binding)]
}

/// True if the program cannot write a buffer.
fn is_read_only(module: &Module, var: Var) -> bool {
    let Some(data) = module.var(var) else { return false };
    let is_set = |access: Option<u64>| access.unwrap_or(0) & READ_ONLY != 0;
    let members = match *module.type_of(data.ty) {
        TypeData::Struct(structure) => module.structure(structure).map(|data| &data.members[..]),
        _ => None,
    };
    let members = members.unwrap_or_default();
    is_set(data.attrs.get(Key::Access))
        || !members.is_empty() && members.iter().all(|member| is_set(member.attrs.get(Key::Access)))
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

/// The attribute of an input with these words of `Key::Interp`.
fn interpolation(interp: u64, scalar: &str) -> &'static str {
    const FLAT: u64 = 1;
    match (interp & FLAT != 0 || matches!(scalar, "i32" | "u32"), interp >> 1 & 7) {
        (true, _) => "@interpolate(flat)",
        (_, 1) => "@interpolate(linear)",
        (_, 2) => "@interpolate(perspective, centroid)",
        (_, 3) => "@interpolate(linear, centroid)",
        (_, 4 | 6) => "@interpolate(perspective, sample)",
        (_, 5 | 7) => "@interpolate(linear, sample)",
        _ => "",
    }
}
