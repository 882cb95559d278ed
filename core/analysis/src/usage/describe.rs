//! Tree ranges with the names of members, and as a line of text in the syntax of the text form.
//!
//! ```text
//! 0..4 b32 read "count", 16.. * 32 { 0..12 b32x3 read "lights[].pos", 12..16 b32 read+write "lights[].radius" }
//! ```
//!
//! A name is the path of the position in the declared type: `[]` if the position is the same in all elements,
//! `[3]` for one element. There is no name if the declared type has nothing of that size at that position.

use super::How;
use super::tree::{Part, PartData, PartKind, Tree, array_at, member_at};
use std::fmt::Write;
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::ValueType;
use vitrine_ir::{Module, Type, TypeData};

/// The position of a part in the declared type.
#[derive(Clone)]
struct Name {
    /// The path, as far as it goes.
    path: String,
    /// The type at the end of the path, and the remaining bytes; `None` if the declared type does not match.
    at: Option<(Type, i64)>,
}

impl Name {
    fn further(&self, bytes: i64) -> Name {
        let at = self.at.and_then(|(ty, at)| Some((ty, at.checked_add(bytes)?)));
        Name { path: self.path.clone(), at }
    }
}

/// The kind of memory that a name must select.
#[derive(Clone, Copy)]
enum Wanted {
    /// An array of this stride, with at least this many elements.
    Row(u32, Option<u32>),
    /// A value.
    Value(ValueType),
    /// Memory of a type.
    Exactly(Type),
    /// A number of bytes.
    Bytes(Option<u64>),
}

/// A pending part, its distance from the start of the enclosing list, its name, and its depth.
struct Next(Part, i64, Name, u32);

/// A range of a usage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Number of enclosing arrays and unions.
    pub depth: u32,
    /// Distance in bytes from the start of the enclosing range.
    pub at: i64,
    /// The part of the tree.
    pub part: Part,
    /// The path in the declared type; empty if it has nothing of that size there.
    pub name: String,
}

/// The text of a tree.
pub(super) fn text(module: &Module, tree: &Tree, sizes: &mut Sizes) -> String {
    if tree.is_unused() {
        return "unused".to_owned();
    }
    let (mut out, mut before) = (String::new(), None);
    for line in lines(module, tree, sizes) {
        if let Some(before) = before {
            out.push_str(if line.depth > before { " {" } else { "" });
            (line.depth..before).for_each(|_| out.push_str(" }"));
            out.push_str(if line.depth > before { " " } else { ", " });
        }
        before = Some(line.depth);
        if let Some(data) = tree.part(line.part) {
            range(data, line.at, &mut out);
            if !line.name.is_empty() {
                out.extend([" \"", &line.name, "\""]);
            }
        }
    }
    (0..before.unwrap_or(0)).for_each(|_| out.push_str(" }"));
    out
}

/// The ranges of a tree, each after its enclosing one.
pub(super) fn lines(module: &Module, tree: &Tree, sizes: &mut Sizes) -> Vec<Line> {
    let mut teller = Describer { module, tree, sizes, out: Vec::new(), next: Vec::new() };
    let name = Name { path: String::new(), at: tree.declared.map(|ty| (ty, 0)) };
    if !tree.is_unused() {
        teller.list(tree.root(), &name, 0);
    }
    while let Some(Next(part, at, name, depth)) = teller.next.pop() {
        teller.part(part, at, name, depth);
    }
    teller.out
}

/// A range as text, without its name.
fn range(data: &PartData, at: i64, out: &mut String) {
    if let PartKind::Anywhere(how) = data.kind {
        out.push_str("anywhere");
        return words(how, out);
    }
    let end = data.bytes.and_then(|bytes| at.checked_add(i64::try_from(bytes).ok()?));
    let _ = match end {
        Some(end) if end < 0 => write!(out, "{at}.. {end}"),
        Some(end) => write!(out, "{at}..{end}"),
        None => write!(out, "{at}.."),
    };
    match data.kind {
        PartKind::Value(ty, how) => {
            let _ = write!(out, " {ty}");
            words(how, out);
        }
        PartKind::Bytes(how) => {
            out.push_str(" bytes");
            words(how, out);
        }
        PartKind::Typed(_, how) => {
            out.push_str(" typed");
            words(how, out);
        }
        PartKind::Repeat { stride, .. } => drop(write!(out, " * {stride}")),
        PartKind::Union(_) => out.push_str(" union"),
        PartKind::Anywhere(_) | PartKind::Fields(_) => {}
    }
}

fn words(how: How, out: &mut String) {
    for (at, word) in how.words().enumerate() {
        out.push(if at == 0 { ' ' } else { '+' });
        out.push_str(word);
    }
}

struct Describer<'a> {
    module: &'a Module,
    tree: &'a Tree,
    sizes: &'a mut Sizes,
    out: Vec<Line>,
    next: Vec<Next>,
}

