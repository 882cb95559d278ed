//! Arithmetic on virtual registers: the semantics of the op table, component by component.
//!
//! `fast` contains specialized loops for the most common operations. A test compares every one of them with
//! the op table.

use super::super::micro_op::{Arg, Code, ComponentFn, Fast, MicroOp, Number, Precondition, WholeFn};
use super::super::prints::{Print, Printed, formatted};
use super::super::report::UbKind;
use super::Machine;
use std::cmp::Ordering;
use vitrine_ir::ops::value::MAX_COMPONENTS;
use vitrine_ir::ops::{Bits, Cx, Key, Scalar, Width};

const NAN: u64 = 0x7fc0_0000;

fn float(bits: u64) -> f32 {
    f32::from_bits(bits as u32)
}

fn bits(value: f32) -> u64 {
    if value.is_nan() { NAN } else { u64::from(value.to_bits()) }
}

fn int(bits: u64) -> i32 {
    (bits as u32).cast_signed()
}

/// The order of two numbers, none for NaN.
fn order(kind: Number, one: Scalar, other: Scalar) -> Option<Ordering> {
    match kind {
        Number::Signed => Some(one.as_i64().cmp(&other.as_i64())),
        Number::Unsigned => Some(one.as_u64().cmp(&other.as_u64())),
        Number::Float => one.to_f64().partial_cmp(&other.to_f64()),
    }
}

impl Fast {
    /// The operation on two operands; for a unary operation the second is the first.
    fn of(self, mask: u64) -> impl Fn(u64, u64) -> u64 {
        move |a, b| match self {
            Fast::FAdd32 => bits(float(a) + float(b)),
            Fast::FSub32 => bits(float(a) - float(b)),
            Fast::FMul32 => bits(float(a) * float(b)),
            Fast::FNeg32 => a ^ 0x8000_0000,
            Fast::FAbs32 => a & 0x7fff_ffff,
            Fast::FLt32 => u64::from(float(a) < float(b)),
            Fast::FGt32 => u64::from(float(a) > float(b)),
            Fast::FLe32 => u64::from(float(a) <= float(b)),
            Fast::FGe32 => u64::from(float(a) >= float(b)),
            Fast::IAdd => a.wrapping_add(b) & mask,
            Fast::ISub => a.wrapping_sub(b) & mask,
            Fast::IMul => a.wrapping_mul(b) & mask,
            Fast::IAnd => a & b,
            Fast::IOr => a | b,
            Fast::IXor => a ^ b,
            Fast::IEq => u64::from(a == b),
            Fast::INe => u64::from(a != b),
            Fast::ILt32 => u64::from(int(a) < int(b)),
            Fast::IGt32 => u64::from(int(a) > int(b)),
            Fast::ILe32 => u64::from(int(a) <= int(b)),
            Fast::IGe32 => u64::from(int(a) >= int(b)),
            Fast::ULt => u64::from(a < b),
            Fast::UGe => u64::from(a >= b),
        }
    }
}

/// Instantiates a loop for each operation, so that each gets specialized code.
macro_rules! each {
    ($fast:expr, $name:ident, $($variant:ident)*) => {
        match $fast { $(Fast::$variant => $name!(Fast::$variant),)* }
    };
}

impl Machine {
    /// The shadow of a result component: undefined if a component of an operand is.
    fn shade(&mut self, micro: &MicroOp, args: &[Arg], part: u32, every_part: bool) {
        if !self.shadowed {
            return;
        }
        let to = self.vreg(micro.dst + part);
        let vregs: Vec<usize> = args
            .iter()
            .flat_map(|arg| {
                let range =
                    if every_part { 0..u32::from(arg.parts) } else { own(arg, part)..own(arg, part) + 1 };
                range.map(|part| self.vreg(arg.slot + part))
            })
            .collect();
        for at in 0..self.active.len() {
            let invocation = self.active[at] as usize;
            let undef = vregs.iter().any(|&vreg| self.is_undef(vreg, invocation));
            self.set_undef(to, invocation, undef);
        }
    }

