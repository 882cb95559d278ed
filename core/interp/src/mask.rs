//! Sets of up to 1,024 invocations.

/// Maximum number of invocations of a machine: the largest workgroup.
pub(super) const MOST_INVOCATIONS: usize = 1024;
const WORDS: usize = MOST_INVOCATIONS / 64;

/// A set of invocations.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Mask([u64; WORDS]);

impl Mask {
    /// The first `count` invocations.
    pub(super) fn first(count: usize) -> Mask {
        let mut mask = Mask::default();
        for invocation in 0..count.min(MOST_INVOCATIONS) {
            mask.set(invocation);
        }
        mask
    }

    pub(super) fn set(&mut self, invocation: usize) {
        if let Some(word) = self.0.get_mut(invocation / 64) {
            *word |= 1 << (invocation % 64);
        }
    }

    pub(super) fn has(&self, invocation: usize) -> bool {
        self.word(invocation / 64) >> (invocation % 64) & 1 == 1
    }

    /// The invocations 64 `at` to 64 `at` + 63.
    pub(super) fn word(&self, at: usize) -> u64 {
        self.0.get(at).copied().unwrap_or(0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0 == [0; WORDS]
    }

    #[cfg(test)]
    fn count(&self) -> usize {
        self.0.iter().map(|word| word.count_ones() as usize).sum()
    }

    pub(super) fn and(&self, other: &Mask) -> Mask {
        Mask(std::array::from_fn(|at| self.0[at] & other.0[at]))
    }

    pub(super) fn or(&self, other: &Mask) -> Mask {
        Mask(std::array::from_fn(|at| self.0[at] | other.0[at]))
    }

    pub(super) fn without(&self, other: &Mask) -> Mask {
        Mask(std::array::from_fn(|at| self.0[at] & !other.0[at]))
    }

    /// The invocations in order.
    pub(super) fn invocations(&self) -> impl Iterator<Item = usize> + use<> {
        let words = self.0;
        words.into_iter().enumerate().flat_map(|(at, word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros() as usize;
                (left != 0).then(|| {
                    left &= left - 1;
                    at * 64 + bit
                })
            })
        })
    }

    pub(super) fn lowest(&self) -> Option<usize> {
        self.invocations().next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mask_is_a_set() {
        let mut mask = Mask::first(70);
        assert_eq!((mask.count(), mask.lowest()), (70, Some(0)));
        mask.set(900);
        let other = mask.without(&Mask::first(69));
        assert_eq!(other.invocations().collect::<Vec<_>>(), [69, 900]);
        assert!(other.has(900) && !other.has(899) && !other.has(5000));
        assert_eq!(
            other.and(&Mask::first(70)).or(&Mask::first(1)).invocations().collect::<Vec<_>>(),
            [0, 69]
        );
        assert!(Mask::default().is_empty());
    }
}
