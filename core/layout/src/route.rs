//! Vertical positions, horizontal tracks and the points of every edge of one picture.
//!
//! Horizontal pieces are in channels between ranks, vertical ones above, below or beside boxes in their own
//! column, so a line touches only the boxes at its ends. Back edges go up outside of all columns.

use super::level::{ItemKind, Level, LevelEdge, Want};
use super::long_edges::{EdgeCourse, Segment};
use super::ranks::Ranks;
use super::tracks::{Net, assign};
use super::{NONE, Point, Rect};
use std::collections::BTreeMap;

/// Distance between two tracks, in px; also between the side tracks of two back edges.
const TRACK: i32 = 9;
const SIDE: i32 = 14;

/// Distance from a rank to the first track below it (a label fits), and from the last track to the rank below
/// it (an arrow head fits).
const ABOVE: i32 = 18;
const BELOW: i32 = 18;

/// The same three distances if ranks must keep their positions: narrow spacing is preferred to moving
/// anything.
const TIGHT: [i32; 3] = [2, 12, 9];

/// Distance between ranks without tracks.
const STRAIGHT: i32 = 34;

/// Distance from the last rank to the exits of a group.
const EXIT: i32 = 4;

/// Space inside the frame of a band: left and right, top, bottom.
const FRAME: [i32; 3] = [14, 24, 12];

/// A finished picture, in its own coordinates.
#[derive(Clone, Debug)]
pub(super) struct Drawn {
    pub(super) width: i32,
    pub(super) height: i32,
    pub(super) ins: Vec<i32>,
    pub(super) outs: Vec<i32>,
    /// Its previous position, if anything in it had one.
    pub(super) want: Option<Want>,
    /// Blocks and groups, with their ranks.
    pub(super) items: Vec<(ItemKind, Rect, u32)>,
    /// Points of each edge, from its source to its target.
    pub(super) routes: Vec<Vec<Point>>,
    pub(super) back: Vec<bool>,
}

/// Draws a level whose items have ranks and columns.
pub(super) fn draw(level: &mut Level, ranks: &mut Ranks) -> Drawn {
    let mut sides = Sides::of(level, ranks);
    let mut nets = vec![Net::new(); ranks.long_edges.nets as usize];
    let mut by_channel: Vec<Vec<u32>> = vec![Vec::new(); ranks.order.len() + 1];
    let mut seen = vec![false; nets.len()];
    for segment in &ranks.long_edges.segments {
        let (from, to) = ends(level, segment);
        nets[segment.net as usize].add(from, to);
        if !std::mem::replace(&mut seen[segment.net as usize], true) {
            by_channel[segment.channel as usize].push(segment.net);
        }
    }
    sides.add_nets(level, ranks, &mut nets, &mut by_channel);
    let tracks = assign_all(&mut nets, &by_channel);
    let heights = Heights::of(level, ranks, &tracks);
    let pen = Pen { level, ranks, nets: &nets, sides: &sides, heights: &heights, tracks: &tracks };
    pen.finish()
}

fn ends(level: &Level, segment: &Segment) -> (i32, i32) {
    (level.out_x(segment.from, segment.out), level.in_x(segment.to, segment.input))
}

fn assign_all(nets: &mut [Net], by_channel: &[Vec<u32>]) -> Vec<u32> {
    let mut tracks = Vec::with_capacity(by_channel.len());
    for channel in by_channel {
        let mut local: Vec<Net> = channel.iter().map(|&net| nets[net as usize]).collect();
        let mut order: Vec<&mut Net> = local.iter_mut().collect();
        tracks.push(assign(&mut order));
        for (&net, local) in channel.iter().zip(&local) {
            nets[net as usize].track = local.track;
        }
    }
    tracks
}

/// A track at the side, for all back edges to one target.
struct Side {
    left: bool,
    x: i32,
    /// The position of the target.
    end: i32,
    /// The net above the target.
    top: u32,
    /// The net below each rank that contains sources.
    below: BTreeMap<u32, u32>,
    sources: Vec<u32>,
}

/// Tracks at the sides of the picture.
struct Sides {
    all: BTreeMap<(u32, u32), Side>,
}

