//! Ranges of integers, computed from their definitions.
//!
//! One pass in definition order. Parameters and loads are unknown, and nothing is known of loop-carried values.
//! An interval is of signed numbers, and exists only if no earlier step could have exceeded 32 bits.

use crate::util::open::insts_in_order;
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::{BasicOp, Bits, ConvertOp, IntOp, Op, ValueType, VectorOp, Width};
use vitrine_ir::{Editor, Inst, InstData};

/// The minimum and the maximum.
pub(crate) type Range = (i64, i64);

/// Ranges of the values of a function.
pub(crate) struct Ranges {
    of: SideTable<Inst, Option<Range>>,
}

impl Ranges {
    /// Computes the ranges. Linear.
    pub(crate) fn of(ed: &Editor<'_>) -> Ranges {
        let mut ranges = Ranges { of: SideTable::new() };
        for inst in insts_in_order(ed.func()) {
            ranges.of[inst] = ranges.step(ed, inst);
        }
        ranges
    }

    /// The range that contains every component of a value.
    pub(crate) fn get(&self, value: Inst) -> Option<Range> {
        self.of[value]
    }

    fn step(&self, ed: &Editor<'_>, inst: Inst) -> Option<Range> {
        let data = ed.func().inst(inst);
        if let Some(bits) = ed.bits_of(inst) {
            return of_constant(bits).filter(|&range| is_tracked(range));
        }
        let found = match data.op {
            Op::Int(op) => self.integers(ed, op, data),
            Op::Convert(op) => self.conversions(ed, op, data),
            Op::Basic(BasicOp::Copy)
            | Op::Vector(VectorOp::Vec | VectorOp::Splat | VectorOp::Swizzle | VectorOp::Shuffle) => {
                let all: Vec<Range> = data.args.iter().map(|&arg| self.get(arg)).collect::<Option<_>>()?;
                all.into_iter().reduce(either)
            }
            _ => None,
        }?;
        (fits(data.ty, found) && is_tracked(found)).then_some(found)
    }

    fn integers(&self, ed: &Editor<'_>, op: IntOp, data: &InstData) -> Option<Range> {
        let arg = |at: usize| data.args.get(at).and_then(|&arg| self.get(arg));
        let constant = |at: usize| {
            let bits = ed.bits_of(*data.args.get(at)?)?;
            bits.components().iter().copied().max()
        };
        match op {
            IntOp::IAdd => combine(arg(0)?, arg(1)?, |a, b| a + b),
            IntOp::ISub => combine(arg(0)?, arg(1)?, |a, b| a - b),
            IntOp::IMul => combine(arg(0)?, arg(1)?, |a, b| a * b),
            IntOp::IMin => Some(each(arg(0)?, arg(1)?, i64::min)),
            IntOp::IMax => Some(each(arg(0)?, arg(1)?, i64::max)),
            IntOp::INeg => arg(0).map(|(least, most)| (-most, -least)),
            IntOp::IAbs => arg(0).map(|(least, most)| (0, least.abs().max(most.abs()))),
            IntOp::ISign => Some((-1, 1)),
            IntOp::IDiv => arg(0).map(|(least, most)| {
                let size = least.abs().max(most.abs());
                (-size, size)
            }),
            // Division by zero gives 0.
            IntOp::UDiv => {
                let (low, high) = arg(0).filter(|&(low, _)| low >= 0)?;
                match arg(1) {
                    Some((least, most)) if least > 0 => Some((low / most, high / least)),
                    _ => Some((0, high)),
                }
            }
            IntOp::UMin => {
                let bounded = [arg(0), arg(1)].into_iter().flatten().filter(|&(low, _)| low >= 0);
                let most = bounded.map(|(_, most)| most).min()?;
                let least = match (arg(0), arg(1)) {
                    (Some((a, _)), Some((b, _))) => a.min(b).max(0),
                    _ => 0,
                };
                Some((least, most))
            }
            IntOp::UMax => {
                let (a, b) = (arg(0).filter(|&(low, _)| low >= 0)?, arg(1).filter(|&(low, _)| low >= 0)?);
                Some(each(a, b, i64::max))
            }
            IntOp::IOr | IntOp::IXor => {
                let (a, b) = (arg(0).filter(|&(low, _)| low >= 0)?, arg(1).filter(|&(low, _)| low >= 0)?);
                let bits = i64::BITS - (a.1 | b.1).leading_zeros();
                let least = if op == IntOp::IOr { a.0.max(b.0) } else { 0 };
                (bits <= 40).then(|| (least, (1i64 << bits) - 1))
            }
            IntOp::Select | IntOp::Select1 => Some(either(arg(1)?, arg(2)?)),
            // A mask, a remainder and a shift have a bounded result even if an operand is unknown.
            IntOp::IAnd => {
                let masks = [constant(0), constant(1)];
                let most = masks.into_iter().flatten().filter(|&mask| mask <= 1 << 30).min()?;
                Some((0, most.cast_signed()))
            }
            IntOp::UMod => {
                let by = match constant(1) {
                    Some(most) => Some(most.cast_signed()).filter(|&most| most > 0 && most <= 1 << 30),
                    None => arg(1).filter(|&(least, _)| least > 0).map(|(_, most)| most),
                };
                let dividend = arg(0).filter(|&(low, _)| low >= 0).map(|(_, high)| high);
                let most = by.map(|by| by - 1).into_iter().chain(dividend).min()?;
                Some((0, most))
            }
            IntOp::IRem | IntOp::IMod => {
                let (least, most) = arg(1).filter(|&(least, _)| least > 0)?;
                (least <= most).then_some((1 - most, most - 1))
            }
            IntOp::UShr => {
                let bits = ed.bits_of(*data.args.get(1)?)?;
                let width = data.ty.width()?.bits();
                let least = bits.components().iter().map(|&by| by & u64::from(width - 1)).min()?;
                let left = u64::from(width)
                    .checked_sub(least)
                    .filter(|&left| left < u64::from(width) && left <= 40)?;
                Some((0, (1i64 << left) - 1))
            }
            IntOp::BitCount => Some((0, 64)),
            IntOp::FindLsb | IntOp::UFindMsb | IntOp::IFindMsb => Some((-1, 63)),
            IntOp::UAddCarry | IntOp::USubBorrow => Some((0, 1)),
            _ => None,
        }
    }

