//! `large-constants`: a variable into which only constants are written, to each leaf always the same, holds them from
//! the beginning.
//!
//! ```text
//! local $0: [f32 * 3]                       const &0 = parts [f32 * 3] (1.0, 2.0, 3.0)
//! ...                                       local $0: [f32 * 3] = &0
//! store %2, %one                            ...
//! store %3, %two                      =>    %5: path = deref.elem %4, %0
//! store %6, %three                          %7: b32 = load %5
//! %5: path = deref.elem %4, %0
//! %7: b32 = load %5
//! ```
//!
//! Tables of constants come from front ends as stores, as many as there are elements. A read before the store found
//! something undefined; now it finds the constant. So where and how often the stores are does not matter, only that no
//! leaf is ever given two values. What was never stored is zero. An initializer that is there counts as stored.
//!
//! A local that is also written in other ways takes what the first block of its function stores into it before anything
//! else is done with it.
//!
//! Of variables that nobody writes: a load by constant steps becomes the constant, and of two that say the same all
//! over, the second is read in the first.
//!
//! Looked at are locals and private variables whose paths go nowhere but into plain loads, stores, and copies from
//! them. Left alone: stores by dynamic steps, with a mask or to a component; variables with decorations, or of which a
//! module constant holds the address; those with less than `min-leaves` leaves or more than 16,384; addresses and
//! resources. NIR: `nir_opt_large_constants`, which makes one block of constant data and needs all stores before all
//! loads.

use super::pass::{Journals, OptionInfo, Options, PassInfo, RunFn, merged};
use crate::base::opening::opening;
use crate::base::{EntityId, SideTable};
use crate::ir::{
    DecorTarget, Diag, Fuel, Func, FuncBody, Inst, InstData, Mode, Module, Operand, Reason, Type, Var,
    VarData,
};
use crate::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, ValueType};
use crate::passes::util::initial;
use crate::passes::util::leaves::{Arrays, Inner, leaves};
use crate::passes::util::memory::{addressed, is_plain, sweep};
use crate::passes::util::open::{in_order, open, refused};
use rustc_hash::{FxHashMap, FxHashSet};

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Turns tables of constants into initializers of variables.",
    options: &[OptionInfo::Number {
        name: "min-leaves",
        doc: "Smallest number of leaves of a variable.",
        default: 2,
        least: 1,
        most: 1 << 14,
    }],
    ..PassInfo::new("large-constants", opening!("large_constants.rs"), RunFn::Module(large_constants))
};

/// Most leaves of a table.
const MOST_LEAVES: usize = 1 << 14;

/// Rounds. A constant that was read of one table may be what is stored to another; two rounds are the rule.
const MOST_ROUNDS: usize = 16;

const STORED: Reason = Reason::Note("the value becomes the initializer of the variable");
const LOADED: Reason = Reason::Note("the variable is never written");
const SAME: Reason = Reason::Note("another variable holds the same value, and neither is written");

/// Makes tables. Near-linear; idempotent; both shapes. A variable is a unit of fuel, a load and a merge are one, too.
///
/// Errors: `P103` a function that was not valid.
fn large_constants(module: &mut Module, options: &Options, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let mut journals = Journals::new();
    for _ in 0..MOST_ROUNDS {
        let tables = Tables::of(module, options.number("min-leaves") as usize);
        let filled = tables.fill(module, fuel);
        let fixed: FxHashSet<Var> = tables.never_written(module, &filled);
        let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
        let same = same_tables(module, &fixed);
        let before = journals.len();
        for &func in &funcs {
            let journal = begin(module, func, &tables, fuel)?;
            if !journal.is_empty() {
                journals.push((func, journal));
            }
        }
        for func in funcs {
            let journal = tables.rewrite(module, func, (&filled, &fixed, &same), fuel)?;
            if !journal.is_empty() {
                journals.push((func, journal));
            }
        }
        if journals.len() == before {
            break;
        }
    }
    Ok(merged(journals))
}

/// What is done with a variable.
#[derive(Default)]
struct Uses {
    /// Something else than what is looked at.
    spoiled: bool,
    /// Its address is a constant, or a decoration that nobody here understands is on it.
    fixed: bool,
    /// What each leaf is given.
    stored: FxHashMap<Vec<u32>, Operand>,
    stores: usize,
}

/// Where a path leads: a variable, and the steps from there if all are constant.
type Place = (Var, Option<Vec<u32>>);

struct Tables {
    uses: FxHashMap<Var, Uses>,
    min_leaves: usize,
}

