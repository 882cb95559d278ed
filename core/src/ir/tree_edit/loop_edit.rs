//! Loops made simple: without a continuing region, without `continue`, and without a second round.
//!
//! Neither copies code nor decides whether a loop ends.

use super::contents::Contents;
use crate::ir::editor::{DefSite, Editor, Refusal, body, refuse};
use crate::ir::{
    Attrs, Block, CowVec, Event, Node, NodeData, NodeKind, Reason, Region, RegionData, Terminator,
};

impl Editor<'_> {
    /// The blocks that leave with `continue` of a loop.
    pub fn continues_of(&self, node: Node) -> Vec<Block> {
        let body = body!(self);
        let named = self.uses.exits_naming(node);
        let mut found: Vec<Block> =
            named.filter(|&from| matches!(body.exit(from), Terminator::Continue(..))).collect();
        found.sort_unstable();
        found
    }

    /// Lets a loop have one region and no `continue`: what every round ends with comes behind what the round does.
    /// Where there was a `continue`, a labelled block around the body is what it breaks out of.
    ///
    /// Refused where a `continue` is jumped from and the continuing region reads what the body computes: that must
    /// come by parameters first.
    pub fn fold_continuing(&mut self, node: Node, why: Reason) -> Result<(), Refusal> {
        self.expect_node(node)?;
        let NodeKind::Loop { body: first, continuing } = self.func().node(node).kind else {
            refuse!("{node} is no loop");
        };
        let continues = self.continues_of(node);
        match (continuing, continues.is_empty()) {
            (None, true) => Ok(()),
            (Some(second), true) => self.append_continuing(node, first, second, why),
            (continuing, false) => self.label_body(node, first, continuing, &continues, why),
        }
    }

    /// Lets a loop that never goes round be a labelled block. What the author asked of the loop goes.
    ///
    /// Refused where it may go round, and where it is never entered.
    pub fn loop_to_block(&mut self, node: Node, why: Reason) -> Result<(), Refusal> {
        self.expect_node(node)?;
        let NodeKind::Loop { body: region, continuing: None } = self.func().node(node).kind else {
            refuse!("{node} is no loop of one region");
        };
        let last = self.func().region(region).last();
        if !self.continues_of(node).is_empty() || matches!(self.func().exit(last), Terminator::Next(_)) {
            refuse!("{node} may go round again");
        }
        let Some(before) = self.entering(node) else {
            refuse!("{node} is never entered");
        };
        let Terminator::Next(brought) = self.func().exit(before).clone() else {
            refuse!("{node} is never entered");
        };
        let head = self.func().region(region).head;
        self.expect_binding(head, &brought)?;
        self.bind(head, &brought, why);
        self.change_exit(before, Terminator::next(), why);
        let body = self.control_mut();
        body.nodes[node] = NodeData { kind: NodeKind::Block { body: region }, attrs: Attrs::None };
        self.say(Event::Control(node.into()), why);
        Ok(())
    }
}

impl Editor<'_> {
    /// Without a `continue` there is one way into the continuing region, or none.
    fn append_continuing(
        &mut self,
        node: Node,
        first: Region,
        second: Region,
        why: Reason,
    ) -> Result<(), Refusal> {
        let last = self.func().region(first).last();
        let data = self.func().region(second).clone();
        let Terminator::Next(brought) = self.func().exit(last).clone() else {
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

    /// Puts a labelled block around the body, to break out of where there was a `continue`.
    fn label_body(
        &mut self,
        node: Node,
        first: Region,
        continuing: Option<Region>,
        continues: &[Block],
        why: Reason,
    ) -> Result<(), Refusal> {
        if let Some(second) = continuing {
            let (mut inside, mut behind) = (Contents::default(), Contents::default());
            inside.add_region(body!(self), first);
            behind.add_region(body!(self), second);
            // What the round begins with stays outside of the label.
            let params = self.func().block(self.func().region(first).head).params.clone();
            for &value in inside.defs.iter().filter(|value| !params.contains(value)) {
                if let Some(reader) = self.uses(value).find(|place| behind.sites.contains(&place.site())) {
                    refuse!("{} reads {value} of a round that may have been left", reader.site());
                }
            }
        }
        let head = self.new_block(why);
        self.hand_params_over(self.func().region(first).head, head, why);
        let (meeting, more) = match continuing {
            Some(second) => {
                self.places.disown(second);
                let data = self.func().region(second).clone();
                (data.head, data.rest)
            }
            None => {
                let params = self.func().block(head).params.clone();
                (self.handing_block(&params, why), CowVec::default())
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
        self.change_exit(head, Terminator::next(), why);
        for &from in continues {
            if let Terminator::Continue(_, args) = self.func().exit(from).clone() {
                self.change_exit(from, Terminator::Break(label, args), why);
            }
        }
        Ok(())
    }

    /// Lets the parameters of one block be those of another.
    fn hand_params_over(&mut self, from: Block, to: Block, why: Reason) {
        let body = self.control_mut();
        let params = std::mem::take(&mut body.blocks[from].params);
        body.blocks[to].params = params.clone();
        for &param in params.iter() {
            self.places.set_home(param, DefSite::Param(to));
            self.say(Event::Move(param.into()), why);
        }
        self.say(Event::Control(from.into()), why);
    }

    /// A loop has one region now.
    fn set_regions(&mut self, node: Node, region: Region, why: Reason) {
        let kind = NodeKind::Loop { body: region, continuing: None };
        self.places.set_owner(node, &kind);
        self.control_mut().nodes[node].kind = kind;
        self.say(Event::Control(node.into()), why);
    }
}
