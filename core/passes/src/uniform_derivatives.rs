//! `uniform-derivatives`: moves derivatives up to uniform control flow.
//!
//! ```text
//!   if !0 %divergent {                        %9: b32x2 = ddx %uv
//!   ^1:                                       %10: b32x2 = ddy %uv
//!     %5: b32x4 = tex.sample %3, %uv    =>    if !0 %divergent {
//!     …                                       ^1:
//!                                               %5: b32x4 = tex.sample_lod %3, %uv, %9, %10
//! ```
//!
//! A derivative is undefined if an invocation of the quad is elsewhere, and WGSL does not accept one there. It moves to
//! the outermost block at which no invocation is elsewhere (see the analysis `divergence`) and its operand can be
//! computed: the operand moves, too. A lookup with an implicit level of detail stays, and takes the derivatives of its
//! coordinate as gradients, which select the same level. The invocations at the new place include those at the old one, so
//! a result that was defined is the same.
//!
//! Operands move if they may be computed speculatively: pure instructions, and loads of inputs, uniform buffers and push
//! constants at constant indices.
//!
//! Unchanged: lookups that compare, have a bias, or are of one dimension, as some targets have no gradients for them; sparse
//! lookups; derivatives whose operand needs more than 256 instructions to move, or depends on other memory or on a
//! parameter of a block in divergent control flow; and derivatives at the top of a function that is called in divergent
//! control flow: run `inline-functions` before.

use super::pass::PassInfo;
use crate::util::image_operands::{Roles, dim, plane};
use crate::util::memory::is_volatile;
use crate::util::open::{in_order, may_have};
use crate::util::scopes::Scopes;
use crate::util::speculate::may_speculate;
use std::rc::Rc;
use vitrine_analysis::{Analyses, Divergence};
use vitrine_ir::base::EntitySet;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, DerefOp, Dim, GroupOp, Key, MemoryOp, Op, Role, TexOp};
use vitrine_ir::{Block, Editor, InsertPoint, Inst, InstData, Mode, Reason, Refusal, Stage, Var};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Moves derivatives up to uniform control flow.",
    stages: &[Stage::Fragment, Stage::Compute],
    may_apply: |body, _| may_have(body, |data| is_derivative(data.op)),
    ..PassInfo::edits("uniform-derivatives", opening!("uniform_derivatives.rs"), |ed, cx| {
        uniform_derivatives(ed, cx.analyses)
    })
};

const MOVED: Reason = Reason::Note("a derivative is defined in uniform control flow only");

/// The maximum number of instructions that move with a derivative.
const MAX_CHAIN: usize = 256;

/// The maximum number of steps of a path.
const MAX_STEPS: usize = 64;

/// Moves derivatives. `O(derivatives · depth)`, apart from the operands that move; idempotent; both shapes.
fn uniform_derivatives(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let scopes = Scopes::of(ed, analyses);
    let may_move = |block: &Block| {
        let mut insts = ed.func().block(*block).insts.iter();
        scopes.above(*block).is_some() && insts.any(|&inst| derived(ed, inst).is_some())
    };
    let blocks: Vec<Block> = in_order(ed.func()).into_iter().filter(may_move).collect();
    if blocks.is_empty() {
        return Ok(());
    }
    let divergence = analyses.get::<Divergence>(ed.module(), ed.id());
    for block in blocks {
        if !divergence.is_partial(block) {
            continue;
        }
        let uniform = uniform_above(&divergence, &scopes, block);
        for inst in ed.func().block(block).insts.clone().iter().copied() {
            let Some(operand) = derived(ed, inst) else { continue };
            let found = uniform.iter().find_map(|&up| Some((up, chain(ed, operand, up)?)));
            let Some((up, chain)) = found else { continue };
            if !ed.consume_fuel() {
                return Ok(());
            }
            for step in chain {
                ed.move_to(step, InsertPoint::End(up), MOVED)?;
            }
            match ed.func().inst(inst).op {
                Op::Tex(_) => by_gradients(ed, inst, up)?,
                _ => ed.move_to(inst, InsertPoint::End(up), MOVED)?,
            }
        }
    }
    Ok(())
}

/// The uniform blocks above a block, the outermost first.
fn uniform_above(divergence: &Rc<Divergence>, scopes: &Scopes, block: Block) -> Vec<Block> {
    let above = std::iter::successors(scopes.above(block), |&up| scopes.above(up));
    let mut found: Vec<Block> = above.filter(|&up| !divergence.is_partial(up)).collect();
    found.reverse();
    found
}

