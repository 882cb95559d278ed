//! The order in which blocks are laid out, and the back edges.
//!
//! The order determines the points at which invocations reconverge: the machine always runs the invocations
//! with the lowest program counter (`machine`). So the order must have two properties: code that is executed
//! later in an iteration comes later, and a loop is contiguous, followed by all paths that leave it. The text
//! order of a tree has both. For a graph it is reverse post-order with each loop made contiguous.
//!
//! A loop of a graph is the one that the importer declared (SPIR-V: the blocks that its header structurally
//! dominates and its merge block does not), or, without a declaration, its natural loop. A back edge leads to
//! the *latch* at the end of the loop first, so that no invocation starts an iteration before all invocations
//! have ended the previous one.

use std::rc::Rc;
use vitrine_analysis::{Cfg, Dom, Loops};
use vitrine_ir::base::SideTable;
use vitrine_ir::{Block, FuncBody, NodeKind, Shape, TreeStep, TreeWalk};

/// A loop, by number.
pub(crate) type Ring = u32;

/// An item of the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Item {
    Block(Block),
    /// The end of a loop.
    Latch(Ring),
}

/// The reachable blocks in order, and their loops.
#[derive(Debug, Default)]
pub(crate) struct Order {
    pub(crate) items: Vec<Item>,
    place: SideTable<Block, u32>,
    inner: SideTable<Block, Option<Ring>>,
    /// The parent of each loop, and its depth.
    outer: Vec<(Option<Ring>, u32)>,
    /// The header of each loop.
    headers: Vec<Block>,
}

impl Order {
    /// Number of loops.
    pub(crate) fn rings(&self) -> usize {
        self.outer.len()
    }

    /// The latch at which an edge waits; `None` for a forward edge.
    pub(crate) fn latch(&self, from: Block, to: Block) -> Option<Ring> {
        if self.place[to] > self.place[from] {
            return None;
        }
        // The innermost loop that contains both. For an edge to the header of a loop, that loop.
        let (mut a, mut b) = (self.inner[from], self.inner[to]);
        loop {
            match (a, b) {
                (Some(x), Some(y)) if x == y => return Some(x),
                (Some(x), Some(y)) if self.depth(x) > self.depth(y) => a = self.outer_of(x),
                (Some(x), Some(y)) if self.depth(x) < self.depth(y) => b = self.outer_of(y),
                (Some(x), Some(y)) => (a, b) = (self.outer_of(x), self.outer_of(y)),
                (None, _) | (_, None) => return None,
            }
        }
    }

    fn depth(&self, ring: Ring) -> u32 {
        self.outer.get(ring as usize).map_or(0, |&(_, depth)| depth)
    }

    fn outer_of(&self, ring: Ring) -> Option<Ring> {
        self.outer.get(ring as usize).and_then(|&(outer, _)| outer)
    }

    fn add_ring(&mut self, header: Block, outer: Option<Ring>) -> Ring {
        let depth = outer.map_or(0, |outer| self.depth(outer)) + 1;
        self.outer.push((outer, depth));
        self.headers.push(header);
        (self.outer.len() - 1) as Ring
    }

    fn number(mut self) -> Order {
        for (at, item) in self.items.iter().enumerate() {
            if let Item::Block(block) = *item {
                self.place[block] = at as u32;
            }
        }
        self
    }
}

/// The order of a function of either shape. Near-linear; declared loops cost their depth.
pub(crate) fn order(body: &FuncBody, cfg: &Rc<Cfg>) -> Order {
    match body.shape() {
        Shape::Tree(_) => of_tree(body, cfg),
        Shape::Graph(_) | Shape::Declaration => of_graph(body, cfg),
    }
}

fn of_tree(body: &FuncBody, cfg: &Cfg) -> Order {
    let mut order = Order::default();
    let mut around: Vec<Ring> = Vec::new();
    for step in TreeWalk::new(body) {
        match step {
            TreeStep::Enter(node) => {
                if let NodeKind::Loop { body: region, .. } = body.node(node).kind {
                    let ring = order.add_ring(body.region(region).head, around.last().copied());
                    around.push(ring);
                }
            }
            TreeStep::Leave(node) => {
                if matches!(body.node(node).kind, NodeKind::Loop { .. })
                    && let Some(ring) = around.pop()
                {
                    order.items.push(Item::Latch(ring));
                }
            }
            TreeStep::Block(block) if cfg.is_reachable(block) => {
                order.inner[block] = around.last().copied();
                order.items.push(Item::Block(block));
            }
            TreeStep::Block(_) | TreeStep::Open(..) => {}
        }
    }
    order.number()
}

