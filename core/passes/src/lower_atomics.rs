//! `lower-atomics`: lowers atomic minima and maxima of texels that compare numbers of the other signedness.
//!
//! ```text
//!                                             loop !0 {
//!                                             ^1:
//!                                               %7: b32 = atomic_load %3
//!                                               %8: b32 = imin %7, %4
//!                                               %9: b32 = atomic_cas %3, %7, %8
//!   %5: b32 = atomic %3, %4 {imin}     =>       %10: b1 = ieq %9, %7
//!                                               if !1 %10 {
//!                                               ^2:
//!                                                 break !0(%7)
//!                                               …
//!                                               continue !0
//!                                             ^3(%11: b32):
//! ```
//!
//! Shading languages compare texels as the type of the image, which SPIR-V does not demand: an image of unsigned integers
//! may have a signed minimum. Such an operation becomes a loop that exchanges the texel until no other invocation
//! changed it in between. The result is the previous value, as before.
//!
//! Unchanged: atomics that compare as the type of the image; all others; those whose image is not known.

use super::pass::PassInfo;
use crate::util::open::may_have;
use crate::util::predicate::until;
use crate::util::rewrite_each::rewrite_each_backward;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{AtomicOp, BasicOp, IntOp, Key, MemoryOp, Op, PtrOp, ValueType};
use vitrine_ir::{Editor, InsertPoint, Inst, InstData, Reason, Refusal, TypeData};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers atomic minima and maxima of texels that compare numbers of the other signedness.",
    may_apply: |body, _| may_have(body, |data| data.op == Op::Memory(MemoryOp::Atomic)),
    ..PassInfo::edits("lower-atomics", opening!("lower_atomics.rs"), |ed, _| lower_atomics(ed))
};

const WHY: Reason = Reason::Note("the target compares texels as the type of the image");

/// The maximum number of steps to the variable of an image.
const MAX_STEPS: usize = 64;

/// Lowers atomics. Linear, apart from the instruction lists of the blocks it splits; idempotent; both shapes.
fn lower_atomics(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    rewrite_each_backward(ed, compares_otherwise, lower)
}

/// The operation by which an atomic compares texels, if the image has numbers of the other signedness.
fn compares_otherwise(ed: &Editor<'_>, inst: Inst) -> Option<IntOp> {
    let data = ed.func().inst(inst);
    if data.op != Op::Memory(MemoryOp::Atomic) {
        return None;
    }
    let (op, reads_signed) = match data.attrs.word()? {
        AtomicOp::IMin => (IntOp::IMin, true),
        AtomicOp::IMax => (IntOp::IMax, true),
        AtomicOp::UMin => (IntOp::UMin, false),
        AtomicOp::UMax => (IntOp::UMax, false),
        AtomicOp::IAdd | AtomicOp::ISub | AtomicOp::Inc | AtomicOp::Dec => return None,
        AtomicOp::IAnd | AtomicOp::IOr | AtomicOp::IXor | AtomicOp::Exchange => return None,
        AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax => return None,
    };
    let &texel = data.args.first()?;
    let pointer = ed.func().inst(texel);
    let &image = pointer.args.first().filter(|_| pointer.op == Op::Ptr(PtrOp::Texel))?;
    (is_signed(ed, image)? != reads_signed).then_some(op)
}

/// Returns true if an image has signed integers. `None` if it is not known, or has no integers.
fn is_signed(ed: &Editor<'_>, image: Inst) -> Option<bool> {
    let mut at = image;
    for _ in 0..MAX_STEPS {
        let data = ed.func().inst(at);
        match data.op {
            Op::Memory(MemoryOp::Load) | Op::Basic(BasicOp::Copy) => at = *data.args.first()?,
            _ => break,
        }
    }
    let module = ed.module();
    let TypeData::Image(image) = *module.type_of(module.path_type(ed.func(), at)?.ty) else { return None };
    match *module.type_of(image.sampled) {
        TypeData::Int { signed, .. } => Some(signed),
        _ => None,
    }
}

/// Replaces an atomic by a loop of exchanges.
fn lower(ed: &mut Editor<'_>, inst: Inst, op: IntOp) -> Result<(), Refusal> {
    let data = ed.func().inst(inst).clone();
    let &[texel, value] = &data.args[..] else { return Ok(()) };
    let ty = data.ty;
    let mut b = ed.build(InsertPoint::Before(inst), WHY);
    let mut load = InstData::new(MemoryOp::AtomicLoad, ty, &[texel]);
    for key in [Key::Scope, Key::Access] {
        if let Some(found) = data.attrs.get(key) {
            load = load.with(key, found);
        }
    }
    let old = b.emit_with(load);
    let new = b.checked(op, ty, &[old, value]);
    let mut exchange = InstData::new(MemoryOp::AtomicCas, ty, &[texel, old, new]);
    for key in [Key::Scope, Key::Order, Key::Access] {
        if let Some(found) = data.attrs.get(key) {
            exchange = exchange.with(key, found);
        }
    }
    let found = b.emit_with(exchange);
    let is_done = b.checked(IntOp::IEq, ValueType::BOOL, &[found, old]);
    let result = b.emit_with(InstData::new(BasicOp::Copy, ty, &[old]));
    b.finish()?;
    let merged = until(ed, [old, result, result], is_done, WHY)?;
    if let Some(merged) = merged {
        ed.replace_uses(inst, merged, WHY)?;
    }
    ed.erase(inst, WHY)
}
