//! Steps 5 and 6: the tree, written from the placement with an explicit stack.
//!
//! `emit(X)` is the code of X, then its merge blocks, each behind a node to break out of; if X heads a
//! loop, a `loop` around that, and the blocks behind the loop after it. The clean-up of the study is done
//! on the way, so that nothing is built and taken away again:
//!
//! * The label of the first block behind an `if`, a `switch` or a `loop` is that node's own; labelled
//!   blocks are made for the further ones only.
//! * An edge to what follows anyway is `next`.
//! * Where at most one arm goes on, what it does stands behind the node instead of in the arm, so that
//!   10,000 early returns are no 10,000 levels. Where several go on and do not meet here, a block behind
//!   the node hands on what they pass.
//!
//! Fails only on a placement that hints have forced and that the graph does not allow.

use super::place::{Kind, Placement};
use crate::base::SideTable;
use crate::ir::{
    Args, Arm, Assembler, Attrs, Block, CowVec, Edge, FuncBody, Inst, MergeInfo, Node, NodeData, NodeKind,
    Region, RegionData, Terminator,
};
use crate::passes::util::rebuild;
use rustc_hash::FxHashMap;
use std::rc::Rc;

/// Regions deeper than this are not nested further for the sake of a `next`.
const DEEP: usize = 64;

/// An edge for which the placement has no label in scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OutOfScope {
    pub(super) from: Block,
    pub(super) to: Block,
}

/// Writes the tree.
pub(super) fn emit(
    asm: Assembler,
    place: &Placement,
    hints: &[(Block, Rc<MergeInfo>)],
) -> Result<FuncBody, OutOfScope> {
    let mut attrs: SideTable<Block, Asked> = SideTable::new();
    for (block, hint) in hints {
        attrs[*block] = hint_attrs(&attrs[*block], place, *block, hint);
    }
    let mut emitter = Emitter {
        asm,
        place,
        attrs,
        regions: vec![Open::new(None)],
        work: Vec::new(),
        label: SideTable::new(),
        round: SideTable::new(),
    };
    let Some(entry) = place.cfg.entry() else { return Ok(emitter.asm.finish()) };
    emitter.begin(entry, None)?;
    while let Some(act) = emitter.work.pop() {
        emitter.act(act)?;
    }
    let root = emitter.close();
    for &block in place.cfg.rpo() {
        emitter.asm.block_mut(block).merge = None;
    }
    emitter.asm.tree(root);
    Ok(emitter.asm.finish())
}

/// What the author asked of a loop, and of a selection, that begins in a block.
#[derive(Clone, Default)]
struct Asked {
    of_loop: Attrs,
    of_choice: Attrs,
    /// The ways of the selection were declared to meet nowhere.
    meets_nowhere: bool,
}

fn hint_attrs(old: &Asked, place: &Placement, block: Block, hint: &MergeInfo) -> Asked {
    let mut asked = old.clone();
    if hint.cont.is_some() && place.is_header(block) {
        asked.of_loop = hint.attrs.clone();
    } else {
        asked.of_choice = hint.attrs.clone();
        asked.meets_nowhere = place.trusts && !place.cfg.is_reachable(hint.merge);
    }
    asked
}

/// A region that is being written.
struct Open {
    head: Option<Block>,
    rest: Vec<(Node, Block)>,
    /// A node that waits for the block behind it.
    pending: Option<Node>,
    /// The block that `next` at the end leads to, at once or through blocks that hand on.
    follow: Option<Block>,
    /// Whether some exit at the end does lead there.
    falls: bool,
}

impl Open {
    fn new(follow: Option<Block>) -> Open {
        Open { head: None, rest: Vec::new(), pending: None, follow, falls: false }
    }
}

/// What is left to do.
enum Act {
    /// A block behind the one that leads to it.
    Begin(Edge),
    /// The further arms of an `if` or a `switch`, and what is behind it.
    Choice(Box<Choice>),
    /// The region of a labelled block ends; the block behind it.
    Label(Node, Block),
    /// The body of a loop ends.
    Body(Node, Block),
    /// The continuing region of a loop ends.
    Rest(Node, Block, Region),
}

/// An `if` or a `switch` that is being written.
struct Choice {
    from: Block,
    node: Node,
    /// A condition or a selector.
    on: Inst,
    is_switch: bool,
    arms: Vec<Way>,
    done: Vec<Region>,
    /// An arm is open.
    open: bool,
    behind: Behind,
    /// Whether some arm goes on to what is behind.
    falls: bool,
}

/// Edges of one exit that are one arm.
struct Way {
    values: Vec<u64>,
    default: bool,
    edge: Edge,
}

