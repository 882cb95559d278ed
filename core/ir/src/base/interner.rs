//! Append-only tables of distinct values: equal values get equal ids.
//!
//! Versions of a module share them: a clone is a spine and one pointer. Iteration is in insertion order,
//! never in hash order, so printing is the same in every run.

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
    /// Returns the id of `value`, adding the value if it is new.
    pub fn intern(&mut self, value: V) -> K {
        if let Some(&id) = self.ids.get(&value) {
            return id;
        }
        let id = self.values.push(value.clone());
        Rc::make_mut(&mut self.ids).insert(value, id);
        id
    }

    /// Returns the id of `value`, if it is in the table.
    pub fn find(&self, value: &V) -> Option<K> {
        self.ids.get(value).copied()
    }

    /// Returns the value of `id`, if the id belongs to this table.
    pub fn get(&self, id: K) -> Option<&V> {
        self.values.get(id)
    }

    /// Number of distinct values.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns true if the table is empty.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The values, as the table that versions share.
    pub fn values(&self) -> &EntityMap<K, V> {
        &self.values
    }

    /// Values in insertion order.
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
