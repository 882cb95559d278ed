//! `algebraic`: applies algebraic rewrite rules, each of which makes the code cheaper.
//!
//! ```text
//!   %1: b32 = const 8                       %1: b32 = const 8
//!   %2: b32 = imul %0, %1            =>     %4: b32 = const 3
//!   %3: b1 = igt %2, %0                     %2: b32 = ishl %0, %4
//!                                           %3: b1 = ilt %0, %2
//! ```
//!
//! A rewritten value keeps its id, and each event names its rule. Instructions that a rule leaves unused are
//! removed at once, so the number of instructions never grows, constants aside. Users of a changed value are
//! revisited. The pass terminates because every rule produces code cheaper than the code it replaces; the limit on
//! steps guards against a rule that violates this.
//!
//! When no more rules apply, the rules that depend on value analysis run (`not_negative(x)`, see the analysis
//! `range`), together with those that preserve every bit: after any other rewrite the results of the analysis
//! might no longer hold. The analysis runs when the first otherwise matching rule queries it. If such a rule was
//! applied, the whole process repeats, at most eight times. `plain` leaves these rules to `opt-range`, which
//! computes the analysis anyway.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::apply_rules::{by_rules, until_none_asks};
use vitrine_analysis::rules::Set;
use vitrine_ir::base::opening::opening;

options! {
    /// The rules that are applied.
    struct Applied {
        choice rules: Rules {
            /// Includes rules that depend on value analysis.
            Facts "facts",
            /// Only rules without value analysis: `opt-range` applies the others.
            Plain "plain",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Applies algebraic rewrite rules, each of which makes the code cheaper.",
    options: Applied::INFO,
    ..PassInfo::edits("algebraic", opening!("algebraic.rs"), |ed, cx| match Applied::of(cx.options).rules {
        Rules::Facts => by_rules(ed, Set::Algebraic),
        Rules::Plain => until_none_asks(ed, Set::Algebraic),
    })
};
