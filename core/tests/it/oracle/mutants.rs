//! Mutants: each entry is the rewrite of a buggy pass, injected into a correct version.
//!
//! A mutant gets a position in a function and returns its changes, or none if it does not apply there.
//! Functions are graphs, so that control flow is in terminators.
//!
//! Positions at which the result would be invalid are rejected by the validator.

use super::formulas::{self, Formula};
use vitrine_core::analysis::{Analyses, Loops};
use vitrine_core::ir::{
    Args, Block, Edge, Editor, Func, FuncBody, InsertPoint, Inst, InstData, Mode, Module, Reason, Stop,
    Terminator, Var,
};
use vitrine_core::ops::attr::{pack_components, unpack_component};
use vitrine_core::ops::{
    BasicOp, Bits, DerefOp, FloatOp, IntOp, Key, MemoryOp, Op, Scalar, ValueType, VectorOp,
};

/// A change made by a mutant.
pub(super) enum Change {
    /// Replaces an instruction.
    Data(Inst, InstData),
    /// Replaces uses of the first value by the second.
    Forward(Inst, Inst),
    /// Replaces a value by a constant.
    Number(Inst, Bits),
    /// Removes an instruction.
    Erase(Inst),
    /// Moves an instruction.
    Move(Inst, InsertPoint),
    /// Replaces the terminator of a block.
    Terminator(Block, Terminator),
    /// Replaces an instruction by a formula of its operands.
    Formula(Inst, Formula),
}

/// A position that mutants are tried at.
#[derive(Clone, Copy)]
pub(super) enum MutationSite {
    Inst(Block, Inst),
    End(Block),
}

/// The context of a function for mutants.
pub(super) struct View<'v> {
    pub(super) module: &'v Module,
    pub(super) body: &'v FuncBody,
    loops: &'v Loops,
}

/// The changes at a site.
pub(super) type MutateFn = fn(&View<'_>, MutationSite) -> Option<Vec<Change>>;

/// An incorrect rewrite.
pub(super) struct Mutant {
    pub(super) name: &'static str,
    /// The kind of rewrite, for figures.
    pub(super) kind: &'static str,
    mutate: MutateFn,
}

impl Mutant {
    pub(super) const fn new(name: &'static str, kind: &'static str, mutate: MutateFn) -> Mutant {
        Mutant { name, kind, mutate }
    }

    /// The module with the mutant at its first applicable site of a function, starting at site `from`, and the
    /// index of that site. `None` if there is none.
    pub(super) fn inject(&self, module: &Module, func: Func, from: usize) -> Option<(Module, usize)> {
        let body = module.func(func)?;
        let loops = Analyses::new().get::<Loops>(module, func);
        let view = View { module, body, loops: &loops };
        for (at, site) in sites(body).into_iter().enumerate().skip(from) {
            let Some(changes) = (self.mutate)(&view, site) else { continue };
            let mut after = module.clone();
            if apply(&mut after, func, changes).is_some() {
                return Some((after, at));
            }
        }
        None
    }

    /// The module with the mutant at every site of every function.
    pub(super) fn inject_everywhere(&self, module: &Module) -> Option<Module> {
        let mut after = module.clone();
        let mut did = false;
        for (func, body) in module.funcs() {
            let loops = Analyses::new().get::<Loops>(module, func);
            let view = View { module, body, loops: &loops };
            for site in sites(body) {
                let changes = (self.mutate)(&view, site);
                did |= changes.and_then(|changes| apply(&mut after, func, changes)).is_some();
            }
        }
        did.then_some(after)
    }
}

fn sites(body: &FuncBody) -> Vec<MutationSite> {
    let mut out = Vec::new();
    for block in body.blocks_in_order() {
        out.extend(body.block(block).insts.iter().map(|&inst| MutationSite::Inst(block, inst)));
        out.push(MutationSite::End(block));
    }
    out
}

fn apply(module: &mut Module, func: Func, changes: Vec<Change>) -> Option<()> {
    let why = Reason::Note("a mutant");
    let mut ed = Editor::new(module, func)?;
    for change in changes {
        let done = match change {
            Change::Data(inst, data) => ed.rewrite(inst, data, why),
            Change::Forward(from, to) => ed.replace_uses(from, to, why),
            Change::Number(inst, bits) => {
                let data = ed.const_bits(bits);
                ed.rewrite(inst, data, why)
            }
            Change::Erase(inst) => ed.erase(inst, why),
            Change::Move(inst, at) => ed.move_to(inst, at, why),
            Change::Terminator(block, terminator) => ed.set_terminator(block, terminator, why),
            Change::Formula(inst, formula) => {
                formulas::replace(&mut ed, inst, formula)?;
                continue;
            }
        };
        done.ok()?;
    }
    ed.finish().changed.then_some(())
}

impl View<'_> {
    fn data(&self, inst: Inst) -> &InstData {
        self.body.inst(inst)
    }

    /// The instruction at a site, if it is this operation.
    fn is(&self, site: MutationSite, op: impl Into<Op>) -> Option<(Inst, &InstData)> {
        let MutationSite::Inst(_, inst) = site else { return None };
        let data = self.data(inst);
        (data.op == op.into()).then_some((inst, data))
    }

    fn number(&self, inst: Inst) -> Option<Bits> {
        self.body.const_of(inst).map(|id| self.module.bits_of(id))
    }

    /// The instructions before the site in its block, nearest first.
    fn before(&self, site: MutationSite) -> Vec<Inst> {
        let MutationSite::Inst(block, inst) = site else { return Vec::new() };
        let insts = self.body.block(block).insts.iter().copied();
        let mut list: Vec<Inst> = insts.take_while(|&other| other != inst).collect();
        list.reverse();
        list
    }

    /// The variable at the root of a path.
    fn root(&self, mut path: Inst) -> Option<Var> {
        for _ in 0..64 {
            let data = self.data(path);
            match data.op {
                Op::Deref(DerefOp::Var) => return data.entity(Key::Var),
                _ => path = *data.args.first()?,
            }
        }
        None
    }

    fn is_in_loop(&self, block: Block) -> bool {
        self.loops.block_depth(block) > 0
    }

    fn terminator(&self, site: MutationSite) -> Option<(Block, &Terminator)> {
        match site {
            MutationSite::End(block) => Some((block, self.body.terminator(block))),
            MutationSite::Inst(..) => None,
        }
    }
}