    pub(super) fn by_component(&mut self, code: &Code, micro: &MicroOp, f: ComponentFn) {
        self.each_part(code, micro, f);
    }

    pub(super) fn flushed(&mut self, code: &Code, micro: &MicroOp, f: ComponentFn) {
        self.each_part(code, micro, |args, cx| {
            let mut flushed = [Scalar::default(); 4];
            for (slot, arg) in flushed.iter_mut().zip(args) {
                *slot = arg.flush_denorm();
            }
            f(&flushed[..args.len().min(4)], cx).flush_denorm()
        });
    }

    fn each_part(&mut self, code: &Code, micro: &MicroOp, f: impl Fn(&[Scalar], Cx) -> Scalar) {
        let args = code.args_of(micro);
        let cx = Cx { to: micro.to, components: micro.parts };
        let active = std::mem::take(&mut self.active);
        let count = args.len().min(4);
        for part in 0..u32::from(micro.parts) {
            let to = self.vreg(micro.dst + part);
            let mut vregs = [(0, Width::W32); 4];
            for (vreg, arg) in vregs.iter_mut().zip(args) {
                *vreg = (self.vreg(arg.slot + own(arg, part)), arg.width);
            }
            let mut given = [Scalar::default(); 4];
            for &invocation in &active {
                let invocation = invocation as usize;
                for (slot, &(vreg, width)) in given.iter_mut().zip(&vregs).take(count) {
                    *slot = Scalar::new(width, self.regs[vreg + invocation]);
                }
                self.regs[to + invocation] = f(&given[..count], cx).bits();
            }
        }
        self.active = active;
        for part in 0..u32::from(micro.parts) {
            self.shade(micro, args, part, false);
        }
    }

    pub(super) fn fast(&mut self, code: &Code, micro: &MicroOp, fast: Fast) {
        let args = code.args_of(micro);
        let (Some(a), Some(b)) = (args.first(), args.last()) else { return };
        let mask = micro.to.mask();
        for part in 0..u32::from(micro.parts) {
            let to = self.vreg(micro.dst + part);
            let (a, b) = (self.vreg(a.slot + own(a, part)), self.vreg(b.slot + own(b, part)));
            macro_rules! go {
                ($fast:expr) => {
                    self.two(to, a, b, $fast.of(mask))
                };
            }
            each!(fast, go, FAdd32 FSub32 FMul32 FNeg32 FAbs32 FLt32 FGt32 FLe32 FGe32 IAdd ISub IMul IAnd IOr IXor
                IEq INe ILt32 IGt32 ILe32 IGe32 ULt UGe);
            self.shade(micro, args, part, false);
        }
    }

    /// A binary operation on virtual registers.
    fn two(&mut self, to: usize, a: usize, b: usize, f: impl Fn(u64, u64) -> u64) {
        let width = self.width;
        if self.active.len() == width {
            let [first, second] = &mut self.scratch;
            first.copy_from_slice(&self.regs[a..a + width]);
            second.copy_from_slice(&self.regs[b..b + width]);
            for ((out, &a), &b) in self.regs[to..to + width].iter_mut().zip(first.iter()).zip(second.iter()) {
                *out = f(a, b);
            }
            return;
        }
        for &invocation in &self.active {
            let invocation = invocation as usize;
            self.regs[to + invocation] = f(self.regs[a + invocation], self.regs[b + invocation]);
        }
    }

    pub(super) fn whole(&mut self, code: &Code, micro: &MicroOp, f: WholeFn) {
        let args = code.args_of(micro);
        let cx = Cx { to: micro.to, components: micro.parts };
        let to = self.vreg(micro.dst);
        let vregs: Vec<(usize, Width, usize)> =
            args.iter().map(|arg| (self.vreg(arg.slot), arg.width, usize::from(arg.parts))).collect();
        let mut given: Vec<Bits> = vec![Bits::default(); args.len()];
        for at in 0..self.active.len() {
            let invocation = self.active[at] as usize;
            for (slot, &(vreg, width, parts)) in given.iter_mut().zip(&vregs) {
                let mut words = [0; MAX_COMPONENTS];
                for (part, slot) in words.iter_mut().take(parts).enumerate() {
                    *slot = self.regs[vreg + part * self.width + invocation];
                }
                *slot = Bits::from_components(width, &words[..parts.min(MAX_COMPONENTS)]);
            }
            let result = f(&given, cx);
            for (part, &bits) in result.components().iter().take(usize::from(micro.parts)).enumerate() {
                self.regs[to + part * self.width + invocation] = bits;
            }
        }
        for part in 0..u32::from(micro.parts) {
            self.shade(micro, args, part, true);
        }
    }

