//! Helpers that passes use to open a function and to report an error.

use vitrine_ir::{
    Anchor, Block, BlockRewriter, Diag, Editor, Func, FuncBody, Inst, InstData, Module, Opened, Refusal,
    Shape, TreeStep, TreeWalk,
};

/// Opens a function. Error: `P101` no such function.
pub(crate) fn open(module: &mut Module, func: Func) -> Result<Editor<'_>, Diag> {
    reopen(module, func, None)
}

/// The same with the state that an earlier editor returned.
pub(crate) fn reopen(module: &mut Module, func: Func, opened: Option<Opened>) -> Result<Editor<'_>, Diag> {
    Editor::reopen(module, func, opened).ok_or_else(|| missing(func))
}

/// Opens a function for rewriting block by block. Error: `P101` no such function.
pub(crate) fn sweep(module: &mut Module, func: Func) -> Result<BlockRewriter<'_>, Diag> {
    BlockRewriter::new(module, func).ok_or_else(|| missing(func))
}

fn missing(func: Func) -> Diag {
    Diag::error("P101", Anchor::Func(func)).says(format!("function {func} does not exist"))
}

/// The diagnostic for a refusal that a pass did not expect: `P103`. Either the pass has a bug, or the function
/// was not valid.
pub(crate) fn refused(func: Func, refusal: &Refusal) -> Diag {
    refusal.diag("P103", Anchor::Func(func)).help("run the validator on the function first")
}

/// The blocks of a function, each after its dominators: reverse post-order in a graph, text order in a tree.
pub(crate) fn in_order(body: &FuncBody) -> Vec<Block> {
    match body.shape() {
        Shape::Graph(_) => vitrine_analysis::Cfg::of(body).blocks().to_vec(),
        Shape::Tree(_) | Shape::Declaration => body.blocks_in_order(),
    }
}

/// The nodes of a tree, each before its contents.
pub(crate) fn nodes_in_order(body: &FuncBody) -> Vec<vitrine_ir::Node> {
    let entered = |step| match step {
        TreeStep::Enter(node) => Some(node),
        TreeStep::Open(..) | TreeStep::Block(_) | TreeStep::Leave(_) => None,
    };
    TreeWalk::new(body).filter_map(entered).collect()
}

/// The nodes of a tree, each after its contents and after earlier nodes. If nodes are removed in this order,
/// the code after them is merged in small pieces.
pub(crate) fn nodes_inside_out(body: &FuncBody) -> Vec<vitrine_ir::Node> {
    let left = |step| match step {
        TreeStep::Leave(node) => Some(node),
        TreeStep::Open(..) | TreeStep::Block(_) | TreeStep::Enter(_) => None,
    };
    TreeWalk::new(body).filter_map(left).collect()
}

/// The instructions of a function in the order of [`in_order`], without parameters.
pub(crate) fn insts_in_order(body: &FuncBody) -> Vec<Inst> {
    in_order(body).into_iter().flat_map(|block| body.block(block).insts.to_vec()).collect()
}

/// Every instruction of a function, unreachable ones too, in text order and without parameters.
pub(crate) fn all_insts(body: &FuncBody) -> Vec<Inst> {
    body.blocks_in_order().into_iter().flat_map(|block| body.block(block).insts.to_vec()).collect()
}

/// Returns true if the table of a function has such an instruction, placed or not: most passes find nothing, and the table is
/// read faster than blocks in order.
pub(crate) fn may_have(body: &FuncBody, is_wanted: impl Fn(&InstData) -> bool) -> bool {
    body.tables().insts.iter().any(|(_, data)| is_wanted(data))
}

/// Returns true if any block has parameters.
pub(crate) fn has_params(body: &FuncBody) -> bool {
    body.tables().blocks.iter().any(|(_, block)| !block.params.is_empty())
}
