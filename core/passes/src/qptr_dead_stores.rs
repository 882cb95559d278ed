//! `qptr-dead-stores`: removes stores to untyped memory that are overwritten before they are read, or never read.
//!
//! ```text
//! store %1, %2 {offset 16}
//! %4: b32 = load %1 {offset 8}             %4: b32 = load %1 {offset 8}
//! store %1, %3 {offset 12}            =>   store %1, %3 {offset 12}
//! ```
//!
//! Here `%3` has four components. The pass visits blocks in reverse order with a table of bytes that every path
//! from the current point overwrites before it may read them. A store is removed if all its bytes are in the
//! table, from one later store or several. A load removes the entries that it may alias: bytes at a different
//! offset from the same start with the same indices, and bytes of another variable, do not alias (as in
//! `qptr-forward`). At a branch, all successors must agree; a back edge contributes nothing.
//!
//! For untyped private, local and shared memory the analysis `usage` gives the bytes that all functions read:
//! stores to other bytes are also removed. An index may be negative there; only one with a range is known to
//! stay in it.
//!
//! * Calls, and loads through unknown pointers, read everything. Barriers, atomics and all other instructions
//!   that make memory visible to other invocations, and the end of the invocation, read all memory that is not
//!   private or local.
//! * A later store counts only if it accesses memory whenever the earlier one does: through the same steps by
//!   indices, and within the bytes of the earlier one or the known size of the variable. The effect of an
//!   access past the end is preserved.
//! * Unchanged: volatile and coherent memory and accesses, stores of pointers, and stores through pointers that
//!   come from parameters, loads and selects, if the memory is never read.
//!
//! The table holds the 64 latest ranges, each as a unit: a load of one of its bytes removes the whole range.
//! For typed paths this is `dead-write-vars`.

use super::pass::{Journals, PassContext, PassInfo, RunFn};
use crate::util::memory::{addressed, is_private, is_relaxed};
use crate::util::places::{BytePlace, Places, component_bytes};
use crate::util::rewrite_each::each_function;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use vitrine_analysis::{Analyses, Cfg, Memory, Term, Usage};
use vitrine_ir::base::SideTable;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{BasicOp, Key, MemoryOp, Op, Props, PtrOp, ValueType};
use vitrine_ir::{Block, Diag, Editor, Fuel, FuncBody, Inst, InstData, Mode, Module, Reason, Refusal, Var};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Removes stores to untyped memory that are overwritten before they are read, or never read.",
    ..PassInfo::new("qptr-dead-stores", opening!("qptr_dead_stores.rs"), RunFn::Module(qptr_dead_stores))
};

const OVERWRITTEN: Reason = Reason::Note("these bytes are overwritten before they are read");
const NEVER_READ: Reason = Reason::Note("these bytes are never read");

/// The maximum number of ranges in the table.
const MAX_KNOWN: usize = 64;

/// Removes dead stores. Near-linear; idempotent; both shapes. A store is a unit of fuel.
///
/// Error: `P103` a function that was not valid.
fn qptr_dead_stores(module: &mut Module, cx: PassContext<'_>, fuel: &mut Fuel) -> Result<Journals, Diag> {
    if !module.funcs().any(|(_, body)| has_stores(body)) {
        return Ok(Journals::new());
    }
    let reads = reads(module, cx.analyses);
    each_function(module, fuel, has_stores, |ed| Walk::new(ed, &reads, cx.analyses).all(ed))
}

/// Returns true if a function stores through an untyped pointer.
fn has_stores(body: &FuncBody) -> bool {
    let is_store = |&inst: &Inst| {
        let data = body.inst(inst);
        let at = data.args.first();
        data.op == Op::Memory(MemoryOp::Store) && at.is_some_and(|&at| body.ty(at) == ValueType::Ptr)
    };
    body.blocks_in_order().into_iter().any(|block| body.block(block).insts.iter().any(is_store))
}

/// Bytes of a variable that are read: from, to.
type Ranges = Vec<(i64, i64)>;

/// The bytes that may be read, for variables whose accesses are all known.
fn reads(module: &Module, analyses: &mut Analyses) -> FxHashMap<Var, Ranges> {
    let usage = Usage::of(module, analyses);
    let mut reads = FxHashMap::default();
    for (var, data) in module.vars() {
        let is_ours = matches!(data.mode, Mode::Private | Mode::Local | Mode::Shared);
        if is_ours && data.is_untyped() && !data.attrs.has(Key::Aliased) {
            reads.extend(usage.reads(Memory::Var(var)).map(|ranges| (var, ranges)));
        }
    }
    for var in addressed(module) {
        reads.remove(&var);
    }
    reads
}

