//! Transfer functions of instructions: selects the function of `int` or `float` for each component of the
//! result.
//!
//! Independent of memory and control flow; values from outside may be anything.

use super::fact::{Fact, Float, has_floats};
use super::{float, int};
use crate::FloatModes;
use vitrine_ir::InstData;
use vitrine_ir::ops::attr::unpack_component;
use vitrine_ir::ops::{Bits, ConvertOp, IntOp, Key, Op, Scalar, TexOp, ValueType, VectorOp, Width};

/// Facts for the components of one operand.
pub(super) type Components<'a> = &'a [Fact];

/// Facts for the components of every operand, none for an opaque operand.
#[derive(Clone, Copy)]
pub(super) struct Operands<'a> {
    /// The concatenated facts of the operands.
    pub(super) facts: Components<'a>,
    /// The end of each operand.
    pub(super) ends: &'a [usize],
}

impl<'a> Operands<'a> {
    fn len(self) -> usize {
        self.ends.len()
    }

    fn get(self, arg: usize) -> Option<Components<'a>> {
        let from = arg.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        self.facts.get(from..*self.ends.get(arg)?)
    }

    fn iter(self) -> impl Iterator<Item = Components<'a>> {
        (0..self.len()).filter_map(move |arg| self.get(arg))
    }
}

/// Writes the facts for the components of the result to `out`, which holds `Fact::any` at first.
pub(super) fn components(data: &InstData, args: Operands<'_>, modes: FloatModes, out: &mut [Fact]) {
    let ValueType::Bits { width: to, .. } = data.ty else { return };
    let at = |arg: usize, component: usize| -> Option<Fact> {
        let facts = args.get(arg)?;
        if facts.len() == 1 { facts.first().copied() } else { facts.get(component).copied() }
    };
    match data.op {
        Op::Vector(op) => vector(op, data, args, modes, out),
        // `select1` uses one condition for all components; a scalar operand applies to every component
        // anyway.
        Op::Int(IntOp::Select | IntOp::Select1) => {
            for (component, slot) in out.iter_mut().enumerate() {
                *slot = selected(at(0, component), at(1, component), at(2, component)).unwrap_or(*slot);
            }
        }
        Op::Int(op) => each(out, args.len(), &at, |facts| match facts {
            [a, b] if to == Width::W1 && a.width() == b.width() => {
                int::compare(op, a, b).or_else(|| int::of(op, facts, to))
            }
            _ => int::of(op, facts, to),
        }),
        Op::Float(op) => {
            let same = data.args.first() == data.args.get(1);
            each(out, args.len(), &at, |facts| float_component(op, facts, same, modes, to));
        }
        Op::Convert(op) => each(out, args.len(), &at, |facts| convert(op, facts.first()?, modes, to)),
        Op::Tex(TexOp::QueryLevels | TexOp::QuerySamples) => {
            out.fill(Fact::signed(to, 0, i128::from(i32::MAX)));
        }
        Op::Basic(_)
        | Op::Deref(_)
        | Op::Memory(_)
        | Op::Io(_)
        | Op::Group(_)
        | Op::Tex(_)
        | Op::Ptr(_)
        | Op::Reg(_)
        | Op::Spirv(_) => {}
    }
}

/// Component by component: applies `of` to the facts of the operands.
fn each(
    out: &mut [Fact],
    count: usize,
    at: &dyn Fn(usize, usize) -> Option<Fact>,
    of: impl Fn(&[Fact]) -> Option<Fact>,
) {
    for (component, slot) in out.iter_mut().enumerate() {
        let mut facts = [*slot; 4];
        let Some(facts) = facts.get_mut(..count) else { return };
        let mut whole = true;
        for (arg, fact) in facts.iter_mut().enumerate() {
            match at(arg, component) {
                Some(found) => *fact = found,
                None => whole = false,
            }
        }
        if whole && let Some(fact) = of(facts) {
            *slot = fact;
        }
    }
}

fn selected(cond: Option<Fact>, a: Option<Fact>, b: Option<Fact>) -> Option<Fact> {
    let (a, b) = (a?, b?);
    match cond?.constant() {
        Some(known) if known.as_bool() => Some(a),
        Some(_) => Some(b),
        None => Some(a.join(&b)),
    }
}

fn float_component(
    op: vitrine_ir::ops::FloatOp,
    facts: &[Fact],
    same: bool,
    modes: FloatModes,
    to: Width,
) -> Option<Fact> {
    let width = facts.first()?.width();
    if !has_floats(width) {
        return None;
    }
    let cx = float::Cx { width, modes };
    let mut floats = [Float::ANY; 4];
    for (float, fact) in floats.iter_mut().zip(facts) {
        *float = cx.flushed(fact.float);
    }
    let floats = floats.get(..facts.len())?;
    match floats {
        [a, rest @ ..] if to == Width::W1 => float::compare(op, a, rest.first().unwrap_or(a)),
        _ if to == width => cx.of(op, floats, same),
        _ => None,
    }
}

