//! Inputs generated from a seed, fitting the declarations of a module: the same seed gives the same inputs
//! everywhere.
//!
//! Numbers are chosen to exercise the program: small integers that index arrays and end loops, floats of few
//! bits, and sometimes a corner case (zero, one, the largest, infinity, NaN). Every fourth seed has many corner
//! cases, among them the last index of each array. Runtime arrays get an element
//! for each invocation, 16 to 1,024 of them, and images 8 texels along each axis. Everything is bounded: a
//! buffer of more than 1 MB is left unbound.
//!
//! Integers that are inputs of a fragment are the same within a quad, which belongs to one triangle, and differ between
//! quads.

use super::consts::Consts;
use super::image::{ChannelKind, Compare, Dim, Format, Image, Sampler, Wrap};
use super::inputs::{Inputs, KernelArg, Limits, Varying, first_element, slot_of};
use super::interface::{Leaf, LeafOf, leaves};
use super::machine::local_size;
use super::out_key::OutKey;
use super::stages::PayloadClass;
use std::collections::BTreeMap;
use vitrine_ir::base::random::Random;
use vitrine_ir::layout::{Lengths, Sizes, scalar_bytes};
use vitrine_ir::ops::{Key, Scalar, ValueType, Width};
use vitrine_ir::{GlobalValue, ImageType, Mode, Module, Stage, Type, TypeData, Usage, Var, VarData};

/// Size of the largest generated buffer.
const MOST_BYTES: u64 = 1 << 20;
/// Maximum number of scalars of a buffer with a generated value; the rest is zero.
const MOST_SCALARS: usize = 1 << 14;
/// Elements of a runtime array, minimum and maximum.
const RUNTIME_ELEMENTS: [u64; 2] = [16, 1024];
/// Different payloads that invocations start with.
const PAYLOADS: u64 = 5;
/// Elements of an array of resources without a length.
const RESOURCES: u64 = 16;

/// One seed of this many has many corner cases.
const CORNER_SEEDS: u64 = 4;
/// Array lengths of the module whose last index is a corner case.
const MOST_LENGTHS: usize = 16;

/// Floats for which rewrites are often wrong, as bits of 64-bit floats; the smallest subnormal and the largest number
/// depend on the width.
const CORNER_FLOATS: [f64; 8] =
    [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 1.0, -1.0, 16_777_217.0];

/// Random numbers from a seed.
struct Numbers {
    random: Random,
    /// If set, many numbers are corner cases.
    corners: bool,
    /// If not set, there are no infinities, NaN, negative zeros, subnormal or huge floats.
    specials: bool,
    /// Last indices of the arrays of the module.
    indices: Vec<u64>,
}

impl Numbers {
    fn next(&mut self) -> u64 {
        self.random.next()
    }

    fn below(&mut self, most: u64) -> u64 {
        self.random.below(most)
    }

    /// Bits of a number of this width.
    fn number(&mut self, width: Width, float: bool) -> u64 {
        if width == Width::W1 {
            return self.below(2);
        }
        if self.corners && self.below(2) == 0 {
            return if float { self.corner_float(width) } else { self.corner_integer(width) };
        }
        let corner = self.below(24);
        if float {
            let value = match corner {
                0 => f64::INFINITY,
                1 => f64::NAN,
                2 => -0.0,
                3 => 1.0,
                4 => 1.0e10,
                _ => (self.below(129) as f64 - 64.0) / 16.0,
            };
            return Scalar::float(width, self.ordinary(width, value)).bits();
        }
        let value = match corner {
            0 => u64::MAX,
            1 => width.sign_bit(),
            2 => self.next(),
            3..=8 => self.below(256),
            _ => self.below(12),
        };
        Scalar::new(width, value).bits()
    }
}

impl Numbers {
    /// Another number instead of an infinity, a NaN, a negative zero or a huge number, unless such inputs are wanted.
    fn ordinary(&self, width: Width, value: f64) -> f64 {
        // The first integers that a half and a float cannot represent.
        let most = if width == Width::W16 { 2_049.0 } else { 16_777_217.0 };
        match self.specials {
            true => value,
            false if !value.is_finite() => 2.5,
            // The sum makes a negative zero positive.
            false => value.clamp(-most, most) + 0.0,
        }
    }

