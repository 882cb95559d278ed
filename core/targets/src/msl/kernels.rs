//! Arguments of kernels: pointers to buffers and to memory of the threadgroup, and values.
//!
//! ```text
//! // buffer 0: words (argument 0)
//! // buffer 1: count (argument 1)
//! kernel void main0(device uint* words [[buffer(0)]], constant uint& count [[buffer(1)]]) {
//! ```
//!
//! The host binds each argument by its number among those of its class: a pointer is a buffer, a value is a buffer that
//! holds it, and a pointer to memory of the threadgroup is a size. Refuses images, samplers and structures as arguments,
//! pointers to constant memory, addresses of 32 bits as numbers, and accesses that are less aligned than their type.

use super::state::Argument;
use crate::expr::{Expr, Token, punct, space, words};
use crate::func::{FuncWriter, Slot};
use crate::module::{ModuleWriter, NO_OPERATION, NO_TYPE};
use crate::number::NumberType;
use crate::operands::STEPS;
use crate::paths::{PathText, bracketed};
use crate::print::Line;
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, PtrOp, Width};
use vitrine_ir::{Anchor, Func, Inst, Mode, Stage, Type};
use vitrine_text::{Class, Link};

/// The address space of memory of the threadgroup, and the word of its attribute.
const THREADGROUP: &str = "threadgroup";

impl ModuleWriter<'_> {
    /// Names and numbers the arguments of a kernel.
    pub(super) fn find_kernel_arguments(&mut self, func: Func) {
        if self.stage != Stage::Kernel {
            return;
        }
        let Some(body) = self.module.func(func) else { return };
        let signature = self.signature(func);
        let mut numbers = [0u32; 2];
        for (at, &param) in body.params().iter().enumerate() {
            let data = body.inst(param);
            let mode = data.attrs.word::<Mode>();
            let pointee = data.entity::<Type>(Key::Type).and_then(|ty| self.number_type(ty));
            let value = signature.params.get(at).and_then(|&kind| NumberType::of(data.ty, kind));
            let found = match (value, mode, pointee) {
                (Some(ty), ..) => Some((ty, "")),
                (None, Some(Mode::Physical), Some(ty)) => Some((ty, "device")),
                (None, Some(Mode::Shared), Some(ty)) => Some((ty, THREADGROUP)),
                _ => None,
            };
            let Some((ty, space)) = found else {
                let says = format!("the argument {param} is no number and no pointer to numbers of a buffer");
                self.refuse(NO_TYPE, Anchor::Inst(func, param), says, "");
                continue;
            };
            let name = self.names.fresh(self.text(body.inst_name(param)), format!("argument_{at}"));
            let next = &mut numbers[usize::from(space == THREADGROUP)];
            let number = *next;
            *next += 1;
            self.own.msl.arguments.push(Argument { param, name, ty, number, space });
        }
        self.check_kernel(func);
    }

    /// Refuses accesses of kernels that the types of pointers do not promise.
    fn check_kernel(&mut self, entry: Func) {
        for func in crate::calls::callees_first(self.module, entry) {
            let Some(body) = self.module.func(func) else { continue };
            let mut wrong: Vec<(Inst, &'static str)> = Vec::new();
            body.for_each_inst(|_, inst| {
                let data = body.inst(inst);
                let ty = match data.op {
                    Op::Memory(MemoryOp::Load) => Some(data.ty),
                    Op::Memory(MemoryOp::Store) => data.args.get(1).map(|&value| body.ty(value)),
                    Op::Ptr(PtrOp::ToBits) => {
                        if bits(data.ty) != 64 {
                            wrong.push((inst, "its address has 64 bits"));
                        }
                        None
                    }
                    Op::Deref(DerefOp::FromBits) => {
                        if data.args.first().is_some_and(|&of| bits(body.ty(of)) != 64) {
                            wrong.push((inst, "its address has 64 bits"));
                        }
                        None
                    }
                    _ => None,
                };
                let natural = ty.map_or(0, |ty| {
                    let components = u64::from(ty.components().next_power_of_two());
                    components * ty.width().map_or(0, |width| u64::from(width.bits()).div_ceil(8))
                });
                if data.attrs.get(Key::Align).is_some_and(|align| align < natural) {
                    wrong.push((inst, "the address is less aligned than the type"));
                }
            });
            for (inst, why) in wrong {
                let says = format!("{inst} is an access that MSL cannot express: {why}");
                self.refuse(NO_OPERATION, Anchor::Inst(func, inst), says, "");
            }
        }
    }

    /// Returns true for the function of a kernel, whose parameters are arguments.
    pub(super) fn is_kernel_argument(&self, func: Func) -> bool {
        self.stage == Stage::Kernel && self.own.msl.entry == Some(func)
    }

    /// The arguments as parameters of the entry point.
    pub(super) fn kernel_parameters(&mut self, func: Func) -> Vec<Vec<Token>> {
        let mut out = Vec::new();
        for argument in self.own.msl.arguments.clone() {
            let Argument { param, name, ty, number, space: address_space, .. } = argument;
            let anchor = Anchor::Inst(func, param);
            let ty = Token::new(Class::Type, self.number_name(ty, anchor));
            let name = Token { text: name.into(), class: Class::Name, link: Link::Def(anchor) };
            let (before, mark, class) = match address_space {
                "" => ("constant", "&", "buffer"),
                THREADGROUP => (THREADGROUP, "*", THREADGROUP),
                _ => ("device", "*", "buffer"),
            };
            let mut tokens = words(Class::Keyword, before);
            tokens.extend([space(), ty, punct(mark), space(), name, space()]);
            tokens.push(Token::new(Class::Attr, format!("[[{class}({number})]]")));
            out.push(tokens);
        }
        out
    }

    /// The comments that list the arguments.
    pub(super) fn kernel_comments(&self) -> Vec<Line> {
        let line = |(at, argument): (usize, &Argument)| {
            let class = if argument.space == THREADGROUP { THREADGROUP } else { "buffer" };
            let (number, name) = (argument.number, &argument.name);
            Line::text(format!("// {class} {number}: {name} (argument {at})"))
        };
        self.own.msl.arguments.iter().enumerate().map(line).collect()
    }

    /// Buffers that arguments take: those of the module follow.
    pub(super) fn argument_buffers(&self) -> u32 {
        self.own.msl.arguments.iter().filter(|it| it.space != THREADGROUP).count() as u32
    }
}

