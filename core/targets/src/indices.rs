//! Indices and exponents as text, which languages take with 32 bits. A constant index beyond the last element becomes one that
//! exists, because compilers reject it.
//!
//! An access out of range is undefined, so that any element will do; code that never runs may have one.

use super::expr::Expr;
use super::func::FuncWriter;
use super::number::{Kind, NumberType};
use vitrine_analysis::folded;
use vitrine_ir::ops::{BasicOp, Bits, Key, Op, Width};
use vitrine_ir::{Global, GlobalValue, Inst, Type};

/// An exponent that no float of 64 bits reaches, even from the other end of its range.
const MOST_EXPONENT: i64 = 4096;

impl FuncWriter<'_, '_> {
    /// The index of an element of an aggregate of a type.
    pub(super) fn index_in(&mut self, index: Inst, of: Type) -> Expr {
        match self.w.module.element_count(of) {
            Some(count) => self.index_below(index, count),
            None => self.count(index),
        }
    }

    /// The index of one of `count` elements.
    pub(super) fn index_below(&mut self, index: Inst, count: u32) -> Expr {
        let outside =
            self.folded(index).map(|bits| bits.component(0)).filter(|at| at.as_u64() >= u64::from(count));
        match outside {
            Some(at) => {
                let clamped = if at.as_i64() < 0 { 0 } else { u64::from(count.saturating_sub(1)) };
                self.constant(&Bits::from_components(Width::W32, &[clamped]), Kind::Int, index)
            }
            None => {
                let index_text = self.count(index);
                let index_text = self.within(index, index_text, count);
                let dialect = self.w.dialect;
                dialect.element_index(self, index, index_text)
            }
        }
    }

    /// A specialization constant whose default is no index of one of `count` elements, within their number: compilers reject
    /// the default.
    fn within(&mut self, index: Inst, text: Expr, count: u32) -> Expr {
        let data = self.body.inst(index);
        let global = data.entity::<Global>(Key::Global).filter(|_| data.op == Op::Basic(BasicOp::Global));
        let default = global.and_then(|global| match &self.w.module.global(global)?.value {
            GlobalValue::Spec(bits) => Some(self.w.module.bits_of(*bits).component(0).as_u64()),
            _ => None,
        });
        if default.is_none_or(|default| default < u64::from(count)) || text.ty.width != Width::W32 {
            return text;
        }
        let limit = |at: u32| Bits::from_components(Width::W32, &[u64::from(at)]);
        let limits = [0, count.saturating_sub(1)].map(|at| self.constant(&limit(at), text.ty.kind, index));
        let ty = text.ty;
        let args = [text].into_iter().chain(limits).collect();
        self.call(index, "clamp", args, ty)
    }

    /// The value that compilers fold an operand to, if its operations and their operands are constants.
    pub(super) fn folded(&self, value: Inst) -> Option<Bits> {
        folded(self.w.module, self.body, value)
    }

    /// The operands of a product with a power of two, whose exponents have 32 bits. Those of other widths are
    /// converted, those of 64 bits within limits beyond which every result is zero or undefined.
    pub(super) fn exponents(&mut self, inst: Inst, mut operands: Vec<Expr>) -> Vec<Expr> {
        if let Some(exponent) = operands.get_mut(1).filter(|exponent| exponent.ty.width != Width::W32) {
            let ty = NumberType::new(Kind::Int, Width::W32, exponent.ty.components);
            let mut given = exponent.clone();
            if given.ty.width == Width::W64 {
                let limit = |exponent: i64| {
                    Bits::from_components(
                        Width::W64,
                        &vec![exponent.cast_unsigned(); given.ty.components.into()],
                    )
                };
                let [least, most] = [-MOST_EXPONENT, MOST_EXPONENT].map(limit);
                let limits = [least, most].map(|bits| self.constant(&bits, Kind::Int, inst));
                let args = [given.clone()].into_iter().chain(limits).collect();
                given = self.call(inst, "clamp", args, given.ty);
            }
            *exponent = self.construct(inst, ty, vec![given]);
        }
        operands
    }
}
