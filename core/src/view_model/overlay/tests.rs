//! Overlays against the analyses that they show.

use super::*;
use crate::analysis::{Alias, Cost, Divergence, Dom, Frontiers, Live, Loops, Overlap, Range};
use crate::base::EntityId;
use crate::text::parse;
use crate::view_model::Session;
use crate::view_model::debugger::Debugger;
use vitrine_protocol::{GraphOptions, OverlayRequest, Report, Task};

/// A diamond, then a loop with a block after it.
const LOOP: &str = "func @0(%0: b32) -> b32 graph {
^0:
  %1: b32 = const 0
  %2: b32 = const 1
  %3: b32 = const 4
  %4: b1 = ilt %0, %3
  branch %4, ^1, ^2
^1:
  %5: b32 = iadd %0, %2
  goto ^3(%1, %5)
^2:
  goto ^3(%1, %0)
^3(%6: b32, %7: b32):
  %8: b1 = ilt %6, %3
  branch %8, ^4, ^5
^4:
  %9: b32 = iadd %6, %2
  %10: b32 = iadd %7, %0
  goto ^3(%9, %10)
^5:
  return %7
}
";

struct Found {
    module: Module,
    out: Overlay,
    numbers: Numbers,
}

type Executions = Table<ExecutionEntry>;

/// Seven executions of a block.
fn executed() -> Executions {
    Table::of(&[ExecutionEntry { place: [0, 3], count: [7, 0] }])
}

fn with(kind: OverlayKind) -> GraphOptions {
    GraphOptions { overlay: Some(kind), ..GraphOptions::default() }
}

fn func() -> Func {
    Func::from_index(0)
}

fn found(text: &str, kind: OverlayKind, chosen: Option<Anchor>, executions: &Executions) -> Found {
    let module = parse(text).module;
    let mut numbers = Numbers::default();
    let ask = Ask { module: &module, func: func(), kind, chosen, executions: executions.entries() };
    let out = overlay(&ask, &mut numbers, &mut Analyses::new());
    Found { module, out, numbers }
}

impl Found {
    /// Style, level and words of the mark of an anchor.
    fn mark(&mut self, anchor: Anchor) -> Option<(u32, u32, String)> {
        let number = self.numbers.number(anchor);
        let mut marks = self.out.marks.entries().iter().filter(|mark| mark.id == number);
        let &OverlayEntry { style, level, words: line, .. } = marks.next()?;
        assert!(marks.next().is_none(), "one mark for each thing");
        Some((style, level, self.out.words.0.lines().nth(line as usize).unwrap().to_owned()))
    }

    fn block(&mut self, at: usize) -> Option<(u32, u32, String)> {
        let mark = self.mark(block(at))?;
        Some((mark.0 & !mark_flags::FREE_LINE, mark.1, mark.2))
    }

    fn value(&mut self, at: usize) -> Option<(u32, u32, String)> {
        self.mark(value(at))
    }

    fn get<A: crate::analysis::Analysis>(&self) -> std::rc::Rc<A> {
        Analyses::new().get::<A>(&self.module, func())
    }

    fn body(&self) -> &FuncBody {
        self.module.func(func()).unwrap()
    }

    fn insts(&self) -> Vec<Inst> {
        let of = |block: Block| self.body().block(block).insts.to_vec();
        self.body().blocks_in_order().into_iter().flat_map(of).collect()
    }
}

fn block(at: usize) -> Anchor {
    Anchor::Block(func(), Block::from_index(at))
}

fn value(at: usize) -> Anchor {
    Anchor::Inst(func(), Inst::from_index(at))
}

fn styled(style: MarkStyle, level: u32, words: &str) -> Option<(u32, u32, String)> {
    Some((style as u32, level, words.to_owned()))
}

/// Every style that a mark has is explained, and the page can split the texts.
fn assert_explained(out: &Overlay) {
    let styles: Vec<u32> =
        out.legend.0.lines().map(|line| line.split_once('\t').unwrap().0.parse().unwrap()).collect();
    assert!(styles.contains(&0), "a sentence: {}", out.legend.0);
    for mark in out.marks.entries() {
        assert!(styles.contains(&(mark.style & 15)), "{mark:?} of {}", out.legend.0);
        assert!(mark.level <= FULL_BAR && (mark.words as usize) < out.words.0.lines().count());
    }
}

#[test]
fn every_overlay_explains_its_styles_and_is_total() {
    for &kind in OverlayKind::ALL {
        for chosen in [None, Some(block(3)), Some(value(7)), Some(value(0)), Some(block(99)), Some(value(99))]
        {
            assert_explained(&found(LOOP, kind, chosen, &executed()).out);
        }
        let empty = found("func @0() graph {\n}\n", kind, None, &Table::default());
        assert!(empty.out.marks.entries().is_empty(), "{kind:?}");
        let mut session = Session::new();
        let (version, function, chosen) = (9, 9, Some(7));
        let request = OverlayRequest { version, function, kind, chosen, ..OverlayRequest::default() };
        assert_eq!(session.overlay(&request), Overlay::default());
    }
}

