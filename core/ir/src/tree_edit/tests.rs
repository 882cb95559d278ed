//! Edits of random trees must preserve behavior; refusals; depth.

use super::*;
use crate::base::EntityId;
use crate::editor::testing::*;
use crate::ops::{BasicOp, Bits, IntOp, Key, Width};
use crate::{Assembler, BlockData, Func, FuncBody, InstData, Module};

const WHY: Reason = Reason::Pass;

/// A position before, after or between the instructions of some block.
fn random_place(ed: &Editor, random: &mut Random) -> InsertPoint {
    let blocks = ed.func().blocks_in_order();
    let block = random.pick(&blocks);
    let insts = &ed.func().block(block).insts;
    match random.below(3) {
        0 => InsertPoint::Start(block),
        1 if !insts.is_empty() => InsertPoint::Before(random.pick(insts)),
        _ => InsertPoint::End(block),
    }
}

/// A range, mostly of some blocks of one region.
fn random_run(ed: &Editor, random: &mut Random) -> InstRange {
    let from = random_place(ed, random);
    let to = random_place(ed, random);
    if random.below(3) == 0 { InstRange::empty(from) } else { InstRange::new(from, to) }
}

fn take_and_put_back(ed: &mut Editor, random: &mut Random) -> Result<bool, Refusal> {
    let run = random_run(ed, random);
    let (block, index) = ed.resolve(run.from)?;
    let piece = ed.take(run, WHY)?;
    audit(ed);
    let at = match index.checked_sub(1) {
        Some(before) => InsertPoint::After(ed.func().block(block).insts[before]),
        None => InsertPoint::Start(block),
    };
    ed.splice(piece, at, &[], WHY).map_err(|refused| refused.refusal)?;
    Ok(true)
}

/// Replaces the contents of an arm by a copy of them.
fn copy_and_swap(ed: &mut Editor, random: &mut Random) -> Result<bool, Refusal> {
    let count = ed.func().tables().regions.len();
    let region = Region::from_index(random.below(count));
    let copy = ed.copy_region(region, WHY)?;
    let data = ed.func().region(region).clone();
    let Terminator::Next(_) = ed.func().terminator(data.last()).clone() else { return Ok(false) };
    if !ed.func().block(data.head).params.is_empty() {
        return Ok(false);
    }
    let old = ed.take(InstRange::new(InsertPoint::Start(data.head), InsertPoint::End(data.last())), WHY)?;
    drop(old);
    let results = ed
        .splice(copy, InsertPoint::Start(data.head), &[], WHY)
        .expect("a copy fits in place of its original");
    let last = ed.func().region(region).last();
    ed.set_terminator(last, Terminator::Next(Args::new(&results)), WHY)?;
    Ok(true)
}

#[test]
fn edits_preserve_the_behavior_of_a_tree() {
    let mut random = Random::new(99);
    let mut done = [0; 5];
    for _ in 0..400 {
        let (mut module, func) = random_module(&mut random, true);
        let before = module.func(func).unwrap().clone();
        let mut ed = Editor::new(&mut module, func).unwrap();
        audit_visibility(&mut ed);
        for _ in 0..12 {
            let version = ed.func().clone();
            let what = random.below(5);
            let run = random_run(&ed, &mut random);
            let nodes = ed.func().tables().nodes.len();
            let result = match what {
                0 => ed.wrap_in_block(run, WHY).map(|_| true),
                1 => ed.wrap_in_loop(run, WHY).map(|_| true),
                2 => ed.unwrap(Node::from_index(random.below(nodes + 1)), WHY).map(|()| true),
                3 => take_and_put_back(&mut ed, &mut random),
                _ => copy_and_swap(&mut ed, &mut random),
            };
            match result {
                Ok(changed) => done[what] += usize::from(changed),
                Err(refusal) if what < 4 => assert!(untouched(&version, ed.func()), "{refusal}"),
                Err(_) => {}
            }
            audit(&mut ed);
            audit_visibility(&mut ed);
            let now = ed.func().clone();
            assert!(same_meaning(ed.module(), &version, &now), "operation {what}");
        }
        let after = ed.func().clone();
        audit_journal(&before, &after, &ed.finish().journal);
    }
    assert!(done.iter().all(|&count| count > 50), "{done:?}");
}