/// A range of overwritten bytes.
#[derive(Clone, Copy, PartialEq)]
struct Dead {
    place: BytePlace,
    /// The number of the sequence of steps by indices.
    steps: u32,
    /// True if the range is known to be inside the variable.
    inside: bool,
}

struct Walk<'a> {
    places: Places,
    cfg: Rc<Cfg>,
    reads: &'a FxHashMap<Var, Ranges>,
    /// The number of the sequence of steps by indices, for each pointer.
    steps: SideTable<Inst, u32>,
    /// The bytes that are overwritten from the start of a block on.
    starts: SideTable<Block, Option<Vec<Dead>>>,
}

impl<'a> Walk<'a> {
    fn new(ed: &Editor<'_>, reads: &'a FxHashMap<Var, Ranges>, analyses: &mut Analyses) -> Walk<'a> {
        let cfg = analyses.get::<Cfg>(ed.module(), ed.id());
        let places = Places::of(ed, &cfg);
        let steps = steps(ed, &cfg, &places);
        Walk { places, cfg, reads, steps, starts: SideTable::with_default(None) }
    }

    /// Visits all reachable blocks, last ones first.
    fn all(mut self, ed: &mut Editor<'_>) -> Result<(), Refusal> {
        for block in self.cfg.rpo().to_vec().into_iter().rev() {
            let mut dead = self.on_all_paths(block);
            let insts: Vec<Inst> = ed.func().block(block).insts.to_vec();
            for inst in insts.into_iter().rev() {
                let Some(why) = self.reason_dead(ed, inst, &dead) else {
                    self.before(ed, inst, &mut dead);
                    continue;
                };
                if !ed.consume_fuel() {
                    return Ok(());
                }
                ed.erase(inst, why)?;
            }
            self.starts[block] = Some(dead);
        }
        Ok(())
    }

    /// The bytes that are overwritten on all paths from a block; none where the function or the invocation
    /// ends.
    fn on_all_paths(&self, block: Block) -> Vec<Dead> {
        let mut successors = self.cfg.succs(block).map(|next| self.starts[next].as_deref().unwrap_or(&[]));
        let mut dead = successors.next().map(<[Dead]>::to_vec).unwrap_or_default();
        for known in successors {
            dead.retain(|entry| known.contains(entry));
        }
        dead
    }

    /// The byte ranges that a store writes; none if they are not known.
    fn written(&mut self, ed: &Editor<'_>, data: &InstData) -> Option<Vec<Dead>> {
        let &[at, value] = &data.args[..] else { return None };
        let is_store = data.op == Op::Memory(MemoryOp::Store) && ed.func().ty(at) == ValueType::Ptr;
        if !is_store || !is_relaxed(data) {
            return None;
        }
        let place = self.places.place(ed, at, data, ed.func().ty(value))?;
        let steps = self.steps[at];
        let inside = |place| self.places.is_inside(ed, at, place, |_| None);
        let runs = runs(place, data.attrs.get(Key::Mask)).into_iter();
        Some(runs.map(|place| Dead { place, steps, inside: inside(place) }).collect())
    }

    /// The reason why a store is dead; none if it is live.
    fn reason_dead(&mut self, ed: &Editor<'_>, inst: Inst, dead: &[Dead]) -> Option<Reason> {
        let data = ed.func().inst(inst);
        let written = self.written(ed, data)?;
        if written.iter().all(|run| is_covered(dead, *run)) {
            return Some(OVERWRITTEN);
        }
        let &at = data.args.first()?;
        let terms = self.places.address(at)?.terms;
        let is_unread = |run: &Dead| match self.reads.get(&run.place.var) {
            None => false,
            Some(reads) if reads.is_empty() => true,
            Some(reads) => reach(terms).is_some_and(|reach| {
                let (start, end) = (run.place.offset, run.place.end().saturating_add(reach));
                !reads.iter().any(|&(from, to)| start < to && from < end)
            }),
        };
        written.iter().all(is_unread).then_some(NEVER_READ)
    }

    /// The bytes that are overwritten before an instruction, given those after it.
    fn before(&mut self, ed: &Editor<'_>, inst: Inst, dead: &mut Vec<Dead>) {
        let data = ed.func().inst(inst);
        let at = data.args.first().copied().filter(|&at| ed.func().ty(at) == ValueType::Ptr);
        match (data.op, at) {
            (Op::Memory(MemoryOp::Store), _) if is_relaxed(data) => {
                for run in self.written(ed, data).unwrap_or_default() {
                    add_dead(dead, run);
                }
            }
            (Op::Memory(MemoryOp::Load) | Op::Ptr(PtrOp::Handle), Some(at)) if is_relaxed(data) => {
                let Some(var) = self.places.var(at) else {
                    dead.clear();
                    return;
                };
                let place = self.places.place(ed, at, data, data.ty);
                dead.retain(|entry| !self.places.may_meet(var, place, entry.place));
            }
            // Reads only the size of the memory.
            (Op::Memory(MemoryOp::ArrayLen) | Op::Ptr(PtrOp::BufferLen), _) => {}
            (Op::Basic(BasicOp::Call), _) => dead.clear(),
            (op, _) => self.remove_read(ed, op, &data.args, dead),
        }
    }

    /// Removes the bytes that another kind of instruction may read.
    fn remove_read(&mut self, ed: &Editor<'_>, op: Op, args: &[Inst], dead: &mut Vec<Dead>) {
        let visible_to_others = [Props::READS, Props::WRITES, Props::MEMORY_BARRIER, Props::TERMINATES];
        if !visible_to_others.into_iter().any(|props| op.props().has(props)) {
            return;
        }
        // An operand that is an address may refer to any place.
        let leads = args.iter().any(|&arg| ed.func().ty(arg).is_opaque());
        let module = ed.module();
        dead.retain(|entry| !leads && is_private(self.places.mode(module, entry.place.var)));
    }
}

