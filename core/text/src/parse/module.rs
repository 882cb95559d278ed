//! Parses declarations: facts, structures, module constants, variables, entry points, decorations.
//!
//! Each declaration takes one line, except structures. The validator checks the declarations.

use super::{Parser, Reported, Res};
use crate::consts;
use crate::lex::{Token, TokenKind};
use crate::usage::{self, Piece};
use std::rc::Rc;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{Attr, Bits, Key, ValueType};
use vitrine_ir::{
    Anchor, Attrs, Const, Decor, DecorTarget, EntryPoint, ExecutionMode, Fact, FactKey, Func, Global,
    GlobalData, GlobalValue, Member, Mode, ModeUse, Operand, Stage, Struct, StructData, Var, VarData,
};

impl<'t> Parser<'t> {
    pub(super) fn fact(&mut self) -> Res<()> {
        self.at += 1;
        let word = self.expect(TokenKind::Word, "a kind of fact")?;
        let Some(key) = FactKey::from_name(self.slice(word)) else {
            let known: Vec<&str> = FactKey::ALL.iter().map(|key| key.name()).collect();
            return Err(self.unknown_word(word, "a kind of fact", &known));
        };
        let value = self.quoted()?;
        Rc::make_mut(&mut self.module.facts).push(Fact { key, value });
        Ok(())
    }

    pub(super) fn structure(&mut self) -> Res<()> {
        self.at += 1;
        let token = self.peek();
        let (id, name) = self.definition::<Struct>()?;
        self.map.define(Anchor::Struct(id), token);
        let attrs = self.braced_struct_attrs()?;
        self.punct(b'{')?;
        self.end_of_line()?;
        let mut members = Vec::new();
        loop {
            while self.eat(TokenKind::Newline) {}
            if self.eat(TokenKind::Punct(b'}')) {
                break;
            }
            if self.peek().kind == TokenKind::End {
                return Err(self.unexpected("`}`", "the structure is not closed"));
            }
            let before = self.at;
            match self.member(id, members.len()) {
                Ok(member) => members.push(member),
                Err(Reported) => {
                    self.at = self.at.max(before);
                    self.skip_line();
                }
            }
        }
        self.once(token, |parser| parser.structs.insert(id))?;
        self.module.set_struct(id, StructData { name, members: members.into(), attrs });
        Ok(())
    }

    fn member(&mut self, structure: Struct, at: usize) -> Res<Member> {
        let token = self.next();
        let name = match token.kind {
            TokenKind::Word if self.slice(token) == "_" => None,
            TokenKind::Word if !self.slice(token).contains('.') => Some(self.module.text(self.slice(token))),
            TokenKind::Quoted => Some(self.unquote(token)?),
            _ => {
                self.at -= 1;
                return Err(self.unexpected("the name of a member", "write `_` for a member without a name"));
            }
        };
        self.map.define(Anchor::Member(structure, at as u32), token);
        self.punct(b':')?;
        let ty = self.full_type()?;
        let attrs = self.attrs()?;
        self.end_of_line()?;
        Ok(Member { name, ty, attrs })
    }

    pub(super) fn global(&mut self) -> Res<()> {
        self.at += 1;
        let token = self.peek();
        let (id, name) = self.definition::<Global>()?;
        self.map.define(Anchor::Global(id), token);
        let declared = if self.eat(TokenKind::Punct(b':')) { Some(self.value_type()?) } else { None };
        self.punct(b'=')?;
        let value = self.global_value(declared)?;
        let attrs = self.attrs()?;
        self.once(token, |parser| parser.globals.insert(id))?;
        self.module.set_global(id, GlobalData { name, value, attrs });
        Ok(())
    }

