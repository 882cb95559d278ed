//! Long edges: chains of dummy nodes, shared by all edges to one target, or by all lines of a bus.
//!
//! A chain has one dummy node in each rank that it passes. Segments join items of adjacent ranks; segments
//! that may share a horizontal piece are one net.

use super::NONE;
use super::level::{Level, LevelEdge};
use rustc_hash::FxHashMap;
use vitrine_ir::base::sort_by_number;

/// A vertical chain of dummy nodes.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    /// The first rank passed.
    pub(super) first: u32,
    /// The last rank passed.
    pub(super) last: u32,
    /// The item at the lower end; `None` for the chain of a bus, which has ends in many ranks.
    pub(super) target: Option<u32>,
    /// The dummy node in each rank.
    pub(super) items: Vec<u32>,
    /// The segments between them, in order; for a bus, the one into the first dummy node comes first,
    /// otherwise the one out of the last dummy node comes last.
    pub(super) segments: Vec<u32>,
}

/// A piece of an edge between adjacent ranks.
#[derive(Clone, Copy, Debug)]
pub(super) struct Segment {
    /// The channel it is in: that above this rank.
    pub(super) channel: u32,
    pub(super) from: u32,
    pub(super) out: u32,
    pub(super) to: u32,
    pub(super) input: u32,
    /// Segments with the same net share a horizontal track.
    pub(super) net: u32,
    /// Leaves the chain of a bus: the two ends do not attract each other.
    pub(super) branch: bool,
}

/// The course of an edge.
#[derive(Clone, Copy, Debug)]
pub(super) enum EdgeCourse {
    /// Not between two items of the picture, or a back edge.
    None,
    /// To the next rank.
    Direct(u32),
    /// A segment, then a chain from its dummy node in a rank.
    Into { segment: u32, chain: u32 },
    /// A chain from its first dummy node to the one in a rank, then a segment.
    OutOf { chain: u32, segment: u32 },
}

/// Chains and segments of a picture.
#[derive(Default)]
pub(super) struct LongEdges {
    pub(super) chains: Vec<Chain>,
    pub(super) segments: Vec<Segment>,
    /// The course of each edge.
    pub(super) courses: Vec<EdgeCourse>,
    /// Number of nets.
    pub(super) nets: u32,
    /// A bus and the targets of its chain: these are connected, however far the chain is to the side.
    pub(super) spread: Vec<(u32, u32)>,
    by_target: FxHashMap<(u32, u32), u32>,
    by_bus: FxHashMap<u32, u32>,
}

impl LongEdges {
    /// The chains that edges need.
    pub(super) fn of(level: &Level, rank: &[u32], back: &[bool], bus: &[bool]) -> LongEdges {
        let mut long_edges = LongEdges::default();
        for edge in ahead(level, back).map(|(_, edge)| edge) {
            let (from, to) = (rank[edge.from as usize], rank[edge.to as usize]);
            if to <= from + 1 {
                continue;
            }
            let fresh = long_edges.chains.len() as u32;
            let at = if bus[edge.from as usize] {
                *long_edges.by_bus.entry(edge.from).or_insert(fresh)
            } else {
                *long_edges.by_target.entry((edge.to, edge.input)).or_insert(fresh)
            };
            if at == fresh {
                let target = (!bus[edge.from as usize]).then_some(edge.to);
                let (items, segments) = (Vec::new(), Vec::new());
                long_edges.chains.push(Chain { first: from + 1, last: to - 1, target, items, segments });
            }
            let chain = &mut long_edges.chains[at as usize];
            chain.first = chain.first.min(from + 1);
            chain.last = chain.last.max(to - 1);
        }
        long_edges
    }

    /// The chain to a target.
    pub(super) fn chain_of(&self, to: u32, input: u32) -> Option<u32> {
        self.by_target.get(&(to, input)).copied()
    }

    /// The chain of a bus.
    pub(super) fn trunk_of(&self, from: u32) -> Option<u32> {
        self.by_bus.get(&from).copied()
    }

