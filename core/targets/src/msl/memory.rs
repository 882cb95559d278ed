//! Paths of MSL: variables, members and elements, arguments that are references, lengths of arrays; and constants that the
//! host sets.

use crate::expr::{Expr, Prec, Token, punct, space, words};
use crate::func::FuncWriter;
use crate::module::{ModuleWriter, NO_TYPE};
use crate::number::{Kind, NumberType};
use crate::paths::PathText;
use crate::print::Line;
use crate::stmt::Stmt;
use std::rc::Rc;
use vitrine_ir::layout::Sizes;
use vitrine_ir::ops::{Builtin, DerefOp, Key, Op};
use vitrine_ir::{Anchor, Global, GlobalValue, Help, Inst, Mode, Struct, Type, TypeData, Var};
use vitrine_text::{Class, Link};

impl FuncWriter<'_, '_> {
    /// A path of tokens.
    pub(super) fn msl_path(&self, tokens: Vec<Token>, ty: Type, mode: Mode, root: Option<Var>) -> PathText {
        PathText { root, ..PathText::new(tokens, ty, mode) }
    }

    /// The path of a variable of the module.
    pub(super) fn msl_var_path(&mut self, var: Var, mode: Mode, ty: Type) -> PathText {
        let tokens = match mode {
            Mode::In | Mode::Out => match self.w.msl_port(self.func, var, None) {
                Some((tokens, _)) => tokens,
                None if self.is_builtin_block(ty) => Vec::new(),
                None => {
                    self.w.refuse_undeclared(var);
                    Vec::new()
                }
            },
            _ => vec![Token::linked(Class::Name, self.w.var_name(var), Anchor::Var(var))],
        };
        self.msl_path(tokens, ty, mode, Some(var))
    }

    /// The system value that is true in helper invocations, which is a function.
    pub(super) fn msl_helper(&self, inst: Inst, ty: Type, mode: Mode) -> PathText {
        let name = Token::linked(Class::Op, "simd_is_helper_thread", self.anchor(inst));
        self.msl_path(vec![name, punct("("), punct(")")], ty, mode, None)
    }

    /// Appends a member.
    pub(super) fn msl_member(
        &mut self,
        text: &mut PathText,
        (structure, at): (Struct, usize),
        ty: Type,
    ) -> Option<()> {
        let module = self.w.module;
        let is_array = text.root.is_some_and(|var| {
            self.w.only_array(var).is_some() && module.var(var).is_some_and(|data| data.ty == text.ty)
        });
        if !is_array {
            let names = self.w.member_names(structure);
            let token =
                Token::linked(Class::Plain, names.get(at)?.clone(), Anchor::Member(structure, at as u32));
            text.tokens.extend([punct("."), token]);
        }
        text.ty = ty;
        text.packed = self.w.own.msl.memory.is_packed(module, structure, at);
        Some(())
    }

    /// Appends an element.
    pub(super) fn msl_element(
        &mut self,
        step: Inst,
        text: &mut PathText,
        index: Expr,
        index_value: Inst,
        element: Type,
    ) {
        let is_vector = self.w.number_type(text.ty).is_some();
        let is_buffer = text.root.is_some_and(|var| {
            self.w.array_of_buffers(var).is_some()
                && self.w.module.var(var).is_some_and(|data| data.ty == text.ty)
        });
        let table = text.root.filter(|&var| self.w.module.var(var).is_some_and(|data| data.ty == text.ty));
        let is_table = table.is_some_and(|var| self.w.table_of(var).is_some());
        if is_table && text.mode == Mode::Handle {
            text.tokens.push(Token::linked(Class::Punct, "[", self.anchor(step)));
            text.tokens.extend(index.tokens);
            text.tokens.extend([punct("]"), punct("."), Token::new(Class::Plain, "value")]);
            text.ty = element;
            return;
        }
        if is_buffer || is_table {
            let mut tokens = vec![punct("("), Token::new(Class::Op, "*")];
            tokens.append(&mut text.tokens);
            tokens.push(Token::linked(Class::Punct, "[", self.anchor(step)));
            tokens.extend(index.tokens);
            tokens.push(punct("]"));
            if is_table {
                tokens.extend([punct("."), Token::new(Class::Plain, "value")]);
            }
            tokens.push(punct(")"));
            text.tokens = tokens;
            text.ty = element;
            return;
        }
        // Components of packed vectors have numbers only.
        match self.component_name(text.ty, index_value).filter(|_| !text.packed) {
            Some(name) => text.tokens.extend([punct("."), Token::new(Class::Plain, name)]),
            None => {
                text.tokens.push(Token::linked(Class::Punct, "[", self.anchor(step)));
                text.tokens.extend(index.tokens);
                text.tokens.push(punct("]"));
            }
        }
        if self.w.msl_padding(text.ty, text.packed).is_some() {
            text.tokens.extend([punct("."), Token::new(Class::Plain, "value")]);
        }
        text.packed &= !is_vector;
        text.ty = element;
        text.builtin = text.builtin.map(|ty| ty.with_components(1));
    }

