//! `copy-prop-vars`: forwards stored and loaded values to later loads of the same variable.
//!
//! ```text
//!   %2: path = deref.var $seen                %2: path = deref.var $seen
//!   store %2, %0                       =>     store %2, %0
//!   %3: b32 = load %2                         return %0
//!   return %3
//! ```
//!
//! A walk with a table of what memory holds. A store or load of a place says what is there, a copy that there is what
//! is elsewhere; a write to what may overlap with it, a barrier, an atomic or a call ends that (`analysis::Alias`).
//! A load, or a copy, of anything in what was copied goes to where that came from, so that an array that is only a
//! copy has no reader any more:
//!
//! ```text
//!   copy %2, %1                               copy %2, %1
//!   %3: path = deref.elem %2, %0       =>     %3: path = deref.elem %1, %0
//!   %4: b32 = load %3                         %4: b32 = load %3
//! ```
//!
//! A store or a copy of what is there already goes, where nobody else looks. In a tree, the arms of a node begin with
//! what was known before it, and behind it that is known which no arm wrote; a loop forgets what it writes before it
//! begins. In a graph, a block knows what its one predecessor knew, and a block where ways meet knows nothing.
//!
//! Left alone: volatile and coherent places and accesses, atomics, addresses in variables, resources in variables
//! that can be written; what is stored to buffers in a fragment shader, whose helper invocations store nothing;
//! components of a
//! vector of which the whole is known; copies with an alignment, a scope, or over all elements at once (`deref.all`).
//! What was copied and is partly overwritten is not known any more. The 64 latest places are known. NIR:
//! `nir_opt_copy_prop_vars`.

use super::pass::PassInfo;
use crate::analysis::{Alias, Cfg, Dom, Overlap, Spot};
use crate::base::opening::opening;
use crate::ir::{
    Args, Block, Editor, FuncBody, InsertPoint, Inst, InstData, Mode, Node, NodeKind, Reason, Refusal, Shape,
    TreeStep, TreeWalk,
};
use crate::ops::{BasicOp, DerefOp, Flags, Key, MemoryOp, Op, ValueType};
use crate::passes::util::memory::{Does, any_op, does, has_helpers, is_plain, is_private, survives};
use std::rc::Rc;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Forwards stored and loaded values to later loads of the same variable.",
    ..PassInfo::edits("copy-prop-vars", opening!("copy_prop_vars.rs"), |ed, _| copy_prop_vars(ed))
};

/// Most places known at once.
const MOST_KNOWN: usize = 64;

/// Loops around a loop at which everything is forgotten instead of looking at what the loop writes.
const MOST_LOOPS: usize = 8;

/// Rounds. Indices that turn out to be one value make places one; two rounds are the rule.
const MOST_ROUNDS: usize = 16;

const COPIED: Reason = Reason::Note("this memory holds a copy");

/// Forwards what memory holds. Near-linear; idempotent; both shapes.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn copy_prop_vars(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    if !any_op(ed.func(), |op| matches!(op, MemoryOp::Load | MemoryOp::Store | MemoryOp::CopyVar)) {
        return Ok(());
    }
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

/// A place, and what it holds.
type Known = Vec<(Spot, Held)>;

/// What a place holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// A value.
    Value(Inst),
    /// What another place holds, and a path to that; words of `access` for who reads it there instead.
    Copy { from: Spot, path: Inst, access: Option<u64> },
}

struct Walk {
    alias: Alias,
    /// Whether invocations may be helpers.
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
        let steps: Vec<TreeStep> = TreeWalk::new(ed.func()).collect();
        for step in steps {
            match step {
                TreeStep::Enter(node) => self.enter(ed.func(), node),
                TreeStep::Open(..) => {
                    if let Some(frame) = self.frames.last() {
                        self.known.clone_from(&frame.start);
                    }
                }
                TreeStep::Block(block) => self.block(ed, block)?,
                TreeStep::Leave(node) => self.leave(ed.func(), node),
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
                let TreeStep::Block(block) = step else { continue };
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
            let doing = does(&self.alias, ed.func().inst(inst));
            if doing == Does::Nothing {
                continue;
            }
            let data = ed.func().inst(inst).clone();
            let goes_on = match (doing, data.args.get(1)) {
                (Does::Load(spot), _) if is_plain(&data) && self.is_looked_at(spot, data.ty) => {
                    self.load(ed, inst, spot)?
                }
                (Does::Store(spot), Some(&value)) if is_plain(&data) && is_bits(ed.func().ty(value)) => {
                    self.store(ed, inst, spot, value)?
                }
                (Does::Copy(to, from), Some(&path)) if is_plain(&data) && only_access(&data) => {
                    self.copy(ed, inst, (to, from), path)?
                }
                _ => {
                    self.change(doing);
                    true
                }
            };
            if !goes_on {
                return Ok(());
            }
        }
        Ok(())
    }

