//! Integers and booleans as floats.
//!
//! Sums, products and comparisons are those of floats; a quotient is rounded. Of the bitwise operations only those have a
//! formula whose other operand is a constant. Unsigned integers are those below 2^24.

use super::select::{Class, Comp, Comps, Selector, absolute, float, negate};
use crate::sm1::Op as Sm1;
use vitrine_ir::InstData;
use vitrine_ir::ops::IntOp;

impl Selector<'_> {
    pub(super) fn int_op(&mut self, data: &InstData, op: IntOp) -> Option<Comps> {
        use IntOp as I;
        let class = match data.args.first().map(|&arg| self.class(arg)) {
            Some(Class::Bool) => return self.bool_op(data, op),
            _ => Class::Int,
        };
        if let I::IAdd | I::ISub = op
            && let Some(sum) = self.fused_sum(data, op == I::ISub)
        {
            return Some(sum);
        }
        let count = self.width(data.ty)?;
        let args: Vec<Comps> = data.args.iter().map(|&arg| self.comps(arg, class)).collect();
        let (a, b, c) = (args.first()?.as_slice(), args.get(1), args.get(2));
        let two = || b.map(Vec::as_slice);
        Some(match op {
            I::IAdd => self.each(Sm1::Add, count, &[a, two()?]),
            I::ISub => self.each(Sm1::Add, count, &[a, &negate(two()?)]),
            I::IMul => self.each(Sm1::Mul, count, &[a, two()?]),
            I::INeg => negate(a),
            I::IAbs => absolute(a),
            I::ISign => self.sign(count, a),
            I::IMin | I::UMin => self.each(Sm1::Min, count, &[a, two()?]),
            I::IMax | I::UMax => self.each(Sm1::Max, count, &[a, two()?]),
            I::IClamp | I::UClamp => {
                let low = self.each(Sm1::Max, count, &[a, two()?]);
                self.each(Sm1::Min, count, &[&low, c?])
            }
            I::IDiv | I::UDiv => self.int_quotient(count, a, two()?),
            I::IRem | I::UMod => {
                let quotient = self.int_quotient(count, a, two()?);
                self.each(Sm1::Mad, count, &[&negate(&quotient), two()?, a])
            }
            I::IMod => {
                let reciprocal = self.first(Sm1::Rcp, count, &[two()?]);
                // Half a unit more keeps exact quotients above the integer that rounding could put them below.
                let half = self.each(Sm1::Mul, count, &[&absolute(&reciprocal), &[float(0.5)]]);
                let quotient = self.each(Sm1::Mad, count, &[a, &reciprocal, &half]);
                let whole = self.floor(count, &quotient);
                self.each(Sm1::Mad, count, &[&negate(&whole), two()?, a])
            }
            I::IShl => {
                let scale = self.power_of_two(two()?, 1.0)?;
                self.each(Sm1::Mul, count, &[a, &scale])
            }
            I::IShr | I::UShr => {
                let scale = self.power_of_two(two()?, -1.0)?;
                let scaled = self.each(Sm1::Mul, count, &[a, &scale]);
                self.floor(count, &scaled)
            }
            I::IAnd | I::IOr | I::IXor => self.bitwise(op, count, a, two()?)?,
            I::INot => self.each(Sm1::Add, count, &[&negate(a), &[float(-1.0)]]),
            I::IEq => self.compared(2, count, a, two()?),
            I::INe => self.compared(5, count, a, two()?),
            I::ILt | I::ULt => self.compared(4, count, a, two()?),
            I::IGt | I::UGt => self.compared(1, count, a, two()?),
            I::ILe | I::ULe => self.compared(6, count, a, two()?),
            I::IGe | I::UGe => self.compared(3, count, a, two()?),
            _ => return None,
        })
    }

    /// The quotient rounded towards zero, exact for numbers of at most 21 bits: half a unit is added to the dividend,
    /// which a rounded reciprocal cannot cancel.
    fn int_quotient(&mut self, count: usize, a: &[Comp], b: &[Comp]) -> Comps {
        let reciprocal = self.first(Sm1::Rcp, b.len(), &[b]);
        let dividend = self.each(Sm1::Add, count, &[&absolute(a), &[float(0.5)]]);
        let quotient = self.each(Sm1::Mul, count, &[&dividend, &absolute(&reciprocal)]);
        let whole = self.floor(count, &quotient);
        let signs = self.each(Sm1::Mul, count, &[a, &reciprocal]);
        self.with_sign(count, &signs, &whole)
    }

    /// 2 raised to constant powers.
    fn power_of_two(&self, counts: &[Comp], sign: f32) -> Option<Comps> {
        let power = |comp: &Comp| match *comp {
            Comp::Literal(bits) => Some(float((sign * f32::from_bits(bits)).exp2())),
            Comp::Undef => Some(float(1.0)),
            Comp::At { .. } => None,
        };
        counts.iter().map(power).collect()
    }

    /// `iand`, `ior` and `ixor` with a constant, all from the bits that both operands have.
    fn bitwise(&mut self, op: IntOp, count: usize, a: &[Comp], b: &[Comp]) -> Option<Comps> {
        let (value, masks) = match (literals(a), literals(b)) {
            (_, Some(masks)) => (a, masks),
            (Some(masks), None) => (b, masks),
            (None, None) => return None,
        };
        let mut result = Comps::new();
        // Components with one mask are computed together.
        let is_same = masks.iter().all(|mask| *mask == masks[0]);
        let groups: Vec<(Comps, i64)> = match is_same {
            true => vec![(value.to_vec(), masks[0])],
            false => value.iter().zip(&masks).map(|(&comp, &mask)| (vec![comp], mask)).collect(),
        };
        for (value, mask) in groups {
            let count = if is_same { count } else { 1 };
            let common = self.common_bits(count, &value, mask);
            let mask = [float(mask as f32)];
            result.extend(match op {
                IntOp::IAnd => common,
                IntOp::IOr => {
                    let sum = self.each(Sm1::Add, count, &[&value, &mask]);
                    self.each(Sm1::Add, count, &[&sum, &negate(&common)])
                }
                _ => {
                    let sum = self.each(Sm1::Add, count, &[&value, &mask]);
                    self.each(Sm1::Mad, count, &[&common, &[float(-2.0)], &sum])
                }
            });
        }
        Some(result)
    }

    /// The bits of an integer that a mask has: for each run of ones, the remainder by the power of two above it less the
    /// one by the power below. Of a negative mask, everything but the bits that it does not have.
    fn common_bits(&mut self, count: usize, value: &[Comp], mask: i64) -> Comps {
        if mask < 0 {
            let others = self.common_bits(count, value, !mask);
            return self.each(Sm1::Add, count, &[value, &negate(&others)]);
        }
        let mut sum: Option<Comps> = None;
        let mut rest = mask as u64;
        while rest != 0 {
            let low = rest.trailing_zeros();
            let high = low + (rest >> low).trailing_ones();
            rest &= !((1u64 << high) - 1);
            let above = self.remainder(count, value, high);
            let run = match low {
                0 => above,
                _ => {
                    let below = self.remainder(count, value, low);
                    self.each(Sm1::Add, count, &[&above, &negate(&below)])
                }
            };
            sum = Some(match sum {
                None => run,
                Some(sum) => self.each(Sm1::Add, count, &[&sum, &run]),
            });
        }
        sum.unwrap_or_else(|| vec![float(0.0); count])
    }

    /// The remainder by a power of two; at least zero.
    fn remainder(&mut self, count: usize, value: &[Comp], bits: u32) -> Comps {
        let size = (bits as f32).exp2();
        let scaled = self.each(Sm1::Mul, count, &[value, &[float(1.0 / size)]]);
        let fraction = self.each(Sm1::Frc, count, &[&scaled]);
        self.each(Sm1::Mul, count, &[&fraction, &[float(size)]])
    }

    fn bool_op(&mut self, data: &InstData, op: IntOp) -> Option<Comps> {
        let count = self.width(data.ty)?;
        let args: Vec<Comps> = data.args.iter().map(|&arg| self.comps(arg, Class::Bool)).collect();
        let a = args.first()?;
        let one = [float(1.0)];
        let difference = |it: &mut Self, b: &[Comp]| absolute(&it.each(Sm1::Add, count, &[a, &negate(b)]));
        Some(match op {
            IntOp::IAnd => self.each(Sm1::Mul, count, &[a, args.get(1)?]),
            IntOp::IOr => self.each(Sm1::Max, count, &[a, args.get(1)?]),
            IntOp::IXor | IntOp::INe => difference(self, args.get(1)?),
            IntOp::INot => self.each(Sm1::Add, count, &[&one, &negate(a)]),
            IntOp::IEq => {
                let differs = difference(self, args.get(1)?);
                self.each(Sm1::Add, count, &[&one, &negate(&differs)])
            }
            _ => return None,
        })
    }
}

/// Integers, if all components are constants.
fn literals(comps: &[Comp]) -> Option<Vec<i64>> {
    let literal = |comp: &Comp| match *comp {
        Comp::Literal(bits) => Some(f32::from_bits(bits) as i64),
        Comp::Undef | Comp::At { .. } => None,
    };
    comps.iter().map(literal).collect()
}
