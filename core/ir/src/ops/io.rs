//! Interface operations of an entry point: inputs, outputs, system values, and the end of an invocation or a
//! primitive.
//!
//! Before `lower-io`, an entry point accesses its interface through variables and paths; that pass produces
//! these operations. The `interp_*` operations take paths.

use super::table::ops;

ops! {
    /// Interface operations.
    IoOp;

    /// Reads an input, by location and component.
    Input io_input "io.input"() -> X [] need(Location) may(Component, Index, Interp);
    /// Reads an input at a location advanced by `offset`.
    InputAt io_input_at "io.input_at"(offset: IDX) -> X need(Location) may(Component, Interp);
    /// Reads an input of one vertex of the primitive or patch, at a location advanced by `offset`.
    InputVertex io_input_vertex "io.input_vertex"(vertex: IDX, offset: IDX) -> X need(Location) may(Component, Interp);
    /// Writes an output, by location and component; with a mask, only the components in it.
    Output io_output "io.output"(value: X) -> NONE [WRITES] need(Location) may(Component, Index, Stream, Mask, Interp);
    /// Writes an output at a location advanced by `offset`.
    OutputAt io_output_at "io.output_at"(value: X, offset: IDX) -> NONE [WRITES]
        need(Location) may(Component, Index, Stream, Mask, Interp);
    /// Writes an output of one vertex, at a location advanced by `offset`.
    OutputVertex io_output_vertex "io.output_vertex"(value: X, vertex: IDX, offset: IDX) -> NONE [WRITES]
        need(Location) may(Component, Mask, Interp);
    /// Reads an output back, at a location advanced by `offset`.
    OutputRead io_output_read "io.output_read"(offset: IDX) -> X [READS] need(Location) may(Component, Index, Interp);
    /// Reads a system value.
    BuiltIn io_builtin "io.builtin"() -> X need(BuiltIn);
    /// Reads a system value of one vertex or one element.
    BuiltInAt io_builtin_at "io.builtin_at"(index: IDX) -> X need(BuiltIn);
    /// Writes a system value.
    SetBuiltIn io_set_builtin "io.set_builtin"(value: X) -> NONE [WRITES] need(BuiltIn) may(Mask);
    /// Writes one element of a system value.
    SetBuiltInAt io_set_builtin_at "io.set_builtin_at"(value: X, index: IDX) -> NONE [WRITES] need(BuiltIn) may(Mask);
    /// Reads push constants, at the byte offset given by attribute plus operand.
    Push io_push "io.push"(at: IDX) -> X may(Offset, Range, Align);
    /// Reads a uniform buffer given by set and binding.
    Ubo io_ubo "io.ubo"(index: IDX, at: IDX) -> X [READS] need(Set, Binding) may(Offset, Range, Align, Access);
    /// Reads a storage buffer given by set and binding.
    Ssbo io_ssbo "io.ssbo"(index: IDX, at: IDX) -> X [READS] need(Set, Binding) may(Offset, Align, Access);
    /// Writes a storage buffer given by set and binding.
    SetSsbo io_set_ssbo "io.set_ssbo"(value: X, index: IDX, at: IDX) -> NONE [WRITES]
        need(Set, Binding) may(Offset, Align, Access, Mask);

    /// Reads an input interpolated at the centroid (InterpolateAtCentroid).
    InterpCentroid interp_centroid "io.interp_centroid"(input: PATH) -> FX [NEEDS_HELPERS];
    /// Reads an input interpolated at a sample (InterpolateAtSample).
    InterpSample interp_sample "io.interp_sample"(input: PATH, sample: IDX) -> FX [NEEDS_HELPERS];
    /// Reads an input interpolated at an offset from the pixel center (InterpolateAtOffset).
    InterpOffset interp_offset "io.interp_offset"(input: PATH, offset: FX) -> FX [NEEDS_HELPERS];

    /// Discards the fragment if the condition holds; depending on the target, the invocation continues as a
    /// helper invocation (OpKill under a condition).
    DiscardIf io_discard_if "io.discard_if"(cond: B1) -> NONE [WRITES MEMORY_BARRIER TERMINATES];
    /// Terminates the invocation if the condition holds (OpTerminateInvocation under a condition).
    TerminateIf io_terminate_if "io.terminate_if"(cond: B1) -> NONE [WRITES MEMORY_BARRIER TERMINATES];
    /// Demotes the invocation to a helper invocation (OpDemoteToHelperInvocation).
    Demote io_demote "io.demote"() -> NONE [WRITES MEMORY_BARRIER TERMINATES];
    /// Demotes the invocation to a helper invocation if the condition holds.
    DemoteIf io_demote_if "io.demote_if"(cond: B1) -> NONE [WRITES MEMORY_BARRIER TERMINATES];
    /// True if the invocation is currently a helper invocation (OpIsHelperInvocationEXT).
    IsHelper io_is_helper "io.is_helper"() -> B1 [READS];
    /// Emits a vertex (OpEmitVertex, OpEmitStreamVertex).
    EmitVertex io_emit_vertex "io.emit_vertex"() -> NONE [READS WRITES MEMORY_BARRIER] may(Stream);
    /// Ends the primitive (OpEndPrimitive, OpEndStreamPrimitive).
    EndPrimitive io_end_primitive "io.end_primitive"() -> NONE [WRITES MEMORY_BARRIER] may(Stream);
    /// Sets the number of vertices and primitives of a mesh (OpSetMeshOutputsEXT).
    SetMeshOutputs io_set_mesh_outputs "io.set_mesh_outputs"(vertices: B32, primitives: B32) -> NONE [WRITES MEMORY_BARRIER CONVERGENT];
    /// Reads the clock of the group, as two 32-bit halves or one number (OpReadClockKHR).
    Clock io_clock "io.clock"() -> X [READS MEMORY_BARRIER] need(Scope);
    /// Begins a critical section in which fragments of one pixel execute one at a time
    /// (OpBeginInvocationInterlockEXT).
    InterlockBegin io_interlock_begin "io.interlock_begin"() -> NONE [READS WRITES MEMORY_BARRIER];
    /// Ends the critical section (OpEndInvocationInterlockEXT).
    InterlockEnd io_interlock_end "io.interlock_end"() -> NONE [READS WRITES MEMORY_BARRIER];
}
