//! Undefined behavior of an input: the one place that decides what it says about a comparison.
//!
//! | behavior of the input | consequence |
//! |---|---|
//! | control flow or an address depends on an undefined value, an unreachable block is reached, an assumption does not hold, a race | the trial is inconclusive |
//! | an access out of bounds, through a null pointer, to read-only memory or to an unbound resource | a difference is not blamed on a pass |
//! | a division by zero, a shift or a bit field beyond the width, a component out of range | a difference is not blamed on a pass |
//! | a float beyond the integers that it is converted to, bounds of a clamp or edges of a step out of order | a difference of another program is not blamed on it; a pass keeps what the op table says |
//! | an inactive invocation of a quad, of a subgroup or at a barrier; an operand that is not uniform | a difference is not blamed on a pass |
//! | an undefined value is written | the value may be anything, all else counts |
//! | the step limit, the depth of calls or the memory is exceeded | the trial is inconclusive |
//!
//! `check`, `bisect`, `reduce`, `compare` and the reports of a finding use this list. A trial whose difference is not blamed is
//! inconclusive from then on: *undefined in the input*, with the instruction and the trial.
//!
//! Refuses to follow undefined behavior to the values that depend on it: any difference after it is excused.

use std::fmt;
use vitrine_interp::{Outcome, Report, UbKind};
use vitrine_ir::{Anchor, Diag};

/// The consequence of undefined behavior of the input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Consequence {
    /// The trial is inconclusive, because the rest of the run depends on it.
    Trial,
    /// The trial is inconclusive if its results differ.
    Difference,
    /// The trial is inconclusive if the results of another program differ, as those of another compiler may; passes keep the
    /// result of the op table.
    Program,
    /// Only the value itself is undefined: the comparison ignores it.
    Value,
    /// The run is incomplete, and so the trial is inconclusive.
    End,
}

/// The consequence of a kind of undefined behavior of the input.
pub fn consequence(ub: UbKind) -> Consequence {
    match ub {
        UbKind::UndefControl
        | UbKind::UndefAddress
        | UbKind::Unreachable
        | UbKind::Assumption
        | UbKind::Race => Consequence::Trial,
        UbKind::OutOfBounds
        | UbKind::NullPointer
        | UbKind::ReadOnly
        | UbKind::Unbound
        | UbKind::DivisionByZero
        | UbKind::WideShift
        | UbKind::WideField
        | UbKind::WrongComponent
        | UbKind::PartialQuad
        | UbKind::PartialBarrier
        | UbKind::InactiveInvocation
        | UbKind::NotUniform => Consequence::Difference,
        UbKind::WideConversion | UbKind::WrongBounds => Consequence::Program,
        UbKind::UndefOutput => Consequence::Value,
        UbKind::Endless | UbKind::DeepCalls | UbKind::OutOfMemory => Consequence::End,
    }
}

/// The reason why a trial is inconclusive.
#[derive(Clone, PartialEq, Debug)]
pub enum Inconclusive {
    /// The input cannot be run.
    Refused(Diag),
    /// The input does not terminate within the limits.
    Endless,
    /// The behavior of the input is undefined, first at this place.
    Undefined(Report),
}

impl fmt::Display for Inconclusive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Inconclusive::Refused(why) => f.write_str(&why.message()),
            Inconclusive::Endless => f.write_str("the input does not terminate"),
            Inconclusive::Undefined(report) => {
                let (ub, invocation) = (report.ub, report.invocation);
                write!(f, "undefined in the input: {}: {}", ub.code(), ub.says())?;
                place(f, report.at)?;
                write!(f, ", invocation {invocation}")
            }
        }
    }
}

/// The place of a report in words.
fn place(f: &mut fmt::Formatter<'_>, at: Anchor) -> fmt::Result {
    match at {
        Anchor::Inst(func, inst) => write!(f, " at {inst} of {func}"),
        Anchor::Block(func, block) => write!(f, " at {block} of {func}"),
        Anchor::Terminator(func, block) => write!(f, " at the end of {block} of {func}"),
        Anchor::Module
        | Anchor::Struct(_)
        | Anchor::Member(..)
        | Anchor::Global(_)
        | Anchor::Var(_)
        | Anchor::Entry(_)
        | Anchor::Func(_)
        | Anchor::Reg(..)
        | Anchor::Arg(..)
        | Anchor::TerminatorArg(..)
        | Anchor::Node(..)
        | Anchor::Span(..)
        | Anchor::Word(_) => Ok(()),
    }
}

/// The reason why an outcome of the input is inconclusive before it is compared, if it is.
pub fn inconclusive_of(outcome: &Outcome) -> Option<Inconclusive> {
    match first(outcome, &[Consequence::Trial]) {
        Some(report) => Some(Inconclusive::Undefined(report)),
        None => (!outcome.is_complete()).then_some(Inconclusive::Endless),
    }
}

/// The undefined behavior of an outcome of the input that excuses a difference after a pass, if there is any.
pub fn excuse_of(outcome: &Outcome) -> Option<Inconclusive> {
    first(outcome, &[Consequence::Trial, Consequence::Difference]).map(Inconclusive::Undefined)
}

