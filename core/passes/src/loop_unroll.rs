//! `loop-unroll`: fully unrolls loops whose trip count is known.
//!
//! ```text
//!   loop !0(%0, %1) {                         block !0 {
//!   ^1(%3: b32, %4: b32):                     ^1:
//!     %5: b1 = ult %3, %two                     %9: b1 = ult %0, %two
//!     if !1 %5 {                                if !2 %9 { ^7: next } else { ^8: break !0(%1) }
//!     ^2:                                     ^9:
//!       next                                    %10: b32 = iadd %0, %one
//!     } else {                          =>      %11: b32 = fmul %1, %x
//!     ^3:                                       … the second iteration, with %10 and %11 …
//!       break !0(%4)                            … the third, which leaves …
//!     }                                         stop unreachable
//!   ^4:                                       }
//!     %6: b32 = iadd %3, %one                ^6(%8: b32):
//!     %7: b32 = fmul %4, %x                     return %8
//!     next(%6, %7)
//!   }
//! ^6(%8: b32):
//!   return %8
//! ```
//!
//! The trip count, exact or an upper bound, comes from the analysis `inductions`. Each iteration is a copy whose
//! parameters are replaced by the values that the iteration before passes, and every terminator keeps its target,
//! so that multiple exits, returns and nested loops are supported. The code after the last iteration, which is
//! known to leave, is unreachable. Conditions become constant: `constant-fold` and `dead-cf` simplify the result.
//!
//! Inner loops come first. A loop is unrolled if it has at most `max-trips` iterations with at most `max-insts`
//! instructions in total. `smaller` unrolls only if the code is estimated to become smaller by constant folding,
//! or if an array of the invocation is indexed by a value that becomes constant, so that it may be promoted to
//! values. The hint `dont_unroll` is respected; `unroll` is left for the consumer of the shader.
//!
//! Left alone: loops with unknown trip count, loops with unreachable code (see `dead-cf`), graphs, and the loops
//! that `lower-continue` leaves alone.
//!
//! NIR: `nir_opt_loop_unroll`.

use super::options::{PassOptions, options};
use super::pass::{PassInfo, PassShape};
use crate::util::lcssa::{Closing, place_of};
use crate::util::loop_edit::{blocks_of, falls, in_one_region};
use crate::util::open::nodes_in_order;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_analysis::{Analyses, Cfg, Dom, Inductions, Loop, Loops};
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, DerefOp, Hints, Key, Op};
use vitrine_ir::{
    Block, Detached, Editor, InsertPoint, Inst, Mode, Node, NodeKind, Reason, Refusal, Region, Shape, Stop,
    Terminator,
};

