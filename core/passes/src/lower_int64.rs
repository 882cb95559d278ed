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
//! Each operation splits its operands, works on halves, and combines the result; if one operation uses the result
//! of another, the halves are used directly. Additions propagate a carry, multiplications use three products,
//! shifts move bits between the halves, comparisons compare the high half first; division proceeds bit by bit.
//! Conversions between floats and 64-bit integers round once. The results are identical bit for bit, for any
//! number of components. A block parameter that receives a pair becomes two parameters.
//!
//! Afterwards there is no arithmetic on 64-bit integers, and no conversion from or to them.
//! `pack_64_2x32` and `unpack_64_2x32` remain where a value comes from or goes to other operations: loads and
//! stores, calls, constants, 64-bit floats, which this pass does not change. Conversions also remain if execution
//! modes flush subnormals or round towards zero. Run `copy-prop` and `dce` afterwards. `to-float` lowers only conversions
//! to floats of at most 32 bits.
//!
//! NIR: `nir_lower_int64`, and the splitting of phis in `nir_lower_bit_size`.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::arith::wide::{Half, by_pairs, is_done};
use crate::util::arith::{Arith, build};
use crate::util::open::in_order;
use crate::util::params::replace_param;
use crate::util::rewrite_each::{expand_all, rewrite_each};
use vitrine_analysis::FloatModes;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Bits, ConvertOp, Op, ValueType, VectorOp, Width};
use vitrine_ir::{Builder, Editor, Inst, InstData, Reason, Refusal};

options! {
    /// The arithmetic that is lowered.
    struct Lowered {
        choice arithmetic: Arithmetic {
            /// Lowers all of it.
            All "all",
            /// Only conversions to floats of at most 32 bits.
            ToFloat "to-float",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers 64-bit integer arithmetic to pairs of 32-bit integers.",
    options: Lowered::INFO,
    ..PassInfo::edits("lower-int64", opening!("lower_int64.rs"), |ed, cx| {
        lower_int64(ed, Lowered::of(cx.options).arithmetic)
    })
};

const WHY: Reason = Reason::Note("computed with pairs of 32 bits");

/// Maximum number of iterations over parameters; two usually suffice.
const MAX_ITERATIONS: usize = 64;

/// Lowers wide arithmetic to pairs. Linear in the size of the result; idempotent; both shapes.
fn lower_int64(ed: &mut Editor<'_>, arithmetic: Arithmetic) -> Result<(), Refusal> {
    let usual = FloatModes::of(ed.module()).are_usual();
    let is_selected = |ed: &Editor<'_>, data: &InstData| {
        let types: Vec<ValueType> = data.args.iter().map(|&arg| ed.func().ty(arg)).collect();
        let to_float =
            matches!(data.op, Op::Convert(ConvertOp::U2F | ConvertOp::I2F)) || is_float_operand(data.op);
        let is_wanted = match arithmetic {
            Arithmetic::All => true,
            Arithmetic::ToFloat => is_narrowing(data),
        };
        is_done(data.op, data.ty, &types) && (usual || !to_float) && is_wanted
    };
    let expand = |ed: &mut Editor<'_>, inst: Inst| build(ed, inst, WHY, lower);
    expand_all(ed, is_selected, expand, WHY)?;
    if arithmetic == Arithmetic::ToFloat {
        return Ok(());
    }
    // A parameter that becomes a pair makes others pairs, also around loops.
    for _ in 0..MAX_ITERATIONS {
        let before = ed.journal().len();
        params(ed)?;
        if ed.journal().len() == before {
            break;
        }
    }
    forward_pairs(ed)
}

/// Returns true for a conversion to a float of fewer than 64 bits. Only 64-bit integers are selected.
fn is_narrowing(data: &InstData) -> bool {
    matches!(data.op, Op::Convert(ConvertOp::U2F | ConvertOp::I2F)) && data.ty.width() != Some(Width::W64)
}

/// Replaces unpacking of a packed pair by the pair.
fn forward_pairs(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let pair = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        let &arg = data.args.first().filter(|_| data.op == Op::Vector(VectorOp::Unpack64To32))?;
        packed(ed, arg).filter(|&pair| pair != inst && !ed.func().inst(pair).args.contains(&inst))
    };
    rewrite_each(ed, pair, |ed, inst, pair| ed.replace(inst, pair, WHY))
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
        Half::Two(low, high) => pack(b, low, high),
    })
}

/// Returns true if the operands of an operation are floats, which are not split.
fn is_float_operand(op: Op) -> bool {
    matches!(op, Op::Convert(ConvertOp::F2U | ConvertOp::F2I | ConvertOp::F2USat | ConvertOp::F2ISat))
}

/// Returns the halves of a value: the ones that it was packed from, if known.
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

fn pack(b: &mut Builder<'_, '_>, low: Inst, high: Inst) -> Inst {
    let mut components = Vec::new();
    for (low, high) in b.split(low).into_iter().zip(b.split(high)) {
        let pair = b.join(&[low, high]);
        components.push(b.typed(VectorOp::Pack64From32.into(), ValueType::bits(Width::W64, 1), &[pair]));
    }
    b.join(&components)
}

/// Splits parameters that receive a pair.
fn params(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let pair = [ValueType::bits(Width::W32, 1); 2];
    for block in in_order(ed.func()) {
        for &param in ed.func().block(block).params.clone().iter() {
            if ed.func().ty(param) != ValueType::bits(Width::W64, 1) || !receives_pair(ed, block, param) {
                continue;
            }
            if !ed.consume_fuel() {
                return Ok(());
            }
            let split = |b: &mut Builder<'_, '_>, value| match halves(b, value) {
                Half::Two(low, high) => vec![low, high],
                Half::One(value) => vec![value],
            };
            let whole = |b: &mut Builder<'_, '_>, parts: &[Inst]| match *parts {
                [low, high] => pack(b, low, high),
                _ => param,
            };
            replace_param(ed, block, param, &pair, WHY, split, whole)?;
        }
    }
    Ok(())
}

fn receives_pair(ed: &Editor<'_>, block: vitrine_ir::Block, param: Inst) -> bool {
    let at = ed.func().block(block).params.iter().position(|&other| other == param);
    ed.incoming(block).into_iter().any(|edge| {
        let arg = at.zip(ed.edge_args(edge)).and_then(|(at, args)| args.get(at));
        arg.is_some_and(|&arg| packed(ed, arg).is_some())
    })
}
