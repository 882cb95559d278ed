//! Predecessors and successors of blocks in both shapes, in the current state of the function.

use super::{Editor, Refusal, body, refuse};
use crate::base::{EntityId, sort_by_number};
use crate::{Args, Block, Edge, Inst, Node, NodeKind, Region, Terminator, TreePlace};
use std::rc::Rc;

/// An edge into a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Incoming {
    /// The predecessor block.
    pub from: Block,
    /// Number of the edge in the terminator, in order of `Terminator::edges`; 0 in a tree.
    pub edge: u32,
}

impl Editor<'_> {
    /// The edges that pass values to the parameters of a block. Empty for the heads of arms, which have no
    /// parameters, and for blocks that are not part of the program.
    pub fn incoming(&self, block: Block) -> Vec<Incoming> {
        if !self.has_block(block) {
            return Vec::new();
        }
        match self.places.block(block) {
            Some(place) => {
                let from = self.tree_sources(place);
                from.into_iter().map(|from| Incoming { from, edge: 0 }).collect()
            }
            None => self.graph_sources(block),
        }
    }

    /// The arguments of an edge.
    pub fn edge_args(&self, edge: Incoming) -> Option<&Args> {
        if !self.has_block(edge.from) {
            return None;
        }
        let terminator = self.func().terminator(edge.from);
        match terminator {
            Terminator::Next(args) | Terminator::Break(_, args) | Terminator::Continue(_, args)
                if edge.edge == 0 =>
            {
                Some(args)
            }
            Terminator::Next(_)
            | Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Return(_)
            | Terminator::Stop(_) => None,
            Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => {
                terminator.edges().get(edge.edge as usize).map(|edge| &edge.args)
            }
        }
    }

    fn graph_sources(&self, block: Block) -> Vec<Incoming> {
        let mut from: Vec<Block> = self.uses.terminators_to(block).collect();
        sort_by_number(&mut from, |block| block.index() as u64);
        from.dedup();
        let edges = |from| {
            let edges = self.func().terminator(from).edges().into_iter().enumerate();
            let reach = edges.filter(|(_, edge)| edge.to == block);
            reach.map(|(at, _)| Incoming { from, edge: at as u32 }).collect::<Vec<_>>()
        };
        from.into_iter().flat_map(edges).collect()
    }

    fn tree_sources(&self, place: TreePlace) -> Vec<Block> {
        let body = body!(self);
        if let Some(at) = place.at.checked_sub(1) {
            let node = body.region(place.region).rest[at].0;
            return self.leaving(node);
        }
        let Some(owner) = self.places.owner(place.region) else { return Vec::new() };
        let NodeKind::Loop { body: first, continuing } = body.node(owner).kind else { return Vec::new() };
        let continues = || {
            let named = self.uses.terminators_naming(owner);
            named.filter(|&from| matches!(body.terminator(from), Terminator::Continue(..)))
        };
        let continue_params = self.falling_out(first);
        match continuing {
            Some(continuing) if continuing == place.region => continues().chain(continue_params).collect(),
            Some(continuing) => {
                self.entering(owner).into_iter().chain(self.falling_out(continuing)).collect()
            }
            None => self.entering(owner).into_iter().chain(continues()).chain(continue_params).collect(),
        }
    }

    /// The block that enters a node, if there is one.
    pub(crate) fn entering(&self, node: Node) -> Option<Block> {
        self.block_before(node).filter(|&block| matches!(self.func().terminator(block), Terminator::Next(_)))
    }

    /// The block before a node of the program.
    pub fn block_before(&self, node: Node) -> Option<Block> {
        let place = self.places.node(node)?;
        let data = self.func().region(place.region);
        match place.at {
            0 | 1 => Some(data.head),
            at => data.rest.get(at - 2).map(|&(_, block)| block),
        }
    }

    /// The block after a node of the program, which is the target of leaving it.
    pub fn block_after(&self, node: Node) -> Option<Block> {
        let place = self.places.node(node)?;
        self.func().region(place.region).rest.get(place.at.checked_sub(1)?).map(|&(_, block)| block)
    }

    /// The last block of a region if it ends with `next`.
    fn falling_out(&self, region: Region) -> Option<Block> {
        let last = self.func().region(region).last();
        matches!(self.func().terminator(last), Terminator::Next(_)).then_some(last)
    }

    /// Blocks that leave a node for the block after it.
    fn leaving(&self, node: Node) -> Vec<Block> {
        let body = body!(self);
        let named = self.uses.terminators_naming(node);
        let mut from: Vec<Block> =
            named.filter(|&from| matches!(body.terminator(from), Terminator::Break(..))).collect();
        let kind = &body.node(node).kind;
        if !matches!(kind, NodeKind::Loop { .. }) {
            from.extend(kind.regions().into_iter().filter_map(|region| self.falling_out(region)));
        }
        from
    }

    /// The targets that a terminator would have in a block, with the arguments it would pass.
    pub(crate) fn reached<'a>(
        &self,
        block: Block,
        terminator: &'a Terminator,
    ) -> Result<Vec<(Block, &'a [Inst])>, Refusal> {
        if terminator.is_graph_only() == self.is_tree()
            && !matches!(terminator, Terminator::Return(_) | Terminator::Stop(_))
        {
            refuse!("{block} cannot have this terminator in this shape of function");
        }
        match terminator {
            Terminator::Return(_) | Terminator::Stop(_) => Ok(Vec::new()),
            Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => {
                Ok(terminator.edges().into_iter().map(|Edge { to, args }| (*to, args.as_slice())).collect())
            }
            Terminator::Next(args) => {
                Ok(self.next_of(block)?.into_iter().map(|to| (to, args.as_slice())).collect())
            }
            Terminator::Break(node, args) => Ok(vec![(self.break_of(block, *node)?, args.as_slice())]),
            Terminator::Continue(node, args) => Ok(vec![(self.continue_of(block, *node)?, args.as_slice())]),
        }
    }

    fn tree_place(&self, block: Block) -> Result<TreePlace, Refusal> {
        match self.places.block(block) {
            Some(place) => Ok(place),
            None => refuse!("{block} is not part of a tree"),
        }
    }

    fn next_of(&self, block: Block) -> Result<Vec<Block>, Refusal> {
        let body = body!(self);
        let place = self.tree_place(block)?;
        if let Some(&(node, _)) = body.region(place.region).rest.get(place.at) {
            let heads = body.node(node).kind.regions().into_iter().map(|region| body.region(region).head);
            return Ok(match body.node(node).kind {
                NodeKind::Loop { .. } => heads.take(1).collect(),
                NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Block { .. } => heads.collect(),
            });
        }
        let Some(owner) = self.places.owner(place.region) else {
            refuse!("nothing follows {block}, the last block of the function");
        };
        let to = match body.node(owner).kind {
            NodeKind::Loop { body: first, continuing: Some(second) } if first == place.region => second,
            NodeKind::Loop { body: first, .. } => first,
            NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Block { .. } => {
                return Ok(self.block_after(owner).into_iter().collect());
            }
        };
        Ok(vec![body.region(to).head])
    }

    fn break_of(&self, block: Block, node: Node) -> Result<Block, Refusal> {
        let place = self.tree_place(block)?;
        let inside = self.places.enclosing(place.region).any(|other| other == node);
        match self.block_after(node) {
            Some(after) if inside => Ok(after),
            Some(_) | None => refuse!("{block} is not inside {node}, which it would break out of"),
        }
    }

    fn continue_of(&self, block: Block, node: Node) -> Result<Block, Refusal> {
        let mut region = self.tree_place(block)?.region;
        while let Some(owner) = self.places.owner(region) {
            if owner == node {
                return self.continue_target(node, region);
            }
            let Some(place) = self.places.node(owner) else { break };
            region = place.region;
        }
        refuse!("{block} is not inside {node}, which it would continue")
    }

    /// The target of `continue` from a region of a node.
    pub(crate) fn continue_target(&self, node: Node, from: Region) -> Result<Block, Refusal> {
        let body = body!(self);
        match body.node(node).kind {
            NodeKind::Loop { continuing: Some(second), .. } if second == from => {
                refuse!("{node} cannot be continued from its continuing region")
            }
            NodeKind::Loop { body: first, continuing } => Ok(body.region(continuing.unwrap_or(first)).head),
            NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Block { .. } => {
                refuse!("{node} is not a loop and cannot be continued")
            }
        }
    }

    /// Refuses values that do not fit the parameters of a block.
    pub(crate) fn expect_args(&self, block: Block, args: &[Inst]) -> Result<(), Refusal> {
        let params = &self.func().block(block).params;
        if params.len() != args.len() {
            refuse!("{block} takes {} values, but the edge passes {}", params.len(), args.len());
        }
        for (&param, &arg) in params.iter().zip(args) {
            let [want, given] = [param, arg].map(|value| self.func().ty(value));
            if want != given {
                refuse!("{param} of {block} has type `{want}`, but {arg} has type `{given}`");
            }
        }
        Ok(())
    }
}