    fn global_value(&mut self, declared: Option<ValueType>) -> Res<GlobalValue> {
        let word =
            self.expect(TokenKind::Word, "`spec`, `parts`, `zero`, `undef`, `address` or an operation")?;
        match self.slice(word) {
            "spec" => {
                let ty = self.declared(declared, word)?;
                let bits = self.literal(ty)?;
                Ok(GlobalValue::Spec(self.module.bits(bits)))
            }
            "parts" => {
                let ty = self.full_type()?;
                self.punct(b'(')?;
                let parts = self.operands(Some(b')'), |parser, at| parser.module.part_type(ty, at))?;
                Ok(GlobalValue::Parts(ty, parts.into()))
            }
            "zero" => Ok(GlobalValue::Zero(self.full_type()?)),
            "undef" => Ok(GlobalValue::Undef(self.full_type()?)),
            "address" => Ok(GlobalValue::Address(self.entity::<Var>()?)),
            name => {
                let Some(op) = super::aliases::operation(name) else { return Err(self.unknown_op(word)) };
                let ty = self.declared(declared, word)?;
                let args = self.operands(None, |_, _| None)?;
                Ok(GlobalValue::Op { op, ty, args: args.into() })
            }
        }
    }

    fn declared(&mut self, declared: Option<ValueType>, at: Token) -> Res<ValueType> {
        declared.ok_or_else(|| {
            self.error("P008", at, "this constant needs a type", "write `const &0: b32 = ...`")
        })
    }

    /// A variable; the mode is the current token.
    pub(super) fn variable(&mut self, mode: Mode, owner: Option<Func>) -> Res<()> {
        self.at += 1;
        let token = self.peek();
        let (id, name) = self.definition::<Var>()?;
        self.map.define(Anchor::Var(id), token);
        self.punct(b':')?;
        let untyped = self.untyped()?;
        let ty = self.full_type()?;
        let init = if self.eat(TokenKind::Punct(b'=')) {
            let expected = self.module.value_type(ty);
            Some(self.operand(expected)?)
        } else {
            None
        };
        let mut list: Vec<Attr> = self.attrs()?.iter().collect();
        list.extend(untyped);
        list.extend(self.usage_lines()?);
        let attrs = Attrs::from_list(list);
        self.once(token, |parser| parser.vars.insert(id))?;
        self.module.set_var(id, VarData { name, ty, mode, owner, init, attrs });
        Ok(())
    }

    /// The lines under a variable that describe its usage.
    fn usage_lines(&mut self) -> Res<Option<Attr>> {
        let mut pieces: Vec<Piece<'t>> = Vec::new();
        loop {
            let ahead = self.tokens.iter().skip(self.at).position(|token| token.kind != TokenKind::Newline);
            let next = ahead.and_then(|ahead| self.tokens.get(self.at + ahead).copied());
            let Some(next) = next.filter(|&next| self.word_text(next) == "usage") else { break };
            let Some(ahead) = ahead.filter(|&ahead| ahead > 0) else { break };
            self.at += ahead + 1;
            if !pieces.is_empty() {
                pieces.push((TokenKind::Punct(b','), ","));
            }
            self.usage_entries(&mut pieces, TokenKind::Newline);
            if usage::pieces(&usage::spell(&pieces)).is_none() {
                let help = "write it as in `usage 16.. * 32 { 0..4 b32 read }`";
                return Err(self.error("P007", next, "this usage cannot be read", help));
            }
        }
        if pieces.is_empty() {
            return Ok(None);
        }
        let text = self.module.text(&usage::spell(&pieces));
        Ok(Some(Attr::new(Key::Usage, text.index() as u64)))
    }

