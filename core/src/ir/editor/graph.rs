//! Edits of a graph: its blocks and where they lead.

use super::edges::with_edge;
use super::{Editor, Incoming, InsertPoint, Refusal, body, refuse};
use crate::base::EntitySet;
use crate::ir::{Args, Block, CowVec, Edge, Event, Reason, Shape, Site, Terminator};

impl Editor<'_> {
    /// Adds a block to a graph, at the end of the text. It is left by `stop unreachable`.
    pub fn add_block(&mut self, why: Reason) -> Result<Block, Refusal> {
        self.expect_graph()?;
        let at = self.func().blocks_in_order().len();
        Ok(self.add_block_at(at, why))
    }

    /// Adds a block to a graph, in the text behind another one.
    pub fn add_block_after(&mut self, block: Block, why: Reason) -> Result<Block, Refusal> {
        self.expect_graph()?;
        self.expect_block(block)?;
        Ok(self.add_block_behind(block, why))
    }

    /// Lets an edge of a graph lead elsewhere.
    pub fn redirect_edge(&mut self, edge: Incoming, to: Edge, why: Reason) -> Result<(), Refusal> {
        self.expect_edge(edge)?;
        let exit = with_edge(self.func().exit(edge.from), edge.edge, |old| *old = to);
        self.set_exit(edge.from, exit, why)
    }

    /// Puts a new block on an edge of a graph.
    pub fn split_edge(&mut self, edge: Incoming, why: Reason) -> Result<Block, Refusal> {
        let old = self.expect_edge(edge)?;
        let block = self.add_block_behind(edge.from, why);
        self.change_exit(block, Terminator::Goto(old), why);
        let direct = Edge { to: block, args: Args::default() };
        let exit = with_edge(self.func().exit(edge.from), edge.edge, |old| *old = direct);
        self.change_exit(edge.from, exit, why);
        Ok(block)
    }

    /// Splits a block of a graph: what is behind `at` goes to a new block, with exit and hint.
    pub(in crate::ir) fn split_graph_block(
        &mut self,
        at: InsertPoint,
        why: Reason,
    ) -> Result<Block, Refusal> {
        let (block, index) = self.resolve(at)?;
        let tail = self.lift(block, index);
        let hint = self.control_mut().blocks[block].merge.take();
        let behind = self.add_block_behind(block, why);
        self.control_mut().blocks[behind].merge = hint;
        self.put(behind, tail, why);
        self.change_exit(block, Terminator::goto(behind), why);
        Ok(behind)
    }

    /// Removes the blocks of a graph that no path from the entry reaches. How many they were.
    ///
    /// A hint that names one of them goes too. Refused if what stays reads a value that would go.
    pub fn remove_unreachable(&mut self, why: Reason) -> Result<usize, Refusal> {
        let order = self.expect_graph()?;
        let reached = self.reachable();
        let gone: Vec<Block> = order.iter().copied().filter(|&block| !reached.contains(block)).collect();
        if gone.is_empty() {
            return Ok(0);
        }
        self.expect_unread(&gone, &reached)?;
        for &block in order.iter().filter(|&&block| reached.contains(block)) {
            self.drop_hint(block, &reached, why);
        }
        gone.iter().for_each(|&block| self.forget_block(block, why));
        let kept = order.iter().copied().filter(|&block| reached.contains(block)).collect();
        self.control_mut().shape = Shape::Graph(CowVec::new(kept));
        Ok(gone.len())
    }
}

impl Editor<'_> {
    fn expect_graph(&self) -> Result<CowVec<Block>, Refusal> {
        match self.func().shape() {
            Shape::Graph(order) => Ok(order.clone()),
            Shape::Tree(_) | Shape::Declaration => refuse!("the function is no graph"),
        }
    }

    fn expect_edge(&self, edge: Incoming) -> Result<Edge, Refusal> {
        self.expect_graph()?;
        self.expect_block(edge.from)?;
        match self.func().exit(edge.from).edges().get(edge.edge as usize) {
            Some(&found) => Ok(found.clone()),
            None => refuse!("{} has no edge {}", edge.from, edge.edge),
        }
    }

    fn add_block_behind(&mut self, block: Block, why: Reason) -> Block {
        let at = self.func().blocks_in_order().iter().position(|&other| other == block);
        self.add_block_at(at.map_or(0, |at| at + 1), why)
    }

    fn add_block_at(&mut self, at: usize, why: Reason) -> Block {
        let block = self.new_block(why);
        if let Shape::Graph(order) = &mut self.control_mut().shape {
            CowVec::make_mut(order).insert(at, block);
        }
        block
    }

    fn reachable(&self) -> EntitySet<Block> {
        let mut reached = EntitySet::new();
        let mut todo: Vec<Block> = self.func().entry().into_iter().collect();
        while let Some(block) = todo.pop() {
            if reached.insert(block) {
                todo.extend(self.func().exit(block).edges().iter().map(|edge| edge.to));
            }
        }
        reached
    }

    fn expect_unread(&self, gone: &[Block], reached: &EntitySet<Block>) -> Result<(), Refusal> {
        let body = body!(self);
        let stays = |site| match site {
            Site::Inst(inst) => self.block_of(inst).is_some_and(|block| reached.contains(block)),
            Site::Block(block) => reached.contains(block),
            Site::Node(_) => false,
        };
        for &block in gone {
            let data = body.block(block);
            for &value in data.params.iter().chain(data.insts.iter()) {
                if let Some(place) = self.uses(value).find(|place| stays(place.site())) {
                    refuse!("{} reads {value} of {block}, which cannot be reached", place.site());
                }
            }
        }
        Ok(())
    }

    fn drop_hint(&mut self, block: Block, reached: &EntitySet<Block>, why: Reason) {
        let Some(hint) = &self.func().block(block).merge else { return };
        let names = [Some(hint.merge), hint.cont];
        if names.into_iter().flatten().all(|named| reached.contains(named)) {
            return;
        }
        self.control_mut().blocks[block].merge = None;
        self.say(Event::Control(block.into()), why);
    }

    /// A block with its instructions leaves the program.
    pub(in crate::ir) fn forget_block(&mut self, block: Block, why: Reason) {
        let data = body!(self).block(block).clone();
        self.uses.unlink_exit(block);
        for &inst in data.insts.iter() {
            self.uses.unlink_inst(inst);
        }
        self.places.remove_block(body!(self), block);
        self.say(Event::Erase(block.into()), why);
        for &inst in data.params.iter().chain(data.insts.iter()) {
            self.say(Event::Erase(inst.into()), why);
        }
    }
}
