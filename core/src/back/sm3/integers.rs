//! Integers and booleans as floats.
//!
//! Sums, products and comparisons are those of floats; a quotient is rounded. Of the bitwise operations only those have a
//! formula that are sums or products in disguise: shifts by constants, and masks of low bits.

use super::select::{Class, Comp, Comps, Selector, absolute, float, negate};
use crate::d3d::sm1::Op as Sm1;
use crate::ir::{Inst, InstData};
use crate::ops::IntOp;

impl Selector<'_> {
    pub(super) fn int_op(&mut self, inst: Inst, data: &InstData, op: IntOp) -> Option<Comps> {
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
            I::IShr | I::UShr if op == I::IShr || self.is_positive(*data.args.first()?) => {
                let scale = self.power_of_two(two()?, -1.0)?;
                let scaled = self.each(Sm1::Mul, count, &[a, &scale]);
                self.floor(count, &scaled)
            }
            I::IAnd => self.low_bits(inst, count, a, two()?)?,
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

    /// The low bits of an integer: the remainder of a division by a power of two.
    fn low_bits(&mut self, _inst: Inst, count: usize, a: &[Comp], b: &[Comp]) -> Option<Comps> {
        let size = |comps: &[Comp]| {
            let size = |comp: &Comp| match *comp {
                Comp::Literal(bits) => {
                    let mask = f32::from_bits(bits);
                    (mask >= 0.0 && ((mask as u32) + 1).is_power_of_two()).then_some(mask + 1.0)
                }
                Comp::Undef | Comp::At { .. } => None,
            };
            comps.iter().map(size).collect::<Option<Vec<f32>>>()
        };
        let (value, sizes) = match (size(b), size(a)) {
            (Some(sizes), _) => (a, sizes),
            (None, Some(sizes)) => (b, sizes),
            (None, None) => return None,
        };
        let reciprocal: Comps = sizes.iter().map(|&size| float(1.0 / size)).collect();
        let sizes: Comps = sizes.iter().map(|&size| float(size)).collect();
        let scaled = self.each(Sm1::Mul, count, &[value, &reciprocal]);
        let fraction = self.each(Sm1::Frc, count, &[&scaled]);
        Some(self.each(Sm1::Mul, count, &[&fraction, &sizes]))
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
