//! Paths of languages like C: the text of a variable, a member, an element.
//!
//! A path is written where it is used. Refuses addresses that are computed.

use super::expr::{Token, begun, punct};
use super::func::FuncWriter;
use super::glsl::builtins;
use super::hlsl::BytePlace;
use super::language::{Language, Version};
use super::number::{Kind, NumberType};
use super::operands::STEPS;
use super::values::COMPONENTS;
use super::wgsl::AtomicPlace;
use crate::ir::{Anchor, Help, Inst, Mode, Type, TypeData, Var};
use crate::ops::{BasicOp, Builtin, DerefOp, Flags, Key, Op};
use crate::text::Class;
use std::rc::Rc;

/// A path as text.
#[derive(Clone, Debug)]
pub(super) struct PathText {
    pub(super) tokens: Vec<Token>,
    pub(super) ty: Type,
    pub(super) mode: Mode,
    /// The type of the numbers, if it is a system value, whose type the language decides.
    pub(super) builtin: Option<NumberType>,
    pub(super) root: Option<Var>,
    /// The name of the local variable that is the whole path.
    pub(super) whole: Option<Rc<str>>,
    /// The kind of number that atomics access there, in a language that states it.
    pub(super) atomic: Option<Kind>,
    /// The index of the column of a matrix that is stored by rows, in a language without such matrices: a component of the
    /// column is an element of each row.
    pub(super) column: Option<Vec<Token>>,
    /// The reference that the path is the memory of, in a language that has no other address.
    pub(super) pointer: Option<Vec<Token>>,
    /// Vectors there are packed, in a language that has such types.
    pub(super) packed: bool,
    /// The place in a buffer that is accessed by bytes, of which `tokens` are the name.
    pub(super) bytes: Option<BytePlace>,
    /// The system value that is a member of each element of the array, in GLSL.
    pub(super) member: Option<Vec<Token>>,
    /// It is an input of each vertex of a primitive, in a language in which each is an array.
    pub(super) vertices: bool,
    /// A step to a member of the block of its buffer was made.
    pub(super) is_in_block: bool,
    /// It is no part of a buffer and of a structure: elements of arrays follow each other without gaps.
    pub(super) is_plain: bool,
}

impl PathText {
    /// A path to memory of the program.
    pub(super) fn new(tokens: Vec<Token>, ty: Type, mode: Mode) -> PathText {
        PathText {
            tokens,
            ty,
            mode,
            builtin: None,
            root: None,
            whole: None,
            pointer: None,
            atomic: None,
            column: None,
            packed: false,
            bytes: None,
            member: None,
            vertices: false,
            is_in_block: false,
            is_plain: !matches!(mode, Mode::Uniform | Mode::Storage | Mode::Push),
        }
    }
}

impl FuncWriter<'_, '_> {
    /// A path as text. `None` if it was refused.
    pub(super) fn path(&mut self, path: Inst) -> Option<PathText> {
        let mut steps = std::mem::take(&mut self.steps);
        steps.clear();
        let text = self.path_of_steps(path, &mut steps);
        self.steps = steps;
        text
    }

    fn path_of_steps(&mut self, path: Inst, steps: &mut Vec<Inst>) -> Option<PathText> {
        let mut at = path;
        let mut text = loop {
            let data = self.body.inst(at);
            match data.op {
                Op::Deref(DerefOp::Var) => break self.var_path(at, data.entity(Key::Var)?)?,
                Op::Basic(BasicOp::Param) => break self.param_path(at)?,
                Op::Deref(DerefOp::Field | DerefOp::Elem) => steps.push(at),
                Op::Basic(BasicOp::Copy) => {}
                _ => {
                    if let Some(found) = self.pointer_path(at) {
                        break found;
                    }
                    let address =
                        self.w.dialect.refusal(data.op).filter(|_| data.op == Op::Deref(DerefOp::FromBits));
                    match address {
                        Some(reason) => self.refuse(at, reason, ""),
                        None => self.refuse(
                            at,
                            "it is a pointer that is computed",
                            Help::text("pass")
                                .pass("qptr-lower")
                                .then(", then")
                                .pass("qptr-lift")
                                .then(", may remove it"),
                        ),
                    }
                    return None;
                }
            }
            if steps.len() > STEPS {
                self.refuse(
                    path,
                    format!("its path has more than {STEPS} steps"),
                    "use fewer levels of types",
                );
                return None;
            }
            at = *data.args.first()?;
        };
        // A point and a name for most steps.
        text.tokens.reserve(2 * steps.len());
        for step in steps.drain(..).rev() {
            self.step(step, &mut text)?;
        }
        Some(text)
    }

