//! Boxes with words, cuts, folds, pins, inlined constants, positions of the next picture.

use super::*;
use crate::base::EntityId;
use crate::text::parse;

fn drawn(text: &str, previous: &mut Option<Positions>) -> GraphPicture {
    let module = parse(text).module;
    if module.func(Func::from_index(0)).is_none_or(|body| body.blocks_in_order().is_empty()) {
        let mut numbers = Numbers::default();
        let view = GraphOptions::default();
        return draw(&module, Func::from_index(0), &mut numbers, &view, None, previous, &mut Analyses::new());
    }
    viewed(&module, &GraphOptions::default(), previous)
}

fn viewed(module: &Module, view: &GraphOptions, previous: &mut Option<Positions>) -> GraphPicture {
    let mut numbers = Numbers::default();
    // Blocks have the numbers of their ids.
    for block in module.func(Func::from_index(0)).unwrap().blocks_in_order() {
        numbers.number(Anchor::Block(Func::from_index(0), block));
    }
    draw(module, Func::from_index(0), &mut numbers, view, None, previous, &mut Analyses::new())
}

/// Numbers of blocks and of loops.
fn counts(graph: &GraphPicture) -> [usize; 2] {
    [graph.blocks.entries().len(), graph.loops.entries().len()]
}

#[test]
fn a_branch_is_boxes_with_words_and_labelled_lines() {
    let text = "func @0(%0: b1) graph {\n^0:\n  branch %0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n}\n";
    let graph = drawn(text, &mut None);
    assert_eq!((graph.blocks.entries().len(), graph.labels.len()), (3, 3));
    assert_eq!(graph.text.text.0, "^0:\n  branch %0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n");
    assert_eq!(&graph.labels[..2], ["T", "F"]);
    let blocks = graph.blocks.entries().iter();
    let lines: Vec<_> = blocks.map(|block| (block.first_line, block.lines, block.flags)).collect();
    assert_eq!(lines, [(0, 2, 1), (2, 2, 0), (4, 2, 0)]);
}

#[test]
fn long_blocks_and_lines_are_cut_visibly() {
    let many = "  %1: b32x4 = const (1.25, 2.25, 3.25, 4.25)\n".repeat(60);
    let many: String =
        (1..).zip(many.lines()).map(|(at, line)| line.replace("%1", &format!("%{at}")) + "\n").collect();
    let text = format!("func @0() graph {{\n^0:\n{many}  return\n}}\n");
    let graph = drawn(&text, &mut None);
    assert_eq!(graph.text.text.0.lines().count(), ENDS[0] + 1 + ENDS[1]);
    assert_eq!(graph.text.text.0.lines().nth(ENDS[0]), Some("  … 45 more"));
    assert!(graph.text.text.0.ends_with("  return\n"), "{}", graph.text.text.0);
    let block = graph.blocks.entries()[0];
    assert_eq!((block.flags, block.cut, block.insts), (block_flags::ENTRY, ENDS[0] as i32, 60));
    let options = GraphOptions { opened_blocks: vec![0], ..GraphOptions::default() };
    let open = viewed(&parse(&text).module, &options, &mut None);
    let block = open.blocks.entries()[0];
    assert_eq!((block.lines, block.flags, block.cut), (63, block_flags::ENTRY | block_flags::OPEN, 62));
    assert!(open.text.text.0.ends_with("  … fewer\n"));
    assert!(graph.text.text.0.lines().all(|line| line.chars().count() <= MOST_LETTERS));
}

const LOOP: &str = "func @0(%0: b1) graph {\n^0:\n  goto ^1\n^1:\n  branch %0, ^2, ^3\n^2:\n  %1: b32 = const 1\n  goto ^1\n^3:\n  return\n}\n";

