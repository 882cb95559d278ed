//! Mutants, one an entry: the rewrite of a pass with a bug, injected into a correct version.
//!
//! A mutant looks at a place of a function and says what it would change there, or that it has nothing to do there.
//! Functions are graphs when mutants look at them: control flow is in exits then.
//!
//! Refuses places where what comes out would not be valid: the validator finds those.

use vitrine_core::analysis::{Analyses, Loops};
use vitrine_core::ir::{
    Args, Block, Edge, Editor, Func, FuncBody, InsertPoint, Inst, InstData, Mode, Module, Reason, Stop,
    Terminator, Var,
};
use vitrine_core::ops::attr::{pack_components, unpack_component};
use vitrine_core::ops::{
    BasicOp, Bits, DerefOp, FloatOp, IntOp, Key, MemoryOp, Op, Scalar, ValueType, VectorOp,
};

/// A change of a mutant.
pub(super) enum Change {
    /// An instruction becomes another one.
    Data(Inst, InstData),
    /// Uses of the first value become uses of the second.
    Forward(Inst, Inst),
    /// A value becomes these bits.
    Number(Inst, Bits),
    /// An instruction goes.
    Erase(Inst),
    /// An instruction goes somewhere else.
    Move(Inst, InsertPoint),
    /// A block is left in another way.
    Terminator(Block, Terminator),
}

/// A place that mutants look at.
#[derive(Clone, Copy)]
pub(super) enum Place {
    Inst(Block, Inst),
    End(Block),
}

/// The view that a mutant has of a function.
pub(super) struct View<'v> {
    pub(super) module: &'v Module,
    pub(super) body: &'v FuncBody,
    loops: &'v Loops,
}

type Look = fn(&View<'_>, Place) -> Option<Vec<Change>>;

/// A wrong rewrite.
pub(super) struct Mutant {
    pub(super) name: &'static str,
    look: Look,
}

impl Mutant {
    /// The module with the mutant at the first place of a function that is not before the place of this number; with
    /// the number of that place. None where there is no more.
    pub(super) fn inject(&self, module: &Module, func: Func, from: usize) -> Option<(Module, usize)> {
        let body = module.func(func)?;
        let loops = Analyses::new().get::<Loops>(module, func);
        let view = View { module, body, loops: &loops };
        for (at, place) in places(body).into_iter().enumerate().skip(from) {
            let Some(changes) = (self.look)(&view, place) else { continue };
            let mut after = module.clone();
            if apply(&mut after, func, changes).is_some() {
                return Some((after, at));
            }
        }
        None
    }

    /// The module with the mutant at every place of every function.
    pub(super) fn plant_all(&self, module: &Module) -> Option<Module> {
        let mut after = module.clone();
        let mut did = false;
        for (func, body) in module.funcs() {
            let loops = Analyses::new().get::<Loops>(module, func);
            let view = View { module, body, loops: &loops };
            for place in places(body) {
                let changes = (self.look)(&view, place);
                did |= changes.and_then(|changes| apply(&mut after, func, changes)).is_some();
            }
        }
        did.then_some(after)
    }
}

fn places(body: &FuncBody) -> Vec<Place> {
    let mut out = Vec::new();
    for block in body.blocks_in_order() {
        out.extend(body.block(block).insts.iter().map(|&inst| Place::Inst(block, inst)));
        out.push(Place::End(block));
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
        };
        done.ok()?;
    }
    ed.finish().changed.then_some(())
}

impl View<'_> {
    fn data(&self, inst: Inst) -> &InstData {
        self.body.inst(inst)
    }

    /// The instruction at a place, if it is this operation.
    fn is(&self, place: Place, op: impl Into<Op>) -> Option<(Inst, &InstData)> {
        let Place::Inst(_, inst) = place else { return None };
        let data = self.data(inst);
        (data.op == op.into()).then_some((inst, data))
    }

    fn number(&self, inst: Inst) -> Option<Bits> {
        self.body.const_of(inst).map(|id| self.module.bits_of(id))
    }

    /// The instructions of the place's block before it, the nearest first.
    fn before(&self, place: Place) -> Vec<Inst> {
        let Place::Inst(block, inst) = place else { return Vec::new() };
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

    fn terminator(&self, place: Place) -> Option<(Block, &Terminator)> {
        match place {
            Place::End(block) => Some((block, self.body.terminator(block))),
            Place::Inst(..) => None,
        }
    }
}

