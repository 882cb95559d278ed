//! Setup and results of a group: memory, resources, inputs, outputs.

use super::super::decode::VarCode;
use super::super::image::Image;
use super::super::inputs::{KernelArg, Varying};
use super::super::interface::{Leaf, leaves};
use super::super::mask::Mask;
use super::super::memory::{Ptr, RootKind};
use super::super::outcome::{Bytes, InvocationEnd, InvocationOutcome, OutKey, Outcome};
use super::super::report::UbKind;
use super::{Bound, Group, Machine};
use crate::ir::{Anchor, Diag, Mode, Stage, Type, TypeData, Usage, Var};
use crate::ops::attr::BUILTINS;
use crate::ops::{Scalar, Width};

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
                let bytes = bound.and_then(|list| list.get(element as usize));
                self.memory.add_bytes(of.kind, bytes.map_or(&[], |bytes| bytes))
            }
            Mode::Push => self.memory.add_bytes(of.kind, &self.inputs.push),
            Mode::Handle => {
                // An array without a length has as many elements as the inputs.
                let images = of.slot.and_then(|slot| self.inputs.images.get(&slot)).map_or(0, Vec::len);
                let samplers = of.slot.and_then(|slot| self.inputs.samplers.get(&slot)).map_or(0, Vec::len);
                let given = images.max(samplers) as u64 * 8;
                let root = self.memory.add(of.kind, if of.bytes == 0 { given } else { of.bytes })?;
                let size = self.memory.root(root)?.size;
                for at in (0..size).step_by(8) {
                    // Data may be shorter than resources.
                    let bytes = (size - at).min(8);
                    self.memory.root_mut(root)?.put(0, at, bytes, 0, false).ok()?;
                }
                Some(root)
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
        let images = self.inputs.images.get(&slot).cloned().unwrap_or_default();
        let samplers = self.inputs.samplers.get(&slot).cloned().unwrap_or_default();
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
            // Resources beyond the length of the array cannot be reached.
            let _ = root.put(0, u32::try_from(at * 8).ok()?, 8, number, false);
        }
        Some(())
    }

    /// Prepares the machine to run a group from the entry point.
    pub fn begin(&mut self, group: &Group) {
        self.memory.truncate(self.kept_roots);
        self.frames.clear();
        self.outputs.clear();
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
        let program = self.program.clone();
        for of in program.vars.iter().filter(|of| of.used) {
            if of.kind.is_per_invocation() || of.kind == RootKind::Shared {
                self.memory.forget(of.root);
                let invocations = if of.kind == RootKind::Shared { 1 } else { self.info.len() };
                for invocation in 0..invocations {
                    self.fill(of.root, invocation, &of.init);
                }
            }
            if of.mode == Mode::In {
                self.fill_input(of.var, of.root);
            }
        }
        self.enter();
        self.fill_args();
    }

    pub(super) fn leaves(&mut self, var: Var) -> Vec<Leaf> {
        leaves(&self.module, &self.program.values, &mut self.sizes, var)
    }

    fn fill_input(&mut self, var: Var, root: u32) {
        for leaf in self.leaves(var) {
            for invocation in 0..self.info.len() {
                for part in 0..u32::from(leaf.components) {
                    let value = match leaf.key(part) {
                        OutKey::Location(location, component, _) => {
                            self.varying(location, component, leaf.width, leaf.float, invocation, [0.0; 2])
                        }
                        OutKey::BuiltIn(number, at) => self.builtin(number, at, invocation),
                    };
                    let bytes = crate::ir::layout::scalar_bytes(leaf.width) as u32;
                    if let (Some(value), Some(root)) = (value, self.memory.root_mut(root)) {
                        // A leaf is inside its variable.
                        let _ = root.put(
                            invocation,
                            leaf.offset.saturating_add(part * leaf.step),
                            bytes,
                            value,
                            false,
                        );
                    }
                }
            }
        }
    }

    /// An input of the stage; `None` if it is not given.
    pub(super) fn varying(
        &self,
        location: u32,
        component: u32,
        width: Width,
        float: bool,
        invocation: usize,
        shift: [f64; 2],
    ) -> Option<u64> {
        let varying: Varying = *self.inputs.varyings.get(&(location, component))?;
        let info = self.info.get(invocation)?;
        let single = self.inputs.singles.get(&(location, component));
        if let Some(&bits) = single.and_then(|single| single.get(&[info.at[0], info.at[1]])) {
            return Some(bits);
        }
        let half = if self.stage == Stage::Fragment { 0.5 } else { 0.0 };
        let place = |axis: usize| f64::from(info.at[axis]) + half + shift[axis];
        let change = place(0) * f64::from(varying.dx) + place(1) * f64::from(varying.dy);
        if varying.float || float {
            let base = Scalar::new(width, varying.base).to_f64();
            return Some(Scalar::float(width, base + change).bits());
        }
        Some(Scalar::new(width, varying.base.wrapping_add((change as i64).cast_unsigned())).bits())
    }

    /// Component `at` of a system value, as 32 bits; `None` if the stage does not define it and the inputs do
    /// not give it.
    pub(super) fn builtin(&self, number: u32, at: u32, invocation: usize) -> Option<u64> {
        if let Some(given) = self.inputs.builtins.get(&number) {
            return given.get(at as usize).copied();
        }
        let info = self.info.get(invocation)?;
        let axis = at as usize;
        let pick = |of: [u32; 3]| of.get(axis).map(|&value| u64::from(value));
        let groups = self.inputs.groups;
        let size = self.local_size;
        let one = |value: u64| (axis == 0).then_some(value);
        let float = |value: f64| Scalar::float(Width::W32, value).bits();
        let subgroup = self.inputs.subgroup.clamp(1, 64) as usize;
        let own = invocation % subgroup;
        let below = (1u128 << own) - 1;
        let everyone = (1u128 << subgroup) - 1;
        // A component out of range is `None`.
        let mask =
            |bits: u128| Some((bits & everyone).checked_shr(at.checked_mul(32)?)? as u64 & 0xffff_ffff);
        match *BUILTINS.get(number as usize)? {
            "num_workgroups" => pick(groups),
            "workgroup_size" | "enqueued_workgroup_size" => pick(size),
            "workgroup_id" => pick(self.workgroup),
            "local_invocation_id" => pick(info.local),
            "global_invocation_id" => pick(info.at),
            "local_invocation_index" => {
                let [x, y, z] = info.local.map(u64::from);
                // Sizes that no device has wrap, as the 32 bits of the value would.
                let row = y.wrapping_add(u64::from(size[1]).wrapping_mul(z));
                one(x.wrapping_add(u64::from(size[0]).wrapping_mul(row)) & 0xffff_ffff)
            }
            "work_dim" => one(3),
            "global_size" => groups.get(axis).map(|&groups| u64::from(groups) * u64::from(size[axis])),
            "global_linear_id" => one(info.invocation),
            "subgroup_size" | "subgroup_max_size" => one(subgroup as u64),
            "num_subgroups" | "num_enqueued_subgroups" => one(self.width.div_ceil(subgroup) as u64),
            "subgroup_id" => one((invocation / subgroup) as u64),
            "subgroup_local_invocation_id" => one(own as u64),
            "subgroup_eq_mask" => mask(1 << own),
            "subgroup_ge_mask" => mask(!below),
            "subgroup_gt_mask" => mask(!(below << 1 | 1)),
            "subgroup_le_mask" => mask(below << 1 | 1),
            "subgroup_lt_mask" => mask(below),
            "frag_coord" => match at {
                0 | 1 => Some(float(f64::from(info.at[axis]) + 0.5)),
                2 => Some(float(0.0)),
                3 => Some(float(1.0)),
                _ => None,
            },
            "point_coord" | "sample_position" => Some(float(0.5)),
            "front_facing" | "fully_covered" | "sample_mask" | "frag_invocation_count" => one(1),
            "frag_size" => Some(1),
            "helper_invocation" => one(u64::from(self.helpers.has(invocation))),
            "vertex_index" | "vertex_id" => one(u64::from(info.at[0])),
            "instance_index" | "instance_id" => one(u64::from(info.at[1])),
            "sample_id" | "primitive_id" | "layer" | "viewport_index" | "view_index" | "device_index"
            | "base_vertex" | "base_instance" | "draw_index" | "global_offset" | "shading_rate" => Some(0),
            _ => None,
        }
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

    /// Adds the outputs of the invocations of the group to an outcome, and reports undefined outputs.
    pub fn collect(&mut self, outcome: &mut Outcome) {
        let program = self.program.clone();
        let outs: Vec<(u32, Vec<Leaf>)> = program
            .vars
            .iter()
            .filter(|of| of.used && of.mode == Mode::Out)
            .map(|of| (of.root, of.var))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|(root, var)| (root, self.leaves(var)))
            .collect();
        for invocation in 0..self.info.len() {
            let info = self.info[invocation];
            if info.helper {
                continue;
            }
            let demoted = self.helpers.has(invocation) && self.ends[invocation] == InvocationEnd::Returned;
            let end = if demoted { InvocationEnd::Demoted } else { self.ends[invocation] };
            let mut of_invocation = InvocationOutcome { at: info.at, end, ..InvocationOutcome::default() };
            if end == InvocationEnd::Returned {
                for (root, leaves) in &outs {
                    self.collect_leaves(*root, leaves, invocation, &mut of_invocation);
                }
                for (&key, values) in &self.outputs {
                    if let Some((value, undef)) = values.get(invocation).copied().flatten() {
                        of_invocation.outputs.insert(key, (!undef).then_some(value));
                    }
                }
            }
            outcome.invocations.insert(info.invocation, of_invocation);
        }
        for ((root, byte, invocation), (func, at)) in std::mem::take(&mut self.late) {
            let invocation = invocation as usize;
            let still = self.memory.root(root).is_some_and(|root| root.is_undefined(invocation, byte));
            let Some(info) = self.info.get(invocation).filter(|info| !info.helper) else { continue };
            if still && self.ends.get(invocation) == Some(&InvocationEnd::Returned) {
                self.reports.add(self.inputs.limits.reports, UbKind::UndefOutput, func, at, info.invocation);
            }
        }
        outcome.work.0 += self.steps;
    }

    fn collect_leaves(&self, root: u32, leaves: &[Leaf], invocation: usize, out: &mut InvocationOutcome) {
        let Some(root) = self.memory.root(root) else { return };
        for leaf in leaves {
            let bytes = crate::ir::layout::scalar_bytes(leaf.width) as u32;
            for part in 0..u32::from(leaf.components) {
                let read = root.read(invocation, leaf.offset.saturating_add(part * leaf.step), bytes);
                let value = read.ok().filter(|&(_, undef)| !undef).map(|(value, _)| value);
                out.outputs.insert(leaf.key(part), value);
            }
        }
    }

    /// Adds the memory of all groups, and all reports, to an outcome.
    pub fn finish(&self, outcome: &mut Outcome) {
        let bytes = |root: u32| {
            self.memory.root(root).map(|root| Bytes {
                bytes: root.bytes_of(0).to_vec(),
                undefined: (0..root.size).filter(|&at| root.is_undefined(0, at)).collect(),
            })
        };
        for of in self.program.vars.iter().filter(|of| of.used) {
            let Some(slot) = of.slot else { continue };
            if of.mode == Mode::Storage {
                for element in 0..of.count {
                    outcome.buffers.extend(bytes(of.root + element).map(|bytes| ((slot, element), bytes)));
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
                    outcome.images.extend(found.map(|bytes| ((slot, element as u32), bytes)));
                }
            }
        }
        for (at, &root) in self.arg_roots.iter().enumerate() {
            if matches!(self.inputs.args.get(at), Some(KernelArg::Buffer(_))) {
                outcome.args.extend(bytes(root).map(|bytes| (at as u32, bytes)));
            }
        }
        outcome.reports = self.reports.clone();
        outcome.work.1 = self.invocation_steps;
    }

    fn is_storage_image(&self, mut ty: Type) -> bool {
        while let TypeData::Array { of, .. } | TypeData::RuntimeArray { of, .. } = *self.module.type_of(ty) {
            ty = of;
        }
        matches!(self.module.type_of(ty), TypeData::Image(image) if image.usage != Usage::Sampled)
    }
}
