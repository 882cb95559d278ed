//! A declared type as byte ranges: members in order, arrays folded to one element, with padding between them.
//!
//! ```text
//! segment 0, 16 bytes and more        0..4 count: u32,  4..16 padding,  16.. lights: [#Light]  -> segment 1
//! segment 1, 32 bytes, every 32       0..12 lights[].pos: f32x3,  12..16 lights[].radius: f32,  16..32 padding
//! ```
//!
//! Limit: only the first [`MOST_FIELDS`] members are listed, with the number of the others.

use crate::ir::layout::Sizes;
use crate::ir::{Module, Type, TypeData};

/// The largest number of listed members.
const MOST_FIELDS: usize = 4000;

/// A range of bytes with its fields: the whole memory, or one element of an array in it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Segment {
    /// The parent segment; none for the whole memory.
    pub(super) parent: Option<usize>,
    /// The offset of its first element in the parent.
    pub(super) start: i64,
    /// Bytes from one element to the next.
    pub(super) stride: u64,
    /// The number of elements, if known.
    pub(super) count: Option<u64>,
    /// Size of an element in bytes; none if unknown.
    pub(super) bytes: Option<u64>,
    /// The path of the segment.
    pub(super) path: String,
    /// True if it is in the declared type.
    pub(super) is_declared: bool,
    /// Its fields, by first byte.
    pub(super) fields: Vec<Field>,
}

/// A declared field at a range of bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Field {
    pub(super) start: i64,
    /// Size in bytes; none for the rest of the memory.
    pub(super) bytes: Option<u64>,
    pub(super) kind: FieldKind,
}

/// The kind of a field.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum FieldKind {
    /// A value of a type, with its path.
    Leaf(String, Type),
    /// A row of a matrix: this number of components of a type, adjacent.
    Row(String, Type, u32),
    /// The elements of a segment.
    Elements(String, Type, usize),
    /// Padding.
    Padding,
}

/// A pending member: type, segment, first byte in it, path.
struct Next(Type, usize, i64, String);

/// The segments of a type, the whole first, and the number of omitted members. Linear in members.
pub(super) fn segments(module: &Module, ty: Type) -> (Vec<Segment>, usize) {
    let mut sizes = Sizes::default();
    let whole = sizes.of(module, module, ty).bytes;
    let all = Segment { bytes: Some(whole), is_declared: true, ..Segment::default() };
    let (mut segments, mut next) = (vec![all], vec![Next(ty, 0, 0, String::new())]);
    let (mut listed, mut left) = (0, 0);
    while let Some(Next(ty, at, start, path)) = next.pop() {
        if listed >= MOST_FIELDS {
            left += 1;
            continue;
        }
        let bytes = sizes.of(module, module, ty).bytes;
        let mut field = Field { start, bytes: Some(bytes), kind: FieldKind::Leaf(path.clone(), ty) };
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
            field.kind = FieldKind::Elements(path, ty, child);
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
                    let kind = FieldKind::Row(inner, of, components);
                    put(&mut segments, child, Field { start: 0, bytes: Some(bytes), kind });
                }
            }
        }
        listed += 1;
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

/// The element of an array or a matrix.
enum Element {
    Type(Type),
    /// A row of a row-major matrix.
    Row(Type, u32),
}

/// The element, its stride, and the number of elements.
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

/// Sorts the fields of a segment, and inserts padding between them.
fn pad(segment: &mut Segment) {
    segment.fields.sort_by_key(|field| field.start);
    let (mut padded, mut end) = (Vec::with_capacity(segment.fields.len()), Some(0i64));
    let gap = |from: i64, to: i64| Field {
        start: from,
        bytes: u64::try_from(to - from).ok(),
        kind: FieldKind::Padding,
    };
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
