//! Removal of nodes: with their contents, or from around their contents.

use super::contents::Contents;
use crate::editor::{DefSite, Editor, Refusal, body, refuse};
use crate::{Block, CowVec, Event, Inst, Node, NodeKind, Reason, Region, Terminator};

/// The continuation of a node's contents.
enum Continuation {
    /// Falls through to the block after the node, passing these values.
    Falls(Vec<Inst>),
    /// Exits elsewhere: the block after the node is unreachable.
    Leaves,
}

/// A node of the program and its surroundings.
struct NodeSurroundings {
    region: Region,
    at: usize,
    before: Block,
    after: Block,
    brought: Vec<Inst>,
}

impl Editor<'_> {
    /// Replaces a node by its contents: a labeled block, a loop with a single iteration, or an `if` or a
    /// `switch` with a constant operand. The other arms are erased; if the contents never reach the block
    /// after the node, the rest of the region is erased too.
    ///
    /// Refused if a terminator names the node from further inside, and if a loop may iterate.
    pub fn unwrap(&mut self, node: Node, why: Reason) -> Result<(), Refusal> {
        let spot = self.spot(node)?;
        let (kept, dropped) = self.arms(node)?;
        let onward = self.onward(node, kept)?;
        self.expect_unnamed(node, kept, &dropped)?;
        let head = self.func().region(kept).head;
        self.expect_binding(head, &spot.brought)?;
        match &onward {
            Continuation::Falls(results) => self.expect_binding(spot.after, results)?,
            Continuation::Leaves => self.expect_droppable(&spot)?,
        }
        self.expect_region_closed(&dropped)?;
        dropped.into_iter().for_each(|region| self.detach(region, Event::Erase, why));
        self.bind(head, &spot.brought, why);
        let last = self.func().region(kept).last();
        match onward {
            Continuation::Falls(_) => self.fall_into(last, &spot, why),
            Continuation::Leaves => self.drop_rest(&spot, why),
        }
        self.inline(node, kept, &spot, why);
        Ok(())
    }

    /// Erases a node with its contents. `results` replace the parameters of the block after it, which is
    /// merged with the block before it. The caller guarantees that the effects of the node are not needed.
    ///
    /// Refused if a value computed in the node is used outside, and if the node is never entered.
    pub fn erase_node(&mut self, node: Node, results: &[Inst], why: Reason) -> Result<(), Refusal> {
        let spot = self.spot(node)?;
        let mut contents = Contents::default();
        contents.add_node(body!(self), node);
        self.expect_closed(&contents, "outside the node")?;
        let end = self.func().block(spot.before).insts.len();
        for &result in results {
            self.expect_value(result)?;
            if !self.visible(result, spot.before, end) {
                refuse!("{result} is not computed before {node}");
            }
        }
        self.expect_binding(spot.after, results)?;
        self.bind(spot.after, results, why);
        for region in self.func().node(node).kind.regions() {
            self.detach(region, Event::Erase, why);
        }
        self.lift(spot.before, end);
        self.join(spot.before, spot.after, why);
        self.remove_item(node, &spot, &[], why);
        Ok(())
    }
}

