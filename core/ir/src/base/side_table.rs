//! Dense tables from ids to values beside the program, with a default for ids that were never written.

use super::EntityId;
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

/// Annotates entities of kind `K` that another table owns. Reading never grows it.
#[derive(Clone, Debug)]
pub struct SideTable<K, V> {
    values: Vec<V>,
    default: V,
    key: PhantomData<fn(K)>,
}

impl<K: EntityId, V: Clone + Default> Default for SideTable<K, V> {
    fn default() -> Self {
        SideTable::with_default(V::default())
    }
}

impl<K: EntityId, V: Clone> SideTable<K, V> {
    /// A table in which every id has `default`.
    pub fn with_default(default: V) -> Self {
        SideTable { values: Vec::new(), default, key: PhantomData }
    }

    /// Same as `with_default`, with capacity for `len` ids, so that writing does not reallocate.
    pub fn sized(default: V, len: usize) -> Self {
        SideTable { values: vec![default.clone(); len], default, key: PhantomData }
    }

    #[cold]
    #[inline(never)]
    fn grow(&mut self, len: usize) {
        self.values.resize(len, self.default.clone());
    }

    /// Returns true if no id has a slot: nothing was written and no capacity was requested.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Ids with a slot, in order, and their values.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> + '_ {
        self.values.iter().enumerate().map(|(at, value)| (K::from_index(at), value))
    }
}

impl<K: EntityId, V: Clone + Default> SideTable<K, V> {
    /// A table in which every id has `V::default()`.
    pub fn new() -> Self {
        SideTable::default()
    }
}

impl<K: EntityId, V: Clone> Index<K> for SideTable<K, V> {
    type Output = V;

    #[inline(always)]
    fn index(&self, key: K) -> &V {
        self.values.get(key.index()).unwrap_or(&self.default)
    }
}

impl<K: EntityId, V: Clone> IndexMut<K> for SideTable<K, V> {
    #[inline(always)]
    fn index_mut(&mut self, key: K) -> &mut V {
        let at = key.index();
        if at >= self.values.len() {
            self.grow(at + 1);
        }
        &mut self.values[at]
    }
}
