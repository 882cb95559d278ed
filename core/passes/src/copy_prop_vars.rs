//! `copy-prop-vars`: forwards stored and loaded values to later loads of the same variable.
//!
//! ```text
//!   %2: path = deref.var $seen                %2: path = deref.var $seen
//!   store %2, %0                       =>     store %2, %0
//!   %3: b32 = load %2                         return %0
//!   return %3
//! ```
//!
//! Traverses the function with a table of the contents of memory. A store or load makes the contents of a place
//! known, and a copy relates them to those of another place; a write to a place that may overlap, a barrier, an
//! atomic or a call invalidates them (`analysis::Alias`). A load or copy from within a copied aggregate is
//! redirected to the source of the copy, so that an array that is only a copy is no longer read:
//!
//! ```text
//!   copy %2, %1                               copy %2, %1
//!   %3: path = deref.elem %2, %0       =>     %3: path = deref.elem %1, %0
//!   %4: b32 = load %3                         %4: b32 = load %3
//! ```
//!
//! A store or a copy of contents that are already there is removed if no other invocation reads that memory. In a
//! tree, the arms of a node begin with the contents known before it, and after the node those are known that no
//! arm wrote; at the start of a loop, everything that the loop writes is unknown. In a graph, a block inherits the
//! table of its single predecessor, and begins with an empty one if it has several.
//!
//! Left alone: volatile and coherent memory and accesses, atomics, addresses in variables, resources in writable
//! variables; stores to buffers in a fragment shader, whose helper invocations store nothing; components of a
//! vector whose whole is known; copies with an alignment, a scope, or over all elements at once (`deref.all`). The
//! contents of a copy that is partly overwritten are unknown. At most the 64 latest places are tracked. NIR:
//! `nir_opt_copy_prop_vars`.

use super::pass::PassInfo;
use crate::util::memory::{Does, any_op, does, has_helpers, is_plain, is_private, survives, with_access};
use std::rc::Rc;
use vitrine_analysis::{Alias, Analyses, Dom, Overlap, Spot};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Access, BasicOp, DerefOp, Flags, Key, MemoryOp, Op, ValueType};
use vitrine_ir::{
    Args, Block, Editor, FuncBody, InsertPoint, Inst, InstData, Mode, Node, NodeKind, Reason, Refusal, Shape,
    TreeStep, TreeWalk,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Forwards stored and loaded values to later loads of the same variable.",
    ..PassInfo::edits("copy-prop-vars", opening!("copy_prop_vars.rs"), |ed, cx| {
        copy_prop_vars(ed, cx.analyses)
    })
};

/// Maximum number of places tracked at a time.
const MAX_TRACKED: usize = 64;

/// Loop depth from which on a loop clears the table, instead of only the places that it writes.
const MAX_LOOPS: usize = 8;

/// Maximum number of iterations. Indices that become one value make places equal; two usually suffice.
const MAX_ITERATIONS: usize = 16;

const COPIED: Reason = Reason::Note("this memory holds a copy");

/// Forwards the contents of memory. Near-linear; idempotent; both shapes.
pub(super) fn copy_prop_vars(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    if !any_op(ed.func(), |op| matches!(op, MemoryOp::Load | MemoryOp::Store | MemoryOp::CopyVar)) {
        return Ok(());
    }
    for _ in 0..MAX_ITERATIONS {
        let before = ed.journal().len();
        iterate(ed, analyses)?;
        if ed.journal().len() == before {
            break;
        }
    }
    Ok(())
}

fn iterate(ed: &mut Editor<'_>, analyses: &mut Analyses) -> Result<(), Refusal> {
    let alias = analyses.get::<Alias>(ed.module(), ed.id());
    let helpers = has_helpers(ed.module());
    let mut walk = Walk { alias, helpers, known: Vec::new(), frames: Vec::new(), loops: 0 };
    match ed.func().shape() {
        Shape::Declaration => Ok(()),
        Shape::Graph(_) => walk.graph(ed, &analyses.get::<Dom>(ed.module(), ed.id())),
        Shape::Tree(_) => walk.tree(ed),
    }
}

/// Places with their contents.
type Known = Vec<(Spot, Held)>;

/// Contents of a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Held {
    /// A value.
    Value(Inst),
    /// Same as those of another place, with a path to that; `access` words for loads redirected there.
    Copy { from: Spot, path: Inst, access: Access },
}

