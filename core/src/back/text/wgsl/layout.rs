//! Memory as the module declares it: sizes of members, strides of arrays, atomic members.
//!
//! WGSL computes offsets by its own rules (WGSL, 14.4.4). A larger offset becomes a size of the member before; a larger
//! stride makes each element the member `value` of a structure of that size. Refuses smaller ones; the caller reports them.

use super::super::number::Kind;
use crate::base::SideTable;
use crate::ir::layout::{parts, scalar_bytes};
use crate::ir::{FuncBody, Inst, Len, Module, Struct, Type, TypeData, Var};
use crate::ops::{BasicOp, DerefOp, Key, MemoryOp, Op};
use rustc_hash::FxHashMap;

/// Size and alignment in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) bytes: u64,
    pub(super) align: u64,
}

/// A declared layout that WGSL does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Misfit;

/// Memory that is accessed by atomics.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum AtomicPlace {
    /// A member, or elements of it.
    Member(Struct, u32),
    /// A variable that is no structure, or elements of it.
    Var(Var),
}

/// The extents of types.
#[derive(Debug, Default)]
pub(crate) struct Extents {
    known: SideTable<Type, Option<Extent>>,
}

impl Extents {
    /// The extent of a type as it will be declared. Error: a part of it that WGSL would place otherwise.
    pub(super) fn of(&mut self, module: &Module, ty: Type) -> Result<Extent, Misfit> {
        let mut work = vec![(ty, false)];
        while let Some((ty, parts_done)) = work.pop() {
            if self.known[ty].is_some() {
                continue;
            }
            if !parts_done {
                work.push((ty, true));
                work.extend(parts(module, ty).into_iter().map(|part| (part, false)));
                continue;
            }
            let extent = self.combine(module, ty)?;
            self.known[ty] = Some(extent);
        }
        Ok(self.known[ty].unwrap_or_default())
    }

    fn combine(&self, module: &Module, ty: Type) -> Result<Extent, Misfit> {
        let known = |ty: Type| self.known[ty].unwrap_or_default();
        Ok(match *module.type_of(ty) {
            TypeData::Bool => Extent { bytes: 4, align: 4 },
            TypeData::Int { width, .. } | TypeData::Float { width } => {
                let bytes = scalar_bytes(width);
                Extent { bytes, align: bytes }
            }
            TypeData::Vector { of, components } => vector(known(of), u64::from(components)),
            TypeData::Matrix { column, columns, stride, row_major } => {
                if row_major {
                    // Written as its rows.
                    let rows = u64::from(module.element_count(column).unwrap_or(1));
                    let scalar = module.element_type(column).map(known).unwrap_or_default();
                    let row = vector(scalar, u64::from(columns));
                    let natural = row.bytes.next_multiple_of(row.align.max(1));
                    if u64::from(stride) != natural {
                        return Err(Misfit);
                    }
                    return Ok(Extent { bytes: natural * rows, align: row.align });
                }
                let (own, align) = stride_of(known(column), u64::from(stride))?;
                Extent { bytes: own * u64::from(columns), align }
            }
            TypeData::Array { of, len, stride } => {
                let (own, align) = stride_of(known(of), u64::from(stride))?;
                let count = match len {
                    Len::Count(count) => u64::from(count),
                    Len::Global(_) => 1,
                };
                Extent { bytes: own.saturating_mul(count), align }
            }
            TypeData::RuntimeArray { of, stride } => {
                let (_, align) = stride_of(known(of), u64::from(stride))?;
                Extent { bytes: 0, align }
            }
            TypeData::Struct(structure) => {
                let (mut end, mut align) = (0u64, 1u64);
                for member in module.structure(structure).iter().flat_map(|data| data.members.iter()) {
                    let part = known(member.ty);
                    let natural = end.next_multiple_of(part.align.max(1));
                    let offset = member.attrs.get(Key::Offset).unwrap_or(natural);
                    if offset < natural || !offset.is_multiple_of(part.align.max(1)) {
                        return Err(Misfit);
                    }
                    align = align.max(part.align);
                    end = offset + part.bytes;
                }
                Extent { bytes: end.next_multiple_of(align), align }
            }
            _ => Extent { bytes: 4, align: 4 },
        })
    }

