//! `non-uniform-access`: accesses non-uniform resources in a loop, one distinct resource at a time.
//!
//! ```text
//!                                                loop !0 {
//!                                                ^1:
//!                                                  %9: b32 = broadcast_first %0 {scope subgroup}
//! %2: path = deref.elem nonuniform %1, %0          %10: b1 = ieq %0, %9
//! %3: path = deref.field %2.0                      if !1 %10 {
//! %4: b32 = load %3                       =>       ^2:
//!                                                    %11: path = deref.elem %1, %9
//!                                                    %12: path = deref.field %11.0
//!                                                    %13: b32 = load %12
//!                                                    break !0(%13)
//!                                                  } else { ^3: next }
//!                                                ^4:
//!                                                  continue !0
//!                                                }
//!                                                ^5(%14: b32):
//! ```
//!
//! A target may require a single descriptor for all invocations that execute an access together. In each
//! iteration, the invocations with the same resource as the first active one do their access and leave the
//! loop; the number of iterations is the number of distinct resources. Affected are accesses with `nonuniform`
//! on a path step, the handle, or the access itself, and in these the indices into arrays of resources: of
//! image and sampler together, if both are indexed. An access that is marked but uniform according to the
//! analysis `divergence` loses its marks and gets no loop.
//!
//! A texture lookup with an implicit level would have only part of its quad in the loop: the derivatives of its
//! coordinate are computed before the loop, and the lookup uses explicit gradients; a bias scales them.
//! Unchanged, with their marks: lookups with a projector (run `lower-tex{projector}` first), `tex.query_lod`,
//! and resources that come from selects, calls or parameters. For copies between two memories, run
//! `lower-var-copies` first. NIR: `nir_lower_non_uniform_access`.

use super::pass::PassInfo;
use crate::util::image_operands::{Roles, plane};
use crate::util::memory::with_access;
use crate::util::predicate::{of_subgroup, until};
use crate::util::rewrite_each::rewrite_each_backward;
use rustc_hash::FxHashMap;
use vitrine_analysis::{Analyses, Divergence};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{
    Access, BasicOp, DerefOp, Flags, FloatBuild, GroupOp, IntOp, Key, MemoryOp, Op, Props, PtrOp, Role,
    TexOp, ValueType,
};
use vitrine_ir::{Builder, Editor, InsertPoint, Inst, InstData, Mode, Reason, Refusal, Var};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Accesses non-uniform resources in a loop, one distinct resource at a time.",
    ..PassInfo::edits("non-uniform-access", opening!("non_uniform_access.rs"), |ed, cx| {
        non_uniform_access(ed, cx.analyses)
    })
};

const WHY: Reason = Reason::Note("resources are accessed one at a time");
const SAME: Reason = Reason::Note("all invocations access the same resource");

/// The maximum number of steps to the resources of an access.
const MAX_STEPS: usize = 64;

/// A marked access, and the instructions that compute its resources.
struct Found {
    inst: Inst,
    /// From the variables on: each after its operands.
    chain: Vec<Inst>,
    /// The dynamic indices into arrays of resources.
    indices: Vec<Inst>,
    /// True if the indices are uniform.
    same: bool,
}

/// Adds loops around accesses. Linear, apart from the instruction lists of the blocks it splits; idempotent;
/// both shapes.
fn non_uniform_access(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let marked = |ed: &Editor<'_>, inst: Inst| {
        let mut found = find_access(ed, inst)?;
        let (divergence, block) = (analyses.get::<Divergence>(ed.module(), ed.id()), ed.block_of(inst)?);
        found.same = found.indices.iter().all(|&index| divergence.is_uniform_in(index, block));
        Some(found)
    };
    rewrite_each_backward(ed, marked, |ed, _, found| found.rewrite(ed))
}

