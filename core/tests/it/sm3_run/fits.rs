//! Counts, before anything is written, whether a shader fits the profiles `vs_3_0` and `ps_3_0`.
//!
//! The count looks at the module alone: its types, its operations and its variables. It shares no code with the back end.
//! It is lenient: a shader that fits by this count may still need too many registers, as only a compiler knows. Bits of
//! integers (shifts, masks) do not fit, though the back end writes some of them.

use vitrine_core::ir::{FuncBody, InstData, Len, Mode, Module, Nesting, NodeKind, Stage, Type, TypeData};
use vitrine_core::ops::{
    Builtin, DerefOp, Dim, GroupOp, IntOp, IoOp, Key, MemoryOp, Op, Role, TexOp, ValueType, VectorOp, Width,
};

/// Limits of a profile; registers have 16 bytes.
struct Limits {
    constants: u64,
    samplers: u64,
    inputs: u64,
    outputs: u64,
    system_inputs: &'static [Builtin],
    system_outputs: &'static [Builtin],
}

const VERTEX: Limits = Limits {
    constants: 256,
    samplers: 4,
    inputs: 16,
    outputs: 12,
    system_inputs: &[],
    system_outputs: &[Builtin::Position, Builtin::PointSize],
};

const FRAGMENT: Limits = Limits {
    constants: 224,
    samplers: 16,
    inputs: 10,
    outputs: 4,
    system_inputs: &[Builtin::FragCoord, Builtin::FrontFacing],
    system_outputs: &[Builtin::FragDepth],
};

/// Temporary registers. Arrays need their components there, and something else needs one, too.
const TEMPORARIES: u64 = 32;
/// The depth of nested loops.
const LOOPS: u32 = 4;

/// The first reason why a shader does not fit its profile; none if it does.
pub(super) fn misfit(module: &Module) -> Option<String> {
    let stage = module.entries.first()?.stage;
    let limits = if stage == Stage::Vertex { &VERTEX } else { &FRAGMENT };
    module.funcs().find_map(|(_, body)| code(module, body, stage)).or_else(|| variables(module, limits))
}

/// Operations and constructs that the profiles lack.
fn code(module: &Module, body: &FuncBody, stage: Stage) -> Option<String> {
    let mut found = None;
    body.for_each_inst(|_, inst| {
        let data = body.inst(inst);
        let odd = operation(data, stage)
            .or_else(|| mode(module, data))
            .or_else(|| depth_of_pixel(module, body, data));
        found = found.take().or(odd);
    });
    let nesting = Nesting::of(body);
    let is_loop = |node: &_| matches!(body.node(*node).kind, NodeKind::Loop { .. });
    let depth = body.blocks_in_order().into_iter().filter_map(|block| {
        let place = nesting.block(block)?;
        u32::try_from(nesting.enclosing(place.region).filter(is_loop).count()).ok()
    });
    found.or_else(|| depth.max().filter(|&depth| depth > LOOPS).map(|depth| format!("{depth} nested loops")))
}

fn operation(data: &InstData, stage: Stage) -> Option<String> {
    if data.ty == ValueType::Ptr {
        return Some("a pointer".to_owned());
    }
    let bits = data.ty.width().map_or(32, Width::bits);
    if !matches!(bits, 1 | 32) {
        return Some(format!("{bits} bits"));
    }
    let has = match data.op {
        Op::Float(_) | Op::Vector(_) | Op::Convert(_) | Op::Deref(_) | Op::Basic(_) => true,
        Op::Int(op) => integer(op, bits),
        Op::Memory(op) => matches!(op, MemoryOp::Load | MemoryOp::Store | MemoryOp::CopyVar),
        Op::Tex(op) => lookup(data, op),
        Op::Group(op) => {
            stage == Stage::Fragment && matches!(op, GroupOp::Ddx | GroupOp::Ddy | GroupOp::Fwidth)
        }
        Op::Io(op) => {
            matches!(
                op,
                IoOp::DiscardIf | IoOp::TerminateIf | IoOp::Demote | IoOp::DemoteIf | IoOp::InterpCentroid
            )
        }
        _ => false,
    };
    (!has).then(|| format!("`{}`", data.op.name()))
}

/// Arithmetic on numbers, not on their bits.
fn integer(op: IntOp, bits: u32) -> bool {
    use IntOp as I;
    match op {
        I::IAnd | I::IOr | I::IXor | I::INot => bits == 1,
        I::IShl | I::IShr | I::UShr | I::Rotl | I::Rotr | I::UBfe | I::IBfe | I::Bfi | I::BitSelect => false,
        I::BitRev | I::BitCount | I::FindLsb | I::UFindMsb | I::IFindMsb | I::Clz | I::Ctz => false,
        I::IMulHigh | I::UMulHigh | I::UAddCarry | I::USubBorrow => false,
        _ => true,
    }
}

fn lookup(data: &InstData, op: TexOp) -> bool {
    let mut roles = data.attrs.get(Key::Roles).map(Role::unpack).into_iter().flatten();
    let plain = roles.all(|role| {
        !matches!(role, Role::Compare | Role::Offset | Role::Offsets | Role::Sample | Role::MinLod)
    });
    let flat = !data.attrs.has(Key::Arrayed) && !data.attrs.has(Key::Shadow) && !data.attrs.has(Key::Sparse);
    let known = match data.attrs.word() {
        None | Some(Dim::D1 | Dim::D2 | Dim::D3 | Dim::Cube) => true,
        Some(Dim::Rect | Dim::Buffer | Dim::Subpass) => false,
    };
    let samples = matches!(op, TexOp::Sample | TexOp::SampleLod | TexOp::Combine | TexOp::ImageOf);
    plain && flat && known && samples
}

