//! Subgroup operations, and operations that end invocations or emit vertices.

use super::diagnostics::NO_INSTRUCTION;
use super::function::FunctionWriter;
use super::shared::Scalar;
use crate::spec::{GlslStd450Op as G, Op as S};
use vitrine_ir::ops::{Axis, Derivative, GroupOp, How, IoOp, Key, Reduction, Scope, ValueType, Width};
use vitrine_ir::{Diag, Help, Inst};

/// The instructions of a subgroup operation.
struct SubgroupEntry {
    /// With a scope.
    scoped: Option<S>,
    /// Without one, for the subgroup.
    bare: Option<S>,
    /// The kind of number of the result, if it is fixed.
    yields: Option<Scalar>,
    /// The kind of number of the first operand, if it differs from the result.
    reads: Option<Scalar>,
}

#[rustfmt::skip] // A table.
fn subgroup_entry(op: GroupOp) -> Option<SubgroupEntry> {
    use GroupOp as O;
    use Scalar::{Bool, Uint};
    let entry = |scoped, bare, yields, reads| Some(SubgroupEntry { scoped, bare, yields, reads });
    match op {
        O::Elect => entry(Some(S::GroupNonUniformElect), None, Some(Bool), None),
        O::VoteAll => entry(Some(S::GroupNonUniformAll), Some(S::SubgroupAllKHR), Some(Bool), Some(Bool)),
        O::VoteAny => entry(Some(S::GroupNonUniformAny), Some(S::SubgroupAnyKHR), Some(Bool), Some(Bool)),
        O::Ballot => entry(Some(S::GroupNonUniformBallot), Some(S::SubgroupBallotKHR), Some(Uint), Some(Bool)),
        O::BallotInverse => entry(Some(S::GroupNonUniformInverseBallot), None, Some(Bool), Some(Uint)),
        O::BallotBit => entry(Some(S::GroupNonUniformBallotBitExtract), None, Some(Bool), Some(Uint)),
        O::BallotLsb => entry(Some(S::GroupNonUniformBallotFindLSB), None, Some(Uint), Some(Uint)),
        O::BallotMsb => entry(Some(S::GroupNonUniformBallotFindMSB), None, Some(Uint), Some(Uint)),
        O::Broadcast => entry(Some(S::GroupNonUniformBroadcast), Some(S::SubgroupReadInvocationKHR), None, None),
        O::BroadcastFirst => entry(Some(S::GroupNonUniformBroadcastFirst), Some(S::SubgroupFirstInvocationKHR), None, None),
        O::Shuffle => entry(Some(S::GroupNonUniformShuffle), None, None, None),
        O::ShuffleXor => entry(Some(S::GroupNonUniformShuffleXor), None, None, None),
        O::ShuffleUp => entry(Some(S::GroupNonUniformShuffleUp), None, None, None),
        O::ShuffleDown => entry(Some(S::GroupNonUniformShuffleDown), None, None, None),
        O::Rotate => entry(Some(S::GroupNonUniformRotateKHR), None, None, None),
        O::QuadBroadcast => entry(Some(S::GroupNonUniformQuadBroadcast), None, None, None),
        O::QuadAll => entry(None, Some(S::GroupNonUniformQuadAllKHR), Some(Bool), Some(Bool)),
        O::QuadAny => entry(None, Some(S::GroupNonUniformQuadAnyKHR), Some(Bool), Some(Bool)),
        O::VoteIEq | O::VoteFEq | O::BallotCount | O::QuadSwap | O::Reduce | O::Barrier
        | O::Ddx | O::Ddy | O::Fwidth => None,
    }
}

/// The instruction of a reduction.
#[rustfmt::skip] // A table.
fn reduction(kind: Reduction, is_bool: bool) -> S {
    match kind {
        Reduction::IAdd => S::GroupNonUniformIAdd,
        Reduction::FAdd => S::GroupNonUniformFAdd,
        Reduction::IMul => S::GroupNonUniformIMul,
        Reduction::FMul => S::GroupNonUniformFMul,
        Reduction::IMin => S::GroupNonUniformSMin,
        Reduction::UMin => S::GroupNonUniformUMin,
        Reduction::FMin => S::GroupNonUniformFMin,
        Reduction::IMax => S::GroupNonUniformSMax,
        Reduction::UMax => S::GroupNonUniformUMax,
        Reduction::FMax => S::GroupNonUniformFMax,
        Reduction::IAnd if is_bool => S::GroupNonUniformLogicalAnd,
        Reduction::IOr if is_bool => S::GroupNonUniformLogicalOr,
        Reduction::IXor if is_bool => S::GroupNonUniformLogicalXor,
        Reduction::IAnd => S::GroupNonUniformBitwiseAnd,
        Reduction::IOr => S::GroupNonUniformBitwiseOr,
        Reduction::IXor => S::GroupNonUniformBitwiseXor,
    }
}