/// Another operation with the same operands.
fn other_op(view: &View<'_>, site: MutationSite, pairs: &[(&str, &str)]) -> Option<Vec<Change>> {
    let MutationSite::Inst(_, inst) = site else { return None };
    let data = view.data(inst);
    let &(_, to) = pairs.iter().find(|(from, _)| *from == data.op.name())?;
    let to = Op::from_name(to)?;
    Some(vec![Change::Data(inst, InstData { op: to, ..data.clone() })])
}

/// Two operands swapped.
fn swapped(view: &View<'_>, site: MutationSite, ops: &[&str], at: [usize; 2]) -> Option<Vec<Change>> {
    let MutationSite::Inst(_, inst) = site else { return None };
    let data = view.data(inst);
    let (a, b) = (*data.args.get(at[0])?, *data.args.get(at[1])?);
    if !ops.contains(&data.op.name()) || a == b || view.body.ty(a) != view.body.ty(b) {
        return None;
    }
    let mut data = data.clone();
    let mut args: Vec<Inst> = data.args.to_vec();
    args.swap(at[0], at[1]);
    data.args = args.into_iter().collect::<Args>();
    Some(vec![Change::Data(inst, data)])
}

/// An operation replaced by its operand.
fn dropped(view: &View<'_>, site: MutationSite, ops: &[&str]) -> Option<Vec<Change>> {
    let MutationSite::Inst(_, inst) = site else { return None };
    let data = view.data(inst);
    let &arg = data.args.first()?;
    let fits = ops.contains(&data.op.name()) && view.body.ty(arg) == data.ty;
    fits.then(|| vec![Change::Forward(inst, arg)])
}

