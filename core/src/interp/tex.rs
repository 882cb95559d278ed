//! A decoded image operation: the operation, the kind of image, and the roles of operands.

/// The dimension of an image operation: words of `Key::Dim`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Dim {
    /// One row of texels.
    D1,
    /// Rows of texels.
    D2,
    /// Slices of rows.
    D3,
    /// Six faces.
    Cube,
    /// Rows of texels, addressed by texel.
    Rect,
    /// Texels in a row, without levels.
    Buffer,
    /// The attachment at the position of the pixel.
    Subpass,
}

impl Dim {
    /// Every dimension, in the order of `Key::Dim`.
    pub const ALL: [Dim; 7] = [Dim::D1, Dim::D2, Dim::D3, Dim::Cube, Dim::Rect, Dim::Buffer, Dim::Subpass];

    /// The dimension with this number.
    pub fn from_number(number: u64) -> Dim {
        usize::try_from(number).ok().and_then(|at| Dim::ALL.get(at)).copied().unwrap_or(Dim::D2)
    }

    /// Number of coordinates that address a texel, without layer and sample.
    pub fn axes(self) -> usize {
        match self {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D2 | Dim::Rect | Dim::Subpass => 2,
            Dim::D3 | Dim::Cube => 3,
        }
    }
}
