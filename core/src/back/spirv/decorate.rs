//! Attributes as decorations, by a table; what was carried along is written as it came.

use super::module::Writer;
use super::words::text;
use super::{DECLARATION, refuse};
use crate::ir::{Attrs, DecorTarget, Diag};
use crate::ops::{Attr, Flags, Key};
use crate::spirv::builtin_number;
use crate::spirv::spec::{Decoration as D, Op as S};

/// How a key is said.
enum Says {
    /// Without an operand.
    Flag(D),
    /// With its value.
    Number(D),
    /// One decoration for each bit, from bit 0.
    Bits(&'static [Option<D>]),
    /// The number of a system value.
    BuiltIn,
    /// Not by a decoration.
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

fn says(key: Key) -> Says {
    match key {
        Key::Relaxed => Says::Flag(D::RelaxedPrecision),
        Key::Block => Says::Flag(D::Block),
        Key::BufferBlock => Says::Flag(D::BufferBlock),
        Key::Invariant => Says::Flag(D::Invariant),
        Key::Restrict => Says::Flag(D::Restrict),
        Key::Aliased => Says::Flag(D::Aliased),
        Key::SpecId => Says::Number(D::SpecId),
        Key::Stream => Says::Number(D::Stream),
        Key::Location => Says::Number(D::Location),
        Key::Component => Says::Number(D::Component),
        Key::Index => Says::Number(D::Index),
        Key::Binding => Says::Number(D::Binding),
        Key::Set => Says::Number(D::DescriptorSet),
        Key::Offset => Says::Number(D::Offset),
        Key::XfbBuffer => Says::Number(D::XfbBuffer),
        Key::XfbStride => Says::Number(D::XfbStride),
        Key::Attachment => Says::Number(D::InputAttachmentIndex),
        Key::Align => Says::Number(D::Alignment),
        Key::Interp => Says::Bits(INTERP),
        Key::Access => Says::Bits(ACCESS),
        Key::BuiltIn => Says::BuiltIn,
        _ => Says::Nothing,
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
    /// Says the attributes of something, or of a member of it.
    pub(super) fn say_attrs(&mut self, id: u32, member: Option<u32>, attrs: &Attrs) {
        for attr in attrs.iter() {
            match says(attr.key) {
                Says::Flag(decoration) => self.say(id, member, decoration, &[]),
                Says::Number(decoration) => self.say(id, member, decoration, &[attr.value as u32]),
                Says::Bits(list) => self.say_bits(id, member, attr, list),
                Says::BuiltIn => {
                    if let Some(number) = builtin_number(attr.value) {
                        self.say(id, member, D::BuiltIn, &[number]);
                    }
                }
                Says::Nothing => {}
            }
        }
    }

    fn say_bits(&mut self, id: u32, member: Option<u32>, attr: Attr, list: &[Option<D>]) {
        for (bit, decoration) in (0u32..).zip(list) {
            if let Some(decoration) = decoration.filter(|_| attr.value >> bit & 1 != 0) {
                self.say(id, member, decoration, &[]);
            }
        }
    }

    fn say(&mut self, id: u32, member: Option<u32>, decoration: D, operands: &[u32]) {
        match member {
            None => self.decorate(id, decoration as u32, operands),
            Some(member) => {
                self.decorations.parts(S::MemberDecorate, &[&[id, member, decoration as u32], operands]);
            }
        }
    }

    /// Says the flags of an instruction on its result.
    pub(super) fn say_flags(&mut self, id: u32, flags: Flags) {
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

    /// Decorations that the IR only carries along.
    pub(super) fn carried_decorations(&mut self) -> Result<(), Diag> {
        let module = self.module;
        for decor in module.decors.iter() {
            let mut words = decor.text.map_or(Vec::new(), |of| text(module.text_of(of)));
            words.extend(decor.words.map_or(&[][..], |of| module.blob_of(of)));
            let is_string = decor.text.is_some() && D::from_u32(decor.number) != Some(D::LinkageAttributes);
            let (id, member) = match decor.on {
                DecorTarget::Var(var) => (self.var(var)?, None),
                DecorTarget::Func(func) => (self.funcs.get(&func).copied().unwrap_or(0), None),
                DecorTarget::Global(global) => (self.global(global)?.id, None),
                // What is said of a structure that nothing uses is said of nothing.
                DecorTarget::Struct(structure) => (self.structs.get(&structure).copied().unwrap_or(0), None),
                DecorTarget::Member(structure, member) => {
                    (self.structs.get(&structure).copied().unwrap_or(0), Some(member))
                }
            };
            match (id, member, is_string) {
                (0, ..) if matches!(decor.on, DecorTarget::Func(_)) => {
                    return Err(refuse(
                        DECLARATION,
                        "a decoration is on a function that is not there",
                        "take it out",
                    ));
                }
                (0, ..) => {}
                (_, None, false) => self.decorations.parts(S::Decorate, &[&[id, decor.number], &words]),
                (_, None, true) => self.decorations.parts(S::DecorateString, &[&[id, decor.number], &words]),
                (_, Some(member), false) => {
                    self.decorations.parts(S::MemberDecorate, &[&[id, member, decor.number], &words]);
                }
                (_, Some(member), true) => {
                    self.decorations.parts(S::MemberDecorateString, &[&[id, member, decor.number], &words]);
                }
            }
        }
        Ok(())
    }
}
