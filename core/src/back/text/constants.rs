//! Module constants: specialization constants, expressions on them, and initializers of variables.

use super::expr::{Token, punct, space};
use super::language::Language;
use super::layout::is_empty_type;
use super::module::{ModuleWriter, NO_TYPE};
use super::number::{Kind, NumberType};
use super::print::{Line, MOST_COLUMNS};
use super::spell::{Form, Reading, Yield, reading, yields};
use super::{glsl, wgsl};
use crate::ir::{Anchor, Global, GlobalValue, Help, Len, Operand, Type, TypeData, Var};
use crate::ops::{Bits, FloatOp, IntOp, Key, Op, VectorOp, Width};
use crate::text::{Class, Link};
use std::rc::Rc;

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
        enum Item {
            Constant(Operand, Type),
            Zero(Type),
            Token(Token),
            /// The parts that follow are those of a structure, or of the variable again.
            Inside(bool),
        }
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
                Item::Zero(ty) => (None, ty),
                Item::Constant(Operand::Bits(bits), ty) => {
                    let bits = self.module.bits_of(bits);
                    let kind = self.number_type(ty).map_or(Kind::Uint, |number| number.kind);
                    out.extend(self.bits_tokens(&bits, kind));
                    continue;
                }
                Item::Constant(Operand::Global(global), ty) => {
                    match self.module.global(global).map(|data| data.value.clone()) {
                        Some(GlobalValue::Parts(_, parts)) => (Some(parts), ty),
                        Some(GlobalValue::Spec(_) | GlobalValue::Op { .. }) => {
                            let name = self.global_name(global);
                            out.push(Token::linked(Class::Name, name, Anchor::Global(global)));
                            continue;
                        }
                        Some(GlobalValue::Zero(_) | GlobalValue::Undef(_) | GlobalValue::Address(_))
                        | None => (None, ty),
                    }
                }
            };
            if value.is_none()
                && let Some(number) = self.number_type(ty)
            {
                let zero = Bits::zero(number.width, number.components);
                out.extend(self.bits_tokens(&zero, number.kind));
                continue;
            }
            let is_open = matches!(self.module.type_of(ty), TypeData::Array { len: Len::Global(_), .. });
            if is_open && value.is_none() && self.language.is_glsl() {
                // A constructor would need a value for each element.
                if self.es().is_some() || !out.is_empty() {
                    let says = "an array whose length is a specialization constant begins with zeros";
                    self.refuse(
                        NO_TYPE,
                        Anchor::Module,
                        says,
                        Help::by_pass("lower-variable-initializers", "may help"),
                    );
                    return out;
                }
                self.extensions.insert("GL_EXT_null_initializer");
                return vec![punct("{"), punct("}")];
            }
            let parts = match self.language {
                Language::Wgsl => self.wgsl_type(ty, None, !is_inside).map(|name| (name, Vec::new())),
                Language::Glsl(_) | Language::Hlsl | Language::Msl => self.type_parts(ty, Anchor::Module),
            };
            let Some((base, dims)) = parts else { continue };
            let count = match *self.module.type_of(ty) {
                TypeData::Struct(id) => self.module.structure(id).map_or(0, |data| data.members.len()),
                // A specialization constant has its default here.
                TypeData::Array { len, .. } => crate::ir::layout::Lengths::of(self.module, len) as usize,
                _ => self.module.element_count(ty).unwrap_or(0) as usize,
            };
            if self.language.is_glsl() && is_empty_type(self.module, ty) && dims.is_empty() {
                // The member that stands for none.
                out.extend([
                    Token::new(Class::Type, base),
                    punct("("),
                    Token::new(Class::Number, "0"),
                    punct(")"),
                ]);
                continue;
            }
            let row: Rc<str> = base.as_str().into();
            let is_list = matches!(self.language, Language::Msl | Language::Hlsl);
            let (open, close) = if is_list { ("{", "}") } else { ("(", ")") };
            if !is_list {
                out.push(Token::new(Class::Type, base));
                out.extend(dims);
            }
            out.push(punct(open));
            let part = |at: usize| match *self.module.type_of(ty) {
                TypeData::Struct(id) => {
                    self.module.structure(id).and_then(|data| data.members.get(at)).map(|it| it.ty)
                }
                _ => self.module.element_type(ty),
            };
            let is_structure = matches!(self.module.type_of(ty), TypeData::Struct(_));
            if is_structure {
                work.push(Item::Inside(is_inside));
            }
            work.push(Item::Token(punct(close)));
            let is_padded = self.language == Language::Msl && self.msl_padding(ty, false).is_some();
            let wrapper = match self.language {
                Language::Wgsl if is_inside => self.wgsl_wrapper(ty),
                Language::Glsl(_) if self.es_has_rows(ty) => Some(row),
                Language::Msl if is_padded => Some(Rc::from("")),
                Language::Wgsl | Language::Glsl(_) | Language::Hlsl | Language::Msl => None,
            };
            if self.language == Language::Msl
                && value.is_some()
                && matches!(self.module.type_of(ty), TypeData::Matrix { row_major: true, .. })
            {
                self.refuse(NO_TYPE, Anchor::Module, "a constant is a row-major matrix in memory", "");
            }
            // The parts in order, each with the number of members that fill the structure before it.
            let order: Vec<(usize, u64)> = match *self.module.type_of(ty) {
                TypeData::Struct(id) if self.language == Language::Msl => self.msl_order(id),
                TypeData::Struct(id) if self.language == Language::Hlsl => {
                    (0..=count).map(|at| (at, self.hlsl.fillers(id, at))).collect()
                }
                _ => (0..count).map(|at| (at, 0)).collect(),
            };
            // Each part has its items in order.
            let mut parts = Vec::new();
            for (at, fillers) in order {
                let filler = if self.language == Language::Msl { "{}" } else { "0u" };
                let filler = || vec![Item::Token(Token::new(Class::Number, filler))];
                parts.extend((0..fillers).map(|_| filler()));
                let is_left_out = |ty: &Type| {
                    is_structure && self.language != Language::Hlsl && is_empty_type(self.module, *ty)
                };
                let Some(part) = part(at).filter(|ty| at < count && !is_left_out(ty)) else { continue };
                let item = match value.as_ref().and_then(|parts| parts.get(at)) {
                    Some(&value) => Item::Constant(value, part),
                    None => Item::Zero(part),
                };
                parts.push(match &wrapper {
                    Some(name) => {
                        let ty = Token::new(Class::Type, name.clone());
                        vec![Item::Token(ty), Item::Token(punct(open)), item, Item::Token(punct(close))]
                    }
                    None => vec![item],
                });
            }
            let last = parts.len().saturating_sub(1);
            for (at, items) in parts.into_iter().rev().enumerate() {
                work.extend(items.into_iter().rev());
                if at < last {
                    work.extend([Item::Token(space()), Item::Token(punct(","))]);
                }
            }
            if is_structure {
                work.push(Item::Inside(true));
            }
        }
        out
    }

    /// The initializer of memory that a workgroup shares, which can only be zero.
    pub(super) fn shared_zero(&mut self, var: Var, init: Operand) -> Vec<Token> {
        if !self.module.is_zero(init) || self.language.is_es() {
            let says = format!("{var} is shared by a workgroup and has an initial value");
            let help =
                Help::text("run").pass("lower-variable-initializers{shared}").then("first if it is zero");
            self.refuse(NO_TYPE, Anchor::Var(var), says, help);
            return Vec::new();
        }
        self.extensions.insert("GL_EXT_null_initializer");
        vec![space(), Token::new(Class::Op, "="), space(), punct("{"), punct("}")]
    }

    pub(super) fn bits_tokens(&mut self, bits: &Bits, kind: Kind) -> Vec<Token> {
        let kind = if bits.width() == Width::W1 { Kind::Bool } else { kind };
        let is_forbidden = |&it: &u64| wgsl::types::is_forbidden(kind, bits.width(), it);
        if self.language == Language::Wgsl && bits.components().iter().any(is_forbidden) {
            self.refuse(NO_TYPE, Anchor::Module, "no constant of a module may be an infinity or a NaN", "");
        }
        let scalar = NumberType::new(kind, bits.width(), 1);
        if self.language == Language::Msl && self.dialect.number(scalar).is_none() {
            // Refuses the type.
            self.number_name(scalar, Anchor::Module);
        }
        self.extensions.extend(self.dialect.extension(scalar));
        let by_bits = |&it: &u64| glsl::types::is_written_by_bits(kind, bits.width(), it);
        if self.language.is_glsl() && bits.components().iter().any(by_bits) {
            self.extensions.extend(self.dialect.extension(scalar.with_kind(Kind::Uint)));
        }
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
            // The compiler of HLSL takes two constants of one id.
            if id.is_some() && ids.contains(&id) && self.language != Language::Hlsl {
                let says = format!("{global} has the specialization id of another constant");
                self.refuse(NO_TYPE, Anchor::Global(global), says, "give each constant an id of its own");
            }
            ids.push(id);
        }
        for global in wanted {
            if self.language == Language::Msl && !self.frozen.contains_key(&global) {
                lines.extend(self.msl_function_constant(global));
            }
            if let Some(line) = self.declared_constant(global) {
                lines.extend(self.spec_comment(global));
                lines.push(line);
            }
        }
        lines
    }

    /// The comment that names a specialization constant in a language that has none.
    fn spec_comment(&self, global: Global) -> Option<Line> {
        let id = self.module.global(global)?.attrs.get(Key::SpecId)?;
        let text = format!("// specialization constant {id}");
        if self.language == Language::Wgsl && self.wgsl.lengths.contains(&global) {
            let why = ", with its default: it is the length of an array";
            return Some(Line::text(format!("{text}{why}")));
        }
        self.language.is_es().then(|| Line::new(0, vec![Token::new(Class::Plain, text)]))
    }

    fn declared_constant(&mut self, global: Global) -> Option<Line> {
        let data = self.module.global(global)?.clone();
        let name = self.global_name(global);
        if name.starts_with("gl_") {
            return None;
        }
        let anchor = Anchor::Global(global);
        let mut tokens = Vec::new();
        let is_frozen = self.frozen.contains_key(&global)
            || self.language == Language::Wgsl && self.wgsl.lengths.contains(&global);
        let has_ids = !self.language.is_es() && self.language != Language::Msl && !is_frozen;
        if let Some(id) = data.attrs.get(Key::SpecId).filter(|_| has_ids) {
            let attribute = match self.language {
                Language::Glsl(_) => format!("layout(constant_id = {id})"),
                Language::Wgsl | Language::Msl => format!("@id({id})"),
                Language::Hlsl => format!("[[vk::constant_id({id})]]"),
            };
            tokens.push(Token::new(Class::Attr, attribute));
            tokens.push(space());
        }
        let keyword = match self.language {
            Language::Glsl(_) => "const",
            Language::Wgsl if self.wgsl.lengths.contains(&global) => "const",
            Language::Wgsl => "override",
            Language::Msl => "constant",
            Language::Hlsl if data.attrs.has(Key::SpecId) && !is_frozen => "const",
            Language::Hlsl => "static const",
        };
        tokens.extend([Token::new(Class::Keyword, keyword), space()]);
        if self.language == Language::Wgsl && self.global_type(global).is_none_or(|ty| ty.components > 1) {
            let says = format!("the constant {global} depends on specialization constants and is no number");
            self.refuse(
                NO_TYPE,
                anchor,
                says,
                Help::by_pass("spec-ops-to-values", "computes it where it is used"),
            );
            return None;
        }
        let link = Link::Def(anchor);
        let (head, value) = match &data.value {
            GlobalValue::Spec(bits) => {
                let ty = self.global_type(global)?;
                let bits = self.module.bits_of(*bits);
                let mut value = self.bits_tokens(&bits, ty.kind);
                if self.language == Language::Msl && !is_frozen {
                    value = self.msl_constant_value(global, value);
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

    pub(super) fn number_head(&mut self, ty: NumberType, name: &Rc<str>, link: Link) -> Vec<Token> {
        let type_name = Token::new(Class::Type, self.number_name(ty, Anchor::Module));
        let name = Token { text: name.clone().into(), class: Class::Name, link };
        match self.language {
            Language::Glsl(_) | Language::Msl | Language::Hlsl => vec![type_name, space(), name],
            Language::Wgsl => vec![name, punct(":"), space(), type_name],
        }
    }

    /// A constant expression on specialization constants.
    fn computed(&mut self, global: Global, op: Op, args: &[Operand], ty: NumberType) -> Option<Vec<Token>> {
        let bool_args = args.first().is_some_and(|&arg| {
            self.module.operand_type(arg).and_then(crate::ops::ValueType::width) == Some(Width::W1)
        });
        let symbol = match (op, self.dialect.form(op, bool_args)) {
            (_, Form::Infix(symbol, _)) if ty.components == 1 || self.language.is_glsl() => Some(symbol),
            (_, Form::Compare(comparison)) if ty.components == 1 => Some(comparison.symbol()),
            (Op::Int(IntOp::IMod | IntOp::IRem), _) if ty.components == 1 || self.language.is_glsl() => {
                Some("%")
            }
            (Op::Int(IntOp::IAnd), _) if bool_args => Some("&&"),
            (Op::Int(IntOp::IOr), _) if bool_args => Some("||"),
            (Op::Int(IntOp::IEq), _) if bool_args => Some("=="),
            (Op::Int(IntOp::INe | IntOp::IXor), _) if bool_args => Some("!="),
            _ => None,
        };
        let prefix = match (op, self.dialect.form(op, bool_args)) {
            (Op::Int(IntOp::INot), _) if bool_args => Some("!"),
            (_, Form::Prefix(symbol) | Form::PrefixInt(symbol)) => Some(symbol),
            _ => None,
        };
        let is_select = matches!(op, Op::Int(IntOp::Select | IntOp::Select1)) && ty.components == 1;
        let is_extract = op == Op::Vector(VectorOp::Extract);
        if let (&[vector, index], true, true) = (args, is_extract, self.language.is_glsl()) {
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
        let shared = args.iter().find_map(|&arg| match arg {
            Operand::Global(other) => self.global_type(other).map(|ty| ty.kind),
            Operand::Bits(_) => None,
        });
        let mut parts = Vec::new();
        for (at, &arg) in args.iter().enumerate() {
            let kind = match reading(op, at) {
                Reading::Bool => Kind::Bool,
                Reading::Float => Kind::Float,
                Reading::Int => Kind::Int,
                Reading::Uint => Kind::Uint,
                Reading::Integers | Reading::Natural => shared.unwrap_or(Kind::Int),
                Reading::Count if self.language == Language::Wgsl => Kind::Uint,
                Reading::Count => Kind::Int,
                Reading::Result => ty.kind,
            };
            parts.push(self.constant_operand(arg, kind));
        }
        let is_untyped = |part: &Vec<Token>| matches!(&part[..], [only] if only.class == Class::Number && only.text.as_str().parse::<i64>().is_ok());
        if self.language == Language::Hlsl && parts.iter().all(is_untyped) {
            // Literals alone would be computed with 64 bits.
            parts.iter_mut().take(1).for_each(|part| {
                part.splice(0..0, [Token::new(Class::Type, "int"), punct("(")]);
                part.push(punct(")"));
            });
        }
        let mut out = Vec::new();
        match &parts[..] {
            [cond, a, b] if is_select && self.language == Language::Wgsl => {
                out.extend([Token::new(Class::Op, "select"), punct("(")]);
                out.extend(b.clone());
                out.extend([punct(","), space()]);
                out.extend(a.clone());
                out.extend([punct(","), space()]);
                out.extend(cond.clone());
                out.push(punct(")"));
            }
            [cond, a, b] if is_select => {
                out.extend(cond.clone());
                out.extend([space(), Token::new(Class::Op, "?"), space()]);
                out.extend(a.clone());
                out.extend([space(), Token::new(Class::Op, ":"), space()]);
                out.extend(b.clone());
            }
            // The remainder has the sign of the dividend there, and `imod` that of the divisor.
            [a, b] if !self.language.is_glsl() && op == Op::Int(IntOp::IMod) => {
                let operator = |symbol| [space(), Token::new(Class::Op, symbol), space()];
                out.push(punct("("));
                out.extend(a.clone());
                out.extend(operator("%"));
                out.extend(b.clone());
                out.extend(operator("+"));
                out.extend(b.clone());
                out.push(punct(")"));
                out.extend(operator("%"));
                out.extend(b.clone());
            }
            // A remainder of a negative number is undefined there, a quotient is not.
            [a, b] if self.language.is_glsl() && op == Op::Int(IntOp::IRem) => {
                let operator = |symbol| [space(), Token::new(Class::Op, symbol), space()];
                out.extend(a.clone());
                out.extend(operator("-"));
                out.extend(a.clone());
                out.extend(operator("/"));
                out.extend(b.clone());
                out.extend(operator("*"));
                out.extend(b.clone());
            }
            [a, b] => {
                out.extend(a.clone());
                out.extend([space(), Token::new(Class::Op, symbol?), space()]);
                out.extend(b.clone());
            }
            // Unsigned numbers have no negation there.
            [a] if self.language == Language::Wgsl && ty.kind == Kind::Uint && op == Op::Int(IntOp::INeg) => {
                out.extend([Token::new(Class::Number, "0u"), space(), Token::new(Class::Op, "-"), space()]);
                out.extend(a.clone());
            }
            [a] => {
                out.push(Token::new(Class::Op, prefix?));
                out.extend(a.clone());
            }
            _ => return None,
        }
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
