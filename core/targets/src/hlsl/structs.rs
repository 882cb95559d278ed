//! Structures of HLSL with the places that buffers state: members in between and at the end fill the gaps.
//!
//! Constant buffers have rows of 16 bytes, which no vector crosses, and in which arrays, matrices and structures begin a
//! row; elements of structured buffers are packed by their scalars. A structure has one declaration: where two buffers need
//! other members in between, the second one is refused, or accessed by bytes.

use super::buffers::flipped;
use super::state::{Fill, Fills, Rule};
use crate::expr::{Token, punct, space, words};
use crate::module::ModuleWriter;
use crate::print::Line;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use vitrine_analysis::{is_array_of_matrices, row_end};
use vitrine_ir::layout::{Lengths, Sizes, parts, scalar_bytes};
use vitrine_ir::ops::{Key, Width};
use vitrine_ir::{Anchor, Mode, Struct, Type, TypeData};
use vitrine_text::{Class, Link};

/// Size and alignment in bytes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Extent {
    bytes: u64,
    align: u64,
}

/// The most words between two members.
const MOST_WORDS: u64 = 64;

impl Rule {
    /// The first place of a part at or after an offset.
    fn next(self, offset: u64, part: Extent) -> u64 {
        let offset = offset.next_multiple_of(part.align.max(1));
        let crosses = offset % 16 + part.bytes > 16 && !offset.is_multiple_of(16);
        if self == Rule::Rows && crosses { offset.next_multiple_of(16) } else { offset }
    }
}

