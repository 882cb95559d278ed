//! Buffers of HLSL that are accessed by bytes: loads and stores at an offset, which is a sum of a number and of indices
//! times strides.
//!
//! Storage buffers have functions for it. Constant buffers are read as rows of four words, physical addresses by words.
//! Numbers of 16 bits are read and written as parts of words, so a buffer has to end with a word. Refuses numbers of 8 bits,
//! those of 16 bits in constant buffers, and stores through addresses.

use crate::expr::{Expr, Grammar, Prec, Token, infix, punct, ungrouped};
use crate::func::{FuncWriter, Role};
use crate::number::{Kind, NumberType};
use crate::paths::{BytePlace, PathText};
use vitrine_ir::layout::{Sizes, scalar_bytes};
use vitrine_ir::ops::{Key, Width};
use vitrine_ir::{Help, Inst, Mode, Type, TypeData};
use vitrine_text::Class;

/// The help for numbers that are narrower than the memory is accessed.
fn narrow() -> Help {
    Help::default().pass("lower-bit-size").then("computes with 32 bits, but does not change memory")
}

impl FuncWriter<'_, '_> {
    /// A step to an element of a place. `None` if it was refused.
    pub(super) fn hlsl_byte_step(&mut self, place: &mut BytePlace, of: Type, index: Inst) -> Option<()> {
        let module = self.w.module;
        let element = module.element_type(of)?;
        let stride = match *module.type_of(of) {
            TypeData::Vector { of, .. } => match place.apart.take() {
                Some(apart) => apart,
                None => scalar_bytes(self.w.number_type(of)?.width),
            },
            TypeData::Matrix { row_major: true, stride, .. } => {
                place.apart = Some(u64::from(stride));
                scalar_bytes(self.w.number_type(element)?.width)
            }
            _ => Sizes::default().stride(module, module, of),
        };
        self.add_elements(place, stride, index);
        Some(())
    }

    /// Adds elements of a size in bytes to a place.
    fn add_elements(&mut self, place: &mut BytePlace, stride: u64, index: Inst) {
        if let Some(bits) = self.body.const_of(index) {
            let at = self.w.module.bits_of(bits).component(0).bits();
            place.offset = place.offset.wrapping_add(at.wrapping_mul(stride));
            return;
        }
        let index = self.count(index);
        let ty = index.ty;
        place.terms.push(match stride {
            1 => index,
            _ => {
                let stride = Expr::atom(Token::new(Class::Number, stride.to_string()), ty);
                infix(Grammar::C, Token::new(Class::Op, "*"), Prec::Product, [index, stride], ty, false)
            }
        });
    }

    /// The offset of a component of a place.
    fn byte_offset(&self, place: &BytePlace, component: u64) -> Expr {
        let uint = NumberType::scalar(Kind::Uint);
        let offset = place.offset + component;
        let number = Expr::atom(Token::new(Class::Number, offset.to_string()), uint);
        let mut sum: Option<Expr> = None;
        for term in &place.terms {
            sum = Some(match sum {
                None => term.clone(),
                Some(sum) => plus(sum, term.clone()),
            });
        }
        match sum {
            None => number,
            Some(sum) if offset == 0 => sum,
            Some(sum) => plus(sum, number),
        }
    }

    /// Returns true if the functions of the language access numbers of this type at a place. Refuses others.
    fn is_accessible(&mut self, inst: Inst, text: &PathText, ty: NumberType) -> bool {
        let says = match ty.width {
            Width::W32 | Width::W64 if ty.kind != Kind::Bool => return true,
            Width::W16 if self.ends_with_word(text) => return true,
            Width::W16 => "its buffer ends inside of a word, and the language accesses whole words",
            Width::W1 | Width::W8 | Width::W32 | Width::W64 => {
                "its buffer is accessed by bytes, which the language does for 16, 32 and 64 bits"
            }
        };
        self.refuse(inst, says, narrow());
        false
    }

    /// Returns true if the buffer of a place has whole words of 4 bytes.
    fn ends_with_word(&self, text: &PathText) -> bool {
        let module = self.w.module;
        let data = text.root.and_then(|root| module.var(root));
        data.is_none_or(|data| Sizes::default().of(module, module, data.ty).bytes.is_multiple_of(4))
    }

