//! Simplification of loops: removes the continuing region, `continue`, and loops with a single iteration.
//!
//! No edit copies code or determines if a loop terminates.

use super::contents::Contents;
use crate::editor::{DefSite, Editor, Refusal, body, refuse};
use crate::{Attrs, Block, CowVec, Event, Node, NodeData, NodeKind, Reason, Region, RegionData, Terminator};

impl Editor<'_> {
    /// The blocks that end with `continue` of a loop.
    pub fn continues_of(&self, node: Node) -> Vec<Block> {
        let body = body!(self);
        let named = self.uses.terminators_naming(node);
        let mut found: Vec<Block> =
            named.filter(|&from| matches!(body.terminator(from), Terminator::Continue(..))).collect();
        found.sort_unstable();
        found
    }

    /// Gives a loop one region and no `continue`: the continuing region is appended to the body. Each
    /// `continue` becomes a `break` out of a labeled block around the body.
    ///
    /// Refused if there is a `continue` and the continuing region uses values of the body: these must be
    /// passed as parameters first.
    pub fn fold_continuing(&mut self, node: Node, why: Reason) -> Result<(), Refusal> {
        self.expect_node(node)?;
        let NodeKind::Loop { body: first, continuing } = self.func().node(node).kind else {
            refuse!("{node} is not a loop");
        };
        let continues = self.continues_of(node);
        match (continuing, continues.is_empty()) {
            (None, true) => Ok(()),
            (Some(second), true) => self.append_continuing(node, first, second, why),
            (continuing, false) => self.label_body(node, first, continuing, &continues, why),
        }
    }

    /// Converts a loop that never iterates to a labeled block. Hints of the loop are dropped.
    ///
    /// Refused if it may iterate, and if it is never entered.
    pub fn loop_to_block(&mut self, node: Node, why: Reason) -> Result<(), Refusal> {
        self.expect_node(node)?;
        let NodeKind::Loop { body: region, continuing: None } = self.func().node(node).kind else {
            refuse!("{node} is not a loop with a single region");
        };
        let last = self.func().region(region).last();
        if !self.continues_of(node).is_empty() || matches!(self.func().terminator(last), Terminator::Next(_))
        {
            refuse!("{node} may iterate");
        }
        let Some(before) = self.entering(node) else {
            refuse!("{node} is never entered");
        };
        let Terminator::Next(brought) = self.func().terminator(before).clone() else {
            refuse!("{node} is never entered");
        };
        let head = self.func().region(region).head;
        self.expect_binding(head, &brought)?;
        self.bind(head, &brought, why);
        self.change_terminator(before, Terminator::next(), why);
        let body = self.control_mut();
        body.nodes[node] = NodeData { kind: NodeKind::Block { body: region }, attrs: Attrs::None };
        self.record(Event::Control(node.into()), why);
        Ok(())
    }
}

impl Editor<'_> {
    /// Without a `continue`, the continuing region has at most one predecessor.
    fn append_continuing(
        &mut self,
        node: Node,
        first: Region,
        second: Region,
        why: Reason,
    ) -> Result<(), Refusal> {
        let last = self.func().region(first).last();
        let data = self.func().region(second).clone();
        let Terminator::Next(brought) = self.func().terminator(last).clone() else {
            self.detach(second, Event::Erase, why);
            self.places.disown(second);
            self.set_regions(node, first, why);
            return Ok(());
        };
        self.expect_binding(data.head, &brought)?;
        self.bind(data.head, &brought, why);
        self.places.disown(second);
        let end = self.func().block(last).insts.len();
        self.lift(last, end);
        self.join(last, data.head, why);
        let rest = CowVec::make_mut(&mut self.control_mut().regions[first].rest);
        let from = rest.len();
        rest.extend_from_slice(&data.rest);
        self.set_regions(node, first, why);
        self.places.index_region(body!(self), first, from + 1);
        self.say_moved(&data.rest, why);
        Ok(())
    }

    /// Puts a labeled block around the body, as the target of the former `continue`s.
    fn label_body(
        &mut self,
        node: Node,
        first: Region,
        continuing: Option<Region>,
        continues: &[Block],
        why: Reason,
    ) -> Result<(), Refusal> {
        if let Some(second) = continuing {
            let (mut inside, mut after) = (Contents::default(), Contents::default());
            inside.add_region(body!(self), first);
            after.add_region(body!(self), second);
            // The parameters of the iteration stay outside of the label.
            let params = self.func().block(self.func().region(first).head).params.clone();
            for &value in inside.defs.iter().filter(|value| !params.contains(value)) {
                if let Some(reader) = self.uses(value).find(|place| after.sites.contains(&place.site())) {
                    refuse!("{} uses {value}, which an iteration may not have computed", reader.site());
                }
            }
        }
        let head = self.new_block(why);
        self.replace_params(self.func().region(first).head, head, why);
        let (meeting, more) = match continuing {
            Some(second) => {
                self.places.disown(second);
                let data = self.func().region(second).clone();
                (data.head, data.rest)
            }
            None => {
                let params = self.func().block(head).params.clone();
                (self.forwarding_block(&params, why), CowVec::default())
            }
        };
        let body = self.control_mut();
        let label = body.nodes.push(NodeData { kind: NodeKind::Block { body: first }, attrs: Attrs::None });
        let rest = std::iter::once((label, meeting)).chain(more.iter().copied()).collect();
        let region = body.regions.push(RegionData { head, rest: CowVec::new(rest) });
        self.places.set_owner(label, &NodeKind::Block { body: first });
        self.created(label, why);
        self.set_regions(node, region, why);
        self.places.index_region(body!(self), region, 0);
        self.say_moved(&more, why);
        self.change_terminator(head, Terminator::next(), why);
        for &from in continues {
            if let Terminator::Continue(_, args) = self.func().terminator(from).clone() {
                self.change_terminator(from, Terminator::Break(label, args), why);
            }
        }
        Ok(())
    }

    /// Replaces the parameters of one block by those of another.
    fn replace_params(&mut self, from: Block, to: Block, why: Reason) {
        let body = self.control_mut();
        let params = std::mem::take(&mut body.blocks[from].params);
        body.blocks[to].params = params.clone();
        for &param in params.iter() {
            self.places.set_home(param, DefSite::Param(to));
            self.record(Event::Move(param.into()), why);
        }
        self.record(Event::Control(from.into()), why);
    }

    /// Sets the single region of a loop.
    fn set_regions(&mut self, node: Node, region: Region, why: Reason) {
        let kind = NodeKind::Loop { body: region, continuing: None };
        self.places.set_owner(node, &kind);
        self.control_mut().nodes[node].kind = kind;
        self.record(Event::Control(node.into()), why);
    }
}
