//! The borders of an entry point: inputs, outputs, system values, and what ends a lane or a primitive.
//!
//! Before `lower-io` an entry point reaches its interface through variables and paths; these operations
//! are what that pass leaves behind. `interp_*` work on paths.

use super::table::ops;

ops! {
    /// Interface operations.
    IoOp;

    /// An input, by location and component.
    Input io_input "io.input"() -> X [] need(Location) may(Component, Index, Interp);
    /// An input `offset` locations further on.
    InputAt io_input_at "io.input_at"(offset: IDX) -> X need(Location) may(Component, Interp);
    /// An input of one vertex of the primitive or patch, `offset` locations further on.
    InputVertex io_input_vertex "io.input_vertex"(vertex: IDX, offset: IDX) -> X need(Location) may(Component, Interp);
    /// Sets an output, by location and component; with a mask, only the lanes in it.
    Output io_output "io.output"(value: X) -> NONE [WRITES] need(Location) may(Component, Index, Stream, Mask, Interp);
    /// Sets an output `offset` locations further on.
    OutputAt io_output_at "io.output_at"(value: X, offset: IDX) -> NONE [WRITES]
        need(Location) may(Component, Index, Stream, Mask, Interp);
    /// Sets an output of one vertex, `offset` locations further on.
    OutputVertex io_output_vertex "io.output_vertex"(value: X, vertex: IDX, offset: IDX) -> NONE [WRITES]
        need(Location) may(Component, Mask, Interp);
    /// Reads an output back, `offset` locations further on.
    OutputRead io_output_read "io.output_read"(offset: IDX) -> X [READS] need(Location) may(Component, Index, Interp);
    /// A system value.
    BuiltIn io_builtin "io.builtin"() -> X need(BuiltIn);
    /// A system value of one vertex or one element.
    BuiltInAt io_builtin_at "io.builtin_at"(index: IDX) -> X need(BuiltIn);
    /// Sets a system value.
    SetBuiltIn io_set_builtin "io.set_builtin"(value: X) -> NONE [WRITES] need(BuiltIn) may(Mask);
    /// Sets one element of a system value.
    SetBuiltInAt io_set_builtin_at "io.set_builtin_at"(value: X, index: IDX) -> NONE [WRITES] need(BuiltIn) may(Mask);
    /// Bytes of the push constants, `offset` bytes (attribute plus operand) from the start.
    Push io_push "io.push"(at: IDX) -> X may(Offset, Range, Align);
    /// Bytes of a uniform buffer given by set and binding.
    Ubo io_ubo "io.ubo"(index: IDX, at: IDX) -> X [READS] need(Set, Binding) may(Offset, Range, Align, Access);
    /// Bytes of a storage buffer given by set and binding.
    Ssbo io_ssbo "io.ssbo"(index: IDX, at: IDX) -> X [READS] need(Set, Binding) may(Offset, Align, Access);
    /// Sets bytes of a storage buffer given by set and binding.
    SetSsbo io_set_ssbo "io.set_ssbo"(value: X, index: IDX, at: IDX) -> NONE [WRITES]
        need(Set, Binding) may(Offset, Align, Access, Mask);

    /// An input interpolated at the centroid (InterpolateAtCentroid).
    InterpCentroid interp_centroid "io.interp_centroid"(input: PATH) -> FX [NEEDS_HELPERS];
    /// An input interpolated at a sample (InterpolateAtSample).
    InterpSample interp_sample "io.interp_sample"(input: PATH, sample: IDX) -> FX [NEEDS_HELPERS];
    /// An input interpolated at an offset from the pixel centre (InterpolateAtOffset).
    InterpOffset interp_offset "io.interp_offset"(input: PATH, offset: FX) -> FX [NEEDS_HELPERS];

    /// Ends the lane if the condition holds; it goes on as a helper where the target does so (OpKill under a condition).
    DiscardIf io_discard_if "io.discard_if"(cond: B1) -> NONE [WRITES MEMORY_BARRIER TERMINATES];
    /// Ends the lane for good if the condition holds (OpTerminateInvocation under a condition).
    TerminateIf io_terminate_if "io.terminate_if"(cond: B1) -> NONE [WRITES MEMORY_BARRIER TERMINATES];
    /// Turns the lane into a helper (OpDemoteToHelperInvocation).
    Demote io_demote "io.demote"() -> NONE [WRITES MEMORY_BARRIER TERMINATES];
    /// Turns the lane into a helper if the condition holds.
    DemoteIf io_demote_if "io.demote_if"(cond: B1) -> NONE [WRITES MEMORY_BARRIER TERMINATES];
    /// Whether the lane is a helper now (OpIsHelperInvocationEXT).
    IsHelper io_is_helper "io.is_helper"() -> B1 [READS];
    /// Emits a vertex (OpEmitVertex, OpEmitStreamVertex).
    EmitVertex io_emit_vertex "io.emit_vertex"() -> NONE [READS WRITES MEMORY_BARRIER] may(Stream);
    /// Ends the primitive (OpEndPrimitive, OpEndStreamPrimitive).
    EndPrimitive io_end_primitive "io.end_primitive"() -> NONE [WRITES MEMORY_BARRIER] may(Stream);
    /// Says how many vertices and primitives a mesh has (OpSetMeshOutputsEXT).
    SetMeshOutputs io_set_mesh_outputs "io.set_mesh_outputs"(vertices: B32, primitives: B32) -> NONE [WRITES MEMORY_BARRIER CONVERGENT];
    /// The clock of the group as two halves or one number (OpReadClockKHR).
    Clock io_clock "io.clock"() -> X [READS MEMORY_BARRIER] need(Scope);
    /// Enters the part in which fragments of one pixel take turns (OpBeginInvocationInterlockEXT).
    InterlockBegin io_interlock_begin "io.interlock_begin"() -> NONE [READS WRITES MEMORY_BARRIER];
    /// Leaves that part (OpEndInvocationInterlockEXT).
    InterlockEnd io_interlock_end "io.interlock_end"() -> NONE [READS WRITES MEMORY_BARRIER];
}
