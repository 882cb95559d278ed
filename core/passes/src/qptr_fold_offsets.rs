//! `qptr-fold-offsets`: folds constant offsets of untyped pointers into loads and stores.
//!
//! ```text
//! %2: ptr = ptr.offset %1 {offset 16}
//! %3: ptr = ptr.dyn_offset %2, %i {stride 32, range 320}      %3: ptr = ptr.dyn_offset %1, %j {stride 32, range 352}
//! %4: ptr = ptr.offset %3 {offset 12}                    =>   %6: b32 = load %3 {offset -16}
//! %6: b32 = load %4 {offset 4}
//! ```
//!
//! Here `%i` is `%j - 1`: constants are extracted from indices too. Loads and stores then refer to the same
//! bytes in the same form, which `qptr-forward` and `cse` require, and steps by an index alone can be shared.
//!
//! * Two consecutive constant steps become one; a step by zero is removed; a step by a constant index in range
//!   becomes a constant step.
//! * Loads and stores absorb the constant part of the steps before them.
//! * A constant moves past a step by an index only if all users of the step are loads, stores and steps of this
//!   kind, which absorb it. A negative index could lead to an intermediate address before the start of memory,
//!   where addresses end: so either the step has a range, which excludes such an index, or the index is known
//!   not to be negative.
//! * A constant addend is extracted from an index if the sum is known not to wrap around.
//!
//! Unchanged: offsets of more than 31 bits, and consecutive steps with one stride.

use super::pass::PassInfo;
use crate::util::open::{in_order, insts_in_order};
use std::rc::Rc;
use vitrine_analysis::{Analyses, Range, offset_of};
use vitrine_ir::base::SideTable;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{IntOp, Key, MemoryOp, Op, PtrOp, ValueType, Width};
use vitrine_ir::{Args, Block, Editor, InsertPoint, Inst, InstData, Reason, Refusal, Use};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Folds constant offsets of untyped pointers into loads and stores.",
    idempotent: false, // the remaining index may add a constant again
    ..PassInfo::edits("qptr-fold-offsets", opening!("qptr_fold_offsets.rs"), |ed, cx| {
        qptr_fold_offsets(ed, cx.analyses)
    })
};

const STEPS: Reason = Reason::Note("constant offsets are combined");
const ACCESS: Reason = Reason::Note("the offset is folded into the access");
const INDEX: Reason = Reason::Note("the constant part of the address comes last");

/// The largest offset that is moved past an index: twice this still fits 32 bits.
const MAX_BYTES: i64 = 1 << 30;

/// A pointer as another pointer plus a constant number of bytes.
type Split = (Inst, i64);

/// Folds offsets. Near-linear; both shapes. A step or an access is a unit of fuel, and so are all moves past
/// indices together.
fn qptr_fold_offsets(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let steps = |op| matches!(op, Op::Ptr(PtrOp::Offset | PtrOp::DynOffset));
    if !insts_in_order(ed.func()).iter().any(|&inst| steps(ed.func().inst(inst).op)) {
        return Ok(());
    }
    Folder::new(Moves::default()).fold(ed)?;
    let moves = Moves::of(ed, &insts_in_order(ed.func()), analyses);
    if moves.any && ed.consume_fuel() {
        Folder::new(moves).fold(ed)?;
    }
    Ok(())
}

/// Combines constants, in definition order.
struct Folder {
    /// Pointers that are another pointer plus a constant. A step by an index whose constant was extracted maps
    /// to itself plus the constant.
    splits: SideTable<Inst, Option<Split>>,
    moves: Moves,
    /// Steps by zero, and their base.
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
        // Now that no lookup needs their base.
        for (inst, start) in self.nothing {
            // Refused only in unreachable code, where two steps may depend on each other.
            let _ = ed.replace(inst, start, STEPS);
        }
        Ok(())
    }

    /// Consumes fuel for a rewrite; moves past indices are paid for together.
    fn may(&self, ed: &mut Editor<'_>) -> bool {
        self.moves.any || ed.consume_fuel()
    }

    /// The original pointer for a user that cannot absorb an offset.
    fn materialized(&self, ed: &mut Editor<'_>, inst: Inst, (base, bytes): Split) -> Result<Inst, Refusal> {
        let from = ed.func().inst(inst).args.first().copied().unwrap_or(base);
        if base != from || bytes == 0 {
            return Ok(from);
        }
        let step = InstData::new(PtrOp::Offset, ValueType::Ptr, &[base]).with(Key::Offset, bytes as u64);
        ed.insert(InsertPoint::Before(inst), step, INDEX)
    }

    /// Rebases a constant step. Returns false if fuel ran out.
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
            None => (self.materialized(ed, inst, (base, bytes))?, own),
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

    /// Extracts the constant part of a step by an index.
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

    /// Folds a constant offset into a load or a store. Returns false if fuel ran out.
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
            None => (self.materialized(ed, inst, (base, bytes))?, offset_of(&data)),
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

