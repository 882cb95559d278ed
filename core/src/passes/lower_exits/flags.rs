//! Exits of a target without labels: what would be jumped over stands in an `if`.
//!
//! ```text
//! block !0 { if !1 %c { break !0(%a) } else { next } ^1: … next(%b) } ^2(%p): …
//!   =>   block !0 { if !1 %c { next(%a) } else { ^1: … next(%b) } ^m(%q): next(%q) } ^2(%p): …
//! ```
//!
//! Every region ends in `next`; which exit that stands for is a code, where there is more than one. Where one
//! arm only goes on, the rest of the region moves into it and there is no code. A loop is left by `break` from
//! anywhere in it. Regions are met back to front, inner ones first, so that what follows a node is complete
//! when the node is met.
//!
//! What is jumped over nests: `k` early exits in a row are `k` levels.

use super::mux::{Carries, Meeting, Mux};
use crate::analysis::exits::forms::{Captors, Jump};
use crate::base::SideTable;
use crate::ir::{
    Args, Attrs, Block, CowVec, Inst, Node, NodeData, NodeKind, Region, RegionData, Shape, Terminator,
    TreeStep, TreeWalk,
};
use crate::passes::util::rebuild;
use std::collections::VecDeque;

/// Lowers every exit that is no `break` of the innermost loop; how many there were.
pub(super) fn lower(mux: &mut Mux<'_>, captors: &Captors) -> u32 {
    let Shape::Tree(root) = *mux.asm.body().shape() else { return 0 };
    let (ways, pending) = (SideTable::new(), SideTable::new());
    let (ends, joined) = (SideTable::new(), SideTable::new());
    let mut lowering = Lowering { mux, captors, root, ways, pending, ends, joined, captured: 0 };
    let steps: Vec<TreeStep> = TreeWalk::new(lowering.mux.asm.body()).collect();
    for step in steps.into_iter().rev() {
        match step {
            TreeStep::Block(block) => lowering.block(block),
            TreeStep::Enter(node) => lowering.node(node),
            TreeStep::Open(..) | TreeStep::Leave(_) => {}
        }
    }
    let end = std::mem::take(&mut lowering.ends[root]);
    if let (Some(last), Some(Carries::One(Jump::Return, args))) = (end.last, &end.out) {
        lowering.mux.asm.block_mut(last).terminator = Terminator::Return(args.first().copied());
    }
    lowering.write(root, end.items);
    lowering.captured
}

/// A region from some block on: what follows, and how it ends.
#[derive(Clone, Default)]
struct Rest {
    items: VecDeque<(Node, Block)>,
    last: Option<Block>,
    /// What the end of the region stands for; none if it is not reached.
    out: Option<Carries>,
}

/// The same with the block it begins with.
struct Part {
    head: Block,
    rest: Rest,
}

struct Lowering<'a, 'm> {
    mux: &'a mut Mux<'m>,
    captors: &'a Captors,
    root: Region,
    /// The blocks that break out of a loop to what is behind it, with what they pass.
    ways: SideTable<Node, Vec<(Block, Args)>>,
    /// The blocks that break out of a loop on their way further out.
    pending: SideTable<Node, Vec<(Block, Carries)>>,
    ends: SideTable<Region, Rest>,
    /// The block in which what another one did stands now.
    joined: SideTable<Block, Option<Block>>,
    captured: u32,
}

/// What to do for one outcome of a meeting.
enum Arm {
    /// Go on with what follows.
    Rest,
    /// Leave the region with this.
    Out(Carries),
    /// Break out of the loop around.
    Break(Args),
    /// Break out of the loop around, on the way further out.
    Further(Carries),
}

impl Lowering<'_, '_> {
    /// The end of a region, if the block is one.
    fn block(&mut self, block: Block) {
        let Some(place) = self.captors.nesting.block(block) else { return };
        let body = self.mux.asm.body();
        if body.region(place.region).last() != block {
            return;
        }
        let owner = self.captors.nesting.owner(place.region);
        let out = match body.terminator(block).clone() {
            Terminator::Next(args) => Some(Carries::Normal(args)),
            Terminator::Break(node, args) => self.leave(block, owner, Jump::Break(node), args),
            Terminator::Continue(node, args) => self.leave(block, owner, Jump::Continue(node), args),
            Terminator::Return(value) => {
                self.captured += u32::from(place.region != self.root);
                self.leave(block, owner, Jump::Return, value.into_iter().collect())
            }
            Terminator::Stop(_)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => None,
        };
        self.ends[place.region] = Rest { items: VecDeque::new(), last: Some(block), out };
    }

