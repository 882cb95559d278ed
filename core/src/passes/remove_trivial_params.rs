//! `remove-trivial-params`: removes block parameters that always have the same value.
//!
//! ```text
//!   branch %0, ^1(%1, %1, %u), ^1(%1, %2, %2)        branch %0, ^1(%1), ^1(%2)
//! ^1(%3: b32, %4: b32, %5: b32):               =>  ^1(%4: b32):
//!   …                                                … %1, %4, %2 …
//! ```
//!
//! A parameter is one value if all edges bring that value, the parameter itself, or something undefined, which may be
//! the value as well; and if all bring constants of the same bits, which one constant takes the place of. If all are
//! undefined, so is it. Two parameters of a block that get the same on every edge are one. Parameters that bring each
//! other round loops are found all at once, as in `copy-prop`.
//!
//! Left alone: parameters whose value is not in sight at their block: what leaves a node of a tree, or does not
//! dominate the block of a graph.
//!
//! NIR: `nir_opt_remove_phis`.

use super::pass::PassInfo;
use crate::analysis::{Cfg, Dom};
use crate::base::opening::opening;
use crate::ir::{Block, Editor, InsertPoint, Inst, Reason, Refusal, Shape};
use crate::ops::{BasicOp, Op, ValueType};
use crate::passes::util::open::{has_params, in_order};
use crate::passes::util::single_source::params as one_source;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Removes block parameters that always have the same value.",
    ..PassInfo::edits("remove-trivial-params", opening!("remove_trivial_params.rs"), |ed, _| {
        remove_trivial_params(ed)
    })
};

/// Rounds; each can show parameters of the next blocks to be one value.
const MOST_ROUNDS: usize = 16;

const ONE: Reason = Reason::Note("every edge passes the same value");
const SAME: Reason = Reason::Note("another parameter has the same arguments");

/// Removes parameters. Near-linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn remove_trivial_params(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    if !has_params(ed.func()) {
        return Ok(());
    }
    let dom = Dom::of(&Rc::new(Cfg::of(ed.func())));
    for _ in 0..MOST_ROUNDS {
        let before = ed.journal().len();
        one_source(ed)?;
        for block in in_order(ed.func()) {
            if dom.cfg().is_reachable(block) && !ed.func().block(block).params.is_empty() {
                undefined_or_constant(ed, &dom, block)?;
                twins(ed, block)?;
            }
        }
        if ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

/// What stands for a parameter.
enum Stands {
    /// A value that is there already.
    Value(Inst),
    /// A constant or something undefined like this one, made anew.
    Like(Inst),
}

/// Parameters that are one value but where nothing is defined, or the same constant everywhere.
fn undefined_or_constant(ed: &mut Editor<'_>, dom: &Dom, block: Block) -> Result<(), Refusal> {
    for at in (0..ed.func().block(block).params.len()).rev() {
        let Some(&param) = ed.func().block(block).params.get(at) else { continue };
        let Some(stands) = stands(ed, dom, block, at, param) else { continue };
        if !ed.consume_fuel() {
            return Ok(());
        }
        let value = match stands {
            Stands::Value(value) => value,
            Stands::Like(other) => {
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

fn stands(ed: &mut Editor<'_>, dom: &Dom, block: Block, at: usize, param: Inst) -> Option<Stands> {
    if !matches!(ed.func().ty(param), ValueType::Bits { .. }) {
        return None;
    }
    let is_undef = |ed: &Editor<'_>, value: Inst| ed.func().inst(value).op == Op::Basic(BasicOp::Undef);
    let (mut value, mut undef): (Option<Inst>, Option<Inst>) = (None, None);
    for edge in ed.incoming(block) {
        // Who is never there brings nothing.
        if !dom.cfg().is_reachable(edge.from) {
            continue;
        }
        let brought = *ed.edge_args(edge)?.get(at)?;
        match value {
            _ if brought == param => {}
            _ if is_undef(ed, brought) => undef = Some(brought),
            None => value = Some(brought),
            Some(known) if known == brought => {}
            Some(known) if ed.bits_of(known).is_some() && ed.bits_of(known) == ed.bits_of(brought) => {}
            Some(_) => return None,
        }
    }
    match value {
        Some(value) if ed.bits_of(value).is_some() => Some(Stands::Like(value)),
        // What is brought everywhere alike is the business of `one_source`.
        Some(value) => is_in_sight(ed, dom, value, block).then_some(Stands::Value(value)),
        None => undef.map(Stands::Like),
    }
}

/// Whether a value may be read at the beginning of a block.
fn is_in_sight(ed: &mut Editor<'_>, dom: &Dom, value: Inst, block: Block) -> bool {
    match ed.func().shape() {
        Shape::Tree(_) => ed.is_visible(value, InsertPoint::Start(block)),
        Shape::Graph(_) => match ed.block_of(value) {
            Some(home) => dom.strictly_dominates(home, block),
            None => ed.is_placed(value),
        },
        Shape::Declaration => false,
    }
}

/// Parameters that get on every edge what one before them gets.
fn twins(ed: &mut Editor<'_>, block: Block) -> Result<(), Refusal> {
    let edges = ed.incoming(block);
    let params = ed.func().block(block).params.clone();
    if params.len() < 2 || edges.is_empty() {
        return Ok(());
    }
    let mut first: FxHashMap<Vec<Inst>, Inst> = FxHashMap::default();
    let mut same = Vec::new();
    for (at, &param) in params.iter().enumerate() {
        let brought = edges.iter().map(|&edge| {
            let value = ed.edge_args(edge)?.get(at).copied()?;
            // One that is brought to itself is not what another is brought to itself.
            Some(value).filter(|&value| value != param)
        });
        let Some(brought) = brought.collect::<Option<Vec<Inst>>>() else { continue };
        match first.get(&brought) {
            Some(&other) if ed.func().inst(other) == ed.func().inst(param) => same.push((at, param, other)),
            Some(_) => {}
            None => {
                first.insert(brought, param);
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
