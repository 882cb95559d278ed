//! The table that owns entities of one kind: `CowChunks` with typed ids.

use super::{CowChunks, EntityId};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Owns the data of all entities of kind `K`. Ids only grow and are never reused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EntityMap<K, V: Clone + Default> {
    data: CowChunks<V>,
    key: PhantomData<fn(K)>,
}

impl<K: EntityId, V: Clone + Default> Default for EntityMap<K, V> {
    fn default() -> Self {
        EntityMap { data: CowChunks::new(), key: PhantomData }
    }
}

impl<K: EntityId, V: Clone + Default> EntityMap<K, V> {
    /// An empty table.
    pub fn new() -> Self {
        EntityMap::default()
    }

    /// Adds `value` under the next id.
    pub fn push(&mut self, value: V) -> K {
        let key = self.next_key();
        self.data.push(value);
        key
    }

    /// The id that the next `push` returns.
    pub fn next_key(&self) -> K {
        K::from_index(self.data.len())
    }

    /// Stores `value` under a given id, growing the table with vacant entries; lets the parser keep ids.
    pub fn set(&mut self, key: K, value: V) {
        self.data.grow_to(key.index() + 1);
        self[key] = value;
    }

    /// The data of `key`, if this table has issued the id.
    #[inline(always)]
    pub fn get(&self, key: K) -> Option<&V> {
        self.data.get(key.index())
    }

    /// Number of issued ids, erased and vacant ones included.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.data.len()
    }

    /// Returns true if no id was issued.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Returns true if this table has issued `key`.
    #[inline(always)]
    pub fn contains(&self, key: K) -> bool {
        key.index() < self.data.len()
    }

    /// Every issued id, in order.
    pub fn keys(&self) -> impl DoubleEndedIterator<Item = K> + use<K, V> {
        (0..self.data.len()).map(K::from_index)
    }

    /// Every issued id with its data, in order.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> + '_ {
        self.data.iter().enumerate().map(|(at, value)| (K::from_index(at), value))
    }

    /// Returns true if the two tables share every chunk.
    pub fn same_chunks(&self, other: &Self) -> bool {
        self.data.same_chunks(&other.data)
    }

    /// Ids whose data may differ between the two versions (a superset; see `CowChunks::unshared`).
    pub fn unshared<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = K> + 'a {
        self.data.unshared(&other.data).map(K::from_index)
    }
}

/// Out of line, so that the callers stay short.
#[cold]
#[inline(never)]
fn missing(index: usize, len: usize) -> ! {
    panic!("{index} is not in this table of {len}")
}

impl<K: EntityId, V: Clone + Default> Index<K> for EntityMap<K, V> {
    type Output = V;

    #[inline(always)]
    fn index(&self, key: K) -> &V {
        match self.data.get(key.index()) {
            Some(value) => value,
            None => missing(key.index(), self.data.len()),
        }
    }
}

impl<K: EntityId, V: Clone + Default> IndexMut<K> for EntityMap<K, V> {
    #[inline(always)]
    fn index_mut(&mut self, key: K) -> &mut V {
        let len = self.data.len();
        match self.data.get_mut(key.index()) {
            Some(value) => value,
            None => missing(key.index(), len),
        }
    }
}
