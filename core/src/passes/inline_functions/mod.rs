//! `inline-functions`: inlines calls, and removes functions that are no longer called.
//!
//! ```text
//! func @0(%0: b32) -> b32 tree {              func @0(%0: b32) -> b32 tree {
//! ^0:                                         ^0:
//!   %1: b32 = call @1(%0)                       %3: b32 = iadd %0, %0
//!   return %1                                   return %3
//! }                                      =>   }
//!
//! func @1(%0: b32) -> b32 tree {
//! ^0:
//!   %1: b32 = iadd %0, %0
//!   return %1
//! }
//! ```
//!
//! Callees come first, so that what is copied has no calls left in it. Arguments take the place of parameters,
//! paths among them. Locals and registers of the callee become new ones of the caller; a local with an
//! initializer is set again where the call stood, since a call in a loop begins each time anew. A callee that
//! returns at its end only goes in flat. Any other one becomes a labelled block that its returns break out of,
//! with what they return as a parameter behind it; in a graph, returns are edges to the block behind. What ends
//! an invocation ends it still.
//!
//! Limits. `max-insts` is the largest callee with more than one call that is copied; one with one call moves,
//! however large. All copies together hold at most sixteen times the instructions of the module and 65,536
//! more, and the module no more than 262,144 with them: a program of forty functions that each call the next one
//! twice ends with what was reached then, and is as right as before. So a second run may find more to do.
//!
//! Left alone: callees without a body, of another shape than the caller, that call themselves in some way, or
//! that the author wants called (`dont_inline`); and functions that nobody called in the first place, which are
//! for others to call.

mod body; // how a callee gets into a caller

use super::pass::{Journals, OptionInfo, Options, PassInfo, RunFn};
use crate::base::EntitySet;
use crate::base::opening::opening;
use crate::ir::{Diag, Fuel, Func, FuncBody, Inst, Module, Shape};
use crate::ops::Key;
use crate::passes::util::calls::{callees_first, calls, calls_by_callee, remove_uncalled};
use rustc_hash::FxHashMap;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Inlines calls, and removes functions that are no longer called.",
    options: &[OptionInfo::Number {
        name: "max-insts",
        doc: "Largest number of instructions of a callee with more than one call.",
        default: 1000,
        least: 0,
        most: 1_000_000,
    }],
    idempotent: false,
    ..PassInfo::new("inline-functions", opening!("mod.rs"), RunFn::Module(inline_functions))
};

/// All copies hold at most this many times the instructions of the module …
const MOST_TIMES: usize = 16;

/// … and so many more.
const MOST_MORE: usize = 1 << 16;

/// Most instructions of a module with all copies, so that runs in a row end too.
const MOST_INSTS: usize = 1 << 18;

/// The bit of `func_hint` that asks for calls: the second of its words.
const DONT_INLINE: u64 = 1 << 1;

/// Inlines calls and removes functions nobody calls any more. Linear in what it leaves; both shapes. A call is a
/// unit of fuel, and so is a function that goes.
///
/// Errors: none; a call that cannot be copied stays.
fn inline_functions(module: &mut Module, options: &Options, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let order = callees_first(module);
    let called = calls_by_callee(module);
    let size: usize = module.funcs().map(|(_, body)| body.inst_count()).sum();
    let most = size.saturating_mul(MOST_TIMES).saturating_add(MOST_MORE);
    let mut room = most.min(MOST_INSTS.saturating_sub(size));
    let mut done: EntitySet<Func> = EntitySet::new();
    let mut sizes: FxHashMap<Func, usize> = FxHashMap::default();
    for &caller in &order {
        let Some(body) = module.func(caller).cloned() else { continue };
        let mut chosen: Vec<(Inst, Func)> = Vec::new();
        for (call, callee) in calls(&body) {
            let size = sizes.get(&callee).copied().unwrap_or(usize::MAX);
            let once = called.get(&callee).copied() == Some(1);
            let small = once || size <= options.number("max-insts") as usize;
            if small
                && size <= room
                && done.contains(callee)
                && fits(module, &body, call, callee)
                && fuel.take()
            {
                room -= size;
                chosen.push((call, callee));
            }
        }
        if !chosen.is_empty() {
            body::inline(module, caller, &chosen);
        }
        done.insert(caller);
        sizes.insert(caller, module.func(caller).map_or(0, FuncBody::inst_count));
    }
    remove_uncalled(module, &order, &called, fuel);
    Ok(Journals::new())
}

/// Whether a callee can stand in the place of a call.
fn fits(module: &Module, caller: &FuncBody, call: Inst, callee: Func) -> bool {
    let Some(body) = module.func(callee) else { return false };
    let same_shape = matches!(
        (caller.shape(), body.shape()),
        (Shape::Tree(_), Shape::Tree(_)) | (Shape::Graph(_), Shape::Graph(_))
    );
    let wanted_called = body.attrs().get(Key::FuncHint).is_some_and(|hints| hints & DONT_INLINE != 0);
    let data = caller.inst(call);
    let given = data.args.iter().map(|&arg| caller.ty(arg));
    same_shape
        && !wanted_called
        && data.ty == body.result()
        && given.eq(body.params().iter().map(|&param| body.ty(param)))
}
