//! Types that hold pointers without a mode, and their variants with modes.
//!
//! The pointers in an object form one class, those in their memory the next, and so on: the modes of a type are
//! a sequence, with one mode for each level of indirection. For recursive types the sequence is periodic.

use super::nodes::{Node, Nodes};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use vitrine_ir::base::EntityId;
use vitrine_ir::layout::parts;
use vitrine_ir::{DecorTarget, Member, Mode, Module, Struct, StructData, Type, TypeData};

/// The modes of the pointers in an object, of those in their memory, and so on.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct ModeSequence {
    modes: Vec<Option<Mode>>,
    /// The index from which the sequence repeats.
    again: Option<usize>,
}

impl ModeSequence {
    /// The sequence for the memory of a pointer, given the mode of each class.
    pub(super) fn of_pointee(
        nodes: &mut Nodes,
        node: Node,
        mut mode: impl FnMut(&mut Nodes, Node) -> Option<Mode>,
    ) -> ModeSequence {
        let (mut modes, mut seen) = (Vec::new(), FxHashMap::default());
        let (mut at, mut again) = (nodes.known_inside(node), None);
        while let Some(inside) = at {
            if let Some(&first) = seen.get(&inside) {
                again = Some(first);
                break;
            }
            seen.insert(inside, modes.len());
            modes.push(mode(nodes, inside));
            at = nodes.known_inside(inside);
        }
        ModeSequence { modes, again }.shortest()
    }

    /// The canonical form of a sequence: with the shortest period, which starts as early as possible.
    fn shortest(mut self) -> ModeSequence {
        let Some(mut again) = self.again else { return self };
        let period = self.modes[again..].to_vec();
        let repeats = |by: usize| {
            period.len().is_multiple_of(by) && period.iter().zip(&period[by..]).all(|(a, b)| a == b)
        };
        let length = (1..period.len()).find(|&by| repeats(by)).unwrap_or(period.len());
        self.modes.truncate(again + length);
        while again > 0 && self.modes.get(again - 1) == self.modes.last() {
            self.modes.pop();
            again -= 1;
        }
        ModeSequence { modes: self.modes, again: Some(again) }
    }

    /// The mode of the pointers in the object.
    fn first(&self) -> Option<Mode> {
        self.modes.first().copied().flatten()
    }

    /// The sequence for the memory of those pointers.
    fn rest(&self) -> ModeSequence {
        let mut rest = self.clone();
        if rest.modes.is_empty() {
            return rest;
        }
        match rest.again {
            Some(0) => rest.modes.rotate_left(1),
            again => {
                rest.modes.remove(0);
                rest.again = again.map(|again| again - 1);
            }
        }
        rest
    }
}

/// The maximum number of indirections with a separate mode; deeper ones repeat the sequence.
const MAX_DEPTH: usize = 64;

/// The depth of indirection of a type: the number of levels, and the level to which the last one refers back.
type Depth = (usize, Option<usize>);

/// The types of a module that contain pointers.
pub(super) struct Types {
    /// Types that contain a pointer without a mode, directly or through pointers.
    generic: FxHashSet<Type>,
    depths: FxHashMap<Type, Depth>,
    made: FxHashMap<(Type, ModeSequence), Type>,
    /// Structures that have modes now.
    taken: FxHashSet<Struct>,
    /// Additional structures, and their originals.
    structs: Vec<(Struct, Struct)>,
}

impl Types {
    /// Processes every type of a module. Linear.
    pub(super) fn of(module: &Module) -> Types {
        let mut readers: FxHashMap<Type, Vec<Type>> = FxHashMap::default();
        let mut work = Vec::new();
        for ty in (0..module.sizes()[0]).map(Type::from_index) {
            if let TypeData::Pointer { mode, to } = *module.type_of(ty) {
                readers.entry(to).or_default().push(ty);
                work.extend((mode == Mode::Generic).then_some(ty));
            }
            for part in parts(module, ty) {
                readers.entry(part).or_default().push(ty);
            }
        }
        let mut generic = FxHashSet::default();
        while let Some(ty) = work.pop() {
            if generic.insert(ty) {
                work.extend(readers.get(&ty).into_iter().flatten().copied());
            }
        }
        Types {
            generic,
            depths: FxHashMap::default(),
            made: FxHashMap::default(),
            taken: FxHashSet::default(),
            structs: Vec::new(),
        }
    }

    /// Returns true if a type holds a pointer without a mode, directly or through pointers.
    pub(super) fn is_generic(&self, ty: Type) -> bool {
        self.generic.contains(&ty)
    }

    /// Creates the classes for the levels of indirection of a pointer to a type.
    pub(super) fn deepen(&mut self, module: &Module, nodes: &mut Nodes, node: Node, ty: Type) {
        if !self.is_generic(ty) {
            return;
        }
        let (depth, back) = *self.depths.entry(ty).or_insert_with(|| depth(module, ty));
        let mut row = Vec::with_capacity(depth);
        let mut at = node;
        for _ in 0..depth {
            at = nodes.inside(at);
            row.push(at);
        }
        if let Some(&first) = back.and_then(|back| row.get(back)) {
            let next = nodes.inside(at);
            // New classes have no mode, and those with one were created from this type.
            let _ = nodes.join(next, first);
        }
    }