#[test]
fn an_if_that_always_holds_changes_nothing() {
    let mut random = Random::new(3);
    let mut done = 0;
    for _ in 0..150 {
        let (mut module, func) = random_module(&mut random, true);
        let mut ed = Editor::new(&mut module, func).unwrap();
        let entry = ed.func().entry().unwrap();
        let truth = ed.bool(true);
        let cond = ed.insert(InsertPoint::Start(entry), truth, WHY).unwrap();
        let before = ed.func().clone();
        let run = random_run(&ed, &mut random);
        let Ok(wrapped) = ed.wrap_in_if(run, cond, WHY) else { continue };
        done += 1;
        audit(&mut ed);
        audit_visibility(&mut ed);
        let now = ed.func().clone();
        assert!(same_meaning(ed.module(), &before, &now));
        ed.unwrap(wrapped.node, WHY).unwrap();
        assert!(!ed.has_node(wrapped.node) && !ed.has_block(wrapped.after));
        audit(&mut ed);
        let now = ed.func().clone();
        assert!(same_meaning(ed.module(), &before, &now));
    }
    assert!(done > 50, "{done}");
}

/// `%2 = %0 + %1; loop !0(%2) { ^1(%3): %4 = %3 + %0; break !0(%4) } ^2(%5): return %5`.
fn one_trip() -> (Module, Func) {
    let mut asm = Assembler::new();
    let param = || InstData::new(BasicOp::Param, ValueType::B32, &[]);
    let add = |a, b| InstData::new(IntOp::IAdd, ValueType::B32, &[a, b]);
    let [a, b] = [asm.add_inst(param()), asm.add_inst(param())];
    let sum = asm.add_inst(add(a, b));
    let carried = asm.add_inst(param());
    let more = asm.add_inst(add(carried, a));
    let result = asm.add_inst(param());
    let node = Node::from_index(0);
    let list = |insts: &[Inst]| CowVec::new(insts.to_vec());
    let data = |params: &[Inst], insts: &[Inst], terminator| BlockData {
        params: list(params),
        insts: list(insts),
        terminator,
        merge: None,
    };
    let first = asm.add_block(data(&[], &[sum], Terminator::Next(Args::new(&[sum]))));
    let inside = asm.add_block(data(&[carried], &[more], Terminator::Break(node, Args::new(&[more]))));
    let after = asm.add_block(data(&[result], &[], Terminator::Return(Some(result))));
    let body = asm.add_region(RegionData::new(inside));
    let root = asm.add_region(RegionData { head: first, rest: CowVec::new(vec![(node, after)]) });
    asm.put_node(node, NodeData { kind: NodeKind::Loop { body, continuing: None }, attrs: Attrs::None });
    asm.params(vec![a, b]);
    asm.result(ValueType::B32);
    asm.tree(root);
    let mut module = Module::new();
    let func = module.add_func(asm.finish());
    (module, func)
}

fn i(index: usize) -> Inst {
    Inst::from_index(index)
}

