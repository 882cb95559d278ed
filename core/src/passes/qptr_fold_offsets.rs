//! `qptr-fold-offsets`: folds constant offsets of untyped pointers into loads and stores.
//!
//! ```text
//! %2: ptr = ptr.offset %1 {offset 16}
//! %3: ptr = ptr.dyn_offset %2, %i {stride 32, range 320}      %3: ptr = ptr.dyn_offset %1, %j {stride 32, range 352}
//! %4: ptr = ptr.offset %3 {offset 12}                    =>   %6: b32 = load %3 {offset -16}
//! %6: b32 = load %4 {offset 4}
//! ```
//!
//! Where `%i` is `%j - 1`: constants are taken out of indices too. Loads and stores then name the same bytes in the
//! same way, which is what `qptr-forward` and `cse` look at, and steps by nothing but an index are shared.
//!
//! * A step from a step is one; a step by nothing is none; a step by a constant index that may be reached is a constant one.
//! * Loads and stores take what is constant of the steps before them.
//! * Through a step by an index a constant moves on only if all that is made of it are loads, stores and steps of this
//!   kind, which take it up. An index below 0 would lead before memory in between, where addresses end: so the step says how
//!   far it may reach, which no such index does, or the index is known to be none.
//! * Out of an index comes a constant that is added, where the sum is known not to wrap round.
//!
//! Distances of more than 31 bits stay as they are, as do steps of one stride in a row.

use super::pass::PassInfo;
use crate::analysis::{Cfg, Dom, Range, offset_of};
use crate::base::SideTable;
use crate::base::opening::opening;
use crate::ir::{Args, Block, Editor, InsertPoint, Inst, InstData, Reason, Refusal, Use};
use crate::ops::{IntOp, Key, MemoryOp, Op, PtrOp, ValueType, Width};
use crate::passes::util::open::{in_order, insts_in_order};
use std::rc::Rc;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Folds constant offsets of untyped pointers into loads and stores.",
    idempotent: false, // what is left of an index may add a constant again
    ..PassInfo::edits("qptr-fold-offsets", opening!("qptr_fold_offsets.rs"), |ed, _| qptr_fold_offsets(ed))
};

const STEPS: Reason = Reason::Note("constant offsets are combined");
const ACCESS: Reason = Reason::Note("the offset is folded into the access");
const INDEX: Reason = Reason::Note("the constant part of the address comes last");

/// Largest distance that is moved through an index: twice as far still fits 32 bits.
const MOST_BYTES: i64 = 1 << 30;

/// A pointer as another one and a constant number of bytes.
type Split = (Inst, i64);

/// Folds. Near-linear; both shapes. A step or an access is a unit of fuel, and so is all that moves through indices.
///
/// Error: a refusal of the editor, which a valid function never meets.
fn qptr_fold_offsets(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let steps = |op| matches!(op, Op::Ptr(PtrOp::Offset | PtrOp::DynOffset));
    if !insts_in_order(ed.func()).iter().any(|&inst| steps(ed.func().inst(inst).op)) {
        return Ok(());
    }
    Folder::new(Moves::default()).fold(ed)?;
    let moves = Moves::of(ed, &insts_in_order(ed.func()));
    if moves.any && ed.consume_fuel() {
        Folder::new(moves).fold(ed)?;
    }
    Ok(())
}

/// Brings constants together, in definition order.
struct Folder {
    /// Pointers that are another one and a constant. A step by an index that gave away what is constant is itself and
    /// that.
    splits: SideTable<Inst, Option<Split>>,
    moves: Moves,
    /// Steps by nothing, and where they start.
    nothing: Vec<(Inst, Inst)>,
}

impl Folder {
    fn new(moves: Moves) -> Folder {
        Folder { splits: SideTable::with_default(None), moves, nothing: Vec::new() }
    }

    fn fold(mut self, ed: &mut Editor<'_>) -> Result<(), Refusal> {
        for inst in insts_in_order(ed.func()) {
            let data = ed.func().inst(inst).clone();
            let Some(&from) = data.args.first() else { continue };
            let split = self.splits[from].unwrap_or((from, 0));
            let enough = match data.op {
                Op::Ptr(PtrOp::DynOffset) if self.moves.through[inst].moves => {
                    self.by_index(ed, inst, data, split)?;
                    true
                }
                Op::Ptr(PtrOp::Offset | PtrOp::DynOffset) => self.step(ed, inst, &data, split)?,
                Op::Memory(MemoryOp::Load | MemoryOp::Store) => self.access(ed, inst, data, split)?,
                _ => true,
            };
            if !enough {
                break;
            }
        }
        // Now that nobody asks where they start.
        for (inst, start) in self.nothing {
            // Refused only in code that is never reached, where two steps may lead to each other.
            let _ = ed.replace(inst, start, STEPS);
        }
        Ok(())
    }

    /// Whether there is fuel for a rewrite; what moves through indices is paid as a whole.
    fn may(&self, ed: &mut Editor<'_>) -> bool {
        self.moves.any || ed.consume_fuel()
    }

