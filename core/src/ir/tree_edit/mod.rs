//! Surgery on the tree: putting nodes around code, taking them away, moving and copying pieces.
//!
//! All of it refuses what would change where an exit leads, leave a parameter without an argument, or let
//! a value be read where it is not computed. All checks come before the first change. Definitions inside
//! a node are not seen behind it, with one exception: what every round of a loop computes before it goes
//! on is seen in the loop's continuing region.
//!
//! ```text
//! ^0:  %1  %2  %3          wrap_in_if(%2..%2, %c)        ^0:  %1
//!                                                        if !0 %c { ^2: %2 } else { ^3: }
//!                                                        ^1:  %3
//! ```
//!
//! Costs are linear in what is looked at: the piece, and the block and region it comes from or goes to.
//! Nesting may be any depth.

mod arms;
mod contents; // what a piece of a tree holds, and who reads it
mod copy;
mod pieces;
mod loop_edit;
mod unwrap;
mod visible;

#[cfg(test)]
mod tests;

pub use pieces::{Detached, Refused};

use super::editor::{Editor, InsertPoint, Refusal, body, refuse};
use super::{
    Args, Attrs, Block, CowVec, Event, Inst, Node, NodeData, NodeKind, Reason, Region, RegionData, Shape,
    Terminator,
};
use crate::ops::ValueType;

/// Code between two cuts of blocks in one region: instructions, and the nodes and blocks between them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InstRange {
    /// Where it begins.
    pub from: InsertPoint,
    /// Where it ends, at the same place or further down in the same region.
    pub to: InsertPoint,
}

impl InstRange {
    /// From a cut to a cut.
    pub fn new(from: InsertPoint, to: InsertPoint) -> InstRange {
        InstRange { from, to }
    }

    /// Nothing, at a place.
    pub fn empty(at: InsertPoint) -> InstRange {
        InstRange { from: at, to: at }
    }

    /// One instruction.
    pub fn of_inst(inst: Inst) -> InstRange {
        InstRange { from: InsertPoint::Before(inst), to: InsertPoint::After(inst) }
    }
}

/// What came of putting a node around code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wrapped {
    /// The node.
    pub node: Node,
    /// The first block inside; for an `if`, inside its first region.
    pub inside: Block,
    /// The block behind the node.
    pub after: Block,
}

/// A run whose cuts are known.
#[derive(Clone, Copy)]
struct Cut {
    region: Region,
    first: Block,
    first_at: usize,
    from: usize,
    last: Block,
    last_at: usize,
    to: usize,
}

enum Around {
    If(Inst),
    Loop,
    Block,
}

