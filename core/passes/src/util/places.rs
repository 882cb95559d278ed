//! Bytes of variables that untyped pointers refer to, named so that they can be compared.
//!
//! A [`BytePlace`] is a variable, the variable part of an address (its start, its indices and their strides),
//! and a constant byte offset. With equal starts and equal indices, disjoint byte ranges do not overlap; any
//! other two places in one variable may overlap. Two variables share no bytes unless they are declared
//! `aliased` or have one binding.
//!
//! Ignores execution order. A pointer that comes from a parameter, a load or a select is not a place.

use crate::util::memory::{has_watched_members, is_watched};
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_analysis::{Address, Addresses, Cfg, Root, Term, changes, offset_of, sharing};
use vitrine_ir::layout::scalar_bytes;
use vitrine_ir::ops::{Key, Op, PtrOp, ValueType};
use vitrine_ir::{Editor, Inst, InstData, Mode, Module, Var};

/// The start of an address and its indices with their strides; other checks decide whether indices are in bounds,
/// where that matters.
type AddressPath = (Start, Vec<IndexStep>);

/// A step by an index: the index, its stride, the size of its range if known, and the constant bytes before it.
type IndexStep = (Inst, u32, Option<u32>, i64);

/// The start of an address.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Start {
    Var(Var),
    /// One of the resources of a variable.
    Value(Inst),
}

/// A byte range of a variable.
#[derive(Clone, Copy, PartialEq)]
pub(crate) struct BytePlace {
    pub(crate) var: Var,
    /// The number of the address without its constant bytes.
    pub(crate) path: u32,
    /// The constant byte offset.
    pub(crate) offset: i64,
    /// The type that is read or written there.
    pub(crate) ty: ValueType,
}

impl BytePlace {
    /// The end of the byte range, exclusive.
    pub(crate) fn end(&self) -> i64 {
        self.offset.saturating_add(component_bytes(self.ty).saturating_mul(i64::from(self.ty.components())))
    }
}

/// Bytes from one component to the next.
pub(crate) fn component_bytes(ty: ValueType) -> i64 {
    ty.width().map_or(8, |width| scalar_bytes(width) as i64)
}

/// The places that the pointers of a function refer to.
pub(crate) struct Places {
    addresses: Addresses,
    paths: FxHashMap<AddressPath, u32>,
    sharing: FxHashSet<Var>,
    /// Known modes of variables; none for variables whose content may not be tracked.
    modes: FxHashMap<Var, Option<Mode>>,
    /// If set, two addresses of the same bytes with different ends of the range count as different.
    exact: bool,
}

impl Places {
    /// Analyzes the pointers of a function. Linear.
    pub(crate) fn of(ed: &Editor<'_>, cfg: &Cfg) -> Places {
        Places {
            addresses: Addresses::in_order(ed.module(), ed.func(), cfg),
            paths: FxHashMap::default(),
            sharing: sharing(ed.module()),
            modes: FxHashMap::default(),
            exact: false,
        }
    }

    /// The same, but addresses are equal only if they are out of bounds for the same indices.
    pub(crate) fn exact(self) -> Places {
        Places { exact: true, ..self }
    }

    /// The decomposed address of a pointer; none if it is not a pointer of the function.
    pub(crate) fn address(&self, pointer: Inst) -> Option<Address<'_>> {
        self.addresses.get(pointer)
    }

    /// The variable that a pointer refers to, if known.
    pub(crate) fn var(&self, pointer: Inst) -> Option<Var> {
        match self.addresses.root(pointer) {
            Some(Root::Var(var)) => Some(var),
            Some(Root::Value(_)) | None => None,
        }
    }

    /// The bytes of an access; none if they must not be tracked.
    pub(crate) fn place(
        &mut self,
        ed: &Editor<'_>,
        at: Inst,
        data: &InstData,
        ty: ValueType,
    ) -> Option<BytePlace> {
        let var = self.var(at)?;
        ty.width()?;
        self.mode(ed.module(), var)?;
        let address = self.addresses.get(at)?;
        let start = match is_start(ed, address.base) {
            true => Start::Var(var),
            false => Start::Value(address.base),
        };
        let step = |term: &Term| match self.exact {
            true => (term.index, term.stride, term.range, term.before),
            false => (term.index, term.stride, None, 0),
        };
        let mut terms: Vec<IndexStep> = address.terms.iter().map(step).collect();
        terms.sort_unstable();
        let next = self.paths.len() as u32;
        let path = *self.paths.entry((start, terms)).or_insert(next);
        Some(BytePlace { var, path, offset: address.offset.checked_add(offset_of(data))?, ty })
    }

    /// The mode of a variable; none if others observe every access, or if its content may change by itself.
    pub(crate) fn mode(&mut self, module: &Module, var: Var) -> Option<Mode> {
        *self.modes.entry(var).or_insert_with(|| {
            module.var(var).and_then(|data| {
                let lost = is_watched(&data.attrs) || changes(data) || has_watched_members(module, data);
                (!lost).then_some(data.mode)
            })
        })
    }

    /// Returns true if all bytes of a place are in bounds of its variable, given the ranges of the indices.
    pub(crate) fn is_inside(
        &self,
        ed: &Editor<'_>,
        at: Inst,
        place: BytePlace,
        index: impl Fn(Inst) -> Option<(i64, i64)>,
    ) -> bool {
        let Some(address) = self.addresses.get(at) else { return false };
        let bytes = ed.module().var(place.var).and_then(|data| data.attrs.get(Key::Bytes)).unwrap_or(0);
        let mut end = i128::from(place.end());
        for term in address.terms {
            let Some((0.., most)) = index(term.index) else { return false };
            let step = i128::from(most) * i128::from(term.stride);
            let reach = step + i128::from(term.stride);
            if term.before < 0 || term.range.is_some_and(|range| reach > i128::from(range)) {
                return false;
            }
            end += step;
        }
        is_start(ed, address.base) && place.offset >= 0 && end <= i128::from(bytes)
    }

    /// Returns true if two variables may share bytes.
    pub(crate) fn may_share(&self, a: Var, b: Var) -> bool {
        a == b || self.sharing.contains(&a) && self.sharing.contains(&b)
    }

    /// Returns true if an access to a variable, at a given place if known, may overlap another place.
    pub(crate) fn may_meet(&self, var: Var, place: Option<BytePlace>, other: BytePlace) -> bool {
        if var != other.var {
            return self.may_share(var, other.var);
        }
        let Some(place) = place.filter(|place| place.path == other.path) else { return true };
        place.offset < other.end() && other.offset < place.end()
    }
}

/// Returns true if a base is the first byte of its variable, and not of one of several resources.
pub(crate) fn is_start(ed: &Editor<'_>, base: Inst) -> bool {
    let is_var = |inst: Inst| matches!(ed.func().inst(inst).op, Op::Ptr(PtrOp::Var));
    let data = ed.func().inst(base);
    match (data.op, data.args.first()) {
        (Op::Ptr(PtrOp::BufferData), Some(&buffer)) => is_var(buffer),
        _ => is_var(base),
    }
}