/// The declaration of a loop by the importer, and the loop.
#[derive(Clone, Copy)]
struct Declared {
    header: Block,
    merge: Block,
    cont: Block,
    ring: Ring,
}

fn of_graph(body: &FuncBody, cfg: &Rc<Cfg>) -> Order {
    let mut order = Order::default();
    let loops = Loops::of(body, cfg);
    let dom = Dom::of(cfg);
    // The declared constructs of which a block is the merge block or the continue target.
    let mut ends: SideTable<Block, Vec<Block>> = SideTable::new();
    let declared = |block: Block| {
        let hint = body.block(block).merge.as_ref()?;
        Some((hint.merge, hint.cont?)).filter(|_| loops.headed_by(block).is_some())
    };
    for &header in cfg.rpo() {
        if let Some(hint) = &body.block(header).merge {
            ends[hint.merge].push(header);
            if let Some(cont) = hint.cont {
                ends[cont].push(header);
            }
        }
    }
    let mut rings: SideTable<Block, Option<Ring>> = SideTable::new();
    for &header in cfg.rpo() {
        let Some(natural) = loops.headed_by(header) else { continue };
        let outer = order.inner[header];
        let ring = order.add_ring(header, outer);
        rings[header] = Some(ring);
        for &member in loops.members(natural) {
            if order.inner[member] == outer {
                order.inner[member] = Some(ring);
            }
        }
        if let Some((merge, cont)) = declared(header) {
            extend(&mut order, &dom, &ends, Declared { header, merge, cont, ring }, outer);
        }
    }
    draw_together(&mut order, cfg, &rings);
    order.number()
}

/// Adds the blocks of a declared loop that are not in its natural loop: exit paths with separate code.
fn extend(
    order: &mut Order,
    dom: &Dom,
    ends: &SideTable<Block, Vec<Block>>,
    of: Declared,
    outer: Option<Ring>,
) {
    let mut work = vec![of.header];
    while let Some(block) = work.pop() {
        let is_end = |&header: &Block| {
            // The end of the loop itself, and the ends of enclosing constructs: those that start before its
            // header.
            (header == of.header && block == of.merge)
                || (header != of.header && dom.strictly_dominates(header, of.header))
        };
        let own = block == of.cont || block == of.header;
        if block == of.merge || (!own && ends[block].iter().any(is_end)) {
            continue;
        }
        if order.inner[block] == outer {
            order.inner[block] = Some(of.ring);
        }
        work.extend(dom.children(block));
    }
}

/// Lists blocks in reverse post-order, with each loop contiguous at the position of its header.
fn draw_together(order: &mut Order, cfg: &Cfg, rings: &SideTable<Block, Option<Ring>>) {
    let mut inside: Vec<Vec<Block>> = vec![Vec::new(); order.outer.len()];
    let mut top = Vec::new();
    for &block in cfg.rpo() {
        // A header represents its loop in the list of the enclosing loop.
        let home = match rings[block] {
            Some(ring) => order.outer_of(ring),
            None => order.inner[block],
        };
        match home.and_then(|ring| inside.get_mut(ring as usize)) {
            Some(list) => list.push(block),
            None => top.push(block),
        }
    }
    let mut items = Vec::with_capacity(cfg.rpo().len() + inside.len());
    let mut work: Vec<(std::vec::IntoIter<Block>, Option<Ring>)> = vec![(top.into_iter(), None)];
    while let Some((list, ring)) = work.last_mut() {
        let Some(block) = list.next() else {
            items.extend(ring.map(Item::Latch));
            work.pop();
            continue;
        };
        items.push(Item::Block(block));
        if let Some(ring) = rings[block] {
            let list = inside.get_mut(ring as usize).map(std::mem::take).unwrap_or_default();
            work.push((list.into_iter(), Some(ring)));
        }
    }
    order.items = items;
}
