//! `qptr-lower`: converts typed access paths to untyped pointers: byte offsets from the start of memory.
//!
//! ```text
//! storage $lights_3: #0 {set 0}             storage $lights_3: bytes(16 + n * 32) was #0 {set 0}
//! %1: path = deref.var $lights_3            %1: ptr = ptr.var $lights_3
//! %2: path = deref.field %1.1               %5: ptr = ptr.buffer_data %1
//! %3: path = deref.elem %2, %0       =>     %6: ptr = ptr.dyn_offset %5, %0 {stride 32}
//! %4: path = deref.field %3.2               %7: b32x3 = load %6 {offset 28}
//! %7: b32x3 = load %4
//! ```
//!
//! The declared type of memory is no longer a fact about its bytes: passes recognize the same bytes under
//! different declarations, split memory by its uses, and `qptr-lift` reconstructs types. Offsets and strides
//! come from types; without explicit ones (private, local and shared memory, inputs and outputs), members are
//! placed consecutively, aligned to their scalars. Loads and stores access numbers and vectors. A column of a
//! row-major matrix is accessed component by component, so that the order of a matrix is only a matter of
//! strides.
//!
//! * Buffers, by storage class and not by decoration: `ptr.buffer_data` is their first byte, `ptr.buffer_len`
//!   counts the elements up to their end. Arrays of buffers, images and samplers: `ptr.handle_index`;
//!   `ptr.handle` is the resource.
//! * Push constants, private, local and shared memory: bytes directly.
//! * Inputs, outputs and payloads keep their type, because locations and system values are not bytes; they are
//!   accessed in the same manner.
//! * Pointers in block parameters, selects, calls and memory: a pointer that may be one of two others becomes
//!   untyped together with both. Parameters keep their declared type.
//! * Copies of few values become loads and stores; others remain copies between typed views (`deref.cast`).
//!
//! Remains typed, together with all pointers it may alias: operands of instructions that need a type
//! (`interpolate`, ray queries, instructions that the IR does not model), results of functions, variables whose
//! address is a module constant, places after an array whose length is only known at specialization, and more
//! than 2 GB.
//!
//! SPIR-T: `qptr::lower`, which fails where this pass keeps a root typed.

mod accesses;
mod classes;
mod places;

use super::pass::{Journals, Options, PassInfo, RunFn};
use crate::base::EntityId;
use crate::base::opening::opening;
use crate::ir::layout::Sizes;
use crate::ir::{
    Attrs, BlockRewriter, Diag, Fuel, Func, Len, Mode, Module, Refusal, Type, TypeData, Var, VarData,
};
use crate::ops::{Key, ValueType};
use crate::passes::util::open::{refused, sweep};
use classes::Classes;
use places::AddressPlaces;

/// The entry in the pass list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Converts typed access paths to untyped pointers: byte offsets from the start of memory.",
    ..PassInfo::new("qptr-lower", opening!("mod.rs"), RunFn::Module(qptr_lower))
};

/// Lowers all functions. Near-linear; idempotent; both shapes. Addresses that become untyped together are a
/// unit of fuel.
///
/// Error: `P103` a function that was not valid.
fn qptr_lower(module: &mut Module, _: &Options, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let mut sizes = Sizes::default();
    let mut classes = Classes::of(module, &mut sizes);
    classes.take(|| fuel.take());
    let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
    let mut journals = Journals::new();
    for func in funcs {
        let mut ed = sweep(module, func)?;
        lower(&mut ed, &classes, &mut sizes).map_err(|refusal| refused(func, &refusal))?;
        let edited = ed.finish();
        if edited.changed {
            journals.push((func, edited.journal));
        }
    }
    erase_types(module, &classes, &mut sizes);
    Ok(journals)
}

fn lower(ed: &mut BlockRewriter<'_>, classes: &Classes, sizes: &mut Sizes) -> Result<(), Refusal> {
    let order = classes.order(ed.id());
    let params = ed.func().params().to_vec();
    let mut places = AddressPlaces::new(ed, classes, sizes);
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
fn erase_types(module: &mut Module, classes: &Classes, sizes: &mut Sizes) {
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
    let vars: Vec<Var> = module.vars().filter(|(_, data)| is_memory(data.mode)).map(|(var, _)| var).collect();
    for var in vars {
        let Some(data) = module.var(var).filter(|_| classes.takes_var(var)).cloned() else { continue };
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
