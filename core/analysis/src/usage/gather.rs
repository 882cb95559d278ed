//! Backward propagation of access patterns along links until a fixpoint: from an access to the origin of its
//! pointer.
//!
//! ```text
//! ^1(%p):                       load %p           at %p: 0..4
//!   %v: b32 = load %p           %p is %q + 16     at %p: 0..4, and every 16 bytes further: the link is a cycle
//!   next(ptr.offset %p 16)      %p is %a          at %a: the same
//! ```
//!
//! Places and links form a graph, and its strongly connected components are processed one after the other,
//! derived pointers first. Within a component, the distance of a link becomes the stride of a loose step,
//! whose divisors only decrease; between components, patterns are shifted. So propagation terminates. If the
//! number of patterns explodes (a function called for every element, by one that is called for every
//! element), the remaining patterns are widened to "anywhere".

use super::traffic::{Link, PointerOrigin, Traffic};
use super::{ArrayStep, Cell, How, Memory, Steps, gcd};
use crate::graph::{Csr, components};
use rustc_hash::FxHashMap;
use vitrine_ir::{Func, Inst, Module};

/// Maximum number of propagated patterns: for each access, and in addition.
const MOST_WORK: (usize, usize) = (64, 1 << 16);

/// No pattern, no source.
const NONE: u32 = u32::MAX;

/// Some bytes, and how they are accessed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Pattern {
    /// Constant distance in bytes from the start of the place.
    pub(super) offset: i64,
    /// A list of steps.
    pub(super) steps: u32,
    pub(super) cell: Cell,
    pub(super) how: How,
}

/// A pattern of a place.
#[derive(Clone, Copy, Debug)]
struct Entry {
    pattern: Pattern,
    /// The first of its sources.
    sources: u32,
}

/// The source of a pattern.
#[derive(Clone, Copy, Debug)]
enum Source {
    Site(Func, Inst),
    Entry(u32),
    /// Any of the patterns of a place.
    Node(u32),
}

/// A link between places, by number.
#[derive(Clone, Copy, Debug)]
struct Edge {
    from: u32,
    to: u32,
    offset: i64,
    steps: u32,
}

/// All places of a module and their access patterns.
#[derive(Default, Debug)]
pub(super) struct Gathered {
    places: Vec<(Func, PointerOrigin)>,
    numbers: FxHashMap<(Option<Func>, PointerOrigin), u32>,
    pub(super) steps: Steps,
    edges: Vec<Edge>,
    entries: Vec<Entry>,
    /// Entries of each place.
    at: Vec<Vec<u32>>,
    known: FxHashMap<(u32, Pattern), u32>,
    /// Sources, each with the next one of the same entry.
    sources: Vec<(Source, u32)>,
    work: usize,
}

impl Gathered {
    /// Adds the accesses of a function.
    pub(super) fn add(&mut self, module: &Module, func: Func, traffic: &Traffic) {
        let more = traffic.accesses.len();
        self.entries.reserve(more);
        self.sources.reserve(more);
        self.known.reserve(more / 2);
        let Gathered { steps, .. } = self;
        let lists: Vec<u32> =
            traffic.steps.lists.iter().map(|list| steps.with(0, list.iter().copied())).collect();
        let list = |at: u32| lists.get(at as usize).copied().unwrap_or(0);
        let mut last = None;
        for access in &traffic.accesses {
            let place = access.at.place;
            let number = match last {
                Some((known, number)) if known == place => number,
                _ => self.number(module, func, place),
            };
            last = Some((place, number));
            let pattern = Pattern {
                offset: access.at.offset,
                steps: list(access.at.steps),
                cell: access.cell,
                how: access.how,
            };
            self.put(number, anywhere(pattern), Source::Site(func, access.inst));
        }
        for &Link { from, to } in &traffic.links {
            let edge = Edge {
                from: self.number(module, func, from.place),
                to: self.number(module, func, to),
                offset: from.offset,
                steps: list(from.steps),
            };
            self.edges.push(edge);
        }
    }

