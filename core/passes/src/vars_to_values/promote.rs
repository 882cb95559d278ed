//! Converts loads and stores of leaves to values, with `ssa`.

use super::places::Places;
use crate::util::initial;
use crate::util::rebuild;
use crate::util::rebuild::replace_all;
use crate::util::ssa::{Values, Variable};
use rustc_hash::FxHashMap;
use vitrine_ir::Editor;
use vitrine_ir::base::{EntityId, sort_by_number};
use vitrine_ir::ops::{BasicOp, Key, MemoryOp, Op, ValueType};
use vitrine_ir::{
    Assembler, CowVec, Event, Func, FuncBody, Inst, InstData, Journal, Module, Origin, Reason, Shape, Text,
};

const LOADED: Reason = Reason::Note("the value that the variable holds here");
const STORED: Reason = Reason::Note("the variable is promoted to a value");

/// Replaces all accesses to promoted leaves; the journal contains the changes that a comparison cannot infer.
pub(super) fn promote(module: &mut Module, func: Func, places: &Places) -> Journal {
    let mut journal = Journal::new();
    let Some(body) = module.func(func).cloned() else { return journal };
    let names = places.names(module);
    let mut leaves =
        Leaves { asm: rebuild::copy(&body), numbers: FxHashMap::default(), vars: Vec::new(), names };
    match body.shape() {
        Shape::Declaration => return journal,
        Shape::Graph(order) => leaves.asm.graph(order.to_vec()),
        Shape::Tree(root) => leaves.asm.tree(*root),
    }
    let mut becomes: FxHashMap<Inst, Inst> = FxHashMap::default();
    let early = leaves.take_accesses(&body, places, &mut becomes, &mut journal);
    leaves.begin(module, &body, places, &mut becomes);
    let Leaves { mut asm, vars, .. } = leaves;
    let mut values = Values::build(&mut asm, vars);
    for EarlyLoad { load, leaf, block } in early {
        if becomes.contains_key(&load) {
            continue;
        }
        let value = values.at_entry(&mut asm, leaf, block);
        becomes.insert(load, value);
    }
    let becomes = resolve_chains(&becomes);
    replace_all(&mut asm, &becomes);
    let mut loads: Vec<(Inst, Inst)> = becomes.into_iter().collect();
    sort_by_number(&mut loads, |(load, _)| load.index() as u64);
    for (old, new) in loads {
        journal.push(Event::Replace { old, new }, LOADED);
        journal.push(Event::Erase(old.into()), LOADED);
    }
    Editor::replace_body(module, func, asm.finish(), journal)
}

/// A load of a leaf's value at the start of its block.
struct EarlyLoad {
    load: Inst,
    leaf: usize,
    block: vitrine_ir::Block,
}

struct Leaves {
    asm: Assembler,
    /// The number of the leaf at each place.
    numbers: FxHashMap<usize, usize>,
    vars: Vec<Variable>,
    /// The name of the leaf at each place.
    names: Vec<Option<Text>>,
}

impl Leaves {
    /// The number of a leaf; `like` is a value of its type.
    fn number(&mut self, places: &Places, place: usize, like: Inst) -> usize {
        let next = self.vars.len();
        let number = *self.numbers.entry(place).or_insert(next);
        if number == next {
            // A parameter that is an address declares its pointee, which a step does not.
            let like = match places.places.get(place).and_then(|place| place.pointee) {
                Some(at) => self.asm.add_inst(
                    InstData::new(BasicOp::Undef, ValueType::Path, &[])
                        .with(Key::Type, at.ty.index() as u64)
                        .with_word(at.mode),
                ),
                None => like,
            };
            let name = self.names.get(place).copied().flatten();
            let line = Origin::default();
            self.vars.push(Variable { like, name, line, last: FxHashMap::default(), wanted: Vec::new() });
        }
        number
    }

