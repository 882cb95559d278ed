//! Steps 5 and 6: emits the tree from the placement, with an explicit stack.
//!
//! `emit(X)` is the code of X, then its merge blocks, each after a node that edges leave by `break`. If X heads
//! a loop, a `loop` encloses this, and the blocks after the loop follow it. The clean-up phase of the study is
//! integrated, so that no redundant construct is created:
//!
//! * The first block after an `if`, a `switch` or a `loop` is a break target of that node; labeled blocks
//!   are created only for further ones.
//! * An edge to the fall-through successor is `next`.
//! * If at most one arm continues, its code follows the node instead of being nested in the arm, so
//!   that 10,000 early returns are not 10,000 levels deep. If several arms continue and do not meet here, a
//!   block after the node forwards their arguments.
//!
//! Fails only on a placement that was forced by hints and that the graph does not allow.

use super::place::{Placement, Position};
use crate::util::rebuild;
use crate::util::rebuilt::made;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use vitrine_ir::base::SideTable;
use vitrine_ir::{
    Args, Arm, Assembler, Attrs, Block, CowVec, Edge, FuncBody, Inst, Journal, MergeInfo, Node, NodeData,
    NodeKind, Region, RegionData, Terminator,
};

/// Regions deeper than this are not nested further to make an edge a `next`.
const DEEP: usize = 64;

/// An edge whose target label is not in scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OutOfScope {
    pub(super) from: Block,
    pub(super) to: Block,
}

/// The reason for an empty block before the first construct of a region.
const FIRST: &str = "a region begins with a block, before its first construct";

/// The reason for an empty construct between two blocks.
const SEPARATOR: &str = "two blocks cannot follow each other in a region: an empty construct separates them";

/// Emits the tree; records the empty blocks that it adds.
pub(super) fn emit(
    asm: Assembler,
    place: &Placement,
    hints: &[(Block, Rc<MergeInfo>)],
    journal: &mut Journal,
) -> Result<FuncBody, OutOfScope> {
    let mut attrs: SideTable<Block, HintAttrs> = SideTable::new();
    for (block, hint) in hints {
        attrs[*block] = hint_attrs(&attrs[*block], place, *block, hint);
    }
    let mut emitter = Emitter {
        asm,
        journal,
        place,
        attrs,
        regions: vec![Open::new(None)],
        work: Vec::new(),
        label: SideTable::new(),
        loop_node: SideTable::new(),
    };
    let Some(entry) = place.cfg.entry() else { return Ok(emitter.asm.finish()) };
    emitter.begin(entry, None)?;
    while let Some(item) = emitter.work.pop() {
        emitter.run_item(item)?;
    }
    let root = emitter.close();
    for &block in place.cfg.rpo() {
        emitter.asm.block_mut(block).merge = None;
    }
    emitter.asm.tree(root);
    Ok(emitter.asm.finish())
}

/// Attributes for a loop and for a selection that start in a block, from the hints.
#[derive(Clone, Default)]
struct HintAttrs {
    of_loop: Attrs,
    of_choice: Attrs,
    /// The declared merge block of the selection is unreachable.
    unreachable_merge: bool,
}

fn hint_attrs(old: &HintAttrs, place: &Placement, block: Block, hint: &MergeInfo) -> HintAttrs {
    let mut attrs = old.clone();
    if hint.cont.is_some() && place.is_header(block) {
        attrs.of_loop = hint.attrs.clone();
    } else {
        attrs.of_choice = hint.attrs.clone();
        attrs.unreachable_merge = place.trusts && !place.cfg.is_reachable(hint.merge);
    }
    attrs
}

/// A region under construction.
struct Open {
    head: Option<Block>,
    rest: Vec<(Node, Block)>,
    /// A node that still lacks the block after it.
    pending: Option<Node>,
    /// The target of `next` at the end, directly or through forwarding blocks.
    follow: Option<Block>,
    /// True if a terminator at the end falls through.
    falls: bool,
}

impl Open {
    fn new(follow: Option<Block>) -> Open {
        Open { head: None, rest: Vec::new(), pending: None, follow, falls: false }
    }
}

/// A work item of the emitter.
enum WorkItem {
    /// Start a block after its predecessor.
    Begin(Edge),
    /// Continue with the next arm of an `if` or a `switch`, or with the code after it.
    Choice(Box<Choice>),
    /// End the region of a labeled block, and start the block after it.
    Label(Node, Block),
    /// End the body of a loop.
    Body(Node, Block),
    /// End the continuing region of a loop.
    Rest(Node, Block, Region),
}

