//! `lower-int64`: lowers 64-bit integer arithmetic to pairs of 32-bit integers.
//!
//! ```text
//!                                             %3: b32x2 = unpack_64_2x32 %0
//!                                             %4: b32 = swizzle %3.x
//!   %2: b64 = iadd %0, %1              =>     …
//!                                             %16: b32x2 = vec %11, %15
//!                                             %2: b64 = pack_64_2x32 %16
//! ```
//!
//! Each operation takes its operands apart, works on halves, and puts the result together; where one reads the other,
//! nothing is put together and taken apart again. Sums carry, products are three, shifts cross from half to half,
//! comparisons look at the high half first; division is done bit by bit. Numbers become floats, and floats numbers,
//! with one rounding. Every value keeps its bits, for any number of components. A parameter of a block to which a pair is
//! brought becomes two parameters.
//!
//! Afterwards there is no arithmetic on integers of 64 bits, and no conversion from or to them. What stays are
//! `pack_64_2x32` and `unpack_64_2x32` where a value comes from or goes to somewhere else: loads and stores, calls,
//! constants, floats of 64 bits, which this does not touch. Conversions stay too where execution modes flush
//! subnormals or round towards zero. `copy-prop` and `dce` clean up.
//!
//! NIR: `nir_lower_int64`, and the splitting of phis in `nir_lower_bit_size`.

use super::pass::PassInfo;
use crate::analysis::FloatModes;
use crate::base::opening::opening;
use crate::ir::{Builder, Editor, Inst, InstData, Reason, Refusal};
use crate::ops::{Bits, ConvertOp, Op, ValueType, VectorOp, Width};
use crate::passes::util::arith::wide::{Half, by_pairs, is_done};
use crate::passes::util::arith::{Arith, build, expand_all};
use crate::passes::util::open::{in_order, insts_in_order};
use crate::passes::util::params::replace_param;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers 64-bit integer arithmetic to pairs of 32-bit integers.",
    ..PassInfo::edits("lower-int64", opening!("lower_int64.rs"), |ed, _| lower_int64(ed))
};

const WHY: Reason = Reason::Note("computed with pairs of 32 bits");

/// Rounds over parameters; two are the rule.
const MOST_ROUNDS: usize = 64;

/// Does wide arithmetic by pairs. Linear in what there is afterwards; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn lower_int64(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let usual = FloatModes::of(ed.module()).are_usual();
    let wants = |ed: &Editor<'_>, data: &InstData| {
        let types: Vec<ValueType> = data.args.iter().map(|&arg| ed.func().ty(arg)).collect();
        let to_float =
            matches!(data.op, Op::Convert(ConvertOp::U2F | ConvertOp::I2F | ConvertOp::F2U | ConvertOp::F2I));
        is_done(data.op, data.ty, &types) && (usual || !to_float)
    };
    let expand = |ed: &mut Editor<'_>, inst: Inst| build(ed, inst, WHY, lower);
    expand_all(ed, wants, expand, WHY)?;
    // One parameter that is a pair makes others pairs, round loops too.
    for _ in 0..MOST_ROUNDS {
        let before = ed.journal().len();
        params(ed)?;
        if ed.journal().len() == before {
            break;
        }
    }
    read_through(ed)
}

/// What was put together at the head of a block is read in halves.
fn read_through(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for inst in insts_in_order(ed.func()) {
        let data = ed.func().inst(inst);
        if data.op != Op::Vector(VectorOp::Unpack64To32) {
            continue;
        }
        let Some(pair) = data.args.first().and_then(|&arg| packed(ed, arg)) else { continue };
        if pair != inst && !ed.func().inst(pair).args.contains(&inst) && ed.consume_fuel() {
            ed.replace(inst, pair, WHY)?;
        }
    }
    Ok(())
}

fn lower(b: &mut Builder<'_, '_>, data: &InstData) -> Option<Inst> {
    let mut args = Vec::new();
    for &arg in data.args.iter() {
        let wide = b.width(arg) == Width::W64 && !is_float_operand(data.op);
        args.push(if wide { halves(b, arg) } else { Half::One(arg) });
    }
    let value = by_pairs(b, data.op, data.ty, &args)?;
    Some(match value {
        Half::One(value) => value,
        Half::Two(low, high) => together(b, low, high),
    })
}

/// Whether what an operation reads are floats, which are not taken apart.
fn is_float_operand(op: Op) -> bool {
    matches!(op, Op::Convert(ConvertOp::F2U | ConvertOp::F2I))
}

/// The halves of a value: what it was put together of, where that is in sight.
fn halves(b: &mut Builder<'_, '_>, value: Inst) -> Half<Inst> {
    if let Some(bits) = b.editor().bits_of(value) {
        let [low, high] = [0, 32].map(|shift| {
            let components: Vec<u64> = bits.components().iter().map(|component| component >> shift).collect();
            b.constant(Bits::from_components(Width::W32, &components))
        });
        return Half::Two(low, high);
    }
    let (mut lows, mut highs) = (Vec::new(), Vec::new());
    for component in b.split(value) {
        let pair = match packed(b.editor(), component) {
            Some(pair) => pair,
            None => b.typed(VectorOp::Unpack64To32.into(), ValueType::bits(Width::W32, 2), &[component]),
        };
        lows.push(b.pick(pair, &[0]));
        highs.push(b.pick(pair, &[1]));
    }
    Half::Two(b.join(&lows), b.join(&highs))
}

fn packed(ed: &Editor<'_>, value: Inst) -> Option<Inst> {
    let data = ed.func().inst(value);
    (data.op == Op::Vector(VectorOp::Pack64From32)).then(|| data.args.first().copied()).flatten()
}

fn together(b: &mut Builder<'_, '_>, low: Inst, high: Inst) -> Inst {
    let mut components = Vec::new();
    for (low, high) in b.split(low).into_iter().zip(b.split(high)) {
        let pair = b.join(&[low, high]);
        components.push(b.typed(VectorOp::Pack64From32.into(), ValueType::bits(Width::W64, 1), &[pair]));
    }
    b.join(&components)
}

/// Parameters to which a pair is brought become pairs.
fn params(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let pair = [ValueType::bits(Width::W32, 1); 2];
    for block in in_order(ed.func()) {
        for &param in ed.func().block(block).params.clone().iter() {
            if ed.func().ty(param) != ValueType::bits(Width::W64, 1) || !is_brought_pair(ed, block, param) {
                continue;
            }
            if !ed.consume_fuel() {
                return Ok(());
            }
            let apart = |b: &mut Builder<'_, '_>, value| match halves(b, value) {
                Half::Two(low, high) => vec![low, high],
                Half::One(value) => vec![value],
            };
            let whole = |b: &mut Builder<'_, '_>, parts: &[Inst]| match *parts {
                [low, high] => together(b, low, high),
                _ => param,
            };
            replace_param(ed, block, param, &pair, WHY, apart, whole)?;
        }
    }
    Ok(())
}

fn is_brought_pair(ed: &Editor<'_>, block: crate::ir::Block, param: Inst) -> bool {
    let at = ed.func().block(block).params.iter().position(|&other| other == param);
    ed.incoming(block).into_iter().any(|edge| {
        let arg = at.zip(ed.edge_args(edge)).and_then(|(at, args)| args.get(at));
        arg.is_some_and(|&arg| packed(ed, arg).is_some())
    })
}
