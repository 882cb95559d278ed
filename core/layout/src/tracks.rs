//! Vertical order of horizontal lines in the channel between two ranks.
//!
//! Lines to the right and lines to the left each nest so that they do not cross lines of the same direction;
//! a line is as high as the lines above it allow.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use vitrine_ir::base::{pair, signed, sort_by_number};

/// Distance between two lines side by side on one track, in px.
const APART: i32 = 6;

/// Maximum number of lines in a channel that are ordered; more are only kept apart.
const ORDERED: usize = 600;

/// All segments that share one horizontal line.
#[derive(Clone, Copy, Debug)]
pub(super) struct Net {
    pub(super) left: i32,
    pub(super) right: i32,
    /// Sums of the positions of its starts and ends, with their number.
    pub(super) from: (i64, i64),
    pub(super) to: (i64, i64),
    /// Continues up at a side: stays near the rank of its end.
    pub(super) low: bool,
    /// From 0 at the top; `None` for a line without a bend.
    pub(super) track: Option<u32>,
}

impl Net {
    pub(super) fn new() -> Net {
        Net { left: i32::MAX, right: i32::MIN, from: (0, 0), to: (0, 0), low: false, track: None }
    }

    /// Adds a line from one column to another.
    pub(super) fn add(&mut self, from: i32, to: i32) {
        self.left = self.left.min(from).min(to);
        self.right = self.right.max(from).max(to);
        self.from = (self.from.0 + i64::from(from), self.from.1 + 1);
        self.to = (self.to.0 + i64::from(to), self.to.1 + 1);
    }

    fn start(&self) -> i64 {
        self.from.0 / self.from.1.max(1)
    }

    fn end(&self) -> i64 {
        self.to.0 / self.to.1.max(1)
    }

    fn bends(&self) -> bool {
        self.left < self.right
    }
}

/// Assigns a track to every net that bends. Returns the number of tracks.
pub(super) fn assign(nets: &mut [&mut Net]) -> u32 {
    sort_by_number(nets, |net| pair(signed(net.left), signed(net.right)));
    let leftward = |net: &Net| net.end() < net.start();
    let order = |net: &Net| if leftward(net) { net.start() } else { -net.start() };
    sort_by_number(nets, |net| order(net).cast_unsigned() ^ 1 << 63);
    sort_by_number(nets, |net| u64::from(net.low) * 2 + u64::from(leftward(net)));
    let mut bent: Vec<&mut &mut Net> = nets.iter_mut().filter(|net| net.bends()).collect();
    if bent.len() > ORDERED {
        return first_free(&mut bent);
    }
    let mut count = 0;
    for at in 0..bent.len() {
        let (left, right) = (bent[at].left - APART, bent[at].right + APART);
        let over = bent[..at].iter().filter(|net| net.left < right && left < net.right);
        let track = over.filter_map(|net| net.track).max().map_or(0, |track| track + 1);
        bent[at].track = Some(track);
        count = count.max(track + 1);
    }
    count
}

/// The left-edge algorithm: from left to right, each on a track that is free again.
fn first_free(bent: &mut [&mut &mut Net]) -> u32 {
    sort_by_number(bent, |net| pair(signed(net.left), signed(net.right)));
    let mut ends: BinaryHeap<Reverse<(i32, u32)>> = BinaryHeap::new();
    let mut count = 0;
    for net in bent {
        let track = match ends.peek() {
            Some(&Reverse((end, track))) if end + APART < net.left => {
                ends.pop();
                track
            }
            _ => {
                count += 1;
                count - 1
            }
        };
        ends.push(Reverse((net.right, track)));
        net.track = Some(track);
    }
    count
}