impl FunctionWriter<'_, '_> {
    /// Writes an operation on groups.
    pub(super) fn group(&mut self, inst: Inst, op: GroupOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        match op {
            GroupOp::Ddx | GroupOp::Ddy | GroupOp::Fwidth => {
                self.within_limits(inst, op.into())?;
                let codes = match op {
                    GroupOp::Ddx => [S::DPdx, S::DPdxFine, S::DPdxCoarse],
                    GroupOp::Ddy => [S::DPdy, S::DPdyFine, S::DPdyCoarse],
                    _ => [S::Fwidth, S::FwidthFine, S::FwidthCoarse],
                };
                let code = match data.attrs.word() {
                    None => codes[0],
                    Some(Derivative::Fine) => codes[1],
                    Some(Derivative::Coarse) => codes[2],
                };
                let from = self.id_as(data.args[0], Scalar::Float)?;
                self.define_bits(inst, code, Scalar::Float, &[from]).map(|_| ())
            }
            GroupOp::Barrier => {
                let exec = data.attrs.word_of::<Scope>(Key::Exec);
                // If no memory is ordered, the scope has no meaning.
                let scope = data.attrs.word().or(exec).unwrap_or(Scope::Workgroup);
                let exec = exec.map(|exec| self.writer.uint(exec as u32));
                let scope = self.writer.uint(scope as u32);
                let order = self.semantics(&data.attrs, Key::Order);
                match exec {
                    Some(exec) => self.code.inst(S::ControlBarrier, &[exec, scope, order]),
                    None => self.code.inst(S::MemoryBarrier, &[scope, order]),
                }
                Ok(())
            }
            GroupOp::VoteIEq | GroupOp::VoteFEq => {
                let arg = match op {
                    GroupOp::VoteFEq => self.id_as(data.args[0], Scalar::Float)?,
                    _ => self.int_id(data.args[0])?,
                };
                match data.attrs.has(Key::Scope) {
                    true => {
                        let scope = self.scope(&data.attrs, Key::Scope);
                        self.define_bits(inst, S::GroupNonUniformAllEqual, Scalar::Bool, &[scope, arg])?
                    }
                    false => self.define_bits(inst, S::SubgroupAllEqualKHR, Scalar::Bool, &[arg])?,
                };
                Ok(())
            }
            GroupOp::BallotCount => {
                let scope = self.scope(&data.attrs, Key::Scope);
                let how = data.attrs.word().unwrap_or(How::All) as u32;
                let arg = self.id_as(data.args[0], Scalar::Uint)?;
                let words = [scope, how, arg];
                self.define_bits(inst, S::GroupNonUniformBallotBitCount, Scalar::Uint, &words).map(|_| ())
            }
            GroupOp::QuadSwap => {
                let scope = self.scope(&data.attrs, Key::Scope);
                let axis = self.writer.uint(data.attrs.word().unwrap_or(Axis::Horizontal) as u32);
                let scalar = self.scalar_hint(inst);
                let arg = self.id_as(data.args[0], scalar)?;
                self.define_bits(inst, S::GroupNonUniformQuadSwap, scalar, &[scope, arg, axis]).map(|_| ())
            }
            GroupOp::Reduce => self.reduce(inst),
            _ => self.simple(inst, op),
        }
    }

    fn simple(&mut self, inst: Inst, op: GroupOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let Some(entry) = subgroup_entry(op) else {
            return Err(self.no_instruction(inst, Help::text("run").pass("lower-subgroups").then("first")));
        };
        let scalar = entry.yields.unwrap_or_else(|| self.scalar_hint(inst));
        let mut words = Vec::new();
        let code = match (entry.scoped, entry.bare) {
            (_, Some(bare)) if !data.attrs.has(Key::Scope) => bare,
            (Some(scoped), _) => {
                words.push(self.scope(&data.attrs, Key::Scope));
                scoped
            }
            (None, Some(bare)) => bare,
            (None, None) => {
                return Err(
                    self.no_instruction(inst, Help::text("run").pass("lower-subgroups").then("first"))
                );
            }
        };
        for (at, &arg) in data.args.iter().enumerate() {
            words.push(match at {
                0 => self.id_as(arg, entry.reads.unwrap_or(scalar))?,
                _ => self.id_as(arg, Scalar::Uint)?,
            });
        }
        if let Some(size) = data.attrs.get(Key::Cluster) {
            words.push(self.writer.uint(size as u32));
        }
        self.define_bits(inst, code, scalar, &words).map(|_| ())
    }

