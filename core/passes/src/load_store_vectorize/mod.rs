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
//! An address is a base, indices known only at run time with their strides, and a number of bytes. Accesses of a
//! block with the same base and indices are a known distance apart; those that are adjacent or overlap are
//! combined into one access of up to four components. The combined load is at the first of the loads, the combined
//! store at the last of the stores, and only if no instruction between them may write, or read, the same memory
//! (`analysis::Alias`, and the distances). Barriers, atomics, calls and the end of invocations close all groups;
//! volatile and coherent accesses are left alone, and so is memory without a layout.
//!
//! Untyped pointers are followed step by step (`analysis::Addresses`). An index may be negative unless its step
//! declares a range; without a range, two accesses match only if the constant bytes before the step are equal,
//! since no later step returns into memory. Accesses to two different variables do not interfere; those past the
//! known size of a variable are left alone.
//!
//! `components` supports every target: it combines loads of components of one vector, in any memory (stores are
//! combined by `combine-stores`). With the other words any adjacent data may be combined: by set and binding, by
//! an untyped pointer, and through a path cast to a vector (`deref.cast`), which logical SPIR-V cannot express.
//! With `aligned`, a vector of two components starts at a multiple of its size, and one of three or four at a
//! multiple of four components, as far as offsets, strides and `align` prove it.
//!
//! The combined access covers only memory that was accessed before. With robust buffer access, if a buffer ends in
//! the middle of a combined access, all of it may count as out of bounds. An index that is a sum is assumed not to
//! wrap, since such an element would be out of bounds. Components of different widths are not combined. At most 64
//! bases are tracked. NIR: `nir_opt_load_store_vectorize`, where the driver decides which accesses to combine.

mod address;

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::memory::{Does, does, has_watched_members, is_relaxed, is_watched, with_access};
use crate::util::open::in_order;
use address::{Address, Root, component_bytes, rebuild_index, rebuild_path};
use rustc_hash::FxHashSet;
use std::rc::Rc;
use vitrine_analysis::{Addresses, Alias, Analyses, Overlap, Spot, changes, offset_of, sharing};
use vitrine_ir::base::EntityId;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{self, DerefOp, IoOp, Key, MemoryOp, Op, ValueType};
use vitrine_ir::{
    Args, Block, Builder, Editor, InsertPoint, Inst, InstData, Module, Reason, Refusal, Type, TypeData, Var,
};

