//! The inputs of a run by their names in the shader: `particles[3].age = 0.5`, `uv @ 3, 4 = (0, 1)`, `picture = noise`.
//!
//! A root is a variable, a specialization constant or an argument of a kernel; a member of a block may stand without the name
//! of the block if no other root has its name. An assignment changes the numbers of its part: one number sets all of them,
//! otherwise there is one for each. Inputs of the stage get the same value in every invocation, or in one (`@`). Images
//! get a pattern or a picture (`pattern`).
//! Refuses to invent inputs: only what a run has already can be assigned to, so `seeded` comes first.

mod leaves; // numbers of a type in memory
mod pattern; // contents of images
#[cfg(test)]
mod tests;
mod value; // numbers as text

pub use leaves::NumberKind;
pub use pattern::{Pattern, Picture};

use super::consts::Consts;
use super::inputs::{Inputs, KernelArg, Slot, Varying, elements_of, slot_of};
use super::interface::{self, LeafOf};
use super::out_key::OutKey;
use leaves::{Leaf, Memory, Part};
use std::collections::BTreeMap;
use vitrine_ir::base::nearest;
use vitrine_ir::layout::{Sizes, scalar_bytes};
use vitrine_ir::ops::{Builtin, Key, ValueType, Width};
use vitrine_ir::{GlobalValue, Mode, Module, Stage, Type, TypeData, Var};

/// Bytes of the largest input of a stage: no interface has as many locations.
const MOST_STAGE_BYTES: u64 = 1 << 20;

/// The bytes that an input consists of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum InputBytes {
    /// A buffer, by its element in an array of buffers.
    Buffer(Slot, u32),
    /// The push constants.
    Push,
    /// An argument of a kernel.
    Arg(u32),
}

impl InputBytes {
    /// The bytes; empty if the inputs have none.
    pub fn of(self, inputs: &Inputs) -> &[u8] {
        match self {
            InputBytes::Buffer(slot, element) => inputs
                .buffers
                .get(&slot)
                .and_then(|list| list.get(element as usize))
                .map_or(&[], |bytes| bytes),
            InputBytes::Push => &inputs.push,
            InputBytes::Arg(at) => match inputs.args.get(at as usize) {
                Some(KernelArg::Buffer(bytes)) => bytes,
                Some(KernelArg::Shared(_) | KernelArg::Value(_)) | None => &[],
            },
        }
    }

    fn of_mut(self, inputs: &mut Inputs) -> Option<&mut Vec<u8>> {
        match self {
            InputBytes::Buffer(slot, element) => inputs.buffers.get_mut(&slot)?.get_mut(element as usize),
            InputBytes::Push => Some(&mut inputs.push),
            InputBytes::Arg(at) => match inputs.args.get_mut(at as usize)? {
                KernelArg::Buffer(bytes) => Some(bytes),
                KernelArg::Shared(_) | KernelArg::Value(_) => None,
            },
        }
    }
}

/// An input with a name.
#[derive(Clone, Copy, Debug)]
enum Root {
    Bytes(InputBytes, Type),
    Image(Slot, u32),
    Stage(Var, Type),
    /// Its identity, its width, its default.
    Constant(u32, Width, u64),
}

/// The inputs of an entry point by name.
pub struct Named<'m> {
    module: &'m Module,
    consts: Consts,
    sizes: Sizes,
    stage: Option<Stage>,
    roots: Vec<(String, Root)>,
    pictures: &'m [Picture],
}

/// A number or a vector of an input, with its path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NamedValue {
    /// For example `particles[3].age`.
    pub name: String,
    /// Offsets of its components in bytes.
    pub offsets: Vec<u64>,
    /// Bits of a component.
    pub width: Width,
    /// The meaning of the bits.
    pub kind: NumberKind,
}

