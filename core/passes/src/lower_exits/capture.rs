//! Captured jumps: each goes to the end of the construct that captures it, and continues from there.
//!
//! ```text
//! loop !0 { … loop !1 { … break !0(%a) … break !1 … } ^2: … }
//!   =>   loop !0 { … loop !1 { … break !1(true, %a) … break !1(false, undef) … }
//!                  ^m(%f, %v): if %f { break !0(%v) } else { next } ^2: … }
//! ```
//!
//! Constructs are visited inside out, so that a forwarded jump is captured by the next construct with the code it
//! already has. Jumps that the next construct captures too are forwarded together: a construct costs one test for
//! each jump that ends after it, one for all forwarded ones, and none for the last.

use super::mux::{EdgePayload, Join, Mux};
use vitrine_analysis::exits::forms::{Breakables, Jump};
use vitrine_ir::base::{SideTable, sort_by_number};
use vitrine_ir::{Args, Block, CowVec, Node, NodeKind, RegionData, Terminator, TreeStep, TreeWalk};

/// Lowers every captured jump, and returns their number.
pub(super) fn lower(mux: &mut Mux<'_>, breakables: &Breakables) -> u32 {
    let mut lowering = Lowering {
        mux,
        breakables,
        normal_sources: SideTable::new(),
        pending: SideTable::new(),
        replacements: SideTable::new(),
        captured: 0,
    };
    let order = lowering.collect();
    lowering.captured = order.1;
    for &node in &order.0 {
        if !lowering.pending[node].is_empty() {
            lowering.node(node);
        }
    }
    lowering.insert();
    lowering.captured
}

struct Lowering<'a, 'm> {
    mux: &'a mut Mux<'m>,
    breakables: &'a Breakables,
    /// The blocks that branch to the code after a node.
    normal_sources: SideTable<Node, Vec<Block>>,
    /// Jumps that a node captures.
    pending: SideTable<Node, Vec<(Block, EdgePayload)>>,
    /// Nodes and blocks that replace the block after a node.
    replacements: SideTable<Node, Option<Vec<(Node, Block)>>>,
    captured: u32,
}

/// Jumps forwarded from a join point.
enum ForwardedJump {
    /// One jump.
    Single(Jump),
    /// Several jumps that a construct captures together.
    Group(Node, Vec<Jump>),
}

impl Lowering<'_, '_> {
    /// Collects the terminators of the tree: returns the nodes, inner ones first, and the number of captured
    /// jumps.
    fn collect(&mut self) -> (Vec<Node>, u32) {
        let (mut nodes, mut captured) = (Vec::new(), 0);
        let body = self.mux.asm.body();
        let mut found = Vec::new();
        for step in TreeWalk::new(body) {
            match step {
                TreeStep::Leave(node) => nodes.push(node),
                TreeStep::Block(block) => found.push(block),
                TreeStep::Enter(_) | TreeStep::Open(..) => {}
            }
        }
        let body = body.clone();
        for block in found {
            let owner = self.breakables.owner(block);
            match body.terminator(block) {
                Terminator::Next(_) => {
                    let place = self.breakables.nesting.block(block);
                    let at_end = place.is_some_and(|place| body.region(place.region).last() == block);
                    if let (true, Some(owner)) = (at_end, owner)
                        && !matches!(body.node(owner).kind, NodeKind::Loop { .. })
                    {
                        self.normal_sources[owner].push(block);
                    }
                }
                Terminator::Break(node, args) => {
                    captured += u32::from(self.jump(block, owner, Jump::Break(*node), args.clone()));
                }
                Terminator::Continue(node, args) => {
                    captured += u32::from(self.jump(block, owner, Jump::Continue(*node), args.clone()));
                }
                Terminator::Return(_) | Terminator::Stop(_) => {}
                Terminator::Goto(_) | Terminator::Branch { .. } | Terminator::Switch { .. } => {}
            }
        }
        (nodes, captured)
    }

    /// Sets a jump as the terminator of a block in `owner`, or records the construct that captures it; returns
    /// true if captured.
    fn jump(&mut self, block: Block, owner: Option<Node>, jump: Jump, args: Args) -> bool {
        if let Some(breakable) = self.breakables.enclosing_breakable(owner, jump) {
            self.pending[breakable].push((block, EdgePayload::Single(jump, args)));
            return true;
        }
        self.mux.asm.block_mut(block).terminator = match jump {
            Jump::Break(node) => {
                self.normal_sources[node].push(block);
                Terminator::Break(node, args)
            }
            Jump::Continue(node) => Terminator::Continue(node, args),
            Jump::Return => Terminator::Return(args.first().copied()),
        };
        false
    }

    /// Inserts a join point and the tests of its jumps after a node.
    fn node(&mut self, node: Node) {
        let mut blocks = std::mem::take(&mut self.normal_sources[node]);
        let normal = (!blocks.is_empty()).then(|| self.mux.params(Jump::Break(node)));
        let mut payloads: Vec<EdgePayload> = Vec::with_capacity(blocks.len());
        for &block in &blocks {
            let terminator = self.mux.asm.body().terminator(block);
            let (Terminator::Next(args) | Terminator::Break(_, args)) = terminator else { continue };
            payloads.push(EdgePayload::Normal(args.clone()));
        }
        for (block, payload) in std::mem::take(&mut self.pending[node]) {
            if self.breakables.nesting.block(block).is_some() {
                self.mux.sources[node].push(block);
            }
            blocks.push(block);
            payloads.push(payload);
        }
        let (join, passed) = self.mux.join_paths(&payloads, normal.as_deref(), true);
        for (&block, args) in blocks.iter().zip(passed) {
            let old = self.mux.asm.body().terminator(block).clone();
            self.mux.asm.block_mut(block).terminator = match old {
                Terminator::Next(_) => Terminator::Next(args),
                _ => Terminator::Break(node, args),
            };
        }
        let chain = self.chain(node, &join, normal.as_deref());
        self.replacements[node] = Some(chain);
    }

