//! `opt-undef`: simplifies uses of undefined values, and removes stores of them.
//!
//! ```text
//!   %2: b32 = undef                           next(%3)
//!   %3: b32 = select %0, %1, %2       =>      …
//!   next(%3)                                ^4(%5: b32):
//!   …                                         return %1
//! ```
//!
//! An undefined value may be any value, and a different one at each use. So a `select` with one undefined
//! operand becomes the other operand. If some edges pass an undefined value to a parameter and all others pass
//! the same value, the parameter becomes that value, if it is available. A vector of undefined components is
//! undefined, and so is an operation whose result can be any value if one operand can: a sum, a difference, a
//! negation, a bit rearrangement. A plain store omits undefined components; a store without other components is
//! removed.
//!
//! The result is never less defined: the product of an undefined number and two is even, so it is unchanged. A
//! branch on an undefined condition is unchanged as well, because it is an error of the program that should
//! remain visible; so are selects between addresses.
//!
//! NIR: `nir_opt_undef`, and the undefined part of `nir_opt_remove_phis`.

use super::pass::PassInfo;
use crate::util::components::picks;
use crate::util::memory::is_plain;
use crate::util::open::in_order;
use vitrine_analysis::{Analyses, Dom};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, FloatOp, IntOp, Key, MemoryOp, Op, ValueType, VectorOp};
use vitrine_ir::{Block, Editor, InsertPoint, Inst, InstData, Reason, Refusal, Shape};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Simplifies uses of undefined values, and removes stores of them.",
    ..PassInfo::edits("opt-undef", opening!("opt_undef.rs"), |ed, cx| opt_undef(ed, cx.analyses))
};

/// The maximum number of iterations over the function: undefined loop-carried values are found in the next one.
const MAX_ITERATIONS: usize = 16;

const EITHER: Reason = Reason::Note("the other operand is undefined");
const OTHERS: Reason = Reason::Note("the other edges pass undefined values");
const NOTHING: Reason = Reason::Note("all of its operands are undefined");

/// Simplifies uses of undefined values. Near-linear; idempotent; both shapes.
pub(super) fn opt_undef(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let mut made = Vec::new();
    let dom = matches!(ed.func().shape(), Shape::Graph(_)).then(|| analyses.get::<Dom>(ed.module(), ed.id()));
    for _ in 0..MAX_ITERATIONS {
        let before = ed.journal().len();
        for block in in_order(ed.func()) {
            params(ed, dom.as_deref(), block, &mut made)?;
            for &inst in ed.func().block(block).insts.clone().iter() {
                in_block(ed, inst)?;
            }
        }
        if ed.journal().len() == before {
            break;
        }
    }
    // Undefined values that replaced parameters and are now unused.
    for inst in made.into_iter().filter(|&inst| is_undef(ed, inst) && ed.is_placed(inst)).collect::<Vec<_>>()
    {
        if ed.use_count(inst) == 0 {
            ed.erase(inst, NOTHING)?;
        }
    }
    Ok(())
}

fn is_undef(ed: &Editor<'_>, value: Inst) -> bool {
    let data = ed.func().inst(value);
    data.op == Op::Basic(BasicOp::Undef) && matches!(data.ty, ValueType::Bits { .. })
}

fn undef(ty: ValueType) -> InstData {
    InstData::new(BasicOp::Undef, ty, &[])
}

fn params(ed: &mut Editor<'_>, dom: Option<&Dom>, block: Block, made: &mut Vec<Inst>) -> Result<(), Refusal> {
    for at in (0..ed.func().block(block).params.len()).rev() {
        let Some(&param) = ed.func().block(block).params.get(at) else { continue };
        let Some(defined_argument) = defined_argument(ed, block, at, param) else { continue };
        let ty = ed.func().ty(param);
        if defined_argument.is_some_and(|value| !is_available(ed, dom, value, block)) || !ed.consume_fuel() {
            continue;
        }
        let why = if defined_argument.is_some() { OTHERS } else { NOTHING };
        if ed.use_count(param) > 0 {
            let value = match defined_argument {
                Some(value) => value,
                None => {
                    let value = ed.insert(InsertPoint::Start(block), undef(ty), NOTHING)?;
                    made.push(value);
                    value
                }
            };
            ed.replace_uses(param, value, why)?;
        }
        ed.remove_param(block, at, why)?;
    }
    Ok(())
}

/// The one defined value that edges pass to a parameter, if some edges pass an undefined one and all others
/// agree; the inner none stands for a parameter without any defined argument.
fn defined_argument(ed: &Editor<'_>, block: Block, at: usize, param: Inst) -> Option<Option<Inst>> {
    let (mut one, mut undefined) = (None, false);
    for edge in ed.incoming(block) {
        let &arg = ed.edge_args(edge)?.get(at)?;
        if is_undef(ed, arg) {
            undefined = true;
        } else if arg != param && one.replace(arg).is_some_and(|other| other != arg) {
            return None;
        }
    }
    undefined.then_some(one)
}

