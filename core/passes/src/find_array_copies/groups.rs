//! Groups of stores that copy parts of one place to parts of another.
//!
//! Read-only: the results are valid as long as the function is not changed.

use crate::util::memory::{Does, does, is_plain, survives};
use rustc_hash::FxHashSet;
use vitrine_analysis::{Alias, Overlap, Spot};
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::{DerefOp, Key, MemoryOp, Op, ValueType};
use vitrine_ir::{Block, FuncBody, Inst, Module, Type, TypeData};

/// Stores that together copy the whole of one place to another.
pub(super) struct Found {
    pub(super) to: Inst,
    pub(super) from: Inst,
    /// In program order.
    pub(super) stores: Vec<Inst>,
}

/// Maximum number of groups, and of sources, tracked at a time.
const MAX_TRACKED: usize = 64;

/// Two places, some parts of which have been copied.
struct Group {
    /// Places with a path to each.
    to: (Spot, Inst),
    from: (Spot, Inst),
    /// Number of parts that hold a value.
    needed: usize,
    /// Members or elements copied so far.
    parts: FxHashSet<u64>,
    /// Parts that consist of several stores, each a complete copy.
    inner: Vec<Found>,
    /// Stores of single values.
    stores: Vec<Inst>,
}

/// A part that was copied.
struct Part {
    to: Inst,
    from: Inst,
    what: PartStores,
}

enum PartStores {
    Store(Inst),
    Whole(Found),
}

/// Searches a function for copies.
pub(super) struct Search<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    alias: &'a Alias,
    pub(super) found: Vec<Found>,
    groups: Vec<Group>,
    /// Places of which a part was loaded, and the index of the instruction since which no write changed them.
    clean: Vec<(Spot, usize)>,
    /// Index of an instruction in its block.
    at: SideTable<Inst, Option<(Block, usize)>>,
}

