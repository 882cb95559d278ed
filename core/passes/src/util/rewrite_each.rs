//! Drivers for passes that visit every instruction and rewrite some of them. Such a pass is a filter, which
//! yields what the rewrite needs to know, and a callback, which rewrites.
//!
//! | driver | visits | for |
//! | --- | --- | --- |
//! | [`rewrite_each`] | forward, not new instructions | rewrites of one instruction, its operands and its uses |
//! | [`rewrite_each_backward`] | backward, not new instructions | rewrites that split the block |
//! | [`expand_all`] | forward, and new instructions too | expansions to operations that may need another expansion |
//!
//! [`rewrite_everywhere`] does the same in all functions of a module, and [`each_function`] edits functions.
//!
//! One rewrite is a unit of fuel; a driver stops when there is none. A filter may be a closure with state, such as a
//! budget: it may count the rewrite that it selects. A pass whose callback changes a table that its filter reads
//! has its own loop. For rewrites that enable others, see `apply_rules`.
//!
//! NIR: `nir_shader_instructions_pass`, `nir_shader_lower_instructions`.

use super::open::{all_insts, in_order, insts_in_order, may_have, open, refused};
use crate::pass::Journals;
use vitrine_ir::{Diag, Editor, Fuel, Func, FuncBody, Inst, InstData, Module, Reason, Refusal};

