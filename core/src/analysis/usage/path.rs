//! What a declared type calls the place to which an address leads.
//!
//! ```text
//! #0 { count: u32 {offset 0}, lights: [#Light step 32] {offset 16} }      16 + %3 * 32 + 12     lights[%3].radius
//! ```
//!
//! An index stands where it was one: an array takes the step of its own stride. What does not fit into the type is said
//! in bytes behind what does. Says nothing about whether an index stays inside of its array.

use super::super::address::Term;
use super::tree::member_at;
use crate::ir::layout::Sizes;
use crate::ir::{Inst, Module, Type, TypeData};
use crate::ops::ValueType;
use std::fmt::Write;

/// Where in a type something is, and what leads there.
struct Walk<'a> {
    module: &'a Module,
    sizes: Sizes,
    ty: Type,
    /// Bytes yet to go.
    at: u64,
    /// Steps yet to go.
    terms: Vec<Term>,
    said: String,
}

/// The path from a declared type to what lies `offset` bytes and some steps further on: where a value is wanted, down
/// to one of its kind; and whether it leads there without bytes and steps left over. Empty for the whole; none before
/// the first byte. Linear in how deep types are nested.
pub fn path_at(
    module: &Module,
    ty: Type,
    offset: i64,
    terms: &[Term],
    wanted: Option<ValueType>,
) -> Option<(String, bool)> {
    let at = u64::try_from(offset).ok()?;
    let terms = terms.to_vec();
    let mut walk = Walk { module, sizes: Sizes::default(), ty, at, terms, said: String::new() };
    // Types are less deep than there are types.
    for _ in 0..=module.sizes()[0] {
        let arrived = walk.at == 0 && walk.terms.is_empty();
        let is_it = wanted.is_none_or(|wanted| module.value_type(walk.ty) == Some(wanted));
        if arrived && is_it || !walk.step(wanted) {
            break;
        }
    }
    let whole = walk.at == 0 && walk.terms.is_empty();
    if walk.at > 0 {
        let _ = write!(walk.said, " + {} bytes", walk.at);
    }
    for term in &walk.terms {
        let _ = write!(walk.said, " + {} * {} bytes", term.index, term.stride);
    }
    Some((walk.said, whole))
}

impl Walk<'_> {
    /// Goes one level in; `false` where nothing is inside.
    fn step(&mut self, wanted: Option<ValueType>) -> bool {
        let module = self.module;
        match *module.type_of(self.ty) {
            TypeData::Struct(structure) => {
                let Some((number, start, of)) = member_at(module, &mut self.sizes, structure, self.at) else {
                    return false;
                };
                let name = module.structure(structure).and_then(|data| data.members.get(number)?.name);
                self.said.push_str(if self.said.is_empty() { "" } else { "." });
                match name {
                    Some(name) => self.said.push_str(module.text_of(name)),
                    None => drop(write!(self.said, "{number}")),
                }
                (self.ty, self.at) = (of, self.at - start);
                true
            }
            TypeData::Matrix { row_major: true, column, stride, .. } => {
                let scalar = self.sizes.stride(module, module, self.ty);
                let (row, row_index) = self.take(u64::from(stride));
                let (lane, lane_index) = self.take(scalar);
                self.index(lane, lane_index);
                self.index(row, row_index);
                self.ty = module.element_type(column).unwrap_or(column);
                true
            }
            TypeData::Vector { of, .. } => {
                let stride = self.sizes.stride(module, module, self.ty);
                let whole = self.at == 0 && !self.terms.iter().any(|term| u64::from(term.stride) == stride);
                // A part of a vector is still read from the vector.
                if whole && wanted.is_none_or(|wanted| wanted.components() > 1) {
                    return false;
                }
                match self.take(stride) {
                    (lane @ 0..=3, None) => {
                        self.said.push('.');
                        self.said.push(['x', 'y', 'z', 'w'][(lane & 3) as usize]);
                    }
                    (lane, index) => self.index(lane, index),
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

    /// Takes whole strides away: how many, and the index that counts more of them.
    fn take(&mut self, stride: u64) -> (u64, Option<Inst>) {
        let number = self.at.checked_div(stride).unwrap_or(0);
        self.at -= number * stride;
        let found = self.terms.iter().position(|term| u64::from(term.stride) == stride);
        (number, found.map(|at| self.terms.remove(at).index))
    }

    fn index(&mut self, number: u64, index: Option<Inst>) {
        let _ = match (index, number) {
            (None, number) => write!(self.said, "[{number}]"),
            (Some(index), 0) => write!(self.said, "[{index}]"),
            (Some(index), number) => write!(self.said, "[{index} + {number}]"),
        };
    }
}
