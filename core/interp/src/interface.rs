//! Flattening of the interface of a stage: maps bytes of variables to locations, system values and scalars of a
//! payload, for each vertex or primitive that the variable is an array of.

use super::consts::Consts;
use super::out_key::OutKey;
use super::stages::{Arrayed, arrayed};
use vitrine_ir::layout::{Lengths, Sizes};
use vitrine_ir::ops::{Builtin, Interp, Key, Width};
use vitrine_ir::{Attrs, Mode, Module, Stage, Type, TypeData, Var};

/// Maximum number of leaves of one variable.
const MOST_LEAVES: usize = 1 << 16;

/// A scalar or a vector of an interface variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    /// Bytes from the start of the variable.
    pub(super) offset: u32,
    /// Bytes from one component to the next.
    pub(super) step: u32,
    pub(super) components: u8,
    pub(super) width: Width,
    /// If set, its components are floats.
    pub(super) float: bool,
    /// The first component; further ones are further components of the location or of the system value.
    pub(super) key: OutKey,
    /// The invocation, vertex or primitive it belongs to.
    pub(super) of: LeafOf,
    /// How it is interpolated.
    pub(super) interp: Interp,
}

/// The owner of a leaf.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum LeafOf {
    /// Each invocation; for outputs that a group shares, the patch or the mesh.
    Whole,
    /// A vertex of the primitive, patch or mesh, by number.
    Vertex(u32),
    /// A primitive of the mesh, by number.
    Primitive(u32),
}

impl Leaf {
    /// The key of a component.
    pub(super) fn key(&self, part: u32) -> OutKey {
        match self.key {
            OutKey::Location(location, component, index) => {
                // Components of 64 bits take two components each, and continue in the next location.
                let at = component + part * if self.width == Width::W64 { 2 } else { 1 };
                OutKey::Location(location + at / 4, at % 4, index)
            }
            OutKey::BuiltIn(builtin, at) => OutKey::BuiltIn(builtin, at + part),
            OutKey::Payload(offset) => OutKey::Payload(offset.saturating_add(part * self.step)),
        }
    }
}

/// Attributes that parts of a variable inherit from enclosing ones.
#[derive(Clone, Copy)]
struct Inherited {
    builtin: Option<Builtin>,
    component: u32,
    index: u32,
    location: Option<u32>,
    interp: Interp,
    /// If set, the key is the offset, whatever else is declared.
    payload: bool,
}

impl Inherited {
    /// Without any attribute.
    fn new(payload: bool) -> Inherited {
        Inherited { builtin: None, component: 0, index: 0, location: None, interp: Interp::NONE, payload }
    }

    fn with(self, attrs: &Attrs) -> Inherited {
        let number = |key| attrs.get(key).map(|value| value as u32);
        Inherited {
            builtin: attrs.word().or(self.builtin),
            component: number(Key::Component).unwrap_or(self.component),
            index: number(Key::Index).unwrap_or(self.index),
            location: number(Key::Location),
            interp: self.interp.and(attrs.words()),
            payload: self.payload,
        }
    }
}

/// The leaves of an interface variable in order; empty for a variable with neither location nor system value that is
/// no payload. The stage decides if it is an array of vertices.
///
/// No recursion. More than 65,536 leaves are truncated: no interface has as many.
pub(super) fn leaves(
    module: &Module,
    consts: &Consts,
    sizes: &mut Sizes,
    stage: Option<Stage>,
    var: Var,
) -> Vec<Leaf> {
    let Some(data) = module.var(var) else { return Vec::new() };
    let payload = matches!(data.mode, Mode::Payload | Mode::Callable);
    let start = Inherited::new(payload).with(&data.attrs);
    let mut out: Vec<Leaf> = Vec::new();
    let mut budget = 4 * MOST_LEAVES;
    let owner = arrayed(module, stage, data);
    let (TypeData::Array { of, len, .. }, Some(owner)) = (module.type_of(data.ty), owner) else {
        let first = Start { ty: data.ty, offset: 0, inherited: start, of: LeafOf::Whole };
        leaves_of(module, consts, sizes, first, &mut budget, &mut out);
        return out;
    };
    let stride = sizes.stride(module, consts, data.ty);
    for element in 0..consts.of(*len).min(MOST_LEAVES as u64) {
        let offset = element.saturating_mul(stride);
        let of_element = match owner {
            Arrayed::Vertices => LeafOf::Vertex(element as u32),
            Arrayed::Primitives => LeafOf::Primitive(element as u32),
        };
        let first = Start { ty: *of, offset, inherited: start, of: of_element };
        leaves_of(module, consts, sizes, first, &mut budget, &mut out);
        if budget == 0 || out.len() >= MOST_LEAVES {
            break;
        }
    }
    out
}

