//! `structurize{switch-loop}`: every block is an arm of one switch in one loop, as in the structured program
//! theorem. A teaching example, and the baseline for the other modes.
//!
//! ```text
//! ^0: …  ~s = first
//! loop { ^head: switch ~s { case 1 { ^1: … ~s = if %c { 2 } else { 3 } } … } }
//! ```
//!
//! The entry is placed before the loop. Dominance is lost in the loop, so values that are used in another block
//! are kept in registers: stored after their definition, loaded at the start of each block that uses them.
//! Paths and handles cannot be kept in registers; they are recomputed if possible, and otherwise the function
//! is rejected. Convergence is lost; see section 2.1 of the structurizer study.

use super::dispatch::Dispatched;
use super::{Metrics, metrics, prepare, reasons};
use crate::util::rebuild;
use crate::util::rebuilt::made;
use rustc_hash::FxHashMap;
use vitrine_analysis::Cfg;
use vitrine_ir::base::{EntityId, SideTable};
use vitrine_ir::ops::{Key, Props, RegOp, ValueType, Width};
use vitrine_ir::{
    Anchor, Arm, Assembler, Attrs, Block, BlockData, CowVec, Diag, Edge, Editor, Event, Func, FuncBody, Help,
    Inst, InstData, Journal, Module, Node, NodeData, NodeKind, Origin, Reason, Reg, RegData, Region,
    RegionData, Terminator,
};

/// The reason for an empty block around the construct of a block.
const AROUND: &str = "a region begins and ends with a block";

/// Creates the tree; `cfg` is the graph of `before`.
pub(super) fn structurize(
    module: &mut Module,
    func: Func,
    before: &FuncBody,
    cfg: &Cfg,
) -> Result<(Metrics, Journal), Diag> {
    let prepared = prepare::prepare(before, cfg, false);
    let (hints, leader) = (prepared.hints, prepared.leader);
    let order = prepared.asm.body().blocks_in_order();
    let mut done = Dispatched::default();
    let mut journal = Journal::new();
    reasons::of_blocks(&mut journal, before, &leader);
    let cfg = Cfg::of(prepared.asm.body());
    let mut builder = Builder {
        module,
        func,
        asm: prepared.asm,
        journal,
        home: SideTable::new(),
        regs: SideTable::new(),
        next_reg: before.tables().regs.len(),
        selector: Reg::from_index(before.tables().regs.len()),
        cases: SideTable::new(),
        line: Origin::default(),
    };
    if order.len() > 1 {
        builder.values(cfg.rpo())?;
        done.blocks.push(order[0]);
        done.arms = order.len() as u32 - 1;
        done.redirected = cfg.edge_count() as u32;
    }
    let (after, journal) = builder.build(&order);
    let metrics = metrics::of(before, &after, &hints, &leader, &done);
    Ok((metrics, Editor::replace_body(module, func, after, journal)))
}

struct Builder<'m> {
    module: &'m mut Module,
    func: Func,
    asm: Assembler,
    journal: Journal,
    /// The block that defines a value, if it is not the entry.
    home: SideTable<Inst, Option<Block>>,
    /// The register of a value that is used in another block.
    regs: SideTable<Inst, Option<Reg>>,
    next_reg: usize,
    selector: Reg,
    /// The selector value of a block.
    cases: SideTable<Block, u64>,
    /// The source line of the terminator that is replaced.
    line: Origin,
}