impl Sides {
    fn of(level: &Level, ranks: &Ranks) -> Sides {
        let mut all: BTreeMap<(u32, u32), Side> = BTreeMap::new();
        for (at, edge) in
            level.edges.iter().enumerate().filter(|&(at, edge)| ranks.back[at] && edge.from != NONE)
        {
            let side = all.entry((edge.to, edge.input)).or_insert_with(|| Side {
                left: true,
                x: 0,
                end: 0,
                top: NONE,
                below: BTreeMap::new(),
                sources: Vec::new(),
            });
            side.sources.push(at as u32);
        }
        let mut sides = Sides { all };
        sides.choose(level, ranks);
        sides
    }

    /// Chooses left or right, whichever has fewer crossings; short tracks are inside long ones.
    fn choose(&mut self, level: &Level, ranks: &Ranks) {
        if self.all.is_empty() {
            return;
        }
        let mut place = vec![0usize; level.items.len()];
        for rank in &ranks.order {
            for (at, &item) in rank.iter().enumerate() {
                place[item as usize] = at;
            }
        }
        let there = || ranks.order.iter().flatten().map(|&item| &level.items[item as usize]);
        let mut left = there().map(|item| item.x).min().unwrap_or(0);
        let mut right = there().map(|item| item.x + item.width).max().unwrap_or(0);
        let rank_of = |item: u32| ranks.rank[item as usize];
        let mut order: Vec<(u32, (u32, u32))> = Vec::new();
        for (&key, side) in &mut self.all {
            let mut balance = 0i64;
            for &at in &side.sources {
                let LevelEdge { from, out, .. } = level.edges[at as usize];
                let rank = &ranks.order[rank_of(from) as usize];
                let before = place[from as usize] as i64;
                let own = level.items[from as usize].outs.len() as i64 - 1;
                balance += 2 * before - (rank.len() as i64 - 1);
                balance += (2 * i64::from(out) - own).signum() * i64::from(own > 0);
            }
            let target = place[key.0 as usize] as i64;
            balance += 2 * target - (ranks.order[rank_of(key.0) as usize].len() as i64 - 1);
            side.left = balance <= 0;
            let lowest = side.sources.iter().map(|&at| rank_of(level.edges[at as usize].from)).max();
            order.push((lowest.unwrap_or(0) - rank_of(key.0), key));
        }
        order.sort_unstable();
        for (_, key) in order {
            let Some(side) = self.all.get_mut(&key) else { continue };
            let edge_of = if side.left { &mut left } else { &mut right };
            *edge_of += if side.left { -SIDE } else { SIDE };
            side.x = *edge_of;
            let item = &level.items[key.0 as usize];
            let middle = item.x + item.input(key.1);
            let apart = if matches!(item.what, ItemKind::Block(_)) { (item.width / 4).min(20) } else { 0 };
            side.end = middle + if side.left { -apart } else { apart };
        }
    }

    fn add_nets(&mut self, level: &Level, ranks: &Ranks, nets: &mut Vec<Net>, by_channel: &mut [Vec<u32>]) {
        let mut fresh = |channel: u32, nets: &mut Vec<Net>| {
            nets.push(Net::new());
            by_channel[channel as usize].push(nets.len() as u32 - 1);
            nets.len() as u32 - 1
        };
        for (key, side) in &mut self.all {
            side.top = fresh(ranks.rank[key.0 as usize], nets);
            nets[side.top as usize].add(side.x, side.end);
            nets[side.top as usize].low = true;
            for &at in &side.sources {
                let LevelEdge { from, out, .. } = level.edges[at as usize];
                let channel = ranks.rank[from as usize] + 1;
                let net = *side.below.entry(channel).or_insert_with(|| fresh(channel, nets));
                nets[net as usize].add(level.out_x(from, out), side.x);
            }
        }
    }
}

/// Vertical positions of ranks.
struct Heights {
    top: Vec<i32>,
    bottom: Vec<i32>,
    /// `y` of each item.
    y: Vec<i32>,
    /// Above the first rank: the distance between tracks, and from the last one to the rank.
    first: [i32; 2],
}

/// Strategies of stacking ranks.
#[derive(Clone, Copy, PartialEq)]
enum Stack {
    /// As if nothing had been drawn before.
    Fresh,
    /// Ranks keep their positions if possible.
    Keep,
    /// Ranks keep their positions, with minimum distances between ranks.
    Tight,
}

