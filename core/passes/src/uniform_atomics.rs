//! `uniform-atomics`: combines uniform atomics: one invocation performs the operation for its subgroup.
//!
//! ```text
//!                                             %4: b32 = reduce %1 {reduce iadd, how all}
//!                                             %5: b32 = reduce %1 {reduce iadd, how exclusive}
//!                                             %6: b1 = elect
//!                                             %7: b32 = undef
//!                                             if !0 %6 {
//!                                             ^1:
//!   %2: b32 = atomic %0, %1                     %8: b32 = atomic %0, %4
//!     {scope device, atomic iadd}       =>        {scope device, atomic iadd}
//!                                               next(%8)
//!                                             } else {
//!                                             ^2:
//!                                               next(%7)
//!                                             }
//!                                             ^3(%9: b32):
//!                                             %10: b32 = broadcast_first %9
//!                                             %2: b32 = iadd %10, %5
//! ```
//!
//! (Each subgroup operation has `scope subgroup`, omitted here.) Atomics on one place are serialized: 32
//! invocations wait 31 times. The order of invocations is unspecified, so the order of their ids is valid; then
//! a single atomic adds the sum of all, and the old value of an invocation is the old value of the atomic
//! combined with the values of earlier invocations. If all invocations contribute the same value, the sum is a
//! product with the number of invocations. If the old values are unused, they are not computed.
//!
//! Applies to addition, subtraction, minimum, maximum and bitwise operations on integers, in storage buffers,
//! workgroup memory and texels, if the place is uniform according to the analysis `divergence`. Unchanged:
//! floats, whose rounding would change; exchanges; atomics that order other memory, or are volatile; all stages
//! but compute, where subgroup operations may be unavailable, and in particular fragment shaders, whose helper
//! invocations would contribute values and might be elected; atomics that only one invocation executes.
//! Barriers and subgroup operations have the same active invocations as before. NIR: `nir_opt_uniform_atomics`,
//! which also handles floats.

use super::options::{PassOptions, options};
use super::pass::PassInfo;
use crate::util::memory::is_volatile;
use crate::util::predicate::{of_subgroup, only_if};
use crate::util::rewrite_each::rewrite_each_backward;
use vitrine_analysis::{Analyses, Cfg, Divergence};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{
    AtomicOp, Bits, Builtin, ConvertOp, GroupOp, How, IntOp, IoOp, Key, MemoryOp, Op, PtrOp, Reduction,
    Semantics, ValueType, Width,
};
use vitrine_ir::{
    Block, Builder, Editor, InsertPoint, Inst, InstData, Mode, NodeKind, Reason, Refusal, Shape, Stage,
    Terminator,
};

options! {
    /// The subgroup operations of the target.
    struct Supported {
        choice operations: SubgroupOps {
            /// The target has subgroup reductions (GroupNonUniformArithmetic).
            Arithmetic "arithmetic",
            /// The target only has ballots: every invocation must contribute the same value.
            Ballot "ballot",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Combines uniform atomics: one invocation performs the operation for its subgroup.",
    options: Supported::INFO,
    ..PassInfo::edits("uniform-atomics", opening!("uniform_atomics.rs"), |ed, cx| {
        uniform_atomics(ed, Supported::of(cx.options).operations, cx.analyses)
    })
};

const WHY: Reason = Reason::Note("all invocations update one location: one does it for all");

/// An atomic operation: the reduction over invocations, and the operation that combines a sum with the old
/// value.
#[derive(Clone, Copy)]
struct AtomicKind {
    reduce: Reduction,
    join: IntOp,
    again: Repeated,
}

/// The reduction of the same value over `n` invocations.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Repeated {
    /// `n` times the value.
    Product,
    /// The value.
    Same,
    /// The value if `n` is odd, else zero.
    Odd,
}

/// How the atomics of a subgroup are combined; none if they cannot be.
fn kind(op: AtomicOp) -> Option<AtomicKind> {
    let (reduce, join, again) = match op {
        AtomicOp::IAdd => (Reduction::IAdd, IntOp::IAdd, Repeated::Product),
        AtomicOp::ISub => (Reduction::IAdd, IntOp::ISub, Repeated::Product),
        AtomicOp::IMin => (Reduction::IMin, IntOp::IMin, Repeated::Same),
        AtomicOp::UMin => (Reduction::UMin, IntOp::UMin, Repeated::Same),
        AtomicOp::IMax => (Reduction::IMax, IntOp::IMax, Repeated::Same),
        AtomicOp::UMax => (Reduction::UMax, IntOp::UMax, Repeated::Same),
        AtomicOp::IAnd => (Reduction::IAnd, IntOp::IAnd, Repeated::Same),
        AtomicOp::IOr => (Reduction::IOr, IntOp::IOr, Repeated::Same),
        AtomicOp::IXor => (Reduction::IXor, IntOp::IXor, Repeated::Odd),
        AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax => return None,
        AtomicOp::Exchange | AtomicOp::Inc | AtomicOp::Dec => return None,
    };
    Some(AtomicKind { reduce, join, again })
}

/// The maximum number of enclosing branches that are examined.
const MAX_AROUND: usize = 16;

/// An atomic that one invocation can execute for all.
struct Found {
    inst: Inst,
    kind: AtomicKind,
    /// True if all invocations contribute the same value.
    same: bool,
}

/// Rewrites atomics. Linear, apart from the instruction lists of the blocks it splits; idempotent; both shapes.
fn uniform_atomics(
    ed: &mut Editor<'_>,
    supported: SubgroupOps,
    analyses: &mut Analyses,
) -> Result<(), Refusal> {
    let entries = &ed.module().entries;
    if entries.is_empty() || entries.iter().any(|entry| entry.stage != Stage::Compute) {
        return Ok(());
    }
    // Computed for the first atomic.
    let mut known = None;
    let combined = |ed: &Editor<'_>, inst: Inst| {
        if ed.func().inst(inst).op != Op::Memory(MemoryOp::Atomic) {
            return None;
        }
        let (divergence, cfg) = known.get_or_insert_with(|| {
            let divergence = analyses.get::<Divergence>(ed.module(), ed.id());
            (divergence, analyses.get::<Cfg>(ed.module(), ed.id()))
        });
        let block = ed.block_of(inst)?;
        let found = find_atomic(ed, divergence, block, inst, supported)?;
        (!is_one_invocation(ed, cfg, divergence, block)).then_some(found)
    };
    rewrite_each_backward(ed, combined, |ed, _, found| found.rewrite(ed))
}

