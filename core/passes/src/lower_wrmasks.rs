//! `lower-wrmasks`: splits stores whose write mask has gaps into stores of contiguous components.
//!
//! ```text
//!                                               %4: b32 = swizzle %1.x
//!                                               %5: path = deref.elem %0, %zero
//! store %0, %1 {mask 13}                 =>     store %5, %4
//!                                               store %0, %1 {mask 12}
//!                                               %6: b32x2 = swizzle %2.zw
//! io.set_ssbo %2, %i, %at                =>     io.set_ssbo %6, %i, %at
//!   {set 0, binding 1, mask 12}                   {set 0, binding 1, offset 8}
//! ```
//!
//! Targets that write bytes can write some in a row, but cannot skip some. Each component is stored once, with the
//! value it had, so the contents of memory are the same afterwards. A store by offset (`io.set_ssbo`, a pointer)
//! starts at its first stored component, an output at a later component; neither has a mask then. A path points to
//! a whole vector or to one component: a run of one component is stored to the component, a longer one keeps a
//! mask without gaps. With `components`, every run has one component, and no store through a path has a mask.
//!
//! A system value is stored whole, so its runs keep masks; so do outputs with widths other than 32 bits, whose
//! components span two locations. A mask of all components is removed, and a store with an empty mask is removed.
//! A store whose moved offset would exceed 32 bits is unchanged. Register writes are not stores.
//!
//! NIR: `nir_lower_wrmasks`, where all runs start at an offset.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::rewrite_each::rewrite_each;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{IoOp, Key, MemoryOp, Op, ValueType, Width};
use vitrine_ir::{Args, Builder, Editor, InsertPoint, Inst, InstData, Reason, Refusal};

options! {
    /// The stores that replace a store with a mask.
    struct SplitStores {
        choice pieces: Pieces {
            /// Splits stores into runs of components without gaps.
            Runs "runs",
            /// Stores with gaps, or to some components of a path, become one store for each component.
            Components "components",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Splits stores whose write mask has gaps into stores of contiguous components.",
    options: SplitStores::INFO,
    ..PassInfo::edits("lower-wrmasks", opening!("lower_wrmasks.rs"), |ed, cx| {
        lower_wrmasks(ed, SplitStores::of(cx.options).pieces)
    })
};

const WHY: Reason = Reason::Note("the write mask has no gaps");

/// Addressing of a store's first component.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Start {
    /// By a path, to a vector or to one component of it.
    Path,
    /// In bytes.
    Offset,
    /// In components of 32 bits.
    Component,
    /// Not at all.
    Whole,
}

/// Consecutive components: the first, and their number.
type ComponentRun = (u8, u8);

/// Splits stores. Linear; idempotent; both shapes.
fn lower_wrmasks(ed: &mut Editor<'_>, pieces: Pieces) -> Result<(), Refusal> {
    let by_component = pieces == Pieces::Components;
    let pieces = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        let (start, value) = masked_store(ed, data)?;
        let components = ed.func().ty(value).components();
        let runs = runs(data.attrs.get(Key::Mask).unwrap_or(u64::MAX), components);
        let whole = matches!(runs[..], [(0, count)] if count == components);
        let one_path = start == Start::Path && (by_component || matches!(runs[..], [(_, 1)]));
        let has_movable_start = matches!(start, Start::Offset | Start::Component);
        if runs.len() == 1 && !whole && !one_path && !has_movable_start {
            return None;
        }
        let size = ed.func().ty(value).width().map_or(0, |width| u64::from(width.bits() / 8));
        if start == Start::Offset && moved_offset(data, size * u64::from(components)).is_none() {
            return None;
        }
        Some((data.clone(), start, cut_runs(runs, by_component && !whole, start)))
    };
    rewrite_each(ed, pieces, |ed, inst, (data, start, runs)| split(ed, inst, &data, start, &runs))
}

/// Returns the addressing of a store with a mask, and the stored value.
fn masked_store(ed: &Editor<'_>, data: &InstData) -> Option<(Start, Inst)> {
    let (at, start) = match data.op {
        Op::Memory(MemoryOp::Store) if ed.func().ty(*data.args.first()?) == ValueType::Path => {
            (1, Start::Path)
        }
        Op::Memory(MemoryOp::Store) | Op::Io(IoOp::SetSsbo) => {
            (usize::from(data.op == Op::Memory(MemoryOp::Store)), Start::Offset)
        }
        Op::Io(IoOp::Output | IoOp::OutputAt | IoOp::OutputVertex) => (0, Start::Component),
        Op::Io(IoOp::SetBuiltIn | IoOp::SetBuiltInAt) => (0, Start::Whole),
        _ => return None,
    };
    let &value = data.args.get(at)?;
    let narrow = ed.func().ty(value).width() == Some(Width::W32);
    let start = if start == Start::Component && !narrow { Start::Whole } else { start };
    data.attrs.has(Key::Mask).then_some((start, value))
}