/// Rewrites the instructions that the filter selects, in order. The filter sees the rewrites of earlier
/// instructions.
///
/// Linear, apart from the filter and the callback. Error: a refusal of the callback.
pub(crate) fn rewrite_each<T>(
    ed: &mut Editor<'_>,
    filter: impl FnMut(&Editor<'_>, Inst) -> Option<T>,
    rewrite: impl FnMut(&mut Editor<'_>, Inst, T) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let insts = insts_in_order(ed.func());
    rewrite_each_of(ed, insts, filter, rewrite)
}

/// Like [`rewrite_each`], but visits these instructions.
pub(crate) fn rewrite_each_of<T>(
    ed: &mut Editor<'_>,
    insts: Vec<Inst>,
    mut filter: impl FnMut(&Editor<'_>, Inst) -> Option<T>,
    mut rewrite: impl FnMut(&mut Editor<'_>, Inst, T) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    visit(ed, insts, &mut |ed, inst| {
        let Some(found) = filter(ed, inst) else { return Ok(true) };
        if !ed.consume_fuel() {
            return Ok(false);
        }
        rewrite(ed, inst, found).map(|()| true)
    })
}

/// Visits instructions until the visitor returns false. Compiled once for all passes.
fn visit(
    ed: &mut Editor<'_>,
    insts: Vec<Inst>,
    visitor: &mut dyn FnMut(&mut Editor<'_>, Inst) -> Result<bool, Refusal>,
) -> Result<(), Refusal> {
    for inst in insts {
        if !visitor(ed, inst)? {
            break;
        }
    }
    Ok(())
}

/// Selects instructions, then rewrites them from the last one on, so that the part that is split off a block is
/// short. The filter sees the function before all rewrites.
///
/// Linear, apart from the filter and the callback. Error: a refusal of the callback.
pub(crate) fn rewrite_each_backward<T>(
    ed: &mut Editor<'_>,
    mut filter: impl FnMut(&Editor<'_>, Inst) -> Option<T>,
    mut rewrite: impl FnMut(&mut Editor<'_>, Inst, T) -> Result<(), Refusal>,
) -> Result<(), Refusal> {
    let select = |inst| Some((inst, filter(ed, inst)?));
    let all: Vec<(Inst, T)> = insts_in_order(ed.func()).into_iter().filter_map(select).collect();
    for (inst, found) in all.into_iter().rev() {
        if !ed.consume_fuel() {
            break;
        }
        rewrite(ed, inst, found)?;
    }
    Ok(())
}

/// The replacement of an instruction: the value, computed before it. None keeps the instruction.
pub(crate) type Made = Result<Option<Inst>, Refusal>;

/// Expands every instruction of a function that `wants` selects, including newly created ones. A value keeps
/// its id if its instruction is replaced.
///
/// Linear in the size of the result.
pub(crate) fn expand_all(
    ed: &mut Editor<'_>,
    wants: impl Fn(&Editor<'_>, &InstData) -> bool,
    mut expand: impl FnMut(&mut Editor<'_>, Inst) -> Made,
    why: Reason,
) -> Result<(), Refusal> {
    if !may_have(ed.func(), |data| wants(ed, data)) {
        return Ok(());
    }
    expand_blocks(ed, &wants, &mut expand, why)
}

/// The loop of [`expand_all`], compiled once for all passes.
fn expand_blocks(
    ed: &mut Editor<'_>,
    wants: &dyn Fn(&Editor<'_>, &InstData) -> bool,
    expand: &mut dyn FnMut(&mut Editor<'_>, Inst) -> Made,
    why: Reason,
) -> Result<(), Refusal> {
    for block in in_order(ed.func()) {
        let mut at = 0;
        while let Some(&inst) = ed.func().block(block).insts.get(at) {
            if !wants(ed, ed.func().inst(inst)) {
                at += 1;
                continue;
            }
            if !ed.consume_fuel() {
                return Ok(());
            }
            match expand(ed, inst)? {
                // The new instructions take the position of the old one, and are processed next.
                Some(value) => settle(ed, inst, at, value, why)?,
                None => at += 1,
            }
        }
    }
    Ok(())
}

/// Replaces an instruction by a value; the instructions created for it start at `start` in its block.
pub(crate) fn settle(
    ed: &mut Editor<'_>,
    inst: Inst,
    start: usize,
    value: Inst,
    why: Reason,
) -> Result<(), Refusal> {
    let Some(block) = ed.block_of(inst) else { return Ok(()) };
    let origin = ed.func().origin(inst);
    let end = ed.index_of(inst).unwrap_or(start);
    for at in start..end {
        let Some(&made) = ed.func().block(block).insts.get(at) else { break };
        ed.set_origin(made, origin)?;
    }
    let is_new = ed.block_of(value) == Some(block) && ed.index_of(value).is_some_and(|at| at >= start);
    if is_new && ed.use_count(value) == 0 {
        let data = ed.func().inst(value).clone();
        ed.rewrite(inst, data, why)?;
        return ed.erase(value, why);
    }
    ed.replace(inst, value, why)
}

/// Edits every function that the filter selects. The fuel is shared.
///
/// Error: `P103` if a function is not valid.
pub(crate) fn each_function(
    module: &mut Module,
    fuel: &mut Fuel,
    filter: impl Fn(&FuncBody) -> bool,
    mut edit: impl FnMut(&mut Editor<'_>) -> Result<(), Refusal>,
) -> Result<Journals, Diag> {
    let selected = module.funcs().filter(|(_, body)| filter(body));
    let funcs: Vec<Func> = selected.map(|(func, _)| func).collect();
    let mut journals = Journals::new();
    for func in funcs {
        let mut ed = open(module, func)?.fueled(*fuel);
        let done = edit(&mut ed);
        let edited = ed.finish();
        *fuel = edited.fuel;
        done.map_err(|refusal| refused(func, &refusal))?;
        journals.push((func, edited.journal));
    }
    Ok(journals)
}

/// Rewrites the instructions that the filter selects in all functions, unreachable ones too, without fuel: after the
/// declaration of a variable has changed, all of its uses must follow.
///
/// Error: `P103` if a function is not valid.
pub(crate) fn rewrite_everywhere<T>(
    module: &mut Module,
    mut filter: impl FnMut(&Editor<'_>, Inst) -> Option<T>,
    mut rewrite: impl FnMut(&mut Editor<'_>, Inst, T) -> Result<(), Refusal>,
) -> Result<Journals, Diag> {
    each_function(
        module,
        &mut Fuel::UNLIMITED.clone(),
        |_| true,
        |ed| {
            let insts = all_insts(ed.func());
            rewrite_each_of(ed, insts, &mut filter, &mut rewrite)
        },
    )
}
