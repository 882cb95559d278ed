//! Alias analysis: decides if two paths can refer to the same memory.
//!
//! [`Alias`] resolves every path of a function to a root, which is a variable or unknown, and a list of
//! steps. `Must`: the same memory. `No`: disjoint memory. `May`: anything else, including an aggregate and a
//! part of it.
//!
//! ```text
//! $a.1[2]   $a.1[2]    Must          $a.1[%i]   $a.1[%j]    May
//! $a.1[2]   $a.1       May           $a.1[%i]   $a.2[%j]    No
//! $a.1[2]   $b         No            $a         %path_0     May, if both can be in one kind of memory
//! $a[0]     $a[%i | 1] No, by the range of the index
//! ```
//!
//! Two steps by the same non-constant value are the same step. This is valid only as long as paths of
//! different loop iterations are not compared.
//!
//! Ignores loads and stores and their order. Paths of more than 16 steps, and results of casts, selects,
//! loads, parameters and physical addresses, are unknown, each with a separate root.

use super::range::{Fact, Range};
use super::{Analyses, Analysis, Cfg, Dom, Reads};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use vitrine_ir::base::{EntityId, SideTable, entity};
use vitrine_ir::ops::{Access, BasicOp, Builtin, DerefOp, Key, MemoryOp, Op, Scalar};
use vitrine_ir::{Attrs, Func, FuncBody, GlobalValue, Inst, Mode, Module, PathType, TypeData, Var, VarData};

entity! {
    /// A location in memory as a path names it. Two paths with one location refer to the same memory.
    pub struct Spot = '*';
}

/// The relation of two paths.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Overlap {
    /// They refer to the same location.
    Must,
    /// Their memory may overlap.
    May,
    /// Their memory is disjoint.
    No,
}

/// The root of a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Root {
    Var(Var),
    /// A path of which nothing else is known.
    Path(Inst),
}

/// A step from an aggregate to a part of it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum PathStep {
    /// A member, or an element with a constant index.
    At(u64),
    /// An element with a dynamic index.
    By(Inst),
    /// A resource of an array of resources: two of them may be bound to one buffer.
    Bound(u64),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct MemoryPath {
    root: Root,
    steps: Vec<PathStep>,
}

#[derive(Clone, Debug)]
struct SpotData {
    place: MemoryPath,
    mode: Option<Mode>,
    /// If set, another agent may write the memory between two accesses, or observe every write.
    shared: bool,
    /// If set, the memory is not written while the shader runs: it is read-only by its mode or by an
    /// attribute.
    fixed: bool,
}

/// The locations of every path of a function.
#[derive(Clone, Debug)]
pub struct Alias {
    spots: Vec<SpotData>,
    of: SideTable<Inst, Option<Spot>>,
    /// Local variables of the function.
    locals: FxHashSet<Var>,
    /// Local variables whose paths have uses other than loads, stores, copies and further steps.
    escaped: FxHashSet<Var>,
    /// What `range` computes for dynamic indices.
    bounds: FxHashMap<Inst, Fact>,
    /// Variables that may share memory with others, by an attribute or by their binding.
    sharing: FxHashSet<Var>,
}

/// Maximum length of a path, in steps.
const MOST_STEPS: usize = 16;

/// Accesses that other invocations, or the outside, may observe.
const WATCHED: Access = Access::VOLATILE.and(Access::COHERENT);

impl Analysis for Alias {
    const NAME: &'static str = "alias";
    const READS: Reads = Reads::Module;

    fn compute(module: &Module, _: Func, body: &FuncBody, _: &mut Analyses) -> Alias {
        Alias::of(module, body)
    }
}

impl Alias {
    /// Resolves the paths of a function, valid or not. Near-linear.
    pub fn of(module: &Module, body: &FuncBody) -> Alias {
        let mut reader = Reader {
            module,
            body,
            alias: Alias {
                spots: Vec::new(),
                of: SideTable::with_default(None),
                locals: FxHashSet::default(),
                escaped: FxHashSet::default(),
                bounds: FxHashMap::default(),
                sharing: sharing(module),
            },
            types: FxHashMap::default(),
            known: FxHashMap::default(),
        };
        for &param in body.params() {
            reader.read(param);
        }
        let cfg = Rc::new(Cfg::of(body));
        for &block in cfg.blocks() {
            let data = body.block(block);
            data.params.iter().chain(data.insts.iter()).for_each(|&inst| reader.read(inst));
            data.terminator.for_each_use(|value| reader.escape(value));
        }
        let mut alias = reader.alias;
        alias.bound(module, body, &cfg);
        alias
    }

