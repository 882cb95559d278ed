//! The facts that the writer of WGSL needs before it writes functions: inputs and outputs, places of resources, memory of atomics.

use super::super::calls::accessed_vars;
use super::super::number::NumberType;
use super::super::print::Line;
use super::builtins::BuiltIn;
use super::layout::Extents;
use super::uniformity::Uniformity;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;
use std::rc::Rc;
use vitrine_analysis::LayoutTarget;
use vitrine_ir::base::EntitySet;
use vitrine_ir::ops::{Builtin, Key};
use vitrine_ir::{Anchor, Func, Global, Mode, Module, Type, Var};

/// An input or output of the entry point.
#[derive(Clone, Debug)]
pub(super) struct Port {
    /// The variable. The position that a program does not write has none.
    pub(super) var: Option<Var>,
    /// The system value, and what it is here.
    pub(super) builtin: Option<(Builtin, BuiltIn)>,
    pub(super) mode: Mode,
    pub(super) name: Rc<str>,
    pub(super) ty: NumberType,
    /// The number of elements, of an array of that type.
    pub(super) len: Option<u32>,
    /// Attributes before the name.
    pub(super) attributes: String,
    /// Other functions use it, too.
    pub(super) is_private: bool,
}

impl Port {
    /// The anchor of its variable.
    pub(super) fn anchor(&self) -> Anchor {
        self.var.map_or(Anchor::Module, Anchor::Var)
    }

    /// True if it is the port of a system value.
    pub(super) fn has(&self, value: Builtin) -> bool {
        self.builtin.as_ref().is_some_and(|&(of, _)| of == value)
    }

    /// True if it is the port of a variable, or of a system value in it.
    pub(super) fn is_of(&self, var: Var, builtin: Option<Builtin>) -> bool {
        self.var == Some(var) && self.builtin.as_ref().map(|(value, _)| *value) == builtin
    }
}

/// An entry point.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) func: Func,
    pub(super) name: Rc<str>,
    pub(super) ports: Vec<Port>,
    /// The name of the structure of its results, if there are several.
    pub(super) result: Option<Rc<str>>,
}

/// The facts that the writer of WGSL needs before it writes functions.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// Entry points in the order of the module.
    pub(super) entries: Vec<Entry>,
    /// The index of the entry point that is being written.
    pub(super) current: usize,
    /// The variables that each entry point accesses.
    pub(super) accessed: Vec<EntitySet<Var>>,
    pub(super) extents: Extents,
    /// Structures around elements: the name, by type and by whether the element is atomic.
    pub(super) wrappers: FxHashMap<(Type, bool), Rc<str>>,
    /// The lines of these structures, in order of their use.
    pub(super) wrapper_lines: Vec<Line>,
    /// Group and binding of each resource.
    pub(super) bindings: FxHashMap<Var, [u32; 2]>,
    /// Specialization constants that are lengths of arrays outside of the memory of a workgroup: they have their defaults.
    pub(super) lengths: BTreeSet<Global>,
    /// All specialization constants that are lengths of arrays.
    pub(super) sizes: BTreeSet<Global>,
    /// True if an atomic orders other accesses in the program.
    pub(super) has_ordered_atomics: bool,
    /// True if the format of a storage texture needs a feature of the device.
    pub(super) has_more_formats: bool,
    /// Comments on system values that are zero.
    pub(super) zeros: BTreeSet<&'static str>,
    /// Functions that reach a barrier.
    pub(super) with_barriers: EntitySet<Func>,
    /// The places at which invocations may be apart in the function that is being written.
    pub(super) uniformity: Option<(Func, Rc<Uniformity>)>,
    /// True if a derivative may be computed where invocations diverge.
    pub(super) has_divergent_derivatives: bool,
    /// True if an operation of the subgroup may be executed where invocations diverge.
    pub(super) has_divergent_subgroups: bool,
}

impl State {
    /// The entry point that is being written.
    pub(super) fn entry(&self) -> Option<&Entry> {
        self.entries.get(self.current)
    }

    /// The inputs and outputs of the entry point that is being written.
    pub(super) fn ports(&self) -> Vec<Port> {
        self.entry().map(|entry| entry.ports.clone()).unwrap_or_default()
    }

    /// The inputs and outputs of all entry points.
    pub(super) fn all_ports(&self) -> impl Iterator<Item = &Port> {
        self.entries.iter().flat_map(|entry| &entry.ports)
    }
}

/// Group and binding of each resource in the text of WGSL, by variable: the chosen ones, or set and binding. A sampler that
/// shares the place of its image, and push constants, get the next free bindings of the group. Resources of different entry
/// points may have the same place.
pub fn bindings(module: &Module) -> FxHashMap<Var, [u32; 2]> {
    let module = &*crate::complete::completed(module);
    let accessed = accessed_vars(module);
    let is_single = accessed.len() < 2;
    let meet = |a: Var, b: Var| is_single || accessed.iter().any(|vars| vars.contains(a) && vars.contains(b));
    let mut out = FxHashMap::default();
    let mut taken: FxHashMap<[u32; 2], Vec<Var>> = FxHashMap::default();
    let mut later = Vec::new();
    for (var, data) in module.vars().filter(|(_, data)| data.owner.is_none()) {
        let number = |key| data.attrs.get(key).unwrap_or(0) as u32;
        let chosen = LayoutTarget::Wgsl.chosen_place(data).map(|place| place.map(|number| number as u32));
        let at = chosen.unwrap_or([number(Key::Set), number(Key::Binding)]);
        match data.mode {
            Mode::Push if chosen.is_none() => later.push((var, 0)),
            Mode::Uniform | Mode::Storage | Mode::Handle | Mode::Push => {
                let there = taken.entry(at).or_default();
                if there.iter().any(|&other| meet(other, var)) {
                    later.push((var, at[0]));
                } else {
                    there.push(var);
                    out.insert(var, at);
                }
            }
            _ => {}
        }
    }
    for (var, group) in later {
        let next = taken.keys().filter(|at| at[0] == group).map(|at| at[1] + 1).max().unwrap_or(0);
        taken.entry([group, next]).or_default().push(var);
        out.insert(var, [group, next]);
    }
    out
}
