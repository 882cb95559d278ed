//! Exits for a target without labels: code that an exit skips moves into an `if`.
//!
//! ```text
//! block !0 { if !1 %c { break !0(%a) } else { next } ^1: … next(%b) } ^2(%p): …
//!   =>   block !0 { if !1 %c { next(%a) } else { ^1: … next(%b) } ^m(%q): next(%q) } ^2(%p): …
//! ```
//!
//! Every region ends in `next`; if that stands for several exits, a code identifies the exit. If only one arm
//! continues, the rest of the region moves into it and no code is needed. A loop is left by `break` from anywhere
//! in it. Regions are visited back to front, inner ones first, so that the code after a node is complete when the
//! node is visited.
//!
//! Skipped code nests: `k` early exits in a row produce `k` levels.

use super::mux::{EdgePayload, Join, Mux};
use crate::util::rebuild;
use std::collections::VecDeque;
use vitrine_analysis::exits::forms::{Breakables, Jump};
use vitrine_ir::base::SideTable;
use vitrine_ir::{
    Args, Block, CowVec, Inst, Node, NodeKind, Region, RegionData, Shape, Terminator, TreeStep, TreeWalk,
};

/// Lowers every exit other than a `break` of the innermost loop, and returns their number.
pub(super) fn lower(mux: &mut Mux<'_>, breakables: &Breakables) -> u32 {
    let Shape::Tree(root) = *mux.asm.body().shape() else { return 0 };
    let (loop_exits, pending) = (SideTable::new(), SideTable::new());
    let (ends, joined) = (SideTable::new(), SideTable::new());
    let mut lowering = Lowering { mux, breakables, root, loop_exits, pending, ends, joined, captured: 0 };
    let steps: Vec<TreeStep> = TreeWalk::new(lowering.mux.asm.body()).collect();
    for step in steps.into_iter().rev() {
        match step {
            TreeStep::Block(block) => lowering.block(block),
            TreeStep::Enter(node) => lowering.node(node),
            TreeStep::Open(..) | TreeStep::Leave(_) => {}
        }
    }
    let end = std::mem::take(&mut lowering.ends[root]);
    if let (Some(last), Some(EdgePayload::Single(Jump::Return, args))) = (end.last, &end.out) {
        lowering.mux.asm.block_mut(last).terminator = Terminator::Return(args.first().copied());
    }
    lowering.write(root, end.items);
    lowering.captured
}

/// The remainder of a region from some block on, and how it ends.
#[derive(Clone, Default)]
struct RegionRest {
    items: VecDeque<(Node, Block)>,
    last: Option<Block>,
    /// The exits that the end of the region stands for; none if it is unreachable.
    out: Option<EdgePayload>,
}

/// The remainder of a region together with its first block.
struct RegionPart {
    head: Block,
    rest: RegionRest,
}

struct Lowering<'a, 'm> {
    mux: &'a mut Mux<'m>,
    breakables: &'a Breakables,
    root: Region,
    /// The blocks that break out of a loop to the code after it, with their arguments.
    loop_exits: SideTable<Node, Vec<(Block, Args)>>,
    /// The blocks that break out of a loop on the path to an outer target.
    pending: SideTable<Node, Vec<(Block, EdgePayload)>>,
    ends: SideTable<Region, RegionRest>,
    /// The block into which another one was merged.
    joined: SideTable<Block, Option<Block>>,
    captured: u32,
}

/// Action for one outcome of a join point.
enum Arm {
    /// Continue with the code that follows.
    Continue,
    /// Leave the region with this exit.
    Out(EdgePayload),
    /// Break out of the enclosing loop.
    Break(Args),
    /// Break out of the enclosing loop, on the path to an outer target.
    Outer(EdgePayload),
}

