//! Step 1: makes an irreducible graph reducible with a minimum number of redirected edges.
//!
//! Every strongly connected component with several entry blocks gets one *dispatch block*. Edges from outside,
//! and inner edges back to an entry that does not dominate their source, are redirected to it and pass their
//! original target as a selector.
//!
//! ```text
//! ^0: branch %c, ^1, ^2          ^0: branch %c, ^5(0), ^5(1)
//! ^1: branch %d, ^2, ^3    =>    ^5(%sel): switch %sel {0: ^1, default: ^2}
//! ^2: goto ^1                    ^1: branch %d, ^2, ^3
//!                                ^2: goto ^5(0)
//! ```
//!
//! All other edges are unchanged. No block is copied. The arguments of the entries are passed through the
//! dispatch block; edges with another target pass `undef` for them. Values need no changes: dominance is
//! preserved, since all entries of a component are reached without passing through it.

use super::tables::{Rows, dominators, reverse_post_order, strong_components};
use crate::util::rebuild;
use std::rc::Rc;
use vitrine_analysis::{Cfg, Loops};
use vitrine_ir::base::sort_by_number;
use vitrine_ir::ops::{BasicOp, ValueType, Width};
use vitrine_ir::{Args, Assembler, Attrs, Block, BlockData, Case, Edge, Inst, Module, Shape, Terminator};

/// Statistics of the redirection.
#[derive(Clone, Debug, Default)]
pub(super) struct Dispatched {
    /// The number of dispatch blocks created.
    pub(super) blocks: Vec<Block>,
    /// The total number of their targets.
    pub(super) arms: u32,
    /// The number of edges redirected to them.
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
        let components = graph.components(&inside);
        let incoming_edges = graph.incoming_edges(&nodes, &components);
        for (mut component, incoming_edges) in components.into_iter().zip(incoming_edges) {
            let entries = graph.entries(&component, &incoming_edges);
            let &[one] = &entries[..] else {
                let hub = graph.detour(&component, entries, incoming_edges);
                component.push(hub);
                work.push((component, hub));
                continue;
            };
            work.push((component, one));
        }
    }
    graph.write(module, asm, &mut done);
    done
}

/// The graph with numbered vertices. Numbers below the first hub are positions in reverse post-order.
struct Graph {
    blocks: Vec<Block>,
    /// The target of each successor slot of each vertex.
    to: Vec<Vec<u32>>,
    hubs: Vec<Hub>,
    first_hub: u32,
    /// The stamp of the component search that visited a vertex last; scratch.
    stamp: Vec<u32>,
    stamps: u32,
    /// The number of a vertex in the subgraph that is searched; scratch.
    local: Vec<u32>,
}

/// A dispatch block to be created.
struct Hub {
    entries: Vec<u32>,
    /// Vertex, slot, and the intended entry.
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

    /// Gives the vertices a new stamp and numbers from 0, and returns the edges among them.
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

    /// The cyclic components of these vertices.
    fn components(&mut self, nodes: &[u32]) -> Vec<Vec<u32>> {
        let rows = self.among(nodes);
        let components = strong_components(&rows);
        let cyclic =
            |component: &Vec<u32>| component.len() > 1 || rows[component[0] as usize].contains(&component[0]);
        let global = |component: Vec<u32>| component.into_iter().map(|at| nodes[at as usize]).collect();
        components.into_iter().filter(cyclic).map(global).collect()
    }

    /// For each component the edges from the other vertices: vertex, slot, target.
    fn incoming_edges(&mut self, nodes: &[u32], components: &[Vec<u32>]) -> Vec<Vec<(u32, u32, u32)>> {
        self.stamps += 1;
        for (number, component) in (0u32..).zip(components) {
            for &at in component {
                self.stamp[at as usize] = self.stamps;
                self.local[at as usize] = number;
            }
        }
        let component_of =
            |at: u32| (self.stamp[at as usize] == self.stamps).then(|| self.local[at as usize]);
        let mut incoming_edges = vec![Vec::new(); components.len()];
        for &from in nodes {
            for (slot, &to) in (0u32..).zip(&self.to[from as usize]) {
                match component_of(to) {
                    Some(component) if component_of(from) != Some(component) => {
                        incoming_edges[component as usize].push((from, slot, to));
                    }
                    _ => {}
                }
            }
        }
        incoming_edges
    }

    /// The members of a component that are reached from outside, most edges from inside first.
    fn entries(&self, component: &[u32], incoming_edges: &[(u32, u32, u32)]) -> Vec<u32> {
        let mut entries: Vec<u32> = incoming_edges.iter().map(|&(_, _, to)| to).collect();
        sort_by_number(&mut entries, |&to| to.into());
        entries.dedup();
        if entries.len() > 1 {
            let mut count = std::collections::BTreeMap::new();
            for &from in component {
                for &to in &self.to[from as usize] {
                    *count.entry(to).or_insert(0u32) += 1;
                }
            }
            sort_by_number(&mut entries, |at| u64::MAX - u64::from(count.get(at).copied().unwrap_or(0)));
        }
        entries
    }

    /// Inserts a dispatch block before a component. Returns its number.
    fn detour(&mut self, component: &[u32], entries: Vec<u32>, incoming_edges: Vec<(u32, u32, u32)>) -> u32 {
        let hub = self.to.len() as u32;
        let mut redirected = incoming_edges;
        self.to.push(entries.clone());
        self.stamp.push(0);
        self.local.push(0);
        let members: Vec<u32> = std::iter::once(hub).chain(component.iter().copied()).collect();
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

    /// Creates the dispatch blocks, outer ones first, and redirects the edges.
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

/// A dispatch block and the meaning of its parameters.
struct Passage {
    block: Block,
    /// Parameters after the selector.
    params: Vec<Inst>,
    /// For each entry, the indices in `params` of its arguments.
    takes: Vec<Vec<usize>>,
}

impl Passage {
    fn build(asm: &mut Assembler, block: Block, entries: &[Block]) -> Passage {
        let selector = asm.add_inst(vitrine_ir::InstData::new(BasicOp::Param, ValueType::B32, &[]));
        asm.block_mut(block).params = vitrine_ir::CowVec::new(vec![selector]);
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

    /// Redirects an edge of an entry to this block.
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
        let terminator = with_edge(&asm.body().block(from).terminator, slot, edge);
        asm.block_mut(from).terminator = terminator;
    }
}

fn edge_of(terminator: &Terminator, slot: usize) -> Option<&Edge> {
    terminator.edges().get(slot).copied()
}

/// The terminator with one of its edges replaced.
fn with_edge(terminator: &Terminator, slot: usize, edge: Edge) -> Terminator {
    match terminator {
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
        | Terminator::Stop(_) => terminator.clone(),
    }
}