impl Tables {
    /// Looks at all paths of all functions. Linear.
    fn of(module: &Module, min_leaves: usize) -> Tables {
        let looked_at = |data: &VarData| matches!(data.mode, Mode::Local | Mode::Private);
        let uses = module.vars().filter(|(_, data)| looked_at(data)).map(|(var, _)| (var, Uses::default()));
        let mut tables = Tables { uses: uses.collect(), min_leaves };
        if tables.uses.is_empty() {
            return tables;
        }
        for (_, body) in module.funcs() {
            tables.look(module, body);
        }
        let addressed = addressed(module);
        let decorated = module.decors.iter().filter_map(|decor| match decor.on {
            DecorTarget::Var(var) => Some(var),
            DecorTarget::Func(_)
            | DecorTarget::Global(_)
            | DecorTarget::Struct(_)
            | DecorTarget::Member(..) => None,
        });
        for var in addressed.chain(decorated) {
            if let Some(uses) = tables.uses.get_mut(&var) {
                (uses.spoiled, uses.fixed) = (true, true);
            }
        }
        tables
    }

    fn spoil(&mut self, var: Var) {
        if let Some(uses) = self.uses.get_mut(&var) {
            uses.spoiled = true;
        }
    }

    fn look(&mut self, module: &Module, body: &FuncBody) {
        let places = places(module, body);
        let order = in_order(body);
        let reached: FxHashSet<_> = order.iter().copied().collect();
        for block in body.blocks_in_order() {
            let data = body.block(block);
            for &inst in data.insts.iter() {
                let data = body.inst(inst);
                let named: Option<Var> = data.entity(Key::Var);
                if let Some(var) =
                    named.filter(|_| data.op != Op::Deref(DerefOp::Var) || !reached.contains(&block))
                {
                    self.spoil(var);
                }
                for (at, &arg) in data.args.iter().enumerate() {
                    if let Some((var, steps)) = &places[arg] {
                        self.used(module, body, data, at, (*var, steps.as_deref()));
                    }
                }
            }
            data.terminator.for_each_use(|value| {
                if let Some((var, _)) = &places[value] {
                    self.spoil(*var);
                }
            });
        }
    }

    /// Notes what an instruction does with a path.
    fn used(
        &mut self,
        module: &Module,
        body: &FuncBody,
        data: &InstData,
        at: usize,
        (var, steps): (Var, Option<&[u32]>),
    ) {
        let harmless = match data.op {
            Op::Deref(DerefOp::Field | DerefOp::Elem) => at == 0,
            Op::Memory(MemoryOp::Load) => is_plain(data),
            Op::Memory(MemoryOp::CopyVar) => at == 1 && is_plain(data),
            _ => false,
        };
        if harmless {
            return;
        }
        let stored = match (data.op, data.args.get(1), steps) {
            (Op::Memory(MemoryOp::Store), Some(&value), Some(steps))
                if at == 0 && is_plain(data) && !data.attrs.has(Key::Mask) =>
            {
                Some((steps, body.inst(value)))
            }
            _ => None,
        };
        let Some(uses) = self.uses.get_mut(&var) else { return };
        let Some((steps, value)) = stored else {
            uses.spoiled = true;
            return;
        };
        uses.stores += 1;
        if value.op == Op::Basic(BasicOp::Undef) {
            return;
        }
        let leaf = module.var(var).and_then(|data| initial::leaf_type(module, data.ty, steps));
        let fits = leaf.is_some_and(|ty| ty == value.ty && matches!(ty, ValueType::Bits { .. }));
        match initial::constant(value).filter(|_| fits) {
            Some(value) => {
                let known = *uses.stored.entry(steps.to_vec()).or_insert(value);
                uses.spoiled |= known != value;
            }
            None => uses.spoiled = true,
        }
    }

    /// Gives variables their initializers; those that have one now.
    fn fill(&self, module: &mut Module, fuel: &mut Fuel) -> FxHashSet<Var> {
        let all: Vec<(Var, VarData)> = module.vars().map(|(var, data)| (var, data.clone())).collect();
        let mut filled = FxHashSet::default();
        for (var, data) in all {
            let Some(uses) = self.uses.get(&var).filter(|uses| !uses.spoiled && uses.stores > 0) else {
                continue;
            };
            if !self.is_table(module, &data) || !agrees(module, &data, uses) {
                continue;
            }
            if !fuel.take() {
                break;
            }
            let init = match data.init {
                Some(init) => Some(init),
                None => initial::whole(module, data.ty, &uses.stored, MOST_LEAVES),
            };
            module.set_var(var, VarData { init, ..data });
            filled.insert(var);
        }
        filled
    }

