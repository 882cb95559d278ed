//! Physical addresses: pointers of MSL in the address space of buffers, references to buffers of GLSL, numbers of HLSL.
//!
//! A pointer that is loaded gets a name where it is loaded: memory may change before it is used. An address from bits is a
//! cast. Generic pointers, and pointers to anything but buffers, are refused.

use super::expr::{Expr, Prec, Token, punct, space, ungrouped};
use super::func::{FuncWriter, Role, Slot};
use super::language::Language;
use super::module::ModuleWriter;
use super::number::{Kind, NumberType};
use super::paths::PathText;
use super::stmt::Stmt;
use crate::ir::layout::Sizes;
use crate::ir::{Anchor, Inst, Mode, Type, TypeData};
use crate::ops::{Bits, DerefOp, Key, MemoryOp, Op, PtrOp, ValueType, Width};
use crate::text::{Class, Link};

/// The type of an address as one number.
pub(super) const ADDRESS: NumberType = NumberType::new(Kind::Uint, Width::W64, 1);

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
        match self.language {
            Language::Msl => self.msl_pointer_name(to),
            Language::Glsl(super::Version::Vulkan) => self.glsl_reference(to).map(|name| name.to_string()),
            Language::Hlsl => Some("uint64_t".to_owned()),
            Language::Glsl(_) | Language::Wgsl => None,
        }
    }
}

impl FuncWriter<'_, '_> {
    /// Returns true if the language has physical pointers.
    fn has_pointers(&self) -> bool {
        matches!(self.w.language, Language::Msl | Language::Hlsl | Language::Glsl(super::Version::Vulkan))
    }

