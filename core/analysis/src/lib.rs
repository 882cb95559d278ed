//! Analyses: information derived from a function and never stored in it.
//!
//! An [`Analysis`] is a value computed from one version of a function. [`Analyses`] caches the latest result
//! of each kind and function. It recomputes a result when the function's epochs show that the input has
//! changed, so there is no invalidation to declare and none to forget:
//!
//! ```text
//! let dom = cx.get::<Dom>(&module, func);      Rc<Dom>, computed or found
//! if dom.dominates(a, b) { … }
//! ```
//!
//! Control flow comes first: [`Cfg`] is one graph for both shapes; [`Dom`], [`PostDom`], [`Frontiers`] and
//! [`Loops`] are computed from it. [`Live`], [`Types`], [`FuncInfo`], [`Alias`], [`Inductions`], [`Range`]
//! and [`Divergence`] also depend on instructions. Every analysis is total: the validator uses them before the
//! program is known to be valid.

#![forbid(unsafe_code)]

pub mod validate; // the list of everything that must hold
pub mod rules; // algebra as data
mod cfg; // start here
mod dom;
mod frontier;
mod loops;
mod postdom;

mod about; // the list of analyses
mod address;
mod alias;
mod cost;
mod divergence;
mod evaluate;
mod float_modes;
mod induction;
mod info;
mod live;
mod range;
mod operand_types;
mod resources;
mod stopping;
mod target_layout;
mod types;
mod usage;

pub mod exits;

mod flow;
mod graph;
mod numbering;

#[cfg(test)]
mod testing;

pub use about::{ANALYSES, AnalysisInfo};
pub use address::gcd;
pub use address::{Address, Addresses, Root, Term, offset_of};
pub use alias::{Alias, Overlap, Spot};
pub use alias::{changes, sharing};
pub use cfg::{Cfg, EdgeData, EdgeId};
pub use cost::{Cost, weight};
pub use divergence::Divergence;
pub use dom::Dom;
pub use evaluate::{evaluate, folded};
pub use float_modes::FloatModes;
pub use flow::EdgeKind;
pub use frontier::Frontiers;
pub use induction::{Induction, Inductions, Trips};
pub use info::{Features, FuncInfo, ModuleInfo, StageInfo, Tally, Widths};
pub use live::{Live, LiveValues};
pub use loops::{Loop, Loops};
pub use operand_types::TypeHint;
pub use postdom::PostDom;
pub use range::{Fact, Float, Range};
pub use resources::{
    Numbering, PlaceConflict, ResourceKind, declared_place, is_array_of_resources, place_conflicts,
    reached_resources, resource_count, resource_name, used_resources,
};
pub use stopping::stopping_calls;
pub use target_layout::{Atomics, layout_plan};
pub use target_layout::{
    BufferLayout, LayoutTarget, LayoutVerdict, MemberLayout, Packing, buffer_layouts, is_array_of_matrices,
    row_end,
};
pub use types::Types;
pub use usage::{How, Line as UsageLine, Memory, Part, PartData, PartKind, Traffic, Tree, Usage, path_at};

use rustc_hash::FxHashMap;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::rc::Rc;
use vitrine_ir::{Declarations, Epoch, Func, FuncBody, Module};

/// The part of a module that an analysis depends on, and so when it is recomputed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reads {
    /// Blocks, nodes and the targets of terminators; the values that a terminator uses or passes are data.
    Control,
    /// Also instructions.
    Data,
    /// Instructions and declarations of the module: variables and structures with their attributes, types, entry points,
    /// attributes of functions.
    Module,
}

/// A result derived from one version of a function.
pub trait Analysis: 'static + Sized {
    /// The name for display.
    const NAME: &'static str;
    /// The input it depends on.
    const READS: Reads;

    /// Computes the result. Gets analyses that it depends on from `cx`, for the same `func`.
    ///
    /// Total: `body` may be invalid in any respect.
    fn compute(module: &Module, func: Func, body: &FuncBody, cx: &mut Analyses) -> Self;
}

/// The cache of analyses: at most one result of each kind for each function.
///
/// Serves any number of versions of one module, in any order. For an analysis with [`Reads::Module`] each
/// query compares the declarations of the module, which takes little time if the versions share them.
#[derive(Default)]
pub struct Analyses {
    slots: FxHashMap<(TypeId, Func), Slot>,
    computed: BTreeMap<&'static str, u64>,
}

impl std::fmt::Debug for Analyses {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("Analyses").field("computed", &self.computed).finish_non_exhaustive()
    }
}

struct Slot {
    stamp: Stamp,
    value: Rc<dyn Any>,
}

struct Stamp {
    epoch: Epoch,
    declared: Option<Declarations>,
}

impl Analyses {
    /// An empty cache.
    pub fn new() -> Analyses {
        Analyses::default()
    }