    fn var_path(&mut self, inst: Inst, var: Var) -> Option<PathText> {
        let data = self.w.module.var(var)?;
        if data.mode == Mode::Local {
            let name = self.local(var);
            let token = Token::linked(Class::Name, name.clone(), Anchor::Var(var));
            return Some(PathText {
                root: Some(var),
                whole: Some(name),
                ..PathText::new(begun(token), data.ty, data.mode)
            });
        }
        let vertices = self.w.glsl_vertices(var);
        if let Some(value) = data.attrs.word::<Builtin>() {
            let is_invariant = data.attrs.has(Key::Invariant);
            let text = self.builtin_path(inst, var, data.mode, (data.ty, is_invariant), value)?;
            let Some(name) = vertices else { return Some(text) };
            let array = vec![Token::linked(Class::Name, name, Anchor::Var(var))];
            return Some(PathText { member: Some(text.tokens), tokens: array, ..text });
        }
        if let Some(name) = vertices {
            let array = vec![Token::linked(Class::Name, name, Anchor::Var(var))];
            return Some(PathText { root: Some(var), ..PathText::new(array, data.ty, data.mode) });
        }
        if self.w.language == Language::Msl {
            return Some(self.msl_var_path(var, data.mode, data.ty));
        }
        if let (Language::Hlsl, Some((name, found))) = (self.w.language, self.w.hlsl_port(var, None)) {
            return Some(PathText {
                builtin: Some(found),
                root: Some(var),
                vertices: self.w.hlsl_has_vertices(var),
                ..PathText::new(vec![Token::linked(Class::Name, name, Anchor::Var(var))], data.ty, data.mode)
            });
        }
        if let (Language::Wgsl, Mode::In | Mode::Out) = (self.w.language, data.mode) {
            return self.wgsl_interface_path(var, data.mode, data.ty);
        }
        // Of other blocks the declaration is refused.
        if let (Language::Hlsl, Some(of)) = (self.w.language, self.w.hlsl_vertex(var))
            && self.is_builtin_block(of)
        {
            let text = PathText::new(Vec::new(), data.ty, data.mode);
            return Some(PathText { root: Some(var), vertices: true, ..text });
        }
        // The members of a block of system values are names of their own.
        let is_open = self.w.open_blocks.contains_key(&var);
        if is_open {
            self.w.declare_var(var);
        }
        let tokens = match is_open || self.is_builtin_block(data.ty) {
            true => Vec::new(),
            false if self.w.language == Language::Hlsl => self.hlsl_var_path(var),
            false => begun(Token::linked(Class::Name, self.w.var_name(var), Anchor::Var(var))),
        };
        let (ty, mode) = (data.ty, data.mode);
        let atomic = self.w.atomic_kind(AtomicPlace::Var(var), ty);
        Some(PathText { root: Some(var), atomic, ..PathText::new(tokens, ty, mode) })
    }

    /// An input or output of the entry point. Those without a location are blocks of system values.
    fn wgsl_interface_path(&mut self, var: Var, mode: Mode, ty: Type) -> Option<PathText> {
        let mut text = PathText { root: Some(var), ..PathText::new(Vec::new(), ty, mode) };
        match self.w.wgsl_port(var, None) {
            Some((name, _)) => text.tokens.push(Token::linked(Class::Name, name, Anchor::Var(var))),
            None if self.is_builtin_block(ty) => {}
            // Refused with the declarations.
            None => text.tokens.push(Token::linked(Class::Name, self.w.var_name(var), Anchor::Var(var))),
        }
        Some(text)
    }

    pub(super) fn is_builtin_block(&self, ty: Type) -> bool {
        let TypeData::Struct(structure) = *self.w.module.type_of(ty) else { return false };
        let members = self.w.module.structure(structure).map(|data| data.members.clone());
        members.iter().flat_map(|members| members.iter()).any(|member| member.attrs.has(Key::BuiltIn))
    }

