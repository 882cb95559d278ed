//! A budget of rewrites, for finding the one rewrite that is wrong.
//!
//! A pass consumes a unit before every rewrite that is correct on its own. A run with `n` units performs the
//! first `n` rewrites of an unlimited run, so that bisection over `n` finds the first one that changes a
//! result.

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
    /// More than any pass can consume.
    pub const UNLIMITED: Fuel = Fuel::of(u64::MAX);

    /// A budget of this many units.
    pub const fn of(units: u64) -> Fuel {
        Fuel { left: units, used: 0 }
    }

    /// Consumes a unit; returns false if there was none.
    pub fn take(&mut self) -> bool {
        let Some(left) = self.left.checked_sub(1) else { return false };
        self.left = left;
        self.used += 1;
        true
    }

    /// Returns true if no unit is left.
    pub fn is_out(self) -> bool {
        self.left == 0
    }

    /// Units consumed.
    pub fn used(self) -> u64 {
        self.used
    }
}
