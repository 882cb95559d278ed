//! `load-store-vectorize`: combines adjacent loads and stores into vector accesses.
//!
//! ```text
//! %3: path = deref.elem %v, %zero           %8: b32x4 = load %v
//! %4: b32 = load %3                   =>    %4: b32 = swizzle %8.x
//! %5: path = deref.elem %v, %two            %6: b32 = swizzle %8.z
//! %6: b32 = load %5
//!
//! %3: b32 = io.ssbo %i, %at                 %5: b32x2 = io.ssbo %i, %at
//!   {set 0, binding 1, offset 4}              {set 0, binding 1, offset 4}
//! %4: b32 = io.ssbo %i, %at           =>    %3: b32 = swizzle %5.x
//!   {set 0, binding 1, offset 8}            %4: b32 = swizzle %5.y
//! ```
//!
//! An address is a base, indices known only at run time with their strides, and a number of bytes. Accesses of a block
//! with the same base and indices lie a known distance apart; those that touch or overlap become one access of up to
//! four components. Loads come as early as the first of them, stores as late as the last, and only where nothing between
//! them may write, or look at, the same memory (`analysis::Alias`, and the distances). Barriers, atomics, calls and what
//! ends invocations end everything; volatile and coherent accesses are left alone, and so is memory without a layout.
//!
//! Untyped pointers are looked through, step by step (`analysis::Addresses`). An index may be below 0 unless its
//! step says how
//! far it may reach: then it must come after the same bytes, since no step leads back into memory. Of two variables,
//! accesses do not
//! disturb each other; past the known size of a variable they are left alone.
//!
//! `components` only does what every target can say: components of one vector are read at once, in any memory (their stores are
//! for `combine-stores`). With the other words an access may be to anything in a row: by set and binding, by an untyped
//! pointer, and through a path that is seen as a vector (`deref.cast`), which logical SPIR-V cannot say. With `aligned`
//! a vector of two components begins at a multiple of its size, one of three or four at a multiple of four
//! components, as far as
//! offsets, strides and `align` tell.
//!
//! All of an access is where parts of it were accessed before. Who counts on robust access to a buffer that ends in the
//! middle of what is now one access may see all of it taken for outside. An index that is a sum is taken not to wrap
//! round, since such an element would be outside. Components of different widths are not mixed. 64 bases are known at once.
//! NIR: `nir_opt_load_store_vectorize`, where a driver says what fits.

mod address;

use super::pass::{OptionInfo, PassInfo};
use crate::analysis::{Addresses, Alias, Overlap, Spot, changes, offset_of, sharing};
use crate::base::EntityId;
use crate::base::opening::opening;
use crate::ir::{
    Args, Attrs, Block, Builder, Editor, InsertPoint, Inst, InstData, Module, Reason, Refusal, Type,
    TypeData, Var,
};
use crate::ops::{DerefOp, IoOp, Key, MemoryOp, Op, ValueType};
use crate::passes::util::memory::{Does, does, is_relaxed};
use crate::passes::util::memory::{WATCHED, has_watched_members};
use crate::passes::util::open::in_order;
use address::{Address, Root, again, component_bytes, index_again};
use rustc_hash::FxHashSet;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Combines adjacent loads and stores into vector accesses.",
    options: &[
        OptionInfo::Word("components", "Combines accesses to components of one vector."),
        OptionInfo::Word(
            "aligned",
            "Whatever lies in a row, where vectors begin at multiples of their size.",
        ),
        OptionInfo::Word("scalar", "Like `aligned`, but a vector may start at any component."),
    ],
    idempotent: false, // a load that came early, a store that came late, may make way for others
    ..PassInfo::edits("load-store-vectorize", opening!("mod.rs"), |ed, options| {
        load_store_vectorize(ed, options.word)
    })
};

const WHY: Reason = Reason::Note("adjacent accesses are combined");

/// Most groups known at once.
const MOST_KNOWN: usize = 64;

/// Most components of one access.
const MOST_COMPONENTS: i64 = 4;

/// Accesses of a group that are looked at one by one.
const MOST_COMPARED: usize = 64;

/// A load or a store.
#[derive(Clone)]
struct Access {
    inst: Inst,
    /// Components from the start of its group's vector, or bytes from its base.
    start: i64,
    end: i64,
    /// Which of its group, in order of the program.
    nth: usize,
    address: Option<Address>,
}