impl Editor<'_> {
    fn spot(&self, node: Node) -> Result<NodeSurroundings, Refusal> {
        self.expect_node(node)?;
        let (Some(place), Some(before), Some(after)) =
            (self.places.node(node), self.block_before(node), self.block_after(node))
        else {
            refuse!("{node} is not part of the program");
        };
        let Terminator::Next(brought) = self.func().terminator(before) else {
            refuse!("{node} is never entered: {before} has another target");
        };
        Ok(NodeSurroundings { region: place.region, at: place.at, before, after, brought: brought.to_vec() })
    }

    /// The region of a node that is executed, and those that are not.
    fn arms(&self, node: Node) -> Result<(Region, Vec<Region>), Refusal> {
        let constant = |value: Inst| match self.bits_of(value) {
            Some(bits) => Ok(bits.component(0).as_u64()),
            None => Err(Refusal::new(format!("{value} is not constant: every arm of {node} may execute"))),
        };
        let kind = &self.func().node(node).kind;
        let kept = match kind {
            NodeKind::If { cond, then, els } => {
                if constant(*cond)? != 0 {
                    *then
                } else {
                    *els
                }
            }
            NodeKind::Switch { on, arms } => {
                let value = constant(*on)?;
                let hit = arms.iter().find(|arm| arm.values.contains(&value));
                match hit.or_else(|| arms.iter().find(|arm| arm.default)) {
                    Some(arm) => arm.body,
                    None => refuse!("{node} has no arm for {value}"),
                }
            }
            NodeKind::Loop { body, .. } | NodeKind::Block { body } => *body,
        };
        Ok((kept, kind.regions().into_iter().filter(|&region| region != kept).collect()))
    }

    fn onward(&self, node: Node, kept: Region) -> Result<Continuation, Refusal> {
        let last = self.func().region(kept).last();
        let is_loop = matches!(self.func().node(node).kind, NodeKind::Loop { .. });
        match self.func().terminator(last) {
            Terminator::Next(_) if is_loop => refuse!("{node} may iterate"),
            Terminator::Continue(named, _) if *named == node => refuse!("{node} may iterate"),
            Terminator::Next(args) => Ok(Continuation::Falls(args.to_vec())),
            Terminator::Break(named, args) if *named == node => Ok(Continuation::Falls(args.to_vec())),
            _ => Ok(Continuation::Leaves),
        }
    }

    /// Refuses a node that is named by anything but the end of the kept region or erased code.
    fn expect_unnamed(&self, node: Node, kept: Region, dropped: &[Region]) -> Result<(), Refusal> {
        let last = self.func().region(kept).last();
        for from in self.uses.terminators_naming(node).filter(|&from| from != last) {
            let mut region = self.places.block(from).map(|place| place.region);
            let mut gone = false;
            while let Some(at) = region.filter(|&at| at != kept && !gone) {
                gone = dropped.contains(&at);
                region =
                    self.places.owner(at).and_then(|owner| self.places.node(owner)).map(|place| place.region);
            }
            if !gone {
                refuse!("{from} names {node} from inside");
            }
        }
        Ok(())
    }

    /// Refuses values that cannot replace a block's parameters.
    pub(super) fn expect_binding(&self, block: Block, values: &[Inst]) -> Result<(), Refusal> {
        self.expect_args(block, values)?;
        let params = &self.func().block(block).params;
        if let Some(value) = values.iter().find(|value| params.contains(value)) {
            refuse!("{value} would replace itself");
        }
        Ok(())
    }

    fn expect_region_closed(&self, regions: &[Region]) -> Result<(), Refusal> {
        let mut contents = Contents::default();
        regions.iter().for_each(|&region| contents.add_region(body!(self), region));
        self.expect_closed(&contents, "outside what would be erased")
    }

    /// Refuses a region whose rest, after a node, defines values that are used elsewhere.
    fn expect_droppable(&self, spot: &NodeSurroundings) -> Result<(), Refusal> {
        let func = body!(self);
        let mut contents = Contents::default();
        contents.add_block(func, spot.after);
        for &(node, block) in &func.region(spot.region).rest[spot.at..] {
            contents.add_node(func, node);
            contents.add_block(func, block);
        }
        self.expect_closed(&contents, "outside what would never be reached")
    }

    /// Replaces uses of a block's parameters by `values`, and removes the parameters.
    pub(super) fn bind(&mut self, block: Block, values: &[Inst], why: Reason) {
        let params = self.func().block(block).params.clone();
        if params.is_empty() {
            return;
        }
        for (&param, &value) in params.iter().zip(values) {
            self.swap_uses(param, value, |_| true, why);
            self.places.set_home(param, DefSite::Nowhere);
            self.record(Event::Erase(param.into()), why);
        }
        self.data_mut().blocks[block].params = CowVec::default();
        self.record(Event::Control(block.into()), why);
    }

    /// Merges the block after a node into the last block inside.
    fn fall_into(&mut self, last: Block, spot: &NodeSurroundings, why: Reason) {
        // Read here and not earlier: the parameters of the first block are bound at this point.
        let end = self.func().block(last).insts.len();
        if let Terminator::Next(results) | Terminator::Break(_, results) = self.lift(last, end).terminator {
            self.bind(spot.after, &results, why);
        }
        self.join(last, spot.after, why);
    }

    /// Merges `second`, which has no parameters, into `first`, which has no terminator.
    pub(super) fn join(&mut self, first: Block, second: Block, why: Reason) {
        let tail = self.lift(second, 0);
        self.put(first, tail, why);
        self.places.remove_block(body!(self), second);
        self.record(Event::Erase(second.into()), why);
    }

    /// Erases the rest of a region after a node that never falls through.
    fn drop_rest(&mut self, spot: &NodeSurroundings, why: Reason) {
        let items = self.func().region(spot.region).rest[spot.at..].to_vec();
        self.forget_block(spot.after, why);
        for (node, block) in items {
            self.forget_block(block, why);
            for region in self.func().node(node).kind.regions() {
                self.detach(region, Event::Erase, why);
            }
            self.forget_node(node, why);
        }
        let rest = CowVec::make_mut(&mut self.control_mut().regions[spot.region].rest);
        rest.truncate(spot.at);
    }

    fn forget_node(&mut self, node: Node, why: Reason) {
        self.uses.unlink_node(node);
        self.places.remove_node(body!(self), node);
        self.record(Event::Erase(node.into()), why);
    }

    /// Inserts the items of a region in place of its node; the node and the region's head are already
    /// removed.
    fn inline(&mut self, node: Node, kept: Region, spot: &NodeSurroundings, why: Reason) {
        let data = self.func().region(kept).clone();
        let end = self.func().block(spot.before).insts.len();
        self.lift(spot.before, end);
        self.join(spot.before, data.head, why);
        self.remove_item(node, spot, &data.rest, why);
    }

    /// Replaces a node and the block after it, which are already removed, by other items.
    fn remove_item(&mut self, node: Node, spot: &NodeSurroundings, items: &[(Node, Block)], why: Reason) {
        self.forget_node(node, why);
        let rest = CowVec::make_mut(&mut self.control_mut().regions[spot.region].rest);
        rest.splice(spot.at - 1..spot.at, items.iter().copied());
        self.places.index_region(body!(self), spot.region, spot.at);
        self.say_moved(items, why);
    }
}
