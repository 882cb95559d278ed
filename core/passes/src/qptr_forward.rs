//! `qptr-forward`: forwards stored and loaded bytes to later loads of untyped memory.
//!
//! ```text
//! store %1, %2 {offset 16}                  store %1, %2 {offset 16}
//! store %1, %3 {offset 32}             =>   store %1, %3 {offset 32}
//! %4: b32 = load %1 {offset 20}             %4: b32 = swizzle %2.y
//! ```
//!
//! Visits blocks with a table of known bytes, keyed by address: its start, its indices, and a constant offset.
//! With equal starts and equal indices, disjoint ranges do not alias; any other two ranges of one variable may
//! alias. Two variables share no bytes unless they are declared `aliased` or have one binding. The components
//! of a known vector are known. A block inherits the table of its single predecessor, so a branch target has
//! the facts from before the branch, and a merge block starts with an empty table.
//!
//! Barriers, atomics and calls invalidate memory that other invocations may change; calls, and accesses through
//! paths or unknown pointers, invalidate everything. Unchanged: volatile and coherent memory and accesses,
//! values stored to buffers in a fragment shader, because helper invocations do not store, and loads of another
//! width than was stored. The table holds the 64 latest ranges.
//!
//! With `trusting`, accesses are assumed to be in bounds, as in `copy-prop-vars`: a stored value is forwarded
//! even if the store was out of bounds. With `robust`, a stored value is forwarded only if it is inside a
//! variable of known size for all values of the indices; a loaded value is forwarded in any case, since both
//! loads are out of bounds together.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::memory::{has_helpers, is_private, is_relaxed};
use crate::util::places::{BytePlace, Places, component_bytes};
use crate::util::ranges::Ranges;
use std::rc::Rc;
use vitrine_analysis::{Analyses, Cfg};
use vitrine_ir::base::SideTable;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, Key, MemoryOp, Op, Props, ValueType, Width};
use vitrine_ir::{Block, Editor, InsertPoint, Inst, Mode, Reason, Refusal};

