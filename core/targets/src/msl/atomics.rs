//! Atomics of MSL: functions on the address of a number as an atomic one, and on texels.
//!
//! The language orders atomics relaxed; fences around one give it the order that the program states.

use super::access::address;
use crate::expr::{Expr, Prec, Token, prefix, punct, space};
use crate::func::{FuncWriter, Role, Slot};
use crate::number::{Kind, NumberType};
use crate::operands::atomic_of;
use crate::paths::PathText;
use crate::scopes::orders;
use crate::stmt::{Head, Stmt};
use vitrine_ir::ops::attr::unpack_component;
use vitrine_ir::ops::{AtomicOp, Dim, MemoryOp, Semantics, ValueType, Width};
use vitrine_ir::{Inst, Mode};
use vitrine_text::{Class, Link};

/// The part of the name of a function that states the operation. `None` if the language has none.
fn function(op: MemoryOp, kind: AtomicOp) -> Option<&'static str> {
    match (op, kind) {
        (MemoryOp::AtomicCas, _) => Some("compare_exchange_weak"),
        (MemoryOp::AtomicLoad, _) => Some("load"),
        (MemoryOp::AtomicStore, _) => Some("store"),
        (_, AtomicOp::IAdd | AtomicOp::FAdd) => Some("fetch_add"),
        (_, AtomicOp::ISub) => Some("fetch_sub"),
        (_, AtomicOp::IMin | AtomicOp::UMin) => Some("fetch_min"),
        (_, AtomicOp::IMax | AtomicOp::UMax) => Some("fetch_max"),
        (_, AtomicOp::IAnd) => Some("fetch_and"),
        (_, AtomicOp::IOr) => Some("fetch_or"),
        (_, AtomicOp::IXor) => Some("fetch_xor"),
        (_, AtomicOp::Exchange) => Some("exchange"),
        (_, AtomicOp::FMin | AtomicOp::FMax | AtomicOp::Inc | AtomicOp::Dec) => None,
    }
}

impl FuncWriter<'_, '_> {
    /// Writes an atomic on memory.
    pub(super) fn msl_atomic(&mut self, inst: Inst, op: MemoryOp, text: PathText, ty: NumberType) {
        let data = self.body.inst(inst);
        let kind = atomic_of(data);
        let Some(name) = function(op, kind) else {
            return self.refuse(inst, format!("it has no atomic `{}`", kind.name()), "");
        };
        let wanted = kind.kind();
        if ty.width != Width::W32 || ty.components > 1 {
            return self.refuse(inst, "it has atomics on numbers of 32 bits only", "");
        }
        let own =
            if ty.kind == Kind::Float && wanted.is_none() && !matches!(name, "load" | "store" | "exchange") {
                Kind::Uint
            } else {
                ty.kind
            };
        let ty = ty.with_kind(wanted.unwrap_or(own));
        let atomic = match ty.kind {
            Kind::Int => "atomic_int",
            Kind::Float => "atomic_float",
            Kind::Bool | Kind::Uint => "atomic_uint",
        };
        if ty.kind == Kind::Float {
            self.w.own.msl.version = self.w.own.msl.version.max(30);
        }
        let address_space = match text.mode {
            Mode::Shared => "threadgroup",
            Mode::Uniform | Mode::Storage | Mode::Push | Mode::Physical => "device",
            _ => return self.refuse(inst, "its memory is in no buffer and of no workgroup", ""),
        };
        // The memory may be declared as numbers of another kind, or be accessed without atomics, too.
        let mut pointer = vec![punct("("), Token::new(Class::Keyword, address_space), space()];
        pointer.extend([Token::new(Class::Type, format!("{atomic}*")), punct(")")]);
        pointer.extend(address(text.tokens));
        let address = Expr::new(pointer, Prec::Prefix, ty);
        self.fence(inst, Semantics::RELEASES);
        if op == MemoryOp::AtomicCas {
            self.compare_exchange(inst, address, ty);
        } else {
            let mut args = vec![address];
            if let Some(&value) = data.args.get(1) {
                args.push(self.value_as(value, ty.kind));
            }
            args.push(relaxed());
            let expr = self.call(inst, format!("atomic_{name}_explicit"), args, ty);
            match data.ty {
                ValueType::Void => self.statement(expr.tokens),
                _ if op == MemoryOp::AtomicLoad => self.declare(inst, expr),
                // The value is read before the fence that follows.
                _ if self.has_order(inst, Semantics::ACQUIRES) && self.plan.uses(inst) > 0 => {
                    self.declare(inst, expr);
                }
                _ => self.define(inst, expr),
            }
        }
        self.fence(inst, Semantics::ACQUIRES);
    }

