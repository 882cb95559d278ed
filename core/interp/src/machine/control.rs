//! Frames and edges: scheduling, moves of edges, calls and returns.

use super::super::consts::Piece;
use super::super::mask::Mask;
use super::super::memory::{Ptr, RootKind};
use super::super::micro_op::{CONST, Code, EdgeCode, LocalCode, MicroOp, NONE, Slot};
use super::super::outcome::InvocationEnd;
use super::super::report::UbKind;
use super::{Frame, Machine};
use vitrine_ir::Stop;

impl Machine {
    /// The start of a virtual register in `regs`.
    pub(super) fn vreg(&self, slot: Slot) -> usize {
        let base = self.frames.last().map_or(0, |frame| frame.base);
        self.vreg_from(slot, base)
    }

    pub(super) fn vreg_from(&self, slot: Slot, base: usize) -> usize {
        if slot & CONST != 0 {
            (slot & !CONST) as usize * self.width
        } else {
            (base + slot as usize) * self.width
        }
    }

    /// Returns true if a value is undefined for an invocation; `vreg` is the start of its virtual register.
    pub(super) fn is_undef(&self, vreg: usize, invocation: usize) -> bool {
        if !self.shadowed {
            return false;
        }
        let at = vreg / self.width * self.words + invocation / 64;
        self.shadow.get(at).is_some_and(|word| word >> (invocation % 64) & 1 == 1)
    }

    pub(super) fn set_undef(&mut self, vreg: usize, invocation: usize, undef: bool) {
        if !self.shadowed && !undef {
            return;
        }
        self.shadowed = true;
        let at = vreg / self.width * self.words + invocation / 64;
        if let Some(word) = self.shadow.get_mut(at) {
            let bit = 1 << (invocation % 64);
            *word = if undef { *word | bit } else { *word & !bit };
        }
    }

    /// The value of a virtual register for an invocation.
    pub(super) fn get(&self, vreg: usize, invocation: usize) -> u64 {
        self.regs.get(vreg + invocation).copied().unwrap_or(0)
    }

    pub(super) fn set(&mut self, vreg: usize, invocation: usize, value: u64, undef: bool) {
        if let Some(slot) = self.regs.get_mut(vreg + invocation) {
            *slot = value;
        }
        self.set_undef(vreg, invocation, undef);
    }

    /// Copies a virtual register with its shadow for the given invocations.
    pub(super) fn copy_vreg(&mut self, from: usize, to: usize, invocations: &[u32]) {
        if invocations.len() == self.width {
            self.regs.copy_within(from..from + self.width, to);
        } else {
            for &invocation in invocations {
                self.regs[to + invocation as usize] = self.regs[from + invocation as usize];
            }
        }
        if self.shadowed {
            for &invocation in invocations {
                let undef = self.is_undef(from, invocation as usize);
                self.set_undef(to, invocation as usize, undef);
            }
        }
    }

    /// Makes the invocations of the topmost frame the active ones.
    pub(super) fn refresh(&mut self) {
        self.active.clear();
        if let Some(frame) = self.frames.last() {
            self.active.extend(frame.mask.invocations().map(|invocation| invocation as u32));
        }
    }

    /// Starts the entry point for all invocations.
    pub(super) fn enter(&mut self) {
        let base = self.program.consts.len();
        self.top = base;
        let everyone = self.everyone;
        let program = self.program.clone();
        if let Some(code) = program.codes.first() {
            self.open(0, code, everyone, (0, 0));
        }
        self.refresh();
    }

    /// Pushes a frame; returns false if its variables take too much memory.
    fn open(&mut self, number: u32, code: &Code, mask: Mask, result: (usize, u8)) -> bool {
        let base = self.top;
        let top = base + code.vregs as usize;
        if self.regs.len() < top * self.width {
            self.regs.resize(top * self.width, 0);
            self.shadow.resize(top * self.words, 0);
        }
        if self.shadowed {
            self.shadow[base * self.words..top * self.words].fill(0);
        }
        if let Some((from, to)) = code.registers {
            // Registers are undefined at first.
            self.shadowed = true;
            let (from, to) = (base + from as usize, base + to as usize);
            self.shadow[from * self.words..to * self.words].fill(u64::MAX);
        }
        let roots = self.memory.len();
        for local in &code.locals {
            if !self.local(local, &mask) {
                self.memory.truncate(roots);
                return false;
            }
        }
        self.top = top;
        self.frames.push(Frame {
            code: number,
            base,
            pc: 0,
            mask,
            waiting: Vec::new(),
            result,
            roots,
            locals: roots as u32,
            is_shader: false,
        });
        true
    }