/// The bits of a value.
fn bits(ty: vitrine_ir::ops::ValueType) -> u32 {
    u32::from(ty.components()) * ty.width().map_or(0, Width::bits)
}

impl FuncWriter<'_, '_> {
    /// Gives the arguments of a kernel their names.
    pub(super) fn name_kernel_arguments(&mut self) {
        if !self.w.is_kernel_argument(self.func) {
            return;
        }
        for argument in self.w.own.msl.arguments.clone() {
            self.slots[argument.param] = Slot::Name(argument.name, argument.ty);
        }
    }

    /// The memory that an argument points at: its first element.
    pub(super) fn kernel_argument_path(&self, name: Token, ty: Type, mode: Mode) -> PathText {
        let mut tokens = vec![name];
        tokens.extend(bracketed(vec![Token::new(Class::Number, "0")]));
        self.msl_path(tokens, ty, mode, None)
    }

    /// An element that is counted from an argument. `None` for other pointers.
    pub(super) fn kernel_argument_step(&mut self, step: Inst, base: Inst, index: Inst) -> Option<PathText> {
        if !self.w.is_kernel_argument(self.func) {
            return None;
        }
        let mut at = base;
        for _ in 0..STEPS {
            let data = self.body.inst(at);
            match data.op {
                Op::Basic(BasicOp::Copy) => at = *data.args.first()?,
                _ => break,
            }
        }
        if self.body.inst(at).op != Op::Basic(BasicOp::Param) {
            return None;
        }
        let mut text = self.path(at)?;
        if !self.msl_can_step(text.ty, self.body.inst(step).attrs.get(Key::Stride)) {
            return None;
        }
        // Without the number of the first element.
        text.tokens.truncate(1);
        let index = self.value_as(index, crate::number::Kind::Int);
        text.tokens.extend(bracketed(index.tokens));
        Some(text)
    }

    /// A system value of 32 bits as a program with numbers of 64 bits reads it.
    pub(super) fn msl_widened(&mut self, inst: Inst, expr: Expr) -> Expr {
        let is_wide = self.body.ty(inst).width() == Some(Width::W64) && expr.ty.width == Width::W32;
        if !is_wide {
            return expr;
        }
        let ty = NumberType::new(expr.ty.kind, Width::W64, expr.ty.components);
        self.construct(inst, ty, vec![expr])
    }
}
