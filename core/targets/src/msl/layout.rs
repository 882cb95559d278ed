//! Memory as the module declares it: members, elements and columns at the offsets of the program.
//!
//! Each member is declared by the first of its forms that is at the declared offset and leaves room for what follows: with
//! plain vectors, which are aligned to their size, or with packed ones, which are aligned to their components. A gap before a
//! member is a member of bytes; a larger stride makes each element the member `value` of a structure of that size. Refuses
//! what fits in no form; the caller reports it.

use crate::layout::is_empty_type;
use rustc_hash::FxHashMap;
use vitrine_ir::base::SideTable;
use vitrine_ir::layout::{Lengths, parts, scalar_bytes};
use vitrine_ir::ops::Key;
use vitrine_ir::{Len, Module, Struct, Type, TypeData};

/// Size and alignment in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    pub(super) bytes: u64,
    pub(super) align: u64,
}

/// A declared layout that MSL does not have.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Misfit;

/// A member in memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// Its number in the structure.
    pub(super) member: usize,
    /// Bytes before it that belong to no member.
    pub(super) gap: u64,
    /// If set, its vectors are packed.
    pub(super) packed: bool,
}

/// The room that the places of a structure give it.
#[derive(Clone, Copy, Debug)]
struct Room {
    /// The most bytes.
    bytes: u64,
    /// A divisor of all its addresses.
    grid: u64,
}

/// No alignment of a type is larger.
const GRID: u64 = 16;

impl Default for Room {
    fn default() -> Room {
        Room { bytes: u64::MAX, grid: GRID }
    }
}

/// The layouts of types in memory.
#[derive(Debug, Default)]
pub(crate) struct Memory {
    rooms: FxHashMap<Struct, Room>,
    known: [SideTable<Type, Option<Result<Extent, Misfit>>>; 2],
    places: FxHashMap<Struct, Result<Vec<Place>, Misfit>>,
}

impl Memory {
    /// The layouts of the types of a module.
    pub(super) fn of(module: &Module) -> Memory {
        let mut memory = Memory { rooms: rooms(module), ..Memory::default() };
        for (_, data) in module.vars() {
            memory.measure(module, data.ty);
        }
        memory
    }

    /// The members of a structure in order of their offsets.
    pub(super) fn places(&mut self, module: &Module, structure: Struct) -> Result<Vec<Place>, Misfit> {
        if let Some(known) = self.places.get(&structure) {
            return known.clone();
        }
        for member in module.structure(structure).iter().flat_map(|data| data.members.iter()) {
            self.measure(module, member.ty);
        }
        let places = self.arrange(module, structure).map(|(places, _)| places);
        self.places.insert(structure, places.clone());
        places
    }

    /// True if the vectors of a member are packed.
    pub(super) fn is_packed(&mut self, module: &Module, structure: Struct, member: usize) -> bool {
        let places = self.places(module, structure).unwrap_or_default();
        places.iter().any(|place| place.member == member && place.packed)
    }

    /// The extent of a type.
    pub(super) fn extent(&mut self, module: &Module, ty: Type, packed: bool) -> Result<Extent, Misfit> {
        self.measure(module, ty);
        self.known(ty, packed)
    }

    fn known(&self, ty: Type, packed: bool) -> Result<Extent, Misfit> {
        self.known[usize::from(packed)][ty].unwrap_or(Err(Misfit))
    }

    /// The bytes of each element of an array, or of each column or row of a matrix, if they need a structure of their own.
    pub(super) fn padding(&mut self, module: &Module, ty: Type, packed: bool) -> Option<u64> {
        self.measure(module, ty);
        let (inner, stride) = self.inner(module, ty, packed)?;
        let natural = inner.ok().map(|inner| inner.bytes.next_multiple_of(inner.align.max(1)))?;
        (stride > natural).then_some(stride)
    }

