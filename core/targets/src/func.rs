//! The writer of a function: values as expressions, statements in an arena, and the helpers that all operations use.
//!
//! `tree` walks the function; `values`, `memory`, `images` and `group` write the operations.

use super::choices;
use super::declaration_sites::{DeclarationSites, Named};
use super::expr::{Expr, Prec, Token, begun, call, space};
use super::module::{ModuleWriter, NO_OPERATION};
use super::names::Names;
use super::number::{Kind, NumberType, kind_of_hint};
use super::plan::{Emission, Plan};
use super::roles::{COUNTERS, Roles};
use super::stmt::{Arena, List, Stmt};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt::Display;
use std::rc::Rc;
use vitrine_analysis::Types;
use vitrine_ir::base::{EntityId, SideTable};
use vitrine_ir::ops::{BasicOp, Bits, Flags, Key, MemoryOp, Op, RegOp, Scalar, ValueType, Width};
use vitrine_ir::{Anchor, Block, Func, FuncBody, Help, Inst, Reg, Var};
use vitrine_text::{Class, Link};

/// The longest expression that is written at its use.
const MOST_COLUMNS: usize = 76;

/// A value as far as it is written.
#[derive(Clone, Debug, Default)]
pub(super) enum Slot {
    /// Not yet.
    #[default]
    Empty,
    /// An expression for the only use.
    Once(Expr),
    /// An expression for every use.
    Each(Expr),
    /// A name.
    Name(Rc<str>, NumberType),
}

/// The kind of a declaration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Role {
    /// A value, which does not change after its definition.
    Value,
    /// A variable.
    Variable,
    /// A parameter.
    Param,
}

/// The declaration of a name of a number type.
#[derive(Debug)]
pub(super) struct NumberDeclaration<'a> {
    pub(super) name: Token,
    pub(super) type_name: Rc<str>,
    pub(super) role: Role,
    /// Its value must be computed as written, without contraction.
    pub(super) is_exact: bool,
    /// The value that follows.
    pub(super) init: Option<&'a Expr>,
}

impl NumberDeclaration<'_> {
    /// An empty list with space for the tokens of the declaration and of the value.
    pub(super) fn space(&self) -> Vec<Token> {
        Vec::with_capacity(8 + self.init.map_or(0, |init| init.tokens.len()))
    }

    /// The type and the name, as in C.
    pub(super) fn typed(self) -> Vec<Token> {
        let mut tokens = self.space();
        tokens.extend([Token::new(Class::Type, self.type_name), space(), self.name]);
        tokens
    }

    /// The same, with the word for a value that is exact.
    pub(super) fn precise(self) -> Vec<Token> {
        let mut tokens = self.space();
        if self.is_exact {
            tokens.extend([Token::new(Class::Keyword, "precise"), space()]);
        }
        tokens.extend([Token::new(Class::Type, self.type_name), space(), self.name]);
        tokens
    }
}

/// The writer of a function.
pub(super) struct FuncWriter<'a, 'm> {
    pub(super) w: &'a mut ModuleWriter<'m>,
    pub(super) func: Func,
    pub(super) body: &'m FuncBody,
    pub(super) types: Rc<Types>,
    pub(super) plan: Plan,
    pub(super) declaration_sites: DeclarationSites,
    pub(super) names: Names,
    roles: Roles,
    pub(super) arena: Arena,
    /// The lists of statements that are open, the innermost last.
    pub(super) lists: Vec<List>,
    pub(super) slots: SideTable<Inst, Slot>,
    pub(super) regs: SideTable<Reg, Option<(Rc<str>, NumberType)>>,
    pub(super) locals: SideTable<Var, Option<Rc<str>>>,
    /// The meaning of a name.
    pub(super) named: FxHashMap<Rc<str>, Named>,
    /// Registers and variables whose value is written once.
    temporaries: FxHashSet<Named>,
    /// The block whose instructions are being written.
    pub(super) block: Option<Block>,
    /// The residencies of texels.
    pub(super) residencies: FxHashMap<Inst, Expr>,
    /// The first access of each register.
    first_accesses: FxHashMap<Reg, Inst>,
    /// The steps of the path that is being written: a list that is used again.
    pub(super) steps: Vec<Inst>,
}