    fn has_order(&self, inst: Inst, directions: Semantics) -> bool {
        orders(self.body.inst(inst)).has_any(directions)
    }

    /// A fence for an atomic with one of these orders.
    fn fence(&mut self, inst: Inst, directions: Semantics) {
        if self.has_order(inst, directions) {
            self.msl_fence(inst, orders(self.body.inst(inst)));
        }
    }

    /// A comparison that may fail without a reason is repeated until it has one.
    fn compare_exchange(&mut self, inst: Inst, address: Expr, ty: NumberType) {
        let data = self.body.inst(inst);
        let &[_, expected, value] = &data.args[..] else { return };
        let value = self.value_as(value, ty.kind);
        let value = self.fixed(value, Role::Value, inst);
        let expected = self.value_as(expected, ty.kind);
        let expected = self.fixed(expected, Role::Value, inst);
        let name = self.names.fresh("old", "old");
        let tokens =
            self.declaration((&name, Link::None), Role::Variable, ty, inst, false, Some(expected.clone()));
        self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None });
        let old = Expr::atom(Token::linked(Class::Value, name, self.anchor(inst)), ty);
        let pointer = prefix(Token::new(Class::Op, "&"), old.clone(), ty);
        let args = vec![address, pointer, value, relaxed(), relaxed()];
        let call = self.call(inst, "atomic_compare_exchange_weak_explicit", args, NumberType::BOOL);
        let is_equal = self.infix(inst, "==", Prec::Equality, vec![old.clone(), expected], NumberType::BOOL);
        let again =
            self.infix(inst, "&&", Prec::LogicalAnd, vec![call.negated(), is_equal], NumberType::BOOL);
        let mut tokens = vec![Token::new(Class::Keyword, "do"), space(), punct("{"), punct("}"), space()];
        tokens.extend([Token::new(Class::Keyword, "while"), space(), punct("(")]);
        tokens.extend(again.tokens);
        tokens.push(punct(")"));
        self.statement(tokens);
        if data.ty != ValueType::Void {
            self.slots[inst] = Slot::Empty;
            self.declare(inst, old);
        }
    }

    /// Writes an atomic on a texel.
    pub(super) fn msl_texel_atomic(&mut self, inst: Inst, op: MemoryOp, pointer: Inst) {
        let &[image, coord, _] = &self.body.inst(pointer).args[..] else { return };
        let data = self.body.inst(inst);
        let kind = atomic_of(data);
        let Some(name) = function(op, kind) else {
            return self.refuse(inst, format!("it has no atomic `{}`", kind.name()), "");
        };
        let wanted = kind.kind();
        let Some(found) = self.resource(image) else { return };
        let Some(ty) = self.w.number_type(found.image.sampled) else { return };
        let has_dim =
            matches!(found.image.dim, Dim::D1 | Dim::D2 | Dim::D3 | Dim::Buffer) && !found.image.multisampled;
        if ty.kind == Kind::Float || ty.width != Width::W32 || !has_dim {
            return self.refuse(inst, "this writer has no such atomic on texels", "");
        }
        self.w.own.msl.version = self.w.own.msl.version.max(31);
        let mut args = self.texel_place(inst, found.image, coord, Kind::Uint).unwrap_or_default();
        let four = ty.with_components(4);
        let other = wanted.filter(|&wanted| wanted != ty.kind);
        if other.is_some() || op == MemoryOp::AtomicCas {
            let texture = Expr::new(found.tokens, Prec::Postfix, four);
            let function = if name == "fetch_min" { "min" } else { "max" };
            return self.exchange_texel(inst, (texture, args), ty, other.map(|kind| (kind, function)));
        }
        if let Some(&value) = data.args.get(1) {
            let value = self.value_as(value, ty.kind);
            args.push(self.construct(inst, four, vec![value]));
        }
        let texture = Expr::new(found.tokens, Prec::Postfix, four);
        let call = self.method(inst, texture, &format!("atomic_{name}"), args, four);
        match data.ty {
            ValueType::Void => self.statement(call.tokens),
            _ => {
                let one = self.components(inst, call, &[unpack_component(0, 0)], ty);
                self.define(inst, one);
            }
        }
    }
}

