//! Full types and variables: nested structures, arrays, matrices with strides, images.

use super::module::Gen;
use std::rc::Rc;
use vitrine_core::base::EntityId;
use vitrine_core::ir::{
    Attrs, Depth, Func, GlobalValue, ImageType, Len, Member, Mode, Module, Operand, Struct, StructData, Type,
    TypeData, Usage, Var, VarData,
};
use vitrine_core::ops::attr::ValueKind;
use vitrine_core::ops::{Attr, Dim, Key, ValueType, Width};

/// A type with its size in bytes, if it has a layout.
#[derive(Clone, Copy)]
struct Sized {
    ty: Type,
    bytes: u32,
}

/// A type of data, at most three levels deep.
pub(crate) fn data_type(g: &mut Gen) -> Type {
    let laid_out = g.rng.one_in(4);
    nested(g, laid_out, 2).ty
}

/// `true` if constants of the type can be written part by part.
pub(crate) fn is_data(module: &Module, ty: Type) -> bool {
    let mut work = vec![ty];
    while let Some(ty) = work.pop() {
        match module.type_of(ty) {
            TypeData::Bool | TypeData::Int { .. } | TypeData::Float { .. } | TypeData::Vector { .. } => {}
            TypeData::Matrix { column, .. } => work.push(*column),
            TypeData::Array { of, .. } => work.push(*of),
            TypeData::Struct(id) => match module.structure(*id) {
                Some(data) => work.extend(data.members.iter().map(|member| member.ty)),
                None => return false,
            },
            _ => return false,
        }
    }
    true
}

fn scalar(g: &mut Gen, laid_out: bool) -> Sized {
    let width = *g.rng.pick(&[Width::W32, Width::W32, Width::W32, Width::W8, Width::W16, Width::W64]);
    let data = match g.rng.below(4) {
        0 if !laid_out => TypeData::Bool,
        1 => TypeData::Int { width, signed: true },
        2 => TypeData::Int { width, signed: false },
        _ => TypeData::Float { width: if width.has_floats() { width } else { Width::W32 } },
    };
    let bytes = match data {
        TypeData::Int { width, .. } | TypeData::Float { width } => width.bits() / 8,
        _ => 1,
    };
    Sized { ty: g.module.ty(data), bytes }
}

fn vector(g: &mut Gen, laid_out: bool) -> Sized {
    let of = scalar(g, laid_out);
    let components = if g.rng.one_in(12) { *g.rng.pick(&[8, 16]) } else { g.rng.between(2, 4) as u8 };
    Sized {
        ty: g.module.ty(TypeData::Vector { of: of.ty, components }),
        bytes: of.bytes * u32::from(components),
    }
}

fn pointer(g: &mut Gen) -> Sized {
    let to = scalar(g, true).ty;
    Sized { ty: g.module.ty(TypeData::Pointer { mode: Mode::Physical, to }), bytes: 8 }
}

fn matrix(g: &mut Gen, laid_out: bool) -> Sized {
    let width = *g.rng.pick(&[Width::W32, Width::W32, Width::W16, Width::W64]);
    let of = g.module.ty(TypeData::Float { width });
    let column = g.module.ty(TypeData::Vector { of, components: g.rng.between(2, 4) as u8 });
    let columns = g.rng.between(2, 4) as u8;
    let stride = if laid_out { 32 } else { 0 };
    let row_major = laid_out && g.rng.one_in(2);
    Sized { ty: g.module.ty(TypeData::Matrix { column, columns, stride, row_major }), bytes: 32 * 4 }
}

fn nested(g: &mut Gen, laid_out: bool, depth: usize) -> Sized {
    match g.rng.below(if depth == 0 { 3 } else { 6 }) {
        0 if !laid_out && g.rng.one_in(6) => pointer(g),
        0 | 1 => scalar(g, laid_out),
        2 => vector(g, laid_out),
        3 => matrix(g, laid_out),
        4 => array(g, laid_out, depth - 1),
        _ => {
            let known: Vec<Struct> = g.structs.clone();
            match g.rng.choose(&known) {
                Some(&id) if !laid_out => Sized { ty: g.module.ty(TypeData::Struct(id)), bytes: 0 },
                _ => structure_at(g, laid_out, depth - 1),
            }
        }
    }
}

