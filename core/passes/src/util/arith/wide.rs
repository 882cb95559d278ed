//! Arithmetic on 64 bits by pairs of 32-bit values: an [`Arith`] on top of one that has only 32 bits.
//!
//! Operations that are simple on pairs are here; all others are expanded by the other tables, again on pairs.
//! So wide products and bit-by-bit division need no second implementation. 64-bit floats are not split:
//! conversions pack or unpack two 32-bit words.

use super::{Arith, bits, division};
use vitrine_ir::ops::{Bits, ConvertOp, Emit, FloatBuild, FloatOp, IntBuild, IntOp, Op, ValueType, Width};

/// A value, or a pair of halves that stands for 64 bits per component.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Half<V> {
    /// Any other value.
    One(V),
    /// The low and the high 32 bits.
    Two(V, V),
}

use Half::{One, Two};

/// Emits arithmetic on pairs.
pub(crate) struct Wide<'e, E> {
    pub(crate) on: &'e mut E,
    /// True if there was an operation without a form on pairs; the results are then invalid.
    pub(crate) stuck: bool,
}

type Value<E> = Half<<E as Emit>::Value>;

impl<E: Arith> Arith for Wide<'_, E> {
    fn type_of(&self, value: Value<E>) -> ValueType {
        match value {
            One(value) => self.on.type_of(value),
            Two(low, _) => ValueType::bits(Width::W64, self.on.type_of(low).components()),
        }
    }

    fn constant(&mut self, bits: Bits) -> Value<E> {
        if bits.width() != Width::W64 {
            return One(self.on.constant(bits));
        }
        let [low, high] = [0, 32].map(|shift| {
            let components: Vec<u64> = bits.components().iter().map(|component| component >> shift).collect();
            self.on.constant(Bits::from_components(Width::W32, &components))
        });
        Two(low, high)
    }

    fn typed(&mut self, op: Op, ty: ValueType, args: &[Value<E>]) -> Value<E> {
        if let Op::Convert(op) = op
            && let &[arg] = args
            && let Some(to) = ty.width()
        {
            return self.convert(op, to, arg);
        }
        match self.halves(op, args) {
            Some(value) => value,
            None => self.plain(op, ty, args),
        }
    }

    fn pick(&mut self, value: Value<E>, components: &[u8]) -> Value<E> {
        match value {
            One(value) => One(self.on.pick(value, components)),
            Two(low, high) => Two(self.on.pick(low, components), self.on.pick(high, components)),
        }
    }
}

impl<E: Arith> Emit for Wide<'_, E> {
    type Value = Half<E::Value>;

    fn emit(&mut self, op: Op, args: &[Value<E>]) -> Value<E> {
        if let Some(value) = self.halves(op, args) {
            return value;
        }
        let types: Vec<ValueType> = args.iter().map(|&arg| self.type_of(arg)).collect();
        match op.info().infer(&types) {
            Some(ty) => self.plain(op, ty, args),
            None => self.give_up(),
        }
    }
}

