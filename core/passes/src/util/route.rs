//! Routes from a typed place to the bytes at an offset: members and elements, found in the layout of the type.
//!
//! ```text
//! struct #0 { count {offset 0}, lights: [#1 step 32] {offset 16} }    + 28 + %i * 32    .1 [%i] .2
//! ```
//!
//! A constant offset selects members; of several that overlap, the first that contains a match. A step selects
//! the array whose stride divides its own. Steps with a stride that no array has are summed and divided, so
//! that an address that runs over the elements of nested arrays also has a route. Creates no instructions: a
//! [`Route`] describes them.

use vitrine_analysis::{Term, gcd};
use vitrine_ir::layout::{Sizes, scalar_bytes};
use vitrine_ir::ops::{ValueType, Width};
use vitrine_ir::{Inst, Len, Module, Struct, Type, TypeData};

/// A number known at run time: `plus + Σ value * times`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(crate) struct Linear {
    pub(crate) terms: Vec<(Inst, u32)>,
    pub(crate) plus: i64,
}

/// An index.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Index {
    /// The number itself.
    Is(Linear),
    /// The number divided by this constant.
    Over(Linear, u32),
    /// The remainder of that division, divided by the second constant.
    Rest(Linear, u32, u32),
}

/// A step of a route.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Hop {
    /// A member of a structure.
    Field(u32),
    /// An element of an array, a column of a matrix, a component of a vector.
    Elem(Index),
    /// A number of objects to skip, which are this many bytes apart; 0 if they are placed as in an array
    /// without a stride.
    Step(Index, u32),
}

/// The place to find.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Want {
    /// A place that holds such a value, or a vector of which it is some components.
    Value(ValueType),
    /// A place of exactly this type.
    Type(Type),
    /// The outermost array whose length is only known at run time, with elements this many bytes apart.
    Rows(u32),
    /// An element of an array whose elements are this many bytes apart.
    Element(u32),
    /// The outermost place that begins there.
    Any,
}

/// A route, and the type of the place at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Route {
    pub(crate) hops: Vec<Hop>,
    pub(crate) ty: Type,
    /// The vector component at which the value begins; 0 if the place is not a vector.
    pub(crate) component: u8,
}

/// The rest of an offset, not consumed yet.
#[derive(Clone, Debug)]
struct RemainingOffset {
    bytes: i64,
    terms: Vec<Term>,
    /// The remainder of a division: an offset in units of some bytes, below a bound.
    rest: Option<(Linear, u32, u32)>,
}

/// The maximum number of steps of a route: more than the nesting of any handwritten type.
const MAX_HOPS: usize = 4096;

/// The maximum number of routes that are tried if members overlap.
const MAX_ROUTES: usize = 64;

/// Finds a route from a place of type `ty`. None if the layout does not match the address.
pub(crate) fn route(
    module: &Module,
    sizes: &mut Sizes,
    ty: Type,
    bytes: i64,
    terms: &[Term],
    want: Want,
) -> Option<Route> {
    let left = RemainingOffset { bytes, terms: terms.to_vec(), rest: None };
    further(module, sizes, ty, left, want, Vec::new())
}

/// The distance in bytes between consecutive objects of a type in an array without a stride.
pub(crate) fn natural_stride(module: &Module, sizes: &mut Sizes, ty: Type) -> u64 {
    let extent = sizes.of(module, module, ty);
    extent.bytes.next_multiple_of(extent.align.max(1))
}

/// The same for a pointer that may refer to one of many objects of the type, as physical addresses do.
pub(crate) fn stepped(
    module: &Module,
    sizes: &mut Sizes,
    ty: Type,
    bytes: i64,
    terms: &[Term],
    want: Want,
) -> Option<Route> {
    let natural = u32::try_from(natural_stride(module, sizes, ty)).ok()?;
    let mut strides: Vec<u32> = terms.iter().map(|term| term.stride).chain([natural]).collect();
    strides.sort_unstable_by(|a, b| b.cmp(a));
    strides.dedup();
    strides.into_iter().find_map(|stride| {
        let mut left = RemainingOffset { bytes, terms: terms.to_vec(), rest: None };
        let index = split(&mut left, stride)?;
        let step_stride = if stride == natural { 0 } else { stride };
        further(module, sizes, ty, left, want, vec![Hop::Step(index, step_stride)])
    })
}

