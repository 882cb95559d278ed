//! Arithmetic: by the table of the dialect, or spelled out where an operation is several.

use super::dialect::VectorLogic;
use super::expr::{Expr, Prec, Token, infix, prefix, punct, space};
use super::func::{FuncWriter, Role};
use super::number::{Kind, NumberType};
use super::spell::{Comparison, Form, Reading, Yield, reading, yields};
use vitrine_ir::ops::{Bits, ConvertOp, FloatOp, IntOp, Op, VectorOp, Width};
use vitrine_ir::{Help, Inst};
use vitrine_text::Class;

/// The names of components.
pub(super) const COMPONENTS: [&str; 4] = ["x", "y", "z", "w"];

impl FuncWriter<'_, '_> {
    /// Writes an arithmetic operation.
    pub(super) fn arithmetic(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let op = data.op;
        if op == Op::Vector(VectorOp::Vec) && data.ty.components() > 4 {
            // The offsets of a gather, which are written or refused there.
            return;
        }
        let is_bool = data.args.first().is_some_and(|&arg| self.body.ty(arg).width() == Some(Width::W1));
        let (mut kind, shared) = self.result_kind(inst);
        let dialect = self.w.dialect;
        dialect.note_options(self, inst);
        let form = dialect.form(op, is_bool);
        if matches!(form, Form::CallInt(_) | Form::PrefixInt(_)) {
            kind = Kind::Int;
        }
        let ty = self.type_as(inst, kind);
        if dialect.number(ty.with_components(1)).is_none() {
            // Refuses a type that the text would not name, as that of literals.
            self.type_name(ty.with_components(1), inst);
            return;
        }
        let expr = match form {
            Form::Infix(symbol, prec) => {
                let operands = self.operands(inst, ty.kind, shared);
                let expr = self.infix(inst, symbol, prec, operands, ty);
                dialect.narrowed(self, inst, expr)
            }
            Form::Prefix(symbol) | Form::PrefixInt(symbol) => {
                let operands = self.operands(inst, ty.kind, shared);
                let Some(operand) = operands.into_iter().next() else { return };
                let expr = prefix(Token::linked(Class::Op, symbol, self.anchor(inst)), operand, ty);
                dialect.narrowed(self, inst, expr)
            }
            Form::Call(name) | Form::CallInt(name) => {
                if dialect.refuses_function(self, inst, name, ty) {
                    return;
                }
                let operands = self.call_operands(inst, ty.kind, shared);
                let scalar = match op {
                    Op::Vector(op) => dialect.geometry_of_scalars(self, inst, op, &operands, ty),
                    _ => None,
                };
                scalar.unwrap_or_else(|| self.call(inst, name, operands, ty))
            }
            Form::Compare(comparison) => {
                let operands = self.operands(inst, shared, shared);
                self.compare(inst, comparison, operands, ty)
            }
            Form::NotCompare(comparison) => {
                let operands = self.operands(inst, shared, shared);
                let compared = self.compare(inst, comparison, operands, ty);
                self.not(inst, compared, ty)
            }
            Form::Construct => self.conversion(inst, ty, shared),
            Form::Engine => match self.special(inst, op, ty, shared) {
                Some(expr) => expr,
                None => return,
            },
            Form::Dialect => match self.special_to_language(inst, op, ty, shared) {
                Some(expr) => expr,
                None => return,
            },
            Form::Lower(pass) => return self.lowered(inst, pass),
            Form::No(reason) => return self.refuse(inst, reason, ""),
        };
        self.define(inst, expr);
    }

    /// Refuses an operation that a pass lowers.
    pub(super) fn lowered(&mut self, inst: Inst, pass: &str) {
        self.refuse(inst, "it has no such operation", Help::lowered_by(pass));
    }

