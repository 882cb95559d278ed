//! WGSL: names, constants and declarations, as the engine asks about them.

use super::{Wgsl, types};
use crate::dialect::{Composite, Declarations, attributed, constant_operator, constant_remainder};
use crate::expr::{Token, punct, space};
use crate::module::{ModuleWriter, NO_TYPE};
use crate::number::{Kind, NumberType};
use crate::print::Line;
use vitrine_ir::ops::{Bits, IntOp, Op};
use vitrine_ir::{Anchor, Global, Help, Type};
use vitrine_text::Class;

impl Declarations for Wgsl {
    fn type_parts(&self, w: &mut ModuleWriter<'_>, ty: Type, _at: Anchor) -> Option<(String, Vec<Token>)> {
        Some((w.wgsl_type(ty, None, true)?, Vec::new()))
    }

    fn typed_name(&self, ty: Token, name: Token) -> Vec<Token> {
        vec![name, punct(":"), space(), ty]
    }

    fn has_resource_elements(&self) -> bool {
        true
    }

    fn settle_constant_kinds(&self, w: &mut ModuleWriter<'_>) {
        // Lengths are usually signed: what nothing else uses keeps that type.
        for length in std::mem::take(&mut w.own.wgsl.sizes) {
            w.global_kinds.entry(length).or_insert(Kind::Int);
        }
    }

    fn constant_remark(&self, w: &ModuleWriter<'_>, global: Global, id: u64) -> Option<Line> {
        let is_length = w.own.wgsl.lengths.contains(&global);
        is_length.then(|| {
            Line::text(format!(
                "// specialization constant {id}, with its default: it is the length of an array"
            ))
        })
    }

    fn constant_words(
        &self,
        w: &mut ModuleWriter<'_>,
        global: Global,
        id: Option<u64>,
    ) -> Option<Vec<Token>> {
        if w.global_type(global).is_none_or(|ty| ty.components > 1) {
            let says = format!("the constant {global} depends on specialization constants and is no number");
            let help = Help::by_pass("spec-ops-to-values", "computes it where it is used");
            w.refuse(NO_TYPE, Anchor::Global(global), says, help);
            return None;
        }
        Some(match w.own.wgsl.lengths.contains(&global) {
            true => attributed(None, "const"),
            false => attributed(id.map(|id| format!("@id({id})")), "override"),
        })
    }

    fn composite(
        &self,
        w: &mut ModuleWriter<'_>,
        ty: Type,
        is_inside: bool,
        _is_zero: bool,
    ) -> Option<Composite> {
        let name = w.wgsl_type(ty, None, !is_inside)?;
        let around = if is_inside { w.wgsl_wrapper(ty) } else { None };
        Some(Composite { around, ..Composite::constructor(w.module, ty, name, Vec::new()) })
    }

    fn admit_components(&self, w: &mut ModuleWriter<'_>, bits: &Bits, scalar: NumberType) {
        let is_forbidden = |&it: &u64| types::is_forbidden(scalar.kind, bits.width(), it);
        if bits.components().iter().any(is_forbidden) {
            w.refuse(NO_TYPE, Anchor::Module, "no constant of a module may be an infinity or a NaN", "");
        }
    }

    fn constant_count_kind(&self) -> Kind {
        Kind::Uint
    }

    fn constant_expression(&self, op: Op, ty: NumberType, operands: &[Vec<Token>]) -> Option<Vec<Token>> {
        match (op, operands) {
            (Op::Int(IntOp::Select | IntOp::Select1), [cond, a, b]) => Some(select(cond, a, b)),
            (Op::Int(IntOp::IMod), [a, b]) => Some(constant_remainder(a, b)),
            // Unsigned numbers have no negation.
            (Op::Int(IntOp::INeg), [a]) if ty.kind == Kind::Uint => {
                let mut out = vec![Token::new(Class::Number, "0u")];
                out.extend(constant_operator("-"));
                out.extend_from_slice(a);
                Some(out)
            }
            _ => None,
        }
    }
}

/// A choice by a function, whose first argument is the value of a condition that does not hold.
fn select(cond: &[Token], a: &[Token], b: &[Token]) -> Vec<Token> {
    let mut out = vec![Token::new(Class::Op, "select"), punct("(")];
    out.extend_from_slice(b);
    out.extend([punct(","), space()]);
    out.extend_from_slice(a);
    out.extend([punct(","), space()]);
    out.extend_from_slice(cond);
    out.push(punct(")"));
    out
}
