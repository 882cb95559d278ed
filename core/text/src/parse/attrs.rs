//! Parses attributes in braces: `{align 16, access coherent+volatile}`.

use super::{Parser, Res};
use crate::lex::TokenKind;
use crate::usage;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::attr::{COMPONENT_LETTERS, EntityKind, MAX_ROLES, ValueKind, pack_components};
use vitrine_ir::ops::{Attr, Key, Role, ValueType};
use vitrine_ir::{Attrs, Blob, Func, Global, Reg, Var};

impl Parser<'_> {
    /// Attributes in braces; none if there is no brace.
    pub(super) fn attrs(&mut self) -> Res<Attrs> {
        let mut list = Vec::new();
        if self.eat(TokenKind::Punct(b'{')) {
            self.list(b'}', |parser| {
                let attr = parser.attr()?;
                list.push(attr);
                Ok(())
            })?;
        }
        Ok(Attrs::from_list(list))
    }

    /// Attributes before another brace: only if the brace does not end its line.
    pub(super) fn braced_struct_attrs(&mut self) -> Res<Attrs> {
        let after = self.tokens.get(self.at + 1).map(|token| token.kind);
        match after {
            Some(TokenKind::Newline | TokenKind::End) | None => Ok(Attrs::None),
            Some(_) => self.attrs(),
        }
    }

    fn attr(&mut self) -> Res<Attr> {
        let token = self.expect(TokenKind::Word, "an attribute")?;
        let Some(key) = super::aliases::attribute(self.slice(token)) else {
            let known: Vec<&str> = Key::ALL.iter().map(|key| key.name()).collect();
            return Err(self.unknown_word(token, "an attribute", &known));
        };
        Ok(Attr::new(key, self.attr_value(key)?))
    }

    /// The value of a key. A plain number is accepted for any key that is not an entity: the printer writes
    /// one for a value without a spelling.
    pub(super) fn attr_value(&mut self, key: Key) -> Res<u64> {
        match key.kind() {
            ValueKind::Flag => Ok(1),
            ValueKind::Number | ValueKind::Member => Ok(u64::from(self.number_u32()?)),
            ValueKind::Signed => self.signed(),
            ValueKind::Word(words) => match self.plain_number() {
                Some(number) => Ok(number),
                None => self.word_of(words),
            },
            ValueKind::Words(words) => match self.plain_number() {
                Some(number) => Ok(number),
                None => self.words_of(words),
            },
            ValueKind::Roles => match self.plain_number() {
                Some(number) => Ok(number),
                None => self.roles(),
            },
            ValueKind::Components => match self.plain_number() {
                Some(number) => Ok(number),
                None => Ok(self.component_letters()?.0),
            },
            ValueKind::Entity(_) if key == Key::Usage && self.peek().kind == TokenKind::Punct(b'(') => {
                self.usage()
            }
            ValueKind::Entity(kind) => self.attr_entity(kind),
        }
    }

    /// The usage of memory, in parentheses.
    fn usage(&mut self) -> Res<u64> {
        let token = self.next();
        let mut pieces = Vec::new();
        self.usage_entries(&mut pieces, TokenKind::Punct(b')'));
        let text = usage::spell(&pieces);
        if usage::pieces(&text).is_none() {
            return Err(self.error(
                "P007",
                token,
                "this usage cannot be read",
                "write it as in `usage (0..4 b32 read)`",
            ));
        }
        self.punct(b')')?;
        Ok(self.module.text(&text).index() as u64)
    }

    fn attr_entity(&mut self, kind: EntityKind) -> Res<u64> {
        Ok(match kind {
            EntityKind::Const => {
                let ty = self.value_type()?;
                self.const_bits(ty)?.index() as u64
            }
            EntityKind::Global => self.entity::<Global>()?.index() as u64,
            EntityKind::Var => self.entity::<Var>()?.index() as u64,
            EntityKind::Func => self.entity::<Func>()?.index() as u64,
            EntityKind::Reg => self.entity::<Reg>()?.index() as u64,
            EntityKind::Type => self.full_type()?.index() as u64,
            EntityKind::Blob => self.words()?.index() as u64,
            EntityKind::Text => self.quoted()?.index() as u64,
        })
    }

    /// A list of numbers in parentheses.
    pub(super) fn words(&mut self) -> Res<Blob> {
        let mut words = Vec::new();
        self.punct(b'(')?;
        self.list(b')', |parser| {
            words.push(parser.number_u32()?);
            Ok(())
        })?;
        Ok(self.module.blob(&words))
    }

    fn signed(&mut self) -> Res<u64> {
        let token = self.expect(TokenKind::Number, "a number")?;
        match self.slice(token).parse::<i32>() {
            Ok(number) => Ok(i64::from(number) as u64),
            Err(_) => {
                let says = format!("{} is not a signed 32-bit number", self.show(token));
                Err(self.error("P004", token, &says, ""))
            }
        }
    }

    /// A number that consists only of digits; words such as `2d` also begin with a digit.
    fn plain_number(&mut self) -> Option<u64> {
        let token = self.peek();
        let number = self.slice(token).parse().ok().filter(|_| token.kind == TokenKind::Number)?;
        self.at += 1;
        Some(number)
    }

    fn word_of(&mut self, words: &'static [&'static str]) -> Res<u64> {
        let token = self.peek();
        let found = match token.kind {
            TokenKind::Word | TokenKind::Number => words.iter().position(|&word| word == self.slice(token)),
            _ => return Err(self.unexpected("a word", &format!("one of {}", words.join(", ")))),
        };
        match found {
            Some(at) => {
                self.at += 1;
                Ok(at as u64)
            }
            None => Err(self.unknown_word(token, "a word that is valid here", words)),
        }
    }

    fn words_of(&mut self, words: &'static [&'static str]) -> Res<u64> {
        let mut set = 0;
        loop {
            set |= 1 << self.word_of(words)?;
            if !self.eat(TokenKind::Punct(b'+')) {
                return Ok(set);
            }
        }
    }

    fn roles(&mut self) -> Res<u64> {
        let first = self.peek();
        let mut roles = Vec::new();
        loop {
            let token = self.expect(TokenKind::Word, "a role")?;
            let Some(role) = Role::from_name(self.slice(token)) else {
                let known: Vec<&str> = Role::ALL.iter().map(|role| role.name()).collect();
                return Err(self.unknown_word(token, "a role", &known));
            };
            roles.push(role);
            if !self.eat(TokenKind::Punct(b'+')) {
                break;
            }
        }
        if roles.len() > MAX_ROLES {
            let says = format!("{} roles are given, but an operation takes at most {MAX_ROLES}", roles.len());
            return Err(self.error("P004", first, &says, ""));
        }
        Ok(Role::pack(&roles))
    }

    /// Component letters and their number.
    pub(super) fn component_letters(&mut self) -> Res<(u64, u8)> {
        let token = self.expect(TokenKind::Word, "components such as `xyz`")?;
        let components: Option<Vec<u8>> =
            self.slice(token).chars().map(|c| COMPONENT_LETTERS.find(c).map(|at| at as u8)).collect();
        match components {
            Some(components) if components.len() <= 16 => {
                Ok((pack_components(&components), components.len() as u8))
            }
            Some(_) | None => {
                let says = format!("{} does not select components", self.show(token));
                let help = format!("use at most 16 letters of `{COMPONENT_LETTERS}`");
                Err(self.error("P007", token, &says, &help))
            }
        }
    }

    /// Returns true if a swizzle with `count` letters fits the stated type of its instruction.
    pub(super) fn components_fit(ty: ValueType, count: u8) -> bool {
        ty.components() == count
    }
}