impl Heights {
    fn of(level: &Level, ranks: &Ranks, tracks: &[u32]) -> Heights {
        let first = [TRACK, BELOW];
        let mut heights =
            Heights { top: Vec::new(), bottom: Vec::new(), y: vec![0; level.items.len()], first };
        heights.stack(level, ranks, tracks, 0, Stack::Fresh);
        let wanted = |&&item: &&u32| level.items[item as usize].want.is_some();
        if let Some(&item) = ranks.order.iter().flatten().find(wanted)
            && let Some(want) = level.items[item as usize].want
        {
            let start = want.y - heights.y[item as usize];
            if !heights.stack(level, ranks, tracks, start, Stack::Keep) {
                heights.stack(level, ranks, tracks, start, Stack::Tight);
            }
            heights.keep_top(level, tracks);
        }
        heights
    }

    /// Stacks ranks from `start` down. Items that were lower before stay lower if `how` requires it; ranks
    /// above the first pinned one move up to make room. Returns true if every pin is kept.
    fn stack(&mut self, level: &Level, ranks: &Ranks, tracks: &[u32], start: i32, how: Stack) -> bool {
        self.top.clear();
        self.bottom.clear();
        let mut least = start;
        let (mut below_pin, mut kept) = (false, true);
        for (at, rank) in ranks.order.iter().enumerate() {
            let want = |&item: &u32| level.items[item as usize].want.filter(|_| how != Stack::Fresh);
            let wanted = rank.iter().filter_map(want).map(|want| want.y).min();
            // The exits are at the previous end of the frame.
            let frame =
                level.before.filter(|_| level.band && how != Stack::Fresh && at as u32 == ranks.inner_ranks);
            let wanted = wanted.or(frame.map(|[_, bottom]| bottom - FRAME[2]));
            let pinned = rank.iter().filter_map(want).filter(|want| want.pinned).map(|want| want.y).min();
            if at > 0 {
                let before_exits = at as u32 == ranks.inner_ranks;
                let boxes = rank.iter().any(|&item| !level.items[item as usize].is_line());
                let full = match (tracks[at], before_exits) {
                    // A rank of a folded part.
                    (0, false) if !boxes => 0,
                    (count, before_exits) => channel_height(count, before_exits),
                };
                let tight = tight_height(tracks[at], before_exits).min(full);
                let room = wanted.map_or(full, |y| (y - least).clamp(tight, full));
                least += if how == Stack::Tight { tight } else { room };
            }
            if let Some(y) = pinned.filter(|&y| y < least) {
                if below_pin {
                    kept = false;
                } else {
                    self.lift(ranks, at, least - y);
                    least = y;
                }
            }
            below_pin |= pinned.is_some();
            let top = wanted.filter(|_| frame.is_none()).map_or(least, |y| y.max(least));
            let mut bottom = top;
            for item in rank {
                let y = want(item).map_or(top, |want| want.y.max(top));
                self.y[*item as usize] = y;
                bottom = bottom.max(y + level.items[*item as usize].height);
            }
            self.top.push(top);
            self.bottom.push(bottom);
            least = bottom;
        }
        kept
    }

    /// Moves the ranks above one up.
    fn lift(&mut self, ranks: &Ranks, below: usize, by: i32) {
        for &item in ranks.order.iter().take(below).flatten() {
            self.y[item as usize] -= by;
        }
        for edge in self.top.iter_mut().chain(&mut self.bottom) {
            *edge -= by;
        }
    }

    /// Reduces the distances of the tracks above the first rank if the frame would otherwise start higher
    /// than before, because everything above it would have to move.
    fn keep_top(&mut self, level: &Level, tracks: &[u32]) {
        let (Some(&top), Some([before, _]), Some(&count @ 1..)) =
            (self.top.first(), level.before.filter(|_| level.band), tracks.first())
        else {
            return;
        };
        let room = top - before - FRAME[1] - EXIT;
        let lines = count as i32 - 1;
        let step = if lines > 0 { ((room - BELOW) / lines).clamp(TIGHT[0], TRACK) } else { TRACK };
        self.first = [step, (room - lines * step).clamp(TIGHT[2], BELOW)];
    }

