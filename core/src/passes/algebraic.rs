//! `algebraic`: applies algebraic rewrite rules, each of which makes the code cheaper.
//!
//! ```text
//!   %1: b32 = const 8                       %1: b32 = const 8
//!   %2: b32 = imul %0, %1            =>     %4: b32 = const 3
//!   %3: b1 = igt %2, %0                     %2: b32 = ishl %0, %4
//!                                           %3: b1 = ilt %0, %2
//! ```
//!
//! A value keeps its id while it is computed otherwise; each event names its rule. What a rule leaves unread
//! goes at once, so the number of instructions never grows, constants aside. Readers of what changed are looked
//! at again. It ends because every rule is cheaper than what it replaces; the limit on steps is for a rule that
//! breaks that promise.
//!
//! When no rule fits any more, those that ask what is known of values have their turn (`not_negative(x)`, see the
//! analysis `range`), together with those that hold bit for bit: behind any other, what is known might not be true any
//! more. The analysis runs when the first rule asks that fits otherwise; where such a rule was applied, everything goes
//! round again, eight times at most. `plain` leaves these rules to `opt-range`, which has the analysis anyway.

use super::pass::{OptionInfo, PassInfo};
use crate::base::opening::opening;
use crate::passes::util::apply_rules::{by_rules, until_none_asks};
use crate::rules::Set;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Applies algebraic rewrite rules, each of which makes the code cheaper.",
    options: &[
        OptionInfo::Word("facts", "Includes rules that depend on value analysis."),
        OptionInfo::Word("plain", "Only rules without value analysis: `opt-range` applies the others."),
    ],
    ..PassInfo::edits("algebraic", opening!("algebraic.rs"), |ed, options| match options.word {
        "plain" => until_none_asks(ed, Set::Algebraic),
        _ => by_rules(ed, Set::Algebraic),
    })
};
