//! Buffers of HLSL.
//!
//! A storage buffer is a structured buffer: of the elements of its only member if that is an array without a length, else
//! of its block, of which it has one. Elements are packed by the alignment of their scalars. Each member of a uniform
//! buffer states its place. Other layouts are refused.

use crate::back::text::expr::{Token, punct, words};
use crate::back::text::layout::{Layouts, Packing};
use crate::back::text::module::{ModuleWriter, NO_TYPE};
use crate::back::text::print::Line;
use crate::ir::{Anchor, Len, Mode, Struct, Type, TypeData, Var};
use crate::ops::{Key, Width};
use crate::text::{Class, Link};

const HELP: &str = "passes `qptr-lower` and `qptr-lift{array of words}` access it by words";

impl ModuleWriter<'_> {
    /// The block of a buffer; `None` for an array of buffers.
    fn block_of(&self, var: Var) -> Option<Struct> {
        match *self.module.type_of(self.module.var(var)?.ty) {
            TypeData::Struct(structure) => Some(structure),
            _ => None,
        }
    }

    /// The element of a storage buffer that is one array.
    pub(super) fn only_element(&self, var: Var) -> Option<Type> {
        let data = self.module.structure(self.block_of(var)?)?;
        match (&data.members[..], self.module.var(var)?.mode) {
            ([only], Mode::Storage) => match *self.module.type_of(only.ty) {
                TypeData::RuntimeArray { of, .. } => Some(of),
                _ => None,
            },
            _ => None,
        }
    }

    /// Names the members of a uniform buffer.
    pub(super) fn name_members(&mut self, var: Var) {
        let is_uniform =
            self.module.var(var).is_some_and(|data| matches!(data.mode, Mode::Uniform | Mode::Push));
        let Some(structure) = self.block_of(var).filter(|_| is_uniform) else { return };
        let Some(data) = self.module.structure(structure) else { return };
        for (at, member) in data.members.iter().enumerate() {
            let wanted = self.text(member.name);
            let name = self.names.fresh(wanted, &format!("member_{at}"));
            self.hlsl.members.insert((var, at), name);
        }
    }

    /// The declaration of a buffer.
    pub(super) fn hlsl_buffer(&mut self, var: Var) -> Vec<Line> {
        let Some(data) = self.module.var(var).cloned() else { return Vec::new() };
        let anchor = Anchor::Var(var);
        let refused = |this: &mut Self, says: String, help: &str| {
            this.refuse(NO_TYPE, anchor, says, help);
            Vec::new()
        };
        let Some(structure) = self.block_of(var) else {
            return refused(self, format!("{var} is an array of buffers, which this writer does not have"), "");
        };
        if data.mode == Mode::Push {
            return refused(self, format!("{var} holds push constants, which this writer does not have"), "");
        }
        if data.attrs.get(Key::Access).unwrap_or(0) & 1 != 0 {
            return refused(self, format!("{var} is volatile, which HLSL does not have"), "");
        }
        let number = |key: Key| data.attrs.get(key).unwrap_or(0);
        let (set, binding) = (number(Key::Set), number(Key::Binding));
        let place = |class: &str| format!(" : register({class}{binding}, space{set})");
        let attribute = format!("[[vk::binding({binding}, {set})]] ");
        let name = self.var_name(var);
        if data.mode == Mode::Uniform {
            let head = format!("{attribute}cbuffer {name}{} {{", place("b"));
            return self.constant_buffer(var, structure, head);
        }
        let members = self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
        let mut layouts = Layouts::new(self.module, Packing::Scalar);
        let fits = match layouts.block(&members) {
            Ok(order) => order.iter().enumerate().all(|(at, &(member, _, is_stated))| at == member && !is_stated),
            Err(_) => false,
        };
        let element = self.only_element(var);
        let has_matrix = members.iter().any(|member| self.has_matrix(member.ty));
        let is_sized = element.is_some()
            || members.iter().all(|member| !matches!(self.module.type_of(member.ty), TypeData::RuntimeArray { .. }));
        if !fits || !is_sized || has_matrix {
            return refused(self, format!("the layout of {var} is not that of a structured buffer"), HELP);
        }
        let anchored = Token { text: name.clone().into(), class: Class::Name, link: Link::Def(anchor) };
        let of = match element {
            Some(of) => self.hlsl_type_parts(of, anchor).filter(|(_, dims)| dims.is_empty()).map(|(base, _)| base),
            None => {
                if !self.used_structs.contains(&structure) {
                    self.used_structs.push(structure);
                }
                Some(self.struct_name(structure).to_string())
            }
        };
        let Some(of) = of else {
            return refused(self, format!("the elements of {var} have a type that HLSL does not have"), HELP);
        };
        let is_coherent = number(Key::Access) & 1 << 1 != 0;
        let coherent = if is_coherent { "globallycoherent " } else { "" };
        let mut tokens = words(Class::Attr, &format!("{attribute}{coherent}RWStructuredBuffer<{of}>"));
        tokens.push(crate::back::text::expr::space());
        tokens.push(anchored);
        tokens.extend(words(Class::Plain, &place("u")));
        tokens.push(punct(";"));
        vec![Line::new(0, tokens)]
    }

    fn has_matrix(&self, ty: Type) -> bool {
        let mut seen = crate::base::EntitySet::new();
        let mut work = vec![ty];
        while let Some(ty) = work.pop() {
            if matches!(self.module.type_of(ty), TypeData::Matrix { .. }) {
                return true;
            }
            if seen.insert(ty) {
                work.extend(crate::ir::layout::parts(self.module, ty));
            }
        }
        false
    }

    fn constant_buffer(&mut self, var: Var, structure: Struct, head: String) -> Vec<Line> {
        let anchor = Anchor::Var(var);
        let members = self.module.structure(structure).map(|data| data.members.clone()).unwrap_or_default();
        let mut lines = vec![Line::new(0, words(Class::Plain, &head))];
        for (at, member) in members.iter().enumerate() {
            let Some(name) = self.hlsl.members.get(&(var, at)).cloned() else { continue };
            let offset = member.attrs.get(Key::Offset).unwrap_or(0);
            let link = Link::Def(Anchor::Member(structure, at as u32));
            let declared = self.hlsl_declaration(&name, link, member.ty, anchor);
            let Some(mut tokens) = declared.filter(|_| self.fits_rows(member.ty, offset)) else {
                let says = format!("member {at} of {var} has a type or a place that a constant buffer does not have");
                self.refuse(NO_TYPE, anchor, says, HELP);
                continue;
            };
            let part = ["", ".y", ".z", ".w"].get((offset / 4 % 4) as usize).copied().unwrap_or("");
            tokens.extend(words(Class::Attr, &format!(" : packoffset(c{}{part});", offset / 16)));
            lines.push(Line::new(1, tokens));
        }
        lines.push(Line::text("}"));
        lines
    }

    /// Returns true if a member at this offset has the layout of a constant buffer: rows of 16 bytes, which no vector
    /// crosses, and in which arrays and matrices begin rows.
    fn fits_rows(&self, ty: Type, offset: u64) -> bool {
        let (of, is_array) = match *self.module.type_of(ty) {
            TypeData::Array { of, len: Len::Count(_), .. } => (of, true),
            _ => (ty, false),
        };
        let stride = crate::ir::layout::Sizes::default().stride(self.module, self.module, ty);
        if let TypeData::Matrix { stride: rows, row_major, column, columns, .. } = *self.module.type_of(of) {
            let count = if row_major { self.module.element_count(column).unwrap_or(0) } else { u32::from(columns) };
            let is_next = !is_array || stride == 16 * u64::from(count);
            return offset.is_multiple_of(16) && rows == 16 && is_next;
        }
        let Some(number) = self.number_type(of) else { return false };
        let bytes = u64::from(number.components) * u64::from(number.width.bits()) / 8;
        if is_array {
            return offset.is_multiple_of(16) && stride == 16 && number.width == Width::W32;
        }
        number.width == Width::W32 && offset.is_multiple_of(4) && offset % 16 + bytes <= 16
    }
}
