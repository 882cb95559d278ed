//! Answers of GLSL about paths into memory, addresses, loads and stores.

use super::{Glsl, builtins, places};
use crate::dialect::{Access, Pointers, is_nonuniform, marked_index, number_of_address};
use crate::expr::{Expr, Prec, Token, begun, punct};
use crate::func::FuncWriter;
use crate::language::Version;
use crate::module::ModuleWriter;
use crate::number::ADDRESS;
use crate::number::{Kind, NumberType};
use crate::paths::{ElementStep, PathText, SystemValue, bracketed};
use rustc_hash::FxHashMap;
use vitrine_ir::ops::{Builtin, Key};
use vitrine_ir::{Anchor, Inst, Mode, Module, Struct, Type, TypeData, Var};
use vitrine_text::Class;

/// The extension of indices that differ between invocations.
const NONUNIFORM: &str = "GL_EXT_nonuniform_qualifier";

impl Access for Glsl {
    fn var_path(&self, f: &mut FuncWriter<'_, '_>, var: Var, mode: Mode, ty: Type) -> PathText {
        if let Some(name) = f.w.glsl_vertices(var) {
            let array = vec![Token::linked(Class::Name, name, Anchor::Var(var))];
            return PathText { root: Some(var), ..PathText::new(array, ty, mode) };
        }
        if f.w.open_blocks.contains_key(&var) {
            // Its members are names of their own.
            f.w.declare_var(var);
            return f.path_from(var, mode, ty, Vec::new());
        }
        f.named_var(var, mode, ty)
    }

    fn system_value(&self, f: &mut FuncWriter<'_, '_>, place: SystemValue) -> Option<PathText> {
        let SystemValue { var, mode, ty, value, .. } = place;
        let found = match self.0 {
            Version::Vulkan => builtins::find(value, mode, f.w.stage),
            version => builtins::find_es(version, value, mode, f.w.stage),
        };
        let found = f.w.es_ignored(found?);
        f.w.extensions.extend(found.extension);
        f.w.own.glsl.invariants.extend((place.is_invariant && mode == Mode::Out).then_some(found.name));
        let token = Token::linked(Class::Name, found.name, Anchor::Var(var));
        let mut tokens = begun(token);
        if value == Builtin::SampleMask && f.w.number_type(ty).is_some() {
            // Some front ends declare the first word alone.
            tokens.extend([punct("["), Token::new(Class::Number, "0"), punct("]")]);
        }
        let text = PathText { builtin: Some(found.ty), root: Some(var), ..PathText::new(tokens, ty, mode) };
        Some(value_of_vertex(f.w, var, place.before, text))
    }

    fn member(
        &self,
        f: &mut FuncWriter<'_, '_>,
        text: &mut PathText,
        (structure, at): (Struct, usize),
        ty: Type,
    ) -> Option<()> {
        let root = text.root.filter(|_| text.tokens.is_empty());
        let Some(open) = root.and_then(|var| f.w.open_blocks.get(&var).cloned()) else {
            return f.named_member(text, (structure, at), ty);
        };
        f.append_member(text, (structure, at), open.get(at)?.clone(), ty);
        Some(())
    }

    fn own_element(
        &self,
        f: &mut FuncWriter<'_, '_>,
        text: &mut PathText,
        step: ElementStep,
    ) -> Option<bool> {
        let ElementStep { inst, index, element } = step;
        if let (Some(reference), Some(stride)) = (text.pointer.take(), f.w.glsl_far_stride(text.ty)) {
            *text = f.glsl_far_element(inst, reference, (element, stride), index)?;
            return Some(true);
        }
        note_size(f, text, index);
        if self.0.is_es() && f.es_refuses_index(inst, text, index) {
            return None;
        }
        if *f.w.module.type_of(element) == TypeData::AccelStruct {
            f.w.extensions.insert(NONUNIFORM);
        }
        Some(false)
    }

    fn index(&self, f: &mut FuncWriter<'_, '_>, text: &PathText, step: ElementStep) -> Expr {
        let index = match f.glsl_vertex_index(text, step.index) {
            Some(own) => own,
            None => f.index_in(step.index, text.ty),
        };
        if text.member.is_some() || !is_nonuniform(f, step) {
            return index;
        }
        f.w.extensions.insert(NONUNIFORM);
        marked_index(f, text, step, index, "nonuniformEXT")
    }

