//! The plan of a function, made before anything is written: which values are written at their use.
//!
//! ```text
//! %1 = load $a    %2 = fmul %1, %1    store $a, %2         used twice: float v1 = a; a = v1 * v1;
//! %1 = load $a    %2 = fneg %1        store $b, %2         used once:  b = -a;
//! ```
//!
//! A value is written at its use if it has a single use, the use is in the same block, and nothing in between changes
//! what the value depends on: the memory it reads, the registers that stand for its operands, the invocations that
//! execute it. Blocks are walked backward, so that the place where the use itself is written is known. The values of
//! immutable inputs are written at every use.
//!
//! A load of a register *is* the register as long as the register keeps the value: until the last use of the load, by
//! the analysis `live`. The same is true of a load of a whole variable of the function, if all uses are in its block. A call
//! of a function that only computes is a value like others.

use super::calls::Computing;
use super::dialect::Dialect;
use super::operands::{self, AllEffects, Effects, Numbers, Place};
use super::pieces::{PartialStore, Piece, Pieces};
use super::products::{Product, Products};
use super::spell;
use rustc_hash::FxHashMap;
use std::rc::Rc;
use vitrine_analysis::{Analyses, Cfg, LiveValues};
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::{
    BasicOp, DerefOp, Flags, IntOp, Key, MemoryOp, Op, RegOp, TexOp, ValueType, VectorOp, Width,
};
use vitrine_ir::{Block, Func, FuncBody, Inst, InstData, Module, Nesting, Reg, Terminator};

/// The most pairs of loads and stores of one register that are examined.
const MOST_PAIRS: usize = 1 << 14;

/// How a value is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum Emission {
    /// Declared where it is computed.
    #[default]
    Named,
    /// At its only use.
    Inline,
    /// At every use, since it never changes, or not before the last use.
    Repeated,
    /// As the register that it was loaded from.
    Register,
    /// Not at all: it is unused and has no effect.
    Dead,
}

/// The plan of a function.
#[derive(Debug, Default)]
pub(super) struct Plan {
    emissions: SideTable<Inst, Emission>,
    sites: SideTable<Inst, Site>,
    /// The last position at which each value is written, of the uses in the block that is decided.
    ends: SideTable<Inst, usize>,
    numbers: Numbers,
    pieces: Pieces,
    products: Products,
    /// Values that are all that a statement stores.
    stored: SideTable<Inst, bool>,
}

/// The uses of a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Site {
    /// Number of times that it is written.
    count: u32,
    /// The last use that was found: the block, and the position in it.
    block: Option<Block>,
    at: usize,
    /// There are uses in other blocks.
    is_spread: bool,
}

impl Site {
    /// Adds a use; the uses of a function are counted from its end.
    fn add(&mut self, block: Block, at: usize, times: u32) {
        match self.block {
            None => *self = Site { count: times, block: Some(block), at, is_spread: false },
            Some(last) => {
                self.count = self.count.saturating_add(times);
                self.is_spread |= last != block;
            }
        }
    }
}

impl Plan {
    /// Makes the plan. Near linear in the size of the function.
    pub(super) fn of(
        module: &Module,
        func: Func,
        body: &FuncBody,
        dialect: &dyn Dialect,
        computing: &Computing,
        cx: &mut Analyses,
    ) -> Plan {
        let nesting = Nesting::of(body);
        let blocks = body.blocks_in_order();
        let effects = AllEffects::of(module, body, &blocks);
        let mut plan = Plan { numbers: Numbers::of(body, &blocks), ..Plan::default() };
        if dialect.multiplies_matrices() {
            plan.products = Products::of(module, body, &blocks, &effects);
        }
        if Pieces::may_be_in(body, &blocks) {
            plan.count_all(body, dialect, &nesting, &blocks);
            let is_used_once = |value: Inst, block: Block| {
                let site = plan.sites[value];
                site.count == 1 && site.block == Some(block)
            };
            let pieces = Pieces::of(module, body, &blocks, dialect, &effects, is_used_once);
            plan = Plan { pieces, products: plan.products, numbers: plan.numbers, ..Plan::default() };
        }
        plan.count_all(body, dialect, &nesting, &blocks);
        plan.emissions = SideTable::sized(Emission::default(), body.tables().insts.len());
        plan.ends = SideTable::sized(0, body.tables().insts.len());
        plan.registers(body, &blocks, || cx.get::<Cfg>(module, func));
        for &block in &blocks {
            plan.block(module, body, (computing, &effects), block);
        }
        plan
    }