/// Accesses with one base, in order of the program.
struct Group {
    kind: Kind,
    is_store: bool,
    /// Bytes of a component.
    component: i64,
    /// The place of the first access, or of the vector.
    spot: Option<Spot>,
    all: Vec<Access>,
    /// Of loads: bytes from their base that were stored to since the first of them. A load of those cannot come so early.
    written: Vec<(i64, i64)>,
}

/// What the accesses of a group have in common.
enum Kind {
    /// They are components of a vector: its path, where the first access stands, and its type.
    Components(Inst, ValueType),
    /// They lie a known distance apart.
    Bytes,
}

/// Vectorises. Near-linear; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
fn load_store_vectorize(ed: &mut Editor<'_>, word: &'static str) -> Result<(), Refusal> {
    let watched = |attrs: &Attrs| attrs.get(Key::Access).is_some_and(|access| access & WATCHED != 0);
    let any_watched = ed.module().vars().any(|(_, data)| watched(&data.attrs))
        || ed.module().structs().any(|(_, data)| data.members.iter().any(|member| watched(&member.attrs)));
    for by_bytes in [false, true] {
        if by_bytes && word == "components" {
            break;
        }
        let blocks = in_order(ed.func());
        let alias = Alias::of(ed.module(), ed.func());
        let addresses = Addresses::of(ed.module(), ed.func());
        let facts = Facts { alias, addresses, sharing: sharing(ed.module()), any_watched };
        let find = |block| Finder::groups(ed, &facts, block, by_bytes);
        let groups: Vec<Group> = blocks.into_iter().flat_map(find).collect();
        for group in groups {
            let runs = match group.kind {
                Kind::Components(..) => vec![group.all.clone()],
                Kind::Bytes => group.runs(ed, word == "aligned"),
            };
            for run in runs {
                if !ed.consume_fuel() {
                    return Ok(());
                }
                match group.kind {
                    Kind::Components(vector, ty) => load_vector(ed, vector, ty, &run)?,
                    Kind::Bytes if group.is_store => group.store(ed, &run)?,
                    Kind::Bytes => group.load(ed, &run)?,
                }
            }
        }
    }
    Ok(())
}

/// What is known of a function.
struct Facts {
    alias: Alias,
    addresses: Addresses,
    /// Variables that may share memory with another one.
    sharing: FxHashSet<Var>,
    /// Some buffer is volatile or coherent.
    any_watched: bool,
}

impl Facts {
    /// Whether two groups are of two variables that have no byte in common.
    fn are_apart(&self, a: &Group, b: &Group) -> bool {
        let var = |group: &Group| group.first().and_then(|address| address.var);
        let shares = |var| self.sharing.contains(&var);
        var(a).zip(var(b)).is_some_and(|(a, b)| a != b && !(shares(a) && shares(b)))
    }

    /// Whether others see every access to a variable through an untyped pointer, or it changes by itself.
    fn is_watched(&self, module: &Module, var: Var) -> bool {
        module.var(var).is_none_or(|data| {
            let own = data.attrs.get(Key::Access).unwrap_or(0) & WATCHED != 0;
            changes(data) || self.any_watched && (own || has_watched_members(module, data))
        })
    }
}

/// Groups of a block that may still grow, and those that are done.
struct Finder<'a, 'm> {
    ed: &'a Editor<'m>,
    alias: &'a Alias,
    facts: &'a Facts,
    open: Vec<Group>,
    done: Vec<Group>,
}

impl Finder<'_, '_> {
    fn groups(ed: &Editor<'_>, facts: &Facts, block: Block, by_bytes: bool) -> Vec<Group> {
        let mut finder = Finder { ed, alias: &facts.alias, facts, open: Vec::new(), done: Vec::new() };
        for &inst in ed.func().block(block).insts.iter() {
            let data = ed.func().inst(inst);
            let found = if by_bytes { finder.by_bytes(inst, data) } else { finder.component(inst, data) };
            match found {
                Some(group) => finder.add(group),
                None => finder.meet(data),
            }
        }
        finder.close(|_| true);
        finder.done
    }

