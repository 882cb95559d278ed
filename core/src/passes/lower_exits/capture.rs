//! Captured jumps: each goes to the end of the construct that captures it, and on from there.
//!
//! ```text
//! loop !0 { … loop !1 { … break !0(%a) … break !1 … } ^2: … }
//!   =>   loop !0 { … loop !1 { … break !1(true, %a) … break !1(false, undef) … }
//!                  ^m(%f, %v): if %f { break !0(%v) } else { next } ^2: … }
//! ```
//!
//! Constructs are met inside out, so that what is handed on is captured again by the next one, with the code
//! it has. Jumps that the next construct captures too are handed on together: a construct costs one test for
//! each jump that ends behind it, one for all that go on, and none for the last.

use super::mux::{Carries, Meeting, Mux};
use crate::analysis::exits::forms::{Captors, Jump};
use crate::base::{SideTable, sort_by_number};
use crate::ir::{
    Args, Attrs, Block, CowVec, Node, NodeData, NodeKind, RegionData, Terminator, TreeStep, TreeWalk,
};
use crate::passes::util::rebuild;

/// Lowers every captured jump; how many there were.
pub(super) fn lower(mux: &mut Mux<'_>, captors: &Captors) -> u32 {
    let mut lowering = Lowering {
        mux,
        captors,
        ways: SideTable::new(),
        pending: SideTable::new(),
        behind: SideTable::new(),
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
    captors: &'a Captors,
    /// The blocks that lead to what is behind a node.
    ways: SideTable<Node, Vec<Block>>,
    /// Jumps that a node captures.
    pending: SideTable<Node, Vec<(Block, Carries)>>,
    /// What stands behind a node instead of its block: nodes and blocks.
    behind: SideTable<Node, Option<Vec<(Node, Block)>>>,
    captured: u32,
}

/// What a meeting leads to.
enum Way {
    /// One jump.
    One(Jump),
    /// Jumps that a construct captures together.
    Group(Node, Vec<Jump>),
}

impl Lowering<'_, '_> {
    /// Sorts the exits of the tree; the nodes, inner ones first, and the number of captured jumps.
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
            let owner = self.captors.owner(block);
            match body.terminator(block) {
                Terminator::Next(_) => {
                    let place = self.captors.nesting.block(block);
                    let at_end = place.is_some_and(|place| body.region(place.region).last() == block);
                    if let (true, Some(owner)) = (at_end, owner)
                        && !matches!(body.node(owner).kind, NodeKind::Loop { .. })
                    {
                        self.ways[owner].push(block);
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

    /// Lets a block in `owner` jump, or notes who captures it; whether somebody does.
    fn jump(&mut self, block: Block, owner: Option<Node>, jump: Jump, args: Args) -> bool {
        if let Some(captor) = self.captors.captor(owner, jump) {
            self.pending[captor].push((block, Carries::One(jump, args)));
            return true;
        }
        self.mux.asm.block_mut(block).terminator = match jump {
            Jump::Break(node) => {
                self.ways[node].push(block);
                Terminator::Break(node, args)
            }
            Jump::Continue(node) => Terminator::Continue(node, args),
            Jump::Return => Terminator::Return(args.first().copied()),
        };
        false
    }

    /// Puts a meeting, and what it leads to, behind a node.
    fn node(&mut self, node: Node) {
        let mut blocks = std::mem::take(&mut self.ways[node]);
        let normal = (!blocks.is_empty()).then(|| self.mux.params(Jump::Break(node)));
        let mut carries: Vec<Carries> = Vec::with_capacity(blocks.len());
        for &block in &blocks {
            let exit = self.mux.asm.body().terminator(block);
            let (Terminator::Next(args) | Terminator::Break(_, args)) = exit else { continue };
            carries.push(Carries::Normal(args.clone()));
        }
        for (block, carried) in std::mem::take(&mut self.pending[node]) {
            if self.captors.nesting.block(block).is_some() {
                self.mux.sources[node].push(block);
            }
            blocks.push(block);
            carries.push(carried);
        }
        let (meeting, passed) = self.mux.meet(&carries, normal.as_deref(), true);
        for (&block, args) in blocks.iter().zip(passed) {
            let old = self.mux.asm.body().terminator(block).clone();
            self.mux.asm.block_mut(block).terminator = match old {
                Terminator::Next(_) => Terminator::Next(args),
                _ => Terminator::Break(node, args),
            };
        }
        let chain = self.chain(node, &meeting, normal.as_deref());
        self.behind[node] = Some(chain);
    }

    /// The tests behind a node, and the block that it had behind it if that is still reached.
    fn chain(
        &mut self,
        node: Node,
        meeting: &Meeting,
        normal: Option<&[crate::ir::Inst]>,
    ) -> Vec<(Node, Block)> {
        let owner = self.captors.parent(node);
        let ways = self.sort(owner, meeting);
        let mut items = vec![(node, meeting.block)];
        let mut tail = meeting.block;
        let count = ways.len();
        for (at, way) in ways.into_iter().enumerate() {
            let last = at + 1 == count;
            if last && normal.is_none() {
                self.take(tail, owner, meeting, way);
                break;
            }
            let yes = rebuild::empty_block(&mut self.mux.asm, Terminator::default());
            let no = rebuild::empty_block(&mut self.mux.asm, Terminator::next());
            let mut behind = None;
            if let (true, Some(params)) = (last, normal) {
                let args = self.mux.normal_args(meeting, params);
                self.mux.asm.block_mut(no).terminator = Terminator::Next(args);
                behind = self.captors.nesting.after(self.mux.asm.body(), node);
            }
            let behind =
                behind.unwrap_or_else(|| rebuild::empty_block(&mut self.mux.asm, Terminator::default()));
            let (tested, then, els) = match &way {
                Way::One(jump) => (Some(*jump), yes, no),
                Way::Group(..) => (None, no, yes),
            };
            let Some(cond) = self.mux.test(tail, meeting, tested) else { break };
            self.take(yes, owner, meeting, way);
            self.mux.asm.block_mut(tail).terminator = Terminator::next();
            let choice = self.choice(cond, then, els);
            items.push((choice, behind));
            tail = behind;
        }
        items
    }

    fn choice(&mut self, cond: crate::ir::Inst, then: Block, els: Block) -> Node {
        let asm = &mut self.mux.asm;
        let (then, els) = (asm.add_region(RegionData::new(then)), asm.add_region(RegionData::new(els)));
        asm.add_node(NodeData { kind: NodeKind::If { cond, then, els }, attrs: Attrs::None })
    }

    /// Sorts the jumps of a meeting by who captures them next. At most one group, and it comes last.
    fn sort(&self, owner: Option<Node>, meeting: &Meeting) -> Vec<Way> {
        let mut groups: Vec<(Node, Vec<Jump>)> = Vec::new();
        let mut ways = Vec::new();
        for &jump in &meeting.jumps {
            match self.captors.captor(owner, jump) {
                None => ways.push(Way::One(jump)),
                Some(captor) => match groups.iter_mut().find(|(node, _)| *node == captor) {
                    Some((_, jumps)) => jumps.push(jump),
                    None => groups.push((captor, vec![jump])),
                },
            }
        }
        sort_by_number(&mut groups, |(_, jumps)| jumps.len() as u64);
        let grouped = groups.pop();
        ways.extend(groups.into_iter().flat_map(|(_, jumps)| jumps).map(Way::One));
        match grouped {
            Some((captor, jumps)) if jumps.len() > 1 => ways.push(Way::Group(captor, jumps)),
            Some((_, jumps)) => ways.extend(jumps.into_iter().map(Way::One)),
            None => {}
        }
        ways
    }

    /// Lets a block behind a meeting do what it is for.
    fn take(&mut self, block: Block, owner: Option<Node>, meeting: &Meeting, way: Way) {
        match way {
            Way::One(jump) => {
                let args = self.mux.jump_args(meeting, jump);
                self.jump(block, owner, jump, args);
            }
            Way::Group(captor, jumps) => {
                let meeting = Meeting { jumps, normal: false, ..meeting.clone() };
                self.pending[captor].push((block, Carries::Many(meeting)));
            }
        }
    }

    /// Puts what was made into the regions.
    fn insert(&mut self) {
        let mut regions = Vec::new();
        for step in TreeWalk::new(self.mux.asm.body()) {
            if let TreeStep::Open(_, _, region) = step {
                regions.push(region);
            }
        }
        if let crate::ir::Shape::Tree(root) = self.mux.asm.body().shape() {
            regions.push(*root);
        }
        for region in regions {
            let rest = self.mux.asm.body().region(region).rest.clone();
            if rest.iter().all(|&(node, _)| self.behind[node].is_none()) {
                continue;
            }
            let mut items = Vec::with_capacity(rest.len() * 2);
            for &(node, block) in rest.iter() {
                match self.behind[node].take() {
                    Some(chain) => items.extend(chain),
                    None => items.push((node, block)),
                }
            }
            self.mux.asm.region_mut(region).rest = CowVec::new(items);
        }
    }
}
