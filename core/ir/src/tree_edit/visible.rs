//! Visibility of values in a tree.

use crate::editor::{DefSite, Editor, InsertPoint, body};
use crate::{Block, Inst, Node, NodeKind, Region, Terminator, TreePlace};

impl Editor<'_> {
    /// Returns true if a value may be used at a position of a tree: if it is computed on every path to it, as
    /// far as the structure of the tree shows. Always false in a graph, for which there are dominators.
    pub fn is_visible(&mut self, value: Inst, at: InsertPoint) -> bool {
        self.resolve(at).is_ok_and(|(block, index)| self.visible(value, block, index))
    }

    /// Returns true if a value is computed on every path to a position of a tree, as far as the structure
    /// shows. `O(depth)`; for uses in a continuing region, plus the number of edges into it.
    pub(crate) fn visible(&mut self, value: Inst, block: Block, index: usize) -> bool {
        let home = match self.places.home(value) {
            DefSite::Nowhere => return false,
            DefSite::Func => return true,
            DefSite::Param(home) if home == block => return true,
            DefSite::Body(home) if home == block => return self.index_of(value).is_some_and(|at| at < index),
            DefSite::Param(home) | DefSite::Body(home) => home,
        };
        let (Some(def), Some(mut at)) = (self.places.block(home), self.places.block(block)) else {
            return false;
        };
        loop {
            if at.region == def.region {
                return def.at < at.at;
            }
            let Some(owner) = self.places.owner(at.region) else { return false };
            if self.continuing_of(owner, at.region) == Some(def.region) {
                return self.on_every_iteration(owner, home, def);
            }
            let Some(up) = self.places.node(owner) else { return false };
            at = up;
        }
    }

    /// The body of the loop that owns this continuing region.
    fn continuing_of(&self, owner: Node, region: Region) -> Option<Region> {
        match body!(self).node(owner).kind {
            NodeKind::Loop { body, continuing } if continuing == Some(region) => Some(body),
            NodeKind::Loop { .. }
            | NodeKind::If { .. }
            | NodeKind::Switch { .. }
            | NodeKind::Block { .. } => None,
        }
    }

    /// Returns true if every `continue` of a loop comes after a block directly in its body.
    fn on_every_iteration(&self, owner: Node, home: Block, def: TreePlace) -> bool {
        let body = body!(self);
        let mut named = self.uses.terminators_naming(owner);
        named.all(|from| {
            let continues = matches!(body.terminator(from), Terminator::Continue(..));
            !continues || from == home || self.place_in(from, def.region).is_some_and(|at| def.at < at)
        })
    }

    /// Index in a region of the block or node that a block is, or is inside of.
    fn place_in(&self, block: Block, region: Region) -> Option<usize> {
        let mut at = self.places.block(block)?;
        while at.region != region {
            at = self.places.node(self.places.owner(at.region)?)?;
        }
        Some(at.at)
    }
}
