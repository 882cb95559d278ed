//! Any operation: operands by the constraints of its table entry, attributes by the key table. Constraints that the
//! table cannot express (sums of components, calls that fit the callee) are here and in `memory` and `tex`.

use super::body::{Body, Slot, data_of_path};
use super::{memory, tex, types};
use vitrine_core::base::EntityId;
use vitrine_core::ir::{Attrs, Func, Global, GlobalValue, InstData, Mode, PathType, Reg, RegData, Stage};
use vitrine_core::ops::attr::{EntityKind, ValueKind, pack_components};
use vitrine_core::ops::constraint::Unknowns;
use vitrine_core::ops::ty::COMPONENT_COUNTS;
use vitrine_core::ops::{
    Attr, BasicOp, Flags, GroupOp, How, IoOp, Key, Op, Reduction, RegOp, Scope, Semantics, TexOp, ValueType,
    VectorOp, Width, Word, WordSet,
};

/// Emits a random operation, unless it has no possible operands here.
pub(crate) fn any(body: &mut Body<'_>) {
    let all: Vec<Op> = Op::all().collect();
    let op = *body.g.rng.pick(&all);
    if !exists_in(op, body.g.stage) {
        return;
    }
    match op {
        Op::Basic(basic) => self::basic(body, basic),
        Op::Vector(vector) => self::vector(body, vector),
        Op::Memory(memory) => memory::access(body, memory),
        Op::Deref(deref) => memory::deref(body, deref),
        Op::Ptr(ptr) => memory::ptr(body, ptr),
        Op::Io(IoOp::InterpCentroid | IoOp::InterpSample | IoOp::InterpOffset) => {
            memory::interpolate(body, op);
        }
        Op::Group(GroupOp::Reduce) => reduce(body),
        Op::Tex(tex) => tex::image_op(body, tex),
        Op::Reg(reg) => register(body, reg),
        Op::Spirv(_) => raw(body, op),
        Op::Float(_) | Op::Int(_) | Op::Convert(_) | Op::Io(_) | Op::Group(_) => from_table(body, op),
    }
}

/// `true` if a stage supports the operation; `attr_value` handles barriers.
fn exists_in(op: Op, stage: Stage) -> bool {
    let quads = matches!(op, Op::Group(GroupOp::Ddx | GroupOp::Ddy | GroupOp::Fwidth))
        || matches!(op, Op::Tex(TexOp::Sample | TexOp::QueryLod));
    match op {
        Op::Io(IoOp::EmitVertex | IoOp::EndPrimitive) => stage == Stage::Geometry,
        Op::Io(IoOp::SetMeshOutputs) => stage == Stage::Mesh,
        Op::Io(
            IoOp::DiscardIf
            | IoOp::TerminateIf
            | IoOp::Demote
            | IoOp::DemoteIf
            | IoOp::IsHelper
            | IoOp::InterlockBegin
            | IoOp::InterlockEnd
            | IoOp::InterpCentroid
            | IoOp::InterpSample
            | IoOp::InterpOffset,
        ) => stage == Stage::Fragment,
        _ => !quads || stage == Stage::Fragment,
    }
}

/// Emits an operation that the table describes completely.
fn from_table(body: &mut Body<'_>, op: Op) {
    let info = op.info();
    let mut known = Unknowns::default();
    let count = info.operands.len() + if info.rest.is_some() { body.g.rng.below(4) } else { 0 };
    let operands: Vec<_> = (0..count).filter_map(|at| info.operand(at)).collect();
    let mut types = Vec::new();
    let mut args = Vec::new();
    for operand in operands {
        let liked: Vec<ValueType> = body.scope.iter().map(|val| val.ty).collect();
        let ty = body.g.admitted(&operand.constraint, &mut known, &liked);
        types.push(ty);
        args.push(body.value(ty));
    }
    let ty = body.g.admitted(&info.result, &mut known, &[]);
    let data = finish(body, InstData::new(op, ty, &args), &types);
    body.emit(data);
}

/// The same with all required attributes, some optional ones, and flags.
pub(crate) fn finish(body: &mut Body<'_>, data: InstData, args: &[ValueType]) -> InstData {
    let info = data.op.info();
    let mut list: Vec<Attr> = data.attrs.iter().collect();
    let given: Vec<Key> = list.iter().map(|attr| attr.key).collect();
    let optional: Vec<Key> = info.may.iter().copied().filter(|_| body.g.rng.one_in(3)).collect();
    for key in info.need.iter().copied().chain(optional).filter(|key| !given.contains(key)) {
        if let Some(value) = attr_value(body, key, &data, args) {
            list.push(Attr::new(key, value));
        }
    }
    let flags = flags(body, data.op);
    InstData { attrs: Attrs::from_list(list), flags, ..data }
}