    /// True if the elements of an array or the columns of a matrix are wrapped, for a stride of this many bytes.
    pub(super) fn padding(&mut self, module: &Module, ty: Type) -> Option<u64> {
        let (of, stride) = match *module.type_of(ty) {
            TypeData::Array { of, stride, .. } | TypeData::RuntimeArray { of, stride } => (of, stride),
            TypeData::Matrix { column, stride, row_major: false, .. } => (column, stride),
            _ => return None,
        };
        let element = self.of(module, of).ok()?;
        let natural = element.bytes.next_multiple_of(element.align.max(1));
        (u64::from(stride) > natural).then_some(u64::from(stride))
    }
}

fn vector(scalar: Extent, components: u64) -> Extent {
    Extent { bytes: scalar.bytes * components, align: scalar.align * components.next_power_of_two() }
}

/// The stride of elements, and the alignment of all.
fn stride_of(element: Extent, declared: u64) -> Result<(u64, u64), Misfit> {
    let align = element.align.max(1);
    let natural = element.bytes.next_multiple_of(align);
    match declared {
        0 => Ok((natural, align)),
        _ if declared < natural || !declared.is_multiple_of(align) => Err(Misfit),
        _ => Ok((declared, align)),
    }
}

/// The places that atomics access, each with the kind of number that they demand, if any.
pub(crate) fn atomics(module: &Module) -> FxHashMap<AtomicPlace, Option<Kind>> {
    let mut found = FxHashMap::default();
    for (_, body) in module.funcs() {
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            let is_atomic = matches!(
                data.op,
                Op::Memory(
                    MemoryOp::Atomic | MemoryOp::AtomicCas | MemoryOp::AtomicLoad | MemoryOp::AtomicStore
                )
            );
            if let (true, Some(&path)) = (is_atomic, data.args.first())
                && let Some(place) = place(module, body, path)
            {
                let wanted = data.attrs.word().and_then(super::super::operands::compared);
                let known = found.entry(place).or_insert(wanted);
                *known = known.or(wanted);
            }
        });
    }
    found
}

/// The member or the variable that a path ends in.
fn place(module: &Module, body: &FuncBody, path: Inst) -> Option<AtomicPlace> {
    let mut at = path;
    for _ in 0..super::super::operands::STEPS {
        let data = body.inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => return data.entity(Key::Var).map(AtomicPlace::Var),
            Op::Deref(DerefOp::Field) => {
                let structure = structure_at(module, body, *data.args.first()?)?;
                return Some(AtomicPlace::Member(structure, data.attrs.get(Key::Field)? as u32));
            }
            Op::Deref(DerefOp::Elem) | Op::Basic(BasicOp::Copy) => at = *data.args.first()?,
            _ => return None,
        }
    }
    None
}

/// The structure that a path leads to.
fn structure_at(module: &Module, body: &FuncBody, path: Inst) -> Option<Struct> {
    let mut steps = Vec::new();
    let mut at = path;
    let mut ty = loop {
        if steps.len() > super::super::operands::STEPS {
            return None;
        }
        let data = body.inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => break module.var(data.entity(Key::Var)?)?.ty,
            Op::Basic(BasicOp::Param) => break data.entity::<Type>(Key::Type)?,
            Op::Deref(DerefOp::Field) => steps.push(data.attrs.get(Key::Field)),
            Op::Deref(DerefOp::Elem) => steps.push(None),
            Op::Basic(BasicOp::Copy) => {}
            _ => return None,
        }
        at = *data.args.first()?;
    };
    for step in steps.into_iter().rev() {
        ty = match (module.type_of(ty), step) {
            (TypeData::Struct(structure), Some(field)) => {
                module.structure(*structure)?.members.get(field as usize)?.ty
            }
            _ => module.element_type(ty)?,
        };
    }
    match *module.type_of(ty) {
        TypeData::Struct(structure) => Some(structure),
        _ => None,
    }
}
