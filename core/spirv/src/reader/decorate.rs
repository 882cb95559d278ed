//! Decorations as attributes: a table of those the IR has a key for; the others stay raw.

use super::collect::{Decoration, Reader};
use super::words;
use crate::builtin_word;
use crate::spec::Decoration as D;
use std::rc::Rc;
use vitrine_ir::ops::{Access, Attr, Flags, Interp, Key, Keyed, WordSet};
use vitrine_ir::{Attrs, Decor, DecorTarget};

/// The attribute that a decoration becomes.
enum AttrForm {
    /// The key is present.
    Flag(Key),
    /// Its operand is the value.
    Number(Key),
    /// How an input is interpolated.
    Interp(Interp),
    /// A property of accesses.
    Access(Access),
    /// The operand is the number of a system value.
    BuiltIn,
    /// Expressed by a type or elsewhere.
    Elsewhere,
    /// The IR has no field for it.
    Carried,
}

#[rustfmt::skip] // A table.
fn attr_form(number: u32) -> AttrForm {
    let Some(decoration) = D::from_u32(number) else { return AttrForm::Carried };
    match decoration {
        D::RelaxedPrecision => AttrForm::Flag(Key::Relaxed),
        D::SpecId => AttrForm::Number(Key::SpecId),
        D::Block => AttrForm::Flag(Key::Block),
        D::BufferBlock => AttrForm::Flag(Key::BufferBlock),
        D::RowMajor | D::ColMajor | D::ArrayStride | D::MatrixStride => AttrForm::Elsewhere,
        D::BuiltIn => AttrForm::BuiltIn,
        D::Flat => AttrForm::Interp(Interp::FLAT),
        D::NoPerspective => AttrForm::Interp(Interp::NOPERSPECTIVE),
        D::Centroid => AttrForm::Interp(Interp::CENTROID),
        D::Sample => AttrForm::Interp(Interp::SAMPLE),
        D::Patch => AttrForm::Interp(Interp::PATCH),
        D::ExplicitInterpAMD => AttrForm::Interp(Interp::EXPLICIT),
        D::PerVertexKHR => AttrForm::Interp(Interp::PER_VERTEX),
        D::PerPrimitiveEXT => AttrForm::Interp(Interp::PER_PRIMITIVE),
        D::PerViewNV => AttrForm::Interp(Interp::PER_VIEW),
        D::Volatile => AttrForm::Access(Access::VOLATILE),
        D::Coherent => AttrForm::Access(Access::COHERENT),
        D::NonWritable => AttrForm::Access(Access::READONLY),
        D::NonReadable => AttrForm::Access(Access::WRITEONLY),
        D::NonUniform => AttrForm::Access(Access::NONUNIFORM),
        D::Invariant => AttrForm::Flag(Key::Invariant),
        D::Restrict => AttrForm::Flag(Key::Restrict),
        D::Aliased => AttrForm::Flag(Key::Aliased),
        D::Stream => AttrForm::Number(Key::Stream),
        D::Location => AttrForm::Number(Key::Location),
        D::Component => AttrForm::Number(Key::Component),
        D::Index => AttrForm::Number(Key::Index),
        D::Binding => AttrForm::Number(Key::Binding),
        D::DescriptorSet => AttrForm::Number(Key::Set),
        D::Offset => AttrForm::Number(Key::Offset),
        D::XfbBuffer => AttrForm::Number(Key::XfbBuffer),
        D::XfbStride => AttrForm::Number(Key::XfbStride),
        D::InputAttachmentIndex => AttrForm::Number(Key::Attachment),
        D::Alignment => AttrForm::Number(Key::Align),
        _ => AttrForm::Carried,
    }
}

impl Reader<'_> {
    /// Attributes of an id, or of a member from 1 on; decorations without a key are kept as raw decorations
    /// on `target`.
    pub(super) fn attrs(&mut self, id: u32, member: u32, target: Option<DecorTarget>) -> Attrs {
        let decorations: Vec<Decoration> = self.member_decorations(id, member).to_vec();
        let mut attrs: Vec<Attr> = Vec::new();
        for decoration in decorations {
            let operand = (decoration.len > 0).then(|| self.words[decoration.start as usize]);
            let attr = match (attr_form(decoration.number), operand) {
                (AttrForm::Elsewhere, _) => continue,
                (AttrForm::Flag(key), _) => Some(Attr::new(key, 1)),
                (AttrForm::Interp(word), _) => Some(joined(&attrs, word)),
                (AttrForm::Access(word), _) => Some(joined(&attrs, word)),
                (AttrForm::Number(Key::Align), Some(value)) if !value.is_power_of_two() => None,
                (AttrForm::Number(Key::Offset), Some(value)) if i32::try_from(value).is_err() => None,
                (AttrForm::Number(key), Some(value)) => Some(Attr::new(key, u64::from(value))),
                (AttrForm::BuiltIn, Some(value)) => builtin_word(value).map(Attr::word),
                (AttrForm::Number(_) | AttrForm::BuiltIn | AttrForm::Carried, _) => None,
            };
            match (attr, target) {
                (Some(attr), _) => attrs.push(attr),
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

    /// The flags that decorations put on the arithmetic that defines an id.
    pub(super) fn flags(&self, id: u32) -> Flags {
        let mut flags = Flags::NONE;
        for decoration in self.decorations_of(id) {
            let operand = if decoration.len > 0 { self.words[decoration.start as usize] } else { 0 };
            let attr = match D::from_u32(decoration.number) {
                Some(D::RelaxedPrecision) => Flags::RELAXED,
                Some(D::NoContraction) => Flags::EXACT,
                Some(D::NonUniform) => Flags::NONUNIFORM,
                Some(D::Invariant) => Flags::INVARIANT,
                Some(D::NoSignedWrap) => Flags::NSW,
                Some(D::NoUnsignedWrap) => Flags::NUW,
                Some(D::FPFastMathMode) => fast_math(operand),
                _ => continue,
            };
            flags = flags.and(attr);
        }
        flags
    }
}

/// The words of a key, of which some may be present, with one more.
fn joined<S: WordSet + Keyed>(attrs: &[Attr], word: S) -> Attr {
    let before = attrs.iter().rev().find(|attr| attr.key == S::KEY).map_or(0, |attr| attr.value);
    Attr::new(S::KEY, before | word.number())
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
