//! Labels of blocks at small zooms: name and summary in letters of one size on the screen.
//!
//! Places are decided in two rounds: first names, those of important blocks before all others, then as much of each summary as
//! has space beside its name. A label may leave its box into free space. No label overlaps another one, and none covers the box
//! of another block, except those of important blocks that have no other place: the chosen block and the matches, the
//! entry, the exits, headers of loops.

use crate::state::{Block, Camera, Graph, Rect};
use vitrine_core::base::sort_by_number;

/// Width of a letter in tenths of a px, as `#labels` in `www/style/graph.css`.
const LETTER_TENTHS: i32 = 67;
/// Height of a line in px, likewise.
pub const LABEL_LEADING: i32 = 13;
/// Space between a box and its label, in px.
const INSET: [i32; 2] = [4, 2];
/// Side of a cell of the map of free space, in px.
const CELL: i32 = 4;
/// The owner of cells below labels.
const LABELED: u32 = u32::MAX;

/// A label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The id of the block.
    pub block: u32,
    /// Left and top in the pane, in px.
    pub at: [i32; 2],
    /// The name, and lines about the block.
    pub lines: Vec<String>,
}

impl Label {
    /// Its rectangle in the pane.
    pub fn rect(&self) -> Rect {
        area(self.at, &self.lines)
    }
}

/// The labels of all blocks in the pane and half a pane around it; `first` are the most important blocks. Linear in the blocks
/// in view and the size of the pane.
pub fn labels(graph: &Graph, camera: &Camera, first: &[u32]) -> Vec<Label> {
    let [width, height] = camera.pane;
    let mut space = Space::of([-width / 2, -height / 2, 2 * width, 2 * height]);
    let screen = |[x, y, width, height]: Rect| {
        [camera.x + camera.px(x), camera.y + camera.px(y), camera.px(width).max(1), camera.px(height).max(1)]
    };
    let mut exits: Vec<u32> = graph.lines.iter().map(|line| line.ends[0]).collect();
    sort_by_number(&mut exits, |&id| id.into());
    let mut blocks = Vec::new();
    for (at, block) in graph.blocks.iter().enumerate() {
        let rect = screen(block.rect);
        if !space.take(rect, at as u32 + 1) {
            continue;
        }
        let head = graph.bands.iter().position(|band| band.header == block.id && block.fold.is_none());
        let rank = match block {
            block if first.contains(&block.id) => 0,
            block if block.entry => 1,
            block if exits.binary_search(&block.id).is_err() => 2,
            _ if head.is_some() => 3,
            _ => 4,
        };
        blocks.push((rank, at, rect, head));
    }
    sort_by_number(&mut blocks, |&(rank, at, ..)| rank << 32 | at as u64);
    let mut placed: Vec<Label> = Vec::new();
    // Labels that cover no other box get summaries.
    let mut extended: Vec<(usize, usize, Rect)> = Vec::new();
    for &(rank, at, rect, head) in &blocks {
        let block = &graph.blocks[at];
        let names = names(graph, block, head);
        let owner = at as u32 + 1;
        let free = names.iter().find_map(|name| space.free(rect, owner, vec![name.clone()]));
        if free.is_some() {
            extended.push((placed.len(), at, rect));
        }
        let mut forced = || names.iter().find_map(|name| space.anywhere(rect, name));
        let found = free.or_else(|| if rank < 4 { forced() } else { None });
        placed.extend(found.map(|(at, lines)| Label { block: block.id, at, lines }));
    }
    for (number, at, rect) in extended {
        space.extend(rect, at as u32 + 1, &mut placed[number], &graph.summaries[at]);
    }
    placed
}

/// The name of a block, the longest form first: that of a loop's header contains the trip count.
fn names(graph: &Graph, block: &Block, head: Option<usize>) -> Vec<String> {
    let name = graph.name_of(block).to_owned();
    let Some(head) = head else { return vec![name] };
    let short = [&name, " loop"].concat();
    let trips = graph.trips[head].as_str();
    if trips.is_empty() { vec![short, name] } else { vec![[&short, " · ", trips].concat(), short, name] }
}