/// Reads of `frag_coord.z` and `frag_coord.w`: the profiles have the position of a pixel only.
fn depth_of_pixel(module: &Module, body: &FuncBody, data: &InstData) -> Option<String> {
    let (path, component) = match data.op {
        Op::Deref(DerefOp::Elem) => {
            (*data.args.first()?, module.bits_of(body.const_of(*data.args.get(1)?)?).component(0).bits())
        }
        Op::Vector(VectorOp::Swizzle) => {
            let load = body.inst(*data.args.first()?);
            let packed = data.attrs.get(Key::Components)?;
            let most = (0..data.ty.components()).map(|at| packed >> (4 * at) & 0xf).max()?;
            (*load.args.first()?, most)
        }
        _ => return None,
    };
    let var = module.var(body.inst(path).entity(Key::Var)?)?;
    (var.attrs.word() == Some(Builtin::FragCoord) && component > 1)
        .then(|| "the depth of the pixel".to_owned())
}

/// Memory that the profiles lack.
fn mode(module: &Module, data: &InstData) -> Option<String> {
    if data.op != Op::Deref(DerefOp::Var) {
        return None;
    }
    let mode = module.var(data.entity(Key::Var)?)?.mode;
    let has = matches!(
        mode,
        Mode::In | Mode::Out | Mode::Private | Mode::Local | Mode::Handle | Mode::Uniform | Mode::Push
    );
    (!has).then(|| format!("`{}` memory", mode.name()))
}

/// Counts registers.
fn variables(module: &Module, limits: &Limits) -> Option<String> {
    let is_fragment = limits.samplers == FRAGMENT.samplers;
    let (mut constants, mut inputs, mut outputs, mut arrays, mut samplers) = (0, 0, 0, 0, 0);
    let mut odd = None;
    for (_, var) in module.vars() {
        let builtin = var.attrs.word::<Builtin>();
        let known = |list: &[Builtin]| builtin.is_none_or(|builtin| list.contains(&builtin));
        let system_value = || format!("system value {:?}", builtin.map(Builtin::name));
        let size = registers(module, var.ty);
        match var.mode {
            Mode::Uniform | Mode::Push => constants += bytes(module, var.ty).div_ceil(16),
            Mode::In if !known(limits.system_inputs) => odd = Some(system_value()),
            Mode::Out if !known(limits.system_outputs) => odd = Some(system_value()),
            Mode::In => inputs += size,
            Mode::Out if is_fragment && is_integer(module, var.ty) => {
                odd = Some("an integer output".to_owned());
            }
            Mode::Out => outputs += if builtin == Some(Builtin::FragDepth) { 0 } else { size },
            Mode::Private | Mode::Local => arrays += size,
            Mode::Handle
                if matches!(
                    module.type_of(var.ty),
                    TypeData::Array { .. } | TypeData::RuntimeArray { .. }
                ) =>
            {
                odd = Some("an array of textures".to_owned());
            }
            Mode::Handle => samplers += u64::from(!matches!(module.type_of(var.ty), TypeData::Sampler)),
            _ => {}
        }
    }
    let over = |count: u64, most: u64, what: &str| (count > most).then(|| format!("{count} {what}"));
    odd.or_else(|| over(constants, limits.constants, "constants"))
        .or_else(|| over(inputs, limits.inputs, "inputs"))
        .or_else(|| over(outputs, limits.outputs, "outputs"))
        .or_else(|| over(samplers, limits.samplers, "samplers"))
        .or_else(|| over(arrays, TEMPORARIES - 1, "registers of arrays"))
}

fn is_integer(module: &Module, ty: Type) -> bool {
    match module.type_of(ty) {
        TypeData::Int { .. } => true,
        TypeData::Vector { of, .. } => matches!(module.type_of(*of), TypeData::Int { .. }),
        _ => false,
    }
}

/// Registers of four components that a variable takes, each vector or column in one; four scalars share one.
fn registers(module: &Module, ty: Type) -> u64 {
    match module.type_of(ty) {
        TypeData::Matrix { columns, .. } => u64::from(*columns),
        TypeData::Array { of, len: Len::Count(count), .. } => match module.type_of(*of) {
            TypeData::Float { .. } | TypeData::Int { .. } | TypeData::Bool => u64::from(*count).div_ceil(4),
            _ => u64::from(*count) * registers(module, *of),
        },
        TypeData::Struct(id) => {
            let members = module.structure(*id).map(|data| data.members.clone());
            members.iter().flat_map(|members| members.iter()).map(|member| registers(module, member.ty)).sum()
        }
        _ => 1,
    }
}

/// Bytes of a type, by its offsets and strides.
fn bytes(module: &Module, ty: Type) -> u64 {
    match module.type_of(ty) {
        TypeData::Vector { of, components } => u64::from(*components) * bytes(module, *of),
        TypeData::Matrix { columns, stride, .. } => u64::from(*columns) * u64::from(*stride),
        TypeData::Array { len: Len::Count(count), stride, .. } => u64::from(*count) * u64::from(*stride),
        TypeData::Struct(id) => {
            let members = module.structure(*id).map(|data| data.members.clone());
            let ends = members
                .iter()
                .flat_map(|members| members.iter())
                .map(|member| member.attrs.get(Key::Offset).unwrap_or(0) + bytes(module, member.ty));
            ends.max().unwrap_or(0)
        }
        _ => 4,
    }
}
