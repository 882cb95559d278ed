//! Components of vectors: constructors, selections, elements.

use super::expr::{Expr, Prec, Token, TokenText, joined, punct, space};
use super::func::{FuncWriter, Role};
use super::number::{Kind, NumberType};
use super::pieces::Piece;
use super::values::COMPONENTS;
use vitrine_ir::Inst;
use vitrine_ir::ops::attr::unpack_component;
use vitrine_ir::ops::{Bits, Key, Scalar, VectorOp};
use vitrine_text::Class;

impl FuncWriter<'_, '_> {
    /// Writes an operation on vectors that is spelled out. `None` if the operation was defined or refused here.
    pub(super) fn special_vector(
        &mut self,
        inst: Inst,
        op: VectorOp,
        ty: NumberType,
        shared: Kind,
    ) -> Option<Expr> {
        let data = self.body.inst(inst);
        let dialect = self.w.dialect;
        match op {
            VectorOp::Vec if self.plan.pieces(inst).is_some() => self.composed(inst, ty),
            VectorOp::Vec | VectorOp::Splat => {
                let operands = self.operands(inst, ty.kind, shared);
                match (&operands[..], ty.components) {
                    ([one], 1) => Some(one.clone()),
                    _ => Some(self.construct(inst, ty, operands)),
                }
            }
            VectorOp::Swizzle => {
                let &from = data.args.first()?;
                if let Some(folded) = self.constant_components(inst, from) {
                    return Some(self.constant(&folded, ty.kind, inst));
                }
                let packed = data.attrs.get(Key::Components).unwrap_or(0);
                let list: Vec<u8> =
                    (0..usize::from(ty.components)).map(|at| unpack_component(packed, at)).collect();
                if let Some(part) = dialect.selected_residency(self, inst, from, &list, ty) {
                    return Some(part);
                }
                let whole = self.value_as(from, ty.kind);
                Some(self.components(inst, whole, &list, ty))
            }
            VectorOp::Shuffle => self.composed(inst, ty),
            VectorOp::Extract => {
                let &[vector, index] = &data.args[..] else { return None };
                let count = u32::from(self.body.ty(vector).components());
                let (vector, index) = (self.value_as(vector, ty.kind), self.index_below(index, count));
                Some(self.indexed(inst, vector, index, ty))
            }
            VectorOp::Insert => {
                self.insert(inst, ty);
                None
            }
            VectorOp::AllEq | VectorOp::AnyNe => {
                let operands = self.operands(inst, shared, shared);
                let symbol = if op == VectorOp::AllEq { "==" } else { "!=" };
                if !dialect.compares_whole_vectors() {
                    let components = operands.first().map_or(1, |operand| operand.ty.components);
                    let each =
                        self.infix(inst, symbol, Prec::Equality, operands, ty.with_components(components));
                    let name = if op == VectorOp::AllEq { "all" } else { "any" };
                    return Some(self.call(inst, name, vec![each], ty));
                }
                Some(self.infix(inst, symbol, Prec::Equality, operands, ty))
            }
            _ => {
                self.refuse(inst, "it has no such operation", "");
                None
            }
        }
    }

    /// The components that a swizzle selects of a constant.
    fn constant_components(&self, inst: Inst, from: Inst) -> Option<Bits> {
        let bits = self.w.module.bits_of(self.body.const_of(from)?);
        let data = self.body.inst(inst);
        let packed = data.attrs.get(Key::Components)?;
        let components: Vec<Scalar> = (0..usize::from(data.ty.components()))
            .map(|at| bits.component(usize::from(unpack_component(packed, at))))
            .collect();
        Some(Bits::from_scalars(&components))
    }

    /// Components of a value in an order.
    pub(super) fn components(&mut self, inst: Inst, whole: Expr, list: &[u8], ty: NumberType) -> Expr {
        let from = whole.ty.components;
        if let Some((whole, list)) = self.w.dialect.selected_components(&whole, list) {
            return self.components(inst, whole, &list, ty);
        }
        if from == 1 {
            return if list.len() == 1 { whole } else { self.construct(inst, ty, vec![whole]) };
        }
        if list.len() == usize::from(from)
            && list.iter().enumerate().all(|(at, &component)| usize::from(component) == at)
        {
            return whole;
        }
        let token = Token::linked(Class::Plain, selection(list), self.anchor(inst));
        whole.postfix([punct("."), token], ty)
    }

    /// A vector of pieces.
    fn composed(&mut self, inst: Inst, ty: NumberType) -> Option<Expr> {
        let pieces = self.plan.pieces(inst)?.to_vec();
        Some(self.join(inst, &pieces, ty))
    }

    /// Components of values, one after the other.
    pub(super) fn join(&mut self, inst: Inst, pieces: &[Piece], ty: NumberType) -> Expr {
        let mut parts = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let whole = self.value_as(piece.source, ty.kind);
            let part = ty.with_components(piece.components.len() as u8);
            parts.push(self.components(inst, whole, &piece.components, part));
        }
        let mut parts = joined(parts);
        match parts.len() {
            1 => parts.remove(0),
            _ => self.construct(inst, ty, parts),
        }
    }

    /// An element.
    pub(super) fn indexed(&mut self, inst: Inst, whole: Expr, index: Expr, ty: NumberType) -> Expr {
        let mut tokens = vec![Token::linked(Class::Punct, "[", self.anchor(inst))];
        tokens.extend(index.tokens);
        tokens.push(punct("]"));
        let dialect = self.w.dialect;
        let whole = dialect.indexable(self, inst, whole);
        whole.postfix(tokens, ty)
    }

    /// A copy with one component replaced.
    fn insert(&mut self, inst: Inst, ty: NumberType) {
        let data = self.body.inst(inst);
        let &[into, component, index] = &data.args[..] else { return };
        let (into, component) = (self.value_as(into, ty.kind), self.value_as(component, ty.kind));
        let index = self.index_below(index, u32::from(ty.components));
        self.declare_as(inst, Role::Variable, into);
        let name = self.value(inst);
        let kind = name.ty.kind;
        let component = self.cast(component, kind, inst);
        let element = self.indexed(inst, name, index, ty.with_components(1));
        let mut tokens = element.tokens;
        tokens.extend([space(), Token::new(Class::Op, "="), space()]);
        tokens.extend(component.tokens);
        self.statement(tokens);
    }
}

/// The name of a selection of components.
fn selection(list: &[u8]) -> TokenText {
    const USUAL: [(&[u8], &str); 6] = [
        (&[0, 1], "xy"),
        (&[0, 1, 2], "xyz"),
        (&[1, 2], "yz"),
        (&[2, 3], "zw"),
        (&[0, 2], "xz"),
        (&[2, 1, 0], "zyx"),
    ];
    let name = |component: &u8| COMPONENTS.get(usize::from(*component)).copied().unwrap_or("x");
    match list {
        [one] => name(one).into(),
        _ => match USUAL.iter().find(|(usual, _)| *usual == list) {
            Some(&(_, text)) => text.into(),
            None => list.iter().map(name).collect::<String>().into(),
        },
    }
}