fn area([x, y]: [i32; 2], lines: &[String]) -> Rect {
    let letters = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0) as i32;
    [x, y, (letters * LETTER_TENTHS + 9) / 10, lines.len() as i32 * LABEL_LEADING]
}

/// A map of free space: a cell is free, or below a box, or below a label.
struct Space {
    corner: [i32; 2],
    size: [i32; 2],
    cells: Vec<u32>,
}

impl Space {
    fn of([x, y, width, height]: Rect) -> Space {
        let size = [width / CELL + 1, height / CELL + 1];
        Space { corner: [x, y], size, cells: vec![0; (size[0] * size[1]) as usize] }
    }

    /// First and last column, first and last row of a rectangle; none if it is outside.
    fn cells_of(&self, [x, y, width, height]: Rect) -> Option<[i32; 4]> {
        let cell = |px: i32, axis: usize| (px - self.corner[axis]).div_euclid(CELL);
        let (left, right) = (cell(x, 0).max(0), cell(x + width - 1, 0).min(self.size[0] - 1));
        let (top, bottom) = (cell(y, 1).max(0), cell(y + height - 1, 1).min(self.size[1] - 1));
        (left <= right && top <= bottom).then_some([left, right, top, bottom])
    }

    /// Gives the cells of a rectangle to an owner. Returns false if it is outside.
    fn take(&mut self, rect: Rect, owner: u32) -> bool {
        let Some([left, right, top, bottom]) = self.cells_of(rect) else { return false };
        for row in top..=bottom {
            let start = row * self.size[0];
            self.cells[(start + left) as usize..=(start + right) as usize].fill(owner);
        }
        true
    }

    /// Returns true if all cells of a rectangle have an owner that is allowed.
    fn all(&self, rect: Rect, allowed: impl Fn(u32) -> bool) -> bool {
        let Some([left, right, top, bottom]) = self.cells_of(rect) else { return false };
        (top..=bottom).all(|row| {
            let start = row * self.size[0];
            self.cells[(start + left) as usize..=(start + right) as usize].iter().all(|owner| allowed(*owner))
        })
    }

    /// A place for lines at the upper left corner of a box or at its right side, on the box and in free space.
    fn free(&mut self, rect: Rect, owner: u32, lines: Vec<String>) -> Option<([i32; 2], Vec<String>)> {
        let [x, y, width, height] = rect;
        let slack = height - lines.len() as i32 * LABEL_LEADING;
        // In a box that is lower than its lines, they are centered.
        let inside = [x + INSET[0].min(width), y + slack.div_euclid(2).min(INSET[1])];
        let beside = [x + width + INSET[0], y + slack.div_euclid(2)];
        let is_free = |at: &[i32; 2]| self.all(area(*at, &lines), |cell| cell == 0 || cell == owner);
        let at = [inside, beside].into_iter().find(is_free)?;
        self.take(area(at, &lines), LABELED);
        Some((at, lines))
    }

    /// A place for a name beside or over a box, where no other label is.
    fn anywhere(&mut self, [x, y, width, height]: Rect, name: &str) -> Option<([i32; 2], Vec<String>)> {
        let lines = vec![name.to_owned()];
        let [_, _, across, down] = area([0, 0], &lines);
        let middle = y + (height - down) / 2;
        let places = [
            [x + width + INSET[0], middle],
            [x - across - INSET[0], middle],
            [x + INSET[0], middle],
            [x, y - down],
            [x, y + height],
        ];
        let at = places.into_iter().find(|at| self.all(area(*at, &lines), |cell| cell != LABELED))?;
        self.take(area(at, &lines), LABELED);
        Some((at, lines))
    }

