//! Uses of values: in their function, dominated by their definition.

use super::diagnostics::Naming;
use super::function::Checker;
use super::shape::{FUNCTION, Slot, block_of};
use super::*;
use vitrine_ir::ops::Key;
use vitrine_ir::{Block, Diag, Inst, InstData, Node, NodeKind, Var};

impl Checker<'_, '_> {
    /// Checks the operands of an instruction in a block.
    pub(super) fn scope(&mut self, inst: Inst, data: &InstData) {
        if self.layout.broken {
            return;
        }
        let slot = self.slots.get(inst);
        if slot.block == 0 || slot.block == FUNCTION {
            return;
        }
        for (at, &arg) in data.args.iter().enumerate() {
            if !self.visible(arg, slot) {
                self.invisible(arg, slot, Anchor::Arg(self.here.func, inst, at as u32));
            }
        }
    }

    /// Checks the values that a terminator uses.
    pub(super) fn terminator_scope(&mut self, block: Block) {
        let (body, func) = (self.here.body, self.here.func);
        let end = Slot { block: block.index() as u32 + 1, at: u32::MAX };
        let mut at = 0;
        body.terminator(block).for_each_use(|arg| {
            if !self.visible(arg, end) {
                self.invisible(arg, end, Anchor::TerminatorArg(func, block, at));
            }
            at += 1;
        });
    }

    /// Checks the value that a node uses, at the end of the block before it.
    pub(super) fn node_scope(&mut self, block: Block, node: Node) {
        let operand = match self.here.body.node(node).kind {
            NodeKind::If { cond, .. } => cond,
            NodeKind::Switch { on, .. } => on,
            NodeKind::Loop { .. } | NodeKind::Block { .. } => return,
        };
        let end = Slot { block: block.index() as u32 + 1, at: u32::MAX };
        if !self.visible(operand, end) {
            self.invisible(operand, end, Anchor::Node(self.here.func, node));
        }
    }

    fn visible(&self, arg: Inst, at: Slot) -> bool {
        let defined = self.slots.get(arg);
        match defined.block {
            0 => false,
            FUNCTION => true,
            block if block == at.block => defined.at < at.at,
            block => self.dom.as_ref().is_none_or(|dom| {
                let here = block_of(at.block);
                dom.dominates(block_of(block), here) || !dom.cfg().is_reachable(here)
            }),
        }
    }

    /// Reports why a value cannot be used.
    fn invisible(&mut self, arg: Inst, at: Slot, anchor: Anchor) {
        let here = self.here;
        let defined = self.slots.get(arg);
        let diag = match defined.block {
            0 if !here.body.tables().insts.contains(arg) => {
                let diag = Diag::error(OPERAND_PLACED, anchor).says(format!("{arg} does not exist in"));
                diag.name(here.itself()).help("use a value of this function")
            }
            0 => {
                let diag =
                    Diag::error(OPERAND_PLACED, anchor).name(here.inst(arg)).says("is not in any block of");
                diag.name(here.itself()).help("insert it into a block, or use another value")
            }
            block if block == at.block => {
                let diag =
                    Diag::error(DOMINATED, anchor).name(here.inst(arg)).says("is defined after this use");
                diag.help("move the definition before the use")
            }
            block
                if self
                    .dom
                    .as_ref()
                    .is_some_and(|dom| dom.dominates(block_of(at.block), block_of(block))) =>
            {
                let diag = Diag::error(DOMINATED, anchor).name(here.inst(arg)).says("is defined in");
                let diag = diag.name(here.block(block_of(block))).says(", which comes after this use");
                diag.help("move the definition before the use")
            }
            block => {
                let from = block_of(block);
                let diag = Diag::error(DOMINATED, anchor).name(here.inst(arg)).says("is defined in");
                let diag = diag.name(here.block(from)).says(", which does not dominate");
                let diag = diag.name(here.block(block_of(at.block)));
                diag.help("pass it along the edges, as a parameter of the blocks where paths merge")
            }
        };
        self.push(diag);
    }

    /// Checks that a local variable is used in its own function.
    pub(super) fn var_owner(&mut self, inst: Inst) {
        let Some(id) = self.here.body.inst(inst).entity::<Var>(Key::Var) else { return };
        let owner = self.here.module.var(id).and_then(|data| data.owner);
        if let Some(owner) = owner.filter(|&owner| owner != self.here.func) {
            let diag = self
                .error_at(LOCAL_OWNER, inst)
                .name(diagnostics::var(self.here.module, id))
                .says("is local to");
            let help = "pass its path as an argument, or make it `private`";
            self.push(diag.name(diagnostics::func(self.here.module, owner)).help(help));
        }
    }
}
