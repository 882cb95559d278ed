//! A block rewriter has the same effect as an editor, and none until it is finished.

use super::*;
use crate::ops::{DerefOp, IntOp, MemoryOp, Scalar, Width};
use crate::*;

const WHY: Reason = Reason::Pass;

fn i(index: usize) -> Inst {
    Inst::from_index(index)
}

fn b(index: usize) -> Block {
    Block::from_index(index)
}

/// `%2 = %0 + %1; %3 = %2 * %2; goto ^1(%3)`, `^1(%4): %5 = %4 + %2; return %5`.
fn two_blocks() -> (Module, Func) {
    let mut asm = Assembler::new();
    let param = || InstData::new(BasicOp::Param, ValueType::B32, &[]);
    let [x, y] = [asm.add_inst(param()), asm.add_inst(param())];
    let sum = asm.add_inst(InstData::new(IntOp::IAdd, ValueType::B32, &[x, y]));
    let square = asm.add_inst(InstData::new(IntOp::IMul, ValueType::B32, &[sum, sum]));
    let inner = asm.add_inst(param());
    let last = asm.add_inst(InstData::new(IntOp::IAdd, ValueType::B32, &[inner, sum]));
    let edge = Edge { to: b(1), args: Args::new(&[square]) };
    let first = BlockData {
        insts: CowVec::new(vec![sum, square]),
        terminator: Terminator::Goto(edge),
        ..BlockData::default()
    };
    let second = BlockData {
        params: CowVec::new(vec![inner]),
        insts: CowVec::new(vec![last]),
        terminator: Terminator::Return(Some(last)),
        ..BlockData::default()
    };
    let blocks = vec![asm.add_block(first), asm.add_block(second)];
    asm.params(vec![x, y]);
    asm.result(ValueType::B32);
    asm.graph(blocks);
    let mut module = Module::new();
    let func = module.add_func(asm.finish());
    (module, func)
}

/// `%0: path`, `%1 = field %0.1; %2 = field %1.0; %3 = load %2; %4 = field %1.2; return %3`.
fn paths() -> (Module, Func) {
    let mut asm = Assembler::new();
    let field = |from, at| InstData::new(DerefOp::Field, ValueType::Path, &[from]).with(Key::Field, at);
    let from = asm.add_inst(InstData::new(BasicOp::Param, ValueType::Path, &[]));
    let outer = asm.add_inst(field(from, 1));
    let inner = asm.add_inst(field(outer, 0));
    let load = asm.add_inst(InstData::new(MemoryOp::Load, ValueType::B32, &[inner]));
    let unread = asm.add_inst(field(outer, 2));
    let insts = CowVec::new(vec![outer, inner, load, unread]);
    let block = asm.add_block(BlockData {
        insts,
        terminator: Terminator::Return(Some(load)),
        ..BlockData::default()
    });
    asm.params(vec![from]);
    asm.result(ValueType::B32);
    asm.graph(vec![block]);
    let mut module = Module::new();
    let func = module.add_func(asm.finish());
    (module, func)
}

fn number(rewriter: &mut BlockRewriter<'_>, value: i64) -> InstData {
    rewriter.const_bits(Bits::scalar(Scalar::i(Width::W32, value)))
}

#[test]
fn insertions_are_at_their_positions() {
    let (mut module, func) = two_blocks();
    let mut rewriter = BlockRewriter::new(&mut module, func).unwrap();
    rewriter.enter(b(0));
    assert_eq!(rewriter.step(), Some(i(2)));
    assert_eq!(rewriter.step(), Some(i(3)));
    let two = number(&mut rewriter, 2);
    let before = rewriter.insert(InsertPoint::Before(i(3)), two.clone(), WHY).unwrap();
    assert_eq!(rewriter.step(), None);
    let last = rewriter.insert(InsertPoint::End(b(0)), two.clone(), WHY).unwrap();
    rewriter.enter(b(1));
    assert_eq!(rewriter.step(), Some(i(5)));
    let [after, first, second] = [i(2), i(0), i(1)]
        .map(|anchor| rewriter.insert(InsertPoint::After(anchor), two.clone(), WHY).unwrap());
    let inner = rewriter.insert(InsertPoint::After(i(4)), two, WHY).unwrap();
    let edited = rewriter.finish();
    let body = module.func(func).unwrap();
    assert_eq!(body.block(b(0)).insts[..], [second, first, i(2), after, before, i(3), last]);
    assert_eq!(body.block(b(1)).insts[..], [inner, i(5)]);
    let names = edited.journal.names();
    assert!([before, last, after, first, second, inner].into_iter().all(|inst| names.has(inst)));
}

