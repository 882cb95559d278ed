//! Edits of the tree: inserting and removing nodes around code, moving and copying pieces.
//!
//! Every edit refuses to change the target of a terminator, to leave a parameter without an argument, or to
//! make a use of a value that is not computed there. All checks precede the first change. Definitions inside
//! a node are not visible after it, with one exception: definitions that every iteration of a loop computes
//! before it continues are visible in the loop's continuing region.
//!
//! ```text
//! ^0:  %1  %2  %3          wrap_in_if(%2..%2, %c)        ^0:  %1
//!                                                        if !0 %c { ^2: %2 } else { ^3: }
//!                                                        ^1:  %3
//! ```
//!
//! Costs are linear in the inspected code: the piece, and the block and region it comes from or goes to.
//! Nesting may have any depth.

mod arms;
mod contents; // definitions and uses of a piece of a tree
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
    /// Its start.
    pub from: InsertPoint,
    /// Its end, at the same position or later in the same region.
    pub to: InsertPoint,
}

impl InstRange {
    /// The range between two cuts.
    pub fn new(from: InsertPoint, to: InsertPoint) -> InstRange {
        InstRange { from, to }
    }

    /// The empty range at a position.
    pub fn empty(at: InsertPoint) -> InstRange {
        InstRange { from: at, to: at }
    }

    /// The range of one instruction.
    pub fn of_inst(inst: Inst) -> InstRange {
        InstRange { from: InsertPoint::Before(inst), to: InsertPoint::After(inst) }
    }
}

/// The result of inserting a node around code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Wrapped {
    /// The node.
    pub node: Node,
    /// The first block inside; for an `if`, inside its first region.
    pub inside: Block,
    /// The block after the node.
    pub after: Block,
}

/// A range with resolved cuts.
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

enum WrapKind {
    If(Inst),
    Loop,
    Block,
}

impl Editor<'_> {
    /// Splits a block; returns the new block after it, which gets the rest of the instructions and the
    /// terminator.
    ///
    /// In a tree, two blocks cannot be adjacent: an empty labeled block is inserted between them.
    pub fn split_block(&mut self, at: InsertPoint, why: Reason) -> Result<Block, Refusal> {
        match self.func().shape() {
            Shape::Graph(_) => self.split_graph_block(at, why),
            Shape::Tree(_) => Ok(self.wrap_in_block(InstRange::empty(at), why)?.after),
            Shape::Declaration => refuse!("the function has no body"),
        }
    }

    /// Makes code conditional on `cond`. The second region of the `if` is one empty block.
    ///
    /// Refused if a value computed in the code is used after it, or if `cond` is not computed before it.
    pub fn wrap_in_if(&mut self, range: InstRange, cond: Inst, why: Reason) -> Result<Wrapped, Refusal> {
        if self.expect_value(cond)? != ValueType::BOOL {
            refuse!("{cond} is not a scalar boolean");
        }
        self.wrap(range, WrapKind::If(cond), why)
    }

    /// Puts code into a loop that exits at its end, so that the code executes a single time.
    ///
    /// Refused if a value computed in the code is used after it.
    pub fn wrap_in_loop(&mut self, range: InstRange, why: Reason) -> Result<Wrapped, Refusal> {
        self.wrap(range, WrapKind::Loop, why)
    }

    /// Puts code into a labeled block, so that terminators can break out of it.
    ///
    /// Refused if a value computed in the code is used after it.
    pub fn wrap_in_block(&mut self, range: InstRange, why: Reason) -> Result<Wrapped, Refusal> {
        self.wrap(range, WrapKind::Block, why)
    }

    fn wrap(&mut self, range: InstRange, wrap_kind: WrapKind, why: Reason) -> Result<Wrapped, Refusal> {
        let cut = self.cut(range)?;
        self.expect_closed(&self.contents_of_cut(&cut), "after the code that would be inside a node")?;
        if let WrapKind::If(cond) = wrap_kind
            && !self.visible(cond, cut.first, cut.from)
        {
            refuse!("{cond} is not computed before the code it would control");
        }
        let after = self.new_block(why);
        let tail = self.lift(cut.last, cut.to);
        self.put(after, tail, why);
        let inner = self.carve(&cut, why);
        let node = self.close(&cut, inner, wrap_kind, after, why);
        Ok(Wrapped { node, inside: self.func().region(inner).head, after })
    }

    /// Resolves the cuts of a range.
    fn cut(&mut self, range: InstRange) -> Result<Cut, Refusal> {
        let (first, from) = self.resolve(range.from)?;
        let (last, to) = self.resolve(range.to)?;
        let (Some(a), Some(b)) = (self.places.block(first), self.places.block(last)) else {
            refuse!("the function is not a tree");
        };
        if a.region != b.region || (a.at, from) > (b.at, to) {
            refuse!("{last} is not after {first} in one region");
        }
        Ok(Cut { region: a.region, first, first_at: a.at, from, last, last_at: b.at, to })
    }

    /// Makes a region of a range whose end has been cut off. The region falls through at its end; the first
    /// block of the range is left without a terminator, and the enclosing region still lists the moved items.
    fn carve(&mut self, cut: &Cut, why: Reason) -> Region {
        let head = self.new_block(why);
        let mut middle = self.lift(cut.first, cut.from);
        if cut.first == cut.last {
            middle.terminator = Terminator::next();
        } else {
            self.change_terminator(cut.last, Terminator::next(), why);
        }
        self.put(head, middle, why);
        let items = self.func().region(cut.region).rest[cut.first_at..cut.last_at].to_vec();
        self.say_moved(&items, why);
        self.control_mut().regions.push(RegionData { head, rest: CowVec::new(items) })
    }

    fn say_moved(&mut self, items: &[(Node, Block)], why: Reason) {
        for &(node, block) in items {
            self.record(Event::Move(node.into()), why);
            self.record(Event::Move(block.into()), why);
        }
    }

    /// Inserts a node around a carved region, in place of the region.
    fn close(&mut self, cut: &Cut, inner: Region, wrap_kind: WrapKind, after: Block, why: Reason) -> Node {
        let kind = match wrap_kind {
            WrapKind::If(cond) => NodeKind::If { cond, then: inner, els: self.empty_region(why) },
            WrapKind::Loop => NodeKind::Loop { body: inner, continuing: None },
            WrapKind::Block => NodeKind::Block { body: inner },
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
        self.change_terminator(cut.first, Terminator::next(), why);
        if matches!(wrap_kind, WrapKind::Loop) {
            let last = self.func().region(inner).last();
            self.change_terminator(last, Terminator::Break(node, Args::default()), why);
        }
        node
    }

    fn empty_region(&mut self, why: Reason) -> Region {
        let block = self.new_block(why);
        self.change_terminator(block, Terminator::next(), why);
        self.control_mut().regions.push(RegionData::new(block))
    }
}