    /// The number of a place; parameters of other functions are values there.
    fn number(&mut self, module: &Module, func: Func, place: PointerOrigin) -> u32 {
        let (func, place) = match place {
            PointerOrigin::Param(callee, at) => {
                let params = module.func(callee).map_or(&[][..], |body| body.params());
                (callee, params.get(at as usize).map_or(place, |&param| PointerOrigin::Value(param)))
            }
            PointerOrigin::Result(callee) => (callee, place),
            PointerOrigin::Var(_) | PointerOrigin::Value(_) => (func, place),
        };
        let owner = if matches!(place, PointerOrigin::Var(_)) { None } else { Some(func) };
        let next = self.places.len() as u32;
        let number = *self.numbers.entry((owner, place)).or_insert(next);
        if number == next {
            self.places.push((func, place));
            self.at.push(Vec::new());
        }
        number
    }

    /// Adds a pattern to a place, or another source to an existing one. Returns the entry if it is new.
    fn put(&mut self, place: u32, pattern: Pattern, source: Source) -> Option<u32> {
        let next = self.entries.len() as u32;
        let entry = *self.known.entry((place, pattern)).or_insert(next);
        if entry == next {
            self.entries.push(Entry { pattern, sources: NONE });
            if let Some(list) = self.at.get_mut(place as usize) {
                list.push(entry);
            }
        }
        let number = self.sources.len() as u32;
        if let Some(data) = self.entries.get_mut(entry as usize) {
            self.sources.push((source, data.sources));
            data.sources = number;
        }
        (entry == next).then_some(entry)
    }

    /// Propagates along all links.
    pub(super) fn settle(&mut self) {
        let count = self.places.len();
        let into: Csr = Csr::from_pairs(count, self.edges.iter().zip(0u32..).map(|(edge, at)| (edge.to, at)));
        let succ = Csr::from_pairs(count, self.edges.iter().map(|edge| (edge.from, edge.to)));
        let (component, components) = components(&succ, |_| true);
        // Components are numbered in reverse: the target of a link comes before its source.
        let members = Csr::from_pairs(
            components as usize,
            component.iter().zip(0u32..).map(|(&component, place)| (component, place)),
        );
        let most = self.entries.len().saturating_add(self.edges.len());
        let most = most.saturating_mul(MOST_WORK.0).saturating_add(MOST_WORK.1);
        for number in 0..components {
            let inside = |edge: &Edge| component.get(edge.from as usize) == Some(&number);
            self.iterate_cycle(members.row(number), &into, &inside);
            for &place in members.row(number) {
                for &edge in into.row(place) {
                    let Some(edge) = self.edges.get(edge as usize).copied().filter(|edge| !inside(edge))
                    else {
                        continue;
                    };
                    self.forward(edge, most);
                }
            }
        }
    }

    /// Propagates along the links within a cycle.
    fn iterate_cycle(&mut self, places: &[u32], into: &Csr, inside: &impl Fn(&Edge) -> bool) {
        let is_round = |&place: &u32| {
            into.row(place).iter().any(|&edge| self.edges.get(edge as usize).is_some_and(inside))
        };
        if !places.iter().any(is_round) {
            return;
        }
        let mut work: Vec<(u32, u32)> = Vec::new();
        for &place in places {
            work.extend(self.entries_of(place).iter().map(|&entry| (place, entry)));
        }
        while let Some((place, entry)) = work.pop() {
            let Some(pattern) = self.pattern(entry) else { continue };
            for &edge in into.row(place) {
                let Some(edge) = self.edges.get(edge as usize).copied().filter(inside) else { continue };
                let widened = self.widen(pattern, edge);
                if let Some(new) = self.put(edge.from, widened, Source::Entry(entry)) {
                    work.push((edge.from, new));
                }
            }
        }
    }

    /// Forwards the patterns of the target of a link to its source.
    fn forward(&mut self, edge: Edge, most: usize) {
        let count = self.entries_of(edge.to).len();
        self.work = self.work.saturating_add(count);
        if self.work > most {
            let mut how = None;
            for &entry in self.entries_of(edge.to) {
                let more = self.pattern(entry).map_or(How::BOTH, |pattern| pattern.how);
                how = Some(how.unwrap_or(How::NONE).and(more));
            }
            if let Some(how) = how {
                let pattern = Pattern { offset: 0, steps: 0, cell: Cell::Anywhere, how };
                self.put(edge.from, pattern, Source::Node(edge.to));
            }
            return;
        }
        for at in 0..count {
            let Some(&entry) = self.entries_of(edge.to).get(at) else { break };
            let Some(pattern) = self.pattern(entry) else { continue };
            let Gathered { steps, .. } = self;
            let more = steps.list(pattern.steps).to_vec();
            let moved = match (edge.steps, more.is_empty()) {
                (list, true) => list,
                (0, false) => pattern.steps,
                (list, false) => steps.with(list, more.into_iter()),
            };
            let offset = pattern.offset.checked_add(edge.offset);
            let moved = match offset {
                Some(offset) => Pattern { offset, steps: moved, ..pattern },
                None => Pattern { cell: Cell::Anywhere, ..pattern },
            };
            self.put(edge.from, anywhere(moved), Source::Entry(entry));
        }
    }

