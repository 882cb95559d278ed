//! Cross-invocation operations: derivatives, quads, subgroups, barriers.
//!
//! All active invocations take part, including helper invocations. If a value is requested from an inactive
//! invocation, that is reported, and the own value of the requesting invocation is used. Reductions go from
//! the lowest invocation to the highest.

use super::super::mask::Mask;
use super::super::micro_op::{Arg, Code, GroupOpcode, MicroOp};
use super::super::report::UbKind;
use super::Machine;
use vitrine_ir::ops::{Axis, How, Reduction, Scalar, Scope, Width};

impl Machine {
    pub(super) fn group(&mut self, code: &Code, micro: &MicroOp, group: GroupOpcode, workgroup: bool) {
        let args = code.args_of(micro);
        let size = if workgroup { self.width } else { self.inputs.subgroup.clamp(1, 64) as usize };
        match group {
            GroupOpcode::Derivative { axis, coarse } => {
                self.derivative(micro, args, |machine, vreg, invocation, width| {
                    machine.change(vreg, invocation, axis, coarse, width)
                });
            }
            GroupOpcode::Fwidth { coarse } => {
                self.derivative(micro, args, |machine, vreg, invocation, width| {
                    let x = machine.change(vreg, invocation, 1, coarse, width);
                    let y = machine.change(vreg, invocation, 2, coarse, width);
                    Some(x?.fabs().fadd(y?.fabs()))
                });
            }
            GroupOpcode::Barrier { exec } => self.barrier(exec),
            GroupOpcode::QuadBroadcast => {
                self.fetch(micro, args, 4, true, |_, requested, _| i64::from(requested & 3));
            }
            GroupOpcode::QuadSwap { axis } => {
                self.fetch(micro, args, 4, true, |own, _, _| i64::from(own & 3 ^ across(axis)));
            }
            GroupOpcode::QuadVote { all } => self.vote(micro, args, 4, all),
            GroupOpcode::Vote { all } => self.vote(micro, args, size, all),
            GroupOpcode::Elect => {
                let to = self.vreg(micro.dst);
                self.each_group(size, |machine, invocations| {
                    for (at, &invocation) in invocations.iter().enumerate() {
                        machine.set(to, invocation, u64::from(at == 0), false);
                    }
                });
            }
            GroupOpcode::VoteEq { float } => self.vote_equal(micro, args, size, float),
            GroupOpcode::Ballot => self.ballot(micro, args, size),
            GroupOpcode::BallotInverse
            | GroupOpcode::BallotBit
            | GroupOpcode::BallotCount { .. }
            | GroupOpcode::BallotFind { .. } => self.ballot_query(micro, args, size, group),
            GroupOpcode::Broadcast => {
                self.uniform_operand(args, size);
                self.fetch(micro, args, size, false, |_, requested, _| i64::from(requested));
            }
            GroupOpcode::BroadcastFirst => {
                self.fetch(micro, args, size, false, |_, _, first| i64::from(first));
            }
            GroupOpcode::Shuffle => {
                self.fetch(micro, args, size, false, |_, requested, _| i64::from(requested));
            }
            GroupOpcode::ShuffleXor => {
                self.fetch(micro, args, size, false, |own, requested, _| i64::from(own ^ requested));
            }
            GroupOpcode::ShuffleUp => {
                self.fetch(micro, args, size, false, |own, requested, _| {
                    i64::from(own) - i64::from(requested)
                });
            }
            GroupOpcode::ShuffleDown => {
                self.fetch(micro, args, size, false, |own, requested, _| {
                    i64::from(own) + i64::from(requested)
                });
            }
            GroupOpcode::Rotate { cluster } => {
                let cluster = if cluster == 0 { size as u32 } else { cluster };
                self.fetch(micro, args, size, false, |own, requested, _| {
                    let (base, inside) = (own / cluster * cluster, own % cluster);
                    i64::from(base + (inside.wrapping_add(requested % cluster)) % cluster)
                });
            }
            GroupOpcode::Reduce { op, how, cluster } => self.reduce(micro, args, size, (op, how, cluster)),
        }
    }