    /// How a value is written.
    pub(super) fn emission(&self, value: Inst) -> Emission {
        self.emissions[value]
    }

    /// Number of times that a value is written.
    pub(super) fn uses(&self, value: Inst) -> u32 {
        self.sites[value].count
    }

    /// The numbers that the text of an instruction contains, if it is not written in pieces.
    pub(super) fn numbers(&self, inst: Inst) -> &[Inst] {
        self.numbers.get(inst)
    }

    /// The pieces of a composed value.
    pub(super) fn pieces(&self, value: Inst) -> Option<&[Piece]> {
        self.pieces.value(value)
    }

    /// The components that a store writes, if it keeps others.
    pub(super) fn partial_store(&self, store: Inst) -> Option<&PartialStore> {
        self.pieces.store(store)
    }

    /// Returns true for a value that is all that a statement stores, except for the choice of components.
    pub(super) fn is_stored(&self, value: Inst) -> bool {
        self.stored[value]
    }

    /// The product of a matrix and a vector that a value is.
    pub(super) fn product(&self, value: Inst) -> Option<&Product> {
        self.products.get(value)
    }

    /// Calls `f` with every number that the text of an instruction contains, as often as it contains it.
    fn for_each_number(&self, body: &FuncBody, inst: Inst, mut f: impl FnMut(Inst)) {
        match self.products.get(inst) {
            Some(product) => product.for_each_number(body, &mut f),
            None => self.pieces.for_each_number(body, &self.numbers, inst, f),
        }
    }

    /// Counts the uses of each value. Of a composed value, those of its pieces, as far as these are known.
    fn count_all(&mut self, body: &FuncBody, dialect: &dyn Dialect, nesting: &Nesting, blocks: &[Block]) {
        self.sites = SideTable::sized(Site::default(), body.tables().insts.len());
        for &block in blocks.iter().rev() {
            self.count(body, dialect, nesting, block);
        }
    }

    /// Counts the uses of a block from its end, so that the operands of values without a use are not counted.
    fn count(&mut self, body: &FuncBody, dialect: &dyn Dialect, nesting: &Nesting, block: Block) {
        let insts = &body.block(block).insts;
        let end = insts.len();
        match body.terminator(block) {
            Terminator::Return(Some(value)) => self.sites[*value].add(block, end, 1),
            Terminator::Next(args) | Terminator::Break(_, args) | Terminator::Continue(_, args) => {
                args.iter().for_each(|&arg| self.sites[arg].add(block, end, 2));
            }
            Terminator::Return(None)
            | Terminator::Stop(_)
            | Terminator::Goto(_)
            | Terminator::Branch { .. }
            | Terminator::Switch { .. } => {}
        }
        let node = nesting.node_after(body, block);
        if let Some(operand) = node.and_then(|node| body.node(node).kind.operand()) {
            self.sites[operand].add(block, end, 1);
        }
        let mut used = Vec::new();
        for (at, &inst) in insts.iter().enumerate().rev() {
            let data = body.inst(inst);
            if operands::is_written_at_use(data)
                && data.op != Op::Basic(BasicOp::Call)
                && !operands::is_pointer_load(data)
                || self.sites[inst].count == 0 && is_unneeded(data) && !data.ty.is_opaque()
            {
                continue;
            }
            self.for_each_number(body, inst, |arg| used.push(arg));
            for arg in used.drain(..) {
                self.sites[arg].add(block, at, if dialect.repeats_operand(data, arg) { 2 } else { 1 });
            }
        }
    }

    /// Finds loads that can be written as their register.
    fn registers(&mut self, body: &FuncBody, blocks: &[Block], cfg: impl FnOnce() -> Rc<Cfg>) {
        let mut accesses: FxHashMap<Reg, (Vec<Inst>, Vec<Inst>)> = FxHashMap::default();
        for &block in blocks {
            for &inst in body.block(block).insts.iter() {
                let data = body.inst(inst);
                let Op::Reg(op @ (RegOp::Load | RegOp::Store)) = data.op else { continue };
                let Some(reg) = data.entity::<Reg>(Key::Reg) else { continue };
                let (loads, stores) = accesses.entry(reg).or_default();
                if op == RegOp::Load { loads.push(inst) } else { stores.push(inst) }
            }
        }
        if accesses.is_empty() {
            return;
        }
        let is_access = |inst: Inst| {
            let data = body.tables().insts.get(inst);
            data.is_some_and(|data| matches!(data.op, Op::Reg(RegOp::Load | RegOp::Store)))
        };
        let live = LiveValues::of(body, &cfg(), is_access);
        for (loads, stores) in accesses.into_values() {
            if loads.len().saturating_mul(stores.len()) > MOST_PAIRS {
                continue;
            }
            for load in loads {
                if !stores.iter().any(|&store| live.is_live_after(store, load)) {
                    self.emissions[load] = Emission::Register;
                }
            }
        }
    }

