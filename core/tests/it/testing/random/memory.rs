//! Paths and accesses through them: steps that fit the full type, accesses that fit the memory.

use super::body::{Body, Val, data_of_path};
use super::ops::finish;
use super::tex;
use super::types;
use vitrine_core::base::EntityId;
use vitrine_core::ir::{Inst, InstData, Mode, PathType, Type, TypeData, Var};
use vitrine_core::ops::{DerefOp, IoOp, Key, MemoryOp, Op, PtrOp, ValueType, Width};

/// A path from scope or to a variable, followed by some steps.
pub(crate) fn path(body: &mut Body<'_>) -> (Inst, PathType) {
    let known: Vec<(Inst, PathType)> =
        body.scope.iter().filter_map(|val| Some((val.inst, val.path?))).collect();
    let (mut inst, mut path) = match body.g.rng.choose(&known) {
        Some(&known) if body.g.rng.one_in(2) => known,
        Some(_) | None => whole(body),
    };
    for _ in 0..body.g.rng.below(3) {
        let Some(below) = step(body, inst, path) else { break };
        (inst, path) = below;
    }
    (inst, path)
}

fn whole(body: &mut Body<'_>) -> (Inst, PathType) {
    let vars = body.vars.clone();
    let var = *body.g.rng.pick(&vars);
    of_var(body, var)
}

/// The path of a variable.
pub(crate) fn of_var(body: &mut Body<'_>, var: Var) -> (Inst, PathType) {
    let data = body.module().var(var).expect("the variable was made");
    let path = PathType { ty: data.ty, mode: data.mode };
    let data = InstData::new(DerefOp::Var, ValueType::Path, &[]).with(Key::Var, var.index() as u64);
    (body.emit_path(data, path), path)
}

/// A step, if the type has parts.
pub(crate) fn step(body: &mut Body<'_>, base: Inst, path: PathType) -> Option<(Inst, PathType)> {
    if let TypeData::Struct(id) = *body.module().type_of(path.ty) {
        let members = types::members(body.module(), id);
        let at = body.g.rng.below(members.len());
        let below = PathType { ty: members.get(at)?.ty, ..path };
        let data = InstData::new(DerefOp::Field, ValueType::Path, &[base]).with(Key::Field, at as u64);
        return Some((body.emit_path(data, below), below));
    }
    let below = PathType { ty: body.module().element_type(path.ty)?, ..path };
    let index = match body.module().element_count(path.ty) {
        Some(count) => {
            let at = body.g.rng.below(count as usize) as u64;
            body.number(at)
        }
        None => body.value(ValueType::B32),
    };
    let data = InstData::new(DerefOp::Elem, ValueType::Path, &[base, index]);
    Some((body.emit_path(data, below), below))
}

