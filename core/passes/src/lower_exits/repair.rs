//! Values that are no longer visible at their uses, since captured exits now share the path.
//!
//! Each becomes a variable with one definition: parameters pass it on where paths join. It is undefined on paths
//! without the definition, and on jumps that the definition does not dominate: there it was dead before, since a
//! definition dominates its uses. Paths and handles are rebuilt instead where possible: targets have no parameters
//! of these types.

use crate::util::rebuild;
use crate::util::ssa::{Values, Variable};
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;
use vitrine_analysis::exits::forms::Breakables;
use vitrine_analysis::{Cfg, Dom};
use vitrine_ir::base::{EntityId, SideTable, sort_by_number};
use vitrine_ir::ops::{BasicOp, Key, Props, ValueType};
use vitrine_ir::{Assembler, Block, Event, Inst, Journal, Nesting, Node, Origin, Reason};

/// The tree before its jumps were captured.
pub(super) struct Before<'a> {
    pub(super) breakables: &'a Breakables,
    pub(super) dom: &'a Dom,
    /// The blocks whose jumps each node captures.
    pub(super) sources: &'a SideTable<Node, Vec<Block>>,
}

/// Repairs broken values, and records the values that are computed again. The shape of `asm` is already set.
pub(super) fn repair(asm: &mut Assembler, before: &Before<'_>, journal: &mut Journal) {
    let cfg = Rc::new(Cfg::of(asm.body()));
    let dom = Dom::of(&cfg);
    let mut repairer =
        Repairer { def_block: def_blocks(asm), dom, vars: Vec::new(), of: FxHashMap::default() };
    let nesting = Nesting::of(asm.body());
    let mut broken: Vec<(Block, FxHashMap<Inst, Replacement>)> = Vec::new();
    for &block in cfg.rpo() {
        let used = uses(asm, &nesting, block);
        let broken_here: Vec<Inst> =
            used.into_iter().filter(|&value| repairer.is_broken(value, block)).collect();
        if !broken_here.is_empty() {
            let in_block = repairer.block(asm, block, broken_here);
            record(journal, &in_block);
            broken.push((block, in_block));
        }
    }
    if broken.is_empty() {
        return;
    }
    for var in &mut repairer.vars {
        var.name = asm.body().inst_name(var.like);
    }
    repairer.undefine(asm, before);
    let mut values = Values::build(asm, repairer.vars);
    for (block, in_block) in broken {
        let mut replacements: FxHashMap<Inst, Inst> = FxHashMap::default();
        let mut all: Vec<(Inst, Replacement)> = in_block.into_iter().collect();
        sort_by_number(&mut all, |(value, _)| value.index() as u64);
        for (value, use_) in all {
            let replacement = match use_ {
                Replacement::Var(var) => values.at_entry(asm, var, block),
                Replacement::Copy(copy) => copy,
            };
            replacements.insert(value, replacement);
        }
        replace(asm, &nesting, block, &replacements);
    }
}

/// Records the copies in a block.
fn record(journal: &mut Journal, in_block: &FxHashMap<Inst, Replacement>) {
    let copy = |(&of, replacement): (&Inst, &Replacement)| match *replacement {
        Replacement::Copy(new) => Some((of, new)),
        Replacement::Var(_) => None,
    };
    let mut copies: Vec<(Inst, Inst)> = in_block.iter().filter_map(copy).collect();
    sort_by_number(&mut copies, |(_, new)| new.index() as u64);
    for (of, new) in copies {
        let event = Event::Copy { of: of.into(), new: new.into() };
        journal.push(
            event,
            Reason::Note("captured exits end its visibility: it is computed again where it is used"),
        );
    }
}

/// Replacement of a broken value in a block.
#[derive(Clone, Copy)]
enum Replacement {
    /// The contents of this variable.
    Var(usize),
    /// This copy.
    Copy(Inst),
}

struct Repairer {
    def_block: SideTable<Inst, Option<Block>>,
    dom: Dom,
    vars: Vec<Variable>,
    of: FxHashMap<Inst, usize>,
}

impl Repairer {
    fn is_broken(&self, value: Inst, block: Block) -> bool {
        self.def_block[value].is_some_and(|def_block| !self.dom.dominates(def_block, block))
    }