    /// True for a matrix that is declared as one; others are arrays of vectors.
    pub(super) fn is_matrix(&mut self, module: &Module, ty: Type, packed: bool) -> bool {
        !packed
            && matches!(module.type_of(ty), TypeData::Matrix { .. })
            && self.padding(module, ty, false).is_none()
    }

    /// The extent of the elements of an array or of the vectors of a matrix, and the declared stride; 0 if there is none.
    fn inner(&self, module: &Module, ty: Type, packed: bool) -> Option<(Result<Extent, Misfit>, u64)> {
        Some(match *module.type_of(ty) {
            TypeData::Array { of, stride, .. } | TypeData::RuntimeArray { of, stride } => {
                (self.known(of, packed), u64::from(stride))
            }
            TypeData::Matrix { column, columns, stride, row_major } => {
                let vector = match row_major {
                    true => module.element_type(column).map(|scalar| {
                        let scalar = self.known(scalar, packed)?;
                        Ok(vector(scalar, u64::from(columns), packed))
                    })?,
                    false => self.known(column, packed),
                };
                (vector, u64::from(stride))
            }
            _ => return None,
        })
    }

    fn measure(&mut self, module: &Module, ty: Type) {
        let mut work = vec![(ty, false)];
        while let Some((ty, parts_done)) = work.pop() {
            if self.known[1][ty].is_some() {
                continue;
            }
            if !parts_done {
                work.push((ty, true));
                work.extend(parts(module, ty).into_iter().map(|part| (part, false)));
                continue;
            }
            for packed in [false, true] {
                let extent = self.combine(module, ty, packed);
                self.known[usize::from(packed)][ty] = Some(extent);
            }
        }
    }

    fn combine(&mut self, module: &Module, ty: Type, packed: bool) -> Result<Extent, Misfit> {
        Ok(match *module.type_of(ty) {
            TypeData::Bool => Extent { bytes: 1, align: 1 },
            TypeData::Int { width, .. } | TypeData::Float { width } => {
                let bytes = scalar_bytes(width);
                Extent { bytes, align: bytes }
            }
            TypeData::Vector { of, components } => {
                vector(self.known(of, packed)?, u64::from(components), packed)
            }
            TypeData::Matrix { .. } | TypeData::Array { .. } | TypeData::RuntimeArray { .. } => {
                let Some((inner, stride)) = self.inner(module, ty, packed) else { return Err(Misfit) };
                let inner = inner?;
                let natural = inner.bytes.next_multiple_of(inner.align.max(1));
                let stride = if stride == 0 { natural } else { stride };
                if stride < natural || !stride.is_multiple_of(inner.align.max(1)) {
                    return Err(Misfit);
                }
                let count = match *module.type_of(ty) {
                    TypeData::Matrix { column, row_major: true, .. } => {
                        u64::from(module.element_count(column).unwrap_or(1))
                    }
                    TypeData::Matrix { columns, .. } => u64::from(columns),
                    TypeData::Array { len: Len::Count(count), .. } => u64::from(count),
                    TypeData::Array { len: len @ Len::Global(_), .. } => module.of(len),
                    _ => 0,
                };
                Extent { bytes: stride.saturating_mul(count), align: inner.align }
            }
            TypeData::Struct(structure) => {
                let arranged = self.arrange(module, structure)?;
                let extent = arranged.1;
                self.places.insert(structure, Ok(arranged.0));
                extent
            }
            _ => Extent { bytes: 8, align: 8 },
        })
    }

