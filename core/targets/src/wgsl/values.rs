//! Arithmetic of WGSL that is spelled out, and constants that the language does not allow.

use super::{Wgsl, types};
use crate::dialect::{ArrayValues, Values, VectorLogic};
use crate::expr::{Expr, Prec, Token, punct, space};
use crate::func::{FuncWriter, NumberDeclaration, Role};
use crate::number::{Kind, NumberType};
use std::rc::Rc;
use vitrine_ir::ops::{Bits, FloatOp, Scalar, ValueType, VectorOp, Width};
use vitrine_ir::{Anchor, Help, Inst};
use vitrine_text::{Class, Link};

impl Values for Wgsl {
    fn adjust_operands(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, operands: &mut [Expr]) {
        f.keep_from_evaluation(inst, operands);
    }

    fn shifts_by_unsigned(&self, count: Option<&Bits>) -> bool {
        // A literal has no type yet and becomes unsigned; the constructor of a vector has one.
        !count.is_some_and(|bits| matches!(bits.components(), [one] if *one < 32))
    }

    fn geometry_of_scalars(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        op: VectorOp,
        operands: &[Expr],
        ty: NumberType,
    ) -> Option<Expr> {
        f.geometry_without_functions(inst, op, operands, ty)
    }

    fn float_operation(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        op: FloatOp,
        operands: &[Expr],
        ty: NumberType,
    ) -> Option<Expr> {
        f.wgsl_float(inst, op, operands, ty)
    }

    fn vector_operation(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        _op: VectorOp,
        ty: NumberType,
        _shared: Kind,
    ) -> Option<Expr> {
        f.wgsl_repacked(inst, ty)
    }

    fn is_nan(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, operand: Expr, _truth: NumberType) -> Expr {
        // A comparison with itself may be removed by a compiler that ignores NaN.
        f.bits_above(inst, operand, ">")
    }

    fn cast_bits(&self, f: &mut FuncWriter<'_, '_>, inst: Inst, expr: Expr, kind: Kind) -> Expr {
        let expr = f.wgsl_cast_operand(inst, expr, kind);
        f.bits_as(inst, expr, kind)
    }

    fn chosen_value(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        cond: Expr,
        [a, b]: [Expr; 2],
        ty: NumberType,
    ) -> Expr {
        f.call(inst, "select", vec![b, a, cond], ty)
    }

    fn vector_logic(&self) -> VectorLogic {
        VectorLogic::Bitwise
    }

    fn builtin_arguments(
        &self,
        _f: &mut FuncWriter<'_, '_>,
        _inst: Inst,
        _name: &str,
        args: Vec<Expr>,
    ) -> Vec<Expr> {
        apart_from_templates(args)
    }

    fn construction(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        ty: (Rc<str>, NumberType),
        args: Vec<Expr>,
    ) -> Expr {
        f.constructor(inst, ty, apart_from_templates(args))
    }

    fn spelled_constant(
        &self,
        f: &mut FuncWriter<'_, '_>,
        inst: Inst,
        bits: &Bits,
        scalar: NumberType,
    ) -> Option<Expr> {
        let is_forbidden = |&it: &u64| types::is_forbidden(scalar.kind, scalar.width, it);
        bits.components().iter().any(is_forbidden).then(|| f.wgsl_forbidden(bits, scalar, inst))
    }

    fn declared_number(&self, _f: &mut FuncWriter<'_, '_>, declaration: NumberDeclaration<'_>) -> Vec<Token> {
        let mut tokens = declaration.space();
        let NumberDeclaration { name, type_name, role, init, .. } = declaration;
        // naga, which evaluates overrides before it validates again, emits what is computed from a `let` of nothing else
        // twice and refuses the text. It does not evaluate variables.
        let is_fixed = init.is_some_and(|init| reads_overrides_only(&init.tokens));
        let keyword = match role {
            Role::Value if init.is_some() && !is_fixed => "let",
            Role::Value | Role::Variable => "var",
            Role::Param => "",
        };
        if !keyword.is_empty() {
            tokens.extend([Token::new(Class::Keyword, keyword), space()]);
        }
        tokens.push(name);
        if init.is_none() {
            tokens.extend([punct(":"), space(), Token::new(Class::Type, type_name)]);
        }
        tokens
    }

