//! Typed ids: a `u32` newtype per kind of entity, whose `Display` is its spelling in the text form.
//!
//! An id does not record which table it belongs to; tables are per module or per function.

use std::fmt;
use std::hash::Hash;

/// A typed index. `Option` of one takes four bytes.
pub trait EntityId: Copy + Eq + Ord + Hash + fmt::Debug + fmt::Display {
    /// The sigil that begins the spelling of every id of this kind, such as `%`.
    const SIGIL: char;

    /// Largest index that the text form accepts: keeps a hostile `%4000000000` from allocating gigabytes.
    const MAX_INDEX: usize = (1 << 24) - 1;

    /// Returns the id with this index. Indices above `u32::MAX - 1` wrap to the last one, which no table
    /// reaches.
    fn from_index(index: usize) -> Self;

    /// Position in the table that owns the entity, from 0.
    fn index(self) -> usize;
}

/// Declares ids: `entity! { /// doc  pub struct Inst = '%'; }`.
#[macro_export]
macro_rules! entity {
    ($($(#[$meta:meta])* $vis:vis struct $name:ident = $sigil:literal;)*) => { $(
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $vis struct $name(std::num::NonZeroU32);

        impl $crate::base::EntityId for $name {
            const SIGIL: char = $sigil;

            #[inline(always)]
            fn from_index(index: usize) -> Self {
                let raw = u32::try_from(index).unwrap_or(u32::MAX).saturating_add(1);
                $name(std::num::NonZeroU32::new(raw).unwrap_or(std::num::NonZeroU32::MAX))
            }

            #[inline(always)]
            fn index(self) -> usize {
                self.0.get() as usize - 1
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{}{}", $sigil, $crate::base::EntityId::index(*self))
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                std::fmt::Display::fmt(self, f)
            }
        }
    )* };
}
pub use entity;

#[cfg(test)]
mod tests {
    use super::EntityId;

    entity! {
        /// A test id.
        struct Pebble = '%';
    }

    #[test]
    fn display_is_the_text_spelling() {
        assert_eq!(Pebble::from_index(12).to_string(), "%12");
        assert_eq!(format!("{:?}", Pebble::from_index(0)), "%0");
        assert_eq!(Pebble::from_index(7).index(), 7);
    }

    #[test]
    fn an_optional_id_takes_four_bytes() {
        assert_eq!(size_of::<Option<Pebble>>(), 4);
    }
}