impl Lowering<'_, '_> {
    /// Handles the end of a region, if the block is one.
    fn block(&mut self, block: Block) {
        let Some(place) = self.breakables.nesting.block(block) else { return };
        let body = self.mux.asm.body();
        if body.region(place.region).last() != block {
            return;
        }
        let owner = self.breakables.nesting.owner(place.region);
        let out = match body.terminator(block).clone() {
            Terminator::Next(args) => Some(EdgePayload::Normal(args)),
            Terminator::Break(node, args) => self.exit_of_region(block, owner, Jump::Break(node), args),
            Terminator::Continue(node, args) => self.exit_of_region(block, owner, Jump::Continue(node), args),
            Terminator::Return(value) => {
                self.captured += u32::from(place.region != self.root);
                self.exit_of_region(block, owner, Jump::Return, value.into_iter().collect())
            }
            Terminator::Stop(_)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => None,
        };
        self.ends[place.region] = RegionRest { items: VecDeque::new(), last: Some(block), out };
    }

    /// Handles a jump at the end of a region in `owner`: returns it as an exit of the region, or records it as an
    /// exit of the enclosing loop.
    fn exit_of_region(
        &mut self,
        block: Block,
        owner: Option<Node>,
        jump: Jump,
        args: Args,
    ) -> Option<EdgePayload> {
        let enclosing_loop = self.breakables.loop_around(owner);
        if let (Some(enclosing_loop), Jump::Break(to)) = (enclosing_loop, jump)
            && enclosing_loop == to
        {
            self.loop_exits[enclosing_loop].push((block, args));
            return None;
        }
        self.captured += u32::from(jump != Jump::Return);
        match enclosing_loop {
            Some(enclosing_loop) if self.leaves_loop(enclosing_loop, jump) => {
                self.pending[enclosing_loop].push((block, EdgePayload::Single(jump, args)));
                None
            }
            Some(_) | None => Some(EdgePayload::Single(jump, args)),
        }
    }

    /// Returns true if a jump leaves a loop.
    fn leaves_loop(&self, enclosing_loop: Node, jump: Jump) -> bool {
        match jump {
            Jump::Break(to) | Jump::Continue(to) => {
                self.breakables.nesting.depth(to) <= self.breakables.nesting.depth(enclosing_loop)
            }
            Jump::Return => true,
        }
    }

    /// Handles a node after everything in it and after it.
    fn node(&mut self, node: Node) {
        let Some(place) = self.breakables.nesting.node(node) else { return };
        let Some(after) = self.breakables.nesting.after(self.mux.asm.body(), node) else { return };
        let rest = std::mem::take(&mut self.ends[place.region]);
        let owner = self.breakables.nesting.owner(place.region);
        let rest = match self.mux.asm.body().node(node).kind.clone() {
            NodeKind::Loop { body, .. } => self.of_loop(node, body, owner, after, rest),
            kind => self.of_choice(node, &kind.regions(), owner, after, rest),
        };
        self.ends[place.region] = rest;
    }

    fn of_loop(
        &mut self,
        node: Node,
        body: Region,
        owner: Option<Node>,
        after: Block,
        rest: RegionRest,
    ) -> RegionRest {
        let end = std::mem::take(&mut self.ends[body]);
        if let (Some(last), Some(EdgePayload::Normal(args))) = (end.last, &end.out) {
            self.mux.asm.block_mut(last).terminator = Terminator::Next(args.clone());
        }
        self.write(body, end.items);
        let mut exits: Vec<(Block, EdgePayload)> = std::mem::take(&mut self.loop_exits[node])
            .into_iter()
            .map(|(block, args)| (self.current_block(block), EdgePayload::Normal(args)))
            .collect();
        let pending = std::mem::take(&mut self.pending[node]);
        let pending: Vec<_> =
            pending.into_iter().map(|(block, out)| (self.current_block(block), out)).collect();
        if pending.is_empty() {
            for (block, exit) in exits {
                if let EdgePayload::Normal(args) = exit {
                    self.mux.asm.block_mut(block).terminator = Terminator::Break(node, args);
                }
            }
            return before((node, after), rest);
        }
        let normal = (!exits.is_empty()).then(|| self.mux.params(Jump::Break(node)));
        for (block, _) in &pending {
            if self.breakables.nesting.block(*block).is_some() {
                self.mux.sources[node].push(*block);
            }
        }
        exits.extend(pending);
        let join_point = self.join_paths(&exits, normal.as_deref(), |args| Terminator::Break(node, args));
        self.after_node(node, owner, after, &join_point, rest)
    }