    fn declared_numbers(&self, mut one: Vec<Token>, len: u32) -> Vec<Token> {
        if let Some(of) = one.pop() {
            one.extend(array_type(of, u64::from(len)));
        }
        one
    }

    fn array_values(&self) -> Option<ArrayValues> {
        let list = |of, len| {
            let mut tokens = array_type(of, len);
            tokens.push(punct("("));
            tokens
        };
        // The elements of an array in a buffer may be members of structures, so that it has another type.
        Some(ArrayValues { list, copies: false })
    }

    fn unused_name(&self) -> Option<&'static str> {
        // Results of built-in functions must be used.
        Some("_")
    }
}

/// The type of an array of elements of a type.
fn array_type(of: Token, len: u64) -> Vec<Token> {
    let len = Token::new(Class::Number, len.to_string());
    vec![Token::new(Class::Type, "array"), punct("<"), of, punct(","), space(), len, punct(">")]
}

impl FuncWriter<'_, '_> {
    /// Constant bits with an infinity or a NaN: they are read from a variable, because no constant may be one.
    fn wgsl_forbidden(&mut self, bits: &Bits, scalar: NumberType, inst: Inst) -> Expr {
        if scalar.width == Width::W16 {
            return self.wgsl_forbidden_halves(bits, scalar, inst);
        }
        let ints = NumberType::new(Kind::Uint, Width::W32, bits.components().len() as u8);
        let plain = self.constant(bits, Kind::Uint, inst);
        let name = self.fixed(plain, Role::Variable, inst);
        let name = Expr { ty: ints, ..name };
        self.cast(name, Kind::Float, inst)
    }

    /// The same for numbers of 16 bits, of which each word has two: an exact conversion from 32 bits.
    fn wgsl_forbidden_halves(&mut self, bits: &Bits, scalar: NumberType, inst: Inst) -> Expr {
        let words: Vec<Scalar> = bits
            .components()
            .chunks(2)
            .map(|pair| {
                let [low, high] = [0, 1].map(|at: usize| pair.get(at).copied().unwrap_or(0));
                Scalar::new(Width::W32, low | high << 16)
            })
            .collect();
        let word = NumberType::new(Kind::Uint, Width::W32, 1);
        let plain = self.constant(&Bits::from_scalars(&words), Kind::Uint, inst);
        let name = self.fixed(plain, Role::Variable, inst);
        let name = Expr { ty: word.with_components(words.len() as u8), ..name };
        let count = bits.components().len() as u8;
        let mut parts = Vec::new();
        for at in 0..words.len() as u8 {
            let word = self.components(inst, name.clone(), &[at], word);
            let pair = NumberType::new(Kind::Float, Width::W32, 2);
            let pair = self.call(inst, "unpack2x16float", vec![word], pair);
            let here: &[u8] = if count - 2 * at == 1 { &[0] } else { &[0, 1] };
            let ty = scalar.with_components(here.len() as u8);
            let pair = self.components(inst, pair, here, NumberType { width: Width::W32, ..ty });
            parts.push(self.construct(inst, ty, vec![pair]));
        }
        match parts.len() {
            1 => parts.remove(0),
            _ => self.construct(inst, scalar.with_components(count), parts),
        }
    }

    /// True where the bits of a float without its sign are related by an operator to those of an infinity: `>` for a NaN,
    /// `==` for an infinity.
    fn bits_above(&mut self, inst: Inst, operand: Expr, symbol: &'static str) -> Expr {
        let ty = operand.ty.with_kind(Kind::Uint);
        let splat = |value: u64| {
            Bits::from_scalars(&vec![Scalar::new(Width::W32, value); usize::from(ty.components)])
        };
        let bits = self.cast(operand, Kind::Uint, inst);
        let mask = self.constant(&splat(0x7fff_ffff), Kind::Uint, inst);
        let infinity = self.constant(&splat(0x7f80_0000), Kind::Uint, inst);
        let size = self.infix(inst, "&", Prec::BitAnd, vec![bits, mask], ty);
        let truth = NumberType::new(Kind::Bool, Width::W1, ty.components);
        self.infix(inst, symbol, Prec::Relation, vec![size, infinity], truth)
    }

