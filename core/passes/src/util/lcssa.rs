//! Loop-closed SSA: a value that leaves a node leaves it as a block parameter. For passes that copy nodes or
//! add edges to the code after them.
//!
//! A value defined inside a node may be used after the node if it is computed on every path there. This code
//! adds a parameter to the block after the node, or to the first block of the continuing region, and the uses
//! there refer to the parameter. Paths are recomputed at their uses. Resources cannot be passed as parameters
//! and are unchanged.

use super::open::in_order;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_analysis::{Analyses, Cfg};
use vitrine_ir::Shape;
use vitrine_ir::ops::{Op, ValueType};
use vitrine_ir::{Block, Editor, InsertPoint, Inst, Node, Reason, Refusal, Region, Use};

const WHY: Reason = Reason::Note("the value leaves its node as a block parameter");

/// Adds the parameters, and remembers those it has added.
#[derive(Default)]
pub(crate) struct Closing {
    params: FxHashMap<(Inst, Block), Inst>,
}

impl Closing {
    /// Replaces the uses of a value that `which` selects by parameters. Returns true if all of them could be
    /// replaced.
    ///
    /// `O(depth)` for each use and for each edge out of each node that the value leaves.
    pub(crate) fn value(
        &mut self,
        ed: &mut Editor<'_>,
        value: Inst,
        which: impl Fn(&Editor<'_>, Use) -> bool,
    ) -> Result<bool, Refusal> {
        let Some(home) = ed.block_of(value) else { return Ok(true) };
        let mut all = true;
        let mut work: Vec<Use> = ed.uses(value).filter(|&place| which(ed, place)).collect();
        work.reverse();
        while let Some(place) = work.pop() {
            let Some((block, at)) = place_of(ed, place) else { continue };
            if block == home || ed.read_by(place) != Some(value) || ed.is_visible(value, at) {
                continue;
            }
            let Some(meeting) = meeting(ed, home, block) else { continue };
            match ed.func().ty(value) {
                // A texel with its residency code is not a value that a target can pass as a parameter.
                ValueType::Bits { components: 5, .. } => all = false,
                ValueType::Bits { .. } | ValueType::Ptr => {
                    let (param, new) = self.param(ed, value, meeting)?;
                    ed.replace_use(place, param, WHY)?;
                    work.extend(new);
                }
                ValueType::Path if matches!(ed.func().inst(value).op, Op::Deref(_)) => {
                    all &= self.recompute_path(ed, value, place, block)?;
                }
                ValueType::Path | ValueType::Handle | ValueType::Void => all = false,
            }
        }
        Ok(all)
    }

    /// The parameter of a block that receives a value, and the edge arguments that pass the value to it.
    fn param(&mut self, ed: &mut Editor<'_>, value: Inst, to: Block) -> Result<(Inst, Vec<Use>), Refusal> {
        if let Some(&param) = self.params.get(&(value, to)) {
            return Ok((param, Vec::new()));
        }
        let before: FxHashSet<Use> = ed.uses(value).collect();
        let param = ed.add_param_with(to, ed.func().ty(value), |_| value, WHY)?;
        self.params.insert((value, to), param);
        Ok((param, ed.uses(value).filter(|place| !before.contains(place)).collect()))
    }

    /// Recomputes a path before its use, operands first.
    fn recompute_path(
        &mut self,
        ed: &mut Editor<'_>,
        path: Inst,
        place: Use,
        block: Block,
    ) -> Result<bool, Refusal> {
        let mut chain = vec![path];
        // From the end of the path to its start, as far as it is not visible.
        let at = |ed: &Editor<'_>| place_of(ed, place).map_or(InsertPoint::End(block), |(_, at)| at);
        while let Some(&last) = chain.last() {
            let base = ed.func().inst(last).args.first().copied();
            let Some(base) = base.filter(|&base| ed.func().ty(base) == ValueType::Path) else { break };
            if ed.is_visible(base, at(ed)) {
                break;
            }
            if !matches!(ed.func().inst(base).op, Op::Deref(_)) || chain.len() > LONGEST_PATH {
                return Ok(false);
            }
            chain.push(base);
        }
        let mut new: Option<Inst> = None;
        let mut all = true;
        for old in chain.into_iter().rev() {
            let mut data = ed.func().inst(old).clone();
            if let Some(base) = new {
                let mut first = true;
                data.args = data.args.map(|arg| if std::mem::take(&mut first) { base } else { arg });
            }
            let copy = ed.insert(at(ed), data, WHY)?;
            // Indices are ordinary values.
            for &arg in ed.func().inst(copy).args.clone().iter() {
                if ed.func().ty(arg) != ValueType::Path && Some(arg) != new {
                    all &= self.index(ed, arg, copy)?;
                }
            }
            new = Some(copy);
        }
        if let Some(new) = new {
            ed.replace_use(place, new, WHY)?;
        }
        Ok(all)
    }

    /// Adds parameters for an operand of a recomputed path.
    fn index(&mut self, ed: &mut Editor<'_>, value: Inst, reader: Inst) -> Result<bool, Refusal> {
        let (Some(home), Some(block)) = (ed.block_of(value), ed.block_of(reader)) else { return Ok(true) };
        if home == block || ed.is_visible(value, InsertPoint::Before(reader)) {
            return Ok(true);
        }
        let Some(to) = meeting(ed, home, block) else { return Ok(true) };
        if !matches!(ed.func().ty(value), ValueType::Bits { .. }) {
            return Ok(false);
        }
        let (param, _) = self.param(ed, value, to)?;
        ed.replace_uses_where(value, param, |place| place.site() == reader.into(), WHY)?;
        Ok(true)
    }
}

/// The maximum number of path steps that are recomputed.
const LONGEST_PATH: usize = 64;

/// The block and the position of a use.
pub(crate) fn place_of(ed: &Editor<'_>, place: Use) -> Option<(Block, InsertPoint)> {
    match place {
        Use::Arg(inst, _) => Some((ed.block_of(inst)?, InsertPoint::Before(inst))),
        Use::Terminator(block, _) => Some((block, InsertPoint::End(block))),
        Use::Node(node) => ed.block_before(node).map(|block| (block, InsertPoint::End(block))),
    }
}

/// The first block that every path passes between `from` and the block `to` that does not see it: the block
/// after the outermost node around `from` alone, or the head of a continuing region that contains `to`.
fn meeting(ed: &Editor<'_>, from: Block, to: Block) -> Option<Block> {
    let mut around: FxHashMap<Region, Option<Node>> = FxHashMap::default();
    let (mut region, mut inner) = (ed.region_of(from)?, None);
    loop {
        around.insert(region, inner);
        let Some(owner) = ed.owner_of(region) else { break };
        inner = Some(owner);
        region = ed.block_before(owner).and_then(|before| ed.region_of(before))?;
    }
    let mut at = ed.region_of(to)?;
    while !around.contains_key(&at) {
        let owner = ed.owner_of(at)?;
        at = ed.block_before(owner).and_then(|before| ed.region_of(before))?;
    }
    let node = around.get(&at).copied().flatten()?;
    match ed.arm_of(node, to) {
        Some(region) => Some(ed.func().region(region).head),
        None => ed.block_after(node),
    }
}

/// Adds a parameter for every value that leaves a node. `O(uses · depth)`; idempotent; trees.
pub(crate) fn to_lcssa(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    if !matches!(ed.func().shape(), Shape::Tree(_)) {
        return Ok(());
    }
    let cfg = analyses.get::<Cfg>(ed.module(), ed.id());
    let mut closing = Closing::default();
    for block in in_order(ed.func()).into_iter().filter(|&block| cfg.is_reachable(block)) {
        let data = ed.func().block(block);
        let values: Vec<_> = data.params.iter().chain(data.insts.iter()).copied().collect();
        for value in values {
            let away = |ed: &Editor<'_>, place| {
                place_of(ed, place).is_some_and(|(at, _)| at != block && cfg.is_reachable(at))
            };
            let hidden: Vec<_> = ed.uses(value).filter(|&place| away(ed, place)).collect();
            let hidden = hidden
                .into_iter()
                .any(|place| place_of(ed, place).is_some_and(|(_, at)| !ed.is_visible(value, at)));
            if hidden && ed.consume_fuel() {
                closing.value(ed, value, away)?;
            }
        }
    }
    Ok(())
}