    /// Returns the block that now contains the terminator of a block.
    fn current_block(&self, block: Block) -> Block {
        self.joined[block].unwrap_or(block)
    }

    fn of_choice(
        &mut self,
        node: Node,
        arms: &[Region],
        owner: Option<Node>,
        after: Block,
        rest: RegionRest,
    ) -> RegionRest {
        let mut ends: Vec<RegionRest> = arms.iter().map(|&arm| std::mem::take(&mut self.ends[arm])).collect();
        for end in &mut ends {
            end.out = end.out.take().map(|out| as_fallthrough(out, node));
        }
        let continues = |end: &RegionRest| matches!(end.out, Some(EdgePayload::Normal(_)));
        let jumps =
            |end: &RegionRest| matches!(end.out, Some(EdgePayload::Single(..) | EdgePayload::Forwarded(_)));
        // Several outcomes, one of which is the code after this node or an enclosing one: they must be
        // distinguished first.
        let is_enclosing = |jump: &Jump| owner.is_some_and(|owner| *jump == Jump::Break(owner));
        let mixed = ends.iter().any(|end| match &end.out {
            Some(EdgePayload::Forwarded(join_point)) => {
                join_point.normal || join_point.jumps.iter().any(is_enclosing)
            }
            Some(EdgePayload::Normal(_) | EdgePayload::Single(..)) | None => false,
        });
        let continuing_count = ends.iter().filter(|end| continues(end)).count();
        if !ends.iter().any(jumps) {
            for end in &ends {
                if let (Some(last), Some(EdgePayload::Normal(args))) = (end.last, &end.out) {
                    self.mux.asm.block_mut(last).terminator = Terminator::Next(args.clone());
                }
            }
            self.write_all(arms, ends);
            return before((node, after), rest);
        }
        let simple = continuing_count <= 1 && !mixed;
        if simple {
            for end in ends.iter_mut().filter(|end| continues(end)) {
                self.absorb(end, after, &rest);
            }
        }
        let exits = ends.iter().filter_map(|end| Some((end.last?, end.out.clone()?))).collect::<Vec<_>>();
        self.write_all(arms, ends);
        if simple {
            let (block, out) = self.join(owner, exits);
            return RegionRest { items: VecDeque::from([(node, block)]), last: Some(block), out: Some(out) };
        }
        let may_reach_after = exits.iter().any(|(_, out)| may_continue(out));
        let normal = may_reach_after.then(|| self.mux.params(Jump::Break(node)));
        let join_point = self.join_paths(&exits, normal.as_deref(), Terminator::Next);
        self.after_node(node, owner, after, &join_point, rest)
    }

