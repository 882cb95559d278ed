//! Types that a rule places as they are declared.
//!
//! A type fits if the rule of the target gives its parts the declared offsets and strides, by itself or with padding: unused
//! members between others, and structures around the elements of arrays. For targets whose text adds no padding, a type with
//! these members is created. Refuses (`None`) overlapping members, offsets that are not aligned, and smaller strides.

use super::atomics::NumberLimits;
use super::rules::{Extent, LayoutTarget, Packing};
use super::verdict::{LayoutVerdict, MemberLayout};
use std::ops::Range;
use vitrine_ir::base::SideTable;
use vitrine_ir::layout::{HANDLE_BYTES, Lengths, parts, scalar_bytes};
use vitrine_ir::ops::{Key, Width};
use vitrine_ir::{Attrs, Len, Member, Module, Struct, StructData, Type, TypeData};

/// The most words that HLSL text puts between two members.
const MOST_WORDS: u64 = 64;

/// A type as the target places it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fit {
    /// The type, with padding if the target needs it.
    pub(super) ty: Type,
    pub(super) extent: Extent,
    /// The end of the last member of a structure, without the padding of the rule.
    end: u64,
    pub(super) is_padded: bool,
}

/// The types of a module by one rule.
#[derive(Debug)]
pub(super) struct Fitter<'m> {
    pub(super) module: &'m mut Module,
    pub(super) target: LayoutTarget,
    pub(super) packing: Packing,
    /// Row-major matrices become arrays of rows, because the text states one order for all matrices of a member.
    pub(super) splits_rows: bool,
    /// With plain and with packed vectors.
    known: [SideTable<Type, Option<Option<Fit>>>; 2],
}

