//! Plans the replacement of a group of pointers: the shapes of each merge, and the indices of each source.
//!
//! ```text
//! %p: from $a.x[%i] and from $b.y[2]            shapes 0: $a.x[n0]  1: $b.y[n0]
//! %q: from %p and from $a.x[0]                  sources: shape 0, n0 = %i; shape 1, n0 = 2; …
//! ```
//!
//! Does not change anything. A deeper access into the shape of another merge is a separate shape.

use super::found::{Found, Merge, Origin, Source};
use crate::util::ptr_shape::{Counted, Level, Shape, Start, counted};
use crate::util::route::{Hop, Index, Linear, Want, stepped};
use vitrine_ir::Editor;
use vitrine_ir::layout::Sizes;

/// The maximum number of shapes of one pointer.
const MAX_SHAPES: usize = 64;

/// The plan for one merge.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// The possible shapes.
    pub(super) shapes: Vec<Shape>,
    /// The number of indices.
    pub(super) numbers: usize,
    /// The plan for each of its sources.
    pub(super) sources: Vec<SourcePlan>,
}

/// The plan for a source.
#[derive(Clone, Debug)]
pub(super) struct SourcePlan {
    /// The shape.
    pub(super) which: Which,
    /// Its own indices, innermost first.
    pub(super) own: Vec<Linear>,
    /// The index to which the first index of the base merge is added.
    pub(super) shift: usize,
}

/// The shape of a source.
#[derive(Clone, Debug)]
pub(super) enum Which {
    /// A fixed shape.
    Is(usize),
    /// A shape for each shape of another merge.
    Of(usize, Vec<usize>),
}

/// The plan for each merge of a group by declared types; none if it cannot be expressed. With `stepping`, a pointer may be moved
/// to another element of the array that contains it.
pub(super) fn declared(
    ed: &Editor<'_>,
    sizes: &mut Sizes,
    found: &Found,
    group: &[usize],
    stepping: bool,
) -> Option<Vec<Plan>> {
    Planner { ed, sizes, found, group, stepping }.declared()
}

/// Returns true if a merge can be replaced as planned.
pub(super) fn can(ed: &Editor<'_>, found: &Found, merge: &Merge, plan: &Plan) -> bool {
    let Some(first) = plan.shapes.first() else { return false };
    if plan.shapes.len() == 1 {
        return true;
    }
    let is_known = |start: Start| match start {
        Start::Var(..) | Start::Resource(..) => true,
        Start::Value(value) => ed.func().params().contains(&value),
    };
    // The common start of all sources is visible at the merge.
    let one_start = plan.shapes.iter().all(|shape| shape.start == first.start);
    let known = one_start || plan.shapes.iter().all(|shape| is_known(shape.start));
    known && found.readers(ed, merge.value).is_some()
}

/// Plans by declared types.
struct Planner<'a, 'e> {
    ed: &'a Editor<'e>,
    sizes: &'a mut Sizes,
    found: &'a Found,
    group: &'a [usize],
    /// True if a pointer may be moved to another element of the array that contains it.
    stepping: bool,
}

/// A source in terms of types.
enum TypedSource {
    Shape(Shape, Vec<Linear>),
    /// A place inside the pointee of another merge.
    Inner(usize, Counted),
    /// A number of elements after another merge.
    Step(usize, Linear, u32),
    Nothing,
}

impl Planner<'_, '_> {
    fn declared(&mut self) -> Option<Vec<Plan>> {
        let (found, group) = (self.found, self.group);
        let mut seen: Vec<Vec<TypedSource>> = Vec::new();
        for &at in group {
            let merge = &found.merges[at];
            seen.push(
                merge.sources.iter().map(|source| self.typed_source(merge, source)).collect::<Option<_>>()?,
            );
        }
        let shapes = self.spread(&seen)?;
        let mut plans = Vec::new();
        for (seen, own) in seen.into_iter().zip(&shapes) {
            let numbers = own.iter().map(|shape| shape.levels.len()).max()?;
            let sources =
                seen.into_iter().map(|seen| self.source_plan(seen, own, &shapes)).collect::<Option<_>>()?;
            plans.push(Plan { shapes: own.clone(), numbers, sources });
        }
        Some(plans)
    }

