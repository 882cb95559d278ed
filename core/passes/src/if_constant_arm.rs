//! `if-constant-arm`: propagates the value of a condition into the arms that it selects.
//!
//! ```text
//!   %1: b1 = ieq %0, %seven                   %1: b1 = ieq %0, %seven
//!   if !0 %1 {                                if !0 %1 {
//!   ^1:                                       ^1:
//!     %2: b32 = imul %0, %x                     %4: b32 = const 7
//!     if !1 %1 { … }                    =>      %5: b1 = const true
//!   } else {                                    %2: b32 = imul %4, %x
//!   ^2:                                         if !1 %5 { … }
//!     return                                  } else {
//!   }                                         ^2:
//! ^3:                                           return
//!   %3: b32 = select %1, %a, %b               }
//!                                           ^3:
//!                                             %6: b1 = const true
//!                                             %3: b32 = select %6, %a, %b
//! ```
//!
//! Known values are the condition; both operands of an `and` that is true and of an `or` that is false; the
//! operand of a `not`; an integer compared equal to a constant; the selector in an arm for a single value. After a
//! node that is left from one arm only, the values known in that arm are known to the end of the region. A value
//! is the same in all of its scope, so a value known at the branch is known at every use in the arm.
//!
//! Left alone: floats compared equal to a constant (0 equals -0, but has other bits), and graphs.
//!
//! NIR: `opt_if_evaluate_condition_use` and `opt_if_rewrite_uniform_uses` of `nir_opt_if`.

use super::pass::{PassInfo, PassShape};
use crate::util::arms::arms_behind;
use rustc_hash::FxHashMap;
use vitrine_ir::base::opening::opening;
use vitrine_ir::ops::{Bits, IntOp, Op, Scalar, ValueType};
use vitrine_ir::{
    Block, Editor, Inst, Node, NodeKind, Reason, Refusal, Region, Shape, TreeStep, TreeWalk, Use,
};

/// The entry in the list of passes.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Propagates the value of a condition into the arms that it selects.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("if-constant-arm", opening!("if_constant_arm.rs"), |ed, _| if_constant_arm(ed))
};

const WHY: Reason = Reason::Note("it is known here");

/// Maximum number of facts derived from one condition.
const MAX_FACTS: usize = 16;

/// A value that is constant in a part of the program.
struct Fact {
    value: Inst,
    bits: Bits,
    /// The block at which that part begins.
    block: Block,
    /// The constant, after its first use.
    constant: Option<Inst>,
}

/// Facts in scope, indexed by value; the last one counts.
#[derive(Default)]
struct Known {
    facts: Vec<Fact>,
    of: FxHashMap<Inst, Vec<usize>>,
}

impl Known {
    fn add(&mut self, value: Inst, bits: Bits, block: Block) {
        self.of.entry(value).or_default().push(self.facts.len());
        self.facts.push(Fact { value, bits, block, constant: None });
    }

    /// Truncates to the first `count` facts.
    fn truncate(&mut self, count: usize) {
        for fact in self.facts.drain(count.min(self.facts.len())..) {
            if let Some(list) = self.of.get_mut(&fact.value) {
                list.pop();
            }
        }
    }

    /// Returns the index of the fact about a value.
    fn fact_of(&self, value: Inst) -> Option<usize> {
        self.of.get(&value)?.last().copied()
    }
}

/// Replaces uses of known values. Linear in the program and in the edges out of nodes; idempotent; trees.
pub(super) fn if_constant_arm(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    if !matches!(ed.func().shape(), Shape::Tree(_)) {
        return Ok(());
    }
    let steps: Vec<TreeStep> = TreeWalk::new(ed.func()).collect();
    let mut known = Known::default();
    let mut open: Vec<usize> = Vec::new();
    for step in steps {
        match step {
            TreeStep::Block(block) => replace_in_block(ed, &mut known, block)?,
            TreeStep::Enter(node) => {
                if let Some(on) = ed.func().node(node).kind.operand() {
                    replace_known(ed, &mut known, Use::Node(node), on)?;
                }
                open.push(known.facts.len());
            }
            TreeStep::Open(node, _, region) => {
                known.truncate(open.last().copied().unwrap_or(0));
                learn(ed, &mut known, node, region, ed.func().region(region).head);
            }
            TreeStep::Leave(node) => {
                known.truncate(open.pop().unwrap_or(0));
                if let (&[arm], Some(after)) = (&arms_behind(ed, node)[..], ed.block_after(node)) {
                    learn(ed, &mut known, node, arm, after);
                }
            }
        }
    }
    Ok(())
}