    /// Calls `f` with the active invocations of each group of `size` invocations.
    fn each_group(&mut self, size: usize, mut f: impl FnMut(&mut Machine, &[usize])) {
        let active: Vec<usize> = self.active.iter().map(|&invocation| invocation as usize).collect();
        for invocations in active.chunk_by(|a, b| a / size == b / size) {
            f(self, invocations);
        }
    }

    fn is_active(&self, invocation: usize) -> bool {
        self.frames.last().is_some_and(|frame| frame.mask.has(invocation))
    }

    fn derivative(
        &mut self,
        micro: &MicroOp,
        args: &[Arg],
        f: impl Fn(&mut Machine, usize, usize, Width) -> Option<Scalar>,
    ) {
        let Some(arg) = args.first() else { return };
        for part in 0..u32::from(micro.parts) {
            let (from, to) = (self.vreg(arg.slot + part), self.vreg(micro.dst + part));
            for at in 0..self.active.len() {
                let invocation = self.active_invocation(at);
                let value = f(self, from, invocation, arg.width);
                let undef = (invocation & !3..(invocation & !3) + 4)
                    .any(|invocation| self.is_active(invocation) && self.is_undef(from, invocation));
                let bits = value.map_or(0, Scalar::bits);
                self.set(to, invocation, bits, undef || value.is_none());
            }
        }
    }

    /// Change of a value along an axis of the quad; none, and a report, if a required invocation is inactive: SPIR-V
    /// leaves it undefined beside an invocation that was discarded or took another branch.
    fn change(
        &mut self,
        vreg: usize,
        invocation: usize,
        axis: u8,
        coarse: bool,
        width: Width,
    ) -> Option<Scalar> {
        let first = if coarse { invocation & !3 } else { invocation & !usize::from(axis) };
        self.difference(first, invocation, axis, |machine, invocation| {
            Scalar::new(width, machine.get(vreg, invocation))
        })
    }

    /// The difference of a value between `first` and its neighbor along an axis of the quad.
    fn difference(
        &mut self,
        first: usize,
        invocation: usize,
        axis: u8,
        value: impl Fn(&Machine, usize) -> Scalar,
    ) -> Option<Scalar> {
        let second = first | usize::from(axis);
        if !self.is_active(first) || !self.is_active(second) {
            self.ub(UbKind::PartialQuad, invocation);
            return None;
        }
        let (a, b) = (value(self, first), value(self, second));
        Some(b.fsub(a))
    }

    /// The derivative of a number along an axis of the quad, for image operations: fine, and as `f64`.
    pub(super) fn slope(
        &mut self,
        invocation: usize,
        axis: u8,
        value: impl Fn(&Machine, usize) -> Scalar,
    ) -> f64 {
        self.difference(invocation & !usize::from(axis), invocation, axis, value).map_or(0.0, Scalar::to_f64)
    }

    fn barrier(&mut self, exec: Option<Scope>) {
        match exec {
            Some(Scope::Workgroup) => self.workgroup_barrier(),
            Some(Scope::Subgroup) => self.subgroup_barrier(),
            Some(Scope::CrossDevice | Scope::Device | Scope::Invocation) => {}
            Some(Scope::QueueFamily | Scope::ShaderCall) => {}
            None => {}
        }
    }

    fn workgroup_barrier(&mut self) {
        if let Some(races) = &mut self.races {
            races.forget();
        }
        let lost = self.frames.last().map_or(Mask::default(), |frame| self.everyone.without(&frame.mask));
        if !lost.is_empty() {
            let invocation = self.active.first().map_or(0, |&invocation| invocation as usize);
            self.ub(UbKind::PartialBarrier, invocation);
        }
    }

