//! Layout of control-flow graphs: positions of blocks and routes of edges.
//!
//! ```text
//! Input (sizes, edges, nest)  -> nest: one small acyclic picture per loop and per arm
//!                             -> ranks, columns, route: innermost pictures first
//!                             -> assemble: Layout (rectangles, bands, polylines)
//! ```
//!
//! A loop is a band: a rectangle that is laid out first and then placed in the enclosing picture as one box.
//! An arm that leads to one place only is also a group, without a frame, so that arms do not stretch each
//! other. So bands nest by construction, code after a loop is below it, and a line that leaves a group goes
//! through its bottom. Inside a picture, ranks are longest paths, an edge that passes a rank takes a dummy
//! node in it, and back edges run up at the side. Ranks and columns follow the order of the branches, which
//! keeps a picture stable; there is no crossing minimization.
//!
//! All coordinates are whole pixels: the same bytes on every machine. Independent of fonts, colors and the
//! screen, and without animation.
//!
//! Limits: pins never overlap anything: if the space between a pin and an earlier one is too small for what
//! must be there, the pin moves as little as possible. If the branches of two blocks require opposite orders,
//! only one of them is satisfied. A long edge takes a dummy node for each rank that it passes: many long
//! edges to many different targets are quadratic.

#![forbid(unsafe_code)]

mod of_func; // start here: the input of a function

mod nest; // groups, and the pieces of edges inside each
mod level; // one picture: its items and edges
mod ranks; // ranks, and the order in them
mod long_edges; // edges that pass ranks
mod columns; // horizontal positions
mod isotonic; // nearest positions with fixed order and distance
mod route; // heights, tracks, the points of each edge
mod tracks; // order of horizontal tracks
mod assemble; // one coordinate system for all

mod label; // labels of lines

pub use label::case_label;
pub use of_func::{groups_of, input_of};

use vitrine_analysis::EdgeKind;
use vitrine_ir::Block;
use vitrine_ir::base::SideTable;

/// No node, group or item.
pub(crate) const NONE: u32 = u32::MAX;

/// Maximum radius of rounded corners in px; less if a piece is shorter than two of them.
pub const CORNER: i32 = 6;

/// Maximum width and height of a block in px; larger ones are reduced.
pub const MAX_SIZE: i32 = 100_000;

/// A position in px; x to the right, y down.
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
    /// The right edge, exclusive.
    pub fn right(&self) -> i32 {
        self.x + self.width
    }

    /// The lower edge, exclusive.
    pub fn bottom(&self) -> i32 {
        self.y + self.height
    }

    /// Returns true if `other` is inside, edges included.
    pub fn contains(&self, other: &Rect) -> bool {
        self.x <= other.x
            && self.y <= other.y
            && other.right() <= self.right()
            && other.bottom() <= self.bottom()
    }

    /// Returns true if the two share more than an edge.
    pub fn overlaps(&self, other: &Rect) -> bool {
        self.x < other.right() && other.x < self.right() && self.y < other.bottom() && other.y < self.bottom()
    }
}

/// A block to place.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Node {
    /// The block of the box: the key of `previous` and `pins`.
    pub block: Block,
    /// Width in px; from 1 to [`MAX_SIZE`].
    pub width: i32,
    /// Height in px, likewise.
    pub height: i32,
    /// The innermost enclosing group, an index of [`Input::groups`].
    pub group: Option<u32>,
}

/// An edge between nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Source, an index of [`Input::nodes`].
    pub from: u32,
    /// Target, likewise.
    pub to: u32,
    /// The kind: arms of a switch with the same target are drawn as one line.
    pub kind: EdgeKind,
}

/// The kind of a group of blocks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum GroupKind {
    /// A loop: drawn as a band.
    Band,
    /// An arm: kept together without a frame.
    Arm,
}

/// Blocks that are drawn in a rectangle without any others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Group {
    /// The enclosing group: a smaller index.
    pub parent: Option<u32>,
    /// The kind.
    pub kind: GroupKind,
}

/// The input of a layout. Indices out of range are ignored.
#[derive(Clone, Debug, Default)]
pub struct Input {
    /// Blocks, in reverse post-order if there is one.
    pub nodes: Vec<Node>,
    /// Edges; those of a node in the order of its terminator. The first is drawn left.
    pub edges: Vec<Link>,
    /// Loops and arms, outer ones before inner ones.
    pub groups: Vec<Group>,
    /// The entry of the function.
    pub entry: Option<u32>,
    /// Sets of nodes, each drawn as one box: that of its first node, with that node's size.
    pub folds: Vec<Vec<u32>>,
    /// Fixed blocks, with their upper left corners. Blocks above a pin move up and blocks beside it move
    /// aside; if two pins leave no room for the blocks between them, the first one stays.
    pub pins: Vec<(Block, Point)>,
    /// Previous positions of blocks: upper left corners, see [`Layout::positions`].
    pub previous: Option<Positions>,
}

/// The upper left corners of the blocks of a picture, by block, and the vertical extents of its loops.
#[derive(Clone, Debug, Default)]
pub struct Positions {
    corners: SideTable<Block, Option<Point>>,
    /// Upper and lower edge of the loop with this header.
    frames: SideTable<Block, Option<[i32; 2]>>,
    /// Blocks that represented others too: their position changes when they no longer do.
    folded: SideTable<Block, bool>,
}

impl Positions {
    /// Adds missing positions from an older picture: those of folded blocks.
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
    /// The rectangle.
    pub rect: Rect,
    /// Nesting depth of the loop, from 1.
    pub depth: u32,
    /// The node at which it is entered, the first one if there are several.
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
    /// From the lower edge of one box to the upper edge of the other; pieces are alternately horizontal and
    /// vertical. Round the corners with up to [`CORNER`].
    pub points: Vec<Point>,
    /// The start of a label: a little to the right of the line, on the baseline of the text.
    pub label: Point,
    /// If set, it is a back edge and runs up.
    pub back: bool,
}

/// A layout. Coordinates start at 0 unless pins or previous positions require otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Layout {
    /// The rectangle of each node; `None` for a node that is folded into another.
    pub nodes: Vec<Option<Rect>>,
    /// Loops, outer ones first.
    pub bands: Vec<Band>,
    /// Lines in the order of their sources.
    pub lines: Vec<Line>,
    /// The rank of each node inside its picture, and the picture: nodes with the same pair are side by side.
    pub ranks: Vec<Option<(u32, u32)>>,
    /// The bounding box.
    pub extent: Rect,
}

impl Layout {
    /// The positions of the blocks of `input` here, as input of the next layout.
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

/// Lays out any graph. `O((V + E + long_edges) log)`; no recursion.
pub fn layout(input: &Input) -> Layout {
    let mut nest = nest::Nest::of(input);
    for group in (0..nest.levels.len()).rev() {
        let Some(level) = nest.levels.get_mut(group) else { continue };
        if level.items.is_empty() {
            continue;
        }
        let mut ranks = ranks::Ranks::of(level);
        columns::place(level, &ranks);
        let drawn = route::draw(level, &mut ranks);
        nest.close(group, drawn);
    }
    assemble::assemble(input, &nest)
}