    /// Whether a variable is an aggregate of bits of the right size.
    fn is_table(&self, module: &Module, data: &VarData) -> bool {
        let Some(ways) = leaves(module, data.ty, MOST_LEAVES, Arrays::Apart) else { return false };
        let bits = |way: &Vec<Inner>| {
            let steps: Vec<u32> = way.iter().map(|&step| initial::number(step)).collect();
            matches!(initial::leaf_type(module, data.ty, &steps), Some(ValueType::Bits { .. }))
        };
        ways.len() >= self.min_leaves && module.value_type(data.ty).is_none() && ways.iter().all(bits)
    }

    /// Variables with an initializer that nobody writes now.
    fn never_written(&self, module: &Module, filled: &FxHashSet<Var>) -> FxHashSet<Var> {
        let fixed = |(var, uses): (&Var, &Uses)| {
            let has_init = module.var(*var).is_some_and(|data| data.init.is_some());
            let unwritten = uses.stores == 0 || filled.contains(var);
            (!uses.spoiled && unwritten && has_init).then_some(*var)
        };
        self.uses.iter().filter_map(fixed).collect()
    }

    /// Takes the stores out, and reads what is known.
    fn rewrite(
        &self,
        module: &mut Module,
        func: Func,
        (filled, fixed, same): (&FxHashSet<Var>, &FxHashSet<Var>, &FxHashMap<Var, Var>),
        fuel: &mut Fuel,
    ) -> Result<crate::ir::Journal, Diag> {
        let Some(body) = module.func(func).filter(|_| !fixed.is_empty()) else {
            return Ok(Default::default());
        };
        let places = places(module, body);
        let (mut gone, mut known, mut moved) = (Vec::new(), Vec::new(), Vec::new());
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            if let Some(&other) = data.entity::<Var>(Key::Var).and_then(|var| same.get(&var)) {
                moved.push((inst, other));
            }
            let place = data.args.first().and_then(|&path| places[path].as_ref());
            let Some((var, steps)) = place.filter(|(var, _)| fixed.contains(var)) else { return };
            match (data.op, steps) {
                (Op::Memory(MemoryOp::Store), _) if filled.contains(var) => gone.push(inst),
                (Op::Memory(MemoryOp::Load), Some(steps)) => known.push((inst, *var, steps.clone(), data.ty)),
                _ => {}
            }
        });
        let mut constants = Vec::new();
        for (load, var, steps, ty) in known {
            let init = module.var(var).and_then(|data| data.init);
            let part = init.and_then(|init| initial::part(module, init, steps, ty));
            if let Some(part) = part.filter(|_| fuel.take()) {
                constants.push((load, initial::instruction(part, ty)));
            }
        }
        if gone.is_empty() && constants.is_empty() && moved.is_empty() {
            return Ok(Default::default());
        }
        let mut ed = open(module, func)?;
        let done = (|| {
            let mut left = Vec::new();
            for store in gone {
                left.extend(ed.func().inst(store).args.first().copied());
                ed.erase(store, STORED)?;
            }
            for (load, constant) in constants {
                left.extend(ed.func().inst(load).args.first().copied());
                ed.rewrite(load, constant, LOADED)?;
            }
            for (path, other) in moved {
                if fuel.take() {
                    let data = ed.func().inst(path).clone().with(Key::Var, other.index() as u64);
                    ed.rewrite(path, data, SAME)?;
                }
            }
            left.into_iter().try_for_each(|path| sweep(&mut ed, path, STORED))
        })();
        let edited = ed.finish();
        done.map_err(|refusal| refused(func, &refusal))?;
        Ok(edited.journal)
    }
}

/// Lets locals of a function begin with what its first block stores into them before anything else.
fn begin(
    module: &mut Module,
    func: Func,
    tables: &Tables,
    fuel: &mut Fuel,
) -> Result<crate::ir::Journal, Diag> {
    let mut gone = Vec::new();
    for (var, stored, stores) in first_stores(module, func) {
        let data = module.var(var).cloned();
        let looked_at = |data: &VarData| {
            data.mode == Mode::Local
                && data.owner == Some(func)
                && data.init.is_none()
                && tables.is_table(module, data)
        };
        let Some(data) = data.filter(looked_at) else { continue };
        // What only ever holds constants is filled as a whole.
        let other = tables.uses.get(&var).is_some_and(|uses| uses.spoiled && !uses.fixed);
        if !other || stored.len() < tables.min_leaves {
            continue;
        }
        if !fuel.take() {
            break;
        }
        let init = initial::whole(module, data.ty, &stored, MOST_LEAVES);
        module.set_var(var, VarData { init, ..data });
        gone.extend(stores);
    }
    if gone.is_empty() {
        return Ok(Default::default());
    }
    let mut ed = open(module, func)?;
    let done = gone.into_iter().try_for_each(|store| {
        let path = ed.func().inst(store).args.first().copied();
        ed.erase(store, STORED)?;
        path.map_or(Ok(()), |path| sweep(&mut ed, path, STORED))
    });
    let edited = ed.finish();
    done.map_err(|refusal| refused(func, &refusal))?;
    Ok(edited.journal)
}

