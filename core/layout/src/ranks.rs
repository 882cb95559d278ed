//! Ranks of the items of a picture, and their order in a rank.
//!
//! Ranks are longest paths over forward edges. The order is that of a walk that takes branches left to right;
//! a dummy node takes the position at which the walk reached it. There is no search: the same branches have
//! the same order, whatever else changes.

use super::NONE;
use super::level::{Folded, ItemKind, Level, Lists};
use super::long_edges::{Chain, LongEdges};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use vitrine_ir::base::{pair, signed, sort_by_number};

/// Number of lines of a block from which on they leave it at one position, as a bus.
pub(super) const BUS: usize = 7;

/// Distance between an item and two pins, in px: the largest that columns may need.
const BESIDE_PIN: i32 = 16;

/// The ranks of a picture. Dummy nodes have been added to the items.
pub(super) struct Ranks {
    /// The rank of each item; `NONE` for items that do not exist.
    pub(super) rank: Vec<u32>,
    /// The items of each rank, left to right.
    pub(super) order: Vec<Vec<u32>>,
    /// For each edge, true for a back edge.
    pub(super) back: Vec<bool>,
    pub(super) long_edges: LongEdges,
    /// Number of ranks without the exits, which are in the last rank.
    pub(super) inner_ranks: u32,
    /// Items whose axes should be aligned: at diverging and merging paths.
    pub(super) spines: Vec<(u32, u32)>,
}

impl Ranks {
    /// Computes ranks and adds dummy nodes to the level. `O((items + edges + long_edges) log)`.
    pub(super) fn of(level: &mut Level) -> Ranks {
        let walk = Walk::of(level);
        let wrap = Wrap::of(level, &walk);
        let (rank, inner_ranks) = longest(level, &walk, &wrap);
        let spines = spines(level, &walk);
        center_ports(level, &walk, &wrap, &spines);
        let mut ranks = Ranks {
            rank,
            order: Vec::new(),
            back: walk.back.clone(),
            long_edges: LongEdges::default(),
            inner_ranks,
            spines,
        };
        ranks.long_edges = LongEdges::of(level, &ranks.rank, &walk.back, &wrap.bus);
        let mut keys = Keys::of(level, &walk, &wrap, &mut ranks);
        ranks.add_long_edges(level, &mut keys);
        ranks.sort(level, &keys.item, &walk);
        ranks.long_edges.link(level, &ranks.rank, &walk.back, &wrap.bus);
        ranks
    }

    fn add_long_edges(&mut self, level: &mut Level, keys: &mut Keys) {
        for at in 0..self.long_edges.chains.len() {
            let Chain { first, last, .. } = self.long_edges.chains[at];
            for rank in first..=last {
                let item = level.add_item(super::level::Item::new(ItemKind::Dummy, 2, 0));
                self.long_edges.chains[at].items.push(item);
                self.rank.push(rank);
                keys.item.push(keys.chain[at]);
            }
        }
    }

    fn sort(&mut self, level: &Level, keys: &[u32], walk: &Walk) {
        let count = self.rank.iter().filter(|&&rank| rank != NONE).max().map_or(0, |&rank| rank as usize + 1);
        self.order = vec![Vec::new(); count];
        for (item, &rank) in (0u32..).zip(&self.rank) {
            if rank != NONE {
                self.order[rank as usize].push(item);
            }
        }
        for rank in &mut self.order {
            sort_by_number(rank, |&item| pair(keys[item as usize], item));
            keep_order(level, rank);
        }
        self.first_left(level, keys, walk);
        for rank in &mut self.order {
            pins_in_order(level, rank);
        }
    }

    /// If the walk reached a second branch before the first (on another path), swaps the two, unless that
    /// contradicts another pair.
    fn first_left(&mut self, level: &Level, keys: &[u32], walk: &Walk) {
        let mut pairs: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.order.len()];
        let mut wrong = vec![false; self.order.len()];
        for item in (0..walk.items).filter(|&item| level.items[item as usize].folded == Folded::No) {
            let below = self.rank[item as usize].wrapping_add(1);
            let to = walk.outs.row(item).iter().filter(|&&edge| !walk.back[edge as usize]);
            let mut near = to.map(|&edge| level.edges[edge as usize].to);
            let Some(mut left) = near.find(|&to| self.rank[to as usize] == below) else { continue };
            for right in near.filter(|&to| self.rank[to as usize] == below) {
                if left != right {
                    pairs[below as usize].push((left, right));
                    wrong[below as usize] |= keys[left as usize] > keys[right as usize];
                }
                left = right;
            }
        }
        for ((rank, pairs), wrong) in self.order.iter_mut().zip(&pairs).zip(&wrong) {
            if *wrong {
                *rank = ordered(rank, pairs, keys);
            }
        }
    }
}

