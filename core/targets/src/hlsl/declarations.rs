//! HLSL: names, constants and declarations, as the engine asks about them.
//!
//! The language has no lengths and no sizes of a workgroup that a host sets, and specialization constants of 32 bits only.

use super::Hlsl;
use crate::dialect::{Composite, ConstantPart, Declarations, attributed, part_count};
use crate::expr::{Token, punct};
use crate::module::ModuleWriter;
use crate::number::Kind;
use std::rc::Rc;
use vitrine_ir::ops::Width;
use vitrine_ir::{Anchor, Global, GlobalValue, Type, TypeData};
use vitrine_text::{Class, Link};

impl Declarations for Hlsl {
    fn type_parts(&self, w: &mut ModuleWriter<'_>, ty: Type, at: Anchor) -> Option<(String, Vec<Token>)> {
        w.hlsl_type_parts(ty, at)
    }

    fn declaration(
        &self,
        w: &mut ModuleWriter<'_>,
        name: &Rc<str>,
        link: Link,
        ty: Type,
        at: Anchor,
    ) -> Option<Vec<Token>> {
        w.hlsl_declaration(name, link, ty, at)
    }

    fn fixes_sizes(&self) -> bool {
        true
    }

    fn why_fixed(&self, width: Width) -> Option<&'static str> {
        let is_open = matches!(width, Width::W1 | Width::W32);
        (!is_open).then_some("HLSL has specialization constants of 32 bits only")
    }

    /// The compiler takes literals alone as defaults, and a negative number is none.
    fn settle_constant_kinds(&self, w: &mut ModuleWriter<'_>) {
        let module = w.module;
        for (global, data) in module.globals() {
            let GlobalValue::Spec(default) = data.value else { continue };
            let default = module.bits_of(default).component(0);
            let is_negative = default.width() != Width::W1 && default.as_i64() < 0;
            let kind = w.global_kinds.get_mut(&global);
            if let Some(kind) = kind.filter(|kind| **kind == Kind::Int && is_negative) {
                *kind = Kind::Uint;
            }
        }
    }

    /// The compiler takes them.
    fn shares_constant_ids(&self) -> bool {
        true
    }

    fn constant_words(
        &self,
        _w: &mut ModuleWriter<'_>,
        _global: Global,
        id: Option<u64>,
    ) -> Option<Vec<Token>> {
        let keyword = if id.is_some() { "const" } else { "static const" };
        Some(attributed(id.map(|id| format!("[[vk::constant_id({id})]]")), keyword))
    }

    fn composite(
        &self,
        w: &mut ModuleWriter<'_>,
        ty: Type,
        _is_inside: bool,
        _is_zero: bool,
    ) -> Option<Composite> {
        self.type_parts(w, ty, Anchor::Module)?;
        let count = part_count(w.module, ty);
        let TypeData::Struct(structure) = *w.module.type_of(ty) else {
            return Some(Composite::list((0..count).map(ConstantPart::Own).collect()));
        };
        // Structures have all members, and members that fill them before these and after the last one.
        let mut parts = Vec::new();
        for at in 0..=count {
            let fillers = w.own.hlsl.fillers(structure, at);
            parts.extend((0..fillers).map(|_| ConstantPart::Filler("0u")));
            if at < count {
                parts.push(ConstantPart::Own(at));
            }
        }
        Some(Composite::list(parts))
    }

    fn settle_constant_operands(&self, operands: &mut [Vec<Token>]) {
        let is_untyped = |part: &Vec<Token>| matches!(&part[..], [only] if only.class == Class::Number && only.text.as_str().parse::<i64>().is_ok());
        // Literals alone would be computed with 64 bits.
        if let (true, Some(first)) = (operands.iter().all(is_untyped), operands.first_mut()) {
            first.splice(0..0, [Token::new(Class::Type, "int"), punct("(")]);
            first.push(punct(")"));
        }
    }
}
