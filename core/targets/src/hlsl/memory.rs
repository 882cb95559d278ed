//! Paths, lengths, atomics and barriers of HLSL.
//!
//! Atomics are statements that store the old value. They order nothing; memory barriers around one give it the order that
//! the program states, in stages that have these.

use super::state::Buffer;
use crate::expr::{Expr, Prec, Token, punct, space};
use crate::func::{FuncWriter, Role};
use crate::number::{Kind, NumberType};
use crate::operands::atomic_of;
use crate::paths::{BytePlace, PathText};
use crate::scopes::{is_across_devices, orders, orders_memory, scope};
use crate::stmt::{Head, Stmt};
use std::rc::Rc;
use vitrine_ir::ops::{AtomicOp, Key, MemoryOp, Scope, Semantics, ValueType, Width};
use vitrine_ir::{Anchor, Inst, Mode, Stage, Struct, Var};
use vitrine_text::{Class, Link};

impl FuncWriter<'_, '_> {
    /// The path of a variable of the module other than inputs and outputs.
    pub(super) fn hlsl_var_path(&mut self, var: Var) -> Vec<Token> {
        let (anchor, name) = (Anchor::Var(var), self.w.var_name(var));
        let mut tokens = vec![Token::linked(Class::Name, name, anchor)];
        if let Some(member) = self.w.payload_member(var) {
            tokens.extend([punct("."), Token::new(Class::Plain, member)]);
        }
        tokens
    }

    /// A step to a member of a buffer. Returns false for members of other structures.
    pub(super) fn hlsl_member(&mut self, text: &mut PathText, structure: Struct, at: usize) -> bool {
        if let Some(place) = &mut text.bytes {
            place.offset += self.w.offset_of(structure, at);
            return true;
        }
        let Some(var) = text.root else { return false };
        let is_buffer = matches!(text.mode, Mode::Uniform | Mode::Storage | Mode::Push);
        if !is_buffer || text.is_in_block || self.w.block_of(var) != Some(structure) {
            return false;
        }
        text.is_in_block = true;
        let member = Anchor::Member(structure, at as u32);
        match self.w.hlsl_buffer_form(var) {
            Some(Buffer::Elements(_)) => true,
            Some(Buffer::Block(_)) => {
                text.tokens.extend([punct("["), Token::new(Class::Number, "0"), punct("]")]);
                false
            }
            Some(Buffer::Members(_)) => match self.w.own.hlsl.members.get(&(var, at)) {
                Some(name) => {
                    text.tokens = vec![Token::linked(Class::Name, name.clone(), member)];
                    true
                }
                None => false,
            },
            Some(form @ (Buffer::Bytes | Buffer::Rows(_))) => {
                let is_rows = form != Buffer::Bytes;
                if let Some(name) = self.w.own.hlsl.members.get(&(var, 0)).filter(|_| is_rows) {
                    text.tokens = vec![Token::linked(Class::Name, name.clone(), Anchor::Var(var))];
                }
                let offset = self.w.offset_of(structure, at);
                text.bytes =
                    Some(BytePlace { is_rows, is_address: false, offset, terms: Vec::new(), apart: None });
                true
            }
            Some(Buffer::Object(_)) | None => false,
        }
    }

    /// The number of elements of a buffer.
    pub(super) fn hlsl_length(&mut self, inst: Inst, text: PathText) {
        if let Some(place) = &text.bytes {
            return self.hlsl_byte_length(inst, &text, place);
        }
        let form = text.root.and_then(|var| self.w.hlsl_buffer_form(var));
        if !matches!(form, Some(Buffer::Elements(_))) {
            return self.refuse(inst, "the buffer has other members", "");
        }
        let uint = NumberType::scalar(Kind::Uint);
        let count = self.output("count", uint, inst);
        let stride = self.output("stride", uint, inst);
        let outputs = [count, stride]
            .map(|name| Expr::atom(Token::linked(Class::Value, name, self.anchor(inst)), uint));
        let call = self.hlsl_method(inst, &text.tokens, "GetDimensions", outputs.clone().into(), uint);
        self.statement(call.tokens);
        let [count, _] = outputs;
        self.declare(inst, count);
    }

