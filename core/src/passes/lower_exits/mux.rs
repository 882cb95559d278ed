//! Where several jumps become one way: a block that takes a code for which of them it is, and their arguments.
//!
//! ```text
//! break !0(%a)    continue !1(%b, %c)    next(%d)     =>     … to ^m(2, %a, undef)   (3, %b, %c)   (0, %d, undef)
//! ```
//!
//! The code of a jump is the same in the whole function, so that a construct further out hands it on as it
//! is. Arguments of one type share parameters. Constants stand in the entry.

use crate::analysis::exits::forms::Jump;
use crate::base::SideTable;
use crate::ir::InstData;
use crate::ir::{Args, Assembler, Block, CowVec, Inst, Module, Nesting, Node, NodeKind, Terminator};
use crate::ops::{BasicOp, IntOp, Key, ValueType, Width};
use crate::passes::util::rebuild;
use rustc_hash::FxHashMap;

/// A parameter of a meeting: its type, what a path points at, and which one of those it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Slot {
    ty: ValueType,
    pointee: Option<u64>,
    mode: Option<u64>,
    at: u32,
}

/// What a way to a meeting brings.
#[derive(Clone, Debug)]
pub(super) enum Carries {
    /// It goes on with these arguments.
    Normal(Args),
    /// It jumps.
    One(Jump, Args),
    /// It comes from another meeting.
    Many(Meeting),
}

/// A block where jumps meet.
#[derive(Clone, Debug)]
pub(super) struct Meeting {
    /// The block.
    pub(super) block: Block,
    /// Which jump it is; none if there is one only.
    pub(super) code: Option<Inst>,
    /// The code is a boolean that holds for the only jump, and not for going on.
    pub(super) is_flag: bool,
    pub(super) slots: FxHashMap<Slot, Inst>,
    /// The jumps, in the order found.
    pub(super) jumps: Vec<Jump>,
    /// Whether it may also just go on.
    pub(super) normal: bool,
}

/// What all meetings of a function share.
pub(super) struct Mux<'m> {
    module: &'m mut Module,
    pub(super) asm: Assembler,
    nesting: Nesting,
    codes: FxHashMap<Jump, u64>,
    consts: FxHashMap<(Width, u64), Inst>,
    undefs: FxHashMap<(ValueType, Option<u64>, Option<u64>), Inst>,
    /// New instructions of the entry.
    entry: Vec<Inst>,
    /// The value that a `return` passes, for its type.
    returned: Option<Inst>,
    /// The blocks whose jumps each node captures, as the tree had them.
    pub(super) sources: SideTable<Node, Vec<Block>>,
    /// Variables made.
    pub(super) vars: u32,
    /// Tests made.
    pub(super) checks: u32,
}