#[test]
fn loops_have_the_costs_of_their_blocks() {
    let mut found = found(LOOP, OverlayKind::Loops, None, &Table::default());
    let (loops, cost) = (found.get::<Loops>(), found.get::<Cost>());
    for at in 0..6 {
        let block = Block::from_index(at);
        let (style, level, words) = found.block(at).unwrap();
        assert_eq!(style > 0, loops.block_depth(block) > 0);
        assert!(words.contains(&format!("cost {}", cost.once(block))), "{words}");
        assert_eq!(level == FULL_BAR, at == 4, "the body costs most");
    }
    assert!(found.block(3).unwrap().2.starts_with("loop: trip count 4; %6 from 0 by 1"));
}

#[test]
fn dominators_and_the_frontier_are_those_of_the_chosen_block() {
    for at in 0..6 {
        let mut found = found(LOOP, OverlayKind::Dominators, Some(block(at)), &Table::default());
        let (dom, frontiers) = (found.get::<Dom>(), found.get::<Frontiers>());
        let chosen = Block::from_index(at);
        for other in 0..6 {
            let block = Block::from_index(other);
            let mark = found.block(other);
            let words = mark.as_ref().map_or("", |mark| &mark.2);
            assert_eq!(words.contains("frontier"), frontiers.of_block(chosen).any(|of| of == block));
            let above = words.contains("dominator") || words == "idom";
            assert_eq!(above, dom.strictly_dominates(block, chosen), "{words}");
            assert_eq!(words == "dominated", dom.strictly_dominates(chosen, block), "{words}");
            assert_eq!(words.starts_with("chosen"), block == chosen);
        }
    }
    let mut body = found(LOOP, OverlayKind::Dominators, Some(value(9)), &Table::default());
    assert_eq!(body.block(4), styled(MarkStyle::Solid, FULL_BAR, "chosen"), "the block of the chosen value");
    assert_eq!(body.block(3), styled(MarkStyle::Cross, FULL_BAR, "dominator, frontier"));
    assert_eq!((body.block(0), body.block(1)), (styled(MarkStyle::Hatch, FULL_BAR, "dominator"), None));
    let mut tree = found(LOOP, OverlayKind::Dominators, None, &Table::default());
    assert_eq!(tree.block(3), styled(MarkStyle::Plain, 0, "idom ^0"));
    assert_eq!(tree.block(0), styled(MarkStyle::Plain, 0, "entry"));
}

const DIVERGENT: &str = "entry compute \"main\" @0 () {local_size 8 1 1}

func @0() graph {
^0:
  %0: b32 = io.builtin {builtin local_invocation_index}
  %1: b32 = const 3
  %2: b1 = ult %0, %1
  branch %2, ^1, ^2
^1:
  %3: b32 = iadd %1, %1
  goto ^2
^2:
  return
}
";

#[test]
fn divergence_is_that_of_the_analysis() {
    let mut found = found(DIVERGENT, OverlayKind::Divergence, None, &Table::default());
    let analysis = found.get::<Divergence>();
    let mut divergent = 0;
    for at in 0..4 {
        let is_marked = found.value(at).is_some();
        assert_eq!(is_marked, !analysis.is_uniform(Inst::from_index(at)), "%{at}");
        divergent += usize::from(is_marked);
    }
    assert_eq!(divergent, 2, "the index and the comparison");
    assert_eq!(found.block(1), styled(MarkStyle::Hatch, FULL_BAR, "divergent"));
    assert_eq!(found.block(2), styled(MarkStyle::Plain, 0, "uniform"));
    assert!(found.out.legend.0.contains("2 of 4 values are divergent"), "{}", found.out.legend.0);
}

#[test]
fn liveness_marks_blocks_and_lines_of_the_chosen_value() {
    for at in 0..11 {
        let mut found = found(LOOP, OverlayKind::Liveness, Some(value(at)), &Table::default());
        let (live, of) = (found.get::<Live>(), Inst::from_index(at));
        for other in 0..6 {
            let block = Block::from_index(other);
            let words = found.block(other).map_or(String::new(), |mark| mark.2);
            let is_home = [&found.body().block(block).params, &found.body().block(block).insts]
                .iter()
                .any(|list| list.contains(&of));
            let wanted = match (is_home, live.is_live_in(block, of), live.is_live_out(block, of)) {
                (true, _, true) => "defined, live out",
                (true, _, false) => "defined, not live out",
                (_, true, true) => "live through",
                (_, true, false) => "live in, last use",
                (_, false, _) => "",
            };
            assert_eq!(words, wanted, "%{at} in ^{other}");
        }
        for inst in found.insts().into_iter().filter(|&inst| inst != of) {
            let uses = found.body().inst(inst).args.contains(&of);
            let mark = found.mark(Anchor::Inst(func(), inst));
            assert_eq!(mark.is_some(), uses || live.is_live_after(inst, of), "%{at} at {inst}");
            assert!(mark.is_none_or(|mark| mark.0 & mark_flags::LINE != 0));
        }
    }
}