/// Another operation with the same operands.
fn other_op(view: &View<'_>, place: Place, pairs: &[(&str, &str)]) -> Option<Vec<Change>> {
    let Place::Inst(_, inst) = place else { return None };
    let data = view.data(inst);
    let &(_, to) = pairs.iter().find(|(from, _)| *from == data.op.name())?;
    let to = Op::from_name(to)?;
    Some(vec![Change::Data(inst, InstData { op: to, ..data.clone() })])
}

/// Two operands in the wrong order.
fn swapped(view: &View<'_>, place: Place, ops: &[&str], at: [usize; 2]) -> Option<Vec<Change>> {
    let Place::Inst(_, inst) = place else { return None };
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

/// An operation that is left out: its operand instead.
fn dropped(view: &View<'_>, place: Place, ops: &[&str]) -> Option<Vec<Change>> {
    let Place::Inst(_, inst) = place else { return None };
    let data = view.data(inst);
    let &arg = data.args.first()?;
    let fits = ops.contains(&data.op.name()) && view.body.ty(arg) == data.ty;
    fits.then(|| vec![Change::Forward(inst, arg)])
}

/// An effect that is left out; a value it had is zero.
fn erased(view: &View<'_>, place: Place, ops: &[&str]) -> Option<Vec<Change>> {
    let Place::Inst(_, inst) = place else { return None };
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

fn other_number(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (inst, data) = view.is(place, BasicOp::Const)?;
    let bits = view.number(inst)?;
    let width = data.ty.width()?;
    let components: Vec<u64> = bits
        .components()
        .iter()
        .map(|&component| Scalar::new(width, component.wrapping_add(1)).bits())
        .collect();
    Some(vec![Change::Number(inst, Bits::from_components(width, &components))])
}

fn other_component(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (inst, data) = view.is(place, VectorOp::Swizzle)?;
    let (packed, from) = (data.attrs.get(Key::Components)?, view.body.ty(*data.args.first()?).components());
    let mut components: Vec<u8> =
        (0..usize::from(data.ty.components())).map(|at| unpack_component(packed, at)).collect();
    let first = components.first_mut()?;
    *first = (*first + 1) % from.max(1);
    let attrs = data.attrs.with(Key::Components, pack_components(&components));
    (from > 1).then(|| vec![Change::Data(inst, InstData { attrs, ..data.clone() })])
}

fn other_mask(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (inst, data) = view.is(place, MemoryOp::Store)?;
    data.attrs.get(Key::Mask)?;
    Some(vec![Change::Data(inst, InstData { attrs: data.attrs.without(Key::Mask), ..data.clone() })])
}

fn other_field(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (inst, data) = view.is(place, DerefOp::Field)?;
    let attrs = data.attrs.with(Key::Field, data.attrs.get(Key::Field)? ^ 1);
    Some(vec![Change::Data(inst, InstData { attrs, ..data.clone() })])
}

/// The store nearest before a load of the same variable, in the same block.
fn store_before(view: &View<'_>, place: Place) -> Option<(Inst, Inst, Inst)> {
    let (load, data) = view.is(place, MemoryOp::Load)?;
    let &path = data.args.first()?;
    let root = view.root(path)?;
    let is_store = |&&inst: &&Inst| {
        let data = view.data(inst);
        data.op == Op::from(MemoryOp::Store) && data.args.first().and_then(|&to| view.root(to)) == Some(root)
    };
    Some((load, path, *view.before(place).iter().find(is_store)?))
}

fn hoisted_load(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (load, path, store) = store_before(view, place)?;
    let list = view.before(place);
    let behind = list.iter().take_while(|&&inst| inst != store);
    // The path must be there before the store is.
    let is_late = behind.clone().any(|&inst| inst == path);
    (!is_late).then(|| vec![Change::Move(load, InsertPoint::Before(store))])
}

fn load_over_store(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (load, _, store) = store_before(view, place)?;
    let (root, ty) = (view.root(*view.data(load).args.first()?)?, view.body.ty(load));
    let is_load = |inst: &&Inst| {
        let data = view.data(**inst);
        data.op == Op::from(MemoryOp::Load)
            && data.ty == ty
            && data.args.first().and_then(|&from| view.root(from)) == Some(root)
    };
    let list = view.before(place);
    let first = list.iter().skip_while(|&&inst| inst != store).find(is_load)?;
    Some(vec![Change::Forward(load, *first)])
}

fn reordered_stores(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (store, data) = view.is(place, MemoryOp::Store)?;
    let (root, value) = (view.root(*data.args.first()?)?, *data.args.get(1)?);
    let is_store = |inst: &&Inst| {
        let data = view.data(**inst);
        data.op == Op::from(MemoryOp::Store) && data.args.first().and_then(|&to| view.root(to)) == Some(root)
    };
    let list = view.before(place);
    let first = *list.iter().find(is_store)?;
    let between: Vec<Inst> = list.iter().copied().take_while(|&inst| inst != first).collect();
    let is_late = between.contains(&value) || between.contains(data.args.first()?);
    (!is_late).then(|| vec![Change::Move(store, InsertPoint::Before(first))])
}

fn dead_store(view: &View<'_>, place: Place, in_loop: bool, modes: &[Mode]) -> Option<Vec<Change>> {
    let (inst, data) = view.is(place, MemoryOp::Store)?;
    let Place::Inst(block, _) = place else { return None };
    let root = view.root(*data.args.first()?)?;
    let mode = view.module.var(root)?.mode;
    (modes.contains(&mode) && view.is_in_loop(block) == in_loop).then(|| vec![Change::Erase(inst)])
}

fn element(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (_, data) = view.is(place, DerefOp::Elem)?;
    let &index = data.args.get(1)?;
    let number = view.number(index)?;
    let bits = Bits::scalar(Scalar::new(number.width(), number.components().first()? ^ 1));
    Some(vec![Change::Number(index, bits)])
}

fn not_less(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (inst, data) = view.is(place, IntOp::INot)?;
    let compare = view.data(*data.args.first()?);
    let to = match compare.op {
        Op::Float(FloatOp::FLt) => FloatOp::FGe,
        Op::Float(FloatOp::FGe) => FloatOp::FLt,
        _ => return None,
    };
    let args: Vec<Inst> = compare.args.to_vec();
    Some(vec![Change::Data(inst, InstData::new(to, data.ty, &args))])
}

fn contracted(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (inst, data) = view.is(place, FloatOp::FAdd)?;
    let product = view.data(*data.args.first()?);
    let (a, b, c) = (*product.args.first()?, *product.args.get(1)?, *data.args.get(1)?);
    let is_product = product.op == Op::from(FloatOp::FMul);
    is_product.then(|| vec![Change::Data(inst, InstData::new(FloatOp::FFma, data.ty, &[a, b, c]))])
}

fn reassociated(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (inst, data) = view.is(place, FloatOp::FAdd)?;
    let &inner = data.args.first()?;
    let sum = view.data(inner);
    let (a, b, c) = (*sum.args.first()?, *sum.args.get(1)?, *data.args.get(1)?);
    if sum.op != Op::from(FloatOp::FAdd) || view.before(place).first() != Some(&inner) {
        return None;
    }
    let outer = InstData::new(FloatOp::FAdd, data.ty, &[a, inner]);
    Some(vec![Change::Data(inst, outer), Change::Data(inner, InstData::new(FloatOp::FAdd, sum.ty, &[b, c]))])
}

/// Zero, where a float is multiplied with zero: not for what is infinite, negative, or no number.
fn times_zero(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (inst, data) = view.is(place, FloatOp::FMul)?;
    let zero = data.args.iter().find(|&&arg| {
        view.number(arg).is_some_and(|bits| bits.components().iter().all(|&component| component << 1 == 0))
    })?;
    Some(vec![Change::Forward(inst, *zero)])
}

fn plus_zero(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (inst, data) = view.is(place, FloatOp::FAdd)?;
    let (&a, &b) = (data.args.first()?, data.args.get(1)?);
    let is_zero =
        |arg| view.number(arg).is_some_and(|bits| bits.components().iter().all(|&component| component == 0));
    match (is_zero(a), is_zero(b)) {
        (_, true) => Some(vec![Change::Forward(inst, a)]),
        (true, _) => Some(vec![Change::Forward(inst, b)]),
        (false, false) => None,
    }
}

fn arms_swapped(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (block, Terminator::Branch { cond, then, els }) = view.terminator(place)? else { return None };
    Some(vec![Change::Terminator(
        block,
        Terminator::Branch { cond: *cond, then: els.clone(), els: then.clone() },
    )])
}

fn decided(view: &View<'_>, place: Place, way: bool) -> Option<Vec<Change>> {
    let (block, Terminator::Branch { then, els, .. }) = view.terminator(place)? else { return None };
    Some(vec![Change::Terminator(block, Terminator::Goto(if way { then.clone() } else { els.clone() }))])
}

fn case_dropped(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (block, Terminator::Switch { on, cases, default }) = view.terminator(place)? else { return None };
    let cases = cases.get(1..)?.into();
    Some(vec![Change::Terminator(block, Terminator::Switch { on: *on, cases, default: default.clone() })])
}

fn case_for_default(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (block, Terminator::Switch { on, cases, default }) = view.terminator(place)? else { return None };
    let (mut cases, mut default) = (cases.to_vec(), default.clone());
    std::mem::swap(&mut cases.first_mut()?.edge, &mut default);
    let cases = cases.into();
    Some(vec![Change::Terminator(block, Terminator::Switch { on: *on, cases, default })])
}

/// The first edge of a terminator that can be changed, changed.
fn edge(view: &View<'_>, place: Place, change: impl Fn(Block, &Edge) -> Option<Edge>) -> Option<Vec<Change>> {
    let (block, terminator) = view.terminator(place)?;
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

fn other_args(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    edge(view, place, |_, edge| {
        let mut args: Vec<Inst> = edge.args.to_vec();
        let (a, b) = (*args.first()?, *args.get(1)?);
        let fits = a != b && view.body.ty(a) == view.body.ty(b);
        args.swap(0, 1);
        fits.then(|| Edge { to: edge.to, args: args.into_iter().collect() })
    })
}

/// A way back that hands on what the round began with.
fn stale_round(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    edge(view, place, |from, edge| {
        let params = view.body.block(edge.to).params.to_vec();
        let mut args: Vec<Inst> = edge.args.to_vec();
        // A way back leads to a block that comes no later in the order.
        let order = view.body.blocks_in_order();
        let at = |block: Block| order.iter().position(|&other| other == block);
        let is_back = view.is_in_loop(edge.to) && at(edge.to) <= at(from);
        let stale = (0..args.len()).find(|&at| args.get(at) != params.get(at))?;
        *args.get_mut(stale)? = *params.get(stale)?;
        is_back.then(|| Edge { to: edge.to, args: args.into_iter().collect() })
    })
}

/// Two ways to one block that hand on different things, each what the other should.
fn other_way(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (block, Terminator::Branch { cond, then, els }) = view.terminator(place)? else { return None };
    (then.to == els.to && then.args != els.args).then(|| {
        vec![Change::Terminator(
            block,
            Terminator::Branch { cond: *cond, then: els.clone(), els: then.clone() },
        )]
    })
}

fn goes_on(view: &View<'_>, place: Place, stop: Stop, to: Terminator) -> Option<Vec<Change>> {
    let (block, Terminator::Stop(found)) = view.terminator(place)? else { return None };
    (*found == stop).then(|| vec![Change::Terminator(block, to)])
}

fn returns_early(view: &View<'_>, place: Place) -> Option<Vec<Change>> {
    let (block, Terminator::Goto(_)) = view.terminator(place)? else { return None };
    (view.body.result() == ValueType::Void).then(|| vec![Change::Terminator(block, Terminator::Return(None))])
}

const LOCAL: &[Mode] = &[Mode::Local];
const SEEN: &[Mode] = &[Mode::Private, Mode::Out, Mode::Storage, Mode::Shared];

/// A row: a name, and what it does with what it sees.
macro_rules! mutants {
    ($($name:literal => |$view:ident, $place:ident| $look:expr;)*) => {
        /// Every mutant.
        pub(super) const MUTANTS: &[Mutant] = &[$(Mutant { name: $name, look: |$view, $place| $look }),*];
    };
}

mutants! {
    // Arithmetic.
    "operands of a subtraction swapped" => |view, at| swapped(view, at, &["isub", "fsub"], [0, 1]);
    "operands of a division swapped" => |view, at| swapped(view, at, &["idiv", "udiv", "fdiv", "umod", "imod"], [0, 1]);
    "operands of a comparison swapped" => |view, at| swapped(view, at, &["ilt", "ult", "flt", "ige", "uge", "fge", "igt", "ugt", "ule"], [0, 1]);
    "operands of a shift swapped" => |view, at| swapped(view, at, &["ishl", "ishr", "ushr"], [0, 1]);
    "arms of a select swapped" => |view, at| swapped(view, at, &["select", "select1"], [1, 2]);
    "ends of a mix swapped" => |view, at| swapped(view, at, &["fmix", "fstep", "fpow", "fatan2", "fclamp"], [0, 1]);
    "addition for subtraction" => |view, at| other_op(view, at, &[("isub", "iadd"), ("fsub", "fadd")]);
    "signed for unsigned comparison" => |view, at| other_op(view, at, &[("ult", "ilt"), ("uge", "ige"), ("ule", "ile"), ("ugt", "igt")]);
    "unsigned for signed comparison" => |view, at| other_op(view, at, &[("ilt", "ult"), ("ige", "uge"), ("ile", "ule"), ("igt", "ugt")]);
    "bound of a comparison off by one" => |view, at| other_op(view, at, &[("ilt", "ile"), ("ige", "igt"), ("ult", "ule"), ("uge", "ugt"), ("ule", "ult")]);
    "bound of a float comparison off by one" => |view, at| other_op(view, at, &[("flt", "fle"), ("fge", "fgt"), ("fgt", "fge"), ("fle", "flt")]);
    "equal for not equal" => |view, at| other_op(view, at, &[("ieq", "ine"), ("ine", "ieq"), ("feq", "fneu"), ("fneu", "feq")]);
    "comparison true of no number" => |view, at| other_op(view, at, &[("flt", "fltu"), ("fge", "fgeu"), ("feq", "fequ"), ("fneu", "fneo")]);
    "not less taken for greater or equal" => |view, at| not_less(view, at);
    "arithmetic for logical shift" => |view, at| other_op(view, at, &[("ushr", "ishr")]);
    "logical for arithmetic shift" => |view, at| other_op(view, at, &[("ishr", "ushr")]);
    "unsigned for signed division" => |view, at| other_op(view, at, &[("idiv", "udiv"), ("imod", "umod"), ("irem", "umod")]);
    "signed for unsigned division" => |view, at| other_op(view, at, &[("udiv", "idiv"), ("umod", "imod")]);
    "shift for a signed division" => |view, at| other_op(view, at, &[("idiv", "ishr")]);
    "most for least" => |view, at| other_op(view, at, &[("imin", "imax"), ("umax", "umin"), ("fmin", "fmax"), ("fmax", "fmin"), ("imax", "imin"), ("umin", "umax")]);
    "unsigned for signed bound" => |view, at| other_op(view, at, &[("imin", "umin"), ("imax", "umax"), ("umax", "imax"), ("umin", "imin")]);
    "bound that drops no number" => |view, at| other_op(view, at, &[("fmin", "fnmax"), ("fmax", "fnmin")]);
    "rounded down, not towards zero" => |view, at| other_op(view, at, &[("ftrunc", "ffloor"), ("ffloor", "ftrunc"), ("fceil", "ffloor")]);
    "halves rounded to even" => |view, at| other_op(view, at, &[("fround", "fround_even"), ("fround_even", "fround")]);
    "unsigned for signed conversion" => |view, at| other_op(view, at, &[("i2f", "u2f"), ("f2i", "f2u"), ("i2i", "u2u")]);
    "signed for unsigned conversion" => |view, at| other_op(view, at, &[("u2f", "i2f"), ("f2u", "f2i"), ("u2u", "i2i")]);
    "signed for unsigned bit field" => |view, at| other_op(view, at, &[("ubfe", "ibfe"), ("ibfe", "ubfe")]);
    "or for and" => |view, at| other_op(view, at, &[("iand", "ior"), ("ior", "ixor"), ("ixor", "ior")]);
    "negation dropped" => |view, at| dropped(view, at, &["fneg", "ineg", "inot"]);
    "absolute value dropped" => |view, at| dropped(view, at, &["fabs", "iabs"]);
    "saturation dropped" => |view, at| dropped(view, at, &["fsat", "fclamp", "iclamp", "uclamp"]);
    "rounding dropped" => |view, at| dropped(view, at, &["ffloor", "fceil", "ftrunc", "fround", "fround_even"]);
    "a constant off by one" => |view, at| other_number(view, at);
    // Rewrites that `exact` forbids.
    "multiplication and addition contracted" => |view, at| contracted(view, at);
    "sum of floats reassociated" => |view, at| reassociated(view, at);
    "product with zero taken for zero" => |view, at| times_zero(view, at);
    "sum with zero dropped" => |view, at| plus_zero(view, at);
    // Invocations.
    "wrong component of a swizzle" => |view, at| other_component(view, at);
    "components of a vector swapped" => |view, at| swapped(view, at, &["vec"], [0, 1]);
    "write mask dropped" => |view, at| other_mask(view, at);
    // Memory.
    "load hoisted over a store" => |view, at| hoisted_load(view, at);
    "load taken from before a store" => |view, at| load_over_store(view, at);
    "stores reordered" => |view, at| reordered_stores(view, at);
    "store to a local dropped" => |view, at| dead_store(view, at, false, LOCAL);
    "store that the next round reads dropped" => |view, at| dead_store(view, at, true, LOCAL);
    "store that others see dropped" => |view, at| dead_store(view, at, false, SEEN);
    "store that others see dropped in a loop" => |view, at| dead_store(view, at, true, SEEN);
    "wrong element" => |view, at| element(view, at);
    "wrong member" => |view, at| other_field(view, at);
    "atomic dropped" => |view, at| erased(view, at, &["atomic", "atomic_store", "atomic_cas"]);
    "image store dropped" => |view, at| erased(view, at, &["image.write", "image.atomic"]);
    "barrier dropped" => |view, at| erased(view, at, &["barrier"]);
    "call dropped" => |view, at| erased(view, at, &["call"]);
    "arguments of a call swapped" => |view, at| swapped(view, at, &["call"], [0, 1]);
    // Other invocations.
    "derivative in the other direction" => |view, at| other_op(view, at, &[("ddx", "ddy"), ("ddy", "ddx"), ("fwidth", "ddx")]);
    "derivative folded to zero" => |view, at| erased(view, at, &["ddx", "ddy", "fwidth"]);
    "any for all" => |view, at| other_op(view, at, &[("vote_all", "vote_any"), ("vote_any", "vote_all"), ("all", "any"), ("any", "all")]);
    "value of another component taken for the own" => |view, at| dropped(view, at, &["broadcast", "broadcast_first", "subgroup_shuffle", "subgroup_shuffle_xor", "reduce", "quad_swap"]);
    // Control flow.
    "arms of a branch swapped" => |view, at| arms_swapped(view, at);
    "branch always taken" => |view, at| decided(view, at, true);
    "branch never taken" => |view, at| decided(view, at, false);
    "case of a switch dropped" => |view, at| case_dropped(view, at);
    "case for default" => |view, at| case_for_default(view, at);
    "arguments of an edge swapped" => |view, at| other_args(view, at);
    "argument of a way back dropped" => |view, at| stale_round(view, at);
    "arguments of two ways swapped" => |view, at| other_way(view, at);
    "discard dropped" => |view, at| goes_on(view, at, Stop::Discard, Terminator::Return(None));
    "conditional discard dropped" => |view, at| erased(view, at, &["io.discard_if", "io.demote_if", "io.demote"]);
    "way that goes on returns" => |view, at| returns_early(view, at);
}