    fn builtin_path(
        &mut self,
        inst: Inst,
        var: Var,
        mode: Mode,
        (ty, is_invariant): (Type, bool),
        value: Builtin,
    ) -> Option<PathText> {
        if let (Language::Hlsl, Some(expr)) = (self.w.language, self.hlsl_wave_value(value)) {
            // The rows of a matrix are steps of the path.
            let is_number = self.w.number_type(ty).is_some();
            let (tokens, builtin) = (expr.tokens, is_number.then_some(expr.ty));
            return Some(PathText { builtin, root: Some(var), ..PathText::new(tokens, ty, mode) });
        }
        if self.w.language == Language::Wgsl
            && mode == Mode::In
            && let Some(zero) = self.w.wgsl_zero(value)
        {
            let builtin = Some(NumberType::scalar(Kind::Int));
            return Some(PathText { builtin, root: Some(var), ..PathText::new(vec![zero], ty, mode) });
        }
        let port = match self.w.language {
            Language::Glsl(_) | Language::Msl => None,
            Language::Wgsl => self.w.wgsl_port(var, Some(value)),
            Language::Hlsl => self.w.hlsl_port(var, Some(value)),
        };
        if let Some((name, found)) = port {
            let tokens = vec![Token::linked(Class::Name, name, Anchor::Var(var))];
            let is_array = self.w.language == Language::Wgsl && self.w.wgsl_is_array_port(var, value);
            let builtin = (!is_array).then_some(found);
            let vertices = self.w.language == Language::Hlsl && self.w.hlsl_has_vertices(var);
            return Some(PathText { builtin, root: Some(var), vertices, ..PathText::new(tokens, ty, mode) });
        }
        if let (Language::Msl, Some((tokens, found))) =
            (self.w.language, self.w.msl_port(self.func, var, Some(value)))
        {
            let text = self.msl_path(tokens, ty, mode, Some(var));
            return Some(PathText { builtin: Some(found), ..text });
        }
        if self.w.language == Language::Msl && value == Builtin::HelperInvocation {
            let text = self.msl_helper(inst, ty, mode);
            return Some(PathText { builtin: Some(NumberType::BOOL), ..text });
        }
        let found = match self.w.language {
            Language::Glsl(Version::Vulkan) => builtins::find(value, mode, self.w.stage),
            Language::Glsl(version) => builtins::find_es(version, value, mode, self.w.stage),
            Language::Wgsl | Language::Msl | Language::Hlsl => None,
        };
        let Some(found) = found else {
            let name = value.name();
            self.refuse(inst, format!("it has no system value `{name}` here"), "");
            return None;
        };
        let found = self.w.es_ignored(found);
        self.w.extensions.extend(found.extension);
        self.w.invariants.extend((is_invariant && mode == Mode::Out).then_some(found.name));
        let token = Token::linked(Class::Name, found.name, Anchor::Var(var));
        Some(PathText { builtin: Some(found.ty), root: Some(var), ..PathText::new(begun(token), ty, mode) })
    }

    fn param_path(&mut self, inst: Inst) -> Option<PathText> {
        let data = self.body.inst(inst);
        let (Some(ty), Some(mode)) = (data.entity::<Type>(Key::Type), data.attrs.word::<Mode>()) else {
            self.refuse(
                inst,
                "the type that it points at is not known",
                Help::by_pass("inline-functions", "removes it"),
            );
            return None;
        };
        let super::func::Slot::Name(name, _) = self.slots[inst].clone() else {
            self.refuse(
                inst,
                "a block has a path as a parameter",
                Help::text("pass")
                    .pass("inline-functions")
                    .then("or")
                    .pass("copy-prop")
                    .then("may remove it"),
            );
            return None;
        };
        let token = Token::linked(Class::Name, name, self.anchor(inst));
        if self.w.is_kernel_argument(self.func) {
            return Some(self.kernel_argument_path(token, ty, mode));
        }
        let is_pointer = self.w.language == Language::Wgsl && mode != Mode::Handle;
        let tokens = match is_pointer {
            true => vec![punct("("), Token::new(Class::Op, "*"), token, punct(")")],
            false => begun(token),
        };
        Some(PathText::new(tokens, ty, mode))
    }