#[test]
fn a_loop_with_one_iteration_becomes_its_body() {
    let (mut module, func) = one_trip();
    let mut ed = Editor::new(&mut module, func).unwrap();
    let node = Node::from_index(0);
    assert!(
        ed.is_visible(i(3), InsertPoint::Before(i(4))) && !ed.is_visible(i(4), InsertPoint::Before(i(4)))
    );
    assert!(
        ed.is_visible(i(2), InsertPoint::Before(i(4)))
            && !ed.is_visible(i(4), InsertPoint::End(Block::from_index(2)))
    );
    let reported = ed.erase_node(node, &[], WHY).unwrap_err().to_string();
    assert_eq!(reported, "^2 takes 1 values, but the edge passes 0");
    let copy = ed.copy_region(Region::from_index(0), WHY).unwrap();
    let refused = ed.splice(copy, InsertPoint::End(Block::from_index(0)), &[i(2)], WHY).unwrap_err();
    assert_eq!(refused.refusal.to_string(), "the piece does not continue to the code after it");
    ed.unwrap(node, WHY).unwrap();
    let entry = ed.func().entry().unwrap();
    assert_eq!(ed.func().blocks_in_order(), [entry]);
    assert_eq!(ed.func().block(entry).insts[..], [i(2), i(4)]);
    assert_eq!(ed.func().inst(i(4)).args[..], [i(2), i(0)]);
    assert_eq!(*ed.func().terminator(entry), Terminator::Return(Some(i(4))));
    audit(&mut ed);
}

#[test]
fn uses_after_the_node_are_refused() {
    let (mut module, func) = one_trip();
    let before = module.func(func).unwrap().clone();
    let mut ed = Editor::new(&mut module, func).unwrap();
    let reported: Vec<String> = [
        ed.wrap_in_block(InstRange::of_inst(i(2)), WHY).unwrap_err(),
        ed.take(InstRange::of_inst(i(4)), WHY).unwrap_err(),
        ed.wrap_in_block(
            InstRange::new(InsertPoint::Start(Block::from_index(1)), InsertPoint::End(Block::from_index(2))),
            WHY,
        )
        .unwrap_err(),
        ed.wrap_in_if(InstRange::of_inst(i(4)), i(0), WHY).unwrap_err(),
    ]
    .iter()
    .map(ToString::to_string)
    .collect();
    assert_eq!(
        reported,
        [
            "%2 is used by ^0 after the code that would be inside a node",
            "%4 is used by ^1 outside the code that would be taken",
            "^2 is not after ^1 in one region",
            "%0 is not a scalar boolean",
        ]
    );
    assert!(untouched(&before, ed.func()));
}

#[test]
fn a_body_is_peeled_by_copy_and_retarget() {
    let (mut module, func) = one_trip();
    let before = module.func(func).unwrap().clone();
    let mut ed = Editor::new(&mut module, func).unwrap();
    let node = Node::from_index(0);
    let mut copy = ed.copy_region(Region::from_index(0), WHY).unwrap();
    let entry = ed.func().entry().unwrap();
    let block = ed.wrap_in_block(InstRange::empty(InsertPoint::End(entry)), WHY).unwrap();
    let results = ed.add_param_with(block.after, ValueType::B32, |_| i(2), WHY).unwrap();
    let reported = ed.retarget(&mut copy, |_, _| Some(Terminator::next()), WHY).unwrap_err();
    assert!(reported.to_string().contains("cannot be replaced by this one"));
    let leave = |_, terminator: &Terminator| match terminator {
        Terminator::Break(_, args) => Some(Terminator::Break(block.node, args.clone())),
        _ => None,
    };
    ed.retarget(&mut copy, leave, WHY).unwrap();
    let again = ed.splice(copy, InsertPoint::End(block.inside), &[i(2)], WHY).unwrap_err();
    assert!(again.refusal.to_string().contains("does not continue"));
    assert!(ed.has_node(node) && ed.is_placed(results));
    audit(&mut ed);
    let now = ed.func().clone();
    assert!(same_meaning(ed.module(), &before, &now));
}

