//! `large-constants`: turns tables of constants into initializers of variables.
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
//! Front ends emit tables of constants as one store for each element. A load before the store read an undefined
//! value; now it reads the constant. So the position and the number of stores do not matter, only that no leaf is
//! given two different values. Leaves without a store are zero. An existing initializer counts as stored.
//!
//! A local with other writes is initialized with the values that the first block of its function stores before any
//! other use.
//!
//! For variables that are never written: a load by constant steps becomes the constant, and of two variables with
//! the same contents, the second is replaced by the first.
//!
//! Considers locals and private variables whose paths are used only by plain loads, stores, and copies from them.
//! Left alone: stores by dynamic steps, with a mask or to a component; variables with decorations, or whose
//! address is in a module constant; those with fewer than `min-leaves` leaves or more than 16,384; addresses and
//! resources. NIR: `nir_opt_large_constants`, which builds one block of constant data and requires all stores to
//! precede all loads.

use super::options::{PassOptions, options};
use super::pass::{Journals, PassInfo, RunFn, merged};
use crate::util::initial;
use crate::util::leaves::{Arrays, Inner, leaves};
use crate::util::memory::{addressed, is_plain, sweep};
use crate::util::open::{in_order, open, refused};
use rustc_hash::{FxHashMap, FxHashSet};
use vitrine_ir::base::opening::opening;
use vitrine_ir::base::{EntityId, SideTable};
use vitrine_ir::ops::{BasicOp, DerefOp, Key, MemoryOp, Op, ValueType};
use vitrine_ir::{
    DecorTarget, Diag, Fuel, Func, FuncBody, Inst, InstData, Mode, Module, Operand, Reason, Type, Var,
    VarData,
};

options! {
    /// The variables that count as tables.
    struct TableSize {
        /// Smallest number of leaves of a variable.
        min_leaves: u32 = 2 in 1..=1 << 14;
    }
}

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Turns tables of constants into initializers of variables.",
    options: TableSize::INFO,
    ..PassInfo::new(
        "large-constants",
        opening!("large_constants.rs"),
        RunFn::Module(|module, cx, fuel| {
            large_constants(module, TableSize::of(cx.options).min_leaves as usize, fuel)
        }),
    )
};

/// Maximum number of leaves of a table.
const MAX_LEAVES: usize = 1 << 14;

/// Maximum number of iterations. A constant loaded from one table may be stored to another; two usually suffice.
const MAX_ITERATIONS: usize = 16;

const STORED: Reason = Reason::Note("the value becomes the initializer of the variable");
const LOADED: Reason = Reason::Note("the variable is never written");
const SAME: Reason = Reason::Note("another variable holds the same value, and neither is written");