options! {
    /// The loops that are unrolled.
    struct Unrolled {
        choice loops: Choice {
            /// Every loop within the limits.
            All "all",
            /// Only if the code gets smaller or an array can be promoted to values.
            Smaller "smaller",
        }
        /// Largest trip count.
        max_trips: u32 = 32 in 0..=65_536;
        /// Largest number of instructions of all iterations together, without constants.
        max_insts: u32 = 1024 in 0..=1_000_000;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Fully unrolls loops whose trip count is known.",
    shape: Some(PassShape::Tree),
    options: Unrolled::INFO,
    // The trip count of a nested loop may become known in the copies.
    idempotent: false,
    ..PassInfo::edits("loop-unroll", opening!("loop_unroll.rs"), |ed, cx| {
        loop_unroll(ed, &Unrolled::of(cx.options), cx.analyses)
    })
};

const WHY: Reason = Reason::Note("the trip count is known");

/// Cost of a loop besides its instructions: its header, its end and its test.
const LOOP_COST: u64 = 5;

/// Cost of an `if` or `switch` besides its instructions.
const CHOICE_COST: u64 = 3;

/// Maximum number of steps of a path that are followed to its variable.
const MAX_PATH_STEPS: usize = 64;

/// A loop with a known trip count.
struct Counted {
    trips: u32,
    /// Parameters of its first block that are known in every iteration.
    known: Vec<Inst>,
    /// The first block of the loop.
    header: Block,
    exits_in_header: bool,
}

/// Unrolls loops, inner ones first. Linear in the size of the result; trees.
fn loop_unroll(ed: &mut Editor<'_>, options: &Unrolled, analyses: &mut Analyses) -> Result<(), Refusal> {
    if !matches!(ed.func().shape(), Shape::Tree(_)) {
        return Ok(());
    }
    let counted = counted(ed, options.max_trips, analyses);
    if counted.is_empty() {
        return Ok(());
    }
    for node in nodes_in_order(ed.func()).into_iter().rev() {
        let Some(loop_) = counted.get(&node) else { continue };
        if should_unroll(ed, node, loop_, options) && ed.consume_fuel() {
            unroll(ed, node, loop_.trips)?;
        }
    }
    Ok(())
}

/// Returns the loops with at most `max_trips` iterations.
fn counted(ed: &Editor<'_>, max_trips: u32, analyses: &mut Analyses) -> FxHashMap<Node, Counted> {
    let is_loop = |node: &Node| matches!(ed.func().node(*node).kind, NodeKind::Loop { .. });
    if !ed.func().tables().nodes.keys().filter(|&node| ed.has_node(node)).any(|node| is_loop(&node)) {
        return FxHashMap::default();
    }
    let cfg = analyses.get::<Cfg>(ed.module(), ed.id());
    let loops = analyses.get::<Loops>(ed.module(), ed.id());
    if loops.is_empty() {
        return FxHashMap::default();
    }
    let dom = analyses.get::<Dom>(ed.module(), ed.id());
    let found = Inductions::of(ed.module(), ed.func(), &loops, &dom, max_trips);
    let counted = |of: Loop| {
        let trips = found.trips(of).most().filter(|&trips| trips <= max_trips)?;
        let node = loops.node(of).filter(|&node| !has_dead_code(ed, &cfg, node))?;
        let header = loops.header(of);
        let exits_in_header = loops.exits(of).iter().all(|&edge| cfg.edge(edge).from == header);
        Some((node, Counted { trips, known: found.known(of).to_vec(), header, exits_in_header }))
    };
    loops.all().filter_map(counted).collect()
}

/// Returns true if a loop contains unreachable code: it may use undefined values, and cannot be copied.
fn has_dead_code(ed: &Editor<'_>, cfg: &Cfg, node: Node) -> bool {
    let regions = ed.func().node(node).kind.regions();
    regions.into_iter().flat_map(|region| blocks_of(ed, region)).any(|block| {
        let data = ed.func().block(block);
        let mut has_uses = false;
        data.terminator.for_each_use(|_| has_uses = true);
        !cfg.is_reachable(block) && (has_uses || !data.insts.is_empty())
    })
}

/// Returns true if a loop is within the limits, and profitable if required by the options.
fn should_unroll(ed: &Editor<'_>, node: Node, counted: &Counted, options: &Unrolled) -> bool {
    let data = ed.func().node(node);
    if data.attrs.words::<Hints>().has(Hints::DONT_UNROLL) || ed.block_before(node).is_none() {
        return false;
    }
    if ed.block_before(node).is_some_and(|before| !falls(ed, before)) {
        return false;
    }
    let size = Size::of(ed, node, counted);
    let copies = u64::from(counted.trips) + 1;
    if size.insts.saturating_mul(copies) > u64::from(options.max_insts) {
        return false;
    }
    let left = u64::from(counted.trips) * size.kept + size.kept_in_last;
    options.loops != Choice::Smaller || left <= size.insts + size.params + LOOP_COST || size.promotes_array
}

/// Size of a loop, and of the code that a copy would keep.
struct Size {
    insts: u64,
    params: u64,
    /// Size of an iteration after known values are folded.
    kept: u64,
    kept_in_last: u64,
    /// True if an array of the invocation is accessed by an index that becomes constant.
    promotes_array: bool,
}

impl Size {
    fn of(ed: &Editor<'_>, node: Node, counted: &Counted) -> Size {
        let mut known: FxHashSet<Inst> = counted.known.iter().copied().collect();
        let params = ed.func().block(counted.header).params.len() as u64;
        let mut size = Size { insts: 0, params, kept: 0, kept_in_last: 0, promotes_array: false };
        let regions = ed.func().node(node).kind.regions();
        for block in regions.into_iter().flat_map(|region| blocks_of(ed, region)) {
            let before = size.kept;
            for &inst in ed.func().block(block).insts.iter() {
                size.add(ed, inst, &mut known);
            }
            if block == counted.header || !counted.exits_in_header {
                size.kept_in_last += size.kept - before;
            }
        }
        for inner in inner_choices(ed, node) {
            let is_constant = ed.func().node(inner).kind.operand().is_some_and(|on| known.contains(&on));
            size.kept += if is_constant { 0 } else { CHOICE_COST };
        }
        size
    }

    fn add(&mut self, ed: &Editor<'_>, inst: Inst, known: &mut FxHashSet<Inst>) {
        let data = ed.func().inst(inst);
        if matches!(data.op, Op::Basic(BasicOp::Const | BasicOp::Undef)) {
            known.insert(inst);
            return;
        }
        self.insts += 1;
        let folds = data.op.props().pure()
            && data.op.info().meaning.is_some()
            && data.args.iter().all(|arg| known.contains(arg) || ed.bits_of(*arg).is_some());
        if folds {
            known.insert(inst);
            return;
        }
        self.kept += 1;
        if data.op == Op::Deref(DerefOp::Elem) && data.args.get(1).is_some_and(|index| known.contains(index))
        {
            let constant = data.args.get(1).is_some_and(|&index| ed.bits_of(index).is_some());
            self.promotes_array |= !constant && is_own(ed, inst);
        }
    }
}

/// Returns true if a path leads into a variable of the invocation. False for a path that is not a chain of steps.
fn is_own(ed: &Editor<'_>, path: Inst) -> bool {
    let mut at = path;
    for _ in 0..MAX_PATH_STEPS {
        let data = ed.func().inst(at);
        match data.op {
            Op::Deref(DerefOp::Var) => {
                let var = data.entity(Key::Var).and_then(|var| ed.module().var(var));
                return var.is_some_and(|var| matches!(var.mode, Mode::Local | Mode::Private));
            }
            Op::Deref(_) => match data.args.first() {
                Some(&base) if base != at => at = base,
                Some(_) | None => return false,
            },
            _ => return false,
        }
    }
    false
}

/// Returns the branching nodes in a loop.
fn inner_choices(ed: &Editor<'_>, node: Node) -> Vec<Node> {
    use vitrine_ir::{TreeStep, TreeWalk};
    let regions = ed.func().node(node).kind.regions();
    let entered = |step| match step {
        TreeStep::Enter(node) => Some(node),
        TreeStep::Open(..) | TreeStep::Block(_) | TreeStep::Leave(_) => None,
    };
    let all =
        regions.into_iter().flat_map(|region| TreeWalk::of_region(ed.func(), region).filter_map(entered));
    all.filter(|&inner| ed.func().node(inner).kind.operand().is_some()).collect()
}

/// Makes values leave the loop through parameters, and makes the values it uses visible. Returns true if this
/// succeeded for all.
fn close(ed: &mut Editor<'_>, node: Node) -> Result<bool, Refusal> {
    let mut closing = Closing::default();
    let (mut inside, mut used) = (FxHashSet::default(), Vec::new());
    let regions = ed.func().node(node).kind.regions();
    let blocks: Vec<Block> = regions.into_iter().flat_map(|region| blocks_of(ed, region)).collect();
    for &block in &blocks {
        let data = ed.func().block(block);
        inside.extend(data.params.iter().chain(data.insts.iter()).copied());
        data.insts.iter().for_each(|&inst| used.extend_from_slice(&ed.func().inst(inst).args));
        data.terminator.for_each_use(|value| used.push(value));
    }
    used.extend(inner_choices(ed, node).into_iter().filter_map(|inner| ed.func().node(inner).kind.operand()));
    let mut seen: FxHashSet<Inst> = FxHashSet::default();
    let in_loop = |ed: &Editor<'_>, place| {
        place_of(ed, place).is_some_and(|(block, _)| ed.arm_of(node, block).is_some())
    };
    let mut all = true;
    for value in used.into_iter().filter(|value| !inside.contains(value)) {
        if seen.insert(value) {
            all &= closing.value(ed, value, in_loop)?;
        }
    }
    for &block in &blocks {
        let data = ed.func().block(block);
        let values: Vec<Inst> = data.params.iter().chain(data.insts.iter()).copied().collect();
        for value in values {
            all &= closing.value(ed, value, |_, _| true)?;
        }
    }
    Ok(all)
}

