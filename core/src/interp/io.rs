//! Interface access without variables: what the `io.*` operations do, decoded.

/// How an input is interpolated again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Where {
    Centroid,
    Sample,
    Offset,
}

/// An interface access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum IoCode {
    /// An input; with an operand, so many locations further on.
    Input {
        location: u32,
        component: u32,
    },
    /// Sets an output; operand 1 is a distance in locations, if it is there.
    Output {
        location: u32,
        component: u32,
        index: u32,
        mask: u16,
    },
    /// Reads an output back.
    OutputRead {
        location: u32,
        component: u32,
        index: u32,
    },
    /// A system value; with an operand, an element of it.
    BuiltIn {
        number: u32,
    },
    /// Sets a system value.
    SetBuiltIn {
        number: u32,
        mask: u16,
    },
    /// Bytes of push constants.
    Push {
        var: u32,
        offset: i64,
        bytes: u8,
    },
    /// Bytes of a buffer; operands: element of the array, byte.
    Buffer {
        var: u32,
        offset: i64,
        bytes: u8,
    },
    /// Sets bytes of a buffer; operands: value, element of the array, byte.
    SetBuffer {
        var: u32,
        offset: i64,
        bytes: u8,
        mask: u16,
    },
    /// An input interpolated elsewhere.
    Interpolate {
        at: Where,
        step: u32,
    },
    /// Ends lanes, for good or not, where operand 0 holds if there is one.
    Discard,
    Terminate,
    Demote,
    /// Whether the lane is a helper.
    IsHelper,
    /// Instructions run so far.
    Clock,
    /// Fragments of one pixel take turns anyway: one run has one fragment a pixel.
    Nothing,
}
