//! Subgroup operations, and operations that end invocations or emit vertices.
//!
//! Group operations of kernels (such as `OpGroupIAdd`) have different rules and stay raw.

use super::atomic::with_order;
use super::values::{Lower, Val};
use super::words::{Instruction, Words};
use crate::spec::{GroupOperation, Op as S};
use vitrine_ir::ops::{Axis, BasicOp, GroupOp, How, IoOp, Key, Op, Reduction, ValueType, Word};
use vitrine_ir::{Inst, InstData};

/// Operations with a scope in word 3 and operands after it.
#[rustfmt::skip] // A table.
fn scoped(op: S) -> Option<GroupOp> {
    use GroupOp as O;
    Some(match op {
        S::GroupNonUniformElect => O::Elect,
        S::GroupNonUniformAll => O::VoteAll, S::GroupNonUniformAny => O::VoteAny,
        S::GroupNonUniformBroadcast => O::Broadcast, S::GroupNonUniformBroadcastFirst => O::BroadcastFirst,
        S::GroupNonUniformBallot => O::Ballot, S::GroupNonUniformInverseBallot => O::BallotInverse,
        S::GroupNonUniformBallotBitExtract => O::BallotBit,
        S::GroupNonUniformBallotFindLSB => O::BallotLsb, S::GroupNonUniformBallotFindMSB => O::BallotMsb,
        S::GroupNonUniformShuffle => O::Shuffle, S::GroupNonUniformShuffleXor => O::ShuffleXor,
        S::GroupNonUniformShuffleUp => O::ShuffleUp, S::GroupNonUniformShuffleDown => O::ShuffleDown,
        S::GroupNonUniformQuadBroadcast => O::QuadBroadcast,
        _ => return None,
    })
}

/// Operations of extensions without a scope, which is always the subgroup.
fn unscoped(op: S) -> Option<GroupOp> {
    use GroupOp as O;
    Some(match op {
        S::SubgroupAllKHR => O::VoteAll,
        S::SubgroupAnyKHR => O::VoteAny,
        S::SubgroupBallotKHR => O::Ballot,
        S::SubgroupFirstInvocationKHR => O::BroadcastFirst,
        S::SubgroupReadInvocationKHR => O::Broadcast,
        S::GroupNonUniformQuadAllKHR => O::QuadAll,
        S::GroupNonUniformQuadAnyKHR => O::QuadAny,
        _ => return None,
    })
}

/// The operation of a reduction.
#[rustfmt::skip] // A table.
fn reduction(op: S) -> Option<Reduction> {
    use Reduction as R;
    Some(match op {
        S::GroupNonUniformIAdd => R::IAdd, S::GroupNonUniformFAdd => R::FAdd,
        S::GroupNonUniformIMul => R::IMul, S::GroupNonUniformFMul => R::FMul,
        S::GroupNonUniformSMin => R::IMin, S::GroupNonUniformUMin => R::UMin,
        S::GroupNonUniformFMin => R::FMin, S::GroupNonUniformSMax => R::IMax,
        S::GroupNonUniformUMax => R::UMax, S::GroupNonUniformFMax => R::FMax,
        S::GroupNonUniformBitwiseAnd | S::GroupNonUniformLogicalAnd => R::IAnd,
        S::GroupNonUniformBitwiseOr | S::GroupNonUniformLogicalOr => R::IOr,
        S::GroupNonUniformBitwiseXor | S::GroupNonUniformLogicalXor => R::IXor,
        _ => return None,
    })
}

/// The invocations of a reduction.
fn how(operation: u32) -> Option<How> {
    match GroupOperation::from_u32(operation)? {
        GroupOperation::Reduce => Some(How::All),
        GroupOperation::InclusiveScan => Some(How::Inclusive),
        GroupOperation::ExclusiveScan => Some(How::Exclusive),
        GroupOperation::ClusteredReduce => Some(How::Clustered),
        _ => None,
    }
}

