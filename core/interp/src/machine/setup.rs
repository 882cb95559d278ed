//! Setup of a machine and a group, and the memory that is left: variables, resources, arguments.

use super::super::decode::VarCode;
use super::super::image::Image;
use super::super::image::Sampler;
use super::super::inputs::{KernelArg, Slot};
use super::super::mask::Mask;
use super::super::memory::{Ptr, RootKind};
use super::super::outcome::{Bytes, InvocationEnd, Outcome};
use super::elements::Created;
use super::{Bound, Group, Machine};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use vitrine_ir::ops::Key;
use vitrine_ir::{Anchor, Diag, Mode, Stage, Type, TypeData, Usage};

/// Elements of an array of acceleration structures without a length; all of them are the same.
const ACCELERATION_STRUCTURES: usize = 16;

/// Returns true if variables of this mode are bound to external memory.
pub(super) fn is_bound_from_outside(mode: Mode) -> bool {
    matches!(mode, Mode::Uniform | Mode::Storage | Mode::Push | Mode::Handle)
}

impl Machine {
    /// Creates the roots of all variables of the module, and binds resources.
    pub(super) fn set_up(&mut self) -> Result<(), Diag> {
        let program = self.program.clone();
        for of in &program.vars {
            for element in 0..of.count {
                let root = if of.used { self.bind(of, element) } else { self.memory.add(of.kind, 0) };
                if root.is_none() {
                    let says = format!(
                        "{} bytes for this variable are more than the limit of {} bytes for all memory allows",
                        of.bytes, self.inputs.limits.memory_bytes
                    );
                    return Err(Diag::error("X002", Anchor::Var(of.var)).says(says));
                }
            }
        }
        for of in program.vars.iter().filter(|of| of.used && of.mode == Mode::Handle) {
            if self.bind_handles(of).is_none() {
                let says = "the images for this variable take more memory than the limit allows";
                return Err(Diag::error("X002", Anchor::Var(of.var)).says(says));
            }
        }
        // Initializers may refer to later variables.
        for of in program.vars.iter().filter(|of| of.kind == RootKind::Buffer && !of.init.is_empty()) {
            self.fill(of.root, 0, &of.init);
        }
        for at in 0..self.inputs.args.len() {
            let bytes = match &self.inputs.args[at] {
                KernelArg::Buffer(bytes) => &bytes[..],
                KernelArg::Shared(_) | KernelArg::Value(_) => &[],
            };
            let Some(root) = self.memory.add_bytes(RootKind::Buffer, bytes) else {
                let says = format!("argument {at} takes more memory than the limit allows");
                return Err(Diag::error("X002", Anchor::Module).says(says));
            };
            self.arg_roots.push(root);
        }
        self.kept_roots = self.memory.len();
        let vregs = program.consts.len();
        self.regs = vec![0; vregs * self.width];
        self.shadow = vec![0; vregs * self.words];
        for (at, &(word, undef)) in program.consts.iter().enumerate() {
            // One is a value of every width.
            let word = if undef && self.inputs.undefined_ones { 1 } else { word };
            self.regs[at * self.width..(at + 1) * self.width].fill(word);
            if undef {
                self.shadowed = true;
                self.shadow[at * self.words..(at + 1) * self.words].fill(u64::MAX);
            }
        }
        Ok(())
    }