    /// Removes loads and stores from their blocks. Loads after a store in the same block are resolved at once.
    fn take_accesses(
        &mut self,
        body: &FuncBody,
        places: &Places,
        becomes: &mut FxHashMap<Inst, Inst>,
        journal: &mut Journal,
    ) -> Vec<EarlyLoad> {
        let mut early = Vec::new();
        for block in body.blocks_in_order() {
            let mut now: FxHashMap<usize, Inst> = FxHashMap::default();
            let mut kept = Vec::new();
            for &inst in body.block(block).insts.iter() {
                let data = body.inst(inst);
                let leaf = match (data.op, data.args.first()) {
                    (Op::Memory(MemoryOp::Load | MemoryOp::Store), Some(&path)) => places.leaf(path),
                    _ => None,
                };
                let Some(place) = leaf else {
                    kept.push(inst);
                    continue;
                };
                if let [_, stored] = data.args[..] {
                    let value = becomes.get(&stored).copied().unwrap_or(stored);
                    let leaf = self.number(places, place, stored);
                    rebuild::name_stored(&mut self.asm, value, self.vars[leaf].name);
                    if self.vars[leaf].line.line == 0 {
                        self.vars[leaf].line = body.origin(inst).line_only();
                    }
                    now.insert(leaf, value);
                    self.vars[leaf].last.insert(block, value);
                    journal.push(Event::Erase(inst.into()), STORED);
                    continue;
                }
                let leaf = self.number(places, place, inst);
                match now.get(&leaf) {
                    Some(&value) => {
                        becomes.insert(inst, value);
                    }
                    None => {
                        now.insert(leaf, inst);
                        early.push(EarlyLoad { load: inst, leaf, block });
                        self.vars[leaf].wanted.push(block);
                    }
                }
            }
            if kept.len() < body.block(block).insts.len() {
                self.asm.block_mut(block).insts = CowVec::new(kept);
            }
        }
        early
    }

    /// The values of leaves with an initializer at the start of the function, which loads of the entry block
    /// before any store return.
    fn begin(
        &mut self,
        module: &mut Module,
        body: &FuncBody,
        places: &Places,
        becomes: &mut FxHashMap<Inst, Inst>,
    ) {
        let Some(entry) = body.entry() else { return };
        let mut numbers: Vec<(usize, usize)> =
            self.numbers.iter().map(|(&place, &leaf)| (place, leaf)).collect();
        sort_by_number(&mut numbers, |&(place, _)| place as u64);
        let mut made = Vec::new();
        for (place, leaf) in numbers {
            let Some(data) = first_value(module, places, place) else { continue };
            let value = self.asm.add_inst(data);
            made.push(value);
            self.vars[leaf].last.entry(entry).or_insert(value);
            // The value at the start of a block is that of the initializer.
            if self.vars[leaf].wanted.contains(&entry) {
                self.vars[leaf].wanted.retain(|&block| block != entry);
                for &inst in body.block(entry).insts.iter() {
                    let data = body.inst(inst);
                    let here = data.args.first().is_some_and(|&path| places.leaf(path) == Some(place));
                    match data.op {
                        Op::Memory(MemoryOp::Load) if here => {
                            becomes.entry(inst).or_insert(value);
                        }
                        Op::Memory(MemoryOp::Store) if here => break,
                        _ => {}
                    }
                }
            }
        }
        rebuild::prepend(&mut self.asm, entry, made);
    }
}

/// The initializer of a leaf, as an instruction.
fn first_value(module: &mut Module, places: &Places, at: usize) -> Option<InstData> {
    let place = places.places.get(at)?;
    let ty = place.value?;
    let init = module.var(place.var)?.init?;
    let part = initial::part(module, init, places.steps(at), ty)?;
    Some(initial::instruction(part, ty))
}

/// Resolves every load to its final replacement: chains are followed once.
fn resolve_chains(becomes: &FxHashMap<Inst, Inst>) -> FxHashMap<Inst, Inst> {
    let mut out: FxHashMap<Inst, Inst> = FxHashMap::default();
    let mut loads: Vec<Inst> = becomes.keys().copied().collect();
    sort_by_number(&mut loads, |load| load.index() as u64);
    for load in loads {
        let mut chain = Vec::new();
        let mut at = load;
        while let Some(&next) = out.get(&at).or_else(|| becomes.get(&at)) {
            chain.push(at);
            at = next;
            // Loads that only replace each other are in unreachable code.
            if chain.len() > becomes.len() {
                break;
            }
        }
        out.extend(chain.into_iter().map(|link| (link, at)));
    }
    out
}