    /// The kind of the result, and that of operands that share one.
    fn result_kind(&mut self, inst: Inst) -> (Kind, Kind) {
        let data = self.body.inst(inst);
        let hint = self.hint(inst);
        let of_operands = data.args.iter().find_map(|&arg| match self.written_kind(arg) {
            Some(kind @ (Kind::Int | Kind::Uint)) => Some(kind),
            Some(Kind::Float | Kind::Bool) | None => None,
        });
        match yields(data.op) {
            Yield::Bool => {
                let is_float = reading(data.op, 0) == Reading::Float;
                (Kind::Bool, if is_float { Kind::Float } else { of_operands.unwrap_or(Kind::Int) })
            }
            Yield::Float => (Kind::Float, Kind::Float),
            Yield::Int => (Kind::Int, of_operands.unwrap_or(Kind::Int)),
            Yield::Uint => (Kind::Uint, of_operands.unwrap_or(Kind::Uint)),
            Yield::Hint => (hint, of_operands.unwrap_or(Kind::Int)),
            Yield::Integers => {
                let kind = match hint {
                    Kind::Uint => Kind::Uint,
                    Kind::Bool => Kind::Bool,
                    Kind::Int | Kind::Float => of_operands.unwrap_or(Kind::Int),
                };
                let keeps_kind = self.w.dialect.counts_are_signed();
                let shared = if keeps_kind { of_operands.unwrap_or(kind) } else { kind };
                (kind, shared)
            }
        }
    }

    /// The operands of an operation, each as the kind that the operation reads.
    pub(super) fn operands(&mut self, inst: Inst, result: Kind, shared: Kind) -> Vec<Expr> {
        let data = self.body.inst(inst);
        let mut out = Vec::with_capacity(data.args.len());
        for (at, &arg) in data.args.iter().enumerate() {
            let expr = match reading(data.op, at) {
                Reading::Bool => self.value_as(arg, Kind::Bool),
                Reading::Float => self.value_as(arg, Kind::Float),
                Reading::Int => self.value_as(arg, Kind::Int),
                Reading::Uint => self.value_as(arg, Kind::Uint),
                Reading::Integers => self.value_as(arg, shared),
                Reading::Count => self.shift(inst, at, arg),
                Reading::Result => self.value_as(arg, result),
                Reading::Natural => self.value(arg),
            };
            out.push(expr);
        }
        let dialect = self.w.dialect;
        dialect.adjust_operands(self, inst, &mut out);
        out
    }

    /// The bits by which a shift shifts, or a count of another operation.
    fn shift(&mut self, inst: Inst, at: usize, arg: Inst) -> Expr {
        let is_shift = matches!(self.body.inst(inst).op, Op::Int(IntOp::IShl | IntOp::IShr | IntOp::UShr));
        let constant = self.body.const_of(arg).map(|bits| self.w.module.bits_of(bits));
        match is_shift && at == 1 && self.w.dialect.shifts_by_unsigned(constant.as_ref()) {
            true => self.value_as(arg, Kind::Uint),
            false => self.count(arg),
        }
    }

    /// A count or an index: an integer of any kind, constants without a suffix.
    pub(super) fn count(&mut self, arg: Inst) -> Expr {
        let kind = match self.written_kind(arg) {
            Some(Kind::Uint) => Kind::Uint,
            Some(Kind::Int | Kind::Bool) | None => Kind::Int,
            Some(Kind::Float) => Kind::Int,
        };
        self.value_as(arg, kind)
    }

    /// The operands of a call. Bit fields take one offset and count for all components.
    fn call_operands(&mut self, inst: Inst, result: Kind, shared: Kind) -> Vec<Expr> {
        let op = self.body.inst(inst).op;
        let operands = self.operands(inst, result, shared);
        let bases = match op {
            Op::Int(IntOp::UBfe | IntOp::IBfe) => 1,
            Op::Int(IntOp::Bfi) => 2,
            Op::Float(FloatOp::FLdexp) => return self.exponents(inst, operands),
            _ => return operands,
        };
        let mut out = Vec::with_capacity(operands.len());
        for (at, expr) in operands.into_iter().enumerate() {
            let is_count = at >= bases;
            let expr = match is_count && expr.ty.components > 1 {
                true => {
                    let ty = expr.ty.with_components(1);
                    expr.postfix([punct("."), Token::new(Class::Plain, "x")], ty)
                }
                false => expr,
            };
            let kind = self.w.dialect.field_kind();
            out.push(if is_count { self.cast(expr, kind, inst) } else { expr });
        }
        out
    }

