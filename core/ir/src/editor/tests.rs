//! Single edits, and thousands of random ones in both shapes.

use super::testing::*;
use super::*;
use crate::ops::{IntOp, MemoryOp};
use crate::*;

const WHY: Reason = Reason::Pass;

/// `%2 = iadd %0, %1; %3 = imul %2, %2; return %3`.
fn square() -> (Module, Func) {
    let mut asm = Assembler::new();
    let param = || InstData::new(BasicOp::Param, ValueType::B32, &[]);
    let [a, b] = [asm.add_inst(param()), asm.add_inst(param())];
    let sum = asm.add_inst(InstData::new(IntOp::IAdd, ValueType::B32, &[a, b]));
    let square = asm.add_inst(InstData::new(IntOp::IMul, ValueType::B32, &[sum, sum]));
    let insts = CowVec::new(vec![sum, square]);
    let block = asm.add_block(BlockData {
        insts,
        terminator: Terminator::Return(Some(square)),
        ..BlockData::default()
    });
    asm.params(vec![a, b]);
    asm.result(ValueType::B32);
    asm.graph(vec![block]);
    let mut module = Module::new();
    let func = module.add_func(asm.finish());
    (module, func)
}

fn i(index: usize) -> Inst {
    Inst::from_index(index)
}

fn block(index: usize) -> Block {
    Block::from_index(index)
}

#[test]
fn a_rewrite_keeps_the_id_and_a_replacement_erases_it() {
    let (mut module, func) = square();
    let mut ed = Editor::new(&mut module, func).unwrap();
    assert_eq!(ed.uses(i(2)).collect::<Vec<_>>(), [Use::Arg(i(3), 0), Use::Arg(i(3), 1)]);
    ed.rewrite(i(2), InstData::new(IntOp::ISub, ValueType::B32, &[i(0), i(1)]), WHY).unwrap();
    let two = ed.int(Width::W32, 2);
    let two = ed.insert(InsertPoint::Before(i(3)), two, Reason::Rule(4)).unwrap();
    ed.replace(i(2), two, Reason::Rule(4)).unwrap();
    assert_eq!(ed.func().block(block(0)).insts[..], [two, i(3)]);
    assert_eq!(ed.func().inst(i(3)).args[..], [two, two]);
    assert_eq!(ed.bits_of(two).unwrap().components(), [2]);
    audit(&mut ed);
    let done = ed.finish();
    assert!(done.changed);
    let events: Vec<Event> = done.journal.events().iter().map(|&(event, _)| event).collect();
    assert_eq!(
        events,
        [
            Event::Rewrite(i(2)),
            Event::Create(two.into()),
            Event::Replace { old: i(2), new: two },
            Event::Operands(i(3).into()),
            Event::Erase(i(2).into()),
        ]
    );
}

#[test]
fn a_replaced_instruction_with_effects_is_kept() {
    let (mut module, func) = square();
    let mut ed = Editor::new(&mut module, func).unwrap();
    let call = InstData::new(BasicOp::Call, ValueType::B32, &[i(0)]).with(Key::Func, 0);
    let call = ed.insert(InsertPoint::Start(block(0)), call, WHY).unwrap();
    ed.set_arg(i(3), 1, call, WHY).unwrap();
    ed.replace(call, i(0), WHY).unwrap();
    assert!(ed.is_placed(call));
    assert_eq!(ed.use_count(call), 0);
    ed.erase(call, WHY).unwrap();
    assert!(!ed.is_placed(call));
    audit(&mut ed);
}

