//! Parts of a control-flow graph that fold into one box: a loop, a branch with the blocks it controls, a
//! sequence of blocks.
//!
//! A fold is identified by its kind and its first block, so that it persists across steps; its members are
//! computed again in every version. Refuses to fold unreachable blocks, which have no first block.

use crate::analysis::{Analyses, Cfg, Dom, PostDom};
use crate::base::{SideTable, sort_by_number};
use crate::ir::{Block, Func, Module};
use crate::layout::{GroupKind, Input};
use std::rc::Rc;
use vitrine_protocol::layout::Fold;

/// The word for a fold.
fn word(fold: Fold) -> &'static str {
    match fold {
        Fold::Loop => "loop",
        Fold::Branch => "branch",
        Fold::Sequence => "sequence",
    }
}

/// The regions of a function. Computing is linear in blocks and the loops around each; each query of one fold
/// is linear in its answer.
pub(super) struct Regions<'a> {
    input: &'a Input,
    cfg: Rc<Cfg>,
    dom: Rc<Dom>,
    post: Rc<PostDom>,
    /// The node of each block.
    node: SideTable<Block, Option<u32>>,
    /// First node of each group.
    first: Vec<Option<u32>>,
    /// Nodes of each loop, by its group, including nodes of nested loops.
    inside: Vec<Vec<u32>>,
}

impl<'a> Regions<'a> {
    /// The regions of the function that `input` was made from.
    pub(super) fn of(module: &Module, func: Func, analyses: &mut Analyses, input: &'a Input) -> Regions<'a> {
        let mut node = SideTable::new();
        let mut first = vec![None; input.groups.len()];
        let mut inside = vec![Vec::new(); input.groups.len()];
        for (at, of) in (0u32..).zip(&input.nodes) {
            node[of.block] = Some(at);
            let mut around = of.group.map(|group| group as usize);
            while let Some(group) = around.filter(|&group| group < input.groups.len()) {
                first[group].get_or_insert(at);
                if input.groups[group].kind == GroupKind::Band {
                    inside[group].push(at);
                }
                around = input.groups[group].parent.map(|up| up as usize).filter(|&up| up < group);
            }
        }
        Regions {
            input,
            cfg: analyses.get::<Cfg>(module, func),
            dom: analyses.get::<Dom>(module, func),
            post: analyses.get::<PostDom>(module, func),
            node,
            first,
            inside,
        }
    }

    /// The loop with this header: its group.
    fn headed(&self, block: Block) -> Option<u32> {
        let node = self.node[block]?;
        let is = |&group: &u32| {
            self.first.get(group as usize) == Some(&Some(node))
                && self.input.groups.get(group as usize).is_some_and(|of| of.kind == GroupKind::Band)
        };
        self.around(node).find(is)
    }

    /// Groups around a node, innermost first.
    fn around(&self, node: u32) -> impl Iterator<Item = u32> + '_ {
        let inner = self.input.nodes.get(node as usize).and_then(|node| node.group);
        std::iter::successors(inner, |&group| self.input.groups.get(group as usize)?.parent)
    }

    /// The innermost loop around a block.
    fn inner_loop(&self, block: Block) -> Option<u32> {
        let band =
            |&group: &u32| self.input.groups.get(group as usize).is_some_and(|of| of.kind == GroupKind::Band);
        self.around(self.node[block]?).find(band)
    }

    fn is_branch(&self, block: Block) -> bool {
        let mut targets: Vec<Block> = self.cfg.succs(block).collect();
        targets.dedup();
        targets.len() > 1 && self.cfg.is_reachable(block)
    }

    /// The blocks that a branch controls: those it dominates up to the point where its paths meet, inside the
    /// same loop.
    fn decided(&self, head: Block) -> Vec<u32> {
        let merge = self.post.ipdom(head).filter(|&merge| self.dom.strictly_dominates(head, merge));
        let around = self.inner_loop(head);
        let mut out = Vec::new();
        let mut stack = vec![head];
        while let Some(block) = stack.pop() {
            if around.is_none_or(|group| self.is_in(group, block)) {
                out.extend(self.node[block]);
            }
            stack.extend(self.dom.children(block).filter(|&below| Some(below) != merge));
        }
        sort_by_number(&mut out, |&at| at.into());
        out
    }