    /// Moves the code after a node to the end of its only arm that continues.
    fn absorb(&mut self, end: &mut RegionRest, after: Block, rest: &RegionRest) {
        let (Some(last), Some(EdgePayload::Normal(args))) = (end.last, end.out.take()) else { return };
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

    /// Returns a block at the end of a region of `owner` where these paths join, and the exits that it stands for.
    fn join(&mut self, owner: Option<Node>, exits: Vec<(Block, EdgePayload)>) -> (Block, EdgePayload) {
        let exits: Vec<(Block, EdgePayload)> = exits
            .into_iter()
            .map(|(block, out)| (block, owner.map_or(out.clone(), |owner| as_fallthrough(out, owner))))
            .collect();
        let normal = exits.iter().any(|(_, out)| may_continue(out)).then(|| self.end_params(owner));
        let join_point = self.join_paths(&exits, normal.as_deref(), Terminator::Next);
        let block = join_point.block;
        let out = match (&join_point.jumps[..], &normal) {
            ([], _) => EdgePayload::Normal(self.mux.normal_args(&join_point, &normal.unwrap_or_default())),
            (&[jump], None) => EdgePayload::Single(jump, self.mux.jump_args(&join_point, jump)),
            _ => EdgePayload::Forwarded(join_point),
        };
        (block, out)
    }

    /// Returns the parameters of the block that follows the end of a region of `owner`.
    fn end_params(&self, owner: Option<Node>) -> Vec<Inst> {
        let Some(owner) = owner else { return Vec::new() };
        let is_loop = matches!(self.mux.asm.body().node(owner).kind, NodeKind::Loop { .. });
        self.mux.params(if is_loop { Jump::Continue(owner) } else { Jump::Break(owner) })
    }

    fn join_paths(
        &mut self,
        exits: &[(Block, EdgePayload)],
        normal: Option<&[Inst]>,
        exit: impl Fn(Args) -> Terminator,
    ) -> Join {
        let payloads: Vec<EdgePayload> = exits.iter().map(|(_, payload)| payload.clone()).collect();
        let (join_point, passed) = self.mux.join_paths(&payloads, normal, false);
        for ((block, _), args) in exits.iter().zip(passed) {
            self.mux.asm.block_mut(*block).terminator = exit(args);
        }
        join_point
    }

    /// Builds the code after a node whose exits join: a part for each outcome, the last one without a test.
    fn after_node(
        &mut self,
        node: Node,
        owner: Option<Node>,
        after: Block,
        join_point: &Join,
        rest: RegionRest,
    ) -> RegionRest {
        let mut arms = self.arms(owner, join_point);
        let Some((_, arm)) = arms.pop() else { return before((node, join_point.block), rest) };
        let head = if arms.is_empty() { Some(join_point.block) } else { None };
        let mut rest = Some(rest);
        let mut part = self.part(owner, join_point, arm, head, after, &mut rest);
        while let Some((jump, arm)) = arms.pop() {
            let test = if arms.is_empty() {
                join_point.block
            } else {
                self.mux.empty_block(Terminator::next(), "the next exit is tested here")
            };
            let Some(cond) = self.mux.test(test, join_point, jump) else { continue };
            self.mux.asm.block_mut(test).terminator = Terminator::next();
            let taken = self.part(owner, join_point, arm, None, after, &mut rest);
            part = self.choose(owner, test, cond, taken, part);
        }
        before((node, part.head), part.rest)
    }

    /// Adds an `if` after a test. The following code nests only if both parts reach the end.
    fn choose(
        &mut self,
        owner: Option<Node>,
        test: Block,
        cond: Inst,
        taken: RegionPart,
        part: RegionPart,
    ) -> RegionPart {
        if taken.rest.out.is_none() {
            let then = self.region(taken);
            let els = self.mux.empty_block(Terminator::next(), "the other paths continue here");
            let els = self.mux.asm.add_region(RegionData::new(els));
            let node = self.mux.choice(cond, then, els);
            let head = part.head;
            return RegionPart { head: test, rest: before((node, head), part.rest) };
        }
        let mut exits = Vec::new();
        for rest in [&taken.rest, &part.rest] {
            exits.extend(rest.last.zip(rest.out.clone()));
        }
        let (then, els) = (self.region(taken), self.region(part));
        let node = self.mux.choice(cond, then, els);
        let (block, out) = self.join(owner, exits);
        RegionPart {
            head: test,
            rest: RegionRest { items: VecDeque::from([(node, block)]), last: Some(block), out: Some(out) },
        }
    }

    fn region(&mut self, part: RegionPart) -> Region {
        let rest = CowVec::new(part.rest.items.into_iter().collect());
        self.mux.asm.add_region(RegionData { head: part.head, rest })
    }

    /// Returns the outcomes of a join point with their tests; at most one outcome stands for several outer exits,
    /// and it is last.
    fn arms(&mut self, owner: Option<Node>, join_point: &Join) -> Vec<(Option<Jump>, Arm)> {
        let enclosing_loop = self.breakables.loop_around(owner);
        let mut arms = Vec::new();
        let mut outer = Vec::new();
        for &jump in &join_point.jumps {
            let args = self.mux.jump_args(join_point, jump);
            match enclosing_loop {
                Some(enclosing_loop) if jump == Jump::Break(enclosing_loop) => {
                    arms.push((Some(jump), Arm::Break(args)));
                }
                Some(enclosing_loop) if self.leaves_loop(enclosing_loop, jump) => outer.push((jump, args)),
                Some(_) | None => arms.push((Some(jump), Arm::Out(EdgePayload::Single(jump, args)))),
            }
        }
        let group = outer.len() > 1;
        if group {
            if join_point.normal {
                arms.push((None, Arm::Continue));
            }
            let jumps = outer.into_iter().map(|(jump, _)| jump).collect();
            let forwarded = Join { jumps, normal: false, ..join_point.clone() };
            arms.push((None, Arm::Outer(EdgePayload::Forwarded(forwarded))));
            return arms;
        }
        for (jump, args) in outer {
            arms.push((Some(jump), Arm::Outer(EdgePayload::Single(jump, args))));
        }
        if join_point.normal {
            arms.push((None, Arm::Continue));
        }
        arms
    }

    /// Builds the part for one outcome: in `head`, or in a new block.
    fn part(
        &mut self,
        owner: Option<Node>,
        join_point: &Join,
        arm: Arm,
        head: Option<Block>,
        after: Block,
        rest: &mut Option<RegionRest>,
    ) -> RegionPart {
        if let Arm::Continue = arm {
            let params = std::mem::take(&mut self.mux.asm.block_mut(after).params);
            let args = self.mux.normal_args(join_point, &params);
            for (&param, &arg) in params.iter().zip(args.iter()) {
                rebuild::param_to_copy(&mut self.mux.asm, param, arg);
            }
            rebuild::prepend(&mut self.mux.asm, after, params.to_vec());
            return RegionPart { head: after, rest: rest.take().unwrap_or_default() };
        }
        let head =
            head.unwrap_or_else(|| self.mux.empty_block(Terminator::next(), "the exit continues here"));
        let enclosing_loop = self.breakables.loop_around(owner);
        let out = match (arm, enclosing_loop) {
            (Arm::Break(args), Some(enclosing_loop)) => {
                self.loop_exits[enclosing_loop].push((head, args));
                None
            }
            (Arm::Outer(payload), Some(enclosing_loop)) => {
                self.pending[enclosing_loop].push((head, payload));
                None
            }
            (Arm::Out(out) | Arm::Outer(out), _) => Some(out),
            (Arm::Break(_) | Arm::Continue, _) => None,
        };
        RegionPart { head, rest: RegionRest { items: VecDeque::new(), last: Some(head), out } }
    }

    fn write_all(&mut self, regions: &[Region], ends: Vec<RegionRest>) {
        for (&region, end) in regions.iter().zip(ends) {
            self.write(region, end.items);
        }
    }

    fn write(&mut self, region: Region, items: VecDeque<(Node, Block)>) {
        self.mux.asm.region_mut(region).rest = CowVec::new(items.into_iter().collect());
    }
}

fn may_continue(out: &EdgePayload) -> bool {
    match out {
        EdgePayload::Normal(_) => true,
        EdgePayload::Single(..) => false,
        EdgePayload::Forwarded(join_point) => join_point.normal,
    }
}

/// Turns a jump to the code after `node`, at the end of one of its regions, into normal fallthrough.
fn as_fallthrough(out: EdgePayload, node: Node) -> EdgePayload {
    match out {
        EdgePayload::Single(Jump::Break(to), args) if to == node => EdgePayload::Normal(args),
        EdgePayload::Normal(_) | EdgePayload::Single(..) | EdgePayload::Forwarded(_) => out,
    }
}

fn before(item: (Node, Block), rest: RegionRest) -> RegionRest {
    let mut rest = rest;
    rest.items.push_front(item);
    rest
}
