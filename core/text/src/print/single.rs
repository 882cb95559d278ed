//! Single blocks, their last decisions, and single instructions, as pictures and lists show them.

use super::body::node_keyword;
use super::{Printer, Sink};
use crate::Link;
use vitrine_ir::{Args, Block, Func, FuncBody, Inst, Nesting, Node, NodeKind, Terminator};

impl<S: Sink + ?Sized> Printer<'_, S> {
    /// One block of a function with its terminator. The text of the module has no terminator before a node; here it is the
    /// node without its regions: `if %19`, `switch %index`, `loop !2`. `nesting` is that of the function.
    pub fn one_block(&mut self, func: Func, block: Block, nesting: &Nesting) {
        let Some(body) = self.module.func(func) else { return };
        self.func = Some((func, body));
        match (&body.block(block).terminator, nesting.node_after(body, block)) {
            (Terminator::Next(args), Some(node)) => {
                self.block(block, 0, false, None);
                self.out.open_line(1);
                self.node_words(body, node, args);
                self.out.close_line();
            }
            _ => self.block(block, 0, true, None),
        }
        self.func = None;
    }

    /// The node that a block falls into, in a text of the block alone: the operand of a branch, or the name of a loop or labeled
    /// block, which terminators of other blocks refer to.
    fn node_words(&mut self, body: &FuncBody, node: Node, args: &Args) {
        let kind = &body.node(node).kind;
        self.keyword(node_keyword(kind));
        match kind.operand() {
            Some(operand) => self.value_use(operand),
            None => self.node_ref(node, Link::Use),
        }
        self.edge_args(args);
    }

    /// The decision at the end of a block, without a line of its own: `if %19`, `switch %index`, `return`, `stop discard`.
    /// Nothing for a block with one successor.
    pub fn decision(&mut self, func: Func, block: Block, nesting: &Nesting) {
        let Some(body) = self.module.func(func) else { return };
        self.func = Some((func, body));
        let (word, operand) = match &body.block(block).terminator {
            Terminator::Next(_) => {
                let kind = nesting.node_after(body, block).map(|node| &body.node(node).kind);
                let operand = kind.and_then(NodeKind::operand);
                (kind.filter(|_| operand.is_some()).map_or("", node_keyword), operand)
            }
            Terminator::Branch { cond, .. } => ("if ", Some(*cond)),
            Terminator::Switch { on, .. } => ("switch ", Some(*on)),
            Terminator::Return(_) => ("return", None),
            Terminator::Stop(stop) => {
                self.keyword("stop ");
                (stop.name(), None)
            }
            Terminator::Break(..) => ("break", None),
            Terminator::Continue(..) => ("continue", None),
            Terminator::Goto(_) => ("", None),
        };
        self.keyword(word);
        if let Some(operand) = operand {
            self.value_use(operand);
        }
        self.func = None;
    }

    /// One instruction, on a line of its own.
    pub fn one_inst(&mut self, func: Func, inst: Inst) {
        let Some(body) = self.module.func(func).filter(|body| body.tables().insts.contains(inst)) else {
            return;
        };
        self.func = Some((func, body));
        self.instruction(inst, 0);
        self.func = None;
    }
}