/// An atomic that one invocation can execute for all.
fn find_atomic(
    ed: &Editor<'_>,
    divergence: &Divergence,
    block: Block,
    inst: Inst,
    supported: SubgroupOps,
) -> Option<Found> {
    let data = ed.func().inst(inst);
    let [at, value] = data.args[..] else { return None };
    let kind = kind(data.attrs.word()?)?;
    let relaxed = data.attrs.words::<Semantics>().only(Semantics::ORDERS).is_none() && !is_volatile(data);
    let wide = matches!(data.ty.width(), Some(Width::W32 | Width::W64)) && data.ty.components() == 1;
    let same = divergence.is_uniform_in(value, block);
    let can_combine = match supported {
        SubgroupOps::Arithmetic => true,
        SubgroupOps::Ballot => same,
    };
    let fits = relaxed && wide && can_combine && is_shared(ed, at);
    (fits && divergence.is_uniform_in(at, block)).then_some(Found { inst, kind, same })
}

/// Returns true if a uniform address refers to the same place in all invocations.
fn is_shared(ed: &Editor<'_>, at: Inst) -> bool {
    match ed.func().ty(at) {
        ValueType::Path => {
            let mode = ed.module().path_type(ed.func(), at).map(|path| path.mode);
            matches!(mode, Some(Mode::Storage | Mode::Shared))
        }
        // The origin of an untyped pointer is not analyzed.
        ValueType::Ptr => ed.func().inst(at).op == Op::Ptr(PtrOp::Texel),
        ValueType::Void | ValueType::Bits { .. } | ValueType::Handle => false,
    }
}

/// Returns true if at most one invocation of a subgroup executes a block, because of an enclosing branch.
fn is_one_invocation(ed: &Editor<'_>, cfg: &Cfg, divergence: &Divergence, block: Block) -> bool {
    let mut at = block;
    for _ in 0..MAX_AROUND {
        let Some((before, cond)) = only_predecessor(ed, cfg, at) else { return false };
        if cond.is_some_and(|cond| picks_one(ed, divergence, cond)) {
            return true;
        }
        at = before;
    }
    false
}

/// The single predecessor of a block, and the condition on the edge.
fn only_predecessor(ed: &Editor<'_>, cfg: &Cfg, block: Block) -> Option<(Block, Option<Inst>)> {
    if let Shape::Graph(_) = ed.func().shape() {
        let mut from = cfg.preds(block);
        let before = from.next().filter(|_| from.next().is_none())?;
        let cond = match ed.func().terminator(before) {
            Terminator::Branch { cond, then, els } if then.to == block && els.to != block => Some(*cond),
            _ => None,
        };
        return Some((before, cond));
    }
    let region = ed.region_of(block)?;
    let node = ed.owner_of(region)?;
    let cond = match ed.func().node(node).kind {
        NodeKind::If { cond, then, .. } if then == region => Some(cond),
        NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Loop { .. } | NodeKind::Block { .. } => {
            None
        }
    };
    Some((ed.block_before(node)?, cond))
}