/// For every pointer a number for its steps by indices and the constant bytes between them. Pointers with the
/// same number and the same start are in bounds under the same conditions.
fn steps(ed: &Editor<'_>, cfg: &Cfg, places: &Places) -> SideTable<Inst, u32> {
    let mut numbers: FxHashMap<(u32, Term), u32> = FxHashMap::default();
    let mut steps: SideTable<Inst, u32> = SideTable::with_default(0);
    for &block in cfg.rpo() {
        for &inst in ed.func().block(block).insts.iter() {
            let Some(address) = places.address(inst).filter(|address| address.base != inst) else { continue };
            let data = ed.func().inst(inst);
            let Some(&from) = data.args.first() else { continue };
            let Some(before) = places.address(from) else { continue };
            steps[inst] = match address.terms.last() {
                Some(&term) if address.terms.len() > before.terms.len() => {
                    let next = numbers.len() as u32 + 1;
                    *numbers.entry((steps[from], term)).or_insert(next)
                }
                Some(_) | None => steps[from],
            };
        }
    }
    steps
}

/// The contiguous runs of components that a store writes.
fn runs(place: BytePlace, mask: Option<u64>) -> Vec<BytePlace> {
    let Some(mask) = mask else { return vec![place] };
    let components = (0..place.ty.components()).filter(|component| mask >> component & 1 == 1);
    let offset = |component: u8| {
        place.offset.saturating_add(i64::from(component).saturating_mul(component_bytes(place.ty)))
    };
    components
        .map(|component| BytePlace { offset: offset(component), ty: place.ty.with_components(1), ..place })
        .collect()
}

/// Returns true if all bytes of a store are overwritten by stores that are executed in bounds whenever it is.
fn is_covered(dead: &[Dead], store: Dead) -> bool {
    let (start, end) = (store.place.offset, store.place.end());
    let counts = |entry: &&Dead| {
        let within = start <= entry.place.offset && entry.place.end() <= end;
        entry.place.path == store.place.path && entry.steps == store.steps && (within || entry.inside)
    };
    let mut at = start;
    while at < end {
        let over = |entry: &&Dead| entry.place.offset <= at && at < entry.place.end();
        match dead.iter().filter(counts).filter(over).map(|entry| entry.place.end()).max() {
            Some(next) => at = next,
            None => return false,
        }
    }
    true
}

/// The maximum number of bytes that indices may add, if all of them have a range.
fn reach(terms: &[Term]) -> Option<i64> {
    terms.iter().try_fold(0i64, |all, term| {
        let most = term.range?.checked_div(term.stride)?.saturating_sub(1);
        all.checked_add(i64::from(most) * i64::from(term.stride))
    })
}

/// Adds a range to the table, and evicts the oldest if it is full.
fn add_dead(dead: &mut Vec<Dead>, new: Dead) {
    if dead.contains(&new) {
        return;
    }
    if dead.len() >= MAX_KNOWN {
        dead.remove(0);
    }
    dead.push(new);
}