impl<'m> Mux<'m> {
    pub(super) fn new(module: &'m mut Module, asm: Assembler) -> Mux<'m> {
        let nesting = Nesting::of(asm.body());
        let returned =
            asm.body().blocks_in_order().into_iter().find_map(|block| match asm.body().terminator(block) {
                Terminator::Return(value) => *value,
                _ => None,
            });
        Mux {
            module,
            asm,
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

    /// Puts the constants where every block sees them.
    pub(super) fn finish(mut self) -> (Assembler, SideTable<Node, Vec<Block>>) {
        if let Some(entry) = self.asm.body().entry() {
            rebuild::prepend(&mut self.asm, entry, self.entry);
        }
        (self.asm, self.sources)
    }

    /// The parameters that a jump passes values to, or what is like them.
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

    fn slots(&self, likes: &[Inst]) -> Vec<Slot> {
        let mut seen: FxHashMap<(ValueType, Option<u64>, Option<u64>), u32> = FxHashMap::default();
        let mut slot = |&like: &Inst| {
            let (ty, pointee, mode) = self.kind(like);
            let count = seen.entry((ty, pointee, mode)).or_default();
            *count += 1;
            Slot { ty, pointee, mode, at: *count - 1 }
        };
        likes.iter().map(&mut slot).collect()
    }

    fn kind(&self, like: Inst) -> (ValueType, Option<u64>, Option<u64>) {
        let data = self.asm.body().inst(like);
        match data.ty {
            ValueType::Path => (data.ty, data.attrs.get(Key::Type), data.attrs.get(Key::Mode)),
            ty => (ty, None, None),
        }
    }

    /// A constant, in the entry.
    fn constant(&mut self, width: Width, value: u64) -> Inst {
        if let Some(&known) = self.consts.get(&(width, value)) {
            return known;
        }
        let inst = rebuild::constant(self.module, &mut self.asm, width, value);
        self.entry.push(inst);
        self.consts.insert((width, value), inst);
        inst
    }

    fn undef(&mut self, like: Inst) -> Inst {
        let kind = self.kind(like);
        if let Some(&known) = self.undefs.get(&kind) {
            return known;
        }
        let inst = rebuild::inst_like(&mut self.asm, BasicOp::Undef, like);
        self.entry.push(inst);
        self.undefs.insert(kind, inst);
        inst
    }

    fn code_of(&mut self, jump: Jump) -> u64 {
        let next = self.codes.len() as u64 + 1;
        *self.codes.entry(jump).or_insert(next)
    }

    /// Makes the block where ways meet, and what each way passes to it. `normal` are the parameters of what
    /// comes behind where some way goes on; `flag` lets the code of a single jump be a boolean.
    pub(super) fn meet(
        &mut self,
        ways: &[Carries],
        normal: Option<&[Inst]>,
        flag: bool,
    ) -> (Meeting, Vec<Args>) {
        let mut jumps: Vec<Jump> = Vec::new();
        let mut known: rustc_hash::FxHashSet<Jump> = rustc_hash::FxHashSet::default();
        for way in ways {
            match way {
                Carries::Normal(_) => {}
                Carries::One(jump, _) => jumps.extend(known.insert(*jump).then_some(*jump)),
                Carries::Many(from) => {
                    jumps.extend(from.jumps.iter().copied().filter(|&jump| known.insert(jump)));
                }
            }
        }
        let mut likes: Vec<Inst> = normal.map(<[Inst]>::to_vec).unwrap_or_default();
        let mut slots: Vec<(Slot, Inst)> = Vec::new();
        let mut had: rustc_hash::FxHashSet<Slot> = rustc_hash::FxHashSet::default();
        for at in 0..=jumps.len() {
            if at > 0 {
                likes = self.params(jumps[at - 1]);
            }
            let new = self.slots(&likes).into_iter().zip(likes.iter().copied());
            slots.extend(new.filter(|&(slot, _)| had.insert(slot)));
        }
        let block = rebuild::empty_block(&mut self.asm, Terminator::default());
        let is_flag = flag && normal.is_some() && jumps.len() == 1;
        let needs_code = jumps.len() + usize::from(normal.is_some()) > 1;
        let width = if is_flag { Width::W1 } else { Width::W32 };
        let code = needs_code.then(|| self.param(block, ValueType::bits(width, 1)));
        self.vars += u32::from(needs_code);
        let params: FxHashMap<Slot, Inst> = slots
            .iter()
            .map(|&(slot, like)| (slot, rebuild::param_like(&mut self.asm, block, like)))
            .collect();
        let meeting = Meeting { block, code, is_flag, slots: params, jumps, normal: normal.is_some() };
        let args = ways.iter().map(|way| self.passes(way, &meeting, normal, &slots)).collect();
        (meeting, args)
    }

    fn param(&mut self, block: Block, ty: ValueType) -> Inst {
        let param = self.asm.add_inst(InstData::new(BasicOp::Param, ty, &[]));
        let data = self.asm.block_mut(block);
        let mut params = data.params.to_vec();
        params.push(param);
        data.params = CowVec::new(params);
        param
    }

    /// What a way passes to a meeting.
    fn passes(
        &mut self,
        way: &Carries,
        meeting: &Meeting,
        normal: Option<&[Inst]>,
        slots: &[(Slot, Inst)],
    ) -> Args {
        let by_slot = |mux: &Self, likes: &[Inst], args: &Args| -> FxHashMap<Slot, Inst> {
            mux.slots(likes).into_iter().zip(args.iter().copied()).collect()
        };
        let width = if meeting.is_flag { Width::W1 } else { Width::W32 };
        let (code, values) = match way {
            Carries::Normal(args) => (None, by_slot(self, normal.unwrap_or(&[]), args)),
            Carries::One(jump, args) => (Some(*jump), by_slot(self, &self.params(*jump), args)),
            Carries::Many(from) => (from.jumps.first().copied(), from.slots.clone()),
        };
        let mut passed = Vec::with_capacity(slots.len() + 1);
        if meeting.code.is_some() {
            passed.push(match (way, code) {
                (Carries::Many(Meeting { code: Some(code), .. }), _) => *code,
                (_, None) => self.constant(width, 0),
                (_, Some(_)) if meeting.is_flag => self.constant(width, 1),
                (_, Some(jump)) => {
                    let code = self.code_of(jump);
                    self.constant(width, code)
                }
            });
        }
        for &(slot, like) in slots {
            passed.push(match values.get(&slot) {
                Some(&value) => value,
                None => self.undef(like),
            });
        }
        Args::new(&passed)
    }

    /// What a meeting hands on to what comes behind it.
    pub(super) fn normal_args(&self, meeting: &Meeting, params: &[Inst]) -> Args {
        self.slots(params).iter().filter_map(|slot| meeting.slots.get(slot).copied()).collect()
    }

    /// What a jump out of a meeting passes.
    pub(super) fn jump_args(&self, meeting: &Meeting, jump: Jump) -> Args {
        self.normal_args(meeting, &self.params(jump))
    }

    /// Adds to `block` the test whether a meeting is for this jump; none: for going on.
    pub(super) fn test(&mut self, block: Block, meeting: &Meeting, jump: Option<Jump>) -> Option<Inst> {
        self.checks += 1;
        let code = meeting.code?;
        if meeting.is_flag {
            return Some(code);
        }
        let value = jump.map_or(0, |jump| self.code_of(jump));
        let wanted = self.constant(Width::W32, value);
        let test = self.asm.add_inst(InstData::new(IntOp::IEq, ValueType::BOOL, &[code, wanted]));
        rebuild::append(&mut self.asm, block, &[test]);
        Some(test)
    }
}
