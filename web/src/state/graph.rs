//! The control-flow graph for display: boxes, loops, edges, and the text of the boxes.
//!
//! The numbers come from another module (`view_model` of core): those that do not fit are ignored.

use vitrine_protocol::layout::{BlockEntry, EdgeEntry, EdgeKind, Fold, LoopEntry, block_flags, edges};
use vitrine_protocol::{GraphPicture, Table};

use crate::state::camera::{Rect, inside};
use crate::state::{Document, Link};

/// Height of a line of a box, and the space above the first one, in px.
const LEADING: i32 = 17;
const INSET: i32 = 7;

/// A graph with positions in px.
#[derive(Debug, Default)]
pub struct Graph {
    /// The bounding rectangle.
    pub extent: Rect,
    /// The box of the entry block; the first box if there is none.
    pub entry: Rect,
    /// Boxes.
    pub blocks: Vec<Block>,
    /// Loops, outer ones first.
    pub bands: Vec<Band>,
    /// Edges between boxes.
    pub lines: Vec<Line>,
    /// The text of all boxes, in order.
    pub words: Document,
    /// One line about each box, without its name.
    pub summaries: Vec<String>,
    /// The trip count of each loop in words; empty if it is unknown.
    pub trips: Vec<String>,
    /// Blocks that are folded into others: their id, and the id of the box.
    pub hidden: Vec<[u32; 2]>,
}

/// A box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// The id of the block.
    pub id: u32,
    /// Its rectangle.
    pub rect: Rect,
    /// The first of its lines in the text.
    pub first_line: usize,
    /// Number of its lines.
    pub lines: usize,
    /// True if it is the entry block.
    pub entry: bool,
    /// True if it is new in this version.
    pub added: bool,
    /// True if it differs from the version before.
    pub changed: bool,
    /// True if it is pinned.
    pub pinned: bool,
    /// True if it is pinned, but had to move because of another box.
    pub displaced: bool,
    /// True if it is long and shown in full.
    pub open: bool,
    /// The line with the number of hidden lines, or with the command that hides them again.
    pub cut: Option<usize>,
    /// The innermost loop that contains it, by index.
    pub band: Option<usize>,
    /// Number of its instructions.
    pub insts: u32,
    /// The construct that is folded into it.
    pub fold: Option<Fold>,
}

/// A loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// Its rectangle.
    pub rect: Rect,
    /// Its nesting depth, from 1.
    pub depth: i32,
    /// The id of its header.
    pub header: u32,
    /// The enclosing loop, by index.
    pub parent: Option<usize>,
}

/// An edge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its condition.
    pub kind: EdgeKind,
    /// True if it goes upward.
    pub back: bool,
    /// Ids of its source and its target.
    pub ends: [u32; 2],
    /// The position of the label.
    pub label_at: [i32; 2],
    /// The label.
    pub label: String,
    /// Its points, from box to box.
    pub points: Vec<[i32; 2]>,
}

impl Line {
    /// The bounding rectangle.
    pub fn extent(&self) -> Rect {
        let across = || self.points.iter().map(|point| point[0]);
        let down = || self.points.iter().map(|point| point[1]);
        let (x, y) = (across().min().unwrap_or(0), down().min().unwrap_or(0));
        [x, y, across().max().unwrap_or(0) - x, down().max().unwrap_or(0) - y]
    }
}