    /// Declares a variable that a function stores to.
    pub(super) fn output(&mut self, wanted: &str, ty: NumberType, inst: Inst) -> Rc<str> {
        let name = self.names.fresh(wanted, wanted);
        let tokens = self.declaration((&name, Link::None), Role::Variable, ty, inst, false, None);
        self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None });
        name
    }

    /// Writes an atomic on memory.
    pub(super) fn hlsl_atomic(&mut self, inst: Inst, op: MemoryOp, text: PathText, ty: NumberType) {
        match &text.bytes {
            Some(place) if place.is_address => {
                self.refuse(inst, "its compiler has no atomics through an address", "");
            }
            Some(place) => {
                let offset = self.hlsl_byte_offset(place);
                self.atomic_at(inst, op, offset, Some(&text.tokens), ty);
            }
            None => self.atomic_at(inst, op, Expr::new(text.tokens, Prec::Postfix, ty), None, ty),
        }
    }

    /// Writes an atomic on a texel.
    pub(super) fn hlsl_texel_atomic(&mut self, inst: Inst, op: MemoryOp, pointer: Inst) {
        let Some(place) = self.hlsl_texel_place(pointer) else { return };
        let ty = place.ty;
        self.atomic_at(inst, op, place, None, ty);
    }

    /// Writes an atomic on a place, or at an offset in a buffer.
    fn atomic_at(&mut self, inst: Inst, op: MemoryOp, place: Expr, buffer: Option<&[Token]>, ty: NumberType) {
        let data = self.body.inst(inst);
        let order = orders(data);
        let Some(barrier) = self.ordering(order, scope(data)) else {
            return self.refuse(inst, "its atomics do not order other memory", "");
        };
        let kind = atomic_of(data);
        let is_exchange =
            matches!(op, MemoryOp::AtomicLoad | MemoryOp::AtomicStore) || kind == AtomicOp::Exchange;
        let is_known = match ty.width {
            // In a buffer of bytes numbers have no kind.
            Width::W32 => ty.kind != Kind::Float || is_exchange && buffer.is_some(),
            Width::W64 => ty.kind != Kind::Float && buffer.is_none(),
            Width::W1 | Width::W8 | Width::W16 => false,
        };
        if !is_known {
            return self.refuse(inst, "this writer has atomics on integers of 32 and 64 bits only", "");
        }
        let Some(name) = function(op, kind) else {
            return self.refuse(inst, format!("it has no atomic `{}`", kind.name()), "");
        };
        let wanted = kind.kind();
        // In a buffer of bytes numbers have no sign; its compiler fails for functions of signed ones.
        let is_unsigned = buffer.is_some() && wanted != Some(Kind::Int);
        let ty = if is_unsigned { ty.with_kind(Kind::Uint) } else { ty };
        if buffer.is_some() && wanted == Some(Kind::Int) {
            let says = "its buffer is accessed by bytes, of which it compares unsigned numbers only";
            return self.refuse(inst, says, "declare the memory with the type that the atomic reads");
        }
        if let Some(kind) = wanted.filter(|&wanted| wanted != ty.kind) {
            if barrier.is_some() {
                return self.refuse(inst, "its atomics do not order other memory", "");
            }
            let function = if name == "InterlockedMin" { "min" } else { "max" };
            return self.exchange_until_same(inst, place, ty, (kind, function));
        }
        let mut args = vec![place];
        if op == MemoryOp::AtomicLoad {
            let zero = vitrine_ir::ops::Bits::zero(ty.width, 1);
            args.push(self.constant(&zero, ty.kind, inst));
        }
        for &arg in data.args.iter().skip(1) {
            let value = self.value_as(arg, ty.kind);
            args.push(match kind == AtomicOp::ISub {
                true => crate::expr::prefix(Token::new(Class::Op, "-"), value, ty),
                false => value,
            });
        }
        let old = self.output("old", ty, inst);
        let old = Expr::atom(Token::linked(Class::Value, old, self.anchor(inst)), ty);
        args.push(old.clone());
        self.ordering_barrier(inst, barrier.filter(|_| order.has_any(Semantics::RELEASES)));
        let call = match buffer {
            Some(buffer) => self.hlsl_method(inst, buffer, name, args, ty),
            None => self.call(inst, name, args, ty),
        };
        self.statement(call.tokens);
        self.ordering_barrier(inst, barrier.filter(|_| order.has_any(Semantics::ACQUIRES)));
        if data.ty != ValueType::Void {
            self.declare(inst, old);
        }
    }

    /// The memory barrier that orders other memory before or after an atomic, as a fence does for a relaxed one; none for an
    /// atomic that orders nothing. `None` if the language has no barrier for the stage or the scope.
    fn ordering(&self, order: Semantics, scope: Scope) -> Option<Option<&'static str>> {
        if !order.has_any(Semantics::ORDERS) {
            return Some(None);
        }
        // The barriers are of the device, which includes all but what is shared between devices.
        match self.w.stage {
            _ if scope == Scope::CrossDevice => None,
            Stage::Compute => Some(Some("AllMemoryBarrier")),
            Stage::Fragment => Some(Some("DeviceMemoryBarrier")),
            _ => None,
        }
    }

    fn ordering_barrier(&mut self, inst: Inst, name: Option<&'static str>) {
        if let Some(name) = name {
            let call = self.call(inst, name, Vec::new(), NumberType::scalar(Kind::Int));
            self.statement(call.tokens);
        }
    }

    /// Stores the smaller or the larger of two numbers of another kind than the memory has: exchanges it until no other
    /// invocation changed it while the number was computed. The first comparison is with 0, and finds what is there.
    fn exchange_until_same(
        &mut self,
        inst: Inst,
        place: Expr,
        ty: NumberType,
        (kind, function): (Kind, &'static str),
    ) {
        let data = self.body.inst(inst);
        let Some(&arg) = data.args.get(1) else { return };
        let value = self.value_as(arg, kind);
        let value = self.kept(value, inst);
        let zero = self.constant(&vitrine_ir::ops::Bits::zero(ty.width, 1), ty.kind, inst);
        let name = self.names.fresh("old", "old");
        let tokens = self.declaration((&name, Link::None), Role::Variable, ty, inst, false, Some(zero));
        self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None });
        let old = Expr::atom(Token::linked(Class::Value, name.clone(), self.anchor(inst)), ty);
        let seen = self.output("seen", ty, inst);
        let mut tokens =
            vec![Token::new(Class::Value, seen.clone()), space(), Token::new(Class::Op, "="), space()];
        tokens.extend(old.tokens.clone());
        let keeps = Stmt::Simple { tokens, declares: None, assigns: Some(seen.clone()) };
        let seen = Expr::atom(Token::linked(Class::Value, seen, self.anchor(inst)), ty);
        let number = self.cast(seen.clone(), kind, inst);
        let wanted = self.call(inst, function, vec![number, value], ty.with_kind(kind));
        let wanted = self.cast(wanted, ty.kind, inst);
        let args = vec![place, seen.clone(), wanted, old.clone()];
        let call = self.call(inst, "InterlockedCompareExchange", args, ty);
        let exchanges = Stmt::Simple { tokens: call.tokens, declares: None, assigns: None };
        let body = vec![self.arena.add(keeps), self.arena.add(exchanges)];
        let again = self.infix(inst, "!=", Prec::Equality, vec![old.clone(), seen], NumberType::BOOL);
        let (head, continuing) = (Head::Until(again), Vec::new());
        self.push(Stmt::Loop { head, body, continuing, anchor: self.anchor(inst) });
        if data.ty != ValueType::Void {
            self.declare(inst, old);
        }
    }

    /// Writes a barrier of the workgroup, or of memory alone.
    pub(super) fn hlsl_barrier(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let order: Semantics = data.attrs.words();
        let exec = data.attrs.word_of(Key::Exec);
        if exec == Some(Scope::Subgroup) && !orders_memory(order) {
            // No result depends on whether the others have arrived.
            return;
        }
        if is_across_devices(data) {
            return self.refuse_scope(inst);
        }
        let only_shared = order.only(Semantics::MEMORIES) == Semantics::WORKGROUP_MEMORY;
        let name = match (exec, only_shared) {
            (Some(Scope::Workgroup), true) => "GroupMemoryBarrierWithGroupSync",
            (Some(Scope::Workgroup), false) => "AllMemoryBarrierWithGroupSync",
            (None, true) => "GroupMemoryBarrier",
            (None, false) => "AllMemoryBarrier",
            (
                Some(
                    Scope::CrossDevice
                    | Scope::Device
                    | Scope::Subgroup
                    | Scope::Invocation
                    | Scope::QueueFamily
                    | Scope::ShaderCall,
                ),
                _,
            ) => return self.refuse(inst, "it has no barrier of this scope", ""),
        };
        let call = self.call(inst, name, Vec::new(), NumberType::scalar(Kind::Int));
        self.statement(call.tokens);
    }
}

/// The function of an atomic; a difference is the sum with the negative number. `None` if the language has none.
fn function(op: MemoryOp, kind: AtomicOp) -> Option<&'static str> {
    match (op, kind) {
        (MemoryOp::AtomicCas, _) => Some("InterlockedCompareExchange"),
        (MemoryOp::AtomicLoad, _) => Some("InterlockedOr"),
        (MemoryOp::AtomicStore, _) => Some("InterlockedExchange"),
        (_, AtomicOp::IAdd | AtomicOp::ISub) => Some("InterlockedAdd"),
        (_, AtomicOp::IMin | AtomicOp::UMin) => Some("InterlockedMin"),
        (_, AtomicOp::IMax | AtomicOp::UMax) => Some("InterlockedMax"),
        (_, AtomicOp::IAnd) => Some("InterlockedAnd"),
        (_, AtomicOp::IOr) => Some("InterlockedOr"),
        (_, AtomicOp::IXor) => Some("InterlockedXor"),
        (_, AtomicOp::Exchange) => Some("InterlockedExchange"),
        (_, AtomicOp::FAdd | AtomicOp::FMin | AtomicOp::FMax | AtomicOp::Inc | AtomicOp::Dec) => None,
    }
}
