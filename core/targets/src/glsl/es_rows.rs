//! Arrays of arrays in GLSL ES 3.00, which has none: the inner arrays are members of structures.
//!
//! ```text
//! local $a_1: [[f32 * 3] * 2]     =>     struct Row { float e[3]; };     Row a[2];     a[i].e[j] = 1.0;
//! ```
//!
//! By the rules of std140 such a structure is laid out as the array is. One structure serves all arrays of a length and type.

use super::state::Row;
use crate::expr::{Token, punct, space};
use crate::language::{Language, Version};
use crate::module::ModuleWriter;
use crate::print::Line;
use std::rc::Rc;
use vitrine_ir::{Type, TypeData};
use vitrine_text::Class;

/// The member that is the array.
pub(super) const ROW_MEMBER: &str = "e";

impl Row {
    /// The name of the structure.
    pub(super) fn name(&self) -> &Rc<str> {
        &self.name
    }
}

impl ModuleWriter<'_> {
    /// Returns true if a type is an array of arrays in a version without such.
    pub(super) fn es_has_rows(&self, ty: Type) -> bool {
        let is_array = |ty: Type| matches!(self.module.type_of(ty), TypeData::Array { .. });
        self.dialect.language() == Language::Glsl(Version::Es300)
            && is_array(ty)
            && self.module.element_type(ty).is_some_and(is_array)
    }

    /// The step from an element of an array of arrays to the inner array. Empty where there is none.
    pub(super) fn es_row_step(&self, array: Type) -> Vec<Token> {
        match self.es_has_rows(array) {
            true => vec![punct("."), Token::new(Class::Plain, ROW_MEMBER)],
            false => Vec::new(),
        }
    }

    /// The path of a resource without the steps to inner arrays.
    pub(super) fn es_without_rows(path: &[Token]) -> Vec<Token> {
        let is_row = |token: &Token| token.class == Class::Plain && token.text.as_str() == ROW_MEMBER;
        let mut out: Vec<Token> = Vec::with_capacity(path.len());
        for token in path {
            match is_row(token) {
                // The dot before it.
                true => drop(out.pop()),
                false => out.push(token.clone()),
            }
        }
        out
    }

    /// A type with its lengths, outermost first: in version 3.00 one length, of structures. An array without a length stays.
    pub(super) fn es_rows(&mut self, mut base: String, lengths: &mut Vec<Option<Token>>) -> String {
        let is_300 = self.dialect.language() == Language::Glsl(Version::Es300);
        if !is_300 || lengths.len() < 2 || lengths.iter().any(Option::is_none) {
            return base;
        }
        for len in lengths.drain(1..).rev().flatten() {
            base = self.es_row(base, len.text.as_str().to_owned()).to_string();
        }
        base
    }

    fn es_row(&mut self, of: String, len: String) -> Rc<str> {
        if let Some(known) = self.own.glsl.es_row_types.iter().find(|row| row.of == of && row.len == len) {
            return known.name.clone();
        }
        let name = self.names.fresh("Row", "Row");
        self.own.glsl.es_row_types.push(Row { of, len, name: name.clone() });
        name
    }

    /// The structures in place of inner arrays whose elements have one of these types, each after those in it.
    pub(super) fn es_row_lines(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut names: Vec<&str> = Vec::new();
        for row in &self.own.glsl.es_row_types {
            if !is_wanted(&row.of) && !names.contains(&row.of.as_str()) {
                continue;
            }
            names.push(&row.name);
            let mut head = vec![Token::new(Class::Keyword, "struct"), space()];
            head.extend([Token::new(Class::Name, row.name.clone()), space(), punct("{")]);
            lines.push(Line::new(0, head));
            let mut member = vec![Token::new(Class::Type, row.of.clone()), space()];
            member.extend([Token::new(Class::Plain, ROW_MEMBER), punct("[")]);
            member.extend([Token::new(Class::Number, row.len.clone()), punct("]"), punct(";")]);
            lines.push(Line::new(1, member));
            lines.push(Line::new(0, vec![punct("}"), punct(";")]));
        }
        lines
    }
}