    /// Notes the length of a system value that is indexed by a value known at run time: GLSL takes it from the declaration.
    fn note_size(&mut self, text: &PathText, index: Inst) {
        const SIZED: [&str; 2] = ["gl_ClipDistance", "gl_CullDistance"];
        let [token] = &text.tokens[..] else { return };
        let name = SIZED.iter().find(|&&name| token.text.as_str() == name);
        let count = self.w.module.element_count(text.ty);
        let is_computed = self.body.const_of(index).is_none();
        if let (Some(&name), Some(count), true, true) =
            (name, count, self.w.language.is_glsl() && text.builtin.is_some(), is_computed)
        {
            let word = if text.mode == Mode::In { "in" } else { "out" };
            self.w.sized_values.insert(name, (word, count));
        }
    }

    fn step(&mut self, step: Inst, text: &mut PathText) -> Option<()> {
        text.whole = None;
        let reference = text.pointer.take();
        let data = self.body.inst(step);
        if let Op::Deref(DerefOp::Field) = data.op {
            text.is_plain = false;
            let TypeData::Struct(structure) = *self.w.module.type_of(text.ty) else { return None };
            let at = data.attrs.get(Key::Field)? as usize;
            let member = self.w.module.structure(structure)?.members.get(at)?;
            let (ty, builtin) = (member.ty, member.attrs.word::<Builtin>());
            let is_invariant = member.attrs.has(Key::Invariant);
            if let (Some(value), Some(var)) = (builtin, text.root) {
                let mut vertex = std::mem::take(&mut text.tokens);
                *text = self.builtin_path(step, var, text.mode, (ty, is_invariant), value)?;
                if std::mem::take(&mut text.vertices) {
                    text.tokens.append(&mut vertex);
                    return Some(());
                }
                if !vertex.is_empty() && self.w.glsl_vertices(var).is_some() {
                    vertex.push(punct("."));
                    vertex.append(&mut text.tokens);
                    text.tokens = vertex;
                }
                return Some(());
            }
            if self.w.language == Language::Msl {
                let place = (structure, at);
                return self.msl_member(text, place, ty);
            }
            if self.w.language == Language::Hlsl && self.hlsl_member(text, structure, at) {
                text.ty = ty;
                return Some(());
            }
            let root = text.root.filter(|_| text.tokens.is_empty());
            let open = root.and_then(|var| self.w.open_blocks.get(&var).cloned());
            let names = open.clone().unwrap_or_else(|| self.w.member_names(structure));
            let token =
                Token::linked(Class::Plain, names.get(at)?.clone(), Anchor::Member(structure, at as u32));
            if open.is_none() {
                text.tokens.push(punct("."));
            }
            text.tokens.push(token);
            text.ty = ty;
            text.atomic = self.w.atomic_kind(AtomicPlace::Member(structure, at as u32), ty);
            return Some(());
        }
        let index = *data.args.get(1)?;
        let element = self.w.module.element_type(text.ty)?;
        if let (true, Some(reference), Some(stride)) =
            (self.w.language.is_glsl(), reference, self.w.glsl_far_stride(text.ty))
        {
            *text = self.glsl_far_element(step, reference, (element, stride), index)?;
            return Some(());
        }
        if std::mem::take(&mut text.vertices) {
            let expr = self.index_in(index, text.ty);
            text.tokens.extend(bracketed(expr.tokens));
            text.ty = element;
            return Some(());
        }
        self.note_size(text, index);
        let is_one = text.builtin.is_some_and(|ty| ty.components == 1);
        let is_number = match self.w.language {
            Language::Wgsl | Language::Hlsl => true,
            Language::Msl => self.is_mask(text),
            Language::Glsl(_) => false,
        };
        if is_one && is_number {
            // The mask of samples is one number here.
            text.ty = element;
            return Some(());
        }
        if let Some(mut place) = text.bytes.take() {
            self.hlsl_byte_step(&mut place, text.ty, index)?;
            text.bytes = Some(place);
            text.ty = element;
            return Some(());
        }
        let is_resource = text.mode == Mode::Handle;
        if self.w.es().is_some() && self.es_refuses_index(step, text, index) {
            return None;
        }
        if self.w.language.is_glsl() && *self.w.module.type_of(element) == TypeData::AccelStruct {
            self.w.extensions.insert("GL_EXT_nonuniform_qualifier");
        }
        let own = self.glsl_vertex_index(text, index);
        let mut expr = match own {
            Some(own) => own,
            None => self.index_in(index, text.ty),
        };
        if let Some(member) = text.member.take() {
            text.tokens.extend(bracketed(expr.tokens));
            text.tokens.push(punct("."));
            text.tokens.extend(member);
            text.ty = element;
            return Some(());
        }
        // A constant is the same for all invocations, whatever it was before.
        let is_marked = self.body.const_of(index).is_none()
            && (data.flags.has(Flags::NONUNIFORM) || self.body.inst(index).flags.has(Flags::NONUNIFORM));
        if is_marked && !matches!(self.w.language, Language::Msl | Language::Wgsl) {
            self.w.extensions.insert("GL_EXT_nonuniform_qualifier");
            let ty = expr.ty;
            if is_resource
                || matches!(
                    self.w.module.type_of(text.ty),
                    TypeData::Array { .. } | TypeData::RuntimeArray { .. }
                )
            {
                let is_hlsl = self.w.language == Language::Hlsl;
                let name = if is_hlsl { "NonUniformResourceIndex" } else { "nonuniformEXT" };
                expr = self.call(index, name, vec![expr], ty);
            }
        }
        if let (Language::Wgsl | Language::Msl, TypeData::Matrix { row_major: true, .. }) =
            (self.w.language, self.w.module.type_of(text.ty))
        {
            let mut column = Vec::new();
            if self.w.language == Language::Msl && self.w.msl_padding(text.ty, text.packed).is_some() {
                column.extend([punct("."), Token::new(Class::Plain, "value")]);
            }
            column.extend(bracketed(expr.tokens));
            text.column = Some(column);
            text.ty = element;
            return Some(());
        }
        if let Some(column) = text.column.take() {
            text.tokens.extend(bracketed(expr.tokens));
            text.tokens.extend(column);
            text.ty = element;
            return Some(());
        }
        if self.w.language == Language::Msl {
            self.msl_element(step, text, expr, index, element);
            return Some(());
        }
        match self.component_name(text.ty, index) {
            Some(name) => text.tokens.extend([punct("."), Token::new(Class::Plain, name)]),
            None => {
                text.tokens.push(punct("["));
                text.tokens.extend(expr.tokens);
                text.tokens.push(punct("]"));
            }
        }
        text.tokens.extend(self.w.es_row_step(text.ty));
        if self.w.language == Language::Wgsl && !text.is_plain && self.w.wgsl_padding(text.ty).is_some() {
            text.tokens.extend([punct("."), Token::new(Class::Plain, "value")]);
        }
        // An element of an array of vectors is a vector.
        if !matches!(self.w.module.type_of(text.ty), TypeData::Array { .. } | TypeData::Matrix { .. }) {
            text.builtin = text.builtin.map(|ty| ty.with_components(1));
        }
        text.ty = element;
        Some(())
    }