/// Builds tables. Near-linear; idempotent; both shapes. One unit of fuel per variable, load and merge.
///
/// Errors: `P103` if a function is not valid.
fn large_constants(module: &mut Module, min_leaves: usize, fuel: &mut Fuel) -> Result<Journals, Diag> {
    let mut journals = Journals::new();
    for _ in 0..MAX_ITERATIONS {
        let tables = Tables::of(module, min_leaves);
        let filled = tables.fill(module, fuel);
        let constant_vars: FxHashSet<Var> = tables.never_written(module, &filled);
        let funcs: Vec<Func> = module.funcs().map(|(func, _)| func).collect();
        let same = same_tables(module, &constant_vars);
        let before = journals.len();
        for &func in &funcs {
            let journal = initialize_locals(module, func, &tables, fuel)?;
            if !journal.is_empty() {
                journals.push((func, journal));
            }
        }
        for func in funcs {
            let journal = tables.rewrite(module, func, (&filled, &constant_vars, &same), fuel)?;
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

/// Uses of a variable.
#[derive(Default)]
struct Uses {
    /// It has a use that this pass does not support.
    has_other_use: bool,
    /// Its address is a constant, or it has a decoration.
    has_fixed_address: bool,
    /// The value stored to each leaf.
    stored: FxHashMap<Vec<u32>, Operand>,
    stores: usize,
}

/// Target of a path: a variable, and the steps from there if all are constant.
type PathTarget = (Var, Option<Vec<u32>>);

struct Tables {
    uses: FxHashMap<Var, Uses>,
    min_leaves: usize,
}

impl Tables {
    /// Collects the paths of all functions. Linear.
    fn of(module: &Module, min_leaves: usize) -> Tables {
        let is_candidate = |data: &VarData| matches!(data.mode, Mode::Local | Mode::Private);
        let uses =
            module.vars().filter(|(_, data)| is_candidate(data)).map(|(var, _)| (var, Uses::default()));
        let mut tables = Tables { uses: uses.collect(), min_leaves };
        if tables.uses.is_empty() {
            return tables;
        }
        for (_, body) in module.funcs() {
            tables.collect(module, body);
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
                (uses.has_other_use, uses.has_fixed_address) = (true, true);
            }
        }
        tables
    }

    fn mark_other_use(&mut self, var: Var) {
        if let Some(uses) = self.uses.get_mut(&var) {
            uses.has_other_use = true;
        }
    }

    fn collect(&mut self, module: &Module, body: &FuncBody) {
        let targets = targets(module, body);
        let order = in_order(body);
        let reachable: FxHashSet<_> = order.iter().copied().collect();
        for block in body.blocks_in_order() {
            let data = body.block(block);
            for &inst in data.insts.iter() {
                let data = body.inst(inst);
                let named: Option<Var> = data.entity(Key::Var);
                if let Some(var) =
                    named.filter(|_| data.op != Op::Deref(DerefOp::Var) || !reachable.contains(&block))
                {
                    self.mark_other_use(var);
                }
                for (at, &arg) in data.args.iter().enumerate() {
                    if let Some((var, steps)) = &targets[arg] {
                        self.record_use(module, body, data, at, (*var, steps.as_deref()));
                    }
                }
            }
            data.terminator.for_each_use(|value| {
                if let Some((var, _)) = &targets[value] {
                    self.mark_other_use(*var);
                }
            });
        }
    }

    /// Records a use of a path.
    fn record_use(
        &mut self,
        module: &Module,
        body: &FuncBody,
        data: &InstData,
        at: usize,
        (var, steps): (Var, Option<&[u32]>),
    ) {
        let is_read_only = match data.op {
            Op::Deref(DerefOp::Field | DerefOp::Elem) => at == 0,
            Op::Memory(MemoryOp::Load) => is_plain(data),
            Op::Memory(MemoryOp::CopyVar) => at == 1 && is_plain(data),
            _ => false,
        };
        if is_read_only {
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
            uses.has_other_use = true;
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
                uses.has_other_use |= known != value;
            }
            None => uses.has_other_use = true,
        }
    }

    /// Adds initializers to variables. Returns the variables that now have one.
    fn fill(&self, module: &mut Module, fuel: &mut Fuel) -> FxHashSet<Var> {
        let all: Vec<(Var, VarData)> = module.vars().map(|(var, data)| (var, data.clone())).collect();
        let mut filled = FxHashSet::default();
        for (var, data) in all {
            let Some(uses) = self.uses.get(&var).filter(|uses| !uses.has_other_use && uses.stores > 0) else {
                continue;
            };
            if !self.is_table(module, &data) || !matches_init(module, &data, uses) {
                continue;
            }
            if !fuel.take() {
                break;
            }
            let init = match data.init {
                Some(init) => Some(init),
                None => initial::whole(module, data.ty, &uses.stored, MAX_LEAVES),
            };
            module.set_var(var, VarData { init, ..data });
            filled.insert(var);
        }
        filled
    }

    /// Returns true if a variable is an aggregate of bits of the right size.
    fn is_table(&self, module: &Module, data: &VarData) -> bool {
        let Some(leaf_paths) = leaves(module, data.ty, MAX_LEAVES, Arrays::Apart) else { return false };
        let bits = |leaf_path: &Vec<Inner>| {
            let steps: Vec<u32> = leaf_path.iter().map(|&step| initial::number(step)).collect();
            matches!(initial::leaf_type(module, data.ty, &steps), Some(ValueType::Bits { .. }))
        };
        leaf_paths.len() >= self.min_leaves
            && module.value_type(data.ty).is_none()
            && leaf_paths.iter().all(bits)
    }

    /// Returns the variables with an initializer that are never written.
    fn never_written(&self, module: &Module, filled: &FxHashSet<Var>) -> FxHashSet<Var> {
        let constant_var = |(var, uses): (&Var, &Uses)| {
            let has_init = module.var(*var).is_some_and(|data| data.init.is_some());
            let unwritten = uses.stores == 0 || filled.contains(var);
            (!uses.has_other_use && unwritten && has_init).then_some(*var)
        };
        self.uses.iter().filter_map(constant_var).collect()
    }

    /// Removes the stores, and replaces loads of known values.
    fn rewrite(
        &self,
        module: &mut Module,
        func: Func,
        (filled, constant_vars, same): (&FxHashSet<Var>, &FxHashSet<Var>, &FxHashMap<Var, Var>),
        fuel: &mut Fuel,
    ) -> Result<vitrine_ir::Journal, Diag> {
        let Some(body) = module.func(func).filter(|_| !constant_vars.is_empty()) else {
            return Ok(Default::default());
        };
        let targets = targets(module, body);
        let (mut erased, mut known, mut moved) = (Vec::new(), Vec::new(), Vec::new());
        body.for_each_inst(|_, inst| {
            let data = body.inst(inst);
            if let Some(&other) = data.entity::<Var>(Key::Var).and_then(|var| same.get(&var)) {
                moved.push((inst, other));
            }
            let place = data.args.first().and_then(|&path| targets[path].as_ref());
            let Some((var, steps)) = place.filter(|(var, _)| constant_vars.contains(var)) else { return };
            match (data.op, steps) {
                (Op::Memory(MemoryOp::Store), _) if filled.contains(var) => erased.push(inst),
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
        if erased.is_empty() && constants.is_empty() && moved.is_empty() {
            return Ok(Default::default());
        }
        let mut ed = open(module, func)?;
        let done = (|| {
            let mut left = Vec::new();
            for store in erased {
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

/// Initializes locals of a function with the values that its first block stores before any other use.
fn initialize_locals(
    module: &mut Module,
    func: Func,
    tables: &Tables,
    fuel: &mut Fuel,
) -> Result<vitrine_ir::Journal, Diag> {
    let mut erased = Vec::new();
    for (var, stored, stores) in first_stores(module, func) {
        let data = module.var(var).cloned();
        let is_candidate = |data: &VarData| {
            data.mode == Mode::Local
                && data.owner == Some(func)
                && data.init.is_none()
                && tables.is_table(module, data)
        };
        let Some(data) = data.filter(is_candidate) else { continue };
        // Variables that only ever hold constants are filled as a whole.
        let other = tables.uses.get(&var).is_some_and(|uses| uses.has_other_use && !uses.has_fixed_address);
        if !other || stored.len() < tables.min_leaves {
            continue;
        }
        if !fuel.take() {
            break;
        }
        let init = initial::whole(module, data.ty, &stored, MAX_LEAVES);
        module.set_var(var, VarData { init, ..data });
        erased.extend(stores);
    }
    if erased.is_empty() {
        return Ok(Default::default());
    }
    let mut ed = open(module, func)?;
    let done = erased.into_iter().try_for_each(|store| {
        let path = ed.func().inst(store).args.first().copied();
        ed.erase(store, STORED)?;
        path.map_or(Ok(()), |path| sweep(&mut ed, path, STORED))
    });
    let edited = ed.finish();
    done.map_err(|refusal| refused(func, &refusal))?;
    Ok(edited.journal)
}

/// A variable with the constants that the first block stores into it before any other use, and the stores.
type FirstStores = (Var, FxHashMap<Vec<u32>, Operand>, Vec<Inst>);

fn first_stores(module: &Module, func: Func) -> Vec<FirstStores> {
    let Some((body, entry)) = module.func(func).and_then(|body| Some((body, body.entry()?))) else {
        return Vec::new();
    };
    let targets = targets(module, body);
    let mut at: FxHashMap<Var, Option<usize>> = FxHashMap::default();
    let mut out: Vec<FirstStores> = Vec::new();
    for &inst in body.block(entry).insts.iter() {
        let data = body.inst(inst);
        let stored = first_store(module, body, &targets, data);
        for (number, &arg) in data.args.iter().enumerate() {
            let Some((var, _)) = &targets[arg] else { continue };
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

/// Returns the steps and the constant of a plain store of a constant to a leaf.
fn first_store(
    module: &Module,
    body: &FuncBody,
    targets: &SideTable<Inst, Option<PathTarget>>,
    data: &InstData,
) -> Option<(Vec<u32>, Operand)> {
    let (Op::Memory(MemoryOp::Store), &[path, value]) = (data.op, &data.args[..]) else { return None };
    let (var, steps) = targets[path].as_ref()?;
    let steps = steps.clone().filter(|_| is_plain(data) && !data.attrs.has(Key::Mask))?;
    let ty = initial::leaf_type(module, module.var(*var)?.ty, &steps)?;
    let value = body.inst(value);
    let constant = initial::constant(value)?;
    (value.ty == ty).then_some((steps, constant))
}

/// Returns true if the stored values match the initializer of a variable, or it has none.
fn matches_init(module: &mut Module, data: &VarData, uses: &Uses) -> bool {
    let Some(init) = data.init else { return true };
    uses.stored.iter().all(|(steps, &value)| {
        let ty = initial::leaf_type(module, data.ty, steps);
        ty.and_then(|ty| initial::part(module, init, steps.iter().copied(), ty)) == Some(value)
    })
}

/// Maps each table with the same contents as an earlier one to that one.
fn same_tables(module: &Module, constant_vars: &FxHashSet<Var>) -> FxHashMap<Var, Var> {
    let mut first: FxHashMap<(Type, Operand, Mode, Option<Func>), Var> = FxHashMap::default();
    let mut same = FxHashMap::default();
    for (var, data) in
        module.vars().filter(|(var, data)| constant_vars.contains(var) && data.attrs.is_empty())
    {
        let Some(init) = data.init else { continue };
        let known = *first.entry((data.ty, init, data.mode, data.owner)).or_insert(var);
        if known != var {
            same.insert(var, known);
        }
    }
    same
}

/// Returns the target of every path that consists of steps from a variable.
fn targets(module: &Module, body: &FuncBody) -> SideTable<Inst, Option<PathTarget>> {
    let mut targets: SideTable<Inst, Option<PathTarget>> = SideTable::with_default(None);
    for block in in_order(body) {
        for &inst in body.block(block).insts.iter() {
            let data = body.inst(inst);
            let base = || data.args.first().and_then(|&base| targets[base].clone());
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
                targets[inst] = place;
            }
        }
    }
    targets
}
