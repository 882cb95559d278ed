//! A set of ids as one bit each.

use super::EntityId;
use std::marker::PhantomData;

/// A set of entities of kind `K`; iterates in id order.
#[derive(Clone, Debug)]
pub struct EntitySet<K> {
    words: Vec<u64>,
    key: PhantomData<fn(K)>,
}

impl<K: EntityId> Default for EntitySet<K> {
    fn default() -> Self {
        EntitySet { words: Vec::new(), key: PhantomData }
    }
}

impl<K: EntityId> EntitySet<K> {
    /// The empty set.
    pub fn new() -> Self {
        EntitySet::default()
    }

    /// The empty set with capacity for `len` ids, so that insertion does not reallocate.
    pub fn sized(len: usize) -> Self {
        EntitySet { words: vec![0; len.div_ceil(64)], key: PhantomData }
    }

    /// Adds `key`; returns true if it was not a member.
    pub fn insert(&mut self, key: K) -> bool {
        let (word, bit) = place(key);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let was = self.words[word] & bit != 0;
        self.words[word] |= bit;
        !was
    }

    /// Removes `key`; returns true if it was a member.
    pub fn remove(&mut self, key: K) -> bool {
        let (word, bit) = place(key);
        let Some(slot) = self.words.get_mut(word) else { return false };
        let was = *slot & bit != 0;
        *slot &= !bit;
        was
    }

    /// Returns true if `key` is a member.
    #[inline(always)]
    pub fn contains(&self, key: K) -> bool {
        let (word, bit) = place(key);
        self.words.get(word).is_some_and(|w| w & bit != 0)
    }

    /// Adds all members of `other`; returns true if the set changed. The step of every backward dataflow
    /// analysis.
    pub fn union_with(&mut self, other: &EntitySet<K>) -> bool {
        if other.words.len() > self.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        let mut changed = false;
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            changed |= theirs & !*mine != 0;
            *mine |= theirs;
        }
        changed
    }

    /// Number of members.
    pub fn len(&self) -> usize {
        self.words.iter().map(|w| w.count_ones() as usize).sum()
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|&w| w == 0)
    }

    /// Members in id order.
    pub fn iter(&self) -> impl Iterator<Item = K> + '_ {
        self.words.iter().enumerate().flat_map(|(at, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(K::from_index(at * 64 + bit))
            })
        })
    }
}

fn place<K: EntityId>(key: K) -> (usize, u64) {
    (key.index() / 64, 1 << (key.index() % 64))
}

impl<K: EntityId> PartialEq for EntitySet<K> {
    fn eq(&self, other: &Self) -> bool {
        let longer = self.words.len().max(other.words.len());
        (0..longer).all(|at| self.words.get(at).unwrap_or(&0) == other.words.get(at).unwrap_or(&0))
    }
}

impl<K: EntityId> Eq for EntitySet<K> {}

impl<K: EntityId> FromIterator<K> for EntitySet<K> {
    fn from_iter<I: IntoIterator<Item = K>>(items: I) -> Self {
        let mut set = EntitySet::new();
        for item in items {
            set.insert(item);
        }
        set
    }
}

#[cfg(test)]
mod tests {
    use super::EntitySet;
    use crate::base::{EntityId, entity};

    entity! {
        /// A test id.
        struct Pebble = '%';
    }

    fn p(index: usize) -> Pebble {
        Pebble::from_index(index)
    }

    #[test]
    fn behaves_as_a_set() {
        let mut set: EntitySet<Pebble> = [3, 200, 64].into_iter().map(p).collect();
        assert!(!set.insert(p(64)));
        assert!(set.remove(p(200)));
        assert!(!set.remove(p(9_999)));
        assert_eq!(set.iter().collect::<Vec<_>>(), vec![p(3), p(64)]);
        assert_eq!(set, [3, 64].into_iter().map(p).collect());
        let mut other = EntitySet::new();
        assert!(other.union_with(&set));
        assert!(!other.union_with(&set));
        assert_eq!(other.len(), 2);
    }
}
