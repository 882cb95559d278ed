//! Interface access without variables, and termination of invocations within a block.

use super::super::io::{IoCode, Where};
use super::super::mask::Mask;
use super::super::memory::{Miss, Ptr};
use super::super::micro_op::{Code, MicroOp};
use super::super::outcome::{InvocationEnd, OutKey};
use super::super::report::UbKind;
use super::Machine;

impl Machine {
    pub(super) fn io(&mut self, code: &Code, micro: &MicroOp, number: u32) {
        let Some(&io) = code.ios.get(number as usize) else { return };
        match io {
            IoCode::Input { .. } | IoCode::BuiltIn { .. } | IoCode::OutputRead { .. } => {
                self.interface_read(code, micro, io);
            }
            IoCode::Output { .. } | IoCode::SetBuiltIn { .. } => self.interface_write(code, micro, io),
            IoCode::Push { .. } | IoCode::Buffer { .. } => self.bytes_read(code, micro, io),
            IoCode::SetBuffer { var, offset, bytes, mask } => {
                self.bytes_write(code, micro, var, offset, bytes, mask);
            }
            IoCode::Interpolate { at, step } => self.interpolate(code, micro, at, step),
            IoCode::Discard => self.end_where(code, micro, InvocationEnd::Discarded),
            IoCode::Terminate => self.end_where(code, micro, InvocationEnd::Terminated),
            IoCode::Demote => {
                let mask = self.chosen(code, micro);
                self.helpers = self.helpers.or(&mask);
            }
            IoCode::IsHelper => {
                let to = self.row(micro.dst);
                for at in 0..self.active.len() {
                    let lane = self.active_lane(at);
                    self.set(to, lane, u64::from(self.helpers.has(lane)), false);
                }
            }
            IoCode::Clock => {
                let now = self.steps;
                for at in 0..self.active.len() {
                    let lane = self.active_lane(at);
                    for part in 0..u32::from(micro.parts) {
                        let word = now.checked_shr(part * micro.to.bits()).unwrap_or(0) & micro.to.mask();
                        let to = self.row(micro.dst + part);
                        self.set(to, lane, word, false);
                    }
                }
            }
            IoCode::Nothing => {}
        }
    }

    /// The active invocations for which operand 0 holds; all if there is no operand.
    fn chosen(&mut self, code: &Code, micro: &MicroOp) -> Mask {
        let Some(cond) = code.args_of(micro).first() else {
            return self.frames.last().map_or(Mask::default(), |frame| frame.mask);
        };
        let row = self.row(cond.slot);
        let mut mask = Mask::default();
        for at in 0..self.active.len() {
            let lane = self.active_lane(at);
            if self.is_undef(row, lane) {
                self.flaw(UbKind::UndefControl, lane);
            }
            if self.get(row, lane) != 0 {
                mask.set(lane);
            }
        }
        mask
    }

    fn end_where(&mut self, code: &Code, micro: &MicroOp, end: InvocationEnd) {
        let mask = self.chosen(code, micro);
        if !mask.is_empty() {
            self.end_these(&mask, end);
        }
    }

    /// A distance in locations or elements given by an operand.
    fn further(&self, code: &Code, micro: &MicroOp, operand: usize, lane: usize) -> u32 {
        let row = code.args_of(micro).get(operand).map(|arg| self.row(arg.slot));
        row.map_or(0, |row| u32::try_from(self.get(row, lane)).unwrap_or(u32::MAX))
    }

    fn interface_read(&mut self, code: &Code, micro: &MicroOp, io: IoCode) {
        for at in 0..self.active.len() {
            let lane = self.active_lane(at);
            let further = self.further(code, micro, 0, lane);
            for part in 0..u32::from(micro.parts) {
                let (value, undef) = match io {
                    IoCode::Input { location, component } => {
                        let location = location.saturating_add(further);
                        let value = self.varying(location, component + part, micro.to, false, lane, [0.0; 2]);
                        (value.unwrap_or(0), value.is_none())
                    }
                    IoCode::BuiltIn { number } => {
                        let value = self.builtin(number, further.saturating_add(part), lane);
                        (value.unwrap_or(0) & micro.to.mask(), value.is_none())
                    }
                    IoCode::OutputRead { location, component, index } => {
                        let key = OutKey::Location(location.saturating_add(further), component + part, index);
                        let held = self.outputs.get(&key).and_then(|held| held.get(lane).copied().flatten());
                        held.unwrap_or((0, true))
                    }
                    _ => (0, true),
                };
                let to = self.row(micro.dst + part);
                self.set(to, lane, value, undef);
            }
        }
    }