    /// Operations on floats that are spelled otherwise than in languages like C. `None` if they are not.
    fn wgsl_float(&mut self, inst: Inst, op: FloatOp, operands: &[Expr], ty: NumberType) -> Option<Expr> {
        match (op, operands) {
            (FloatOp::FIsNan | FloatOp::FIsInf, [a]) if a.ty.width == Width::W32 => {
                Some(self.bits_above(inst, a.clone(), if op == FloatOp::FIsNan { ">" } else { "==" }))
            }
            (FloatOp::FMod, [a, b]) => Some(self.floored_remainder(inst, a, b, ty)),
            (FloatOp::FQuantize16, [a]) => {
                let single = NumberType { width: Width::W32, ..ty };
                let is_half = ty.width == Width::W16;
                let wide = if is_half { self.construct(inst, single, vec![a.clone()]) } else { a.clone() };
                let rounded = self.call(inst, "quantizeToF16", vec![wide], single);
                Some(if is_half { self.construct(inst, ty, vec![rounded]) } else { rounded })
            }
            (FloatOp::FModfFract | FloatOp::FModfWhole, [a]) => {
                let call = self.call(inst, "modf", vec![a.clone()], ty);
                let member = if op == FloatOp::FModfFract { "fract" } else { "whole" };
                Some(call.postfix([punct("."), Token::new(Class::Plain, member)], ty))
            }
            _ => None,
        }
    }

    /// Assignments to the components in a mask, one for each: only single components can be assigned.
    pub(super) fn wgsl_components(&mut self, inst: Inst, target: &Expr, value: &Expr, list: &[u8]) {
        let one = target.ty.with_components(1);
        for &component in list {
            let target = self.components(inst, target.clone(), &[component], one);
            let value = match value.ty.components {
                1 => value.clone(),
                _ => self.components(inst, value.clone(), &[component], one),
            };
            let mut tokens = target.tokens;
            tokens.extend([space(), Token::linked(Class::Op, "=", self.anchor(inst)), space()]);
            tokens.extend(value.tokens);
            self.statement(tokens);
        }
    }

    /// Bits in components of another width: only the same ones are written.
    fn wgsl_repacked(&mut self, inst: Inst, ty: NumberType) -> Option<Expr> {
        let &operand = self.body.inst(inst).args.first()?;
        let ValueType::Bits { width, components } = self.body.ty(operand) else { return None };
        if (width, components) == (ty.width, ty.components) {
            return Some(self.value_as(operand, ty.kind));
        }
        self.refuse(
            inst,
            "it has no numbers of these widths",
            Help::by_pass("lower-packing", "lowers others"),
        );
        None
    }
}

/// Arguments of WGSL: in `f(a < b, c > d)`, both comparisons would be the brackets of a list of templates (WGSL, 3.9).
pub(super) fn apart_from_templates(args: Vec<Expr>) -> Vec<Expr> {
    let has = |arg: &Expr, words: &[&str]| {
        arg.tokens.iter().any(|token| token.class == Class::Op && words.contains(&token.text.as_str()))
    };
    let last = args.iter().rposition(|arg| has(arg, &[">", ">=", ">>"])).unwrap_or(0);
    let in_order = args.into_iter().enumerate();
    let apart = |(at, arg): (usize, Expr)| match at < last && has(&arg, &["<"]) {
        true => arg.at_least(Prec::Prefix),
        false => arg,
    };
    in_order.map(apart).collect()
}

/// Returns true if the names in tokens are those of module constants, and there is one.
fn reads_overrides_only(tokens: &[Token]) -> bool {
    let is_constant = |token: &&Token| matches!(token.link, Link::Use(Anchor::Global(_)));
    let mut names =
        tokens.iter().filter(|token| matches!(token.class, Class::Name | Class::Value)).peekable();
    names.peek().is_some() && names.all(|name| is_constant(&name))
}
