//! `algebraic-late`: applies rewrite rules for targets. Never run in one loop with `algebraic`.
//!
//! ```text
//!   %2: b32 = fmul contract %0, %1
//!   %3: b32 = fadd contract %2, %0            %3: b32 = ffma contract %0, %1, %0
//!   %4: b32 = const -2                  =>    %8: b32 = const 2
//!   %5: b32 = iadd %3, %4                     %5: b32 = isub %3, %8
//! ```
//!
//! Uses the same engine as `algebraic` with another set of rules: operations that targets execute as one
//! instruction (a product and a sum where one rounding is allowed, clamps, bit fields), and the form of two
//! equivalent ones that readers or targets prefer (subtraction instead of adding a negative, constants on the
//! right). The documentation of each rule states why it is correct; the number of instructions never grows.
//!
//! `algebraic` prefers the opposite forms, so the two undo each other: never put both into one `fix`.
//!
//! NIR: `nir_opt_algebraic_late`, with `nir_opt_peephole_ffma`.

use super::pass::PassInfo;
use crate::util::apply_rules::by_rules;
use vitrine_analysis::rules::Set;
use vitrine_ir::base::opening::opening;

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Applies rewrite rules for targets. Never run in one loop with `algebraic`.",
    ..PassInfo::edits("algebraic-late", opening!("algebraic_late.rs"), |ed, _| by_rules(ed, Set::Late))
};
