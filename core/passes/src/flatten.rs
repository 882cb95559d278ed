//! `flatten`: converts trees to control-flow graphs, with hints that preserve the structure.
//!
//! ```text
//! ^0: next  if %c { ^1: next } else { ^2: next }  ^3: …     =>     ^0: hint ^3; branch %c, ^1, ^2   …
//! ```
//!
//! Every block keeps its id. A hint names the block after a node, and a loop's continuing region, so that
//! `structurize{imported}` restores the same tree. If a loop's first block also begins another node, an empty
//! block carries the second hint.

use super::pass::{PassInfo, PassShape, RunFn, nothing};
use crate::util::rebuild;
use crate::util::rebuilt::{Change, Rebuilt};
use std::rc::Rc;
use vitrine_analysis::{Analyses, Cfg};
use vitrine_ir::Editor;
use vitrine_ir::Journal;
use vitrine_ir::base::opening::opening;
use vitrine_ir::{
    Anchor, Args, Block, Case, Diag, Edge, Event, Func, FuncBody, MergeInfo, Module, Nesting, Node, NodeKind,
    Region, Shape, Terminator,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Converts trees to control-flow graphs, with hints that preserve the structure.",
    shape: Some(PassShape::Tree),
    reason,
    ..PassInfo::new(
        "flatten",
        opening!("flatten.rs"),
        RunFn::Rebuilds(|module, func, cx| nothing(flattened(module, func, cx.analyses))),
    )
};

/// Converts a function to a graph. Graphs and declarations are unchanged. Linear.
///
/// Errors: `P101` no such function, `P102` not a valid tree.
pub fn flatten(module: &mut Module, func: Func) -> Result<(), Diag> {
    flattened(module, func, &mut Analyses::new())
}

/// Does the same with a cache of analyses.
fn flattened(module: &mut Module, func: Func, analyses: &mut Analyses) -> Result<(), Diag> {
    let Some(body) = module.func(func) else {
        return Err(Diag::error("P101", Anchor::Func(func)).says(format!("function {func} does not exist")));
    };
    let body = body.clone();
    if !matches!(body.shape(), Shape::Tree(_)) {
        return Ok(());
    }
    let cfg = analyses.get::<Cfg>(module, func);
    if let Some(&block) = cfg.broken().first() {
        let diag = Diag::error("P102", Anchor::Func(func)).says("no valid edge leaves");
        return Err(diag
            .names(block, Anchor::Block(func, block))
            .help("run the validator on the function first"));
    }
    let flattened = Flattener { nesting: Nesting::of(&body), body: &body }.run();
    Editor::replace_body(module, func, flattened, Journal::new());
    Ok(())
}

/// The reason for a difference between the tree and the graph.
fn reason(rebuilt: &Rebuilt<'_>, event: Event) -> Option<&'static str> {
    Some(match rebuilt.change(event)? {
        Change::NewBlock => {
            "the first block of the loop also begins another construct, which needs its own hint"
        }
        Change::GoneNode(NodeKind::If { .. }) => {
            "a graph has no `if`: the block before it branches to its arms"
        }
        Change::GoneNode(NodeKind::Switch { .. }) => {
            "a graph has no arms: the block before it branches to them"
        }
        Change::GoneNode(NodeKind::Loop { .. }) => {
            "a graph has no `loop`: an edge leads back to its first block"
        }
        Change::GoneNode(NodeKind::Block { .. }) => {
            "a graph has no labels: edges lead to the block after the labeled block"
        }
        Change::ChangedBlock(old, new) => match (&old.terminator, &new.terminator) {
            (Terminator::Break(..), _) => "`break` is an edge to the block after the construct",
            (Terminator::Continue(..), _) => "`continue` is an edge to the next iteration",
            (_, Terminator::Branch { .. } | Terminator::Switch { .. }) => {
                "it branches to the arms of the construct after it"
            }
            (_, Terminator::Goto(_)) => "falling through is an edge to the next block",
            (_, _) => "its hint keeps the structure",
        },
        Change::MovedBlock => "a graph lists its blocks without nesting",
        Change::NewInst(_)
        | Change::GoneInst(_)
        | Change::ChangedInst(..)
        | Change::MovedInst
        | Change::GoneBlock
        | Change::NewNode(_)
        | Change::ChangedNode
        | Change::MovedNode => return None,
    })
}

struct Flattener<'a> {
    body: &'a FuncBody,
    nesting: Nesting,
}

