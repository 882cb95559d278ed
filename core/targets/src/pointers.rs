//! Physical addresses: pointers, references or numbers, as the language has them.
//!
//! A pointer that is loaded gets a name where it is loaded: memory may change before it is used. An address from bits is a
//! cast. Generic pointers, and pointers to anything but buffers, are refused.

use super::dialect::Pointers;
use super::expr::{Expr, Prec, Token, space};
use super::func::{FuncWriter, Slot};
use super::module::ModuleWriter;
use super::number::ADDRESS;
use super::number::Kind;
use super::paths::PathText;
use super::stmt::Stmt;
use vitrine_ir::ops::{Bits, DerefOp, Key, MemoryOp, Op, PtrOp, ValueType, Width};
use vitrine_ir::{Anchor, Inst, Mode, Type, TypeData};
use vitrine_text::{Class, Link};

impl ModuleWriter<'_> {
    /// The type that a physical pointer points at.
    pub(super) fn pointee(&self, ty: Type) -> Option<Type> {
        match *self.module.type_of(ty) {
            TypeData::Pointer { mode: Mode::Physical, to, .. } => Some(to),
            _ => None,
        }
    }

    /// The name of the type of a pointer. `None` if the language has none.
    pub(super) fn pointer_name(&mut self, to: Type) -> Option<String> {
        self.dialect.pointers()?.type_name(self, to)
    }
}