impl ModuleWriter<'_> {
    /// Returns true if the language gives a part at an offset the declared places; notes how its structures are filled.
    pub(super) fn fits(&mut self, ty: Type, offset: u64, stride: Option<u64>, rule: Rule) -> bool {
        let mut fills = self.own.hlsl.fills.clone();
        // The first walk finds how much follows the last member of elements.
        for _ in 0..4 {
            let before = fills.clone();
            let Some(extent) = self.extent(ty, rule, &mut fills) else { return false };
            let next =
                extent.bytes.next_multiple_of(if rule == Rule::Rows { 16 } else { extent.align.max(1) });
            if let Some(stride) = stride.filter(|&stride| stride != next)
                && !self.lengthen(ty, stride, extent, rule, &mut fills)
            {
                return false;
            }
            if before == fills {
                let is_there = rule.next(offset, extent) == offset;
                if is_there {
                    self.own.hlsl.fills = fills;
                }
                return is_there;
            }
        }
        false
    }

    /// Fills structures without members: its compiler takes no initializer of one, and some arrays of them keep it busy without
    /// an end.
    pub(super) fn fill_empty(&mut self) {
        let is_empty = |structure: &Struct| {
            self.module.structure(*structure).is_some_and(|data| data.members.is_empty())
        };
        let empty: Vec<Struct> =
            self.module.structs().map(|(structure, _)| structure).filter(is_empty).collect();
        let fill = Fill { before: Vec::new(), after: 1 };
        self.own.hlsl.fills.extend(empty.into_iter().map(|structure| (structure, fill.clone())));
    }

    /// Fills the end of a structure up to the stride of its array.
    fn lengthen(&self, ty: Type, stride: u64, extent: Extent, rule: Rule, fills: &mut Fills) -> bool {
        let TypeData::Struct(structure) = *self.module.type_of(ty) else { return false };
        let Some(fill) = fills.get_mut(&structure) else { return false };
        if rule == Rule::Rows && row_end(self.module, ty, extent.bytes) != extent.bytes {
            return false;
        }
        let missing = stride.checked_sub(extent.bytes).filter(|missing| missing % 4 == 0);
        match missing {
            Some(missing) if fill.after == 0 && missing / 4 <= MOST_WORDS => {
                fill.after = missing / 4;
                true
            }
            _ => false,
        }
    }

    /// The extent of a type by a rule. `None` if declared places are others.
    fn extent(&self, ty: Type, rule: Rule, fills: &mut Fills) -> Option<Extent> {
        let mut known: FxHashMap<Type, Extent> = FxHashMap::default();
        let mut work = vec![(ty, false)];
        while let Some((ty, parts_done)) = work.pop() {
            if known.contains_key(&ty) {
                continue;
            }
            if !parts_done {
                work.push((ty, true));
                work.extend(parts(self.module, ty).into_iter().map(|part| (part, false)));
                continue;
            }
            let extent = self.combine(ty, rule, &known, fills)?;
            known.insert(ty, extent);
        }
        known.get(&ty).copied()
    }

    fn combine(
        &self,
        ty: Type,
        rule: Rule,
        known: &FxHashMap<Type, Extent>,
        fills: &mut Fills,
    ) -> Option<Extent> {
        let module = self.module;
        let of = |ty: Type| known.get(&ty).copied();
        let is_rows = rule == Rule::Rows;
        let stride = Sizes::default().stride(module, module, ty);
        Some(match *module.type_of(ty) {
            TypeData::Int { width, .. } | TypeData::Float { width } if width != Width::W8 => {
                let bytes = scalar_bytes(width);
                Extent { bytes, align: bytes }
            }
            TypeData::Pointer { mode: Mode::Physical, .. } => Extent { bytes: 8, align: 8 },
            TypeData::Vector { of: scalar, components } => {
                let scalar = of(scalar)?;
                Extent { bytes: scalar.bytes * u64::from(components), align: scalar.align }
            }
            TypeData::Matrix { column, columns, row_major, stride, .. } => {
                let rows = u64::from(module.element_count(column)?);
                let scalar = of(module.element_type(column)?)?;
                let (inner, outer) =
                    if row_major { (u64::from(columns), rows) } else { (rows, u64::from(columns)) };
                let own = if is_rows { 16 } else { scalar.bytes * inner };
                if u64::from(stride) != own || scalar.bytes != 4 {
                    return None;
                }
                let align = if is_rows { 16 } else { scalar.align };
                Extent { bytes: own * (outer - 1) + scalar.bytes * inner, align }
            }
            TypeData::Array { of: element, .. } if is_array_of_matrices(module, element) => return None,
            TypeData::Array { of: element, len, .. } => {
                let part = of(element)?;
                let align = if is_rows { 16 } else { part.align };
                if stride != part.bytes.next_multiple_of(align.max(1))
                    && !self.lengthen(element, stride, part, rule, fills)
                {
                    return None;
                }
                let count = Lengths::of(module, len).max(1);
                Extent { bytes: stride * (count - 1) + if is_rows { part.bytes } else { stride }, align }
            }
            TypeData::Struct(structure) => self.structure_extent(structure, rule, known, fills)?,
            _ => return None,
        })
    }

    fn structure_extent(
        &self,
        structure: Struct,
        rule: Rule,
        known: &FxHashMap<Type, Extent>,
        fills: &mut Fills,
    ) -> Option<Extent> {
        let members = self.module.structure(structure).map(|data| data.members.clone())?;
        let (mut end, mut align, mut before) = (0u64, 1u64, Vec::new());
        let mut least = 0u64;
        for member in members.iter() {
            let part = *known.get(&member.ty)?;
            let natural = rule.next(end, part);
            let offset = member.attrs.get(Key::Offset).unwrap_or(natural);
            let mut words = 0;
            if offset < least || offset != natural && end < least {
                return None;
            }
            if offset != natural {
                let gap = offset.checked_sub(end).filter(|gap| gap % 4 == 0 && end % 4 == 0)?;
                words = gap / 4;
                if words > MOST_WORDS || rule.next(offset, part) != offset {
                    return None;
                }
            }
            before.push(words);
            align = align.max(part.align);
            end = offset + part.bytes;
            least = if rule == Rule::Rows { row_end(self.module, member.ty, end) } else { end };
        }
        let after = fills.get(&structure).map_or(0, |fill| fill.after);
        let fill = Fill { before, after };
        if let Some(other) = fills.get(&structure)
            && *other != fill
        {
            return None;
        }
        if after > 0 && end < least {
            return None;
        }
        end += 4 * after;
        align = if after > 0 { align.max(4) } else { align };
        fills.insert(structure, fill);
        let align = if rule == Rule::Rows { 16 } else { align };
        Some(Extent { bytes: if rule == Rule::Rows { end } else { end.next_multiple_of(align) }, align })
    }

    fn member_declaration(&mut self, of: Struct, name: &Rc<str>, link: Link, ty: Type) -> Option<Vec<Token>> {
        let anchor = Anchor::Struct(of);
        let mut element = ty;
        while let TypeData::Array { of, .. } = *self.module.type_of(element) {
            element = of;
        }
        let declared = self.hlsl_declaration(name, link, ty, anchor);
        match (self.own.hlsl.flipped.get(&of).copied(), self.number_type(element)) {
            (Some(kind), Some(number)) => {
                let mut tokens = declared?;
                let name = self.number_name(flipped(number, Some(kind)), anchor);
                if let Some(first) = tokens.first_mut() {
                    *first = Token::new(Class::Type, name);
                }
                Some(tokens)
            }
            _ => declared,
        }
    }

    /// The declaration of a structure, with the members that fill it.
    pub(super) fn hlsl_struct(&mut self, structure: Struct) -> Vec<Line> {
        let name = self.struct_name(structure);
        let anchor = Anchor::Struct(structure);
        let mut head = vec![Token::new(Class::Keyword, "struct"), space()];
        head.push(Token { text: name.into(), class: Class::Name, link: Link::Def(anchor) });
        head.extend([space(), punct("{")]);
        let mut lines = vec![Line::new(0, head)];
        let names = self.member_names(structure);
        let members = self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
        let fill = self.own.hlsl.fills.get(&structure).cloned();
        let states_offsets = self.own.hlsl.push_blocks.contains(&structure);
        let mut fillers = 0u32;
        let mut filled = |words_before: u64, lines: &mut Vec<Line>| {
            for _ in 0..words_before {
                let mut filler = format!("gap_{fillers}");
                while names.iter().any(|name| **name == *filler) {
                    filler.push('_');
                }
                lines.push(Line::new(1, words(Class::Plain, &format!("uint {filler};"))));
                fillers += 1;
            }
        };
        for (at, member) in members.iter().enumerate() {
            let Some(name) = names.get(at).cloned() else { continue };
            if let Some(&count) = fill.as_ref().and_then(|fill| fill.before.get(at)) {
                filled(count, &mut lines);
            }
            let link = Link::Def(Anchor::Member(structure, at as u32));
            match self.member_declaration(structure, &name, link, member.ty) {
                Some(declared) => {
                    let mut tokens = Vec::new();
                    if let Some(offset) = member.attrs.get(Key::Offset).filter(|_| states_offsets) {
                        tokens.extend(words(Class::Attr, &format!("[[vk::offset({offset})]] ")));
                    }
                    tokens.extend(declared);
                    tokens.push(punct(";"));
                    lines.push(Line::new(1, tokens));
                }
                None => {
                    self.refuse_type(anchor, format_args!("a member of {structure}"), member.ty, "");
                }
            }
        }
        filled(fill.map_or(0, |fill| fill.after), &mut lines);
        lines.push(Line::new(0, vec![punct("}"), punct(";")]));
        lines
    }
}