    /// What a jump at the end of a region in `owner` is for the region.
    fn leave(&mut self, block: Block, owner: Option<Node>, jump: Jump, args: Args) -> Option<Carries> {
        let around = self.captors.loop_around(owner);
        if let (Some(around), Jump::Break(to)) = (around, jump)
            && around == to
        {
            self.ways[around].push((block, args));
            return None;
        }
        self.captured += u32::from(jump != Jump::Return);
        match around {
            Some(around) if self.is_beyond(around, jump) => {
                self.pending[around].push((block, Carries::One(jump, args)));
                None
            }
            Some(_) | None => Some(Carries::One(jump, args)),
        }
    }

    /// Whether a jump leaves a loop.
    fn is_beyond(&self, around: Node, jump: Jump) -> bool {
        match jump {
            Jump::Break(to) | Jump::Continue(to) => {
                self.captors.nesting.depth(to) <= self.captors.nesting.depth(around)
            }
            Jump::Return => true,
        }
    }

    /// A node, with everything in it and behind it met.
    fn node(&mut self, node: Node) {
        let Some(place) = self.captors.nesting.node(node) else { return };
        let Some(after) = self.captors.nesting.after(self.mux.asm.body(), node) else { return };
        let rest = std::mem::take(&mut self.ends[place.region]);
        let owner = self.captors.nesting.owner(place.region);
        let rest = match self.mux.asm.body().node(node).kind.clone() {
            NodeKind::Loop { body, .. } => self.of_loop(node, body, owner, after, rest),
            kind => self.of_choice(node, &kind.regions(), owner, after, rest),
        };
        self.ends[place.region] = rest;
    }

    fn of_loop(&mut self, node: Node, body: Region, owner: Option<Node>, after: Block, rest: Rest) -> Rest {
        let end = std::mem::take(&mut self.ends[body]);
        if let (Some(last), Some(Carries::Normal(args))) = (end.last, &end.out) {
            self.mux.asm.block_mut(last).terminator = Terminator::Next(args.clone());
        }
        self.write(body, end.items);
        let mut ways: Vec<(Block, Carries)> = std::mem::take(&mut self.ways[node])
            .into_iter()
            .map(|(block, args)| (self.now(block), Carries::Normal(args)))
            .collect();
        let pending = std::mem::take(&mut self.pending[node]);
        let pending: Vec<_> = pending.into_iter().map(|(block, out)| (self.now(block), out)).collect();
        if pending.is_empty() {
            for (block, way) in ways {
                if let Carries::Normal(args) = way {
                    self.mux.asm.block_mut(block).terminator = Terminator::Break(node, args);
                }
            }
            return before((node, after), rest);
        }
        let normal = (!ways.is_empty()).then(|| self.mux.params(Jump::Break(node)));
        for (block, _) in &pending {
            if self.captors.nesting.block(*block).is_some() {
                self.mux.sources[node].push(*block);
            }
        }
        ways.extend(pending);
        let meeting = self.meet(&ways, normal.as_deref(), |args| Terminator::Break(node, args));
        self.behind(node, owner, after, &meeting, rest)
    }

    /// The block in which the exit of a block stands now.
    fn now(&self, block: Block) -> Block {
        self.joined[block].unwrap_or(block)
    }

    fn of_choice(
        &mut self,
        node: Node,
        arms: &[Region],
        owner: Option<Node>,
        after: Block,
        rest: Rest,
    ) -> Rest {
        let mut ends: Vec<Rest> = arms.iter().map(|&arm| std::mem::take(&mut self.ends[arm])).collect();
        for end in &mut ends {
            end.out = end.out.take().map(|out| here(out, node));
        }
        let goes_on = |end: &Rest| matches!(end.out, Some(Carries::Normal(_)));
        let jumps = |end: &Rest| matches!(end.out, Some(Carries::One(..) | Carries::Many(_)));
        // Several outcomes of which one is what is behind, here or around: they must be told apart first.
        let is_around = |jump: &Jump| owner.is_some_and(|owner| *jump == Jump::Break(owner));
        let mixed = ends.iter().any(|end| match &end.out {
            Some(Carries::Many(meeting)) => meeting.normal || meeting.jumps.iter().any(is_around),
            Some(Carries::Normal(_) | Carries::One(..)) | None => false,
        });
        let going = ends.iter().filter(|end| goes_on(end)).count();
        if !ends.iter().any(jumps) {
            for end in &ends {
                if let (Some(last), Some(Carries::Normal(args))) = (end.last, &end.out) {
                    self.mux.asm.block_mut(last).terminator = Terminator::Next(args.clone());
                }
            }
            self.write_all(arms, ends);
            return before((node, after), rest);
        }
        let simple = going <= 1 && !mixed;
        if simple {
            for end in ends.iter_mut().filter(|end| goes_on(end)) {
                self.absorb(end, after, &rest);
            }
        }
        let ways = ends.iter().filter_map(|end| Some((end.last?, end.out.clone()?))).collect::<Vec<_>>();
        self.write_all(arms, ends);
        if simple {
            let (block, out) = self.join(owner, ways);
            return Rest { items: VecDeque::from([(node, block)]), last: Some(block), out: Some(out) };
        }
        let is_left = ways.iter().any(|(_, out)| may_go_on(out));
        let normal = is_left.then(|| self.mux.params(Jump::Break(node)));
        let meeting = self.meet(&ways, normal.as_deref(), Terminator::Next);
        self.behind(node, owner, after, &meeting, rest)
    }