/// `depth` nested ifs with a constant condition.
fn nest(depth: usize) -> (Module, Func) {
    let mut module = Module::new();
    let truth = module.bits(Bits::from_components(Width::W1, &[1]));
    let mut asm = Assembler::new();
    let cond = asm
        .add_inst(InstData::new(BasicOp::Const, ValueType::BOOL, &[]).with(Key::Const, truth.index() as u64));
    let plain = |asm: &mut Assembler, terminator: Terminator| {
        asm.add_block(BlockData { terminator, ..BlockData::default() })
    };
    let innermost = plain(&mut asm, Terminator::next());
    let mut inner = asm.add_region(RegionData::new(innermost));
    for level in 0..depth {
        let [other, before] = [plain(&mut asm, Terminator::next()), plain(&mut asm, Terminator::next())];
        let last = level + 1 == depth;
        let after = plain(&mut asm, if last { Terminator::Return(None) } else { Terminator::next() });
        if last {
            asm.block_mut(before).insts = CowVec::new(vec![cond]);
        }
        let els = asm.add_region(RegionData::new(other));
        let kind = NodeKind::If { cond, then: inner, els };
        let node = asm.add_node(NodeData { kind, attrs: Attrs::None });
        inner = asm.add_region(RegionData { head: before, rest: CowVec::new(vec![(node, after)]) });
    }
    asm.tree(inner);
    let func = module.add_func(asm.finish());
    (module, func)
}

fn operate_deep() {
    const DEPTH: usize = 10_000;
    let (mut module, func) = nest(DEPTH);
    let mut ed = Editor::new(&mut module, func).unwrap();
    let entry = ed.func().entry().unwrap();
    let outermost = Node::from_index(DEPTH - 1);
    let then = ed.func().node(outermost).kind.regions()[0];
    let copy = ed.copy_region(then, WHY).unwrap();
    ed.splice(copy, InsertPoint::End(entry), &[], WHY).unwrap();
    let all = InstRange::new(InsertPoint::End(entry), InsertPoint::Start(ed.block_after(outermost).unwrap()));
    let wrapped = ed.wrap_in_block(all, WHY).unwrap();
    ed.split_block(InsertPoint::Start(Block::from_index(0)), WHY).unwrap();
    let piece = ed
        .take(InstRange::new(InsertPoint::Start(wrapped.inside), InsertPoint::End(wrapped.inside)), WHY)
        .unwrap();
    drop(piece);
    ed.unwrap(wrapped.node, WHY).unwrap();
    for node in (0..DEPTH).map(Node::from_index).rev() {
        ed.unwrap(node, WHY).unwrap();
    }
    assert!(ed.places.agrees(&ed.func().clone()));
    let copied = ed.func().region(ed.places.block(entry).unwrap().region).rest[0].0;
    ed.erase_node(copied, &[], WHY).unwrap();
    assert_eq!(count(ed.func()), 3);
}

fn count(body: &FuncBody) -> usize {
    body.blocks_in_order().len()
}

#[test]
fn ten_thousand_ifs_in_each_other_need_no_stack() {
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(operate_deep).unwrap();
    thread.join().unwrap();
}

#[test]
fn a_piece_is_inserted_only_where_its_operands_are_computed() {
    let (mut module, func) = one_trip();
    let mut ed = Editor::new(&mut module, func).unwrap();
    let [first, inside, after] = [0, 1, 2].map(Block::from_index);
    let square = InstData::new(IntOp::IMul, ValueType::B32, &[i(5), i(5)]);
    let square = ed.insert(InsertPoint::End(after), square, WHY).unwrap();
    let mut piece = ed.take(InstRange::of_inst(square), WHY).unwrap();
    for block in [first, inside] {
        assert!(!ed.is_visible(i(5), InsertPoint::End(block)));
        let version = ed.func().clone();
        let refused = ed.splice(piece, InsertPoint::End(block), &[], WHY).unwrap_err();
        assert_eq!(refused.refusal.to_string(), "%5 is not computed at its use");
        assert!(untouched(&version, ed.func()));
        piece = refused.piece;
    }
    ed.splice(piece, InsertPoint::Start(after), &[], WHY).unwrap();
    assert_eq!(ed.func().block(after).insts[..], [square]);
    audit(&mut ed);
}
