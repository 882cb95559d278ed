//! A control-flow graph with the words of its blocks, as flat numbers and one styled text.
//!
//! Places come from `layout`; the page draws what is in sight. Long blocks and long lines are cut and say so:
//! the whole text is in the pane beside. Nothing here knows colours.

use super::linked::{Linked, Numbers, Text};
use crate::analysis::{Analyses, Cfg, EdgeKind};
use crate::base::SideTable;
use crate::ir::{Anchor, Block, Func, FuncBody, Module};
use crate::layout::{Input, Line, Positions, case_label, input_of, layout};
use crate::pipeline::diff::FuncDiff;
use crate::text::{Class, Link, Options, Printer, Sink};

/// Width of a letter in quarters of a px and height of a line in px, as `www/style.css` has them.
const LETTER_QUARTERS: i32 = 29;
const LEADING: i32 = 17;
/// Room inside a block, in px: left and right together, above and below together.
const INSET: [i32; 2] = [20, 14];
/// Lines of a block that are shown, and letters of a line.
const MOST_LINES: usize = 22;
const MOST_LETTERS: usize = 60;
/// Words per block in [`Graph::blocks`], and per band in [`Graph::bands`].
const BLOCK_WORDS: usize = 8;

/// A picture, in px; x to the right, y down.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Left, upper edge, width and height of everything.
    pub extent: [i32; 4],
    /// Eight numbers a block: number of the thing as in the text's links, left, upper edge, width, height,
    /// first line in `text`, number of lines, flags (1 entry, 2 new, 4 with changes inside).
    pub blocks: Vec<i32>,
    /// Six numbers a loop: left, upper edge, width, height, depth, number of its header.
    pub bands: Vec<i32>,
    /// A line each: kind (0 plain, 1 taken if true, 2 if false, 3 case of a switch), 1 if it runs up, numbers
    /// of the two blocks, place of the label, number of points, then the points.
    pub lines: Vec<i32>,
    /// What stands at each line; most say nothing.
    pub labels: Vec<String>,
    /// The words of all blocks.
    pub text: Text,
}

/// What the version before is asked for.
pub(super) struct Before<'a> {
    pub(super) body: &'a FuncBody,
    pub(super) diff: &'a FuncDiff,
}

/// Draws a function; empty for one without a body. `previous` keeps blocks where they were, and is renewed.
pub(super) fn draw(
    module: &Module,
    func: Func,
    numbers: &mut Numbers,
    before: Option<&Before<'_>>,
    previous: &mut Option<Positions>,
) -> Graph {
    let Some(body) = module.func(func) else { return Graph::default() };
    let mut words = Words::of(module, func, body, numbers);
    let mut analyses = Analyses::new();
    let mut input = input_of(module, func, &mut analyses, |block| words.places[block].size());
    input.previous = previous.take();
    let picture = layout(&input);
    *previous = Some(picture.positions(&input));
    let cfg = analyses.get::<Cfg>(module, func);
    let extent = picture.extent;
    let mut graph = Graph { extent: [extent.x, extent.y, extent.width, extent.height], ..Graph::default() };
    let number = |block| numbers.number(Anchor::Block(func, block)) as i32;
    let mut of_node: Vec<i32> = input.nodes.iter().map(|node| node.block).map(number).collect();
    // Beyond the last node nothing is asked for; a wrong index draws at the entry instead of nowhere.
    of_node.push(0);
    for ((node, rect), id) in input.nodes.iter().zip(&picture.nodes).zip(&of_node) {
        let Some(rect) = rect else { continue };
        let place = words.places[node.block];
        let flags = flags(body, node.block, cfg.entry(), before);
        graph.blocks.extend([*id, rect.x, rect.y, rect.width, rect.height]);
        graph.blocks.extend([place.first as i32, place.lines as i32, flags]);
    }
    for band in &picture.bands {
        let header = of_node.get(band.header as usize).copied().unwrap_or(0);
        let rect = band.rect;
        graph.bands.extend([rect.x, rect.y, rect.width, rect.height, band.depth as i32, header]);
    }
    let drawing = Drawing { body, cfg: &cfg, input: &input };
    for line in &picture.lines {
        let (kind, label) = drawing.meaning(line);
        let end = |node: u32| of_node.get(node as usize).copied().unwrap_or(0);
        graph.lines.extend([kind, i32::from(line.back), end(line.from), end(line.to)]);
        graph.lines.extend([line.label.x, line.label.y, line.points.len() as i32]);
        graph.lines.extend(line.points.iter().flat_map(|point| [point.x, point.y]));
        graph.labels.push(label);
    }
    graph.text = std::mem::take(&mut words.text);
    graph
}

impl Graph {
    /// How many blocks there are.
    pub fn block_count(&self) -> usize {
        self.blocks.len() / BLOCK_WORDS
    }
}

fn flags(body: &FuncBody, block: Block, entry: Option<Block>, before: Option<&Before<'_>>) -> i32 {
    use crate::pipeline::diff::Change;
    let mut flags = i32::from(entry == Some(block));
    let Some(Before { body: old, diff }) = before else { return flags };
    let data = body.block(block);
    let inside = || data.params.iter().chain(data.insts.iter()).any(|&inst| diff.of_inst(inst).is_some());
    // What is gone from a block is a change of it too.
    let other = || old.block(block).insts != data.insts;
    match diff.of_block(block) {
        Some(Change::Added) => flags |= 2,
        Some(Change::Changed | Change::Moved | Change::Gone) => flags |= 4,
        None if inside() || other() => flags |= 4,
        None => {}
    }
    flags
}

/// Where a block's words are.
#[derive(Clone, Copy, Debug, Default)]
struct Place {
    first: usize,
    lines: usize,
    letters: usize,
}