    fn interface_write(&mut self, code: &Code, micro: &MicroOp, io: IoCode) {
        let Some(value) = code.args_of(micro).first() else { return };
        let count = self.info.len();
        for at in 0..self.active.len() {
            let lane = self.active_lane(at);
            let further = self.further(code, micro, 1, lane);
            for part in 0..u32::from(value.parts) {
                let (key, mask) = match io {
                    IoCode::Output { location, component, index, mask } => {
                        (OutKey::Location(location.saturating_add(further), component + part, index), mask)
                    }
                    IoCode::SetBuiltIn { number, mask } => {
                        (OutKey::BuiltIn(number, further.saturating_add(part)), mask)
                    }
                    _ => continue,
                };
                if mask >> part & 1 == 0 {
                    continue;
                }
                let row = self.row(value.slot + part);
                let (bits, undef) = (self.get(row, lane), self.is_undef(row, lane));
                if undef {
                    self.flaw(UbKind::UndefOutput, lane);
                }
                let held = self.outputs.entry(key).or_insert_with(|| vec![None; count]);
                if let Some(slot) = held.get_mut(lane) {
                    *slot = Some((bits, undef));
                }
            }
        }
    }

    /// The root of an element of a buffer variable.
    fn io_root(&self, var: u32, element: u32) -> Option<u32> {
        let of = self.program.vars.get(var as usize)?;
        (element < of.count).then(|| of.root + element)
    }

    fn bytes_read(&mut self, code: &Code, micro: &MicroOp, io: IoCode) {
        let (var, offset, bytes, index) = match io {
            IoCode::Push { var, offset, bytes } => (var, offset, bytes, 0),
            IoCode::Buffer { var, offset, bytes } => (var, offset, bytes, 1),
            _ => return,
        };
        for at in 0..self.active.len() {
            let lane = self.active_lane(at);
            let byte = i64::from(self.further(code, micro, index, lane));
            let element = if index == 0 { 0 } else { self.further(code, micro, 0, lane) };
            let root = self.io_root(var, element);
            for part in 0..u32::from(micro.parts) {
                let ptr = root.map_or(Ptr::default(), |root| Ptr::new(root, 0).plus(byte + offset));
                let read = self.memory.read(ptr, lane, part * u32::from(bytes), u32::from(bytes));
                let (value, undef) = read.unwrap_or_else(|miss| {
                    self.missed(if root.is_none() { Miss::Outside } else { miss }, lane);
                    (0, false)
                });
                let to = self.row(micro.dst + part);
                self.set(to, lane, value & micro.to.mask(), undef);
            }
        }
    }

    fn bytes_write(&mut self, code: &Code, micro: &MicroOp, var: u32, offset: i64, bytes: u8, mask: u16) {
        let Some(value) = code.args_of(micro).first() else { return };
        for at in 0..self.active.len() {
            let lane = self.active_lane(at);
            if self.helpers.has(lane) {
                continue;
            }
            let byte = i64::from(self.further(code, micro, 2, lane));
            let root = self.io_root(var, self.further(code, micro, 1, lane));
            let ptr = root.map_or(Ptr::default(), |root| Ptr::new(root, 0).plus(byte + offset));
            for part in (0..u32::from(value.parts)).filter(|part| mask >> part & 1 == 1) {
                let row = self.row(value.slot + part);
                let (bits, undef) = (self.get(row, lane), self.is_undef(row, lane));
                if undef {
                    self.flaw(UbKind::UndefOutput, lane);
                }
                let extra = part * u32::from(bytes);
                if let Err(miss) = self.memory.write(ptr, lane, extra, u32::from(bytes), bits, undef) {
                    self.missed(miss, lane);
                }
            }
        }
    }

    /// An input at another position in its pixel: inputs are linear functions, so this is exact. There is one
    /// sample, at the center.
    fn interpolate(&mut self, code: &Code, micro: &MicroOp, place: Where, step: u32) {
        let args = code.args_of(micro);
        let (Some(path), offset) = (args.first(), args.get(1)) else { return };
        let from = self.row(path.slot);
        for at in 0..self.active.len() {
            let lane = self.active_lane(at);
            let ptr = self.pointer(from, lane);
            let shift = match (place, offset) {
                (Where::Offset, Some(arg)) => {
                    let part = |part: u32| {
                        let row = self.row(arg.slot + part);
                        crate::ops::Scalar::new(arg.width, self.get(row, lane)).to_f64()
                    };
                    [part(0), part(1)]
                }
                _ => [0.0; 2],
            };
            for part in 0..u32::from(micro.parts) {
                let here = ptr.plus(i64::from(part) * i64::from(step));
                let value = self.input_at(here, lane, shift).or_else(|| {
                    // If no linear function is given, the value of the input is used.
                    self.memory
                        .read(here, lane, 0, micro.to.bits() / 8)
                        .ok()
                        .filter(|read| !read.1)
                        .map(|read| read.0)
                });
                let to = self.row(micro.dst + part);
                self.set(to, lane, value.unwrap_or(0), value.is_none());
            }
        }
    }

    /// The input that a pointer refers to, moved by a part of a pixel.
    fn input_at(&mut self, ptr: Ptr, lane: usize, shift: [f64; 2]) -> Option<u64> {
        let root = ptr.root()?;
        let var = self.program.vars.iter().find(|of| of.root == root)?.var;
        for leaf in self.leaves(var) {
            for part in 0..u32::from(leaf.lanes) {
                if leaf.offset + part * leaf.step == ptr.offset()
                    && let OutKey::Location(location, component, _) = leaf.key(part)
                {
                    return self.varying(location, component, leaf.width, leaf.float, lane, shift);
                }
            }
        }
        None
    }
}