    /// Tokens up to the end of a usage outside of its braces. Inside, a line break is equivalent to a comma.
    pub(super) fn usage_entries(&mut self, pieces: &mut Vec<Piece<'t>>, end: TokenKind) {
        let mut depth = 0usize;
        loop {
            let token = self.peek();
            let begins = matches!(pieces.last(), Some((TokenKind::Punct(b'{' | b','), _)));
            match token.kind {
                TokenKind::End => return,
                kind if kind == end && depth == 0 => return,
                TokenKind::Newline if depth == 0 => return,
                TokenKind::Newline if begins => {}
                TokenKind::Newline => pieces.push((TokenKind::Punct(b','), ",")),
                kind => {
                    depth += usize::from(kind == TokenKind::Punct(b'{'));
                    if kind == TokenKind::Punct(b'}') {
                        depth = depth.saturating_sub(1);
                        if pieces.last().is_some_and(|last| last.0 == TokenKind::Punct(b',')) {
                            pieces.pop();
                        }
                    }
                    pieces
                        .push((kind, self.text.get(token.start as usize..token.end as usize).unwrap_or("")));
                }
            }
            self.at += 1;
        }
    }

    fn keyword(&mut self, word: &str) -> Res<()> {
        let hint = "write untyped memory as `bytes(16 + n * 32) was f32`";
        if self.eat_word(word) { Ok(()) } else { Err(self.unexpected(&format!("`{word}`"), hint)) }
    }

    /// `bytes(16 + n * 32) was`, the mark of untyped memory, as the attributes that it represents.
    fn untyped(&mut self) -> Res<Vec<Attr>> {
        if !self.eat_word("bytes") {
            return Ok(Vec::new());
        }
        self.punct(b'(')?;
        let mut written = vec![Attr::new(Key::Bytes, u64::from(self.number_u32()?))];
        if self.eat(TokenKind::Punct(b'+')) {
            if self.peek().kind == TokenKind::Entity {
                let len: Global = self.entity()?;
                written.push(Attr::new(Key::Global, len.index() as u64));
            } else {
                self.keyword("n")?;
            }
            self.punct(b'*')?;
            written.push(Attr::new(Key::Stride, u64::from(self.number_u32()?)));
        }
        self.punct(b')')?;
        self.keyword("was")?;
        Ok(written)
    }

    pub(super) fn entry(&mut self) -> Res<()> {
        let first = self.next();
        let word = self.expect(TokenKind::Word, "a stage")?;
        let Some(stage) = Stage::from_name(self.slice(word)) else {
            let known: Vec<&str> = Stage::ALL.iter().map(|stage| stage.name()).collect();
            return Err(self.unknown_word(word, "a stage", &known));
        };
        self.map.define(Anchor::Entry(self.module.entries.len() as u32), first);
        let name = self.quoted()?;
        let func = self.entity::<Func>()?;
        let mut interface = Vec::new();
        self.punct(b'(')?;
        self.list(b')', |parser| {
            interface.push(parser.entity::<Var>()?);
            Ok(())
        })?;
        let mut modes = Vec::new();
        if self.eat(TokenKind::Punct(b'{')) {
            self.list(b'}', |parser| {
                modes.push(parser.mode()?);
                Ok(())
            })?;
        }
        Rc::make_mut(&mut self.module.entries).push(EntryPoint { name, stage, func, interface, modes });
        Ok(())
    }

    fn mode(&mut self) -> Res<ModeUse> {
        let word = self.expect(TokenKind::Word, "an execution mode")?;
        let Some(mode) = ExecutionMode::parse(self.slice(word)) else {
            let known: Vec<&str> = ExecutionMode::ALL.iter().map(|mode| mode.name()).collect();
            return Err(self.unknown_word(word, "an execution mode", &known));
        };
        let mut args = Vec::new();
        while !matches!(self.peek().kind, TokenKind::Punct(b',' | b'}') | TokenKind::Newline | TokenKind::End)
        {
            args.push(self.operand(Some(ValueType::B32))?);
        }
        Ok(ModeUse { mode, args })
    }