    /// A pattern after any number of traversals of a link.
    fn widen(&mut self, pattern: Pattern, edge: Edge) -> Pattern {
        if edge.offset == 0 && edge.steps == 0 {
            return pattern;
        }
        let back = edge.offset < 0;
        let far = u32::try_from(edge.offset.unsigned_abs());
        let (Ok(far), false) = (far, back) else {
            // The start is unknown.
            return anywhere(Pattern { cell: Cell::Anywhere, ..pattern });
        };
        let by = self.steps.list(edge.steps).iter().fold(far, |all, step| gcd(all, step.stride));
        let mut list = self.steps.list(pattern.steps).to_vec();
        let loose = list.iter().position(|step| step.loose);
        let by = match loose {
            Some(at) => gcd(by, list.remove(at).stride),
            None => by,
        };
        let steps =
            self.steps.with(0, list.into_iter().chain([ArrayStep { stride: by, count: None, loose: true }]));
        Pattern { steps, ..pattern }
    }

    fn pattern(&self, entry: u32) -> Option<Pattern> {
        self.entries.get(entry as usize).map(|entry| entry.pattern)
    }

    fn entries_of(&self, place: u32) -> &[u32] {
        self.at.get(place as usize).map_or(&[], |list| list)
    }

    /// Variables, and values that are not resolved to other places.
    pub(super) fn memory(&self) -> impl Iterator<Item = Memory> + '_ {
        let mut has_source = vec![false; self.places.len()];
        for edge in &self.edges {
            if let Some(slot) = has_source.get_mut(edge.to as usize) {
                *slot = true;
            }
        }
        let mut list: Vec<Memory> = Vec::new();
        for (&(func, place), has_source) in self.places.iter().zip(has_source) {
            match place {
                PointerOrigin::Var(var) => list.push(Memory::Var(var)),
                PointerOrigin::Value(inst) if !has_source => list.push(Memory::Value(func, inst)),
                PointerOrigin::Value(_) | PointerOrigin::Param(..) | PointerOrigin::Result(_) => {}
            }
        }
        list.sort_unstable();
        list.into_iter()
    }

    /// The patterns of some memory, in order, each with its number.
    pub(super) fn patterns(&self, of: Memory) -> Vec<(Pattern, u32)> {
        let key = match of {
            Memory::Var(var) => (None, PointerOrigin::Var(var)),
            Memory::Value(func, inst) => (Some(func), PointerOrigin::Value(inst)),
        };
        let Some(&place) = self.numbers.get(&key) else { return Vec::new() };
        let list = self.entries_of(place).iter();
        let mut list: Vec<_> = list.filter_map(|&entry| Some((self.pattern(entry)?, entry))).collect();
        list.sort_unstable();
        list
    }

    /// The instructions that contribute to these patterns, in order, each once.
    pub(super) fn sites(&self, patterns: &[u32]) -> Vec<(Func, Inst)> {
        let mut seen = vec![false; self.entries.len()];
        let mut work = patterns.to_vec();
        let mut sites = Vec::new();
        while let Some(entry) = work.pop() {
            match seen.get_mut(entry as usize) {
                Some(seen) if !*seen => *seen = true,
                Some(_) | None => continue,
            }
            let mut at = self.entries.get(entry as usize).map_or(NONE, |entry| entry.sources);
            while let Some(&(source, next)) = self.sources.get(at as usize) {
                match source {
                    Source::Site(func, inst) => sites.push((func, inst)),
                    Source::Entry(entry) => work.push(entry),
                    Source::Node(place) => work.extend(self.entries_of(place)),
                }
                at = next;
            }
        }
        sites.sort_unstable();
        sites.dedup();
        sites
    }
}

/// The position of a pattern that accesses anywhere is meaningless.
fn anywhere(pattern: Pattern) -> Pattern {
    match pattern.cell {
        Cell::Anywhere => Pattern { offset: 0, steps: 0, ..pattern },
        Cell::Value(_) | Cell::Typed(_) | Cell::Bytes(_) => pattern,
    }
}