impl FuncWriter<'_, '_> {
    /// Exchanges a texel that is compared: with an operand, or with itself until no other invocation changed it while the
    /// smaller or the larger of two numbers of another kind was computed.
    fn exchange_texel(
        &mut self,
        inst: Inst,
        (texture, place): (Expr, Vec<Expr>),
        ty: NumberType,
        computed: Option<(Kind, &'static str)>,
    ) {
        let data = self.body.inst(inst);
        let four = ty.with_components(4);
        let place: Vec<Expr> = place.into_iter().map(|it| self.kept(it, inst)).collect();
        let Some(&last) = data.args.last() else { return };
        let value = self.value_as(last, computed.map_or(ty.kind, |(kind, _)| kind));
        let value = self.kept(value, inst);
        let expected = match (computed, data.args.get(1)) {
            (None, Some(&expected)) => {
                let expected = self.value_as(expected, ty.kind);
                Some(self.kept(expected, inst))
            }
            _ => None,
        };
        let first = match &expected {
            Some(expected) => self.construct(inst, four, vec![expected.clone()]),
            None => self.method(inst, texture.clone(), "atomic_load", place.clone(), four),
        };
        let name = self.names.fresh("old", "old");
        let tokens = self.declaration((&name, Link::None), Role::Variable, four, inst, false, Some(first));
        self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None });
        let old = Expr::atom(Token::linked(Class::Value, name, self.anchor(inst)), four);
        let one = self.components(inst, old.clone(), &[unpack_component(0, 0)], ty);
        let wanted = match computed {
            Some((kind, function)) => {
                let number = self.cast(one.clone(), kind, inst);
                let least = self.call(inst, function, vec![number, value], ty.with_kind(kind));
                self.cast(least, ty.kind, inst)
            }
            None => value,
        };
        let mut args = place;
        args.push(prefix(Token::new(Class::Op, "&"), old, four));
        args.push(self.construct(inst, four, vec![wanted]));
        let call = self.method(inst, texture, "atomic_compare_exchange_weak", args, NumberType::BOOL);
        let mut again = call.negated();
        if let Some(expected) = expected {
            let is_equal =
                self.infix(inst, "==", Prec::Equality, vec![one.clone(), expected], NumberType::BOOL);
            again = self.infix(inst, "&&", Prec::LogicalAnd, vec![again, is_equal], NumberType::BOOL);
        }
        let (head, body, continuing) = (Head::Until(again), Vec::new(), Vec::new());
        self.push(Stmt::Loop { head, body, continuing, anchor: self.anchor(inst) });
        if data.ty != ValueType::Void {
            self.slots[inst] = Slot::Empty;
            self.declare(inst, one);
        }
    }
}

fn relaxed() -> Expr {
    Expr::atom(Token::new(Class::Name, "memory_order_relaxed"), NumberType::scalar(Kind::Int))
}
