//! How the pointers of a group are counted: which shapes each may have, and which numbers each source brings.
//!
//! ```text
//! %p: from $a.x[%i] and from $b.y[2]            shapes 0: $a.x[n0]  1: $b.y[n0]
//! %q: from %p and from $a.x[0]                  a source brings: shape 0, n0 = %i; shape 1, n0 = 2; …
//! ```
//!
//! Decides, and changes nothing. A shape that leads further in from one of another merge is another shape.

use super::bytes;
use super::found::{Found, From, Merge, Source};
use crate::ir::Editor;
use crate::ir::layout::Sizes;
use crate::passes::util::ptr_shape::{Counted, Level, Shape, Start, counted};
use crate::passes::util::route::{Hop, Index, Linear, Want, stepped};

/// Most shapes of one pointer.
const MOST_SHAPES: usize = 64;

/// How one merge is counted.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// What it may be, by number.
    pub(super) shapes: Vec<Shape>,
    /// How many numbers are brought.
    pub(super) numbers: usize,
    /// What each of its sources brings.
    pub(super) ways: Vec<Way>,
}

/// What a source brings.
#[derive(Clone, Debug)]
pub(super) struct Way {
    /// Which shape.
    pub(super) which: Which,
    /// Its own numbers, the innermost first.
    pub(super) own: Vec<Linear>,
    /// The number to which the first number of the merge it counts from is added.
    pub(super) shift: usize,
}

/// Which shape a source brings.
#[derive(Clone, Debug)]
pub(super) enum Which {
    /// This one.
    Is(usize),
    /// For each shape of another merge one.
    Of(usize, Vec<usize>),
}

/// How each merge of a group is counted; none where the group stays.
pub(super) fn plan(ed: &Editor<'_>, sizes: &mut Sizes, found: &Found, group: &[usize]) -> Option<Vec<Plan>> {
    let can = |plans: &Vec<Plan>| {
        group.iter().zip(plans).all(|(&at, plan)| can(ed, found, &found.merges[at], plan))
    };
    let first = Planner { ed, sizes, found, group, stepping: false }.declared().filter(can);
    if first.is_some() {
        return first;
    }
    let second = bytes::plan(ed, sizes, found, group).filter(can);
    if second.is_some() {
        return second;
    }
    Planner { ed, sizes, found, group, stepping: true }.declared().filter(can)
}

/// Whether a merge can be what is planned.
fn can(ed: &Editor<'_>, found: &Found, merge: &Merge, plan: &Plan) -> bool {
    let Some(first) = plan.shapes.first() else { return false };
    if plan.shapes.len() == 1 {
        return true;
    }
    let is_known = |start: Start| match start {
        Start::Var(..) | Start::Resource(..) => true,
        Start::Value(value) => ed.func().params().contains(&value),
    };
    // What all sources start at is known wherever the merge is.
    let one_start = plan.shapes.iter().all(|shape| shape.start == first.start);
    let known = one_start || plan.shapes.iter().all(|shape| is_known(shape.start));
    known && found.readers(ed, merge.value).is_some()
}

/// Counts by declared types.
struct Planner<'a, 'e> {
    ed: &'a Editor<'e>,
    sizes: &'a mut Sizes,
    found: &'a Found,
    group: &'a [usize],
    /// Whether a pointer may be moved to another element of the array it is in.
    stepping: bool,
}

/// A source, within the types.
enum Seen {
    Shape(Shape, Vec<Linear>),
    /// Further in from another merge.
    Inner(usize, Counted),
    /// So many elements on.
    Step(usize, Linear, u32),
    Nothing,
}

impl Planner<'_, '_> {
    fn declared(&mut self) -> Option<Vec<Plan>> {
        let (found, group) = (self.found, self.group);
        let mut seen: Vec<Vec<Seen>> = Vec::new();
        for &at in group {
            let merge = &found.merges[at];
            seen.push(merge.sources.iter().map(|source| self.see(merge, source)).collect::<Option<_>>()?);
        }
        let shapes = self.spread(&seen)?;
        let mut plans = Vec::new();
        for (seen, own) in seen.into_iter().zip(&shapes) {
            let numbers = own.iter().map(|shape| shape.levels.len()).max()?;
            let ways = seen.into_iter().map(|seen| self.way(seen, own, &shapes)).collect::<Option<_>>()?;
            plans.push(Plan { shapes: own.clone(), numbers, ways });
        }
        Some(plans)
    }

