//! Pointers as one index for all starts: steps with a stride that divides every offset.
//!
//! ```text
//! from $b + 16 + %i * 8 (below 64) and from $b + 24      $b + 16 + n0 * 4 (below 64); n0 = %i * 2, n0 = 2
//! ```
//!
//! If a merge is based on another one with an offset, it may refer to any place after the start, because a loop
//! may repeat the step. A negative step may lead to places before those of the sources, and is counted from the
//! start on. A group is unchanged if the declared type does not allow that.

use super::found::{Found, Merge, Origin, Source};
use super::plan::{Plan, SourcePlan, Which};
use crate::util::ptr_shape::{Level, Shape, Start, whole};
use crate::util::route::{Hop, Index, Linear, Want, route};
use vitrine_analysis::{Term, gcd};
use vitrine_ir::base::EntityId;
use vitrine_ir::layout::Sizes;
use vitrine_ir::{Editor, Inst, Type};

/// A common step.
struct Unit {
    /// The stride in bytes.
    bytes: u32,
    /// The constant offset that all have in common.
    offset: i64,
    /// The bytes that the sources cover; none if they advance from iteration to iteration.
    range: Option<u32>,
}

/// The plan for each merge of a group; none if it cannot be expressed, or not with the declared type.
pub(super) fn plan(ed: &Editor<'_>, sizes: &mut Sizes, found: &Found, group: &[usize]) -> Option<Vec<Plan>> {
    let sources = || group.iter().flat_map(|&at| &found.merges[at].sources);
    let unit = unit(sources())?;
    let is_declared = group.iter().all(|&at| found.merges[at].declared.is_some());
    let mut shapes: Vec<Shape> = Vec::new();
    for source in sources() {
        if let Origin::Start(start) = source.from
            && !shapes.iter().any(|shape| shape.start == start)
        {
            let mut shape = shape(ed, sizes, start, &unit);
            if !is_declared {
                relax(&mut shape);
            }
            shapes.push(shape);
        }
    }
    let declared = || group.iter().map(|&at| found.merges[at].declared);
    if !shapes.iter().all(|shape| declared().all(|declared| agrees(ed, sizes, shape, declared))) {
        return None;
    }
    group.iter().map(|&at| one(found.merges.get(at)?, &unit, &shapes)).collect()
}

/// The plan for one merge.
fn one(merge: &Merge, unit: &Unit, shapes: &[Shape]) -> Option<Plan> {
    let number = |start| shapes.iter().position(|shape| shape.start == start);
    let mut sources = Vec::new();
    for source in &merge.sources {
        let (which, begin) = match source.from {
            Origin::Nothing => {
                sources.push(SourcePlan { which: Which::Is(0), own: Vec::new(), shift: 0 });
                continue;
            }
            Origin::Start(start) => (Which::Is(number(start)?), unit.offset),
            Origin::Merge(other) => (Which::Of(other, (0..shapes.len()).collect()), 0),
        };
        let terms = source.terms.iter().map(|term| (term.index, term.stride / unit.bytes)).collect();
        let plus = (source.offset - begin) / i64::from(unit.bytes);
        sources.push(SourcePlan { which, own: vec![Linear { terms, plus }], shift: 0 });
    }
    Some(Plan { shapes: shapes.to_vec(), numbers: 1, sources })
}

