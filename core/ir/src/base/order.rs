//! Sorting by integer keys: one monomorphic sort for all element types.
//!
//! The library's sorts are instantiated for each element type, four to six kilobytes each, and every visitor
//! downloads them. Here a single sort orders pairs of key and position, and the elements are then permuted.
//! Not for hot loops, and not for strings.

/// Up to this length, elements are sorted in place without allocating keys.
const FEW: usize = 8;

/// Sorts by an integer key; equal elements keep their order. `O(n log n)`, 16 bytes per element.
pub fn sort_by_number<T>(items: &mut [T], number: impl Fn(&T) -> u64) {
    if items.len() <= FEW {
        for from in 1..items.len() {
            let mut at = from;
            while at > 0 && number(&items[at - 1]) > number(&items[at]) {
                items.swap(at - 1, at);
                at -= 1;
            }
        }
        return;
    }
    let numbers: Vec<(u64, u32)> = items.iter().map(number).zip(0..).collect();
    for (at, from) in (0..).zip(places(numbers)) {
        items.swap(at, from as usize);
    }
}

/// The position to swap each position with, from the first on; earlier swaps are taken into account.
fn places(mut numbers: Vec<(u64, u32)>) -> Vec<u32> {
    if numbers.is_sorted() {
        return Vec::new();
    }
    numbers.sort_unstable();
    let mut places: Vec<u32> = numbers.into_iter().map(|(_, from)| from).collect();
    for at in 0..places.len() {
        let mut from = places[at];
        // The element of an earlier position was swapped away from there.
        while (from as usize) < at {
            from = places[from as usize];
        }
        places[at] = from;
    }
    places
}

/// Combines two numbers into one key: ordered by the first, then by the second.
pub fn pair(first: u32, second: u32) -> u64 {
    u64::from(first) << 32 | u64::from(second)
}

/// Maps a signed number to an unsigned one, preserving the order.
pub fn signed(number: i32) -> u32 {
    number.cast_unsigned() ^ 1 << 31
}

/// The things that are not in the longest rising subsequence of positions. `O(n log n)`.
pub fn out_of_order<K: Copy>(were: &[(K, u32)]) -> Vec<K> {
    if were.is_sorted_by_key(|&(_, at)| at) {
        return Vec::new();
    }
    let mut ends: Vec<usize> = Vec::new();
    let mut before: Vec<Option<usize>> = Vec::with_capacity(were.len());
    for (index, &(_, at)) in were.iter().enumerate() {
        let rank = ends.partition_point(|&end| were[end].1 < at);
        before.push(rank.checked_sub(1).and_then(|below| ends.get(below).copied()));
        if rank == ends.len() {
            ends.push(index);
        } else {
            ends[rank] = index;
        }
    }
    let mut stays = vec![false; were.len()];
    let mut at = ends.last().copied();
    while let Some(index) = at {
        stays[index] = true;
        at = before[index];
    }
    were.iter().zip(stays).filter(|&(_, stays)| !stays).map(|(&(id, _), _)| id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorts_like_the_library_and_keeps_equal_ones_in_order() {
        let mut state = 1u64;
        for len in (0..40).chain([1000]) {
            let mut random = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 40) % (len as u64 / 2 + 1)
            };
            let mut items: Vec<(u64, usize)> = (0..len).map(|at| (random(), at)).collect();
            let mut wanted = items.clone();
            wanted.sort_by_key(|item| item.0);
            sort_by_number(&mut items, |item| item.0);
            assert_eq!(items, wanted);
        }
    }

    #[test]
    fn numbers_keep_their_order_as_one() {
        let numbers = [i32::MIN, -2, -1, 0, 1, i32::MAX].map(signed);
        assert!(numbers.is_sorted());
        assert!(pair(1, u32::MAX) < pair(2, 0) && pair(2, 0) < pair(2, 1));
    }
}
