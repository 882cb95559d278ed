//! Invariants of every layout, checked by brute force on its data.

use std::collections::BTreeMap;
use vitrine_core::layout::{GroupKind, Input, Layout, Line, Point, Rect};

/// The first violated invariant of a layout, as text.
pub(crate) fn fault(input: &Input, out: &Layout) -> Option<String> {
    let boxes = Boxes::of(out);
    overlaps(out, &boxes)
        .or_else(|| lines(input, out, &boxes))
        .or_else(|| bands(input, out))
        .or_else(|| loop_exits(input, out))
        .or_else(|| first_left(input, out))
}

/// Boxes by upper edge, to find those near a position.
struct Boxes {
    /// Node and rectangle by bucket of `y`.
    by_y: BTreeMap<i32, Vec<(u32, Rect)>>,
}

const BUCKET: i32 = 256;

impl Boxes {
    fn of(out: &Layout) -> Boxes {
        let mut by_y: BTreeMap<i32, Vec<(u32, Rect)>> = BTreeMap::new();
        for (node, rect) in (0..).zip(&out.nodes) {
            if let Some(rect) = rect {
                for bucket in rect.y.div_euclid(BUCKET)..=rect.bottom().div_euclid(BUCKET) {
                    by_y.entry(bucket).or_default().push((node, *rect));
                }
            }
        }
        for bucket in by_y.values_mut() {
            bucket.sort_by_key(|(_, rect)| rect.x);
        }
        Boxes { by_y }
    }

    /// Boxes that overlap a rectangle by more than an edge.
    fn hit<'a>(&'a self, by: &'a Rect) -> impl Iterator<Item = u32> + 'a {
        let buckets = by.y.div_euclid(BUCKET)..=by.bottom().div_euclid(BUCKET);
        let near = self
            .by_y
            .range(buckets)
            .flat_map(|(_, bucket)| bucket.iter().take_while(|(_, rect)| rect.x < by.right()));
        near.filter(|(_, rect)| rect.overlaps(by)).map(|&(node, _)| node)
    }
}

fn overlaps(out: &Layout, boxes: &Boxes) -> Option<String> {
    for (node, rect) in (0..).zip(&out.nodes) {
        let Some(rect) = rect else { continue };
        if let Some(other) = boxes.hit(rect).find(|&other| other != node) {
            return Some(format!(
                "boxes {node} and {other} overlap: {rect:?} {:?}",
                out.nodes[other as usize]
            ));
        }
        if !out.extent.contains(rect) {
            return Some(format!("box {node} is outside the layout: {rect:?} {:?}", out.extent));
        }
    }
    None
}

fn lines(input: &Input, out: &Layout, boxes: &Boxes) -> Option<String> {
    let mut drawn = vec![0; input.edges.len()];
    for line in &out.lines {
        line.edges.iter().for_each(|&edge| drawn[edge as usize] += 1);
        if let Some(fault) = line_fault(out, line, boxes) {
            return Some(format!("line {} to {}: {fault}: {:?}", line.from, line.to, line.points));
        }
    }
    let hidden = |edge: usize| {
        out.nodes[input.edges[edge].from as usize].is_none()
            || out.nodes[input.edges[edge].to as usize].is_none()
    };
    let lost = (0..drawn.len()).find(|&edge| drawn[edge] != 1 && input.folds.is_empty() && !hidden(edge));
    lost.map(|edge| format!("edge {edge} is drawn {} times", drawn[edge]))
}

fn line_fault(out: &Layout, line: &Line, boxes: &Boxes) -> Option<String> {
    let (Some(from), Some(to)) = (out.nodes[line.from as usize], out.nodes[line.to as usize]) else {
        return Some("an endpoint is not drawn".to_owned());
    };
    let (Some(first), Some(last)) = (line.points.first(), line.points.last()) else {
        return Some("no points".to_owned());
    };
    if first.y != from.bottom() || first.x < from.x || first.x > from.right() {
        return Some("does not begin at the lower edge of its source".to_owned());
    }
    if last.y != to.y || last.x < to.x || last.x > to.right() {
        return Some("does not end at the upper edge of its target".to_owned());
    }
    for pair in line.points.windows(2) {
        let [a, b] = [pair[0], pair[1]];
        if (a.x != b.x) == (a.y != b.y) {
            return Some(format!("the segment from {a:?} to {b:?} is slanted or empty"));
        }
        let piece = thin(a, b);
        if let Some(node) = boxes.hit(&piece).next() {
            return Some(format!("passes through box {node}, {:?}", out.nodes[node as usize]));
        }
        if !out.extent.contains(&Rect {
            width: piece.width.max(1) - 1,
            height: piece.height.max(1) - 1,
            ..piece
        }) {
            return Some(format!("leaves the layout, {:?}", out.extent));
        }
    }
    let up = line.points.windows(2).any(|pair| pair[1].y < pair[0].y);
    (up != line.back).then(|| format!("runs up: {up}, but is marked {}", line.back))
}