/// An `if` or a `switch` under construction.
struct Choice {
    from: Block,
    node: Node,
    /// The condition or the selector.
    on: Inst,
    is_switch: bool,
    arms: Vec<ArmEdges>,
    done: Vec<Region>,
    /// True while an arm is open.
    open: bool,
    follower: Follower,
    /// True if an arm falls through to the code after the node.
    falls: bool,
}

/// The edges of a terminator that form one arm.
struct ArmEdges {
    values: Vec<u64>,
    default: bool,
    edge: Edge,
}

/// The code after an `if` or a `switch`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Follower {
    /// The first merge block.
    Merge(Block),
    /// The target of this arm.
    Arm(usize),
    /// A block that forwards to this one.
    Join(Block),
    /// Nothing: no arm falls through.
    Nothing,
}

struct Emitter<'a> {
    asm: Assembler,
    journal: &'a mut Journal,
    place: &'a Placement,
    attrs: SideTable<Block, HintAttrs>,
    regions: Vec<Open>,
    work: Vec<WorkItem>,
    /// The node to break out of to reach a block, while that node is open.
    label: SideTable<Block, Option<Node>>,
    /// The loop to continue to reach its header or continue target, while `continue` is valid.
    loop_node: SideTable<Block, Option<Node>>,
}

impl Emitter<'_> {
    fn open_region(&mut self) -> &mut Open {
        let last = self.regions.len() - 1;
        &mut self.regions[last]
    }

    /// The block at the end of the open region, if its terminator is not set yet.
    fn tail(&mut self) -> Option<Block> {
        let open = self.open_region();
        if open.pending.is_some() {
            return None;
        }
        open.rest.last().map(|&(_, block)| block).or(open.head)
    }

    /// Appends a block to the open region.
    fn append_block(&mut self, block: Block) {
        let open = self.open_region();
        match open.pending.take() {
            Some(node) => open.rest.push((node, block)),
            None => open.head = Some(block),
        }
    }

    fn put_empty(&mut self, terminator: Terminator, reason: &'static str) -> Block {
        let block = rebuild::empty_block(&mut self.asm, terminator);
        made(self.journal, block, reason);
        self.append_block(block);
        block
    }

    fn set_terminator(&mut self, block: Block, terminator: Terminator) {
        self.asm.block_mut(block).terminator = terminator;
    }

    fn open(&mut self, follow: Option<Block>) {
        self.regions.push(Open::new(follow));
    }

    /// Ends the open region.
    fn close(&mut self) -> Region {
        let open = self.regions.pop().unwrap_or_else(|| Open::new(None));
        let head = open.head.unwrap_or_else(|| rebuild::empty_block(&mut self.asm, Terminator::default()));
        self.asm.add_region(RegionData { head, rest: CowVec::new(open.rest) })
    }

    fn new_node(&mut self) -> Node {
        self.asm.add_node(NodeData::default())
    }

    fn set_node(&mut self, node: Node, kind: NodeKind, attrs: Attrs) {
        self.asm.put_node(node, NodeData { kind, attrs });
    }

    /// Starts a block at the end of the open region: after a node, at the head of an arm, or, for a loop
    /// header, after its predecessor. `passed` are the arguments of the single edge to it; none for a block
    /// with a label, which keeps its parameters.
    fn begin(&mut self, block: Block, passed: Option<&Args>) -> Result<(), OutOfScope> {
        if !self.place.is_header(block) {
            if let (Some(args), true) = (passed, self.open_region().pending.is_none()) {
                self.drop_params(block, args);
            }
            self.append_block(block);
            return self.code(block);
        }
        let args = match (self.tail(), passed) {
            (Some(_), args) => args.cloned().unwrap_or_default(),
            (None, Some(args)) => {
                self.put_empty(Terminator::next(), FIRST);
                args.clone()
            }
            (None, None) => {
                let before = self.put_empty(
                    Terminator::next(),
                    "several edges enter the loop: they meet in a block before it",
                );
                self.same_params(before, block)
            }
        };
        let place = self.place;
        let afters = &place.afters[block];
        for &after in afters.iter().skip(1).rev() {
            self.wrap(after);
        }
        let node = self.new_node();
        if let Some(tail) = self.tail() {
            self.set_terminator(tail, Terminator::Next(args));
        }
        if let Some(&after) = afters.first() {
            self.label[after] = Some(node);
        }
        let target = place.continuing[block].unwrap_or(block);
        self.loop_node[target] = Some(node);
        self.work.push(WorkItem::Body(node, block));
        self.open(Some(target));
        self.append_block(block);
        self.code(block)
    }

    /// Converts the parameters of a block whose edge was removed to copies of the arguments.
    fn drop_params(&mut self, block: Block, args: &Args) {
        let params = std::mem::take(&mut self.asm.block_mut(block).params);
        for (&param, &arg) in params.iter().zip(args.iter()) {
            rebuild::param_to_copy(&mut self.asm, param, arg);
        }
        rebuild::prepend(&mut self.asm, block, params.to_vec());
    }

    /// Gives a block the same parameters as another one.
    fn same_params(&mut self, block: Block, like: Block) -> Args {
        let params = self.asm.body().block(like).params.clone();
        params.iter().map(|&param| rebuild::param_like(&mut self.asm, block, param)).collect()
    }

    /// Opens a labeled block that is followed by the block `follower`.
    fn wrap(&mut self, follower: Block) {
        if let Some(tail) = self.tail() {
            self.set_terminator(tail, Terminator::next());
        }
        let node = self.new_node();
        self.label[follower] = Some(node);
        self.work.push(WorkItem::Label(node, follower));
        self.open(Some(follower));
        self.put_empty(Terminator::next(), FIRST);
    }

    /// Emits the end of a block that has been appended.
    fn code(&mut self, block: Block) -> Result<(), OutOfScope> {
        let place = self.place;
        let merges = &place.merges[block];
        let terminator = std::mem::take(&mut self.asm.block_mut(block).terminator);
        let arms = arms_of(&terminator);
        let own = usize::from(!arms.is_empty());
        for &merge in merges.iter().skip(own).rev() {
            self.wrap(merge);
        }
        let tail = self.tail().unwrap_or(block);
        match terminator {
            Terminator::Goto(edge) => self.go(tail, block, edge),
            Terminator::Branch { cond: on, .. } | Terminator::Switch { on, .. } => {
                let is_switch = matches!(terminator, Terminator::Switch { .. });
                self.choose(tail, block, on, is_switch, arms, merges.first().copied());
                Ok(())
            }
            Terminator::Next(_)
            | Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Return(_)
            | Terminator::Stop(_) => {
                self.set_terminator(tail, terminator);
                Ok(())
            }
        }
    }

    /// Leaves the block at the end of the region by an edge of `from`.
    fn go(&mut self, tail: Block, from: Block, edge: Edge) -> Result<(), OutOfScope> {
        if !self.is_inline(from, edge.to) {
            let terminator = self.jump(from, &edge)?;
            self.set_terminator(tail, terminator);
            return Ok(());
        }
        if !self.place.is_header(edge.to) {
            // Two consecutive blocks: the second one follows an empty node.
            self.set_terminator(tail, Terminator::next());
            let node = self.new_node();
            made(self.journal, node, SEPARATOR);
            self.open(None);
            self.put_empty(Terminator::Next(edge.args.clone()), SEPARATOR);
            let body = self.close();
            self.set_node(node, NodeKind::Block { body }, Attrs::None);
            self.open_region().pending = Some(node);
        }
        self.work.push(WorkItem::Begin(edge));
        Ok(())
    }

    fn is_inline(&self, from: Block, to: Block) -> bool {
        self.place.kind[to] == Position::Inline && !self.place.is_back(from, to)
    }

    /// The terminator for an edge from the end of the open region.
    fn jump(&mut self, from: Block, edge: &Edge) -> Result<Terminator, OutOfScope> {
        let back = self.place.is_back(from, edge.to);
        let open = self.open_region();
        if open.follow == Some(edge.to) {
            open.falls = true;
            return Ok(Terminator::Next(edge.args.clone()));
        }
        if let Some(node) = self.label[edge.to].filter(|_| !back) {
            return Ok(Terminator::Break(node, edge.args.clone()));
        }
        let continues = back || self.place.kind[edge.to] == Position::Continuing;
        match self.loop_node[edge.to].filter(|_| continues) {
            Some(node) => Ok(Terminator::Continue(node, edge.args.clone())),
            None => Err(OutOfScope { from, to: edge.to }),
        }
    }

    /// Starts an `if` or a `switch` after `tail`.
    fn choose(
        &mut self,
        tail: Block,
        from: Block,
        on: Inst,
        is_switch: bool,
        arms: Vec<ArmEdges>,
        merge: Option<Block>,
    ) {
        self.set_terminator(tail, Terminator::next());
        let node = self.new_node();
        let follower = match merge {
            Some(merge) => {
                self.label[merge] = Some(node);
                Follower::Merge(merge)
            }
            None => self.follower_of(from, &arms),
        };
        let (done, open, falls) = (Vec::with_capacity(arms.len()), false, false);
        let choice = Choice { from, node, on, is_switch, arms, done, open, follower, falls };
        self.work.push(WorkItem::Choice(Box::new(choice)));
    }

    /// The code after a node whose arms do not meet in a merge block of the node.
    fn follower_of(&mut self, from: Block, arms: &[ArmEdges]) -> Follower {
        if self.attrs[from].unreachable_merge {
            return Follower::Nothing;
        }
        let depth = self.regions.len();
        let follow = self.open_region().follow;
        let inline = |arm: &ArmEdges| self.is_inline(from, arm.edge.to);
        let goes_on = |arm: &ArmEdges, to: Block| {
            arm.edge.to == to || (inline(arm) && self.place.leads_to(arm.edge.to, to))
        };
        let weight = |arm: &ArmEdges| if inline(arm) { self.place.weight(arm.edge.to) } else { 0 };
        let heaviest = || {
            let by_weight = |&at: &usize| weight(&arms[at]);
            Follower::Arm((0..arms.len()).max_by_key(by_weight).unwrap_or(0))
        };
        if let Some(follow) = follow {
            let mut going = (0..arms.len()).filter(|&at| goes_on(&arms[at], follow));
            match (going.next(), going.next()) {
                (Some(one), None) => return Follower::Arm(one),
                (Some(_), Some(_)) if depth > DEEP && arms.iter().filter(|arm| inline(arm)).count() == 1 => {
                    return heaviest();
                }
                (Some(_), Some(_)) => return Follower::Join(follow),
                (None, _) => {}
            }
        }
        // The same jump at the end of every arm is emitted once, after the node, if the arms are small.
        let small = |arm: &ArmEdges| match inline(arm) {
            false => Some(arm.edge.to),
            true => self.only_target(arm.edge.to),
        };
        if let Some(to) = arms.first().and_then(small)
            && arms.len() > 1
            && arms.iter().all(|arm| small(arm) == Some(to))
        {
            return Follower::Join(to);
        }
        heaviest()
    }

    /// The single target of a block that dominates no other block.
    fn only_target(&self, block: Block) -> Option<Block> {
        let Terminator::Goto(edge) = self.asm.body().terminator(block) else { return None };
        (self.place.weight(block) == 1 && !self.place.is_header(block)).then_some(edge.to)
    }

    fn run_item(&mut self, item: WorkItem) -> Result<(), OutOfScope> {
        match item {
            WorkItem::Begin(edge) => self.begin(edge.to, Some(&edge.args)),
            WorkItem::Choice(choice) => self.choice(choice),
            WorkItem::Label(node, follower) => {
                let body = self.close();
                self.set_node(node, NodeKind::Block { body }, Attrs::None);
                self.label[follower] = None;
                self.open_region().pending = Some(node);
                self.begin(follower, None)
            }
            WorkItem::Body(node, header) => {
                let body = self.close();
                let Some(target) = self.place.continuing[header] else {
                    self.loop_node[header] = None;
                    return self.after_loop(node, header, body, None);
                };
                self.loop_node[target] = None;
                self.work.push(WorkItem::Rest(node, header, body));
                self.open(Some(header));
                self.append_block(target);
                self.code(target)
            }
            WorkItem::Rest(node, header, body) => {
                let continuing = self.close();
                self.after_loop(node, header, body, Some(continuing))
            }
        }
    }

    fn after_loop(
        &mut self,
        node: Node,
        header: Block,
        body: Region,
        continuing: Option<Region>,
    ) -> Result<(), OutOfScope> {
        let attrs = self.attrs[header].of_loop.clone();
        self.set_node(node, NodeKind::Loop { body, continuing }, attrs);
        self.open_region().pending = Some(node);
        match self.place.afters[header].first().copied() {
            Some(after) => {
                self.label[after] = None;
                self.begin(after, None)
            }
            None => {
                self.put_empty(Terminator::default(), "no edge leaves the loop");
                Ok(())
            }
        }
    }

    /// Opens the next arm, or ends the node.
    fn choice(&mut self, mut choice: Box<Choice>) -> Result<(), OutOfScope> {
        if choice.open {
            choice.falls |= self.open_region().falls;
            let region = self.close();
            choice.done.push(region);
        }
        let at = choice.done.len();
        let Some(arm) = choice.arms.get(at) else { return self.end_choice(*choice) };
        let (from, edge) = (choice.from, arm.edge.clone());
        choice.open = true;
        let (follow, is_follower) = match choice.follower {
            Follower::Merge(merge) => (Some(merge), false),
            Follower::Join(to) => (Some(to), false),
            Follower::Nothing => (None, false),
            Follower::Arm(follower) => (None, follower == at),
        };
        self.work.push(WorkItem::Choice(choice));
        self.open(follow);
        if is_follower {
            let passes = self.is_inline(from, edge.to) && !self.place.is_header(edge.to);
            let args = if passes { edge.args } else { Args::default() };
            self.put_empty(Terminator::Next(args), "the code of this arm follows the construct");
            return Ok(());
        }
        self.edge(from, edge)
    }

    /// Emits an edge if the open region has no block that it could leave.
    fn edge(&mut self, from: Block, edge: Edge) -> Result<(), OutOfScope> {
        if self.is_inline(from, edge.to) {
            return self.begin(edge.to, Some(&edge.args));
        }
        let terminator = self.jump(from, &edge)?;
        self.put_empty(terminator, "the arm contains only the edge");
        Ok(())
    }

    fn end_choice(&mut self, choice: Choice) -> Result<(), OutOfScope> {
        let Choice { from, node, on, is_switch, arms, done, follower, falls, .. } = choice;
        let kind = match (&done[..], is_switch) {
            (&[then, els], false) => NodeKind::If { cond: on, then, els },
            _ => {
                let arm = |(arm, &body): (&ArmEdges, &Region)| Arm {
                    values: arm.values.clone(),
                    default: arm.default,
                    body,
                };
                NodeKind::Switch { on, arms: arms.iter().zip(&done).map(arm).collect() }
            }
        };
        let attrs = self.attrs[from].of_choice.clone();
        self.set_node(node, kind, attrs);
        self.open_region().pending = Some(node);
        match follower {
            Follower::Merge(merge) => {
                self.label[merge] = None;
                self.begin(merge, None)
            }
            Follower::Arm(at) => match arms.into_iter().nth(at) {
                Some(arm) => self.edge(from, arm.edge),
                None => Ok(()),
            },
            Follower::Nothing => {
                self.put_empty(Terminator::default(), "no arm continues after the construct");
                Ok(())
            }
            Follower::Join(to) => {
                let block = self
                    .put_empty(Terminator::default(), "several arms continue with the same edge, from here");
                if falls {
                    let args = self.same_params(block, to);
                    let terminator = self.jump(from, &Edge { to, args })?;
                    self.set_terminator(block, terminator);
                }
                Ok(())
            }
        }
    }
}

/// The arms of a terminator: edges of a switch with the same target and arguments form one arm.
fn arms_of(terminator: &Terminator) -> Vec<ArmEdges> {
    let new_arm = |edge: &Edge| ArmEdges { values: Vec::new(), default: false, edge: edge.clone() };
    match terminator {
        Terminator::Branch { then, els, .. } => vec![new_arm(then), new_arm(els)],
        Terminator::Switch { cases, default, .. } => {
            let mut arms: Vec<ArmEdges> = Vec::new();
            let mut known: FxHashMap<&Edge, usize> = FxHashMap::default();
            let mut arm = |edge, arms: &mut Vec<ArmEdges>| {
                *known.entry(edge).or_insert_with(|| {
                    arms.push(new_arm(edge));
                    arms.len() - 1
                })
            };
            for case in cases.iter() {
                let at = arm(&case.edge, &mut arms);
                arms[at].values.extend_from_slice(&case.values);
            }
            let at = arm(default, &mut arms);
            arms[at].default = true;
            arms
        }
        Terminator::Goto(_)
        | Terminator::Next(_)
        | Terminator::Break(..)
        | Terminator::Continue(..)
        | Terminator::Return(_)
        | Terminator::Stop(_) => Vec::new(),
    }
}
