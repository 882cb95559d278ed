//! Predicates that are sets of blocks, edges or values, in canonical spelling; and orders.
//!
//! An edge that occurs twice is twice in a set. Refuses facts of unreachable blocks that are not defined for them.

use super::counts::critical_edges;
use super::subject::Subject;
use crate::analysis::{Cfg, Divergence, Dom, EdgeId, Frontiers, Live, Loops};
use crate::ir::Block;
use std::collections::BTreeMap;

/// The members of a set, sorted. Errors: the reason why it is undefined.
pub(super) fn set(subject: &mut Subject, name: &str, args: &[String]) -> Result<Vec<String>, String> {
    let mut found = match args {
        [block] => of_block(subject, name, block)?,
        _ => of_function(subject, name)?,
    };
    found.sort();
    if !matches!(name, "edges-from" | "edges-to" | "all-critical" | "back-edges") {
        found.dedup();
    }
    Ok(found)
}

fn spelled<T: ToString>(items: impl IntoIterator<Item = T>) -> Vec<String> {
    items.into_iter().map(|item| item.to_string()).collect()
}

fn edges(cfg: &Cfg, edges: impl IntoIterator<Item = EdgeId>) -> Vec<String> {
    let one = |edge| {
        let edge = cfg.edge(edge);
        format!("{}->{}", edge.from, edge.to)
    };
    edges.into_iter().map(one).collect()
}

fn of_block(subject: &mut Subject, name: &str, block: &str) -> Result<Vec<String>, String> {
    let cfg = subject.get::<Cfg>();
    // These are defined for unreachable blocks, too.
    match name {
        "successors" => return Ok(spelled(cfg.succs(subject.block(block)?))),
        "predecessors" => return Ok(spelled(cfg.preds(subject.block(block)?))),
        "edges-from" => return Ok(edges(&cfg, cfg.out_edges(subject.block(block)?))),
        "edges-to" => return Ok(edges(&cfg, cfg.in_edges(subject.block(block)?))),
        _ => {}
    }
    let at = subject.reachable(block)?;
    let all = || cfg.rpo().iter().copied();
    Ok(match name {
        "idom" => spelled(subject.get::<Dom>().idom(at)),
        "dominators" => {
            let dom = subject.get::<Dom>();
            spelled(all().filter(|&other| dom.dominates(other, at)))
        }
        "dominated-by" => {
            let dom = subject.get::<Dom>();
            spelled(all().filter(|&other| dom.dominates(at, other)))
        }
        "frontier" => spelled(subject.get::<Frontiers>().of_block(at)),
        "loop-blocks" => {
            let loops = subject.get::<Loops>();
            let of = loops.headed_by(at).ok_or_else(|| format!("{block} is not the header of a loop"))?;
            spelled(loops.members(of))
        }
        "live-in" => {
            let live = subject.get::<Live>();
            spelled(live.live_in(at).chain(live.everywhere().iter().copied()))
        }
        "live-out" => {
            let live = subject.get::<Live>();
            spelled(live.live_out(at).chain(live.everywhere().iter().copied()))
        }
        _ => return Err(format!("`{name}` is not a set of a block")),
    })
}

fn of_function(subject: &mut Subject, name: &str) -> Result<Vec<String>, String> {
    let cfg = subject.get::<Cfg>();
    Ok(match name {
        "loop-headers" => {
            let loops = subject.get::<Loops>();
            spelled(loops.all().map(|of| loops.header(of)))
        }
        "blocks-with-params" => {
            let body = subject.body();
            spelled(cfg.blocks().iter().filter(|&&block| !body.block(block).params.is_empty()))
        }
        "all-unreachable" => spelled(cfg.unreachable()),
        "back-edges" => {
            let loops = subject.get::<Loops>();
            edges(&cfg, loops.all().flat_map(|of| loops.back_edges(of)))
        }
        "all-critical" => edges(&cfg, critical_edges(&cfg)),
        "dom-tree" => {
            let dom = subject.get::<Dom>();
            let parents = cfg.rpo().iter().filter_map(|&block| Some((dom.idom(block)?, block)));
            parents.map(|(parent, block)| format!("{parent}->{block}")).collect()
        }
        "divergent-values" => {
            let divergence = subject.get::<Divergence>();
            spelled(subject.values().into_iter().filter(|&value| !divergence.is_uniform(value)))
        }
        "partial-blocks" => {
            let divergence = subject.get::<Divergence>();
            spelled(cfg.rpo().iter().filter(|&&block| divergence.is_partial(block)))
        }
        _ => return Err(format!("`{name}` is not a set of a function")),
    })
}

/// Judges an order of the reachable blocks. `Ok` holds a sentence; errors: what is wrong with it.
pub(super) fn order(subject: &mut Subject, given: &[String]) -> Result<String, String> {
    let blocks = given.iter().map(|name| subject.reachable(name)).collect::<Result<Vec<Block>, _>>()?;
    let mut position: BTreeMap<Block, usize> = BTreeMap::new();
    for (at, &block) in blocks.iter().enumerate() {
        if position.insert(block, at).is_some() {
            return Err(format!("{block} occurs twice"));
        }
    }
    let cfg = subject.get::<Cfg>();
    if let Some(missing) = cfg.rpo().len().checked_sub(position.len()).filter(|&missing| missing > 0) {
        return Err(format!("{missing} of {} reachable blocks are missing", cfg.rpo().len()));
    }
    let loops = subject.get::<Loops>();
    let back: Vec<EdgeId> = loops.all().flat_map(|of| loops.back_edges(of)).collect();
    for edge in cfg.edges().filter(|edge| !back.contains(edge)) {
        let data = cfg.edge(edge);
        if let (Some(from), Some(to)) = (position.get(&data.from), position.get(&data.to))
            && from >= to
        {
            return Err(format!(
                "{} comes before {}, but an edge leads from {} to {}",
                data.to, data.from, data.from, data.to
            ));
        }
    }
    Ok("each block comes after its predecessors".to_owned())
}