#[test]
fn refusals_say_why_and_change_nothing() {
    let (mut module, func) = square();
    let before = module.func(func).unwrap().clone();
    let mut ed = Editor::new(&mut module, func).unwrap();
    let far = i(Inst::MAX_INDEX);
    let nowhere = block(77);
    let add = |args: &[Inst]| InstData::new(IntOp::IAdd, ValueType::B32, args);
    let wide = InstData::new(IntOp::IAdd, ValueType::bits(Width::W64, 1), &[i(0), i(1)]);
    let store = InstData::new(MemoryOp::Store, ValueType::Void, &[i(0), i(1)]);
    let edge = Incoming { from: block(0), edge: 0 };
    let reported: Vec<String> = [
        ed.insert(InsertPoint::End(nowhere), add(&[i(0), i(1)]), WHY).map(drop),
        ed.insert(InsertPoint::Before(i(0)), add(&[i(0), i(1)]), WHY).map(drop),
        ed.insert(InsertPoint::End(block(0)), add(&[i(0), far]), WHY).map(drop),
        ed.insert(InsertPoint::End(block(0)), InstData::new(BasicOp::Param, ValueType::B32, &[]), WHY)
            .map(drop),
        ed.rewrite(i(2), wide, WHY),
        ed.rewrite(i(2), store, WHY),
        ed.rewrite(i(0), add(&[i(1), i(1)]), WHY),
        ed.rewrite(i(2), add(&[i(2), i(1)]), WHY),
        ed.replace(i(2), i(3), WHY),
        ed.replace(i(2), far, WHY),
        ed.replace_use(Use::Arg(i(2), 9), i(1), WHY),
        ed.replace_use(Use::Terminator(nowhere, 0), i(1), WHY),
        ed.set_arg(i(2), 2, i(1), WHY),
        ed.erase(i(2), WHY),
        ed.erase(far, WHY),
        ed.move_to(i(2), InsertPoint::After(far), WHY),
        ed.move_to(i(1), InsertPoint::End(block(0)), WHY),
        ed.add_param(block(0), ValueType::B32, WHY).map(drop),
        ed.add_param(nowhere, ValueType::B32, WHY).map(drop),
        ed.remove_param(block(0), 0, WHY),
        ed.set_terminator(block(0), Terminator::next(), WHY),
        ed.set_terminator(block(0), Terminator::goto(nowhere), WHY),
        ed.set_terminator(block(0), Terminator::Return(None), WHY),
        ed.set_edge_args(edge, &[], WHY),
        ed.redirect_edge(edge, Edge { to: nowhere, args: Args::default() }, WHY),
        ed.split_edge(edge, WHY).map(drop),
        ed.split_block(InsertPoint::End(nowhere), WHY).map(drop),
        ed.set_node_operand(Node::from_index(5), i(0), WHY),
        ed.set_name(far, None),
        ed.remove_reg(Reg::from_index(3)),
        ed.unwrap(Node::from_index(5), WHY),
        ed.erase_node(Node::from_index(5), &[], WHY),
        ed.copy_region(Region::from_index(5), WHY).map(drop),
        ed.take(InstRange::of_inst(i(2)), WHY).map(drop),
        ed.wrap_in_block(InstRange::of_inst(far), WHY).map(drop),
    ]
    .into_iter()
    .map(|result| result.unwrap_err().to_string())
    .collect();
    assert!(reported.iter().all(|text| !text.is_empty() && !text.ends_with('.')));
    assert_eq!(reported[4], "%2 has type `b32` and cannot change to `b64`");
    assert_eq!(reported[8], "%3 uses %2, which it would replace");
    assert_eq!(reported[13], "%2 is used by %3");
    assert!(untouched(&before, ed.func()));
    assert!(!ed.finish().changed);
    assert!(Editor::new(&mut module, Func::from_index(9)).is_none());
}

#[test]
fn kept_tables_serve_only_the_same_version() {
    let (mut module, func) = square();
    let readers = |ed: &Editor<'_>, value| ed.uses(value).collect::<Vec<_>>();
    let (edited, left) = Editor::new(&mut module, func).unwrap().finish_opened();
    assert!(!edited.changed && left.is_some());
    let mut ed = Editor::reopen(&mut module, func, left).unwrap();
    assert_eq!(readers(&ed, i(2)), [Use::Arg(i(3), 0), Use::Arg(i(3), 1)]);
    audit(&mut ed);
    let (_, stale) = ed.finish_opened();
    // Another editor changes the function: the kept tables are out of date and must not be used.
    let mut ed = Editor::new(&mut module, func).unwrap();
    ed.rewrite(i(3), InstData::new(IntOp::IMul, ValueType::B32, &[i(2), i(0)]), WHY).unwrap();
    assert!(ed.finish_opened().1.is_none(), "an editor that changed the function keeps nothing");
    let mut ed = Editor::reopen(&mut module, func, stale).unwrap();
    assert_eq!(readers(&ed, i(2)), [Use::Arg(i(3), 0)]);
    audit(&mut ed);
}