    fn element(&self, f: &mut FuncWriter<'_, '_>, text: &mut PathText, step: ElementStep, index: Expr) {
        if let Some(member) = text.member.take() {
            text.tokens.extend(bracketed(index.tokens));
            text.tokens.push(punct("."));
            text.tokens.extend(member);
            text.ty = step.element;
            return;
        }
        let row = f.w.es_row_step(text.ty);
        f.append_element(text, step, index, row);
    }

    fn own_store(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, text: &PathText) -> bool {
        f.glsl_refuses_vertex(inst, text)
    }

    fn array_length(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, text: PathText) {
        let mut tokens = text.tokens;
        let length = Token::linked(Class::Op, "length", f.anchor(inst));
        tokens.extend([punct("."), length, punct("("), punct(")")]);
        f.define(inst, Expr::new(tokens, Prec::Postfix, NumberType::scalar(Kind::Int)));
    }

    fn copied(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, from: PathText) -> Vec<Token> {
        f.glsl_elements(inst, &from).unwrap_or(from.tokens)
    }

    fn pointers(&self) -> Option<&dyn Pointers> {
        match self.0 {
            Version::Vulkan => Some(self),
            Version::Es300 | Version::Es310 => None,
        }
    }

    fn places(&self, module: &Module, used: &[Var]) -> FxHashMap<Var, String> {
        places::places(self.0, module, used)
    }
}

impl Pointers for Glsl {
    fn type_name(&self, w: &mut ModuleWriter<'_>, to: Type) -> Option<String> {
        w.glsl_reference(to).map(|name| name.to_string())
    }

    fn memory_at(&self, f: &mut FuncWriter<'_, '_>, pointer: Vec<Token>, to: Type) -> PathText {
        f.w.glsl_at_reference(pointer, to)
    }

    fn cast(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, type_name: String, bits: Expr) -> Vec<Token> {
        f.call(inst, type_name, vec![bits], ADDRESS).tokens
    }

    fn joined(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, words: Expr) -> Expr {
        f.w.extensions.insert("GL_EXT_shader_explicit_arithmetic_types_int64");
        f.call(inst, "packUint2x32", vec![words], ADDRESS)
    }

    fn as_number(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, address: Expr, components: u8) -> Expr {
        let number = f.w.glsl_address_number();
        number_of_address(f, inst, address, components, [number, "unpackUint2x32"])
    }

    fn step(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, base: Inst, index: Inst) -> Option<PathText> {
        let whole = f.memory_of_pointer(base)?;
        let stride = f.body.inst(inst).attrs.get(Key::Stride).filter(|&stride| stride > 0);
        let can_step = f.w.glsl_can_step(whole.ty, stride);
        let mut pointer = whole.pointer?;
        if !can_step {
            let number = f.w.glsl_address_number();
            return f.far_step(inst, number, (pointer, whole.ty), index);
        }
        let index = f.count(index);
        pointer.extend(bracketed(index.tokens));
        Some(self.memory_at(f, pointer, whole.ty))
    }

    fn address_of(&self, _f: &mut FuncWriter<'_, '_>, text: PathText) -> Option<Expr> {
        Some(Expr::new(text.pointer?, Prec::Postfix, ADDRESS))
    }
}

/// The path of a system value that vertices or primitives have as a member, which follows the index of one of them.
fn value_of_vertex(
    w: &ModuleWriter<'_>,
    var: Var,
    before: Option<Vec<Token>>,
    mut text: PathText,
) -> PathText {
    let Some(array) = w.glsl_vertices(var) else { return text };
    match before {
        None => {
            let array = vec![Token::linked(Class::Name, array, Anchor::Var(var))];
            PathText { member: Some(text.tokens), tokens: array, ..text }
        }
        Some(mut vertex) if !vertex.is_empty() => {
            vertex.push(punct("."));
            vertex.append(&mut text.tokens);
            PathText { tokens: vertex, ..text }
        }
        Some(_) => text,
    }
}

/// Notes the length of a system value that is indexed by a value known at run time: the declaration has to state it.
fn note_size(f: &mut FuncWriter<'_, '_>, text: &PathText, index: Inst) {
    const SIZED: [&str; 2] = ["gl_ClipDistance", "gl_CullDistance"];
    let [token] = &text.tokens[..] else { return };
    let name = SIZED.iter().find(|&&name| token.text.as_str() == name);
    let count = f.w.module.element_count(text.ty);
    let is_computed = f.body.const_of(index).is_none();
    if let (Some(&name), Some(count), true, true) = (name, count, text.builtin.is_some(), is_computed) {
        let word = if text.mode == Mode::In { "in" } else { "out" };
        f.w.own.glsl.sized_values.insert(name, (word, count));
    }
}
