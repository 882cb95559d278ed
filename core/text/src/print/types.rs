//! Spelling of full types, without recursion: an array of arrays may be thousands deep.

use super::Printer;
use crate::sink::{Class, Link, Sink};
use vitrine_ir::base::EntityId;
use vitrine_ir::{Anchor, Depth, ImageType, Len, Module, Type, TypeData, Usage};

/// Remaining output.
enum TypePiece {
    Type(Type),
    Close(&'static str),
    Number(u64),
    Len(Len),
    Step(u32),
    Word(&'static str),
}

impl<S: Sink + ?Sized> Printer<'_, S> {
    /// Writes a full type.
    pub fn full_type(&mut self, ty: Type) {
        let module = self.module;
        let mut work = vec![TypePiece::Type(ty)];
        while let Some(todo) = work.pop() {
            match todo {
                TypePiece::Type(ty) => self.type_head(module.type_of(ty), &mut work),
                TypePiece::Close(text) => self.out.put(Class::Punct, text, Link::None),
                TypePiece::Word(text) => self.out.put(Class::Keyword, text, Link::None),
                TypePiece::Number(number) => self.number(number),
                TypePiece::Len(Len::Count(count)) => self.number(u64::from(count)),
                TypePiece::Len(Len::Global(global)) => self.global_use(global),
                TypePiece::Step(0) => {}
                TypePiece::Step(step) => {
                    self.out.put(Class::Keyword, " step ", Link::None);
                    self.number(u64::from(step));
                }
            }
        }
    }

    /// Writes the beginning of a type and pushes the rest, last first.
    fn type_head(&mut self, ty: &TypeData, work: &mut Vec<TypePiece>) {
        match ty {
            TypeData::Void => self.type_word("void"),
            TypeData::Bool => self.type_word("bool"),
            TypeData::Int { .. } | TypeData::Float { .. } | TypeData::Vector { .. } => {
                let word = scalar_word(self.module, ty);
                self.type_word(&word);
            }
            TypeData::Matrix { column, columns, stride, row_major } => {
                self.type_word("mat<");
                work.push(TypePiece::Close(">"));
                if *row_major {
                    work.push(TypePiece::Word(" rows"));
                }
                work.extend([
                    TypePiece::Step(*stride),
                    TypePiece::Number(u64::from(*columns)),
                    TypePiece::Close(" * "),
                ]);
                work.push(TypePiece::Type(*column));
            }
            TypeData::Array { of, len, stride } => {
                self.type_word("[");
                work.extend([
                    TypePiece::Close("]"),
                    TypePiece::Step(*stride),
                    TypePiece::Len(*len),
                    TypePiece::Close(" * "),
                ]);
                work.push(TypePiece::Type(*of));
            }
            TypeData::RuntimeArray { of, stride } => {
                self.type_word("[");
                work.extend([TypePiece::Close("]"), TypePiece::Step(*stride), TypePiece::Type(*of)]);
            }
            TypeData::Struct(structure) => {
                let name = self.module.structure(*structure).and_then(|data| data.name);
                let link = Link::Use(Anchor::Struct(*structure));
                self.entity('#', structure.index(), name, Class::Type, link);
            }
            TypeData::Pointer { mode, to } => {
                self.type_word("ptr<");
                self.out.put(Class::Keyword, mode.name(), Link::None);
                self.out.put(Class::Punct, ", ", Link::None);
                work.extend([TypePiece::Close(">"), TypePiece::Type(*to)]);
            }
            TypeData::Image(image) => self.image("image", image, work),
            TypeData::SampledImage(image) => self.image("sampled_image", image, work),
            TypeData::Sampler => self.type_word("sampler"),
            TypeData::AccelStruct => self.type_word("accel_struct"),
            TypeData::RayQuery => self.type_word("ray_query"),
            TypeData::Opaque(name) => {
                self.type_word("opaque ");
                self.quoted(*name);
            }
        }
    }

    fn image(&mut self, word: &str, image: &ImageType, work: &mut Vec<TypePiece>) {
        self.type_word(word);
        self.out.put(Class::Punct, "<", Link::None);
        let dim = image.dim.name();
        self.out.put(Class::Keyword, dim, Link::None);
        self.out.put(Class::Plain, " ", Link::None);
        work.push(TypePiece::Close(">"));
        if image.format != 0 {
            let format = ImageType::FORMATS.get(image.format as usize).copied().unwrap_or("?");
            work.extend([TypePiece::Word(format), TypePiece::Close(" ")]);
        }
        let depth = match image.depth {
            Depth::No => None,
            Depth::Yes => Some("depth"),
            Depth::Unknown => Some("maybe_depth"),
        };
        let usage = match image.usage {
            Usage::Unknown => Some("any_usage"),
            Usage::Sampled => None,
            Usage::Storage => Some("storage"),
        };
        let arrayed = image.arrayed.then_some("arrayed");
        let multisampled = image.multisampled.then_some("multisampled");
        for word in [arrayed, multisampled, depth, usage].into_iter().flatten().rev() {
            work.extend([TypePiece::Word(word), TypePiece::Close(" ")]);
        }
        work.push(TypePiece::Type(image.sampled));
    }

    fn type_word(&mut self, word: &str) {
        self.out.put(Class::Type, word, Link::None);
    }
}

/// `f32`, `u16x3`: a scalar or a vector of scalars. A vector of anything else is invalid; the validator
/// reports it.
fn scalar_word(module: &Module, ty: &TypeData) -> String {
    let (scalar, components) = match ty {
        TypeData::Vector { of, components } => (module.type_of(*of), Some(components)),
        other => (other, None),
    };
    let word = match scalar {
        TypeData::Bool => "bool".to_owned(),
        TypeData::Int { width, signed } => format!("{}{}", if *signed { 'i' } else { 'u' }, width.bits()),
        TypeData::Float { width } => format!("f{}", width.bits()),
        _ => "?".to_owned(),
    };
    match components {
        Some(components) => format!("{word}x{components}"),
        None => word,
    }
}
