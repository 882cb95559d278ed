//! Cost model: estimates execution cost from instruction weights by family and block frequencies by loop trip
//! counts.
//!
//! The unit is one scalar addition. Weights are not times of any machine: they order alternatives that passes
//! choose between. A loop counts with its trip count, or as eight iterations if the trip count is unknown.
//! Both sides of a branch count in full, so a total is the cost for a subgroup that diverges.
//!
//! ```text
//! loop !0(%0) {               trip count 4
//! ^1(%1: b32):
//!   %2: b32x4 = fmul %3, %4   4: one for each component
//!   %5: b32 = fsqrt %6        6
//!   store %7, %5              8: so the block costs 18 × 4
//! ```

use super::{Analyses, Analysis, Inductions, Loops, Reads, Trips};
use vitrine_ir::base::{EntityId, SideTable};
use vitrine_ir::ops::{BasicOp, ConvertOp, FloatOp, IntOp, MemoryOp, Op, Props, ValueType};
use vitrine_ir::{Block, Func, FuncBody, InstData, Module};

/// Assumed trip count of a loop if it is unknown.
const GUESSED_ROUNDS: u64 = 8;

/// Estimated cost of a function.
#[derive(Clone, Debug, Default)]
pub struct Cost {
    once: SideTable<Block, u64>,
    times: SideTable<Block, u64>,
    total: u64,
}

impl Analysis for Cost {
    const NAME: &'static str = "cost";
    const READS: Reads = Reads::Module;

    fn compute(module: &Module, func: Func, body: &FuncBody, cx: &mut Analyses) -> Cost {
        let (loops, found) = (cx.get::<Loops>(module, func), cx.get::<Inductions>(module, func));
        Cost::of(body, &loops, &found)
    }
}

impl Cost {
    /// Computes the cost. Linear.
    pub fn of(body: &FuncBody, loops: &Loops, found: &Inductions) -> Cost {
        let mut often: Vec<u64> = Vec::with_capacity(loops.len());
        for of in loops.all() {
            let iterations = iterations(found.trips(of));
            // Outer loops come first.
            let outer = loops.parent(of).and_then(|up| often.get(up.index()).copied()).unwrap_or(1);
            often.push(outer.saturating_mul(iterations));
        }
        let mut cost = Cost::default();
        for block in body.blocks_in_order() {
            let insts = body.block(block).insts.iter();
            let once = insts.map(|&inst| u64::from(weight(body.inst(inst)))).sum();
            let times = loops.innermost(block).and_then(|of| often.get(of.index()).copied()).unwrap_or(1);
            cost.once[block] = once;
            cost.times[block] = times;
            cost.total = cost.total.saturating_add(times.saturating_mul(once));
        }
        cost
    }

    /// The cost of executing a block once.
    pub fn once(&self, block: Block) -> u64 {
        self.once[block]
    }

    /// The estimated number of executions of a block for each call of the function.
    pub fn times(&self, block: Block) -> u64 {
        self.times[block].max(1)
    }

    /// The estimated cost of one call of the function.
    pub fn total(&self) -> u64 {
        self.total
    }
}

/// The frequency of the blocks of a loop. If the loop does not exit at its end, most of them run once more
/// than the trip count; this is ignored.
fn iterations(trips: Trips) -> u64 {
    match trips {
        Trips::Exactly(count) | Trips::AtMost(count) => u64::from(count).max(1),
        Trips::MoreThan(count) => u64::from(count).max(GUESSED_ROUNDS),
        Trips::Unknown => GUESSED_ROUNDS,
    }
}

/// The cost of an instruction.
pub fn weight(data: &InstData) -> u32 {
    let components = match data.ty {
        ValueType::Bits { components, .. } => u32::from(components),
        ValueType::Void | ValueType::Path | ValueType::Ptr | ValueType::Handle => 1,
    };
    match data.op {
        Op::Basic(BasicOp::Call) => 20,
        // These create names and no work.
        Op::Basic(_) | Op::Vector(_) | Op::Deref(_) | Op::Ptr(_) | Op::Reg(_) => {
            u32::from(!matches!(data.op, Op::Basic(BasicOp::Const | BasicOp::Undef | BasicOp::Param)))
        }
        Op::Float(op) => float(op) * components,
        Op::Int(op) => int(op) * components,
        Op::Convert(ConvertOp::B2I | ConvertOp::B2F) => components,
        Op::Convert(_) => 2 * components,
        Op::Memory(MemoryOp::Load | MemoryOp::Store) => 8,
        Op::Memory(_) => 16,
        Op::Io(_) => 4,
        Op::Group(_) => 8,
        Op::Tex(op) => {
            if Op::Tex(op).props().has(Props::NEEDS_HELPERS) {
                40
            } else {
                20
            }
        }
        Op::Spirv(_) => 20,
    }
}

/// Float operations that cost more than an addition.
const FLOATS: &[(FloatOp, u32)] = &[
    (FloatOp::FDiv, 8),
    (FloatOp::FRcp, 4),
    (FloatOp::FSqrt, 6),
    (FloatOp::FRsq, 4),
    (FloatOp::FPow, 12),
    (FloatOp::FSin, 4),
    (FloatOp::FCos, 4),
];

fn float(op: FloatOp) -> u32 {
    FLOATS.iter().find(|row| row.0 == op).map_or(1, |row| row.1)
}

/// Integer operations that cost more than an addition.
const INTS: &[(IntOp, u32)] = &[
    (IntOp::IMul, 2),
    (IntOp::IMulHigh, 4),
    (IntOp::UMulHigh, 4),
    (IntOp::IDiv, 16),
    (IntOp::UDiv, 16),
    (IntOp::IRem, 16),
    (IntOp::IMod, 16),
    (IntOp::UMod, 16),
];

fn int(op: IntOp) -> u32 {
    INTS.iter().find(|row| row.0 == op).map_or(1, |row| row.1)
}
