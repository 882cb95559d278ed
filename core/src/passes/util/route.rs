//! The way from a typed place to the bytes that an address means: members and elements, found in the layout of the
//! type.
//!
//! ```text
//! struct #0 { count {offset 0}, lights: [#1 step 32] {offset 16} }    + 28 + %i * 32    .1 [%i] .2
//! ```
//!
//! A constant distance picks members, of several that lie over one another the first that holds what is wanted; a
//! step picks the array whose stride divides its own. Steps whose stride no array has are counted together and
//! divided, so that an address that runs over the elements of nested arrays leads somewhere too. Makes no
//! instructions: [`Route`] says what they would be.

use crate::analysis::{Term, gcd};
use crate::ir::layout::{Sizes, scalar_bytes};
use crate::ir::{Inst, Len, Module, Struct, Type, TypeData};
use crate::ops::{ValueType, Width};

/// A number known at run time: `plus + Σ value * times`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(in crate::passes) struct Linear {
    pub(in crate::passes) terms: Vec<(Inst, u32)>,
    pub(in crate::passes) plus: i64,
}

/// Which element.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(in crate::passes) enum Index {
    /// The number itself.
    Is(Linear),
    /// The number divided by this.
    Over(Linear, u32),
    /// What that leaves, divided by the second.
    Rest(Linear, u32, u32),
}

/// A step of a route.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(in crate::passes) enum Hop {
    /// A member of a structure.
    Field(u32),
    /// An element of an array, a column of a matrix, a component of a vector.
    Elem(Index),
    /// So many objects further on, which lie this many bytes apart; 0 where they lie as in an array without a stride.
    Step(Index, u32),
}

/// What is looked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::passes) enum Want {
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

/// A way, and what lies at its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::passes) struct Route {
    pub(in crate::passes) hops: Vec<Hop>,
    pub(in crate::passes) ty: Type,
    /// Component of the vector at the end where the value begins; 0 for what is no part of a vector.
    pub(in crate::passes) component: u8,
}

/// A distance that is not used up yet.
#[derive(Clone, Debug)]
struct Left {
    bytes: i64,
    terms: Vec<Term>,
    /// A distance in units of so many bytes within so many: what dividing left.
    rest: Option<(Linear, u32, u32)>,
}

/// Most steps of a route: deeper types than a program has that people wrote.
const MOST_HOPS: usize = 4096;

/// Most ways that are tried where members lie over one another.
const MOST_WAYS: usize = 64;

/// Finds a way from a place of type `ty`. None where the layout does not agree with the address.
pub(in crate::passes) fn route(
    module: &Module,
    sizes: &mut Sizes,
    ty: Type,
    bytes: i64,
    terms: &[Term],
    want: Want,
) -> Option<Route> {
    let left = Left { bytes, terms: terms.to_vec(), rest: None };
    further(module, sizes, ty, left, want, Vec::new())
}

/// Bytes from one object of a type to the next, if an array had no stride.
fn natural_stride(module: &Module, sizes: &mut Sizes, ty: Type) -> u64 {
    let extent = sizes.of(module, module, ty);
    extent.bytes.next_multiple_of(extent.align.max(1))
}

/// The same from a pointer that may lead to one of many objects of the type, as physical addresses do.
pub(in crate::passes) fn stepped(
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
        let mut left = Left { bytes, terms: terms.to_vec(), rest: None };
        let index = split(&mut left, stride)?;
        let said = if stride == natural { 0 } else { stride };
        further(module, sizes, ty, left, want, vec![Hop::Step(index, said)])
    })
}

/// A place on the way.
struct Way {
    at: Type,
    left: Left,
    hops: Vec<Hop>,
    /// Bytes between the elements of the array that the place is one of.
    apart: Option<u64>,
}

fn further(
    module: &Module,
    sizes: &mut Sizes,
    ty: Type,
    left: Left,
    want: Want,
    hops: Vec<Hop>,
) -> Option<Route> {
    let apart = match hops.last() {
        Some(Hop::Step(..)) => Some(natural_stride(module, sizes, ty)),
        _ => None,
    };
    // Where members lie over one another, the others wait until one turns out to be another thing than what is wanted.
    let mut waiting = vec![Way { at: ty, left, hops, apart }];
    for _ in 0..MOST_WAYS {
        let way = waiting.pop()?;
        if let Some(found) = along(module, sizes, way, want, &mut waiting) {
            return Some(found);
        }
    }
    None
}

/// Follows one way to its end; other members go to `waiting`.
fn along(
    module: &Module,
    sizes: &mut Sizes,
    mut way: Way,
    want: Want,
    waiting: &mut Vec<Way>,
) -> Option<Route> {
    loop {
        let arrived = match want {
            Want::Element(stride) => way.apart == Some(u64::from(stride)),
            Want::Value(_) | Want::Type(_) | Want::Rows(_) | Want::Any => true,
        };
        if let Some(component) = found(module, way.at, &way.left, want).filter(|_| arrived) {
            return Some(Route { hops: way.hops, ty: way.at, component });
        }
        if way.hops.len() >= MOST_HOPS {
            return None;
        }
        way.apart = match module.type_of(way.at) {
            TypeData::Array { .. } | TypeData::RuntimeArray { .. } => {
                Some(sizes.stride(module, module, way.at))
            }
            _ => None,
        };
        if let TypeData::Struct(structure) = *module.type_of(way.at) {
            way = into_member(module, sizes, structure, way, waiting)?;
        } else {
            way.at = hop(module, sizes, way.at, &mut way.left, &mut way.hops, want)?;
        }
    }
}