/// A partial route.
struct PartialRoute {
    at: Type,
    left: RemainingOffset,
    hops: Vec<Hop>,
    /// The distance in bytes between the elements of the array that contains the place.
    apart: Option<u64>,
}

fn further(
    module: &Module,
    sizes: &mut Sizes,
    ty: Type,
    left: RemainingOffset,
    want: Want,
    hops: Vec<Hop>,
) -> Option<Route> {
    let apart = match hops.last() {
        Some(Hop::Step(..)) => Some(natural_stride(module, sizes, ty)),
        _ => None,
    };
    // If members overlap, the alternatives wait until one route fails to match.
    let mut waiting = vec![PartialRoute { at: ty, left, hops, apart }];
    for _ in 0..MAX_ROUTES {
        let partial = waiting.pop()?;
        if let Some(found) = along(module, sizes, partial, want, &mut waiting) {
            return Some(found);
        }
    }
    None
}

/// Follows one route to its end; overlapping members go to `waiting`.
fn along(
    module: &Module,
    sizes: &mut Sizes,
    mut partial: PartialRoute,
    want: Want,
    waiting: &mut Vec<PartialRoute>,
) -> Option<Route> {
    loop {
        let arrived = match want {
            Want::Element(stride) => partial.apart == Some(u64::from(stride)),
            Want::Value(_) | Want::Type(_) | Want::Rows(_) | Want::Any => true,
        };
        if let Some(component) = found(module, partial.at, &partial.left, want).filter(|_| arrived) {
            return Some(Route { hops: partial.hops, ty: partial.at, component });
        }
        if partial.hops.len() >= MAX_HOPS {
            return None;
        }
        partial.apart = match module.type_of(partial.at) {
            TypeData::Array { .. } | TypeData::RuntimeArray { .. } => {
                Some(sizes.stride(module, module, partial.at))
            }
            _ => None,
        };
        if let TypeData::Struct(structure) = *module.type_of(partial.at) {
            partial = into_member(module, sizes, structure, partial, waiting)?;
        } else {
            partial.at = hop(module, sizes, partial.at, &mut partial.left, &mut partial.hops, want)?;
        }
    }
}

/// Enters the member that contains the offset; overlapping members are queued, the last one first.
fn into_member(
    module: &Module,
    sizes: &mut Sizes,
    structure: Struct,
    partial: PartialRoute,
    waiting: &mut Vec<PartialRoute>,
) -> Option<PartialRoute> {
    if partial.left.rest.is_some() {
        return None;
    }
    let (best, others) = member(module, sizes, structure, &partial.left)?;
    let offsets = sizes.offsets(module, module, structure);
    let mut go = |(at, offset): (usize, u64)| {
        let member = module.structure(structure)?.members.get(at)?.ty;
        let mut left = partial.left.clone();
        left.bytes -= i64::try_from(offset).ok()?;
        let room = match is_open(module, member) {
            // Up to the next member, because a runtime length bounds the offset there.
            true => {
                offsets.iter().filter_map(|&next| next.checked_sub(offset)).filter(|&room| room > 0).min()
            }
            false => Some(sizes.of(module, module, member).bytes),
        };
        if room.is_some_and(|room| !reaches(&left, room)) {
            return None;
        }
        let mut hops = partial.hops.clone();
        hops.push(Hop::Field(u32::try_from(at).ok()?));
        Some(PartialRoute { at: member, left, hops, apart: partial.apart })
    };
    waiting.extend(others.into_iter().filter_map(&mut go));
    go(best).or_else(|| waiting.pop())
}

