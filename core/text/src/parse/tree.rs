//! Parses the nodes of a tree: `if`, `switch`, `loop`, `block` and their ends. No recursion: open nodes are
//! an explicit stack.
//!
//! Anything left open by an invalid text is closed, and anything missing gets a placeholder, so that one
//! error is reported once.

use super::body::{Body, Line, NodeWord, Open, OpenNode, OpenRegion};
use super::{Parser, Res};
use crate::lex::{Token, TokenKind};
use vitrine_ir::base::EntityId;
use vitrine_ir::{
    Anchor, Args, Arm, Attrs, Block, BlockData, CowVec, Inst, Node, NodeData, NodeKind, Region, RegionData,
    Terminator,
};

impl Parser<'_> {
    /// `loop !0(%1) {`, `if !1 %2 {`
    pub(super) fn node_line(&mut self, body: &mut Body) -> Res<()> {
        let token = self.next();
        if !body.tree {
            return Err(self.error(
                "P010",
                token,
                "a graph has no nodes",
                "write `tree` after the signature",
            ));
        }
        let word = match self.slice(token) {
            "if" => NodeWord::If,
            "switch" => NodeWord::Switch,
            "loop" => NodeWord::Loop,
            _ => NodeWord::Block,
        };
        let label = self.peek();
        let id = if label.kind == TokenKind::Entity && self.slice(label).starts_with('!') {
            let id = self.entity()?;
            self.once(label, |_| body.nodes.insert(id))?;
            id
        } else {
            body.fresh(self, 2)
        };
        let args = self.edge_args()?;
        let operand = match word {
            NodeWord::If | NodeWord::Switch => self.entity()?,
            NodeWord::Loop | NodeWord::Block => Inst::from_index(0),
        };
        let attrs = self.braced_struct_attrs()?;
        self.punct(b'{')?;
        self.end_of_line()?;
        self.map.define(Anchor::Node(body.func, id), token);
        match &body.current {
            Some(current) if current.terminator.is_none() => {
                self.map.define(Anchor::Terminator(body.func, current.id), token);
            }
            Some(_) => {}
            None => {
                self.error(
                    "P010",
                    token,
                    "there is no block before this node",
                    "begin a block with a label such as `^0:`",
                );
            }
        }
        self.open_node(body, OpenNode::new(id, word, operand, attrs), args);
        Ok(())
    }

    pub(super) fn open_node(&mut self, body: &mut Body, node: OpenNode, args: Args) {
        let at = self.tokens[self.at.saturating_sub(1)];
        match &mut body.current {
            Some(current) => current.terminator = current.terminator.take().or(Some(Terminator::Next(args))),
            None => self.stand_in(body, at),
        }
        self.flush(body, at);
        let arms_follow = node.word == NodeWord::Switch;
        body.open.push(Open::Node(node));
        if !arms_follow {
            body.open.push(Open::Region(OpenRegion::default()));
        }
    }

    /// Inserts an empty block if one is missing; the error has already been reported.
    fn stand_in(&mut self, body: &mut Body, at: Token) {
        let id = body.fresh(self, 1);
        body.blocks.insert(id);
        if self.begin_block(body, id, Vec::new(), at).is_err() {
            body.assembler
                .put_block(id, BlockData { terminator: Terminator::next(), ..BlockData::default() });
        }
    }

    pub(super) fn arm_line(&mut self, body: &mut Body) -> Res<()> {
        let token = self.peek();
        let mut values = Vec::new();
        let mut default = false;
        if !self.eat_word("case") {
            self.at += 1;
            default = true;
        } else if self.peek().kind != TokenKind::Punct(b'{') {
            loop {
                if self.eat_word("default") {
                    default = true;
                } else {
                    values.push(self.case_value()?);
                }
                if !self.eat(TokenKind::Punct(b',')) {
                    break;
                }
            }
        }
        self.punct(b'{')?;
        self.end_of_line()?;
        match body.open.last_mut() {
            Some(Open::Node(node)) if node.word == NodeWord::Switch => node.arms.push((values, default)),
            _ => return Err(self.error("P010", token, "this arm is outside of any switch", "")),
        }
        body.open.push(Open::Region(OpenRegion::default()));
        Ok(())
    }

    /// `}`, `} else {`, `} continuing {`
    pub(super) fn close(&mut self, body: &mut Body) -> Res<Line> {
        let token = self.next();
        self.flush_or_stand_in(body, token);
        if !body.tree || body.open.len() <= 1 {
            self.end_of_line()?;
            return Ok(Line::End);
        }
        if let Some(Open::Region(_)) = body.open.last() {
            let region = self.end_region(body);
            let Some(Open::Node(node)) = body.open.last_mut() else { return Ok(Line::End) };
            node.regions.push(region);
            let more = match node.word {
                NodeWord::If if node.regions.len() == 1 => "else",
                NodeWord::Loop if node.regions.len() == 1 => "continuing",
                NodeWord::If | NodeWord::Loop | NodeWord::Switch | NodeWord::Block => "",
            };
            let is_arm = node.word == NodeWord::Switch;
            if !more.is_empty() && self.eat_word(more) {
                self.punct(b'{')?;
                body.open.push(Open::Region(OpenRegion::default()));
                self.end_of_line()?;
                return Ok(Line::Go);
            }
            if is_arm {
                self.end_of_line()?;
                return Ok(Line::Go);
            }
        }
        self.end_node(body, token);
        self.end_of_line()?;
        Ok(Line::Go)
    }

    /// Ends the current block; a region must end in a block, so a missing one is inserted.
    fn flush_or_stand_in(&mut self, body: &mut Body, at: Token) {
        if let Some(Open::Region(region)) = body.open.last()
            && body.current.is_none()
        {
            let (says, help) = match region.pending {
                Some(_) => {
                    ("a block must follow this node before its region ends", "write a label such as `^9:`")
                }
                None => ("this region has no block", "write a label such as `^9:`"),
            };
            self.error("P010", at, says, help);
            self.stand_in(body, at);
        }
        self.flush(body, at);
    }

    fn end_region(&mut self, body: &mut Body) -> Region {
        let Some(Open::Region(region)) = body.open.pop() else { return Region::from_index(0) };
        let head = region.head.unwrap_or(Block::from_index(0));
        body.assembler.add_region(RegionData { head, rest: CowVec::new(region.rest) })
    }

    fn end_node(&mut self, body: &mut Body, at: Token) {
        let Some(Open::Node(mut node)) = body.open.pop() else { return };
        while node.regions.len() < node.word.least_regions() {
            // `if` without `else`: the other arm is empty.
            let id: Block = body.fresh(self, 1);
            body.blocks.insert(id);
            body.assembler
                .put_block(id, BlockData { terminator: Terminator::next(), ..BlockData::default() });
            node.regions.push(body.assembler.add_region(RegionData::new(id)));
        }
        let id = node.id;
        body.assembler.put_node(id, node.finish());
        match body.open.last_mut() {
            Some(Open::Region(region)) => region.pending = Some(id),
            Some(Open::Node(_)) | None => {
                self.error("P010", at, "this node is between the arms of a switch", "");
            }
        }
    }

    /// Sets the shape of the function, closing everything that an invalid text left open.
    pub(super) fn finish_shape(&mut self, body: &mut Body) {
        let at = self.tokens[self.at.saturating_sub(1)];
        if !body.tree {
            self.flush(body, at);
            let order = std::mem::take(&mut body.order);
            body.assembler.graph(order);
            return;
        }
        let reported = self.diags.len();
        while body.open.len() > 1 {
            if let Some(Open::Region(_)) = body.open.last() {
                self.flush_or_stand_in(body, at);
                let region = self.end_region(body);
                if let Some(Open::Node(node)) = body.open.last_mut() {
                    node.regions.push(region);
                }
            }
            self.end_node(body, at);
        }
        if let Some(Open::Region(region)) = body.open.last()
            && (region.head.is_none() || region.pending.is_some())
            && body.current.is_none()
        {
            self.flush_or_stand_in(body, at);
        }
        self.flush(body, at);
        // Everything left open has been reported once, at the end of the text.
        if reported > 0 && self.peek().kind == TokenKind::End {
            self.diags.truncate(reported);
        }
        let root = self.end_region(body);
        body.assembler.tree(root);
    }
}

impl NodeWord {
    fn least_regions(self) -> usize {
        match self {
            NodeWord::If => 2,
            NodeWord::Loop | NodeWord::Block => 1,
            NodeWord::Switch => 0,
        }
    }
}

impl OpenNode {
    pub(super) fn new(id: Node, word: NodeWord, operand: Inst, attrs: Attrs) -> OpenNode {
        OpenNode { id, word, operand, attrs, regions: Vec::new(), arms: Vec::new() }
    }

    fn finish(self) -> NodeData {
        let region = |at: usize| self.regions.get(at).copied().unwrap_or(Region::from_index(0));
        let kind = match self.word {
            NodeWord::If => NodeKind::If { cond: self.operand, then: region(0), els: region(1) },
            NodeWord::Loop => NodeKind::Loop { body: region(0), continuing: self.regions.get(1).copied() },
            NodeWord::Block => NodeKind::Block { body: region(0) },
            NodeWord::Switch => NodeKind::Switch {
                on: self.operand,
                arms: self
                    .arms
                    .iter()
                    .zip(&self.regions)
                    .map(|((values, default), &body)| Arm { values: values.clone(), default: *default, body })
                    .collect(),
            },
        };
        NodeData { kind, attrs: self.attrs }
    }
}