fn replace_in_block(ed: &mut Editor<'_>, known: &mut Known, block: Block) -> Result<(), Refusal> {
    if known.facts.is_empty() {
        return Ok(());
    }
    for &inst in ed.func().block(block).insts.clone().iter() {
        for (at, &arg) in ed.func().inst(inst).args.clone().iter().enumerate() {
            replace_known(ed, known, Use::Arg(inst, at as u32), arg)?;
        }
    }
    let mut values = Vec::new();
    ed.func().terminator(block).for_each_use(|value| values.push(value));
    for (at, value) in values.into_iter().enumerate() {
        replace_known(ed, known, Use::Terminator(block, at as u32), value)?;
    }
    Ok(())
}

/// Replaces one use by a constant if there is a fact about the used value.
fn replace_known(ed: &mut Editor<'_>, known: &mut Known, place: Use, value: Inst) -> Result<(), Refusal> {
    let Some(fact) = known.fact_of(value).and_then(|at| known.facts.get_mut(at)) else { return Ok(()) };
    if !ed.consume_fuel() {
        return Ok(());
    }
    let constant = match fact.constant {
        Some(constant) => constant,
        None => {
            let data = ed.const_bits(fact.bits);
            *fact.constant.insert(ed.insert(vitrine_ir::InsertPoint::Start(fact.block), data, WHY)?)
        }
    };
    ed.replace_use(place, constant, WHY)
}

/// Adds the facts that hold in an arm of a node from a block on.
fn learn(ed: &Editor<'_>, known: &mut Known, node: Node, arm: Region, block: Block) {
    match &ed.func().node(node).kind {
        NodeKind::If { cond, then, .. } => learn_condition(ed, known, *cond, *then == arm, block),
        NodeKind::Switch { on, arms } => {
            let taken = arms.iter().find(|other| other.body == arm && !other.default);
            let value = taken.and_then(|taken| match taken.values[..] {
                [value] => Some(value),
                _ => None,
            });
            if let (Some(value), None, Some(width)) = (value, ed.bits_of(*on), ed.func().ty(*on).width()) {
                known.add(*on, Bits::scalar(Scalar::u(width, value)), block);
            }
        }
        NodeKind::Loop { .. } | NodeKind::Block { .. } => {}
    }
}

/// Adds the facts that follow from a boolean.
fn learn_condition(ed: &Editor<'_>, known: &mut Known, cond: Inst, holds: bool, block: Block) {
    let mut work = vec![(cond, holds)];
    let mut count = 0;
    while let Some((value, holds)) = work.pop() {
        count += 1;
        if ed.bits_of(value).is_some() || count > MAX_FACTS {
            continue;
        }
        known.add(value, Bits::scalar(Scalar::bool(holds)), block);
        let data = ed.func().inst(value);
        let args = &data.args[..];
        match (data.op, args, holds) {
            (Op::Int(IntOp::INot), &[arg], _) => work.push((arg, !holds)),
            (Op::Int(IntOp::IAnd), &[a, b], true) | (Op::Int(IntOp::IOr), &[a, b], false) => {
                work.extend([(a, holds), (b, holds)]);
            }
            (Op::Int(IntOp::IEq), &[a, b], true) | (Op::Int(IntOp::INe), &[a, b], false) => {
                let (value, bits) = match (ed.bits_of(a), ed.bits_of(b)) {
                    (None, Some(bits)) => (a, bits),
                    (Some(bits), None) => (b, bits),
                    (Some(_), Some(_)) | (None, None) => continue,
                };
                if ed.func().ty(value) == ValueType::BOOL {
                    work.push((value, bits.component(0).as_bool()));
                } else {
                    known.add(value, bits, block);
                }
            }
            _ => {}
        }
    }
}