    pub(super) fn moved(&mut self, code: &Code, micro: &MicroOp) {
        let active = std::mem::take(&mut self.active);
        for (part, arg) in code.args_of(micro).iter().take(usize::from(micro.parts)).enumerate() {
            let (from, to) = (self.vreg(arg.slot), self.vreg(micro.dst + part as u32));
            self.copy_vreg(from, to, &active);
        }
        self.active = active;
    }

    pub(super) fn select(&mut self, code: &Code, micro: &MicroOp) {
        let &[cond, a, b] = code.args_of(micro) else { return };
        for part in 0..u32::from(micro.parts) {
            let (cond, a, b) = (
                self.vreg(cond.slot + own(&cond, part)),
                self.vreg(a.slot + own(&a, part)),
                self.vreg(b.slot + own(&b, part)),
            );
            let to = self.vreg(micro.dst + part);
            for at in 0..self.active.len() {
                let invocation = self.active[at] as usize;
                let from = if self.regs[cond + invocation] != 0 { a } else { b };
                self.regs[to + invocation] = self.regs[from + invocation];
                if self.shadowed {
                    let undef = self.is_undef(cond, invocation) || self.is_undef(from, invocation);
                    self.set_undef(to, invocation, undef);
                }
            }
        }
    }

    pub(super) fn extract(&mut self, code: &Code, micro: &MicroOp) {
        let &[from, index] = code.args_of(micro) else { return };
        let (to, first, index) = (self.vreg(micro.dst), self.vreg(from.slot), self.vreg(index.slot));
        for at in 0..self.active.len() {
            let invocation = self.active[at] as usize;
            let number = self.regs[index + invocation];
            let vreg = (number < u64::from(from.parts)).then(|| first + number as usize * self.width);
            self.regs[to + invocation] = vreg.map_or(0, |vreg| self.regs[vreg + invocation]);
            if self.shadowed {
                let undef = self.is_undef(index, invocation)
                    || vreg.is_some_and(|vreg| self.is_undef(vreg, invocation));
                self.set_undef(to, invocation, undef);
            }
        }
    }

    pub(super) fn insert(&mut self, code: &Code, micro: &MicroOp) {
        let &[into, value, index] = code.args_of(micro) else { return };
        let (value, index) = (self.vreg(value.slot), self.vreg(index.slot));
        for part in 0..u32::from(micro.parts) {
            let (to, old) = (self.vreg(micro.dst + part), self.vreg(into.slot + own(&into, part)));
            for at in 0..self.active.len() {
                let invocation = self.active[at] as usize;
                let from = if self.regs[index + invocation] == u64::from(part) { value } else { old };
                self.regs[to + invocation] = self.regs[from + invocation];
                if self.shadowed {
                    let undef = self.is_undef(index, invocation) || self.is_undef(from, invocation);
                    self.set_undef(to, invocation, undef);
                }
            }
        }
    }