    fn local(&mut self, local: &LocalCode, mask: &Mask) -> bool {
        let Some(root) = self.memory.add(RootKind::Local, local.bytes) else { return false };
        for invocation in mask.invocations() {
            self.fill(root, invocation, &local.init);
        }
        true
    }

    /// Writes the pieces of an initializer.
    pub(super) fn fill(&mut self, root: u32, invocation: usize, pieces: &[Piece]) {
        for piece in pieces {
            match *piece {
                Piece::Bits { at, step, bits } => {
                    let bytes = vitrine_ir::layout::scalar_bytes(bits.width()) as u32;
                    for (part, &component_bits) in bits.components().iter().enumerate() {
                        self.put(root, invocation, at + step * part as u64, bytes, component_bits);
                    }
                }
                Piece::Zero { at, bytes } => {
                    for word in 0..bytes.div_ceil(8) {
                        let here = at.saturating_add(word * 8);
                        self.put(root, invocation, here, (bytes - word * 8).min(8) as u32, 0);
                    }
                }
                Piece::Address { at, var } => {
                    let of = self.program.vars.iter().find(|of| of.var == var).map(|of| of.root);
                    let ptr = of.map_or(0, |root| Ptr::new(root, 0).0);
                    self.put(root, invocation, at, 8, ptr);
                }
            }
        }
    }

    fn put(&mut self, root: u32, invocation: usize, at: u64, bytes: u32, value: u64) {
        if let (Some(root), Ok(at)) = (self.memory.root_mut(root), u32::try_from(at)) {
            // A piece that does not fit is outside of the readable bytes.
            let _ = root.put(invocation, at, bytes, value, false);
        }
    }

    /// Calls a function for the active invocations.
    pub(super) fn call(&mut self, code: &Code, micro: &MicroOp, callee: u32) {
        let result = (self.vreg(micro.dst), micro.parts);
        let args: Vec<usize> = code
            .args_of(micro)
            .iter()
            .flat_map(|arg| (0..u32::from(arg.parts)).map(|part| self.vreg(arg.slot + part)))
            .collect();
        let Some(mask) = self.frames.last().map(|frame| frame.mask) else { return };
        let program = self.program.clone();
        let Some(target) = program.codes.get(callee as usize) else { return };
        let lowest = mask.lowest().unwrap_or(0);
        let too_deep = self.frames.len() >= self.inputs.limits.calls as usize;
        if too_deep || !self.open(callee, target, mask, result) {
            self.ub(if too_deep { UbKind::DeepCalls } else { UbKind::OutOfMemory }, lowest);
            return self.end_invocations(InvocationEnd::Stuck);
        }
        let depth = self.frames.len();
        if let Some(caller) = depth.checked_sub(2).and_then(|at| self.frames.get_mut(at)) {
            // The caller continues after the call.
            caller.pc += 1;
        }
        let active = std::mem::take(&mut self.active);
        let vregs = target
            .params
            .iter()
            .flat_map(|&(slot, parts)| (0..u32::from(parts)).map(move |part| slot + part));
        for (from, slot) in args.into_iter().zip(vregs) {
            let to = self.vreg(slot);
            self.copy_vreg(from, to, &active);
        }
        self.active = active;
    }

    /// Invokes a shader for the active invocations in which operand 0 is true.
    pub(super) fn call_where(&mut self, code: &Code, micro: &MicroOp, callee: u32) {
        let Some(runs) = code.args_of(micro).first() else { return };
        let vreg = self.vreg(runs.slot);
        let mut mask = Mask::default();
        for &invocation in self.active.iter().filter(|&&invocation| self.get(vreg, invocation as usize) != 0)
        {
            mask.set(invocation as usize);
        }
        if let Some(frame) = self.frames.last_mut() {
            // The caller continues after the call.
            frame.pc += 1;
        }
        let program = self.program.clone();
        let target = program.codes.get(callee as usize).filter(|_| !mask.is_empty());
        let (Some(target), Some(lowest)) = (target, mask.lowest()) else { return };
        let too_deep = self.frames.len() >= self.inputs.limits.calls as usize;
        if too_deep || !self.open(callee, target, mask, (0, 0)) {
            self.ub(if too_deep { UbKind::DeepCalls } else { UbKind::OutOfMemory }, lowest);
            return self.end_these(&mask, InvocationEnd::Stuck);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.is_shader = true;
        }
        self.refresh();
    }

