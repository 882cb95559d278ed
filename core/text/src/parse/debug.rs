//! Parses the debug table. Numbers of entries are those of the text; the table gives equal entries one id.
//!
//! An entry refers to entries on earlier lines only, as those of the printer do.

use super::{Parser, Res};
use crate::lex::TokenKind;
use vitrine_ir::{
    Binding, Debug, DebugArg, DebugField, DebugKind, DebugOperand, DebugPresence, DebugTakes, Func, Held,
    Inst, Var,
};

impl Parser<'_> {
    /// An entry, or what an entry describes.
    pub(super) fn debug(&mut self) -> Res<()> {
        self.at += 1;
        let token = self.peek();
        match self.slice(token).bytes().next() {
            Some(b'@') => self.debug_in_function(),
            Some(b'$') => {
                let var: Var = self.entity()?;
                self.punct(b'=')?;
                let binding = self.binding()?;
                if self.module.var(var).is_some() && self.module.debug_mut().bind_var(var, binding) {
                    return Ok(());
                }
                let help = "declare the variable before this line, and name a `local` or a `global`";
                Err(self.error("P007", token, "this variable cannot have the entry", help))
            }
            _ => self.debug_entry(),
        }
    }

    /// The entry of a function, or the variable that a value of it holds or points to.
    fn debug_in_function(&mut self) -> Res<()> {
        let token = self.peek();
        let func: Func = self.entity()?;
        if self.peek().kind != TokenKind::Entity {
            self.punct(b'=')?;
            let entry = self.entry_number()?;
            if self.module.func(func).is_some() && self.module.debug_mut().bind_func(func, entry) {
                return Ok(());
            }
            let help = "define the function before this line, and name an entry `function`";
            return Err(self.error("P007", token, "this function cannot have the entry", help));
        }
        let value: Inst = self.entity()?;
        let is_address = self.eat(TokenKind::Arrow);
        if !is_address {
            self.punct(b'=')?;
        }
        let binding = self.binding()?;
        if is_address != (binding.held == Held::Address) {
            let help = "write `->` before the variable of an address, `=` before `5 value 0 of 1`";
            return Err(self.error("P007", token, "this is neither an address nor a value", help));
        }
        if self.module.bind_value(func, value, binding) {
            return Ok(());
        }
        let help = "define the value before this line, and name a `local` or a `global`";
        Err(self.error("P007", token, "this value cannot have the entry", help))
    }

    fn binding(&mut self) -> Res<Binding> {
        let variable = self.entry_number()?;
        let mut held = Held::Address;
        if self.eat_word("value") {
            let number = self.number_u32()?;
            if !self.eat_word("of") {
                return Err(self.unexpected("`of` and the number of values", ""));
            }
            held = Held::Value { number, of: self.number_u32()? };
        }
        let scope = if self.eat_word("in") { Some(self.entry_number()?) } else { None };
        Ok(Binding { variable, scope, held })
    }

    /// The number of an entry on an earlier line.
    fn entry_number(&mut self) -> Res<Debug> {
        let token = self.peek();
        let number = self.number_u32()?;
        self.debug_ids.get(&number).copied().ok_or_else(|| {
            let says = format!("there is no entry {number} on an earlier line");
            self.error("P007", token, &says, "write an entry after those that it refers to")
        })
    }

    fn debug_entry(&mut self) -> Res<()> {
        let token = self.peek();
        let number = self.number_u32()?;
        self.punct(b'=')?;
        let word = self.expect(TokenKind::Word, "a kind of debug information")?;
        let Some(kind) = DebugKind::from_name(self.slice(word)) else {
            let known: Vec<&str> = DebugKind::ALL.iter().map(|kind| kind.name()).collect();
            return Err(self.unknown_word(word, "a kind of debug information", &known));
        };
        let operands = kind.operands();
        let mut values: Vec<Vec<DebugArg>> = vec![Vec::new(); operands.len()];
        while self.peek().kind == TokenKind::Word {
            let word = self.peek();
            self.at += 1;
            let Some(at) = operands.iter().position(|operand| operand.field.name() == self.slice(word))
            else {
                let known: Vec<&str> = operands.iter().map(|operand| operand.field.name()).collect();
                return Err(self.unknown_word(word, "an operand of this kind", &known));
            };
            self.once(word, |_| values[at].is_empty())?;
            values[at] = self.debug_values(&operands[at])?;
            if !self.eat(TokenKind::Punct(b',')) {
                break;
            }
        }
        let mut args = Vec::new();
        for (operand, values) in operands.iter().zip(values) {
            match (operand.presence, &values[..]) {
                (DebugPresence::List, _) => args.extend(values),
                (_, [one]) => args.push(*one),
                _ => args.push(DebugArg::None),
            }
        }
        match self.module.debug_mut().add(kind, args) {
            Ok(id) => self.once(token, |parser| parser.debug_ids.insert(number, id).is_none()),
            Err(field) => Err(self.bad_operand(word, kind, field)),
        }
    }

    fn bad_operand(
        &mut self,
        word: crate::lex::Token,
        kind: DebugKind,
        field: DebugField,
    ) -> super::Reported {
        let says = format!("`{}` has no valid operand `{}`", kind.name(), field.name());
        let operand = kind.operands().iter().find(|operand| operand.field == field);
        let help = match operand.map(|operand| operand.takes) {
            Some(DebugTakes::Entry(kinds)) => {
                let kinds: Vec<&str> = kinds.iter().map(|kind| kind.name()).collect();
                format!("name an entry of kind {}", kinds.join(", "))
            }
            Some(DebugTakes::Text) => "write a quoted text".to_owned(),
            Some(DebugTakes::Number) | None => "write a number".to_owned(),
        };
        self.error("P007", word, &says, &help)
    }

    /// The value of an operand, or those of a list.
    fn debug_values(&mut self, operand: &DebugOperand) -> Res<Vec<DebugArg>> {
        let mut values = Vec::new();
        let is_list = operand.presence == DebugPresence::List;
        while values.is_empty() || is_list && self.peek().kind == TokenKind::Number {
            values.push(match operand.takes {
                DebugTakes::Text => DebugArg::Text(self.quoted()?),
                DebugTakes::Number => DebugArg::Number(self.number_u32()?),
                DebugTakes::Entry(_) => DebugArg::Entry(self.entry_number()?),
            });
        }
        Ok(values)
    }
}