/// A removed side effect; its result becomes zero.
fn erased(view: &View<'_>, site: MutationSite, ops: &[&str]) -> Option<Vec<Change>> {
    let MutationSite::Inst(_, inst) = site else { return None };
    let data = view.data(inst);
    if !ops.contains(&data.op.name()) {
        return None;
    }
    match data.ty {
        ValueType::Void => Some(vec![Change::Erase(inst)]),
        ValueType::Bits { width, components } => {
            Some(vec![Change::Number(inst, Bits::zero(width, components))])
        }
        ValueType::Path | ValueType::Ptr | ValueType::Handle => None,
    }
}

fn other_number(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (inst, data) = view.is(site, BasicOp::Const)?;
    let bits = view.number(inst)?;
    let width = data.ty.width()?;
    let components: Vec<u64> = bits
        .components()
        .iter()
        .map(|&component| Scalar::new(width, component.wrapping_add(1)).bits())
        .collect();
    Some(vec![Change::Number(inst, Bits::from_components(width, &components))])
}

fn other_component(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (inst, data) = view.is(site, VectorOp::Swizzle)?;
    let (packed, from) = (data.attrs.get(Key::Components)?, view.body.ty(*data.args.first()?).components());
    let mut components: Vec<u8> =
        (0..usize::from(data.ty.components())).map(|at| unpack_component(packed, at)).collect();
    let first = components.first_mut()?;
    *first = (*first + 1) % from.max(1);
    let attrs = data.attrs.with(Key::Components, pack_components(&components));
    (from > 1).then(|| vec![Change::Data(inst, InstData { attrs, ..data.clone() })])
}

fn other_mask(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (inst, data) = view.is(site, MemoryOp::Store)?;
    data.attrs.get(Key::Mask)?;
    Some(vec![Change::Data(inst, InstData { attrs: data.attrs.without(Key::Mask), ..data.clone() })])
}

fn other_field(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (inst, data) = view.is(site, DerefOp::Field)?;
    let attrs = data.attrs.with(Key::Field, data.attrs.get(Key::Field)? ^ 1);
    Some(vec![Change::Data(inst, InstData { attrs, ..data.clone() })])
}

/// The store nearest before a load of the same variable, in the same block.
fn store_before(view: &View<'_>, site: MutationSite) -> Option<(Inst, Inst, Inst)> {
    let (load, data) = view.is(site, MemoryOp::Load)?;
    let &path = data.args.first()?;
    let root = view.root(path)?;
    let is_store = |&&inst: &&Inst| {
        let data = view.data(inst);
        data.op == Op::from(MemoryOp::Store) && data.args.first().and_then(|&to| view.root(to)) == Some(root)
    };
    Some((load, path, *view.before(site).iter().find(is_store)?))
}

fn hoisted_load(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (load, path, store) = store_before(view, site)?;
    let list = view.before(site);
    let after = list.iter().take_while(|&&inst| inst != store);
    // The path must be defined before the store.
    let is_late = after.clone().any(|&inst| inst == path);
    (!is_late).then(|| vec![Change::Move(load, InsertPoint::Before(store))])
}

fn load_over_store(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (load, _, store) = store_before(view, site)?;
    let (root, ty) = (view.root(*view.data(load).args.first()?)?, view.body.ty(load));
    let is_load = |inst: &&Inst| {
        let data = view.data(**inst);
        data.op == Op::from(MemoryOp::Load)
            && data.ty == ty
            && data.args.first().and_then(|&from| view.root(from)) == Some(root)
    };
    let list = view.before(site);
    let first = list.iter().skip_while(|&&inst| inst != store).find(is_load)?;
    Some(vec![Change::Forward(load, *first)])
}

fn reordered_stores(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (store, data) = view.is(site, MemoryOp::Store)?;
    let (root, value) = (view.root(*data.args.first()?)?, *data.args.get(1)?);
    let is_store = |inst: &&Inst| {
        let data = view.data(**inst);
        data.op == Op::from(MemoryOp::Store) && data.args.first().and_then(|&to| view.root(to)) == Some(root)
    };
    let list = view.before(site);
    let first = *list.iter().find(is_store)?;
    let between: Vec<Inst> = list.iter().copied().take_while(|&inst| inst != first).collect();
    let is_late = between.contains(&value) || between.contains(data.args.first()?);
    (!is_late).then(|| vec![Change::Move(store, InsertPoint::Before(first))])
}