    /// True for the mask of samples, which is one number here.
    pub(super) fn is_mask(&self, text: &PathText) -> bool {
        let value = text.root.and_then(|var| self.w.module.var(var)?.attrs.word());
        value == Some(Builtin::SampleMask)
    }

    /// Assigns components of a packed vector, one by one.
    pub(super) fn msl_packed_store(&mut self, inst: Inst, target: &Expr, value: Expr, mask: u64) {
        let ty = target.ty;
        let value = self.fixed(value, crate::func::Role::Value, inst);
        for component in (0..ty.components).filter(|component| mask >> component & 1 == 1) {
            let part = self.components(inst, value.clone(), &[component], ty.with_components(1));
            let mut tokens = target.tokens.clone();
            tokens.extend([
                punct("["),
                Token::new(Class::Number, component.to_string()),
                punct("]"),
                space(),
            ]);
            tokens.extend([Token::linked(Class::Op, "=", self.anchor(inst)), space()]);
            tokens.extend(part.tokens);
            self.push(Stmt::Simple { tokens, declares: None, assigns: None });
        }
    }

    /// A parameter that is a reference or a resource.
    pub(super) fn msl_param(
        &mut self,
        (name, link): (&Rc<str>, Link),
        ty: Type,
        mode: Mode,
        param: Inst,
    ) -> Vec<Token> {
        let declared = match mode {
            Mode::Local | Mode::Private => self.w.msl_reference("thread", name, link, ty),
            Mode::Shared => self.w.msl_reference("threadgroup", name, link, ty),
            Mode::Storage => self.w.msl_reference("device", name, link, ty),
            Mode::Uniform => self.w.msl_reference("constant", name, link, ty),
            Mode::Handle => self.w.msl_handle_of(None, ty).map(|ty| {
                let mut tokens = words(Class::Type, &ty);
                tokens.extend([space(), Token { text: name.clone().into(), class: Class::Name, link }]);
                tokens
            }),
            _ => None,
        };
        let is_storage = matches!(self.w.module.type_of(ty), TypeData::Image(image) if image.usage == vitrine_ir::Usage::Storage);
        declared.filter(|_| !is_storage).unwrap_or_else(|| {
            let anchor = self.anchor(param);
            let says = format!("the parameter {param} is a resource or refers to memory of a buffer");
            self.w.refuse(NO_TYPE, anchor, says, Help::by_pass("inline-functions", "removes it"));
            Vec::new()
        })
    }

