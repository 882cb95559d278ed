//! Operations between invocations of HLSL, and the end of invocations.
//!
//! A discarded invocation goes on as a helper, so a function returns after it discards.

use crate::expr::{Expr, Prec, Token, space};
use crate::func::FuncWriter;
use crate::group::{NO_FUNCTION, axis_of, how_of, reduction_of};
use crate::number::{Kind, NumberType};
use crate::stmt::{Stmt, StmtId};
use vitrine_ir::ops::{Axis, Builtin, Derivative, GroupOp, How, IoOp, Reduction};
use vitrine_ir::{Anchor, Help, Inst};
use vitrine_text::Class;

impl FuncWriter<'_, '_> {
    /// The function of an operation whose name depends on more than the operation. `None` if it was written or refused.
    pub(super) fn hlsl_group_function(&mut self, inst: Inst, op: GroupOp) -> Option<String> {
        match op {
            GroupOp::Barrier => self.hlsl_barrier(inst),
            GroupOp::Reduce => self.hlsl_reduction(inst),
            GroupOp::QuadSwap => self.hlsl_quad_swap(inst),
            GroupOp::VoteIEq | GroupOp::VoteFEq => self.hlsl_vote(inst, op),
            GroupOp::Ddx => return self.hlsl_derivative(inst, "ddx"),
            GroupOp::Ddy => return self.hlsl_derivative(inst, "ddy"),
            GroupOp::Fwidth => {
                // The language has one function, whatever the precision.
                return (!self.hlsl_refuses_derivatives(inst)).then(|| "fwidth".to_owned());
            }
            _ => self.refuse(inst, NO_FUNCTION, ""),
        }
        None
    }

    /// Writes the call of a function between invocations.
    pub(super) fn hlsl_group_call(&mut self, inst: Inst, name: String) {
        let (ty, args) = self.group_operands_of_32_bits(inst);
        let expr = self.call(inst, name, args, ty);
        self.define(inst, expr);
    }

    /// The function of a derivative. `None` if it was refused.
    fn hlsl_derivative(&mut self, inst: Inst, name: &str) -> Option<String> {
        if self.hlsl_refuses_derivatives(inst) {
            return None;
        }
        let suffix = match self.body.inst(inst).attrs.word() {
            Some(Derivative::Fine) => "_fine",
            Some(Derivative::Coarse) => "_coarse",
            None => "",
        };
        Some(format!("{name}{suffix}"))
    }

    fn hlsl_quad_swap(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let name = match axis_of(data) {
            Axis::Horizontal => "QuadReadAcrossX",
            Axis::Vertical => "QuadReadAcrossY",
            Axis::Diagonal => "QuadReadAcrossDiagonal",
        };
        let Some(&arg) = data.args.first() else { return };
        let hint = self.hint(inst);
        let arg = self.value_as(arg, hint);
        let ty = arg.ty;
        let expr = self.call(inst, name, vec![arg], ty);
        self.define(inst, expr);
    }

    /// A vote of equality, which the language has for each component.
    fn hlsl_vote(&mut self, inst: Inst, op: GroupOp) {
        let Some(&arg) = self.body.inst(inst).args.first() else { return };
        let arg = match op {
            GroupOp::VoteFEq => self.value_as(arg, Kind::Float),
            _ => self.value(arg),
        };
        let components = arg.ty.components;
        let name = "WaveActiveAllEqual";
        let each = self.call(inst, name, vec![arg], NumberType::BOOL.with_components(components));
        let expr = if components > 1 { self.call(inst, "all", vec![each], NumberType::BOOL) } else { each };
        self.define(inst, expr);
    }

    fn hlsl_reduction(&mut self, inst: Inst) {
        let data = self.body.inst(inst);
        let hint = self.hint(inst);
        let what = reduction_of(data);
        let mut kind = self.reduced_kind(inst).unwrap_or(hint);
        if what.is_bitwise() && kind != Kind::Bool {
            kind = Kind::Uint;
        }
        let (all, scan) = match what {
            Reduction::IAdd | Reduction::FAdd => ("WaveActiveSum", Some(("WavePrefixSum", "+", Prec::Sum))),
            Reduction::IMul | Reduction::FMul => {
                ("WaveActiveProduct", Some(("WavePrefixProduct", "*", Prec::Product)))
            }
            Reduction::IMin | Reduction::UMin | Reduction::FMin => ("WaveActiveMin", None),
            Reduction::IMax | Reduction::UMax | Reduction::FMax => ("WaveActiveMax", None),
            Reduction::IAnd if kind == Kind::Bool => ("WaveActiveAllTrue", None),
            Reduction::IAnd => ("WaveActiveBitAnd", None),
            Reduction::IOr if kind == Kind::Bool => ("WaveActiveAnyTrue", None),
            Reduction::IOr => ("WaveActiveBitOr", None),
            Reduction::IXor if kind == Kind::Bool => {
                return self.refuse(
                    inst,
                    "it has no such reduction",
                    Help::lowered_by("lower-subgroups{loops}"),
                );
            }
            Reduction::IXor => ("WaveActiveBitXor", None),
        };
        let Some(&arg) = data.args.first() else { return };
        let arg = self.value_as(arg, kind);
        let ty = arg.ty;
        let is_bool_vector = kind == Kind::Bool && ty.components > 1;
        let expr = match (how_of(data), scan) {
            _ if is_bool_vector => None,
            (How::All, _) => Some(self.call(inst, all, vec![arg], ty)),
            (How::Exclusive, Some((name, ..))) => Some(self.call(inst, name, vec![arg], ty)),
            (How::Inclusive, Some((name, symbol, prec))) => {
                let arg = self.fixed(arg, crate::func::Role::Value, inst);
                let before = self.call(inst, name, vec![arg.clone()], ty);
                Some(self.infix(inst, symbol, prec, vec![before, arg], ty))
            }
            (How::Inclusive | How::Exclusive, None) | (How::Clustered, _) => None,
        };
        match expr {
            Some(expr) => self.define(inst, expr),
            None => {
                let says = "it has reductions of whole subgroups, and scans of sums and products";
                self.refuse(inst, says, Help::lowered_by("lower-subgroups{loops}"));
            }
        }
    }