impl<E: Arith> Wide<'_, E> {
    /// A placeholder value.
    fn give_up(&mut self) -> Value<E> {
        self.stuck = true;
        One(self.on.constant(Bits::default()))
    }

    /// An operation without 64-bit operands.
    fn plain(&mut self, op: Op, ty: ValueType, args: &[Value<E>]) -> Value<E> {
        let mut plain = Vec::new();
        for &arg in args {
            match arg {
                One(value) => plain.push(value),
                Two(..) => return self.give_up(),
            }
        }
        if ty.width() == Some(Width::W64) && !matches!(op, Op::Float(_)) {
            return self.give_up();
        }
        One(self.on.typed(op, ty, &plain))
    }

    /// An operation with a pair among its operands.
    fn halves(&mut self, op: Op, args: &[Value<E>]) -> Option<Value<E>> {
        let Op::Int(op) = op else { return None };
        // A count of shifts or fields may be wide too; its value is in the low half, or exceeds every width.
        let pairs = args.iter().filter(|arg| matches!(arg, Two(..))).count();
        if pairs == 0 {
            return None;
        }
        let value = match (op, args) {
            (IntOp::IShl | IntOp::UShr | IntOp::IShr, &[One(a), Two(count, _)]) => {
                One(self.on.emit(op.into(), &[a, count]))
            }
            (IntOp::IShl, &[Two(low, high), count]) => self.shift_left(low, high, count),
            (IntOp::UShr, &[Two(low, high), count]) => self.shift_right(low, high, count, false),
            (IntOp::IShr, &[Two(low, high), count]) => self.shift_right(low, high, count, true),
            (IntOp::IAnd | IntOp::IOr | IntOp::IXor, &[Two(a, b), Two(c, d)]) => {
                Two(self.on.emit(op.into(), &[a, c]), self.on.emit(op.into(), &[b, d]))
            }
            (IntOp::INot, &[Two(a, b)]) => Two(self.on.inot(a), self.on.inot(b)),
            (IntOp::Select | IntOp::Select1, &[One(cond), Two(a, b), Two(c, d)]) => {
                Two(self.on.emit(op.into(), &[cond, a, c]), self.on.emit(op.into(), &[cond, b, d]))
            }
            (IntOp::IAdd, &[Two(a, b), Two(c, d)]) => self.add(a, b, c, d),
            (IntOp::ISub, &[Two(a, b), Two(c, d)]) => self.sub(a, b, c, d),
            (IntOp::INeg, &[Two(a, b)]) => {
                let zero = self.on.number(a, 0);
                self.sub(zero, zero, a, b)
            }
            (IntOp::IMul, &[Two(a, b), Two(c, d)]) => self.mul(a, b, c, d),
            (IntOp::IEq | IntOp::INe, &[Two(a, b), Two(c, d)]) => {
                let parts = [self.on.emit(op.into(), &[a, c]), self.on.emit(op.into(), &[b, d])];
                let join = if op == IntOp::IEq { IntOp::IAnd } else { IntOp::IOr };
                One(self.on.emit(join.into(), &parts))
            }
            (IntOp::ULt | IntOp::ILt, &[a, b]) => self.less(op, a, b),
            (IntOp::UGt, &[a, b]) => self.less(IntOp::ULt, b, a),
            (IntOp::IGt, &[a, b]) => self.less(IntOp::ILt, b, a),
            (IntOp::UGe, &[a, b]) => self.not_less(IntOp::ULt, a, b),
            (IntOp::IGe, &[a, b]) => self.not_less(IntOp::ILt, a, b),
            (IntOp::ULe, &[a, b]) => self.not_less(IntOp::ULt, b, a),
            (IntOp::ILe, &[a, b]) => self.not_less(IntOp::ILt, b, a),
            (IntOp::UMin, &[a, b]) => self.choose(IntOp::ULt, a, b),
            (IntOp::UMax, &[a, b]) => self.choose_other(IntOp::ULt, a, b),
            (IntOp::IMin, &[a, b]) => self.choose(IntOp::ILt, a, b),
            (IntOp::IMax, &[a, b]) => self.choose_other(IntOp::ILt, a, b),
            _ => bits::expand(self, op.into(), args).or_else(|| division::expand(self, op.into(), args))?,
        };
        Some(value)
    }

    fn add(&mut self, a: E::Value, b: E::Value, c: E::Value, d: E::Value) -> Value<E> {
        let low = self.on.iadd(a, c);
        let wrapped = self.on.ult(low, a);
        let carry = self.on.to(ConvertOp::B2I, Width::W32, wrapped);
        let high = self.on.iadd(b, d);
        Two(low, self.on.iadd(high, carry))
    }

    fn sub(&mut self, a: E::Value, b: E::Value, c: E::Value, d: E::Value) -> Value<E> {
        let low = self.on.isub(a, c);
        let less = self.on.ult(a, c);
        let borrow = self.on.to(ConvertOp::B2I, Width::W32, less);
        let high = self.on.isub(b, d);
        Two(low, self.on.isub(high, borrow))
    }

    fn mul(&mut self, a: E::Value, b: E::Value, c: E::Value, d: E::Value) -> Value<E> {
        let (low, high) = (self.on.imul(a, c), self.on.umul_high(a, c));
        let (first, second) = (self.on.imul(a, d), self.on.imul(b, c));
        let sum = self.on.iadd(first, second);
        Two(low, self.on.iadd(high, sum))
    }

    fn less(&mut self, op: IntOp, a: Value<E>, b: Value<E>) -> Value<E> {
        let (Two(a, b), Two(c, d)) = (a, b) else { return self.give_up() };
        let high = self.on.emit(op.into(), &[b, d]);
        let (same, low) = (self.on.ieq(b, d), self.on.ult(a, c));
        let low = self.on.iand(same, low);
        One(self.on.ior(high, low))
    }

    fn not_less(&mut self, op: IntOp, a: Value<E>, b: Value<E>) -> Value<E> {
        match self.less(op, a, b) {
            One(less) => One(self.on.inot(less)),
            Two(..) => self.give_up(),
        }
    }

    /// The first value if it is less, else the second.
    fn choose(&mut self, op: IntOp, a: Value<E>, b: Value<E>) -> Value<E> {
        let less = self.less(op, a, b);
        self.select(less, a, b)
    }

    /// The second value if the first is less, else the first.
    fn choose_other(&mut self, op: IntOp, a: Value<E>, b: Value<E>) -> Value<E> {
        let less = self.less(op, a, b);
        self.select(less, b, a)
    }

    /// The shift count as 32 bits, and a flag that is true if it is 32 or more, modulo 64.
    fn count(&mut self, count: Value<E>) -> (E::Value, E::Value) {
        let count = match count {
            Two(low, _) => low,
            One(count) if self.on.width(count) == Width::W32 => count,
            One(count) => self.on.to(ConvertOp::U2U, Width::W32, count),
        };
        let bit = self.on.masked(count, 32);
        let zero = self.on.number(bit, 0);
        (count, self.on.ine(bit, zero))
    }

    /// The bits that move from one half to the other: `value` shifted by 32 minus the count, and none for zero.
    fn crossing(&mut self, op: IntOp, value: E::Value, count: E::Value) -> E::Value {
        let (once, most) = (self.on.count(value, 1), self.on.number(count, 31));
        let value = self.on.emit(op.into(), &[value, once]);
        let rest = self.on.ixor(count, most);
        self.on.emit(op.into(), &[value, rest])
    }

    fn shift_left(&mut self, low: E::Value, high: E::Value, count: Value<E>) -> Value<E> {
        let (count, far) = self.count(count);
        let (moved, zero) = (self.on.ishl(low, count), self.on.number(low, 0));
        let (own, crossed) = (self.on.ishl(high, count), self.crossing(IntOp::UShr, low, count));
        let near = self.on.ior(own, crossed);
        Two(self.on.select(far, zero, moved), self.on.select(far, moved, near))
    }

    fn shift_right(&mut self, low: E::Value, high: E::Value, count: Value<E>, signed: bool) -> Value<E> {
        let (count, far) = self.count(count);
        let moved = if signed { self.on.ishr(high, count) } else { self.on.ushr(high, count) };
        let empty = if signed { self.on.right_signed(high, 31) } else { self.on.number(high, 0) };
        let (own, crossed) = (self.on.ushr(low, count), self.crossing(IntOp::IShl, high, count));
        let near = self.on.ior(own, crossed);
        Two(self.on.select(far, moved, near), self.on.select(far, empty, moved))
    }
}

