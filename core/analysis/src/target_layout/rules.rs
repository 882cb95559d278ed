//! The rules by which target languages place members and elements in buffers.
//!
//! A rule gives each type a size and an alignment, and each array a stride. Nothing is compared with a declaration here.

/// A target language.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum LayoutTarget {
    /// GLSL 4.60.
    Glsl,
    /// GLSL ES 3.00.
    Essl,
    /// GLSL ES 3.10.
    Essl310,
    /// WGSL.
    Wgsl,
    /// HLSL.
    Hlsl,
    /// The Metal Shading Language.
    Msl,
}

impl LayoutTarget {
    /// Number of targets.
    pub const COUNT: usize = 6;

    /// Every target, in the order of the back ends.
    pub const ALL: [LayoutTarget; LayoutTarget::COUNT] = [
        LayoutTarget::Glsl,
        LayoutTarget::Essl,
        LayoutTarget::Essl310,
        LayoutTarget::Wgsl,
        LayoutTarget::Hlsl,
        LayoutTarget::Msl,
    ];

    /// The name, which is that of its back end.
    pub fn name(self) -> &'static str {
        match self {
            LayoutTarget::Glsl => "glsl",
            LayoutTarget::Essl => "essl",
            LayoutTarget::Essl310 => "essl-310",
            LayoutTarget::Wgsl => "wgsl",
            LayoutTarget::Hlsl => "hlsl",
            LayoutTarget::Msl => "msl",
        }
    }

    /// The name of the language, for a heading.
    pub fn label(self) -> &'static str {
        match self {
            LayoutTarget::Glsl => "GLSL",
            LayoutTarget::Essl => "GLSL ES 3.00",
            LayoutTarget::Essl310 => "GLSL ES 3.10",
            LayoutTarget::Wgsl => "WGSL",
            LayoutTarget::Hlsl => "HLSL",
            LayoutTarget::Msl => "Metal",
        }
    }

    /// Returns true if the text cannot add padding on its own: the type must contain it.
    pub(super) fn needs_padded_types(self) -> bool {
        matches!(self, LayoutTarget::Glsl | LayoutTarget::Essl | LayoutTarget::Essl310)
    }

    /// Returns true if its text accesses a buffer by bytes, so that any layout can be written.
    pub(super) fn has_bytes(self) -> bool {
        self == LayoutTarget::Hlsl
    }

    /// The sizes in bytes of numbers that an array of numbers may consist of, the largest first.
    pub(super) fn units(self) -> &'static [u64] {
        match self {
            LayoutTarget::Glsl | LayoutTarget::Msl => &[4, 2, 1],
            LayoutTarget::Essl | LayoutTarget::Essl310 | LayoutTarget::Wgsl | LayoutTarget::Hlsl => &[4],
        }
    }
}

/// Rules for the layout of a buffer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Packing {
    /// Arrays and structures are aligned to 16 bytes (OpenGL 4.6, 7.6.2.2).
    Std140,
    /// As `Std140`, without that alignment.
    Std430,
    /// Everything is aligned to its scalars (`GL_EXT_scalar_block_layout`).
    Scalar,
    /// WGSL, in the address space `storage` (WGSL, 14.4.4).
    Wgsl,
    /// WGSL, in the address space `uniform`: strides and structures are multiples of 16 bytes (WGSL, 14.4.1).
    WgslUniform,
    /// Rows of 16 bytes, which no vector crosses (Direct3D 10 and later, constant buffers).
    Cbuffer,
    /// Elements of structured buffers, packed by their scalars.
    Structured,
    /// Metal: vectors are aligned to their size, or packed.
    Metal,
}

/// Size and alignment in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Extent {
    pub(super) bytes: u64,
    pub(super) align: u64,
}

impl Packing {
    /// The name, as users of the language know it.
    pub fn name(self) -> &'static str {
        match self {
            Packing::Std140 => "std140",
            Packing::Std430 => "std430",
            Packing::Scalar => "scalar",
            Packing::Wgsl => "storage",
            Packing::WgslUniform => "uniform",
            Packing::Cbuffer => "cbuffer",
            Packing::Structured => "structured",
            Packing::Metal => "metal",
        }
    }

    /// A vector of scalars; packed, if the rule has packed vectors.
    pub(super) fn vector(self, scalar: Extent, components: u64, packed: bool) -> Extent {
        let power = components.next_power_of_two();
        match self {
            Packing::Scalar | Packing::Cbuffer | Packing::Structured => {
                Extent { bytes: scalar.bytes * components, align: scalar.align }
            }
            Packing::Metal if packed => Extent { bytes: scalar.bytes * components, align: scalar.align },
            Packing::Metal => Extent { bytes: scalar.bytes * power, align: scalar.align * power },
            Packing::Std140 | Packing::Std430 | Packing::Wgsl | Packing::WgslUniform => {
                Extent { bytes: scalar.bytes * components, align: scalar.align * power }
            }
        }
    }

    /// The stride of an array of elements, and the alignment of the array.
    pub(super) fn stride(self, element: Extent) -> (u64, u64) {
        let align = match self {
            Packing::Std140 | Packing::Cbuffer => element.align.max(1).next_multiple_of(16),
            Packing::Std430
            | Packing::Scalar
            | Packing::Wgsl
            | Packing::WgslUniform
            | Packing::Structured
            | Packing::Metal => element.align.max(1),
        };
        (element.bytes.next_multiple_of(align), align)
    }

    /// Returns true if the rule allows arrays of this stride.
    pub(super) fn allows_stride(self, stride: u64) -> bool {
        self != Packing::WgslUniform || stride.is_multiple_of(16)
    }

    /// The bytes of an array: the last element of a constant buffer is not padded.
    pub(super) fn array_bytes(self, element: Extent, stride: u64, count: u64) -> u64 {
        match (self, count.checked_sub(1)) {
            (_, None) => 0,
            (Packing::Cbuffer, Some(last)) => stride.saturating_mul(last).saturating_add(element.bytes),
            (_, Some(_)) => stride.saturating_mul(count),
        }
    }

    /// The first offset at or after `end` for a part.
    pub(super) fn next(self, end: u64, part: Extent) -> u64 {
        let offset = end.next_multiple_of(part.align.max(1));
        let crosses = offset % 16 + part.bytes > 16 && !offset.is_multiple_of(16);
        if self == Packing::Cbuffer && crosses { offset.next_multiple_of(16) } else { offset }
    }

    /// The extent of a structure whose members end at `end` and are aligned to at most `align`.
    pub(super) fn structure(self, end: u64, align: u64) -> Extent {
        let align = match self {
            Packing::Std140 | Packing::Cbuffer => align.max(1).next_multiple_of(16),
            Packing::Std430
            | Packing::Scalar
            | Packing::Wgsl
            | Packing::WgslUniform
            | Packing::Structured
            | Packing::Metal => align.max(1),
        };
        let bytes = match self {
            Packing::Scalar | Packing::Cbuffer => end,
            _ => end.next_multiple_of(align),
        };
        Extent { bytes, align }
    }

    /// Returns true if the elements of arrays of numbers are vectors of four words, because shorter ones are 16 bytes apart.
    pub(super) fn has_wide_elements(self) -> bool {
        matches!(self, Packing::Std140 | Packing::WgslUniform | Packing::Cbuffer)
    }
}