fn dead_store(view: &View<'_>, site: MutationSite, in_loop: bool, modes: &[Mode]) -> Option<Vec<Change>> {
    let (inst, data) = view.is(site, MemoryOp::Store)?;
    let MutationSite::Inst(block, _) = site else { return None };
    let root = view.root(*data.args.first()?)?;
    let mode = view.module.var(root)?.mode;
    (modes.contains(&mode) && view.is_in_loop(block) == in_loop).then(|| vec![Change::Erase(inst)])
}

fn element(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (_, data) = view.is(site, DerefOp::Elem)?;
    let &index = data.args.get(1)?;
    let number = view.number(index)?;
    let bits = Bits::scalar(Scalar::new(number.width(), number.components().first()? ^ 1));
    Some(vec![Change::Number(index, bits)])
}

fn not_less(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (inst, data) = view.is(site, IntOp::INot)?;
    let compare = view.data(*data.args.first()?);
    let to = match compare.op {
        Op::Float(FloatOp::FLt) => FloatOp::FGe,
        Op::Float(FloatOp::FGe) => FloatOp::FLt,
        _ => return None,
    };
    let args: Vec<Inst> = compare.args.to_vec();
    Some(vec![Change::Data(inst, InstData::new(to, data.ty, &args))])
}

fn contracted(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (inst, data) = view.is(site, FloatOp::FAdd)?;
    let product = view.data(*data.args.first()?);
    let (a, b, c) = (*product.args.first()?, *product.args.get(1)?, *data.args.get(1)?);
    let is_product = product.op == Op::from(FloatOp::FMul);
    is_product.then(|| vec![Change::Data(inst, InstData::new(FloatOp::FFma, data.ty, &[a, b, c]))])
}

fn reassociated(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (inst, data) = view.is(site, FloatOp::FAdd)?;
    let &inner = data.args.first()?;
    let sum = view.data(inner);
    let (a, b, c) = (*sum.args.first()?, *sum.args.get(1)?, *data.args.get(1)?);
    if sum.op != Op::from(FloatOp::FAdd) || view.before(site).first() != Some(&inner) {
        return None;
    }
    let outer = InstData::new(FloatOp::FAdd, data.ty, &[a, inner]);
    Some(vec![Change::Data(inst, outer), Change::Data(inner, InstData::new(FloatOp::FAdd, sum.ty, &[b, c]))])
}

/// Zero for a float multiplied by zero, which is wrong for infinities, negative values and NaN.
fn times_zero(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (inst, data) = view.is(site, FloatOp::FMul)?;
    let zero = data.args.iter().find(|&&arg| {
        view.number(arg).is_some_and(|bits| bits.components().iter().all(|&component| component << 1 == 0))
    })?;
    Some(vec![Change::Forward(inst, *zero)])
}

fn plus_zero(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (inst, data) = view.is(site, FloatOp::FAdd)?;
    let (&a, &b) = (data.args.first()?, data.args.get(1)?);
    let is_zero =
        |arg| view.number(arg).is_some_and(|bits| bits.components().iter().all(|&component| component == 0));
    match (is_zero(a), is_zero(b)) {
        (_, true) => Some(vec![Change::Forward(inst, a)]),
        (true, _) => Some(vec![Change::Forward(inst, b)]),
        (false, false) => None,
    }
}

fn arms_swapped(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (block, Terminator::Branch { cond, then, els }) = view.terminator(site)? else { return None };
    Some(vec![Change::Terminator(
        block,
        Terminator::Branch { cond: *cond, then: els.clone(), els: then.clone() },
    )])
}

fn decided(view: &View<'_>, site: MutationSite, taken: bool) -> Option<Vec<Change>> {
    let (block, Terminator::Branch { then, els, .. }) = view.terminator(site)? else { return None };
    Some(vec![Change::Terminator(block, Terminator::Goto(if taken { then.clone() } else { els.clone() }))])
}

fn case_dropped(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (block, Terminator::Switch { on, cases, default }) = view.terminator(site)? else { return None };
    let cases = cases.get(1..)?.into();
    Some(vec![Change::Terminator(block, Terminator::Switch { on: *on, cases, default: default.clone() })])
}

