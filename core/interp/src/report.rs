//! Undefined behavior as data: the kind, the instruction and the invocation.
//!
//! A run continues after a report, with the value that the documentation of each kind states, so that all of
//! them are found.

use vitrine_ir::{Anchor, Diag, Func, Inst};

macro_rules! ubs {
    ($($(#[doc = $doc:literal])+ $variant:ident $code:literal $says:literal;)*) => {
        /// Kinds of undefined behavior, and of runs that do not complete.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum UbKind { $($(#[doc = $doc])+ $variant,)* }

        impl UbKind {
            /// Every kind.
            pub const ALL: &'static [UbKind] = &[$(UbKind::$variant),*];

            /// A stable code.
            pub fn code(self) -> &'static str {
                [$($code),*][self as usize]
            }

            /// A description of the kind.
            pub fn says(self) -> &'static str {
                [$($says),*][self as usize]
            }
        }
    };
}

ubs! {
    /// The condition or selector is undefined; its bits are used as they are, 0 at first.
    UndefControl "U001" "control flow depends on an undefined value";
    /// An undefined value becomes an output, or is written to a buffer or an image.
    UndefOutput "U002" "an undefined value is written to visible memory or an output";
    /// An address, an index or a coordinate is undefined; its bits are used as they are.
    UndefAddress "U003" "an address depends on an undefined value";
    /// An access outside of its memory; reads yield 0, writes do nothing.
    OutOfBounds "U010" "memory is accessed out of bounds";
    /// An access through the null pointer; reads yield 0, writes do nothing.
    NullPointer "U011" "memory is accessed through a null pointer";
    /// A write to memory that is read-only; it does nothing.
    ReadOnly "U012" "read-only memory is written";
    /// An access to an unbound resource; reads yield 0.
    Unbound "U013" "an unbound resource is used";
    /// A division or a remainder by zero; the result is that of the op table.
    DivisionByZero "U020" "division by zero";
    /// A shift by the width or more; the result is that of the op table.
    WideShift "U021" "a shift count is not less than the width";
    /// A bit field beyond the width; the result is that of the op table.
    WideField "U022" "a bit field exceeds the width";
    /// A component index out of range; the result is that of the op table.
    WrongComponent "U023" "a component index is out of range";
    /// A float outside of the integers that it is converted to; the result is that of the op table.
    WideConversion "U024" "a number is converted to an integer type that does not hold it";
    /// The bounds of a clamp or the edges of a step in the wrong order; the result is that of the op table.
    WrongBounds "U025" "the bounds of a clamp or the edges of a step are not in order";
    /// A block marked unreachable is reached; the invocation terminates.
    Unreachable "U030" "a block marked unreachable is reached";
    /// An assumption that does not hold.
    Assumption "U031" "an assumption does not hold";
    /// A derivative, or an operation of the quad, while an invocation of the quad is inactive; the result is
    /// undefined.
    PartialQuad "U040" "an invocation of the quad is inactive";
    /// A barrier that not every invocation of its group reaches together.
    PartialBarrier "U041" "a barrier is not reached by all invocations together";
    /// A value is requested from an inactive invocation; the result is undefined.
    InactiveInvocation "U042" "a value is requested from an inactive invocation";
    /// An operand that must be uniform is not; the value of the first invocation is used.
    NotUniform "U043" "an operand that must be uniform differs between invocations";
    /// Two invocations access the same bytes without synchronization, and at least one of them writes.
    Race "U050" "two invocations access the same memory without synchronization";
    /// The instruction limit is reached: the invocations stop at their current positions.
    Endless "U060" "the step limit is reached: the program may not terminate";
    /// The call depth limit is reached: the invocations terminate.
    DeepCalls "U061" "calls are nested deeper than the limit";
    /// A call exceeds the memory limit: the invocations terminate.
    OutOfMemory "U062" "a call needs more memory than the limit";
}

/// One kind of undefined behavior at one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Report {
    /// The kind.
    pub ub: UbKind,
    /// The function.
    pub func: Func,
    /// The instruction, the terminator of a block, or the block.
    pub at: Anchor,
    /// The first invocation affected.
    pub invocation: u64,
    /// Number of occurrences in all invocations.
    pub count: u64,
}

impl Report {
    /// The report as a diagnostic: a warning, since the run continued.
    pub fn diag(&self) -> Diag {
        let occurrences = format!("invocation {}, {} times in all", self.invocation, self.count);
        Diag::warning(self.ub.code(), self.at).says(self.ub.says()).says(format!("({occurrences})"))
    }
}

/// The reports of a run, each kind once for each instruction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reports {
    list: Vec<Report>,
    /// Number of reports that exceeded the capacity of the list.
    pub dropped: u64,
}

impl Reports {
    pub(super) fn add(&mut self, limit: u32, ub: UbKind, func: Func, at: Anchor, invocation: u64) {
        if let Some(known) = self.list.iter_mut().find(|known| known.ub == ub && known.at == at) {
            known.count += 1;
            return;
        }
        if self.list.len() < limit as usize {
            self.list.push(Report { ub, func, at, invocation, count: 1 });
        } else {
            self.dropped += 1;
        }
    }

    /// Adds the reports of another run; those about known places count there.
    pub(super) fn extend(&mut self, other: &Reports) {
        for report in &other.list {
            match self.list.iter_mut().find(|known| known.ub == report.ub && known.at == report.at) {
                Some(known) => known.count += report.count,
                None => self.list.push(*report),
            }
        }
        self.dropped += other.dropped;
    }

    /// The reports in the order in which they were found.
    pub fn list(&self) -> &[Report] {
        &self.list
    }

    /// Returns true if there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The first report of a kind, if there is one.
    pub fn find(&self, ub: UbKind) -> Option<&Report> {
        self.list.iter().find(|report| report.ub == ub)
    }

    /// The reports about an instruction.
    pub fn about(&self, func: Func, inst: Inst) -> impl Iterator<Item = &Report> + '_ {
        self.list.iter().filter(move |report| report.at == Anchor::Inst(func, inst))
    }
}