/// Items with previous positions keep their relative order, in the places they have together.
fn keep_order(level: &Level, rank: &mut [u32]) {
    let want = |item: u32| level.items[item as usize].want.map(|want| want.x);
    let places: Vec<usize> = (0..rank.len()).filter(|&at| want(rank[at]).is_some()).collect();
    let mut items: Vec<u32> = places.iter().map(|&at| rank[at]).collect();
    sort_by_number(&mut items, |&item| want(item).map_or(0, signed).into());
    for (&at, &item) in places.iter().zip(&items) {
        rank[at] = item;
    }
}

/// Pins are ordered from left to right; an item that has no room between two of them is placed right of the
/// second.
fn pins_in_order(level: &Level, rank: &mut Vec<u32>) {
    let item = |at: u32| &level.items[at as usize];
    let pinned = |at: u32| item(at).pinned().map(|want| want.x);
    let places: Vec<usize> = (0..rank.len()).filter(|&at| pinned(rank[at]).is_some()).collect();
    if places.len() < 2 {
        return;
    }
    let mut pins: Vec<u32> = places.iter().map(|&at| rank[at]).collect();
    sort_by_number(&mut pins, |&at| pinned(at).map_or(0, signed).into());
    for (&at, &pin) in places.iter().zip(&pins) {
        rank[at] = pin;
    }
    let mut out: Vec<u32> = Vec::with_capacity(rank.len());
    // The items after the last pin, and its right edge.
    let (mut between, mut end): (Vec<u32>, Option<i64>) = (Vec::new(), None);
    for &at in rank.iter() {
        let Some(x) = pinned(at).map(i64::from) else {
            between.push(at);
            continue;
        };
        let mut late = Vec::new();
        if let Some(end) = end {
            let mut left = x - end - i64::from(BESIDE_PIN);
            between.retain(|&at| {
                let fits = left >= i64::from(item(at).width + BESIDE_PIN);
                if fits {
                    left -= i64::from(item(at).width + BESIDE_PIN);
                } else {
                    late.push(at);
                }
                fits
            });
        }
        out.append(&mut between);
        out.push(at);
        between = late;
        end = Some(x + i64::from(item(at).width));
    }
    out.append(&mut between);
    *rank = out;
}

/// A rank with every pair in order, as near to the keys as possible. Cycles are broken by key.
fn ordered(rank: &[u32], pairs: &[(u32, u32)], keys: &[u32]) -> Vec<u32> {
    let place: rustc_hash::FxHashMap<u32, u32> = (0u32..).zip(rank).map(|(at, &item)| (item, at)).collect();
    let of = |item: u32| place.get(&item).copied().unwrap_or(NONE);
    let after = Lists::new(rank.len(), pairs.iter().map(|&(left, right)| (of(left), of(right))));
    let mut waits = vec![0u32; rank.len()];
    for &(_, right) in pairs {
        if let Some(slot) = waits.get_mut(of(right) as usize) {
            *slot += 1;
        }
    }
    let mut done = vec![false; rank.len()];
    let mut out = Vec::with_capacity(rank.len());
    let mut ready: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
    let key = |at: u32| Reverse((keys[rank[at as usize] as usize], at));
    ready.extend((0..rank.len() as u32).filter(|&at| waits[at as usize] == 0).map(key));
    let mut stuck = 0..rank.len() as u32;
    loop {
        let next = match ready.pop() {
            Some(Reverse((_, at))) => at,
            None => match stuck.find(|&at| !done[at as usize]) {
                Some(at) => at,
                None => return out,
            },
        };
        if std::mem::replace(&mut done[next as usize], true) {
            continue;
        }
        out.push(rank[next as usize]);
        for &to in after.row(next) {
            let left = &mut waits[to as usize];
            *left = left.saturating_sub(1);
            if *left == 0 {
                ready.push(key(to));
            }
        }
    }
}