#[test]
fn a_chosen_block_marks_the_values_that_are_live_into_and_out_of_it() {
    let mut found = found(LOOP, OverlayKind::Liveness, Some(block(3)), &Table::default());
    let live = found.get::<Live>();
    let chosen = Block::from_index(3);
    for at in 0..11 {
        let of = Inst::from_index(at);
        let wanted = match (live.is_live_in(chosen, of), live.is_live_out(chosen, of)) {
            (true, true) => styled(MarkStyle::Hatch, 0, ""),
            (true, false) => styled(MarkStyle::Dots, 0, ""),
            (false, true) => styled(MarkStyle::Solid, 0, ""),
            (false, false) => None,
        };
        assert_eq!(found.value(at), wanted, "%{at}");
    }
    let words = format!("{} in, {} out", live.live_in(chosen).len(), live.live_out(chosen).len());
    assert_eq!(found.block(3), styled(MarkStyle::Solid, FULL_BAR, &words));
    assert!(found.block(0).is_some_and(|mark| mark.2.starts_with("0 in, ") || mark.2.starts_with("1 in, ")));
}

#[test]
fn pressure_is_a_bar_of_the_maximum() {
    let mut found = found(LOOP, OverlayKind::Pressure, None, &Table::default());
    let live = found.get::<Live>();
    let peak = live.peak_pressure();
    for at in 0..6 {
        let bits = live.pressure(Block::from_index(at));
        let style = if bits == peak { MarkStyle::Cross } else { MarkStyle::Hatch };
        assert_eq!(found.block(at), styled(style, bits * FULL_BAR / peak, &format!("{bits} bits")));
    }
    assert!(peak > 64 && found.out.legend.0.contains(&format!("{peak} bits")));
}

#[test]
fn ranges_are_words_of_the_values_with_a_known_range() {
    let mut found = found(LOOP, OverlayKind::Ranges, None, &Table::default());
    assert_eq!(found.value(6), styled(MarkStyle::Lines, 0, "0..=4"));
    assert_eq!(found.value(3), None, "constants need no range");
    let range = found.get::<Range>();
    for at in [0, 7, 10] {
        assert!(range.facts(Inst::from_index(at)).iter().all(crate::analysis::Fact::is_any));
        assert_eq!(found.value(at), None, "%{at} may be anything");
    }
    let mut session = Session::new();
    session.open(LOOP.as_bytes(), "");
    session.set_view(with(OverlayKind::Ranges));
    let words = session.graph(0, 0).text.text.0;
    assert!(words.contains("^3(%6: b32, %7: b32):  %6 0..=4\n"), "{words}");
}

const MEMORY: &str = "struct #0 {
  a: u32
  b: [u32 * 4]
}

private $points_0: #0
private $1: u32

func @0(%0: b32) -> b32 graph {
^0:
  %1: path = deref.var $points_0
  %2: path = deref.field %1.0
  %3: path = deref.field %1.1
  %4: path = deref.elem %3, %0
  %5: b32 = const 2
  %6: path = deref.elem %3, %5
  %7: path = deref.var $1
  %8: b32 = load %2
  %9 = store %4, %8
  %10: b32 = load %6
  %11 = store %7, %10
  return %10
}
";

#[test]
fn locations_that_may_overlap_have_one_class() {
    let mut found = found(MEMORY, OverlayKind::Alias, None, &Table::default());
    let class =
        |style: MarkStyle, letter: &str| Some((style as u32 | mark_flags::LINE, 0, letter.to_owned()));
    assert_eq!(found.value(8), class(MarkStyle::Hatch, "A"), "{}", found.out.legend.0);
    assert_eq!(found.value(9), class(MarkStyle::Dots, "B"), "an element with a dynamic index");
    assert_eq!(found.value(10), class(MarkStyle::Dots, "B"), "an element that may be the same");
    assert_eq!(found.value(11), class(MarkStyle::Lines, "C"));
    let legend = &found.out.legend.0;
    assert!(legend.contains("4 memory operations in 3 classes"), "{legend}");
    assert!(legend.contains("A: part of $points_0, 1 operation\n"), "{legend}");
    assert!(legend.contains("B: part of $points_0, 2 operations\n"), "{legend}");
    let mut session = Session::new();
    session.open(MEMORY.as_bytes(), "");
    session.set_view(with(OverlayKind::Alias));
    let words = session.graph(0, 0).text.text.0;
    assert!(words.contains("load %6  B\n") && words.contains("store %7, %10  C\n"), "{words}");
}

