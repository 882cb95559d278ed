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
//!     ^3:                                       … the second round, with %10 and %11 …
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
//! How often it goes round is asked of the analysis `inductions`: exactly so often, or at most. Each round is a copy
//! that reads what the one before hands on, and every exit leads where it led, so that several exits, returns and
//! loops inside are no matter. Behind the last round, which is known to leave, nothing is reached. The conditions
//! are constant now: `constant-fold` and `dead-cf` make of it what is left.
//!
//! Inner loops come first. A loop is taken if it has no more than `max-trips` rounds and all of them together no more
//! than `max-insts` instructions. `smaller` takes only what gets smaller, as far as it can be told from what
//! becomes constant, or reads an array of the invocation's own by what becomes constant, so that the array may become
//! values. The author's `dont_unroll` is obeyed; `unroll` is left for whoever compiles the shader.
//!
//! Left alone: loops whose count is not known, loops with code that nothing reaches (see `dead-cf`), graphs, and what
//! `lower-continue` leaves alone.
//!
//! NIR: `nir_opt_loop_unroll`.

use super::pass::{OptionInfo, Options, PassInfo, PassShape};
use crate::analysis::{Cfg, Dom, Inductions, Loop, Loops};
use crate::base::opening::opening;
use crate::ir::{
    Block, Detached, Editor, InsertPoint, Inst, Mode, Node, NodeKind, Reason, Refusal, Region, Shape, Stop,
    Terminator,
};
use crate::ops::{BasicOp, DerefOp, Key, Op};
use crate::passes::util::lcssa::{Closing, place_of};
use crate::passes::util::loop_edit::{blocks_of, falls, in_one_region};
use crate::passes::util::open::nodes_in_order;
use rustc_hash::{FxHashMap, FxHashSet};
use std::rc::Rc;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Fully unrolls loops whose trip count is known.",
    shape: Some(PassShape::Tree),
    options: &[
        OptionInfo::Word("all", "Every loop within the limits."),
        OptionInfo::Word("smaller", "Only if the code gets smaller or an array can be promoted to values."),
        OptionInfo::Number {
            name: "max-trips",
            doc: "Largest trip count.",
            default: 32,
            least: 0,
            most: 65_536,
        },
        OptionInfo::Number {
            name: "max-insts",
            doc: "Largest number of instructions of all iterations together, without constants.",
            default: 1024,
            least: 0,
            most: 1_000_000,
        },
    ],
    // Copies of a loop inside another may have a count that the loop had not.
    idempotent: false,
    ..PassInfo::edits("loop-unroll", opening!("loop_unroll.rs"), loop_unroll)
};

const WHY: Reason = Reason::Note("the trip count is known");

/// The bits of `hint` that ask for rounds one by one, and for a loop.
const DONT_UNROLL: u64 = 1 << 1;

/// What a loop costs besides its instructions: the words that open and close it, and its test.
const LOOP_ITSELF: u64 = 5;

/// What a choice costs besides its instructions.
const CHOICE_ITSELF: u64 = 3;

/// Steps of a path that are followed to its variable.
const LONGEST_PATH: usize = 64;

/// What is known of a loop.
struct Counted {
    rounds: u32,
    /// Parameters of its first block that every round knows.
    known: Vec<Inst>,
    /// The block where the last round leaves, as far as it is the first.
    header: Block,
    leaves_at_once: bool,
}

/// Unrolls loops, inner ones first. Linear in what comes out; trees.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn loop_unroll(ed: &mut Editor<'_>, options: &Options) -> Result<(), Refusal> {
    if !matches!(ed.func().shape(), Shape::Tree(_)) {
        return Ok(());
    }
    let counted = counted(ed, options.number("max-trips"));
    if counted.is_empty() {
        return Ok(());
    }
    for node in nodes_in_order(ed.func()).into_iter().rev() {
        let Some(loop_) = counted.get(&node) else { continue };
        if wanted(ed, node, loop_, options) && ed.consume_fuel() {
            unroll(ed, node, loop_.rounds)?;
        }
    }
    Ok(())
}