impl<'a> Lower<'_, 'a> {
    /// Lowers an instruction about invocations. None if it is another one.
    pub(super) fn group(&mut self, op: S, inst: Instruction<'a>) -> Option<Option<()>> {
        // An instruction whose scope is not a known constant stays raw.
        let known_scope = |lower: &Self, at: usize| lower.r.scope_of(inst.word(at)).is_some();
        if let Some(group) = scoped(op) {
            return known_scope(self, 3).then(|| self.invocations(group, Some(inst.word(3)), 4, inst));
        }
        if let Some(group) = unscoped(op) {
            return Some(self.invocations(group, None, 3, inst));
        }
        if let Some(kind) = reduction(op) {
            let how = how(inst.word(4))?;
            return known_scope(self, 3).then(|| self.reduce(kind, how, inst));
        }
        Some(match op {
            S::ControlBarrier => self.barrier(Some(inst.word(1)), inst.word(2), inst.word(3), inst),
            S::MemoryBarrier => self.barrier(None, inst.word(1), inst.word(2), inst),
            S::GroupNonUniformAllEqual if known_scope(self, 3) => {
                self.all_equal(Some(inst.word(3)), inst.word(4), inst)
            }
            S::SubgroupAllEqualKHR => self.all_equal(None, inst.word(3), inst),
            S::GroupNonUniformBallotBitCount if known_scope(self, 3) => self.ballot_count(inst)?,
            S::GroupNonUniformQuadSwap if known_scope(self, 3) => self.quad_swap(inst)?,
            S::GroupNonUniformRotateKHR if known_scope(self, 3) => self.rotate(inst),
            S::DemoteToHelperInvocation => self.bare(IoOp::Demote, ValueType::Void, inst),
            S::IsHelperInvocationEXT => self.bare(IoOp::IsHelper, ValueType::BOOL, inst),
            S::EmitVertex => self.bare(IoOp::EmitVertex, ValueType::Void, inst),
            S::EndPrimitive => self.bare(IoOp::EndPrimitive, ValueType::Void, inst),
            S::EmitStreamVertex => self.stream(IoOp::EmitVertex, inst)?,
            S::EndStreamPrimitive => self.stream(IoOp::EndPrimitive, inst)?,
            S::BeginInvocationInterlockEXT => self.bare(IoOp::InterlockBegin, ValueType::Void, inst),
            S::EndInvocationInterlockEXT => self.bare(IoOp::InterlockEnd, ValueType::Void, inst),
            S::SetMeshOutputsEXT => self.mesh_outputs(inst),
            S::ReadClockKHR if known_scope(self, 3) => self.clock(inst),
            S::AssumeTrueKHR => self.assume(inst),
            S::ExpectKHR => self.expect(inst),
            _ => return None,
        })
    }

    fn with_scope(&mut self, data: InstData, scope: Option<u32>, inst: Instruction<'a>) -> Option<InstData> {
        Some(match scope {
            Some(scope) => data.with_word(self.scope(scope, inst)?),
            None => data,
        })
    }

    /// An operation on the operands from a word on, with attributes.
    fn yields(&mut self, data: InstData, inst: Instruction<'a>) -> Option<()> {
        let ty = self.result_type(inst)?;
        let types: Vec<ValueType> = data.args.iter().map(|&arg| self.ty(arg)).collect();
        if data.op.info().check(data.ty, &types).is_err() {
            return self.mismatch(inst, format!("has operands of the wrong types for `{}`", data.op.name()));
        }
        let op = data.op;
        let (attrs, args, value) = (data.attrs, data.args, data.ty);
        let result = self.op(op, value, &args);
        self.asm.inst_mut(result).attrs = attrs;
        self.set(inst.word(2), ty, Val::One(result));
        Some(())
    }

    /// Leaf by leaf, since some of these work on composites in newer dialects.
    fn invocations(
        &mut self,
        op: GroupOp,
        scope: Option<u32>,
        first: usize,
        inst: Instruction<'a>,
    ) -> Option<()> {
        let (_, value) = self.result_bits(inst)?;
        let mut args = Vec::new();
        let wanted = Op::from(op).info().operands.len();
        for &id in inst.rest(first).iter().take(wanted) {
            args.push(self.bits(id, inst)?);
        }
        let data = InstData::new(op, value, &args);
        let data = self.with_scope(data, scope, inst)?;
        let admits = |key| data.attrs.get(key).is_none() || data.op.info().may.contains(&key);
        let data = if admits(Key::Scope) {
            data
        } else {
            InstData { attrs: data.attrs.without(Key::Scope), ..data }
        };
        self.yields(data, inst)
    }

    fn reduce(&mut self, kind: Reduction, how: How, inst: Instruction<'a>) -> Option<()> {
        let (_, value) = self.result_bits(inst)?;
        let arg = self.bits(inst.word(5), inst)?;
        let data = InstData::new(GroupOp::Reduce, value, &[arg]).with_word(kind).with_word(how);
        let data = self.with_scope(data, Some(inst.word(3)), inst)?;
        let data = match how {
            How::Clustered => match self.r.number_of(inst.word(6)) {
                Some(size) if size.is_power_of_two() => data.with(Key::Cluster, size),
                _ => return self.mismatch(inst, "has a cluster size that is not a power of two"),
            },
            How::All | How::Inclusive | How::Exclusive => data,
        };
        self.yields(data, inst)
    }

    fn barrier(&mut self, exec: Option<u32>, scope: u32, order: u32, inst: Instruction<'a>) -> Option<()> {
        let mut data = InstData::new(GroupOp::Barrier, ValueType::Void, &[]);
        if let Some(exec) = exec {
            data = data.with(Key::Exec, self.scope(exec, inst)?.number());
        }
        data = data.with_word(self.scope(scope, inst)?);
        let order = self.order(order, inst)?;
        self.put(with_order(data, Key::Order, order));
        Some(())
    }

    fn all_equal(&mut self, scope: Option<u32>, id: u32, inst: Instruction<'a>) -> Option<()> {
        let value = self.value(id, inst)?;
        let arg = self.bits(id, inst)?;
        let op =
            if value.ty.is_some_and(|ty| self.is_float(ty)) { GroupOp::VoteFEq } else { GroupOp::VoteIEq };
        let data = self.with_scope(InstData::new(op, ValueType::BOOL, &[arg]), scope, inst)?;
        self.yields(data, inst)
    }

    fn is_float(&self, ty: vitrine_ir::Type) -> bool {
        use vitrine_ir::TypeData;
        match self.r.module.type_of(ty) {
            TypeData::Float { .. } => true,
            TypeData::Vector { of, .. } => matches!(self.r.module.type_of(*of), TypeData::Float { .. }),
            _ => false,
        }
    }

    fn ballot_count(&mut self, inst: Instruction<'a>) -> Option<Option<()>> {
        let how = how(inst.word(4)).filter(|&how| how != How::Clustered)?;
        Some((|| {
            let (_, value) = self.result_bits(inst)?;
            let arg = self.bits(inst.word(5), inst)?;
            let data = InstData::new(GroupOp::BallotCount, value, &[arg]).with_word(how);
            let data = self.with_scope(data, Some(inst.word(3)), inst)?;
            self.yields(data, inst)
        })())
    }

    fn quad_swap(&mut self, inst: Instruction<'a>) -> Option<Option<()>> {
        // Directions have the same numbers in SPIR-V and in the IR.
        let axis = self.r.number_of(inst.word(5)).and_then(Axis::from_number)?;
        Some((|| {
            let (_, value) = self.result_bits(inst)?;
            let arg = self.bits(inst.word(4), inst)?;
            let data = InstData::new(GroupOp::QuadSwap, value, &[arg]).with_word(axis);
            let data = self.with_scope(data, Some(inst.word(3)), inst)?;
            self.yields(data, inst)
        })())
    }

    fn rotate(&mut self, inst: Instruction<'a>) -> Option<()> {
        let (_, value) = self.result_bits(inst)?;
        let (arg, delta) = (self.bits(inst.word(4), inst)?, self.bits(inst.word(5), inst)?);
        let data = InstData::new(GroupOp::Rotate, value, &[arg, delta]);
        let data = self.with_scope(data, Some(inst.word(3)), inst)?;
        let data = match inst.words.get(6).map(|&id| self.r.number_of(id)) {
            None => data,
            Some(Some(size)) if size.is_power_of_two() => data.with(Key::Cluster, size),
            Some(_) => return self.mismatch(inst, "has a cluster size that is not a power of two"),
        };
        self.yields(data, inst)
    }

    fn bare(&mut self, op: IoOp, value: ValueType, inst: Instruction<'a>) -> Option<()> {
        let data = InstData::new(op, value, &[]);
        if value == ValueType::Void {
            self.put(data);
            return Some(());
        }
        self.yields(data, inst)
    }

    fn stream(&mut self, op: IoOp, inst: Instruction<'a>) -> Option<Option<()>> {
        let stream = self.r.number_of(inst.word(1)).and_then(|stream| u32::try_from(stream).ok())?;
        self.put(InstData::new(op, ValueType::Void, &[]).with(Key::Stream, u64::from(stream)));
        Some(Some(()))
    }

    fn mesh_outputs(&mut self, inst: Instruction<'a>) -> Option<()> {
        let (vertices, primitives) = (self.bits(inst.word(1), inst)?, self.bits(inst.word(2), inst)?);
        if [vertices, primitives].iter().any(|&count| self.ty(count) != ValueType::B32) {
            return self.mismatch(inst, "has a stream that is not a 32-bit number");
        }
        self.put(InstData::new(IoOp::SetMeshOutputs, ValueType::Void, &[vertices, primitives]));
        Some(())
    }

    fn clock(&mut self, inst: Instruction<'a>) -> Option<()> {
        let (_, value) = self.result_bits(inst)?;
        let data = self.with_scope(InstData::new(IoOp::Clock, value, &[]), Some(inst.word(3)), inst)?;
        self.yields(data, inst)
    }

    fn assume(&mut self, inst: Instruction<'a>) -> Option<()> {
        let cond: Inst = self.bits(inst.word(1), inst)?;
        if self.ty(cond) != ValueType::BOOL {
            return self.mismatch(inst, "has an operand that is not a boolean");
        }
        self.put(InstData::new(BasicOp::Assume, ValueType::Void, &[cond]));
        Some(())
    }

    /// A hint for the optimizer, and its first operand as the result.
    fn expect(&mut self, inst: Instruction<'a>) -> Option<()> {
        let (ty, value) = self.result_bits(inst)?;
        let arg = self.bits(inst.word(3), inst)?;
        self.r.leave_out("the expected value of OpExpectKHR", inst.offset);
        self.checked(BasicOp::Copy, value, &[arg], ty, inst)
    }
}
