//! Step 1: an irreducible graph becomes a reducible one by the fewest detours.
//!
//! Every strongly connected part that is entered at several blocks gets one *dispatch block*: edges from
//! outside, and the inner edges that go back to an entry that does not dominate their source, lead there
//! and say by a selector where they meant to go.
//!
//! ```text
//! ^0: branch %c, ^1, ^2          ^0: branch %c, ^5(0), ^5(1)
//! ^1: branch %d, ^2, ^3    =>    ^5(%sel): switch %sel {0: ^1, default: ^2}
//! ^2: goto ^1                    ^1: branch %d, ^2, ^3
//!                                ^2: goto ^5(0)
//! ```
//!
//! All other edges stay. No block is copied. What the entries take as parameters is passed through the
//! dispatch block; edges that mean another entry pass `undef` for it. Values need nothing else: a block that
//! dominated another one still does, since a part's entries are all reached without going through it.

use super::tables::{Rows, dominators, reverse_post_order, strong_parts};
use crate::analysis::{Cfg, Loops};
use crate::base::sort_by_number;
use crate::ir::{Args, Assembler, Attrs, Block, BlockData, Case, Edge, Inst, Module, Shape, Terminator};
use crate::ops::{BasicOp, ValueType, Width};
use crate::passes::util::rebuild;
use std::rc::Rc;

/// What was done.
#[derive(Clone, Debug, Default)]
pub(super) struct Dispatched {
    /// Dispatch blocks made.
    pub(super) blocks: Vec<Block>,
    /// Entries they lead to, all together.
    pub(super) arms: u32,
    /// Edges that lead to one now.
    pub(super) redirected: u32,
}

/// Makes the graph reducible.
pub(super) fn dispatch(module: &mut Module, asm: &mut Assembler) -> Dispatched {
    let mut done = Dispatched::default();
    let cfg = Rc::new(Cfg::of(asm.body()));
    let loops = Loops::of(asm.body(), &cfg);
    if loops.all().all(|of| !loops.is_irreducible(of)) {
        return done;
    }
    let mut graph = Graph::of(&cfg);
    let all: Vec<u32> = (0..graph.blocks.len() as u32).collect();
    let mut work = vec![(all, 0)];
    while let Some((nodes, entry)) = work.pop() {
        let inside: Vec<u32> = nodes.iter().copied().filter(|&at| at != entry).collect();
        let parts = graph.parts(&inside);
        let ways_in = graph.ways_in(&nodes, &parts);
        for (mut part, ways_in) in parts.into_iter().zip(ways_in) {
            let entries = graph.entries(&part, &ways_in);
            let &[one] = &entries[..] else {
                let hub = graph.detour(&part, entries, ways_in);
                part.push(hub);
                work.push((part, hub));
                continue;
            };
            work.push((part, one));
        }
    }
    graph.write(module, asm, &mut done);
    done
}

/// The graph by numbers. Numbers below the first hub are positions in reverse post-order.
struct Graph {
    blocks: Vec<Block>,
    /// Where each slot of each vertex leads.
    to: Vec<Vec<u32>>,
    hubs: Vec<Hub>,
    first_hub: u32,
    /// Which part a vertex was in when parts were last found; scratch.
    stamp: Vec<u32>,
    stamps: u32,
    /// Number of a vertex in the graph that parts are found in; scratch.
    local: Vec<u32>,
}

/// A dispatch block to be.
struct Hub {
    entries: Vec<u32>,
    /// Vertex, slot, and the entry meant.
    redirected: Vec<(u32, u32, u32)>,
}

impl Graph {
    fn of(cfg: &Cfg) -> Graph {
        let blocks = cfg.rpo().to_vec();
        let number = |block: Block| cfg.rpo_index(block).unwrap_or(0) as u32;
        let to = blocks.iter().map(|&block| cfg.succs(block).map(number).collect()).collect();
        let count = blocks.len();
        Graph {
            blocks,
            to,
            hubs: Vec::new(),
            first_hub: count as u32,
            stamp: vec![0; count],
            stamps: 0,
            local: vec![0; count],
        }
    }

    /// Gives the vertices a fresh stamp and numbers from 0, and returns their edges among each other.
    fn among(&mut self, nodes: &[u32]) -> Rows {
        self.stamps += 1;
        for (at, &node) in (0u32..).zip(nodes) {
            self.stamp[node as usize] = self.stamps;
            self.local[node as usize] = at;
        }
        let inside = |&&to: &&u32| self.stamp[to as usize] == self.stamps;
        let row = |&node: &u32| -> Vec<u32> {
            self.to[node as usize].iter().filter(inside).map(|&to| self.local[to as usize]).collect()
        };
        nodes.iter().map(row).collect()
    }