    /// Lets what follows a node stand at the end of its only arm that goes on.
    fn absorb(&mut self, end: &mut Rest, after: Block, rest: &Rest) {
        let (Some(last), Some(Carries::Normal(args))) = (end.last, end.out.take()) else { return };
        let asm = &mut self.mux.asm;
        let data = std::mem::take(asm.block_mut(after));
        for (&param, &arg) in data.params.iter().zip(args.iter()) {
            rebuild::param_to_copy(asm, param, arg);
        }
        rebuild::append(asm, last, &data.params);
        rebuild::append(asm, last, &data.insts);
        asm.block_mut(last).terminator = data.terminator;
        end.items.extend(rest.items.iter());
        end.last = if rest.last == Some(after) { Some(last) } else { rest.last };
        end.out = rest.out.clone();
        self.joined[after] = Some(last);
    }

    /// A block at the end of a region of `owner` where these ways meet, and what it stands for.
    fn join(&mut self, owner: Option<Node>, ways: Vec<(Block, Carries)>) -> (Block, Carries) {
        let ways: Vec<(Block, Carries)> = ways
            .into_iter()
            .map(|(block, out)| (block, owner.map_or(out.clone(), |owner| here(out, owner))))
            .collect();
        let normal = ways.iter().any(|(_, out)| may_go_on(out)).then(|| self.end_params(owner));
        let meeting = self.meet(&ways, normal.as_deref(), Terminator::Next);
        let block = meeting.block;
        let out = match (&meeting.jumps[..], &normal) {
            ([], _) => Carries::Normal(self.mux.normal_args(&meeting, &normal.unwrap_or_default())),
            (&[jump], None) => Carries::One(jump, self.mux.jump_args(&meeting, jump)),
            _ => Carries::Many(meeting),
        };
        (block, out)
    }

    /// The parameters of the block that the end of a region of `owner` leads to.
    fn end_params(&self, owner: Option<Node>) -> Vec<Inst> {
        let Some(owner) = owner else { return Vec::new() };
        let is_loop = matches!(self.mux.asm.body().node(owner).kind, NodeKind::Loop { .. });
        self.mux.params(if is_loop { Jump::Continue(owner) } else { Jump::Break(owner) })
    }

    fn meet(
        &mut self,
        ways: &[(Block, Carries)],
        normal: Option<&[Inst]>,
        exit: impl Fn(Args) -> Terminator,
    ) -> Meeting {
        let carries: Vec<Carries> = ways.iter().map(|(_, carried)| carried.clone()).collect();
        let (meeting, passed) = self.mux.meet(&carries, normal, false);
        for ((block, _), args) in ways.iter().zip(passed) {
            self.mux.asm.block_mut(*block).terminator = exit(args);
        }
        meeting
    }

    /// What stands behind a node whose exits meet: a part for each, the last one without a test.
    fn behind(
        &mut self,
        node: Node,
        owner: Option<Node>,
        after: Block,
        meeting: &Meeting,
        rest: Rest,
    ) -> Rest {
        let mut arms = self.arms(owner, meeting);
        let Some((_, arm)) = arms.pop() else { return before((node, meeting.block), rest) };
        let head = if arms.is_empty() { Some(meeting.block) } else { None };
        let mut rest = Some(rest);
        let mut part = self.part(owner, meeting, arm, head, after, &mut rest);
        while let Some((jump, arm)) = arms.pop() {
            let test = if arms.is_empty() {
                meeting.block
            } else {
                rebuild::empty_block(&mut self.mux.asm, Terminator::next())
            };
            let Some(cond) = self.mux.test(test, meeting, jump) else { continue };
            self.mux.asm.block_mut(test).terminator = Terminator::next();
            let taken = self.part(owner, meeting, arm, None, after, &mut rest);
            part = self.choose(owner, test, cond, taken, part);
        }
        before((node, part.head), part.rest)
    }

