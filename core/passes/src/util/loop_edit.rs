//! Loops with a single region, for passes that copy iterations: no continuing region and no `continue`.
//!
//! Does not decide which loops to transform.

use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::ops::{Op, ValueType};
use vitrine_ir::{
    Block, Editor, InsertPoint, Inst, Node, NodeKind, Reason, Refusal, Region, Site, Terminator, TreeStep,
    TreeWalk,
};

const WHY: Reason = Reason::Note("the continuing region moves to the end of the body");

/// Rewrites a loop to have one region and no `continue`. Returns false if the continuing region uses a resource
/// that the body selects, because a resource cannot be passed as a parameter. Linear in the loop.
pub(crate) fn in_one_region(ed: &mut Editor<'_>, node: Node) -> Result<bool, Refusal> {
    let NodeKind::Loop { body, continuing } = ed.func().node(node).kind else { return Ok(false) };
    if let Some(second) = continuing
        && !ed.continues_of(node).is_empty()
        && !pass_values(ed, body, second)?
    {
        return Ok(false);
    }
    ed.fold_continuing(node, WHY)?;
    Ok(true)
}

/// The blocks of a region, including those inside its nodes.
pub(crate) fn blocks_of(ed: &Editor<'_>, region: Region) -> Vec<Block> {
    let block = |step| match step {
        TreeStep::Block(block) => Some(block),
        TreeStep::Enter(_) | TreeStep::Open(..) | TreeStep::Leave(_) => None,
    };
    TreeWalk::of_region(ed.func(), region).filter_map(block).collect()
}

/// Passes the values that a continuing region uses from the body as parameters, and recomputes paths. Returns
/// true if all could be passed.
fn pass_values(ed: &mut Editor<'_>, body: Region, second: Region) -> Result<bool, Refusal> {
    let mut inside: FxHashSet<Inst> = FxHashSet::default();
    for block in blocks_of(ed, body) {
        let data = ed.func().block(block);
        inside.extend(data.params.iter().chain(data.insts.iter()));
    }
    // Values of the loop's first block remain visible.
    for param in ed.func().block(ed.func().region(body).head).params.iter() {
        inside.remove(param);
    }
    let sites = sites_of(ed, second);
    let read: Vec<Inst> = reads(ed, second).into_iter().filter(|value| inside.contains(value)).collect();
    let Some((paths, values)) = classify(ed, &read, &inside) else { return Ok(false) };
    let head = ed.func().region(second).head;
    let mut new: FxHashMap<Inst, Inst> = FxHashMap::default();
    for value in values {
        let ty = ed.func().ty(value);
        new.insert(value, ed.add_param_with(head, ty, |_| value, WHY)?);
    }
    // Inserting each before the previous one would reverse the order: insert after the last.
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

/// The paths to recompute, operands first, and the values to pass; none if there is anything else.
fn classify(ed: &Editor<'_>, read: &[Inst], inside: &FxHashSet<Inst>) -> Option<(Vec<Inst>, Vec<Inst>)> {
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

/// Every value that a region uses, in order, without duplicates.
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

/// Every site in a region that has operands.
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

/// Returns true if a block's terminator is `next`.
pub(crate) fn falls(ed: &Editor<'_>, block: Block) -> bool {
    matches!(ed.func().terminator(block), Terminator::Next(_))
}
