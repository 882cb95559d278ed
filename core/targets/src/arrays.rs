//! Assignments of all elements of an array, one after the other, are one assignment of the array.
//!
//! ```text
//! a[0] = b.c[0];                     a[0] = 2;
//! a[1] = b.c[1];    a = b.c;         a[1] = 5;    a = int[](2, 5);
//! a[2] = b.c[2];                     a[2] = 0;    (with [3])
//! ```
//!
//! The statements follow each other in the text, so nothing is computed in between. No value mentions the array, which is
//! a variable of the invocation: no other name refers to it. Elements are numbers; the values of a list are short.
//! Languages without values of arrays keep the statements.

use super::expr::{Token, punct, space};
use super::func::FuncWriter;
use super::operands;
use super::plan::Emission;
use super::stmt::{Arena, Element, List, Stmt, StmtId};
use std::rc::Rc;
use vitrine_ir::ops::{DerefOp, MemoryOp, Op};
use vitrine_ir::{Inst, Len, Mode, Type, TypeData};
use vitrine_text::Class;

/// The longest value in a list, in columns.
const MOST_COLUMNS: usize = 24;

impl FuncWriter<'_, '_> {
    /// Notes that the last statement, for which [`Self::may_be_element`] is true, assigns an element of an array.
    pub(super) fn note_element(&mut self, store: Inst, value: Vec<Token>) {
        if let Some(element) = self.element(store, value)
            && let Some(&stmt) = self.lists.last().and_then(|list| list.last())
        {
            self.arena.elements.insert(stmt, element);
        }
    }

    /// Returns true for a store to an element of a variable, with a constant index, in a language with values of arrays; to
    /// the first element, or to the one after that of the last statement.
    pub(super) fn may_be_element(&self, store: Inst) -> bool {
        let has_values = self.w.dialect.array_values().is_some();
        let path = self.body.inst(store).args.first().filter(|_| has_values);
        let array = path.and_then(|&path| self.element_of(path));
        array.is_some_and(|(array, index)| {
            let last = || self.lists.last().and_then(|list| self.arena.elements.get(list.last()?));
            self.body.inst(array).op == Op::Deref(DerefOp::Var)
                && (index == 0 || last().is_some_and(|last| last.index + 1 == index))
        })
    }

    fn element(&mut self, store: Inst, value: Vec<Token>) -> Option<Element> {
        let &[path, from] = &self.body.inst(store).args[..] else { return None };
        let (array, index) = self.element_of(path)?;
        let text = self.path(array)?;
        if !matches!(text.mode, Mode::Local | Mode::Private) {
            return None;
        }
        let [name] = &text.tokens[..] else { return None };
        let (of, len) = self.numbers(text.ty)?;
        let name: Rc<str> = name.text.as_str().into();
        let is_own = value.iter().any(|token| token.text.as_str() == &*name);
        if is_own || index >= len {
            return None;
        }
        let source = self.source_of(from, index, (of, len));
        let list = if index == 0 { self.list_start(of, len)? } else { Vec::new() };
        Some(Element { array: name, index, len, source, list, value })
    }

    /// The array and the index that a path with a constant index as its last step refers to.
    fn element_of(&self, path: Inst) -> Option<(Inst, u64)> {
        let data = self.body.inst(path);
        match (data.op, &data.args[..]) {
            (Op::Deref(DerefOp::Elem), &[array, index]) => {
                let bits = self.w.module.bits_of(self.body.const_of(index)?);
                Some((array, bits.component(0).bits()))
            }
            _ => None,
        }
    }

    /// The type and the number of the elements of an array of numbers.
    fn numbers(&self, ty: Type) -> Option<(Type, u64)> {
        match *self.w.module.type_of(ty) {
            TypeData::Array { of, len: Len::Count(len), .. } => {
                self.w.number_type(of).map(|_| (of, u64::from(len)))
            }
            _ => None,
        }
    }

