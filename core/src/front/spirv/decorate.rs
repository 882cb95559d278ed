//! Decorations as attributes: a table of those the IR has a key for; the others stay raw.

use super::collect::{Decoration, Reader};
use super::words;
use crate::ir::{Attrs, Decor, DecorTarget};
use crate::ops::{Attr, Flags, Key};
use crate::spirv::builtin_word;
use crate::spirv::spec::Decoration as D;
use std::rc::Rc;

/// What a decoration says in the IR.
enum Says {
    /// The word is there.
    Flag(Key),
    /// Its operand is the value.
    Number(Key),
    /// One of the words of the key.
    Word(Key, u64),
    /// The operand is the number of a system value.
    BuiltIn,
    /// Said by a type or elsewhere.
    Elsewhere,
    /// The IR has no field for it.
    Carried,
}

#[rustfmt::skip] // A table.
fn says(number: u32) -> Says {
    let Some(decoration) = D::from_u32(number) else { return Says::Carried };
    match decoration {
        D::RelaxedPrecision => Says::Flag(Key::Relaxed),
        D::SpecId => Says::Number(Key::SpecId),
        D::Block => Says::Flag(Key::Block),
        D::BufferBlock => Says::Flag(Key::BufferBlock),
        D::RowMajor | D::ColMajor | D::ArrayStride | D::MatrixStride => Says::Elsewhere,
        D::BuiltIn => Says::BuiltIn,
        D::Flat => Says::Word(Key::Interp, 1),
        D::NoPerspective => Says::Word(Key::Interp, 1 << 1),
        D::Centroid => Says::Word(Key::Interp, 1 << 2),
        D::Sample => Says::Word(Key::Interp, 1 << 3),
        D::Patch => Says::Word(Key::Interp, 1 << 4),
        D::ExplicitInterpAMD => Says::Word(Key::Interp, 1 << 5),
        D::PerVertexKHR => Says::Word(Key::Interp, 1 << 6),
        D::PerPrimitiveEXT => Says::Word(Key::Interp, 1 << 7),
        D::PerViewNV => Says::Word(Key::Interp, 1 << 8),
        D::Volatile => Says::Word(Key::Access, 1),
        D::Coherent => Says::Word(Key::Access, 1 << 1),
        D::NonWritable => Says::Word(Key::Access, 1 << 4),
        D::NonReadable => Says::Word(Key::Access, 1 << 5),
        D::NonUniform => Says::Word(Key::Access, 1 << 6),
        D::Invariant => Says::Flag(Key::Invariant),
        D::Restrict => Says::Flag(Key::Restrict),
        D::Aliased => Says::Flag(Key::Aliased),
        D::Stream => Says::Number(Key::Stream),
        D::Location => Says::Number(Key::Location),
        D::Component => Says::Number(Key::Component),
        D::Index => Says::Number(Key::Index),
        D::Binding => Says::Number(Key::Binding),
        D::DescriptorSet => Says::Number(Key::Set),
        D::Offset => Says::Number(Key::Offset),
        D::XfbBuffer => Says::Number(Key::XfbBuffer),
        D::XfbStride => Says::Number(Key::XfbStride),
        D::InputAttachmentIndex => Says::Number(Key::Attachment),
        D::Alignment => Says::Number(Key::Align),
        _ => Says::Carried,
    }
}

impl Reader<'_> {
    /// Attributes of an id, or of a member from 1 on; decorations without a key are carried along on `target`.
    pub(super) fn attrs(&mut self, id: u32, member: u32, target: Option<DecorTarget>) -> Attrs {
        let decorations: Vec<Decoration> = self.member_decorations(id, member).to_vec();
        let mut attrs: Vec<Attr> = Vec::new();
        for decoration in decorations {
            let operand = (decoration.len > 0).then(|| self.words[decoration.start as usize]);
            let said = match (says(decoration.number), operand) {
                (Says::Elsewhere, _) => continue,
                (Says::Flag(key), _) => Some((key, 1)),
                (Says::Word(key, bit), _) => {
                    let before = attrs.iter().rev().find(|attr| attr.key == key).map_or(0, |attr| attr.value);
                    Some((key, before | bit))
                }
                (Says::Number(Key::Align), Some(value)) if !value.is_power_of_two() => None,
                (Says::Number(Key::Offset), Some(value)) if i32::try_from(value).is_err() => None,
                (Says::Number(key), Some(value)) => Some((key, u64::from(value))),
                (Says::BuiltIn, Some(value)) => builtin_word(value).map(|word| (Key::BuiltIn, word)),
                (Says::Number(_) | Says::BuiltIn | Says::Carried, _) => None,
            };
            match (said, target) {
                (Some((key, value)), _) => attrs.push(Attr::new(key, value)),
                (None, Some(target)) => self.carry(decoration, target),
                (None, None) => self.leave_out("a decoration", decoration.start),
            }
        }
        Attrs::from_list(attrs)
    }

    fn carry(&mut self, decoration: Decoration, on: DecorTarget) {
        if decoration.by_id {
            return self.leave_out("OpDecorateId", decoration.start);
        }
        let operands = &self.words[decoration.start as usize..(decoration.start + decoration.len) as usize];
        let is_text = matches!(
            D::from_u32(decoration.number),
            Some(D::LinkageAttributes | D::UserSemantic | D::UserTypeGOOGLE)
        );
        let (text, rest) = if is_text {
            let (text, count) = words::text(operands);
            (Some(self.module.text(&text)), &operands[count..])
        } else {
            (None, operands)
        };
        let words = (!rest.is_empty()).then(|| self.module.blob(rest));
        let decor = Decor { on, number: decoration.number, words, text };
        Rc::make_mut(&mut self.module.decors).push(decor);
    }

    /// What decorations permit or promise of the arithmetic that yields an id.
    pub(super) fn flags(&self, id: u32) -> Flags {
        let mut flags = Flags::NONE;
        for decoration in self.decorations_of(id) {
            let operand = if decoration.len > 0 { self.words[decoration.start as usize] } else { 0 };
            let said = match D::from_u32(decoration.number) {
                Some(D::RelaxedPrecision) => Flags::RELAXED,
                Some(D::NoContraction) => Flags::EXACT,
                Some(D::NonUniform) => Flags::NONUNIFORM,
                Some(D::Invariant) => Flags::INVARIANT,
                Some(D::NoSignedWrap) => Flags::NSW,
                Some(D::NoUnsignedWrap) => Flags::NUW,
                Some(D::FPFastMathMode) => fast_math(operand),
                _ => continue,
            };
            flags = flags.and(said);
        }
        flags
    }
}

fn fast_math(mask: u32) -> Flags {
    const BITS: [(u32, Flags); 7] = [
        (1, Flags::NNAN),
        (1 << 1, Flags::NINF),
        (1 << 2, Flags::NSZ),
        (1 << 3, Flags::ARCP),
        (1 << 4, Flags::FAST),
        (1 << 16, Flags::CONTRACT),
        (1 << 17, Flags::REASSOC),
    ];
    BITS.iter().filter(|(bit, _)| mask & bit != 0).fold(Flags::NONE, |flags, (_, flag)| flags.and(*flag))
}