/// A depth-first walk: finds the back edges, and an order in which the other edges run forward.
pub(super) struct Walk {
    /// Number of items before dummy nodes.
    pub(super) items: u32,
    /// Edges out of each item, left to right.
    pub(super) outs: Lists,
    pub(super) back: Vec<bool>,
    /// Sources before targets.
    pub(super) order: Vec<u32>,
    /// The roots of the walk, in order.
    pub(super) roots: Vec<u32>,
}

impl Walk {
    fn of(level: &Level) -> Walk {
        let items = level.items.len();
        let mut outs = Lists::new(items, level.edges.iter().zip(0u32..).map(|(edge, at)| (edge.from, at)));
        for item in 0..items as u32 {
            if matches!(level.items[item as usize].what, ItemKind::Group(_)) {
                let x = |&edge: &u32| level.items[item as usize].output(level.edges[edge as usize].out);
                sort_by_number(outs.row_mut(item), |edge| signed(x(edge)).into());
            }
        }
        let mut walk = Walk {
            items: items as u32,
            outs,
            back: vec![false; level.edges.len()],
            order: Vec::with_capacity(items),
            roots: Vec::new(),
        };
        walk.search(level);
        walk
    }

    fn search(&mut self, level: &Level) {
        const NEW: u8 = 0;
        const OPEN: u8 = 1;
        const DONE: u8 = 2;
        let mut state = vec![NEW; self.items as usize];
        let entry = |&item: &u32| matches!(level.items[item as usize].what, ItemKind::Entry(_));
        let begins = (0..self.items).filter(entry).chain(level.header).chain(0..self.items);
        let mut stack: Vec<(u32, usize)> = Vec::new();
        for root in begins.collect::<Vec<u32>>() {
            if state[root as usize] != NEW || level.items[root as usize].what == ItemKind::Gone {
                continue;
            }
            self.roots.push(root);
            state[root as usize] = OPEN;
            stack.push((root, self.outs.row(root).len()));
            while let Some((item, rest)) = stack.last_mut() {
                let item = *item;
                let Some(left) = rest.checked_sub(1) else {
                    state[item as usize] = DONE;
                    self.order.push(item);
                    stack.pop();
                    continue;
                };
                *rest = left;
                let edge = self.outs.row(item)[left];
                let to = level.edges[edge as usize].to;
                self.back[edge as usize] = state[to as usize] == OPEN || level.header == Some(to);
                if state[to as usize] == NEW && !self.back[edge as usize] {
                    state[to as usize] = OPEN;
                    stack.push((to, self.outs.row(to).len()));
                }
            }
        }
        self.order.reverse();
    }

    /// The targets of forward edges.
    fn targets<'a>(&'a self, level: &'a Level, item: u32) -> impl Iterator<Item = u32> + 'a {
        let ahead = self.outs.row(item).iter().filter(|&&edge| !self.back[edge as usize]);
        ahead.map(|&edge| level.edges[edge as usize].to)
    }
}

/// Blocks with many lines, and the number of ranks over which their own children are distributed.
pub(super) struct Wrap {
    /// For each item, true if all its lines leave at one position.
    pub(super) bus: Vec<bool>,
    /// Number of ranks by which a child is lower than the first one.
    lower: Vec<u32>,
}

impl Wrap {
    fn of(level: &mut Level, walk: &Walk) -> Wrap {
        let count = walk.items as usize;
        let mut wrap = Wrap { bus: vec![false; count], lower: vec![0; count] };
        let courses = forward_in_degree(level, walk);
        for item in 0..walk.items {
            let data = &level.items[item as usize];
            if !matches!(data.what, ItemKind::Block(_))
                || data.folded == Folded::Many
                || walk.outs.row(item).len() < BUS
            {
                continue;
            }
            wrap.bus[item as usize] = true;
            let own = |&to: &u32| courses[to as usize] == 1 && !level.items[to as usize].is_line();
            let own: Vec<u32> = walk.targets(level, item).filter(own).collect();
            let columns = columns(level, &own);
            for (at, &to) in own.iter().enumerate() {
                wrap.lower[to as usize] = (at / columns) as u32;
            }
            let data = &mut level.items[item as usize];
            let middle = data.width / 2;
            data.outs.fill(middle);
        }
        wrap
    }
}