    fn reduce(&mut self, inst: Inst) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        let kind = data.attrs.word().unwrap_or(Reduction::IAdd);
        let is_bool = data.ty.width() == Some(Width::W1);
        let code = reduction(kind, is_bool);
        let scalar = match kind {
            _ if is_bool => Scalar::Bool,
            _ if kind.is_float() => Scalar::Float,
            _ => self.int_hint(inst),
        };
        let scope = self.scope(&data.attrs, Key::Scope);
        let how = data.attrs.word().unwrap_or(How::All) as u32;
        let mut words = vec![scope, how, self.id_as(data.args[0], scalar)?];
        if let Some(size) = data.attrs.get(Key::Cluster) {
            words.push(self.writer.uint(size as u32));
        }
        self.define_bits(inst, code, scalar, &words).map(|_| ())
    }

    /// Writes an operation at the interface of an entry point.
    pub(super) fn interface(&mut self, inst: Inst, op: IoOp) -> Result<(), Diag> {
        let data = self.body.inst(inst);
        match op {
            IoOp::Demote => self.code.inst(S::DemoteToHelperInvocation, &[]),
            IoOp::IsHelper => {
                self.define_bits(inst, S::IsHelperInvocationEXT, Scalar::Bool, &[])?;
            }
            IoOp::EmitVertex | IoOp::EndPrimitive => {
                let (plain, of_stream) = match op {
                    IoOp::EmitVertex => (S::EmitVertex, S::EmitStreamVertex),
                    _ => (S::EndPrimitive, S::EndStreamPrimitive),
                };
                match data.attrs.get(Key::Stream) {
                    Some(stream) => {
                        let stream = self.writer.uint(stream as u32);
                        self.code.inst(of_stream, &[stream]);
                    }
                    None => self.code.inst(plain, &[]),
                }
            }
            IoOp::InterlockBegin => self.code.inst(S::BeginInvocationInterlockEXT, &[]),
            IoOp::InterlockEnd => self.code.inst(S::EndInvocationInterlockEXT, &[]),
            IoOp::SetMeshOutputs => {
                let words =
                    [self.id_as(data.args[0], Scalar::Uint)?, self.id_as(data.args[1], Scalar::Uint)?];
                self.code.inst(S::SetMeshOutputsEXT, &words);
            }
            IoOp::Clock => {
                let scope = self.scope(&data.attrs, Key::Scope);
                self.define_bits(inst, S::ReadClockKHR, Scalar::Uint, &[scope])?;
            }
            IoOp::InterpCentroid | IoOp::InterpSample | IoOp::InterpOffset => {
                let (path, _) = self.whole(data.args[0])?;
                let mut words = vec![self.writer.import("GLSL.std.450"), 0, path];
                words[1] = match op {
                    IoOp::InterpCentroid => G::InterpolateAtCentroid,
                    IoOp::InterpSample => G::InterpolateAtSample,
                    _ => G::InterpolateAtOffset,
                } as u32;
                match (op, data.args.get(1)) {
                    (IoOp::InterpSample, Some(&sample)) => words.push(self.id_as(sample, Scalar::Int)?),
                    (_, Some(&offset)) => words.push(self.id_as(offset, Scalar::Float)?),
                    (_, None) => {}
                }
                self.define_bits(inst, S::ExtInst, Scalar::Float, &words)?;
            }
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
            | IoOp::SetSsbo => {
                let message = "accesses the interface without a variable";
                return Err(self.refuse(
                    NO_INSTRUCTION,
                    inst,
                    message,
                    Help::text("do not run")
                        .pass("lower-io")
                        .then(",")
                        .pass("lower-system-values")
                        .then("or")
                        .pass("lower-subgroups")
                        .then("before writing SPIR-V"),
                ));
            }
            IoOp::DiscardIf | IoOp::TerminateIf | IoOp::DemoteIf => {
                let help = Help::text("put an `if` around it, or run").pass("lower-discard-if");
                return Err(self.no_instruction(inst, help));
            }
        }
        debug_assert!(data.ty == ValueType::Void || data.has_result());
        Ok(())
    }
}