/// Returns true if a value is computed on every path to a block.
fn is_available(ed: &mut Editor<'_>, dom: Option<&Dom>, value: Inst, block: Block) -> bool {
    let Some(dom) = dom else { return ed.is_visible(value, InsertPoint::Start(block)) };
    let is_param = ed.func().inst(value).op == Op::Basic(BasicOp::Param);
    match ed.block_of(value) {
        Some(home) => dom.strictly_dominates(home, block) || (home == block && is_param),
        None => ed.is_placed(value),
    }
}

fn in_block(ed: &mut Editor<'_>, inst: Inst) -> Result<(), Refusal> {
    let data = ed.func().inst(inst);
    match (data.op, &data.args[..]) {
        (Op::Int(IntOp::Select | IntOp::Select1), &[cond, a, b]) => {
            let value = match [cond, a, b].map(|value| is_undef(ed, value)) {
                [_, true, _] => b,
                [_, _, true] | [true, ..] => a,
                [false, false, false] => return Ok(()),
            };
            // In unreachable code a value may be selected from itself.
            if value != inst && !ed.func().inst(value).args.contains(&inst) && ed.consume_fuel() {
                ed.replace(inst, value, EITHER)?;
            }
            Ok(())
        }
        (Op::Memory(MemoryOp::Store), &[_, value]) => store(ed, inst, value),
        _ => {
            let ty = data.ty;
            if !is_any_value(ed, data) || !ed.consume_fuel() {
                return Ok(());
            }
            ed.rewrite(inst, undef(ty), NOTHING)
        }
    }
}

/// Returns true if a value can be any value because its operands can.
fn is_any_value(ed: &Editor<'_>, data: &InstData) -> bool {
    let all = || !data.args.is_empty() && data.args.iter().all(|&arg| is_undef(ed, arg));
    match data.op {
        Op::Vector(op) => match op {
            VectorOp::Vec
            | VectorOp::Splat
            | VectorOp::Swizzle
            | VectorOp::Repack
            | VectorOp::Pack64From32
            | VectorOp::Unpack64To32
            | VectorOp::Pack64From16
            | VectorOp::Unpack64To16
            | VectorOp::Pack32From16
            | VectorOp::Unpack32To16
            | VectorOp::Pack32From8
            | VectorOp::Unpack32To8 => all(),
            VectorOp::Shuffle => picks_undef(ed, data),
            _ => false,
        },
        // For every value of the other operand, each result is possible.
        Op::Int(IntOp::IAdd | IntOp::ISub | IntOp::IXor) => data.args.iter().any(|&arg| is_undef(ed, arg)),
        Op::Int(IntOp::INeg | IntOp::INot | IntOp::BitRev) | Op::Float(FloatOp::FNeg) => all(),
        _ => false,
    }
}

fn picks_undef(ed: &Editor<'_>, data: &InstData) -> bool {
    let (Some(picks), &[a, b]) = (picks(data), &data.args[..]) else { return false };
    let first = ed.func().ty(a).components();
    picks.iter().all(|&at| is_undef(ed, if at < first { a } else { b }))
}

/// Omits undefined components of a store.
fn store(ed: &mut Editor<'_>, inst: Inst, value: Inst) -> Result<(), Refusal> {
    let data = ed.func().inst(inst).clone();
    let components = ed.func().ty(value).components();
    if !is_plain(&data) || !matches!(ed.func().ty(value), ValueType::Bits { .. }) {
        return Ok(());
    }
    let all = (1u64 << components) - 1;
    let old = data.attrs.get(Key::Mask).unwrap_or(all);
    let new = old & defined(ed, value);
    if new == old || !ed.consume_fuel() {
        return Ok(());
    }
    let why = Reason::Note("the stored value is undefined");
    if new == 0 {
        return ed.erase(inst, why);
    }
    let attrs = data.attrs.without(Key::Mask).with(Key::Mask, new);
    let data = InstData { attrs, ..data };
    ed.rewrite(inst, data, why)
}

/// The components of a value that are not known to be undefined: bit `i` is component `i`.
fn defined(ed: &Editor<'_>, value: Inst) -> u64 {
    let data = ed.func().inst(value);
    let whole = |value: Inst| {
        let ones = (1u64 << ed.func().ty(value).components()) - 1;
        if is_undef(ed, value) { 0 } else { ones }
    };
    if data.op != Op::Vector(VectorOp::Vec) {
        return whole(value);
    }
    let mut at = 0;
    data.args.iter().fold(0, |mask, &part| {
        let part_mask = whole(part) << at;
        at += ed.func().ty(part).components();
        mask | part_mask
    })
}
