//! What the execution modes of a module say about floating-point arithmetic.
//!
//! Asks all entry points: a function may belong to any of them. So a mode that one has counts for the whole
//! module; who needs to know exactly asks the entry point.

use crate::ir::{ModeInfo, Module, Operand};
use crate::ops::{Bits, Op, Width};

/// Widths, one bit each, that some entry point names in a mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FloatModes {
    flush: u8,
    toward_zero: u8,
}

impl FloatModes {
    /// Those of a module. Linear in modes.
    pub fn of(module: &Module) -> FloatModes {
        let mut modes = FloatModes::default();
        for used in module.entries.iter().flat_map(|entry| &entry.modes) {
            let Some(info) = ModeInfo::TABLE.get(usize::from(used.mode)) else { continue };
            let width = used.args.first().and_then(|&arg| match arg {
                Operand::Bits(bits) => Width::from_bits(module.bits_of(bits).component(0).as_u64() as u32),
                Operand::Global(_) => None,
            });
            let bit = width.map_or(u8::MAX, |width| 1 << width as u8);
            match info.name {
                "denorm_flush_to_zero" => modes.flush |= bit,
                "rounding_mode_rtz" => modes.toward_zero |= bit,
                _ => {}
            }
        }
        modes
    }

    /// Whether subnormal floats of this width may be zeros, as operands and as results.
    pub fn flushes(self, width: Width) -> bool {
        self.flush >> width as u8 & 1 == 1
    }

    /// Whether results of this width may be rounded towards zero.
    pub fn rounds_toward_zero(self, width: Width) -> bool {
        self.toward_zero >> width as u8 & 1 == 1
    }

    /// Whether floats round to nearest and keep subnormals, as far as the program says: then a formula written out
    /// yields what it yielded.
    pub fn are_usual(self) -> bool {
        self.flush == 0 && self.toward_zero == 0
    }

    /// Whether an operation yields `bits` for `args` whatever the modes say.
    pub fn agree(self, op: Op, args: &[Bits], bits: &Bits) -> bool {
        !matches!(op, Op::Float(_) | Op::Convert(_) | Op::Vector(_))
            || args.iter().chain([bits]).all(|bits| self.leave_alone(bits))
    }

    /// Whether the modes make no difference to these bits as floats.
    fn leave_alone(self, bits: &Bits) -> bool {
        let subnormal = || bits.scalars().any(|lane| lane.flush_denorm() != lane);
        !self.rounds_toward_zero(bits.width()) && (!self.flushes(bits.width()) || !subnormal())
    }
}
