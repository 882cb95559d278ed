//! Variables and where they live.

use super::{Attrs, Func, Operand, Text, Type};
use crate::ops::Key;

/// A variable, of the module or local to a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarData {
    /// Its name, if it has one.
    pub name: Option<Text>,
    /// Type of what it holds.
    pub ty: Type,
    /// Where it lives.
    pub mode: Mode,
    /// The function a local variable belongs to.
    pub owner: Option<Func>,
    /// What it holds at first.
    pub init: Option<Operand>,
    /// Location, binding, built-in, access and the like.
    pub attrs: Attrs,
}

impl VarData {
    /// Whether it is untyped memory: only `ptr.var` leads there, and the type says no more than how it was declared.
    pub fn is_untyped(&self) -> bool {
        self.attrs.has(Key::Bytes)
    }
}

macro_rules! modes {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal;)*) => {
        /// Where a variable lives, or where a path points.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum Mode { $($(#[doc = $doc])+ $variant,)* }

        impl Mode {
            /// Every mode, in the order of `ops::attr::MODES`.
            pub const ALL: &'static [Mode] = &[$(Mode::$variant),*];

            /// The spelling.
            pub fn name(self) -> &'static str {
                [$($name),*][self as usize]
            }

            /// The sentence of the table.
            pub fn doc(self) -> &'static str {
                [$(concat!($($doc),+)),*][self as usize].trim()
            }
        }
    };
}

modes! {
    /// Comes from the stage before.
    In "in";
    /// Goes to the stage after.
    Out "out";
    /// Lives as long as the invocation.
    Private "private";
    /// Lives as long as a call.
    Local "local";
    /// An image, a sampler, an acceleration structure.
    Handle "handle";
    /// A uniform buffer.
    Uniform "uniform";
    /// A storage buffer.
    Storage "storage";
    /// Push constants.
    Push "push";
    /// Shared by a workgroup.
    Shared "shared";
    /// A ray's payload, hit attributes, a task's payload.
    Payload "payload";
    /// Anywhere in memory, by a physical address.
    Physical "physical";
    /// Data of a callable shader, or a shader record.
    Callable "callable";
    /// Any of several, known at run time only (kernels).
    Generic "generic";
}

impl Mode {
    /// The mode of this spelling.
    pub fn from_name(name: &str) -> Option<Mode> {
        Mode::ALL.iter().copied().find(|mode| mode.name() == name)
    }

    /// The mode with this number, as an attribute holds it.
    pub fn from_index(index: u64) -> Option<Mode> {
        Mode::ALL.get(usize::try_from(index).ok()?).copied()
    }

    /// Whether a shader may write there.
    pub fn is_writable(self) -> bool {
        !matches!(self, Mode::In | Mode::Handle | Mode::Uniform | Mode::Push)
    }
}

#[cfg(test)]
mod tests {
    use super::Mode;

    #[test]
    fn the_attribute_table_spells_modes_the_same() {
        let names: Vec<&str> = Mode::ALL.iter().map(|mode| mode.name()).collect();
        assert_eq!(names, crate::ops::attr::MODES);
        assert_eq!(Mode::from_index(1), Some(Mode::Out));
        assert_eq!(Mode::from_index(u64::MAX), None);
    }
}