impl FuncWriter<'_, '_> {
    /// The physical pointers of the language.
    fn pointers(&self) -> Option<&'static dyn Pointers> {
        self.w.dialect.pointers()
    }

    /// Names a pointer that is loaded. Returns true if the instruction loads one.
    pub(super) fn pointer_load(&mut self, inst: Inst) -> bool {
        let data = self.body.inst(inst);
        let is_load = data.op == Op::Memory(MemoryOp::Load) && data.ty == ValueType::Path;
        let Some(&from) = data.args.first().filter(|_| is_load && self.pointers().is_some()) else {
            return false;
        };
        let Some(text) = self.path(from) else { return true };
        let Some(to) = self.w.pointee(text.ty) else { return false };
        let Some(ty) = self.w.pointer_name(to) else {
            self.refuse(inst, "the type that it points at is no type of a buffer", "");
            return true;
        };
        let Some(from) = self.w.dialect.loaded(self, inst, text, ADDRESS) else { return true };
        let name = self.fresh_name(inst);
        let link = Link::Def(self.anchor(inst));
        let mut tokens = vec![Token::new(Class::Type, ty), space()];
        tokens.push(Token { text: name.clone().into(), class: Class::Name, link });
        tokens.extend([space(), Token::new(Class::Op, "="), space()]);
        tokens.extend(from.tokens);
        self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None });
        self.slots[inst] = Slot::Name(name, ADDRESS);
        true
    }

    /// The start of a path that is a pointer. `None` if it is none.
    pub(super) fn pointer_path(&mut self, inst: Inst) -> Option<PathText> {
        let pointers = self.pointers()?;
        let data = self.body.inst(inst);
        match (data.op, &data.args[..]) {
            (Op::Memory(MemoryOp::Load), &[from, ..]) => {
                let Slot::Name(name, _) = self.slots[inst].clone() else { return None };
                let text = self.path(from)?;
                let to = self.w.pointee(text.ty)?;
                let pointer = vec![Token::linked(Class::Name, name, self.anchor(inst))];
                Some(pointers.memory_at(self, pointer, to))
            }
            (Op::Deref(DerefOp::FromBits), &[bits]) => {
                let to = data.entity::<Type>(Key::Type)?;
                let bits = self.address_bits(pointers, bits);
                self.pointer_from(inst, bits, to)
            }
            (Op::Deref(DerefOp::Step), &[base, index]) => pointers.step(self, inst, base, index),
            _ => None,
        }
    }

    /// The memory at an address that is a number.
    fn pointer_from(&mut self, inst: Inst, bits: Expr, to: Type) -> Option<PathText> {
        let pointers = self.pointers()?;
        let ty = pointers.type_name(self.w, to)?;
        let pointer = pointers.cast(self, inst, ty, bits);
        Some(pointers.memory_at(self, pointer, to))
    }

    /// The memory that a pointer leads to by itself. `None` for other memory.
    pub(super) fn memory_of_pointer(&mut self, pointer: Inst) -> Option<PathText> {
        self.path(pointer).filter(|text| text.mode == Mode::Physical && text.root.is_none())
    }

    /// The number of the address that is `index` strides of bytes after another one. `number` is the name of its type.
    pub(super) fn moved_address(
        &mut self,
        inst: Inst,
        number: &'static str,
        from: Expr,
        (stride, index): (u64, Expr),
    ) -> Expr {
        let from = self.call(inst, number, vec![from], ADDRESS);
        let index = self.call(inst, number, vec![index], ADDRESS);
        let stride = Bits::from_components(Width::W64, &[stride]);
        let stride = self.constant(&stride, Kind::Uint, inst);
        let bytes = self.infix(inst, "*", Prec::Product, vec![index, stride], ADDRESS);
        self.infix(inst, "+", Prec::Sum, vec![from, bytes], ADDRESS)
    }

    /// The memory that is elements after that of a pointer, by a stride in which the language does not count: its address is
    /// computed, as a number whose type has a name.
    pub(super) fn far_step(
        &mut self,
        inst: Inst,
        number: &'static str,
        (pointer, to): (Vec<Token>, Type),
        index: Inst,
    ) -> Option<PathText> {
        let stride = self.body.inst(inst).attrs.get(Key::Stride).filter(|&stride| stride > 0)?;
        let index = self.value_as(index, Kind::Int);
        let pointer = Expr::new(pointer, Prec::Postfix, ADDRESS);
        let address = self.moved_address(inst, number, pointer, (stride, index));
        self.pointer_from(inst, address, to)
    }

    /// An address as one number.
    fn address_bits(&mut self, pointers: &dyn Pointers, bits: Inst) -> Expr {
        let expr = self.value_as(bits, Kind::Uint);
        match expr.ty.components {
            1 => expr,
            _ => pointers.joined(self, bits, expr),
        }
    }

    /// The address of a path.
    fn address_of(&mut self, path: Inst) -> Option<Expr> {
        let text = self.path(path)?;
        if text.mode != Mode::Physical || text.packed || text.column.is_some() {
            return None;
        }
        self.pointers()?.address_of(self, text)
    }

    /// Stores a pointer. Returns true if the instruction stores one.
    pub(super) fn pointer_store(&mut self, inst: Inst, text: &PathText) -> bool {
        let data = self.body.inst(inst);
        let Some(to) = self.w.pointee(text.ty).filter(|_| self.pointers().is_some()) else { return false };
        let address = data.args.get(1).and_then(|&value| self.address_of(value));
        let (Some(address), Some(ty)) = (address, self.w.pointer_name(to)) else {
            self.refuse(inst, "it stores an address that is computed otherwise", "");
            return true;
        };
        if text.bytes.is_some() {
            self.w.dialect.store(self, inst, text.clone(), ADDRESS, address);
            return true;
        }
        let is_declared = self.declaration_sites.declares(inst);
        let mut tokens = match (text.root.filter(|_| is_declared), &text.whole) {
            (Some(var), Some(name)) => {
                let link = Link::Def(Anchor::Var(var));
                let token = Token { text: name.clone().into(), class: Class::Name, link };
                vec![Token::new(Class::Type, ty), space(), token]
            }
            _ => text.tokens.clone(),
        };
        tokens.extend([space(), Token::linked(Class::Op, "=", self.anchor(inst)), space()]);
        tokens.extend(address.tokens);
        let declares = text.whole.clone().filter(|_| is_declared);
        self.push(Stmt::Simple { tokens, declares, assigns: None });
        true
    }

    /// Writes an address as bits. Returns true if it is one.
    pub(super) fn pointer_bits(&mut self, inst: Inst) -> bool {
        let data = self.body.inst(inst);
        let Some(pointers) = self.pointers().filter(|_| data.op == Op::Ptr(PtrOp::ToBits)) else {
            return false;
        };
        let Some(address) = data.args.first().and_then(|&path| self.address_of(path)) else { return false };
        let expr = pointers.as_number(self, inst, address, data.ty.components());
        self.define(inst, expr);
        true
    }
}
