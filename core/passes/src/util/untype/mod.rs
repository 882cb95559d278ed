//! Typed access paths as untyped pointers: byte offsets from the start of memory.
//!
//! [`Classes`] finds the addresses that become untyped together, [`lower_all`] rewrites those that were taken, and
//! [`erase_types`] marks their memory. `qptr-lower` does so for all memory, `lower-layout` for buffers that get another type.
//! Does not decide which classes are taken.

mod classes; // start here
mod places;
mod accesses;

pub(crate) use classes::Classes;

use crate::Journals;
use crate::util::open::{refused, sweep};
use places::AddressPlaces;
use vitrine_ir::base::EntityId;
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{Key, ValueType};
use vitrine_ir::{
    Attrs, BlockRewriter, Diag, Func, Len, Mode, Module, Refusal, Type, TypeData, Var, VarData,
};

/// Rewrites the taken addresses of all functions. Copies of more values than `max_leaves` remain copies.
///
/// Error: `P103` a function that was not valid.
pub(crate) fn lower_all(
    module: &mut Module,
    classes: &Classes,
    sizes: &mut Sizes,
    max_leaves: usize,
) -> Result<Journals, Diag> {
    let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
    let mut journals = Journals::new();
    for func in funcs {
        let mut ed = sweep(module, func)?;
        lower(&mut ed, classes, sizes, max_leaves).map_err(|refusal| refused(func, &refusal))?;
        let edited = ed.finish();
        if edited.changed {
            journals.push((func, edited.journal));
        }
    }
    Ok(journals)
}

fn lower(
    ed: &mut BlockRewriter<'_>,
    classes: &Classes,
    sizes: &mut Sizes,
    max_leaves: usize,
) -> Result<(), Refusal> {
    let order = classes.order(ed.id());
    let params = ed.func().params().to_vec();
    let mut places = AddressPlaces::new(ed, classes, sizes, max_leaves);
    for param in params {
        places.param(param)?;
    }
    for &block in order {
        let params = places.ed.func().block(block).params.clone();
        for &param in params.iter() {
            places.param(param)?;
        }
    }
    for &block in order {
        places.ed.enter(block);
        while let Some(inst) = places.ed.step() {
            if places.ed.func().ty(inst) == ValueType::Path {
                places.address(inst)?;
            } else {
                places.access(inst)?;
            }
        }
    }
    places.settle()
}

/// Marks the memory of variables that became untyped. Inputs, outputs, payloads and resources keep their type.
pub(crate) fn erase_types(module: &mut Module, vars: &[Var], sizes: &mut Sizes) {
    let is_memory = |mode| match mode {
        Mode::Private | Mode::Local | Mode::Uniform | Mode::Storage | Mode::Push | Mode::Shared => true,
        Mode::In
        | Mode::Out
        | Mode::Handle
        | Mode::Payload
        | Mode::Physical
        | Mode::Callable
        | Mode::Generic => false,
    };
    for &var in vars {
        let Some(data) = module.var(var).filter(|data| is_memory(data.mode)).cloned() else { continue };
        let Some(attrs) = extent(module, sizes, &data) else { continue };
        module.set_var(var, VarData { attrs, ..data });
    }
}

/// The attributes of untyped memory: its fixed size in bytes, and the stride of its trailing array.
fn extent(module: &Module, sizes: &mut Sizes, data: &VarData) -> Option<Attrs> {
    let mut inner = data.ty;
    while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *module.type_of(inner)
        && matches!(data.mode, Mode::Uniform | Mode::Storage)
        && is_resource(module, inner)
    {
        inner = of;
    }
    let (mut at, mut last) = (0u64, inner);
    while let TypeData::Struct(structure) = *module.type_of(last) {
        let offsets = sizes.offsets(module, module, structure);
        let Some((member, &offset)) =
            module.structure(structure)?.members.iter().zip(offsets.iter()).next_back()
        else {
            break;
        };
        (at, last) = (at.saturating_add(offset), member.ty);
    }
    let more = match *module.type_of(last) {
        TypeData::RuntimeArray { .. } => Some(None),
        TypeData::Array { len: Len::Global(len), .. } => Some(Some(len)),
        _ => None,
    };
    let stride = sizes.stride(module, module, last);
    let whole = sizes.of(module, module, inner);
    let bytes = if more.is_some() { at } else { whole.bytes };
    let mut attrs = data.attrs.with(Key::Bytes, u64::from(u32::try_from(bytes).ok()?));
    if let Some(len) = more {
        attrs = attrs.with(Key::Stride, u64::from(u32::try_from(stride).ok()?));
        if let Some(len) = len {
            attrs = attrs.with(Key::Global, len.index() as u64);
        }
    }
    Some(attrs)
}

/// Returns true if the elements of an array are separate buffers.
fn is_resource(module: &Module, mut ty: Type) -> bool {
    while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *module.type_of(ty) {
        ty = of;
    }
    let TypeData::Struct(structure) = *module.type_of(ty) else { return false };
    let attrs = module.structure(structure).map(|data| &data.attrs);
    attrs.is_some_and(|attrs| attrs.has(Key::Block) || attrs.has(Key::BufferBlock))
}
