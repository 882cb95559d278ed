//! Bytes of variables that untyped pointers lead to, named so that they can be compared.
//!
//! A [`Place`] is a variable, what an address is made of but for constant bytes (where it begins, its indices and
//! their strides), and the constant bytes. Of one beginning and the same indices, ranges that share no byte have
//! nothing to do with each other; of one variable, anything else may be the same bytes. Two variables share none,
//! unless they say that they may (`aliased`), or have one binding.
//!
//! Knows nothing of order. What a pointer out of a parameter, a load or a choice leads to is no place.

use crate::analysis::{Address, Addresses, Cfg, Root, Term, changes, offset_of, sharing};
use crate::ir::layout::scalar_bytes;
use crate::ir::{Editor, Inst, InstData, Mode, Module, Var};
use crate::ops::{Key, Op, PtrOp, ValueType};
use crate::passes::util::memory::{WATCHED, has_watched_members};
use rustc_hash::{FxHashMap, FxHashSet};

/// What an address begins with, and its indices with their strides; what else says whether they stay inside, where
/// that matters.
type Path = (Start, Vec<Step>);

/// A step by an index: the index, its stride, how far it may reach, and constant bytes before it.
type Step = (Inst, u32, Option<u32>, i64);

/// Where an address begins.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Start {
    Var(Var),
    /// One of the resources of a variable.
    Value(Inst),
}

/// Bytes of a variable.
#[derive(Clone, Copy, PartialEq)]
pub(in crate::passes) struct Place {
    pub(in crate::passes) var: Var,
    /// What the address is made of but for constant bytes, by number.
    pub(in crate::passes) path: u32,
    /// Constant bytes.
    pub(in crate::passes) offset: i64,
    /// What is read or written there.
    pub(in crate::passes) ty: ValueType,
}

impl Place {
    /// The byte behind the last one.
    pub(in crate::passes) fn end(&self) -> i64 {
        self.offset.saturating_add(component_bytes(self.ty).saturating_mul(i64::from(self.ty.components())))
    }
}

/// Bytes from one component to the next.
pub(in crate::passes) fn component_bytes(ty: ValueType) -> i64 {
    ty.width().map_or(8, |width| scalar_bytes(width) as i64)
}

/// Where the pointers of a function lead.
pub(in crate::passes) struct Places {
    addresses: Addresses,
    paths: FxHashMap<Path, u32>,
    sharing: FxHashSet<Var>,
    /// What is known of variables: where they live, unless nothing may be known of what they hold.
    modes: FxHashMap<Var, Option<Mode>>,
    /// Whether addresses that lead to the same bytes, but not past the same end, are two.
    exact: bool,
}

impl Places {
    /// Reads the pointers of a function. Linear.
    pub(in crate::passes) fn of(ed: &Editor<'_>, cfg: &Cfg) -> Places {
        Places {
            addresses: Addresses::in_order(ed.module(), ed.func(), cfg),
            paths: FxHashMap::default(),
            sharing: sharing(ed.module()),
            modes: FxHashMap::default(),
            exact: false,
        }
    }

    /// The same where addresses are one only if they lead past the end for the same indices.
    pub(in crate::passes) fn exact(self) -> Places {
        Places { exact: true, ..self }
    }

    /// What a pointer is made of; none for what is no pointer of the function.
    pub(in crate::passes) fn address(&self, pointer: Inst) -> Option<Address<'_>> {
        self.addresses.get(pointer)
    }

    /// The variable that a pointer leads into, where that is known.
    pub(in crate::passes) fn var(&self, pointer: Inst) -> Option<Var> {
        match self.addresses.root(pointer) {
            Some(Root::Var(var)) => Some(var),
            Some(Root::Value(_)) | None => None,
        }
    }

    /// The bytes of an access; none where nothing may be known of them.
    pub(in crate::passes) fn place(
        &mut self,
        ed: &Editor<'_>,
        at: Inst,
        data: &InstData,
        ty: ValueType,
    ) -> Option<Place> {
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
        let mut terms: Vec<Step> = address.terms.iter().map(step).collect();
        terms.sort_unstable();
        let next = self.paths.len() as u32;
        let path = *self.paths.entry((start, terms)).or_insert(next);
        Some(Place { var, path, offset: address.offset.checked_add(offset_of(data))?, ty })
    }

    /// Where a variable lives; none where others see every access, or it changes by itself.
    pub(in crate::passes) fn mode(&mut self, module: &Module, var: Var) -> Option<Mode> {
        *self.modes.entry(var).or_insert_with(|| {
            module.var(var).and_then(|data| {
                let watched = data.attrs.get(Key::Access).unwrap_or(0) & WATCHED != 0;
                let lost = watched || changes(data) || has_watched_members(module, data);
                (!lost).then_some(data.mode)
            })
        })
    }

    /// Whether all bytes of a place are those that a variable always has, given between which numbers indices lie.
    pub(in crate::passes) fn is_inside(
        &self,
        ed: &Editor<'_>,
        at: Inst,
        place: Place,
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

    /// Whether two variables may have bytes in common.
    pub(in crate::passes) fn may_share(&self, a: Var, b: Var) -> bool {
        a == b || self.sharing.contains(&a) && self.sharing.contains(&b)
    }

    /// Whether an access to a variable, to some place in it if that is known, may meet the bytes of another place.
    pub(in crate::passes) fn may_meet(&self, var: Var, place: Option<Place>, other: Place) -> bool {
        if var != other.var {
            return self.may_share(var, other.var);
        }
        let Some(place) = place.filter(|place| place.path == other.path) else { return true };
        place.offset < other.end() && other.offset < place.end()
    }
}

/// Whether a base is the first byte of its variable, not of one of several resources.
pub(in crate::passes) fn is_start(ed: &Editor<'_>, base: Inst) -> bool {
    let is_var = |inst: Inst| matches!(ed.func().inst(inst).op, Op::Ptr(PtrOp::Var));
    let data = ed.func().inst(base);
    match (data.op, data.args.first()) {
        (Op::Ptr(PtrOp::BufferData), Some(&buffer)) => is_var(buffer),
        _ => is_var(base),
    }
}
