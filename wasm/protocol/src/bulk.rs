//! Large fields of messages: bytes, text and tables of numbers, as typed arrays that are transferred.
//!
//! A table keeps the flat list of 32-bit numbers of the compiler; its entries are views into it. Numbers are
//! in the byte order of wasm, little-endian, which every machine that runs the host's tests shares.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use bytemuck::{AnyBitPattern, NoUninit, cast_slice, cast_vec, pod_collect_to_vec};
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// Arbitrary bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bytes(#[serde(with = "serde_bytes")] pub Vec<u8>);

/// A long text, in UTF-8.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Utf8(pub String);

impl Deref for Utf8 {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Serialize for Utf8 {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(self.0.as_bytes())
    }
}

impl<'de> Deserialize<'de> for Utf8 {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Utf8, D::Error> {
        let bytes: Vec<u8> = serde_bytes::deserialize(deserializer)?;
        String::from_utf8(bytes).map(Utf8).map_err(|_| D::Error::custom("a text is not UTF-8"))
    }
}

/// An entry of a [`Table`]: a struct of 32-bit numbers.
pub trait Entry: AnyBitPattern + NoUninit {}

impl<T: AnyBitPattern + NoUninit> Entry for T {}

/// A flat list of 32-bit numbers, read as entries of one layout.
pub struct Table<E> {
    words: Vec<u32>,
    entry: PhantomData<E>,
}

impl<E: Entry> Table<E> {
    /// A table of words from the compiler. An incomplete entry at the end is ignored.
    pub fn from_words(words: Vec<u32>) -> Table<E> {
        Table { words, entry: PhantomData }
    }

    /// The same, from signed numbers.
    pub fn from_numbers(numbers: Vec<i32>) -> Table<E> {
        Table::from_words(cast_vec(numbers))
    }

    /// A table of these entries.
    pub fn of(entries: &[E]) -> Table<E> {
        Table::from_words(pod_collect_to_vec(entries))
    }

    /// The same, without a copy.
    pub fn of_all(entries: Vec<E>) -> Table<E> {
        Table::from_words(cast_vec(entries))
    }

    /// The entries, in order.
    pub fn entries(&self) -> &[E] {
        let words = size_of::<E>() / size_of::<u32>();
        cast_slice(&self.words[..self.words.len() / words * words])
    }

    /// The words, for layouts whose entries differ in length.
    pub fn words(&self) -> &[u32] {
        &self.words
    }
}

impl<E> Default for Table<E> {
    fn default() -> Table<E> {
        Table { words: Vec::new(), entry: PhantomData }
    }
}

impl<E> Clone for Table<E> {
    fn clone(&self) -> Table<E> {
        Table { words: self.words.clone(), entry: PhantomData }
    }
}

impl<E> PartialEq for Table<E> {
    fn eq(&self, other: &Table<E>) -> bool {
        self.words == other.words
    }
}

impl<E> Eq for Table<E> {}

impl<E> fmt::Debug for Table<E> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.words.fmt(out)
    }
}

impl<E> Serialize for Table<E> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(cast_slice(&self.words))
    }
}

impl<'de, E> Deserialize<'de> for Table<E> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Table<E>, D::Error> {
        let bytes: Vec<u8> = serde_bytes::deserialize(deserializer)?;
        let entry = if size_of::<E>() == 0 { size_of::<u32>() } else { size_of::<E>() };
        if !bytes.len().is_multiple_of(entry) {
            return Err(D::Error::custom("a table ends within an entry"));
        }
        Ok(Table { words: pod_collect_to_vec(&bytes), entry: PhantomData })
    }
}