fn case_for_default(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (block, Terminator::Switch { on, cases, default }) = view.terminator(site)? else { return None };
    let (mut cases, mut default) = (cases.to_vec(), default.clone());
    std::mem::swap(&mut cases.first_mut()?.edge, &mut default);
    let cases = cases.into();
    Some(vec![Change::Terminator(block, Terminator::Switch { on: *on, cases, default })])
}

/// Changes the first edge of a terminator that can be changed.
fn edge(
    view: &View<'_>,
    site: MutationSite,
    change: impl Fn(Block, &Edge) -> Option<Edge>,
) -> Option<Vec<Change>> {
    let (block, terminator) = view.terminator(site)?;
    let terminator = match terminator.clone() {
        Terminator::Goto(edge) => Terminator::Goto(change(block, &edge)?),
        Terminator::Branch { cond, then, els } => match change(block, &then) {
            Some(then) => Terminator::Branch { cond, then, els },
            None => Terminator::Branch { cond, then, els: change(block, &els)? },
        },
        Terminator::Switch { on, cases, default } => {
            let mut cases = cases.to_vec();
            let first = cases.iter_mut().find_map(|case| change(block, &case.edge).map(|new| (case, new)));
            match first {
                Some((case, edge)) => {
                    case.edge = edge;
                    Terminator::Switch { on, cases: cases.into(), default }
                }
                None => Terminator::Switch { on, cases: cases.into(), default: change(block, &default)? },
            }
        }
        Terminator::Next(_)
        | Terminator::Break(..)
        | Terminator::Continue(..)
        | Terminator::Return(_)
        | Terminator::Stop(_) => {
            return None;
        }
    };
    Some(vec![Change::Terminator(block, terminator)])
}

fn other_args(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    edge(view, site, |_, edge| {
        let mut args: Vec<Inst> = edge.args.to_vec();
        let (a, b) = (*args.first()?, *args.get(1)?);
        let fits = a != b && view.body.ty(a) == view.body.ty(b);
        args.swap(0, 1);
        fits.then(|| Edge { to: edge.to, args: args.into_iter().collect() })
    })
}

/// A back edge that passes the values of the current iteration.
fn stale_iteration(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    edge(view, site, |from, edge| {
        let params = view.body.block(edge.to).params.to_vec();
        let mut args: Vec<Inst> = edge.args.to_vec();
        // The target of a back edge comes no later in the block order.
        let order = view.body.blocks_in_order();
        let at = |block: Block| order.iter().position(|&other| other == block);
        let is_back = view.is_in_loop(edge.to) && at(edge.to) <= at(from);
        let stale = (0..args.len()).find(|&at| args.get(at) != params.get(at))?;
        *args.get_mut(stale)? = *params.get(stale)?;
        is_back.then(|| Edge { to: edge.to, args: args.into_iter().collect() })
    })
}

/// Two edges to one block with their arguments exchanged.
fn exchanged_args(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (block, Terminator::Branch { cond, then, els }) = view.terminator(site)? else { return None };
    (then.to == els.to && then.args != els.args).then(|| {
        vec![Change::Terminator(
            block,
            Terminator::Branch { cond: *cond, then: els.clone(), els: then.clone() },
        )]
    })
}

fn continues(view: &View<'_>, site: MutationSite, stop: Stop, to: Terminator) -> Option<Vec<Change>> {
    let (block, Terminator::Stop(found)) = view.terminator(site)? else { return None };
    (*found == stop).then(|| vec![Change::Terminator(block, to)])
}

fn returns_early(view: &View<'_>, site: MutationSite) -> Option<Vec<Change>> {
    let (block, Terminator::Goto(_)) = view.terminator(site)? else { return None };
    (view.body.result() == ValueType::Void).then(|| vec![Change::Terminator(block, Terminator::Return(None))])
}

const LOCAL: &[Mode] = &[Mode::Local];
const SEEN: &[Mode] = &[Mode::Private, Mode::Out, Mode::Storage, Mode::Shared];

/// The entries of a kind: names and mutations.
macro_rules! mutants {
    ($($kind:literal { $($name:literal => |$view:ident, $site:ident| $mutate:expr;)* })*) => {
        const MUTANTS: &[Mutant] = &[$($(Mutant::new($name, $kind, |$view, $site| $mutate),)*)*];
    };
}