    /// A path as an argument.
    pub(super) fn msl_argument(&mut self, call: Inst, path: Inst, text: PathText) -> Option<PathText> {
        let is_component = match (self.body.inst(path).op, self.body.inst(path).args.first()) {
            (Op::Deref(DerefOp::Elem), Some(&of)) => {
                let of = self.path(of)?;
                self.w.number_type(of.ty).is_some()
            }
            _ => false,
        };
        let is_buffer = match (text.mode, text.root) {
            // A part of a buffer: the whole may be a pointer, or be read only.
            (Mode::Storage | Mode::Uniform, Some(var)) => {
                self.w.only_array(var).is_none() && !self.w.is_constant(var) || text.mode == Mode::Uniform
            }
            _ => false,
        };
        let is_known =
            is_buffer || matches!(text.mode, Mode::Local | Mode::Private | Mode::Shared | Mode::Handle);
        let is_compared = text.root.is_some_and(|var| self.w.own.msl.compared.contains(var));
        if !is_known || is_component || text.column.is_some() || text.packed || is_compared {
            let says =
                "it passes a component, a depth texture or memory that the callee may access otherwise";
            self.refuse(call, says, Help::by_pass("inline-functions", "removes the call"));
            return None;
        }
        Some(text)
    }

    /// The number of elements of an array without a length, from the size of its buffer.
    pub(super) fn msl_length(&mut self, inst: Inst, text: &PathText) {
        let module = self.w.module;
        let uint = NumberType::scalar(Kind::Uint);
        let place =
            text.root.and_then(|var| self.w.own.msl.places.get(&var).copied().map(|(_, at)| (var, at)));
        let found = place.and_then(|(var, at)| {
            let data = module.var(var)?;
            let TypeData::Struct(structure) = *module.type_of(data.ty) else { return None };
            let last = module.structure(structure)?.members.last()?;
            let stride = Sizes::default().stride(module, module, text.ty);
            (last.ty == text.ty).then(|| (at, last.attrs.get(Key::Offset).unwrap_or(0), stride.max(1)))
        });
        let Some((at, offset, stride)) = found else {
            return self.refuse(inst, "the buffer that it measures is not known", "");
        };
        let mut tokens = vec![Token::new(Class::Name, "buffer_bytes"), punct("[")];
        tokens.extend([Token::new(Class::Number, at.to_string()), punct("]")]);
        let mut expr = Expr::new(tokens, Prec::Postfix, uint);
        let number = |value: u64| Expr::atom(Token::new(Class::Number, format!("{value}u")), uint);
        if offset > 0 {
            expr = self.infix(inst, "-", Prec::Sum, vec![expr, number(offset)], uint);
        }
        if stride > 1 {
            expr = self.infix(inst, "/", Prec::Product, vec![expr, number(stride)], uint);
        }
        self.define(inst, expr);
    }
}

impl ModuleWriter<'_> {
    /// The name of the constant that the host may set.
    fn constant_input(&mut self, global: Global) -> Rc<str> {
        let name = self.global_name(global);
        format!("{name}_set").into()
    }

    /// The declaration of the constant that the host may set.
    pub(super) fn msl_function_constant(&mut self, global: Global) -> Option<Line> {
        let data = self.module.global(global)?.clone();
        let id = data.attrs.get(Key::SpecId)?;
        if !matches!(data.value, GlobalValue::Spec(_)) {
            return None;
        }
        let (ty, name) = (self.global_type(global)?, self.constant_input(global));
        let mut tokens = vec![Token::new(Class::Keyword, "constant"), space()];
        tokens.extend(self.number_head(ty, &name, Link::Use(Anchor::Global(global))));
        tokens.extend([space(), Token::new(Class::Attr, format!("[[function_constant({id})]]")), punct(";")]);
        Some(Line::new(0, tokens))
    }

    /// The value of a specialization constant: what the host sets, or the default.
    pub(super) fn msl_constant_value(&mut self, global: Global, default: Vec<Token>) -> Vec<Token> {
        let has_id = self.module.global(global).is_some_and(|data| data.attrs.has(Key::SpecId));
        if !has_id {
            return default;
        }
        let name = self.constant_input(global);
        let name = || Token::linked(Class::Name, name.clone(), Anchor::Global(global));
        let mut tokens =
            vec![Token::new(Class::Op, "is_function_constant_defined"), punct("("), name(), punct(")")];
        tokens.extend([space(), Token::new(Class::Op, "?"), space(), name(), space()]);
        tokens.extend([Token::new(Class::Op, ":"), space()]);
        tokens.extend(default);
        tokens
    }
}