    /// Checks the precondition of the next instruction.
    pub(super) fn check(&mut self, code: &Code, micro: &MicroOp, precondition: Precondition) {
        let args = code.args_of(micro);
        let Some(value) = args.first() else { return };
        let wide = u64::from(value.width.bits());
        let numbers = |arg: Option<&Arg>| arg.copied().unwrap_or(*value);
        match precondition {
            Precondition::Divisor => {
                self.precondition(numbers(args.get(1)), UbKind::DivisionByZero, |number| number == 0);
            }
            Precondition::Shift => {
                self.precondition(numbers(args.get(1)), UbKind::WideShift, |count| count >= wide);
            }
            Precondition::Component { index } => {
                let parts = u64::from(value.parts);
                self.precondition(
                    numbers(args.get(usize::from(index))),
                    UbKind::WrongComponent,
                    |invocation| invocation >= parts,
                );
            }
            Precondition::Field { first } => {
                let (offset, count) = (args.get(usize::from(first)), args.get(usize::from(first) + 1));
                let (Some(offset), Some(count)) = (offset, count) else { return };
                self.pairs(*offset, *count, UbKind::WideField, |offset, count| {
                    offset.saturating_add(count) > wide
                });
            }
            Precondition::Bounds { first, kind, strict } => {
                let (low, high) = (args.get(usize::from(first)), args.get(usize::from(first) + 1));
                let (Some(low), Some(high)) = (low, high) else { return };
                let width = value.width;
                self.pairs(*low, *high, UbKind::WrongBounds, |low, high| {
                    let order = order(kind, Scalar::new(width, low), Scalar::new(width, high));
                    order == Some(Ordering::Greater) || strict && order == Some(Ordering::Equal)
                });
            }
            Precondition::Conversion { signed, to } => {
                let width = value.width;
                let end = 2.0_f64.powi((to.bits() - u32::from(signed)).cast_signed());
                let start = if signed { -end } else { 0.0 };
                self.precondition(*value, UbKind::WideConversion, |number| {
                    let whole = Scalar::new(width, number).to_f64().trunc();
                    // Not by a range: NaN is in none.
                    !(start <= whole && whole < end)
                });
            }
        }
    }

    /// Reports the invocations in which a pair of components is wrong; undefined ones are not.
    fn pairs(&mut self, first: Arg, second: Arg, ub: UbKind, wrong: impl Fn(u64, u64) -> bool) {
        for part in 0..u32::from(first.parts) {
            let (one, other) = (self.vreg(first.slot + part), self.vreg(second.slot + own(&second, part)));
            for at in 0..self.active.len() {
                let invocation = self.active[at] as usize;
                let is_known = !self.is_undef(one, invocation) && !self.is_undef(other, invocation);
                if is_known && wrong(self.get(one, invocation), self.get(other, invocation)) {
                    self.ub(ub, invocation);
                }
            }
        }
    }

    fn precondition(&mut self, arg: Arg, ub: UbKind, wrong: impl Fn(u64) -> bool) {
        for part in 0..u32::from(arg.parts) {
            let vreg = self.vreg(arg.slot + part);
            if !self.active.iter().any(|&invocation| wrong(self.regs[vreg + invocation as usize])) {
                continue;
            }
            for at in 0..self.active.len() {
                let invocation = self.active[at] as usize;
                if wrong(self.get(vreg, invocation)) && !self.is_undef(vreg, invocation) {
                    self.ub(ub, invocation);
                }
            }
        }
    }

    pub(super) fn assume(&mut self, code: &Code, micro: &MicroOp) {
        let Some(cond) = code.args_of(micro).first() else { return };
        self.precondition(*cond, UbKind::Assumption, |holds| holds == 0);
    }

    /// Writes the formatted text of every active invocation, but for helper invocations, whose effects are not visible.
    pub(super) fn print(&mut self, code: &Code, micro: &MicroOp) {
        let (Some(inst), Some((func, _))) = (micro.inst, self.here()) else { return };
        let Some(body) = self.module.func(func) else { return };
        let Some(format) = body.inst(inst).entity(Key::Text) else { return };
        let mut prints = std::mem::take(&mut self.prints);
        for &invocation in &self.active {
            let invocation = invocation as usize;
            let Some(info) = self.info.get(invocation).filter(|info| !info.helper) else { continue };
            let component = |slot| {
                let vreg = self.vreg(slot);
                (!self.is_undef(vreg, invocation)).then(|| self.get(vreg, invocation))
            };
            let operand = |arg: &Arg| Printed {
                width: arg.width,
                components: (0..u32::from(arg.parts)).map(|part| component(arg.slot + part)).collect(),
            };
            let print = || {
                let operands: Vec<Printed> = code.args_of(micro).iter().map(operand).collect();
                let text = formatted(self.module.text_of(format), &operands);
                Print { at: (func, inst), invocation: info.invocation, position: info.at, text }
            };
            prints.add(print);
        }
        self.prints = prints;
    }
}

