//! Nests the pictures and joins the pieces of every line.
//!
//! Outer pictures first, so the position of the innermost one is a sum of origins.

use super::level::ItemKind;
use super::nest::{Nest, Thread};
use super::{Band, GroupKind, Input, Layout, Line, NONE, Point, Rect};
use vitrine_ir::base::{pair, sort_by_number};

/// Number of lines of a block from which on labels are at the far end, if there is room.
const FAR_LABELS: usize = 3;

/// The layout in global coordinates.
pub(super) fn assemble(input: &Input, nest: &Nest) -> Layout {
    let mut out = Layout {
        nodes: vec![None; input.nodes.len()],
        ranks: vec![None; input.nodes.len()],
        ..Layout::default()
    };
    let mut origins = vec![Point::default(); nest.levels.len()];
    if let Some(whole) = &nest.drawn[0] {
        let want = whole.want.map_or(Point::default(), |want| Point { x: want.x, y: want.y });
        origins[0] = want;
        out.extent = Rect { x: want.x, y: want.y, width: whole.width, height: whole.height };
    }
    let mut depth = vec![0u32; nest.levels.len()];
    for at in 0..nest.levels.len() {
        let Some(drawn) = &nest.drawn[at] else { continue };
        let origin = origins[at];
        for &(what, rect, rank) in &drawn.items {
            let rect = Rect { x: rect.x + origin.x, y: rect.y + origin.y, ..rect };
            match what {
                ItemKind::Block(node) => {
                    out.nodes[node as usize] = Some(rect);
                    out.ranks[node as usize] = Some((at as u32, rank));
                }
                ItemKind::Group(level) => {
                    origins[level as usize] = Point { x: rect.x, y: rect.y };
                    let band = input.groups[level as usize - 1].kind == GroupKind::Band;
                    depth[level as usize] = depth[at] + u32::from(band);
                    if band {
                        let depth = depth[level as usize];
                        let header = header(nest, level);
                        out.bands.push(Band { group: level - 1, rect, depth, header });
                    }
                }
                ItemKind::Entry(_) | ItemKind::Exit(_) | ItemKind::Dummy | ItemKind::Gone => {}
            }
        }
    }
    let mut lines_of = vec![0usize; input.nodes.len()];
    for thread in &nest.threads {
        lines_of[thread.from as usize] += 1;
    }
    let line = |thread: &Thread| line(nest, &origins, thread, lines_of[thread.from as usize] >= FAR_LABELS);
    out.lines = nest.threads.iter().map(line).collect();
    sort_by_number(&mut out.bands, |band| pair(band.depth, band.group));
    pin(input, &mut out);
    out
}

/// The node at which a group is entered.
fn header(nest: &Nest, level: u32) -> u32 {
    let mut level = level;
    if let Some(&entry) = nest.levels[level as usize].entries.first() {
        return entry;
    }
    // Not entered from anywhere: the header, or the first node.
    loop {
        let data = &nest.levels[level as usize];
        let first = data.header.unwrap_or(0);
        match data.items.get(first as usize).map(|item| item.what) {
            Some(ItemKind::Block(node)) => return node,
            Some(ItemKind::Group(inner)) if inner > level => level = inner,
            _ => return NONE,
        }
    }
}

fn line(nest: &Nest, origins: &[Point], thread: &Thread, far_label: bool) -> Line {
    let mut points: Vec<Point> = Vec::new();
    let mut back = false;
    let (mut level, mut edge) = (thread.home, thread.first);
    while let Some(drawn) = &nest.drawn[level as usize]
        && let Some(route) = drawn.routes.get(edge as usize)
    {
        let origin = origins[level as usize];
        for point in route {
            add(&mut points, Point { x: point.x + origin.x, y: point.y + origin.y });
        }
        back |= drawn.back[edge as usize];
        let data = &nest.levels[level as usize];
        let piece = &data.edges[edge as usize];
        (level, edge) = match data.items[piece.to as usize].what {
            ItemKind::Exit(exit) => (nest.parents[level as usize], data.exit_next[exit as usize]),
            ItemKind::Group(inner) => (inner, nest.levels[inner as usize].entry_edges[piece.input as usize]),
            ItemKind::Block(_) | ItemKind::Entry(_) | ItemKind::Dummy | ItemKind::Gone => break,
        };
    }
    let label = match (points.first(), points.last()) {
        (Some(_), Some(last)) if far_label => Point { x: last.x + 4, y: last.y - 8 },
        (Some(first), _) => Point { x: first.x + 4, y: first.y + 12 },
        (None, _) => Point::default(),
    };
    Line { edges: thread.edges.clone(), from: thread.from, to: thread.to, points, label, back }
}

/// Adds a point; a piece that continues in the same direction is merged.
fn add(points: &mut Vec<Point>, next: Point) {
    if points.last() == Some(&next) {
        return;
    }
    if let [.., before, last] = &points[..]
        && ((before.x == last.x && last.x == next.x) || (before.y == last.y && last.y == next.y))
    {
        points.pop();
    }
    points.push(next);
}

/// Moves everything so that the first pinned block is at its position.
fn pin(input: &Input, out: &mut Layout) {
    let place = |&(block, to): &(vitrine_ir::Block, Point)| {
        let at = input.nodes.iter().position(|node| node.block == block)?;
        Some((out.nodes.get(at).copied().flatten()?, to))
    };
    let Some((rect, to)) = input.pins.iter().find_map(place) else { return };
    let (right, down) = (to.x - rect.x, to.y - rect.y);
    let rects = out.nodes.iter_mut().flatten().chain(out.bands.iter_mut().map(|band| &mut band.rect));
    for rect in rects.chain([&mut out.extent]) {
        rect.x += right;
        rect.y += down;
    }
    for line in &mut out.lines {
        for point in line.points.iter_mut().chain([&mut line.label]) {
            point.x += right;
            point.y += down;
        }
    }
}