    /// A binary operation.
    pub(super) fn infix(
        &mut self,
        inst: Inst,
        symbol: &'static str,
        prec: Prec,
        operands: Vec<Expr>,
        ty: NumberType,
    ) -> Expr {
        let Ok(sides) = <[Expr; 2]>::try_from(operands) else {
            return self.constant(&Bits::default(), ty.kind, inst);
        };
        let [left, right] = self.w.dialect.operator_operands(sides);
        let is_exact = left.ty.kind != Kind::Float || prec == Prec::Equality;
        let token = Token::linked(Class::Op, symbol, self.anchor(inst));
        let grammar = self.w.dialect.grammar();
        infix(grammar, token, prec, [left, right], ty, is_exact && ty == NumberType::BOOL)
    }

    fn compare(&mut self, inst: Inst, comparison: Comparison, operands: Vec<Expr>, ty: NumberType) -> Expr {
        if ty.components > 1 && self.w.dialect.compares_whole_vectors() {
            self.call(inst, comparison.function(), operands, ty)
        } else {
            self.infix(inst, comparison.symbol(), comparison.prec(), operands, ty)
        }
    }

    fn not(&mut self, inst: Inst, operand: Expr, ty: NumberType) -> Expr {
        match ty.components > 1 && self.w.dialect.compares_whole_vectors() {
            true => self.call(inst, "not", vec![operand], ty),
            false => prefix(Token::linked(Class::Op, "!", self.anchor(inst)), operand, ty),
        }
    }

    /// A conversion to the result type.
    fn conversion(&mut self, inst: Inst, ty: NumberType, shared: Kind) -> Expr {
        let data = self.body.inst(inst);
        let is_copy = matches!(data.op, Op::Convert(ConvertOp::F2F | ConvertOp::I2I | ConvertOp::U2U));
        let mut operands = self.operands(inst, ty.kind, shared);
        let dialect = self.w.dialect;
        match operands.pop() {
            Some(operand) if is_copy && operand.ty == ty => operand,
            Some(operand) => dialect.conversion(self, inst, operand, ty),
            None => self.constant(&Bits::default(), ty.kind, inst),
        }
    }

    /// Operations that the folder of the language spells out. `None` if the operation was refused here.
    fn special_to_language(&mut self, inst: Inst, op: Op, ty: NumberType, shared: Kind) -> Option<Expr> {
        let dialect = self.w.dialect;
        let written = match op {
            Op::Float(op) => {
                let operands = self.operands(inst, Kind::Float, Kind::Float);
                dialect.float_operation(self, inst, op, &operands, ty)
            }
            Op::Int(op) => {
                let operands = self.operands(inst, ty.kind, shared);
                dialect.integer_operation(self, inst, op, &operands, ty)
            }
            Op::Vector(op) => return dialect.vector_operation(self, inst, op, ty, shared),
            _ => None,
        };
        if written.is_none() {
            self.refuse(inst, "it has no such operation", "");
        }
        written
    }

    /// Operations that the engine spells out. `None` if the operation was defined or refused here.
    fn special(&mut self, inst: Inst, op: Op, ty: NumberType, shared: Kind) -> Option<Expr> {
        match op {
            Op::Float(op) => self.special_float(inst, op, ty),
            Op::Int(op) => Some(self.special_int(inst, op, ty, shared)),
            Op::Vector(op) => self.special_vector(inst, op, ty, shared),
            _ => {
                self.refuse(inst, "it has no such operation", "");
                None
            }
        }
    }