    /// The root of a variable, or of an element of an array of buffers; resources follow later.
    fn bind(&mut self, of: &VarCode, element: u32) -> Option<u32> {
        match of.mode {
            Mode::Uniform | Mode::Storage => {
                let bound = of.slot.and_then(|slot| self.inputs.buffers.get(&slot));
                let bytes = bound.and_then(|list| list.get((of.first + element) as usize));
                self.memory.add_bytes(of.kind, bytes.map_or(&[], |bytes| bytes))
            }
            Mode::Push => self.memory.add_bytes(of.kind, &self.inputs.push),
            Mode::Handle => {
                // An array without a length has as many elements as the inputs.
                let images = of.slot.and_then(|slot| self.inputs.images.get(&slot)).map_or(0, Vec::len);
                let samplers = of.slot.and_then(|slot| self.inputs.samplers.get(&slot)).map_or(0, Vec::len);
                let structures =
                    if self.is_acceleration_structure(of.ty) { ACCELERATION_STRUCTURES } else { 0 };
                let given = images.max(samplers).max(structures) as u64 * 8;
                let root = self.memory.add(of.kind, if of.bytes == 0 { given } else { of.bytes })?;
                let size = self.memory.root(root)?.size;
                for at in (0..size).step_by(8) {
                    // Data may be shorter than resources.
                    let bytes = (size - at).min(8);
                    self.memory.root_mut(root)?.put(0, at, bytes, 0, false).ok()?;
                }
                Some(root)
            }
            Mode::Payload | Mode::Callable if of.kind == RootKind::Constant => {
                let class = self.module.var(of.var).and_then(|data| data.attrs.get(Key::Class)).unwrap_or(0);
                let record = self.inputs.payloads.get(&(class as u32)).and_then(|list| list.first());
                self.memory.add_bytes(of.kind, record.map_or(&[], |bytes| bytes))
            }
            Mode::In
            | Mode::Out
            | Mode::Private
            | Mode::Local
            | Mode::Shared
            | Mode::Payload
            | Mode::Physical
            | Mode::Callable
            | Mode::Generic => self.memory.add(of.kind, of.bytes),
        }
    }

    /// Resources become numbers from 1: the image in the lower half, the sampler in the upper half.
    fn bind_handles(&mut self, of: &VarCode) -> Option<()> {
        let slot = of.slot.unwrap_or((u32::MAX, u32::MAX));
        // Resources beyond the length of the array cannot be reached.
        let (first, count) = (of.first as usize, self.memory.root(of.root)?.size as usize / 8);
        let images = self.inputs.images.get(&slot).into_iter().flatten();
        let images: Vec<Image> = images.skip(first).take(count).cloned().collect();
        let samplers = self.inputs.samplers.get(&slot).into_iter().flatten();
        let samplers: Vec<Sampler> = samplers.skip(first).take(count).copied().collect();
        let mut numbers: Vec<u64> = vec![0; images.len().max(samplers.len())];
        for (number, image) in numbers.iter_mut().zip(images) {
            let root = self.memory.add_bytes(RootKind::Buffer, &image.bytes)?;
            self.images.push(Bound { image: Image { bytes: Vec::new(), ..image }, root });
            *number = self.images.len() as u64;
        }
        for (number, sampler) in numbers.iter_mut().zip(samplers) {
            self.samplers.push(sampler);
            *number |= (self.samplers.len() as u64) << 32;
        }
        let root = self.memory.root_mut(of.root)?;
        for (at, number) in numbers.into_iter().enumerate() {
            let _ = root.put(0, u32::try_from(at * 8).ok()?, 8, number, false);
        }
        Some(())
    }

    /// Prepares the machine to run a group from the entry point.
    pub fn begin(&mut self, group: &Group) {
        self.memory.truncate(self.kept_roots);
        self.frames.clear();
        self.outputs.clear();
        let emits = if self.stage == Stage::Geometry { group.invocations.len().min(self.width) } else { 0 };
        self.created = Created::of(emits);
        self.late.clear();
        self.workgroup = group.workgroup;
        self.info = group.invocations.iter().copied().take(self.width).collect();
        self.everyone = Mask::first(self.info.len());
        self.alive = self.everyone;
        self.helpers = Mask::default();
        for (invocation, _) in self.info.iter().enumerate().filter(|(_, info)| info.helper) {
            self.helpers.set(invocation);
        }
        self.ends = vec![InvocationEnd::Running; self.info.len()];
        self.steps = 0;
        if let Some(races) = &mut self.races {
            races.forget();
        }
        self.start_rays();
        let program = self.program.clone();
        for of in program.vars.iter().filter(|of| of.used) {
            if of.kind.is_of_group() {
                self.memory.forget(of.root);
                let invocations = if of.kind.is_per_invocation() { self.info.len() } else { 1 };
                for invocation in 0..invocations {
                    self.fill(of.root, invocation, &of.init);
                }
            }
            if of.mode == Mode::In {
                self.fill_input(of.var, of.root);
            }
            self.fill_payload(of);
        }
        self.enter();
        self.fill_args();
    }