    /// Adds as much of a summary to a label as has space: in lines of their own, in one line, beside the name.
    fn extend(&mut self, rect: Rect, owner: u32, label: &mut Label, summary: &str) {
        if summary.is_empty() {
            return;
        }
        self.take(label.rect(), owner);
        let name = label.lines[0].clone();
        let parts: Vec<&str> = summary.split(" · ").collect();
        for count in (1..=parts.len()).rev() {
            let parts = &parts[..count];
            let lines = |below: &[&str]| {
                std::iter::once(name.as_str()).chain(below.iter().copied()).map(str::to_owned).collect()
            };
            let line = parts.join(" · ");
            let beside = [&name, " · ", &line].concat();
            let tall = (count as i32 + 1) * LABEL_LEADING <= rect[3];
            let forms = [tall.then(|| lines(parts)), Some(lines(&[&line])), Some(vec![beside])];
            let found = forms.into_iter().flatten().find_map(|form| self.free(rect, owner, form));
            if let Some((at, lines)) = found {
                (label.at, label.lines) = (at, lines);
                return;
            }
        }
        self.take(label.rect(), LABELED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::state::graph::tests::looped;
    use crate::state::overlap;

    fn camera(zoom: i32) -> Camera {
        Camera { x: 100, y: 20, zoom, pane: [600, 500] }
    }

    /// A row of `count` boxes of this size, without edges, and with this space between them.
    fn row(count: i32, [width, height]: [i32; 2], space: i32) -> Graph {
        let mut graph = looped();
        let block = graph.blocks[2];
        graph.blocks =
            (0..count).map(|at| Block { rect: [at * (width + space), 0, width, height], ..block }).collect();
        graph.lines = vec![graph.lines[1].clone()];
        graph.lines[0].ends = [block.id; 2];
        graph.bands.clear();
        graph.summaries = vec!["12 instructions · load, fmul · if %9".to_owned(); count as usize];
        graph
    }

    fn no_overlaps(labels: &[Label]) {
        for (at, one) in labels.iter().enumerate() {
            for other in &labels[at + 1..] {
                let [x, y, width, height] = other.rect();
                assert!(!overlap(one.rect(), [x + 1, y + 1, width - 2, height - 2]), "{one:?} and {other:?}");
            }
        }
    }

    #[test]
    fn a_name_comes_first_and_the_summary_takes_the_space_that_is_left() {
        let lines = |graph: &Graph, zoom: i32| labels(graph, &camera(zoom), &[])[0].lines.clone();
        assert_eq!(lines(&row(1, [2000, 1000], 0), 2_000), ["^3", "12 instructions", "load, fmul", "if %9"]);
        assert_eq!(
            lines(&row(1, [200, 100], 0), 2_000),
            ["^3", "12 instructions · load, fmul · if %9"],
            "into free space"
        );
        assert_eq!(lines(&row(2, [600, 100], 100), 2_000), ["^3", "12 instructions"]);
        assert_eq!(lines(&row(2, [300, 100], 20), 2_000), ["^3"]);
    }

    #[test]
    fn boxes_without_space_have_no_label() {
        let all = labels(&row(40, [60, 100], 10), &camera(1_000), &[]);
        assert!(all.len() <= 1, "only the last one has space: {all:?}");
        let mut graph = row(2, [60, 100], 10);
        graph.blocks[1].rect[1] += 400;
        let all = labels(&graph, &camera(1_000), &[]);
        assert_eq!(
            all.iter().map(|label| label.at).collect::<Vec<_>>(),
            [[104, 12], [111, 52]],
            "two lines, centered on the box"
        );
    }

    #[test]
    fn the_entry_the_exits_and_loops_are_labeled_at_every_zoom_without_overlaps() {
        let graph = looped();
        for zoom in [3_000, 2_000, 1_500] {
            let all = labels(&graph, &camera(zoom), &[]);
            no_overlaps(&all);
            let of =
                |id: u32| all.iter().find(|label| label.block == id).map(|label| label.lines[0].as_str());
            for (id, name) in [(10, "^1"), (11, "^2"), (13, "^4")] {
                assert!(of(id).is_some_and(|line| line.starts_with(name)), "{zoom}: {all:?}");
            }
        }
        let all = labels(&graph, &camera(3_000), &[]);
        assert!(all.iter().any(|label| label.lines[0] == "^2 loop · trip count 4 · if %1"), "{all:?}");
    }

    #[test]
    fn labels_of_a_crowd_do_not_overlap() {
        let mut graph = row(60, [60, 30], 6);
        graph.lines.clear();
        let all = labels(&graph, &camera(1_200), &[]);
        assert!(all.len() > 3);
        no_overlaps(&all);
    }
}