    /// Names a pointer that is loaded. Returns true if the instruction loads one.
    pub(super) fn pointer_load(&mut self, inst: Inst) -> bool {
        let data = self.body.inst(inst);
        let is_load = data.op == Op::Memory(MemoryOp::Load) && data.ty == ValueType::Path;
        let Some(&from) = data.args.first().filter(|_| is_load && self.has_pointers()) else { return false };
        let Some(text) = self.path(from) else { return true };
        let Some(to) = self.w.pointee(text.ty) else { return false };
        let Some(ty) = self.w.pointer_name(to) else {
            self.refuse(inst, "the type that it points at is no type of a buffer", "");
            return true;
        };
        let from = match text.bytes {
            Some(_) => match self.hlsl_byte_load(inst, &text, ADDRESS) {
                Some(expr) => expr.tokens,
                None => return true,
            },
            None => text.tokens,
        };
        let name = self.fresh_name(inst);
        let link = Link::Def(self.anchor(inst));
        let mut tokens = vec![Token::new(Class::Type, ty), space()];
        tokens.push(Token { text: name.clone().into(), class: Class::Name, link });
        tokens.extend([space(), Token::new(Class::Op, "="), space()]);
        tokens.extend(from);
        self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None });
        self.slots[inst] = Slot::Name(name, ADDRESS);
        true
    }

    /// The memory that a pointer points at, as a path.
    fn at_pointer(&mut self, pointer: Vec<Token>, to: Type) -> PathText {
        match self.w.language {
            Language::Glsl(_) => return self.w.glsl_at_reference(pointer, to),
            Language::Hlsl => return self.hlsl_at_address(pointer, to),
            Language::Msl | Language::Wgsl => {}
        }
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
    pub(super) fn pointer_path(&mut self, inst: Inst) -> Option<PathText> {
        if !self.has_pointers() {
            return None;
        }
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
                let bits = self.address_bits(bits);
                self.pointer_from(inst, bits, to)
            }
            (Op::Deref(DerefOp::Step), &[base, index]) => self.pointer_step(inst, base, index),
            _ => None,
        }
    }

    /// The memory at an address that is a number.
    fn pointer_from(&mut self, inst: Inst, bits: Expr, to: Type) -> Option<PathText> {
        let ty = self.w.pointer_name(to)?;
        let tokens = match self.w.language {
            Language::Glsl(_) => self.call(inst, ty, vec![bits], ADDRESS).tokens,
            Language::Hlsl => bits.at_least(Prec::Postfix).tokens,
            Language::Msl | Language::Wgsl => {
                let mut tokens = vec![punct("("), Token::new(Class::Type, ty), punct(")")];
                tokens.extend(bits.at_least(Prec::Postfix).tokens);
                tokens
            }
        };
        Some(self.at_pointer(tokens, to))
    }

    /// The number of the address that is `index` strides of bytes after another one.
    pub(super) fn moved_address(&mut self, inst: Inst, from: Expr, stride: u64, index: Expr) -> Expr {
        let number = self.address_number();
        let from = self.call(inst, number, vec![from], ADDRESS);
        let index = self.call(inst, number, vec![index], ADDRESS);
        let stride = Bits::from_components(Width::W64, &[stride]);
        let stride = self.constant(&stride, Kind::Uint, inst);
        let bytes = self.infix(inst, "*", Prec::Product, vec![index, stride], ADDRESS);
        self.infix(inst, "+", Prec::Sum, vec![from, bytes], ADDRESS)
    }

    /// The name of the type of an address as one number.
    fn address_number(&mut self) -> &'static str {
        if !self.w.language.is_glsl() {
            return "ulong";
        }
        self.w.extensions.insert("GL_EXT_shader_explicit_arithmetic_types_int64");
        "uint64_t"
    }

    /// A pointer that is advanced.
    fn pointer_step(&mut self, inst: Inst, base: Inst, index: Inst) -> Option<PathText> {
        if let Some(text) = self.kernel_argument_step(inst, base, index) {
            return Some(text);
        }
        // Memory of an invocation and of a workgroup has addresses in one language.
        let has_address = |text: &PathText| {
            let is_own = matches!(text.mode, Mode::Local | Mode::Private | Mode::Shared);
            is_own && text.column.is_none() && text.builtin.is_none() && !text.packed
        };
        let is_msl = self.w.language == Language::Msl;
        let mut whole = self.path(base).filter(|text| {
            text.mode == Mode::Physical && text.root.is_none() || is_msl && has_address(text)
        })?;
        let mode = whole.mode;
        if self.w.language == Language::Hlsl {
            let module = self.w.module;
            let size = || Sizes::default().of(module, module, whole.ty).bytes;
            let stride = self.body.inst(inst).attrs.get(Key::Stride).unwrap_or_else(size);
            self.hlsl_address_step(&mut whole, stride, index);
            return Some(whole);
        }
        if self.w.language.is_glsl() {
            let stride = self.body.inst(inst).attrs.get(Key::Stride).filter(|&stride| stride > 0);
            if !self.w.glsl_can_step(whole.ty, stride) {
                return self.far_step(inst, whole.pointer?, whole.ty, index);
            }
            let index = self.count(index);
            let mut tokens = whole.pointer?;
            tokens.extend(super::paths::bracketed(index.tokens));
            return Some(self.at_pointer(tokens, whole.ty));
        }
        if !self.msl_can_step(whole.ty, self.body.inst(inst).attrs.get(Key::Stride)) {
            let is_whole = mode == Mode::Physical && !whole.packed && whole.column.is_none();
            return self.far_step(inst, address(whole.tokens), whole.ty, index).filter(|_| is_whole);
        }
        let index = self.count(index);
        let pointer = address(whole.tokens);
        let is_name = pointer.len() == 1;
        let mut tokens = if is_name { Vec::new() } else { vec![punct("(")] };
        tokens.extend(pointer);
        if !is_name {
            tokens.push(punct(")"));
        }
        tokens.extend(super::paths::bracketed(index.tokens));
        Some(self.msl_path(tokens, whole.ty, mode, None))
    }

    /// A pointer that is advanced by a stride in which the language does not count: its address is computed.
    fn far_step(&mut self, inst: Inst, pointer: Vec<Token>, to: Type, index: Inst) -> Option<PathText> {
        let stride = self.body.inst(inst).attrs.get(Key::Stride).filter(|&stride| stride > 0)?;
        let index = self.value_as(index, Kind::Int);
        let address = self.moved_address(inst, Expr::new(pointer, Prec::Postfix, ADDRESS), stride, index);
        self.pointer_from(inst, address, to)
    }

    /// Returns true if the language counts elements of a type by this stride.
    pub(super) fn msl_can_step(&self, ty: Type, stride: Option<u64>) -> bool {
        let module = self.w.module;
        let natural = match self.w.number_type(ty) {
            // A vector of three components takes the room of four.
            Some(ty) => {
                let components = u64::from(ty.components.next_power_of_two());
                components * u64::from(ty.width.bits()).div_ceil(8)
            }
            None => Sizes::default().of(module, module, ty).bytes,
        };
        let is_array = matches!(module.type_of(ty), TypeData::Array { .. } | TypeData::RuntimeArray { .. });
        !is_array && stride.is_none_or(|stride| stride == natural || stride == 0)
    }

    /// An address as one number.
    fn address_bits(&mut self, bits: Inst) -> Expr {
        let expr = self.value_as(bits, Kind::Uint);
        if expr.ty.components == 1 {
            return expr;
        }
        if self.w.language == Language::Hlsl {
            let words = self.fixed(expr, Role::Value, bits);
            let word = NumberType::scalar(Kind::Uint);
            let low = self.components(bits, words.clone(), &[0], word);
            let high = self.components(bits, words, &[1], word);
            return self.joined_words(bits, low, high);
        }
        let name = if self.w.language.is_glsl() {
            self.w.extensions.insert("GL_EXT_shader_explicit_arithmetic_types_int64");
            "packUint2x32"
        } else {
            "as_type<ulong>"
        };
        self.call(bits, name, vec![expr], ADDRESS)
    }

    /// Two words as one number, in a language without a function for it.
    pub(super) fn joined_words(&mut self, inst: Inst, low: Expr, high: Expr) -> Expr {
        let high = self.construct(inst, ADDRESS, vec![high]);
        let bits = Expr::atom(Token::new(Class::Number, "32"), NumberType::scalar(Kind::Uint));
        let high = self.infix(inst, "<<", Prec::Shift, vec![high, bits], ADDRESS);
        self.infix(inst, "|", Prec::BitOr, vec![high, low], ADDRESS)
    }

    /// A number as two words, in a language without a function for it.
    fn split_words(&mut self, inst: Inst, number: Expr, ty: NumberType) -> Expr {
        let number = self.fixed(number, Role::Value, inst);
        let bits = Expr::atom(Token::new(Class::Number, "32"), NumberType::scalar(Kind::Uint));
        let high = self.infix(inst, ">>", Prec::Shift, vec![number.clone(), bits], ADDRESS);
        let parts = [number, high].map(|part| self.construct(inst, ty.with_components(1), vec![part]));
        self.construct(inst, ty, parts.into())
    }

    /// The address of a path.
    fn address_of(&mut self, path: Inst) -> Option<Expr> {
        let text = self.path(path)?;
        if text.mode != Mode::Physical || text.packed || text.column.is_some() {
            return None;
        }
        match self.w.language {
            Language::Glsl(_) => Some(Expr::new(text.pointer?, Prec::Postfix, ADDRESS)),
            Language::Hlsl => self.hlsl_address(&text),
            Language::Msl | Language::Wgsl => Some(Expr::new(address(text.tokens), Prec::Prefix, ADDRESS)),
        }
    }

    /// Stores a pointer. Returns true if the instruction stores one.
    pub(super) fn pointer_store(&mut self, inst: Inst, text: &PathText) -> bool {
        let data = self.body.inst(inst);
        let Some(to) = self.w.pointee(text.ty).filter(|_| self.has_pointers()) else { return false };
        let address = data.args.get(1).and_then(|&value| self.address_of(value));
        let (Some(address), Some(ty)) = (address, self.w.pointer_name(to)) else {
            self.refuse(inst, "it stores an address that is computed otherwise", "");
            return true;
        };
        if text.bytes.is_some() {
            self.hlsl_byte_store(inst, text, address);
            return true;
        }
        let is_declared = self.homes.declares(inst);
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
        let is_bits = data.op == Op::Ptr(PtrOp::ToBits) && self.has_pointers();
        let Some(&path) = data.args.first().filter(|_| is_bits) else { return false };
        let Some(address) = self.address_of(path) else { return false };
        if self.w.language == Language::Hlsl {
            let expr = match data.ty.components() {
                1 => address,
                n => self.split_words(inst, address, NumberType::new(Kind::Uint, Width::W32, n)),
            };
            self.define(inst, expr);
            return true;
        }
        let number = self.address_number();
        let expr = self.call(inst, number, vec![address], ADDRESS);
        let expr = match data.ty.components() {
            1 => expr,
            components => {
                let ty = NumberType::new(Kind::Uint, Width::W32, components);
                let name = if self.w.language.is_glsl() { "unpackUint2x32" } else { "as_type<uint2>" };
                self.call(inst, name, vec![expr], ty)
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
        // A pointer to an array is one to its first element.
        Some(_) if inner.len() < path.len() => inner,
        _ => [Token::new(Class::Op, "&")].into_iter().chain(path).collect(),
    }
}