/// Every mutant.
pub(super) fn mutants() -> impl Iterator<Item = &'static Mutant> {
    MUTANTS.iter().chain(formulas::FLOATS)
}

mutants! {
    "arithmetic" {
        "operands of a subtraction swapped" => |view, at| swapped(view, at, &["isub", "fsub"], [0, 1]);
        "operands of a division swapped" => |view, at| swapped(view, at, &["idiv", "udiv", "fdiv", "umod", "imod"], [0, 1]);
        "operands of a comparison swapped" => |view, at| swapped(view, at, &["ilt", "ult", "flt", "ige", "uge", "fge", "igt", "ugt", "ule"], [0, 1]);
        "operands of a shift swapped" => |view, at| swapped(view, at, &["ishl", "ishr", "ushr"], [0, 1]);
        "arms of a select swapped" => |view, at| swapped(view, at, &["select", "select1"], [1, 2]);
        "operands of an interpolation swapped" => |view, at| swapped(view, at, &["fmix", "fstep", "fpow", "fatan2", "fclamp"], [0, 1]);
        "addition for subtraction" => |view, at| other_op(view, at, &[("isub", "iadd"), ("fsub", "fadd")]);
        "signed for unsigned comparison" => |view, at| other_op(view, at, &[("ult", "ilt"), ("uge", "ige"), ("ule", "ile"), ("ugt", "igt")]);
        "unsigned for signed comparison" => |view, at| other_op(view, at, &[("ilt", "ult"), ("ige", "uge"), ("ile", "ule"), ("igt", "ugt")]);
        "bound of a comparison off by one" => |view, at| other_op(view, at, &[("ilt", "ile"), ("ige", "igt"), ("ult", "ule"), ("uge", "ugt"), ("ule", "ult")]);
        "equal for not equal" => |view, at| other_op(view, at, &[("ieq", "ine"), ("ine", "ieq"), ("feq", "fneu"), ("fneu", "feq")]);
        "arithmetic for logical shift" => |view, at| other_op(view, at, &[("ushr", "ishr")]);
        "logical for arithmetic shift" => |view, at| other_op(view, at, &[("ishr", "ushr")]);
        "unsigned for signed division" => |view, at| other_op(view, at, &[("idiv", "udiv"), ("imod", "umod"), ("irem", "umod")]);
        "signed for unsigned division" => |view, at| other_op(view, at, &[("udiv", "idiv"), ("umod", "imod")]);
        "shift for a signed division" => |view, at| other_op(view, at, &[("idiv", "ishr")]);
        "maximum for minimum" => |view, at| other_op(view, at, &[("imin", "imax"), ("umax", "umin"), ("fmin", "fmax"), ("fmax", "fmin"), ("imax", "imin"), ("umin", "umax")]);
        "unsigned for signed bound" => |view, at| other_op(view, at, &[("imin", "umin"), ("imax", "umax"), ("umax", "imax"), ("umin", "imin")]);
        "unsigned for signed conversion" => |view, at| other_op(view, at, &[("i2f", "u2f"), ("f2i", "f2u"), ("i2i", "u2u")]);
        "signed for unsigned conversion" => |view, at| other_op(view, at, &[("u2f", "i2f"), ("f2u", "f2i"), ("u2u", "i2i")]);
        "signed for unsigned bit field" => |view, at| other_op(view, at, &[("ubfe", "ibfe"), ("ibfe", "ubfe")]);
        "or for and" => |view, at| other_op(view, at, &[("iand", "ior"), ("ior", "ixor"), ("ixor", "ior")]);
        "negation dropped" => |view, at| dropped(view, at, &["fneg", "ineg", "inot"]);
        "absolute value dropped" => |view, at| dropped(view, at, &["fabs", "iabs"]);
        "saturation dropped" => |view, at| dropped(view, at, &["fsat", "fclamp", "iclamp", "uclamp"]);
        "rounding dropped" => |view, at| dropped(view, at, &["ffloor", "fceil", "ftrunc", "fround", "fround_even"]);
        "a constant off by one" => |view, at| other_number(view, at);
}
    "float corners" {
        "bound of a float comparison off by one" => |view, at| other_op(view, at, &[("flt", "fle"), ("fge", "fgt"), ("fgt", "fge"), ("fle", "flt")]);
        "comparison true for NaN" => |view, at| other_op(view, at, &[("flt", "fltu"), ("fge", "fgeu"), ("feq", "fequ"), ("fneu", "fneo")]);
        "not less taken for greater or equal" => |view, at| not_less(view, at);
        "bound that propagates NaN differently" => |view, at| other_op(view, at, &[("fmin", "fnmax"), ("fmax", "fnmin")]);
        "rounded down, not toward zero" => |view, at| other_op(view, at, &[("ftrunc", "ffloor"), ("ffloor", "ftrunc"), ("fceil", "ffloor")]);
        "halves rounded away from zero" => |view, at| other_op(view, at, &[("fround", "fround_away"), ("fround_even", "fround_away")]);
        "multiplication and addition contracted" => |view, at| contracted(view, at);
        "sum of floats reassociated" => |view, at| reassociated(view, at);
        "product with zero taken for zero" => |view, at| times_zero(view, at);
        "sum with zero dropped" => |view, at| plus_zero(view, at);
}
    "vectors" {
        "wrong component of a swizzle" => |view, at| other_component(view, at);
        "components of a vector swapped" => |view, at| swapped(view, at, &["vec"], [0, 1]);
        "write mask dropped" => |view, at| other_mask(view, at);
}
    "memory" {
        "load hoisted over a store" => |view, at| hoisted_load(view, at);
        "load taken from before a store" => |view, at| load_over_store(view, at);
        "stores reordered" => |view, at| reordered_stores(view, at);
        "store to a local dropped" => |view, at| dead_store(view, at, false, LOCAL);
        "store that the next iteration reads dropped" => |view, at| dead_store(view, at, true, LOCAL);
        "visible store dropped" => |view, at| dead_store(view, at, false, SEEN);
        "visible store dropped in a loop" => |view, at| dead_store(view, at, true, SEEN);
        "wrong element" => |view, at| element(view, at);
        "wrong member" => |view, at| other_field(view, at);
        "atomic dropped" => |view, at| erased(view, at, &["atomic", "atomic_store", "atomic_cas"]);
        "image store dropped" => |view, at| erased(view, at, &["image.write", "image.atomic"]);
        "barrier dropped" => |view, at| erased(view, at, &["barrier"]);
        "call dropped" => |view, at| erased(view, at, &["call"]);
        "arguments of a call swapped" => |view, at| swapped(view, at, &["call"], [0, 1]);
}
    "other invocations" {
        "derivative in the other direction" => |view, at| other_op(view, at, &[("ddx", "ddy"), ("ddy", "ddx"), ("fwidth", "ddx")]);
        "derivative folded to zero" => |view, at| erased(view, at, &["ddx", "ddy", "fwidth"]);
        "any for all" => |view, at| other_op(view, at, &[("vote_all", "vote_any"), ("vote_any", "vote_all"), ("all", "any"), ("any", "all")]);
        "value of another invocation replaced by the own" => |view, at| dropped(view, at, &["broadcast", "broadcast_first", "subgroup_shuffle", "subgroup_shuffle_xor", "reduce", "quad_swap"]);
}
    "control flow" {
        "arms of a branch swapped" => |view, at| arms_swapped(view, at);
        "branch always taken" => |view, at| decided(view, at, true);
        "branch never taken" => |view, at| decided(view, at, false);
        "case of a switch dropped" => |view, at| case_dropped(view, at);
        "case for default" => |view, at| case_for_default(view, at);
        "arguments of an edge swapped" => |view, at| other_args(view, at);
        "argument of a back edge stale" => |view, at| stale_iteration(view, at);
        "arguments of two edges exchanged" => |view, at| exchanged_args(view, at);
        "discard dropped" => |view, at| continues(view, at, Stop::Discard, Terminator::Return(None));
        "conditional discard dropped" => |view, at| erased(view, at, &["io.discard_if", "io.demote_if", "io.demote"]);
        "edge replaced by a return" => |view, at| returns_early(view, at);
}
}
