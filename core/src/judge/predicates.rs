//! The predicates of checks: their names, arguments and documentation.
//!
//! The functions that compute them are in `counts`, `sets`, `truths` and `behavior`, by the same names; a test evaluates
//! every one of them. Independent of programs.

use self::PredicateKind as Kind;
use crate::base::nearest;

/// The kind of an argument of a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Param {
    /// A block: `^3`.
    Block,
    /// A value: `%5`.
    Value,
    /// A variable: `$t_3`.
    Var,
    /// A block, a value or a variable.
    Entity,
    /// An integer.
    Number,
    /// An operation: `fadd`.
    Op,
    /// The code of a diagnostic: `E061`.
    Code,
    /// A way to structurize: `faithful`.
    Mode,
    /// A program of the task: `start`, or one that a line `program:` names.
    Program,
    /// A case of the task, by its name.
    Case,
    /// The text of a pipeline, to the closing parenthesis.
    Pipeline,
}

impl Param {
    fn name(self) -> &'static str {
        match self {
            Param::Block => "block",
            Param::Value => "value",
            Param::Var => "variable",
            Param::Entity => "block, value or variable",
            Param::Number => "number",
            Param::Op => "operation",
            Param::Code => "code",
            Param::Mode => "mode",
            Param::Program => "program",
            Param::Case => "case",
            Param::Pipeline => "pipeline",
        }
    }
}

/// The form of an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A program.
    Program,
    /// Blocks, such as `^1 ^2`.
    Blocks,
    /// Edges, such as `^0->^1 ^0->^2`. An edge that occurs twice is written twice.
    Edges,
    /// Values, such as `%3 %5`.
    Values,
    /// A number.
    Number,
    /// A word.
    Word,
    /// Blocks in an order.
    Order,
}

impl Answer {
    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Answer::Program => "program",
            Answer::Blocks => "blocks",
            Answer::Edges => "edges",
            Answer::Values => "values",
            Answer::Number => "number",
            Answer::Word => "word",
            Answer::Order => "order",
        }
    }
}

/// The kind of a predicate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PredicateKind {
    /// It holds or does not hold: `dominates(^1, ^5)`.
    Truth,
    /// A number, to be compared: `blocks = 3`.
    Number,
    /// Blocks, edges or values: `frontier(^3) = ^5 ^6`.
    Set(Answer),
    /// A word: `shape = tree`.
    Word,
    /// An order of the blocks. Only an answer can be compared with it, because several orders can be correct.
    Order,
    /// The results of runs: `same-as(start)`.
    Behavior,
}

/// A predicate.
#[derive(Debug)]
pub struct Predicate {
    /// The name in a check.
    pub name: &'static str,
    /// The kind.
    pub kind: PredicateKind,
    /// Its arguments.
    pub(super) params: &'static [Param],
    /// Number of arguments that may be missing at the end.
    pub(super) optional: usize,
    /// If set, the last argument may be repeated.
    pub(super) repeats: bool,
    /// The documentation.
    pub doc: &'static str,
}

impl Predicate {
    /// Finds a predicate. Errors: a sentence with the nearest name.
    pub(super) fn find(name: &str) -> Result<&'static Predicate, String> {
        let found = PREDICATES.iter().find(|predicate| predicate.name == name);
        found.ok_or_else(|| match nearest(name, PREDICATES.iter().map(|predicate| predicate.name)) {
            Some(near) => format!("there is no predicate `{name}`; did you mean `{near}`?"),
            None => format!("there is no predicate `{name}`"),
        })
    }

    /// The name with its arguments, for a table: `dominates(block, block)`, `loads([variable])`.
    pub fn form(&self) -> String {
        let least = self.params.len() - self.optional.min(self.params.len());
        let one = |(at, param): (usize, &Param)| match at < least {
            true => param.name().to_owned(),
            false => format!("[{}]", param.name()),
        };
        let mut words: Vec<String> = self.params.iter().enumerate().map(one).collect();
        if self.repeats {
            words.push("…".to_owned());
        }
        if words.is_empty() { self.name.to_owned() } else { format!("{}({})", self.name, words.join(", ")) }
    }

    /// The form of an answer that is compared with it.
    pub(super) fn answer(&self) -> Option<Answer> {
        match self.kind {
            PredicateKind::Number => Some(Answer::Number),
            PredicateKind::Set(of) => Some(of),
            PredicateKind::Word => Some(Answer::Word),
            PredicateKind::Order => Some(Answer::Order),
            PredicateKind::Truth | PredicateKind::Behavior => None,
        }
    }
}

