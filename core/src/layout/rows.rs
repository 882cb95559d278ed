//! Which row each item of a picture is in, and in which order items stand in a row.
//!
//! Rows are longest paths over edges that do not run back. Order is that of a walk that takes branches left
//! to right; a lane stands where the walk met it. Nothing is searched for: the same branches, the same
//! order, whatever else changes.

use super::NONE;
use super::level::{Folded, ItemKind, Level, Lists};
use super::long_edges::{Chain, LongEdges};
use crate::base::{pair, signed, sort_by_number};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// From so many lines on, a block's lines leave it at one place, as a bus.
pub(super) const BUS: usize = 7;

/// Room beside something between two pins, in px: as much as columns may ask for.
const BESIDE_PIN: i32 = 16;

/// Rows of a picture. Lanes have been added to the items.
pub(super) struct Rows {
    /// Row of each item; `NONE` for items that are not there.
    pub(super) row: Vec<u32>,
    /// Items of each row, left to right.
    pub(super) order: Vec<Vec<u32>>,
    /// Whether each edge runs back.
    pub(super) back: Vec<bool>,
    pub(super) long_edges: LongEdges,
    /// The last row an item's block or group is in stands over the exits: how many rows are no exits.
    pub(super) inner_rows: u32,
    /// Items whose axes should be in one line: where ways part, and where they meet again.
    pub(super) spines: Vec<(u32, u32)>,
}

impl Rows {
    /// Finds rows and adds lanes to the level. `O((items + edges + long_edges) log)`.
    pub(super) fn of(level: &mut Level) -> Rows {
        let walk = Walk::of(level);
        let wrap = Wrap::of(level, &walk);
        let (row, inner_rows) = longest(level, &walk, &wrap);
        let spines = spines(level, &walk);
        centre_ports(level, &walk, &wrap, &spines);
        let mut rows = Rows {
            row,
            order: Vec::new(),
            back: walk.back.clone(),
            long_edges: LongEdges::default(),
            inner_rows,
            spines,
        };
        rows.long_edges = LongEdges::of(level, &rows.row, &walk.back, &wrap.bus);
        let mut keys = Keys::of(level, &walk, &wrap, &mut rows);
        rows.add_long_edges(level, &mut keys);
        rows.sort(level, &keys.item, &walk);
        rows.long_edges.link(level, &rows.row, &walk.back, &wrap.bus);
        rows
    }

    fn add_long_edges(&mut self, level: &mut Level, keys: &mut Keys) {
        for at in 0..self.long_edges.chains.len() {
            let Chain { first, last, .. } = self.long_edges.chains[at];
            for row in first..=last {
                let item = level.add_item(super::level::Item::new(ItemKind::Dummy, 2, 0));
                self.long_edges.chains[at].items.push(item);
                self.row.push(row);
                keys.item.push(keys.chain[at]);
            }
        }
    }

    fn sort(&mut self, level: &Level, keys: &[u32], walk: &Walk) {
        let count = self.row.iter().filter(|&&row| row != NONE).max().map_or(0, |&row| row as usize + 1);
        self.order = vec![Vec::new(); count];
        for (item, &row) in (0u32..).zip(&self.row) {
            if row != NONE {
                self.order[row as usize].push(item);
            }
        }
        for row in &mut self.order {
            sort_by_number(row, |&item| pair(keys[item as usize], item));
            keep_order(level, row);
        }
        self.first_left(level, keys, walk);
        for row in &mut self.order {
            pins_in_order(level, row);
        }
    }

    /// Where the walk met a second branch before the first (it came another way), turns them round, unless
    /// that contradicts another pair.
    fn first_left(&mut self, level: &Level, keys: &[u32], walk: &Walk) {
        let mut pairs: Vec<Vec<(u32, u32)>> = vec![Vec::new(); self.order.len()];
        let mut wrong = vec![false; self.order.len()];
        for item in (0..walk.items).filter(|&item| level.items[item as usize].folded == Folded::No) {
            let below = self.row[item as usize].wrapping_add(1);
            let to = walk.outs.row(item).iter().filter(|&&edge| !walk.back[edge as usize]);
            let mut near = to.map(|&edge| level.edges[edge as usize].to);
            let Some(mut left) = near.find(|&to| self.row[to as usize] == below) else { continue };
            for right in near.filter(|&to| self.row[to as usize] == below) {
                if left != right {
                    pairs[below as usize].push((left, right));
                    wrong[below as usize] |= keys[left as usize] > keys[right as usize];
                }
                left = right;
            }
        }
        for ((row, pairs), wrong) in self.order.iter_mut().zip(&pairs).zip(&wrong) {
            if *wrong {
                *row = ordered(row, pairs, keys);
            }
        }
    }
}

