//! Typed access paths: a variable, then fields and elements of it.
//!
//! A path is never stored and never printed as a number. Its full type follows from the steps
//! (`ir::paths`); a path that comes in as a parameter or from a cast says its type itself.

use super::table::ops;

ops! {
    /// Steps of a path.
    DerefOp;

    /// The whole variable.
    Var deref_var "deref.var"() -> PATH lead(Var);
    /// A member of a structure.
    Field deref_field "deref.field"(base: PATH) -> PATH need(Field);
    /// An element of an array, a column of a matrix, a lane of a vector.
    Elem deref_elem "deref.elem"(base: PATH, index: IDX) -> PATH;
    /// All elements at once; only in copies.
    All deref_all "deref.all"(base: PATH) -> PATH;
    /// The element `index` places further on, for a pointer into an array (OpPtrAccessChain).
    Step deref_step "deref.step"(base: PATH, index: IDX) -> PATH may(Stride);
    /// The same place seen as another type.
    Cast deref_cast "deref.cast"(base: ADDR) -> PATH need(Type, Mode) may(Align);
    /// A place from an address in bits (OpConvertUToPtr, OpBitcast to a pointer).
    FromBits deref_from_bits "deref.from_bits"(bits: X) -> PATH need(Type, Mode) may(Align);
}