impl Place {
    fn size(&self) -> (i32, i32) {
        let [side, above] = INSET;
        let width = (self.letters.max(4) as i32 * LETTER_QUARTERS + 3) / 4 + side;
        (width, self.lines.max(1) as i32 * LEADING + above)
    }
}

/// The words of all blocks, cut to what a picture can hold.
struct Words {
    text: Text,
    places: SideTable<Block, Place>,
}

impl Words {
    fn of(module: &Module, func: Func, body: &FuncBody, numbers: &mut Numbers) -> Words {
        let mut out = Linked::new(numbers);
        let mut places: SideTable<Block, Place> = SideTable::new();
        for block in body.blocks_in_order() {
            let first = out.lines.len();
            let mut cut = Cut { out: &mut out, lines: 0, letters: 0, longest: 0 };
            Printer::new(module, Options::default(), &mut cut).one_block(func, block);
            let (lines, letters) = cut.finish();
            places[block] = Place { first, lines, letters };
        }
        Words { text: out.finish(), places }
    }
}

/// Lets the first lines and letters of a block through.
struct Cut<'o, 'n> {
    out: &'o mut Linked<'n>,
    lines: usize,
    letters: usize,
    longest: usize,
}

impl Cut<'_, '_> {
    fn shows(&self) -> bool {
        self.lines <= MOST_LINES
    }

    /// Says how much is hidden; number of lines and letters of the longest.
    fn finish(self) -> (usize, usize) {
        let hidden = self.lines.saturating_sub(MOST_LINES);
        if hidden == 0 {
            return (self.lines, self.longest);
        }
        let note = format!("  … {hidden} more");
        self.out.open_line(0);
        self.out.put(Class::Note, &note, Link::None);
        self.out.close_line();
        (MOST_LINES + 1, self.longest.max(note.chars().count()))
    }
}

impl Sink for Cut<'_, '_> {
    fn put(&mut self, class: Class, text: &str, link: Link) {
        let room = MOST_LETTERS.saturating_sub(self.letters);
        if !self.shows() || room == 0 {
            return;
        }
        let count = text.chars().count();
        self.letters += count.min(room);
        self.longest = self.longest.max(self.letters);
        if count < room {
            return self.out.put(class, text, link);
        }
        let mut kept: String = text.chars().take(room - 1).collect();
        kept.push('…');
        self.out.put(class, &kept, link);
    }

    fn open_line(&mut self, depth: usize) {
        self.lines += 1;
        if self.shows() {
            // One level is enough: a block stands alone here.
            self.letters = if depth > 0 { 2 } else { 0 };
            self.out.open_line(depth.min(1));
        }
    }

    fn close_line(&mut self) {
        if self.shows() {
            self.out.close_line();
        }
    }
}

struct Drawing<'a> {
    body: &'a FuncBody,
    /// Its edges are those of the input, in the same order.
    cfg: &'a Cfg,
    input: &'a Input,
}

impl Drawing<'_> {
    /// Kind and label of a line.
    fn meaning(&self, line: &Line) -> (i32, String) {
        let only = (line.edges.len() == 1).then(|| line.edges.first()).flatten();
        let kind = only.and_then(|&at| self.input.edges.get(at as usize)).map(|edge| edge.kind);
        match kind {
            Some(EdgeKind::Then) => (1, "T".to_owned()),
            Some(EdgeKind::Else) => (2, "F".to_owned()),
            _ => {
                let values = case_label(self.body, self.cfg, line);
                (if values.is_empty() { 0 } else { 3 }, values)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::EntityId;
    use crate::text::parse;

    fn drawn(text: &str, previous: &mut Option<Positions>) -> Graph {
        let module = parse(text).module;
        draw(&module, Func::from_index(0), &mut Numbers::default(), None, previous)
    }

    #[test]
    fn a_branch_is_boxes_with_words_and_labelled_lines() {
        let text = "func @0(%0: b1) graph {\n^0:\n  branch %0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n}\n";
        let graph = drawn(text, &mut None);
        assert_eq!((graph.block_count(), graph.labels.len()), (3, 3));
        assert_eq!(graph.text.text, "^0:\n  branch %0, ^1, ^2\n^1:\n  goto ^2\n^2:\n  return\n");
        assert_eq!(&graph.labels[..2], ["T", "F"]);
        let lines: Vec<_> = graph.blocks.chunks(8).map(|block| (block[5], block[6], block[7])).collect();
        assert_eq!(lines, [(0, 2, 1), (2, 2, 0), (4, 2, 0)]);
    }

    #[test]
    fn long_blocks_and_lines_are_cut_and_say_so() {
        let many = "  %1: b32x4 = const (1.25, 2.25, 3.25, 4.25)\n".repeat(60);
        let many: String =
            (1..).zip(many.lines()).map(|(at, line)| line.replace("%1", &format!("%{at}")) + "\n").collect();
        let text = format!("func @0() graph {{\n^0:\n{many}  return\n}}\n");
        let graph = drawn(&text, &mut None);
        assert_eq!(graph.text.text.lines().count(), MOST_LINES + 1);
        assert!(graph.text.text.ends_with("  … 40 more\n"), "{}", graph.text.text);
        assert!(graph.text.text.lines().all(|line| line.chars().count() <= MOST_LETTERS));
    }

    #[test]
    fn where_blocks_were_is_kept_for_the_next_picture() {
        let text = "func @0() graph {\n^0:\n  return\n}\n";
        let mut previous = None;
        let first = drawn(text, &mut previous);
        assert!(previous.is_some());
        assert_eq!(drawn(text, &mut previous), first);
        assert_eq!(drawn("func @0();\n", &mut None), Graph::default());
    }
}