/// A segment as a rectangle one pixel wide, without its endpoints.
fn thin(a: Point, b: Point) -> Rect {
    let (x, y) = (a.x.min(b.x), a.y.min(b.y));
    Rect { x, y, width: (a.x - b.x).abs().max(1), height: (a.y - b.y).abs().max(1) }
}

/// `true` if the group of a node is this one or inside it.
fn inside(input: &Input, node: usize, group: u32) -> bool {
    let mut at = input.nodes[node].group;
    while let Some(inner) = at {
        if inner == group {
            return true;
        }
        at = input.groups[inner as usize].parent;
    }
    false
}

fn bands(input: &Input, out: &Layout) -> Option<String> {
    for band in &out.bands {
        if input.groups[band.group as usize].kind != GroupKind::Band {
            return Some(format!("group {} is not a band", band.group));
        }
        for (node, rect) in out.nodes.iter().enumerate() {
            let Some(rect) = rect else { continue };
            // A folded box may be outside the band.
            if input.folds.iter().flatten().any(|&at| at as usize == node) {
                continue;
            }
            let belongs = inside(input, node, band.group);
            if belongs && !band.rect.contains(rect) {
                return Some(format!("box {node} sticks out of band {}", band.group));
            }
            if !belongs && band.rect.overlaps(rect) {
                return Some(format!("box {node} is in band {} but not in its loop", band.group));
            }
        }
    }
    for (at, a) in out.bands.iter().enumerate() {
        for b in &out.bands[at + 1..] {
            let nested = a.rect.contains(&b.rect) || b.rect.contains(&a.rect);
            if a.rect.overlaps(&b.rect) && !nested {
                return Some(format!("bands {} and {} cross", a.group, b.group));
            }
        }
    }
    None
}

/// Code after a loop is below it: this holds for the target of every line that leaves a band downwards.
fn loop_exits(input: &Input, out: &Layout) -> Option<String> {
    for line in out.lines.iter().filter(|line| !line.back) {
        for band in &out.bands {
            if input.folds.iter().flatten().any(|&at| at == line.from || at == line.to) {
                continue;
            }
            let leaves =
                inside(input, line.from as usize, band.group) && !inside(input, line.to as usize, band.group);
            let Some(to) = out.nodes[line.to as usize].filter(|_| leaves) else { continue };
            if to.y < band.rect.bottom() {
                return Some(format!("box {} follows band {} but is not below it", line.to, band.group));
            }
        }
    }
    None
}

/// If both targets of a branch are side by side below it, and have no other predecessors, the first is on the left.
fn first_left(input: &Input, out: &Layout) -> Option<String> {
    let mut predecessors = vec![0; input.nodes.len()];
    for line in out.lines.iter().filter(|line| !line.back) {
        predecessors[line.to as usize] += 1;
    }
    let mut degree = vec![0; input.nodes.len()];
    for line in &out.lines {
        degree[line.from as usize] += 1;
    }
    for pair in out.lines.windows(2).filter(|pair| pair[0].from == pair[1].from && pair[0].to != pair[1].to) {
        let [a, b] = [pair[0].to as usize, pair[1].to as usize];
        if input.folds.iter().any(|members| members.first() == Some(&pair[0].from)) {
            continue;
        }
        let free = (predecessors[a] == 1 || predecessors[b] == 1) && degree[pair[0].from as usize] == 2;
        // Both are below the branch.
        let below =
            out.ranks[a].map(|(level, _)| level) == out.ranks[pair[0].from as usize].map(|(level, _)| level);
        if free && below && out.ranks[a] == out.ranks[b] && !pair[0].back && !pair[1].back {
            let (Some(left), Some(right)) = (out.nodes[a], out.nodes[b]) else { continue };
            if left.x > right.x {
                return Some(format!("box {a} should be left of box {b}"));
            }
        }
    }
    None
}
