//! Answers of MSL about paths into memory, addresses, loads and stores.

use super::{Msl, places};
use crate::dialect::{Access, Pointers, number_of_address};
use crate::expr::{Expr, Prec, Token, begun, punct, ungrouped};
use crate::func::FuncWriter;
use crate::module::ModuleWriter;
use crate::number::ADDRESS;
use crate::number::NumberType;
use crate::paths::{ElementStep, PathText, SystemValue, bracketed};
use rustc_hash::FxHashMap;
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{Builtin, Key};
use vitrine_ir::{Inst, Mode, Module, Struct, Type, TypeData, Var};
use vitrine_text::Class;

/// The type of an address as one number.
const NUMBER: &str = "ulong";

impl Access for Msl {
    fn var_path(&self, f: &mut FuncWriter<'_, '_>, var: Var, mode: Mode, ty: Type) -> PathText {
        f.msl_var_path(var, mode, ty)
    }

    fn system_value(&self, f: &mut FuncWriter<'_, '_>, place: SystemValue) -> Option<PathText> {
        let SystemValue { inst, var, mode, ty, value, .. } = place;
        if let Some((tokens, found)) = f.w.msl_port(f.func, var, Some(value)) {
            let text = f.msl_path(tokens, ty, mode, Some(var));
            return Some(PathText { builtin: Some(found), ..text });
        }
        if value != Builtin::HelperInvocation {
            return None;
        }
        let text = f.msl_helper(inst, ty, mode);
        Some(PathText { builtin: Some(NumberType::BOOL), ..text })
    }

    fn param_path(&self, f: &mut FuncWriter<'_, '_>, name: Token, ty: Type, mode: Mode) -> PathText {
        match f.w.is_kernel_argument(f.func) {
            true => f.kernel_argument_path(name, ty, mode),
            false => PathText::new(begun(name), ty, mode),
        }
    }

    fn member(
        &self,
        f: &mut FuncWriter<'_, '_>,
        text: &mut PathText,
        member: (Struct, usize),
        ty: Type,
    ) -> Option<()> {
        f.msl_member(text, member, ty)
    }

    fn own_element(
        &self,
        f: &mut FuncWriter<'_, '_>,
        text: &mut PathText,
        step: ElementStep,
    ) -> Option<bool> {
        let is_one = text.is_one_number() && f.is_mask(text);
        if is_one {
            text.ty = step.element;
        }
        Some(is_one)
    }

    fn column_of_rows(
        &self,
        w: &mut ModuleWriter<'_>,
        matrix: &PathText,
        index: &Expr,
    ) -> Option<Vec<Token>> {
        let mut column = Vec::new();
        if w.msl_padding(matrix.ty, matrix.packed).is_some() {
            column.extend([punct("."), Token::new(Class::Plain, "value")]);
        }
        column.extend(bracketed(index.tokens.clone()));
        Some(column)
    }

    fn element(&self, f: &mut FuncWriter<'_, '_>, text: &mut PathText, step: ElementStep, index: Expr) {
        f.msl_element(step.inst, text, index, step.index, step.element);
    }

    fn loaded(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, text: PathText, ty: NumberType) -> Option<Expr> {
        let expr = f.loaded_number(inst, text, ty);
        Some(f.msl_widened(inst, expr))
    }

    fn store(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, text: PathText, ty: NumberType, value: Expr) {
        let is_packed = text.packed && text.column.is_none() && ty.components > 1;
        match f.body.inst(inst).attrs.get(Key::Mask).filter(|_| is_packed) {
            Some(mask) => {
                let target = Expr::new(text.tokens, Prec::Postfix, ty);
                f.msl_packed_store(inst, &target, value, mask);
            }
            None => f.store_number(inst, text, ty, value),
        }
    }

    fn array_length(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, text: PathText) {
        f.msl_length(inst, &text);
    }

    fn pointers(&self) -> Option<&dyn Pointers> {
        Some(self)
    }

    fn places(&self, module: &Module, used: &[Var]) -> FxHashMap<Var, String> {
        places::places(module, used)
    }
}

/// Pointers are in the address space of buffers.
impl Pointers for Msl {
    fn type_name(&self, w: &mut ModuleWriter<'_>, to: Type) -> Option<String> {
        w.msl_pointer_name(to)
    }

