//! The control-flow graph as the page needs it: boxes, loops, lines, and the words in the boxes.
//!
//! The numbers come from another module (see `view_model::Graph` in core): what does not fit is left out.

use crate::state::camera::{Rect, inside};
use crate::state::{Document, Link};

/// A graph to draw; places in px.
#[derive(Debug, Default)]
pub struct Graph {
    /// Around everything.
    pub extent: Rect,
    /// Boxes.
    pub blocks: Vec<Block>,
    /// Loops, outer ones first.
    pub bands: Vec<Band>,
    /// Lines between boxes.
    pub lines: Vec<Line>,
    /// The words of all boxes, one after the other.
    pub words: Document,
    /// Blocks that are folded into others: their id and that of the box.
    pub hidden: Vec<[u32; 2]>,
}

/// A box.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Block {
    /// What it stands for: the id its links have.
    pub id: u32,
    /// Where it is.
    pub rect: Rect,
    /// Its first line in the words.
    pub first_line: usize,
    /// Number of its lines.
    pub lines: usize,
    /// Whether the function begins here.
    pub entry: bool,
    /// Whether it is new in this version.
    pub added: bool,
    /// Whether something in it is other than in the version before.
    pub changed: bool,
    /// Whether it stays where it is.
    pub pinned: bool,
    /// Whether it should, but something had no room.
    pub astray: bool,
    /// Whether it is shown whole though it is long.
    pub open: bool,
    /// The one of its lines that says how many are hidden, or hides them again.
    pub cut: Option<usize>,
    /// The innermost loop around it, by its place among the bands.
    pub band: Option<usize>,
    /// Instructions in it.
    pub insts: u32,
    /// What is folded into it.
    pub fold: Option<Fold>,
}

/// What a box stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// A loop.
    Loop,
    /// A branch with what it decides.
    Branch,
    /// Blocks that follow each other.
    Run,
}

/// A loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Band {
    /// Where it is.
    pub rect: Rect,
    /// Loops around it, itself counted.
    pub depth: i32,
    /// The id of its header.
    pub header: u32,
    /// The loop around it, by its place.
    pub parent: Option<usize>,
}

/// When a line is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// Always.
    Always,
    /// If the condition is true.
    True,
    /// If it is false.
    False,
    /// For some values of a switch.
    Case,
}

/// A line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// When it is taken.
    pub when: When,
    /// Whether it runs up.
    pub back: bool,
    /// Ids of the blocks it leaves and enters.
    pub ends: [u32; 2],
    /// Where the label begins.
    pub label_at: [i32; 2],
    /// What stands there.
    pub label: String,
    /// From one box to the other.
    pub points: Vec<[i32; 2]>,
}

impl Line {
    /// The rectangle around it.
    pub fn extent(&self) -> Rect {
        let across = || self.points.iter().map(|point| point[0]);
        let down = || self.points.iter().map(|point| point[1]);
        let (x, y) = (across().min().unwrap_or(0), down().min().unwrap_or(0));
        [x, y, across().max().unwrap_or(0) - x, down().max().unwrap_or(0) - y]
    }
}

impl Graph {
    /// A graph from flat numbers.
    pub fn new(
        extent: Rect,
        blocks: &[i32],
        bands: &[i32],
        lines: &[i32],
        labels: Vec<String>,
        words: Document,
    ) -> Graph {
        let block = |of: &[i32]| Block {
            id: of[0] as u32,
            rect: [of[1], of[2], of[3], of[4]],
            first_line: of[5].max(0) as usize,
            lines: of[6].max(0) as usize,
            entry: of[7] & 1 != 0,
            added: of[7] & 2 != 0,
            changed: of[7] & 4 != 0,
            pinned: of[7] & 8 != 0,
            astray: of[7] & 16 != 0,
            open: of[7] & 32 != 0,
            cut: usize::try_from(of[8]).ok(),
            band: usize::try_from(of[9]).ok().filter(|band| *band < bands.len() / 6),
            insts: of[10] as u32,
            fold: match of[11] {
                1 => Some(Fold::Loop),
                2 => Some(Fold::Branch),
                3 => Some(Fold::Run),
                _ => None,
            },
        };
        let fits = |block: &Block| block.first_line + block.lines <= words.line_count();
        Graph {
            extent,
            blocks: blocks.chunks_exact(12).map(block).filter(fits).collect(),
            bands: read_bands(bands),
            lines: read_lines(lines, labels),
            words,
            hidden: Vec::new(),
        }
    }

