//! Paths, lengths, atomics and barriers of HLSL.
//!
//! Atomics are statements that store the old value. Refuses those that order other memory.

use crate::back::text::expr::{Expr, Prec, Token, punct};
use crate::back::text::func::{FuncWriter, Role};
use crate::back::text::memory::PathText;
use crate::back::text::number::{Kind, NumberType};
use crate::back::text::operands::word;
use crate::back::text::stmt::Stmt;
use crate::ir::{Anchor, Inst, Mode, Struct, Var};
use crate::ops::{Key, MemoryOp, ValueType, Width};
use crate::text::{Class, Link};
use std::rc::Rc;

impl FuncWriter<'_, '_> {
    /// The path of a variable of the module other than inputs and outputs.
    pub(in crate::back::text) fn hlsl_var_path(&mut self, var: Var) -> Vec<Token> {
        let Some(mode) = self.w.module.var(var).map(|data| data.mode) else { return Vec::new() };
        let (anchor, name) = (Anchor::Var(var), self.w.var_name(var));
        let name = Token::linked(Class::Name, name, anchor);
        match mode {
            // Members of constant buffers are names of their own.
            Mode::Uniform | Mode::Push => Vec::new(),
            Mode::Storage if self.w.only_element(var).is_none() => {
                vec![name, punct("["), Token::new(Class::Number, "0"), punct("]")]
            }
            _ => vec![name],
        }
    }

    /// The member of a buffer; `None` for members of other structures.
    pub(in crate::back::text) fn hlsl_member(
        &mut self,
        text: &PathText,
        structure: Struct,
        at: usize,
    ) -> Option<Vec<Token>> {
        let var = text.root?;
        let data = self.w.module.var(var)?;
        if data.ty != text.ty {
            return None;
        }
        if data.mode == Mode::Storage && self.w.only_element(var).is_some() {
            return Some(text.tokens.clone());
        }
        let name = self.w.hlsl.members.get(&(var, at))?.clone();
        Some(vec![Token::linked(Class::Name, name, Anchor::Member(structure, at as u32))])
    }

    /// The number of elements of a structured buffer.
    pub(in crate::back::text) fn hlsl_length(&mut self, inst: Inst, text: PathText) {
        let is_whole = text.root.is_some_and(|var| self.w.only_element(var).is_some());
        if !is_whole {
            return self.refuse(inst, "the buffer has other members", "");
        }
        let uint = NumberType::scalar(Kind::Uint);
        let count = self.output("count", uint, inst);
        let stride = self.output("stride", uint, inst);
        let mut tokens = text.tokens;
        tokens.extend([punct("."), Token::linked(Class::Op, "GetDimensions", self.anchor(inst)), punct("(")]);
        tokens.extend([Token::new(Class::Value, count.clone()), punct(","), crate::back::text::expr::space()]);
        tokens.extend([Token::new(Class::Value, stride), punct(")")]);
        self.statement(tokens);
        let expr = Expr::atom(Token::linked(Class::Value, count, self.anchor(inst)), uint);
        self.declare(inst, expr);
    }

    /// Declares a variable that a function stores to.
    fn output(&mut self, wanted: &str, ty: NumberType, inst: Inst) -> Rc<str> {
        let name = self.names.fresh(wanted, wanted);
        let tokens = self.declaration((&name, Link::None), Role::Variable, ty, inst, false, None);
        self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None });
        name
    }

    /// Writes an atomic.
    pub(in crate::back::text) fn hlsl_atomic(&mut self, inst: Inst, op: MemoryOp, text: PathText, ty: NumberType) {
        let data = self.body.inst(inst);
        let order = |key: Key| data.attrs.get(key).unwrap_or(0) & 0xf;
        if order(Key::Order) != 0 || order(Key::OrderElse) != 0 {
            return self.refuse(inst, "its atomics do not order other memory", "");
        }
        if ty.width != Width::W32 || ty.kind == Kind::Float {
            return self.refuse(inst, "this writer has atomics on integers of 32 bits only", "");
        }
        let kind = word(data, Key::Atomic);
        let (name, wanted) = match (op, kind) {
            (MemoryOp::AtomicCas, _) => ("InterlockedCompareExchange", None),
            (MemoryOp::AtomicLoad, _) => ("InterlockedOr", None),
            (MemoryOp::AtomicStore, _) => ("InterlockedExchange", None),
            (_, "iadd" | "isub") => ("InterlockedAdd", None),
            (_, "imin") => ("InterlockedMin", Some(Kind::Int)),
            (_, "umin") => ("InterlockedMin", Some(Kind::Uint)),
            (_, "imax") => ("InterlockedMax", Some(Kind::Int)),
            (_, "umax") => ("InterlockedMax", Some(Kind::Uint)),
            (_, "iand") => ("InterlockedAnd", None),
            (_, "ior") => ("InterlockedOr", None),
            (_, "ixor") => ("InterlockedXor", None),
            (_, "exchange") => ("InterlockedExchange", None),
            _ => return self.refuse(inst, format!("it has no atomic `{kind}`"), ""),
        };
        if wanted.is_some_and(|wanted| wanted != ty.kind) {
            let says = "it compares numbers of the other signedness than the memory is declared with";
            return self.refuse(inst, says, "declare the memory with the type that the atomic reads");
        }
        let mut args = vec![Expr::new(text.tokens, Prec::Postfix, ty)];
        if op == MemoryOp::AtomicLoad {
            let zero = crate::ops::Bits::zero(Width::W32, 1);
            args.push(self.constant(&zero, ty.kind, inst));
        }
        for &arg in data.args.iter().skip(1) {
            let value = self.value_as(arg, ty.kind);
            args.push(match kind == "isub" && op == MemoryOp::Atomic {
                true => crate::back::text::expr::prefix(Token::new(Class::Op, "-"), value, ty),
                false => value,
            });
        }
        let old = self.output("old", ty, inst);
        let old = Expr::atom(Token::linked(Class::Value, old, self.anchor(inst)), ty);
        args.push(old.clone());
        let call = self.call(inst, name, args, ty);
        self.statement(call.tokens);
        if data.ty != ValueType::Void {
            self.declare(inst, old);
        }
    }

    /// Writes a barrier of the workgroup, or of memory alone.
    pub(in crate::back::text) fn hlsl_barrier(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let order = data.attrs.get(Key::Order).unwrap_or(0);
        let only_shared = order & !0xf == 1 << 6;
        let name = match (data.attrs.get(Key::Exec), only_shared) {
            (Some(2), true) => "GroupMemoryBarrierWithGroupSync",
            (Some(2), false) => "AllMemoryBarrierWithGroupSync",
            (None, true) => "GroupMemoryBarrier",
            (None, false) => "AllMemoryBarrier",
            (Some(_), _) => return self.refuse(inst, "it has no barrier of this scope", ""),
        };
        let call = self.call(inst, name, Vec::new(), NumberType::scalar(Kind::Int));
        self.statement(call.tokens);
    }
}
