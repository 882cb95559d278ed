//! Facts about functions that are checked when all have been read: their calls, and operations that only some stages have.

use super::*;
use vitrine_ir::{Inst, Stage};

/// Facts about functions that are checked at the end.
#[derive(Default)]
pub(super) struct Whole {
    pub(super) calls: Vec<Call>,
    pub(super) staged: Vec<Staged>,
}

/// A call.
pub(super) struct Call {
    pub(super) from: Func,
    pub(super) at: Inst,
    pub(super) to: Func,
}

/// An operation that only some stages have.
pub(super) struct Staged {
    pub(super) func: Func,
    pub(super) at: Anchor,
    pub(super) what: &'static str,
    /// Restriction of the rule to some uses of the operation.
    pub(super) of: &'static str,
    pub(super) rule: Rule,
}

/// Stages that support an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// These stages.
    In(&'static [Stage]),
    /// Fragment shaders, and workgroups whose invocations form quads by an execution mode.
    Quads,
}
