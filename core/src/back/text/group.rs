//! Operations between invocations: derivatives, barriers, subgroups; and the end of invocations.

use super::expr::{Expr, Prec, Token, call, punct};
use super::func::FuncWriter;
use super::language::Language;
use super::number::{Kind, NumberType};
use super::spell::{Form, Reading, Yield, reading, yields};
use super::stmt::Stmt;
use crate::ir::{Help, Inst, InstData, TypeData};
use crate::ops::{Axis, DerefOp, Derivative, GroupOp, How, IoOp, Key, Op, Reduction, Width};
use crate::text::Class;

impl FuncWriter<'_, '_> {
    /// Writes an operation between invocations.
    pub(super) fn group(&mut self, inst: Inst, op: GroupOp) {
        match self.w.language {
            Language::Glsl(_) => {}
            Language::Wgsl => return self.wgsl_group(inst, op),
            Language::Msl => return self.msl_group(inst, op),
            Language::Hlsl => {
                if self.hlsl_group(inst, op) {
                    return;
                }
            }
        }
        let data = self.body.inst(inst);
        let name = match self.w.dialect.form(Op::Group(op), false) {
            Form::Call(name) => name.to_owned(),
            Form::Engine => match op {
                GroupOp::Barrier if self.w.language == Language::Hlsl => return self.hlsl_barrier(inst),
                GroupOp::Barrier => return self.glsl_barrier(inst),
                GroupOp::Ddx => self.derivative(inst, "dFdx", "ddx"),
                GroupOp::Ddy => self.derivative(inst, "dFdy", "ddy"),
                GroupOp::Fwidth => self.derivative(inst, "fwidth", "fwidth"),
                GroupOp::QuadSwap => quad_swap(data).to_owned(),
                GroupOp::BallotCount => ballot_count(data).to_owned(),
                GroupOp::Reduce => reduction(data),
                _ => return self.refuse(inst, "it has no such operation", ""),
            },
            Form::Lower(pass) => return self.lowered(inst, pass),
            Form::No(reason) => {
                return self.refuse(inst, reason, Help::by_pass("lower-subgroups", "lowers some of them"));
            }
            _ => return self.refuse(inst, "it has no such operation", ""),
        };
        // GLSL ES names the invocation of a broadcast by a constant.
        let is_shuffle = op == GroupOp::Broadcast && self.w.es().is_some() && {
            data.args.get(1).is_some_and(|&from| self.folded(from).is_none())
        };
        let name = if is_shuffle { "subgroupShuffle".to_owned() } else { name };
        if matches!(self.w.language, Language::Glsl(_)) {
            let clustered = op == GroupOp::Reduce && how_of(data) == How::Clustered;
            self.w.extensions.extend(extension(if is_shuffle { GroupOp::Shuffle } else { op }, clustered));
        }
        let hint = self.hint(inst);
        let kind = match yields(data.op) {
            Yield::Bool => Kind::Bool,
            Yield::Float => Kind::Float,
            Yield::Int => Kind::Int,
            Yield::Uint => Kind::Uint,
            Yield::Integers | Yield::Hint => self.reduced_kind(inst).unwrap_or(hint),
        };
        let ty = self.type_as(inst, kind);
        let mut args = Vec::new();
        for (at, &arg) in data.args.iter().enumerate() {
            let arg = match reading(data.op, at) {
                Reading::Bool => self.value_as(arg, Kind::Bool),
                Reading::Float => self.value_as(arg, Kind::Float),
                Reading::Uint => self.value_as(arg, Kind::Uint),
                Reading::Int => self.value_as(arg, Kind::Int),
                Reading::Result => self.value_as(arg, ty.kind),
                Reading::Integers | Reading::Count | Reading::Natural => self.value(arg),
            };
            // Numbers of invocations and of bits of a ballot have 32 bits.
            let is_number = at == 1 && reading(data.op, at) == Reading::Uint && arg.ty.width != Width::W32;
            args.push(match is_number {
                true => self.construct(inst, NumberType::scalar(Kind::Uint), vec![arg]),
                false => arg,
            });
        }
        if let Some(cluster) = data.attrs.get(Key::Cluster) {
            let token = Token::new(Class::Number, format!("{cluster}u"));
            args.push(Expr::atom(token, NumberType::scalar(Kind::Uint)));
        }
        if matches!(self.w.language, Language::Glsl(_)) && op.is_of_subgroup() {
            let extended = args.iter().map(|arg| arg.ty).chain([ty]).filter_map(extended_type);
            self.w.extensions.extend(extended);
        }
        let expr = self.call(inst, name, args, ty);
        self.define(inst, expr);
    }

    /// The name of the function of a derivative. In GLSL ES the implementation chooses how coarse it is, which is what a
    /// coarse one allows.
    fn derivative(&mut self, inst: Inst, in_glsl: &str, in_hlsl: &str) -> String {
        let data = self.body.inst(inst);
        let precision: Option<Derivative> = data.attrs.word();
        if self.w.language == Language::Hlsl {
            let suffix = match precision {
                // The language has one function.
                _ if data.op == Op::Group(GroupOp::Fwidth) => "",
                Some(Derivative::Fine) => "_fine",
                Some(Derivative::Coarse) => "_coarse",
                None => "",
            };
            return format!("{in_hlsl}{suffix}");
        }
        let is_es = self.w.es().is_some();
        if is_es && precision == Some(Derivative::Fine) {
            self.refuse(inst, "derivatives may be coarse", "");
        }
        let suffix = match precision.filter(|_| !is_es) {
            Some(Derivative::Fine) => "Fine",
            Some(Derivative::Coarse) => "Coarse",
            None => "",
        };
        format!("{in_glsl}{suffix}")
    }

