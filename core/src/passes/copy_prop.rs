//! `copy-prop`: propagates copies, block parameters with a single source, and chains of swizzles.
//!
//! ```text
//!   %2: b32x4 = mov %1                            goto ^2
//!   goto ^2(%2)                            =>   ^2:
//! ^2(%3: b32x4):                                  %4: b32x4 = swizzle %1.wzyx
//!   %4: b32x4 = swizzle %3.wzyx                   %5: b32 = swizzle %1.z
//!   %5: b32 = swizzle %4.y                        return %5
//!   return %5
//! ```
//!
//! Three steps. `mov` goes. A parameter goes if all edges bring one value, or the parameter itself, or others
//! of the same kind: found for all parameters at once, beginning with the best guess, so that parameters that
//! only bring each other round loops go together. Then swizzles, `vec`, `splat` and `extract` by a constant
//! look at what their operands are made of.
//!
//! In a tree a value is read through a parameter only where the tree shows it: what leaves a node leaves it
//! by a parameter, and stays there.

use super::pass::PassInfo;
use crate::base::opening::opening;
use crate::ir::{Editor, Inst, InstData, Reason, Refusal};
use crate::ops::attr::{pack_components, unpack_component};
use crate::ops::{BasicOp, Key, Op, ValueType, VectorOp};
use crate::passes::util::open::insts_in_order;
use crate::passes::util::single_source::{params, same_place};
use rustc_hash::FxHashMap;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Propagates copies, block parameters with a single source, and chains of swizzles.",
    ..PassInfo::edits("copy-prop", opening!("copy_prop.rs"), |ed, _| copy_prop(ed))
};

/// Rounds of parameters and components. Each shows the other values that are one; two rounds are the rule.
const MOST_ROUNDS: usize = 16;

/// Reads through copies. Near-linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn copy_prop(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    copies(ed)?;
    for _ in 0..MOST_ROUNDS {
        let before = ed.journal().len();
        params(ed)?;
        components(ed)?;
        if ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

fn copies(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for inst in insts_in_order(ed.func()) {
        let data = ed.func().inst(inst);
        if data.op != Op::Basic(BasicOp::Copy) || data.args.first() == Some(&inst) {
            continue;
        }
        let Some(&source) = data.args.first() else { continue };
        // A copy of a path may say another type than the path itself.
        if data.ty == ValueType::Path && !same_place(ed, inst, source) {
            continue;
        }
        if !ed.consume_fuel() {
            break;
        }
        // Refused only in code that nothing reaches, where two copies may copy each other.
        let _ = ed.replace(inst, source, Reason::Note("a copy equals its source"));
    }
    Ok(())
}

/// Where a component comes from.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Component {
    of: Inst,
    at: u8,
}

fn components(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    // Operands come before what reads them, so that one step further is all the way.
    let mut known: FxHashMap<Inst, Vec<Component>> = FxHashMap::default();
    for inst in insts_in_order(ed.func()) {
        let Some(picked) = picked(ed, inst) else { continue };
        let deeper = |component: Component| {
            let below =
                known.get(&component.of).and_then(|components| components.get(usize::from(component.at)));
            below.copied().unwrap_or(component)
        };
        let made_of: Vec<Component> = picked.iter().copied().map(deeper).collect();
        if !gather(ed, inst, &made_of)? {
            // Not one value at the far end, but perhaps right in front.
            gather(ed, inst, &picked)?;
        }
        known.insert(inst, made_of);
    }
    Ok(())
}

/// The components of operands that make up a value, if that is all it is.
fn picked(ed: &Editor<'_>, inst: Inst) -> Option<Vec<Component>> {
    let data = ed.func().inst(inst);
    let components_of =
        |arg: Inst| (0..ed.func().ty(arg).components()).map(move |at| Component { of: arg, at });
    let Op::Vector(op) = data.op else { return None };
    match op {
        VectorOp::Vec => Some(data.args.iter().flat_map(|&arg| components_of(arg)).collect()),
        VectorOp::Splat => {
            let of = *data.args.first()?;
            Some(vec![Component { of, at: 0 }; usize::from(data.ty.components())])
        }
        VectorOp::Swizzle | VectorOp::Shuffle => {
            let all: Vec<Component> = data.args.iter().flat_map(|&arg| components_of(arg)).collect();
            let packed = data.attrs.get(Key::Components)?;
            let pick = |at: u8| all.get(usize::from(unpack_component(packed, usize::from(at)))).copied();
            (0..data.ty.components()).map(pick).collect()
        }
        VectorOp::Extract => {
            let [of, index] = data.args[..] else { return None };
            let index = ed.bits_of(index)?.component(0).as_u64();
            let at = u8::try_from(index).ok().filter(|&at| at < ed.func().ty(of).components())?;
            Some(vec![Component { of, at }])
        }
        _ => None,
    }
}

/// Makes a value of these components in the shortest way there is, if that is shorter than how it is made. Whether
/// they come from one value, or it is made of whole ones now.
fn gather(ed: &mut Editor<'_>, inst: Inst, components: &[Component]) -> Result<bool, Refusal> {
    const WHY: Reason = Reason::Note("its components come from this value");
    let Some(first) = components.first().copied() else { return Ok(false) };
    let data = ed.func().inst(inst);
    if components.iter().any(|component| component.of != first.of) {
        // A `vec` of whole values reads through to what they are made of where that is not longer.
        let parts = parts(ed, components).filter(|parts| parts.len() <= data.args.len());
        let Some(parts) = parts.filter(|parts| parts[..] != data.args[..]) else { return Ok(false) };
        if data.op != Op::Vector(VectorOp::Vec) {
            return Ok(false);
        }
        let new = InstData::new(VectorOp::Vec, data.ty, &parts).flagged(data.flags);
        if !ed.consume_fuel() {
            return Ok(false);
        }
        ed.rewrite(inst, new, WHY)?;
        return Ok(true);
    }
    let source = ed.func().ty(first.of);
    if usize::from(source.components()) == components.len()
        && components.iter().zip(0..).all(|(component, at)| component.at == at)
    {
        if ed.consume_fuel() {
            ed.replace(inst, first.of, WHY)?;
        }
        return Ok(true);
    }
    let picks: Vec<u8> = components.iter().map(|component| component.at).collect();
    let new = if source.components() == 1 {
        InstData::new(VectorOp::Splat, data.ty, &[first.of])
    } else {
        InstData::new(VectorOp::Swizzle, data.ty, &[first.of]).with(Key::Components, pack_components(&picks))
    };
    let new = new.flagged(data.flags);
    if ed.consume_fuel() {
        ed.rewrite(inst, new, WHY)?;
    }
    Ok(true)
}

/// Whole values that have these components one after the other.
fn parts(ed: &Editor<'_>, components: &[Component]) -> Option<Vec<Inst>> {
    let mut parts = Vec::new();
    let mut rest = components;
    while let Some(&first) = rest.first() {
        let count = usize::from(ed.func().ty(first.of).components());
        let whole = rest
            .get(..count)?
            .iter()
            .zip(0..)
            .all(|(component, at)| *component == Component { of: first.of, at });
        if !whole {
            return None;
        }
        parts.push(first.of);
        rest = rest.get(count..)?;
    }
    Some(parts)
}