/// Items that stood somewhere before keep their order among themselves, in the places they have together.
fn keep_order(level: &Level, row: &mut [u32]) {
    let want = |item: u32| level.items[item as usize].want.map(|want| want.x);
    let places: Vec<usize> = (0..row.len()).filter(|&at| want(row[at]).is_some()).collect();
    let mut items: Vec<u32> = places.iter().map(|&at| row[at]).collect();
    sort_by_number(&mut items, |&item| want(item).map_or(0, signed).into());
    for (&at, &item) in places.iter().zip(&items) {
        row[at] = item;
    }
}

/// Pins stand from left to right; what has no room between two of them stands right of the second.
fn pins_in_order(level: &Level, row: &mut Vec<u32>) {
    let item = |at: u32| &level.items[at as usize];
    let pinned = |at: u32| item(at).pinned().map(|want| want.x);
    let places: Vec<usize> = (0..row.len()).filter(|&at| pinned(row[at]).is_some()).collect();
    if places.len() < 2 {
        return;
    }
    let mut pins: Vec<u32> = places.iter().map(|&at| row[at]).collect();
    sort_by_number(&mut pins, |&at| pinned(at).map_or(0, signed).into());
    for (&at, &pin) in places.iter().zip(&pins) {
        row[at] = pin;
    }
    let mut out: Vec<u32> = Vec::with_capacity(row.len());
    // What stands after the last pin, and where that one ends.
    let (mut between, mut end): (Vec<u32>, Option<i64>) = (Vec::new(), None);
    for &at in row.iter() {
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
    *row = out;
}

/// A row with every pair in order, as near to the keys as that allows. What goes round in a circle is taken
/// by key.
fn ordered(row: &[u32], pairs: &[(u32, u32)], keys: &[u32]) -> Vec<u32> {
    let place: rustc_hash::FxHashMap<u32, u32> = (0u32..).zip(row).map(|(at, &item)| (item, at)).collect();
    let of = |item: u32| place.get(&item).copied().unwrap_or(NONE);
    let after = Lists::new(row.len(), pairs.iter().map(|&(left, right)| (of(left), of(right))));
    let mut waits = vec![0u32; row.len()];
    for &(_, right) in pairs {
        if let Some(slot) = waits.get_mut(of(right) as usize) {
            *slot += 1;
        }
    }
    let mut done = vec![false; row.len()];
    let mut out = Vec::with_capacity(row.len());
    let mut ready: BinaryHeap<Reverse<(u32, u32)>> = BinaryHeap::new();
    let key = |at: u32| Reverse((keys[row[at as usize] as usize], at));
    ready.extend((0..row.len() as u32).filter(|&at| waits[at as usize] == 0).map(key));
    let mut stuck = 0..row.len() as u32;
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
        out.push(row[next as usize]);
        for &to in after.row(next) {
            let left = &mut waits[to as usize];
            *left = left.saturating_sub(1);
            if *left == 0 {
                ready.push(key(to));
            }
        }
    }
}

/// A depth-first walk: which edges run back, and an order in which the others run forward.
pub(super) struct Walk {
    /// Number of items before lanes.
    pub(super) items: u32,
    /// Edges out of each item, left to right.
    pub(super) outs: Lists,
    pub(super) back: Vec<bool>,
    /// Sources before targets.
    pub(super) order: Vec<u32>,
    /// Where the walk begins, in order.
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

    /// Items that edges lead to which do not run back.
    fn targets<'a>(&'a self, level: &'a Level, item: u32) -> impl Iterator<Item = u32> + 'a {
        let ahead = self.outs.row(item).iter().filter(|&&edge| !self.back[edge as usize]);
        ahead.map(|&edge| level.edges[edge as usize].to)
    }
}

/// Blocks with many lines, and the rows their own children are spread over.
pub(super) struct Wrap {
    /// Whether all lines of the item leave at one place.
    pub(super) bus: Vec<bool>,
    /// Rows a child stands lower than the first one.
    lower: Vec<u32>,
}

