//! Atomics of GLSL: functions on a member or an element, and on texels.

use crate::expr::{Expr, Prec, Token, prefix, space};
use crate::func::{FuncWriter, Role};
use crate::number::{Kind, NumberType};
use crate::operands::atomic_of;
use crate::paths::PathText;
use crate::stmt::Stmt;
use vitrine_ir::ops::{AtomicOp, Bits, MemoryOp, ValueType, Width};
use vitrine_ir::{Inst, Mode, Stage};
use vitrine_text::Class;

impl FuncWriter<'_, '_> {
    /// Writes an atomic on memory.
    pub(super) fn glsl_atomic(&mut self, inst: Inst, op: MemoryOp, text: PathText, ty: NumberType) {
        let is_shared = text.mode == Mode::Shared;
        if is_shared && !matches!(self.w.stage, Stage::Compute | Stage::Task | Stage::Mesh) {
            let says = "it has atomics on memory of a workgroup in compute, task and mesh shaders only";
            return self.refuse(inst, says, "");
        }
        let memory = Expr::new(text.tokens, Prec::Postfix, ty);
        self.atomic_on(inst, op, vec![memory], ty, "atomic");
    }

    /// Writes an atomic on a texel.
    pub(super) fn glsl_texel_atomic(&mut self, inst: Inst, op: MemoryOp, pointer: Inst) {
        let &[image, coord, sample] = &self.body.inst(pointer).args[..] else { return };
        let Some(found) = self.resource(image) else { return };
        let Some(ty) = self.w.number_type(found.image.sampled) else { return };
        let coord = self.value_as(coord, Kind::Int);
        let mut args = vec![Expr::new(found.tokens, Prec::Postfix, ty), coord];
        if found.image.multisampled {
            args.push(self.value_as(sample, Kind::Int));
        }
        self.atomic_on(inst, op, args, ty, "imageAtomic");
    }

    /// An atomic on memory or on a texel, whose place is `args`, by a function of a family: `atomic` or `imageAtomic`.
    fn atomic_on(
        &mut self,
        inst: Inst,
        op: MemoryOp,
        mut args: Vec<Expr>,
        ty: NumberType,
        family: &'static str,
    ) {
        let data = self.body.inst(inst);
        let kind = atomic_of(data);
        let wanted = kind.kind();
        let operand = |this: &mut Self, at: usize| data.args.get(at).map(|&arg| this.value_as(arg, ty.kind));
        let suffix = match op {
            MemoryOp::AtomicCas => "CompSwap",
            // GLSL ES has functions for both only with an order.
            MemoryOp::AtomicLoad if self.w.es().is_some() => "Add",
            MemoryOp::AtomicStore if self.w.es().is_some() => "Exchange",
            MemoryOp::AtomicLoad => "Load",
            MemoryOp::AtomicStore => "Store",
            _ => match suffix(kind) {
                Some(suffix) => suffix,
                None => return self.refuse(inst, format!("it has no atomic `{}`", kind.name()), ""),
            },
        };
        if let (Some(wanted), [memory], "atomic", Kind::Int | Kind::Uint) =
            (wanted.filter(|&wanted| wanted != ty.kind), &args[..], family, ty.kind)
        {
            return self.atomic_by_exchange(inst, &memory.clone(), ty, (wanted, kind));
        }
        if wanted.is_some_and(|wanted| wanted != ty.kind) {
            let says = "it compares numbers of the other signedness than the memory is declared with";
            return self.refuse(inst, says, "declare the memory with the type that the atomic reads");
        }
        if ty.kind == Kind::Float {
            // The first extension adds numbers of 32 and 64 bits, loads, stores and exchanges them.
            let is_second = ty.width == Width::W16 || matches!(kind, AtomicOp::FMin | AtomicOp::FMax);
            let extension =
                if is_second { "GL_EXT_shader_atomic_float2" } else { "GL_EXT_shader_atomic_float" };
            self.w.extensions.insert(extension);
        }
        if ty.width == Width::W64 {
            self.w.extensions.insert("GL_EXT_shader_atomic_int64");
        }
        match op {
            MemoryOp::AtomicLoad if self.w.es().is_some() => {
                if ty.kind == Kind::Float {
                    return self.refuse(inst, "it loads no floating-point numbers atomically", "");
                }
                let zero = self.constant(&Bits::zero(ty.width, 1), ty.kind, inst);
                args.push(zero);
            }
            MemoryOp::AtomicLoad => {}
            MemoryOp::AtomicCas => {
                args.extend(operand(self, 1));
                args.extend(operand(self, 2));
            }
            _ => {
                let Some(value) = operand(self, 1) else { return };
                args.push(match kind == AtomicOp::ISub {
                    true => {
                        let token = Token::linked(Class::Op, "-", self.anchor(inst));
                        prefix(token, value, ty)
                    }
                    false => value,
                });
            }
        }
        let is_followed = match self.w.es() {
            Some(_) => self.es_order(inst, op),
            None => {
                self.glsl_order(inst, op, &mut args);
                false
            }
        };
        let expr = self.call(inst, format!("{family}{suffix}"), args, ty);
        match data.ty {
            ValueType::Void => self.statement(expr.tokens),
            // The value is read before the barrier that follows.
            _ if is_followed && self.plan.uses(inst) > 0 => self.declare(inst, expr),
            _ => self.define(inst, expr),
        }
        if is_followed {
            self.es_order_after(inst);
        }
    }

