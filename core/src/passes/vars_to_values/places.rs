//! Which places of local variables a function reaches, and which of them can be values.

use crate::base::SideTable;
use crate::ir::{Func, FuncBody, GlobalValue, Inst, Mode, Module, Type, TypeData, Var};
use crate::ops::{DerefOp, Key, MemoryOp, Op, ValueType};
use crate::passes::util::leaves::{Arrays, Inner, leaves};
use crate::passes::util::memory::is_volatile;
use rustc_hash::{FxHashMap, FxHashSet};

/// A place in a variable: the whole of it, or a constant step further in.
pub(super) struct Place {
    pub(super) var: Var,
    /// The place it is in, and which member, element or column of that.
    pub(super) parent: Option<(usize, u32)>,
    pub(super) ty: Type,
    /// The type of the value there, if it is one of bits.
    pub(super) value: Option<ValueType>,
    /// Something is done below that needs memory.
    poisoned: bool,
    /// Somebody loads or stores it.
    accessed: bool,
}

/// What a path leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reach {
    /// Something this pass does not look at.
    Elsewhere,
    /// A place.
    Place(usize),
    /// A component of the vector at a place, by the second operand of the path.
    Component(usize),
}

/// All places, and where each path leads.
pub(super) struct Places {
    pub(super) places: Vec<Place>,
    pub(super) reach: SideTable<Inst, Reach>,
    /// Copies of which one side at least could be values.
    pub(super) copies: Vec<Inst>,
    children: FxHashMap<(usize, u32), usize>,
    roots: FxHashMap<Var, usize>,
}