impl Wrap {
    fn of(level: &mut Level, walk: &Walk) -> Wrap {
        let count = walk.items as usize;
        let mut wrap = Wrap { bus: vec![false; count], lower: vec![0; count] };
        let ways = ways_in(level, walk);
        for item in 0..walk.items {
            let data = &level.items[item as usize];
            if !matches!(data.what, ItemKind::Block(_))
                || data.folded == Folded::Many
                || walk.outs.row(item).len() < BUS
            {
                continue;
            }
            wrap.bus[item as usize] = true;
            let own = |&to: &u32| ways[to as usize] == 1 && !level.items[to as usize].is_line();
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

/// How many children stand side by side, so that all together are about as wide as a screen is.
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
    // Rows that are equally long look better than a full row and a rest.
    let columns = root.clamp(4, 48);
    own.len().div_ceil(own.len().div_ceil(columns).max(1)).max(1)
}

/// Rows by longest path, exits in the last one; and how many rows are no exits.
fn longest(level: &Level, walk: &Walk, wrap: &Wrap) -> (Vec<u32>, u32) {
    let mut row = vec![NONE; walk.items as usize];
    let mut rows = 0;
    let is_exit = |item: u32| matches!(level.items[item as usize].what, ItemKind::Exit(_));
    for &item in &walk.order {
        let own = if row[item as usize] == NONE { 0 } else { row[item as usize] };
        row[item as usize] = own;
        if is_exit(item) {
            continue;
        }
        let taken = level.items[item as usize].rows;
        rows = rows.max(own + taken);
        for to in walk.targets(level, item) {
            let least = own + taken + wrap.lower[to as usize];
            let old = row[to as usize];
            row[to as usize] = if old == NONE { least } else { old.max(least) };
        }
    }
    for item in (0..walk.items).filter(|&item| is_exit(item)) {
        row[item as usize] = rows;
    }
    (row, rows)
}

/// Pairs of items: where ways part and where they meet again.
fn spines(level: &Level, walk: &Walk) -> Vec<(u32, u32)> {
    /// So many steps up are made for each edge; beyond, nobody sees both ends at once.
    const STEPS: usize = 64;
    let mut at = vec![NONE; walk.items as usize];
    for (number, &item) in (0u32..).zip(&walk.order) {
        at[item as usize] = number;
    }
    let mut own = vec![0u32; walk.items as usize];
    let ways_in = ways_in(level, walk);
    let boxes = |&to: &u32| ways_in[to as usize] == 1 && !level.items[to as usize].is_line();
    for &item in &walk.order {
        own[item as usize] = walk.targets(level, item).filter(boxes).count() as u32;
    }
    // Immediate dominator by number, `NONE` while unknown; roots are their own.
    let mut idom = vec![NONE; walk.items as usize];
    let mut ways = vec![0u32; walk.items as usize];
    let mut lost = vec![false; walk.items as usize];
    let mut out = Vec::new();
    for (number, &item) in (0u32..).zip(&walk.order) {
        if idom[number as usize] == NONE {
            idom[number as usize] = number;
        } else if ways[number as usize] > 1 && !lost[number as usize] {
            let up = walk.order[idom[number as usize] as usize];
            out.push((up, item));
        } else if ways[number as usize] == 1 {
            // An only child hangs on the line of its parent, also after a loop.
            let up = walk.order[idom[number as usize] as usize];
            if own[up as usize] == 1 && !level.items[item as usize].is_line() {
                out.push((up, item));
            }
        }
        for to in walk.targets(level, item) {
            let to = at[to as usize];
            ways[to as usize] += 1;
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

/// How many edges lead to each item that do not run back.
fn ways_in(level: &Level, walk: &Walk) -> Vec<u32> {
    let mut ways = vec![0u32; walk.items as usize];
    for (edge, _) in level.edges.iter().zip(&walk.back).filter(|(edge, back)| edge.from != NONE && !**back) {
        ways[edge.to as usize] += 1;
    }
    ways
}

/// A line to an only child leaves a block in the middle, so that it is straight; the other one at its side.
fn centre_ports(level: &mut Level, walk: &Walk, wrap: &Wrap, spines: &[(u32, u32)]) {
    let ways = ways_in(level, walk);
    for &(up, child) in spines.iter().filter(|&&(_, child)| ways[child as usize] == 1) {
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
    fn of(level: &Level, walk: &Walk, wrap: &Wrap, rows: &mut Rows) -> Keys {
        let mut order = Order {
            next: 0,
            keys: Keys {
                item: vec![NONE; walk.items as usize],
                chain: vec![NONE; rows.long_edges.chains.len()],
            },
            late: Vec::new(),
        };
        let mut stack: Vec<(u32, usize, u32)> = Vec::new();
        for &root in &walk.roots {
            // Items that are reached later by an edge are left to that edge, unless nothing reaches them.
            order.enter(root, NONE, wrap, rows, &mut stack);
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
                if bus || rows.row[to as usize] == rows.row[item as usize] + 1 {
                    order.enter(to, item, wrap, rows, &mut stack);
                    continue;
                }
                let Some(chain) = rows.long_edges.chain_of(to, level.edges[edge as usize].input) else {
                    continue;
                };
                if above != NONE && wrap.bus[above as usize] {
                    order.late.push((above, chain));
                } else {
                    order.take(chain);
                }
            }
        }
        order.rest(rows, level);
        order.keys
    }
}

struct Order {
    next: u32,
    keys: Keys,
    /// Lanes that wait until all children of a bus have been met: they stand right of all of them.
    late: Vec<(u32, u32)>,
}

impl Order {
    fn key(&mut self) -> u32 {
        self.next += 1;
        self.next
    }

    fn enter(&mut self, item: u32, above: u32, wrap: &Wrap, rows: &Rows, stack: &mut Vec<(u32, usize, u32)>) {
        if self.keys.item[item as usize] != NONE {
            return;
        }
        self.keys.item[item as usize] = self.key();
        if wrap.bus[item as usize]
            && let Some(trunk) = rows.long_edges.trunk_of(item)
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

    /// What the walk did not come to: exits at the end of a lane.
    fn rest(&mut self, rows: &Rows, level: &Level) {
        for (at, chain) in rows.long_edges.chains.iter().enumerate() {
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
