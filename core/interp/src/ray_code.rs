//! Decoded instructions about rays.

/// The role of a shader that an instruction invokes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    AnyHit,
    ClosestHit,
    Miss,
    Callable,
}

/// An instruction about rays. Those of a trace and of a call have the address of the payload as their last operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RayCode {
    /// Starts a ray; operands as those of OpTraceRayKHR.
    Trace,
    /// Starts a call; operands: number in the table, data.
    Call,
    /// Advances to the next triangle that is not opaque.
    Proceed,
    /// Advances to the end, accepting all triangles.
    ProceedToEnd,
    /// Starts shader `number` of `count` of a role for the invocations that need it; the result is true for these.
    Enter {
        role: Role,
        number: u32,
        count: u32,
        /// The variable of the program with its payload.
        incoming: u32,
    },
    /// Ends it for the invocations in which operand 0 is true.
    Leave { role: Role, incoming: u32 },
    /// Accepts the candidate if it was not ignored.
    Settle,
    /// Ends a ray or a call, by the rule for payloads if no shader ran; the number of the payload's type.
    End { payload: u32 },
    /// Reports an intersection; operands: parameter, kind.
    Report,
    /// An instruction of a ray query, whose address is operand 0; `first` is the first component of the result.
    Query { op: QueryOp, first: u32 },
}

/// Instructions of ray queries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum QueryOp {
    /// Operands after the query as those of OpRayQueryInitializeKHR.
    Initialize,
    Terminate,
    /// No effect: no candidate is a box.
    Generate,
    Confirm,
    Proceed,
    /// Values of the ray.
    TMin,
    Flags,
    WorldDirection,
    WorldOrigin,
    /// Values of the candidate or the accepted intersection, as operand 1 selects.
    Type,
    T,
    CustomIndex,
    InstanceId,
    Group,
    Geometry,
    Primitive,
    Barycentrics,
    FrontFace,
    ObjectDirection,
    ObjectOrigin,
    ObjectToWorld,
    WorldToObject,
    Corners,
    /// False: no candidate is a box.
    BoxOpaque,
}
