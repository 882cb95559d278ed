//! Full types of memory and resources, interned. Values have other types (`ops::ValueType`).
//!
//! Strides are part of a type, offsets of a member: the program states the layout, this module never computes
//! it.

use super::{Attrs, Global, Mode, Struct, Text, Type};
use crate::ops::{Dim, Width};
use serde::{Deserialize, Serialize};
use std::rc::Rc;

/// A full type.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, Serialize, Deserialize)]
pub enum TypeData {
    /// Nothing.
    #[default]
    Void,
    /// A boolean, without a size in memory.
    Bool,
    /// An integer.
    Int {
        /// Bits.
        width: Width,
        /// True if it is signed.
        signed: bool,
    },
    /// A floating-point number of 16, 32 or 64 bits.
    Float {
        /// Bits.
        width: Width,
    },
    /// Components of one scalar type.
    Vector {
        /// A scalar.
        of: Type,
        /// 2, 3, 4, 8 or 16.
        components: u8,
    },
    /// Columns of one vector type.
    Matrix {
        /// A vector of floats.
        column: Type,
        /// 2, 3 or 4.
        columns: u8,
        /// Bytes from one column to the next, or from one row to the next; 0 if there is no layout.
        stride: u32,
        /// Rows are contiguous instead of columns.
        row_major: bool,
    },
    /// A fixed number of elements.
    Array {
        /// The element.
        of: Type,
        /// The length.
        len: Len,
        /// Bytes from one element to the next; 0 if there is no layout.
        stride: u32,
    },
    /// A number of elements known at run time.
    RuntimeArray {
        /// The element.
        of: Type,
        /// Bytes from one element to the next; 0 if there is no layout.
        stride: u32,
    },
    /// A declared structure.
    Struct(Struct),
    /// A pointer stored in memory.
    Pointer {
        /// Mode of the memory it points into.
        mode: Mode,
        /// Type it points at.
        to: Type,
    },
    /// An image.
    Image(ImageType),
    /// A sampler.
    Sampler,
    /// A combined image and sampler.
    SampledImage(ImageType),
    /// An acceleration structure.
    AccelStruct,
    /// A ray query.
    RayQuery,
    /// An opaque type, by its SPIR-V name.
    Opaque(Text),
}

/// Length of an array.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Len {
    /// A known number.
    Count(u32),
    /// A specialization constant or a constant expression.
    Global(Global),
}

/// An image type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct ImageType {
    /// Scalar type of a sampling result; `Void` for kernels.
    pub sampled: Type,
    /// Its dimension.
    pub dim: Dim,
    /// Has layers.
    pub arrayed: bool,
    /// Has samples.
    pub multisampled: bool,
    /// Depth image or not.
    pub depth: Depth,
    /// Sampled or accessed as storage.
    pub usage: Usage,
    /// Index into [`ImageType::FORMATS`].
    pub format: u8,
}

/// Depth property of an image type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Depth {
    /// Not a depth image.
    No,
    /// A depth image.
    Yes,
    /// The type leaves it open.
    Unknown,
}

/// How an image is accessed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Usage {
    /// Known only at run time.
    Unknown,
    /// With a sampler, or by fetching.
    Sampled,
    /// Reads and writes as a storage image.
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

/// A declared structure. Two structures with equal members are distinct.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct StructData {
    /// Its name, if it has one.
    pub name: Option<Text>,
    /// Members in order.
    pub members: Rc<[Member]>,
    /// `block` and others.
    pub attrs: Attrs,
}

/// A member of a structure.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Member {
    /// Its name, if it has one.
    pub name: Option<Text>,
    /// Its type.
    pub ty: Type,
    /// `offset` in bytes, location, built-in, access and others.
    pub attrs: Attrs,
}
