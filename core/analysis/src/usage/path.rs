//! Names of addresses as member paths of a declared type.
//!
//! ```text
//! #0 { count: u32 {offset 0}, lights: [#Light step 32] {offset 16} }      16 + %3 * 32 + 12     lights[%3].radius
//! ```
//!
//! An index keeps its position: an array takes the step of its stride. A remainder that does not match the
//! type
//! is expressed in bytes after the path. Indices are not checked against array bounds.

use super::super::address::Term;
use super::tree::member_at;
use std::fmt::Write;
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::ValueType;
use vitrine_ir::{Inst, Module, Type, TypeData};

/// A position in a type, and the path to it.
struct Walk<'a> {
    module: &'a Module,
    sizes: Sizes,
    ty: Type,
    /// Remaining bytes.
    at: u64,
    /// Remaining steps.
    terms: Vec<Term>,
    path: String,
}

/// The path from a declared type to `offset` bytes and some steps further on, down to a value of type
/// `wanted` if given. The flag is true if the path ends there without remaining bytes and steps. Empty for
/// the whole; `None` before the first byte. Linear in the nesting depth of types.
pub fn path_at(
    module: &Module,
    ty: Type,
    offset: i64,
    terms: &[Term],
    wanted: Option<ValueType>,
) -> Option<(String, bool)> {
    let at = u64::try_from(offset).ok()?;
    let terms = terms.to_vec();
    let mut walk = Walk { module, sizes: Sizes::default(), ty, at, terms, path: String::new() };
    // The nesting depth of types is less than their number.
    for _ in 0..=module.sizes()[0] {
        let arrived = walk.at == 0 && walk.terms.is_empty();
        let is_it = wanted.is_none_or(|wanted| module.value_type(walk.ty) == Some(wanted));
        if arrived && is_it || !walk.step(wanted) {
            break;
        }
    }
    let whole = walk.at == 0 && walk.terms.is_empty();
    if walk.at > 0 {
        let _ = write!(walk.path, " + {} bytes", walk.at);
    }
    for term in &walk.terms {
        let _ = write!(walk.path, " + {} * {} bytes", term.index, term.stride);
    }
    Some((walk.path, whole))
}

impl Walk<'_> {
    /// Descends one level; returns `false` if there is no inner type.
    fn step(&mut self, wanted: Option<ValueType>) -> bool {
        let module = self.module;
        match *module.type_of(self.ty) {
            TypeData::Struct(structure) => {
                let Some((number, start, of)) = member_at(module, &mut self.sizes, structure, self.at) else {
                    return false;
                };
                let name = module.structure(structure).and_then(|data| data.members.get(number)?.name);
                self.path.push_str(if self.path.is_empty() { "" } else { "." });
                match name {
                    Some(name) => self.path.push_str(module.text_of(name)),
                    None => drop(write!(self.path, "{number}")),
                }
                (self.ty, self.at) = (of, self.at - start);
                true
            }
            TypeData::Matrix { row_major: true, column, stride, .. } => {
                let scalar = self.sizes.stride(module, module, self.ty);
                let (row, row_index) = self.take(u64::from(stride));
                let (component, component_index) = self.take(scalar);
                self.index(component, component_index);
                self.index(row, row_index);
                self.ty = module.element_type(column).unwrap_or(column);
                true
            }
            TypeData::Vector { of, .. } => {
                let stride = self.sizes.stride(module, module, self.ty);
                let whole = self.at == 0 && !self.terms.iter().any(|term| u64::from(term.stride) == stride);
                // A part of a vector is still accessed as the vector.
                if whole && wanted.is_none_or(|wanted| wanted.components() > 1) {
                    return false;
                }
                match self.take(stride) {
                    (component @ 0..=3, None) => {
                        self.path.push('.');
                        self.path.push(['x', 'y', 'z', 'w'][(component & 3) as usize]);
                    }
                    (component, index) => self.index(component, index),
                }
                self.ty = of;
                true
            }
            _ => {
                let Some(of) = module.element_type(self.ty) else { return false };
                let stride = self.sizes.stride(module, module, self.ty);
                if stride == 0 {
                    return false;
                }
                let (number, index) = self.take(stride);
                self.index(number, index);
                self.ty = of;
                true
            }
        }
    }

    /// Consumes whole strides: their number, and the index that counts more of them.
    fn take(&mut self, stride: u64) -> (u64, Option<Inst>) {
        let number = self.at.checked_div(stride).unwrap_or(0);
        self.at -= number * stride;
        let found = self.terms.iter().position(|term| u64::from(term.stride) == stride);
        (number, found.map(|at| self.terms.remove(at).index))
    }

    fn index(&mut self, number: u64, index: Option<Inst>) {
        let _ = match (index, number) {
            (None, number) => write!(self.path, "[{number}]"),
            (Some(index), 0) => write!(self.path, "[{index}]"),
            (Some(index), number) => write!(self.path, "[{index} + {number}]"),
        };
    }
}