#[test]
fn only_changes_of_targets_are_control() {
    let (mut module, func) = square();
    let (data, control) =
        (module.func(func).unwrap().data_epoch(), module.func(func).unwrap().control_epoch());
    let mut ed = Editor::new(&mut module, func).unwrap();
    ed.replace(i(3), i(2), WHY).unwrap();
    assert_ne!(ed.func().data_epoch(), data);
    assert_eq!(ed.func().control_epoch(), control);
    ed.split_block(InsertPoint::Start(block(0)), WHY).unwrap();
    assert_ne!(ed.func().control_epoch(), control);
}

#[test]
fn registers_locals_and_names_are_added() {
    let (mut module, func) = square();
    let ty = module.ty(TypeData::Int { width: Width::W32, signed: false });
    let mut ed = Editor::new(&mut module, func).unwrap();
    let reg = ed.add_reg(RegData { name: None, width: Width::W32, components: 1, len: 0 });
    let name = ed.text("sum");
    ed.set_name(i(2), Some(name)).unwrap();
    ed.set_origin(i(2), Origin { line: 3, ..Origin::default() }).unwrap();
    let var = ed.add_local(Some(name), ty, None, Attrs::None);
    assert!(ed.func().reg(reg).is_some());
    assert_eq!(ed.module().var(var).unwrap().owner, Some(func));
    assert_eq!((ed.func().inst_name(i(2)), ed.func().origin(i(2)).line), (Some(name), 3));
    assert!(ed.finish().changed);
}

#[test]
fn parameters_and_arguments_change_together() {
    let mut random = Random::new(11);
    for continue_params in 0..200 {
        let (mut module, func) = random_module(&mut random, continue_params % 2 == 0);
        let before = module.func(func).unwrap().clone();
        let mut ed = Editor::new(&mut module, func).unwrap();
        for block in before.blocks_in_order() {
            let param = i(0);
            let Ok(new) = ed.add_param_with(block, ValueType::B32, |_| param, WHY) else { continue };
            assert!(
                ed.incoming(block).iter().all(|&edge| ed.edge_args(edge).unwrap().last() == Some(&param))
            );
            audit(&mut ed);
            let index = ed.func().block(block).params.iter().position(|&other| other == new).unwrap();
            if random.below(2) == 0 {
                ed.remove_param(block, index, WHY).unwrap();
                audit(&mut ed);
            }
        }
        let (after, journal) = (ed.func().clone(), ed.finish().journal);
        assert!(same_meaning(&module, &before, &after));
        audit_journal(&before, &after, &journal);
    }
}

/// Any edit with any ids, good or bad.
fn random_edit(ed: &mut Editor, random: &mut Random) -> Result<(), Refusal> {
    let [insts, blocks, nodes] =
        [ed.func().tables().insts.len(), ed.func().tables().blocks.len(), ed.func().tables().nodes.len()];
    let [a, b, c] = [(); 3].map(|()| i(random.below(insts + 1)));
    let [to, from] = [(); 2].map(|()| block(random.below(blocks + 1)));
    let node = Node::from_index(random.below(nodes + 1));
    let at = match random.below(4) {
        0 => InsertPoint::Before(c),
        1 => InsertPoint::After(c),
        2 => InsertPoint::Start(to),
        _ => InsertPoint::End(to),
    };
    let run = InstRange::new(at, InsertPoint::End(from));
    let add = InstData::new(IntOp::IAdd, ValueType::B32, &[a, b]);
    match random.below(27) {
        0..=3 => ed.insert(at, add, WHY).map(drop),
        4 => ed.rewrite(c, add, WHY),
        5 => ed.replace(a, b, WHY),
        6 => ed.replace_uses_where(a, b, |place| matches!(place, Use::Terminator(..)), WHY).map(drop),
        7 => ed.replace_use(Use::Terminator(to, random.below(3) as u32), a, WHY),
        8 => ed.set_arg(a, random.below(3), b, WHY),
        9 | 10 => ed.erase(a, WHY),
        11 => ed.move_to(a, at, WHY),
        12 => ed.add_param_with(to, ValueType::B32, |_| a, WHY).map(drop),
        13 => ed.remove_param(to, random.below(2), WHY),
        14 => ed.set_terminator(to, Terminator::Return(Some(a)), WHY),
        15 => ed.set_terminator(to, Terminator::Break(node, Args::new(&[])), WHY),
        16 => ed.set_node_operand(node, a, WHY),
        17 => ed.split_block(at, WHY).map(drop),
        18 => ed.split_edge(Incoming { from: to, edge: random.below(2) as u32 }, WHY).map(drop),
        19 => ed.redirect_edge(Incoming { from, edge: 0 }, Edge { to, args: Args::new(&[]) }, WHY),
        20 => ed.remove_unreachable(WHY).map(drop),
        21 => ed.wrap_in_if(run, a, WHY).map(drop),
        22 => ed.wrap_in_loop(run, WHY).map(drop),
        23 => ed.unwrap(node, WHY),
        24 => ed.erase_node(node, &[], WHY),
        25 => {
            let piece = ed.take(run, WHY)?;
            drop(ed.splice(piece, InsertPoint::Start(to), &[], WHY));
            Ok(())
        }
        _ => ed.set_terminator(to, Terminator::Next(Args::new(&[])), WHY),
    }
}