/// The terminator with the arguments of one edge mapped by `f`.
pub(crate) fn with_edge_args(terminator: &Terminator, at: u32, f: impl FnOnce(&Args) -> Args) -> Terminator {
    match terminator {
        Terminator::Next(args) => Terminator::Next(f(args)),
        Terminator::Break(node, args) => Terminator::Break(*node, f(args)),
        Terminator::Continue(node, args) => Terminator::Continue(*node, f(args)),
        Terminator::Return(_) | Terminator::Stop(_) => terminator.clone(),
        Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => {
            with_edge(terminator, at, |edge| edge.args = f(&edge.args))
        }
    }
}

/// The terminator with one graph edge changed; unchanged if there is no such edge.
pub(crate) fn with_edge(terminator: &Terminator, at: u32, f: impl FnOnce(&mut Edge)) -> Terminator {
    let mut terminator = terminator.clone();
    let edge = match &mut terminator {
        Terminator::Goto(edge) => Some(edge).filter(|_| at == 0),
        Terminator::Branch { then, els, .. } => [then, els].into_iter().nth(at as usize),
        Terminator::Switch { cases, default, .. } if at as usize == cases.len() => Some(default),
        Terminator::Switch { cases, .. } => {
            Rc::make_mut(cases).get_mut(at as usize).map(|case| &mut case.edge)
        }
        Terminator::Next(_)
        | Terminator::Break(..)
        | Terminator::Continue(..)
        | Terminator::Return(_)
        | Terminator::Stop(_) => None,
    };
    if let Some(edge) = edge {
        f(edge);
    }
    terminator
}
