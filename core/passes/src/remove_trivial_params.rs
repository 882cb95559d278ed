//! `remove-trivial-params`: removes block parameters that always have the same value.
//!
//! ```text
//!   branch %0, ^1(%1, %1, %u), ^1(%1, %2, %2)        branch %0, ^1(%1), ^1(%2)
//! ^1(%3: b32, %4: b32, %5: b32):               =>  ^1(%4: b32):
//!   …                                                … %1, %4, %2 …
//! ```
//!
//! A parameter has a single value if every edge passes that value, the parameter itself, or an undefined value;
//! or if all edges pass constants with equal bits, which are then replaced by one constant. If all arguments
//! are undefined, so is the parameter. Two parameters of a block with the same argument on every edge are
//! merged. Cycles of parameters in loops are resolved together, as in `copy-prop`.
//!
//! Unchanged: parameters whose value is not visible at their block: it is inside a node of a tree, or does not
//! dominate the block of a graph.
//!
//! NIR: `nir_opt_remove_phis`.

use super::pass::PassInfo;
use crate::util::open::{has_params, in_order};
use crate::util::single_source::params as one_source;
use rustc_hash::FxHashMap;
use vitrine_analysis::{Analyses, Dom};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, Op, ValueType};
use vitrine_ir::{Block, Editor, InsertPoint, Inst, Reason, Refusal, Shape};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Removes block parameters that always have the same value.",
    ..PassInfo::edits("remove-trivial-params", opening!("remove_trivial_params.rs"), |ed, cx| {
        remove_trivial_params(ed, cx.analyses)
    })
};

/// The maximum number of iterations; each can simplify the parameters of further blocks.
const MAX_ITERATIONS: usize = 16;

const ONE: Reason = Reason::Note("every edge passes the same value");
const SAME: Reason = Reason::Note("another parameter has the same arguments");

/// Removes parameters. Near-linear; idempotent; both shapes.
pub(super) fn remove_trivial_params(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    if !has_params(ed.func()) {
        return Ok(());
    }
    let dom = analyses.get::<Dom>(ed.module(), ed.id());
    for _ in 0..MAX_ITERATIONS {
        let before = ed.journal().len();
        one_source(ed, analyses)?;
        for block in in_order(ed.func()) {
            if dom.cfg().is_reachable(block) && !ed.func().block(block).params.is_empty() {
                undefined_or_constant(ed, &dom, block)?;
                duplicates(ed, block)?;
            }
        }
        if ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

/// The replacement of a parameter.
enum Replacement {
    /// An existing value.
    Value(Inst),
    /// A new copy of this constant or undefined value.
    Like(Inst),
}

/// Removes parameters whose arguments are all undefined except for one value, or are equal constants.
fn undefined_or_constant(ed: &mut Editor<'_>, dom: &Dom, block: Block) -> Result<(), Refusal> {
    for at in (0..ed.func().block(block).params.len()).rev() {
        let Some(&param) = ed.func().block(block).params.get(at) else { continue };
        let Some(replacement) = replacement(ed, dom, block, at, param) else { continue };
        if !ed.consume_fuel() {
            return Ok(());
        }
        let value = match replacement {
            Replacement::Value(value) => value,
            Replacement::Like(other) => {
                let data = ed.func().inst(other).clone();
                ed.insert(InsertPoint::Start(block), data, ONE)?
            }
        };
        if ed.use_count(param) > 0 {
            ed.replace_uses(param, value, ONE)?;
        }
        ed.remove_param(block, at, ONE)?;
    }
    Ok(())
}

fn replacement(ed: &mut Editor<'_>, dom: &Dom, block: Block, at: usize, param: Inst) -> Option<Replacement> {
    if !matches!(ed.func().ty(param), ValueType::Bits { .. }) {
        return None;
    }
    let is_undef = |ed: &Editor<'_>, value: Inst| ed.func().inst(value).op == Op::Basic(BasicOp::Undef);
    let (mut value, mut undef): (Option<Inst>, Option<Inst>) = (None, None);
    for edge in ed.incoming(block) {
        // An unreachable edge does not count.
        if !dom.cfg().is_reachable(edge.from) {
            continue;
        }
        let arg = *ed.edge_args(edge)?.get(at)?;
        match value {
            _ if arg == param => {}
            _ if is_undef(ed, arg) => undef = Some(arg),
            None => value = Some(arg),
            Some(known) if known == arg => {}
            Some(known) if ed.bits_of(known).is_some() && ed.bits_of(known) == ed.bits_of(arg) => {}
            Some(_) => return None,
        }
    }
    match value {
        Some(value) if ed.bits_of(value).is_some() => Some(Replacement::Like(value)),
        // Identical arguments on all edges are handled by `one_source`.
        Some(value) => is_visible_at(ed, dom, value, block).then_some(Replacement::Value(value)),
        None => undef.map(Replacement::Like),
    }
}

/// Returns true if a value may be used at the start of a block.
fn is_visible_at(ed: &mut Editor<'_>, dom: &Dom, value: Inst, block: Block) -> bool {
    match ed.func().shape() {
        Shape::Tree(_) => ed.is_visible(value, InsertPoint::Start(block)),
        Shape::Graph(_) => match ed.block_of(value) {
            Some(home) => dom.strictly_dominates(home, block),
            None => ed.is_placed(value),
        },
        Shape::Declaration => false,
    }
}

/// Merges parameters with the same arguments as an earlier one on every edge.
fn duplicates(ed: &mut Editor<'_>, block: Block) -> Result<(), Refusal> {
    let edges = ed.incoming(block);
    let params = ed.func().block(block).params.clone();
    if params.len() < 2 || edges.is_empty() {
        return Ok(());
    }
    let mut first: FxHashMap<Vec<Inst>, Inst> = FxHashMap::default();
    let mut same = Vec::new();
    for (at, &param) in params.iter().enumerate() {
        let args = edges.iter().map(|&edge| {
            let value = ed.edge_args(edge)?.get(at).copied()?;
            // A parameter that is passed to itself differs from another one that is passed to itself.
            Some(value).filter(|&value| value != param)
        });
        let Some(args) = args.collect::<Option<Vec<Inst>>>() else { continue };
        match first.get(&args) {
            Some(&other) if ed.func().inst(other) == ed.func().inst(param) => same.push((at, param, other)),
            Some(_) => {}
            None => {
                first.insert(args, param);
            }
        }
    }
    for (at, param, other) in same.into_iter().rev() {
        if !ed.consume_fuel() {
            return Ok(());
        }
        if ed.use_count(param) > 0 {
            ed.replace_uses(param, other, SAME)?;
        }
        ed.remove_param(block, at, SAME)?;
    }
    Ok(())
}
