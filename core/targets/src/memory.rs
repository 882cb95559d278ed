//! Loads, stores, copies and atomics on paths; registers; declarations of local variables.

use super::declaration_sites::Named;
use super::expr::{Expr, Prec, Token, space};
use super::func::{FuncWriter, Role};
use super::layout::is_empty_type;
use super::number::NumberType;
use super::paths::{PathText, bracketed};
use super::stmt::Stmt;
use std::rc::Rc;
use vitrine_ir::ops::{Access, Key, MemoryOp, RegOp, ValueType};
use vitrine_ir::{Anchor, Global, GlobalValue, Inst, Var};
use vitrine_text::{Class, Link};

impl FuncWriter<'_, '_> {
    /// Writes a memory operation.
    pub(super) fn memory(&mut self, inst: Inst, op: MemoryOp) {
        let data = self.body.inst(inst);
        let Some(&at) = data.args.first() else { return };
        if data.ty.is_opaque() {
            self.pointer_load(inst);
            return;
        }
        if self.body.ty(at) == ValueType::Ptr {
            return self.texel_atomic(inst, op);
        }
        if op == MemoryOp::Store && self.w.dialect.ignores_store(self, inst) {
            return;
        }
        let Some(text) = self.path(at) else { return };
        if self.needs_qualifier(inst, op, &text) {
            let says =
                "the access is volatile, available or visible, which is a property of declarations there";
            return self.refuse(inst, says, "declare the variable as coherent or volatile");
        }
        match op {
            MemoryOp::Load => {
                let Some(ty) = self.number_at(inst, &text) else { return };
                if let Some(expr) = self.w.dialect.loaded(self, inst, text, ty) {
                    self.define(inst, expr);
                }
            }
            MemoryOp::Store => self.store(inst, text),
            MemoryOp::CopyVar => self.copy(inst, text),
            MemoryOp::ArrayLen => self.w.dialect.array_length(self, inst, text),
            MemoryOp::AtomicLoad | MemoryOp::AtomicStore | MemoryOp::Atomic | MemoryOp::AtomicCas => {
                self.atomic(inst, op, text);
            }
            MemoryOp::CopyBytes => self.lowered(inst, "memcpy"),
        }
    }

    /// The number of a type at a path.
    pub(super) fn loaded_number(&mut self, inst: Inst, text: PathText, ty: NumberType) -> Expr {
        if let Some(column) = text.column {
            let parts = (0..ty.components).map(|row| row_element(&text.tokens, row, &column, ty));
            let parts = parts.collect();
            return self.construct(inst, ty, parts);
        }
        let is_packed = text.packed && ty.components > 1;
        let expr = Expr::new(text.tokens, Prec::Postfix, ty);
        if is_packed { self.construct(inst, ty, vec![expr]) } else { expr }
    }

    /// Returns true for an access with guarantees that the declaration of its variable does not state.
    fn needs_qualifier(&self, inst: Inst, op: MemoryOp, text: &PathText) -> bool {
        if !matches!(op, MemoryOp::Load | MemoryOp::Store | MemoryOp::CopyVar) {
            return false;
        }
        let wanted = self.body.inst(inst).attrs.words::<Access>();
        let var = text.root.and_then(|root| self.w.module.var(root));
        let declared = var.map_or(Access::NONE, |var| var.attrs.words());
        let is_shared = wanted.has_any(Access::AVAILABLE.and(Access::VISIBLE));
        !declared.has(Access::VOLATILE)
            && (wanted.has(Access::VOLATILE) || is_shared && !declared.has(Access::COHERENT))
    }

    fn store(&mut self, inst: Inst, text: PathText) {
        let data = self.body.inst(inst);
        let Some(&value) = data.args.get(1) else { return };
        if self.pointer_store(inst, &text) {
            return;
        }
        if self.w.dialect.own_store(self, inst, &text) {
            return;
        }
        let Some(ty) = self.number_at(inst, &text) else { return };
        if let Some(partial) = self.plan.partial_store(inst).cloned() {
            let part = ty.with_components(partial.components.len() as u8);
            let value = self.join(inst, &partial.pieces, part);
            let target = Expr::new(text.tokens, Prec::Postfix, ty);
            let target = self.components(inst, target, &partial.components, part);
            let tokens = self.assignment(inst, target, value);
            return self.statement(tokens);
        }
        let value = self.value_as(value, ty.kind);
        self.w.dialect.store(self, inst, text, ty, value);
    }