    fn conversions(&self, ed: &Editor<'_>, op: ConvertOp, data: &InstData) -> Option<Range> {
        let &arg = data.args.first()?;
        let from = ed.func().ty(arg).width()?.bits();
        match op {
            ConvertOp::B2I => Some((0, 1)),
            ConvertOp::U2U if from < 32 => Some((0, (1 << from) - 1)),
            ConvertOp::I2I if from < 32 => {
                self.get(arg).or(Some((-(1 << (from - 1)), (1 << (from - 1)) - 1)))
            }
            _ => None,
        }
    }
}

fn of_constant(bits: Bits) -> Option<Range> {
    let components = || bits.scalars().map(vitrine_ir::ops::Scalar::as_i64);
    Some((components().min()?, components().max()?))
}

fn either(a: Range, b: Range) -> Range {
    (a.0.min(b.0), a.1.max(b.1))
}

fn each(a: Range, b: Range, f: fn(i64, i64) -> i64) -> Range {
    (f(a.0, b.0), f(a.1, b.1))
}

/// The range of the results of a binary operation, computed from the corners.
fn combine(a: Range, b: Range, f: fn(i128, i128) -> i128) -> Option<Range> {
    let corners = [(a.0, b.0), (a.0, b.1), (a.1, b.0), (a.1, b.1)];
    let all = corners.map(|(a, b)| f(i128::from(a), i128::from(b)));
    let least = all.iter().copied().reduce(i128::min)?;
    let most = all.iter().copied().reduce(i128::max)?;
    Some((i64::try_from(least).ok()?, i64::try_from(most).ok()?))
}

/// Returns true if a range is small enough to compute with; larger ones are treated as unknown.
fn is_tracked((least, most): Range) -> bool {
    const MOST: i64 = 1 << 40;
    -MOST <= least && least <= most && most <= MOST
}

/// Returns true if a width holds every number of a range, so that nothing wrapped.
fn fits(ty: ValueType, range: Range) -> bool {
    let Some(width) = ty.width().filter(|&width| width != Width::W1) else { return false };
    let most = (width.mask() >> 1).cast_signed();
    -most - 1 <= range.0 && range.1 <= most
}