/// The component at which a place matches; none if it does not match.
fn found(module: &Module, at: Type, left: &RemainingOffset, want: Want) -> Option<u8> {
    let here = left.terms.is_empty() && left.rest.is_none();
    if !here {
        return None;
    }
    match want {
        Want::Any | Want::Element(_) => (left.bytes == 0).then_some(0),
        Want::Type(ty) => (left.bytes == 0 && ty == at).then_some(0),
        Want::Rows(wanted) => match *module.type_of(at) {
            TypeData::RuntimeArray { stride, .. } => (left.bytes == 0 && stride == wanted).then_some(0),
            _ => None,
        },
        Want::Value(value) => {
            let there = module.value_type(at)?;
            if there == value {
                return (left.bytes == 0).then_some(0);
            }
            let (ValueType::Bits { width, components }, ValueType::Bits { width: wanted, components: some }) =
                (there, value)
            else {
                return None;
            };
            let component = u64::try_from(left.bytes).ok()? / component_bytes(width);
            let aligned = component * component_bytes(width) == left.bytes as u64;
            // A single component is a place by itself.
            let fits = width == wanted && some > 1 && component + u64::from(some) <= u64::from(components);
            (aligned && fits).then_some(component as u8)
        }
    }
}

/// The distance in bytes between consecutive components of a vector in memory.
pub(crate) fn component_bytes(width: Width) -> u64 {
    scalar_bytes(width)
}

/// Takes one step into the type.
fn hop(
    module: &Module,
    sizes: &mut Sizes,
    ty: Type,
    left: &mut RemainingOffset,
    hops: &mut Vec<Hop>,
    want: Want,
) -> Option<Type> {
    match *module.type_of(ty) {
        TypeData::Matrix { column, stride, row_major: true, .. } => {
            let scalar = module.element_type(column)?;
            let component = u32::try_from(sizes.of(module, module, scalar).bytes).ok()?;
            let rows = split(left, stride)?;
            let columns = split(left, component)?;
            hops.extend([Hop::Elem(columns), Hop::Elem(rows)]);
            Some(scalar)
        }
        TypeData::Vector { .. }
        | TypeData::Matrix { .. }
        | TypeData::Array { .. }
        | TypeData::RuntimeArray { .. } => {
            let stride = u32::try_from(sizes.stride(module, module, ty)).ok()?;
            let index = split(left, stride)?;
            // A pointer that is not accessed may refer to the position directly after the last element.
            let past = i64::from(matches!(want, Want::Type(_) | Want::Any | Want::Element(_)));
            if let (Index::Is(Linear { terms, plus }), Some(count)) = (&index, module.element_count(ty))
                && terms.is_empty()
                && !(0..i64::from(count) + past).contains(plus)
            {
                return None;
            }
            let is_component = matches!(module.type_of(ty), TypeData::Vector { .. });
            if is_component
                && matches!(&index, Index::Is(sum) if sum.terms.iter().any(|&(_, times)| times > 1))
            {
                return None;
            }
            let is_one_past_end =
                module.element_count(ty).is_some_and(|count| is_one_past_end(&index, count));
            if is_one_past_end && let Index::Is(sum) = index {
                // There is no element at that index: step from the last one.
                let of = module.element_type(ty)?;
                let step_stride =
                    if natural_stride(module, sizes, of) == u64::from(stride) { 0 } else { stride };
                let one = |plus| Index::Is(Linear { terms: Vec::new(), plus });
                hops.extend([Hop::Elem(one(sum.plus - 1)), Hop::Step(one(1), step_stride)]);
                return Some(of);
            }
            hops.push(Hop::Elem(index));
            module.element_type(ty)
        }
        _ => None,
    }
}

/// Returns true if an index is one past the last element.
fn is_one_past_end(index: &Index, count: u32) -> bool {
    matches!(index, Index::Is(Linear { terms, plus }) if terms.is_empty() && *plus == i64::from(count) && count > 0)
}

/// A member by index, and its offset.
type Placed = (usize, u64);

