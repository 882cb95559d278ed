//! Arithmetic: by the table of the dialect, or spelled out where an operation is several.

use super::expr::{Expr, Prec, Token, TokenText, call, infix, prefix, punct, space};
use super::func::{FuncWriter, Role};
use super::glsl;
use super::language::{Language, Version};
use super::literals::{is_untyped, typed};
use super::number::{Kind, NumberType};
use super::pieces::Piece;
use super::spell::{Comparison, Form, Reading, Yield, reading, yields};
use crate::ir::{Help, Inst};
use crate::ops::attr::unpack_component;
use crate::ops::{Bits, ConvertOp, FloatOp, IntOp, Key, Op, Scalar, VectorOp, Width};
use crate::text::Class;

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
        if self.w.language == Language::Msl {
            self.note_options(inst);
        }
        let form = self.w.dialect.form(op, is_bool);
        if matches!(form, Form::CallInt(_) | Form::PrefixInt(_)) {
            kind = Kind::Int;
        }
        let ty = self.type_as(inst, kind);
        if self.w.dialect.number(ty.with_components(1)).is_none() {
            // Refuses a type that the text would not name, as that of literals.
            self.type_name(ty.with_components(1), inst);
            return;
        }
        let expr = match form {
            Form::Infix(symbol, prec) => {
                let operands = self.operands(inst, ty.kind, shared);
                let expr = self.infix(inst, symbol, prec, operands, ty);
                self.narrowed(inst, expr)
            }
            Form::Prefix(symbol) | Form::PrefixInt(symbol) => {
                let operands = self.operands(inst, ty.kind, shared);
                let Some(operand) = operands.into_iter().next() else { return };
                let expr = prefix(Token::linked(Class::Op, symbol, self.anchor(inst)), operand, ty);
                self.narrowed(inst, expr)
            }
            Form::Call(name) | Form::CallInt(name) => {
                if self.w.language == Language::Hlsl && self.hlsl_rounds(inst, name, ty) {
                    return;
                }
                if self.w.language.is_glsl() && ty.width == Width::W64 && glsl::types::lacks_doubles(name) {
                    return self.refuse(inst, "its function takes no numbers of 64 bits", "");
                }
                let operands = self.call_operands(inst, ty.kind, shared);
                let scalar = match (self.w.language, op) {
                    (Language::Wgsl | Language::Msl, Op::Vector(op)) => {
                        self.geometry_of_scalars(inst, op, &operands, ty)
                    }
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
                let shared = if self.w.language.is_glsl() { of_operands.unwrap_or(kind) } else { kind };
                (kind, shared)
            }
        }
    }

    /// The operands of an operation, each as the kind that the operation reads.
    fn operands(&mut self, inst: Inst, result: Kind, shared: Kind) -> Vec<Expr> {
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
        if self.w.language == Language::Hlsl
            && matches!(data.op, Op::Int(IntOp::IShl | IntOp::IShr))
            && let [left, right] = &mut out[..]
            && let [literal, ..] = &left.tokens[..]
            && (literal.class == Class::Number && left.ty.kind == Kind::Int && right.ty.kind == Kind::Uint)
        {
            // A literal without a suffix would become unsigned.
            let (literal, ty) = (left.clone(), left.ty);
            *left = self.construct(inst, ty, vec![literal]);
        }
        match self.w.language {
            Language::Wgsl => self.keep_from_evaluation(inst, &mut out),
            Language::Glsl(_) => self.keep_from_folding(inst, &mut out),
            Language::Hlsl | Language::Msl => {}
        }
        out
    }

    /// The bits by which a shift shifts: an unsigned number in WGSL.
    fn shift(&mut self, inst: Inst, at: usize, arg: Inst) -> Expr {
        let is_shift = matches!(self.body.inst(inst).op, Op::Int(IntOp::IShl | IntOp::IShr | IntOp::UShr));
        let is_small = |bits: u64| bits < 32;
        let constant = self.body.const_of(arg).map(|bits| self.w.module.bits_of(bits));
        let is_scalar_constant =
            constant.is_some_and(|bits| matches!(bits.components(), [one] if is_small(*one)));
        if self.w.language == Language::Hlsl && is_shift && at == 1 && constant.is_none() {
            return self.value_as(arg, Kind::Uint);
        }
        match self.w.language == Language::Wgsl && is_shift && at == 1 && !is_scalar_constant {
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

    /// The operands of a call. Bit fields take one signed offset and count for all components.
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
            let kind = if self.w.language.is_glsl() { Kind::Int } else { Kind::Uint };
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
        let Ok([mut left, mut right]) = <[Expr; 2]>::try_from(operands) else {
            return self.constant(&Bits::default(), ty.kind, inst);
        };
        if self.w.language == Language::Hlsl {
            // A number stands for a vector of it.
            match (splatted(&left), splatted(&right)) {
                (Some(number), None) => left = number,
                (None, Some(number)) => right = number,
                (None, None) | (Some(_), Some(_)) => {}
            }
            if is_untyped(&left) && is_untyped(&right) {
                left = typed(left);
            }
        }
        let is_exact = left.ty.kind != Kind::Float || prec == Prec::Equality;
        let token = Token::linked(Class::Op, symbol, self.anchor(inst));
        let grammar = self.w.dialect.grammar();
        infix(grammar, token, prec, [left, right], ty, is_exact && ty == NumberType::BOOL)
    }

    fn compare(&mut self, inst: Inst, comparison: Comparison, operands: Vec<Expr>, ty: NumberType) -> Expr {
        if ty.components > 1 && self.w.language.is_glsl() {
            self.call(inst, comparison.function(), operands, ty)
        } else {
            self.infix(inst, comparison.symbol(), comparison.prec(), operands, ty)
        }
    }

    fn not(&mut self, inst: Inst, operand: Expr, ty: NumberType) -> Expr {
        match ty.components > 1 && self.w.language.is_glsl() {
            true => self.call(inst, "not", vec![operand], ty),
            false => prefix(Token::linked(Class::Op, "!", self.anchor(inst)), operand, ty),
        }
    }

    /// A conversion by the constructor of the result type.
    fn conversion(&mut self, inst: Inst, ty: NumberType, shared: Kind) -> Expr {
        let data = self.body.inst(inst);
        let is_copy = matches!(data.op, Op::Convert(ConvertOp::F2F | ConvertOp::I2I | ConvertOp::U2U));
        let mut operands = self.operands(inst, ty.kind, shared);
        match operands.pop() {
            Some(operand) if is_copy && operand.ty == ty => operand,
            Some(operand) if self.w.language == Language::Hlsl => self.hlsl_conversion(inst, operand, ty),
            Some(operand) => self.construct(inst, ty, vec![operand]),
            None => self.constant(&Bits::default(), ty.kind, inst),
        }
    }

    /// Operations that are spelled out. `None` if the operation was defined or refused here.
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
        if self.w.language == Language::Wgsl
            && let Some(expr) = self.wgsl_float(inst, op, &operands, ty)
        {
            return Some(expr);
        }
        if self.w.language == Language::Msl
            && let Some(expr) = self.msl_float(inst, op, &operands, ty)
        {
            return Some(expr);
        }
        if self.w.language == Language::Hlsl
            && let Some(expr) = self.hlsl_float(inst, op, &operands, ty)
        {
            return Some(expr);
        }
        match (op, &operands[..]) {
            (FloatOp::FSign, [a]) => {
                // It yields integers.
                let sign = self.call(inst, "sign", vec![a.clone()], ty.with_kind(Kind::Int));
                Some(self.construct(inst, ty, vec![sign]))
            }
            (FloatOp::FRcp | FloatOp::FCanonicalize | FloatOp::FSat, [a]) => {
                let all = |number| vec![Scalar::float(ty.width, number); usize::from(ty.components)];
                let one = self.constant(&Bits::from_scalars(&all(1.0)), Kind::Float, inst);
                Some(match op {
                    FloatOp::FRcp => self.infix(inst, "/", Prec::Product, vec![one, a.clone()], ty),
                    FloatOp::FSat => {
                        let zero = self.constant(&Bits::from_scalars(&all(0.0)), Kind::Float, inst);
                        let positive = self.call(inst, "max", vec![a.clone(), zero], ty);
                        self.call(inst, "min", vec![positive, one], ty)
                    }
                    // Arithmetic makes every NaN the same.
                    _ => self.infix(inst, "*", Prec::Product, vec![a.clone(), one], ty),
                })
            }
            (FloatOp::FRem, [a, b]) => {
                // Of positive numbers both remainders are the same, and a zero keeps the sign of the dividend.
                let [size, divisor] = [a, b].map(|it| self.call(inst, "abs", vec![it.clone()], ty));
                let remainder = self.call(inst, "mod", vec![size, divisor], ty);
                let sign = self.call(inst, "sign", vec![a.clone()], ty);
                Some(self.infix(inst, "*", Prec::Product, vec![sign, remainder], ty))
            }
            (FloatOp::FFma | FloatOp::FMad, [a, b, c]) => {
                let product = self.infix(inst, "*", Prec::Product, vec![a.clone(), b.clone()], ty);
                Some(self.infix(inst, "+", Prec::Sum, vec![product, c.clone()], ty))
            }
            (FloatOp::FNMin | FloatOp::FNMax, [a, b]) => {
                let name = if op == FloatOp::FNMin { "min" } else { "max" };
                let plain = self.call(inst, name, vec![a.clone(), b.clone()], ty);
                let second = self.is_nan(inst, b.clone(), truth);
                let inner = self.choice(inst, second, a.clone(), plain, ty);
                let first = self.is_nan(inst, a.clone(), truth);
                Some(self.choice(inst, first, b.clone(), inner, ty))
            }
            (FloatOp::FNClamp, [x, low, high]) => {
                let plain = self.call(inst, "clamp", vec![x.clone(), low.clone(), high.clone()], ty);
                let is_nan = self.is_nan(inst, x.clone(), truth);
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

    fn is_nan(&mut self, inst: Inst, operand: Expr, truth: NumberType) -> Expr {
        match self.w.language {
            Language::Glsl(_) | Language::Msl | Language::Hlsl => {
                self.call(inst, "isnan", vec![operand], truth)
            }
            Language::Wgsl => self.wgsl_is_nan(inst, operand),
        }
    }

    /// The parts of a float: GLSL returns one and stores the other.
    fn modf(&mut self, inst: Inst, op: FloatOp, operand: Expr, ty: NumberType) {
        let whole = self.names.fresh("whole", "whole");
        let tokens =
            self.declaration((&whole, crate::text::Link::None), Role::Variable, ty, inst, false, None);
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
        if self.w.language == Language::Wgsl {
            return self.call(inst, "select", vec![b, a, cond], ty);
        }
        if cond.ty.components > 1 && ty.kind != Kind::Float && self.w.es() == Some(Version::Es300) {
            return self.es_choice(inst, cond, a, b, ty);
        }
        let scalar = splatted(&cond).filter(|_| self.w.language == Language::Hlsl);
        let cond = scalar.unwrap_or(cond);
        if cond.ty.components > 1 && self.w.language == Language::Hlsl {
            if !self.w.hlsl.choices.contains(&ty) {
                self.w.hlsl.choices.push(ty);
            }
            return self.call(inst, "choose", vec![cond, a, b], ty);
        }
        if cond.ty.components > 1 {
            let name = if self.w.language == Language::Msl { "select" } else { "mix" };
            return self.call(inst, name, vec![b, a, cond], ty);
        }
        let anchor = self.anchor(inst);
        let mut tokens = cond.at_least(Prec::LogicalOr).tokens;
        tokens.extend([space(), Token::linked(Class::Op, "?", anchor), space()]);
        tokens.extend(a.at_least(Prec::LogicalOr).tokens);
        tokens.extend([space(), Token::linked(Class::Op, ":", anchor), space()]);
        tokens.extend(b.tokens);
        Expr::new(tokens, Prec::Choice, ty)
    }

    /// A choice between vectors of integers or booleans in GLSL ES 3.00, whose `mix` takes floats only: the difference of
    /// integers wraps around.
    fn es_choice(&mut self, inst: Inst, cond: Expr, a: Expr, b: Expr, ty: NumberType) -> Expr {
        if ty.kind == Kind::Bool {
            let floats = NumberType::new(Kind::Float, Width::W32, ty.components);
            let a = self.construct(inst, floats, vec![a]);
            let b = self.construct(inst, floats, vec![b]);
            let mixed = self.call(inst, "mix", vec![b, a, cond], floats);
            return self.construct(inst, ty, vec![mixed]);
        }
        let factor = self.construct(inst, ty, vec![cond]);
        let difference = self.infix(inst, "-", Prec::Sum, vec![a, b.clone()], ty);
        let scaled = self.infix(inst, "*", Prec::Product, vec![difference, factor], ty);
        self.infix(inst, "+", Prec::Sum, vec![b, scaled], ty)
    }

    /// Logic on booleans. GLSL has operators for scalars; vectors are computed as numbers 0 and 1.
    pub(super) fn logic(&mut self, inst: Inst, op: IntOp, a: Expr, b: Expr, ty: NumberType) -> Expr {
        let is_vector = ty.components > 1;
        if is_vector && self.w.language == Language::Wgsl {
            let (symbol, prec) = match op {
                IntOp::IAnd => ("&", Prec::BitAnd),
                IntOp::IOr => ("|", Prec::BitOr),
                IntOp::IEq => ("==", Prec::Equality),
                _ => ("!=", Prec::Equality),
            };
            return self.infix(inst, symbol, prec, vec![a, b], ty);
        }
        let (symbol, prec) = match op {
            IntOp::IAnd => ("&&", Prec::LogicalAnd),
            IntOp::IOr => ("||", Prec::LogicalOr),
            IntOp::IEq if is_vector && self.w.language.is_glsl() => {
                return self.call(inst, "equal", vec![a, b], ty);
            }
            IntOp::IXor | IntOp::INe if is_vector && self.w.language.is_glsl() => {
                return self.call(inst, "notEqual", vec![a, b], ty);
            }
            IntOp::IEq => ("==", Prec::Equality),
            _ => ("!=", Prec::Equality),
        };
        if !is_vector || self.w.language == Language::Msl || prec == Prec::Equality {
            return self.infix(inst, symbol, prec, vec![a, b], ty);
        }
        let numbers = NumberType::new(Kind::Uint, Width::W32, ty.components);
        let (symbol, prec) = if op == IntOp::IAnd { ("&", Prec::BitAnd) } else { ("|", Prec::BitOr) };
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
        if self.w.language == Language::Hlsl
            && let Some(expr) = self.hlsl_bits(inst, op, &operands, ty)
        {
            return expr;
        }
        match (op, &operands[..]) {
            (IntOp::INot, [a]) => self.not(inst, a.clone(), ty),
            (IntOp::IRem, [a, b]) => {
                // The quotient is rounded toward zero; `%` is undefined for negative operands.
                let quotient = self.infix(inst, "/", Prec::Product, vec![a.clone(), b.clone()], ty);
                let product = self.infix(inst, "*", Prec::Product, vec![b.clone(), quotient], ty);
                self.infix(inst, "-", Prec::Sum, vec![a.clone(), product], ty)
            }
            // Its function yields numbers of 32 bits.
            (IntOp::ISign, [_]) if self.w.language == Language::Hlsl && ty.width == Width::W32 => {
                self.call(inst, "sign", operands, ty)
            }
            (IntOp::ISign, [a]) => self.integer_sign(inst, a.clone(), ty),
            (IntOp::IMod, [a, b]) if !self.w.language.is_glsl() => self.imod(inst, a.clone(), b.clone(), ty),
            (IntOp::IMod, [_, _]) => self.infix(inst, "%", Prec::Product, operands, ty),
            (_, [a, b]) => self.logic(inst, op, a.clone(), b.clone(), ty),
            _ => self.constant(&Bits::default(), ty.kind, inst),
        }
    }

    fn special_vector(&mut self, inst: Inst, op: VectorOp, ty: NumberType, shared: Kind) -> Option<Expr> {
        let data = self.body.inst(inst);
        match op {
            VectorOp::Vec if self.plan.pieces(inst).is_some() => self.composed(inst, ty),
            VectorOp::Vec | VectorOp::Splat => {
                let operands = self.operands(inst, ty.kind, shared);
                match (&operands[..], ty.components) {
                    ([one], 1) => Some(one.clone()),
                    _ => Some(self.construct(inst, ty, operands)),
                }
            }
            VectorOp::Swizzle => {
                let &from = data.args.first()?;
                if let Some(folded) = self.constant_components(inst, from) {
                    return Some(self.constant(&folded, ty.kind, inst));
                }
                let packed = data.attrs.get(Key::Components).unwrap_or(0);
                let list: Vec<u8> =
                    (0..usize::from(ty.components)).map(|at| unpack_component(packed, at)).collect();
                if let Some(part) = self.hlsl_residency(inst, from, &list, ty) {
                    return Some(part);
                }
                if let Some(part) = self.glsl_residency(inst, from, &list, ty) {
                    return Some(part);
                }
                let whole = self.value_as(from, ty.kind);
                Some(self.components(inst, whole, &list, ty))
            }
            VectorOp::Shuffle => self.composed(inst, ty),
            VectorOp::Extract => {
                let &[vector, index] = &data.args[..] else { return None };
                let count = u32::from(self.body.ty(vector).components());
                let (vector, index) = (self.value_as(vector, ty.kind), self.index_below(index, count));
                Some(self.indexed(inst, vector, index, ty))
            }
            VectorOp::Insert => {
                self.insert(inst, ty);
                None
            }
            VectorOp::AllEq | VectorOp::AnyNe => {
                // On vectors these operators compare the whole.
                let operands = self.operands(inst, shared, shared);
                let symbol = if op == VectorOp::AllEq { "==" } else { "!=" };
                if !self.w.language.is_glsl() {
                    // They compare component by component.
                    let components = operands.first().map_or(1, |operand| operand.ty.components);
                    let each =
                        self.infix(inst, symbol, Prec::Equality, operands, ty.with_components(components));
                    let name = if op == VectorOp::AllEq { "all" } else { "any" };
                    return Some(self.call(inst, name, vec![each], ty));
                }
                Some(self.infix(inst, symbol, Prec::Equality, operands, ty))
            }
            VectorOp::PackHalf2x16 | VectorOp::UnpackHalf2x16 if self.w.language == Language::Hlsl => {
                let operand = self.operands(inst, ty.kind, shared).pop()?;
                self.hlsl_halves(inst, op, &operand, ty)
            }
            _ if self.w.language == Language::Msl => self.msl_vector(inst, op, ty),
            _ => self.repacked(inst, ty),
        }
    }

    /// The components that a swizzle selects of a constant.
    fn constant_components(&self, inst: Inst, from: Inst) -> Option<Bits> {
        let bits = self.w.module.bits_of(self.body.const_of(from)?);
        let data = self.body.inst(inst);
        let packed = data.attrs.get(Key::Components)?;
        let components: Vec<Scalar> = (0..usize::from(data.ty.components()))
            .map(|at| bits.component(usize::from(unpack_component(packed, at))))
            .collect();
        Some(Bits::from_scalars(&components))
    }

    /// Components of a value in an order.
    pub(super) fn components(&mut self, inst: Inst, whole: Expr, list: &[u8], ty: NumberType) -> Expr {
        let from = whole.ty.components;
        if self.w.language == Language::Msl
            && let Some((whole, list)) = super::msl::values::selected(&whole, list)
        {
            return self.components(inst, whole, &list, ty);
        }
        if from == 1 {
            return if list.len() == 1 { whole } else { self.construct(inst, ty, vec![whole]) };
        }
        if list.len() == usize::from(from)
            && list.iter().enumerate().all(|(at, &component)| usize::from(component) == at)
        {
            return whole;
        }
        let token = Token::linked(Class::Plain, selection(list), self.anchor(inst));
        whole.postfix([punct("."), token], ty)
    }

    /// A vector of pieces.
    fn composed(&mut self, inst: Inst, ty: NumberType) -> Option<Expr> {
        let pieces = self.plan.pieces(inst)?.to_vec();
        Some(self.join(inst, &pieces, ty))
    }

    /// Components of values, one after the other.
    pub(super) fn join(&mut self, inst: Inst, pieces: &[Piece], ty: NumberType) -> Expr {
        let mut parts = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let whole = self.value_as(piece.source, ty.kind);
            let part = ty.with_components(piece.components.len() as u8);
            parts.push(self.components(inst, whole, &piece.components, part));
        }
        let mut parts = super::expr::joined(parts);
        match parts.len() {
            1 => parts.remove(0),
            _ => self.construct(inst, ty, parts),
        }
    }

    /// An element.
    pub(super) fn indexed(&mut self, inst: Inst, whole: Expr, index: Expr, ty: NumberType) -> Expr {
        let mut tokens = vec![Token::linked(Class::Punct, "[", self.anchor(inst))];
        tokens.extend(index.tokens);
        tokens.push(punct("]"));
        let whole = match self.w.language == Language::Msl && is_selection(&whole.tokens) {
            // A selection of components is no vector there.
            true => {
                let (ty, name) = (whole.ty, self.type_name(whole.ty, inst));
                call(Token::new(Class::Type, name), [whole], ty)
            }
            false => whole,
        };
        whole.postfix(tokens, ty)
    }

    /// A copy with one component replaced.
    fn insert(&mut self, inst: Inst, ty: NumberType) {
        let data = self.body.inst(inst);
        let &[into, component, index] = &data.args[..] else { return };
        let (into, component) = (self.value_as(into, ty.kind), self.value_as(component, ty.kind));
        let index = self.index_below(index, u32::from(ty.components));
        self.declare_as(inst, Role::Variable, into);
        let name = self.value(inst);
        let kind = name.ty.kind;
        let component = self.cast(component, kind, inst);
        let element = self.indexed(inst, name, index, ty.with_components(1));
        let mut tokens = element.tokens;
        tokens.extend([space(), Token::new(Class::Op, "="), space()]);
        tokens.extend(component.tokens);
        self.statement(tokens);
    }
}

/// Returns true for an expression that ends with a selection of several components.
fn is_selection(tokens: &[Token]) -> bool {
    let [.., point, name] = tokens else { return false };
    let name = name.text.as_str();
    point.text.as_str() == "." && name.len() > 1 && name.bytes().all(|byte| b"xyzw".contains(&byte))
}

/// The name of a selection of components.
fn selection(list: &[u8]) -> TokenText {
    const USUAL: [(&[u8], &str); 6] = [
        (&[0, 1], "xy"),
        (&[0, 1, 2], "xyz"),
        (&[1, 2], "yz"),
        (&[2, 3], "zw"),
        (&[0, 2], "xz"),
        (&[2, 1, 0], "zyx"),
    ];
    let name = |component: &u8| COMPONENTS.get(usize::from(*component)).copied().unwrap_or("x");
    match list {
        [one] => name(one).into(),
        _ => match USUAL.iter().find(|(usual, _)| *usual == list) {
            Some(&(_, text)) => text.into(),
            None => list.iter().map(name).collect::<String>().into(),
        },
    }
}

/// The number that HLSL casts to a vector of it.
fn splatted(expr: &Expr) -> Option<Expr> {
    let [open, ty, close, _, ..] = &expr.tokens[..] else { return None };
    let is_cast = expr.prec == Prec::Prefix
        && open.text.as_str() == "("
        && ty.class == Class::Type
        && close.text.as_str() == ")"
        && expr.ty.components > 1;
    is_cast.then(|| Expr { ty: expr.ty.with_components(1), ..expr.clone().without_prefix(3, Prec::Postfix) })
}