/// Number of children side by side such that all together have about the aspect ratio of a screen.
fn columns(level: &Level, own: &[u32]) -> usize {
    if own.len() < BUS {
        return BUS;
    }
    let count = own.len() as i64;
    let of = |f: fn(&super::level::Item) -> i32| {
        own.iter().map(|&item| i64::from(f(&level.items[item as usize]))).sum::<i64>() / count
    };
    let (width, height) = (of(|item| item.width) + 28, of(|item| item.height) + 44);
    // Columns times width is 1.6 times rows times height.
    let square = count * height * 8 / (width * 5).max(1);
    let root = square.unsigned_abs().isqrt() as usize;
    // Rows of equal length look better than a full row and a remainder.
    let columns = root.clamp(4, 48);
    own.len().div_ceil(own.len().div_ceil(columns).max(1)).max(1)
}

/// Ranks by longest path, exits in the last one; and the number of ranks without exits.
fn longest(level: &Level, walk: &Walk, wrap: &Wrap) -> (Vec<u32>, u32) {
    let mut rank = vec![NONE; walk.items as usize];
    let mut ranks = 0;
    let is_exit = |item: u32| matches!(level.items[item as usize].what, ItemKind::Exit(_));
    for &item in &walk.order {
        let own = if rank[item as usize] == NONE { 0 } else { rank[item as usize] };
        rank[item as usize] = own;
        if is_exit(item) {
            continue;
        }
        let taken = level.items[item as usize].ranks;
        ranks = ranks.max(own + taken);
        for to in walk.targets(level, item) {
            let least = own + taken + wrap.lower[to as usize];
            let old = rank[to as usize];
            rank[to as usize] = if old == NONE { least } else { old.max(least) };
        }
    }
    for item in (0..walk.items).filter(|&item| is_exit(item)) {
        rank[item as usize] = ranks;
    }
    (rank, ranks)
}

/// Pairs of items: a divergence point and its merge point.
fn spines(level: &Level, walk: &Walk) -> Vec<(u32, u32)> {
    /// Maximum number of steps up for each edge; further apart, the two ends are not visible together.
    const STEPS: usize = 64;
    let mut at = vec![NONE; walk.items as usize];
    for (number, &item) in (0u32..).zip(&walk.order) {
        at[item as usize] = number;
    }
    let mut own = vec![0u32; walk.items as usize];
    let forward_in_degree = forward_in_degree(level, walk);
    let boxes = |&to: &u32| forward_in_degree[to as usize] == 1 && !level.items[to as usize].is_line();
    for &item in &walk.order {
        own[item as usize] = walk.targets(level, item).filter(boxes).count() as u32;
    }
    // Immediate dominator by number, `NONE` while unknown; roots are their own.
    let mut idom = vec![NONE; walk.items as usize];
    let mut courses = vec![0u32; walk.items as usize];
    let mut lost = vec![false; walk.items as usize];
    let mut out = Vec::new();
    for (number, &item) in (0u32..).zip(&walk.order) {
        if idom[number as usize] == NONE {
            idom[number as usize] = number;
        } else if courses[number as usize] > 1 && !lost[number as usize] {
            let up = walk.order[idom[number as usize] as usize];
            out.push((up, item));
        } else if courses[number as usize] == 1 {
            // An only child is aligned with its parent, also after a loop.
            let up = walk.order[idom[number as usize] as usize];
            if own[up as usize] == 1 && !level.items[item as usize].is_line() {
                out.push((up, item));
            }
        }
        for to in walk.targets(level, item) {
            let to = at[to as usize];
            courses[to as usize] += 1;
            let slot = idom[to as usize];
            if slot == NONE {
                idom[to as usize] = number;
                continue;
            }
            let (mut a, mut b) = (slot, number);
            let mut steps = 0;
            while a != b && steps < STEPS {
                let higher = if a > b { &mut a } else { &mut b };
                let up = idom[*higher as usize];
                if up == *higher {
                    break;
                }
                *higher = up;
                steps += 1;
            }
            lost[to as usize] |= a != b;
            idom[to as usize] = a.min(b);
        }
    }
    out
}

/// Number of forward edges into each item.
fn forward_in_degree(level: &Level, walk: &Walk) -> Vec<u32> {
    let mut courses = vec![0u32; walk.items as usize];
    for (edge, _) in level.edges.iter().zip(&walk.back).filter(|(edge, back)| edge.from != NONE && !**back) {
        courses[edge.to as usize] += 1;
    }
    courses
}

