//! Untyped pointers, SPIR-T's quasi-pointers: bytes and offsets without types or layout.

use super::table::ops;

ops! {
    /// Operations on untyped pointers.
    PtrOp;

    /// The address of the first byte of a variable.
    Var ptr_var "ptr.var"() -> PTR lead(Var);
    /// The address of the first byte of the place that a path points to, such as an element of a buffer.
    Path ptr_path "ptr.path"(path: PATH) -> PTR;
    /// Advances a pointer by a constant number of bytes.
    Offset ptr_offset "ptr.offset"(base: PTR) -> PTR need(Offset);
    /// Advances a pointer by `index` times `stride` bytes; `range` bounds the number of accessible bytes, if
    /// known.
    DynOffset ptr_dyn_offset "ptr.dyn_offset"(base: PTR, index: IDX) -> PTR need(Stride) may(Range);
    /// Selects a resource from an array of resources. Each step of the index advances by `stride` resources,
    /// one if absent; `range` is the number of resources.
    HandleIndex ptr_handle_index "ptr.handle_index"(array: PTR, index: IDX) -> PTR may(Stride, Range);
    /// Loads the resource that a pointer refers to.
    Handle ptr_handle "ptr.handle"(at: PTR) -> HANDLE [READS] may(Access);
    /// The address of the first byte of a buffer.
    BufferData ptr_buffer_data "ptr.buffer_data"(buffer: PTR) -> PTR;
    /// Number of elements of `stride` bytes in a buffer after its first `offset` bytes.
    BufferLen ptr_buffer_len "ptr.buffer_len"(buffer: PTR) -> U32X1 [READS] need(Stride) may(Offset);
    /// The address of a texel, for atomics (OpImageTexelPointer).
    Texel ptr_texel "ptr.texel"(image: OPAQUE, coord: IX, sample: IDX) -> PTR;
    /// Converts an address to bits (OpConvertPtrToU, OpBitcast from a pointer).
    ToBits ptr_to_bits "ptr.to_bits"(address: ADDR) -> UX;
    /// Converts bits to an address.
    FromBits ptr_from_bits "ptr.from_bits"(bits: X) -> PTR need(Mode) may(Align, Type, Usage);
    /// True if two addresses are equal (OpPtrEqual).
    Eq ptr_eq "ptr.eq"(a: ADDR, b: ADDR) -> B1 [COMMUTATIVE COMPARISON];
    /// True if two addresses differ (OpPtrNotEqual).
    Ne ptr_ne "ptr.ne"(a: ADDR, b: ADDR) -> B1 [COMMUTATIVE COMPARISON];
    /// Number of elements between two addresses into the same array (OpPtrDiff); for untyped addresses,
    /// `stride` gives the element size.
    Diff ptr_diff "ptr.diff"(a: ADDR, b: ADDR) -> S1 may(Stride);
}