/// For each variable: constants that the first block stores into it before anything else is done with it, and the
/// stores.
type First = (Var, FxHashMap<Vec<u32>, Operand>, Vec<Inst>);

fn first_stores(module: &Module, func: Func) -> Vec<First> {
    let Some((body, entry)) = module.func(func).and_then(|body| Some((body, body.entry()?))) else {
        return Vec::new();
    };
    let places = places(module, body);
    let mut at: FxHashMap<Var, Option<usize>> = FxHashMap::default();
    let mut out: Vec<First> = Vec::new();
    for &inst in body.block(entry).insts.iter() {
        let data = body.inst(inst);
        let stored = first_store(module, body, &places, data);
        for (number, &arg) in data.args.iter().enumerate() {
            let Some((var, _)) = &places[arg] else { continue };
            if matches!(data.op, Op::Deref(DerefOp::Field | DerefOp::Elem)) && number == 0 {
                continue;
            }
            let next = out.len();
            let slot = at.entry(*var).or_insert(Some(next));
            let Some((steps, value)) = stored.as_ref().filter(|_| number == 0) else {
                *slot = None;
                continue;
            };
            let Some(index) = *slot else { continue };
            if index == next {
                out.push((*var, FxHashMap::default(), Vec::new()));
            }
            if let Some((_, known, stores)) = out.get_mut(index) {
                known.insert(steps.clone(), *value);
                stores.push(inst);
            }
        }
    }
    out
}

/// A plain store of a constant to a leaf: the steps to it, and the constant.
fn first_store(
    module: &Module,
    body: &FuncBody,
    places: &SideTable<Inst, Option<Place>>,
    data: &InstData,
) -> Option<(Vec<u32>, Operand)> {
    let (Op::Memory(MemoryOp::Store), &[path, value]) = (data.op, &data.args[..]) else { return None };
    let (var, steps) = places[path].as_ref()?;
    let steps = steps.clone().filter(|_| is_plain(data) && !data.attrs.has(Key::Mask))?;
    let ty = initial::leaf_type(module, module.var(*var)?.ty, &steps)?;
    let value = body.inst(value);
    let constant = initial::constant(value)?;
    (value.ty == ty).then_some((steps, constant))
}

/// Whether what is stored is what the variable holds at first, if it has an initializer.
fn agrees(module: &mut Module, data: &VarData, uses: &Uses) -> bool {
    let Some(init) = data.init else { return true };
    uses.stored.iter().all(|(steps, &value)| {
        let ty = initial::leaf_type(module, data.ty, steps);
        ty.and_then(|ty| initial::part(module, init, steps.iter().copied(), ty)) == Some(value)
    })
}

/// For each table that says what an earlier one says: that one.
fn same_tables(module: &Module, fixed: &FxHashSet<Var>) -> FxHashMap<Var, Var> {
    let mut first: FxHashMap<(Type, Operand, Mode, Option<Func>), Var> = FxHashMap::default();
    let mut same = FxHashMap::default();
    for (var, data) in module.vars().filter(|(var, data)| fixed.contains(var) && data.attrs.is_empty()) {
        let Some(init) = data.init else { continue };
        let known = *first.entry((data.ty, init, data.mode, data.owner)).or_insert(var);
        if known != var {
            same.insert(var, known);
        }
    }
    same
}

/// Where every path leads that is made of steps from a variable.
fn places(module: &Module, body: &FuncBody) -> SideTable<Inst, Option<Place>> {
    let mut places: SideTable<Inst, Option<Place>> = SideTable::with_default(None);
    for block in in_order(body) {
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            let base = || data.args.first().and_then(|&base| places[base].clone());
            let further = |step: Option<u32>| {
                let (var, steps) = base()?;
                let steps = steps.zip(step).map(|(mut steps, step)| {
                    steps.push(step);
                    steps
                });
                Some((var, steps))
            };
            let place = match data.op {
                Op::Deref(DerefOp::Var) => data.entity(Key::Var).map(|var| (var, Some(Vec::new()))),
                Op::Deref(DerefOp::Field) => {
                    further(data.attrs.get(Key::Field).and_then(|at| u32::try_from(at).ok()))
                }
                Op::Deref(DerefOp::Elem) => {
                    let index = data.args.get(1).and_then(|&index| body.const_of(index));
                    let index = index.map(|bits| module.bits_of(bits).component(0).as_u64());
                    further(index.and_then(|at| u32::try_from(at).ok()))
                }
                _ => None,
            };
            if place.is_some() {
                places[inst] = place;
            }
        }
    }
    places
}