impl Builder<'_> {
    fn new_reg(&mut self, ty: ValueType) -> Option<Reg> {
        let width = ty.width()?;
        let reg = Reg::from_index(self.next_reg);
        self.next_reg += 1;
        self.asm.put_reg(reg, RegData { name: None, width, components: ty.components(), len: 0 });
        Some(reg)
    }

    fn load(&mut self, reg: Reg, ty: ValueType) -> Inst {
        self.asm.add_inst(InstData::new(RegOp::Load, ty, &[]).with(Key::Reg, reg.index() as u64))
    }

    fn store(&mut self, reg: Reg, value: Inst) -> Inst {
        let data = InstData::new(RegOp::Store, ValueType::Void, &[value]);
        let store = self.asm.add_inst(data.with(Key::Reg, reg.index() as u64));
        // Constants have no line; the branch that passes them has.
        let own = self.asm.body().origin(value).line_only();
        self.asm.origin(store, if own.line > 0 { own } else { self.line });
        store
    }

    fn cannot(&self, value: Inst) -> Diag {
        let diag =
            Diag::error("P103", Anchor::Inst(self.func, value)).names(value, Anchor::Inst(self.func, value));
        let diag = diag.says("is used in another block, and cannot be stored in a register");
        diag.help(Help::text("use").pass("structurize{faithful}").then(", which needs no registers"))
    }

    /// Creates registers for values that are used in other blocks.
    fn values(&mut self, rpo: &[Block]) -> Result<(), Diag> {
        let selector = self.new_reg(ValueType::B32);
        debug_assert_eq!(selector, Some(self.selector));
        // The entry comes first.
        let inner = &rpo[1..];
        for &block in inner {
            let data = self.asm.body().block(block).clone();
            data.params.iter().chain(data.insts.iter()).for_each(|&inst| self.home[inst] = Some(block));
            for &param in data.params.iter() {
                let ty = self.asm.body().ty(param);
                let reg = self.new_reg(ty).ok_or_else(|| self.cannot(param))?;
                self.regs[param] = Some(reg);
            }
        }
        for &block in rpo {
            self.uses(block)?;
        }
        for &block in inner {
            self.definitions(block);
        }
        Ok(())
    }

    /// Replaces the uses of other blocks' values in a block by loads at its start.
    fn uses(&mut self, block: Block) -> Result<(), Diag> {
        let data = self.asm.body().block(block).clone();
        let mut here: FxHashMap<Inst, Inst> = FxHashMap::default();
        let mut first: Vec<Inst> = Vec::new();
        let mut wanted: Vec<Inst> = Vec::new();
        for &inst in data.insts.iter() {
            wanted.extend(self.asm.body().inst(inst).args.iter());
        }
        data.terminator.for_each_use(|value| wanted.push(value));
        for value in wanted {
            self.import(value, block, &mut here, &mut first)?;
        }
        if here.is_empty() {
            return Ok(());
        }
        let at = |value: Inst| here.get(&value).copied().unwrap_or(value);
        for &inst in data.insts.iter() {
            let args = self.asm.body().inst(inst).args.map(at);
            self.asm.inst_mut(inst).args = args;
        }
        let terminator = data.terminator.map_uses(at);
        self.asm.block_mut(block).terminator = terminator;
        rebuild::prepend(&mut self.asm, block, first);
        Ok(())
    }

    /// Makes a value of another block available at the start of this one.
    fn import(
        &mut self,
        value: Inst,
        block: Block,
        here: &mut FxHashMap<Inst, Inst>,
        first: &mut Vec<Inst>,
    ) -> Result<(), Diag> {
        let mut work = vec![(value, false)];
        while let Some((value, ready)) = work.pop() {
            if here.contains_key(&value) || self.home[value].is_none_or(|home| home == block) {
                continue;
            }
            let data = self.asm.body().inst(value).clone();
            if data.ty.width().is_some() {
                let reg = match self.regs[value] {
                    Some(reg) => reg,
                    None => self.new_reg(data.ty).ok_or_else(|| self.cannot(value))?,
                };
                self.regs[value] = Some(reg);
                let load = self.load(reg, data.ty);
                made(
                    &mut self.journal,
                    load,
                    "a register holds the value of another block, which may not dominate this one",
                );
                self.asm.origin(load, self.asm.body().origin(value).line_only());
                // Another block may recompute this block's paths: the load must not be treated as a value of
                // the entry.
                self.home[load] = Some(block);
                first.push(load);
                here.insert(value, load);
                continue;
            }
            let props = data.op.props();
            let again = props.pure() || data.ty == ValueType::Handle && props.removable();
            if !again || props.has(Props::NONDETERMINISTIC) || props.has(Props::CONVERGENT) {
                return Err(self.cannot(value));
            }
            if ready {
                let mut copy = data;
                copy.args = copy.args.map(|arg| here.get(&arg).copied().unwrap_or(arg));
                let copy = self.asm.add_inst(copy);
                let event = Event::Copy { of: value.into(), new: copy.into() };
                self.journal.push(
                    event,
                    Reason::Note("no register can hold it: it is computed again where it is used"),
                );
                self.asm.origin(copy, self.asm.body().origin(value));
                self.home[copy] = Some(block);
                first.push(copy);
                here.insert(value, copy);
            } else {
                work.push((value, true));
                work.extend(data.args.iter().map(|&arg| (arg, false)));
                // An operand from this block would be defined after the copy.
                if data.args.iter().any(|&arg| self.home[arg] == Some(block)) {
                    return Err(self.cannot(value));
                }
            }
        }
        Ok(())
    }

    /// Stores the values that other blocks load, and loads parameters.
    fn definitions(&mut self, block: Block) {
        let data = std::mem::take(self.asm.block_mut(block));
        let mut insts: Vec<Inst> = Vec::with_capacity(data.insts.len());
        for &param in data.params.iter() {
            if let Some(reg) = self.regs[param] {
                let ty = self.asm.body().ty(param);
                *self.asm.inst_mut(param) =
                    InstData::new(RegOp::Load, ty, &[]).with(Key::Reg, reg.index() as u64);
                insts.push(param);
            }
        }
        let params = data.params.clone();
        for &inst in data.insts.iter() {
            insts.push(inst);
            if let Some(reg) = self.regs[inst] {
                let store = self.store(reg, inst);
                made(&mut self.journal, store, "another block uses the value");
                insts.push(store);
            }
        }
        // The parameters remain listed until edges have been redirected to their registers.
        *self.asm.block_mut(block) = BlockData { params, insts: CowVec::new(insts), ..data };
    }

    fn build(mut self, order: &[Block]) -> (FuncBody, Journal) {
        if order.len() == 1 {
            let root = self.asm.add_region(RegionData::new(order[0]));
            self.asm.block_mut(order[0]).merge = None;
            self.asm.tree(root);
            return (self.asm.finish(), self.journal);
        }
        for (case, &block) in (0u64..).zip(order) {
            self.cases[block] = case;
        }
        let bodies: Vec<Region> = order.iter().map(|&block| self.region(block)).collect();
        let arm = |(at, &body): (usize, &Region)| Arm {
            values: vec![at as u64],
            default: at + 1 == order.len(),
            body,
        };
        let arms = bodies.iter().enumerate().skip(1).map(arm).collect();
        let on = self.load(self.selector, ValueType::B32);
        made(&mut self.journal, on, "it selects the block that runs next");
        let switch = self.node(NodeKind::Switch { on, arms });
        made(&mut self.journal, switch, "each block but the entry is an arm of one switch");
        let head = self.asm.add_block(BlockData {
            insts: CowVec::new(vec![on]),
            terminator: Terminator::next(),
            ..BlockData::default()
        });
        let latch = rebuild::empty_block(&mut self.asm, Terminator::next());
        let body = self.asm.add_region(RegionData { head, rest: CowVec::new(vec![(switch, latch)]) });
        let the_loop = self.node(NodeKind::Loop { body, continuing: None });
        made(&mut self.journal, the_loop, "one loop runs all blocks but the entry, one in each iteration");
        let last = rebuild::empty_block(&mut self.asm, Terminator::default());
        [head, latch, last].into_iter().for_each(|block| made(&mut self.journal, block, AROUND));
        std::rc::Rc::make_mut(&mut self.asm.region_mut(bodies[0]).rest).push((the_loop, last));
        for &block in order {
            let data = self.asm.block_mut(block);
            data.params = CowVec::default();
            data.merge = None;
        }
        self.asm.tree(bodies[0]);
        (self.asm.finish(), self.journal)
    }

    fn node(&mut self, kind: NodeKind) -> Node {
        self.asm.add_node(NodeData { kind, attrs: Attrs::None })
    }

    /// A region with one block and the selection of the next one.
    fn region(&mut self, block: Block) -> Region {
        let terminator = std::mem::take(&mut self.asm.block_mut(block).terminator);
        let selects =
            (Event::Control(block.into()), Reason::Note("its edges select the block that runs next"));
        self.line = self.asm.body().end_origin(block).line_only();
        let kind = match &terminator {
            Terminator::Goto(edge) => {
                let stores = self.stores(edge);
                rebuild::append(&mut self.asm, block, &stores);
                self.journal.push(selects.0, selects.1);
                self.asm.block_mut(block).terminator = Terminator::next();
                return self.asm.add_region(RegionData::new(block));
            }
            Terminator::Branch { cond, then, els } => {
                let (then, els) = (self.leaf(then), self.leaf(els));
                NodeKind::If { cond: *cond, then, els }
            }
            Terminator::Switch { on, cases, default } => {
                let mut arms: Vec<Arm> = Vec::with_capacity(cases.len() + 1);
                for case in cases.iter() {
                    let body = self.leaf(&case.edge);
                    arms.push(Arm { values: case.values.clone(), default: false, body });
                }
                let body = self.leaf(default);
                arms.push(Arm { values: Vec::new(), default: true, body });
                NodeKind::Switch { on: *on, arms: arms.into() }
            }
            Terminator::Next(_)
            | Terminator::Break(..)
            | Terminator::Continue(..)
            | Terminator::Return(_)
            | Terminator::Stop(_) => {
                self.asm.block_mut(block).terminator = terminator;
                return self.asm.add_region(RegionData::new(block));
            }
        };
        self.journal.push(selects.0, selects.1);
        self.asm.block_mut(block).terminator = Terminator::next();
        let node = self.node(kind);
        let after = rebuild::empty_block(&mut self.asm, Terminator::next());
        made(&mut self.journal, after, AROUND);
        self.asm.add_region(RegionData { head: block, rest: CowVec::new(vec![(node, after)]) })
    }

    /// A region for an edge.
    fn leaf(&mut self, edge: &Edge) -> Region {
        let insts = CowVec::new(self.stores(edge));
        let head =
            self.asm.add_block(BlockData { insts, terminator: Terminator::next(), ..BlockData::default() });
        made(
            &mut self.journal,
            head,
            "the stores for one edge must not run on the other edges of the branch",
        );
        self.asm.add_region(RegionData::new(head))
    }

    /// Stores of the edge arguments and of the selector of the target.
    fn stores(&mut self, edge: &Edge) -> Vec<Inst> {
        let params = self.asm.body().block(edge.to).params.clone();
        let mut stores = Vec::with_capacity(params.len() + 2);
        for (&param, &arg) in params.iter().zip(edge.args.iter()) {
            if let Some(reg) = self.regs[param] {
                let store = self.store(reg, arg);
                made(
                    &mut self.journal,
                    store,
                    "the value that the edge passed is stored to the register of the parameter",
                );
                stores.push(store);
            }
        }
        let case = self.cases[edge.to];
        let case = rebuild::constant(self.module, &mut self.asm, Width::W32, case);
        let store = self.store(self.selector, case);
        stores.extend([case, store]);
        for inst in [case, store] {
            made(&mut self.journal, inst, "the edge selects the block that runs next");
        }
        stores
    }
}