/// Conversions from or to 64 bits.
impl<E: Arith> Wide<'_, E> {
    fn convert(&mut self, op: ConvertOp, to: Width, arg: Value<E>) -> Value<E> {
        let wide = to == Width::W64;
        match (op, arg) {
            (ConvertOp::U2U | ConvertOp::I2I, Two(low, high)) if wide => Two(low, high),
            (ConvertOp::U2U | ConvertOp::I2I, Two(low, _)) => match to {
                Width::W32 => One(low),
                _ => One(self.on.to(op, to, low)),
            },
            (ConvertOp::U2U | ConvertOp::I2I, One(value)) if wide => self.lengthen(op, value),
            (ConvertOp::B2I, One(value)) if wide => {
                let low = self.on.to(op, Width::W32, value);
                Two(low, self.on.number(low, 0))
            }
            (ConvertOp::I2B, Two(low, high)) => {
                let any = self.on.ior(low, high);
                let zero = self.on.number(any, 0);
                One(self.on.ine(any, zero))
            }
            (ConvertOp::U2F, Two(low, high)) => One(self.float_from(low, high, to)),
            (ConvertOp::I2F, Two(..)) => self.signed_float_from(arg, to),
            (ConvertOp::F2U | ConvertOp::F2USat, One(value)) if wide => self.of_float(value),
            (ConvertOp::F2I | ConvertOp::F2ISat, One(value)) if wide => self.of_signed_float(value),
            (ConvertOp::U2USat | ConvertOp::I2ISat | ConvertOp::I2USat | ConvertOp::U2ISat, _)
                if wide || matches!(arg, Two(..)) =>
            {
                self.clamped(op, to, arg)
            }
            (_, One(value)) => {
                let ty = ValueType::bits(to, self.on.type_of(value).components());
                self.plain(op.into(), ty, &[arg])
            }
            (_, Two(..)) => self.give_up(),
        }
    }

    fn lengthen(&mut self, op: ConvertOp, value: E::Value) -> Value<E> {
        let low = if self.on.width(value) == Width::W32 { value } else { self.on.to(op, Width::W32, value) };
        let high = match op {
            ConvertOp::I2I => self.on.right_signed(low, 31),
            _ => self.on.number(low, 0),
        };
        Two(low, high)
    }

    /// Clamped to the range of the result.
    fn clamped(&mut self, op: ConvertOp, to: Width, arg: Value<E>) -> Value<E> {
        let signed = matches!(op, ConvertOp::I2ISat | ConvertOp::I2USat);
        let value = match arg {
            Two(..) => arg,
            One(value) => self.lengthen(if signed { ConvertOp::I2I } else { ConvertOp::U2U }, value),
        };
        let largest = (to.mask() >> 1).cast_signed();
        let value = match op {
            ConvertOp::U2USat => self.at_most(IntOp::ULt, value, to.mask().cast_signed()),
            ConvertOp::U2ISat => self.at_most(IntOp::ULt, value, largest),
            ConvertOp::I2USat if to == Width::W64 => self.at_least(value, 0),
            ConvertOp::I2USat => {
                let value = self.at_least(value, 0);
                self.at_most(IntOp::ILt, value, to.mask().cast_signed())
            }
            _ => {
                let value = self.at_least(value, !largest);
                self.at_most(IntOp::ILt, value, largest)
            }
        };
        self.convert(ConvertOp::U2U, to, value)
    }

    fn at_most(&mut self, less: IntOp, value: Value<E>, most: i64) -> Value<E> {
        let most = self.number(value, most);
        self.choose(less, value, most)
    }

    fn at_least(&mut self, value: Value<E>, least: i64) -> Value<E> {
        let least = self.number(value, least);
        let less = self.less(IntOp::ILt, value, least);
        self.select(less, least, value)
    }

    /// Rounded once: converts the 32 bits from the highest set bit on; the lowest of them is a sticky bit.
    fn float_from(&mut self, low: E::Value, high: E::Value, to: Width) -> E::Value {
        if to == Width::W64 {
            let [low, high] = [low, high].map(|half| self.on.to(ConvertOp::U2F, to, half));
            let scale = self.on.real(high, 4_294_967_296.0);
            let high = self.on.fmul(high, scale);
            return self.on.fadd(high, low);
        }
        let (small, zero) = (self.on.to(ConvertOp::U2F, to, low), self.on.number(high, 0));
        let only_low = self.on.ieq(high, zero);
        let shift = self.on.clz(high);
        let (own, crossed) = (self.on.ishl(high, shift), self.crossing(IntOp::UShr, low, shift));
        let (top, rest) = (self.on.ior(own, crossed), self.on.ishl(low, shift));
        let some = self.on.ine(rest, zero);
        let some = self.on.to(ConvertOp::B2I, Width::W32, some);
        let top = self.on.ior(top, some);
        let mut large = self.on.to(ConvertOp::U2F, to, top);
        if to == Width::W32 {
            // Two to the power of 32 minus the shift; the largest halves are infinite already.
            let most = self.on.number(shift, 127 + 32);
            let exponent = self.on.isub(most, shift);
            let scale = self.on.left(exponent, 23);
            large = self.on.fmul(large, scale);
        }
        self.on.select(only_low, small, large)
    }

    fn signed_float_from(&mut self, value: Value<E>, to: Width) -> Value<E> {
        let Two(low, high) = value else { return self.give_up() };
        let zero = self.on.number(high, 0);
        let negative = self.on.ilt(high, zero);
        let (Two(a, b), Two(c, d)) = (self.sub(zero, zero, low, high), value) else { return self.give_up() };
        let (low, high) = (self.on.select(negative, a, c), self.on.select(negative, b, d));
        let size = self.float_from(low, high, to);
        let opposite = self.on.fneg(size);
        One(self.on.select(negative, opposite, size))
    }

    /// Rounded toward zero, clamped between zero and the largest number; NaN gives zero.
    fn of_float(&mut self, value: E::Value) -> Value<E> {
        let float = match self.on.width(value) {
            // A half is below 2^32, or infinite.
            Width::W16 => self.on.to(ConvertOp::F2F, Width::W32, value),
            _ => value,
        };
        let [scale, back, most] = [1.0 / 4_294_967_296.0, 4_294_967_296.0, 18_446_744_073_709_551_616.0]
            .map(|x| self.on.real(float, x));
        let part = self.on.fmul(float, scale);
        let high = self.on.to(ConvertOp::F2U, Width::W32, part);
        let whole = self.on.to(ConvertOp::U2F, self.on.width(float), high);
        let whole = self.on.fmul(whole, back);
        let rest = self.on.fsub(float, whole);
        let low = self.on.to(ConvertOp::F2U, Width::W32, rest);
        let (over, all) = (self.on.fge(float, most), self.on.number(low, -1));
        Two(self.on.select(over, all, low), self.on.select(over, all, high))
    }

    fn of_signed_float(&mut self, value: E::Value) -> Value<E> {
        let float = match self.on.width(value) {
            Width::W16 => self.on.to(ConvertOp::F2F, Width::W32, value),
            _ => value,
        };
        let size = self.on.emit(FloatOp::FAbs.into(), &[float]);
        let (zero, Two(low, high)) = (self.on.real(float, 0.0), self.of_float(size)) else {
            return self.give_up();
        };
        let negative = self.on.flt(float, zero);
        let none = self.on.number(low, 0);
        let Two(a, b) = self.sub(none, none, low, high) else { return self.give_up() };
        let signed = Two(self.on.select(negative, a, low), self.on.select(negative, b, high));
        // Outside the signed range.
        let border = self.on.real(float, 9_223_372_036_854_775_808.0);
        let over = self.on.fge(size, border);
        let (largest, smallest) = (self.number(signed, i64::MAX), self.number(signed, i64::MIN));
        let edge = self.select(One(negative), smallest, largest);
        self.select(One(over), edge, signed)
    }
}

