//! `qptr-dead-stores`: removes stores to untyped memory that are overwritten before they are read, or never read.
//!
//! ```text
//! store %1, %2 {offset 16}
//! %4: b32 = load %1 {offset 8}             %4: b32 = load %1 {offset 8}
//! store %1, %3 {offset 12}            =>   store %1, %3 {offset 12}
//! ```
//!
//! Where `%3` is of four components. A walk from the end of the function to its start with a table of bytes that are
//! stored to on every way from here before they may be read. A store goes if all its bytes are in the table, by one
//! later store or by several. A load takes those out that it may meet: what lies elsewhere from the same beginning by
//! the same indices, and what is in another variable, it does not (as in `qptr-forward`). Where ways part, all must
//! agree; a way back round a loop knows nothing.
//!
//! Of untyped private, local and shared memory the analysis `usage` knows what all functions read: stores to other
//! bytes of it go too. An index may lead backwards there; only one that has a range is known to stay in it.
//!
//! * Calls, and loads through pointers of which nothing is known, read everything. Barriers, atomics and whatever
//!   else others
//!   may look at memory by, so also the end of a component, read all that is not private or local.
//! * A later store counts only if it reaches memory where the earlier one does: through the same steps by indices,
//!   and within the bytes of the earlier one or those that the variable is known to have. What an access past the
//!   end would do is kept.
//! * Left alone: volatile and coherent memory and accesses, stores of pointers, and stores to memory that is never
//!   read through
//!   pointers out of parameters, loads and choices.
//!
//! The 64 latest ranges are known, each as a whole: a load of one of its bytes takes all of it out. For typed paths
//! this is `dead-write-vars`.

use super::pass::{Journals, Options, PassInfo, RunFn};
use crate::analysis::{Analyses, Cfg, Memory, Term, Usage};
use crate::base::SideTable;
use crate::base::opening::opening;
use crate::ir::{
    Block, Diag, Editor, Fuel, Func, FuncBody, Inst, InstData, Mode, Module, Reason, Refusal, Var,
};
use crate::ops::{BasicOp, Key, MemoryOp, Op, Props, PtrOp, ValueType};
use crate::passes::util::memory::{addressed, is_private, is_relaxed};
use crate::passes::util::open::{open, refused};
use crate::passes::util::places::{Place, Places, component_bytes};
use rustc_hash::FxHashMap;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Removes stores to untyped memory that are overwritten before they are read, or never read.",
    ..PassInfo::new("qptr-dead-stores", opening!("qptr_dead_stores.rs"), RunFn::Module(qptr_dead_stores))
};

const OVERWRITTEN: Reason = Reason::Note("these bytes are overwritten before they are read");
const NEVER_READ: Reason = Reason::Note("these bytes are never read");

/// Most ranges known at once.
const MOST_KNOWN: usize = 64;

/// Removes them. Near-linear; idempotent; both shapes. A store is a unit of fuel.
///
/// Error: `P103` a function that was not valid.
fn qptr_dead_stores(module: &mut Module, _: &Options, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let stores: Vec<Func> =
        module.funcs().filter(|(_, body)| has_stores(body)).map(|(func, _)| func).collect();
    if stores.is_empty() {
        return Ok(Journals::new());
    }
    let reads = reads(module);
    let mut journals = Journals::new();
    for func in stores {
        let mut ed = open(module, func)?.fueled(*fuel);
        let done = Walk::new(&ed, &reads).all(&mut ed);
        let edited = ed.finish();
        *fuel = edited.fuel;
        done.map_err(|refusal| refused(func, &refusal))?;
        journals.push((func, edited.journal));
    }
    Ok(journals)
}

/// Whether a function stores anything through an untyped pointer.
fn has_stores(body: &FuncBody) -> bool {
    let is_store = |&inst: &Inst| {
        let data = body.inst(inst);
        let at = data.args.first();
        data.op == Op::Memory(MemoryOp::Store) && at.is_some_and(|&at| body.ty(at) == ValueType::Ptr)
    };
    body.blocks_in_order().into_iter().any(|block| body.block(block).insts.iter().any(is_store))
}

/// Bytes that are read of a variable: from, to.
type Ranges = Vec<(i64, i64)>;

/// The bytes that anybody may read of variables that all accesses to are known of.
fn reads(module: &Module) -> FxHashMap<Var, Ranges> {
    let usage = Usage::of(module, &mut Analyses::new());
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

/// Bytes that are overwritten.
#[derive(Clone, Copy, PartialEq)]
struct Dead {
    place: Place,
    /// The steps by indices, one by one.
    steps: u32,
    /// They are known to be inside of the variable.
    inside: bool,
}

struct Walk<'a> {
    places: Places,
    cfg: Cfg,
    reads: &'a FxHashMap<Var, Ranges>,
    /// The steps by indices of a pointer, by number.
    steps: SideTable<Inst, u32>,
    /// What is overwritten from the start of a block on.
    starts: SideTable<Block, Option<Vec<Dead>>>,
}

