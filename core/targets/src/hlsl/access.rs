//! Answers of HLSL about paths into memory, addresses, loads and stores.

use super::{Hlsl, places};
use crate::dialect::{Access, Pointers, is_nonuniform, marked_index};
use crate::expr::{Expr, Prec, Token};
use crate::func::{FuncWriter, Role};
use crate::module::ModuleWriter;
use crate::number::ADDRESS;
use crate::number::{Kind, NumberType};
use crate::paths::{ElementStep, PathText, SystemValue, bracketed};
use rustc_hash::FxHashMap;
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{Key, Width};
use vitrine_ir::{Anchor, Inst, Mode, Module, Struct, Type, Var};
use vitrine_text::Class;

impl Access for Hlsl {
    fn var_path(&self, f: &mut FuncWriter<'_, '_>, var: Var, mode: Mode, ty: Type) -> PathText {
        if let Some((name, found)) = f.w.hlsl_port(var, None) {
            return PathText {
                builtin: Some(found),
                root: Some(var),
                vertices: f.w.hlsl_has_vertices(var),
                ..PathText::new(vec![Token::linked(Class::Name, name, Anchor::Var(var))], ty, mode)
            };
        }
        // Of other blocks the declaration is refused.
        if f.w.hlsl_vertex(var).is_some_and(|of| f.is_builtin_block(of)) {
            let text = PathText::new(Vec::new(), ty, mode);
            return PathText { root: Some(var), vertices: true, ..text };
        }
        let tokens = if f.is_builtin_block(ty) { Vec::new() } else { f.hlsl_var_path(var) };
        f.path_from(var, mode, ty, tokens)
    }

    fn system_value(&self, f: &mut FuncWriter<'_, '_>, place: SystemValue) -> Option<PathText> {
        let SystemValue { var, mode, ty, value, .. } = place;
        if let Some(expr) = f.hlsl_wave_value(value) {
            // The rows of a matrix are steps of the path.
            let is_number = f.w.number_type(ty).is_some();
            let (tokens, builtin) = (expr.tokens, is_number.then_some(expr.ty));
            return Some(PathText { builtin, root: Some(var), ..PathText::new(tokens, ty, mode) });
        }
        let (name, found) = f.w.hlsl_port(var, Some(value))?;
        let mut tokens = vec![Token::linked(Class::Name, name, Anchor::Var(var))];
        let mut vertices = f.w.hlsl_has_vertices(var);
        if let Some(vertex) = place.before.filter(|_| vertices) {
            // Each member is an array: the index of the vertex follows its name.
            tokens.extend(vertex);
            vertices = false;
        }
        let builtin = Some(found);
        Some(PathText { builtin, root: Some(var), vertices, ..PathText::new(tokens, ty, mode) })
    }

    fn member(
        &self,
        f: &mut FuncWriter<'_, '_>,
        text: &mut PathText,
        (structure, at): (Struct, usize),
        ty: Type,
    ) -> Option<()> {
        if !f.hlsl_member(text, structure, at) {
            return f.named_member(text, (structure, at), ty);
        }
        text.ty = ty;
        Some(())
    }

    fn own_element(
        &self,
        f: &mut FuncWriter<'_, '_>,
        text: &mut PathText,
        step: ElementStep,
    ) -> Option<bool> {
        if std::mem::take(&mut text.vertices) {
            let expr = f.index_in(step.index, text.ty);
            text.tokens.extend(bracketed(expr.tokens));
        } else if text.is_one_number() {
            // The mask of samples is one number here.
        } else if let Some(mut place) = text.bytes.take() {
            f.hlsl_byte_step(&mut place, text.ty, step.index)?;
            text.bytes = Some(place);
        } else {
            return Some(false);
        }
        text.ty = step.element;
        Some(true)
    }

    fn index(&self, f: &mut FuncWriter<'_, '_>, text: &PathText, step: ElementStep) -> Expr {
        let index = f.index_in(step.index, text.ty);
        match is_nonuniform(f, step) {
            true => marked_index(f, text, step, index, "NonUniformResourceIndex"),
            false => index,
        }
    }