    /// The pointer that an instruction reads as it was, where what was constant of it has moved on.
    fn whole(&self, ed: &mut Editor<'_>, inst: Inst, (base, bytes): Split) -> Result<Inst, Refusal> {
        let from = ed.func().inst(inst).args.first().copied().unwrap_or(base);
        if base != from || bytes == 0 {
            return Ok(from);
        }
        let step = InstData::new(PtrOp::Offset, ValueType::Ptr, &[base]).with(Key::Offset, bytes as u64);
        ed.insert(InsertPoint::Before(inst), step, INDEX)
    }

    /// A step that is constant becomes one from where the bytes begin. Whether there was fuel enough.
    fn step(
        &mut self,
        ed: &mut Editor<'_>,
        inst: Inst,
        data: &InstData,
        (base, bytes): Split,
    ) -> Result<bool, Refusal> {
        let Some(own) = constant(ed, data) else { return Ok(true) };
        let (start, total) = match bytes.checked_add(own).filter(|&total| fits(total)) {
            Some(total) => (base, total),
            None => (self.whole(ed, inst, (base, bytes))?, own),
        };
        let step = InstData::new(PtrOp::Offset, ValueType::Ptr, &[start]).with(Key::Offset, total as u64);
        if step != *data || total == 0 {
            if !self.may(ed) {
                return Ok(false);
            }
            if ed.rewrite(inst, step, STEPS).is_err() {
                return Ok(true);
            }
        }
        if total == 0 {
            self.nothing.push((inst, start));
        }
        self.splits[inst] = Some((start, total));
        Ok(true)
    }

    /// A step by an index gives away what is constant of it.
    fn by_index(
        &mut self,
        ed: &mut Editor<'_>,
        inst: Inst,
        data: InstData,
        (base, bytes): Split,
    ) -> Result<(), Refusal> {
        let Through { index, range, bytes: own, .. } = self.moves.through[inst];
        let attrs = match range {
            Some(range) => data.attrs.with(Key::Range, u64::from(range)),
            None => data.attrs.clone(),
        };
        let Some(index) = index.or(data.args.get(1).copied()) else { return Ok(()) };
        ed.rewrite(inst, InstData { args: Args::new(&[base, index]), attrs, ..data }, INDEX)?;
        self.splits[inst] = Some((inst, bytes.saturating_add(own)));
        Ok(())
    }

    /// A load or a store takes what is constant of its address. Whether there was fuel enough.
    fn access(
        &mut self,
        ed: &mut Editor<'_>,
        inst: Inst,
        data: InstData,
        (base, bytes): Split,
    ) -> Result<bool, Refusal> {
        if data.args.first() == Some(&base) && bytes == 0 {
            return Ok(true);
        }
        let (base, total) = match offset_of(&data).checked_add(bytes).filter(|&total| fits(total)) {
            Some(total) => (base, total),
            None => (self.whole(ed, inst, (base, bytes))?, offset_of(&data)),
        };
        let attrs = match total {
            0 => data.attrs.without(Key::Offset),
            total => data.attrs.with(Key::Offset, total as u64),
        };
        let args = data.args.iter().enumerate().map(|(at, &arg)| if at == 0 { base } else { arg }).collect();
        let data = InstData { args, attrs, ..data };
        if data == *ed.func().inst(inst) {
            return Ok(true);
        }
        if !self.may(ed) {
            return Ok(false);
        }
        ed.rewrite(inst, data, ACCESS)?;
        Ok(true)
    }
}

fn fits(bytes: i64) -> bool {
    i32::try_from(bytes).is_ok()
}

/// Bytes of a step that is constant: one by a number of bytes, or by a constant index that may be reached.
fn constant(ed: &Editor<'_>, data: &InstData) -> Option<i64> {
    if data.op == Op::Ptr(PtrOp::Offset) {
        return Some(offset_of(data));
    }
    let &index = data.args.get(1)?;
    let number = ed.bits_of(index)?.component(0).as_i64();
    let stride = data.attrs.get(Key::Stride)?;
    let count = data.attrs.get(Key::Range).and_then(|range| range.checked_div(stride));
    let inside = count.is_none_or(|count| u64::try_from(number).is_ok_and(|number| number < count));
    let bytes = number.checked_mul(i64::try_from(stride).ok()?)?;
    (inside && fits(bytes)).then_some(bytes)
}

/// What moves through a step by an index.
#[derive(Clone, Copy, Default)]
struct Through {
    /// All that is made of it takes up constants, and so does it.
    moves: bool,
    /// Bytes that come out of its index, and what is left of that.
    bytes: i64,
    index: Option<Inst>,
    /// How far it may reach then, if that changes.
    range: Option<u32>,
}

/// The steps by an index that constants move through.
struct Moves {
    through: SideTable<Inst, Through>,
    /// Whether anything does.
    any: bool,
}

impl Default for Moves {
    fn default() -> Moves {
        Moves { through: SideTable::with_default(Through::default()), any: false }
    }
}

