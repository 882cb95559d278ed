//! A vector of shared 16-element chunks: a clone copies a spine of pointers, a write copies one chunk.
//!
//! This is why `Module::clone()` is a cheap snapshot, and why two versions can be compared by pointer before
//! they are compared by value. Deliberately not thread-safe: chunks are counted with `Rc`.

use std::rc::Rc;

const CHUNK: usize = 16;
const SHIFT: usize = CHUNK.trailing_zeros() as usize;

type Chunk<T> = Rc<[T; CHUNK]>;

/// A growable table with cheap `clone`, copy-on-write chunks and comparison by chunk pointer.
///
/// Clone is `O(n / 16)` pointer copies; `get` is two dependent loads; `get_mut` copies at most one chunk.
#[derive(Clone)]
pub struct CowChunks<T> {
    spine: Vec<Chunk<T>>,
    len: usize,
}

impl<T> Default for CowChunks<T> {
    fn default() -> Self {
        CowChunks { spine: Vec::new(), len: 0 }
    }
}

impl<T: Clone + Default> CowChunks<T> {
    /// An empty table.
    pub fn new() -> Self {
        CowChunks::default()
    }

    /// Number of elements.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns true if the table is empty.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The element at `index`, if it exists.
    #[inline(always)]
    pub fn get(&self, index: usize) -> Option<&T> {
        if index >= self.len {
            return None;
        }
        Some(&self.spine[index >> SHIFT][index & (CHUNK - 1)])
    }

    /// The element at `index` for writing, if it exists; copies its chunk if another version shares it.
    pub fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        if index >= self.len {
            return None;
        }
        owned(&mut self.spine[index >> SHIFT])?.get_mut(index & (CHUNK - 1))
    }

    /// Appends `value`; its index is the previous length.
    pub fn push(&mut self, value: T) {
        let index = self.len;
        if index >> SHIFT == self.spine.len() {
            self.spine.push(Rc::new(std::array::from_fn(|_| T::default())));
        }
        self.len += 1;
        if let Some(chunk) = owned(&mut self.spine[index >> SHIFT]) {
            chunk[index & (CHUNK - 1)] = value;
        }
    }

    /// Grows to at least `len` elements, filled with defaults. Whole new chunks share one allocation, so a
    /// sparse table with huge ids costs only a spine.
    pub fn grow_to(&mut self, len: usize) {
        if len <= self.len {
            return;
        }
        let chunks = len.div_ceil(CHUNK);
        if chunks > self.spine.len() {
            let vacant: Chunk<T> = Rc::new(std::array::from_fn(|_| T::default()));
            self.spine.resize(chunks, vacant);
        }
        self.len = len;
    }

    /// All elements in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> + '_ {
        let len = self.len;
        self.spine.iter().enumerate().flat_map(move |(at, chunk)| {
            let used = len.saturating_sub(at * CHUNK).min(CHUNK);
            chunk[..used].iter()
        })
    }

    /// Returns true if both tables share all their chunks: the cheapest proof that nothing changed.
    pub fn same_chunks(&self, other: &Self) -> bool {
        self.len == other.len && self.spine.iter().zip(&other.spine).all(|(a, b)| Rc::ptr_eq(a, b))
    }

    /// Indices at which the two tables may differ: those in chunks that are not shared, up to the longer
    /// length.
    pub fn unshared<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = usize> + 'a {
        let len = self.len.max(other.len);
        (0..len.div_ceil(CHUNK)).filter(|&at| !self.shares_chunk(other, at)).flat_map(move |at| {
            let start = at * CHUNK;
            start..len.min(start + CHUNK)
        })
    }

    fn shares_chunk(&self, other: &Self, at: usize) -> bool {
        match (self.spine.get(at), other.spine.get(at)) {
            (Some(a), Some(b)) => Rc::ptr_eq(a, b) && self.used(at) == other.used(at),
            (None, None) => true,
            (Some(_), None) | (None, Some(_)) => false,
        }
    }

    fn used(&self, at: usize) -> usize {
        self.len.saturating_sub(at * CHUNK).min(CHUNK)
    }
}

impl<T: Clone + Default + PartialEq> PartialEq for CowChunks<T> {
    fn eq(&self, other: &Self) -> bool {
        self.len == other.len && self.unshared(other).all(|at| self.get(at) == other.get(at))
    }
}

impl<T: Clone + Default + Eq> Eq for CowChunks<T> {}

impl<T: Clone + Default + std::fmt::Debug> std::fmt::Debug for CowChunks<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl<T: Clone + Default> FromIterator<T> for CowChunks<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let mut table = CowChunks::new();
        for item in items {
            table.push(item);
        }
        table
    }
}

/// A chunk for writing, copied if another version shares it. Always `Some`, because there are no weak
/// references.
///
/// Elements are copied to their final location; `Rc::make_mut` of an array would copy them to the stack
/// first.
fn owned<T: Clone>(chunk: &mut Chunk<T>) -> Option<&mut [T; CHUNK]> {
    if Rc::strong_count(chunk) > 1 {
        *chunk = chunk.iter().cloned().collect::<Rc<[T]>>().try_into().ok()?;
    }
    Rc::get_mut(chunk)
}

#[cfg(test)]
mod tests {
    use super::CowChunks;

    fn numbers(len: u32) -> CowChunks<u32> {
        (0..len).collect()
    }

    #[test]
    fn a_write_after_a_clone_leaves_the_clone_alone() {
        let mut a = numbers(100);
        let before = a.clone();
        assert!(a.same_chunks(&before));
        *a.get_mut(50).unwrap() = 7;
        assert_eq!(before.get(50), Some(&50));
        assert_eq!(a.get(50), Some(&7));
        assert!(!a.same_chunks(&before));
        assert_eq!(a.unshared(&before).collect::<Vec<_>>(), (48..64).collect::<Vec<_>>());
    }

    #[test]
    fn growing_is_seen_as_a_difference_of_the_new_indices() {
        let mut a = numbers(20);
        let before = a.clone();
        a.push(9);
        assert_eq!(a.unshared(&before).collect::<Vec<_>>(), vec![16, 17, 18, 19, 20]);
        assert_ne!(a, before);
        let mut b = before.clone();
        b.grow_to(16_000_000);
        assert_eq!(b.len(), 16_000_000);
        assert_eq!(b.get(15_999_999), Some(&0));
        *b.get_mut(12_000_000).unwrap() = 3;
        assert_eq!(b.get(12_000_001), Some(&0));
        assert_eq!(b.get(11_999_984), Some(&0));
    }

    #[test]
    fn equal_by_value_though_not_shared() {
        assert_eq!(numbers(33), numbers(33));
        assert_ne!(numbers(33), numbers(34));
        assert_eq!(numbers(33).iter().rev().count(), 33);
        assert_eq!(numbers(33).get(33), None);
    }
}