    /// Returns the replacements of broken values in a block. Copies are inserted at its start, with the operands
    /// of the original.
    fn block(
        &mut self,
        asm: &mut Assembler,
        block: Block,
        values: Vec<Inst>,
    ) -> FxHashMap<Inst, Replacement> {
        let mut in_block: FxHashMap<Inst, Replacement> = FxHashMap::default();
        let mut first = Vec::new();
        let mut work: Vec<(Inst, bool)> = values.into_iter().rev().map(|value| (value, false)).collect();
        while let Some((value, ready)) = work.pop() {
            if in_block.contains_key(&value) || !self.is_broken(value, block) {
                continue;
            }
            let data = asm.body().inst(value).clone();
            if !is_recomputed(&data) {
                in_block.insert(value, Replacement::Var(self.variable(value, block)));
            } else if ready {
                let copy = asm.add_inst(data);
                asm.origin(copy, asm.body().origin(value));
                first.push(copy);
                in_block.insert(value, Replacement::Copy(copy));
            } else {
                work.push((value, true));
                work.extend(data.args.iter().map(|&arg| (arg, false)));
            }
        }
        rebuild::prepend(asm, block, first);
        in_block
    }

    /// Makes variables undefined at jumps that their definitions do not dominate.
    fn undefine(&mut self, asm: &mut Assembler, before: &Before<'_>) {
        let mut undefs: FxHashMap<(ValueType, Option<u64>), Inst> = FxHashMap::default();
        for var in &mut self.vars {
            let Some(def_block) = self.def_block[var.like] else { continue };
            let mut enclosing = before.breakables.owner(def_block);
            while let Some(node) = enclosing {
                for &source in
                    before.sources[node].iter().filter(|&&source| !before.dom.dominates(def_block, source))
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
                enclosing = before.breakables.parent(node);
            }
        }
    }

    fn variable(&mut self, value: Inst, block: Block) -> usize {
        let def_block = self.def_block[value];
        let var = *self.of.entry(value).or_insert_with(|| {
            let last = def_block.map(|def_block| (def_block, value)).into_iter().collect();
            let line = Origin::default();
            self.vars.push(Variable { like: value, name: None, line, last, wanted: Vec::new() });
            self.vars.len() - 1
        });
        self.vars[var].wanted.push(block);
        var
    }
}

/// Returns true if a value is recomputed: it cannot be a parameter, and recomputing gives the same result.
fn is_recomputed(data: &vitrine_ir::InstData) -> bool {
    let props = data.op.props();
    let same = props.pure() || data.ty == ValueType::Handle && props.removable();
    data.ty.width().is_none() && same && !props.has(Props::NONDETERMINISTIC) && !props.has(Props::CONVERGENT)
}

/// Returns the block of each value; none for parameters of the function.
fn def_blocks(asm: &Assembler) -> SideTable<Inst, Option<Block>> {
    let mut def_block = SideTable::sized(None, asm.body().tables().insts.len());
    asm.body().for_each_inst(|block, inst| def_block[inst] = Some(block));
    def_block
}

/// Returns the node after a block.
fn entered(asm: &Assembler, nesting: &Nesting, block: Block) -> Option<Node> {
    let place = nesting.block(block)?;
    asm.body().region(place.region).rest.get(place.at).map(|&(node, _)| node)
}

/// Returns the values that a block uses, without duplicates.
fn uses(asm: &Assembler, nesting: &Nesting, block: Block) -> Vec<Inst> {
    let body = asm.body();
    let mut used: Vec<Inst> = Vec::new();
    for &inst in body.block(block).insts.iter() {
        used.extend(body.inst(inst).args.iter());
    }
    body.terminator(block).for_each_use(|value| used.push(value));
    used.extend(entered(asm, nesting, block).and_then(|node| body.node(node).kind.operand()));
    let mut seen: FxHashSet<Inst> = FxHashSet::default();
    used.retain(|&value| seen.insert(value));
    used
}

/// Replaces the values that a block uses.
fn replace(asm: &mut Assembler, nesting: &Nesting, block: Block, replacements: &FxHashMap<Inst, Inst>) {
    let at = |value: Inst| replacements.get(&value).copied().unwrap_or(value);
    for &inst in asm.body().block(block).insts.clone().iter() {
        let args = asm.body().inst(inst).args.map(at);
        if args != asm.body().inst(inst).args {
            asm.inst_mut(inst).args = args;
        }
    }
    let terminator = asm.body().terminator(block).map_uses(at);
    asm.block_mut(block).terminator = terminator;
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