impl<'m> Fitter<'m> {
    /// No type is measured yet.
    pub(super) fn new(module: &'m mut Module, target: LayoutTarget, packing: Packing) -> Fitter<'m> {
        let known = [SideTable::with_default(None), SideTable::with_default(None)];
        Fitter { module, target, packing, splits_rows: false, known }
    }

    /// Returns true if the type must be declared with the placed members.
    pub(super) fn is_new(&self, placed: &Placed, declared: &[Member]) -> bool {
        let may_differ = self.target.needs_padded_types() || self.target == LayoutTarget::Wgsl;
        may_differ && placed.members[..] != *declared
    }

    fn known(&self, ty: Type, packed: bool) -> Option<Fit> {
        self.known[usize::from(packed)][ty].flatten()
    }

    fn measure(&mut self, ty: Type) {
        let mut work = vec![(ty, false)];
        while let Some((ty, parts_done)) = work.pop() {
            if self.known[1][ty].is_some() {
                continue;
            }
            if !parts_done {
                work.push((ty, true));
                work.extend(parts(self.module, ty).into_iter().map(|part| (part, false)));
                continue;
            }
            let plain = self.combine(ty, false);
            let packed = if self.packing == Packing::Metal { self.combine(ty, true) } else { plain };
            (self.known[0][ty], self.known[1][ty]) = (Some(plain), Some(packed));
        }
    }

    fn combine(&mut self, ty: Type, packed: bool) -> Option<Fit> {
        let plain = |extent: Extent| Fit { ty, extent, end: extent.bytes, is_padded: false };
        match *self.module.type_of(ty) {
            TypeData::Int { width, .. } | TypeData::Float { width } => {
                let bytes = scalar_bytes(width);
                Some(plain(Extent { bytes, align: bytes }))
            }
            // An address; the text may have none, which it reports.
            TypeData::Pointer { .. } => Some(plain(Extent { bytes: HANDLE_BYTES, align: HANDLE_BYTES })),
            TypeData::Vector { of, components } => {
                let scalar = self.known(of, packed)?.extent;
                Some(plain(self.packing.vector(scalar, u64::from(components), packed)))
            }
            TypeData::Matrix { column, columns, stride, row_major } => {
                let rows = self.module.element_count(column)?.try_into().ok()?;
                let (inner, outer) = if row_major { (columns, rows) } else { (rows, columns) };
                self.matrix(ty, column, (inner, outer), u64::from(stride), packed)
            }
            TypeData::Array { of, len, stride } => self.array(ty, of, Some(len), u64::from(stride), packed),
            TypeData::RuntimeArray { of, stride } => self.array(ty, of, None, u64::from(stride), packed),
            TypeData::Struct(structure) => self.structure(ty, structure, packed),
            _ => None,
        }
    }

    /// A matrix of `outer` vectors with `inner` components.
    fn matrix(
        &mut self,
        ty: Type,
        column: Type,
        (inner, outer): (u8, u8),
        stride: u64,
        packed: bool,
    ) -> Option<Fit> {
        let scalar = self.module.element_type(column)?;
        let vector = self.packing.vector(self.known(scalar, packed)?.extent, u64::from(inner), packed);
        let (own, align) = self.packing.stride(vector);
        let is_row_major = matches!(*self.module.type_of(ty), TypeData::Matrix { row_major: true, .. });
        let is_split = self.splits_rows && is_row_major;
        if own == stride && !is_split && self.packing.allows_stride(stride) {
            let bytes = self.packing.array_bytes(vector, stride, u64::from(outer));
            let extent = Extent { bytes, align };
            return Some(Fit { ty, extent, end: extent.bytes, is_padded: false });
        }
        if self.target.needs_padded_types() {
            let of = self.module.ty(TypeData::Vector { of: scalar, components: inner });
            let fit = Fit { ty: of, extent: vector, end: vector.bytes, is_padded: false };
            let found = self.elements(fit, Some(Len::Count(u32::from(outer))), stride, None)?;
            return Some(Fit { is_padded: true, ..found });
        }
        // The text wraps columns, and Metal also rows.
        let wraps = match self.target {
            LayoutTarget::Wgsl => !is_row_major,
            LayoutTarget::Msl => true,
            LayoutTarget::Glsl | LayoutTarget::Essl | LayoutTarget::Essl310 | LayoutTarget::Hlsl => false,
        };
        let is_larger = stride > own && stride.is_multiple_of(align);
        (wraps && is_larger && self.packing.allows_stride(stride)).then(|| {
            let extent = Extent { bytes: stride * u64::from(outer), align };
            Fit { ty, extent, end: extent.bytes, is_padded: true }
        })
    }

    fn array(&mut self, ty: Type, of: Type, len: Option<Len>, stride: u64, packed: bool) -> Option<Fit> {
        let element = self.known(of, packed)?;
        if self.target == LayoutTarget::Hlsl && is_array_of_matrices(self.module, of) {
            return None;
        }
        self.elements(element, len, stride, Some(ty))
    }

    /// An array of elements; `declared` is its type if the elements have the declared one.
    fn elements(
        &mut self,
        element: Fit,
        len: Option<Len>,
        stride: u64,
        declared: Option<Type>,
    ) -> Option<Fit> {
        let (own, align) = self.packing.stride(element.extent);
        if !self.packing.allows_stride(stride) || stride < own || !stride.is_multiple_of(align) {
            return None;
        }
        let mut of = element.ty;
        let mut is_padded = element.is_padded;
        if stride > own {
            is_padded = true;
            if self.target.needs_padded_types() {
                of = self.lengthened(element, stride)?;
            } else if self.target == LayoutTarget::Hlsl {
                let missing = stride - element.extent.bytes;
                let is_struct = matches!(self.module.type_of(of), TypeData::Struct(_));
                let is_free = row_end(self.module, of, element.extent.bytes) == element.extent.bytes;
                if !is_struct || !is_free || !missing.is_multiple_of(4) || missing / 4 > MOST_WORDS {
                    return None;
                }
            }
        }
        let count = len.map_or(0, |len| self.module.of(len));
        let bytes = match len {
            Some(_) => self.packing.array_bytes(element.extent, stride, count),
            None => 0,
        };
        let step = u32::try_from(stride).ok()?;
        let same = declared.filter(|&ty| self.module.element_type(ty) == Some(of));
        let ty = same.unwrap_or_else(|| {
            self.module.ty(match len {
                Some(len) => TypeData::Array { of, len, stride: step },
                None => TypeData::RuntimeArray { of, stride: step },
            })
        });
        Some(Fit { ty, extent: Extent { bytes, align }, end: bytes, is_padded })
    }

    /// An element that fills a stride: a structure with more members, or a structure around it.
    fn lengthened(&mut self, element: Fit, stride: u64) -> Option<Type> {
        let (mut data, end) = match *self.module.type_of(element.ty) {
            TypeData::Struct(structure) => (self.module.structure(structure)?.clone(), element.end),
            _ => {
                let attrs = Attrs::default().with(Key::Offset, 0);
                let value = Member { name: Some(self.module.text("value")), ty: element.ty, attrs };
                let name = Some(self.module.text("Element"));
                let data = StructData { name, members: [value].into(), attrs: Attrs::default() };
                (data, element.extent.bytes)
            }
        };
        let mut members = data.members.to_vec();
        // The structure itself rounds its size up, too: no more words than its end needs.
        let align = element.extent.align.max(1);
        let until = if self.packing == Packing::Scalar { stride } else { stride - align.max(4) + 4 };
        if until > end {
            self.pad(&mut members, end, until)?;
        }
        let placed = self.members(&members, false, None)?;
        if self.packing.stride(placed.extent).0 != stride {
            return None;
        }
        data.members = members.into();
        let structure = self.module.add_struct(data);
        Some(self.module.ty(TypeData::Struct(structure)))
    }

    fn structure(&mut self, ty: Type, structure: Struct, packed: bool) -> Option<Fit> {
        let data = self.module.structure(structure)?.clone();
        if data.members.is_empty() && self.target != LayoutTarget::Hlsl {
            // The text leaves it out.
            let extent = Extent { bytes: 0, align: 1 };
            return Some(Fit { ty, extent, end: 0, is_padded: false });
        }
        let placed = self.members(&data.members, packed, None)?;
        let mut fit = Fit { ty, extent: placed.extent, end: placed.end, is_padded: placed.is_padded };
        if self.is_new(&placed, &data.members) {
            let new = self.module.add_struct(StructData { members: placed.members.into(), ..data });
            fit.ty = self.module.ty(TypeData::Struct(new));
        }
        Some(fit)
    }

    /// Places members of a structure or of a block. The text may state the offsets of a block, so that they need no padding.
    pub(super) fn members(
        &mut self,
        members: &[Member],
        packed: bool,
        block: Option<Block<'_>>,
    ) -> Option<Placed> {
        let stated = block.is_some_and(|block| block.is_stated);
        let numbers = block.and_then(|block| block.numbers);
        let mut order: Vec<(u64, usize)> = Vec::new();
        for (at, member) in members.iter().enumerate() {
            order.push((member.attrs.get(Key::Offset)?, at));
        }
        let sorts = self.target.needs_padded_types() || self.target == LayoutTarget::Msl || stated;
        let is_sorted = order.is_sorted();
        if !is_sorted && !sorts {
            return None;
        }
        order.sort_unstable();
        let is_padded = !is_sorted && !stated;
        let mut placed = Placed { is_padded, ..Placed::default() };
        let (mut align, mut least) = (1, 0);
        for (turn, &(offset, at)) in order.iter().enumerate() {
            let member = members.get(at)?;
            let next = order.get(turn + 1).map_or(u64::MAX, |&(next, _)| next);
            let room = placed.end.max(least)..next;
            let declared = self.member(member.ty, offset, room.clone(), packed);
            let is_numbers = declared.is_none();
            let fit = match (declared, numbers) {
                (Some(fit), _) => fit,
                (None, Some(limits)) => {
                    let fit = self.numbers(member.ty, (Some(at), offset), limits)?;
                    self.is_there(&fit, offset, &room).then_some(fit)?
                }
                (None, None) => return None,
            };
            let natural = self.packing.next(placed.end, fit.extent);
            let is_apart = offset != natural && !stated;
            let verdict = match is_numbers {
                true => LayoutVerdict::Bytes,
                false if is_apart || fit.is_padded => LayoutVerdict::Padded,
                false => LayoutVerdict::Plain,
            };
            let natural_here = Some(natural).filter(|_| !is_numbers);
            placed.places.push(MemberLayout { member: at, offset, natural: natural_here, verdict });
            if is_apart {
                placed.is_padded = true;
                match self.target {
                    LayoutTarget::Glsl | LayoutTarget::Essl | LayoutTarget::Essl310 => {
                        let end = placed.end;
                        self.pad(&mut placed.members, end, offset)?;
                    }
                    LayoutTarget::Hlsl => {
                        let gap = offset - placed.end;
                        let is_words = gap.is_multiple_of(4) && placed.end.is_multiple_of(4);
                        if !is_words || gap / 4 > MOST_WORDS || least > placed.end {
                            return None;
                        }
                    }
                    // The member before it can be longer, but there is none.
                    LayoutTarget::Wgsl if turn == 0 => self.pad(&mut placed.members, 0, offset)?,
                    LayoutTarget::Wgsl | LayoutTarget::Msl => {}
                }
            }
            placed.is_padded |= fit.is_padded;
            placed.members.push(Member { ty: fit.ty, ..member.clone() });
            align = align.max(fit.extent.align);
            placed.end = offset.saturating_add(fit.extent.bytes);
            // Nothing follows a structure in its last 16 bytes.
            let is_struct = matches!(self.module.type_of(member.ty), TypeData::Struct(_));
            if self.packing == Packing::WgslUniform && is_struct {
                least = placed.end.next_multiple_of(16);
            }
            if self.packing == Packing::Cbuffer {
                least = row_end(self.module, member.ty, placed.end);
            }
        }
        placed.extent = self.packing.structure(placed.end, align);
        Some(placed)
    }

    /// A member at an offset, in the room from the end of the one before it up to the next one.
    fn member(&mut self, ty: Type, offset: u64, room: Range<u64>, packed: bool) -> Option<Fit> {
        self.measure(ty);
        let is_struct = matches!(self.module.type_of(ty), TypeData::Struct(_));
        if self.packing == Packing::WgslUniform && is_struct && !offset.is_multiple_of(16) {
            return None;
        }
        let plain = self.known(ty, packed).filter(|fit| self.is_there(fit, offset, &room));
        plain.or_else(|| self.known(ty, true).filter(|fit| self.is_there(fit, offset, &room)))
    }

    /// Returns true if a part may be at an offset.
    fn is_there(&self, fit: &Fit, offset: u64, room: &Range<u64>) -> bool {
        let is_free = fit.extent.bytes <= room.end.saturating_sub(offset) || room.end == u64::MAX;
        offset >= room.start && self.packing.next(offset, fit.extent) == offset && is_free
    }

    /// Appends unused members from `from` to `until`.
    fn pad(&mut self, members: &mut Vec<Member>, from: u64, until: u64) -> Option<()> {
        let mut at = from.next_multiple_of(4);
        if !until.is_multiple_of(4) || at > until {
            return None;
        }
        let word = self.module.ty(TypeData::Int { width: Width::W32, signed: false });
        while at < until {
            let words = (until - at) / 4;
            let wide = self.packing.has_wide_elements();
            let (ty, bytes) = if wide && at.is_multiple_of(16) && words >= 8 {
                let of = self.module.ty(TypeData::Vector { of: word, components: 4 });
                let count = u32::try_from(words / 4).ok()?;
                let len = Len::Count(count);
                (self.module.ty(TypeData::Array { of, len, stride: 16 }), u64::from(count) * 16)
            } else if wide || words == 1 {
                (word, 4)
            } else {
                let len = Len::Count(u32::try_from(words).ok()?);
                (self.module.ty(TypeData::Array { of: word, len, stride: 4 }), words * 4)
            };
            let name = Some(self.module.text(&format!("pad_{at}")));
            members.push(Member { name, ty, attrs: Attrs::default().with(Key::Offset, at) });
            at += bytes;
        }
        Some(())
    }
}

/// Members as the target places them.
#[derive(Debug, Default)]
pub(super) struct Placed {
    /// In the order of their offsets, with padding.
    pub(super) members: Vec<Member>,
    /// The members of the declaration, in the same order.
    pub(super) places: Vec<MemberLayout>,
    pub(super) extent: Extent,
    pub(super) end: u64,
    pub(super) is_padded: bool,
}

impl Placed {
    /// The way in which all members are expressed.
    pub(super) fn verdict(&self) -> LayoutVerdict {
        let padded = if self.is_padded { LayoutVerdict::Padded } else { LayoutVerdict::Plain };
        self.places.iter().map(|place| place.verdict).fold(padded, Ord::max)
    }
}

/// The members of a block; with `numbers`, those without a place become arrays of numbers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Block<'a> {
    pub(super) numbers: Option<&'a NumberLimits>,
    /// The text states the offsets of the members.
    pub(super) is_stated: bool,
}