    /// Creates the segments, after dummy nodes were added as items.
    pub(super) fn link(&mut self, level: &Level, rank: &[u32], back: &[bool], bus: &[bool]) {
        self.courses = vec![EdgeCourse::None; level.edges.len()];
        let mut nets: FxHashMap<(u32, u32, u32), u32> = FxHashMap::default();
        for (at, edge) in ahead(level, back) {
            let (from, to) = (rank[edge.from as usize], rank[edge.to as usize]);
            let is_bus = bus[edge.from as usize];
            let key = if is_bus { (edge.from, NONE, to) } else { (edge.to, edge.input, to) };
            let mut segment = Segment {
                channel: to,
                from: edge.from,
                out: edge.out,
                to: edge.to,
                input: edge.input,
                net: 0,
                branch: false,
            };
            let trunk = is_bus.then(|| self.trunk_of(edge.from)).flatten();
            self.courses[at] = if to == from + 1 {
                EdgeCourse::Direct(self.segment(segment, key, &mut nets))
            } else if let Some(chain) = trunk {
                let data = &self.chains[chain as usize];
                segment.from = data.items[(to - 1 - data.first) as usize];
                (segment.out, segment.branch) = (0, true);
                self.spread.push((edge.from, edge.to));
                EdgeCourse::OutOf { chain, segment: self.segment(segment, key, &mut nets) }
            } else if let Some(chain) = self.chain_of(edge.to, edge.input) {
                let data = &self.chains[chain as usize];
                segment.to = data.items[(from + 1 - data.first) as usize];
                (segment.input, segment.channel) = (0, from + 1);
                let key = (edge.to, edge.input, from + 1);
                EdgeCourse::Into { segment: self.segment(segment, key, &mut nets), chain }
            } else {
                EdgeCourse::None
            };
        }
        for ((to, input), chain) in sorted(&self.by_target) {
            let long_edges: Vec<u32> = self.chains[chain].items.iter().copied().chain([to]).collect();
            for (pair, channel) in long_edges.windows(2).zip(self.chains[chain].first + 1..) {
                let input_of = if pair[1] == to { input } else { 0 };
                let segment = Segment {
                    channel,
                    from: pair[0],
                    out: 0,
                    to: pair[1],
                    input: input_of,
                    net: 0,
                    branch: false,
                };
                let made = self.segment(segment, (to, input, channel), &mut nets);
                self.chains[chain].segments.push(made);
            }
        }
        for (from, chain) in sorted(&self.by_bus) {
            let long_edges: Vec<u32> =
                [from].into_iter().chain(self.chains[chain].items.iter().copied()).collect();
            for (pair, channel) in long_edges.windows(2).zip(self.chains[chain].first..) {
                let segment =
                    Segment { channel, from: pair[0], out: 0, to: pair[1], input: 0, net: 0, branch: false };
                let made = self.segment(segment, (from, NONE, channel), &mut nets);
                self.chains[chain].segments.push(made);
            }
        }
        self.nets = nets.len() as u32;
    }

    fn segment(
        &mut self,
        mut segment: Segment,
        key: (u32, u32, u32),
        nets: &mut FxHashMap<(u32, u32, u32), u32>,
    ) -> u32 {
        let fresh = nets.len() as u32;
        segment.net = *nets.entry(key).or_insert(fresh);
        self.segments.push(segment);
        self.segments.len() as u32 - 1
    }
}

/// Forward edges between items, with their indices.
fn ahead<'a>(level: &'a Level, back: &'a [bool]) -> impl Iterator<Item = (usize, LevelEdge)> + 'a {
    let edges = level.edges.iter().copied().enumerate();
    edges.filter(|&(at, edge)| !back[at] && edge.from != NONE)
}

/// The entries of a map in order of their values: never in that of addresses or hashes.
fn sorted<K: Copy>(map: &FxHashMap<K, u32>) -> Vec<(K, usize)> {
    let mut all: Vec<(K, usize)> = map.iter().map(|(&key, &at)| (key, at as usize)).collect();
    sort_by_number(&mut all, |&(_, at)| at as u64);
    all
}