impl Graph {
    /// Creates a graph from one of the compiler.
    pub fn of(picture: GraphPicture) -> Graph {
        let loops = picture.loops.entries();
        let words = Document::of(picture.text);
        let block = |of: &BlockEntry| {
            let has = |flag: u32| of.flags & flag != 0;
            Block {
                id: of.id,
                rect: of.rect,
                first_line: of.first_line as usize,
                lines: of.lines as usize,
                entry: has(block_flags::ENTRY),
                added: has(block_flags::ADDED),
                changed: has(block_flags::CHANGED),
                pinned: has(block_flags::PINNED),
                displaced: has(block_flags::DISPLACED),
                open: has(block_flags::OPEN),
                cut: usize::try_from(of.cut).ok(),
                band: usize::try_from(of.innermost_loop).ok().filter(|at| *at < loops.len()),
                insts: of.insts,
                fold: of.fold(),
            }
        };
        let fits = |block: &Block| block.first_line.saturating_add(block.lines) <= words.line_count();
        let summaries = picture.summaries.into_iter().chain(std::iter::repeat(String::new()));
        let (blocks, summaries): (Vec<Block>, Vec<String>) = picture
            .blocks
            .entries()
            .iter()
            .map(block)
            .zip(summaries)
            .filter(|(block, _)| fits(block))
            .unzip();
        let mut trips = picture.trips;
        trips.resize(loops.len(), String::new());
        let entry = blocks.iter().find(|block| block.entry).or(blocks.first());
        Graph {
            extent: picture.extent,
            entry: entry.map_or([0; 4], |block| block.rect),
            blocks,
            summaries,
            bands: bands(loops),
            trips,
            lines: lines(&picture.edges, picture.labels),
            hidden: picture.hidden.entries().iter().map(|of| [of.block, of.shown_in]).collect(),
            words,
        }
    }

    /// The box at a position.
    pub fn block_at(&self, [x, y]: [i32; 2]) -> Option<u32> {
        self.blocks.iter().find(|block| inside([x, y, 0, 0], block.rect)).map(|block| block.id)
    }

    /// The name of a block, as its box spells it.
    pub fn name(&self, id: u32) -> &str {
        self.words.definition(id).map_or("", |span| self.words.text_of(span))
    }

    /// The name of a box, as its first lines spell it.
    pub fn name_of(&self, block: &Block) -> &str {
        let mut spans = (0..block.lines).flat_map(|row| self.words.spans_of_line(block.first_line + row));
        let own = spans.find(|span| self.words.span(*span).link == Link::Def(block.id));
        own.map_or("", |span| self.words.text_of(span))
    }

    /// The rectangle of the line of a box that defines a thing.
    pub fn line_rect(&self, block: &Block, thing: u32) -> Option<Rect> {
        let line = self.words.line_of(self.words.definition(thing)?);
        let row = line.checked_sub(block.first_line).filter(|row| *row < block.lines)?;
        Some([block.rect[0], block.rect[1] + INSET + row as i32 * LEADING, block.rect[2], LEADING])
    }

    /// The box of a block.
    pub fn block(&self, id: u32) -> Option<&Block> {
        self.blocks.iter().find(|block| block.id == id)
    }

    /// The box of a block, of a thing it defines, or of a block folded into it.
    pub fn block_of(&self, id: u32) -> Option<&Block> {
        let folded = || self.hidden.iter().find(|[block, _]| *block == id);
        let own = self.block(id).or_else(|| self.block(folded()?[1]));
        own.or_else(|| {
            let line = self.words.line_of(self.words.definition(id)?);
            self.blocks
                .iter()
                .find(|block| (block.first_line..block.first_line + block.lines).contains(&line))
        })
    }

    /// The neighbor of a box in a direction: along an edge, or the nearest box at the side.
    pub fn beside(&self, id: u32, arrow: Arrow) -> Option<u32> {
        let end = |from: usize, to: usize| {
            let lines = self.lines.iter().filter(move |line| line.ends[from] == id && line.ends[to] != id);
            lines.map(move |line| line.ends[to]).next()
        };
        let here = self.block(id)?.rect;
        let middle = |rect: Rect| 2 * rect[0] + rect[2];
        match arrow {
            Arrow::Down => end(0, 1),
            Arrow::Up => end(1, 0),
            Arrow::Left | Arrow::Right => {
                let sign = if arrow == Arrow::Left { -1 } else { 1 };
                let level = |rect: Rect| rect[1] < here[1] + here[3] && here[1] < rect[1] + rect[3];
                let beside =
                    |block: &&Block| (middle(block.rect) - middle(here)) * sign > 0 && level(block.rect);
                let found = self.blocks.iter().filter(beside);
                found.min_by_key(|block| (middle(block.rect) - middle(here)).abs()).map(|block| block.id)
            }
        }
    }
}

/// An arrow key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrow {
    /// To the first successor.
    Down,
    /// To the first predecessor.
    Up,
    /// To the neighbor on the left.
    Left,
    /// To the neighbor on the right.
    Right,
}