    /// A minimum or maximum of the other signedness than the memory is declared with: repeats an exchange until no other
    /// invocation changed the number in between.
    fn atomic_by_exchange(
        &mut self,
        inst: Inst,
        memory: &Expr,
        ty: NumberType,
        (reads, op): (Kind, AtomicOp),
    ) {
        let Some(&value) = self.body.inst(inst).args.get(1) else { return };
        if ty.width == Width::W64 {
            self.w.extensions.insert("GL_EXT_shader_atomic_int64");
        }
        let value = self.value_as(value, reads);
        let value = self.fixed(value, Role::Value, inst);
        let is_followed = self.w.es().is_some() && self.es_order(inst, MemoryOp::Atomic);
        let zero = self.constant(&Bits::zero(ty.width, 1), ty.kind, inst);
        let first = self.call(inst, "atomicAdd", vec![memory.clone(), zero], ty);
        let old = self.old_number(inst, first, ty);
        let (before, declared) = self.number_before(inst, &old, ty);
        let number = self.cast(before.clone(), reads, inst);
        let function = match op {
            AtomicOp::IMin | AtomicOp::UMin => "min",
            AtomicOp::IMax | AtomicOp::UMax => "max",
            // Floats fit the memory (`E072`), and other results do not depend on the sign.
            AtomicOp::FAdd
            | AtomicOp::FMin
            | AtomicOp::FMax
            | AtomicOp::IAdd
            | AtomicOp::ISub
            | AtomicOp::IAnd
            | AtomicOp::IOr
            | AtomicOp::IXor
            | AtomicOp::Exchange
            | AtomicOp::Inc
            | AtomicOp::Dec => return self.refuse(inst, format!("it has no atomic `{}`", op.name()), ""),
        };
        let computed = self.call(inst, function, vec![number, value], ty.with_kind(reads));
        let computed = self.cast(computed, ty.kind, inst);
        let mut args = vec![memory.clone(), before.clone(), computed];
        if self.w.es().is_none() {
            self.glsl_order(inst, MemoryOp::AtomicCas, &mut args);
        }
        let exchange = self.call(inst, "atomicCompSwap", args, ty);
        let mut tokens = old.tokens.clone();
        tokens.extend([space(), Token::linked(Class::Op, "=", self.anchor(inst)), space()]);
        tokens.extend(exchange.tokens);
        let assigned = Stmt::Simple { tokens, declares: None, assigns: None };
        let mut body = vec![self.arena.add(declared), self.arena.add(assigned)];
        let done = self.infix(inst, "==", Prec::Equality, vec![old.clone(), before], NumberType::BOOL);
        self.leave_if(inst, done, &mut body);
        self.repeat(inst, body, old);
        if is_followed {
            self.es_order_after(inst);
        }
    }
}

/// The end of the name of the function of an operation. A difference is the sum with the negative number.
fn suffix(op: AtomicOp) -> Option<&'static str> {
    match op {
        AtomicOp::IAdd | AtomicOp::ISub | AtomicOp::FAdd => Some("Add"),
        AtomicOp::IMin | AtomicOp::UMin | AtomicOp::FMin => Some("Min"),
        AtomicOp::IMax | AtomicOp::UMax | AtomicOp::FMax => Some("Max"),
        AtomicOp::IAnd => Some("And"),
        AtomicOp::IOr => Some("Or"),
        AtomicOp::IXor => Some("Xor"),
        AtomicOp::Exchange => Some("Exchange"),
        AtomicOp::Inc | AtomicOp::Dec => None,
    }
}
