//! The reads and writes at each level of local variables, and the parts to keep.
//!
//! A level is the elements of an array, the columns of a matrix or the components of a vector. Corresponding
//! levels of copied variables are merged. Does not change anything.

use crate::util::memory::is_plain;
use crate::util::split_vars::{Paths, VarStep, locals};
use rustc_hash::FxHashMap;
use vitrine_ir::ops::attr::unpack_component;
use vitrine_ir::ops::{Key, MemoryOp, Op, ValueType, VectorOp};
use vitrine_ir::{Editor, Inst, Len, Module, Site, Type, TypeData, Use, Var};

/// The maximum number of levels of a variable.
const MAX_LEVELS: usize = 16;

/// The maximum number of vector components.
pub(super) const MAX_COMPONENTS: u8 = 4;

/// The part of a level that is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kept {
    /// This number of elements, from the first on.
    First(u32),
    /// These components, as a mask.
    Components(u32),
}

impl Kept {
    /// Returns true if nothing is kept.
    pub(super) fn is_nothing(self) -> bool {
        matches!(self, Kept::First(0) | Kept::Components(0))
    }

    /// Returns true if an element or a component is kept.
    pub(super) fn has(self, at: u32) -> bool {
        match self {
            Kept::First(count) => at < count,
            Kept::Components(mask) => mask.checked_shr(at).unwrap_or(0) & 1 == 1,
        }
    }
}

/// A variable, and the parts to keep.
pub(super) struct Shrunk {
    pub(super) var: Var,
    pub(super) paths: Paths,
    /// The types of the levels, from the outside in, followed by the element type of the last.
    pub(super) types: Vec<Type>,
    /// The kept part of each level, with a flag that is true if it is smaller than before.
    pub(super) kept: Vec<(Kept, bool)>,
}

impl Shrunk {
    /// Returns true if no written element is ever read.
    pub(super) fn is_dead(&self) -> bool {
        self.kept.iter().any(|(kept, _)| kept.is_nothing())
    }

    /// Returns true if a place is removed.
    pub(super) fn is_removed(&self, steps: &[VarStep]) -> bool {
        let removed = |(step, (kept, _)): (&VarStep, &(Kept, bool))| match step {
            VarStep::Known(at) => !kept.has(*at),
            VarStep::By | VarStep::All | VarStep::Field(_) => false,
        };
        self.is_dead() || steps.iter().zip(&self.kept).any(removed)
    }
}

/// The accesses to a level.
#[derive(Clone, Copy, Debug)]
struct Level {
    /// The number of elements or components.
    full: u32,
    components: bool,
    /// True if the level must not change.
    fixed: bool,
    /// The number of elements up to the last one accessed; for components, a mask.
    read: u32,
    written: u32,
}

impl Level {
    fn kept(&self) -> Kept {
        match (self.components, self.fixed) {
            (true, true) => Kept::Components((1 << self.full) - 1),
            (true, false) => Kept::Components(self.read & self.written),
            (false, true) => Kept::First(self.full),
            (false, false) => Kept::First(self.read.min(self.written)),
        }
    }

    fn is_less(&self) -> bool {
        let all =
            if self.components { Kept::Components((1 << self.full) - 1) } else { Kept::First(self.full) };
        self.kept() != all
    }

    /// Records a read or write of one element or component.
    fn mark(&mut self, at: u32, writes: bool) {
        let bits = if self.components { 1 << at } else { 0 };
        let side = if writes { &mut self.written } else { &mut self.read };
        *side = if self.components { *side | bits } else { (*side).max(at + 1) };
    }

    fn mark_components(&mut self, mask: u32, writes: bool) {
        let side = if writes { &mut self.written } else { &mut self.read };
        *side |= mask;
    }

    fn merge(&mut self, other: Level) {
        self.fixed |= other.fixed || self.full != other.full || self.components != other.components;
        if self.components {
            self.read |= other.read;
            self.written |= other.written;
        } else {
            self.read = self.read.max(other.read);
            self.written = self.written.max(other.written);
        }
    }
}

struct Candidate {
    var: Var,
    paths: Paths,
    types: Vec<Type>,
    /// The index of its first level in `All`.
    first: usize,
}

impl Candidate {
    fn levels(&self) -> usize {
        self.types.len() - 1
    }
}

