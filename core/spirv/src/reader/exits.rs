//! Control flow at the ends of blocks: merges, terminators, and the arguments that edges pass to phis.
//!
//! Edges are written last, when every value of the function is known.

use super::body::Building;
use super::diagnostics;
use super::values::{Lower, Val};
use super::words::{Instruction, Words};
use crate::spec::Op as S;
use crate::{BRANCH_HINTS, LOOP_HINTS};
use rustc_hash::FxHashMap;
use std::rc::Rc;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::{Attr, Hints, Key, MemoryOp, SpirvOp, ValueType, Width, WordSet};
use vitrine_ir::{Anchor, Args, Attrs, Block, Case, Diag, Edge, Inst, InstData, MergeInfo, Stop, Terminator};

impl<'a> Lower<'_, 'a> {
    /// The hint of a merge instruction.
    pub(super) fn hint(
        &mut self,
        inst: Instruction<'_>,
        blocks: &FxHashMap<u32, Block>,
    ) -> Option<Rc<MergeInfo>> {
        let is_loop = inst.opcode == S::LoopMerge as u16;
        let merge = self.target(inst.word(1), inst, blocks)?;
        let cont = if is_loop { Some(self.target(inst.word(2), inst, blocks)?) } else { None };
        let control = inst.word(if is_loop { 3 } else { 2 });
        let (mut hints, mut numbers) = (Hints::NONE, Vec::new());
        if is_loop {
            let mut next = inst.rest(4).iter();
            for (bit, hint, number) in LOOP_HINTS {
                if control & bit != 0 {
                    hints = hints.and(hint);
                    numbers.extend(number.then(|| next.next().copied().unwrap_or(0)));
                }
            }
        } else {
            let found = BRANCH_HINTS.into_iter().filter(|(bit, _)| control & bit != 0);
            hints = found.fold(hints, |hints, (_, hint)| hints.and(hint));
        }
        let mut attrs = Vec::new();
        if !hints.is_none() {
            attrs.push(Attr::new(Key::Hint, hints.number()));
        }
        if !numbers.is_empty() {
            attrs.push(Attr::new(Key::HintArgs, self.r.module.blob(&numbers).index() as u64));
        }
        Some(Rc::new(MergeInfo { merge, cont, attrs: Attrs::from_list(attrs) }))
    }

    fn target(&mut self, id: u32, inst: Instruction<'_>, blocks: &FxHashMap<u32, Block>) -> Option<Block> {
        let found = blocks.get(&id).copied();
        if found.is_none() {
            self.error(
                diagnostics::CONTROL,
                inst,
                format!("names %{id}, which is not a block of the function"),
                "name an OpLabel of the function",
            );
        }
        found
    }

    /// The terminator of a block, once all values are known. Casts of paths are placed before it.
    pub(super) fn block_terminator(
        &mut self,
        at: usize,
        building: &mut [Building<'a>],
        blocks: &FxHashMap<u32, Block>,
    ) -> Terminator {
        let Some(inst) = building[at].end else { return Terminator::Stop(Stop::Unreachable) };
        self.block = std::mem::take(&mut building[at].insts);
        self.origin = building[at].origin;
        if let Some(&block) = blocks.get(&building[at].label) {
            self.asm.end_origin(block, self.origin);
        }
        let terminator = self.terminator(inst, at, building, blocks);
        building[at].insts = std::mem::take(&mut self.block);
        terminator.unwrap_or(Terminator::Stop(Stop::Unreachable))
    }

    fn terminator(
        &mut self,
        inst: Instruction<'_>,
        at: usize,
        building: &[Building<'a>],
        blocks: &FxHashMap<u32, Block>,
    ) -> Option<Terminator> {
        let edge = |lower: &mut Self, id: u32| lower.edge(id, inst, at, building, blocks);
        Some(match S::from_u32(u32::from(inst.opcode))? {
            S::Branch => Terminator::Goto(edge(self, inst.word(1))?),
            S::BranchConditional => {
                let cond = self.leaf(inst.word(1), inst)?;
                if self.ty(cond) != ValueType::BOOL {
                    return self.mismatch(
                        inst,
                        format!("has the condition %{}, which is not a boolean", inst.word(1)),
                    );
                }
                let (then, els) = (edge(self, inst.word(2))?, edge(self, inst.word(3))?);
                Terminator::Branch { cond, then, els }
            }
            S::Switch => self.switch(inst, at, building, blocks)?,
            S::Return => {
                self.returns_nothing(inst);
                Terminator::Return(None)
            }
            S::ReturnValue => self.return_value(inst)?,
            S::Kill => Terminator::Stop(Stop::Discard),
            S::TerminateInvocation => Terminator::Stop(Stop::Terminate),
            S::IgnoreIntersectionKHR => Terminator::Stop(Stop::IgnoreIntersection),
            S::TerminateRayKHR => Terminator::Stop(Stop::TerminateRay),
            S::EmitMeshTasksEXT => {
                let args: Option<Vec<Inst>> = inst.rest(1).iter().map(|&id| self.leaf(id, inst)).collect();
                let data = InstData::new(SpirvOp::Raw, ValueType::Void, &args?);
                let meant = self.meanings(inst.rest(1), inst);
                let data = match meant.is_empty() {
                    true => data,
                    false => data.with(Key::Words, self.r.module.blob(&meant).index() as u64),
                };
                self.put(data.with(Key::Opcode, u64::from(inst.opcode)));
                Terminator::Stop(Stop::EmitMeshTasks)
            }
            S::Unreachable => Terminator::Stop(Stop::Unreachable),
            _ => {
                self.error(
                    diagnostics::BEYOND,
                    inst,
                    "is a terminator that the IR cannot express",
                    "it was read as unreachable",
                );
                Terminator::Stop(Stop::Unreachable)
            }
        })
    }

    fn edge(
        &mut self,
        id: u32,
        inst: Instruction<'_>,
        from: usize,
        building: &[Building<'a>],
        blocks: &FxHashMap<u32, Block>,
    ) -> Option<Edge> {
        let to = self.target(id, inst, blocks)?;
        if to.index() == 0 {
            self.error(
                diagnostics::CONTROL,
                inst,
                "branches to the first block of the function",
                "insert an empty block before the first one",
            );
        }
        let target = &building[to.index()];
        let mut args = Vec::new();
        if let Some(first) = target.phis.first() {
            let brought = target.incoming.get(&building[from].label);
            let mut brought = brought.map_or(&[][..], Vec::as_slice).iter().copied().peekable();
            for (number, phi) in (0u32..).zip(&target.phis) {
                self.afford(phi.leaves.len().max(1), inst)?;
                let mut value = None;
                while let Some((_, id)) = brought.next_if(|&(of, _)| of == number) {
                    value = value.or(Some(id));
                }
                let val = match value {
                    Some(id) => self.value(id, phi.inst).map(|value| value.val),
                    None => {
                        let message =
                            format!("has no value for %{}, which is a predecessor", building[from].label);
                        self.error(
                            diagnostics::CONTROL,
                            phi.inst,
                            message,
                            "list each predecessor of the block exactly once",
                        );
                        None
                    }
                };
                let val = match val {
                    Some(val) if self.leaves(&val).len() == phi.leaves.len() => val,
                    Some(_) => {
                        self.error(
                            diagnostics::CONTROL,
                            first.inst,
                            "merges values of several types",
                            "give all of them the type of the phi",
                        );
                        self.undef(phi.ty)?
                    }
                    None => self.undef(phi.ty)?,
                };
                for (leaf, ty) in self.leaves(&val).to_vec().into_iter().zip(&phi.leaves) {
                    args.push(self.leaf_as(leaf, ty.ty));
                }
            }
        }
        Some(Edge { to, args: Args::new(&args) })
    }

    fn switch(
        &mut self,
        inst: Instruction<'_>,
        at: usize,
        building: &[Building<'a>],
        blocks: &FxHashMap<u32, Block>,
    ) -> Option<Terminator> {
        let on = self.leaf(inst.word(1), inst)?;
        let ValueType::Bits { width, components: 1 } = self.ty(on) else {
            return self
                .mismatch(inst, format!("has the selector %{}, which is not an integer", inst.word(1)));
        };
        if width == Width::W1 {
            return self.mismatch(inst, format!("has the selector %{}, which is a boolean", inst.word(1)));
        }
        let default = self.edge(inst.word(2), inst, at, building, blocks)?;
        let literal = if width == Width::W64 { 2 } else { 1 };
        let rest = inst.rest(3);
        if !rest.len().is_multiple_of(literal + 1) {
            return self.mismatch(inst, "has a value without a block");
        }
        let mut seen = rustc_hash::FxHashSet::default();
        let mut at_case: FxHashMap<u32, usize> = FxHashMap::default();
        let mut cases: Vec<Case> = Vec::new();
        for pair in rest.chunks_exact(literal + 1) {
            let high = if literal == 2 { u64::from(pair[1]) << 32 } else { 0 };
            let value = (u64::from(pair[0]) | high) & width.mask();
            if !seen.insert(value) {
                // The specification is silent about repeated values, and spirv-val accepts them: as in a chain of
                // comparisons, the first one wins.
                let at = Anchor::Word(inst.offset);
                let diag = Diag::warning(diagnostics::LEFT_OUT, at)
                    .says(diagnostics::opcode(inst.opcode))
                    .says(format!("has the case {value} twice; the first one is used"));
                diagnostics::push(&mut self.r.diags, diag.help("list each case only once"));
                continue;
            }
            let label = pair[literal];
            match at_case.get(&label) {
                Some(&case) => cases[case].values.push(value),
                None => {
                    let edge = self.edge(label, inst, at, building, blocks)?;
                    at_case.insert(label, cases.len());
                    cases.push(Case { values: vec![value], edge });
                }
            }
        }
        Some(Terminator::Switch { on, cases: cases.into(), default })
    }

    fn returns_nothing(&mut self, inst: Instruction<'_>) {
        if self.out.is_some() || self.asm.body().result() != ValueType::Void {
            self.error(
                diagnostics::OPERANDS,
                inst,
                "returns no value, but the function has a result",
                "use OpReturnValue",
            );
        }
    }

    fn return_value(&mut self, inst: Instruction<'_>) -> Option<Terminator> {
        let value = self.value(inst.word(1), inst)?;
        if let Some(out) = self.out {
            self.store_leaves(out, value.val, inst)?;
            return Some(Terminator::Return(None));
        }
        let result = self.asm.body().result();
        match value.val {
            Val::One(leaf) if self.ty(leaf) == result => {
                let attrs = self.asm.body().attrs().clone();
                let leaf = match (attrs.get(Key::Type), attrs.word()) {
                    (Some(ty), Some(mode)) => {
                        let ty = vitrine_ir::Type::from_index(ty as usize);
                        self.path_as(leaf, vitrine_ir::PathType { ty, mode })
                    }
                    _ => leaf,
                };
                Some(Terminator::Return(Some(leaf)))
            }
            Val::Many { len: 0, .. } if result == ValueType::Void => Some(Terminator::Return(None)),
            _ => self.mismatch(inst, format!("returns %{}, whose type is not the result type", inst.word(1))),
        }
    }

    /// Stores through a path, leaf by leaf.
    pub(super) fn store_leaves(&mut self, to: Inst, val: Val, inst: Instruction<'_>) -> Option<()> {
        let at = *self.paths.get(&to)?;
        let leaves = self.leaves(&val).to_vec();
        let places = self.places(to, at, inst)?;
        if places.len() != leaves.len() {
            return self.mismatch(inst, "stores a value whose type differs from the pointer's");
        }
        for ((place, ty), leaf) in places.into_iter().zip(leaves) {
            let leaf = self.leaf_as(leaf, ty);
            self.put(InstData::new(MemoryOp::Store, ValueType::Void, &[place, leaf]));
        }
        Some(())
    }
}
