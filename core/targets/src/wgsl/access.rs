//! Answers of WGSL about paths into memory, addresses, loads and stores.

use super::{Wgsl, places};
use crate::dialect::Access;
use crate::expr::{Expr, Prec, Token, begun, prefix, punct};
use crate::func::FuncWriter;
use crate::module::ModuleWriter;
use crate::number::{Kind, NumberType};
use crate::paths::{ElementStep, PathText, SystemValue, bracketed};
use rustc_hash::FxHashMap;
use vitrine_ir::ops::MemoryOp;
use vitrine_ir::{Anchor, Inst, Mode, Module, Type, Var};
use vitrine_text::Class;

impl Access for Wgsl {
    fn var_path(&self, f: &mut FuncWriter<'_, '_>, var: Var, mode: Mode, ty: Type) -> PathText {
        match mode {
            Mode::In | Mode::Out => interface_path(f, var, mode, ty),
            _ => f.named_var(var, mode, ty),
        }
    }

    fn system_value(&self, f: &mut FuncWriter<'_, '_>, place: SystemValue) -> Option<PathText> {
        let SystemValue { var, mode, ty, value, .. } = place;
        if mode == Mode::In
            && let Some(zero) = f.w.wgsl_zero(value)
        {
            let builtin = Some(NumberType::scalar(Kind::Int));
            return Some(PathText { builtin, root: Some(var), ..PathText::new(vec![zero], ty, mode) });
        }
        let (name, found) = f.w.wgsl_port(var, Some(value))?;
        let tokens = vec![Token::linked(Class::Name, name, Anchor::Var(var))];
        let builtin = (!f.w.wgsl_is_array_port(var, value)).then_some(found);
        Some(PathText { builtin, root: Some(var), ..PathText::new(tokens, ty, mode) })
    }

    fn param_path(&self, _f: &mut FuncWriter<'_, '_>, name: Token, ty: Type, mode: Mode) -> PathText {
        let tokens = match mode {
            Mode::Handle => begun(name),
            _ => vec![punct("("), Token::new(Class::Op, "*"), name, punct(")")],
        };
        PathText::new(tokens, ty, mode)
    }

    fn own_element(
        &self,
        _f: &mut FuncWriter<'_, '_>,
        text: &mut PathText,
        step: ElementStep,
    ) -> Option<bool> {
        // The mask of samples is one number here.
        let is_one = text.is_one_number();
        if is_one {
            text.ty = step.element;
        }
        Some(is_one)
    }

    fn column_of_rows(
        &self,
        _w: &mut ModuleWriter<'_>,
        _matrix: &PathText,
        index: &Expr,
    ) -> Option<Vec<Token>> {
        Some(bracketed(index.tokens.clone()))
    }

    fn element(&self, f: &mut FuncWriter<'_, '_>, text: &mut PathText, step: ElementStep, index: Expr) {
        let is_wrapped = !text.is_plain && f.w.wgsl_padding(text.ty).is_some();
        let inner = match is_wrapped {
            true => vec![punct("."), Token::new(Class::Plain, "value")],
            false => Vec::new(),
        };
        f.append_element(text, step, index, inner);
    }

    fn loaded(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, text: PathText, ty: NumberType) -> Option<Expr> {
        if text.atomic.is_some() {
            f.wgsl_atomic(inst, MemoryOp::AtomicLoad, text, ty);
            return None;
        }
        Some(f.loaded_number(inst, text, ty))
    }

    fn ignores_store(&self, f: &mut FuncWriter<'_, '_>, inst: Inst) -> bool {
        f.wgsl_is_point_size(inst)
    }

    fn own_store(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, text: &PathText) -> bool {
        if text.atomic.is_none() {
            return false;
        }
        if let Some(ty) = f.number_at(inst, text) {
            f.wgsl_atomic(inst, MemoryOp::AtomicStore, text.clone(), ty);
        }
        true
    }

    fn assign_components(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        target: Expr,
        value: Expr,
        list: &[u8],
    ) {
        f.wgsl_components(inst, &target, &value, list);
    }

    fn array_length(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, text: PathText) {
        let uint = NumberType::scalar(Kind::Uint);
        let array = prefix(Token::new(Class::Op, "&"), Expr::new(text.tokens, Prec::Postfix, uint), uint);
        let expr = f.call(inst, "arrayLength", vec![array], uint);
        f.define(inst, expr);
    }

    fn is_wrapped_in_buffers(&self, w: &mut ModuleWriter<'_>, ty: Type) -> bool {
        w.wgsl_is_wrapped(ty)
    }

    fn composes_constants(&self) -> bool {
        // Overrides are numbers.
        true
    }

    fn variable_keyword(&self) -> Option<&'static str> {
        Some("var")
    }

    fn places(&self, module: &Module, used: &[Var]) -> FxHashMap<Var, String> {
        places::places(module, used)
    }
}

/// An input or output of the entry point. Those without a location are blocks of system values.
fn interface_path(f: &mut FuncWriter<'_, '_>, var: Var, mode: Mode, ty: Type) -> PathText {
    let mut text = PathText { root: Some(var), ..PathText::new(Vec::new(), ty, mode) };
    match f.w.wgsl_port(var, None) {
        Some((name, _)) => text.tokens.push(Token::linked(Class::Name, name, Anchor::Var(var))),
        None if f.is_builtin_block(ty) => {}
        // Refused with the declarations.
        None => text.tokens.push(Token::linked(Class::Name, f.w.var_name(var), Anchor::Var(var))),
    }
    text
}