impl Describer<'_> {
    /// Pushes the parts of a part, or the part itself if it is a leaf.
    fn list(&mut self, part: Part, name: &Name, depth: u32) {
        let Some(data) = self.tree.part(part) else { return };
        let (PartKind::Fields(parts) | PartKind::Union(parts)) = &data.kind else {
            return self.next.push(Next(part, 0, name.clone(), depth));
        };
        let next = parts.iter().rev().map(|&(at, part)| Next(part, at, name.further(at), depth));
        self.next.extend(next);
    }

    fn part(&mut self, part: Part, at: i64, name: Name, depth: u32) {
        let tree = self.tree;
        let Some(data) = tree.part(part) else { return };
        let wanted = match data.kind {
            // A part that is only a list of ranges is replaced by the list.
            PartKind::Fields(_) => return self.list(part, &name, depth),
            PartKind::Value(ty, _) => Some(Wanted::Value(ty)),
            PartKind::Bytes(_) => Some(Wanted::Bytes(data.bytes)),
            PartKind::Typed(ty, _) => Some(Wanted::Exactly(ty)),
            PartKind::Repeat { .. } | PartKind::Union(_) | PartKind::Anywhere(_) => None,
        };
        let path = wanted.map_or_else(String::new, |wanted| self.named(name.clone(), wanted));
        self.out.push(Line { depth, at, part, name: path });
        match data.kind {
            PartKind::Repeat { stride, count, element } => {
                let inner = self.lead(name, Wanted::Row(stride, count));
                self.list(element, &inner, depth + 1);
            }
            PartKind::Union(_) => self.list(part, &name.further(0), depth + 1),
            PartKind::Value(..) | PartKind::Bytes(_) | PartKind::Typed(..) => {}
            PartKind::Fields(_) | PartKind::Anywhere(_) => {}
        }
    }

    fn named(&mut self, name: Name, wanted: Wanted) -> String {
        let found = self.lead(name, wanted);
        match found.at {
            Some(_) => {
                let odd = |c: char| c.is_control() || matches!(c, '"' | '\\');
                match found.path.contains(odd) {
                    true => found.path.replace(odd, "_"),
                    false => found.path,
                }
            }
            None => String::new(),
        }
    }

    /// Extends a name until it selects the wanted kind of memory.
    fn lead(&mut self, name: Name, wanted: Wanted) -> Name {
        let nowhere = Name { path: String::new(), at: None };
        let Some((ty, at)) = name.at.and_then(|(ty, at)| Some((ty, u64::try_from(at).ok()?))) else {
            return nowhere;
        };
        let (module, mut ty, mut at, mut path) = (self.module, ty, at, name.path);
        if let Wanted::Row(stride, count) = wanted {
            let row = array_at(module, self.sizes, ty, at, u64::from(stride));
            let is_it = |&(_, start, len): &(Type, u64, Option<u32>)| {
                start == at && len.is_none_or(|len| count.is_some_and(|count| count <= len))
            };
            if !row.as_ref().is_some_and(is_it) {
                return nowhere;
            }
        }
        // The nesting depth of types is less than their number.
        for _ in 0..=module.sizes()[0] {
            let is_there = match wanted {
                Wanted::Row(stride, _) => self.sizes.stride(module, module, ty) == u64::from(stride),
                Wanted::Value(wanted) => at == 0 && module.value_type(ty) == Some(wanted),
                Wanted::Exactly(wanted) => at == 0 && ty == wanted,
                Wanted::Bytes(bytes) => at == 0 && Some(self.sizes.of(module, module, ty).bytes) == bytes,
            };
            if is_there {
                if let (Wanted::Row(..), Some(of)) = (wanted, module.element_type(ty)) {
                    path.push_str("[]");
                    ty = of;
                }
                return Name { path, at: i64::try_from(at).ok().map(|at| (ty, at)) };
            }
            let Some(next) = self.inside(ty, at, &mut path) else { return nowhere };
            (ty, at) = next;
        }
        nowhere
    }

    /// The inner type that contains a byte, and the distance from its start.
    fn inside(&mut self, ty: Type, at: u64, path: &mut String) -> Option<(Type, u64)> {
        let module = self.module;
        match *module.type_of(ty) {
            TypeData::Struct(structure) => {
                let (number, start, of) = member_at(module, self.sizes, structure, at)?;
                path.push_str(if path.is_empty() { "" } else { "." });
                let member = module.structure(structure)?.members.get(number)?;
                match member.name {
                    Some(name) => path.push_str(module.text_of(name)),
                    None => drop(write!(path, "{number}")),
                }
                Some((of, at - start))
            }
            TypeData::Matrix { row_major: true, column, stride, .. } => {
                let scalar = self.sizes.stride(module, module, ty);
                let (row, rest) = (at.checked_div(u64::from(stride))?, at.checked_rem(u64::from(stride))?);
                let _ = write!(path, "[{}]", rest.checked_div(scalar)?);
                Some((column, row.checked_mul(scalar)?.checked_add(rest % scalar)?))
            }
            TypeData::Vector { of, .. } => {
                let stride = self.sizes.stride(module, module, ty);
                let component = at.checked_div(stride)?;
                match usize::try_from(component)
                    .ok()
                    .and_then(|component| ["x", "y", "z", "w"].get(component))
                {
                    Some(component) => {
                        let _ = write!(path, ".{component}");
                    }
                    None => drop(write!(path, "[{component}]")),
                }
                Some((of, at - component * stride))
            }
            _ => {
                let of = module.element_type(ty)?;
                let stride = self.sizes.stride(module, module, ty);
                let index = at.checked_div(stride)?;
                let _ = write!(path, "[{index}]");
                Some((of, at - index * stride))
            }
        }
    }
}