    /// The location a path refers to; `None` for a value that is not a path of the function.
    pub fn spot(&self, path: Inst) -> Option<Spot> {
        self.of[path]
    }

    /// The relation of two locations. `O(steps)`.
    pub fn overlap(&self, a: Spot, b: Spot) -> Overlap {
        if a == b {
            return Overlap::Must;
        }
        let (Some(a), Some(b)) = (self.spots.get(a.index()), self.spots.get(b.index())) else {
            return Overlap::May;
        };
        if a.place.root == b.place.root {
            let part = a.place.steps.iter().zip(&b.place.steps).any(|(a, b)| self.are_apart(a, b));
            return if part { Overlap::No } else { Overlap::May };
        }
        let apart = match (a.place.root, b.place.root) {
            (Root::Var(x), Root::Var(y)) => {
                !(self.sharing.contains(&x) && self.sharing.contains(&y) && may_meet(a.mode, b.mode))
            }
            (Root::Var(var), Root::Path(_)) | (Root::Path(_), Root::Var(var)) => {
                self.is_own(var) || !may_meet(a.mode, b.mode)
            }
            (Root::Path(_), Root::Path(_)) => !may_meet(a.mode, b.mode),
        };
        if apart { Overlap::No } else { Overlap::May }
    }

    /// Returns true if two steps from one aggregate always select different parts.
    fn are_apart(&self, a: &PathStep, b: &PathStep) -> bool {
        match (a, b) {
            (PathStep::At(a), PathStep::At(b)) => a != b,
            (&PathStep::At(at), PathStep::By(index)) | (PathStep::By(index), &PathStep::At(at)) => {
                self.bounds.get(index).is_some_and(|fact| {
                    let width = fact.width();
                    at <= width.mask() >> 1 && !fact.allows(Scalar::u(width, at))
                })
            }
            (PathStep::By(a), PathStep::By(b)) => match (self.bounds.get(a), self.bounds.get(b)) {
                (Some(a), Some(b)) => a.width() == b.width() && a.meet(b).is_none(),
                _ => false,
            },
            (PathStep::Bound(_), _) | (_, PathStep::Bound(_)) => false,
        }
    }

    /// Computes the ranges of dynamic indices, if some location has such an index and another one a sibling of it.
    fn bound(&mut self, module: &Module, body: &FuncBody, cfg: &Rc<Cfg>) {
        let mut parts: FxHashMap<(Root, usize), FxHashSet<PathStep>> = FxHashMap::default();
        for spot in &self.spots {
            for (depth, &step) in spot.place.steps.iter().enumerate() {
                parts.entry((spot.place.root, depth)).or_default().insert(step);
            }
        }
        let is_dynamic = |step: &&PathStep| matches!(step, PathStep::By(_));
        let siblings = parts.values().filter(|steps| steps.len() > 1);
        let dynamic: Vec<PathStep> =
            siblings.flat_map(|steps| steps.iter().filter(is_dynamic)).copied().collect();
        if dynamic.is_empty() {
            return;
        }
        let range = Range::of(module, body, &Rc::new(Dom::of(cfg)));
        for step in dynamic {
            let PathStep::By(index) = step else { continue };
            if let [fact] = range.facts(index)
                && !fact.is_any()
            {
                self.bounds.insert(index, *fact);
            }
        }
    }

    /// Returns true if the first location contains the second.
    pub fn covers(&self, whole: Spot, part: Spot) -> bool {
        let (Some(whole), Some(part)) = (self.spots.get(whole.index()), self.spots.get(part.index())) else {
            return false;
        };
        whole.place.root == part.place.root && part.place.steps.starts_with(&whole.place.steps)
    }

    /// Returns true if two locations have the same root: one variable or one unknown path.
    pub fn is_one_variable(&self, a: Spot, b: Spot) -> bool {
        let root = |spot: Spot| self.spots.get(spot.index()).map(|spot| spot.place.root);
        root(a).is_some() && root(a) == root(b)
    }

    /// The root of a location: a variable, or a path of which nothing else is known.
    pub fn root(&self, spot: Spot) -> Option<super::Root> {
        self.spots.get(spot.index()).map(|spot| match spot.place.root {
            Root::Var(var) => super::Root::Var(var),
            Root::Path(path) => super::Root::Value(path),
        })
    }

