//! Checks that a target can express every exit of a tree, for the lowering and for strict writing.
//!
//! Changes nothing, and depends on exits only.

use super::caps::{Label, Target};
use super::forms::{Breakables, Form, Jump, one_trip_form};
use vitrine_ir::base::SideTable;
use vitrine_ir::{
    Anchor, Block, Diag, Func, FuncBody, Help, Module, Nesting, Node, NodeKind, Region, Shape, Terminator,
    TreeStep, TreeWalk,
};

/// Checks that a target can express every exit of a function.
///
/// Labeled blocks have the form of [`super::one_trip_form`]. A continuing region may end in an `if` with one
/// arm that is `break` of the loop and the other `next`, without instructions in either or after it; no other
/// exit leaves it, and the function does not end in it. Linear. A declaration fits.
///
/// Errors: the first exit that the target cannot express (`P110`), `P101` no such function, `P111` no tree.
pub fn exits_fit(module: &Module, func: Func, target: Target) -> Result<(), Diag> {
    let Some(body) = module.func(func) else {
        return Err(Diag::error("P101", Anchor::Func(func)).says(format!("function {func} does not exist")));
    };
    match body.shape() {
        Shape::Declaration => Ok(()),
        Shape::Graph(_) => Err(no_tree(func)),
        Shape::Tree(root) => match first_misfit(body, *root, target) {
            None => Ok(()),
            Some((block, message)) => {
                let diag = Diag::error("P110", Anchor::Terminator(func, block))
                    .names(block, Anchor::Block(func, block));
                let diag = diag.says(format!("{message}, which {} cannot express", target.name()));
                Err(diag
                    .help(Help::text("run").pass(format!("lower-exits{{{}}}", target.name())).then("first")))
            }
        },
    }
}

/// The error for a graph.
pub fn no_tree(func: Func) -> Diag {
    let diag = Diag::error("P111", Anchor::Func(func))
        .says(format!("{func} is a graph, but exits can only be checked in a tree"));
    diag.help(Help::text("run").pass("structurize").then("first"))
}

fn first_misfit(body: &FuncBody, root: Region, target: Target) -> Option<(Block, &'static str)> {
    let caps = target.caps();
    let breakables = Breakables::of(body, caps, &one_trip_form(body));
    let escapes = Escapes::of(body, &breakables.nesting);
    for step in TreeWalk::new(body) {
        match step {
            TreeStep::Enter(node) => {
                let NodeKind::Loop { continuing: Some(rest), .. } = body.node(node).kind else { continue };
                let head = body.region(rest).head;
                if !caps.takes_continuing(body, rest) {
                    return Some((head, "begins a continuing region"));
                }
                if escapes.leave(node, rest, &breakables.nesting) {
                    return Some((head, "begins a continuing region with an exit before its end"));
                }
            }
            TreeStep::Block(block) => {
                let Some(jump) = Jump::of(body.terminator(block)) else { continue };
                let owner = breakables.owner(block);
                let message = match jump {
                    Jump::Return if !caps.early_return && body.region(root).last() != block => {
                        "returns before the end of the function"
                    }
                    Jump::Break(to) if breakables.form(to) == Form::Clear => {
                        "breaks out of a construct that is not a loop or switch"
                    }
                    Jump::Continue(_) if !caps.continues => "continues a loop",
                    _ if breakables.enclosing_breakable(owner, jump).is_some() => {
                        "leaves several constructs at once"
                    }
                    Jump::Break(_) | Jump::Continue(_) | Jump::Return => continue,
                };
                return Some((block, message));
            }
            TreeStep::Open(..) | TreeStep::Leave(_) => {}
        }
    }
    debug_assert!(caps.label != Label::Flags || !caps.continues);
    None
}

/// The reach of exits out of regions: the depth of the outermost node they target.
pub struct Escapes(SideTable<Region, i64>);

/// No exits.
const NOWHERE: i64 = i64::MAX;

impl Escapes {
    /// Computes it for a tree. Linear.
    pub fn of(body: &FuncBody, nesting: &Nesting) -> Escapes {
        let mut escapes = Escapes(SideTable::with_default(NOWHERE));
        let mut regions = Vec::new();
        let mut tails: SideTable<Block, bool> = SideTable::new();
        for step in TreeWalk::new(body) {
            match step {
                TreeStep::Enter(node) => {
                    if let NodeKind::Loop { continuing: Some(rest), .. } = body.node(node).kind
                        && let Some(tail) = tail(body, node, rest)
                    {
                        tails[tail] = true;
                    }
                }
                TreeStep::Open(node, _, region) => regions.push((nesting.node(node), region)),
                TreeStep::Block(block) => {
                    let Some(place) = nesting.block(block) else { continue };
                    let depth = |node: Node| i64::from(nesting.depth(node));
                    let to = match body.terminator(block) {
                        Terminator::Break(..) if tails[block] => NOWHERE,
                        Terminator::Break(node, _) | Terminator::Continue(node, _) => depth(*node),
                        Terminator::Return(_) | Terminator::Stop(_) => -1,
                        Terminator::Next(_)
                        | Terminator::Goto(_)
                        | Terminator::Branch { .. }
                        | Terminator::Switch { .. } => NOWHERE,
                    };
                    escapes.0[place.region] = escapes.0[place.region].min(to);
                }
                TreeStep::Leave(_) => {}
            }
        }
        for (place, region) in regions.into_iter().rev() {
            if let Some(place) = place {
                escapes.0[place.region] = escapes.0[place.region].min(escapes.0[region]);
            }
        }
        escapes
    }

    /// Returns true if an exit in the continuing region of a loop leaves the loop before the end of the
    /// region.
    pub fn leave(&self, node: Node, continuing: Region, nesting: &Nesting) -> bool {
        self.0[continuing] <= i64::from(nesting.depth(node))
    }
}

/// The block that breaks out of the loop at the very end of its continuing region, if that end has the
/// required form.
fn tail(body: &FuncBody, node: Node, continuing: Region) -> Option<Block> {
    let data = body.region(continuing);
    let &(last, after) = data.rest.last()?;
    let NodeKind::If { then, els, .. } = body.node(last).kind else { return None };
    let plain = |block: Block| body.block(block).insts.is_empty();
    let arm = |region: Region| {
        let data = body.region(region);
        (data.rest.is_empty() && plain(data.head)).then_some(data.head)
    };
    let (then, els) = (arm(then)?, arm(els)?);
    if !plain(after) || !matches!(body.terminator(after), Terminator::Next(_)) {
        return None;
    }
    let breaks = |block: Block| matches!(body.terminator(block), Terminator::Break(to, _) if *to == node);
    let goes_on = |block: Block| matches!(body.terminator(block), Terminator::Next(_));
    match () {
        () if breaks(then) && goes_on(els) => Some(then),
        () if breaks(els) && goes_on(then) => Some(els),
        () => None,
    }
}
