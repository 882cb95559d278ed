//! The resources of a module: kind, use and length of each, and its place in a target language if a pass has chosen one.
//!
//! ```text
//! storage $lights_2: [#Light] {set 1, binding 2, register 4}      hlsl: list `t`, space 1, number 4
//!                                                                 the other languages: not chosen
//! ```
//!
//! Languages number resources in lists: HLSL the registers `b`, `t`, `u` and `s` of each space, Metal buffers, textures and
//! samplers, GLSL ES the bindings of each kind, WGSL the bindings of a group. A chosen place is an attribute of the variable
//! ([`Key::Register`] and others), which `assign-slots` sets. Places that are not chosen follow from set and binding; the
//! writer of the language derives them.
//!
//! Refuses to number resources: only finds the chosen numbers that overlap.

use super::target_layout::LayoutTarget;
use std::collections::BTreeMap;
use vitrine_ir::base::EntitySet;
use vitrine_ir::ops::{Access, BasicOp, DerefOp, Dim, Key, Op, PtrOp};
use vitrine_ir::{EntryPoint, Func, ImageType, Mode, Module, Type, TypeData, Usage, Var, VarData};

/// The kind of a resource.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
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

    /// The kind of a variable. `None` if it is no resource.
    pub fn of(module: &Module, var: Var) -> Option<ResourceKind> {
        let data = module.var(var)?;
        Some(match data.mode {
            Mode::Uniform => ResourceKind::UniformBuffer,
            Mode::Storage => ResourceKind::StorageBuffer,
            Mode::Push => ResourceKind::PushConstants,
            Mode::Handle => match module.type_of(element(module, data.ty)) {
                TypeData::Image(ImageType { dim: Dim::Subpass, .. }) => ResourceKind::InputAttachment,
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
}

/// The type of a resource without its arrays.
fn element(module: &Module, mut ty: Type) -> Type {
    while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *module.type_of(ty) {
        ty = of;
    }
    ty
}

/// The number of resources that a variable has: the elements of its arrays. `None` for a run-time array of resources.
pub fn resource_count(module: &Module, data: &VarData) -> Option<u64> {
    let (mut ty, mut count) = (data.ty, 1u64);
    while let TypeData::Array { of, .. } = *module.type_of(ty) {
        count = count.saturating_mul(u64::from(module.element_count(ty).unwrap_or(1)));
        ty = of;
    }
    (!matches!(module.type_of(ty), TypeData::RuntimeArray { .. })).then_some(count)
}

/// Returns true for an array whose elements are resources: every handle, and structures of buffers.
pub fn is_array_of_resources(module: &Module, data: &VarData) -> bool {
    let mut ty = data.ty;
    while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *module.type_of(ty) {
        ty = of;
    }
    let is_block = matches!(data.mode, Mode::Uniform | Mode::Storage)
        && matches!(module.type_of(ty), TypeData::Struct(_));
    ty != data.ty && (data.mode == Mode::Handle || is_block)
}

/// The name of a resource; the number of the variable if it has none.
pub fn resource_name(module: &Module, var: Var) -> String {
    let name = module.var(var).and_then(|data| data.name).map(|name| module.text_of(name));
    name.filter(|name| !name.is_empty()).map_or_else(|| var.to_string(), str::to_owned)
}

/// Set and binding of a variable; zero where it has none.
pub fn declared_place(data: &VarData) -> [u64; 2] {
    [Key::Set, Key::Binding].map(|key| data.attrs.get(key).unwrap_or(0))
}

/// The resources that functions use, in order. Linear in the size of the module.
pub fn used_resources(module: &Module) -> Vec<Var> {
    let mut used = EntitySet::new();
    for (func, _) in module.funcs() {
        accessed(module, func, &mut used);
    }
    let vars = module.vars().map(|(var, _)| var);
    vars.filter(|&var| used.contains(var) && ResourceKind::of(module, var).is_some()).collect()
}

/// Adds the variables that a function accesses itself.
fn accessed(module: &Module, func: Func, out: &mut EntitySet<Var>) {
    let Some(body) = module.func(func) else { return };
    body.for_each_inst(|_, inst| {
        let data = body.inst(inst);
        if let Op::Deref(DerefOp::Var) | Op::Ptr(PtrOp::Var) = data.op
            && let Some(var) = data.entity(Key::Var)
        {
            out.insert(var);
        }
    });
}

/// The variables that each entry point reaches. Linear in the size of the module for each entry point.
pub fn reached_resources(module: &Module, entries: &[EntryPoint]) -> Vec<EntitySet<Var>> {
    let of_entry = |entry: &EntryPoint| {
        let (mut seen, mut todo, mut vars) = (EntitySet::new(), vec![entry.func], EntitySet::new());
        while let Some(func) = todo.pop() {
            if !seen.insert(func) {
                continue;
            }
            accessed(module, func, &mut vars);
            let Some(body) = module.func(func) else { continue };
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                if data.op == Op::Basic(BasicOp::Call) {
                    todo.extend(data.entity::<Func>(Key::Func));
                }
            });
        }
        vars
    };
    entries.iter().map(of_entry).collect()
}

impl LayoutTarget {
    /// The attributes of a chosen place: the space or group, if the language has them, and the number. `None` for languages
    /// whose text states set and binding, or nothing.
    pub fn place_keys(self) -> Option<(Option<Key>, Key)> {
        match self {
            LayoutTarget::Glsl | LayoutTarget::Essl => None,
            LayoutTarget::Essl310 => Some((None, Key::EsslBinding)),
            LayoutTarget::Wgsl => Some((Some(Key::WgslGroup), Key::WgslBinding)),
            LayoutTarget::Hlsl => Some((Some(Key::Space), Key::Register)),
            LayoutTarget::Msl => Some((None, Key::MetalIndex)),
        }
    }

    /// The chosen place of a variable: the space or group, zero where the language has none, and the number.
    pub fn chosen_place(self, data: &VarData) -> Option<[u64; 2]> {
        let (space, number) = self.place_keys()?;
        let number = data.attrs.get(number)?;
        Some([space.and_then(|key| data.attrs.get(key)).unwrap_or(0), number])
    }

    /// The lists of numbers that a resource is in; empty if the language gives it no number.
    pub fn lists(self, module: &Module, var: Var) -> &'static [&'static str] {
        let Some((data, kind)) = module.var(var).zip(ResourceKind::of(module, var)) else { return &[] };
        match self {
            LayoutTarget::Glsl | LayoutTarget::Essl => &[],
            LayoutTarget::Essl310 => match kind {
                ResourceKind::UniformBuffer | ResourceKind::PushConstants => &["uniform"],
                ResourceKind::StorageBuffer => &["buffer"],
                ResourceKind::StorageImage => &["image"],
                ResourceKind::CombinedTexture | ResourceKind::Texture => &["texture"],
                // A sampler is declared with its image.
                ResourceKind::Sampler | ResourceKind::InputAttachment | ResourceKind::AccelStruct => &[],
            },
            LayoutTarget::Wgsl => &["binding"],
            LayoutTarget::Hlsl => match kind {
                ResourceKind::UniformBuffer | ResourceKind::PushConstants => &["b"],
                ResourceKind::StorageBuffer if data.attrs.words::<Access>().has(Access::READONLY) => &["t"],
                ResourceKind::StorageBuffer | ResourceKind::StorageImage => &["u"],
                ResourceKind::Texture | ResourceKind::AccelStruct => &["t"],
                ResourceKind::CombinedTexture => &["t", "s"],
                ResourceKind::Sampler => &["s"],
                ResourceKind::InputAttachment => &[],
            },
            LayoutTarget::Msl => match kind {
                ResourceKind::InputAttachment => &[],
                // A table of any length is a buffer.
                _ if resource_count(module, data).is_none() => &["buffer"],
                ResourceKind::UniformBuffer
                | ResourceKind::StorageBuffer
                | ResourceKind::PushConstants
                | ResourceKind::AccelStruct => &["buffer"],
                ResourceKind::Texture | ResourceKind::StorageImage => &["texture"],
                ResourceKind::CombinedTexture => &["texture", "sampler"],
                ResourceKind::Sampler => &["sampler"],
            },
        }
    }

    /// The numbers that a resource occupies from its first one.
    pub fn numbers_of(self, module: &Module, data: &VarData) -> u64 {
        match (self, resource_count(module, data)) {
            (LayoutTarget::Hlsl, None) => u64::MAX,
            (LayoutTarget::Wgsl, _) | (_, None) => 1,
            (_, Some(count)) => count,
        }
    }

    /// The first number of a list that no program may use; none if the language has no such limit.
    pub fn limit(self, list: &str) -> Option<u64> {
        match (self, list) {
            // The argument tables of Metal (Metal Feature Set Tables, "Argument").
            (LayoutTarget::Msl, "buffer") => Some(31),
            (LayoutTarget::Msl, "texture") => Some(128),
            (LayoutTarget::Msl, "sampler") => Some(16),
            // gl_MaxCombinedTextureImageUnits (GLSL ES 3.10, 7.3).
            (LayoutTarget::Essl310, "texture") => Some(48),
            // The default limit of bindings in a group (WebGPU, 3.6.2).
            (LayoutTarget::Wgsl, _) => Some(1000),
            _ => None,
        }
    }

    /// The first space or group that no program may use.
    pub fn space_limit(self) -> Option<u64> {
        match self {
            // The default limit of bind groups (WebGPU, 3.6.2).
            LayoutTarget::Wgsl => Some(4),
            // Higher spaces are reserved by Direct3D 12.
            LayoutTarget::Hlsl => Some(0xffff_fff0),
            LayoutTarget::Glsl | LayoutTarget::Essl | LayoutTarget::Essl310 | LayoutTarget::Msl => None,
        }
    }

    /// The words for a number in a list, as the table of bindings spells them.
    pub fn place_text(self, list: &str, [space, number]: [u64; 2]) -> String {
        match self {
            LayoutTarget::Hlsl => format!("{list}{number}, space{space}"),
            LayoutTarget::Wgsl => format!("group {space}, binding {number}"),
            LayoutTarget::Glsl | LayoutTarget::Essl => format!("set {space}, binding {number}"),
            LayoutTarget::Essl310 | LayoutTarget::Msl => format!("{list} {number}"),
        }
    }
}

