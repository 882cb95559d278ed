//! Checks that two functions execute the same blocks with the same values: the reference for everything that
//! changes control flow. Always enabled in tests.
//!
//! [`same_edges`] compares a graph with its tree edge by edge: every block occurs once, and every edge of the
//! graph is a path through synthesized blocks to the same block, with the same arguments. [`same_walks`] runs
//! both along the same seeded decisions and compares the events. It is valid for every pass that keeps the ids
//! of instructions, regardless of changes to parameters, registers and empty blocks.
//!
//! The semantics of instructions are abstract: equal operands give equal results, and the outcomes of decisions
//! are drawn at random. Only constants and comparisons of constants are evaluated, because selectors consist of
//! them.

mod steps; // one step of either shape
mod walk;

use rustc_hash::FxHashMap;
use std::fmt::Display;
use steps::{Pick, Steps};
use vitrine_ir::base::{EntityId, EntitySet};
use vitrine_ir::ops::BasicOp;
use vitrine_ir::{Anchor, Block, Diag, FuncBody, Inst, Module, Terminator};

pub use walk::{Event, follow, same_walks, walk};

fn wrong(says: impl Display) -> Diag {
    Diag::error("P190", Anchor::Module).says(says.to_string())
}

/// Checks that `tree` is `graph` apart from empty blocks, dispatch and merged straight-line blocks: each block
/// once, the same edges, the same arguments.
pub fn same_edges(module: &Module, graph: &FuncBody, tree: &FuncBody) -> Result<(), Diag> {
    let cfg = vitrine_analysis::Cfg::of(graph);
    let checker = Checker { module, graph, tree, steps: Steps::of(tree), made: graph.tables().blocks.len() };
    let placed: EntitySet<Block> = tree.blocks_in_order().into_iter().collect();
    let mut met: EntitySet<Block> = EntitySet::new();
    for &block in cfg.rpo().iter().filter(|&&block| placed.contains(block)) {
        let mut end = block;
        let mut insts = checker.insts_of(end);
        met.insert(end);
        while let Terminator::Goto(edge) = graph.terminator(end)
            && !placed.contains(edge.to)
        {
            checker.check_args(edge.to, &edge.args, &[], &FxHashMap::default())?;
            end = edge.to;
            if !met.insert(end) {
                return Err(wrong(format!("{end} occurs twice in the tree")));
            }
            insts.extend_from_slice(&graph.block(end).params);
            insts.extend_from_slice(&graph.block(end).insts);
        }
        if !tree.block(block).insts.starts_with(&insts) {
            return Err(wrong(format!("the instructions of {block} have changed")));
        }
        checker.edges(block, end)?;
    }
    match cfg.rpo().iter().find(|&&block| !met.contains(block)) {
        Some(block) => Err(wrong(format!("{block} is missing in the tree"))),
        None => Ok(()),
    }
}

struct Checker<'a> {
    module: &'a Module,
    graph: &'a FuncBody,
    tree: &'a FuncBody,
    steps: Steps<'a>,
    /// Blocks from this index on are synthesized.
    made: usize,
}

