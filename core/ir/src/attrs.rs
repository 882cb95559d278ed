//! A small sorted set of attributes: empty, one inline, or several shared.

use crate::base::sort_by_number;
use crate::ops::{Attr, Key, Keyed, Word, WordSet};
use std::rc::Rc;

/// Attributes of an instruction, a variable, a member, a node. Sorted by key, each key at most once.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub enum Attrs {
    /// No attribute.
    #[default]
    None,
    /// One attribute, stored inline.
    One(Attr),
    /// Two or more, shared.
    Many(Rc<[Attr]>),
}

impl Attrs {
    /// One attribute.
    pub fn one(key: Key, value: u64) -> Attrs {
        Attrs::One(Attr::new(key, value))
    }

    /// From any number of attributes; for equal keys the last one wins.
    pub fn from_list(mut list: Vec<Attr>) -> Attrs {
        list.reverse();
        sort_by_number(&mut list, |attr| attr.key as u64);
        list.dedup_by_key(|attr| attr.key);
        match list[..] {
            [] => Attrs::None,
            [one] => Attrs::One(one),
            _ => Attrs::Many(list.into()),
        }
    }

    /// The attributes in printing order.
    #[inline(always)]
    pub fn as_slice(&self) -> &[Attr] {
        match self {
            Attrs::None => &[],
            Attrs::One(one) => std::slice::from_ref(one),
            Attrs::Many(many) => many,
        }
    }

    /// Iterates over the attributes in printing order.
    pub fn iter(&self) -> impl Iterator<Item = Attr> + '_ {
        self.as_slice().iter().copied()
    }

    /// Value of `key`.
    pub fn get(&self, key: Key) -> Option<u64> {
        // Most instructions have one attribute or none.
        match self {
            Attrs::None => None,
            Attrs::One(one) => (one.key == key).then_some(one.value),
            Attrs::Many(many) => many.iter().find(|attr| attr.key == key).map(|attr| attr.value),
        }
    }

    /// The word of its key, such as `word::<AtomicOp>()`.
    pub fn word<W: Word + Keyed>(&self) -> Option<W> {
        self.word_of(W::KEY)
    }

    /// The word of another key that has such words, such as the scope of `exec`.
    pub fn word_of<W: Word>(&self, key: Key) -> Option<W> {
        W::from_number(self.get(key)?)
    }

    /// The words of their key, such as `words::<Access>()`; none if it is absent.
    pub fn words<S: WordSet + Keyed>(&self) -> S {
        self.words_of(S::KEY)
    }

    /// The words of another key that has such words, such as `order_else`.
    pub fn words_of<S: WordSet>(&self, key: Key) -> S {
        S::from_number(self.get(key).unwrap_or(0))
    }

    /// Returns true if `key` is present.
    pub fn has(&self, key: Key) -> bool {
        self.get(key).is_some()
    }

    /// The same set with `key` set to `value`.
    #[must_use]
    pub fn with(&self, key: Key, value: u64) -> Attrs {
        let new = Attr::new(key, value);
        let list = self.as_slice();
        let at = list.partition_point(|attr| attr.key < key);
        let rest = match list.get(at..) {
            Some([same, ..]) if same.key == key && same.value == value => return self.clone(),
            Some([same, rest @ ..]) if same.key == key => rest,
            Some(rest) => rest,
            None => &[],
        };
        let before = list.get(..at).unwrap_or(&[]);
        match (before, rest) {
            ([], []) => Attrs::One(new),
            // The most common case: one allocation.
            ([one], []) => Attrs::Many(Rc::new([*one, new])),
            ([], [one]) => Attrs::Many(Rc::new([new, *one])),
            _ => Attrs::Many(before.iter().copied().chain([new]).chain(rest.iter().copied()).collect()),
        }
    }

    /// The same set with the key of `word` set to it.
    #[must_use]
    pub fn with_word<W: Word + Keyed>(&self, word: W) -> Attrs {
        self.with(W::KEY, word.number())
    }

    /// The same set without `key`.
    #[must_use]
    pub fn without(&self, key: Key) -> Attrs {
        if !self.has(key) {
            return self.clone();
        }
        match self.as_slice() {
            [] | [_] => Attrs::None,
            [a, b] => Attrs::One(if a.key == key { *b } else { *a }),
            list => Attrs::Many(list.iter().copied().filter(|attr| attr.key != key).collect()),
        }
    }

    /// Returns true if the set is empty.
    pub fn is_empty(&self) -> bool {
        matches!(self, Attrs::None)
    }
}

impl std::fmt::Debug for Attrs {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.as_slice()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sorted_and_the_last_of_equal_keys_stays() {
        let attrs =
            Attrs::from_list(vec![Attr::new(Key::Set, 1), Attr::new(Key::Align, 4), Attr::new(Key::Set, 2)]);
        assert_eq!(attrs.as_slice(), [Attr::new(Key::Align, 4), Attr::new(Key::Set, 2)]);
        assert_eq!(attrs.with(Key::Set, 9).get(Key::Set), Some(9));
        assert_eq!(attrs.without(Key::Set), Attrs::one(Key::Align, 4));
        assert!(attrs.without(Key::Set).without(Key::Align).is_empty());
    }
}
