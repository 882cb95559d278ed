//! Physical addresses of MSL: pointers in the address space of buffers.
//!
//! A pointer that is loaded gets a name where it is loaded: memory may change before it is used. An address from bits is a
//! cast. Generic pointers, and pointers to anything but buffers, are refused.

use crate::back::text::expr::{Expr, Prec, Token, punct, space, ungrouped};
use crate::back::text::func::{FuncWriter, Slot};
use crate::back::text::module::ModuleWriter;
use crate::back::text::number::{Kind, NumberType};
use crate::back::text::paths::PathText;
use crate::back::text::stmt::Stmt;
use crate::ir::{Anchor, Inst, Mode, Type, TypeData};
use crate::ops::{DerefOp, Key, MemoryOp, Op, PtrOp, ValueType, Width};
use crate::text::{Class, Link};

impl ModuleWriter<'_> {
    /// The type that a physical pointer points at.
    pub(super) fn pointee(&self, ty: Type) -> Option<Type> {
        match *self.module.type_of(ty) {
            TypeData::Pointer { mode: Mode::Physical, to, .. } => Some(to),
            _ => None,
        }
    }

    /// The name of the type of a pointer.
    pub(super) fn pointer_name(&mut self, to: Type) -> Option<String> {
        let (base, dims) = match *self.module.type_of(to) {
            // The elements have no length there.
            TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } => self.msl_type(of, false)?,
            _ => self.msl_type(to, false)?,
        };
        if let TypeData::Struct(structure) = *self.module.type_of(to)
            && !self.msl.pointees.contains(&structure)
        {
            self.msl.pointees.push(structure);
        }
        self.msl.version = self.msl.version.max(30);
        dims.is_empty().then(|| format!("device {base}*"))
    }
}