    /// The same with blocks that are folded into others: pairs of numbers.
    #[must_use]
    pub fn hiding(mut self, hidden: &[i32]) -> Graph {
        self.hidden = hidden.chunks_exact(2).map(|of| [of[0] as u32, of[1] as u32]).collect();
        self
    }

    /// The box at a place.
    pub fn block_at(&self, [x, y]: [i32; 2]) -> Option<u32> {
        self.blocks.iter().find(|block| inside([x, y, 0, 0], block.rect)).map(|block| block.id)
    }

    /// How the box of an id spells its name.
    pub fn name(&self, id: u32) -> &str {
        self.words.definition(id).map_or("", |span| self.words.text_of(span))
    }

    /// The box of an id.
    pub fn block(&self, id: u32) -> Option<&Block> {
        self.blocks.iter().find(|block| block.id == id)
    }

    /// The box in which a thing is made, or which it is, or into which it is folded.
    pub fn home(&self, id: u32) -> Option<&Block> {
        let folded = || self.hidden.iter().find(|[block, _]| *block == id);
        let own = self.block(id).or_else(|| self.block(folded()?[1]));
        own.or_else(|| {
            let line = self.words.line_of(self.words.definition(id)?);
            self.blocks
                .iter()
                .find(|block| (block.first_line..block.first_line + block.lines).contains(&line))
        })
    }

    /// The box to go to with an arrow key: along a line out or in, or to the nearest one at the side.
    pub fn beside(&self, id: u32, way: Way) -> Option<u32> {
        let end = |from: usize, to: usize| {
            let lines = self.lines.iter().filter(move |line| line.ends[from] == id && line.ends[to] != id);
            lines.map(move |line| line.ends[to]).next()
        };
        let here = self.block(id)?.rect;
        let middle = |rect: Rect| 2 * rect[0] + rect[2];
        match way {
            Way::Down => end(0, 1),
            Way::Up => end(1, 0),
            Way::Left | Way::Right => {
                let sign = if way == Way::Left { -1 } else { 1 };
                let level = |rect: Rect| rect[1] < here[1] + here[3] && here[1] < rect[1] + rect[3];
                let beside =
                    |block: &&Block| (middle(block.rect) - middle(here)) * sign > 0 && level(block.rect);
                let found = self.blocks.iter().filter(beside);
                found.min_by_key(|block| (middle(block.rect) - middle(here)).abs()).map(|block| block.id)
            }
        }
    }
}

/// Where an arrow key leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// To a successor, the first one.
    Down,
    /// To a predecessor.
    Up,
    /// To the neighbour on the left.
    Left,
    /// To the one on the right.
    Right,
}

/// Loops, outer ones first; the one around each is the last that holds it.
fn read_bands(words: &[i32]) -> Vec<Band> {
    let band = |of: &[i32]| Band {
        rect: [of[0], of[1], of[2], of[3]],
        depth: of[4],
        header: of[5] as u32,
        parent: None,
    };
    let mut bands: Vec<Band> = words.chunks_exact(6).map(band).collect();
    for at in 0..bands.len() {
        let Band { rect, depth, .. } = bands[at];
        let around = |up: &Band| up.depth + 1 == depth && inside(rect, up.rect);
        bands[at].parent = if depth > 1 { bands[..at].iter().position(around) } else { None };
    }
    bands
}

fn read_lines(words: &[i32], labels: Vec<String>) -> Vec<Line> {
    let mut out = Vec::new();
    let mut at = 0;
    for label in labels {
        let Some(head) = words.get(at..at + 7) else { break };
        let count = head[6].max(0) as usize;
        let Some(points) = words.get(at + 7..at + 7 + 2 * count) else { break };
        at += 7 + 2 * count;
        let when = match head[0] {
            1 => When::True,
            2 => When::False,
            3 => When::Case,
            _ => When::Always,
        };
        out.push(Line {
            when,
            back: head[1] != 0,
            ends: [head[2] as u32, head[3] as u32],
            label_at: [head[4], head[5]],
            label,
            points: points.chunks_exact(2).map(|point| [point[0], point[1]]).collect(),
        });
    }
    out
}

