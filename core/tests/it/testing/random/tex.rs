//! Image operations: operands by role, with the components that the dimension requires.

use super::body::Body;
use super::memory;
use super::ops::finish;
use vitrine_core::base::EntityId;
use vitrine_core::ir::{Attrs, Depth, ImageType, Inst, InstData, Mode, Type, TypeData, Usage, Var, VarData};
use vitrine_core::ops::{Dim, Key, MemoryOp, Op, PtrOp, Role, TexOp, ValueType, Width};

/// An available resource: its type, and a path or handle.
struct Resource {
    inst: Inst,
    ty: ValueType,
}

/// Operands with their roles.
#[derive(Default)]
struct Operands {
    insts: Vec<Inst>,
    types: Vec<ValueType>,
    roles: Vec<Role>,
}

impl Operands {
    fn push(&mut self, role: Role, inst: Inst, ty: ValueType) {
        self.insts.push(inst);
        self.types.push(ty);
        self.roles.push(role);
    }

    fn add(&mut self, body: &mut Body<'_>, role: Role, ty: ValueType) {
        let inst = body.value(ty);
        self.push(role, inst, ty);
    }
}

const ONE: ValueType = ValueType::B32;

fn components(count: u8) -> ValueType {
    ValueType::bits(Width::W32, count)
}

/// The number of axes of a dimension.
fn axes(image: &ImageType) -> u8 {
    if image.dim == Dim::Buffer { 2 } else { image.dim.axes() as u8 }
}

fn coord_components(image: &ImageType) -> u8 {
    axes(image) + u8::from(image.arrayed)
}

/// Emits an operation of the family.
pub(crate) fn image_op(body: &mut Body<'_>, op: TexOp) {
    match op {
        TexOp::Sample | TexOp::SampleLod | TexOp::Gather | TexOp::QueryLod => lookup(body, op),
        TexOp::Fetch => texels(body, op, Usage::Sampled),
        TexOp::Read | TexOp::Write => texels(body, op, Usage::Storage),
        TexOp::QuerySize => query_size(body),
        TexOp::QueryLevels | TexOp::QuerySamples => {
            let image = some_image(body, Usage::Sampled, op == TexOp::QuerySamples);
            let resource = resource(body, TypeData::Image(image));
            body.emit(InstData::new(op, ONE, &[resource.inst]));
        }
        TexOp::Combine => {
            let image = some_image(body, Usage::Sampled, false);
            let args = [resource(body, TypeData::Image(image)).inst, resource(body, TypeData::Sampler).inst];
            let both = body.g.module.ty(TypeData::SampledImage(image));
            body.emit_val(InstData::new(op, ValueType::Handle, &args), None, Some(both));
        }
        TexOp::ImageOf => {
            let image = some_image(body, Usage::Sampled, false);
            let both = resource(body, TypeData::SampledImage(image));
            let ty = body.g.module.ty(TypeData::Image(image));
            body.emit_val(InstData::new(op, ValueType::Handle, &[both.inst]), None, Some(ty));
        }
        TexOp::Resident => {
            let code = body.value(ONE);
            body.emit(InstData::new(op, ValueType::BOOL, &[code]));
        }
    }
}

/// The image type of some variable, or a new one.
fn some_image(body: &mut Body<'_>, usage: Usage, multisampled: bool) -> ImageType {
    let fits = |image: &ImageType| image.usage == usage && image.multisampled == multisampled;
    let known: Vec<ImageType> = body
        .vars
        .iter()
        .filter_map(|&var| match *body.module().type_of(body.module().var(var)?.ty) {
            TypeData::Image(image) | TypeData::SampledImage(image) => Some(image).filter(fits),
            _ => None,
        })
        .collect();
    match body.g.rng.choose(&known) {
        Some(&image) => image,
        None => {
            let sampled = body.g.module.ty(TypeData::Float { width: Width::W32 });
            let format = u8::from(usage == Usage::Storage);
            ImageType {
                sampled,
                dim: Dim::D2,
                arrayed: false,
                multisampled,
                depth: Depth::Unknown,
                usage,
                format,
            }
        }
    }
}

/// A path to a resource of this type, or its handle; declares a variable if there is none.
fn resource(body: &mut Body<'_>, data: TypeData) -> Resource {
    let ty = body.g.module.ty(data);
    let vars = body.vars.clone();
    let known = vars.into_iter().find(|&var| body.module().var(var).is_some_and(|data| data.ty == ty));
    let var = known.unwrap_or_else(|| declare(body, ty));
    let (path, _) = memory::of_var(body, var);
    if body.g.rng.one_in(2) {
        let load = InstData::new(MemoryOp::Load, ValueType::Handle, &[path]);
        return Resource { inst: body.emit_val(load, None, Some(ty)), ty: ValueType::Handle };
    }
    Resource { inst: path, ty: ValueType::Path }
}

fn declare(body: &mut Body<'_>, ty: Type) -> Var {
    let attrs = Attrs::one(Key::Set, 0).with(Key::Binding, body.g.vars.len() as u64);
    let least = body.module().vars().last().map_or(0, |(id, _)| id.index() + 1);
    let id: Var = body.g.fresh(least);
    body.g.module.set_var(id, VarData { name: None, ty, mode: Mode::Handle, owner: None, init: None, attrs });
    body.g.vars.push(id);
    body.vars.push(id);
    id
}