    /// The name of a component of a vector, if the index is a constant of one that exists.
    pub(super) fn component_name(&self, of: Type, index: Inst) -> Option<&'static str> {
        let TypeData::Vector { components, .. } = *self.w.module.type_of(of) else { return None };
        let at = self.w.module.bits_of(self.body.const_of(index)?).component(0).bits();
        COMPONENTS.get(usize::try_from(at).ok()?).copied().filter(|_| at < u64::from(components))
    }

    /// The type of the numbers at a path.
    pub(super) fn number_at(&mut self, inst: Inst, text: &PathText) -> Option<NumberType> {
        let number = text.builtin.or_else(|| self.w.number_type(text.ty));
        let number = match self.w.language {
            Language::Hlsl => number.map(|ty| self.w.hlsl_number(text.root, ty)),
            Language::Glsl(_) | Language::Wgsl | Language::Msl => number,
        };
        match number {
            Some(ty) => Some(text.atomic.map_or(ty, |kind| ty.with_kind(kind))),
            None => {
                self.refuse(
                    inst,
                    "it accesses memory that holds no number",
                    Help::by_pass("lower-var-copies", "splits copies"),
                );
                None
            }
        }
    }
}

/// An index in brackets.
pub(super) fn bracketed(index: Vec<Token>) -> Vec<Token> {
    let mut tokens = vec![punct("[")];
    tokens.extend(index);
    tokens.push(punct("]"));
    tokens
}