/// A line to an only child leaves a block at the center, so that it is straight; the other one beside it.
fn center_ports(level: &mut Level, walk: &Walk, wrap: &Wrap, spines: &[(u32, u32)]) {
    let courses = forward_in_degree(level, walk);
    for &(up, child) in spines.iter().filter(|&&(_, child)| courses[child as usize] == 1) {
        let [first, second] = walk.outs.row(up) else { continue };
        let item = &level.items[up as usize];
        if !matches!(item.what, ItemKind::Block(_)) || wrap.bus[up as usize] || item.outs.len() != 2 {
            continue;
        }
        let to = |edge: &u32| level.edges[*edge as usize].to;
        let (middle, apart) = (item.width / 2, (item.width / 3).min(40));
        let outs = match (to(first) == child, to(second) == child) {
            (true, false) => [middle, middle + apart],
            (false, true) => [middle - apart, middle],
            (true, true) | (false, false) => continue,
        };
        level.items[up as usize].outs = outs.to_vec();
    }
}

/// The order of the walk that takes branches left to right.
struct Keys {
    item: Vec<u32>,
    chain: Vec<u32>,
}

impl Keys {
    fn of(level: &Level, walk: &Walk, wrap: &Wrap, ranks: &mut Ranks) -> Keys {
        let mut order = Order {
            next: 0,
            keys: Keys {
                item: vec![NONE; walk.items as usize],
                chain: vec![NONE; ranks.long_edges.chains.len()],
            },
            late: Vec::new(),
        };
        let mut stack: Vec<(u32, usize, u32)> = Vec::new();
        for &root in &walk.roots {
            // Items that are reached later by an edge are left to that edge, unless no edge reaches them.
            order.enter(root, NONE, wrap, ranks, &mut stack);
            while let Some((item, cursor, above)) = stack.last_mut() {
                let (item, above) = (*item, *above);
                let Some(&edge) = walk.outs.row(item).get(*cursor) else {
                    stack.pop();
                    order.leave(item);
                    continue;
                };
                *cursor += 1;
                if walk.back[edge as usize] {
                    continue;
                }
                let to = level.edges[edge as usize].to;
                let bus = wrap.bus[item as usize];
                if bus || ranks.rank[to as usize] == ranks.rank[item as usize] + 1 {
                    order.enter(to, item, wrap, ranks, &mut stack);
                    continue;
                }
                let Some(chain) = ranks.long_edges.chain_of(to, level.edges[edge as usize].input) else {
                    continue;
                };
                if above != NONE && wrap.bus[above as usize] {
                    order.late.push((above, chain));
                } else {
                    order.take(chain);
                }
            }
        }
        order.rest(ranks, level);
        order.keys
    }
}

struct Order {
    next: u32,
    keys: Keys,
    /// Dummy nodes that wait until all children of a bus have been visited: they are placed right of all of
    /// them.
    late: Vec<(u32, u32)>,
}

impl Order {
    fn key(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn enter(
        &mut self,
        item: u32,
        above: u32,
        wrap: &Wrap,
        ranks: &Ranks,
        stack: &mut Vec<(u32, usize, u32)>,
    ) {
        if self.keys.item[item as usize] != NONE {
            return;
        }
        self.keys.item[item as usize] = self.key();
        if wrap.bus[item as usize]
            && let Some(trunk) = ranks.long_edges.trunk_of(item)
        {
            self.take(trunk);
        }
        stack.push((item, 0, above));
    }

    fn leave(&mut self, item: u32) {
        while let Some(&(bus, chain)) = self.late.last()
            && bus == item
        {
            self.late.pop();
            self.take(chain);
        }
    }

    fn take(&mut self, chain: u32) {
        if self.keys.chain[chain as usize] == NONE {
            self.keys.chain[chain as usize] = self.key();
        }
    }

    /// Items that the walk did not reach: exits at the end of a long edge.
    fn rest(&mut self, ranks: &Ranks, level: &Level) {
        for (at, chain) in ranks.long_edges.chains.iter().enumerate() {
            self.take(at as u32);
            let key = self.keys.chain[at];
            if let Some(to) = chain.target
                && matches!(level.items[to as usize].what, ItemKind::Exit(_))
                && self.keys.item[to as usize] == NONE
            {
                self.keys.item[to as usize] = key;
            }
        }
        for item in 0..self.keys.item.len() {
            if self.keys.item[item] == NONE {
                self.keys.item[item] = self.key();
            }
        }
    }
}
