//! Parses instructions: `%3: b32x4 = fadd nsz %1, %2`.

use super::body::Body;
use super::{Parser, Res};
use crate::lex::{Token, TokenKind};
use crate::print::suffix_key;
use crate::raw::{self, Operand};
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::attr::EntityKind;
use vitrine_ir::ops::attr::ValueKind;
use vitrine_ir::ops::constraint::ValueClass as TypeKind;
use vitrine_ir::ops::{Attr, Flags, Key, Op, SpirvOp, ValueType};
use vitrine_ir::{Anchor, Args, Attrs, Inst, InstData, Text};

/// The part of an instruction before its operation.
struct InstHead {
    id: Option<Inst>,
    name: Option<Text>,
    ty: Option<ValueType>,
    at: Token,
}

impl Parser<'_> {
    /// An instruction, up to the end of its line.
    pub(super) fn instruction(&mut self, body: &mut Body) -> Res<Inst> {
        let head = self.head()?;
        let word = self.expect(TokenKind::Word, "an operation")?;
        let raw = raw::opcode(self.slice(word));
        let op = raw.map(|_| SpirvOp::Raw.into()).or_else(|| super::aliases::operation(self.slice(word)));
        let Some(op) = op else { return Err(self.unknown_op(word)) };
        let flags = self.flags();
        let (args, components, attrs) = match raw {
            Some(opcode) => self.raw(opcode)?,
            None => {
                let mut attrs = Vec::new();
                let called = self.lead(op, &head, &mut attrs)?;
                let (args, components) = self.args(op, called, !attrs.is_empty(), &mut attrs)?;
                attrs.extend(self.attrs()?.iter());
                (args, components, attrs)
            }
        };
        self.end_of_line()?;
        let ty = self.result_type(body, op, &head, &args, components)?;
        let id = match head.id {
            Some(id) => id,
            None => body.fresh_inst(self),
        };
        self.define_inst(body, id, head.name, head.at)?;
        self.map.define(Anchor::Inst(body.func, id), head.at);
        body.put(id, InstData { op, flags, ty, args: Args::new(&args), attrs: Attrs::from_list(attrs) });
        Ok(id)
    }

    /// `%3 "name": b32 =`, or nothing.
    fn head(&mut self) -> Res<InstHead> {
        let at = self.peek();
        if at.kind != TokenKind::Entity {
            return Ok(InstHead { id: None, name: None, ty: None, at });
        }
        let (id, name) = self.definition::<Inst>()?;
        let ty = if self.eat(TokenKind::Punct(b':')) { Some(self.value_type()?) } else { None };
        self.punct(b'=')?;
        Ok(InstHead { id: Some(id), name, ty, at })
    }

    fn flags(&mut self) -> Flags {
        let mut flags = Flags::NONE;
        while let Some(flag) = Flags::from_name(self.word_text(self.peek())) {
            self.at += 1;
            flags = flags.and(flag);
        }
        flags
    }

    /// The attributes after the name; returns true if one of them is a function, so that operands are in
    /// parentheses.
    fn lead(&mut self, op: Op, head: &InstHead, attrs: &mut Vec<Attr>) -> Res<bool> {
        for &key in op.info().lead {
            let value = match key.kind() {
                ValueKind::Entity(EntityKind::Const) => {
                    let Some(ty) = head.ty else {
                        return Err(self.error(
                            "P008",
                            head.at,
                            "this constant needs a type",
                            "write `%0: b32 = const ...`",
                        ));
                    };
                    EntityId::index(self.const_bits(ty)?) as u64
                }
                _ => self.attr_value(key)?,
            };
            attrs.push(Attr::new(key, value));
        }
        Ok(op.info().lead.contains(&Key::Func))
    }

    /// Operands; also the number of components of a swizzle, if its letters determine it.
    fn args(
        &mut self,
        op: Op,
        called: bool,
        led: bool,
        attrs: &mut Vec<Attr>,
    ) -> Res<(Vec<Inst>, Option<u8>)> {
        let mut args = Vec::new();
        let mut components = None;
        let mut one = |parser: &mut Self| {
            args.push(parser.entity::<Inst>()?);
            if args.len() == 1 && parser.eat(TokenKind::Punct(b'.')) {
                components = parser.suffix(op, attrs)?;
            }
            Ok(())
        };
        if called {
            self.punct(b'(')?;
            self.list(b')', one)?;
        } else if !led || self.eat(TokenKind::Punct(b',')) {
            self.open_list(&mut one)?;
        }
        Ok((args, components))
    }

    /// Operands and attributes of a SPIR-V instruction that is written by name.
    fn raw(&mut self, opcode: u64) -> Res<(Vec<Inst>, Option<u8>, Vec<Attr>)> {
        let mut args = Vec::new();
        let mut operands = Vec::new();
        self.open_list(|parser| {
            if parser.peek().kind == TokenKind::Number {
                operands.push(Operand::Literal(parser.number_u32()?));
                return Ok(());
            }
            let arg = parser.entity::<Inst>()?;
            let reading = match parser.eat_word("as") {
                true => Some(parser.reading()?),
                false => None,
            };
            operands.push(Operand::Value(args.len(), reading));
            args.push(arg);
            Ok(())
        })?;
        let at = self.peek();
        let mut attrs: Vec<Attr> = self.attrs()?.iter().collect();
        let stated = |key| attrs.iter().any(|attr| attr.key == key);
        if stated(Key::Opcode) || stated(Key::Words) {
            let help = "state the operands in their order, or write `spirv.raw` with both attributes";
            return Err(self.error(
                "P007",
                at,
                "an instruction by name has no `opcode` and no `words`",
                help,
            ));
        }
        let words = raw::words(&operands, raw::first_place(opcode, stated(Key::Text)));
        attrs.push(Attr::new(Key::Opcode, opcode));
        if !words.is_empty() {
            attrs.push(Attr::new(Key::Words, self.module.blob(&words).index() as u64));
        }
        Ok((args, None, attrs))
    }

    /// How a value is read, after `as`.
    fn reading(&mut self) -> Res<usize> {
        let token = self.expect(TokenKind::Word, "how the value is read")?;
        match raw::READINGS.iter().position(|&reading| reading == self.slice(token)) {
            Some(reading) => Ok(reading),
            None => Err(self.unknown_word(token, "how a value is read", &raw::READINGS)),
        }
    }

    /// The suffix after the dot of the first operand.
    fn suffix(&mut self, op: Op, attrs: &mut Vec<Attr>) -> Res<Option<u8>> {
        let token = self.peek();
        match suffix_key(op) {
            Some(Key::Components) => {
                let (packed, components) = self.component_letters()?;
                attrs.push(Attr::new(Key::Components, packed));
                Ok(Some(components))
            }
            Some(key) => {
                let value = self.attr_value(key)?;
                attrs.push(Attr::new(key, value));
                Ok(None)
            }
            None => {
                let says = format!("`{}` cannot select a part of its operand", op.name());
                Err(self.error("P007", token, &says, "use `swizzle` or `deref.field` first"))
            }
        }
    }

    /// The stated type, or the one that the operands determine.
    fn result_type(
        &mut self,
        body: &Body,
        op: Op,
        head: &InstHead,
        args: &[Inst],
        components: Option<u8>,
    ) -> Res<ValueType> {
        let arg = |at: usize| args.get(at).map_or(ValueType::Void, |&arg| body.ty(arg));
        let inferred = || match (op.info().result.class, components) {
            (TypeKind::Nothing | TypeKind::Maybe, _) => Some(ValueType::Void),
            (_, Some(components)) => arg(0).width().map(|width| ValueType::bits(width, components)),
            (_, None) => {
                let types: Vec<ValueType> = (0..args.len()).map(arg).collect();
                op.info().infer(&types)
            }
        };
        match head.ty.or_else(inferred) {
            Some(ty) if components.is_some_and(|count| !Self::components_fit(ty, count)) => {
                let says = format!(
                    "the swizzle selects {} components, but the result is `{ty}`",
                    components.unwrap_or(0)
                );
                Err(self.error("P009", head.at, &says, "select as many components as the result has"))
            }
            Some(ty) => Ok(ty),
            None => {
                let says = format!("the type of this `{}` does not follow from its operands", op.name());
                Err(self.error("P008", head.at, &says, "state it, as in `%3: b32x4 = ...`"))
            }
        }
    }

    /// Records the definition of a value.
    pub(super) fn define_inst(
        &mut self,
        body: &mut Body,
        id: Inst,
        name: Option<Text>,
        at: Token,
    ) -> Res<()> {
        self.once(at, |_| body.insts.insert(id))?;
        body.assembler.name_inst(id, name);
        Ok(())
    }
}
