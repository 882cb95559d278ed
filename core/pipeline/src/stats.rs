//! Size of a version: the numbers that a timeline shows.

use vitrine_ir::ops::{BasicOp, Op};
use vitrine_ir::{FuncBody, Module, TreeStep, TreeWalk};

/// Number of items of a program. Declarations without a body count as functions only.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Stats {
    /// Functions.
    pub funcs: u32,
    /// Blocks.
    pub blocks: u32,
    /// Nodes of trees.
    pub nodes: u32,
    /// Parameters of blocks.
    pub params: u32,
    /// Instructions except `const` and `undef`.
    pub insts: u32,
    /// `const` and `undef` instructions: they cost nothing, and appear and disappear with their users.
    pub consts: u32,
}

impl Stats {
    /// Counts a whole module. Linear.
    pub fn of(module: &Module) -> Stats {
        let mut sum = Stats::default();
        for (_, body) in module.funcs() {
            sum.add(Stats::of_func(body));
        }
        sum
    }

    /// Counts one function. Linear.
    pub fn of_func(body: &FuncBody) -> Stats {
        let mut stats = Stats { funcs: 1, ..Stats::default() };
        for block in body.blocks_in_order() {
            let data = body.block(block);
            stats.blocks += 1;
            stats.params += data.params.len() as u32;
            let free = |inst: &&vitrine_ir::Inst| {
                matches!(body.inst(**inst).op, Op::Basic(BasicOp::Const | BasicOp::Undef))
            };
            let consts = data.insts.iter().filter(free).count();
            stats.consts += consts as u32;
            stats.insts += (data.insts.len() - consts) as u32;
        }
        stats.nodes = TreeWalk::new(body).filter(|step| matches!(step, TreeStep::Enter(_))).count() as u32;
        stats
    }

    fn add(&mut self, other: Stats) {
        self.funcs += other.funcs;
        self.blocks += other.blocks;
        self.nodes += other.nodes;
        self.params += other.params;
        self.insts += other.insts;
        self.consts += other.consts;
    }
}