#[test]
fn a_folded_loop_is_one_box_with_a_description() {
    let module = parse(LOOP).module;
    let mut previous = None;
    let whole = viewed(&module, &GraphOptions::default(), &mut previous);
    assert_eq!((counts(&whole), whole.hidden.entries().len()), ([4, 1], 0));
    // Entry, header, body, exit: the body is in the loop.
    let loops: Vec<i32> = whole.blocks.entries().iter().map(|block| block.innermost_loop).collect();
    assert_eq!(loops, [-1, 0, 0, -1]);
    let folds = vec![(Fold::Loop, 1), (Fold::Sequence, 2), (Fold::Loop, 3), (Fold::Branch, 9)];
    let view = GraphOptions { folds, ..GraphOptions::default() };
    let folded = viewed(&module, &view, &mut previous);
    let text = &folded.text.text.0;
    assert!(text.starts_with("^1 loop of 2 blocks\n1 instruction\n"), "{text}");
    assert_eq!(counts(&folded), [3, 0]);
    assert_eq!(folded.hidden.entries(), [HiddenEntry { block: 2, shown_in: 1 }]);
    let kinds: Vec<Option<Fold>> = folded.blocks.entries().iter().map(BlockEntry::fold).collect();
    assert_eq!(kinds, [None, Some(Fold::Loop), None]);
    assert_eq!(whole.summaries, ["", "if %0", "1 instruction", "return"]);
    assert_eq!(folded.summaries, ["", "loop of 2 blocks · 1 instruction", "return"]);
    assert_eq!((whole.trips, folded.trips.len()), (vec![String::new()], 0));
    let alone = viewed(&module, &view, &mut None);
    assert!(folded.extent[3] - alone.extent[3] <= MOST_VOID, "the space of the hidden blocks is gone");
}

#[test]
fn a_block_that_shrinks_leaves_no_void() {
    let text = |lines: usize| {
        let many: String = (1..=lines).map(|at| format!("  %{at}: b32 = const {at}\n")).collect();
        format!("func @0() graph {{\n^0:\n{many}  goto ^1\n^1:\n  return\n}}\n")
    };
    let mut previous = None;
    let [_, few] = [30, 4].map(|lines| drawn(&text(lines), &mut previous));
    assert_eq!(few.blocks, drawn(&text(4), &mut None).blocks, "30 lines are 510 px");
    let [_, fewer] = [8, 4].map(|lines| drawn(&text(lines), &mut previous));
    let rects: Vec<[i32; 4]> = fewer.blocks.entries().iter().map(|block| block.rect).collect();
    let gap = rects[1][1] - (rects[0][1] + rects[0][3]);
    assert!(gap <= MOST_VOID, "{gap}");
}

#[test]
fn a_constant_with_a_single_use_is_inside_the_line_that_uses_it() {
    let text =
        "func @0(%0: b32) -> b32 graph {\n^0:\n  %1: b32 = const 0.5\n  %2 = fadd %0, %1\n  return %2\n}\n";
    let module = parse(text).module;
    let [plain, inline] = [false, true]
        .map(|inline| viewed(&module, &GraphOptions { inline, ..GraphOptions::default() }, &mut None));
    assert_eq!(plain.text.text.0, "^0:\n  %1: b32 = const 0.5\n  %2: b32 = fadd %0, %1\n  return %2\n");
    assert_eq!(inline.text.text.0, "^0:\n  %2: b32 = fadd %0, 0.5\n  return %2\n");
    assert_eq!(inline.blocks.entries()[0].lines, 3);
    let definitions = |graph: &GraphPicture| {
        let all = graph.text.spans.entries().iter().filter(|span| span.link == 1).map(|span| span.id);
        all.collect::<std::collections::BTreeSet<u32>>()
    };
    assert_eq!(definitions(&inline).len(), definitions(&plain).len(), "all can be found and chosen");
}

#[test]
fn a_pin_persists_and_a_pin_that_is_moved_away_is_flagged() {
    let module = parse(LOOP).module;
    let pinned = |pins| viewed(&module, &GraphOptions { pins, ..GraphOptions::default() }, &mut None);
    let graph = pinned(vec![[1, 70, 900]]);
    let block = graph.blocks.entries()[1];
    assert_eq!((&block.rect[..2], block.flags), (&[70, 900][..], block_flags::PINNED));
    let graph = pinned(vec![[1, 70, 900], [3, 70, 900]]);
    let flags = [1, 3].map(|at: usize| graph.blocks.entries()[at].flags);
    assert_eq!(flags, [block_flags::PINNED, block_flags::PINNED | block_flags::DISPLACED]);
}

#[test]
fn where_blocks_were_is_kept_for_the_next_picture() {
    let text = "func @0() graph {\n^0:\n  return\n}\n";
    let mut previous = None;
    let first = drawn(text, &mut previous);
    assert!(previous.is_some());
    assert_eq!(drawn(text, &mut previous), first);
    assert_eq!(drawn("func @0();\n", &mut None), GraphPicture::default());
}