    /// Returns the tests after a node, and the original block after it if that is still reached.
    fn chain(&mut self, node: Node, join: &Join, normal: Option<&[vitrine_ir::Inst]>) -> Vec<(Node, Block)> {
        let owner = self.breakables.parent(node);
        let forwarded_jumps = self.group_jumps(owner, join);
        let mut items = vec![(node, join.block)];
        let mut tail = join.block;
        let count = forwarded_jumps.len();
        for (at, forwarded) in forwarded_jumps.into_iter().enumerate() {
            let last = at + 1 == count;
            if last && normal.is_none() {
                self.forward(tail, owner, join, forwarded);
                break;
            }
            let yes = self.mux.empty_block(Terminator::default(), "the captured exit continues here");
            let no = self.mux.empty_block(Terminator::next(), "the other paths continue here");
            let mut after = None;
            if let (true, Some(params)) = (last, normal) {
                let args = self.mux.normal_args(join, params);
                self.mux.asm.block_mut(no).terminator = Terminator::Next(args);
                after = self.breakables.nesting.after(self.mux.asm.body(), node);
            }
            let after = after.unwrap_or_else(|| {
                self.mux.empty_block(Terminator::default(), "the next exit is tested here")
            });
            let (tested, then, els) = match &forwarded {
                ForwardedJump::Single(jump) => (Some(*jump), yes, no),
                ForwardedJump::Group(..) => (None, no, yes),
            };
            let Some(cond) = self.mux.test(tail, join, tested) else { break };
            self.forward(yes, owner, join, forwarded);
            self.mux.asm.block_mut(tail).terminator = Terminator::next();
            let choice = self.choice(cond, then, els);
            items.push((choice, after));
            tail = after;
        }
        items
    }

    fn choice(&mut self, cond: vitrine_ir::Inst, then: Block, els: Block) -> Node {
        let asm = &mut self.mux.asm;
        let (then, els) = (asm.add_region(RegionData::new(then)), asm.add_region(RegionData::new(els)));
        self.mux.choice(cond, then, els)
    }

    /// Groups the jumps of a join point by the construct that captures them next. At most one group, and it is
    /// last.
    fn group_jumps(&self, owner: Option<Node>, join: &Join) -> Vec<ForwardedJump> {
        let mut groups: Vec<(Node, Vec<Jump>)> = Vec::new();
        let mut forwarded_jumps = Vec::new();
        for &jump in &join.jumps {
            match self.breakables.enclosing_breakable(owner, jump) {
                None => forwarded_jumps.push(ForwardedJump::Single(jump)),
                Some(breakable) => match groups.iter_mut().find(|(node, _)| *node == breakable) {
                    Some((_, jumps)) => jumps.push(jump),
                    None => groups.push((breakable, vec![jump])),
                },
            }
        }
        sort_by_number(&mut groups, |(_, jumps)| jumps.len() as u64);
        let grouped = groups.pop();
        forwarded_jumps.extend(groups.into_iter().flat_map(|(_, jumps)| jumps).map(ForwardedJump::Single));
        match grouped {
            Some((breakable, jumps)) if jumps.len() > 1 => {
                forwarded_jumps.push(ForwardedJump::Group(breakable, jumps));
            }
            Some((_, jumps)) => forwarded_jumps.extend(jumps.into_iter().map(ForwardedJump::Single)),
            None => {}
        }
        forwarded_jumps
    }

    /// Makes a block after a join point perform its jump.
    fn forward(&mut self, block: Block, owner: Option<Node>, join: &Join, forwarded: ForwardedJump) {
        match forwarded {
            ForwardedJump::Single(jump) => {
                let args = self.mux.jump_args(join, jump);
                self.jump(block, owner, jump, args);
            }
            ForwardedJump::Group(breakable, jumps) => {
                let join = Join { jumps, normal: false, ..join.clone() };
                self.pending[breakable].push((block, EdgePayload::Forwarded(join)));
            }
        }
    }

    /// Inserts the new nodes and blocks into the regions.
    fn insert(&mut self) {
        let mut regions = Vec::new();
        for step in TreeWalk::new(self.mux.asm.body()) {
            if let TreeStep::Open(_, _, region) = step {
                regions.push(region);
            }
        }
        if let vitrine_ir::Shape::Tree(root) = self.mux.asm.body().shape() {
            regions.push(*root);
        }
        for region in regions {
            let rest = self.mux.asm.body().region(region).rest.clone();
            if rest.iter().all(|&(node, _)| self.replacements[node].is_none()) {
                continue;
            }
            let mut items = Vec::with_capacity(rest.len() * 2);
            for &(node, block) in rest.iter() {
                match self.replacements[node].take() {
                    Some(chain) => items.extend(chain),
                    None => items.push((node, block)),
                }
            }
            self.mux.asm.region_mut(region).rest = CowVec::new(items);
        }
    }
}