/// A legal value for a key on this instruction; `None` if the key is not allowed.
fn attr_value(body: &mut Body<'_>, key: Key, data: &InstData, args: &[ValueType]) -> Option<u64> {
    let rng = &mut body.g.rng;
    Some(match key.kind() {
        ValueKind::Flag => 1,
        ValueKind::Number => match key {
            Key::Align => 1 << rng.below(9),
            Key::Component | Key::Stream => rng.below(4) as u64,
            Key::Index => rng.below(2) as u64,
            Key::Stride => 4 << rng.below(6),
            Key::Mask => mask(body, args)?,
            Key::Cluster => return None,
            _ => rng.below(100) as u64,
        },
        ValueKind::Signed if data.args.is_empty() || args.contains(&ValueType::Path) => return None,
        ValueKind::Signed => (rng.below(2_000) as i64 - 1_000) as u64,
        // Subgroup barriers exist in every stage, workgroup barriers only in stages with workgroups.
        ValueKind::Word(_) if key == Key::Exec => Scope::Subgroup.number(),
        ValueKind::Word(_) if data.op == GroupOp::BallotCount.into() => rng.below(3) as u64,
        ValueKind::Word(words) => rng.below(words.len()) as u64,
        ValueKind::Words(_) if key == Key::Access => 1 << rng.below(4),
        // A memory order, and sometimes the memory it applies to.
        ValueKind::Words(_) if key == Key::Order => {
            1 << rng.below(4) | if rng.one_in(2) { Semantics::WORKGROUP_MEMORY.number() } else { 0 }
        }
        ValueKind::Words(_) if key == Key::OrderElse => Semantics::ACQUIRE.number(),
        ValueKind::Words(words) => 1 << rng.below(words.len()),
        ValueKind::Entity(EntityKind::Text) => body.g.text().index() as u64,
        ValueKind::Entity(EntityKind::Blob) => {
            let words: Vec<u32> = (0..rng.below(4)).map(|_| rng.bits() as u32).collect();
            body.g.module.blob(&words).index() as u64
        }
        ValueKind::Roles | ValueKind::Components | ValueKind::Member | ValueKind::Entity(_) => return None,
    })
}

/// Some components of the stored value, which is the first bits operand that is not an index.
fn mask(body: &mut Body<'_>, args: &[ValueType]) -> Option<u64> {
    let components = args
        .iter()
        .rev()
        .find(|ty| ty.components() > 1)
        .or(args.iter().find(|ty| ty.width().is_some()))?
        .components();
    Some(1 + body.g.rng.below((1 << components) - 1) as u64)
}

fn flags(body: &mut Body<'_>, op: Op) -> Flags {
    const FLOAT: &[Flags] = &[
        Flags::EXACT,
        Flags::NNAN,
        Flags::NINF,
        Flags::NSZ,
        Flags::ARCP,
        Flags::CONTRACT,
        Flags::REASSOC,
        Flags::FAST,
    ];
    let choices: &[Flags] = match op {
        Op::Float(_) => FLOAT,
        Op::Int(_) if ["iadd", "isub", "imul", "ishl"].contains(&op.name()) => &[Flags::NSW, Flags::NUW],
        Op::Int(_) | Op::Convert(_) => &[Flags::RELAXED],
        _ => &[],
    };
    match body.g.rng.choose(choices) {
        Some(&flag) if body.g.rng.one_in(3) => flag,
        Some(_) | None => Flags::NONE,
    }
}

fn basic(body: &mut Body<'_>, op: BasicOp) {
    match op {
        BasicOp::Param => {}
        BasicOp::Const => {
            let ValueType::Bits { width, components } = body.g.bits_type() else { return };
            let bits = body.g.bits(width, components);
            let data = InstData::new(op, ValueType::bits(width, components), &[]);
            body.emit(data.with(Key::Const, bits.index() as u64));
        }
        BasicOp::Global => global(body),
        BasicOp::Undef => undef(body),
        BasicOp::Copy => {
            let scope = body.scope.clone();
            let Some(val) = body.g.rng.choose(&scope) else { return };
            let data = InstData::new(op, val.ty, &[val.inst]);
            let path_type = if body.g.rng.one_in(2) { val.path } else { None };
            body.emit_val(data_of_path(data, path_type), val.path, val.handle);
        }
        BasicOp::Choose => choose(body),
        BasicOp::Call => call(body),
        BasicOp::Assume | BasicOp::Print => from_table(body, op.into()),
    }
}

