//! Full types of memory and resources, interned. Values have none of these (`ops::ValueType`).
//!
//! Strides are part of a type, offsets of a member: layout is what the program says, never computed here.

use super::{Attrs, Global, Mode, Struct, Text, Type};
use crate::ops::Width;
use std::rc::Rc;

/// A full type.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub enum TypeData {
    /// Nothing.
    #[default]
    Void,
    /// A truth value, without a size in memory.
    Bool,
    /// An integer.
    Int {
        /// Bits.
        width: Width,
        /// Whether it has a sign.
        signed: bool,
    },
    /// A floating-point number of 16, 32 or 64 bits.
    Float {
        /// Bits.
        width: Width,
    },
    /// Lanes of one scalar type.
    Vector {
        /// A scalar.
        of: Type,
        /// 2, 3, 4, 8 or 16.
        lanes: u8,
    },
    /// Columns of one vector type.
    Matrix {
        /// A vector of floats.
        column: Type,
        /// 2, 3 or 4.
        columns: u8,
        /// Bytes from one column to the next, or from one row to the next; 0 where there is no layout.
        stride: u32,
        /// Rows lie together instead of columns.
        row_major: bool,
    },
    /// A fixed number of elements.
    Array {
        /// The element.
        of: Type,
        /// How many.
        len: Len,
        /// Bytes from one element to the next; 0 where there is no layout.
        stride: u32,
    },
    /// A number of elements known at run time.
    RuntimeArray {
        /// The element.
        of: Type,
        /// Bytes from one element to the next; 0 where there is no layout.
        stride: u32,
    },
    /// A declared structure.
    Struct(Struct),
    /// A pointer that lies in memory.
    Pointer {
        /// Where it points.
        mode: Mode,
        /// What it points at.
        to: Type,
    },
    /// An image.
    Image(ImageType),
    /// A sampler.
    Sampler,
    /// An image and a sampler in one.
    SampledImage(ImageType),
    /// An acceleration structure.
    AccelStruct,
    /// A ray query.
    RayQuery,
    /// Something opaque, by its SPIR-V name.
    Opaque(Text),
}

/// Length of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Len {
    /// Known.
    Count(u32),
    /// A specialisation constant or something computed from one.
    Global(Global),
}

/// An image type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ImageType {
    /// Scalar type that sampling yields; `Void` for kernels.
    pub sampled: Type,
    /// Index into the words of `Key::Dim`.
    pub dim: u8,
    /// Has layers.
    pub arrayed: bool,
    /// Has samples.
    pub multisampled: bool,
    /// Whether lookups compare.
    pub depth: Depth,
    /// Sampled or accessed as storage.
    pub usage: Usage,
    /// Index into [`ImageType::FORMATS`].
    pub format: u8,
}

/// Whether an image is a depth image.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Depth {
    /// It is not.
    No,
    /// It is.
    Yes,
    /// The type does not say.
    Unknown,
}

/// How an image is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Usage {
    /// Known at run time only.
    Unknown,
    /// With a sampler, or by fetching.
    Sampled,
    /// Reads and writes.
    Storage,
}

impl ImageType {
    /// Texel formats by their SPIR-V names in lower case, in SPIR-V's order; the first is `unknown`.
    pub const FORMATS: &'static [&'static str] = &[
        "unknown",
        "rgba32f",
        "rgba16f",
        "r32f",
        "rgba8",
        "rgba8snorm",
        "rg32f",
        "rg16f",
        "r11fg11fb10f",
        "r16f",
        "rgba16",
        "rgb10a2",
        "rg16",
        "rg8",
        "r16",
        "r8",
        "rgba16snorm",
        "rg16snorm",
        "rg8snorm",
        "r16snorm",
        "r8snorm",
        "rgba32i",
        "rgba16i",
        "rgba8i",
        "r32i",
        "rg32i",
        "rg16i",
        "rg8i",
        "r16i",
        "r8i",
        "rgba32ui",
        "rgba16ui",
        "rgba8ui",
        "r32ui",
        "rgb10a2ui",
        "rg32ui",
        "rg16ui",
        "rg8ui",
        "r16ui",
        "r8ui",
        "r64ui",
        "r64i",
    ];
}

/// A declared structure. Two structures with equal members are still two.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StructData {
    /// Its name, if it has one.
    pub name: Option<Text>,
    /// Members in order.
    pub members: Rc<[Member]>,
    /// `block` and the like.
    pub attrs: Attrs,
}

/// A member of a structure.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Its name, if it has one.
    pub name: Option<Text>,
    /// Its type.
    pub ty: Type,
    /// `offset` in bytes, location, built-in, access and the like.
    pub attrs: Attrs,
}