    /// `y` of a track in the channel above rank `channel`.
    fn track(&self, channel: u32, track: u32, count: u32) -> i32 {
        match channel.checked_sub(1).and_then(|rank| self.bottom.get(rank as usize)) {
            Some(bottom) => {
                let room = self.top.get(channel as usize).map_or(i32::MAX, |top| top - bottom);
                let lines = count.saturating_sub(1) as i32;
                let step = if lines > 0 { ((room - ABOVE - EXIT) / lines).clamp(TIGHT[0], TRACK) } else { 0 };
                let above = (room - lines * step - EXIT).clamp(TIGHT[1], ABOVE);
                bottom + above + track as i32 * step
            }
            None => {
                let [step, below] = self.first;
                let top = self.top.first().copied().unwrap_or(0);
                top - below - (count.saturating_sub(track + 1)) as i32 * step
            }
        }
    }
}

/// Height of a channel with minimum distances between tracks.
fn tight_height(tracks: u32, before_exits: bool) -> i32 {
    let [step, above, below] = TIGHT;
    above + tracks.saturating_sub(1) as i32 * step + if before_exits { EXIT } else { below }
}

/// Height of a channel that is not the first.
fn channel_height(tracks: u32, before_exits: bool) -> i32 {
    let lines = (tracks.saturating_sub(1)) as i32 * TRACK;
    match (tracks, before_exits) {
        (0, true) => EXIT,
        (0, false) => STRAIGHT,
        (_, true) => ABOVE + lines + EXIT,
        (_, false) => ABOVE + lines + BELOW,
    }
}

/// The data needed to compute points.
struct Pen<'a> {
    level: &'a Level,
    ranks: &'a Ranks,
    nets: &'a [Net],
    sides: &'a Sides,
    heights: &'a Heights,
    tracks: &'a [u32],
}