impl Fit {
    /// An array of numbers.
    pub(super) fn of_numbers(ty: Type, extent: Extent) -> Fit {
        Fit { ty, extent, end: extent.bytes, is_padded: false }
    }
}

/// Where a member that ends at `end` leaves a row of a constant buffer: the last element of an array and the last row of a
/// matrix take whole rows for the compiler of HLSL, which rejects its own text if anything else begins there.
pub fn row_end(module: &Module, mut ty: Type, end: u64) -> u64 {
    while let TypeData::Struct(structure) = *module.type_of(ty) {
        let last = module.structure(structure).and_then(|data| data.members.last().map(|member| member.ty));
        let Some(last) = last else { return end };
        ty = last;
    }
    match module.type_of(ty) {
        TypeData::Array { .. } | TypeData::Matrix { .. } => end.next_multiple_of(16),
        _ => end,
    }
}

/// Returns true for an array of matrices. The compiler of HLSL gives matrices in arrays of these neither a stride nor an order in
/// SPIR-V, so that a program would read others.
pub fn is_array_of_matrices(module: &Module, ty: Type) -> bool {
    let mut of = ty;
    while let TypeData::Array { of: element, .. } = *module.type_of(of) {
        of = element;
    }
    of != ty && matches!(module.type_of(of), TypeData::Matrix { .. })
}