/// The member that contains the offset, and the others that overlap there, the best last. Members may be in any
/// order; of two with the same offset the non-empty one is preferred. An offset before the first member is
/// valid only with an array index that leads back inside.
fn member(
    module: &Module,
    sizes: &mut Sizes,
    structure: Struct,
    left: &RemainingOffset,
) -> Option<(Placed, Vec<Placed>)> {
    let offsets = sizes.offsets(module, module, structure);
    let members = &module.structure(structure)?.members;
    let Ok(bytes) = u64::try_from(left.bytes) else {
        let stride = left.terms.iter().map(|term| term.stride).max()?;
        let steps = |ty| match *module.type_of(ty) {
            TypeData::Array { stride: own, .. } | TypeData::RuntimeArray { stride: own, .. } => {
                own > 0 && stride % own == 0
            }
            _ => false,
        };
        let at = members.iter().position(|member| steps(member.ty))?;
        return Some(((at, *offsets.get(at)?), Vec::new()));
    };
    let mut there: Vec<(u64, usize, bool)> = Vec::new();
    for (at, (member, &offset)) in members.iter().zip(offsets.iter()).enumerate() {
        let Some(further) = bytes.checked_sub(offset) else { continue };
        let inside = further < sizes.of(module, module, member.ty).bytes;
        if inside || is_open(module, member.ty) {
            there.push((offset, at, inside));
        }
    }
    there.sort_unstable();
    let (offset, best, _) = there.pop()?;
    // A member without a known end is chosen only if no other member begins after it.
    let others = there.into_iter().filter(|&(_, _, inside)| inside);
    Some(((best, offset), others.map(|(offset, at, _)| (at, offset)).collect()))
}

/// Returns true if a type ends in data of unknown length.
pub(crate) fn is_open(module: &Module, ty: Type) -> bool {
    match module.type_of(ty) {
        TypeData::RuntimeArray { .. } => true,
        TypeData::Array { len, .. } => matches!(len, Len::Global(_)),
        _ => false,
    }
}

/// Returns true if no step is known to leave the first `size` bytes from the current offset. A step without a
/// known range is one through the elements of an array and stays inside it, as a declared pointer must
/// (`OpPtrAccessChain`). Code that creates steps without this guarantee must give their range.
fn reaches(left: &RemainingOffset, size: u64) -> bool {
    left.terms.iter().all(|term| term.range.is_none_or(|range| u64::from(range) <= size))
}

/// Extracts the index of an array from an offset.
fn split(left: &mut RemainingOffset, stride: u32) -> Option<Index> {
    if stride == 0 {
        return None;
    }
    if let Some((sum, unit, _)) = &mut left.rest
        && *unit > stride
        && unit.is_multiple_of(stride)
    {
        // The components of a vector are smaller than what all steps have in common.
        let times = *unit / stride;
        for (_, factor) in &mut sum.terms {
            *factor = factor.checked_mul(times)?;
        }
        sum.plus = sum.plus.checked_mul(i64::from(times))?;
        *unit = stride;
    }
    if let Some((sum, unit, _)) = &left.rest {
        let by = stride.checked_div(*unit).filter(|by| by * unit == stride)?;
        let (sum, unit) = (sum.clone(), *unit);
        let (_, _, within) = left.rest.take()?;
        if within % stride != 0 {
            return None;
        }
        let index = Index::Rest(sum.clone(), within / unit, by);
        if by > 1 {
            left.rest = Some((sum, unit, stride));
        }
        return Some(index);
    }
    let odd = left.terms.iter().any(|term| term.stride > stride && term.stride % stride != 0);
    let over =
        left.terms.iter().any(|term| term.stride < stride && term.range.is_some_and(|range| range > stride));
    if odd || over {
        return divided(left, stride);
    }
    let (mine, others): (Vec<Term>, Vec<Term>) =
        left.terms.iter().partition(|term| term.stride % stride == 0);
    let plus = left.bytes.div_euclid(i64::from(stride));
    left.bytes = left.bytes.rem_euclid(i64::from(stride));
    left.terms = others;
    Some(Index::Is(Linear {
        terms: mine.iter().map(|term| (term.index, term.stride / stride)).collect(),
        plus,
    }))
}

/// Expresses everything in the largest unit that divides all strides, and divides.
fn divided(left: &mut RemainingOffset, stride: u32) -> Option<Index> {
    let bytes = u32::try_from(left.bytes).ok()?;
    let unit = left.terms.iter().map(|term| term.stride).chain([bytes, stride]).fold(0u32, gcd);
    let terms = left.terms.iter().map(|term| (term.index, term.stride / unit)).collect();
    let sum = Linear { terms, plus: i64::from(bytes / unit) };
    (left.bytes, left.terms) = (0, Vec::new());
    let by = stride / unit;
    if by == 1 {
        return Some(Index::Is(sum));
    }
    left.rest = Some((sum.clone(), unit, stride));
    Some(Index::Over(sum, by))
}
