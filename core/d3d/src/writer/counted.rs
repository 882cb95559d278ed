//! Loops that count: how often they repeat, and if their test can be left to `rep`.
//!
//! ```text
//! loop (%k = 0) { if %k >= %n { break } … %k + 1 }        rep n times
//! loop (%k = %n) { if %k <= 0 { break } … %k - 1 }        rep n times
//! ```
//!
//! `%n` is a constant, or an integer of a uniform buffer of which every use is such a count: then it has a register for
//! integers. Nothing but the test may be computed before it.

use super::paths::access;
use super::select::{Class, Selector, User};
use crate::sm1::Register;
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_analysis::{Analyses, Inductions, Loops};
use vitrine_ir::ops::{BasicOp, IntOp, MemoryOp, Op, VectorOp};
use vitrine_ir::{Block, Inst, Mode, Node, NodeKind, Region, Terminator, Var};

/// Iterations of one `rep`.
pub(super) const MOST_REPEATS: u32 = 255;

/// What is known about a loop.
#[derive(Clone, Debug)]
pub(super) struct Counted {
    /// The `if` at the start of each iteration that leaves the loop.
    pub test: Node,
    /// The block that leaves the loop where the test requires it.
    pub leaving: Block,
    /// The test is the only exit.
    pub is_only_exit: bool,
    /// The number of iterations, if the loop can be written without its test.
    pub limit: Option<Limit>,
    /// The largest number of iterations that are begun, if it is known.
    pub most: Option<u32>,
    /// The test is the only exit, and only reads values from before the loop and parameters of its first block.
    pub repeats_test: bool,
}

impl Counted {
    /// The number of nested `rep` that the loop needs, if it is known.
    pub(super) fn levels(&self) -> Option<usize> {
        if self.limit.is_some() {
            return Some(1);
        }
        let most = u64::from(self.most?);
        let mut levels = 1;
        let mut reached = u64::from(MOST_REPEATS);
        while reached < most {
            reached *= u64::from(MOST_REPEATS);
            levels += 1;
        }
        Some(levels)
    }
}

/// A number of iterations.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Limit {
    Register(Register),
    Constant(u32),
}

/// A number of iterations before it has a register.
#[derive(Clone, Copy, Debug)]
enum Bound {
    Constant(u32),
    /// A load, and the place that it reads.
    Load(Inst, Var, u32),
}

/// A loop with a test at the start of each iteration.
struct Tested {
    node: Node,
    test: Node,
    head: Block,
    /// The comparison, negated if the loop goes on where it holds.
    cond: Inst,
    leaves_if: bool,
    leaving: Block,
    is_free: bool,
}

/// Everything known about the loops of a function.
pub(super) fn counted(select: &mut Selector<'_>) -> FxHashMap<Node, Counted> {
    let body = select.body;
    let mut cx = Analyses::new();
    let loops = cx.get::<Loops>(select.module, select.func);
    let inductions = cx.get::<Inductions>(select.module, select.func);
    let mut most: FxHashMap<Block, u32> = FxHashMap::default();
    for of in loops.all() {
        if let Some(trips) = inductions.trips(of).most() {
            most.insert(loops.header(of), trips.saturating_add(1));
        }
    }
    let mut breaks: FxHashMap<Node, u32> = FxHashMap::default();
    let mut nodes: Vec<(Node, Region)> = Vec::new();
    let mut found = FxHashMap::default();
    for &block in select.cfg.blocks() {
        if let Terminator::Break(node, _) = body.terminator(block) {
            *breaks.entry(*node).or_default() += 1;
        }
        if let Some(node) = select.cfg.enters(block)
            && let NodeKind::Loop { body: region, continuing: None } = body.node(node).kind
        {
            nodes.push((node, region));
        }
    }
    let mut bounds: Vec<(Node, Bound)> = Vec::new();
    for &(node, region) in &nodes {
        let Some(tested) = tested(select, node, region) else {
            continue;
        };
        let is_only_exit = breaks.get(&node) == Some(&1);
        let repeats_test = tested.is_free && is_only_exit;
        let most = most.get(&tested.head).copied();
        let Tested { test, leaving, .. } = tested;
        found.insert(node, Counted { test, leaving, is_only_exit, limit: None, most, repeats_test });
        if let Some(bound) = bound(select, &tested).filter(|_| tested.is_free) {
            bounds.push((node, bound));
        }
    }
    // A load counts if it has no other use than these.
    let mut uses: FxHashMap<Inst, usize> = FxHashMap::default();
    for (_, bound) in &bounds {
        if let Bound::Load(load, ..) = bound {
            *uses.entry(*load).or_default() += 1;
        }
    }
    let counts: FxHashSet<Inst> = uses
        .iter()
        .filter(|&(&load, &count)| count == uses_of(select, load))
        .map(|(&load, _)| load)
        .collect();
    let others = other_reads(select, &counts);
    for (node, bound) in bounds {
        let limit = match bound {
            Bound::Constant(count) => (count <= MOST_REPEATS).then_some(Limit::Constant(count)),
            Bound::Load(_, var, offset) if others.contains(&(var, offset)) => None,
            Bound::Load(_, var, offset) => select.interface.counter(var, offset).map(Limit::Register),
        };
        if let Some(counted) = found.get_mut(&node) {
            counted.limit = limit;
        }
    }
    found
}