/// The bytes of a constant step: a number of bytes, or a constant index in range.
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

/// The result of moving a constant past a step by an index.
#[derive(Clone, Copy, Default)]
struct Through {
    /// True if all users absorb constants, and so does the step.
    moves: bool,
    /// The bytes extracted from its index, and the rest of the index.
    bytes: i64,
    index: Option<Inst>,
    /// The new range of the step, if it changes.
    range: Option<u32>,
}

/// The steps by an index that constants move past.
struct Moves {
    through: SideTable<Inst, Through>,
    /// True if there is any.
    any: bool,
}

impl Default for Moves {
    fn default() -> Moves {
        Moves { through: SideTable::with_default(Through::default()), any: false }
    }
}

impl Moves {
    /// Computes them, last steps first.
    fn of(ed: &Editor<'_>, order: &[Inst], analyses: &mut Analyses) -> Moves {
        let mut moves = Moves::default();
        let is_step = |inst: &&Inst| ed.func().inst(**inst).op == Op::Ptr(PtrOp::DynOffset);
        if !order.iter().any(|inst| is_step(&inst)) {
            return moves;
        }
        let known = Known::of(ed, analyses);
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
            // The constant is placed after the step by the index.
            let safe = data.attrs.has(Key::Range) || known.is_positive(index, inst);
            if !safe || !ed.uses(inst).all(takes) {
                continue;
            }
            let taken = known.extracted(ed, inst, data).unwrap_or_default();
            moves.through[inst] = Through { moves: true, ..taken };
        }
        // Only if there is a constant to move.
        let mut constants: SideTable<Inst, i64> = SideTable::with_default(0);
        for &inst in order {
            let data = ed.func().inst(inst);
            let Some(&from) = data.args.first() else { continue };
            match data.op {
                Op::Ptr(PtrOp::Offset) => {
                    let from = if moves.through[from].moves { constants[from] } else { 0 };
                    constants[inst] = from.saturating_add(offset_of(data));
                }
                Op::Ptr(PtrOp::DynOffset) => {
                    let bytes = constants[from].saturating_add(moves.through[inst].bytes);
                    if moves.through[inst].moves && bytes.abs() >= MAX_BYTES {
                        // Too far: nothing is moved in this function.
                        return Moves::default();
                    }
                    if moves.through[inst].moves {
                        constants[inst] = bytes;
                        moves.any |= bytes != 0;
                    }
                }
                _ => {}
            }
        }
        moves
    }
}

/// Ranges and nesting, to query indices.
struct Known {
    range: Rc<Range>,
    homes: SideTable<Inst, Option<Block>>,
}

impl Known {
    fn of(ed: &Editor<'_>, analyses: &mut Analyses) -> Known {
        let range = analyses.get::<Range>(ed.module(), ed.id());
        let mut homes: SideTable<Inst, Option<Block>> = SideTable::new();
        for block in in_order(ed.func()) {
            for &inst in ed.func().block(block).insts.iter() {
                homes[inst] = Some(block);
            }
        }
        Known { range, homes }
    }

    /// The minimum and maximum of a value at an instruction.
    fn bounds(&self, value: Inst, at: Inst) -> Option<(i64, i64)> {
        Some(self.range.at(value, self.homes[at]?)?.signed)
    }

    fn is_positive(&self, value: Inst, at: Inst) -> bool {
        self.bounds(value, at).is_some_and(|(least, _)| least >= 0)
    }

    /// The constant addend of an index in bytes, the rest of the index, and the new range of the step.
    fn extracted(&self, ed: &Editor<'_>, inst: Inst, data: &InstData) -> Option<Through> {
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
        let bytes = more.checked_mul(stride).filter(|bytes| bytes.abs() < MAX_BYTES)?;
        let range = data.attrs.get(Key::Range).and_then(|range| i64::try_from(range).ok());
        // With a range, a sum that wraps around is far out of range, and so is a negative one.
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