    /// The analysis of a function, in the version `module`. A function that does not exist counts as one
    /// without a body.
    pub fn get<A: Analysis>(&mut self, module: &Module, func: Func) -> Rc<A> {
        let Some(body) = module.func(func) else {
            return Rc::new(A::compute(module, func, &FuncBody::default(), self));
        };
        let key = (TypeId::of::<A>(), func);
        if let Some(slot) = self.slots.get(&key)
            && slot.stamp.is_of::<A>(module, body)
            && let Ok(value) = slot.value.clone().downcast::<A>()
        {
            return value;
        }
        let value = Rc::new(A::compute(module, func, body, self));
        *self.computed.entry(A::NAME).or_default() += 1;
        let stamp = Stamp::of::<A>(module, body);
        self.slots.insert(key, Slot { stamp, value: value.clone() });
        value
    }

    /// Number of computations of each kind of analysis, by name.
    pub fn computed(&self) -> impl Iterator<Item = (&'static str, u64)> + '_ {
        self.computed.iter().map(|(&name, &count)| (name, count))
    }

    /// Drops all cached results. Never needed for correctness, only to free memory.
    pub fn clear(&mut self) {
        self.slots.clear();
    }
}

impl Stamp {
    fn of<A: Analysis>(module: &Module, body: &FuncBody) -> Stamp {
        Stamp {
            epoch: epoch::<A>(body),
            declared: (A::READS == Reads::Module).then(|| Declarations::of(module)),
        }
    }

    /// Returns true if the analysis would read the same of this version.
    fn is_of<A: Analysis>(&self, module: &Module, body: &FuncBody) -> bool {
        self.epoch == epoch::<A>(body) && self.declared.as_ref().is_none_or(|of| of.are_of(module))
    }
}

/// The epoch of what an analysis reads of a function.
fn epoch<A: Analysis>(body: &FuncBody) -> Epoch {
    match A::READS {
        Reads::Control => body.control_epoch(),
        Reads::Data | Reads::Module => body.data_epoch(),
    }
}

#[cfg(test)]
mod tests {
    use super::testing::{Random, graph_body, random_graph};
    use super::*;
    use vitrine_ir::base::EntityId;
    use vitrine_ir::ops::Key;
    use vitrine_ir::{Attrs, EntryPoint, Mode, Stage, TypeData, VarData};

    #[test]
    fn computed_once_until_the_function_changes() {
        let mut random = Random::new(3);
        let mut module = Module::new();
        let func = module.add_func(graph_body(&random_graph(&mut random, 10)));
        let mut cx = Analyses::new();
        let first = cx.get::<Dom>(&module, func);
        let loops = cx.get::<Loops>(&module, func);
        let again = cx.get::<Dom>(&module, func);
        assert!(Rc::ptr_eq(&first, &again));
        assert_eq!(cx.computed().collect::<Vec<_>>(), [("cfg", 1), ("dom", 1), ("loops", 1)]);
        let snapshot = module.clone();
        vitrine_ir::Editor::replace_body(
            &mut module,
            func,
            graph_body(&random_graph(&mut random, 10)),
            vitrine_ir::Journal::new(),
        );
        assert!(!Rc::ptr_eq(&first, &cx.get::<Dom>(&module, func)));
        assert_eq!(cx.computed().collect::<Vec<_>>(), [("cfg", 2), ("dom", 2), ("loops", 1)]);
        // A snapshot has the results of the time it was taken.
        assert!(Rc::ptr_eq(&loops, &cx.get::<Loops>(&snapshot, func)));
    }

    #[test]
    fn analyses_of_the_module_depend_on_declarations() {
        let mut module = Module::new();
        let func = module.add_func(graph_body(&[vec![]]));
        let mut cx = Analyses::new();
        let before = cx.get::<Types>(&module, func);
        assert!(Rc::ptr_eq(&before, &cx.get::<Types>(&module, func)));
        module.ty(TypeData::Bool);
        assert!(!Rc::ptr_eq(&before, &cx.get::<Types>(&module, func)));
    }

    #[test]
    fn analyses_of_the_module_depend_on_attributes_and_entry_points() {
        let mut module = Module::new();
        let func = module.add_func(graph_body(&[vec![]]));
        let ty = module.ty(TypeData::Bool);
        let data =
            VarData { name: None, ty, mode: Mode::Storage, owner: None, init: None, attrs: Attrs::None };
        let var = module.add_var(data.clone());
        let mut cx = Analyses::new();
        let mut last = cx.get::<Alias>(&module, func);
        assert!(Rc::ptr_eq(&last, &cx.get::<Alias>(&module, func)));
        let mut is_computed = |module: &Module, why: &str| {
            let new = cx.get::<Alias>(module, func);
            assert!(!Rc::ptr_eq(&last, &new), "{why}");
            last = new;
        };
        module.set_var(var, VarData { attrs: data.attrs.with(Key::Aliased, 1), ..data });
        is_computed(&module, "an attribute of a variable");
        module.entries = vec![EntryPoint {
            stage: Stage::Compute,
            func,
            name: module.text("main"),
            interface: Vec::new(),
            modes: Vec::new(),
        }]
        .into();
        is_computed(&module, "an entry point, which has modes of floats");
    }

    #[test]
    fn a_missing_function_has_no_blocks() {
        let cfg = Analyses::new().get::<Cfg>(&Module::new(), Func::from_index(4));
        assert!(cfg.is_empty());
    }
}