    /// A group of one access: a load of a component of a vector, or of a whole one.
    fn component(&self, inst: Inst, data: &InstData) -> Option<Group> {
        let plain = data.op == Op::Memory(MemoryOp::Load) && data.attrs.is_empty();
        let &path = data.args.first().filter(|_| plain)?;
        let step = self.ed.func().inst(path);
        let vector = |path: Inst| {
            let ty = self.ed.module().path_type(self.ed.func(), path)?.ty;
            let is_vector = matches!(self.ed.module().type_of(ty), TypeData::Vector { .. });
            let ty = self.ed.module().value_type(ty).filter(|_| is_vector)?;
            let spot = self.alias.spot(path).filter(|&spot| !self.alias.is_watched(spot))?;
            Some((path, ty, spot))
        };
        let (path, ty, spot, components) = match (step.op, &step.args[..]) {
            (Op::Deref(DerefOp::Elem), &[whole, index]) if let Some((path, ty, spot)) = vector(whole) => {
                let component = i64::from(u8::try_from(self.ed.bits_of(index)?.component(0).as_u64()).ok()?);
                (path, ty, spot, component..component + 1)
            }
            _ => {
                let (path, ty, spot) = vector(path)?;
                (path, ty, spot, 0..i64::from(ty.components()))
            }
        };
        let fits = components.end <= i64::from(ty.components());
        let access = Access { inst, start: components.start, end: components.end, nth: 0, address: None };
        let kind = Kind::Components(path, ty);
        fits.then(|| Group {
            kind,
            is_store: false,
            component: 1,
            spot: Some(spot),
            all: vec![access],
            written: Vec::new(),
        })
    }

    /// A group of one access with a known address.
    fn by_bytes(&self, inst: Inst, data: &InstData) -> Option<Group> {
        const TAKEN: [Key; 7] =
            [Key::Align, Key::Access, Key::Offset, Key::Set, Key::Binding, Key::Type, Key::Mode];
        if !is_relaxed(data) || data.attrs.iter().any(|attr| !TAKEN.contains(&attr.key)) {
            return None;
        }
        let is_store = matches!(data.op, Op::Memory(MemoryOp::Store) | Op::Io(IoOp::SetSsbo));
        let ty = match is_store {
            true => self.ed.func().ty(stored(data)?),
            false => data.ty,
        };
        let component = i64::try_from(component_bytes(ty)?).ok()?;
        let address = Address::of(self.ed, &self.facts.addresses, data)?;
        let path = data.args.first().filter(|&&path| self.ed.func().ty(path) == ValueType::Path);
        // What is seen as another type is where it was.
        let mut seen = path.copied();
        while let Some(path) = seen.map(|path| self.ed.func().inst(path)) {
            if path.op != Op::Deref(DerefOp::Cast) {
                break;
            }
            seen = path.args.first().copied();
        }
        let spot = seen.and_then(|path| self.alias.spot(path));
        let watched = match (address.base.root, spot) {
            (Root::Var(_), Some(spot)) => self.alias.is_watched(spot),
            (Root::Var(_), None) => true,
            (Root::Bytes(var), _) => self.facts.is_watched(self.ed.module(), var),
            // What a path or a pointer from elsewhere leads to may be declared as anything.
            (Root::Value(_) | Root::Bound(..), _) => self.facts.any_watched,
        };
        let end = address.offset + i64::from(ty.components()) * component;
        let access = Access { inst, start: address.offset, end, nth: 0, address: Some(address) };
        (!watched).then(|| Group {
            kind: Kind::Bytes,
            is_store,
            component,
            spot,
            all: vec![access],
            written: Vec::new(),
        })
    }

    /// Adds an access to its group; those that it may disturb end.
    fn add(&mut self, new: Group) {
        let (alias, facts) = (self.alias, self.facts);
        let is_store = new.is_store;
        self.close(|group| {
            let orders = (is_store || group.is_store) && !group.takes(&new);
            let disturbs = orders && !facts.are_apart(group, &new) && group.meets(&new, alias);
            disturbs || group.takes(&new) && group.is_late(&new)
        });
        if is_store {
            let of_base = |group: &&mut Group| !group.is_store && group.is_same_base(&new);
            for group in self.open.iter_mut().filter(of_base) {
                group.written.extend(new.all.iter().map(|access| (access.start, access.end)));
            }
        }
        if let Some(group) = self.open.iter_mut().find(|group| group.takes(&new)) {
            let nth = group.all.len();
            group.all.extend(new.all.into_iter().map(|access| Access { nth, ..access }));
            return;
        }
        if self.open.len() >= MOST_KNOWN {
            self.close_first();
        }
        self.open.push(new);
    }