options! {
    /// The values that are forwarded.
    struct Forwarded {
        choice bounds: Bounds {
            /// Assumes that no access is out of bounds.
            Trusting "trusting",
            /// Assumes that stores out of bounds have no effect.
            Robust "robust",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Forwards stored and loaded bytes to later loads of untyped memory.",
    options: Forwarded::INFO,
    ..PassInfo::edits("qptr-forward", opening!("qptr_forward.rs"), |ed, cx| {
        qptr_forward(ed, Forwarded::of(cx.options).bounds, cx.analyses)
    })
};

const WHY: Reason = Reason::Note("these bytes are known");

/// The maximum number of ranges in the table.
const MAX_KNOWN: usize = 64;

/// The maximum number of iterations. Indices that become equal make addresses equal; two iterations are
/// typical.
const MAX_ITERATIONS: usize = 16;

/// Forwards values. Near-linear; idempotent; both shapes. A load is a unit of fuel.
fn qptr_forward(ed: &mut Editor<'_>, bounds: Bounds, analyses: &mut Analyses) -> Result<(), Refusal> {
    for _ in 0..MAX_ITERATIONS {
        let before = ed.journal().len();
        if !Walk::new(ed, bounds, analyses).all(ed)? || ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

/// A byte range with a known value.
#[derive(Clone, Copy)]
struct Known {
    place: BytePlace,
    value: Inst,
}

struct Walk {
    places: Places,
    cfg: Rc<Cfg>,
    helpers: bool,
    /// The ranges of indices, if stores out of bounds have no effect.
    ranges: Option<Ranges>,
    /// The table at the end of each block with pending successors, and the number of those.
    ends: SideTable<Block, Option<(Vec<Known>, usize)>>,
}

impl Walk {
    fn new(ed: &Editor<'_>, bounds: Bounds, analyses: &mut Analyses) -> Walk {
        let cfg = analyses.get::<Cfg>(ed.module(), ed.id());
        let places = Places::of(ed, &cfg);
        let (places, ranges) = match bounds {
            Bounds::Trusting => (places, None),
            Bounds::Robust => (places.exact(), Some(Ranges::of(ed))),
        };
        let helpers = has_helpers(ed.module());
        Walk { places, cfg, helpers, ranges, ends: SideTable::with_default(None) }
    }

    /// Visits all reachable blocks. Returns false if fuel ran out.
    fn all(mut self, ed: &mut Editor<'_>) -> Result<bool, Refusal> {
        for block in self.cfg.rpo().to_vec() {
            let mut known = self.at_start(block);
            let insts = ed.func().block(block).insts.clone();
            for &inst in insts.iter() {
                if !self.inst(ed, inst, &mut known)? {
                    return Ok(false);
                }
            }
            let cfg = &self.cfg;
            let after = cfg.succs(block).filter(|&next| cfg.preds(next).len() == 1).count();
            if after > 0 {
                self.ends[block] = Some((known, after));
            }
        }
        Ok(true)
    }

    /// The table at the start of a block.
    fn at_start(&mut self, block: Block) -> Vec<Known> {
        let mut preds = self.cfg.preds(block);
        let (Some(before), 0) = (preds.next(), preds.len()) else { return Vec::new() };
        drop(preds);
        let Some((known, left)) = self.ends[before].take() else { return Vec::new() };
        if left > 1 {
            self.ends[before] = Some((known.clone(), left - 1));
        }
        known
    }

    /// Returns true if bytes are known or assumed to be in bounds.
    fn is_in_bounds(&self, ed: &Editor<'_>, at: Inst, place: BytePlace) -> bool {
        let Some(ranges) = &self.ranges else { return true };
        self.places.is_inside(ed, at, place, |index| ranges.get(index))
    }

    /// Processes an instruction. Returns false if fuel ran out.
    fn inst(&mut self, ed: &mut Editor<'_>, inst: Inst, known: &mut Vec<Known>) -> Result<bool, Refusal> {
        let data = ed.func().inst(inst).clone();
        match (data.op, &data.args[..]) {
            (Op::Memory(MemoryOp::Load), &[at]) if ed.func().ty(at) == ValueType::Ptr => {
                let Some(place) = self.places.place(ed, at, &data, data.ty).filter(|_| is_relaxed(&data))
                else {
                    return Ok(true);
                };
                match found(known, place)
                    .filter(|&(value, _)| ed.is_visible(value, InsertPoint::Before(inst)))
                {
                    Some(_) if !ed.consume_fuel() => return Ok(false),
                    Some((value, component)) => {
                        let value = part(ed, inst, place.ty, value, component)?;
                        ed.replace(inst, value, WHY)?;
                    }
                    // Of a vector that crosses the end, some components may be in bounds when loaded
                    // separately.
                    None if place.ty.components() == 1 || self.is_in_bounds(ed, at, place) => {
                        add_known(known, Known { place, value: inst });
                    }
                    None => {}
                }
            }
            (Op::Memory(MemoryOp::Store), &[at, value]) if ed.func().ty(at) == ValueType::Ptr => {
                let Some(var) = self.places.var(at) else {
                    known.clear();
                    return Ok(true);
                };
                let place = self.places.place(ed, at, &data, ed.func().ty(value));
                known.retain(|entry| !self.places.may_meet(var, place, entry.place));
                let mode = self.places.mode(ed.module(), var);
                let kept = !self.helpers || is_private(mode) || mode == Some(Mode::Out);
                let plain = is_relaxed(&data) && !data.attrs.has(Key::Mask);
                if let Some(place) = place.filter(|&place| plain && kept && self.is_in_bounds(ed, at, place))
                {
                    add_known(known, Known { place, value });
                }
            }
            (Op::Basic(BasicOp::Call), _) => known.clear(),
            (op, args) => {
                let props = op.props();
                if !props.has(Props::WRITES) && !props.has(Props::MEMORY_BARRIER) {
                    return Ok(true);
                }
                // An operand that is an address may refer to any place.
                let leads = args.iter().any(|&arg| ed.func().ty(arg).is_opaque());
                let module = ed.module();
                known.retain(|entry| !leads && is_private(self.places.mode(module, entry.place.var)));
            }
        }
        Ok(true)
    }
}

/// The latest value that equals some bytes or contains all of them, and the component at which they start.
fn found(known: &[Known], place: BytePlace) -> Option<(Inst, u8)> {
    let all = || known.iter().rev().filter_map(|entry| Some((entry, component_of(entry.place, place)?)));
    let whole = all().find(|&(entry, component)| entry.place.ty == place.ty && component == 0);
    // Booleans are kept whole: the representation of their bytes is unspecified.
    let has = |&(entry, component): &(&Known, u8)| {
        let end = component.checked_add(place.ty.components());
        place.ty.width() != Some(Width::W1) && end.is_some_and(|end| end <= entry.place.ty.components())
    };
    whole.or_else(|| all().find(has)).map(|(entry, component)| (entry.value, component))
}

/// The component of some bytes at which others start, if both have components of one width.
fn component_of(whole: BytePlace, part: BytePlace) -> Option<u8> {
    let distance = part.offset.checked_sub(whole.offset)?;
    let bytes = component_bytes(part.ty);
    let same = whole.path == part.path && whole.ty.width() == part.ty.width();
    u8::try_from(distance / bytes).ok().filter(|_| same && distance >= 0 && distance % bytes == 0)
}

/// The components of a value from a given one on.
fn part(ed: &mut Editor<'_>, at: Inst, ty: ValueType, value: Inst, component: u8) -> Result<Inst, Refusal> {
    if ed.func().ty(value) == ty {
        return Ok(value);
    }
    let components: Vec<u8> = (component..component + ty.components()).collect();
    let mut b = ed.build(InsertPoint::Before(at), WHY);
    let part = b.swizzle(value, &components);
    b.finish()?;
    Ok(part)
}

/// Adds a range to the table, and evicts the oldest if it is full.
fn add_known(known: &mut Vec<Known>, new: Known) {
    if known.len() >= MAX_KNOWN {
        known.remove(0);
    }
    known.push(new);
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_ir::Var;
    use vitrine_ir::base::EntityId;

    #[test]
    fn parts_of_known_bytes_are_known() {
        let place = |offset, components| BytePlace {
            var: Var::from_index(0),
            path: 0,
            offset,
            ty: ValueType::bits(Width::W32, components),
        };
        let known = [Known { place: place(16, 4), value: Inst::from_index(7) }];
        for (offset, components, wanted) in
            [(16, 4, Some(0)), (20, 2, Some(1)), (28, 1, Some(3)), (28, 2, None)]
        {
            assert_eq!(found(&known, place(offset, components)).map(|found| found.1), wanted);
        }
        assert!(found(&known, place(12, 1)).is_none() && found(&known, place(18, 1)).is_none());
    }
}
