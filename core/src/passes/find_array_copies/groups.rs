//! Groups of stores that copy parts of one place to parts of another.
//!
//! Only looks: what was found holds for the function as it is.

use crate::analysis::{Alias, Overlap, Spot};
use crate::base::SideTable;
use crate::ir::{Block, FuncBody, Inst, Module, Type, TypeData};
use crate::ops::{DerefOp, Key, MemoryOp, Op, ValueType};
use crate::passes::util::memory::{Does, does, is_plain, survives};
use rustc_hash::FxHashSet;

/// Stores that together copy all of one place to another.
pub(super) struct Found {
    pub(super) to: Inst,
    pub(super) from: Inst,
    /// In order.
    pub(super) stores: Vec<Inst>,
}

/// Most groups, and most sources, known at once.
const MOST_KNOWN: usize = 64;

/// Two places of which parts were copied so far.
struct Group {
    /// Places and a path to each.
    to: (Spot, Inst),
    from: (Spot, Inst),
    /// Parts that hold anything.
    needed: usize,
    /// Members or elements that are there.
    parts: FxHashSet<u64>,
    /// Those of them that are more than one store, each a copy by itself.
    inner: Vec<Found>,
    /// Stores of one value.
    stores: Vec<Inst>,
}

/// A part that was copied.
struct Part {
    to: Inst,
    from: Inst,
    what: What,
}

enum What {
    Store(Inst),
    Whole(Found),
}

/// The walk.
pub(super) struct Search<'a> {
    module: &'a Module,
    body: &'a FuncBody,
    alias: &'a Alias,
    pub(super) found: Vec<Found>,
    groups: Vec<Group>,
    /// Wholes of which a part was loaded, and the instruction of the block from which on nobody wrote there.
    clean: Vec<(Spot, usize)>,
    /// Where in the block at hand an instruction is.
    at: SideTable<Inst, Option<(Block, usize)>>,
}