/// The loops that go round no more often than that.
fn counted(ed: &Editor<'_>, max_trips: u32) -> FxHashMap<Node, Counted> {
    let is_loop = |node: &Node| matches!(ed.func().node(*node).kind, NodeKind::Loop { .. });
    if !ed.func().tables().nodes.keys().filter(|&node| ed.has_node(node)).any(|node| is_loop(&node)) {
        return FxHashMap::default();
    }
    let cfg = Rc::new(Cfg::of(ed.func()));
    let loops = Loops::of(ed.func(), &cfg);
    if loops.is_empty() {
        return FxHashMap::default();
    }
    let dom = Dom::of(&cfg);
    let found = Inductions::of(ed.module(), ed.func(), &loops, &dom, max_trips);
    let counted = |of: Loop| {
        let rounds = found.trips(of).most().filter(|&rounds| rounds <= max_trips)?;
        let node = loops.node(of).filter(|&node| !has_dead_code(ed, &cfg, node))?;
        let header = loops.header(of);
        let leaves_at_once = loops.exits(of).iter().all(|&edge| cfg.edge(edge).from == header);
        Some((node, Counted { rounds, known: found.known(of).to_vec(), header, leaves_at_once }))
    };
    loops.all().filter_map(counted).collect()
}

/// Whether there is code in a loop that nothing reaches: it may read what is not computed, and cannot be copied.
fn has_dead_code(ed: &Editor<'_>, cfg: &Cfg, node: Node) -> bool {
    let regions = ed.func().node(node).kind.regions();
    regions.into_iter().flat_map(|region| blocks_of(ed, region)).any(|block| {
        let data = ed.func().block(block);
        let mut reads = false;
        data.terminator.for_each_use(|_| reads = true);
        !cfg.is_reachable(block) && (reads || !data.insts.is_empty())
    })
}

/// Whether a loop is within the limits, and worth it if that is asked.
fn wanted(ed: &Editor<'_>, node: Node, counted: &Counted, options: &Options) -> bool {
    let data = ed.func().node(node);
    if data.attrs.get(Key::Hint).unwrap_or(0) & DONT_UNROLL != 0 || ed.block_before(node).is_none() {
        return false;
    }
    if ed.block_before(node).is_some_and(|before| !falls(ed, before)) {
        return false;
    }
    let size = Size::of(ed, node, counted);
    let copies = u64::from(counted.rounds) + 1;
    if size.insts.saturating_mul(copies) > u64::from(options.number("max-insts")) {
        return false;
    }
    let left = u64::from(counted.rounds) * size.stays + size.stays_in_last;
    options.word != "smaller" || left <= size.insts + size.params + LOOP_ITSELF || size.opens_array
}

/// What a loop has, and what of it a copy would keep.
struct Size {
    insts: u64,
    params: u64,
    /// What is left of a round when what is known is constant.
    stays: u64,
    stays_in_last: u64,
    /// Whether an array of the invocation's own is read or written by what becomes constant.
    opens_array: bool,
}

