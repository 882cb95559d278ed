//! The facts that the writer of WGSL needs before it writes functions: inputs and outputs, places of resources, memory of atomics.

use super::super::number::{Kind, NumberType};
use super::super::print::Line;
use super::builtins::BuiltIn;
use super::layout::{AtomicPlace, Extents};
use crate::base::EntitySet;
use crate::ir::{Func, Mode, Module, Type, Var};
use crate::ops::Key;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// An input or output of the entry point.
#[derive(Clone, Debug)]
pub(crate) struct Port {
    pub(super) var: Var,
    /// The number of the system value in the IR, and what it is here.
    pub(super) builtin: Option<(u64, BuiltIn)>,
    pub(super) mode: Mode,
    pub(super) name: Rc<str>,
    pub(super) ty: NumberType,
    /// Attributes before the name.
    pub(super) attributes: String,
    /// Other functions use it, too.
    pub(super) is_private: bool,
}

/// The facts that the writer of WGSL needs before it writes functions.
#[derive(Debug, Default)]
pub(crate) struct Prepared {
    pub(super) ports: Vec<Port>,
    pub(super) extents: Extents,
    /// Memory that atomics access, with the kind of number that they demand.
    pub(crate) atomics: FxHashMap<AtomicPlace, Option<Kind>>,
    /// Structures around elements: the name, by type and by whether the element is atomic.
    pub(super) wrappers: FxHashMap<(Type, bool), Rc<str>>,
    /// The lines of these structures, in order of their use.
    pub(super) wrapper_lines: Vec<Line>,
    /// Group and binding of each resource.
    pub(super) bindings: FxHashMap<Var, [u32; 2]>,
    /// Images and samplers of lookups that compare.
    pub(crate) compared: EntitySet<Var>,
    /// Storage images that are read, and those that are written.
    pub(super) texels: [EntitySet<Var>; 2],
    /// True if a derivative may be computed where invocations diverge.
    pub(super) has_divergent_derivatives: bool,
    /// True if an operation of the subgroup may be executed where invocations diverge.
    pub(super) has_divergent_subgroups: bool,
    /// The function of the entry point, and the name of the structure of its results.
    pub(super) entry: Option<Func>,
    pub(super) result: Option<Rc<str>>,
}

/// Group and binding of each resource in the text of WGSL, by variable. A sampler that shares the place of its image, and push
/// constants, get the next free bindings of the group.
pub fn bindings(module: &Module) -> FxHashMap<Var, [u32; 2]> {
    let mut out = FxHashMap::default();
    let mut taken: FxHashSet<[u32; 2]> = FxHashSet::default();
    let mut later = Vec::new();
    for (var, data) in module.vars().filter(|(_, data)| data.owner.is_none()) {
        let number = |key| data.attrs.get(key).unwrap_or(0) as u32;
        let at = [number(Key::Set), number(Key::Binding)];
        match data.mode {
            Mode::Push => later.push((var, 0)),
            Mode::Uniform | Mode::Storage | Mode::Handle if taken.insert(at) => drop(out.insert(var, at)),
            Mode::Uniform | Mode::Storage | Mode::Handle => later.push((var, at[0])),
            _ => {}
        }
    }
    for (var, group) in later {
        let next = taken.iter().filter(|at| at[0] == group).map(|at| at[1] + 1).max().unwrap_or(0);
        taken.insert([group, next]);
        out.insert(var, [group, next]);
    }
    out
}