impl Editor<'_> {
    /// Splits a block; the new block behind, which has the rest of the instructions and the exit.
    ///
    /// In a tree two blocks cannot stand side by side: an empty labelled block comes between them.
    pub fn split_block(&mut self, at: InsertPoint, why: Reason) -> Result<Block, Refusal> {
        match self.func().shape() {
            Shape::Graph(_) => self.split_graph_block(at, why),
            Shape::Tree(_) => Ok(self.wrap_in_block(InstRange::empty(at), why)?.after),
            Shape::Declaration => refuse!("the function has no body"),
        }
    }

    /// Lets code happen only where `cond` holds. The second region of the `if` is one empty block.
    ///
    /// Refused if a value computed in the code is read behind it, or `cond` is not computed before it.
    pub fn wrap_in_if(&mut self, run: InstRange, cond: Inst, why: Reason) -> Result<Wrapped, Refusal> {
        if self.expect_value(cond)? != ValueType::BOOL {
            refuse!("{cond} is no truth value");
        }
        self.wrap(run, Around::If(cond), why)
    }

    /// Puts code into a loop that it leaves at its end, so that it happens once.
    ///
    /// Refused if a value computed in the code is read behind it.
    pub fn wrap_in_loop(&mut self, run: InstRange, why: Reason) -> Result<Wrapped, Refusal> {
        self.wrap(run, Around::Loop, why)
    }

    /// Puts code into a labelled block, for exits to break out of.
    ///
    /// Refused if a value computed in the code is read behind it.
    pub fn wrap_in_block(&mut self, run: InstRange, why: Reason) -> Result<Wrapped, Refusal> {
        self.wrap(run, Around::Block, why)
    }

    fn wrap(&mut self, run: InstRange, around: Around, why: Reason) -> Result<Wrapped, Refusal> {
        let cut = self.cut(run)?;
        self.expect_closed(&self.contents_of_cut(&cut), "behind the code that would be inside a node")?;
        if let Around::If(cond) = around
            && !self.visible(cond, cut.first, cut.from)
        {
            refuse!("{cond} is not computed before the code it would decide on");
        }
        let after = self.new_block(why);
        let tail = self.lift(cut.last, cut.to);
        self.put(after, tail, why);
        let inner = self.carve(&cut, why);
        let node = self.close(&cut, inner, around, after, why);
        Ok(Wrapped { node, inside: self.func().region(inner).head, after })
    }

    /// The cuts of a run.
    fn cut(&mut self, run: InstRange) -> Result<Cut, Refusal> {
        let (first, from) = self.resolve(run.from)?;
        let (last, to) = self.resolve(run.to)?;
        let (Some(a), Some(b)) = (self.places.block(first), self.places.block(last)) else {
            refuse!("the function is no tree");
        };
        if a.region != b.region || (a.at, from) > (b.at, to) {
            refuse!("{last} is not behind {first} in one region");
        }
        Ok(Cut { region: a.region, first, first_at: a.at, from, last, last_at: b.at, to })
    }

    /// Makes a region of a run whose end has been lifted off. The region falls out at its end; the run's
    /// first block is left without a way on, and its region still lists what went.
    fn carve(&mut self, cut: &Cut, why: Reason) -> Region {
        let head = self.new_block(why);
        let mut middle = self.lift(cut.first, cut.from);
        if cut.first == cut.last {
            middle.exit = Terminator::next();
        } else {
            self.change_exit(cut.last, Terminator::next(), why);
        }
        self.put(head, middle, why);
        let items = self.func().region(cut.region).rest[cut.first_at..cut.last_at].to_vec();
        self.say_moved(&items, why);
        self.control_mut().regions.push(RegionData { head, rest: CowVec::new(items) })
    }

    fn say_moved(&mut self, items: &[(Node, Block)], why: Reason) {
        for &(node, block) in items {
            self.say(Event::Move(node.into()), why);
            self.say(Event::Move(block.into()), why);
        }
    }

    /// Puts a node around a carved region, into the place it left.
    fn close(&mut self, cut: &Cut, inner: Region, around: Around, after: Block, why: Reason) -> Node {
        let kind = match around {
            Around::If(cond) => NodeKind::If { cond, then: inner, els: self.empty_region(why) },
            Around::Loop => NodeKind::Loop { body: inner, continuing: None },
            Around::Block => NodeKind::Block { body: inner },
        };
        let regions = kind.regions();
        let body = self.control_mut();
        let node = body.nodes.push(NodeData { kind, attrs: Attrs::None });
        let rest = CowVec::make_mut(&mut body.regions[cut.region].rest);
        rest.splice(cut.first_at..cut.last_at, [(node, after)]);
        let body = body!(self);
        self.places.set_owner(node, &body.node(node).kind);
        self.places.index_region(body, cut.region, cut.first_at + 1);
        for region in regions {
            self.places.index_region(body, region, 0);
        }
        self.uses.link_node(body, node);
        self.created(node, why);
        self.change_exit(cut.first, Terminator::next(), why);
        if matches!(around, Around::Loop) {
            let last = self.func().region(inner).last();
            self.change_exit(last, Terminator::Break(node, Args::default()), why);
        }
        node
    }

    fn empty_region(&mut self, why: Reason) -> Region {
        let block = self.new_block(why);
        self.change_exit(block, Terminator::next(), why);
        self.control_mut().regions.push(RegionData::new(block))
    }
}
