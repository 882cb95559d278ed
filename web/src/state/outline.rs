//! The graph as a tree: blocks in order, loops around their blocks, the outgoing edges of a block below it.
//!
//! For screen readers and keys. No DOM: the rows, the active row, the effects of keys. A row is identified by its
//! content, so that it survives another layout.

use crate::state::{EdgeKind, Graph};
use vitrine_core::base::sort_by_number;

/// The content of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Row {
    /// A loop, by its header.
    Loop(u32),
    /// A block.
    Block(u32),
    /// An outgoing edge of a block, by its index among them.
    Edge(u32, usize),
}

/// A row with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// The content.
    pub row: Row,
    /// Its depth, from 1.
    pub level: usize,
    /// Its position among its siblings, from 1, and their number.
    pub place: [usize; 2],
    /// True if its children are shown; none if it has no children.
    pub open: Option<bool>,
}

/// The open rows, and the active one.
#[derive(Debug, Default)]
pub struct Outline {
    /// Headers of closed loops: all others are open.
    pub closed: Vec<u32>,
    /// Blocks whose edges are shown: those of all others are not.
    pub open: Vec<u32>,
    /// The active row; the first one if it does not exist.
    pub active: Option<Row>,
}

/// A key in the tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TreeStep {
    /// To the row below.
    Next,
    /// To the row above.
    Previous,
    /// Opens the row, or moves to its first child.
    In,
    /// Closes the row, or moves to its parent.
    Out,
    /// To the first row.
    First,
    /// To the last row.
    Last,
    /// Activates the row: chooses its block, or follows its edge.
    Take,
}

/// The visible rows, in order. Linear in the number of rows, times the depth of loops.
pub fn rows(graph: &Graph, outline: &Outline) -> Vec<Item> {
    // The rows directly in each loop; the last list has those outside all loops.
    let outside = graph.bands.len();
    let mut inside: Vec<Vec<Row>> = vec![Vec::new(); outside + 1];
    let mut begun = vec![false; outside];
    for block in &graph.blocks {
        let mut at = block.band.unwrap_or(outside);
        if let Some(list) = inside.get_mut(at) {
            list.push(Row::Block(block.id));
        }
        // Loops whose header is this block come before it.
        while at < outside && !std::mem::replace(&mut begun[at], true) {
            let up = graph.bands[at].parent.unwrap_or(outside);
            inside[up].push(Row::Loop(graph.bands[at].header));
            at = up;
        }
    }
    let mut edges: Vec<(u32, usize)> = Vec::new();
    for line in &graph.lines {
        match edges.last_mut().filter(|(from, _)| *from == line.ends[0]) {
            Some((_, count)) => *count += 1,
            None => edges.push((line.ends[0], 1)),
        }
    }
    sort_by_number(&mut edges, |&(from, _)| from.into());
    let lines_of = |id: u32| edges.binary_search_by_key(&id, |(from, _)| *from).map_or(0, |at| edges[at].1);
    let mut out = Vec::new();
    let mut stack = vec![(outside, 0)];
    while let Some((list, next)) = stack.last_mut() {
        let (list, at) = (*list, *next);
        *next += 1;
        let Some(&row) = inside.get(list).and_then(|rows| rows.get(at)) else {
            stack.pop();
            continue;
        };
        let (level, place) = (stack.len(), [at + 1, inside[list].len()]);
        match row {
            Row::Loop(header) => {
                let open = !outline.closed.contains(&header);
                out.push(Item { row, level, place, open: Some(open) });
                let band = graph.bands.iter().position(|band| band.header == header);
                if let Some(band) = band.filter(|_| open) {
                    stack.push((band, 0));
                }
            }
            Row::Block(id) => {
                let count = lines_of(id);
                let open = outline.open.contains(&id);
                out.push(Item { row, level, place, open: (count > 0).then_some(open) });
                let edge = |at| Item {
                    row: Row::Edge(id, at),
                    level: level + 1,
                    place: [at + 1, count],
                    open: None,
                };
                out.extend((0..count).filter(|_| open).map(edge));
            }
            Row::Edge(..) => {}
        }
    }
    out
}

impl Outline {
    /// The index of the active row.
    pub fn at(&self, rows: &[Item]) -> usize {
        rows.iter().position(|item| Some(item.row) == self.active).unwrap_or(0)
    }

    /// Handles a key. Returns the block that it chooses, if any.
    pub fn step(&mut self, graph: &Graph, step: TreeStep) -> Option<u32> {
        let rows = rows(graph, self);
        let at = self.at(&rows);
        let item = *rows.get(at)?;
        let to = match (step, item.open) {
            (TreeStep::Next, _) => at + 1,
            (TreeStep::Previous, _) => at.saturating_sub(1),
            (TreeStep::First, _) => 0,
            (TreeStep::Last, _) => rows.len() - 1,
            (TreeStep::In, Some(false)) | (TreeStep::Out, Some(true)) => {
                self.turn(item.row);
                at
            }
            (TreeStep::In, Some(true)) => at + 1,
            (TreeStep::In, None) => at,
            (TreeStep::Out, _) => rows[..at].iter().rposition(|above| above.level < item.level).unwrap_or(at),
            (TreeStep::Take, _) => {
                let Row::Edge(from, nth) = item.row else { return self.choose(item.row) };
                let target = graph.lines.iter().filter(|line| line.ends[0] == from).nth(nth)?.ends[1];
                self.active = Some(Row::Block(target));
                return Some(target);
            }
        };
        self.active = rows.get(to).or(Some(&item)).map(|item| item.row);
        self.choose(self.active?)
    }

