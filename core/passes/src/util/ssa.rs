//! SSA construction for variables with several definitions: block parameters where definitions meet, at the
//! iterated dominance frontier, and only where the variable is live (pruned).
//!
//! Works on both shapes. In a tree, parameters are added to first blocks of loops and continuing regions and to
//! blocks after nodes, since only those have several incoming edges.

use crate::util::rebuild;
use crate::util::rebuilt::{Change, Rebuilt};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use vitrine_analysis::{Cfg, Dom, Frontiers};
use vitrine_ir::base::{SideTable, sort_by_number};
use vitrine_ir::ops::BasicOp;
use vitrine_ir::{Args, Assembler, Block, Case, Edge, Event, Inst, Origin, Terminator, Text};

/// The reason for a difference in a function whose variables became values.
pub(crate) fn reason(rebuilt: &Rebuilt<'_>, event: Event) -> Option<&'static str> {
    Some(match rebuilt.change(event)? {
        Change::NewInst(data) if data.op == BasicOp::Param.into() => {
            "different values of the variable meet here"
        }
        Change::NewInst(data) if data.op == BasicOp::Undef.into() => "the variable has no value on this path",
        Change::NewInst(_) => "the variable begins with its initializer",
        Change::ChangedInst(..) | Change::ChangedNode => {
            "it uses the value of the variable in place of a load"
        }
        Change::ChangedBlock(old, new) if old.params != new.params => {
            "different values of the variable meet here"
        }
        Change::ChangedBlock(..) => "its terminator passes or uses the value of the variable",
        Change::GoneInst(_)
        | Change::MovedInst
        | Change::NewBlock
        | Change::GoneBlock
        | Change::MovedBlock
        | Change::NewNode(_)
        | Change::GoneNode(_)
        | Change::MovedNode => return None,
    })
}

/// A variable: its value at the end of the blocks that define it, and the blocks that use it.
pub(crate) struct Variable {
    /// A value with the variable's type.
    pub(crate) like: Inst,
    /// The variable's name, for its parameters.
    pub(crate) name: Option<Text>,
    /// The source line at which it is first set, for its parameters.
    pub(crate) line: Origin,
    /// The value at the end of each block that defines it.
    pub(crate) last: FxHashMap<Block, Inst>,
    /// Blocks that use the variable's value at their start.
    pub(crate) wanted: Vec<Block>,
}

/// The values of all variables.
pub(crate) struct Values {
    cfg: Rc<Cfg>,
    dom: Dom,
    vars: Vec<Variable>,
    /// The value of a variable at the start of a block, memoized; parameters first.
    at_entry: Vec<FxHashMap<Block, Inst>>,
    undef: Vec<Option<Inst>>,
}

impl Values {
    /// Adds the parameters and the edge arguments. The shape of `asm` must be set.
    pub(crate) fn build(asm: &mut Assembler, vars: Vec<Variable>) -> Values {
        let cfg = Rc::new(Cfg::of(asm.body()));
        let dom = Dom::of(&cfg);
        let frontiers = Frontiers::of(&Rc::new(dom.clone()));
        let count = vars.len();
        let at_entry = vec![FxHashMap::default(); count];
        let mut values = Values { cfg, dom, vars, at_entry, undef: vec![None; count] };
        let mut added: SideTable<Block, Vec<usize>> = SideTable::new();
        for var in 0..count {
            for block in values.meetings(&frontiers, var) {
                let param = rebuild::param_like(asm, block, values.vars[var].like);
                asm.name_inst(param, values.vars[var].name);
                asm.origin(param, values.vars[var].line);
                values.at_entry[var].insert(block, param);
                added[block].push(var);
            }
        }
        let cfg = values.cfg.clone();
        for &from in cfg.blocks() {
            if cfg.succs(from).any(|to| !added[to].is_empty()) {
                let terminator = asm.body().terminator(from).clone();
                let target = cfg.succs(from).find(|&to| !added[to].is_empty());
                let terminator = values.pass(asm, from, &terminator, target, &added);
                asm.block_mut(from).terminator = terminator;
            }
        }
        values
    }

    /// The blocks in which a variable needs a parameter, in reverse post-order.
    fn meetings(&self, frontiers: &Frontiers, var: usize) -> Vec<Block> {
        let var = &self.vars[var];
        let mut live: FxHashSet<Block> = FxHashSet::default();
        let mut work = var.wanted.clone();
        while let Some(block) = work.pop() {
            if self.cfg.is_reachable(block) && live.insert(block) {
                work.extend(self.cfg.preds(block).filter(|from| !var.last.contains_key(from)));
            }
        }
        let mut met: FxHashSet<Block> = FxHashSet::default();
        work.extend(var.last.keys());
        while let Some(block) = work.pop() {
            for to in frontiers.of_block(block) {
                if live.contains(&to) && met.insert(to) {
                    work.push(to);
                }
            }
        }
        let mut met: Vec<Block> = met.into_iter().collect();
        sort_by_number(&mut met, |&block| self.cfg.rpo_index(block).map_or(0, |at| at as u64 + 1));
        met
    }

    /// The value of a variable at the start of a block.
    pub(crate) fn at_entry(&mut self, asm: &mut Assembler, var: usize, block: Block) -> Inst {
        let mut path = Vec::new();
        let mut at = block;
        let value = loop {
            if let Some(&value) = self.at_entry[var].get(&at) {
                break value;
            }
            path.push(at);
            let Some(up) = self.dom.idom(at) else { break self.undefined(asm, var) };
            if let Some(&value) = self.vars[var].last.get(&up) {
                break value;
            }
            at = up;
        };
        self.at_entry[var].extend(path.into_iter().map(|block| (block, value)));
        value
    }

    /// The value of a variable at the end of a block.
    fn at_end(&mut self, asm: &mut Assembler, var: usize, block: Block) -> Inst {
        match self.vars[var].last.get(&block) {
            Some(&value) => value,
            None => self.at_entry(asm, var, block),
        }
    }

    fn undefined(&mut self, asm: &mut Assembler, var: usize) -> Inst {
        if let Some(undef) = self.undef[var] {
            return undef;
        }
        let undef = rebuild::inst_like(asm, BasicOp::Undef, self.vars[var].like);
        if let Some(entry) = self.cfg.entry() {
            rebuild::prepend(asm, entry, vec![undef]);
        }
        self.undef[var] = Some(undef);
        undef
    }

    fn pass(
        &mut self,
        asm: &mut Assembler,
        from: Block,
        terminator: &Terminator,
        target: Option<Block>,
        added: &SideTable<Block, Vec<usize>>,
    ) -> Terminator {
        let mut more = |to: Option<Block>, args: &Args| -> Args {
            let vars = to.map(|to| added[to].clone()).unwrap_or_default();
            let passed = vars.into_iter().map(|var| self.at_end(asm, var, from));
            args.iter().copied().chain(passed.collect::<Vec<_>>()).collect()
        };
        let mut edge = |edge: &Edge| Edge { to: edge.to, args: more(Some(edge.to), &edge.args) };
        match terminator {
            Terminator::Goto(to) => Terminator::Goto(edge(to)),
            Terminator::Branch { cond, then, els } => {
                Terminator::Branch { cond: *cond, then: edge(then), els: edge(els) }
            }
            Terminator::Switch { on, cases, default } => {
                let mut case = |case: &Case| Case { values: case.values.clone(), edge: edge(&case.edge) };
                let cases = cases.iter().map(&mut case).collect();
                Terminator::Switch { on: *on, cases, default: edge(default) }
            }
            // In a tree, all exit edges of a construct lead to one block, which accepts any arguments.
            Terminator::Next(args) => Terminator::Next(more(target, args)),
            Terminator::Break(node, args) => Terminator::Break(*node, more(target, args)),
            Terminator::Continue(node, args) => Terminator::Continue(*node, more(target, args)),
            Terminator::Return(_) | Terminator::Stop(_) => terminator.clone(),
        }
    }
}
