//! The interface for debuggers: positions and values of invocations, stepping by one instruction.
//!
//! Nothing is borrowed between two calls, so a page can keep the machine and return to it. A step is one
//! instruction of the IR or one terminator; additional machine instructions (checks before an instruction,
//! the end of an iteration) belong to the step.

use super::{InvocationInfo, Machine};
use vitrine_ir::base::EntityId;
use vitrine_ir::{Block, Func, Inst};

/// The state of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Invocations are left.
    Running,
    /// All invocations of the group have ended.
    Done,
}

/// A function on the call stack.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FrameView {
    /// The function.
    pub func: Func,
    /// The block of its invocations.
    pub block: Option<Block>,
    /// The next instruction (in the topmost frame) or the call (in the others); `None` at a terminator.
    pub inst: Option<Inst>,
    /// The invocations at that position.
    pub invocations: Vec<usize>,
    /// Invocations that wait at other positions of the function, by block.
    pub waiting: Vec<(Option<Block>, Vec<usize>)>,
}

impl Machine {
    /// Runs one instruction for the active invocations.
    pub fn step(&mut self) -> Status {
        let start = self.place();
        loop {
            if !self.run_steps(1) {
                return Status::Done;
            }
            let now = self.place();
            // Checks before an instruction have its id; latches have none.
            let same = now == start && start.is_some_and(|(.., inst)| inst.is_some());
            let hidden = now.is_none();
            if !same && !hidden {
                return Status::Running;
            }
        }
    }

    /// Runs to the end of the group, or for at most `steps` instructions.
    pub fn run(&mut self, steps: u64) -> Status {
        if self.run_steps(steps) { Status::Running } else { Status::Done }
    }

    /// Runs until the active invocations are before an instruction; `Done` if that never happens.
    pub fn run_to(&mut self, func: Func, inst: Inst) -> Status {
        while self.step() == Status::Running {
            if self.place().is_some_and(|(at, _, next)| (at, next) == (func, Some(inst))) {
                return Status::Running;
            }
        }
        Status::Done
    }

    /// The position of the active invocations: function, block, and the next instruction (`None` at a
    /// terminator). `None` between two blocks, and at the end.
    pub fn place(&self) -> Option<(Func, Block, Option<Inst>)> {
        let frame = self.frames.last()?;
        let func = self.program.funcs.get(frame.code as usize)?;
        let code = self.program.codes.get(frame.code as usize)?;
        let micro = code.micros.get(frame.pc as usize)?;
        if matches!(micro.what, super::super::micro_op::Opcode::Latch { .. }) {
            return None;
        }
        Some((*func, code.block_at(frame.pc)?, micro.inst))
    }

    /// Returns true if the active invocations are before the first step of their block. Constants are no steps.
    pub fn is_at_block_start(&self) -> bool {
        let Some(frame) = self.frames.last() else { return false };
        let code = self.program.codes.get(frame.code as usize);
        code.is_some_and(|code| code.blocks.binary_search_by_key(&frame.pc, |&(start, _)| start).is_ok())
    }

    /// The active invocations, in order.
    pub fn active(&self) -> &[u32] {
        &self.active
    }

    /// Depth of the call stack.
    pub fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The functions on the call stack, outermost first.
    pub fn stack(&self) -> Vec<FrameView> {
        let view = |(depth, frame): (usize, &super::Frame)| {
            let code = self.program.codes.get(frame.code as usize);
            // The position of a caller is already after its call.
            let at = if depth + 1 == self.frames.len() { frame.pc } else { frame.pc.saturating_sub(1) };
            FrameView {
                func: self.program.funcs.get(frame.code as usize).copied().unwrap_or(EntityId::from_index(0)),
                block: code.and_then(|code| code.block_at(at)),
                inst: code.and_then(|code| code.micros.get(at as usize)).and_then(|micro| micro.inst),
                invocations: frame.mask.and(&self.alive).invocations().collect(),
                waiting: frame
                    .waiting
                    .iter()
                    .map(|(pc, mask)| {
                        (code.and_then(|code| code.block_at(*pc)), mask.invocations().collect())
                    })
                    .collect(),
            }
        };
        self.frames.iter().enumerate().map(view).collect()
    }

    /// The value of an instruction in a frame (by its index in [`Machine::stack`]) for an invocation: the
    /// bits of each component, `None` for an undefined one. Empty if the instruction has no value there.
    pub fn value(&self, frame: usize, inst: Inst, invocation: usize) -> Vec<Option<u64>> {
        let Some(frame) = self.frames.get(frame) else { return Vec::new() };
        let Some(code) = self.program.codes.get(frame.code as usize) else { return Vec::new() };
        let (slot, parts) = code.values[inst];
        if invocation >= self.width {
            return Vec::new();
        }
        (0..u32::from(parts))
            .map(|part| {
                let vreg = self.vreg_from(slot + part, frame.base);
                (!self.is_undef(vreg, invocation)).then(|| self.get(vreg, invocation))
            })
            .collect()
    }

    /// The identity of an invocation.
    pub fn invocation(&self, invocation: usize) -> Option<InvocationInfo> {
        self.info.get(invocation).map(|info| InvocationInfo { helper: self.helpers.has(invocation), ..*info })
    }

    /// The end state of an invocation.
    pub fn end(&self, invocation: usize) -> Option<super::super::outcome::InvocationEnd> {
        self.ends.get(invocation).copied()
    }

    /// The root of a variable of the module in [`Machine::memory`], or of a local variable of a frame.
    pub fn root_of(&self, frame: usize, var: vitrine_ir::Var) -> Option<u32> {
        if let Some(of) = self.program.vars.iter().find(|of| of.var == var) {
            return of.used.then_some(of.root);
        }
        let frame = self.frames.get(frame)?;
        let code = self.program.codes.get(frame.code as usize)?;
        let number = code.locals.iter().position(|local| local.var == var)?;
        Some(frame.locals + number as u32)
    }
}
