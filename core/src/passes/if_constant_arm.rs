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
//! Known is the condition; both sides of an `and` that holds and of an `or` that does not; what a `not` turns round;
//! an integer that equals a constant; the selector in an arm for one value. Behind a node that is left from one arm
//! only, what was known there is known to the end of the region. A value is the same in all of its scope, so what
//! holds where the choice was made holds wherever the arm reads it.
//!
//! Left alone: floats that equal a constant (0 equals -0, and is not the same), and graphs.
//!
//! NIR: `opt_if_evaluate_condition_use` and `opt_if_rewrite_uniform_uses` of `nir_opt_if`.

use super::pass::{PassInfo, PassShape};
use crate::base::opening::opening;
use crate::ir::{
    Block, Editor, Inst, Node, NodeKind, Reason, Refusal, Region, Shape, TreeStep, TreeWalk, Use,
};
use crate::ops::{Bits, IntOp, Op, Scalar, ValueType};
use crate::passes::util::arms::arms_behind;
use rustc_hash::FxHashMap;

/// The row of the list.
pub(super) const PASS: PassInfo = PassInfo {
    doc: "Propagates the value of a condition into the arms that it selects.",
    shape: Some(PassShape::Tree),
    ..PassInfo::edits("if-constant-arm", opening!("if_constant_arm.rs"), |ed, _| if_constant_arm(ed))
};

const WHY: Reason = Reason::Note("it is known here");

/// Facts that one condition can give.
const MOST_FACTS: usize = 16;

/// A value that is constant in a part of the program.
struct Fact {
    value: Inst,
    bits: Bits,
    /// Where that part begins.
    home: Block,
    /// The constant, once it is read.
    made: Option<Inst>,
}

/// Facts in force, by what they are about; the last one counts.
#[derive(Default)]
struct Known {
    facts: Vec<Fact>,
    of: FxHashMap<Inst, Vec<usize>>,
}

impl Known {
    fn add(&mut self, value: Inst, bits: Bits, home: Block) {
        self.of.entry(value).or_default().push(self.facts.len());
        self.facts.push(Fact { value, bits, home, made: None });
    }

    /// Back to the first so many facts.
    fn forget(&mut self, count: usize) {
        for fact in self.facts.drain(count.min(self.facts.len())..) {
            if let Some(list) = self.of.get_mut(&fact.value) {
                list.pop();
            }
        }
    }

    /// Which fact is about a value.
    fn about(&self, value: Inst) -> Option<usize> {
        self.of.get(&value)?.last().copied()
    }
}

/// Replaces what is known. Linear in the program and in the ways behind nodes; idempotent; trees.
///
/// Error: a refusal of the editor, which a valid function never meets.
pub(super) fn if_constant_arm(ed: &mut Editor<'_>) -> Result<(), Refusal> {
    if !matches!(ed.func().shape(), Shape::Tree(_)) {
        return Ok(());
    }
    let steps: Vec<TreeStep> = TreeWalk::new(ed.func()).collect();
    let mut known = Known::default();
    let mut open: Vec<usize> = Vec::new();
    for step in steps {
        match step {
            TreeStep::Block(block) => read_block(ed, &mut known, block)?,
            TreeStep::Enter(node) => {
                if let Some(on) = ed.func().node(node).kind.operand() {
                    read(ed, &mut known, Use::Node(node), on)?;
                }
                open.push(known.facts.len());
            }
            TreeStep::Open(node, _, region) => {
                known.forget(open.last().copied().unwrap_or(0));
                learn(ed, &mut known, node, region, ed.func().region(region).head);
            }
            TreeStep::Leave(node) => {
                known.forget(open.pop().unwrap_or(0));
                if let (&[arm], Some(after)) = (&arms_behind(ed, node)[..], ed.block_after(node)) {
                    learn(ed, &mut known, node, arm, after);
                }
            }
        }
    }
    Ok(())
}

fn read_block(ed: &mut Editor<'_>, known: &mut Known, block: Block) -> Result<(), Refusal> {
    if known.facts.is_empty() {
        return Ok(());
    }
    for &inst in ed.func().block(block).insts.clone().iter() {
        for (at, &arg) in ed.func().inst(inst).args.clone().iter().enumerate() {
            read(ed, known, Use::Arg(inst, at as u32), arg)?;
        }
    }
    let mut values = Vec::new();
    ed.func().terminator(block).for_each_use(|value| values.push(value));
    for (at, value) in values.into_iter().enumerate() {
        read(ed, known, Use::Terminator(block, at as u32), value)?;
    }
    Ok(())
}

/// Lets one place read the constant, if there is a fact about what it reads.
fn read(ed: &mut Editor<'_>, known: &mut Known, place: Use, value: Inst) -> Result<(), Refusal> {
    let Some(fact) = known.about(value).and_then(|at| known.facts.get_mut(at)) else { return Ok(()) };
    if !ed.consume_fuel() {
        return Ok(());
    }
    let constant = match fact.made {
        Some(constant) => constant,
        None => {
            let data = ed.const_bits(fact.bits);
            *fact.made.insert(ed.insert(crate::ir::InsertPoint::Start(fact.home), data, WHY)?)
        }
    };
    ed.replace_use(place, constant, WHY)
}

/// What is known in an arm of a node, from a block on.
fn learn(ed: &Editor<'_>, known: &mut Known, node: Node, arm: Region, home: Block) {
    match &ed.func().node(node).kind {
        NodeKind::If { cond, then, .. } => decided(ed, known, *cond, *then == arm, home),
        NodeKind::Switch { on, arms } => {
            let taken = arms.iter().find(|other| other.body == arm && !other.default);
            let value = taken.and_then(|taken| match taken.values[..] {
                [value] => Some(value),
                _ => None,
            });
            if let (Some(value), None, Some(width)) = (value, ed.bits_of(*on), ed.func().ty(*on).width()) {
                known.add(*on, Bits::scalar(Scalar::u(width, value)), home);
            }
        }
        NodeKind::Loop { .. } | NodeKind::Block { .. } => {}
    }
}

/// What follows from a truth value.
fn decided(ed: &Editor<'_>, known: &mut Known, cond: Inst, holds: bool, home: Block) {
    let mut work = vec![(cond, holds)];
    let mut count = 0;
    while let Some((value, holds)) = work.pop() {
        count += 1;
        if ed.bits_of(value).is_some() || count > MOST_FACTS {
            continue;
        }
        known.add(value, Bits::scalar(Scalar::bool(holds)), home);
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
                    known.add(value, bits, home);
                }
            }
            _ => {}
        }
    }
}
