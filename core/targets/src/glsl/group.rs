//! Operations of GLSL between invocations: derivatives, subgroups, interpolation; and the end of invocations.

use crate::expr::{Expr, Prec, Token, call, punct};
use crate::func::FuncWriter;
use crate::group::{NO_FUNCTION, axis_of, how_of, reduction_of, reduction_word};
use crate::number::{Kind, NumberType};
use crate::stmt::Stmt;
use vitrine_ir::ops::{Axis, DerefOp, Derivative, GroupOp, How, IoOp, Key, Op, Width};
use vitrine_ir::{Inst, InstData, TypeData};
use vitrine_text::Class;

impl FuncWriter<'_, '_> {
    /// The function of an operation whose name depends on more than the operation. `None` if it was written or refused.
    pub(super) fn glsl_group_function(&mut self, inst: Inst, op: GroupOp) -> Option<String> {
        let data = self.body.inst(inst);
        match op {
            GroupOp::Barrier => {
                self.glsl_barrier(inst);
                None
            }
            GroupOp::Ddx => Some(self.glsl_derivative(inst, "dFdx")),
            GroupOp::Ddy => Some(self.glsl_derivative(inst, "dFdy")),
            GroupOp::Fwidth => Some(self.glsl_derivative(inst, "fwidth")),
            GroupOp::QuadSwap => Some(quad_swap(data).to_owned()),
            GroupOp::BallotCount => Some(ballot_count(data).to_owned()),
            GroupOp::Reduce => Some(reduction(data)),
            _ => {
                self.refuse(inst, NO_FUNCTION, "");
                None
            }
        }
    }

    /// Writes the call of a function between invocations, and declares the extensions that it needs.
    pub(super) fn glsl_group_call(&mut self, inst: Inst, op: GroupOp, name: String) {
        let data = self.body.inst(inst);
        // GLSL ES names the invocation of a broadcast by a constant.
        let is_shuffle = op == GroupOp::Broadcast && self.w.es().is_some() && {
            data.args.get(1).is_some_and(|&from| self.folded(from).is_none())
        };
        let name = if is_shuffle { "subgroupShuffle".to_owned() } else { name };
        let clustered = op == GroupOp::Reduce && how_of(data) == How::Clustered;
        self.w.extensions.extend(extension(if is_shuffle { GroupOp::Shuffle } else { op }, clustered));
        let (ty, mut args) = self.group_operands_of_32_bits(inst);
        if let Some(cluster) = data.attrs.get(Key::Cluster) {
            let token = Token::new(Class::Number, format!("{cluster}u"));
            args.push(Expr::atom(token, NumberType::scalar(Kind::Uint)));
        }
        if op.is_of_subgroup() {
            let extended = args.iter().map(|arg| arg.ty).chain([ty]).filter_map(extended_type);
            self.w.extensions.extend(extended);
        }
        let expr = self.call(inst, name, args, ty);
        self.define(inst, expr);
    }

    /// The name of the function of a derivative. In GLSL ES the implementation chooses how coarse it is, which is what a
    /// coarse one allows.
    fn glsl_derivative(&mut self, inst: Inst, name: &str) -> String {
        let precision: Option<Derivative> = self.body.inst(inst).attrs.word();
        let is_es = self.w.es().is_some();
        if is_es && precision == Some(Derivative::Fine) {
            self.refuse(inst, "derivatives may be coarse", "");
        }
        let suffix = match precision.filter(|_| !is_es) {
            Some(Derivative::Fine) => "Fine",
            Some(Derivative::Coarse) => "Coarse",
            None => "",
        };
        format!("{name}{suffix}")
    }