    /// The number at a place.
    pub(super) fn hlsl_byte_load(&mut self, inst: Inst, text: &PathText, ty: NumberType) -> Option<Expr> {
        let place = text.bytes.clone()?;
        if !self.is_accessible(inst, text, ty) {
            return None;
        }
        if place.is_address {
            return self.address_load(inst, text, &place, ty);
        }
        if place.is_rows {
            return self.row_load(inst, text, &place, ty);
        }
        let Some(apart) = place.apart else {
            return Some(self.load_at(inst, text, self.byte_offset(&place, 0), ty));
        };
        let one = ty.with_components(1);
        let parts = (0..u64::from(ty.components))
            .map(|at| self.load_at(inst, text, self.byte_offset(&place, at * apart), one));
        let parts = parts.collect();
        Some(self.construct(inst, ty, parts))
    }

    fn load_at(&mut self, inst: Inst, text: &PathText, offset: Expr, ty: NumberType) -> Expr {
        let name = self.w.dialect.number(ty).unwrap_or_default();
        let mut tokens = text.tokens.clone();
        tokens.push(punct("."));
        let call = self.call(inst, format!("Load<{name}>"), vec![offset], ty);
        tokens.extend(call.tokens);
        Expr::new(tokens, Prec::Postfix, ty)
    }

    /// A number from the rows of a constant buffer.
    fn row_load(&mut self, inst: Inst, text: &PathText, place: &BytePlace, ty: NumberType) -> Option<Expr> {
        if ty.width != Width::W32 {
            let says = "its buffer is accessed by rows of numbers of 32 bits";
            self.refuse(inst, says, narrow());
            return None;
        }
        let words = NumberType::new(Kind::Uint, Width::W32, ty.components);
        let one = words.with_components(1);
        let apart = place.apart.unwrap_or(4);
        let row = |index: Vec<Token>| {
            let mut tokens = text.tokens.clone();
            tokens.push(punct("["));
            tokens.extend(index);
            tokens.push(punct("]"));
            Expr::new(tokens, Prec::Postfix, one.with_components(4))
        };
        let first = place.offset % 16 / 4;
        let is_in_row = apart == 4 && first + u64::from(ty.components) <= 4 && place.terms.is_empty();
        let value = if is_in_row {
            let list: Vec<u8> = (0..ty.components).map(|at| first as u8 + at).collect();
            let whole = row(vec![Token::new(Class::Number, (place.offset / 16).to_string())]);
            self.components(inst, whole, &list, words)
        } else {
            let mut parts = Vec::new();
            for at in 0..u64::from(ty.components) {
                if place.terms.is_empty() {
                    let offset = place.offset + at * apart;
                    let whole = row(vec![Token::new(Class::Number, (offset / 16).to_string())]);
                    parts.push(self.components(inst, whole, &[(offset % 16 / 4) as u8], one));
                    continue;
                }
                let offset = self.byte_offset(place, at * apart);
                let offset = self.construct(inst, one, vec![offset]);
                let number = |text: &'static str| Expr::atom(Token::new(Class::Number, text), one);
                let index = self.infix(inst, "/", Prec::Product, vec![offset.clone(), number("16")], one);
                let words_before = self.infix(inst, "/", Prec::Product, vec![offset, number("4")], one);
                let component = self.infix(inst, "%", Prec::Product, vec![words_before, number("4")], one);
                let whole = row(index.tokens);
                parts.push(self.indexed(inst, whole, component, one));
            }
            if parts.len() == 1 { parts.pop()? } else { self.construct(inst, words, parts) }
        };
        Some(self.cast(value, ty.kind, inst))
    }

    /// Stores a number at a place.
    pub(super) fn hlsl_byte_store(&mut self, inst: Inst, text: &PathText, value: Expr) {
        let (ty, Some(place)) = (value.ty, text.bytes.clone()) else { return };
        if place.is_address {
            return self.refuse(inst, "its compiler fails for stores through an address", "");
        }
        if !self.is_accessible(inst, text, ty) {
            return;
        }
        let all = (1u64 << ty.components) - 1;
        let mask = self.body.inst(inst).attrs.get(Key::Mask).map_or(all, |mask| mask & all);
        if mask == all && place.apart.is_none() {
            let offset = self.byte_offset(&place, 0);
            return self.store_at(inst, text, offset, value);
        }
        let value = self.fixed(value, Role::Value, inst);
        let apart = place.apart.unwrap_or_else(|| scalar_bytes(ty.width));
        for at in (0..ty.components).filter(|at| mask >> at & 1 == 1) {
            let part = self.components(inst, value.clone(), &[at], ty.with_components(1));
            let offset = self.byte_offset(&place, u64::from(at) * apart);
            self.store_at(inst, text, offset, part);
        }
    }