/// Two resources at one place of a target language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlaceConflict {
    /// Both, by number.
    pub vars: [Var; 2],
    /// The place, in words.
    pub place: String,
}

/// A range of numbers of a resource.
struct Range {
    list: &'static str,
    space: u64,
    first: u64,
    end: u64,
    var: Var,
    is_chosen: bool,
}

/// The resources of some entry points whose chosen places overlap each other. In languages whose places are set and binding by
/// default, a chosen place must not overlap such a place either.
///
/// Two variables with the same set and binding are one resource of the program, so that they may overlap where the language
/// declares them side by side. `O(n log n)` and the number of overlaps.
pub fn place_conflicts(module: &Module, target: LayoutTarget, entries: &[EntryPoint]) -> Vec<PlaceConflict> {
    if !module.vars().any(|(_, data)| target.chosen_place(data).is_some()) {
        return Vec::new();
    }
    let mut ranges = ranges(module, target);
    let reached = reached_resources(module, entries);
    let meet = |a: Var, b: Var| {
        entries.is_empty() || reached.iter().any(|vars| vars.contains(a) && vars.contains(b))
    };
    let is_one = |a: Var, b: Var| {
        let place =
            |var: Var| module.var(var).filter(|data| data.attrs.has(Key::Binding)).map(declared_place);
        let shares = matches!(target, LayoutTarget::Hlsl | LayoutTarget::Wgsl);
        shares && place(a).is_some() && place(a) == place(b)
    };
    ranges.sort_by_key(|range| (range.list, range.space, range.first, range.var));
    let mut out = Vec::new();
    for (at, range) in ranges.iter().enumerate() {
        let rest = ranges.get(at + 1..).unwrap_or(&[]).iter();
        let near = rest.take_while(|next| {
            (next.list, next.space) == (range.list, range.space) && next.first < range.end
        });
        for next in near {
            let is_wrong = (range.is_chosen || next.is_chosen) && !is_one(range.var, next.var);
            if is_wrong && meet(range.var, next.var) {
                let place = target.place_text(range.list, [next.space, next.first]);
                out.push(PlaceConflict { vars: [range.var, next.var], place });
            }
        }
    }
    out
}