/// The scalars and vectors of a payload of this type.
pub(super) fn payload_leaves(module: &Module, consts: &Consts, sizes: &mut Sizes, ty: Type) -> Vec<Leaf> {
    let start = Start { ty, offset: 0, inherited: Inherited::new(true), of: LeafOf::Whole };
    let mut out = Vec::new();
    leaves_of(module, consts, sizes, start, &mut (4 * MOST_LEAVES), &mut out);
    out
}

/// The part of a variable that is flattened at once.
struct Start {
    ty: Type,
    offset: u64,
    inherited: Inherited,
    of: LeafOf,
}

fn leaves_of(
    module: &Module,
    consts: &Consts,
    sizes: &mut Sizes,
    start: Start,
    budget: &mut usize,
    out: &mut Vec<Leaf>,
) {
    let mut next_location: Option<u32> = None;
    let mut next_place = 0;
    let mut work: Vec<(Type, u64, u32, Inherited)> = vec![(start.ty, start.offset, 0, start.inherited)];
    while let Some((ty, offset, step, inherited)) = work.pop() {
        *budget = budget.saturating_sub(1);
        if out.len() >= MOST_LEAVES || *budget == 0 {
            break;
        }
        if inherited.location.is_some() {
            next_location = inherited.location;
        }
        let inner = Inherited { location: None, ..inherited };
        let stride = sizes.stride(module, consts, ty);
        let count = match module.type_of(ty) {
            TypeData::Struct(structure) => {
                let offsets = sizes.offsets(module, consts, *structure);
                let members = module.structure(*structure).map(|data| data.members.clone());
                let members: Vec<_> =
                    members.iter().flat_map(|members| members.iter()).zip(offsets.iter()).collect();
                for (member, at) in members.into_iter().rev() {
                    work.push((member.ty, offset.saturating_add(*at), 0, inner.with(&member.attrs)));
                }
                continue;
            }
            TypeData::Array { len, .. } => consts.of(*len).min(MOST_LEAVES as u64),
            TypeData::Matrix { columns, .. } => u64::from(*columns),
            _ => 0,
        };
        if let Some(of) = module.element_type(ty).filter(|_| count > 0) {
            let step = match module.type_of(ty) {
                TypeData::Matrix { row_major: true, stride, .. } => *stride,
                _ => 0,
            };
            for at in (0..count).rev() {
                work.push((of, offset.saturating_add(at.saturating_mul(stride)), step, inner));
            }
            continue;
        }
        let Some(vitrine_ir::ops::ValueType::Bits { width, components }) = module.value_type(ty) else {
            continue;
        };
        let scalar = if components > 1 { module.element_type(ty).unwrap_or(ty) } else { ty };
        let key = match (inherited.builtin, next_location) {
            _ if inherited.payload => OutKey::Payload(u32::try_from(offset).unwrap_or(u32::MAX)),
            (Some(builtin), _) => OutKey::BuiltIn(builtin, next_place),
            (None, Some(location)) => OutKey::Location(location, inherited.component, inherited.index),
            (None, None) => continue,
        };
        match inherited.builtin {
            Some(_) => next_place += u32::from(components),
            None => {
                let wide = width == Width::W64 && components > 2;
                next_location = next_location.map(|location| location + if wide { 2 } else { 1 });
            }
        }
        out.push(Leaf {
            offset: u32::try_from(offset).unwrap_or(u32::MAX),
            step: if step > 0 { step } else { vitrine_ir::layout::scalar_bytes(width) as u32 },
            components,
            width,
            float: matches!(module.type_of(scalar), TypeData::Float { .. }),
            key,
            of: start.of,
            interp: inherited.interp,
        });
        // The components of the next system value start at 0.
        let next = work.last().and_then(|(_, _, _, inherited)| inherited.builtin);
        if next != inherited.builtin {
            next_place = 0;
        }
    }
}