    fn is_in(&self, group: u32, block: Block) -> bool {
        self.node[block].is_some_and(|node| self.around(node).any(|around| around == group))
    }

    /// The block after this one in a sequence.
    fn next(&self, block: Block) -> Option<Block> {
        let mut to = self.cfg.succs(block);
        let only = to.next().filter(|_| to.next().is_none())?;
        let alone = self.cfg.preds(only).len() == 1 && self.inner_loop(only) == self.inner_loop(block);
        (alone && Some(only) != self.cfg.entry() && self.cfg.is_reachable(only)).then_some(only)
    }

    fn sequence_start(&self, block: Block) -> Block {
        let mut first = block;
        // A sequence is entered only at its start, so a reachable one is not a cycle.
        while let Some(before) =
            self.cfg.preds(first).next().filter(|&before| self.next(before) == Some(first))
        {
            first = before;
        }
        first
    }

    /// Nodes of a fold, those of its first block before the others; none if there is nothing to fold.
    pub(super) fn members(&self, kind: Fold, head: Block) -> Vec<u32> {
        let Some(first) = self.node[head].filter(|_| self.cfg.is_reachable(head)) else { return Vec::new() };
        let mut members: Vec<u32> = match kind {
            Fold::Loop => self
                .headed(head)
                .and_then(|group| self.inside.get(group as usize))
                .cloned()
                .unwrap_or_default(),
            Fold::Branch if !self.is_branch(head) => Vec::new(),
            Fold::Branch => self.decided(head),
            Fold::Sequence if self.sequence_start(head) != head => Vec::new(),
            Fold::Sequence => {
                let blocks = std::iter::successors(Some(head), |&block| self.next(block));
                blocks.filter_map(|block| self.node[block]).collect()
            }
        };
        if members.len() < 2 || !members.contains(&first) {
            return Vec::new();
        }
        members.retain(|&at| at != first);
        members.insert(0, first);
        members
    }

    /// The fold of a block: the loop of which it is the header, the branch it controls, the sequence it is in,
    /// or the innermost loop or branch around it that is not the whole function.
    pub(super) fn offer(&self, block: Block) -> Option<(Fold, Block)> {
        if !self.cfg.is_reachable(block) {
            return None;
        }
        let some = |kind: Fold, head: Block| (!self.members(kind, head).is_empty()).then_some((kind, head));
        let own = some(Fold::Loop, block).or_else(|| some(Fold::Branch, block));
        own.or_else(|| some(Fold::Sequence, self.sequence_start(block))).or_else(|| {
            let mut above = std::iter::successors(self.dom.idom(block), |&up| self.dom.idom(up));
            above.find_map(|up| {
                let of = |kind| {
                    let members = self.members(kind, up);
                    let holds = self.node[block].is_some_and(|node| members.contains(&node));
                    // The whole function is not folded for one block in it.
                    (holds && members.len() < self.input.nodes.len()).then_some((kind, up))
                };
                (self.headed(up).is_some().then(|| of(Fold::Loop)).flatten())
                    .or_else(|| self.is_branch(up).then(|| of(Fold::Branch)).flatten())
            })
        })
    }

    /// The folds of "fold everything": the outermost loops, or the outermost branches if there is no loop.
    pub(super) fn all(&self) -> Vec<(Fold, Block)> {
        let header = |at: usize| {
            let node = self.first.get(at).copied().flatten()?;
            let block = self.input.nodes.get(node as usize)?.block;
            (self.headed(block) == Some(at as u32)).then_some((Fold::Loop, block))
        };
        let outer = |at: &usize| {
            let groups = &self.input.groups;
            let up = std::iter::successors(groups.get(*at).and_then(|of| of.parent), |&up| {
                groups.get(up as usize)?.parent
            });
            up.into_iter().all(|up| groups.get(up as usize).is_none_or(|of| of.kind != GroupKind::Band))
        };
        let loops: Vec<(Fold, Block)> = (0..self.first.len()).filter(outer).filter_map(header).collect();
        if !loops.is_empty() {
            return loops;
        }
        let mut taken = vec![false; self.input.nodes.len()];
        let mut out = Vec::new();
        for (at, node) in self.input.nodes.iter().enumerate() {
            if taken.get(at) == Some(&true) || !self.is_branch(node.block) || at == 0 {
                continue;
            }
            let members = self.members(Fold::Branch, node.block);
            for &member in &members {
                if let Some(slot) = taken.get_mut(member as usize) {
                    *slot = true;
                }
            }
            if !members.is_empty() {
                out.push((Fold::Branch, node.block));
            }
        }
        out
    }
}

