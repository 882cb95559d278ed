//! Graphs as lists of numbers: the representation that control-flow analyses compute on after renumbering
//! ids.
//!
//! Independent of blocks. Vertices are `u32` from 0; `NONE` is no vertex. No recursion.

/// Marks the absence of a vertex.
pub(super) const NONE: u32 = u32::MAX;

/// Rows of numbers in one allocation (compressed sparse rows): successors, predecessors, children.
#[derive(Clone, Debug, Default)]
pub(super) struct Csr {
    start: Vec<u32>,
    to: Vec<u32>,
}

impl Csr {
    /// From the end of each row in `to`.
    pub(super) fn from_ends(ends: impl IntoIterator<Item = u32>, to: Vec<u32>) -> Csr {
        Csr { start: std::iter::once(0).chain(ends).collect(), to }
    }

    /// From pairs of row and entry; a row keeps the order of its pairs. `O(rows + pairs)`.
    pub(super) fn from_pairs(rows: usize, pairs: impl Iterator<Item = (u32, u32)> + Clone) -> Csr {
        let mut start = vec![0u32; rows + 1];
        for (row, _) in pairs.clone() {
            start[row as usize + 1] += 1;
        }
        for at in 1..start.len() {
            start[at] += start[at - 1];
        }
        let mut to = vec![0; start[rows] as usize];
        let mut cursor = start.clone();
        for (row, entry) in pairs {
            let slot = &mut cursor[row as usize];
            to[*slot as usize] = entry;
            *slot += 1;
        }
        Csr { start, to }
    }

    /// Number of rows.
    pub(super) fn rows(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Entries of a row.
    pub(super) fn row(&self, row: u32) -> &[u32] {
        &self.to[self.range(row)]
    }

    /// The range of a row among all entries.
    pub(super) fn range(&self, row: u32) -> std::ops::Range<usize> {
        self.start[row as usize] as usize..self.start[row as usize + 1] as usize
    }

    /// All entries, row after row.
    pub(super) fn entries(&self) -> &[u32] {
        &self.to
    }

    /// Pairs of row and entry.
    pub(super) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> + Clone + '_ {
        (0..self.rows() as u32).flat_map(|row| self.row(row).iter().map(move |&entry| (row, entry)))
    }

    /// The reversed graph; a row is in order of the sources.
    pub(super) fn reversed(&self) -> Csr {
        Csr::from_pairs(self.rows(), self.pairs().map(|(from, to)| (to, from)))
    }
}

/// A depth-first search, last successor first, so that reverse post-order has the first successor first.
pub(super) struct Dfs {
    /// Vertices reached, parents before children.
    pub(super) order: Vec<u32>,
    /// Vertices reached, in postorder.
    pub(super) post: Vec<u32>,
    /// Tree parent of each vertex; `NONE` for the root and unreached vertices.
    pub(super) parent: Vec<u32>,
    /// Position in `order` of each vertex; `NONE` for unreached vertices.
    pub(super) number: Vec<u32>,
}

impl Dfs {
    /// Searches from `root`. `O(V + E)`.
    pub(super) fn of(succ: &Csr, root: u32) -> Dfs {
        let count = succ.rows();
        let mut dfs = Dfs {
            order: Vec::with_capacity(count),
            post: Vec::with_capacity(count),
            parent: vec![NONE; count],
            number: vec![NONE; count],
        };
        let mut stack = Vec::new();
        dfs.enter(succ, root, NONE, &mut stack);
        while let Some((at, rest)) = stack.last_mut() {
            let at = *at;
            let Some(left) = rest.checked_sub(1) else {
                dfs.post.push(at);
                stack.pop();
                continue;
            };
            *rest = left;
            let to = succ.row(at)[left];
            if dfs.number[to as usize] == NONE {
                dfs.enter(succ, to, at, &mut stack);
            }
        }
        dfs
    }