    /// Ends the groups that an instruction disturbs.
    fn meet(&mut self, data: &InstData) {
        let alias = self.alias;
        let near = |group: &Group, spot: Spot| match group.spot {
            _ if group.is_constant() => false,
            Some(own) if matches!(group.kind, Kind::Components(..)) => {
                alias.overlap(own, spot) != Overlap::No
            }
            Some(own) => alias.is_one_variable(own, spot) || alias.overlap(own, spot) != Overlap::No,
            None => true,
        };
        match does(alias, data) {
            // An access by set and binding, or a fetch, says no place.
            Does::Nothing => {}
            Does::Looks => self.close(|group| group.is_store),
            Does::Load(spot) => self.close(|group| group.is_store && near(group, spot)),
            Does::Store(spot) => self.close(|group| near(group, spot)),
            Does::Copy(to, from) => {
                self.close(|group| near(group, to) || (group.is_store && near(group, from)));
            }
            Does::Meets | Does::Calls => self.close(|_| true),
        }
    }

    fn close(&mut self, ends: impl Fn(&Group) -> bool) {
        let mut at = 0;
        while let Some(group) = self.open.get(at) {
            if !ends(group) {
                at += 1;
                continue;
            }
            let group = self.open.remove(at);
            self.done.extend(group.is_worth_it().then_some(group));
        }
    }

    fn close_first(&mut self) {
        let group = self.open.remove(0);
        self.done.extend(group.is_worth_it().then_some(group));
    }
}

/// What a store stores.
fn stored(data: &InstData) -> Option<Inst> {
    data.args.get(usize::from(data.op == Op::Memory(MemoryOp::Store))).copied()
}

impl Group {
    fn first(&self) -> Option<&Address> {
        self.all.first().and_then(|access| access.address.as_ref())
    }

    fn is_constant(&self) -> bool {
        self.first().is_some_and(Address::is_constant)
    }

    fn is_same_base(&self, other: &Group) -> bool {
        match (&self.kind, &other.kind) {
            (Kind::Components(..), Kind::Components(..)) => self.spot == other.spot,
            (Kind::Bytes, Kind::Bytes) => {
                self.first().zip(other.first()).is_some_and(|(a, b)| a.base == b.base)
            }
            (Kind::Components(..), Kind::Bytes) | (Kind::Bytes, Kind::Components(..)) => false,
        }
    }

    /// Whether an access belongs to a group.
    fn takes(&self, new: &Group) -> bool {
        self.is_store == new.is_store && self.component == new.component && self.is_same_base(new)
    }

    /// Whether an access may be to memory of a group. What is said of one access of a group holds of all: with one base
    /// the distance decides, with two the variables do.
    fn meets(&self, new: &Group, alias: &Alias) -> bool {
        if self.is_same_base(new) {
            let inside = |access: &Access| {
                new.all.iter().any(|other| access.start < other.end && other.start < access.end)
            };
            return self.all.len() > MOST_COMPARED || self.all.iter().any(inside);
        }
        if self.is_constant() || new.is_constant() {
            return false;
        }
        match (self.spot, new.spot) {
            (Some(a), Some(b)) => alias.is_one_variable(a, b) || alias.overlap(a, b) != Overlap::No,
            _ => true,
        }
    }

    /// Whether bytes of a load were stored to since the first load of its group.
    fn is_late(&self, new: &Group) -> bool {
        let over = |&(start, end): &(i64, i64)| {
            new.all.iter().any(|access| access.start < end && start < access.end)
        };
        self.written.len() > MOST_COMPARED || self.written.iter().any(over)
    }

    /// Whether there is anything to put together: for components, more than one of them.
    fn is_worth_it(&self) -> bool {
        match self.kind {
            Kind::Bytes => self.all.len() > 1,
            Kind::Components(..) => {
                let first = self.all.first().map(|access| (access.start, access.end));
                self.all.iter().any(|access| Some((access.start, access.end)) != first)
            }
        }
    }