fn array(g: &mut Gen, laid_out: bool, depth: usize) -> Sized {
    let of = nested(g, laid_out, depth);
    let count = g.rng.between(1, 5) as u32;
    let stride = if laid_out { of.bytes.next_multiple_of(16) } else { 0 };
    let specs: Vec<_> = g.globals.iter().copied().filter(|&id| is_length(&g.module, id)).collect();
    let len = match g.rng.choose(&specs) {
        Some(&global) if g.rng.one_in(2) => Len::Global(global),
        _ => Len::Count(count),
    };
    // Sized for the default of a specialization constant; the specialized length is unknown.
    let bytes = stride * 64;
    Sized { ty: g.module.ty(TypeData::Array { of: of.ty, len, stride }), bytes }
}

fn is_length(module: &Module, global: vitrine_core::ir::Global) -> bool {
    let Some(data) = module.global(global) else { return false };
    match data.value {
        GlobalValue::Spec(bits) => {
            module.global_type(global) == Some(ValueType::B32)
                && (1..=64).contains(&module.bits_of(bits).component(0).bits())
        }
        _ => false,
    }
}

fn structure_at(g: &mut Gen, laid_out: bool, depth: usize) -> Sized {
    let count = g.rng.between(1, 4);
    let members = (0..count).map(|_| nested(g, laid_out, depth)).collect();
    declare(g, members, laid_out, Attrs::None)
}

/// Declares a structure; a block may end in a run-time array.
pub(crate) fn structure(g: &mut Gen, laid_out: bool, open_end: bool) -> Struct {
    let count = g.rng.between(1, 4);
    let mut members: Vec<Sized> = (0..count).map(|_| nested(g, laid_out, 2)).collect();
    if open_end {
        let of = nested(g, laid_out, 1);
        let stride = of.bytes.next_multiple_of(16);
        members.push(Sized { ty: g.module.ty(TypeData::RuntimeArray { of: of.ty, stride }), bytes: 0 });
    }
    let attrs = if laid_out { Attrs::one(Key::Block, 1) } else { Attrs::None };
    let made = declare(g, members, laid_out, attrs);
    let TypeData::Struct(id) = *g.module.type_of(made.ty) else { panic!("a structure was just made") };
    if !laid_out {
        g.structs.push(id);
    }
    id
}

fn declare(g: &mut Gen, members: Vec<Sized>, laid_out: bool, attrs: Attrs) -> Sized {
    let mut at = 0;
    let mut list = Vec::new();
    for member in members {
        let name = g.name();
        let mut attrs = g.some_attrs(&[(Key::Relaxed, 1)]);
        if laid_out {
            attrs = attrs.with(Key::Offset, u64::from(at));
            at = (at + member.bytes).next_multiple_of(16);
        }
        list.push(Member { name, ty: member.ty, attrs });
    }
    let least = g.module.structs().last().map_or(0, |(id, _)| id.index() + 1);
    let id: Struct = g.fresh(least);
    let name = g.name();
    g.module.set_struct(id, StructData { name, members: list.into(), attrs });
    Sized { ty: g.module.ty(TypeData::Struct(id)), bytes: at }
}

/// The module variables.
pub(crate) fn variables(g: &mut Gen) {
    for _ in 0..g.rng.between(1, 6) {
        let mode = *g.rng.pick(&[
            Mode::In,
            Mode::Out,
            Mode::Private,
            Mode::Private,
            Mode::Handle,
            Mode::Handle,
            Mode::Uniform,
            Mode::Storage,
            Mode::Storage,
            Mode::Push,
            Mode::Shared,
            Mode::Payload,
            Mode::Callable,
        ]);
        let id = variable(g, mode, None);
        g.vars.push(id);
    }
}

/// A variable of any mode that variables can have.
pub(crate) fn variable(g: &mut Gen, mode: Mode, owner: Option<Func>) -> Var {
    let ty = match mode {
        Mode::In | Mode::Out => interface_type(g),
        Mode::Handle => handle_type(g),
        Mode::Uniform | Mode::Push => buffer_type(g, false),
        Mode::Storage => buffer_type(g, true),
        Mode::Private
        | Mode::Local
        | Mode::Shared
        | Mode::Payload
        | Mode::Callable
        | Mode::Physical
        | Mode::Generic => data_type(g),
    };
    let init = match mode {
        Mode::Private | Mode::Local | Mode::Out if g.rng.one_in(3) && is_data(&g.module, ty) => {
            Some(initial(g, ty))
        }
        _ => None,
    };
    let attrs = variable_attrs(g, mode);
    let least = g.module.vars().last().map_or(0, |(id, _)| id.index() + 1);
    let id: Var = g.fresh(least);
    let name = g.name();
    g.module.set_var(id, VarData { name, ty, mode, owner, init, attrs });
    id
}