/// Returns true if a condition holds in at most one invocation: `elect`, or an invocation id that equals a
/// uniform value.
fn picks_one(ed: &Editor<'_>, divergence: &Divergence, cond: Inst) -> bool {
    let data = ed.func().inst(cond);
    match (data.op, &data.args[..]) {
        (Op::Group(GroupOp::Elect), _) => true,
        (Op::Int(IntOp::IEq), &[a, b]) => {
            let pair = |invocation, all| is_invocation_id(ed, invocation) && divergence.is_uniform(all);
            pair(a, b) || pair(b, a)
        }
        (Op::Int(IntOp::IAnd), &[a, b]) => [a, b].iter().any(|&part| {
            let part = ed.func().inst(part);
            part.op == Op::Group(GroupOp::Elect)
        }),
        _ => false,
    }
}

fn is_invocation_id(ed: &Editor<'_>, value: Inst) -> bool {
    let data = ed.func().inst(value);
    let builtin = match data.op {
        Op::Io(IoOp::BuiltIn) => data.attrs.word(),
        Op::Memory(MemoryOp::Load) => data.args.first().and_then(|&path| {
            let var = ed.func().inst(path).entity::<vitrine_ir::Var>(Key::Var)?;
            ed.module().var(var)?.attrs.word()
        }),
        _ => None,
    };
    matches!(builtin, Some(Builtin::LocalInvocationIndex | Builtin::SubgroupLocalInvocationId))
}

impl Found {
    fn rewrite(&self, ed: &mut Editor<'_>) -> Result<(), Refusal> {
        let data = ed.func().inst(self.inst).clone();
        let [at, value] = data.args[..] else { return Ok(()) };
        let is_read = ed.use_count(self.inst) > 0;
        let mut b = ed.build(InsertPoint::Before(self.inst), WHY);
        let (total, before) = self.sums(&mut b, value, is_read);
        let elect = b.emit_with(of_subgroup(GroupOp::Elect, ValueType::BOOL, &[]));
        let nothing = is_read.then(|| b.undef(data.ty));
        let args = vitrine_ir::Args::new(&[at, total]);
        let one = b.emit_with(InstData { args, ..data.clone() });
        b.finish()?;
        if let Some(found) = only_if(ed, one, elect, nothing, WHY)? {
            let mut b = ed.build(InsertPoint::Before(self.inst), WHY);
            let first = b.emit_with(of_subgroup(GroupOp::BroadcastFirst, data.ty, &[found]));
            let old = match before {
                Some(before) => b.checked(self.kind.join, data.ty, &[first, before]),
                None => {
                    let after = b.checked(self.kind.join, data.ty, &[first, value]);
                    b.checked(IntOp::Select, data.ty, &[elect, first, after])
                }
            };
            b.finish()?;
            ed.replace_uses(self.inst, old, WHY)?;
        }
        ed.erase(self.inst, WHY)
    }

    /// The reduction over all invocations, and that over earlier invocations; the latter only if it is used,
    /// and not if it is the value itself for all but the first invocation.
    fn sums(&self, b: &mut Builder<'_, '_>, value: Inst, is_read: bool) -> (Inst, Option<Inst>) {
        if !self.same {
            let all = self.reduce(b, value, How::All);
            return (all, is_read.then(|| self.reduce(b, value, How::Exclusive)));
        }
        if self.kind.again == Repeated::Same {
            return (value, None);
        }
        let yes = b.bool(true);
        let invocations = b.emit_with(of_subgroup(GroupOp::Ballot, ValueType::bits(Width::W32, 4), &[yes]));
        let all = self.times(b, value, invocations, How::All);
        (all, is_read.then(|| self.times(b, value, invocations, How::Exclusive)))
    }

    fn reduce(&self, b: &mut Builder<'_, '_>, value: Inst, how: How) -> Inst {
        let ty = b.editor().func().ty(value);
        let data = of_subgroup(GroupOp::Reduce, ty, &[value]);
        b.emit_with(data.with_word(self.kind.reduce).with_word(how))
    }

    /// A value multiplied by the number of some invocations.
    fn times(&self, b: &mut Builder<'_, '_>, value: Inst, invocations: Inst, how: How) -> Inst {
        let ty = b.editor().func().ty(value);
        let count = of_subgroup(GroupOp::BallotCount, ValueType::B32, &[invocations]);
        let mut count = b.emit_with(count.with_word(how));
        if self.kind.again == Repeated::Odd {
            let one = b.bits(Bits::from_components(Width::W32, &[1]));
            count = b.checked(IntOp::IAnd, ValueType::B32, &[count, one]);
        }
        if ty.width() == Some(Width::W64) {
            count = b.convert(ConvertOp::U2U, Width::W64, count);
        }
        b.checked(IntOp::IMul, ty, &[value, count])
    }
}