    /// A load: whether there is fuel left.
    fn load(&mut self, ed: &mut Editor<'_>, inst: Inst, spot: Spot) -> Result<bool, Refusal> {
        let (ty, path) = (ed.func().ty(inst), ed.func().inst(inst).args.first().copied());
        // Whether invocations may see different resources is said where they are loaded.
        let says = |inst: Inst| ed.func().inst(inst).flags.has(Flags::NONUNIFORM);
        if let Some(value) = self.at(ed, spot, ty).filter(|&value| is_bits(ty) || says(value) == says(inst)) {
            if !ed.consume_fuel() {
                return Ok(false);
            }
            // Refused only in code that nothing reaches.
            let _ = ed.replace(inst, value, Reason::Note("the content of memory is known here"));
            return Ok(true);
        }
        let Some((source, access)) = path.and_then(|path| self.source(ed, spot, path)) else {
            self.learn(spot, Held::Value(inst));
            return Ok(true);
        };
        if !ed.consume_fuel() {
            return Ok(false);
        }
        let old = ed.func().inst(inst).clone();
        let attrs = old.attrs.without(Key::Align).without(Key::Access);
        let attrs = access.map_or(attrs.clone(), |access| attrs.with(Key::Access, access));
        let path = source.build(ed, inst)?;
        ed.rewrite(inst, InstData { args: Args::new(&[path]), attrs, ..old }, COPIED)?;
        self.learn(spot, Held::Value(inst));
        Ok(true)
    }

    /// A store: whether there is fuel left.
    fn store(&mut self, ed: &mut Editor<'_>, inst: Inst, spot: Spot, value: Inst) -> Result<bool, Refusal> {
        let held = Held::Value(value);
        if self.known.contains(&(spot, held)) && is_private(self.alias.mode(spot)) {
            if ed.consume_fuel() {
                ed.erase(inst, Reason::Note("memory already holds this value"))?;
                return Ok(true);
            }
            return Ok(false);
        }
        self.change(Does::Store(spot));
        if !ed.func().inst(inst).attrs.has(Key::Mask) && self.is_kept(spot) {
            self.learn(spot, held);
        }
        Ok(true)
    }

    /// A copy: whether there is fuel left.
    fn copy(
        &mut self,
        ed: &mut Editor<'_>,
        inst: Inst,
        (to, from): (Spot, Spot),
        path: Inst,
    ) -> Result<bool, Refusal> {
        let data = ed.func().inst(inst).clone();
        let access = data.attrs.get(Key::Access);
        let says_so = |&(place, held): &(Spot, Held)| match held {
            Held::Copy { from: other, .. } => (place, other) == (to, from) || (place, other) == (from, to),
            Held::Value(_) => false,
        };
        let same = to == from || self.known.iter().any(says_so);
        if same && is_private(self.alias.mode(to)) && is_private_or_fixed(self.alias.mode(from)) {
            if ed.consume_fuel() {
                ed.erase(inst, Reason::Note("memory already holds this value"))?;
                return Ok(true);
            }
            return Ok(false);
        }
        if let Some((source, more)) = self.source(ed, from, path)
            && self.is_same_type(ed, &source, path)
        {
            if !ed.consume_fuel() {
                return Ok(false);
            }
            let path = source.build(ed, inst)?;
            let old = ed.func().inst(inst).clone();
            let access = access.unwrap_or(0) | more.unwrap_or(0);
            let attrs = old.attrs.without(Key::Access);
            let attrs = if access == 0 { attrs } else { attrs.with(Key::Access, access) };
            let args: Vec<Inst> = old.args.iter().take(1).copied().chain([path]).collect();
            ed.rewrite(inst, InstData { args: Args::new(&args), attrs, ..old }, COPIED)?;
        }
        self.change(Does::Copy(to, from));
        let apart = self.alias.overlap(to, from) == Overlap::No;
        if apart && self.is_kept(to) && !self.alias.is_watched(from) {
            self.learn(to, Held::Copy { from, path, access });
        }
        Ok(true)
    }

    /// Whether a load is of bits, or of a resource in a variable that nobody can write.
    fn is_looked_at(&self, spot: Spot, ty: ValueType) -> bool {
        is_bits(ty) || (ty == ValueType::Handle && self.alias.mode(spot) == Some(Mode::Handle))
    }

    /// The value a place holds, if that is known and of a type.
    fn at(&self, ed: &Editor<'_>, spot: Spot, ty: ValueType) -> Option<Inst> {
        let known = self.known.iter().rev().find_map(|&(known, held)| match held {
            Held::Value(value) if known == spot => Some(value),
            Held::Value(_) | Held::Copy { .. } => None,
        });
        known.filter(|&value| ed.func().ty(value) == ty && ed.is_placed(value))
    }

