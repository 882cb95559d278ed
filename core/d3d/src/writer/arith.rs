//! Arithmetic on floats, conversions and comparisons: the instructions of each operation.
//!
//! Formulas that have no instruction are sums and products of those that have one; their results differ from the
//! operation by rounding, as those of every Direct3D 9 device do.

use super::code::{Model, Place, Reading, Source, Target};
use super::select::{Class, Comp, Comps, Selector, User, absolute, at_place, float, mask_of, negate, parts};
use crate::sm1::Op as Sm1;
use std::f32::consts::{LN_2, LOG2_E, PI, TAU};
use vitrine_ir::ops::{BasicOp, ConvertOp, Flags, FloatOp, GroupOp, IntOp, Op, VectorOp};
use vitrine_ir::{Inst, InstData};

/// The integer that infinity is converted to: larger ones are not represented exactly.
const LARGE: f32 = 16_777_216.0;

/// Uses that are looked at to see if a quotient is rounded.
const MOST_USERS: usize = 32;

impl Selector<'_> {
    /// The result of an operation on values; none if it is not one, or has no form.
    pub(super) fn arithmetic(&mut self, inst: Inst, data: &InstData) -> Option<Comps> {
        match data.op {
            Op::Float(op) => self.float_op(inst, data, op),
            Op::Int(op) => self.int_op(data, op),
            Op::Convert(op) => self.conversion(inst, data, op),
            Op::Vector(op) => self.vector_op(inst, data, op),
            Op::Group(op) => self.derivative(data, op),
            Op::Basic(BasicOp::Copy) => Some(self.own(*data.args.first()?)),
            _ => None,
        }
    }

    /// The operands of an operation that takes floats.
    pub(super) fn floats(&mut self, data: &InstData) -> Vec<Comps> {
        data.args.iter().map(|&arg| self.comps(arg, Class::Float)).collect()
    }

    fn float_op(&mut self, inst: Inst, data: &InstData, op: FloatOp) -> Option<Comps> {
        use FloatOp as F;
        if let F::FAdd | F::FSub = op
            && let Some(sum) = self.fused_sum(data, op == F::FSub)
        {
            return Some(sum);
        }
        let count = self.width(data.ty)?;
        let args = self.floats(data);
        let (a, b, c) = (args.first()?.as_slice(), args.get(1), args.get(2));
        let two = || b.map(Vec::as_slice);
        Some(match op {
            F::FAdd => self.each(Sm1::Add, count, &[a, two()?]),
            F::FSub => self.each(Sm1::Add, count, &[a, &negate(two()?)]),
            F::FMul => self.each(Sm1::Mul, count, &[a, two()?]),
            F::FDiv => match self.root_of(data.args.get(1)) {
                Some(square) => {
                    let reciprocal = self.first(Sm1::Rsq, square.len(), &[&square]);
                    self.times(count, a, &reciprocal)
                }
                None if self.is_rounded(inst) => self.exact_quotient(count, a, two()?),
                None => self.quotient(count, a, two()?),
            },
            F::FNeg => negate(a),
            F::FAbs => absolute(a),
            F::FMulZ | F::FFmaZ => self.zero_product(count, a, two()?, c.map(Vec::as_slice)),
            F::FFma | F::FMad => self.each(Sm1::Mad, count, &[a, two()?, c?]),
            F::FMin | F::FNMin | F::FMax | F::FNMax if self.is_finite(data) => a.to_vec(),
            F::FMin | F::FNMin => self.each(Sm1::Min, count, &[a, two()?]),
            F::FMax | F::FNMax => self.each(Sm1::Max, count, &[a, two()?]),
            F::FClamp | F::FNClamp => {
                let (low, high) = (two()?, c?.as_slice());
                if self.is_finite(data) {
                    return Some(a.to_vec());
                }
                if low.iter().all(|it| *it == float(0.0)) && high.iter().all(|it| *it == float(1.0)) {
                    return Some(self.saturated(*data.args.first()?, a));
                }
                let low = self.each(Sm1::Max, count, &[a, low]);
                self.each(Sm1::Min, count, &[&low, high])
            }
            F::FSat => self.saturated(*data.args.first()?, a),
            F::FSign => self.sign(count, a),
            F::FFloor => self.floor(count, a),
            F::FCeil => negate(&self.floor(count, &negate(a))),
            F::FTrunc => self.trunc(inst, count, a),
            F::FRoundAway => {
                let half = self.each(Sm1::Add, count, &[&absolute(a), &[float(0.5)]]);
                let whole = self.floor(count, &half);
                self.with_sign(count, a, &whole)
            }
            F::FRound | F::FRoundEven => self.round_even(count, a),
            F::FFract => self.each(Sm1::Frc, count, &[a]),
            F::FSqrt => {
                let root = self.first(Sm1::Rsq, count, &[a]);
                self.first(Sm1::Rcp, count, &[&root])
            }
            F::FRsq => self.first(Sm1::Rsq, count, &[a]),
            F::FRcp => match self.root_of(data.args.first()) {
                Some(square) => self.first(Sm1::Rsq, count, &[&square]),
                None => self.first(Sm1::Rcp, count, &[a]),
            },
            F::FExp => {
                let scaled = self.each(Sm1::Mul, count, &[a, &[float(LOG2_E)]]);
                self.first(Sm1::Exp, count, &[&scaled])
            }
            F::FExp2 => self.first(Sm1::Exp, count, &[a]),
            F::FLog => {
                let log = self.first(Sm1::Log, count, &[a]);
                self.each(Sm1::Mul, count, &[&log, &[float(LN_2)]])
            }
            F::FLog2 => self.first(Sm1::Log, count, &[a]),
            F::FPow => self.first(Sm1::Pow, count, &[a, two()?]),
            F::FSin => self.sin_cos(data.args.first(), count, a, 1),
            F::FCos => self.sin_cos(data.args.first(), count, a, 0),
            F::FTan => {
                let of = data.args.first();
                let (sin, cos) = (self.sin_cos(of, count, a, 1), self.sin_cos(of, count, a, 0));
                self.quotient(count, &sin, &cos)
            }
            F::FAsin | F::FAcos | F::FAtan | F::FAtan2 => self.inverse_function(op, count, a, two())?,
            F::FSinh | F::FCosh | F::FTanh | F::FAsinh | F::FAcosh | F::FAtanh => {
                self.hyperbolic(op, count, a)?
            }
            F::FMix => self.each(Sm1::Lrp, count, &[c?, two()?, a]),
            F::FStep => self.compared(3, count, two()?, a),
            F::FSmoothStep => {
                let x = c?;
                let range = self.each(Sm1::Add, count, &[two()?, &negate(a)]);
                let from = self.each(Sm1::Add, count, &[x, &negate(a)]);
                let t = self.quotient(count, &from, &range);
                let t = self.saturate(count, &t);
                let slope = self.each(Sm1::Mad, count, &[&t, &[float(-2.0)], &[float(3.0)]]);
                let square = self.each(Sm1::Mul, count, &[&t, &t]);
                self.each(Sm1::Mul, count, &[&square, &slope])
            }
            F::FMod | F::FRem => {
                let quotient = self.quotient(count, a, two()?);
                let whole = match op {
                    F::FMod => self.floor(count, &quotient),
                    _ => self.towards_zero(count, &quotient),
                };
                self.each(Sm1::Mad, count, &[&negate(&whole), two()?, a])
            }
            F::FModfWhole => self.towards_zero(count, a),
            F::FModfFract => {
                let whole = self.towards_zero(count, a);
                self.each(Sm1::Add, count, &[a, &negate(&whole)])
            }
            F::FRadians => self.each(Sm1::Mul, count, &[a, &[float(PI / 180.0)]]),
            F::FDegrees => self.each(Sm1::Mul, count, &[a, &[float(180.0 / PI)]]),
            F::FCanonicalize => a.to_vec(),
            F::FLdexp => {
                let exponent = self.comps(*data.args.get(1)?, Class::Int);
                let scale = self.first(Sm1::Exp, exponent.len(), &[&exponent]);
                self.each(Sm1::Mul, count, &[a, &scale])
            }
            F::FEq | F::FEqu => self.compared(2, count, a, two()?),
            F::FNeu | F::FNeo => self.compared(5, count, a, two()?),
            F::FLt | F::FLtu => self.compared(4, count, a, two()?),
            F::FGt | F::FGtu => self.compared(1, count, a, two()?),
            F::FLe | F::FLeu => self.compared(6, count, a, two()?),
            F::FGe | F::FGeu => self.compared(3, count, a, two()?),
            _ => return None,
        })
    }

    /// The sum of a product and another operand; none if neither operand is a product that can be part of it.
    pub(super) fn fused_sum(&mut self, data: &InstData, subtracts: bool) -> Option<Comps> {
        let (&a, &b) = (data.args.first()?, data.args.get(1)?);
        let count = self.width(data.ty)?;
        if let Some((left, right)) = self.fused.remove(&a) {
            let addend = self.comps(b, self.class(a));
            let addend = if subtracts { negate(&addend) } else { addend };
            return Some(self.each(Sm1::Mad, count, &[&left, &right, &addend]));
        }
        let (left, right) = self.fused.remove(&b)?;
        let addend = self.comps(a, self.class(b));
        let left = if subtracts { negate(&left) } else { left };
        Some(self.each(Sm1::Mad, count, &[&left, &right, &addend]))
    }

    /// Returns true if a product is part of the only sum that uses it.
    pub(super) fn is_fused(&mut self, inst: Inst, data: &InstData) -> bool {
        let is_product = matches!(data.op, Op::Float(FloatOp::FMul) | Op::Int(IntOp::IMul));
        let Some((user, _)) = self.users.only(inst).filter(|_| is_product) else { return false };
        let sum = self.body.inst(user);
        let is_sum =
            matches!(sum.op, Op::Float(FloatOp::FAdd | FloatOp::FSub) | Op::Int(IntOp::IAdd | IntOp::ISub));
        let here = self.block.is_some_and(|block| self.body.block(block).insts.contains(&user));
        let is_exact = data.flags.has(Flags::EXACT) || sum.flags.has(Flags::EXACT);
        // Of two products only the second one becomes part of the sum.
        let twice = sum.args.iter().any(|&arg| arg != inst && self.fused.contains_key(&arg));
        let is_float = matches!(data.op, Op::Float(_));
        let class = if is_float { Class::Float } else { Class::Int };
        if !is_sum || !here || (is_exact && is_float) || twice || self.width(data.ty).is_none() {
            return false;
        }
        let (Some(&a), Some(&b)) = (data.args.first(), data.args.get(1)) else { return false };
        let operands = (self.comps(a, class), self.comps(b, class));
        self.fused.insert(inst, operands);
        true
    }

    fn quotient(&mut self, count: usize, a: &[Comp], b: &[Comp]) -> Comps {
        let reciprocal = self.first(Sm1::Rcp, b.len(), &[b]);
        self.times(count, a, &reciprocal)
    }

    /// Returns true for a value that is rounded to an integer, directly or after arithmetic, so that its last bit may
    /// decide. Looks at [`MOST_USERS`] uses.
    fn is_rounded(&self, inst: Inst) -> bool {
        use FloatOp as F;
        let mut open = vec![inst];
        let mut seen = 0;
        while let Some(value) = open.pop() {
            for user in self.users.of_value(value) {
                let User::Arg(user, _) = *user else { continue };
                seen += 1;
                match self.body.inst(user).op {
                    Op::Convert(ConvertOp::F2I | ConvertOp::F2U | ConvertOp::F2ISat | ConvertOp::F2USat)
                    | Op::Float(F::FFloor | F::FCeil | F::FTrunc | F::FFract)
                    | Op::Float(F::FRound | F::FRoundEven | F::FRoundAway) => {
                        return true;
                    }
                    Op::Float(F::FAdd | F::FSub | F::FMul | F::FDiv)
                    | Op::Vector(VectorOp::Vec | VectorOp::Swizzle | VectorOp::Shuffle | VectorOp::Splat)
                        if seen < MOST_USERS =>
                    {
                        open.push(user);
                    }
                    _ => {}
                }
            }
        }
        false
    }

    /// A quotient with a correction: the rounded reciprocal alone may miss an integer.
    fn exact_quotient(&mut self, count: usize, a: &[Comp], b: &[Comp]) -> Comps {
        let reciprocal = self.first(Sm1::Rcp, b.len(), &[b]);
        let quotient = self.each(Sm1::Mul, count, &[a, &reciprocal]);
        let rest = self.each(Sm1::Mad, count, &[&negate(&quotient), b, a]);
        self.each(Sm1::Mad, count, &[&rest, &reciprocal, &quotient])
    }

    /// A product; the second operand alone if the first one is 1.
    fn times(&mut self, count: usize, a: &[Comp], b: &[Comp]) -> Comps {
        if a.iter().all(|it| *it == float(1.0)) && b.len() == count {
            return b.to_vec();
        }
        self.each(Sm1::Mul, count, &[a, b])
    }

    /// Returns true for a clamp to the largest floats of a result that no instruction makes infinite.
    fn is_finite(&self, data: &InstData) -> bool {
        let is_limit = |&arg: &Inst| {
            let bits = self.body.const_of(arg).map(|bits| self.module.bits_of(bits));
            bits.is_some_and(|bits| {
                bits.components().iter().all(|&it| it as u32 & !(1 << 31) == f32::MAX.to_bits())
            })
        };
        let mut of = data;
        while let Op::Float(
            FloatOp::FMin
            | FloatOp::FNMin
            | FloatOp::FMax
            | FloatOp::FNMax
            | FloatOp::FClamp
            | FloatOp::FNClamp,
        ) = of.op
            && of.args.iter().skip(1).all(is_limit)
            && let Some(&next) = of.args.first()
        {
            of = self.body.inst(next);
            if let Op::Float(FloatOp::FRcp | FloatOp::FRsq | FloatOp::FLog2) = of.op {
                return true;
            }
        }
        false
    }

    /// The operand of a square root, whose reciprocal is one instruction. The root itself is removed if nothing else reads
    /// it.
    fn root_of(&mut self, root: Option<&Inst>) -> Option<Comps> {
        let data = self.body.inst(*root?);
        let of = *data.args.first().filter(|_| data.op == Op::Float(FloatOp::FSqrt))?;
        Some(self.comps(of, Class::Float))
    }

    pub(super) fn floor(&mut self, count: usize, a: &[Comp]) -> Comps {
        let fraction = self.each(Sm1::Frc, count, &[a]);
        self.each(Sm1::Add, count, &[a, &negate(&fraction)])
    }

    fn trunc(&mut self, inst: Inst, count: usize, a: &[Comp]) -> Comps {
        let of = self.body.inst(inst).args.first().copied();
        if of.is_some_and(|of| self.is_integral(of)) {
            return a.to_vec();
        }
        self.towards_zero(count, a)
    }

    /// Rounds towards zero.
    fn towards_zero(&mut self, count: usize, a: &[Comp]) -> Comps {
        let whole = self.floor(count, &absolute(a));
        self.with_sign(count, a, &whole)
    }

    /// `magnitude` where `a` is at least zero, and its negation elsewhere.
    pub(super) fn with_sign(&mut self, count: usize, a: &[Comp], magnitude: &[Comp]) -> Comps {
        if !self.is_vertex {
            return self.each(Sm1::Cmp, count, &[a, magnitude, &negate(magnitude)]);
        }
        let below = self.each(Sm1::Slt, count, &[a, &[float(0.0)]]);
        let twice = self.each(Sm1::Mul, count, &[&below, magnitude]);
        self.each(Sm1::Mad, count, &[&twice, &[float(-2.0)], magnitude])
    }

    fn round_even(&mut self, count: usize, a: &[Comp]) -> Comps {
        let up = self.each(Sm1::Add, count, &[a, &[float(0.5)]]);
        let fraction = self.each(Sm1::Frc, count, &[&up]);
        let nearest = self.each(Sm1::Add, count, &[&up, &negate(&fraction)]);
        let half = self.each(Sm1::Mul, count, &[&nearest, &[float(0.5)]]);
        let odd = self.each(Sm1::Frc, count, &[&half]);
        // A tie that was rounded to an odd number: 1 too many.
        let tie = self.compared(6, count, &fraction, &[float(0.0)]);
        let excess = self.each(Sm1::Mul, count, &[&tie, &odd]);
        self.each(Sm1::Mad, count, &[&excess, &[float(-2.0)], &nearest])
    }

    pub(super) fn sign(&mut self, count: usize, a: &[Comp]) -> Comps {
        let positive = self.compared(1, count, a, &[float(0.0)]);
        let negative = self.compared(4, count, a, &[float(0.0)]);
        self.each(Sm1::Add, count, &[&positive, &negate(&negative)])
    }

    /// Clamps to the range from 0 to 1, in the instruction that computes the operand if nothing else reads it.
    fn saturated(&mut self, of: Inst, comps: &[Comp]) -> Comps {
        let own = comps.iter().enumerate().all(|(at, comp)| {
            matches!(*comp, Comp::At { place: Place::Temp(_), component, negated: false, absolute: false }
                if usize::from(component) == at)
        });
        let single_use = self.users.of_value(of).len() == 1;
        let is_result = matches!(self.body.inst(of).op, Op::Float(_) | Op::Vector(VectorOp::FDot));
        if let (true, true, true, Some(Comp::At { place, .. })) = (own, single_use, is_result, comps.first())
        {
            let place = *place;
            let all = mask_of(comps.len());
            let last = self
                .codes
                .iter_mut()
                .rev()
                .take(8)
                .find(|code| code.target.is_some_and(|target| target.place == place));
            if let Some(target) = last.and_then(|code| code.target.as_mut())
                && target.mask == all
            {
                target.saturate = true;
                return comps.to_vec();
            }
        }
        self.saturate(comps.len(), comps)
    }

    fn saturate(&mut self, count: usize, comps: &[Comp]) -> Comps {
        let result = self.each(Sm1::Mov, count, &[comps]);
        if let Some(target) = self.codes.last_mut().and_then(|code| code.target.as_mut()) {
            target.saturate = true;
        }
        result
    }

    /// Sine (component 1) or cosine (component 0). The instruction takes angles from -π to π.
    fn sin_cos(&mut self, of: Option<&Inst>, count: usize, a: &[Comp], component: u8) -> Comps {
        if self.model == Model::Two {
            return self.sine_polynomial(count, a, component);
        }
        let angle = match of.is_some_and(|&of| self.is_reduced(of)) {
            true => a.to_vec(),
            false => {
                let turns = self.each(Sm1::Mad, count, &[a, &[float(1.0 / TAU)], &[float(0.5)]]);
                let turn = self.each(Sm1::Frc, count, &[&turns]);
                self.each(Sm1::Mad, count, &[&turn, &[float(TAU)], &[float(-PI)]])
            }
        };
        let mut results = Comps::new();
        for (&comp, &given) in angle.iter().zip(a) {
            // Sine and cosine of one angle are one instruction; a component that nothing reads is masked out.
            let known = self.angles.iter().find(|(block, angle, _)| *block == self.block && *angle == given);
            let temp = match known {
                Some(&(_, _, temp)) => temp,
                None => {
                    let temp = self.temp(2, true);
                    let target = Target { place: Place::Temp(temp), mask: 0b11, saturate: false };
                    let source = self.scalar(comp);
                    self.emit(Sm1::SinCos, 0, Reading::First, Some(target), vec![source]);
                    self.angles.push((self.block, given, temp));
                    temp
                }
            };
            results.push(at_place(Place::Temp(temp), component));
        }
        results
    }

    /// Returns true for an angle from -π to π by its formula: a fraction times 2 π, minus π.
    fn is_reduced(&self, angle: Inst) -> bool {
        let data = self.body.inst(angle);
        let near = |inst: Option<&Inst>, wanted: f32| {
            let bits = inst.and_then(|&inst| self.body.const_of(inst)).map(|bits| self.module.bits_of(bits));
            bits.is_some_and(|bits| {
                bits.components().iter().all(|&it| (f32::from_bits(it as u32) - wanted).abs() < 1e-5)
            })
        };
        let is_sum = matches!(data.op, Op::Float(FloatOp::FFma | FloatOp::FMad));
        let mut factor = data.args.first().copied();
        while let Some(inst) = factor
            && let Op::Vector(VectorOp::Swizzle) = self.body.inst(inst).op
        {
            factor = self.body.inst(inst).args.first().copied();
        }
        let is_fraction = factor.is_some_and(|it| self.body.inst(it).op == Op::Float(FloatOp::FFract));
        if let Op::Vector(VectorOp::Swizzle) = data.op {
            return data
                .args
                .first()
                .is_some_and(|&of| matches!(self.body.inst(of).op, Op::Float(_)) && self.is_reduced(of));
        }
        is_sum && is_fraction && near(data.args.get(1), TAU) && near(data.args.get(2), -PI)
    }

    fn derivative(&mut self, data: &InstData, op: GroupOp) -> Option<Comps> {
        let count = self.width(data.ty)?;
        let args = self.floats(data);
        let a = args.first()?;
        let codes: &[Sm1] = match op {
            GroupOp::Ddx => &[Sm1::Dsx],
            GroupOp::Ddy => &[Sm1::Dsy],
            GroupOp::Fwidth => &[Sm1::Dsx, Sm1::Dsy],
            _ => return None,
        };
        self.needs_uniform_flow("a derivative");
        let mut results: Vec<Comps> = codes.iter().map(|&code| self.each(code, count, &[a])).collect();
        let last = results.pop()?;
        Some(match results.pop() {
            Some(first) => self.each(Sm1::Add, count, &[&absolute(&first), &absolute(&last)]),
            None => last,
        })
    }

    /// Reports an operation that needs the neighbors of a pixel, if they may be elsewhere in the program.
    pub(super) fn needs_uniform_flow(&mut self, what: &str) {
        if self.block.is_some_and(|block| self.divergence.is_partial(block)) {
            let says = format!("{what} is computed where neighboring pixels may not be");
            self.refuse("D152", says, "move it out of the branch or loop, or make the condition uniform");
        }
    }

    // Conversions.

    fn conversion(&mut self, inst: Inst, data: &InstData, op: ConvertOp) -> Option<Comps> {
        use ConvertOp as C;
        let count = self.width(data.ty)?;
        let &arg = data.args.first()?;
        self.width(self.body.ty(arg))?;
        Some(match op {
            C::I2F | C::U2F => self.comps(arg, Class::Int),
            C::F2I | C::F2U | C::F2ISat | C::F2USat => {
                let a = self.comps(arg, Class::Float);
                if let Op::Float(FloatOp::FDiv | FloatOp::FRcp) = self.body.inst(arg).op {
                    // A division by zero is a large integer, not a fraction of infinity.
                    let size = self.each(Sm1::Min, count, &[&absolute(&a), &[float(LARGE)]]);
                    let whole = self.floor(count, &size);
                    return Some(self.with_sign(count, &a, &whole));
                }
                self.trunc(inst, count, &a)
            }
            C::B2I | C::B2F => self.comps(arg, Class::Bool),
            C::I2B => {
                let a = self.comps(arg, Class::Int);
                self.compared(5, count, &a, &[float(0.0)])
            }
            C::F2B => {
                let a = self.comps(arg, Class::Float);
                self.compared(5, count, &a, &[float(0.0)])
            }
            C::F2F | C::F2FRtz | C::F2FRtp | C::F2FRtn => self.comps(arg, Class::Float),
            C::I2I | C::U2U | C::I2ISat | C::U2USat | C::I2USat | C::U2ISat => self.comps(arg, Class::Int),
        })
    }

    // Comparisons.

    /// 1.0 where the comparison holds, else 0.0.
    pub(super) fn compared(&mut self, control: u8, count: usize, a: &[Comp], b: &[Comp]) -> Comps {
        if !self.is_vertex {
            return self.selected(control, count, (a, b), &[float(1.0)], &[float(0.0)]);
        }
        match control {
            1 => self.each(Sm1::Slt, count, &[b, a]),
            3 => self.each(Sm1::Sge, count, &[a, b]),
            4 => self.each(Sm1::Slt, count, &[a, b]),
            6 => self.each(Sm1::Sge, count, &[b, a]),
            _ => {
                let difference = absolute(&self.difference(count, a, b));
                let code = if control == 2 { Sm1::Sge } else { Sm1::Slt };
                self.each(code, count, &[&negate(&difference), &difference])
            }
        }
    }

    pub(super) fn difference(&mut self, count: usize, a: &[Comp], b: &[Comp]) -> Comps {
        let is_zero =
            |comps: &[Comp]| comps.iter().all(|it| matches!(it, Comp::Literal(bits) if bits << 1 == 0));
        let widened = |comps: &[Comp]| {
            (0..count).map(|at| comps.get(at).or(comps.first()).copied().unwrap_or(Comp::Undef)).collect()
        };
        match (is_zero(a), is_zero(b)) {
            (_, true) => widened(a),
            (true, false) => negate(&widened(b)),
            (false, false) => self.each(Sm1::Add, count, &[a, &negate(b)]),
        }
    }

    /// `x` where the comparison of the operands holds, else `y`.
    pub(super) fn selected(
        &mut self,
        control: u8,
        count: usize,
        (a, b): (&[Comp], &[Comp]),
        x: &[Comp],
        y: &[Comp],
    ) -> Comps {
        match (self.is_vertex, self.model) {
            (true, Model::Two) => return self.blended(control, count, (a, b), x, y),
            (true, Model::Three) => return self.predicated(control, count, (a, b), x, y),
            (false, _) => {}
        }
        let width = a.len().max(b.len());
        let difference = self.difference(width, a, b);
        let (test, x, y) = match control {
            1 => (negate(&difference), y, x),
            2 => (negate(&absolute(&difference)), x, y),
            3 => (difference, x, y),
            4 => (difference, y, x),
            5 => (negate(&absolute(&difference)), y, x),
            _ => (negate(&difference), x, y),
        };
        self.each(Sm1::Cmp, count, &[&test, x, y])
    }

    /// The same in a vertex shader of model 2, which has no predicates: the sum of both, one times 1, the other times 0.
    fn blended(
        &mut self,
        control: u8,
        count: usize,
        (a, b): (&[Comp], &[Comp]),
        x: &[Comp],
        y: &[Comp],
    ) -> Comps {
        let width = a.len().max(b.len());
        let truth = self.compared(control, width, a, b);
        let falsehood = self.each(Sm1::Add, width, &[&[float(1.0)], &negate(&truth)]);
        let chosen = self.each(Sm1::Mul, count, &[x, &truth]);
        self.each(Sm1::Mad, count, &[y, &falsehood, &chosen])
    }

    /// The same in a vertex shader of model 3, which has no `cmp`: the second value is overwritten under a predicate.
    fn predicated(
        &mut self,
        control: u8,
        count: usize,
        (a, b): (&[Comp], &[Comp]),
        x: &[Comp],
        y: &[Comp],
    ) -> Comps {
        let width = a.len().max(b.len());
        let temp = self.temp(count, width > 1);
        let place = Place::Temp(temp);
        let target = Target { place, mask: mask_of(count), saturate: false };
        let (x, y) = (self.source(x), self.source(y));
        let sources: Vec<Source> = vec![self.source(a), self.source(b)];
        let predicate = Place::Fixed(super::code::PREDICATE);
        let flags = Target { place: predicate, mask: mask_of(width), saturate: false };
        self.emit(Sm1::SetP, control, Reading::Each, Some(flags), sources);
        self.emit(Sm1::Mov, 0, Reading::Each, Some(target), vec![y]);
        self.emit(Sm1::Mov, 0, Reading::Each, Some(target), vec![x]);
        if let Some(code) = self.codes.last_mut() {
            code.predicate = Some(if width > 1 { super::code::EACH_PREDICATE } else { 0 });
        }
        parts(temp, count)
    }

    /// The value of a comparison that was left to its uses.
    pub(super) fn truth(&mut self, compare: &super::select::Compare) -> Comps {
        let count = compare.left.len().max(compare.right.len());
        self.compared(compare.control, count, &compare.left.clone(), &compare.right.clone())
    }
}