    /// Returns from a function for the active invocations.
    pub(super) fn leave(&mut self, code: &Code, micro: &MicroOp) {
        let value: Option<Vec<usize>> = code
            .args_of(micro)
            .first()
            .map(|arg| (0..u32::from(arg.parts)).map(|part| self.vreg(arg.slot + part)).collect());
        let result = self.frames.last().map_or((0, 0), |frame| frame.result);
        let active = std::mem::take(&mut self.active);
        for (part, from) in value.into_iter().flatten().take(usize::from(result.1)).enumerate() {
            self.copy_vreg(from, result.0 + part * self.width, &active);
        }
        self.active = active;
        if self.frames.len() == 1 {
            for at in 0..self.active.len() {
                let invocation = self.active[at] as usize;
                if let Some(end) = self.ends.get_mut(invocation).filter(|end| **end == InvocationEnd::Running)
                {
                    *end = InvocationEnd::Returned;
                }
            }
            if let Some(frame) = self.frames.last() {
                self.alive = self.alive.without(&frame.mask);
            }
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.mask = Mask::default();
        }
        self.resume();
    }

    /// Terminates the active invocations.
    pub(super) fn end_invocations(&mut self, end: InvocationEnd) {
        let Some(mask) = self.frames.last().map(|frame| frame.mask) else { return };
        self.end_these(&mask, end);
    }

    /// Terminates some of the active invocations.
    pub(super) fn end_these(&mut self, mask: &Mask, end: InvocationEnd) {
        for invocation in mask.invocations() {
            if let Some(known) =
                self.ends.get_mut(invocation).filter(|known| **known == InvocationEnd::Running)
            {
                *known = end;
            }
        }
        self.alive = self.alive.without(mask);
        if let Some(frame) = self.frames.last_mut() {
            frame.mask = frame.mask.without(mask);
        }
        if self.frames.last().is_some_and(|frame| frame.mask.is_empty()) {
            self.resume();
        } else {
            self.refresh();
        }
    }

    /// Executes a `stop`.
    pub(super) fn stop(&mut self, stop: Stop) {
        let invocations: Vec<usize> = self.active.iter().map(|&invocation| invocation as usize).collect();
        match stop {
            Stop::Discard => self.end_invocations(InvocationEnd::Discarded),
            Stop::Terminate => self.end_invocations(InvocationEnd::Terminated),
            Stop::EmitMeshTasks => self.end_invocations(InvocationEnd::Returned),
            Stop::IgnoreIntersection => self.stop_any_hit(InvocationEnd::Ignored),
            Stop::TerminateRay => self.stop_any_hit(InvocationEnd::Accepted),
            Stop::Unreachable => {
                for invocation in invocations {
                    self.ub(UbKind::Unreachable, invocation);
                }
                self.end_invocations(InvocationEnd::Stuck);
            }
        }
    }

    fn stop_any_hit(&mut self, end: InvocationEnd) {
        if !self.end_any_hit(end) {
            self.end_invocations(end);
        }
    }

    /// No invocation is left at the current position: continues with those at the lowest position, or in the
    /// caller.
    pub(super) fn resume(&mut self) {
        while let Some(frame) = self.frames.last_mut() {
            // Invocations that were terminated in a call are removed.
            frame.mask = frame.mask.and(&self.alive);
            if !frame.mask.is_empty() && frame.waiting.is_empty() {
                break;
            }
            let alive = self.alive;
            frame.waiting.retain_mut(|(_, mask)| {
                *mask = mask.and(&alive);
                !mask.is_empty()
            });
            if !frame.mask.is_empty() {
                break;
            }
            let least = frame.waiting.iter().enumerate().min_by_key(|(_, (pc, _))| *pc).map(|(at, _)| at);
            if let Some(at) = least {
                (frame.pc, frame.mask) = frame.waiting.swap_remove(at);
                break;
            }
            let (roots, base) = (frame.roots, frame.base);
            self.frames.pop();
            self.memory.truncate(roots);
            self.top = base;
            // The caller is already after its call.
        }
        self.refresh();
    }