fn undef(body: &mut Body<'_>) {
    let ty = match body.g.rng.below(4) {
        0 => ValueType::Ptr,
        1 => ValueType::Path,
        _ => body.g.bits_type(),
    };
    let path =
        (ty == ValueType::Path).then(|| PathType { ty: types::data_type(body.g), mode: Mode::Private });
    body.emit_val(data_of_path(InstData::new(BasicOp::Undef, ty, &[]), path), path, None);
}

fn global(body: &mut Body<'_>) {
    if body.g.rng.one_in(4) {
        let vars = body.g.vars.clone();
        let var = *body.g.rng.pick(&vars);
        body.g.address(var);
    }
    let globals: Vec<(Global, ValueType)> =
        body.g.globals.iter().filter_map(|&id| Some((id, body.g.module.global_type(id)?))).collect();
    let Some(&(id, ty)) = body.g.rng.choose(&globals) else { return };
    let data = InstData::new(BasicOp::Global, ty, &[]).with(Key::Global, id.index() as u64);
    match body.module().global(id).map(|data| &data.value) {
        Some(&GlobalValue::Address(var)) => {
            let path = body.module().var(var).map(|var| PathType { ty: var.ty, mode: var.mode });
            body.emit_val(data, path, None);
        }
        Some(_) | None if matches!(ty, ValueType::Bits { .. }) => {
            body.emit(data);
        }
        Some(_) | None => {}
    }
}

fn choose(body: &mut Body<'_>) {
    let cond = body.value(ValueType::BOOL);
    let (a, path) = memory::path(body);
    let b = body.path_to(path);
    let data = InstData::new(BasicOp::Choose, ValueType::Path, &[cond, a, b]);
    let path_type = if body.g.rng.one_in(2) { Some(path) } else { None };
    body.emit_path(data_of_path(data, path_type), path);
}

fn call(body: &mut Body<'_>) {
    let funcs = body.g.funcs.clone();
    let Some(&func) = body.g.rng.choose(&funcs) else { return };
    let Some((slots, result)) = signature(body, func) else { return };
    let args = body.args(&slots);
    let data = InstData::new(BasicOp::Call, result.ty, &args).with(Key::Func, func.index() as u64);
    body.emit_val(data, result.path, None);
}

fn signature(body: &Body<'_>, func: Func) -> Option<(Vec<Slot>, Slot)> {
    let callee = body.module().func(func)?;
    let path = |attrs: &Attrs| {
        let ty = vitrine_core::ir::Type::from_index(attrs.get(Key::Type)? as usize);
        Some(PathType { ty, mode: attrs.word()? })
    };
    let slot = |param: &vitrine_core::ir::Inst| {
        let data = callee.inst(*param);
        Slot { ty: data.ty, path: path(&data.attrs) }
    };
    let result = Slot { ty: callee.result(), path: path(callee.attrs()) };
    Some((callee.params().iter().map(slot).collect(), result))
}

fn vector(body: &mut Body<'_>, op: VectorOp) {
    match op {
        VectorOp::Vec => vec(body),
        VectorOp::Splat => {
            let ty = body.g.bits_type();
            let one = body.value(ty.with_components(1));
            body.emit(InstData::new(op, ty.with_components(2 + ty.components() % 3), &[one]));
        }
        VectorOp::Swizzle => {
            let from = body.g.bits_type();
            let a = body.value(from);
            pick_components(body, op, from, from.components(), &[a]);
        }
        VectorOp::Shuffle => {
            let from = body.g.bits_type();
            let to = from.with_components(body.g.rng.between(1, 4) as u8);
            let (a, b) = (body.value(from), body.value(to));
            pick_components(body, op, from, (from.components() + to.components()).min(16), &[a, b]);
        }
        VectorOp::Repack => {
            let (from, to) = *body.g.rng.pick(&[
                ("b32x4", "b64x2"),
                ("b32", "b8x4"),
                ("b16x4", "b32x2"),
                ("b64", "b16x4"),
            ]);
            let (Some(from), Some(to)) = (ValueType::parse(from), ValueType::parse(to)) else { return };
            let (from, to) = if body.g.rng.one_in(2) { (to, from) } else { (from, to) };
            let a = body.value(from);
            body.emit(InstData::new(op, to, &[a]));
        }
        _ => from_table(body, op.into()),
    }
}