/// Returns the offset of a store, moved by some bytes; none if it does not fit in 32 bits.
fn moved_offset(data: &InstData, bytes: u64) -> Option<u64> {
    let before = data.attrs.get(Key::Offset).unwrap_or(0) as i64;
    let moved = before.checked_add(i64::try_from(bytes).ok()?)?;
    i32::try_from(moved).is_ok().then_some(moved as u64)
}

/// Returns the runs of components in a mask, among the first `components`.
fn runs(mask: u64, components: u8) -> Vec<ComponentRun> {
    let mut out: Vec<ComponentRun> = Vec::new();
    for component in (0..components).filter(|&component| mask >> component & 1 == 1) {
        match out.last_mut() {
            Some((first, count)) if *first + *count == component => *count += 1,
            Some(_) | None => out.push((component, 1)),
        }
    }
    out
}

/// Cuts runs into storable sizes: no value has 5 to 7 or 9 to 15 components; single components if `by_component`
/// is set.
fn cut_runs(runs: Vec<ComponentRun>, by_component: bool, start: Start) -> Vec<ComponentRun> {
    let mut out = Vec::new();
    for (mut first, mut count) in runs {
        while count > 0 {
            let length = match start {
                Start::Path | Start::Whole if !by_component => count,
                Start::Path | Start::Whole => 1,
                Start::Offset | Start::Component if by_component => 1,
                Start::Offset | Start::Component => {
                    [16, 8, 4].into_iter().find(|&n| n <= count).unwrap_or(count)
                }
            };
            out.push((first, length));
            first += length;
            count -= length;
        }
    }
    out
}

/// Stores the runs one after the other, the last by rewriting the original instruction.
fn split(
    ed: &mut Editor<'_>,
    inst: Inst,
    data: &InstData,
    start: Start,
    runs: &[ComponentRun],
) -> Result<(), Refusal> {
    let Some((&last, earlier)) = runs.split_last() else { return ed.erase(inst, WHY) };
    let mut b = ed.build(InsertPoint::Before(inst), WHY);
    for &run in earlier {
        let one = stored(&mut b, data, start, run);
        b.emit_with(one);
    }
    let one = stored(&mut b, data, start, last);
    b.finish()?;
    ed.rewrite(inst, one, WHY)
}

/// Returns the store of one run.
fn stored(b: &mut Builder<'_, '_>, data: &InstData, start: Start, (first, count): ComponentRun) -> InstData {
    let at = usize::from(data.op == Op::Memory(MemoryOp::Store));
    let Some(&value) = data.args.get(at) else { return data.clone() };
    let ty = b.editor().func().ty(value);
    if count == ty.components() {
        return InstData { attrs: data.attrs.without(Key::Mask), ..data.clone() };
    }
    if start == Start::Whole || (start == Start::Path && count > 1) {
        let mask = ((1u64 << count) - 1) << first;
        return data.clone().with(Key::Mask, mask);
    }
    let components: Vec<u8> = (first..first + count).collect();
    let part = b.swizzle(value, &components);
    let mut args = data.args.to_vec();
    if let Some(slot) = args.get_mut(at) {
        *slot = part;
    }
    if let (Start::Path, Some(&path)) = (start, data.args.first()) {
        let index = b.int(Width::W32, i64::from(first));
        let component = b.elem(path, index);
        if let Some(slot) = args.first_mut() {
            *slot = component;
        }
    }
    let attrs = data.attrs.without(Key::Mask);
    let one = InstData { args: Args::new(&args), attrs, ..data.clone() };
    let bytes = u64::from(first) * u64::from(ty.width().unwrap_or_default().bits()).div_ceil(8);
    match start {
        Start::Offset => {
            let one = match moved_offset(data, bytes) {
                Some(offset) if bytes > 0 => one.with(Key::Offset, offset),
                _ => one,
            };
            aligned(one, bytes)
        }
        Start::Path => aligned(one, bytes),
        Start::Component if first > 0 => {
            let before = data.attrs.get(Key::Component).unwrap_or(0);
            one.with(Key::Component, before + u64::from(first))
        }
        Start::Component | Start::Whole => one,
    }
}

/// Reduces the alignment of an address to the one guaranteed after adding an offset.
fn aligned(data: InstData, bytes: u64) -> InstData {
    match data.attrs.get(Key::Align) {
        Some(align) if bytes > 0 => data.with(Key::Align, align.min(1 << bytes.trailing_zeros())),
        Some(_) | None => data,
    }
}