    /// Writes an interface operation.
    pub(super) fn hlsl_interface(&mut self, inst: Inst, op: IoOp) {
        let data = self.body.inst(inst);
        let anchor = self.anchor(inst);
        let discard = Stmt::Simple {
            tokens: vec![Token::linked(Class::Keyword, "discard", anchor)],
            declares: None,
            assigns: None,
        };
        match op {
            IoOp::Demote => self.push(discard),
            IoOp::DiscardIf | IoOp::TerminateIf | IoOp::DemoteIf => {
                let Some(&cond) = data.args.first() else { return };
                let cond = self.value_as(cond, Kind::Bool);
                let mut then = vec![self.arena.add(discard)];
                if op != IoOp::DemoteIf {
                    let tokens = self.hlsl_return(anchor);
                    then.push(self.arena.add(Stmt::Exit(tokens)));
                }
                self.push(Stmt::If { cond, then, els: Vec::new(), anchor });
            }
            IoOp::EmitVertex | IoOp::EndPrimitive => self.hlsl_emit(inst, op),
            IoOp::IsHelper => {
                if let Some(expr) = self.extern_call(inst, "is_helper", NumberType::BOOL) {
                    self.define(inst, expr);
                }
            }
            IoOp::InterlockBegin | IoOp::InterlockEnd => {
                let is_begin = op == IoOp::InterlockBegin;
                let key = if is_begin { "interlock_begin" } else { "interlock_end" };
                if let Some(expr) = self.extern_call(inst, key, NumberType::BOOL) {
                    self.statement(expr.tokens);
                }
            }
            IoOp::BuiltIn => {
                let Some(value) = data.attrs.word::<Builtin>() else { return };
                match self.hlsl_wave_value(value) {
                    Some(expr) => self.define(inst, expr),
                    None => {
                        self.refuse(inst, format!("it has no system value `{}` here", value.name()), "");
                    }
                }
            }
            _ => self.refuse(inst, NO_FUNCTION, ""),
        }
    }

    /// A system value of the subgroup, which is a function.
    pub(super) fn hlsl_wave_value(&self, value: Builtin) -> Option<Expr> {
        if let Some(expr) = super::hits::value(self.w.stage, value) {
            return Some(expr);
        }
        let (name, ty) = super::builtins::function(value)?;
        Some(Expr::atom(Token::new(Class::Op, name), ty))
    }

    /// Makes the test of an endless loop a variable that is always true. Its compiler writes invalid SPIR-V where it inlines a
    /// function with a result that may end before such a loop.
    pub(super) fn hlsl_hide_endless(&mut self, id: StmtId, anchor: Anchor) {
        let name = self.names.fresh("forever", "forever");
        let tokens = [
            Token::new(Class::Type, "bool"),
            space(),
            Token::new(Class::Name, name.clone()),
            space(),
            Token::linked(Class::Op, "=", anchor),
            space(),
            Token::new(Class::Number, "true"),
        ];
        let test = Expr::atom(Token::new(Class::Name, name.clone()), NumberType::BOOL);
        let made = self.arena.test_loop(id, test);
        let declared = Stmt::Simple { tokens: tokens.into(), declares: Some(name), assigns: None };
        let declared = self.arena.add(declared);
        if let Some(list) = self.lists.last_mut().filter(|_| made) {
            let at = list.iter().position(|&other| other == id).unwrap_or(list.len());
            list.insert(at, declared);
        }
    }

    /// A return of zero, or of nothing.
    pub(super) fn hlsl_return(&mut self, anchor: Anchor) -> Vec<Token> {
        let mut tokens = vec![Token::linked(Class::Keyword, "return", anchor)];
        if let Some(ty) = self.w.signature(self.func).result {
            let name = self.w.number_name(ty, anchor);
            tokens.extend([space(), Token::new(Class::Type, format!("({name})0"))]);
        }
        tokens
    }
}