    pub(super) fn decorate(&mut self) -> Res<()> {
        self.at += 1;
        let token = self.peek();
        let on = match self.slice(token).as_bytes().first() {
            Some(b'$') => DecorTarget::Var(self.entity()?),
            Some(b'@') => DecorTarget::Func(self.entity()?),
            Some(b'&') => DecorTarget::Global(self.entity()?),
            Some(b'#') => {
                let structure = self.entity()?;
                match self.eat(TokenKind::Punct(b'.')) {
                    true => DecorTarget::Member(structure, self.number_u32()?),
                    false => DecorTarget::Struct(structure),
                }
            }
            _ => {
                return Err(self.unexpected(
                    "an entity to decorate",
                    "name a variable, function, constant, structure or member",
                ));
            }
        };
        let number = self.number_u32()?;
        let words = if self.peek().kind == TokenKind::Punct(b'(') { Some(self.words()?) } else { None };
        let text = if self.peek().kind == TokenKind::Quoted { Some(self.quoted()?) } else { None };
        Rc::make_mut(&mut self.module.decors).push(Decor { on, number, words, text });
        Ok(())
    }

    // Operands and literals.

    fn operands(
        &mut self,
        close: Option<u8>,
        expected: impl Fn(&Self, usize) -> Option<ValueType>,
    ) -> Res<Vec<Operand>> {
        let mut operands = Vec::new();
        let one = |parser: &mut Self| {
            let expected = expected(parser, operands.len());
            operands.push(parser.operand(expected)?);
            Ok(())
        };
        match close {
            Some(close) => self.list(close, one)?,
            None => self.open_list(one)?,
        }
        Ok(operands)
    }

    /// A module constant, or bits, which state their type unless it is the expected one.
    pub(super) fn operand(&mut self, expected: Option<ValueType>) -> Res<Operand> {
        let token = self.peek();
        if token.kind == TokenKind::Entity {
            return Ok(Operand::Global(self.entity()?));
        }
        let stated = match token.kind {
            TokenKind::Word => ValueType::parse(self.slice(token)),
            _ => None,
        };
        let ty = match (stated, expected) {
            (Some(ty), _) => {
                self.at += 1;
                ty
            }
            (None, Some(ty)) => ty,
            (None, None) => {
                return Err(self.unexpected("a constant", "give the literal a type, as in `b32 1.0`"));
            }
        };
        let bits = self.literal(ty)?;
        Ok(Operand::Bits(self.module.bits(bits)))
    }

    /// Bits of a given type: `1.0`, `(1, 2)`.
    pub(super) fn literal(&mut self, ty: ValueType) -> Res<Bits> {
        let ValueType::Bits { width, components } = ty else {
            let token = self.peek();
            return Err(self.error(
                "P006",
                token,
                &format!("a `{ty}` has no literal"),
                "only bits have literals",
            ));
        };
        if components == 1 {
            return Ok(Bits::from_components(width, &[self.component(ty)?]));
        }
        let open = self.peek();
        self.punct(b'(')?;
        let mut read = Vec::new();
        self.list(b')', |parser| {
            read.push(parser.component(ty)?);
            Ok(())
        })?;
        if read.len() != components as usize {
            let says = format!("{} components are given, but `{ty}` has {components}", read.len());
            return Err(self.error("P006", open, &says, "give one number for each component"));
        }
        Ok(Bits::from_components(width, &read))
    }

    fn component(&mut self, ty: ValueType) -> Res<u64> {
        let token = self.next();
        let width = ty.width().unwrap_or_default();
        match consts::read_component(width, self.slice(token)) {
            Some(bits) if matches!(token.kind, TokenKind::Number | TokenKind::Word) => Ok(bits),
            Some(_) | None => {
                self.at -= 1;
                let says = format!("{} is not a number of {} bits", self.show(token), width.bits());
                let help = "write `7`, `-1`, `0xff`, `1.5` or, for one bit, `true`";
                Err(self.error("P006", token, &says, help))
            }
        }
    }

    pub(super) fn const_bits(&mut self, ty: ValueType) -> Res<Const> {
        let bits = self.literal(ty)?;
        Ok(self.module.bits(bits))
    }
}