fn convert(op: ConvertOp, from: &Fact, modes: FloatModes, to: Width) -> Option<Fact> {
    use ConvertOp as C;
    let (u, s) = (from.unsigned, from.signed);
    let (u, s) = ((i128::from(u.0), i128::from(u.1)), (i128::from(s.0), i128::from(s.1)));
    let wide = to >= from.width();
    let top = i128::from(to.mask() >> 1);
    let cut =
        |low: i128, high: i128, least: i128, most: i128| (low.clamp(least, most), high.clamp(least, most));
    Some(match op {
        C::I2I if wide => Fact::signed(to, s.0, s.1),
        C::U2U if wide => {
            let unused = to.mask() & !from.width().mask();
            Fact::known(to, from.zeros | unused, from.ones).meet(&Fact::unsigned(to, u.0, u.1))?
        }
        C::I2I | C::U2U => {
            let bits = Fact::known(to, from.zeros, from.ones);
            let signed = Fact::signed(to, s.0, s.1);
            let unsigned = Fact::unsigned(to, u.0, u.1);
            bits.meet(&signed).and_then(|fact| fact.meet(&unsigned)).unwrap_or(bits)
        }
        C::I2ISat => {
            let (low, high) = cut(s.0, s.1, -top - 1, top);
            Fact::signed(to, low, high)
        }
        C::U2USat => {
            let (low, high) = cut(u.0, u.1, 0, to.mask().into());
            Fact::unsigned(to, low, high)
        }
        C::I2USat => {
            let (low, high) = cut(s.0, s.1, 0, to.mask().into());
            Fact::unsigned(to, low, high)
        }
        C::U2ISat => {
            let (low, high) = cut(u.0, u.1, 0, top);
            Fact::signed(to, low, high)
        }
        C::B2I => Fact::unsigned(to, u.0, u.1),
        C::B2F => {
            let ends = (from.unsigned.0 as f64, from.unsigned.1 as f64);
            Fact::float(to, Float { whole: true, ..Float::within(ends.0, ends.1) })
        }
        C::I2B => Fact::truth(from.unsigned.0 == 0, from.unsigned.1 != 0),
        C::I2F => from_int(
            from,
            modes,
            to,
            from.signed.0.cast_unsigned(),
            from.signed.1.cast_unsigned(),
            Scalar::i2f,
        ),
        C::U2F => from_int(from, modes, to, from.unsigned.0, from.unsigned.1, Scalar::u2f),
        C::F2I | C::F2ISat => to_int(from, modes, to, true),
        C::F2U | C::F2USat => to_int(from, modes, to, false),
        C::F2F | C::F2FRtz | C::F2FRtp | C::F2FRtn => between_floats(op, from, modes, to)?,
        C::F2B => return None,
    })
}

fn from_int(
    from: &Fact,
    modes: FloatModes,
    to: Width,
    low: u64,
    high: u64,
    f: fn(Scalar, Width) -> Scalar,
) -> Fact {
    let end = |bits: u64| f(Scalar::new(from.width(), bits), to).to_f64() + 0.0;
    let float = Float { whole: true, minus_zero: false, ..Float::within(end(low), end(high)) };
    let cx = float::Cx { width: to, modes };
    Fact::float(to, cx.rounded(float))
}

fn to_int(from: &Fact, modes: FloatModes, to: Width, signed: bool) -> Fact {
    let cx = float::Cx { width: from.width(), modes };
    let float = cx.flushed(from.float);
    let end = |value: f64| {
        let component = Scalar::float(from.width(), value);
        if signed { i128::from(component.f2i(to).as_i64()) } else { i128::from(component.f2u(to).as_u64()) }
    };
    let (mut low, mut high) = if float.has_no_number() { (0, 0) } else { (end(float.low), end(float.high)) };
    if float.nan {
        (low, high) = (low.min(0), high.max(0));
    }
    if signed { Fact::signed(to, low, high) } else { Fact::unsigned(to, low, high) }
}

fn between_floats(op: ConvertOp, from: &Fact, modes: FloatModes, to: Width) -> Option<Fact> {
    let f = match op {
        ConvertOp::F2FRtz => Scalar::f2f_rtz,
        ConvertOp::F2FRtp => Scalar::f2f_rtp,
        ConvertOp::F2FRtn => Scalar::f2f_rtn,
        _ => Scalar::f2f,
    };
    let source = float::Cx { width: from.width(), modes };
    let float = source.flushed(from.float);
    if float.has_no_number() {
        return None;
    }
    let end = |value: f64| f(Scalar::float(from.width(), value), to).to_f64() + 0.0;
    let (low, high) = (end(float.low), end(float.high));
    let minus_zero = float.minus_zero || (float.low < 0.0 && high >= 0.0);
    let target = float::Cx { width: to, modes };
    Some(Fact::float(to, target.rounded(Float { low, high, minus_zero, ..float })))
}