impl<'a> Search<'a> {
    pub(super) fn new(module: &'a Module, body: &'a FuncBody, alias: &'a Alias) -> Search<'a> {
        let (found, groups, clean) = (Vec::new(), Vec::new(), Vec::new());
        Search { module, body, alias, found, groups, clean, at: SideTable::new() }
    }

    /// Looks through a block.
    pub(super) fn block(&mut self, block: Block) {
        self.clean.clear();
        for (at, &inst) in self.body.block(block).insts.iter().enumerate() {
            self.at[inst] = Some((block, at));
            let data = self.body.inst(inst);
            let doing = does(self.alias, data);
            match doing {
                Does::Load(spot) => {
                    self.end(|alias, group| alias.overlap(group.to.0, spot) == Overlap::No);
                    self.begin_source(inst, at);
                }
                Does::Store(_) => match self.part(block, inst) {
                    Some(part) => {
                        self.written(doing, &self.keys(&part));
                        self.add(part);
                    }
                    None => self.written(doing, &[]),
                },
                Does::Copy(..) | Does::Meets | Does::Calls | Does::Looks => self.written(doing, &[]),
                Does::Nothing => {}
            }
        }
        self.end(|_, _| false);
    }

    /// Remembers since when nobody wrote the place around what a load reads.
    fn begin_source(&mut self, load: Inst, at: usize) {
        let data = self.body.inst(load);
        let path = data.args.first().copied();
        let Some(whole) = path.and_then(|path| self.base(path)).and_then(|base| self.alias.spot(base)) else {
            return;
        };
        if self.clean.iter().any(|&(known, _)| known == whole) {
            return;
        }
        if self.clean.len() >= MOST_KNOWN {
            self.clean.remove(0);
        }
        self.clean.push((whole, at));
    }

    /// Ends what an instruction may disturb, but for groups of these places.
    fn written(&mut self, doing: Does, own: &[(Spot, Spot)]) {
        let alias = self.alias;
        let unread = |spot: Spot| match doing {
            Does::Copy(_, from) => alias.overlap(spot, from) == Overlap::No,
            Does::Looks => survives(alias, spot, Does::Calls),
            Does::Nothing | Does::Load(_) | Does::Store(_) | Does::Meets | Does::Calls => true,
        };
        let unwritten = |spot: Spot| match doing {
            Does::Store(to) | Does::Copy(to, _) => alias.overlap(spot, to) == Overlap::No,
            Does::Meets | Does::Calls => survives(alias, spot, doing),
            Does::Nothing | Does::Looks | Does::Load(_) => true,
        };
        self.clean.retain(|&(spot, _)| unwritten(spot));
        self.end(|_, group| {
            let ours = own.contains(&(group.to.0, group.from.0));
            unwritten(group.from.0) && (ours || (unread(group.to.0) && unwritten(group.to.0)))
        });
    }

    /// Ends the groups that do not stay: what is complete in them was found.
    fn end(&mut self, stays: impl Fn(&Alias, &Group) -> bool) {
        let mut at = 0;
        while let Some(group) = self.groups.get(at) {
            if stays(self.alias, group) {
                at += 1;
                continue;
            }
            let group = self.groups.remove(at);
            self.found.extend(group.inner);
        }
    }

    /// The two wholes that a part belongs to.
    fn key(&self, part: &Part) -> Option<(Spot, Spot)> {
        let spot = |path| self.base(path).and_then(|base| self.alias.spot(base));
        spot(part.to).zip(spot(part.from))
    }

    /// The wholes that a part belongs to, inside out, as long as it is the same part of both.
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

    /// What a path goes one constant step further than.
    fn base(&self, path: Inst) -> Option<Inst> {
        self.step(path).and_then(|_| self.body.inst(path).args.first().copied())
    }

    /// The last step of a path, if it is by a constant: which member, which element.
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

    /// A store of what was loaded, as a part of a copy.
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
        // From what nobody can write it may have been loaded anywhere.
        let fixed = self.alias.mode(base).is_some_and(|mode| !mode.is_writable());
        let here = self.at[value].filter(|&(home, _)| home == block).map(|(_, at)| at);
        let since = self.clean.iter().find(|&&(spot, _)| spot == base).map(|&(_, since)| since);
        let is_clean = here.zip(since).is_some_and(|(at, since)| since <= at);
        (fixed || is_clean).then_some(Part { to, from, what: What::Store(store) })
    }

    /// Adds a part to the group it belongs to, and that to the next one where it is complete.
    fn add(&mut self, part: Part) {
        let mut part = Some(part);
        while let Some(now) = part.take() {
            let Some((at, step)) = self.group(&now) else {
                if let What::Whole(found) = now.what {
                    self.found.push(found);
                }
                return;
            };
            let Some(group) = self.groups.get_mut(at) else { return };
            if !group.parts.insert(step) {
                // The same part again: what was there is over, and this is the first of something new.
                let again =
                    Group { parts: FxHashSet::default(), inner: Vec::new(), stores: Vec::new(), ..*group };
                let old = std::mem::replace(group, again);
                self.found.extend(old.inner);
                group.parts.insert(step);
            }
            match now.what {
                What::Store(store) => group.stores.push(store),
                What::Whole(found) => group.inner.push(found),
            }
            if group.parts.len() < group.needed {
                return;
            }
            let group = self.groups.remove(at);
            let mut stores = group.stores;
            stores.extend(group.inner.into_iter().flat_map(|found| found.stores));
            stores.sort_by_key(|&store| self.at[store].map_or(0, |(_, at)| at));
            let what = What::Whole(Found { to: group.to.1, from: group.from.1, stores });
            part = Some(Part { to: group.to.1, from: group.from.1, what });
        }
    }

    /// The group of a part, made where there is none, and which part of it that is.
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
        let apart = self.alias.overlap(to, from) == Overlap::No;
        let watched = self.alias.is_watched(to) || self.alias.is_watched(from);
        if !apart || watched || !self.module.alike(a, b) {
            return None;
        }
        let needed = self.parts(a).filter(|&needed| step.1 < needed as u64)?;
        if self.groups.len() >= MOST_KNOWN {
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

    /// How many members, elements or columns a type has; none where some hold nothing, or it is one value.
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
