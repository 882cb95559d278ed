//! The numbers of a type in memory, in order, each with its path: `.particles[3].age`.
//!
//! A leaf is a scalar or a vector. Nothing is collected: a large array is walked as far as it is needed. The walk ends with the
//! memory, so a runtime array has as many elements as fit. No recursion over types. Limit: 4 million parts, more than the largest
//! generated input has; only arrays of elements without a size reach it.

use super::super::consts::Consts;
use vitrine_ir::layout::{Lengths, Sizes, scalar_bytes};
use vitrine_ir::ops::Width;
use vitrine_ir::{Module, Type, TypeData};

/// Parts that a walk visits.
const MOST_PARTS: u32 = 1 << 22;

/// The meaning of bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NumberKind {
    /// A float.
    Float,
    /// A signed integer.
    Signed,
    /// An unsigned integer.
    Unsigned,
    /// A boolean.
    Bool,
}

impl NumberKind {
    /// The kind and the width of a scalar type.
    pub(super) fn of(module: &Module, ty: Type) -> Option<(NumberKind, Width)> {
        match *module.type_of(ty) {
            TypeData::Float { width } => Some((NumberKind::Float, width)),
            TypeData::Int { width, signed: true } => Some((NumberKind::Signed, width)),
            TypeData::Int { width, signed: false } => Some((NumberKind::Unsigned, width)),
            TypeData::Bool => Some((NumberKind::Bool, Width::W1)),
            _ => None,
        }
    }
}

/// A scalar or a vector in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Leaf {
    /// Bytes from the start of the memory.
    pub(super) offset: u64,
    /// Bytes from one component to the next.
    pub(super) step: u64,
    pub(super) components: u32,
    pub(super) width: Width,
    pub(super) kind: NumberKind,
}

/// A part of the memory: a type, its offset, and the distance of the components of a row-major matrix, or 0.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part {
    pub(super) ty: Type,
    pub(super) offset: u64,
    pub(super) step: u64,
}

/// Takes a leaf, and a function that writes its path; returns false to end the walk.
pub(super) type Visit<'v> = &'v mut dyn FnMut(Leaf, &dyn Fn(&mut String)) -> bool;

/// A part whose parts are being walked.
struct Frame {
    part: Part,
    next: u64,
    count: u64,
}

/// The sizes that a walk needs.
pub(super) struct Memory<'m> {
    pub(super) module: &'m Module,
    pub(super) consts: &'m Consts,
    pub(super) sizes: &'m mut Sizes,
    /// Number of bytes.
    pub(super) bytes: u64,
}

impl Memory<'_> {
    /// The number of parts of a part: members, elements, columns, components; 0 for a scalar.
    pub(super) fn count(&mut self, part: Part) -> u64 {
        match *self.module.type_of(part.ty) {
            TypeData::Struct(structure) => {
                self.module.structure(structure).map_or(0, |data| data.members.len() as u64)
            }
            TypeData::Array { len, .. } => self.consts.of(len),
            TypeData::RuntimeArray { .. } => {
                let stride = self.sizes.stride(self.module, self.consts, part.ty).max(1);
                self.bytes.saturating_sub(part.offset) / stride
            }
            _ => u64::from(self.module.element_count(part.ty).unwrap_or(0)),
        }
    }

    /// Part `at` of a part.
    pub(super) fn part(&mut self, whole: Part, at: u64) -> Option<Part> {
        if let TypeData::Struct(structure) = *self.module.type_of(whole.ty) {
            let offsets = self.sizes.offsets(self.module, self.consts, structure);
            let index = usize::try_from(at).ok()?;
            let member = self.module.structure(structure)?.members.get(index)?;
            let offset = whole.offset.saturating_add(*offsets.get(index)?);
            return Some(Part { ty: member.ty, offset, step: 0 });
        }
        let stride = match whole.step {
            0 => self.sizes.stride(self.module, self.consts, whole.ty),
            step => step,
        };
        let step = match *self.module.type_of(whole.ty) {
            TypeData::Matrix { row_major: true, stride, .. } => u64::from(stride),
            _ => 0,
        };
        let offset = whole.offset.saturating_add(stride.saturating_mul(at));
        Some(Part { ty: self.module.element_type(whole.ty)?, offset, step })
    }

    /// The numbers of a part that is a scalar or a vector inside the memory.
    pub(super) fn leaf(&mut self, part: Part) -> Option<Leaf> {
        let (scalar, components) = match *self.module.type_of(part.ty) {
            TypeData::Vector { of, components } => (of, u32::from(components)),
            _ => (part.ty, 1),
        };
        let (kind, width) = NumberKind::of(self.module, scalar)?;
        let step = if part.step > 0 { part.step } else { scalar_bytes(width) };
        let end = part.offset.checked_add(step.checked_mul(u64::from(components).saturating_sub(1))?)?;
        let fits = end.checked_add(scalar_bytes(width))? <= self.bytes;
        fits.then_some(Leaf { offset: part.offset, step, components, width, kind })
    }

    /// Calls `each` with every leaf of a part, in order, until it returns false; the function writes the path of the leaf.
    pub(super) fn walk(&mut self, part: Part, each: Visit<'_>) {
        let mut frames: Vec<Frame> = Vec::new();
        let mut next = Some(part);
        for _ in 0..MOST_PARTS {
            if let Some(part) = next.take() {
                if self.leaf(part).is_some() || self.is_scalar(part) {
                    let Some(leaf) = self.leaf(part) else { return };
                    let module = self.module;
                    let path = |out: &mut String| frames.iter().for_each(|frame| step(module, frame, out));
                    if !each(leaf, &path) {
                        return;
                    }
                } else {
                    let count = if part.offset < self.bytes { self.count(part) } else { 0 };
                    frames.push(Frame { part, next: 0, count });
                }
            }
            let Some(frame) = frames.last_mut() else { return };
            if frame.next >= frame.count {
                frames.pop();
                continue;
            }
            let (whole, at) = (frame.part, frame.next);
            frame.next += 1;
            next = self.part(whole, at);
        }
    }

    fn is_scalar(&self, part: Part) -> bool {
        let scalar = match *self.module.type_of(part.ty) {
            TypeData::Vector { of, .. } => of,
            _ => part.ty,
        };
        NumberKind::of(self.module, scalar).is_some()
    }
}

/// The step of a path that leads to the current part of a frame.
fn step(module: &Module, frame: &Frame, out: &mut String) {
    let at = frame.next.saturating_sub(1);
    match *module.type_of(frame.part.ty) {
        TypeData::Struct(structure) => {
            let members = module.structure(structure).map(|data| &data.members);
            let member = members.and_then(|members| members.get(at as usize));
            let name = member.and_then(|member| member.name).map(|name| module.text_of(name));
            match name.filter(|name| !name.is_empty()) {
                Some(name) => out.extend([".", name]),
                None => out.push_str(&format!(".{at}")),
            }
        }
        _ => out.push_str(&format!("[{at}]")),
    }
}
