//! Operations of WGSL between invocations: derivatives, barriers, subgroups, atomics; and the end of invocations.

use crate::back::text::expr::{Expr, Prec, Token, prefix};
use crate::back::text::func::FuncWriter;
use crate::back::text::number::{Kind, NumberType};
use crate::back::text::operands::word;
use crate::back::text::paths::PathText;
use crate::back::text::spell::{Form, Reading, Yield, reading, yields};
use crate::back::text::stmt::Stmt;
use crate::back::text::wgsl::uniformity::Uniformity;
use crate::ir::{Anchor, Func, Inst};
use crate::ops::{GroupOp, IoOp, Key, MemoryOp, Op, ValueType};
use crate::text::Class;
use std::rc::Rc;

impl FuncWriter<'_, '_> {
    /// Writes an operation between invocations.
    pub(in crate::back::text) fn wgsl_group(&mut self, inst: Inst, op: GroupOp) {
        let data = self.body.inst(inst);
        let name = match self.w.dialect.form(Op::Group(op), false) {
            Form::Call(name) => name.to_owned(),
            Form::Engine => match op {
                GroupOp::Barrier => return self.wgsl_barrier(inst),
                GroupOp::Ddx | GroupOp::Ddy | GroupOp::Fwidth => {
                    self.note_derivative();
                    self.wgsl_derivative(inst, op)
                }
                GroupOp::QuadSwap => match word(data, Key::Axis) {
                    "horizontal" => "quadSwapX".to_owned(),
                    "vertical" => "quadSwapY".to_owned(),
                    _ => "quadSwapDiagonal".to_owned(),
                },
                _ => match self.wgsl_reduction(inst) {
                    Some(name) => name,
                    None => {
                        return self.refuse(
                            inst,
                            "it has no such reduction",
                            "pass `lower-subgroups` lowers some",
                        );
                    }
                },
            },
            Form::Lower(pass) => return self.lowered(inst, pass),
            _ => return self.refuse(inst, "it has no such operation", ""),
        };
        if name.starts_with("subgroup") || name.starts_with("quad") {
            self.w.extensions.insert("subgroups");
            self.w.wgsl.has_divergent_subgroups |= !self.is_straight();
        }
        let hint = self.hint(inst);
        let kind = match yields(data.op) {
            Yield::Bool => Kind::Bool,
            Yield::Float => Kind::Float,
            Yield::Int => Kind::Int,
            Yield::Uint => Kind::Uint,
            Yield::Integers | Yield::Hint => self.reduced_kind(inst).unwrap_or(hint),
        };
        let ty = self.type_as(inst, kind);
        let mut args = Vec::new();
        for (at, &arg) in data.args.iter().enumerate() {
            args.push(match reading(data.op, at) {
                Reading::Bool => self.value_as(arg, Kind::Bool),
                Reading::Float => self.value_as(arg, Kind::Float),
                Reading::Uint => self.value_as(arg, Kind::Uint),
                Reading::Int => self.value_as(arg, Kind::Int),
                Reading::Result => self.value_as(arg, ty.kind),
                Reading::Integers | Reading::Count | Reading::Natural => self.value(arg),
            });
        }
        let expr = self.call(inst, name, args, ty);
        self.define(inst, expr);
    }

    fn wgsl_derivative(&self, inst: Inst, op: GroupOp) -> String {
        let name = match op {
            GroupOp::Ddx => "dpdx",
            GroupOp::Ddy => "dpdy",
            _ => "fwidth",
        };
        let suffix = match word(self.body.inst(inst), Key::Derivative) {
            "fine" => "Fine",
            "coarse" => "Coarse",
            _ => "",
        };
        format!("{name}{suffix}")
    }

    fn wgsl_reduction(&self, inst: Inst) -> Option<String> {
        let data = self.body.inst(inst);
        let name = match word(data, Key::Reduce) {
            "iadd" | "fadd" => "Add",
            "imul" | "fmul" => "Mul",
            "imin" | "umin" | "fmin" => "Min",
            "imax" | "umax" | "fmax" => "Max",
            "iand" => "And",
            "ior" => "Or",
            _ => "Xor",
        };
        let scan = match (word(data, Key::How), name) {
            ("all", _) => "",
            ("inclusive", "Add" | "Mul") => "Inclusive",
            ("exclusive", "Add" | "Mul") => "Exclusive",
            _ => return None,
        };
        Some(format!("subgroup{scan}{name}"))
    }

    /// A barrier of the workgroup; others are refused.
    fn wgsl_barrier(&mut self, inst: Inst) {
        const WORKGROUP: u64 = 2;
        let data = self.body.inst(inst);
        let (exec, order) = (data.attrs.get(Key::Exec), data.attrs.get(Key::Order).unwrap_or(0));
        if exec != Some(WORKGROUP) {
            return self.refuse(inst, "barriers are of the workgroup, and of execution, too", "");
        }
        if self.refuses_apart(inst) {
            return;
        }
        let storage = crate::back::text::glsl::orders::storage_words(order);
        let is_about = |word: &str| storage.iter().any(|name| name.ends_with(word));
        let mut names = Vec::new();
        names.extend(is_about("Buffer").then_some("storageBarrier"));
        names.extend(is_about("Image").then_some("textureBarrier"));
        if is_about("Shared") || names.is_empty() {
            names.push("workgroupBarrier");
        }
        for name in names {
            let expr = self.call(inst, name, Vec::new(), NumberType::scalar(Kind::Int));
            self.statement(expr.tokens);
        }
    }