    fn subgroup_barrier(&mut self) {
        let size = self.inputs.subgroup.clamp(1, 64) as usize;
        let everyone = self.everyone;
        self.each_group(size, |machine, invocations| {
            let base = invocations.first().map_or(0, |&invocation| invocation / size * size);
            let all = (base..base + size).filter(|&invocation| everyone.has(invocation)).count();
            if let Some(&invocation) = invocations.first().filter(|_| invocations.len() < all) {
                machine.ub(UbKind::PartialBarrier, invocation);
            }
        });
    }

    /// Reports an operand 1 that is not uniform among the invocations of a group.
    fn uniform_operand(&mut self, args: &[Arg], size: usize) {
        let Some(vreg) = args.get(1).map(|arg| self.vreg(arg.slot)) else { return };
        self.each_group(size, |machine, invocations| {
            let first = invocations.first().map(|&invocation| machine.get(vreg, invocation));
            if let Some(&invocation) =
                invocations.iter().find(|&&invocation| Some(machine.get(vreg, invocation)) != first)
            {
                machine.ub(UbKind::NotUniform, invocation);
            }
        });
    }

    /// Takes the value of another invocation: `which` computes its index in the group from the own index,
    /// operand 1 and the first invocation.
    fn fetch(
        &mut self,
        micro: &MicroOp,
        args: &[Arg],
        size: usize,
        is_quad: bool,
        which: impl Fn(u32, u32, u32) -> i64,
    ) {
        let Some(value) = args.first() else { return };
        let requested_vreg = args.get(1).map(|arg| self.vreg(arg.slot));
        let vregs: Vec<(usize, usize)> = (0..u32::from(micro.parts))
            .map(|part| (self.vreg(value.slot + part), self.vreg(micro.dst + part)))
            .collect();
        self.each_group(size, |machine, invocations| {
            let Some(&first) = invocations.first() else { return };
            let base = first / size * size;
            // All sources are read before any destination is written: an operand may be the previous result
            // of the same instruction.
            let mut read: Vec<(usize, usize, bool)> = Vec::with_capacity(invocations.len());
            for &invocation in invocations {
                let requested = requested_vreg
                    .map_or(0, |vreg| machine.get(vreg, invocation))
                    .min(u64::from(u32::MAX)) as u32;
                let wanted = which((invocation - base) as u32, requested, (first - base) as u32);
                let found = usize::try_from(wanted).ok().filter(|&at| at < size).map(|at| base + at);
                let from = match found.filter(|&from| machine.is_active(from)) {
                    Some(from) => from,
                    None => {
                        machine.ub(
                            if is_quad { UbKind::PartialQuad } else { UbKind::InactiveInvocation },
                            invocation,
                        );
                        invocation
                    }
                };
                let is_lost = found != Some(from);
                let unknown = requested_vreg.is_some_and(|vreg| machine.is_undef(vreg, invocation));
                read.push((invocation, from, unknown || is_lost));
            }
            for &(from_row, to) in &vregs {
                let values: Vec<(u64, bool)> = read
                    .iter()
                    .map(|&(_, from, unknown)| {
                        (machine.get(from_row, from), machine.is_undef(from_row, from) || unknown)
                    })
                    .collect();
                for (&(invocation, ..), (value, undef)) in read.iter().zip(values) {
                    machine.set(to, invocation, value, undef);
                }
            }
        });
    }

    fn vote(&mut self, micro: &MicroOp, args: &[Arg], size: usize, all: bool) {
        let Some(vreg) = args.first().map(|arg| self.vreg(arg.slot)) else { return };
        let to = self.vreg(micro.dst);
        self.each_group(size, |machine, invocations| {
            let mut holds = invocations.iter().map(|&invocation| machine.get(vreg, invocation) != 0);
            let result = if all { holds.all(|holds| holds) } else { holds.any(|holds| holds) };
            let undef = invocations.iter().any(|&invocation| machine.is_undef(vreg, invocation));
            for &invocation in invocations {
                machine.set(to, invocation, u64::from(result), undef);
            }
        });
    }