impl<'a, 'm> FuncWriter<'a, 'm> {
    /// A writer of a function that has a body.
    pub(super) fn new(w: &'a mut ModuleWriter<'m>, func: Func, body: &'m FuncBody) -> FuncWriter<'a, 'm> {
        let module = w.module;
        let types = w.cx.get::<Types>(module, func);
        let plan = Plan::of(module, func, body, w.dialect, &w.computing, &mut w.cx);
        let declaration_sites = DeclarationSites::of(module, body, &plan);
        let names = w.names.of_function();
        let mut first_accesses = FxHashMap::default();
        body.for_each_inst(|_, inst| {
            if let Some(reg) = body.inst(inst).entity::<Reg>(Key::Reg) {
                first_accesses.entry(reg).or_insert(inst);
            }
        });
        let temporaries = choices::temporaries(module, body, &plan);
        FuncWriter {
            w,
            func,
            body,
            types,
            plan,
            declaration_sites,
            names,
            roles: Roles::of(body),
            arena: Arena::default(),
            lists: vec![List::new()],
            slots: SideTable::sized(Slot::Empty, body.tables().insts.len()),
            regs: SideTable::new(),
            locals: SideTable::new(),
            named: FxHashMap::default(),
            temporaries,
            block: None,
            residencies: FxHashMap::default(),
            first_accesses,
            steps: Vec::new(),
        }
    }

    /// The anchor of an instruction.
    pub(super) fn anchor(&self, inst: Inst) -> Anchor {
        Anchor::Inst(self.func, inst)
    }

    /// Refuses an instruction.
    pub(super) fn refuse(&mut self, inst: Inst, says: impl AsRef<str>, help: impl Into<Help>) {
        let (op, language) = (self.body.inst(inst).op.name(), self.w.dialect.name());
        let says = format!("{inst} is `{op}`, which {language} cannot express: {}", says.as_ref());
        self.w.refuse(NO_OPERATION, Anchor::Inst(self.func, inst), says, help);
    }

    /// The inferred kind of a value.
    pub(super) fn hint(&self, inst: Inst) -> Kind {
        kind_of_hint(self.types.hint(inst), self.body.ty(inst).width().unwrap_or_default())
    }

    /// The type of a value as a kind of number. Refuses values that are no numbers.
    pub(super) fn type_as(&mut self, inst: Inst, kind: Kind) -> NumberType {
        match NumberType::of(self.body.ty(inst), kind) {
            Some(ty) => ty,
            None => {
                self.refuse(inst, "it is no number", "validate the module");
                NumberType::scalar(kind)
            }
        }
    }

    /// The name of a number type.
    pub(super) fn type_name(&mut self, ty: NumberType, inst: Inst) -> Rc<str> {
        let at = self.anchor(inst);
        self.w.shared_number_name(ty, at)
    }

    /// A call of a built-in function, linked to an instruction.
    pub(super) fn call(
        &mut self,
        inst: Inst,
        name: impl Into<super::expr::TokenText>,
        args: Vec<Expr>,
        ty: NumberType,
    ) -> Expr {
        let (dialect, name) = (self.w.dialect, name.into());
        let args = dialect.builtin_arguments(self, inst, name.as_str(), args);
        call(Token::linked(Class::Op, name, self.anchor(inst)), args, ty)
    }

    /// A value of a type, of its components, of one for all of them, or of a number of another type.
    pub(super) fn construct(&mut self, inst: Inst, ty: NumberType, args: Vec<Expr>) -> Expr {
        let name = self.type_name(ty, inst);
        let dialect = self.w.dialect;
        dialect.construction(self, inst, (name, ty), args)
    }

