//! The type of a declaration: the innermost type and the lengths of the arrays around it. What a declaration changes of it is
//! changed here, before anything is printed.

use super::decls::HIT_OBJECTS;
use crate::atomic_places::AtomicPlace;
use crate::expr::{Token, punct, space};
use crate::module::ModuleWriter;
use crate::number::Kind;
use std::rc::Rc;
use vitrine_ir::ops::Width;
use vitrine_ir::{Anchor, Len, Mode, Type, TypeData};
use vitrine_text::{Class, Link};

/// A type as a declaration writes it.
#[derive(Clone, Debug)]
pub(super) struct SpelledType {
    name: String,
    /// Outermost first; `None` where the language decides.
    lengths: Vec<Option<Token>>,
}

impl SpelledType {
    /// The name of the innermost type.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The type of an image with a sampler that compares.
    pub(super) fn comparing(mut self) -> SpelledType {
        self.name.push_str("Shadow");
        self
    }

    /// The array without its length.
    pub(super) fn of_any_length(mut self) -> SpelledType {
        if let Some(outermost) = self.lengths.first_mut() {
            *outermost = None;
        }
        self
    }

    /// The name of the innermost type, and the lengths, which follow the name of what is declared.
    pub(super) fn parts(self) -> (String, Vec<Token>) {
        let lengths = self.lengths.into_iter();
        let tokens = lengths.flat_map(|len| [Some(punct("[")), len, Some(punct("]"))].into_iter().flatten());
        (self.name, tokens.collect())
    }

    /// The declaration of a name with this type, without qualifiers.
    pub(super) fn declares(self, name: &Rc<str>, link: Link) -> Vec<Token> {
        let (base, lengths) = self.parts();
        let name = Token { text: name.clone().into(), class: Class::Name, link };
        [Token::new(Class::Type, base), space(), name].into_iter().chain(lengths).collect()
    }
}

impl ModuleWriter<'_> {
    /// The type of memory that atomics may access: it is declared with the sign that they read.
    pub(super) fn spelled_memory(&mut self, place: AtomicPlace, ty: Type, at: Anchor) -> Option<SpelledType> {
        let kind = self.atomic_kind(place, ty);
        self.spelled(ty, kind, at)
    }

    /// A type. `None` if the language does not have it.
    pub(super) fn spelled_type(&mut self, ty: Type, at: Anchor) -> Option<SpelledType> {
        self.spelled(ty, None, at)
    }

    fn with_rows(&mut self, base: String, mut lengths: Vec<Option<Token>>) -> SpelledType {
        let name = self.es_rows(base, &mut lengths);
        SpelledType { name, lengths }
    }

    /// A type; `kind` is that of its numbers if they are declared with another sign.
    fn spelled(&mut self, ty: Type, kind: Option<Kind>, at: Anchor) -> Option<SpelledType> {
        let mut ty = ty;
        let mut lengths = Vec::new();
        loop {
            match *self.module.type_of(ty) {
                TypeData::Array { of, len, .. } => {
                    let len: Token = match len {
                        Len::Count(count) => Token::new(Class::Number, count.to_string()),
                        Len::Global(global) => {
                            Token::linked(Class::Name, self.global_name(global), Anchor::Global(global))
                        }
                    };
                    lengths.push(Some(len));
                    ty = of;
                }
                TypeData::RuntimeArray { of, .. } => {
                    lengths.push(None);
                    ty = of;
                    if matches!(
                        self.module.type_of(of),
                        TypeData::Image(_) | TypeData::SampledImage(_) | TypeData::Sampler
                    ) {
                        self.extensions.insert("GL_EXT_nonuniform_qualifier");
                    }
                }
                _ => break,
            }
        }
        if let Some(number) = self.number_type(ty) {
            let number = kind.map_or(number, |kind| number.with_kind(kind));
            let name = self.number_name(number, at);
            return Some(self.with_rows(name, lengths));
        }
        let base = match *self.module.type_of(ty) {
            TypeData::Matrix { column, columns, .. } => {
                let column = self.number_type(column)?;
                let prefix = match (column.kind, column.width) {
                    (Kind::Float, Width::W32) => "mat",
                    (Kind::Float, Width::W64) => "dmat",
                    (Kind::Float, Width::W16) => "f16mat",
                    _ => return None,
                };
                self.dialect.number(column)?;
                self.extensions.extend(self.dialect.extension(column));
                match column.components == columns {
                    true => format!("{prefix}{columns}"),
                    false => format!("{prefix}{columns}x{}", column.components),
                }
            }
            TypeData::Struct(structure) => self.used_struct(structure).to_string(),
            TypeData::Sampler if self.es().is_some() => return None,
            TypeData::Sampler => "sampler".to_owned(),
            TypeData::AccelStruct if self.es().is_none() => {
                if !self.extensions.contains("GL_EXT_ray_tracing") {
                    self.extensions.insert("GL_EXT_ray_query");
                }
                "accelerationStructureEXT".to_owned()
            }
            TypeData::RayQuery if self.es().is_none() => {
                self.extensions.insert("GL_EXT_ray_query");
                "rayQueryEXT".to_owned()
            }
            TypeData::Opaque(name) if self.es().is_none() && self.text(Some(name)) == "OpTypeHitObjectNV" => {
                self.extensions.insert(HIT_OBJECTS);
                "hitObjectNV".to_owned()
            }
            TypeData::Image(image) => self.image_name(image, false)?,
            TypeData::SampledImage(image) => self.image_name(image, true)?,
            TypeData::Pointer { mode: Mode::Physical, to } => self.pointer_name(to)?,
            _ => return None,
        };
        Some(self.with_rows(base, lengths))
    }
}
