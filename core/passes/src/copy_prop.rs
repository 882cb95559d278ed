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
//! Three steps. First, copies (`mov`) are removed, and casts of paths to the type that the path had before. Second, a
//! parameter is removed if all edges pass one value, the parameter itself, or other parameters of the same kind:
//! solved for all parameters at once, from an optimistic start, so that parameters that only pass each other around a
//! loop are removed together. Third, swizzles, `vec`, `splat` and `extract` by a constant read the components of their
//! operands directly.
//!
//! In a tree a parameter is replaced by its source only where the source is visible: a value that leaves a node
//! leaves it through a parameter, and that parameter is kept.

use super::pass::PassInfo;
use crate::util::open::insts_in_order;
use crate::util::rewrite_each::rewrite_each;
use crate::util::single_source::{params, same_place};
use rustc_hash::FxHashMap;
use vitrine_analysis::Analyses;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::attr::{pack_components, unpack_component};
use vitrine_ir::ops::{BasicOp, DerefOp, Key, Op, ValueType, VectorOp};
use vitrine_ir::{Editor, Inst, InstData, Reason, Refusal};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Propagates copies, block parameters with a single source, and chains of swizzles.",
    ..PassInfo::edits("copy-prop", opening!("copy_prop.rs"), |ed, cx| copy_prop(ed, cx.analyses))
};

/// Maximum number of iterations over parameters and components. Each exposes copies to the other; two usually
/// suffice.
const MAX_ITERATIONS: usize = 16;

/// Propagates copies. Near-linear; idempotent; both shapes.
pub(super) fn copy_prop(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    copies(ed)?;
    casts(ed)?;
    for _ in 0..MAX_ITERATIONS {
        let before = ed.journal().len();
        params(ed, analyses)?;
        components(ed)?;
        if ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

fn copies(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let source = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        let &source = data.args.first().filter(|&&source| source != inst)?;
        // A copy of a path may have another type than the path itself.
        let is_same = || data.ty != ValueType::Path || same_place(ed, inst, source);
        (data.op == Op::Basic(BasicOp::Copy) && is_same()).then_some(source)
    };
    rewrite_each(ed, source, |ed, inst, source| {
        // Refused only in unreachable code, where two copies may copy each other.
        let _ = ed.replace(inst, source, Reason::Note("a copy equals its source"));
        Ok(())
    })
}

/// Shortens chains of casts of paths: one to the type that a path has is a copy, and of several only the last one
/// counts.
fn casts(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let is_cast = |data: &InstData| {
        data.op == Op::Deref(DerefOp::Cast) && !data.attrs.has(Key::Align) && !data.args.is_empty()
    };
    const WHY: Reason = Reason::Note("only the last cast of an address counts");
    let source = |ed: &Editor<'_>, inst: Inst| {
        let data = ed.func().inst(inst);
        // Casts before this one are shortened already.
        let near = *data.args.first().filter(|_| is_cast(data))?;
        let far = ed.func().inst(near);
        let source = if is_cast(far) { far.args[0] } else { near };
        let is_copy = ed.func().ty(source) == ValueType::Path && same_place(ed, inst, source);
        // SPIR-V has no instruction that changes both the type and the storage class.
        let mode = |path: Inst| ed.module().path_type(ed.func(), path).map(|at| at.mode);
        let is_chain = source != near && mode(source).is_some() && mode(source) == mode(inst);
        ((is_copy || is_chain) && source != inst).then_some((near, source, is_copy))
    };
    let mut passed = Vec::new();
    rewrite_each(ed, source, |ed, inst, (near, source, is_copy)| {
        if is_copy {
            // Refused only in unreachable code, as for copies.
            let _ = ed.replace(inst, source, WHY);
        } else {
            ed.set_arg(inst, 0, source, WHY)?;
        }
        if source != near {
            passed.push(near);
        }
        Ok(())
    })?;
    // An unused cast would keep its variable in memory.
    for cast in passed {
        if ed.block_of(cast).is_some() && ed.use_count(cast) == 0 {
            ed.erase(cast, WHY)?;
        }
    }
    Ok(())
}

/// Source of a component.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Component {
    of: Inst,
    at: u8,
}

fn components(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    // Operands come before their users, so one step reaches the original source.
    let mut known: FxHashMap<Inst, Vec<Component>> = FxHashMap::default();
    for inst in insts_in_order(ed.func()) {
        let Some(picked) = picked(ed, inst) else { continue };
        let original = |component: Component| {
            let source =
                known.get(&component.of).and_then(|components| components.get(usize::from(component.at)));
            source.copied().unwrap_or(component)
        };
        let sources: Vec<Component> = picked.iter().copied().map(original).collect();
        if !gather(ed, inst, &sources)? {
            // No single value at the original source, but perhaps among the operands.
            gather(ed, inst, &picked)?;
        }
        known.insert(inst, sources);
    }
    Ok(())
}

/// Returns the components of operands that make up a value, if it only moves components.
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

/// Rebuilds a value from these components in the shortest form, if that is shorter than its present form. Returns
/// true if the value now comes from one value or from whole ones.
fn gather(ed: &mut Editor<'_>, inst: Inst, components: &[Component]) -> Result<bool, Refusal> {
    const WHY: Reason = Reason::Note("its components come from this value");
    let Some(first) = components.first().copied() else { return Ok(false) };
    let data = ed.func().inst(inst);
    if components.iter().any(|component| component.of != first.of) {
        // A `vec` of whole values reads their sources directly if that needs no more operands.
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

/// Returns the whole values whose components, in order, are these.
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
