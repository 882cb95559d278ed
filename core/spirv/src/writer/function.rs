//! The writer of a function, and the shared parts of its instructions: ids, labels, lines, diagnostics.
//!
//! Phis and local variables precede their uses, so both are kept separately until the function is complete.

use super::diagnostics::NO_INSTRUCTION;
use super::module::Writer;
use super::shared::{LoopLabels, MemoryPlace, Phis, Scalar, Slot};
use super::uses::Uses;
use super::words::Words;
use crate::spec::Op as S;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use vitrine_analysis::Types;
use vitrine_analysis::exits::OneTrips;
use vitrine_ir::base::EntityId;
use vitrine_ir::ops::Flags;
use vitrine_ir::{
    Anchor, Block, Debug, Diag, Func, FuncBody, Help, ImageType, Inst, Nesting, Node, Origin, Reg, Type,
};

/// A function being written.
pub(super) struct FunctionWriter<'w, 'a> {
    pub(super) writer: &'w mut Writer<'a>,
    pub(super) func: Func,
    pub(super) body: &'a FuncBody,
    pub(super) types: Rc<Types>,
    pub(super) uses: Uses,
    pub(super) nesting: Nesting,
    pub(super) slots: Vec<Slot>,
    pub(super) places: FxHashMap<Inst, MemoryPlace>,
    /// Full types of handles.
    pub(super) handles: FxHashMap<Inst, Type>,
    /// Images of handles that were combined or extracted here.
    pub(super) image_handles: FxHashMap<Inst, ImageType>,
    pub(super) regs: FxHashMap<Reg, (u32, Scalar)>,
    pub(super) vars: Words,
    pub(super) code: Words,
    pub(super) phis: Phis,
    pub(super) labels: FxHashMap<Block, u32>,
    /// Labels before a node: of a loop of one iteration, and of its back edge.
    pub(super) loop_labels: FxHashMap<Node, LoopLabels>,
    /// Empty blocks, to which no branch is written.
    pub(super) skipped: FxHashSet<Block>,
    /// Labeled blocks that are written as loops of one iteration.
    pub(super) one_trips: OneTrips,
    /// Label of the current block.
    pub(super) here: u32,
    /// Images with samplers that this block combined.
    pub(super) combined: FxHashMap<Inst, (u32, u32)>,
    pub(super) line: Origin,
    /// The last line was one of debug information.
    pub(super) is_debug_line: bool,
    /// The definition and the variables of the source, after the local variables.
    pub(super) debug_head: Words,
    /// Variables of the source whose values are written, with the scopes of their declarations.
    pub(super) held: FxHashSet<(Debug, Option<Debug>)>,
    /// Words of `code` from which on the output belongs to an instruction.
    pub(super) steps: Vec<(usize, Inst)>,
}

impl FunctionWriter<'_, '_> {
    /// A diagnostic about an instruction.
    pub(super) fn refuse(
        &self,
        code: &'static str,
        inst: Inst,
        message: impl Into<String>,
        help: impl Into<Help>,
    ) -> Diag {
        let at = Anchor::Inst(self.func, inst);
        Diag::error(code, at).names(inst, at).says(message).help(help)
    }

    /// An operation that has no instruction in SPIR-V.
    pub(super) fn no_instruction(&self, inst: Inst, help: impl Into<Help>) -> Diag {
        let name = self.body.inst(inst).op.name();
        self.refuse(NO_INSTRUCTION, inst, format!("is `{name}`, which SPIR-V has no instruction for"), help)
    }

    pub(super) fn slot(&self, inst: Inst) -> Slot {
        self.slots.get(inst.index()).copied().unwrap_or_default()
    }

    pub(super) fn set(&mut self, inst: Inst, slot: Slot) {
        self.slots[inst.index()] = slot;
    }

    /// Writes the source line if it differs from the last one.
    pub(super) fn line(&mut self, inst: Inst) {
        self.line_of(self.body.origin(inst));
    }

    /// Writes the source line of a terminator, if it is known.
    pub(super) fn end_line(&mut self, block: Block) {
        let origin = self.body.end_origin(block);
        if origin.line > 0 || origin.scope.is_some() {
            self.line_of(origin);
        }
    }

    /// Begins a block.
    pub(super) fn begin(&mut self, label: u32) {
        self.code.inst(S::Label, &[label]);
        self.here = label;
        self.line = Origin::default();
        self.is_debug_line = false;
        self.combined.clear();
    }

    /// The label of a block.
    pub(super) fn label(&mut self, block: Block) -> u32 {
        match self.labels.get(&block) {
            Some(&label) => label,
            None => {
                let label = self.writer.fresh();
                self.labels.insert(block, label);
                self.writer.trail.ids.push((label, Anchor::Block(self.func, block)));
                label
            }
        }
    }

    /// Emits an instruction whose result is not a value of the IR.
    pub(super) fn emit(&mut self, op: S, ty: u32, operands: &[u32]) -> u32 {
        let id = self.writer.fresh();
        self.code.parts(op, &[&[ty, id], operands]);
        id
    }

    /// Emits the instruction that computes a value, with its name and its flags.
    pub(super) fn define(&mut self, inst: Inst, op: S, ty: u32, operands: &[u32]) -> u32 {
        let id = self.emit(op, ty, operands);
        self.describe_result(inst, id);
        id
    }

    /// Writes the name and the flags of a value for its id.
    pub(super) fn describe_result(&mut self, inst: Inst, id: u32) {
        self.writer.name(id, self.body.inst_name(inst));
        self.writer.trail.ids.push((id, Anchor::Inst(self.func, inst)));
        let flags = self.body.inst(inst).flags;
        if flags != Flags::NONE {
            self.writer.write_flags(id, flags);
        }
    }
}