impl Flattener<'_> {
    fn run(&self) -> FuncBody {
        let mut asm = rebuild::copy(self.body);
        let mut order = Vec::new();
        let mut hints: Vec<(Block, Rc<MergeInfo>)> = Vec::new();
        for block in self.body.blocks_in_order() {
            order.push(block);
            let terminator = self.terminator(block);
            let Some(node) = self.entered(block) else {
                asm.block_mut(block).terminator = terminator;
                continue;
            };
            let Some(merge) = self.nesting.after(self.body, node) else { continue };
            let data = self.body.node(node);
            let attrs = data.attrs.clone();
            if let NodeKind::Loop { body, continuing } = data.kind {
                let cont = Some(self.head(continuing.unwrap_or(body)));
                hints.push((self.head(body), Rc::new(MergeInfo { merge, cont, attrs })));
                asm.block_mut(block).terminator = terminator;
                continue;
            }
            let hint = Rc::new(MergeInfo { merge, cont: None, attrs });
            let mut begins = block;
            if self.is_loop_head(block) {
                begins = rebuild::empty_block(&mut asm, Terminator::default());
                order.push(begins);
                asm.block_mut(block).terminator = Terminator::goto(begins);
            }
            asm.block_mut(begins).terminator = terminator;
            hints.push((begins, hint));
        }
        for (block, hint) in hints {
            asm.block_mut(block).merge = Some(hint);
        }
        asm.graph(order);
        asm.finish()
    }

    fn head(&self, region: Region) -> Block {
        self.body.region(region).head
    }

    /// Returns the node after a block.
    fn entered(&self, block: Block) -> Option<Node> {
        let place = self.nesting.block(block)?;
        self.body.region(place.region).rest.get(place.at).map(|&(node, _)| node)
    }

    fn is_loop_head(&self, block: Block) -> bool {
        let Some(place) = self.nesting.block(block).filter(|place| place.at == 0) else { return false };
        let owner = self.nesting.owner(place.region).map(|node| &self.body.node(node).kind);
        matches!(owner, Some(NodeKind::Loop { body, .. }) if *body == place.region)
    }

    fn terminator(&self, block: Block) -> Terminator {
        let goto = |to: Option<Block>, args: &Args| match to {
            Some(to) => Terminator::Goto(Edge { to, args: args.clone() }),
            None => Terminator::default(),
        };
        let terminator = self.body.terminator(block);
        match terminator {
            Terminator::Next(args) => match self.entered(block) {
                Some(node) => self.enter(node, args),
                None => goto(self.after_region(block), args),
            },
            Terminator::Break(node, args) => goto(self.nesting.after(self.body, *node), args),
            Terminator::Continue(node, args) => goto(self.continue_target(*node), args),
            Terminator::Return(_)
            | Terminator::Stop(_)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => terminator.clone(),
        }
    }

    /// Returns the block that follows the end of a block's region.
    fn after_region(&self, block: Block) -> Option<Block> {
        let region = self.nesting.block(block)?.region;
        let node = self.nesting.owner(region)?;
        match self.body.node(node).kind {
            NodeKind::Loop { body, .. } if body == region => self.continue_target(node),
            NodeKind::Loop { body, .. } => Some(self.head(body)),
            NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Block { .. } => {
                self.nesting.after(self.body, node)
            }
        }
    }

    /// Returns the target of `continue`.
    fn continue_target(&self, node: Node) -> Option<Block> {
        match self.body.node(node).kind {
            NodeKind::Loop { body, continuing } => Some(self.head(continuing.unwrap_or(body))),
            NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Block { .. } => None,
        }
    }

    fn enter(&self, node: Node, args: &Args) -> Terminator {
        let edge = |region: Region| Edge { to: self.head(region), args: args.clone() };
        match &self.body.node(node).kind {
            NodeKind::If { cond, then, els } => {
                Terminator::Branch { cond: *cond, then: edge(*then), els: edge(*els) }
            }
            NodeKind::Loop { body, .. } | NodeKind::Block { body } => Terminator::Goto(edge(*body)),
            NodeKind::Switch { on, arms } => {
                let named = arms.iter().filter(|arm| !arm.values.is_empty());
                let case = |arm: &vitrine_ir::Arm| Case { values: arm.values.clone(), edge: edge(arm.body) };
                match arms.iter().find(|arm| arm.default) {
                    Some(default) => Terminator::Switch {
                        on: *on,
                        cases: named.map(case).collect(),
                        default: edge(default.body),
                    },
                    None => Terminator::default(),
                }
            }
        }
    }
}
