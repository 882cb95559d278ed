//! Functions of MSL: the parameters that stand for variables of the module, the entry point, its inputs and its result.

use super::state::{Class as Resource, Content, Need, Port};
use crate::expr::{Expr, Prec, Token, punct, space, words};
use crate::func::FuncWriter;
use crate::module::{ModuleWriter, NO_TYPE};
use crate::number::{Kind, NumberType};
use crate::print::Line;
use std::rc::Rc;
use vitrine_ir::ops::{Access, Builtin, Key};
use vitrine_ir::{Anchor, Attrs, ExecutionMode, Func, Mode, Stage, Type, TypeData, Var};
use vitrine_text::{Class, Link};

impl ModuleWriter<'_> {
    /// The element of a buffer that is one array without a length: its parameter is a pointer to the elements.
    pub(super) fn only_array(&self, var: Var) -> Option<Type> {
        let data = self.module.var(var)?;
        let TypeData::Struct(structure) = *self.module.type_of(data.ty) else { return None };
        let [only] = &self.module.structure(structure)?.members[..] else { return None };
        if only.attrs.get(Key::Offset).unwrap_or(0) > 0 || !matches!(data.mode, Mode::Storage | Mode::Uniform)
        {
            return None;
        }
        match *self.module.type_of(only.ty) {
            TypeData::RuntimeArray { .. } => Some(only.ty),
            _ => None,
        }
    }

    /// The address space of a buffer.
    fn buffer_space(&self, var: Var) -> &'static str {
        let Some(data) = self.module.var(var) else { return "device" };
        let is_set = |attrs: &Attrs| attrs.words::<Access>().has(Access::READONLY);
        let members = match *self.module.type_of(data.ty) {
            TypeData::Struct(structure) => self.module.structure(structure).map(|data| &data.members[..]),
            _ => None,
        };
        let members = members.unwrap_or_default();
        let is_read_only =
            is_set(&data.attrs) || !members.is_empty() && members.iter().all(|member| is_set(&member.attrs));
        match data.mode {
            Mode::Uniform | Mode::Push => "constant",
            _ if is_read_only => "const device",
            _ => "device",
        }
    }

    /// True for a storage buffer that the program cannot write.
    pub(super) fn is_constant(&self, var: Var) -> bool {
        self.buffer_space(var) == "const device"
    }

    /// The parameter of a buffer: a reference, or a pointer to its elements.
    fn buffer_parameter(&mut self, var: Var, name: &Rc<str>) -> Option<Vec<Token>> {
        let data = self.module.var(var)?.clone();
        let (space_name, link) = (self.buffer_space(var), Link::Def(Anchor::Var(var)));
        if let Some(array) = self.only_array(var) {
            let TypeData::Struct(structure) = *self.module.type_of(data.ty) else { return None };
            let packed = self.own.msl.memory.is_packed(self.module, structure, 0);
            self.own.msl.memory.places(self.module, structure).ok()?;
            let (base, dims) = self.msl_type(array, packed)?;
            let mut tokens = words(Class::Keyword, space_name);
            tokens.extend([space(), Token::new(Class::Type, base)]);
            // The first length is that of the whole, which is not known.
            let rest: Vec<Token> = dims.into_iter().skip(3).collect();
            let name = Token { text: name.clone().into(), class: Class::Name, link };
            match rest.is_empty() {
                true => tokens.extend([punct("*"), space(), name]),
                false => tokens.extend([space(), punct("("), punct("*"), name, punct(")")]),
            }
            tokens.extend(rest);
            return Some(tokens);
        }
        match *self.module.type_of(data.ty) {
            TypeData::Struct(_) => self.msl_reference(space_name, name, link, data.ty),
            // The pointers to the buffers of an array.
            TypeData::Array { .. } => {
                let (block, count) = self.array_of_buffers(var)?;
                let (base, _) = self.msl_type(block, false)?;
                let mut tokens = words(Class::Keyword, space_name);
                tokens.extend([space(), Token::new(Class::Type, format!("{base}*")), space()]);
                tokens.extend([Token::new(Class::Keyword, "thread"), space(), punct("("), punct("&")]);
                tokens.push(Token { text: name.clone().into(), class: Class::Name, link });
                tokens.extend([
                    punct(")"),
                    punct("["),
                    Token::new(Class::Number, count.to_string()),
                    punct("]"),
                ]);
                Some(tokens)
            }
            _ => None,
        }
    }

    /// The block of each buffer of an array, and the length.
    pub(super) fn array_of_buffers(&self, var: Var) -> Option<(Type, u32)> {
        let data = self.module.var(var)?;
        let TypeData::Array { of, .. } = *self.module.type_of(data.ty) else { return None };
        let is_buffer = matches!(data.mode, Mode::Uniform | Mode::Storage);
        let is_block = matches!(self.module.type_of(of), TypeData::Struct(_));
        Some((of, self.module.element_count(data.ty)?)).filter(|_| is_buffer && is_block)
    }

    /// The buffers of an array as parameters, and the declaration of the array of pointers.
    fn buffer_array(&mut self, var: Var, first: &mut Vec<Line>) -> Option<Vec<Vec<Token>>> {
        let (block, count) = self.array_of_buffers(var)?;
        let &(_, at) = self.own.msl.places.get(&var)?;
        let (space_name, link) = (self.buffer_space(var), Link::Def(Anchor::Var(var)));
        let name = self.var_name(var);
        let (mut params, mut pointers) = (Vec::new(), Vec::new());
        for element in 0..count {
            let own = self.names.fresh(&format!("{name}_{element}"), "buffer");
            let mut tokens = self.msl_reference(space_name, &own, link, block)?;
            tokens.extend([space(), Token::new(Class::Attr, format!("[[buffer({})]]", at + element))]);
            params.push(tokens);
            pointers.push(format!("&{own}"));
        }
        let (base, _) = self.msl_type(block, false)?;
        let text = format!("{space_name} {base}* {name}[{count}] = {{{}}};", pointers.join(", "));
        first.push(Line::new(1, words(Class::Name, &text)));
        Some(params)
    }

    /// The structure around a resource in an array without a length, which is a buffer of resources.
    pub(super) fn table_of(&mut self, var: Var) -> Option<Rc<str>> {
        if let Some(name) = self.own.msl.tables_of.get(&var) {
            return Some(name.clone());
        }
        let data = self.module.var(var)?.clone();
        let TypeData::RuntimeArray { of, .. } = *self.module.type_of(data.ty) else { return None };
        let mut value = match data.mode {
            Mode::Handle => words(Class::Type, &self.msl_handle_of(Some(var), of)?),
            Mode::Uniform | Mode::Storage if matches!(self.module.type_of(of), TypeData::Struct(_)) => {
                let (base, _) = self.msl_type(of, false)?;
                let mut tokens = words(Class::Keyword, self.buffer_space(var));
                tokens.extend([space(), Token::new(Class::Type, base), punct("*")]);
                tokens
            }
            _ => return None,
        };
        value.extend([space(), Token::new(Class::Plain, "value"), punct(";")]);
        let name = self.names.fresh("Resource", "Resource");
        self.own.msl.tables_of.insert(var, name.clone());
        self.own.msl.version = self.own.msl.version.max(30);
        self.own.msl.wrapper_lines.extend([
            Line::new(0, words(Class::Keyword, &format!("struct {name} {{"))),
            Line::new(1, value),
            Line::text("};"),
            Line::empty(),
        ]);
        Some(name)
    }

    /// The parameter of a function for a variable of the module, or for an input or output.
    fn need_parameter(&mut self, need: Need) -> Option<Vec<Token>> {
        let var = match need {
            Need::Lengths => return Some(words(Class::Keyword, "constant uint* buffer_bytes")),
            Need::Port(at) => {
                let port = self.own.msl.ports.get(at)?.clone();
                return Some(self.port_parameter(&port));
            }
            Need::Var(var) => var,
        };
        let data = self.module.var(var)?.clone();
        let (name, link) = (self.var_name(var), Link::Def(Anchor::Var(var)));
        if let Some(table) = self.table_of(var) {
            let mut tokens = words(Class::Keyword, "const device");
            tokens.extend([space(), Token::new(Class::Type, table), punct("*"), space()]);
            tokens.push(Token { text: name.into(), class: Class::Name, link });
            return Some(tokens);
        }
        match data.mode {
            Mode::Uniform | Mode::Storage | Mode::Push => self.buffer_parameter(var, &name),
            Mode::Shared => self.msl_reference("threadgroup", &name, link, data.ty),
            Mode::Private => self.msl_reference("thread", &name, link, data.ty),
            Mode::Handle => {
                let ty = self.msl_handle(var, data.ty)?;
                let name = Token { text: name.into(), class: Class::Name, link };
                let mut tokens = words(Class::Type, &ty);
                tokens.extend([space(), name]);
                Some(tokens)
            }
            Mode::Payload if self.is_object_payload(var) => {
                self.msl_reference("object_data", &name, link, data.ty)
            }
            Mode::In
            | Mode::Out
            | Mode::Local
            | Mode::Payload
            | Mode::Physical
            | Mode::Callable
            | Mode::Generic => None,
        }
    }

    fn port_parameter(&mut self, port: &Port) -> Vec<Token> {
        let ty = self.number_name(port.ty, Anchor::Var(port.var));
        let ty = Token::new(Class::Type, ty);
        let name = Token { text: port.name.clone().into(), class: Class::Name, link: port.link() };
        let thread = Token::new(Class::Keyword, "thread");
        match (port.mode, port.len) {
            (Mode::Out, Some(len)) => {
                let mut tokens = vec![thread, space(), ty, space(), punct("("), punct("&"), name, punct(")")];
                tokens.extend([punct("["), Token::new(Class::Number, len.to_string()), punct("]")]);
                tokens
            }
            (Mode::Out, None) => vec![thread, space(), ty, punct("&"), space(), name],
            _ => vec![ty, space(), name],
        }
    }

    /// The parameters of a function for what it uses of the module.
    pub(super) fn msl_parameters(&mut self, func: Func) -> Vec<Vec<Token>> {
        let mut out = Vec::new();
        for need in self.own.msl.needs.get(&func).cloned().unwrap_or_default() {
            match self.need_parameter(need) {
                Some(tokens) => out.push(tokens),
                None => self.refuse_need(need),
            }
        }
        out
    }

    fn refuse_need(&mut self, need: Need) {
        let Need::Var(var) = need else { return };
        let Some(data) = self.module.var(var) else { return };
        if !matches!(data.mode, Mode::Payload | Mode::Physical | Mode::Callable | Mode::Generic) {
            return self.refuse_type(Anchor::Var(var), var, data.ty, "");
        }
        let says =
            format!("{var} is in memory `{}`, which this writer does not have in MSL", data.mode.name());
        self.refuse(NO_TYPE, Anchor::Var(var), says, "");
    }

    /// The lines before the head of the entry point, the head, and the first lines of its body.
    pub(super) fn msl_entry(
        &mut self,
        func: Func,
        name: Rc<str>,
        anchor: Anchor,
    ) -> (Vec<Line>, Vec<Token>, Vec<Line>) {
        let word = match self.stage {
            Stage::Vertex => "vertex",
            Stage::Fragment => "fragment",
            Stage::Task => "[[object]]",
            _ => "kernel",
        };
        let mut head = Vec::new();
        let entry = self.module.entries.first().cloned();
        let is_early = entry.as_ref().is_some_and(|entry| entry.has_mode(ExecutionMode::EarlyFragmentTests));
        if is_early {
            head.extend([Token::new(Class::Attr, "[[early_fragment_tests]]"), space()]);
        }
        let has_result = self.msl_has_result();
        let [input, output] = self.own.msl.structures.clone();
        let result = if has_result { output.to_string() } else { "void".to_owned() };
        head.extend([Token::new(Class::Keyword, word), space(), Token::new(Class::Type, result), space()]);
        head.push(Token { text: name.into(), class: Class::Name, link: Link::Def(anchor) });
        head.push(punct("("));
        let mut params: Vec<Vec<Token>> = Vec::new();
        if self.own.msl.ports.iter().any(|port| port.mode == Mode::In && port.is_member) {
            let mut tokens = vec![Token::new(Class::Type, input.to_string()), space()];
            tokens.extend([Token::new(Class::Name, "in"), space(), Token::new(Class::Attr, "[[stage_in]]")]);
            params.push(tokens);
        }
        params.extend(self.kernel_parameters(func));
        let mut first = Vec::new();
        if has_result {
            first.push(Line::new(1, words(Class::Type, &format!("{output} out = {{}};"))));
        }
        for need in self.own.msl.needs.get(&func).cloned().unwrap_or_default() {
            if let Need::Var(var) = need
                && let Some(found) = self.buffer_array(var, &mut first)
            {
                params.extend(found);
                continue;
            }
            match self.entry_parameter(need, &mut first) {
                Some(tokens) => params.extend(tokens),
                None => self.refuse_need(need),
            }
        }
        params.extend(self.grid_parameter());
        for (at, param) in params.into_iter().enumerate() {
            if at > 0 {
                head.extend([punct(","), space()]);
            }
            head.extend(param);
        }
        head.extend([punct(")"), space(), punct("{")]);
        for port in self.own.msl.ports.clone() {
            first.extend(self.initial_output(&port));
        }
        (Vec::new(), head, first)
    }

    /// The assignment of the value that an output has at the start.
    fn initial_output(&mut self, port: &Port) -> Option<Line> {
        let data = self.module.var(port.var)?.clone();
        let init = data.init.filter(|_| port.mode == Mode::Out && port.content == Content::Own)?;
        let mut tokens = words(Class::Name, &format!("out.{} =", port.name));
        tokens.push(space());
        tokens.extend(self.initializer(init, data.ty));
        tokens.push(punct(";"));
        Some(Line::new(1, tokens))
    }

    /// A parameter of the entry point, none for what it declares itself.
    fn entry_parameter(&mut self, need: Need, first: &mut Vec<Line>) -> Option<Option<Vec<Token>>> {
        if let Need::Port(at) = need {
            let port = self.own.msl.ports.get(at)?.clone();
            if port.is_member {
                return Some(None);
            }
            let mut tokens = self.port_parameter(&port);
            tokens.extend([space(), Token::new(Class::Attr, format!("[[{}]]", port.attribute))]);
            return Some(Some(tokens));
        }
        let mut tokens = self.need_parameter(need)?;
        let order = if self.own.msl.is_ordered { ", raster_order_group(0)" } else { "" };
        let attribute = match need {
            Need::Lengths => format!("[[buffer({})]]", self.own.msl.lengths),
            Need::Port(_) => return None,
            Need::Var(var) => match self.own.msl.places.get(&var) {
                Some((Resource::Buffer, at)) => format!("[[buffer({at}){order}]]"),
                Some((Resource::Texture, at)) => format!("[[texture({at}){order}]]"),
                Some((Resource::Sampler, at)) => format!("[[sampler({at})]]"),
                Some((Resource::Color, at)) => format!("[[color({at})]]"),
                None if self.is_object_payload(var) => "[[payload]]".to_owned(),
                None => {
                    first.push(self.own_variable(var)?);
                    return Some(None);
                }
            },
        };
        tokens.extend([space(), Token::new(Class::Attr, attribute)]);
        Some(Some(tokens))
    }

    /// The declaration of a private or threadgroup variable in the entry point.
    fn own_variable(&mut self, var: Var) -> Option<Line> {
        let data = self.module.var(var)?.clone();
        let name = self.var_name(var);
        let declared = self.var_declaration(&name, Link::Def(Anchor::Var(var)), data.ty, Anchor::Var(var))?;
        let mut tokens = Vec::new();
        if data.mode == Mode::Shared {
            tokens.extend([Token::new(Class::Keyword, "threadgroup"), space()]);
        }
        tokens.extend(declared);
        if let Some(init) = data.init.filter(|_| data.mode == Mode::Private) {
            tokens.extend([space(), Token::new(Class::Op, "="), space()]);
            tokens.extend(self.initializer(init, data.ty));
        }
        tokens.push(punct(";"));
        Some(Line::new(1, tokens))
    }

    /// The structures of inputs and outputs.
    pub(super) fn port_structures(&mut self) -> Vec<Line> {
        let mut lines = Vec::new();
        for (mode, name) in [Mode::In, Mode::Out].into_iter().zip(self.own.msl.structures.clone()) {
            let ports: Vec<Port> = self
                .own
                .msl
                .ports
                .iter()
                .filter(|port| port.mode == mode && port.is_member)
                .cloned()
                .collect();
            if ports.is_empty() {
                continue;
            }
            lines.push(Line::new(0, words(Class::Keyword, &format!("struct {name} {{"))));
            for port in ports {
                let ty = self.number_name(port.ty, Anchor::Var(port.var));
                let link = Link::Def(Anchor::Var(port.var));
                let mut tokens = vec![Token::new(Class::Type, ty), space()];
                tokens.push(Token { text: port.name.clone().into(), class: Class::Name, link });
                tokens.push(space());
                tokens.extend(words(Class::Attr, &format!("[[{}]]", port.attribute)));
                if let Some(len) = port.len {
                    tokens.extend([
                        space(),
                        punct("["),
                        Token::new(Class::Number, len.to_string()),
                        punct("]"),
                    ]);
                }
                tokens.push(punct(";"));
                lines.push(Line::new(1, tokens));
            }
            lines.extend([Line::text("};"), Line::empty()]);
        }
        lines
    }

    /// True if the entry point returns a structure.
    pub(super) fn msl_has_result(&self) -> bool {
        self.own.msl.ports.iter().any(|port| port.mode == Mode::Out)
    }

    /// The result of the entry point, empty if it has none. `None` for other functions.
    pub(super) fn msl_result(&self, func: Func) -> Option<Vec<Token>> {
        if self.own.msl.entry != Some(func) {
            return None;
        }
        Some(if self.msl_has_result() { vec![Token::new(Class::Name, "out")] } else { Vec::new() })
    }

    /// An input or output as text in a function.
    fn port_tokens(&self, func: Func, port: &Port) -> Vec<Token> {
        let name = Token::linked(Class::Name, port.name.clone(), Anchor::Var(port.var));
        match self.own.msl.entry == Some(func) && port.is_member {
            true => {
                let of = if port.mode == Mode::In { "in" } else { "out" };
                vec![Token::new(Class::Name, of), punct("."), name]
            }
            false => vec![name],
        }
    }

    /// A system value that is read without a variable, with its type.
    pub(super) fn msl_loose_port(&self, value: Builtin) -> Option<(Vec<Token>, NumberType)> {
        let port = self.own.msl.ports.get(*self.own.msl.loose.get(&value)?)?;
        Some((vec![Token::new(Class::Name, port.name.clone())], port.ty))
    }

    /// An input or output as text in a function, with its type.
    pub(super) fn msl_port(
        &self,
        func: Func,
        var: Var,
        builtin: Option<Builtin>,
    ) -> Option<(Vec<Token>, NumberType)> {
        let port = self.own.msl.ports.get(self.port_at(var, builtin)?)?;
        Some((self.port_tokens(func, port), port.ty))
    }
}

impl FuncWriter<'_, '_> {
    /// The arguments of a call for what the callee uses of the module.
    pub(super) fn msl_arguments(&mut self, callee: Func) -> Vec<Expr> {
        let ty = NumberType::scalar(Kind::Uint);
        let mut out = Vec::new();
        for need in self.w.own.msl.needs.get(&callee).cloned().unwrap_or_default() {
            let tokens = match need {
                Need::Lengths => vec![Token::new(Class::Name, "buffer_bytes")],
                Need::Var(var) => vec![Token::linked(Class::Name, self.w.var_name(var), Anchor::Var(var))],
                Need::Port(at) => match self.w.own.msl.ports.get(at) {
                    Some(port) => self.w.port_tokens(self.func, port),
                    None => continue,
                },
            };
            out.push(Expr::new(tokens, Prec::Postfix, ty));
        }
        out
    }
}
