//! Calls that a language without pointers cannot express.
//!
//! ```text
//! call @1(%local)         the parameter is a copy in and out
//! call @1(%storage)       the callee may access the memory otherwise
//! %0: path = call @1()    the result is no value
//! ```
//!
//! Reads one call. Does not look into the callee.

use vitrine_ir::base::EntitySet;
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, TexOp, ValueType};
use vitrine_ir::{FuncBody, Inst, Mode, Module, Type, TypeData, Usage, Var};

/// Steps of an address that are followed. A longer one counts as unknown.
const MAX_STEPS: usize = 1 << 16;

/// Returns true if a call returns an address, or passes one of memory that is neither a resource nor a local variable that
/// no other argument refers to. With `whole`, resources and parts of local variables count, too. Linear in the length of the
/// addresses.
pub(super) fn is_inexpressible(module: &Module, body: &FuncBody, call: Inst, whole: bool) -> bool {
    let data = body.inst(call);
    if data.ty.is_opaque() {
        return true;
    }
    let mut locals: EntitySet<Var> = EntitySet::new();
    data.args.iter().filter(|&&arg| body.ty(arg).is_opaque()).any(|&arg| {
        if body.ty(arg) == ValueType::Handle {
            return whole;
        }
        let Some((root, is_part)) = root(body, arg) else { return true };
        let data = body.inst(root);
        match data.op {
            Op::Deref(DerefOp::Var) => {
                let Some(var) = data.entity::<Var>(Key::Var) else { return true };
                match module.var(var).map(|data| data.mode) {
                    Some(Mode::Handle) => whole,
                    Some(Mode::Local) => whole && is_part || !locals.insert(var),
                    _ => true,
                }
            }
            // A parameter is a copy of its own only in its function.
            Op::Basic(BasicOp::Param) => {
                let is_resource = data.attrs.word::<Mode>() == Some(Mode::Handle);
                !is_resource || whole
            }
            _ => true,
        }
    })
}

/// Returns true if a call passes an image without its sampler, or a sampler. Linear in the length of the addresses.
pub(super) fn passes_separate(module: &Module, body: &FuncBody, call: Inst) -> bool {
    body.inst(call).args.iter().filter(|&&arg| body.ty(arg).is_opaque()).any(|&arg| {
        let Some((root, _)) = root(body, arg) else { return true };
        let data = body.inst(root);
        let ty = match data.entity::<Var>(Key::Var) {
            Some(var) => module.var(var).map(|data| data.ty),
            None => data.entity::<Type>(Key::Type),
        };
        let Some(mut ty) = ty else { return false };
        while let Some(of) = module.element_type(ty) {
            ty = of;
        }
        match *module.type_of(ty) {
            TypeData::Image(image) => image.usage != Usage::Storage,
            TypeData::Sampler => true,
            _ => false,
        }
    })
}

/// Returns true if a call passes an image that is combined with a sampler. Linear in the length of the addresses.
pub(super) fn passes_combined(module: &Module, body: &FuncBody, call: Inst) -> bool {
    let is_combined = |ty: Type| {
        let (mut ty, mut steps) = (ty, 0);
        while let Some(of) = module.element_type(ty).filter(|_| steps < MAX_STEPS) {
            (ty, steps) = (of, steps + 1);
        }
        matches!(module.type_of(ty), TypeData::SampledImage(_))
    };
    body.inst(call).args.iter().filter(|&&arg| body.ty(arg).is_opaque()).any(|&arg| {
        let Some((root, _)) = root(body, arg) else { return false };
        let data = body.inst(root);
        match data.op {
            Op::Deref(DerefOp::Var) => {
                let var = data.entity::<Var>(Key::Var).and_then(|var| module.var(var));
                var.is_some_and(|var| is_combined(var.ty))
            }
            Op::Tex(TexOp::Combine) => true,
            _ => data.entity::<Type>(Key::Type).is_some_and(is_combined),
        }
    })
}

/// The start of an address, and true if the address is that of a part. `None` if it is too long.
fn root(body: &FuncBody, address: Inst) -> Option<(Inst, bool)> {
    let (mut at, mut is_part) = (address, false);
    for _ in 0..MAX_STEPS {
        let data = body.inst(at);
        match data.op {
            Op::Deref(DerefOp::Field | DerefOp::Elem) => is_part = true,
            Op::Basic(BasicOp::Copy) | Op::Memory(MemoryOp::Load) => {}
            _ => return Some((at, is_part)),
        }
        at = *data.args.first()?;
    }
    None
}