/// Loops, outer ones first; the last one that contains a loop is its parent.
fn bands(loops: &[LoopEntry]) -> Vec<Band> {
    let band = |of: &LoopEntry| Band { rect: of.rect, depth: of.depth, header: of.header, parent: None };
    let mut bands: Vec<Band> = loops.iter().map(band).collect();
    for at in 0..bands.len() {
        let Band { rect, depth, .. } = bands[at];
        let around = |up: &Band| up.depth + 1 == depth && inside(rect, up.rect);
        bands[at].parent = if depth > 1 { bands[..at].iter().position(around) } else { None };
    }
    bands
}

fn lines(table: &Table<[u32; 1]>, labels: Vec<String>) -> Vec<Line> {
    let line = |((edge, points), label): ((EdgeEntry, &[[i32; 2]]), String)| Line {
        kind: edge.kind(),
        back: edge.back != 0,
        ends: [edge.from, edge.to],
        label_at: edge.label_at,
        label,
        points: points.to_vec(),
    };
    edges(table).zip(labels).map(line).collect()
}

/// The block of a line of the IR: the last one that begins at or above it, unless a definition other than a
/// block begins in between.
pub fn block_of_line(document: &Document, classes: &[String], line: usize) -> Option<u32> {
    let class = classes.iter().position(|name| name == "block")? as u32;
    let ends = classes.iter().position(|name| name == "name").map(|name| name as u32);
    let above = (0..=line).rev().take(400);
    for line in above {
        for span in document.spans_of_line(line) {
            let span = document.span(span);
            match span.link {
                Link::Def(id) if span.class == class => return Some(id),
                Link::Def(_) if Some(span.class) == ends => return None,
                Link::Def(_) | Link::Use(_) | Link::None => {}
            }
        }
    }
    None
}