    /// The constructor of a type, which has a name.
    pub(super) fn constructor(&self, inst: Inst, (name, ty): (Rc<str>, NumberType), args: Vec<Expr>) -> Expr {
        call(Token::linked(Class::Type, name, self.anchor(inst)), args, ty)
    }

    /// A number as a constant with as many components as a type has.
    pub(super) fn splat(&mut self, inst: Inst, value: f64, ty: NumberType) -> Expr {
        let scalar = match ty.kind {
            Kind::Float => Scalar::float(ty.width, value),
            Kind::Bool | Kind::Int | Kind::Uint => Scalar::new(ty.width, value as i64 as u64),
        };
        let bits = Bits::from_scalars(&vec![scalar; usize::from(ty.components)]);
        self.constant(&bits, ty.kind, inst)
    }

    /// Constant bits as numbers of a kind.
    pub(super) fn constant(&mut self, bits: &Bits, kind: Kind, inst: Inst) -> Expr {
        let (width, dialect) = (bits.width(), self.w.dialect);
        let kind = if width == Width::W1 { Kind::Bool } else { kind };
        let kind = if width == Width::W8 && kind == Kind::Float { Kind::Uint } else { kind };
        let scalar = NumberType::new(kind, width, 1);
        let extension = dialect.extension(scalar);
        self.w.extensions.extend(extension);
        if let Some(spelled) = dialect.spelled_constant(self, inst, bits, scalar) {
            return spelled;
        }
        let anchor = self.anchor(inst);
        let literals = &mut self.w.literals;
        let mut one = |component: u64| {
            let text = literals.entry((kind, width, component));
            let text = text.or_insert_with(|| dialect.literal(kind, width, component).into()).clone();
            let prec = match text.as_bytes() {
                [b'-', ..] => Prec::Prefix,
                _ => Prec::Atom,
            };
            Expr::new(begun(Token::linked(Class::Number, text, anchor)), prec, scalar)
        };
        match bits.components() {
            [component] => one(*component),
            [first, rest @ ..] => {
                let ty = NumberType::new(kind, width, bits.components().len() as u8);
                let parts = match rest.iter().all(|other| other == first) {
                    true => vec![one(*first)],
                    false => bits.components().iter().map(|&component| one(component)).collect(),
                };
                self.construct(inst, ty, parts)
            }
            [] => one(0),
        }
    }

    /// A value as an expression, in the kind that it was written as.
    pub(super) fn value(&mut self, inst: Inst) -> Expr {
        let hint = self.hint(inst);
        self.value_or(inst, hint)
    }

    /// The kind that a value was written as; `None` for constants, which have any kind.
    pub(super) fn written_kind(&self, inst: Inst) -> Option<Kind> {
        match &self.slots[inst] {
            Slot::Once(expr) | Slot::Each(expr) => Some(expr.ty.kind),
            Slot::Name(_, ty) => Some(ty.kind),
            Slot::Empty => match self.plan.emission(inst) {
                Emission::Register => {
                    self.reg_of(inst).and_then(|reg| self.regs[reg].as_ref()).map(|(_, ty)| ty.kind)
                }
                _ => None,
            },
        }
    }

