//! Typed access paths: a variable, followed by member and element accesses.
//!
//! A path is never stored and never printed as a number. Its full type follows from its steps (`ir::paths`);
//! a path that is a parameter or the result of a cast states its type in attributes.

use super::table::ops;

ops! {
    /// Steps of a path.
    DerefOp;

    /// The path to a whole variable.
    Var deref_var "deref.var"() -> PATH lead(Var);
    /// Selects a member of a structure.
    Field deref_field "deref.field"(base: PATH) -> PATH need(Field);
    /// Selects an element of an array, a column of a matrix or a component of a vector.
    Elem deref_elem "deref.elem"(base: PATH, index: IDX) -> PATH;
    /// Selects all elements at once; valid only in copies.
    All deref_all "deref.all"(base: PATH) -> PATH;
    /// Advances a pointer into an array by `index` elements (OpPtrAccessChain).
    Step deref_step "deref.step"(base: PATH, index: IDX) -> PATH may(Stride);
    /// Reinterprets the memory at an address as another type.
    Cast deref_cast "deref.cast"(base: ADDR) -> PATH need(Type, Mode) may(Align);
    /// Creates a path from an address given as bits (OpConvertUToPtr, OpBitcast to a pointer).
    FromBits deref_from_bits "deref.from_bits"(bits: X) -> PATH need(Type, Mode) may(Align);
}
