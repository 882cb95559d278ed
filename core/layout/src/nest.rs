//! Splits the input into one picture for each group, and each edge into one piece for each picture it passes.
//!
//! An edge leaves a group through an exit, one for each target, and enters one through an entry; so edges
//! with the same target are one line after they leave. Only this file handles folded nodes.

use super::level::{Folded, Item, ItemKind, Level, LevelEdge, Lists, Want};
use super::ranks::BUS;
use super::route::Drawn;
use super::{GroupKind, Input, MAX_SIZE, NONE, Point};
use rustc_hash::FxHashMap;
use vitrine_analysis::EdgeKind;
use vitrine_ir::Block;
use vitrine_ir::base::sort_by_number;

/// A line of the layout, before it has points.
pub(super) struct Thread {
    pub(super) edges: Vec<u32>,
    pub(super) from: u32,
    pub(super) to: u32,
    /// Its first piece, in the level of its source.
    pub(super) first: u32,
    pub(super) home: u32,
}

/// The blocks that a box represents.
struct Taken {
    ranks: u32,
    folded: Folded,
}

/// Returns true if one of the folded nodes has enough outgoing lines for a bus.
fn folded(members: &[u32], shown: &[u32], first: u32, outs: &Lists) -> Folded {
    let bus = members.iter().any(|&at| {
        let mut outward: Vec<u32> = outs.row(at).iter().map(|&to| shown[to as usize]).collect();
        outward.retain(|&to| to != first);
        sort_by_number(&mut outward, |&to| to.into());
        outward.dedup();
        outward.len() >= BUS
    });
    if bus { Folded::Bus } else { Folded::Many }
}

/// The pictures. Level 0 is the function; group `g` of the input is level `g + 1`.
pub(super) struct Nest {
    pub(super) levels: Vec<Level>,
    pub(super) parents: Vec<u32>,
    depths: Vec<u32>,
    /// Level of each drawn node; `NONE` for the others.
    pub(super) homes: Vec<u32>,
    item_of_node: Vec<u32>,
    /// The item of each level in the enclosing level.
    pub(super) item_of_level: Vec<u32>,
    pub(super) threads: Vec<Thread>,
    /// The finished drawing of each level.
    pub(super) drawn: Vec<Option<Drawn>>,
    exits: FxHashMap<(u32, u32), u32>,
    entries: FxHashMap<(u32, u32), u32>,
}

impl Nest {
    /// Reads the input. Linear in nodes, and in edges times the groups they cross.
    pub(super) fn of(input: &Input) -> Nest {
        let mut nest = Nest::frame(input);
        let (shown, boxes) = nest.fold(input);
        nest.add_items(input, &boxes);
        nest.add_threads(input, &shown);
        nest.settle_entries(input, &shown);
        nest
    }

    fn frame(input: &Input) -> Nest {
        let count = input.groups.len() + 1;
        let mut nest = Nest {
            levels: vec![Level::default(); count],
            parents: vec![NONE; count],
            depths: vec![0; count],
            homes: Vec::with_capacity(input.nodes.len()),
            item_of_node: vec![NONE; input.nodes.len()],
            item_of_level: vec![NONE; count],
            threads: Vec::new(),
            drawn: vec![None; count],
            exits: FxHashMap::default(),
            entries: FxHashMap::default(),
        };
        for (at, group) in input.groups.iter().enumerate() {
            let parent = group.parent.filter(|&up| (up as usize) < at).map_or(0, |up| up + 1);
            nest.parents[at + 1] = parent;
            nest.depths[at + 1] = nest.depths[parent as usize] + 1;
            nest.levels[at + 1].band = group.kind == GroupKind::Band;
        }
        let known = |group: &u32| (*group as usize) < input.groups.len();
        nest.homes.extend(input.nodes.iter().map(|node| node.group.filter(known).map_or(0, |at| at + 1)));
        nest
    }