    fn choose(&self, row: Row) -> Option<u32> {
        match row {
            Row::Loop(id) | Row::Block(id) => Some(id),
            Row::Edge(..) => None,
        }
    }

    fn turn(&mut self, row: Row) {
        let (list, id) = match row {
            Row::Loop(id) => (&mut self.closed, id),
            Row::Block(id) => (&mut self.open, id),
            Row::Edge(..) => return,
        };
        match list.iter().position(|known| *known == id) {
            Some(at) => drop(list.remove(at)),
            None => list.push(id),
        }
    }
}

/// The label of a row.
pub fn row_label(graph: &Graph, row: Row) -> String {
    let mut out = String::new();
    match row {
        Row::Loop(header) => {
            out.push_str("Loop ");
            out.push_str(graph.name(header));
            if let Some(at) = graph.bands.iter().position(|band| band.header == header) {
                out.push_str(", depth ");
                out.push_str(&graph.bands[at].depth.to_string());
            }
        }
        Row::Block(id) => {
            let Some(block) = graph.block(id) else { return out };
            out.push_str("Block ");
            if block.fold.is_some() {
                // The box lists the contents of the fold.
                for line in block.first_line..block.first_line + block.lines {
                    out.push_str(if line > block.first_line { ", " } else { "" });
                    graph.words.pieces(line).iter().for_each(|piece| out.push_str(piece.text));
                }
                out.push_str(", folded");
            } else {
                out.push_str(graph.name(id));
                out.push_str(", ");
                out.push_str(&block.insts.to_string());
                out.push_str(if block.insts == 1 { " instruction" } else { " instructions" });
            }
            let marks = [
                (block.entry, ", entry"),
                (block.pinned, ", pinned"),
                (block.added, ", new in this step"),
                (block.changed, ", changed in this step"),
            ];
            marks.iter().filter(|(is, _)| *is).for_each(|(_, word)| out.push_str(word));
        }
        Row::Edge(from, nth) => {
            let Some(line) = graph.lines.iter().filter(|line| line.ends[0] == from).nth(nth) else {
                return out;
            };
            out.push_str(match line.kind {
                EdgeKind::Always => "",
                EdgeKind::True => "true ",
                EdgeKind::False => "false ",
                EdgeKind::Case => "case ",
            });
            if line.kind == EdgeKind::Case {
                out.push_str(&line.label);
                out.push(' ');
            }
            out.push_str(if line.back { "back edge to block " } else { "to block " });
            out.push_str(graph.name(line.ends[1]));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::graph::tests::looped;

    fn kinds(rows: &[Item]) -> Vec<(Row, usize)> {
        rows.iter().map(|item| (item.row, item.level)).collect()
    }

    #[test]
    fn loops_contain_their_blocks_and_blocks_their_edges() {
        let graph = looped();
        let mut outline = Outline::default();
        let all = rows(&graph, &outline);
        assert_eq!(
            kinds(&all),
            [
                (Row::Block(10), 1),
                (Row::Loop(11), 1),
                (Row::Block(11), 2),
                (Row::Block(12), 2),
                (Row::Block(13), 1),
            ]
        );
        assert_eq!((all[3].place, all[1].open, all[4].open), ([2, 2], Some(true), None));
        outline.open.push(12);
        assert_eq!(rows(&graph, &outline)[4].row, Row::Edge(12, 0));
        assert_eq!(row_label(&graph, Row::Edge(12, 0)), "back edge to block ^2");
        assert_eq!(row_label(&graph, Row::Edge(11, 1)), "false to block ^4");
        assert_eq!(row_label(&graph, Row::Loop(11)), "Loop ^2, depth 1");
        assert_eq!(row_label(&graph, Row::Block(10)), "Block ^1, 3 instructions, entry");
    }

    #[test]
    fn keys_walk_open_and_close() {
        let graph = looped();
        let mut outline = Outline::default();
        assert_eq!(outline.step(&graph, TreeStep::Next), Some(11), "the loop's header");
        assert_eq!(outline.active, Some(Row::Loop(11)));
        outline.step(&graph, TreeStep::Out);
        assert_eq!(outline.closed, [11]);
        assert_eq!(rows(&graph, &outline).len(), 3);
        outline.step(&graph, TreeStep::In);
        assert_eq!(outline.step(&graph, TreeStep::In), Some(11));
        assert_eq!(outline.active, Some(Row::Block(11)));
        outline.step(&graph, TreeStep::In);
        assert_eq!(outline.step(&graph, TreeStep::In), None, "a line chooses nothing");
        assert_eq!(outline.active, Some(Row::Edge(11, 0)));
        assert_eq!(outline.step(&graph, TreeStep::Take), Some(12), "but moves to its target");
        outline.step(&graph, TreeStep::Out);
        assert_eq!(outline.active, Some(Row::Loop(11)));
        outline.step(&graph, TreeStep::Last);
        assert_eq!(outline.active, Some(Row::Block(13)));
        outline.step(&graph, TreeStep::Next);
        assert_eq!(outline.active, Some(Row::Block(13)), "there is nothing below");
        outline.step(&graph, TreeStep::First);
        assert_eq!(outline.active, Some(Row::Block(10)));
    }
}