    /// The runs of accesses that become one, each with more than one of them.
    fn runs(&self, ed: &Editor<'_>, aligned: bool) -> Vec<Vec<Access>> {
        let mut all = self.all.clone();
        all.sort_by_key(|access| access.start);
        let mut out = Vec::new();
        let mut rest = &all[..];
        // Stores change places with others of their group: a run has all there are to its bytes.
        let mut reached = i64::MIN;
        while let Some(first) = rest.first() {
            let (mut end, mut taken) = (first.start, 0);
            for (at, access) in rest.iter().enumerate() {
                let touches = access.start <= end.max(first.start)
                    && (access.start - first.start) % self.component == 0;
                if !touches || access.end - first.start > MOST_COMPONENTS * self.component {
                    break;
                }
                end = end.max(access.end);
                if !aligned || self.is_aligned(ed, first, (end - first.start) / self.component) {
                    taken = at + 1;
                }
            }
            let (run, after) = rest.split_at(taken.max(1));
            let own = run.iter().map(|access| access.end).max().unwrap_or(first.end);
            let shared = first.start < reached || after.first().is_some_and(|next| next.start < own);
            reached = reached.max(own);
            if run.len() > 1 && !(self.is_store && shared) {
                out.push(run.to_vec());
            }
            rest = after;
        }
        out
    }

    /// Whether a vector of so many components may begin where an access does.
    fn is_aligned(&self, ed: &Editor<'_>, first: &Access, components: i64) -> bool {
        let wanted = self.component * if components > 2 { 4 } else { components };
        let said = ed.func().inst(first.inst).attrs.get(Key::Align);
        first.address.as_ref().is_some_and(|address| address.align(said) >= wanted.unsigned_abs())
    }

    /// The access of a run as one, without its value: made where the cursor is.
    fn whole(
        b: &mut Builder<'_, '_>,
        run: &[Access],
        (ty, full): (ValueType, Option<Type>),
        is_early: bool,
    ) -> Option<InstData> {
        let lowest = run.first()?;
        let data = b.editor().func().inst(lowest.inst).clone();
        let at = usize::from(data.op == Op::Io(IoOp::SetSsbo));
        let mut args = data.args.to_vec();
        let address = lowest.address.as_ref()?;
        if let Some(full) = full {
            let &path = args.first()?;
            let path = if is_early { again(b, path)? } else { path };
            *args.first_mut()? = seen_as(b, path, address, full, ty);
        } else if is_early {
            for arg in args.iter_mut().skip(at) {
                *arg = index_again(b, *arg);
            }
        }
        let attrs = Attrs::from_list(data.attrs.iter().filter(|attr| attr.key != Key::Access).collect());
        let access = run.iter().fold(0, |all, access| {
            all | b.editor().func().inst(access.inst).attrs.get(Key::Access).unwrap_or(0)
        });
        let attrs = if access == 0 { attrs } else { attrs.with(Key::Access, access) };
        Some(InstData { args: Args::new(&args), attrs, ..data })
    }

    /// Loads a run at once, where the first of its loads stands.
    fn load(&self, ed: &mut Editor<'_>, run: &[Access]) -> Result<(), Refusal> {
        let Some(lowest) = run.first() else { return Ok(()) };
        let end = run.iter().map(|access| access.end).max().unwrap_or(lowest.end);
        let count = u8::try_from((end - lowest.start) / self.component).unwrap_or(1);
        let ty = ed.func().ty(lowest.inst).with_components(count);
        let Some(first) = run.iter().min_by_key(|access| access.nth) else { return Ok(()) };
        let full = full_type(ed, lowest, count);
        let mut b = ed.build(InsertPoint::Before(first.inst), WHY);
        let data = Group::whole(&mut b, run, (ty, full), first.inst != lowest.inst);
        let data = data.and_then(|data| from_pointer(b.editor(), data, first, lowest));
        let Some(data) = data else { return b.finish() };
        let all = b.emit_with(InstData { ty, ..data });
        b.finish()?;
        let from = |access: &Access| (access.start - lowest.start) / self.component;
        pick(ed, all, run.iter().map(|access| (access.inst, from(access))))
    }

