//! What the writer of GLSL finds out about a module: how variables are used, names, what GLSL ES has numbers for, what is
//! declared at the end.

use super::uses::Uses;
use crate::print::Line;
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;
use vitrine_analysis::Numbering;
use vitrine_ir::base::EntitySet;
use vitrine_ir::{Struct, Type, Var};

/// The state of the writer of GLSL.
#[derive(Default)]
pub(crate) struct State {
    /// System values of which every computation must give the same bits.
    pub(super) invariants: BTreeSet<&'static str>,
    /// The system values whose length is declared, because an index is no constant: word and length.
    pub(super) sized_values: BTreeMap<&'static str, (&'static str, u32)>,
    /// How the entry point uses its variables.
    pub(super) uses: Uses,
    /// The second declarations of images that are looked up with and without comparisons.
    pub(super) shadow_names: FxHashMap<Var, Rc<str>>,
    /// The elements of arrays that are inputs of a vertex shader in GLSL ES.
    pub(super) es_inputs: FxHashMap<Var, Rc<[Rc<str>]>>,
    /// The structures whose name is that of a block.
    pub(super) block_names: FxHashSet<Struct>,
    /// An order makes writes available or visible, which is a part of the memory model of Vulkan.
    pub(super) memory_model: bool,
    /// The structures that are inner arrays in GLSL ES 3.00.
    pub(super) es_row_types: Vec<Row>,
    /// The number of these that are written.
    pub(super) es_rows_written: usize,
    /// A depth without effect is written, for which GLSL ES has a variable.
    pub(super) es_ignores_depth: bool,
    /// A value must not be contracted, which GLSL ES cannot state.
    pub(super) es_loses_precise: bool,
    /// Functions that are declared by the number of an instruction.
    pub(super) instructions: Vec<Declared>,
    /// The types that physical pointers point at.
    pub(super) references: References,
    /// Bindings that are in use in GLSL ES 3.10.
    pub(super) es_numbers: Numbering,
    /// Images with a sampler that have their chosen binding in GLSL ES.
    pub(super) es_chosen: EntitySet<Var>,
    /// The bindings of GLSL ES 3.10: the list of numbers, and the number.
    pub(super) es_places: FxHashMap<Var, (&'static str, u64)>,
    /// Images that GLSL ES combines with a sampler: the key and the name.
    pub(super) es_pairs: Vec<(String, Rc<str>)>,
    /// The declarations of these.
    pub(super) further_lines: Vec<Line>,
    /// The types of resources that are declared.
    pub(super) resource_types: BTreeSet<Rc<str>>,
}

/// A structure in place of an inner array.
#[derive(Debug)]
pub(super) struct Row {
    /// The type of the elements, and the length.
    pub(super) of: String,
    pub(super) len: String,
    /// Its name.
    pub(super) name: Rc<str>,
}

/// A function that is declared by the number of an instruction.
#[derive(Debug)]
pub(super) struct Declared {
    /// Its declaration without its name.
    pub(super) form: [String; 3],
    pub(super) name: Rc<str>,
}

/// The types that are pointed at.
#[derive(Debug, Default)]
pub(super) struct References {
    /// In the order of their first use, with the names of their blocks.
    pub(super) list: Vec<(Type, Rc<str>)>,
    /// The alignment in bytes that accesses promise, once it is known.
    pub(super) least_align: Option<u64>,
}
