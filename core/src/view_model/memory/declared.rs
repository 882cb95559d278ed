//! A declared type as byte ranges: members one after the other, arrays folded to one element, padding between them.
//!
//! ```text
//! segment 0, 16 bytes and more        0..4 count: u32,  4..16 padding,  16.. lights: [#Light]  -> segment 1
//! segment 1, 32 bytes, every 32       0..12 lights[].pos: f32x3,  12..16 lights[].radius: f32,  16..32 padding
//! ```
//!
//! Limit: what has more than [`MOST_FIELDS`] members is told as far as that; how many are missing is said.

use crate::ir::layout::Sizes;
use crate::ir::{Module, Type, TypeData};

/// More members than a person reads.
const MOST_FIELDS: usize = 4000;

/// Some bytes that are looked at together: all of the memory, or one element of an array in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Segment {
    /// The segment it lies in; none for all of the memory.
    pub(super) parent: Option<usize>,
    /// Where its first element begins there.
    pub(super) start: i64,
    /// Bytes from one element to the next.
    pub(super) stride: u64,
    /// How many there are, where that is known.
    pub(super) count: Option<u64>,
    /// Bytes of one; none where nobody knows.
    pub(super) bytes: Option<u64>,
    /// What leads here.
    pub(super) path: String,
    /// Whether the declared type has it.
    pub(super) is_declared: bool,
    /// What lies in it, by first byte.
    pub(super) fields: Vec<Field>,
}

/// What was declared at some bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Field {
    pub(super) start: i64,
    /// How many; none for all that follow.
    pub(super) bytes: Option<u64>,
    pub(super) what: What,
}

/// What it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum What {
    /// A value of a type; with what leads there.
    Leaf(String, Type),
    /// A row of a matrix: so many values of a type side by side.
    Row(String, Type, u32),
    /// The elements of a segment.
    Elements(String, Type, usize),
    /// Nothing: bytes between others.
    Padding,
}

/// A place yet to be looked at: type, segment, first byte there, what leads to it.
struct Next(Type, usize, i64, String);

/// The segments of a type, all of it first; and how many members were left out. Linear in members.
pub(super) fn segments(module: &Module, ty: Type) -> (Vec<Segment>, usize) {
    let mut sizes = Sizes::default();
    let whole = sizes.of(module, module, ty).bytes;
    let all = Segment { bytes: Some(whole), is_declared: true, ..Segment::default() };
    let (mut segments, mut next) = (vec![all], vec![Next(ty, 0, 0, String::new())]);
    let (mut told, mut left) = (0, 0);
    while let Some(Next(ty, at, start, path)) = next.pop() {
        if told >= MOST_FIELDS {
            left += 1;
            continue;
        }
        let bytes = sizes.of(module, module, ty).bytes;
        let mut field = Field { start, bytes: Some(bytes), what: What::Leaf(path.clone(), ty) };
        if let TypeData::Struct(structure) = *module.type_of(ty) {
            let offsets = sizes.offsets(module, module, structure);
            let members = module.structure(structure).map(|data| data.members.clone());
            let list = members.iter().flat_map(|members| members.iter()).zip(offsets.iter()).enumerate();
            let parts = list.map(|(number, (member, &offset))| {
                let name =
                    member.name.map_or_else(|| number.to_string(), |name| module.text_of(name).to_owned());
                let path = if path.is_empty() { name } else { format!("{path}.{name}") };
                Next(member.ty, at, start.saturating_add_unsigned(offset), path)
            });
            let parts: Vec<Next> = parts.collect();
            next.extend(parts.into_iter().rev());
            continue;
        }
        if let Some((element, stride, count)) = elements(module, &mut sizes, ty) {
            let child = segments.len();
            let inner = format!("{path}[]");
            field.bytes = count.map(|count| count.saturating_mul(stride));
            field.what = What::Elements(path, ty, child);
            segments.push(Segment {
                parent: Some(at),
                start,
                stride,
                count,
                bytes: Some(stride),
                path: inner.clone(),
                is_declared: true,
                fields: Vec::new(),
            });
            match element {
                Element::Type(of) => next.push(Next(of, child, 0, inner)),
                Element::Row(of, components) => {
                    let bytes = sizes.of(module, module, of).bytes.saturating_mul(u64::from(components));
                    let what = What::Row(inner, of, components);
                    put(&mut segments, child, Field { start: 0, bytes: Some(bytes), what });
                }
            }
        }
        told += 1;
        put(&mut segments, at, field);
    }
    segments.iter_mut().for_each(pad);
    (segments, left)
}

fn put(segments: &mut [Segment], at: usize, field: Field) {
    if let Some(segment) = segments.get_mut(at) {
        segment.fields.push(field);
    }
}

/// What an array is an array of.
enum Element {
    Type(Type),
    /// A row of a matrix that lies by rows.
    Row(Type, u32),
}

/// The element of an array or a matrix, its stride, and how many there are.
fn elements(module: &Module, sizes: &mut Sizes, ty: Type) -> Option<(Element, u64, Option<u64>)> {
    match *module.type_of(ty) {
        TypeData::Matrix { column, columns, stride, row_major: true } => {
            let rows = module.element_count(column)?;
            let of = module.element_type(column)?;
            Some((Element::Row(of, u32::from(columns)), u64::from(stride), Some(u64::from(rows))))
        }
        TypeData::Matrix { .. } | TypeData::Array { .. } | TypeData::RuntimeArray { .. } => {
            let count = module.element_count(ty).map(u64::from);
            Some((Element::Type(module.element_type(ty)?), sizes.stride(module, module, ty), count))
        }
        _ => None,
    }
    .filter(|&(_, stride, _)| stride > 0)
}

/// Puts the fields of a segment in order, and padding where none of them is.
fn pad(segment: &mut Segment) {
    segment.fields.sort_by_key(|field| field.start);
    let (mut padded, mut end) = (Vec::with_capacity(segment.fields.len()), Some(0i64));
    let gap =
        |from: i64, to: i64| Field { start: from, bytes: u64::try_from(to - from).ok(), what: What::Padding };
    for field in segment.fields.drain(..) {
        if let Some(end) = end.filter(|&end| end < field.start) {
            padded.push(gap(end, field.start));
        }
        let own = field.bytes.map(|bytes| field.start.saturating_add_unsigned(bytes));
        end = end.zip(own).map(|(end, own)| end.max(own));
        padded.push(field);
    }
    let all = segment.bytes.and_then(|bytes| i64::try_from(bytes).ok());
    if let (Some(end), Some(all)) = (end, all)
        && end < all
    {
        padded.push(gap(end, all));
    }
    segment.fields = padded;
}
