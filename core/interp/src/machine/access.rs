//! Addresses, memory and registers, for each active invocation.

use super::super::memory::{Miss, Ptr, RootKind};
use super::super::micro_op::{Code, MicroOp, NONE, Slot};
use super::super::report::UbKind;
use super::Machine;
use rustc_hash::FxHashMap;
use vitrine_ir::ops::{AtomicOp, Scalar, Width};

/// Accesses to bytes since the last barrier, for race detection.
#[derive(Debug, Default)]
pub(super) struct Races {
    /// By root and byte: the first invocation that wrote, the first that read, and a flag for further
    /// readers.
    touched: FxHashMap<(u32, u32), Touch>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Touch {
    writer: Option<u32>,
    reader: Option<u32>,
    many_readers: bool,
}

impl Races {
    /// Records an access; returns true if it races with a previous one.
    fn touch(&mut self, root: u32, from: u32, bytes: u32, invocation: u32, writes: bool) -> bool {
        let mut race = false;
        for byte in from..from.saturating_add(bytes) {
            let touch = self.touched.entry((root, byte)).or_default();
            race |= touch.writer.is_some_and(|writer| writer != invocation);
            if writes {
                race |= touch.many_readers || touch.reader.is_some_and(|reader| reader != invocation);
                touch.writer = touch.writer.or(Some(invocation));
            } else {
                touch.many_readers |= touch.reader.is_some_and(|reader| reader != invocation);
                touch.reader = touch.reader.or(Some(invocation));
            }
        }
        race
    }

    /// A barrier: previous accesses are synchronized.
    pub(super) fn forget(&mut self) {
        self.touched.clear();
    }
}

impl Machine {
    /// First virtual registers of the operands.
    pub(super) fn arg_vregs<const N: usize>(&self, code: &Code, micro: &MicroOp) -> [usize; N] {
        let args = code.args_of(micro);
        std::array::from_fn(|at| args.get(at).map_or(0, |arg| self.vreg(arg.slot)))
    }

    /// The active invocation at this index.
    pub(super) fn active_invocation(&self, at: usize) -> usize {
        self.active[at] as usize
    }

    pub(super) fn missed(&mut self, miss: Miss, invocation: usize) {
        let ub = match miss {
            Miss::Null => UbKind::NullPointer,
            Miss::Outside => UbKind::OutOfBounds,
            Miss::ReadOnly => UbKind::ReadOnly,
        };
        self.ub(ub, invocation);
    }

    /// A pointer in a virtual register; reports an undefined one.
    pub(super) fn pointer(&mut self, vreg: usize, invocation: usize) -> Ptr {
        if self.shadowed && self.is_undef(vreg, invocation) {
            self.ub(UbKind::UndefAddress, invocation);
        }
        Ptr(self.get(vreg, invocation))
    }

    /// Returns true if the pointer refers to an unbound resource, which is reported differently from a failed
    /// access.
    fn is_unbound(&self, ptr: Ptr) -> bool {
        let root = ptr.root();
        let inside = |of: &super::super::decode::VarCode| {
            root.is_some_and(|root| root >= of.root && root - of.root < of.count)
        };
        let bound = matches!(root.and_then(|root| self.memory.root(root)), Some(root) if root.size > 0);
        !bound
            && self.program.vars.iter().any(|of| inside(of) && super::setup::is_bound_from_outside(of.mode))
    }

    fn miss(&mut self, miss: Miss, ptr: Ptr, invocation: usize) {
        if miss == Miss::Outside && self.is_unbound(ptr) {
            return self.ub(UbKind::Unbound, invocation);
        }
        self.missed(miss, invocation);
    }