    /// Refuses a call of a function with a barrier where invocations may be apart. Returns true if it did.
    pub(in crate::back::text) fn wgsl_refuses_call(&mut self, inst: Inst, callee: Func) -> bool {
        self.w.wgsl.with_barriers.contains(callee) && self.refuses_apart(inst)
    }

    /// Refuses a barrier where invocations may be apart. Returns true if it did.
    fn refuses_apart(&mut self, inst: Inst) -> bool {
        let uniformity = match &self.w.wgsl.uniformity {
            Some((func, known)) if *func == self.func => known.clone(),
            _ => {
                let found = Rc::new(Uniformity::of(self.w.module, self.body, &self.w.wgsl_read_only()));
                self.w.wgsl.uniformity = Some((self.func, found.clone()));
                found
            }
        };
        let Some(cond) = self.block.and_then(|block| uniformity.condition(block)) else { return false };
        let says = format!(
            "invocations may be apart there by the condition {cond}, and a barrier needs all of them"
        );
        self.refuse(inst, says, "move the barrier out of the branch or the loop of the condition");
        true
    }

    /// Writes an interface operation: the end of an invocation.
    pub(in crate::back::text) fn wgsl_interface(&mut self, inst: Inst, op: IoOp) {
        let data = self.body.inst(inst);
        match self.w.dialect.form(Op::Io(op), false) {
            Form::Engine => {}
            Form::Lower(pass) => return self.lowered(inst, pass),
            Form::No(reason) => return self.refuse(inst, reason, ""),
            _ => return self.refuse(inst, "it has no such operation", ""),
        }
        let word = vec![self.keyword(inst, "discard")];
        if op == IoOp::Demote {
            return self.statement(word);
        }
        let Some(&cond) = data.args.first() else { return };
        let cond = self.value_as(cond, Kind::Bool);
        let discard = self.arena.add(Stmt::Simple { tokens: word, declares: None, assigns: None });
        let mut then = vec![discard];
        if op != IoOp::DemoteIf {
            // The language goes on as a helper.
            let tokens = self.wgsl_return(self.anchor(inst));
            then.push(self.arena.add(Stmt::Exit(tokens)));
        }
        self.push(Stmt::If { cond, then, els: Vec::new(), anchor: self.anchor(inst) });
    }

    /// A return without a value of the program: what the entry point returns, or a zero.
    pub(in crate::back::text) fn wgsl_return(&mut self, anchor: Anchor) -> Vec<Token> {
        let mut tokens = vec![Token::linked(Class::Keyword, "return", anchor)];
        let value = match self.entry_result() {
            Some(outputs) => outputs,
            None => match self.w.signature(self.func).result {
                Some(ty) => vec![
                    Token::new(Class::Type, self.w.number_name(ty, anchor)),
                    Token::new(Class::Punct, "("),
                    Token::new(Class::Punct, ")"),
                ],
                None => Vec::new(),
            },
        };
        if !value.is_empty() {
            tokens.push(crate::back::text::expr::space());
            tokens.extend(value);
        }
        tokens
    }

    /// An atomic.
    pub(in crate::back::text) fn wgsl_atomic(
        &mut self,
        inst: Inst,
        op: MemoryOp,
        text: PathText,
        ty: NumberType,
    ) {
        let data = self.body.inst(inst);
        let Some(kind) = text.atomic else {
            return self.refuse(
                inst,
                "its memory is not known to be atomic",
                "pass `inline-functions` may help",
            );
        };
        let ty = ty.with_kind(kind);
        let wanted = word(data, Key::Atomic);
        let (name, reads) = match op {
            MemoryOp::AtomicCas => ("atomicCompareExchangeWeak", None),
            MemoryOp::AtomicLoad => ("atomicLoad", None),
            MemoryOp::AtomicStore => ("atomicStore", None),
            _ => match wanted {
                "iadd" => ("atomicAdd", None),
                "isub" => ("atomicSub", None),
                "imin" => ("atomicMin", Some(Kind::Int)),
                "umin" => ("atomicMin", Some(Kind::Uint)),
                "imax" => ("atomicMax", Some(Kind::Int)),
                "umax" => ("atomicMax", Some(Kind::Uint)),
                "iand" => ("atomicAnd", None),
                "ior" => ("atomicOr", None),
                "ixor" => ("atomicXor", None),
                "exchange" => ("atomicExchange", None),
                _ => return self.refuse(inst, format!("it has no atomic `{wanted}`"), ""),
            },
        };
        if reads.is_some_and(|reads| reads != kind) || kind == Kind::Float || ty.components > 1 {
            return self.refuse(inst, "the memory is accessed as numbers of another kind, too", "");
        }
        let memory = Expr::new(text.tokens, Prec::Postfix, ty);
        let mut args = vec![prefix(Token::new(Class::Op, "&"), memory, ty)];
        for at in 1..data.args.len() {
            args.extend(data.args.get(at).map(|&arg| self.value_as(arg, kind)));
        }
        let mut expr = self.call(inst, name, args, ty);
        if op == MemoryOp::AtomicCas {
            let member = Token::new(Class::Plain, "old_value");
            expr = expr.postfix([Token::new(Class::Punct, "."), member], ty);
        }
        match (data.ty, op) {
            (ValueType::Void, _) => self.statement(expr.tokens),
            _ => self.define(inst, expr),
        }
    }
}