    /// The places of the members of a structure whose members are measured.
    fn arrange(&self, module: &Module, structure: Struct) -> Result<(Vec<Place>, Extent), Misfit> {
        let members = module.structure(structure).map(|data| &data.members[..]).unwrap_or_default();
        let declared = |at: usize| members.get(at).and_then(|member| member.attrs.get(Key::Offset));
        let room = self.rooms.get(&structure).copied().unwrap_or_default();
        let mut order: Vec<usize> = (0..members.len()).collect();
        order.sort_by_key(|&at| (declared(at).unwrap_or(0), at));
        let (mut places, mut end, mut align) = (Vec::new(), 0u64, 1u64);
        for (place, &at) in order.iter().enumerate() {
            let Some(member) = members.get(at).filter(|member| !is_empty_type(module, member.ty)) else {
                continue;
            };
            let next = order.get(place + 1).and_then(|&next| declared(next));
            let limit = next.unwrap_or(room.bytes);
            let fits = |packed: bool| {
                let part = self.known(member.ty, packed).ok()?;
                let natural = end.next_multiple_of(part.align.max(1));
                let offset = declared(at).unwrap_or(natural);
                let is_placed = offset >= end && offset.is_multiple_of(part.align.max(1));
                let is_free = declared(at).is_none() || offset.saturating_add(part.bytes) <= limit;
                let is_aligned = room.grid.is_multiple_of(part.align.max(1));
                (is_placed && is_free && is_aligned).then_some((packed, part, offset))
            };
            let (packed, part, offset) = fits(false).or_else(|| fits(true)).ok_or(Misfit)?;
            let gap = if offset > end.next_multiple_of(part.align.max(1)) { offset - end } else { 0 };
            places.push(Place { member: at, gap, packed });
            align = align.max(part.align);
            end = offset.saturating_add(part.bytes);
        }
        let bytes = end.checked_next_multiple_of(align).unwrap_or(end);
        if bytes > room.bytes {
            return Err(Misfit);
        }
        Ok((places, Extent { bytes, align }))
    }
}

fn vector(scalar: Extent, components: u64, packed: bool) -> Extent {
    match packed {
        true => Extent { bytes: scalar.bytes * components, align: scalar.align },
        false => {
            let bytes = scalar.bytes * components.next_power_of_two();
            Extent { bytes, align: bytes }
        }
    }
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The room of each structure, from the strides of its arrays and the offsets of the members that hold it.
fn rooms(module: &Module) -> FxHashMap<Struct, Room> {
    let structures: Vec<Struct> = (0..module.sizes()[1])
        .map(vitrine_ir::base::EntityId::from_index)
        .filter(|&structure| module.structure(structure).is_some())
        .collect();
    let mut rooms: FxHashMap<Struct, Room> = FxHashMap::default();
    // Each round carries the grid one level deeper.
    for _ in 0..=structures.len() {
        let mut changed = false;
        for &structure in &structures {
            let outer = rooms.get(&structure).copied().unwrap_or_default();
            let members = module.structure(structure).map(|data| &data.members[..]).unwrap_or_default();
            let mut offsets: Vec<u64> = members.iter().filter_map(|it| it.attrs.get(Key::Offset)).collect();
            offsets.sort_unstable();
            for member in members {
                let Some(offset) = member.attrs.get(Key::Offset) else { continue };
                let next = offsets.iter().find(|&&other| other > offset);
                let mut room = Room {
                    bytes: next.map_or(outer.bytes, |next| next - offset),
                    grid: gcd(outer.grid, offset),
                };
                let mut ty = member.ty;
                while let TypeData::Array { of, stride, .. } | TypeData::RuntimeArray { of, stride } =
                    *module.type_of(ty)
                {
                    let stride = u64::from(stride);
                    let bytes = if stride == 0 { room.bytes } else { room.bytes.min(stride) };
                    room = Room { bytes, grid: gcd(room.grid, stride) };
                    ty = of;
                }
                let TypeData::Struct(inner) = *module.type_of(ty) else { continue };
                let known = rooms.entry(inner).or_default();
                let joined = Room { bytes: known.bytes.min(room.bytes), grid: gcd(known.grid, room.grid) };
                changed |= joined.bytes != known.bytes || joined.grid != known.grid;
                *known = joined;
            }
        }
        if !changed {
            break;
        }
    }
    rooms
}
