//! Effects of the execution modes of a module on floating-point arithmetic.
//!
//! Considers all entry points, because a function may belong to any of them. A mode of one entry point counts
//! for the whole module; an exact answer requires the entry point itself.

use vitrine_ir::ops::{Bits, Op, Width};
use vitrine_ir::{ExecutionMode, Module, Operand};

/// Widths, one bit each, that some entry point names in a mode.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct FloatModes {
    flush: u8,
    toward_zero: u8,
}

impl FloatModes {
    /// The modes of a module. Linear in the number of modes.
    pub fn of(module: &Module) -> FloatModes {
        let mut modes = FloatModes::default();
        for used in module.entries.iter().flat_map(|entry| &entry.modes) {
            let width = used.args.first().and_then(|&arg| match arg {
                Operand::Bits(bits) => Width::from_bits(module.bits_of(bits).component(0).as_u64() as u32),
                Operand::Global(_) => None,
            });
            let bit = width.map_or(u8::MAX, |width| 1 << width as u8);
            match used.mode {
                ExecutionMode::DenormFlushToZero => modes.flush |= bit,
                ExecutionMode::RoundingModeRtz => modes.toward_zero |= bit,
                _ => {}
            }
        }
        modes
    }

    /// Returns true if subnormal floats of this width may be flushed to zero, as operands and as results.
    pub fn flushes(self, width: Width) -> bool {
        self.flush >> width as u8 & 1 == 1
    }

    /// Returns true if results of this width may be rounded toward zero.
    pub fn rounds_toward_zero(self, width: Width) -> bool {
        self.toward_zero >> width as u8 & 1 == 1
    }

    /// Returns true if no mode changes the rounding or flushes subnormals: then an expanded formula yields
    /// the same result.
    pub fn are_usual(self) -> bool {
        self.flush == 0 && self.toward_zero == 0
    }

    /// Returns true if an operation yields `bits` for `args` in every mode.
    pub fn agree(self, op: Op, args: &[Bits], bits: &Bits) -> bool {
        !matches!(op, Op::Float(_) | Op::Convert(_) | Op::Vector(_))
            || args.iter().chain([bits]).all(|bits| self.leave_alone(bits))
    }

    /// Returns true if the modes do not affect these bits as floats.
    fn leave_alone(self, bits: &Bits) -> bool {
        let subnormal = || bits.scalars().any(|component| component.flush_denorm() != component);
        !self.rounds_toward_zero(bits.width()) && (!self.flushes(bits.width()) || !subnormal())
    }
}
