//! Results of a group: outputs of invocations, emitted vertices, patches, meshes, payloads.
//!
//! Does not assemble primitives: strips are distinguished by number, and the reader of the outcome knows the connectivity.

use super::super::interface::{Leaf, LeafOf};
use super::super::memory::Root;
use super::super::micro_op::{Code, MicroOp};
use super::super::out_key::{Element, OutKey, Outputs};
use super::super::outcome::{InvocationEnd, InvocationOutcome, Outcome};
use super::super::report::UbKind;
use super::super::stages::{MOST_ELEMENTS, PayloadClass, has_payload, shares_outputs};
use super::Machine;
use std::collections::BTreeMap;
use vitrine_ir::ops::{Builtin, Key};
use vitrine_ir::{Mode, Stage, TypeData, VarData};

/// The vertices, primitives and workgroups that a group created so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Created {
    /// Emitted vertices of each invocation, in order.
    emitted: Vec<Vec<(Element, Outputs)>>,
    /// By invocation and stream: the number of vertices, of ended strips, and a flag if the last strip has vertices.
    streams: Vec<BTreeMap<u32, (u32, u32, bool)>>,
    /// Outputs of vertices and primitives written without variables.
    written: BTreeMap<(Element, OutKey), (u64, bool)>,
    /// Vertices and primitives of a mesh, as a mesh shader set them.
    counts: [u32; 2],
    /// Workgroups that a task shader starts.
    tasks: Option<[Option<u64>; 3]>,
}

impl Created {
    pub(super) fn of(invocations: usize) -> Created {
        Created {
            emitted: vec![Vec::new(); invocations],
            streams: vec![BTreeMap::new(); invocations],
            ..Created::default()
        }
    }

    /// Writes an output of a vertex or a primitive.
    pub(super) fn write(&mut self, element: Element, key: OutKey, bits: u64, undef: bool) {
        if matches!(element, Element::Vertex(number) | Element::Primitive(number) if number < MOST_ELEMENTS) {
            self.written.insert((element, key), (bits, undef));
        }
    }
}

/// An output variable.
#[derive(Debug)]
pub(super) struct OutVar {
    root: u32,
    stream: u32,
    leaves: Vec<Leaf>,
}

impl Machine {
    /// Finds the output variables.
    pub(super) fn find_outputs(&mut self) {
        let program = self.program.clone();
        let used = program.vars.iter().filter(|of| of.used && of.mode == Mode::Out);
        self.outs = used
            .map(|of| {
                let stream = self.module.var(of.var).map_or(0, |data| self.stream_of(data));
                OutVar { root: of.root, stream, leaves: self.leaves(of.var) }
            })
            .collect();
    }

    /// The vertex stream of a variable: its own, or that of a member.
    fn stream_of(&self, data: &VarData) -> u32 {
        let members = match *self.module.type_of(data.ty) {
            TypeData::Struct(structure) => {
                self.module.structure(structure).map(|structure| structure.members.clone())
            }
            _ => None,
        };
        let of_member = || {
            members.iter().flat_map(|members| members.iter()).find_map(|member| member.attrs.get(Key::Stream))
        };
        data.attrs.get(Key::Stream).or_else(of_member).unwrap_or(0) as u32
    }

