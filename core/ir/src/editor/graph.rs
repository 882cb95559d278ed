//! Edits of a graph: its blocks and edges.

use super::edges::with_edge;
use super::{Editor, Incoming, InsertPoint, Refusal, body, refuse};
use crate::base::EntitySet;
use crate::{Args, Block, CowVec, Edge, Event, Reason, Shape, Site, Terminator};

impl Editor<'_> {
    /// Adds a block to a graph, at the end of the text. Its terminator is `stop unreachable`.
    pub fn add_block(&mut self, why: Reason) -> Result<Block, Refusal> {
        self.expect_graph()?;
        let at = self.func().blocks_in_order().len();
        Ok(self.add_block_at(at, why))
    }

    /// Adds a block to a graph, after another one in the text.
    pub fn add_block_after(&mut self, block: Block, why: Reason) -> Result<Block, Refusal> {
        self.expect_graph()?;
        self.expect_block(block)?;
        Ok(self.new_block_after(block, why))
    }

    /// Changes the target of a graph edge.
    pub fn redirect_edge(&mut self, edge: Incoming, to: Edge, why: Reason) -> Result<(), Refusal> {
        self.expect_edge(edge)?;
        let terminator = with_edge(self.func().terminator(edge.from), edge.edge, |old| *old = to);
        self.set_terminator(edge.from, terminator, why)
    }

    /// Inserts a new block on a graph edge.
    pub fn split_edge(&mut self, edge: Incoming, why: Reason) -> Result<Block, Refusal> {
        let old = self.expect_edge(edge)?;
        let block = self.new_block_after(edge.from, why);
        self.change_terminator(block, Terminator::Goto(old), why);
        let direct = Edge { to: block, args: Args::default() };
        let terminator = with_edge(self.func().terminator(edge.from), edge.edge, |old| *old = direct);
        self.change_terminator(edge.from, terminator, why);
        Ok(block)
    }

    /// Splits a block of a graph: everything after `at` moves to a new block, with terminator and hint.
    pub(crate) fn split_graph_block(&mut self, at: InsertPoint, why: Reason) -> Result<Block, Refusal> {
        let (block, index) = self.resolve(at)?;
        let tail = self.lift(block, index);
        let hint = self.control_mut().blocks[block].merge.take();
        let after = self.new_block_after(block, why);
        self.control_mut().blocks[after].merge = hint;
        self.put(after, tail, why);
        self.change_terminator(block, Terminator::goto(after), why);
        Ok(after)
    }

    /// Removes the blocks of a graph that no path from the entry reaches. Returns their number.
    ///
    /// A hint that names one of them is removed too. Refused if a remaining use refers to a removed value.
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
            Shape::Tree(_) | Shape::Declaration => refuse!("the function is not a graph"),
        }
    }

    fn expect_edge(&self, edge: Incoming) -> Result<Edge, Refusal> {
        self.expect_graph()?;
        self.expect_block(edge.from)?;
        match self.func().terminator(edge.from).edges().get(edge.edge as usize) {
            Some(&found) => Ok(found.clone()),
            None => refuse!("{} has no edge {}", edge.from, edge.edge),
        }
    }

    fn new_block_after(&mut self, block: Block, why: Reason) -> Block {
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
                todo.extend(self.func().terminator(block).edges().iter().map(|edge| edge.to));
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
                    refuse!("{} uses {value} of {block}, which is unreachable", place.site());
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
        self.record(Event::Control(block.into()), why);
    }

    /// Removes a block with its instructions from the program.
    pub(crate) fn forget_block(&mut self, block: Block, why: Reason) {
        let data = body!(self).block(block).clone();
        self.uses.unlink_terminator(block);
        for &inst in data.insts.iter() {
            self.uses.unlink_inst(inst);
        }
        self.places.remove_block(body!(self), block);
        self.record(Event::Erase(block.into()), why);
        for &inst in data.params.iter().chain(data.insts.iter()) {
            self.record(Event::Erase(inst.into()), why);
        }
    }
}