/// Returns true for an operation that computes derivatives.
fn is_derivative(op: Op) -> bool {
    matches!(op, Op::Group(GroupOp::Ddx | GroupOp::Ddy | GroupOp::Fwidth) | Op::Tex(TexOp::Sample))
}

/// The value whose derivative an instruction computes, if it can be computed elsewhere. `None` unless [`is_derivative`].
fn derived(ed: &Editor<'_>, inst: Inst) -> Option<Inst> {
    let data = ed.func().inst(inst);
    match data.op {
        Op::Group(GroupOp::Ddx | GroupOp::Ddy | GroupOp::Fwidth) => data.args.first().copied(),
        Op::Tex(TexOp::Sample) => {
            let roles = Roles::of(data)?;
            let has_gradients = matches!(dim(data), Some(Dim::D2 | Dim::D3 | Dim::Cube));
            let is_plain = !data.attrs.has(Key::Shadow) && !data.attrs.has(Key::Sparse);
            let others = [Role::Bias, Role::Projector, Role::MinLod];
            let is_moved = has_gradients && is_plain && !others.iter().any(|&role| roles.has(role));
            roles.get(Role::Coord).filter(|_| is_moved)
        }
        _ => None,
    }
}

/// The instructions that have to move to the end of a block so that a value is known there, each after its operands. `None`
/// if one of them cannot move.
fn chain(ed: &mut Editor<'_>, value: Inst, to: Block) -> Option<Vec<Inst>> {
    let end = InsertPoint::End(to);
    let mut seen: EntitySet<Inst> = EntitySet::new();
    let mut found = Vec::new();
    let mut work = vec![(value, false)];
    while let Some((at, operands_done)) = work.pop() {
        if operands_done {
            found.push(at);
            continue;
        }
        if ed.is_visible(at, end) || !seen.insert(at) {
            continue;
        }
        if found.len() + work.len() > MAX_CHAIN || !is_movable(ed, ed.func().inst(at)) {
            return None;
        }
        work.push((at, true));
        work.extend(ed.func().inst(at).args.iter().map(|&arg| (arg, false)));
    }
    Some(found)
}

/// Returns true if an instruction computes the same in uniform control flow above, and is defined there.
fn is_movable(ed: &Editor<'_>, data: &InstData) -> bool {
    match data.op {
        Op::Group(GroupOp::Ddx | GroupOp::Ddy | GroupOp::Fwidth) => true,
        Op::Memory(MemoryOp::Load) => is_fixed(ed, data),
        _ => may_speculate(ed, data),
    }
}

/// Returns true if a load reads memory that never changes, at a place that exists.
fn is_fixed(ed: &Editor<'_>, data: &InstData) -> bool {
    let Some(&path) = data.args.first().filter(|_| !is_volatile(data)) else { return false };
    let mut at = path;
    for _ in 0..MAX_STEPS {
        let step = ed.func().inst(at);
        match (step.op, &step.args[..]) {
            (Op::Deref(DerefOp::Var), _) => {
                let var = step.entity::<Var>(Key::Var).and_then(|var| ed.module().var(var));
                return var.is_some_and(|var| matches!(var.mode, Mode::In | Mode::Uniform | Mode::Push));
            }
            (Op::Deref(DerefOp::Field), &[of]) | (Op::Basic(BasicOp::Copy), &[of]) => at = of,
            (Op::Deref(DerefOp::Elem), &[of, index]) if ed.bits_of(index).is_some() => at = of,
            _ => return false,
        }
    }
    false
}

/// Makes a lookup with an implicit level one with gradients, which are computed at the end of a block.
fn by_gradients(ed: &mut Editor<'_>, inst: Inst, up: Block) -> Result<(), Refusal> {
    let data = ed.func().inst(inst).clone();
    let Some(mut roles) = Roles::of(&data) else { return Ok(()) };
    let Some(coord) = roles.get(Role::Coord) else { return Ok(()) };
    let mut b = ed.build(InsertPoint::End(up), MOVED);
    let components: Vec<u8> = (0..plane(&data)).collect();
    let whole = b.editor().func().ty(coord);
    let place = match components.len() == usize::from(whole.components()) {
        true => coord,
        false => b.swizzle(coord, &components),
    };
    let ty = b.editor().func().ty(place);
    let [ddx, ddy] = [GroupOp::Ddx, GroupOp::Ddy].map(|op| b.checked(op, ty, &[place]));
    b.finish()?;
    roles.set(Role::Ddx, ddx);
    roles.set(Role::Ddy, ddy);
    ed.rewrite(inst, roles.put(TexOp::SampleLod, &data), MOVED)
}