    fn enter(&mut self, succ: &Csr, at: u32, parent: u32, stack: &mut Vec<(u32, usize)>) {
        self.number[at as usize] = self.order.len() as u32;
        self.parent[at as usize] = parent;
        self.order.push(at);
        stack.push((at, succ.row(at).len()));
    }
}

/// A forest that answers ancestor queries in constant and nearest-common-ancestor queries in logarithmic
/// time, in linear memory: intervals of a preorder, and one jump pointer for each vertex (Myers, "An
/// applicative random-access stack", 1983).
#[derive(Clone, Debug, Default)]
pub(super) struct Forest {
    parent: Vec<u32>,
    depth: Vec<u32>,
    pre: Vec<u32>,
    end: Vec<u32>,
    jump: Vec<u32>,
}

impl Forest {
    /// Builds it from the vertices, parents before children, and the parent of each. `O(V)`.
    pub(super) fn new(order: &[u32], parent: Vec<u32>) -> Forest {
        let count = parent.len();
        let mut size = vec![0u32; count];
        for &at in order.iter().rev() {
            size[at as usize] += 1;
            if let Some(up) = size.get(parent[at as usize] as usize).copied() {
                size[parent[at as usize] as usize] = up + size[at as usize];
            }
        }
        let mut forest = Forest {
            parent,
            depth: vec![0; count],
            pre: vec![NONE; count],
            end: vec![0; count],
            jump: vec![NONE; count],
        };
        let mut roots = 0;
        let mut cursor = vec![0u32; count];
        for &at in order {
            let v = at as usize;
            let up = forest.parent[v];
            let slot = if up == NONE { &mut roots } else { &mut cursor[up as usize] };
            let pre = *slot;
            *slot += size[v];
            forest.pre[v] = pre;
            forest.end[v] = pre + size[v];
            cursor[v] = pre + 1;
            forest.hang(at, up);
        }
        forest
    }

    fn hang(&mut self, at: u32, up: u32) {
        if up == NONE {
            self.jump[at as usize] = at;
            return;
        }
        let near = self.jump[up as usize];
        let far = self.jump[near as usize];
        let [d0, d1, d2] = [up, near, far].map(|v| self.depth[v as usize]);
        self.depth[at as usize] = d0 + 1;
        self.jump[at as usize] = if d0 - d1 == d1 - d2 { far } else { up };
    }

    /// Parent, or `NONE`.
    pub(super) fn parent(&self, at: u32) -> u32 {
        self.parent[at as usize]
    }

    /// Number of ancestors, excluding the vertex itself.
    pub(super) fn depth(&self, at: u32) -> u32 {
        self.depth[at as usize]
    }

    /// Position in a preorder of the forest.
    pub(super) fn pre(&self, at: u32) -> u32 {
        self.pre[at as usize]
    }

    /// Number of vertices below and including `at`.
    pub(super) fn size(&self, at: u32) -> u32 {
        self.end[at as usize].saturating_sub(self.pre[at as usize])
    }

    /// Returns true if `up` is `at` or an ancestor of it. False if either is not in the forest.
    pub(super) fn covers(&self, up: u32, at: u32) -> bool {
        let pre = self.pre[at as usize];
        self.pre[up as usize] <= pre && pre < self.end[up as usize]
    }

    /// The lowest vertex above or at both; `NONE` if they share no tree. `O(log V)`.
    pub(super) fn nearest_common(&self, a: u32, b: u32) -> u32 {
        let mut at = a;
        while at != NONE && !self.covers(at, b) {
            let far = self.jump[at as usize];
            at = if far == NONE || far == at || self.covers(far, b) { self.parent[at as usize] } else { far };
        }
        at
    }
}

