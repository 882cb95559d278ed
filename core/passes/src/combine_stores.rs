//! `combine-stores`: combines stores to components of one vector into a single store.
//!
//! ```text
//! %2: path = deref.elem %1, %zero
//! store %2, %5
//! %3: path = deref.elem %1, %one            %7: b32x2 = vec %5, %6
//! store %3, %6                        =>    store %1, %7
//! ```
//!
//! Front ends store vectors component by component. The stores to one vector in a block, by constant component or
//! with a mask, are combined at the last of them; a component that is stored twice keeps the later value. If some
//! components are not stored, the combined store has a mask, which some targets split into components again: no
//! worse than before.
//!
//! With `parts`, only stores of components of one value are combined, to local and private variables and outputs:
//! `v.x = t.x; v.y = t.y` becomes `v.xy = t.xy`, which is a load, a shuffle and a store.
//!
//! A group of stores stays open until an instruction reads the vector, writes to it otherwise (`analysis::Alias`),
//! or makes it visible to other invocations. Left alone: volatile and coherent memory, stores with an alignment or
//! a scope, components known only at run time, single stores. At most the 64 latest vectors are tracked. NIR:
//! `nir_opt_combine_stores`.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::memory::{Does, does, is_plain, survives};
use crate::util::open::in_order;
use vitrine_analysis::{Alias, Analyses, Overlap, Spot};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::attr::{pack_components, unpack_component};
use vitrine_ir::ops::{DerefOp, Key, MemoryOp, Op, ValueType, VectorOp};
use vitrine_ir::{Block, Editor, FuncBody, InsertPoint, Inst, InstData, Mode, Reason, Refusal, TypeData};

