//! Visibility of values by block: by dominance in a graph, by nesting in a tree.
//!
//! In a tree, the values of a block are visible in later blocks of its region and in the regions nested there;
//! a value leaves a node only as a block parameter. Some values of a loop body are also visible in the
//! continuing region; this analysis omits them, which is conservative. Nothing is kept up to date after an
//! edit.

use vitrine_analysis::{Analyses, Dom};
use vitrine_ir::base::SideTable;
use vitrine_ir::{Block, Editor, FuncBody, Inst, Nesting, Shape, Use};

/// The tree of scopes: the values of a block are visible in all blocks below it.
pub(crate) struct Scopes {
    order: Vec<Block>,
    above: SideTable<Block, Option<Block>>,
    /// Some ancestor, chosen so that climbing takes few steps (Myers, "An applicative random-access stack",
    /// 1983).
    further: SideTable<Block, Option<Block>>,
    depth: SideTable<Block, u32>,
}

impl Scopes {
    /// Computes the tree. `O(E log V)` for a graph, linear for a tree.
    pub(crate) fn of(ed: &Editor<'_>, analyses: &mut Analyses) -> Scopes {
        let body = ed.func();
        let mut scopes = Scopes {
            order: crate::util::open::in_order(body),
            above: SideTable::new(),
            further: SideTable::new(),
            depth: SideTable::new(),
        };
        match body.shape() {
            Shape::Graph(_) => {
                let dom = analyses.get::<Dom>(ed.module(), ed.id());
                scopes.build_tree(|block| dom.idom(block));
            }
            Shape::Tree(_) => {
                let nesting = Nesting::of(body);
                scopes.build_tree(|block| before(body, &nesting, block));
            }
            Shape::Declaration => {}
        }
        scopes
    }

    fn build_tree(&mut self, above: impl Fn(Block) -> Option<Block>) {
        for &block in &self.order {
            let Some(up) = above(block) else { continue };
            self.above[block] = Some(up);
            self.depth[block] = self.depth[up] + 1;
            let first = self.further[up];
            let second = first.and_then(|first| self.further[first]);
            let length =
                |from: Block, to: Option<Block>| self.depth[from] - to.map_or(0, |to| self.depth[to]);
            let same = first.is_some_and(|first| length(up, Some(first)) == length(first, second));
            self.further[block] = if same && second.is_some() { second } else { Some(up) };
        }
    }

    /// The blocks, each after its ancestors.
    pub(crate) fn order(&self) -> &[Block] {
        &self.order
    }

    /// The parent of a block.
    pub(crate) fn above(&self, block: Block) -> Option<Block> {
        self.above[block]
    }

    /// Returns true if `up` is `block` or an ancestor of it. `O(log V)`.
    pub(crate) fn covers(&self, up: Block, block: Block) -> bool {
        self.climb(block, self.depth[up]) == Some(up)
    }

    /// The lowest common ancestor of two blocks. `O(log V)`.
    pub(crate) fn common(&self, a: Block, b: Block) -> Option<Block> {
        let level = self.depth[a].min(self.depth[b]);
        let (mut a, mut b) = (self.climb(a, level)?, self.climb(b, level)?);
        while a != b {
            let (far_a, far_b) = (self.further[a], self.further[b]);
            let same_depth = far_a.zip(far_b).is_some_and(|(a, b)| self.depth[a] == self.depth[b]);
            (a, b) = match (far_a, far_b) {
                (Some(far_a), Some(far_b)) if same_depth && far_a != far_b => (far_a, far_b),
                _ => (self.above[a]?, self.above[b]?),
            };
        }
        Some(a)
    }

    /// The ancestor of a block at a depth.
    fn climb(&self, block: Block, depth: u32) -> Option<Block> {
        let mut at = block;
        while self.depth[at] > depth {
            at = match self.further[at] {
                Some(far) if self.depth[far] >= depth => far,
                Some(_) | None => self.above[at]?,
            };
        }
        (self.depth[at] == depth).then_some(at)
    }

    /// The lowest block that covers all uses of a value; none if it is unused, or a use is unreachable.
    pub(crate) fn of_readers(&self, ed: &Editor<'_>, value: Inst) -> Option<Block> {
        let mut all: Option<Block> = None;
        for place in ed.uses(value) {
            let block = reader(ed, place)?;
            all = Some(match all {
                Some(common) if common == block => common,
                Some(common) => self.common(common, block)?,
                None => block,
            });
        }
        all
    }
}

/// The block of a use.
pub(crate) fn reader(ed: &Editor<'_>, place: Use) -> Option<Block> {
    match place {
        Use::Arg(inst, _) => ed.block_of(inst),
        Use::Terminator(block, _) => Some(block),
        Use::Node(node) => ed.block_before(node),
    }
}

/// The block before this one in its region, or before the enclosing node.
fn before(body: &FuncBody, nesting: &Nesting, block: Block) -> Option<Block> {
    let place = nesting.block(block)?;
    let (region, at) = match place.at {
        0 => {
            let node = nesting.node(nesting.owner(place.region)?)?;
            (node.region, node.at)
        }
        at => (place.region, at),
    };
    let data = body.region(region);
    match at {
        0 | 1 => Some(data.head),
        at => data.rest.get(at - 2).map(|&(_, block)| block),
    }
}