#[test]
fn books_are_right_after_thousands_of_edits_and_refusals_touch_nothing() {
    let mut random = Random::new(5);
    let [mut made, mut refused] = [0, 0];
    for continue_params in 0..160 {
        let (mut module, func) = random_module(&mut random, continue_params % 2 == 0);
        let before = module.func(func).unwrap().clone();
        let mut ed = Editor::new(&mut module, func).unwrap();
        audit(&mut ed);
        for _ in 0..120 {
            let version = ed.func().clone();
            let reported = ed.journal().len();
            match random_edit(&mut ed, &mut random) {
                Ok(()) => {
                    made += 1;
                    audit(&mut ed);
                }
                Err(_) => {
                    refused += 1;
                    assert!(untouched(&version, ed.func()));
                    assert_eq!(ed.journal().len(), reported);
                }
            }
        }
        let after = ed.func().clone();
        audit_journal(&before, &after, &ed.finish().journal);
    }
    assert!(made > 4_000 && refused > 4_000, "{made} made, {refused} refused");
}

#[test]
fn splitting_a_graph_changes_nothing_it_does() {
    let mut random = Random::new(23);
    for _ in 0..200 {
        let (mut module, func) = random_module(&mut random, false);
        let before = module.func(func).unwrap().clone();
        let mut ed = Editor::new(&mut module, func).unwrap();
        for _ in 0..6 {
            let order = ed.func().blocks_in_order();
            let from = random.pick(&order);
            let split = ed.split_edge(Incoming { from, edge: random.below(2) as u32 }, WHY);
            let insts = ed.func().block(from).insts.clone();
            if split.is_err() && !insts.is_empty() {
                ed.split_block(InsertPoint::After(random.pick(&insts)), WHY).unwrap();
            }
            audit(&mut ed);
        }
        ed.remove_unreachable(WHY).unwrap();
        audit(&mut ed);
        let (after, journal) = (ed.func().clone(), ed.finish().journal);
        assert!(same_meaning(&module, &before, &after));
        audit_journal(&before, &after, &journal);
    }
}

#[test]
fn an_edit_after_a_clone_leaves_the_clone_alone_and_copies_little() {
    let (mut module, func) = square();
    let mut ed = Editor::new(&mut module, func).unwrap();
    for _ in 0..8_000 {
        let add = InstData::new(IntOp::IAdd, ValueType::B32, &[i(0), i(1)]);
        ed.insert(InsertPoint::Before(i(3)), add, WHY).unwrap();
    }
    drop(ed);
    let snapshot = module.clone();
    let mut ed = Editor::new(&mut module, func).unwrap();
    assert!(snapshot.func(func).unwrap().same_version(ed.func()));
    ed.rewrite(i(4_000), InstData::new(IntOp::ISub, ValueType::B32, &[i(0), i(1)]), WHY).unwrap();
    drop(ed);
    let [old, new] = [&snapshot, &module].map(|module| module.func(func).unwrap());
    assert_eq!(old.inst(i(4_000)).op, Op::from(IntOp::IAdd));
    assert_eq!(old.tables().insts.unshared(new.tables().insts).count(), 16);
    assert!(old.tables().blocks.same_chunks(new.tables().blocks));
}

use crate::ops::Op;