    /// Writes an interface operation.
    pub(super) fn glsl_interface(&mut self, inst: Inst, op: IoOp) {
        let data = self.body.inst(inst);
        match op {
            IoOp::InterpCentroid => self.interpolation(inst, "interpolateAtCentroid", Kind::Float),
            IoOp::InterpSample => self.interpolation(inst, "interpolateAtSample", Kind::Int),
            IoOp::InterpOffset => self.interpolation(inst, "interpolateAtOffset", Kind::Float),
            IoOp::EmitVertex | IoOp::EndPrimitive => {
                let names = match op == IoOp::EmitVertex {
                    true => ("EmitVertex", "EmitStreamVertex"),
                    false => ("EndPrimitive", "EndStreamPrimitive"),
                };
                let stream = data.attrs.get(Key::Stream);
                let number = |at: u64| {
                    Expr::atom(Token::new(Class::Number, at.to_string()), NumberType::scalar(Kind::Int))
                };
                let name = if stream.is_some() { names.1 } else { names.0 };
                let expr = self.call(inst, name, stream.map(number).into_iter().collect(), NumberType::BOOL);
                self.statement(expr.tokens);
            }
            IoOp::SetMeshOutputs => {
                let args = data.args.iter().map(|&arg| self.value_as(arg, Kind::Uint)).collect();
                let expr = self.call(inst, "SetMeshOutputsEXT", args, NumberType::BOOL);
                self.statement(expr.tokens);
            }
            IoOp::InterlockBegin | IoOp::InterlockEnd => {
                let is_begin = op == IoOp::InterlockBegin;
                let name = if is_begin { "beginInvocationInterlockARB" } else { "endInvocationInterlockARB" };
                let is_entry = self.w.module.entries.iter().any(|entry| entry.func == self.func);
                if !is_entry || self.lists.len() > 1 {
                    if self.w.es().is_some() {
                        return self.refuse(inst, "it has no critical sections", "");
                    }
                    return self.glsl_interlock(inst, op);
                }
                self.w.extensions.insert("GL_ARB_fragment_shader_interlock");
                let expr = self.call(inst, name, Vec::new(), NumberType::BOOL);
                self.statement(expr.tokens);
            }
            IoOp::IsHelper => {
                self.w.extensions.insert("GL_EXT_demote_to_helper_invocation");
                let expr = self.call(inst, "helperInvocationEXT", Vec::new(), NumberType::BOOL);
                self.define(inst, expr);
            }
            IoOp::Demote => {
                self.w.extensions.insert("GL_EXT_demote_to_helper_invocation");
                self.statement(vec![Token::linked(Class::Keyword, "demote", self.anchor(inst))]);
            }
            IoOp::DiscardIf => self.exit_if(inst, "discard", None),
            IoOp::TerminateIf => {
                self.exit_if(inst, "terminateInvocation", Some("GL_EXT_terminate_invocation"));
            }
            IoOp::DemoteIf => self.exit_if(inst, "demote", Some("GL_EXT_demote_to_helper_invocation")),
            // The table of spellings has a pass or a reason for them.
            IoOp::Input
            | IoOp::InputAt
            | IoOp::InputVertex
            | IoOp::Output
            | IoOp::OutputAt
            | IoOp::OutputVertex
            | IoOp::OutputRead
            | IoOp::BuiltIn
            | IoOp::BuiltInAt
            | IoOp::SetBuiltIn
            | IoOp::SetBuiltInAt
            | IoOp::Push
            | IoOp::Ubo
            | IoOp::Ssbo
            | IoOp::SetSsbo
            | IoOp::Clock => self.refuse(inst, NO_FUNCTION, ""),
        }
    }

    /// Ends the invocation if a condition holds.
    fn exit_if(&mut self, inst: Inst, keyword: &'static str, extension: Option<&'static str>) {
        self.w.extensions.extend(extension);
        let Some(&cond) = self.body.inst(inst).args.first() else { return };
        let cond = self.value_as(cond, Kind::Bool);
        let token = Token::linked(Class::Keyword, keyword, self.anchor(inst));
        let exit = self.arena.add(Stmt::Exit(vec![token]));
        self.push(Stmt::If { cond, then: vec![exit], els: Vec::new(), anchor: self.anchor(inst) });
    }

    /// The value of an input at another place, by a function whose operand is of a kind, if it has one.
    fn interpolation(&mut self, inst: Inst, name: &'static str, operand_kind: Kind) {
        let data = self.body.inst(inst);
        let Some(&path) = data.args.first() else { return };
        let component = self.es_component(path);
        let Some(text) = self.path(component.map_or(path, |(vector, _)| vector)) else { return };
        let ty = self.type_as(inst, Kind::Float);
        let mut args = vec![Expr::new(text.tokens, Prec::Postfix, ty)];
        if let Some(&operand) = data.args.get(1) {
            args.push(self.value_as(operand, operand_kind));
        }
        let token = Token::linked(Class::Op, name, self.anchor(inst));
        let mut expr = call(token, args, ty);
        if let Some((_, component)) = component {
            expr.tokens.extend([punct("."), Token::new(Class::Plain, ["x", "y", "z", "w"][component])]);
        }
        self.define(inst, expr);
    }