    /// The storage mode of a location, if it is known.
    pub fn mode(&self, spot: Spot) -> Option<Mode> {
        self.spots.get(spot.index())?.mode
    }

    /// Returns true if a location is volatile or coherent, or changes by itself.
    pub fn is_watched(&self, spot: Spot) -> bool {
        self.spots.get(spot.index()).is_none_or(|spot| spot.shared)
    }

    /// Returns true if a location is not written while the shader runs: its mode is read-only, or its
    /// variable allows reordering of reads.
    pub fn is_fixed(&self, spot: Spot) -> bool {
        self.spots.get(spot.index()).is_some_and(|spot| spot.fixed && !spot.shared)
    }

    /// Returns true if only loads, stores and copies of this function access a location: a local variable
    /// that does not escape.
    pub fn is_ours(&self, spot: Spot) -> bool {
        match self.spots.get(spot.index()).map(|spot| (spot.mode, spot.place.root)) {
            Some((Some(Mode::Local), Root::Var(var))) => self.is_own(var),
            Some(_) | None => false,
        }
    }

    /// The locations that are whole variables of the function, in order of first use.
    pub fn whole(&self) -> impl Iterator<Item = Spot> + '_ {
        let whole = |spot: &SpotData| spot.place.steps.is_empty() && matches!(spot.place.root, Root::Var(_));
        let spots = self.spots.iter().enumerate().filter(move |(_, spot)| whole(spot));
        spots.map(|(at, _)| Spot::from_index(at))
    }

    fn is_own(&self, var: Var) -> bool {
        self.locals.contains(&var) && !self.escaped.contains(&var)
    }
}

/// Returns true if memory of two modes can overlap.
fn may_meet(a: Option<Mode>, b: Option<Mode>) -> bool {
    let (Some(a), Some(b)) = (a, b) else { return true };
    let anywhere = |mode| mode == Mode::Generic;
    let buffer = |mode| matches!(mode, Mode::Storage | Mode::Physical | Mode::Uniform);
    a == b || anywhere(a) || anywhere(b) || (buffer(a) && buffer(b))
}

/// Variables that may share memory with another one.
pub fn sharing(module: &Module) -> FxHashSet<Var> {
    let mut sharing = FxHashSet::default();
    let mut bound: FxHashMap<(u64, u64), Var> = FxHashMap::default();
    for (var, data) in module.vars() {
        if data.attrs.has(Key::Aliased) {
            sharing.insert(var);
        }
        let (Some(set), Some(binding)) = (data.attrs.get(Key::Set), data.attrs.get(Key::Binding)) else {
            continue;
        };
        if let Some(&other) = bound.get(&(set, binding)) {
            sharing.extend([var, other]);
        }
        bound.insert((set, binding), var);
    }
    sharing
}

struct Reader<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    alias: Alias,
    types: FxHashMap<Inst, PathType>,
    known: FxHashMap<MemoryPath, Spot>,
}

