//! How much may still be rewritten: what finds the one rewrite that is wrong.
//!
//! A pass asks before every rewrite that leaves a program meaning the same by itself. A run with `n` units does the
//! first `n` rewrites of a run without a limit, so that halving `n` finds the first one after which a result differs.

/// Units of rewriting.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fuel {
    left: u64,
    used: u64,
}

impl Default for Fuel {
    fn default() -> Fuel {
        Fuel::UNLIMITED
    }
}

impl Fuel {
    /// More than any pass can use.
    pub const UNLIMITED: Fuel = Fuel::of(u64::MAX);

    /// So many units.
    pub const fn of(units: u64) -> Fuel {
        Fuel { left: units, used: 0 }
    }

    /// Takes a unit; whether there was one.
    pub fn take(&mut self) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        self.used += 1;
        true
    }

    /// Whether nothing is left.
    pub fn is_out(self) -> bool {
        self.left == 0
    }

    /// Units taken.
    pub fn used(self) -> u64 {
        self.used
    }
}