    /// Stores a number to memory of the type `ty` by an assignment, which declares the variable if it is the first access.
    pub(super) fn store_number(&mut self, inst: Inst, text: PathText, ty: NumberType, value: Expr) {
        if let Some(column) = text.column {
            return self.store_column(inst, &text.tokens, &column, value);
        }
        let target = Expr::new(text.tokens, Prec::Postfix, ty);
        let declares = match text.root {
            Some(var) if self.declaration_sites.declares(inst) => Some(var),
            _ => None,
        };
        if let (Some(var), Some(name)) = (declares, text.whole.clone()) {
            let link = Link::Def(Anchor::Var(var));
            let tokens = self.declaration((&name, link), Role::Variable, ty, inst, false, Some(value));
            return self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: Some(name) });
        }
        let mask = self.body.inst(inst).attrs.get(Key::Mask);
        let element = (mask.is_none() && self.may_be_element(inst)).then(|| value.tokens.clone());
        self.assign(inst, target, value, mask, text.whole);
        if let Some(value) = element {
            self.note_element(inst, value);
        }
    }

    /// Assigns the components of a column, each in its row.
    fn store_column(&mut self, inst: Inst, rows: &[Token], column: &[Token], value: Expr) {
        let (ty, mask) = (value.ty, self.body.inst(inst).attrs.get(Key::Mask).unwrap_or(u64::MAX));
        let value = self.fixed(value, Role::Value, inst);
        for row in (0..ty.components).filter(|row| mask >> row & 1 == 1) {
            let part = self.components(inst, value.clone(), &[row], ty.with_components(1));
            let mut tokens = row_element(rows, row, column, ty).tokens;
            tokens.extend([space(), Token::linked(Class::Op, "=", self.anchor(inst)), space()]);
            tokens.extend(part.tokens);
            self.statement(tokens);
        }
    }

    /// An assignment of all components or of those in a mask. `name` is the variable that is the whole target.
    fn assign(&mut self, inst: Inst, target: Expr, value: Expr, mask: Option<u64>, name: Option<Rc<str>>) {
        let ty = target.ty;
        let all = (1u64 << ty.components) - 1;
        let mask = mask.map_or(all, |mask| mask & all);
        if mask != all {
            let list: Vec<u8> = (0..ty.components).filter(|&component| mask >> component & 1 == 1).collect();
            return self.w.dialect.assign_components(self, inst, target, value, &list);
        }
        let tokens = self.assignment(inst, target, value);
        self.push(Stmt::Simple { tokens, declares: None, assigns: name });
    }

    /// Assigns some components of a value to the same ones of a target, all at once.
    pub(super) fn assign_swizzle(&mut self, inst: Inst, target: Expr, value: Expr, list: &[u8]) {
        let part = target.ty.with_components(list.len() as u8);
        let (target, value) =
            (self.components(inst, target, list, part), self.components(inst, value, list, part));
        let tokens = self.assignment(inst, target, value);
        self.push(Stmt::Simple { tokens, declares: None, assigns: None });
    }

    /// `target = value`, or `target op= value` if the value begins with the target.
    fn assignment(&mut self, inst: Inst, target: Expr, value: Expr) -> Vec<Token> {
        let anchor = self.anchor(inst);
        let mut tokens = target.tokens;
        let compound = value.operator.filter(|operator| {
            let Some(left) = value.tokens.get(..operator.at.saturating_sub(1)) else { return false };
            let is_target = left.len() == tokens.len()
                && left.iter().zip(&tokens).all(|(a, b)| a.text.as_str() == b.text.as_str());
            is_target && compound(value.tokens[operator.at].text.as_str()).is_some()
        });
        if let Some(operator) = compound {
            let symbol = super::memory::compound(value.tokens[operator.at].text.as_str()).unwrap_or("=");
            tokens.extend([space(), Token::linked(Class::Op, symbol, anchor), space()]);
            let right: Vec<Token> = value.tokens.into_iter().skip(operator.at + 2).collect();
            tokens.extend(super::expr::ungrouped(right));
            return tokens;
        }
        tokens.reserve(value.tokens.len() + 3);
        tokens.extend([space(), Token::linked(Class::Op, "=", anchor), space()]);
        tokens.extend(value.tokens);
        tokens
    }

    fn copy(&mut self, inst: Inst, to: PathText) {
        let data = self.body.inst(inst);
        if !self.w.dialect.has_empty_types() && is_empty_type(self.w.module, to.ty) {
            return;
        }
        let Some(from) = data.args.get(1).and_then(|&from| self.path(from)) else { return };
        let is_same = to.ty == from.ty && to.builtin.is_none() && from.builtin.is_none();
        let is_number = self.w.number_type(to.ty).is_some();
        let is_wrapped = to.is_plain != from.is_plain && self.w.dialect.is_wrapped_in_buffers(self.w, to.ty);
        let has_column =
            is_wrapped || [&to, &from].iter().any(|text| text.column.is_some() || text.bytes.is_some());
        if !is_same && !is_number || to.tokens.is_empty() || from.tokens.is_empty() || has_column {
            return self.lowered(inst, "lower-var-copies");
        }
        let mut tokens = to.tokens;
        tokens.extend([space(), Token::linked(Class::Op, "=", self.anchor(inst)), space()]);
        tokens.extend(self.w.dialect.copied(self, inst, from));
        self.statement(tokens);
    }

    /// Writes a register operation.
    pub(super) fn register(&mut self, inst: Inst, op: RegOp) {
        let data = self.body.inst(inst);
        let Some(reg) = data.entity(Key::Reg) else { return };
        let target = match op {
            RegOp::Load | RegOp::LoadAt if self.plan.emission(inst) == super::plan::Emission::Register => {
                return;
            }
            RegOp::Load | RegOp::Store => self.reg_expr(reg, inst),
            RegOp::LoadAt | RegOp::StoreAt => {
                let whole = self.reg_expr(reg, inst);
                let index = data.args.first().map(|&index| self.count(index));
                let ty = whole.ty;
                match index {
                    Some(index) => self.indexed(inst, whole, index, ty),
                    None => whole,
                }
            }
        };
        let value = match op {
            RegOp::Load | RegOp::LoadAt => return self.define(inst, target),
            RegOp::Store => data.args.first(),
            RegOp::StoreAt => data.args.get(1),
        };
        let Some(&value) = value else { return };
        let ty = target.ty;
        let value = self.value_as(value, ty.kind);
        let name = self.regs[reg].as_ref().map(|(name, _)| name.clone());
        if self.declaration_sites.declares(inst)
            && let Some(name) = name.clone()
        {
            let link = Link::Def(Anchor::Reg(self.func, reg));
            let tokens = self.declaration((&name, link), Role::Variable, ty, inst, false, Some(value));
            return self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: Some(name) });
        }
        let whole = name.filter(|_| op == RegOp::Store);
        self.assign(inst, target, value, data.attrs.get(Key::Mask), whole);
    }

    /// A module constant.
    pub(super) fn global(&mut self, inst: Inst) -> Expr {
        let data = self.body.inst(inst);
        let global: Option<Global> = data.entity(Key::Global);
        let kind = self.hint(inst);
        let Some(global) = global else {
            return self.constant(&vitrine_ir::ops::Bits::default(), kind, inst);
        };
        let value = self.w.module.global(global).map(|found| found.value.clone());
        let ty = self.type_as(inst, kind);
        match value {
            Some(GlobalValue::Zero(_) | GlobalValue::Undef(_)) => {
                self.constant(&vitrine_ir::ops::Bits::zero(ty.width, ty.components), kind, inst)
            }
            Some(GlobalValue::Parts(_, parts))
                if self.w.dialect.composes_constants() && ty.components > 1 && parts.len() > 1 =>
            {
                let ty = self.w.global_type(global).unwrap_or(ty);
                let scalar = ty.with_components(1);
                let parts = parts
                    .iter()
                    .map(|&part| Expr::new(self.w.constant_operand(part, ty.kind), Prec::Sum, scalar));
                let parts: Vec<Expr> = parts.collect();
                self.construct(inst, ty, parts)
            }
            Some(GlobalValue::Spec(_) | GlobalValue::Op { .. } | GlobalValue::Parts(..)) => {
                let name = self.w.global_name(global);
                let ty = self.w.global_type(global).unwrap_or(ty);
                Expr::atom(Token::linked(Class::Name, name, Anchor::Global(global)), ty)
            }
            Some(GlobalValue::Address(_)) | None => {
                self.refuse(inst, "it is an address", "");
                self.constant(&vitrine_ir::ops::Bits::default(), kind, inst)
            }
        }
    }

    /// Declares a local variable, with its initializer if it has one.
    pub(super) fn declare_local(&mut self, var: Var) {
        let Some(data) = self.w.module.var(var) else { return };
        let name = self.local(var);
        let Some(tokens) =
            self.w.var_declaration(&name, Link::Def(Anchor::Var(var)), data.ty, Anchor::Var(var))
        else {
            return self.w.refuse_type(Anchor::Var(var), var, data.ty, "");
        };
        let mut tokens = tokens;
        if let Some(keyword) = self.w.dialect.variable_keyword() {
            tokens.splice(0..0, [Token::new(Class::Keyword, keyword), space()]);
        }
        if let Some(init) = data.init {
            let init = self.w.initializer(init, data.ty);
            tokens.extend([space(), Token::new(Class::Op, "="), space()]);
            tokens.extend(init);
        }
        self.named.insert(name.clone(), Named::Var(var));
        self.push(Stmt::Simple { tokens, declares: Some(name), assigns: None });
    }
}

/// The element of a row that belongs to a column.
fn row_element(rows: &[Token], row: u8, column: &[Token], ty: NumberType) -> Expr {
    let mut tokens = rows.to_vec();
    tokens.extend(bracketed(vec![Token::new(Class::Number, row.to_string())]));
    tokens.extend_from_slice(column);
    Expr::new(tokens, Prec::Postfix, ty.with_components(1))
}

/// The compound assignment of an operator.
pub(super) fn compound(operator: &str) -> Option<&'static str> {
    const PAIRS: &[(&str, &str)] = &[
        ("+", "+="),
        ("-", "-="),
        ("*", "*="),
        ("/", "/="),
        ("%", "%="),
        ("&", "&="),
        ("|", "|="),
        ("^", "^="),
        ("<<", "<<="),
        (">>", ">>="),
    ];
    PAIRS.iter().find(|(plain, _)| *plain == operator).map(|&(_, compound)| compound)
}
