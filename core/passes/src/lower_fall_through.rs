//! `lower-fall-through`: moves code that several arms of a switch share into one arm.
//!
//! ```text
//! block !0 {                                       switch !1 %n {
//!   switch !1 %n {                                   case 0, 1 {
//!     case 0 { … next(%a) }                            switch !2 %n {
//!     case 1 { next(%b) }                                case 0 { … next(%a) }
//!     default { break !0(%c) }                 =>        default { next(%b) }
//!   }                                                  }
//! ^1(%s):  … next(%d)                                ^1(%s):  … next(%d)
//! }                                                  }
//!                                                    default { next(%c) }
//!                                                  }
//! ^2(%t): …                                        ^2(%t): …
//! ```
//!
//! An arm that falls through to the next one shares its code. `structurize` puts such code after the switch, in a labeled block
//! that the other arms break out of: one more level for each fall-through. Here the arms that reach the code become one arm,
//! which tests the selector again if they are several, and the labeled block is removed. This repeats for the code after the
//! block, so that the nesting depends on how long a chain of arms is, and not on the number of chains.
//!
//! Instructions keep their order on every path. Unchanged: a block with more in it than a switch and one block after it; code
//! whose values are used after it; code that all arms reach. NIR has no switch.

use super::pass::{PassInfo, RunFn, nothing};
use crate::util::rebuild;
use crate::util::rebuilt::{Change, Rebuilt};
use std::rc::Rc;
use vitrine_ir::base::opening::opening;
use vitrine_ir::base::{EntitySet, SideTable};
use vitrine_ir::{
    Anchor, Arm, Assembler, Attrs, Block, CowVec, Diag, Editor, Event, Func, FuncBody, Inst, Journal, Module,
    Node, NodeData, NodeKind, Region, RegionData, Shape, Terminator, TreeStep, TreeWalk,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Moves code that several arms of a switch share into one arm.",
    reason,
    ..PassInfo::new(
        "lower-fall-through",
        opening!("lower_fall_through.rs"),
        RunFn::Rebuilds(|module, func, _| nothing(lower_fall_through(module, func))),
    )
};

/// Moves the shared code of all switches of a function; returns the number of labeled blocks that were removed. Near linear;
/// idempotent; graphs are unchanged.
///
/// Error: `P101` no such function.
fn lower_fall_through(module: &mut Module, func: Func) -> Result<u32, Diag> {
    let Some(body) = module.func(func) else {
        return Err(Diag::error("P101", Anchor::Func(func)).says(format!("function {func} does not exist")));
    };
    let Shape::Tree(root) = *body.shape() else { return Ok(0) };
    let body = body.clone();
    let mut mover = Mover::of(&body);
    if !mover.switches.iter().any(|&switch| mover.label(switch).is_some()) {
        return Ok(0);
    }
    for switch in std::mem::take(&mut mover.switches) {
        mover.switch(switch);
    }
    if mover.count > 0 {
        mover.asm.tree(root);
        Editor::replace_body(module, func, mover.asm.finish(), Journal::new());
    }
    Ok(mover.count)
}