    /// The drawn node for each node. A node that represents others moves to the innermost group that contains
    /// them all and something else. Also returns the nodes that each of these represents.
    fn fold(&mut self, input: &Input) -> (Vec<u32>, FxHashMap<u32, Taken>) {
        let count = input.nodes.len();
        let mut shown: Vec<u32> = (0..count as u32).collect();
        let mut left = vec![0u32; self.levels.len()];
        for &home in &self.homes {
            left[home as usize] += 1;
        }
        for at in (1..left.len()).rev() {
            left[self.parents[at] as usize] += left[at];
        }
        let mut taken = vec![false; count];
        let mut boxes = FxHashMap::default();
        if input.folds.is_empty() {
            return (shown, boxes);
        }
        let inside = |edge: &&super::Link| (edge.from as usize) < count && (edge.to as usize) < count;
        let outs = Lists::new(count, input.edges.iter().filter(inside).map(|edge| (edge.from, edge.to)));
        for members in &input.folds {
            let mut members = members.iter().copied().filter(|&at| (at as usize) < count);
            let fresh: Vec<u32> =
                members.by_ref().filter(|&at| !std::mem::replace(&mut taken[at as usize], true)).collect();
            let Some(&first) = fresh.first() else { continue };
            let mut home = self.homes[first as usize];
            for &at in &fresh {
                shown[at as usize] = first;
                home = self.shared(home, self.homes[at as usize]);
            }
            let all = fresh.len() as u32;
            while home != 0 && left[home as usize] <= all {
                home = self.parents[home as usize];
            }
            if fresh.len() > 1 {
                let ranks = self.ranks_taken(&fresh, home, &outs);
                boxes.insert(first, Taken { ranks, folded: folded(&fresh, &shown, first, &outs) });
            }
            for &at in &fresh {
                self.homes[at as usize] = if at == first { home } else { NONE };
            }
        }
        (shown, boxes)
    }

    /// Number of ranks that nodes take in a level: the longest forward path through them, with a group as one
    /// step.
    fn ranks_taken(&self, members: &[u32], home: u32, outs: &Lists) -> u32 {
        let step = |node: u32| {
            let mut at = self.homes[node as usize];
            let mut step = (false, node);
            while at != home && at != 0 && at != NONE {
                step = (true, at);
                at = self.parents[at as usize];
            }
            step
        };
        let mut order = members.to_vec();
        sort_by_number(&mut order, |&node| node.into());
        let mut ranks: FxHashMap<(bool, u32), u32> = members.iter().map(|&node| (step(node), 1)).collect();
        for &from in &order {
            let own = ranks.get(&step(from)).copied().unwrap_or(1);
            for &to in outs.row(from).iter().filter(|&&to| to > from && step(to) != step(from)) {
                if let Some(rank) = ranks.get_mut(&step(to)) {
                    *rank = (*rank).max(own + 1);
                }
            }
        }
        ranks.values().copied().max().unwrap_or(1)
    }

