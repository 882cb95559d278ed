//! `coalesce-regs`: merges registers that do not interfere, and writes parallel copies as sequences.
//!
//! ```text
//! ~y = %x       %x is ~x, and ~x and ~y do not interfere     =>     one register, and no copy
//!
//! ~a = %b       %b is ~b, and %a is ~a: a cycle              =>     %t = reg.load ~a    ~t = %t
//! ~b = %a                                                           %u = reg.load ~b    ~a = %u
//!                                                                   %v = reg.load ~t    ~b = %v
//! ```
//!
//! The second half of the translation out of SSA, after `values-to-regs`. Two registers interfere if one is stored while the
//! other is live, unless the stored value is the one that the other holds (Chaitin, 1982). Merging registers that do not
//! interfere is correct: between a store and a load of one, there is no store of the other with a different value.
//!
//! The stores at the end of a block are one parallel copy. A copy whose target no other copy needs comes first; if there is
//! none, the copies form cycles, and one target of a cycle moves to a temporary register. Stores of other values come last,
//! since no copy depends on them. So a value that was loaded before is not needed at the end of the block, and `dce` removes
//! loads without uses.
//!
//! Register arrays, and registers with stores of some components, are unchanged.

use super::pass::{PassInfo, RunFn, nothing};
use crate::util::rebuild;
use crate::util::rebuilt::{Change, Rebuilt};
use rustc_hash::FxHashMap;
use vitrine_analysis::{Analyses, Cfg};
use vitrine_ir::base::opening::opening;
use vitrine_ir::base::{EntityId, EntitySet, SideTable};
use vitrine_ir::ops::{Key, Op, RegOp, ValueType};
use vitrine_ir::{
    Anchor, Assembler, Block, CowVec, Diag, Editor, Event, Func, FuncBody, Inst, InstData, Journal, Module,
    Reg, RegData, Shape,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Merges registers that do not interfere, and writes parallel copies as sequences.",
    reason,
    ..PassInfo::new(
        "coalesce-regs",
        opening!("coalesce_regs.rs"),
        RunFn::Rebuilds(|module, func, cx| nothing(coalesce_regs(module, func, cx.analyses))),
    )
};

/// Merges registers and orders copies; returns the number of merged registers and written sequences.
///
/// Error: `P101` no such function.
fn coalesce_regs(module: &mut Module, func: Func, analyses: &mut Analyses) -> Result<u32, Diag> {
    let Some(body) = module.func(func) else {
        return Err(Diag::error("P101", Anchor::Func(func)).says(format!("function {func} does not exist")));
    };
    let mut body = body.clone();
    let mut accesses = Accesses::of(&body);
    if accesses.is_empty() {
        return Ok(0);
    }
    let cfg = analyses.get::<Cfg>(module, func);
    let classes = merged(&body, &cfg, &accesses);
    let mut count = classes.len() as u32;
    if count > 0 {
        body = renamed(&body, &accesses, &classes);
        accesses = Accesses::of(&body);
    }
    // Merging registers changes which loads are still in their registers.
    let held = held(&body, &cfg, &accesses);
    let mut writer = Writer { asm: rebuild::copy(&body), body: &body, accesses: &accesses, count: 0 };
    for block in body.blocks_in_order() {
        if let Some(held) = held.get(&block) {
            writer.block(block, held.clone());
        }
    }
    count += writer.count;
    if count > 0 {
        let new = shaped(writer.asm, &body);
        Editor::replace_body(module, func, new, Journal::new());
    }
    Ok(count)
}