impl<'a> Search<'a> {
    pub(super) fn new(module: &'a Module, body: &'a FuncBody, alias: &'a Alias) -> Search<'a> {
        let (found, groups, clean) = (Vec::new(), Vec::new(), Vec::new());
        Search { module, body, alias, found, groups, clean, at: SideTable::new() }
    }

    /// Searches a block.
    pub(super) fn block(&mut self, block: Block) {
        self.clean.clear();
        for (at, &inst) in self.body.block(block).insts.iter().enumerate() {
            self.at[inst] = Some((block, at));
            let data = self.body.inst(inst);
            let effect = does(self.alias, data);
            match effect {
                Does::Load(spot) => {
                    self.close(|alias, group| alias.overlap(group.to.0, spot) == Overlap::No);
                    self.record_source(inst, at);
                }
                Does::Store(_) => match self.part(block, inst) {
                    Some(part) => {
                        self.written(effect, &self.keys(&part));
                        self.add(part);
                    }
                    None => self.written(effect, &[]),
                },
                Does::Copy(..) | Does::Meets | Does::Calls | Does::Looks => self.written(effect, &[]),
                Does::Nothing => {}
            }
        }
        self.close(|_, _| false);
    }

    /// Records since when the aggregate that a load reads from has not been written.
    fn record_source(&mut self, load: Inst, at: usize) {
        let data = self.body.inst(load);
        let path = data.args.first().copied();
        let Some(whole) = path.and_then(|path| self.base(path)).and_then(|base| self.alias.spot(base)) else {
            return;
        };
        if self.clean.iter().any(|&(known, _)| known == whole) {
            return;
        }
        if self.clean.len() >= MAX_TRACKED {
            self.clean.remove(0);
        }
        self.clean.push((whole, at));
    }

    /// Closes groups that an instruction interferes with, except those of its own places.
    fn written(&mut self, effect: Does, own: &[(Spot, Spot)]) {
        let alias = self.alias;
        let unread = |spot: Spot| match effect {
            Does::Copy(_, from) => alias.overlap(spot, from) == Overlap::No,
            Does::Looks => survives(alias, spot, Does::Calls),
            Does::Nothing | Does::Load(_) | Does::Store(_) | Does::Meets | Does::Calls => true,
        };
        let unwritten = |spot: Spot| match effect {
            Does::Store(to) | Does::Copy(to, _) => alias.overlap(spot, to) == Overlap::No,
            Does::Meets | Does::Calls => survives(alias, spot, effect),
            Does::Nothing | Does::Looks | Does::Load(_) => true,
        };
        self.clean.retain(|&(spot, _)| unwritten(spot));
        self.close(|_, group| {
            let ours = own.contains(&(group.to.0, group.from.0));
            unwritten(group.from.0) && (ours || (unread(group.to.0) && unwritten(group.to.0)))
        });
    }

    /// Closes the groups that `is_undisturbed` rejects: the complete copies in them are reported as found.
    fn close(&mut self, is_undisturbed: impl Fn(&Alias, &Group) -> bool) {
        let mut at = 0;
        while let Some(group) = self.groups.get(at) {
            if is_undisturbed(self.alias, group) {
                at += 1;
                continue;
            }
            let group = self.groups.remove(at);
            self.found.extend(group.inner);
        }
    }

    /// Returns the two aggregates that a part belongs to.
    fn key(&self, part: &Part) -> Option<(Spot, Spot)> {
        let spot = |path| self.base(path).and_then(|base| self.alias.spot(base));
        spot(part.to).zip(spot(part.from))
    }

    /// Returns the aggregates that a part belongs to, innermost first, as long as it is the same part of both.
    fn keys(&self, part: &Part) -> Vec<(Spot, Spot)> {
        let (mut to, mut from, mut keys) = (part.to, part.from, Vec::new());
        while let Some((a, b)) = self.base(to).zip(self.base(from)) {
            let spots = self.alias.spot(a).zip(self.alias.spot(b));
            if self.step(to) != self.step(from) {
                break;
            }
            keys.extend(spots);
            (to, from) = (a, b);
        }
        keys
    }

    /// Returns the operand of a path whose last step is constant.
    fn base(&self, path: Inst) -> Option<Inst> {
        self.step(path).and_then(|_| self.body.inst(path).args.first().copied())
    }

    /// Returns the last step of a path if it is constant: the member or element.
    fn step(&self, path: Inst) -> Option<(DerefOp, u64)> {
        let data = self.body.inst(path);
        match data.op {
            Op::Deref(DerefOp::Field) => Some((DerefOp::Field, data.attrs.get(Key::Field)?)),
            Op::Deref(DerefOp::Elem) => {
                let index = self.body.const_of(*data.args.get(1)?)?;
                Some((DerefOp::Elem, self.module.bits_of(index).component(0).as_u64()))
            }
            _ => None,
        }
    }

    /// Returns a store of a loaded value as a part of a copy.
    fn part(&self, block: Block, store: Inst) -> Option<Part> {
        let data = self.body.inst(store);
        let [to, value] = data.args[..] else { return None };
        let load = self.body.inst(value);
        let whole = data.attrs.is_empty() && load.attrs.is_empty() && is_plain(load);
        if load.op != Op::Memory(MemoryOp::Load) || !whole || !matches!(load.ty, ValueType::Bits { .. }) {
            return None;
        }
        let from = *load.args.first()?;
        let base = self.base(from).and_then(|base| self.alias.spot(base))?;
        // If no invocation can write the source, the load may be anywhere.
        let fixed = self.alias.mode(base).is_some_and(|mode| !mode.is_writable());
        let here = self.at[value].filter(|&(def_block, _)| def_block == block).map(|(_, at)| at);
        let since = self.clean.iter().find(|&&(spot, _)| spot == base).map(|&(_, since)| since);
        let is_clean = here.zip(since).is_some_and(|(at, since)| since <= at);
        (fixed || is_clean).then_some(Part { to, from, what: PartStores::Store(store) })
    }

    /// Adds a part to its group. A complete group becomes a part of the enclosing one.
    fn add(&mut self, part: Part) {
        let mut part = Some(part);
        while let Some(now) = part.take() {
            let Some((at, step)) = self.group(&now) else {
                if let PartStores::Whole(found) = now.what {
                    self.found.push(found);
                }
                return;
            };
            let Some(group) = self.groups.get_mut(at) else { return };
            if !group.parts.insert(step) {
                // A part was copied again: the old group is closed, and this part starts a new one.
                let again =
                    Group { parts: FxHashSet::default(), inner: Vec::new(), stores: Vec::new(), ..*group };
                let old = std::mem::replace(group, again);
                self.found.extend(old.inner);
                group.parts.insert(step);
            }
            match now.what {
                PartStores::Store(store) => group.stores.push(store),
                PartStores::Whole(found) => group.inner.push(found),
            }
            if group.parts.len() < group.needed {
                return;
            }
            let group = self.groups.remove(at);
            let mut stores = group.stores;
            stores.extend(group.inner.into_iter().flat_map(|found| found.stores));
            stores.sort_by_key(|&store| self.at[store].map_or(0, |(_, at)| at));
            let what = PartStores::Whole(Found { to: group.to.1, from: group.from.1, stores });
            part = Some(Part { to: group.to.1, from: group.from.1, what });
        }
    }

    /// Returns the group of a part, created if missing, and the index of the part in it.
    fn group(&mut self, part: &Part) -> Option<(usize, u64)> {
        let (to, from) = self.key(part)?;
        let (step, other) = (self.step(part.to)?, self.step(part.from)?);
        if step != other {
            return None;
        }
        let known = self.groups.iter().position(|group| (group.to.0, group.from.0) == (to, from));
        if let Some(at) = known {
            let within = self.groups.get(at).is_some_and(|group| step.1 < group.needed as u64);
            return within.then_some((at, step.1));
        }
        let (to_path, from_path) = (self.base(part.to)?, self.base(part.from)?);
        let ty = |path| self.module.path_type(self.body, path).map(|path| path.ty);
        let (a, b) = (ty(to_path)?, ty(from_path)?);
        let disjoint = self.alias.overlap(to, from) == Overlap::No;
        let watched = self.alias.is_watched(to) || self.alias.is_watched(from);
        if !disjoint || watched || !self.module.alike(a, b) {
            return None;
        }
        let needed = self.parts(a).filter(|&needed| step.1 < needed as u64)?;
        if self.groups.len() >= MAX_TRACKED {
            let oldest = self.groups.remove(0);
            self.found.extend(oldest.inner);
        }
        self.groups.push(Group {
            to: (to, to_path),
            from: (from, from_path),
            needed,
            parts: FxHashSet::default(),
            inner: Vec::new(),
            stores: Vec::new(),
        });
        Some((self.groups.len() - 1, step.1))
    }

    /// Returns the number of members, elements or columns of a type; none if some hold no value, or the type is a
    /// single value.
    fn parts(&self, ty: Type) -> Option<usize> {
        if self.module.value_type(ty).is_some() {
            return None;
        }
        match self.module.type_of(ty) {
            TypeData::Struct(structure) => Some(self.module.structure(*structure)?.members.len()),
            _ => self.module.element_count(ty).map(|count| count as usize),
        }
        .filter(|&count| count > 0)
    }
}
