//! Interface access without variables, and termination of invocations within a block.

use super::super::io::{InterpolateAt, IoCode};
use super::super::mask::Mask;
use super::super::memory::{Miss, Ptr};
use super::super::micro_op::{Code, MicroOp};
use super::super::out_key::{Element, OutKey};
use super::super::outcome::InvocationEnd;
use super::super::report::UbKind;
use super::Machine;

impl Machine {
    pub(super) fn io(&mut self, code: &Code, micro: &MicroOp, number: u32) {
        let Some(&io) = code.ios.get(number as usize) else { return };
        match io {
            IoCode::Input { .. }
            | IoCode::InputVertex { .. }
            | IoCode::BuiltIn { .. }
            | IoCode::OutputRead { .. } => {
                self.interface_read(code, micro, io);
            }
            IoCode::Output { .. } | IoCode::SetBuiltIn { .. } => self.interface_write(code, micro, io),
            IoCode::OutputVertex { .. } => self.vertex_write(code, micro, io),
            IoCode::EmitVertex { stream } => self.emit_vertex(stream),
            IoCode::EndPrimitive { stream } => self.end_primitive(stream),
            IoCode::SetMeshOutputs => self.set_mesh_outputs(code, micro),
            IoCode::SetTasks => self.set_tasks(code, micro),
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
                let to = self.vreg(micro.dst);
                for at in 0..self.active.len() {
                    let invocation = self.active_invocation(at);
                    self.set(to, invocation, u64::from(self.helpers.has(invocation)), false);
                }
            }
            IoCode::Clock => {
                let now = self.steps;
                for at in 0..self.active.len() {
                    let invocation = self.active_invocation(at);
                    for part in 0..u32::from(micro.parts) {
                        let word = now.checked_shr(part * micro.to.bits()).unwrap_or(0) & micro.to.mask();
                        let to = self.vreg(micro.dst + part);
                        self.set(to, invocation, word, false);
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
        let vreg = self.vreg(cond.slot);
        let mut mask = Mask::default();
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            if self.is_undef(vreg, invocation) {
                self.ub(UbKind::UndefControl, invocation);
            }
            if self.get(vreg, invocation) != 0 {
                mask.set(invocation);
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
    fn further(&self, code: &Code, micro: &MicroOp, operand: usize, invocation: usize) -> u32 {
        let vreg = code.args_of(micro).get(operand).map(|arg| self.vreg(arg.slot));
        vreg.map_or(0, |vreg| u32::try_from(self.get(vreg, invocation)).unwrap_or(u32::MAX))
    }

    fn interface_read(&mut self, code: &Code, micro: &MicroOp, io: IoCode) {
        let has_index = !code.args_of(micro).is_empty();
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let further = self.further(code, micro, 0, invocation);
            for part in 0..u32::from(micro.parts) {
                let (value, undef) = match io {
                    IoCode::Input { location, component } => {
                        let location = location.saturating_add(further);
                        let value =
                            self.varying(location, component + part, micro.to, false, invocation, [0.0; 2]);
                        (value.unwrap_or(0), value.is_none())
                    }
                    IoCode::InputVertex { location, component } => {
                        let location = location.saturating_add(self.further(code, micro, 1, invocation));
                        let key = (location, component + part);
                        let value = self.varying_of_vertex(key, micro.to, invocation, further);
                        (value.unwrap_or(0), value.is_none())
                    }
                    IoCode::BuiltIn { builtin } if has_index && self.is_of_vertices(builtin) => {
                        let value = self.given_builtin((builtin, part), invocation, Some(further));
                        (value.unwrap_or(0) & micro.to.mask(), value.is_none())
                    }
                    IoCode::BuiltIn { builtin } => {
                        // Elements follow each other, such as the columns of a matrix.
                        let at = further.saturating_mul(u32::from(micro.parts)).saturating_add(part);
                        let value = self.builtin(builtin, at, invocation);
                        (value.unwrap_or(0) & micro.to.mask(), value.is_none())
                    }
                    IoCode::OutputRead { location, component, index } => {
                        let key = OutKey::Location(location.saturating_add(further), component + part, index);
                        let held =
                            self.outputs.get(&key).and_then(|held| held.get(invocation).copied().flatten());
                        held.unwrap_or((0, true))
                    }
                    _ => (0, true),
                };
                let to = self.vreg(micro.dst + part);
                self.set(to, invocation, value, undef);
            }
        }
    }

    fn interface_write(&mut self, code: &Code, micro: &MicroOp, io: IoCode) {
        let Some(value) = code.args_of(micro).first() else { return };
        let count = self.info.len();
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let further = self.further(code, micro, 1, invocation);
            for part in 0..u32::from(value.parts) {
                let (key, mask) = match io {
                    IoCode::Output { location, component, index, mask } => {
                        (OutKey::Location(location.saturating_add(further), component + part, index), mask)
                    }
                    IoCode::SetBuiltIn { builtin, mask } => {
                        let at = further.saturating_mul(u32::from(value.parts)).saturating_add(part);
                        (OutKey::BuiltIn(builtin, at), mask)
                    }
                    _ => continue,
                };
                if mask >> part & 1 == 0 {
                    continue;
                }
                let vreg = self.vreg(value.slot + part);
                let (bits, undef) = (self.get(vreg, invocation), self.is_undef(vreg, invocation));
                if undef {
                    self.ub(UbKind::UndefOutput, invocation);
                }
                let held = self.outputs.entry(key).or_insert_with(|| vec![None; count]);
                if let Some(slot) = held.get_mut(invocation) {
                    *slot = Some((bits, undef));
                }
                if self.watch.is_some() {
                    self.record_output(key, invocation, (!undef).then_some(bits));
                }
            }
        }
    }

    /// Writes an output of a vertex or a primitive.
    fn vertex_write(&mut self, code: &Code, micro: &MicroOp, io: IoCode) {
        let IoCode::OutputVertex { location, component, mask, primitive } = io else { return };
        let Some(value) = code.args_of(micro).first() else { return };
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let number = self.further(code, micro, 1, invocation);
            let location = location.saturating_add(self.further(code, micro, 2, invocation));
            let element = if primitive { Element::Primitive(number) } else { Element::Vertex(number) };
            for part in (0..u32::from(value.parts)).filter(|part| mask >> part & 1 == 1) {
                let vreg = self.vreg(value.slot + part);
                let (bits, undef) = (self.get(vreg, invocation), self.is_undef(vreg, invocation));
                if undef {
                    self.ub(UbKind::UndefOutput, invocation);
                }
                let key = OutKey::Location(location, component.saturating_add(part), 0);
                self.created.write(element, key, bits, undef);
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
            let invocation = self.active_invocation(at);
            let byte = i64::from(self.further(code, micro, index, invocation));
            let element = if index == 0 { 0 } else { self.further(code, micro, 0, invocation) };
            let root = self.io_root(var, element);
            for part in 0..u32::from(micro.parts) {
                let ptr = root.map_or(Ptr::default(), |root| Ptr::new(root, 0).plus(byte + offset));
                let read = self.memory.read(ptr, invocation, part * u32::from(bytes), u32::from(bytes));
                let (value, undef) = read.unwrap_or_else(|miss| {
                    self.missed(if root.is_none() { Miss::Outside } else { miss }, invocation);
                    (0, false)
                });
                let to = self.vreg(micro.dst + part);
                self.set(to, invocation, value & micro.to.mask(), undef);
            }
        }
    }

    fn bytes_write(&mut self, code: &Code, micro: &MicroOp, var: u32, offset: i64, bytes: u8, mask: u16) {
        let Some(value) = code.args_of(micro).first() else { return };
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            if self.helpers.has(invocation) {
                continue;
            }
            let byte = i64::from(self.further(code, micro, 2, invocation));
            let root = self.io_root(var, self.further(code, micro, 1, invocation));
            let ptr = root.map_or(Ptr::default(), |root| Ptr::new(root, 0).plus(byte + offset));
            for part in (0..u32::from(value.parts)).filter(|part| mask >> part & 1 == 1) {
                let vreg = self.vreg(value.slot + part);
                let (bits, undef) = (self.get(vreg, invocation), self.is_undef(vreg, invocation));
                if undef {
                    self.ub(UbKind::UndefOutput, invocation);
                }
                let extra = part * u32::from(bytes);
                if let Err(miss) = self.write_memory(ptr, invocation, extra, u32::from(bytes), bits, undef) {
                    self.missed(miss, invocation);
                }
            }
        }
    }

    /// An input at another position in its pixel: inputs are linear functions, so this is exact. There is one
    /// sample, at the center.
    fn interpolate(&mut self, code: &Code, micro: &MicroOp, place: InterpolateAt, step: u32) {
        let args = code.args_of(micro);
        let (Some(path), offset) = (args.first(), args.get(1)) else { return };
        let from = self.vreg(path.slot);
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let ptr = self.pointer(from, invocation);
            let shift = match (place, offset) {
                (InterpolateAt::Offset, Some(arg)) => {
                    let part = |part: u32| {
                        let vreg = self.vreg(arg.slot + part);
                        vitrine_ir::ops::Scalar::new(arg.width, self.get(vreg, invocation)).to_f64()
                    };
                    [part(0), part(1)]
                }
                _ => [0.0; 2],
            };
            for part in 0..u32::from(micro.parts) {
                let here = ptr.plus(i64::from(part) * i64::from(step));
                let value = self.input_at(here, invocation, shift).or_else(|| {
                    // If no linear function is given, the value of the input is used.
                    self.memory
                        .read(here, invocation, 0, micro.to.bits() / 8)
                        .ok()
                        .filter(|read| !read.1)
                        .map(|read| read.0)
                });
                let to = self.vreg(micro.dst + part);
                self.set(to, invocation, value.unwrap_or(0), value.is_none());
            }
        }
    }

    /// The input that a pointer refers to, moved by a part of a pixel.
    fn input_at(&mut self, ptr: Ptr, invocation: usize, shift: [f64; 2]) -> Option<u64> {
        let root = ptr.root()?;
        let var = self.program.vars.iter().find(|of| of.root == root)?.var;
        for leaf in self.leaves(var) {
            for part in 0..u32::from(leaf.components) {
                if leaf.offset + part * leaf.step == ptr.offset()
                    && let OutKey::Location(location, component, _) = leaf.key(part)
                {
                    return self.varying(location, component, leaf.width, leaf.float, invocation, shift);
                }
            }
        }
        None
    }
}