impl Places {
    /// Looks at every path of a function. Variables of `not` stay in memory. Linear.
    pub(super) fn of(module: &Module, func: Func, max_leaves: u32, not: &FxHashSet<Var>) -> Places {
        let mut places = Places {
            places: Vec::new(),
            reach: SideTable::with_default(Reach::Elsewhere),
            copies: Vec::new(),
            children: FxHashMap::default(),
            roots: FxHashMap::default(),
        };
        let Some(body) = module.func(func) else { return places };
        let order = crate::passes::util::open::in_order(body);
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
                .any(|&path| matches!(places.reach[path], Reach::Place(at) if !places.is_poisoned(at)))
        });
        places.copies = copies;
        places
    }

    /// Whether any leaf can be values.
    pub(super) fn promotes_any(&self) -> bool {
        (0..self.places.len()).any(|at| self.promoted(at))
    }

    /// Variables that need not stay in memory as a whole, in order of first sight.
    pub(super) fn candidates(&self) -> Vec<Var> {
        let roots = self.places.iter().filter(|place| place.parent.is_none() && !place.poisoned);
        roots.map(|place| place.var).collect()
    }

    /// Whether a place is a leaf that becomes values.
    pub(super) fn promoted(&self, at: usize) -> bool {
        self.places.get(at).is_some_and(|place| place.accessed && place.value.is_some())
            && !self.is_poisoned(at)
    }

    /// The leaf a path leads to, if that becomes values.
    pub(super) fn leaf(&self, path: Inst) -> Option<usize> {
        match self.reach[path] {
            Reach::Place(at) | Reach::Component(at) => Some(at).filter(|&at| self.promoted(at)),
            Reach::Elsewhere => None,
        }
    }

    /// The variables looked at, in order of first sight.
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

    fn is_poisoned(&self, at: usize) -> bool {
        let up = |&at: &usize| self.places.get(at)?.parent.map(|(parent, _)| parent);
        std::iter::successors(Some(at), up).any(|at| self.places.get(at).is_none_or(|place| place.poisoned))
    }

    fn poison(&mut self, at: usize) {
        if let Some(place) = self.places.get_mut(at) {
            place.poisoned = true;
        }
    }

    fn escape(&mut self, value: Inst) {
        match self.reach[value] {
            Reach::Place(at) | Reach::Component(at) => self.poison(at),
            Reach::Elsewhere => {}
        }
    }

    fn add(&mut self, module: &Module, var: Var, parent: Option<(usize, u32)>, ty: Type) -> usize {
        let value = module.value_type(ty).filter(|ty| matches!(ty, ValueType::Bits { .. }));
        let poisoned = value.is_none() && module.value_type(ty).is_some();
        self.places.push(Place { var, parent, ty, value, poisoned, accessed: false });
        self.places.len() - 1
    }

    /// Notes where a path leads.
    fn step(&mut self, module: &Module, func: Func, body: &FuncBody, inst: Inst) {
        let data = body.inst(inst);
        let Op::Deref(op) = data.op else {
            // An untyped pointer to the variable sees all of it.
            if let Some(Reach::Place(root)) =
                data.entity(Key::Var).and_then(|var| self.root(module, func, var))
            {
                self.poison(root);
            }
            return;
        };
        let base = data.args.first().map_or(Reach::Elsewhere, |&base| self.reach[base]);
        let reach = match op {
            DerefOp::Var => {
                let var: Option<Var> = data.entity(Key::Var);
                var.and_then(|var| self.root(module, func, var))
            }
            DerefOp::Field => data.attrs.get(Key::Field).and_then(|at| self.child(module, base, at)),
            DerefOp::Elem => self.element(module, body, base, data.args.get(1).copied()),
            DerefOp::All | DerefOp::Step | DerefOp::Cast | DerefOp::FromBits => None,
        };
        self.reach[inst] = reach.unwrap_or(Reach::Elsewhere);
        if reach.is_none() {
            data.args.iter().for_each(|&arg| self.escape(arg));
        }
    }

    fn root(&mut self, module: &Module, func: Func, var: Var) -> Option<Reach> {
        let data = module.var(var)?;
        if data.mode != Mode::Local || data.owner != Some(func) {
            return None;
        }
        let at = match self.roots.get(&var) {
            Some(&at) => at,
            None => self.add(module, var, None, data.ty),
        };
        self.roots.insert(var, at);
        Some(Reach::Place(at))
    }

    fn child(&mut self, module: &Module, base: Reach, step: u64) -> Option<Reach> {
        let Reach::Place(parent) = base else { return None };
        let step = u32::try_from(step).ok()?;
        if let Some(&at) = self.children.get(&(parent, step)) {
            return Some(Reach::Place(at));
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
        Some(Reach::Place(at))
    }

    fn element(
        &mut self,
        module: &Module,
        body: &FuncBody,
        base: Reach,
        index: Option<Inst>,
    ) -> Option<Reach> {
        let Reach::Place(at) = base else { return None };
        if self.places.get(at)?.value.is_some() {
            return Some(Reach::Component(at));
        }
        let index = module.bits_of(body.const_of(index?)?).component(0).as_u64();
        self.child(module, base, index)
    }

    /// Notes what is done with the paths an instruction reads.
    fn uses(&mut self, body: &FuncBody, inst: Inst, copies: &mut Vec<Inst>) {
        let data = body.inst(inst);
        for (at, &arg) in data.args.iter().enumerate() {
            let (Reach::Place(place) | Reach::Component(place)) = self.reach[arg] else { continue };
            let is_component = matches!(self.reach[arg], Reach::Component(_));
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
                _ => self.poison(place),
            }
        }
    }

    /// Notes that a copy is done with a place: it is split if that is possible, and then each leaf is accessed.
    fn copied(&mut self, module: &Module, path: Inst, max_leaves: u32) {
        let Reach::Place(at) = self.reach[path] else { return };
        let Some(ty) = self.places.get(at).map(|place| place.ty) else { return };
        let Some(ways) = leaves(module, ty, max_leaves as usize, Arrays::Apart) else {
            return self.poison(at);
        };
        for way in ways {
            let leaf = way.into_iter().try_fold(Reach::Place(at), |at, step| match step {
                Inner::Field(step) | Inner::Element(step) => self.child(module, at, u64::from(step)),
                Inner::All => None,
            });
            if let Some(Reach::Place(leaf)) = leaf
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

    /// Keeps variables of too many leaves in memory.
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
