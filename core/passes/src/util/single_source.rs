//! Removes block parameters that have the same value on every incoming edge.
//!
//! Shared by `copy-prop` and `remove-trivial-params`. Equal values with different ids are left to `cse`.

use super::open::has_params;
use vitrine_analysis::{Analyses, Cfg};
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::ValueType;
use vitrine_ir::{Block, Editor, FuncBody, InsertPoint, Inst, Reason, Refusal, Shape};

/// The maximum number of times that the state of a parameter is lowered.
const MAX_FALLS: u8 = 16;

pub(crate) fn same_place(ed: &Editor<'_>, a: Inst, b: Inst) -> bool {
    let [a, b] = [a, b].map(|path| ed.module().path_type(ed.func(), path));
    a.is_some() && a == b
}

/// The lattice state of a parameter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Known {
    /// No argument has been seen yet.
    Unseen,
    /// The parameter always has this value.
    Is(Inst),
}

/// Removes parameters that always have the same value.
pub(crate) fn params(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    if !has_params(ed.func()) {
        return Ok(());
    }
    let cfg = analyses.get::<Cfg>(ed.module(), ed.id());
    let found = one_source(ed.func(), &cfg);
    let in_tree = matches!(ed.func().shape(), Shape::Tree(_));
    for &block in cfg.rpo() {
        // From the last: the indices of earlier ones remain valid.
        for at in (0..ed.func().block(block).params.len()).rev() {
            let Some(&param) = ed.func().block(block).params.get(at) else { continue };
            let Known::Is(value) = found[param] else { continue };
            if value == param || !may_replace(ed, param, value) {
                continue;
            }
            if in_tree && !ed.is_visible(value, InsertPoint::Start(block)) || !ed.consume_fuel() {
                continue;
            }
            if ed.use_count(param) > 0 {
                ed.replace_uses(param, value, Reason::Note("every edge passes the same value"))?;
            }
            ed.remove_param(block, at, Reason::Note("every edge passes the same value"))?;
        }
    }
    Ok(())
}

fn may_replace(ed: &Editor<'_>, param: Inst, value: Inst) -> bool {
    let ty = ed.func().ty(param);
    ty == ed.func().ty(value) && (ty != ValueType::Path || same_place(ed, param, value))
}

/// For each parameter the one value it can have. Optimistic: a parameter has the value that its arguments agree
/// on until one differs (Wegman and Zadeck's lattice, with values for constants). The state of a parameter is
/// lowered a bounded number of times, so this is linear in the number of arguments; a parameter that reaches
/// the bound is found by the next iteration.
fn one_source(body: &FuncBody, cfg: &Cfg) -> SideTable<Inst, Known> {
    let mut found = SideTable::sized(Known::Unseen, body.tables().insts.len());
    let mut homes: SideTable<Inst, Option<(Block, usize)>> = SideTable::new();
    let mut falls: SideTable<Inst, u8> = SideTable::new();
    // The worklist: parameters affected by a change.
    let mut fed: SideTable<Inst, Vec<Inst>> = SideTable::new();
    let mut work = Vec::new();
    for &block in cfg.rpo() {
        for (at, &param) in body.block(block).params.iter().enumerate() {
            homes[param] = Some((block, at));
            work.push(param);
            for edge in cfg.in_edges(block) {
                let Some(&arg) = cfg.args(body, edge).get(at) else { continue };
                fed[arg].push(param);
            }
        }
    }
    work.reverse();
    while let Some(param) = work.pop() {
        let Some((block, at)) = homes[param] else { continue };
        let mut meet = Known::Unseen;
        for edge in cfg.in_edges(block) {
            let Some(&arg) = cfg.args(body, edge).get(at) else { continue };
            let arg_state = match (homes[arg], found[arg]) {
                (Some(_), known) => known,
                (None, _) => Known::Is(arg),
            };
            meet = match (meet, arg_state) {
                (known, Known::Unseen) | (Known::Unseen, known) => known,
                (Known::Is(a), Known::Is(b)) if a == b => meet,
                (Known::Is(_), Known::Is(_)) => Known::Is(param),
            };
        }
        if found[param] == Known::Is(param) || found[param] == meet {
            continue;
        }
        // The assumed value may change to a parameter with the same value, but only a bounded number of times.
        falls[param] += 1;
        found[param] = if falls[param] < MAX_FALLS { meet } else { Known::Is(param) };
        work.extend(fed[param].iter().copied());
    }
    found
}