    /// The array of which a value is the element with an index.
    fn source_of(&mut self, value: Inst, index: u64, wanted: (Type, u64)) -> Option<Vec<Token>> {
        let data = self.body.inst(value);
        // A value with a name was read before, when the array may have had other elements.
        let is_read_here = matches!(self.plan.emission(value), Emission::Inline | Emission::Repeated);
        let has_copies = self.w.dialect.array_values().is_some_and(|values| values.copies);
        if data.op != Op::Memory(MemoryOp::Load) || !has_copies || !is_read_here {
            return None;
        }
        let (array, at) = self.element_of(*data.args.first()?)?;
        // Indices that are computed are written once.
        let mut is_fixed = true;
        let is_constant = |index: Inst| self.body.const_of(index).is_some();
        operands::for_each_number_of_path(self.body, array, &mut |index| is_fixed &= is_constant(index));
        if !is_fixed {
            return None;
        }
        let text = self.path(array)?;
        let is_plain = text.builtin.is_none() && text.column.is_none() && text.bytes.is_none();
        let is_alike = self.numbers(text.ty) == Some(wanted);
        (is_plain && is_alike && at == index).then_some(text.tokens)
    }

    /// The start of the list of all elements.
    fn list_start(&mut self, of: Type, len: u64) -> Option<Vec<Token>> {
        let number = self.w.number_type(of)?;
        let name = Token::new(Class::Type, self.w.dialect.number(number)?);
        let values = self.w.dialect.array_values()?;
        Some((values.list)(name, len))
    }
}

impl Arena {
    /// Replaces assignments of all elements of an array in a list. Linear in its length.
    pub(super) fn join_elements(&mut self, list: &mut List) {
        if self.elements.is_empty() {
            return;
        }
        let mut out = List::with_capacity(list.len());
        let mut at = 0;
        while let Some(&stmt) = list.get(at) {
            match self.whole(&list[at..]) {
                Some((whole, count)) => {
                    out.push(self.add(whole));
                    at += count;
                }
                None => {
                    out.push(stmt);
                    at += 1;
                }
            }
        }
        *list = out;
    }

    /// The statement that stands for the first ones of a list, and their number.
    fn whole(&self, list: &[StmtId]) -> Option<(Stmt, usize)> {
        let first = self.elements.get(list.first()?)?;
        if first.index != 0 || first.len < 2 {
            return None;
        }
        let count = usize::try_from(first.len).ok()?;
        let mut elements = Vec::new();
        for (index, id) in list.get(..count)?.iter().enumerate() {
            let element = self.elements.get(id)?;
            if element.array != first.array || element.index != index as u64 {
                return None;
            }
            elements.push(element);
        }
        let Stmt::Simple { tokens, .. } = self.get(*list.first()?) else { return None };
        let target = tokens.first()?.clone();
        let equals = tokens.iter().find(|token| token.text.as_str() == "=")?.clone();
        let mut tokens = vec![target, space(), equals, space()];
        match &first.source {
            Some(source) if elements.iter().all(|element| is_source(element, source)) => {
                tokens.extend(source.iter().cloned());
            }
            _ => {
                tokens.extend(first.list.iter().cloned());
                for (at, element) in elements.iter().enumerate() {
                    let columns: usize = element.value.iter().map(|token| token.text.as_str().len()).sum();
                    if columns > MOST_COLUMNS {
                        return None;
                    }
                    if at > 0 {
                        tokens.extend([punct(","), space()]);
                    }
                    tokens.extend(element.value.iter().cloned());
                }
                tokens.push(punct(")"));
            }
        }
        Some((Stmt::Simple { tokens, declares: None, assigns: None }, count))
    }
}

/// Returns true if the value of an element is of an array.
fn is_source(element: &Element, source: &[Token]) -> bool {
    let is_same = |(own, other): (&Token, &Token)| own.text.as_str() == other.text.as_str();
    element
        .source
        .as_deref()
        .is_some_and(|own| own.len() == source.len() && own.iter().zip(source).all(is_same))
}
