//! Options of graphs: folds, opened and pinned blocks; text search in graphs, and their overlays.
//!
//! The page holds the options and sends them with every request, so that restarting the compiler loses
//! nothing.

use super::Session;
use super::find::find;
use super::fold::Regions;
use super::graph::of_number;
use super::overlay::{Ask, overlay};
use crate::analysis::Analyses;
use crate::base::EntityId;
use crate::ir::{Anchor, Block, Func};
use crate::layout::input_of;
use vitrine_protocol::layout::{Fold, FoundEntry};
use vitrine_protocol::{GraphOptions, GraphToggle, Overlay, OverlayRequest, Table};

impl Session {
    /// The current options.
    pub fn view(&self) -> &GraphOptions {
        &self.view
    }

    /// Replaces the options. Their toggle is applied by [`Session::toggle`] only.
    pub fn set_view(&mut self, view: GraphOptions) {
        self.view = view;
    }

    /// Changes the options for a click on a block of a function's graph in a version. A changed fold is laid out anew, so that
    /// it takes only the space it needs.
    pub fn toggle(&mut self, at: usize, func: u32, toggle: GraphToggle) {
        if !matches!(toggle, GraphToggle::Lines(_)) {
            self.forget_places(func);
        }
        match toggle {
            GraphToggle::Layout => {}
            GraphToggle::Lines(block) => match self.view.opened_blocks.iter().position(|&open| open == block)
            {
                Some(place) => drop(self.view.opened_blocks.remove(place)),
                None => self.view.opened_blocks.push(block),
            },
            GraphToggle::Fold(block) | GraphToggle::Loop(block) => {
                let folded = self.view.folds.iter().position(|&(_, first)| first == block);
                match (folded, self.offer(at, func, toggle)) {
                    // If two folds begin at one block, the outer one is visible.
                    (Some(_), _) => self.view.folds.retain(|&(_, first)| first != block),
                    (None, Some(fold)) => self.view.folds.push(fold),
                    (None, None) => {}
                }
            }
            GraphToggle::All => {
                let here = Func::from_index(func as usize);
                let numbers = &self.numbers;
                let before = self.view.folds.len();
                self.view.folds.retain(|&(_, first)| of_number(numbers, here, first).is_none());
                if self.view.folds.len() == before {
                    #[allow(clippy::redundant_closure_for_method_calls)] // a path is not general enough
                    let all = self.regions(at, func, |regions| regions.all());
                    self.fold_all(func, all);
                }
            }
        }
    }

    fn fold_all(&mut self, func: u32, all: Vec<(Fold, Block)>) {
        let func = Func::from_index(func as usize);
        for (kind, block) in all {
            let number = self.numbers.number(Anchor::Block(func, block));
            self.view.folds.push((kind, number));
        }
    }

    fn offer(&mut self, at: usize, func: u32, toggle: GraphToggle) -> Option<(Fold, u32)> {
        let here = Func::from_index(func as usize);
        let (kind, head) = match toggle {
            GraphToggle::Loop(block) => (Fold::Loop, of_number(&self.numbers, here, block)?),
            GraphToggle::Fold(block) => {
                let block = of_number(&self.numbers, here, block)?;
                self.regions(at, func, |regions| regions.offer(block))?
            }
            GraphToggle::All | GraphToggle::Lines(_) | GraphToggle::Layout => return None,
        };
        Some((kind, self.numbers.number(Anchor::Block(here, head))))
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

    /// An overlay of a function in a version. Near-linear in the function; analyses of the last graph are not computed again.
    pub fn overlay(&mut self, request: &OverlayRequest) -> Overlay {
        let version = self.version(request.version as usize).clone();
        let ask = Ask {
            module: &version,
            func: Func::from_index(request.function as usize),
            kind: request.kind,
            chosen: request.chosen.and_then(|number| self.numbers.anchor(number)),
            executions: request.executions.entries(),
        };
        let marked = overlay(&ask, &mut self.numbers, &mut self.analyses);
        Overlay { serial: request.serial, ..marked }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_protocol::layout::block_flags;

    const TEXT: &str = "func @0(%0: b1) graph {\n^0:\n  goto ^1\n^1:\n  branch %0, ^2, ^3\n^2:\n  goto ^1\n^3:\n  return\n}\n";

    #[test]
    fn folds_open_again_and_all_is_all() {
        let mut session = Session::new();
        session.open(TEXT.as_bytes(), "");
        let graph = session.graph(0, 0);
        let number = |at: usize| graph.blocks.entries()[at].id;
        session.toggle(0, 0, GraphToggle::Fold(number(2)));
        assert_eq!(session.view().folds, [(Fold::Loop, number(1))], "the loop around it");
        assert_eq!(session.graph(0, 0).blocks.entries().len(), 3);
        session.toggle(0, 0, GraphToggle::Fold(number(1)));
        assert!(session.view().folds.is_empty());
        assert_eq!(session.graph(0, 0).blocks, graph.blocks, "opened again, laid out as at first");
        session.toggle(0, 0, GraphToggle::All);
        assert_eq!(session.view().folds, [(Fold::Loop, number(1))]);
        session.toggle(0, 0, GraphToggle::All);
        session.toggle(0, 0, GraphToggle::Loop(number(0)));
        session.toggle(0, 0, GraphToggle::Fold(999));
        assert_eq!(session.graph(0, 0).blocks.entries().len(), 4);
        session.toggle(0, 0, GraphToggle::Lines(number(1)));
        assert_eq!(session.view().opened_blocks, [number(1)]);
        let found = session.find(0, 0, "branch");
        assert_eq!(found.entries(), [FoundEntry { block: number(1), id: number(1) }]);
        assert!(session.find(7, 7, "branch").entries().is_empty());
        let pins = vec![[number(3) as i32, 1, 2], [999, 3, 4]];
        session.set_view(GraphOptions { pins, ..GraphOptions::default() });
        session.open(TEXT.replace("return", "unreachable").as_bytes(), "");
        let edited = session.graph(0, 0);
        let blocks = edited.blocks.entries().iter();
        let pinned: Vec<u32> =
            blocks.filter(|of| of.flags & block_flags::PINNED != 0).map(|of| of.id).collect();
        assert_eq!(pinned, [number(3)], "the same block of the edited input");
        session.toggle(0, 0, GraphToggle::Layout);
        assert_eq!(session.view().pins.len(), 2, "pins stay");
    }
}
