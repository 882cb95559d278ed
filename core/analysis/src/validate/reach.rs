//! Facts about the paths of a function: the type that each points at, and the memory that it leads to.

use super::paged::Paged;
use super::*;
use vitrine_ir::ops::Key;
use vitrine_ir::{Attrs, Inst, PathType, Type, Var};

/// Known facts about a path, or about the memory that a handle was loaded from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reach {
    pub(super) at: PathType,
    /// The variable that contains the memory, if known.
    pub(super) root: Option<Var>,
    /// Number of `deref.all` among its steps.
    pub(super) all: u32,
    /// The lengths that those steps cover, hashed into one number: equal lists give equal numbers, and
    /// different ones collide with probability 2^-64.
    pub(super) spans: u64,
}

/// Known facts about every path of a function.
pub(super) struct Reaches {
    index: Paged<Inst, u32>,
    list: Vec<Reach>,
}

impl Reaches {
    /// No facts about `len` paths.
    pub(super) fn new(len: usize) -> Reaches {
        Reaches { index: Paged::new(len), list: Vec::new() }
    }

    /// Known facts about a path.
    pub(super) fn get(&self, path: Inst) -> Option<Reach> {
        self.list.get((self.index.get(path) as usize).checked_sub(1)?).copied()
    }

    /// The type that a path points at.
    pub(super) fn at(&self, path: Inst) -> Option<PathType> {
        self.get(path).map(|reach| reach.at)
    }

    /// Adds the facts about a path.
    pub(super) fn set(&mut self, path: Inst, reach: Reach) {
        self.list.push(reach);
        self.index.set(path, self.list.len() as u32);
    }
}

/// The type that attributes state for a path.
pub(super) fn stated(attrs: &Attrs) -> Option<PathType> {
    let ty = usize::try_from(attrs.get(Key::Type)?).ok()?;
    Some(PathType { ty: Type::from_index(ty), mode: attrs.word()? })
}

impl Reach {
    /// A path of which only the type is known.
    pub(super) fn of(at: PathType) -> Reach {
        Reach { at, root: None, all: 0, spans: 0 }
    }

    /// The result of a `deref.all` step over an array of this length.
    pub(super) fn over_all(self, len: u64) -> Reach {
        let spans = (self.spans ^ len.wrapping_add(1)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Reach { all: self.all.saturating_add(1), spans: spans ^ spans >> 29, ..self }
    }
}
