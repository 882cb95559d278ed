//! Atomics on memory and on texels. The dialect writes them; the parts of loops that repeat an exchange are here.

use super::expr::{Expr, Token};
use super::func::{FuncWriter, Role};
use super::number::NumberType;
use super::paths::PathText;
use super::stmt::{Head, List, Stmt};
use vitrine_ir::Inst;
use vitrine_ir::ops::{MemoryOp, Op, PtrOp, ValueType};
use vitrine_text::{Class, Link};

impl FuncWriter<'_, '_> {
    /// Writes an atomic on memory.
    pub(super) fn atomic(&mut self, inst: Inst, op: MemoryOp, text: PathText) {
        let Some(ty) = self.number_at(inst, &text) else { return };
        self.w.dialect.memory_atomic(self, inst, op, text, ty);
    }

    /// Writes an atomic on a texel.
    pub(super) fn texel_atomic(&mut self, inst: Inst, op: MemoryOp) {
        let Some(&pointer) = self.body.inst(inst).args.first() else { return };
        if self.body.inst(pointer).op != Op::Ptr(PtrOp::Texel) {
            return self.lowered(inst, "qptr-lift");
        }
        self.w.dialect.texel_atomic(self, inst, op, pointer);
    }

    /// A name for the number before an exchange, and its declaration.
    pub(super) fn number_before(&mut self, inst: Inst, old: &Expr, ty: NumberType) -> (Expr, Stmt) {
        let name = self.names.fresh("before", "before");
        let tokens = self.declaration((&name, Link::None), Role::Value, ty, inst, false, Some(old.clone()));
        let declared = Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None };
        (Expr::atom(Token::linked(Class::Value, name, self.anchor(inst)), ty), declared)
    }

    /// A variable for the number that the memory had.
    pub(super) fn old_number(&mut self, inst: Inst, first: Expr, ty: NumberType) -> Expr {
        let name = self.names.fresh("old", "old");
        let tokens = self.declaration((&name, Link::None), Role::Variable, ty, inst, false, Some(first));
        self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None });
        Expr::atom(Token::linked(Class::Value, name, self.anchor(inst)), ty)
    }

    /// Appends `if (cond) break`.
    pub(super) fn leave_if(&mut self, inst: Inst, cond: Expr, body: &mut List) {
        let anchor = self.anchor(inst);
        let then = vec![self.arena.add(Stmt::Break(anchor))];
        body.push(self.arena.add(Stmt::If { cond, then, els: Vec::new(), anchor }));
    }

    /// Writes the loop of an exchange, of which the old number is the result.
    pub(super) fn repeat(&mut self, inst: Inst, body: List, old: Expr) {
        let anchor = self.anchor(inst);
        self.push(Stmt::Loop { head: Head::Endless, body, continuing: Vec::new(), anchor });
        if self.body.inst(inst).ty != ValueType::Void && self.plan.uses(inst) > 0 {
            self.define(inst, old);
        }
    }

    /// An expression for use in a loop: a constant, or the name of a value.
    pub(super) fn kept(&mut self, expr: Expr, inst: Inst) -> Expr {
        let is_constant =
            |token: &Token| matches!(token.class, Class::Number | Class::Type | Class::Punct | Class::Plain);
        if expr.tokens.iter().all(is_constant) { expr } else { self.fixed(expr, Role::Value, inst) }
    }
}