/// A path to a value that satisfies the condition; an undefined path to `otherwise` if none is found.
fn leaf(
    body: &mut Body<'_>,
    accepts: impl Fn(&Body<'_>, PathType) -> bool,
    otherwise: impl FnOnce(&mut Body<'_>) -> PathType,
) -> (Inst, PathType) {
    for _ in 0..3 {
        let (mut inst, mut path) = path(body);
        loop {
            if body.module().value_type(path.ty).is_some() && accepts(body, path) {
                return (inst, path);
            }
            let Some(below) = step(body, inst, path) else { break };
            (inst, path) = below;
        }
    }
    let path = otherwise(body);
    (body.path_to(path), path)
}

fn number_type(body: &mut Body<'_>, width: Width) -> Type {
    let signed = body.g.rng.one_in(2);
    body.g.module.ty(TypeData::Int { width, signed })
}

fn private_number(body: &mut Body<'_>) -> PathType {
    PathType { ty: number_type(body, Width::W32), mode: Mode::Private }
}

/// A path to an integer that atomics support.
fn atomic_leaf(body: &mut Body<'_>) -> (Inst, ValueType) {
    let accepts = |body: &Body<'_>, path: PathType| {
        let wide = |width: &Width| matches!(width, Width::W32 | Width::W64);
        matches!(path.mode, Mode::Storage | Mode::Shared)
            && matches!(body.module().type_of(path.ty), TypeData::Int { width, .. } if wide(width))
    };
    let (inst, path) = leaf(body, accepts, |body| {
        let width = *body.g.rng.pick(&[Width::W32, Width::W64]);
        PathType { ty: number_type(body, width), mode: *body.g.rng.pick(&[Mode::Storage, Mode::Shared]) }
    });
    (inst, body.module().value_type(path.ty).unwrap_or(ValueType::B32))
}

/// Loads, stores, copies, atomics.
pub(crate) fn access(body: &mut Body<'_>, op: MemoryOp) {
    match op {
        MemoryOp::Load => load(body),
        MemoryOp::Store => store(body),
        MemoryOp::CopyVar => copy(body),
        MemoryOp::CopyBytes => {
            let (to, from) = (body.value(ValueType::Ptr), body.value(ValueType::Ptr));
            let size = body.number(16);
            put(
                body,
                op,
                ValueType::Void,
                &[(to, ValueType::Ptr), (from, ValueType::Ptr), (size, ValueType::B32)],
            );
        }
        MemoryOp::ArrayLen => array_len(body),
        MemoryOp::AtomicLoad => {
            let (at, ty) = atomic_leaf(body);
            put(body, op, ty, &[(at, ValueType::Path)]);
        }
        MemoryOp::AtomicStore => {
            let (at, ty) = atomic_leaf(body);
            let value = body.value(ty);
            put(body, op, ValueType::Void, &[(at, ValueType::Path), (value, ty)]);
        }
        MemoryOp::Atomic => {
            let (at, ty) = atomic_leaf(body);
            let value = body.value(ty);
            let does = body.g.rng.below(10) as u64;
            let data = InstData::new(op, ty, &[at, value]).with(Key::Atomic, does);
            let data = finish(body, data, &[ValueType::Path, ty]);
            body.emit(data);
        }
        MemoryOp::AtomicCas => {
            let (at, ty) = atomic_leaf(body);
            let (old, new) = (body.value(ty), body.value(ty));
            put(body, op, ty, &[(at, ValueType::Path), (old, ty), (new, ty)]);
        }
    }
}

fn put(body: &mut Body<'_>, op: impl Into<Op>, ty: ValueType, args: &[(Inst, ValueType)]) -> Inst {
    let (insts, types): (Vec<Inst>, Vec<ValueType>) = args.iter().copied().unzip();
    let data = finish(body, InstData::new(op, ty, &insts), &types);
    body.emit(data)
}

fn load(body: &mut Body<'_>) {
    if body.g.rng.one_in(4) {
        let from = body.value(ValueType::Ptr);
        if body.g.rng.one_in(4) {
            let path = PathType { ty: types::data_type(body.g), mode: Mode::Physical };
            let data = data_of_path(InstData::new(MemoryOp::Load, ValueType::Path, &[from]), Some(path));
            let data = finish(body, data, &[ValueType::Ptr]);
            body.emit_path(data, path);
            return;
        }
        let ty = body.g.bits_type();
        put(body, MemoryOp::Load, ty, &[(from, ValueType::Ptr)]);
        return;
    }
    let (from, path) = leaf(body, |_, _| true, private_number);
    let ty = body.module().value_type(path.ty).unwrap_or(ValueType::B32);
    let (pointee, handle) = match *body.module().type_of(path.ty) {
        TypeData::Pointer { mode, to } => (Some(PathType { ty: to, mode }), None),
        _ => (None, (ty == ValueType::Handle).then_some(path.ty)),
    };
    let data = finish(body, InstData::new(MemoryOp::Load, ty, &[from]), &[ValueType::Path]);
    body.emit_val(data, pointee, handle);
}

fn store(body: &mut Body<'_>) {
    if body.g.rng.one_in(4) {
        let (to, ty) = (body.value(ValueType::Ptr), body.g.bits_type());
        let value = body.value(ty);
        put(body, MemoryOp::Store, ValueType::Void, &[(to, ValueType::Ptr), (value, ty)]);
        return;
    }
    let bits = |body: &Body<'_>, ty| matches!(body.module().value_type(ty), Some(ValueType::Bits { .. }));
    let (to, path) = leaf(body, |body, path| path.mode.is_writable() && bits(body, path.ty), private_number);
    let ty = body.module().value_type(path.ty).unwrap_or(ValueType::B32);
    let value = body.value(ty);
    put(body, MemoryOp::Store, ValueType::Void, &[(to, ValueType::Path), (value, ty)]);
}

/// Copies between two places of one type, sometimes with a wildcard.
fn copy(body: &mut Body<'_>) {
    let (mut from, mut path) = (0..6)
        .find_map(|_| Some(path(body)).filter(|(_, path)| types::is_data(body.module(), path.ty)))
        .unwrap_or_else(|| {
            let path = private_number(body);
            (body.path_to(path), path)
        });
    let place = PathType { mode: Mode::Private, ..path };
    let mut to = body.path_to(place);
    if matches!(body.module().type_of(path.ty), TypeData::Array { .. })
        && let Some(of) = body.module().element_type(path.ty)
    {
        path.ty = of;
        let all = |base| InstData::new(DerefOp::All, ValueType::Path, &[base]);
        from = body.emit_path(all(from), path);
        to = body.emit_path(all(to), PathType { ty: of, ..place });
        // Only copies accept wildcards.
        body.scope.truncate(body.scope.len() - 2);
    }
    put(body, MemoryOp::CopyVar, ValueType::Void, &[(to, ValueType::Path), (from, ValueType::Path)]);
}

fn array_len(body: &mut Body<'_>) {
    let open = |val: &Val| {
        let is_open =
            |path: PathType| matches!(body.module().type_of(path.ty), TypeData::RuntimeArray { .. });
        val.path.is_some_and(is_open)
    };
    let known: Vec<Inst> = body.scope.iter().filter(|val| open(val)).map(|val| val.inst).collect();
    let array = match body.g.rng.choose(&known) {
        Some(&inst) => inst,
        None => {
            let of = number_type(body, Width::W32);
            let ty = body.g.module.ty(TypeData::RuntimeArray { of, stride: 4 });
            body.path_to(PathType { ty, mode: Mode::Storage })
        }
    };
    put(body, MemoryOp::ArrayLen, ValueType::B32, &[(array, ValueType::Path)]);
}

/// Steps of a path.
pub(crate) fn deref(body: &mut Body<'_>, op: DerefOp) {
    match op {
        DerefOp::Var => {
            whole(body);
        }
        DerefOp::Field | DerefOp::Elem => {
            let (inst, path) = path(body);
            step(body, inst, path);
        }
        DerefOp::All => copy(body),
        DerefOp::Step => {
            let (base, path, index) = stepped(body);
            let data = finish(
                body,
                InstData::new(op, ValueType::Path, &[base, index]),
                &[ValueType::Path, ValueType::B32],
            );
            body.emit_path(data, path);
        }
        DerefOp::Cast => {
            let (base, path) = path(body);
            let path = PathType { ty: types::data_type(body.g), ..path };
            body.emit_path(data_of_path(InstData::new(op, ValueType::Path, &[base]), Some(path)), path);
        }
        DerefOp::FromBits => {
            let bits = address_bits(body);
            let bits = body.value(bits);
            let path = PathType { ty: types::data_type(body.g), mode: Mode::Physical };
            body.emit_path(data_of_path(InstData::new(op, ValueType::Path, &[bits]), Some(path)), path);
        }
    }
}

/// A pointer, its target and a number of elements to advance it by: half of the time the address of an element of an
/// array and a constant that stays in the array.
fn stepped(body: &mut Body<'_>) -> (Inst, PathType, Inst) {
    let found = if body.g.rng.one_in(2) { (0..4).find_map(|_| array(body)) } else { None };
    let Some((array, ty, count)) = found else {
        let path = private_number(body);
        let base = body.path_to(path);
        return (base, path, body.value(ValueType::B32));
    };
    let [from, to] = [0, 1].map(|_| body.g.rng.below(count as usize) as u64);
    let index = body.number(from);
    let element = InstData::new(DerefOp::Elem, ValueType::Path, &[array, index]);
    let element = body.emit_path(element, ty);
    (element, ty, body.number(to.wrapping_sub(from) & 0xffff_ffff))
}

/// A path to an array of known length, the target of its elements, and their number.
fn array(body: &mut Body<'_>) -> Option<(Inst, PathType, u32)> {
    let (mut inst, mut path) = path(body);
    loop {
        if let TypeData::Array { of, .. } = *body.module().type_of(path.ty)
            && let Some(count) = body.module().element_count(path.ty).filter(|&count| count > 0)
        {
            return Some((inst, PathType { ty: of, ..path }, count));
        }
        (inst, path) = step(body, inst, path)?;
    }
}

/// The type of a pointer as bits.
fn address_bits(body: &mut Body<'_>) -> ValueType {
    *body.g.rng.pick(&[ValueType::bits(Width::W64, 1), ValueType::bits(Width::W32, 2)])
}

/// Untyped pointers.
pub(crate) fn ptr(body: &mut Body<'_>, op: PtrOp) {
    let (one, two) = (ValueType::Ptr, ValueType::B32);
    match op {
        PtrOp::Var => {
            let vars = body.vars.clone();
            let var = *body.g.rng.pick(&vars);
            body.emit(InstData::new(op, one, &[]).with(Key::Var, var.index() as u64));
        }
        PtrOp::Path => {
            let (base, _) = path(body);
            put(body, op, one, &[(base, ValueType::Path)]);
        }
        PtrOp::Offset | PtrOp::BufferData => {
            let base = body.value(one);
            put(body, op, one, &[(base, one)]);
        }
        PtrOp::DynOffset | PtrOp::HandleIndex => {
            let args = [(body.value(one), one), (body.value(two), two)];
            put(body, op, one, &args);
        }
        PtrOp::Handle => {
            let at = body.value(one);
            put(body, op, ValueType::Handle, &[(at, one)]);
        }
        PtrOp::BufferLen => {
            let buffer = body.value(one);
            put(body, op, two, &[(buffer, one)]);
        }
        PtrOp::Texel => tex::texel(body),
        PtrOp::ToBits => {
            let (address, ty) = (body.value(one), address_bits(body));
            put(body, op, ty, &[(address, one)]);
        }
        PtrOp::FromBits => {
            let ty = address_bits(body);
            let bits = body.value(ty);
            put(body, op, one, &[(bits, ty)]);
        }
        PtrOp::Eq | PtrOp::Ne => {
            let args = [(body.value(one), one), (body.value(one), one)];
            put(body, op, ValueType::BOOL, &args);
        }
        PtrOp::Diff => {
            let args = [(body.value(one), one), (body.value(one), one)];
            let width = *body.g.rng.pick(&[Width::W32, Width::W64]);
            put(body, op, ValueType::bits(width, 1), &args);
        }
    }
}

/// Interpolation of an input.
pub(crate) fn interpolate(body: &mut Body<'_>, op: Op) {
    let is_float = |body: &Body<'_>, ty: Type| match *body.module().type_of(ty) {
        TypeData::Float { .. } => true,
        TypeData::Vector { of, .. } => matches!(body.module().type_of(of), TypeData::Float { .. }),
        _ => false,
    };
    let accepts = |body: &Body<'_>, path: PathType| path.mode == Mode::In && is_float(body, path.ty);
    let (input, path) = leaf(body, accepts, |body| {
        let ty = body.g.module.ty(TypeData::Float { width: Width::W32 });
        PathType { ty, mode: Mode::In }
    });
    let ty = body.module().value_type(path.ty).unwrap_or(ValueType::B32);
    let mut args = vec![(input, ValueType::Path)];
    if op == IoOp::InterpSample.into() {
        args.push((body.value(ValueType::B32), ValueType::B32));
    } else if op == IoOp::InterpOffset.into() {
        let two = ValueType::bits(Width::W32, 2);
        args.push((body.value(two), two));
    }
    put(body, op, ty, &args);
}
