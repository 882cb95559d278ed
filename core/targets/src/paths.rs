//! Paths of languages like C: the text of a variable, a member, an element.
//!
//! A path is written where it is used. Refuses addresses that are computed.

use super::atomic_places::AtomicPlace;
use super::expr::{Expr, Token, begun, punct};
use super::func::FuncWriter;
use super::number::{Kind, NumberType};
use super::operands::STEPS;
use super::values::COMPONENTS;
use std::rc::Rc;
use vitrine_ir::ops::{BasicOp, Builtin, DerefOp, Key, Op};
use vitrine_ir::{Anchor, Help, Inst, Mode, Struct, Type, TypeData, Var};
use vitrine_text::Class;

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
    /// The kind of number that atomics access there, in memory that is declared for it.
    pub(super) atomic: Option<Kind>,
    /// The index of the column of a matrix that is written as its rows: a component of the column is an element of each row.
    pub(super) column: Option<Vec<Token>>,
    /// The reference that the whole path is the memory of; a step ends it.
    pub(super) pointer: Option<Vec<Token>>,
    /// A vector there is packed: it is aligned to its components, which have numbers only.
    pub(super) packed: bool,
    /// The place in memory that is read and written by bytes, of which `tokens` are the name or the address.
    pub(super) bytes: Option<BytePlace>,
    /// The system value that is a member of each element of the array, which `tokens` are.
    pub(super) member: Option<Vec<Token>>,
    /// It is an input that each vertex of a primitive has: the next index is that of the vertex.
    pub(super) vertices: bool,
    /// A step to a member of the block of its buffer was made.
    pub(super) is_in_block: bool,
    /// It is no part of a buffer and of a structure: elements of arrays follow each other without gaps.
    pub(super) is_plain: bool,
}

/// A place in memory that is read and written by bytes.
#[derive(Clone, Debug)]
pub(super) struct BytePlace {
    /// The memory is rows of four words instead of a buffer with functions.
    pub(super) is_rows: bool,
    /// The memory begins at an address instead of that of a buffer.
    pub(super) is_address: bool,
    /// Bytes from the start.
    pub(super) offset: u64,
    /// Products of indices and strides, in bytes, which are added.
    pub(super) terms: Vec<Expr>,
    /// The bytes between two components, if they do not follow each other.
    pub(super) apart: Option<u64>,
}

/// A system value that a path leads to: a variable, or a member of it.
#[derive(Clone, Debug)]
pub(super) struct SystemValue {
    /// The step that leads to it.
    pub(super) inst: Inst,
    pub(super) var: Var,
    pub(super) mode: Mode,
    pub(super) ty: Type,
    /// Every computation of it gives the same bits.
    pub(super) is_invariant: bool,
    pub(super) value: Builtin,
    /// The path before the step to the member: empty, or the vertex or primitive that has the value. `None` for a variable.
    pub(super) before: Option<Vec<Token>>,
}

/// A step to an element.
#[derive(Clone, Copy, Debug)]
pub(super) struct ElementStep {
    /// The step.
    pub(super) inst: Inst,
    /// The index.
    pub(super) index: Inst,
    /// The type of the element.
    pub(super) element: Type,
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

    /// Returns true for a system value of one component in the language, whatever it has in the program.
    pub(super) fn is_one_number(&self) -> bool {
        self.builtin.is_some_and(|ty| ty.components == 1)
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
        let (mode, ty) = (data.mode, data.ty);
        let Some(value) = data.attrs.word::<Builtin>() else {
            return Some(self.w.dialect.var_path(self, var, mode, ty));
        };
        let is_invariant = data.attrs.has(Key::Invariant);
        self.system_value(SystemValue { inst, var, mode, ty, is_invariant, value, before: None })
    }

    /// The path of a variable of the module by its name. The members of a block of system values are names of their own.
    pub(super) fn named_var(&mut self, var: Var, mode: Mode, ty: Type) -> PathText {
        let tokens = match self.is_builtin_block(ty) {
            true => Vec::new(),
            false => begun(Token::linked(Class::Name, self.w.var_name(var), Anchor::Var(var))),
        };
        self.path_from(var, mode, ty, tokens)
    }

    /// The path of tokens that name a variable of the module.
    pub(super) fn path_from(&self, var: Var, mode: Mode, ty: Type, tokens: Vec<Token>) -> PathText {
        let atomic = self.w.atomic_kind(AtomicPlace::Var(var), ty);
        PathText { root: Some(var), atomic, ..PathText::new(tokens, ty, mode) }
    }