    /// Invocations arrive at a position; the current ones have left theirs.
    fn arrive(&mut self, pc: u32, mask: &Mask) {
        let Some(frame) = self.frames.last_mut() else { return };
        match frame.waiting.iter_mut().find(|(place, _)| *place == pc) {
            Some((_, waiting)) => *waiting = waiting.or(mask),
            None => frame.waiting.push((pc, *mask)),
        }
    }

    /// Executes the moves of an edge for these invocations; returns the first position after it.
    fn travel(&mut self, code: &Code, edge: &EdgeCode, invocations: &[u32]) -> u32 {
        let from = edge.moves as usize;
        let moves = code.moves.get(from..from + edge.count as usize).unwrap_or(&[]);
        if edge.overlap {
            // All sources are read before any destination is written.
            let read: Vec<Vec<(u64, bool)>> = moves
                .iter()
                .map(|&(slot, _)| {
                    let vreg = self.vreg(slot);
                    invocations
                        .iter()
                        .map(|&invocation| {
                            (self.get(vreg, invocation as usize), self.is_undef(vreg, invocation as usize))
                        })
                        .collect()
                })
                .collect();
            for (&(_, slot), values) in moves.iter().zip(read) {
                let vreg = self.vreg(slot);
                for (&invocation, (value, undef)) in invocations.iter().zip(values) {
                    self.set(vreg, invocation as usize, value, undef);
                }
            }
        } else {
            for &(from, to) in moves {
                let (from, to) = (self.vreg(from), self.vreg(to));
                self.copy_vreg(from, to, invocations);
            }
        }
        if edge.latch == NONE {
            return edge.to;
        }
        let hidden = self.vreg(edge.hidden);
        for &invocation in invocations {
            self.set(hidden, invocation as usize, u64::from(edge.to), false);
        }
        edge.latch
    }

    /// All active invocations take an edge.
    pub(super) fn take_all(&mut self, code: &Code, edge: u32) {
        let Some(edge) = code.edges.get(edge as usize) else {
            return self.end_invocations(InvocationEnd::Stuck);
        };
        let invocations = std::mem::take(&mut self.active);
        let pc = self.travel(code, edge, &invocations);
        self.active = invocations;
        let Some(frame) = self.frames.last_mut() else { return };
        if frame.waiting.iter().all(|(place, _)| *place > pc) {
            frame.pc = pc;
            return;
        }
        let mask = std::mem::take(&mut frame.mask);
        self.arrive(pc, &mask);
        self.resume();
    }

    /// The invocations diverge: each set takes its edge.
    pub(super) fn diverge(&mut self, code: &Code, edges: &[(u32, Mask)]) {
        if let [(edge, _)] = *edges {
            return self.take_all(code, edge);
        }
        for (edge, mask) in edges {
            let Some(edge) = code.edges.get(*edge as usize) else { continue };
            let invocations: Vec<u32> = mask.invocations().map(|invocation| invocation as u32).collect();
            let pc = self.travel(code, edge, &invocations);
            self.arrive(pc, mask);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.mask = Mask::default();
        }
        self.resume();
    }

    /// The end of an iteration: invocations continue at their targets.
    pub(super) fn latch(&mut self, hidden: Slot) {
        let vreg = self.vreg(hidden);
        let mut edges: Vec<(u32, Mask)> = Vec::new();
        for &invocation in &self.active {
            let to = self.get(vreg, invocation as usize) as u32;
            match edges.iter_mut().find(|(place, _)| *place == to) {
                Some((_, mask)) => mask.set(invocation as usize),
                None => {
                    let mut mask = Mask::default();
                    mask.set(invocation as usize);
                    edges.push((to, mask));
                }
            }
        }
        if let (&[(pc, _)], Some(frame)) = (&edges[..], self.frames.last_mut()) {
            // The target is before the positions at which others wait, unless they wait inside the loop.
            if frame.waiting.iter().all(|(place, _)| *place > pc) {
                frame.pc = pc;
                return;
            }
        }
        for (pc, mask) in &edges {
            self.arrive(*pc, mask);
        }
        if let Some(frame) = self.frames.last_mut() {
            frame.mask = Mask::default();
        }
        self.resume();
    }
}