/// The block a line of the IR belongs to: the last one that begins at or above it, unless something that is
/// no block begins between.
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// `^1`, then a loop of `^2` and `^3`, then `^4`.
    pub(crate) fn looped() -> Graph {
        let words = Document::new(
            "^1\n^2\n^3\n^4\n".to_owned(),
            &[0, 2, 0, 1, 10, 3, 2, 0, 1, 11, 6, 2, 0, 1, 12, 9, 2, 0, 1, 13],
        );
        let block =
            |id: i32, y: i32, flags: i32, band: i32| [id, 20, y, 60, 20, id - 10, 1, flags, -1, band, 3, 0];
        let blocks = [block(10, 0, 1, -1), block(11, 50, 0, 0), block(12, 100, 0, 0), block(13, 150, 0, -1)];
        let line = |when: i32, back: i32, from: i32, to: i32| {
            [when, back, from, to, 0, 0, 2, 50, 20 + 50 * (from - 10), 50, 50 * (to - 10)]
        };
        let lines = [line(0, 0, 10, 11), line(1, 0, 11, 12), line(2, 0, 11, 13), line(0, 1, 12, 11)];
        let labels = ["", "T", "F", ""].map(str::to_owned).to_vec();
        Graph::new(
            [0, 0, 100, 170],
            &blocks.concat(),
            &[0, 40, 100, 90, 1, 11],
            &lines.concat(),
            labels,
            words,
        )
    }

    fn sample() -> Graph {
        let words = Document::new(
            "^0:\n  %1\n^1:\n^2:\n".to_owned(),
            &[0, 2, 0, 1, 10, 6, 2, 1, 1, 7, 9, 2, 0, 1, 11],
        );
        let blocks = [
            [10, 0, 0, 50, 40, 0, 2, 1, -1, 0, 1, 0],
            [11, 0, 80, 50, 20, 2, 1, 2 | 8, 0, 9, 1, 2],
            [12, 90, 80, 50, 20, 3, 1, 4 | 24, -1, -1, 1, 0],
            [9, 0, 0, 0, 0, 7, 9, 0, -1, -1, 0, 0],
        ]
        .concat();
        let lines = [1, 0, 10, 11, 5, 50, 2, 25, 40, 25, 80, 2, 1, 12, 10, 5, 50, 1, 3, 4];
        let labels = vec!["T".to_owned(), "F".to_owned(), "lost".to_owned()];
        Graph::new([0, 0, 140, 100], &blocks, &[0, 0, 140, 100, 1, 10], &lines, labels, words)
    }

    #[test]
    fn numbers_become_boxes_and_lines_and_what_does_not_fit_is_left_out() {
        let graph = sample();
        assert_eq!((graph.blocks.len(), graph.bands.len(), graph.lines.len()), (3, 1, 2));
        assert_eq!((graph.lines[0].when, graph.lines[0].points.len()), (When::True, 2));
        assert!(
            graph.lines[1].back && graph.blocks[0].entry && graph.blocks[1].added && graph.blocks[2].changed
        );
        assert_eq!(graph.lines[0].extent(), [25, 40, 0, 40]);
        let [first, second, third] = &graph.blocks[..] else { panic!() };
        assert_eq!(
            (first.band, second.band, second.cut, second.fold),
            (Some(0), None, Some(0), Some(Fold::Branch))
        );
        assert_eq!([second.pinned, second.astray, third.pinned, third.astray], [true, false, true, true]);
        assert_eq!(graph.name(10), "^0");
        assert_eq!([graph.block_at([60, 10]), graph.block_at([95, 90])], [None, Some(12)]);
    }

    #[test]
    fn what_is_folded_is_at_home_in_the_box() {
        let graph = sample().hiding(&[77, 11, 78]);
        assert_eq!(graph.home(77).map(|block| block.id), Some(11));
        assert_eq!(graph.home(78), None);
    }

    #[test]
    fn a_thing_is_at_home_in_the_box_that_makes_it() {
        let graph = sample();
        assert_eq!(graph.home(7).map(|block| block.id), Some(10));
        assert_eq!(graph.home(11).map(|block| block.id), Some(11));
        assert_eq!(graph.home(99), None);
    }

    #[test]
    fn arrows_go_along_lines_and_to_neighbours() {
        let graph = sample();
        assert_eq!(graph.beside(10, Way::Down), Some(11));
        assert_eq!(graph.beside(11, Way::Up), Some(10));
        assert_eq!(graph.beside(11, Way::Right), Some(12));
        assert_eq!(graph.beside(12, Way::Left), Some(11));
        assert_eq!(graph.beside(11, Way::Left), None);
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
