//! The places of local variables that a function accesses, and those that can be promoted.

use crate::util::leaves::{Arrays, Inner, leaves};
use crate::util::memory::is_volatile;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::{DerefOp, Key, MemoryOp, Op, ValueType};
use vitrine_ir::{Func, FuncBody, GlobalValue, Inst, Mode, Module, PathType, Text, Type, TypeData, Var};

/// A place in a variable: the whole of it, or a constant step inside another place.
pub(super) struct VarPlace {
    pub(super) var: Var,
    /// The enclosing place, and the index of the member, element or column in it.
    pub(super) parent: Option<(usize, u32)>,
    pub(super) ty: Type,
    /// The type of the value, if it consists of bits or is a pointer.
    pub(super) value: Option<ValueType>,
    /// The pointee of a pointer.
    pub(super) pointee: Option<PathType>,
    /// True if some use below requires memory.
    poisoned: bool,
    /// True if there is a load or a store.
    accessed: bool,
}

/// The target of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PathTarget {
    /// Not a place in a candidate variable.
    Other,
    /// A place.
    Place(usize),
    /// A component of the vector at a place, by the second operand of the path.
    Component(usize),
}

/// All places, and the target of each path.
pub(super) struct Places {
    pub(super) places: Vec<VarPlace>,
    pub(super) target: SideTable<Inst, PathTarget>,
    /// Copies with at least one side that could be promoted.
    pub(super) copies: Vec<Inst>,
    children: FxHashMap<(usize, u32), usize>,
    roots: FxHashMap<Var, usize>,
}

impl Places {
    /// Processes every path of a function. Variables of `not` are kept in memory. Linear.
    pub(super) fn of(module: &Module, func: Func, max_leaves: u32, not: &FxHashSet<Var>) -> Places {
        let mut places = Places {
            places: Vec::new(),
            target: SideTable::with_default(PathTarget::Other),
            copies: Vec::new(),
            children: FxHashMap::default(),
            roots: FxHashMap::default(),
        };
        let Some(body) = module.func(func) else { return places };
        let order = crate::util::open::in_order(body);
        let mut copies = Vec::new();
        for &block in &order {
            let data = body.block(block);
            for &inst in data.insts.iter() {
                places.step(module, func, body, inst);
                places.uses(body, inst, &mut copies);
            }
            data.terminator.for_each_use(|value| places.escape(value));
        }
        for &copy in &copies {
            for &path in body.inst(copy).args.iter() {
                places.copied(module, path, max_leaves);
            }
        }
        places.limit(max_leaves);
        for place in places.places.iter_mut().filter(|place| place.parent.is_none()) {
            place.poisoned |= not.contains(&place.var);
        }
        places.addressed(module);
        copies.retain(|&copy| {
            let sides = &body.inst(copy).args;
            sides
                .iter()
                .any(|&path| matches!(places.target[path], PathTarget::Place(at) if !places.is_poisoned(at)))
        });
        places.copies = copies;
        places
    }

    /// Returns true if any leaf can be promoted.
    pub(super) fn promotes_any(&self) -> bool {
        (0..self.places.len()).any(|at| self.promoted(at))
    }

    /// Variables that need not be kept in memory as a whole, in order of first occurrence.
    pub(super) fn candidates(&self) -> Vec<Var> {
        let roots = self.places.iter().filter(|place| place.parent.is_none() && !place.poisoned);
        roots.map(|place| place.var).collect()
    }

    /// Returns true if a place is a promoted leaf.
    pub(super) fn promoted(&self, at: usize) -> bool {
        self.places.get(at).is_some_and(|place| place.accessed && place.value.is_some())
            && !self.is_poisoned(at)
    }

    /// The leaf a path refers to, if it is promoted.
    pub(super) fn leaf(&self, path: Inst) -> Option<usize> {
        match self.target[path] {
            PathTarget::Place(at) | PathTarget::Component(at) => Some(at).filter(|&at| self.promoted(at)),
            PathTarget::Other => None,
        }
    }

    /// The candidate variables, in order of first occurrence.
    pub(super) fn vars(&self) -> Vec<Var> {
        self.places.iter().filter(|place| place.parent.is_none()).map(|place| place.var).collect()
    }

    /// The constant steps from the variable to a place.
    pub(super) fn steps(&self, at: usize) -> Vec<u32> {
        let up = |&at: &usize| self.places.get(at).and_then(|place| place.parent);
        let mut steps: Vec<u32> =
            std::iter::successors(up(&at), |(parent, _)| up(parent)).map(|(_, step)| step).collect();
        steps.reverse();
        steps
    }

    /// The name of each promoted leaf: that of the variable, followed by those of members and numbers of elements.
    pub(super) fn names(&self, module: &mut Module) -> Vec<Option<Text>> {
        (0..self.places.len())
            .map(|at| if self.promoted(at) { self.name(module, at) } else { None })
            .collect()
    }