impl<'a> Walk<'a> {
    fn new(ed: &Editor<'_>, reads: &'a FxHashMap<Var, Ranges>) -> Walk<'a> {
        let cfg = Cfg::of(ed.func());
        let places = Places::of(ed, &cfg);
        let steps = steps(ed, &cfg, &places);
        Walk { places, cfg, reads, steps, starts: SideTable::with_default(None) }
    }

    /// Walks all blocks that are reached, last ones first.
    fn all(mut self, ed: &mut Editor<'_>) -> Result<(), Refusal> {
        for block in self.cfg.rpo().to_vec().into_iter().rev() {
            let mut dead = self.on_all_ways(block);
            let insts: Vec<Inst> = ed.func().block(block).insts.to_vec();
            for inst in insts.into_iter().rev() {
                let Some(why) = self.why_dead(ed, inst, &dead) else {
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

    /// What is overwritten on all ways on from a block; nothing where the function or the component ends.
    fn on_all_ways(&self, block: Block) -> Vec<Dead> {
        let mut ways = self.cfg.succs(block).map(|next| self.starts[next].as_deref().unwrap_or(&[]));
        let mut dead = ways.next().map(<[Dead]>::to_vec).unwrap_or_default();
        for way in ways {
            dead.retain(|entry| way.contains(entry));
        }
        dead
    }

    /// The bytes that a store writes, run by run; none where that cannot be said.
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

    /// Why a store may go; none where it may not.
    fn why_dead(&mut self, ed: &Editor<'_>, inst: Inst, dead: &[Dead]) -> Option<Reason> {
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

    /// What is overwritten before an instruction, given what is behind it.
    fn before(&mut self, ed: &Editor<'_>, inst: Inst, dead: &mut Vec<Dead>) {
        let data = ed.func().inst(inst);
        let at = data.args.first().copied().filter(|&at| ed.func().ty(at) == ValueType::Ptr);
        match (data.op, at) {
            (Op::Memory(MemoryOp::Store), _) if is_relaxed(data) => {
                for run in self.written(ed, data).unwrap_or_default() {
                    learn(dead, run);
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
            // Nothing but how long memory is.
            (Op::Memory(MemoryOp::ArrayLen) | Op::Ptr(PtrOp::BufferLen), _) => {}
            (Op::Basic(BasicOp::Call), _) => dead.clear(),
            (op, _) => self.looks(ed, op, &data.args, dead),
        }
    }

    /// What is overwritten before something that may look at memory in a way of its own.
    fn looks(&mut self, ed: &Editor<'_>, op: Op, args: &[Inst], dead: &mut Vec<Dead>) {
        let looks = [Props::READS, Props::WRITES, Props::MEMORY_BARRIER, Props::TERMINATES];
        if !looks.into_iter().any(|props| op.props().has(props)) {
            return;
        }
        // Whatever has an address may lead anywhere.
        let leads = args.iter().any(|&arg| ed.func().ty(arg).is_opaque());
        let module = ed.module();
        dead.retain(|entry| !leads && is_private(self.places.mode(module, entry.place.var)));
    }
}

/// The steps by indices of every pointer, and the constant bytes between them, by number. Those of one number from one
/// beginning lead to memory at the same time.
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

/// The runs of components that a store writes.
fn runs(place: Place, mask: Option<u64>) -> Vec<Place> {
    let Some(mask) = mask else { return vec![place] };
    let components = (0..place.ty.components()).filter(|component| mask >> component & 1 == 1);
    let offset = |component: u8| {
        place.offset.saturating_add(i64::from(component).saturating_mul(component_bytes(place.ty)))
    };
    components
        .map(|component| Place { offset: offset(component), ty: place.ty.with_components(1), ..place })
        .collect()
}

/// Whether all bytes of a store are overwritten by stores that reach memory where it does.
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

/// Bytes that indices may add, where all of them are known to stay in a range.
fn reach(terms: &[Term]) -> Option<i64> {
    terms.iter().try_fold(0i64, |all, term| {
        let most = term.range?.checked_div(term.stride)?.saturating_sub(1);
        all.checked_add(i64::from(most) * i64::from(term.stride))
    })
}

/// Knows one range more, in place of the oldest where there are too many.
fn learn(dead: &mut Vec<Dead>, new: Dead) {
    if dead.contains(&new) {
        return;
    }
    if dead.len() >= MOST_KNOWN {
        dead.remove(0);
    }
    dead.push(new);
}
