//! `lower-exits{target}`: lowers exits of constructs that the target cannot express; the option names the target.
//!
//! ```text
//! loop !0 {                               loop !0 {
//!   loop !1 {                               loop !1 {
//!     … break !0(%a) …          =>            … break !1(true, %a) …
//!     … break !1 …                            … break !1(false, undef) …
//!   }                                       }
//! ^2: …                                   ^m(%f, %v): if %f { break !0(%v) } else { next } ^2: …
//! }                                       }
//! ```
//!
//! If an exit cannot cross a construct, the construct captures it: the exit leaves only that construct, and a
//! block parameter records its target; a test after the construct branches to the target. If a construct is left
//! to a single target, no parameter is needed. Instructions keep their ids and their order on every path through
//! the function; `structurize::check::same_walks` holds.
//!
//! Functions that already fit are unchanged. Removes unreachable blocks from others. Does not lower switches, and
//! leaves `stop` in place, except in continuing regions.
//!
//! Values that are no longer visible at their uses are passed by `repair`. No recursion; nearly linear in the size
//! of the program and its tests.

mod reshape; // first
mod choose;
mod mux;
mod capture; // then, for targets with labels
mod flags; // and for targets without labels
mod repair; // last
mod reasons; // for changes that follow from the two versions

pub use vitrine_analysis::exits::{Caps, Label, OneTrip, OneTrips, Target, exits_fit, one_trip_form};

use super::options::{PassOptions, options};
use super::pass::{PassInfo, PassShape, RunFn};
use crate::util::rebuild;
use std::rc::Rc;
use vitrine_analysis::{Cfg, Dom};
use vitrine_ir::base::EntitySet;
use vitrine_ir::base::opening::opening;
use vitrine_ir::{
    Anchor, Assembler, Diag, Editor, Func, FuncBody, Journal, Module, Node, NodeKind, Shape, Terminator,
};

options! {
    /// The target whose exits remain.
    struct LoweredFor {
        choice target: TargetName {
            /// SPIR-V for Vulkan.
            Spirv "spirv",
            /// WGSL.
            Wgsl "wgsl",
            /// GLSL.
            Glsl "glsl",
            /// HLSL.
            Hlsl "hlsl",
            /// MSL.
            Msl "msl",
            /// Shader models 4 and 5 of Direct3D.
            Tpf "tpf",
            /// Shader models 2 and 3 of Direct3D 9.
            Sm3 "sm3",
        }
    }
}

impl TargetName {
    /// The target with this name.
    fn target(self) -> Target {
        match self {
            TargetName::Spirv => Target::Spirv,
            TargetName::Wgsl => Target::Wgsl,
            TargetName::Glsl => Target::Glsl,
            TargetName::Hlsl => Target::Hlsl,
            TargetName::Msl => Target::Msl,
            TargetName::Tpf => Target::Tpf,
            TargetName::Sm3 => Target::Sm3,
        }
    }
}

/// Cost of lowering the exits of a function for a target; [`Counts::add`] sums them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Counts {
    /// Exits captured by a construct; without labels, exits other than a `break` of the enclosing loop.
    pub multi_level: u32,
    /// Tests after constructs that forward captured exits.
    pub exit_checks: u32,
    /// Block parameters that identify an exit. Parameters for its arguments are not counted.
    pub exit_vars: u32,
    /// Labeled blocks with breaks after lowering, each a single-iteration construct in the target; zero if the
    /// target has no labels. Labeled blocks without breaks are plain braces.
    pub onetrip: u32,
}