/// The component of an operand that corresponds to a component of the result: its own, or its only one.
fn own(arg: &Arg, part: u32) -> u32 {
    if arg.parts == 1 { 0 } else { part }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_ir::ops::{FloatOp as F, IntOp as I, Meaning, Op};

    /// A specialized loop must not change the semantics.
    #[test]
    fn fast_loops_agree_with_the_op_table() {
        let vregs: [(Fast, Op, &[Width]); 23] = [
            (Fast::FAdd32, F::FAdd.into(), &[Width::W32]),
            (Fast::FSub32, F::FSub.into(), &[Width::W32]),
            (Fast::FMul32, F::FMul.into(), &[Width::W32]),
            (Fast::FNeg32, F::FNeg.into(), &[Width::W32]),
            (Fast::FAbs32, F::FAbs.into(), &[Width::W32]),
            (Fast::FLt32, F::FLt.into(), &[Width::W32]),
            (Fast::FGt32, F::FGt.into(), &[Width::W32]),
            (Fast::FLe32, F::FLe.into(), &[Width::W32]),
            (Fast::FGe32, F::FGe.into(), &[Width::W32]),
            (Fast::IAdd, I::IAdd.into(), &Width::ALL),
            (Fast::ISub, I::ISub.into(), &Width::ALL),
            (Fast::IMul, I::IMul.into(), &Width::ALL),
            (Fast::IAnd, I::IAnd.into(), &Width::ALL),
            (Fast::IOr, I::IOr.into(), &Width::ALL),
            (Fast::IXor, I::IXor.into(), &Width::ALL),
            (Fast::IEq, I::IEq.into(), &Width::ALL),
            (Fast::INe, I::INe.into(), &Width::ALL),
            (Fast::ILt32, I::ILt.into(), &[Width::W32]),
            (Fast::IGt32, I::IGt.into(), &[Width::W32]),
            (Fast::ILe32, I::ILe.into(), &[Width::W32]),
            (Fast::IGe32, I::IGe.into(), &[Width::W32]),
            (Fast::ULt, I::ULt.into(), &Width::ALL),
            (Fast::UGe, I::UGe.into(), &Width::ALL),
        ];
        let mut seed = 1u64;
        let corners =
            [0, 1, 0x7f80_0000, 0xff80_0000, 0x7fc0_0001, 0x8000_0000, 0x0000_0001, 0x7f7f_ffff, 0x3f80_0000];
        for (fast, op, widths) in vregs {
            for &width in widths {
                let Some(Meaning::Componentwise(f)) = op.info().meaning else {
                    panic!("{} has semantics", op.name())
                };
                let result =
                    if op.props().has(vitrine_ir::ops::Props::COMPARISON) { Width::W1 } else { width };
                for at in 0..2_000 {
                    let mut number = || {
                        seed = seed
                            .wrapping_mul(6_364_136_223_846_793_005)
                            .wrapping_add(1_442_695_040_888_963_407);
                        let random = seed ^ seed >> 29;
                        let corner = corners[(random >> 8) as usize % corners.len()];
                        Scalar::new(width, if random & 1 == 0 { corner } else { random >> 3 })
                    };
                    let (a, b) = (number(), number());
                    let operands = [a, if op.info().operands.len() == 1 { a } else { b }];
                    let wanted = f(&operands[..op.info().operands.len()], Cx { to: result, components: 1 });
                    let given = fast.of(result.mask())(operands[0].bits(), operands[1].bits());
                    assert_eq!(given, wanted.bits(), "{} {at}: {a:?} {b:?}", op.name());
                }
            }
        }
    }
}
