//! Parses types: of values, and full ones. Full types nest without recursion.

use super::{Parser, Res};
use crate::lex::TokenKind;
use vitrine_ir::ops::{Dim, ValueType, Width};
use vitrine_ir::{Depth, ImageType, Len, Mode, Struct, Type, TypeData, Usage};

/// A type that waits for its inner type.
enum OpenType {
    Array,
    Matrix,
    Pointer(Mode),
}

impl Parser<'_> {
    /// A type of values: `b32x4`.
    pub(super) fn value_type(&mut self) -> Res<ValueType> {
        let token = self.peek();
        match ValueType::parse(self.word_text(token)) {
            Some(ty) => {
                self.at += 1;
                Ok(ty)
            }
            None => Err(self.unexpected("a type", "such as `b32x4`, `b1`, `path`, `ptr` or `handle`")),
        }
    }

    /// A full type: `[f32x4 * 8 step 16]`.
    pub(super) fn full_type(&mut self) -> Res<Type> {
        let mut open = Vec::new();
        let mut ty = loop {
            if self.eat(TokenKind::Punct(b'[')) {
                open.push(OpenType::Array);
            } else if self.eat_word("mat") {
                self.punct(b'<')?;
                open.push(OpenType::Matrix);
            } else if self.eat_word("ptr") {
                self.punct(b'<')?;
                let mode = self.mode_word()?;
                self.punct(b',')?;
                open.push(OpenType::Pointer(mode));
            } else {
                break self.leaf_type()?;
            }
        };
        while let Some(outer) = open.pop() {
            let data = self.close_type(&outer, ty)?;
            ty = self.module.ty(data);
        }
        Ok(ty)
    }

    fn close_type(&mut self, open: &OpenType, of: Type) -> Res<TypeData> {
        match *open {
            OpenType::Array => {
                let len = if self.eat(TokenKind::Punct(b'*')) { Some(self.len()?) } else { None };
                let stride = self.step()?;
                self.punct(b']')?;
                Ok(match len {
                    Some(len) => TypeData::Array { of, len, stride },
                    None => TypeData::RuntimeArray { of, stride },
                })
            }
            OpenType::Matrix => {
                self.punct(b'*')?;
                let token = self.peek();
                let columns = self.number_u32()?;
                let Ok(columns) = u8::try_from(columns) else {
                    return Err(self.error("P004", token, "a matrix has 2, 3 or 4 columns", ""));
                };
                let stride = self.step()?;
                let row_major = self.eat_word("rows");
                self.punct(b'>')?;
                Ok(TypeData::Matrix { column: of, columns, stride, row_major })
            }
            OpenType::Pointer(mode) => {
                self.punct(b'>')?;
                Ok(TypeData::Pointer { mode, to: of })
            }
        }
    }

    fn len(&mut self) -> Res<Len> {
        match self.peek().kind {
            TokenKind::Entity => Ok(Len::Global(self.entity()?)),
            _ => Ok(Len::Count(self.number_u32()?)),
        }
    }

    fn step(&mut self) -> Res<u32> {
        if self.eat_word("step") { self.number_u32() } else { Ok(0) }
    }

    /// The name of a mode, such as `storage`.
    pub(super) fn mode_word(&mut self) -> Res<Mode> {
        let token = self.expect(TokenKind::Word, "a mode")?;
        Mode::parse(self.slice(token)).ok_or_else(|| self.unknown_word(token, "a mode", Mode::NAMES))
    }

    fn leaf_type(&mut self) -> Res<Type> {
        let token = self.peek();
        if token.kind == TokenKind::Entity {
            let structure: Struct = self.entity()?;
            return Ok(self.module.ty(TypeData::Struct(structure)));
        }
        let word = self.word_text(token);
        let data = match word {
            "void" => TypeData::Void,
            "sampler" => TypeData::Sampler,
            "accel_struct" => TypeData::AccelStruct,
            "ray_query" => TypeData::RayQuery,
            "opaque" => {
                self.at += 1;
                let name = self.quoted()?;
                return Ok(self.module.ty(TypeData::Opaque(name)));
            }
            "image" | "sampled_image" => {
                self.at += 1;
                let image = self.image()?;
                let data =
                    if word == "image" { TypeData::Image(image) } else { TypeData::SampledImage(image) };
                return Ok(self.module.ty(data));
            }
            _ => return self.numeric_type(),
        };
        self.at += 1;
        Ok(self.module.ty(data))
    }

    /// `bool`, `f32`, `u16x3`: memory types state an interpretation, so `b32` is not one of them.
    fn numeric_type(&mut self) -> Res<Type> {
        let token = self.peek();
        let word = self.word_text(token);
        let (scalar, components) = match ValueType::parse(word) {
            Some(ValueType::Bits { width, components }) => (scalar_type(word, width), components),
            Some(_) | None => (None, 0),
        };
        let Some(scalar) = scalar else {
            let help = "such as `f32x4`, `u32`, `bool`, `[f32 * 4]`, `mat<f32x4 * 4>`, `image<2d f32>`, `sampler` or `#0`";
            return Err(self.unexpected("a memory type", help));
        };
        self.at += 1;
        let of = self.module.ty(scalar);
        if components == 1 {
            return Ok(of);
        }
        Ok(self.module.ty(TypeData::Vector { of, components }))
    }

    fn image(&mut self) -> Res<ImageType> {
        self.punct(b'<')?;
        let token = self.next();
        let Some(dim) = Dim::parse(self.slice(token)) else {
            return Err(self.unknown_word(token, "a dimension", Dim::NAMES));
        };
        let sampled = self.leaf_type()?;
        let mut image = ImageType {
            sampled,
            dim,
            arrayed: false,
            multisampled: false,
            depth: Depth::No,
            usage: Usage::Sampled,
            format: 0,
        };
        while !self.eat(TokenKind::Punct(b'>')) {
            let token = self.expect(TokenKind::Word, "`>` or a property of the image")?;
            match self.slice(token) {
                "arrayed" => image.arrayed = true,
                "multisampled" => image.multisampled = true,
                "depth" => image.depth = Depth::Yes,
                "maybe_depth" => image.depth = Depth::Unknown,
                "any_usage" => image.usage = Usage::Unknown,
                "storage" => image.usage = Usage::Storage,
                word => match ImageType::FORMATS.iter().position(|&format| format == word) {
                    Some(format) => image.format = format as u8,
                    None => {
                        return Err(self.unknown_word(token, "a property of an image", ImageType::FORMATS));
                    }
                },
            }
        }
        Ok(image)
    }
}

fn scalar_type(word: &str, width: Width) -> Option<TypeData> {
    if word.starts_with("bool") {
        return Some(TypeData::Bool);
    }
    match (word.as_bytes().first()?, width) {
        (_, Width::W1) => None,
        (b'f', Width::W16 | Width::W32 | Width::W64) => Some(TypeData::Float { width }),
        (b'i', _) => Some(TypeData::Int { width, signed: true }),
        (b'u', _) => Some(TypeData::Int { width, signed: false }),
        _ => None,
    }
}