/// A marked access that can be moved into a loop.
fn find_access(ed: &Editor<'_>, inst: Inst) -> Option<Found> {
    let data = ed.func().inst(inst);
    let is_access = match data.op {
        Op::Memory(MemoryOp::Load) => matches!(data.ty, ValueType::Bits { .. }),
        Op::Memory(MemoryOp::CopyVar | MemoryOp::CopyBytes) => false,
        Op::Memory(_) => true,
        Op::Tex(TexOp::Combine | TexOp::ImageOf | TexOp::Resident | TexOp::QueryLod) => false,
        Op::Tex(TexOp::Sample) => !Roles::of(data)?.has(Role::Projector),
        Op::Tex(_) => true,
        _ => false,
    };
    if !is_access {
        return None;
    }
    let is_opaque = |&&arg: &&Inst| ed.func().ty(arg).is_opaque();
    let from: Vec<Inst> = data.args.iter().filter(is_opaque).copied().collect();
    // A stored value may also be a path; it is not a resource.
    let from = if matches!(data.op, Op::Memory(_)) { from.into_iter().take(1).collect() } else { from };
    let mut found = Found { inst, chain: Vec::new(), indices: Vec::new(), same: false };
    let mut is_marked = marks(data);
    let mut open: Vec<(Inst, bool)> = from.into_iter().map(|at| (at, false)).collect();
    while let Some((at, done)) = open.pop() {
        if done {
            found.chain.push(at);
            continue;
        }
        if found.chain.contains(&at) {
            continue;
        }
        if found.chain.len() + open.len() > MAX_STEPS {
            return None;
        }
        let step = ed.func().inst(at);
        is_marked |= marks(step);
        let below = match step.op {
            Op::Deref(DerefOp::Var) | Op::Ptr(PtrOp::Var) => None,
            Op::Deref(DerefOp::Field | DerefOp::Elem | DerefOp::Cast)
            | Op::Ptr(
                PtrOp::Texel
                | PtrOp::Path
                | PtrOp::HandleIndex
                | PtrOp::Handle
                | PtrOp::BufferData
                | PtrOp::Offset
                | PtrOp::DynOffset,
            )
            | Op::Tex(TexOp::ImageOf)
            | Op::Basic(BasicOp::Copy) => Some(1),
            // An address that is loaded from memory may change.
            Op::Memory(MemoryOp::Load) if step.ty == ValueType::Handle => Some(1),
            Op::Tex(TexOp::Combine) => Some(2),
            _ => return None,
        };
        if let Some(index) = index(ed, at).filter(|&index| ed.bits_of(index).is_none())
            && !found.indices.contains(&index)
        {
            found.indices.push(index);
        }
        open.push((at, true));
        open.extend(step.args.iter().take(below.unwrap_or(0)).map(|&arg| (arg, false)));
    }
    is_marked.then_some(found)
}

fn marks(data: &InstData) -> bool {
    data.flags.has(Flags::NONUNIFORM) || data.attrs.words::<Access>().has(Access::NONUNIFORM)
}

/// The index of a step into an array of resources.
fn index(ed: &Editor<'_>, step: Inst) -> Option<Inst> {
    let data = ed.func().inst(step);
    if data.op == Op::Ptr(PtrOp::HandleIndex) {
        return data.args.get(1).copied();
    }
    if data.op != Op::Deref(DerefOp::Elem) {
        return None;
    }
    let mut at = *data.args.first()?;
    for _ in 0..MAX_STEPS {
        let base = ed.func().inst(at);
        match base.op {
            Op::Deref(DerefOp::Elem) => at = *base.args.first()?,
            Op::Deref(DerefOp::Var) => {
                let var = ed.module().var(base.entity::<Var>(Key::Var)?)?;
                let bound = matches!(var.mode, Mode::Uniform | Mode::Storage) && var.attrs.has(Key::Binding);
                return data.args.get(1).copied().filter(|_| bound || var.mode == Mode::Handle);
            }
            _ => return None,
        }
    }
    None
}

/// The same instruction without its mark.
fn unmarked(data: InstData) -> InstData {
    let attrs = with_access(&data.attrs, data.attrs.words::<Access>().without(Access::NONUNIFORM));
    InstData { flags: data.flags.without(Flags::NONUNIFORM), attrs, ..data }
}

impl Found {
    fn rewrite(&self, ed: &mut Editor<'_>) -> Result<(), Refusal> {
        let result = if self.same { self.plain(ed)? } else { self.in_loop(ed)? };
        if let Some(result) = result {
            ed.replace_uses(self.inst, result, WHY)?;
        }
        if !self.same {
            ed.erase(self.inst, WHY)?;
        }
        // Removes the path to the resource if it has no other uses.
        for &step in self.chain.iter().rev() {
            if ed.is_placed(step) && ed.use_count(step) == 0 {
                ed.erase(step, WHY)?;
            }
        }
        Ok(())
    }