/// The test at the start of the iterations of a loop; none if there is none.
fn tested(select: &Selector<'_>, node: Node, region: Region) -> Option<Tested> {
    let body = select.body;
    let data = body.region(region);
    let &(test, _) = data.rest.first()?;
    let NodeKind::If { cond, then, els } = body.node(test).kind else { return None };
    let leaves = |arm: Region| {
        let arm = body.region(arm);
        let block = body.block(arm.head);
        let to_end = matches!(&block.terminator, Terminator::Break(of, _) if *of == node);
        arm.rest.is_empty() && block.insts.is_empty() && to_end
    };
    let leaves_if = leaves(then);
    if !leaves_if && !leaves(els) {
        return None;
    }
    let is_free = body.block(data.head).insts.iter().all(|&inst| inst == cond || is_free(select, inst));
    // What the block after the loop gets must not be computed by the test's block.
    let leaving = body.region(if leaves_if { then } else { els }).head;
    let mut is_known = true;
    body.terminator(leaving).for_each_use(|value| {
        is_known &= !body.block(data.head).insts.contains(&value) || is_free_value(select, value);
    });
    Some(Tested { node, test, head: data.head, cond, leaves_if, leaving, is_free: is_free && is_known })
}

/// Returns true for instructions without code of their own.
fn is_free(select: &Selector<'_>, inst: Inst) -> bool {
    match select.body.inst(inst).op {
        Op::Deref(_) | Op::Basic(BasicOp::Const | BasicOp::Undef) => true,
        Op::Vector(VectorOp::Swizzle) => true,
        Op::Memory(MemoryOp::Load) => load_place(select, inst).is_some(),
        _ => false,
    }
}

fn is_free_value(select: &Selector<'_>, inst: Inst) -> bool {
    is_free(select, inst)
}

/// The place in a uniform buffer that a load reads, if its address is constant.
pub(super) fn load_place(select: &Selector<'_>, load: Inst) -> Option<(Var, u32)> {
    let data = select.body.inst(load);
    let path = *data.args.first().filter(|_| data.op == Op::Memory(MemoryOp::Load))?;
    let access = access(select.module, select.body, path)?;
    let mode = select.module.var(access.var)?.mode;
    let fits = access.terms.is_empty() && matches!(mode, Mode::Uniform | Mode::Push);
    fits.then_some((access.var, access.offset))
}

/// The number of iterations of a loop that counts by one.
fn bound(select: &Selector<'_>, tested: &Tested) -> Option<Bound> {
    let body = select.body;
    let data = body.inst(tested.cond);
    let Op::Int(op) = data.op else { return None };
    let (&a, &b) = (data.args.first()?, data.args.get(1)?);
    let params = &body.block(tested.head).params;
    // `left OP right` holds where the loop ends, with the counter on the left.
    let (op, counter, limit) = match params.contains(&a) {
        true => (op, a, b),
        false => (mirrored(op)?, b, a),
    };
    let op = if tested.leaves_if { op } else { opposite(op)? };
    let at = params.iter().position(|&param| param == counter)?;
    let (from, by) = steps(select, tested, counter, at)?;
    let constant = |inst: Inst| {
        let bits = body.const_of(inst)?;
        Some(select.module.bits_of(bits).component(0).as_u64() as u32 as i32)
    };
    match (op, by) {
        (IntOp::IGe | IntOp::UGe, 1) if constant(from) == Some(0) => as_bound(select, limit, constant(limit)),
        (IntOp::ILe, -1) if constant(limit) == Some(0) => {
            // The register cannot be copied to a counter that something reads.
            let is_step = |user: &User| match *user {
                User::Arg(inst, _) => select.users.of_value(inst) == [User::Other],
                User::If | User::Other => false,
            };
            let users = select.users.of_value(counter);
            let others =
                users.iter().filter(|user| !matches!(user, User::Arg(inst, _) if *inst == tested.cond));
            let is_read = others.clone().count() != 1 || !others.clone().all(is_step);
            as_bound(select, from, constant(from))
                .filter(|bound| matches!(bound, Bound::Constant(_)) || !is_read)
        }
        _ => None,
    }
}