    /// The cyclic parts of these vertices.
    fn parts(&mut self, nodes: &[u32]) -> Vec<Vec<u32>> {
        let rows = self.among(nodes);
        let parts = strong_parts(&rows);
        let cyclic = |part: &Vec<u32>| part.len() > 1 || rows[part[0] as usize].contains(&part[0]);
        let global = |part: Vec<u32>| part.into_iter().map(|at| nodes[at as usize]).collect();
        parts.into_iter().filter(cyclic).map(global).collect()
    }

    /// For each part the edges from the other vertices: vertex, slot, target.
    fn ways_in(&mut self, nodes: &[u32], parts: &[Vec<u32>]) -> Vec<Vec<(u32, u32, u32)>> {
        self.stamps += 1;
        for (number, part) in (0u32..).zip(parts) {
            for &at in part {
                self.stamp[at as usize] = self.stamps;
                self.local[at as usize] = number;
            }
        }
        let part_of = |at: u32| (self.stamp[at as usize] == self.stamps).then(|| self.local[at as usize]);
        let mut ways_in = vec![Vec::new(); parts.len()];
        for &from in nodes {
            for (slot, &to) in (0u32..).zip(&self.to[from as usize]) {
                match part_of(to) {
                    Some(part) if part_of(from) != Some(part) => {
                        ways_in[part as usize].push((from, slot, to));
                    }
                    _ => {}
                }
            }
        }
        ways_in
    }

    /// The members of a part that are reached from outside, most edges from inside first.
    fn entries(&self, part: &[u32], ways_in: &[(u32, u32, u32)]) -> Vec<u32> {
        let mut entries: Vec<u32> = ways_in.iter().map(|&(_, _, to)| to).collect();
        sort_by_number(&mut entries, |&to| to.into());
        entries.dedup();
        if entries.len() > 1 {
            let mut count = std::collections::BTreeMap::new();
            for &from in part {
                for &to in &self.to[from as usize] {
                    *count.entry(to).or_insert(0u32) += 1;
                }
            }
            sort_by_number(&mut entries, |at| u64::MAX - u64::from(count.get(at).copied().unwrap_or(0)));
        }
        entries
    }

    /// Puts a dispatch block before a part. Returns its number.
    fn detour(&mut self, part: &[u32], entries: Vec<u32>, ways_in: Vec<(u32, u32, u32)>) -> u32 {
        let hub = self.to.len() as u32;
        let mut redirected = ways_in;
        self.to.push(entries.clone());
        self.stamp.push(0);
        self.local.push(0);
        let members: Vec<u32> = std::iter::once(hub).chain(part.iter().copied()).collect();
        let rows = self.among(&members);
        let order = reverse_post_order(&rows);
        let dom = dominators(&rows, &order);
        let mut is_entry = vec![false; members.len()];
        for &entry in &entries {
            is_entry[self.local[entry as usize] as usize] = true;
        }
        for &from in &order[1..] {
            let global = members[from as usize];
            for (slot, &to) in (0u32..).zip(&self.to[global as usize]) {
                if self.stamp[to as usize] != self.stamps {
                    continue;
                }
                let to_local = self.local[to as usize];
                if is_entry[to_local as usize] && dom.retreats(from, to_local) {
                    redirected.push((global, slot, to));
                }
            }
        }
        for &(from, slot, _) in &redirected {
            self.to[from as usize][slot as usize] = hub;
        }
        self.hubs.push(Hub { entries, redirected });
        hub
    }

    /// Makes the dispatch blocks, outer ones first, and leads the edges there.
    fn write(mut self, module: &mut Module, asm: &mut Assembler, done: &mut Dispatched) {
        let hubs = std::mem::take(&mut self.hubs);
        for _ in &hubs {
            let block = asm.add_block(BlockData::default());
            self.blocks.push(block);
            done.blocks.push(block);
        }
        for (at, hub) in hubs.iter().enumerate() {
            let block = self.blocks[self.first_hub as usize + at];
            let entries: Vec<Block> = hub.entries.iter().map(|&at| self.blocks[at as usize]).collect();
            let passes = Passage::build(asm, block, &entries);
            for &(from, slot, to) in &hub.redirected {
                let entry = hub.entries.iter().position(|&entry| entry == to).unwrap_or(0);
                passes.redirect(module, asm, self.blocks[from as usize], slot as usize, entry);
            }
            done.arms += entries.len() as u32;
            done.redirected += hub.redirected.len() as u32;
        }
        if let Shape::Graph(order) = asm.body().shape().clone() {
            let order = order.iter().chain(&done.blocks).copied().collect();
            asm.graph(order);
        }
    }
}

