//! A table by id whose size does not depend on the declared bound.

use rustc_hash::FxHashMap;

/// Information about ids: an array for the ids that a valid module of its size may have, a hash table for
/// larger ones.
#[derive(Clone, Debug)]
pub struct IdMap<T> {
    dense: Vec<Option<T>>,
    limit: u32,
    sparse: FxHashMap<u32, T>,
}

impl<T: Copy> IdMap<T> {
    /// An empty table for a module with this number of words. Every id takes a word, so the ids of a valid
    /// module are smaller.
    pub fn for_words(words: usize) -> IdMap<T> {
        let limit = words.min(u32::MAX as usize) as u32;
        IdMap { dense: Vec::new(), limit, sparse: FxHashMap::default() }
    }

    /// The entry of an id.
    pub fn get(&self, id: u32) -> Option<T> {
        match self.dense.get(id as usize) {
            Some(found) => *found,
            None if id < self.limit => None,
            None => self.sparse.get(&id).copied(),
        }
    }

    /// Sets the entry of an id, and replaces an earlier one.
    pub fn insert(&mut self, id: u32, value: T) {
        if id >= self.limit {
            self.sparse.insert(id, value);
            return;
        }
        let at = id as usize;
        if at >= self.dense.len() {
            self.dense.resize(at + 1, None);
        }
        self.dense[at] = Some(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_huge_id_takes_one_entry() {
        let mut map = IdMap::for_words(100);
        map.insert(u32::MAX, 1);
        map.insert(7, 2);
        assert_eq!(
            (map.get(u32::MAX), map.get(7), map.get(8), map.get(1 << 30)),
            (Some(1), Some(2), None, None)
        );
        assert!(map.dense.len() <= 8);
    }
}
