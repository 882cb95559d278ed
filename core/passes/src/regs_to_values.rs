//! `regs-to-values`: converts registers to values and block parameters.
//!
//! ```text
//! ^1: ~0 = 1   ^2: ~0 = 2   ^3: %x = reg.load ~0     =>     ^1: next(1)   ^2: next(2)   ^3(%p): … %p
//! ```
//!
//! Loads, stores and registers are removed; a load without a previous store is `undef`. A store of some components becomes a
//! shuffle of the register's value and the stored one. Register arrays are unchanged.
//!
//! Parameters take the name of the register, and stored values that have no name take it, too.

use super::pass::{PassInfo, RunFn};
use crate::util::rebuild;
use crate::util::rebuild::{replace_all, resolved};
use crate::util::rebuilt::{Change, Rebuilt, replaced};
use crate::util::ssa::{self, Values, Variable};
use rustc_hash::FxHashMap;
use vitrine_ir::base::opening::opening;
use vitrine_ir::base::{EntityId, SideTable, sort_by_number};
use vitrine_ir::ops::attr::pack_components;
use vitrine_ir::ops::{Key, Op, RegOp, ValueType, VectorOp};
use vitrine_ir::{
    Anchor, Args, CowVec, Diag, Editor, Event, Func, FuncBody, Inst, InstData, Journal, Module, Origin, Reg,
    Shape,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Converts registers to values and block parameters.",
    reason,
    ..PassInfo::new(
        "regs-to-values",
        opening!("regs_to_values.rs"),
        RunFn::Rebuilds(|module, func, _| Ok(recorded(module, func)?.1)),
    )
};

/// Converts the plain registers of a function to values; returns their number. Works on both shapes.
///
/// Error: `P101` no such function.
pub fn regs_to_values(module: &mut Module, func: Func) -> Result<u32, Diag> {
    Ok(recorded(module, func)?.0)
}

/// Does the same; also returns the journal, with the replacement of each load.
fn recorded(module: &mut Module, func: Func) -> Result<(u32, Journal), Diag> {
    let Some(body) = module.func(func) else {
        return Err(Diag::error("P101", Anchor::Func(func)).says(format!("function {func} does not exist")));
    };
    let body = body.clone();
    let plain = plain_registers(&body);
    let count = plain.iter().filter(|(_, var)| var.is_some()).count();
    if count > 0 {
        let whole = whole_stores(&body, &plain);
        let (new, replacements) = convert(whole.as_ref().unwrap_or(&body), &plain);
        let journal = record(&body, &replacements);
        return Ok((count as u32, Editor::replace_body(module, func, new, journal)));
    }
    Ok((0, Journal::new()))
}

