//! The leaves of aggregates: the steps from a type to each of its leaves, and paths along them.
//!
//! A leaf is the type of a single load: a scalar, a vector, a column of a matrix, an address, a resource. Does
//! not decide anything about memory; the only change it makes is to add paths.

use vitrine_ir::ops::{DerefOp, Key, ValueType, Width};
use vitrine_ir::{Builder, Inst, InstData, Len, Module, Type, TypeData};

/// A step from a type to a type inside it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Inner {
    /// A member of a structure.
    Field(u32),
    /// An element of an array, a column of a matrix.
    Element(u32),
    /// All elements at once.
    All,
}

/// Selects whether arrays are split into elements or traversed with all elements at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Arrays {
    Apart,
    AtOnce,
}

/// The steps to all leaves of a type, in order; none if there are more than `most`, or if a length is not
/// known.
pub(crate) fn leaves(module: &Module, ty: Type, most: usize, arrays: Arrays) -> Option<Vec<Vec<Inner>>> {
    let mut out = Vec::new();
    let mut work: Vec<(Type, Vec<Inner>)> = vec![(ty, Vec::new())];
    while let Some((ty, steps)) = work.pop() {
        if module.value_type(ty).is_some() {
            out.push(steps);
            if out.len() > most {
                return None;
            }
            continue;
        }
        let inner: Vec<(Type, Inner)> = match module.type_of(ty) {
            TypeData::Struct(structure) => {
                let members = &module.structure(*structure)?.members;
                members.iter().zip(0..).map(|(member, at)| (member.ty, Inner::Field(at))).collect()
            }
            TypeData::Array { .. } | TypeData::Matrix { .. } if arrays == Arrays::AtOnce => {
                vec![(module.element_type(ty)?, Inner::All)]
            }
            TypeData::Array { len: Len::Count(_), .. } | TypeData::Matrix { .. } => {
                let count = module.element_count(ty)?;
                if count as usize > most {
                    return None;
                }
                let element = module.element_type(ty)?;
                (0..count).map(|at| (element, Inner::Element(at))).collect()
            }
            _ => return None,
        };
        for (ty, step) in inner.into_iter().rev() {
            let mut steps = steps.clone();
            steps.push(step);
            work.push((ty, steps));
        }
    }
    Some(out)
}

/// The path extended by one step, inserted at the cursor.
pub(crate) fn further(b: &mut Builder<'_, '_>, path: Inst, step: Inner) -> Inst {
    match step {
        Inner::Field(at) => b.field(path, at),
        Inner::Element(at) => {
            let index = b.int(Width::W32, i64::from(at));
            b.elem(path, index)
        }
        Inner::All => b.emit_with(InstData::new(DerefOp::All, ValueType::Path, &[path])),
    }
}

/// The known alignment of a leaf in bytes, given that of the whole; none if there is no layout.
pub(crate) fn align_of(module: &Module, whole: Type, steps: &[Inner], align: u64) -> Option<u64> {
    let (mut ty, mut known) = (whole, align);
    let mut by = |bytes: u64| {
        if bytes != 0 {
            known = known.min(bytes & bytes.wrapping_neg());
        }
    };
    for &step in steps {
        ty = match (step, module.type_of(ty)) {
            (Inner::Field(at), TypeData::Struct(structure)) => {
                let member = module.structure(*structure)?.members.get(at as usize)?;
                by(member.attrs.get(Key::Offset)?);
                member.ty
            }
            (Inner::Element(_) | Inner::All, data) => {
                let stride = match *data {
                    TypeData::Array { stride, .. } | TypeData::RuntimeArray { stride, .. } => stride,
                    // A column of a row-major matrix is not contiguous.
                    TypeData::Matrix { stride, row_major: false, .. } => stride,
                    _ => 0,
                };
                if stride == 0 {
                    return None;
                }
                match step {
                    Inner::Element(at) => by(u64::from(stride) * u64::from(at)),
                    Inner::Field(_) | Inner::All => by(u64::from(stride)),
                }
                module.element_type(ty)?
            }
            _ => return None,
        };
    }
    Some(known)
}