options! {
    /// The accesses that are combined.
    struct Combined {
        choice accesses: Accesses {
            /// Combines accesses to components of one vector.
            Components "components",
            /// Combines adjacent data if the vector is aligned to its size.
            Aligned "aligned",
            /// Like `aligned`, but a vector may start at any component.
            Scalar "scalar",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Combines adjacent loads and stores into vector accesses.",
    options: Combined::INFO,
    idempotent: false, // moving a load up or a store down may enable other combinations
    ..PassInfo::edits("load-store-vectorize", opening!("mod.rs"), |ed, cx| {
        load_store_vectorize(ed, Combined::of(cx.options).accesses, cx.analyses)
    })
};

const WHY: Reason = Reason::Note("adjacent accesses are combined");

/// Maximum number of groups tracked at a time.
const MAX_OPEN_GROUPS: usize = 64;

/// Maximum number of components of one access.
const MAX_COMPONENTS: i64 = 4;

/// Maximum number of accesses of a group that are compared one by one.
const MAX_COMPARED: usize = 64;

/// A load or a store.
#[derive(Clone)]
struct Access {
    inst: Inst,
    /// Components from the start of its group's vector, or bytes from its base.
    start: i64,
    end: i64,
    /// Index in its group, in program order.
    index_in_group: usize,
    address: Option<Address>,
}

/// Accesses with one base, in program order.
struct Group {
    kind: GroupKind,
    is_store: bool,
    /// Bytes of a component.
    component: i64,
    /// The place of the first access, or of the vector.
    spot: Option<Spot>,
    all: Vec<Access>,
    /// For loads: bytes from their base that were written after the first of them. A later load of these cannot
    /// move up.
    written: Vec<(i64, i64)>,
}

/// Relation between the accesses of a group.
enum GroupKind {
    /// They are components of a vector: its path, at the first access, and its type.
    Components(Inst, ValueType),
    /// They are a known distance apart.
    Bytes,
}

/// Combines accesses. Near-linear; both shapes.
fn load_store_vectorize(
    ed: &mut Editor<'_>,
    accesses: Accesses,
    analyses: &mut Analyses,
) -> Result<(), Refusal> {
    let any_watched = ed.module().vars().any(|(_, data)| is_watched(&data.attrs))
        || ed.module().structs().any(|(_, data)| data.members.iter().any(|member| is_watched(&member.attrs)));
    for by_bytes in [false, true] {
        if by_bytes && accesses == Accesses::Components {
            break;
        }
        let blocks = in_order(ed.func());
        let alias = analyses.get::<Alias>(ed.module(), ed.id());
        let addresses = Addresses::of(ed.module(), ed.func());
        let analyses = FunctionAnalyses { alias, addresses, sharing: sharing(ed.module()), any_watched };
        let find = |block| Finder::groups(ed, &analyses, block, by_bytes);
        let groups: Vec<Group> = blocks.into_iter().flat_map(find).collect();
        for group in groups {
            let runs = match group.kind {
                GroupKind::Components(..) => vec![group.all.clone()],
                GroupKind::Bytes => group.runs(ed, accesses == Accesses::Aligned),
            };
            for run in runs {
                if !ed.consume_fuel() {
                    return Ok(());
                }
                match group.kind {
                    GroupKind::Components(vector, ty) => load_vector(ed, vector, ty, &run)?,
                    GroupKind::Bytes if group.is_store => group.store(ed, &run)?,
                    GroupKind::Bytes => group.load(ed, &run)?,
                }
            }
        }
    }
    Ok(())
}

/// Analyses of a function.
struct FunctionAnalyses {
    alias: Rc<Alias>,
    addresses: Addresses,
    /// Variables that may share memory with another one.
    sharing: FxHashSet<Var>,
    /// Some buffer is volatile or coherent.
    any_watched: bool,
}

impl FunctionAnalyses {
    /// Returns true if two groups access two variables without a byte in common.
    fn are_apart(&self, a: &Group, b: &Group) -> bool {
        let var = |group: &Group| group.first().and_then(|address| address.var);
        let shares = |var| self.sharing.contains(&var);
        var(a).zip(var(b)).is_some_and(|(a, b)| a != b && !(shares(a) && shares(b)))
    }

    /// Returns true if every access to a variable through an untyped pointer is observable, or its value changes
    /// by itself.
    fn is_watched(&self, module: &Module, var: Var) -> bool {
        module.var(var).is_none_or(|data| {
            changes(data)
                || self.any_watched && (is_watched(&data.attrs) || has_watched_members(module, data))
        })
    }
}

/// Searches a block: groups that may still grow, and finished ones.
struct Finder<'a, 'm> {
    ed: &'a Editor<'m>,
    alias: &'a Alias,
    analyses: &'a FunctionAnalyses,
    open: Vec<Group>,
    done: Vec<Group>,
}

impl Finder<'_, '_> {
    fn groups(ed: &Editor<'_>, analyses: &FunctionAnalyses, block: Block, by_bytes: bool) -> Vec<Group> {
        let mut finder = Finder { ed, alias: &analyses.alias, analyses, open: Vec::new(), done: Vec::new() };
        for &inst in ed.func().block(block).insts.iter() {
            let data = ed.func().inst(inst);
            let found = if by_bytes { finder.by_bytes(inst, data) } else { finder.component(inst, data) };
            match found {
                Some(group) => finder.add(group),
                None => finder.close_conflicting(data),
            }
        }
        finder.close(|_| true);
        finder.done
    }

    /// Returns a group of one access: a load of a component of a vector, or of a whole one.
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
        let access =
            Access { inst, start: components.start, end: components.end, index_in_group: 0, address: None };
        let kind = GroupKind::Components(path, ty);
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
        const SUPPORTED: [Key; 7] =
            [Key::Align, Key::Access, Key::Offset, Key::Set, Key::Binding, Key::Type, Key::Mode];
        if !is_relaxed(data) || data.attrs.iter().any(|attr| !SUPPORTED.contains(&attr.key)) {
            return None;
        }
        let is_store = matches!(data.op, Op::Memory(MemoryOp::Store) | Op::Io(IoOp::SetSsbo));
        let ty = match is_store {
            true => self.ed.func().ty(stored(data)?),
            false => data.ty,
        };
        let component = i64::try_from(component_bytes(ty)?).ok()?;
        let address = Address::of(self.ed, &self.analyses.addresses, data)?;
        let path = data.args.first().filter(|&&path| self.ed.func().ty(path) == ValueType::Path);
        // A cast does not change the place.
        let mut uncast = path.copied();
        while let Some(path) = uncast.map(|path| self.ed.func().inst(path)) {
            if path.op != Op::Deref(DerefOp::Cast) {
                break;
            }
            uncast = path.args.first().copied();
        }
        let spot = uncast.and_then(|path| self.alias.spot(path));
        let watched = match (address.base.root, spot) {
            (Root::Var(_), Some(spot)) => self.alias.is_watched(spot),
            (Root::Var(_), None) => true,
            (Root::Bytes(var), _) => self.analyses.is_watched(self.ed.module(), var),
            // The target of an unknown path or pointer may have any qualifier.
            (Root::Value(_) | Root::Bound(..), _) => self.analyses.any_watched,
        };
        let end = address.offset + i64::from(ty.components()) * component;
        let access = Access { inst, start: address.offset, end, index_in_group: 0, address: Some(address) };
        (!watched).then(|| Group {
            kind: GroupKind::Bytes,
            is_store,
            component,
            spot,
            all: vec![access],
            written: Vec::new(),
        })
    }

    /// Adds an access to its group, and closes the groups that it may interfere with.
    fn add(&mut self, new: Group) {
        let (alias, analyses) = (self.alias, self.analyses);
        let is_store = new.is_store;
        self.close(|group| {
            let is_ordered = (is_store || group.is_store) && !group.accepts(&new);
            let interferes = is_ordered && !analyses.are_apart(group, &new) && group.may_overlap(&new, alias);
            interferes || group.accepts(&new) && group.is_overwritten(&new)
        });
        if is_store {
            let of_base = |group: &&mut Group| !group.is_store && group.is_same_base(&new);
            for group in self.open.iter_mut().filter(of_base) {
                group.written.extend(new.all.iter().map(|access| (access.start, access.end)));
            }
        }
        if let Some(group) = self.open.iter_mut().find(|group| group.accepts(&new)) {
            let index_in_group = group.all.len();
            group.all.extend(new.all.into_iter().map(|access| Access { index_in_group, ..access }));
            return;
        }
        if self.open.len() >= MAX_OPEN_GROUPS {
            self.close_first();
        }
        self.open.push(new);
    }

    /// Closes the groups that an instruction interferes with.
    fn close_conflicting(&mut self, data: &InstData) {
        let alias = self.alias;
        let may_alias = |group: &Group, spot: Spot| match group.spot {
            _ if group.is_constant() => false,
            Some(own_spot) if matches!(group.kind, GroupKind::Components(..)) => {
                alias.overlap(own_spot, spot) != Overlap::No
            }
            Some(own_spot) => {
                alias.is_one_variable(own_spot, spot) || alias.overlap(own_spot, spot) != Overlap::No
            }
            None => true,
        };
        match does(alias, data) {
            // An access by set and binding, or a fetch, has no place.
            Does::Nothing => {}
            Does::Looks => self.close(|group| group.is_store),
            Does::Load(spot) => self.close(|group| group.is_store && may_alias(group, spot)),
            Does::Store(spot) => self.close(|group| may_alias(group, spot)),
            Does::Copy(to, from) => {
                self.close(|group| may_alias(group, to) || (group.is_store && may_alias(group, from)));
            }
            Does::Meets | Does::Calls => self.close(|_| true),
        }
    }

    fn close(&mut self, should_close: impl Fn(&Group) -> bool) {
        let mut at = 0;
        while let Some(group) = self.open.get(at) {
            if !should_close(group) {
                at += 1;
                continue;
            }
            let group = self.open.remove(at);
            self.done.extend(group.is_profitable().then_some(group));
        }
    }

    fn close_first(&mut self) {
        let group = self.open.remove(0);
        self.done.extend(group.is_profitable().then_some(group));
    }
}

/// Returns the value that a store writes.
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
            (GroupKind::Components(..), GroupKind::Components(..)) => self.spot == other.spot,
            (GroupKind::Bytes, GroupKind::Bytes) => {
                self.first().zip(other.first()).is_some_and(|(a, b)| a.base == b.base)
            }
            (GroupKind::Components(..), GroupKind::Bytes) | (GroupKind::Bytes, GroupKind::Components(..)) => {
                false
            }
        }
    }

    /// Returns true if an access belongs to a group.
    fn accepts(&self, new: &Group) -> bool {
        self.is_store == new.is_store && self.component == new.component && self.is_same_base(new)
    }

    /// Returns true if an access may overlap memory of a group. The first access represents the group: with equal
    /// bases the distance decides, otherwise the variables do.
    fn may_overlap(&self, new: &Group, alias: &Alias) -> bool {
        if self.is_same_base(new) {
            let inside = |access: &Access| {
                new.all.iter().any(|other| access.start < other.end && other.start < access.end)
            };
            return self.all.len() > MAX_COMPARED || self.all.iter().any(inside);
        }
        if self.is_constant() || new.is_constant() {
            return false;
        }
        match (self.spot, new.spot) {
            (Some(a), Some(b)) => alias.is_one_variable(a, b) || alias.overlap(a, b) != Overlap::No,
            _ => true,
        }
    }

    /// Returns true if a load reads bytes that were written after the first load of its group.
    fn is_overwritten(&self, new: &Group) -> bool {
        let over = |&(start, end): &(i64, i64)| {
            new.all.iter().any(|access| access.start < end && start < access.end)
        };
        self.written.len() > MAX_COMPARED || self.written.iter().any(over)
    }

    /// Returns true if there are accesses to combine: for components, to more than one component.
    fn is_profitable(&self) -> bool {
        match self.kind {
            GroupKind::Bytes => self.all.len() > 1,
            GroupKind::Components(..) => {
                let first = self.all.first().map(|access| (access.start, access.end));
                self.all.iter().any(|access| Some((access.start, access.end)) != first)
            }
        }
    }

    /// Returns the runs of accesses to combine, each with more than one access.
    fn runs(&self, ed: &Editor<'_>, aligned: bool) -> Vec<Vec<Access>> {
        let mut all = self.all.clone();
        all.sort_by_key(|access| access.start);
        let mut out = Vec::new();
        let mut rest = &all[..];
        // Stores are reordered within their group: a run must include all stores to its bytes.
        let mut end_so_far = i64::MIN;
        while let Some(first) = rest.first() {
            let (mut end, mut taken) = (first.start, 0);
            for (at, access) in rest.iter().enumerate() {
                let is_adjacent = access.start <= end.max(first.start)
                    && (access.start - first.start) % self.component == 0;
                if !is_adjacent || access.end - first.start > MAX_COMPONENTS * self.component {
                    break;
                }
                end = end.max(access.end);
                if !aligned || self.is_aligned(ed, first, (end - first.start) / self.component) {
                    taken = at + 1;
                }
            }
            let (run, after) = rest.split_at(taken.max(1));
            let run_end = run.iter().map(|access| access.end).max().unwrap_or(first.end);
            let shared = first.start < end_so_far || after.first().is_some_and(|next| next.start < run_end);
            end_so_far = end_so_far.max(run_end);
            if run.len() > 1 && !(self.is_store && shared) {
                out.push(run.to_vec());
            }
            rest = after;
        }
        out
    }

    /// Returns true if a vector of this many components may start at the address of an access.
    fn is_aligned(&self, ed: &Editor<'_>, first: &Access, components: i64) -> bool {
        let required = self.component * if components > 2 { 4 } else { components };
        let align_attr = ed.func().inst(first.inst).attrs.get(Key::Align);
        first.address.as_ref().is_some_and(|address| address.align(align_attr) >= required.unsigned_abs())
    }

    /// Builds the combined access of a run at the cursor, without its value.
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
            let path = if is_early { rebuild_path(b, path)? } else { path };
            *args.first_mut()? = cast_to(b, path, address, full, ty);
        } else if is_early {
            for arg in args.iter_mut().skip(at) {
                *arg = rebuild_index(b, *arg);
            }
        }
        let words = run.iter().fold(ops::Access::NONE, |all, access| {
            all.and(b.editor().func().inst(access.inst).attrs.words())
        });
        let attrs = with_access(&data.attrs, words);
        Some(InstData { args: Args::new(&args), attrs, ..data })
    }

    /// Combines a run of loads at the first of them.
    fn load(&self, ed: &mut Editor<'_>, run: &[Access]) -> Result<(), Refusal> {
        let Some(lowest) = run.first() else { return Ok(()) };
        let end = run.iter().map(|access| access.end).max().unwrap_or(lowest.end);
        let count = u8::try_from((end - lowest.start) / self.component).unwrap_or(1);
        let ty = ed.func().ty(lowest.inst).with_components(count);
        let Some(first) = run.iter().min_by_key(|access| access.index_in_group) else { return Ok(()) };
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

    /// Combines a run of stores at the last of them.
    fn store(&self, ed: &mut Editor<'_>, run: &[Access]) -> Result<(), Refusal> {
        let Some(lowest) = run.first() else { return Ok(()) };
        let end = run.iter().map(|access| access.end).max().unwrap_or(lowest.end);
        let count = (end - lowest.start) / self.component;
        let mut in_order: Vec<&Access> = run.iter().collect();
        in_order.sort_by_key(|access| access.index_in_group);
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

/// Uses the pointer of the first load, since that of the lowest address may be defined later. None if the distance
/// between them is not representable.
fn from_pointer(ed: &Editor<'_>, data: InstData, first: &Access, lowest: &Access) -> Option<InstData> {
    let first_load = ed.func().inst(first.inst);
    let &pointer = first_load.args.first()?;
    if data.op != Op::Memory(MemoryOp::Load) || ed.func().ty(pointer) != ValueType::Ptr {
        return Some(data);
    }
    let offset = offset_of(first_load).checked_add(lowest.start.checked_sub(first.start)?)?;
    let attrs = match i32::try_from(offset).ok()? {
        0 => data.attrs.without(Key::Offset),
        _ => data.attrs.with(Key::Offset, offset as u64),
    };
    Some(InstData { args: Args::new(&[pointer]), attrs, ..data })
}

/// Returns the full type of this many components of the target of a path; none for accesses without a path.
fn full_type(ed: &mut Editor<'_>, lowest: &Access, components: u8) -> Option<Type> {
    let of = lowest.address.as_ref()?.scalar?;
    Some(if components == 1 { of } else { ed.full_type(TypeData::Vector { of, components }) })
}

/// Returns the path cast to a vector; the path itself if it already points to one.
fn cast_to(b: &mut Builder<'_, '_>, path: Inst, address: &Address, full: Type, ty: ValueType) -> Inst {
    let (Some(mode), Some(path_type)) =
        (address.mode, b.editor().module().path_type(b.editor().func(), path))
    else {
        return path;
    };
    if b.editor().module().value_type(path_type.ty) == Some(ty) {
        return path;
    }
    // A single cast is enough.
    let uncast = b.editor().func().inst(path);
    let uncast = if uncast.op == Op::Deref(DerefOp::Cast) { uncast.args.first().copied() } else { None };
    let cast = InstData::new(DerefOp::Cast, ValueType::Path, &[uncast.unwrap_or(path)]);
    b.emit_with(cast.with(Key::Type, full.index() as u64).with_word(mode))
}

/// Loads a vector whole, at the first of the loads of its components.
fn load_vector(ed: &mut Editor<'_>, vector: Inst, ty: ValueType, run: &[Access]) -> Result<(), Refusal> {
    let Some(first) = run.first() else { return Ok(()) };
    let mut b = ed.build(InsertPoint::Before(first.inst), WHY);
    let all = b.emit_with(InstData::new(MemoryOp::Load, ty, &[vector]));
    b.finish()?;
    pick(ed, all, run.iter().map(|access| (access.inst, access.start)))
}

/// Replaces loads by components of one load, each from its first component on.
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
        ed.rewrite(part, crate::util::components::swizzle(all, whole, &components), WHY)?;
    }
    Ok(())
}