/// The reason for a difference that is no replacement of a load.
fn reason(rebuilt: &Rebuilt<'_>, event: Event) -> Option<&'static str> {
    Some(match rebuilt.change(event)? {
        Change::GoneInst(data) if data.op == RegOp::Store.into() => {
            "the register is a value: its loads use the stored value"
        }
        Change::NewInst(data) if data.op == VectorOp::Shuffle.into() => {
            "a store of some components keeps the other ones of the earlier value"
        }
        Change::ChangedInst(old, new) if old == new => "it is the value of the register, and has its name",
        _ => return ssa::reason(rebuilt, event),
    })
}

/// The function with every store of some components of a register replaced by a store of all. None if it has none.
fn whole_stores(body: &FuncBody, plain: &SideTable<Reg, Option<usize>>) -> Option<FuncBody> {
    let masked = |inst: Inst| {
        let data = body.inst(inst);
        let reg = data.entity::<Reg>(Key::Reg).filter(|&reg| plain[reg].is_some())?;
        Some((reg, data.attrs.get(Key::Mask)?))
    };
    let has_any = body
        .blocks_in_order()
        .iter()
        .any(|&block| body.block(block).insts.iter().any(|&i| masked(i).is_some()));
    if !has_any {
        return None;
    }
    let mut asm = rebuild::copy(body);
    match body.shape() {
        Shape::Declaration => {}
        Shape::Graph(order) => asm.graph(order.to_vec()),
        Shape::Tree(root) => asm.tree(*root),
    }
    for block in body.blocks_in_order() {
        let mut insts = Vec::with_capacity(body.block(block).insts.len());
        for &inst in body.block(block).insts.iter() {
            if let Some((reg, mask)) = masked(inst) {
                let value = body.inst(inst).args[0];
                let ty = body.ty(value);
                let count = ty.components();
                let whole = InstData::new(RegOp::Store, ValueType::Void, &[value]);
                let whole = whole.with(Key::Reg, reg.index() as u64);
                if (0..count).all(|at| mask >> at & 1 != 0) {
                    *asm.inst_mut(inst) = whole;
                    insts.push(inst);
                    continue;
                }
                let old = InstData::new(RegOp::Load, ty, &[]).with(Key::Reg, reg.index() as u64);
                let old = asm.add_inst(old);
                let from = |at: u8| if mask >> at & 1 != 0 { count + at } else { at };
                let components: Vec<u8> = (0..count).map(from).collect();
                let both = InstData::new(VectorOp::Shuffle, ty, &[old, value]);
                let both = asm.add_inst(both.with(Key::Components, pack_components(&components)));
                for new in [old, both] {
                    asm.origin(new, body.origin(inst));
                }
                *asm.inst_mut(inst) = InstData { args: Args::new(&[both]), ..whole };
                insts.extend([old, both]);
            }
            insts.push(inst);
        }
        asm.block_mut(block).insts = CowVec::new(insts);
    }
    Some(asm.finish())
}

/// The variables of registers: those that are loaded and stored directly.
fn plain_registers(body: &FuncBody) -> SideTable<Reg, Option<usize>> {
    let mut used: SideTable<Reg, bool> = SideTable::new();
    let mut odd: SideTable<Reg, bool> = SideTable::new();
    body.for_each_inst(|_, inst| {
        let data = body.inst(inst);
        let Some(reg) = data.entity::<Reg>(Key::Reg) else { return };
        used[reg] = true;
        odd[reg] |= !matches!(data.op, Op::Reg(RegOp::Load | RegOp::Store));
    });
    let mut plain = SideTable::new();
    let regs = body.regs().filter(|&(reg, data)| data.len == 0 && used[reg] && !odd[reg]);
    for (var, (reg, _)) in regs.enumerate() {
        plain[reg] = Some(var);
    }
    plain
}

/// The replacements of the loads that the function had.
fn record(before: &FuncBody, replacements: &FxHashMap<Inst, Inst>) -> Journal {
    let mut journal = Journal::new();
    let mut loads: Vec<Inst> =
        replacements.keys().copied().filter(|&load| before.tables().insts.contains(load)).collect();
    sort_by_number(&mut loads, |load| load.index() as u64);
    for load in loads {
        replaced(
            &mut journal,
            load,
            resolved(replacements, load),
            "the register holds this value at the load",
        );
    }
    journal
}

/// The function without the plain registers, and the replacement of each load.
fn convert(body: &FuncBody, plain: &SideTable<Reg, Option<usize>>) -> (FuncBody, FxHashMap<Inst, Inst>) {
    let mut asm = rebuild::copy(body);
    match body.shape() {
        Shape::Declaration => {}
        Shape::Graph(order) => asm.graph(order.to_vec()),
        Shape::Tree(root) => asm.tree(*root),
    }
    let var_of = |inst: Inst| body.inst(inst).entity::<Reg>(Key::Reg).and_then(|reg| plain[reg]);
    let mut vars: Vec<Option<Variable>> = Vec::new();
    // Loads of a register's value at the start of their block.
    let mut early = Vec::new();
    // The replacement of each load, or the value that it is computed from.
    let mut becomes: FxHashMap<Inst, Inst> = FxHashMap::default();
    for block in body.blocks_in_order() {
        let mut now: FxHashMap<usize, Inst> = FxHashMap::default();
        let mut kept = Vec::new();
        for &inst in body.block(block).insts.iter() {
            let Some(at) = var_of(inst) else {
                kept.push(inst);
                continue;
            };
            if vars.len() <= at {
                vars.resize_with(at + 1, || None);
            }
            let data = body.inst(inst);
            let is_load = data.op == Op::Reg(RegOp::Load);
            let like = if is_load { inst } else { data.args[0] };
            let var = vars[at].get_or_insert_with(|| Variable {
                like,
                name: data.entity::<Reg>(Key::Reg).and_then(|reg| body.reg(reg)?.name),
                line: Origin::default(),
                last: FxHashMap::default(),
                wanted: Vec::new(),
            });
            if !is_load {
                rebuild::name_stored(&mut asm, data.args[0], var.name);
                if var.line.line == 0 {
                    var.line = body.origin(inst).line_only();
                }
                now.insert(at, data.args[0]);
                var.last.insert(block, data.args[0]);
            } else if let Some(&value) = now.get(&at) {
                becomes.insert(inst, value);
            } else {
                early.push((inst, at, block));
                var.wanted.push(block);
            }
        }
        asm.block_mut(block).insts = CowVec::new(kept);
    }
    let mut values = Values::build(&mut asm, vars.into_iter().flatten().collect());
    for (inst, var, block) in early {
        let value = values.at_entry(&mut asm, var, block);
        becomes.insert(inst, value);
    }
    replace_all(&mut asm, &becomes);
    for (reg, _) in body.regs().filter(|&(reg, _)| plain[reg].is_some()) {
        asm.drop_reg(reg);
    }
    (asm.finish(), becomes)
}
