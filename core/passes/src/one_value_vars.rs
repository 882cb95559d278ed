//! `one-value-vars`: replaces loads of variables that only ever hold one value by that value.
//!
//! ```text
//! store %2, %0                              store %2, %0
//! store %3, %0                       =>     store %3, %0
//! %4: path = deref.elem %1, %5
//! %6: b32 = load %4                         ... %0 ...
//! ```
//!
//! An array whose elements all have one value yields that value at any index. A load before the first store is
//! undefined, so it may yield the value too; hence the order of loads and stores does not matter. The
//! requirements are that the value is available before each load, and that it is computed once per call: not in
//! a loop, where a load could refer to the value of the previous iteration.
//!
//! Applies to local variables without initializer whose paths are only used by plain loads and stores of whole
//! leaves of one type. The stores are kept: see `remove-dead-variables`. Unchanged: variables whose leaves are
//! only set to constants (`large-constants`), copies, vector components, masked stores.

use super::pass::PassInfo;
use crate::util::memory::roots;
use crate::util::memory::{addressed, has_locals, is_plain};
use crate::util::open::in_order;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_analysis::{Analyses, Dom, Loops};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{DerefOp, Key, MemoryOp, Op, ValueType};
use vitrine_ir::{Block, Editor, Inst, InstData, Mode, Reason, Refusal, Var};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Replaces loads of variables that only ever hold one value by that value.",
    ..PassInfo::edits("one-value-vars", opening!("one_value_vars.rs"), |ed, cx| {
        one_value_vars(ed, cx.analyses)
    })
};

const WHY: Reason = Reason::Note("the variable never holds another value");

/// The maximum number of iterations. A value loaded from one variable may be stored to another; two iterations
/// are typical.
const MAX_ITERATIONS: usize = 16;

/// The uses of a variable.
#[derive(Default)]
struct Uses {
    spoiled: bool,
    value: Option<Inst>,
    loads: Vec<(Inst, Block)>,
}

/// Replaces loads. Near-linear; idempotent; both shapes.
pub(super) fn one_value_vars(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    if !has_locals(ed.module(), ed.id()) {
        return Ok(());
    }
    for _ in 0..MAX_ITERATIONS {
        let before = ed.journal().len();
        run_once(ed, analyses)?;
        if ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

fn run_once(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let uses = uses_of_locals(ed);
    if !uses.iter().any(|(_, uses)| !uses.loads.is_empty()) {
        return Ok(());
    }
    let dom = analyses.get::<Dom>(ed.module(), ed.id());
    let loops = analyses.get::<Loops>(ed.module(), ed.id());
    for (_, uses) in uses {
        let Some(value) = uses.value.filter(|_| !uses.spoiled) else { continue };
        let home = ed.block_of(value);
        if home.is_some_and(|home| loops.innermost(home).is_some()) {
            continue;
        }
        for (load, block) in uses.loads {
            let before = match home {
                // A parameter of the function.
                None => true,
                Some(home) if home == block => match (ed.index_of(value), ed.index_of(load)) {
                    (Some(value), Some(load)) => value < load,
                    (None, _) => true,
                    (_, None) => false,
                },
                Some(home) => dom.dominates(home, block),
            };
            // An earlier load may have been the value itself, or an operand of it.
            if !before || !ed.is_placed(load) || !ed.is_placed(value) || load == value {
                continue;
            }
            if !ed.consume_fuel() {
                return Ok(());
            }
            ed.replace(load, value, WHY)?;
        }
    }
    Ok(())
}

/// The uses of each local variable, in order of first occurrence.
fn uses_of_locals(ed: &Editor<'_>) -> Vec<(Var, Uses)> {
    let (module, body) = (ed.module(), ed.func());
    let looked_at = |var: Var| {
        let data = module.var(var);
        data.is_some_and(|data| {
            data.mode == Mode::Local && data.init.is_none() && data.owner == Some(ed.id())
        })
    };
    let addressed = addressed(module);
    let addressed: FxHashSet<Var> = addressed.collect();
    let roots = roots(body);
    let mut at: FxHashMap<Var, usize> = FxHashMap::default();
    let mut out: Vec<(Var, Uses)> = Vec::new();
    let mut entry = |out: &mut Vec<(Var, Uses)>, var: Var| {
        let next = out.len();
        let index = *at.entry(var).or_insert(next);
        if index == next {
            out.push((var, Uses { spoiled: !looked_at(var) || addressed.contains(&var), ..Uses::default() }));
        }
        index
    };
    let reached: Vec<Block> = in_order(body);
    for &block in &reached {
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            if let Some(var) = data.entity::<Var>(Key::Var).filter(|_| data.op != Op::Deref(DerefOp::Var)) {
                let index = entry(&mut out, var);
                out.iter_mut().skip(index).take(1).for_each(|(_, uses)| uses.spoiled = true);
            }
            for (number, &arg) in data.args.iter().enumerate() {
                let Some(var) = roots[arg] else { continue };
                let index = entry(&mut out, var);
                if let Some((_, uses)) = out.get_mut(index) {
                    uses.add(ed, (inst, data), number, block);
                }
            }
        }
        body.terminator(block).for_each_use(|value| {
            if let Some(var) = roots[value] {
                let index = entry(&mut out, var);
                out.iter_mut().skip(index).take(1).for_each(|(_, uses)| uses.spoiled = true);
            }
        });
    }
    // Unreachable code is unrestricted: its paths have no known variable.
    let all = body.blocks_in_order();
    if all.len() != reached.len() {
        let reached: FxHashSet<Block> = reached.into_iter().collect();
        for block in all.into_iter().filter(|block| !reached.contains(block)) {
            for &inst in body.block(block).insts.iter() {
                if let Some(var) = body.inst(inst).entity::<Var>(Key::Var) {
                    out.iter_mut()
                        .filter(|(known, _)| *known == var)
                        .for_each(|(_, uses)| uses.spoiled = true);
                }
            }
        }
    }
    out
}

impl Uses {
    /// Records the use of a path by an instruction.
    fn add(&mut self, ed: &Editor<'_>, (inst, data): (Inst, &InstData), number: usize, block: Block) {
        if number != 0 {
            self.spoiled = true;
            return;
        }
        match (data.op, data.args.get(1)) {
            (Op::Deref(DerefOp::Field | DerefOp::Elem), _) => {}
            (Op::Memory(MemoryOp::Load), _)
                if is_plain(data) && matches!(data.ty, ValueType::Bits { .. }) =>
            {
                self.loads.push((inst, block));
            }
            (Op::Memory(MemoryOp::Store), Some(&value)) if is_plain(data) && !data.attrs.has(Key::Mask) => {
                self.spoiled |= self.value.is_some_and(|known| known != value);
                self.value = Some(value);
            }
            _ => self.spoiled = true,
        }
        // All uses must have one type: a component of a vector is another value than the vector.
        let ty = |value: Inst| ed.func().ty(value);
        let wanted = self.value.map(ty).or_else(|| self.loads.first().map(|&(load, _)| ty(load)));
        let same = self.loads.last().is_none_or(|&(load, _)| Some(ty(load)) == wanted);
        self.spoiled |= !same || self.loads.first().is_some_and(|&(load, _)| Some(ty(load)) != wanted);
    }
}
