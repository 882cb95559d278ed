//! What every program has: parameters, constants, undefined values, calls, and choices between addresses.

use super::table::ops;

ops! {
    /// Basic operations.
    BasicOp;

    /// Parameter of a block or a function: its value comes with whoever enters. A path says what it points at.
    Param param() -> ANY [NONDETERMINISTIC] may(Type, Mode, Usage);
    /// The same bits every time.
    Const const_ "const"() -> X lead(Const);
    /// A module constant: a specialisation constant, something computed from some, the address of a variable.
    Global global() -> ANY lead(Global);
    /// Some value of the type, each time another one perhaps. Reading it into a result is an error of the program.
    Undef undef() -> ANY [NONDETERMINISTIC] may(Type, Mode);
    /// The operand itself: a copy that rewriting leaves behind (OpCopyObject).
    Copy mov(a: ANY) -> ANY may(Type, Mode);
    /// One of two addresses or resources (OpSelect on pointers).
    Choose choose(cond: B1, a: OPAQUE, b: OPAQUE) -> OPAQUE may(Type, Mode);
    /// Calls a function; its effects are those of the body (OpFunctionCall).
    Call call(; args: ANY) -> MAYBE [READS WRITES MEMORY_BARRIER CONVERGENT] lead(Func);
    /// The condition may be assumed to hold (OpAssumeTrueKHR).
    Assume assume(cond: B1) -> NONE [MEMORY_BARRIER];
    /// Prints, for debugging (NonSemantic.DebugPrintf).
    Print print(; args: ANY) -> NONE [WRITES MEMORY_BARRIER] need(Text);
}