/// The reason for a difference between the versions.
fn reason(rebuilt: &Rebuilt<'_>, event: Event) -> Option<&'static str> {
    Some(match rebuilt.change(event)? {
        Change::NewNode(NodeKind::Switch { .. }) => {
            "several arms reach the shared code: the new arm tests the selector again"
        }
        Change::NewNode(_) => "the arm may jump to the shared code, which now follows in the same arm",
        Change::GoneNode(_) => "no arm skips the shared code any more: it is in an arm of the switch",
        Change::ChangedNode => "the arms that reach the shared code are one arm",
        Change::MovedNode => "it moves with the shared code, or out of the removed labeled block",
        Change::NewBlock => "the new arm begins with a test, and ends with the shared code",
        Change::GoneBlock => "its code continues another block on the only path to it",
        Change::ChangedBlock(old, new) => match (&old.terminator, &new.terminator) {
            (Terminator::Break(..), Terminator::Break(..)) => {
                "it leaves another construct, after which its path continues"
            }
            (Terminator::Break(..), _) => "the shared code or the end of the arm follows, without a jump",
            (_, Terminator::Break(..)) => "the shared code is in an arm, and leaves the switch",
            (_, _) => "the shared code follows in the same block",
        },
        Change::MovedBlock => "it moves with the shared code, or out of the removed labeled block",
        Change::ChangedInst(..) => {
            "a single arm reaches the shared code: the parameter is the value that it passes"
        }
        Change::MovedInst => "its code continues another block on the only path to it",
        Change::NewInst(_) | Change::GoneInst(_) => return None,
    })
}

/// The function under construction, and the facts about its tree.
struct Mover {
    asm: Assembler,
    /// The switches, inner ones first.
    switches: Vec<Node>,
    /// The blocks that break out of a node.
    breaks: SideTable<Node, Vec<Block>>,
    /// The region of a node.
    region: SideTable<Node, Option<Region>>,
    /// The node of a region.
    owner: SideTable<Region, Option<Node>>,
    /// The region of a block.
    of_block: SideTable<Block, Option<Region>>,
    /// Values with a use in another block.
    outside: EntitySet<Inst>,
    count: u32,
}

/// An arm under construction: its number is that of the first of the arms that it consists of.
struct Arms {
    list: Vec<(usize, Arm)>,
    /// The number of the arm that an arm became a part of, or its own.
    part_of: Vec<usize>,
}

impl Arms {
    fn current(&self, mut at: usize) -> usize {
        while let Some(&next) = self.part_of.get(at).filter(|&&next| next != at) {
            at = next;
        }
        at
    }
}

impl Mover {
    fn of(body: &FuncBody) -> Mover {
        let mut mover = Mover {
            asm: rebuild::copy(body),
            switches: Vec::new(),
            breaks: SideTable::new(),
            region: SideTable::with_default(None),
            owner: SideTable::with_default(None),
            of_block: SideTable::with_default(None),
            outside: EntitySet::new(),
            count: 0,
        };
        let mut regions: Vec<Region> = Vec::new();
        if let Shape::Tree(root) = *body.shape() {
            regions.push(root);
        }
        let mut blocks = Vec::new();
        for step in TreeWalk::new(body) {
            match step {
                TreeStep::Open(node, _, region) => {
                    mover.owner[region] = Some(node);
                    regions.push(region);
                }
                TreeStep::Leave(node) if matches!(body.node(node).kind, NodeKind::Switch { .. }) => {
                    mover.switches.push(node);
                }
                TreeStep::Leave(_) | TreeStep::Enter(_) => {}
                TreeStep::Block(block) => {
                    blocks.push(block);
                    if let Terminator::Break(node, _) = body.terminator(block) {
                        mover.breaks[*node].push(block);
                    }
                }
            }
        }
        for region in regions {
            let data = body.region(region);
            for block in data.blocks() {
                mover.of_block[block] = Some(region);
            }
            for &(node, _) in data.rest.iter() {
                mover.region[node] = Some(region);
            }
        }
        let mut home: SideTable<Inst, Option<Block>> = SideTable::with_default(None);
        for &block in &blocks {
            let data = body.block(block);
            for &inst in data.params.iter().chain(data.insts.iter()) {
                home[inst] = Some(block);
            }
        }
        for &block in &blocks {
            let mut used = |value: Inst| {
                if home[value] != Some(block) {
                    mover.outside.insert(value);
                }
            };
            for &inst in body.block(block).insts.iter() {
                body.inst(inst).args.iter().for_each(|&arg| used(arg));
            }
            body.terminator(block).for_each_use(&mut used);
            // The operand of a node is used in the block before it.
            let Some(region) = mover.of_block[block] else { continue };
            if body.region(region).last() != block {
                for &(node, _) in body.region(region).rest.iter() {
                    if let Some(value) = body.node(node).kind.operand() {
                        mover.outside.insert(value);
                    }
                }
            }
        }
        mover
    }

    /// The labeled block that consists of a switch and the block after it, and that block.
    fn label(&self, switch: Node) -> Option<(Node, Region, Block)> {
        let region = self.region[switch]?;
        let label = self.owner[region]?;
        let body = self.asm.body();
        let is_label = matches!(body.node(label).kind, NodeKind::Block { .. });
        let data = body.region(region);
        let &[(node, after)] = &data.rest[..] else { return None };
        let has_params = !body.block(data.head).params.is_empty();
        (is_label && node == switch && !has_params && !self.breaks[label].is_empty())
            .then_some((label, region, after))
    }

    fn switch(&mut self, switch: Node) {
        let NodeKind::Switch { on, arms } = self.asm.body().node(switch).kind.clone() else { return };
        let mut arms =
            Arms { part_of: (0..arms.len()).collect(), list: arms.iter().cloned().enumerate().collect() };
        // The arm that each region is in.
        let mut arm_of: SideTable<Region, Option<usize>> = SideTable::with_default(None);
        let mut work: Vec<(usize, Region)> = arms.list.iter().map(|(at, arm)| (*at, arm.body)).collect();
        while let Some((at, region)) = work.pop() {
            arm_of[region] = Some(at);
            for &(node, _) in self.asm.body().region(region).rest.iter() {
                work.extend(self.asm.body().node(node).kind.regions().into_iter().map(|inner| (at, inner)));
            }
        }
        while let Some((label, region, after)) = self.label(switch) {
            let arm_at = |this: &Mover, block: Block| Some(arms.current(arm_of[this.of_block[block]?]?));
            let mut reached: Vec<usize> = Vec::new();
            for (at, arm) in &arms.list {
                let last = self.asm.body().region(arm.body).last();
                if matches!(self.asm.body().terminator(last), Terminator::Next(_)) {
                    reached.push(*at);
                }
            }
            reached.extend(self.breaks[switch].iter().filter_map(|&block| arm_at(self, block)));
            reached.sort_unstable();
            reached.dedup();
            // Another arm leaves the label, so that no value of the code reaches what follows.
            let others = self.breaks[label].iter().filter_map(|&block| arm_at(self, block));
            if !others.into_iter().any(|at| !reached.contains(&at)) {
                break;
            }
            let data = self.asm.body().block(after);
            if data.params.iter().chain(data.insts.iter()).any(|&value| self.outside.contains(value)) {
                break;
            }
            if !reached.is_empty() {
                let (merged, body, end) = self.merged(switch, on, after, &mut arms, &reached);
                arm_of[body] = Some(merged);
                self.of_block[end] = Some(body);
                match self.asm.body().terminator(end).clone() {
                    Terminator::Next(args) => {
                        self.asm.block_mut(end).terminator = Terminator::Break(label, args);
                        self.breaks[label].push(end);
                    }
                    Terminator::Break(to, _) if end != after => self.breaks[to].push(end),
                    _ => {}
                }
            }
            self.unwrap(switch, label, region);
            self.count += 1;
        }
        let NodeData { attrs, .. } = self.asm.body().node(switch).clone();
        let arms: Rc<[Arm]> = arms.list.into_iter().map(|(_, arm)| arm).collect();
        self.fall_out(switch, &arms);
        self.asm.put_node(switch, NodeData { kind: NodeKind::Switch { on, arms }, attrs });
    }

    /// Lets arms fall out of a node that break out of it at their end.
    fn fall_out(&mut self, node: Node, arms: &[Arm]) {
        for arm in arms {
            let last = self.asm.body().region(arm.body).last();
            if let Terminator::Break(to, args) = self.asm.body().terminator(last).clone()
                && to == node
            {
                self.asm.block_mut(last).terminator = Terminator::Next(args);
            }
        }
    }

    /// Makes one arm of those that reach the code after a switch; returns its number, its region and its last block.
    fn merged(
        &mut self,
        switch: Node,
        on: Inst,
        after: Block,
        arms: &mut Arms,
        reached: &[usize],
    ) -> (usize, Region, Block) {
        let first = reached.first().copied().unwrap_or_default();
        if let (&[only], Some((_, arm))) = (reached, arms.list.iter().find(|(at, _)| *at == first)) {
            let (body, last) = (arm.body, self.asm.body().region(arm.body).last());
            let jumps = self.breaks[switch].iter().filter(|&&block| block != last).count();
            if let (0, Terminator::Next(args) | Terminator::Break(_, args)) =
                (jumps, self.asm.body().terminator(last).clone())
            {
                self.breaks[switch].clear();
                self.append(last, after, &args);
                return (only, body, last);
            }
        }
        let is_reached = |at: &usize| reached.contains(at);
        let own: Vec<Arm> =
            arms.list.iter().filter(|(at, _)| is_reached(at)).map(|(_, arm)| arm.clone()).collect();
        let default = own.iter().any(|arm| arm.default);
        let values: Vec<u64> = own.iter().flat_map(|arm| arm.values.iter().copied()).collect();
        let inner = match &own[..] {
            [only] => NodeKind::Block { body: only.body },
            _ => {
                let mut own = own.clone();
                if let (false, Some(last)) = (default, own.last_mut()) {
                    *last = Arm { values: Vec::new(), default: true, body: last.body };
                }
                NodeKind::Switch { on, arms: own.into() }
            }
        };
        let inner = self.asm.add_node(NodeData { kind: inner, attrs: Attrs::None });
        let head = rebuild::empty_block(&mut self.asm, Terminator::next());
        let body = self.asm.add_region(RegionData { head, rest: CowVec::new(vec![(inner, after)]) });
        self.region[inner] = Some(body);
        self.owner[body] = Some(switch);
        for arm in &own {
            self.owner[arm.body] = Some(inner);
        }
        for block in std::mem::take(&mut self.breaks[switch]) {
            if let Terminator::Break(_, args) = self.asm.body().terminator(block).clone() {
                self.asm.block_mut(block).terminator = Terminator::Break(inner, args);
                self.breaks[inner].push(block);
            }
        }
        self.fall_out(inner, &own);
        let place = arms.list.iter().position(|(at, _)| *at == first).unwrap_or_default();
        arms.list.retain(|(at, _)| !is_reached(at));
        let values = if default { Vec::new() } else { values };
        arms.list.insert(place.min(arms.list.len()), (first, Arm { values, default, body }));
        for &at in reached {
            if let Some(slot) = arms.part_of.get_mut(at) {
                *slot = first;
            }
        }
        (first, body, after)
    }

    /// Appends a block to the end of another one that passes it these values.
    fn append(&mut self, last: Block, after: Block, args: &[Inst]) {
        let data = std::mem::take(self.asm.block_mut(after));
        for (&param, &arg) in data.params.iter().zip(args) {
            rebuild::param_to_copy(&mut self.asm, param, arg);
        }
        rebuild::append(&mut self.asm, last, &data.params);
        rebuild::append(&mut self.asm, last, &data.insts);
        self.asm.block_mut(last).terminator = data.terminator;
    }

    /// Replaces a label by the switch in it.
    fn unwrap(&mut self, switch: Node, label: Node, region: Region) {
        let Some(outer) = self.region[label] else { return };
        let head = std::mem::take(self.asm.block_mut(self.asm.body().region(region).head));
        let data = self.asm.body().region(outer).clone();
        let Some(at) = data.rest.iter().position(|&(node, _)| node == label) else { return };
        let before =
            at.checked_sub(1).and_then(|at| data.rest.get(at)).map_or(data.head, |&(_, block)| block);
        rebuild::append(&mut self.asm, before, &head.insts);
        if let Some(item) = Rc::make_mut(&mut self.asm.region_mut(outer).rest).get_mut(at) {
            item.0 = switch;
        }
        self.region[switch] = Some(outer);
        for block in std::mem::take(&mut self.breaks[label]) {
            if let Terminator::Break(_, args) = self.asm.body().terminator(block).clone() {
                self.asm.block_mut(block).terminator = Terminator::Break(switch, args);
                self.breaks[switch].push(block);
            }
        }
    }
}
