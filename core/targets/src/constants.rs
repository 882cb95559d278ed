//! Module constants: specialization constants, expressions on them, and initializers of variables.

use super::dialect::{Composite, ConstantPart};
use super::expr::{Token, punct, space};
use super::module::{ModuleWriter, NO_TYPE};
use super::number::{Kind, NumberType};
use super::print::{Line, MOST_COLUMNS};
use super::spell::{Form, Reading, Yield, reading, yields};
use std::rc::Rc;
use vitrine_ir::ops::{Bits, FloatOp, IntOp, Key, Op, ValueType, VectorOp, Width};
use vitrine_ir::{Anchor, Global, GlobalValue, Help, Len, Operand, Type, TypeData};
use vitrine_text::{Class, Link};

/// What is left to write of an initializer.
enum Item {
    Constant(Operand, Type),
    Zero(Type),
    Token(Token),
    /// The parts that follow are those of a structure, or of the variable again.
    Inside(bool),
}

/// The value of a part of an initializer.
enum PartValue {
    /// The whole part.
    Tokens(Vec<Token>),
    /// The values of its parts; `None` for zeros.
    Parts(Option<Rc<[Operand]>>),
}

impl ModuleWriter<'_> {
    /// The type of a module constant.
    pub(super) fn global_type(&self, global: Global) -> Option<NumberType> {
        match self.module.global(global).map(|data| &data.value)? {
            GlobalValue::Spec(bits) => {
                let bits = self.module.bits_of(*bits);
                let kind = self.global_kinds.get(&global).copied().unwrap_or(Kind::Uint);
                NumberType::of(bits.ty(), kind)
            }
            GlobalValue::Op { ty, .. } => {
                let kind = self.global_kinds.get(&global).copied().unwrap_or(Kind::Uint);
                NumberType::of(*ty, kind)
            }
            GlobalValue::Parts(ty, _) | GlobalValue::Zero(ty) | GlobalValue::Undef(ty) => {
                self.number_type(*ty)
            }
            GlobalValue::Address(_) => None,
        }
    }

    /// A constant as the initializer of a variable.
    pub(super) fn initializer(&mut self, init: Operand, ty: Type) -> Vec<Token> {
        // Constants nest as deep as types; the work list holds what is left to write.
        let mut out = Vec::new();
        let mut work = vec![Item::Constant(init, ty)];
        let mut is_inside = false;
        while let Some(item) = work.pop() {
            let (value, ty) = match item {
                Item::Inside(now) => {
                    is_inside = now;
                    continue;
                }
                Item::Token(token) => {
                    out.push(token);
                    continue;
                }
                Item::Zero(ty) => (PartValue::Parts(None), ty),
                Item::Constant(value, ty) => (self.part_value(value, ty), ty),
            };
            let value = match value {
                PartValue::Tokens(tokens) => {
                    out.extend(tokens);
                    continue;
                }
                PartValue::Parts(value) => value,
            };
            if value.is_none()
                && let Some(number) = self.number_type(ty)
            {
                let zero = Bits::zero(number.width, number.components);
                out.extend(self.bits_tokens(&zero, number.kind));
                continue;
            }
            let is_open = matches!(self.module.type_of(ty), TypeData::Array { len: Len::Global(_), .. });
            if is_open
                && value.is_none()
                && let Some(zeros) = self.dialect.open_zeros(self, out.is_empty())
            {
                out.extend(zeros);
                return out;
            }
            if let Some(form) = self.dialect.composite(self, ty, is_inside, value.is_none()) {
                let items = self.composite_items(form, ty, value.as_deref(), is_inside);
                work.extend(items.into_iter().rev());
            }
        }
        out
    }

    /// The value of a part of an initializer.
    fn part_value(&mut self, value: Operand, ty: Type) -> PartValue {
        match value {
            Operand::Bits(bits) => {
                let bits = self.module.bits_of(bits);
                let kind = self.number_type(ty).map_or(Kind::Uint, |number| number.kind);
                PartValue::Tokens(self.bits_tokens(&bits, kind))
            }
            Operand::Global(global) => match self.module.global(global).map(|data| data.value.clone()) {
                Some(GlobalValue::Parts(_, parts)) => PartValue::Parts(Some(parts)),
                Some(GlobalValue::Spec(_) | GlobalValue::Op { .. }) => {
                    let name = self.global_name(global);
                    PartValue::Tokens(vec![Token::linked(Class::Name, name, Anchor::Global(global))])
                }
                Some(GlobalValue::Zero(_) | GlobalValue::Undef(_) | GlobalValue::Address(_)) | None => {
                    PartValue::Parts(None)
                }
            },
        }
    }

    /// The tokens and the parts of a composite constant in order.
    fn composite_items(
        &self,
        form: Composite,
        ty: Type,
        value: Option<&[Operand]>,
        is_inside: bool,
    ) -> Vec<Item> {
        let [open, close] = form.brackets;
        let is_structure = matches!(self.module.type_of(ty), TypeData::Struct(_));
        let mut out: Vec<Item> = form.head.into_iter().map(Item::Token).collect();
        out.push(Item::Token(punct(open)));
        if is_structure {
            out.push(Item::Inside(true));
        }
        let mut is_first = true;
        for part in form.parts {
            let items = match part {
                ConstantPart::Filler(text) => vec![Item::Token(Token::new(Class::Number, text))],
                ConstantPart::Own(at) => {
                    let Some(part) = self.part_type(ty, at) else { continue };
                    let item = match value.and_then(|parts| parts.get(at)) {
                        Some(&value) => Item::Constant(value, part),
                        None => Item::Zero(part),
                    };
                    match &form.around {
                        Some(name) => {
                            let ty = Token::new(Class::Type, name.clone());
                            vec![Item::Token(ty), Item::Token(punct(open)), item, Item::Token(punct(close))]
                        }
                        None => vec![item],
                    }
                }
            };
            if !is_first {
                out.extend([Item::Token(punct(",")), Item::Token(space())]);
            }
            is_first = false;
            out.extend(items);
        }
        out.push(Item::Token(punct(close)));
        if is_structure {
            out.push(Item::Inside(is_inside));
        }
        out
    }

    /// The type of a member or an element.
    fn part_type(&self, ty: Type, at: usize) -> Option<Type> {
        match *self.module.type_of(ty) {
            TypeData::Struct(id) => {
                self.module.structure(id).and_then(|data| data.members.get(at)).map(|it| it.ty)
            }
            _ => self.module.element_type(ty),
        }
    }

    /// The components of a constant as numbers of a kind.
    pub(super) fn bits_tokens(&mut self, bits: &Bits, kind: Kind) -> Vec<Token> {
        let kind = if bits.width() == Width::W1 { Kind::Bool } else { kind };
        let scalar = NumberType::new(kind, bits.width(), 1);
        self.dialect.admit_components(self, bits, scalar);
        self.extensions.extend(self.dialect.extension(scalar));
        let one =
            |component: u64| Token::new(Class::Number, self.dialect.literal(kind, bits.width(), component));
        let parts: Vec<Token> = bits.components().iter().map(|&component| one(component)).collect();
        if let [only] = &parts[..] {
            return vec![only.clone()];
        }
        let ty = NumberType::new(kind, bits.width(), parts.len() as u8);
        let name = self.number_name(ty, Anchor::Module);
        let mut out = vec![Token::new(Class::Type, name), punct("(")];
        for (at, part) in parts.into_iter().enumerate() {
            if at > 0 {
                out.extend([punct(","), space()]);
            }
            out.push(part);
        }
        out.push(punct(")"));
        out
    }

    /// The remarks about constants that have their defaults, in order.
    pub(super) fn frozen_lines(&self) -> Vec<Line> {
        let mut frozen: Vec<(u64, &'static str)> = self
            .frozen
            .iter()
            .filter_map(|(&global, &why)| Some((self.module.global(global)?.attrs.get(Key::SpecId)?, why)))
            .collect();
        frozen.sort_unstable();
        frozen.dedup();
        let comment = |text: String| Line::new(0, vec![Token::new(Class::Plain, text)]);
        let lines = |(id, why): (u64, &str)| {
            let head = format!("// specialization constant {id} has its default here:");
            let one = format!("{head} {why}");
            if one.len() <= MOST_COLUMNS {
                vec![comment(one)]
            } else {
                vec![comment(head), comment(format!("// {why}"))]
            }
        };
        frozen.into_iter().flat_map(lines).collect()
    }

    /// The specialization constants, in order of their definitions.
    pub(super) fn constants(&mut self) -> Vec<Line> {
        let mut lines = self.frozen_lines();
        let mut wanted = self.used_globals.clone();
        let mut at = 0;
        while let Some(&global) = wanted.get(at) {
            at += 1;
            let operands: Vec<Operand> =
                self.module.global(global).map_or_else(Vec::new, |data| data.value.operands().to_vec());
            for operand in operands {
                if let Operand::Global(other) = operand
                    && !wanted.contains(&other)
                {
                    wanted.push(other);
                }
            }
        }
        let wanted: Vec<Global> = self
            .module
            .globals_operands_first()
            .into_iter()
            .filter(|global| wanted.contains(global))
            .collect();
        let mut ids = Vec::new();
        for &global in &wanted {
            let id = self.module.global(global).and_then(|data| data.attrs.get(Key::SpecId));
            if id.is_some() && ids.contains(&id) && !self.dialect.shares_constant_ids() {
                let says = format!("{global} has the specialization id of another constant");
                self.refuse(NO_TYPE, Anchor::Global(global), says, "give each constant an id of its own");
            }
            ids.push(id);
        }
        for global in wanted {
            if !self.frozen.contains_key(&global) {
                lines.extend(self.dialect.constant_input(self, global));
            }
            if let Some(line) = self.declared_constant(global) {
                let id = self.module.global(global).and_then(|data| data.attrs.get(Key::SpecId));
                lines.extend(id.and_then(|id| self.dialect.constant_remark(self, global, id)));
                lines.push(line);
            }
        }
        lines
    }

    fn declared_constant(&mut self, global: Global) -> Option<Line> {
        let data = self.module.global(global)?.clone();
        let name = self.global_name(global);
        // The language declares it, or what it is a component of.
        if self.dialect.workgroup_size_name().is_some_and(|own| name.starts_with(own)) {
            return None;
        }
        let anchor = Anchor::Global(global);
        let is_frozen = self.frozen.contains_key(&global);
        let id = data.attrs.get(Key::SpecId).filter(|_| !is_frozen);
        let mut tokens = self.dialect.constant_words(self, global, id)?;
        let link = Link::Def(anchor);
        let (head, value) = match &data.value {
            GlobalValue::Spec(bits) => {
                let ty = self.global_type(global)?;
                let bits = self.module.bits_of(*bits);
                let mut value = self.bits_tokens(&bits, ty.kind);
                if !is_frozen {
                    value = self.dialect.constant_value(self, global, value);
                }
                (self.number_head(ty, &name, link), value)
            }
            GlobalValue::Parts(ty, _) => (
                self.var_declaration(&name, link, *ty, anchor)?,
                self.initializer(Operand::Global(global), *ty),
            ),
            GlobalValue::Zero(_) | GlobalValue::Undef(_) | GlobalValue::Address(_) => return None,
            GlobalValue::Op { op, args, .. } => {
                let ty = self.global_type(global)?;
                (self.number_head(ty, &name, link), self.computed(global, *op, args, ty)?)
            }
        };
        tokens.extend(head);
        tokens.extend([space(), Token::new(Class::Op, "="), space()]);
        tokens.extend(value);
        tokens.push(punct(";"));
        Some(Line::new(0, tokens))
    }

    /// The declaration of a name of a number type, without keywords.
    pub(super) fn number_head(&mut self, ty: NumberType, name: &Rc<str>, link: Link) -> Vec<Token> {
        let type_name = Token::new(Class::Type, self.number_name(ty, Anchor::Module));
        let name = Token { text: name.clone().into(), class: Class::Name, link };
        self.dialect.typed_name(type_name, name)
    }

    /// A constant expression on specialization constants.
    fn computed(&mut self, global: Global, op: Op, args: &[Operand], ty: NumberType) -> Option<Vec<Token>> {
        let (symbol, prefix) = self.constant_operators(op, args, ty);
        let is_select = matches!(op, Op::Int(IntOp::Select | IntOp::Select1)) && ty.components == 1;
        let is_extract = op == Op::Vector(VectorOp::Extract);
        if let (&[vector, index], true, true) = (args, is_extract, self.dialect.computes_constant_vectors()) {
            let mut out = self.constant_operand(vector, ty.kind);
            out.push(punct("["));
            out.extend(self.constant_operand(index, Kind::Int));
            out.push(punct("]"));
            return Some(out);
        }
        let is_float = matches!(op, Op::Float(FloatOp::FAdd)) || is_extract;
        if is_float || symbol.is_none() && prefix.is_none() && !is_select {
            let says = format!(
                "the constant {global} is computed by `{}`, which {} cannot express",
                op.name(),
                self.dialect.name()
            );
            let help = Help::by_pass("spec-ops-to-values", "computes it where it is used");
            self.refuse(NO_TYPE, Anchor::Global(global), says, help);
            return None;
        }
        let mut parts = self.constant_operands(op, args, ty.kind);
        self.dialect.settle_constant_operands(&mut parts);
        let mut out = match (self.dialect.constant_expression(op, ty, &parts), &parts[..]) {
            (Some(own), _) => own,
            (None, [a, b]) => {
                let mut out = a.clone();
                out.extend([space(), Token::new(Class::Op, symbol?), space()]);
                out.extend_from_slice(b);
                out
            }
            (None, [a]) => {
                let mut out = vec![Token::new(Class::Op, prefix?)];
                out.extend_from_slice(a);
                out
            }
            (None, _) => return None,
        };
        let own = match yields(op) {
            Yield::Int => Kind::Int,
            Yield::Uint => Kind::Uint,
            Yield::Bool | Yield::Float | Yield::Integers | Yield::Hint => ty.kind,
        };
        if own != ty.kind {
            let cast = self.number_name(ty, Anchor::Global(global));
            out.splice(0..0, [Token::new(Class::Type, cast), punct("(")]);
            out.push(punct(")"));
        }
        Some(out)
    }

    /// The operators of a constant expression: one between two operands, and one before an operand.
    fn constant_operators(
        &self,
        op: Op,
        args: &[Operand],
        ty: NumberType,
    ) -> (Option<&'static str>, Option<&'static str>) {
        let bool_args = args
            .first()
            .is_some_and(|&arg| self.module.operand_type(arg).and_then(ValueType::width) == Some(Width::W1));
        let is_computed = ty.components == 1 || self.dialect.computes_constant_vectors();
        let form = self.dialect.form(op, bool_args);
        let symbol = match (op, form) {
            (_, Form::Infix(symbol, _)) if is_computed => Some(symbol),
            (_, Form::Compare(comparison)) if ty.components == 1 => Some(comparison.symbol()),
            (Op::Int(IntOp::IMod | IntOp::IRem), _) if is_computed => Some("%"),
            (Op::Int(IntOp::IAnd), _) if bool_args => Some("&&"),
            (Op::Int(IntOp::IOr), _) if bool_args => Some("||"),
            (Op::Int(IntOp::IEq), _) if bool_args => Some("=="),
            (Op::Int(IntOp::INe | IntOp::IXor), _) if bool_args => Some("!="),
            _ => None,
        };
        let prefix = match (op, form) {
            (Op::Int(IntOp::INot), _) if bool_args => Some("!"),
            (_, Form::Prefix(symbol) | Form::PrefixInt(symbol)) => Some(symbol),
            _ => None,
        };
        (symbol, prefix)
    }

    /// The operands of a constant expression whose result has a kind.
    fn constant_operands(&mut self, op: Op, args: &[Operand], result: Kind) -> Vec<Vec<Token>> {
        let shared = args.iter().find_map(|&arg| match arg {
            Operand::Global(other) => self.global_type(other).map(|ty| ty.kind),
            Operand::Bits(_) => None,
        });
        let kind = |at: usize| match reading(op, at) {
            Reading::Bool => Kind::Bool,
            Reading::Float => Kind::Float,
            Reading::Int => Kind::Int,
            Reading::Uint => Kind::Uint,
            Reading::Integers | Reading::Natural => shared.unwrap_or(Kind::Int),
            Reading::Count => self.dialect.constant_count_kind(),
            Reading::Result => result,
        };
        let kinds: Vec<Kind> = (0..args.len()).map(kind).collect();
        args.iter().zip(kinds).map(|(&arg, kind)| self.constant_operand(arg, kind)).collect()
    }

    /// An operand of a constant expression: a literal or a name, cast if necessary.
    pub(super) fn constant_operand(&mut self, operand: Operand, kind: Kind) -> Vec<Token> {
        match operand {
            Operand::Bits(bits) => {
                let bits = self.module.bits_of(bits);
                self.bits_tokens(&bits, kind)
            }
            Operand::Global(global)
                if matches!(
                    self.module.global(global).map(|data| &data.value),
                    Some(GlobalValue::Zero(_) | GlobalValue::Undef(_))
                ) =>
            {
                let ty = self.global_type(global).unwrap_or(NumberType::scalar(kind));
                let kind = if kind == Kind::Bool { ty.kind } else { kind };
                self.bits_tokens(&Bits::zero(ty.width, ty.components), kind)
            }
            Operand::Global(global) => {
                let value = self.module.global(global).map(|data| &data.value);
                if let (Some(GlobalValue::Zero(_) | GlobalValue::Undef(_)), Some(ty)) =
                    (value, self.global_type(global))
                {
                    // Any value is right for an undefined one.
                    return self.bits_tokens(&Bits::zero(ty.width, ty.components), kind);
                }
                let name = self.global_name(global);
                let token = Token::linked(Class::Name, name, Anchor::Global(global));
                match self.global_type(global) {
                    Some(ty) if ty.kind != kind && ty.kind != Kind::Bool && kind != Kind::Bool => {
                        let cast = self.number_name(ty.with_kind(kind), Anchor::Global(global));
                        vec![Token::new(Class::Type, cast), punct("("), token, punct(")")]
                    }
                    _ => vec![token],
                }
            }
        }
    }
}