    fn number_in(&self, w: &ModuleWriter<'_>, root: Option<Var>, ty: NumberType) -> NumberType {
        w.hlsl_number(root, ty)
    }

    fn loaded(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, text: PathText, ty: NumberType) -> Option<Expr> {
        match text.bytes {
            Some(_) => f.hlsl_byte_load(inst, &text, ty),
            None => Some(f.loaded_number(inst, text, ty)),
        }
    }

    fn store(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, text: PathText, ty: NumberType, value: Expr) {
        match text.bytes {
            Some(_) => f.hlsl_byte_store(inst, &text, value),
            None => f.store_number(inst, text, ty, value),
        }
    }

    fn array_length(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, text: PathText) {
        f.hlsl_length(inst, text);
    }

    fn has_empty_types(&self) -> bool {
        true
    }

    fn pointers(&self) -> Option<&dyn Pointers> {
        Some(self)
    }

    fn places(&self, module: &Module, used: &[Var]) -> FxHashMap<Var, String> {
        places::places(module, used)
    }
}

/// Addresses are numbers.
impl Pointers for Hlsl {
    fn type_name(&self, _w: &mut ModuleWriter<'_>, _to: Type) -> Option<String> {
        Some("uint64_t".to_owned())
    }

    fn memory_at(&self, f: &mut FuncWriter<'_, '_>, pointer: Vec<Token>, to: Type) -> PathText {
        f.hlsl_at_address(pointer, to)
    }

    fn cast(&self, _f: &mut FuncWriter<'_, '_>, _inst: Inst, _type_name: String, bits: Expr) -> Vec<Token> {
        bits.at_least(Prec::Postfix).tokens
    }

    fn joined(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, words: Expr) -> Expr {
        let words = f.fixed(words, Role::Value, inst);
        let word = NumberType::scalar(Kind::Uint);
        let low = f.components(inst, words.clone(), &[0], word);
        let high = f.components(inst, words, &[1], word);
        f.joined_words(inst, low, high)
    }

    fn as_number(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, address: Expr, components: u8) -> Expr {
        match components {
            1 => address,
            n => f.split_words(inst, address, NumberType::new(Kind::Uint, Width::W32, n)),
        }
    }

    fn step(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, base: Inst, index: Inst) -> Option<PathText> {
        let mut whole = f.memory_of_pointer(base)?;
        let module = f.w.module;
        let size = || Sizes::default().of(module, module, whole.ty).bytes;
        let stride = f.body.inst(inst).attrs.get(Key::Stride).unwrap_or_else(size);
        f.hlsl_address_step(&mut whole, stride, index);
        Some(whole)
    }

    fn address_of(&self, f: &mut FuncWriter<'_, '_>, text: PathText) -> Option<Expr> {
        f.hlsl_address(&text)
    }
}

impl FuncWriter<'_, '_> {
    /// Two words as one number, for which the language has no function.
    pub(super) fn joined_words(&mut self, inst: Inst, low: Expr, high: Expr) -> Expr {
        let high = self.construct(inst, ADDRESS, vec![high]);
        let bits = Expr::atom(Token::new(Class::Number, "32"), NumberType::scalar(Kind::Uint));
        let high = self.infix(inst, "<<", Prec::Shift, vec![high, bits], ADDRESS);
        self.infix(inst, "|", Prec::BitOr, vec![high, low], ADDRESS)
    }

    /// A number as two words, for which the language has no function.
    fn split_words(&mut self, inst: Inst, number: Expr, ty: NumberType) -> Expr {
        let number = self.fixed(number, Role::Value, inst);
        let bits = Expr::atom(Token::new(Class::Number, "32"), NumberType::scalar(Kind::Uint));
        let high = self.infix(inst, ">>", Prec::Shift, vec![number.clone(), bits], ADDRESS);
        let parts = [number, high].map(|part| self.construct(inst, ty.with_components(1), vec![part]));
        self.construct(inst, ty, parts.into())
    }
}