    fn special_float(&mut self, inst: Inst, op: FloatOp, ty: NumberType) -> Option<Expr> {
        let operands = self.operands(inst, Kind::Float, Kind::Float);
        let truth = NumberType::new(Kind::Bool, Width::W1, ty.components);
        let dialect = self.w.dialect;
        match (op, &operands[..]) {
            (FloatOp::FRcp | FloatOp::FCanonicalize, [a]) => {
                let one = self.splat(inst, 1.0, ty);
                Some(match op {
                    FloatOp::FRcp => self.infix(inst, "/", Prec::Product, vec![one, a.clone()], ty),
                    // Arithmetic makes every NaN the same.
                    _ => self.infix(inst, "*", Prec::Product, vec![a.clone(), one], ty),
                })
            }
            (FloatOp::FFma | FloatOp::FMad, [a, b, c]) => {
                let product = self.infix(inst, "*", Prec::Product, vec![a.clone(), b.clone()], ty);
                Some(self.infix(inst, "+", Prec::Sum, vec![product, c.clone()], ty))
            }
            (FloatOp::FNMin | FloatOp::FNMax, [a, b]) => {
                let name = if op == FloatOp::FNMin { "min" } else { "max" };
                let plain = self.call(inst, name, vec![a.clone(), b.clone()], ty);
                let second = dialect.is_nan(self, inst, b.clone(), truth);
                let inner = self.choice(inst, second, a.clone(), plain, ty);
                let first = dialect.is_nan(self, inst, a.clone(), truth);
                Some(self.choice(inst, first, b.clone(), inner, ty))
            }
            (FloatOp::FNClamp, [x, low, high]) => {
                let plain = self.call(inst, "clamp", vec![x.clone(), low.clone(), high.clone()], ty);
                let is_nan = dialect.is_nan(self, inst, x.clone(), truth);
                Some(self.choice(inst, is_nan, low.clone(), plain, ty))
            }
            (FloatOp::FNeo | FloatOp::FEqu, [a, b]) => {
                let pair = || vec![a.clone(), b.clone()];
                let less = self.compare(inst, Comparison::Less, pair(), truth);
                let greater = self.compare(inst, Comparison::Greater, pair(), truth);
                let differ = self.logic(inst, IntOp::IOr, less, greater, truth);
                Some(if op == FloatOp::FNeo { differ } else { self.not(inst, differ, truth) })
            }
            (FloatOp::FModfFract | FloatOp::FModfWhole, [a]) => {
                self.modf(inst, op, a.clone(), ty);
                None
            }
            _ => {
                self.refuse(inst, "it has no such operation", "");
                None
            }
        }
    }

    /// The parts of a float: the function returns one and stores the other.
    fn modf(&mut self, inst: Inst, op: FloatOp, operand: Expr, ty: NumberType) {
        let whole = self.names.fresh("whole", "whole");
        let tokens =
            self.declaration((&whole, vitrine_text::Link::None), Role::Variable, ty, inst, false, None);
        self.push(super::stmt::Stmt::Simple { tokens, declares: Some(whole.clone()), assigns: None });
        let name = Expr::atom(Token::linked(Class::Value, whole, self.anchor(inst)), ty);
        let call = self.call(inst, "modf", vec![operand, name.clone()], ty);
        if op == FloatOp::FModfFract {
            return self.declare(inst, call);
        }
        self.statement(call.tokens);
        self.declare(inst, name);
    }

    /// One of two values, component by component.
    pub(super) fn choice(&mut self, inst: Inst, cond: Expr, a: Expr, b: Expr, ty: NumberType) -> Expr {
        let dialect = self.w.dialect;
        dialect.chosen_value(self, inst, cond, [a, b], ty)
    }

    /// One of two values by a single condition, with the operator `?:`.
    pub(super) fn conditional(&self, inst: Inst, cond: Expr, [a, b]: [Expr; 2], ty: NumberType) -> Expr {
        let anchor = self.anchor(inst);
        let mut tokens = cond.at_least(Prec::LogicalOr).tokens;
        tokens.extend([space(), Token::linked(Class::Op, "?", anchor), space()]);
        tokens.extend(a.at_least(Prec::LogicalOr).tokens);
        tokens.extend([space(), Token::linked(Class::Op, ":", anchor), space()]);
        tokens.extend(b.tokens);
        Expr::new(tokens, Prec::Choice, ty)
    }

