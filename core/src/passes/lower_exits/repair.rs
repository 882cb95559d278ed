//! Values that are no longer seen where they are used, since a captured exit comes that way too.
//!
//! Each is a variable with one definition: parameters hand it on where ways meet. It is undefined where the
//! definition was not passed, and on jumps that it does not dominate: before, it was dead there, or its
//! definition would not have dominated its uses. Paths and handles are computed again
//! instead, as far as that is possible: a target has no parameters of their kind.

use crate::analysis::exits::forms::Captors;
use crate::analysis::{Cfg, Dom};
use crate::base::{EntityId, SideTable, sort_by_number};
use crate::ir::{Assembler, Block, Inst, Nesting, Node};
use crate::ops::{BasicOp, Key, Props, ValueType};
use crate::passes::util::rebuild;
use crate::passes::util::ssa::{Values, Variable};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The tree before its jumps were captured.
pub(super) struct Before<'a> {
    pub(super) captors: &'a Captors,
    pub(super) dom: &'a Dom,
    /// The blocks whose jumps each node captures.
    pub(super) sources: &'a SideTable<Node, Vec<Block>>,
}

/// Hands broken values on. The shape of `asm` has been said.
pub(super) fn repair(asm: &mut Assembler, before: &Before<'_>) {
    let cfg = Rc::new(Cfg::of(asm.body()));
    let dom = Dom::of(&cfg);
    let mut repairer = Repairer { home: homes(asm), dom, vars: Vec::new(), of: FxHashMap::default() };
    let nesting = Nesting::of(asm.body());
    let mut broken: Vec<(Block, FxHashMap<Inst, Use>)> = Vec::new();
    for &block in cfg.rpo() {
        let wanted = uses(asm, &nesting, block);
        let broken_here: Vec<Inst> =
            wanted.into_iter().filter(|&value| repairer.is_broken(value, block)).collect();
        if !broken_here.is_empty() {
            let here = repairer.block(asm, block, broken_here);
            broken.push((block, here));
        }
    }
    if broken.is_empty() {
        return;
    }
    repairer.forget(asm, before);
    let mut values = Values::build(asm, repairer.vars);
    for (block, here) in broken {
        let mut now: FxHashMap<Inst, Inst> = FxHashMap::default();
        let mut all: Vec<(Inst, Use)> = here.into_iter().collect();
        sort_by_number(&mut all, |(value, _)| value.index() as u64);
        for (value, used) in all {
            let stands = match used {
                Use::Var(var) => values.at_entry(asm, var, block),
                Use::Again(copy) => copy,
            };
            now.insert(value, stands);
        }
        replace(asm, &nesting, block, &now);
    }
}

/// What a broken value is in a block.
#[derive(Clone, Copy)]
enum Use {
    /// What this variable holds.
    Var(usize),
    /// This copy.
    Again(Inst),
}

struct Repairer {
    home: SideTable<Inst, Option<Block>>,
    dom: Dom,
    vars: Vec<Variable>,
    of: FxHashMap<Inst, usize>,
}

impl Repairer {
    fn is_broken(&self, value: Inst, block: Block) -> bool {
        self.home[value].is_some_and(|home| !self.dom.dominates(home, block))
    }

    /// What stands for broken values in a block. Copies are put at its beginning, with the operands of the
    /// original.
    fn block(&mut self, asm: &mut Assembler, block: Block, values: Vec<Inst>) -> FxHashMap<Inst, Use> {
        let mut here: FxHashMap<Inst, Use> = FxHashMap::default();
        let mut first = Vec::new();
        let mut work: Vec<(Inst, bool)> = values.into_iter().rev().map(|value| (value, false)).collect();
        while let Some((value, ready)) = work.pop() {
            if here.contains_key(&value) || !self.is_broken(value, block) {
                continue;
            }
            let data = asm.body().inst(value).clone();
            if !is_again(&data) {
                here.insert(value, Use::Var(self.variable(value, block)));
            } else if ready {
                let copy = asm.add_inst(data);
                asm.origin(copy, asm.body().origin(value));
                first.push(copy);
                here.insert(value, Use::Again(copy));
            } else {
                work.push((value, true));
                work.extend(data.args.iter().map(|&arg| (arg, false)));
            }
        }
        rebuild::prepend(asm, block, first);
        here
    }

