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
//! Callees are processed first, so that copied bodies contain no inlinable calls. Arguments replace parameters,
//! paths included. Locals and registers of the callee are copied to the caller; a local with an initializer is
//! initialized again at the call, since a call in a loop starts from the initializer each time. A callee that
//! returns only at its end is inlined flat. Any other one becomes a labeled block with breaks in place of returns,
//! and the return value becomes a block parameter after it; in a graph, returns become edges to the block after
//! the call. Terminators that end the invocation are unchanged.
//!
//! With `addresses`, `combined`, `parts` or `separate`, other calls are left alone: languages without pointers cannot express the calls that these
//! options choose. `stops` chooses the calls of functions that may end the invocation before or in a loop: a language
//! whose discard only marks the invocation leaves the function, and the caller would run its loop on. `compared` chooses
//! those that pass an image which lookups compare with: a language may have another type for it than its parameter has.
//!
//! Limits: with `all`, a callee with more than one call is copied only up to `max-insts` instructions; a callee with a single
//! call is moved, however large, and so is one whose call an option chose. All copies together have at most sixteen times the instructions of the module
//! plus 65,536, and the module at most 262,144 including them: for a program of forty functions that each call the
//! next one twice, inlining stops at that limit, and the result is still correct. So a second run may inline more.
//!
//! Also removes functions that were never called, if the module has an entry point.
//!
//! Left alone: callees without a body, with another shape than the caller, that are recursive, or, with `all`, that are marked
//! `dont_inline`; functions with a decoration, which may export them; and in a module without an entry point, all
//! functions that were never called, since somebody runs them.

mod body; // replaces calls by the bodies of callees
mod addresses; // calls that languages without pointers cannot express
mod compared; // calls that pass what is compared

use super::options::{PassOptions, options};
use super::pass::{Journals, PassInfo, RunFn};
use crate::util::calls::{callees_first, calls, calls_by_callee, remove_uncalled};
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_analysis::stopping_calls;
use vitrine_ir::base::EntitySet;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::FuncHints;
use vitrine_ir::{Diag, Fuel, Func, FuncBody, Inst, Module, Shape};

options! {
    /// The calls that are inlined.
    struct Inlined {
        choice calls: Calls {
            /// All calls.
            All "all",
            /// Only calls that return an address, or pass one of memory that is no local variable and no
            /// resource.
            Addresses "addresses",
            /// Only calls that pass an image that is combined with a sampler.
            Combined "combined",
            /// The same as `addresses`, and calls that pass a resource or a part of a local variable.
            Parts "parts",
            /// Only calls that pass an image or a sampler that lookups compare with.
            Compared "compared",
            /// Only calls that may end the invocation before or in a loop.
            Stops "stops",
            /// The same as `addresses`, and calls that pass a sampler, or an image without one.
            Separate "separate",
        }
        /// Largest number of instructions of a callee with more than one call.
        max_insts: u32 = 1000 in 0..=1_000_000;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Inlines calls, and removes functions that are no longer called.",
    options: Inlined::INFO,
    idempotent: false,
    reason: body::reason,
    ..PassInfo::new(
        "inline-functions",
        opening!("mod.rs"),
        RunFn::Module(|module, cx, fuel| inline_functions(module, &Inlined::of(cx.options), fuel)),
    )
};

/// All copies together have at most this many times the instructions of the module …
const MAX_GROWTH_FACTOR: usize = 16;

/// … plus this many.
const MAX_GROWTH: usize = 1 << 16;

/// Maximum number of instructions of a module with all copies, so that repeated runs terminate too.
const MAX_INSTS: usize = 1 << 18;

/// Inlines calls and removes functions that are no longer called. Linear in the size of the result; both shapes.
/// One unit of fuel per call and per removed function.
///
/// Errors: none; a call that cannot be inlined is unchanged.
fn inline_functions(module: &mut Module, options: &Inlined, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let listed = match options.calls {
        Calls::Stops => Some(stopping_calls(module)),
        Calls::Compared => Some(compared::comparing_calls(module)),
        Calls::All | Calls::Addresses | Calls::Combined | Calls::Parts | Calls::Separate => None,
    };
    if listed.as_ref().is_some_and(FxHashSet::is_empty) {
        return Ok(Journals::new());
    }
    // The target has no such calls: their size and hints do not count.
    let is_needed = options.calls != Calls::All;
    let order = callees_first(module);
    let mut called = calls_by_callee(module);
    let size: usize = module.funcs().map(|(_, body)| body.inst_count()).sum();
    let limit = size.saturating_mul(MAX_GROWTH_FACTOR).saturating_add(MAX_GROWTH);
    let mut budget = limit.min(MAX_INSTS.saturating_sub(size));
    let mut done: EntitySet<Func> = EntitySet::new();
    let mut journals = Journals::new();
    let mut sizes: FxHashMap<Func, usize> = FxHashMap::default();
    for &caller in &order {
        let Some(body) = module.func(caller).cloned() else { continue };
        let mut chosen: Vec<(Inst, Func)> = Vec::new();
        for (call, callee) in calls(&body) {
            let size = sizes.get(&callee).copied().unwrap_or(usize::MAX);
            let is_single_call = called.get(&callee).copied() == Some(1);
            let small = is_single_call || is_needed || size <= options.max_insts as usize;
            let is_chosen = match options.calls {
                Calls::Addresses => addresses::is_inexpressible(module, &body, call, false),
                Calls::Combined => addresses::passes_combined(module, &body, call),
                Calls::Parts => addresses::is_inexpressible(module, &body, call, true),
                Calls::Separate => {
                    addresses::is_inexpressible(module, &body, call, false)
                        || addresses::passes_separate(module, &body, call)
                }
                Calls::All | Calls::Compared | Calls::Stops => {
                    listed.as_ref().is_none_or(|calls| calls.contains(&(caller, call)))
                }
            };
            if is_chosen
                && small
                && size <= budget
                && done.contains(callee)
                && fits(module, &body, call, callee)
                && (is_needed || !is_marked(module, callee))
                && fuel.take()
            {
                budget -= size;
                chosen.push((call, callee));
            }
        }
        if !chosen.is_empty() {
            journals.push((caller, body::inline(module, caller, &chosen)));
        }
        done.insert(caller);
        sizes.insert(caller, module.func(caller).map_or(0, FuncBody::inst_count));
    }
    if !module.entries.is_empty() {
        order.iter().for_each(|&func| _ = called.entry(func).or_default());
    }
    remove_uncalled(module, &order, &called, fuel);
    journals.retain(|&(func, _)| module.func(func).is_some());
    Ok(journals)
}

/// Returns true if a function is marked `dont_inline`.
fn is_marked(module: &Module, callee: Func) -> bool {
    let hints = module.func(callee).map(|body| body.attrs().words::<FuncHints>());
    hints.is_some_and(|hints| hints.has(FuncHints::DONT_INLINE))
}

/// Returns true if a callee can replace a call.
fn fits(module: &Module, caller: &FuncBody, call: Inst, callee: Func) -> bool {
    let Some(body) = module.func(callee) else { return false };
    let same_shape = matches!(
        (caller.shape(), body.shape()),
        (Shape::Tree(_), Shape::Tree(_)) | (Shape::Graph(_), Shape::Graph(_))
    );
    let data = caller.inst(call);
    let given = data.args.iter().map(|&arg| caller.ty(arg));
    same_shape && data.ty == body.result() && given.eq(body.params().iter().map(|&param| body.ty(param)))
}