    fn vote_equal(&mut self, micro: &MicroOp, args: &[Arg], size: usize, float: bool) {
        let Some(arg) = args.first() else { return };
        let vregs: Vec<usize> = (0..u32::from(arg.parts)).map(|part| self.vreg(arg.slot + part)).collect();
        let (to, width) = (self.vreg(micro.dst), arg.width);
        self.each_group(size, |machine, invocations| {
            let Some(&first) = invocations.first() else { return };
            let equal = |vreg: usize, invocation: usize| {
                let (a, b) = (
                    Scalar::new(width, machine.get(vreg, first)),
                    Scalar::new(width, machine.get(vreg, invocation)),
                );
                if float { a.feq(b).as_bool() } else { a == b }
            };
            let result =
                invocations.iter().all(|&invocation| vregs.iter().all(|&vreg| equal(vreg, invocation)));
            let undef = invocations
                .iter()
                .any(|&invocation| vregs.iter().any(|&vreg| machine.is_undef(vreg, invocation)));
            for &invocation in invocations {
                machine.set(to, invocation, u64::from(result), undef);
            }
        });
    }

    fn ballot(&mut self, micro: &MicroOp, args: &[Arg], size: usize) {
        let Some(vreg) = args.first().map(|arg| self.vreg(arg.slot)) else { return };
        let to = self.vreg(micro.dst);
        let width = self.width;
        self.each_group(size, |machine, invocations| {
            let mut words = [0u64; 4];
            for &invocation in invocations.iter().filter(|&&invocation| machine.get(vreg, invocation) != 0) {
                let at = invocation % size;
                if let Some(word) = words.get_mut(at / 32) {
                    *word |= 1 << (at % 32);
                }
            }
            let undef = invocations.iter().any(|&invocation| machine.is_undef(vreg, invocation));
            for &invocation in invocations {
                for (part, &word) in words.iter().enumerate().take(usize::from(micro.parts)) {
                    machine.set(to + part * width, invocation, word, undef);
                }
            }
        });
    }