/// The reason for a difference between the versions.
fn reason(rebuilt: &Rebuilt<'_>, event: Event) -> Option<&'static str> {
    Some(match rebuilt.change(event)? {
        Change::NewInst(data) if data.op == RegOp::Load.into() => {
            "a sequence of copies loads each value right before its store"
        }
        Change::NewInst(_) => "the copies form a cycle: one value moves to a temporary register first",
        Change::GoneInst(_) => "the register already holds this value",
        Change::ChangedInst(old, new) if old.attrs != new.attrs => {
            "the registers do not interfere, and are merged into one"
        }
        Change::ChangedInst(..) => "the value is loaded again right before the store",
        Change::MovedInst => "a copy comes before the copies that overwrite its source",
        Change::NewBlock
        | Change::GoneBlock
        | Change::ChangedBlock(..)
        | Change::MovedBlock
        | Change::NewNode(_)
        | Change::GoneNode(_)
        | Change::ChangedNode
        | Change::MovedNode => return None,
    })
}

/// The finished copy of a function, with the same shape.
fn shaped(mut asm: Assembler, like: &FuncBody) -> FuncBody {
    match like.shape() {
        Shape::Declaration => {}
        Shape::Graph(order) => asm.graph(order.to_vec()),
        Shape::Tree(root) => asm.tree(*root),
    }
    asm.finish()
}

/// An access of a whole register.
#[derive(Clone, Copy)]
enum Access {
    Load(Reg),
    Store(Reg, Inst),
}

/// The accesses of registers that the pass may change.
struct Accesses {
    of: FxHashMap<Inst, Access>,
}

impl Accesses {
    fn of(body: &FuncBody) -> Accesses {
        let mut odd: SideTable<Reg, bool> = SideTable::new();
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            let Some(reg) = data.entity::<Reg>(Key::Reg) else { return };
            let is_plain =
                matches!(data.op, Op::Reg(RegOp::Load | RegOp::Store)) && data.attrs.get(Key::Mask).is_none();
            odd[reg] |= !is_plain;
        });
        let plain: EntitySet<Reg> =
            body.regs().filter(|&(reg, data)| data.len == 0 && !odd[reg]).map(|(reg, _)| reg).collect();
        let mut of = FxHashMap::default();
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            let Some(reg) = data.entity::<Reg>(Key::Reg).filter(|&reg| plain.contains(reg)) else { return };
            let access = match (data.op, data.args.first()) {
                (Op::Reg(RegOp::Store), Some(&value)) => Access::Store(reg, value),
                _ => Access::Load(reg),
            };
            of.insert(inst, access);
        });
        Accesses { of }
    }

    fn is_empty(&self) -> bool {
        self.of.is_empty()
    }

    fn get(&self, inst: Inst) -> Option<Access> {
        self.of.get(&inst).copied()
    }

    /// The register that a value was loaded from.
    fn source(&self, value: Inst) -> Option<Reg> {
        match self.get(value)? {
            Access::Load(reg) => Some(reg),
            Access::Store(..) => None,
        }
    }

    /// Updates the loads whose values are still in their registers.
    fn step(&self, held: &mut EntitySet<Inst>, inst: Inst) {
        match self.get(inst) {
            Some(Access::Load(_)) => {
                held.insert(inst);
            }
            // A store of the value that a register holds does not change it.
            Some(Access::Store(to, value)) if held.contains(value) && self.source(value) == Some(to) => {}
            Some(Access::Store(to, _)) => {
                let gone: Vec<Inst> = held.iter().filter(|&load| self.source(load) == Some(to)).collect();
                for load in gone {
                    held.remove(load);
                }
            }
            None => {}
        }
    }
}

/// The registers that are live out of each block, and into the entry.
fn live(
    body: &FuncBody,
    cfg: &Cfg,
    accesses: &Accesses,
) -> (FxHashMap<Block, EntitySet<Reg>>, EntitySet<Reg>) {
    let mut live_in: FxHashMap<Block, EntitySet<Reg>> = FxHashMap::default();
    let out_of = |live_in: &FxHashMap<Block, EntitySet<Reg>>, block: Block| {
        let mut live = EntitySet::new();
        for to in cfg.succs(block) {
            if let Some(set) = live_in.get(&to) {
                live.union_with(set);
            }
        }
        live
    };
    let mut changed = true;
    while changed {
        changed = false;
        for &block in cfg.rpo().iter().rev() {
            let mut live = out_of(&live_in, block);
            for &inst in body.block(block).insts.iter().rev() {
                match accesses.get(inst) {
                    Some(Access::Load(reg)) => {
                        live.insert(reg);
                    }
                    Some(Access::Store(reg, _)) => {
                        live.remove(reg);
                    }
                    None => {}
                }
            }
            changed |= live_in.entry(block).or_default().union_with(&live);
        }
    }
    let undefined = cfg.entry().and_then(|entry| live_in.get(&entry).cloned()).unwrap_or_default();
    (cfg.rpo().iter().map(|&block| (block, out_of(&live_in, block))).collect(), undefined)
}

