//! Graph algorithms on numbered vertices, for the dispatch: components, reverse post-order, dominators.
//!
//! The analyses work on functions; the dispatch works on subgraphs that change. Vertex 0 is the root. No
//! recursion.

use vitrine_ir::base::sort_by_number;

/// Successors of each vertex.
pub(super) type Rows = Vec<Vec<u32>>;

const NONE: u32 = u32::MAX;

/// Strongly connected components by Tarjan (1972), each in ascending order, in order of their least members.
pub(super) fn strong_components(rows: &Rows) -> Vec<Vec<u32>> {
    let count = rows.len();
    let (mut number, mut low, mut part) = (vec![NONE; count], vec![NONE; count], vec![NONE; count]);
    let (mut pending, mut frames) = (Vec::new(), Vec::<(u32, usize)>::new());
    let (mut seen, mut found) = (0, 0);
    for root in 0..count as u32 {
        let mut entered = (number[root as usize] == NONE).then_some(root);
        loop {
            if let Some(at) = entered.take() {
                (number[at as usize], low[at as usize]) = (seen, seen);
                seen += 1;
                pending.push(at);
                frames.push((at, 0));
            }
            let Some((at, next)) = frames.last_mut() else { break };
            let at = *at as usize;
            if let Some(&to) = rows[at].get(*next) {
                *next += 1;
                if number[to as usize] == NONE {
                    entered = Some(to);
                } else if part[to as usize] == NONE {
                    low[at] = low[at].min(number[to as usize]);
                }
                continue;
            }
            frames.pop();
            if let Some(&(up, _)) = frames.last() {
                low[up as usize] = low[up as usize].min(low[at]);
            }
            if low[at] != number[at] {
                continue;
            }
            while let Some(member) = pending.pop() {
                part[member as usize] = found;
                if member as usize == at {
                    break;
                }
            }
            found += 1;
        }
    }
    let mut parts = vec![Vec::new(); found as usize];
    for at in 0..count as u32 {
        parts[part[at as usize] as usize].push(at);
    }
    sort_by_number(&mut parts, |part: &Vec<u32>| part[0].into());
    parts
}

/// Vertices reachable from 0, in reverse post-order; the first successor's subtree comes first.
pub(super) fn reverse_post_order(rows: &Rows) -> Vec<u32> {
    let mut met = vec![false; rows.len()];
    let mut post = Vec::with_capacity(rows.len());
    let mut stack = vec![(0u32, rows[0].len())];
    met[0] = true;
    while let Some((at, rest)) = stack.last_mut() {
        let at = *at;
        let Some(left) = rest.checked_sub(1) else {
            post.push(at);
            stack.pop();
            continue;
        };
        *rest = left;
        let to = rows[at as usize][left];
        if !std::mem::replace(&mut met[to as usize], true) {
            stack.push((to, rows[to as usize].len()));
        }
    }
    post.reverse();
    post
}

/// Dominance of the vertices reachable from 0.
pub(super) struct Dominance {
    /// Position in reverse post-order.
    rpo: Vec<u32>,
    /// The position of a vertex in a preorder of the dominator tree, and the end of its subtree.
    span: Vec<(u32, u32)>,
}

impl Dominance {
    /// Returns true if an edge goes back to a vertex that does not dominate its source.
    pub(super) fn retreats(&self, from: u32, to: u32) -> bool {
        let (start, end) = self.span[to as usize];
        let at = self.span[from as usize].0;
        self.rpo[to as usize] <= self.rpo[from as usize] && !(start <= at && at < end)
    }
}

/// Dominators by Georgiadis and Tarjan's semi-NCA.
pub(super) fn dominators(rows: &Rows, order: &[u32]) -> Dominance {
    let count = rows.len();
    let search = Search::of(rows);
    let mut preds = vec![Vec::new(); count];
    for &from in order {
        for &to in &rows[from as usize] {
            preds[search.number[to as usize] as usize].push(search.number[from as usize]);
        }
    }
    let met = search.order.len();
    let mut semi: Vec<u32> = (0..met as u32).collect();
    let mut label = semi.clone();
    let mut ancestor = search.parent.clone();
    let mut idom = search.parent.clone();
    let mut path = Vec::new();
    for w in (1..met as u32).rev() {
        for &v in &preds[w as usize] {
            let u = if v <= w { v } else { eval(v, w, &semi, &mut label, &mut ancestor, &mut path) };
            semi[w as usize] = semi[w as usize].min(semi[u as usize]);
        }
        label[w as usize] = w;
    }
    for w in 1..met {
        while idom[w] > semi[w] {
            idom[w] = idom[idom[w] as usize];
        }
    }
    // A dominator has a smaller search number than what it dominates.
    let mut size = vec![1u32; met];
    for w in (1..met).rev() {
        size[idom[w] as usize] += size[w];
    }
    let mut cursor = vec![1u32; met];
    let mut pre = vec![0u32; met];
    for w in 1..met {
        let up = idom[w] as usize;
        pre[w] = cursor[up];
        cursor[up] += size[w];
        cursor[w] = pre[w] + 1;
    }
    let mut rpo = vec![NONE; count];
    for (at, &v) in (0u32..).zip(order) {
        rpo[v as usize] = at;
    }
    let span = search.number.iter().map(|&w| match w {
        NONE => (NONE, NONE),
        w => (pre[w as usize], pre[w as usize] + size[w as usize]),
    });
    Dominance { rpo, span: span.collect() }
}

/// The vertex with the least semidominator between `v` and the vertices that are not linked yet, which are up
/// to `w`.
fn eval(v: u32, w: u32, semi: &[u32], label: &mut [u32], ancestor: &mut [u32], path: &mut Vec<u32>) -> u32 {
    let mut at = v;
    while ancestor[at as usize] > w {
        path.push(at);
        at = ancestor[at as usize];
    }
    let root = ancestor[at as usize];
    let mut above = at;
    while let Some(at) = path.pop() {
        let (best, own) = (label[above as usize], label[at as usize]);
        if semi[best as usize] < semi[own as usize] {
            label[at as usize] = best;
        }
        ancestor[at as usize] = root;
        above = at;
    }
    label[v as usize]
}

/// A depth-first search from 0: vertices in order of discovery, their numbers, and parents by number.
struct Search {
    order: Vec<u32>,
    number: Vec<u32>,
    parent: Vec<u32>,
}

impl Search {
    fn of(rows: &Rows) -> Search {
        let mut search = Search { order: Vec::new(), number: vec![NONE; rows.len()], parent: Vec::new() };
        let mut stack = vec![(0u32, 0usize)];
        search.enter(0, 0);
        while let Some((at, next)) = stack.last_mut() {
            let from = *at;
            let Some(&to) = rows[from as usize].get(*next) else {
                stack.pop();
                continue;
            };
            *next += 1;
            if search.number[to as usize] == NONE {
                search.enter(to, search.number[from as usize]);
                stack.push((to, 0));
            }
        }
        search
    }

    fn enter(&mut self, at: u32, parent: u32) {
        self.number[at as usize] = self.order.len() as u32;
        self.order.push(at);
        self.parent.push(parent);
    }
}