fn vector(op: VectorOp, data: &InstData, args: Operands<'_>, modes: FloatModes, out: &mut [Fact]) {
    use VectorOp as V;
    let all = || args.facts.iter().copied();
    match op {
        V::Vec => copy_to(out, all()),
        V::Splat => {
            if let Some(component) = all().next() {
                out.fill(component);
            }
        }
        V::Swizzle | V::Shuffle => {
            let Some(components) = data.attrs.get(Key::Components) else { return };
            for (at, slot) in out.iter_mut().enumerate() {
                *slot = all().nth(usize::from(unpack_component(components, at))).unwrap_or(*slot);
            }
        }
        V::Extract => {
            let (Some(from), Some(index)) = (args.get(0), args.get(1)) else { return };
            let (Some(slot), Some(index)) = (out.first_mut(), index.first()) else { return };
            let (least, most) = index.unsigned;
            let inside = from.iter().enumerate().filter(|(at, _)| (least..=most).contains(&(*at as u64)));
            let past = most >= from.len() as u64;
            let zero = past.then(|| Fact::exactly(Scalar::zero(slot.width())));
            let facts = inside.map(|(_, fact)| *fact).chain(zero);
            *slot = facts.reduce(|a, b| a.join(&b)).unwrap_or(*slot);
        }
        V::Insert => {
            let (Some(into), Some(component), Some(index)) = (args.get(0), args.get(1), args.get(2)) else {
                return;
            };
            let (Some(component), Some(index)) = (component.first(), index.first()) else { return };
            for (at, (slot, old)) in out.iter_mut().zip(into.iter()).enumerate() {
                let (least, most) = index.unsigned;
                let touched = (least..=most).contains(&(at as u64));
                *slot = if !touched {
                    *old
                } else if least == most {
                    *component
                } else {
                    old.join(component)
                };
            }
        }
        V::All | V::Any => {
            let Some(slot) = out.first_mut() else { return };
            let may =
                |bit: u64| all().filter(|fact| fact.unsigned.0 <= bit && bit <= fact.unsigned.1).count();
            let components = all().count();
            *slot = if op == V::All {
                Fact::truth(may(0) > 0, may(1) == components)
            } else {
                Fact::truth(may(0) == components, may(1) > 0)
            };
        }
        V::UnpackUnorm2x16 | V::UnpackUnorm4x8 => unpacked(out, 0.0, modes),
        V::UnpackSnorm2x16 | V::UnpackSnorm4x8 => unpacked(out, -1.0, modes),
        V::FLength | V::FDistance => {
            let Some(slot) = out.first_mut() else { return };
            let float = Float { nan: true, ..Float::within(0.0, f64::INFINITY) };
            *slot = Fact::float(slot.width(), float);
        }
        _ => evaluated(data, args, modes, out),
    }
}

fn copy_to(out: &mut [Fact], from: impl Iterator<Item = Fact>) {
    for (slot, fact) in out.iter_mut().zip(from) {
        *slot = fact;
    }
}

/// Fractions from `low` to 1.
fn unpacked(out: &mut [Fact], low: f64, modes: FloatModes) {
    for slot in out {
        let cx = float::Cx { width: slot.width(), modes };
        *slot =
            Fact::float(slot.width(), cx.flushed(Float { minus_zero: low < 0.0, ..Float::within(low, 1.0) }));
    }
}

/// The result of an operation if every operand is constant.
fn evaluated(data: &InstData, args: Operands<'_>, modes: FloatModes, out: &mut [Fact]) {
    // Most operations have an operand that is not constant: no list is allocated for them.
    if args.len() == 0 || !args.facts.iter().all(|fact| fact.constant().is_some()) {
        return;
    }
    let constant = |facts: Components<'_>| -> Option<Bits> {
        let components: Vec<Scalar> = facts.iter().map(Fact::constant).collect::<Option<_>>()?;
        (!components.is_empty()).then(|| Bits::from_scalars(&components))
    };
    let Some(args) = args.iter().map(constant).collect::<Option<Vec<Bits>>>() else { return };
    if !data.op.props().pure() {
        return;
    }
    let Some(bits) = data.op.info().eval(data.ty, &args) else { return };
    if modes.agree(data.op, &args, &bits) {
        copy_to(out, bits.scalars().map(Fact::exactly));
    }
}
