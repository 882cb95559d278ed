//! `structurize`: converts control-flow graphs to trees; the option says which hints of the importer are kept.
//!
//! ```text
//! graph                                   tree
//! ^0: goto ^1                             ^0: next
//! ^1: branch %c, ^2, ^3            =>     loop !0 { ^1: next
//! ^2: goto ^1                               if !1 %c { ^2: continue !0 } else { ^4: break !0 } ^5: …
//! ^3: return                              } ^3: return
//! ```
//!
//! Every block stands in the tree once, under its id, with its instructions under theirs; blocks in a
//! straight line become one. New blocks are empty, or dispatch. Values need nothing done to them: they are
//! seen where their block dominates, in a tree as in a graph. No recursion; nearly linear time.
//!
//! Refuses functions that are not valid graphs. Does not choose what a target can say: that is
//! `lower-exits`.

mod prepare; // start here: step 0
mod dispatch; // step 1
mod place; // steps 3 and 4
mod emit; // steps 5 and 6

mod switch_loop; // the other way
mod metrics;
pub mod simt; // what invocations make of it
mod tables;

pub mod check; // always on in tests

pub use metrics::Metrics;

use super::pass::{OptionInfo, PassInfo, PassShape, RunFn, nothing};
use crate::base::opening::opening;
use crate::ir::Editor;
use crate::ir::Journal;
use crate::ir::{Anchor, Diag, Func, Module, Shape};
use place::Trust;

/// How to make a tree.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Mode {
    /// From the graph alone.
    #[default]
    Faithful,
    /// With merge blocks and continue targets that the importer was told.
    Imported,
    /// Every block an arm of one switch in one loop: for comparison.
    SwitchLoop,
}

impl Mode {
    /// Every mode.
    pub const ALL: [Mode; 3] = [Mode::Faithful, Mode::Imported, Mode::SwitchLoop];

    /// Its name in a pipeline.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Faithful => "faithful",
            Mode::Imported => "imported",
            Mode::SwitchLoop => "switch-loop",
        }
    }

    /// The mode of this name.
    pub fn from_name(name: &str) -> Option<Mode> {
        Mode::ALL.into_iter().find(|mode| mode.name() == name)
    }
}

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Converts control-flow graphs to trees; the option says which hints of the importer are kept.",
    shape: Some(PassShape::Graph),
    options: &[
        OptionInfo::Word(
            "faithful",
            "Exits stay where they are; dispatch only where a region has no structure.",
        ),
        OptionInfo::Word("imported", "The importer's merge and continue hints are kept."),
        OptionInfo::Word(
            "switch-loop",
            "Every block an arm of one switch in one loop: to learn from, not to run.",
        ),
    ],
    ..PassInfo::new(
        "structurize",
        opening!("mod.rs"),
        RunFn::Rebuilds(|module, func, options| {
            nothing(structurize(module, func, Mode::from_name(options.word).unwrap_or(Mode::Faithful)))
        }),
    )
};

/// Makes a function a tree. A tree stays as it is, and so does a declaration.
///
/// Nearly linear; 100,000 blocks take about 200 ms in a test build. Errors: `P101` no such function, `P102` no valid
/// graph, `P103` a value that no register can hold (`switch-loop` only).
pub fn structurize(module: &mut Module, func: Func, mode: Mode) -> Result<Metrics, Diag> {
    let whole = Anchor::Func(func);
    let Some(body) = module.func(func) else {
        return Err(Diag::error("P101", whole).says(format!("there is no function {func}")));
    };
    let before = body.clone();
    let Shape::Graph(order) = before.shape() else { return Ok(metrics::of_tree(&before)) };
    if order.is_empty() || !crate::analysis::Cfg::of(&before).broken().is_empty() {
        let diag = Diag::error("P102", whole).says("the graph of the function has edges that lead nowhere");
        return Err(diag.help("let the validator say which"));
    }
    let trusts: &[Trust] = match mode {
        Mode::Faithful => &[Trust::None],
        Mode::Imported => &[Trust::All, Trust::Merges, Trust::None],
        Mode::SwitchLoop => return switch_loop::structurize(module, func, &before),
    };
    let mut failed = None;
    for &trust in trusts {
        let mut prepared = prepare::prepare(&before, trust != Trust::None);
        let done = dispatch::dispatch(module, &mut prepared.asm);
        let place = place::Placement::of(&prepared, trust);
        match emit::emit(prepared.asm, &place, &prepared.hints) {
            Ok(after) => {
                let metrics = metrics::of(&before, &after, &prepared.hints, &prepared.leader, &done);
                Editor::replace_body(module, func, after, Journal::new());
                return Ok(metrics);
            }
            Err(edge) => failed = Some(edge),
        }
    }
    let diag = Diag::error("P102", whole).says("an edge of the graph has no place in a tree:");
    let says = |diag: Diag, block| diag.names(format!("{block}"), Anchor::Block(func, block));
    Err(match failed {
        Some(emit::OutOfScope { from, to }) => says(says(diag, from).says("to"), to),
        None => diag,
    })
}