/// Samples, gathers and level queries, with combined or separate image and sampler.
fn lookup(body: &mut Body<'_>, op: TexOp) {
    let mut image = some_image(body, Usage::Sampled, false);
    if matches!(image.dim, Dim::D1 | Dim::D3) && op == TexOp::Gather {
        image.dim = Dim::D2;
    }
    let mut operands = Operands::default();
    if body.g.rng.one_in(2) {
        let both = resource(body, TypeData::SampledImage(image));
        operands.push(Role::Image, both.inst, both.ty);
    } else {
        let apart = resource(body, TypeData::Image(image));
        operands.push(Role::Image, apart.inst, apart.ty);
        let sampler = resource(body, TypeData::Sampler);
        operands.push(Role::Sampler, sampler.inst, sampler.ty);
    }
    let shadow = matches!(op, TexOp::Sample | TexOp::SampleLod | TexOp::Gather) && body.g.rng.one_in(4);
    operands.add(body, Role::Coord, components(coord_components(&image)));
    match op {
        TexOp::Sample if body.g.rng.one_in(3) => operands.add(body, Role::Bias, ONE),
        TexOp::SampleLod if body.g.rng.one_in(2) => {
            operands.add(body, Role::Ddx, components(axes(&image)));
            operands.add(body, Role::Ddy, components(axes(&image)));
        }
        TexOp::SampleLod => operands.add(body, Role::Lod, ONE),
        TexOp::Gather if !shadow => operands.add(body, Role::Component, ONE),
        _ => {}
    }
    if shadow {
        operands.add(body, Role::Compare, ONE);
    }
    let movable = image.dim != Dim::Cube && op != TexOp::QueryLod;
    if movable && body.g.rng.one_in(3) {
        operands.add(body, Role::Offset, components(axes(&image)));
    }
    let ty = match op {
        TexOp::QueryLod => components(2),
        TexOp::Sample | TexOp::SampleLod if shadow => ONE,
        _ => components(4),
    };
    put(body, op, &image, ty, operands, shadow);
}

/// Fetches, reads and writes at integer coordinates.
fn texels(body: &mut Body<'_>, op: TexOp, usage: Usage) {
    let many = body.g.rng.one_in(5);
    let mut image = some_image(body, usage, many);
    if image.dim == Dim::Cube && op == TexOp::Fetch {
        image.dim = Dim::D2;
    }
    let resource = resource(body, TypeData::Image(image));
    let mut operands = Operands::default();
    operands.push(Role::Image, resource.inst, resource.ty);
    operands.add(
        body,
        Role::Coord,
        components(if image.dim == Dim::Cube { 3 } else { coord_components(&image) }),
    );
    if image.multisampled {
        operands.add(body, Role::Sample, ONE);
    } else if op == TexOp::Fetch && body.g.rng.one_in(2) {
        operands.add(body, Role::Lod, ONE);
    }
    let ty = if op == TexOp::Write {
        operands.add(body, Role::Texel, components(4));
        ValueType::Void
    } else {
        components(4)
    };
    put(body, op, &image, ty, operands, false);
}

fn query_size(body: &mut Body<'_>) {
    let image = some_image(body, Usage::Sampled, false);
    let resource = resource(body, TypeData::Image(image));
    let mut operands = Operands::default();
    operands.push(Role::Image, resource.inst, resource.ty);
    operands.add(body, Role::Lod, ONE);
    let size = if image.dim == Dim::Cube { 2 } else { axes(&image) } + u8::from(image.arrayed);
    put(body, TexOp::QuerySize, &image, components(size), operands, false);
}

fn put(body: &mut Body<'_>, op: TexOp, image: &ImageType, ty: ValueType, operands: Operands, shadow: bool) {
    let sparse = Op::from(op).info().may.contains(&Key::Sparse) && body.g.rng.one_in(5);
    // The residency code is an additional last component.
    let ty = if sparse { ty.with_components(ty.components() + 1) } else { ty };
    let mut data = InstData::new(op, ty, &operands.insts)
        .with_word(image.dim)
        .with(Key::Roles, Role::pack(&operands.roles));
    let mut left_out = data.clone();
    for (key, there) in [
        (Key::Arrayed, image.arrayed),
        (Key::Multisampled, image.multisampled),
        (Key::Shadow, shadow),
        (Key::Sparse, sparse),
        (Key::Extend, false),
    ] {
        if there && data.op.info().may.contains(&key) {
            data = data.with(key, 1);
        }
        left_out = left_out.with(key, 0);
    }
    // The type of the image decides some operands; the rest are random.
    let extra = finish(body, left_out, &operands.types);
    for attr in extra.attrs.iter().filter(|attr| matches!(attr.key, Key::Access | Key::Scope)) {
        data = data.with(attr.key, attr.value);
    }
    body.emit(data);
}

/// A texel pointer.
pub(crate) fn texel(body: &mut Body<'_>) {
    let image = some_image(body, Usage::Storage, false);
    let resource = resource(body, TypeData::Image(image));
    let coord = body.value(components(if image.dim == Dim::Cube { 3 } else { coord_components(&image) }));
    let sample = body.number(0);
    body.emit(InstData::new(PtrOp::Texel, ValueType::Ptr, &[resource.inst, coord, sample]));
}