    /// One of [`CORNER_FLOATS`], the smallest subnormal or the largest finite number.
    fn corner_float(&mut self, width: Width) -> u64 {
        let which = self.below(CORNER_FLOATS.len() as u64 + 2) as usize;
        match CORNER_FLOATS.get(which) {
            Some(&value) => Scalar::float(width, self.ordinary(width, value)).bits(),
            None if !self.specials => Scalar::float(width, 0.5).bits(),
            None if which == CORNER_FLOATS.len() => 1,
            // All bits of the infinity but the last.
            None => Scalar::float(width, f64::INFINITY).bits().wrapping_sub(1),
        }
    }

    /// An extreme, or the last index of an array; rarely an extreme, because it may be the trip count of a loop.
    fn corner_integer(&mut self, width: Width) -> u64 {
        let index = self.below(self.indices.len().max(1) as u64) as usize;
        let value = match self.below(16) {
            0 => u64::MAX,
            1 => width.sign_bit(),
            2 => width.sign_bit() - 1,
            3 => (1 << 24) + 1,
            4..=6 => 0,
            7..=9 => 1,
            _ => self.indices.get(index).copied().unwrap_or(2),
        };
        Scalar::new(width, value).bits()
    }
}

/// The last indices of the first arrays with a length, in the order of types.
fn last_indices(module: &Module, consts: &Consts) -> Vec<u64> {
    let types = (0..module.sizes()[0]).map(|at| -> Type { vitrine_ir::base::EntityId::from_index(at) });
    let lengths = types.filter_map(|ty| match *module.type_of(ty) {
        TypeData::Array { len, .. } => consts.of(len).checked_sub(1),
        TypeData::Vector { components, .. } => Some(u64::from(components).saturating_sub(1)),
        _ => None,
    });
    lengths.filter(|&last| last < 1 << 16).take(MOST_LENGTHS).collect()
}

/// Inputs that fit the entry point of this number; an entry point that does not exist gets valid inputs too.
///
/// Time and memory are bounded by the declarations of the module, and by a megabyte for each resource.
pub fn seeded(module: &Module, entry: usize, seed: u64) -> Inputs {
    generated(module, entry, seed, true)
}

/// The same without infinities, NaN, negative zeros, subnormal and huge floats: for programs that need not preserve them.
pub fn seeded_ordinary(module: &Module, entry: usize, seed: u64) -> Inputs {
    generated(module, entry, seed, false)
}

fn generated(module: &Module, entry: usize, seed: u64, specials: bool) -> Inputs {
    let corners = seed % CORNER_SEEDS == CORNER_SEEDS - 1;
    let random = Random(seed ^ 0x7669_7472_696e_6500);
    let mut numbers = Numbers { random, corners, specials, indices: Vec::new() };
    let mut inputs = Inputs { limits: Limits { steps: 1 << 18, ..Limits::default() }, ..Inputs::default() };
    inputs.subgroup = [4, 8, 16, 32, 64][numbers.below(5) as usize];
    inputs.frame = [8, 8];
    inputs.rect = [numbers.below(3) as u32, numbers.below(3) as u32, 4, 4];
    inputs.vertices = [5, 2];
    inputs.groups = [2, 1, 1];
    if seed & 1 == 1 {
        specialize(module, &mut numbers, &mut inputs);
    }
    let consts = Consts::of(module, &inputs.specs);
    numbers.indices = last_indices(module, &consts);
    let [least, most] = RUNTIME_ELEMENTS;
    let invocations = module.entries.get(entry).map_or(1, |entry| {
        let size = local_size(module, entry, &consts).into_iter().chain(inputs.groups);
        size.fold(1u64, |product, axis| product.saturating_mul(u64::from(axis)))
    });
    let elements = invocations.clamp(least, most);
    let mut maker = Maker { module, consts, sizes: Sizes::default(), numbers, elements };
    let stage = module.entries.get(entry).map(|entry| entry.stage);
    for (var, data) in module.vars().filter(|(_, data)| data.owner.is_none()) {
        match data.mode {
            Mode::Uniform | Mode::Storage => maker.buffers(var, data.ty, &mut inputs),
            Mode::Push => inputs.push = maker.bytes(data.ty).unwrap_or_default(),
            Mode::Handle => maker.resources(var, data.ty, &mut inputs),
            Mode::In => maker.varyings(var, stage, &mut inputs),
            Mode::Payload | Mode::Callable => maker.payloads(data, &mut inputs),
            Mode::Out | Mode::Private | Mode::Local | Mode::Shared | Mode::Physical | Mode::Generic => {}
        }
    }
    if matches!(stage, Some(Stage::Intersection | Stage::AnyHit | Stage::ClosestHit | Stage::Miss)) {
        inputs.ray = maker.numbers.below(60) as u32;
    }
    if stage == Some(Stage::Kernel) {
        inputs.args = maker.args(entry);
    }
    inputs
}