    /// The kind that a reduction reads.
    pub(super) fn reduced_kind(&self, inst: Inst) -> Option<Kind> {
        let data = self.body.inst(inst);
        if data.op != Op::Group(GroupOp::Reduce) {
            return None;
        }
        let required = data.attrs.word().and_then(Reduction::kind);
        required.or_else(|| match self.hint(inst) {
            Kind::Float => Some(Kind::Uint),
            kind @ (Kind::Bool | Kind::Int | Kind::Uint) => Some(kind),
        })
    }

    /// Writes an interface operation.
    pub(super) fn interface(&mut self, inst: Inst, op: IoOp) {
        match self.w.language {
            Language::Glsl(_) => {}
            Language::Wgsl => return self.wgsl_interface(inst, op),
            Language::Msl => return self.msl_interface(inst, op),
            Language::Hlsl => return self.hlsl_interface(inst, op),
        }
        let data = self.body.inst(inst);
        match self.w.dialect.form(Op::Io(op), false) {
            Form::Engine => {}
            Form::Lower(pass) => return self.lowered(inst, pass),
            Form::No(reason) => return self.refuse(inst, reason, ""),
            _ => return self.refuse(inst, "it has no such operation", ""),
        }
        match op {
            IoOp::InterpCentroid | IoOp::InterpSample | IoOp::InterpOffset => self.interpolation(inst, op),
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
                    if self.w.language.is_es() {
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
            | IoOp::Clock => self.refuse(inst, "it has no such operation", ""),
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

    fn interpolation(&mut self, inst: Inst, op: IoOp) {
        let data = self.body.inst(inst);
        let Some(&path) = data.args.first() else { return };
        let component = self.es_component(path);
        let Some(text) = self.path(component.map_or(path, |(vector, _)| vector)) else { return };
        let ty = self.type_as(inst, Kind::Float);
        let mut args = vec![Expr::new(text.tokens, Prec::Postfix, ty)];
        let name = match op {
            IoOp::InterpCentroid => "interpolateAtCentroid",
            IoOp::InterpSample => "interpolateAtSample",
            _ => "interpolateAtOffset",
        };
        if let Some(&operand) = data.args.get(1) {
            let kind = if op == IoOp::InterpSample { Kind::Int } else { Kind::Float };
            args.push(self.value_as(operand, kind));
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

/// The reduction of an instruction.
pub(super) fn reduction_of(data: &InstData) -> Reduction {
    data.attrs.word().unwrap_or(Reduction::IAdd)
}

/// The invocations whose values an instruction combines.
pub(super) fn how_of(data: &InstData) -> How {
    data.attrs.word().unwrap_or(How::All)
}

/// The direction of a quad swap.
pub(super) fn axis_of(data: &InstData) -> Axis {
    data.attrs.word().unwrap_or(Axis::Horizontal)
}

/// Returns true for sums and products, the only ones that most languages have scans of.
pub(super) fn is_sum_or_product(reduction: Reduction) -> bool {
    match reduction {
        Reduction::IAdd | Reduction::FAdd | Reduction::IMul | Reduction::FMul => true,
        Reduction::IMin | Reduction::UMin | Reduction::FMin => false,
        Reduction::IMax | Reduction::UMax | Reduction::FMax => false,
        Reduction::IAnd | Reduction::IOr | Reduction::IXor => false,
    }
}

/// The word of a reduction in the names of functions of GLSL and WGSL.
pub(super) fn reduction_word(reduction: Reduction) -> &'static str {
    match reduction {
        Reduction::IAdd | Reduction::FAdd => "Add",
        Reduction::IMul | Reduction::FMul => "Mul",
        Reduction::IMin | Reduction::UMin | Reduction::FMin => "Min",
        Reduction::IMax | Reduction::UMax | Reduction::FMax => "Max",
        Reduction::IAnd => "And",
        Reduction::IOr => "Or",
        Reduction::IXor => "Xor",
    }
}

/// The function of a reduction in GLSL.
fn reduction(data: &InstData) -> String {
    let prefix = match how_of(data) {
        How::All => "subgroup",
        How::Inclusive => "subgroupInclusive",
        How::Exclusive => "subgroupExclusive",
        How::Clustered => "subgroupClustered",
    };
    format!("{prefix}{}", reduction_word(reduction_of(data)))
}

/// The function of a quad swap in GLSL.
fn quad_swap(data: &InstData) -> &'static str {
    match axis_of(data) {
        Axis::Horizontal => "subgroupQuadSwapHorizontal",
        Axis::Vertical => "subgroupQuadSwapVertical",
        Axis::Diagonal => "subgroupQuadSwapDiagonal",
    }
}

/// The function that counts the bits of a ballot in GLSL.
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

/// The extension of GLSL that declares an operation.
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
