//! Joins several jumps into one path: a block with a code that identifies the jump, and its arguments.
//!
//! ```text
//! break !0(%a)    continue !1(%b, %c)    next(%d)     =>     … to ^m(2, %a, undef)   (3, %b, %c)   (0, %d, undef)
//! ```
//!
//! The code of a jump is the same in the whole function, so that an enclosing construct forwards it unchanged.
//! Arguments of one type share parameters. Constants are in the entry block.

use crate::util::rebuild;
use crate::util::rebuilt::made;
use rustc_hash::FxHashMap;
use vitrine_analysis::exits::forms::Jump;
use vitrine_ir::base::SideTable;
use vitrine_ir::ops::{BasicOp, IntOp, Key, ValueType, Width};
use vitrine_ir::{
    Args, Assembler, Attrs, Block, CowVec, Inst, InstData, Journal, Module, Nesting, Node, NodeData,
    NodeKind, Region, Terminator,
};

/// A parameter of a join point: its type, the pointee of a path, and its index among those.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Slot {
    ty: ValueType,
    pointee: Option<u64>,
    mode: Option<u64>,
    at: u32,
}

/// The arguments of an edge to a join point.
#[derive(Clone, Debug)]
pub(super) enum EdgePayload {
    /// Normal fallthrough with these arguments.
    Normal(Args),
    /// A single jump.
    Single(Jump, Args),
    /// Jumps forwarded from another join point.
    Forwarded(Join),
}

/// A block where jumps join.
#[derive(Clone, Debug)]
pub(super) struct Join {
    /// The block.
    pub(super) block: Block,
    /// The code of the jump; none if there is only one.
    pub(super) code: Option<Inst>,
    /// The code is a boolean: true for the only jump, false for normal fallthrough.
    pub(super) is_flag: bool,
    pub(super) slots: FxHashMap<Slot, Inst>,
    /// The jumps, in the order found.
    pub(super) jumps: Vec<Jump>,
    /// True if normal fallthrough is possible too.
    pub(super) normal: bool,
}

/// State shared by all join points of a function.
pub(super) struct Mux<'m> {
    module: &'m mut Module,
    pub(super) asm: Assembler,
    journal: &'m mut Journal,
    nesting: Nesting,
    codes: FxHashMap<Jump, u64>,
    consts: FxHashMap<(Width, u64), Inst>,
    undefs: FxHashMap<(ValueType, Option<u64>, Option<u64>), Inst>,
    /// New instructions for the entry block.
    entry: Vec<Inst>,
    /// The value that a `return` passes, for its type.
    returned: Option<Inst>,
    /// The blocks whose jumps each node captures, from the original tree.
    pub(super) sources: SideTable<Node, Vec<Block>>,
    /// Number of variables created.
    pub(super) vars: u32,
    /// Number of tests created.
    pub(super) checks: u32,
}

