//! The resources of a module, and the place that each has in each language.
//!
//! ```text
//! set 1, binding 2, read-only storage buffer    glsl set 1, binding 2 · essl-310 buffer 2 · wgsl group 1, binding 2 ·
//!                                               hlsl t2, space1 · msl buffer 0
//! ```
//!
//! Resources are the buffers, images and samplers that functions of the module use. An image that is combined with its sampler
//! counts as both where a language has only halves. The places are those that the writers state for a module with one entry
//! point; GLSL ES numbers an image with the sampler of a lookup, so that a pair has no place before it is written.

use super::wgsl::bindings;
use crate::analysis::LayoutTarget;
use crate::base::EntitySet;
use crate::ir::{ImageType, Mode, Module, Type, TypeData, Usage, Var, VarData};
use crate::ops::{DerefOp, Key, Op, PtrOp};
use rustc_hash::{FxHashMap, FxHashSet};

/// The dimension of input attachments.
const SUBPASS: u8 = 6;
/// The bits of `Key::Access` for memory that is not written, and for memory that is not read.
const READ_ONLY: u64 = 1 << 4;
const WRITE_ONLY: u64 = 1 << 5;

/// The kind of a resource.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ResourceKind {
    /// A uniform buffer.
    UniformBuffer,
    /// A storage buffer.
    StorageBuffer,
    /// Push constants.
    PushConstants,
    /// An image that is read by coordinates or with a sampler.
    Texture,
    /// An image that is stored to.
    StorageImage,
    /// An image combined with its sampler.
    CombinedTexture,
    /// A sampler.
    Sampler,
    /// The color of the pixel so far.
    InputAttachment,
    /// An acceleration structure.
    AccelStruct,
}

impl ResourceKind {
    /// The words for it.
    pub fn name(self) -> &'static str {
        match self {
            ResourceKind::UniformBuffer => "uniform buffer",
            ResourceKind::StorageBuffer => "storage buffer",
            ResourceKind::PushConstants => "push constants",
            ResourceKind::Texture => "texture",
            ResourceKind::StorageImage => "storage image",
            ResourceKind::CombinedTexture => "texture with sampler",
            ResourceKind::Sampler => "sampler",
            ResourceKind::InputAttachment => "input attachment",
            ResourceKind::AccelStruct => "acceleration structure",
        }
    }
}

/// A resource and its places.
#[derive(Clone, Debug)]
pub struct Resource {
    /// The variable.
    pub var: Var,
    /// Its kind.
    pub kind: ResourceKind,
    /// Its declared access: `read`, `write` or `read, write`.
    pub access: &'static str,
    /// Its set and binding; none for push constants.
    pub place: Option<[u64; 2]>,
    /// Its place in each language, in the order of [`LayoutTarget::ALL`]; a dash where the language has no such resource.
    pub in_targets: [String; 6],
}

/// The resources that functions of a module use, by set and binding; push constants last. Linear in the size of the module.
pub fn resources(module: &Module) -> Vec<Resource> {
    let used = used_resources(module);
    let wgsl = wgsl_places(module, &used);
    let es = es_places(module);
    let msl = msl_places(module, &used);
    let mut out = Vec::new();
    for &var in &used {
        let Some((data, kind)) = module.var(var).zip(kind_of(module, var)) else { continue };
        let in_targets = LayoutTarget::ALL.map(|target| match target {
            LayoutTarget::Glsl => glsl_place(data, kind),
            LayoutTarget::Essl => essl_place(kind).to_owned(),
            LayoutTarget::Essl310 => match (es.get(&var), kind) {
                (Some((class, at)), _) => format!("{} {at}", class.name()),
                (None, ResourceKind::Texture | ResourceKind::Sampler) => "with its pair".to_owned(),
                (None, _) => "–".to_owned(),
            },
            LayoutTarget::Wgsl => wgsl.get(&var).cloned().unwrap_or_else(|| "–".to_owned()),
            LayoutTarget::Hlsl => hlsl_place(data, kind),
            LayoutTarget::Msl => msl.get(&var).cloned().unwrap_or_else(|| "–".to_owned()),
        });
        let place = (kind != ResourceKind::PushConstants).then(|| place_of(data));
        out.push(Resource { var, kind, access: access_of(data, kind), place, in_targets });
    }
    out.sort_by_key(|resource| (resource.place.is_none(), resource.place, resource.var));
    out
}