/// The step that divides all offsets.
fn unit<'a>(sources: impl Iterator<Item = &'a Source> + Clone) -> Option<Unit> {
    let is_start = |source: &&Source| matches!(source.from, Origin::Start(_));
    let least = sources.clone().filter(is_start).map(|source| source.offset).min()?;
    let begin = |source: &Source| if is_start(&source) { least } else { 0 };
    let mut bytes = 0u64;
    for source in sources.clone() {
        let moved = source.offset.checked_sub(begin(source))?.unsigned_abs();
        bytes = source.terms.iter().map(|term| u64::from(term.stride)).chain([moved]).fold(bytes, gcd);
    }
    let bytes = u32::try_from(bytes).ok()?.max(1);
    // A source without an offset forwards that of another merge.
    let moves = |source: &Source| !is_start(&source) && (source.offset != 0 || !source.terms.is_empty());
    // A negative index, if nothing better is known.
    let unknown = |source: &Source| source.terms.iter().any(|term| term.range.is_none());
    let back = |source: &Source| unknown(source) || moves(source) && source.offset < 0;
    let offset = if sources.clone().any(back) { least.rem_euclid(i64::from(bytes)) } else { least };
    let mut range = Some(bytes);
    for source in sources {
        range = match (range, is_start(&source)) {
            (Some(range), true) => reach(source, offset, bytes).map(|more| more.max(range)),
            (Some(range), false) if !moves(source) => Some(range),
            (Some(_) | None, _) => None,
        };
    }
    Some(Unit { bytes, offset, range })
}

/// The bytes after `from` that the steps of a source may cover; none if unknown.
fn reach(source: &Source, from: i64, unit: u32) -> Option<u32> {
    let mut bytes = u32::try_from(source.offset - from).ok()?.checked_add(unit)?;
    for term in &source.terms {
        bytes = bytes.checked_add(term.range?.checked_sub(term.stride)?)?;
    }
    Some(bytes)
}

/// The shape from one start. A step without a range is assumed to stay in the array in which it starts.
fn shape(ed: &Editor<'_>, sizes: &mut Sizes, start: Start, unit: &Unit) -> Shape {
    let range = match unit.range {
        Some(range) => range,
        None => {
            let whole = start.declared(ed.module(), ed.func()).and_then(|ty| whole(ed.module(), sizes, ty));
            let left = whole.and_then(|whole| whole.checked_add_signed(-unit.offset));
            left.and_then(|left| u32::try_from(left).ok()).unwrap_or(u32::MAX)
        }
    };
    let level = Level { stride: unit.bytes, range: Some(range) };
    Shape { start, offset: unit.offset, levels: vec![level] }
}

/// Without a declared type, the range of a step and the offset before it must be in one array.
fn relax(shape: &mut Shape) {
    let before = u32::try_from(shape.offset).unwrap_or(0);
    for level in &mut shape.levels {
        level.range = level.range.map(|range| range.saturating_add(before));
    }
}

/// Returns true if a shape matches the declared type of its start, and stays in one array: the last index takes
/// the same members and elements as any other.
fn agrees(ed: &Editor<'_>, sizes: &mut Sizes, shape: &Shape, declared: Option<Type>) -> bool {
    let Some(declared) = declared else { return true };
    let (module, body) = (ed.module(), ed.func());
    let Some(ty) = shape.start.declared(module, body) else { return true };
    let term = |level: &Level| Term {
        // For any value of the index.
        index: Inst::from_index(0),
        stride: level.stride,
        range: level.range,
        before: 0,
    };
    let terms: Vec<Term> = shape.levels.iter().map(term).collect();
    let wanted = Want::Type(declared);
    let Some(any) = route(module, sizes, ty, shape.offset, &terms, wanted) else { return false };
    let steps = |level: &Level| i64::from(level.range.unwrap_or(0).saturating_sub(level.stride));
    let last = shape.levels.iter().map(steps).sum::<i64>().saturating_add(shape.offset);
    if shape.levels.iter().any(|level| level.range == Some(u32::MAX)) {
        return true;
    }
    let Some(last) = route(module, sizes, ty, last, &[], wanted) else { return false };
    let same = |(any, last): (&Hop, &Hop)| match (any, last) {
        (Hop::Elem(Index::Is(index)), Hop::Elem(_)) if !index.terms.is_empty() => true,
        (Hop::Elem(Index::Over(..) | Index::Rest(..)), Hop::Elem(_)) => true,
        (any, last) => any == last,
    };
    any.hops.len() == last.hops.len() && any.hops.iter().zip(&last.hops).all(same)
}
