//! `copy-prop-vars`: loads that must read what was stored or loaded before read that.
//!
//! ```text
//!   %2: path = deref.var $seen                %2: path = deref.var $seen
//!   store %2, %0                       =>     store %2, %0
//!   %3: b32 = load %2                         return %0
//!   return %3
//! ```
//!
//! A walk with a table of what memory holds. A store or load of a place says what is there; a write to what may
//! overlap with it, a barrier, an atomic or a call ends that (`analysis::Alias`). A store of what is there already
//! goes, where nobody else looks. In a tree, the arms of a node begin with what was known before it, and behind
//! it that is known which no arm wrote; a loop forgets what it writes before it begins. In a graph, a block knows
//! what its one predecessor knew, and a block where ways meet knows nothing.
//!
//! Left alone: volatile and coherent places and accesses, atomics, addresses and resources in variables; what is
//! stored to buffers in a fragment shader, whose helper lanes store nothing; lanes of a vector of which the whole
//! is known. Copies of aggregates end what was known and say nothing. The 64 latest places are known.

use super::memory::{Does, does, has_helpers, is_plain, is_private, survives};
use super::opening::opening;
use super::pass::PassInfo;
use crate::analysis::{Alias, Cfg, Dom, Overlap, Spot};
use crate::ir::{Block, Editor, FuncBody, Inst, Mode, Node, NodeKind, Refusal, Shape, Step, TreeWalk, Why};
use crate::ops::{Key, ValueType};
use std::rc::Rc;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Reads what was stored or loaded before instead of loading it again.",
    ..PassInfo::edits("copy-prop-vars", opening!("copy_prop_vars.rs"), |ed, _| copy_prop_vars(ed))
};

/// Most places known at once.
const MOST_KNOWN: usize = 64;

/// Loops around a loop at which everything is forgotten instead of looking at what the loop writes.
const MOST_LOOPS: usize = 8;

/// Rounds. Indices that turn out to be one value make places one; two rounds are the rule.
const MOST_ROUNDS: usize = 16;

/// Forwards what memory holds. Near-linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn copy_prop_vars(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    for _ in 0..MOST_ROUNDS {
        let before = ed.journal().len();
        once(ed)?;
        if ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

fn once(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    let alias = Alias::of(ed.module(), ed.func());
    let helpers = has_helpers(ed.module());
    let mut walk = Walk { alias, helpers, known: Vec::new(), frames: Vec::new(), loops: 0 };
    match ed.func().shape() {
        Shape::Declaration => Ok(()),
        Shape::Graph(_) => walk.graph(ed),
        Shape::Tree(_) => walk.tree(ed),
    }
}

/// A place, and the value it holds.
type Known = Vec<(Spot, Inst)>;

struct Walk {
    alias: Alias,
    /// Whether lanes may be helpers.
    helpers: bool,
    known: Known,
    frames: Vec<Frame>,
    /// Loops around.
    loops: usize,
}

/// A node the walk is in.
struct Frame {
    /// What its regions begin with.
    start: Known,
    /// What no region changed so far.
    after: Known,
}

impl Walk {
    fn tree(&mut self, ed: &mut Editor<'_>) -> Result<(), Refusal> {
        let steps: Vec<Step> = TreeWalk::new(ed.func()).collect();
        for step in steps {
            match step {
                Step::Enter(node) => self.enter(ed.func(), node),
                Step::Open(..) => {
                    if let Some(frame) = self.frames.last() {
                        self.known.clone_from(&frame.start);
                    }
                }
                Step::Block(block) => self.block(ed, block)?,
                Step::Leave(node) => self.leave(ed.func(), node),
            }
        }
        Ok(())
    }

    fn enter(&mut self, body: &FuncBody, node: Node) {
        if let NodeKind::Loop { .. } = body.node(node).kind {
            if self.loops >= MOST_LOOPS {
                self.forget(|_| false);
            } else {
                self.forget_writes(body, node);
            }
            self.loops += 1;
        }
        self.frames.push(Frame { start: self.known.clone(), after: self.known.clone() });
    }

    fn leave(&mut self, body: &FuncBody, node: Node) {
        if let NodeKind::Loop { .. } = body.node(node).kind {
            self.loops = self.loops.saturating_sub(1);
        }
        let Some(frame) = self.frames.pop() else { return };
        if let Some(outer) = self.frames.last_mut() {
            outer.after.retain(|known| frame.after.contains(known));
        }
        self.known = frame.after;
    }

    /// Forgets what any instruction of a node may change.
    fn forget_writes(&mut self, body: &FuncBody, node: Node) {
        for region in body.node(node).kind.regions() {
            for step in TreeWalk::of_region(body, region) {
                let Step::Block(block) = step else { continue };
                for &inst in body.block(block).insts.iter() {
                    if self.known.is_empty() {
                        return;
                    }
                    self.change(does(&self.alias, body.inst(inst)));
                }
            }
        }
    }