    /// Sets the arguments of a kernel. Missing ones are undefined.
    fn fill_args(&mut self) {
        let program = self.program.clone();
        let Some(code) = program.codes.first() else { return };
        let args = std::mem::take(&mut self.inputs.args);
        for (&(slot, parts), number) in code.params.iter().zip(0..) {
            let words: Option<Vec<u64>> = match args.get(number) {
                Some(KernelArg::Buffer(_)) => {
                    self.arg_roots.get(number).map(|&root| vec![Ptr::new(root, 0).0])
                }
                Some(KernelArg::Shared(bytes)) => {
                    let root = self.memory.add(RootKind::Shared, u64::from(*bytes));
                    root.map(|root| vec![Ptr::new(root, 0).0])
                }
                Some(KernelArg::Value(words)) => Some(words.clone()),
                None => None,
            };
            for part in 0..u32::from(parts) {
                let vreg = self.vreg(slot + part);
                let word = words.as_ref().and_then(|words| words.get(part as usize));
                for invocation in 0..self.info.len() {
                    self.set(vreg, invocation, word.copied().unwrap_or(0), word.is_none());
                }
            }
        }
        self.inputs.args = args;
    }

    /// Adds the memory of all groups, and all reports, to an outcome.
    pub fn finish(&self, outcome: &mut Outcome) {
        let bytes = |root: u32| {
            self.memory.root(root).map(|root| Bytes {
                bytes: root.bytes_of(0).to_vec(),
                undefined: (0..root.size).filter(|&at| root.is_undefined(0, at)).collect(),
            })
        };
        let mut buffers: BTreeMap<(Slot, u32), Bytes> = BTreeMap::new();
        for of in self.program.vars.iter().filter(|of| of.used) {
            let Some(slot) = of.slot else { continue };
            if of.mode == Mode::Storage {
                for element in 0..of.count {
                    let Some(bytes) = bytes(of.root + element) else { continue };
                    let key = (slot, of.first + element);
                    let given = self.inputs.buffers.get(&slot).and_then(|list| list.get(key.1 as usize));
                    match buffers.entry(key) {
                        Entry::Vacant(entry) => drop(entry.insert(bytes)),
                        Entry::Occupied(entry) => {
                            entry.into_mut().merge(&bytes, given.map_or(&[], |given| given));
                        }
                    }
                }
            }
            if of.mode == Mode::Handle && self.is_storage_image(of.ty) {
                let handles = self.memory.root(of.root).map_or(&[][..], |root| root.bytes_of(0));
                for (element, word) in handles.chunks_exact(8).enumerate() {
                    let number = word
                        .iter()
                        .take(4)
                        .rev()
                        .fold(0usize, |number, &byte| number << 8 | usize::from(byte));
                    let bound = number.checked_sub(1).and_then(|number| self.images.get(number));
                    let found = bound.and_then(|bound| bytes(bound.root));
                    outcome.images.extend(found.map(|bytes| ((slot, of.first + element as u32), bytes)));
                }
            }
        }
        outcome.buffers.extend(buffers);
        for (at, &root) in self.arg_roots.iter().enumerate() {
            if matches!(self.inputs.args.get(at), Some(KernelArg::Buffer(_))) {
                outcome.args.extend(bytes(root).map(|bytes| (at as u32, bytes)));
            }
        }
        outcome.reports = self.reports.clone();
        outcome.prints = self.prints.clone();
        outcome.work.1 = self.invocation_steps;
    }

    fn is_acceleration_structure(&self, mut ty: Type) -> bool {
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *self.module.type_of(ty) {
            ty = of;
        }
        matches!(self.module.type_of(ty), TypeData::AccelStruct)
    }

    fn is_storage_image(&self, mut ty: Type) -> bool {
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *self.module.type_of(ty) {
            ty = of;
        }
        matches!(self.module.type_of(ty), TypeData::Image(image) if image.usage != Usage::Sampled)
    }
}
