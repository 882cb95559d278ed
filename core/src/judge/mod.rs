//! The judge: decides whether an answer solves a task, and explains its decision.
//!
//! ```text
//! Task (text) ──► checks ──┐
//!                          ├──► Judgement: a sentence for each check, and the entities it is about
//! answer: a program, ──────┘
//! or blocks, edges, values, a number, a word
//! ```
//!
//! A pure function without clock and IO: the page, the build of the lessons and `vitrine judge` call the same one. A check asks
//! analyses and runs programs; it never compares an answer with the text of a solution, so every correct answer passes.
//! [`Task::parse`] describes the text of a task, [`PREDICATES`] lists the predicates.
//!
//! [`convergence`] judges structurizers: how many invocations of a tree run together that did so in its graph.
//!
//! Refuses tasks whose checks are unknown or incomplete, before any answer is judged.

mod task; // start here: a task and its text
mod check; // one check and its text
mod predicates; // the tables of names

mod verdict; // judges an answer
mod subject; // a program under judgment
mod counts; // numbers
mod sets; // blocks, edges and values
mod truths; // properties that hold or do not hold
mod paths; // a path that shows why a block does not dominate
mod behavior; // runs
mod facts; // sets that figures mark, and their runs
pub mod convergence; // the effect of structurization on invocations that run together

pub use check::{Check, Comparison, Question};
pub use facts::{fact, ran};
pub use predicates::{Answer, PREDICATES, Predicate, PredicateKind};
pub use task::{Case, Task, TaskError};
pub use verdict::{Judgement, Programs, findings, judge};
pub use vitrine_protocol::TaskFinding;