impl Pen<'_> {
    fn finish(&self) -> Drawn {
        let frame = self.frame();
        let bends: Vec<Vec<(u32, [Point; 2])>> =
            self.ranks.long_edges.chains.iter().map(|chain| self.bends(&chain.segments)).collect();
        let mut routes: Vec<Vec<Point>> =
            (0..self.level.edges.len()).map(|at| self.route(at, &bends, &frame)).collect();
        for point in routes.iter_mut().flatten() {
            point.x -= frame.x;
            point.y -= frame.y;
        }
        let rect = |item: u32| {
            let data = &self.level.items[item as usize];
            let (x, y) = (data.x - frame.x, self.heights.y[item as usize] - frame.y);
            let rect = Rect { x, y, width: data.width, height: data.height };
            (data.what, rect, self.ranks.rank[item as usize])
        };
        let boxes =
            self.ranks.order.iter().flatten().filter(|&&item| !self.level.items[item as usize].is_line());
        let mut wants = self.level.items.iter().filter_map(|item| item.want);
        let any = wants.next();
        let pinned = any.is_some_and(|want| want.pinned) || wants.any(|want| want.pinned);
        let entry = |&at: &u32| {
            let edge = &self.level.edges[at as usize];
            let x = if edge.from == NONE {
                self.level.in_x(edge.to, edge.input)
            } else {
                self.level.out_x(edge.from, 0)
            };
            x - frame.x
        };
        let mut ins: Vec<i32> = self.level.entry_edges.iter().map(entry).collect();
        if let Some(header) = self.level.header.filter(|_| ins.is_empty()) {
            ins.push(self.level.in_x(header, 0) - frame.x);
        }
        Drawn {
            width: frame.width,
            height: frame.height,
            ins,
            outs: self.level.exit_items.iter().map(|&item| self.level.in_x(item, 0) - frame.x).collect(),
            want: any.map(|_| Want { x: frame.x, y: frame.y, pinned }),
            items: boxes.map(|&item| rect(item)).collect(),
            routes,
            back: self.ranks.back.clone(),
        }
    }

    /// The outline of the picture.
    fn frame(&self) -> Rect {
        let items = || self.ranks.order.iter().flatten().map(|&item| &self.level.items[item as usize]);
        let long_edges = || self.sides.all.values().map(|side| side.x);
        let mut left = items().map(|item| item.x).chain(long_edges()).min().unwrap_or(0);
        let mut right =
            items().map(|item| item.x + item.width).chain(long_edges().map(|x| x + 1)).max().unwrap_or(0);
        let mut top = self.heights.top.first().copied().unwrap_or(0);
        let mut bottom = self.heights.bottom.last().copied().unwrap_or(0);
        if let Some(&count @ 1..) = self.tracks.first() {
            top = self.heights.track(0, 0, count) - EXIT;
        }
        if let Some(&count @ 1..) = self.tracks.last() {
            bottom += channel_height(count, true);
        }
        if self.level.band {
            let [side, above, below] = FRAME;
            (left, right, top, bottom) = (left - side, right + side, top - above, bottom + below);
        }
        Rect { x: left, y: top, width: right - left, height: bottom - top }
    }

    /// The horizontal piece of a segment, if it has one.
    fn bend(&self, segment: &Segment) -> Option<[Point; 2]> {
        let (from, to) = ends(self.level, segment);
        if from == to {
            return None;
        }
        let y = self.net_y(segment.net, segment.channel);
        Some([Point { x: from, y }, Point { x: to, y }])
    }

    fn net_y(&self, net: u32, channel: u32) -> i32 {
        let track = self.nets[net as usize].track.unwrap_or(0);
        self.heights.track(channel, track, self.tracks[channel as usize])
    }

    fn bends(&self, segments: &[u32]) -> Vec<(u32, [Point; 2])> {
        let all = segments.iter().map(|&at| &self.ranks.long_edges.segments[at as usize]);
        all.filter_map(|segment| Some((segment.channel, self.bend(segment)?))).collect()
    }

    fn route(&self, at: usize, bends: &[Vec<(u32, [Point; 2])>], frame: &Rect) -> Vec<Point> {
        let edge = &self.level.edges[at];
        let end = match self.level.items[edge.to as usize].what {
            ItemKind::Exit(_) => frame.bottom(),
            ItemKind::Block(_)
            | ItemKind::Group(_)
            | ItemKind::Entry(_)
            | ItemKind::Dummy
            | ItemKind::Gone => self.heights.y[edge.to as usize],
        };
        let end = Point { x: self.level.in_x(edge.to, edge.input), y: end };
        if edge.from == NONE {
            return vec![Point { x: end.x, y: frame.y }, end];
        }
        let from = &self.level.items[edge.from as usize];
        let start = match from.what {
            ItemKind::Entry(_) => frame.y,
            ItemKind::Block(_)
            | ItemKind::Group(_)
            | ItemKind::Exit(_)
            | ItemKind::Dummy
            | ItemKind::Gone => self.heights.y[edge.from as usize] + from.height,
        };
        let mut points = vec![Point { x: self.level.out_x(edge.from, edge.out), y: start }];
        let segment = |at: u32| &self.ranks.long_edges.segments[at as usize];
        match self.ranks.long_edges.courses[at] {
            EdgeCourse::Direct(only) => points.extend(self.bend(segment(only)).into_iter().flatten()),
            EdgeCourse::Into { segment: first, chain } => {
                points.extend(self.bend(segment(first)).into_iter().flatten());
                let chain = &bends[chain as usize];
                let from = chain.partition_point(|&(channel, _)| channel <= segment(first).channel);
                points.extend(chain[from..].iter().flat_map(|&(_, bend)| bend));
            }
            EdgeCourse::OutOf { chain, segment: last } => {
                let chain = &bends[chain as usize];
                let to = chain.partition_point(|&(channel, _)| channel < segment(last).channel);
                points.extend(chain[..to].iter().flat_map(|&(_, bend)| bend));
                points.extend(self.bend(segment(last)).into_iter().flatten());
            }
            EdgeCourse::None => return self.route_back(edge, points, end.y),
        }
        points.push(end);
        points
    }

    fn route_back(&self, edge: &LevelEdge, mut points: Vec<Point>, end: i32) -> Vec<Point> {
        let Some(side) = self.sides.all.get(&(edge.to, edge.input)) else { return points };
        let channel = self.ranks.rank[edge.from as usize] + 1;
        let Some(&below) = side.below.get(&channel) else { return points };
        let low = self.net_y(below, channel);
        let high = self.net_y(side.top, self.ranks.rank[edge.to as usize]);
        let x = points[0].x;
        points.extend(
            [(x, low), (side.x, low), (side.x, high), (side.end, high), (side.end, end)]
                .map(|(x, y)| Point { x, y }),
        );
        points
    }
}
