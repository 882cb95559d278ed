//! `lower-frexp`: extracts significands and exponents from the bits of floats.
//!
//! ```text
//!                                             %2: b32 = const 0x7f800000
//!   %1: b32 = ffrexp_sig %0            =>     %3: b32 = iand %0, %2
//!                                             …
//!                                             %1: b32 = select %9, %12, %11
//! ```
//!
//! For 16, 32 and 64 bits; subnormal numbers are normalized first by an exact product; zeros, infinities and NaN
//! give the results that `ffrexp_sig` and `ffrexp_exp` define. The results are identical bit for bit. Afterwards
//! none of the selected operations is left, unless execution modes flush subnormals or round towards zero: then
//! all are unchanged.
//!
//! NIR: `nir_lower_frexp`.

use super::options::PassOptions;
use super::pass::PassInfo;
use crate::util::arith::{build, parts};
use crate::util::open::may_have;
use crate::util::rewrite_each::expand_all;
use vitrine_analysis::FloatModes;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::Op;
use vitrine_ir::{Editor, Inst, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Extracts significands and exponents from the bits of floats.",
    options: parts::Expanded::INFO,
    may_apply: |body, options| {
        let group = parts::Expanded::of(options).group;
        may_have(body, |data| is_selected(data.op, group))
    },
    ..PassInfo::edits("lower-frexp", opening!("lower_frexp.rs"), |ed, cx| {
        lower_frexp(ed, parts::Expanded::of(cx.options).group)
    })
};

const WHY: Reason = Reason::Note("extracted from its bits");

/// Expands both. Linear; idempotent; both shapes.
pub(super) fn lower_frexp(ed: &mut Editor<'_>, group: parts::Group) -> Result<(), Refusal> {
    let usual = FloatModes::of(ed.module()).are_usual();
    let expand = |ed: &mut Editor<'_>, inst: Inst| {
        build(ed, inst, WHY, |b, data| parts::expand(b, data.op, &data.args))
    };
    expand_all(ed, |_, data| usual && is_selected(data.op, group), expand, WHY)
}

fn is_selected(op: Op, group: parts::Group) -> bool {
    parts::selected(group).any(|other| other == op)
}