impl Reader<'_> {
    fn read(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        for (at, &arg) in data.args.iter().enumerate() {
            let inside = match data.op {
                Op::Deref(DerefOp::Field | DerefOp::Elem) | Op::Memory(MemoryOp::Load | MemoryOp::Store) => {
                    at == 0
                }
                Op::Memory(MemoryOp::CopyVar | MemoryOp::ArrayLen) | Op::Basic(BasicOp::Copy) => true,
                _ => false,
            };
            if !inside {
                self.escape(arg);
            }
        }
        // An untyped pointer to a variable gives access to all of it.
        if !matches!(data.op, Op::Deref(_)) {
            self.alias.escaped.extend(data.entity::<Var>(Key::Var));
        }
        if data.ty != vitrine_ir::ops::ValueType::Path {
            return;
        }
        if let Some(ty) = self.module.path_step(self.body, inst, |path| self.types.get(&path).copied()) {
            self.types.insert(inst, ty);
        }
        let spot = self.spot(inst);
        self.alias.of[inst] = Some(spot);
    }

    fn escape(&mut self, value: Inst) {
        let spot = self.alias.of[value].and_then(|spot| self.alias.spots.get(spot.index()));
        if let Some(Root::Var(var)) = spot.map(|spot| spot.place.root) {
            self.alias.escaped.insert(var);
        }
    }

    fn spot(&mut self, inst: Inst) -> Spot {
        let data = self.body.inst(inst);
        let base = data.args.first().and_then(|&base| self.alias.of[base]);
        let found = match data.op {
            Op::Deref(DerefOp::Var) => data.entity(Key::Var).and_then(|var| self.variable(var)),
            Op::Deref(DerefOp::Field) => base
                .zip(data.attrs.get(Key::Field))
                .and_then(|(base, at)| self.further(inst, base, PathStep::At(at))),
            Op::Deref(DerefOp::Elem) => base.zip(data.args.get(1).copied()).and_then(|(base, by)| {
                let constant = self.body.const_of(by);
                let at = constant.map(|bits| self.module.bits_of(bits).component(0).as_u64());
                let at =
                    at.map(|at| if self.is_bound(base) { PathStep::Bound(at) } else { PathStep::At(at) });
                self.further(inst, base, at.unwrap_or(PathStep::By(by)))
            }),
            Op::Basic(BasicOp::Copy) => base,
            Op::Basic(BasicOp::Global) => {
                let global = data.entity(Key::Global).and_then(|global| self.module.global(global));
                match global.map(|global| &global.value) {
                    Some(&GlobalValue::Address(var)) => self.variable(var),
                    _ => None,
                }
            }
            _ => None,
        };
        found.unwrap_or_else(|| {
            let mode = self.types.get(&inst).map(|ty| ty.mode);
            // The target of a path from elsewhere may have been declared with any attributes.
            let shared = !matches!(mode, Some(Mode::Local | Mode::Private));
            let place = MemoryPath { root: Root::Path(inst), steps: Vec::new() };
            self.intern(SpotData { place, mode, shared, fixed: mode.is_some_and(|mode| !mode.is_writable()) })
        })
    }

    fn variable(&mut self, var: Var) -> Option<Spot> {
        let data = self.module.var(var)?;
        let shared = is_watched(&data.attrs) || changes(data);
        let place = MemoryPath { root: Root::Var(var), steps: Vec::new() };
        if data.mode == Mode::Local {
            self.alias.locals.insert(var);
        }
        let stated = data.attrs.words::<Access>().has(Access::REORDER);
        let fixed = stated || !data.mode.is_writable();
        Some(self.intern(SpotData { place, mode: Some(data.mode), shared, fixed }))
    }

    fn further(&mut self, inst: Inst, base: Spot, step: PathStep) -> Option<Spot> {
        let mut spot = self.alias.spots.get(base.index())?.clone();
        if spot.place.steps.len() >= MOST_STEPS {
            // The variable escapes through a path that is not resolved.
            if let Root::Var(var) = spot.place.root {
                self.alias.escaped.insert(var);
            }
            return None;
        }
        spot.shared |= self.member(inst).is_some_and(is_watched);
        spot.place.steps.push(step);
        Some(self.intern(spot))
    }

    /// Returns true if a location is a variable with a binding.
    fn is_bound(&self, spot: Spot) -> bool {
        let place = self.alias.spots.get(spot.index()).map(|spot| &spot.place);
        match place.map(|place| (place.root, place.steps.is_empty())) {
            Some((Root::Var(var), true)) => {
                self.module.var(var).is_some_and(|var| var.attrs.has(Key::Binding))
            }
            Some(_) | None => false,
        }
    }

    /// The attributes of the member a step selects.
    fn member(&self, step: Inst) -> Option<&Attrs> {
        let data = self.body.inst(step);
        let at = usize::try_from(data.attrs.get(Key::Field)?).ok()?;
        let TypeData::Struct(structure) = self.module.type_of(self.types.get(data.args.first()?)?.ty) else {
            return None;
        };
        Some(&self.module.structure(*structure)?.members.get(at)?.attrs)
    }

    fn intern(&mut self, data: SpotData) -> Spot {
        let next = Spot::from_index(self.alias.spots.len());
        let spot = *self.known.entry(data.place.clone()).or_insert(next);
        if spot == next {
            self.alias.spots.push(data);
        }
        spot
    }
}

fn is_watched(attrs: &Attrs) -> bool {
    attrs.words::<Access>().has_any(WATCHED)
}

/// Returns true if a variable changes by itself, such as the builtin that marks helper invocations.
pub fn changes(data: &VarData) -> bool {
    data.attrs.word() == Some(Builtin::HelperInvocation)
}
