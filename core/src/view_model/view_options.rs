//! Options of graphs: folds, opened and pinned blocks; text search in graphs, and their overlays.
//!
//! The page holds the options and sends them with every request, so that restarting the compiler loses
//! nothing.

use super::find::find;
use super::fold::Regions;
use super::graph::of_number;
use super::overlay::{Ask, Counts, Overlay, OverlayKind, overlay};
use super::{Session, View};
use crate::analysis::Analyses;
use crate::base::EntityId;
use crate::ir::{Anchor, Block, Func};
use crate::layout::input_of;
use vitrine_protocol::Table;
use vitrine_protocol::layout::FoundEntry;

/// A change of the options.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Toggle {
    /// Folds or opens the region of a block.
    Fold(u32),
    /// Folds or opens the loop that a block heads.
    Loop(u32),
    /// Folds all loops, or branches where there is no loop; opens everything if anything is folded.
    All,
    /// Shows a long block whole, or cuts it again.
    Lines(u32),
    /// Forgets the positions of blocks, except pins.
    Layout,
}

impl Toggle {
    /// The change from two numbers of the page: 1 fold, 2 loop, 3 all, 4 lines, 5 layout; then the block.
    pub fn numbered([kind, block]: [u32; 2]) -> Option<Toggle> {
        match kind {
            1 => Some(Toggle::Fold(block)),
            2 => Some(Toggle::Loop(block)),
            3 => Some(Toggle::All),
            4 => Some(Toggle::Lines(block)),
            5 => Some(Toggle::Layout),
            _ => None,
        }
    }
}

impl Session {
    /// The current options.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// Replaces the options.
    pub fn set_view(&mut self, view: View) {
        self.view = view;
    }

    /// Changes the options for a click on a block of a function's graph in a version. A changed fold is laid out anew, so that
    /// it takes only the space it needs.
    pub fn toggle(&mut self, at: usize, func: u32, toggle: Toggle) {
        if !matches!(toggle, Toggle::Lines(_)) {
            self.forget_places(func);
        }
        match toggle {
            Toggle::Layout => {}
            Toggle::Lines(block) => match self.view.open.iter().position(|&open| open == block) {
                Some(place) => drop(self.view.open.remove(place)),
                None => self.view.open.push(block),
            },
            Toggle::Fold(block) | Toggle::Loop(block) => {
                let folded = self.view.folds.iter().position(|&[_, first]| first == block);
                match (folded, self.offer(at, func, toggle)) {
                    // If two folds begin at one block, the outer one is visible.
                    (Some(_), _) => self.view.folds.retain(|&[_, first]| first != block),
                    (None, Some(fold)) => self.view.folds.push(fold),
                    (None, None) => {}
                }
            }
            Toggle::All => {
                let here = Func::from_index(func as usize);
                let numbers = &self.numbers;
                let before = self.view.folds.len();
                self.view.folds.retain(|&[_, first]| of_number(numbers, here, first).is_none());
                if self.view.folds.len() == before {
                    #[allow(clippy::redundant_closure_for_method_calls)] // a path is not general enough
                    let all = self.regions(at, func, |regions| regions.all());
                    self.fold_all(func, all);
                }
            }
        }
    }

    fn fold_all(&mut self, func: u32, all: Vec<(super::fold::FoldKind, Block)>) {
        let func = Func::from_index(func as usize);
        for (kind, block) in all {
            let number = self.numbers.number(Anchor::Block(func, block));
            self.view.folds.push([kind.number(), number]);
        }
    }

    fn offer(&mut self, at: usize, func: u32, toggle: Toggle) -> Option<[u32; 2]> {
        let here = Func::from_index(func as usize);
        let (kind, head) = match toggle {
            Toggle::Loop(block) => (super::fold::FoldKind::Loop, of_number(&self.numbers, here, block)?),
            Toggle::Fold(block) => {
                let block = of_number(&self.numbers, here, block)?;
                self.regions(at, func, |regions| regions.offer(block))?
            }
            Toggle::All | Toggle::Lines(_) | Toggle::Layout => return None,
        };
        Some([kind.number(), self.numbers.number(Anchor::Block(here, head))])
    }

