//! Decoded `io.*` operations: interface access without variables.

use vitrine_ir::ops::Builtin;

/// The position of an interpolation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum InterpolateAt {
    Centroid,
    Sample,
    Offset,
}

/// An interface access.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum IoCode {
    /// An input; the operand, if any, is a distance in locations.
    Input {
        location: u32,
        component: u32,
    },
    /// An input of a vertex of the primitive; operands: vertex, distance in locations.
    InputVertex {
        location: u32,
        component: u32,
    },
    /// Writes an output of a vertex, or of a primitive of a mesh; operands: value, vertex, distance in locations.
    OutputVertex {
        location: u32,
        component: u32,
        mask: u16,
        primitive: bool,
    },
    /// Emits a vertex, and ends a strip of vertices.
    EmitVertex {
        stream: u32,
    },
    EndPrimitive {
        stream: u32,
    },
    /// Sets the number of vertices and primitives of the mesh.
    SetMeshOutputs,
    /// Sets the number of workgroups of the mesh stage.
    SetTasks,
    /// Writes an output; operand 1, if any, is a distance in locations.
    Output {
        location: u32,
        component: u32,
        index: u32,
        mask: u16,
    },
    /// Reads an output.
    OutputRead {
        location: u32,
        component: u32,
        index: u32,
    },
    /// A system value; the operand, if any, selects an element.
    BuiltIn {
        builtin: Builtin,
    },
    /// Writes a system value.
    SetBuiltIn {
        builtin: Builtin,
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
    /// Writes bytes of a buffer; operands: value, element of the array, byte.
    SetBuffer {
        var: u32,
        offset: i64,
        bytes: u8,
        mask: u16,
    },
    /// An input interpolated at another position.
    Interpolate {
        at: InterpolateAt,
        step: u32,
    },
    /// Terminates or demotes invocations, if operand 0 holds or is missing.
    Discard,
    Terminate,
    Demote,
    /// Tests for helper invocations.
    IsHelper,
    /// Number of executed instructions.
    Clock,
    /// No effect: a run has one fragment for each pixel, so fragments of a pixel are always ordered.
    Nothing,
}
