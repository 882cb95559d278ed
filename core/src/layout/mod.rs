//! Where the blocks of a control-flow graph go on screen, and how the lines between them run.
//!
//! ```text
//! Input (sizes, edges, nest)  -> nest: one small acyclic picture per loop and per arm
//!                             -> rows, columns, route: innermost pictures first
//!                             -> assemble: Layout (rectangles, bands, polylines)
//! ```
//!
//! A loop is a band: a rectangle of its own, drawn first, then placed in the picture around it as one box.
//! An arm that leads to one place only is a group too, without a frame, so that arms do not stretch each
//! other. So bands nest by construction, code after a loop is below it, and a line that leaves a group goes
//! through its bottom. Inside a picture rows are longest paths, lines that pass a row take a lane of their
//! own, and back edges run up at the side. Rows and columns follow the order of the branches, which is what
//! keeps a picture where it was; there is no search for fewer crossings.
//!
//! Everything is whole pixels: the same bytes on every machine. Nothing here knows fonts, colours or the
//! screen, and nothing is animated.
//!
//! Limits: pins never overlap anything: one that would, because what must be between it and an earlier pin has
//! grown, gives way by as little as it takes; two blocks whose branches want them in opposite orders cannot
//! both have it. Lanes cost a place per row they pass: many long edges to many
//! different targets are quadratic.

mod of_func; // start here: the input of a function

mod nest; // groups, and the pieces of edges inside each
mod level; // one picture: its items and edges
mod rows; // which row, in which order
mod long_edges; // edges that pass rows
mod columns; // where in the row
mod isotonic; // the nearest places that keep order and distance
mod route; // heights, tracks, the points of each edge
mod tracks; // which horizontal line is above which
mod assemble; // everything into one coordinate system

mod label; // what stands at lines

pub use label::case_label;
pub use of_func::{groups_of, input_of};

use crate::analysis::EdgeKind;
use crate::base::SideTable;
use crate::ir::Block;

/// No node, group or item.
pub(in crate::layout) const NONE: u32 = u32::MAX;

/// Corners may be rounded with up to this radius in px; less where a piece is shorter than two of them.
pub const CORNER: i32 = 6;

/// Largest width and height of a block in px that is taken at its word.
pub const MAX_SIZE: i32 = 100_000;

/// A place in px; x to the right, y down.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Point {
    /// To the right.
    pub x: i32,
    /// Down.
    pub y: i32,
}

/// A rectangle in px.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Rect {
    /// Left edge.
    pub x: i32,
    /// Upper edge.
    pub y: i32,
    /// Width.
    pub width: i32,
    /// Height.
    pub height: i32,
}

impl Rect {
    /// One past the right edge.
    pub fn right(&self) -> i32 {
        self.x + self.width
    }

    /// One past the lower edge.
    pub fn bottom(&self) -> i32 {
        self.y + self.height
    }

    /// Whether `other` is inside, edges included.
    pub fn contains(&self, other: &Rect) -> bool {
        self.x <= other.x
            && self.y <= other.y
            && other.right() <= self.right()
            && other.bottom() <= self.bottom()
    }

    /// Whether the two share more than an edge.
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }
}

/// A block to place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// Whose box it is: what `previous` and `pins` speak of.
    pub block: Block,
    /// Width in px; at least 1, at most [`MAX_SIZE`] are taken.
    pub width: i32,
    /// Height in px, likewise.
    pub height: i32,
    /// Innermost group it is in, an index of [`Input::groups`].
    pub group: Option<u32>,
}

/// An edge between nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Source, an index of [`Input::nodes`].
    pub from: u32,
    /// Target, likewise.
    pub to: u32,
    /// Why it is there: arms of a switch to one target are drawn as one line.
    pub kind: EdgeKind,
}

/// What a group of blocks is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupKind {
    /// A loop: drawn as a band.
    Band,
    /// Something to keep together without a frame.
    Arm,
}

/// Blocks that are drawn in one rectangle that holds nothing else.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// The group around it: an index below its own.
    pub parent: Option<u32>,
    /// Whether it has a frame.
    pub kind: GroupKind,
}