impl NamedValue {
    /// Its value in these bytes: `0.5`, `(1, 2)`; empty outside of them.
    pub fn text(&self, bytes: &[u8]) -> String {
        let count = scalar_bytes(self.width) as usize;
        let mut out = String::new();
        for (at, &offset) in self.offsets.iter().enumerate() {
            let start = usize::try_from(offset).unwrap_or(usize::MAX);
            let Some(raw) = start.checked_add(count).and_then(|end| bytes.get(start..end)) else {
                return String::new();
            };
            let bits = raw.iter().rev().fold(0u64, |bits, &byte| bits << 8 | u64::from(byte));
            out.push_str(if at > 0 { ", " } else { "" });
            value::write(&mut out, bits, self.width, self.kind);
        }
        if self.offsets.len() > 1 { format!("({out})") } else { out }
    }
}

impl<'m> Named<'m> {
    /// The inputs that an entry point's run has.
    pub fn new(module: &'m Module, entry: usize, inputs: &Inputs) -> Named<'m> {
        let consts = Consts::of(module, &inputs.specs);
        let stage = module.entries.get(entry).map(|entry| entry.stage);
        let mut named =
            Named { module, consts, sizes: Sizes::default(), stage, roots: Vec::new(), pictures: &[] };
        named.collect(entry, inputs);
        named
    }

    /// The same inputs, whose images can also be assigned these pictures.
    pub fn with_pictures(self, pictures: &'m [Picture]) -> Named<'m> {
        Named { pictures, ..self }
    }

    fn collect(&mut self, entry: usize, inputs: &Inputs) {
        let module = self.module;
        let interface = module.entries.get(entry).map_or(&[][..], |entry| &entry.interface);
        for (var, data) in module.vars().filter(|(_, data)| data.owner.is_none()) {
            let name = module.name_of(var);
            match data.mode {
                Mode::Uniform | Mode::Storage => {
                    let Some(slot) = slot_of(module, var) else { continue };
                    let count = inputs.buffers.get(&slot).map_or(0, Vec::len);
                    let is_array = block_of(module, data.ty) != data.ty;
                    for element in elements_of(module, var, count) {
                        let is_array = is_array || count > 1;
                        let name = if is_array { format!("{name}[{element}]") } else { name.clone() };
                        let bytes = InputBytes::Buffer(slot, element);
                        self.roots.push((name, Root::Bytes(bytes, block_of(module, data.ty))));
                    }
                }
                Mode::Push => self.roots.push((name, Root::Bytes(InputBytes::Push, data.ty))),
                Mode::Handle => {
                    let Some(slot) = slot_of(module, var) else { continue };
                    let count = inputs.images.get(&slot).map_or(0, Vec::len);
                    for element in elements_of(module, var, count) {
                        let name = if count > 1 { format!("{name}[{element}]") } else { name.clone() };
                        self.roots.push((name, Root::Image(slot, element)));
                    }
                }
                Mode::In if interface.contains(&var) => self.roots.push((name, Root::Stage(var, data.ty))),
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
        for (global, data) in module.globals() {
            let (GlobalValue::Spec(default), Some(id)) = (&data.value, data.attrs.get(Key::SpecId)) else {
                continue;
            };
            let name = data.name.map(|name| module.text_of(name)).filter(|name| !name.is_empty());
            let name = name.map_or_else(|| format!("constant{id}"), str::to_owned);
            if let Some(width) = module.global_type(global).and_then(ValueType::width) {
                let default = module.bits_of(*default).component(0).bits();
                self.roots.push((name, Root::Constant(id as u32, width, default)));
            }
        }
    }

    /// The specialization constants: name, identity, default bits.
    pub fn constants(&self) -> Vec<(String, u32, u64)> {
        let constants = self.roots.iter().filter_map(|(name, root)| match *root {
            Root::Constant(id, _, bits) => Some((name.clone(), id, bits)),
            Root::Bytes(..) | Root::Image(..) | Root::Stage(..) => None,
        });
        constants.collect()
    }

    /// Values `first` to `first + count` of an input's bytes, and the number of all. Linear in the number of all.
    pub fn values(
        &mut self,
        bytes: InputBytes,
        inputs: &Inputs,
        first: u32,
        count: u32,
    ) -> (Vec<NamedValue>, u32) {
        let mut out = Vec::new();
        let mut at = 0u32;
        let found = self.roots.iter().find_map(|(name, root)| match *root {
            Root::Bytes(of, ty) if of == bytes => Some((name.clone(), ty)),
            Root::Bytes(..) | Root::Image(..) | Root::Stage(..) | Root::Constant(..) => None,
        });
        let Some((root, ty)) = found else { return (out, 0) };
        let mut memory = self.memory(bytes.of(inputs).len() as u64);
        memory.walk(Part { ty, offset: 0, step: 0 }, &mut |leaf, path| {
            if at >= first && at - first < count {
                let mut name = root.clone();
                path(&mut name);
                out.push(NamedValue { name, offsets: offsets(leaf), width: leaf.width, kind: leaf.kind });
            }
            at += 1;
            true
        });
        (out, at)
    }

    /// Changes inputs by assignments, one on each line. Empty lines are skipped; returns an explanation for each line that
    /// cannot be followed, after its number from 1.
    pub fn assign_all(&mut self, inputs: &mut Inputs, lines: &str) -> Vec<(usize, String)> {
        let mut wrong = Vec::new();
        for (at, line) in lines.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            if let Err(why) = self.assign(inputs, line) {
                wrong.push((at + 1, why));
            }
        }
        wrong
    }

    /// Changes inputs by one assignment, `NAME = VALUE` or `NAME @ X, Y = VALUE`.
    ///
    /// # Errors
    ///
    /// A sentence that says what is wrong, with the nearest name if the name is unknown.
    pub fn assign(&mut self, inputs: &mut Inputs, assignment: &str) -> Result<(), String> {
        let (target, value) = assignment
            .split_once('=')
            .ok_or_else(|| format!("`{}` has no `=`: write NAME = VALUE", assignment.trim()))?;
        let (path, place) = match target.split_once('@') {
            Some((path, place)) => (path.trim(), Some(read_place(place)?)),
            None => (target.trim(), None),
        };
        let (root, part_path) = self.root(path)?;
        if place.is_some() && !matches!(root, Root::Stage(..)) {
            return Err(format!("`{path}` is the same for all invocations: leave out `@`"));
        }
        match root {
            Root::Bytes(bytes, ty) => {
                let size = bytes.of(inputs).len() as u64;
                let leaves = self.part(ty, size, &part_path, path)?;
                let numbers = read_numbers(&leaves, value)?;
                let memory = bytes.of_mut(inputs).ok_or_else(|| format!("`{path}` has no memory"))?;
                write_numbers(memory, &leaves, &numbers);
                Ok(())
            }
            Root::Constant(..) if !part_path.is_empty() => Err(format!("`{path}` is a member of a number")),
            Root::Constant(id, width, _) => {
                inputs.specs.insert(id, value::read_untyped(value.trim(), width)?);
                Ok(())
            }
            Root::Stage(var, ty) => {
                let leaves = self.part(ty, MOST_STAGE_BYTES, &part_path, path)?;
                let numbers = read_numbers(&leaves, value)?;
                self.set_stage(inputs, var, &leaves, &numbers, place);
                Ok(())
            }
            Root::Image(slot, element) => {
                let image = inputs.images.get_mut(&slot).and_then(|list| list.get_mut(element as usize));
                let Some(image) = image else { return Ok(()) };
                match pattern::named(self.pictures, path, value) {
                    Some(picture) => {
                        let picture = picture?;
                        pattern::draw_picture(image, picture.size, &picture.rgba)
                    }
                    None => Pattern::read(value.trim())?.draw(image),
                }
            }
        }
    }

    fn memory(&mut self, bytes: u64) -> Memory<'_> {
        Memory { module: self.module, consts: &self.consts, sizes: &mut self.sizes, bytes }
    }

    /// The root of a path, and the path inside of it.
    fn root(&self, path: &str) -> Result<(Root, String), String> {
        let is_path = |rest: &str| rest.is_empty() || rest.starts_with(['.', '[']);
        let own = self.roots.iter().filter_map(|(name, root)| {
            let rest = path.strip_prefix(name.as_str()).filter(|rest| is_path(rest))?;
            Some((name.len(), *root, rest.to_owned()))
        });
        if let Some((_, root, rest)) = own.max_by_key(|(length, ..)| *length) {
            return Ok((root, rest));
        }
        let member = path.split(['.', '[']).next().unwrap_or_default();
        let mut blocks = self.roots.iter().filter(|(_, root)| self.has_member(*root, member));
        match (blocks.next(), blocks.next()) {
            (Some((_, root)), None) => Ok((*root, format!(".{path}"))),
            (Some((one, _)), Some((two, _))) => Err(format!(
                "`{member}` is a member of several inputs: write `{one}.{path}` or `{two}.{path}`"
            )),
            (None, _) => {
                let hint = nearest(member, self.roots.iter().map(|(name, _)| name.as_str()));
                let hint = hint.map_or_else(|| self.list(), |name| format!("; did you mean `{name}`?"));
                Err(format!("there is no input `{path}`{hint}"))
            }
        }
    }

    /// The names of the inputs, as the end of a sentence.
    fn list(&self) -> String {
        match self.roots.is_empty() {
            true => ": this entry point has none".to_owned(),
            false => {
                let names: Vec<&str> = self.roots.iter().map(|(name, _)| name.as_str()).collect();
                format!("; there are {}", names.join(", "))
            }
        }
    }

    fn has_member(&self, root: Root, member: &str) -> bool {
        let (Root::Bytes(_, ty) | Root::Stage(_, ty)) = root else { return false };
        member_of(self.module, ty, member).is_some()
    }

    /// The numbers of the part that a path leads to; `whole` is the written path, for diagnostics.
    fn part(&mut self, ty: Type, bytes: u64, path: &str, whole: &str) -> Result<Vec<Leaf>, String> {
        let mut memory = self.memory(bytes);
        let mut part = Part { ty, offset: 0, step: 0 };
        let mut rest = path;
        while !rest.is_empty() {
            let (word, next) = read_step(rest).ok_or_else(|| {
                format!("`{whole}` is not a path: after a name come `.member`, `.x` or `[index]`")
            })?;
            let count = memory.count(part);
            let at =
                part_at(memory.module, part.ty, word).ok_or_else(|| unknown(memory.module, part.ty, word))?;
            if at >= count {
                return Err(format!("`{whole}`: {word} is out of range, there are {count}"));
            }
            part = memory.part(part, at).ok_or_else(|| format!("`{whole}` has no part {word}"))?;
            rest = next;
        }
        let mut leaves = Vec::new();
        memory.walk(part, &mut |leaf, _| {
            leaves.push(leaf);
            true
        });
        if leaves.is_empty() { Err(format!("`{whole}` has no numbers")) } else { Ok(leaves) }
    }

    fn set_stage(
        &mut self,
        inputs: &mut Inputs,
        var: Var,
        leaves: &[Leaf],
        numbers: &[u64],
        place: Option<[u32; 2]>,
    ) {
        let mut keys = BTreeMap::new();
        let mut counts: BTreeMap<Builtin, u32> = BTreeMap::new();
        for leaf in interface::leaves(self.module, &self.consts, &mut self.sizes, self.stage, var) {
            for part in 0..u32::from(leaf.components) {
                let key = leaf.key(part);
                keys.insert(
                    u64::from(leaf.offset) + u64::from(part) * u64::from(leaf.step),
                    (key, leaf.float, leaf.of),
                );
                if let OutKey::BuiltIn(builtin, at) = key {
                    let count = counts.entry(builtin).or_default();
                    *count = (*count).max(at + 1);
                }
            }
        }
        let places = leaves.iter().flat_map(|leaf| offsets(*leaf));
        for (offset, &bits) in places.zip(numbers) {
            match keys.get(&offset) {
                Some(&(OutKey::Location(location, component, _), float, of)) => {
                    let key = (location, component);
                    // An element is that vertex of the first primitive.
                    let of_vertex = match of {
                        LeafOf::Vertex(number) | LeafOf::Primitive(number) => Some([number, 0]),
                        LeafOf::Whole => None,
                    };
                    if of_vertex.is_some() && place.is_none() {
                        // The other vertices keep their values.
                        inputs.varyings.entry(key).or_insert(Varying { float, ..Varying::default() });
                    }
                    inputs.assign_varying(key, bits, float, place.or(of_vertex));
                }
                Some(&(OutKey::BuiltIn(builtin, at), float, LeafOf::Vertex(_) | LeafOf::Primitive(_))) => {
                    let varying = Varying { base: bits, dx: 0.0, dy: 0.0, float };
                    inputs.builtin_varyings.insert((builtin, at), varying);
                }
                Some(&(OutKey::BuiltIn(builtin, at), ..)) => {
                    let count = counts.get(&builtin).copied().unwrap_or(at + 1) as usize;
                    let given = inputs.builtins.entry(builtin).or_default();
                    given.resize(count.max(given.len()), 0);
                    given[at as usize] = bits;
                }
                Some((OutKey::Payload(_), ..)) | None => {}
            }
        }
    }
}

/// Bits as a number of this kind: `0.5`, `-3`, `true`.
pub fn number_text(bits: u64, width: Width, kind: NumberKind) -> String {
    let mut out = String::new();
    value::write(&mut out, bits, width, kind);
    out
}

/// A number of a type in memory: a scalar or a vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TypeLeaf {
    /// Bytes from the start of the memory.
    pub offset: u64,
    /// Bytes from one component to the next.
    pub step: u64,
    /// Number of components.
    pub components: u32,
    /// Bits of a component.
    pub width: Width,
    /// The meaning of its bits.
    pub kind: NumberKind,
}

/// Calls `each` with the numbers of a type in memory of this size, in order, each with its path, until it returns false.
pub fn leaves_of(
    module: &Module,
    inputs: &Inputs,
    ty: Type,
    bytes: u64,
    each: &mut dyn FnMut(TypeLeaf, String) -> bool,
) {
    let consts = Consts::of(module, &inputs.specs);
    let mut memory = Memory { module, consts: &consts, sizes: &mut Sizes::default(), bytes };
    memory.walk(Part { ty, offset: 0, step: 0 }, &mut |leaf, path| {
        let Leaf { offset, step, components, width, kind } = leaf;
        let mut name = String::new();
        path(&mut name);
        each(TypeLeaf { offset, step, components, width, kind }, name)
    });
}

/// The block of an array of blocks, or the type itself.
fn block_of(module: &Module, ty: Type) -> Type {
    let mut of = ty;
    while let TypeData::Array { of: element, .. } | TypeData::RuntimeArray { of: element, .. } =
        *module.type_of(of)
    {
        of = element;
    }
    if matches!(module.type_of(of), TypeData::Struct(_)) { of } else { ty }
}

fn member_of(module: &Module, ty: Type, name: &str) -> Option<u64> {
    let TypeData::Struct(structure) = *module.type_of(ty) else { return None };
    let members = &module.structure(structure)?.members;
    let at = members.iter().position(|member| member.name.is_some_and(|own| module.text_of(own) == name));
    at.map(|at| at as u64)
}

/// The first step of a path without its punctuation, and the rest.
fn read_step(path: &str) -> Option<(&str, &str)> {
    if let Some(rest) = path.strip_prefix('[') {
        return rest.split_once(']').map(|(word, rest)| (word.trim(), rest));
    }
    let rest = path.strip_prefix('.')?;
    let end = rest.find(['.', '[']).unwrap_or(rest.len());
    (end > 0).then(|| rest.split_at(end))
}

/// The index of a part: a member, a component, or a number.
fn part_at(module: &Module, ty: Type, word: &str) -> Option<u64> {
    let component = || match (module.type_of(ty), word) {
        (TypeData::Vector { .. }, "x" | "r" | "s") => Some(0),
        (TypeData::Vector { .. }, "y" | "g" | "t") => Some(1),
        (TypeData::Vector { .. }, "z" | "b" | "p") => Some(2),
        (TypeData::Vector { .. }, "w" | "a" | "q") => Some(3),
        _ => None,
    };
    member_of(module, ty, word).or_else(component).or_else(|| word.parse().ok())
}

fn unknown(module: &Module, ty: Type, word: &str) -> String {
    let TypeData::Struct(structure) = *module.type_of(ty) else {
        return format!("`{word}` is not an index");
    };
    let members = module.structure(structure).map(|data| data.members.clone());
    let names: Vec<&str> = members
        .iter()
        .flat_map(|members| members.iter())
        .filter_map(|member| member.name.map(|name| module.text_of(name)))
        .collect();
    match nearest(word, names.iter().copied()) {
        Some(name) => format!("there is no member `{word}`; did you mean `{name}`?"),
        None => format!("there is no member `{word}`; there are {}", names.join(", ")),
    }
}

fn offsets(leaf: Leaf) -> Vec<u64> {
    (0..u64::from(leaf.components)).map(|at| leaf.offset + at * leaf.step).collect()
}

fn read_place(place: &str) -> Result<[u32; 2], String> {
    let mut numbers = place.split([',', ' ']).filter(|word| !word.is_empty()).map(str::parse::<u32>);
    let place_of = match (numbers.next(), numbers.next(), numbers.next()) {
        (Some(Ok(x)), Some(Ok(y)), None) => Some([x, y]),
        (Some(Ok(x)), None, None) => Some([x, 0]),
        _ => None,
    };
    place_of.ok_or_else(|| {
        format!("`@{place}` is not an invocation: write the column and the row of a pixel, or a vertex and its instance")
    })
}

/// A number for each component of the leaves.
fn read_numbers(leaves: &[Leaf], value: &str) -> Result<Vec<u64>, String> {
    let words: Vec<&str> = value
        .split([',', ' ', '\t', '(', ')', '{', '}', '[', ']', ';'])
        .filter(|word| !word.is_empty())
        .collect();
    let places = leaves.iter().flat_map(|leaf| (0..leaf.components).map(move |_| leaf));
    let count = places.clone().count();
    if words.len() != 1 && words.len() != count {
        let are = if words.len() == 1 { "is" } else { "are" };
        return Err(format!(
            "{count} number{} needed, and {} {are} given; one number sets all",
            if count == 1 { " is" } else { "s are" },
            words.len(),
        ));
    }
    places.zip(words.iter().cycle()).map(|(leaf, word)| value::read(word, leaf.width, leaf.kind)).collect()
}

fn write_numbers(memory: &mut [u8], leaves: &[Leaf], numbers: &[u64]) {
    let places =
        leaves.iter().flat_map(|leaf| offsets(*leaf).into_iter().map(move |offset| (offset, leaf.width)));
    for ((offset, width), bits) in places.zip(numbers) {
        let (start, count) = (offset as usize, scalar_bytes(width) as usize);
        if let Some(slot) = memory.get_mut(start..start + count) {
            slot.copy_from_slice(&bits.to_le_bytes()[..count]);
        }
    }
}
