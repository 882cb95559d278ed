//! Writes attributes as decorations, by a table.

use super::module::Writer;
use crate::builtin_number;
use crate::spec::{Decoration as D, Op as S};
use vitrine_ir::Attrs;
use vitrine_ir::ops::{Attr, Flags, Key};

/// The form of an attribute as a decoration.
enum DecorationForm {
    /// Without operands.
    Flag(D),
    /// With its value.
    Number(D),
    /// One decoration for each bit, from bit 0.
    Bits(&'static [Option<D>]),
    /// The number of a system value.
    BuiltIn,
    /// Not written as a decoration.
    Nothing,
}

const INTERP: &[Option<D>] = &[
    Some(D::Flat),
    Some(D::NoPerspective),
    Some(D::Centroid),
    Some(D::Sample),
    Some(D::Patch),
    Some(D::ExplicitInterpAMD),
    Some(D::PerVertexKHR),
    Some(D::PerPrimitiveEXT),
    Some(D::PerViewNV),
];

const ACCESS: &[Option<D>] = &[
    Some(D::Volatile),
    Some(D::Coherent),
    None,
    None,
    Some(D::NonWritable),
    Some(D::NonReadable),
    Some(D::NonUniform),
];

fn decoration_form(key: Key) -> DecorationForm {
    match key {
        Key::Relaxed => DecorationForm::Flag(D::RelaxedPrecision),
        Key::Block => DecorationForm::Flag(D::Block),
        Key::BufferBlock => DecorationForm::Flag(D::BufferBlock),
        Key::Invariant => DecorationForm::Flag(D::Invariant),
        Key::Restrict => DecorationForm::Flag(D::Restrict),
        Key::Aliased => DecorationForm::Flag(D::Aliased),
        Key::SpecId => DecorationForm::Number(D::SpecId),
        Key::Stream => DecorationForm::Number(D::Stream),
        Key::Location => DecorationForm::Number(D::Location),
        Key::Component => DecorationForm::Number(D::Component),
        Key::Index => DecorationForm::Number(D::Index),
        Key::Binding => DecorationForm::Number(D::Binding),
        Key::Set => DecorationForm::Number(D::DescriptorSet),
        Key::Offset => DecorationForm::Number(D::Offset),
        Key::XfbBuffer => DecorationForm::Number(D::XfbBuffer),
        Key::XfbStride => DecorationForm::Number(D::XfbStride),
        Key::Attachment => DecorationForm::Number(D::InputAttachmentIndex),
        Key::Align => DecorationForm::Number(D::Alignment),
        Key::Interp => DecorationForm::Bits(INTERP),
        Key::Access => DecorationForm::Bits(ACCESS),
        Key::BuiltIn => DecorationForm::BuiltIn,
        _ => DecorationForm::Nothing,
    }
}

/// Flags as decorations of a result.
const FLAGS: &[(Flags, D)] = &[
    (Flags::RELAXED, D::RelaxedPrecision),
    (Flags::EXACT, D::NoContraction),
    (Flags::NONUNIFORM, D::NonUniform),
    (Flags::INVARIANT, D::Invariant),
    (Flags::NSW, D::NoSignedWrap),
    (Flags::NUW, D::NoUnsignedWrap),
];

/// Flags as bits of `FPFastMathMode`.
const FAST_MATH: &[(Flags, u32)] = &[
    (Flags::NNAN, 1),
    (Flags::NINF, 1 << 1),
    (Flags::NSZ, 1 << 2),
    (Flags::ARCP, 1 << 3),
    (Flags::FAST, 1 << 4),
    (Flags::CONTRACT, 1 << 16),
    (Flags::REASSOC, 1 << 17),
];

impl Writer<'_> {
    /// Writes the attributes of an id, or of one of its members, as decorations.
    pub(super) fn write_attrs(&mut self, id: u32, member: Option<u32>, attrs: &Attrs) {
        for attr in attrs.iter() {
            match decoration_form(attr.key) {
                DecorationForm::Flag(decoration) => self.write_decoration(id, member, decoration, &[]),
                DecorationForm::Number(decoration) => {
                    self.write_decoration(id, member, decoration, &[attr.value as u32]);
                }
                DecorationForm::Bits(list) => self.write_bit_decorations(id, member, attr, list),
                DecorationForm::BuiltIn => {
                    if let Some(number) = attrs.word().and_then(builtin_number) {
                        self.write_decoration(id, member, D::BuiltIn, &[number]);
                    }
                }
                DecorationForm::Nothing => {}
            }
        }
    }

    fn write_bit_decorations(&mut self, id: u32, member: Option<u32>, attr: Attr, list: &[Option<D>]) {
        for (bit, decoration) in (0u32..).zip(list) {
            if let Some(decoration) = decoration.filter(|_| attr.value >> bit & 1 != 0) {
                self.write_decoration(id, member, decoration, &[]);
            }
        }
    }

    fn write_decoration(&mut self, id: u32, member: Option<u32>, decoration: D, operands: &[u32]) {
        match member {
            None => self.decorate(id, decoration as u32, operands),
            Some(member) => {
                self.decorations.parts(S::MemberDecorate, &[&[id, member, decoration as u32], operands]);
            }
        }
    }

    /// Writes the flags of an instruction as decorations of its result.
    pub(super) fn write_flags(&mut self, id: u32, flags: Flags) {
        if flags.is_empty() {
            return;
        }
        for &(flag, decoration) in FLAGS {
            if flags.has(flag) {
                self.decorate(id, decoration as u32, &[]);
            }
        }
        let mask = FAST_MATH.iter().filter(|(flag, _)| flags.has(*flag)).fold(0, |mask, (_, bit)| mask | bit);
        if mask != 0 {
            self.decorate(id, D::FPFastMathMode as u32, &[mask]);
        }
    }
}