    /// Logic on booleans: by operators, or by functions if operators compare vectors as a whole. Languages without operators
    /// for vectors compute them as numbers 0 and 1.
    pub(super) fn logic(&mut self, inst: Inst, op: IntOp, a: Expr, b: Expr, ty: NumberType) -> Expr {
        let is_vector = ty.components > 1;
        let is_called = is_vector && self.w.dialect.compares_whole_vectors();
        let (symbol, prec) = match op {
            IntOp::IAnd => ("&&", Prec::LogicalAnd),
            IntOp::IOr => ("||", Prec::LogicalOr),
            IntOp::IEq if is_called => return self.call(inst, "equal", vec![a, b], ty),
            IntOp::IXor | IntOp::INe if is_called => return self.call(inst, "notEqual", vec![a, b], ty),
            IntOp::IEq => ("==", Prec::Equality),
            IntOp::IXor | IntOp::INe => ("!=", Prec::Equality),
            _ => return self.no_operation(inst, ty),
        };
        let logic = self.w.dialect.vector_logic();
        if !is_vector || logic == VectorLogic::Logical || prec == Prec::Equality {
            return self.infix(inst, symbol, prec, vec![a, b], ty);
        }
        let (symbol, prec) = if op == IntOp::IAnd { ("&", Prec::BitAnd) } else { ("|", Prec::BitOr) };
        if logic == VectorLogic::Bitwise {
            return self.infix(inst, symbol, prec, vec![a, b], ty);
        }
        let numbers = NumberType::new(Kind::Uint, Width::W32, ty.components);
        let a = self.construct(inst, numbers, vec![a]);
        let b = self.construct(inst, numbers, vec![b]);
        let both = self.infix(inst, symbol, prec, vec![a, b], numbers);
        self.construct(inst, ty, vec![both])
    }

    fn special_int(&mut self, inst: Inst, op: IntOp, ty: NumberType, shared: Kind) -> Expr {
        let data = self.body.inst(inst);
        if let (IntOp::Select | IntOp::Select1, &[cond, a, b]) = (op, &data.args[..]) {
            let cond = self.value_as(cond, Kind::Bool);
            let (a, b) = (self.value_as(a, ty.kind), self.value_as(b, ty.kind));
            return self.choice(inst, cond, a, b, ty);
        }
        let operands = self.operands(inst, ty.kind, shared);
        match (op, &operands[..]) {
            (IntOp::INot, [a]) => self.not(inst, a.clone(), ty),
            (IntOp::IMod, [a, b]) => self.imod(inst, a.clone(), b.clone(), ty),
            (_, [a, b]) => self.logic(inst, op, a.clone(), b.clone(), ty),
            _ => self.no_operation(inst, ty),
        }
    }

    /// Refuses an operation whose spelling is code that neither the language nor the engine has.
    fn no_operation(&mut self, inst: Inst, ty: NumberType) -> Expr {
        self.refuse(inst, "it has no such operation", "");
        self.constant(&Bits::zero(ty.width, ty.components), ty.kind, inst)
    }

    /// The remainder with the sign of the divisor; the operator has that of the dividend.
    fn imod(&mut self, inst: Inst, a: Expr, b: Expr, ty: NumberType) -> Expr {
        let truth = NumberType::new(Kind::Bool, Width::W1, ty.components);
        let remainder = self.infix(inst, "%", Prec::Product, vec![a, b.clone()], ty);
        let remainder = self.fixed(remainder, Role::Value, inst);
        let zero = self.constant(&Bits::zero(ty.width, ty.components), ty.kind, inst);
        let is_some = self.infix(inst, "!=", Prec::Equality, vec![remainder.clone(), zero.clone()], truth);
        let signs = self.infix(inst, "^", Prec::BitXor, vec![remainder.clone(), b.clone()], ty);
        let differ = self.infix(inst, "<", Prec::Relation, vec![signs, zero], truth);
        let wrong = self.logic(inst, IntOp::IAnd, is_some, differ, truth);
        let sum = self.infix(inst, "+", Prec::Sum, vec![remainder.clone(), b], ty);
        self.choice(inst, wrong, sum, remainder, ty)
    }
}