    fn race(&mut self, ptr: Ptr, extra: u32, bytes: u32, invocation: usize, writes: bool) {
        let Some(root) = ptr.root() else { return };
        let kind = self.memory.root(root).map(|root| root.kind);
        if !matches!(kind, Some(RootKind::Shared | RootKind::Buffer)) {
            return;
        }
        let from = ptr.offset().saturating_add(extra);
        if self.races.as_mut().is_some_and(|races| races.touch(root, from, bytes, invocation as u32, writes))
        {
            self.ub(UbKind::Race, invocation);
        }
    }

    pub(super) fn local_address(&mut self, micro: &MicroOp, number: u32) {
        let to = self.vreg(micro.dst);
        let root = self.frames.last().map_or(0, |frame| frame.locals) + number;
        let ptr = Ptr::new(root, 0).0;
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            self.set(to, invocation, ptr, false);
        }
    }

    pub(super) fn offset(&mut self, code: &Code, micro: &MicroOp, bytes: i64) {
        let [from] = self.arg_vregs(code, micro);
        let to = self.vreg(micro.dst);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let ptr = Ptr(self.get(from, invocation)).plus(bytes);
            let undef = self.is_undef(from, invocation);
            self.set(to, invocation, ptr.0, undef);
        }
    }

    pub(super) fn element(&mut self, code: &Code, micro: &MicroOp, stride: u32, count: u32) {
        let [base, index] = self.arg_vregs(code, micro);
        let width = code.args_of(micro).get(1).map_or(Width::W32, |arg| arg.width);
        let to = self.vreg(micro.dst);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let number = Scalar::new(width, self.get(index, invocation)).as_i64();
            let ptr = Ptr(self.get(base, invocation));
            // An element out of range has no address: an access to it is reported.
            let inside = count == NONE || u32::try_from(number).is_ok_and(|number| number < count);
            let distance = if inside { number.saturating_mul(i64::from(stride)) } else { i64::MAX };
            let undef = self.is_undef(base, invocation) || self.is_undef(index, invocation);
            self.set(to, invocation, ptr.plus(distance).0, undef);
        }
    }

    pub(super) fn buffer(&mut self, code: &Code, micro: &MicroOp, stride: u32, count: u32) {
        let [base, index] = self.arg_vregs(code, micro);
        let to = self.vreg(micro.dst);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let number = self.get(index, invocation);
            let ptr = Ptr(self.get(base, invocation));
            let root = ptr.root().filter(|_| count == NONE || number < u64::from(count));
            let root = root.and_then(|root| {
                let roots = number.checked_mul(u64::from(stride))?;
                let to = u32::try_from(u64::from(root).checked_add(roots)?).ok()?;
                // The buffers after an array without a length belong to another variable.
                (to < if count == NONE { self.end_of_buffers(root) } else { u32::MAX }).then_some(to)
            });
            if root.is_none() {
                self.ub(UbKind::OutOfBounds, invocation);
            }
            let undef = self.is_undef(base, invocation) || self.is_undef(index, invocation);
            let ptr = root.map_or(0, |root| Ptr::new(root, ptr.offset()).0);
            self.set(to, invocation, ptr, undef);
        }
    }

    /// The end of the roots of the variable that contains this one.
    fn end_of_buffers(&self, root: u32) -> u32 {
        let around = |of: &&super::super::decode::VarCode| root >= of.root && root - of.root < of.count;
        self.program.vars.iter().find(around).map_or(root.saturating_add(1), |of| of.root + of.count)
    }

    pub(super) fn load(&mut self, code: &Code, micro: &MicroOp, bytes: u8, step: u32) {
        let [from] = self.arg_vregs(code, micro);
        let to = self.vreg(micro.dst);
        let is_bool = micro.to == Width::W1;
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let ptr = self.pointer(from, invocation);
            for part in 0..u32::from(micro.parts) {
                let extra = part.saturating_mul(step);
                let (value, undef) = match self.memory.read(ptr, invocation, extra, u32::from(bytes)) {
                    Ok(read) => read,
                    Err(miss) => {
                        self.miss(miss, ptr, invocation);
                        (0, false)
                    }
                };
                if self.races.is_some() {
                    self.race(ptr, extra, u32::from(bytes), invocation, false);
                }
                let value = if is_bool { u64::from(value != 0) } else { value };
                self.set(to + part as usize * self.width, invocation, value, undef);
            }
        }
    }

    /// An undefined value is written: visible at once in a buffer, and at the end in an output, unless it is
    /// overwritten before. Compilers write outputs component by component, and read back components that are
    /// not written yet.
    fn expose(&mut self, ptr: Ptr, extra: u32, invocation: usize) {
        let Some(root) = ptr.root() else { return };
        match self.memory.root(root).map(|root| root.kind) {
            Some(RootKind::Buffer) => self.ub(UbKind::UndefOutput, invocation),
            Some(RootKind::Output | RootKind::GroupOutput) => {
                if let Some(here) = self.here() {
                    self.late.insert((root, ptr.offset().saturating_add(extra), invocation as u32), here);
                }
            }
            Some(RootKind::Shared | RootKind::Invocation | RootKind::Local | RootKind::Constant) | None => {}
        }
    }

    /// Returns true if a write of this invocation has no effect: helper invocations change only their own
    /// memory.
    pub(super) fn is_muted(&self, ptr: Ptr, invocation: usize) -> bool {
        if !self.helpers.has(invocation) {
            return false;
        }
        let kind = ptr.root().and_then(|root| self.memory.root(root)).map(|root| root.kind);
        matches!(kind, Some(RootKind::Buffer | RootKind::Shared))
    }

    pub(super) fn store(&mut self, code: &Code, micro: &MicroOp, bytes: u8, step: u32, mask: u16) {
        let [to, from] = self.arg_vregs(code, micro);
        let parts = code.args_of(micro).get(1).map_or(0, |arg| arg.parts);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let ptr = self.pointer(to, invocation);
            if self.is_muted(ptr, invocation) {
                continue;
            }
            for part in (0..u32::from(parts)).filter(|part| mask >> part & 1 == 1) {
                let vreg = from + part as usize * self.width;
                let (value, undef) = (self.get(vreg, invocation), self.is_undef(vreg, invocation));
                let extra = part.saturating_mul(step);
                if undef {
                    self.expose(ptr, extra, invocation);
                }
                if self.races.is_some() {
                    self.race(ptr, extra, u32::from(bytes), invocation, true);
                }
                if let Err(miss) = self.write_memory(ptr, invocation, extra, u32::from(bytes), value, undef) {
                    self.miss(miss, ptr, invocation);
                }
            }
        }
    }

    pub(super) fn copy(&mut self, code: &Code, micro: &MicroOp, plan: u32) {
        let Some(plan) = code.copies.get(plan as usize) else { return };
        let [to, from] = self.arg_vregs(code, micro);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let (to, from) = (self.pointer(to, invocation), self.pointer(from, invocation));
            for &(to_offset, from_offset, bytes) in plan {
                let (to, from) = (to.plus(i64::from(to_offset)), from.plus(i64::from(from_offset)));
                // What a load out of bounds reads.
                self.copy_run(to, from, [bytes, bytes], invocation);
            }
        }
    }

    pub(super) fn copy_bytes(&mut self, code: &Code, micro: &MicroOp) {
        let [to, from, size] = self.arg_vregs(code, micro);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let bytes = u32::try_from(self.get(size, invocation)).unwrap_or(u32::MAX);
            let (to, from) = (self.pointer(to, invocation), self.pointer(from, invocation));
            self.copy_run(to, from, [bytes, 0], invocation);
        }
    }

    /// Copies bytes; writes zeros for those out of bounds, up to the second number.
    fn copy_run(&mut self, to: Ptr, from: Ptr, [bytes, zeros]: [u32; 2], invocation: usize) {
        if self.is_muted(to, invocation) {
            return;
        }
        // All bytes are read before any is written, because the two may overlap. An access out of bounds is
        // reported once.
        let room = from.root().and_then(|root| self.memory.root(root)).map_or(0, |root| root.size);
        let inside = bytes.min(room.saturating_sub(from.offset()));
        if inside < bytes {
            let miss = if from.root().is_none() { Miss::Null } else { Miss::Outside };
            self.miss(miss, from, invocation);
        }
        let read: Vec<(u64, bool)> = (0..inside.max(zeros))
            .map(|byte| self.memory.read(from, invocation, byte, 1).unwrap_or((0, false)))
            .collect();
        if self.races.is_some() {
            self.race(from, 0, inside, invocation, false);
            self.race(to, 0, inside, invocation, true);
        }
        for (byte, (value, undef)) in read.into_iter().enumerate() {
            if let Err(miss) = self.write_memory(to, invocation, byte as u32, 1, value, undef) {
                self.miss(miss, to, invocation);
                break;
            }
        }
    }

    pub(super) fn count(&mut self, code: &Code, micro: &MicroOp, stride: u32, offset: u32) {
        let [from] = self.arg_vregs(code, micro);
        let to = self.vreg(micro.dst);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let ptr = self.pointer(from, invocation);
            let size = ptr.root().and_then(|root| self.memory.root(root)).map(|root| root.size);
            if size.is_none() {
                self.ub(UbKind::NullPointer, invocation);
            }
            let start = ptr.offset().saturating_add(offset);
            let count = size.unwrap_or(0).saturating_sub(start).checked_div(stride).unwrap_or(0);
            self.set(to, invocation, u64::from(count), false);
        }
    }

    pub(super) fn atomic(&mut self, code: &Code, micro: &MicroOp, bytes: u8, op: AtomicOp) {
        let [address, value] = self.arg_vregs(code, micro);
        let to = self.vreg(micro.dst);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let (given, undef) = (self.get(value, invocation), self.is_undef(value, invocation));
            let width = micro.to;
            let update = |old: u64, is_undef: bool| {
                (combine(op, width, old, given), undef || is_undef && op != AtomicOp::Exchange)
            };
            let old = self.update(address, invocation, u32::from(bytes), undef, update);
            self.set(to, invocation, old.0, old.1);
        }
    }

    pub(super) fn compare_and_swap(&mut self, code: &Code, micro: &MicroOp, bytes: u8) {
        let [address, expected, new] = self.arg_vregs(code, micro);
        let to = self.vreg(micro.dst);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let (wanted, given) = (self.get(expected, invocation), self.get(new, invocation));
            let undef = self.is_undef(expected, invocation) || self.is_undef(new, invocation);
            let swap = |old, is_undef| (if old == wanted { given } else { old }, undef || is_undef);
            let old = self.update(address, invocation, u32::from(bytes), undef, swap);
            self.set(to, invocation, old.0, old.1);
        }
    }

    /// Reads and writes atomically; invocations take turns by number.
    fn update(
        &mut self,
        address: usize,
        invocation: usize,
        bytes: u32,
        undef: bool,
        f: impl Fn(u64, bool) -> (u64, bool),
    ) -> (u64, bool) {
        let ptr = self.pointer(address, invocation);
        if self.is_muted(ptr, invocation) {
            return (0, true);
        }
        let old = match self.memory.read(ptr, invocation, 0, bytes) {
            Ok(old) => old,
            Err(miss) => {
                self.miss(miss, ptr, invocation);
                return (0, false);
            }
        };
        if undef {
            self.expose(ptr, 0, invocation);
        }
        let (new, is_undef) = f(old.0, old.1);
        if let Err(miss) = self.write_memory(ptr, invocation, 0, bytes, new, is_undef) {
            self.miss(miss, ptr, invocation);
        }
        old
    }

    pub(super) fn same(&mut self, code: &Code, micro: &MicroOp, equal: bool) {
        let [a, b] = self.arg_vregs(code, micro);
        let to = self.vreg(micro.dst);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let same = self.get(a, invocation) == self.get(b, invocation);
            let undef = self.is_undef(a, invocation) || self.is_undef(b, invocation);
            self.set(to, invocation, u64::from(same == equal), undef);
        }
    }

    pub(super) fn distance(&mut self, code: &Code, micro: &MicroOp, stride: u32) {
        let [a, b] = self.arg_vregs(code, micro);
        let to = self.vreg(micro.dst);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let (a, b) = (self.pointer(a, invocation), self.pointer(b, invocation));
            if a.root() != b.root() {
                self.ub(UbKind::OutOfBounds, invocation);
            }
            let bytes = i64::from(a.offset()) - i64::from(b.offset());
            let elements = Scalar::i(micro.to, bytes / i64::from(stride.max(1)));
            self.set(to, invocation, elements.bits(), false);
        }
    }

    /// An address as bits. 32 bits hold 8 for the root and 24 for the offset; an address that does not fit
    /// becomes 0.
    pub(super) fn address_to_bits(&mut self, code: &Code, micro: &MicroOp) {
        let [from] = self.arg_vregs(code, micro);
        let to = self.vreg(micro.dst);
        let all = u32::from(micro.parts) * micro.to.bits();
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let (wide, undef) = (self.get(from, invocation), self.is_undef(from, invocation));
            let bits = if all >= 64 { wide } else { narrow(Ptr(wide)) };
            for part in 0..u32::from(micro.parts) {
                let piece = bits.checked_shr(part * micro.to.bits()).unwrap_or(0) & micro.to.mask();
                self.set(to + part as usize * self.width, invocation, piece, undef);
            }
        }
    }

    pub(super) fn address_from_bits(&mut self, code: &Code, micro: &MicroOp) {
        let [from] = self.arg_vregs(code, micro);
        let Some(arg) = code.args_of(micro).first() else { return };
        let to = self.vreg(micro.dst);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let (mut bits, mut undef) = (0u64, false);
            for part in 0..u32::from(arg.parts) {
                let vreg = from + part as usize * self.width;
                let piece = self.get(vreg, invocation).checked_shl(part * arg.width.bits()).unwrap_or(0);
                bits |= piece;
                undef |= self.is_undef(vreg, invocation);
            }
            let wide = u32::from(arg.parts) * arg.width.bits() >= 64;
            self.set(to, invocation, if wide { bits } else { widen(bits) }, undef);
        }
    }

    /// Writes a register.
    pub(super) fn keep(&mut self, code: &Code, micro: &MicroOp, mask: u16) {
        let Some(arg) = code.args_of(micro).first() else { return };
        let active = std::mem::take(&mut self.active);
        for part in (0..u32::from(micro.parts)).filter(|part| mask >> part & 1 == 1) {
            let (from, to) = (self.vreg(arg.slot + part), self.vreg(micro.dst + part));
            self.copy_vreg(from, to, &active);
        }
        self.active = active;
    }

    pub(super) fn pick(&mut self, code: &Code, micro: &MicroOp, from: Slot, len: u32) {
        let [index] = self.arg_vregs(code, micro);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let element = u32::try_from(self.get(index, invocation)).ok().filter(|&element| element < len);
            if element.is_none() {
                self.ub(UbKind::OutOfBounds, invocation);
            }
            let unknown = self.is_undef(index, invocation);
            for part in 0..u32::from(micro.parts) {
                let vreg = element.map(|element| self.vreg(from + element * u32::from(micro.parts) + part));
                let (value, undef) = vreg
                    .map_or((0, false), |vreg| (self.get(vreg, invocation), self.is_undef(vreg, invocation)));
                let to = self.vreg(micro.dst + part);
                self.set(to, invocation, value, undef || unknown);
            }
        }
    }

    pub(super) fn put_at(&mut self, code: &Code, micro: &MicroOp, len: u32, mask: u16) {
        let [index, value] = self.arg_vregs(code, micro);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            if self.is_undef(index, invocation) {
                self.ub(UbKind::UndefAddress, invocation);
            }
            let Some(element) =
                u32::try_from(self.get(index, invocation)).ok().filter(|&element| element < len)
            else {
                self.ub(UbKind::OutOfBounds, invocation);
                continue;
            };
            for part in (0..u32::from(micro.parts)).filter(|part| mask >> part & 1 == 1) {
                let from = value + part as usize * self.width;
                let to = self.vreg(micro.dst + element * u32::from(micro.parts) + part);
                let (bits, undef) = (self.get(from, invocation), self.is_undef(from, invocation));
                self.set(to, invocation, bits, undef);
            }
        }
    }
}