/// The numbers of each resource that has some before the text is written.
fn ranges(module: &Module, target: LayoutTarget) -> Vec<Range> {
    let mut out = Vec::new();
    for var in used_resources(module) {
        let Some(data) = module.var(var) else { continue };
        let chosen = target.chosen_place(data);
        let has_default =
            matches!(target, LayoutTarget::Hlsl | LayoutTarget::Wgsl) && data.mode != Mode::Push;
        let Some([space, first]) = chosen.or_else(|| has_default.then(|| declared_place(data))) else {
            continue;
        };
        let end = first.saturating_add(target.numbers_of(module, data));
        let is_chosen = chosen.is_some();
        let lists = target.lists(module, var).iter();
        out.extend(lists.map(|&list| Range { list, space, first, end, var, is_chosen }));
    }
    out
}

/// Numbers of several lists that are in use.
#[derive(Clone, Default, Debug)]
pub struct Numbering {
    /// For each list, the starts of ranges that are in use, with their ends. Ranges neither overlap nor touch.
    taken: BTreeMap<(&'static str, u64), BTreeMap<u64, u64>>,
}

impl Numbering {
    /// Marks numbers of a list of a space as used. Amortized logarithmic.
    pub fn take(&mut self, (list, space): (&'static str, u64), first: u64, count: u64) {
        if count == 0 {
            return;
        }
        let taken = self.taken.entry((list, space)).or_default();
        let (mut start, mut end) = (first, first.saturating_add(count));
        while let Some((&other, &other_end)) = taken.range(..=end).next_back() {
            if other_end < start {
                break;
            }
            taken.remove(&other);
            start = start.min(other);
            end = end.max(other_end);
        }
        taken.insert(start, end);
    }

    /// The first number from `from` on with so many free numbers. At most linear in the number of ranges.
    pub fn next(&self, (list, space): (&'static str, u64), from: u64, count: u64) -> u64 {
        let mut at = from;
        for (&start, &end) in self.taken.get(&(list, space)).into_iter().flatten() {
            if end > at && start < at.saturating_add(count) {
                at = end;
            }
        }
        at
    }

    /// The number after the last one in use.
    pub fn end(&self, (list, space): (&'static str, u64)) -> u64 {
        let last = self.taken.get(&(list, space)).and_then(|taken| taken.last_key_value());
        last.map_or(0, |(_, &end)| end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_free_ranges_of_a_list() {
        let mut numbering = Numbering::default();
        let list = ("t", 0);
        for (first, count) in [(4, 2), (0, 1), (1, 1), (8, 1)] {
            numbering.take(list, first, count);
        }
        assert_eq!(numbering.next(list, 0, 1), 2);
        assert_eq!(numbering.next(list, 0, 2), 2);
        assert_eq!(numbering.next(list, 0, 3), 9);
        assert_eq!(numbering.next(list, 5, 2), 6);
        assert_eq!(numbering.next(("t", 1), 0, 3), 0);
        assert_eq!(numbering.end(list), 9);
        numbering.take(list, 2, 6);
        assert_eq!(numbering.next(list, 0, 1), 9);
        assert_eq!(numbering.taken[&list].len(), 1);
    }
}