    fn name(&self, module: &mut Module, at: usize) -> Option<Text> {
        let var = self.places.get(at)?.var;
        let data = module.var(var)?;
        let (whole, mut ty) = (data.name?, data.ty);
        let steps = self.steps(at);
        if steps.is_empty() {
            return Some(whole);
        }
        let mut name = module.text_of(whole).to_owned();
        for step in steps {
            let member = match *module.type_of(ty) {
                TypeData::Struct(structure) => {
                    Some(module.structure(structure)?.members.get(step as usize)?.clone())
                }
                _ => None,
            };
            name.push('_');
            match member.as_ref().and_then(|member| member.name) {
                Some(own) => name.push_str(module.text_of(own)),
                None => name.push_str(&step.to_string()),
            }
            ty = match member {
                Some(member) => member.ty,
                None => module.element_type(ty)?,
            };
        }
        Some(module.text(&name))
    }

    fn is_poisoned(&self, at: usize) -> bool {
        let up = |&at: &usize| self.places.get(at)?.parent.map(|(parent, _)| parent);
        std::iter::successors(Some(at), up).any(|at| self.places.get(at).is_none_or(|place| place.poisoned))
    }

    fn poison(&mut self, at: usize) {
        if let Some(place) = self.places.get_mut(at) {
            place.poisoned = true;
        }
    }

    /// Keeps the whole variable of a pointer in memory: a step, a callee or a cast may reach every part of it from the
    /// address of one element.
    fn escape(&mut self, value: Inst) {
        match self.target[value] {
            PathTarget::Place(at) | PathTarget::Component(at) => self.poison_variable(at),
            PathTarget::Other => {}
        }
    }

    fn poison_variable(&mut self, at: usize) {
        let root = self.places.get(at).and_then(|place| self.roots.get(&place.var).copied());
        self.poison(root.unwrap_or(at));
    }

    fn add(&mut self, module: &Module, var: Var, parent: Option<(usize, u32)>, ty: Type) -> usize {
        // Pointers with an initializer stay: an instruction for it may not exist.
        let has_initializer = module.var(var).is_some_and(|data| data.init.is_some());
        let pointee = match *module.type_of(ty) {
            TypeData::Pointer { mode, to } if !has_initializer => Some(PathType { ty: to, mode }),
            _ => None,
        };
        let is_value = |ty: &ValueType| match ty {
            ValueType::Bits { .. } => true,
            ValueType::Path => pointee.is_some(),
            ValueType::Void | ValueType::Ptr | ValueType::Handle => false,
        };
        let value = module.value_type(ty).filter(is_value);
        let poisoned = value.is_none() && module.value_type(ty).is_some();
        self.places.push(VarPlace { var, parent, ty, value, pointee, poisoned, accessed: false });
        self.places.len() - 1
    }

    /// Records the target of a path.
    fn step(&mut self, module: &Module, func: Func, body: &FuncBody, inst: Inst) {
        let data = body.inst(inst);
        let Op::Deref(op) = data.op else {
            // An untyped pointer to the variable may access all of it.
            if let Some(PathTarget::Place(root)) =
                data.entity(Key::Var).and_then(|var| self.root(module, func, var))
            {
                self.poison(root);
            }
            return;
        };
        let base = data.args.first().map_or(PathTarget::Other, |&base| self.target[base]);
        let target = match op {
            DerefOp::Var => {
                let var: Option<Var> = data.entity(Key::Var);
                var.and_then(|var| self.root(module, func, var))
            }
            DerefOp::Field => data.attrs.get(Key::Field).and_then(|at| self.child(module, base, at)),
            DerefOp::Elem => self.element(module, body, base, data.args.get(1).copied()),
            DerefOp::All | DerefOp::Step | DerefOp::Cast | DerefOp::FromBits => None,
        };
        self.target[inst] = target.unwrap_or(PathTarget::Other);
        match op {
            DerefOp::Step | DerefOp::Cast | DerefOp::FromBits => {
                data.args.iter().for_each(|&arg| self.escape(arg));
            }
            // A part that is not a place is inside its aggregate.
            DerefOp::Var | DerefOp::Field | DerefOp::Elem | DerefOp::All if target.is_none() => {
                if let PathTarget::Place(at) | PathTarget::Component(at) = base {
                    self.poison(at);
                }
            }
            DerefOp::Var | DerefOp::Field | DerefOp::Elem | DerefOp::All => {}
        }
    }

    fn root(&mut self, module: &Module, func: Func, var: Var) -> Option<PathTarget> {
        let data = module.var(var)?;
        if data.mode != Mode::Local || data.owner != Some(func) {
            return None;
        }
        let at = match self.roots.get(&var) {
            Some(&at) => at,
            None => self.add(module, var, None, data.ty),
        };
        self.roots.insert(var, at);
        Some(PathTarget::Place(at))
    }