fn narrow(ptr: Ptr) -> u64 {
    let Some(root) = ptr.root() else { return 0 };
    if root < 255 && ptr.offset() < 1 << 24 { u64::from(root + 1) << 24 | u64::from(ptr.offset()) } else { 0 }
}

fn widen(bits: u64) -> u64 {
    match (bits >> 24 & 0xff).checked_sub(1) {
        Some(root) => Ptr::new(root as u32, bits as u32 & 0x00ff_ffff).0,
        None => 0,
    }
}

/// The new value of an atomic.
fn combine(op: AtomicOp, width: Width, old: u64, given: u64) -> u64 {
    let (a, b) = (Scalar::new(width, old), Scalar::new(width, given));
    let one = Scalar::u(width, 1);
    let result = match op {
        AtomicOp::IAdd => a.iadd(b),
        AtomicOp::ISub => a.isub(b),
        AtomicOp::IMin => a.imin(b),
        AtomicOp::UMin => a.umin(b),
        AtomicOp::IMax => a.imax(b),
        AtomicOp::UMax => a.umax(b),
        AtomicOp::IAnd => a.iand(b),
        AtomicOp::IOr => a.ior(b),
        AtomicOp::IXor => a.ixor(b),
        AtomicOp::Exchange => b,
        AtomicOp::FAdd => a.fadd(b),
        AtomicOp::FMin => a.fmin(b),
        AtomicOp::FMax => a.fmax(b),
        // Wraps at the limit, as in OpenCL 1.x and D3D.
        AtomicOp::Inc if a.as_u64() >= b.as_u64() => Scalar::zero(width),
        AtomicOp::Inc => a.iadd(one),
        AtomicOp::Dec if a.as_u64() == 0 || a.as_u64() > b.as_u64() => b,
        AtomicOp::Dec => a.isub(one),
    };
    result.bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_survive_32_bits() {
        for ptr in [Ptr::default(), Ptr::new(0, 0), Ptr::new(7, 12345), Ptr::new(254, (1 << 24) - 1)] {
            assert_eq!(widen(narrow(ptr)), ptr.0);
        }
        assert_eq!(narrow(Ptr::new(255, 0)), 0);
    }

    #[test]
    fn every_atomic_has_its_own_meaning() {
        let of = |op| combine(op, Width::W32, 0xffff_fffe, 5);
        let wanted = [3, 0xffff_fff9, 0xffff_fffe, 5, 5, 0xffff_fffe, 4, 0xffff_ffff, 0xffff_fffb, 5];
        for (&op, wanted) in AtomicOp::ALL.iter().zip(wanted) {
            assert_eq!(of(op), wanted, "{op:?}");
        }
        assert_eq!(combine(AtomicOp::Inc, Width::W32, 4, 5), 5);
        assert_eq!(combine(AtomicOp::Inc, Width::W32, 5, 5), 0);
        assert_eq!(combine(AtomicOp::Dec, Width::W32, 0, 5), 5);
        assert_eq!(combine(AtomicOp::Dec, Width::W32, 3, 5), 2);
    }
}