/// Goes into the member in which a distance ends; other members that lie there wait, the last one to be asked first.
fn into_member(
    module: &Module,
    sizes: &mut Sizes,
    structure: Struct,
    way: Way,
    waiting: &mut Vec<Way>,
) -> Option<Way> {
    if way.left.rest.is_some() {
        return None;
    }
    let (best, others) = member(module, sizes, structure, &way.left)?;
    let offsets = sizes.offsets(module, module, structure);
    let mut go = |(at, offset): (usize, u64)| {
        let member = module.structure(structure)?.members.get(at)?.ty;
        let mut left = way.left.clone();
        left.bytes -= i64::try_from(offset).ok()?;
        let room = match is_open(module, member) {
            // As far as the next member: a length that is only known later keeps it there.
            true => {
                offsets.iter().filter_map(|&next| next.checked_sub(offset)).filter(|&room| room > 0).min()
            }
            false => Some(sizes.of(module, module, member).bytes),
        };
        if room.is_some_and(|room| !reaches(&left, room)) {
            return None;
        }
        let mut hops = way.hops.clone();
        hops.push(Hop::Field(u32::try_from(at).ok()?));
        Some(Way { at: member, left, hops, apart: way.apart })
    };
    waiting.extend(others.into_iter().filter_map(&mut go));
    go(best).or_else(|| waiting.pop())
}

/// Whether a place is what is wanted; the component at which it begins.
fn found(module: &Module, at: Type, left: &Left, want: Want) -> Option<u8> {
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
            // One component is a place of its own.
            let fits = width == wanted && some > 1 && component + u64::from(some) <= u64::from(components);
            (aligned && fits).then_some(component as u8)
        }
    }
}

/// Bytes from one component of a vector in memory to the next.
pub(in crate::passes) fn component_bytes(width: Width) -> u64 {
    scalar_bytes(width)
}

/// Goes one step in.
fn hop(
    module: &Module,
    sizes: &mut Sizes,
    ty: Type,
    left: &mut Left,
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
            // A pointer that nothing is read through may lead right behind the last element.
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
            let behind = module.element_count(ty).is_some_and(|count| behind(&index, count));
            if behind && let Index::Is(sum) = index {
                // No element lies there: one step from the last.
                let of = module.element_type(ty)?;
                let said = if natural_stride(module, sizes, of) == u64::from(stride) { 0 } else { stride };
                let one = |plus| Index::Is(Linear { terms: Vec::new(), plus });
                hops.extend([Hop::Elem(one(sum.plus - 1)), Hop::Step(one(1), said)]);
                return Some(of);
            }
            hops.push(Hop::Elem(index));
            module.element_type(ty)
        }
        _ => None,
    }
}

/// Whether an index is the first that no element has.
fn behind(index: &Index, count: u32) -> bool {
    matches!(index, Index::Is(Linear { terms, plus }) if terms.is_empty() && *plus == i64::from(count) && count > 0)
}

/// A member by number, and where it begins.
type Placed = (usize, u64);

/// The member in which a distance ends, and the others that lie there too, the best last. Members need not be in
/// order; of two that begin together the one that is not empty is meant. Before the first member only the index of an
/// array leads back in.
fn member(
    module: &Module,
    sizes: &mut Sizes,
    structure: Struct,
    left: &Left,
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
    // What has no end is meant only where nothing else begins further on.
    let others = there.into_iter().filter(|&(_, _, inside)| inside);
    Some(((best, offset), others.map(|(offset, at, _)| (at, offset)).collect()))
}

/// Whether what is at the end of a type has no end that is known here.
pub(in crate::passes) fn is_open(module: &Module, ty: Type) -> bool {
    match module.type_of(ty) {
        TypeData::RuntimeArray { .. } => true,
        TypeData::Array { len, .. } => matches!(len, Len::Global(_)),
        _ => false,
    }
}

/// Whether no step is known to lead out of so many bytes, which begin where the distance does. A step of which nobody
/// says how far it leads is one through the elements of an array that stays there, as a declared pointer has to
/// (`OpPtrAccessChain`); who makes steps of which that is not known has to say what they may reach.
fn reaches(left: &Left, size: u64) -> bool {
    left.terms.iter().all(|term| term.range.is_none_or(|range| u64::from(range) <= size))
}

/// Takes the index of an array out of a distance.
fn split(left: &mut Left, stride: u32) -> Option<Index> {
    if stride == 0 {
        return None;
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

/// Counts everything in the largest unit that fits all steps, and divides.
fn divided(left: &mut Left, stride: u32) -> Option<Index> {
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
