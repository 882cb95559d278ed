//! `qptr-forward`: forwards stored and loaded bytes to later loads of untyped memory.
//!
//! ```text
//! store %1, %2 {offset 16}                  store %1, %2 {offset 16}
//! store %1, %3 {offset 32}             =>   store %1, %3 {offset 32}
//! %4: b32 = load %1 {offset 20}             %4: b32 = swizzle %2.y
//! ```
//!
//! A walk with a table of which bytes are known, by what an address is made of: where it begins, its indices,
//! constant bytes. Of one beginning and the same indices, ranges that share no byte have nothing to do with each
//! other; of one variable, anything else may be the same bytes. Two variables share none, unless they say that they
//! may (`aliased`), or have one binding. Components of a vector are known where all of it is. A block knows what its one
//! predecessor knew, so a branch knows what was before it, and a block where ways meet knows nothing.
//!
//! Barriers, atomics and calls end what others may see; a call, and anything that is done through a path or a pointer
//! of which nothing is known, end everything. Left alone: volatile and coherent memory and accesses, what is stored
//! to buffers in a fragment shader, whose helper invocations store nothing, and numbers of another width than was stored.
//! The 64 latest ranges are known.
//!
//! With `trusting` an access past the end of memory is taken not to happen, as in `copy-prop-vars`: what was stored
//! there is read back, where nothing would be. With `robust` what is stored is known only where it lies inside of a
//! variable of so many bytes, whatever its indices are; a number that was loaded is known in any case, since nothing
//! is there both times.

use super::pass::{OptionInfo, PassInfo};
use crate::analysis::Cfg;
use crate::base::SideTable;
use crate::base::opening::opening;
use crate::ir::{Block, Editor, InsertPoint, Inst, Mode, Reason, Refusal};
use crate::ops::{BasicOp, Key, MemoryOp, Op, Props, ValueType, Width};
use crate::passes::util::memory::{has_helpers, is_private, is_relaxed};
use crate::passes::util::places::{Place, Places, component_bytes};
use crate::passes::util::ranges::Ranges;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Forwards stored and loaded bytes to later loads of untyped memory.",
    options: &[
        OptionInfo::Word("trusting", "Assumes that no access is out of bounds."),
        OptionInfo::Word("robust", "Assumes that stores out of bounds have no effect."),
    ],
    ..PassInfo::edits("qptr-forward", opening!("qptr_forward.rs"), |ed, options| {
        qptr_forward(ed, options.word == "robust")
    })
};

const WHY: Reason = Reason::Note("these bytes are known");

/// Most ranges known at once.
const MOST_KNOWN: usize = 64;

/// Rounds. Indices that turn out to be one value make addresses one; two rounds are the rule.
const MOST_ROUNDS: usize = 16;

/// Forwards. Near-linear; idempotent; both shapes. A load is a unit of fuel.
///
/// Error: a refusal of the editor, which a valid function never meets.
fn qptr_forward(ed: &mut Editor<'_>, robust: bool) -> Result<(), Refusal> {
    for _ in 0..MOST_ROUNDS {
        let before = ed.journal().len();
        if !Walk::new(ed, robust).all(ed)? || ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

/// Bytes that are known.
#[derive(Clone, Copy)]
struct Known {
    place: Place,
    value: Inst,
}

struct Walk {
    places: Places,
    cfg: Cfg,
    helpers: bool,
    /// Between which numbers indices lie, where a store past the end comes to nothing.
    ranges: Option<Ranges>,
    /// What was known at the end of blocks that others go on from, and how many those still are.
    ends: SideTable<Block, Option<(Vec<Known>, usize)>>,
}

impl Walk {
    fn new(ed: &Editor<'_>, robust: bool) -> Walk {
        let cfg = Cfg::of(ed.func());
        let places = Places::of(ed, &cfg);
        Walk {
            places: if robust { places.exact() } else { places },
            cfg,
            helpers: has_helpers(ed.module()),
            ranges: robust.then(|| Ranges::of(ed)),
            ends: SideTable::with_default(None),
        }
    }

    /// Walks all blocks that are reached. Whether there was fuel enough.
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

    /// What is known where a block begins.
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

    /// Whether bytes are known to be there, or taken to be.
    fn is_there(&self, ed: &Editor<'_>, at: Inst, place: Place) -> bool {
        let Some(ranges) = &self.ranges else { return true };
        self.places.is_inside(ed, at, place, |index| ranges.get(index))
    }

    /// Looks at an instruction. Whether there was fuel enough.
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
                    // Of a vector that ends past the end, components may be there when they are loaded by themselves.
                    None if place.ty.components() == 1 || self.is_there(ed, at, place) => {
                        learn(known, Known { place, value: inst });
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
                if let Some(place) = place.filter(|&place| plain && kept && self.is_there(ed, at, place)) {
                    learn(known, Known { place, value });
                }
            }
            (Op::Basic(BasicOp::Call), _) => known.clear(),
            (op, args) => {
                let props = op.props();
                if !props.has(Props::WRITES) && !props.has(Props::MEMORY_BARRIER) {
                    return Ok(true);
                }
                // Whatever has an address may lead anywhere.
                let leads = args.iter().any(|&arg| ed.func().ty(arg).is_opaque());
                let module = ed.module();
                known.retain(|entry| !leads && is_private(self.places.mode(module, entry.place.var)));
            }
        }
        Ok(true)
    }
}

/// A value that is some bytes, or has all of them in it, the latest first; and the component at which they begin.
fn found(known: &[Known], place: Place) -> Option<(Inst, u8)> {
    let all = || known.iter().rev().filter_map(|entry| Some((entry, component_of(entry.place, place)?)));
    let whole = all().find(|&(entry, component)| entry.place.ty == place.ty && component == 0);
    // Truth values are kept whole: what else their bytes may hold, nobody says.
    let has = |&(entry, component): &(&Known, u8)| {
        let end = component.checked_add(place.ty.components());
        place.ty.width() != Some(Width::W1) && end.is_some_and(|end| end <= entry.place.ty.components())
    };
    whole.or_else(|| all().find(has)).map(|(entry, component)| (entry.value, component))
}

/// The component of some bytes at which others begin, where both have components of one width.
fn component_of(whole: Place, part: Place) -> Option<u8> {
    let distance = part.offset.checked_sub(whole.offset)?;
    let bytes = component_bytes(part.ty);
    let same = whole.path == part.path && whole.ty.width() == part.ty.width();
    u8::try_from(distance / bytes).ok().filter(|_| same && distance >= 0 && distance % bytes == 0)
}

/// The components of a value from one on.
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

/// Knows one range more, in place of the oldest where there are too many.
fn learn(known: &mut Vec<Known>, new: Known) {
    if known.len() >= MOST_KNOWN {
        known.remove(0);
    }
    known.push(new);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::EntityId;
    use crate::ir::Var;

    #[test]
    fn a_part_of_what_is_known_is_known() {
        let place = |offset, components| Place {
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