const fn predicate(
    name: &'static str,
    kind: PredicateKind,
    params: &'static [Param],
    doc: &'static str,
) -> Predicate {
    Predicate { name, kind, params, optional: 0, repeats: false, doc }
}

/// All predicates.
pub static PREDICATES: &[Predicate] = &[
    // Structure.
    predicate("valid", Kind::Truth, &[], "The program is valid."),
    predicate("diag", Kind::Truth, &[Param::Code], "The program has a diagnostic with this code."),
    predicate(
        "has",
        Kind::Truth,
        &[Param::Entity],
        "The function has the block or value, or the program has the variable.",
    ),
    predicate("shape", Kind::Word, &[], "The shape of the function: `graph` or `tree`."),
    predicate("blocks", Kind::Number, &[], "Blocks of the function, including unreachable ones."),
    predicate("edges", Kind::Number, &[], "Edges between blocks."),
    predicate("insts", Kind::Number, &[], "Instructions in blocks, without block parameters."),
    predicate("params", Kind::Number, &[], "Block parameters."),
    predicate("loops", Kind::Number, &[], "Loops of the control-flow graph."),
    predicate("irreducible-loops", Kind::Number, &[], "Loops with more than one entry."),
    predicate("loop-depth", Kind::Number, &[], "Maximum nesting depth of loops."),
    predicate(
        "critical-edges",
        Kind::Number,
        &[],
        "Edges from a block with several successors to one with several predecessors.",
    ),
    predicate("unreachable-blocks", Kind::Number, &[], "Blocks that are not reachable from the entry."),
    Predicate {
        repeats: true,
        ..predicate("op-count", Kind::Number, &[Param::Op], "Instructions with one of these operations.")
    },
    Predicate {
        optional: 1,
        ..predicate("loads", Kind::Number, &[Param::Var], "Loads, or loads from one variable.")
    },
    Predicate {
        optional: 1,
        ..predicate("stores", Kind::Number, &[Param::Var], "Stores, or stores to one variable.")
    },
    predicate(
        "dispatch-nodes",
        Kind::Number,
        &[Param::Mode],
        "Dispatch nodes that structurizing the graph needs.",
    ),
    predicate(
        "exit-vars",
        Kind::Number,
        &[],
        "Block parameters that identify an exit if the tree is lowered to SPIR-V.",
    ),
    // Facts.
    predicate("reachable", Kind::Truth, &[Param::Block], "The block is reachable from the entry."),
    predicate(
        "unreachable",
        Kind::Truth,
        &[Param::Block],
        "The block exists and is not reachable from the entry.",
    ),
    predicate(
        "dominates",
        Kind::Truth,
        &[Param::Block, Param::Block],
        "Every path from the entry to the second block passes through the first.",
    ),
    predicate(
        "post-dominates",
        Kind::Truth,
        &[Param::Block, Param::Block],
        "Every path from the second block to an exit passes through the first.",
    ),
    predicate(
        "uniform",
        Kind::Truth,
        &[Param::Value],
        "The value is the same in all invocations that compute it together.",
    ),
    predicate(
        "partial",
        Kind::Truth,
        &[Param::Block],
        "Some invocations of a subgroup may execute the block while others do not.",
    ),
    predicate("live-into", Kind::Truth, &[Param::Value, Param::Block], "The value is live into the block."),
    predicate(
        "live-out-of",
        Kind::Truth,
        &[Param::Value, Param::Block],
        "The value is live out of the block.",
    ),
    predicate(
        "in-range",
        Kind::Truth,
        &[Param::Value, Param::Number, Param::Number],
        "Range analysis proves these bounds of an integer.",
    ),
    predicate("peak-pressure", Kind::Number, &[], "Maximum register pressure in bits."),
    predicate("trip-count", Kind::Number, &[Param::Block], "The trip count of the loop with this header."),
    predicate(
        "alias",
        Kind::Word,
        &[Param::Value, Param::Value],
        "The relation of two paths: `must`, `may` or `no`.",
    ),
    // Sets.
    predicate(
        "idom",
        Kind::Set(Answer::Blocks),
        &[Param::Block],
        "The immediate dominator; empty for the entry.",
    ),
    predicate(
        "dominators",
        Kind::Set(Answer::Blocks),
        &[Param::Block],
        "The blocks that dominate a block, including itself.",
    ),
    predicate(
        "dominated-by",
        Kind::Set(Answer::Blocks),
        &[Param::Block],
        "The blocks that a block dominates, including itself.",
    ),
    predicate("frontier", Kind::Set(Answer::Blocks), &[Param::Block], "The dominance frontier of a block."),
    predicate(
        "successors",
        Kind::Set(Answer::Blocks),
        &[Param::Block],
        "The successors of a block, each once.",
    ),
    predicate(
        "predecessors",
        Kind::Set(Answer::Blocks),
        &[Param::Block],
        "The predecessors of a block, each once.",
    ),
    predicate("loop-headers", Kind::Set(Answer::Blocks), &[], "The headers of all loops."),
    predicate(
        "loop-blocks",
        Kind::Set(Answer::Blocks),
        &[Param::Block],
        "The blocks of the loop with this header.",
    ),
    predicate("blocks-with-params", Kind::Set(Answer::Blocks), &[], "The blocks that have parameters."),
    predicate(
        "all-unreachable",
        Kind::Set(Answer::Blocks),
        &[],
        "The blocks that are not reachable from the entry.",
    ),
    predicate("edges-from", Kind::Set(Answer::Edges), &[Param::Block], "The edges out of a block."),
    predicate("edges-to", Kind::Set(Answer::Edges), &[Param::Block], "The edges into a block."),
    predicate("back-edges", Kind::Set(Answer::Edges), &[], "The edges from inside a loop to its header."),
    predicate("all-critical", Kind::Set(Answer::Edges), &[], "The critical edges."),
    predicate(
        "dom-tree",
        Kind::Set(Answer::Edges),
        &[],
        "The dominator tree: an edge from each immediate dominator.",
    ),
    predicate(
        "live-in",
        Kind::Set(Answer::Values),
        &[Param::Block],
        "The values that are live into a block.",
    ),
    predicate(
        "live-out",
        Kind::Set(Answer::Values),
        &[Param::Block],
        "The values that are live out of a block.",
    ),
    predicate("divergent-values", Kind::Set(Answer::Values), &[], "The values that are not uniform."),
    predicate(
        "partial-blocks",
        Kind::Set(Answer::Blocks),
        &[],
        "The blocks that some invocations may execute while others are elsewhere.",
    ),
    predicate(
        "topological-order",
        Kind::Order,
        &[],
        "The reachable blocks, each after its predecessors, except along back edges.",
    ),
    // Behavior.
    Predicate {
        optional: 1,
        ..predicate(
            "same-as",
            Kind::Behavior,
            &[Param::Program, Param::Case],
            "The results are those of a program, for a case or for all inputs.",
        )
    },
    Predicate {
        optional: 1,
        ..predicate(
            "differs-from",
            Kind::Behavior,
            &[Param::Program, Param::Case],
            "Some result differs from that of a program, for a case or for some inputs.",
        )
    },
    predicate("runs-clean", Kind::Behavior, &[], "The program terminates without undefined behavior."),
    predicate(
        "first-wrong",
        Kind::Number,
        &[Param::Pipeline],
        "The first step of a pipeline, from 1, that changes the results; 0 if none does.",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_documented() {
        for (at, predicate) in PREDICATES.iter().enumerate() {
            assert!(PREDICATES[..at].iter().all(|other| other.name != predicate.name), "{}", predicate.name);
            assert!(predicate.doc.ends_with('.'), "{}", predicate.name);
        }
    }

    #[test]
    fn a_wrong_name_has_a_suggestion() {
        let error = Predicate::find("dominate").unwrap_err();
        assert_eq!(error, "there is no predicate `dominate`; did you mean `dominates`?");
    }
}