    /// The vector and the number of a component that a path leads to, in GLSL ES, which interpolates whole inputs.
    fn es_component(&self, path: Inst) -> Option<(Inst, usize)> {
        self.w.es()?;
        let data = self.body.inst(path);
        let (Op::Deref(DerefOp::Elem), &[vector, index]) = (data.op, &data.args[..]) else { return None };
        let of = self.w.module.path_type(self.body, vector)?;
        let is_vector = matches!(self.w.module.type_of(of.ty), TypeData::Vector { .. });
        let index = self.w.module.bits_of(self.body.const_of(index)?).component(0).bits() as usize;
        is_vector.then_some((vector, index.min(3)))
    }
}

/// The function of a reduction.
fn reduction(data: &InstData) -> String {
    let prefix = match how_of(data) {
        How::All => "subgroup",
        How::Inclusive => "subgroupInclusive",
        How::Exclusive => "subgroupExclusive",
        How::Clustered => "subgroupClustered",
    };
    format!("{prefix}{}", reduction_word(reduction_of(data)))
}

/// The function of a quad swap.
fn quad_swap(data: &InstData) -> &'static str {
    match axis_of(data) {
        Axis::Horizontal => "subgroupQuadSwapHorizontal",
        Axis::Vertical => "subgroupQuadSwapVertical",
        Axis::Diagonal => "subgroupQuadSwapDiagonal",
    }
}

/// The function that counts the bits of a ballot.
fn ballot_count(data: &InstData) -> &'static str {
    match how_of(data) {
        // A ballot has no clusters.
        How::All | How::Clustered => "subgroupBallotBitCount",
        How::Inclusive => "subgroupBallotInclusiveBitCount",
        How::Exclusive => "subgroupBallotExclusiveBitCount",
    }
}

/// The extension that declares the functions on subgroups for numbers of a width.
fn extended_type(ty: NumberType) -> Option<&'static str> {
    match (ty.width, ty.kind) {
        (Width::W8, _) => Some("GL_EXT_shader_subgroup_extended_types_int8"),
        (Width::W16, Kind::Float) => Some("GL_EXT_shader_subgroup_extended_types_float16"),
        (Width::W16, _) => Some("GL_EXT_shader_subgroup_extended_types_int16"),
        (Width::W64, Kind::Int | Kind::Uint) => Some("GL_EXT_shader_subgroup_extended_types_int64"),
        (Width::W64, Kind::Float | Kind::Bool) | (Width::W1 | Width::W32, _) => None,
    }
}

/// The extension that declares an operation.
fn extension(op: GroupOp, clustered: bool) -> Option<&'static str> {
    Some(match op {
        GroupOp::Ddx | GroupOp::Ddy | GroupOp::Fwidth | GroupOp::Barrier => return None,
        GroupOp::Elect => "GL_KHR_shader_subgroup_basic",
        GroupOp::VoteAll | GroupOp::VoteAny | GroupOp::VoteIEq | GroupOp::VoteFEq => {
            "GL_KHR_shader_subgroup_vote"
        }
        GroupOp::Shuffle | GroupOp::ShuffleXor => "GL_KHR_shader_subgroup_shuffle",
        GroupOp::ShuffleUp | GroupOp::ShuffleDown => "GL_KHR_shader_subgroup_shuffle_relative",
        GroupOp::Rotate => "GL_KHR_shader_subgroup_rotate",
        GroupOp::QuadBroadcast | GroupOp::QuadSwap => "GL_KHR_shader_subgroup_quad",
        GroupOp::QuadAll | GroupOp::QuadAny => "GL_EXT_shader_quad_control",
        GroupOp::Ballot | GroupOp::BallotInverse | GroupOp::BallotBit | GroupOp::BallotCount => {
            "GL_KHR_shader_subgroup_ballot"
        }
        GroupOp::BallotLsb | GroupOp::BallotMsb | GroupOp::Broadcast | GroupOp::BroadcastFirst => {
            "GL_KHR_shader_subgroup_ballot"
        }
        GroupOp::Reduce if clustered => "GL_KHR_shader_subgroup_clustered",
        GroupOp::Reduce => "GL_KHR_shader_subgroup_arithmetic",
    })
}
