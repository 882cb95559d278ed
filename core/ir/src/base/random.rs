//! Pseudo-random numbers: the same in every run, for generated programs and for proofs by samples.

/// SplitMix64 (Steele, Lea and Flood, 2014), from a seed.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// Numbers from a seed.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    // An iterator would promise an end.
    #[expect(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed(self.0)
    }

    /// A random number below a limit; 0 if the limit is 0.
    pub fn below<T: TryInto<u64> + TryFrom<u64> + Default>(&mut self, limit: T) -> T {
        let limit = limit.try_into().unwrap_or(0).max(1);
        T::try_from(self.next() % limit).unwrap_or_default()
    }

    /// A random element of a nonempty list.
    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// `true` with probability `1 / count`.
    pub fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }
}

/// The output function of SplitMix64: spreads the bits of a number over all 64.
pub fn mixed(number: u64) -> u64 {
    let mut out = number;
    out = (out ^ (out >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    out = (out ^ (out >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    out ^ (out >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_the_published_generator() {
        // Vigna's splitmix64.c with the seed 1234567.
        let mut random = Random(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.next()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn limits_are_kept() {
        let mut random = Random(1);
        assert!((0..1000).all(|_| random.below(7_u64) < 7));
        assert_eq!(random.below(0_usize), 0);
        assert!((0..100).all(|_| [1, 2].contains(&random.pick(&[1, 2]))));
    }
}
