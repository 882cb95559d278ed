//! Dense numbers for sparse ids: the only block of a program may be named `^9000000`.

use super::graph::NONE;
use rustc_hash::FxHashMap;
use std::marker::PhantomData;
use vitrine_ir::base::{EntityId, sort_by_number};

/// Numbers ids by their position in a list: a table if ids are dense, otherwise a hash map.
#[derive(Clone, Debug)]
pub(super) struct Numbering<K> {
    slots: Slots,
    key: PhantomData<fn(K)>,
}

#[derive(Clone, Debug)]
enum Slots {
    Table(Vec<u32>),
    Map(FxHashMap<usize, u32>),
}

impl<K: EntityId> Numbering<K> {
    /// Numbers `keys` from 0; of equal ones the first counts. `O(keys)`.
    pub(super) fn new(keys: impl ExactSizeIterator<Item = K> + Clone) -> Numbering<K> {
        let count = keys.len();
        let limit = keys.clone().map(|key| key.index() + 1).max().unwrap_or(0);
        let numbered = keys.enumerate();
        let slots = if is_dense(limit, count) {
            let mut table = vec![NONE; limit];
            for (number, key) in numbered {
                let slot = &mut table[key.index()];
                *slot = (*slot).min(number as u32);
            }
            Slots::Table(table)
        } else {
            let mut map = FxHashMap::default();
            for (number, key) in numbered {
                map.entry(key.index()).or_insert(number as u32);
            }
            Slots::Map(map)
        };
        Numbering { slots, key: PhantomData }
    }

    /// The number of `key`; `NONE` if it was not in the list.
    pub(super) fn of(&self, key: K) -> u32 {
        match &self.slots {
            Slots::Table(table) => table.get(key.index()).copied().unwrap_or(NONE),
            Slots::Map(map) => map.get(&key.index()).copied().unwrap_or(NONE),
        }
    }
}

/// Returns true if a table with a slot for each id up to `limit` is about as small as a list of `count` ids.
fn is_dense(limit: usize, count: usize) -> bool {
    limit <= 8 * count + 1024
}

/// Distinct ids in order. `O(ids)` if they are dense.
pub(super) fn distinct<K: EntityId>(mut ids: Vec<K>) -> Vec<K> {
    let limit = ids.iter().map(|id| id.index() + 1).max().unwrap_or(0);
    if !is_dense(limit, ids.len()) {
        sort_by_number(&mut ids, |id| id.index() as u64);
        ids.dedup();
        return ids;
    }
    let mut is_listed = vec![false; limit];
    ids.iter().for_each(|id| is_listed[id.index()] = true);
    ids.clear();
    ids.extend((0..limit).filter(|&at| is_listed[at]).map(K::from_index));
    ids
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_ir::Block;

    #[test]
    fn sparse_and_dense_ids_are_numbered_alike() {
        for far in [3, 16_000_000] {
            let keys = [7, far, 2, 7].map(Block::from_index);
            let numbering = Numbering::new(keys.into_iter());
            assert_eq!(keys.map(|key| numbering.of(key)), [0, 1, 2, 0]);
            assert_eq!(numbering.of(Block::from_index(5)), NONE);
        }
    }

    #[test]
    fn distinct_ids_are_in_order_whether_sparse_or_dense() {
        for far in [9, 16_000_000] {
            let ids = distinct([7, far, 2, 7, far].map(Block::from_index).to_vec());
            assert_eq!(ids, [2, 7, far].map(Block::from_index));
        }
    }
}
