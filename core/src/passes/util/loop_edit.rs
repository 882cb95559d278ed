//! Loops of one region, for passes that copy rounds: without a continuing region and without `continue`.
//!
//! Decides nothing about which loops that is good for.

use crate::ir::{
    Block, Editor, InsertPoint, Inst, Node, NodeKind, Reason, Refusal, Region, Site, Terminator, TreeStep,
    TreeWalk,
};
use crate::ops::{Op, ValueType};
use rustc_hash::{FxHashMap, FxHashSet};

const WHY: Reason = Reason::Note("the continuing region moves to the end of the body");

/// Lets a loop have one region and no `continue`. Whether it has: not so where what every round ends with reads a
/// resource that the round chose, which no parameter can hand on. Linear in the loop.
pub(in crate::passes) fn in_one_region(ed: &mut Editor<'_>, node: Node) -> Result<bool, Refusal> {
    let NodeKind::Loop { body, continuing } = ed.func().node(node).kind else { return Ok(false) };
    if let Some(second) = continuing
        && !ed.continues_of(node).is_empty()
        && !hand_on(ed, body, second)?
    {
        return Ok(false);
    }
    ed.fold_continuing(node, WHY)?;
    Ok(true)
}

/// Blocks of a region, those inside its nodes too.
pub(in crate::passes) fn blocks_of(ed: &Editor<'_>, region: Region) -> Vec<Block> {
    let block = |step| match step {
        TreeStep::Block(block) => Some(block),
        TreeStep::Enter(_) | TreeStep::Open(..) | TreeStep::Leave(_) => None,
    };
    TreeWalk::of_region(ed.func(), region).filter_map(block).collect()
}

/// What a continuing region reads of the body comes by parameters; paths are computed again. Whether all of it could.
fn hand_on(ed: &mut Editor<'_>, body: Region, second: Region) -> Result<bool, Refusal> {
    let mut inside: FxHashSet<Inst> = FxHashSet::default();
    for block in blocks_of(ed, body) {
        let data = ed.func().block(block);
        inside.extend(data.params.iter().chain(data.insts.iter()));
    }
    // What the round begins with stays in sight.
    for param in ed.func().block(ed.func().region(body).head).params.iter() {
        inside.remove(param);
    }
    let sites = sites_of(ed, second);
    let read: Vec<Inst> = reads(ed, second).into_iter().filter(|value| inside.contains(value)).collect();
    let Some((paths, values)) = sorted(ed, &read, &inside) else { return Ok(false) };
    let head = ed.func().region(second).head;
    let mut new: FxHashMap<Inst, Inst> = FxHashMap::default();
    for value in values {
        let ty = ed.func().ty(value);
        new.insert(value, ed.add_param_with(head, ty, |_| value, WHY)?);
    }
    // Each in front of the one before would turn them round: behind the last.
    let mut at = InsertPoint::Start(head);
    for path in paths {
        let mut data = ed.func().inst(path).clone();
        data.args = data.args.map(|arg| new.get(&arg).copied().unwrap_or(arg));
        let copy = ed.insert(at, data, WHY)?;
        at = InsertPoint::After(copy);
        new.insert(path, copy);
    }
    for old in read {
        if let Some(&new) = new.get(&old) {
            ed.replace_uses_where(old, new, |place| sites.contains(&place.site()), WHY)?;
        }
    }
    Ok(true)
}

/// The paths to compute again, operands first, and the values to hand on; none if there is something else.
fn sorted(ed: &Editor<'_>, read: &[Inst], inside: &FxHashSet<Inst>) -> Option<(Vec<Inst>, Vec<Inst>)> {
    let (mut paths, mut values) = (Vec::new(), Vec::new());
    let mut seen: FxHashSet<Inst> = FxHashSet::default();
    let mut work: Vec<(Inst, bool)> = read.iter().rev().map(|&value| (value, false)).collect();
    while let Some((value, ready)) = work.pop() {
        if ready {
            paths.push(value);
            continue;
        }
        if !inside.contains(&value) || !seen.insert(value) {
            continue;
        }
        let data = ed.func().inst(value);
        match data.ty {
            ValueType::Bits { .. } | ValueType::Ptr => values.push(value),
            ValueType::Path if matches!(data.op, Op::Deref(_)) => {
                work.push((value, true));
                work.extend(data.args.iter().map(|&arg| (arg, false)));
            }
            ValueType::Path | ValueType::Handle | ValueType::Void => return None,
        }
    }
    Some((paths, values))
}

/// Every value a region reads, in order, each once.
fn reads(ed: &Editor<'_>, region: Region) -> Vec<Inst> {
    let mut seen: FxHashSet<Inst> = FxHashSet::default();
    let mut list = Vec::new();
    let mut read = |value: Inst| {
        if seen.insert(value) {
            list.push(value);
        }
    };
    let func = ed.func();
    for step in TreeWalk::of_region(func, region) {
        match step {
            TreeStep::Enter(node) => func.node(node).kind.operand().into_iter().for_each(&mut read),
            TreeStep::Block(block) => {
                let insts = func.block(block).insts.iter();
                insts.flat_map(|&inst| func.inst(inst).args.iter()).copied().for_each(&mut read);
                func.terminator(block).for_each_use(&mut read);
            }
            TreeStep::Open(..) | TreeStep::Leave(_) => {}
        }
    }
    list
}

/// Everything in a region that reads.
fn sites_of(ed: &Editor<'_>, region: Region) -> FxHashSet<Site> {
    let func = ed.func();
    let mut sites: FxHashSet<Site> = FxHashSet::default();
    for step in TreeWalk::of_region(func, region) {
        match step {
            TreeStep::Enter(node) => drop(sites.insert(node.into())),
            TreeStep::Block(block) => {
                sites.insert(block.into());
                sites.extend(func.block(block).insts.iter().map(|&inst| Site::from(inst)));
            }
            TreeStep::Open(..) | TreeStep::Leave(_) => {}
        }
    }
    sites
}

/// Whether a block leaves with `next`.
pub(in crate::passes) fn falls(ed: &Editor<'_>, block: Block) -> bool {
    matches!(ed.func().terminator(block), Terminator::Next(_))
}