/// The loads whose values are in their registers at the start of each reachable block: on every path to it.
fn held(body: &FuncBody, cfg: &Cfg, accesses: &Accesses) -> FxHashMap<Block, EntitySet<Inst>> {
    let mut held_in: FxHashMap<Block, EntitySet<Inst>> = FxHashMap::default();
    let mut held_out: FxHashMap<Block, EntitySet<Inst>> = FxHashMap::default();
    let mut changed = true;
    while changed {
        changed = false;
        for &block in cfg.rpo() {
            let mut all = None;
            // A block without a set was not visited yet: nothing is known against any load there.
            for set in cfg.preds(block).filter_map(|from| held_out.get(&from)) {
                all = Some(match all {
                    None => set.clone(),
                    Some(other) => set.iter().filter(|&load| EntitySet::contains(&other, load)).collect(),
                });
            }
            let mut at = match cfg.entry() == Some(block) {
                true => EntitySet::new(),
                false => all.unwrap_or_default(),
            };
            held_in.insert(block, at.clone());
            body.block(block).insts.iter().for_each(|&inst| accesses.step(&mut at, inst));
            if held_out.get(&block).is_none_or(|old| !old.iter().eq(at.iter())) {
                changed = true;
                held_out.insert(block, at);
            }
        }
    }
    held_in
}

/// The register that each merged register becomes.
type Classes = FxHashMap<Reg, Reg>;

/// Merges the registers of copies that do not interfere, in the order of the program.
fn merged(body: &FuncBody, cfg: &Cfg, accesses: &Accesses) -> Classes {
    let (live_out, undefined) = live(body, cfg, accesses);
    let held_in = held(body, cfg, accesses);
    let mut against: FxHashMap<Reg, EntitySet<Reg>> = FxHashMap::default();
    let mut copies: Vec<(Reg, Reg)> = Vec::new();
    let interfere = |against: &mut FxHashMap<Reg, EntitySet<Reg>>, a: Reg, b: Reg| {
        against.entry(a).or_default().insert(b);
        against.entry(b).or_default().insert(a);
    };
    // They are all set before the function begins.
    let undefined: Vec<Reg> = undefined.iter().collect();
    for (at, &a) in undefined.iter().enumerate() {
        undefined.iter().skip(at + 1).for_each(|&b| interfere(&mut against, a, b));
    }
    for block in body.blocks_in_order() {
        let (Some(held), Some(live)) = (held_in.get(&block), live_out.get(&block)) else { continue };
        let insts = &body.block(block).insts;
        // The register that each store copies, if it copies one.
        let mut held = held.clone();
        let mut copied: FxHashMap<Inst, Reg> = FxHashMap::default();
        for &inst in insts.iter() {
            if let Some(Access::Store(to, value)) = accesses.get(inst)
                && let Some(from) = accesses.source(value).filter(|_| held.contains(value))
            {
                copied.insert(inst, from);
                if from != to {
                    copies.push((to, from));
                }
            }
            accesses.step(&mut held, inst);
        }
        let mut live = live.clone();
        for &inst in insts.iter().rev() {
            match accesses.get(inst) {
                Some(Access::Load(reg)) => {
                    live.insert(reg);
                }
                Some(Access::Store(to, _)) => {
                    for other in live.iter().filter(|&other| other != to && copied.get(&inst) != Some(&other))
                    {
                        interfere(&mut against, to, other);
                    }
                    live.remove(to);
                }
                None => {}
            }
        }
    }
    let mut classes = Classes::default();
    let find = |classes: &Classes, reg: Reg| classes.get(&reg).copied().unwrap_or(reg);
    let kind =
        |reg: Reg| body.tables().regs.get(reg).copied().flatten().map(|data| (data.width, data.components));
    for (to, from) in copies {
        let (a, b) = (find(&classes, from), find(&classes, to));
        let meets = against.get(&a).is_some_and(|others| others.contains(b));
        if a == b || meets || kind(a) != kind(b) {
            continue;
        }
        let moved: Vec<Reg> =
            body.regs().map(|(reg, _)| reg).filter(|&reg| find(&classes, reg) == b).collect();
        for reg in moved {
            classes.insert(reg, a);
        }
        // The class interferes with everything that a member interferes with.
        let others: Vec<Reg> = against.get(&b).into_iter().flat_map(EntitySet::iter).collect();
        for other in others {
            interfere(&mut against, a, other);
        }
    }
    classes
}

/// The function with merged registers.
fn renamed(body: &FuncBody, accesses: &Accesses, classes: &Classes) -> FuncBody {
    let mut asm = rebuild::copy(body);
    for (&inst, &(Access::Load(reg) | Access::Store(reg, _))) in &accesses.of {
        if let Some(&becomes) = classes.get(&reg) {
            let data = asm.inst_mut(inst);
            *data = data.clone().with(Key::Reg, becomes.index() as u64);
        }
    }
    classes.keys().for_each(|&reg| asm.drop_reg(reg));
    shaped(asm, body)
}