impl<'m> Mux<'m> {
    pub(super) fn new(module: &'m mut Module, asm: Assembler, journal: &'m mut Journal) -> Mux<'m> {
        let nesting = Nesting::of(asm.body());
        let returned =
            asm.body().blocks_in_order().into_iter().find_map(|block| match asm.body().terminator(block) {
                Terminator::Return(value) => *value,
                _ => None,
            });
        Mux {
            module,
            asm,
            journal,
            nesting,
            codes: FxHashMap::default(),
            consts: FxHashMap::default(),
            undefs: FxHashMap::default(),
            entry: Vec::new(),
            returned,
            sources: SideTable::new(),
            vars: 0,
            checks: 0,
        }
    }

    /// Inserts the constants where they dominate every block.
    pub(super) fn finish(mut self) -> (Assembler, SideTable<Node, Vec<Block>>) {
        if let Some(entry) = self.asm.body().entry() {
            rebuild::prepend(&mut self.asm, entry, self.entry);
        }
        (self.asm, self.sources)
    }

    /// Adds a block without instructions.
    pub(super) fn empty_block(&mut self, terminator: Terminator, reason: &'static str) -> Block {
        let block = rebuild::empty_block(&mut self.asm, terminator);
        made(self.journal, block, reason);
        block
    }

    /// Adds a node that tests an exit.
    pub(super) fn choice(&mut self, cond: Inst, then: Region, els: Region) -> Node {
        let kind = NodeKind::If { cond, then, els };
        let node = self.asm.add_node(NodeData { kind, attrs: Attrs::None });
        made(self.journal, node, "several exits lead here: it tests which of them was taken");
        node
    }

    /// Returns the parameters that receive the arguments of a jump, or values of the same types.
    pub(super) fn params(&self, jump: Jump) -> Vec<Inst> {
        let body = self.asm.body();
        let block = match jump {
            Jump::Break(node) => self.nesting.after(body, node),
            Jump::Continue(node) => match body.node(node).kind {
                NodeKind::Loop { body: first, continuing } => {
                    Some(body.region(continuing.unwrap_or(first)).head)
                }
                NodeKind::If { .. } | NodeKind::Switch { .. } | NodeKind::Block { .. } => None,
            },
            Jump::Return => return self.returned.into_iter().collect(),
        };
        block.map(|block| body.block(block).params.to_vec()).unwrap_or_default()
    }

    fn slots(&self, models: &[Inst]) -> Vec<Slot> {
        let mut seen: FxHashMap<(ValueType, Option<u64>, Option<u64>), u32> = FxHashMap::default();
        let mut slot = |&model: &Inst| {
            let (ty, pointee, mode) = self.kind(model);
            let count = seen.entry((ty, pointee, mode)).or_default();
            *count += 1;
            Slot { ty, pointee, mode, at: *count - 1 }
        };
        models.iter().map(&mut slot).collect()
    }

    fn kind(&self, model: Inst) -> (ValueType, Option<u64>, Option<u64>) {
        let data = self.asm.body().inst(model);
        match data.ty {
            ValueType::Path => (data.ty, data.attrs.get(Key::Type), data.attrs.get(Key::Mode)),
            ty => (ty, None, None),
        }
    }

    /// Returns a constant in the entry block.
    fn constant(&mut self, width: Width, value: u64) -> Inst {
        if let Some(&known) = self.consts.get(&(width, value)) {
            return known;
        }
        let inst = rebuild::constant(self.module, &mut self.asm, width, value);
        made(self.journal, inst, "it identifies an exit");
        self.entry.push(inst);
        self.consts.insert((width, value), inst);
        inst
    }

    fn undef(&mut self, model: Inst) -> Inst {
        let kind = self.kind(model);
        if let Some(&known) = self.undefs.get(&kind) {
            return known;
        }
        let inst = rebuild::inst_like(&mut self.asm, BasicOp::Undef, model);
        made(self.journal, inst, "only another exit passes this argument");
        self.entry.push(inst);
        self.undefs.insert(kind, inst);
        inst
    }

    fn code_of(&mut self, jump: Jump) -> u64 {
        let next = self.codes.len() as u64 + 1;
        *self.codes.entry(jump).or_insert(next)
    }

    /// Creates the block where paths join, and the arguments that each path passes to it. `normal` are the
    /// parameters of the code after the construct if some path falls through; `flag` allows a boolean code for a
    /// single jump.
    pub(super) fn join_paths(
        &mut self,
        payloads: &[EdgePayload],
        normal: Option<&[Inst]>,
        flag: bool,
    ) -> (Join, Vec<Args>) {
        let mut jumps: Vec<Jump> = Vec::new();
        let mut known: rustc_hash::FxHashSet<Jump> = rustc_hash::FxHashSet::default();
        for payload in payloads {
            match payload {
                EdgePayload::Normal(_) => {}
                EdgePayload::Single(jump, _) => jumps.extend(known.insert(*jump).then_some(*jump)),
                EdgePayload::Forwarded(from) => {
                    jumps.extend(from.jumps.iter().copied().filter(|&jump| known.insert(jump)));
                }
            }
        }
        let mut models: Vec<Inst> = normal.map(<[Inst]>::to_vec).unwrap_or_default();
        let mut slots: Vec<(Slot, Inst)> = Vec::new();
        let mut added: rustc_hash::FxHashSet<Slot> = rustc_hash::FxHashSet::default();
        for at in 0..=jumps.len() {
            if at > 0 {
                models = self.params(jumps[at - 1]);
            }
            let new = self.slots(&models).into_iter().zip(models.iter().copied());
            slots.extend(new.filter(|&(slot, _)| added.insert(slot)));
        }
        let block = self.empty_block(
            Terminator::default(),
            "several paths meet here, and continue by the exit that they took",
        );
        let is_flag = flag && normal.is_some() && jumps.len() == 1;
        let needs_code = jumps.len() + usize::from(normal.is_some()) > 1;
        let width = if is_flag { Width::W1 } else { Width::W32 };
        let code = needs_code.then(|| self.param(block, ValueType::bits(width, 1)));
        self.vars += u32::from(needs_code);
        let params: FxHashMap<Slot, Inst> = slots
            .iter()
            .map(|&(slot, model)| (slot, rebuild::param_like(&mut self.asm, block, model)))
            .collect();
        for &(slot, _) in &slots {
            params
                .get(&slot)
                .into_iter()
                .for_each(|&param| made(self.journal, param, "an exit passes this argument"));
        }
        let join = Join { block, code, is_flag, slots: params, jumps, normal: normal.is_some() };
        let args = payloads.iter().map(|payload| self.passes(payload, &join, normal, &slots)).collect();
        (join, args)
    }

    fn param(&mut self, block: Block, ty: ValueType) -> Inst {
        let param = self.asm.add_inst(InstData::new(BasicOp::Param, ty, &[]));
        made(self.journal, param, "it identifies the exit that was taken");
        let data = self.asm.block_mut(block);
        let mut params = data.params.to_vec();
        params.push(param);
        data.params = CowVec::new(params);
        param
    }

    /// Returns the arguments that a path passes to a join point.
    fn passes(
        &mut self,
        payload: &EdgePayload,
        join: &Join,
        normal: Option<&[Inst]>,
        slots: &[(Slot, Inst)],
    ) -> Args {
        let by_slot = |mux: &Self, models: &[Inst], args: &Args| -> FxHashMap<Slot, Inst> {
            mux.slots(models).into_iter().zip(args.iter().copied()).collect()
        };
        let width = if join.is_flag { Width::W1 } else { Width::W32 };
        let (code, values) = match payload {
            EdgePayload::Normal(args) => (None, by_slot(self, normal.unwrap_or(&[]), args)),
            EdgePayload::Single(jump, args) => (Some(*jump), by_slot(self, &self.params(*jump), args)),
            EdgePayload::Forwarded(from) => (from.jumps.first().copied(), from.slots.clone()),
        };
        let mut passed = Vec::with_capacity(slots.len() + 1);
        if join.code.is_some() {
            passed.push(match (payload, code) {
                (EdgePayload::Forwarded(Join { code: Some(code), .. }), _) => *code,
                (_, None) => self.constant(width, 0),
                (_, Some(_)) if join.is_flag => self.constant(width, 1),
                (_, Some(jump)) => {
                    let code = self.code_of(jump);
                    self.constant(width, code)
                }
            });
        }
        for &(slot, model) in slots {
            passed.push(match values.get(&slot) {
                Some(&value) => value,
                None => self.undef(model),
            });
        }
        Args::new(&passed)
    }

    /// Returns the arguments that a join point passes to the code after it.
    pub(super) fn normal_args(&self, join: &Join, params: &[Inst]) -> Args {
        self.slots(params).iter().filter_map(|slot| join.slots.get(slot).copied()).collect()
    }

    /// Returns the arguments of a jump out of a join point.
    pub(super) fn jump_args(&self, join: &Join, jump: Jump) -> Args {
        self.normal_args(join, &self.params(jump))
    }

    /// Appends to `block` a test for this jump; for normal fallthrough if none.
    pub(super) fn test(&mut self, block: Block, join: &Join, jump: Option<Jump>) -> Option<Inst> {
        self.checks += 1;
        let code = join.code?;
        if join.is_flag {
            return Some(code);
        }
        let value = jump.map_or(0, |jump| self.code_of(jump));
        let expected = self.constant(Width::W32, value);
        let test = self.asm.add_inst(InstData::new(IntOp::IEq, ValueType::BOOL, &[code, expected]));
        made(self.journal, test, "it tests which exit was taken");
        let line = self.asm.body().end_origin(block).line_only();
        self.asm.origin(test, line);
        rebuild::append(&mut self.asm, block, &[test]);
        Some(test)
    }
}
