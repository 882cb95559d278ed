//! Arrays of arrays in GLSL ES 3.00, which has none: the inner arrays are members of structures.
//!
//! ```text
//! local $a_1: [[f32 * 3] * 2]     =>     struct Row { float e[3]; };     Row a[2];     a[i].e[j] = 1.0;
//! ```
//!
//! By the rules of std140 such a structure is laid out as the array is. One structure serves all arrays of a length and type.

use super::state::Row;
use crate::back::text::expr::{Token, punct, space};
use crate::back::text::language::{Language, Version};
use crate::back::text::module::ModuleWriter;
use crate::back::text::print::Line;
use crate::ir::{Type, TypeData};
use crate::text::Class;
use std::rc::Rc;

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

    /// A type with its lengths: in version 3.00 one length, of structures.
    pub(super) fn es_rows(&mut self, mut base: String, dims: Vec<Token>) -> (String, Vec<Token>) {
        // A length is a bracket, a number and a bracket.
        let levels: Vec<&[Token]> = dims.chunks(3).collect();
        if self.dialect.language() != Language::Glsl(Version::Es300)
            || levels.len() < 2
            || !dims.len().is_multiple_of(3)
        {
            return (base, dims);
        }
        for level in levels.iter().skip(1).rev() {
            let len = level.get(1).map_or_else(String::new, |len| len.text.as_str().to_owned());
            base = self.es_row(base, len).to_string();
        }
        let outermost = levels.first().map_or_else(Vec::new, |level| level.to_vec());
        (base, outermost)
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
