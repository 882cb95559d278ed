//! Arms of nodes: the position of code among them, and conversion of nodes.
//!
//! No edit copies code or depends on its computation.

use crate::editor::{DefSite, Editor, Refusal, body, refuse};
use crate::ops::{BasicOp, ValueType};
use crate::{
    Attrs, Block, CowVec, Event, Inst, InstData, Node, NodeData, NodeKind, Reason, Region, RegionData, Shape,
    Terminator,
};

impl Editor<'_> {
    /// The region of a node that contains a block, at any depth. `O(depth)`.
    pub fn arm_of(&self, node: Node, block: Block) -> Option<Region> {
        let mut region = self.places.block(block)?.region;
        loop {
            let owner = self.places.owner(region)?;
            if owner == node {
                return Some(region);
            }
            region = self.places.node(owner)?.region;
        }
    }

    /// The node that owns a region; `None` for the function's root.
    pub fn owner_of(&self, region: Region) -> Option<Node> {
        self.places.owner(region)
    }

    /// The innermost region of a block of a tree.
    pub fn region_of(&self, block: Block) -> Option<Region> {
        self.places.block(block).map(|place| place.region)
    }

    /// The node directly after a block in its region.
    pub fn node_after(&self, block: Block) -> Option<Node> {
        let place = self.places.block(block)?;
        self.func().region(place.region).rest.get(place.at).map(|&(node, _)| node)
    }

    /// Exchanges the regions of an `if` and sets its condition, which the caller guarantees to be the
    /// inverse.
    pub fn swap_arms(&mut self, node: Node, cond: Inst, why: Reason) -> Result<(), Refusal> {
        self.expect_node(node)?;
        let NodeKind::If { then, els, .. } = self.func().node(node).kind else {
            refuse!("{node} is not an `if`");
        };
        if self.expect_value(cond)? != ValueType::BOOL {
            refuse!("{cond} is not a scalar boolean");
        }
        self.uses.unlink_node(node);
        self.control_mut().nodes[node].kind = NodeKind::If { cond, then: els, els: then };
        self.uses.link_node(body!(self), node);
        self.record(Event::Control(node.into()), why);
        Ok(())
    }

    /// Moves the contents of an arm of a node after the node. The arm becomes one empty block that forwards
    /// nothing.
    ///
    /// Refused unless the end of the arm is the only edge to the block after the node.
    pub fn unnest(&mut self, node: Node, arm: Region, why: Reason) -> Result<(), Refusal> {
        self.expect_node(node)?;
        if self.places.owner(arm) != Some(node)
            || matches!(self.func().node(node).kind, NodeKind::Loop { .. })
        {
            refuse!("the region is not an arm of {node}");
        }
        let Some(after) = self.block_after(node) else {
            refuse!("{node} is not part of the program");
        };
        let last = self.func().region(arm).last();
        let Terminator::Next(args) = self.func().terminator(last).clone() else {
            refuse!("{last} does not continue after {node}");
        };
        if self.incoming(after).iter().any(|edge| edge.from != last) {
            refuse!("{last} is not the only predecessor of the block after {node}");
        }
        self.expect_binding(after, &args)?;
        self.bind(after, &args, why);
        self.change_terminator(last, Terminator::next(), why);
        self.move_arm_contents(arm, after, why);
        Ok(())
    }

    /// Moves the contents of an arm of a node to the beginning of a block outside of it. The arm becomes one
    /// empty block. The caller guarantees that the block executes whenever the arm did, and that the operands
    /// of the arm are visible there.
    ///
    /// Refused if the arm forwards values, does not end with `next`, or breaks out of its node.
    pub fn move_arm(&mut self, node: Node, arm: Region, to: Block, why: Reason) -> Result<(), Refusal> {
        self.expect_node(node)?;
        self.expect_block(to)?;
        if self.places.owner(arm) != Some(node) || self.arm_of(node, to) == Some(arm) {
            refuse!("the region is not an arm of {node}, or {to} is in it");
        }
        let last = self.func().region(arm).last();
        if !matches!(self.func().terminator(last), Terminator::Next(args) if args.is_empty()) {
            refuse!("{last} does not end with an empty `next`");
        }
        if self.uses.terminators_naming(node).any(|from| self.arm_of(node, from) == Some(arm)) {
            refuse!("a terminator of the arm names {node}");
        }
        self.move_arm_contents(arm, to, why);
        Ok(())
    }

    /// Moves the contents of an arm that ends with an empty `next`. The insides of its nodes are not
    /// inspected.
    fn move_arm_contents(&mut self, arm: Region, to: Block, why: Reason) {
        let empty = self.new_block(why);
        self.change_terminator(empty, Terminator::next(), why);
        let data = std::mem::replace(&mut self.control_mut().regions[arm], RegionData::new(empty));
        self.places.index_region(body!(self), arm, 0);
        let last = data.last();
        let end = self.func().block(last).insts.len();
        self.lift(last, end);
        let tail = self.lift(to, 0);
        let start = self.lift(data.head, 0);
        self.put(to, start, why);
        self.places.remove_block(body!(self), data.head);
        self.record(Event::Erase(data.head.into()), why);
        if data.rest.is_empty() {
            self.put(to, tail, why);
            return;
        }
        if let Some(place) = self.places.block(to) {
            let rest = CowVec::make_mut(&mut self.control_mut().regions[place.region].rest);
            rest.splice(place.at..place.at, data.rest.iter().copied());
            self.places.index_region(body!(self), place.region, place.at + 1);
        }
        self.say_moved(&data.rest, why);
        self.put(last, tail, why);
    }

    /// Converts a switch to a chain of nested `if` nodes, in the order of its arms, with the default arm
    /// last. `conditions` computes the value that decides on an arm: it receives the arm's values and inserts
    /// instructions at the end of the given block.
    ///
    /// A `break` out of the switch breaks out of the outermost `if`, which keeps its label.
    pub fn switch_to_ifs(
        &mut self,
        node: Node,
        mut condition: impl FnMut(&mut Self, Block, Inst, &[u64]) -> Result<Inst, Refusal>,
        why: Reason,
    ) -> Result<(), Refusal> {
        self.expect_node(node)?;
        let NodeKind::Switch { on, arms } = self.func().node(node).kind.clone() else {
            refuse!("{node} is not a switch");
        };
        let (Some(mut before), Some(after)) = (self.block_before(node), self.block_after(node)) else {
            refuse!("{node} is not part of the program");
        };
        let Some(default) = arms.iter().find(|arm| arm.default).map(|arm| arm.body) else {
            refuse!("{node} has no default arm");
        };
        let like: Vec<Inst> = self.func().block(after).params.to_vec();
        let tests: Vec<(Vec<u64>, Region)> =
            arms.iter().filter(|arm| !arm.default).map(|arm| (arm.values.clone(), arm.body)).collect();
        let attrs = std::mem::take(&mut self.control_mut().nodes[node].attrs);
        let count = tests.len();
        if count == 0 {
            self.uses.unlink_node(node);
            self.control_mut().nodes[node].kind = NodeKind::Block { body: default };
            self.uses.link_node(body!(self), node);
            self.record(Event::Control(node.into()), why);
            return Ok(());
        }
        let mut current = node;
        for (at, (values, arm)) in tests.into_iter().enumerate() {
            let cond = condition(self, before, on, &values)?;
            let (els, inner) = if at + 1 == count {
                (default, None)
            } else {
                let inner = self.control_mut().nodes.push(NodeData::default());
                let head = self.new_block(why);
                let after = self.forwarding_block(&like, why);
                self.change_terminator(head, Terminator::next(), why);
                let data = RegionData { head, rest: CowVec::new(vec![(inner, after)]) };
                let region = self.control_mut().regions.push(data);
                (region, Some((inner, head, region)))
            };
            self.uses.unlink_node(current);
            let kind = NodeKind::If { cond, then: arm, els };
            self.control_mut().nodes[current] = NodeData { kind: kind.clone(), attrs: attrs.clone() };
            self.places.set_owner(current, &kind);
            self.uses.link_node(body!(self), current);
            if at == 0 {
                self.record(Event::Control(current.into()), why);
            }
            let Some((inner, head, region)) = inner else { break };
            self.created(inner, why);
            self.places.index_region(body!(self), region, 0);
            (current, before) = (inner, head);
        }
        Ok(())
    }

    /// Gives a function a single `return`, at its end: the others become breaks out of a labeled block around
    /// the body. Returns true if there were others.
    pub fn label_returns(&mut self, why: Reason) -> Result<bool, Refusal> {
        let &Shape::Tree(root) = self.func().shape() else {
            refuse!("the function is not a tree");
        };
        let last = self.func().region(root).last();
        let returns = |block: &Block| matches!(self.func().terminator(*block), Terminator::Return(_));
        let returning: Vec<Block> = self.func().blocks_in_order().into_iter().filter(returns).collect();
        if returning.iter().all(|&block| block == last) {
            return Ok(false);
        }
        let result = self.func().result();
        if result == ValueType::Path {
            refuse!("a path cannot be passed on without the type it points at");
        }
        let head = self.new_block(why);
        let end = self.new_block(why);
        let mut returned = None;
        if result != ValueType::Void {
            let data = InstData::new(BasicOp::Param, result, &[]);
            returned = Some(self.add_forwarded(end, data, why));
        }
        let body = self.control_mut();
        let label = body.nodes.push(NodeData { kind: NodeKind::Block { body: root }, attrs: Attrs::None });
        let region = body.regions.push(RegionData { head, rest: CowVec::new(vec![(label, end)]) });
        body.shape = Shape::Tree(region);
        self.places.set_owner(label, &NodeKind::Block { body: root });
        self.created(label, why);
        self.places.index_region(body!(self), region, 0);
        self.change_terminator(head, Terminator::next(), why);
        self.change_terminator(end, Terminator::Return(returned), why);
        for block in returning {
            let Terminator::Return(value) = *self.func().terminator(block) else { continue };
            let args = value.into_iter().collect();
            let terminator =
                if block == last { Terminator::Next(args) } else { Terminator::Break(label, args) };
            self.change_terminator(block, terminator, why);
        }
        Ok(true)
    }
}

impl Editor<'_> {
    /// A new block with parameters like those given, which it forwards with `next`.
    pub(super) fn forwarding_block(&mut self, like: &[Inst], why: Reason) -> Block {
        let block = self.new_block(why);
        let data: Vec<InstData> = like.iter().map(|&param| self.func().inst(param).clone()).collect();
        let handed = data.into_iter().map(|data| self.add_forwarded(block, data, why)).collect();
        self.change_terminator(block, Terminator::Next(handed), why);
        block
    }

    /// A parameter of a block, without arguments on its edges yet.
    fn add_forwarded(&mut self, block: Block, data: InstData, why: Reason) -> Inst {
        let body = self.control_mut();
        let param = body.insts.push(data);
        CowVec::make_mut(&mut body.blocks[block].params).push(param);
        self.places.set_home(param, DefSite::Param(block));
        self.created(param, why);
        param
    }
}
