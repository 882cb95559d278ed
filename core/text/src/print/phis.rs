//! Incoming values of each block by predecessor: the view of block parameters as phis.

use vitrine_ir::base::SideTable;
use vitrine_ir::{Args, Block, FuncBody, Nesting, Node, NodeKind, Region, Shape, Terminator};

/// For each block, its predecessors and the arguments they pass, in text order.
pub(super) struct Incoming {
    edges: SideTable<Block, Vec<(Block, Args)>>,
}

impl Incoming {
    /// Computes it. Labels that do not enclose their use, which only an invalid program has, have no target.
    pub(super) fn of(body: &FuncBody) -> Incoming {
        let mut incoming = Incoming { edges: SideTable::new() };
        match body.shape() {
            Shape::Declaration => {}
            Shape::Graph(order) => {
                for &block in order.iter() {
                    for edge in body.block(block).terminator.edges() {
                        incoming.edges[edge.to].push((block, edge.args.clone()));
                    }
                }
            }
            Shape::Tree(_) => incoming.tree(body),
        }
        incoming
    }

    /// The predecessors of `block` and their arguments.
    pub(super) fn of_block(&self, block: Block) -> &[(Block, Args)] {
        &self.edges[block]
    }

    fn tree(&mut self, body: &FuncBody) {
        let nesting = Nesting::of(body);
        for block in body.blocks_in_order() {
            let (target, args) = match &body.block(block).terminator {
                Terminator::Next(args) => {
                    self.next(body, &nesting, block, args);
                    continue;
                }
                Terminator::Break(node, args) => (nesting.after(body, *node), args),
                Terminator::Continue(node, args) => (around(body, *node), args),
                Terminator::Return(_)
                | Terminator::Stop(_)
                | Terminator::Goto(_)
                | Terminator::Branch { .. }
                | Terminator::Switch { .. } => continue,
            };
            if let Some(target) = target {
                self.edges[target].push((block, args.clone()));
            }
        }
    }

    fn next(&mut self, body: &FuncBody, nesting: &Nesting, block: Block, args: &Args) {
        let Some(place) = nesting.block(block) else { return };
        if let Some(&(node, _)) = body.region(place.region).rest.get(place.at) {
            let regions = body.node(node).kind.regions();
            let entered =
                if matches!(body.node(node).kind, NodeKind::Loop { .. }) { 1 } else { regions.len() };
            for &region in &regions[..entered] {
                self.edges[body.region(region).head].push((block, args.clone()));
            }
            return;
        }
        let Some(owner) = nesting.owner(place.region) else { return };
        let target = match body.node(owner).kind {
            NodeKind::Loop { body: rounds, .. } if rounds == place.region => around(body, owner),
            NodeKind::Loop { body: rounds, .. } => head(body, rounds),
            NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Block { .. } => {
                nesting.after(body, owner)
            }
        };
        if let Some(target) = target {
            self.edges[target].push((block, args.clone()));
        }
    }
}

/// The target of `continue`.
fn around(body: &FuncBody, node: Node) -> Option<Block> {
    match body.tables().nodes.get(node)?.kind {
        NodeKind::Loop { body: rounds, continuing } => head(body, continuing.unwrap_or(rounds)),
        NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Block { .. } => None,
    }
}

fn head(body: &FuncBody, region: Region) -> Option<Block> {
    Some(body.tables().regions.get(region)?.head)
}
