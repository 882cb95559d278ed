//! Loops: levels of `rep`, and what leaves them.
//!
//! A loop repeats 255 times at most, so others are nested: an outer `rep` repeats the inner one until the loop is left.
//! Its exit is known to the outer one either because the exit is a test at the start of each iteration, which is simply
//! repeated, or by a flag. A loop that counts to a constant, or to an integer of a uniform buffer that only counts
//! iterations, needs no test at all.
//!
//! Refuses more than four levels.

use super::super::code::{Model, Place, Reading, Source, Temp};
use super::super::counted::{Counted, Limit, MOST_REPEATS};
use super::super::select::float;
use super::{Open, OpenLoop, Writer};
use crate::sm1::{File, Op as Sm1, Register};
use vitrine_ir::{Block, Help, Node, NodeKind, Terminator};

/// The depth of nested loops.
const MOST_DEPTH: usize = 4;

/// The levels of a loop of which nothing is known.
const USUAL_LEVELS: usize = 3;

impl Writer<'_, '_> {
    pub(super) fn enter_loop(&mut self, node: Node) {
        let (inside, unknown) = self.heights.get(&node).copied().unwrap_or_default();
        let free = MOST_DEPTH.saturating_sub(self.depth() + inside);
        let counted = self.counted.get(&node).cloned();
        let register = match &counted {
            Some(Counted { test, limit: Some(limit), .. }) => {
                self.skipped.insert(*test);
                match *limit {
                    Limit::Register(register) => register,
                    Limit::Constant(count) => self.integer(count),
                }
            }
            Some(_) | None => self.integer(MOST_REPEATS),
        };
        let levels = counted.as_ref().and_then(Counted::levels).unwrap_or_else(|| {
            // Loops of unknown length share the levels that others leave.
            let levels = (1 + free.saturating_sub(1) / (unknown + 1)).min(USUAL_LEVELS);
            self.select.cut_loops.push((self.select.anchor, MOST_REPEATS.pow(levels as u32)));
            levels
        });
        if levels > free {
            let depth = MOST_DEPTH + levels - free;
            let says = format!("loops are nested to a depth of {depth}");
            self.select.refuse("D154", says, "shader model 3 has four levels, of 255 iterations each");
        }
        let test = counted.as_ref().and_then(|counted| counted.repeats_test.then_some(counted.test));
        let is_fixed = levels == 1 && free == MOST_DEPTH && self.select.is_vertex;
        let is_only = counted.as_ref().is_some_and(|counted| counted.limit.is_some() && counted.is_only_exit);
        if self.select.model == Model::Two && !(is_fixed && is_only) {
            let says = "a loop has no form in shader model 2".to_owned();
            self.select.refuse(
                "D152",
                says,
                Help::text("vertex shaders repeat code a known number of times; pass")
                    .pass("loop-unroll")
                    .then("unrolls others"),
            );
        }
        let flag = (levels > 1 && test.is_none()).then(|| self.select.temp(1, false));
        let written = counted.as_ref().filter(|counted| counted.limit.is_some());
        let leaving = written.map(|counted| counted.leaving);
        let is_early = written.is_some_and(|counted| !counted.is_only_exit);
        if let Some(leaving) = leaving.filter(|_| is_early) {
            self.edges(leaving);
        }
        for _ in 0..levels {
            let source = Source::of(Place::Fixed(register));
            self.select.emit(Sm1::Rep, 0, Reading::First, None, vec![source]);
        }
        self.set_flag(flag, 1.0);
        self.open.push(Open::Loop(OpenLoop { node, levels, flag, test, leaving, is_early }));
    }

    /// The register with a constant number of iterations.
    fn integer(&mut self, count: u32) -> Register {
        let values = [count, 0, 0, 0];
        let known = self.select.integers.iter().find(|&(_, known)| *known == values).map(|(&at, _)| at);
        let number = known.or_else(|| {
            let free = self.select.interface.free_integer(&self.select.integers)?;
            self.select.integers.insert(free, values);
            Some(free)
        });
        let Some(number) = number else {
            self.select.refuse(
                "D154",
                "more than 16 integers count iterations".to_owned(),
                "shader model 3 has 16 registers for integers",
            );
            return Register::new(File::ConstInt, 0);
        };
        Register::new(File::ConstInt, number)
    }

    fn set_flag(&mut self, flag: Option<Temp>, value: f32) {
        if let Some(flag) = flag {
            self.select.gather_to(Place::Temp(flag), &[float(value)]);
        }
    }

    pub(super) fn leave_loop(&mut self, open: &OpenLoop) {
        self.set_flag(open.flag, 0.0);
        self.plain(Sm1::EndRep);
        for _ in 1..open.levels {
            match (open.flag, open.test) {
                (Some(flag), _) => {
                    let set = Source::scalar(Place::Temp(flag), 0);
                    self.select.emit(Sm1::BreakC, 5, Reading::First, None, vec![set, set.negate()]);
                }
                (None, Some(test)) => self.repeat_test(open.node, test),
                (None, None) => {}
            }
            self.plain(Sm1::EndRep);
        }
        if let Some(leaving) = open.leaving.filter(|_| !open.is_early) {
            self.edges(leaving);
        }
    }

    /// Leaves an outer level of a loop if the test at the start of an iteration would.
    fn repeat_test(&mut self, node: Node, test: Node) {
        let body = self.select.body;
        let NodeKind::If { cond, then, .. } = body.node(test).kind else { return };
        let leaves_then =
            matches!(body.terminator(body.region(then).head), Terminator::Break(of, _) if *of == node);
        let leaving = match (&body.node(test).kind, leaves_then) {
            (NodeKind::If { then, .. }, true) => body.region(*then).head,
            (NodeKind::If { els, .. }, false) => body.region(*els).head,
            _ => return,
        };
        self.condition(cond);
        if !leaves_then {
            self.plain(Sm1::Else);
        }
        self.edges(leaving);
        self.plain(Sm1::Break);
        self.plain(Sm1::EndIf);
    }

    /// Gives the values of a loop that has run as often as it counts, where the next iteration may be one too many.
    pub(super) fn next_iteration(&mut self, block: Block) {
        let Some(Open::Loop(OpenLoop { leaving: Some(leaving), is_early: true, .. })) = self.open.last()
        else {
            return;
        };
        let leaving = *leaving;
        // Not at the start of a construct inside of the loop.
        if self.select.cfg.enters(block).is_none() {
            self.edges(leaving);
        }
    }
}