    /// Decides the values of a block, from its end.
    fn block(
        &mut self,
        module: &Module,
        body: &FuncBody,
        (computing, all): (&Computing, &AllEffects),
        block: Block,
    ) {
        let computed = Effects::default();
        let insts = &body.block(block).insts;
        let mut after = After::default();
        // The position at which the text of each instruction is written, and whether that may be skipped.
        let mut written = vec![(0usize, false); insts.len()];
        // The position of the next statement.
        let mut next = insts.len();
        for (at, &inst) in insts.iter().enumerate().rev() {
            let data = body.inst(inst);
            if operands::is_written_at_use(data) && data.op != Op::Basic(BasicOp::Call) {
                written[at] = (at, false);
                continue;
            }
            let is_computed = computing.is_call(data);
            let known = if is_computed { &computed } else { all.get(inst) };
            let product =
                self.products.get(inst).map(|product| Effects { reads: product.reads, ..known.clone() });
            let effects = product.as_ref().unwrap_or(known);
            let site = self.sites[inst];
            let (position, is_guarded) = match site.block {
                Some(used) if used == block && site.at < insts.len() => {
                    let user = insts.get(site.at).map(|&user| body.inst(user));
                    let (position, guarded) = written.get(site.at).copied().unwrap_or_default();
                    (position, guarded || user.is_some_and(|user| may_skip_operands(body, user)))
                }
                _ => (insts.len(), false),
            };
            written[at] = (at, false);
            let emission = self.decide(body, (block, inst), data, effects, is_computed);
            let is_variable = emission == Emission::Named
                && !site.is_spread
                && site.block == Some(block)
                && operands::is_own_variable(module, body, data)
                && after.permits(effects, self.ends[inst].max(position), false);
            let allowed = match emission {
                Emission::Inline if operands::is_statement(data) && !is_computed => {
                    position == next && self.is_only_operand(body, (block, inst), site)
                }
                Emission::Inline => {
                    after.permits(effects, position, is_guarded)
                        && self.operands_keep(body, inst, &after, position)
                }
                Emission::Named | Emission::Repeated | Emission::Register | Emission::Dead => true,
            };
            if emission == Emission::Inline && allowed {
                written[at] = (position, is_guarded);
                self.stored[inst] = insts.get(site.at).is_some_and(|&user| self.stores(body, inst, user));
            }
            self.emissions[inst] = match allowed {
                _ if is_variable => Emission::Repeated,
                true => emission,
                false => Emission::Named,
            };
            let here = written[at].0;
            if here == at && matches!(self.emissions[inst], Emission::Named) {
                next = at;
            }
            let mut ends = std::mem::take(&mut self.ends);
            self.for_each_number(body, inst, |arg| ends[arg] = here.max(ends[arg]));
            self.ends = ends;
            // A call is executed where it is written.
            after.add(effects, if operands::is_statement(data) { here } else { at });
        }
    }

    /// Returns true if a value is all that its user stores, or is selected from by a value of which that is true.
    fn stores(&self, body: &FuncBody, value: Inst, user: Inst) -> bool {
        match self.pieces.store(user) {
            Some(PartialStore { pieces, .. }) => matches!(&pieces[..], [piece] if piece.source == value),
            None => match body.inst(user).op {
                Op::Memory(MemoryOp::Store) => body.inst(user).args.get(1) == Some(&value),
                Op::Reg(RegOp::Store) => true,
                Op::Vector(VectorOp::Swizzle) => self.stored[user],
                _ => false,
            },
        }
    }

    fn decide(
        &self,
        body: &FuncBody,
        (block, inst): (Block, Inst),
        data: &InstData,
        effects: &Effects,
        is_computed: bool,
    ) -> Emission {
        let site = self.sites[inst];
        if self.emissions[inst] == Emission::Register {
            return if site.count == 0 { Emission::Dead } else { Emission::Register };
        }
        if site.count == 0 {
            return if is_unneeded(data) { Emission::Dead } else { Emission::Named };
        }
        let is_input = data.op == Op::Memory(MemoryOp::Load) && effects.reads.is_none();
        if is_input && self.has_constant_path(body, inst) {
            return Emission::Repeated;
        }
        let is_plain = (is_computed || !operands::is_statement(data) || operands::is_answer(data))
            && !data.flags.has(Flags::EXACT);
        if is_plain && site.count == 1 && site.block == Some(block) {
            Emission::Inline
        } else {
            Emission::Named
        }
    }