    fn ballot_query(&mut self, micro: &MicroOp, args: &[Arg], size: usize, group: GroupOpcode) {
        let Some(ballot) = args.first().map(|arg| self.vreg(arg.slot)) else { return };
        let index = args.get(1).map(|arg| self.vreg(arg.slot));
        let to = self.vreg(micro.dst);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let word =
                |part: usize| u128::from(self.get(ballot + part * self.width, invocation)) << (32 * part);
            let bits = (0..4).fold(0u128, |bits, part| bits | word(part));
            // Only the bits of the subgroup count.
            let bits = if size < 128 { bits & ((1u128 << size) - 1) } else { bits };
            let own = (invocation % size) as u32;
            let below = (1u128 << own.min(127)) - 1;
            let requested = index.map_or(0, |vreg| self.get(vreg, invocation)).min(127) as u32;
            let result = match group {
                GroupOpcode::BallotInverse => (bits >> own & 1) as u64,
                GroupOpcode::BallotBit => (bits >> requested & 1) as u64,
                GroupOpcode::BallotCount { how } => {
                    let counted = match how {
                        How::Inclusive => bits & (below << 1 | 1),
                        How::Exclusive => bits & below,
                        How::All | How::Clustered => bits,
                    };
                    u64::from(counted.count_ones())
                }
                GroupOpcode::BallotFind { last: false } if bits != 0 => u64::from(bits.trailing_zeros()),
                GroupOpcode::BallotFind { last: true } if bits != 0 => u64::from(127 - bits.leading_zeros()),
                // No invocation: the specification leaves the result undefined; all ones, as for the find
                // operations.
                _ => u64::from(u32::MAX),
            };
            let undef = (0..4).any(|part| self.is_undef(ballot + part * self.width, invocation));
            self.set(to, invocation, result, undef);
        }
    }

    fn reduce(
        &mut self,
        micro: &MicroOp,
        args: &[Arg],
        size: usize,
        (op, how, cluster): (Reduction, How, u32),
    ) {
        let Some(arg) = args.first() else { return };
        let cluster = if how == How::Clustered && cluster > 0 { cluster as usize } else { size };
        let width = arg.width;
        for part in 0..u32::from(micro.parts) {
            let (from, to) = (self.vreg(arg.slot + part), self.vreg(micro.dst + part));
            self.each_group(size, |machine, all| {
                for invocations in all.chunk_by(|a, b| a / cluster == b / cluster) {
                    let values: Vec<Scalar> = invocations
                        .iter()
                        .map(|&invocation| Scalar::new(width, machine.get(from, invocation)))
                        .collect();
                    let undef = invocations.iter().any(|&invocation| machine.is_undef(from, invocation));
                    let total = values.iter().copied().reduce(|a, b| reduction(op, a, b)).unwrap_or_default();
                    let mut so_far: Option<Scalar> = None;
                    for (&invocation, &value) in invocations.iter().zip(&values) {
                        let inclusive = so_far.map_or(value, |so_far| reduction(op, so_far, value));
                        let result = match how {
                            How::Inclusive => inclusive,
                            How::Exclusive => so_far.unwrap_or_else(|| identity(op, width)),
                            How::All | How::Clustered => total,
                        };
                        so_far = Some(inclusive);
                        machine.set(to, invocation, result.bits(), undef);
                    }
                }
            });
        }
    }
}

/// The bits in which the numbers of two invocations of a quad differ that are neighbors along an axis.
fn across(axis: Axis) -> u32 {
    match axis {
        Axis::Horizontal => 1,
        Axis::Vertical => 2,
        Axis::Diagonal => 3,
    }
}

/// Combines two values.
fn reduction(op: Reduction, a: Scalar, b: Scalar) -> Scalar {
    match op {
        Reduction::IAdd => a.iadd(b),
        Reduction::FAdd => a.fadd(b),
        Reduction::IMul => a.imul(b),
        Reduction::FMul => a.fmul(b),
        Reduction::IMin => a.imin(b),
        Reduction::UMin => a.umin(b),
        Reduction::FMin => a.fmin(b),
        Reduction::IMax => a.imax(b),
        Reduction::UMax => a.umax(b),
        Reduction::FMax => a.fmax(b),
        Reduction::IAnd => a.iand(b),
        Reduction::IOr => a.ior(b),
        Reduction::IXor => a.ixor(b),
    }
}

/// The identity element of a reduction.
fn identity(op: Reduction, width: Width) -> Scalar {
    match op {
        Reduction::IMul => Scalar::u(width, 1),
        Reduction::FMul => Scalar::float(width, 1.0),
        Reduction::IMin => Scalar::new(width, width.mask() >> 1),
        Reduction::UMin | Reduction::IAnd => Scalar::new(width, width.mask()),
        Reduction::FMin => Scalar::float(width, f64::INFINITY),
        Reduction::IMax => Scalar::new(width, width.sign_bit()),
        Reduction::FMax => Scalar::float(width, f64::NEG_INFINITY),
        Reduction::IAdd | Reduction::FAdd => Scalar::zero(width),
        Reduction::UMax | Reduction::IOr | Reduction::IXor => Scalar::zero(width),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identities_change_nothing() {
        for &op in Reduction::ALL {
            for width in [Width::W16, Width::W32, Width::W64] {
                let value = if op.is_float() { Scalar::float(width, -3.5) } else { Scalar::i(width, -77) };
                assert_eq!(reduction(op, identity(op, width), value), value, "{op:?}");
            }
        }
    }
}