struct Walk {
    alias: Rc<Alias>,
    /// True if some invocations may be helpers.
    helpers: bool,
    known: Known,
    frames: Vec<Frame>,
    /// Number of enclosing loops.
    loops: usize,
}

/// An enclosing node.
struct Frame {
    /// Contents known at the start of each of its regions.
    start: Known,
    /// Contents that no region has changed so far.
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
            if self.loops >= MAX_LOOPS {
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

    /// Forgets everything that an instruction of a node may change.
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

    /// Traverses the dominator tree: a block with one predecessor begins with the table at the end of that one.
    fn graph(&mut self, ed: &mut Editor<'_>, dom: &Dom) -> Result<(), Refusal> {
        let cfg = dom.cfg();
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
            let effect = does(&self.alias, ed.func().inst(inst));
            if effect == Does::Nothing {
                continue;
            }
            let data = ed.func().inst(inst).clone();
            let has_fuel = match (effect, data.args.get(1)) {
                (Does::Load(spot), _) if is_plain(&data) && self.is_tracked(spot, data.ty) => {
                    self.load(ed, inst, spot)?
                }
                (Does::Store(spot), Some(&value)) if is_plain(&data) && is_bits(ed.func().ty(value)) => {
                    self.store(ed, inst, spot, value)?
                }
                (Does::Copy(to, from), Some(&path)) if is_plain(&data) && only_access(&data) => {
                    self.copy(ed, inst, (to, from), path)?
                }
                _ => {
                    self.change(effect);
                    true
                }
            };
            if !has_fuel {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Handles a load. Returns false if fuel has run out.
    fn load(&mut self, ed: &mut Editor<'_>, inst: Inst, spot: Spot) -> Result<bool, Refusal> {
        let (ty, path) = (ed.func().ty(inst), ed.func().inst(inst).args.first().copied());
        // The load carries the flag that states if invocations may access different resources.
        let is_nonuniform = |inst: Inst| ed.func().inst(inst).flags.has(Flags::NONUNIFORM);
        if let Some(value) =
            self.at(ed, spot, ty).filter(|&value| is_bits(ty) || is_nonuniform(value) == is_nonuniform(inst))
        {
            if !ed.consume_fuel() {
                return Ok(false);
            }
            // Refused only in unreachable code.
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
        let attrs = with_access(&old.attrs.without(Key::Align), access);
        let path = source.build(ed, inst)?;
        ed.rewrite(inst, InstData { args: Args::new(&[path]), attrs, ..old }, COPIED)?;
        self.learn(spot, Held::Value(inst));
        Ok(true)
    }

    /// Handles a store. Returns false if fuel has run out.
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

    /// Handles a copy. Returns false if fuel has run out.
    fn copy(
        &mut self,
        ed: &mut Editor<'_>,
        inst: Inst,
        (to, from): (Spot, Spot),
        path: Inst,
    ) -> Result<bool, Refusal> {
        let data = ed.func().inst(inst).clone();
        let access = data.attrs.words::<Access>();
        let holds_same = |&(place, held): &(Spot, Held)| match held {
            Held::Copy { from: other, .. } => (place, other) == (to, from) || (place, other) == (from, to),
            Held::Value(_) => false,
        };
        let same = to == from || self.known.iter().any(holds_same);
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
            let attrs = with_access(&old.attrs, access.and(more));
            let args: Vec<Inst> = old.args.iter().take(1).copied().chain([path]).collect();
            ed.rewrite(inst, InstData { args: Args::new(&args), attrs, ..old }, COPIED)?;
        }
        self.change(Does::Copy(to, from));
        let disjoint = self.alias.overlap(to, from) == Overlap::No;
        if disjoint && self.is_kept(to) && !self.alias.is_watched(from) {
            self.learn(to, Held::Copy { from, path, access });
        }
        Ok(true)
    }

    /// Returns true if a load is of bits, or of a resource in a read-only variable.
    fn is_tracked(&self, spot: Spot, ty: ValueType) -> bool {
        is_bits(ty) || (ty == ValueType::Handle && self.alias.mode(spot) == Some(Mode::Handle))
    }

    /// Returns the value in a place, if it is known and has the given type.
    fn at(&self, ed: &Editor<'_>, spot: Spot, ty: ValueType) -> Option<Inst> {
        let known = self.known.iter().rev().find_map(|&(known, held)| match held {
            Held::Value(value) if known == spot => Some(value),
            Held::Value(_) | Held::Copy { .. } => None,
        });
        known.filter(|&value| ed.func().ty(value) == ty && ed.is_placed(value))
    }

    /// Returns the place that the target of a path was copied from, and the `access` words for reads of it.
    fn source(&self, ed: &Editor<'_>, spot: Spot, path: Inst) -> Option<(Source, Access)> {
        self.known.iter().rev().find_map(|&(whole, held)| match held {
            Held::Copy { path: from, access, .. } if self.alias.covers(whole, spot) => {
                let steps = self.steps(ed, whole, path)?;
                ed.is_placed(from).then_some((Source { from, steps }, access))
            }
            Held::Value(_) | Held::Copy { .. } => None,
        })
    }

    /// Returns the steps of a path from a place on.
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

    /// Returns true if a copy from a source has the same type as one from a path: SPIR-V copies between equal
    /// types.
    fn is_same_type(&self, ed: &Editor<'_>, source: &Source, path: Inst) -> bool {
        let ty = |path| ed.module().path_type(ed.func(), path).map(|path| path.ty);
        let whole = match source.steps.first() {
            Some(&step) => ed.func().inst(step).args.first().copied(),
            None => Some(path),
        };
        ty(source.from) == whole.and_then(ty)
    }

    /// Returns true if every invocation's stores to a place take effect.
    fn is_kept(&self, spot: Spot) -> bool {
        !self.helpers || keeps_for_helpers(self.alias.mode(spot))
    }

    fn learn(&mut self, spot: Spot, held: Held) {
        if self.alias.is_watched(spot) {
            return;
        }
        self.forget(|(other, old_held)| {
            other != spot || matches!((old_held, held), (Held::Copy { .. }, Held::Value(_)))
        });
        if self.known.len() >= MAX_TRACKED {
            let oldest = self.known.first().copied();
            self.forget(|known| Some(known) != oldest);
        }
        self.known.push((spot, held));
    }

    /// Forgets what an instruction may change.
    fn change(&mut self, effect: Does) {
        if self.known.is_empty() || matches!(effect, Does::Nothing | Does::Looks | Does::Load(_)) {
            return;
        }
        let alias = &self.alias;
        let unchanged = |spot: Spot| match effect {
            Does::Nothing | Does::Looks | Does::Load(_) => true,
            Does::Store(to) | Does::Copy(to, _) => alias.overlap(spot, to) == Overlap::No,
            Does::Meets | Does::Calls => survives(alias, spot, effect),
        };
        let both = |&(spot, held): &(Spot, Held)| match held {
            Held::Value(_) => unchanged(spot),
            Held::Copy { from, .. } => unchanged(spot) && unchanged(from),
        };
        let kept = self.known.iter().copied().filter(both).collect();
        self.keep(kept);
    }

    fn forget(&mut self, is_kept: impl Fn((Spot, Held)) -> bool) {
        let kept = self.known.iter().copied().filter(|&known| is_kept(known)).collect();
        self.keep(kept);
    }

    /// Keeps only these entries. Entries known before the enclosing node and now dropped are unknown after it.
    fn keep(&mut self, kept: Known) {
        if kept.len() == self.known.len() {
            return;
        }
        if let Some(frame) = self.frames.last_mut() {
            let dropped: Known = self.known.iter().copied().filter(|known| !kept.contains(known)).collect();
            frame.after.retain(|known| !dropped.contains(known));
        }
        self.known = kept;
    }
}

/// A path whose steps are applied to another place.
struct Source {
    from: Inst,
    /// Paths, each one step longer than the one before.
    steps: Vec<Inst>,
}

impl Source {
    /// Builds the path before an instruction.
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

/// Returns true if a copy has no attribute except harmless words of `access`.
fn only_access(data: &InstData) -> bool {
    data.attrs.iter().all(|attr| attr.key == Key::Access)
}

/// Returns true if only this invocation can access the memory, or no invocation can change it.
fn is_private_or_fixed(mode: Option<Mode>) -> bool {
    is_private(mode) || mode.is_some_and(|mode| !mode.is_writable())
}

fn is_bits(ty: ValueType) -> bool {
    matches!(ty, ValueType::Bits { .. })
}

/// Returns true if the stores of helper invocations take effect.
fn keeps_for_helpers(mode: Option<Mode>) -> bool {
    is_private(mode) || matches!(mode, Some(Mode::Out))
}