    fn regions<T: Default>(&self, at: usize, func: u32, compute: impl FnOnce(&Regions<'_>) -> T) -> T {
        let module = self.version(at);
        let func = Func::from_index(func as usize);
        if module.func(func).is_none() {
            return T::default();
        }
        let mut analyses = Analyses::new();
        let input = input_of(module, func, &mut analyses, |_| (1, 1));
        compute(&Regions::of(module, func, &mut analyses, &input))
    }

    /// The matches of `query` in a function of a version.
    pub fn find(&mut self, at: usize, func: u32, query: &str) -> Table<FoundEntry> {
        let version = self.version(at).clone();
        find(&version, Func::from_index(func as usize), query, &mut self.numbers)
    }

    /// An overlay of a function in a version. `chosen` is the number of the chosen thing; `counts` are those of the last run
    /// of the version, or empty. Near-linear in the function; analyses of the last graph are not computed again.
    pub fn overlay(
        &mut self,
        at: usize,
        func: u32,
        kind: OverlayKind,
        chosen: Option<u32>,
        counts: &Counts,
    ) -> Overlay {
        let version = self.version(at).clone();
        let chosen = chosen.and_then(|number| self.numbers.anchor(number));
        let func = Func::from_index(func as usize);
        let ask = Ask { module: &version, func, kind, chosen, counts };
        overlay(&ask, &mut self.numbers, &mut self.analyses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "func @0(%0: b1) graph {\n^0:\n  goto ^1\n^1:\n  branch %0, ^2, ^3\n^2:\n  goto ^1\n^3:\n  return\n}\n";

    #[test]
    fn folds_open_again_and_all_is_all() {
        let mut session = Session::new();
        session.open(TEXT.as_bytes(), "");
        let graph = session.graph(0, 0);
        let number = |at: usize| graph.blocks[12 * at] as u32;
        session.toggle(0, 0, Toggle::Fold(number(2)));
        assert_eq!(session.view().folds, [[1, number(1)]], "the loop around it");
        assert_eq!(session.graph(0, 0).block_count(), 3);
        session.toggle(0, 0, Toggle::Fold(number(1)));
        assert!(session.view().folds.is_empty());
        assert_eq!(session.graph(0, 0).blocks, graph.blocks, "opened again, laid out as at first");
        session.toggle(0, 0, Toggle::All);
        assert_eq!(session.view().folds, [[1, number(1)]]);
        session.toggle(0, 0, Toggle::All);
        session.toggle(0, 0, Toggle::Loop(number(0)));
        session.toggle(0, 0, Toggle::Fold(999));
        assert_eq!(session.graph(0, 0).block_count(), 4);
        session.toggle(0, 0, Toggle::Lines(number(1)));
        assert_eq!(session.view().open, [number(1)]);
        let found = session.find(0, 0, "branch");
        assert_eq!(found.entries(), [FoundEntry { block: number(1), id: number(1) }]);
        assert!(session.find(7, 7, "branch").entries().is_empty());
        session.set_view(View { pins: vec![(number(3), [1, 2]), (999, [3, 4])], ..View::default() });
        session.open(TEXT.replace("return", "unreachable").as_bytes(), "");
        let edited = session.graph(0, 0);
        let pinned: Vec<i32> = edited.blocks.chunks(12).filter(|of| of[7] & 8 != 0).map(|of| of[0]).collect();
        assert_eq!(pinned, [number(3) as i32], "the same block of the edited input");
        session.toggle(0, 0, Toggle::Layout);
        assert_eq!(session.view().pins.len(), 2, "pins stay");
        assert_eq!(Toggle::numbered([3, 0]), Some(Toggle::All));
        assert_eq!(Toggle::numbered([0, 0]), None);
    }
}