/// Replaces a loop by copies of its body: one for each iteration, and a last one that leaves.
fn unroll(ed: &mut Editor<'_>, node: Node, trips: u32) -> Result<(), Refusal> {
    if !close(ed, node)? || !in_one_region(ed, node)? {
        return Ok(());
    }
    let NodeKind::Loop { body, .. } = ed.func().node(node).kind else { return Ok(()) };
    let iterates = |ed: &Editor<'_>| falls(ed, ed.func().region(body).last());
    let mut pieces = Vec::new();
    if iterates(ed) {
        for _ in 0..trips {
            pieces.push(ed.copy_region(body, WHY)?);
        }
    }
    for piece in pieces {
        append(ed, body, piece)?;
    }
    let last = ed.func().region(body).last();
    if iterates(ed) {
        ed.set_terminator(last, Terminator::Stop(Stop::Unreachable), WHY)?;
    }
    ed.loop_to_block(node, WHY)
}

/// Appends an iteration after the earlier ones, and connects its arguments.
fn append(ed: &mut Editor<'_>, body: Region, piece: Detached) -> Result<(), Refusal> {
    let last = ed.func().region(body).last();
    let Terminator::Next(back_args) = ed.func().terminator(last).clone() else { return Ok(()) };
    let results =
        ed.splice(piece, InsertPoint::End(last), &back_args, WHY).map_err(|refused| refused.refusal)?;
    let last = ed.func().region(body).last();
    ed.set_terminator(last, Terminator::Next(results.into_iter().collect()), WHY)
}