/// The text of a folded box.
pub(super) fn box_text(kind: Fold, blocks: usize, insts: usize) -> [String; 2] {
    let many = |count: usize, word: &str| format!("{count} {word}{}", if count == 1 { "" } else { "s" });
    [format!("{} of {}", word(kind), many(blocks, "block")), many(insts, "instruction")]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::EntityId;
    use crate::layout::input_of;
    use crate::text::parse;

    /// A loop of three blocks after a sequence of two, and a branch inside it.
    const TEXT: &str = "func @0(%0: b1) graph {\n^0:\n  goto ^1\n^1:\n  goto ^2\n^2:\n  branch %0, ^3, ^6\n^3:\n  branch %0, ^4, ^5\n^4:\n  goto ^5\n^5:\n  goto ^2\n^6:\n  return\n^7:\n  goto ^7\n}\n";

    fn with<T>(check: impl FnOnce(&Regions<'_>) -> T) -> T {
        let module = parse(TEXT).module;
        let func = Func::from_index(0);
        let mut analyses = Analyses::new();
        let input = input_of(&module, func, &mut analyses, |_| (10, 10));
        check(&Regions::of(&module, func, &mut analyses, &input))
    }

    fn block(at: usize) -> Block {
        Block::from_index(at)
    }

    #[test]
    fn a_block_folds_what_it_heads_or_is_in() {
        with(|regions| {
            let offer = |at| regions.offer(block(at)).map(|(kind, head)| (kind, head.index()));
            assert_eq!(offer(0), Some((Fold::Sequence, 0)));
            assert_eq!(offer(1), Some((Fold::Sequence, 0)));
            assert_eq!(offer(2), Some((Fold::Loop, 2)));
            assert_eq!(offer(3), Some((Fold::Branch, 3)));
            assert_eq!(offer(4), Some((Fold::Branch, 3)));
            assert_eq!(offer(5), Some((Fold::Loop, 2)));
            assert_eq!((offer(6), offer(7)), (None, None));
        });
    }

    #[test]
    fn a_branch_ends_where_its_paths_meet() {
        with(|regions| {
            let blocks = |kind, at| {
                let members = regions.members(kind, block(at));
                members.iter().map(|&at| regions.input.nodes[at as usize].block.index()).collect::<Vec<_>>()
            };
            assert_eq!(blocks(Fold::Branch, 3), [3, 4]);
            assert_eq!(blocks(Fold::Loop, 2), [2, 3, 4, 5]);
            assert_eq!(blocks(Fold::Sequence, 0), [0, 1]);
            assert!(blocks(Fold::Sequence, 1).is_empty() && blocks(Fold::Loop, 3).is_empty());
            assert!(blocks(Fold::Loop, 7).is_empty(), "unreachable");
            assert_eq!(regions.all(), [(Fold::Loop, block(2))]);
        });
    }

    #[test]
    fn what_only_the_whole_function_holds_folds_nothing() {
        let text = "func @0(%0: b1) graph {\n^0:\n  branch %0, ^1, ^2\n^1:\n  return\n^2:\n  return\n}\n";
        let module = parse(text).module;
        let (func, mut analyses) = (Func::from_index(0), Analyses::new());
        let input = input_of(&module, func, &mut analyses, |_| (10, 10));
        let regions = Regions::of(&module, func, &mut analyses, &input);
        assert_eq!(regions.offer(block(1)), None);
        assert_eq!(regions.offer(block(0)), Some((Fold::Branch, block(0))));
    }

    #[test]
    fn a_box_names_its_fold_and_counts() {
        assert_eq!(box_text(Fold::Loop, 12, 1), ["loop of 12 blocks", "1 instruction"]);
    }
}