/// Strongly connected components by Tarjan (1972): the component of each vertex that `keep` admits, and the
/// number of components. A component has a smaller number than its predecessors. `O(V + E)`.
pub(super) fn components(succ: &Csr, keep: impl Fn(u32) -> bool) -> (Vec<u32>, u32) {
    let count = succ.rows();
    let mut tarjan = Tarjan {
        number: vec![NONE; count],
        low: vec![NONE; count],
        component: vec![NONE; count],
        pending: Vec::new(),
        frames: Vec::new(),
        seen: 0,
        found: 0,
    };
    for root in 0..count as u32 {
        if keep(root) && tarjan.number[root as usize] == NONE {
            tarjan.search(succ, root, &keep);
        }
    }
    (tarjan.component, tarjan.found)
}

struct Tarjan {
    number: Vec<u32>,
    low: Vec<u32>,
    component: Vec<u32>,
    pending: Vec<u32>,
    frames: Vec<(u32, usize)>,
    seen: u32,
    found: u32,
}

impl Tarjan {
    fn search(&mut self, succ: &Csr, root: u32, keep: &impl Fn(u32) -> bool) {
        self.enter(root);
        while let Some((at, done)) = self.frames.last_mut() {
            let at = *at;
            if let Some(&to) = succ.row(at).get(*done) {
                *done += 1;
                if !keep(to) {
                    continue;
                }
                if self.number[to as usize] == NONE {
                    self.enter(to);
                } else if self.component[to as usize] == NONE {
                    self.low[at as usize] = self.low[at as usize].min(self.number[to as usize]);
                }
                continue;
            }
            self.frames.pop();
            self.leave(at);
        }
    }

    fn enter(&mut self, at: u32) {
        self.number[at as usize] = self.seen;
        self.low[at as usize] = self.seen;
        self.seen += 1;
        self.pending.push(at);
        self.frames.push((at, 0));
    }

    fn leave(&mut self, at: u32) {
        let low = self.low[at as usize];
        if let Some(&(up, _)) = self.frames.last() {
            self.low[up as usize] = self.low[up as usize].min(low);
        }
        if low != self.number[at as usize] {
            return;
        }
        while let Some(member) = self.pending.pop() {
            self.component[member as usize] = self.found;
            if member == at {
                break;
            }
        }
        self.found += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Random, random_graph};

    fn csr(rows: &[Vec<u32>]) -> Csr {
        let pairs = rows.iter().enumerate().flat_map(|(at, row)| row.iter().map(move |&to| (at as u32, to)));
        Csr::from_pairs(rows.len(), pairs)
    }

    #[test]
    fn components_are_petgraphs() {
        let mut random = Random::new(1);
        for _ in 0..2_000 {
            let rows = random_graph(&mut random, 24);
            let (ours, found) = components(&csr(&rows), |_| true);
            let graph = crate::testing::petgraph(&rows);
            let theirs = petgraph::algo::tarjan_scc(&graph);
            assert_eq!(theirs.len(), found as usize);
            for component in theirs {
                let first = ours[component[0].index()];
                assert!(component.iter().all(|at| ours[at.index()] == first));
            }
        }
    }

    #[test]
    fn nearest_common_ancestors_are_those_of_walking_up() {
        let mut random = Random::new(2);
        for _ in 0..300 {
            let count = 2 + random.below(60) as u32;
            let chain = random.below(2) == 0;
            let parent: Vec<u32> = (0..count)
                .map(|at| match at {
                    0 => NONE,
                    _ if random.below(20) == 0 => NONE,
                    _ if chain => at - 1,
                    _ => random.below(u64::from(at)) as u32,
                })
                .collect();
            let order: Vec<u32> = (0..count).collect();
            let forest = Forest::new(&order, parent.clone());
            let path = |mut at: u32| {
                let mut path = Vec::new();
                while at != NONE {
                    path.push(at);
                    at = parent[at as usize];
                }
                path
            };
            for a in 0..count {
                for b in 0..count {
                    let (up_a, up_b) = (path(a), path(b));
                    let want = up_a.iter().copied().find(|v| up_b.contains(v)).unwrap_or(NONE);
                    assert_eq!(forest.nearest_common(a, b), want);
                    assert_eq!(forest.covers(a, b), up_b.contains(&a));
                }
            }
        }
    }
}
