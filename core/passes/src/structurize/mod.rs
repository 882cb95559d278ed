//! `structurize`: converts control-flow graphs to trees; the option selects the importer's hints to use.
//!
//! ```text
//! graph                                   tree
//! ^0: goto ^1                             ^0: next
//! ^1: branch %c, ^2, ^3            =>     loop !0 { ^1: next
//! ^2: goto ^1                               if !1 %c { ^2: continue !0 } else { ^4: break !0 } ^5: …
//! ^3: return                              } ^3: return
//! ```
//!
//! Every block occurs in the tree once, with its id and the ids of its instructions; straight-line blocks are
//! merged. New blocks are empty, or dispatch blocks. Values need no changes: they are visible where their block
//! dominates, in a tree as in a graph. No recursion; nearly linear time.
//!
//! Rejects functions that are not valid graphs. Does not adapt exits to a target: that is `lower-exits`.

mod prepare; // start here: step 0
mod dispatch; // step 1
mod place; // steps 3 and 4
mod emit; // steps 5 and 6

mod switch_loop; // the alternative for comparison
mod metrics;
mod reasons; // for changes that follow from the two versions
mod tables;

pub mod check; // always enabled in tests

pub use metrics::Metrics;

use super::options::{PassOptions, options};
use super::pass::{PassInfo, PassShape, RunFn};
use place::Trust;
use vitrine_analysis::{Analyses, Cfg};
use vitrine_ir::base::opening::opening;
use vitrine_ir::{Anchor, Diag, Editor, Func, Journal, Module, Shape};

options! {
    /// The structurization algorithm.
    pub struct Algorithm {
        choice mode: Mode {
            /// Exits keep their position; dispatch blocks only for irreducible regions.
            Faithful "faithful",
            /// Keeps the importer's merge blocks and continue targets.
            Imported "imported",
            /// Every block is an arm of one switch in one loop: for comparison, not for production.
            SwitchLoop "switch-loop",
        }
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Converts control-flow graphs to trees; the option selects the importer's hints to use.",
    shape: Some(PassShape::Graph),
    options: Algorithm::INFO,
    reason: reasons::reason,
    ..PassInfo::new(
        "structurize",
        opening!("mod.rs"),
        RunFn::Rebuilds(|module, func, cx| {
            Ok(recorded(module, func, Algorithm::of(cx.options).mode, cx.analyses)?.1)
        }),
    )
};

/// Converts a function to a tree. A tree or a declaration is unchanged.
///
/// Nearly linear; 100,000 blocks take about 200 ms in a test build. Errors: `P101` no such function, `P102` no valid
/// graph, `P103` a value that no register can hold (`switch-loop` only).
pub fn structurize(module: &mut Module, func: Func, mode: Mode) -> Result<Metrics, Diag> {
    Ok(recorded(module, func, mode, &mut Analyses::new())?.0)
}

/// Does the same; also returns the journal.
fn recorded(
    module: &mut Module,
    func: Func,
    mode: Mode,
    analyses: &mut Analyses,
) -> Result<(Metrics, Journal), Diag> {
    let whole = Anchor::Func(func);
    let Some(body) = module.func(func) else {
        return Err(Diag::error("P101", whole).says(format!("function {func} does not exist")));
    };
    let before = body.clone();
    let Shape::Graph(order) = before.shape() else { return Ok((metrics::of_tree(&before), Journal::new())) };
    let cfg = analyses.get::<Cfg>(module, func);
    if order.is_empty() || !cfg.broken().is_empty() {
        let diag = Diag::error("P102", whole)
            .says("the graph of the function has edges to blocks that do not exist");
        return Err(diag.help("run the validator to find them"));
    }
    let trusts: &[Trust] = match mode {
        Mode::Faithful => &[Trust::None],
        Mode::Imported => &[Trust::All, Trust::Merges, Trust::None],
        Mode::SwitchLoop => return switch_loop::structurize(module, func, &before, &cfg),
    };
    let mut failed = None;
    for &trust in trusts {
        let mut prepared = prepare::prepare(&before, &cfg, trust != Trust::None);
        let mut journal = Journal::new();
        reasons::of_blocks(&mut journal, &before, &prepared.leader);
        let done = dispatch::dispatch(module, &mut prepared.asm);
        reasons::of_dispatch(&mut journal, prepared.asm.body(), &done);
        let place = place::Placement::of(&prepared, trust);
        match emit::emit(prepared.asm, &place, &prepared.hints, &mut journal) {
            Ok(after) => {
                let metrics = metrics::of(&before, &after, &prepared.hints, &prepared.leader, &done);
                return Ok((metrics, Editor::replace_body(module, func, after, journal)));
            }
            Err(edge) => failed = Some(edge),
        }
    }
    let diag = Diag::error("P102", whole).says("an edge of the graph cannot be expressed in a tree:");
    let says = |diag: Diag, block| diag.names(format!("{block}"), Anchor::Block(func, block));
    Err(match failed {
        Some(emit::OutOfScope { from, to }) => says(says(diag, from).says("to"), to),
        None => diag,
    })
}