    /// Returns true if all indices of a load's path are constants.
    fn has_constant_path(&self, body: &FuncBody, load: Inst) -> bool {
        self.numbers.get(load).iter().all(|&index| body.inst(index).op == Op::Basic(BasicOp::Const))
    }

    /// Returns true if the only use of a value stores it to a variable or a register of the function, or returns it.
    fn is_only_operand(&self, body: &FuncBody, (block, inst): (Block, Inst), site: Site) -> bool {
        let Some(&user) = body.block(block).insts.get(site.at) else {
            return *body.terminator(block) == Terminator::Return(Some(inst));
        };
        let data = body.inst(user);
        match data.op {
            Op::Reg(RegOp::Store) => true,
            Op::Memory(MemoryOp::Store)
                if !data.attrs.has(Key::Mask) && self.pieces.store(user).is_none() =>
            {
                let path = data.args.first().map(|&path| body.inst(path).op);
                path == Some(Op::Deref(DerefOp::Var)) && data.args.get(1) == Some(&inst)
            }
            _ => false,
        }
    }

    /// Returns true if the registers that an instruction reads keep their values up to a position.
    fn operands_keep(&self, body: &FuncBody, inst: Inst, after: &After, position: usize) -> bool {
        let mut keep = true;
        self.for_each_number(body, inst, |arg| {
            if self.emissions[arg] == Emission::Register
                && let Some(reg) = body.inst(arg).entity::<Reg>(Key::Reg)
            {
                keep &= after.next_write(Place::Reg(reg)) >= position;
            }
        });
        keep
    }
}

/// The effects after the current instruction: the position of the next one of each kind.
#[derive(Default)]
struct After {
    writes: FxHashMap<Place, usize>,
    orders: Option<usize>,
    terminates: Option<usize>,
}

impl After {
    fn next_write(&self, place: Place) -> usize {
        self.writes.get(&place).copied().unwrap_or(usize::MAX)
    }

    /// Returns true if an instruction can be written at a later position.
    fn permits(&self, effects: &Effects, position: usize, is_guarded: bool) -> bool {
        let orders = self.orders.unwrap_or(usize::MAX);
        let is_read_kept = effects.reads.is_none_or(|place| {
            let is_own = matches!(place, Place::Reg(_)) || matches!(place, Place::Param(_));
            self.next_write(place) >= position && (is_own || orders >= position)
        });
        let is_group_kept = !effects.convergent
            || !is_guarded && orders >= position && self.terminates.unwrap_or(usize::MAX) >= position;
        is_read_kept && is_group_kept
    }

    fn add(&mut self, effects: &Effects, at: usize) {
        for place in effects.writes.iter() {
            self.writes.insert(place, at);
        }
        if effects.orders {
            self.orders = Some(at);
        }
        if effects.terminates {
            self.terminates = Some(at);
        }
    }
}

/// Returns true if an instruction is of no use if its result has none.
fn is_unneeded(data: &InstData) -> bool {
    data.op.props().removable() || operands::is_query(data)
}

/// Returns true if the text of an instruction contains an operand more than once, in a language whose lookups take the place
/// in a layer and the layer as two arguments.
pub(super) fn repeats(data: &InstData, arg: Inst) -> bool {
    match data.op {
        Op::Tex(TexOp::Sample | TexOp::SampleLod) => {
            data.attrs.has(Key::Arrayed) || data.attrs.has(Key::Sparse)
        }
        Op::Tex(_) => true,
        _ => spell::repeats(data, arg),
    }
}

/// Returns true if an operator or a choice does not evaluate all of its operands.
fn may_skip_operands(body: &FuncBody, data: &InstData) -> bool {
    let is_one_bool = |inst: Inst| body.ty(inst) == ValueType::BOOL;
    match data.op {
        Op::Int(IntOp::IAnd | IntOp::IOr) => data.ty.width() == Some(Width::W1),
        Op::Int(IntOp::Select | IntOp::Select1) => data.args.first().is_some_and(|&cond| is_one_bool(cond)),
        _ => false,
    }
}