    /// Stores a run at once, where the last of its stores stands.
    fn store(&self, ed: &mut Editor<'_>, run: &[Access]) -> Result<(), Refusal> {
        let Some(lowest) = run.first() else { return Ok(()) };
        let end = run.iter().map(|access| access.end).max().unwrap_or(lowest.end);
        let count = (end - lowest.start) / self.component;
        let mut in_order: Vec<&Access> = run.iter().collect();
        in_order.sort_by_key(|access| access.nth);
        let full = full_type(ed, lowest, u8::try_from(count).unwrap_or(1));
        let Some((last, earlier)) = in_order.split_last() else { return Ok(()) };
        let mut components: Vec<Option<Inst>> = vec![None; usize::try_from(count).unwrap_or(0)];
        let mut b = ed.build(InsertPoint::Before(last.inst), WHY);
        for access in &in_order {
            let Some(value) = stored(b.editor().func().inst(access.inst)) else { continue };
            let ty = b.editor().func().ty(value);
            for component in 0..ty.components() {
                let at = (access.start - lowest.start) / self.component + i64::from(component);
                let part = if ty.components() == 1 { value } else { b.swizzle(value, &[component]) };
                if let Some(slot) = usize::try_from(at).ok().and_then(|at| components.get_mut(at)) {
                    *slot = Some(part);
                }
            }
        }
        let parts: Vec<Inst> = components.into_iter().flatten().collect();
        let value = if let [one] = parts[..] { one } else { b.vec(&parts) };
        let ty = b.editor().func().ty(value);
        let data = Group::whole(&mut b, run, (ty, full), false);
        b.finish()?;
        let Some(data) = data else { return Ok(()) };
        let mut args = data.args.to_vec();
        if let Some(slot) = args.get_mut(usize::from(data.op == Op::Memory(MemoryOp::Store))) {
            *slot = value;
        }
        ed.rewrite(last.inst, InstData { args: Args::new(&args), ..data }, WHY)?;
        earlier.iter().try_for_each(|access| ed.erase(access.inst, WHY))
    }
}

/// A load where the first of its loads stands, through the pointer of that one: that of the lowest may come later. None
/// where the distance between them cannot be said.
fn from_pointer(ed: &Editor<'_>, data: InstData, first: &Access, lowest: &Access) -> Option<InstData> {
    let own = ed.func().inst(first.inst);
    let &pointer = own.args.first()?;
    if data.op != Op::Memory(MemoryOp::Load) || ed.func().ty(pointer) != ValueType::Ptr {
        return Some(data);
    }
    let offset = offset_of(own).checked_add(lowest.start.checked_sub(first.start)?)?;
    let attrs = match i32::try_from(offset).ok()? {
        0 => data.attrs.without(Key::Offset),
        _ => data.attrs.with(Key::Offset, offset as u64),
    };
    Some(InstData { args: Args::new(&[pointer]), attrs, ..data })
}

/// The full type of so many components of what a path leads to; none for what is reached without one.
fn full_type(ed: &mut Editor<'_>, lowest: &Access, components: u8) -> Option<Type> {
    let of = lowest.address.as_ref()?.scalar?;
    Some(if components == 1 { of } else { ed.full_type(TypeData::Vector { of, components }) })
}

/// The path as one to a vector; itself where it is.
fn seen_as(b: &mut Builder<'_, '_>, path: Inst, address: &Address, full: Type, ty: ValueType) -> Inst {
    let (Some(mode), Some(is)) = (address.mode, b.editor().module().path_type(b.editor().func(), path))
    else {
        return path;
    };
    if b.editor().module().value_type(is.ty) == Some(ty) {
        return path;
    }
    // One view of it is enough.
    let under = b.editor().func().inst(path);
    let under = if under.op == Op::Deref(DerefOp::Cast) { under.args.first().copied() } else { None };
    let cast = InstData::new(DerefOp::Cast, ValueType::Path, &[under.unwrap_or(path)]);
    b.emit_with(cast.with(Key::Type, full.index() as u64).with(Key::Mode, mode as u64))
}

/// Reads a vector whole, where the first of the loads of its components stands.
fn load_vector(ed: &mut Editor<'_>, vector: Inst, ty: ValueType, run: &[Access]) -> Result<(), Refusal> {
    let Some(first) = run.first() else { return Ok(()) };
    let mut b = ed.build(InsertPoint::Before(first.inst), WHY);
    let all = b.emit_with(InstData::new(MemoryOp::Load, ty, &[vector]));
    b.finish()?;
    pick(ed, all, run.iter().map(|access| (access.inst, access.start)))
}

/// Lets loads be components of one load, each from its first on.
fn pick(ed: &mut Editor<'_>, all: Inst, parts: impl Iterator<Item = (Inst, i64)>) -> Result<(), Refusal> {
    let whole = ed.func().ty(all);
    for (part, from) in parts {
        let ty = ed.func().ty(part);
        if ty == whole {
            ed.replace(part, all, WHY)?;
            continue;
        }
        let first = u8::try_from(from).unwrap_or(0);
        let components: Vec<u8> = (first..first.saturating_add(ty.components())).collect();
        ed.rewrite(part, crate::passes::util::components::swizzle(all, whole, &components), WHY)?;
    }
    Ok(())
}