/// An operation on 64 bits by pairs; none if it has no form on pairs. `halve` splits an operand.
pub(crate) fn by_pairs<E: Arith>(
    e: &mut E,
    op: Op,
    ty: ValueType,
    args: &[Half<E::Value>],
) -> Option<Half<E::Value>> {
    let mut wide = Wide { on: e, stuck: false };
    let value = wide.typed(op, ty, args);
    (!wide.stuck).then_some(value)
}

/// Returns true if `by_pairs` supports the operation with these types.
pub(crate) fn is_done(op: Op, ty: ValueType, args: &[ValueType]) -> bool {
    let wide = |ty: &ValueType| ty.width() == Some(Width::W64);
    let any = wide(&ty) || args.iter().any(wide);
    match op {
        Op::Int(_) => any,
        Op::Convert(op) => match op {
            ConvertOp::F2F
            | ConvertOp::F2FRtz
            | ConvertOp::F2FRtp
            | ConvertOp::F2FRtn
            | ConvertOp::F2B
            | ConvertOp::B2F => false,
            ConvertOp::U2F | ConvertOp::I2F => args.iter().any(wide),
            ConvertOp::F2U | ConvertOp::F2I | ConvertOp::F2USat | ConvertOp::F2ISat => wide(&ty),
            ConvertOp::I2I
            | ConvertOp::U2U
            | ConvertOp::I2ISat
            | ConvertOp::U2USat
            | ConvertOp::I2USat
            | ConvertOp::U2ISat
            | ConvertOp::B2I
            | ConvertOp::I2B => any,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::super::numbers::{Numbers, operands, typings};
    use super::*;

    fn halve(value: Bits) -> Half<Bits> {
        if value.width() != Width::W64 {
            return One(value);
        }
        let of =
            |shift: u32| value.components().iter().map(|component| component >> shift).collect::<Vec<_>>();
        Two(Bits::from_components(Width::W32, &of(0)), Bits::from_components(Width::W32, &of(32)))
    }

    fn whole(value: Half<Bits>) -> Bits {
        match value {
            One(value) => value,
            Two(low, high) => {
                let components: Vec<u64> = low
                    .components()
                    .iter()
                    .zip(high.components())
                    .map(|(low, high)| low | high << 32)
                    .collect();
                Bits::from_components(Width::W64, &components)
            }
        }
    }

    #[test]
    fn pairs_match_the_operation() {
        let mut compared = 0;
        let ints = IntOp::ALL.iter().map(|&op| Op::Int(op));
        let conversions = ConvertOp::ALL.iter().map(|&op| Op::Convert(op));
        for op in ints.chain(conversions) {
            for types in typings_of(op) {
                for ty in results(op, &types) {
                    if !is_done(op, ty, &types) {
                        continue;
                    }
                    // Division is done bit by bit: fewer samples.
                    let by = if division::OPS.iter().any(|&(known, _)| known == op) { 23 } else { 1 };
                    for args in operands(&types).into_iter().step_by(by) {
                        let meant = op.info().eval(ty, &args).unwrap();
                        // 64-bit floats are not split.
                        use ConvertOp as C;
                        let floats = matches!(op, Op::Convert(C::F2U | C::F2I | C::F2USat | C::F2ISat));
                        let half = |&arg: &Bits| if floats { One(arg) } else { halve(arg) };
                        let halves: Vec<Half<Bits>> = args.iter().map(half).collect();
                        let made = by_pairs(&mut Numbers::default(), op, ty, &halves);
                        let made =
                            whole(made.unwrap_or_else(|| panic!("{} has no expansion on pairs", op.name())));
                        assert_eq!(meant, made, "{} {args:?}", op.name());
                        compared += 1;
                    }
                }
            }
        }
        assert!(compared > 100_000, "{compared}");
    }

    /// Result types of conversions, which do not follow from their operands.
    fn typings_of(op: Op) -> Vec<Vec<ValueType>> {
        match op {
            Op::Convert(_) => {
                let widths = op.info().operands[0].constraint.widths;
                widths.iter().map(|width| vec![ValueType::bits(width, 1)]).collect()
            }
            _ => typings(op, 1),
        }
    }

    fn results(op: Op, types: &[ValueType]) -> Vec<ValueType> {
        match op.info().infer(types) {
            Some(ty) => vec![ty],
            None => op.info().result.widths.iter().map(|width| ValueType::bits(width, 1)).collect(),
        }
    }
}
