//! How a pass that edits begins and ends.

use crate::ir::{
    Anchor, Block, BlockRewriter, Diag, Editor, Func, FuncBody, Inst, Module, Opened, Refusal, Shape,
    TreeStep, TreeWalk,
};

/// Opens a function. Error: `P101` no such function.
pub(in crate::passes) fn open(module: &mut Module, func: Func) -> Result<Editor<'_>, Diag> {
    reopen(module, func, None)
}

/// The same with what an earlier editor left behind.
pub(in crate::passes) fn reopen(
    module: &mut Module,
    func: Func,
    opened: Option<Opened>,
) -> Result<Editor<'_>, Diag> {
    Editor::reopen(module, func, opened).ok_or_else(|| missing(func))
}

/// Begins a way through a function. Error: `P101` no such function.
pub(in crate::passes) fn sweep(module: &mut Module, func: Func) -> Result<BlockRewriter<'_>, Diag> {
    BlockRewriter::new(module, func).ok_or_else(|| missing(func))
}

fn missing(func: Func) -> Diag {
    Diag::error("P101", Anchor::Func(func)).says(format!("there is no function {func}"))
}

/// A refusal where a pass expected none: `P103`. The pass is at fault, or the function was not valid.
pub(in crate::passes) fn refused(func: Func, refusal: &Refusal) -> Diag {
    refusal.diag("P103", Anchor::Func(func)).help("let the validator look at the function first")
}

/// The blocks of a function, each behind what dominates it: reverse post-order in a graph, text order in a tree.
pub(in crate::passes) fn in_order(body: &FuncBody) -> Vec<Block> {
    match body.shape() {
        Shape::Graph(_) => crate::analysis::Cfg::of(body).blocks().to_vec(),
        Shape::Tree(_) | Shape::Declaration => body.blocks_in_order(),
    }
}

/// The nodes of a tree, each before what is in it.
pub(in crate::passes) fn nodes_in_order(body: &FuncBody) -> Vec<crate::ir::Node> {
    let entered = |step| match step {
        TreeStep::Enter(node) => Some(node),
        TreeStep::Open(..) | TreeStep::Block(_) | TreeStep::Leave(_) => None,
    };
    TreeWalk::new(body).filter_map(entered).collect()
}

/// The nodes of a tree, each behind what is in it and what stands before it: where nodes go, code behind them is then
/// put together a little at a time.
pub(in crate::passes) fn nodes_inside_out(body: &FuncBody) -> Vec<crate::ir::Node> {
    let left = |step| match step {
        TreeStep::Leave(node) => Some(node),
        TreeStep::Open(..) | TreeStep::Block(_) | TreeStep::Enter(_) => None,
    };
    TreeWalk::new(body).filter_map(left).collect()
}

/// The instructions of a function in the order of [`in_order`], parameters not among them.
pub(in crate::passes) fn insts_in_order(body: &FuncBody) -> Vec<Inst> {
    in_order(body).into_iter().flat_map(|block| body.block(block).insts.to_vec()).collect()
}

/// Whether any block has parameters.
pub(in crate::passes) fn has_params(body: &FuncBody) -> bool {
    body.tables().blocks.iter().any(|(_, block)| !block.params.is_empty())
}