    /// Where what a path leads to was copied from, and what is to be said of reading there.
    fn source(&self, ed: &Editor<'_>, spot: Spot, path: Inst) -> Option<(Source, Option<u64>)> {
        self.known.iter().rev().find_map(|&(whole, held)| match held {
            Held::Copy { path: from, access, .. } if self.alias.covers(whole, spot) => {
                let steps = self.steps(ed, whole, path)?;
                ed.is_placed(from).then_some((Source { from, steps }, access))
            }
            Held::Value(_) | Held::Copy { .. } => None,
        })
    }

    /// The steps of a path behind a place.
    fn steps(&self, ed: &Editor<'_>, whole: Spot, path: Inst) -> Option<Vec<Inst>> {
        let (mut at, mut steps) = (path, Vec::new());
        while self.alias.spot(at)? != whole {
            let data = ed.func().inst(at);
            match data.op {
                Op::Deref(DerefOp::Field | DerefOp::Elem) => steps.push(at),
                Op::Basic(BasicOp::Copy) => {}
                _ => return None,
            }
            at = *data.args.first()?;
        }
        steps.reverse();
        Some(steps)
    }

    /// Whether a copy from a source is as good for a target as one from a path: SPIR-V copies between equal types.
    fn is_same_type(&self, ed: &Editor<'_>, source: &Source, path: Inst) -> bool {
        let ty = |path| ed.module().path_type(ed.func(), path).map(|path| path.ty);
        let whole = match source.steps.first() {
            Some(&step) => ed.func().inst(step).args.first().copied(),
            None => Some(path),
        };
        ty(source.from) == whole.and_then(ty)
    }

    /// Whether what is stored to a place is there, whoever stores it.
    fn is_kept(&self, spot: Spot) -> bool {
        !self.helpers || keeps_for_helpers(self.alias.mode(spot))
    }

    fn learn(&mut self, spot: Spot, held: Held) {
        if self.alias.is_watched(spot) {
            return;
        }
        self.forget(|(other, was)| {
            other != spot || matches!((was, held), (Held::Copy { .. }, Held::Value(_)))
        });
        if self.known.len() >= MOST_KNOWN {
            let oldest = self.known.first().copied();
            self.forget(|known| Some(known) != oldest);
        }
        self.known.push((spot, held));
    }

    /// Forgets what an instruction may change.
    fn change(&mut self, doing: Does) {
        if self.known.is_empty() || matches!(doing, Does::Nothing | Does::Looks | Does::Load(_)) {
            return;
        }
        let alias = &self.alias;
        let stays = |spot: Spot| match doing {
            Does::Nothing | Does::Looks | Does::Load(_) => true,
            Does::Store(to) | Does::Copy(to, _) => alias.overlap(spot, to) == Overlap::No,
            Does::Meets | Does::Calls => survives(alias, spot, doing),
        };
        let both = |&(spot, held): &(Spot, Held)| match held {
            Held::Value(_) => stays(spot),
            Held::Copy { from, .. } => stays(spot) && stays(from),
        };
        let kept = self.known.iter().copied().filter(both).collect();
        self.keep(kept);
    }

    fn forget(&mut self, stays: impl Fn((Spot, Held)) -> bool) {
        let kept = self.known.iter().copied().filter(|&known| stays(known)).collect();
        self.keep(kept);
    }

    /// Only these are known; what was known before the node around and is not any more is not known behind it.
    fn keep(&mut self, kept: Known) {
        if kept.len() == self.known.len() {
            return;
        }
        if let Some(frame) = self.frames.last_mut() {
            let gone: Known = self.known.iter().copied().filter(|known| !kept.contains(known)).collect();
            frame.after.retain(|known| !gone.contains(known));
        }
        self.known = kept;
    }
}

/// A path of which the steps are to be taken from another place.
struct Source {
    from: Inst,
    /// Paths of which each goes one step further.
    steps: Vec<Inst>,
}

impl Source {
    /// Makes the path in front of an instruction.
    fn build(&self, ed: &mut Editor<'_>, before: Inst) -> Result<Inst, Refusal> {
        let mut at = self.from;
        for &step in &self.steps {
            let data = ed.func().inst(step).clone();
            let args: Vec<Inst> = [at].into_iter().chain(data.args.iter().skip(1).copied()).collect();
            at =
                ed.insert(InsertPoint::Before(before), InstData { args: Args::new(&args), ..data }, COPIED)?;
        }
        Ok(at)
    }
}

/// Whether a copy says nothing of itself but harmless words of `access`.
fn only_access(data: &InstData) -> bool {
    data.attrs.iter().all(|attr| attr.key == Key::Access)
}

/// Whether nobody but this invocation sees memory, or nobody changes it.
fn is_private_or_fixed(mode: Option<Mode>) -> bool {
    is_private(mode) || mode.is_some_and(|mode| !mode.is_writable())
}

fn is_bits(ty: ValueType) -> bool {
    matches!(ty, ValueType::Bits { .. })
}

/// Whether what a helper invocation stores is there.
fn keeps_for_helpers(mode: Option<Mode>) -> bool {
    is_private(mode) || matches!(mode, Some(Mode::Out))
}
