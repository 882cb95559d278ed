//! Tables of constants and of leaves, filled while a module is read, and the result of reading. No words are
//! read here.

use crate::IdMap;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use vitrine_ir::ops::ValueType;
use vitrine_ir::{Anchor, Const, Debug, Diags, Global, Module, Struct, Type};

/// The result of reading.
#[derive(Debug, Default)]
pub struct Read {
    /// The module, or the part of it that could be read.
    pub module: Module,
    /// Diagnostics. Without an error, the whole module was read.
    pub diags: Diags,
    /// Words of the instructions that declare variables, functions and blocks, with their anchors; sorted.
    /// Those of values are in `FuncBody::origin`.
    pub homes: Vec<(u32, Anchor)>,
}

/// Every constant read so far.
#[derive(Debug)]
pub(super) struct ConstantTable {
    pub(super) entries: Vec<ConstantEntry>,
    /// Index in `entries`, from 1; 0 for none.
    pub(super) by_id: IdMap<u32>,
}

/// A constant.
#[derive(Clone, Debug)]
pub(super) struct ConstantEntry {
    pub(super) id: u32,
    pub(super) ty: Type,
    pub(super) data: ConstantData,
    /// The module constant made for an aggregate.
    pub(super) global: Option<Global>,
}

/// The value of a constant.
#[derive(Clone, Debug)]
pub(super) enum ConstantData {
    /// One value.
    Bits(Const),
    /// One value, known only after specialization.
    Global(Global),
    /// Its constituents, as indices in the table.
    Parts(Rc<[u32]>),
    /// All zero: an aggregate, a path, a handle.
    Null,
    /// An undefined value.
    Undef,
    /// An opaque constant, such as a sampler: the word of its instruction.
    Opaque(u32),
}

impl ConstantTable {
    pub(super) fn new(words: usize) -> ConstantTable {
        ConstantTable { entries: Vec::new(), by_id: IdMap::for_words(words) }
    }

    /// The index of the constant with an id.
    pub(super) fn find(&self, id: u32) -> Option<u32> {
        self.by_id.get(id).unwrap_or(0).checked_sub(1)
    }

    /// The constant at an index.
    pub(super) fn get(&self, at: u32) -> &ConstantEntry {
        &self.entries[at as usize]
    }

    /// Adds a constant without an id.
    pub(super) fn add(&mut self, id: u32, ty: Type, data: ConstantData) -> u32 {
        self.entries.push(ConstantEntry { id, ty, data, global: None });
        self.entries.len() as u32 - 1
    }
}

/// Leaves of types, computed on demand.
#[derive(Debug, Default)]
pub(super) struct LeafTable {
    pub(super) counts: FxHashMap<Type, Option<u32>>,
    pub(super) starts: FxHashMap<Struct, Rc<[u32]>>,
    pub(super) laid_out: FxHashMap<(Type, u32, bool), Type>,
}

/// A leaf of a composite.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    /// The type of the value.
    pub(super) value: ValueType,
    /// Its full type.
    pub(super) ty: Type,
}

/// The largest number of leaves of a value; composites with more are not split.
pub(super) const MOST_LEAVES: u32 = 1 << 14;

/// Debug information while a module is read.
#[derive(Debug, Default)]
pub(super) struct DebugReader {
    /// Words of the instructions outside of functions.
    pub(super) offsets: Vec<u32>,
    /// The text of a source whose continuation may follow.
    pub(super) source: Option<String>,
    /// Entries by id.
    pub(super) ids: FxHashMap<u32, DebugEntryState>,
    /// Line and scope of a call, by the id of its `DebugInlinedAt`; none for one that was left out, or is being read.
    pub(super) calls: FxHashMap<u32, Option<(u32, Debug)>>,
}

/// An entry while a module is read.
#[derive(Clone, Copy, Debug)]
pub(super) enum DebugEntryState {
    /// Entries that it refers to are being read.
    Open,
    /// It was read, or left out.
    Done(Option<Debug>),
}

impl DebugReader {
    /// The entry of an id, if it was made.
    pub(super) fn made(&self, id: u32) -> Option<Debug> {
        match self.ids.get(&id) {
            Some(&DebugEntryState::Done(made)) => made,
            Some(DebugEntryState::Open) | None => None,
        }
    }
}
