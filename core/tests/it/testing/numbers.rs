//! Deterministic pseudo-random numbers for generated programs and graphs.

/// SplitMix64 (Steele, Lea and Flood, 2014), from a seed.
#[derive(Clone)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A random number below a limit; 0 if the limit is 0.
    pub(crate) fn below<T: TryInto<u64> + TryFrom<u64> + Default>(&mut self, limit: T) -> T {
        let limit = limit.try_into().unwrap_or(0).max(1);
        T::try_from(self.next() % limit).unwrap_or_default()
    }

    /// A random element of a nonempty list.
    pub(crate) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// `true` with probability `1 / count`.
    pub(crate) fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}
