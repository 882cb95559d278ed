//! A tree range by range, with the names of members; and as text in one line, of words that the text form knows.
//!
//! ```text
//! 0..4 b32 read "count", 16.. * 32 { 0..12 b32x3 read "lights[].pos", 12..16 b32 read+write "lights[].radius" }
//! ```
//!
//! A name is what the declared type calls the place: `[]` where it is the same for all elements, `[3]` where one is
//! meant. Where the declared type has nothing of that size there, there is none.

use super::How;
use super::tree::{Part, PartData, PartKind, Tree, array_at, member_at};
use crate::ir::layout::Sizes;
use crate::ir::{Module, Type, TypeData};
use crate::ops::ValueType;
use std::fmt::Write;

/// Where a part lies in the declared type.
#[derive(Clone)]
struct Name {
    /// What leads there, as far as it goes.
    said: String,
    /// What it leads to, and bytes from there; none where the declared type does not help.
    at: Option<(Type, i64)>,
}

impl Name {
    fn further(&self, bytes: i64) -> Name {
        let at = self.at.and_then(|(ty, at)| Some((ty, at.checked_add(bytes)?)));
        Name { said: self.said.clone(), at }
    }
}

/// What a name has to lead to.
#[derive(Clone, Copy)]
enum Wanted {
    /// An array of this stride, with as many elements at least.
    Row(u32, Option<u32>),
    /// A value.
    Value(ValueType),
    /// A place of a type.
    Exactly(Type),
    /// So many bytes.
    Bytes(Option<u64>),
}

/// What is to be told next: a part, bytes from where the list around it begins, its name, how deep it stands.
struct Next(Part, i64, Name, u32);

/// A range of a usage.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// How many rows and unions it stands in.
    pub depth: u32,
    /// Bytes from where what it stands in begins.
    pub at: i64,
    /// What is done there.
    pub part: Part,
    /// What the declared type calls the place; empty where it has nothing of that size there.
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

/// The ranges of a tree, each behind what it stands in.
pub(super) fn lines(module: &Module, tree: &Tree, sizes: &mut Sizes) -> Vec<Line> {
    let mut teller = Teller { module, tree, sizes, out: Vec::new(), next: Vec::new() };
    let name = Name { said: String::new(), at: tree.declared.map(|ty| (ty, 0)) };
    if !tree.is_unused() {
        teller.list(tree.root(), &name, 0);
    }
    while let Some(Next(part, at, name, depth)) = teller.next.pop() {
        teller.part(part, at, name, depth);
    }
    teller.out
}

/// A range in words, without its name.
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

struct Teller<'a> {
    module: &'a Module,
    tree: &'a Tree,
    sizes: &'a mut Sizes,
    out: Vec<Line>,
    next: Vec<Next>,
}

impl Teller<'_> {
    /// Tells the parts of a part next, or the part itself where it is one.
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
            // What nothing but a list of ranges is, is the list.
            PartKind::Fields(_) => return self.list(part, &name, depth),
            PartKind::Value(ty, _) => Some(Wanted::Value(ty)),
            PartKind::Bytes(_) => Some(Wanted::Bytes(data.bytes)),
            PartKind::Typed(ty, _) => Some(Wanted::Exactly(ty)),
            PartKind::Repeat { .. } | PartKind::Union(_) | PartKind::Anywhere(_) => None,
        };
        let said = wanted.map_or_else(String::new, |wanted| self.named(name.clone(), wanted));
        self.out.push(Line { depth, at, part, name: said });
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
                match found.said.contains(odd) {
                    true => found.said.replace(odd, "_"),
                    false => found.said,
                }
            }
            None => String::new(),
        }
    }

    /// Leads a name further in, until it is at what is wanted.
    fn lead(&mut self, name: Name, wanted: Wanted) -> Name {
        let nowhere = Name { said: String::new(), at: None };
        let Some((ty, at)) = name.at.and_then(|(ty, at)| Some((ty, u64::try_from(at).ok()?))) else {
            return nowhere;
        };
        let (module, mut ty, mut at, mut said) = (self.module, ty, at, name.said);
        if let Wanted::Row(stride, count) = wanted {
            let row = array_at(module, self.sizes, ty, at, u64::from(stride));
            let is_it = |&(_, start, len): &(Type, u64, Option<u32>)| {
                start == at && len.is_none_or(|len| count.is_some_and(|count| count <= len))
            };
            if !row.as_ref().is_some_and(is_it) {
                return nowhere;
            }
        }
        // Types are less deep than there are types.
        for _ in 0..=module.sizes()[0] {
            let is_there = match wanted {
                Wanted::Row(stride, _) => self.sizes.stride(module, module, ty) == u64::from(stride),
                Wanted::Value(wanted) => at == 0 && module.value_type(ty) == Some(wanted),
                Wanted::Exactly(wanted) => at == 0 && ty == wanted,
                Wanted::Bytes(bytes) => at == 0 && Some(self.sizes.of(module, module, ty).bytes) == bytes,
            };
            if is_there {
                if let (Wanted::Row(..), Some(of)) = (wanted, module.element_type(ty)) {
                    said.push_str("[]");
                    ty = of;
                }
                return Name { said, at: i64::try_from(at).ok().map(|at| (ty, at)) };
            }
            let Some(next) = self.inside(ty, at, &mut said) else { return nowhere };
            (ty, at) = next;
        }
        nowhere
    }

    /// The part of a type in which a byte lies, and bytes from there.
    fn inside(&mut self, ty: Type, at: u64, said: &mut String) -> Option<(Type, u64)> {
        let module = self.module;
        match *module.type_of(ty) {
            TypeData::Struct(structure) => {
                let (number, start, of) = member_at(module, self.sizes, structure, at)?;
                said.push_str(if said.is_empty() { "" } else { "." });
                let member = module.structure(structure)?.members.get(number)?;
                match member.name {
                    Some(name) => said.push_str(module.text_of(name)),
                    None => drop(write!(said, "{number}")),
                }
                Some((of, at - start))
            }
            TypeData::Matrix { row_major: true, column, stride, .. } => {
                let scalar = self.sizes.stride(module, module, ty);
                let (row, rest) = (at.checked_div(u64::from(stride))?, at.checked_rem(u64::from(stride))?);
                let _ = write!(said, "[{}]", rest.checked_div(scalar)?);
                Some((column, row.checked_mul(scalar)?.checked_add(rest % scalar)?))
            }
            TypeData::Vector { of, .. } => {
                let stride = self.sizes.stride(module, module, ty);
                let lane = at.checked_div(stride)?;
                match usize::try_from(lane).ok().and_then(|lane| ["x", "y", "z", "w"].get(lane)) {
                    Some(lane) => {
                        let _ = write!(said, ".{lane}");
                    }
                    None => drop(write!(said, "[{lane}]")),
                }
                Some((of, at - lane * stride))
            }
            _ => {
                let of = module.element_type(ty)?;
                let stride = self.sizes.stride(module, module, ty);
                let index = at.checked_div(stride)?;
                let _ = write!(said, "[{index}]");
                Some((of, at - index * stride))
            }
        }
    }
}