    /// A value as an expression; constants are of the given kind.
    pub(super) fn value_or(&mut self, inst: Inst, kind: Kind) -> Expr {
        let data = self.body.inst(inst);
        match std::mem::take(&mut self.slots[inst]) {
            Slot::Once(expr) => return expr,
            Slot::Each(expr) => {
                self.slots[inst] = Slot::Each(expr.clone());
                return expr;
            }
            Slot::Name(name, ty) => {
                let token = Token::linked(Class::Value, name.clone(), self.anchor(inst));
                self.slots[inst] = Slot::Name(name, ty);
                return Expr::atom(token, ty);
            }
            Slot::Empty => {}
        }
        if let Some(bits) = self.body.const_of(inst) {
            let bits = self.w.module.bits_of(bits);
            return self.constant(&bits, kind, inst);
        }
        if self.plan.emission(inst) == Emission::Register
            && let Some(reg) = self.reg_of(inst)
        {
            return self.reg_expr(reg, inst);
        }
        match data.op {
            Op::Basic(BasicOp::Undef) => match data.ty {
                ValueType::Bits { width, components } => {
                    self.constant(&Bits::zero(width, components), kind, inst)
                }
                _ => self.constant(&Bits::default(), kind, inst),
            },
            Op::Basic(BasicOp::Global) => self.global(inst),
            _ => {
                if self.w.diags.is_empty() {
                    self.refuse(inst, "its value is used before it is written", "validate the module");
                }
                self.constant(&Bits::default(), kind, inst)
            }
        }
    }

    /// A value as an expression of a kind, cast if it was written as another one.
    pub(super) fn value_as(&mut self, inst: Inst, kind: Kind) -> Expr {
        let expr = self.value_or(inst, kind);
        self.cast(expr, kind, inst)
    }

    /// The bits of an expression as another kind of number.
    pub(super) fn cast(&mut self, expr: Expr, kind: Kind, inst: Inst) -> Expr {
        let from = expr.ty;
        if from.kind == kind
            || from.kind == Kind::Bool
            || kind == Kind::Bool
            || from.width == Width::W8 && kind == Kind::Float
        {
            return expr;
        }
        let dialect = self.w.dialect;
        dialect.cast_bits(self, inst, expr, kind)
    }

    /// The same by the function of the language, or by the constructor of the type if there is none.
    pub(super) fn bits_as(&mut self, inst: Inst, expr: Expr, kind: Kind) -> Expr {
        let from = expr.ty;
        let to = from.with_kind(kind);
        let extension = self.w.dialect.extension(to);
        self.w.extensions.extend(extension);
        match self.w.dialect.bit_cast(from, kind) {
            // The name of a type is no function.
            Some(name) if from.kind != Kind::Float && kind != Kind::Float => {
                call(Token::linked(Class::Op, name, self.anchor(inst)), vec![expr], to)
            }
            Some(name) => self.call(inst, name, vec![expr], to),
            None => self.construct(inst, to, vec![expr]),
        }
    }

    fn reg_of(&self, inst: Inst) -> Option<Reg> {
        self.body.inst(inst).entity(Key::Reg)
    }

    /// A register as an expression.
    pub(super) fn reg_expr(&mut self, reg: Reg, inst: Inst) -> Expr {
        let (name, ty) = self.reg(reg, inst);
        Expr::atom(Token::linked(Class::Name, name, Anchor::Reg(self.func, reg)), ty)
    }

    /// The name and the type of a register.
    pub(super) fn reg(&mut self, reg: Reg, inst: Inst) -> (Rc<str>, NumberType) {
        if let Some((name, ty)) = &self.regs[reg] {
            return (name.clone(), *ty);
        }
        let info = self.body.reg(reg).copied();
        let wanted = self.w.text(info.and_then(|info| info.name));
        let name = self.storage_name(wanted, Named::Reg(reg), format_args!("r{}", reg.index()));
        let data = self.body.inst(inst);
        let value = match data.op {
            Op::Reg(RegOp::Store) => data.args.first().copied().unwrap_or(inst),
            Op::Reg(RegOp::StoreAt) => data.args.get(1).copied().unwrap_or(inst),
            _ => inst,
        };
        let kind = self.hint(value);
        let ty = info.map_or(NumberType::scalar(kind), |info| {
            let kind = if info.width == Width::W1 { Kind::Bool } else { kind };
            NumberType::new(kind, info.width, info.components)
        });
        self.regs[reg] = Some((name.clone(), ty));
        self.named.insert(name.clone(), Named::Reg(reg));
        (name, ty)
    }

