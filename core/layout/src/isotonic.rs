//! The nearest positions to the desired ones that keep order and distance, in one rank.
//!
//! Least squares under `x[i] + gap[i] <= x[i + 1]`: pool adjacent violators (Ayer et al., 1955), which is
//! exact and linear. Integers in, integers out.

/// The desired position of an item, and its weight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wish {
    pub(super) x: i64,
    /// Greater than 0.
    pub(super) weight: i64,
    /// Minimum distance from the left edge of this item to that of the next.
    pub(super) gap: i64,
}

/// Positions for all items of a rank, left to right. `O(n)`.
pub(super) fn nearest(wishes: &[Wish]) -> Vec<i64> {
    /// Neighbors that push each other and so move as one.
    struct Pool {
        sum: i128,
        weight: i128,
        count: usize,
    }
    let mut pools: Vec<Pool> = Vec::with_capacity(wishes.len());
    let mut offset = 0;
    for wish in wishes {
        let weight = i128::from(wish.weight);
        pools.push(Pool { sum: i128::from(wish.x - offset) * weight, weight, count: 1 });
        offset += wish.gap;
        while let [.., left, right] = &pools[..]
            && left.sum.div_euclid(left.weight) > right.sum.div_euclid(right.weight)
        {
            let Some(last) = pools.pop() else { break };
            let Some(into) = pools.last_mut() else { break };
            into.sum += last.sum;
            into.weight += last.weight;
            into.count += last.count;
        }
    }
    let shifted = pools.iter().flat_map(|pool| {
        // Rounded to the nearest pixel.
        let mean = (pool.sum + pool.weight / 2).div_euclid(pool.weight) as i64;
        std::iter::repeat_n(mean, pool.count)
    });
    let mut offset = 0;
    let mut out = Vec::with_capacity(wishes.len());
    let mut least = i64::MIN;
    for (mean, wish) in shifted.zip(wishes) {
        let x = (mean + offset).max(least);
        out.push(x);
        least = x + wish.gap;
        offset += wish.gap;
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(wishes: &[(i64, i64, i64)]) -> Vec<i64> {
        nearest(&wishes.iter().map(|&(x, weight, gap)| Wish { x, weight, gap }).collect::<Vec<_>>())
    }

    #[test]
    fn feasible_positions_are_kept() {
        assert_eq!(places(&[(0, 1, 10), (10, 1, 10), (50, 1, 10)]), [0, 10, 50]);
        assert!(places(&[]).is_empty());
    }

    #[test]
    fn two_items_at_one_position_separate_by_weight() {
        assert_eq!(places(&[(0, 1, 10), (0, 1, 10)]), [-5, 5]);
        assert_eq!(places(&[(0, 1_000_000, 10), (0, 1, 10)]), [0, 10]);
    }

    #[test]
    fn order_is_kept() {
        assert_eq!(places(&[(100, 1, 10), (0, 1, 10), (300, 1, 5)]), [45, 55, 300]);
    }
}