/// A dispatch block and what its parameters stand for.
struct Passage {
    block: Block,
    /// Parameters behind the selector.
    params: Vec<Inst>,
    /// For each entry, which of `params` it takes.
    takes: Vec<Vec<usize>>,
}

impl Passage {
    fn build(asm: &mut Assembler, block: Block, entries: &[Block]) -> Passage {
        let selector = asm.add_inst(crate::ir::InstData::new(BasicOp::Param, ValueType::B32, &[]));
        asm.block_mut(block).params = crate::ir::CowVec::new(vec![selector]);
        let mut passage = Passage { block, params: Vec::new(), takes: Vec::new() };
        let mut kinds: Vec<(ValueType, Attrs)> = Vec::new();
        for &entry in entries {
            let mut taken = vec![false; kinds.len()];
            let mut takes = Vec::new();
            for &param in asm.body().block(entry).params.clone().iter() {
                let data = asm.body().inst(param);
                let kind = (data.ty, data.attrs.clone());
                let free = (0..kinds.len()).find(|&at| !taken[at] && kinds[at] == kind);
                let at = free.unwrap_or_else(|| {
                    passage.params.push(rebuild::param_like(asm, block, param));
                    kinds.push(kind);
                    taken.push(false);
                    kinds.len() - 1
                });
                taken[at] = true;
                takes.push(at);
            }
            passage.takes.push(takes);
        }
        let edge = |at: usize| Edge {
            to: entries[at],
            args: passage.takes[at].iter().map(|&param| passage.params[param]).collect(),
        };
        let last = entries.len() - 1;
        let cases = (0..last).map(|at| Case { values: vec![at as u64], edge: edge(at) }).collect();
        asm.block_mut(block).terminator = Terminator::Switch { on: selector, cases, default: edge(last) };
        passage
    }

    /// Leads an edge here instead of to an entry.
    fn redirect(&self, module: &mut Module, asm: &mut Assembler, from: Block, slot: usize, entry: usize) {
        let selector = rebuild::constant(module, asm, Width::W32, entry as u64);
        let mut new = vec![selector];
        let old = edge_of(&asm.body().block(from).terminator, slot).map(|edge| edge.args.clone());
        let old = old.unwrap_or_default();
        let mut args: Vec<Option<Inst>> = vec![None; self.params.len()];
        for (&at, &arg) in self.takes[entry].iter().zip(old.iter()) {
            args[at] = Some(arg);
        }
        let all: Vec<Inst> = std::iter::once(selector)
            .chain(args.into_iter().zip(&self.params).map(|(arg, &param)| {
                arg.unwrap_or_else(|| {
                    let undef = rebuild::inst_like(asm, BasicOp::Undef, param);
                    new.push(undef);
                    undef
                })
            }))
            .collect();
        rebuild::append(asm, from, &new);
        let edge = Edge { to: self.block, args: Args::new(&all) };
        let exit = with_edge(&asm.body().block(from).terminator, slot, edge);
        asm.block_mut(from).terminator = exit;
    }
}

fn edge_of(exit: &Terminator, slot: usize) -> Option<&Edge> {
    exit.edges().get(slot).copied()
}

/// The exit with one of its edges replaced.
fn with_edge(exit: &Terminator, slot: usize, edge: Edge) -> Terminator {
    match exit {
        Terminator::Goto(_) => Terminator::Goto(edge),
        Terminator::Branch { cond, els, .. } if slot == 0 => {
            Terminator::Branch { cond: *cond, then: edge, els: els.clone() }
        }
        Terminator::Branch { cond, then, .. } => {
            Terminator::Branch { cond: *cond, then: then.clone(), els: edge }
        }
        Terminator::Switch { on, cases, default } if slot < cases.len() => {
            let mut cases = cases.to_vec();
            cases[slot].edge = edge;
            Terminator::Switch { on: *on, cases: cases.into(), default: default.clone() }
        }
        Terminator::Switch { on, cases, .. } => {
            Terminator::Switch { on: *on, cases: cases.clone(), default: edge }
        }
        Terminator::Next(_)
        | Terminator::Break(..)
        | Terminator::Continue(..)
        | Terminator::Return(_)
        | Terminator::Stop(_) => exit.clone(),
    }
}