/// Variables that can be shrunk, grouped by copies between them. Near-linear.
pub(super) fn groups(ed: &Editor<'_>) -> Vec<Vec<Shrunk>> {
    let mut all = All::default();
    for (var, paths) in locals(ed) {
        let ty = ed.module().var(var).map(|data| data.ty);
        let types = ty.and_then(|ty| chain(ed.module(), ty)).unwrap_or_default();
        let watched = |&(user, _): &(Inst, usize)| !is_plain(ed.func().inst(user));
        if types.len() < 2 || paths.ends.is_empty() || paths.users.iter().any(watched) {
            continue;
        }
        if paths.ends.iter().any(|steps| !fits(ed.module(), &types, steps)) {
            continue;
        }
        all.add(ed.module(), var, paths, types);
    }
    all.record_accesses(ed);
    all.finish()
}

/// The types from the outside in, down to a scalar or a large vector; none if there is a structure.
fn chain(module: &Module, ty: Type) -> Option<Vec<Type>> {
    let mut types = vec![ty];
    let mut at = ty;
    while types.len() <= MAX_LEVELS {
        at = match *module.type_of(at) {
            TypeData::Array { of, len: Len::Count(_), .. } => of,
            TypeData::Matrix { column, .. } => column,
            TypeData::Vector { of, components } if components <= MAX_COMPONENTS => of,
            _ => return module.value_type(at).map(|_| types),
        };
        types.push(at);
    }
    None
}

/// Returns true if every constant step is in range.
fn fits(module: &Module, types: &[Type], steps: &[VarStep]) -> bool {
    let within = |(&ty, step): (&Type, &VarStep)| match step {
        VarStep::Known(at) => count(module, ty).is_some_and(|count| *at < count),
        VarStep::By | VarStep::All => true,
        VarStep::Field(_) => false,
    };
    steps.len() < types.len() && types.iter().zip(steps).all(within)
}

fn count(module: &Module, ty: Type) -> Option<u32> {
    match *module.type_of(ty) {
        TypeData::Array { len: Len::Count(count), .. } => Some(count),
        TypeData::Matrix { columns, .. } => Some(u32::from(columns)),
        TypeData::Vector { components, .. } => Some(u32::from(components)),
        _ => None,
    }
}

#[derive(Default)]
struct All {
    vars: Vec<Candidate>,
    levels: Vec<Level>,
    /// The union-find parent of each level; itself for a representative.
    same: Vec<usize>,
    /// The same for variables.
    together: Vec<usize>,
}

fn find(parents: &mut [usize], at: usize) -> usize {
    let mut at = at;
    while let Some(&up) = parents.get(at).filter(|&&up| up != at) {
        let higher = parents.get(up).copied().unwrap_or(up);
        if let Some(slot) = parents.get_mut(at) {
            *slot = higher;
        }
        at = higher;
    }
    at
}

impl All {
    fn add(&mut self, module: &Module, var: Var, paths: Paths, types: Vec<Type>) {
        let first = self.levels.len();
        for &ty in types.iter().take(types.len() - 1) {
            let components = matches!(module.type_of(ty), TypeData::Vector { .. });
            let full = count(module, ty).unwrap_or(0);
            self.same.push(self.levels.len());
            self.levels.push(Level { full, components, fixed: false, read: 0, written: 0 });
        }
        self.together.push(self.vars.len());
        self.vars.push(Candidate { var, paths, types, first });
    }

    /// Records the accesses to every place.
    fn record_accesses(&mut self, ed: &Editor<'_>) {
        let mut copies: Vec<Inst> = Vec::new();
        let mut sides: FxHashMap<(Inst, usize), (usize, usize)> = FxHashMap::default();
        let vars = std::mem::take(&mut self.vars);
        for (number, var) in vars.iter().enumerate() {
            for (end, (steps, &(user, arg))) in var.paths.ends.iter().zip(&var.paths.users).enumerate() {
                let data = ed.func().inst(user);
                let is_copy = data.op == Op::Memory(MemoryOp::CopyVar);
                let writes = data.op != Op::Memory(MemoryOp::Load) && arg == 0;
                if is_copy {
                    if !sides.contains_key(&(user, 1 - arg.min(1))) {
                        copies.push(user);
                    }
                    sides.insert((user, arg), (number, end));
                }
                let components = if is_copy { None } else { Some(components_of(ed, user)) };
                for (at, step) in steps.iter().enumerate() {
                    let Some(level) = self.levels.get_mut(var.first + at) else { continue };
                    match step {
                        VarStep::Known(at) if components != Some(0) => level.mark(*at, writes),
                        VarStep::Known(_) => {}
                        VarStep::By => level.fixed = true,
                        // Merged with the other side of the copy.
                        VarStep::All | VarStep::Field(_) => {}
                    }
                }
                if let (Some(components), Some(level)) =
                    (components, self.levels.get_mut(var.first + steps.len()))
                    && steps.len() < var.levels()
                {
                    level.mark_components(components, writes);
                }
            }
        }
        for copy in copies {
            let side = |arg| {
                let &(number, end) = sides.get(&(copy, arg))?;
                let var = vars.get(number)?;
                Some((number, open_levels(var, var.paths.ends.get(end)?)))
            };
            match (side(0), side(1)) {
                (Some((to, first)), Some((from, second))) if first.len() == second.len() => {
                    first.into_iter().zip(second).for_each(|(a, b)| self.join(a, b));
                    let [a, b] = [to, from].map(|at| find(&mut self.together, at));
                    if let Some(slot) = self.together.get_mut(a) {
                        *slot = b;
                    }
                }
                (a, b) => {
                    let levels = a.into_iter().chain(b).flat_map(|(_, levels)| levels);
                    levels.for_each(|level| self.fix(level));
                }
            }
        }
        self.vars = vars;
    }