#[test]
fn alias_classes_are_the_components_of_overlap() {
    let text = include_str!("../../../../www/examples/particles.spvasm");
    let mut session = Session::new();
    session.open(text.as_bytes(), "ingest");
    let module = session.version(session.versions() - 1).clone();
    let (main, body) = module.funcs().max_by_key(|(_, body)| body.inst_count()).unwrap();
    let mut cx = Analyses::new();
    let alias = cx.get::<Alias>(&module, main);
    let letters = alias::letters(&module, main, &mut cx);
    let mut pairs = [0, 0];
    for (&a, class) in &letters {
        for (&b, other) in &letters {
            let spot = |inst: Inst| body.inst(inst).args.iter().find_map(|&arg| alias.spot(arg)).unwrap();
            let apart = alias.overlap(spot(a), spot(b)) == Overlap::No;
            assert!(class == other || apart, "{a} and {b} may access the same memory");
            pairs[usize::from(class == other)] += 1;
        }
    }
    assert!(pairs.iter().all(|&pairs| pairs > 0) && letters.len() > 4, "{letters:?}");
}

/// A run of a version on the inputs of seed 0.
fn running(version: u32) -> Task {
    let (assignments, pictures) = Default::default();
    Task::Run { entry: None, seed: 0, version, compare: false, assignments, pictures }
}

fn executions(debugger: &Debugger) -> Executions {
    let Some(Report::Run(report)) = debugger.report() else { panic!("not a run") };
    report.executions
}

#[test]
fn counts_are_those_of_the_last_run() {
    let text = include_str!("../../../../www/examples/particles.spvasm");
    let mut debugger = Debugger::new();
    debugger.give(text.as_bytes().to_vec());
    debugger.open("ingest", &mut |_, _| {});
    debugger.begin(&running(1));
    assert!(executions(&debugger).entries().is_empty(), "not done");
    while debugger.slice(&mut || true) {}
    let executions = executions(&debugger);
    let mut session = Session::new();
    session.open(text.as_bytes(), "ingest");
    let func = session.first_choice().unwrap();
    let entry = executions.entries().iter().find(|of| of.place[0] == func).unwrap();
    assert!(entry.count[0] > 0, "the first block of the function is its entry");
    let words = format!("× {}", crate::view_model::digits::grouped(entry.count[0].into()));
    let (version, function, kind) = (1, func, OverlayKind::Counts);
    let request = OverlayRequest { version, function, kind, ..OverlayRequest::default() };
    let none = session.overlay(&request);
    assert!(none.marks.entries().is_empty() && none.legend.0.contains("has not run"), "{}", none.legend.0);
    let out = session.overlay(&OverlayRequest { executions, ..request });
    assert_explained(&out);
    assert!(out.words.0.lines().any(|line| line == words), "{words} of {}", out.words.0);
}

#[test]
fn executions_are_those_of_invocations() {
    let mut debugger = Debugger::new();
    debugger.give(DIVERGENT.as_bytes().to_vec());
    debugger.open("", &mut |_, _| {});
    debugger.begin(&running(0));
    while debugger.slice(&mut || true) {}
    let executions = executions(&debugger);
    let count = |block: u32| {
        let mut blocks = executions.entries().iter();
        blocks.find(|of| of.place[1] == block).map(|of| of.count[0]).unwrap()
    };
    assert!(count(0) >= 8 && count(0) == count(2), "{executions:?}");
    assert_eq!(count(1), count(0) / 8 * 3, "invocations 0, 1 and 2 of each workgroup");
}

#[test]
fn blocks_have_a_free_line_for_marks_and_another_choice_changes_no_layout() {
    let mut session = Session::new();
    session.open(LOOP.as_bytes(), "");
    let plain = session.graph(0, 0);
    for &kind in OverlayKind::ALL {
        session.set_view(with(kind));
        let graph = session.graph(0, 0);
        let request = OverlayRequest { kind, executions: executed(), ..OverlayRequest::default() };
        let out = session.overlay(&request);
        let free = out.marks.entries().iter().any(|mark| mark.style & mark_flags::FREE_LINE != 0);
        let [text, plain] = [&graph, &plain].map(|graph| graph.text.text.0.as_str());
        assert_eq!(free, text.lines().count() == plain.lines().count() + 6 && text.starts_with('\n'));
    }
}
