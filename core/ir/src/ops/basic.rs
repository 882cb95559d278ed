//! Basic operations: parameters, constants, undefined values, calls, and selection between addresses.

use super::table::ops;

ops! {
    /// Basic operations.
    BasicOp;

    /// Parameter of a block or a function; each edge into the block, or each call, provides its value. A path
    /// parameter states the type it points at.
    Param param() -> ANY [NONDETERMINISTIC] may(Type, Mode, Usage);
    /// A constant.
    Const const_ "const"() -> X lead(Const);
    /// A module constant: a specialization constant, a constant expression over such constants, or the
    /// address of a variable.
    Global global() -> ANY lead(Global);
    /// An arbitrary value of the type, possibly a different one at each use. A program whose results depend
    /// on it is incorrect.
    Undef undef() -> ANY [NONDETERMINISTIC] may(Type, Mode);
    /// Copies the operand; a remnant of rewriting (OpCopyObject).
    Copy mov(a: ANY) -> ANY may(Type, Mode);
    /// Selects one of two addresses or resources (OpSelect on pointers).
    Choose choose(cond: B1, a: OPAQUE, b: OPAQUE) -> OPAQUE may(Type, Mode);
    /// Calls a function; the effects are those of its body (OpFunctionCall).
    Call call(; args: ANY) -> MAYBE [READS WRITES MEMORY_BARRIER CONVERGENT] lead(Func);
    /// The compiler may assume that the condition holds (OpAssumeTrueKHR).
    Assume assume(cond: B1) -> NONE [MEMORY_BARRIER];
    /// Prints formatted text for debugging (NonSemantic.DebugPrintf).
    Print print(; args: ANY) -> NONE [WRITES MEMORY_BARRIER] need(Text);
}
