//! Append-only tables of distinct values: equal values get equal ids.
//!
//! Shared by every version of a module: a clone is a spine and one pointer. Iteration is in order of
//! first sight, never in hash order, so printing is the same in every run.

use super::{EntityId, EntityMap};
use rustc_hash::FxHashMap;
use std::hash::Hash;
use std::ops::Index;
use std::rc::Rc;

/// A table in which each distinct `V` has one id `K`.
#[derive(Clone, Debug)]
pub struct Interner<K: EntityId, V: Clone + Default + Eq + Hash> {
    values: EntityMap<K, V>,
    ids: Rc<FxHashMap<V, K>>,
}

impl<K: EntityId, V: Clone + Default + Eq + Hash> Default for Interner<K, V> {
    fn default() -> Self {
        Interner { values: EntityMap::new(), ids: Rc::default() }
    }
}

impl<K: EntityId, V: Clone + Default + Eq + Hash> Interner<K, V> {
    /// The id of `value`, which is added if it is new.
    pub fn intern(&mut self, value: V) -> K {
        if let Some(&id) = self.ids.get(&value) {
            return id;
        }
        let id = self.values.push(value.clone());
        Rc::make_mut(&mut self.ids).insert(value, id);
        id
    }

    /// The id of `value`, if it was seen before.
    pub fn find(&self, value: &V) -> Option<K> {
        self.ids.get(value).copied()
    }

    /// The value of `id`, if the id is of this table.
    pub fn get(&self, id: K) -> Option<&V> {
        self.values.get(id)
    }

    /// Number of distinct values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether nothing was interned.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Values in order of first sight.
    pub fn iter(&self) -> impl Iterator<Item = (K, &V)> + '_ {
        self.values.iter()
    }
}

impl<K: EntityId, V: Clone + Default + Eq + Hash> Index<K> for Interner<K, V> {
    type Output = V;

    fn index(&self, id: K) -> &V {
        &self.values[id]
    }
}
