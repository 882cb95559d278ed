//! Accesses to memory with their offsets and strides, and the test whether they match a type.
//!
//! Shared by `qptr-lift` and `qptr-specialize`. Creates no types.

use super::route::{Want, component_bytes, route};
use vitrine_analysis::{How, Memory, Part, PartKind, Term, Tree, Usage};
use vitrine_ir::base::EntityId;
use vitrine_ir::layout::{HANDLE_BYTES, Sizes};
use vitrine_ir::ops::{ValueType, Width};
use vitrine_ir::{Inst, Module, Type};

/// Strides and counts, the largest stride first.
pub(crate) type Strides = Vec<(u32, Option<u32>)>;

/// A use of memory.
#[derive(Clone, Debug)]
pub(crate) struct Access {
    /// The byte offset from the start of the place.
    pub(crate) offset: i64,
    pub(crate) steps: Strides,
    pub(crate) what: MemoryValue,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum MemoryValue {
    Value { ty: ValueType, atomic: bool },
    Typed(Type),
    Bytes(u64),
}

/// Returns true if all accesses of a usage tree match a type.
pub(crate) fn agrees(module: &Module, sizes: &mut Sizes, usage: &Usage, memory: Memory, ty: Type) -> bool {
    let tree = usage.tree(module, memory);
    accesses(module, sizes, &tree).iter().all(|access| access.fits(module, sizes, ty))
}

/// The accesses in a usage tree, in order.
pub(crate) fn accesses(module: &Module, sizes: &mut Sizes, tree: &Tree) -> Vec<Access> {
    let mut out = Vec::new();
    let mut work: Vec<(Part, i64, Strides)> = vec![(tree.root(), 0, Vec::new())];
    while let Some((part, offset, steps)) = work.pop() {
        let Some(data) = tree.part(part) else { continue };
        let mut leaf = |what| out.push(Access { offset, steps: steps.clone(), what });
        match &data.kind {
            PartKind::Value(ty, how) => {
                leaf(MemoryValue::Value { ty: *ty, atomic: how.has(How::ATOMIC) });
            }
            PartKind::Bytes(_) => leaf(MemoryValue::Bytes(data.bytes.unwrap_or(0))),
            PartKind::Typed(ty, _) => {
                let _ = sizes.of(module, module, *ty);
                leaf(MemoryValue::Typed(*ty));
            }
            PartKind::Fields(fields) | PartKind::Union(fields) => {
                work.extend(fields.iter().rev().map(|&(at, part)| (part, offset + at, steps.clone())));
            }
            PartKind::Repeat { stride, count, element } => {
                let mut steps = steps.clone();
                steps.push((*stride, *count));
                work.push((*element, offset, steps));
            }
            // The address is unknown; the memory there has its declared type, if any.
            PartKind::Anywhere(_) => {}
        }
    }
    out
}

impl Access {
    /// The size in bytes of a single access.
    pub(crate) fn size(&self, module: &Module, sizes: &mut Sizes) -> u64 {
        match self.what {
            MemoryValue::Value { ty, .. } => {
                u64::from(ty.components()) * ty.width().map_or(HANDLE_BYTES, component_bytes)
            }
            MemoryValue::Typed(ty) => sizes.of(module, module, ty).bytes,
            MemoryValue::Bytes(bytes) => bytes,
        }
    }

    /// The exclusive end of the accessed bytes; none if it is not known.
    pub(crate) fn end(&self, module: &Module, sizes: &mut Sizes) -> Option<i64> {
        let mut end = self.offset.checked_add_unsigned(self.size(module, sizes))?;
        for &(stride, count) in &self.steps {
            end = end.checked_add_unsigned(u64::from(stride) * u64::from(count?.saturating_sub(1)))?;
        }
        Some(end)
    }

    pub(crate) fn moved(&self, by: i64) -> Access {
        Access { offset: self.offset - by, ..self.clone() }
    }

    /// Returns true if a place of a type can express the access.
    pub(crate) fn fits(&self, module: &Module, sizes: &mut Sizes, ty: Type) -> bool {
        let term = |&(stride, count): &(u32, Option<u32>)| Term {
            index: Inst::from_index(0),
            stride,
            range: count.and_then(|count| count.checked_mul(stride)),
            before: 0,
        };
        let terms: Vec<Term> = self.steps.iter().map(term).collect();
        let mut leads = |bytes: i64, want| route(module, sizes, ty, bytes, &terms, want).is_some();
        match self.what {
            MemoryValue::Typed(wanted) => leads(self.offset, Want::Type(wanted)),
            MemoryValue::Bytes(_) => leads(self.offset, Want::Any),
            MemoryValue::Value { ty, atomic: true } => leads(self.offset, Want::Value(ty)),
            MemoryValue::Value { ty, atomic: false } => {
                if leads(self.offset, Want::Value(ty)) {
                    return true;
                }
                let ValueType::Bits { width, components } = ty else { return false };
                (0..components).all(|component| {
                    let at =
                        self.offset.saturating_add_unsigned(u64::from(component) * component_bytes(width));
                    std::iter::once(width).chain(narrower(width)).any(|narrow| {
                        let step = component_bytes(narrow);
                        let mut parts = 0..component_bytes(width) / step;
                        let scalar = Want::Value(ValueType::bits(narrow, 1));
                        parts.all(|part| leads(at.saturating_add_unsigned(part * step), scalar))
                    })
                })
            }
        }
    }
}

/// The narrower widths that a wider number can be split into.
pub(crate) fn narrower(width: Width) -> impl Iterator<Item = Width> {
    let all = [Width::W32, Width::W16, Width::W8];
    all.into_iter().filter(move |narrow| width != Width::W1 && narrow.bits() < width.bits())
}