/// Other values for specialization constants, except for those that determine sizes.
fn specialize(module: &Module, numbers: &mut Numbers, inputs: &mut Inputs) {
    let sizes_depend = module
        .entries
        .iter()
        .flat_map(|entry| &entry.modes)
        .any(|mode| mode.args.iter().any(|arg| matches!(arg, vitrine_ir::Operand::Global(_))))
        || module.globals().any(|(_, data)| data.attrs.has(Key::BuiltIn))
        || (0..module.sizes()[0]).any(|at| {
            let ty: Type = vitrine_ir::base::EntityId::from_index(at);
            matches!(module.type_of(ty), TypeData::Array { len: vitrine_ir::Len::Global(_), .. })
        });
    for (_, data) in module.globals() {
        let (GlobalValue::Spec(default), Some(id)) = (&data.value, data.attrs.get(Key::SpecId)) else {
            continue;
        };
        let width = module.bits_of(*default).width();
        match width {
            Width::W1 => drop(inputs.specs.insert(id as u32, numbers.below(2))),
            // If any size depends on an integer constant, all of them keep their values.
            _ if sizes_depend => {}
            _ => drop(inputs.specs.insert(id as u32, numbers.below(9))),
        }
    }
}

struct Maker<'m> {
    module: &'m Module,
    consts: Consts,
    sizes: Sizes,
    numbers: Numbers,
    /// Elements of a runtime array.
    elements: u64,
}

/// A scalar in memory: offset, width, float flag.
type ScalarPlace = (u64, Width, bool);