    /// The name of a local variable.
    pub(super) fn local(&mut self, var: Var) -> Rc<str> {
        if let Some(name) = &self.locals[var] {
            return name.clone();
        }
        let wanted = self.w.text(self.w.module.var(var).and_then(|data| data.name));
        let name = self.storage_name(wanted, Named::Var(var), format_args!("local_{}", var.index()));
        self.locals[var] = Some(name.clone());
        self.named.insert(name.clone(), Named::Var(var));
        name
    }

    /// A new name for a value.
    pub(super) fn fresh_name(&mut self, inst: Inst) -> Rc<str> {
        let (module, own) = (self.w.module, self.w.text(self.body.inst_name(inst)));
        let role = match own {
            "" => match self.reg_of(inst).and_then(|reg| self.regs[reg].as_ref()) {
                Some((name, _)) => name.to_string(),
                None => self.roles.of_value(module, self.body, inst).unwrap_or_default(),
            },
            _ => String::new(),
        };
        let wanted = if role.is_empty() { own } else { &role };
        self.names.fresh(wanted, format_args!("v{}", inst.index()))
    }

    /// A new name for a register or a variable: the wanted one if there is one, else by role.
    fn storage_name(&mut self, wanted: &str, named: Named, otherwise: impl Display) -> Rc<str> {
        if !wanted.is_empty() {
            return self.names.fresh(wanted, otherwise);
        }
        if self.roles.is_counter(named)
            && let Some(name) = COUNTERS.iter().find(|name| self.names.is_free(name))
        {
            return self.names.fresh(name, otherwise);
        }
        let role = self.roles.of_storage(self.w.module, self.body, named).unwrap_or_default();
        self.names.fresh(&role, otherwise)
    }

    /// Appends a statement.
    pub(super) fn push(&mut self, stmt: Stmt) {
        let Some(list) = self.lists.last_mut() else { return };
        let is_temporary =
            |name: &str| self.named.get(name).is_some_and(|named| self.temporaries.contains(named));
        let stmt = self.arena.with_choice(stmt, list, is_temporary);
        list.push(self.arena.add(stmt));
    }

    /// Appends a statement that declares and assigns nothing by name.
    pub(super) fn statement(&mut self, tokens: Vec<Token>) {
        self.push(Stmt::Simple { tokens, declares: None, assigns: None });
    }

    /// Gives an instruction its expression, by the plan: kept for its use, or declared.
    pub(super) fn define(&mut self, inst: Inst, expr: Expr) {
        match self.plan.emission(inst) {
            Emission::Dead => {}
            Emission::Repeated => self.slots[inst] = Slot::Each(expr),
            Emission::Inline if self.plan.is_stored(inst) || expr.columns() <= MOST_COLUMNS => {
                self.slots[inst] = Slot::Once(expr);
            }
            Emission::Named if self.plan.uses(inst) == 0 => self.unused(inst, expr),
            Emission::Inline | Emission::Named | Emission::Register => self.declare(inst, expr),
        }
    }

    /// A statement that computes a value for its effects.
    fn unused(&mut self, inst: Inst, expr: Expr) {
        let is_call =
            matches!(self.body.inst(inst).op, Op::Basic(BasicOp::Call) | Op::Memory(MemoryOp::Atomic));
        let mut tokens = Vec::new();
        if let Some(name) = self.w.dialect.unused_name().filter(|_| !is_call) {
            tokens.extend([Token::new(Class::Op, name), space(), Token::new(Class::Op, "="), space()]);
        }
        tokens.extend(expr.tokens);
        self.statement(tokens);
    }

    /// Declares a name for a value.
    pub(super) fn declare(&mut self, inst: Inst, expr: Expr) {
        self.declare_as(inst, Role::Value, expr);
    }

