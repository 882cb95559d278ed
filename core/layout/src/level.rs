//! One picture: the items of a group and the edges between them.
//!
//! Data only: the other files compute positions, in coordinates of the picture.

use super::NONE;

/// The object that an item represents.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ItemKind {
    /// A node of the input.
    Block(u32),
    /// An inner group, by its level.
    Group(u32),
    /// An entry of the group, if there is more than one.
    Entry(u32),
    /// An exit of the group: one for each target.
    Exit(u32),
    /// An edge passing a row.
    Dummy,
    /// Nothing: an entry that turned out to be the only one.
    Gone,
}

/// Something with a place in a row.
#[derive(Clone, Debug)]
pub(super) struct Item {
    pub(super) what: ItemKind,
    pub(super) width: i32,
    pub(super) height: i32,
    /// Positions of incoming edges at the top, as distances from the left edge.
    pub(super) ins: Vec<i32>,
    /// Positions of outgoing edges at the bottom, likewise.
    pub(super) outs: Vec<i32>,
    /// The previous position, or the pin.
    pub(super) want: Option<Want>,
    /// If it represents several blocks.
    pub(super) folded: Folded,
    /// Number of ranks it represents: as many as the folded blocks took, so that the others keep their ranks.
    pub(super) ranks: u32,
    /// The left edge, once it has a position.
    pub(super) x: i32,
}

/// The blocks folded into an item.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Folded {
    /// None.
    No,
    /// Several blocks: lines are in no particular order.
    Many,
    /// Several blocks, one of which has a bus.
    Bus,
}

/// A previous position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Want {
    pub(super) x: i32,
    pub(super) y: i32,
    pub(super) pinned: bool,
}

impl Item {
    pub(super) fn new(what: ItemKind, width: i32, height: i32) -> Item {
        let (ins, outs) = (Vec::new(), Vec::new());
        Item { what, width, height, ins, outs, want: None, folded: Folded::No, ranks: 1, x: 0 }
    }

    /// The position of an incoming edge, from the left edge.
    pub(super) fn input(&self, at: u32) -> i32 {
        self.ins.get(at as usize).copied().unwrap_or(self.width / 2)
    }

    /// The position of an outgoing edge, from the left edge.
    pub(super) fn output(&self, at: u32) -> i32 {
        self.outs.get(at as usize).copied().unwrap_or(self.width / 2)
    }

    /// The position at which it is pinned.
    pub(super) fn pinned(&self) -> Option<Want> {
        self.want.filter(|want| want.pinned)
    }

    /// The vertical axis of the item.
    pub(super) fn axis(&self) -> i32 {
        self.input(0)
    }

    /// Returns true for a line, false for a box.
    pub(super) fn is_line(&self) -> bool {
        match self.what {
            ItemKind::Block(_) | ItemKind::Group(_) => false,
            ItemKind::Entry(_) | ItemKind::Exit(_) | ItemKind::Dummy | ItemKind::Gone => true,
        }
    }
}

/// A piece of an edge inside one picture.
#[derive(Clone, Copy, Debug)]
pub(super) struct LevelEdge {
    /// Source item; `NONE` for the entry, if there is only one.
    pub(super) from: u32,
    pub(super) out: u32,
    pub(super) to: u32,
    pub(super) input: u32,
}

/// A group's picture.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    pub(super) items: Vec<Item>,
    pub(super) edges: Vec<LevelEdge>,
    /// If set, it has a frame.
    pub(super) band: bool,
    /// The node that each entry leads to.
    pub(super) entries: Vec<u32>,
    /// The edge from each entry.
    pub(super) entry_edges: Vec<u32>,
    /// The item of each exit.
    pub(super) exit_items: Vec<u32>,
    /// The edge in the enclosing picture that continues from each exit.
    pub(super) exit_next: Vec<u32>,
    /// The item at which edges enter, if there is only one.
    pub(super) header: Option<u32>,
    /// Upper and lower edge of its frame in the previous picture.
    pub(super) before: Option<[i32; 2]>,
}

impl Level {
    pub(super) fn add_item(&mut self, item: Item) -> u32 {
        self.items.push(item);
        self.items.len() as u32 - 1
    }

    pub(super) fn add_edge(&mut self, edge: LevelEdge) -> u32 {
        self.edges.push(edge);
        self.edges.len() as u32 - 1
    }

    /// The position at which an edge leaves its source, in the picture.
    pub(super) fn out_x(&self, item: u32, out: u32) -> i32 {
        self.items.get(item as usize).map_or(0, |item| item.x + item.output(out))
    }

    /// The position at which an edge enters its target.
    pub(super) fn in_x(&self, item: u32, input: u32) -> i32 {
        self.items.get(item as usize).map_or(0, |item| item.x + item.input(input))
    }
}

/// Rows of numbers in one allocation.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    start: Vec<u32>,
    to: Vec<u32>,
}

impl Lists {
    /// From pairs of row and entry; a row keeps the order of its pairs. Pairs with rows out of range are
    /// ignored.
    pub(super) fn new(rows: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Lists {
        let inside = pairs.filter(|&(row, _)| row != NONE && (row as usize) < rows);
        let mut start = vec![0u32; rows + 1];
        for (row, _) in inside.clone() {
            start[row as usize + 1] += 1;
        }
        for at in 1..start.len() {
            start[at] += start[at - 1];
        }
        let mut to = vec![0; start[rows] as usize];
        let mut cursor = start.clone();
        for (row, entry) in inside {
            to[cursor[row as usize] as usize] = entry;
            cursor[row as usize] += 1;
        }
        Lists { start, to }
    }

    /// Entries of a row.
    pub(super) fn row(&self, row: u32) -> &[u32] {
        &self.to[self.start[row as usize] as usize..self.start[row as usize + 1] as usize]
    }

    /// Entries of a row, mutable.
    pub(super) fn row_mut(&mut self, row: u32) -> &mut [u32] {
        &mut self.to[self.start[row as usize] as usize..self.start[row as usize + 1] as usize]
    }
}
