//! Edges between blocks: their moves, targets and latches.

use super::func::FuncDecoder;
use crate::micro_op::{Arg, EdgeCode, NONE, Opcode, SwitchCode};
use vitrine_analysis::{EdgeId, EdgeKind};
use vitrine_ir::base::sort_by_number;
use vitrine_ir::ops::Width;
use vitrine_ir::{Block, Diag, Inst, NodeKind, Terminator};

impl FuncDecoder<'_, '_> {
    /// Decodes the terminator of a block, in either shape.
    pub(super) fn terminator(&mut self, block: Block) -> Result<(), Diag> {
        let body = self.body;
        if let Some(node) = self.cfg.enters(block) {
            match &body.node(node).kind {
                NodeKind::If { cond, .. } => self.branch(block, *cond),
                NodeKind::Switch { on, arms } => {
                    let values = arms.iter().map(|arm| (&arm.values[..], arm.default));
                    self.switch(block, *on, &values.collect::<Vec<_>>());
                }
                NodeKind::Loop { .. } | NodeKind::Block { .. } => self.goto(block),
            }
            return Ok(());
        }
        match body.terminator(block) {
            Terminator::Next(_) | Terminator::Break(..) | Terminator::Continue(..) | Terminator::Goto(_) => {
                self.goto(block);
            }
            Terminator::Branch { cond, .. } => self.branch(block, *cond),
            Terminator::Switch { on, cases, .. } => {
                let mut values: Vec<(&[u64], bool)> =
                    cases.iter().map(|case| (&case.values[..], false)).collect();
                values.push((&[], true));
                self.switch(block, *on, &values);
            }
            Terminator::Return(value) => {
                let args: Vec<Arg> = value.iter().map(|&value| self.arg(value)).collect();
                self.push(Opcode::Return, None, 0, 0, Width::W32, &args);
            }
            Terminator::Stop(stop) => self.push(Opcode::Stop(*stop), None, 0, 0, Width::W32, &[]),
        }
        Ok(())
    }

    fn goto(&mut self, block: Block) {
        let first = self.code.edges.len() as u32;
        for edge in self.cfg.out_edges(block).take(1) {
            self.edge(edge);
        }
        self.push(Opcode::Goto(first), None, 0, 0, Width::W32, &[]);
    }

    fn branch(&mut self, block: Block, cond: Inst) {
        let first = self.code.edges.len() as u32;
        // Then before else in both shapes.
        for edge in self.cfg.out_edges(block).take(2) {
            self.edge(edge);
        }
        let cond = self.arg(cond);
        self.push(Opcode::Branch(first), None, 0, 0, Width::W32, &[cond]);
    }

    /// `arms`: values, and a flag for the default, in order of the slots of the edges.
    fn switch(&mut self, block: Block, on: Inst, arms: &[(&[u64], bool)]) {
        let mut code = SwitchCode { cases: Vec::new(), default: NONE };
        for edge in self.cfg.out_edges(block) {
            let data = self.cfg.edge(edge);
            let number = self.edge(edge);
            let Some(&(values, default)) = arms.get(data.slot as usize) else { continue };
            if default || data.kind == EdgeKind::Default {
                code.default = number;
            }
            code.cases.extend(values.iter().map(|&value| (value, number)));
        }
        sort_by_number(&mut code.cases, |&(_, number)| number.into());
        sort_by_number(&mut code.cases, |&(value, _)| value);
        code.cases.dedup_by_key(|case| case.0);
        let number = self.code.switches.len() as u32;
        self.code.switches.push(code);
        let on = self.arg(on);
        self.push(Opcode::Switch(number), None, 0, 0, Width::W32, &[on]);
    }

    fn edge(&mut self, edge: EdgeId) -> u32 {
        let data = self.cfg.edge(edge);
        let cfg = self.cfg.clone();
        let (args, params) = (cfg.args(self.body, edge), &self.body.block(data.to).params);
        let first = self.code.moves.len();
        for (&arg, &param) in args.iter().zip(params.iter()) {
            let (from, to) = (self.code.values[arg], self.code.values[param]);
            for part in 0..u32::from(to.1.min(from.1.max(1))) {
                if from.0 + part != to.0 + part {
                    self.code.moves.push((from.0 + part, to.0 + part));
                }
            }
        }
        let moves = self.code.moves.get(first..).unwrap_or(&[]);
        let mut written: Vec<u32> = moves.iter().map(|&(_, to)| to).collect();
        sort_by_number(&mut written, |&to| to.into());
        let overlap = moves.len() > 1 && moves.iter().any(|(from, _)| written.binary_search(from).is_ok());
        let latch = self.order.latch(data.from, data.to);
        self.targets.push((data.to, latch));
        self.code.edges.push(EdgeCode {
            moves: first as u32,
            count: moves.len() as u32,
            overlap,
            to: NONE,
            latch: NONE,
            hidden: 0,
        });
        (self.code.edges.len() - 1) as u32
    }

    /// Resolves the targets of edges, after all code is laid out.
    pub(super) fn settle(&mut self) {
        for (edge, &(to, latch)) in self.code.edges.iter_mut().zip(&self.targets) {
            edge.to = self.starts[to].unwrap_or(NONE);
            if let Some(&(at, hidden)) = latch.and_then(|ring| self.latches.get(ring as usize)) {
                edge.latch = at;
                edge.hidden = hidden;
            }
        }
    }
}