fn as_bound(select: &Selector<'_>, inst: Inst, known: Option<i32>) -> Option<Bound> {
    if let Some(count) = known {
        return Some(Bound::Constant(u32::try_from(count.max(0)).ok()?));
    }
    // A component of a load of several is read by a swizzle.
    let data = select.body.inst(inst);
    let load = match data.op {
        Op::Vector(VectorOp::Swizzle) => {
            let packed = data.attrs.get(vitrine_ir::ops::Key::Components)?;
            let is_first = vitrine_ir::ops::attr::unpack_component(packed, 0) == 0;
            *data.args.first().filter(|_| is_first && data.ty.components() == 1)?
        }
        _ => inst,
    };
    let (var, offset) = load_place(select, load)?;
    (select.class(inst) == Class::Int).then_some(Bound::Load(load, var, offset))
}

/// The number of uses of a load, where a swizzle counts by its own uses.
fn uses_of(select: &Selector<'_>, load: Inst) -> usize {
    let uses = |user: &User| match *user {
        User::Arg(inst, _) if select.body.inst(inst).op == Op::Vector(VectorOp::Swizzle) => {
            select.users.of_value(inst).len()
        }
        User::Arg(..) | User::If | User::Other => 1,
    };
    select.users.of_value(load).iter().map(uses).sum()
}

/// The first value of a counter, and its step.
fn steps(select: &Selector<'_>, tested: &Tested, counter: Inst, at: usize) -> Option<(Inst, i32)> {
    let body = select.body;
    let cfg = &select.cfg;
    let (mut from, mut by) = (None, None);
    for edge in cfg.in_edges(tested.head) {
        let &arg = cfg.args(body, edge).get(at)?;
        let is_entry = cfg.enters(cfg.edge(edge).from) == Some(tested.node);
        if is_entry {
            from = Some(arg);
            continue;
        }
        let data = body.inst(arg);
        let constant = |inst: Inst| {
            let bits = body.const_of(inst)?;
            Some(select.module.bits_of(bits).component(0).as_u64() as u32 as i32)
        };
        let (&a, &b) = (data.args.first()?, data.args.get(1)?);
        let step = match data.op {
            Op::Int(IntOp::IAdd) if a == counter => constant(b)?,
            Op::Int(IntOp::IAdd) if b == counter => constant(a)?,
            Op::Int(IntOp::ISub) if a == counter => constant(b)?.checked_neg()?,
            _ => return None,
        };
        if by.is_some_and(|known| known != step) {
            return None;
        }
        by = Some(step);
    }
    Some((from?, by?))
}

/// The same comparison with its operands exchanged.
fn mirrored(op: IntOp) -> Option<IntOp> {
    Some(match op {
        IntOp::ILt => IntOp::IGt,
        IntOp::IGt => IntOp::ILt,
        IntOp::ILe => IntOp::IGe,
        IntOp::IGe => IntOp::ILe,
        IntOp::ULt => IntOp::UGt,
        IntOp::UGt => IntOp::ULt,
        IntOp::ULe => IntOp::UGe,
        IntOp::UGe => IntOp::ULe,
        _ => return None,
    })
}

/// The comparison that holds where another one does not.
fn opposite(op: IntOp) -> Option<IntOp> {
    Some(match op {
        IntOp::ILt => IntOp::IGe,
        IntOp::IGt => IntOp::ILe,
        IntOp::ILe => IntOp::IGt,
        IntOp::IGe => IntOp::ILt,
        IntOp::ULt => IntOp::UGe,
        IntOp::UGt => IntOp::ULe,
        IntOp::ULe => IntOp::UGt,
        IntOp::UGe => IntOp::ULt,
        _ => return None,
    })
}

/// The places in uniform buffers that other loads than these read.
pub(super) fn other_reads(select: &Selector<'_>, counts: &FxHashSet<Inst>) -> FxHashSet<(Var, u32)> {
    let body = select.body;
    let mut others = FxHashSet::default();
    for &block in select.cfg.blocks() {
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            let (Op::Memory(MemoryOp::Load), Some(&path)) = (data.op, data.args.first()) else { continue };
            let Some(access) = access(select.module, body, path) else { continue };
            if counts.contains(&inst) {
                continue;
            }
            let (first, last) = access.bytes(data.ty.components());
            // Arrays that are read at computed indices are at most as large as all constants.
            others.extend(
                (first..=last.min(first.saturating_add(1 << 14))).step_by(4).map(|at| (access.var, at)),
            );
        }
    }
    others
}
