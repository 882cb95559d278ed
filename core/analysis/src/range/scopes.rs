//! Constraints on each value, by the blocks in which they hold.
//!
//! A constraint established by an edge holds in a block and all blocks it dominates: an interval of the
//! preorder of the dominator tree. The intervals of one value nest, so each has an enclosing one, and a list
//! of the positions at which the innermost one changes answers queries for any block in `O(log n)`.

use super::refine::Refinement;
use rustc_hash::FxHashMap;
use vitrine_ir::Inst;

/// Maximum number of constraints on one value considered in one block: the innermost ones.
const NEAREST: usize = 8;

const NONE: u32 = u32::MAX;

/// Constraints on every value.
#[derive(Clone, Debug, Default)]
pub(super) struct Scopes {
    of: FxHashMap<Inst, Scope>,
}

/// Constraints on one value.
#[derive(Clone, Debug, Default)]
struct Scope {
    /// The constraints, each with its enclosing one.
    refinement: Vec<(Refinement, u32)>,
    /// Positions in preorder at which the innermost constraint changes, and the new one or none.
    marks: Vec<(u32, u32)>,
    /// Open constraints, innermost last, and the end of each.
    open: Vec<(u32, u32)>,
}

impl Scopes {
    /// Adds a constraint that holds for an interval of the preorder. Intervals are added in the order of
    /// their starts, and of two with the same start the longer comes first.
    pub(super) fn add(&mut self, value: Inst, from: u32, to: u32, refinement: Refinement) {
        let scope = self.of.entry(value).or_default();
        scope.close(from);
        let around = scope.open.last().map_or(NONE, |&(at, _)| at);
        let at = scope.refinement.len() as u32;
        scope.refinement.push((refinement, around));
        scope.marks.push((from, at));
        scope.open.push((at, to));
    }

    /// Closes all open constraints, after everything was added.
    pub(super) fn finish(&mut self) {
        for scope in self.of.values_mut() {
            scope.close(NONE);
        }
    }

    /// The constraints on a value at a position in preorder, innermost first.
    pub(super) fn at(&self, value: Inst, place: u32) -> impl Iterator<Item = &Refinement> {
        let scope = self.of.get(&value);
        let first = scope.map_or(NONE, |scope| {
            let after = scope.marks.partition_point(|&(from, _)| from <= place);
            after.checked_sub(1).and_then(|at| scope.marks.get(at)).map_or(NONE, |&(_, at)| at)
        });
        let entry = move |at: u32| scope.and_then(|scope| scope.refinement.get(at as usize));
        std::iter::successors(entry(first), move |&&(_, around)| entry(around))
            .map(|(refinement, _)| refinement)
            .take(NEAREST)
    }
}

impl Scope {
    fn close(&mut self, before: u32) {
        while let Some(&(_, to)) = self.open.last()
            && to <= before
        {
            self.open.pop();
            let around = self.open.last().map_or(NONE, |&(at, _)| at);
            self.marks.push((to, around));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use vitrine_ir::base::EntityId;

    fn lows(scopes: &Scopes, value: Inst, place: u32) -> Vec<u64> {
        let low = |refinement: &Refinement| match refinement {
            Refinement::Among(low, _) => *low,
            Refinement::Compared(..) => 99,
        };
        scopes.at(value, place).map(low).collect()
    }

    #[test]
    fn the_innermost_constraint_comes_first_and_has_an_end() {
        let mut scopes = Scopes::default();
        let value = Inst::from_index(3);
        for (number, (from, to)) in
            [(2, 10), (2, 10), (4, 6), (5, 6), (8, 9), (12, 13)].into_iter().enumerate()
        {
            scopes.add(value, from, to, Refinement::Among(number as u64, 100));
        }
        scopes.finish();
        let wanted: [&[u64]; 14] = [
            &[],
            &[],
            &[1, 0],
            &[1, 0],
            &[2, 1, 0],
            &[3, 2, 1, 0],
            &[1, 0],
            &[1, 0],
            &[4, 1, 0],
            &[1, 0],
            &[],
            &[],
            &[5],
            &[],
        ];
        for (place, wanted) in (0..).zip(wanted) {
            assert_eq!(lows(&scopes, value, place), wanted, "at {place}");
        }
        assert!(lows(&scopes, Inst::from_index(4), 2).is_empty());
    }

    #[test]
    fn only_the_nearest_constraints_are_used() {
        let mut scopes = Scopes::default();
        let value = Inst::from_index(0);
        for at in 0..100 {
            scopes.add(value, at, 100, Refinement::Among(at.into(), 0));
        }
        scopes.finish();
        assert_eq!(lows(&scopes, value, 50), [50, 49, 48, 47, 46, 45, 44, 43]);
        assert!(lows(&scopes, value, 100).is_empty());
    }
}