fn initial(g: &mut Gen, ty: Type) -> Operand {
    g.constant_of(ty)
}

fn variable_attrs(g: &mut Gen, mode: Mode) -> Attrs {
    let small = g.rng.below(8) as u64;
    let mut list = Vec::new();
    match mode {
        Mode::In | Mode::Out => {
            let builtins = word_count(Key::BuiltIn);
            list.push(match g.rng.one_in(4) {
                true => Attr::new(Key::BuiltIn, g.rng.below(builtins) as u64),
                false => Attr::new(Key::Location, small),
            });
            list.extend(
                g.some_attrs(&[(Key::Relaxed, 1), (Key::Invariant, 1), (Key::Component, small % 4)]).iter(),
            );
        }
        Mode::Handle | Mode::Uniform | Mode::Storage => {
            list.extend([Attr::new(Key::Set, small % 4), Attr::new(Key::Binding, small)]);
            list.extend(g.some_attrs(&[(Key::Aliased, 1), (Key::Access, 1 + small % 4)]).iter());
        }
        _ => list.extend(g.some_attrs(&[(Key::Relaxed, 1)]).iter()),
    }
    Attrs::from_list(list)
}

/// The number of words of a key.
pub(crate) fn word_count(key: Key) -> usize {
    match key.kind() {
        ValueKind::Word(words) | ValueKind::Words(words) => words.len(),
        _ => 0,
    }
}

fn interface_type(g: &mut Gen) -> Type {
    let width = *g.rng.pick(&[Width::W32, Width::W32, Width::W16]);
    let of = match g.rng.below(3) {
        0 => g.module.ty(TypeData::Int { width, signed: g.rng.one_in(2) }),
        _ => g.module.ty(TypeData::Float { width }),
    };
    let components = g.rng.between(1, 4) as u8;
    let ty = if components == 1 { of } else { g.module.ty(TypeData::Vector { of, components }) };
    if g.rng.one_in(4) {
        return g.module.ty(TypeData::Array { of: ty, len: Len::Count(3), stride: 0 });
    }
    ty
}

fn buffer_type(g: &mut Gen, may_be_open: bool) -> Type {
    let open = may_be_open && g.rng.one_in(2);
    let id = structure(g, true, open);
    let ty = g.module.ty(TypeData::Struct(id));
    if g.rng.one_in(6) {
        return g.module.ty(TypeData::Array { of: ty, len: Len::Count(2), stride: 0 });
    }
    ty
}

fn handle_type(g: &mut Gen) -> Type {
    let data = match g.rng.below(8) {
        0 => TypeData::Sampler,
        1 => TypeData::AccelStruct,
        2 | 3 => TypeData::SampledImage(image(g, Usage::Sampled)),
        4 | 5 => TypeData::Image(image(g, Usage::Sampled)),
        _ => TypeData::Image(image(g, Usage::Storage)),
    };
    let ty = g.module.ty(data);
    if g.rng.one_in(6) {
        return g.module.ty(TypeData::Array { of: ty, len: Len::Count(4), stride: 0 });
    }
    ty
}

fn image(g: &mut Gen, usage: Usage) -> ImageType {
    let sampled = match g.rng.below(3) {
        0 => TypeData::Int { width: Width::W32, signed: g.rng.one_in(2) },
        _ => TypeData::Float { width: Width::W32 },
    };
    // Dimensions that every operation supports.
    let dim = [Dim::D1, Dim::D2, Dim::D3, Dim::Cube][g.rng.below(4)];
    let arrayed = dim != Dim::D3 && g.rng.one_in(3);
    let multisampled = dim == Dim::D2 && g.rng.one_in(4);
    let depth = *g.rng.pick(&[Depth::No, Depth::No, Depth::Yes, Depth::Unknown]);
    let format = if usage == Usage::Storage { g.rng.below(ImageType::FORMATS.len()) as u8 } else { 0 };
    ImageType { sampled: g.module.ty(sampled), dim, arrayed, multisampled, depth, usage, format }
}

/// The members of a structure.
pub(crate) fn members(module: &Module, id: Struct) -> Rc<[Member]> {
    module.structure(id).map_or_else(|| [].into(), |data| data.members.clone())
}