    /// Emits a vertex with the current outputs, which are undefined afterward (SPIR-V, OpEmitVertex). Vertices beyond
    /// the declared maximum are dropped.
    pub(super) fn emit_vertex(&mut self, stream: u32) {
        let most = self.stage_info.vertices_out.min(MOST_ELEMENTS) as usize;
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let outputs = self.current_outputs(invocation, Some(stream));
            self.report_undefined_outputs(Some(invocation));
            for of in 0..self.outs.len() {
                self.memory.forget_for(self.outs[of].root, invocation);
            }
            for held in self.outputs.values_mut() {
                if let Some(held) = held.get_mut(invocation) {
                    *held = None;
                }
            }
            let (Some(emitted), Some(streams)) =
                (self.created.emitted.get_mut(invocation), self.created.streams.get_mut(invocation))
            else {
                continue;
            };
            let (vertex, strip, is_open) = streams.entry(stream).or_default();
            if emitted.len() < most {
                emitted.push((Element::Emitted { stream, vertex: *vertex, strip: *strip }, outputs));
                (*vertex, *is_open) = (*vertex + 1, true);
            }
        }
    }

    /// Ends the strip of a stream, if it has vertices.
    pub(super) fn end_primitive(&mut self, stream: u32) {
        for at in 0..self.active.len() {
            let invocation = self.active_invocation(at);
            let Some(streams) = self.created.streams.get_mut(invocation) else { continue };
            let (_, strip, is_open) = streams.entry(stream).or_default();
            *strip += u32::from(*is_open);
            *is_open = false;
        }
    }

    /// Sets the number of vertices and primitives of the mesh to the operands in the first active invocation.
    pub(super) fn set_mesh_outputs(&mut self, code: &Code, micro: &MicroOp) {
        let most = [self.stage_info.vertices_out, self.stage_info.primitives_out];
        let counts = self.uniform_operands(code, micro, 2);
        self.created.counts = std::array::from_fn(|at| {
            let count = counts.get(at).copied().flatten().unwrap_or(0);
            u32::try_from(count).unwrap_or(u32::MAX).min(most[at])
        });
    }

    /// Sets the number of workgroups of the mesh stage to the operands in the first active invocation.
    pub(super) fn set_tasks(&mut self, code: &Code, micro: &MicroOp) {
        let counts = self.uniform_operands(code, micro, 3);
        self.created.tasks = Some(std::array::from_fn(|at| counts.get(at).copied().flatten()));
    }

    /// The first component of operands that must be the same in all invocations of the group; `None` for an undefined
    /// one.
    fn uniform_operands(&mut self, code: &Code, micro: &MicroOp, count: usize) -> Vec<Option<u64>> {
        let Some(&first) = self.active.first() else { return Vec::new() };
        let vregs: Vec<usize> =
            code.args_of(micro).iter().take(count).map(|arg| self.vreg(arg.slot)).collect();
        let value = |machine: &Machine, vreg: usize, invocation: usize| {
            (!machine.is_undef(vreg, invocation)).then(|| machine.get(vreg, invocation))
        };
        let of_first: Vec<_> = vregs.iter().map(|&vreg| value(self, vreg, first as usize)).collect();
        if of_first.contains(&None) {
            self.ub(UbKind::UndefControl, first as usize);
        }
        let differs = |machine: &Machine, invocation: usize| {
            vregs.iter().zip(&of_first).any(|(&vreg, known)| value(machine, vreg, invocation) != *known)
        };
        let other = self.active.iter().map(|&it| it as usize).find(|&invocation| differs(self, invocation));
        let is_alone = self.frames.last().is_some_and(|frame| frame.mask != self.alive);
        if let Some(invocation) = other.or(is_alone.then_some(first as usize)) {
            self.ub(UbKind::NotUniform, invocation);
        }
        of_first
    }

    /// The outputs of an invocation, of one stream or of all.
    fn current_outputs(&self, invocation: usize, stream: Option<u32>) -> Outputs {
        let mut outputs = Outputs::new();
        for of in self.outs.iter().filter(|of| stream.is_none_or(|stream| stream == of.stream)) {
            let Some(root) = self.memory.root(of.root) else { continue };
            for leaf in &of.leaves {
                read_leaf(root, leaf, invocation, &mut outputs);
            }
        }
        for (&key, values) in &self.outputs {
            if let Some((value, undef)) = values.get(invocation).copied().flatten() {
                outputs.insert(key, (!undef).then_some(value));
            }
        }
        outputs
    }

    /// The vertices and primitives of the group, and its patch.
    fn shared_outputs(&self) -> BTreeMap<Element, Outputs> {
        let mut elements: BTreeMap<Element, Outputs> = BTreeMap::new();
        let is_mesh = self.stage == Stage::Mesh;
        let counts = if is_mesh { self.created.counts } else { [self.stage_info.vertices_out, 0] };
        let exists = |element: Element| match element {
            Element::Patch => true,
            Element::Vertex(number) => number < counts[0],
            Element::Primitive(number) => number < counts[1],
            Element::Emitted { .. } => false,
        };
        // A mesh of three vertices without outputs differs from one of four.
        for number in 0..counts[0].min(MOST_ELEMENTS) {
            elements.insert(Element::Vertex(number), Outputs::new());
        }
        for number in 0..counts[1].min(MOST_ELEMENTS) {
            elements.insert(Element::Primitive(number), Outputs::new());
        }
        for of in &self.outs {
            let Some(root) = self.memory.root(of.root) else { continue };
            for leaf in &of.leaves {
                let element = match leaf.of {
                    LeafOf::Whole => Element::Patch,
                    LeafOf::Vertex(number) => Element::Vertex(number),
                    LeafOf::Primitive(number) => Element::Primitive(number),
                };
                if exists(element) {
                    read_leaf(root, leaf, 0, elements.entry(element).or_default());
                }
            }
        }
        for (&(element, key), &(value, undef)) in &self.created.written {
            if exists(element) {
                elements.entry(element).or_default().insert(key, (!undef).then_some(value));
            }
        }
        elements
    }

    /// Adds the scalars of payloads that an invocation changed.
    fn changed_payloads(&mut self, invocation: usize, outputs: &mut Outputs) {
        if !has_payload(self.stage) {
            return;
        }
        let program = self.program.clone();
        for of in program.vars.iter().filter(|of| of.used) {
            let class = self.module.var(of.var).and_then(PayloadClass::of);
            let is_shared = !of.kind.is_per_invocation();
            if !class.is_some_and(|class| class.is_result_of(self.stage)) || is_shared && invocation > 0 {
                continue;
            }
            let leaves = self.leaves(of.var);
            let before = self.payload_at_start(of, invocation);
            let Some(root) = self.memory.root(of.root) else { continue };
            for leaf in &leaves {
                let mut now = Outputs::new();
                read_leaf(root, leaf, invocation, &mut now);
                for (part, (key, value)) in now.into_iter().enumerate() {
                    let offset = (leaf.offset as usize).saturating_add(part * leaf.step as usize);
                    let bytes = vitrine_ir::layout::scalar_bytes(leaf.width) as usize;
                    let old = before.and_then(|before| before.get(offset..offset.checked_add(bytes)?));
                    let old =
                        old.map(|old| old.iter().rev().fold(0, |bits, &byte| bits << 8 | u64::from(byte)));
                    if old != value {
                        outputs.insert(key, value);
                    }
                }
            }
        }
    }

    /// Adds the outputs of the invocations of the group to an outcome, and reports undefined outputs.
    pub fn collect(&mut self, outcome: &mut Outcome) {
        for invocation in 0..self.info.len() {
            let info = self.info[invocation];
            if info.helper {
                continue;
            }
            let demoted = self.helpers.has(invocation) && self.ends[invocation] == InvocationEnd::Returned;
            let end = if demoted { InvocationEnd::Demoted } else { self.ends[invocation] };
            let mut of_invocation = InvocationOutcome { at: info.at, end, ..InvocationOutcome::default() };
            if end.has_outputs() {
                self.collect_invocation(invocation, &mut of_invocation);
            }
            outcome.invocations.insert(info.invocation, of_invocation);
        }
        if self.stage == Stage::Geometry {
            // Outputs after the last vertex are not visible.
            self.late.clear();
        }
        self.report_undefined_outputs(None);
        outcome.work.0 += self.steps;
    }

    fn collect_invocation(&mut self, invocation: usize, out: &mut InvocationOutcome) {
        if self.stage == Stage::Geometry {
            let emitted = self.created.emitted.get_mut(invocation).map(std::mem::take);
            out.elements.extend(emitted.into_iter().flatten());
        } else if shares_outputs(self.stage) {
            if invocation == 0 {
                out.elements = self.shared_outputs();
            }
        } else {
            out.outputs = self.current_outputs(invocation, None);
        }
        self.changed_payloads(invocation, &mut out.outputs);
        let state = self.rays.get(invocation).and_then(|rays| rays.first());
        if let Some((t, kind)) = state.and_then(|state| state.reported) {
            for (builtin, value) in [(Builtin::HitT, t.to_bits()), (Builtin::HitKind, kind)] {
                out.outputs.insert(OutKey::BuiltIn(builtin, 0), Some(u64::from(value)));
            }
        }
        if let Some(tasks) = self.created.tasks.filter(|_| invocation == 0) {
            out.outputs.extend((0..).map(|at| OutKey::BuiltIn(Builtin::TaskCount, at)).zip(tasks));
        }
    }

    /// Reports undefined values that were written to outputs and are still there, of an invocation or of all.
    fn report_undefined_outputs(&mut self, only: Option<usize>) {
        let late = std::mem::take(&mut self.late);
        for ((root, byte, number), (func, at)) in late {
            let invocation = number as usize;
            if only.is_some_and(|only| only != invocation) {
                self.late.insert((root, byte, number), (func, at));
                continue;
            }
            let still = self.memory.root(root).is_some_and(|root| root.is_undefined(invocation, byte));
            let Some(info) = self.info.get(invocation).filter(|info| !info.helper) else { continue };
            let is_seen = only.is_some() || self.ends.get(invocation).is_some_and(|end| end.has_outputs());
            if still && is_seen {
                self.reports.add(self.inputs.limits.reports, UbKind::UndefOutput, func, at, info.invocation);
            }
        }
    }
}

fn read_leaf(root: &Root, leaf: &Leaf, invocation: usize, out: &mut Outputs) {
    let bytes = vitrine_ir::layout::scalar_bytes(leaf.width) as u32;
    for part in 0..u32::from(leaf.components) {
        let read = root.read(invocation, leaf.offset.saturating_add(part * leaf.step), bytes);
        let value = read.ok().filter(|&(_, undef)| !undef).map(|(value, _)| value);
        out.insert(leaf.key(part), value);
    }
}
