//! Differences of floats that a program allows.
//!
//! | allowed | if |
//! |---|---|
//! | up to `--ulp` steps | always |
//! | the sign of zero | SPIR-V shaders without `SignedZeroInfNanPreserve`; flag `nsz` |
//! | another rounding | SPIR-V without `NoContraction` on some float operation; flags `arcp`, `contract`, `reassoc`, `fast` |
//! | any value instead of an infinity or a NaN | SPIR-V shaders without `SignedZeroInfNanPreserve`; flags `nnan`, `ninf` |
//!
//! *Another rounding* has no bound in the specifications. Here it is [`Bound`]: half of the bits of the mantissa, or a
//! small absolute value, which is all that is left after a cancellation. A miscompilation rarely hides in it.
//!
//! Refuses to follow a difference to the instruction that made it: one instruction that allows it is enough.

use std::fmt;
use vitrine_front::InputKind;
use vitrine_ir::ops::{Flags, Op, Scalar, Width};
use vitrine_ir::{ExecutionMode, Module, Operand, Stage};

/// The largest difference that counts as another rounding, for a width.
struct Bound {
    width: Width,
    /// In units in the last place.
    ulp: u64,
    /// As an absolute value.
    epsilon: f64,
}

/// About half of the bits of each mantissa. Generated floats are below 8, so that the absolute value is a few hundred
/// units in the last place of an intermediate result.
const BOUNDS: &[Bound] = &[
    Bound { width: Width::W16, ulp: 1 << 4, epsilon: 1.0 / 256.0 },
    Bound { width: Width::W32, ulp: 1 << 12, epsilon: 1.0 / 131_072.0 },
    Bound { width: Width::W64, ulp: 1 << 26, epsilon: 1.0 / 68_719_476_736.0 },
];

/// The reason why a difference of two floats is allowed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// It is within the given tolerance.
    Tolerance,
    /// The sign of zero need not be preserved.
    ZeroSign,
    /// Both are NaN, with different bits.
    NanBits,
    /// Operations may be contracted, reassociated or approximated.
    Contraction,
}

impl Reason {
    /// A phrase that follows "allowed:".
    pub fn words(self) -> &'static str {
        match self {
            Reason::Tolerance => "within the tolerance",
            Reason::ZeroSign => "the sign of zero need not be preserved",
            Reason::NanBits => "the bits of a NaN need not be preserved",
            Reason::Contraction => "float operations may be contracted",
        }
    }
}

/// The largest allowed differences, and the reasons.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Rounding {
    /// Units in the last place.
    pub ulp: u64,
    /// Absolute value.
    pub epsilon: f64,
    /// In order, each once.
    pub reasons: Vec<Reason>,
}

impl Rounding {
    /// The larger of two in each respect.
    pub(super) fn join(&mut self, other: &Rounding) {
        self.ulp = self.ulp.max(other.ulp);
        self.epsilon = self.epsilon.max(other.epsilon);
        for &reason in &other.reasons {
            if let Err(at) = self.reasons.binary_search(&reason) {
                self.reasons.insert(at, reason);
            }
        }
    }
}

impl fmt::Display for Rounding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let reasons: Vec<&str> = self.reasons.iter().map(|reason| reason.words()).collect();
        write!(f, "up to {} ULP, {:.3e} ({})", self.ulp, self.epsilon, reasons.join(", "))
    }
}

/// The judgment of two different floats.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Allowed {
    No,
    Rounded(Rounding),
    /// The first is an infinity or a NaN, instead of which there may be anything.
    Anything,
}

/// The differences that a program allows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Allowance {
    /// Units in the last place that are always allowed.
    pub ulp: u32,
    /// The sign of zero is insignificant.
    pub zero_sign: bool,
    /// Results may be rounded differently.
    pub contraction: bool,
    /// There may be anything instead of infinities and NaN.
    pub specials: bool,
}

impl Allowance {
    /// The differences that the flags of a module allow. Linear in the instructions.
    pub fn of_flags(module: &Module, ulp: u32) -> Allowance {
        let mut flags = Flags::NONE;
        for (_, body) in module.funcs() {
            body.for_each_inst(|_, inst| flags = flags.and(body.inst(inst).flags));
        }
        let has_any = |wanted: &[Flags]| wanted.iter().any(|&flag| flags.has(flag));
        Allowance {
            ulp,
            zero_sign: has_any(&[Flags::NSZ, Flags::FAST]),
            contraction: has_any(&[Flags::ARCP, Flags::CONTRACT, Flags::REASSOC, Flags::FAST]),
            specials: has_any(&[Flags::NNAN, Flags::NINF, Flags::FAST]),
        }
    }