impl Moves {
    /// Finds them, last steps first.
    fn of(ed: &Editor<'_>, order: &[Inst]) -> Moves {
        let mut moves = Moves::default();
        let is_step = |inst: &&Inst| ed.func().inst(**inst).op == Op::Ptr(PtrOp::DynOffset);
        if !order.iter().any(|inst| is_step(&inst)) {
            return moves;
        }
        let known = Known::of(ed);
        for &inst in order.iter().rev().filter(is_step) {
            let data = ed.func().inst(inst);
            let takes = |place: Use| match place {
                Use::Arg(user, 0) => match ed.func().inst(user).op {
                    Op::Memory(MemoryOp::Load | MemoryOp::Store) | Op::Ptr(PtrOp::Offset) => true,
                    Op::Ptr(PtrOp::DynOffset) => moves.through[user].moves,
                    _ => false,
                },
                Use::Arg(..) | Use::Terminator(..) | Use::Node(_) => false,
            };
            let Some(&index) = data.args.get(1) else { continue };
            // What moves through comes behind the index.
            let safe = data.attrs.has(Key::Range) || known.is_positive(index, inst);
            if !safe || !ed.uses(inst).all(takes) {
                continue;
            }
            let taken = known.taken_out(ed, inst, data).unwrap_or_default();
            moves.through[inst] = Through { moves: true, ..taken };
        }
        // Only where there is something to move.
        let mut brings: SideTable<Inst, i64> = SideTable::with_default(0);
        for &inst in order {
            let data = ed.func().inst(inst);
            let Some(&from) = data.args.first() else { continue };
            match data.op {
                Op::Ptr(PtrOp::Offset) => {
                    let from = if moves.through[from].moves { brings[from] } else { 0 };
                    brings[inst] = from.saturating_add(offset_of(data));
                }
                Op::Ptr(PtrOp::DynOffset) => {
                    let bytes = brings[from].saturating_add(moves.through[inst].bytes);
                    if moves.through[inst].moves && bytes.abs() >= MOST_BYTES {
                        // Too far: nothing moves in this function.
                        return Moves::default();
                    }
                    if moves.through[inst].moves {
                        brings[inst] = bytes;
                        moves.any |= bytes != 0;
                    }
                }
                _ => {}
            }
        }
        moves
    }
}

/// What is known of indices.
struct Known {
    range: Range,
    homes: SideTable<Inst, Option<Block>>,
}

impl Known {
    fn of(ed: &Editor<'_>) -> Known {
        let cfg = Rc::new(Cfg::of(ed.func()));
        let range = Range::of(ed.module(), ed.func(), &Rc::new(Dom::of(&cfg)));
        let mut homes: SideTable<Inst, Option<Block>> = SideTable::new();
        for block in in_order(ed.func()) {
            for &inst in ed.func().block(block).insts.iter() {
                homes[inst] = Some(block);
            }
        }
        Known { range, homes }
    }

    /// The smallest and the largest number that a value may be, where an instruction stands.
    fn bounds(&self, value: Inst, at: Inst) -> Option<(i64, i64)> {
        Some(self.range.at(value, self.homes[at]?)?.signed)
    }

    fn is_positive(&self, value: Inst, at: Inst) -> bool {
        self.bounds(value, at).is_some_and(|(least, _)| least >= 0)
    }

    /// A constant that an index adds, in bytes; what is left of the index; and how far the step may then reach.
    fn taken_out(&self, ed: &Editor<'_>, inst: Inst, data: &InstData) -> Option<Through> {
        let &sum = data.args.get(1)?;
        let adds = ed.func().inst(sum);
        let (Op::Int(IntOp::IAdd), &[a, b]) = (adds.op, &adds.args[..]) else { return None };
        let (index, bits) = [(a, b), (b, a)].into_iter().find_map(|(x, y)| Some((x, ed.bits_of(y)?)))?;
        let ValueType::Bits { width, components: 1 } = ed.func().ty(index) else { return None };
        let most = match width {
            Width::W1 => return None,
            width => i64::MAX >> (64 - width.bits()),
        };
        let (least, largest) = self.bounds(index, inst)?;
        let more = bits.component(0).as_i64();
        let stride = i64::try_from(data.attrs.get(Key::Stride)?).ok()?;
        let bytes = more.checked_mul(stride).filter(|bytes| bytes.abs() < MOST_BYTES)?;
        let range = data.attrs.get(Key::Range).and_then(|range| i64::try_from(range).ok());
        // With a range, a sum that wraps round is far outside of it, and one below 0 too.
        let far = range.is_some_and(|range| more.abs() < most / 2 && range / stride.max(1) < most / 2);
        let stays = largest.checked_add(more).is_some_and(|sum| sum <= most);
        if !((least >= 0 && (stays || far)) || (more < 0 && far)) {
            return None;
        }
        let range = match range {
            Some(range) if more < 0 => Some(u32::try_from(range - bytes).ok()?),
            Some(_) | None => None,
        };
        Some(Through { moves: true, bytes, index: Some(index), range })
    }
}