    /// The innermost level that encloses both.
    fn shared(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            if self.depths[a as usize] >= self.depths[b as usize] {
                a = self.parents[a as usize];
            } else {
                b = self.parents[b as usize];
            }
        }
        a
    }

    fn add_items(&mut self, input: &Input, boxes: &FxHashMap<u32, Taken>) {
        let mut pins: FxHashMap<Block, Point> = FxHashMap::default();
        for &(block, at) in &input.pins {
            pins.entry(block).or_insert(at);
        }
        for (at, node) in input.nodes.iter().enumerate() {
            let home = self.homes[at];
            if home == NONE {
                continue;
            }
            let mut inner = home;
            // An enclosing group is visited before its contents, so items are in order of their first node.
            while inner != 0 && self.item_of_level[inner as usize] == NONE {
                let item = Item::new(ItemKind::Group(inner), 0, 0);
                let up = self.parents[inner as usize];
                let before = input.previous.as_ref().and_then(|before| before.frames[node.block]);
                self.levels[inner as usize].before = before;
                self.item_of_level[inner as usize] = self.levels[up as usize].add_item(item);
                inner = up;
            }
            let size = |px: i32| px.clamp(1, MAX_SIZE);
            let mut item = Item::new(ItemKind::Block(at as u32), size(node.width), size(node.height));
            let pin = pins.get(&node.block).map(|&at| (at, true));
            let before = input.previous.as_ref().and_then(|at| at[node.block]).map(|at| (at, false));
            if let Some(taken) = boxes.get(&(at as u32)) {
                (item.folded, item.ranks) = (taken.folded, taken.ranks);
            }
            item.want = pin.or(before).map(|(Point { x, y }, pinned)| Want { x, y, pinned });
            self.item_of_node[at] = self.levels[home as usize].add_item(item);
        }
    }

    fn add_threads(&mut self, input: &Input, shown: &[u32]) {
        let count = input.nodes.len();
        let inside = |edge: &super::Link| (edge.from as usize) < count && (edge.to as usize) < count;
        let mut of_node: Vec<Vec<u32>> = vec![Vec::new(); count];
        for (at, edge) in (0u32..).zip(&input.edges).filter(|(_, edge)| inside(edge)) {
            of_node[shown[edge.from as usize] as usize].push(at);
        }
        let mut known: FxHashMap<u32, usize> = FxHashMap::default();
        for (from, edges) in (0u32..).zip(&of_node) {
            known.clear();
            let begin = self.threads.len();
            for &at in edges {
                let edge = &input.edges[at as usize];
                let to = shown[edge.to as usize];
                let folded = edge.from != from || edge.to != to;
                if folded && to == from {
                    continue;
                }
                let merges = folded || matches!(edge.kind, EdgeKind::Case | EdgeKind::Default);
                if let Some(&old) = known.get(&to).filter(|_| merges) {
                    self.threads[old].edges.push(at);
                    continue;
                }
                known.insert(to, self.threads.len());
                let home = self.homes[from as usize];
                self.threads.push(Thread { edges: vec![at], from, to, first: NONE, home });
            }
            self.spread_ports(from, self.threads.len() - begin);
            for at in begin..self.threads.len() {
                let to = self.threads[at].to;
                self.threads[at].first = self.connect(from, (at - begin) as u32, to);
            }
        }
    }

    /// Distributes the lines of a node along its lower edge, around its center.
    fn spread_ports(&mut self, node: u32, lines: usize) {
        let home = self.homes[node as usize];
        if home == NONE || lines == 0 {
            return;
        }
        let item = &mut self.levels[home as usize].items[self.item_of_node[node as usize] as usize];
        let (width, count) = (i64::from(item.width), lines as i64);
        let step = (width / (count + 1)).min(48);
        let place = |at: i64| width / 2 + (2 * at - (count - 1)) * step / 2;
        item.outs = (0..count).map(|at| place(at) as i32).collect();
    }

    /// Creates the pieces of a line, up to those that another line created already. Returns the first.
    fn connect(&mut self, from: u32, out: u32, to: u32) -> u32 {
        let target = self.homes[to as usize];
        let mut level = self.homes[from as usize];
        let shared = self.shared(level, target);
        let (mut item, mut port) = (self.item_of_node[from as usize], out);
        let mut first = NONE;
        let mut before: Option<(u32, u32)> = None;
        while level != shared {
            let (exit, fresh) = self.exit(level, to);
            let exit_item = self.levels[level as usize].exit_items[exit as usize];
            let edge = LevelEdge { from: item, out: port, to: exit_item, input: 0 };
            self.lay(level, edge, &mut first, &mut before);
            if !fresh {
                return first;
            }
            before = Some((level, exit));
            (item, port) = (self.item_of_level[level as usize], exit);
            level = self.parents[level as usize];
        }
        // The path down is found from below, and created from above.
        let mut down = Vec::new();
        let mut inner = target;
        while inner != shared {
            down.push(inner);
            inner = self.parents[inner as usize];
        }
        let mut lays = true;
        while lays {
            let next = down.pop();
            let (next_item, input, fresh) = match next {
                None => (self.item_of_node[to as usize], 0, false),
                Some(inner) => {
                    let (entry, fresh) = self.entry(inner, to);
                    (self.item_of_level[inner as usize], entry, fresh)
                }
            };
            let edge = LevelEdge { from: item, out: port, to: next_item, input };
            let laid = self.lay(level, edge, &mut first, &mut before);
            if level != shared
                && let Some(slot) = self.levels[level as usize].entry_edges.last_mut()
            {
                *slot = laid;
            }
            lays = fresh;
            if let Some(inner) = next {
                level = inner;
                let entry = Item::new(ItemKind::Entry(input), 2, 0);
                if fresh {
                    item = self.levels[inner as usize].add_item(entry);
                }
                port = 0;
            }
        }
        first
    }

    fn lay(&mut self, level: u32, edge: LevelEdge, first: &mut u32, before: &mut Option<(u32, u32)>) -> u32 {
        let laid = self.levels[level as usize].add_edge(edge);
        if *first == NONE {
            *first = laid;
        }
        if let Some((inner, exit)) = before.take() {
            self.levels[inner as usize].exit_next[exit as usize] = laid;
        }
        laid
    }

    /// The exit of a level to a node, and a flag that is set if it is new.
    fn exit(&mut self, level: u32, to: u32) -> (u32, bool) {
        if let Some(&known) = self.exits.get(&(level, to)) {
            return (known, false);
        }
        let data = &mut self.levels[level as usize];
        let exit = data.exit_next.len() as u32;
        let item = data.add_item(Item::new(ItemKind::Exit(exit), 2, 0));
        data.exit_items.push(item);
        data.exit_next.push(NONE);
        self.exits.insert((level, to), exit);
        (exit, true)
    }

    /// The entry of a level that leads to a node, and a flag that is set if it is new.
    fn entry(&mut self, level: u32, to: u32) -> (u32, bool) {
        if let Some(&known) = self.entries.get(&(level, to)) {
            return (known, false);
        }
        let data = &mut self.levels[level as usize];
        let entry = data.entries.len() as u32;
        data.entries.push(to);
        data.entry_edges.push(NONE);
        self.entries.insert((level, to), entry);
        (entry, true)
    }

    /// A group with one entry has no item for it: its header is at the top.
    fn settle_entries(&mut self, input: &Input, shown: &[u32]) {
        let begin = input.entry.and_then(|at| shown.get(at as usize).copied());
        let mut around = begin.map_or(NONE, |at| self.homes[at as usize]);
        let mut item = begin.map_or(NONE, |at| self.item_of_node[at as usize]);
        for level in &mut self.levels {
            if let [edge] = level.entry_edges[..]
                && let Some(edge) = level.edges.get_mut(edge as usize)
            {
                level.header = Some(edge.to);
                let gone = std::mem::replace(&mut edge.from, NONE);
                level.items[gone as usize].what = ItemKind::Gone;
            }
        }
        // The function starts at its entry, and so do the enclosing groups that have no other entry.
        while around != NONE {
            let level = &mut self.levels[around as usize];
            if level.header.is_none() && level.entries.is_empty() {
                level.header = Some(item);
            }
            item = self.item_of_level[around as usize];
            around = self.parents[around as usize];
        }
    }

    /// Adds a finished picture to the enclosing level.
    pub(super) fn close(&mut self, level: usize, drawn: Drawn) {
        let item = self.item_of_level[level];
        if item != NONE {
            let item = &mut self.levels[self.parents[level] as usize].items[item as usize];
            item.width = drawn.width;
            item.height = drawn.height;
            item.ins = drawn.ins.clone();
            item.outs = drawn.outs.clone();
            item.want = drawn.want;
        }
        self.drawn[level] = Some(drawn);
    }
}