/// The kind of a resource. `None` for other variables.
fn kind_of(module: &Module, var: Var) -> Option<ResourceKind> {
    let data = module.var(var)?;
    Some(match data.mode {
        Mode::Uniform => ResourceKind::UniformBuffer,
        Mode::Storage => ResourceKind::StorageBuffer,
        Mode::Push => ResourceKind::PushConstants,
        Mode::Handle => match element(module, data.ty) {
            TypeData::Image(ImageType { dim: SUBPASS, .. }) => ResourceKind::InputAttachment,
            TypeData::Image(image) if image.usage == Usage::Storage => ResourceKind::StorageImage,
            TypeData::Image(_) => ResourceKind::Texture,
            TypeData::SampledImage(_) => ResourceKind::CombinedTexture,
            TypeData::Sampler => ResourceKind::Sampler,
            TypeData::AccelStruct => ResourceKind::AccelStruct,
            _ => return None,
        },
        _ => return None,
    })
}

/// The type of a resource without its arrays.
fn element(module: &Module, mut ty: Type) -> &TypeData {
    while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *module.type_of(ty) {
        ty = of;
    }
    module.type_of(ty)
}

fn place_of(data: &VarData) -> [u64; 2] {
    [Key::Set, Key::Binding].map(|key| data.attrs.get(key).unwrap_or(0))
}

fn access_of(data: &VarData, kind: ResourceKind) -> &'static str {
    let access = data.attrs.get(Key::Access).unwrap_or(0);
    match kind {
        ResourceKind::StorageBuffer | ResourceKind::StorageImage => {
            match (access & READ_ONLY != 0, access & WRITE_ONLY != 0) {
                (true, _) => "read",
                (false, true) => "write",
                (false, false) => "read, write",
            }
        }
        _ => "read",
    }
}

/// The resources that functions use, in order.
fn used_resources(module: &Module) -> Vec<Var> {
    let mut used = EntitySet::new();
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            if let Op::Deref(DerefOp::Var) | Op::Ptr(PtrOp::Var) = data.op
                && let Some(var) = data.entity(Key::Var)
            {
                used.insert(var);
            }
        });
    }
    let vars = module.vars().map(|(var, _)| var);
    vars.filter(|&var| used.contains(var) && kind_of(module, var).is_some()).collect()
}

fn glsl_place(data: &VarData, kind: ResourceKind) -> String {
    let [set, binding] = place_of(data);
    match kind {
        ResourceKind::PushConstants => "push_constant".to_owned(),
        _ => format!("set {set}, binding {binding}"),
    }
}

/// GLSL ES 3.00 states no bindings: the host finds resources by their names.
fn essl_place(kind: ResourceKind) -> &'static str {
    match kind {
        ResourceKind::UniformBuffer | ResourceKind::PushConstants => "uniform block, by name",
        ResourceKind::CombinedTexture => "sampler, by name",
        ResourceKind::Texture | ResourceKind::Sampler => "with its pair",
        ResourceKind::StorageBuffer
        | ResourceKind::StorageImage
        | ResourceKind::InputAttachment
        | ResourceKind::AccelStruct => "–",
    }
}

fn hlsl_place(data: &VarData, kind: ResourceKind) -> String {
    let [set, binding] = place_of(data);
    let is_read = data.attrs.get(Key::Access).unwrap_or(0) & READ_ONLY != 0;
    let register = match kind {
        ResourceKind::PushConstants => return "push_constant".to_owned(),
        ResourceKind::InputAttachment => {
            return format!("attachment {}", data.attrs.get(Key::Attachment).unwrap_or(0));
        }
        ResourceKind::CombinedTexture => return format!("t{binding}, s{binding}, space{set}"),
        ResourceKind::UniformBuffer => 'b',
        ResourceKind::StorageBuffer if is_read => 't',
        ResourceKind::StorageBuffer | ResourceKind::StorageImage => 'u',
        ResourceKind::Texture | ResourceKind::AccelStruct => 't',
        ResourceKind::Sampler => 's',
    };
    format!("{register}{binding}, space{set}")
}

