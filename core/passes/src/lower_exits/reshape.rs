//! Normalizes the tree before jumps are lowered: unreachable code is removed, exits that fall through anyway
//! become `next`, code that may not be in a continuing region moves to the end of the body, and break targets
//! become labeled blocks.
//!
//! ```text
//! loop !0 { … continue !0(%a) … } continuing { ^c(%p): … }   =>   loop !0 { block !1 { … break !1(%a) … } ^c(%p): … }
//! if !0 %c { … break !0 … } ^1: …                            =>   block !1 { if !0 %c { … break !1 … } } ^1: …
//! ```

use crate::util::rebuild;
use crate::util::rebuilt::made;
use vitrine_analysis::Cfg;
use vitrine_analysis::exits::caps::{Caps, Label};
use vitrine_analysis::exits::fit::Escapes;
use vitrine_ir::base::{EntitySet, SideTable};
use vitrine_ir::{
    Args, Assembler, Attrs, Block, BlockData, CowVec, Event, Journal, Nesting, Node, NodeData, NodeKind,
    Reason, Region, RegionData, Shape, Stop, Terminator, TreeStep, TreeWalk,
};

/// The reason for a labeled block around the body of a loop, and for its blocks.
const CONTINUES: &str =
    "`continue` leads to the end of the body: it leaves a labeled block around the rest of the body";

/// The reason for a labeled block around an `if`, and for its blocks.
const LABELS: &str = "a `break` leaves the `if`: the target can leave a labeled block, but no `if`";

/// Removes unreachable code: a region ends after a node that is not left.
pub(super) fn prune(asm: &mut Assembler) {
    let Shape::Tree(root) = *asm.body().shape() else { return };
    let cfg = Cfg::of(asm.body());
    let mut work = vec![root];
    while let Some(region) = work.pop() {
        let data = asm.body().region(region).clone();
        if let Some(at) = data.rest.iter().position(|&(_, block)| !cfg.is_reachable(block)) {
            let (_, block) = data.rest[at];
            *asm.block_mut(block) =
                BlockData { terminator: Terminator::Stop(Stop::Unreachable), ..BlockData::default() };
            if at + 1 < data.rest.len() {
                asm.region_mut(region).rest = CowVec::new(data.rest[..=at].to_vec());
            }
        }
        for &(node, _) in asm.body().region(region).rest.clone().iter() {
            let NodeData { kind, attrs } = asm.body().node(node).clone();
            if let NodeKind::Loop { body, continuing: Some(rest) } = kind
                && !cfg.is_reachable(asm.body().region(rest).head)
            {
                asm.put_node(node, NodeData { kind: NodeKind::Loop { body, continuing: None }, attrs });
            }
            work.extend(asm.body().node(node).kind.regions());
        }
    }
}

/// Replaces terminators that fall out of their region anyway by `next`.
pub(super) fn fall_through(asm: &mut Assembler) {
    let body = asm.body().clone();
    for step in TreeWalk::new(&body) {
        let TreeStep::Open(node, at, region) = step else { continue };
        let last = body.region(region).last();
        let is_loop = matches!(body.node(node).kind, NodeKind::Loop { .. });
        let args = match body.terminator(last) {
            Terminator::Break(to, args) if *to == node && !is_loop => args,
            Terminator::Continue(to, args) if *to == node && at == 0 => args,
            _ => continue,
        };
        asm.block_mut(last).terminator = Terminator::Next(args.clone());
    }
}

/// Moves continuing regions that the target does not support to the end of their bodies.
pub(super) fn move_continuing(asm: &mut Assembler, caps: &Caps, journal: &mut Journal) {
    let body = asm.body().clone();
    let nesting = Nesting::of(&body);
    let escapes = Escapes::of(&body, &nesting);
    let continued = continued(&body);
    for step in TreeWalk::new(&body) {
        let TreeStep::Enter(node) = step else { continue };
        let NodeKind::Loop { body: first, continuing } = body.node(node).kind else { continue };
        match continuing {
            Some(rest) if !caps.takes_continuing(&body, rest) || escapes.leave(node, rest, &nesting) => {
                move_to_body(asm, (node, first, rest), &continued[node], journal);
            }
            None if !caps.continues && !continued[node].is_empty() => {
                continue_at_end(asm, node, first, &continued[node], journal);
            }
            Some(_) | None => {}
        }
    }
}

/// Returns the blocks that continue each loop.
fn continued(body: &vitrine_ir::FuncBody) -> SideTable<Node, Vec<Block>> {
    let mut continued: SideTable<Node, Vec<Block>> = SideTable::new();
    for block in body.blocks_in_order() {
        if let Terminator::Continue(node, _) = body.terminator(block) {
            continued[*node].push(block);
        }
    }
    continued
}

fn move_to_body(
    asm: &mut Assembler,
    (node, first, rest): (Node, Region, Region),
    continued: &[Block],
    journal: &mut Journal,
) {
    let tail = asm.body().region(first).last();
    let moved = asm.body().region(rest).clone();
    let attrs = asm.body().node(node).attrs.clone();
    asm.put_node(node, NodeData { kind: NodeKind::Loop { body: first, continuing: None }, attrs });
    if let (Terminator::Next(args), true) = (asm.body().terminator(tail).clone(), continued.is_empty()) {
        return join(asm, first, tail, &args, &moved);
    }
    let block = wrap_body(asm, first, continued, journal);
    let mut items = vec![(block, moved.head)];
    items.extend(moved.rest.iter());
    asm.region_mut(first).rest = CowVec::new(items);
}

