//! One instruction: operation, result type, operands, attributes.

use super::{Attrs, Inst};
use crate::base::EntityId;
use crate::ops::{Flags, Key, Keyed, Op, ValueType, Word};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// Operands: up to four inline (99% of arithmetic, 98% of the rest), more of them shared.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Args {
    /// The number of operands, and the operands; unused slots hold the id with index 0.
    Few(u8, [Inst; 4]),
    /// Five or more.
    Many(Rc<[Inst]>),
}

impl Default for Args {
    fn default() -> Self {
        Args::new(&[])
    }
}

impl Args {
    /// From a slice.
    pub fn new(args: &[Inst]) -> Args {
        if args.len() > 4 {
            return Args::Many(args.into());
        }
        let mut few = [Inst::from_index(0); 4];
        few[..args.len()].copy_from_slice(args);
        Args::Few(args.len() as u8, few)
    }

    /// The operands.
    #[inline(always)]
    pub fn as_slice(&self) -> &[Inst] {
        match self {
            Args::Few(len, few) => &few[..*len as usize],
            Args::Many(many) => many,
        }
    }

    /// The same operands with one replaced; unchanged if there is none at `index`.
    #[must_use]
    pub fn with(&self, index: usize, value: Inst) -> Args {
        let mut at = 0..;
        self.map(|arg| if at.next() == Some(index) { value } else { arg })
    }

    /// The same operands, each mapped by `f`.
    #[must_use]
    pub fn map(&self, f: impl FnMut(Inst) -> Inst) -> Args {
        match self {
            Args::Few(len, few) => {
                let mut mapped = *few;
                let used = &mut mapped[..*len as usize];
                let mut f = f;
                for arg in used {
                    *arg = f(*arg);
                }
                Args::Few(*len, mapped)
            }
            Args::Many(many) => Args::Many(many.iter().copied().map(f).collect()),
        }
    }
}

impl std::ops::Deref for Args {
    type Target = [Inst];

    #[inline(always)]
    fn deref(&self) -> &[Inst] {
        self.as_slice()
    }
}

impl FromIterator<Inst> for Args {
    fn from_iter<I: IntoIterator<Item = Inst>>(args: I) -> Self {
        Args::new(&args.into_iter().collect::<Vec<_>>())
    }
}

impl std::fmt::Debug for Args {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.as_slice()).finish()
    }
}

/// An instruction. 56 bytes of plain data; only the blocks determine if it is part of the program.
#[derive(Clone, PartialEq, Eq, Hash, Default, Debug, Serialize, Deserialize)]
pub struct InstData {
    /// The operation.
    pub op: Op,
    /// Assumptions about its arithmetic.
    pub flags: Flags,
    /// Type of the result; `Void` if there is none.
    pub ty: ValueType,
    /// Operands.
    pub args: Args,
    /// Its constant part.
    pub attrs: Attrs,
}

impl InstData {
    /// An instruction without attributes.
    pub fn new(op: impl Into<Op>, ty: ValueType, args: &[Inst]) -> InstData {
        InstData { op: op.into(), flags: Flags::NONE, ty, args: Args::new(args), attrs: Attrs::None }
    }

    /// The same instruction with one more attribute.
    #[must_use]
    pub fn with(mut self, key: Key, value: u64) -> InstData {
        self.attrs = self.attrs.with(key, value);
        self
    }

    /// The same instruction with one more attribute that is a word.
    #[must_use]
    pub fn with_word<W: Word + Keyed>(mut self, word: W) -> InstData {
        self.attrs = self.attrs.with_word(word);
        self
    }

    /// The same instruction with further flags.
    #[must_use]
    pub fn flagged(mut self, flags: Flags) -> InstData {
        self.flags = self.flags.and(flags);
        self
    }

    /// The entity that an attribute names, such as the variable of `deref.var`.
    pub fn entity<K: EntityId>(&self, key: Key) -> Option<K> {
        self.attrs.get(key).map(|value| K::from_index(usize::try_from(value).unwrap_or(usize::MAX)))
    }

    /// Returns true if the instruction yields a value.
    #[inline(always)]
    pub fn has_result(&self) -> bool {
        self.ty != ValueType::Void
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_is_56_bytes() {
        assert_eq!(size_of::<InstData>(), 56);
    }

    #[test]
    fn operands_map_in_place_and_shared() {
        for len in 0..8 {
            let args: Args = (0..len).map(Inst::from_index).collect();
            assert_eq!(args.len(), len);
            let moved = args.map(|arg| Inst::from_index(arg.index() + 1));
            assert!(moved.iter().enumerate().all(|(at, arg)| arg.index() == at + 1));
        }
    }
}