/// A store at the end of a block.
struct Move {
    store: Inst,
    to: Reg,
    value: Inst,
    /// The register that holds the value.
    from: Option<Reg>,
}

struct Writer<'b> {
    asm: Assembler,
    body: &'b FuncBody,
    accesses: &'b Accesses,
    /// The number of blocks that changed.
    count: u32,
}

impl Writer<'_> {
    /// Removes copies of a register to itself, and orders the stores at the end of the block.
    fn block(&mut self, block: Block, mut held: EntitySet<Inst>) {
        let insts = self.body.block(block).insts.clone();
        let mut kept: Vec<Inst> = Vec::with_capacity(insts.len());
        // The stores since the last other instruction, and the loads that were held before them: together they are one
        // parallel copy.
        let mut moves: Vec<Move> = Vec::new();
        let mut before = held.clone();
        for &inst in insts.iter() {
            match self.accesses.get(inst) {
                Some(Access::Store(to, value)) => {
                    // A second store of a register begins another copy.
                    if moves.is_empty() || moves.iter().any(|of| of.to == to) {
                        kept.extend(moves.drain(..).map(|of| of.store));
                        before.clone_from(&held);
                    }
                    let from = self.accesses.source(value).filter(|_| before.contains(value));
                    // The register holds the value already.
                    if from != Some(to) {
                        moves.push(Move { store: inst, to, value, from });
                    }
                }
                Some(Access::Load(_)) | None => {
                    kept.extend(moves.drain(..).map(|of| of.store));
                    kept.push(inst);
                }
            }
            self.accesses.step(&mut held, inst);
        }
        // One copy of the load right before it is the end of a sequence.
        let copies = moves.iter().filter(|of| of.from.is_some()).count();
        let is_first = moves.first().is_some_and(|of| of.from.is_some() && kept.last() == Some(&of.value));
        let is_sequence = copies == 0 || copies == 1 && is_first;
        match is_sequence {
            true => kept.extend(moves.into_iter().map(|of| of.store)),
            false => self.sequence(moves, &mut kept),
        }
        if !kept.iter().eq(insts.iter()) {
            self.count += 1;
            self.asm.block_mut(block).insts = CowVec::new(kept);
        }
    }

    /// Writes the moves of a parallel copy one after the other.
    fn sequence(&mut self, moves: Vec<Move>, out: &mut Vec<Inst>) {
        let (mut pending, last): (Vec<Move>, Vec<Move>) = moves.into_iter().partition(|of| of.from.is_some());
        while !pending.is_empty() {
            let is_needed =
                |of: &Move| pending.iter().any(|other| other.store != of.store && other.from == Some(of.to));
            match pending.iter().position(|of| !is_needed(of)) {
                Some(at) => {
                    let of = pending.remove(at);
                    if let Some(from) = of.from {
                        let value = self.load(from, of.value, out);
                        self.asm.inst_mut(of.store).args = vitrine_ir::Args::new(&[value]);
                    }
                    out.push(of.store);
                }
                // Only cycles are left: the value of one target moves to a temporary register.
                None => {
                    let Some(to) = pending.first().map(|of| of.to) else { return };
                    let Some(needing) = pending.iter().find(|of| of.from == Some(to)).map(|of| of.value)
                    else {
                        return;
                    };
                    let temporary = self.temporary(to);
                    let value = self.load(to, needing, out);
                    let store = InstData::new(RegOp::Store, ValueType::Void, &[value]);
                    out.push(self.asm.add_inst(store.with(Key::Reg, temporary.index() as u64)));
                    for of in pending.iter_mut().filter(|of| of.from == Some(to)) {
                        of.from = Some(temporary);
                    }
                }
            }
        }
        out.extend(last.into_iter().map(|of| of.store));
    }

    /// A load of the type of `like`.
    fn load(&mut self, from: Reg, like: Inst, out: &mut Vec<Inst>) -> Inst {
        let data = InstData::new(RegOp::Load, self.body.ty(like), &[]);
        let load = self.asm.add_inst(data.with(Key::Reg, from.index() as u64));
        out.push(load);
        load
    }

    /// A new register like another one.
    fn temporary(&mut self, like: Reg) -> Reg {
        let reg = Reg::from_index(self.asm.body().tables().regs.len());
        let like = self.body.tables().regs.get(like).copied().flatten();
        if let Some(data) = like {
            self.asm.put_reg(reg, RegData { name: None, ..data });
        }
        reg
    }
}