    /// Lets variables be undefined at jumps that their definitions do not dominate.
    fn forget(&mut self, asm: &mut Assembler, before: &Before<'_>) {
        let mut undefs: FxHashMap<(ValueType, Option<u64>), Inst> = FxHashMap::default();
        for var in &mut self.vars {
            let Some(home) = self.home[var.like] else { continue };
            let mut around = before.captors.owner(home);
            while let Some(node) = around {
                for &source in
                    before.sources[node].iter().filter(|&&source| !before.dom.dominates(home, source))
                {
                    let data = asm.body().inst(var.like);
                    let kind = (data.ty, data.attrs.get(Key::Type));
                    let undef = undefs.entry(kind).or_insert_with(|| {
                        let undef = rebuild::inst_like(asm, BasicOp::Undef, var.like);
                        if let Some(entry) = asm.body().entry() {
                            rebuild::prepend(asm, entry, vec![undef]);
                        }
                        undef
                    });
                    var.last.insert(source, *undef);
                }
                around = before.captors.parent(node);
            }
        }
    }

    fn variable(&mut self, value: Inst, block: Block) -> usize {
        let home = self.home[value];
        let var = *self.of.entry(value).or_insert_with(|| {
            let last = home.map(|home| (home, value)).into_iter().collect();
            self.vars.push(Variable { like: value, last, wanted: Vec::new() });
            self.vars.len() - 1
        });
        self.vars[var].wanted.push(block);
        var
    }
}

/// Whether to compute a value again: it cannot be handed on, and comes out the same.
fn is_again(data: &crate::ir::InstData) -> bool {
    let props = data.op.props();
    let same = props.pure() || data.ty == ValueType::Handle && props.removable();
    data.ty.width().is_none() && same && !props.has(Props::NONDETERMINISTIC) && !props.has(Props::CONVERGENT)
}

/// The block of each value; none for parameters of the function.
fn homes(asm: &Assembler) -> SideTable<Inst, Option<Block>> {
    let mut home = SideTable::sized(None, asm.body().tables().insts.len());
    asm.body().for_each_inst(|block, inst| home[inst] = Some(block));
    home
}

/// The node behind a block.
fn entered(asm: &Assembler, nesting: &Nesting, block: Block) -> Option<Node> {
    let place = nesting.block(block)?;
    asm.body().region(place.region).rest.get(place.at).map(|&(node, _)| node)
}

/// The values that a block reads, each once.
fn uses(asm: &Assembler, nesting: &Nesting, block: Block) -> Vec<Inst> {
    let body = asm.body();
    let mut wanted: Vec<Inst> = Vec::new();
    for &inst in body.block(block).insts.iter() {
        wanted.extend(body.inst(inst).args.iter());
    }
    body.terminator(block).for_each_use(|value| wanted.push(value));
    wanted.extend(entered(asm, nesting, block).and_then(|node| body.node(node).kind.operand()));
    let mut seen: FxHashSet<Inst> = FxHashSet::default();
    wanted.retain(|&value| seen.insert(value));
    wanted
}

/// Lets a block read other values.
fn replace(asm: &mut Assembler, nesting: &Nesting, block: Block, now: &FxHashMap<Inst, Inst>) {
    let at = |value: Inst| now.get(&value).copied().unwrap_or(value);
    for &inst in asm.body().block(block).insts.clone().iter() {
        let args = asm.body().inst(inst).args.map(at);
        if args != asm.body().inst(inst).args {
            asm.inst_mut(inst).args = args;
        }
    }
    let exit = asm.body().terminator(block).map_uses(at);
    asm.block_mut(block).terminator = exit;
    if let Some(node) = entered(asm, nesting, block) {
        let mut data = asm.body().node(node).clone();
        if let Some(on) = data.kind.operand()
            && at(on) != on
        {
            data.kind = data.kind.with_operand(at(on));
            asm.put_node(node, data);
        }
    }
}