    fn store_at(&mut self, inst: Inst, text: &PathText, offset: Expr, value: Expr) {
        let name = self.w.dialect.number(value.ty).unwrap_or_default();
        let ty = value.ty;
        let mut tokens = text.tokens.clone();
        tokens.push(punct("."));
        let call = self.call(inst, format!("Store<{name}>"), vec![offset, value], ty);
        tokens.extend(call.tokens);
        self.statement(tokens);
    }

    /// A number at an address, which is loaded by words: the function for other types fails in the compiler.
    fn address_load(
        &mut self,
        inst: Inst,
        text: &PathText,
        place: &BytePlace,
        ty: NumberType,
    ) -> Option<Expr> {
        let word = NumberType::scalar(Kind::Uint);
        if ty.width == Width::W64 && ty.kind == Kind::Float {
            self.refuse(inst, "its compiler loads no doubles through an address", "");
            return None;
        }
        let bytes = scalar_bytes(ty.width);
        let apart = place.apart.unwrap_or(bytes);
        let mut parts = Vec::new();
        for at in 0..u64::from(ty.components) {
            let mut words = Vec::new();
            for first in (0..bytes).step_by(4) {
                let address = at_address(text, self.byte_offset(place, at * apart + first));
                words.push(self.call(inst, "vk::RawBufferLoad", vec![address], word));
            }
            parts.push(match words.pop() {
                Some(high) if bytes == 8 => self.joined_words(inst, words.pop()?, high),
                Some(one) => one,
                None => return None,
            });
        }
        let bits = NumberType::new(Kind::Uint, ty.width, ty.components);
        let value = if parts.len() == 1 { parts.pop()? } else { self.construct(inst, bits, parts) };
        Some(self.cast(value, ty.kind, inst))
    }

    /// The memory at an address.
    pub(super) fn hlsl_at_address(&self, address: Vec<Token>, to: Type) -> PathText {
        let place = BytePlace { is_rows: false, is_address: true, offset: 0, terms: Vec::new(), apart: None };
        PathText { bytes: Some(place), ..PathText::new(address, to, Mode::Physical) }
    }

    /// The address of memory that an address leads to. `None` for other memory, and for columns of rows.
    pub(super) fn hlsl_address(&self, text: &PathText) -> Option<Expr> {
        let place = text.bytes.as_ref().filter(|place| place.is_address && place.apart.is_none())?;
        Some(at_address(text, self.byte_offset(place, 0)))
    }

    /// Advances an address by elements of a size in bytes.
    pub(super) fn hlsl_address_step(&mut self, text: &mut PathText, stride: u64, index: Inst) {
        let Some(mut place) = text.bytes.take() else { return };
        self.add_elements(&mut place, stride, index);
        text.bytes = Some(place);
    }

    /// The offset of a place as an argument of an atomic.
    pub(super) fn hlsl_byte_offset(&self, place: &BytePlace) -> Expr {
        self.byte_offset(place, 0)
    }

    /// The number of elements after a place, from the number of bytes.
    pub(super) fn hlsl_byte_length(&mut self, inst: Inst, text: &PathText, place: &BytePlace) {
        let uint = NumberType::scalar(Kind::Uint);
        let stride = Sizes::default().stride(self.w.module, self.w.module, text.ty);
        let count = self.output("bytes", uint, inst);
        let count = Expr::atom(Token::linked(Class::Value, count, self.anchor(inst)), uint);
        let call = self.hlsl_method(inst, &text.tokens, "GetDimensions", vec![count.clone()], uint);
        self.statement(call.tokens);
        let number = |value: u64| Expr::atom(Token::new(Class::Number, value.to_string()), uint);
        let rest = match place.offset {
            0 => count,
            offset => self.infix(inst, "-", Prec::Sum, vec![count, number(offset)], uint),
        };
        let elements = self.infix(inst, "/", Prec::Product, vec![rest, number(stride.max(1))], uint);
        self.declare(inst, elements);
    }
}

fn plus(a: Expr, b: Expr) -> Expr {
    let ty = a.ty;
    infix(Grammar::C, Token::new(Class::Op, "+"), Prec::Sum, [a, b], ty, false)
}

/// The sum of the address that a path begins at and an offset.
fn at_address(text: &PathText, offset: Expr) -> Expr {
    let inner = ungrouped(text.tokens.clone());
    let prec = if inner.len() < text.tokens.len() { Prec::Choice } else { Prec::Postfix };
    let address = Expr::new(inner, prec, NumberType::new(Kind::Uint, Width::W64, 1));
    let is_zero = offset.tokens.len() == 1 && offset.tokens[0].text.as_str() == "0";
    if is_zero { address } else { plus(address, offset) }
}