    /// The differences that an entry point allows, if its module was read from this kind of input. Linear in the
    /// instructions.
    pub fn of(module: &Module, kind: InputKind, entry: usize, ulp: u32) -> Allowance {
        let mut allowance = Allowance::of_flags(module, ulp);
        let mut exact = true;
        for (_, body) in module.funcs() {
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                exact &= !matches!(data.op, Op::Float(_)) || data.flags.has(Flags::EXACT);
            });
        }
        let is_spirv = match kind {
            InputKind::SpirvText
            | InputKind::Spirv
            | InputKind::SpirvHex
            | InputKind::SpirvArray
            | InputKind::SpirvBase64 => true,
            InputKind::Empty
            | InputKind::Ir
            | InputKind::D3d9
            | InputKind::Dxbc
            | InputKind::D3d9Text
            | InputKind::Foreign
            | InputKind::Unknown => false,
        };
        let Some(entry) = module.entries.get(entry).filter(|_| is_spirv) else { return allowance };
        let preserves = entry.modes.iter().any(|mode| {
            let is_width = |&arg: &Operand| matches!(arg, Operand::Bits(bits) if module.bits_of(bits).component(0).as_u64() == 32);
            mode.mode == ExecutionMode::SignedZeroInfNanPreserve && mode.args.iter().any(is_width)
        });
        let is_shader = entry.stage != Stage::Kernel;
        allowance.contraction |= !exact && !entry.has_mode(ExecutionMode::ContractionOff);
        allowance.zero_sign |= is_shader && !preserves;
        allowance.specials |= is_shader && !preserves;
        allowance
    }

    /// The judgment of two floats of a width with different bits.
    pub(super) fn judge(&self, width: Width, before: u64, after: u64) -> Allowed {
        let [a, b] = [before, after].map(|bits| Scalar::new(width, bits).to_f64());
        let ulp = distance(width, before, after);
        let rounded = |reason: Reason| {
            let epsilon = if a.is_finite() && b.is_finite() { (a - b).abs() } else { 0.0 };
            let ulp = if a.is_nan() { 0 } else { ulp };
            Allowed::Rounded(Rounding { ulp, epsilon, reasons: vec![reason] })
        };
        if a.is_nan() && b.is_nan() {
            return rounded(Reason::NanBits);
        }
        if self.specials && !a.is_finite() {
            return Allowed::Anything;
        }
        if a.is_nan() || b.is_nan() {
            return Allowed::No;
        }
        if ulp <= u64::from(self.ulp) {
            return rounded(Reason::Tolerance);
        }
        if self.zero_sign && a == 0.0 && b == 0.0 {
            return rounded(Reason::ZeroSign);
        }
        let bound = BOUNDS.iter().find(|bound| bound.width == width);
        let is_near = bound.is_some_and(|bound| ulp <= bound.ulp || (a - b).abs() <= bound.epsilon);
        if self.contraction && is_near { rounded(Reason::Contraction) } else { Allowed::No }
    }
}

/// Steps between two floats in the order of their values. Both zeros are one step apart.
pub(super) fn distance(width: Width, a: u64, b: u64) -> u64 {
    let sign = width.sign_bit();
    let order = |bits: u64| {
        let magnitude = i128::from(bits & (sign - 1));
        if bits & sign == 0 { magnitude } else { -magnitude - 1 }
    };
    u64::try_from((order(a) - order(b)).unsigned_abs()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(allowance: Allowance, a: f32, b: f32) -> Allowed {
        allowance.judge(Width::W32, u64::from(a.to_bits()), u64::from(b.to_bits()))
    }

    #[test]
    fn floats_differ_unless_the_program_allows_it() {
        let strict = Allowance::default();
        let next = f32::from_bits(1.0f32.to_bits() + 2);
        assert_eq!(judged(strict, 1.0, next), Allowed::No);
        assert_eq!(judged(strict, 0.0, -0.0), Allowed::No);
        let tolerant = Allowance { ulp: 2, ..strict };
        let Allowed::Rounded(rounding) = judged(tolerant, 1.0, next) else {
            panic!("two steps are within two")
        };
        assert_eq!((rounding.ulp, &rounding.reasons[..]), (2, &[Reason::Tolerance][..]));
        let shader = Allowance { zero_sign: true, contraction: true, specials: true, ..strict };
        assert!(matches!(judged(shader, 0.0, -0.0), Allowed::Rounded(_)));
        assert!(matches!(judged(shader, 0.0, -7.45e-9), Allowed::Rounded(_)), "a cancellation");
        assert_eq!(judged(shader, 1.0, 1.01), Allowed::No);
        assert_eq!(judged(shader, 1.0, 0.0), Allowed::No);
        assert_eq!(judged(shader, 1.0, f32::NAN), Allowed::No);
        assert_eq!(judged(shader, f32::INFINITY, 1.0), Allowed::Anything);
        assert_eq!(judged(strict, f32::INFINITY, 1.0), Allowed::No);
    }

    #[test]
    fn distances_pass_zero() {
        let steps = |a: f32, b: f32| distance(Width::W32, a.to_bits().into(), b.to_bits().into());
        assert_eq!(steps(0.0, -0.0), 1);
        assert_eq!(steps(f32::from_bits(1), -f32::from_bits(1)), 3);
        assert_eq!(distance(Width::W64, u64::MAX, u64::MAX >> 1), u64::MAX);
    }
}