/// What stands behind an `if` or a `switch`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Behind {
    /// The first merge block.
    Merge(Block),
    /// What this arm does.
    Arm(usize),
    /// A block that hands on to this one.
    Join(Block),
    /// Nothing: no arm goes on.
    Nothing,
}

struct Emitter<'a> {
    asm: Assembler,
    place: &'a Placement,
    attrs: SideTable<Block, Asked>,
    regions: Vec<Open>,
    work: Vec<Act>,
    /// The node to break out of to reach a block, while it is open.
    label: SideTable<Block, Option<Node>>,
    /// The loop to continue to reach its header or continue target, while that may be said.
    round: SideTable<Block, Option<Node>>,
}

impl Emitter<'_> {
    fn here(&mut self) -> &mut Open {
        let last = self.regions.len() - 1;
        &mut self.regions[last]
    }

    /// The block at the end of the open region, if its exit is still to be said.
    fn tail(&mut self) -> Option<Block> {
        let open = self.here();
        if open.pending.is_some() {
            return None;
        }
        open.rest.last().map(|&(_, block)| block).or(open.head)
    }

    /// Puts a block at the end of the open region.
    fn put(&mut self, block: Block) {
        let open = self.here();
        match open.pending.take() {
            Some(node) => open.rest.push((node, block)),
            None => open.head = Some(block),
        }
    }

    fn put_empty(&mut self, exit: Terminator) -> Block {
        let block = rebuild::empty_block(&mut self.asm, exit);
        self.put(block);
        block
    }

    fn set_terminator(&mut self, block: Block, exit: Terminator) {
        self.asm.block_mut(block).terminator = exit;
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

    /// Begins a block at the end of the open region: behind a node, at the head of an arm, or, for a loop
    /// header, behind the block that leads to it. `passed` is what the one edge to it passes; none for a
    /// block with a label, which keeps its parameters.
    fn begin(&mut self, block: Block, passed: Option<&Args>) -> Result<(), OutOfScope> {
        if !self.place.is_header(block) {
            if let (Some(args), true) = (passed, self.here().pending.is_none()) {
                self.drop_params(block, args);
            }
            self.put(block);
            return self.code(block);
        }
        let args = match (self.tail(), passed) {
            (Some(_), args) => args.cloned().unwrap_or_default(),
            (None, Some(args)) => {
                self.put_empty(Terminator::next());
                args.clone()
            }
            (None, None) => {
                let before = self.put_empty(Terminator::next());
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
        self.round[target] = Some(node);
        self.work.push(Act::Body(node, block));
        self.open(Some(target));
        self.put(block);
        self.code(block)
    }

    /// The parameters of a block that has lost its edge become copies of what was passed.
    fn drop_params(&mut self, block: Block, args: &Args) {
        let params = std::mem::take(&mut self.asm.block_mut(block).params);
        for (&param, &arg) in params.iter().zip(args.iter()) {
            rebuild::param_to_copy(&mut self.asm, param, arg);
        }
        rebuild::prepend(&mut self.asm, block, params.to_vec());
    }

    /// Gives a block parameters like those of another one.
    fn same_params(&mut self, block: Block, like: Block) -> Args {
        let params = self.asm.body().block(like).params.clone();
        params.iter().map(|&param| rebuild::param_like(&mut self.asm, block, param)).collect()
    }

    /// Opens a labelled block with a block behind it.
    fn wrap(&mut self, behind: Block) {
        if let Some(tail) = self.tail() {
            self.set_terminator(tail, Terminator::next());
        }
        let node = self.new_node();
        self.label[behind] = Some(node);
        self.work.push(Act::Label(node, behind));
        self.open(Some(behind));
        self.put_empty(Terminator::next());
    }

    /// What a block does at its end; the block has been put.
    fn code(&mut self, block: Block) -> Result<(), OutOfScope> {
        let place = self.place;
        let merges = &place.merges[block];
        let exit = std::mem::take(&mut self.asm.block_mut(block).terminator);
        let arms = ways(&exit);
        let own = usize::from(!arms.is_empty());
        for &merge in merges.iter().skip(own).rev() {
            self.wrap(merge);
        }
        let tail = self.tail().unwrap_or(block);
        match exit {
            Terminator::Goto(edge) => self.go(tail, block, edge),
            Terminator::Branch { cond: on, .. } | Terminator::Switch { on, .. } => {
                let is_switch = matches!(exit, Terminator::Switch { .. });
                self.choose(tail, block, on, is_switch, arms, merges.first().copied());
                Ok(())
            }
            Terminator::Next(_)
            | Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Return(_)
            | Terminator::Stop(_) => {
                self.set_terminator(tail, exit);
                Ok(())
            }
        }
    }

    /// Leaves the block at the end of the region by an edge of `from`.
    fn go(&mut self, tail: Block, from: Block, edge: Edge) -> Result<(), OutOfScope> {
        if !self.is_inline(from, edge.to) {
            let exit = self.jump(from, &edge)?;
            self.set_terminator(tail, exit);
            return Ok(());
        }
        if !self.place.is_header(edge.to) {
            // Two blocks in a row: the second one stands behind an empty node.
            self.set_terminator(tail, Terminator::next());
            let node = self.new_node();
            self.open(None);
            self.put_empty(Terminator::Next(edge.args.clone()));
            let body = self.close();
            self.set_node(node, NodeKind::Block { body }, Attrs::None);
            self.here().pending = Some(node);
        }
        self.work.push(Act::Begin(edge));
        Ok(())
    }

    fn is_inline(&self, from: Block, to: Block) -> bool {
        self.place.kind[to] == Kind::Inline && !self.place.is_back(from, to)
    }

    /// The exit that takes an edge from the end of the open region.
    fn jump(&mut self, from: Block, edge: &Edge) -> Result<Terminator, OutOfScope> {
        let back = self.place.is_back(from, edge.to);
        let open = self.here();
        if open.follow == Some(edge.to) {
            open.falls = true;
            return Ok(Terminator::Next(edge.args.clone()));
        }
        if let Some(node) = self.label[edge.to].filter(|_| !back) {
            return Ok(Terminator::Break(node, edge.args.clone()));
        }
        let round = back || self.place.kind[edge.to] == Kind::Continuing;
        match self.round[edge.to].filter(|_| round) {
            Some(node) => Ok(Terminator::Continue(node, edge.args.clone())),
            None => Err(OutOfScope { from, to: edge.to }),
        }
    }

    /// Begins an `if` or a `switch` behind `tail`.
    fn choose(
        &mut self,
        tail: Block,
        from: Block,
        on: Inst,
        is_switch: bool,
        arms: Vec<Way>,
        merge: Option<Block>,
    ) {
        self.set_terminator(tail, Terminator::next());
        let node = self.new_node();
        let behind = match merge {
            Some(merge) => {
                self.label[merge] = Some(node);
                Behind::Merge(merge)
            }
            None => self.behind(from, &arms),
        };
        let (done, open, falls) = (Vec::with_capacity(arms.len()), false, false);
        let choice = Choice { from, node, on, is_switch, arms, done, open, behind, falls };
        self.work.push(Act::Choice(Box::new(choice)));
    }

    /// What stands behind a node whose arms do not meet in a merge block of its own.
    fn behind(&mut self, from: Block, arms: &[Way]) -> Behind {
        if self.attrs[from].meets_nowhere {
            return Behind::Nothing;
        }
        let depth = self.regions.len();
        let follow = self.here().follow;
        let inline = |way: &Way| self.is_inline(from, way.edge.to);
        let goes_on =
            |way: &Way, to: Block| way.edge.to == to || (inline(way) && self.place.leads_to(way.edge.to, to));
        let weight = |way: &Way| if inline(way) { self.place.weight(way.edge.to) } else { 0 };
        let heaviest = || {
            let by_weight = |&at: &usize| weight(&arms[at]);
            Behind::Arm((0..arms.len()).max_by_key(by_weight).unwrap_or(0))
        };
        if let Some(follow) = follow {
            let mut going = (0..arms.len()).filter(|&at| goes_on(&arms[at], follow));
            match (going.next(), going.next()) {
                (Some(one), None) => return Behind::Arm(one),
                (Some(_), Some(_)) if depth > DEEP && arms.iter().filter(|way| inline(way)).count() == 1 => {
                    return heaviest();
                }
                (Some(_), Some(_)) => return Behind::Join(follow),
                (None, _) => {}
            }
        }
        // The same jump at the end of every arm is said once, behind them, if the arms are small.
        let small = |way: &Way| match inline(way) {
            false => Some(way.edge.to),
            true => self.only_target(way.edge.to),
        };
        if let Some(to) = arms.first().and_then(small)
            && arms.len() > 1
            && arms.iter().all(|way| small(way) == Some(to))
        {
            return Behind::Join(to);
        }
        heaviest()
    }

    /// Where a block that dominates no other one goes, if it goes to one block.
    fn only_target(&self, block: Block) -> Option<Block> {
        let Terminator::Goto(edge) = self.asm.body().terminator(block) else { return None };
        (self.place.weight(block) == 1 && !self.place.is_header(block)).then_some(edge.to)
    }

    fn act(&mut self, act: Act) -> Result<(), OutOfScope> {
        match act {
            Act::Begin(edge) => self.begin(edge.to, Some(&edge.args)),
            Act::Choice(choice) => self.choice(choice),
            Act::Label(node, behind) => {
                let body = self.close();
                self.set_node(node, NodeKind::Block { body }, Attrs::None);
                self.label[behind] = None;
                self.here().pending = Some(node);
                self.begin(behind, None)
            }
            Act::Body(node, header) => {
                let body = self.close();
                let Some(target) = self.place.continuing[header] else {
                    self.round[header] = None;
                    return self.behind_loop(node, header, body, None);
                };
                self.round[target] = None;
                self.work.push(Act::Rest(node, header, body));
                self.open(Some(header));
                self.put(target);
                self.code(target)
            }
            Act::Rest(node, header, body) => {
                let continuing = self.close();
                self.behind_loop(node, header, body, Some(continuing))
            }
        }
    }

    fn behind_loop(
        &mut self,
        node: Node,
        header: Block,
        body: Region,
        continuing: Option<Region>,
    ) -> Result<(), OutOfScope> {
        let attrs = self.attrs[header].of_loop.clone();
        self.set_node(node, NodeKind::Loop { body, continuing }, attrs);
        self.here().pending = Some(node);
        match self.place.afters[header].first().copied() {
            Some(after) => {
                self.label[after] = None;
                self.begin(after, None)
            }
            None => {
                self.put_empty(Terminator::default());
                Ok(())
            }
        }
    }

    /// The next arm, or the end of the node.
    fn choice(&mut self, mut choice: Box<Choice>) -> Result<(), OutOfScope> {
        if choice.open {
            choice.falls |= self.here().falls;
            let region = self.close();
            choice.done.push(region);
        }
        let at = choice.done.len();
        let Some(way) = choice.arms.get(at) else { return self.end_choice(*choice) };
        let (from, edge) = (choice.from, way.edge.clone());
        choice.open = true;
        let (follow, stands_behind) = match choice.behind {
            Behind::Merge(merge) => (Some(merge), false),
            Behind::Join(to) => (Some(to), false),
            Behind::Nothing => (None, false),
            Behind::Arm(behind) => (None, behind == at),
        };
        self.work.push(Act::Choice(choice));
        self.open(follow);
        if stands_behind {
            let passes = self.is_inline(from, edge.to) && !self.place.is_header(edge.to);
            let args = if passes { edge.args } else { Args::default() };
            self.put_empty(Terminator::Next(args));
            return Ok(());
        }
        self.edge(from, edge)
    }

    /// Takes an edge where the open region has no block to take it from.
    fn edge(&mut self, from: Block, edge: Edge) -> Result<(), OutOfScope> {
        if self.is_inline(from, edge.to) {
            return self.begin(edge.to, Some(&edge.args));
        }
        let exit = self.jump(from, &edge)?;
        self.put_empty(exit);
        Ok(())
    }

    fn end_choice(&mut self, choice: Choice) -> Result<(), OutOfScope> {
        let Choice { from, node, on, is_switch, arms, done, behind, falls, .. } = choice;
        let kind = match (&done[..], is_switch) {
            (&[then, els], false) => NodeKind::If { cond: on, then, els },
            _ => {
                let arm = |(way, &body): (&Way, &Region)| Arm {
                    values: way.values.clone(),
                    default: way.default,
                    body,
                };
                NodeKind::Switch { on, arms: arms.iter().zip(&done).map(arm).collect() }
            }
        };
        let attrs = self.attrs[from].of_choice.clone();
        self.set_node(node, kind, attrs);
        self.here().pending = Some(node);
        match behind {
            Behind::Merge(merge) => {
                self.label[merge] = None;
                self.begin(merge, None)
            }
            Behind::Arm(at) => match arms.into_iter().nth(at) {
                Some(way) => self.edge(from, way.edge),
                None => Ok(()),
            },
            Behind::Nothing => {
                self.put_empty(Terminator::default());
                Ok(())
            }
            Behind::Join(to) => {
                let block = self.put_empty(Terminator::default());
                if falls {
                    let args = self.same_params(block, to);
                    let exit = self.jump(from, &Edge { to, args })?;
                    self.set_terminator(block, exit);
                }
                Ok(())
            }
        }
    }
}

/// The arms of an exit: edges that lead to one block and pass the same are one arm of a switch.
fn ways(exit: &Terminator) -> Vec<Way> {
    let way = |edge: &Edge| Way { values: Vec::new(), default: false, edge: edge.clone() };
    match exit {
        Terminator::Branch { then, els, .. } => vec![way(then), way(els)],
        Terminator::Switch { cases, default, .. } => {
            let mut arms: Vec<Way> = Vec::new();
            let mut known: FxHashMap<&Edge, usize> = FxHashMap::default();
            let mut arm = |edge, arms: &mut Vec<Way>| {
                *known.entry(edge).or_insert_with(|| {
                    arms.push(way(edge));
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