impl Checker<'_> {
    /// The instructions of a block, including its parameters if they are copies now.
    fn insts_of(&self, block: Block) -> Vec<Inst> {
        let data = self.graph.block(block);
        let params: &[Inst] = if self.tree.block(block).params.is_empty() { &data.params } else { &[] };
        params.iter().chain(data.insts.iter()).copied().collect()
    }

    /// Checks that every edge out of `end` leads from `block` to the same target.
    fn edges(&self, block: Block, end: Block) -> Result<(), Diag> {
        let terminator = self.graph.terminator(end);
        match terminator {
            Terminator::Goto(edge) => self.edge(block, None, edge.to, &edge.args),
            Terminator::Branch { cond, then, els } => {
                self.edge(block, Some((*cond, Pick::Bool(true))), then.to, &then.args)?;
                self.edge(block, Some((*cond, Pick::Bool(false))), els.to, &els.args)
            }
            Terminator::Switch { on, cases, default } => {
                for case in cases.iter() {
                    for &value in &case.values {
                        let pick = Some((*on, Pick::Value(Some(value))));
                        self.edge(block, pick, case.edge.to, &case.edge.args)?;
                    }
                }
                self.edge(block, Some((*on, Pick::Value(None))), default.to, &default.args)
            }
            Terminator::Next(_)
            | Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Return(_)
            | Terminator::Stop(_) => self.end(block, terminator),
        }
    }

    /// Follows one decision from `block` through synthesized blocks, and compares the target.
    fn edge(
        &self,
        block: Block,
        decision: Option<(Inst, Pick)>,
        to: Block,
        args: &[Inst],
    ) -> Result<(), Diag> {
        let mut decision = decision;
        let mut known: FxHashMap<Inst, Inst> = FxHashMap::default();
        let mut at = block;
        // A longer path through empty blocks would be a cycle.
        for _ in 0..self.tree.tables().blocks.len() + 1 {
            let mut failed = None;
            let went = self.steps.leave(at, |on, _| {
                let on = resolve(&known, on);
                match decision.take() {
                    Some((wanted, pick)) if wanted == on => pick,
                    other => {
                        decision = other;
                        let bits = self.tree.const_of(on).map(|id| self.module.bits_of(id).components()[0]);
                        if bits.is_none() {
                            failed = Some(on);
                        }
                        Pick::Value(bits)
                    }
                }
            });
            if let Some(on) = failed {
                return Err(wrong(format!("the path from {block} to {to} branches on {on} at {at}")));
            }
            let Some((next, passed)) = went else {
                return Err(wrong(format!("the path from {block} to {to} terminates at {at}")));
            };
            if next.index() < self.made {
                if next != to {
                    return Err(wrong(format!("the path from {block} to {to} leads to {next}")));
                }
                if decision.is_some() {
                    return Err(wrong(format!("the path from {block} to {to} does not branch")));
                }
                return self.check_args(to, args, passed, &known);
            }
            let params = self.tree.block(next).params.clone();
            let values: Vec<Inst> = passed.iter().map(|&arg| resolve(&known, arg)).collect();
            known.extend(params.iter().copied().zip(values));
            at = next;
        }
        Err(wrong(format!("the path from {block} to {to} is endless")))
    }

    fn end(&self, block: Block, terminator: &Terminator) -> Result<(), Diag> {
        let mut at = block;
        while let Some((next, _)) = self.steps.leave(at, |_, _| Pick::Value(None)) {
            if next.index() < self.made {
                return Err(wrong(format!(
                    "{block} terminates the function in the graph but not in the tree"
                )));
            }
            at = next;
        }
        if self.tree.terminator(at) == terminator {
            return Ok(());
        }
        Err(wrong(format!("{block} has a different terminator")))
    }

    /// Checks that the parameters of a block receive the arguments of an edge.
    fn check_args(
        &self,
        to: Block,
        args: &[Inst],
        passed: &[Inst],
        known: &FxHashMap<Inst, Inst>,
    ) -> Result<(), Diag> {
        let params = &self.graph.block(to).params;
        for (at, (&param, &arg)) in params.iter().zip(args).enumerate() {
            let data = self.tree.inst(param);
            let got = if data.op == BasicOp::Copy.into() && self.graph.inst(param).op != data.op {
                data.args.first().map(|&value| resolve(known, value))
            } else {
                let fits = self.tree.block(to).params.get(at) == Some(&param);
                passed.get(at).filter(|_| fits).map(|&value| resolve(known, value))
            };
            if got != Some(arg) {
                return Err(wrong(format!("{param} of {to} receives {got:?} instead of {arg}")));
            }
        }
        Ok(())
    }
}

fn resolve(known: &FxHashMap<Inst, Inst>, value: Inst) -> Inst {
    known.get(&value).copied().unwrap_or(value)
}
