//! Entities, tables of them and words as numbers.
//!
//! An entity is its index, a word its place in the table, a table the list of its values.

use crate::base::{EntityId, EntityMap, Interner};
use crate::ops::{
    Attr, BasicOp, Bits, ConvertOp, DerefOp, Dim, FloatOp, GroupOp, IntOp, IoOp, Key, MAX_COMPONENTS,
    MemoryOp, Mode, PtrOp, RegOp, SpirvOp, TexOp, VectorOp, Width,
};
use crate::{
    Args, Attrs, Blob, Block, Const, Debug, DebugKind, ExecutionMode, FactKey, Func, Global, Inst, Node, Reg,
    Region, Stage, Struct, Text, Type, Var,
};
use serde::de::{Error, SeqAccess, Visitor};
use serde::ser::SerializeSeq;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::hash::Hash;
use std::marker::PhantomData;

/// Entities as their indices.
macro_rules! entities {
    ($($entity:ident)*) => { $(
        impl Serialize for $entity {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u32(self.index() as u32)
            }
        }

        impl<'de> Deserialize<'de> for $entity {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$entity, D::Error> {
                Ok($entity::from_index(u32::deserialize(deserializer)? as usize))
            }
        }
    )* };
}

entities! { Inst Block Node Region Var Func Struct Global Reg Type Const Text Blob Debug }

/// Words as their places in the table.
macro_rules! words {
    ($($word:ident)*) => { $(
        impl Serialize for $word {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_u16(*self as u16)
            }
        }

        impl<'de> Deserialize<'de> for $word {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$word, D::Error> {
                let number = u16::deserialize(deserializer)?;
                let word = $word::ALL.get(usize::from(number)).copied();
                word.ok_or_else(|| D::Error::custom("a number is none of its table"))
            }
        }
    )* };
}

words! {
    BasicOp FloatOp IntOp ConvertOp VectorOp MemoryOp DerefOp PtrOp IoOp GroupOp TexOp RegOp SpirvOp
    Key Mode Dim Width Stage ExecutionMode FactKey DebugKind
}

impl Serialize for Bits {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.width(), self.components()).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Bits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Bits, D::Error> {
        let (width, components) = <(Width, Vec<u64>)>::deserialize(deserializer)?;
        let bits = Bits::from_components(width, &components[..components.len().min(MAX_COMPONENTS)]);
        // Bits beyond the width, or too many components, would be another constant.
        (bits.components() == components)
            .then_some(bits)
            .ok_or_else(|| D::Error::custom("a constant does not fit its width"))
    }
}

impl Serialize for Args {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Args {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Args, D::Error> {
        deserializer.deserialize_seq(Operands)
    }
}

/// Reads operands, of which up to four need no allocation.
struct Operands;

impl<'de> Visitor<'de> for Operands {
    type Value = Args;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("operands")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut values: S) -> Result<Args, S::Error> {
        let mut few = [Inst::from_index(0); 4];
        let mut count = 0;
        while let Some(value) = values.next_element()? {
            let Some(place) = few.get_mut(count) else {
                let mut many = few.to_vec();
                many.push(value);
                while let Some(value) = values.next_element()? {
                    many.push(value);
                }
                return Ok(Args::new(&many));
            };
            *place = value;
            count += 1;
        }
        Ok(Args::new(&few[..count]))
    }
}

impl Serialize for Attrs {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.as_slice().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Attrs {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Attrs, D::Error> {
        let list = Vec::<Attr>::deserialize(deserializer)?;
        let is_sorted = list.is_sorted_by(|before, after| before.key < after.key);
        let attrs = match list[..] {
            [] => Attrs::None,
            [one] => Attrs::One(one),
            _ => Attrs::Many(list.into()),
        };
        is_sorted
            .then_some(attrs)
            .ok_or_else(|| D::Error::custom("attributes are not in the order of their keys"))
    }
}

impl<K: EntityId, V: Clone + Default + Serialize> Serialize for EntityMap<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut values = serializer.serialize_seq(Some(self.len()))?;
        for (_, value) in self.iter() {
            values.serialize_element(value)?;
        }
        values.end()
    }
}

impl<'de, K: EntityId, V: Clone + Default + Deserialize<'de>> Deserialize<'de> for EntityMap<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<EntityMap<K, V>, D::Error> {
        let add = |table: &mut EntityMap<K, V>, value| {
            table.push(value);
            true
        };
        deserializer.deserialize_seq(Values { add, value: PhantomData })
    }
}

impl<K: EntityId, V: Clone + Default + Eq + Hash + Serialize> Serialize for Interner<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.values().serialize(serializer)
    }
}

impl<'de, K: EntityId, V: Clone + Default + Eq + Hash + Deserialize<'de>> Deserialize<'de>
    for Interner<K, V>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Interner<K, V>, D::Error> {
        let add = |table: &mut Interner<K, V>, value| {
            let count = table.len();
            table.intern(value).index() == count
        };
        deserializer.deserialize_seq(Values { add, value: PhantomData })
    }
}

/// Reads the values of a table one after the other; `add` returns false for a value that the table has.
struct Values<A, T, V> {
    add: A,
    value: PhantomData<fn() -> (T, V)>,
}

impl<'de, A: Fn(&mut T, V) -> bool, T: Default, V: Deserialize<'de>> Visitor<'de> for Values<A, T, V> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the values of a table")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut values: S) -> Result<T, S::Error> {
        let mut table = T::default();
        while let Some(value) = values.next_element()? {
            if !(self.add)(&mut table, value) {
                return Err(S::Error::custom("a table has a value twice"));
            }
        }
        Ok(table)
    }
}