options! {
    /// The stores that are combined.
    struct Combined {
        choice stores: Stores {
            /// All stores.
            All "all",
            /// Stores of components of one value, to variables of the invocation.
            Parts "parts",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Combines stores to components of one vector into a single store.",
    options: Combined::INFO,
    may_apply: |body, options| {
        let stores = Combined::of(options).stores;
        body.tables().blocks.keys().any(|block| may_combine(body, block, stores))
    },
    ..PassInfo::edits("combine-stores", opening!("combine_stores.rs"), |ed, cx| {
        combine_stores(ed, Combined::of(cx.options).stores, cx.analyses)
    })
};

const WHY: Reason = Reason::Note("stores to components of one vector are combined");

/// Maximum number of vectors tracked at a time.
const MAX_TRACKED: usize = 64;

/// Maximum number of components: the most that a shuffle of two vectors can name.
const MAX_COMPONENTS: u8 = 4;

/// Stores to one vector that may still be combined with later ones.
struct Group {
    spot: Spot,
    path: Inst,
    ty: ValueType,
    /// For each component, the stored value and the index of the component in it.
    components: Vec<Option<(Inst, u8)>>,
    stores: Vec<Inst>,
}

/// Combines stores. Near-linear; idempotent; both shapes.
fn combine_stores(ed: &mut Editor<'_>, stores: Stores, analyses: &mut Analyses) -> Result<(), Refusal> {
    let mut blocks = in_order(ed.func());
    blocks.retain(|&block| may_combine(ed.func(), block, stores));
    let alias = analyses.get::<Alias>(ed.module(), ed.id());
    let groups: Vec<Group> = blocks.into_iter().flat_map(|block| groups(ed, &alias, block, stores)).collect();
    for group in groups {
        if !ed.consume_fuel() {
            return Ok(());
        }
        match stores {
            Stores::All => group.combine(ed)?,
            Stores::Parts => group.combine_parts(ed)?,
        }
    }
    Ok(())
}

/// Returns true if a block has two stores of which the paths and values do not rule out a group; the analysis of places
/// costs more than everything else here.
fn may_combine(body: &FuncBody, block: Block, stores: Stores) -> bool {
    let mut sources: Vec<Inst> = Vec::new();
    for &inst in body.block(block).insts.iter() {
        let data = body.inst(inst);
        let (Op::Memory(MemoryOp::Store), &[path, value]) = (data.op, &data.args[..]) else { continue };
        let is_element = body.inst(path).op == Op::Deref(DerefOp::Elem);
        match stores {
            Stores::All if is_element || body.ty(value).components() > 1 => sources.push(path),
            Stores::All => {}
            Stores::Parts => sources.extend(selected_from(body, value).filter(|_| is_element)),
        }
    }
    match stores {
        Stores::All => sources.len() > 1,
        Stores::Parts => {
            sources.sort_unstable();
            sources.windows(2).any(|pair| pair[0] == pair[1])
        }
    }
}

/// The value of which another one is a single component.
fn selected_from(body: &FuncBody, value: Inst) -> Option<Inst> {
    let data = body.inst(value);
    let is_component = match data.op {
        Op::Vector(VectorOp::Swizzle) => data.ty.components() == 1,
        Op::Vector(VectorOp::Extract) => true,
        _ => false,
    };
    data.args.first().copied().filter(|_| is_component)
}

/// Returns the groups of a block with more than one store.
fn groups(ed: &Editor<'_>, alias: &Alias, block: Block, stores: Stores) -> Vec<Group> {
    let mut open: Vec<Group> = Vec::new();
    let mut out: Vec<Group> = Vec::new();
    let mut close = |open: &mut Vec<Group>, survives_here: &dyn Fn(Spot) -> bool| {
        let mut at = 0;
        while let Some(group) = open.get(at) {
            if survives_here(group.spot) {
                at += 1;
            } else {
                let group = open.remove(at);
                out.extend((group.stores.len() > 1).then_some(group));
            }
        }
    };
    for &inst in ed.func().block(block).insts.iter() {
        let data = ed.func().inst(inst);
        let effect = does(alias, data);
        let disjoint_from = |from: Spot| move |spot: Spot| alias.overlap(spot, from) == Overlap::No;
        match effect {
            Does::Nothing => {}
            Does::Load(from) => close(&mut open, &disjoint_from(from)),
            Does::Looks => close(&mut open, &|spot| survives(alias, spot, Does::Calls)),
            Does::Meets | Does::Calls => close(&mut open, &|spot| survives(alias, spot, effect)),
            Does::Copy(to, from) => {
                close(&mut open, &|spot| disjoint_from(to)(spot) && disjoint_from(from)(spot));
            }
            Does::Store(to) => match target(ed, alias, data).and_then(|to| match stores {
                Stores::All => Some(to),
                Stores::Parts => part(ed, alias, to),
            }) {
                None => close(&mut open, &disjoint_from(to)),
                Some((path, spot, ty, components)) => {
                    close(&mut open, &|other| other == spot || disjoint_from(to)(other));
                    if open.len() >= MAX_TRACKED {
                        let oldest = open.first().map(|group| group.spot);
                        close(&mut open, &|spot| Some(spot) != oldest);
                    }
                    if stores == Stores::Parts {
                        let source = components.first().map(|&(_, (source, _))| source);
                        let is_other = |group: &Group| group.spot == spot && group.source() != source;
                        if open.iter().any(is_other) {
                            close(&mut open, &|other| other != spot);
                        }
                    }
                    let at = open.iter().position(|group| group.spot == spot).unwrap_or_else(|| {
                        let none = vec![None; usize::from(ty.components())];
                        open.push(Group { spot, path, ty, components: none, stores: Vec::new() });
                        open.len() - 1
                    });
                    let Some(group) = open.get_mut(at) else { continue };
                    for (component, from) in components {
                        if let Some(slot) = group.components.get_mut(usize::from(component)) {
                            *slot = Some(from);
                        }
                    }
                    group.stores.push(inst);
                }
            },
        }
    }
    close(&mut open, &|_| false);
    out
}

/// Stored components, each with the value and the index of the component in it.
type Stored = Vec<(u8, (Inst, u8))>;

/// Returns the vector that a store writes, and the stored components.
fn target(ed: &Editor<'_>, alias: &Alias, store: &InstData) -> Option<(Inst, Spot, ValueType, Stored)> {
    let [path, value] = store.args[..] else { return None };
    if !is_plain(store) || store.attrs.iter().any(|attr| attr.key != Key::Mask) {
        return None;
    }
    let data = ed.func().inst(path);
    let vector = |path: Inst| {
        let ty = ed.module().path_type(ed.func(), path)?.ty;
        let is_vector = matches!(ed.module().type_of(ty), TypeData::Vector { .. });
        let ty = ed.module().value_type(ty).filter(|ty| is_vector && ty.components() <= MAX_COMPONENTS)?;
        let spot = alias.spot(path).filter(|&spot| !alias.is_watched(spot))?;
        Some((path, spot, ty))
    };
    if let (Op::Deref(DerefOp::Elem), &[whole, index]) = (data.op, &data.args[..])
        && let Some((path, spot, ty)) = vector(whole)
    {
        let component = ed.bits_of(index)?.component(0).as_u64();
        let component = u8::try_from(component).ok().filter(|&component| component < ty.components())?;
        return Some((path, spot, ty, vec![(component, (value, 0))]));
    }
    let (path, spot, ty) = vector(path)?;
    let mask = store.attrs.get(Key::Mask).unwrap_or(u64::MAX);
    let components = (0..ty.components()).filter(|&component| mask >> component & 1 == 1);
    Some((path, spot, ty, components.map(|component| (component, (value, component))).collect()))
}

/// The same for one component of a value, in a variable of the invocation.
fn part(
    ed: &Editor<'_>,
    alias: &Alias,
    (path, spot, ty, stored): (Inst, Spot, ValueType, Stored),
) -> Option<(Inst, Spot, ValueType, Stored)> {
    let [(component, (value, 0))] = stored[..] else { return None };
    let data = ed.func().inst(value);
    let &source = data.args.first()?;
    let index = match data.op {
        Op::Vector(VectorOp::Swizzle) if data.ty.components() == 1 => {
            u64::from(unpack_component(data.attrs.get(Key::Components)?, 0))
        }
        Op::Vector(VectorOp::Extract) => ed.bits_of(*data.args.get(1)?)?.component(0).as_u64(),
        _ => return None,
    };
    let count = ed.func().ty(source).components();
    let index = u8::try_from(index).ok().filter(|&index| index < count && count <= MAX_COMPONENTS)?;
    let is_ours = matches!(alias.mode(spot), Some(Mode::Local | Mode::Private | Mode::Out));
    is_ours.then(|| (path, spot, ty, vec![(component, (source, index))]))
}

impl Group {
    /// The value that the components are of.
    fn source(&self) -> Option<Inst> {
        self.components.iter().flatten().next().map(|&(source, _)| source)
    }

    /// Stores components of one value; components that are not stored are read before.
    fn combine_parts(&self, ed: &mut Editor<'_>) -> Result<(), Refusal> {
        let (Some((&last, earlier)), Some(source)) = (self.stores.split_last(), self.source()) else {
            return Ok(());
        };
        let count = self.ty.components();
        let is_whole = self.components.iter().all(Option::is_some);
        let picks = |offset: u8| -> Vec<u8> {
            let picked = self.components.iter().zip(0..);
            picked.map(|(from, own)| from.map_or(own, |(_, index)| offset + index)).collect()
        };
        let mut b = ed.build(InsertPoint::Before(last), WHY);
        let is_same = b.editor().func().ty(source) == self.ty && picks(0).into_iter().eq(0..count);
        let whole = if is_whole && is_same {
            source
        } else if is_whole {
            let swizzle = InstData::new(VectorOp::Swizzle, self.ty, &[source]);
            b.emit_with(swizzle.with(Key::Components, pack_components(&picks(0))))
        } else {
            let old = b.load(self.path);
            let shuffle = InstData::new(VectorOp::Shuffle, self.ty, &[old, source]);
            b.emit_with(shuffle.with(Key::Components, pack_components(&picks(count))))
        };
        b.finish()?;
        let store = InstData::new(Op::Memory(MemoryOp::Store), ValueType::Void, &[self.path, whole]);
        let value = |ed: &Editor<'_>, store: Inst| ed.func().inst(store).args.get(1).copied();
        let values: Vec<Inst> = self.stores.iter().filter_map(|&store| value(ed, store)).collect();
        ed.rewrite(last, store, WHY)?;
        earlier.iter().try_for_each(|&store| ed.erase(store, WHY))?;
        for value in values {
            if ed.is_placed(value) && ed.use_count(value) == 0 {
                ed.erase(value, WHY)?;
            }
        }
        Ok(())
    }

    fn combine(&self, ed: &mut Editor<'_>) -> Result<(), Refusal> {
        let Some((&last, earlier)) = self.stores.split_last() else { return Ok(()) };
        let mut b = ed.build(InsertPoint::Before(last), WHY);
        // A component that is not stored may have any value: use one that is stored.
        let fallback = self.components.iter().copied().flatten().next();
        let Some(fallback) = fallback else { return Ok(()) };
        let picked: Vec<(Inst, u8)> =
            self.components.iter().map(|component| component.unwrap_or(fallback)).collect();
        let (value, first_components) = match picked.split_first() {
            Some((&(value, _), _)) => {
                (value, picked.iter().map(|&(_, component)| component).collect::<Vec<u8>>())
            }
            None => return Ok(()),
        };
        let components_of =
            |b: &vitrine_ir::Builder<'_, '_>, value: Inst| b.editor().func().ty(value).components();
        let one = picked.iter().all(|&(other, _)| other == value);
        let whole = if one && components_of(&b, value) == 1 {
            b.splat(value, self.ty.components())
        } else if one && first_components.iter().copied().eq(0..components_of(&b, value)) {
            value
        } else {
            let parts: Vec<Inst> = picked
                .iter()
                .map(|&(value, component)| match components_of(&b, value) {
                    1 => value,
                    _ => {
                        let ty = self.ty.with_components(1);
                        let swizzle = InstData::new(VectorOp::Swizzle, ty, &[value]);
                        b.emit_with(swizzle.with(Key::Components, pack_components(&[component])))
                    }
                })
                .collect();
            b.vec(&parts)
        };
        b.finish()?;
        let mask = self.components.iter().zip(0..).filter(|(component, _)| component.is_some());
        let mask: u64 = mask.map(|(_, at)| 1u64 << at).sum();
        let all = (1u64 << self.ty.components()) - 1;
        let store = InstData::new(Op::Memory(MemoryOp::Store), ValueType::Void, &[self.path, whole]);
        let store = if mask == all { store } else { store.with(Key::Mask, mask) };
        ed.rewrite(last, store, WHY)?;
        for &store in earlier {
            ed.erase(store, WHY)?;
        }
        Ok(())
    }
}
