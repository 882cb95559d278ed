//! Variables and their storage modes.

use super::{Attrs, Func, Operand, Text, Type};
use crate::ops::{Interp, Key};
use serde::{Deserialize, Serialize};

pub use crate::ops::Mode;

/// A variable, of the module or local to a function.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
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
        self.mode == Mode::In && self.attrs.words::<Interp>().has(Interp::PER_VERTEX)
    }
}