impl Counts {
    /// Adds the counts of another function.
    pub fn add(&mut self, other: &Counts) {
        self.multi_level += other.multi_level;
        self.exit_checks += other.exit_checks;
        self.exit_vars += other.exit_vars;
        self.onetrip += other.onetrip;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Lowers exits of constructs that the target cannot express; the option names the target.",
    shape: Some(PassShape::Tree),
    strict: true,
    options: LoweredFor::INFO,
    idempotent: false,
    reason: reasons::reason,
    ..PassInfo::new(
        "lower-exits",
        opening!("mod.rs"),
        RunFn::Rebuilds(|module, func, cx| {
            Ok(recorded(module, func, LoweredFor::of(cx.options).target.target())?.1)
        }),
    )
};

/// Lowers the exits of a function that a target cannot express, and returns the cost. A declaration is unchanged.
///
/// Afterwards [`exits_fit`] holds, and a second run changes nothing. Errors: `P101` no such function, `P111` not a
/// tree.
pub fn lower_exits(module: &mut Module, func: Func, target: Target) -> Result<Counts, Diag> {
    Ok(recorded(module, func, target)?.0)
}

/// Does the same; also returns the journal.
fn recorded(module: &mut Module, func: Func, target: Target) -> Result<(Counts, Journal), Diag> {
    let (lowered, counts) = lowered(module, func, target)?;
    let Some((body, journal)) = lowered else { return Ok((counts, Journal::new())) };
    Ok((counts, Editor::replace_body(module, func, body, journal)))
}

/// Returns the result of [`lower_exits`] without changing anything; takes as long.
///
/// Errors: as `lower_exits`.
pub fn count(module: &Module, func: Func, target: Target) -> Result<Counts, Diag> {
    Ok(lowered(&mut module.clone(), func, target)?.1)
}

/// A lowered function with its journal.
type Lowered = (FuncBody, Journal);

/// Returns the lowered function, unless it is unchanged.
fn lowered(module: &mut Module, func: Func, target: Target) -> Result<(Option<Lowered>, Counts), Diag> {
    let Some(body) = module.func(func) else {
        return Err(Diag::error("P101", Anchor::Func(func)).says(format!("function {func} does not exist")));
    };
    let before = body.clone();
    match before.shape() {
        Shape::Declaration => Ok((None, Counts::default())),
        Shape::Graph(_) => Err(vitrine_analysis::exits::fit::no_tree(func)),
        Shape::Tree(_) if exits_fit(module, func, target).is_ok() => {
            Ok((None, Counts { onetrip: onetrip(&before, target.caps()), ..Counts::default() }))
        }
        Shape::Tree(root) => {
            let mut asm = rebuild::copy(&before);
            asm.tree(*root);
            let (after, counts) = lower(module, asm, target);
            Ok((Some(after), counts))
        }
    }
}

fn lower(module: &mut Module, asm: Assembler, target: Target) -> (Lowered, Counts) {
    let caps = target.caps();
    let mut asm = asm;
    let mut journal = Journal::new();
    reshape::prune(&mut asm);
    reshape::fall_through(&mut asm);
    reshape::move_continuing(&mut asm, caps, &mut journal);
    reshape::label_ifs(&mut asm, caps, &mut journal);
    let chosen = choose::forms(asm.body(), caps);
    let breakables = vitrine_analysis::exits::forms::Breakables::of(asm.body(), caps, &chosen);
    let dom = Dom::of(&Rc::new(Cfg::of(asm.body())));
    let mut mux = mux::Mux::new(module, asm, &mut journal);
    let multi_level = match caps.label {
        Label::SwitchOrLoop | Label::Switch => capture::lower(&mut mux, &breakables),
        Label::Flags => flags::lower(&mut mux, &breakables),
    };
    let (exit_checks, exit_vars) = (mux.checks, mux.vars);
    let (mut asm, sources) = mux.finish();
    let before = repair::Before { breakables: &breakables, dom: &dom, sources: &sources };
    repair::repair(&mut asm, &before, &mut journal);
    let after = asm.finish();
    let counts = Counts { multi_level, exit_checks, exit_vars, onetrip: onetrip(&after, caps) };
    ((after, journal), counts)
}

fn onetrip(body: &FuncBody, caps: &Caps) -> u32 {
    if caps.label == Label::Flags {
        return 0;
    }
    let mut with_breaks: EntitySet<Node> = EntitySet::new();
    for block in body.blocks_in_order() {
        if let Terminator::Break(node, _) = body.terminator(block)
            && matches!(body.node(*node).kind, NodeKind::Block { .. })
        {
            with_breaks.insert(*node);
        }
    }
    with_breaks.len() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_ir::ops::words::Word;

    #[test]
    fn options_have_the_names_of_targets() {
        let targets: Vec<Target> = TargetName::ALL.iter().map(|name| name.target()).collect();
        assert_eq!(targets, Target::ALL);
        for name in TargetName::ALL {
            assert_eq!(name.name(), name.target().name());
        }
    }
}
