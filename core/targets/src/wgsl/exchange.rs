//! Atomics of WGSL, which are relaxed: an order of other accesses is stated in the text as one that it does not have.
//!
//! ```text
//! atomic_cas                       repeated until it exchanged, or the number is another one: the function of the language
//!                                  may fail without a reason
//! umax, memory declared for imax   repeated until no other invocation changed the number in between
//! ```

use crate::expr::{Expr, Prec, Token, prefix, punct, space};
use crate::func::{FuncWriter, Role};
use crate::number::{Kind, NumberType};
use crate::operands::atomic_of;
use crate::paths::PathText;
use crate::scopes::orders;
use crate::stmt::{List, Stmt};
use vitrine_ir::ops::{AtomicOp, MemoryOp, Semantics, ValueType};
use vitrine_ir::{Help, Inst};
use vitrine_text::{Class, Link};

/// The function of an atomic. `None` if the language has none.
fn function(op: MemoryOp, kind: AtomicOp) -> Option<&'static str> {
    match (op, kind) {
        (MemoryOp::AtomicCas, _) => Some("atomicCompareExchangeWeak"),
        (MemoryOp::AtomicLoad, _) => Some("atomicLoad"),
        (MemoryOp::AtomicStore, _) => Some("atomicStore"),
        (_, AtomicOp::IAdd) => Some("atomicAdd"),
        (_, AtomicOp::ISub) => Some("atomicSub"),
        (_, AtomicOp::IMin | AtomicOp::UMin) => Some("atomicMin"),
        (_, AtomicOp::IMax | AtomicOp::UMax) => Some("atomicMax"),
        (_, AtomicOp::IAnd) => Some("atomicAnd"),
        (_, AtomicOp::IOr) => Some("atomicOr"),
        (_, AtomicOp::IXor) => Some("atomicXor"),
        (_, AtomicOp::Exchange) => Some("atomicExchange"),
        (_, AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax | AtomicOp::Inc | AtomicOp::Dec) => None,
    }
}

impl FuncWriter<'_, '_> {
    /// Writes an atomic, or an access to memory of atomics.
    pub(super) fn wgsl_atomic(&mut self, inst: Inst, op: MemoryOp, text: PathText, ty: NumberType) {
        let data = self.body.inst(inst);
        let Some(kind) = text.atomic else {
            return self.refuse(
                inst,
                "its memory is not known to be atomic",
                Help::by_pass("inline-functions", "may help"),
            );
        };
        let ty = ty.with_kind(kind);
        let wanted = atomic_of(data);
        let Some(name) = function(op, wanted) else {
            return self.refuse(inst, format!("it has no atomic `{}`", wanted.name()), "");
        };
        if kind == Kind::Float || ty.components > 1 {
            return self.refuse(inst, "the memory is accessed as numbers of another kind, too", "");
        }
        self.w.own.wgsl.has_ordered_atomics |= orders(data).has_any(Semantics::ORDERS);
        let memory = Expr::new(text.tokens, Prec::Postfix, ty);
        let address = prefix(Token::new(Class::Op, "&"), memory, ty);
        if op == MemoryOp::AtomicCas {
            return self.wgsl_compare_exchange(inst, address, ty);
        }
        if let Some(reads) = wanted.kind().filter(|&reads| reads != kind) {
            let function = if name == "atomicMin" { "min" } else { "max" };
            return self.wgsl_compute_exchange(inst, address, ty, (reads, function));
        }
        let mut args = vec![address];
        for &arg in data.args.iter().skip(1) {
            args.push(self.value_as(arg, kind));
        }
        let expr = self.call(inst, name, args, ty);
        match (data.ty, op) {
            (ValueType::Void, _) => self.statement(expr.tokens),
            _ => self.define(inst, expr),
        }
    }

    /// Exchanges if the number is the expected one.
    fn wgsl_compare_exchange(&mut self, inst: Inst, address: Expr, ty: NumberType) {
        let &[_, expected, value] = &self.body.inst(inst).args[..] else { return };
        let value = self.value_as(value, ty.kind);
        let value = self.fixed(value, Role::Value, inst);
        let expected = self.value_as(expected, ty.kind);
        let expected = self.fixed(expected, Role::Value, inst);
        let old = self.old_number(inst, expected.clone(), ty);
        let (result, mut body) = self.exchange(inst, (address, expected.clone(), value), (&old, ty));
        let differs = self.infix(inst, "!=", Prec::Equality, vec![old.clone(), expected], NumberType::BOOL);
        let done = self.infix(inst, "||", Prec::LogicalOr, vec![result, differs], NumberType::BOOL);
        self.leave_if(inst, done, &mut body);
        self.repeat(inst, body, old);
    }

    /// Exchanges the number for one that is computed from it as another kind of number.
    fn wgsl_compute_exchange(
        &mut self,
        inst: Inst,
        address: Expr,
        ty: NumberType,
        (reads, function): (Kind, &'static str),
    ) {
        let Some(&value) = self.body.inst(inst).args.get(1) else { return };
        let value = self.value_as(value, reads);
        let value = self.fixed(value, Role::Value, inst);
        let first = self.call(inst, "atomicLoad", vec![address.clone()], ty);
        let old = self.old_number(inst, first, ty);
        let (before, declared) = self.number_before(inst, &old, ty);
        let number = self.cast(before.clone(), reads, inst);
        let computed = self.call(inst, function, vec![number, value], ty.with_kind(reads));
        let computed = self.cast(computed, ty.kind, inst);
        let (result, rest) = self.exchange(inst, (address, before, computed), (&old, ty));
        let mut body = vec![self.arena.add(declared)];
        body.extend(rest);
        self.leave_if(inst, result, &mut body);
        self.repeat(inst, body, old);
    }

    /// The statements of one exchange, which set the old number, and the condition that it was done.
    fn exchange(
        &mut self,
        inst: Inst,
        (address, expected, value): (Expr, Expr, Expr),
        (old, ty): (&Expr, NumberType),
    ) -> (Expr, List) {
        let name = self.names.fresh("exchange", "exchange");
        let call = self.call(inst, "atomicCompareExchangeWeak", vec![address, expected, value], ty);
        let tokens = self.declaration((&name, Link::None), Role::Value, ty, inst, false, Some(call));
        let call = Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None };
        let result = Expr::atom(Token::linked(Class::Value, name, self.anchor(inst)), ty);
        let member =
            |name: &'static str, ty| result.clone().postfix([punct("."), Token::new(Class::Plain, name)], ty);
        let mut tokens = old.tokens.clone();
        tokens.extend([space(), Token::linked(Class::Op, "=", self.anchor(inst)), space()]);
        tokens.extend(member("old_value", ty).tokens);
        let assigned = Stmt::Simple { tokens, declares: None, assigns: None };
        let body = vec![self.arena.add(call), self.arena.add(assigned)];
        (member("exchanged", NumberType::BOOL), body)
    }
}