    fn fix(&mut self, level: usize) {
        let at = find(&mut self.same, level);
        if let Some(level) = self.levels.get_mut(at) {
            level.fixed = true;
        }
    }

    fn join(&mut self, a: usize, b: usize) {
        let [a, b] = [a, b].map(|at| find(&mut self.same, at));
        let Some(&other) = self.levels.get(a).filter(|_| a != b) else { return };
        if let (Some(level), Some(slot)) = (self.levels.get_mut(b), self.same.get_mut(a)) {
            level.merge(other);
            *slot = b;
        }
    }

    /// The variables that can be shrunk, by group, in order of first occurrence.
    fn finish(mut self) -> Vec<Vec<Shrunk>> {
        let mut of: FxHashMap<usize, usize> = FxHashMap::default();
        let mut out: Vec<Vec<Shrunk>> = Vec::new();
        for (number, var) in std::mem::take(&mut self.vars).into_iter().enumerate() {
            let levels: Vec<usize> =
                (0..var.levels()).map(|at| find(&mut self.same, var.first + at)).collect();
            let kept = levels.iter().filter_map(|&at| self.levels.get(at));
            let kept: Vec<(Kept, bool)> = kept.map(|level| (level.kept(), level.is_less())).collect();
            if kept.iter().all(|(_, less)| !less) {
                continue;
            }
            let group = find(&mut self.together, number);
            let at = *of.entry(group).or_insert(out.len());
            if at == out.len() {
                out.push(Vec::new());
            }
            let Candidate { var, paths, types, .. } = var;
            if let Some(group) = out.get_mut(at) {
                group.push(Shrunk { var, paths, types, kept });
            }
        }
        out
    }
}

/// The levels of a variable that a copy of a place covers completely, from the outside in.
fn open_levels(var: &Candidate, steps: &[VarStep]) -> Vec<usize> {
    let all = |at: usize| steps.get(at).is_none_or(|step| *step == VarStep::All);
    (0..var.levels()).filter(|&at| all(at)).map(|at| var.first + at).collect()
}

/// The components that a load or store of a whole value accesses, as a mask; 0 if the loaded value is unused.
fn components_of(ed: &Editor<'_>, user: Inst) -> u32 {
    let data = ed.func().inst(user);
    let all = |ty: ValueType| (1u32 << u32::from(ty.components().min(MAX_COMPONENTS))) - 1;
    if data.op == Op::Memory(MemoryOp::Store) {
        let value = data.args.get(1).map_or(0, |&value| all(ed.func().ty(value)));
        return data.attrs.get(Key::Mask).map_or(value, |mask| mask as u32 & value);
    }
    let all = all(data.ty);
    let read = |place: Use| -> u32 {
        let Site::Inst(reader) = place.site() else { return all };
        let data = ed.func().inst(reader);
        match (data.op, data.attrs.get(Key::Components)) {
            (Op::Vector(VectorOp::Swizzle), Some(packed)) => {
                let picks = (0..usize::from(data.ty.components())).map(|at| unpack_component(packed, at));
                picks.fold(0, |mask, component| mask | 1u32.checked_shl(u32::from(component)).unwrap_or(0))
            }
            _ => all,
        }
    };
    ed.uses(user).fold(0, |mask, place| mask | read(place)) & all
}
