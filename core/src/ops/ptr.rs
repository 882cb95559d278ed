//! Untyped addresses, SPIR-T's quasi-pointers: bytes and offsets, no types, no layout.

use super::table::ops;

ops! {
    /// Operations on untyped pointers.
    PtrOp;

    /// The start of a variable.
    Var ptr_var "ptr.var"() -> PTR lead(Var);
    /// A constant number of bytes further on.
    Offset ptr_offset "ptr.offset"(base: PTR) -> PTR need(Offset);
    /// `index` times `stride` bytes further on; `range` bounds the bytes reached where it is known.
    DynOffset ptr_dyn_offset "ptr.dyn_offset"(base: PTR, index: IDX) -> PTR need(Stride) may(Range);
    /// A resource out of an array of resources.
    /// A step of the index is `stride` resources, one where it says none; `range` is how many there are.
    HandleIndex ptr_handle_index "ptr.handle_index"(array: PTR, index: IDX) -> PTR may(Stride, Range);
    /// The resource a pointer to a resource stands for.
    Handle ptr_handle "ptr.handle"(at: PTR) -> HANDLE [READS] may(Access);
    /// The first byte of a buffer.
    BufferData ptr_buffer_data "ptr.buffer_data"(buffer: PTR) -> PTR;
    /// Elements of `stride` bytes that a buffer holds after its first `offset` bytes.
    BufferLen ptr_buffer_len "ptr.buffer_len"(buffer: PTR) -> B32 [READS] need(Stride) may(Offset);
    /// The address of a texel, for atomics (OpImageTexelPointer).
    Texel ptr_texel "ptr.texel"(image: OPAQUE, coord: IX, sample: IDX) -> PTR;
    /// The address as bits (OpConvertPtrToU, OpBitcast from a pointer).
    ToBits ptr_to_bits "ptr.to_bits"(address: ADDR) -> X;
    /// An address from bits.
    FromBits ptr_from_bits "ptr.from_bits"(bits: X) -> PTR need(Mode) may(Align, Type);
    /// Whether two addresses are the same (OpPtrEqual).
    Eq ptr_eq "ptr.eq"(a: ADDR, b: ADDR) -> B1 [COMMUTATIVE COMPARISON];
    /// Whether two addresses differ (OpPtrNotEqual).
    Ne ptr_ne "ptr.ne"(a: ADDR, b: ADDR) -> B1 [COMMUTATIVE COMPARISON];
    /// Elements between two addresses into one array (OpPtrDiff); untyped addresses say the `stride` of its elements.
    Diff ptr_diff "ptr.diff"(a: ADDR, b: ADDR) -> I1 may(Stride);
}