    /// A type with its modes, created in `after`; none if a mode is unknown. The first variant of a structure
    /// replaces the original.
    pub(super) fn with_modes(
        &mut self,
        before: &Module,
        after: &mut Module,
        ty: Type,
        row: ModeSequence,
    ) -> Option<Type> {
        let mut work = vec![(ty, row.clone(), false)];
        while let Some((ty, row, parts_done)) = work.pop() {
            if self.known(ty, &row).is_some() {
                if parts_done && let TypeData::Struct(of) = *before.type_of(ty) {
                    self.fill(before, after, of, ty, &row);
                }
                continue;
            }
            let data = before.type_of(ty);
            if let (TypeData::Struct(of), false) = (data, parts_done) {
                // Recursive references to the structure find it created already.
                let made = self.structure(before, after, *of)?;
                let made = after.ty(TypeData::Struct(made));
                self.made.insert((ty, row.clone()), made);
            }
            let below = match *data {
                TypeData::Pointer { to, .. } => vec![(to, row.rest())],
                _ => parts(before, ty).into_iter().map(|part| (part, row.clone())).collect(),
            };
            if !parts_done {
                work.push((ty, row, true));
                work.extend(below.into_iter().map(|(part, row)| (part, row, false)));
                continue;
            }
            let (below, row_below) = below.first()?.clone();
            let below = self.known(below, &row_below)?;
            let made = after.ty(match *data {
                TypeData::Pointer { mode: Mode::Generic, .. } => {
                    TypeData::Pointer { mode: row.first()?, to: below }
                }
                TypeData::Pointer { mode, .. } => TypeData::Pointer { mode, to: below },
                TypeData::Array { len, stride, .. } => TypeData::Array { of: below, len, stride },
                TypeData::RuntimeArray { stride, .. } => TypeData::RuntimeArray { of: below, stride },
                _ => return None,
            });
            self.made.insert((ty, row), made);
        }
        self.known(ty, &row)
    }

    /// Creates a structure for one more sequence of modes, without members yet.
    fn structure(&mut self, before: &Module, after: &mut Module, of: Struct) -> Option<Struct> {
        if self.taken.insert(of) {
            return Some(of);
        }
        let data = before.structure(of)?.clone();
        let made = after.add_struct(StructData { members: Rc::new([]), ..data });
        self.structs.push((of, made));
        Some(made)
    }

    /// Copies the decorations of structures and members to the new ones.
    pub(super) fn decorate(&self, module: &mut Module) {
        let mut more = Vec::new();
        for &(old, new) in &self.structs {
            for decor in module.decors.iter() {
                let on = match decor.on {
                    DecorTarget::Struct(of) if of == old => DecorTarget::Struct(new),
                    DecorTarget::Member(of, member) if of == old => DecorTarget::Member(new, member),
                    DecorTarget::Struct(_)
                    | DecorTarget::Member(..)
                    | DecorTarget::Var(_)
                    | DecorTarget::Func(_)
                    | DecorTarget::Global(_) => continue,
                };
                more.push(vitrine_ir::Decor { on, ..*decor });
            }
        }
        if !more.is_empty() {
            Rc::make_mut(&mut module.decors).extend(more);
        }
    }

    fn known(&self, ty: Type, row: &ModeSequence) -> Option<Type> {
        if self.is_generic(ty) { self.made.get(&(ty, row.clone())).copied() } else { Some(ty) }
    }

    /// Adds the members of a new structure.
    fn fill(&self, before: &Module, after: &mut Module, of: Struct, ty: Type, row: &ModeSequence) {
        let made = self.known(ty, row).map(|made| after.type_of(made).clone());
        let (Some(TypeData::Struct(made)), Some(old)) = (made, before.structure(of).cloned()) else { return };
        let with = |member: &Member| Member {
            ty: self.known(member.ty, row).unwrap_or(member.ty),
            ..member.clone()
        };
        let members = old.members.iter().map(with).collect();
        after.set_struct(made, StructData { members, ..old });
    }
}

/// The types that pointers in an object of a type point to.
fn pointee_types(module: &Module, ty: Type) -> Vec<Type> {
    let (mut out, mut work, mut seen) = (Vec::new(), vec![ty], FxHashSet::default());
    while let Some(ty) = work.pop() {
        if !seen.insert(ty) {
            continue;
        }
        match *module.type_of(ty) {
            TypeData::Pointer { to, .. } => out.push(to),
            _ => work.extend(parts(module, ty)),
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn depth(module: &Module, ty: Type) -> Depth {
    let mut levels: Vec<Vec<Type>> = Vec::new();
    let mut at = pointee_types(module, ty);
    while !at.is_empty() {
        let back = levels.iter().position(|level| at.iter().all(|ty| level.contains(ty)));
        if back.is_some() || levels.len() == MAX_DEPTH {
            return (levels.len(), back.or(Some(0)));
        }
        let mut next: Vec<Type> = at.iter().flat_map(|&to| pointee_types(module, to)).collect();
        next.sort_unstable();
        next.dedup();
        levels.push(std::mem::replace(&mut at, next));
    }
    (levels.len(), None)
}