/// Groups and bindings; the sampler of a combined image gets the next free binding of its group.
fn wgsl_places(module: &Module, used: &[Var]) -> FxHashMap<Var, String> {
    let places = bindings(module);
    let mut next: FxHashMap<u32, u32> = FxHashMap::default();
    for &[group, binding] in places.values() {
        let free = next.entry(group).or_default();
        *free = (*free).max(binding + 1);
    }
    let mut out = FxHashMap::default();
    for &var in used {
        let Some(&[group, binding]) = places.get(&var) else { continue };
        let mut text = format!("group {group}, binding {binding}");
        if kind_of(module, var) == Some(ResourceKind::CombinedTexture) {
            let free = next.entry(group).or_default();
            text.push_str(&format!("; sampler {free}"));
            *free += 1;
        }
        out.insert(var, text);
    }
    out
}

/// Resources that GLSL ES 3.10 numbers together.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum EsClass {
    Uniform,
    Buffer,
    Image,
    Texture,
}

impl EsClass {
    fn name(self) -> &'static str {
        match self {
            EsClass::Uniform => "uniform",
            EsClass::Buffer => "buffer",
            EsClass::Image => "image",
            EsClass::Texture => "texture",
        }
    }
}

/// The bindings of GLSL ES 3.10, which all sets share: the declared one, or the next that is free in the class. Images without
/// a sampler and samplers have none: they are numbered in pairs.
pub(super) fn es_places(module: &Module) -> FxHashMap<Var, (EsClass, u64)> {
    let mut taken: FxHashSet<(EsClass, u64)> = FxHashSet::default();
    let mut out = FxHashMap::default();
    for var in used_resources(module) {
        let Some((data, kind)) = module.var(var).zip(kind_of(module, var)) else { continue };
        let class = match kind {
            ResourceKind::UniformBuffer | ResourceKind::PushConstants => EsClass::Uniform,
            ResourceKind::StorageBuffer => EsClass::Buffer,
            ResourceKind::StorageImage => EsClass::Image,
            ResourceKind::CombinedTexture => EsClass::Texture,
            ResourceKind::Texture
            | ResourceKind::Sampler
            | ResourceKind::InputAttachment
            | ResourceKind::AccelStruct => continue,
        };
        let mut at = place_of(data)[1];
        while !taken.insert((class, at)) {
            at += 1;
        }
        out.insert(var, (class, at));
    }
    out
}

/// The numbers of Metal: those of each kind in the order of set and binding, then push constants.
fn msl_places(module: &Module, used: &[Var]) -> FxHashMap<Var, String> {
    let mut order: Vec<(bool, [u64; 2], Var)> = Vec::new();
    for &var in used {
        let Some(data) = module.var(var) else { continue };
        order.push((data.mode == Mode::Push, place_of(data), var));
    }
    order.sort_unstable();
    let mut next: FxHashMap<&str, u64> = FxHashMap::default();
    let mut out = FxHashMap::default();
    for (_, _, var) in order {
        let Some((data, kind)) = module.var(var).zip(kind_of(module, var)) else { continue };
        let is_open = |ty: Type| matches!(module.type_of(ty), TypeData::RuntimeArray { .. });
        let (mut ty, mut count) = (data.ty, 1u64);
        while let TypeData::Array { of, .. } = *module.type_of(ty) {
            count = count.saturating_mul(u64::from(module.element_count(ty).unwrap_or(1)));
            ty = of;
        }
        let classes: &[&'static str] = match kind {
            ResourceKind::InputAttachment => {
                out.insert(var, format!("color {}", data.attrs.get(Key::Attachment).unwrap_or(0)));
                continue;
            }
            _ if is_open(ty) => &["buffer"],
            ResourceKind::UniformBuffer | ResourceKind::StorageBuffer | ResourceKind::PushConstants => {
                &["buffer"]
            }
            ResourceKind::Texture | ResourceKind::StorageImage => &["texture"],
            ResourceKind::CombinedTexture => &["texture", "sampler"],
            ResourceKind::Sampler => &["sampler"],
            ResourceKind::AccelStruct => &["buffer"],
        };
        let mut texts = Vec::new();
        for &class in classes {
            let at = next.entry(class).or_default();
            texts.push(format!("{class} {at}"));
            *at += count;
        }
        out.insert(var, texts.join(", "));
    }
    out
}