    fn memory_at(&self, f: &mut FuncWriter<'_, '_>, pointer: Vec<Token>, to: Type) -> PathText {
        let mut tokens = vec![punct("(")];
        // Elements are counted from the pointer.
        if !is_array(f.w.module, to) {
            tokens.push(Token::new(Class::Op, "*"));
        }
        tokens.extend(pointer);
        tokens.push(punct(")"));
        f.msl_path(tokens, to, Mode::Physical, None)
    }

    fn cast(&self, _f: &mut FuncWriter<'_, '_>, _inst: Inst, type_name: String, bits: Expr) -> Vec<Token> {
        let mut tokens = vec![punct("("), Token::new(Class::Type, type_name), punct(")")];
        tokens.extend(bits.at_least(Prec::Postfix).tokens);
        tokens
    }

    fn joined(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, words: Expr) -> Expr {
        f.call(inst, "as_type<ulong>", vec![words], ADDRESS)
    }

    fn as_number(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, address: Expr, components: u8) -> Expr {
        number_of_address(f, inst, address, components, [NUMBER, "as_type<uint2>"])
    }

    fn step(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, base: Inst, index: Inst) -> Option<PathText> {
        if let Some(text) = f.kernel_argument_step(inst, base, index) {
            return Some(text);
        }
        let is_at_pointer = |text: &PathText| text.mode == Mode::Physical && text.root.is_none();
        let whole = f.path(base).filter(|text| is_at_pointer(text) || has_own_address(text))?;
        let mode = whole.mode;
        if !f.msl_can_step(whole.ty, f.body.inst(inst).attrs.get(Key::Stride)) {
            let is_whole = mode == Mode::Physical && !whole.packed && whole.column.is_none();
            let pointer = address(whole.tokens);
            return f.far_step(inst, NUMBER, (pointer, whole.ty), index).filter(|_| is_whole);
        }
        let index = f.count(index);
        let pointer = address(whole.tokens);
        let is_name = pointer.len() == 1;
        let mut tokens = if is_name { Vec::new() } else { vec![punct("(")] };
        tokens.extend(pointer);
        if !is_name {
            tokens.push(punct(")"));
        }
        tokens.extend(bracketed(index.tokens));
        Some(f.msl_path(tokens, whole.ty, mode, None))
    }

    fn address_of(&self, _f: &mut FuncWriter<'_, '_>, text: PathText) -> Option<Expr> {
        Some(Expr::new(address(text.tokens), Prec::Prefix, ADDRESS))
    }
}

impl FuncWriter<'_, '_> {
    /// Returns true if the language counts elements of a type by this stride.
    pub(super) fn msl_can_step(&self, ty: Type, stride: Option<u64>) -> bool {
        let module = self.w.module;
        let natural = match self.w.number_type(ty) {
            // A vector of three components takes the room of four.
            Some(ty) => {
                let components = u64::from(ty.components.next_power_of_two());
                components * u64::from(ty.width.bits()).div_ceil(8)
            }
            None => Sizes::default().of(module, module, ty).bytes,
        };
        !is_array(module, ty) && stride.is_none_or(|stride| stride == natural || stride == 0)
    }
}

fn is_array(module: &Module, ty: Type) -> bool {
    matches!(module.type_of(ty), TypeData::Array { .. } | TypeData::RuntimeArray { .. })
}

/// Returns true for memory of an invocation and of a workgroup, which have addresses here.
fn has_own_address(text: &PathText) -> bool {
    let is_own = matches!(text.mode, Mode::Local | Mode::Private | Mode::Shared);
    is_own && text.column.is_none() && text.builtin.is_none() && !text.packed
}

/// The address of a path: the pointer itself if the path is all that it points to.
pub(super) fn address(path: Vec<Token>) -> Vec<Token> {
    let inner = ungrouped(path.clone());
    match inner.first() {
        Some(first) if first.text.as_str() == "*" && inner.len() < path.len() => {
            inner.into_iter().skip(1).collect()
        }
        // A pointer to an array is one to its first element.
        Some(_) if inner.len() < path.len() => inner,
        _ => [Token::new(Class::Op, "&")].into_iter().chain(path).collect(),
    }
}
