//! Variables and their storage modes.

use super::{Attrs, Func, Operand, Text, Type};
use crate::ops::Key;

/// A variable, of the module or local to a function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VarData {
    /// Its name, if it has one.
    pub name: Option<Text>,
    /// Type of its contents.
    pub ty: Type,
    /// Its storage mode.
    pub mode: Mode,
    /// The function a local variable belongs to.
    pub owner: Option<Func>,
    /// Its initializer.
    pub init: Option<Operand>,
    /// Location, binding, built-in, access and the like.
    pub attrs: Attrs,
}

impl VarData {
    /// Returns true for untyped memory: only `ptr.var` accesses it, and the type only records the
    /// declaration.
    pub fn is_untyped(&self) -> bool {
        self.attrs.has(Key::Bytes)
    }

    /// Returns true for an input of a fragment shader that is an array with the value of each vertex of the primitive
    /// (`PerVertexKHR` of `SPV_KHR_fragment_shader_barycentric`). The whole array has one location.
    pub fn is_per_vertex(&self) -> bool {
        const PER_VERTEX: u64 = 1 << 6;
        self.mode == Mode::In && self.attrs.get(Key::Interp).unwrap_or(0) & PER_VERTEX != 0
    }
}

macro_rules! modes {
    ($($(#[doc = $doc:literal])+ $variant:ident $name:literal;)*) => {
        /// The storage mode of a variable, or of the variable that a path points into.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
        #[repr(u8)]
        pub enum Mode { $($(#[doc = $doc])+ $variant,)* }

        impl Mode {
            /// Every mode, in the order of `ops::attr::MODES`.
            pub const ALL: &'static [Mode] = &[$(Mode::$variant),*];

            /// The spelling in the text form.
            pub fn name(self) -> &'static str {
                [$($name),*][self as usize]
            }

            /// The description from the table.
            pub fn doc(self) -> &'static str {
                [$(concat!($($doc),+)),*][self as usize].trim()
            }
        }
    };
}

modes! {
    /// Input from the previous stage.
    In "in";
    /// Output to the next stage.
    Out "out";
    /// Private to an invocation, for its whole lifetime.
    Private "private";
    /// Local to a function call.
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
    /// Any memory, by a physical address.
    Physical "physical";
    /// Data of a callable shader, or a shader record.
    Callable "callable";
    /// One of several modes, known only at run time (kernels).
    Generic "generic";
}

impl Mode {
    /// Returns the mode with this spelling.
    pub fn from_name(name: &str) -> Option<Mode> {
        Mode::ALL.iter().copied().find(|mode| mode.name() == name)
    }

    /// Returns the mode with this number, as stored in an attribute.
    pub fn from_index(index: u64) -> Option<Mode> {
        Mode::ALL.get(usize::try_from(index).ok()?).copied()
    }

    /// Returns true if a shader may write to this mode.
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
