//! Undefined behaviour, as data: what happened, at which instruction, to which lane.
//!
//! A run goes on after a report, with the value the doc of each flaw names, so that all of them are found.

use crate::ir::{Anchor, Diag, Func, Inst};

macro_rules! flaws {
    ($($(#[doc = $doc:literal])+ $variant:ident $code:literal $says:literal;)*) => {
        /// Kinds of undefined behaviour, and of runs that do not end well.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum UbKind { $($(#[doc = $doc])+ $variant,)* }

        impl UbKind {
            /// Every kind.
            pub const ALL: &'static [UbKind] = &[$(UbKind::$variant),*];

            /// A stable code.
            pub fn code(self) -> &'static str {
                [$($code),*][self as usize]
            }

            /// What happened, in words.
            pub fn says(self) -> &'static str {
                [$($says),*][self as usize]
            }
        }
    };
}

flaws! {
    /// A condition or selector nobody defined; taken as the bits that happen to be there, 0 at first.
    UndefControl "U001" "control flow depends on an undefined value";
    /// An undefined value becomes an output, or is written to a buffer or an image.
    UndefOutput "U002" "an undefined value is written where others see it";
    /// An address, an index or a coordinate nobody defined; the same.
    UndefAddress "U003" "an address depends on an undefined value";
    /// An access outside of its memory; reads give 0, writes do nothing.
    OutOfBounds "U010" "memory is accessed out of bounds";
    /// An access through the null pointer; the same.
    NullPointer "U011" "memory is accessed through a null pointer";
    /// A write to memory that is read-only; it does nothing.
    ReadOnly "U012" "read-only memory is written";
    /// A resource that nothing is bound to; reads give 0.
    Unbound "U013" "a resource is used that nothing is bound to";
    /// A division or a remainder by zero; gives what the operation's row says.
    DivisionByZero "U020" "a number is divided by zero";
    /// A shift by the width or more; gives what the operation's row says.
    WideShift "U021" "a shift is as wide as the number, or wider";
    /// A bit field that leaves its number; gives what the operation's row says.
    WideField "U022" "a bit field leaves its number";
    /// A lane of a vector that it does not have; gives what the operation's row says.
    WrongLane "U023" "a vector has no such lane";
    /// A place that cannot be reached is; the lane ends.
    Unreachable "U030" "a place marked unreachable is reached";
    /// An assumption that does not hold.
    Assumption "U031" "an assumption does not hold";
    /// A derivative, or an operation of the quad, where a lane of the quad does not take part; the lane's own
    /// value stands for it.
    PartialQuad "U040" "a lane of the quad does not take part";
    /// A barrier that not every lane of its group reaches together.
    PartialBarrier "U041" "a barrier is not reached by every lane together";
    /// A value is asked of a lane that does not take part; the lane's own value stands for it.
    InactiveLane "U042" "a value is asked of a lane that does not take part";
    /// An operand that must be the same for all lanes is not; the first lane's counts.
    NotUniform "U043" "an operand differs between lanes where it must not";
    /// Two lanes access the same bytes without order, at least one of them writing.
    Race "U050" "two lanes access the same memory without order";
    /// More instructions than the limit: the lanes stop where they are.
    Endless "U060" "the step limit is reached: it may never end";
    /// More calls inside each other than the limit: the lanes end.
    DeepCalls "U061" "calls are nested deeper than the limit";
    /// A call needs more memory than the limit: the lanes end.
    OutOfMemory "U062" "a call needs more memory than the limit";
}

/// One kind of undefined behaviour at one instruction.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Report {
    /// What happened.
    pub flaw: UbKind,
    /// The function.
    pub func: Func,
    /// The instruction, or the exit of a block, or the block.
    pub at: Anchor,
    /// The first invocation it happened to.
    pub invocation: u64,
    /// How often it happened, in all lanes together.
    pub count: u64,
}

impl Report {
    /// As a diagnostic: a warning, since the run went on.
    pub fn diag(&self) -> Diag {
        let lanes = format!("invocation {}, {} times in all", self.invocation, self.count);
        Diag::warning(self.flaw.code(), self.at).says(self.flaw.says()).says(format!("({lanes})"))
    }
}

/// Reports of a run, each kind once an instruction.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reports {
    list: Vec<Report>,
    /// Kinds at places that found no room in the list.
    pub dropped: u64,
}

impl Reports {
    pub(super) fn add(&mut self, limit: u32, flaw: UbKind, func: Func, at: Anchor, invocation: u64) {
        if let Some(known) = self.list.iter_mut().find(|known| known.flaw == flaw && known.at == at) {
            known.count += 1;
            return;
        }
        if self.list.len() < limit as usize {
            self.list.push(Report { flaw, func, at, invocation, count: 1 });
        } else {
            self.dropped += 1;
        }
    }

    /// The reports in the order in which they were found.
    pub fn list(&self) -> &[Report] {
        &self.list
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// The report of a kind, if there is one.
    pub fn find(&self, flaw: UbKind) -> Option<&Report> {
        self.list.iter().find(|report| report.flaw == flaw)
    }

    /// What is reported about an instruction.
    pub fn about(&self, func: Func, inst: Inst) -> impl Iterator<Item = &Report> + '_ {
        self.list.iter().filter(move |report| report.at == Anchor::Inst(func, inst))
    }
}