fn vec(body: &mut Body<'_>) {
    let width = body.g.bits_type().width().unwrap_or(Width::W32);
    let total = COMPONENT_COUNTS[body.g.rng.between(1, 5)];
    let mut remaining = total;
    let mut args = Vec::new();
    while remaining > 0 {
        let components: Vec<u8> = COMPONENT_COUNTS
            .into_iter()
            .filter(|&components| components <= remaining && components < total)
            .collect();
        let components = *body.g.rng.pick(&components);
        args.push(body.value(ValueType::bits(width, components)));
        remaining -= components;
    }
    body.emit(InstData::new(VectorOp::Vec, ValueType::bits(width, total), &args));
}

fn pick_components(
    body: &mut Body<'_>,
    op: VectorOp,
    from: ValueType,
    sources: u8,
    args: &[vitrine_core::ir::Inst],
) {
    let count = COMPONENT_COUNTS[body.g.rng.below(4)];
    let components: Vec<u8> = (0..count).map(|_| body.g.rng.below(sources as usize) as u8).collect();
    body.emit(
        InstData::new(op, from.with_components(count), args)
            .with(Key::Components, pack_components(&components)),
    );
}

fn reduce(body: &mut Body<'_>) {
    let ty = body.g.bits_type();
    let width = ty.width().unwrap_or_default();
    let fits = |op: Reduction| match (op.is_bitwise(), op.is_float()) {
        (true, _) => true,
        (false, true) => width.has_floats(),
        (false, false) => width != Width::W1,
    };
    let fitting: Vec<Reduction> = Reduction::ALL.iter().copied().filter(|&op| fits(op)).collect();
    let op = *body.g.rng.pick(&fitting);
    let how = *body.g.rng.pick(How::ALL);
    let a = body.value(ty);
    let mut data = InstData::new(GroupOp::Reduce, ty, &[a]).with_word(op).with_word(how);
    if how == How::Clustered {
        data = data.with(Key::Cluster, 1 << body.g.rng.below(6));
    }
    let data = finish(body, data, &[ty]);
    body.emit(data);
}

fn register(body: &mut Body<'_>, op: RegOp) {
    let indexed = matches!(op, RegOp::LoadAt | RegOp::StoreAt);
    let regs: Vec<(Reg, RegData)> =
        body.regs.iter().copied().filter(|(_, data)| (data.len > 0) == indexed).collect();
    let Some(&(reg, data)) = body.g.rng.choose(&regs) else { return };
    let ty = ValueType::bits(data.width, data.components);
    let mut types = Vec::new();
    if indexed {
        types.push(ValueType::B32);
    }
    let result = match op {
        RegOp::Load | RegOp::LoadAt => ty,
        RegOp::Store | RegOp::StoreAt => {
            types.push(ty);
            ValueType::Void
        }
    };
    let args: Vec<_> = types.iter().map(|&ty| body.value(ty)).collect();
    let data = InstData::new(op, result, &args).with(Key::Reg, reg.index() as u64);
    let data = finish(body, data, &types);
    body.emit(data);
}

fn raw(body: &mut Body<'_>, op: Op) {
    let types: Vec<ValueType> = (0..body.g.rng.below(6)).map(|_| body.g.bits_type()).collect();
    let args: Vec<_> = types.iter().map(|&ty| body.value(ty)).collect();
    let (ty, path) = match body.g.rng.below(4) {
        0 => (ValueType::Void, None),
        1 => (ValueType::Path, Some(PathType { ty: types::data_type(body.g), mode: Mode::Storage })),
        _ => (body.g.bits_type(), None),
    };
    let data = data_of_path(InstData::new(op, ty, &args), path);
    let mut list: Vec<Attr> = data.attrs.iter().collect();
    for key in [Key::Opcode, Key::Words, Key::Text] {
        if let Some(value) = attr_value(body, key, &data, &types) {
            list.push(Attr::new(key, value));
        }
    }
    body.emit_val(InstData { attrs: Attrs::from_list(list), ..data }, path, None);
}