    /// Returns true for a structure that has system values as members.
    pub(super) fn is_builtin_block(&self, ty: Type) -> bool {
        let TypeData::Struct(structure) = *self.w.module.type_of(ty) else { return false };
        let members = self.w.module.structure(structure).map(|data| data.members.clone());
        members.iter().flat_map(|members| members.iter()).any(|member| member.attrs.has(Key::BuiltIn))
    }

    /// The path of a system value. `None` if it was refused.
    fn system_value(&mut self, value: SystemValue) -> Option<PathText> {
        let (inst, name) = (value.inst, value.value.name());
        let text = self.w.dialect.system_value(self, value);
        if text.is_none() {
            self.refuse(inst, format!("it has no system value `{name}` here"), "");
        }
        text
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
        let name = Token::linked(Class::Name, name, self.anchor(inst));
        Some(self.w.dialect.param_path(self, name, ty, mode))
    }

    fn step(&mut self, step: Inst, text: &mut PathText) -> Option<()> {
        text.whole = None;
        match self.body.inst(step).op {
            Op::Deref(DerefOp::Field) => self.step_to_member(step, text),
            _ => self.step_to_element(step, text),
        }
    }

    fn step_to_member(&mut self, step: Inst, text: &mut PathText) -> Option<()> {
        text.pointer = None;
        text.is_plain = false;
        let module = self.w.module;
        let TypeData::Struct(structure) = *module.type_of(text.ty) else { return None };
        let at = self.body.inst(step).attrs.get(Key::Field)? as usize;
        let member = module.structure(structure)?.members.get(at)?;
        if let (Some(value), Some(var)) = (member.attrs.word::<Builtin>(), text.root) {
            let before = Some(std::mem::take(&mut text.tokens));
            let (mode, ty, is_invariant) = (text.mode, member.ty, member.attrs.has(Key::Invariant));
            *text =
                self.system_value(SystemValue { inst: step, var, mode, ty, is_invariant, value, before })?;
            return Some(());
        }
        self.w.dialect.member(self, text, (structure, at), member.ty)
    }

    /// Appends a step to a member by its name.
    pub(super) fn named_member(
        &mut self,
        text: &mut PathText,
        (structure, at): (Struct, usize),
        ty: Type,
    ) -> Option<()> {
        let name = self.w.member_names(structure).get(at)?.clone();
        text.tokens.push(punct("."));
        self.append_member(text, (structure, at), name, ty);
        Some(())
    }

    /// Appends the name of a member.
    pub(super) fn append_member(
        &self,
        text: &mut PathText,
        (structure, at): (Struct, usize),
        name: Rc<str>,
        ty: Type,
    ) {
        let at = at as u32;
        text.tokens.push(Token::linked(Class::Plain, name, Anchor::Member(structure, at)));
        text.ty = ty;
        text.atomic = self.w.atomic_kind(AtomicPlace::Member(structure, at), ty);
    }

    fn step_to_element(&mut self, inst: Inst, text: &mut PathText) -> Option<()> {
        let index = *self.body.inst(inst).args.get(1)?;
        let element = self.w.module.element_type(text.ty)?;
        let step = ElementStep { inst, index, element };
        let dialect = self.w.dialect;
        if dialect.own_element(self, text, step)? {
            return Some(());
        }
        text.pointer = None;
        let expr = dialect.index(self, text, step);
        if let TypeData::Matrix { row_major: true, .. } = self.w.module.type_of(text.ty)
            && let Some(column) = dialect.column_of_rows(self.w, text, &expr)
        {
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
        dialect.element(self, text, step, expr);
        Some(())
    }

    /// Appends a component by its name, or an index in brackets; then the step `inner` from the element to its value.
    pub(super) fn append_element(
        &self,
        text: &mut PathText,
        step: ElementStep,
        index: Expr,
        inner: Vec<Token>,
    ) {
        match self.component_name(text.ty, step.index) {
            Some(name) => text.tokens.extend([punct("."), Token::new(Class::Plain, name)]),
            None => {
                text.tokens.push(punct("["));
                text.tokens.extend(index.tokens);
                text.tokens.push(punct("]"));
            }
        }
        text.tokens.extend(inner);
        // An element of an array of vectors is a vector.
        if !matches!(self.w.module.type_of(text.ty), TypeData::Array { .. } | TypeData::Matrix { .. }) {
            text.builtin = text.builtin.map(|ty| ty.with_components(1));
        }
        text.ty = step.element;
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
        let number = number.map(|ty| self.w.dialect.number_in(self.w, text.root, ty));
        match number {
            Some(ty) => Some(text.atomic.map_or(ty, |kind| ty.with_kind(kind))),
            None if matches!(self.w.module.type_of(text.ty), TypeData::Pointer { .. }) => {
                self.refuse(
                    inst,
                    "it accesses memory that holds an address",
                    "pass indices instead of addresses",
                );
                None
            }
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
