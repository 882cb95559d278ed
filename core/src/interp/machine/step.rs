//! One instruction for the active lanes.

use super::super::mask::Mask;
use super::super::micro::{Code, Micro, SwitchCode, What};
use super::super::outcome::LaneEnd;
use super::super::report::Flaw;
use super::Machine;

impl Machine {
    /// Runs up to so many instructions; whether lanes are left to run.
    pub(super) fn burst(&mut self, steps: u64) -> bool {
        let program = self.program.clone();
        for _ in 0..steps {
            let Some(frame) = self.frames.last() else { return false };
            let code = program.codes.get(frame.code as usize);
            let found = code.and_then(|code| Some((code, code.micros.get(frame.pc as usize)?)));
            let Some((code, micro)) = found else {
                self.end_lanes(LaneEnd::Stuck);
                continue;
            };
            if self.steps >= self.inputs.limits.steps {
                let lowest = self.active.first().map_or(0, |&lane| lane as usize);
                self.flaw(Flaw::Endless, lowest);
                self.give_up();
                return false;
            }
            self.steps += 1;
            self.lane_steps += self.active.len() as u64;
            self.exec(code, micro);
        }
        !self.frames.is_empty()
    }

    /// Stops all lanes where they are.
    fn give_up(&mut self) {
        for end in &mut self.ends {
            if *end == LaneEnd::Running {
                *end = LaneEnd::Stuck;
            }
        }
        self.alive = Mask::default();
        self.frames.clear();
        self.memory.truncate(self.kept_roots);
        self.active.clear();
    }

    fn exec(&mut self, code: &Code, micro: &Micro) {
        match micro.what {
            // Ways out of a block say themselves what comes next.
            What::Goto(edge) => return self.take_all(code, edge),
            What::Branch(edge) => return self.branch(code, micro, edge),
            What::Switch(number) => {
                if let Some(switch) = code.switches.get(number as usize) {
                    self.switch(code, micro, switch);
                }
                return;
            }
            What::Latch { hidden } => return self.latch(hidden),
            What::Call(callee) => return self.call(code, micro, callee),
            What::Return => return self.leave(code, micro),
            What::Stop(stop) => return self.stop(stop),

            What::Lanes(f) => self.lanes(code, micro, f),
            What::Flushed(f) => self.flushed(code, micro, f),
            What::Fast(fast) => self.fast(code, micro, fast),
            What::Whole(f) => self.whole(code, micro, f),
            What::Extract => self.extract(code, micro),
            What::Insert => self.insert(code, micro),
            What::Move => self.moved(code, micro),
            What::Select => self.select(code, micro),
            What::Check(guard) => self.check(code, micro, guard),
            What::Assume => self.assume(code, micro),

            What::Local(number) => self.local_address(micro, number),
            What::Offset(bytes) => self.offset(code, micro, bytes),
            What::Elem { stride, count } => self.element(code, micro, stride, count),
            What::Buffer { stride, count } => self.buffer(code, micro, stride, count),
            What::Load { bytes, step } => self.load(code, micro, bytes, step),
            What::Store { bytes, step, mask } => self.store(code, micro, bytes, step, mask),
            What::Copy(plan) => self.copy(code, micro, plan),
            What::CopyBytes => self.copy_bytes(code, micro),
            What::Count { stride, offset } => self.count(code, micro, stride, offset),
            What::Atomic { bytes, op } => self.atomic(code, micro, bytes, op),
            What::Swap { bytes } => self.compare_and_swap(code, micro, bytes),
            What::Same { equal } => self.same(code, micro, equal),
            What::Distance { stride } => self.distance(code, micro, stride),
            What::ToBits => self.address_to_bits(code, micro),
            What::FromBits => self.address_from_bits(code, micro),

            What::Keep { mask } => self.keep(code, micro, mask),
            What::Pick { from, len } => self.pick(code, micro, from, len),
            What::Put { len, mask } => self.put_at(code, micro, len, mask),

            What::Group { does, workgroup } => self.group(code, micro, does, workgroup),
            What::Tex(number) => self.tex(code, micro, number),
            What::Combine => self.combine(code, micro),
            What::ImageOf => self.image_of(code, micro),
            What::Texel(number) => self.texel(code, micro, number),
            What::Io(number) => {
                // Ends lanes, and with the last of them its frame: what comes next is settled there.
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

    /// Reports every active lane for which the row of a control value is undefined.
    fn control(&mut self, row: usize) {
        if !self.shadowed {
            return;
        }
        for at in 0..self.active.len() {
            let lane = self.active[at] as usize;
            if self.is_undef(row, lane) {
                self.flaw(Flaw::UndefControl, lane);
            }
        }
    }

    fn branch(&mut self, code: &Code, micro: &Micro, edge: u32) {
        let Some(cond) = code.args_of(micro).first() else { return };
        let row = self.row(cond.slot);
        self.control(row);
        let mut then = Mask::default();
        let mut taken = 0;
        for &lane in &self.active {
            if self.regs[row + lane as usize] != 0 {
                then.set(lane as usize);
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
        self.part(code, &[(edge, then), (edge + 1, mask.without(&then))]);
    }

    fn switch(&mut self, code: &Code, micro: &Micro, switch: &SwitchCode) {
        let Some(on) = code.args_of(micro).first() else { return };
        let row = self.row(on.slot);
        self.control(row);
        let mut ways: Vec<(u32, Mask)> = Vec::new();
        for &lane in &self.active {
            let value = self.regs[row + lane as usize];
            let case = switch.cases.binary_search_by_key(&value, |case| case.0);
            let edge = case.ok().and_then(|at| switch.cases.get(at)).map_or(switch.default, |case| case.1);
            match ways.iter_mut().find(|(known, _)| *known == edge) {
                Some((_, mask)) => mask.set(lane as usize),
                None => {
                    let mut mask = Mask::default();
                    mask.set(lane as usize);
                    ways.push((edge, mask));
                }
            }
        }
        self.part(code, &ways);
    }
}