impl FuncWriter<'_, '_> {
    /// Names a pointer that is loaded. Returns true if the instruction loads one.
    pub(in crate::back::text) fn pointer_load(&mut self, inst: Inst) -> bool {
        let data = self.body.inst(inst);
        let is_load = data.op == Op::Memory(MemoryOp::Load) && data.ty == ValueType::Path;
        let Some(&from) = data.args.first().filter(|_| is_load) else { return false };
        let Some(text) = self.path(from) else { return true };
        let Some(to) = self.w.pointee(text.ty) else { return false };
        let Some(ty) = self.w.pointer_name(to) else {
            self.refuse(inst, "the type that it points at is no type of a buffer", "");
            return true;
        };
        let name = self.fresh_name(inst);
        let link = Link::Def(self.anchor(inst));
        let mut tokens = vec![Token::new(Class::Type, ty), space()];
        tokens.push(Token { text: name.clone().into(), class: Class::Name, link });
        tokens.extend([space(), Token::new(Class::Op, "="), space()]);
        tokens.extend(text.tokens);
        self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None });
        self.slots[inst] = Slot::Name(name, NumberType::new(Kind::Uint, Width::W64, 1));
        true
    }

    /// The memory that a pointer points at, as a path.
    fn at_pointer(&self, pointer: Vec<Token>, to: Type) -> PathText {
        let mut tokens = vec![punct("("), Token::new(Class::Op, "*")];
        // Elements are counted from the pointer.
        let is_array =
            matches!(self.w.module.type_of(to), TypeData::Array { .. } | TypeData::RuntimeArray { .. });
        if is_array {
            tokens.clear();
            tokens.push(punct("("));
        }
        tokens.extend(pointer);
        tokens.push(punct(")"));
        self.msl_path(tokens, to, Mode::Physical, None)
    }

    /// The start of a path that is a pointer. `None` if it is none.
    pub(in crate::back::text) fn pointer_path(&mut self, inst: Inst) -> Option<PathText> {
        let data = self.body.inst(inst);
        match (data.op, &data.args[..]) {
            (Op::Memory(MemoryOp::Load), &[from, ..]) => {
                let Slot::Name(name, _) = self.slots[inst].clone() else { return None };
                let text = self.path(from)?;
                let to = self.w.pointee(text.ty)?;
                Some(self.at_pointer(vec![Token::linked(Class::Name, name, self.anchor(inst))], to))
            }
            (Op::Deref(DerefOp::FromBits), &[bits]) => {
                let to = data.entity::<Type>(Key::Type)?;
                let ty = self.w.pointer_name(to)?;
                let bits = self.address_bits(bits);
                let mut tokens = vec![punct("("), Token::new(Class::Type, ty), punct(")")];
                tokens.extend(bits.at_least(Prec::Postfix).tokens);
                Some(self.at_pointer(tokens, to))
            }
            (Op::Deref(DerefOp::Step), &[base, index]) => {
                let whole =
                    self.path(base).filter(|text| text.mode == Mode::Physical && text.root.is_none())?;
                let index = self.count(index);
                let pointer = address(whole.tokens);
                let is_name = pointer.len() == 1;
                let mut tokens = if is_name { Vec::new() } else { vec![punct("(")] };
                tokens.extend(pointer);
                if !is_name {
                    tokens.push(punct(")"));
                }
                tokens.push(punct("["));
                tokens.extend(index.tokens);
                tokens.push(punct("]"));
                Some(self.msl_path(tokens, whole.ty, Mode::Physical, None))
            }
            _ => None,
        }
    }

    /// An address as one number.
    fn address_bits(&mut self, bits: Inst) -> Expr {
        let expr = self.value_as(bits, Kind::Uint);
        let wide = NumberType::new(Kind::Uint, Width::W64, 1);
        if expr.ty.components == 1 { expr } else { self.call(bits, "as_type<ulong>", vec![expr], wide) }
    }

    /// The address of a path.
    fn address_of(&mut self, path: Inst) -> Option<Vec<Token>> {
        let text = self.path(path)?;
        if text.mode != Mode::Physical || text.packed || text.column.is_some() {
            return None;
        }
        Some(address(text.tokens))
    }

    /// Stores a pointer. Returns true if the instruction stores one.
    pub(in crate::back::text) fn pointer_store(&mut self, inst: Inst, text: &PathText) -> bool {
        let data = self.body.inst(inst);
        if self.w.pointee(text.ty).is_none() {
            return false;
        }
        let address = data.args.get(1).and_then(|&value| self.address_of(value));
        let Some(address) = address else {
            self.refuse(inst, "it stores an address that is computed otherwise", "");
            return true;
        };
        let is_declared = self.homes.declares(inst);
        let mut tokens = match (text.root.filter(|_| is_declared), &text.whole) {
            (Some(var), Some(name)) => {
                let link = Link::Def(Anchor::Var(var));
                self.w.msl_declaration(name, link, text.ty).unwrap_or_default()
            }
            _ => text.tokens.clone(),
        };
        tokens.extend([space(), Token::linked(Class::Op, "=", self.anchor(inst)), space()]);
        tokens.extend(address);
        let declares = text.whole.clone().filter(|_| is_declared);
        self.push(Stmt::Simple { tokens, declares, assigns: None });
        true
    }

    /// Writes an address as bits. Returns true if it is one.
    pub(in crate::back::text) fn pointer_bits(&mut self, inst: Inst) -> bool {
        let data = self.body.inst(inst);
        let Some(&path) = data.args.first().filter(|_| data.op == Op::Ptr(PtrOp::ToBits)) else {
            return false;
        };
        let Some(address) = self.address_of(path) else { return false };
        let wide = NumberType::new(Kind::Uint, Width::W64, 1);
        let address = Expr::new(address, Prec::Prefix, wide);
        let expr = self.call(inst, "ulong", vec![address], wide);
        let expr = match data.ty.components() {
            1 => expr,
            components => {
                let ty = NumberType::new(Kind::Uint, Width::W32, components);
                self.call(inst, "as_type<uint2>", vec![expr], ty)
            }
        };
        self.define(inst, expr);
        true
    }
}

/// The address of a path: the pointer itself if the path is all that it points to.
pub(super) fn address(path: Vec<Token>) -> Vec<Token> {
    let inner = ungrouped(path.clone());
    match inner.first() {
        Some(first) if first.text.as_str() == "*" && inner.len() < path.len() => {
            inner.into_iter().skip(1).collect()
        }
        _ => [Token::new(Class::Op, "&")].into_iter().chain(path).collect(),
    }
}