    /// The same access without marks.
    fn plain(&self, ed: &mut Editor<'_>) -> Result<Option<Inst>, Refusal> {
        let data = ed.func().inst(self.inst).clone();
        let mut b = ed.build(InsertPoint::Before(self.inst), SAME);
        let (_, one) = self.copy_chain(&mut b, &data, &FxHashMap::default());
        b.finish()?;
        ed.rewrite(self.inst, one, SAME)?;
        Ok(None)
    }

    /// Copies the path to the resource and the access, without marks and with other indices; returns the first
    /// copy.
    fn copy_chain(
        &self,
        b: &mut Builder<'_, '_>,
        data: &InstData,
        indices: &FxHashMap<Inst, Inst>,
    ) -> (Option<Inst>, InstData) {
        let mut new: FxHashMap<Inst, Inst> = FxHashMap::default();
        let mut first = None;
        for &step in &self.chain {
            let data = b.editor().func().inst(step).clone();
            let by = index(b.editor(), step);
            let args = data.args.map(|arg| match indices.get(&arg) {
                Some(&index) if by == Some(arg) => index,
                _ => new.get(&arg).copied().unwrap_or(arg),
            });
            let made = b.emit_with(unmarked(InstData { args, ..data }));
            first = first.or(Some(made));
            new.insert(step, made);
        }
        let args = data.args.map(|arg| new.get(&arg).copied().unwrap_or(arg));
        (first, unmarked(InstData { args, ..data.clone() }))
    }

    /// Emits the access in a loop; returns its result.
    fn in_loop(&self, ed: &mut Editor<'_>) -> Result<Option<Inst>, Refusal> {
        let mut b = ed.build(InsertPoint::Before(self.inst), WHY);
        let data = by_gradients(&mut b, self.inst);
        let mut chosen: FxHashMap<Inst, Inst> = FxHashMap::default();
        let (mut head, mut all) = (None, None);
        for &index in &self.indices {
            let ty = b.editor().func().ty(index);
            let first = b.emit_with(of_subgroup(GroupOp::BroadcastFirst, ty, &[index]));
            let same = b.checked(IntOp::IEq, ValueType::BOOL, &[index, first]);
            head = head.or(Some(first));
            all = Some(match all {
                Some(all) => b.checked(IntOp::IAnd, ValueType::BOOL, &[all, same]),
                None => same,
            });
            chosen.insert(index, first);
        }
        let (inner, one) = self.copy_chain(&mut b, &data, &chosen);
        let last = b.emit_with(one);
        b.finish()?;
        match (head, all) {
            (Some(head), Some(cond)) => until(ed, [head, inner.unwrap_or(last), last], cond, WHY),
            _ => Ok((data.ty != ValueType::Void).then_some(last)),
        }
    }
}

/// An access that does not depend on the other invocations of its quad: lookups with an implicit level take
/// gradients.
fn by_gradients(b: &mut Builder<'_, '_>, inst: Inst) -> InstData {
    let data = b.editor().func().inst(inst).clone();
    let (true, Some(mut roles)) = (data.op.props().has(Props::NEEDS_HELPERS), Roles::of(&data)) else {
        return data;
    };
    let Some(coord) = roles.get(Role::Coord) else { return data };
    let components: Vec<u8> = (0..plane(&data)).collect();
    let whole = b.editor().func().ty(coord);
    let place = if components.len() == usize::from(whole.components()) {
        coord
    } else {
        b.swizzle(coord, &components)
    };
    let ty = b.editor().func().ty(place);
    let mut slopes = [GroupOp::Ddx, GroupOp::Ddy].map(|op| b.checked(op, ty, &[place]));
    if let Some(bias) = roles.take(Role::Bias) {
        let scale = b.fexp2(bias);
        let scale = if ty.components() == 1 { scale } else { b.splat(scale, ty.components()) };
        slopes = slopes.map(|slope| b.fmul(slope, scale));
    }
    let [ddx, ddy] = slopes;
    roles.set(Role::Ddx, ddx);
    roles.set(Role::Ddy, ddy);
    roles.put(TexOp::SampleLod, &data)
}