    /// An `if` behind a test. What follows nests only where both parts reach the end.
    fn choose(&mut self, owner: Option<Node>, test: Block, cond: Inst, taken: Part, part: Part) -> Part {
        if taken.rest.out.is_none() {
            let then = self.region(taken);
            let els = rebuild::empty_block(&mut self.mux.asm, Terminator::next());
            let els = self.mux.asm.add_region(RegionData::new(els));
            let node = self.new_if(cond, then, els);
            let head = part.head;
            return Part { head: test, rest: before((node, head), part.rest) };
        }
        let mut ways = Vec::new();
        for rest in [&taken.rest, &part.rest] {
            ways.extend(rest.last.zip(rest.out.clone()));
        }
        let (then, els) = (self.region(taken), self.region(part));
        let node = self.new_if(cond, then, els);
        let (block, out) = self.join(owner, ways);
        Part {
            head: test,
            rest: Rest { items: VecDeque::from([(node, block)]), last: Some(block), out: Some(out) },
        }
    }

    fn new_if(&mut self, cond: Inst, then: Region, els: Region) -> Node {
        self.mux.asm.add_node(NodeData { kind: NodeKind::If { cond, then, els }, attrs: Attrs::None })
    }

    fn region(&mut self, part: Part) -> Region {
        let rest = CowVec::new(part.rest.items.into_iter().collect());
        self.mux.asm.add_region(RegionData { head: part.head, rest })
    }

    /// What a meeting may stand for, with its tests; at most one further exit stands for several, and is last.
    fn arms(&mut self, owner: Option<Node>, meeting: &Meeting) -> Vec<(Option<Jump>, Arm)> {
        let around = self.captors.loop_around(owner);
        let mut arms = Vec::new();
        let mut further = Vec::new();
        for &jump in &meeting.jumps {
            let args = self.mux.jump_args(meeting, jump);
            match around {
                Some(around) if jump == Jump::Break(around) => arms.push((Some(jump), Arm::Break(args))),
                Some(around) if self.is_beyond(around, jump) => further.push((jump, args)),
                Some(_) | None => arms.push((Some(jump), Arm::Out(Carries::One(jump, args)))),
            }
        }
        let group = further.len() > 1;
        if group {
            if meeting.normal {
                arms.push((None, Arm::Rest));
            }
            let jumps = further.into_iter().map(|(jump, _)| jump).collect();
            let handed = Meeting { jumps, normal: false, ..meeting.clone() };
            arms.push((None, Arm::Further(Carries::Many(handed))));
            return arms;
        }
        for (jump, args) in further {
            arms.push((Some(jump), Arm::Further(Carries::One(jump, args))));
        }
        if meeting.normal {
            arms.push((None, Arm::Rest));
        }
        arms
    }

    /// What is done for one outcome: in `head`, or in a block of its own.
    fn part(
        &mut self,
        owner: Option<Node>,
        meeting: &Meeting,
        arm: Arm,
        head: Option<Block>,
        after: Block,
        rest: &mut Option<Rest>,
    ) -> Part {
        if let Arm::Rest = arm {
            let params = std::mem::take(&mut self.mux.asm.block_mut(after).params);
            let args = self.mux.normal_args(meeting, &params);
            for (&param, &arg) in params.iter().zip(args.iter()) {
                rebuild::param_to_copy(&mut self.mux.asm, param, arg);
            }
            rebuild::prepend(&mut self.mux.asm, after, params.to_vec());
            return Part { head: after, rest: rest.take().unwrap_or_default() };
        }
        let head = head.unwrap_or_else(|| rebuild::empty_block(&mut self.mux.asm, Terminator::next()));
        let around = self.captors.loop_around(owner);
        let out = match (arm, around) {
            (Arm::Break(args), Some(around)) => {
                self.ways[around].push((head, args));
                None
            }
            (Arm::Further(carries), Some(around)) => {
                self.pending[around].push((head, carries));
                None
            }
            (Arm::Out(out) | Arm::Further(out), _) => Some(out),
            (Arm::Break(_) | Arm::Rest, _) => None,
        };
        Part { head, rest: Rest { items: VecDeque::new(), last: Some(head), out } }
    }

    fn write_all(&mut self, regions: &[Region], ends: Vec<Rest>) {
        for (&region, end) in regions.iter().zip(ends) {
            self.write(region, end.items);
        }
    }

    fn write(&mut self, region: Region, items: VecDeque<(Node, Block)>) {
        self.mux.asm.region_mut(region).rest = CowVec::new(items.into_iter().collect());
    }
}

fn may_go_on(out: &Carries) -> bool {
    match out {
        Carries::Normal(_) => true,
        Carries::One(..) => false,
        Carries::Many(meeting) => meeting.normal,
    }
}

/// A jump to what is behind `node`, at the end of one of its regions, just goes on.
fn here(out: Carries, node: Node) -> Carries {
    match out {
        Carries::One(Jump::Break(to), args) if to == node => Carries::Normal(args),
        Carries::Normal(_) | Carries::One(..) | Carries::Many(_) => out,
    }
}

fn before(item: (Node, Block), rest: Rest) -> Rest {
    let mut rest = rest;
    rest.items.push_front(item);
    rest
}