    /// Down the dominators: a block with one predecessor begins where that ended.
    fn graph(&mut self, ed: &mut Editor<'_>) -> Result<(), Refusal> {
        let cfg = Rc::new(Cfg::of(ed.func()));
        let dom = Dom::of(&cfg);
        let mut work: Vec<(Block, Known)> =
            cfg.entry().map(|entry| (entry, Known::new())).into_iter().collect();
        while let Some((block, known)) = work.pop() {
            self.known = known;
            self.block(ed, block)?;
            for next in dom.children(block).rev() {
                let direct = cfg.preds(next).eq([block]);
                work.push((next, if direct { self.known.clone() } else { Known::new() }));
            }
        }
        Ok(())
    }

    fn block(&mut self, ed: &mut Editor<'_>, block: Block) -> Result<(), Refusal> {
        for &inst in ed.func().block(block).insts.clone().iter() {
            let data = ed.func().inst(inst).clone();
            let doing = does(&self.alias, &data);
            match (doing, data.args.get(1)) {
                (Does::Load(spot), _) if is_plain(&data) && is_bits(data.ty) => {
                    match self.at(ed, spot, data.ty) {
                        Some(value) => {
                            if !ed.may() {
                                return Ok(());
                            }
                            // Refused only in code that nothing reaches.
                            let _ = ed.replace(inst, value, Why::Note("what memory holds here is known"));
                        }
                        None => self.learn(spot, inst),
                    }
                }
                (Does::Store(spot), Some(&value)) if is_plain(&data) && is_bits(ed.func().ty(value)) => {
                    let same = self.known.contains(&(spot, value)) && is_private(self.alias.mode(spot));
                    if same && !ed.may() {
                        return Ok(());
                    }
                    if same {
                        ed.erase(inst, Why::Note("memory holds that already"))?;
                        continue;
                    }
                    self.change(doing);
                    let whole = !data.attrs.has(Key::Mask);
                    if whole && (!self.helpers || keeps_for_helpers(self.alias.mode(spot))) {
                        self.learn(spot, value);
                    }
                }
                _ => self.change(doing),
            }
        }
        Ok(())
    }

    /// What a place holds, if that is known and of a type.
    fn at(&self, ed: &Editor<'_>, spot: Spot, ty: ValueType) -> Option<Inst> {
        let known = self.known.iter().rev().find(|(known, _)| *known == spot);
        known.map(|&(_, value)| value).filter(|&value| ed.func().ty(value) == ty && ed.is_placed(value))
    }

    fn learn(&mut self, spot: Spot, value: Inst) {
        if self.alias.is_watched(spot) {
            return;
        }
        self.forget(|other| other != spot);
        if self.known.len() >= MOST_KNOWN {
            let oldest = self.known.first().map(|&(spot, _)| spot);
            self.forget(|other| Some(other) != oldest);
        }
        self.known.push((spot, value));
    }

    /// Forgets what an instruction may change.
    fn change(&mut self, doing: Does) {
        match doing {
            Does::Nothing | Does::Looks | Does::Load(_) => {}
            Does::Store(to) | Does::Copy(to, _) => {
                let kept: Known = self
                    .known
                    .iter()
                    .copied()
                    .filter(|&(spot, _)| self.alias.overlap(spot, to) == Overlap::No)
                    .collect();
                self.keep(kept);
            }
            Does::Meets | Does::Calls => {
                let kept: Known = self
                    .known
                    .iter()
                    .copied()
                    .filter(|&(spot, _)| survives(&self.alias, spot, doing))
                    .collect();
                self.keep(kept);
            }
        }
    }

    fn forget(&mut self, stays: impl Fn(Spot) -> bool) {
        let kept = self.known.iter().copied().filter(|&(spot, _)| stays(spot)).collect();
        self.keep(kept);
    }

    /// Only these are known; what was known before the node around and is not any more is not known behind it.
    fn keep(&mut self, kept: Known) {
        if kept.len() == self.known.len() {
            return;
        }
        if let Some(frame) = self.frames.last_mut() {
            let gone: Vec<(Spot, Inst)> =
                self.known.iter().copied().filter(|known| !kept.contains(known)).collect();
            frame.after.retain(|known| !gone.contains(known));
        }
        self.known = kept;
    }
}

fn is_bits(ty: ValueType) -> bool {
    matches!(ty, ValueType::Bits { .. })
}

/// Whether what a helper lane stores is there.
fn keeps_for_helpers(mode: Option<Mode>) -> bool {
    is_private(mode) || matches!(mode, Some(Mode::Out))
}