    fn typed_source(&mut self, merge: &Merge, source: &Source) -> Option<TypedSource> {
        let wanted = merge.declared?;
        let (module, at) = (self.ed.module(), (source.offset, &source.terms[..]));
        match source.from {
            Origin::Nothing => Some(TypedSource::Nothing),
            Origin::Start(start) => {
                let ty = start.declared(module, self.ed.func())?;
                let Counted { offset, levels, numbers } = counted(module, self.sizes, ty, at, wanted)?;
                Some(TypedSource::Shape(Shape { start, offset, levels }, numbers))
            }
            Origin::Merge(other) => {
                let ty = self.found.merges.get(other)?.declared?;
                if let Some(counted) = counted(module, self.sizes, ty, at, wanted) {
                    return Some(TypedSource::Inner(other, counted));
                }
                let found = stepped(module, self.sizes, ty, at.0, at.1, Want::Type(wanted))
                    .filter(|_| self.stepping)?;
                match &found.hops[..] {
                    [Hop::Step(Index::Is(by), stride)] => {
                        let natural = self.sizes.of(module, module, ty);
                        let natural = natural.bytes.next_multiple_of(natural.align.max(1));
                        let stride = if *stride == 0 { u32::try_from(natural).ok()? } else { *stride };
                        Some(TypedSource::Step(other, by.clone(), stride))
                    }
                    _ => None,
                }
            }
        }
    }

    /// The index of a merge within the group.
    fn place(&self, merge: usize) -> Option<usize> {
        self.group.iter().position(|&at| at == merge)
    }

    /// The shapes of each merge, as a fixed point.
    fn spread(&self, seen: &[Vec<TypedSource>]) -> Option<Vec<Vec<Shape>>> {
        let mut shapes: Vec<Vec<Shape>> = vec![Vec::new(); seen.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for at in 0..seen.len() {
                for seen in &seen[at] {
                    let new: Vec<Shape> = match seen {
                        TypedSource::Nothing => Vec::new(),
                        TypedSource::Shape(shape, _) => vec![shape.clone()],
                        TypedSource::Inner(other, inner) => {
                            let from = shapes.get(self.place(*other)?)?;
                            from.iter().map(|shape| further(shape, inner)).collect::<Option<_>>()?
                        }
                        TypedSource::Step(other, _, stride) => {
                            let from = shapes.get(self.place(*other)?)?.clone();
                            let fits = |shape: &Shape| {
                                shape.levels.last().is_some_and(|level| level.stride == *stride)
                            };
                            if !from.iter().all(fits) {
                                return None;
                            }
                            from
                        }
                    };
                    for shape in new {
                        if !shapes[at].contains(&shape) {
                            shapes[at].push(shape);
                            changed = true;
                        }
                    }
                    if shapes[at].len() > MAX_SHAPES {
                        return None;
                    }
                }
            }
        }
        Some(shapes)
    }

    fn source_plan(&self, seen: TypedSource, own: &[Shape], shapes: &[Vec<Shape>]) -> Option<SourcePlan> {
        let number = |shape: &Shape| own.iter().position(|known| known == shape);
        Some(match seen {
            TypedSource::Nothing => SourcePlan { which: Which::Is(0), own: Vec::new(), shift: 0 },
            TypedSource::Shape(shape, numbers) => {
                SourcePlan { which: Which::Is(number(&shape)?), own: numbers, shift: 0 }
            }
            TypedSource::Inner(other, inner) => {
                let from = shapes.get(self.place(other)?)?.iter();
                let to = from.map(|shape| number(&further(shape, &inner)?)).collect::<Option<_>>()?;
                let shift = inner.numbers.len();
                SourcePlan { which: Which::Of(other, to), own: inner.numbers, shift }
            }
            TypedSource::Step(other, by, _) => {
                let from = shapes.get(self.place(other)?)?.iter();
                let to = from.map(number).collect::<Option<_>>()?;
                SourcePlan { which: Which::Of(other, to), own: vec![by], shift: 0 }
            }
        })
    }
}

/// The shape of a place inside another shape.
fn further(shape: &Shape, inner: &Counted) -> Option<Shape> {
    let levels: Vec<Level> = shape.levels.iter().chain(&inner.levels).copied().collect();
    Some(Shape { start: shape.start, offset: shape.offset.checked_add(inner.offset)?, levels })
}