/// Appends a region to the end of another one, in the same block.
fn join(asm: &mut Assembler, first: Region, tail: Block, args: &Args, moved: &RegionData) {
    let head = std::mem::take(asm.block_mut(moved.head));
    for (&param, &arg) in head.params.iter().zip(args.iter()) {
        rebuild::param_to_copy(asm, param, arg);
    }
    rebuild::append(asm, tail, &head.params);
    rebuild::append(asm, tail, &head.insts);
    asm.block_mut(tail).terminator = head.terminator;
    std::rc::Rc::make_mut(&mut asm.region_mut(first).rest).extend(moved.rest.iter());
}

/// Without a continuing region: redirects `continue` to the end of the body.
fn continue_at_end(
    asm: &mut Assembler,
    node: Node,
    first: Region,
    continued: &[Block],
    journal: &mut Journal,
) {
    let head = asm.body().region(first).head;
    let models = asm.body().block(head).params.clone();
    let end = rebuild::empty_block(asm, Terminator::default());
    let params: Args = models.iter().map(|&model| rebuild::param_like(asm, end, model)).collect();
    made(journal, end, CONTINUES);
    params.iter().for_each(|&param| made(journal, param, CONTINUES));
    asm.block_mut(end).terminator = Terminator::Next(params);
    let block = wrap_body(asm, first, continued, journal);
    asm.region_mut(first).rest = CowVec::new(vec![(block, end)]);
    debug_assert!(matches!(asm.body().node(node).kind, NodeKind::Loop { continuing: None, .. }));
}

/// Wraps the body of a loop in a labeled block, and turns each `continue` into a `break` of it. The code after it
/// is left to the caller.
fn wrap_body(asm: &mut Assembler, first: Region, continued: &[Block], journal: &mut Journal) -> Node {
    let old = asm.body().region(first).clone();
    let params = std::mem::take(&mut asm.block_mut(old.head).params);
    let head = asm.add_block(BlockData { params, terminator: Terminator::next(), ..BlockData::default() });
    let body = asm.add_region(old);
    let block = asm.add_node(NodeData { kind: NodeKind::Block { body }, attrs: Attrs::None });
    made(journal, head, CONTINUES);
    made(journal, block, CONTINUES);
    for &from in continued {
        if let Terminator::Continue(_, args) = asm.body().terminator(from).clone() {
            asm.block_mut(from).terminator = Terminator::Break(block, args);
        }
    }
    *asm.region_mut(first) = RegionData::new(head);
    block
}

/// Wraps every `if` with breaks in a labeled block.
pub(super) fn label_ifs(asm: &mut Assembler, caps: &Caps, journal: &mut Journal) {
    if caps.label == Label::Flags {
        return;
    }
    let body = asm.body().clone();
    let nesting = Nesting::of(&body);
    let mut breaks: SideTable<Node, Vec<Block>> = SideTable::new();
    let mut falls_through: EntitySet<Node> = EntitySet::new();
    let mut ifs = Vec::new();
    for step in TreeWalk::new(&body) {
        match step {
            TreeStep::Open(node, ..) if !matches!(body.node(node).kind, NodeKind::If { .. }) => {}
            TreeStep::Open(node, _, region) => {
                if matches!(body.terminator(body.region(region).last()), Terminator::Next(_)) {
                    falls_through.insert(node);
                }
            }
            TreeStep::Block(block) => {
                let Terminator::Break(node, _) = body.terminator(block) else { continue };
                if matches!(body.node(*node).kind, NodeKind::If { .. }) {
                    if breaks[*node].is_empty() {
                        ifs.push(*node);
                    }
                    breaks[*node].push(block);
                }
            }
            TreeStep::Enter(_) | TreeStep::Leave(_) => {}
        }
    }
    for node in ifs {
        let (Some(place), Some(after)) = (nesting.node(node), nesting.after(&body, node)) else { continue };
        let block = label(asm, node, after, falls_through.contains(node), journal);
        if let Some(item) =
            std::rc::Rc::make_mut(&mut asm.region_mut(place.region).rest).get_mut(place.at - 1)
        {
            item.0 = block;
        }
        for &from in &breaks[node] {
            if let Terminator::Break(_, args) = asm.body().terminator(from).clone() {
                asm.block_mut(from).terminator = Terminator::Break(block, args);
                journal.push(Event::Control(from.into()), Reason::Note(LABELS));
            }
        }
    }
}

/// Creates a labeled block that contains a node.
fn label(asm: &mut Assembler, node: Node, after: Block, falls_through: bool, journal: &mut Journal) -> Node {
    let head = rebuild::empty_block(asm, Terminator::next());
    let after_node = rebuild::empty_block(asm, Terminator::default());
    if falls_through {
        let models = asm.body().block(after).params.clone();
        let params: Args = models.iter().map(|&model| rebuild::param_like(asm, after_node, model)).collect();
        params.iter().for_each(|&param| made(journal, param, LABELS));
        asm.block_mut(after_node).terminator = Terminator::Next(params);
    }
    [head, after_node].into_iter().for_each(|block| made(journal, block, LABELS));
    let body = asm.add_region(RegionData { head, rest: CowVec::new(vec![(node, after_node)]) });
    let block = asm.add_node(NodeData { kind: NodeKind::Block { body }, attrs: Attrs::None });
    made(journal, block, LABELS);
    block
}