    /// The same, as a value or as a variable.
    pub(super) fn declare_as(&mut self, inst: Inst, role: Role, expr: Expr) {
        let ty = expr.ty;
        if self.declaration_sites.is_hoisted(inst)
            && let Slot::Name(name, declared) = &self.slots[inst]
        {
            let (name, declared) = (name.clone(), *declared);
            let expr = self.cast(expr, declared.kind, inst);
            let mut tokens = vec![Token::linked(Class::Value, name, self.anchor(inst)), space()];
            tokens.extend([Token::linked(Class::Op, "=", self.anchor(inst)), space()]);
            tokens.extend(expr.tokens);
            self.statement(tokens);
            return;
        }
        let name = self.fresh_name(inst);
        let is_exact = self.body.inst(inst).flags.has(Flags::EXACT);
        let link = Link::Def(self.anchor(inst));
        let tokens = self.declaration((&name, link), role, ty, inst, is_exact, Some(expr));
        self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None });
        self.slots[inst] = Slot::Name(name, ty);
    }

    /// The declaration of a name of a number type.
    pub(super) fn declaration(
        &mut self,
        (name, link): (&Rc<str>, Link),
        role: Role,
        ty: NumberType,
        inst: Inst,
        is_exact: bool,
        init: Option<Expr>,
    ) -> Vec<Token> {
        let type_name = self.type_name(ty, inst);
        let name = Token { text: name.clone().into(), class: Class::Name, link };
        let declaration = NumberDeclaration { name, type_name, role, is_exact, init: init.as_ref() };
        let dialect = self.w.dialect;
        let mut tokens = dialect.declared_number(self, declaration);
        if let Some(init) = init {
            tokens.extend([space(), Token::linked(Class::Op, "=", self.anchor(inst)), space()]);
            tokens.extend(init.tokens);
        }
        tokens
    }

    /// A name for an expression, so that it is no constant expression any more.
    pub(super) fn fixed(&mut self, expr: Expr, role: Role, inst: Inst) -> Expr {
        let name = self.names.fresh("fixed", "fixed");
        let ty = expr.ty;
        let expr = match role {
            // A declaration without a type gets that of the literal.
            Role::Variable if ty.components == 1 => self.construct(inst, ty, vec![expr]),
            _ => expr,
        };
        let tokens = self.declaration((&name, Link::None), role, ty, inst, false, Some(expr));
        self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None });
        Expr::atom(Token::linked(Class::Value, name, self.anchor(inst)), ty)
    }

    /// Declares what is declared before its first definition.
    pub(super) fn declare_ahead(&mut self, named: Named) {
        match named {
            Named::Value(inst) => {
                // The kind is decided by the hint; the definition casts to it.
                let kind = self.hint(inst);
                let Some(ty) = NumberType::of(self.body.ty(inst), kind) else { return };
                let name = self.fresh_name(inst);
                let is_exact = self.body.inst(inst).flags.has(Flags::EXACT);
                let link = Link::Def(self.anchor(inst));
                let tokens = self.declaration((&name, link), Role::Variable, ty, inst, is_exact, None);
                self.push(Stmt::Simple { tokens, declares: Some(name.clone()), assigns: None });
                self.slots[inst] = Slot::Name(name, ty);
            }
            Named::Reg(reg) => self.declare_reg(reg),
            Named::Var(var) => self.declare_local(var),
        }
    }

    fn declare_reg(&mut self, reg: Reg) {
        // The first access decides the kind.
        let Some(&inst) = self.first_accesses.get(&reg) else { return };
        let (name, ty) = self.reg(reg, inst);
        let link = Link::Def(Anchor::Reg(self.func, reg));
        let len = self.body.reg(reg).map(|info| info.len).filter(|&len| len > 0);
        let one = self.declaration((&name, link), Role::Variable, ty, inst, false, None);
        let tokens = match len {
            Some(len) => self.w.dialect.declared_numbers(one, len),
            None => one,
        };
        self.push(Stmt::Simple { tokens, declares: Some(name), assigns: None });
    }
}
