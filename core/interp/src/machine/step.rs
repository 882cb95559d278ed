//! Execution of one instruction for the active invocations.

use super::super::mask::Mask;
use super::super::micro_op::{Code, MicroOp, Opcode, SwitchCode};
use super::super::outcome::InvocationEnd;
use super::super::report::UbKind;
use super::Machine;

impl Machine {
    /// Runs up to `steps` instructions; returns true if invocations are left to run.
    pub(super) fn run_steps(&mut self, steps: u64) -> bool {
        let program = self.program.clone();
        for _ in 0..steps {
            let Some(frame) = self.frames.last() else { return false };
            let code = program.codes.get(frame.code as usize);
            let found = code.and_then(|code| Some((code, code.micros.get(frame.pc as usize)?)));
            let Some((code, micro)) = found else {
                self.end_invocations(InvocationEnd::Stuck);
                continue;
            };
            if self.steps >= self.inputs.limits.steps {
                let lowest = self.active.first().map_or(0, |&invocation| invocation as usize);
                self.ub(UbKind::Endless, lowest);
                self.give_up();
                return false;
            }
            self.steps += 1;
            let active = self.active.len() as u64;
            self.invocation_steps += active;
            let counts = self.executed.get_mut(frame.code as usize);
            if let Some(count) = counts.and_then(|counts| counts.get_mut(frame.pc as usize)) {
                *count += active;
            }
            self.exec(code, micro);
        }
        !self.frames.is_empty()
    }

    /// Stops all invocations at their current positions.
    fn give_up(&mut self) {
        for end in &mut self.ends {
            if *end == InvocationEnd::Running {
                *end = InvocationEnd::Stuck;
            }
        }
        self.alive = Mask::default();
        self.frames.clear();
        self.memory.truncate(self.kept_roots);
        self.active.clear();
    }

    fn exec(&mut self, code: &Code, micro: &MicroOp) {
        match micro.what {
            // Edges set the next position themselves.
            Opcode::Goto(edge) => return self.take_all(code, edge),
            Opcode::Branch(edge) => return self.branch(code, micro, edge),
            Opcode::Switch(number) => {
                if let Some(switch) = code.switches.get(number as usize) {
                    self.switch(code, micro, switch);
                }
                return;
            }
            Opcode::Latch { hidden } => return self.latch(hidden),
            Opcode::Call(callee) => return self.call(code, micro, callee),
            Opcode::CallWhere(callee) => return self.call_where(code, micro, callee),
            Opcode::Return => return self.leave(code, micro),
            Opcode::Stop(stop) => return self.stop(stop),

            Opcode::ByComponent(f) => self.by_component(code, micro, f),
            Opcode::Flushed(f) => self.flushed(code, micro, f),
            Opcode::Fast(fast) => self.fast(code, micro, fast),
            Opcode::Whole(f) => self.whole(code, micro, f),
            Opcode::Extract => self.extract(code, micro),
            Opcode::Insert => self.insert(code, micro),
            Opcode::Move => self.moved(code, micro),
            Opcode::Select => self.select(code, micro),
            Opcode::Check(precondition) => self.check(code, micro, precondition),
            Opcode::Assume => self.assume(code, micro),
            Opcode::Print => self.print(code, micro),

            Opcode::Local(number) => self.local_address(micro, number),
            Opcode::Offset(bytes) => self.offset(code, micro, bytes),
            Opcode::Elem { stride, count } => self.element(code, micro, stride, count),
            Opcode::Buffer { stride, count } => self.buffer(code, micro, stride, count),
            Opcode::Load { bytes, step } => self.load(code, micro, bytes, step),
            Opcode::Store { bytes, step, mask } => self.store(code, micro, bytes, step, mask),
            Opcode::Copy(plan) => self.copy(code, micro, plan),
            Opcode::CopyBytes => self.copy_bytes(code, micro),
            Opcode::Count { stride, offset } => self.count(code, micro, stride, offset),
            Opcode::Atomic { bytes, op } => self.atomic(code, micro, bytes, op),
            Opcode::Swap { bytes } => self.compare_and_swap(code, micro, bytes),
            Opcode::Same { equal } => self.same(code, micro, equal),
            Opcode::Distance { stride } => self.distance(code, micro, stride),
            Opcode::ToBits => self.address_to_bits(code, micro),
            Opcode::FromBits => self.address_from_bits(code, micro),

            Opcode::Keep { mask } => self.keep(code, micro, mask),
            Opcode::Pick { from, len } => self.pick(code, micro, from, len),
            Opcode::Put { len, mask } => self.put_at(code, micro, len, mask),

            Opcode::Group { does, workgroup } => self.group(code, micro, does, workgroup),
            Opcode::Tex(number) => self.tex(code, micro, number),
            Opcode::Combine => self.combine(code, micro),
            Opcode::ImageOf => self.image_of(code, micro),
            Opcode::Texel(number) => self.texel(code, micro, number),
            Opcode::Ray(number) => self.ray(code, micro, number),
            Opcode::Io(number) => {
                // Terminates invocations, and with the last of them the frame: the next position is set
                // there.
                let depth = self.frames.len();
                let before = self.frames.last().map(|frame| frame.pc);
                self.io(code, micro, number);
                if self.frames.len() != depth || self.frames.last().map(|frame| frame.pc) != before {
                    return;
                }
            }
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.pc += 1;
        }
    }

    /// Reports every active invocation for which a control value is undefined.
    fn control(&mut self, vreg: usize) {
        if !self.shadowed {
            return;
        }
        for at in 0..self.active.len() {
            let invocation = self.active[at] as usize;
            if self.is_undef(vreg, invocation) {
                self.ub(UbKind::UndefControl, invocation);
            }
        }
    }

    fn branch(&mut self, code: &Code, micro: &MicroOp, edge: u32) {
        let Some(cond) = code.args_of(micro).first() else { return };
        let vreg = self.vreg(cond.slot);
        self.control(vreg);
        self.record_branch(vreg);
        let mut then = Mask::default();
        let mut taken = 0;
        for &invocation in &self.active {
            if self.regs[vreg + invocation as usize] != 0 {
                then.set(invocation as usize);
                taken += 1;
            }
        }
        if taken == self.active.len() {
            return self.take_all(code, edge);
        }
        if taken == 0 {
            return self.take_all(code, edge + 1);
        }
        let Some(mask) = self.frames.last().map(|frame| frame.mask) else { return };
        self.diverge(code, &[(edge, then), (edge + 1, mask.without(&then))]);
    }

    fn switch(&mut self, code: &Code, micro: &MicroOp, switch: &SwitchCode) {
        let Some(on) = code.args_of(micro).first() else { return };
        let vreg = self.vreg(on.slot);
        self.control(vreg);
        self.record_branch(vreg);
        let mut edges: Vec<(u32, Mask)> = Vec::new();
        for &invocation in &self.active {
            let value = self.regs[vreg + invocation as usize];
            let case = switch.cases.binary_search_by_key(&value, |case| case.0);
            let edge = case.ok().and_then(|at| switch.cases.get(at)).map_or(switch.default, |case| case.1);
            match edges.iter_mut().find(|(known, _)| *known == edge) {
                Some((_, mask)) => mask.set(invocation as usize),
                None => {
                    let mut mask = Mask::default();
                    mask.set(invocation as usize);
                    edges.push((edge, mask));
                }
            }
        }
        self.diverge(code, &edges);
    }
}