/// The thing that a line of a target's text is about, by id: what it defines, otherwise that of its first operator, otherwise
/// the first one.
pub fn thing_of_line(document: &Document, classes: &[String], line: usize) -> Option<u32> {
    let op = classes.iter().position(|name| name == "op").map(|op| op as u32);
    let rank = |&number: &usize| {
        let span = document.span(number);
        match span.link {
            Link::Def(_) => 0,
            Link::Use(_) if Some(span.class) == op => 1,
            Link::Use(_) => 2,
            Link::None => 3,
        }
    };
    document.span(document.spans_of_line(line).min_by_key(rank)?).link.id()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use vitrine_protocol::{StyledText, Utf8};

    fn styled(text: &str, spans: &[u32]) -> StyledText {
        let spans = Table::from_words(spans.to_vec());
        StyledText { text: Utf8(text.to_owned()), spans, ..StyledText::default() }
    }

    /// `^1`, then a loop of `^2` and `^3`, then `^4`.
    pub(crate) fn looped() -> Graph {
        let words =
            styled("^1\n^2\n^3\n^4\n", &[0, 2, 0, 1, 10, 3, 2, 0, 1, 11, 6, 2, 0, 1, 12, 9, 2, 0, 1, 13]);
        let block =
            |id: i32, y: i32, flags: i32, band: i32| [id, 20, y, 60, 20, id - 10, 1, flags, -1, band, 3, 0];
        let blocks = [block(10, 0, 1, -1), block(11, 50, 0, 0), block(12, 100, 0, 0), block(13, 150, 0, -1)];
        let line = |when: i32, back: i32, from: i32, to: i32| {
            [when, back, from, to, 0, 0, 2, 50, 20 + 50 * (from - 10), 50, 50 * (to - 10)]
        };
        let lines = [line(0, 0, 10, 11), line(1, 0, 11, 12), line(2, 0, 11, 13), line(0, 1, 12, 11)];
        let labels = ["", "T", "F", ""].map(str::to_owned).to_vec();
        Graph::of(GraphPicture {
            extent: [0, 0, 100, 170],
            blocks: Table::from_numbers(blocks.concat()),
            loops: Table::from_numbers(vec![0, 40, 100, 90, 1, 11]),
            edges: Table::from_numbers(lines.concat()),
            labels,
            text: words,
            summaries: ["2 instructions · load", "if %1", "store", "return"].map(str::to_owned).to_vec(),
            trips: vec!["trip count 4".to_owned()],
            hidden: Table::default(),
        })
    }

    fn sample() -> Graph {
        let words = styled("^0:\n  %1\n^1:\n^2:\n", &[0, 2, 0, 1, 10, 6, 2, 1, 1, 7, 9, 2, 0, 1, 11]);
        let blocks = [
            [10, 0, 0, 50, 40, 0, 2, 1, -1, 0, 1, 0],
            [11, 0, 80, 50, 20, 2, 1, 2 | 8, 0, 9, 1, 2],
            [12, 90, 80, 50, 20, 3, 1, 4 | 24, -1, -1, 1, 0],
            [9, 0, 0, 0, 0, 7, 9, 0, -1, -1, 0, 0],
        ]
        .concat();
        let lines = [1, 0, 10, 11, 5, 50, 2, 25, 40, 25, 80, 2, 1, 12, 10, 5, 50, 1, 3, 4];
        let labels = vec!["T".to_owned(), "F".to_owned(), "lost".to_owned()];
        Graph::of(GraphPicture {
            extent: [0, 0, 140, 100],
            blocks: Table::from_numbers(blocks),
            loops: Table::from_numbers(vec![0, 0, 140, 100, 1, 10]),
            edges: Table::from_numbers(lines.to_vec()),
            labels,
            text: words,
            summaries: Vec::new(),
            trips: Vec::new(),
            hidden: Table::from_numbers(vec![77, 11]),
        })
    }

    #[test]
    fn numbers_become_boxes_and_edges_and_invalid_ones_are_ignored() {
        let graph = sample();
        assert_eq!((graph.blocks.len(), graph.bands.len(), graph.lines.len()), (3, 1, 2));
        assert_eq!((graph.lines[0].kind, graph.lines[0].points.len()), (EdgeKind::True, 2));
        assert!(
            graph.lines[1].back && graph.blocks[0].entry && graph.blocks[1].added && graph.blocks[2].changed
        );
        assert_eq!(graph.lines[0].extent(), [25, 40, 0, 40]);
        let [first, second, third] = &graph.blocks[..] else { panic!() };
        assert_eq!(
            (first.band, second.band, second.cut, second.fold),
            (Some(0), None, Some(0), Some(Fold::Branch))
        );
        assert_eq!(
            [second.pinned, second.displaced, third.pinned, third.displaced],
            [true, false, true, true]
        );
        assert_eq!(graph.name(10), "^0");
        assert_eq!([graph.block_at([60, 10]), graph.block_at([95, 90])], [None, Some(12)]);
    }

    #[test]
    fn folded_blocks_belong_to_the_box() {
        let graph = sample();
        assert_eq!(graph.block_of(77).map(|block| block.id), Some(11));
        assert_eq!(graph.block_of(78), None);
    }

    #[test]
    fn a_thing_belongs_to_the_box_that_defines_it() {
        let graph = sample();
        assert_eq!(graph.block_of(7).map(|block| block.id), Some(10));
        assert_eq!(graph.block_of(11).map(|block| block.id), Some(11));
        assert_eq!(graph.block_of(99), None);
    }

    #[test]
    fn arrow_keys_follow_edges_and_move_to_neighbors() {
        let graph = sample();
        assert_eq!(graph.beside(10, Arrow::Down), Some(11));
        assert_eq!(graph.beside(11, Arrow::Up), Some(10));
        assert_eq!(graph.beside(11, Arrow::Right), Some(12));
        assert_eq!(graph.beside(12, Arrow::Left), Some(11));
        assert_eq!(graph.beside(11, Arrow::Left), None);
    }

    #[test]
    fn a_line_belongs_to_the_block_above_it() {
        let classes = ["value", "block", "name"].map(str::to_owned);
        let text = "@f\n^0\n  %1\n  x\n}\n@g\n";
        let words = [0, 2, 2, 1, 1, 3, 2, 1, 1, 2, 8, 2, 0, 1, 3, 17, 2, 2, 1, 4];
        let document = Document::new(text.to_owned(), &words);
        let of = |line| block_of_line(&document, &classes, line);
        assert_eq!([of(0), of(1), of(2), of(3), of(5)], [None, Some(2), Some(2), Some(2), None]);
    }
}