/// The undefined behavior of an outcome of the first program that excuses a difference of another one, if there is any.
pub fn excuse_of_program(outcome: &Outcome) -> Option<Inconclusive> {
    first(outcome, &[Consequence::Trial, Consequence::Difference, Consequence::Program])
        .map(Inconclusive::Undefined)
}

fn first(outcome: &Outcome, wanted: &[Consequence]) -> Option<Report> {
    outcome.reports.list().iter().find(|report| wanted.contains(&consequence(report.ub))).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bisect::Bisector;
    use crate::check::{Checker, Tolerance, Verdict, trials};
    use vitrine_ir::Module;
    use vitrine_pipeline::{Pipeline, Settings};
    use vitrine_text::parse;

    /// A kernel that writes `%8`, which its body computes from `%2`, a number that is not 0.
    fn program(body: &str) -> Module {
        let text = format!(
            "
struct #0 {{block}} {{
  all: [u32 * 64 step 4] {{offset 0}}
}}

storage $1: #0 {{set 0, binding 0}}

entry compute \"main\" @0 () {{local_size 1 1 1}}

func @0() tree {{
  local $2: [u32 * 2]
^0:
  %0: b32 = io.builtin {{builtin local_invocation_index}}
  %1: b32 = mov %0
  %3: b32 = const 64
  %2: b32 = iadd %1, %3
{body}
  %9: path = deref.var $1
  %10: path = deref.field %9.0
  %11: path = deref.elem %10, %1
  store %11, %8
  return
}}
"
        );
        let parsed = parse(&text);
        assert!(parsed.diags.is_empty(), "{:?}", parsed.diags);
        assert!(
            vitrine_analysis::validate::validate(&parsed.module).is_empty(),
            "{:?}",
            vitrine_analysis::validate::validate(&parsed.module)
        );
        parsed.module
    }

    const OUT_OF_BOUNDS: &str = "
  %4: path = deref.var $2
  %5: path = deref.elem %4, %2
  store %5, %2
  %8: b32 = load %5";
    const DIVISION: &str = "
  %4: b32 = const 0
  %5: b32 = imul %2, %4
  %6: b32 = udiv %2, %5
  %8: b32 = iadd %2, %6";
    const SHIFT: &str = "
  %6: b32 = ishl %2, %2
  %8: b32 = iadd %2, %6";
    const DEFINED: &str = "
  %8: b32 = iadd %2, %2";

    fn checked(module: &Module, pipeline: &str) -> (Vec<Verdict>, Vec<String>, bool) {
        let trace = Pipeline::parse(pipeline).unwrap().trace(module, Settings::default());
        let trials = trials(module, 0, 2);
        let mut checker = Checker::new(&trace, &trials, Tolerance::default());
        while checker.step() {}
        let mut bisector = Bisector::new(&trace, usize::MAX, &trials, Tolerance::default());
        while bisector.step() {}
        let why = checker.inconclusive().map(|(_, why)| why.to_string()).collect();
        assert_eq!(bisector.found().is_some(), checker.first_wrong().is_some(), "both have one judge");
        (checker.verdicts().to_vec(), why, bisector.is_open())
    }

    #[test]
    fn undefined_behavior_of_the_input_is_not_blamed_on_a_pass() {
        let (verdicts, why, open) = checked(&program(OUT_OF_BOUNDS), "copy-prop-vars");
        assert_eq!((&verdicts[..], open), (&[Verdict::Open][..], true));
        assert_eq!(why.len(), 2);
        assert!(
            why[0].starts_with("undefined in the input: U010: memory is accessed out of bounds at %"),
            "{why:?}"
        );
        for (body, code) in [(DIVISION, "U020"), (SHIFT, "U021")] {
            let (verdicts, why, open) = checked(&program(body), "wrong-sum{at=2}");
            assert_eq!((&verdicts[..], open), (&[Verdict::Open][..], true), "{code}");
            assert!(why[0].contains(code), "{why:?}");
        }
    }

    #[test]
    fn a_wrong_pass_is_blamed_for_a_defined_input() {
        let (verdicts, why, open) = checked(&program(DEFINED), "wrong-sum{at=2}");
        assert!(matches!(verdicts[..], [Verdict::Differs { .. }]), "{verdicts:?}");
        assert!(why.is_empty() && !open);
        let (verdicts, why, _) = checked(&program(OUT_OF_BOUNDS), "dce");
        assert!(
            verdicts.iter().all(|verdict| !verdict.is_wrong()) && why.is_empty(),
            "equal results need no excuse"
        );
    }

    #[test]
    fn every_kind_has_a_consequence() {
        let of =
            |wanted: Consequence| UbKind::ALL.iter().filter(move |&&ub| consequence(ub) == wanted).count();
        let all = [Consequence::Trial, Consequence::Difference, Consequence::Value, Consequence::End].map(of);
        assert_eq!(all, [5, 12, 1, 3]);
    }
}