/// What to lay out. Indices that lead nowhere are ignored.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Blocks, in reverse post-order where there is one.
    pub nodes: Vec<Node>,
    /// Edges; those of a node in the order of its exit. The first is drawn left.
    pub edges: Vec<Link>,
    /// Loops and arms, outer ones before inner ones.
    pub groups: Vec<Group>,
    /// Where the function begins.
    pub entry: Option<u32>,
    /// Sets of nodes, each drawn as one box: that of its first node, with that node's size.
    pub folds: Vec<Vec<u32>>,
    /// Blocks that must stand where they are told: upper left corners. What is above them moves up and what is
    /// beside them moves aside; of two that have no room for what must be between them, the first one stays.
    pub pins: Vec<(Block, Point)>,
    /// Where blocks stood before: upper left corners, see [`Layout::positions`].
    pub previous: Option<Positions>,
}

/// Where a picture had its blocks, by block: upper left corners. And between what heights its loops were.
#[derive(Clone, Debug, Default)]
pub struct Positions {
    corners: SideTable<Block, Option<Point>>,
    /// Upper and lower edge of the loop a block heads.
    frames: SideTable<Block, Option<[i32; 2]>>,
    /// Blocks that stood for others too: they have another place when they stand for themselves.
    folded: SideTable<Block, bool>,
}

impl Positions {
    /// Takes what is not known here from an older picture: where folded blocks would stand.
    pub fn keep(&mut self, older: &Positions) {
        for (block, &at) in older.corners.iter() {
            if at.is_some() && (self.corners[block].is_none() || self.folded[block]) {
                self.corners[block] = at;
                self.folded[block] = older.folded[block];
            }
        }
        for (block, &frame) in older.frames.iter() {
            if frame.is_some() && self.frames[block].is_none() {
                self.frames[block] = frame;
            }
        }
    }
}

impl std::ops::Index<Block> for Positions {
    type Output = Option<Point>;

    fn index(&self, block: Block) -> &Option<Point> {
        &self.corners[block]
    }
}

/// A loop's rectangle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Band {
    /// Its index in [`Input::groups`].
    pub group: u32,
    /// Where it is.
    pub rect: Rect,
    /// Loops around it, itself counted.
    pub depth: u32,
    /// The node it is entered at, the first one if there are several.
    pub header: u32,
}

/// A line: one edge, or all edges of a switch to one target.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Indices of [`Input::edges`]; never empty.
    pub edges: Vec<u32>,
    /// The box it leaves, an index of [`Input::nodes`].
    pub from: u32,
    /// The box it enters, likewise.
    pub to: u32,
    /// From the lower edge of one box to the upper edge of the other; pieces are horizontal or vertical by
    /// turns. Round the corners with up to [`CORNER`].
    pub points: Vec<Point>,
    /// Where a label may begin: a little right of the line, on the base line of the text.
    pub label: Point,
    /// Whether it runs up.
    pub back: bool,
}

/// Where everything is. Coordinates begin at 0 unless pins or earlier positions say otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// Rectangle of each node; none for those that are folded into another.
    pub nodes: Vec<Option<Rect>>,
    /// Loops, outer ones first.
    pub bands: Vec<Band>,
    /// Lines in the order of their sources.
    pub lines: Vec<Line>,
    /// Row of each node inside its picture, and the picture: nodes with the same pair stand side by side.
    pub rows: Vec<Option<(u32, u32)>>,
    /// Around everything.
    pub extent: Rect,
}

impl Layout {
    /// Where the blocks of `input` stand here, to be kept in mind for the next picture.
    pub fn positions(&self, input: &Input) -> Positions {
        let mut out = Positions::default();
        for (node, rect) in input.nodes.iter().zip(&self.nodes) {
            out.corners[node.block] = rect.map(|rect| Point { x: rect.x, y: rect.y });
        }
        for first in input.folds.iter().filter_map(|members| input.nodes.get(*members.first()? as usize)) {
            out.folded[first.block] = true;
        }
        for band in &self.bands {
            if let Some(node) = input.nodes.get(band.header as usize) {
                out.frames[node.block] = Some([band.rect.y, band.rect.bottom()]);
            }
        }
        out
    }
}

/// Lays out a graph: any graph. `O((V + E + long_edges) log)`; no recursion.
pub fn layout(input: &Input) -> Layout {
    let mut nest = nest::Nest::of(input);
    for group in (0..nest.levels.len()).rev() {
        let Some(level) = nest.levels.get_mut(group) else { continue };
        if level.items.is_empty() {
            continue;
        }
        let mut rows = rows::Rows::of(level);
        columns::place(level, &rows);
        let drawn = route::draw(level, &mut rows);
        nest.close(group, drawn);
    }
    assemble::assemble(input, &nest)
}