#[test]
fn uses_of_a_replaced_value_change_at_the_end() {
    let (mut module, func) = two_blocks();
    let mut rewriter = BlockRewriter::new(&mut module, func).unwrap();
    rewriter.enter(b(0));
    rewriter.step();
    let five = number(&mut rewriter, 5);
    let five = rewriter.insert(InsertPoint::Before(i(2)), five, WHY).unwrap();
    rewriter.replace(i(2), five, WHY).unwrap();
    assert!(rewriter.replace(five, i(2), WHY).is_err(), "a cycle of replacements");
    rewriter.enter(b(1));
    let edited = rewriter.finish();
    let body = module.func(func).unwrap();
    assert_eq!(body.block(b(0)).insts[..], [five, i(3)]);
    assert_eq!(body.inst(i(3)).args[..], [five, five]);
    assert_eq!(body.inst(i(5)).args[..], [i(4), five]);
    let events: Vec<Event> = edited.journal.events().iter().map(|&(event, _)| event).collect();
    let operands = [3, 5].map(|at| Event::Operands(i(at).into()));
    let head =
        [Event::Create(five.into()), Event::Replace { old: i(2), new: five }, Event::Erase(i(2).into())];
    assert_eq!(events, [&head[..], &operands[..]].concat());
}

#[test]
fn watched_instructions_are_erased_only_if_unused() {
    let (mut module, func) = paths();
    let mut rewriter = BlockRewriter::new(&mut module, func).unwrap();
    rewriter.enter(b(0));
    while let Some(inst) = rewriter.step() {
        rewriter.watch(inst);
    }
    // The load uses one of them; it is not an address and cannot be watched.
    assert_eq!([1, 2, 3, 4].map(|at| rewriter.is_read(i(at))), [false, true, true, false]);
    assert!(rewriter.erase(i(2), WHY).is_err());
    assert!(rewriter.erase(i(3), WHY).is_err());
    rewriter.erase(i(4), WHY).unwrap();
    assert!(rewriter.finish().changed);
    assert_eq!(module.func(func).unwrap().block(b(0)).insts[..], [i(1), i(2), i(3)]);
}

#[test]
fn arguments_of_a_terminator_are_uses() {
    let (mut module, func) = two_blocks();
    let mut rewriter = BlockRewriter::new(&mut module, func).unwrap();
    rewriter.enter(b(0));
    rewriter.enter(b(1));
    assert_eq!([3, 5].map(|at| rewriter.is_read(i(at))), [true; 2]);
}

#[test]
fn an_abandoned_rewriter_leaves_the_function_alone() {
    let (mut module, func) = two_blocks();
    let before = module.clone();
    let mut rewriter = BlockRewriter::new(&mut module, func).unwrap();
    rewriter.enter(b(0));
    rewriter.step();
    rewriter.rewrite(i(2), InstData::new(IntOp::ISub, ValueType::B32, &[i(0), i(1)]), WHY).unwrap();
    assert_eq!(rewriter.func().inst(i(2)).op, IntOp::ISub.into());
    drop(rewriter);
    assert!(module.func(func).unwrap().same_version(before.func(func).unwrap()));
    // The same if nothing was changed.
    let rewriter = BlockRewriter::new(&mut module, func).unwrap();
    assert!(!rewriter.finish().changed);
    assert!(module.func(func).unwrap().same_version(before.func(func).unwrap()));
}

#[test]
fn invalid_edits_are_refused() {
    let (mut module, func) = two_blocks();
    let mut rewriter = BlockRewriter::new(&mut module, func).unwrap();
    rewriter.enter(b(0));
    rewriter.step();
    let two = number(&mut rewriter, 2);
    let sum = |args: &[Inst]| InstData::new(IntOp::IAdd, ValueType::B32, args);
    assert!(
        rewriter.insert(InsertPoint::Before(i(3)), two.clone(), WHY).is_err(),
        "not the current instruction"
    );
    assert!(rewriter.insert(InsertPoint::End(b(0)), two.clone(), WHY).is_err(), "not at its end");
    assert!(rewriter.insert(InsertPoint::Start(b(1)), two, WHY).is_err());
    assert!(
        rewriter.insert(InsertPoint::Before(i(2)), sum(&[i(0), i(99)]), WHY).is_err(),
        "an invalid operand"
    );
    assert!(rewriter.rewrite(i(2), sum(&[i(2), i(0)]), WHY).is_err(), "its own operand");
    assert!(rewriter.rewrite(i(2), InstData::new(BasicOp::Param, ValueType::B32, &[]), WHY).is_err());
    assert!(rewriter.readdress(i(2), sum(&[i(0), i(1)]), WHY).is_err(), "not an address");
    assert!(rewriter.erase(i(2), WHY).is_err(), "is used");
    assert!(rewriter.erase(i(0), WHY).is_err(), "a parameter");
    assert!(rewriter.set_arg(i(2), 2, i(0), WHY).is_err(), "no such operand");
    assert!(!rewriter.finish().changed);
}