impl Maker<'_> {
    /// The scalars of a type, in order, up to [`MOST_SCALARS`], and their size in bytes; a runtime array has
    /// [`Maker::elements`] elements.
    fn scalars(&mut self, ty: Type) -> (Vec<ScalarPlace>, u64) {
        let module = self.module;
        let mut out: Vec<ScalarPlace> = Vec::new();
        let mut end = self.sizes.of(module, &self.consts, ty).bytes;
        let mut work = vec![(ty, 0u64, 0u64)];
        let mut budget = 4 * MOST_SCALARS;
        while let Some((ty, at, step)) = work.pop() {
            budget = budget.saturating_sub(1);
            if out.len() >= MOST_SCALARS || budget == 0 {
                break;
            }
            let stride = match step {
                0 => self.sizes.stride(module, &self.consts, ty),
                step => step,
            };
            let count = match *module.type_of(ty) {
                TypeData::Struct(structure) => {
                    let offsets = self.sizes.offsets(module, &self.consts, structure);
                    let members = module.structure(structure).map(|data| data.members.clone());
                    let members: Vec<(Type, u64)> = members
                        .iter()
                        .flat_map(|members| members.iter())
                        .zip(offsets.iter())
                        .map(|(member, &offset)| (member.ty, offset))
                        .collect();
                    work.extend(
                        members.into_iter().rev().map(|(ty, offset)| (ty, at.saturating_add(offset), 0)),
                    );
                    continue;
                }
                TypeData::Float { width } => {
                    out.push((at, width, true));
                    continue;
                }
                TypeData::Int { width, .. } => {
                    out.push((at, width, false));
                    continue;
                }
                TypeData::Bool => {
                    out.push((at, Width::W1, false));
                    continue;
                }
                TypeData::RuntimeArray { .. } => {
                    end = end.max(at.saturating_add(stride.saturating_mul(self.elements)));
                    self.elements
                }
                TypeData::Array { len, .. } => self.consts.of(len).min(MOST_SCALARS as u64),
                _ => u64::from(module.element_count(ty).unwrap_or(0)),
            };
            let Some(of) = module.element_type(ty) else { continue };
            let inner = match *module.type_of(ty) {
                TypeData::Matrix { row_major: true, stride, .. } => u64::from(stride),
                _ => 0,
            };
            work.extend(
                (0..count).rev().map(|index| (of, at.saturating_add(stride.saturating_mul(index)), inner)),
            );
        }
        (out, end)
    }

    /// Bytes for a type; `None` if there would be too many.
    fn bytes(&mut self, ty: Type) -> Option<Vec<u8>> {
        let (places, size) = self.scalars(ty);
        if size > MOST_BYTES {
            return None;
        }
        let mut bytes = vec![0; size as usize];
        for (at, width, float) in places {
            let value = self.numbers.number(width, float).to_le_bytes();
            let count = scalar_bytes(width) as usize;
            let slot = usize::try_from(at).ok().and_then(|at| bytes.get_mut(at..at.checked_add(count)?));
            if let Some(slot) = slot {
                slot.copy_from_slice(&value[..count]);
            }
        }
        Some(bytes)
    }

    /// The element type of an array of resources, and the number of elements.
    fn elements(&self, mut ty: Type) -> (Type, u64) {
        let mut count = 1u64;
        loop {
            match *self.module.type_of(ty) {
                TypeData::Array { of, len, .. } => {
                    count = count.saturating_mul(self.consts.of(len));
                    ty = of;
                }
                TypeData::RuntimeArray { of, .. } => {
                    count = count.saturating_mul(RESOURCES);
                    ty = of;
                }
                _ => return (ty, count.min(64)),
            }
        }
    }

    fn buffers(&mut self, var: Var, ty: Type, inputs: &mut Inputs) {
        let Some(slot) = slot_of(self.module, var) else { return };
        let (element, count) = self.elements(ty);
        let is_block = matches!(self.module.type_of(element), TypeData::Struct(_));
        let (element, count) = if is_block { (element, count) } else { (ty, 1) };
        let list: Vec<Vec<u8>> = (0..count).filter_map(|_| self.bytes(element)).collect();
        // Several variables may refer to one buffer: it has the largest size that any of them needs.
        let bound = inputs.buffers.entry(slot).or_default();
        let first = first_element(self.module, var) as usize;
        if bound.len() < first {
            bound.resize(first, Vec::new());
        }
        for (at, bytes) in (first..).zip(list) {
            match bound.get_mut(at) {
                Some(known) if known.len() < bytes.len() => known.extend_from_slice(&bytes[known.len()..]),
                Some(_) => {}
                None => bound.push(bytes),
            }
        }
    }

    fn resources(&mut self, var: Var, ty: Type, inputs: &mut Inputs) {
        let Some(slot) = slot_of(self.module, var) else { return };
        let (element, count) = self.elements(ty);
        // Several variables may refer to one resource, or to one element of an array each.
        let end = count + u64::from(first_element(self.module, var));
        let (image, sampler) = match self.module.type_of(element) {
            TypeData::Image(image) => (Some(*image), false),
            TypeData::SampledImage(image) => (Some(*image), true),
            TypeData::Sampler => (None, true),
            _ => return,
        };
        if let Some(image) = image {
            let known = inputs.images.entry(slot).or_default();
            let lacking = end.saturating_sub(known.len() as u64) as usize;
            let made: Vec<Image> = (0..count.max(lacking as u64)).filter_map(|_| self.image(image)).collect();
            known.extend(made.into_iter().take(lacking));
        }
        if sampler {
            let known = inputs.samplers.entry(slot).or_default();
            let lacking = end.saturating_sub(known.len() as u64) as usize;
            let made: Vec<Sampler> = (0..count.max(lacking as u64)).map(|_| self.sampler()).collect();
            known.extend(made.into_iter().take(lacking));
        }
    }

    fn sampler(&mut self) -> Sampler {
        let wraps = [Wrap::Repeat, Wrap::Mirror, Wrap::Edge, Wrap::Border, Wrap::MirrorOnce];
        let compares = [Compare::Less, Compare::LessEqual, Compare::Greater, Compare::GreaterEqual];
        let mut wrap = || wraps[self.numbers.below(5) as usize];
        let wrap = [wrap(), wrap(), wrap()];
        Sampler {
            mag_linear: self.numbers.below(2) == 1,
            min_linear: self.numbers.below(2) == 1,
            mip_linear: self.numbers.below(2) == 1,
            compare: compares[self.numbers.below(4) as usize],
            border: [0.0, 0.25, 0.5, 1.0],
            wrap,
            ..Sampler::default()
        }
    }

    fn image(&mut self, ty: ImageType) -> Option<Image> {
        let format = match (ty.format, self.module.type_of(ty.sampled)) {
            (0, TypeData::Int { signed: true, .. }) => Format::from_name("rgba32i")?,
            (0, TypeData::Int { .. }) => Format::from_name("rgba32ui")?,
            (0, _) => Format::from_name("rgba32f")?,
            (format, _) => Format::new(format),
        };
        let dim = ty.dim;
        let size = match dim {
            Dim::D1 => [8, 1, 1],
            Dim::Buffer => [64, 1, 1],
            Dim::D3 => [8, 8, 4],
            Dim::D2 | Dim::Rect | Dim::Subpass | Dim::Cube => [8, 8, 1],
        };
        let layers = match (dim, ty.arrayed) {
            (Dim::Cube, false) => 6,
            (Dim::Cube, true) => 12,
            (_, true) => 3,
            (_, false) => 1,
        };
        let has_levels = ty.usage != Usage::Storage && !ty.multisampled;
        let levels = if has_levels && !matches!(dim, Dim::Buffer | Dim::Rect | Dim::Subpass) { 3 } else { 1 };
        let samples = if ty.multisampled { 4 } else { 1 };
        let mut image = Image::new(format, dim, size, [layers, levels, samples], MOST_BYTES)?;
        for texel in image.bytes.chunks_exact_mut(format.bytes()) {
            let channels = std::array::from_fn(|_| match format.kind() {
                ChannelKind::Float | ChannelKind::Unorm | ChannelKind::Snorm => {
                    (self.numbers.below(65) as f64 / 64.0).to_bits()
                }
                ChannelKind::Sint | ChannelKind::Uint => self.numbers.below(12),
            });
            format.encode(channels, texel);
        }
        Some(image)
    }

    fn varyings(&mut self, var: Var, stage: Option<Stage>, inputs: &mut Inputs) {
        for leaf in leaves(self.module, &self.consts, &mut self.sizes, stage, var) {
            // All vertices have the same linear functions.
            if matches!(leaf.of, LeafOf::Vertex(1..) | LeafOf::Primitive(1..)) {
                continue;
            }
            for part in 0..u32::from(leaf.components) {
                let OutKey::Location(location, component, _) = leaf.key(part) else {
                    self.given_builtin(&leaf, part, stage, inputs);
                    continue;
                };
                let slope = |numbers: &mut Numbers| (numbers.below(9) as f32 - 4.0) / 8.0;
                let (dx, dy) = match (leaf.float, stage) {
                    (true, _) => (slope(&mut self.numbers), slope(&mut self.numbers)),
                    // An integer is constant over a triangle, but differs between vertices.
                    (false, Some(Stage::Vertex | Stage::TessControl | Stage::TessEval | Stage::Geometry)) => {
                        (1.0, 3.0)
                    }
                    (false, _) => (0.0, 0.0),
                };
                let is_corner = leaf.float && self.numbers.corners && self.numbers.below(4) == 0;
                let (dx, dy) = if is_corner { (0.0, 0.0) } else { (dx, dy) };
                let base = if is_corner {
                    self.numbers.corner_float(leaf.width)
                } else if leaf.float {
                    Scalar::float(leaf.width, (self.numbers.below(65) as f64 - 32.0) / 32.0).bits()
                } else {
                    self.numbers.number(leaf.width, false)
                };
                if !leaf.float && stage == Some(Stage::Fragment) {
                    let list = inputs.singles.entry((location, component)).or_default();
                    self.by_quad(base, leaf.width, inputs.frame, list);
                }
                inputs.varyings.entry((location, component)).or_insert(Varying {
                    base,
                    dx,
                    dy,
                    float: leaf.float,
                });
            }
        }
    }

    /// A system value that an earlier stage determines: of a vertex of a primitive, or a tessellation level.
    fn given_builtin(&mut self, leaf: &Leaf, part: u32, stage: Option<Stage>, inputs: &mut Inputs) {
        let OutKey::BuiltIn(builtin, at) = leaf.key(part) else { return };
        let is_level = builtin.is_of_patch();
        let is_given = leaf.of == LeafOf::Vertex(0) || stage == Some(Stage::TessEval) && is_level;
        if !is_given || !leaf.float || inputs.builtin_varyings.contains_key(&(builtin, at)) {
            return;
        }
        let slope = |numbers: &mut Numbers| (numbers.below(9) as f32 - 4.0) / 8.0;
        let (dx, dy) = (slope(&mut self.numbers), 0.0);
        // Levels are at least one.
        let least = if is_level { 48.0 } else { -32.0 };
        let base = Scalar::float(leaf.width, (self.numbers.below(65) as f64 + least) / 32.0).bits();
        inputs.builtin_varyings.insert((builtin, at), Varying { base, dx, dy, float: true });
    }

    /// The bytes of payloads, for [`PAYLOADS`] invocations.
    fn payloads(&mut self, data: &VarData, inputs: &mut Inputs) {
        let (Some(class), Some(_)) = (data.attrs.get(Key::Class), PayloadClass::of(data)) else { return };
        let list: Vec<Vec<u8>> = (0..PAYLOADS).filter_map(|_| self.bytes(data.ty)).collect();
        // Several entry points may declare a payload each: the largest is enough for all.
        let known = inputs.payloads.entry(class as u32).or_default();
        if known.first().map_or(0, Vec::len) < list.first().map_or(0, Vec::len) {
            *known = list;
        }
    }

    /// Integers of the quads of a frame, by pixel: the given one in the first quad, small ones in the rest, which may be trip
    /// counts of loops.
    fn by_quad(&mut self, first: u64, width: Width, frame: [u32; 2], out: &mut BTreeMap<[u32; 2], u64>) {
        for y in (0..frame[1]).step_by(2) {
            for x in (0..frame[0]).step_by(2) {
                let bits =
                    if [x, y] == [0, 0] { first } else { Scalar::new(width, self.numbers.below(12)).bits() };
                out.extend([[x, y], [x + 1, y], [x, y + 1], [x + 1, y + 1]].map(|at| (at, bits)));
            }
        }
    }

    fn args(&mut self, entry: usize) -> Vec<KernelArg> {
        let module = self.module;
        let func = module.entries.get(entry).and_then(|entry| module.func(entry.func));
        let Some(body) = func else { return Vec::new() };
        let mut args = Vec::new();
        for &param in body.params() {
            args.push(match body.ty(param) {
                ValueType::Bits { width, components } => {
                    KernelArg::Value((0..components).map(|_| self.numbers.number(width, false)).collect())
                }
                ValueType::Path | ValueType::Ptr => self.pointee(body.inst(param)),
                ValueType::Handle | ValueType::Void => KernelArg::Value(vec![0]),
            });
        }
        args
    }

    fn pointee(&mut self, param: &vitrine_ir::InstData) -> KernelArg {
        let mode = param.attrs.word::<Mode>();
        if mode == Some(Mode::Shared) {
            return KernelArg::Shared(256);
        }
        let ty: Option<Type> = param.entity(Key::Type);
        let one = ty.and_then(|ty| self.bytes(ty)).filter(|bytes| !bytes.is_empty());
        let count = one.as_ref().map_or(0, |one| 1024usize.div_ceil(one.len()));
        let mut bytes = Vec::new();
        for _ in 0..count {
            bytes.extend(ty.and_then(|ty| self.bytes(ty)).unwrap_or_default());
        }
        KernelArg::Buffer(bytes)
    }
}