    fn see(&mut self, merge: &Merge, source: &Source) -> Option<Seen> {
        let wanted = merge.declared?;
        let (module, at) = (self.ed.module(), (source.offset, &source.terms[..]));
        match source.from {
            From::Nothing => Some(Seen::Nothing),
            From::Start(start) => {
                let ty = start.declared(module, self.ed.func())?;
                let Counted { offset, levels, numbers } = counted(module, self.sizes, ty, at, wanted)?;
                Some(Seen::Shape(Shape { start, offset, levels }, numbers))
            }
            From::Merge(other) => {
                let ty = self.found.merges.get(other)?.declared?;
                if let Some(counted) = counted(module, self.sizes, ty, at, wanted) {
                    return Some(Seen::Inner(other, counted));
                }
                let found = stepped(module, self.sizes, ty, at.0, at.1, Want::Type(wanted))
                    .filter(|_| self.stepping)?;
                match &found.hops[..] {
                    [Hop::Step(Index::Is(by), stride)] => {
                        let natural = self.sizes.of(module, module, ty);
                        let natural = natural.bytes.next_multiple_of(natural.align.max(1));
                        let stride = if *stride == 0 { u32::try_from(natural).ok()? } else { *stride };
                        Some(Seen::Step(other, by.clone(), stride))
                    }
                    _ => None,
                }
            }
        }
    }

    /// The number of a merge within the group.
    fn place(&self, merge: usize) -> Option<usize> {
        self.group.iter().position(|&at| at == merge)
    }

    /// The shapes of each merge, until nothing changes.
    fn spread(&self, seen: &[Vec<Seen>]) -> Option<Vec<Vec<Shape>>> {
        let mut shapes: Vec<Vec<Shape>> = vec![Vec::new(); seen.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for at in 0..seen.len() {
                for seen in &seen[at] {
                    let new: Vec<Shape> = match seen {
                        Seen::Nothing => Vec::new(),
                        Seen::Shape(shape, _) => vec![shape.clone()],
                        Seen::Inner(other, inner) => {
                            let from = shapes.get(self.place(*other)?)?;
                            from.iter().map(|shape| further(shape, inner)).collect::<Option<_>>()?
                        }
                        Seen::Step(other, _, stride) => {
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
                    if shapes[at].len() > MOST_SHAPES {
                        return None;
                    }
                }
            }
        }
        Some(shapes)
    }

    fn way(&self, seen: Seen, own: &[Shape], shapes: &[Vec<Shape>]) -> Option<Way> {
        let number = |shape: &Shape| own.iter().position(|known| known == shape);
        Some(match seen {
            Seen::Nothing => Way { which: Which::Is(0), own: Vec::new(), shift: 0 },
            Seen::Shape(shape, numbers) => Way { which: Which::Is(number(&shape)?), own: numbers, shift: 0 },
            Seen::Inner(other, inner) => {
                let from = shapes.get(self.place(other)?)?.iter();
                let to = from.map(|shape| number(&further(shape, &inner)?)).collect::<Option<_>>()?;
                let shift = inner.numbers.len();
                Way { which: Which::Of(other, to), own: inner.numbers, shift }
            }
            Seen::Step(other, by, _) => {
                let from = shapes.get(self.place(other)?)?.iter();
                let to = from.map(number).collect::<Option<_>>()?;
                Way { which: Which::Of(other, to), own: vec![by], shift: 0 }
            }
        })
    }
}

/// What lies further in from a shape.
fn further(shape: &Shape, inner: &Counted) -> Option<Shape> {
    let levels: Vec<Level> = shape.levels.iter().chain(&inner.levels).copied().collect();
    Some(Shape { start: shape.start, offset: shape.offset.checked_add(inner.offset)?, levels })
}