    fn child(&mut self, module: &Module, base: PathTarget, step: u64) -> Option<PathTarget> {
        let PathTarget::Place(parent) = base else { return None };
        let step = u32::try_from(step).ok()?;
        if let Some(&at) = self.children.get(&(parent, step)) {
            return Some(PathTarget::Place(at));
        }
        let (var, ty) = self.places.get(parent).map(|place| (place.var, place.ty))?;
        let inner = match module.type_of(ty) {
            TypeData::Struct(structure) => module.structure(*structure)?.members.get(step as usize)?.ty,
            _ => {
                if step >= module.element_count(ty)? {
                    return None;
                }
                module.element_type(ty)?
            }
        };
        let at = self.add(module, var, Some((parent, step)), inner);
        self.children.insert((parent, step), at);
        Some(PathTarget::Place(at))
    }

    fn element(
        &mut self,
        module: &Module,
        body: &FuncBody,
        base: PathTarget,
        index: Option<Inst>,
    ) -> Option<PathTarget> {
        let PathTarget::Place(at) = base else { return None };
        if self.places.get(at)?.value.is_some() {
            return Some(PathTarget::Component(at));
        }
        let index = module.bits_of(body.const_of(index?)?).component(0).as_u64();
        self.child(module, base, index)
    }

    /// Records the uses of the path operands of an instruction.
    fn uses(&mut self, body: &FuncBody, inst: Inst, copies: &mut Vec<Inst>) {
        let data = body.inst(inst);
        for (at, &arg) in data.args.iter().enumerate() {
            let (PathTarget::Place(place) | PathTarget::Component(place)) = self.target[arg] else {
                continue;
            };
            let is_component = matches!(self.target[arg], PathTarget::Component(_));
            let value = self.places.get(place).and_then(|place| place.value);
            let plain = at == 0 && !is_volatile(data) && value.is_some();
            match data.op {
                Op::Deref(_) if at == 0 => {}
                Op::Memory(MemoryOp::Load | MemoryOp::Store) if plain => {
                    let moved = match data.op {
                        Op::Memory(MemoryOp::Load) => data.ty,
                        _ => data.args.get(1).map_or(ValueType::Void, |&stored| body.ty(stored)),
                    };
                    if value.map(|ty| if is_component { ty.with_components(1) } else { ty }) == Some(moved) {
                        if let Some(place) = self.places.get_mut(place) {
                            place.accessed = true;
                        }
                    } else {
                        self.poison(place);
                    }
                }
                Op::Memory(MemoryOp::CopyVar) if data.attrs.is_empty() && !is_component => {
                    if copies.last() != Some(&inst) {
                        copies.push(inst);
                    }
                }
                // These access the place itself; any other user may step to its neighbors.
                Op::Memory(
                    MemoryOp::Load
                    | MemoryOp::Store
                    | MemoryOp::AtomicLoad
                    | MemoryOp::AtomicStore
                    | MemoryOp::Atomic
                    | MemoryOp::AtomicCas,
                ) if at == 0 => self.poison(place),
                Op::Memory(MemoryOp::CopyVar) => self.poison(place),
                _ => self.poison_variable(place),
            }
        }
    }

    /// Records a copy of a place: it is split if possible, and then accesses each leaf.
    fn copied(&mut self, module: &Module, path: Inst, max_leaves: u32) {
        let PathTarget::Place(at) = self.target[path] else { return };
        let Some(ty) = self.places.get(at).map(|place| place.ty) else { return };
        let Some(leaf_paths) = leaves(module, ty, max_leaves as usize, Arrays::Apart) else {
            return self.poison(at);
        };
        for steps in leaf_paths {
            let leaf = steps.into_iter().try_fold(PathTarget::Place(at), |at, step| match step {
                Inner::Field(step) | Inner::Element(step) => self.child(module, at, u64::from(step)),
                Inner::All => None,
            });
            if let Some(PathTarget::Place(leaf)) = leaf
                && let Some(place) = self.places.get_mut(leaf)
            {
                place.accessed = true;
            }
        }
    }

    /// Keeps variables in memory whose address is a constant of the module.
    fn addressed(&mut self, module: &Module) {
        for (_, global) in module.globals() {
            if let GlobalValue::Address(var) = global.value
                && let Some(&root) = self.roots.get(&var)
            {
                self.poison(root);
            }
        }
    }

    /// Keeps variables with too many leaves in memory.
    fn limit(&mut self, max_leaves: u32) {
        let mut counts: FxHashMap<Var, u32> = FxHashMap::default();
        for place in self.places.iter().filter(|place| place.accessed) {
            *counts.entry(place.var).or_default() += 1;
        }
        for place in self.places.iter_mut().filter(|place| place.parent.is_none()) {
            place.poisoned |= counts.get(&place.var).is_some_and(|&count| count > max_leaves);
        }
    }
}
