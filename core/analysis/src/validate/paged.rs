//! A side table in pages: like `SideTable`, but a program whose only value is `%16000000` costs a single
//! page.

use std::marker::PhantomData;
use vitrine_ir::base::EntityId;

const PAGE: usize = 256;

/// A table from ids to small values, with a default for ids that were never written. Pages are allocated on
/// first write.
pub(super) struct Paged<K, V> {
    pages: Vec<Option<Box<[V; PAGE]>>>,
    key: PhantomData<fn(K)>,
}

impl<K: EntityId, V: Copy + Default> Paged<K, V> {
    /// A table for ids below `len`; writes to larger ids are dropped.
    pub(super) fn new(len: usize) -> Paged<K, V> {
        Paged { pages: vec![const { None }; len.div_ceil(PAGE)], key: PhantomData }
    }

    /// The value of `key`.
    pub(super) fn get(&self, key: K) -> V {
        match self.pages.get(key.index() / PAGE) {
            Some(Some(page)) => page[key.index() % PAGE],
            Some(None) | None => V::default(),
        }
    }

    /// Sets the value of `key`; returns the previous one.
    pub(super) fn set(&mut self, key: K, value: V) -> V {
        let Some(page) = self.pages.get_mut(key.index() / PAGE) else { return V::default() };
        let page = page.get_or_insert_with(|| Box::new([V::default(); PAGE]));
        std::mem::replace(&mut page[key.index() % PAGE], value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_ir::Inst;

    #[test]
    fn ids_far_apart_are_kept_and_ids_too_large_are_dropped() {
        let mut notes: Paged<Inst, u32> = Paged::new(16_000_000);
        let [near, far, out] = [3, 15_999_999, 16_777_215].map(Inst::from_index);
        assert_eq!(notes.set(far, 7), 0);
        assert_eq!(notes.set(far, 8), 7);
        notes.set(out, 1);
        assert_eq!([near, far, out].map(|at| notes.get(at)), [0, 8, 0]);
    }
}