impl Size {
    fn of(ed: &Editor<'_>, node: Node, counted: &Counted) -> Size {
        let mut known: FxHashSet<Inst> = counted.known.iter().copied().collect();
        let params = ed.func().block(counted.header).params.len() as u64;
        let mut size = Size { insts: 0, params, stays: 0, stays_in_last: 0, opens_array: false };
        let regions = ed.func().node(node).kind.regions();
        for block in regions.into_iter().flat_map(|region| blocks_of(ed, region)) {
            let before = size.stays;
            for &inst in ed.func().block(block).insts.iter() {
                size.add(ed, inst, &mut known);
            }
            if block == counted.header || !counted.leaves_at_once {
                size.stays_in_last += size.stays - before;
            }
        }
        for inner in inner_choices(ed, node) {
            let decided = ed.func().node(inner).kind.operand().is_some_and(|on| known.contains(&on));
            size.stays += if decided { 0 } else { CHOICE_ITSELF };
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
        self.stays += 1;
        if data.op == Op::Deref(DerefOp::Elem) && data.args.get(1).is_some_and(|index| known.contains(index))
        {
            let constant = data.args.get(1).is_some_and(|&index| ed.bits_of(index).is_some());
            self.opens_array |= !constant && is_own(ed, inst);
        }
    }
}

/// Whether a path leads into a variable that belongs to the invocation. A path that is not a chain of steps does not.
fn is_own(ed: &Editor<'_>, path: Inst) -> bool {
    let mut at = path;
    for _ in 0..LONGEST_PATH {
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

/// The nodes in a loop that choose.
fn inner_choices(ed: &Editor<'_>, node: Node) -> Vec<Node> {
    use crate::ir::{TreeStep, TreeWalk};
    let regions = ed.func().node(node).kind.regions();
    let entered = |step| match step {
        TreeStep::Enter(node) => Some(node),
        TreeStep::Open(..) | TreeStep::Block(_) | TreeStep::Leave(_) => None,
    };
    let all =
        regions.into_iter().flat_map(|region| TreeWalk::of_region(ed.func(), region).filter_map(entered));
    all.filter(|&inner| ed.func().node(inner).kind.operand().is_some()).collect()
}

/// Lets what the loop computes leave it by parameters, and what it reads be in sight. Whether all of it is.
fn close(ed: &mut Editor<'_>, node: Node) -> Result<bool, Refusal> {
    let mut closing = Closing::default();
    let (mut inside, mut read) = (FxHashSet::default(), Vec::new());
    let regions = ed.func().node(node).kind.regions();
    let blocks: Vec<Block> = regions.into_iter().flat_map(|region| blocks_of(ed, region)).collect();
    for &block in &blocks {
        let data = ed.func().block(block);
        inside.extend(data.params.iter().chain(data.insts.iter()).copied());
        data.insts.iter().for_each(|&inst| read.extend_from_slice(&ed.func().inst(inst).args));
        data.terminator.for_each_use(|value| read.push(value));
    }
    read.extend(inner_choices(ed, node).into_iter().filter_map(|inner| ed.func().node(inner).kind.operand()));
    let mut seen: FxHashSet<Inst> = FxHashSet::default();
    let in_loop = |ed: &Editor<'_>, place| {
        place_of(ed, place).is_some_and(|(block, _)| ed.arm_of(node, block).is_some())
    };
    let mut all = true;
    for value in read.into_iter().filter(|value| !inside.contains(value)) {
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

/// Makes a loop its rounds: as many as it goes round, and the one in which it leaves.
fn unroll(ed: &mut Editor<'_>, node: Node, rounds: u32) -> Result<(), Refusal> {
    if !close(ed, node)? || !in_one_region(ed, node)? {
        return Ok(());
    }
    let NodeKind::Loop { body, .. } = ed.func().node(node).kind else { return Ok(()) };
    let goes_round = |ed: &Editor<'_>| falls(ed, ed.func().region(body).last());
    let mut pieces = Vec::new();
    if goes_round(ed) {
        for _ in 0..rounds {
            pieces.push(ed.copy_region(body, WHY)?);
        }
    }
    for piece in pieces {
        append(ed, body, piece)?;
    }
    let last = ed.func().region(body).last();
    if goes_round(ed) {
        ed.set_terminator(last, Terminator::Stop(Stop::Unreachable), WHY)?;
    }
    ed.loop_to_block(node, WHY)
}

/// Puts a round behind those before, which hand on to it.
fn append(ed: &mut Editor<'_>, body: Region, piece: Detached) -> Result<(), Refusal> {
    let last = ed.func().region(body).last();
    let Terminator::Next(brought) = ed.func().terminator(last).clone() else { return Ok(()) };
    let handed =
        ed.splice(piece, InsertPoint::End(last), &brought, WHY).map_err(|refused| refused.refusal)?;
    let last = ed.func().region(body).last();
    ed.set_terminator(last, Terminator::Next(handed.into_iter().collect()), WHY)
}
